//! The file to which code hosts attach findings: they need one, and a server's replies have no line.

use std::path::{Component, Path};

/// The configuration, or else the server's own program or script if it is in the working folder; relative to
/// that.
pub(crate) fn anchor(configuration: Option<&Path>, command: &[String]) -> Option<String> {
    let working = std::env::current_dir().ok()?;
    let below = |path: &Path| {
        let path = path.strip_prefix(&working).unwrap_or(path);
        let is_below = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        let parts = path.components().filter_map(|part| match part {
            Component::Normal(part) => Some(part.to_string_lossy()),
            _ => None,
        });
        is_below.then(|| parts.collect::<Vec<_>>().join("/")).filter(|path| !path.is_empty())
    };
    let program = || {
        let files = command.iter().map(Path::new).filter(|word| word.is_file());
        files.filter_map(below).next()
    };
    configuration.and_then(below).or_else(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_comes_first_and_then_a_file_of_the_command_below_the_working_folder() {
        let working = std::env::current_dir().expect("there is one");
        let absolute = working.join("x/mcp-errconf.toml");
        let command = ["python", "/bin/sh", "./src/main.rs"].map(str::to_owned);
        assert_eq!(anchor(Some(&absolute), &command).as_deref(), Some("x/mcp-errconf.toml"));
        assert_eq!(anchor(Some(Path::new("../mcp-errconf.toml")), &[]), None);
        assert_eq!(anchor(None, &command).as_deref(), Some("src/main.rs"));
        assert_eq!(anchor(None, &command[..2]), None);
    }
}
