//! Tools that make what other tools work on, called first if nothing else has made the other tool's call
//! succeed.
//!
//! The main type is [`CreatedFiles`]. What a tool has made is found by comparing folders, not taken from its
//! reply: a file that was not laid out, or that has changed.

use serde_json::Value;

use crate::class::Class;
use crate::condition::CaseId;
use crate::exchange::{FileChange, FileChangeKind};
use crate::generate::{are_about_the_same, belong_together, is_an_end, is_path, makes, plain_name};
use crate::json_schema::flattened;
use crate::plan::ProbedTool;
use crate::suite::FileContent;

use super::control_state::{RepairProgress, SuccessfulCall, Tried};
use super::{Abort, Driver};

/// At most this many tools are tried as makers of what another tool works on.
const TRIED: usize = 3;
/// After a maker was called, at most this many refusals are read.
const MAX_REPAIRS: usize = 3;

/// The parameter that takes the new file, and the file's path; `None` if what was made is not a file.
type Place = Option<(String, String)>;

/// The files that tools have made.
#[derive(Default)]
pub(super) struct CreatedFiles {
    made: Vec<Made>,
    /// What the latest call changed in the folder of a watched tool.
    pub(super) changes: Vec<FileChange>,
}

/// A file made by a call.
struct Made {
    tool: String,
    /// The parameter that gave its path; `None` if the tool chose the name.
    parameter: Option<String>,
    path: String,
}

impl Driver<'_> {
    /// Whether the folder of this tool is compared before and after its calls.
    pub(super) fn is_watched(&self, tool: &ProbedTool) -> bool {
        self.draws.is_some() && tool.class != Class::Read && !is_an_end(&tool.name)
    }

    /// Records the files that a successful call has made in the tool's folder, by the changes seen there.
    pub(super) fn note_made(&mut self, tool: &ProbedTool, arguments: &Value) {
        let changes = std::mem::take(&mut self.makers.changes);
        let folder = self.resources.run_folders.case_folder(&tool.folder);
        let laid = || tool.files.iter().chain(self.tools.supplied.get(&tool.name).into_iter().flatten());
        let is_text =
            |path: &str| laid().any(|file| file.path == path && matches!(file.content, FileContent::Text(_)));
        let mut new: Vec<&str> = changes
            .iter()
            .filter_map(|change| {
                let path = change.path.strip_prefix("{case}/")?;
                match change.change {
                    FileChangeKind::Created { .. } => Some(path),
                    FileChangeKind::Modified if is_text(path) => Some(path),
                    FileChangeKind::Modified | FileChangeKind::Lost | FileChangeKind::Deleted => None,
                }
            })
            .collect();
        new.sort_unstable();
        let whole = |path: &str| folder.join(path).to_string_lossy().into_owned();
        let named = arguments.as_object().into_iter().flatten().filter_map(|(name, value)| {
            let path = value.as_str().filter(|path| new.iter().any(|new| whole(new) == **path))?;
            Some((Some(name.clone()), path.to_owned()))
        });
        let from_schema =
            new.iter().filter(|path| !path.contains('/')).take(TRIED).map(|path| (None, whole(path)));
        for (parameter, path) in named.chain(from_schema) {
            if !self.makers.made.iter().any(|known| known.tool == tool.name && known.path == path) {
                self.makers.made.push(Made { tool: tool.name.clone(), parameter, path });
            }
        }
    }

    /// A call that succeeds once another tool has made what it works on; that tool is called before it from
    /// then on. `known` are arguments that succeeded before, if there are any.
    pub(super) async fn after_a_maker(
        &mut self,
        tool: &ProbedTool,
        case: &CaseId,
        refused: Option<usize>,
        known: Option<&Value>,
    ) -> Result<Option<SuccessfulCall>, Abort> {
        if self.draws.is_none() {
            return Ok(None);
        }
        let Some(first) = known.or(tool.tries.first()) else { return Ok(None) };
        let usual = match known {
            Some(known) => known.clone(),
            None => self.of_others(tool, first).unwrap_or_else(|| first.clone()),
        };
        for (maker, place) in self.candidates(tool) {
            let Some(arguments) = self.with_made(tool, &maker, place, &usual) else { continue };
            let before = self.firsts.before(&tool.name);
            if !self.call_first(tool, &maker) {
                continue;
            }
            let succeeded = match self.tried(tool, case, &arguments).await? {
                Tried::Succeeded(control) => Some(SuccessfulCall::new(control, arguments)),
                Tried::Lost(_) => return Ok(None),
                // A refusal in other words is progress, and is read in turn.
                Tried::Refused(index)
                    if refused.is_none_or(|first| !self.are_refused_alike(first, index)) =>
                {
                    let mut progress = RepairProgress { left: MAX_REPAIRS, ..RepairProgress::default() };
                    self.repaired(tool, case, &[index], &mut progress).await?
                }
                Tried::Refused(_) => None,
            };
            if succeeded.is_some() {
                return Ok(succeeded);
            }
            self.firsts.restore(&tool.name, before);
        }
        Ok(None)
    }

    /// The tools that may have made what a tool works on, each with the parameter that takes the file and its
    /// path. The likeliest come first: a parameter of the same name, then related tool names, and among these
    /// tools about the same thing before those that only share a parameter name.
    fn candidates(&self, tool: &ProbedTool) -> Vec<(String, Place)> {
        let Some(listed) = self.head.catalog.tool(&tool.name) else { return Vec::new() };
        let document = listed.own_document();
        let takes_path = |name: &str| {
            let schema = document.pointer("/properties").and_then(|all| all.get(name));
            let schema = schema.map(|schema| flattened(schema, &document));
            let description = schema.as_ref().and_then(|schema| schema.get("description")?.as_str());
            is_path(&plain_name(name), &description.unwrap_or_default().to_lowercase())
        };
        let paths: Vec<&str> = listed.required().filter(|name| takes_path(name)).collect();
        let mut found: Vec<(usize, String, Place)> = Vec::new();
        for made in self.makers.made.iter().filter(|made| made.tool != tool.name) {
            let same = made.parameter.as_deref().filter(|name| listed.parameter(name).is_some());
            let Some(parameter) = same.or_else(|| paths.first().copied()) else { continue };
            let rank = usize::from(same.is_none());
            found.push((rank, made.tool.clone(), Some((parameter.to_owned(), made.path.clone()))));
        }
        if paths.is_empty() {
            for other in self.head.catalog.tools.iter().filter(|other| other.name != tool.name) {
                let is_known = self.firsts.known(&other.name).is_some();
                if is_known && makes(&other.name) && belong_together(listed, other) {
                    let rank = if are_about_the_same(&tool.name, &other.name) { 2 } else { 3 };
                    found.push((rank, other.name.clone(), None));
                }
            }
        }
        found.sort_by_key(|(rank, ..)| *rank);
        let mut candidates: Vec<(String, Place)> =
            found.into_iter().map(|(_, maker, place)| (maker, place)).collect();
        candidates.dedup();
        candidates.truncate(TRIED);
        candidates
    }

    /// The arguments with the file that a maker has made, in the tool's own folder, or with the values of the
    /// maker's call.
    fn with_made(&self, tool: &ProbedTool, maker: &str, place: Place, usual: &Value) -> Option<Value> {
        let maker = self.firsts.known(maker)?;
        let mut arguments = usual.clone();
        if let Some((parameter, path)) = place {
            let moved = self.in_the_folder_of(tool, &maker.folder, &Value::String(path));
            arguments.as_object_mut()?.insert(parameter, moved);
        }
        Some(arguments)
    }
}
