//! The life of a thing that a tool creates or lists: created twice, used after deletion, deleted twice, deleted without ever
//! having been there.
//!
//! The main type is [`PlannedLife`]. Names and parameters show which tools are about the same thing; its id is
//! only known from the server's replies.

use std::cmp::Reverse;

use serde_json::Value;

use crate::catalog::Tool;
use crate::class::Class;
use crate::condition::CaseId;
use crate::generate::{
    are_about_the_same, deletes, is_an_end, items_of, makes, names_one, nearness, plain_name, subject,
    thing_of,
};
use crate::json_schema::{flattened, types};

use super::{Known, ProbeChoice, ProbeScope, sanitized};

/// The group, in ids, of calls about things that exist already or no longer.
const GROUP: &str = "life";
/// At most this many lives are planned.
const MOST: usize = 12;
/// At most this many tools use one created item.
const USES: usize = 4;

/// The calls about one thing.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedLife {
    /// The tool that creates it; none for a thing that a tool lists.
    pub maker: Option<String>,
    /// The case of creating it twice.
    pub twice: Option<CaseId>,
    /// How it is ended, if a tool does that.
    pub end: Option<PlannedEnd>,
}

/// The end of a thing.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedEnd {
    /// The tool that ends it.
    pub tool: String,
    /// The parameters that say which thing is meant.
    pub parameters: Vec<String>,
    /// Whether the thing no longer exists after that.
    pub deletes: bool,
    /// The case of ending it twice.
    pub twice: Option<CaseId>,
    /// The case of ending one that never was.
    pub never_made: Option<CaseId>,
    /// The tools that use it.
    pub uses: Vec<PlannedUse>,
}

/// The use of a thing after its end.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedUse {
    /// The tool's name.
    pub tool: String,
    /// Its parameters that say which thing is meant, in the order of those of the tool that ends it.
    pub parameters: Vec<String>,
    /// The case of using it after its end.
    pub id: CaseId,
}

/// A tool that may be part of a life.
pub(super) struct LifeTool<'t> {
    pub(super) tool: &'t Tool,
    pub(super) class: Class,
    /// The id that names the folder of its files.
    pub(super) folder: CaseId,
}

impl PlannedLife {
    /// The tools called in this life.
    pub(crate) fn tools(&self) -> impl Iterator<Item = &str> {
        let end = self.end.iter().flat_map(|end| {
            std::iter::once(end.tool.as_str()).chain(end.uses.iter().map(|using| using.tool.as_str()))
        });
        self.maker.as_deref().into_iter().chain(end)
    }

    /// The number of cases in this life.
    fn cases(&self) -> usize {
        let of_end = |end: &PlannedEnd| {
            usize::from(end.twice.is_some()) + usize::from(end.never_made.is_some()) + end.uses.len()
        };
        usize::from(self.twice.is_some()) + self.end.as_ref().map_or(0, of_end)
    }
}

/// The lives of the things that these tools create. Only in confinement, because otherwise no tool that deletes
/// gets a successful call.
pub(super) fn lives(known: Known<'_>, choice: &ProbeChoice, tools: &[LifeTool<'_>]) -> Vec<PlannedLife> {
    let ProbeScope::Complete(_) = known.scope else { return Vec::new() };
    if choice.most == 0 {
        return Vec::new();
    }
    let is_wanted = |id: &CaseId| choice.selects(id) && known.scope.wants(id);
    let case = |tool: &LifeTool<'_>, name: &str| {
        Some(CaseId(format!("{}/{GROUP}/{name}", tool.folder.0))).filter(&is_wanted)
    };
    let may_change = |tool: &&LifeTool<'_>| tool.class != Class::Read;
    let makers: Vec<&LifeTool<'_>> =
        tools.iter().filter(may_change).filter(|tool| makes(&tool.tool.name)).collect();
    let mut lives: Vec<PlannedLife> = Vec::new();
    for ending in tools.iter().filter(may_change).filter(|tool| is_an_end(&tool.tool.name)) {
        let parameters = naming(ending.tool);
        if parameters.is_empty() {
            continue;
        }
        let nearest = maker_of(&ending.tool.name, makers.iter().map(|maker| &*maker.tool.name));
        let maker = nearest.map(|at| makers[at]);
        let deletes = deletes(&ending.tool.name) && !parameters.iter().any(|name| is_a_place(name));
        if maker.is_none() && !(deletes && parameters.len() == 1 && is_listed(ending.tool, tools)) {
            continue;
        }
        let mut others: Vec<&LifeTool<'_>> = tools.iter().filter(|_| maker.is_some()).collect();
        let is_maker = |name: &str| maker.is_some_and(|maker| maker.tool.name == name);
        others.retain(|tool| !is_maker(&tool.tool.name) && !is_an_end(&tool.tool.name));
        others.sort_by_key(|tool| tool.class != Class::Read);
        let using = others.into_iter().filter_map(|tool| {
            let of_it = used(tool.tool, &ending.tool.name, &parameters)?;
            let id = case(tool, &format!("after-{}", sanitized(&ending.tool.name)))?;
            Some(PlannedUse { tool: tool.tool.name.clone(), parameters: of_it, id })
        });
        let uses = using.take(USES).collect();
        let name = maker.map(|maker| maker.tool.name.clone());
        let is_first = !lives.iter().any(|life| life.maker == name);
        lives.push(PlannedLife {
            twice: maker.and_then(|maker| case(maker, "made-twice")).filter(|_| is_first),
            maker: name,
            end: Some(PlannedEnd {
                tool: ending.tool.name.clone(),
                deletes,
                parameters,
                twice: case(ending, "ended-twice"),
                never_made: case(ending, "never-made").filter(|_| deletes),
                uses,
            }),
        });
    }
    for maker in makers {
        if !lives.iter().any(|life| life.maker.as_ref() == Some(&maker.tool.name)) {
            lives.push(PlannedLife {
                maker: Some(maker.tool.name.clone()),
                twice: case(maker, "made-twice"),
                end: None,
            });
        }
    }
    lives.retain(|life| life.cases() > 0);
    lives.truncate(MOST);
    lives
}

/// Whether a tool without parameters tells what there is of the things that this one ends.
fn is_listed(ending: &Tool, tools: &[LifeTool<'_>]) -> bool {
    let lists = |tool: &LifeTool<'_>| {
        tool.class == Class::Read
            && tool.tool.parameters().next().is_none()
            && are_about_the_same(&ending.name, &tool.tool.name)
    };
    tools.iter().any(lists)
}

/// Which of the creating tools creates what this tool is about, as its position; `None` if none does.
pub(crate) fn maker_of<'n>(tool: &str, makers: impl Iterator<Item = &'n str>) -> Option<usize> {
    let about = subject(tool);
    let near = |maker: &str| nearness(&subject(maker), |word| about.iter().any(|own| own == word));
    let nearest = makers.enumerate().filter_map(|(at, maker)| Some((near(maker)?, Reverse(at))));
    nearest.max().map(|(_, Reverse(at))| at)
}

/// The parameters by which an ending tool knows which thing is meant. `None` if a required one is neither a
/// text nor a number.
fn naming(tool: &Tool) -> Vec<String> {
    let names = may_name(tool);
    let is_all = names.len() == tool.required().count().max(1);
    if is_all { names } else { Vec::new() }
}

/// The parameters that may name the thing: the required texts and numbers and lists of them, or the only parameter.
pub(crate) fn may_name(tool: &Tool) -> Vec<String> {
    let mut names: Vec<&str> = tool.required().collect();
    if names.is_empty() && tool.parameters().count() == 1 {
        names = tool.parameters().map(|(name, _)| name).collect();
    }
    let document = tool.own_document();
    let is_plain = |name: &&str| {
        let schema = document.pointer("/properties").and_then(|all| all.get(*name));
        let schema = flattened(schema.unwrap_or(&Value::Null), &document);
        let is_plain = |kind| ["string", "integer", "number", "null"].contains(&kind);
        types(&schema).into_iter().all(is_plain) || items_of(&schema).is_some()
    };
    names.into_iter().filter(is_plain).map(str::to_owned).collect()
}

/// Whether a parameter is a position: after a deletion another thing has the same position.
fn is_a_place(parameter: &str) -> bool {
    const PLACES: [&str; 9] =
        ["index", "position", "row", "column", "line", "page", "slide", "offset", "number"];
    let plain = plain_name(parameter);
    PLACES.iter().any(|place| plain.ends_with(place))
}

/// The parameters of a tool that correspond to these of the ending tool; `None` if one has no counterpart.
fn used(tool: &Tool, ending: &str, parameters: &[String]) -> Option<Vec<String>> {
    let same = |wanted: &String| {
        let found = tool.parameters().map(|(name, _)| name);
        found.into_iter().find(|name| plain_name(name) == plain_name(wanted)).map(str::to_owned)
    };
    // Many things have an `id`: the names of the tools show whose it is.
    let is_any = parameters.iter().all(|name| thing_of(&plain_name(name)).is_empty());
    let is_about_it = are_about_the_same(&tool.name, ending);
    if let Some(same) = parameters.iter().map(same).collect() {
        return Some(same).filter(|_| !is_any || is_about_it);
    }
    // One tool may call it `id`, another `note_id`.
    let [only] = parameters else { return None };
    let mut naming = tool.required().filter(|name| names_one(&plain_name(name)));
    let is_meant = names_one(&plain_name(only)) && is_about_it;
    match (naming.next(), naming.next()) {
        (Some(name), None) if is_meant => Some(vec![name.to_owned()]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use globset::Glob;
    use serde_json::json;

    use super::super::SettledCases;
    use super::super::tests::plan_in;
    use super::*;

    fn planned(scope: ProbeScope<'_>, filter: Option<&str>) -> Vec<PlannedLife> {
        let tool = |name: &str, properties: Value, required: &[&str]| json!({"name": name, "inputSchema": {"type": "object", "properties": properties, "required": required}});
        let (text, number) = (json!({"type": "string"}), json!({"type": "integer"}));
        let tools = json!([
            tool("create_note", json!({"title": text, "body": text}), &["title"]),
            tool("get_note", json!({"note_id": number}), &["note_id"]),
            tool("rename_note", json!({"id": number, "title": text}), &["id", "title"]),
            tool("list_notes", json!({"limit": number}), &[]),
            tool("delete_note", json!({"note_id": number}), &["note_id"]),
            tool("add_user", json!({"email": text}), &["email"]),
            tool("get_user", json!({"id": number}), &["id"]),
            tool("drop_user", json!({"id": number}), &["id"]),
            tool("add_row", json!({"file": text}), &["file"]),
            tool("delete_row", json!({"file": text, "row_index": number}), &["file", "row_index"]),
            tool("list_tags", json!({}), &[]),
            tool("delete_tag", json!({"tag": text}), &["tag"]),
            tool("remove_badge", json!({"badge": text}), &["badge"]),
            tool("delete_all", json!({"names": {"type": "array", "items": text}}), &["names"]),
        ]);
        let filter = filter.map(|glob| Glob::new(glob).unwrap().compile_matcher());
        let choice = ProbeChoice { filter, ..ProbeChoice::default() };
        plan_in(&tools, &choice, &BTreeMap::new(), scope).lives
    }

    #[test]
    fn tools_about_one_thing_are_found_by_their_names_and_parameters() {
        let nothing = SettledCases::default();
        let lives = planned(ProbeScope::Complete(&nothing), None);
        let id = |id: &str| CaseId(id.to_owned());
        let [note, user, row, tag] = &lives[..] else { panic!("{lives:?}") };
        let last = row.end.as_ref().unwrap();
        assert!(
            last.tool == "delete_row" && !last.deletes && last.never_made.is_none(),
            "what is told by its place is not: {row:?}"
        );
        let last = tag.end.as_ref().unwrap();
        assert_eq!((&tag.maker, &*last.tool), (&None, "delete_tag"), "nothing makes or lists badges");
        let end = note.end.as_ref().unwrap();
        assert_eq!(
            (note.maker.as_deref(), note.twice.clone()),
            (Some("create_note"), Some(id("probe/create_note/life/made-twice")))
        );
        assert_eq!(
            (&*end.tool, &end.parameters[..], end.deletes),
            ("delete_note", &["note_id".to_owned()][..], true)
        );
        assert_eq!(end.twice, Some(id("probe/delete_note/life/ended-twice")));
        assert_eq!(end.never_made, Some(id("probe/delete_note/life/never-made")));
        let uses: Vec<(&str, &str)> =
            end.uses.iter().map(|using| (&*using.tool, &*using.parameters[0])).collect();
        assert_eq!(uses, [("get_note", "note_id"), ("rename_note", "id")]);
        assert_eq!(end.uses[0].id, id("probe/get_note/life/after-delete_note"));
        let end = user.end.as_ref().unwrap();
        let uses: Vec<&str> = end.uses.iter().map(|using| &*using.tool).collect();
        assert_eq!(
            (user.maker.as_deref(), &*end.tool, &uses[..]),
            (Some("add_user"), "drop_user", &["get_user"][..])
        );
    }

    #[test]
    fn without_confinement_nothing_is_ended_and_only_requested_calls_are_sent() {
        for scope in [ProbeScope::ByClass, ProbeScope::ReadAlone] {
            assert_eq!(planned(scope, None), []);
        }
        let nothing = SettledCases::default();
        let lives = planned(ProbeScope::Complete(&nothing), Some("probe/get_note/**"));
        let [note] = &lives[..] else { panic!("{lives:?}") };
        let end = note.end.as_ref().unwrap();
        assert!(note.twice.is_none() && end.twice.is_none() && end.uses.len() == 1, "{note:?}");
        let settled = SettledCases { probes: [end.uses[0].id.clone()].into(), ..SettledCases::default() };
        assert_eq!(planned(ProbeScope::Complete(&settled), Some("probe/get_note/**")), []);
    }
}
