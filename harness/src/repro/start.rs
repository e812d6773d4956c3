//! How to start the server of a reproduction, with secrets replaced by names.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use crate::secret::{self, BEGIN, Concealed, is_secret, token};

/// An address where nothing listens, in place of the harness's HTTP service.
const NOBODY: &str = "http://127.0.0.1:9";

/// How to start the server, with secrets replaced by names.
#[derive(Debug, Clone)]
pub struct ReproStart {
    pub(super) command: Vec<String>,
    pub(super) env: BTreeMap<String, String>,
    /// Its working folder, relative to where the tests are started; `None` if it is the same.
    pub(super) cwd: Option<String>,
    /// The working folder relative to the folder of the Go tests, where they are started.
    pub(super) cwd_of_go: String,
    /// The folder of the files.
    pub(super) folder: String,
}

impl ReproStart {
    /// The start of a server with this command line and environment, with tokens not replaced; `folder` is the
    /// folder of the files.
    pub fn new(
        command: &[String],
        env: &BTreeMap<String, String>,
        cwd: Option<&Path>,
        folder: &Path,
        concealed: &Concealed,
        seed: u64,
    ) -> Self {
        let plain = |word: &str| {
            let word = concealed.text(word).replace("{upstream}", NOBODY).replace("{refusing}", NOBODY);
            word.replace("{unresolved}", NOBODY).replace("{secret}", &secret::drawn(seed))
        };
        // Even a secret that is too short to be recognised in a text.
        let value = |name: &String, value: &String| match is_secret(name, value) {
            true => token(name),
            false => plain(value),
        };
        let mut variables: BTreeMap<String, String> =
            env.iter().map(|(name, text)| (name.clone(), value(name, text))).collect();
        variables.insert(secret::VARIABLE.to_owned(), secret::drawn(seed));
        Self {
            command: command.iter().map(|word| plain(word)).collect(),
            env: variables,
            cwd: cwd.map(|cwd| cwd.to_string_lossy().into_owned()),
            cwd_of_go: from_below(folder, cwd),
            folder: folder.to_string_lossy().trim_end_matches('/').to_owned(),
        }
    }

    /// The names of the secrets, each with the variable that must contain its value.
    pub fn secrets(&self) -> BTreeMap<String, String> {
        let mut secrets = BTreeMap::new();
        for text in self.command.iter().chain(self.env.values()) {
            for (at, _) in text.match_indices(BEGIN) {
                let Some(end) = text[at..].find('}') else { continue };
                let name = &text[at + BEGIN.len()..at + end];
                secrets.insert(text[at..=at + end].to_owned(), variable(name));
            }
        }
        secrets
    }
}

/// The variable that must contain the secret of this name.
fn variable(name: &str) -> String {
    const KINDS: [(&str, &str); 2] = [("input:", "MCP_ERRCONF_INPUT_"), ("option:", "MCP_ERRCONF_OPTION_")];
    let in_name = |letter: char| match letter.is_ascii_alphanumeric() {
        true => letter.to_ascii_uppercase(),
        false => '_',
    };
    let of_kind = KINDS.iter().find_map(|(kind, before)| {
        let rest = name.strip_prefix(kind)?;
        Some(before.chars().chain(rest.chars().map(in_name)).collect())
    });
    of_kind.unwrap_or_else(|| name.to_owned())
}

/// The working folder relative to `FOLDER/go`, two levels down.
fn from_below(folder: &Path, cwd: Option<&Path>) -> String {
    let is_below = |path: &Path| path.components().all(|part| matches!(part, Component::Normal(_)));
    let folder: PathBuf = folder.components().filter(|part| *part != Component::CurDir).collect();
    let here: PathBuf = match is_below(&folder) {
        true => folder.components().map(|_| "..").chain([".."]).collect(),
        false => std::env::current_dir().unwrap_or_default(),
    };
    let is_made = cwd.is_some_and(|cwd| cwd.starts_with("{workspace}"));
    let there = match cwd {
        Some(cwd) if is_made => cwd.to_owned(),
        Some(cwd) => here.join(cwd),
        None => here,
    };
    there.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_that_is_made_for_the_server_is_below_no_other() {
        assert_eq!(from_below(Path::new("found"), Some(Path::new("{workspace}"))), "{workspace}");
        assert_eq!(from_below(Path::new("found"), Some(Path::new("server"))), "../../server");
    }

    #[test]
    fn a_secret_stands_under_its_name_alone_also_where_it_is_short() {
        let mut concealed = Concealed::default();
        concealed.add("option:api-key", "Ab-1234567");
        let env = BTreeMap::from([
            ("API_KEY".to_owned(), "abc".to_owned()),
            ("LEVEL".to_owned(), "info".to_owned()),
        ]);
        let command = ["s", "--api-key", "Ab-1234567", "{upstream}"].map(str::to_owned);
        let start = ReproStart::new(&command, &env, None, Path::new("found"), &concealed, 0);
        assert_eq!(start.command, ["s", "--api-key", "{concealed:option:api-key}", NOBODY]);
        assert_eq!(
            (start.env["API_KEY"].as_str(), start.env["LEVEL"].as_str()),
            ("{concealed:API_KEY}", "info")
        );
        let secrets: Vec<_> = start.secrets().into_iter().collect();
        let named = |token: &str, variable: &str| (token.to_owned(), variable.to_owned());
        assert_eq!(
            secrets,
            [
                named("{concealed:API_KEY}", "API_KEY"),
                named("{concealed:option:api-key}", "MCP_ERRCONF_OPTION_API_KEY")
            ]
        );
    }

    #[test]
    fn the_tests_for_go_find_the_working_folder_from_their_own() {
        assert_eq!(from_below(Path::new("found"), None), "../..");
        assert_eq!(from_below(Path::new("./a/b"), Some(Path::new("srv"))), "../../../srv");
        assert_eq!(from_below(Path::new("/x"), Some(Path::new("/srv"))), "/srv");
    }
}
