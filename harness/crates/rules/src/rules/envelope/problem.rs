//! `envelope/problem`: the RFC 9457 problem of an error reply does not have the contract's form.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::contract::{Contract, ErrorChannel, JsonForm, ReplyForm};
use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::{Rule, RunContext};

mod member;

use member::{Fault, faults};

/// PD-02: `error` equals `problem.detail`. PD-03: `problem` follows RFC 9457. PD-04: `problem.code` is one to one with
/// `type`. PD-05: `problem.extensions` is an object. PD-06: `status` is the code's (A23).
pub(crate) static RULE: Rule = Rule::of_run("envelope/problem", include_str!("problem.toml"), check);

fn check(run: &RunContext<'_>) -> Vec<(usize, Diagnostic)> {
    let ReplyForm::Json(JsonForm { problem: Some(place), message, .. }) = &run.contract.form else {
        return Vec::new();
    };
    let mut rows = Rows::default();
    let mut diagnostics = Vec::new();
    for exchange in &run.transcript.exchanges {
        let error = run.errors[exchange.index].as_ref().filter(|error| error.channel == ErrorChannel::Tool);
        let Some(error) = error else { continue };
        let Some(data) = error.data.as_ref() else { continue };
        let Some(problem) = data.pointer(place).and_then(Value::as_object) else { continue };
        let mut faults = faults(problem, data.pointer(message), message);
        faults.extend(status(run.contract, problem));
        faults.extend(rows.add(problem, exchange.tool().unwrap_or_default()));
        if faults.is_empty() {
            continue;
        }
        // Certain faults come first and give the requirement.
        faults.sort_by_key(|fault| fault.level == Level::Should);
        let words: Vec<_> = faults.iter().map(|fault| fault.what.as_str()).collect();
        let message =
            format!("in an error of `{}` {}", exchange.tool().unwrap_or_default(), words.join("; "));
        let help = "Fill in every problem from one table that has a row for each type, with its code, title \
            and status.";
        let mut diagnostic = Diagnostic::new(message, help).evidence(Evidence::whole(error.text.as_str()));
        diagnostic = diagnostic.requirement(faults[0].requirement);
        if faults.iter().all(|fault| fault.level == Level::Should) {
            diagnostic = diagnostic.level(Level::Should);
        }
        diagnostics.push((exchange.index, diagnostic));
    }
    diagnostics
}

/// The fault that the status is not the contract's status for the code.
fn status(contract: &Contract, problem: &Map<String, Value>) -> Option<Fault> {
    let code = problem.get("code")?.as_str()?;
    let expected = contract.code(code)?.status?;
    let reported = member::whole(problem.get("status")?)?;
    (reported != i64::from(expected)).then(|| {
        Fault::must(
            "PD-06",
            format!(
                "`status` is {reported}, but the status of `{code}` is \
            {expected}"
            ),
        )
    })
}

/// The values that the problems so far had in common.
#[derive(Default)]
struct Rows {
    titles: BTreeMap<String, String>,
    codes: BTreeMap<String, String>,
    types: BTreeMap<String, String>,
    tools: BTreeMap<String, String>,
}

impl Rows {
    /// Adds a problem, and returns the faults in which it differs from earlier ones.
    fn add(&mut self, problem: &Map<String, Value>, tool: &str) -> Vec<Fault> {
        let text = |name: &str| problem.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let mut faults = Vec::new();
        let kind = text("type");
        if let Some((kind, title)) = kind.zip(text("title"))
            && let Some(other) = differing(&mut self.titles, kind, title)
        {
            let what =
                format!("`title` is \"{title}\", but another problem of type `{kind}` has \"{other}\"");
            faults.push(Fault::must("PD-03", what));
        }
        if let Some((kind, code)) = kind.zip(text("code")) {
            if let Some(other) = differing(&mut self.codes, kind, code) {
                let what = format!("the type `{kind}` has the code `{code}` here but `{other}` elsewhere");
                faults.push(Fault::must("PD-04", what));
            }
            if let Some(other) = differing(&mut self.types, code, kind) {
                let what = format!("the code `{code}` has the type `{kind}` here but `{other}` elsewhere");
                faults.push(Fault::must("PD-04", what));
            }
        }
        if let Some(instance) = text("instance")
            && let Some(other) = differing(&mut self.tools, instance, tool)
        {
            let what = format!("`instance` is `{instance}`, which is also used for `{other}`");
            faults.push(Fault::must("PD-03", what));
        }
        faults
    }
}

/// The earlier value for this key, if it was different.
fn differing(known: &mut BTreeMap<String, String>, key: &str, value: &str) -> Option<String> {
    match known.get(key) {
        Some(other) => (other != value).then(|| other.clone()),
        None => {
            known.insert(key.to_owned(), value.to_owned());
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::contract::load_builtin;

    fn row(rows: &mut Rows, problem: &Value, tool: &str) -> usize {
        rows.add(problem.as_object().expect("an object"), tool).len()
    }

    #[test]
    fn over_a_run_type_title_and_code_belong_together() {
        let mut rows = Rows::default();
        let problem = |kind: &str, title: &str, code: &str| json!({"type": kind, "title": title, "code": code, "instance": "urn:a"});
        assert_eq!(row(&mut rows, &problem("t", "T", "c"), "view"), 0);
        assert_eq!(row(&mut rows, &problem("t", "T", "c"), "view"), 0);
        assert_eq!(row(&mut rows, &problem("t", "Other", "c"), "view"), 1);
        assert_eq!(row(&mut rows, &problem("t", "T", "other"), "view"), 1);
        assert_eq!(row(&mut rows, &problem("u", "U", "c"), "view"), 1);
        assert_eq!(row(&mut rows, &problem("t", "T", "c"), "grep"), 1);
    }

    #[test]
    fn the_status_is_the_one_of_the_code_and_the_user_may_say_another() {
        let mut contract = load_builtin("problem-details").expect("it is sound").expect("it is built in");
        let reported = |contract: &Contract, code: &str, reported: Value| {
            status(contract, json!({"code": code, "status": reported}).as_object().expect("an object"))
                .is_some()
        };
        assert!(!reported(&contract, "path-outside-repo", json!(403)));
        assert!(reported(&contract, "path-outside-repo", json!(400)));
        assert!(!reported(&contract, "a-code-of-its-own", json!(418)));
        let code = contract.codes.iter_mut().find(|code| code.name == "path-outside-repo").expect("a code");
        code.status = Some(400);
        assert!(!reported(&contract, "path-outside-repo", json!(400)));
    }
}
