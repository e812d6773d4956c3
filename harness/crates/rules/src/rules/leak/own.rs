//! Details of this very server in a text: the canary secret from its environment, and the folder in which it is
//! installed.

use std::ops::Range;

use crate::pattern;
use crate::rules::Context;
use crate::secret;

use super::pattern::{Confidence, Language};
use super::search::Leak;

/// What the harness knows about the server that must not come through.
pub(super) struct Own {
    drawn: String,
    /// What the secret is.
    secret: &'static str,
    folders: Vec<String>,
}

impl Own {
    pub(super) fn of(context: &Context<'_>) -> Self {
        let secret = match context.is_failure_of_service() {
            true => "a secret from the response of the service behind it",
            false => "the value of a variable in its environment",
        };
        Self { drawn: secret::drawn(context.head.seed), secret, folders: folders(context) }
    }

    /// Whether a text may contain any of it, before the caller's words are blanked.
    pub(super) fn may_show(&self, text: &str) -> bool {
        text.contains(&self.drawn) || self.folders.iter().any(|folder| text.contains(folder.as_str()))
    }

    /// The leaks in a text whose caller's words are blanked.
    pub(super) fn find(&self, blank: &str) -> Vec<Leak> {
        let leak = |rule, what, span| Leak {
            rule,
            pattern: "own",
            what,
            language: Language::Any,
            confidence: Confidence::High,
            span,
        };
        let secret = blank.find(&self.drawn).map(|start| {
            let span = start..start + self.drawn.len();
            leak("leak/secret", self.secret, span)
        });
        let folder = self
            .folders
            .iter()
            .find_map(|folder| whole_path(blank, folder))
            .map(|span| leak("leak/internal-path", "the folder of the server's own program", span));
        secret.into_iter().chain(folder).collect()
    }
}

/// The position of a folder in a text with the rest of its path: the first one where it is not named as the
/// bounds that the caller must keep to.
fn whole_path(text: &str, folder: &str) -> Option<Range<usize>> {
    let (start, _) = text.match_indices(folder).find(|(start, _)| {
        let rest = &text[start + folder.len()..];
        !goes_on(rest) && !is_bound(&text[..*start])
    })?;
    let end = text[start..].find(|c: char| c.is_whitespace() || "'\"`,;)".contains(c));
    let path = &text[start..end.map_or(text.len(), |end| start + end)];
    Some(start..start + path.trim_end_matches('.').len())
}

/// Whether the folder's name continues in the following text: a full stop ends a sentence unless a name follows
/// it.
fn goes_on(rest: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || "_-".contains(c);
    rest.trim_start_matches('.').starts_with(is_name)
}

/// Whether the text before a folder names it as one that the caller may use. Servers are often started in the
/// folder that they serve, and such a message says how to fix the call.
pub(super) fn is_bound(before: &str) -> bool {
    pattern!("leak/bound-folder").is_match(before)
}

/// The program and the scripts on a command line; other words may be folders that the server was given to work
/// on.
fn programs(command: &[String]) -> impl Iterator<Item = &String> {
    const SCRIPTS: [&str; 9] = [".js", ".mjs", ".cjs", ".ts", ".py", ".rb", ".php", ".jar", ".dll"];
    let words = || command.iter().filter(|word| *word != "env" && !word.contains(['{', '=']));
    let is_script = |word: &&String| SCRIPTS.iter().any(|ending| word.ends_with(ending));
    words().take(1).chain(words().skip(1).filter(is_script))
}

/// The folders of the programs and scripts on the server's command line, except one that contains the caller's
/// files. If a folder is shared by many programs, or close to the root, only the program itself is taken.
fn folders(context: &Context<'_>) -> Vec<String> {
    let given = &context.head.folders;
    let folder = |word: &String| {
        let (folder, name) = word.rsplit_once('/')?;
        let inside = [&given.workspace, &given.outside].iter().any(|path| path.starts_with(folder));
        let own = folder.starts_with('/') && folder.matches('/').count() >= 2 && !name.is_empty();
        let system = ["/usr/bin", "/usr/local/bin", "/usr/sbin"].contains(&folder);
        let installed = folder.strip_suffix("/bin").filter(|parent| parent.matches('/').count() >= 2);
        let shared = folder.starts_with('/') && !inside && folder != "/usr/bin" && !name.is_empty();
        match own && !inside && !system {
            true => Some(installed.unwrap_or(folder).to_owned()),
            false => shared.then(|| word.clone()),
        }
    };
    programs(&context.head.command).filter_map(folder).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::json;

    use crate::expectation::Expected;
    use crate::rules::fixture::Fixture;

    /// A reply of a server that was started by this command.
    fn reply(command: &str, arguments: &serde_json::Value, text: &str) -> Fixture {
        let mut fixture = Fixture::refusal(text, arguments, Expected::Anything);
        fixture.head.command = command.split(' ').map(str::to_owned).collect();
        fixture
    }

    #[test]
    fn a_folder_in_which_the_callers_files_lie_is_not_the_servers_own() {
        let mut fixture = reply("/srv/app/server", &json!({}), "");
        fixture.head.folders.workspace = "/srv/app/workspace".to_owned();
        let text = "there is no /srv/app/workspace/a.txt, and /srv/app/server goes on";
        assert!(Own::of(&fixture.context()).find(text).is_empty());
    }

    #[test]
    fn the_drawn_secret_shows_wherever_it_stands() {
        let text = format!("[IO_ERROR] TOKEN={} is refused", secret::drawn(0));
        let fixture = reply("/opt/files/bin/server", &json!({}), &text);
        let own = Own::of(&fixture.context());
        assert!(own.may_show(&text) && !own.may_show("[IO_ERROR] TOKEN is refused"));
        let leaks = own.find(&text);
        let found: Vec<_> = leaks.iter().map(|leak| (leak.rule, &text[leak.span.clone()])).collect();
        assert_eq!(found, [("leak/secret", secret::drawn(0).as_str())]);
    }

    #[test]
    fn a_folder_that_the_server_was_given_is_not_its_own() {
        for (command, own) in [
            ("/opt/files/bin/server /srv/notes", "/opt/files/bin/server"),
            ("env ROOT=/srv/data /opt/files/server /srv/data", "/opt/files/server"),
            ("node /opt/files/dist/index.js /srv/data", "node /opt/files/dist/index.js"),
        ] {
            let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
            let found: Vec<&str> = programs(&words).map(String::as_str).collect();
            assert_eq!(found.join(" "), own, "{command}");
        }
    }
}
