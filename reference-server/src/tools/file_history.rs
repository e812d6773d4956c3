//! `file_history`: the commits that changed a file.

use serde_json::{Value, json};

use super::{Outcome, Session};
use crate::cause::Operation;
use crate::file;
use crate::git::Repository;
use crate::parameter::Arguments;
use crate::success::Success;

const DEFAULT: u64 = 50;
/// Between the fields of a commit: no name and no summary holds it.
const SEPARATOR: char = '\u{1f}';

pub(super) fn run(session: &Session, arguments: &Arguments) -> Outcome {
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
