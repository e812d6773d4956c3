//! Which words of a server's command line and environment are secrets.

use std::collections::BTreeMap;
use std::path::Path;

use crate::secret::Concealed;
use crate::server::looks_secret;

/// Conceals those variables that look like secrets.
pub fn conceal_environment(env: &BTreeMap<String, String>, into: &mut Concealed) {
    for (name, value) in env {
        if looks_secret(name, value) {
            conceal(name, value, into);
        }
    }
}

/// Whether a variable contains a secret, however short; paths are not secrets.
pub fn is_secret(name: &str, value: &str) -> bool {
    looks_secret(name, value) && !is_place(value)
}

fn is_place(value: &str) -> bool {
    ["./", "../", "~", "{"].iter().any(|start| value.starts_with(start))
        || value.starts_with('/') && Path::new(value).exists()
}

/// Conceals a value, and the password in an address. A path is not concealed, because tools are called with it.
pub(super) fn conceal(name: &str, value: &str, into: &mut Concealed) {
    if is_place(value) {
        return;
    }
    into.add(name, value);
    let user = value.split_once("://").and_then(|(_, rest)| rest.split('/').next()?.rsplit_once('@'));
    if let Some((_, password)) = user.and_then(|(user, _)| user.split_once(':')) {
        into.add(name, password);
    }
}

/// Conceals the values of options for secrets, `--api-key VALUE`, `--token=VALUE`, and words that look like
/// secrets themselves.
pub(super) fn conceal_words(words: &[String], into: &mut Concealed) {
    let mut option: Option<&str> = None;
    for word in words {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (Some(name), value),
            None => (option.take(), word.as_str()),
        };
        let name = name.unwrap_or_default().trim_start_matches('-');
        if looks_secret(&name.replace('-', "_"), value) && !value.starts_with('-') {
            let name = if name.is_empty() { "argument" } else { name };
            conceal(&format!("option:{name}"), value, into);
        }
        option = word.starts_with('-').then_some(word.as_str());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &[&str], expected: &str) {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let mut concealed = Concealed::default();
        conceal_words(&words, &mut concealed);
        let shown: Vec<String> = words.iter().map(|word| concealed.text(word)).collect();
        assert_eq!(shown.join(" "), expected);
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
    }

    #[test]
    fn a_password_in_an_address_is_hidden_alone_too() {
        let env = BTreeMap::from([("DATABASE_URL".to_owned(), "postgres://u:Pass-word1@h/db".to_owned())]);
        let mut concealed = Concealed::default();
        conceal_environment(&env, &mut concealed);
        assert_eq!(concealed.text("refused: Pass-word1"), "refused: {concealed:DATABASE_URL}");
    }
}
