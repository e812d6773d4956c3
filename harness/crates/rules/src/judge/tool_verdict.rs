//! The results of a run, tool by tool.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::mended::{Mended, MendedReply};

/// The results of a tool's cases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ToolVerdict {
    /// Its name.
    pub name: String,
    /// What it may do to the world: `read`, `write`, `effect` or `unknown`.
    pub class: String,
    /// How many cases call it, with the probes that were not sent.
    pub planned: usize,
    /// How many of them passed or failed.
    pub judged: usize,
    /// How many of these got an error reply in the tool's own words; an SDK's validation does not count.
    #[serde(default)]
    pub own: usize,
    /// Arguments that made a call succeed; null if none are known.
    pub valid: Option<Value>,
    /// The files and folders that the harness made and to which these arguments lead, as they are called in the tool's folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub laid: Vec<String>,
    /// The words of a refusal that led to these arguments; null if they were given or generated.
    #[serde(default)]
    pub words: Option<String>,
    /// The tool whose reply one of these arguments comes from, which must be called first; absent if there is
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rests_on: Option<String>,
    /// Of its wrong calls that it refused in its own words, those that can be corrected from these words alone.
    #[serde(default)]
    pub mended: Mended,
    /// The measure of messages for each reason and reply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replies: Vec<MendedReply>,
    /// The conditions that were brought about.
    pub conditions: Vec<String>,
    /// Why not more was judged; null where all was.
    pub why: Option<String>,
    /// What to add so that more is judged: lines of `mcp-errconf.toml`, or an option; null if nothing is known.
    #[serde(default)]
    pub next: Option<String>,
}

/// What the harness laid out in the workspace for calls that succeed, with the number of tools whose call
/// refers to it: "`notes.txt` (3 tools), `data.csv` (1 tool)". `None` if no such call refers to anything.
pub fn laid_out(tools: &[ToolVerdict]) -> Option<String> {
    let mut laid: Vec<(&str, usize)> = Vec::new();
    for name in tools.iter().flat_map(|tool| &tool.laid) {
        match laid.iter_mut().find(|(known, _)| known == name) {
            Some((_, count)) => *count += 1,
            None => laid.push((name, 1)),
        }
    }
    let list = laid.iter().map(|(name, count)| {
        let tools = if *count == 1 { "tool" } else { "tools" };
        format!("`{name}` ({count} {tools})")
    });
    (!laid.is_empty()).then(|| list.collect::<Vec<_>>().join(", "))
}
