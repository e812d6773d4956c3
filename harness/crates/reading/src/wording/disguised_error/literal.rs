//! A dictionary in Python's notation, `{'error': 'no such note', 'ok': False}`, from a server that passes one
//! to `str`.

use serde_json::Value;

/// Reads it as the corresponding JSON; `None` if it is anything else.
pub(super) fn read(text: &str) -> Option<Value> {
    let text = text.trim();
    if !["{'", "{\"", "[{'", "[{\""].iter().any(|opening| text.starts_with(opening)) {
        return None;
    }
    let mut json = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(letter) = rest.next() {
        match letter {
            '\'' | '"' => json.push_str(&Value::String(string(&mut rest, letter)?).to_string()),
            'T' | 'F' | 'N' => {
                let word: String = rest.clone().take_while(char::is_ascii_alphabetic).collect();
                let (python, meant) = [("rue", "true"), ("alse", "false"), ("one", "null")]
                    .into_iter()
                    .find(|(python, _)| word == *python)?;
                rest.nth(python.len() - 1);
                json.push_str(meant);
            }
            _ => json.push(letter),
        }
    }
    serde_json::from_str(&json).ok()
}

/// The rest of a string up to its quotation mark, unescaped.
fn string(rest: &mut std::str::Chars<'_>, mark: char) -> Option<String> {
    let mut text = String::new();
    loop {
        match rest.next()? {
            letter if letter == mark => return Some(text),
            '\\' => match rest.next()? {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                'r' => text.push('\r'),
                'x' => text.push(number(rest, 2)?),
                'u' => text.push(number(rest, 4)?),
                letter => text.push(letter),
            },
            letter => text.push(letter),
        }
    }
}

fn number(rest: &mut std::str::Chars<'_>, digits: usize) -> Option<char> {
    let number: String = rest.by_ref().take(digits).collect();
    u32::from_str_radix(&number, 16).ok().and_then(char::from_u32)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_dictionary_reads_as_the_object_that_was_meant() {
        for (text, meant) in [
            (r"{'error': 'no such note', 'ok': False}", json!({"error": "no such note", "ok": false})),
            (
                r#"{'error': "it's \"x\"\n", 'at': None, 'n': [1, True]}"#,
                json!({"error": "it's \"x\"\n", "at": null, "n": [1, true]}),
            ),
            (r"[{'error': 'caf\xe9 \u4e2d'}]", json!([{"error": "caf\u{e9} \u{4e2d}"}])),
            ("{\"ok\": False}", json!({"ok": false})),
        ] {
            assert_eq!(read(text), Some(meant), "{text}");
        }
        for text in
            ["{'a', 'b'}", "{'at': datetime(1, 2)}", "{'open", "{key: 'value'}", "'text'", "{'a': Nothing}"]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
