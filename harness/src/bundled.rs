//! The bundled reference server, as a server under test like any other: its command line and its limits.

use std::path::Path;

use crate::secret;
use crate::transcript::Limits;

/// The largest file that it reads when it is judged, in bytes: small, so that a file beyond it is quickly made.
const MAX_FILE_SIZE: u64 = 65_536;
/// How many background tasks it allows when it is judged.
const TASK_LIMIT: u64 = 10;

/// What it refuses when it is judged.
const DENY: &str = "*.sealed";

/// The contracts that it can keep, the default one first.
const VOICES: [&str; 4] = ["bracket-code", "error-envelope", "tool-error", "problem-details"];

/// The contract that it keeps when it is judged by this one: that one where it can, else its default.
pub fn kept_contract(contract: &str) -> &'static str {
    VOICES.into_iter().find(|kept| *kept == contract).unwrap_or(VOICES[0])
}

/// Its command line; `program` is this program's own executable.
pub fn command(program: &Path, contract: &str, defect: Option<&str>) -> Vec<String> {
    let mut words = vec![program.to_string_lossy().into_owned()];
    words.extend(["serve", "--contract", contract].map(str::to_owned));
    words.extend(["--workdir", "{workspace}", "--allow-dir", "{workspace}"].map(str::to_owned));
    words.extend(["--max-file-size".to_owned(), MAX_FILE_SIZE.to_string()]);
    words.extend(["--task-limit".to_owned(), TASK_LIMIT.to_string()]);
    for base in ["{upstream}", "{refusing}", "{unresolved}"] {
        words.extend(["--upstream", base].map(str::to_owned));
    }
    // What it sends to the service is what no reply may tell.
    words.extend(["--upstream-token-variable", secret::VARIABLE].map(str::to_owned));
    words.extend(["--deny", DENY].map(str::to_owned));
    if let Some(defect) = defect {
        words.extend(["--defect".to_owned(), defect.to_owned()]);
    }
    words
}

/// What is known of its limits.
pub fn limits() -> Limits {
    Limits {
        root: true,
        max_file_size: Some(MAX_FILE_SIZE),
        background_tasks: Some(TASK_LIMIT),
        deny: vec![DENY.to_owned()],
    }
}

#[cfg(all(test, feature = "reference-server"))]
mod tests {
    use super::*;

    #[test]
    fn the_server_keeps_each_contract_that_is_said_of_it() {
        let kept: Vec<&str> = mcp_errconf_reference::Contract::ALL.iter().map(|kept| kept.id()).collect();
        assert_eq!(kept, VOICES);
        assert_eq!(kept_contract("tool-error"), "tool-error");
        assert_eq!(kept_contract("plain"), "bracket-code");
    }
}
