//! Tools that take lists of edits, for one file or several.
//!
//! The main function is [`candidate`]. Such a tool is recognised by its name and its schema: an array of
//! objects with an old and a new text, within an object that has a path, or beside a path.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::catalog::Tool;
use crate::json_schema::{chosen, first_type, required};

use super::fill::fill;
use super::fit::by_name;
use super::reason::{BY_HAND, demanded, unfilled, unplaced, within};
use super::slot::{plain, slots};
use super::vocabulary::{pairs, parameter};
use super::{Binding, Role};

/// How well a tool fits one of these roles; `None` if it does not.
pub(super) fn candidate(role: Role, tool: &Tool) -> Option<(i32, Binding)> {
    let fit = by_name(Role::Replace, tool, &slots(tool))?;
    let binding = binding(role, tool, places(role, tool)?, &fit.why).ok()?;
    let score = fit.score - 5 * i32::try_from(binding.fixed.len()).unwrap_or(i32::MAX);
    Some((score, binding))
}

/// The tool that the configuration names; the places given there take precedence over those found in the
/// schema.
pub(super) fn by_hand(role: Role, tool: &Tool, said: &BTreeMap<String, String>) -> Result<Binding, String> {
    let mut parameters = places(role, tool).unwrap_or_default();
    parameters.extend(said.clone());
    if let Some(missing) = role.required().iter().find(|name| !parameters.contains_key(**name)) {
        return Err(unplaced(tool, missing));
    }
    let known = |path: &str| tool.parameters().any(|(name, _)| path.split(['[', '.']).next() == Some(name));
    if let Some(path) = parameters.values().find(|path| !known(path)) {
        return Err(format!("`{}` has no parameter `{path}`", tool.name));
    }
    binding(role, tool, parameters, BY_HAND)
}

fn binding(
    role: Role,
    tool: &Tool,
    parameters: BTreeMap<String, String>,
    why: &str,
) -> Result<Binding, String> {
    let mut fixed = Map::new();
    let outer = parameters.values().filter(|path| !path.contains("[]"));
    let filled: Vec<_> = outer.map(|path| (None, path.as_str())).collect();
    fill(tool, &filled, &mut fixed).ok_or_else(|| unfilled(tool))?;
    let place = |name: &str| parameters.get(name).map_or("", String::as_str);
    let pair = format!("{why}; `{}` and `{}` are old and new texts", place("old"), place("new"));
    Ok(Binding {
        wrapper: tool.wrapper().map(str::to_owned),
        why: [pair, within(tool), demanded(&fixed, 0)].concat(),
        fixed,
        ..Binding::of(role, &tool.name, parameters)
    })
}

/// The places of such a role's parameters, if the schema has one for each that is required.
fn places(role: Role, tool: &Tool) -> Option<BTreeMap<String, String>> {
    let object = Object { schema: tool.own_schema(), root: &tool.input_schema, at: "" };
    let mut places = match role {
        Role::MultiEdit => one_file(role, &object)?,
        _ => parameter(role, "files").iter().find_map(|name| {
            let (files, item) = object.list(name)?;
            let within = format!("{files}[].");
            let mut found = one_file(role, &Object { at: &within, ..item })?;
            found.insert("files".to_owned(), files);
            Some(found)
        })?,
    };
    for name in ["dry-run", "backup"] {
        let flag = parameter(role, name).iter().find_map(|known| object.member(known, "boolean"));
        places.extend(flag.map(|path| (name.to_owned(), path)));
    }
    Some(places)
}

/// A path, and a list of edits beside it.
fn one_file(role: Role, object: &Object<'_>) -> Option<BTreeMap<String, String>> {
    let path = parameter(role, "path").iter().find_map(|known| object.member(known, "string"))?;
    let mut parameters = BTreeMap::from([("path".to_owned(), path)]);
    for name in parameter(role, "edits") {
        let Some((edits, item)) = object.list(name) else { continue };
        let within = format!("{edits}[].");
        let item = Object { at: &within, ..item };
        let pair = pairs()
            .iter()
            .find_map(|(old, new)| Some((item.member(old, "string")?, item.member(new, "string")?)));
        let Some((old, new)) = pair else { continue };
        let all = parameter(role, "all").iter().find_map(|known| item.member(known, "boolean"));
        // An edit must not require anything else, because its meaning would be unknown.
        let known = [Some(&old), Some(&new), all.as_ref()];
        let is_known = |demanded: &str| known.iter().flatten().any(|path| path.ends_with(demanded));
        if !item.required().all(is_known) {
            continue;
        }
        parameters.extend(all.map(|all| ("all".to_owned(), all)));
        parameters.extend([("old".to_owned(), old), ("new".to_owned(), new), ("edits".to_owned(), edits)]);
        return Some(parameters);
    }
    None
}

/// The schema of an object, and the path to its members in a binding.
struct Object<'t> {
    schema: &'t Value,
    root: &'t Value,
    at: &'t str,
}

impl<'t> Object<'t> {
    fn members(&self) -> impl Iterator<Item = (&'t String, &'t Value)> {
        let properties = self.schema.get("properties").and_then(Value::as_object);
        let root = self.root;
        properties.into_iter().flatten().map(move |(name, schema)| (name, chosen(schema, root)))
    }

    /// The path of the member known by this vocabulary entry, if its type is `kind` or not given.
    fn member(&self, known: &str, kind: &str) -> Option<String> {
        let fits = |schema: &Value| first_type(schema).is_none_or(|found| found == kind);
        let mut members = self.members();
        let (name, _) = members.find(|(name, schema)| plain(name) == known && fits(schema))?;
        Some(format!("{}{name}", self.at))
    }

    /// The path of the list of objects known by this vocabulary entry, and the schema of its items.
    fn list(&self, known: &str) -> Option<(String, Object<'t>)> {
        let is_list = |schema: &Value| first_type(schema) == Some("array");
        let mut members = self.members();
        let (name, schema) = members.find(|(name, schema)| plain(name) == known && is_list(schema))?;
        let item = chosen(schema.get("items")?, self.root);
        Some((format!("{}{name}", self.at), Object { schema: item, root: self.root, at: "" }))
    }

    fn required(&self) -> impl Iterator<Item = &'t str> {
        required(self.schema)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::argument::{Argument, Arguments};
    use crate::catalog::Catalog;
    use crate::roles::bind;

    fn catalog(tools: &Value) -> Catalog {
        let mut catalog = Catalog::default();
        catalog.add_page(&json!({ "tools": tools }));
        catalog
    }

    fn edits() -> Value {
        let text = || json!({"type": "string"});
        json!({"type": "array", "items": {"type": "object", "required": ["old_string", "new_string"],
            "properties": {"old_string": text(), "new_string": text(), "replace_all": {"type": "boolean"}}}})
    }

    fn editors() -> Catalog {
        let file = json!({"type": "object", "properties": {"file_path": {"type": "string"}, "edits": edits()}, "required": ["file_path", "edits"]});
        let object = |properties: Value| json!({"type": "object", "properties": properties});
        catalog(&json!([
            {"name": "multi_edit_files", "inputSchema": object(json!({"files": {"type": "array", "items": file}, "dry_run": {"type": "boolean"}}))},
            {"name": "multi_edit", "inputSchema": object(json!({"file_path": {"type": "string"}, "edits": edits(), "backup": {"type": "boolean"}}))},
        ]))
    }

    fn bound(role: Role, catalog: &Catalog) -> Option<Binding> {
        bind(catalog).into_iter().find(|binding| binding.role == role)
    }

    fn composed(role: Role, arguments: &[(&str, Value)]) -> Value {
        let given = arguments.iter().map(|(name, value)| ((*name).to_owned(), Argument::Json(value.clone())));
        let binding = bound(role, &editors()).unwrap();
        let composed = binding.compose(&Arguments(given.collect()), None).unwrap();
        assert_eq!(composed.text, composed.arguments.to_string());
        composed.arguments
    }

    #[test]
    fn a_list_of_edits_is_composed_in_the_tools_own_names() {
        let edits = json!([{"old": "a", "new": "b"}, {"old": "c", "new": "d", "all": true}]);
        let sent =
            composed(Role::MultiEdit, &[("path", json!("/f")), ("edits", edits), ("backup", json!(true))]);
        let edits = json!([{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d", "replace_all": true}]);
        assert_eq!(sent, json!({"file_path": "/f", "edits": edits, "backup": true}));
    }

    #[test]
    fn a_list_of_files_is_composed_down_to_the_texts() {
        let files = json!([{"path": "/f", "edits": [{"old": "a", "new": "b"}]}, {"path": "/g", "edits": []}]);
        let sent = composed(Role::MultiEditFiles, &[("files", files), ("dry-run", json!(false))]);
        let files = json!([
            {"file_path": "/f", "edits": [{"old_string": "a", "new_string": "b"}]}, {"file_path": "/g", "edits": []}
        ]);
        assert_eq!(sent, json!({"files": files, "dry_run": false}));
    }

    #[test]
    fn what_is_no_list_and_what_has_no_place_is_told_or_left_as_it_is() {
        let binding = bound(Role::MultiEdit, &editors()).unwrap();
        let compose =
            |value: Value| binding.compose(&Arguments(vec![("edits".into(), Argument::Json(value))]), None);
        assert_eq!(compose(json!("none")).unwrap().arguments, json!({"edits": "none"}));
        assert_eq!(compose(json!([7])).unwrap().arguments, json!({"edits": [7]}));
        assert_eq!(compose(json!([{"path": "x"}])).unwrap_err().parameter, "path");
    }

    #[test]
    fn an_editor_with_one_old_text_plays_neither_role_and_one_with_a_list_both() {
        let text = || json!({"type": "string"});
        let single = catalog(&json!([{"name": "str_replace", "inputSchema": {"type": "object",
            "properties": {"path": text(), "old_str": text(), "new_str": text()}}}]));
        assert!(bound(Role::MultiEdit, &single).is_none() && bound(Role::MultiEditFiles, &single).is_none());
        let item = json!({"type": "object", "properties": {"oldText": text(), "newText": text()}});
        let both = catalog(&json!([{"name": "edit_file", "inputSchema": {"type": "object",
            "properties": {"path": text(), "edits": {"type": "array", "items": item}, "dryRun": {"type": "boolean"}}}}]));
        let replace = bound(Role::Replace, &both).unwrap();
        assert_eq!(replace.parameters.get("old").map(String::as_str), Some("edits[].oldText"));
        let multi = bound(Role::MultiEdit, &both).unwrap();
        assert_eq!(multi.parameters.get("new").map(String::as_str), Some("edits[].newText"));
        assert_eq!(multi.parameters.get("dry-run").map(String::as_str), Some("dryRun"));
        assert!(bound(Role::MultiEditFiles, &both).is_none());
    }

    #[test]
    fn the_author_may_name_what_no_table_of_words_has() {
        let text = || json!({"type": "string"});
        let item = json!({"type": "object", "properties": {"from": text(), "into": text()}});
        let catalog = catalog(&json!([{"name": "rework", "inputSchema": {"type": "object",
            "properties": {"path": text(), "steps": {"type": "array", "items": item}}}}]));
        let named = |places: &[(&str, &str)]| {
            let said = places.iter().map(|(name, path)| ((*name).to_owned(), (*path).to_owned())).collect();
            by_hand(Role::MultiEdit, &catalog.tools[0], &said)
        };
        let places = [("path", "path"), ("edits", "steps"), ("old", "steps[].from"), ("new", "steps[].into")];
        let binding = named(&places).unwrap();
        let edits = Argument::Json(json!([{"old": "a", "new": "b"}]));
        let composed = binding.compose(&Arguments(vec![("edits".into(), edits)]), None).unwrap();
        assert_eq!(composed.arguments, json!({"steps": [{"from": "a", "into": "b"}]}));
        assert_eq!(
            named(&places[..3]).unwrap_err(),
            "it is not known which parameter of `rework` is the role's `new`: set `new = \"...\"`"
        );
        let other = [&places[..3], &[("new", "stops[].into")]].concat();
        assert_eq!(named(&other).unwrap_err(), "`rework` has no parameter `stops[].into`");
    }

    #[test]
    fn an_edit_that_demands_something_else_is_not_made() {
        let text = || json!({"type": "string"});
        let item = json!({"type": "object", "required": ["line"], "properties": {"old": text(), "new": text(), "line": text()}});
        let catalog = catalog(&json!([{"name": "edit_file", "inputSchema": {"type": "object",
            "properties": {"path": text(), "edits": {"type": "array", "items": item}}}}]));
        assert!(bound(Role::MultiEdit, &catalog).is_none());
    }
}
