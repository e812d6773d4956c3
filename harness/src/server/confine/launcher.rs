//! Programs that only start another one, such as `env` and `sh -c`.
//!
//! The main function is [`launched`]. It only looks at the words of a command, not at whether a program exists.

/// A program that starts the rest of its words, and those of its options that take a value.
struct Launcher {
    name: &'static str,
    values: &'static [&'static str],
    /// How many words of its own come before the program that it starts.
    own: usize,
}

const LAUNCHERS: [Launcher; 7] = [
    Launcher {
        name: "sudo",
        values: &["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U", "-r", "-t"],
        own: 0,
    },
    Launcher { name: "doas", values: &["-u", "-C"], own: 0 },
    Launcher { name: "env", values: &["-u", "-C", "--unset", "--chdir"], own: 0 },
    Launcher { name: "nice", values: &["-n"], own: 0 },
    Launcher { name: "nohup", values: &[], own: 0 },
    Launcher { name: "timeout", values: &["-k", "-s"], own: 1 },
    Launcher { name: "stdbuf", values: &["-i", "-o", "-e"], own: 0 },
];

/// Shells, which start what follows `-c`.
const SHELLS: [&str; 4] = ["sh", "bash", "dash", "zsh"];

/// The words of a command without the launchers before the program.
pub fn launched<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let Some((program, rest)) = words.split_first() else { return Vec::new() };
    let name = name_of(program);
    if let Some(launcher) = LAUNCHERS.iter().find(|launcher| launcher.name == name) {
        let started = without_options(rest, launcher.values);
        let started = started.get(launcher.own..).unwrap_or_default();
        // `sudo` and `env` take variables before the program.
        let set = started.iter().take_while(|word| word.contains('=')).count();
        return launched(&started[set..]);
    }
    let is_script = |word: &&str| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c');
    let script = match SHELLS.contains(&name) {
        true => rest.iter().position(is_script).and_then(|at| rest.get(at + 1)),
        false => None,
    };
    let Some(script) = script else { return words.to_vec() };
    // What comes before prepares the start, such as `cd server`.
    let last = script.rsplit("&&").next().unwrap_or(script);
    let script: Vec<&str> = last.split_whitespace().collect();
    launched(script.strip_prefix(&["exec"]).unwrap_or(&script))
}

/// The words that follow a program's options.
pub(super) fn without_options<'w, 'a>(words: &'w [&'a str], values: &[&str]) -> &'w [&'a str] {
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-')) {
        at += if values.contains(word) { 2 } else { 1 };
    }
    words.get(at..).unwrap_or_default()
}

/// The name of a program, without its folder.
pub(super) fn name_of(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

#[cfg(test)]
mod tests {
    use super::launched;

    fn check(words: &[&str], expected: &[&str]) {
        assert_eq!(launched(words), expected, "{words:?}");
    }

    #[test]
    fn the_program_is_found_behind_what_starts_it() {
        check(&["node", "a.js"], &["node", "a.js"]);
        check(&["env", "-u", "HOME", "A=b", "node", "a.js"], &["node", "a.js"]);
        check(&["timeout", "5", "uv", "run", "a.py"], &["uv", "run", "a.py"]);
        check(&["sh", "-c", "exec node a.js"], &["node", "a.js"]);
        check(&["env", "A=b", "sh", "-c", "cd server && exec env C=d node a.js"], &["node", "a.js"]);
    }

    #[test]
    fn a_script_of_a_shell_is_a_program_itself() {
        check(&["sh", "server.sh"], &["sh", "server.sh"]);
        check(&["timeout"], &[]);
        check(&[], &[]);
    }
}
