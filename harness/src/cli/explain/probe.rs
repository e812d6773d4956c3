//! `explain` for the ids of calls that are made from a server's own schemas, or sent beside its tools.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use mcp_errconf::condition;
use mcp_errconf::generate::changes_in_words;
use serde::Deserialize;

static WORDS: LazyLock<Words> =
    LazyLock::new(|| toml::from_str(include_str!("probe.toml")).expect("a test reads this file"));

/// The tables of `probe.toml`, which says what is in them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    changes: BTreeMap<String, String>,
    groups: BTreeMap<String, String>,
    families: BTreeMap<String, String>,
}

/// The family whose cases need calls that succeeded in other cases.
const SESSION: &str = "session";

/// What such a change is; a number behind `~` tells several of one kind apart.
fn in_words(change: &str) -> Option<&'static str> {
    let kind = change.split('~').next().unwrap_or_default();
    let of_catalogue = || changes_in_words().find_map(|(id, words)| words.filter(|_| id == kind));
    WORDS.changes.get(kind).map(String::as_str).or_else(of_catalogue)
}

/// The text for such an id; `None` if it is none.
pub(super) fn of_probe(id: &str) -> Option<String> {
    let parts: Vec<&str> = id.split('/').collect();
    let mut text = match parts[..] {
        ["probe", tool, group, change] if WORDS.groups.contains_key(group) => {
            let says = &WORDS.groups[group];
            format!("{id}\nA probe of the tool `{tool}`: {says} (`{change}`).\n")
        }
        ["probe", tool, parameter, change] => {
            let says = in_words(change).map_or(format!("changed in the way `{change}`"), str::to_owned);
            let what = match parameter {
                "arguments" => "all arguments together".to_owned(),
                name => format!("the argument `{name}`"),
            };
            format!(
                "{id}\nA probe of the tool `{tool}`: a call that is made from its schema, with one change. What is changed: \
                 {what}: {says}.\n\nA call without the change comes first and must succeed; otherwise the case is not \
                 judged by rules that depend on the change.\n"
            )
        }
        [family, _, ..] => format!("{id}\n{}.\n", WORDS.families.get(family)?),
        _ => return None,
    };
    let _ = match parts[0] {
        SESSION => write!(
            text,
            "\nThe calls are those that succeeded in other cases: `mcp-errconf run --filter '{{probe/*/**,{id}}}' -- ./my-server`."
        ),
        _ => write!(text, "\n`mcp-errconf run --filter '{id}' -- ./my-server` sends it alone."),
    };
    Some(text)
}

/// The text for what is wrong with a call, as baselines and the JSON report name it; `None` if nothing has this name.
pub(super) fn of_condition(name: &str) -> Option<String> {
    let (what, says) = match condition::says(name) {
        Some(says) => ("a condition: what is wrong with the call", says),
        None => {
            ("a change of an argument, of which no contract says that it must be refused", in_words(name)?)
        }
    };
    Some(format!("{name} ({what})\n{says}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_of_the_catalogue_is_explained() {
        let ids = changes_in_words().map(|(id, _)| id);
        let unknown: Vec<&str> = ids.filter(|id| in_words(id).is_none()).collect();
        assert_eq!(unknown, [""; 0]);
        assert_eq!(in_words("zero-beside~3"), in_words("zero-beside"));
    }

    #[test]
    fn what_a_baseline_names_is_explained() {
        for (name, wanted) in
            [("ended", "was ended before"), ("unfilled", "an empty text"), ("path-not-found", "a condition")]
        {
            let text = of_condition(name).unwrap_or_default();
            assert!(text.contains(wanted), "{name}: {text}");
        }
        assert_eq!(of_condition("no-such"), None);
    }

    #[test]
    fn the_id_of_a_probe_is_explained_by_its_parts() {
        for (id, wanted) in [
            ("probe/create_note/arguments/missing", "all arguments together: left out"),
            ("probe/create_note/title/unfilled", "the argument `title`: sent as an empty text"),
            ("probe/a/file/cut", "the argument `file`: changed in the way `cut`"),
            ("probe/a/life/made-twice", "made twice"),
            ("prompt/unknown", "a prompt"),
            ("session/in-flight", "succeeded in other cases"),
        ] {
            let text = of_probe(id).unwrap_or_default();
            assert!(text.starts_with(&format!("{id}\n")) && text.contains(wanted), "{id}: {text}");
        }
        for id in ["probe", "probe/x", "leak/panic", "plain", "BC-04"] {
            assert_eq!(of_probe(id), None, "{id}");
        }
    }
}
