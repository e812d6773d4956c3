//! Which tools the server of a seed has, and which fault is where.
//!
//! The main type is [`Plan`]. What there is to draw from stands in `tools.toml`; nothing here runs.

use fastrand::Rng;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::check::smallest;
use crate::fault::{Fault, Kind, Showing};

/// `tools.toml`.
#[derive(Deserialize)]
struct Templates {
    beside: Map<String, Value>,
    tool: Vec<Template>,
    kept: Kept,
}

#[derive(Deserialize)]
struct Template {
    kind: Option<Kind>,
    verbs: Vec<String>,
    nouns: Vec<String>,
    description: String,
    parameter: Vec<String>,
    schema: Value,
    #[serde(default)]
    words: Vec<String>,
}

#[derive(Deserialize)]
struct Kept {
    nouns: Vec<String>,
    words: Vec<String>,
}

/// The tools of one server.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// In the order in which they are listed.
    pub(crate) tools: Vec<Tool>,
    /// What the server keeps.
    pub(crate) noun: String,
    /// The number of the first thing that is kept.
    pub(crate) first: u64,
}

/// A tool.
#[derive(Debug, Clone)]
pub(crate) struct Tool {
    pub(crate) name: String,
    description: String,
    pub(crate) schema: Value,
    pub(crate) work: Work,
    pub(crate) fault: Option<Fault>,
}

/// What a sound call of a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// Tells that it is done.
    Tell,
    Create,
    Read,
    Delete,
    List,
}

impl Plan {
    /// The server of this seed.
    pub(crate) fn of(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let templates: Templates = toml::from_str(include_str!("tools.toml")).expect("the file was tested");
        let beside = templates.beside;
        let mut tools: Vec<Tool> =
            templates.tool.into_iter().map(|template| template.drawn(&beside, &mut rng)).collect();
        let noun = one(&mut rng, &templates.kept.nouns);
        tools.extend(kept(&noun, one(&mut rng, &templates.kept.words)));
        rng.shuffle(&mut tools);
        Self { tools, noun, first: rng.u64(1..=9999) }
    }

    /// The tools without their faults.
    pub(crate) fn mended(mut self) -> Self {
        for tool in &mut self.tools {
            tool.fault = None;
        }
        self
    }

    /// The name of the thing that is kept with this number.
    pub(crate) fn id(&self, number: u64) -> String {
        format!("{}-{number}", &self.noun[..1])
    }

    /// The calls that bring a tool's fault about, as small as can be: one call, or a sequence.
    pub(crate) fn smallest(&self, tool: &Tool) -> Option<Vec<Value>> {
        let call = |tool: &Tool, arguments: Value| json!({"name": tool.name, "arguments": arguments});
        let fault = tool.fault.as_ref()?;
        if let Some(arguments) = fault.smallest(smallest(&tool.schema)) {
            return Some(vec![call(tool, arguments)]);
        }
        let with = |work| self.tools.iter().find(|tool| tool.work == work);
        let (create, delete) = (with(Work::Create)?, with(Work::Delete)?);
        let named = json!({"id": self.id(self.first)});
        Some(vec![call(create, smallest(&create.schema)), call(delete, named.clone()), call(tool, named)])
    }
}

impl Template {
    /// The tool, with its parameter somewhere among others.
    fn drawn(&self, beside: &Map<String, Value>, rng: &mut Rng) -> Tool {
        let parameter = one(rng, &self.parameter);
        let count = rng.usize(0..=2);
        let mut properties = rng.choose_multiple(beside.clone(), count);
        properties.insert(rng.usize(0..=count), (parameter.clone(), self.schema.clone()));
        let fault = self.kind.map(|kind| Fault {
            kind,
            words: one(rng, &self.words),
            threshold: match kind {
                Kind::CrashOnNumber => rng.u64(10..=99) * 10_u64.pow(rng.u32(8..=10)),
                Kind::HangOnLongText => rng.u64(200..=399) << rng.u32(0..=3),
                _ => rng.u64(2..=40),
            },
            showing: [Showing::Told, Showing::Unanswered, Showing::Ends][rng.usize(0..3)],
            schema: self.schema.clone(),
            parameter: parameter.clone(),
        });
        Tool {
            name: format!("{}_{}", one(rng, &self.verbs), one(rng, &self.nouns)),
            description: self.description.clone(),
            schema: object(properties.into_iter().collect(), &[&parameter]),
            work: Work::Tell,
            fault,
        }
    }
}

impl Tool {
    /// Its entry in `tools/list`.
    pub(crate) fn listed(&self) -> Value {
        let (deletes, creates) = (self.work == Work::Delete, self.work == Work::Create);
        json!({
            "name": self.name,
            "description": self.description,
            "inputSchema": self.schema,
            "annotations": {"readOnlyHint": !deletes && !creates, "destructiveHint": deletes, "openWorldHint": false},
        })
    }
}

/// The tools that make, show, delete and list what the server keeps.
fn kept(noun: &str, words: String) -> [Tool; 4] {
    let text = |description: &str| json!({"type": "string", "minLength": 1, "description": description});
    let (named, told) = (object_of("id", text("Which one.")), object_of("text", text("What it says.")));
    let tool = |verb: &str, schema: &Value, work| Tool {
        name: format!("{verb}_{noun}"),
        description: format!("What you {verb} is a {noun} in memory."),
        schema: schema.clone(),
        work,
        fault: None,
    };
    let leak = Fault {
        kind: Kind::LeakAfterDelete,
        parameter: "id".to_owned(),
        words,
        schema: named["properties"]["id"].clone(),
        threshold: 0,
        showing: Showing::Told,
    };
    [
        tool("create", &told, Work::Create),
        Tool { fault: Some(leak), ..tool("read", &named, Work::Read) },
        tool("delete", &named, Work::Delete),
        tool("list", &object(Map::new(), &[]), Work::List),
    ]
}

fn object_of(parameter: &str, schema: Value) -> Value {
    object(Map::from_iter([(parameter.to_owned(), schema)]), &[parameter])
}

fn object(properties: Map<String, Value>, required: &[&str]) -> Value {
    let properties = Value::Object(properties);
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn one(rng: &mut Rng, of: &[String]) -> String {
    of[rng.usize(0..of.len())].clone()
}
