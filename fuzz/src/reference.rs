//! The sound reference server: whatever it is called with, no reply of it breaks a rule.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use mcp_errconf::fuzzing::InProcess;
use mcp_errconf_reference::{Log, Options, serve};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, duplex, split};
use tokio::runtime::Builder;

/// After this many inputs the files are put back as they were.
const TIDY: u64 = 500;

/// The reference server in a folder of its own, without its shell: what it executes nothing would confine.
pub struct Reference {
    server: InProcess,
    folder: TempDir,
    inputs: u64,
}

impl Default for Reference {
    fn default() -> Self {
        Self::new()
    }
}

impl Reference {
    /// A fresh one.
    ///
    /// # Panics
    /// When the operating system gives no temporary folder.
    pub fn new() -> Self {
        let folder = TempDir::new().expect("a temporary folder can be made");
        let workdir = folder.path().to_owned();
        let words = ["notes.txt", "sub", "sub/more.txt", "missing.txt", "alpha"].map(|name| match name {
            "alpha" => name.to_owned(),
            name => workdir.join(name).display().to_string(),
        });
        let server = InProcess::serve(move |stream| served(workdir.clone(), stream));
        let server = server.contract("bracket-code").words(words).without("bash");
        let reference = Self { server, folder, inputs: 0 };
        reference.tidy();
        reference
    }

    /// Calls the server as these bytes tell.
    ///
    /// # Panics
    /// When a reply breaks a rule.
    pub fn fuzz(&mut self, bytes: &[u8]) {
        self.inputs += 1;
        if self.inputs.is_multiple_of(TIDY) {
            self.tidy();
        }
        self.server.fuzz(bytes);
    }

    /// The lines of the calls that these bytes tell.
    pub fn lines(&mut self, bytes: &[u8]) -> Vec<String> {
        self.server.lines(bytes)
    }

    /// How many calls were judged.
    pub fn calls(&self) -> u64 {
        self.server.calls()
    }

    /// How long a fresh server takes to answer these lines, one after the other, to a client that does not look at the
    /// replies.
    ///
    /// # Panics
    /// When the server ends.
    pub fn bare(&self, lines: &[String]) -> Duration {
        self.tidy();
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime can be made");
        runtime.block_on(async {
            let (ours, theirs) = duplex(256 * 1024);
            tokio::spawn(served(self.folder.path().to_owned(), theirs));
            let mut stream = BufReader::new(ours);
            let mut reply = Vec::new();
            let opening = [
                r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bare","version":"1"}}}"#,
                r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            ];
            send(&mut stream, opening[0]).await;
            stream.read_until(b'\n', &mut reply).await.expect("the server answers");
            send(&mut stream, opening[1]).await;
            let begun = Instant::now();
            for line in lines {
                send(&mut stream, line).await;
                reply.clear();
                let read = stream.read_until(b'\n', &mut reply).await.expect("the server answers");
                assert!(read > 0, "the server has ended");
            }
            begun.elapsed()
        })
    }

    /// Puts the files back as they were.
    fn tidy(&self) {
        let root = self.folder.path();
        for entry in fs::read_dir(root).expect("the folder is ours").flatten() {
            let path = entry.path();
            let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            removed.expect("the folder is ours");
        }
        fs::create_dir(root.join("sub")).expect("the folder is ours");
        fs::write(root.join("notes.txt"), "alpha\nbeta\ngamma\n").expect("the folder is ours");
        fs::write(root.join("sub/more.txt"), "delta\nalpha\n").expect("the folder is ours");
    }
}

/// The server, until its client goes away.
async fn served(workdir: PathBuf, stream: DuplexStream) {
    let options = Options { workdir, log: Log::Off, ..Options::default() };
    let (reader, writer) = split(stream);
    // Its end is seen on the stream.
    let _ = serve(options, reader, writer).await;
}

async fn send(stream: &mut BufReader<DuplexStream>, line: &str) {
    let line = format!("{line}\n");
    stream.get_mut().write_all(line.as_bytes()).await.expect("the server reads");
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{ProptestConfig, any};
    use proptest::test_runner::TestRunner;

    use super::*;
    use crate::seeds;

    #[test]
    fn no_kept_call_of_the_sound_server_is_answered_against_a_rule() {
        let mut reference = Reference::new();
        seeds::each("reference_server", |bytes| reference.fuzz(bytes));
    }

    #[test]
    fn no_call_of_the_sound_server_is_answered_against_a_rule() {
        let reference = std::cell::RefCell::new(Reference::new());
        let mut runner =
            TestRunner::new(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() });
        let run = runner.run(&any::<[u8; 48]>(), |bytes| {
            reference.borrow_mut().fuzz(&bytes);
            Ok(())
        });
        run.expect("it is sound");
    }
}
