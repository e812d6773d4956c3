//! Where secrets come in: the environment and the command line of a server.

use super::{Concealed, is_secret, token};

/// Conceals the values of those variables that are secrets.
pub fn conceal_environment<'v>(
    env: impl IntoIterator<Item = (&'v String, &'v String)>,
    into: &mut Concealed,
) {
    for (name, value) in env {
        if is_secret(name, value) {
            conceal(name, value, into);
        }
    }
}

/// Conceals a value, and the password in an address.
pub fn conceal(name: &str, value: &str, into: &mut Concealed) {
    into.add(name, value);
    let user = value.split_once("://").and_then(|(_, rest)| rest.split('/').next()?.rsplit_once('@'));
    if let Some((_, password)) = user.and_then(|(user, _)| user.split_once(':')) {
        into.add(name, password);
    }
}

/// A secret on a command line: the value of an option or a variable, `--api-key VALUE`, `--token=VALUE`, `TOKEN=VALUE`, or a
/// word that looks like a secret itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretWord {
    /// The index of the word.
    pub word: usize,
    /// Where the value begins in it, in bytes.
    pub start: usize,
    /// The name of the option or variable; empty for a word alone.
    pub name: String,
}

/// The secrets on a command line.
pub fn secret_words(words: &[String]) -> Vec<SecretWord> {
    let mut found = Vec::new();
    let mut option: Option<&str> = None;
    for (index, word) in words.iter().enumerate() {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, value),
            None => (option.unwrap_or_default(), word.as_str()),
        };
        let name = name.trim_start_matches('-');
        if is_secret(name, value) && !value.starts_with('-') {
            found.push(SecretWord { word: index, start: word.len() - value.len(), name: name.to_owned() });
        }
        option = word.starts_with('-').then_some(word.as_str()).filter(|word| !word.contains('='));
    }
    found
}

/// Conceals the secrets on a command line.
pub fn conceal_words(words: &[String], into: &mut Concealed) {
    for secret in secret_words(words) {
        conceal(&shown_name(&secret), &words[secret.word][secret.start..], into);
    }
}

/// The command line with its secrets replaced by names, however short they are.
pub fn shown_words(words: &[String], concealed: &Concealed) -> Vec<String> {
    let mut shown: Vec<String> = words.iter().map(|word| concealed.text(word)).collect();
    for secret in secret_words(words) {
        let (before, value) = words[secret.word].split_at(secret.start);
        if concealed.text(value) == value {
            shown[secret.word] = format!("{before}{}", token(&shown_name(&secret)));
        }
    }
    shown
}

fn shown_name(secret: &SecretWord) -> String {
    format!("option:{}", if secret.name.is_empty() { "argument" } else { &secret.name })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn check(words: &[&str], expected: &str) {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let mut concealed = Concealed::default();
        conceal_words(&words, &mut concealed);
        assert_eq!(shown_words(&words, &concealed).join(" "), expected);
    }

    #[test]
    fn options_that_speak_of_a_secret_hide_their_value() {
        check(&["npx", "--api-key", "Ab-123456", "x"], "npx --api-key {concealed:option:api-key} x");
        check(
            &["--token=Ab-123456", "API_KEY=Ab-1234567"],
            "--token={concealed:option:token} API_KEY={concealed:option:API_KEY}",
        );
        check(&["s", "sk-aaaaaaaaaaaaaaaa1"], "s {concealed:option:argument}");
        check(&["--keys", "--verbose-mode", "--port", "80801234"], "--keys --verbose-mode --port 80801234");
        check(&["--auth-dir", "/usr", "--key-file", "./a/key.pem"], "--auth-dir /usr --key-file ./a/key.pem");
        check(&["env", "TOKEN=abc", "s"], "env TOKEN={concealed:option:TOKEN} s");
    }

    #[test]
    fn a_password_in_an_address_is_hidden_alone_too() {
        let env = BTreeMap::from([("DATABASE_URL".to_owned(), "postgres://u:Pass-word1@h/db".to_owned())]);
        let mut concealed = Concealed::default();
        conceal_environment(&env, &mut concealed);
        assert_eq!(concealed.text("refused: Pass-word1"), "refused: {concealed:DATABASE_URL}");
    }
}
