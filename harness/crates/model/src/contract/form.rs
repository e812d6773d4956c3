//! Where code, message and other values are in an error reply: a contract's form, as data.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::EditPointers;

/// Where code and message are in an error reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::large_enum_variant, reason = "there is one for each contract, and contracts are few")]
pub enum ReplyForm {
    /// The text is the message, and there is no code.
    Plain,
    /// The text is `[CODE] message`.
    Bracket,
    /// The text, or `structuredContent`, is a JSON object.
    Json(JsonForm),
}

/// Where things are in a JSON object, as JSON Pointers (RFC 6901).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct JsonForm {
    /// The code.
    pub code: String,
    /// How codes are written.
    #[serde(default)]
    pub spelling: Spelling,
    /// The message.
    pub message: String,
    /// Hints: each a string or an array of strings.
    #[serde(default)]
    pub hints: Vec<String>,
    /// Whether a retry may help: a boolean.
    pub retryable: Option<String>,
    /// Where else, besides the message, the wrong value may be.
    #[serde(default)]
    pub values: Vec<String>,
    /// Which file and which edit failed, and what is there: for editing tools.
    pub editing: Option<Box<EditPointers>>,
    /// A member that, if it is an object with a code, makes a result an error even without `isError: true`.
    pub unflagged: Option<String>,
    /// An RFC 9457 problem, of which `detail` equals the message.
    pub problem: Option<String>,
    /// Whether the fields of the tool's own result are present next to these, with empty values.
    #[serde(default)]
    pub emptied: bool,
    /// Members that a success never has.
    #[serde(default)]
    pub error_only: Vec<String>,
    /// The object whose members must be the same for every tool, without members specific to one tool.
    pub shape: Option<String>,
    /// How long to wait before the call is sent again, in seconds: a number.
    pub retry_after: Option<String>,
    /// Who holds the requested resource.
    pub holders: Option<Box<Holders>>,
}

impl JsonForm {
    /// The members that belong to the contract and not to the tool's result.
    pub fn members(&self) -> impl Iterator<Item = &str> {
        let listed = [&self.code, &self.message].into_iter().chain(&self.hints).chain(&self.values);
        let pointers = listed.chain(&self.retryable).chain(&self.unflagged).chain(&self.problem);
        pointers.filter_map(|pointer| pointer.strip_prefix('/')?.split('/').next())
    }
}

/// Where the holders of a resource are named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Holders {
    /// The array of conflicts.
    pub list: String,
    /// In an item of it, the holder's name: the first of these that is present.
    pub names: Vec<String>,
}

/// How a contract writes its codes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Spelling {
    /// `PATH_NOT_FOUND`
    #[default]
    UpperSnake,
    /// `path-not-found`
    Kebab,
}

impl Spelling {
    /// Whether a word is in this spelling.
    pub fn fits(self, word: &str) -> bool {
        let (join, letter): (char, fn(char) -> bool) = match self {
            Self::UpperSnake => ('_', |c| c.is_ascii_uppercase()),
            Self::Kebab => ('-', |c| c.is_ascii_lowercase()),
        };
        let part = |part: &str| !part.is_empty() && part.chars().all(|c| letter(c) || c.is_ascii_digit());
        word.starts_with(letter) && word.split(join).all(part)
    }

    /// The spelling in words, with an example.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::UpperSnake => "upper case with underscores, such as `PATH_NOT_FOUND`",
            Self::Kebab => "lower case with hyphens, such as `path-not-found`",
        }
    }
}

impl ReplyForm {
    /// How codes are written.
    pub fn spelling(&self) -> Spelling {
        match self {
            Self::Json(form) => form.spelling,
            Self::Plain | Self::Bracket => Spelling::UpperSnake,
        }
    }

    /// An error reply with this code and message on one line; for a JSON object with the members that every
    /// error has.
    pub fn example(&self, code: &str, message: &str) -> String {
        match self {
            Self::Plain => message.to_owned(),
            Self::Bracket => format!("[{code}] {message}"),
            Self::Json(form) => {
                let mut object = Value::Object(Map::new());
                for (place, text) in [(&form.code, code), (&form.message, message)] {
                    let mut at = &mut object;
                    for name in place.split('/').skip(1) {
                        if !at.is_object() {
                            *at = Value::Object(Map::new());
                        }
                        at = &mut at[name];
                    }
                    *at = Value::String(text.to_owned());
                }
                object.to_string()
            }
        }
    }

    /// Where a code belongs, as the end of a sentence that begins "Write it ...".
    pub fn place_of(&self, code: &str) -> String {
        match self {
            Self::Plain => format!("in the text: `{code}`"),
            Self::Bracket => {
                format!("at the beginning of the text, in brackets and followed by one space: `[{code}] ...`")
            }
            Self::Json(form) => format!("in the reply's JSON object, at `{}`: \"{code}\"", form.code),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Spelling;

    #[test]
    fn a_code_fits_its_contracts_spelling_alone() {
        for word in ["A", "A1_2", "PATH_NOT_FOUND"] {
            assert!(Spelling::UpperSnake.fits(word) && !Spelling::Kebab.fits(word), "{word}");
        }
        for word in ["a", "path-not-found"] {
            assert!(Spelling::Kebab.fits(word) && !Spelling::UpperSnake.fits(word), "{word}");
        }
        for word in ["", "_A", "A__B", "1A", "a-", "Path"] {
            assert!(!Spelling::UpperSnake.fits(word) && !Spelling::Kebab.fits(word), "{word}");
        }
    }
}
