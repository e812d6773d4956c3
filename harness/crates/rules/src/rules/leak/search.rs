//! Searching a text for every pattern at once.
//!
//! The main type is [`Search`]. One pass over the text finds the patterns that can match at all; only these are
//! tried, and only then is what the caller sent blanked. A text without a leak costs just one pass.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use memchr::{memchr, memrchr};
use regex::bytes::{Regex, RegexBuilder};

use crate::wording::passages;

use super::literals::Literals;
use super::names::{Names, is_of_the_caller};
use super::needle::Needle;
use super::pattern::{Confidence, Language, PATTERNS, Pattern, Place};
use super::required::{keeps_to_a_line, last_bytes, parsed, required};
use super::start::{Start, starts};

/// At most this many rejected matches of one pattern are skipped, so that the search stays linear.
const MOST_PASSED: usize = 32;

/// In a longer text, a pattern that stays within a line is tried only on lines with one of its strings.
const LONG: usize = 2_048;
/// At most this many positions of one pattern are kept; if there are more, the whole text is searched.
const MOST_PLACES: usize = 4_096;

/// A leak in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Leak {
    /// The rule's id.
    pub rule: &'static str,
    /// The id of the pattern.
    pub(super) pattern: &'static str,
    /// What its words are.
    pub(super) what: &'static str,
    /// The language that it reveals.
    pub(super) language: Language,
    /// How sure it is.
    pub(super) confidence: Confidence,
    /// Its position in the text, in bytes.
    pub span: Range<usize>,
}

/// Patterns prepared for searching.
pub(super) struct Search {
    detectors: Vec<Detector>,
    /// Strings of which a text must contain one for some pattern to match.
    literals: Literals,
    /// For each string, the detectors that require it.
    speaks_for: Vec<Vec<usize>>,
    /// The detectors that require no fixed string.
    always: Vec<Unheralded>,
}

/// A detector that requires no fixed string.
struct Unheralded {
    detector: usize,
    /// For a pattern that matches whole messages: the bytes with which these end, if known.
    ends: Option<Vec<u8>>,
}

/// A detector that may match in a text.
struct Candidate {
    detector: usize,
    /// Where its strings end in the text, if only their lines need to be searched.
    places: Vec<usize>,
}

struct Detector {
    rule: &'static str,
    pattern: &'static Pattern,
    /// Whether its matches contain no line end and do not depend on the ends of the text.
    is_within_line: bool,
    /// Compiled when a text contains one of its strings: a run meets few of them, and compiling all would cost
    /// more than the calls.
    compiled: OnceLock<Regex>,
}

impl Search {
    /// The search for the patterns of all rules.
    pub(super) fn all() -> &'static Self {
        static ALL: LazyLock<Search> =
            LazyLock::new(|| Search::new(PATTERNS.iter().map(|(rule, pattern)| (*rule, pattern))));
        &ALL
    }

    /// A search for these patterns, each with the id of its rule.
    pub(super) fn new(patterns: impl IntoIterator<Item = (&'static str, &'static Pattern)>) -> Self {
        let mut strings: Vec<Needle> = Vec::new();
        let mut places: HashMap<Needle, usize> = HashMap::new();
        let (mut detectors, mut speaks_for, mut always) = (Vec::new(), Vec::<Vec<usize>>::new(), Vec::new());
        for (index, (rule, pattern)) in patterns.into_iter().enumerate() {
            let hir = parsed(&pattern.expression);
            let required = required(&hir).unwrap_or_default();
            let is_unheralded = required.is_empty();
            for string in required {
                let at = *places.entry(string).or_insert_with_key(|string| {
                    strings.push(string.clone());
                    speaks_for.push(Vec::new());
                    strings.len() - 1
                });
                speaks_for[at].push(index);
            }
            if is_unheralded {
                let is_whole = pattern.place == Place::Alone;
                let ends = is_whole.then(|| last_bytes(&hir)).flatten();
                always.push(Unheralded { detector: index, ends });
            }
            let is_within_line = keeps_to_a_line(&hir);
            detectors.push(Detector { rule, pattern, is_within_line, compiled: OnceLock::new() });
        }
        let literals = Literals::new(strings);
        Self { detectors, literals, speaks_for, always }
    }

    /// Every leak in a text, at most one for each pattern. `blank` replaces what the caller sent.
    pub(super) fn find(&self, text: &str, blank: &dyn Fn(&str) -> String, names: &Names<'_>) -> Vec<Leak> {
        let mut leaks = Vec::new();
        let passages = passages(text);
        if !matches!(passages.as_slice(), [only] if only.range == (0..text.len())) {
            let mut candidates = self.candidates(text.as_bytes());
            let place = |candidate: &Candidate| self.detectors[candidate.detector].pattern.place;
            candidates.retain(|candidate| place(candidate) == Place::Structure);
            if !candidates.is_empty() {
                let blank = blank(text);
                leaks.extend(self.in_message(blank.as_bytes(), &candidates, names));
            }
        }
        let is_told = passages.iter().any(|passage| passage.key.is_some() && is_sentence(&passage.text));
        for passage in passages {
            let mut candidates = self.candidates(passage.text.as_bytes());
            // A word beside a sentence in the same object is the server's name for this kind of error.
            let names_no_exception = passage.key.is_some_and(|key| !key.contains("exception"));
            if is_told && names_no_exception && !passage.text.contains(' ') {
                candidates.retain(|one| self.detectors[one.detector].pattern.place != Place::Alone);
            }
            if candidates.is_empty() {
                continue;
            }
            let blank = blank(&passage.text);
            leaks.extend(self.in_message(blank.as_bytes(), &candidates, names).map(|leak| {
                let span = passage.locate(leak.span.clone());
                Leak { span, ..leak }
            }));
        }
        leaks
    }

    /// The detectors whose strings a text contains. Blanking an echo later only removes strings.
    fn candidates(&self, text: &[u8]) -> Vec<Candidate> {
        let is_long = text.len() > LONG;
        let mut candidates: Vec<Candidate> = Vec::new();
        // The index of each detector in the result. Most texts contain none of the strings, and for them
        // nothing is allocated.
        let mut slots: Vec<Option<u16>> = Vec::new();
        self.literals.each(text, |literal, end| {
            slots.resize(self.detectors.len(), None);
            for detector in &self.speaks_for[literal] {
                let slot = *slots[*detector].get_or_insert_with(|| {
                    candidates.push(Candidate { detector: *detector, places: Vec::new() });
                    u16::try_from(candidates.len() - 1).expect("there are some hundreds of patterns")
                });
                let places = &mut candidates[usize::from(slot)].places;
                if is_long && self.detectors[*detector].is_within_line && places.len() <= MOST_PLACES {
                    places.push(end);
                }
            }
        });
        let unheralded = self.always.iter().filter(|unheralded| unheralded.may_match(text));
        candidates.extend(unheralded.map(|one| Candidate { detector: one.detector, places: Vec::new() }));
        candidates.sort_unstable_by_key(|candidate| candidate.detector);
        candidates
    }

    fn in_message<'a>(
        &'a self,
        message: &'a [u8],
        candidates: &'a [Candidate],
        names: &'a Names<'_>,
    ) -> impl Iterator<Item = Leak> + 'a {
        let anchored = candidates
            .iter()
            .any(|one| matches!(self.detectors[one.detector].pattern.place, Place::Start | Place::Alone));
        // "time: invalid ...": a parameter may have the name of a package.
        let starts: Vec<Start> = if anchored { starts(message, names) } else { Vec::new() };
        let opens: Vec<bool> =
            starts.iter().map(|start| !names.opens_with_parameter(&message[start.at..])).collect();
        candidates.iter().filter_map(move |candidate| {
            let detector = &self.detectors[candidate.detector];
            let span = match detector.pattern.place {
                Place::Anywhere | Place::Structure => candidate
                    .regions(message)
                    .flat_map(|region| {
                        let found = detector.regex().find_iter(&message[region.clone()]);
                        found.map(move |found| found.start() + region.start..found.end() + region.start)
                    })
                    .take(MOST_PASSED)
                    .find(|span| !is_of_the_caller(message, span, names)),
                Place::Start | Place::Alone => {
                    let fits = starts.iter().zip(&opens).filter(|(start, opens)| {
                        **opens && (start.bare || detector.pattern.place == Place::Start)
                    });
                    fits.map(|(start, _)| start.at).find_map(|at| {
                        let found = detector.regex().find(&message[at..])?;
                        Some(found.start() + at..found.end() + at)
                    })
                }
            };
            span.map(|span| detector.leak(span))
        })
    }
}

impl Candidate {
    /// The parts of a message in which a match is possible: the lines with its strings, or the whole message.
    fn regions(&self, message: &[u8]) -> impl Iterator<Item = Range<usize>> {
        let is_whole = self.places.is_empty() || self.places.len() > MOST_PLACES;
        let mut through = 0;
        let lines = self.places.iter().filter_map(move |place| {
            if is_whole || *place <= through {
                return None;
            }
            let before = memrchr(b'\n', &message[..*place]);
            let start = before.map_or(0, |newline| newline + 1);
            let end = memchr(b'\n', &message[*place..]).map_or(message.len(), |at| place + at);
            through = end;
            Some(start..end)
        });
        is_whole.then_some(0..message.len()).into_iter().chain(lines)
    }
}

impl Unheralded {
    /// What may follow a whole-message match is what [`compiled`] allows after it.
    fn may_match(&self, text: &[u8]) -> bool {
        let Some(ends) = &self.ends else { return true };
        let tail = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'.' | b')' | b'\x0b');
        text.iter()
            .rev()
            .find(|byte| ends.contains(byte) || !tail(byte))
            .is_some_and(|byte| ends.contains(byte))
    }
}

impl Detector {
    fn regex(&self) -> &Regex {
        self.compiled.get_or_init(|| compiled(self.pattern))
    }

    fn leak(&self, span: Range<usize>) -> Leak {
        let Pattern { id, says, language, confidence, .. } = self.pattern;
        Leak { rule: self.rule, pattern: id, what: says, language: *language, confidence: *confidence, span }
    }
}

/// Whether a text says something: three words or more.
fn is_sentence(text: &str) -> bool {
    text.split_whitespace().nth(2).is_some()
}

fn compiled(pattern: &Pattern) -> Regex {
    let source = match pattern.place {
        Place::Anywhere | Place::Structure => pattern.expression.clone(),
        Place::Start => format!(r"\A(?:{})", pattern.expression),
        Place::Alone => format!(r"\A(?:{})[.)]*\s*\z", pattern.expression),
    };
    let regex = RegexBuilder::new(&source).unicode(false).build();
    regex.expect("a pattern compiles: a test compiles them all")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wording::Echo;

    #[test]
    fn no_pattern_is_tried_on_every_text() {
        let search = Search::all();
        let everywhere = search.always.iter().filter(|unheralded| unheralded.ends.is_none());
        let tried: Vec<&str> = everywhere
            .map(|unheralded| search.detectors[unheralded.detector].pattern.expression.as_str())
            .collect();
        assert!(tried.is_empty(), "each needs a plain string or a rare byte in every choice: {tried:#?}");
        let candidates = search.candidates(b"Required parameter 'path' is missing.");
        let searched: Vec<&str> =
            candidates.iter().map(|one| search.detectors[one.detector].pattern.id.as_str()).collect();
        assert!(searched.is_empty(), "{searched:?}");
    }

    /// The leaks found if every pattern is tried on the whole text.
    fn in_full(search: &Search, text: &str) -> Vec<Leak> {
        let all: Vec<Candidate> =
            (0..search.detectors.len()).map(|detector| Candidate { detector, places: Vec::new() }).collect();
        search.in_message(text.as_bytes(), &all, &Names::default()).collect()
    }

    fn by_strings(search: &Search, text: &str) -> Vec<Leak> {
        search.in_message(text.as_bytes(), &search.candidates(text.as_bytes()), &Names::default()).collect()
    }

    /// The examples and counter-examples of every pattern.
    fn texts() -> impl Iterator<Item = &'static str> {
        let beside = |pattern: &'static Pattern| pattern.examples.iter().chain(&pattern.counter_examples);
        PATTERNS.iter().flat_map(move |(_, pattern)| beside(pattern)).map(String::as_str)
    }

    #[test]
    fn a_short_and_a_long_text_show_what_a_search_without_strings_finds() {
        let search = Search::all();
        let prose = "The file was read and every line of it was compared.\n".repeat(50);
        assert!(prose.len() > LONG);
        for text in texts() {
            for text in
                [text.to_owned(), format!("{prose}{text}\n{prose}"), format!("{prose}{text} {prose}{text}")]
            {
                assert_eq!(by_strings(search, &text), in_full(search, &text), "{text:?}");
            }
        }
    }

    fn found((expression, place): (&str, Place), text: &str) -> Vec<(usize, usize)> {
        // A search borrows its patterns for the life of the program.
        let pattern: &'static Pattern = Box::leak(Box::new(Pattern {
            id: "test".to_owned(),
            says: "a test".to_owned(),
            language: Language::Any,
            expression: expression.to_owned(),
            place,
            confidence: Confidence::High,
            examples: Vec::new(),
            counter_examples: Vec::new(),
        }));
        let echo = Echo::default();
        let leaks = Search::new([("rule", pattern)]).find(text, &|text| echo.blank(text), &Names::default());
        leaks.into_iter().map(|leak| (leak.span.start, leak.span.end)).collect()
    }

    #[test]
    fn only_a_pattern_of_structure_is_searched_in_the_notation_of_json_and_each_leak_is_told_once() {
        const ANYWHERE: (&str, Place) = (r#""key": ""#, Place::Anywhere);
        const STRUCTURE: (&str, Place) = (r#""key": ""#, Place::Structure);
        let (json, plain) = (r#"{"key": "a"}"#, r#"see "key": "a""#);
        assert_eq!((found(ANYWHERE, json), found(STRUCTURE, json)), (vec![], vec![(1, 9)]));
        assert_eq!((found(ANYWHERE, plain), found(STRUCTURE, plain)), (vec![(4, 12)], vec![(4, 12)]));
    }

    #[test]
    fn a_leak_behind_more_strings_than_are_kept_is_found() {
        const NUMBERED: (&str, Place) = (r"needle [a-z]+7", Place::Anywhere);
        let text = format!("{}needle x7", "needle x\n".repeat(MOST_PLACES + 1));
        assert_eq!(found(NUMBERED, &text), [(text.len() - 9, text.len())]);
    }

    #[test]
    fn what_is_a_whole_message_may_have_points_brackets_and_white_space_behind_it() {
        const QUOTED: (&str, Place) = (r"'\w+'", Place::Alone);
        const BRACKETED: (&str, Place) = (r"a\w+\)", Place::Alone);
        for text in ["'abc'", "'abc'.", "'abc')", "'abc'. \n"] {
            assert_eq!(found(QUOTED, text), [(0, text.len())], "{text}");
        }
        assert_eq!(found(QUOTED, "'abc' x"), []);
        assert_eq!(found(BRACKETED, "abc)"), [(0, 4)]);
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]
        #[test]
        fn generated_texts_show_what_a_search_without_strings_finds(
            picks in proptest::collection::vec((0_usize..10_000, proptest::bool::ANY), 1..6),
            between in "[a-z \n:'{(]{0,30}",
        ) {
            let search = Search::all();
            let examples: Vec<&str> = texts().collect();
            let mut text = String::new();
            for (pick, whole) in picks {
                let example = examples[pick % examples.len()];
                let cut = if whole { example.len() } else { pick % (example.len() + 1) };
                text.push_str(example.get(..cut).unwrap_or(example));
                text.push_str(&between);
            }
            let long = format!("{text}{}\n{text}", "plain words\n".repeat(200));
            for text in [text, long] {
                proptest::prop_assert_eq!(by_strings(search, &text), in_full(search, &text));
            }
        }
    }
}
