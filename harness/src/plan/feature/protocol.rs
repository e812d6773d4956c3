//! Requests that are right or wrong for every server, whatever it offers.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Value, json};

use crate::catalog::Tool;
use crate::class::{Class, ToolSetting};

use super::{ABSENT, FeatureGroup, FeatureProbe, FeatureRequest, WRONG_PARAMS, refused, sanitized, unique};

/// A method that no server has.
const UNKNOWN_METHOD: &str = "no-such/method";
/// At most this many tools that require no argument are called without `arguments`.
const BARE: usize = 4;
/// The beginning of the ids of calls of a tool that does not exist.
const UNKNOWN_TOOL: &str = "unknown-tool/";

impl FeatureGroup {
    /// Requests that every server gets: a method that does not exist, calls that do not say of which tool, and
    /// one that follows a request which was taken back too late.
    pub fn of_protocol() -> Self {
        let list = || FeatureRequest::new("tools/list", json!({}));
        let wrong = |id: &str, title: &str, params: Value| {
            FeatureProbe::new(id, title).sending("tools/call", params).expecting(refused(WRONG_PARAMS, None))
        };
        let unknown =
            FeatureProbe::new("protocol/unknown-method", "a request with a method that does not exist")
                .sending(UNKNOWN_METHOD, json!({}))
                .expecting(refused("unknown-method", None));
        let mut after =
            FeatureProbe::new("protocol/cancelled", "a request after another that was cancelled too late")
                .sending("tools/list", json!({}));
        after.cancelled = Some(list());
        let probes = vec![
            unknown,
            wrong(
                "protocol/call-without-name",
                "calling a tool without saying which",
                json!({"arguments": {}}),
            ),
            wrong(
                "protocol/name-no-text",
                "calling a tool whose name is a number",
                json!({"name": 7, "arguments": {}}),
            ),
            after,
        ];
        Self { tries: vec![list()], prompt: None, probes }
    }

    /// Calls of tools that require no argument, without `arguments`. Only tools that read are called.
    pub fn of_optional_arguments(tools: &[Tool], settings: &BTreeMap<String, ToolSetting>) -> Vec<Self> {
        let may_be_called = |tool: &&Tool| {
            let setting = settings.get(&tool.name);
            let class = setting.and_then(|setting| setting.class).unwrap_or_else(|| Class::from_tool(tool));
            let is_skipped = setting.is_some_and(|setting| setting.skip);
            class == Class::Read && !is_skipped && tool.required().next().is_none()
        };
        let mut taken = HashSet::new();
        let group = |tool: &Tool| {
            let tag = unique(&sanitized(&tool.name), &mut taken);
            let title = format!("calling `{}`, which requires no argument, without `arguments`", tool.name);
            let probe = FeatureProbe {
                request: FeatureRequest::of_tool(&tool.name, None),
                ..FeatureProbe::new(&format!("protocol/without-arguments/{tag}"), &title)
            };
            let probes = vec![probe.expecting_success("the tool requires no argument")];
            let tries = vec![FeatureRequest::of_tool(&tool.name, Some(json!({})))];
            Self { tries, prompt: None, probes }
        };
        tools.iter().filter(may_be_called).take(BARE).map(group).collect()
    }

    /// Calls of a tool that does not exist, with and without arguments, for when nothing else in the run calls
    /// one.
    pub fn of_unknown_tool() -> Self {
        let name = format!("{ABSENT}-tool");
        let probe = |id: &str, title: &str, params: Value| {
            FeatureProbe::new(&format!("{UNKNOWN_TOOL}{id}"), title).sending("tools/call", params)
        };
        let probes = vec![
            probe(
                "called",
                "calling a tool that does not exist",
                json!({"name": name, "arguments": {"value": "alpha"}}),
            ),
            probe(
                "without-arguments",
                "calling a tool that does not exist, without arguments",
                json!({"name": name}),
            ),
        ];
        Self { tries: Vec::new(), prompt: None, probes }
    }
}
