//! Moves calls between the folders of the search for successful calls and that of the campaign.
//!
//! The main type is [`Places`].

use std::path::Path;

use serde_json::Value;

use crate::catalog::Tool;
use crate::condition::{CaseId, folder_name};
use crate::judge::FoundBy;
use crate::plan::ProbedTool;
use crate::server::RunFolders;

use super::super::Assignment;
use super::super::case::{FirstCall, NewThing, TriedCall};
use super::super::moved::moved;
use super::ValidCall;

/// Where the files of the tools lie during the search, and where they will lie in the campaign.
pub(super) struct Places {
    /// For each tool, its name, and its folder as an absolute path and by name.
    of_tools: Vec<(String, String, String)>,
    /// The folder of the campaign, as an absolute path and by name.
    common: (String, String),
}

impl Places {
    pub(super) fn new(run_folders: &RunFolders, folder: &CaseId, probed: &[ProbedTool]) -> Self {
        let place = |id: &CaseId| (text(&run_folders.case_folder(id)), folder_name(id));
        let of_tool = |tool: &ProbedTool| {
            let (path, name) = place(&tool.folder);
            (tool.name.clone(), path, name)
        };
        Self { of_tools: probed.iter().map(of_tool).collect(), common: place(folder) }
    }

    /// Makes a call that succeeded in an earlier campaign one of the first tries; the user's own still comes
    /// first.
    pub(super) fn try_kept(
        &self,
        assignment: &Assignment,
        listed: Option<&Tool>,
        tool: &mut ProbedTool,
        kept: &[ValidCall],
    ) {
        let Some(listed) = listed else { return };
        let (path, name) = &self.common;
        let own = self.of_tools.iter().find(|(other, ..)| *other == tool.name);
        let Some((_, own_path, own_name)) = own else { return };
        let is_users = assignment.tools.get(&tool.name).is_some_and(|setting| setting.valid.is_some());
        let of_it = kept.iter().filter(|call| call.tool == tool.name).map(|call| &call.arguments);
        let as_first = kept.iter().flat_map(|call| &call.first);
        let as_first = as_first.filter(|first| first.tool == tool.name).map(|first| &first.arguments);
        let mut at = usize::from(is_users).min(tool.tries.len());
        for arguments in of_it.chain(as_first) {
            let there = moved(&moved(arguments, path, own_path), name, own_name);
            let there = listed.unwrap(&there).clone();
            if !tool.tries[..at].contains(&there) {
                tool.tries.insert(at, there);
                at += 1;
            }
        }
    }

    /// The call with its files in the folder of the campaign.
    pub(super) fn valid_call(
        &self,
        assignment: &Assignment,
        tool: &ProbedTool,
        call: TriedCall,
    ) -> ValidCall {
        let TriedCall { arguments, own, words, is_spent, first, new } = call;
        let is_users = assignment.tools.get(&tool.name).is_some_and(|setting| setting.valid.is_some())
            && tool.tries.first() == Some(&own);
        let source = match &words {
            _ if is_users => FoundBy::Configuration,
            Some(_) => FoundBy::Refusals,
            None if tool.tries.contains(&own) => FoundBy::Schema,
            None => FoundBy::OtherCalls,
        };
        let first =
            first.into_iter().map(|(tool, arguments)| FirstCall { tool, arguments: self.common(arguments) });
        ValidCall {
            tool: tool.name.clone(),
            arguments: self.common(arguments),
            source,
            words,
            once: is_spent,
            first: first.collect(),
            new: new.map(|new| NewThing {
                maker: FirstCall { arguments: self.common(new.maker.arguments), ..new.maker },
                ..new
            }),
        }
    }

    fn common(&self, arguments: Value) -> Value {
        let (path, name) = &self.common;
        let to_common = |value: Value, (_, own_path, own_name): &(String, String, String)| {
            moved(&moved(&value, own_path, path), own_name, name)
        };
        self.of_tools.iter().fold(arguments, to_common)
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
