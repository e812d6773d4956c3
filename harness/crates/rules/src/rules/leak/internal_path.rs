//! `leak/internal-path`: a path of the server's own installation comes through.

use crate::finding::Diagnostic;
use crate::rules::{Context, Rule};

/// The specification of every contract: no path of the server's own installation.
pub(crate) static RULE: Rule =
    Rule::of_reply("leak/internal-path", include_str!("internal_path.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Name the parameter or the setting, and leave out where the server is installed.";
    super::judged(context, RULE.id, "a path of the server's installation", help)
}
