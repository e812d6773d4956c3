//! A disk that is full: what is written is whole or not there, and the program says so.

use std::path::Path;
use std::process::{Command, Output};

use crate::program::folder;

/// Runs the program in a folder on a small disk, of this many kilobytes, and keeps what is left there in `left`.
fn run(left: &Path, kilobytes: u32, arguments: &str) -> Output {
    let program = assert_cmd::cargo::cargo_bin!("mcp-errconf");
    let script = format!(
        "mkdir disk && mount -t tmpfs -o size={kilobytes}k disk disk && cd disk || exit 99\n\
         '{}' {arguments}; code=$?\n\
         find . -type f -size 0 > ../empty; find . -name '*.part' > ../parts; find . -type f > ../files\n\
         for file in $(find . -name '*.json'); do \
            case $(tail -c 2 $file) in *'}}') ;; *) echo $file >> ../halves;; esac; done\n\
         exit $code",
        program.display()
    );
    let mut shell = Command::new("unshare");
    shell.args(["--user", "--map-root-user", "--mount", "sh", "-c", &script]).current_dir(left);
    shell.output().expect("`unshare` of util-linux is there")
}

/// What stands in a file that the script has written; nothing where there is none.
fn noted(left: &Path, name: &str) -> String {
    std::fs::read_to_string(left.join(name)).unwrap_or_default()
}

#[test]
#[cfg(all(target_os = "linux", feature = "reference-server"))]
fn a_report_that_does_not_fit_is_not_there_and_the_exit_code_says_so() {
    let folder = folder();
    let output = run(
        folder.path(),
        64,
        "run --bundled --max-probes 20 --transcript run.jsonl --report json=report.json",
    );
    let printed = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(70), "{printed}");
    assert!(printed.contains("cannot write") && printed.contains("no space left"), "{printed}");
    for name in ["empty", "parts", "halves"] {
        assert_eq!(noted(folder.path(), name), "", "{name}");
    }
}

#[test]
#[cfg(all(target_os = "linux", feature = "reference-server"))]
fn a_campaign_leaves_no_empty_file_in_its_corpus() {
    let folder = folder();
    let options = "fuzz --bundled --max-calls 3000 --seed 1 --confine off --allow-destructive --corpus corpus --report json=/dev/null";
    let output = run(folder.path(), 96, options);
    assert_ne!(output.status.code(), Some(99), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(noted(folder.path(), "files").lines().count() > 3, "it kept what fitted");
    for name in ["empty", "parts", "halves"] {
        assert_eq!(noted(folder.path(), name), "", "{name}");
    }
}

#[test]
#[cfg(all(target_os = "linux", feature = "reference-server"))]
fn a_campaign_tells_once_that_its_files_do_not_fit_and_the_exit_code_says_so() {
    let folder = folder();
    let options = "fuzz -q --max-calls 2000 --seed 1 --confine off --contract plain --corpus corpus --findings found \
                   --report json=report.json --report markdown=report.md -- env LOG=/dev/null sh ../server.sh";
    let server = crate::fuzz::noting(crate::fuzz::CRASHES).replace("{REFUSES}", crate::fuzz::REFUSES);
    std::fs::write(folder.path().join("server.sh"), server).expect("the folder is ours");
    let output = run(folder.path(), 4, options);
    let printed = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(70), "{printed}");
    let lines: Vec<&str> = printed.lines().filter(|line| line.contains("cannot write")).collect();
    let [line] = lines.as_slice() else { panic!("it is told once: {printed}") };
    assert!(line.starts_with("error: ") && line.contains("no space left"), "{line}");
    assert!(line.contains("free some space") && line.contains("70"), "{line}");
    for name in ["empty", "parts", "halves"] {
        assert_eq!(noted(folder.path(), name), "", "{name}");
    }
}
