//! What of this very server shows in a text: the secret that the harness put into its environment, and the folder in
//! which it is installed.

use std::ops::Range;

use crate::rules::Scene;
use crate::secret;

use super::pattern::{Confidence, Language};
use super::search::Leak;

/// What a run knows of the server that it must not tell.
pub(super) struct Own {
    drawn: String,
    folders: Vec<String>,
}

impl Own {
    pub(super) fn of(scene: &Scene<'_>) -> Self {
        Self { drawn: secret::drawn(scene.head.seed), folders: folders(scene) }
    }

    /// Whether a text may show any of it: what the caller sent is not cut out yet.
    pub(super) fn may_show(&self, text: &str) -> bool {
        text.contains(&self.drawn) || self.folders.iter().any(|folder| text.contains(folder.as_str()))
    }

    /// What shows in a text from which the caller's words were cut out.
    pub(super) fn find(&self, blank: &str) -> Vec<Leak> {
        let leak = |rule, tells, span| Leak {
            rule,
            tells,
            language: Language::Any,
            confidence: Confidence::High,
            span,
        };
        let secret = blank.find(&self.drawn).map(|start| {
            let span = start..start + self.drawn.len();
            leak("leak/secret", "the value of a variable of its environment", span)
        });
        let folder = self
            .folders
            .iter()
            .find_map(|folder| whole_path(blank, folder))
            .map(|span| leak("leak/internal-path", "the folder of the server's own program", span));
        secret.into_iter().chain(folder).collect()
    }
}

/// Where a folder stands in a text, with what of a path follows it.
fn whole_path(text: &str, folder: &str) -> Option<Range<usize>> {
    let continues = |end: usize| text[end..].starts_with(|c: char| c.is_alphanumeric() || "_-.".contains(c));
    let (start, _) = text.match_indices(folder).find(|(start, _)| !continues(start + folder.len()))?;
    let rest = text[start..].find(|c: char| c.is_whitespace() || "'\"`,;)".contains(c));
    Some(start..rest.map_or(text.len(), |rest| start + rest))
}

/// The folders of the programs and scripts on the server's command line; not one in which the caller's files lie, nor one
/// so near to the root that any path would be below it.
fn folders(scene: &Scene<'_>) -> Vec<String> {
    let given = &scene.head.folders;
    let folder = |word: &String| {
        let (folder, name) = word.rsplit_once('/')?;
        let inside = [&given.workspace, &given.outside].iter().any(|path| path.starts_with(folder));
        let own = folder.starts_with('/') && folder.matches('/').count() >= 2 && !name.is_empty();
        let system = ["/usr/bin", "/usr/local/bin", "/usr/sbin", "/tmp"].contains(&folder);
        let installed = folder.strip_suffix("/bin").filter(|parent| parent.matches('/').count() >= 2);
        (own && !inside && !system).then(|| installed.unwrap_or(folder).to_owned())
    };
    // The program of the bundled server is this one, wherever it lies.
    let words = scene.head.command.iter().filter(|word| !word.contains(['{', '=']));
    words.filter_map(folder).collect()
}
