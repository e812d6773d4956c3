//! Tests the cases as they are planned for one server's tools, and why one is skipped.

use serde_json::json;

use super::*;
use crate::roles::bind;
use crate::suite::load_builtin;

fn folders() -> Folders {
    Folders { workspace: "/w".into(), outside: "/o".into(), canary: "canary".into(), ..Folders::default() }
}

/// A server with a tool that reads and one that replaces within an array.
fn catalog() -> Catalog {
    let mut catalog = Catalog::default();
    let text = || json!({"type": "string"});
    catalog.add_page(&json!({"tools": [
        {"name": "view", "description": "Reads a file", "inputSchema":
            {"type": "object", "properties": {"path": text()}, "required": ["path"]}},
        {"name": "edit_file", "description": "Edits a file", "inputSchema": {"type": "object", "required": ["path", "edits"],
            "properties": {"path": text(), "edits": {"type": "array", "items": {"type": "object",
                "properties": {"oldText": text(), "newText": text()}, "required": ["oldText", "newText"]}}}}},
    ]}));
    catalog
}

fn planned(limits: &Limits) -> Plan {
    let catalog = catalog();
    plan(&load_builtin().unwrap(), &catalog, &bind(&catalog), limits, &folders())
}

fn case(limits: &Limits, id: &str) -> PlannedCase {
    planned(limits).cases.into_iter().find(|planned| planned.case.id.0 == id).unwrap()
}

/// Why a case is not sent.
fn skipped(limits: &Limits, id: &str) -> String {
    case(limits, id).script.unwrap_err()
}

#[test]
fn every_case_is_planned_and_twice_the_same() {
    let plan = planned(&Limits::default());
    assert_eq!(plan.cases.len(), load_builtin().unwrap().cases.len());
    assert_eq!(plan, planned(&Limits::default()));
}

#[test]
fn what_a_server_lacks_is_the_reason_for_a_skip() {
    let limits = Limits::default();
    assert_eq!(skipped(&limits, "grep/invalid-regex"), "no tool was found for the role `grep`");
    assert!(skipped(&limits, "read/outside-absolute").starts_with("no root is known"));
    assert_eq!(skipped(&limits, "read/over-limit"), "no file size limit is known");
    assert!(skipped(&limits, "http/status-404").starts_with("the server has no HTTP service"));
    assert_eq!(skipped(&limits, "reserve/freed"), "no tool was found for the role `reserve`");
}

#[test]
fn a_known_root_is_tried_by_paths_that_lead_out_of_it() {
    let limits = Limits { root: true, ..Limits::default() };
    let script = case(&limits, "read/outside-parent").script.unwrap();
    assert_eq!(script.call.arguments["path"], "/w/../workspace-outside/canary.txt");
    assert_eq!(
        case(&limits, "read/outside-absolute").script.unwrap().call.arguments["path"],
        "/o/canary.txt"
    );
}

#[test]
fn an_argument_is_put_where_the_tool_has_it() {
    let script = case(&Limits::default(), "replace/not-found").script.unwrap();
    assert_eq!(
        script.call.arguments,
        json!({"path": "/w/replace-not-found/lacking.txt", "edits": [{"oldText": "green apple", "newText": "red cherry"}]})
    );
    assert_eq!(script.call.arguments.to_string(), script.call.text);
}

#[test]
fn a_file_is_viewed_before_it_is_edited() {
    let script = case(&Limits::default(), "replace/not-found").script.unwrap();
    let viewed = script.prepare.iter().filter_map(|step| match step {
        PlannedStep::View(call) => Some(call.arguments["path"].as_str().unwrap()),
        PlannedStep::Call(..) | PlannedStep::Elsewhere(..) | PlannedStep::RemoveFile(_) => None,
    });
    let viewed: Vec<&str> = viewed.collect();
    assert_eq!(viewed, ["/w/replace-not-found/with.txt", "/w/replace-not-found/lacking.txt"]);
}

#[test]
fn a_parameter_is_expected_by_the_tools_own_name_and_a_hint_at_one_that_it_lacks_is_not() {
    let expected = |id| case(&Limits::default(), id).script.unwrap().call.expected;
    let Expected::Failure(missing) = expected("replace/missing-argument") else { panic!("it must fail") };
    let either = ["oldText", "edits"].map(|name| ExpectedValue::Parameter(name.into()));
    assert_eq!(missing.value, Some(ExpectedValue::AnyOf(either.into())));
    let Expected::Failure(ambiguous) = expected("replace/ambiguous") else { panic!("it must fail") };
    assert_eq!(ambiguous.hint, None);
}

#[test]
fn a_hint_is_followed_by_the_same_call_with_one_argument_more() {
    let mut catalog = catalog();
    let all = json!({"type": "boolean"});
    catalog.tools[1].input_schema["properties"]["replace_all"] = all;
    let limits = Limits::default();
    let plan = plan(&load_builtin().unwrap(), &catalog, &bind(&catalog), &limits, &folders());
    let ambiguous = plan.cases.into_iter().find(|planned| planned.case.id.0 == "replace/ambiguous").unwrap();
    let call = ambiguous.script.unwrap().call;
    let followed = call.with("replace_all", &true.into(), "it was hinted at".into()).unwrap();
    let mut expected = call.arguments.clone();
    expected["replace_all"] = true.into();
    assert_eq!(followed.arguments, expected);
    assert_eq!(call.with("no_such_parameter", &true.into(), String::new()), None);
}

#[test]
fn the_absent_tool_has_a_name_that_no_tool_has() {
    let mut catalog = catalog();
    catalog.add_page(&json!({"tools": [{"name": "no_such_tool"}]}));
    let plan = plan(&load_builtin().unwrap(), &catalog, &bind(&catalog), &Limits::default(), &folders());
    let absent = plan.cases.into_iter().find(|planned| planned.case.id.0 == "protocol/unknown-tool").unwrap();
    assert_eq!(absent.tools, ["no_such_tool_"]);
}
