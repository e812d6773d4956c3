//! Requests that are right or wrong for every server, whatever tools it has. Those of `protocol.toml` are data.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::catalog::Tool;
use crate::class::{Class, ToolSettings, is_skipped};
use crate::document::entries;
use crate::expectation::{Authority, Expected, ExpectedFailure};
use crate::transcript::Lifecycle;
use crate::wire::meta;

use super::{
    ABSENT, FeatureGroup, FeatureProbe, FeatureRequest, OfferedFeatures, refused, sanitized, unique,
};

/// At most this many tools that require no argument are called without `arguments`.
const BARE: usize = 4;

/// A request of `protocol.toml`, which describes the members.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProtocolRequest {
    id: String,
    title: String,
    lifecycle: Option<Lifecycle>,
    offered: Option<String>,
    not_offered: Option<String>,
    method: String,
    #[serde(default)]
    params: Map<String, Value>,
    #[serde(default)]
    meta: Map<String, Value>,
    #[serde(default)]
    without: Vec<String>,
    condition: Option<String>,
    #[serde(default)]
    or_success: bool,
    #[serde(default)]
    after_cancelled: bool,
}

fn requests() -> &'static [ProtocolRequest] {
    static REQUESTS: LazyLock<Vec<ProtocolRequest>> =
        LazyLock::new(|| entries(include_str!("protocol.toml")));
    &REQUESTS
}

impl ProtocolRequest {
    fn is_for(&self, lifecycle: Lifecycle, offers: &OfferedFeatures) -> bool {
        let is_offered =
            |pointer: &String| offers.capabilities.pointer(pointer).is_some_and(Value::is_object);
        self.lifecycle.is_none_or(|only| only == lifecycle)
            && self.offered.as_ref().is_none_or(is_offered)
            && !self.not_offered.as_ref().is_some_and(is_offered)
    }

    fn probe(&'static self) -> FeatureProbe {
        let mut params = Map::new();
        if !(self.meta.is_empty() && self.without.is_empty()) {
            let mut of_request = meta();
            if let Some(members) = of_request.as_object_mut() {
                members.retain(|name, _| !self.without.contains(name));
                members.extend(self.meta.clone());
            }
            params.insert("_meta".to_owned(), of_request);
        }
        params.extend(self.params.clone());
        let request = FeatureRequest::new(&self.method, Value::Object(params));
        let probe = FeatureProbe {
            cancelled: self.after_cancelled.then(FeatureRequest::of_tools),
            ..FeatureProbe::new(&format!("protocol/{}", self.id), &self.title, request)
        };
        match &self.condition {
            Some(condition) => {
                let or_success = self.or_success;
                probe.expecting(ExpectedFailure { or_success, ..refused(condition, None) })
            }
            None => probe,
        }
    }
}

impl FeatureRequest {
    fn of_tools() -> Self {
        Self::new("tools/list", json!({}))
    }
}

impl FeatureGroup {
    /// Requests that every server of the lifecycle gets, depending on the capabilities that it has.
    pub fn of_protocol(lifecycle: Lifecycle, offers: &OfferedFeatures) -> Self {
        let sent = requests().iter().filter(|request| request.is_for(lifecycle, offers));
        let probes = sent.map(ProtocolRequest::probe).collect();
        Self { tries: vec![FeatureRequest::of_tools()], prompt: None, probes }
    }

    /// Calls of tools that require no argument, without `arguments`. Only tools that read are called.
    pub fn of_optional_arguments(tools: &[Tool], settings: &ToolSettings) -> Vec<Self> {
        let may_be_called = |tool: &&Tool| {
            Class::of(tool, settings) == Class::Read
                && !is_skipped(&tool.name, settings)
                && tool.required().next().is_none()
        };
        let mut taken = HashSet::new();
        let group = |tool: &Tool| {
            let tag = unique(&sanitized(&tool.name), &mut taken);
            let title = format!("calling `{}`, which requires no argument, without `arguments`", tool.name);
            let id = format!("protocol/without-arguments/{tag}");
            let probes = vec![FeatureProbe {
                expected: Expected::success("the tool requires no argument", Authority::Protocol),
                ..FeatureProbe::new(&id, &title, FeatureRequest::of_tool(&tool.name, None))
            }];
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
            let request = FeatureRequest::new("tools/call", params);
            FeatureProbe::new(&format!("unknown-tool/{id}"), title, request)
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
