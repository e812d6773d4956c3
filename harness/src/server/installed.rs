//! Which of the programs that commonly start servers are installed on this machine, and their versions.

use std::process::Stdio;
use std::time::Duration;

use super::startable::with_ending;

/// How long a program may take to print its version.
const PATIENCE: Duration = Duration::from_secs(5);

/// Programs, and the arguments that print their version.
const RUNTIMES: [(&str, &str); 10] = [
    ("node", "--version"),
    ("npx", "--version"),
    ("python3", "--version"),
    ("uv", "--version"),
    ("deno", "--version"),
    ("bun", "--version"),
    ("go", "version"),
    ("cargo", "--version"),
    ("dotnet", "--version"),
    ("java", "-version"),
];

/// A program on PATH.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// Its name.
    pub program: &'static str,
    /// The version that it prints; `None` if it prints none.
    pub version: Option<String>,
}

/// git, if it is installed: some cases need a repository.
pub async fn git() -> Option<Installed> {
    installed("git", "--version").await
}

/// The programs that commonly start servers, as far as they are installed.
pub async fn runtimes() -> Vec<Installed> {
    let asked = RUNTIMES.map(|(program, question)| tokio::spawn(installed(program, question)));
    let mut found = Vec::new();
    for answer in asked {
        found.extend(answer.await.ok().flatten());
    }
    found
}

/// The program with its version; `None` if it is not installed.
async fn installed(program: &'static str, question: &str) -> Option<Installed> {
    let path = std::env::var_os("PATH");
    let file = if cfg!(windows) { with_ending(program, None, path.as_deref()) } else { program.into() };
    let mut command = tokio::process::Command::new(file);
    command.arg(question).stdin(Stdio::null()).kill_on_drop(true);
    let asked = command.output();
    let version = match tokio::time::timeout(PATIENCE, asked).await {
        Ok(Ok(output)) => {
            let output = if output.stdout.is_empty() { output.stderr } else { output.stdout };
            version(&String::from_utf8_lossy(&output))
        }
        Ok(Err(_)) => return None,
        Err(_) => None,
    };
    Some(Installed { program, version })
}

/// The first word of the first line that has a digit and a dot in it, without what only says that it is a version.
fn version(output: &str) -> Option<String> {
    let words = output.lines().next()?.split_whitespace();
    let plain = words
        .map(|word| word.trim_matches(['"', ',', '(', ')']).trim_start_matches("go").trim_start_matches('v'));
    plain
        .into_iter()
        .find(|word| word.starts_with(|first: char| first.is_ascii_digit()) && word.contains('.'))
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_found_in_what_programs_say() {
        for (output, expected) in [
            ("git version 2.39.5\n", "2.39.5"),
            ("v20.11.1\n", "20.11.1"),
            ("go version go1.22.3 linux/amd64", "1.22.3"),
            ("openjdk version \"17.0.11\" 2024-04-16\nmore", "17.0.11"),
            ("Python 3.11.2", "3.11.2"),
            ("deno 2.0.1 (stable, release, x86_64)", "2.0.1"),
        ] {
            assert_eq!(version(output).as_deref(), Some(expected), "{output}");
        }
        assert_eq!(version("command not found"), None);
        assert_eq!(version(""), None);
    }

    #[tokio::test]
    async fn a_program_that_is_not_there_is_not_installed() {
        assert_eq!(installed("no-such-program-anywhere", "--version").await, None);
        let sh = installed("sh", "-c").await.expect("there is a shell everywhere");
        assert_eq!(sh.version, None);
    }
}
