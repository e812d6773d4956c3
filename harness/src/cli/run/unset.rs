//! `--unset`: which variables are left out of the server's environment, one at a time.

use mcp_errconf::drive::Assignment;
use mcp_errconf::secret::{self, looks_secret};

use super::super::console;
use super::super::failure::Failure;

/// The word for all variables that look like keys.
const AUTO: &str = "auto";

/// The variables to leave out, each once, in the order in which they were given.
pub(super) fn variables(words: &[String], assignment: &Assignment) -> Result<Vec<String>, Failure> {
    let mut names: Vec<String> = Vec::new();
    for word in words {
        match word.as_str() {
            AUTO => {
                let keys = assignment.server.env.iter().filter(|(name, value)| looks_secret(name, value));
                let keys: Vec<String> = keys.map(|(name, _)| name.clone()).collect();
                if keys.is_empty() {
                    console::remark(
                        "`--unset auto`: no variable that the configuration, or the host's file, gives to the \
                         server looks like a key; `--unset NAME` names one",
                    );
                }
                names.extend(keys);
            }
            name if is_set(name, assignment) => names.push(name.to_owned()),
            name => {
                return Err(Failure::Usage(format!(
                    "`--unset {name}`: the server's environment has no such variable, so there is nothing to \
                     leave out; set it, or give it to the server under `[server] env`"
                )));
            }
        }
    }
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    Ok(names)
}

fn is_set(name: &str, assignment: &Assignment) -> bool {
    let is_name = !name.is_empty() && !name.contains(['=', '\0']);
    is_name
        && (assignment.server.env.contains_key(name)
            || name == secret::VARIABLE
            || std::env::var_os(name).is_some())
}
