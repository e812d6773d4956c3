//! Environment variables that look like secrets: a confined server does not get them.

/// Words of a name that say so; a name is split at `_`.
const WORDS: [&str; 16] = [
    "TOKEN",
    "TOKENS",
    "KEY",
    "KEYS",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWORDS",
    "PASSWD",
    "PASSPHRASE",
    "PASS",
    "PWD",
    "CREDENTIAL",
    "CREDENTIALS",
    "AUTH",
    "COOKIE",
];

/// Ends of a word that say so, where words are not split.
const ENDS: [&str; 6] = ["TOKEN", "APIKEY", "ACCESSKEY", "SECRET", "PASSWORD", "CREDENTIALS"];

/// Beginnings of a name that say so.
const BEGINNINGS: [&str; 8] =
    ["AWS_", "GITHUB_", "GH_", "GITLAB_", "AZURE_", "OPENAI_", "ANTHROPIC_", "VAULT_"];

/// Beginnings of a value that issuers of keys put there.
const ISSUED: [&str; 17] = [
    "sk-",
    "sk_",
    "pk_",
    "rk_",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xox",
    "AKIA",
    "ASIA",
    "AIza",
    "-----BEGIN",
    "npm_",
];

/// So long, and of letters of both cases and digits, a value is drawn and not written.
const DRAWN: usize = 32;

/// The working folder, which shells tell: no password.
const FOLDERS: [&str; 2] = ["PWD", "OLDPWD"];

/// The names of those variables that look like secrets and were not asked for, in their order.
pub(super) fn kept_back(
    variables: impl Iterator<Item = (String, String)>,
    asked_for: &[String],
) -> Vec<String> {
    let looks = variables.filter(|(name, value)| !asked_for.contains(name) && looks_secret(name, value));
    let mut names: Vec<String> = looks.map(|(name, _)| name).collect();
    names.sort();
    names
}

fn looks_secret(name: &str, value: &str) -> bool {
    by_name(&name.to_ascii_uppercase()) || by_value(value)
}

fn by_name(name: &str) -> bool {
    let word = |word: &str| WORDS.contains(&word) || ENDS.iter().any(|end| word.ends_with(end));
    !FOLDERS.contains(&name)
        && (BEGINNINGS.iter().any(|beginning| name.starts_with(beginning)) || name.split('_').any(word))
}

fn by_value(value: &str) -> bool {
    let issued = value.len() >= 16 && ISSUED.iter().any(|beginning| value.starts_with(beginning));
    // A token of three parts, the first an object in base64.
    let signed = value.starts_with("eyJ") && value.matches('.').count() == 2;
    issued || signed || has_password(value) || is_drawn(value)
}

/// `scheme://user:password@host`.
fn has_password(value: &str) -> bool {
    let Some((_, rest)) = value.split_once("://") else { return false };
    let place = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let user = place.rsplit_once('@').map_or("", |(user, _)| user);
    user.split_once(':').is_some_and(|(_, password)| !password.is_empty())
}

fn is_drawn(value: &str) -> bool {
    let has = |is: fn(&u8) -> bool| value.as_bytes().iter().any(&is);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"+=_-".contains(&byte);
    value.len() >= DRAWN
        && value.bytes().all(is_plain)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_digit)
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
        for name in [
            "API_TOKEN",
            "NPM_AUTH_TOKEN",
            "OPENAI_API_KEY",
            "MYAPIKEY",
            "DB_PASSWORD",
            "pgpassword",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "AWS_PROFILE",
            "GITHUB_ACTOR",
            "CLIENT_SECRET",
            "SSH_AUTH_SOCK",
        ] {
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
        ] {
            check(name, value, false);
        }
    }

    #[test]
    fn what_is_asked_for_is_handed_on_and_the_rest_is_told_in_order() {
        let variables = ["Z_TOKEN", "A_TOKEN", "M_TOKEN"].map(|name| (name.to_owned(), "x".to_owned()));
        assert_eq!(kept_back(variables.into_iter(), &["M_TOKEN".to_owned()]), ["A_TOKEN", "Z_TOKEN"]);
    }
}
