//! Which tools the server of a seed has, and which fault is where.
//!
//! The main type is [`Plan`]. Names, thresholds and positions are drawn; nothing here runs.

use serde_json::{Value, json};

use crate::fault::{Fault, Kind, Showing};
use crate::innocent;
use crate::seed::Seed;
use crate::shape::{Parameter, Shape};
use crate::store::Naming;
use crate::tool::{Effect, Tool, Work};

/// The tools of one server.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// In the order in which they are listed.
    pub(crate) tools: Vec<Tool>,
    /// How the things that are kept get their names.
    pub(crate) naming: Naming,
}

impl Plan {
    /// The server of this seed.
    pub(crate) fn of(seed: u64) -> Self {
        let mut seed = Seed::new(seed);
        let mut tools = vec![
            crash(&mut seed),
            hang(&mut seed),
            slash(&mut seed),
            empty_list(&mut seed),
            emoji(&mut seed),
            letters(&mut seed),
            nested(&mut seed),
        ];
        let naming = Naming::of(&mut seed);
        tools.extend(kept(&mut seed, naming));
        let count = seed.within(4..=innocent::COUNT as u64) as usize;
        tools.extend(seed.some(count, &innocent::ALL).into_iter().map(innocent::Innocent::tool));
        seed.shuffle(&mut tools);
        Self { tools, naming }
    }

    /// The tools without their faults.
    pub(crate) fn mended(mut self) -> Self {
        for tool in &mut self.tools {
            tool.fault = None;
        }
        self
    }

    /// The tool of this name.
    pub(crate) fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}

/// Parameters that stand beside a faulty one.
fn beside(seed: &mut Seed) -> Vec<Parameter> {
    let all = [
        Parameter::optional("limit", "At most so many.", Shape::Integer { least: 1, most: Some(500) }),
        Parameter::optional(
            "layout",
            "How the answer is laid out.",
            Shape::Choice(vec!["plain", "wide", "table"]),
        ),
        Parameter::required("subject", "What it is about.", Shape::Text { least: 1 }).example(json!("tides")),
        Parameter::optional("comment", "A remark that is kept beside it.", Shape::Text { least: 0 }),
        Parameter::optional("weights", "A weight for each.", Shape::Numbers { least: 1 }),
        Parameter::required("season", "The season.", Shape::Choice(vec!["spring", "summer", "autumn"])),
    ];
    let count = seed.within(0..=2) as usize;
    let places: Vec<usize> = (0..all.len()).collect();
    seed.some(count, &places).into_iter().map(|place| all[place].clone()).collect()
}

/// A tool with a fault: its parameter somewhere among others, now and then within an object.
fn faulty(seed: &mut Seed, name: &str, description: &'static str, parameter: Parameter, kind: Kind) -> Tool {
    let mut parameters = beside(seed);
    let mut spot = vec![parameter.name];
    let parameter = match seed.percent(25) {
        false => parameter,
        true => {
            let around = *seed.one(&["options", "settings", "details"]);
            spot.insert(0, around);
            Parameter::required(around, "What else is known of it.", Shape::Object(vec![parameter]))
        }
    };
    let place = seed.within(0..=parameters.len() as u64) as usize;
    parameters.insert(place, parameter);
    Tool {
        name: name.to_owned(),
        description: description.to_owned(),
        effect: Effect::Reads,
        parameters,
        work: Work::Tell,
        fault: Some(Fault { spot, kind }),
    }
}

/// Two words, each drawn, as a tool's name.
fn name(seed: &mut Seed, verbs: &[&str], nouns: &[&str]) -> String {
    format!("{}_{}", seed.one(verbs), seed.one(nouns))
}

fn crash(seed: &mut Seed) -> Tool {
    let name = name(seed, &["preview", "sample", "show"], &["rows", "readings", "samples"]);
    let parameter = *seed.one(&["rows", "amount", "points", "window"]);
    let mut least = seed.within(10..=99) as i64;
    for _ in 0..seed.within(8..=10) {
        least *= 10;
    }
    let most = least * seed.within(4..=20) as i64;
    let parameter =
        Parameter::required(parameter, "How many are shown.", Shape::Integer { least: 1, most: None });
    let parameter = parameter.example(json!(12));
    let kind = Kind::CrashOnNumber { least, most };
    faulty(seed, &name, "Shows the first of many measured values.", parameter, kind)
}

fn hang(seed: &mut Seed) -> Tool {
    let name = name(seed, &["match", "compare", "check"], &["phrase", "wording", "passage"]);
    let parameter = *seed.one(&["phrase", "passage", "sentence", "needle"]);
    let parameter = Parameter::required(parameter, "The words to look at.", Shape::Text { least: 1 });
    let doublings = seed.within(0..=3);
    let characters = (seed.within(200..=399) << doublings) as usize;
    let kind = Kind::HangOnLongText { characters };
    faulty(seed, &name, "Tells how alike words are to the usual ones.", parameter, kind)
}

fn slash(seed: &mut Seed) -> Tool {
    let name = name(seed, &["open", "describe", "outline"], &["section", "chapter", "page"]);
    let parameter = *seed.one(&["path", "location", "section_path"]);
    let parameter = Parameter::required(parameter, "Path of a part of the manual.", Shape::Text { least: 1 })
        .example(json!("guide/intro"));
    let words = *seed.one(&[
        "NotADirectoryError: [Errno 20] Not a directory: '{}'",
        "java.nio.file.NotDirectoryException: {}",
        "ENOTDIR: not a directory, scandir '{}'",
    ]);
    let kind = Kind::LeakOnTrailingSlash(words);
    let tool = faulty(seed, &name, "Describes a part of the manual.", parameter, kind);
    Tool { work: Work::Manual, ..tool }
}

fn empty_list(seed: &mut Seed) -> Tool {
    let name = name(seed, &["average", "summarize", "rank"], &["scores", "prices", "weights"]);
    let parameter = *seed.one(&["values", "scores", "numbers", "series"]);
    let parameter = Parameter::required(parameter, "The numbers.", Shape::Numbers { least: 0 });
    let words = *seed.one(&[
        "IndexError: list index out of range",
        "runtime error: index out of range [0] with length 0",
        "index out of bounds: the len is 0 but the index is 0",
    ]);
    let kind = Kind::IndexErrorOnEmptyList(words);
    faulty(seed, &name, "Sums numbers up in one line.", parameter, kind)
}

fn emoji(seed: &mut Seed) -> Tool {
    let name = name(seed, &["shorten", "abbreviate", "trim"], &["title", "headline", "caption"]);
    let parameter = *seed.one(&["title", "text", "headline", "caption"]);
    let parameter = Parameter::required(parameter, "What is to be made shorter.", Shape::Text { least: 1 });
    let byte = seed.within(2..=40) as usize;
    let showing = *seed.one(&[Showing::Told, Showing::Unanswered, Showing::Ends]);
    let kind = Kind::PanicOnEmoji { byte, showing };
    faulty(seed, &name, "Makes a line short enough for a list.", parameter, kind)
}

fn letters(seed: &mut Seed) -> Tool {
    let name = name(seed, &["sort", "group", "arrange"], &["entries", "results", "members"]);
    let parameter = *seed.one(&["order", "mode", "by", "style"]);
    let values = *seed.one::<&[&str]>(&[
        &["ascending", "descending"],
        &["name", "size", "date"],
        &["compact", "full", "none"],
    ]);
    let parameter = Parameter::required(parameter, "How it is done.", Shape::Choice(values.to_vec()));
    let output = *seed.one(&[
        "UnknownVariant { given: \"{}\", position: 0 }",
        "Err(ParseModeError { kind: CaseMismatch, value: \"{}\" })",
        "Some(Unrecognized { token: \"{}\", line: 1 })",
    ]);
    let kind = Kind::DebugFormatOnCase { values: values.to_vec(), output };
    faulty(seed, &name, "Puts what is known into an order.", parameter, kind)
}

fn nested(seed: &mut Seed) -> Tool {
    let name = name(seed, &["plot", "draw", "chart"], &["range", "interval", "span"]);
    let around = *seed.one(&["range", "interval", "bounds"]);
    let [first, last] = *seed.one(&[["from", "to"], ["start", "end"], ["low", "high"]]);
    let integer = Shape::Integer { least: 0, most: None };
    let members = [first, last].map(|key| Parameter::required(key, "A border of it.", integer.clone()));
    let key = *seed.one(&[first, last]);
    let parameter =
        Parameter::required(around, "The borders, both included.", Shape::Object(members.to_vec()));
    let kind = Kind::UndefinedOnMissingKey { key };
    faulty(seed, &name, "Draws a scale in letters.", parameter, kind)
}

/// The tools that make, show, list and delete what the server keeps.
fn kept(seed: &mut Seed, naming: Naming) -> Vec<Tool> {
    let noun = naming.noun();
    let words = *seed.one(&[
        "KeyError: '{}'",
        "java.util.NoSuchElementException: No value present for {}",
        "called `Option::unwrap()` on a `None` value",
    ]);
    let id = *seed.one(&["id", "key", "reference"]);
    let text = *seed.one(&["text", "body", "content"]);
    let create = *seed.one(&["create", "add"]);
    let read = *seed.one(&["read", "get", "show"]);
    let delete = *seed.one(&["delete", "remove"]);
    let tool = |name: &str, description: &str, effect, parameters, work| Tool {
        name: format!("{name}_{noun}"),
        description: format!("{description} a {noun} in memory."),
        effect,
        parameters,
        work,
        fault: None,
    };
    let named = || Parameter::required(id, "Which one.", Shape::Text { least: 1 });
    let body = Parameter::required(text, "What it says.", Shape::Text { least: 1 });
    let made = match naming.is_callers() {
        true => vec![named(), body],
        false => vec![body],
    };
    let leak = Fault { spot: vec![id], kind: Kind::LeakAfterDelete(words) };
    vec![
        tool(create, "Creates", Effect::Creates, made, Work::Create { id, text }),
        Tool { fault: Some(leak), ..tool(read, "Shows", Effect::Reads, vec![named()], Work::Read { id }) },
        tool(delete, "Deletes", Effect::Deletes, vec![named()], Work::Delete { id }),
        Tool {
            name: format!("list_{noun}s"),
            description: format!("Lists the {noun}s in memory."),
            effect: Effect::Reads,
            parameters: Vec::new(),
            work: Work::List,
            fault: None,
        },
    ]
}

/// The calls that bring a fault about, as small as can be: one call, or a sequence.
pub(crate) fn smallest(plan: &Plan, tool: &Tool) -> Option<Vec<(String, Value)>> {
    let fault = tool.fault.as_ref()?;
    if let Some(arguments) = fault.smallest(tool.smallest()) {
        return Some(vec![(tool.name.clone(), arguments)]);
    }
    let with = |is: fn(&Work) -> bool| plan.tools.iter().find(|tool| is(&tool.work));
    let (create, delete) = (
        with(|work| matches!(work, Work::Create { .. }))?,
        with(|work| matches!(work, Work::Delete { .. }))?,
    );
    let Work::Read { id } = tool.work else { return None };
    let name = json!({id: plan.naming.first()});
    let mut made = create.smallest();
    if plan.naming.is_callers() {
        made[id] = name[id].clone();
    }
    Some(vec![(create.name.clone(), made), (delete.name.clone(), name.clone()), (tool.name.clone(), name)])
}
