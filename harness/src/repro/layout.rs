//! The files that are there before the calls of a reproduction.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::condition::{CaseId, folder_name};
use crate::generate::ToolFiles;
use crate::stock::laid_out;
use crate::suite::{File, FileContent, Suite};

/// Why there is no reproduction of a finding whose files are more than texts.
const NOT_LAID_OUT: &str = "it needs files that a test does not lay out";

/// The files of a case that exist before it begins, beside the first folder, which is its own.
pub(super) fn lay_out(
    case: &CaseId,
    suite: &Suite,
    folders: &mut Vec<String>,
    files: &mut BTreeMap<String, String>,
) -> Result<(), &'static str> {
    let Some(case) = suite.cases.iter().find(|known| known.id == *case) else { return Ok(()) };
    let folder = format!("{{workspace}}/{}", folder_name(&case.id));
    case.script.files.iter().try_for_each(|file| add(file, &folder, folders, files))
}

/// The files of the harness that the arguments of a call lead to, in the folder of a tool.
pub(super) fn led_to(
    arguments: &Value,
    workspace: &str,
    folders: &mut Vec<String>,
    files: &mut BTreeMap<String, String>,
) -> Result<(), &'static str> {
    let text = arguments.to_string();
    let begins = format!("{workspace}/");
    let named = text.match_indices(&begins).map(|(at, _)| {
        let rest = &text[at + begins.len()..];
        rest.split(['/', '"', '\\']).next().unwrap_or_default()
    });
    let mut names: Vec<&str> = named.filter(|name| !name.is_empty()).collect();
    names.sort_unstable();
    names.dedup();
    for folder in names.into_iter().map(|name| format!("{begins}{name}")) {
        let text_of = |path: &str| File {
            path: path.to_owned(),
            content: FileContent::Text(ToolFiles::TEXT.to_owned()),
        };
        let within = format!("{}/{}", ToolFiles::FOLDER, ToolFiles::FILE);
        let always = [text_of(ToolFiles::FILE), text_of(&within)];
        let led = laid_out(arguments, &ToolFiles::at(folder.as_str()), &always);
        for file in led.iter().chain(&always) {
            if !files.contains_key(&format!("{folder}/{}", file.path)) {
                add(file, &folder, folders, files)?;
            }
        }
    }
    Ok(())
}

fn add(
    file: &File,
    folder: &str,
    folders: &mut Vec<String>,
    files: &mut BTreeMap<String, String>,
) -> Result<(), &'static str> {
    if file.path.contains('{') || file.path.contains("..") {
        return Err(NOT_LAID_OUT);
    }
    let own = |text: &str| text.replace("{case}", folder);
    let path = format!("{folder}/{}", file.path);
    let text = match &file.content {
        FileContent::Text(text) => own(text),
        FileContent::Lines(lines) => own(&lines.text()),
        FileContent::Directory => {
            folders.push(path);
            return Ok(());
        }
        FileContent::BeyondLimit(_)
        | FileContent::Hex(_)
        | FileContent::Git(_)
        | FileContent::Link(_)
        | FileContent::Fifo => return Err(NOT_LAID_OUT),
    };
    if let Some((parent, _)) = path.rsplit_once('/') {
        folders.push(parent.to_owned());
    }
    files.insert(path, text);
    Ok(())
}

/// A folder within another is made together with it.
pub(super) fn innermost(folders: &mut Vec<String>) {
    let all = folders.clone();
    folders.retain(|folder| !all.iter().any(|other| other.starts_with(&format!("{folder}/"))));
    folders.sort();
    folders.dedup();
}
