//! A page for each contract, from its `contract.toml`.

use std::fmt::Write as _;

use mcp_errconf::condition;
use mcp_errconf::contract::{self, CodeClass, Contract, ReplyForm};

use super::Pages;

pub(super) fn pages() -> Pages {
    let mut made = Pages::new();
    let mut text = String::from(
        "# The contracts\n\nA contract says what an error reply looks like, and which code each condition has. `--contract ID` \
         chooses one; `--contract auto` takes the one whose codes most of the server's replies use. [Writing a \
         contract](../guides/writing-a-contract.md) tells how to describe your own.\n\n| contract | an error reply |\n|---|---|\n",
    );
    for contract in contract::builtin() {
        let default = if contract.id == contract::DEFAULT { ", the default" } else { "" };
        let _ = writeln!(text, "| [{0}]({0}.md){default} | {1} |", contract.id, contract.title);
        made.insert(format!("contracts/{}.md", contract.id), page(contract));
    }
    made.insert("contracts/index.md".to_owned(), text);
    made
}

fn page(contract: &Contract) -> String {
    let mut text = format!("# {}\n\n{}\n\n", contract.id, contract.title);
    let _ = writeln!(
        text,
        "[`contract.toml`](../../../../conformance-cases/contracts/{}/contract.toml) is all of it, as data.\n",
        contract.id
    );
    form(&mut text, contract);
    text.push_str("## Requirements\n\n");
    for (id, sentence) in &contract.requirements {
        let _ = writeln!(text, "- **{id}**: {}", sentence.replace('\n', " "));
    }
    if !contract.codes.is_empty() {
        text.push_str("\n## Codes\n\n| code | when it is sent | what the caller can do |\n|---|---|---|\n");
        for code in &contract.codes {
            let _ = writeln!(text, "| `{}` | {} | {} |", code.name, cell(&code.meaning), class(code.class));
        }
    }
    text.push_str("\n## Conditions\n\nWhy a call fails, and the code that it then has.\n\n| condition | what is wrong | code | also accepted | requirement |\n|---|---|---|---|---|\n");
    for (condition, answer) in &contract.conditions {
        let code = |name: &String| format!("`{name}`");
        let expected = answer.expected.as_ref().map_or("none".to_owned(), code);
        let others: Vec<String> = answer.accepted.iter().chain(&answer.noted).map(code).collect();
        let says = condition::says(&condition.0).unwrap_or_default();
        let _ = writeln!(
            text,
            "| `{condition}` | {} | {expected} | {} | {} |",
            cell(says),
            others.join(", "),
            answer.requirement
        );
    }
    text
}

/// What a reply looks like, with an example.
fn form(text: &mut String, contract: &Contract) {
    let name =
        contract.codes.iter().find(|code| code.class == CodeClass::Input).map_or("", |code| &code.name);
    let message = "No file 'a.txt'. Use list_files to see what there is.";
    let example = match &contract.form {
        ReplyForm::Plain => message.to_owned(),
        form => form.example(name, message),
    };
    let _ = write!(
        text,
        "## What a reply looks like\n\n`isError` is true, and the text is:\n\n```text\n{example}\n```\n\n"
    );
    if let ReplyForm::Json(form) = &contract.form {
        let mut members = vec![("the code", Some(form.code.as_str())), ("the message", Some(&form.message))];
        members.extend(form.hints.iter().map(|hint| ("hints", Some(hint.as_str()))));
        members.push(("whether a retry may help", form.retryable.as_deref()));
        members.push(("an RFC 9457 problem", form.problem.as_deref()));
        text.push_str("| member (JSON Pointer) | what it holds |\n|---|---|\n");
        for (what, pointer) in members {
            if let Some(pointer) = pointer {
                let _ = writeln!(text, "| `{pointer}` | {what} |");
            }
        }
        text.push('\n');
    }
}

fn class(class: CodeClass) -> &'static str {
    match class {
        CodeClass::Input => "fix the call",
        CodeClass::Io => "nothing by the call alone",
        CodeClass::Internal => "nothing: the server is at fault",
        CodeClass::Transient => "the same call later",
    }
}

fn cell(words: &str) -> String {
    words.replace('\n', " ").replace('|', "\\|")
}
