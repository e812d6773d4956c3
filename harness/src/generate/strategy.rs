//! The inputs of probes and campaigns as proptest strategies, for testing servers written in Rust.
//!
//! The main type is [`Inputs`]. It draws and shrinks in the same way as probes and campaigns.

use std::sync::Arc;

use proptest::prelude::any;
use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::Value;

use crate::catalog::Tool;
use crate::class::Class;

use super::generator::{Generator, GeneratorSettings};
use super::input::{Input, Validity};
use super::pool::Pool;
use super::rng::Rng;
use super::tool_files::ToolFiles;

/// How often an input is drawn again that is not of the wanted kind.
const AGAIN: usize = 64;

/// Arguments that a schema allows. Paths lead into `/workspace`.
pub fn valid(schema: &Value) -> Inputs {
    Inputs::of_schema(schema, Wanted::Valid)
}

/// Arguments that differ from valid ones in one or several labelled changes. The [`Validity`] says whether the
/// schema forbids the result. Paths lead into `/workspace`.
pub fn mutated(schema: &Value) -> Inputs {
    Inputs::of_schema(schema, Wanted::Mutated)
}

/// A strategy for the inputs of one tool.
#[derive(Debug, Clone)]
pub struct Inputs {
    generator: Arc<Generator>,
    wanted: Wanted,
}

/// Which inputs are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Valid,
    Mutated,
}

impl Wanted {
    fn takes(self, input: &Input) -> bool {
        match self {
            Self::Valid => input.validity != Validity::Invalid && input.changes.is_empty(),
            Self::Mutated => !input.changes.is_empty(),
        }
    }
}

impl Inputs {
    fn of_schema(schema: &Value, wanted: Wanted) -> Self {
        let tool = Tool { read_only: Some(true), ..Tool::named("", schema.clone()) };
        let tool_files = ToolFiles::at("/workspace");
        let settings = GeneratorSettings::complete(Class::Read, &tool_files);
        Self { generator: Arc::new(Generator::new(&tool, &settings)), wanted }
    }
}

impl Strategy for Inputs {
    type Tree = InputTree;
    type Value = Input;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let mut rng = Rng::seeded(any::<u64>().new_tree(runner)?.current());
        let pool = Pool::default();
        let drawn = (0..AGAIN)
            .map(|_| match self.wanted {
                Wanted::Valid => self.generator.valid(&mut rng, &pool),
                Wanted::Mutated => self.generator.draw(&mut rng, &pool),
            })
            .find(|input| self.wanted.takes(input));
        let kept = drawn.ok_or("the schema lets no such arguments be drawn")?;
        Ok(InputTree { inputs: self.clone(), kept, shown: None, next: 0 })
    }
}

/// An input, and the smaller ones that can replace it.
#[derive(Debug)]
pub struct InputTree {
    inputs: Inputs,
    /// The smallest one so far that still shows the fault.
    kept: Input,
    /// The candidate that is being tried.
    shown: Option<Input>,
    /// How many candidates for the kept one were tried.
    next: usize,
}

impl InputTree {
    fn show_next(&mut self) -> bool {
        let Inputs { generator, wanted } = &self.inputs;
        let mut smaller = generator.simpler(&self.kept).filter(|input| wanted.takes(input));
        self.shown = smaller.nth(self.next);
        self.next += 1;
        self.shown.is_some()
    }
}

impl ValueTree for InputTree {
    type Value = Input;

    fn current(&self) -> Input {
        self.shown.as_ref().unwrap_or(&self.kept).clone()
    }

    fn simplify(&mut self) -> bool {
        if let Some(shown) = self.shown.take() {
            self.kept = shown;
            self.next = 0;
        }
        self.show_next()
    }

    fn complicate(&mut self) -> bool {
        self.show_next()
    }
}

#[cfg(test)]
mod tests {
    use proptest::test_runner::{Config, TestError, TestRunner};
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {"text": {"type": "string"}, "limit": {"type": "integer"}},
            "required": ["text", "limit"]
        })
    }

    /// The smallest input for which the test fails, according to proptest.
    fn smallest(inputs: &Inputs, fails: impl Fn(&Input) -> bool) -> Option<String> {
        let config = Config { cases: 2_000, failure_persistence: None, ..Config::default() };
        let mut runner = TestRunner::new_with_rng(
            config,
            proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
        );
        match runner.run(inputs, |input| {
            proptest::prop_assert!(!fails(&input));
            Ok(())
        }) {
            Err(TestError::Fail(_, input)) => Some(input.arguments),
            _ => None,
        }
    }

    #[test]
    fn proptest_shrinks_to_the_threshold() {
        let above = |input: &Input| {
            input.value().and_then(|value| value["limit"].as_f64()).is_some_and(|limit| limit >= 5_000.0)
        };
        assert_eq!(smallest(&mutated(&schema()), above).as_deref(), Some(r#"{"limit":5000}"#));
        let long = |input: &Input| {
            input
                .value()
                .and_then(|value| Some(value["text"].as_str()?.len()))
                .is_some_and(|length| length >= 3)
        };
        assert_eq!(smallest(&valid(&schema()), long).as_deref(), Some(r#"{"text":"aaa","limit":0}"#));
    }

    #[test]
    fn a_valid_input_stays_valid_while_it_shrinks() {
        assert_eq!(smallest(&valid(&schema()), |input| input.validity != Validity::Valid), None);
        let mut runner = TestRunner::deterministic();
        for _ in 0..50 {
            let mut tree = valid(&schema()).new_tree(&mut runner).unwrap();
            while tree.simplify() {
                assert_eq!(tree.current().validity, Validity::Valid);
            }
        }
    }

    #[test]
    fn a_schema_that_allows_nothing_is_refused() {
        let nothing = json!({"type": "object", "properties": {"a": false}, "required": ["a"]});
        assert!(valid(&nothing).new_tree(&mut TestRunner::deterministic()).is_err());
    }
}
