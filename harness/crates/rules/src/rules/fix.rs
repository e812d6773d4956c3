//! How faults are fixed, as data: what the book shows on a rule's page, and what a report says of an SDK.
//!
//! The main type is [`Fix`]. `.ci/fixes/run` runs the fixes with the SDKs; how a rule is checked is not known here.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::{Rule, address, all};
use crate::document::entries;
use crate::wording::layer::Sdk;

/// The fix of what an SDK's validation writes.
const VALIDATION: &str = "validate-yourself";

/// One way to fix the faults of one or several rules.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Fix {
    /// Its name, which rules and the files with its lines have.
    pub name: String,
    /// What to do, in a phrase.
    pub title: String,
    /// What to do, in every language.
    pub says: String,
    /// What a report says of an SDK in which it was not run.
    #[serde(default)]
    pub general: String,
    /// The rules for which its lines are run.
    #[serde(default)]
    pub proven: Vec<String>,
    /// The rules instead for which they are run in one SDK, where the fault shows as another one.
    #[serde(default)]
    pub proven_in: BTreeMap<String, Vec<String>>,
    /// The options with which they are run.
    #[serde(default)]
    pub run: Vec<String>,
    /// The options instead in one SDK.
    #[serde(default)]
    pub run_in: BTreeMap<String, Vec<String>>,
    /// What a report says of single SDKs.
    #[serde(default)]
    pub sdk: Vec<SdkAdvice>,
}

/// What a report says of one SDK.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SdkAdvice {
    /// The SDK's name, as for its words.
    pub name: String,
    /// The heading of its lines on a rule's page; empty if the page has none.
    #[serde(default)]
    pub heading: String,
    /// The advice; empty if it is untested.
    #[serde(default)]
    pub says: String,
    /// Whether nobody ran it.
    #[serde(default)]
    pub untested: bool,
}

/// All fixes.
pub fn fixes() -> &'static [Fix] {
    static FIXES: LazyLock<Vec<Fix>> = LazyLock::new(|| entries(include_str!("fixes.toml")));
    &FIXES
}

/// How a server takes over what its SDK's validation writes, and the place of the lines.
pub(crate) fn of_validation(sdk: &Sdk) -> String {
    let fix = find(VALIDATION);
    let rule = all().iter().find(|rule| rule.page().fix == fix.name).expect("a fix has a rule");
    let own = fix.sdk.iter().find(|own| own.name == sdk.name());
    let says = own.map(|own| own.says.as_str()).filter(|says| !says.is_empty()).unwrap_or(&fix.general);
    with_place(says, rule, own)
}

/// What this rule's fix says of an SDK, and the place of the lines; `None` if it says nothing of it.
pub(crate) fn in_sdk(rule: &Rule, sdk: &str) -> Option<String> {
    let own = find(&rule.page().fix).sdk.iter().find(|own| own.name == sdk)?;
    (!own.untested).then(|| with_place(&own.says, rule, Some(own)))
}

fn find(name: &str) -> &'static Fix {
    fixes().iter().find(|fix| fix.name == name).expect("a test looks for the fix of every rule")
}

/// The advice with the place where its lines are: the page of the published book, or what this program knows itself.
fn with_place(says: &str, rule: &Rule, own: Option<&SdkAdvice>) -> String {
    let Some(page) = address(rule) else {
        return format!("{says} See `mcp-errconf explain {}`.", rule.id);
    };
    format!("{says} See {page}#{}", anchor_of(rule, own))
}

/// The anchor of the advice on the page of its rule.
fn anchor_of(rule: &Rule, own: Option<&SdkAdvice>) -> String {
    match own.map_or("", |own| own.heading.as_str()) {
        "" => anchor(&format!("Fix: {}", find(&rule.page().fix).title)),
        heading => anchor(heading),
    }
}

/// The anchor of a heading in Markdown.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase().replace(' ', "-");
    kept.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use serde_json::Value;

    use super::*;
    use crate::wording::layer::sdks;

    /// The columns that are left for a help beside its label in a report of 90 columns.
    const COLUMNS: usize = 90 - 15;

    /// All advice, with the rule on whose page its lines are.
    fn advice() -> impl Iterator<Item = (&'static Fix, &'static Rule, &'static SdkAdvice)> {
        fixes().iter().flat_map(|fix| {
            let rules = all().iter().copied().filter(|rule| rule.page().fix == fix.name);
            rules.flat_map(move |rule| fix.sdk.iter().map(move |own| (fix, rule, own)))
        })
    }

    #[test]
    fn every_sdk_has_advice_on_its_validation_or_is_marked_as_untested() {
        let fix = find(VALIDATION);
        assert!(!fix.general.is_empty());
        let known: BTreeSet<&str> = fix.sdk.iter().map(|own| own.name.as_str()).collect();
        let recognised: BTreeSet<&str> = sdks().iter().map(Sdk::name).collect();
        assert_eq!(known, recognised);
        for (fix, _, own) in advice() {
            assert_eq!(own.says.is_empty(), own.untested, "{}: {}", fix.name, own.name);
        }
    }

    #[test]
    fn all_advice_on_an_sdk_was_run_in_it() {
        let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/fixes/results.json");
        let results: Value = serde_json::from_str(&fs::read_to_string(results).unwrap()).unwrap();
        for (fix, _, own) in advice().filter(|(.., own)| !own.untested) {
            let shown = results.get(&own.heading).map(|result| &result["fixes"][&fix.name]);
            let is_shown = shown.and_then(Value::as_array).is_some_and(|rules| !rules.is_empty());
            assert!(is_shown, "{}: {} was not run by .ci/fixes/run", fix.name, own.name);
        }
    }

    #[test]
    fn no_advice_is_longer_than_four_lines_and_none_names_another_sdk() {
        for known in sdks() {
            let told = of_validation(known);
            let mut lines = vec![String::new()];
            for word in told.split(' ') {
                let line = lines.last_mut().unwrap();
                if line.is_empty() || line.chars().count() + 1 + word.chars().count() <= COLUMNS {
                    line.push_str(if line.is_empty() { "" } else { " " });
                    line.push_str(word);
                } else {
                    lines.push(word.to_owned());
                }
            }
            assert!(lines.len() <= 4, "{}: {lines:#?}", known.name());
            let (says, _) = told.rsplit_once(" See ").unwrap();
            for other in sdks().iter().filter(|other| other.name() != known.name()) {
                let name = other.name().trim_start_matches("the ");
                assert!(!says.contains(name.split(" (").next().unwrap()), "{}: {told}", known.name());
            }
        }
    }
}
