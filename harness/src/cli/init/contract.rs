//! The contract that `init` writes: the one that the user gave, or else the one that the replies show.
//!
//! The main type is [`WrittenContract`].

use mcp_errconf::config::Config;
use mcp_errconf::contract::{self, Contract, SeenCodes};
use mcp_errconf::recording::Recording;

use crate::cli::case_source::AUTO;

/// A contract for the configuration.
pub(super) struct WrittenContract {
    /// Its id or folder, as it is written.
    pub(super) name: String,
    /// Why this one, to follow its name.
    pub(super) why: String,
}

impl WrittenContract {
    /// The contract for a server, by which the recording is judged from now on.
    ///
    /// The recorded run was planned by the default contract. No other built-in one plans more, so the next run
    /// finds nothing that this one could not.
    pub(super) fn settle(given: Option<&str>, recording: &mut Recording) -> Self {
        let config = Config::default();
        if let Some(name) = given {
            if name == AUTO {
                recording.detect_contract(&config);
            }
            return Self { name: name.to_owned(), why: "as given with `--contract`".to_owned() };
        }
        let seen = contract::seen_codes(&recording.transcript.exchanges);
        if let Some(contract) = seen.contract.or_else(contract::without_codes) {
            recording.judge_by(contract, &config);
        }
        Self { name: recording.contract.id.clone(), why: why(&seen) }
    }
}

fn why(SeenCodes { contract, coded, replies }: &SeenCodes) -> String {
    match (contract.map(|contract: &Contract| &contract.id), replies) {
        (None, 0) => "because no tool answered with an error".to_owned(),
        (None, 1) => "because the one error reply has no code of a known contract".to_owned(),
        (None, replies) => format!("because none of {replies} error replies has a code of a known contract"),
        (Some(_), 1) => "because the one error reply has one of its codes".to_owned(),
        (Some(_), replies) => format!("because {coded} of {replies} error replies have one of its codes"),
    }
}
