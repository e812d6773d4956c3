//! Every link of the book and of README leads to a page, a file or a heading that is there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::{read, source, whole};

/// The links of a page, as they stand there.
fn links(text: &str) -> Vec<String> {
    let of = |event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => Some(dest_url.to_string()),
        _ => None,
    };
    Parser::new_ext(text, Options::all()).filter_map(of).collect()
}

/// The anchors of a page's headings.
fn anchors(text: &str) -> BTreeSet<String> {
    let (mut anchors, mut heading) = (BTreeSet::new(), None);
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                anchors.extend(heading.take().map(|words| anchor(&words)));
            }
            Event::Text(words) | Event::Code(words) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&words);
                }
            }
            _ => {}
        }
    }
    anchors
}

fn anchor(words: &str) -> String {
    let kept = words.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// Why the link of this page leads nowhere; none if it leads somewhere.
fn broken(page: &Path, link: &str) -> Option<String> {
    if link.contains("://") {
        return None;
    }
    let (place, heading) = link.split_once('#').unwrap_or((link, ""));
    let target = if place.is_empty() {
        page.to_path_buf()
    } else {
        page.parent().expect("it lies in a folder").join(place)
    };
    if !target.exists() {
        return Some(format!("{}: {link} is not there", page.display()));
    }
    let is_missing = !heading.is_empty() && !anchors(&read(&target)).contains(heading);
    is_missing.then(|| format!("{}: {link} has no such heading", page.display()))
}

#[test]
fn every_link_leads_somewhere() {
    let mut files: Vec<PathBuf> = whole().iter().map(|page| source().join(page)).collect();
    files.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md"));
    let of_file = |file: &PathBuf| -> Vec<String> {
        links(&read(file)).iter().filter_map(|link| broken(file, link)).collect()
    };
    let broken: Vec<String> = files.iter().flat_map(of_file).collect();
    assert!(broken.is_empty(), "{broken:#?}");
}
