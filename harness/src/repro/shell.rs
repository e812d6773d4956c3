//! A reproduction as a script for any POSIX shell: the JSON-RPC lines, and what to look for in the last reply.

use std::fmt::Write as _;

use serde_json::Value;

use super::suites::comment;
use super::{ALLOWED, Check, Repro};

/// The script; `None` if checking the reply would require parsing JSON.
pub(super) fn script(repro: &Repro) -> Option<String> {
    let last = repro.lines.iter().rev().find_map(|(_, id)| *id)?;
    let wanted = wanted(repro)?;
    let mut text = "#!/bin/sh\n".to_owned();
    text.push_str(&comment(repro, "#", &format!("`sh {}/shell/{}.sh`", repro.start.folder, repro.name)));
    text.push_str("# It exits with 1 while it fails, with 0 once the reply is another one, with 2 where its calls are\n# not allowed, with 3 if there is no reply.\nset -u\n");
    // Writing to a string never fails.
    if let Some(why) = repro.effects.why_guarded() {
        let _ = writeln!(
            text,
            "if [ \"${{{ALLOWED}:-}}\" != 1 ]; then\n    echo \"not run: {why}; set {ALLOWED}=1 where that does no harm\" >&2\n    \
             exit 2\nfi"
        );
    }
    for variable in repro.start.secrets().values() {
        let _ = writeln!(text, ": \"${{{variable}:?its value is a secret: set it}}\"");
    }
    text.push_str(
        "scratch=$(cd \"$(mktemp -d)\" && pwd -P)\nworkspace=$scratch/workspace outside=$scratch/workspace-outside\n\
         mkdir \"$workspace\" \"$outside\"\n",
    );
    for folder in &repro.layout.folders {
        let _ = writeln!(text, "mkdir -p {}", quoted(folder, repro));
    }
    for (path, content) in &repro.layout.files {
        let _ = writeln!(text, "printf %s {} >{}", quoted(content, repro), quoted(path, repro));
    }
    text.push_str("mkfifo \"$scratch/in\" \"$scratch/out\"\n(\n");
    if let Some(cwd) = &repro.start.cwd {
        let _ = writeln!(text, "    cd {} || exit 3", quoted(cwd, repro));
    }
    for (name, value) in &repro.start.env {
        let _ = writeln!(text, "    export {name}={}", quoted(value, repro));
    }
    let command: Vec<String> = repro.start.command.iter().map(|word| quoted(word, repro)).collect();
    let _ =
        writeln!(text, "    exec {}\n) <\"$scratch/in\" >\"$scratch/out\" 2>/dev/null &", command.join(" "));
    text.push_str(BETWEEN);
    for (line, id) in &repro.lines {
        let line = quoted(line, repro);
        let _ = match id {
            Some(id) => writeln!(text, "ask {id} {line}"),
            None => writeln!(text, "printf '%s\\n' {line} >&3"),
        };
    }
    let _ = writeln!(text, "\nprintf 'reply %s: %s\\n' {last} \"$reply\"\n{wanted}");
    Some(text)
}

/// Opens the streams, ends everything at exit, and defines a function that reads the reply to an id into
/// `reply`.
const BETWEEN: &str = r#"server=$!
exec 3>"$scratch/in" 4<"$scratch/out"
(sleep 60; kill "$server") >/dev/null 2>&1 3>&- 4<&- &
watchdog=$!
trap 'kill "$server" "$watchdog" 2>/dev/null; rm -rf "$scratch"' EXIT
trap 'exit 3' PIPE

ask() {
    printf '%s\n' "$2" >&3
    while IFS= read -r reply <&4; do
        case $reply in
            *'"method":'*) ;;
            *"\"id\":$1,"* | *"\"id\":$1}"* | *"\"id\": $1,"* | *"\"id\": $1}"*) return ;;
        esac
    done
    echo "the server ended before it replied" >&2
    exit 3
}

"#;

/// The last lines: a pattern that matches as long as the reply is unchanged.
fn wanted(repro: &Repro) -> Option<String> {
    let fails = |pattern: &str| format!("case $reply in\n    *{pattern}*) exit 1 ;;\nesac\nexit 0");
    match &repro.check {
        Check::Refused => Some(
            "case $reply in\n    *'\"isError\":true'* | *'\"isError\": true'* | *'\"error\":'*) exit 0 ;;\nesac\nexit 1"
                .to_owned(),
        ),
        Check::Absent(part) => {
            let written = Value::from(part.as_str()).to_string();
            let written = &written[1..written.len() - 1];
            repro.reply.contains(written).then(|| fails(&quoted(written, repro)))
        }
        Check::Other(whole) => {
            let written = Value::from(whole.as_str()).to_string();
            repro.reply.contains(&written).then(|| fails(&quoted(&written, repro)))
        }
    }
}

/// A word of the shell, with folders and secrets inserted.
fn quoted(text: &str, repro: &Repro) -> String {
    let mut quoted = format!("'{}'", text.replace('\'', r"'\''"));
    let secrets = repro.start.secrets();
    let secrets = secrets.iter().map(|(token, variable)| (token.as_str(), variable.as_str()));
    for (token, variable) in
        [("{workspace}", "workspace"), ("{outside}", "outside")].into_iter().chain(secrets)
    {
        quoted = quoted.replace(token, &format!("'\"${variable}\"'"));
    }
    // An insertion at the beginning or end leaves an empty pair of quotes.
    let quoted = quoted.strip_prefix("''").unwrap_or(&quoted);
    let quoted = quoted.strip_suffix("''").unwrap_or(quoted);
    if quoted.is_empty() { "''".to_owned() } else { quoted.to_owned() }
}
