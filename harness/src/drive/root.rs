//! What is known of a server's limits, above all whether it was told to stay within a folder, and by what (A25).
//!
//! The main function is [`limits`]. A data file of the server in the workspace, or a log folder there, sets no
//! bound.

use std::path::Path;

use crate::placeholder::Folders;
use crate::roles::{Binding, Role};
use crate::transcript::{Limits, RootOrigin, RootReach, RootSource};
use crate::words;

use super::Assignment;

/// The token for the folder that the harness makes for a run.
const WORKSPACE: &str = "{workspace}";
/// Parts of variable names that say where a program keeps its own data.
const OWN: [&str; 15] = [
    "BACKUP", "CACHE", "CONFIG", "DATABASE", "DB", "HISTORY", "HOME", "LOG", "LOGS", "PROFILE", "STATE",
    "TEMP", "TMP", "TMPDIR", "XDG",
];

/// Programs that start another: the first word after them that is no option names that one.
const LAUNCHERS: [&str; 22] = [
    "bun", "bunx", "cargo", "deno", "docker", "dotnet", "env", "go", "java", "node", "npm", "npx", "perl",
    "php", "pipx", "pnpm", "podman", "ruby", "ts-node", "tsx", "uv", "uvx",
];
/// Words between a launcher and what it starts.
const ORDERS: [&str; 6] = ["dlx", "exec", "run", "start", "tool", "x"];

/// The server's limits, as far as they follow from its configuration, its command line and its tools.
pub(super) fn limits(assignment: &Assignment, bindings: &[Binding], folders: &Folders) -> Limits {
    let has_background = bindings
        .iter()
        .any(|binding| binding.role == Role::Shell && binding.parameters.contains_key("background"));
    let by_contract = assignment.contract.server.background_tasks.filter(|_| has_background);
    let set = &assignment.limits;
    // What the user says of the root counts, and nothing beside it.
    let root_origin = set
        .root_origin
        .clone()
        .or_else(|| by_workspace(assignment))
        .or_else(|| by_folder(&assignment.server.command, &folders.outside));
    let given = |origin: &RootOrigin| {
        origin.source != RootSource::Configuration && origin.reach != RootReach::Everything
    };
    Limits {
        root: set.root || root_origin.as_ref().is_some_and(given),
        root_origin,
        deny: set.deny.clone(),
        max_file_size: set.max_file_size,
        background_tasks: set.background_tasks.or(by_contract),
    }
}

/// The word or the variable that gives the workspace as a root.
fn by_workspace(assignment: &Assignment) -> Option<RootOrigin> {
    let origin = |source, given: String| RootOrigin { source, given, reach: RootReach::Workspace };
    let server = &assignment.server;
    let word = server.command.iter().position(|word| is_given_by(word)).map(|index| {
        let option = index.checked_sub(1).map(|before| server.command[before].as_str());
        let option = option.filter(|option| option.starts_with('-') && !option.contains('='));
        let word = &server.command[index];
        origin(
            RootSource::CommandLine,
            option.map_or_else(|| word.clone(), |option| format!("{option} {word}")),
        )
    });
    word.or_else(|| {
        let given = server.env.iter().find(|(name, value)| is_given_by_variable(name, value))?;
        Some(origin(RootSource::Variable, format!("{}={}", given.0, given.1)))
    })
}

/// A folder of this machine that the command line gives as a root: by an option that says so, or as its last
/// argument. The program itself is none: `node ./server`.
fn by_folder(command: &[String], outside: &str) -> Option<RootOrigin> {
    let is_bound = |option: &str| {
        let name = option.trim_start_matches('-').to_ascii_lowercase().replace('_', "-");
        option.starts_with("--") && words!("names/root-options").contains(&name.as_str())
    };
    let named = command.iter().enumerate().find_map(|(index, word)| match word.split_once('=') {
        Some((option, folder)) => is_bound(option).then(|| (word.clone(), folder)),
        None if is_bound(word) => {
            command.get(index + 1).map(|folder| (format!("{word} {folder}"), folder.as_str()))
        }
        None => None,
    });
    let (given, folder) = named.or_else(|| last_argument(command).map(|last| (last.to_owned(), last)))?;
    // A list of folders is not taken apart: what lies outside all of them would have to be known.
    let folder = std::fs::canonicalize(folder).ok().filter(|folder| folder.is_dir())?;
    let outside = Path::new(outside);
    let holds = std::fs::canonicalize(outside).is_ok_and(|outside| outside.starts_with(&folder));
    let reach = if holds { RootReach::Everything } else { RootReach::Elsewhere };
    Some(RootOrigin { source: RootSource::CommandLine, given, reach })
}

/// The last word of a command line, if it is an argument of the server's own.
fn last_argument(command: &[String]) -> Option<&str> {
    let (last, before) = command.split_last()?;
    let program = |word: &str| {
        let name = word.rsplit(['/', '\\']).next().unwrap_or_default();
        name.trim_end_matches(".exe").trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').to_owned()
    };
    let is_launcher = |word: &str| {
        let name = program(word);
        name == "python" || LAUNCHERS.contains(&name.as_str())
    };
    // The value of an option is no argument, but what follows `-m` names the program.
    let after_option = before.last().is_some_and(|word| word.starts_with('-') && word != "--");
    let is_program = |word: &&String| {
        !word.starts_with('-')
            && !is_launcher(word)
            && !ORDERS.contains(&word.as_str())
            && !word.contains('=')
    };
    (!after_option && !last.starts_with('-') && before.iter().any(|word| is_program(&word))).then_some(last)
}

/// Whether a word of a command line gives the workspace as a root. `NAME=VALUE` is read as a variable, as `env`
/// does.
fn is_given_by(word: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b'_'))
    };
    match word.split_once('=') {
        Some((name, value)) if is_name(name) => is_given_by_variable(name, value),
        _ => is_folder(word),
    }
}

/// Whether an environment variable gives the workspace as a root.
fn is_given_by_variable(name: &str, value: &str) -> bool {
    let is_own = name.to_ascii_uppercase().split('_').any(|part| OWN.contains(&part));
    !is_own && is_folder(value)
}

/// Whether the value is the workspace or a folder in it. A name with an extension is taken for a file.
fn is_folder(value: &str) -> bool {
    value.match_indices(WORKSPACE).any(|(at, _)| {
        let below = &value[at + WORKSPACE.len()..];
        let below = below.split([':', ';', ',']).next().unwrap_or_default();
        let last = below.rsplit('/').next().unwrap_or_default();
        !last.trim_start_matches('.').contains('.')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_bounds_what_tools_reach_is_a_root() {
        for word in [
            "{workspace}",
            "--root={workspace}",
            "{workspace}/sub",
            "/opt:{workspace}:/srv/a.b",
            "ALLOWED_DIR={workspace}",
            "--db={workspace}/a.db,{workspace}",
            "{workspace}/.hidden",
        ] {
            assert!(is_given_by(word), "{word}");
        }
        assert!(is_given_by_variable("ALLOWED_DIR", "{workspace}"));
    }

    #[test]
    fn a_folder_of_this_machine_is_a_root_by_its_option_or_as_the_last_argument() {
        let place = tempfile::tempdir().expect("a folder");
        let data = place.path().join("data");
        let outside = place.path().join("outside");
        for folder in [&data, &outside] {
            std::fs::create_dir(folder).expect("it is free");
        }
        let (data, outside) = (data.display().to_string(), outside.display().to_string());
        let wide = place.path().display().to_string();
        let read = |words: &[&str]| {
            let command: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            by_folder(&command, &outside).map(|origin| (origin.given, origin.reach))
        };
        let elsewhere = |given: String| Some((given, RootReach::Elsewhere));
        assert_eq!(read(&["server", "--allow-dir", &data, "-v"]), elsewhere(format!("--allow-dir {data}")));
        assert_eq!(
            read(&["python3", "server.py", &format!("--root={data}")]),
            elsewhere(format!("--root={data}"))
        );
        assert_eq!(read(&["npx", "-y", "a-server", &data]), elsewhere(data.clone()));
        assert_eq!(
            read(&["server", "--root", &wide]),
            Some((format!("--root {wide}"), RootReach::Everything))
        );
        for none in [
            &["node", &data] as &[&str],
            &["go", "run", &data],
            &["/usr/bin/python3.12", &data],
            &["server", "--cache", &data],
            &["server", "--allow-dir", "/no/such/folder"],
            &["server", "--root", "list.txt"],
        ] {
            assert_eq!(read(none), None, "{none:?}");
        }
    }

    #[test]
    fn a_place_for_the_servers_own_things_is_none() {
        for word in [
            "--db={workspace}/a.db",
            "{workspace}/m.jsonl",
            "HOME={workspace}",
            "XDG_DATA_HOME={workspace}/x",
            "/srv",
        ] {
            assert!(!is_given_by(word), "{word}");
        }
        assert!(!is_given_by_variable("LOG_DIR", "{workspace}"));
        assert!(!is_given_by_variable("MEMORY_FILE_PATH", "{workspace}/m.jsonl"));
    }
}
