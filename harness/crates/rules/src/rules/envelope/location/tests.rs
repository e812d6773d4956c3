//! Paths, indexes and backups that are reported rightly, wrongly or not at all.

use serde_json::json;

use super::*;
use crate::rules::envelope::edits::tests::{failure, fixture};

#[test]
fn of_a_call_without_a_list_of_edits_the_path_that_the_tool_takes_counts() {
    let reported = |tool: &str, arguments: Value, reply: Value| {
        let mut fixture = fixture(&reply, failure("match-not-found", None));
        fixture.exchange.call.tool = Some(tool.to_owned());
        fixture.exchange.call.arguments = arguments;
        fixture.head.catalog.tools.iter_mut().filter(|other| other.name == tool).for_each(|tool| {
            tool.description = "Replaces a text in a file.".into();
        });
        fixture.head.bindings = crate::roles::bind(&fixture.head.catalog);
        check(&fixture.context()).into_iter().map(|diagnostic| diagnostic.message).collect::<Vec<_>>()
    };
    let replace = json!({"path": "/workspace/a.txt", "old_str": "a", "new_str": "b"});
    assert_eq!(
        reported("str_replace", replace.clone(), json!({"file_path": "/workspace/a.txt"})),
        [] as [String; 0]
    );
    assert!(
        reported("str_replace", replace.clone(), json!({}))[0]
            .contains("the error is about `/workspace/a.txt`")
    );
    let relative = json!({"path": "a.txt", "old_str": "a", "new_str": "b"});
    assert_eq!(
        reported("str_replace", relative, json!({"file_path": "/workspace/a.txt"})),
        [] as [String; 0]
    );
    // An `edits` that is not a list names no edit, but the file is still named.
    let unlisted = |path: &str| json!({"file_path": path, "edits": "x"});
    assert_eq!(
        reported("multi_edit", unlisted("/workspace/a.txt"), json!({"file_path": "/workspace/b.txt"})).len(),
        1
    );
    assert_eq!(reported("multi_edit", unlisted(""), json!({})), [] as [String; 0]);
    assert_eq!(reported("multi_edit", unlisted("/"), json!({"file_path": "/"})), [] as [String; 0]);
    // A search is about anything below its path.
    let search = json!({"pattern": "a", "path": "/workspace"});
    assert_eq!(reported("grep", search, json!({"file_path": "/workspace/b.txt"})), [] as [String; 0]);
}
