//! Loads cases: the built-in ones, or those in a folder.
//!
//! The main type is [`Suite`]. Files are checked in `check`.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

use crate::cause;
use crate::contract::Contract;

use super::check::check;
use super::{Case, CaseValues, Script};
use crate::condition::CaseId;
use crate::document::{Document, LoadError, nearest};

/// The loaded cases, in the order of their ids.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Suite {
    /// The cases.
    pub cases: Vec<Case>,
}

/// An invalid glob for selecting cases.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{glob}` is not a valid glob for case ids such as `replace/ambiguous`: {cause}")]
pub struct FilterError {
    /// As it was given.
    pub glob: String,
    /// What is wrong with it.
    pub cause: String,
}

/// Compiles a glob over ids of cases and probes.
///
/// # Errors
/// If the glob is invalid.
pub fn filter(glob: &str) -> Result<GlobMatcher, FilterError> {
    let built = GlobBuilder::new(glob).literal_separator(false).build();
    built
        .map(|glob| glob.compile_matcher())
        .map_err(|error| FilterError { glob: glob.to_owned(), cause: error.kind().to_string() })
}

impl Suite {
    /// The cases whose id a glob matches: `replace/*`, `*missing*`. `*` also stands for `/`.
    ///
    /// # Errors
    /// If the glob is invalid.
    pub fn filter(&self, glob: &str) -> Result<Self, FilterError> {
        let matcher = filter(glob)?;
        Ok(Self { cases: self.cases.iter().filter(|case| matcher.is_match(&case.id.0)).cloned().collect() })
    }

    /// The case of this id.
    pub fn case(&self, id: &str) -> Option<&Case> {
        self.cases.iter().find(|case| case.id.0 == id)
    }

    /// What to say of each case whose condition is unknown to a contract: none of their replies could be judged by it.
    pub fn unknown_conditions(&self, contract: &Contract) -> Vec<String> {
        let unknown = |case: &Case| {
            let condition = case.script.condition.as_ref();
            let condition = condition.filter(|condition| contract.answer(condition).is_none())?;
            let known = contract.conditions.keys().map(|condition| condition.0.as_str());
            let meant = nearest(&condition.0, known).map(|near| format!(": did you mean `{near}`?"));
            Some(format!(
                "case `{}`: contract `{}` does not know the condition `{condition}`{}",
                case.id,
                contract.id,
                meant.unwrap_or_default()
            ))
        };
        self.cases.iter().filter_map(unknown).collect()
    }
}

/// The built-in cases.
///
/// # Errors
/// When one of them is wrong: a fault of this program.
pub fn load_builtin() -> Result<Suite, LoadError> {
    let case = |(id, text): &(&str, &str)| load_case(&format!("cases/{id}.toml"), id, text);
    let cases: Result<_, _> = mcp_errconf_cases::cases().iter().map(case).collect();
    Ok(Suite { cases: cases? })
}

/// Loads all cases below a folder: every file that ends in `.toml`. A link to a folder is not followed.
///
/// # Errors
/// At the first mistake.
pub fn load_dir(folder: &Path) -> Result<Suite, LoadError> {
    let mut cases = Vec::new();
    collect(folder, "", &mut cases)?;
    cases.sort_by(|one: &Case, other| one.id.cmp(&other.id));
    Ok(Suite { cases })
}

fn collect(folder: &Path, prefix: &str, cases: &mut Vec<Case>) -> Result<(), LoadError> {
    let unreadable = |path: &Path, error| {
        LoadError::whole(
            path.display().to_string(),
            format!("cannot be read: {}; give a folder of `.toml` files", cause::describe(&error)),
        )
    };
    for entry in std::fs::read_dir(folder).map_err(|error| unreadable(folder, error))? {
        let entry = entry.map_err(|error| unreadable(folder, error))?;
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            collect(&path, &format!("{prefix}{name}/"), cases)?;
        } else if let Some(stem) = name.strip_suffix(".toml") {
            let text = std::fs::read_to_string(&path).map_err(|error| unreadable(&path, error))?;
            cases.push(load_case(&path.display().to_string(), &format!("{prefix}{stem}"), &text)?);
        }
    }
    Ok(())
}

/// Reads one case file; `file` is its name in messages.
///
/// # Errors
/// At the first mistake.
pub fn load_case(file: &str, id: &str, text: &str) -> Result<Case, LoadError> {
    let form = |part: &str| {
        let allowed = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
        part.split('-').all(|word| !word.is_empty() && word.chars().all(allowed))
    };
    if !id.split('/').all(form) {
        let cause = format!(
            "`{id}` is not a case id: use lower-case letters, digits and hyphens in folder and file \
                names"
        );
        return Err(LoadError::whole(file, cause));
    }
    let document = Document::parse(file, text)?;
    let script: Script = document.read()?;
    check(&script, &document)?;
    Ok(Case { id: CaseId(id.to_owned()), script, values: CaseValues::new(&document) })
}
