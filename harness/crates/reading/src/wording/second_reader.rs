//! A reply as the trained models read it.
//!
//! The main function is [`read`]; the answers are [`Reading`]'s.

use mcp_errconf_second_reader::{Reading, Sent};
use serde_json::Value;

use crate::catalog::Tool;
use crate::exchange::Call;
use crate::placeholder::Folders;

/// A text of the reply to a call, with what the caller sent masked, and the names and folders that the server knows.
pub fn read(text: &str, call: &Call, tool: Option<&Tool>, folders: &Folders) -> Reading {
    let sent =
        [&folders.outside, &folders.workspace].into_iter().cloned().fold(Sent::default(), Sent::folder);
    let sent = with(sent, &call.arguments);
    let parameters = tool.into_iter().flat_map(Tool::parameters);
    let sent = parameters.fold(sent, |sent, (name, _)| sent.parameter(name));
    Reading::new(text, &call.tool.iter().cloned().fold(sent, Sent::tool))
}

/// The values and names within a value, each as it is and as JSON writes it.
fn with(sent: Sent, value: &Value) -> Sent {
    match value {
        Value::Null => sent,
        Value::Array(items) => items.iter().fold(sent, with),
        Value::Object(members) => {
            members.iter().fold(sent, |sent, (name, value)| with(sent.parameter(name.as_str()), value))
        }
        Value::String(text) => {
            let escaped = value.to_string();
            sent.value(text.as_str()).value(&escaped[1..escaped.len() - 1])
        }
        Value::Bool(_) | Value::Number(_) => sent.value(value.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::read;
    use crate::exchange::Call;
    use crate::placeholder::Folders;

    #[test]
    fn what_the_caller_sent_is_masked() {
        let call = Call {
            method: "tools/call".to_owned(),
            tool: Some("rename".to_owned()),
            arguments: json!({"to": "a \"b\"", "again": [true]}),
            line: String::new(),
        };
        let folders = Folders { workspace: "/srv/w".to_owned(), ..Folders::default() };
        let text = r#"rename: {"to": "a \"b\""} in /srv/w is true"#;
        assert_eq!(
            read(text, &call, None, &folders).text().to_string(),
            r#" T : {" P ": " V "} in /D is  V "#
        );
    }
}
