//! What the guides and README tell the reader to type: `console` blocks of guides are run, one after the other in one folder,
//! and must end as their first line says (`exit=1`; 0 where it says nothing). Of every other command, the options exist. TOML
//! is a configuration, or the file that its first line names (`file=PATH`).

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use mcp_errconf::config;

use crate::program::{Folder, PROGRAM, copy_program, folder, stdout};

use super::{pages, read, reference, source};

/// `./my-server` of the guides: the bundled reference server with a fault.
const SERVER: &str =
    "#!/bin/sh\nexec \"$(dirname \"$0\")/program\" serve --defect leak/runtime-error/rust-io \"$@\"\n";

/// `.mcp.json` of the guides.
const HOST: &str =
    r#"{"mcpServers": {"notes": {"command": "./my-server", "args": ["--workdir", "{workspace}"]}}}"#;

/// A fenced block.
struct Block<'t> {
    /// What stands behind the fence, as words.
    info: Vec<&'t str>,
    text: String,
}

impl Block<'_> {
    fn language(&self) -> &str {
        self.info.first().copied().unwrap_or_default()
    }

    /// What its first line says of this.
    fn says(&self, key: &str) -> Option<&str> {
        self.info.iter().find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    }
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut is_open = false;
    for line in page.lines() {
        match line.strip_prefix("```") {
            Some(info) if !is_open => {
                blocks.push(Block { info: info.split_whitespace().collect(), text: String::new() });
                is_open = true;
            }
            Some(_) => is_open = false,
            None if is_open => {
                let block = blocks.last_mut().expect("one is open");
                block.text += line;
                block.text.push('\n');
            }
            None => {}
        }
    }
    blocks
}

fn guides() -> Vec<(String, String)> {
    let pages = pages(&source().join("guides"));
    pages.into_iter().map(|page| (page.clone(), read(&source().join(page)))).collect()
}

/// A folder as a reader of the guides has it.
fn desk() -> Folder {
    let folder = folder().with("my-server", SERVER).with(".mcp.json", HOST);
    // Confined, a server sees what lies beside it.
    let (program, beside) = (Path::new(PROGRAM), folder.path().join("program"));
    if fs::hard_link(program, &beside).is_err() {
        copy_program(program, &beside);
    }
    let may_run = fs::Permissions::from_mode(0o755);
    fs::set_permissions(folder.path().join("my-server"), may_run).expect("the folder is ours");
    folder
}

/// Types a line into a shell that knows the program.
fn typed(folder: &Folder, line: &str) -> std::process::Output {
    let program = Path::new(PROGRAM);
    let beside = program.parent().expect("it lies in a folder").display();
    let path = format!("{beside}:{}", std::env::var("PATH").unwrap_or_default());
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).current_dir(folder.path()).env("PATH", path);
    for name in ["CI", "COLUMNS", "CLICOLOR_FORCE", "INSTA_UPDATE", "GITHUB_ACTIONS"] {
        shell.env_remove(name);
    }
    shell.output().expect("there is a shell")
}

fn lay(folder: &Path, place: &str, text: &str) {
    let path = folder.join(place);
    fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("the folder is ours");
    fs::write(path, text).expect("the folder is ours");
}

fn follow(page: &str, text: &str) {
    let folder = desk();
    for block in blocks(text) {
        if let Some(place) = block.says("file") {
            lay(folder.path(), place, &block.text);
        }
        if block.language() != "console" || block.info.contains(&"recorded") {
            continue;
        }
        let expected: i32 = block.says("exit").map_or(0, |code| code.parse().expect("it is a number"));
        for line in block.text.lines() {
            let line = line.strip_prefix("$ ").expect("a block that is run has commands alone");
            let ended = typed(&folder, line);
            let (out, err) = (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
            assert_eq!(ended.status.code(), Some(expected), "{page}: {line}\n{out}\n{err}");
        }
    }
}

#[test]
fn the_commands_of_the_guides_end_as_they_say() {
    std::thread::scope(|scope| {
        let guides = guides();
        let following: Vec<_> =
            guides.into_iter().map(|(page, text)| scope.spawn(move || follow(&page, &text))).collect();
        for guide in following {
            guide.join().expect("every command ends as its guide says");
        }
    });
}

#[test]
fn every_option_that_is_reported_is_one() {
    let help = |name: &str| stdout(&folder().run(&[name, "--help"]).code(0));
    let helps: Vec<(String, String)> =
        reference::subcommands().into_iter().map(|name| (name.clone(), help(&name))).collect();
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let mut printed = guides();
    printed.push(("README.md".to_owned(), read(&readme)));
    let mut checked = 0;
    for (page, text) in &printed {
        let blocks = blocks(text);
        let lines = blocks.iter().filter(|block| ["console", "sh"].contains(&block.language()));
        for line in lines.flat_map(|block| block.text.lines()) {
            let Some((_, rest)) = line.split_once("mcp-errconf ") else { continue };
            let ours = rest.split(" -- ").next().unwrap_or_default().split(" # ").next().unwrap_or_default();
            let Some((_, help)) = helps.iter().find(|(name, _)| ours.split(' ').next() == Some(name)) else {
                continue;
            };
            for option in ours.split_whitespace().filter(|word| word.starts_with("--")) {
                let option = option.split('=').next().unwrap_or(option);
                assert!(help.contains(&format!("{option} ")), "{page}: {option}: {line}");
                checked += 1;
            }
        }
    }
    assert!(checked > 20, "the commands were read: {checked}");
}

#[test]
fn the_configuration_that_is_shown_is_one() {
    let folder = folder();
    let shown: Vec<(String, String)> = guides()
        .into_iter()
        .flat_map(|(page, text)| {
            let of_config = |block: &Block<'_>| block.language() == "toml" && block.says("file").is_none();
            let texts: Vec<String> =
                blocks(&text).into_iter().filter(of_config).map(|block| block.text).collect();
            texts.into_iter().map(move |text| (page.clone(), text))
        })
        .collect();
    assert!(shown.len() > 2, "there is some");
    for (page, text) in shown {
        if let Err(mistake) = config::parse("mcp-errconf.toml", &text, folder.path()) {
            panic!("{page}: {mistake}\n{text}");
        }
    }
}
