//! The labelled texts of `conformance-cases/corpus` as the models take them.
//!
//! The main type is [`Labelled`].

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use mcp_errconf_second_reader::{Features, Question, Reading, Sent};
use serde::Deserialize;
use serde_json::Value;

/// What stands for a folder in the corpus.
const FOLDERS: [&str; 5] = ["{workspace}", "{outside}", "{parent}", "{home}", "{install}"];

/// A text with the answers that are known.
pub(crate) struct Labelled {
    pub(crate) id: String,
    /// Texts of one source are alike: they are never on both sides of a split.
    pub(crate) source: String,
    /// Whether nothing is trained on it.
    pub(crate) is_set_aside: bool,
    pub(crate) reading: Reading,
    pub(crate) answers: BTreeMap<Question, bool>,
    /// What the rules of `mcp-errconf` answer, from the files of verdicts.
    pub(crate) rules: BTreeMap<Question, bool>,
}

#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    id: String,
    text: String,
    #[serde(default)]
    source: String,
    #[serde(default)]
    borderline: bool,
    #[serde(default)]
    context: Context,
    label: Option<String>,
    kind: Option<String>,
    label_hint: Option<String>,
    label_vague: Option<bool>,
    language: Option<String>,
    hand: Option<String>,
    #[serde(default)]
    aside: bool,
    call: Option<String>,
    #[serde(default)]
    lacks: BTreeSet<String>,
    #[serde(default)]
    arguable: BTreeSet<String>,
    failed: Option<bool>,
}

/// What the caller had sent.
#[derive(Deserialize, Default, Clone)]
#[serde(default)]
struct Context {
    id: String,
    tool: Option<String>,
    arguments: Value,
    value: Value,
    path: Value,
    file_content: Value,
    param: Option<String>,
}

impl Context {
    fn sent(&self) -> Sent {
        let mut sent = FOLDERS.into_iter().fold(Sent::default(), Sent::folder);
        for value in [&self.arguments, &self.value, &self.path, &self.file_content] {
            sent = with(sent, value);
        }
        sent = self.param.iter().cloned().fold(sent, Sent::parameter);
        self.tool.iter().cloned().fold(sent, Sent::tool)
    }
}

/// The values and names within a value.
fn with(sent: Sent, value: &Value) -> Sent {
    match value {
        Value::Null => sent,
        Value::Array(items) => items.iter().fold(sent, with),
        Value::Object(members) => {
            members.iter().fold(sent, |sent, (name, value)| with(sent.parameter(name.as_str()), value))
        }
        Value::String(text) => {
            let escaped = value.to_string();
            sent.value(text.as_str()).value(&escaped[1..escaped.len() - 1])
        }
        Value::Bool(_) | Value::Number(_) => sent.value(value.to_string()),
    }
}

/// Every text of the corpus that has an answer.
pub(crate) fn read() -> Vec<Labelled> {
    let calls: Vec<Context> = lines("wordings-calls.jsonl");
    let calls: BTreeMap<String, Context> = calls.into_iter().map(|call| (call.id.clone(), call)).collect();
    let files = ["leaks", "hints", "wordings", "replies"];
    let texts = files.iter().flat_map(|file| {
        let verdicts = verdicts(file);
        let lines: Vec<Line> = lines(&format!("{file}.jsonl"));
        let labelled = |line: Line| labelled(line, &calls, &verdicts);
        lines.into_iter().map(labelled).collect::<Vec<_>>()
    });
    texts.filter(|text| !text.answers.is_empty()).collect()
}

fn labelled(line: Line, calls: &BTreeMap<String, Context>, verdicts: &BTreeMap<String, String>) -> Labelled {
    let context = line.call.as_ref().map_or(&line.context, |call| &calls[call]);
    let source = match (&line.hand, &line.language) {
        (Some(hand), Some(language)) => format!("{language} {hand}"),
        // Texts by many hands: each stands for itself.
        _ if line.source == "written" && line.label_hint.is_some() => format!("written {}", line.id),
        _ => match (line.source.strip_prefix("real-server "), &line.kind) {
            (Some(server), _) => server.to_owned(),
            // What one program prints, bare and wrapped.
            (None, Some(kind)) => format!("{}: {kind}", line.source),
            (None, None) => line.source.clone(),
        },
    };
    let verdict = verdicts.get(&line.id).map(String::as_str);
    Labelled {
        is_set_aside: if line.hand.is_some() { line.aside } else { is_set_aside(&source) },
        reading: Reading::new(&line.text, &context.sent()),
        answers: answers(&line),
        rules: verdict.map(|verdict| rules(&line, verdict)).unwrap_or_default(),
        source,
        id: line.id,
    }
}

/// A fifth of the sources, by their names.
fn is_set_aside(source: &str) -> bool {
    source.bytes().fold(7_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte))) % 5 == 0
}

fn answers(line: &Line) -> BTreeMap<Question, bool> {
    let mut answers = BTreeMap::new();
    if line.borderline {
        return answers;
    }
    if let Some(label) = &line.label {
        answers.insert(Question::Leak, label == "leak");
    }
    if let Some(label) = line.label_hint.as_deref().filter(|label| *label != "not-applicable") {
        answers.insert(Question::NoHint, label == "no-hint");
    }
    if let Some(is_vague) = line.label_vague {
        answers.insert(Question::Vague, is_vague);
    }
    if line.hand.is_some() && !line.arguable.contains("hint") {
        answers.insert(Question::NoHint, line.lacks.contains("hint"));
    }
    if line.hand.is_some() && !line.arguable.contains("meaning") {
        answers.insert(Question::Vague, line.lacks.contains("meaning"));
    }
    // A real reply in the corpus of hints is an error.
    let is_error = line.label_hint.is_some() && line.source.starts_with("real-server ");
    if let Some(failed) = line.failed.or(is_error.then_some(true)) {
        answers.insert(Question::Failure, failed);
    }
    answers
}

fn rules(line: &Line, verdict: &str) -> BTreeMap<Question, bool> {
    let has = |words: &[&str]| words.iter().any(|word| verdict.contains(word));
    if line.label.is_some() {
        return BTreeMap::from([(Question::Leak, verdict != "nothing")]);
    }
    let no_hint = has(&["no hint", "vague", "message/hint-missing", "message/valid-values-missing"]);
    BTreeMap::from([(Question::NoHint, no_hint), (Question::Vague, has(&["vague"]))])
}

/// What the rules said of each line when it was reviewed, by its id and without what is wrong about it.
fn verdicts(file: &str) -> BTreeMap<String, String> {
    let text = fs::read_to_string(folder().join(format!("{file}.verdicts"))).unwrap_or_default();
    let lines = text.lines().filter_map(|line| line.split_once(": "));
    let said = |verdict: &str| verdict.split(';').next().unwrap_or_default().to_owned();
    lines.map(|(id, verdict)| (id.to_owned(), said(verdict))).collect()
}

fn lines<T: for<'de> Deserialize<'de>>(file: &str) -> Vec<T> {
    let path = folder().join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines = text.lines().enumerate();
    let line = |(number, line)| match serde_json::from_str(line) {
        Ok(line) => line,
        Err(error) => panic!("{}:{}: {error}", path.display(), number + 1),
    };
    lines.map(line).collect()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../conformance-cases/corpus")
}

/// What a model of a question learns from texts.
pub(crate) fn lessons<'a>(
    texts: impl Iterator<Item = &'a Labelled>,
    question: Question,
) -> Vec<(&'a Features, bool)> {
    texts.filter_map(|text| Some((text.reading.features(), *text.answers.get(&question)?))).collect()
}
