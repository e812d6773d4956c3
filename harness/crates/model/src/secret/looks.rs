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

    fn check(name: &str, value: &str, secret: bool) {
        let kept = kept_back([(name.to_owned(), value.to_owned())].into_iter(), &[]);
        assert_eq!(!kept.is_empty(), secret, "{name}={value}");
    }

    #[test]
    fn a_name_that_speaks_of_a_secret_is_enough() {
        let names = "API_TOKEN NPM_AUTH_TOKEN OPENAI_API_KEY MYAPIKEY DB_PASSWORD pgpassword \
            GOOGLE_APPLICATION_CREDENTIALS AWS_PROFILE GITHUB_ACTOR SENTRY_DSN \
            AZURE_STORAGE_CONNECTION_STRING GITHUB_TOKEN VAULT_ADDR CLIENT_SECRET SSH_AUTH_SOCK";
        for name in names.split_whitespace() {
            check(name, "x", true);
        }
    }

    #[test]
    fn a_value_that_looks_like_a_key_is_enough() {
        for value in [
            "ghp_0123456789abcdefghij",
            "sk-0123456789abcdefghij",
            "AKIA0123456789ABCDEF",
            "-----BEGIN PRIVATE THING-----",
            "eyJhbGciOiJub25lIn0.e30.x",
            "postgres://user:word@localhost/db",
            "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF",
            "xoxb-0123456789-abcdefghij",
            "hf_abcdefghijklmnopqrst",
            "SG.abcdefghijklmnop.qrstuvwxyz",
            "pypi-AgEIcHlwaS5vcmcabcd",
            "dop_v1_0123456789abcdef",
            "123456789:AAabcdefghijklmnopqrstuvwxyz012345",
            "https://0123456789abcdef0123456789abcdef@sentry.example/1",
            "https://hooks.slack.com/services/T0/B0/x",
            "Server=db;Database=x;User Id=a;Password=word;",
            "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=word==",
            "host=localhost user=a password=word dbname=x",
            "user:word@tcp(localhost:3306)/db",
            "amqp://user:word@localhost:5672/",
            "{\"type\": \"service_account\", \"private_key\": \"x\"}",
            "0123456789abcdef0123456789abcdef",
        ] {
            check("PLAIN", value, true);
        }
    }

    #[test]
    fn what_programs_need_is_handed_on() {
        for (name, value) in [
            ("PATH", "/usr/local/bin:/usr/bin"),
            ("HOME", "/home/someone"),
            ("PWD", "/home/someone/work"),
            ("OLDPWD", "/"),
            ("LANG", "C.UTF-8"),
            ("KEYBOARD", "us"),
            ("MONKEY", "1"),
            ("NODE_OPTIONS", "--max-old-space-size=4096"),
            ("REGISTRY", "https://example.invalid/index"),
            ("COMMIT", "0123456789abcdef0123456789abcdef01234567"),
            ("XDG_SESSION_TYPE", "tty"),
            ("XDG_DATA_DIRS", "/usr/local/share:/usr/share"),
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_WORKSPACE", "/builds/x/x"),
            ("GITHUB_SHA", "0123456789abcdef0123456789abcdef01234567"),
            ("AWS_REGION", "eu-central-1"),
            ("BUILD_ID", "0123456789abcdef0123456789abcdef"),
            ("DATABASE_URL", "postgres://localhost/db"),
            ("REPOSITORY", "ssh://git@example.invalid/x.git"),
            ("VIRTUAL_ENV", "/home/someone/Projects/server1/.venv/Lib3"),
            ("JAVA_HOME", "/usr/lib/jvm/java-17-openjdk-amd64"),
            ("MAIL_FROM", "someone@example.invalid"),
            ("OPTIONS", "a=1 b=2"),
            ("LS_COLORS", "rs=0:di=01;34:ln=01;36"),
        ] {
            check(name, value, false);
        }
    }

    #[test]
    fn what_is_asked_for_is_handed_on_and_the_rest_is_reported_in_order() {
        let variables = ["Z_TOKEN", "A_TOKEN", "M_TOKEN"].map(|name| (name.to_owned(), "x".to_owned()));
        assert_eq!(kept_back(variables.into_iter(), &["M_TOKEN".to_owned()]), ["A_TOKEN", "Z_TOKEN"]);
    }

    #[test]
    fn the_value_of_a_key_is_a_secret_and_what_else_an_account_has_is_not() {
        for (name, value, expected) in [
            ("api-key", "abc", true),
            ("TOKEN", "x", true),
            ("REGION_OF", "ghp_0123456789abcdefghij", true),
            ("AWS_PROFILE", "staging-eu", false),
            ("AWS_CA_BUNDLE", "certificates.pem", false),
            ("GITHUB_ACTOR", "someone", false),
            ("key-file", "key.pem", false),
            ("AUTH_DIR", "/usr", false),
            ("API_KEY", "{workspace}/key", false),
            ("PORT", "8080", false),
            ("max-tokens", "4096", false),
            ("auth", "none", false),
            ("DB_PASS", "1234", true),
            ("API_KEY", "", false),
        ] {
            assert_eq!(is_secret(name, value), expected, "{name}={value}");
        }
    }
}
