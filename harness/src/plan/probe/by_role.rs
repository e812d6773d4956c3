//! Changes that depend on the role of a tool.

use serde_json::{Value, json};

use crate::argument::{Argument, Arguments};
use crate::catalog::Tool;
use crate::generate::{Mutation, ToolFiles, asks_for_repository, of_role, plain_name};
use crate::placeholder::Folders;
use crate::roles::{Binding, Role};
use crate::stock::repository;
use crate::suite::{File, FileContent};
use crate::transcript::Limits;

use super::Known;

/// The path, at the HTTP service behind the server, that probes request; there is a page.
pub(crate) const PROBED_PAGE: &str = "/probed/page";

/// What is known about a server that changes depend on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChangeGround<'a> {
    /// Which tools play roles.
    pub(crate) bindings: &'a [Binding],
    /// Its limits.
    pub(crate) limits: &'a Limits,
    /// The folders of the harness.
    pub(crate) folders: &'a Folders,
}

impl<'a> From<Known<'a>> for ChangeGround<'a> {
    fn from(Known { bindings, limits, folders, .. }: Known<'a>) -> Self {
        Self { bindings, limits, folders }
    }
}

/// The changes of a role's paths and patterns, besides those from the schema.
pub(super) fn bound(ground: ChangeGround<'_>, tool: &Tool, tool_files: &ToolFiles) -> Vec<Mutation> {
    let mut found = Vec::new();
    let plays =
        |role| ground.bindings.iter().find(|binding| binding.role == role && binding.tool == tool.name);
    for role in [Role::Read, Role::Grep, Role::Glob] {
        let Some(binding) = plays(role) else { continue };
        let slot = |name: &str| binding.parameters.get(name).filter(|slot| !slot.contains("[]"));
        let outside = match role {
            Role::Read => format!("{}/canary.txt", ground.folders.outside),
            _ => ground.folders.outside.clone(),
        };
        let of_pattern = if role == Role::Glob { "role-glob" } else { "role-regex" };
        for (sort, name, is_sent) in [
            ("role-path", "path", true),
            ("role-root", "path", ground.limits.root),
            (of_pattern, "pattern", role != Role::Read),
        ] {
            let slot = slot(name).filter(|_| is_sent);
            found.extend(slot.into_iter().flat_map(|slot| of_role(sort, slot, tool_files, &outside)));
        }
    }
    found
}

/// The arguments of a role's call on files that the harness made.
pub(super) fn by_role(binding: &Binding, tool_files: &ToolFiles, folders: &Folders) -> Option<Value> {
    let file = || json!(tool_files.file());
    let arguments: Vec<(&str, Value)> = match binding.role {
        Role::Shell => vec![("command", json!("true"))],
        Role::Read => vec![("path", file())],
        Role::Blame | Role::History => {
            vec![("path", json!(format!("{}/{}", tool_files.repository(), ToolFiles::FILE)))]
        }
        Role::Write => {
            vec![("path", json!(format!("{}/new.txt", tool_files.sub()))), ("content", json!("alpha\n"))]
        }
        Role::Replace => vec![("path", file()), ("old", json!("beta")), ("new", json!("delta"))],
        Role::MultiEdit => vec![("path", file()), ("edits", json!([{"old": "beta", "new": "delta"}]))],
        Role::MultiEditFiles => {
            let edits = json!([{"old": "beta", "new": "delta"}]);
            vec![("files", json!([{"path": tool_files.file(), "edits": edits}]))]
        }
        Role::Grep | Role::Glob => {
            let pattern = if binding.role == Role::Grep { "alpha" } else { "*" };
            let path = binding.parameters.contains_key("path").then(|| ("path", json!(tool_files.sub())));
            [("pattern", json!(pattern))].into_iter().chain(path).collect()
        }
        Role::Http if !folders.upstream.is_empty() => {
            vec![("url", json!(format!("{}{PROBED_PAGE}", folders.upstream)))]
        }
        Role::Reserve | Role::Release => {
            vec![("agent", json!("agent-alpha")), ("pattern", json!(format!("{}/**", tool_files.sub())))]
        }
        Role::TaskOutput | Role::Http | Role::Absent => return None,
    };
    let arguments = arguments.into_iter().map(|(name, value)| (name.to_owned(), Argument::Json(value)));
    let composed = binding.compose(&Arguments(arguments.collect()), None).ok()?;
    Some(composed.arguments)
}

/// The files of a tool's probes; with a git history for a tool that uses git.
pub(super) fn files(binding: Option<&Binding>, tool: &Tool) -> Vec<File> {
    let text = |path: String| File { path, content: FileContent::Text(ToolFiles::TEXT.to_owned()) };
    let mut files = vec![text(ToolFiles::FILE.to_owned()), text(format!("{}/inner.txt", ToolFiles::FOLDER))];
    let has_history = binding.is_some_and(|binding| matches!(binding.role, Role::Blame | Role::History));
    let mut names = tool.parameters().map(|(name, _)| name);
    if has_history || names.any(|name| asks_for_repository(&plain_name(name))) {
        files.extend(repository());
    }
    files
}
