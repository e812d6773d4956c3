//! `matrix FILE.toml`: several servers in one table, whatever becomes of each.

use serde_json::Value;

use crate::program::{Folder, PROGRAM, folder, stderr, stdout};

/// Three servers: the reference server, the same with a defect, and one that is not there.
pub(crate) fn servers() -> Folder {
    let serve = format!("['{PROGRAM}', 'serve', '--contract', 'bracket-code', '--workdir', '{{workspace}}'");
    let host = format!(
        "{{\"mcpServers\": {{\"a\": {{\"command\": \"{PROGRAM}\", \"args\": [\"serve\", \"--workdir\", \"{{workspace}}\"]}}, \
         \"b\": {{\"command\": \"x\"}}}}}}"
    );
    let file = format!(
        "options = ['--filter', 'read/missing-file', '--confine', 'off']\n\
         [[server]]\nname = 'clean'\ncommand = {serve}]\n\
         [[server]]\nname = 'with a defect'\ncommand = {serve}]\nargs = ['--defect', 'code/missing']\n\
         [[server]]\nname = 'nobody'\ncommand = ['./no-such-server']\n\
         [[server]]\nname = 'unknown in the file'\nfrom = 'mcp.json'\nserver = 'c'\n\
         [[server]]\nname = 'of a host'\nfrom = 'mcp.json'\nserver = 'a'\nargs = ['--contract', 'tool-error']\n\
         contract = 'tool-error'\n"
    );
    folder().with("matrix.toml", &file).with("mcp.json", &host)
}

pub(crate) fn table(folder: &Folder, name: &str) -> Value {
    let text = folder.read(name);
    serde_json::from_str(&text).expect("it is JSON")
}

#[test]
fn a_server_that_does_not_start_stops_no_other_and_the_exit_code_is_the_gravest() {
    let folder = servers();
    let matrix = "matrix matrix.toml --keep kept --report human --report json=t.json --report markdown=t.md \
                  --report html=t.html";
    let run = folder.run_with(matrix, &[]).code(2);
    let output = table(&folder, "t.json");
    let rows = output["servers"].as_array().expect("they are rows");
    let of = |key: &str| rows.iter().map(|row| row[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("name"), ["clean", "with a defect", "nobody", "unknown in the file", "of a host"]);
    assert_eq!(of("exit_code"), [0, 1, 3, 2, 0], "{output:#}");
    assert_eq!(of("verdict"), ["conformant", "not conformant", "not exercised", "not run", "conformant"]);
    assert_eq!(
        (rows[1]["findings"]["must"].clone(), rows[4]["contract"].clone()),
        (1.into(), "tool-error".into())
    );
    assert!(rows[3]["why"].as_str().is_some_and(|why| why.contains("has no server `c`")), "{output:#}");
    // Each of them that came so far has its own report, the same as `run` writes.
    assert_eq!(folder.report("kept/with-a-defect.json").summary.findings.must, 1);
    assert_eq!(rows[3]["report"], Value::Null);
    let page = folder.read("t.html");
    assert!(page.contains("<a href=\"./kept/with-a-defect.html\">with a defect</a>"), "{page}");
    let own = folder.read("kept/with-a-defect.html");
    assert!(own.contains("not conformant: 1 finding"), "the page is the report");

    let human = stdout(&run);
    for line in
        ["clean ", "with a defect ", "exit 2, the gravest", "5 servers: 2 conformant, 1 not conformant"]
    {
        assert!(human.contains(line), "{human}");
    }
    assert!(stderr(&run).contains("note: 2 of 5: with a defect"), "{}", stderr(&run));
    let markdown = folder.read("t.md");
    assert_eq!(markdown.lines().filter(|line| line.starts_with("| ")).count(), 6, "{markdown}");
    let html = folder.read("t.html");
    assert_eq!(html.matches("<tr>").count(), 6, "{html}");

    folder.run(&["matrix", "matrix.toml", "--quiet", "--report", "json=again.json"]).code(2);
    let rows = |name: &str| {
        let mut rows = table(&folder, name)["servers"].clone();
        for row in rows.as_array_mut().expect("they are rows") {
            (row["duration_ms"], row["report"]) = (Value::Null, Value::Null);
        }
        rows
    };
    assert_eq!(rows("again.json"), rows("t.json"), "the same seed gives the same table");
}

#[test]
fn a_mistake_in_the_file_is_reported_with_its_place_before_anything_is_run() {
    for (text, output) in [
        (
            "[[server]]\nname = 'a'\ncomand = ['x']\n",
            "matrix.toml:3:1: unknown key `comand`: did you mean `command`?",
        ),
        (
            "options = ['--sed', '1']\n[[server]]\nname = 'a'\ncommand = ['x']\n",
            "matrix.toml:3:1: options of `a`: unexpected argument '--sed'",
        ),
        (
            "options = ['--report', 'json']\n[[server]]\nname = 'a'\ncommand = ['x']\n",
            "matrix.toml:3:1: options of `a`: --report applies to a single run",
        ),
        ("", "matrix.toml: no server is named"),
    ] {
        let run = folder().with("matrix.toml", text).run(&["matrix", "matrix.toml"]).code(2);
        assert!(stderr(&run).contains(output), "{}", stderr(&run));
    }
    let wrong = folder().with("matrix.toml", "").run(&["matrix", "matrix.toml", "--report", "humen"]).code(2);
    assert!(stderr(&wrong).contains("did you mean `human`?"), "{}", stderr(&wrong));
}

#[test]
#[cfg(feature = "reference-server")]
fn the_reference_server_is_a_row_of_its_own() {
    let folder = servers();
    let file =
        "options = ['--filter', 'read/missing-file']\n[[server]]\nname = 'nobody'\ncommand = ['./nobody']\n";
    let folder = folder.with("one.toml", file);
    folder.run(&["matrix", "one.toml", "--bundled", "--quiet", "--report", "json=t.json"]).code(3);
    let output = table(&folder, "t.json");
    let names: Vec<&Value> =
        output["servers"].as_array().expect("they are rows").iter().map(|row| &row["name"]).collect();
    assert_eq!(names, ["nobody", "reference server"]);
}

/// That the shards have together all servers of the file is shown where they are merged.
#[test]
fn a_shard_without_a_server_and_one_that_nothing_numbers_are_refused() {
    let folder = servers();
    let empty = folder.run(&["matrix", "matrix.toml", "--shard", "6/6"]).code(4);
    assert!(stderr(&empty).contains("shard 6/6 has no server"), "{}", stderr(&empty));
    let unknown = folder.run(&["matrix", "matrix.toml", "--shard", "auto"]).code(2);
    assert!(stderr(&unknown).contains("no variable numbers this run"), "{}", stderr(&unknown));
}
