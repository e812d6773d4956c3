//! The lines of the fixes that a report leads to. They are parts of the small servers in `book/fixes`, which
//! `.ci/fixes/run` runs; the book has those of every fix.

/// Between these two, each in a comment of its own line, stand the lines.
const MARKS: [&str; 2] = ["the fix:", "the end of the fix"];

/// A fix, the heading of an SDK's advice, and the server with the lines.
const SERVERS: [(&str, &str, &str); 4] = [
    ("validate-yourself", "FastMCP", include_str!("../../../book/fixes/fastmcp/validate_yourself.py")),
    ("validate-yourself", "Python", include_str!("../../../book/fixes/python/validate_yourself.py")),
    ("validate-yourself", "TypeScript", include_str!("../../../book/fixes/typescript/validate_yourself.mjs")),
    ("name-and-advise", "Python", include_str!("../../../book/fixes/python/name_and_advise.py")),
];

/// The lines of a fix for an SDK, indented alike; `None` if this program has none.
pub(super) fn lines(fix: &str, heading: &str) -> Option<String> {
    let (.., server) = SERVERS.iter().find(|(of, sdk, _)| (*of, *sdk) == (fix, heading))?;
    let mut after = server.lines().skip_while(|line| !line.contains(MARKS[0]));
    let first = after.next()?;
    let indent = first.len() - first.trim_start().len();
    let shown = after.take_while(|line| !line.contains(MARKS[1])).map(|line| match line.get(indent..) {
        Some(line) if !line.is_empty() => format!("      {line}\n"),
        _ => "\n".to_owned(),
    });
    Some(shown.collect())
}

#[cfg(test)]
mod tests {
    use mcp_errconf::rules;

    use super::*;

    #[test]
    fn advice_that_was_run_has_its_lines() {
        let advice = rules::fixes().iter().flat_map(|fix| fix.sdk.iter().map(move |sdk| (fix, sdk)));
        // Those for Rust are in another package.
        for (fix, sdk) in advice.filter(|(_, sdk)| !sdk.untested && sdk.heading != "Rust") {
            let lines = lines(&fix.name, &sdk.heading).unwrap_or_default();
            assert!(lines.lines().count() > 2, "{}: {}", fix.name, sdk.heading);
        }
        let middleware = lines("validate-yourself", "FastMCP").unwrap();
        assert!(middleware.starts_with("      import pydantic\n"), "{middleware}");
        assert!(!middleware.contains(MARKS[1]), "{middleware}");
    }
}
