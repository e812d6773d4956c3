//! The HTML report: one page that needs nothing else, in which a server's words are text.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcp_errconf::condition::CaseId;
use mcp_errconf::finding::{Level, PendingText};
use mcp_errconf::judge::{Messages, Report, Status};
use proptest::prelude::*;
use sha2::{Digest as _, Sha256};

use crate::published::{mixed, shown, tags, text, with_text};
use crate::sample::{on, report, with_case, with_finding};

/// What stands in the first element of this name.
fn within<'p>(page: &'p str, element: &str) -> &'p str {
    let (_, rest) = page.split_once(&format!("<{element}>")).expect("the element is there");
    rest.split_once(&format!("</{element}>")).expect("it ends").0
}

/// The page without its style sheet and its script, which are files of their own.
fn content(page: &str) -> String {
    page.replace(within(page, "style"), "").replace(within(page, "script"), "")
}

/// What an attribute is, wherever it stands.
fn values<'p>(page: &'p str, attribute: &str) -> Vec<&'p str> {
    let begin = format!(" {attribute}=\"");
    page.split(&begin).skip(1).map(|rest| rest.split_once('"').expect("it ends").0).collect()
}

/// A run with a text that waits for acceptance, and with the measure of messages.
fn full() -> Report {
    let mut pending = on("view", "read/missing", "[GONE] It is gone.");
    (pending.rule, pending.level) = ("snapshot/pending".to_owned(), Level::Must);
    pending.texts = vec![PendingText {
        snapshot: "read__missing@view".to_owned(),
        accepted: Some("code: GONE\n\n[GONE] It was gone.".to_owned()),
        seen: "code: GONE\n\n[GONE] It is gone.".to_owned(),
    }];
    let mut report = with_finding(mixed(), pending);
    report.summary.messages = Messages { judged: 8, fixable: 7 };
    report.cases[0].findings = vec![0];
    report
}

#[test]
fn html_is_one_page_that_needs_nothing_else() {
    let page = shown("html", &full());
    insta::assert_snapshot!(content(&page).replace("><", ">\n<"));
    for foreign in
        ["<link", "<img", "<iframe", "<object", "src=", "url(", "@import", "http-equiv=\"refresh", " style="]
    {
        assert!(!page.contains(foreign), "{foreign}");
    }
    for element in ["<script", "<style", "<meta http-equiv"] {
        assert_eq!(page.matches(element).count(), 1, "{element}");
    }
}

#[test]
fn the_policy_names_the_script_and_the_style_sheet_by_their_hashes_and_allows_nothing_else() {
    for report in [full(), crate::sample::hostile()] {
        let page = shown("html", &report);
        let hash = |element: &str| STANDARD.encode(Sha256::digest(within(&page, element)));
        let policy = format!(
            "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
            hash("script"),
            hash("style")
        );
        assert!(
            page.contains(&format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">"))
        );
    }
}

#[test]
fn every_link_leads_to_a_place_of_the_page_and_every_place_has_one_name() {
    let page = content(&shown("html", &full()));
    let ids = values(&page, "id");
    let known: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(known.len(), ids.len(), "a name stands twice: {ids:?}");
    let links = values(&page, "href");
    assert!(links.len() > 10, "{links:?}");
    for link in links {
        let target = link.strip_prefix('#').expect("no link leads elsewhere");
        assert!(known.contains(target), "{link} leads nowhere");
    }
    for of in values(&page, "aria-labelledby") {
        assert!(known.contains(of), "{of} names nothing");
    }
}

/// A text in lower case, without the marks of code.
fn plain(text: &str) -> String {
    text.replace('`', "").to_lowercase()
}

/// The words of a page without its tags.
fn words(page: &str) -> String {
    let words: String =
        page.split('<').map(|part| part.split_once('>').map_or(part, |(_, words)| words)).collect();
    plain(&words.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&"))
}

#[test]
fn without_its_script_the_page_says_all_of_it() {
    let report = full();
    let page = content(&shown("html", &report));
    let words = words(&page);
    for finding in &report.findings {
        for said in [&finding.rule, &finding.message, &finding.help] {
            assert!(words.contains(&plain(said)), "{said}");
        }
    }
    for case in &report.cases {
        assert!(page.contains(&case.id.0) && page.contains(&case.title), "{}", case.id.0);
    }
    // What is hidden does nothing without the script, or is said by it.
    let hidden: Vec<&str> = tags(&page).into_iter().filter(|tag| tag.ends_with(" hidden")).collect();
    let kinds: Vec<&str> = hidden.iter().filter_map(|tag| tag.split(' ').next()).collect();
    assert_eq!(kinds, ["p", "p", "form"], "{hidden:?}");
}

#[test]
fn a_suggested_text_stands_apart_from_the_fix() {
    let mut finding = on("view", "read/missing", "It is gone.");
    finding.help = "Name the `path`. Here it could read: `'a' is gone`.".to_owned();
    let page = shown("html", &with_finding(report(), finding));
    assert!(page.contains("<dt>Suggested text</dt><dd><pre class=\"copy\">'a' is gone</pre></dd>"), "{page}");
    assert!(page.contains("<dt>Fix</dt><dd><p>Name the <code>path</code>.</p></dd>"), "{page}");
}

#[test]
fn the_top_says_what_was_run_and_when() {
    let top = shown("html", &full());
    let top = words(
        top.split_once("<header>").and_then(|(_, rest)| rest.split("</header>").next()).expect("a top"),
    );
    for said in
        ["not conformant", "file-server 2.1", "file-server --root {workspace}", "26 nov 2026", "1.2 s"]
    {
        assert!(top.contains(said), "{said}: {top}");
    }
    assert!(top.contains("7 of 8 bad calls can be fixed from the error message alone"), "{top}");
}

#[test]
fn the_matrix_has_the_state_of_each_tool_in_each_group_and_condition() {
    let mut report =
        with_case(with_case(report(), "a", Status::Passed, None), "b", Status::NotJudged, Some("why"));
    report.cases[1].condition = Some("empty".to_owned());
    let mut finding = on("read_file", "a", "It failed.");
    finding.level = Level::Should;
    let page = content(&shown("html", &with_finding(report, finding)));
    let rows: Vec<&str> =
        page.split("<tr data-n=\"0\">").skip(1).filter_map(|rest| rest.split("</tr>").next()).collect();
    let [row, missing, path] = rows[..] else { panic!("{rows:?}") };
    let check = |row: &str, expected: &[&str]| {
        let states: Vec<&str> = values(row, "class").into_iter().filter(|class| *class != "vh").collect();
        assert_eq!(states, expected, "{row}");
    };
    check(row, &["open", "warned"]);
    check(missing, &["open"]);
    check(path, &["warned"]);
    assert!(row.contains("<th scope=\"row\"><a href=\"#findings\">read_file</a></th>"), "{row}");
}

#[test]
fn the_same_report_gives_the_same_bytes() {
    assert_eq!(shown("html", &full()), shown("html", &full()));
}

#[test]
fn findings_that_nothing_distinguishes_have_names_of_their_own() {
    let findings = (0..10_000).map(|_| on("view", "read/missing", "It is gone."));
    let page = content(&shown("html", &findings.fold(report(), with_finding)));
    let names: BTreeSet<&str> = values(&page, "id").into_iter().filter(|id| id.starts_with("f-")).collect();
    assert_eq!(names.len(), 10_000);
}

/// The page's tags, but for the names of findings, which are made from their words, and for code and paragraphs, which a
/// backtick or a line break in a message makes.
fn structure(page: &str) -> Vec<String> {
    let without_name = |tag: &str| match tag.find("f-") {
        Some(at) if tag[at + 2..].chars().take(16).all(|letter| letter.is_ascii_hexdigit()) => {
            format!("{}{}", &tag[..at], tag.get(at + 18..).unwrap_or_default())
        }
        _ => tag.to_owned(),
    };
    let inert = ["code", "p"].map(|name| [name.to_owned(), format!("/{name}")]).concat();
    tags(&content(page)).into_iter().map(without_name).filter(|tag| !inert.contains(tag)).collect()
}

/// The report with this text in snapshots, tools and conditions too.
fn everywhere(text: &str) -> Report {
    let mut report = with_text(text);
    let pending = PendingText { snapshot: text.to_owned(), accepted: None, seen: text.to_owned() };
    for finding in &mut report.findings {
        finding.texts = vec![pending.clone()];
        finding.replay = Some(text.to_owned());
        (finding.stable, finding.unconfirmed) = (Some(false), Some(text.to_owned()));
        finding.places.iter_mut().for_each(|place| place.condition = Some(text.to_owned()));
    }
    let case = &mut report.cases[0];
    (case.tools, case.condition) = (vec![text.to_owned()], Some(text.to_owned()));
    case.id = CaseId(text.to_owned());
    report
}

proptest! {
    #[test]
    fn no_markup_of_a_server_is_markup_in_html(text in text()) {
        let page = shown("html", &everywhere(&text));
        let plain = shown("html", &everywhere("xy"));
        prop_assert_eq!(structure(&page), structure(&plain));
    }

    #[test]
    fn no_markup_of_a_server_is_markup_in_a_changed_text(accepted in text(), seen in text()) {
        let mut report = everywhere("xy");
        for finding in &mut report.findings {
            finding.texts[0].accepted = Some(accepted.clone());
            finding.texts[0].seen = seen.clone();
        }
        let page = content(&shown("html", &report));
        for tag in page.split("<div class=\"pair\">").skip(1).flat_map(|pair| {
            tags(pair.split_once("</div>").expect("it ends").0)
        }) {
            let ours = ["p", "/p", "code", "/code", "figure", "/figure", "figcaption", "/figcaption", "pre", "/pre"];
            prop_assert!(ours.contains(&tag) || ["del", "/del", "ins", "/ins"].contains(&tag), "{}", tag);
        }
    }
}
