//! Trains the weights of every question anew.

#[expect(dead_code, reason = "the measure reads more of a text")]
#[path = "shared/corpus.rs"]
mod corpus;

use std::fs;
use std::path::Path;

use mcp_errconf_second_reader::{Question, train};

fn main() {
    let texts = corpus::read();
    for question in Question::ALL {
        let used = texts.iter().filter(|text| !text.is_set_aside);
        let file = format!("src/weights/{}.bin", question.name());
        let weights = train(&corpus::lessons(used, question));
        fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(&file), weights)
            .expect("the file can be written");
        println!("{file}");
    }
}
