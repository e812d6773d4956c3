//! `corpus`: works on the inputs that campaigns kept.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use mcp_errconf::{cause, merge};

use super::console;
use super::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct CorpusArguments {
    #[command(subcommand)]
    command: CorpusCommand,
}

#[derive(Debug, Subcommand)]
enum CorpusCommand {
    /// Delete each input for which a smaller one brings about the same reply
    Minimise {
        /// The folder of the corpus, from `fuzz --corpus`
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

pub(crate) fn corpus(arguments: &CorpusArguments) -> Result<ExitCode, Failure> {
    let CorpusCommand::Minimise { folder } = &arguments.command;
    let minimised = merge::minimise(folder).map_err(|error| {
        let cause = cause::describe(&error);
        Failure::Usage(format!(
            "cannot minimise `{}`: {cause}; give a folder that `fuzz --corpus` wrote",
            folder.display()
        ))
    })?;
    console::print(&format!("kept {} of {} inputs\n", minimised.kept, minimised.of))?;
    Ok(ExitCode::SUCCESS)
}
