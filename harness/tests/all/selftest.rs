//! The harness proven, and the proof proven: without any one rule, and without any one expectation of a case, the
//! selftest turns red.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use mcp_errconf::condition::CaseId;
use mcp_errconf::contract::Contract;
use mcp_errconf::exchange::Step;
use mcp_errconf::expectation::Expected;
use mcp_errconf::judge::{Mended, MendedIn, Report};
use mcp_errconf::recording::read;
use mcp_errconf::rules::{self, Rule};
use mcp_errconf::selftest::{
    Breadth, Recorded, applies, compare, compare_judged, contracts, declared_rules, record,
};
use mcp_errconf::suite;
use proptest::prelude::*;

use crate::program::PROGRAM;

/// With this variable every defect is driven whole in each of its contracts, as `mcp-errconf selftest` does each night: too
/// long for every change. Otherwise it is driven in the first of them, in the cases in which it shows and a sample of the
/// others.
const WHOLE: &str = "MCP_ERRCONF_SELFTEST_WHOLE";

/// The clean reference server in each contract, and every defect, driven once for all tests.
static RECORDED: LazyLock<Vec<Recorded>> = LazyLock::new(|| {
    let program = Path::new(PROGRAM);
    let suite = suite::load_builtin().expect("the built-in cases are well-formed");
    let (_keep, interrupt) = tokio::sync::watch::channel(false);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let recorded = runtime.block_on(record(program, &suite, breadth(), interrupt, &mut |_| {}));
    recorded.unwrap_or_else(|(defect, error)| panic!("{defect:?}: {error}"))
});

fn breadth() -> Breadth {
    match std::env::var_os(WHOLE) {
        Some(_) => Breadth::EveryContract,
        None => Breadth::DeclaredCases,
    }
}

/// The reports on them, judged once on every core: it takes minutes on one.
static REPORTS: LazyLock<Vec<Report>> = LazyLock::new(|| {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let of_core = |core: usize| {
        let own = RECORDED.iter().enumerate().skip(core).step_by(cores);
        own.map(|(number, recorded)| (number, recorded.judged(rules::all()))).collect::<Vec<_>>()
    };
    let mut reports: Vec<(usize, Report)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|core| scope.spawn(move || of_core(core))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no judge panics")).collect()
    });
    reports.sort_by_key(|(number, _)| *number);
    reports.into_iter().map(|(_, report)| report).collect()
});

#[test]
fn the_clean_server_triggers_nothing_and_each_defect_exactly_what_it_declares() {
    // What was recorded is left behind: another run may not show the same.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("selftest");
    let red = RECORDED.iter().zip(REPORTS.iter()).filter_map(|(recorded, report)| {
        let difference = compare_judged(recorded, report);
        let kept = || recorded.keep_in(&folder).expect("it is written");
        let name = format!("{:?} of {}", recorded.defect, recorded.contract.id);
        (!difference.is_none()).then(|| format!("{name}: {difference:#?}\nrecorded in {:?}", kept()))
    });
    let red: Vec<String> = red.collect();
    assert!(red.is_empty(), "{}", red.join("\n"));
}

#[test]
fn nearly_every_message_of_the_clean_server_mends_the_call_in_one() {
    let judged = RECORDED.iter().zip(REPORTS.iter());
    for (recorded, report) in judged.filter(|(recorded, _)| recorded.defect.is_none()) {
        let contract = recorded.contract;
        let Mended { of, one, two, not } = report.summary.mended;
        assert_eq!(one + two + not, of, "{}", contract.id);
        let left: Vec<_> = report
            .tools
            .iter()
            .flat_map(|tool| tool.replies.iter().map(move |reply| (&tool.name, reply)))
            .filter(|(_, reply)| reply.calls == MendedIn::Not)
            .collect();
        assert!(
            of > 100 && one * 10 > of * 9 && not * 50 < of,
            "{}: {of} {one} {two} {not} {left:#?}",
            contract.id
        );
    }
}

/// What was recorded in one contract.
fn of(contract: &Contract) -> impl Iterator<Item = &'static Recorded> {
    RECORDED.iter().filter(move |recorded| recorded.contract.id == contract.id)
}

/// The rules that have something to say in a contract.
fn rules_of(contract: &Contract) -> impl Iterator<Item = &'static Rule> {
    rules::all().iter().copied().filter(move |rule| applies(rule, contract))
}

#[test]
fn every_rule_has_in_each_contract_where_it_applies_a_defect_that_breaks_it_alone() {
    assert_eq!(contracts().count(), 4);
    for contract in contracts() {
        let rules: BTreeSet<&str> = rules_of(contract).map(|rule| rule.id).collect();
        let broken = broken_alone(contract);
        let differ: Vec<&&str> = broken.symmetric_difference(&rules).collect();
        assert!(
            differ.is_empty(),
            "{}: no defect breaks it alone, or it does not apply: {differ:?}",
            contract.id
        );
    }
}

/// The rules that a defect is said to break in this contract, and no other one. That it does is shown where it is driven.
fn broken_alone(contract: &Contract) -> BTreeSet<&'static str> {
    let alone = |rules: BTreeSet<&'static str>| rules.first().filter(|_| rules.len() == 1).copied();
    declared_rules(contract).into_iter().filter_map(alone).collect()
}

#[test]
fn without_any_one_rule_the_selftest_is_red_in_each_contract_where_a_defect_of_it_was_driven() {
    let mut missed = BTreeSet::new();
    for contract in contracts() {
        for missing in rules_of(contract) {
            let others: Vec<_> = rules::all().iter().copied().filter(|rule| rule.id != missing.id).collect();
            let concerned = of(contract).find_map(|recorded| {
                let (_, case) = recorded.declared.iter().find(|(rule, _)| rule == missing.id)?;
                // What its case shows alone is judged in a hundredth of the time.
                let alone = case.as_ref().filter(|case| shows_in(recorded, case));
                Some(alone.map_or_else(|| recorded.clone(), |case| narrowed(recorded, case)))
            });
            if concerned.is_none() && breadth() == Breadth::DeclaredCases {
                continue;
            }
            let is_noticed = concerned.is_some_and(|recorded| !compare(&recorded, &others).is_none());
            assert!(is_noticed, "{} of {} can be taken away unnoticed", missing.id, contract.id);
            missed.insert(missing.id);
        }
    }
    let applied: BTreeSet<&str> = contracts().flat_map(rules_of).map(|rule| rule.id).collect();
    assert_eq!(missed, applied, "each rule is missed in a contract at least");
}

/// Of this many recordings one is read and judged anew, the clean server's in the first contract among them. All recordings
/// of the clean server are read.
const SHOWN: usize = 16;

#[test]
fn a_recorded_run_is_read_as_it_was_written_and_judged_like_the_live_one() {
    for (number, (recorded, live)) in RECORDED.iter().zip(REPORTS.iter()).enumerate() {
        let is_judged = number % SHOWN == 0;
        if recorded.defect.is_some() && !is_judged {
            continue;
        }
        let recording = recorded.recording();
        let mut text = Vec::new();
        recording.write(&mut text).expect("a vector takes everything");
        let text = String::from_utf8(text).expect("it is UTF-8");
        let read =
            read(&text, recorded.contract).unwrap_or_else(|error| panic!("{:?}: {error}", recorded.defect));
        assert_eq!(read, recording, "{:?}", recorded.defect);
        if is_judged {
            assert_eq!(read.judge(rules::all()).0, *live, "{:?}", recorded.defect);
        }
    }
}

#[test]
fn a_recording_that_is_kept_is_the_one_that_was_judged() {
    let recorded = &RECORDED[0];
    let folder = tempfile::tempdir().expect("a folder");
    let file = recorded.keep_in(&folder.path().join("kept")).expect("it is written");
    let text = std::fs::read_to_string(&file).expect("it is there");
    assert_eq!(read(&text, recorded.contract).expect("it is whole"), recorded.recording());
}

/// The first calls of the clean server, as they are recorded.
static BEGINNING: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let clean =
        RECORDED.iter().find(|recorded| recorded.defect.is_none()).expect("the clean server is driven");
    let mut recording = clean.recording();
    recording.transcript.exchanges.truncate(4);
    recording.transcript.cases.truncate(2);
    let mut text = Vec::new();
    recording.write(&mut text).expect("a vector takes everything");
    text
});

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// A recording is read or refused with a line, whatever became of the file.
    #[test]
    fn a_damaged_recording_is_read_or_refused_in_words(at in any::<prop::sample::Index>(), bytes in prop::collection::vec(any::<u8>(), 0..8), cut in 0usize..60) {
        let mut text = BEGINNING.clone();
        let at = at.index(text.len());
        let end = (at + cut).min(text.len());
        text.splice(at..end, bytes);
        let text = String::from_utf8_lossy(&text);
        match read(&text, RECORDED[0].contract) {
            Ok(read) => { read.judge(rules::all()); }
            Err(error) => prop_assert!(error.line >= 1 && !error.cause.is_empty()),
        }
    }
}

/// One thing that a case expects of a reply.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Expectation {
    Failure,
    Value,
    Hint,
    ValidValues,
    Editing,
    Recovery,
    Success,
    ExitStatus,
}

/// The beginning of the rules that are likeliest to miss an expectation.
fn likely(gone: Expectation) -> &'static str {
    match gone {
        Expectation::Failure => "code/wrong",
        Expectation::Value => "message/value-missing",
        Expectation::Hint => "message/hint",
        Expectation::ValidValues => "message/valid-values-missing",
        Expectation::Editing => "envelope/",
        Expectation::Recovery => "envelope/decision",
        Expectation::Success => "channel/false-error",
        Expectation::ExitStatus => "shell/exit-status",
    }
}

/// What a case expects, as its recorded call says it.
fn expectations(expected: &Expected) -> Vec<Expectation> {
    match expected {
        Expected::Anything
        | Expected::Telling(_)
        | Expected::Changing
        | Expected::Without(_)
        | Expected::Undone => Vec::new(),
        Expected::Success { exit_status, .. } => {
            [Some(Expectation::Success), exit_status.map(|_| Expectation::ExitStatus)]
                .into_iter()
                .flatten()
                .collect()
        }
        Expected::Failure(failure) => [
            Some(Expectation::Failure),
            failure.value.as_ref().map(|_| Expectation::Value),
            failure.hint.as_ref().map(|_| Expectation::Hint),
            failure.valid_values_of.as_ref().map(|_| Expectation::ValidValues),
            failure.editing.as_ref().map(|_| Expectation::Editing),
            failure.recovery.as_ref().map(|_| Expectation::Recovery),
        ]
        .into_iter()
        .flatten()
        .collect(),
    }
}

/// The recording of a suite in which one case does not have one of its expectations. The calls that follow a hint, or what
/// its reader made of it, go with the hint.
fn without(recorded: &Recorded, case: &CaseId, gone: Expectation) -> Recorded {
    let mut recorded = recorded.clone();
    for exchange in &mut recorded.transcript.exchanges {
        if exchange.place.case.as_ref() != Some(case) {
            continue;
        }
        match exchange.place.step {
            Step::Call | Step::Again => take(&mut exchange.place.expected, gone),
            Step::Follow | Step::Mend if matches!(gone, Expectation::Hint | Expectation::ValidValues) => {
                exchange.place.expected = Expected::Anything;
                exchange.place.follows = None;
                exchange.place.step = Step::Prepare;
            }
            Step::Lifecycle
            | Step::Prepare
            | Step::Control
            | Step::Follow
            | Step::Twin
            | Step::Mend
            | Step::Malformed
            | Step::Cleanup
            | Step::Disturb => {}
        }
    }
    recorded
}

/// What was recorded of one case alone: what another case expects has no say in it.
fn narrowed(recorded: &Recorded, case: &CaseId) -> Recorded {
    recorded.narrowed(&BTreeSet::from([case.clone()]))
}

fn take(expected: &mut Expected, gone: Expectation) {
    match (expected, gone) {
        (expected, Expectation::Failure | Expectation::Success) => *expected = Expected::Anything,
        (Expected::Failure(failure), Expectation::Value) => failure.value = None,
        (Expected::Failure(failure), Expectation::Hint) => failure.hint = None,
        (Expected::Failure(failure), Expectation::ValidValues) => failure.valid_values_of = None,
        (Expected::Failure(failure), Expectation::Editing) => failure.editing = None,
        (Expected::Failure(failure), Expectation::Recovery) => failure.recovery = None,
        (Expected::Success { exit_status, .. }, Expectation::ExitStatus) => *exit_status = None,
        (expected, gone) => unreachable!("{gone:?} is no expectation of {expected:?}"),
    }
}

/// Whether a defect shows in this case alone: not where two cases are compared, as for one shape of error and one problem
/// for each type.
fn shows_in(recorded: &Recorded, case: &CaseId) -> bool {
    let compares = ["envelope/second-shape", "envelope/problem"];
    let mut pairs = recorded.declared.iter();
    pairs.any(|(rule, id)| id.as_ref() == Some(case) && !compares.contains(&rule.as_str()))
}

#[test]
fn without_any_one_expectation_the_selftest_is_red() {
    let clean =
        RECORDED.iter().find(|recorded| recorded.defect.is_none()).expect("the clean server is driven");
    let calls = clean.transcript.exchanges.iter().filter(|exchange| exchange.place.step == Step::Call);
    let mut tried = 0;
    for call in calls {
        let case = call.place.case.clone().expect("a call belongs to a case");
        // Where it is missed is a defect that declares this case; that it is not there may also show on the clean server.
        let concerned = |recorded: &&Recorded| recorded.defect.is_none() || shows_in(recorded, &case);
        let narrowed = |recorded: &Recorded| narrowed(recorded, &case);
        let own = |recorded: &&Recorded| recorded.contract.id == clean.contract.id;
        let elsewhere = RECORDED.iter().filter(|recorded| !own(recorded)).filter(concerned);
        let mut concerned: Vec<Recorded> =
            RECORDED.iter().filter(own).filter(concerned).map(narrowed).collect();
        for recorded in &concerned {
            let whole = compare(recorded, rules::all());
            assert!(whole.is_none(), "{:?} in {case} alone: {whole:?}", recorded.defect);
        }
        for gone in expectations(&call.place.expected) {
            // The likeliest to notice comes first: judging them all for every probe takes minutes.
            let likely = likely(gone);
            concerned
                .sort_by_key(|recorded| !recorded.declared.iter().any(|(rule, _)| rule.starts_with(likely)));
            let noticed = concerned
                .iter()
                .map(|recorded| without(recorded, &case, gone))
                // What only another contract asks for is missed there.
                .chain(elsewhere.clone().map(|recorded| without(&narrowed(recorded), &case, gone)))
                .any(|recorded| !compare(&recorded, rules::all()).is_none());
            assert!(noticed, "{gone:?} of {case} can be taken away unnoticed");
            tried += 1;
        }
    }
    assert!(tried > clean.transcript.cases.len(), "every case expects something");
}
