//! Whether a leak is only an echo: a value that an earlier call sent and the server repeats.
//!
//! The main function is [`is_echo`]. The rules know only what the call itself sent, not the calls before it,
//! and a campaign deliberately sends words that look like leaks.

use serde_json::Value;

use crate::finding::Finding;
use crate::generate::{Input, made_up_errors};
use crate::placeholder::Folders;
use crate::rules::handling;
use crate::rules::handling::Retold;
use crate::wording::Echo;

/// A shorter value proves nothing, because it may occur in any text.
const SHORT: usize = 6;

/// Whether the marked leak begins within a value of one of these earlier calls.
pub(super) fn is_echo<'i>(
    finding: &Finding,
    earlier: impl IntoIterator<Item = &'i Input>,
    folders: &Folders,
) -> bool {
    let least = match handling(&finding.rule).retold {
        Retold::Character => 1,
        Retold::Passage | Retold::Name => SHORT,
        Retold::Nothing => return false,
    };
    let Some((text, start, end)) = marked(finding) else { return false };
    // In quotation marks the text is a value as a whole.
    let least = if is_quoted(text, start, end) { 1 } else { least };
    let values: Vec<Value> = earlier.into_iter().filter_map(Input::value).collect();
    let spans = Echo::of_values(&Value::Array(values), folders).spans_in_leak(text);
    spans.iter().any(|span| span.start <= start && start < span.end && span.end.min(end) - start >= least)
}

/// Whether the leak contains an error text or a character that campaigns make up: then some earlier call sent
/// it. For findings that do not show when their call is sent alone.
pub(super) fn is_made_up(finding: &Finding) -> bool {
    let retold = handling(&finding.rule).retold;
    match retold {
        Retold::Nothing => return false,
        Retold::Character => return true,
        Retold::Passage | Retold::Name => {}
    }
    let Some((text, start, end)) = marked(finding) else { return false };
    let is_name = retold == Retold::Name && is_quoted(text, start, end);
    is_name || made_up_errors(text).any(|span| span.contains(&start))
}

/// The text of the evidence, with where the marked part begins and ends.
fn marked(finding: &Finding) -> Option<(&str, usize, usize)> {
    let evidence = finding.evidence.as_ref()?;
    let (start, end) = evidence.span?;
    Some((&evidence.text, start, end))
}

/// Whether the text has quotation marks around the marked part, or the marked part begins with a quotation that
/// ends within it.
fn is_quoted(text: &str, start: usize, end: usize) -> bool {
    const MARKS: [char; 3] = ['\'', '"', '`'];
    let around = text.get(..start).zip(text.get(end..));
    let is_around = around.is_some_and(|(before, after)| before.ends_with(MARKS) && after.starts_with(MARKS));
    let within = text.get(start..end).and_then(|marked| marked.strip_prefix(MARKS));
    is_around || within.is_some_and(|rest| rest.contains(MARKS))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::finding::Evidence;

    use super::super::corpus::tests::valid;
    use super::super::ledger::tests::finding;
    use super::*;

    /// A finding of this rule in a reply, of which the part between `«` and `»` is marked.
    fn marked(rule: &str, reply: &str) -> Finding {
        let (before, rest) = reply.split_once('«').expect("the mark begins");
        let (marked, after) = rest.split_once('»').expect("the mark ends");
        let text = [before, marked, after].concat();
        let evidence = Some(Evidence::marked(&text, before.len()..before.len() + marked.len()));
        Finding { rule: rule.to_owned(), evidence, ..finding(&Value::Null) }
    }

    #[test]
    fn a_value_that_an_earlier_call_gave_is_the_callers_own_and_a_short_one_in_quotation_marks_alone() {
        const TRACE: &str =
            "could not reserve 'a': it is held by '«Traceback (most recent call last):'. Ask the holder»";
        for (rule, reply, earlier, expected) in [
            ("leak/stack-trace", TRACE, "Traceback (most recent call last):", true),
            ("leak/stack-trace", TRACE, "alpha", false),
            ("leak/stack-trace", TRACE, "a", false),
            ("leak/stack-trace", "it is held by '«{{a}}»'. Ask the holder", "{{a}}", true),
            ("leak/stack-trace", "it is held by «{{a}}». Ask the holder", "{{a}}", false),
            ("message/control-character", "it is held by 'a«\u{202e}b'»", "a\u{202e}b", true),
            ("message/control-character", "it is held by 'a«\u{202e}b'»", "alpha", false),
        ] {
            let input = valid(&json!({ "agent": earlier }).to_string());
            let found = is_echo(&marked(rule, reply), [&input], &Folders::default());
            assert_eq!(found, expected, "{rule}: {reply} after {earlier}");
        }
    }

    #[test]
    fn what_campaigns_make_up_is_no_leak_and_any_other_may_be_one() {
        for (rule, reply, expected) in [
            ("leak/stack-trace", "it is held by '«thread 'main' panicked at src/main.rs:1:1'. Ask»", true),
            (
                "leak/stack-trace",
                "it is held by '«thread 'main' panicked at src/reserve.rs:20:7'. Ask»",
                false,
            ),
            ("leak/stack-trace", "it is held by '«KeyError: 'alpha''. Ask»", true),
            ("leak/stack-trace", "it is held by '«KeyError: 'beta''. Ask»", false),
            ("leak/stack-trace", "'«ENOENT: no such file or directory, open '/no-such-place''. Ask»", true),
            ("leak/stack-trace", "'«ENOENT: no such file or directory, open '/w/a''. Ask»", false),
            // An error that a campaign wrote to a file may have been edited since.
            ("leak/stack-trace", "«Traceback (mostrecent call last): File \"no-such-place»", true),
            ("channel/disguised-error", "«Traceback (mostrecent call last): File \"no-such-place»", true),
            ("leak/stack-trace", "a\n«Traceback (x): Fale no-such-place\nb»", true),
            ("channel/disguised-error", "a\n«Traceback (x): Fale no-such-place\nb»", true),
            ("leak/stack-trace", "«Traceback (most recent call last):\n  File \"no-such-place.py\"»", false),
            ("leak/format-accident", "it is held by '«undefined»'. Ask the holder", true),
            ("leak/format-accident", "it is held by «undefined». Ask the holder", false),
            ("leak/format-accident", "it is held by «'NaN'.» Ask the holder", true),
            ("message/control-character", "it is held by 'a«\u{202e}b'»", true),
        ] {
            assert_eq!(is_made_up(&marked(rule, reply)), expected, "{rule}: {reply}");
        }
    }
}
