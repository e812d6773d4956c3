//! Who worded an error: the tool, or the validation of an MCP SDK before the tool's own code ran.
//!
//! The main type is [`Sdk`]. Each SDK has fixed words of its own; `sdks.toml` has them as data, with the way to take
//! validation over in that SDK.

use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use crate::expression::expression;

/// An MCP SDK that answers bad arguments itself.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sdk {
    name: String,
    way_out: String,
    words: Vec<Words>,
}

/// Words by which an SDK is known.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    #[cfg_attr(not(test), expect(dead_code, reason = "it stands beside the expression for its reader"))]
    says: String,
    /// From the beginning of the text, behind a code in brackets if there is one.
    expression: String,
    /// Texts that they begin.
    #[cfg_attr(not(test), expect(dead_code, reason = "the examples are for the reader and the test"))]
    examples: Vec<String>,
    /// Similar texts that no SDK words.
    #[cfg_attr(not(test), expect(dead_code, reason = "the examples are for the reader and the test"))]
    counter_examples: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[cfg_attr(not(test), expect(dead_code, reason = "it is for the reader and the test"))]
    source: String,
    sdk: Vec<Sdk>,
}

static FILE: LazyLock<File> =
    LazyLock::new(|| toml::from_str(include_str!("sdks.toml")).expect("a test reads the file"));

/// The SDK that worded this text, where one did.
pub fn sdk(text: &str) -> Option<&'static Sdk> {
    static EACH: LazyLock<Vec<(&Sdk, Regex)>> = LazyLock::new(|| {
        let words = FILE.sdk.iter().flat_map(|sdk| sdk.words.iter().map(move |words| (sdk, words)));
        let compiled = words.map(|(sdk, words)| {
            let whole = format!(r"\A(?:\[[A-Z_]+\] )?(?:{})", words.expression);
            (sdk, expression(&whole))
        });
        compiled.collect()
    });
    EACH.iter().find(|(_, words)| words.is_match(text)).map(|(sdk, _)| *sdk)
}

/// Whether an SDK worded this text.
pub fn is_sdk(text: &str) -> bool {
    sdk(text).is_some()
}

impl Sdk {
    /// Its name, for a sentence.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How a server takes the validation of arguments over from it.
    pub fn way_out(&self) -> &str {
        &self.way_out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_each_sdk_are_recognised_with_and_without_a_code_before_them() {
        assert!(!FILE.source.is_empty());
        for known in &FILE.sdk {
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
        let words = FILE.sdk.iter().flat_map(|sdk| &sdk.words);
        let others = words.flat_map(|words| &words.counter_examples).map(String::as_str);
        for text in others.chain(["[INVALID_INPUT] 'path' is required", "no path was given"]) {
            assert!(!is_sdk(text), "{text}");
        }
    }

    #[test]
    fn every_way_out_names_its_sdk() {
        for sdk in &FILE.sdk {
            let name = sdk.name().split(" (").next().unwrap_or_default().trim_start_matches("the ");
            assert!(!name.is_empty() && sdk.way_out().contains(name), "{name}");
        }
    }
}
