//! Recognises errors caused by the confinement, which denies writes to other folders and requests to the
//! network.
//!
//! The main functions are [`advice`] and [`at_start`]. How the server handles the denial is still its own
//! responsibility, but while its calls fail for this reason, a campaign tests little else.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::confinement::{Confined, Confinement, DENIED, allowed_by};
use crate::generate::Input;
use crate::pattern;
use crate::placeholder::Folders;
use crate::server::{SERVES_HTTP, UNSTARTED};
use crate::wording::Echo;
use crate::wording::mention::stands_in;

/// Folders that are the same in confinement, so that a missing file there is really missing.
const SEEN: [&str; 13] = [
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu", "/snap",
    "/proc",
];

/// The variable that was withheld from the confined server, if the text of its reply names one; worded as a reason for a case
/// that is not judged.
pub(crate) fn unset(text: &str, arguments: &Value, confined: &Confined) -> Option<String> {
    let is_sent = |name: &str| arguments.to_string().contains(name);
    let name = confined.kept_back.iter().find(|name| stands_in(text, name) && !is_sent(name))?;
    Some(format!("it needed the value of the variable `{name}`, {DENIED} (`--env {name}` passes it on)"))
}

/// What the confinement denied the server, if the text of an error shows an attempt to reach something that no
/// call named; worded as a reason for a case that is not judged.
pub(crate) fn reached(
    text: &str,
    arguments: &Value,
    confined: &Confined,
    folders: &Folders,
) -> Option<String> {
    let sent = [arguments.clone()];
    if pattern!("cause/across-mounts").is_match(text) {
        return Some(
            "it moved something across the boundary of a folder that confinement keeps in place".to_owned(),
        );
    }
    if let Some(folder) = closed_folder(text, &sent, confined, folders) {
        return Some(format!(
            "it needed a file of its own in `{}`, {DENIED} ({})",
            folder.display(),
            allowed_by("write", folder.display())
        ));
    }
    if let Some(path) = hidden(text, &sent, confined, folders) {
        let folder = path.parent().unwrap_or(&path).display();
        return Some(format!("it needed `{}`, {DENIED} ({})", path.display(), allowed_by("read", folder)));
    }
    let named = arguments.to_string();
    if !pattern!("cause/offline").is_match(text) {
        return None;
    }
    let found = pattern!("cause/host").captures(text).and_then(|found| found.iter().skip(1).flatten().next());
    match found.map(|host| host.as_str()) {
        // Local services are unreachable in confinement too, and may have been given on the command line.
        Some(host) if named.contains(host) => None,
        // An address in the call may simply be wrong.
        None if named.contains("://") => None,
        Some(host) => Some(format!("it needed {host}, {DENIED}")),
        None => Some(format!("it needed the network, {DENIED}")),
    }
}

/// Advice for the server's author, if the text of a reply shows that the server was denied something of its
/// own.
pub(crate) fn advice(
    text: &str,
    sent: &[Input],
    confinement: &Confinement,
    folders: &Folders,
) -> Option<String> {
    let Confinement::Confined(confined) = confinement else { return None };
    let values: Vec<Value> = sent.iter().filter_map(Input::value).collect();
    let folder = closed_folder(text, &values, confined, folders);
    folder.map(|folder| no_file(&folder, ", so calls that need it are not really tested")).or_else(|| {
        is_offline(text, sent).then(|| no_network(", so calls that need one are not really tested"))
    })
}

/// Advice for the server's author if no session began with a confined server; `why` ends with what the server
/// wrote.
pub(crate) fn at_start(why: &str, confinement: &Confinement, folders: &Folders) -> Option<String> {
    let Confinement::Confined(confined) = confinement else { return None };
    // The program was looked for without confinement, and what serves HTTP has started.
    if why.starts_with(UNSTARTED) || why.contains(SERVES_HTTP) {
        return None;
    }
    if let Some(folder) = closed_folder(why, &[], confined, folders) {
        return Some(no_file(&folder, ""));
    }
    if let Some(name) = confined.kept_back.iter().find(|name| stands_in(why, name)) {
        return Some(format!(
            "It was confined, and the value of its variable `{name}` was withheld because it looks like a secret: `--env {name}` passes it on."
        ));
    }
    let general = "It was confined: if it starts with `--confine off`, it needs a file elsewhere \
        (`--allow-write FOLDER`), the network, or a variable that looks like a secret (`--env NAME`).";
    Some(if is_offline(why, &[]) { no_network("") } else { general.to_owned() })
}

fn no_file(folder: &Path, so: &str) -> String {
    format!(
        "Confinement denied the server a file of its own in `{0}`{so}: configure the server to keep its \
         files in `{{workspace}}` or, if nothing in that folder can be harmed, add `--allow-write {0}`.",
        folder.display()
    )
}

fn no_network(so: &str) -> String {
    format!(
        "The server has no network while it is confined{so}; if it can do no harm, `--confine off` gives it \
         the network."
    )
}

/// The folder of a file that the server was denied: one that is not open to it, and that no call named.
fn closed_folder(text: &str, sent: &[Value], confined: &Confined, folders: &Folders) -> Option<PathBuf> {
    let text = pattern!("text/boxed").replace_all(text, "");
    if !pattern!("cause/write-denied").is_match(&text) {
        return None;
    }
    let closed = closed_paths(&text, sent, confined, folders).into_iter();
    // If the user may not write there either, the confinement is not the cause.
    closed
        .filter_map(|path| path.parent().filter(|folder| folder.parent().is_some()).map(Path::to_owned))
        .find(|folder| folder.is_dir() && may_be_written(folder))
}

#[cfg(unix)]
fn may_be_written(folder: &Path) -> bool {
    rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).is_ok()
}

/// There is no confinement on this system.
#[cfg(not(unix))]
fn may_be_written(folder: &Path) -> bool {
    folder.metadata().is_ok_and(|found| !found.permissions().readonly())
}

/// A path that exists on this machine but was missing for the server. It must be in the line with the error; a
/// call stack names files that were found.
fn hidden(text: &str, sent: &[Value], confined: &Confined, folders: &Folders) -> Option<PathBuf> {
    text.lines()
        .filter(|line| pattern!("cause/no-file").is_match(line) && !pattern!("text/frame").is_match(line))
        .find_map(|line| hidden_in(line, sent, confined, folders))
}

fn hidden_in(text: &str, sent: &[Value], confined: &Confined, folders: &Folders) -> Option<PathBuf> {
    let is_seen = |path: &Path| SEEN.iter().any(|folder| path.starts_with(folder));
    let is_deep = |path: &PathBuf| path.components().count() > 2 && !is_seen(path);
    closed_paths(text, sent, confined, folders).into_iter().find(|path| is_deep(path) && path.exists())
}

/// The paths in a text that are not open to the server, and that no call named.
fn closed_paths(text: &str, sent: &[Value], confined: &Confined, folders: &Folders) -> Vec<PathBuf> {
    let echoes = Echo::of_values(&Value::from(sent.to_vec()), folders).spans(text);
    let temporary = folders.temporary();
    let open = [&folders.workspace, &folders.outside, &temporary];
    let is_open = |path: &Path| {
        let mut open = open.into_iter().chain(&confined.allow_write).filter(|folder| !folder.is_empty());
        open.any(|folder| path.starts_with(folder))
    };
    let own = pattern!("text/absolute-path")
        .captures_iter(text)
        .filter_map(|found| found.get(1).or(found.get(2)))
        .filter(|found| !echoes.iter().any(|echo| echo.start < found.end() && found.start() < echo.end));
    own.map(|found| Path::new(found.as_str())).filter(|path| !is_open(path)).map(Path::to_owned).collect()
}

/// Whether the server found no network, and no call contained an address that could have been wrong.
fn is_offline(text: &str, sent: &[Input]) -> bool {
    pattern!("cause/offline").is_match(text) && !sent.iter().any(|input| input.arguments.contains("://"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::confinement::{Home, Network};
    use crate::generate::Validity;

    use super::*;

    fn confined(allow_write: &[&str]) -> Confined {
        Confined {
            network: Network::Namespace,
            home: Home::Hidden,
            allow_read: Vec::new(),
            allow_write: allow_write.iter().map(|folder| (*folder).to_owned()).collect(),
            kept_back: Vec::new(),
            in_workspace: false,
        }
    }

    /// What is advised after a reply with this text to a call with these arguments.
    fn advised(text: &str, sent: &Value, confinement: &Confinement, folders: &Folders) -> Option<String> {
        let sent = Input { arguments: sent.to_string(), changes: Vec::new(), validity: Validity::Valid };
        advice(text, &[sent], confinement, folders)
    }

    #[test]
    fn a_refused_file_of_the_servers_own_is_reported_with_the_way_out() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let (own, workspace) = (home.path().join("its own"), home.path().join("workspace"));
        for folder in [&own, &workspace] {
            std::fs::create_dir(folder).expect("it is made");
        }
        let (own, workspace) = (own.to_str().expect("UTF-8"), workspace.to_str().expect("UTF-8"));
        let folders = Folders { workspace: workspace.into(), ..Folders::default() };
        let check =
            |text: &str, sent: &Value, confinement: &Confinement| advised(text, sent, confinement, &folders);
        let call = &json!({"note": "x"});
        let [closed, open] = [&[][..], &[own]].map(|folders| Confinement::Confined(confined(folders)));
        let option = format!("--allow-write {own}`");
        for refusal in [
            format!("EACCES: permission denied, open '{own}/notes.db.tmp'"),
            format!("[Errno 13] Permission denied: '{own}/notes.db'"),
            format!("Access to the path '{own}/notes.db' is denied."),
        ] {
            let advice = check(&refusal, call, &closed);
            assert!(advice.as_ref().is_some_and(|advice| advice.contains(&option)), "{refusal}: {advice:?}");
            assert_eq!(check(&refusal, call, &Confinement::Off), None, "nothing was refused");
            assert_eq!(check(&refusal, call, &open), None, "it is open");
            let named = json!({"path": format!("{own}/notes.db")});
            assert_eq!(check(&refusal, &named, &closed), None, "the call asked for it");
        }
        // Without quotation marks a path ends at a space.
        let option = format!("--allow-write {}`", home.path().display());
        for refusal in [
            format!("open {workspace}2: permission denied"),
            format!("java.io.FileNotFoundException: {workspace}2 (Permission denied)"),
        ] {
            let advice = check(&refusal, call, &closed);
            assert!(advice.as_ref().is_some_and(|advice| advice.contains(&option)), "{refusal}: {advice:?}");
        }
        for other in [
            format!("ENOENT: no such file or directory, open '{own}/notes.db'"),
            format!("EACCES: permission denied, open '{workspace}/notes.db'"),
            format!("EACCES: permission denied, open '{own}/nowhere/notes.db'"),
            "EACCES: permission denied, open '/notes.db'".to_owned(),
            // The files of a call stack in a box.
            format!(
                "[Errno 30] Read-only file system: '/absent'\n   \u{2502} {own}/si \u{2502}\n   \u{2502} te.py:40 in save \u{2502}"
            ),
        ] {
            assert_eq!(check(&other, call, &closed), None, "{other}");
        }
    }

    #[test]
    fn a_request_that_found_no_network_is_reported_where_no_call_gave_the_address() {
        let confined = Confinement::Confined(confined(&[]));
        let check = |text: &str, sent: Value, confinement: &Confinement| {
            advised(text, &sent, confinement, &Folders::default())
        };
        for refusal in [
            "fetch failed",
            "getaddrinfo EAI_AGAIN api.example.org",
            "[Errno -3] Temporary failure in name resolution",
            "dial tcp: lookup api.example.org on 127.0.0.53:53: no such host",
            "java.net.UnknownHostException: api.example.org",
            "error sending request for url (https://api.example.org/)",
        ] {
            let advice = check(refusal, json!({"city": "x"}), &confined);
            assert!(advice.is_some_and(|advice| advice.contains("`--confine off`")), "{refusal}");
            assert_eq!(check(refusal, json!({"city": "x"}), &Confinement::Off), None, "it has its network");
            let named = json!({"url": "http://127.0.0.1:9/x"});
            assert_eq!(check(refusal, named, &confined), None, "nothing may be there");
        }
        for other in ["the fetch of the file failed", "Git fetch failed: Exit Code: 128"] {
            assert_eq!(check(other, json!({}), &confined), None, "{other}");
        }
    }

    #[test]
    fn a_confined_server_that_does_not_start_is_reported_with_what_it_may_lack() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let own = home.path().display().to_string();
        let confined = Confinement::Confined(confined(&[]));
        let check = |why: &str, advice: &str| {
            let text = at_start(why, &confined, &Folders::default());
            assert!(text.as_ref().is_some_and(|text| text.contains(advice)), "{why}: {text:?}");
            assert_eq!(at_start(why, &Confinement::Off, &Folders::default()), None);
        };
        check(&format!("PermissionError: [Errno 13] Permission denied: '{own}/notes.db'"), &own);
        check("TypeError: fetch failed", "has no network");
        check("it ended before answering `initialize`: exit status 1", "`--confine off`");
    }

    #[test]
    fn what_the_confinement_denies_a_server_is_reported_with_what_opens_it_and_what_a_call_named_is_not() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let own = home.path().join("own.json").display().to_string();
        std::fs::write(&own, "x").expect("it is written");
        let check = |text: &str, sent: Value| reached(text, &sent, &confined(&[]), &Folders::default());
        let hidden = format!("ENOENT: no such file or directory, open '{own}'");
        let text = check(&hidden, json!({"note": "x"}));
        assert!(text.is_some_and(|text| text.contains("--allow-read") && text.contains(&own)));
        assert_eq!(check(&hidden, json!({ "path": own })), None, "the call asked for it");
        let seen = "spawn /bin/sh ENOENT";
        assert_eq!(check(seen, json!({"workdir": "x"})), None, "it is there: something else is missing");
        let missing = "ENOENT: no such file or directory, open '/no/such/file'";
        assert_eq!(check(missing, json!({})), None, "it is nowhere");
        for frame in [
            format!("    at open (file://{own}:3:7): ENOENT: no such file or directory"),
            format!("  File \"{own}\", line 1013, in stat: not found"),
            format!("no-such-file does not exist\n    at main ({own}:10:2)"),
        ] {
            assert_eq!(check(&frame, json!({"note": "x"})), None, "{frame}: it runs from there");
        }
        let offline =
            "request to https://api.example.org/v1 failed, reason: getaddrinfo EAI_AGAIN api.example.org";
        assert!(check(offline, json!({"city": "x"})).is_some_and(|text| text.contains("api.example.org")));
        assert_eq!(check(offline, json!({"url": "https://api.example.org/v1"})), None, "the call named it");
        let elsewhere = "getaddrinfo EAI_AGAIN www.example.org";
        assert!(check(elsewhere, json!({"url": "https://api.example.org/v1"})).is_some(), "it named another");
        assert!(check("EXDEV: cross-device link not permitted, rename '/w' -> '/w/x'", json!({})).is_some());
        assert_eq!(check("title must not be empty", json!({"title": ""})), None);
    }
}
