//! The files that are there before the calls of a reproduction.
//!
//! The main type is [`Layout`].

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::condition::{CaseId, folder_name};
use crate::generate::ToolFiles;
use crate::stock::laid_out;
use crate::suite::{File, FileContent, Suite};

/// Why there is no reproduction of a finding whose files are more than texts.
const NOT_LAID_OUT: &str = "it needs files that a test does not lay out";

/// Folders and files, by paths that begin with `{workspace}`.
#[derive(Debug, Clone, Default)]
pub(super) struct Layout {
    pub(super) folders: Vec<String>,
    pub(super) files: BTreeMap<String, String>,
}

impl Layout {
    /// The folder of a case, and its files that exist before it begins.
    pub(super) fn of_case(case: &CaseId, suite: &Suite) -> Result<Self, &'static str> {
        let folder = format!("{{workspace}}/{}", folder_name(case));
        let mut layout = Self { folders: vec![folder.clone()], ..Self::default() };
        let known = suite.cases.iter().find(|known| known.id == *case);
        for file in known.into_iter().flat_map(|known| &known.script.files) {
            layout.add(file, &folder)?;
        }
        Ok(layout)
    }

    /// Adds the files of the harness that the arguments of a call lead to, in the folder of a tool.
    pub(super) fn add_led_to(&mut self, arguments: &Value) -> Result<(), &'static str> {
        const BEGINS: &str = "{workspace}/";
        let text = arguments.to_string();
        let named = text.match_indices(BEGINS).map(|(at, _)| {
            let rest = &text[at + BEGINS.len()..];
            rest.split(['/', '"', '\\']).next().unwrap_or_default()
        });
        let names: BTreeSet<&str> = named.filter(|name| !name.is_empty()).collect();
        for folder in names.into_iter().map(|name| format!("{BEGINS}{name}")) {
            let text_of = |path: &str| File {
                path: path.to_owned(),
                content: FileContent::Text(ToolFiles::TEXT.to_owned()),
            };
            let within = format!("{}/{}", ToolFiles::FOLDER, ToolFiles::FILE);
            let always = [text_of(ToolFiles::FILE), text_of(&within)];
            let led = laid_out(arguments, &ToolFiles::at(folder.as_str()), &always);
            for file in led.iter().chain(&always) {
                if !self.files.contains_key(&format!("{folder}/{}", file.path)) {
                    self.add(file, &folder)?;
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, file: &File, folder: &str) -> Result<(), &'static str> {
        if file.path.contains('{') || file.path.contains("..") {
            return Err(NOT_LAID_OUT);
        }
        let own = |text: &str| text.replace("{case}", folder);
        let path = format!("{folder}/{}", file.path);
        let text = match &file.content {
            FileContent::Text(text) => own(text),
            FileContent::Lines(lines) => own(&lines.text()),
            FileContent::Directory => {
                self.folders.push(path);
                return Ok(());
            }
            FileContent::BeyondLimit(_)
            | FileContent::Hex(_)
            | FileContent::Git(_)
            | FileContent::Link(_)
            | FileContent::Fifo => return Err(NOT_LAID_OUT),
        };
        if let Some((parent, _)) = path.rsplit_once('/') {
            self.folders.push(parent.to_owned());
        }
        self.files.insert(path, text);
        Ok(())
    }

    /// Leaves out each folder with another one in it, which is made together with that.
    pub(super) fn keep_innermost(&mut self) {
        let all = self.folders.clone();
        self.folders.retain(|folder| !all.iter().any(|other| other.starts_with(&format!("{folder}/"))));
        self.folders.sort();
        self.folders.dedup();
    }
}
