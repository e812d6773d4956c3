//! Messages that say what to change in a call, and ones that do not.

use super::*;

use proptest::prelude::*;
use serde_json::json;

use crate::placeholder::Folders;

fn hints(text: &str) -> bool {
    let echo =
        Echo::of_values(&json!({"path": "/workspace/must/try.txt", "old_str": "green"}), &Folders::default());
    let arguments = json!({"path": "/workspace/must/try.txt", "old_str": "green"});
    let asked = Asked {
        echo: &echo,
        arguments: &arguments,
        tool: "view",
        parameters: &["path", "old_str"],
        schemas: &[],
        wrong: &[],
        required: &[],
        tools: &["view", "grep", "list_tasks"],
        workspace: "/workspace",
        condition: "",
    };
    gives_hint(text, &asked)
}

/// Calls `read` for a call with these arguments.
pub(super) fn asked<T>(arguments: &Value, read: impl FnOnce(&Asked<'_>) -> T) -> T {
    asked_under("", arguments, read)
}

/// Like [`asked`], with the condition for which the call must fail.
pub(super) fn asked_under<T>(condition: &str, arguments: &Value, read: impl FnOnce(&Asked<'_>) -> T) -> T {
    let echo = Echo::of_values(arguments, &Folders::default());
    let names = ["path", "old_str"]
        .into_iter()
        .chain(arguments.as_object().into_iter().flatten().map(|(name, _)| name.as_str()));
    let parameters: Vec<&str> = names.collect();
    read(&Asked {
        echo: &echo,
        arguments,
        tool: "view",
        parameters: &parameters,
        schemas: &[],
        wrong: &[],
        required: &[],
        tools: &["view", "grep", "list_tasks"],
        workspace: "/workspace",
        condition,
    })
}

#[test]
fn every_block_has_a_hit_and_a_miss_and_each_is_what_it_says() {
    for sign in sign::all() {
        assert!(!sign.says.is_empty() && !sign.source.is_empty(), "{}", sign.id);
        assert!(!sign.examples.is_empty() && !sign.counter_examples.is_empty(), "{}", sign.id);
        let call = sign.call.as_deref().map_or(json!({"path": "/x/nowhere", "old_str": "green"}), |call| {
            serde_json::from_str(call).expect("the call is JSON")
        });
        asked(&call, |asked| {
            for text in &sign.examples {
                assert!(signs(text, asked).contains(sign.id.as_str()), "{}: {text}", sign.id);
                assert!(gives_hint(text, asked), "{}: {text}", sign.id);
            }
            for text in &sign.counter_examples {
                assert_eq!(signs(text, asked), BTreeSet::new(), "{}: {text}", sign.id);
            }
        });
    }
}

#[test]
fn every_sign_has_an_expression_or_is_looked_for() {
    for sign in sign::all() {
        let looked_for = LOOKED_FOR.iter().any(|(id, _)| *id == sign.id) || sign.id == "member";
        assert_ne!(sign.expression.is_some(), looked_for, "{}", sign.id);
    }
}

#[test]
fn what_is_left_out_is_left_out_whole_and_nothing_like_it_is() {
    for (id, block) in sign::cuts() {
        assert!(
            !block.says.is_empty() && !block.examples.is_empty() && !block.counter_examples.is_empty(),
            "{id}"
        );
        let left = |text: &str| sign::cut(id).replace_all(text, "").into_owned();
        for text in &block.examples {
            assert_ne!(left(text), *text, "{id}");
        }
        for text in &block.counter_examples {
            assert_eq!(left(text), *text, "{id}");
        }
    }
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in "(?s).{0,80}") {
        hints(&text);
        hints(&format!("{text}: must be {text}"));
    }
}
