//! `message/overlong`: an error reply contains far more text than anybody reads in an error.

use crate::contract::ErrorReply;
use crate::finding::{Diagnostic, Evidence};
use crate::pattern;
use crate::roles::Role;
use crate::rules::{Context, Rule};
use crate::wording::echo::FILL;

/// A56: how long an error may be.
pub(crate) static RULE: Rule = Rule::of_reply("message/overlong", include_str!("overlong.toml"), check);

/// An error reply of at most this many bytes, besides what the caller sent, is not a finding.
const MOST: usize = 8 * 1024;
/// A longer text is to be cut at a line end before this many bytes.
const ENOUGH: usize = 2 * 1024;

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    if context.error.is_none() || context.plays(Role::Shell) {
        return Vec::new();
    }
    let texts = context.texts();
    let found = texts.iter().find_map(|text| dump(context, text));
    let Some((what, text, cut)) = found.or_else(|| long(context, &texts)) else { return Vec::new() };
    let message = format!("the error reply of `{}` contains {what}", context.called());
    let help = "Cut it here: say in one sentence what is wrong with which value, and how to get the rest.";
    vec![Diagnostic::new(message, help).evidence(Evidence::marked(text, cut..text.len()))]
}

/// A page or a block of base64 that the caller did not send: its description, its text, and the offset at which
/// it begins.
fn dump<'a>(context: &Context<'_>, text: &'a str) -> Option<(String, &'a str, usize)> {
    if !pattern!("text/page").is_match(text) && !pattern!("text/encoded").is_match(text) {
        return None;
    }
    let blank = context.echo().blank(text);
    let page = pattern!("text/page")
        .find(&blank)
        .filter(|page| pattern!("text/page-end").is_match(&blank[page.end()..]));
    if let Some(page) = page {
        return Some(("an HTML page".to_owned(), text, page.start()));
    }
    // A line of dashes, a long number and words in capitals have no letters of several kinds.
    let is_encoded = |word: &str| {
        let has = |is: fn(&u8) -> bool| word.bytes().filter(is).count() > word.len() / 20;
        has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit)
    };
    let encoded = pattern!("text/encoded").find_iter(&blank).find(|word| is_encoded(word.as_str()))?;
    Some((format!("{} characters of base64", encoded.len()), text, encoded.start()))
}

/// Text that is longer than an error should be: its description, the longest text, and the offset at which to
/// cut it.
fn long<'a>(context: &Context<'a>, texts: &[&'a str]) -> Option<(String, &'a str, usize)> {
    // Other members of a contract's error object are left to its schema.
    let message = context.contract.envelope.as_ref().and(context.error).map(ErrorReply::message);
    let texts = &message.map_or_else(|| texts.to_vec(), |message| vec![message]);
    // Most replies are short enough with all that they echo.
    if texts.iter().map(|text| text.len()).sum::<usize>() <= MOST {
        return None;
    }
    let own = |text: &&str| context.echo().blank(text).bytes().filter(|byte| *byte != FILL).count();
    let own: usize = texts.iter().map(own).sum();
    let success = context.succeeded_control().map(|control| control.outcome.texts());
    let success: usize = success.into_iter().flatten().map(str::len).sum();
    if own <= MOST || own <= success {
        return None;
    }
    let longest = texts.iter().max_by_key(|text| text.len())?;
    let most = longest.floor_char_boundary(ENOUGH);
    let cut = longest[..most].rfind('\n').filter(|end| *end > 0).unwrap_or(most);
    Some((format!("{own} bytes of text"), longest, cut))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::expectation::Expected;
    use crate::rules::fixture::Fixture;

    fn found(text: &str, sent: &str) -> Option<(String, usize)> {
        let fixture = Fixture::refusal(text, &json!({"path": sent}), Expected::Anything);
        let diagnostic = super::check(&fixture.context()).pop()?;
        let span = diagnostic.evidence.and_then(|evidence| evidence.span)?;
        Some((diagnostic.message, span.0))
    }

    #[test]
    fn the_help_says_where_to_cut() {
        let text = format!("[IO_ERROR] It failed.\n{}", "one more line of a file\n".repeat(500));
        let (message, cut) = found(&text, "").expect("it is long");
        assert!(message.contains("12022 bytes of text"), "{message}");
        assert!(cut < super::ENOUGH && text[cut..].starts_with('\n'), "{cut}");
        let page = "[IO_ERROR] 502: <html><head><title>Bad Gateway</title></head></html>";
        assert_eq!(found(page, "").expect("a page").1, page.find('<').expect("it is there"));
        let encoded = format!("[IO_ERROR] The picture iVBORw0{} is none.", "KGgoAAAANSUhEUg5".repeat(40));
        assert!(found(&encoded, "").expect("base64").0.contains("647 characters of base64"));
    }
}
