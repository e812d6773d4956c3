//! Loads contracts: a built-in one, or one from a folder of the user's.

use std::path::Path;
use std::sync::LazyLock;

use crate::cause;
use crate::document::{Document, LoadError, advice};

use super::{Contract, Envelope, ReplyForm, Schema, editing};

/// The default contract.
pub const DEFAULT: &str = "bracket-code";

/// Ids of the built-in contracts, in their order.
pub fn builtin_ids() -> impl Iterator<Item = &'static str> {
    mcp_errconf_cases::contracts().iter().map(|(id, _)| *id)
}

/// Every built-in contract, ordered by id. One with invalid data is left out; a test checks that there is none.
pub fn builtin() -> &'static [Contract] {
    static LOADED: LazyLock<Vec<Contract>> =
        LazyLock::new(|| builtin_ids().filter_map(|id| load_builtin(id).ok().flatten()).collect());
    &LOADED
}

/// Loads a built-in contract by its id; none if there is no such contract.
///
/// # Errors
/// When its data is wrong: a fault of this program.
pub fn load_builtin(id: &str) -> Result<Option<Contract>, LoadError> {
    let found = mcp_errconf_cases::contracts().iter().find(|(known, _)| *known == id);
    let parsed = found.map(|(id, text)| {
        parse_beside(&format!("contracts/{id}/contract.toml"), text, &|name| {
            let path = format!("{id}/{}", name.trim_end_matches(".json"));
            let found = mcp_errconf_cases::schemas().iter().find(|(known, _)| *known == path);
            found.map(|(_, text)| (*text).to_owned()).ok_or_else(|| "is not built in".to_owned())
        })
    });
    parsed.transpose()
}

/// Loads a contract from a folder that holds a `contract.toml` and the schema that it names.
///
/// # Errors
/// When the file cannot be read or is wrong.
pub fn load_dir(folder: &Path) -> Result<Contract, LoadError> {
    let file = folder.join("contract.toml");
    let name = file.display().to_string();
    let text = std::fs::read_to_string(&file).map_err(|error| {
        let cause = cause::describe(&error);
        let next = "give a folder with a `contract.toml`, or an id of `mcp-errconf list contracts`";
        LoadError::whole(&name, format!("cannot be read: {cause}; {next}"))
    })?;
    parse_beside(&name, &text, &|name| {
        std::fs::read_to_string(folder.join(name))
            .map_err(|error| format!("cannot be read: {}", cause::describe(&error)))
    })
}

/// Returns the text of a file beside the contract's, or why it cannot be read.
type ReadSibling<'a> = &'a dyn Fn(&str) -> Result<String, String>;

/// Reads a contract file that refers to no other file; `file` is its name in messages.
///
/// # Errors
/// At the first mistake.
pub fn parse(file: &str, text: &str) -> Result<Contract, LoadError> {
    parse_beside(file, text, &|_| Err("does not exist next to it".to_owned()))
}

/// Reads one contract file, and the schema that it names.
fn parse_beside(file: &str, text: &str, sibling: ReadSibling<'_>) -> Result<Contract, LoadError> {
    let document = Document::parse(file, text)?;
    let mut contract: Contract = document.read()?;
    check(&contract, &document)?;
    if let Some(envelope) = contract.envelope.take() {
        let schema = schema(envelope, sibling);
        let schema = schema.map_err(|cause| document.wrong_value(&["envelope"], cause))?;
        contract.envelope = Some(Envelope::Schema(schema));
    }
    Ok(contract)
}

/// The schema, read from its file if it is in one.
fn schema(envelope: Envelope, sibling: ReadSibling<'_>) -> Result<Schema, String> {
    let (name, schema) = match envelope {
        Envelope::Schema(schema) => ("the schema".to_owned(), schema),
        Envelope::File(name) => {
            let is_name = !name.contains(['/', '\\']) && !name.is_empty();
            if !is_name {
                return Err(format!("`{name}` is not a file next to this one: name it without a folder"));
            }
            let text = sibling(&name).map_err(|why| format!("`{name}` {why}"))?;
            let document: serde_json::Value = serde_json::from_str(&text)
                .map_err(|error| format!("`{name}` is not valid JSON: {error}"))?;
            (format!("`{name}`"), Schema::from(document))
        }
    };
    match schema.trouble() {
        Some(why) => Err(format!("{name} is not a self-contained JSON Schema: {why}")),
        None => Ok(schema),
    }
}

/// Finds the first mistake in a well-formed file.
fn check(contract: &Contract, document: &Document<'_>) -> Result<(), LoadError> {
    pointers(&contract.form, document)?;
    document.require(
        !contract.id.is_empty(),
        &["id"],
        || "a contract needs an id: the name of its folder",
    )?;
    let names: Vec<_> = contract.codes.iter().map(|code| code.name.as_str()).collect();
    let spelling = contract.form.spelling();
    for (number, name) in names.iter().enumerate() {
        let place = ["code", &number.to_string(), "name"];
        document.require(spelling.fits(name), &place, || {
            format!("`{name}` is not a code: write it in {}", spelling.in_words())
        })?;
        document.require(!names[..number].contains(name), &place, || {
            format!("the code `{name}` is listed twice")
        })?;
    }
    let requirements: Vec<_> = contract.requirements.keys().map(String::as_str).collect();
    for (condition, answer) in &contract.conditions {
        let place = |key: &'static str| ["conditions", condition.0.as_str(), key];
        let expected = answer.expected.iter().map(|name| ("expected", name));
        let accepted = answer.accepted.iter().chain(&answer.noted).map(|name| ("accepted", name));
        for (key, name) in expected.chain(accepted) {
            document.require(names.contains(&name.as_str()), &place(key), || {
                format!("`{name}` is not one of the contract's codes{}", advice(name, &names))
            })?;
        }
        let requirement = answer.requirement.as_str();
        document.require(requirements.contains(&requirement), &place("requirement"), || {
            let advice = advice(requirement, &requirements);
            format!("`{requirement}` is not one of the contract's requirements{advice}")
        })?;
    }
    Ok(())
}

/// Finds an invalid pointer.
fn pointers(form: &ReplyForm, document: &Document<'_>) -> Result<(), LoadError> {
    let ReplyForm::Json(form) = form else { return Ok(()) };
    let one = |key: &'static str, pointer: &str| {
        document.require(pointer.starts_with('/'), &["form", "json", key], || {
            format!("`{pointer}` is not a JSON Pointer: it must begin with `/`, such as `/error_code`")
        })
    };
    if let Some(form) = &form.editing {
        editing::check(form, document)?;
    }
    one("code", &form.code)?;
    one("message", &form.message)?;
    form.hints.iter().try_for_each(|pointer| one("hints", pointer))?;
    form.values.iter().try_for_each(|pointer| one("values", pointer))?;
    form.retryable.iter().try_for_each(|pointer| one("retryable", pointer))?;
    form.unflagged.iter().try_for_each(|pointer| one("unflagged", pointer))?;
    form.problem.iter().try_for_each(|pointer| one("problem", pointer))?;
    form.error_only.iter().try_for_each(|pointer| one("error-only", pointer))?;
    form.shape.iter().try_for_each(|pointer| one("shape", pointer))?;
    form.retry_after.iter().try_for_each(|pointer| one("retry-after", pointer))?;
    let holders =
        form.holders.iter().flat_map(|holders| std::iter::once(&holders.list).chain(&holders.names));
    holders.into_iter().try_for_each(|pointer| one("holders", pointer))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::condition::{self, Condition, ConditionTrait};
    use crate::suite::load_builtin as load_suite;

    fn cause(text: &str) -> String {
        let sibling = |name: &str| match name {
            "no-json.json" => Ok("{".to_owned()),
            "remote.json" => Ok(r#"{"$ref": "https://example.com/s"}"#.to_owned()),
            _ => Err("is not there".to_owned()),
        };
        parse_beside("contract.toml", text, &sibling).expect_err("the text is wrong").to_string()
    }

    #[test]
    fn every_built_in_contract_loads_and_has_the_name_of_its_folder() {
        for id in builtin_ids() {
            assert_eq!(load_builtin(id).unwrap().unwrap().id, id);
        }
        assert!(builtin_ids().any(|id| id == DEFAULT));
        assert_eq!(load_builtin("no-such-contract"), Ok(None));
    }

    #[test]
    fn every_condition_of_the_built_in_cases_is_known_to_every_built_in_contract() {
        let suite = load_suite().unwrap();
        assert_eq!(builtin().len(), builtin_ids().count());
        for contract in builtin() {
            assert_eq!(suite.unknown_conditions(contract), [""; 0], "{}", contract.id);
        }
    }

    #[test]
    fn no_two_built_in_contracts_have_a_requirement_of_one_id_that_says_two_things() {
        for (one, other) in builtin().iter().flat_map(|one| builtin().iter().map(move |other| (one, other))) {
            for (id, sentence) in &one.requirements {
                assert!(other.requirements.get(id).is_none_or(|known| known == sentence), "{id}");
            }
        }
    }

    #[test]
    fn every_requirement_of_the_built_in_cases_is_known_to_a_built_in_contract() {
        let suite = load_suite().unwrap();
        for case in &suite.cases {
            for requirement in &case.script.requirements {
                let is_known =
                    builtin().iter().any(|contract| contract.requirements.contains_key(requirement));
                assert!(is_known, "{}: {requirement}", case.id);
            }
        }
    }

    #[test]
    fn every_condition_of_bracket_code_is_brought_about_by_a_case_that_names_its_requirement() {
        let contract = load_builtin("bracket-code").unwrap().unwrap();
        let suite = load_suite().unwrap();
        // Violations of a tool's own schema, the fate of created things, and a full disk and the like are tested by probes.
        let is_probed = |condition: &str| {
            condition::has(condition, ConditionTrait::Obstacle)
                || condition::has(condition, ConditionTrait::Schema)
                || condition::has(condition, ConditionTrait::Made)
        };
        let by_cases = contract
            .conditions
            .iter()
            .filter(|(condition, _)| condition.0 == "missing-argument" || !is_probed(&condition.0));
        for (condition, answer) in by_cases {
            let mut cases =
                suite.cases.iter().filter(|case| case.script.condition.as_ref() == Some(condition));
            assert!(cases.any(|case| case.script.requirements.contains(&answer.requirement)), "{condition}");
        }
    }

    #[test]
    fn whatever_a_schema_forbids_is_invalid_input() {
        let contract = load_builtin("bracket-code").unwrap().unwrap();
        for condition in condition::all_with(ConditionTrait::Schema) {
            let answer = contract.answer(&Condition(condition.into())).expect(condition);
            assert_eq!(
                (answer.expected.as_deref(), answer.requirement.as_str()),
                (Some("INVALID_INPUT"), "BC-04"),
                "{condition}"
            );
        }
    }

    #[test]
    fn a_folder_in_a_files_place_may_be_called_a_wrong_path() {
        let contract = load_builtin("bracket-code").unwrap().unwrap();
        let answer = contract.answer(&Condition("io-failure".into())).unwrap();
        assert_eq!(answer.expected.as_deref(), Some("IO_ERROR"));
        assert_eq!(answer.accepted, ["INVALID_INPUT", "PATH_NOT_FOUND"]);
    }

    #[test]
    fn a_mistake_is_reported_with_its_place() {
        let code = "form = 'bracket'\n[[code]]\nclass = 'io'\nmeaning = 'm'\nname = ";
        let condition = "[conditions.io-failure]\nclass = 'io'\nrequirement = 'A-1'\nexpected = 'IO_EROR'\n";
        for (text, expected) in [
            (
                "[form.json]\nmessage = '/message'\ncode = 'error_code'\n",
                "5:8: `error_code` is not a JSON Pointer: it must begin with `/`, such as `/error_code`",
            ),
            (
                &format!("{code}'io-error'\n"),
                "7:8: `io-error` is not a code: write it in upper case with underscores, such as `PATH_NOT_FOUND`",
            ),
            (
                &format!("{code}'IO_ERROR'\n{condition}[requirements]\nA-1 = 's'\n"),
                "11:12: `IO_EROR` is not one of the contract's codes: did you mean `IO_ERROR`?",
            ),
        ] {
            let cause = cause(&format!("id = 'x'\ntitle = 't'\n{text}"));
            assert_eq!(cause, format!("contract.toml:{expected}"));
        }
    }

    #[test]
    fn a_schema_that_is_none_is_reported_with_its_place() {
        for (name, words) in [
            ("gone.json", "`gone.json` is not there"),
            ("no-json.json", "`no-json.json` is not valid JSON: "),
            ("remote.json", "`remote.json` is not a self-contained JSON Schema: "),
            ("../a.json", "`../a.json` is not a file next to this one"),
        ] {
            let text = format!("id = 'x'\ntitle = 't'\nform = 'plain'\nenvelope = {{ file = '{name}' }}\n");
            let cause = cause(&text);
            assert!(cause.starts_with(&format!("contract.toml:4:12: {words}")), "{cause}");
        }
    }

    #[test]
    fn a_folder_without_a_contract_says_so() {
        let error = load_dir(Path::new("/no/such/folder")).unwrap_err();
        assert!(error.to_string().starts_with("/no/such/folder/contract.toml: cannot be read: "), "{error}");
    }
}
