//! Which variables, by their names and values, are secrets.

use crate::words;

use std::path::Path;

/// Endings of a word in the name of a secret, for names whose words are joined.
const ENDS: [&str; 6] = ["TOKEN", "APIKEY", "ACCESSKEY", "SECRET", "PASSWORD", "CREDENTIALS"];

/// Endings of the name of a secret.
const NAME_ENDS: [&str; 3] = ["_DSN", "_CONNECTION_STRING", "_CONNECTIONSTRING"];

/// Beginnings of the names of variables that belong to an account.
const BEGINNINGS: [&str; 8] =
    ["AWS_", "GITHUB_", "GH_", "GITLAB_", "AZURE_", "OPENAI_", "ANTHROPIC_", "VAULT_"];

/// Addresses that are secrets, because anyone who knows one may post to it.
const HOOKS: [&str; 4] =
    ["hooks.slack.com/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/", "webhook.office.com/"];

/// Keys of connection strings that consist of pairs.
const PAIRS: [&str; 7] =
    ["password", "pwd", "accountkey", "sharedaccesskey", "sharedaccesssignature", "accesskey", "secret"];

/// From this length on, a value of letters in both cases and digits is taken for random.
const DRAWN: usize = 32;

/// Last words in the name of a variable that says where a secret is.
const PLACES: [&str; 7] = ["FILE", "PATH", "DIR", "FOLDER", "SOCK", "NAME", "VARIABLE"];

/// Variables with the working folder; `PWD` is not a password.
const FOLDERS: [&str; 2] = ["PWD", "OLDPWD"];

/// The names of the variables that look like secrets and were not requested, in order.
#[cfg(any(test, target_os = "linux"))]
pub fn kept_back(variables: impl Iterator<Item = (String, String)>, asked_for: &[String]) -> Vec<String> {
    let looks = variables.filter(|(name, value)| !asked_for.contains(name) && looks_secret(name, value));
    let mut names: Vec<String> = looks.map(|(name, _)| name).collect();
    names.sort();
    names
}

/// A value of the same form that tells nothing of a secret but its length and where it has `-`, `_` or `.`; `None` for an
/// address, which would lead nowhere, and for a value that would stay as it is.
pub fn made_up(value: &str) -> Option<String> {
    let in_place_of = |letter: char| match letter {
        '0'..='9' => '0',
        '-' | '_' | '.' => letter,
        _ => 'x',
    };
    let made_up: String = value.chars().map(in_place_of).collect();
    (!value.contains("://") && made_up != value).then_some(made_up)
}

/// Whether a variable may be a secret, by its name or by its value: it is withheld from a confined server. Of an account's
/// variables all may be.
pub fn looks_secret(name: &str, value: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let of_account = BEGINNINGS.iter().any(|beginning| name.starts_with(beginning)) && !is_public(&name);
    of_account || by_name(&name) || by_value(&name, value)
}

/// Whether the value of a variable is a secret, by its name or by itself: it is shown nowhere.
pub fn is_secret(name: &str, value: &str) -> bool {
    let name = name.replace('-', "_").to_ascii_uppercase();
    let is_place = name.rsplit('_').next().is_some_and(|last| PLACES.contains(&last));
    (by_name(&name) && !is_place && !is_setting(&name, value) || by_value(&name, value)) && !is_path(value)
}

/// Whether a value says how a secret is used, as in `--auth none` and `--max-tokens 4096`.
fn is_setting(name: &str, value: &str) -> bool {
    let is_number = value.len() < 8 && value.bytes().all(|byte| byte.is_ascii_digit());
    is_number && !name.contains("PASS")
        || words!("names/looks-settings").contains(&value.to_ascii_lowercase().as_str())
}

/// A path is not a secret, because tools are called with it.
fn is_path(value: &str) -> bool {
    ["./", "../", "~", "{"].iter().any(|start| value.starts_with(start))
        || value.starts_with('/') && Path::new(value).exists()
}

fn by_name(name: &str) -> bool {
    let word = |word: &str| {
        words!("names/looks-words").contains(&word) || ENDS.iter().any(|end| word.ends_with(end))
    };
    !is_public(name) && (name.split('_').any(word) || NAME_ENDS.iter().any(|end| name.ends_with(end)))
}

fn is_public(name: &str) -> bool {
    FOLDERS.contains(&name) || words!("names/looks-public").contains(&name)
}

fn by_value(name: &str, value: &str) -> bool {
    let issued = value.len() >= 16
        && words!("names/looks-issued").iter().any(|beginning| value.starts_with(beginning));
    // A JSON Web Token: three parts, the first of them an object in base64.
    let signed = value.starts_with("eyJ") && value.matches('.').count() == 2;
    let hook = HOOKS.iter().any(|hook| value.contains(hook));
    let document = value.contains("\"private_key\"") || value.contains("-----BEGIN ");
    issued
        || signed
        || hook
        || document
        || has_user(value)
        || has_pair(value)
        || is_of_a_bot(value)
        || is_drawn(name, value)
}

/// `scheme://user:password@host`, `scheme://key@host`, `user:password@tcp(host)`.
fn has_user(value: &str) -> bool {
    let (is_url, rest) = match value.split_once("://") {
        Some((_, rest)) => (true, rest),
        None => (false, value),
    };
    let place = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let Some((user, host)) = place.rsplit_once('@') else { return false };
    match user.split_once(':') {
        Some((_, password)) => !password.is_empty() && (is_url || host.contains('(')),
        // A user name alone is not a secret: git URLs have one.
        None => is_url && user.len() >= 16 && user.bytes().any(|byte| byte.is_ascii_digit()),
    }
}

/// `Server=host;Password=word`, `host=host password=word`.
fn has_pair(value: &str) -> bool {
    let parts = value.split([';', ' ']).filter_map(|part| part.split_once('='));
    let mut keys = parts.map(|(key, value)| (key.trim().to_ascii_lowercase(), value));
    value.matches('=').count() > 1 && keys.any(|(key, value)| PAIRS.contains(&&*key) && !value.is_empty())
}

/// The token of a Telegram bot: `123456789:` and 35 characters.
fn is_of_a_bot(value: &str) -> bool {
    value.split_once(':').is_some_and(|(number, rest)| {
        (8..=12).contains(&number.len())
            && number.bytes().all(|byte| byte.is_ascii_digit())
            && rest.len() >= 30
            && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
    })
}

/// Whether a value is long and random: letters in both cases and digits, or a hexadecimal number that is not a
/// checksum.
fn is_drawn(name: &str, value: &str) -> bool {
    let has = |is: fn(&u8) -> bool| value.as_bytes().iter().any(&is);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=_-".contains(&byte);
    let is_sum = || name.split('_').any(|word| words!("names/looks-sums").contains(&word));
    if value.len() < DRAWN || !value.bytes().all(is_plain) || value.starts_with('/') {
        return false;
    }
    let (small, large, digit) =
        (has(u8::is_ascii_lowercase), has(u8::is_ascii_uppercase), has(u8::is_ascii_digit));
    // In a path the part between two slashes may look like base64, which has no parts so short.
    let is_path = value.split('/').count() > 3;
    let is_hexadecimal = value.bytes().all(|byte| byte.is_ascii_hexdigit()) && digit && (small || large);
    (small && large && digit && !is_path) || (is_hexadecimal && !is_sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The file of names and values.
    #[derive(serde::Deserialize)]
    struct Cases {
        names: Vec<String>,
        values: Vec<String>,
        handed_on: Vec<[String; 2]>,
        secret: Vec<[String; 2]>,
        plain: Vec<[String; 2]>,
    }

    fn is_kept_back(name: &str, value: &str) -> bool {
        !kept_back([(name.to_owned(), value.to_owned())].into_iter(), &[]).is_empty()
    }

    #[test]
    fn a_made_up_value_has_the_form_of_the_secret_and_nothing_else_of_it() {
        assert_eq!(made_up("sk-Ab9_7é").as_deref(), Some("xx-xx0_0x"));
        assert_eq!(made_up("!#%&-+").as_deref(), Some("xxxx-x"));
        assert_eq!((made_up("postgres://u:p@h/d"), made_up("000")), (None, None));
    }

    #[test]
    fn what_is_kept_back_is_what_the_file_says() {
        let cases: Cases = toml::from_str(include_str!("looks/cases.toml")).expect("it is TOML");
        for name in &cases.names {
            assert!(is_kept_back(name, "x"), "{name}");
        }
        for value in &cases.values {
            assert!(is_kept_back("PLAIN", value), "{value}");
        }
        for [name, value] in &cases.handed_on {
            assert!(!is_kept_back(name, value), "{name}={value}");
        }
        for [name, value] in &cases.secret {
            assert!(is_secret(name, value), "{name}={value}");
        }
        for [name, value] in &cases.plain {
            assert!(!is_secret(name, value), "{name}={value}");
        }
    }

    #[test]
    fn what_is_asked_for_is_handed_on_and_the_rest_is_reported_in_order() {
        let variables = ["Z_TOKEN", "A_TOKEN", "M_TOKEN"].map(|name| (name.to_owned(), "x".to_owned()));
        assert_eq!(kept_back(variables.into_iter(), &["M_TOKEN".to_owned()]), ["A_TOKEN", "Z_TOKEN"]);
    }
}
