//! `${NAME}` in `[server]`: a value that is taken from the environment of `mcp-errconf`, such as a secret.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::document::Document;
use crate::secret::{conceal, is_secret};

use super::{ServerSettings, ServerTable};

/// A reference in the value of a variable.
static REFERENCE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}").expect("the expression is well-formed"));
/// A word of a command line that is a reference, `${NAME}` or `--option=${NAME}`: within longer words, such as scripts, `${..}` is
/// the shell's.
static WORD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:[\w.-]+=)?\$\{[A-Za-z_][A-Za-z0-9_]*\}$").expect("the expression is well-formed")
});

/// The names of the variables to which a value refers.
pub fn referenced(value: &str) -> impl Iterator<Item = String> {
    REFERENCE.captures_iter(value).map(|reference| reference[1].to_owned())
}

/// The references in a configuration, each with its place.
pub(super) fn references(server: &ServerTable, document: &Document<'_>) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut add = |text: &str, path: &[&str]| {
        for name in referenced(text) {
            found.entry(name).or_insert_with(|| document.wrong_value(path, "").place());
        }
    };
    for (name, value) in &server.env {
        add(value, &["server", "env", name]);
    }
    for (index, word) in server.command.iter().flatten().enumerate().filter(|(_, word)| WORD.is_match(word)) {
        add(word, &["server", "command", &index.to_string()]);
    }
    found
}

impl ServerSettings {
    /// Replaces the references by what `value` gives for a name; secrets among them are concealed.
    ///
    /// # Errors
    /// When a variable is not set; with the place of the reference.
    pub fn expand(&mut self, value: &dyn Fn(&str) -> Option<String>) -> Result<(), String> {
        let Self { command, env, references, concealed, .. } = self;
        let mut missing = None;
        let mut replaced = |text: &str| {
            let expanded = REFERENCE.replace_all(text, |found: &Captures<'_>| {
                let name = &found[1];
                let Some(value) = value(name) else {
                    missing.get_or_insert_with(|| name.to_owned());
                    return String::new();
                };
                if is_secret(name, &value) {
                    conceal(name, &value, concealed);
                }
                value
            });
            expanded.into_owned()
        };
        for word in command.iter_mut().filter(|word| WORD.is_match(word)) {
            *word = replaced(word);
        }
        for value in env.values_mut() {
            *value = replaced(value);
        }
        match missing {
            None => Ok(()),
            Some(name) => {
                let place = references.get(&name).map_or_else(String::new, |place| format!("{place}: "));
                Err(format!(
                    "{place}the variable `{name}` is not set: set it, or write a value in place of `${{{name}}}`"
                ))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    /// The command and the variables of a configuration, where `KEY` is set.
    fn check(text: &str, expected: Result<&str, &str>) {
        let mut server = super::super::parse("c.toml", text, Path::new("")).expect("it is sound").server;
        let value = |name: &str| (name == "KEY").then(|| "Ab-123456".to_owned());
        let expanded = server.expand(&value).map(|()| {
            let shown: Vec<String> = server.command.iter().map(|word| server.concealed.text(word)).collect();
            format!(
                "{} {:?} {}",
                server.command.join(" "),
                server.env.values().collect::<Vec<_>>(),
                shown.join(" ")
            )
        });
        assert_eq!(expanded.as_deref().map_err(String::as_str), expected);
    }

    #[test]
    fn references_are_replaced_and_their_values_concealed() {
        check(
            "[server]\ncommand = ['s', '--key=${KEY}', '${KEY}']\nenv = { A = 'x-${KEY}-${}' }\n",
            Ok("s --key=Ab-123456 Ab-123456 [\"x-Ab-123456-${}\"] s --key={concealed:KEY} {concealed:KEY}"),
        );
    }

    #[test]
    fn a_reference_is_a_name_in_braces() {
        let value = "{workspace} $PLAIN ${not a name} ${A_B}:${C} ${open";
        assert_eq!(super::referenced(value).collect::<Vec<_>>(), ["A_B", "C"]);
    }

    #[test]
    fn a_script_keeps_what_belongs_to_the_shell() {
        check(
            "[server]\ncommand = ['sh', '-c', 'echo ${HOME}']\n",
            Ok("sh -c echo ${HOME} [] sh -c echo ${HOME}"),
        );
    }

    #[test]
    fn a_variable_that_is_not_set_is_reported_with_its_place() {
        let set = "set it, or write a value in place of";
        check(
            "[server]\ncommand = ['s']\n[server.env]\nA = '${NONE}'\n",
            Err(&format!("c.toml:4:5: the variable `NONE` is not set: {set} `${{NONE}}`")),
        );
        check(
            "[server]\ncommand = ['s', '--x=${NONE}']\n",
            Err(&format!("c.toml:2:17: the variable `NONE` is not set: {set} `${{NONE}}`")),
        );
    }
}
