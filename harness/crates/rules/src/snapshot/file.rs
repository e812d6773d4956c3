//! Snapshot files in the format of insta 1.49: a YAML header between two `---`, and the text.
//!
//! A file that this program wrote, or that `cargo insta accept` wrote from one, has `case` and `tool` in the
//! header's `info`; any other snapshot in the folder is foreign.

use super::ErrorText;

/// A snapshot file of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotFile {
    /// The id of the case.
    pub case: String,
    /// The tool.
    pub tool: String,
    /// The text.
    pub text: String,
}

/// The contents of a text's file. Values in the header are escaped.
pub fn render(taken: &ErrorText) -> String {
    let mut file = String::from("---\n");
    for (key, value) in [("description", &taken.title), ("expression", &taken.call)] {
        if !value.is_empty() {
            file.push_str(&format!("{key}: {}\n", scalar(value)));
        }
    }
    file.push_str(&format!("info:\n  case: {}\n  tool: {}\n", scalar(&taken.case.0), scalar(&taken.tool)));
    file.push_str(&format!("---\n{}\n", taken.text));
    file
}

/// Parses a file; `None` if it is not ours.
pub fn parse(file: &str) -> Option<SnapshotFile> {
    let file = file.replace("\r\n", "\n");
    let (header, text) = file.strip_prefix("---\n")?.split_once("\n---\n").or_else(|| {
        // An empty text has nothing after the header.
        Some((file.strip_prefix("---\n")?.strip_suffix("\n---")?, ""))
    })?;
    let mut info = header.lines().skip_while(|line| *line != "info:").skip(1);
    let member = |line: Option<&str>, key: &str| {
        value(line?.strip_prefix("  ")?.strip_prefix(key)?.strip_prefix(": ")?)
    };
    Some(SnapshotFile {
        case: member(info.next(), "case")?,
        tool: member(info.next(), "tool")?,
        // As in insta, trailing white space does not count.
        text: text.trim_end().to_owned(),
    })
}

/// The value of a scalar as insta writes it: plain, or in double quotes with JSON's escapes.
fn value(scalar: &str) -> Option<String> {
    match scalar.starts_with('"') {
        true => serde_json::from_str(scalar).ok(),
        false => Some(scalar.to_owned()),
    }
}

/// A string in YAML, quoted exactly when insta quotes it, so that an accepted file is the same whoever accepts
/// it.
fn scalar(text: &str) -> String {
    if !needs_quotes(text) {
        return text.to_owned();
    }
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn needs_quotes(text: &str) -> bool {
    const WORDS: [&str; 22] = [
        "yes", "Yes", "YES", "no", "No", "NO", "True", "TRUE", "true", "False", "FALSE", "false", "on", "On",
        "ON", "off", "Off", "OFF", "null", "Null", "NULL", "~",
    ];
    text.is_empty()
        || text.starts_with([' ', '&', '*', '?', '|', '-', '<', '>', '=', '!', '%', '@', '.'])
        || text.ends_with(' ')
        || text.contains([':', '{', '}', '[', ']', ',', '#', '`', '"', '\'', '\\'])
        || text.starts_with("0x")
        || WORDS.contains(&text)
        || text.parse::<i64>().is_ok()
        || text.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    use crate::condition::CaseId;
    use crate::escape;

    fn taken(case: &str, tool: &str, title: &str, text: &str) -> ErrorText {
        ErrorText {
            exchange: 0,
            case: CaseId(escape::line(case)),
            tool: escape::line(tool),
            text: format!("code: none\n\n{}", text.trim_end()).trim_end().to_owned(),
            title: escape::line(title),
            call: escape::line(&format!("{tool} {{}}")),
        }
    }

    #[test]
    fn a_file_is_a_header_and_the_text() {
        insta::assert_snapshot!(render(&taken(
            "read/missing",
            "view",
            "A file that is not there",
            "It is not there."
        )));
    }

    #[test]
    fn a_snapshot_of_somebody_else_is_not_ours() {
        for file in
            ["", "---\n---\n", "---\nsource: a.rs\n---\nx\n", "---\ninfo:\n  tool: x\n---\ny\n", "plain"]
        {
            assert_eq!(parse(file), None, "{file}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(case in ".{0,20}", tool in ".{0,20}", title in ".{0,20}", text in "(?s)[ -~\n]{0,60}") {
            let taken = taken(&case, &tool, &title, &text);
            let content = SnapshotFile { case: taken.case.0.clone(), tool: taken.tool.clone(), text: taken.text.clone() };
            prop_assert_eq!(parse(&render(&taken)), Some(content));
        }

        /// Insta reads the file and writes it again, as `cargo insta accept` does: not a byte may differ.
        #[test]
        fn insta_writes_the_same_bytes(
            case in "[ -~é]{0,20}|yes|~|1e5|0x1|- a|\\.x|true",
            tool in "[ -~é]{0,20}|null|-1|=",
            title in "[ -~é]{0,30}",
            text in "(?s)[ -~\n]{0,60}",
        ) {
            let folder = tempfile::tempdir().expect("a folder");
            let (ours, theirs) = (folder.path().join("a@b.snap"), folder.path().join("c@d.snap"));
            let written = render(&taken(&case, &tool, &title, &text));
            std::fs::write(&ours, &written).expect("it is written");
            let read = insta::Snapshot::from_file(&ours).expect("insta reads it");
            read.save(&theirs).expect("insta writes it");
            prop_assert_eq!(std::fs::read_to_string(&theirs).expect("it is there"), written);
        }
    }
}
