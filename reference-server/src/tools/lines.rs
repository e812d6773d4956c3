//! The two parameters that choose lines of a file, which several tools have.

use crate::failure::{Code, Failure, Quoted};
use crate::parameter::Arguments;

/// First and last line, counted from 1, of a file with this many lines. The last one is at most the file's.
pub(super) fn range(arguments: &Arguments, count: usize, sent: &str) -> Result<(usize, usize), Failure> {
    let line = |name| arguments.integer(name).map(|line| usize::try_from(line).unwrap_or(usize::MAX));
    let first = line("start_line").unwrap_or(1);
    let last = line("end_line").unwrap_or(count.max(first));
    if last < first {
        let what =
            format!("Parameter 'start_line' is {first} and 'end_line' is {last}, so no line is between them");
        return Err(Failure::new(Code::InvalidInput, what).about("start_line").hint(format!(
            "Send an 'end_line' that is not before 'start_line'; the file has {count} lines."
        )));
    }
    if first > count.max(1) {
        let what = format!("Parameter 'start_line' is {first}, and {} has {count} lines", Quoted(sent));
        return Err(Failure::new(Code::InvalidInput, what)
            .about("start_line")
            .hint(format!("Use a line from 1 to {}.", count.max(1))));
    }
    Ok((first, last.min(count)))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    use crate::parameter::Parameter;

    fn check(arguments: Value, expected: Result<(usize, usize), &str>) {
        let Value::Object(arguments) = arguments else { panic!("no object") };
        let lines = r#"[
            {"name": "start_line", "presence": "optional", "kind": {"integer": [1, 10000000]}, "description": ""},
            {"name": "end_line", "presence": "optional", "kind": {"integer": [1, 10000000]}, "description": ""}
        ]"#;
        let lines: Vec<Parameter> = serde_json::from_str(lines).unwrap();
        let arguments = Arguments::checked(arguments, &lines, "tool").unwrap();
        match (range(&arguments, 3, "f"), expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected),
            (Err(failure), Err(words)) => assert!(failure.what.contains(words), "{}", failure.what),
            (found, expected) => panic!("{found:?}, not {expected:?}"),
        }
    }

    #[test]
    fn a_range_ends_with_the_file_and_may_be_left_out() {
        check(json!({}), Ok((1, 3)));
        check(json!({"start_line": 2}), Ok((2, 3)));
        check(json!({"start_line": 2, "end_line": 9}), Ok((2, 3)));
    }

    #[test]
    fn a_range_backwards_or_beyond_the_file_is_refused_with_its_numbers() {
        check(json!({"start_line": 3, "end_line": 1}), Err("'start_line' is 3 and 'end_line' is 1"));
        check(json!({"start_line": 4}), Err("'start_line' is 4, and 'f' has 3 lines"));
    }
}
