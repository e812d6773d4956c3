//! Tests the verdicts on the replies of a campaign: which change is blamed, what is new, what is fair.

use serde_json::{Value, json};

use crate::exchange::RpcError;
use crate::generate::AppliedMutation;
use crate::sample;

use super::novelty::SUCCESSES;
use super::*;

fn verdicts() -> CampaignJudge {
    CampaignJudge::new(sample::head(), sample::contract())
}

fn input(arguments: &str, validity: Validity, keyword: Option<&str>) -> Input {
    let change = keyword.map(|keyword| AppliedMutation {
        path: "/path".to_owned(),
        keyword: keyword.to_owned(),
        label: String::new(),
    });
    Input { arguments: arguments.to_owned(), changes: change.into_iter().collect(), validity }
}

fn result(text: &str) -> Outcome {
    Outcome::Result(json!({"content": [{"type": "text", "text": text}]}))
}

fn refusal(text: &str) -> Outcome {
    Outcome::Result(json!({"content": [{"type": "text", "text": text}], "isError": true}))
}

/// The verdict on the reply to a call of `view`.
fn verdict(verdicts: &mut CampaignJudge, input: &Input, outcome: Outcome) -> Verdict {
    let arguments = input.value().unwrap_or_else(|| Value::from(input.arguments.as_str()));
    verdicts.closely(&Exchange::alone(Some("view"), arguments, outcome), input)
}

/// The rules that the reply breaks.
fn rules(verdicts: &mut CampaignJudge, input: &Input, outcome: Outcome) -> Vec<String> {
    verdict(verdicts, input, outcome).findings.iter().map(|(key, _)| key.rule.clone()).collect()
}

#[test]
fn an_answer_to_a_line_that_is_no_json_is_no_channel_error() {
    let unread =
        |message: &str| Outcome::Error(RpcError { code: -32700, message: message.to_owned(), data: None });
    let broken = input(r#"{"path":"\x"}"#, Validity::Unknown, Some("escape"));
    assert_eq!(rules(&mut verdicts(), &broken, unread("Parse error")), [""; 0]);
    let leaking = unread("Parse error: thread 'main' panicked at src/main.rs:1:1");
    assert_eq!(rules(&mut verdicts(), &broken, leaking), ["leak/panic"], "its words are judged still");
    let plain = input(r#"{"path":"a"}"#, Validity::Valid, None);
    assert_eq!(rules(&mut verdicts(), &plain, unread("Parse error")), ["channel/protocol-error"]);
}

#[test]
fn an_accepted_call_is_named_by_what_its_schema_forbids_and_not_by_any_change() {
    let mut verdicts = verdicts();
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"],
        "additionalProperties": false});
    verdicts.transcript.head.catalog.tools[0].input_schema = schema;
    assert_eq!(rules(&mut verdicts, &input(r#"{"path":"a"}"#, Validity::Valid, None), result("a")), [""; 0]);
    for (arguments, change, condition) in [
        (r#"{"path":"a/..","b":1}"#, "dot-segments", "unknown-argument"),
        (r#"{"path":7,"b":1}"#, "additionalProperties", "unknown-argument"),
        (r#"{"path":7,"b":1}"#, "type", "invalid-type"),
        ("{}", "long-name", "missing-argument"),
    ] {
        let input = input(arguments, Validity::Invalid, Some(change));
        let found = verdict(&mut verdicts, &input, result("7")).findings;
        let marks: Vec<&str> = found.iter().map(|(key, _)| key.mark.as_str()).collect();
        assert_eq!(marks, [condition], "{arguments} by {change}");
    }
}

#[test]
fn a_call_is_blamed_on_its_acceptance_only_where_a_change_of_it_is_forbidden() {
    let mut verdicts = verdicts();
    let plain = input(r#"{"path":"a"}"#, Validity::Valid, None);
    let changed = input(r#"{"path":7}"#, Validity::Invalid, Some("type"));
    assert_eq!(rules(&mut verdicts, &changed, result("7")), [""; 0], "no call is known to succeed");
    assert_eq!(rules(&mut verdicts, &plain, result("a")), [""; 0]);
    assert_eq!(rules(&mut verdicts, &changed, result("7")), ["channel/accepted-bad-input"]);
    let unchanged = input(r#"{"path":7}"#, Validity::Invalid, None);
    assert_eq!(rules(&mut verdicts, &unchanged, result("7")), [""; 0]);
    let no_object = input("[7]", Validity::Invalid, Some("type"));
    assert_eq!(rules(&mut verdicts, &no_object, result("7")), [""; 0], "an SDK may take it for none");
}

#[test]
fn a_reply_of_a_known_shape_has_the_verdict_of_the_first() {
    let mut verdicts = verdicts();
    let mut parsed = |id: i64, path: &str, text: &str| {
        let input = input(&json!({"path": path}).to_string(), Validity::Valid, None);
        let value = input.value().expect("it is JSON");
        let outcome = json!({"content": [{"type": "text", "text": text}], "isError": true});
        let line = json!({"jsonrpc": "2.0", "id": id, "result": outcome}).to_string();
        let sent = Sent::new(&value);
        let line = line.as_bytes();
        let seen = AnsweredCall { tool: "view", input: &input, sent: &sent, id, line, length: line.len() };
        let known = verdicts.known(seen).is_some();
        let (verdict, closely) = verdicts.judge(ParsedReply {
            seen,
            value: &value,
            outcome: Outcome::Result(outcome),
            noise: Vec::new(),
            strays: Vec::new(),
        });
        assert_eq!(known, closely.is_none(), "it is judged closely where it is not known");
        (verdict.findings.iter().map(|(key, _)| key.rule.clone()).collect::<Vec<_>>(), closely.is_some())
    };
    let missing = |path: &str| format!("[PATH_NOT_FOUND] KeyError: '{path}'. Check the path.");
    let (first, judged) = parsed(1, "one.txt", &missing("one.txt"));
    assert_eq!((first.as_slice(), judged), (["leak/runtime-error".to_owned()].as_slice(), true));
    assert_eq!(parsed(2, "another.txt", &missing("another.txt")), (first, false));
    assert_eq!(
        parsed(3, "one.txt", "[PATH_NOT_FOUND] There is no 'one.txt'. Check the path."),
        (vec![], true)
    );
    for (id, times) in [(4, 17), (5, 18)] {
        let text = format!("{} Tried {times} times.", missing("one.txt"));
        assert!(parsed(id, "one.txt", &text).1, "another number is another shape");
    }
    let (shapes, findings) = (verdicts.known.len(), verdicts.found.len());
    assert_eq!((shapes, findings), (4, 3), "what is found is held once, whatever numbers it came with");
}

#[test]
fn a_reply_that_comes_late_is_worth_a_note() {
    let mut verdicts = verdicts();
    let level = |liveness| {
        let input = input(r#"{"path":"one.txt"}"#, Validity::Valid, None);
        let verdict = verdict(&mut verdicts, &input, Outcome::NoReply { waited_ms: 10_000, liveness });
        let found: Vec<_> =
            verdict.findings.iter().map(|(key, finding)| (key.rule.clone(), finding.level)).collect();
        found
    };
    let [late, lost] =
        [LivenessCheck::Late { after_ms: 10_004, blocks: false }, LivenessCheck::Answers].map(level);
    assert_eq!(late, [("liveness/no-reply".to_owned(), Level::Note)]);
    assert_eq!(lost, [("liveness/no-reply".to_owned(), Level::Must)]);
}

#[test]
fn a_fault_is_one_finding_whatever_short_value_its_reply_quotes() {
    let mut verdicts = verdicts();
    let mut mark = |path: &str| {
        let input = input(&json!({"path": path}).to_string(), Validity::Valid, None);
        let text = format!(
            "[PATH_NOT_FOUND] Could not show '{path}' (called `Option::unwrap()` on a `None` value)."
        );
        let verdict = verdict(&mut verdicts, &input, refusal(&text));
        let (key, _) = verdict.findings.iter().find(|(key, _)| key.rule == "leak/panic").expect("it leaks");
        key.mark.clone()
    };
    let long = mark("notes.txt");
    assert!(!long.contains("notes"), "{long}");
    for short in [" ", "a", "#"] {
        assert_eq!(mark(short), long);
    }
}

#[test]
fn after_many_different_successes_of_a_tool_only_errors_count_as_new() {
    let mut verdicts = verdicts();
    let plain = input(r#"{"path":"a"}"#, Validity::Valid, None);
    let mut is_new = |outcome: Outcome| verdict(&mut verdicts, &plain, outcome).new.is_some();
    // Made of letters, because numbers are masked.
    let word = |number: usize| -> String {
        number.to_string().bytes().map(|digit| char::from(b'k' + (digit - b'0'))).collect()
    };
    assert!((0..SUCCESSES).all(|number| is_new(result(&word(number)))));
    assert!(!is_new(result(&word(SUCCESSES))));
    assert!(is_new(refusal("[NOT_FOUND] no file")));
}

#[test]
fn how_arguments_are_refused_that_are_no_object_is_worth_a_note_of_its_own() {
    let mut verdicts = verdicts();
    let mut found = |arguments: &str| {
        let input = input(arguments, Validity::Invalid, None);
        let outcome =
            Outcome::Error(RpcError { code: -32602, message: "KeyError: 'path'".to_owned(), data: None });
        let verdict = verdict(&mut verdicts, &input, outcome);
        let leak = verdict.findings.iter().find(|(key, _)| key.rule == "leak/runtime-error");
        leak.map(|(key, finding)| (key.clone(), finding.level)).expect("it is told")
    };
    let (object, list) = (found("{}"), found("[]"));
    assert_eq!((object.1, list.1), (Level::Must, Level::Note));
    assert_ne!(object.0, list.0, "the one hides nothing of the other");
}
