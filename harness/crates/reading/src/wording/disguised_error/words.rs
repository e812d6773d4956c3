//! The English words that say that a call failed, graded by how much they prove.

use std::ops::Range;

use super::tongue::Says;
use crate::contract::Contract;
use crate::pattern;
use crate::wording::echo::FILL;

/// The maximum length of a reply that is a single statement, in bytes.
pub(super) const SHORT: usize = 300;

/// The words with which an error begins.
pub(super) fn opening(text: &str, contract: &Contract) -> Option<Range<usize>> {
    let begin = text.len() - text.trim_start().len();
    if let Some(inner) = text[begin..].strip_prefix('[') {
        let opens = |name: &str| inner.strip_prefix(name).is_some_and(|rest| rest.starts_with("] "));
        if let Some(code) = contract.codes.iter().find(|code| opens(&code.name)) {
            return Some(begin..begin + code.name.len() + 2);
        }
    }
    let found = pattern!("failure/opening").find(text)?;
    let start = found.end() - found.as_str().trim_start().len();
    // "Errors: 0" and "Error handling in Rust" are not errors; in an error the word is followed by what
    // happened.
    let word = found.as_str().trim().to_ascii_lowercase();
    let rest = &text[found.end()..];
    if !word.starts_with("status:") && word.ends_with("error") {
        // "[ERROR] ..", "<error>..".
        let is_tag = word.starts_with(['[', '<']) && rest.starts_with([']', '>']);
        let is_one = is_tag || rest.starts_with([':', ',', ' ', '*']);
        return is_one.then_some(start..found.end() + usize::from(is_tag));
    }
    // "Failed: 2", "Standard error: 0.2".
    let counts = rest.trim_start().starts_with(|c: char| c.is_ascii_digit());
    let is_count = counts && (word.ends_with("failed:") || word.ends_with("error:"));
    let is_none = word.starts_with("no error") || word.ends_with("error:") && is_nothing(rest);
    (!is_count && !is_none).then(|| start..start + text[start..found.end()].trim_end().len())
}

/// Whether what stands behind "error:" says that there was none.
fn is_nothing(rest: &str) -> bool {
    let word = rest.trim().trim_end_matches('.').to_ascii_lowercase();
    word.is_empty() || ["none", "null", "nil", "no", "n/a", "-"].contains(&word.as_str())
}

/// Whether these first words alone mean that something failed, whatever was requested. "No such value",
/// "Unknown" and "Missing" may be the answer.
pub(super) fn says_failure(text: &str, opening: &Range<usize>) -> bool {
    // A single word may be an answer: "Invalid." from a tool that checks something.
    pattern!("failure/word").is_match(&text[opening.start..text.ceil_char_boundary(opening.end + 1)])
}

/// Whether a short text begins with only a cross and denies something. In a list of things to do, a cross marks
/// what is not done.
pub(super) fn is_crossed(text: &str, opening: &Range<usize>) -> bool {
    let is_short = text.len() <= SHORT && text.trim().lines().count() <= 4;
    let said = &text[opening.end..];
    is_short
        && pattern!("failure/cross").is_match(&text[opening.clone()])
        && (pattern!("failure/denial").is_match(said) || refusing(said).is_some())
}

/// The word with which a short text reports an error, whatever was requested, followed by what happened:
/// "Error: ..", "Error during export: ..".
pub(super) fn plain_error(text: &str) -> Option<Range<usize>> {
    /// A longer text contains more than an error.
    const LONG: usize = 600;
    let is_short = text.len() <= LONG && text.trim().lines().count() <= 4;
    // "Error handling in Rust: use Result" is about errors.
    let is_about_them = |found: &str| found.contains(" handling");
    let found =
        pattern!("failure/plain").captures(text).filter(|found| is_short && !is_about_them(&found[0]))?;
    Some(found.get(1).or_else(|| found.get(2))?.range())
}

/// What a failed program leaves: its exit status as the last line ("exit status 1"), or the page on how it is called with the
/// error behind it ("usage: report [-h] n", "report: error: ..").
pub(super) fn failed_program(text: &str) -> Option<Range<usize>> {
    let is_page = || text.trim_start().get(..7).is_some_and(|begin| begin.eq_ignore_ascii_case("usage: "));
    let called = || pattern!("failure/usage").captures(text).filter(|_| is_page());
    Some(pattern!("failure/exit-status").captures(text).or_else(called)?.get(1)?.range())
}

/// The tool's own name at the beginning of a text that reports an error: "export_notes error: ..".
pub(super) fn named_error(text: &str, tool: &str) -> Option<Range<usize>> {
    let start = text.len() - text.trim_start().len();
    let end = start + tool.len() + " error".len();
    let begins = text[start..].strip_prefix(tool).is_some_and(|rest| rest.starts_with(" error: "));
    begins.then_some(start..end)
}

/// The statement of a short text that nothing was done: a thing does not exist, or none of several succeeded.
/// For tools that search or list, a missing thing is an answer.
pub(super) fn statement(text: &str, seeks: bool) -> Option<Range<usize>> {
    if let Some(found) =
        pattern!("failure/none-succeeded").find(text).or_else(|| pattern!("failure/timed-out").find(text))
    {
        return Some(found.range());
    }
    if let Some(found) = nothing_done(text).filter(|_| !seeks) {
        return Some(found);
    }
    let is_short = text.len() <= SHORT && text.trim().lines().count() <= 2;
    let found = pattern!("failure/absent").find(text).filter(|_| is_short && !seeks)?;
    Some(found.end() - found.as_str().trim_start().len()..found.end())
}

/// The words with which a report says that nothing was done: it counts or lists errors alone, or says so.
pub(super) fn nothing_done(text: &str) -> Option<Range<usize>> {
    let counted = || pattern!("failure/report-of-failures").find(text);
    let counted = || counted().filter(|_| !pattern!("failure/some-done").is_match(text));
    let denied = || pattern!("failure/nothing-done").find(text).filter(|_| text.len() <= SHORT);
    let found = pattern!("failure/errors-alone").find(text).or_else(counted).or_else(denied)?;
    let said = found.as_str().trim_start();
    let start = found.end() - said.len();
    Some(start..start + said.lines().next().unwrap_or_default().trim_end().len())
}

/// Whether the text after a statement that a thing does not exist is compatible with it: nothing, or a sentence
/// on what to do; such a sentence may be part of an answer about one of several things.
pub(super) fn ends_in_a_hint(rest: &str, of_several: bool) -> bool {
    // "Note not found: x" only names what was asked for.
    let named = rest.strip_prefix(':').map(|value| value.trim().trim_matches(['"', '\'', '`']));
    let rest = match named {
        Some(value) if value.bytes().all(|byte| byte == FILL) => "",
        _ => rest,
    };
    let hint = rest.trim_start_matches(['.', '!']).trim();
    let is_sentence = rest.starts_with(['.', '!'])
        && !hint.contains('\n')
        && !pattern!("failure/done-all-the-same").is_match(hint);
    hint.is_empty() || is_sentence && !of_several
}

/// The lines of the headings with which a short text begins, at most two.
pub(super) fn headings(text: &str) -> Vec<Range<usize>> {
    /// A longer text is a document.
    const DOCUMENT: usize = 1_500;
    let mut lines = Vec::new();
    if text.len() > DOCUMENT {
        return lines;
    }
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let range = start..start + line.trim_end().len();
        start += line.len();
        match line.trim_start() {
            "" => {}
            title if title.starts_with('#') && lines.len() < 2 => lines.push(range),
            _ => break,
        }
    }
    lines
}

/// What the heading on this line reports: an error, or that a thing does not exist.
pub(super) fn heading(text: &str, line: &Range<usize>) -> Option<(Says, Range<usize>)> {
    let found = pattern!("failure/heading").captures(&text[line.clone()])?;
    let says = if found.get(2).is_some() { Says::Failed } else { Says::Absent };
    let span = found.get(1)?.range();
    Some((says, span.start + line.start..span.end + line.start))
}

/// The words with which a text refuses. They are no evidence by themselves, because "must" is an ordinary word.
pub(super) fn refusing(text: &str) -> Option<Range<usize>> {
    pattern!("failure/refusal").find(text).map(|found| found.range())
}

/// The words that say why nothing was done: a refusal, or that the searched thing does not exist, or is too
/// much.
pub(super) fn idle(text: &str) -> Option<Range<usize>> {
    let begins = |range: &Range<usize>| range.start;
    pattern!("failure/idle")
        .find(text)
        .map(|found| found.range())
        .into_iter()
        .chain(refusing(text))
        .min_by_key(begins)
}

/// The words with which a short text refuses.
pub(super) fn short_refusal(text: &str) -> Option<Range<usize>> {
    refusing(text).filter(|_| text.len() <= SHORT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_behind_a_statement_leaves_it_standing() {
        for (rest, stands) in [
            ("", true),
            (".\n", true),
            (". Use graph_info to find valid ids.", true),
            (". It was created.", false),
            (": a new one was made", false),
            (": \u{1a}\u{1a}\u{1a}", true),
            (": \"\u{1a}\u{1a}\"", true),
            (": ", true),
            (".\nNode 6: updated", false),
        ] {
            assert_eq!(ends_in_a_hint(rest, false), stands, "{rest}");
        }
        assert!(ends_in_a_hint("!", true) && !ends_in_a_hint(". Use graph_info.", true));
    }

    #[test]
    fn a_word_alone_is_an_answer() {
        for (text, end, says) in [
            ("Error: no", 6, true),
            ("Invalid date", 7, true),
            ("Invalid.", 7, false),
            ("Failed to", 9, true),
            ("No such file", 7, false),
            ("Unknown", 7, false),
        ] {
            assert_eq!(says_failure(text, &(0..end)), says, "{text}");
        }
    }

    #[test]
    fn an_error_of_any_kind_is_told_from_a_measure_of_errors() {
        let contract = crate::contract::load_builtin("plain").expect("it is sound").expect("it is built in");
        for (text, is_one) in [
            ("Parser Error: syntax error at or near \"x\"", true),
            ("IO Error: Cannot open file", true),
            ("An error occurred while opening the project", true),
            ("Standard error: 0.25", false),
            ("Last error: none", false),
            ("No error: all is well", false),
        ] {
            assert_eq!(opening(text, &contract).is_some(), is_one, "{text}");
        }
    }
}
