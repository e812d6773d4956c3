//! The weights are what the corpus trains.

#[expect(dead_code, reason = "the measure reads more of a text")]
#[path = "../examples/shared/corpus.rs"]
mod corpus;

use std::fs;
use std::path::Path;
use std::thread;

use mcp_errconf_second_reader::{Question, train};

#[test]
fn weights_are_fresh() {
    let texts = corpus::read();
    thread::scope(|scope| {
        for question in Question::ALL {
            let texts = &texts;
            scope.spawn(move || {
                let used = texts.iter().filter(|text| !text.is_set_aside);
                let file = format!("src/weights/{}.bin", question.name());
                let kept = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(&file)).expect("it is there");
                assert!(
                    train(&corpus::lessons(used, question)) == kept,
                    "{file} is not up to date: cargo run -p mcp-errconf-second-reader --example train"
                );
            });
        }
    });
}
