//! `explain` for the ids of calls that are made from a server's own schemas, or sent beside its tools.

use std::fmt::Write as _;

use mcp_errconf::condition;
use mcp_errconf::generate::changes_in_words;

/// What the kinds of changes are, by the last part of a probe's id: those that the catalogue of changes only says with values
/// filled in, and those that need more words here.
const CHANGES: &[(&str, &str)] = &[
    ("missing", "left out, although the tool requires it"),
    ("wrong-type", "sent with a value of another type"),
    ("null", "sent as null"),
    ("empty", "sent as an empty text"),
    ("unfilled", "sent as an empty text, of which the schema says nothing"),
    ("blank", "sent as blanks"),
    ("unknown-value", "sent with a value that the schema does not list"),
    ("below-range", "below the minimum, or too short"),
    ("above-range", "above the maximum, or too long"),
    ("wrong-item", "a list with an item of another type"),
    ("unknown-argument", "an argument that the tool does not have"),
    ("misspelt", "sent under a misspelt name"),
    ("not-found", "a path at which there is nothing"),
    ("outside", "a path outside the root"),
    ("invalid-pattern", "a pattern that cannot be read"),
    ("unlisted", "a text that names nothing there is"),
    ("unparsable", "a text that no parser accepts"),
    ("long", "a very long text"),
    ("zero", "zero"),
    ("negative", "a negative number"),
    ("large", "a very large number"),
    ("nul", "a text with a NUL character"),
    ("order", "a text that contains an instruction to a model"),
    ("letters", "letters beyond ASCII"),
    ("as-text", "a number or a flag, sent as a text"),
    ("zero-beside", "zero, beside another of the values that another argument takes"),
    ("negative-beside", "a negative number, beside another of the values that another argument takes"),
    ("large-beside", "a very large number, beside another of the values that another argument takes"),
    ("another-kind", "the path of a file of another kind"),
    ("other-type", "sent with a value of another type, which the schema allows"),
    ("given", "given, although it is optional"),
    ("left-out", "left out, although it is expected"),
    ("all-given", "every optional argument at once"),
    ("all-flags", "every flag at once"),
    ("beside-all", "an unknown argument beside all others"),
    ("unclosed-beside", "an invalid regular expression with the regex flag set"),
    ("reversed", "the end of a range before its beginning"),
    ("plain", "no change: the tool takes no arguments"),
];

/// What the parts between a tool and the last one stand for, where they are no parameter.
const GROUPS: &[(&str, &str)] = &[
    (
        "life",
        "a thing that was made for this case is made twice, used after its end, or ended twice, or one that never was is ended",
    ),
    ("storage", "the call is made while nothing can be written"),
    ("descriptors", "the call is made while the server can open no more files"),
    ("permission", "the call is made while the server may not read, or not write, the file that it names"),
    ("service", "the service behind the tool fails or is out of reach"),
];

/// The first parts of ids that belong to no tool.
const FAMILIES: &[(&str, &str)] = &[
    ("resource", "a request for a resource that is not there, or with a fault"),
    ("prompt", "a request for a prompt with a fault"),
    ("completion", "a request for a completion with a fault"),
    ("unset", "the server is started without an environment variable: `--unset`"),
    ("malformed", "a line that is not a valid message: `--robustness`"),
    ("protocol", "a request that any server may get, whatever its tools"),
    (SESSION, "valid calls sent again where other calls may get in their way"),
];

/// The family whose cases need calls that succeeded in other cases.
const SESSION: &str = "session";

fn known<'t>(table: &[(&str, &'t str)], name: &str) -> Option<&'t str> {
    table.iter().find(|(known, _)| *known == name).map(|(_, says)| *says)
}

/// What such a change is; a number behind `~` tells several of one kind apart.
fn in_words(change: &str) -> Option<&'static str> {
    let kind = change.split('~').next().unwrap_or_default();
    let of_catalogue = || changes_in_words().find_map(|(id, words)| words.filter(|_| id == kind));
    known(CHANGES, kind).or_else(of_catalogue)
}

/// The text for such an id; `None` if it is none.
pub(super) fn of_probe(id: &str) -> Option<String> {
    let parts: Vec<&str> = id.split('/').collect();
    let mut text = match parts[..] {
        ["probe", tool, group, change] if known(GROUPS, group).is_some() => {
            let says = known(GROUPS, group).unwrap_or_default();
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
        [family, _, ..] => format!("{id}\n{}.\n", known(FAMILIES, family)?),
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
