//! Requests to a server that offers resources or prompts besides tools: ones that succeed, and the same with
//! one thing wrong. Pure.
//!
//! The main types are [`OfferedFeatures`], what the server lists, and [`FeatureGroup`], requests with a common
//! control.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use crate::catalog::Tool;
use crate::condition::{CaseId, Condition};
use crate::exchange::Call;
use crate::expectation::{Authority, Expected, ExpectedFailure, ExpectedValue};
use crate::generate::executable::executable_kind;
use crate::generate::{Draw, Mutation, ToolFiles, mutations, unusual};

use super::probe::{sanitized, unique};

mod protocol;
mod uri;

/// At most this many listed resources are read.
const READ: usize = 8;
/// At most this many templates, and as many prompts, are tried.
const TRIED: usize = 12;
/// At most this many ways to fill in a prompt or a template are tried.
const TRIES: usize = 3;
/// At most this many values that a prompt's list does not describe are sent to it.
const UNUSUAL: usize = 10;
/// At most this many items of a list are kept.
const LISTED: usize = 200;
/// The condition of a request whose params lack what its method needs.
const WRONG_PARAMS: &str = "wrong-params";
/// A name that no server has.
const ABSENT: &str = "no-such";

/// What a server offers besides tools, as it lists it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OfferedFeatures {
    /// The capabilities, as the server declares them.
    pub capabilities: Value,
    /// Whether it has the capability `resources`.
    pub has_resources: bool,
    /// Whether it has the capability `prompts`.
    pub has_prompts: bool,
    /// Whether it has the capability `completions`.
    pub completes: bool,
    resources: Vec<String>,
    templates: Vec<(String, String)>,
    /// The prompts, each as a tool whose arguments are texts.
    prompts: Vec<Tool>,
}

/// Requests with a common control.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureGroup {
    /// Requests that may succeed, tried one after the other until one does.
    pub tries: Vec<FeatureRequest>,
    /// The prompt in question, as a tool whose arguments are texts.
    pub prompt: Option<Tool>,
    /// The requests derived from the successful one.
    pub probes: Vec<FeatureProbe>,
}

/// A method with its parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureRequest {
    /// The method, such as `resources/read`.
    pub method: &'static str,
    /// Its parameters.
    pub params: Value,
    /// The tool, if it is the call of a listed one.
    pub tool: Option<String>,
}

/// A request that is a case.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureProbe {
    /// `resource/..`, `prompt/..` or `completion/..`.
    pub id: CaseId,
    /// The title of the case, in words.
    pub title: String,
    /// What is sent if no successful request is known.
    request: FeatureRequest,
    /// The change to the arguments of a prompt that succeeded.
    change: Option<Mutation>,
    /// A request that is sent before it, and taken back once it was answered.
    pub cancelled: Option<FeatureRequest>,
    /// What must hold of the reply.
    pub expected: Expected,
}

impl OfferedFeatures {
    /// What a server offers by its reply to `initialize` or `server/discover`.
    pub fn of_capabilities(result: &Value) -> Self {
        let capabilities = result.get("capabilities").cloned().unwrap_or_default();
        let has = |name: &str| capabilities.get(name).is_some_and(Value::is_object);
        Self {
            has_resources: has("resources"),
            has_prompts: has("prompts"),
            completes: has("completions"),
            capabilities,
            ..Self::default()
        }
    }

    /// The list methods to call.
    pub fn lists(&self) -> Vec<&'static str> {
        let mut lists = Vec::new();
        if self.has_resources {
            lists.extend(["resources/list", "resources/templates/list"]);
        }
        if self.has_prompts {
            lists.push("prompts/list");
        }
        lists
    }

    /// Adds the items on a page of a list; items without a name or URI are skipped.
    pub fn add_page(&mut self, result: &Value) {
        let items = |name: &str| result.get(name).and_then(Value::as_array).into_iter().flatten();
        let text = |item: &Value, name: &str| item.get(name).and_then(Value::as_str).map(str::to_owned);
        self.resources.extend(items("resources").filter_map(|item| text(item, "uri")));
        self.templates.extend(
            items("resourceTemplates").filter_map(|item| {
                Some((text(item, "name").unwrap_or_default(), text(item, "uriTemplate")?))
            }),
        );
        self.prompts.extend(items("prompts").filter_map(as_tool));
        self.resources.truncate(LISTED);
        self.templates.truncate(LISTED);
        self.prompts.truncate(LISTED);
    }

    /// All groups of requests; paths in prompts refer to these files.
    pub fn groups(&self, files: &ToolFiles) -> Vec<FeatureGroup> {
        let mut groups = Vec::new();
        // Some SDKs declare both capabilities for every server. If there is nothing of a kind, the answer comes
        // from the SDK.
        if !(self.resources.is_empty() && self.templates.is_empty()) {
            groups.push(self.of_resources());
            groups.extend(self.of_templates(files));
        }
        if !self.prompts.is_empty() {
            groups.extend(self.of_prompts(files));
        }
        if self.completes {
            groups.extend(self.of_completions());
        }
        groups
    }

    fn of_resources(&self) -> FeatureGroup {
        let read = |uri: &str| FeatureRequest::new("resources/read", json!({"uri": uri}));
        let scheme = format!("{ABSENT}-scheme");
        let foreign = format!("{scheme}://{ABSENT}-resource");
        let any_of_it = ExpectedValue::AnyOf(vec![named(&foreign), ExpectedValue::Text(scheme)]);
        let mut probes = vec![
            FeatureProbe::new(
                "resource/without-uri",
                "reading a resource without saying which",
                FeatureRequest::new("resources/read", json!({})),
            )
            .expecting(refused(WRONG_PARAMS, None)),
            FeatureProbe::new(
                "resource/unknown-scheme",
                "reading a resource with an unknown URI scheme",
                read(&foreign),
            )
            .expecting(refused("unknown-resource", Some(any_of_it))),
        ];
        if let Some(known) = self.resources.first() {
            let sibling = uri::sibling(known, &format!("{ABSENT}-resource"));
            let mut failure = refused("unknown-resource", Some(named(&sibling)));
            // A template may lead anywhere, even to something that does not exist.
            failure.or_success = !self.templates.is_empty();
            probes.push(
                FeatureProbe::new(
                    "resource/unknown",
                    "reading a resource that does not exist",
                    read(&sibling),
                )
                .expecting(failure),
            );
        }
        for (number, uri) in self.resources.iter().take(READ).enumerate().skip(1) {
            probes.push(FeatureProbe::new(
                &format!("resource/listed/{number}"),
                "reading another listed resource",
                read(uri),
            ));
        }
        let tries = self.resources.iter().take(TRIES).map(|uri| read(uri)).collect();
        FeatureGroup { tries, prompt: None, probes }
    }

    fn of_templates<'a>(&'a self, files: &'a ToolFiles) -> impl Iterator<Item = FeatureGroup> + 'a {
        let mut taken = HashSet::new();
        self.templates.iter().take(TRIED).filter_map(move |(name, template)| {
            let tag = unique(&sanitized(if name.is_empty() { template } else { name }), &mut taken);
            let variables = uri::variables(template);
            if variables.is_empty() {
                return None;
            }
            let read = |values: &Map<String, Value>| {
                FeatureRequest::new("resources/read", json!({"uri": uri::expand(template, values)}))
            };
            let tool = of_texts(name, "", variables.iter().map(|variable| (variable.as_str(), "", true)));
            // Listed resources are the best source of values for a template.
            let listed = self.resources.iter().filter_map(|uri| uri::values(template, uri)).take(1);
            let drawn = Draw::new(&tool.input_schema, files, 0).arguments();
            let numbers = variables.iter().map(|variable| (variable.clone(), json!("1"))).collect();
            let tries: Vec<Map<String, Value>> = listed.chain(drawn).chain([numbers]).take(TRIES).collect();
            let base = tries.first()?.clone();
            let wrong = |case: &str, value: &str| {
                let mut values = base.clone();
                if let Some(last) = variables.last() {
                    values.insert(last.clone(), json!(value));
                }
                let mut told = vec![named(&uri::expand(template, &values))];
                // What the template has beside the variable, such as `.md`, is no part of the value.
                let encoded = variables.last().map(|last| uri::expand(&format!("{{{last}}}"), &values));
                let filled = encoded.into_iter().chain([value.to_owned()]).filter(|text| !text.is_empty());
                told.extend(filled.map(ExpectedValue::Text));
                let value = ExpectedValue::AnyOf(told);
                let mut failure = refused("unknown-resource", Some(value));
                failure.or_success = true;
                FeatureProbe::new(&format!("resource/{tag}/{case}"), &format!("{tag}: {case}"), read(&values))
                    .expecting(failure)
            };
            let probes = vec![
                wrong("unknown", &format!("{ABSENT}-one")),
                wrong("number", "-1"),
                wrong("not-a-word", "%00((\"["),
                wrong("traversal", "../../no-such-file.txt"),
                wrong("empty", ""),
            ];
            Some(FeatureGroup { tries: tries.iter().map(read).collect(), prompt: None, probes })
        })
    }

    fn of_prompts(&self, files: &ToolFiles) -> Vec<FeatureGroup> {
        let get = |name: &str, arguments: &Value| {
            FeatureRequest::new("prompts/get", json!({"name": name, "arguments": arguments}))
        };
        let unknown = format!("{ABSENT}-prompt");
        let general = vec![
            FeatureProbe::new(
                "prompt/unknown",
                "getting a prompt that does not exist",
                get(&unknown, &json!({})),
            )
            .expecting(refused("unknown-prompt", Some(ExpectedValue::Text(unknown.clone())))),
            FeatureProbe::new(
                "prompt/without-name",
                "getting a prompt without saying which",
                FeatureRequest::new("prompts/get", json!({"arguments": {}})),
            )
            .expecting(refused(WRONG_PARAMS, None)),
        ];
        let mut taken = HashSet::new();
        let mut groups: Vec<FeatureGroup> = Vec::new();
        for prompt in self.prompts.iter().take(TRIED) {
            let tag = unique(&sanitized(&prompt.name), &mut taken);
            let files = files.clone().called(&prompt.name);
            let schema = &prompt.input_schema;
            let draws = (0..TRIES).filter_map(|turn| Draw::new(schema, &files, turn).arguments());
            let mut tries: Vec<Value> = draws.map(Value::Object).collect();
            tries.dedup();
            let Some(base) = tries.first().cloned() else { continue };
            let executed = |name: &str, schema: &Value| executable_kind(prompt, name, schema);
            let missing = mutations(schema, &files).into_iter().filter(|mutation| mutation.id == "missing");
            let odd = unusual(schema, &files, &executed).into_iter().filter(holds_texts).take(UNUSUAL);
            let probe = |mutation: Mutation| {
                let case = format!("{}/{}", mutation.parameter.as_deref().unwrap_or("all"), mutation.id);
                let expected = match (mutation.id, mutation.name()) {
                    ("missing", Some(name)) => Expected::Failure(refused(
                        "missing-prompt-argument",
                        Some(ExpectedValue::Parameter(name.to_owned())),
                    )),
                    _ => Expected::Anything,
                };
                let id = format!("prompt/{tag}/{case}");
                let title = format!("prompt {tag}: {}", mutation.label);
                let request = get(&prompt.name, &mutation.apply(&base));
                let probe = FeatureProbe::new(&id, &title, request);
                FeatureProbe { change: Some(mutation), expected, ..probe }
            };
            let mut ids = HashSet::new();
            let probes = missing.chain(odd).map(probe).filter(|probe| ids.insert(probe.id.clone())).collect();
            let tries = tries.iter().map(|arguments| get(&prompt.name, arguments));
            groups.push(FeatureGroup { tries: tries.collect(), prompt: Some(prompt.clone()), probes });
        }
        // Requests that apply to every prompt are added to the first one.
        match groups.first_mut() {
            Some(first) => first.probes.splice(0..0, general).for_each(drop),
            None => groups.push(FeatureGroup { tries: Vec::new(), prompt: None, probes: general }),
        }
        groups
    }

    /// Completions for the first argument of a prompt, and for the first variable of a template.
    fn of_completions(&self) -> Vec<FeatureGroup> {
        let prompt = self.prompts.iter().find_map(|prompt| {
            let (argument, _) = prompt.parameters().next()?;
            let reference = |name: &str| json!({"type": "ref/prompt", "name": name});
            Some(completions(
                ["prompt", "argument"],
                (&reference(&prompt.name), argument),
                (&reference(&format!("{ABSENT}-prompt")), &format!("{ABSENT}-prompt")),
            ))
        });
        let template = self.templates.iter().find_map(|(_, template)| {
            let variable = uri::variables(template).into_iter().next()?;
            let reference = |uri: &str| json!({"type": "ref/resource", "uri": uri});
            let unknown = format!("{ABSENT}-scheme://{ABSENT}-template/{{{variable}}}");
            Some(completions(
                ["template", "variable"],
                (&reference(template), &variable),
                (&reference(&unknown), &unknown),
            ))
        });
        prompt.into_iter().chain(template).collect()
    }
}

/// Completions for something that exists, something else that does not, and another argument; `of` is its kind,
/// for the ids.
fn completions(
    of: [&str; 2],
    (known, name): (&Value, &str),
    (unknown, named): (&Value, &str),
) -> FeatureGroup {
    let params =
        |reference: &Value, name: &str| json!({"ref": reference, "argument": {"name": name, "value": "a"}});
    let refused = |named: &str| {
        let value = Some(ExpectedValue::Text(named.to_owned()));
        // An empty list of completions is an answer.
        ExpectedFailure { or_success: true, ..refused("unknown-completion", value) }
    };
    let probe = |of: &str, params: Value, named: &str| {
        let title = format!("requesting completions for a {of} that does not exist");
        FeatureProbe::new(
            &format!("completion/unknown-{of}"),
            &title,
            FeatureRequest::new("completion/complete", params),
        )
        .expecting(refused(named))
    };
    let probes = vec![
        probe(of[0], params(unknown, name), named),
        probe(of[1], params(known, "no_such_argument"), "no_such_argument"),
    ];
    let tries = vec![FeatureRequest::new("completion/complete", params(known, name))];
    FeatureGroup { tries, prompt: None, probes }
}

impl FeatureRequest {
    fn new(method: &'static str, params: Value) -> Self {
        Self { method, params, tool: None }
    }

    /// The call of a listed tool, with `arguments` or without.
    pub fn of_tool(name: &str, arguments: Option<Value>) -> Self {
        let params = match arguments {
            Some(arguments) => json!({"name": name, "arguments": arguments}),
            None => json!({"name": name}),
        };
        Self { tool: Some(name.to_owned()), ..Self::new("tools/call", params) }
    }

    /// The request as it is recorded.
    pub(crate) fn as_call(&self) -> Call {
        let arguments = match self.tool {
            Some(_) => self.params.get("arguments").cloned().unwrap_or_else(|| json!({})),
            None => self.params.clone(),
        };
        Call::of(self.method, self.tool.as_deref(), arguments)
    }

    /// The arguments of a prompt.
    pub fn arguments(&self) -> Option<&Value> {
        self.params.get("arguments").filter(|_| self.method == "prompts/get")
    }

    /// The request with other arguments of the prompt.
    #[must_use]
    pub fn with_arguments(&self, arguments: &Value) -> Self {
        let mut params = self.params.clone();
        params["arguments"] = arguments.clone();
        Self { params, ..self.clone() }
    }
}

impl FeatureProbe {
    fn new(id: &str, title: &str, request: FeatureRequest) -> Self {
        Self {
            id: CaseId(id.to_owned()),
            title: title.to_owned(),
            request,
            change: None,
            cancelled: None,
            expected: Expected::Anything,
        }
    }

    /// The listed tool that it calls.
    pub fn tool(&self) -> Option<&str> {
        self.request.tool.as_deref()
    }

    /// The request to send, derived from the successful one if there is one.
    pub fn on(&self, control: Option<&FeatureRequest>) -> FeatureRequest {
        let arguments = control.and_then(FeatureRequest::arguments);
        match (&self.change, arguments) {
            (Some(change), Some(arguments)) => self.request.with_arguments(&change.apply(arguments)),
            _ => self.request.clone(),
        }
    }

    fn expecting(mut self, failure: ExpectedFailure) -> Self {
        self.expected = Expected::Failure(failure);
        self
    }
}

/// MCP's own expectation for such a request.
fn refused(condition: &str, value: Option<ExpectedValue>) -> ExpectedFailure {
    ExpectedFailure { value, ..ExpectedFailure::of(Condition(condition.to_owned()), Authority::Protocol) }
}

/// A URI, or its last part, because a server may interpret the beginning in its own way.
fn named(uri: &str) -> ExpectedValue {
    let last = uri.rsplit(['/', ':']).next().filter(|last| !last.is_empty()).unwrap_or(uri);
    // The server gets it decoded.
    let values = [Some(uri.to_owned()), Some(last.to_owned()), uri::decoded(last)];
    ExpectedValue::AnyOf(values.into_iter().flatten().map(ExpectedValue::Text).collect())
}

/// A prompt as a tool whose arguments are texts.
fn as_tool(item: &Value) -> Option<Tool> {
    let text = |item: &'_ Value, name: &str| item.get(name).and_then(Value::as_str).map(str::to_owned);
    let arguments = item.get("arguments").and_then(Value::as_array).into_iter().flatten();
    let arguments: Vec<(String, String, bool)> = arguments
        .filter_map(|argument| {
            let required = argument.get("required").and_then(Value::as_bool).unwrap_or_default();
            Some((text(argument, "name")?, text(argument, "description").unwrap_or_default(), required))
        })
        .collect();
    let name = text(item, "name")?;
    let description = text(item, "description").unwrap_or_default();
    let arguments = arguments.iter().map(|(name, says, required)| (name.as_str(), says.as_str(), *required));
    Some(of_texts(&name, &description, arguments))
}

/// A tool of this name whose arguments are texts: name, description, whether it is required.
fn of_texts<'a>(
    name: &str,
    description: &str,
    arguments: impl Iterator<Item = (&'a str, &'a str, bool)>,
) -> Tool {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (argument, says, is_required) in arguments {
        properties.insert(argument.to_owned(), json!({"type": "string", "description": says}));
        if is_required {
            required.push(argument.to_owned());
        }
    }
    let schema = json!({"type": "object", "properties": properties, "required": required});
    Tool { description: description.to_owned(), ..Tool::named(name, schema) }
}

/// Whether all changed values are texts, as arguments of prompts must be.
fn holds_texts(mutation: &Mutation) -> bool {
    let is_text = |(_, value): (&str, Option<&Value>)| value.is_none_or(Value::is_string);
    mutation.given().is_some_and(|given| given.into_iter().all(is_text))
}

#[cfg(test)]
mod tests;
