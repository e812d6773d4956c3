//! Whether an error was worded by the tool, or by the validation of an MCP SDK before the tool's code ran.
//!
//! The main type is [`Sdk`]. Each SDK has fixed words; `sdks.toml` contains them as data. How a server takes over
//! validation from its SDK is a fix, and stands in `rules/fixes.toml`.

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

use crate::condition::{self, ConditionTrait};
use crate::document::entries;

/// An MCP SDK that answers bad arguments itself.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sdk {
    name: String,
    words: Vec<Words>,
}

/// Words that identify an SDK.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    #[cfg_attr(not(test), expect(dead_code, reason = "it stands beside the expression for its reader"))]
    says: String,
    /// An expression for the beginning of the text, after a code in brackets if there is one.
    expression: String,
    /// Texts that begin like this.
    #[cfg_attr(not(test), expect(dead_code, reason = "the examples are for the reader and the test"))]
    examples: Vec<String>,
    /// Similar texts that are not from an SDK.
    #[cfg_attr(not(test), expect(dead_code, reason = "the examples are for the reader and the test"))]
    counter_examples: Vec<String>,
}

static SDKS: LazyLock<Vec<Sdk>> = LazyLock::new(|| entries(include_str!("sdks.toml")));

/// The SDK that worded this text, if any.
pub fn sdk(text: &str) -> Option<&'static Sdk> {
    // Bytes, because a long bounded repetition of characters takes long to compile.
    static EACH: LazyLock<Vec<(&Sdk, Regex)>> = LazyLock::new(|| {
        let words = SDKS.iter().flat_map(|sdk| sdk.words.iter().map(move |words| (sdk, words)));
        let compiled = words.map(|(sdk, words)| {
            let whole = format!(r"\A(?:\[[A-Z_]+\] )?(?:{})", words.expression);
            let words = RegexBuilder::new(&whole).unicode(false).build();
            (sdk, words.expect("the expression is well-formed"))
        });
        compiled.collect()
    });
    EACH.iter().find(|(_, words)| words.is_match(text.as_bytes())).map(|(sdk, _)| *sdk)
}

/// All SDKs whose words are known.
pub fn sdks() -> &'static [Sdk] {
    &SDKS
}

/// Whether an SDK worded this text.
pub fn is_sdk(text: &str) -> bool {
    sdk(text).is_some()
}

/// Whether an SDK itself answers such a request, which no tool, resource or prompt of the server sees, in words and with a
/// code that the server has no hand in. rmcp takes params that do not fit for a method that it does not know, and says its
/// name.
pub fn answers_itself(condition: &str, method: &str, message: &str) -> bool {
    condition::has(condition, ConditionTrait::BeforeServer) && (is_sdk(message) || message == method)
}

impl Sdk {
    /// The SDK's name, for a sentence.
    pub fn name(&self) -> &str {
        &self.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_each_sdk_are_recognised_with_and_without_a_code_before_them() {
        for known in sdks() {
            for words in &known.words {
                assert!(!words.says.is_empty() && !words.examples.is_empty(), "{}", known.name);
                assert!(!words.counter_examples.is_empty(), "{}", words.says);
                for text in &words.examples {
                    for text in [text.clone(), format!("[INVALID_INPUT] {text}")] {
                        assert_eq!(sdk(&text).map(Sdk::name), Some(known.name()), "{text}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_tools_own_words_are_not_taken_for_an_sdks() {
        let words = SDKS.iter().flat_map(|sdk| &sdk.words);
        let others = words.flat_map(|words| &words.counter_examples).map(String::as_str);
        for text in others.chain(["[INVALID_INPUT] 'path' is required", "no path was given"]) {
            assert!(!is_sdk(text), "{text}");
        }
    }
}
