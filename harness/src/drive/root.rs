//! Whether a server was told to stay within the workspace (A25).
//!
//! The main functions are [`is_given_by`] and [`is_given_by_variable`]. A data file of the server in the
//! workspace, or a log folder there, sets no bound.

/// The token for the folder that the harness makes for a run.
const WORKSPACE: &str = "{workspace}";
/// Parts of variable names that say where a program keeps its own data.
const OWN: [&str; 15] = [
    "BACKUP", "CACHE", "CONFIG", "DATABASE", "DB", "HISTORY", "HOME", "LOG", "LOGS", "PROFILE", "STATE",
    "TEMP", "TMP", "TMPDIR", "XDG",
];

/// Whether a word of a command line gives the workspace as a root. `NAME=VALUE` is read as a variable, as `env`
/// does.
pub(super) fn is_given_by(word: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b'_'))
    };
    match word.split_once('=') {
        Some((name, value)) if is_name(name) => is_given_by_variable(name, value),
        _ => is_folder(word),
    }
}

/// Whether an environment variable gives the workspace as a root.
pub(super) fn is_given_by_variable(name: &str, value: &str) -> bool {
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
