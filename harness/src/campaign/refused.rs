//! Whether an error is the confinement's doing: a server that keeps its files elsewhere is refused each of its writes, and
//! one that asks a service each of its requests.
//!
//! The main function is [`advice`]. What the server makes of the refusal is its own fault all the same; but as long as its
//! calls fail for this reason, a campaign tries little else.

use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;
use rustix::fs::{Access, access};

use crate::confinement::{Confined, Confinement};
use crate::generate::Input;
use crate::transcript::Folders;
use crate::wording::Echo;

/// What languages make of the error of a write that Landlock refuses.
static REFUSAL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new("EACCES|(?i)permission ?(?:was )?denied|access to the path .{1,4096} is denied")
        .expect("the expression is well-formed")
});
/// What languages make of the error of a request where there is no network.
static OFFLINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        "ENETUNREACH|ENOTFOUND|EAI_AGAIN|UnknownHostException|\\bdial (?:tcp|udp)\\b|(?i)\\bfetch failed|network is unreachable\
         |no route to host|\\bname resolution|name or service not known|\\bdns error|error sending request for url\
         |all connection attempts failed|cannot connect to host|max retries exceeded with url",
    )
    .expect("the expression is well-formed")
});
/// A path that leads from the root: between quotation marks it may hold blanks.
static PATH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"['"`](/[^'"`\n]+)['"`]|(?:^|[\s(=:])(/[^\s'"`(),:;]+)"#)
        .expect("the expression is well-formed")
});

/// What the server's author may do, where the text of a reply shows that the server was refused something of its own.
pub(super) fn advice(
    text: &str,
    sent: &[Input],
    confinement: &Confinement,
    folders: &Folders,
) -> Option<String> {
    let Confinement::Confined(confined) = confinement else { return None };
    no_file(text, sent, confined, folders).or_else(|| no_network(text, sent))
}

/// It was refused a file: it lies in a folder that is not open to it, and no call named it.
fn no_file(text: &str, sent: &[Input], confined: &Confined, folders: &Folders) -> Option<String> {
    if !REFUSAL.is_match(text) {
        return None;
    }
    let values = sent.iter().filter_map(Input::value).collect();
    let echoes = Echo::of_values(&values, folders).spans(text);
    let temporary = folders.temporary();
    let open = [&folders.workspace, &folders.outside, &temporary];
    let is_open = |path: &Path| {
        let mut open = open.into_iter().chain(&confined.allow_write).filter(|folder| !folder.is_empty());
        open.any(|folder| path.starts_with(folder))
    };
    let own = PATH
        .captures_iter(text)
        .filter_map(|found| found.get(1).or(found.get(2)))
        .filter(|found| !echoes.iter().any(|echo| echo.start < found.end() && found.start() < echo.end));
    let folder = own
        .map(|found| Path::new(found.as_str()))
        .filter(|path| !is_open(path))
        // What whoever runs this may not write either, the confinement did not refuse.
        .filter_map(|path| path.parent().filter(|folder| folder.parent().is_some()))
        .find(|folder| folder.is_dir() && access(*folder, Access::WRITE_OK).is_ok())?;
    Some(format!(
        "The confinement refused the server a file of its own in `{0}`, and calls that need it are not tried in earnest: tell \
         the server to keep its files below `{{workspace}}`, or, where nothing in that folder can come to harm, add \
         `--allow-write {0}`.",
        folder.display()
    ))
}

/// It found no network, and no call held an address that may have been a wrong one.
fn no_network(text: &str, sent: &[Input]) -> Option<String> {
    let holds_address = sent.iter().any(|input| input.arguments.contains("://"));
    (OFFLINE.is_match(text) && !holds_address).then(|| {
        "The server has no network while it is confined, and calls that need one are not tried in earnest; where nothing can \
         come to harm, `--confine off` leaves it the network."
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::confinement::Network;
    use crate::generate::Standing;

    use super::*;

    #[test]
    fn a_refused_file_of_the_servers_own_is_told_with_the_way_out() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let (own, workspace) = (home.path().join("its own"), home.path().join("workspace"));
        for folder in [&own, &workspace] {
            std::fs::create_dir(folder).expect("it is made");
        }
        let (own, workspace) = (own.to_str().expect("UTF-8"), workspace.to_str().expect("UTF-8"));
        let folders = Folders { workspace: workspace.into(), ..Folders::default() };
        let confined = |allow_write: &[&str]| {
            Confinement::Confined(Confined {
                network: Network::Ports,
                allow_write: allow_write.iter().map(|folder| (*folder).to_owned()).collect(),
                kept_back: Vec::new(),
            })
        };
        let check = |text: &str, sent: Value, confinement: &Confinement| {
            let sent = Input { arguments: sent.to_string(), changes: Vec::new(), standing: Standing::Valid };
            advice(text, &[sent], confinement, &folders)
        };
        let (call, closed) = (json!({"note": "x"}), confined(&[]));
        let told = format!("--allow-write {own}`");
        for refusal in [
            format!("EACCES: permission denied, open '{own}/notes.db.tmp'"),
            format!("[Errno 13] Permission denied: '{own}/notes.db'"),
            format!("Access to the path '{own}/notes.db' is denied."),
        ] {
            let advice = check(&refusal, call.clone(), &closed);
            assert!(advice.as_ref().is_some_and(|advice| advice.contains(&told)), "{refusal}: {advice:?}");
            assert_eq!(check(&refusal, call.clone(), &Confinement::Off), None, "nothing was refused");
            assert_eq!(check(&refusal, call.clone(), &confined(&[own])), None, "it is open");
            let named = json!({"path": format!("{own}/notes.db")});
            assert_eq!(check(&refusal, named, &closed), None, "the call asked for it");
        }
        // Without quotation marks a path ends at a blank.
        let told = format!("--allow-write {}`", home.path().display());
        for refusal in [
            format!("open {workspace}2: permission denied"),
            format!("java.io.FileNotFoundException: {workspace}2 (Permission denied)"),
        ] {
            let advice = check(&refusal, call.clone(), &closed);
            assert!(advice.as_ref().is_some_and(|advice| advice.contains(&told)), "{refusal}: {advice:?}");
        }
        for other in [
            format!("ENOENT: no such file or directory, open '{own}/notes.db'"),
            format!("EACCES: permission denied, open '{workspace}/notes.db'"),
            format!("EACCES: permission denied, open '{own}/nowhere/notes.db'"),
            "EACCES: permission denied, open '/notes.db'".to_owned(),
        ] {
            assert_eq!(check(&other, call.clone(), &closed), None, "{other}");
        }
    }

    #[test]
    fn a_request_that_found_no_network_is_told_where_no_call_gave_the_address() {
        let confined = Confinement::Confined(Confined {
            network: Network::Namespace,
            allow_write: Vec::new(),
            kept_back: Vec::new(),
        });
        let check = |text: &str, sent: Value, confinement: &Confinement| {
            let sent = Input { arguments: sent.to_string(), changes: Vec::new(), standing: Standing::Valid };
            advice(text, &[sent], confinement, &Folders::default())
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
        assert_eq!(check("the fetch of the file failed", json!({}), &confined), None);
    }
}
