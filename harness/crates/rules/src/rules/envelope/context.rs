//! `envelope/context`: the error shows too little or too much of the file, or something that is not in it.

use crate::contract::{ContextForm, ErrorReply, ReportedPlace};
use crate::finding::Diagnostic;
use crate::rules::{Context, Rule};
use crate::wording::excerpt;
use crate::wording::hint;

use super::edits::{Edits, Fault};
use super::verbatim::{Shown, Source};

/// EE-05: 10 to 15 lines around; EE-06: byte for byte; EE-07: every place with its line, five at most; EE-15: a bound.
pub(crate) static RULE: Rule = Rule::of_reply("envelope/context", include_str!("context.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let Some(edits) = Edits::of(context) else { return Vec::new() };
    let Some(form) = edits.form.context.as_ref().filter(|_| edits.is_match()) else { return Vec::new() };
    // For a tool that edits no file, nobody knows what its error should show.
    if !edits.is_list() && edits.known.is_none() {
        return Vec::new();
    }
    let source = edits.known.and_then(|known| known.content.as_deref()).map(Source::of);
    let mut faults = match context.condition() {
        Some("ambiguous-match") => places(&edits, form, source.as_ref()),
        _ => likely(&edits, form),
    };
    let snippet = edits.data.pointer(&form.snippet).and_then(|snippet| snippet.as_str());
    if let Some(snippet) = snippet.filter(|snippet| !snippet.is_empty()) {
        faults.extend(window(snippet, form, source.as_ref()));
    }
    let bytes = edits.data.pointer(&form.whole).map_or(0, |whole| whole.to_string().len());
    if bytes >= form.most_bytes {
        let what = format!("`{}` has {bytes} bytes, but must stay under {}", form.whole, form.most_bytes);
        faults.push(Fault::new("EE-15", what));
    }
    let help = "Copy whole lines from the file as it is on disk, without line numbers: half of them before \
        the place and half after it.";
    edits.diagnostic(faults, help)
}

/// EE-05: what must be shown for a text that was not found.
fn likely(edits: &Edits<'_>, form: &ContextForm) -> Vec<Fault> {
    let mut faults = Vec::new();
    let snippet = edits.data.pointer(&form.snippet).and_then(|snippet| snippet.as_str());
    if snippet.is_none_or(str::is_empty) {
        let what = format!(
            "`{}` is missing: the text was not found, and nothing of the file is \
                shown",
            form.snippet
        );
        faults.push(Fault::new("EE-05", what));
    }
    if edits.context.error.is_some_and(|error| advises_something_else(edits.context, error)) {
        faults.push(Fault::new("EE-05", "none of its advice is to read the file again"));
    }
    faults
}

/// Whether there is advice, but none to read the file again. If there is no advice at all, that is
/// `message/hint-missing`.
fn advises_something_else(context: &Context<'_>, error: &ErrorReply) -> bool {
    let rereads = |text: &str| {
        let text = text.to_lowercase();
        ["read", "view", "open", "current content", "look at", "inspect", "check the file", "cat "]
            .iter()
            .any(|word| text.contains(word))
    };
    let advises = || context.with_asked(|asked| error.advice().any(|text| hint::gives_hint(text, asked)));
    !error.advice().any(rereads) && advises()
}

/// EE-07: what must be shown for a text that occurs in several places.
fn places(edits: &Edits<'_>, form: &ContextForm, source: Option<&Source<'_>>) -> Vec<Fault> {
    let fault = |what: String| Fault::new("EE-07", format!("`{}` {what}", form.places));
    let reported = form.read(edits.data).unwrap_or_default();
    let lines = source.zip(edits.sought()).map(|(source, sought)| source.lines_of(sought));
    let count = lines.as_ref().map(Vec::len);
    let mut faults = Vec::new();
    if reported.is_empty() {
        return vec![fault("is missing: the text occurs in several places, and none is shown".to_owned())];
    }
    if reported.len() > form.most_places {
        faults.push(fault(format!(
            "shows {} places, but at most {} are \
            allowed",
            reported.len(),
            form.most_places
        )));
    } else if let Some(count) = count.filter(|count| reported.len() < (*count).min(form.most_places)) {
        faults.push(fault(format!("shows {} of {count} places", reported.len())));
    } else if reported.len() < 2 {
        faults.push(fault("shows one place of several".to_owned()));
    }
    if let Some(count) = count.filter(|count| *count > form.most_places)
        && !tells(edits, form, count, reported.len())
    {
        let what =
            format!("shows {} of {count} places, and does not say how many more there are", reported.len());
        faults.push(fault(what));
    }
    let mut seen = Vec::new();
    for place in &reported {
        faults.extend(place_faults(place, form, source, edits.sought(), lines.as_deref()));
        if place.line.is_some_and(|line| seen.contains(&line))
            && lines.as_ref().is_some_and(|lines| all_differ(lines))
        {
            faults.push(fault(format!("shows line {} twice", place.line.unwrap_or_default())));
        }
        seen.extend(place.line);
    }
    faults
}

fn all_differ(lines: &[u64]) -> bool {
    lines.windows(2).all(|pair| pair[0] != pair[1])
}

/// What is wrong with one place.
fn place_faults(
    place: &ReportedPlace<'_>,
    form: &ContextForm,
    source: Option<&Source<'_>>,
    sought: Option<&str>,
    lines: Option<&[u64]>,
) -> Vec<Fault> {
    let fault = |requirement, what: String| Fault::new(requirement, format!("`{}` {what}", form.places));
    let Some(line) = place.line else {
        return vec![fault("EE-07", "has a place without its line number".to_owned())];
    };
    if lines.is_some_and(|lines| !lines.contains(&line)) {
        return vec![fault(
            "EE-07",
            format!("names line {line}, where the text does not occur (lines are counted from 1)"),
        )];
    }
    let Some(text) = place.surroundings.filter(|text| !text.trim().is_empty()) else {
        return vec![fault("EE-07", format!("shows nothing of what is around line {line}"))];
    };
    let Some(source) = source else { return numbered(text, &form.places).into_iter().collect() };
    let sought_lines = sought.map_or(1, |sought| sought.lines().count());
    match source.find(text) {
        Shown::Verbatim(shown) => {
            if !shown.iter().any(|range| range.contains(&line)) {
                vec![fault("EE-07", format!("shows for line {line} what is elsewhere in the file"))]
            } else if text.lines().count() <= sought_lines && source.line_count() > sought_lines {
                vec![fault("EE-07", format!("shows for line {line} nothing but the line itself"))]
            } else {
                Vec::new()
            }
        }
        other => other.fault(&form.places, text).into_iter().collect(),
    }
}

/// What is wrong with the lines around the likely place.
fn window(snippet: &str, form: &ContextForm, source: Option<&Source<'_>>) -> Vec<Fault> {
    let mut faults = Vec::new();
    let lines = snippet.lines().count();
    let fault = |what: String| Fault::new("EE-05", format!("`{}` {what}", form.snippet));
    if lines > form.most_lines {
        faults.push(fault(format!("has {lines} lines, but at most {} are allowed", form.most_lines)));
    }
    let Some(source) = source else {
        faults.extend(numbered(snippet, &form.snippet));
        return faults;
    };
    match source.find(snippet) {
        Shown::Verbatim(shown) => {
            // At the file's edge at least half of the window must remain.
            let at_edge =
                shown.iter().any(|range| *range.start() == 1 || *range.end() == source.line_count() as u64);
            let least = if at_edge { form.least_lines.div_ceil(2) } else { form.least_lines };
            if lines < least.min(source.line_count()) {
                faults.push(fault(format!(
                    "has {lines} lines of {}, but at least {least} are required",
                    source.line_count()
                )));
            }
        }
        other => faults.extend(other.fault(&form.snippet, snippet)),
    }
    faults
}

/// If the file is unknown: the fault of lines that do not begin with consecutive numbers.
fn numbered(text: &str, pointer: &str) -> Option<Fault> {
    super::verbatim::counts_lines(text).then(|| {
        Fault::new(
            "EE-06",
            format!("`{pointer}` has line numbers before the file's text: `{}`", excerpt(text)),
        )
    })
}

impl Shown {
    /// The fault of a text that is not the file's.
    fn fault(&self, pointer: &str, text: &str) -> Option<Fault> {
        match self {
            Self::Verbatim(_) => None,
            Self::Numbered => Some(Fault::new(
                "EE-06",
                format!("`{pointer}` has line numbers before the file's text: `{}`", excerpt(text)),
            )),
            Self::Otherwise => Some(Fault::new(
                "EE-06",
                format!("`{pointer}` is not the file's own text, byte for byte: `{}`", excerpt(text)),
            )),
        }
    }
}

/// Whether the reply says how many places there are, or how many more than it shows.
fn tells(edits: &Edits<'_>, form: &ContextForm, count: usize, shown: usize) -> bool {
    let numbers = |text: &str| {
        let parts = text.split(|letter: char| !letter.is_ascii_digit());
        parts
            .filter_map(|digits| digits.parse::<usize>().ok())
            .any(|number| number == count || number + shown == count)
    };
    let advised = edits.context.error.is_some_and(|error| error.advice().any(numbers));
    // A note may have a member of its own, beside the places or in the envelope.
    let members = |value: &serde_json::Value| {
        let members = value.as_object();
        members.into_iter().flatten().any(|(_, member)| match member {
            serde_json::Value::String(text) => numbers(text) && !text.contains('\n'),
            serde_json::Value::Number(number) => number
                .as_u64()
                .is_some_and(|number| number as usize == count || number as usize + shown == count),
            _ => false,
        })
    };
    advised || members(edits.data) || edits.data.pointer(&form.whole).is_some_and(members)
}
