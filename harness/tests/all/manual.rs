//! Completions and man pages, which packages carry.

use std::fs;
use std::process::Command;

use crate::program::{folder, stdout};

const SHELLS: [&str; 5] = ["bash", "zsh", "fish", "elvish", "powershell"];

#[test]
fn every_shell_gets_completions_that_know_the_subcommands() {
    for shell in SHELLS {
        let script = stdout(&folder().run(&["completions", shell]).code(0));
        for word in ["doctor", "compare", "--max-probes"] {
            assert!(
                script.contains(word) || script.contains(word.trim_start_matches('-')),
                "{shell}: {word}"
            );
        }
    }
    folder().run(&["completions", "csh"]).code(2);
}

#[test]
fn bash_reads_its_completions_and_completes_with_them() {
    let folder = folder();
    let script = stdout(&folder.run(&["completions", "bash"]).code(0));
    let folder = folder.with("completions.bash", &script);
    let asked = "source ./completions.bash; COMP_WORDS=(mcp-errconf do); COMP_CWORD=1; \
        _mcp__errconf mcp-errconf do mcp-errconf; echo \"${COMPREPLY[@]}\"";
    let bash = Command::new("bash").args(["-c", asked]).current_dir(folder.path()).output();
    // Where there is no bash, nobody completes with it.
    let Ok(bash) = bash else { return };
    assert_eq!(String::from_utf8_lossy(&bash.stdout).trim(), "doctor", "{bash:?}");
}

#[test]
fn the_manual_has_a_page_for_every_subcommand_and_each_shells_file() {
    let folder = folder();
    folder.run(&["manual", "out"]).code(0);
    let names = |below: &str| {
        let entries = fs::read_dir(folder.path().join("out").join(below)).expect("it was written").flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    };
    assert_eq!(names("completions").len(), SHELLS.len());
    let help = stdout(&folder.run(&["--help"]).code(0));
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands = commands.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    let commands: Vec<&str> = commands.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(commands.contains(&"run") && !commands.contains(&"manual"), "{commands:?}");
    let mut pages: Vec<String> = commands
        .iter()
        .filter(|command| **command != "help")
        .map(|command| format!("mcp-errconf-{command}.1"))
        .chain(["mcp-errconf.1".to_owned()])
        .collect();
    pages.sort();
    assert_eq!(names("man"), pages);
    let run = folder.read("out/man/mcp-errconf-run.1");
    assert!(run.contains(".TH mcp-errconf-run 1") && run.contains("max\\-probes"), "{run}");
}
