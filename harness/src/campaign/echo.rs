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
    let Some(evidence) = &finding.evidence else { return false };
    let Some((start, end)) = evidence.span else { return false };
    // In quotation marks the text is a value as a whole.
    let least = if is_quoted(&evidence.text, start, end) { 1 } else { least };
    let values: Vec<Value> = earlier.into_iter().filter_map(Input::value).collect();
    let spans = Echo::of_values(&Value::Array(values), folders).spans_in_leak(&evidence.text);
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
    let Some(evidence) = &finding.evidence else { return false };
    let Some((start, end)) = evidence.span else { return false };
    if retold == Retold::Name && is_quoted(&evidence.text, start, end) {
        return true;
    }
    made_up_errors(&evidence.text).any(|span| span.contains(&start))
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

    use crate::finding::{Evidence, Level, State};
    use crate::generate::Validity;

    use super::*;

    fn finding_in(reply: &str, marked: &str) -> Finding {
        let at = reply.find(marked).unwrap();
        Finding {
            rule: "leak/stack-trace".into(),
            level: Level::Must,
            case: None,
            tool: Some("reserve".into()),
            message: String::new(),
            evidence: Some(Evidence::marked(reply, at..reply.len())),
            sent: Value::Null,
            requirement: String::new(),
            help: String::new(),
            count: 1,
            signature: String::new(),
            layer: None,
            places: Vec::new(),
            cause: None,
            wordings: Vec::new(),
            state: State::New,
            input: None,
            examples: Vec::new(),
            stable: None,
            unconfirmed: None,
            replay: None,
            texts: Vec::new(),
        }
    }

    fn check(reply: &str, marked: &str, earlier: &Value) -> bool {
        let input = Input { arguments: earlier.to_string(), changes: Vec::new(), validity: Validity::Valid };
        is_echo(&finding_in(reply, marked), [&input], &Folders::default())
    }

    #[test]
    fn a_name_that_an_earlier_call_gave_is_the_callers_own() {
        let reply =
            "could not reserve 'a': it is held by 'Traceback (most recent call last):'. Ask the holder";
        let holder = json!({"agent": "Traceback (most recent call last):"});
        assert!(check(reply, "Traceback", &holder));
        assert!(!check(reply, "Traceback", &json!({"agent": "alpha"})));
        assert!(!check(reply, "Traceback", &json!({"agent": "a"})));
    }

    #[test]
    fn a_short_name_that_an_earlier_call_gave_is_its_own_in_quotation_marks_alone() {
        let check = |reply: &str| {
            let at = reply.find("{{a}}").expect("it is there");
            let evidence = Some(Evidence::marked(reply, at..at + 5));
            let input = Input {
                arguments: json!({"agent": "{{a}}"}).to_string(),
                changes: Vec::new(),
                validity: Validity::Valid,
            };
            is_echo(&Finding { evidence, ..finding_in(reply, "{{a}}") }, [&input], &Folders::default())
        };
        assert!(check("it is held by '{{a}}'. Ask the holder"));
        assert!(!check("it is held by {{a}}. Ask the holder"));
    }

    #[test]
    fn an_error_that_campaigns_make_up_is_no_leak_and_any_other_may_be_one() {
        let holder = |name: &str| format!("could not reserve 'a': it is held by '{name}'. Ask the holder");
        for (name, marked, expected) in [
            ("thread 'main' panicked at src/main.rs:1:1", "thread 'main' panicked", true),
            ("KeyError: 'alpha'", "KeyError", true),
            ("ENOENT: no such file or directory, open '/no-such-place'", "ENOENT", true),
            ("ENOENT: no such file or directory, open '/w/a'", "ENOENT", false),
            ("thread 'main' panicked at src/reserve.rs:20:7", "thread 'main' panicked", false),
            ("KeyError: 'beta'", "KeyError", false),
        ] {
            assert_eq!(is_made_up(&finding_in(&holder(name), marked)), expected, "{name}");
        }
    }

    #[test]
    fn a_name_that_looks_like_an_accident_is_the_callers_own_where_it_stands_as_a_value() {
        let finding = |reply: &str| {
            let at = reply.find("undefined").expect("it is there");
            let evidence = Some(Evidence::marked(reply, at..at + "undefined".len()));
            Finding { rule: "leak/format-accident".into(), evidence, ..finding_in(reply, "undefined") }
        };
        assert!(is_made_up(&finding("it is held by 'undefined'. Ask the holder")));
        assert!(!is_made_up(&finding("it is held by undefined. Ask the holder")));
        let reply = "it is held by 'NaN'. Ask the holder";
        let evidence = Some(Evidence::marked(reply, 14..20));
        assert!(is_made_up(&Finding {
            rule: "leak/format-accident".into(),
            evidence,
            ..finding_in(reply, "NaN")
        }));
    }

    #[test]
    fn an_error_that_a_campaign_wrote_to_a_file_is_its_own_also_where_it_was_edited_since() {
        for reply in [
            "Traceback (mostrecent call last): File \"no-such-place",
            "a\nTraceback (x): Fale no-such-place\nb",
        ] {
            assert!(is_made_up(&finding_in(reply, "Traceback (")), "{reply}");
            let rule = "channel/disguised-error".into();
            assert!(is_made_up(&Finding { rule, ..finding_in(reply, "Traceback (") }), "{reply}");
        }
        assert!(!is_made_up(&finding_in(
            "Traceback (most recent call last):\n  File \"no-such-place.py\"",
            "Traceback ("
        )));
    }

    #[test]
    fn a_control_character_is_the_callers_own_where_an_earlier_call_gave_it_or_it_shows_no_more() {
        let finding = Finding {
            rule: "message/control-character".into(),
            ..finding_in("it is held by 'a\u{202e}b'", "\u{202e}")
        };
        let earlier = |agent: &str| Input {
            arguments: json!({ "agent": agent }).to_string(),
            changes: Vec::new(),
            validity: Validity::Valid,
        };
        assert!(is_made_up(&finding));
        assert!(is_echo(&finding, [&earlier("a\u{202e}b")], &Folders::default()));
        assert!(!is_echo(&finding, [&earlier("alpha")], &Folders::default()));
    }
}
