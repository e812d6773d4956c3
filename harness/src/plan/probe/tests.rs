//! Tests which probes are planned for a tool, when each is due, and what is withheld.

use serde_json::json;

use super::*;
use crate::argument::{Argument, Arguments};
use crate::class::Class;
use crate::contract;
use crate::roles::bind;
use crate::suite::filter;

fn plan_of(tools: &Value, choice: &ProbeChoice) -> ProbePlan {
    plan_by(tools, choice, &BTreeMap::new())
}

fn plan_by(tools: &Value, choice: &ProbeChoice, settings: &BTreeMap<String, ToolSetting>) -> ProbePlan {
    plan_in(tools, choice, settings, ProbeScope::ByClass)
}

/// The plan for these tools of a server.
pub(super) fn plan_in(
    tools: &Value,
    choice: &ProbeChoice,
    settings: &BTreeMap<String, ToolSetting>,
    scope: ProbeScope<'_>,
) -> ProbePlan {
    let mut catalog = Catalog::default();
    catalog.add_page(&json!({ "tools": tools }));
    let bindings = bind(&catalog);
    let contract = contract::load_builtin("bracket-code").unwrap().unwrap();
    let limits = Limits { root: true, ..Limits::default() };
    let folders = Folders {
        workspace: "/w".into(),
        outside: "/o".into(),
        canary: "canary".into(),
        ..Folders::default()
    };
    let known = Known {
        catalog: &catalog,
        bindings: &bindings,
        limits: &limits,
        folders: &folders,
        contract: &contract,
        settings,
        scope,
    };
    let plan = probes(known, choice);
    assert_eq!(plan, probes(known, choice), "the same tools give the same plan");
    plan
}

fn tool(name: &str) -> Value {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer", "minimum": 1}}, "required": ["a"]});
    json!({ "name": name, "inputSchema": schema })
}

#[test]
fn what_the_user_says_of_a_tool_decides() {
    let tools = json!([tool("send_a"), tool("send_b"), tool("send_c")]);
    let valid = Arguments(vec![("a".into(), Argument::Json(json!("{workspace}/x")))]);
    let settings = BTreeMap::from([
        ("send_a".to_owned(), ToolSetting { skip: true, ..ToolSetting::default() }),
        ("send_b".to_owned(), ToolSetting { class: Some(Class::Read), ..ToolSetting::default() }),
        ("send_c".to_owned(), ToolSetting { valid: Some(valid), ..ToolSetting::default() }),
    ]);
    let plan = plan_by(&tools, &ProbeChoice::default(), &settings);
    let classes: Vec<_> = plan.tools.iter().map(|tool| (tool.name.as_str(), tool.class)).collect();
    assert_eq!(classes, [("send_b", Class::Read), ("send_c", Class::Effect)]);
    assert_eq!(plan.tools[1].tries, [json!({"a": "/w/x"})]);
}

#[test]
fn a_call_that_a_run_found_changes_no_probe_of_the_next() {
    let schema = json!({"type": "object", "properties": {"file": {"type": "string"}}, "required": ["file"]});
    let tools = json!([{"name": "read_note", "inputSchema": schema}]);
    let nothing = SettledCases::default();
    let choice = ProbeChoice { most: 100, ..ProbeChoice::default() };
    let before = plan_in(&tools, &choice, &BTreeMap::new(), ProbeScope::Complete(&nothing));
    let found = Arguments(vec![("file".into(), Argument::Json(json!("probe-read-note/notes.txt")))]);
    let setting = ToolSetting { valid: Some(found), ..ToolSetting::default() };
    let settings = BTreeMap::from([("read_note".to_owned(), setting)]);
    let after = plan_in(&tools, &choice, &settings, ProbeScope::Complete(&nothing));
    assert_eq!(after.tools[0].tries[0], json!({"file": "probe-read-note/notes.txt"}));
    assert!(ids(&before).contains(&"probe/read_note/file/folder"), "{:?}", ids(&before));
    assert_eq!(ids(&after), ids(&before));
}

fn ids(plan: &ProbePlan) -> Vec<&str> {
    plan.tools.iter().flat_map(|tool| &tool.probes).map(|probe| probe.id.0.as_str()).collect()
}

#[test]
fn a_tool_that_may_change_something_gets_nothing_before_the_confined_session() {
    for name in ["create_thing", "send_thing", "thing"] {
        let none = BTreeMap::new();
        let tools = json!([tool(name), tool("get")]);
        let plan = plan_in(&tools, &ProbeChoice::default(), &none, ProbeScope::ReadAlone);
        assert!(plan.tools.iter().all(|tool| tool.name == "get"), "{name}: {:?}", ids(&plan));
        assert!(!ids(&plan).is_empty(), "what reads is tried");
        let left: Vec<&str> = plan.withheld.iter().map(|left| left.tool.as_str()).collect();
        assert_eq!(left, [name], "and it is told");
    }
}

#[test]
fn the_class_decides_which_calls_are_sent_and_the_rest_is_reported() {
    let check = |name: &str, sent: &[&str], withheld: usize| {
        let plan = plan_of(&json!([tool(name)]), &ProbeChoice::default());
        assert_eq!(ids(&plan), sent, "{name}");
        assert_eq!(plan.withheld.iter().map(|tool| tool.probes).sum::<usize>(), withheld, "{name}");
        let complete = plan.tools.iter().any(|tool| !tool.tries.is_empty());
        assert_eq!(complete, name == "get", "{name}: a complete call goes to class read alone");
    };
    let at_once = |name: &str, kinds: &[&str]| -> Vec<String> {
        kinds.iter().map(|kind| format!("probe/{name}/arguments/{kind}")).collect()
    };
    check(
        "get",
        &[
            "probe/get/a/missing",
            "probe/get/a/wrong-type",
            "probe/get/b/wrong-type",
            "probe/get/a/empty",
            "probe/get/b/below-range",
            "probe/get/a/null",
            "probe/get/b/as-text",
        ],
        0,
    );
    for (name, kinds, withheld) in [
        ("frobnicate", &["missing", "wrong-type", "null"][..], 4),
        ("update_it", &["missing", "wrong-type", "null"][..], 4),
        ("delete_it", &["missing", "wrong-type"][..], 5),
    ] {
        let sent = at_once(name, kinds);
        check(name, &sent.iter().map(String::as_str).collect::<Vec<_>>(), withheld);
    }
    let harmful = json!([{ "name": "delete_all", "inputSchema": {"properties": {"a": {"type": "string"}}} }]);
    let plan = plan_of(&harmful, &ProbeChoice::default());
    assert_eq!((ids(&plan).len(), plan.withheld.len()), (0, 1));
}

#[test]
fn the_bound_is_spread_over_the_tools_and_what_is_left_is_reported() {
    let choice = ProbeChoice { most: 4, ..ProbeChoice::default() };
    let plan = plan_of(&json!([tool("get_x"), tool("get_y"), tool("get_z")]), &choice);
    let sent: Vec<usize> = plan.tools.iter().map(|tool| tool.probes.len()).collect();
    assert_eq!(sent, [2, 1, 1]);
    assert_eq!(plan.withheld.iter().map(|tool| tool.probes).sum::<usize>(), 17);
    assert!(plan.withheld.iter().all(|tool| tool.why.contains("--max-probes")));
}

#[test]
fn seventy_tools_are_all_tried_with_the_defaults_and_none_is_cut_for_a_larger_one() {
    let wide: serde_json::Map<String, Value> =
        (0..40).map(|index| (format!("p{index}"), json!({"type": "integer", "minimum": 1}))).collect();
    let required: Vec<&String> = wide.keys().collect();
    let tools: Vec<Value> = (0..70)
        .map(|index| match index {
            0 => json!({"name": "get_all", "inputSchema": {"type": "object", "properties": wide, "required": required}}),
            _ => tool(&format!("get_{index}")),
        })
        .collect();
    let plan = plan_of(&json!(tools), &ProbeChoice::default());
    let sent: Vec<usize> = plan.tools.iter().map(|tool| tool.probes.len()).collect();
    assert_eq!(sent.len(), 70);
    assert!(sent.iter().all(|count| *count > 0), "{sent:?}");
    assert!(sent.iter().sum::<usize>() <= ProbeChoice::USUAL);
    // Tools that got fewer had fewer probes, not fewer turns.
    let most = sent.iter().max().expect("there are tools");
    for left in &plan.withheld {
        let own = plan.tools.iter().find(|tool| tool.name == left.tool).map_or(0, |tool| tool.probes.len());
        assert!(own + 1 >= *most, "{}: {own} of {most}", left.tool);
    }
}

#[test]
fn ids_are_unique_whatever_tools_are_called() {
    let long = "x".repeat(10_000);
    let names = ["get/x", "get x", "get\u{1b}x", "", "\u{202e}", "get-x", long.as_str()];
    let tools: Vec<Value> = names
        .iter()
        .map(|name| {
            let mut tool = tool(name);
            tool["annotations"] = json!({"readOnlyHint": true});
            tool
        })
        .collect();
    let plan = plan_of(&json!(tools), &ProbeChoice::default());
    let all = ids(&plan);
    let unique: HashSet<&str> = all.iter().copied().collect();
    assert_eq!((unique.len(), all.len()), (7 * 7, 7 * 7));
    let plain = |id: &&str| id.len() < 200 && id.chars().all(|letter| letter.is_ascii_graphic());
    assert!(all.iter().all(plain) && all.iter().all(|id| id.split('/').count() == 4));
}

#[test]
fn a_filter_selects_probes_by_their_ids() {
    let choice =
        ProbeChoice { filter: Some(filter("probe/get/*/missing").unwrap()), ..ProbeChoice::default() };
    assert_eq!(ids(&plan_of(&json!([tool("get"), tool("list")]), &choice)), ["probe/get/a/missing"]);
}

#[test]
fn a_schema_that_cannot_be_compiled_blames_nobody() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"$ref": "file:///etc/passwd"}}, "required": ["a"]});
    let plan = plan_of(&json!([{"name": "get", "inputSchema": schema}]), &ProbeChoice::default());
    let expected: Vec<_> = plan.tools[0].probes.iter().map(|probe| &probe.expected).collect();
    assert!(!expected.is_empty() && expected.iter().all(|expected| **expected == Expected::Anything));
}

#[test]
fn what_a_schema_allows_is_not_held_against_a_server() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "not": {"required": ["b"]}});
    let plan = plan_of(&json!([{"name": "get", "inputSchema": schema}]), &ProbeChoice::default());
    let empty = plan.tools[0].probes.iter().find(|probe| probe.change.id == "empty").unwrap();
    assert_eq!(empty.expected, Expected::Anything);
    let missing = &plan.tools[0].probes[0];
    assert!(
        matches!(&missing.expected, Expected::Failure(failure) if failure.authority == Authority::Schema)
    );
}

#[test]
fn the_paths_and_patterns_of_a_bound_tool_are_tried_too() {
    let grep = json!({"name": "grep", "description": "Searches the content of files", "inputSchema": {"type": "object",
        "properties": {"pattern": {"type": "string"}, "path": {"type": "string"}}, "required": ["pattern"]}});
    let plan = plan_of(&json!([grep]), &ProbeChoice::default());
    for part in ["path/not-found", "path/outside", "pattern/invalid-pattern"] {
        assert!(ids(&plan).contains(&format!("probe/grep/{part}").as_str()), "{part}");
    }
    assert_eq!(plan.tools[0].tries[0], json!({"pattern": "alpha", "path": "/w/probe-grep/sub"}));
}

#[test]
fn the_objects_that_descriptions_show_are_tried_where_a_schema_tells_no_members() {
    let tool = |of_tool: &str, of_parameter: &str| {
        let steps = json!({"type": "array", "items": {"type": "object"}, "description": of_parameter});
        json!({"name": "preview_steps", "description": of_tool, "annotations": {"readOnlyHint": true},
            "inputSchema": {"type": "object", "properties": {"steps": steps}, "required": ["steps"]}})
    };
    let shown = r#"Takes ``{"op": "add", "inputs": {"value": 3}}`` or ``{"op": "run", "command": "ls"}``."#;
    let add = json!({"steps": [{"op": "add", "inputs": {"value": 3}}]});
    for tool in [tool(shown, ""), tool("", shown)] {
        let plan = plan_of(&json!([tool]), &ProbeChoice::default());
        let tries = &plan.tools[0].tries;
        assert!(tries.contains(&add), "{tries:?}");
        assert!(!tries.iter().any(|call| call.to_string().contains("command")), "{tries:?}");
    }
}

#[test]
fn two_thousand_tools_of_twenty_parameters_are_planned() {
    let properties: serde_json::Map<_, _> = (0..20)
        .map(|number| (format!("p{number}"), json!({"type": "string", "minLength": 1, "maxLength": 80})))
        .collect();
    let required: Vec<String> = (0..20).map(|number| format!("p{number}")).collect();
    let tools: Vec<Value> = (0..2_000)
        .map(|number| json!({"name": format!("get_{number}"), "inputSchema": {"type": "object", "properties": properties, "required": required}}))
        .collect();
    let plan = plan_of(&json!(tools), &ProbeChoice::default());
    assert_eq!(ids(&plan).len(), ProbeChoice::USUAL);
    assert_eq!(plan.tools.len(), ProbeChoice::USUAL, "each tool sends one before any sends two");
}

/// A tool whose parameters are all in one argument, as on servers that declare a model for each tool.
fn modelled(name: &str, description: &str) -> Value {
    let model = json!({"type": "object", "properties": {"path": {"type": "string"}, "mode": {"$ref": "#/$defs/Mode"}}, "required": ["path"]});
    let defs = json!({"Model": model, "Mode": {"type": "string", "enum": ["a", "b"]}});
    json!({"name": name, "description": description, "inputSchema": {"type": "object", "$defs": defs,
        "properties": {"params": {"$ref": "#/$defs/Model"}}, "required": ["params"]}})
}

#[test]
fn parameters_that_stand_in_one_argument_are_tried_one_by_one_there() {
    let plan = plan_of(&json!([modelled("read_file", "Reads a file")]), &ProbeChoice::default());
    let tool = &plan.tools[0];
    let control = tool.call(tool.tries[0].clone(), Expected::Anything);
    assert_eq!(control.text, r#"{"params":{"path":"/w/probe-read-file/notes.txt"}}"#);
    let own = json!({"path": "x"});
    let lines: Vec<String> = tool
        .probes
        .iter()
        .map(|probe| format!("{} {} {:?}", probe.id, tool.broken(probe, &own).text, probe.expected))
        .map(|line| line.split(" Failure").next().unwrap_or_default().to_owned())
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn what_breaks_the_argument_in_which_all_stand_may_be_sent_to_any_tool() {
    for (name, sent) in [("delete_file", 2), ("update_file", 6)] {
        let plan = plan_of(&json!([modelled(name, "")]), &ProbeChoice::default());
        let tool = &plan.tools[0];
        let own = tool.tries.first().cloned().unwrap_or_else(|| json!({}));
        let texts: Vec<String> = tool.probes.iter().map(|probe| tool.broken(probe, &own).text).collect();
        assert_eq!(texts.len(), sent, "{texts:?}");
        assert!(texts.iter().all(|text| !text.contains(r#""path":""#)), "{texts:?}");
    }
}

#[test]
fn the_argument_in_which_all_stand_may_be_left_out_where_the_schema_says_so() {
    let mut get = modelled("get_items", "");
    get["inputSchema"]["required"] = json!([]);
    let plan = plan_of(&json!([get]), &ProbeChoice::default());
    let of_wrapper: Vec<&str> = ids(&plan).into_iter().filter(|id| id.contains("/params/")).collect();
    assert_eq!(of_wrapper, ["probe/get_items/params/wrong-type"]);
    let mut delete = modelled("delete_items", "");
    delete["inputSchema"]["required"] = json!([]);
    let plan = plan_of(&json!([delete]), &ProbeChoice::default());
    assert_eq!(
        ids(&plan),
        ["probe/delete_items/arguments/missing", "probe/delete_items/arguments/wrong-type"]
    );
}
