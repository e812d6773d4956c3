//! What the models that are kept say of texts.

use mcp_errconf_second_reader::{Question, Reading, Sent};

#[test]
fn each_model_tells_a_plain_yes_from_a_plain_no() {
    for (question, yes, no) in [
        (Question::Leak, "thread 'main' panicked at src/main.rs:3:5", "`count` must be from 1 to 20."),
        (Question::NoHint, "Order not found", "`count` must be an integer from 1 to 20"),
        (Question::Vague, "Something went wrong.", "`count` must be an integer from 1 to 20"),
        (Question::Failure, "Error: no such file", "{\"items\": [{\"id\": 4, \"name\": \"lamp\"}]}"),
    ] {
        let probability = |text: &str| Reading::new(text, &Sent::default()).probability(question);
        let (yes, no) = (probability(yes), probability(no));
        assert!(yes > 0.5 && no < 0.5, "{}: {yes} and {no}", question.name());
    }
}

#[test]
fn the_strongest_passages_are_told_and_do_not_overlap() {
    let text = "Rows of orders: thread 'main' panicked at src/main.rs:3:5";
    let marks = Reading::new(text, &Sent::default().value("orders")).explain(Question::Leak, 3);
    let passages: Vec<&str> = marks.iter().map(|mark| &text[mark.span.clone()]).collect();
    assert_eq!(marks.len(), 3);
    assert!(
        passages.iter().any(|passage| "thread 'main' panicked at src/main.rs:3:5".contains(passage)),
        "{passages:?}"
    );
    assert!(marks.is_sorted_by(|one, other| one.weight.abs() >= other.weight.abs()));
    let apart = |one: usize, other: usize| {
        marks[one].span.end <= marks[other].span.start || marks[other].span.end <= marks[one].span.start
    };
    assert!(apart(0, 1) && apart(0, 2) && apart(1, 2), "{passages:?}");
}
