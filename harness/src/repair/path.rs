//! What a message says about a path: that it leads to the wrong kind of thing, to nothing, or starts in the
//! wrong place.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Regex, RegexSet};

use super::requested::{RequestedChange, RequestedPath, StatedChange};
use super::slot::ArgumentSlot;
use crate::expression::{expression, expressions};
use crate::generate::{named, plain_name};

/// What a message asks for regarding the path that was sent.
pub(super) fn stated_change(text: &str, slot: &ArgumentSlot) -> Option<StatedChange> {
    static SAID: LazyLock<RegexSet> = LazyLock::new(|| {
        expressions([
            r"\bnot (?:inside )?a (?:valid )?(?:git )?repo(?:sitory)?\b|\bno git repository|must be a (?:git )?repo",
            r"\b(?:must be|is not|isn't|not|requires?|expected|use|provide|send|give|need)s? (?:an? )?absolute\b|\brelative paths? (?:is|are) (?:not|forbidden)",
            r"\b(?:must be|requires?|expected|use|provide|only) (?:a )?relative\b|\babsolute paths? (?:is|are)? ?(?:not|rejected|forbidden)|\bmust not be absolute|\binvalid path segments?|\bmust not (?:contain|include) (?:path separators?|slashes|'/')",
            r"\bnot a (?:valid )?(?:directory|folder)\b|\bno such (?:directory|folder)\b|\b(?:directory|folder)\b[^.\n]{0,120}\b(?:not found|does(?: not|n't) exist|not exist)|\benotdir\b|\bmust be an? (?:existing )?(?:directory|folder)\b|\b(?:directory|folder) not found",
            r"\b(?:is|was) a (?:directory|folder)\b|\beisdir\b|\bnot a (?:regular |valid )?file\b|\bmust be a file\b|\bexpected a file\b",
            r"\bno (?:such )?file\b(?: or (?:directory|folder))?(?: exists| found| there)?|\bfile\b[^.\n]{0,120}\b(?:not found|does(?: not|n't) exist|not exist)|\bfile not found|\benoent\b|\bpath\b[^.\n]{0,120}\b(?:not found|does(?: not|n't) exist|not exist|invalid)|\bcould not (?:find|open|read) (?:the )?file",
        ])
    });
    static BELOW: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r#"(?i)(?:must be|should be|has to be|is not|not|outside|only)(?: (?:located|inside|within|in|below|under|beneath|of|allowed|files|paths|the|root|directory|directories|folder|workspace|base|project|repository|repo))+\s*:?\s*['"`\[(]*(?P<root>/[^\s'"`\])]{1,300})|\b(?:use|send|give|choose|pick|provide|stay|keep|move|write)\b[^.\n]{0,40}?\b(?:inside|within|in|below|under|beneath)(?: the)?(?: (?:directory|directories|folders?|root|workspace))?\s*:?\s*['"`\[(]*(?P<in>/[^\s'"`\])]{1,300})"#,
        )
    });
    static NONE_OF: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:no|without any|does(?: not|n't) contain any) (?:valid |supported )?\.?(?P<ending>[a-z]{2,5}) files?\b",
        )
    });
    static KIND: LazyLock<Regex> =
        LazyLock::new(|| expression(r"(?i)\bnot a (?:valid )?(?:directory|folder)\b|\benotdir\b"));
    static CONFIGURATION: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:(?:could not|cannot|can't|unable to|failed to) (?:find|locate|load)|no|missing|without) (?:a |an |the |any )?(?:valid )?(?:[\w.-]+ )?(?:config(?:uration)?(?: file)?|package\.json|pyproject\.toml|tsconfig\.json|cargo\.toml)\b|\b(?:package\.json|pyproject\.toml|tsconfig\.json|eslint\.config\.\w+|config(?:uration)? file)\b[^.\n]{0,60}\b(?:not found|does(?: not|n't) exist|is missing)",
        )
    });
    let is_text = slot.takes("string") && slot.sent.as_ref().is_none_or(serde_json::Value::is_string);
    if !is_text {
        return None;
    }
    let sent = slot.sent_text().unwrap_or_default();
    let may_be_path = slot.is_path() || sent.contains('/');
    if let Some(found) = BELOW
        .captures(text)
        .filter(|_| may_be_path)
        .and_then(|found| found.name("root").or_else(|| found.name("in")))
    {
        let root = found.as_str().trim_end_matches(['.', '/', ',', ':']);
        if !sent.starts_with(root) {
            return Some((RequestedChange::Path(RequestedPath::Below(root.to_owned())), found.range()));
        }
    }
    if let Some((endings, at)) = endings(text).filter(|_| slot.is_path() || sent.contains('.')) {
        return Some((RequestedChange::Path(RequestedPath::Ending(endings)), at));
    }
    if let Some(found) = NONE_OF.captures(text) {
        let ending = found["ending"].to_ascii_lowercase();
        let is_stocked = named(&ending).is_some() && !sent.ends_with(&format!("/of-{ending}"));
        if is_stocked {
            return Some((
                RequestedChange::Path(RequestedPath::FolderOf(ending)),
                found.get(0).expect("group 0").range(),
            ));
        }
    }
    if let Some(found) = CONFIGURATION.find(text).filter(|_| !sent.contains("/project")) {
        return Some((RequestedChange::Path(RequestedPath::Project), found.range()));
    }
    let matches = SAID.matches(text);
    let requested = match matches.iter().next()? {
        0 if may_be_repository(slot) => RequestedPath::Repository,
        0 => return None,
        1 if !sent.starts_with('/') => RequestedPath::Absolute,
        2 if sent.starts_with('/') => RequestedPath::Relative,
        3 if KIND.is_match(text) => RequestedPath::FolderNotFile,
        3 => RequestedPath::Folder,
        4 if text.to_ascii_lowercase().contains("file type") && !slot.is_path() => return None,
        4 => RequestedPath::FileNotFolder,
        5 => RequestedPath::File,
        _ => return None,
    };
    Some((RequestedChange::Path(requested), 0..text.len()))
}

/// Whether a parameter may take a repository: it takes a folder, whether or not one was sent.
pub(super) fn may_be_repository(slot: &ArgumentSlot) -> bool {
    let name = plain_name(&slot.name);
    let is_of_file = name.contains("file") || slot.is_item();
    let names_one =
        ["repo", "repository", "repopath", "project", "workingdirectory"].contains(&name.as_str());
    slot.takes("string") && !is_of_file && (slot.is_path() || names_one)
}

/// The file extensions that a message asks for: "Supported formats: json, yaml", "must end with .csv", "No CSV
/// files".
fn endings(text: &str) -> Option<(Vec<String>, Range<usize>)> {
    static ASKED: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:unsupported|unknown|invalid|unrecogni[sz]ed|cannot (?:detect|determine)|could not (?:detect|determine)|must (?:end|have)|only|expected|not an?)\b[^\n]{0,60}?(?:\bformat|\bextension|\bfile type|\bfiletype|\bend(?:s|ing)?\b|(?P<one>\.[a-z0-9]{1,8})\b)",
        )
    });
    static LISTED: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r#"(?i)(?:\b(?:supported|allowed|valid|accepted|expected|known)\b[^:\n]{0,40}:|\bmust (?:end with|be)|\bone of|\bonly)\s*(?P<list>(?:['"`\[(]*\.?[a-z0-9]{2,8}['"`\])]*(?:,? (?:or|and) |, ?|/| ?\| ?)?){1,20})"#,
        )
    });
    static DOTTED: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:files?|documents?|workbooks?|images?)\b[^\n(]{0,20}\((?P<list>(?:\*?\.[a-z0-9]{2,5}(?:,? or |,? and |, ?|/| ?\| ?)?){1,20})\)",
        )
    });
    static UNREAD: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:(?:failed|unable) to|could(?: not|n't)|can(?:not|'t)|error) (?:load|open|parse|read|process|loading|opening|parsing|reading|processing) (?:the |an? )?(?P<a>[a-z]{2,5})\b|\bnot an? (?:valid )?(?P<b>[a-z]{2,5}) (?:file|document)\b",
        )
    });
    let unread = UNREAD.captures(text).and_then(|found| found.name("a").or_else(|| found.name("b")));
    if let Some(ending) = unread.filter(|ending| named(&ending.as_str().to_ascii_lowercase()).is_some()) {
        return Some((vec![ending.as_str().to_ascii_lowercase()], ending.range()));
    }
    let dotted = DOTTED.captures(text).and_then(|found| found.name("list"));
    let listed = dotted.or_else(|| {
        let found = ASKED.find(text)?;
        LISTED.captures_at(text, found.start()).and_then(|found| found.name("list"))
    })?;
    let endings: Vec<String> = listed
        .as_str()
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter(|ending| ending.len() > 1 && !["or", "and"].contains(ending))
        .map(str::to_ascii_lowercase)
        .collect();
    (!endings.is_empty()).then(|| (endings, listed.range()))
}
