//! The bundled reference server, as a server under test like any other: its command line and its limits.

use std::path::Path;

use crate::secret;
use crate::transcript::Limits;

/// The size limit for files when it is judged, in bytes: small, so that a larger file is quickly made.
const MAX_FILE_SIZE: u64 = 65_536;
/// The limit on background tasks when it is judged.
const TASK_LIMIT: u64 = 10;

/// The pattern of paths that it refuses when it is judged.
const DENY: &str = "*.sealed";

/// The contracts that it can keep, the default one first.
const VOICES: [&str; 4] = ["bracket-code", "error-envelope", "tool-error", "problem-details"];

/// The contract that it keeps when it is judged by this one: the same if it can, otherwise its default.
pub fn kept_contract(contract: &str) -> &'static str {
    VOICES.into_iter().find(|kept| *kept == contract).unwrap_or(VOICES[0])
}

/// The server's command line; `program` is this program's own executable.
pub fn command(program: &Path, contract: &str, defect: Option<&str>) -> Vec<String> {
    let (program, size, tasks) =
        (program.to_string_lossy(), MAX_FILE_SIZE.to_string(), TASK_LIMIT.to_string());
    let mut words = vec![&*program, "serve", "--contract", contract];
    words.extend(["--workdir", "{workspace}", "--allow-dir", "{workspace}"]);
    words.extend(["--max-file-size", &size, "--task-limit", &tasks]);
    words.extend(["{upstream}", "{refusing}", "{unresolved}"].iter().flat_map(|base| ["--upstream", base]));
    // The secret, which it sends to the service and must not reveal in a reply.
    words.extend(["--upstream-token-variable", secret::VARIABLE]);
    words.extend(["--deny", DENY]);
    words.extend(defect.into_iter().flat_map(|defect| ["--defect", defect]));
    words.into_iter().map(str::to_owned).collect()
}

/// The limits that it is started with.
pub fn limits() -> Limits {
    Limits {
        root: true,
        root_origin: None,
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
