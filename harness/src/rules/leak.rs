//! What the inside of a server looks like when it comes through in an error reply.
//!
//! The main type is [`Patterns`]. A pattern is data: a regular expression, the place where it counts, where its text
//! was seen, a text that it must find and one that it must not. What the caller sent is blanked before anything is
//! searched, so that its own words are never held against the server.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use crate::finding::{Breach, Evidence, Level};
use crate::wording::{Echo, passages};

use super::Scene;

pub(super) mod debug_format;
pub(super) mod format_accident;
pub(super) mod internal_path;
pub(super) mod memory_address;
pub(super) mod panic;
pub(super) mod runtime_error;
pub(super) mod secret;
pub(super) mod source_location;
pub(super) mod stack_trace;
pub(super) mod validation_dump;

/// One way in which the inside shows.
pub(super) struct Pattern {
    /// Whose words they are, to stand in a finding: "the error text of Go's `os` package".
    pub(super) tells: &'static str,
    /// The expression, over bytes, without Unicode classes.
    pub(super) regex: &'static str,
    /// Where it counts.
    pub(super) place: Place,
    /// Another level than the rule's.
    pub(super) level: Option<Level>,
    /// A text that it must find.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "it stands beside the expression for its reader and its test")
    )]
    pub(super) hit: &'static str,
    /// A similar text that it must not find.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "it stands beside the expression for its reader and its test")
    )]
    pub(super) miss: &'static str,
}

/// Where in a message a pattern counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Wherever it stands: a tell-tale.
    Anywhere,
    /// At the beginning, or behind words that hold no value ("Failed to write file: ").
    Start,
    /// As the whole of it, but for wrappers that say nothing ("Error: ").
    Alone,
}

/// Something of the server's inside in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Leak {
    /// See [`Pattern::tells`].
    pub(super) tells: &'static str,
    /// Where.
    pub(super) span: Range<usize>,
    /// Another level than the rule's.
    pub(super) level: Option<Level>,
}

/// The names that a server gave its tools and the called one's parameters: in a message they are words of its own.
#[derive(Debug, Clone, Default)]
pub(super) struct Names<'a> {
    tools: Vec<&'a str>,
    parameters: Vec<&'a str>,
}

/// Patterns, compiled once.
pub(super) struct Patterns {
    /// Those that count anywhere.
    telltales: Group,
    /// Those that count at a beginning: they give up at the first byte that does not fit.
    openings: Group,
}

/// Patterns that are searched in one pass.
struct Group {
    list: Vec<&'static Pattern>,
    each: Vec<Regex>,
    set: RegexSet,
}

impl Patterns {
    /// Compiles patterns.
    pub(super) fn new(lists: &[&'static [Pattern]]) -> Self {
        let of = |anywhere: bool| {
            let all = lists.iter().copied().flatten();
            Group::new(all.filter(|pattern| (pattern.place == Place::Anywhere) == anywhere).collect())
        };
        Self { telltales: of(true), openings: of(false) }
    }

    /// The gravest leak in a text, and of these the first.
    pub(super) fn find(&self, text: &str, echo: &Echo, names: &Names<'_>) -> Option<Leak> {
        let mut leaks: Vec<Leak> = Vec::new();
        for passage in passages(text) {
            let blank = echo.blank(&passage.text);
            for mut leak in self.in_message(blank.as_bytes(), names) {
                leak.span = passage.locate(leak.span);
                leaks.push(leak);
            }
        }
        leaks.into_iter().min_by_key(|leak| {
            let level = std::cmp::Reverse(leak.level.unwrap_or(Level::Must));
            (level, leak.span.start, std::cmp::Reverse(leak.span.end))
        })
    }

    fn in_message(&self, message: &[u8], names: &Names<'_>) -> Vec<Leak> {
        let mut leaks = self.telltales.find(message, |_| true, |span| !names.is_call(message, span));
        for start in starts(message, names) {
            let rest = &message[start.at..];
            // "time: invalid ...": a parameter that is called as a package is.
            if names.opens_with_parameter(rest) {
                continue;
            }
            let counts = |place| place == Place::Start || start.bare;
            leaks.extend(self.openings.find(rest, counts, |_| true).into_iter().map(|leak| {
                let span = leak.span.start + start.at..leak.span.end + start.at;
                Leak { span, ..leak }
            }));
        }
        leaks
    }
}

impl Names<'_> {
    /// Whether a match is the call of a tool, as a hint writes it: `Call ListFiles("/")`.
    fn is_call(&self, message: &[u8], span: &Range<usize>) -> bool {
        static VERB: LazyLock<Regex> = LazyLock::new(|| {
            wrapper(
                r#"(?i)\b(?:call|calling|see|use|using|try|run|invoke|e\.g\.|for example|example|or)[,:]?\s+[`'"]?\z"#,
            )
        });
        let Some(name) = message[span.clone()].strip_suffix(b"(\"") else { return false };
        let errs = [&b"Error"[..], b"Err", b"Failure", b"Kind", b"Exception", b"Some", b"Ok"];
        if errs.iter().any(|end| name.ends_with(end)) {
            return false;
        }
        let before = &message[span.start.saturating_sub(30)..span.start];
        self.tools.iter().any(|tool| tool.as_bytes() == name) || VERB.is_match(before)
    }

    fn opens_with_parameter(&self, text: &[u8]) -> bool {
        let name = text.split(|byte| *byte == b':').next().unwrap_or_default();
        name.len() < text.len() && self.is_parameter(name)
    }

    fn is_parameter(&self, name: &[u8]) -> bool {
        self.parameters.iter().any(|parameter| parameter.as_bytes() == name.trim_ascii())
    }
}

impl Group {
    fn new(list: Vec<&'static Pattern>) -> Self {
        let source = |pattern: &Pattern| match pattern.place {
            Place::Anywhere => pattern.regex.to_owned(),
            Place::Start => format!(r"\A(?:{})", pattern.regex),
            Place::Alone => format!(r"\A(?:{})[.)]*\s*\z", pattern.regex),
        };
        let sources: Vec<String> = list.iter().map(|pattern| source(pattern)).collect();
        let set = RegexSetBuilder::new(&sources).unicode(false).dfa_size_limit(8 << 20).build();
        let one = |source: &String| RegexBuilder::new(source).unicode(false).build();
        let each: Result<Vec<_>, _> = sources.iter().map(one).collect();
        Self {
            list,
            each: each.expect("a pattern compiles: a test compiles them all"),
            set: set.expect("a pattern compiles: a test compiles them all"),
        }
    }

    /// The first match of each pattern that counts at its place.
    fn find(
        &self,
        text: &[u8],
        counts: impl Fn(Place) -> bool,
        holds: impl Fn(&Range<usize>) -> bool,
    ) -> Vec<Leak> {
        let matched = self.set.matches(text);
        let leaks = matched.into_iter().filter(|index| counts(self.list[*index].place)).filter_map(|index| {
            let pattern = self.list[index];
            let span =
                self.each[index].find_iter(text).map(|found| found.range()).find(|span| holds(span))?;
            Some(Leak { tells: pattern.tells, span, level: pattern.level })
        });
        leaks.collect()
    }
}

/// A place in a message where a raw error may begin.
struct Start {
    at: usize,
    /// Only wrappers that say nothing stand before it.
    bare: bool,
}

/// The beginning of a message, and the places behind what it is wrapped in.
fn starts(message: &[u8], names: &Names<'_>) -> Vec<Start> {
    /// Wrappers of frameworks and of habit, which tell nothing of the call.
    static BARE: LazyLock<Regex> = LazyLock::new(|| {
        wrapper(
            r"(?i)\A\s*(?:(?:fatal |internal |unexpected |unknown |uncaught )?(?:error|exception)(?: (?:executing|running|calling|in|while handling) (?:the )?(?:tool )?[\w-]{1,60})?: |an unexpected error occurred: |(?:request )?failed(?: with)?: |failed to run(?: the tool)?: |tool execution failed: |(?:sorry, )?something went wrong:? \(?|mcp error -?\d+: |internal error(?: while handling [\w-]{1,60})?: |[\w-]{1,40}: )",
        )
    });
    /// Words without a value, up to a colon.
    static WORDS: LazyLock<Regex> = LazyLock::new(|| wrapper(r"\A\s*[A-Za-z][A-Za-z' _-]{0,80}:\s"));
    let mut starts = vec![Start { at: 0, bare: true }];
    let (mut at, mut bare) = (0, true);
    for _ in 0..4 {
        let rest = &message[at..];
        let bare_end = BARE.find(rest).map(|found| found.end());
        let Some(end) = bare_end.or_else(|| WORDS.find(rest).map(|found| found.end())) else { break };
        // A parameter's name is context: it says what the phrase is about.
        let wrapper = rest[..end].trim_ascii().strip_suffix(b":").unwrap_or_default();
        bare &= bare_end.is_some() && !names.is_parameter(wrapper);
        at += end;
        starts.push(Start { at, bare });
    }
    starts
}

fn wrapper(source: &str) -> Regex {
    RegexBuilder::new(source).unicode(false).build().expect("a wrapper compiles: a test compiles them all")
}

/// The breach of a leak rule in a reply: the gravest leak in its texts. Only error replies are searched, and texts that
/// are errors in disguise: what a tool reads, finds or runs may hold anything.
fn judged(scene: &Scene<'_>, patterns: &Patterns, kind: &str, help: &str) -> Vec<Breach> {
    judged_with(scene, patterns, &|_, _| None, kind, help)
}

/// What of this very server shows in a text from a place on: whose words they are, and where.
type Own<'a> = &'a dyn Fn(&str, usize) -> Option<(&'static str, Range<usize>)>;

/// The same, and what of this very server shows.
fn judged_with(scene: &Scene<'_>, patterns: &Patterns, own: Own<'_>, kind: &str, help: &str) -> Vec<Breach> {
    let echo = scene.echo();
    let names = Names {
        tools: scene.head.catalog.tools.iter().map(|tool| tool.name.as_str()).collect(),
        parameters: scene.tool.into_iter().flat_map(|tool| tool.parameters().map(|(name, _)| name)).collect(),
    };
    let mut found: Vec<(Leak, &str)> = Vec::new();
    for (text, from) in searched(scene) {
        if let Some((tells, span)) = own(&echo.blank(text), from) {
            found.push((Leak { tells, span, level: None }, text));
        }
        if let Some(mut leak) = patterns.find(&text[from..], echo, &names) {
            leak.span = leak.span.start + from..leak.span.end + from;
            found.push((leak, text));
        }
    }
    let gravest = found.into_iter().reduce(|first, next| {
        let grave = |leak: &Leak| leak.level.unwrap_or(Level::Must);
        if grave(&next.0) > grave(&first.0) { next } else { first }
    });
    let Some((leak, text)) = gravest else { return Vec::new() };
    let mut breach = Breach::new(format!("the error reply shows {kind}: {}", leak.tells), help)
        .evidence(Evidence::marked(text, leak.span));
    breach.level = leak.level;
    vec![breach]
}

/// The texts of an error, each with the place where its message begins.
fn searched<'a>(scene: &Scene<'a>) -> Vec<(&'a str, usize)> {
    if let Some(error) = scene.error {
        // Of an object every text is searched: only the beginning of a plain text may be a code.
        let from = if error.data.is_some() { 0 } else { error.message.start };
        let first = (error.text.as_str(), from);
        return std::iter::once(first).chain(error.more.iter().map(|text| (text.as_str(), 0))).collect();
    }
    let disguised = scene.expected_failure().is_some()
        && scene.succeeded_control().is_some()
        && scene.disguise().is_some();
    if disguised { scene.texts().into_iter().map(|text| (text, 0)).collect() } else { Vec::new() }
}

/// Whether some leak rule finds something in a text, and which: for measuring the rules on a corpus.
pub fn leaks(text: &str, echo: &Echo) -> Vec<(&'static str, Range<usize>)> {
    let rules: [(&str, &Patterns); 10] = [
        (runtime_error::RULE.id, &runtime_error::PATTERNS),
        (stack_trace::RULE.id, &stack_trace::PATTERNS),
        (panic::RULE.id, &panic::PATTERNS),
        (debug_format::RULE.id, &debug_format::PATTERNS),
        (format_accident::RULE.id, &format_accident::PATTERNS),
        (validation_dump::RULE.id, &validation_dump::PATTERNS),
        (source_location::RULE.id, &source_location::PATTERNS),
        (memory_address::RULE.id, &memory_address::PATTERNS),
        (internal_path::RULE.id, &internal_path::PATTERNS),
        (secret::RULE.id, &secret::PATTERNS),
    ];
    rules
        .iter()
        .filter_map(|(id, patterns)| Some((*id, patterns.find(text, echo, &Names::default())?.span)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    use crate::exchange::Expected;
    use crate::rules::Check;
    use crate::rules::stage::Stage;

    fn all() -> [&'static Patterns; 10] {
        [
            &runtime_error::PATTERNS,
            &stack_trace::PATTERNS,
            &panic::PATTERNS,
            &debug_format::PATTERNS,
            &format_accident::PATTERNS,
            &validation_dump::PATTERNS,
            &source_location::PATTERNS,
            &memory_address::PATTERNS,
            &internal_path::PATTERNS,
            &secret::PATTERNS,
        ]
    }

    fn finds(pattern: &'static Pattern, text: &str) -> bool {
        Patterns::new(&[std::slice::from_ref(pattern)])
            .find(text, &Echo::default(), &Names::default())
            .is_some()
    }

    #[test]
    fn every_pattern_finds_its_own_example_and_passes_over_the_similar_text() {
        for patterns in all() {
            for pattern in patterns.telltales.list.iter().chain(&patterns.openings.list) {
                assert!(finds(pattern, pattern.hit), "{} must find {:?}", pattern.regex, pattern.hit);
                assert!(!finds(pattern, pattern.miss), "{} must not find {:?}", pattern.regex, pattern.miss);
            }
        }
    }

    #[test]
    fn what_the_caller_sent_is_no_leak() {
        let echo = Echo::of_values(
            &serde_json::json!({"task": "thread 'main' panicked at src/main.rs:4:5"}),
            &crate::transcript::Folders::default(),
        );
        let text = "No task 'thread 'main' panicked at src/main.rs:4:5' in this session.";
        assert!(leaks(text, &echo).is_empty());
        assert!(!leaks(text, &Echo::default()).is_empty());
    }

    #[test]
    fn what_changes_with_the_twins_value_is_no_leak_and_what_stays_is_one() {
        let check = |sent: &str, other: &str, text: &str, twin: &str, leaks: [usize; 2]| {
            let Check::Exchange(check) = debug_format::RULE.check else { panic!("it judges one exchange") };
            let arguments = |path: &str| serde_json::json!({ "path": path });
            let alone = Stage::refusal(text, &arguments(sent), Expected::Anything);
            assert_eq!(check(&alone.scene()).len(), leaks[0], "{text}");
            let beside = alone.beside(&arguments(other), twin);
            assert_eq!(check(&beside.scene()).len(), leaks[1], "{text} beside {twin}");
        };
        // The server turns what it was sent to capitals at its beginning, and drops a blank.
        check(
            r#"some ("name").txt"#,
            r#"zvtl ("uhtl").txt"#,
            r#"[PATH_NOT_FOUND] There is no Some("name").txt here."#,
            r#"[PATH_NOT_FOUND] There is no Zvtl("uhtl").txt here."#,
            [1, 0],
        );
        check(
            "name.txt",
            "uhtl.txt",
            r#"[PATH_NOT_FOUND] There is no Some("name.txt") here."#,
            r#"[PATH_NOT_FOUND] There is no Some("uhtl.txt") here."#,
            [1, 1],
        );
    }

    #[test]
    fn an_operating_systems_phrase_behind_operation_and_path_is_no_leak() {
        for text in
            ["could not read /workspace/x: permission denied", "Cannot open a.txt: No such file or directory"]
        {
            assert_eq!(leaks(text, &Echo::default()), [], "{text}");
        }
    }

    #[test]
    fn a_compilers_explanation_of_a_pattern_is_no_leak() {
        for text in [
            "Invalid regular expression '[a': error parsing regexp: missing closing ]: `[a`",
            "The pattern '(' does not compile: regex parse error:\n    (\n    ^\nerror: unclosed group",
        ] {
            assert_eq!(leaks(text, &Echo::default()), [], "{text}");
        }
    }

    fn of_a_call(text: &str) -> usize {
        let names = Names { tools: vec!["GetFile"], parameters: vec!["path", "time"] };
        all().iter().filter(|patterns| patterns.find(text, &Echo::default(), &names).is_some()).count()
    }

    #[test]
    fn the_call_of_a_tool_in_a_hint_is_no_notation_of_a_language() {
        for text in [
            "no a.txt. Call ListFiles(\"/\") to see what is there.",
            "no task t9. See TaskList(\"all\").",
            "no a.txt, e.g. GetFile(\"b.txt\") works.",
            "GetFile(\"b.txt\") would work.",
            "no a.txt (name: x, kind: Directory)",
        ] {
            assert_eq!(of_a_call(text), 0, "{text}");
        }
        assert_eq!(of_a_call("Call ListFiles(\"/\"), for TaskNotFound(\"t9\")"), 1);
    }

    #[test]
    fn a_parameters_name_before_a_bare_phrase_is_context() {
        for text in ["path: value out of range", "path: invalid syntax", "time: invalid duration \"x\""] {
            assert_eq!(of_a_call(text), 0, "{text}");
        }
        assert_eq!(of_a_call("time: invalid value; path is required"), 0);
        assert_eq!(of_a_call("view: value out of range"), 1);
        assert_eq!(leaks("time: invalid duration \"x\"", &Echo::default()).len(), 1);
    }

    proptest! {
        #[test]
        fn any_text_is_searched_without_a_panic_and_spans_lie_within_it(
            text in "(?s).{0,60}", wrap in prop::sample::select(vec!["", "Error: ", "{\"error\": \"", "failed: "]),
            leak in prop::sample::select(vec!["", "(os error 2)", "ENOENT: x", "Some(\"é\")", "panicked at é.rs:1:2"]),
            value in ".{0,20}",
        ) {
            let text = format!("{wrap}{text}{leak}{value}");
            let echo = Echo::of_values(&serde_json::json!([value]), &crate::transcript::Folders::default());
            for (_, span) in leaks(&text, &echo) {
                let evidence = Evidence::marked(text.as_str(), span);
                let (start, end) = evidence.span.expect("a marked text has a span");
                prop_assert!(evidence.text.get(start..end).is_some());
            }
        }
    }
}
