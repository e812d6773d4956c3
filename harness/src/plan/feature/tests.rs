//! Tests which requests beside tools are planned for which offers of a server.

use std::collections::{BTreeMap, HashSet};

use serde_json::json;

use super::*;
use crate::rules::statements;
use crate::transcript::Lifecycle;

fn offers() -> OfferedFeatures {
    let mut offers = OfferedFeatures::of_capabilities(
        &json!({"capabilities": {"resources": {}, "prompts": {"listChanged": true}, "tools": {}}}),
    );
    for page in [
        json!({"resources": [{"uri": "notes://one"}, {"name": "no uri"}, {"uri": "notes://two"}]}),
        json!({"resourceTemplates": [{"name": "note", "uriTemplate": "notes://{id}"}, {"uriTemplate": "plain"}]}),
        json!({"prompts": [
            {"name": "greet", "arguments": [
                {"name": "who", "description": "a person", "required": true}, {"name": "style"}
            ]},
            {"name": "plain"}
        ]}),
    ] {
        offers.add_page(&page);
    }
    offers
}

fn groups() -> Vec<FeatureGroup> {
    offers().groups(&ToolFiles::at("/workspace/features"))
}

fn probe<'g>(groups: &'g [FeatureGroup], id: &str) -> &'g FeatureProbe {
    let mut probes = groups.iter().flat_map(|group| &group.probes);
    probes.find(|probe| probe.id.0 == id).unwrap_or_else(|| panic!("{id}"))
}

fn failure(probe: &FeatureProbe) -> &ExpectedFailure {
    match &probe.expected {
        Expected::Failure(failure) => failure,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_server_without_the_capabilities_is_asked_for_nothing() {
    let offers = OfferedFeatures::of_capabilities(&json!({"capabilities": {"tools": {}}}));
    assert!(offers.lists().is_empty() && offers.groups(&ToolFiles::at("/w")).is_empty());
}

#[test]
fn a_server_that_lists_nothing_is_asked_for_nothing_more() {
    let mut offers =
        OfferedFeatures::of_capabilities(&json!({"capabilities": {"resources": {}, "prompts": {}}}));
    assert_eq!(offers.lists().len(), 3);
    offers.add_page(&json!({"resources": [], "prompts": []}));
    assert!(offers.groups(&ToolFiles::at("/w")).is_empty());
}

#[test]
fn resources_are_read_and_others_that_are_not_there() {
    let groups = groups();
    assert_eq!(groups[0].tries[0].params, json!({"uri": "notes://one"}));
    let unknown = probe(&groups, "resource/unknown");
    assert_eq!(unknown.on(None).params, json!({"uri": "notes://no-such-resource"}));
    assert!(failure(unknown).or_success, "the template may lead there");
    let foreign = failure(probe(&groups, "resource/unknown-scheme"));
    assert!(!foreign.or_success && foreign.authority == Authority::Protocol);
    assert_eq!(probe(&groups, "resource/listed/1").on(None).params, json!({"uri": "notes://two"}));
    let of_template = groups.iter().find(|group| group.probes[0].id.0 == "resource/note/unknown").unwrap();
    assert_eq!(of_template.tries[0].params, json!({"uri": "notes://one"}), "what is listed comes first");
    assert_eq!(of_template.tries.last().unwrap().params, json!({"uri": "notes://1"}));
    let Some(ExpectedValue::AnyOf(told)) = &failure(&of_template.probes[0]).value else { panic!("no value") };
    assert!(told.contains(&ExpectedValue::Text("no-such-one".to_owned())), "{told:?}");
}

#[test]
fn a_prompts_arguments_are_broken_on_the_request_that_succeeded() {
    let groups = groups();
    let missing = probe(&groups, "prompt/greet/who/missing");
    assert_eq!(failure(missing).value, Some(ExpectedValue::Parameter("who".to_owned())));
    let control = FeatureRequest::new(
        "prompts/get",
        json!({"name": "greet", "arguments": {"who": "Ann", "style": "short"}}),
    );
    let sent = missing.on(Some(&control));
    assert_eq!(sent.params, json!({"name": "greet", "arguments": {"style": "short"}}));
    assert!(groups.iter().any(|group| group.probes.iter().any(|probe| probe.id.0 == "prompt/unknown")));
}

#[test]
fn completions_are_asked_for_where_the_server_has_them_of_what_is_there_and_is_not() {
    let ids = |groups: &[FeatureGroup]| {
        let probes = groups.iter().flat_map(|group| &group.probes).map(|probe| probe.id.0.clone());
        probes.filter(|id| id.starts_with("completion/")).collect::<Vec<_>>()
    };
    assert!(ids(&groups()).is_empty());
    let groups = OfferedFeatures { completes: true, ..offers() }.groups(&ToolFiles::at("/w"));
    let names = ["unknown-prompt", "unknown-argument", "unknown-template", "unknown-variable"];
    assert_eq!(ids(&groups), names.map(|name| format!("completion/{name}")));
    let unknown = probe(&groups, "completion/unknown-template");
    let sent = unknown.on(None).params;
    assert_eq!(sent["argument"]["name"], "id");
    let named = sent["ref"]["uri"].as_str().unwrap().to_owned();
    assert_eq!(failure(unknown).value, Some(ExpectedValue::Text(named)));
    assert!(failure(unknown).or_success);
    let is_first = |group: &&FeatureGroup| {
        group.probes.first().is_some_and(|probe| probe.id.0 == "completion/unknown-prompt")
    };
    let group = groups.iter().find(is_first).unwrap();
    assert_eq!(group.tries[0].params["ref"], json!({"type": "ref/prompt", "name": "greet"}));
}

#[test]
fn requests_are_for_the_servers_whose_lifecycle_and_capabilities_they_are_about() {
    let ids = |lifecycle, capabilities: Value| {
        let offers = OfferedFeatures::of_capabilities(&json!({"capabilities": capabilities}));
        let group = FeatureGroup::of_protocol(lifecycle, &offers);
        group.probes.into_iter().map(|probe| (probe.id.0.clone(), probe)).collect::<BTreeMap<_, _>>()
    };
    let tasks = "io.modelcontextprotocol/tasks";
    let all = json!({"resources": {}, "prompts": {}, "completions": {}, "logging": {}, "tasks": {}, "extensions": {tasks: {}}});
    let (bare, whole) = (ids(Lifecycle::Legacy, json!({})), ids(Lifecycle::Modern, all.clone()));
    for id in ["resources", "prompts", "completions"].map(|kind| format!("protocol/{kind}-not-offered")) {
        assert!(bare.contains_key(&id) && !whole.contains_key(&id), "{id}");
    }
    for id in ["unknown-log-level", "unknown-task"].map(|id| format!("protocol/{id}")) {
        assert!(!bare.contains_key(&id) && whole.contains_key(&id), "{id}");
        assert!(ids(Lifecycle::Legacy, all.clone()).contains_key(&id), "{id}");
    }
    let of = |id: &str| whole[id].on(None).params.to_string();
    assert!(!bare.contains_key("protocol/without-version"));
    let sent = of("protocol/without-version");
    assert!(sent.starts_with(r#"{"_meta":"#) && !sent.contains("protocolVersion"), "{sent}");
    assert!(of("protocol/unsupported-version").contains("1900-01-01"));
    let sent = of("protocol/initialize");
    assert!(sent.starts_with(r#"{"_meta":{},"protocolVersion":"#), "{sent}");
    assert!(whole["protocol/cancelled"].cancelled.is_some());

    // The list of what the specification says, and the requests, are about one another.
    let named: HashSet<&str> =
        statements().iter().flat_map(|statement| &statement.cases).map(String::as_str).collect();
    let planned: HashSet<&str> = bare.keys().chain(whole.keys()).map(String::as_str).collect();
    let named_here = named.iter().filter(|id| id.starts_with("protocol/") && **id != "protocol/unknown-tool");
    assert_eq!(named_here.copied().collect::<HashSet<_>>(), planned);
}

#[test]
fn every_argument_of_a_prompt_is_a_text_and_every_id_stands_once() {
    let groups = groups();
    let mut ids = std::collections::HashSet::new();
    for probe in groups.iter().flat_map(|group| &group.probes) {
        assert!(ids.insert(&probe.id), "{}", probe.id);
        let request = probe.on(None);
        let arguments = request.arguments().and_then(Value::as_object);
        assert!(arguments.into_iter().flatten().all(|(_, value)| value.is_string()), "{}", probe.id);
    }
    assert!(ids.len() > 10);
}
