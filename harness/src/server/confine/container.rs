//! Whether a command starts its server in a container. Such a server is a child of the container engine and not
//! of the command, so that confining the command does not confine the server.
//!
//! The main function is [`container`]. It only looks at the words of the command, not at whether the program
//! exists.

use super::launcher::{launched, name_of, without_options};

/// The programs of container engines.
const ENGINES: [&str; 6] = ["docker", "podman", "nerdctl", "docker-compose", "podman-compose", "finch"];
/// Subcommands that start something in a container, or talk to what runs in one.
const STARTS: [&str; 5] = ["run", "exec", "start", "attach", "mcp"];
/// Words that may precede such a subcommand.
const GROUPS: [&str; 2] = ["compose", "container"];
/// Options of engines that take a value.
const ENGINE_VALUES: [&str; 24] = [
    "-H",
    "--host",
    "-c",
    "--context",
    "--config",
    "-l",
    "--log-level",
    "--tlscacert",
    "--tlscert",
    "--tlskey",
    "--connection",
    "--url",
    "--root",
    "--runroot",
    "-n",
    "--namespace",
    "-f",
    "--file",
    "-p",
    "--project-name",
    "--profile",
    "--env-file",
    "--project-directory",
    "--ansi",
];

/// The words by which a command starts its server in a container, such as `docker compose run`; `None` if it
/// does not.
pub fn container<W: AsRef<str>>(command: &[W]) -> Option<String> {
    let words: Vec<&str> = command.iter().map(AsRef::as_ref).collect();
    let words = launched(&words);
    let (program, rest) = words.split_first()?;
    let name = name_of(program);
    if !ENGINES.contains(&name) {
        return None;
    }
    let mut words = vec![name];
    let mut rest = without_options(rest, &ENGINE_VALUES);
    while let Some((word, behind)) = rest.split_first() {
        words.push(word);
        match word {
            word if STARTS.contains(word) => return Some(words.join(" ")),
            word if GROUPS.contains(word) => rest = without_options(behind, &ENGINE_VALUES),
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::container;

    fn check(command: &str, expected: Option<&str>) {
        let words: Vec<&str> = command.split(' ').collect();
        assert_eq!(container(&words).as_deref(), expected, "{command}");
    }

    #[test]
    fn a_container_is_known_by_the_program_and_its_command() {
        check("docker run -i --rm mcp/time", Some("docker run"));
        check("/usr/bin/docker run -i mcp/time", Some("docker run"));
        check("docker --context far -H tcp://there:1 run -i mcp/time", Some("docker run"));
        check("podman run -i image", Some("podman run"));
        check("docker container run -i image", Some("docker container run"));
        check("docker compose -f other.yml run --rm -T server", Some("docker compose run"));
        check("docker compose exec -T server node index.js", Some("docker compose exec"));
        check("docker-compose run server", Some("docker-compose run"));
        check("docker exec -i box server", Some("docker exec"));
    }

    #[test]
    fn what_starts_the_engine_hides_nothing() {
        check("sudo docker run -i image", Some("docker run"));
        check("sudo -n -u other A=1 /usr/bin/docker run -i image", Some("docker run"));
        check("env -u HOME A=1 docker run -i image", Some("docker run"));
        check("timeout 5 docker run -i image", Some("docker run"));
        assert_eq!(container(&["sh", "-c", "exec docker run -i image"]).as_deref(), Some("docker run"));
        assert_eq!(container(&["bash", "-lc", "docker run -i image"]).as_deref(), Some("docker run"));
    }

    #[test]
    fn a_server_that_only_speaks_of_containers_is_started_as_any_other() {
        check("npx -y docker-mcp run", None);
        check("node docker run", None);
        check("docker-mcp run", None);
        check("uvx mcp-server-docker", None);
        check("docker build run", None);
        check("docker", None);
        check("sudo", None);
        check("timeout", None);
        check("sh server.sh docker run", None);
        assert_eq!(container::<&str>(&[]), None);
    }
}
