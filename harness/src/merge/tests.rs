//! Tests that merging is the same in any order, and that nothing whole is lost.

use std::fs;

use proptest::prelude::*;
use serde_json::json;

use crate::campaign::FindingFile;

use super::*;

/// What one folder of a test holds: findings with their rule, input and seed; inputs with what they bring about; and how much of
/// the last file is there.
type Made = (Vec<(u8, u8, u8)>, Vec<(u8, u8)>, bool);

fn made() -> impl Strategy<Value = Made> {
    let finding = (0_u8..3, 0_u8..6, 0_u8..3);
    let input = (0_u8..3, 0_u8..6);
    (proptest::collection::vec(finding, 0..6), proptest::collection::vec(input, 0..6), any::<bool>())
}

fn finding(rule: u8, length: u8, seed: u8) -> FindingFile {
    let input = json!({"name": "view", "arguments": {"path": "a".repeat(length.into())}});
    let finding = json!({
        "rule": format!("leak/{rule}"), "level": "must", "case": null, "tool": "view", "message": "m",
        "evidence": null, "sent": input, "requirement": "", "help": "", "count": seed + length, "signature": "s",
        "layer": null, "places": [], "state": "new", "input": input, "stable": length.is_multiple_of(2),
        "examples": [{"name": "view", "arguments": {"n": length}}],
    });
    let file = json!({"rule": format!("leak/{rule}"), "input": input, "finding": finding, "seed": seed, "mark": "m"});
    serde_json::from_value(file).expect("it is a finding")
}

/// Writes a folder, and reads it.
fn shards(made: &Made) -> Shards {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let below = folder.path().join("findings");
    fs::create_dir(&below).expect("the folder is ours");
    for (number, (rule, length, seed)) in made.0.iter().enumerate() {
        let path = below.join(format!("{number}.json"));
        finding(*rule, *length, *seed).write(&path).expect("the folder is ours");
    }
    for (number, (brings, length)) in made.1.iter().enumerate() {
        let input = json!({"arguments": "a".repeat((*length).into()), "changes": [], "validity": "valid"});
        let stored = json!({"tool": "view", "input": input, "brings": brings.to_string()});
        fs::write(folder.path().join(format!("{number}.json")), stored.to_string())
            .expect("the folder is ours");
    }
    if made.2 {
        fs::write(below.join("half.json"), "{\"rule\":\"le").expect("the folder is ours");
    }
    let mut shards = Shards::read(folder.path()).expect("the folder is there");
    assert_eq!(std::mem::take(&mut shards.left_out).len(), usize::from(made.2), "a half file is said");
    shards
}

/// All files that come of it, with what is in them.
fn written(shards: &Shards) -> BTreeMap<PathBuf, String> {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    write_to(shards, folder.path())
}

fn write_to(shards: &Shards, folder: &Path) -> BTreeMap<PathBuf, String> {
    shards.write(folder, &|_| PathBuf::from("..")).expect("the folder is ours");
    let mut files = BTreeMap::new();
    for place in ["", "findings"] {
        for entry in fs::read_dir(folder.join(place)).into_iter().flatten().flatten() {
            if let Ok(text) = fs::read_to_string(entry.path()) {
                let path = entry.path().strip_prefix(folder).expect("it is below").to_owned();
                files.insert(path, text.replace(&folder.display().to_string(), "{folder}"));
            }
        }
    }
    files
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn the_order_of_folders_and_how_often_one_comes_do_not_matter(one in made(), two in made(), three in made()) {
        let [one, two, three] = [one, two, three].map(|made| shards(&made));
        let both = written(&one.clone().join(two.clone()));
        prop_assert_eq!(&both, &written(&two.clone().join(one.clone())));
        prop_assert_eq!(&both, &written(&one.clone().join(two.clone()).join(one.clone())));
        prop_assert_eq!(written(&one.clone().join(one.clone())), written(&one));
        let left = one.clone().join(two.clone()).join(three.clone());
        prop_assert_eq!(written(&left), written(&one.join(two.join(three))));
    }

    #[test]
    fn a_merged_folder_is_merged_into_itself_unchanged(one in made(), two in made()) {
        let [one, two] = [one, two].map(|made| shards(&made));
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        write_to(&one, folder.path());
        let again = |shards: Shards| {
            let there = Shards::read(folder.path()).expect("the folder is there");
            write_to(&there.join(shards), folder.path())
        };
        let merged = again(two.clone());
        prop_assert_eq!(&merged, &again(one.clone()));
        prop_assert_eq!(&merged, &again(Shards::default()));
        prop_assert_eq!(merged, written(&one.join(two)));
    }

    #[test]
    fn every_cause_and_every_reply_stays_once_with_the_smallest_input(made in made()) {
        let shards = shards(&made);
        let rules: BTreeSet<u8> = made.0.iter().map(|(rule, _, _)| *rule).collect();
        let replies: BTreeSet<u8> = made.1.iter().map(|(brings, _)| *brings).collect();
        prop_assert_eq!(shards.counts(), [rules.len(), replies.len(), 0]);
        let files = written(&shards);
        for (path, text) in files.iter().filter(|(path, _)| path.starts_with("findings")) {
            let file: FindingFile = serde_json::from_str(text).expect("it is a finding");
            let own: Vec<_> = made.0.iter().filter(|(rule, _, _)| format!("leak/{rule}") == file.rule).collect();
            let least = own.iter().map(|(_, length, _)| (!length.is_multiple_of(2), *length)).min().expect("there is one");
            prop_assert_eq!(&file.input["arguments"]["path"], &json!("a".repeat(least.1.into())), "{:?}", path);
            let seeds: BTreeSet<u64> = own.iter().map(|(_, _, seed)| u64::from(*seed)).collect();
            prop_assert_eq!(file.seeds.keys().copied().collect::<BTreeSet<_>>(), seeds);
        }
    }
}

#[test]
fn of_a_corpus_the_least_that_brings_about_the_same_stays() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    for (name, brings, arguments) in [("1", "a", "xxx"), ("2", "a", "x"), ("3", "b", "xx"), ("4", "b", "xxx")]
    {
        let input = json!({"arguments": arguments, "changes": [], "validity": "valid"});
        let stored = json!({"tool": "view", "input": input, "brings": brings});
        fs::write(folder.path().join(format!("{name}.json")), stored.to_string())
            .expect("the folder is ours");
    }
    fs::write(folder.path().join("5.json"), "no input").expect("the folder is ours");
    assert_eq!(minimise(folder.path()).expect("it is read"), Minimised { of: 4, kept: 2 });
    let names = fs::read_dir(folder.path()).expect("it is there").flatten().map(|entry| entry.file_name());
    let names: BTreeSet<_> = names.collect();
    assert_eq!(names, ["2.json", "3.json", "5.json"].map(Into::into).into());
}

#[test]
fn missing_shards_are_named() {
    assert_eq!(missing(["1/3", "3/3"].into_iter()), Some("these shards are missing: 2/3".to_owned()));
    assert_eq!(missing(["1/2", "2/2"].into_iter()), None);
    assert_eq!(missing(std::iter::empty()), None);
}
