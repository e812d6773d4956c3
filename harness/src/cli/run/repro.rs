//! `--repro DIR`: writes findings as programs of their own, and tries them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mcp_errconf::drive::{Assignment, Confine, Safety, SecondSession};
use mcp_errconf::exchange::Exit;
use mcp_errconf::finding::{Finding, State};
use mcp_errconf::repro::{self, ALLOWED, ConfinedCalls, Repro, ReproFile, ReproStart, guide, support};
use mcp_errconf::server::{Command, Transport};
use mcp_errconf::suite::Suite;
use mcp_errconf::transcript::{Lifecycle, Transcript};
use tokio::sync::watch;

use crate::cli::failure::Failure;
use crate::cli::{Terminal, console, interrupt};

/// At most this many findings are written, beginning with the most severe.
const MOST: usize = 100;
/// How long a script may take; it gives up by itself before that.
const PATIENCE: Duration = Duration::from_secs(70);
/// The page that describes the folder.
const GUIDE: &str = "README.md";

/// What is needed to write reproductions after a run.
pub(super) struct Reproduction {
    folder: PathBuf,
    start: ReproStart,
    suite: Suite,
    /// The secrets that scripts need.
    env: Vec<(String, String)>,
    /// How the run confined its server, in its only or its second session.
    safety: Safety,
    /// Whether every call of the run was sent to a confined server.
    is_whole_run: bool,
    /// The server's command line, without secrets, which names the files that a script needs where it is confined.
    command: Vec<String>,
}

impl Reproduction {
    /// Prepares the reproductions of a run, and makes the folder, so that a failure is reported before anything
    /// is run.
    pub(super) fn prepare(folder: Option<&Path>, assignment: &Assignment) -> Result<Option<Self>, Failure> {
        let Some(folder) = folder else { return Ok(None) };
        fs::create_dir_all(folder).map_err(|error| unwritten(folder, &error))?;
        let (env, cwd) = (&assignment.server.env, assignment.server.cwd.as_deref());
        let start = ReproStart::new(
            &assignment.server.command,
            env,
            cwd,
            folder,
            &assignment.server.concealed,
            assignment.seed,
        );
        let value = |(token, variable): (String, String)| {
            let value = env
                .get(&variable)
                .map(String::as_str)
                .or_else(|| assignment.server.concealed.value(&token))?;
            Some((variable, value.to_owned()))
        };
        let env = start.secrets().into_iter().filter_map(value).collect();
        let own = &assignment.safety;
        let is_whole_run = matches!(own.confine, Confine::By(_));
        let safety = match &own.second {
            SecondSession::By(second) if !is_whole_run => (**second).clone(),
            _ => own.clone(),
        };
        let command = assignment.server.command.clone();
        let suite = assignment.suite.clone();
        Ok(Some(Self { folder: folder.to_owned(), start, suite, env, safety, is_whole_run, command }))
    }

    /// Writes the reproductions, tries each script, and reports their number and why other findings have none.
    pub(super) fn write(
        &self,
        findings: &[Finding],
        classes: &BTreeMap<String, String>,
        transcript: &Transcript,
        terminal: &Terminal,
    ) -> Result<(), Failure> {
        let confined = ConfinedCalls { is_whole_run: self.is_whole_run, classes };
        let tried = interrupt::run(async |interrupted| {
            self.tried(findings, confined, transcript, interrupted).await
        })?;
        let (written, left_out) = tried?;
        self.finish(&written, &left_out, transcript.head.lifecycle)?;
        if !terminal.quiet {
            let without: usize = left_out.iter().map(|(_, count)| count).sum();
            let more = if without > 0 { format!("; {without} have none") } else { String::new() };
            let place = self.folder.join(GUIDE);
            console::remark(&match (written.len(), without) {
                (0, 0) => "no finding to write as a test".to_owned(),
                (count, _) => format!(
                    "{count} {} written as scripts and tests{more}: see `{}`",
                    if count == 1 { "finding" } else { "findings" },
                    place.display()
                ),
            });
        }
        Ok(())
    }

    /// Writes the files of every finding whose script shows it; returns the reasons for the others, with
    /// counts.
    async fn tried(
        &self,
        findings: &[Finding],
        confined: ConfinedCalls<'_>,
        transcript: &Transcript,
        mut interrupted: watch::Receiver<bool>,
    ) -> Result<(Vec<Repro>, Vec<(&'static str, usize)>), Failure> {
        let mut left_out: Vec<(&str, usize)> = Vec::new();
        let mut written: Vec<Repro> = Vec::new();
        for finding in findings.iter().filter(|finding| finding.state == State::New) {
            let name = unused(finding, &written);
            let repro = Repro::new(&name, finding, transcript, &self.suite, &self.start, confined);
            let why = match repro {
                Ok(_) if *interrupted.borrow() => "there was an interruption",
                Ok(_) if written.len() == MOST => "there are more than are written",
                Ok(repro) if self.keep(&repro, &mut interrupted).await? => {
                    written.push(repro);
                    continue;
                }
                Ok(_) => "its calls alone do not show it",
                Err(why) => why,
            };
            match left_out.iter_mut().find(|(known, _)| *known == why) {
                Some((_, count)) => *count += 1,
                None => left_out.push((why, 1)),
            }
        }
        Ok((written, left_out))
    }

    /// Writes the files that start the server, and the page.
    fn finish(
        &self,
        written: &[Repro],
        left_out: &[(&str, usize)],
        lifecycle: Lifecycle,
    ) -> Result<(), Failure> {
        if !written.is_empty() {
            for file in support(&self.start, lifecycle) {
                self.put(&file)?;
            }
        }
        if written.is_empty() && left_out.is_empty() {
            return Ok(());
        }
        let text = guide(written, &self.start, left_out);
        self.put(&ReproFile { path: GUIDE.to_owned(), text })
    }

    /// Writes the files of a finding, and deletes them again if its script does not show it.
    async fn keep(&self, repro: &Repro, interrupted: &mut watch::Receiver<bool>) -> Result<bool, Failure> {
        let files = repro.files();
        for file in &files {
            self.put(file)?;
        }
        let shows = self.shows(repro, interrupted).await;
        if !shows {
            for file in &files {
                // It was written just before.
                let _ = fs::remove_file(self.folder.join(&file.path));
            }
        }
        Ok(shows)
    }

    fn put(&self, file: &ReproFile) -> Result<(), Failure> {
        let path = self.folder.join(&file.path);
        let written =
            path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, &file.text));
        written.map_err(|error| unwritten(&path, &error))
    }

    /// Whether the script shows the finding; if there is no script, the tests are kept untried.
    async fn shows(&self, repro: &Repro, interrupted: &mut watch::Receiver<bool>) -> bool {
        let script = self.folder.join(repro.script());
        if !script.exists() {
            return true;
        }
        let Ok(temporary) = tempfile::tempdir() else { return false };
        let mut words = vec!["sh".to_owned(), script.to_string_lossy().into_owned()];
        let mut env = self.env.clone();
        let mut run_confinement = None;
        if repro.is_confined() {
            run_confinement = self.safety.run_confinement(&[], temporary.path());
            if run_confinement.is_none() {
                return false;
            }
            // The script reads no words: they are there so that it sees the server's files.
            words.extend(self.command.iter().filter(|word| !word.contains('{')).cloned());
            env.push((ALLOWED.to_owned(), "1".to_owned()));
        }
        let command = Command { words, env, run_confinement, ..Command::default() };
        let Ok(mut script) = Transport::open(&command) else { return false };
        let ended = async {
            while script.next_line().await.is_some() {}
            script.exit().await == Exit::Status(1)
        };
        tokio::select! {
            ended = tokio::time::timeout(PATIENCE, ended) => ended.unwrap_or(false),
            _ = interrupted.wait_for(|interrupted| *interrupted) => false,
        }
    }
}

/// A name for the finding that no other has.
fn unused(finding: &Finding, written: &[Repro]) -> String {
    let name = repro::name(finding);
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    let mut names = std::iter::once(name.clone()).chain(numbered);
    names.find(|name| written.iter().all(|other| other.name != *name)).unwrap_or_default()
}

fn unwritten(path: &Path, error: &std::io::Error) -> Failure {
    Failure::of_file("write", path, error, "give `--repro` a folder that you can write to")
}
