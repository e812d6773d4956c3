//! The known changes to the arguments of a tool that gets complete calls, and those that depend on its role.
//!
//! The main function is [`known_changes`]. A run makes its probes from them, and a campaign its first calls.

use serde_json::{Value, json};

use crate::argument::{Argument, Arguments};
use crate::catalog::Tool;
use crate::generate::executable::bound_executable_kind;
use crate::generate::{
    Mutation, ToolFiles, asks_for_repository, broken_at_once, mutations, of_role, of_untyped, plain_name,
    unusual,
};
use crate::placeholder::Folders;
use crate::roles::{Binding, Role};
use crate::stock::repository;
use crate::suite::{File, FileContent};
use crate::transcript::Limits;

use super::Known;

/// After this many turns there are two changes that the schema is silent of for each one that it forbids: the forbidden ones
/// are mostly refused in the same words.
const EVEN: usize = 4;

/// Every change of a tool's own parameters, in the order of [`alternating`].
pub(crate) fn known_changes(ground: ChangeGround<'_>, tool: &Tool, tool_files: &ToolFiles) -> Vec<Mutation> {
    let schema = tool.own_document();
    let mut by_schema = mutations(&schema, tool_files);
    by_schema.extend(none_at_all(&schema));
    by_schema.extend(bound(ground, tool, tool_files));
    alternating(by_schema, unusual_of(ground, tool, tool_files))
}

/// No arguments at all, if leaving them out one by one says less.
pub(super) fn none_at_all(schema: &Value) -> Option<Mutation> {
    // If there is only one argument, the single change is the same.
    broken_at_once(schema).into_iter().find(|mutation| mutation.changed().count() > 1)
}

/// Unusual values that the schema says nothing about.
pub(super) fn unusual_of(ground: ChangeGround<'_>, tool: &Tool, tool_files: &ToolFiles) -> Vec<Mutation> {
    let schema = tool.own_document();
    let mut found = of_untyped(tool.untyped(), &schema);
    found.extend(unusual(&schema, tool_files, &|name, schema| {
        bound_executable_kind(tool, ground.bindings, name, schema)
    }));
    // The changes of a role's paths are sent already, with their expectations.
    let bound = bound(ground, tool, tool_files);
    found.retain(|change| {
        let is_alike = |other: &Mutation| {
            other.parameter == change.parameter
                && matches!(
                    (other.id, change.id),
                    ("not-found", "absent") | ("outside", "elsewhere") | ("invalid-pattern", "unparsable")
                )
        };
        !bound.iter().any(is_alike)
    });
    found
}

/// The items of both in turn: one of each at first, and after [`EVEN`] turns two of `other` for each of `one`.
pub(super) fn alternating<T>(one: Vec<T>, other: Vec<T>) -> Vec<T> {
    let (mut one, mut other) = (one.into_iter(), other.into_iter());
    let mut all = Vec::with_capacity(one.len() + other.len());
    for turn in 0.. {
        let several = [one.next(), other.next(), if turn < EVEN { None } else { other.next() }];
        if several.iter().all(Option::is_none) {
            break;
        }
        all.extend(several.into_iter().flatten());
    }
    all
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_schema_is_silent_of_comes_twice_as_often_after_the_first() {
        let all = alternating("abcdefg".chars().collect(), "123456789".chars().collect());
        assert_eq!(all.iter().collect::<String>(), "a1b2c3d4e56f78g9");
        assert_eq!(alternating(vec![1], vec![2, 3, 4, 5, 6, 7]), [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(alternating(vec![1, 2], Vec::new()), [1, 2]);
    }
}
