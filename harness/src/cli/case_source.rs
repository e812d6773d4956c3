//! The contract and the cases that a command line names.

use std::path::{Path, PathBuf};

use mcp_errconf::contract::{self, Contract};
use mcp_errconf::document::LoadError;
use mcp_errconf::suite::{self, Suite};
use mcp_errconf::transcript::Chosen;

use super::failure::{Failure, suggestion};

/// The value of `--contract` for detecting the contract from the replies.
pub(crate) const AUTO: &str = "auto";

/// The contract of `--contract ID|DIR|auto`, or the default one; for `auto` the default one until there are
/// replies.
pub(crate) fn contract(given: Option<&str>) -> Result<(Contract, Chosen), Failure> {
    let given = given.filter(|id| *id != AUTO);
    let id = given.unwrap_or(contract::DEFAULT);
    let chosen = if given.is_some() { Chosen::Flag } else { Chosen::Default };
    if let Some(contract) = contract::load_builtin(id).map_err(own_data)? {
        return Ok((contract, chosen));
    }
    let folder = Path::new(id);
    if folder.is_dir() {
        return Ok((contract::load_dir(folder)?, chosen));
    }
    Err(Failure::Usage(format!(
        "there is no contract `{id}`, and no folder of that name{}; `mcp-errconf list contracts` lists the \
         contracts",
        suggestion(id, contract::builtin_ids())
    )))
}

/// The cases of `--cases DIR`, or the built-in ones.
pub(crate) fn suite(folder: Option<&PathBuf>) -> Result<Suite, Failure> {
    match folder {
        None => suite::load_builtin().map_err(own_data),
        Some(folder) if folder.is_dir() => Ok(suite::load_dir(folder)?),
        Some(folder) => Err(Failure::Usage(format!(
            "`--cases {}`: there is no such folder; give one of `.toml` files, or leave the option out for the \
                 built-in cases",
            folder.display()
        ))),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the form that `map_err` takes")]
fn own_data(error: LoadError) -> Failure {
    Failure::Fault(format!("the built-in data is invalid: {error}"))
}
