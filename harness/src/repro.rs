//! Findings as standalone programs: a shell script, and tests for pytest, vitest, Go and Rust. Each fails as
//! long as the server replies as it did.
//!
//! The main type is [`Repro`]. This module starts nothing and writes nothing. What a call may do where nothing confines the
//! server is in `effects`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::condition::CaseId;
use crate::escape;
use crate::exchange::{Call, Exchange, RawReply, Step};
use crate::finding::{Finding, FindingPlace, RunSession, Wording};
use crate::placeholder::Collapser;
use crate::rules::handling;
use crate::rules::handling::FixCheck;
use crate::suite::Suite;
use crate::transcript::{Lifecycle, Transcript};
use crate::wire::{INITIALIZE, INITIALIZED, initialize_params, notification_line, request_line};

mod effects;
mod guide;
mod layout;
mod literal;
mod shell;
mod start;
mod suites;

use effects::Effects;
use layout::Layout;

pub use effects::ALLOWED;
pub use guide::guide;
pub use start::ReproStart;
pub use suites::support;

/// A test larger than this, in bytes, is not written, because nobody would read it.
const LONGEST: usize = 8_000;

/// What shows that a reply is unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Check {
    /// The call is carried out, or its failure is not flagged.
    Refused,
    /// This text is in the reply.
    Absent(String),
    /// The reply has exactly this text.
    Other(String),
}

/// A finding that can be reproduced without this program.
#[derive(Debug, Clone)]
pub struct Repro {
    /// The name of its files: lower-case letters, digits and `_`.
    pub name: String,
    /// The finding in the words of the report, one line each.
    words: Vec<String>,
    /// What is checked in a few words, for whoever sees the test fail.
    short: String,
    /// How to fix the server.
    help: String,
    case: CaseId,
    start: ReproStart,
    layout: Layout,
    /// The lines to send, with the id of each request.
    lines: Vec<(String, Option<i64>)>,
    /// The calls by tool and arguments; `None` if a line contains more.
    calls: Option<Vec<(String, Value)>>,
    check: Check,
    /// What its calls may do to the machine of whoever runs it.
    effects: Effects,
    /// Whether the server was confined when it gave the reply.
    is_confined: bool,
    /// The line of the reply, with folders replaced by placeholders.
    reply: String,
}

/// A file of a reproduction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReproFile {
    /// Its path in the folder, with `/`.
    pub path: String,
    /// Its text.
    pub text: String,
}

impl Repro {
    /// The reproduction of a finding, from the first of its places that can be reproduced.
    ///
    /// # Errors
    /// The reason, if there is none: it is not about a tool call, or needs what a test cannot provide.
    pub fn new(
        name: &str,
        finding: &Finding,
        transcript: &Transcript,
        suite: &Suite,
        start: &ReproStart,
        confined: ConfinedCalls<'_>,
    ) -> Result<Self, &'static str> {
        let mut why = "it is about no single call of a tool";
        for place in &finding.places {
            let (Some(case), Some(tool)) = (&place.case, &place.tool) else { continue };
            let calls = transcript.exchanges.iter().filter(|exchange| {
                exchange.place.case.as_ref() == Some(case)
                    && matches!(exchange.place.step, Step::Call | Step::Follow)
                    && exchange.call.tool.as_ref() == Some(tool)
            });
            for exchange in calls {
                // A place of the first session may have calls of the second one too.
                let is_confined =
                    confined.is_whole_run || transcript.session_of(exchange) == RunSession::Confined;
                let classes = is_confined.then_some(confined.classes);
                let seen = Seen { name, finding, place, case, tool, classes };
                match seen.repro(exchange, transcript, suite, start) {
                    Ok(repro) => return Ok(repro),
                    Err(other) => why = other,
                }
            }
        }
        Err(why)
    }

    /// Its files: the script, and a test for each kind of test suite, in a folder for each.
    pub fn files(&self) -> Vec<ReproFile> {
        let script = shell::script(self).map(|text| ReproFile { path: self.script(), text });
        script.into_iter().chain(suites::tests(self)).collect()
    }

    /// The path of its script.
    pub fn script(&self) -> String {
        format!("shell/{}.sh", self.name)
    }

    /// Whether it may be tried only where the server is confined, as it was.
    pub fn is_confined(&self) -> bool {
        self.is_confined
    }
}

/// What was confined in the run, and what its tools may do.
#[derive(Debug, Clone, Copy)]
pub struct ConfinedCalls<'r> {
    /// Whether every call of the run was sent to a confined server, not only those of the second session.
    pub is_whole_run: bool,
    /// The tools' classes by their names, as the report has them.
    pub classes: &'r BTreeMap<String, String>,
}

/// The name of a finding's files, before it is made unique.
pub fn name(finding: &Finding) -> String {
    let words = format!("{} {}", finding.rule, finding.tool.as_deref().unwrap_or_default());
    let words = words.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_ascii_lowercase).collect();
    let words = words.join("_");
    words[..words.len().min(60)].trim_end_matches('_').to_owned()
}

/// A finding in one of its places.
struct Seen<'f> {
    name: &'f str,
    finding: &'f Finding,
    place: &'f FindingPlace,
    case: &'f CaseId,
    tool: &'f str,
    /// The classes of the tools if the server was confined.
    classes: Option<&'f BTreeMap<String, String>>,
}

impl Seen<'_> {
    /// The reproduction from one call of the case.
    fn repro(
        &self,
        exchange: &Exchange,
        transcript: &Transcript,
        suite: &Suite,
        start: &ReproStart,
    ) -> Result<Repro, &'static str> {
        let collapser = Collapser::new(&transcript.head.folders);
        let Some(RawReply::Text(reply)) = &exchange.reply else { return Err("the reply was not kept whole") };
        let reply = collapser.text(reply);
        let check = self.check(&reply)?;
        let mut layout = Layout::of_case(self.case, suite)?;
        let earlier = transcript.exchanges[..exchange.index].iter().filter(|earlier| {
            earlier.place.case == exchange.place.case
                && earlier.process == exchange.process
                && matches!(earlier.place.step, Step::Prepare | Step::Control | Step::Call)
        });
        let mut lines = beginning(transcript.head.lifecycle);
        let mut calls = Some(Vec::new());
        let mut effects = Effects::None;
        for sent in earlier.chain([exchange]) {
            let arguments = collapser.value(&sent.call.arguments);
            layout.add_led_to(&arguments)?;
            if let (Some(classes), Some(tool)) = (self.classes, &sent.call.tool) {
                let class = classes.get(tool).map_or("unknown", String::as_str);
                effects = effects.max(Effects::of(class, &arguments, start));
            }
            let line = collapser.text(&sent.call.line);
            let id = serde_json::from_str::<Value>(&line).ok().and_then(|line| line["id"].as_i64());
            lines.push((line, Some(id.ok_or("the call has no id that is a number")?)));
            calls = calls.zip(plain(&sent.call)).map(|(mut calls, (tool, arguments))| {
                calls.push((tool, collapser.value(&arguments)));
                calls
            });
        }
        layout.keep_innermost();
        let size = lines.iter().map(|(line, _)| line.len()).chain(layout.files.values().map(String::len));
        if size.sum::<usize>() + check.text().len() > LONGEST {
            return Err("the call, its files or the reply are too long for a test that somebody reads");
        }
        let (message, help) = match self.wording() {
            Some(wording) => (&wording.message, &wording.help),
            None => (&self.finding.message, &self.finding.help),
        };
        let (level, rule, requirement) = (self.finding.level, &self.finding.rule, &self.finding.requirement);
        let words = [
            format!("{level}[{rule}]: {message}"),
            format!("Found with tool {}, case {} ({requirement}).", self.tool, self.case),
        ];
        Ok(Repro {
            name: self.name.to_owned(),
            words: words.iter().map(|text| escape::line_within(text, 600)).collect(),
            short: escape::line_within(&format!("{rule}: {message}"), 100),
            help: escape::line(help),
            case: self.case.clone(),
            start: start.clone(),
            layout,
            lines,
            calls,
            check,
            effects,
            is_confined: self.classes.is_some(),
            reply,
        })
    }

    fn wording(&self) -> Option<&Wording> {
        self.finding.wordings.get(self.place.wording.checked_sub(1)?)
    }

    /// How the finding shows in the reply's line.
    fn check(&self, reply: &str) -> Result<Check, &'static str> {
        let unseen = Err("the text of one reply alone does not show it");
        let Ok(reply) = serde_json::from_str::<Value>(reply) else { return unseen };
        let fixed = handling(&self.finding.rule).fixed;
        let is_refused = reply.get("error").is_some() || reply["result"]["isError"] == true;
        if fixed == FixCheck::Refused {
            return if is_refused { unseen } else { Ok(Check::Refused) };
        }
        let blocks = reply["result"]["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        let texts: Vec<&str> = match reply.get("error") {
            Some(error) => error["message"].as_str().into_iter().collect(),
            None => blocks.iter().map(|block| block["text"].as_str().unwrap_or_default()).collect(),
        };
        let text = texts.join("\n");
        let evidence = self.wording().map_or(&self.finding.evidence, |wording| &wording.evidence);
        let Some(evidence) = evidence else { return unseen };
        if fixed == FixCheck::None {
            return unseen;
        }
        let marked = evidence.span.map_or("", |(start, end)| &evidence.text[start..end]);
        match (fixed, &evidence.text) {
            // The rest of the text may stay as it is.
            (FixCheck::MarkGone, _) if !marked.is_empty() && text.contains(marked) => {
                Ok(Check::Absent(marked.to_owned()))
            }
            (_, whole) if *whole == text => Ok(Check::Other(text)),
            (_, part) if !part.is_empty() && text.contains(part) => Ok(Check::Absent(part.clone())),
            _ => unseen,
        }
    }
}

/// A call as tool and arguments, if its line contains nothing else.
fn plain(call: &Call) -> Option<(String, Value)> {
    let tool = call.tool.clone()?;
    let mut line: Value = serde_json::from_str(&call.line).ok()?;
    line["params"].as_object_mut()?.remove("_meta");
    let is_plain = line["params"] == json!({"name": tool, "arguments": call.arguments});
    is_plain.then(|| (tool, call.arguments.clone()))
}

impl Check {
    fn text(&self) -> &str {
        match self {
            Self::Refused => "",
            Self::Absent(text) | Self::Other(text) => text,
        }
    }
}

/// The messages that begin a session. The client declares no capabilities, so that the server requests nothing.
fn beginning(lifecycle: Lifecycle) -> Vec<(String, Option<i64>)> {
    match lifecycle {
        Lifecycle::Legacy => {
            let mut params = initialize_params();
            params["capabilities"] = json!({});
            let first = request_line(0, INITIALIZE, &params.to_string());
            vec![(first, Some(0)), (notification_line(INITIALIZED), None)]
        }
        Lifecycle::Modern => Vec::new(),
    }
}
