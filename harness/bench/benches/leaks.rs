//! How fast the leak rules are together: `cargo bench -p mcp-errconf-bench --bench leaks`.
//!
//! - Megabytes a second on long clean text, on one core.
//! - Typical messages a second: the search with what the caller sent at hand, and the whole way of a run.
//! - Texts that are made to be slow, doubled: the time must double with them, and not grow faster.

use std::hint::black_box;
use std::time::Duration;

use mcp_errconf::corpus::{self, LabelledText};
use mcp_errconf::rules::leaks;
use mcp_errconf::wording::Echo;
use mcp_errconf_bench::{median, thread_time};

const ROUNDS: usize = 7;

fn main() {
    long_text();
    messages();
    adversarial();
}

fn timed<T>(mut work: impl FnMut() -> T) -> Duration {
    let times = (0..ROUNDS).map(|_| {
        let begun = thread_time();
        black_box(work());
        thread_time().saturating_sub(begun)
    });
    median(times.collect())
}

/// Prose, a listing, source code and a log, without a leak.
const PARAGRAPHS: [&str; 5] = [
    "The file was read and every line of it was compared with the pattern, but nothing matched. Lists are returned in \
     pages of fifty; ask for the next page with the cursor that came with this one.\n",
    "README.md  12 KB  2024-05-01\nsrc/  folder\nnotes.txt  3 KB  2024-04-30\nmain.c  8 KB  2023-11-02\n",
    "fn view(path: &Path, limit: usize) -> Result<String, Failure> {\n    let text = read(path)?;\n    text.lines().take(limit).collect()\n}\n",
    "2024-05-01 10:00:01 INFO request 4711 took 12 ms, 3 items, client 10.0.0.7\n",
    "In the beginning there was one table and it held everything; later each tenant got a schema of its own, and the \
     values that were shared moved to a third place. \u{e4}\u{f6}\u{fc}\n",
];

fn long_text() {
    let text: String = PARAGRAPHS.iter().cycle().take(20_000).copied().collect();
    assert_eq!(leaks(&text, &Echo::default()), [], "the text is clean");
    let took = timed(|| leaks(&text, &Echo::default()));
    println!(
        "long clean text: {:.0} MB/s ({} bytes in {took:.1?})",
        rate(text.len(), took) / 1e6,
        text.len()
    );
}

fn rate(count: usize, took: Duration) -> f64 {
    count as f64 / took.as_secs_f64()
}

/// Well-worded errors, as most replies are, and every twentieth a leak.
fn messages() {
    let sent = serde_json::json!({"path": "/workspace/notes.txt", "limit": 5});
    let echo = Echo::of_values(&sent, &mcp_errconf::placeholder::Folders::default());
    let clean = [
        "File not found: /workspace/notes.txt. List its folder to see what is there.",
        "Required parameter 'path' is missing.",
        "'limit' must be a whole number from 1 to 100, got 5.",
        "[BASH_TASK_NOT_FOUND] No task 't9' in this session. Start one with run_in_background: true.",
        "could not read /workspace/notes.txt: permission denied",
        "old_str occurs 3 times in /workspace/notes.txt; add context, or set replace_all: true.",
        "The pattern '(' does not compile: missing closing ).",
    ];
    let leak = "open /workspace/notes.txt: no such file or directory";
    let texts: Vec<&str> = (0..20_000)
        .map(|number| if number % 20 == 19 { leak } else { clean[number % clean.len()] })
        .collect();
    let took = timed(|| texts.iter().map(|text| leaks(text, &echo).len()).sum::<usize>());
    println!("typical messages: {:.0} a second", rate(texts.len(), took));
    let lines: Vec<LabelledText> = texts.iter().take(2_000).map(|text| line(text)).collect();
    let took = timed(|| lines.iter().map(|line| corpus::findings(line).len()).sum::<usize>());
    println!("typical messages, each judged as a run of its own: {:.0} a second", rate(lines.len(), took));
}

fn line(text: &str) -> LabelledText {
    let object = serde_json::json!({"id": "x", "text": text, "label": "clean", "language": "none", "kind": "x",
        "context": {"path": "/workspace/notes.txt"}});
    serde_json::from_value(object).expect("it is a line")
}

/// What repeats the beginnings of many patterns and never ends one.
fn adversarial() {
    let beginnings: [(&str, &str); 8] = [
        ("openings of Go's errors", "open /a/b: open /a/b: stat "),
        ("names with dots", "a.b.c.d.e.f.g.h.java.lang.x.System."),
        ("braces and colons", "{a: {b: [x, {Name:Count:"),
        ("frames without an end", "\n    at a (\n  at b.c\n"),
        ("quotes", "'\"`'\"`Cannot invoke \"Cannot invoke \""),
        ("wrappers", "Error: Error: failed: view: "),
        ("numbers", "0x7f0x7f0x7f line 12: 34:56 at 7 "),
        ("zod without an end", "\"code\": \"invalid_type\", \"path\" \"code\": "),
    ];
    for (name, part) in beginnings {
        let mut last: Option<Duration> = None;
        let mut factors = Vec::new();
        let mut bytes = 0;
        for size in [64, 128, 256, 512, 1024] {
            let text = part.repeat(size * 1024 / part.len());
            bytes = text.len();
            let took = timed(|| leaks(&text, &Echo::default()));
            factors.extend(last.map(|last| format!("{:.1}", took.as_secs_f64() / last.as_secs_f64())));
            last = Some(took);
        }
        let took = last.unwrap_or_default();
        let speed = rate(bytes, took) / 1e6;
        println!(
            "{name}: doubled four times, the time grew by {} ({speed:.0} MB/s at 1 MB)",
            factors.join(", ")
        );
    }
}
