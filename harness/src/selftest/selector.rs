//! Selects the cases of a defect by properties of the cases, written as a text.
//!
//! The main type is [`Selector`]. The reference server contains the texts and knows nothing of cases; they are
//! only read here. Words are separated by spaces, and all of them must hold for a selected case: `KEY=GLOB`
//! matches a value in the case's file, a glob with `/` the case's id, and any other one its condition; `!` in
//! front excludes a condition. A case that must succeed has no condition, and `*` matches every tool call that
//! must fail. With `^` in front only the first such case of the run is selected.

use globset::{GlobBuilder, GlobMatcher};

use crate::condition::{self, ConditionTrait};
use crate::suite::Suite;
use crate::transcript::DrivenCase;

/// A selection of cases by their properties.
#[derive(Debug)]
pub(super) struct Selector {
    /// How many of the matching cases are selected at most.
    most: usize,
    words: Vec<Word>,
}

/// A property of a case.
#[derive(Debug)]
enum Word {
    Id(GlobMatcher),
    Condition(GlobMatcher),
    /// The case is a tool call that must fail.
    ToolMustFail,
    OtherCondition(GlobMatcher),
    Says(String, GlobMatcher),
}

impl Selector {
    /// Reads a selector.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let (most, words) = text.strip_prefix('^').map_or((usize::MAX, text), |words| (1, words));
        let words: Result<Vec<_>, _> = words.split(' ').map(Word::read).collect();
        let words = words.map_err(|cause| format!("`{text}` is not a case selector: {cause}"))?;
        Ok(Self { most, words })
    }

    /// The cases of a run that it selects.
    pub(super) fn select<'c>(
        &self,
        cases: &'c [DrivenCase],
        suite: &Suite,
    ) -> impl Iterator<Item = &'c DrivenCase> {
        cases.iter().filter(|driven| self.matches(driven, suite)).take(self.most)
    }

    /// Whether all words hold for a case. A case made from a tool's schema has no file.
    fn matches(&self, driven: &DrivenCase, suite: &Suite) -> bool {
        let condition = driven.condition.as_deref();
        self.words.iter().all(|word| match word {
            Word::Id(glob) => glob.is_match(&driven.id.0),
            Word::Condition(glob) => condition.is_some_and(|condition| glob.is_match(condition)),
            Word::ToolMustFail => {
                condition.is_some_and(|condition| !condition::has(condition, ConditionTrait::Protocol))
            }
            Word::OtherCondition(glob) => condition.is_none_or(|condition| !glob.is_match(condition)),
            Word::Says(key, glob) => {
                let case = suite.case(&driven.id.0);
                case.is_some_and(|case| case.values.at(key).any(|text| glob.is_match(text)))
            }
        })
    }
}

impl Word {
    fn read(word: &str) -> Result<Self, String> {
        if let Some((key, value)) = word.split_once('=') {
            return Ok(Self::Says(key.to_owned(), glob(value, Slash::IsOrdinary)?));
        }
        match word.strip_prefix('!') {
            Some(other) => Ok(Self::OtherCondition(glob(other, Slash::IsOrdinary)?)),
            None if word == "*" => Ok(Self::ToolMustFail),
            None if word.contains('/') => Ok(Self::Id(glob(word, Slash::Separates)?)),
            None => Ok(Self::Condition(glob(word, Slash::IsOrdinary)?)),
        }
    }
}

/// Whether `*` also matches `/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slash {
    Separates,
    IsOrdinary,
}

fn glob(text: &str, slash: Slash) -> Result<GlobMatcher, String> {
    let mut glob = GlobBuilder::new(text);
    glob.literal_separator(slash == Slash::Separates).backslash_escape(true).empty_alternates(true);
    match glob.build() {
        Ok(_) if text.is_empty() => Err("a word is missing: there is one space too many".to_owned()),
        Ok(glob) => Ok(glob.compile_matcher()),
        Err(error) => Err(format!("`{text}` is not a glob, {}", error.kind())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::condition::CaseId;
    use crate::suite::load_case;

    const CASE: &str = r#"
title = "A case"
condition = "path-not-found"
requirements = ["BC-05"]
[control]
role = "read"
arguments = { path = "{case}/present.txt" }
[call]
role = "read"
arguments = { path = "{case}/absent.txt" }
[expect]
value = { path = "{case}/absent.txt" }
"#;

    fn driven(id: &str, condition: Option<&str>) -> DrivenCase {
        DrivenCase { condition: condition.map(str::to_owned), ..DrivenCase::of(CaseId(id.to_owned())) }
    }

    #[test]
    fn a_case_is_selected_by_id_condition_and_what_its_file_says_and_by_all_of_them_together() {
        let suite = Suite { cases: vec![load_case("a.toml", "read/missing", CASE).unwrap()] };
        let cases = [
            driven("read/missing", Some("path-not-found")),
            driven("probe/view/path/not-found", Some("path-not-found")),
            driven("read/fine", None),
        ];
        for (text, selected) in [
            ("path-not-found", [true, true, false]),
            ("{path,file}-*", [true, true, false]),
            ("*", [true, true, false]),
            ("!*", [false, false, true]),
            ("!path-*", [false, false, true]),
            ("!other", [true, true, true]),
            ("read/missing", [true, false, false]),
            ("*/*", [true, false, true]),
            ("probe/*/*/{not-found,outside} path-*", [false, true, false]),
            ("call.role=read", [true, false, false]),
            (r"call.arguments.path=\{case\}/*", [true, false, false]),
            ("call.arguments.path={case}/*", [false, false, false]),
            ("call.role=read{,-only} !path-not-found", [false, false, false]),
            ("call=*", [false, false, false]),
            ("^path-*", [true, false, false]),
            ("^*/view/*/* *", [false, true, false]),
        ] {
            let selector = Selector::read(text).unwrap();
            let ids: Vec<_> = selector.select(&cases, &suite).map(|case| case.id.clone()).collect();
            assert_eq!(cases.clone().map(|case| ids.contains(&case.id)), selected, "{text}");
        }
    }

    #[test]
    fn what_is_no_selector_is_refused_with_its_cause() {
        for (text, words) in [
            ("", "one space too many"),
            ("^", "one space too many"),
            ("read  *", "one space too many"),
            ("a{b", "`a{b` is not a glob"),
            ("call.role=[", "`[` is not a glob"),
        ] {
            let error = Selector::read(text).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }
}
