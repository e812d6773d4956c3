//! The rules on messages speak where a wording lacks something, and not where it lacks nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

#[path = "../../examples/wording_score/labelled.rs"]
mod labelled;
#[path = "../../examples/wording_score/tally.rs"]
mod tally;

use mcp_errconf::judge::Status;

use labelled::{FaultyCall, Lack, Wording, read_calls};
use tally::{Shares, places, strangers};

const WORDINGS: &str = include_str!("../../../conformance-cases/corpus/wordings.jsonl");
const CALLS: &str = include_str!("../../../conformance-cases/corpus/wordings-calls.jsonl");

fn wordings() -> Vec<Wording> {
    Wording::read_all(WORDINGS).expect("every line is well-formed")
}

fn calls() -> BTreeMap<String, FaultyCall> {
    read_calls(CALLS).expect("every line is well-formed")
}

/// The shares by half, language and rule; `en` is English, `..` all other languages together.
type Table = BTreeMap<(bool, String, &'static str), Shares>;

fn table() -> Table {
    let calls = calls();
    let mut table = Table::new();
    for wording in wordings() {
        let findings = wording.findings(&calls);
        let other = (wording.language != "en").then_some("..");
        for place in places(&wording, &calls, &findings) {
            for language in std::iter::once(wording.language.as_str()).chain(other) {
                let key = (wording.aside, language.to_owned(), place.lack.rule());
                table.entry(key).or_default().count(&place);
            }
        }
    }
    table
}

fn in_words(table: &Table) -> String {
    let mut words =
        String::from("half, language, rule: false alarms (notes) of good places, found of lacks\n");
    for ((aside, language, rule), shares) in table {
        let half = if *aside { "aside" } else { "tuned" };
        writeln!(
            words,
            "{half} {language} {rule:<30} {} ({}) of {} = {:.3}, {} of {} = {:.3}",
            shares.alarms,
            shares.notes,
            shares.good,
            shares.false_alarms(),
            shares.found,
            shares.lacks,
            shares.recall()
        )
        .expect("a string takes all");
    }
    words
}

#[test]
fn every_wording_has_an_id_of_its_own_and_each_hand_is_on_one_side() {
    let (wordings, calls) = (wordings(), calls());
    let ids: BTreeSet<&str> = wordings.iter().map(|wording| wording.id.as_str()).collect();
    assert_eq!(ids.len(), wordings.len());
    let mut sides: BTreeMap<(&str, &str), BTreeSet<bool>> = BTreeMap::new();
    for wording in &wordings {
        assert!(calls.contains_key(&wording.call), "{}: {}", wording.id, wording.call);
        sides.entry((&wording.language, &wording.hand)).or_default().insert(wording.aside);
        let asked = |lack: &Lack| wording.is_asked(*lack, &calls);
        assert!(wording.lacks.iter().all(asked), "{}: nobody asks for that", wording.id);
    }
    assert!(sides.values().all(|side| side.len() == 1), "{sides:?}");
    let count = |is_english: bool, aside: bool| {
        let is_it = |wording: &&Wording| (wording.language == "en", wording.aside) == (is_english, aside);
        wordings.iter().filter(is_it).count()
    };
    assert!(count(true, false) >= 200 && count(true, true) >= 200, "in English");
    assert!(count(false, false) >= 100 && count(false, true) >= 100, "in other languages");
}

#[test]
fn good_wordings_raise_no_alarm_and_lacks_are_found() {
    let table = table();
    println!("{}", in_words(&table));
    for aside in [false, true] {
        let english =
            table.iter().filter(|((half, language, _), _)| (*half, language.as_str()) == (aside, "en"));
        let mut all = Shares::default();
        for ((_, _, rule), shares) in english {
            assert!(shares.false_alarms() <= 0.05, "{rule}\n{}", in_words(&table));
            all += *shares;
        }
        assert!(all.false_alarms() <= 0.03 && all.recall() >= 0.9, "{all:?}\n{}", in_words(&table));
    }
}

#[test]
fn in_other_languages_there_is_no_false_alarm_and_a_missing_value_is_found() {
    let table = table();
    for ((aside, language, rule), shares) in &table {
        if language == "en" {
            continue;
        }
        assert_eq!((shares.alarms, shares.notes), (0, 0), "{aside} {language} {rule}\n{}", in_words(&table));
        if *rule == Lack::Value.rule() || *rule == Lack::ValidValues.rule() {
            assert_eq!(shares.found, shares.lacks, "{aside} {language} {rule}\n{}", in_words(&table));
        }
    }
}

#[test]
fn where_only_the_grammar_of_another_language_would_tell_a_case_is_not_judged() {
    let (wordings, calls) = (wordings(), calls());
    let of = |text: &str| {
        let wording = wordings.iter().find(|wording| wording.text == text).expect("it is in the corpus");
        let report = wording.report(&calls);
        let mendable = report.summary.mendable;
        (report.cases[0].status, mendable.held, mendable.of)
    };
    assert_eq!(of("Der Wert 0 f\u{fc}r count ist unzul\u{e4}ssig."), (Status::NotJudged, 0, 0));
    let output =
        "Der Wert 0 f\u{fc}r count ist unzul\u{e4}ssig. Zul\u{e4}ssig sind ganze Zahlen von 1 bis 20.";
    assert_eq!(of(output), (Status::Passed, 1, 1));
    assert_eq!(of("Bad count: 0"), (Status::Passed, 0, 1), "in English the hint is missing");
}

#[test]
fn no_other_rule_has_anything_to_say_in_other_languages() {
    let calls = calls();
    for wording in wordings().iter().filter(|wording| wording.language != "en") {
        let findings = wording.findings(&calls);
        let output: Vec<&str> = strangers(&findings).collect();
        assert!(output.is_empty(), "{}: {output:?}: {}", wording.id, wording.text);
    }
}

#[test]
fn a_line_that_is_no_json_is_reported_with_its_number() {
    assert!(Wording::read_all("\n{").is_err_and(|message| message.starts_with("line 2: ")));
}
