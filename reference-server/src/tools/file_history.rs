//! `file_history`: the commits that changed a file.

use serde_json::{Value, json};

use super::{Effect, Outcome, Run, Session, TEXT, Tool};
use crate::cause::Operation;
use crate::file;
use crate::git::Repository;
use crate::parameter::{Arguments, Kind, Parameter};
use crate::success::{Holds, Success, field};

const MOST: i64 = 1_000;
const DEFAULT: u64 = 50;
/// Between the fields of a commit: no name and no summary holds it.
const SEPARATOR: char = '\u{1f}';

pub(super) static TOOL: Tool = Tool {
    name: "file_history",
    title: "History of a file",
    description: "Lists the git commits that changed a file, the latest first.",
    parameters: &[
        Parameter::required("path", TEXT, "The file, absolute or relative to the working directory."),
        Parameter::optional("limit", Kind::Integer(1, MOST), "The most commits to return; 50 if left out."),
    ],
    result: &[field(
        "commits",
        Holds::Items(&[
            field("commit", Holds::Text, "The commit's id."),
            field("author", Holds::Text, "Who wrote it."),
            field("date", Holds::Text, "When, as ISO 8601 has it."),
            field("summary", Holds::Text, "The first line of its message."),
        ]),
        "The commits, the latest first.",
    )],
    effect: Effect::Reads,
    run: Run::Blocking(run),
};

fn run(session: &Session, arguments: &Arguments) -> Outcome {
    let sent = arguments.required("path");
    let path = session.limits.scope.resolve(sent)?;
    file::regular(&file::look_at(&path, sent, Operation::Read)?, sent, Operation::Read)?;
    let repository = Repository::around(&path, sent, &session.limits.scope)?;
    let limit = arguments.integer("limit").unwrap_or(DEFAULT);
    let format = ["%H", "%an", "%aI", "%s"].join(&SEPARATOR.to_string());
    let options =
        [format!("--max-count={limit}"), "--no-show-signature".to_owned(), format!("--format={format}")];
    let printed = repository.run("log", &options, sent)?;
    let commits: Vec<Value> = printed.lines().filter_map(commit).collect();
    let text = match commits.is_empty() {
        true => "No commit has the file.".to_owned(),
        false => printed.replace(SEPARATOR, " ").trim_end().to_owned(),
    };
    Ok(Success::new(text).with("commits", commits))
}

fn commit(line: &str) -> Option<Value> {
    let mut fields = line.splitn(4, SEPARATOR);
    let mut next = || fields.next();
    Some(json!({"commit": next()?, "author": next()?, "date": next()?, "summary": next()?}))
}
