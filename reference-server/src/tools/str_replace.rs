//! `str_replace`: replaces a piece of text in a file, exactly as it stands there.

use std::path::Path;

use super::{Outcome, Session};
use crate::context::Context;
use crate::failure::{Code, Failure, Quoted};
use crate::file;
use crate::parameter::Arguments;
use crate::success::Success;

pub(super) fn run(session: &Session, arguments: &Arguments) -> Outcome {
    let sent = arguments.required("path");
    let path = session.limits.scope.resolve(sent)?;
    let text = file::read(&path, sent, session.limits.file_size)?;
    let (old, new) = (arguments.required("old_str"), arguments.required("new_str"));
    let count = text.matches(old).count();
    match count {
        0 => return Err(not_found(sent, old, &text)),
        1 => {}
        _ if arguments.flag("replace_all") => {}
        _ => return Err(ambiguous(sent, old, &text, count)),
    }
    let replaced = text.replace(old, new);
    file::within_content(&replaced, sent, session.limits.file_size)?;
    file::write(&path, sent, &replaced)?;
    let occurrences = if count == 1 { "occurrence" } else { "occurrences" };
    Ok(Success::new(format!("Replaced {count} {occurrences} in {sent}."))
        .with("path", sent)
        .with("replaced", count))
}

fn not_found(sent: &str, old: &str, text: &str) -> Failure {
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let only_spaces_differ = !old.trim().is_empty() && squeezed(text).contains(&squeezed(old));
    Failure::new(Code::StrReplaceNotFound, format!("The text {} is not in {}", Quoted(old), Quoted(sent)))
        .about(old)
        .showing(Context::near(old, text))
        .hint(if only_spaces_differ {
            "It is there with other whitespace: call view and copy 'old_str' exactly, with tabs and line ends."
        } else {
            "Call view to see the file, and copy 'old_str' from it exactly."
        })
}

fn ambiguous(sent: &str, old: &str, text: &str, count: usize) -> Failure {
    Failure::new(
        Code::StrReplaceAmbiguous,
        format!("The text {} occurs {count} times in {}", Quoted(old), Quoted(sent)),
    )
    .about(count.to_string())
    .showing(Context::places_of(old, text))
    .hint(
        "Add \"replace_all\": true to replace every one, or lengthen 'old_str' by lines around it until it is \
         unique.",
    )
}

/// Replaces the first of several occurrences, which the tool itself never does.
pub(crate) fn replace_first(path: &Path, sent: &str, old: &str, new: &str) -> Result<(), Failure> {
    let text = file::read(path, sent, u64::MAX)?;
    file::write(path, sent, &text.replacen(old, new, 1)).map(|_| ())
}
