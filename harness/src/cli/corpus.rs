//! `corpus`: works on the inputs that campaigns kept.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use mcp_errconf::merge;

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

pub(crate) fn corpus(arguments: &CorpusArguments) -> Result<(), Failure> {
    let CorpusCommand::Minimise { folder } = &arguments.command;
    let minimised = merge::minimise(folder).map_err(|error| {
        Failure::of_file("minimise", folder, &error, "give a folder that `fuzz --corpus` wrote")
    })?;
    console::print(&format!("kept {} of {} inputs\n", minimised.kept, minimised.of))
}
