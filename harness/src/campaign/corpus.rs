//! The inputs that led to something new, and their files, which are kept from one campaign to the next.
//!
//! The main type is [`Corpus`]. Several campaigns may share a folder: each puts its inputs there, and takes those of the others.
//! A file there appears as a whole under the hash of what is in it, so that nobody needs a lock. Both memory and disk are
//! bounded. Paths of the harness's folders are written as `{workspace}` and `{outside}`, because the next campaign uses other
//! folders.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::{fs, io};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::generate::{Input, Rng};
use crate::placeholder::{Collapser, Folders};
use crate::signature::fingerprint;

use super::settings::Settings;
use super::unwritten::{Purpose, Unwritten};

/// At most this many inputs of a tool are kept in memory.
const MOST: usize = 256;
/// At most this many bytes of a tool's inputs are kept in memory; beyond that the longest ones are dropped.
const MOST_HELD: usize = 1024 * 1024;
/// The largest input in bytes: its neighbours would be larger still, and expensive to draw and to judge.
const MOST_BYTES: usize = 64 * 1024;
/// Up to this many bytes, an input is kept as a value too, which takes many times the memory of its text.
const MOST_READ: usize = 1_024;
/// An input of this many bytes is worth half as much as a tiny one with the same yield, one of twice the length
/// a third, and so on.
const DEAR: usize = 512;
/// At most this many files of a corpus are kept.
const MOST_FILES: usize = 20_000;
/// At most this many inputs of other campaigns are taken at a time.
const MOST_TAKEN: usize = 1_000;

/// The inputs, by the tool they were sent to.
#[derive(Debug, Default)]
pub(super) struct Corpus {
    by_tool: BTreeMap<String, CorpusBucket>,
    folder: Option<PathBuf>,
    files: usize,
    /// How many bytes the files have, and may have at most.
    room: (u64, Option<u64>),
    /// The folder that other campaigns use too.
    shared: Option<PathBuf>,
    /// The names of the files that were put into it or taken from it.
    exchanged: HashSet<String>,
    /// Collects files that could not be written, for the campaign to report.
    unwritten: Rc<Unwritten>,
}

/// The inputs of one tool, in the order in which they came.
#[derive(Debug, Default)]
struct CorpusBucket {
    kept: VecDeque<Kept>,
    /// The total length of their arguments.
    bytes: usize,
    /// How many inputs came in all.
    came: u64,
}

impl CorpusBucket {
    /// Adds an input; if there is no room, the longest ones or the oldest are dropped.
    fn put(&mut self, input: Input) {
        self.bytes += input.arguments.len();
        while self.bytes > MOST_HELD {
            let length = |index: &usize| self.kept[*index].input.arguments.len();
            let Some(longest) = (0..self.kept.len()).max_by_key(length) else { break };
            self.take(longest);
        }
        if self.kept.len() == MOST {
            self.take(0);
        }
        self.kept.push_back(Kept::new(input, self.came));
        self.came += 1;
    }

    fn take(&mut self, index: usize) {
        self.bytes -= self.kept.remove(index).map_or(0, |kept| kept.input.arguments.len());
    }
}

#[derive(Debug)]
pub(super) struct Kept {
    pub(super) input: Input,
    /// How many inputs of its tool came before it, which identifies it.
    pub(super) number: u64,
    /// The value of a short input, because parsing it again takes longer.
    value: Option<Value>,
    /// How often one of its neighbours led to something new.
    fruit: u32,
    /// How often it was drawn.
    drawn: u32,
}

impl Kept {
    fn new(input: Input, number: u64) -> Self {
        let value = (input.arguments.len() <= MOST_READ).then(|| input.value()).flatten();
        Self { input, number, value, fruit: 0, drawn: 0 }
    }

    /// The arguments as a value, if they are valid JSON.
    pub(super) fn value(&self) -> Option<Value> {
        self.value.clone().or_else(|| self.input.value())
    }

    /// Its yield in relation to how often it was drawn and what drawing it costs.
    fn worth(&self) -> f64 {
        let cost = 1.0 + self.input.arguments.len() as f64 / DEAR as f64;
        f64::from(self.fruit + 1) / f64::from(self.drawn + 1) / cost
    }
}

/// An input as it is stored in a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoredInput {
    pub(crate) tool: String,
    pub(crate) input: Input,
    /// The fingerprint of the reply that was new; unknown in a file of an earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) brings: Option<String>,
}

impl StoredInput {
    /// The name of its file. The same input may bring about different replies.
    pub(crate) fn file_name(&self) -> String {
        let parts = [self.tool.as_str(), &self.input.arguments];
        let parts: Vec<&str> = parts.into_iter().chain(self.brings.as_deref()).collect();
        format!("{}.json", fingerprint(&parts))
    }

    /// What is in its file.
    pub(crate) fn text(&self) -> String {
        serde_json::to_string_pretty(self).expect("the names of all members are text")
    }
}

impl Corpus {
    /// Opens a corpus, with the inputs of a folder if one is given; files that are not inputs are skipped.
    pub(super) fn open(folder: Option<&Path>, folders: &Folders) -> io::Result<(Self, Vec<(String, Input)>)> {
        let mut corpus = Self { folder: folder.map(Path::to_owned), ..Self::default() };
        let Some(folder) = folder else { return Ok((corpus, Vec::new())) };
        fs::create_dir_all(folder)?;
        let mut paths: Vec<PathBuf> = fs::read_dir(folder)?
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
            .take(MOST_FILES)
            .collect();
        // The order of directory entries is arbitrary.
        paths.sort();
        corpus.files = paths.len();
        corpus.room.0 =
            paths.iter().filter_map(|path| fs::metadata(path).ok()).map(|found| found.len()).sum();
        let kept = paths.iter().filter_map(|path| read(path, folders)).collect();
        Ok((corpus, kept))
    }

    /// Limits how many bytes the files may have, and says which folder is shared, and who writes the files.
    #[must_use]
    pub(super) fn with(self, settings: &Settings, unwritten: Rc<Unwritten>) -> Self {
        Self { room: (self.room.0, settings.max_disk), shared: settings.sync.clone(), unwritten, ..self }
    }

    /// The inputs that other campaigns have put into the shared folder since the last time.
    pub(super) fn take_shared(&mut self, folders: &Folders) -> Vec<(String, Input)> {
        let Some(shared) = &self.shared else { return Vec::new() };
        // Where the folder cannot be read for now, it is the next time.
        let entries = fs::read_dir(shared).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let is_new = |name: &String| name.ends_with(".json") && !self.exchanged.contains(name);
        let mut names: Vec<String> = names.filter(is_new).take(MOST_TAKEN).collect();
        names.sort();
        let taken = names.iter().filter_map(|name| read(&shared.join(name), folders)).collect();
        self.exchanged.extend(names);
        taken
    }

    /// Keeps an input that led to something new, unless it is too long. `brings` is the fingerprint of the reply.
    pub(super) fn keep(&mut self, tool: &str, input: &Input, brings: Option<&str>, folders: &Folders) {
        if input.arguments.len() > MOST_BYTES {
            return;
        }
        self.write(tool, input, brings, folders);
        self.by_tool.entry(tool.to_owned()).or_default().put(input.clone());
    }

    /// Whether there is an input of this tool.
    pub(super) fn holds(&self, tool: &str) -> bool {
        self.by_tool.contains_key(tool)
    }

    /// An input of a tool: the one worth the most of several drawn at random.
    pub(super) fn pick(&mut self, tool: &str, rng: &mut Rng) -> Option<&Kept> {
        let kept = &mut self.by_tool.get_mut(tool)?.kept;
        let tries = [rng.below(kept.len()), rng.below(kept.len()), rng.below(kept.len())];
        let best = tries
            .into_iter()
            .filter(|index| *index < kept.len())
            .max_by(|one, other| kept[*one].worth().total_cmp(&kept[*other].worth()))?;
        kept[best].drawn += 1;
        Some(&kept[best])
    }

    /// Counts that a neighbour of the input with this number led to something new. The input may have been
    /// dropped.
    pub(super) fn reward(&mut self, tool: &str, number: u64) {
        let Some(shelf) = self.by_tool.get_mut(tool) else { return };
        if let Ok(index) = shelf.kept.binary_search_by_key(&number, |kept| kept.number) {
            shelf.kept[index].fruit += 1;
        }
    }

    /// Writes an input to its file. A failure costs only the next campaign something, so it is only noted.
    fn write(&mut self, tool: &str, input: &Input, brings: Option<&str>, folders: &Folders) {
        if self.folder.is_none() && self.shared.is_none() {
            return;
        }
        let arguments = Collapser::new(folders).text(&input.arguments);
        let stored = StoredInput {
            tool: tool.to_owned(),
            input: Input { arguments, ..input.clone() },
            brings: brings.map(str::to_owned),
        };
        let (name, text) = (stored.file_name(), stored.text());
        if let Some(shared) = &self.shared
            && self.exchanged.insert(name.clone())
        {
            self.unwritten.write(&shared.join(&name), Purpose::Sync, text.clone());
        }
        let Some(path) = self.folder.as_ref().map(|folder| folder.join(&name)) else { return };
        if self.files >= MOST_FILES || path.symlink_metadata().is_ok() {
            return;
        }
        let size = self.room.0 + text.len() as u64;
        if self.room.1.is_some_and(|most| size > most) {
            let reached = io::Error::new(io::ErrorKind::QuotaExceeded, "`--max-disk` is reached");
            self.unwritten.note(&path, Purpose::Corpus, &reached);
            return;
        }
        if self.unwritten.write(&path, Purpose::Corpus, text) {
            (self.files, self.room.0) = (self.files + 1, size);
        }
    }
}

/// The input in a file; `None` if it is none of this program's.
fn read(path: &Path, folders: &Folders) -> Option<(String, Input)> {
    let is_small = fs::metadata(path).is_ok_and(|found| found.len() <= 4 * MOST_BYTES as u64);
    let mut stored: StoredInput =
        serde_json::from_str(&fs::read_to_string(path).ok().filter(|_| is_small)?).ok()?;
    stored.input.arguments = expanded(&stored.input.arguments, folders);
    Some((stored.tool, stored.input))
}

/// A text with placeholders replaced by the folders' paths.
pub(super) fn expanded(text: &str, folders: &Folders) -> String {
    text.replace("{workspace}", &folders.workspace).replace("{outside}", &folders.outside)
}

#[cfg(test)]
pub(super) mod tests {
    use crate::generate::Validity;

    use super::*;

    /// Arguments that the schema allows.
    pub(in super::super) fn valid(arguments: &str) -> Input {
        Input { arguments: arguments.into(), changes: Vec::new(), validity: Validity::Valid }
    }

    pub(in super::super) fn folders(name: &str) -> Folders {
        Folders {
            workspace: format!("/tmp/{name}/workspace"),
            outside: format!("/tmp/{name}/outside"),
            canary: String::new(),
            ..Folders::default()
        }
    }

    fn keep(corpus: &mut Corpus, arguments: &str) {
        corpus.keep("view", &valid(arguments), None, &folders("a"));
    }

    #[test]
    fn what_was_kept_is_there_in_the_next_campaign_with_its_own_folders() {
        let folder = tempfile::tempdir().unwrap();
        let (mut corpus, _) = Corpus::open(Some(folder.path()), &folders("a")).unwrap();
        keep(&mut corpus, r#"{"path":"/tmp/a/workspace/x"}"#);
        fs::write(folder.path().join("other.json"), "no input").unwrap();
        let (_, kept) = Corpus::open(Some(folder.path()), &folders("b")).unwrap();
        assert_eq!(kept, [("view".to_owned(), valid(r#"{"path":"/tmp/b/workspace/x"}"#))]);
    }

    #[test]
    fn what_bore_fruit_is_drawn_more_often() {
        let mut corpus = Corpus::default();
        for number in 0..20 {
            keep(&mut corpus, &format!("{{\"n\":{number}}}"));
        }
        let mut rng = Rng::seeded(1);
        let mut drawn = [0; 20];
        for _ in 0..2_000 {
            let number = corpus.pick("view", &mut rng).unwrap().number;
            drawn[number as usize] += 1;
            if number == 7 {
                corpus.reward("view", 7);
            }
        }
        assert!(drawn[7] > 2 * drawn.iter().sum::<u32>() / 20, "{drawn:?}");
        assert!(drawn.iter().all(|count| *count > 20), "{drawn:?}");
    }

    #[test]
    fn a_long_input_is_drawn_less_often_and_one_beyond_the_bound_never() {
        let mut corpus = Corpus::default();
        for letters in [1, 4 * DEAR, MOST_BYTES] {
            for number in 0..20 {
                keep(&mut corpus, &format!("\"{}{number}\"", "a".repeat(letters)));
            }
        }
        let mut rng = Rng::seeded(1);
        let drawn: Vec<usize> =
            (0..2_000).map(|_| corpus.pick("view", &mut rng).unwrap().input.arguments.len()).collect();
        assert!(drawn.iter().all(|length| *length <= MOST_BYTES));
        let long = drawn.iter().filter(|length| **length > DEAR).count();
        assert!((100..700).contains(&long), "{long}");
    }

    #[test]
    fn a_reward_for_a_dropped_input_goes_to_no_other() {
        let mut corpus = Corpus::default();
        for number in 0..=MOST {
            keep(&mut corpus, &number.to_string());
        }
        corpus.reward("view", 0);
        corpus.reward("view", 2);
        let fruit = corpus.by_tool["view"].kept.iter().filter(|kept| kept.fruit > 0);
        assert_eq!(fruit.map(|kept| kept.input.arguments.as_str()).collect::<Vec<_>>(), ["2"]);
    }

    #[test]
    fn what_is_held_is_bounded() {
        let mut corpus = Corpus::default();
        for number in 0..10 * MOST {
            keep(&mut corpus, &number.to_string());
        }
        let shelf = &corpus.by_tool["view"];
        let held =
            |shelf: &CorpusBucket| shelf.kept.iter().map(|kept| kept.input.arguments.len()).sum::<usize>();
        assert_eq!((shelf.kept.len(), shelf.bytes), (MOST, held(shelf)));
        for number in 0..10 * MOST {
            let long = format!("\"{}{number}\"", "a".repeat(number % MOST * 100));
            keep(&mut corpus, &long);
            let shelf = &corpus.by_tool["view"];
            assert_eq!(shelf.bytes, held(shelf));
            assert!(shelf.bytes <= MOST_HELD && shelf.kept.len() <= MOST, "{} bytes", shelf.bytes);
            assert!(shelf.kept.iter().any(|kept| kept.input.arguments == long), "the new one is there");
        }
        assert!(corpus.by_tool["view"].kept.len() > MOST / 4, "there is room for many");
    }
}
