//! Tests the bindings of real servers, from their recorded tool lists, and of misleading lists.

use std::path::PathBuf;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::catalog::Catalog;

use super::{Binding, Role, bind};

fn catalog(tools_list: &Value) -> Catalog {
    let mut catalog = Catalog::default();
    catalog.add_page(tools_list);
    catalog
}

/// One line for each binding, as a table.
fn reported(bindings: &[Binding]) -> String {
    let line = |binding: &Binding| {
        let parameters: Vec<_> = binding
            .parameters
            .iter()
            .map(|(role, tool)| if role == tool { role.clone() } else { format!("{role}={tool}") })
            .collect();
        let fixed = if binding.fixed.is_empty() {
            String::new()
        } else {
            format!(" + {}", Value::Object(binding.fixed.clone()))
        };
        let numbers = if binding.numbers.is_empty() {
            String::new()
        } else {
            format!(" numbers: {}", binding.numbers.join(" "))
        };
        format!(
            "{}: {} ({}){fixed}{numbers}\n    {}\n",
            binding.role,
            binding.tool,
            parameters.join(" "),
            binding.why
        )
    };
    bindings.iter().map(line).collect()
}

#[test]
fn the_tools_of_recorded_servers_are_bound_as_a_person_would() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/catalogs");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut table = String::new();
    for file in files {
        let list = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        table +=
            &format!("== {}\n{}\n", file.file_stem().unwrap().display(), reported(&bind(&catalog(&list))));
    }
    insta::assert_snapshot!(table);
}

/// A tool whose parameters are texts; `!` after a name makes it required.
fn tool(name: &str, description: &str, parameters: &[&str]) -> Value {
    let named = |parameter: &&&str| parameter.ends_with('!');
    let required: Vec<_> = parameters.iter().filter(named).map(|name| name.trim_end_matches('!')).collect();
    let properties: serde_json::Map<_, _> = parameters
        .iter()
        .map(|name| (name.trim_end_matches('!').to_owned(), json!({ "type": "string" })))
        .collect();
    json!({ "name": name, "description": description,
            "inputSchema": { "type": "object", "properties": properties, "required": required } })
}

/// Checks which of these tools plays which role.
fn check(tools: &[Value], expected: &[(Role, &str)]) {
    let bindings = bind(&catalog(&json!({ "tools": tools })));
    let found: Vec<_> = bindings.iter().map(|binding| (binding.role, binding.tool.as_str())).collect();
    assert_eq!(found, expected, "{}", reported(&bindings));
}

#[test]
fn a_tool_about_something_else_plays_no_role() {
    let mut listed = tool("run_command", "Run a workspace command", &["command!"]);
    listed["inputSchema"]["properties"]["command"]["enum"] = json!(["build", "test"]);
    let mut wiki = tool("wiki", "Manages the pages of the wiki", &["action!", "path!", "content"]);
    wiki["inputSchema"]["properties"]["action"]["enum"] = json!(["create", "view", "search"]);
    for tool in [
        tool("browser_execute", "Run a command in the browser", &["command!"]),
        tool("execute_command", "Executes a command of the page in Chrome", &["command!"]),
        tool("redis_command", "Run a Redis command", &["command!"]),
        tool("send_command", "Sends a command to the game", &["command!"]),
        tool("kubectl", "Kubernetes", &["command!"]),
        tool("vet_command", "Vets a shell command before it is executed", &["command!"]),
        tool("explain_shell_command", "Explains what a command line does", &["command!"]),
        tool("shell_split", "Take a shell-like command string apart", &["command!"]),
        tool(
            "command_preflight",
            "Looks at a command before it runs in a shell. Must not execute anything.",
            &["command!"],
        ),
        listed,
        tool("search", "Search the web", &["query!"]),
        tool("web_search", "Finds files on the internet", &["query!", "path"]),
        tool("search", "Search issues", &["query!"]),
        tool("search_nodes", "Search for nodes in the knowledge graph", &["query!"]),
        tool("glob_match", "Match a glob pattern against a path", &["pattern!", "path!"]),
        wiki,
        tool("update_redirect", "Changes a redirect of the site", &["path!", "old!", "new!"]),
        tool("create_content", "Creates an article", &["path!", "content!"]),
        // There is no fair value for the owner of a repository.
        tool("get_file_contents", "Get the contents of a file", &["owner!", "repo!", "path!"]),
        tool("browser_navigate", "Navigates to a URL", &["url!"]),
        tool("search_url", "Searches the web", &["query!"]),
        tool("http_post", "Posts to a URL", &["url!", "body"]),
        // Without an agent, no other agent can be in the way.
        tool("reserve_files", "Reserves files", &["patterns!"]),
    ] {
        check(&[tool], &[]);
    }
}

#[test]
fn an_edit_that_overwrites_is_no_replacement() {
    check(
        &[tool("edit_file", "Overwrites the entire content of a file", &["path!", "content!"])],
        &[(Role::Write, "edit_file")],
    );
}

#[test]
fn a_tool_that_is_meant_for_writing_comes_before_an_edit_that_overwrites() {
    check(
        &[
            tool("edit_file", "Overwrites the entire content of a file", &["path!", "content!"]),
            tool("create_file", "Creates a file", &["path!", "content!"]),
        ],
        &[(Role::Write, "create_file")],
    );
}

#[test]
fn one_editor_plays_several_roles_by_the_command_that_it_is_given() {
    for enumerated in [true, false] {
        let mut editor = tool(
            "str_replace_editor",
            "Custom editing tool for viewing, creating and editing files",
            &["command!", "path!", "file_text", "old_str", "new_str", "insert_line"],
        );
        let command = &mut editor["inputSchema"]["properties"]["command"];
        if enumerated {
            command["enum"] = json!(["view", "create", "str_replace", "insert"]);
        } else {
            command["description"] =
                json!("The commands to run. Allowed options are: `view`, `create`, `str_replace`, `insert`.");
        }
        let bindings = bind(&catalog(&json!({ "tools": [editor] })));
        let found: Vec<_> = bindings
            .iter()
            .map(|binding| (binding.role, Value::Object(binding.fixed.clone()).to_string()))
            .collect();
        assert_eq!(
            found,
            [
                (Role::Read, r#"{"command":"view"}"#.to_owned()),
                (Role::Write, r#"{"command":"create"}"#.to_owned()),
                (Role::Replace, r#"{"command":"str_replace"}"#.to_owned()),
            ],
            "{}",
            reported(&bindings)
        );
    }
}

#[test]
fn a_tool_that_asks_what_an_address_names_plays_http() {
    check(
        &[tool("fetch", "Fetches a URL from the internet", &["url!", "max_length"])],
        &[(Role::Http, "fetch")],
    );
    check(&[tool("http_get", "Gets a page", &["path!"])], &[(Role::Http, "http_get")]);
    check(&[tool("api_request", "Calls the API", &["endpoint!"])], &[(Role::Http, "api_request")]);
}

#[test]
fn who_reserves_files_for_an_agent_is_told_from_who_releases_them() {
    let tools = [
        tool("reserve_files", "Reserves files", &["agent_id!", "patterns!"]),
        tool("release_files", "Releases files", &["agent_id!", "patterns!"]),
        tool("check_conflicts", "Checks reservations", &["agent_id!", "patterns!"]),
    ];
    check(&tools, &[(Role::Reserve, "reserve_files"), (Role::Release, "release_files")]);
}

#[test]
fn a_tool_that_only_reads_is_no_shell() {
    let mut read_only = tool("shell", "A shell", &["command!"]);
    check(&[read_only.clone()], &[(Role::Shell, "shell")]);
    read_only["annotations"] = json!({"readOnlyHint": true});
    check(&[read_only], &[]);
    check(&[tool("glob", "Find files", &["pattern!", "path"])], &[(Role::Glob, "glob")]);
}

#[test]
fn grep_and_glob_are_told_apart_by_what_is_said_of_them() {
    check(
        &[
            tool(
                "search_files",
                "Recursively search for files and directories matching a pattern",
                &["path!", "pattern!"],
            ),
            tool("search_files_content", "Searches for text in the content of files", &["path!", "pattern!"]),
        ],
        &[(Role::Grep, "search_files_content"), (Role::Glob, "search_files")],
    );
    check(
        &[tool("search_text", "Searches file contents", &["query!", "path"])],
        &[(Role::Grep, "search_text")],
    );
    check(&[tool("find", "Find files by name", &["pattern!", "path"])], &[(Role::Glob, "find")]);
}

#[test]
fn a_glob_beside_what_is_looked_for_is_filled_and_not_taken_for_it() {
    let mut search = tool(
        "search_files_content",
        "Searches for text or regex patterns in files",
        &["path!", "pattern!", "query!"],
    );
    search["inputSchema"]["properties"]["pattern"]["description"] =
        json!("The file glob pattern to match (e.g., \"*.rs\").");
    search["inputSchema"]["properties"]["is_regex"] = json!({ "type": ["boolean", "null"] });
    let bindings = bind(&catalog(&json!({ "tools": [search] })));
    assert_eq!(
        reported(&bindings),
        "grep: search_files_content (path pattern=query) + {\"is_regex\":true,\"pattern\":\"**/*\"}\n    \
         named `search_files_content`; `query` is searched for in files; it requires `pattern`: \"**/*\" is \
         sent\n"
    );
}

#[test]
fn names_in_any_writing_are_understood() {
    check(
        &[
            tool("readFile", "", &["filePath!"]),
            tool("write-file", "", &["file_path!", "contents!"]),
            tool("fs.strReplace", "", &["FilePath!", "oldString!", "newString!"]),
        ],
        &[(Role::Read, "readFile"), (Role::Write, "write-file"), (Role::Replace, "fs.strReplace")],
    );
    check(
        &[
            tool("fs_read", "Read a text file.", &["path!"]),
            tool("fs_write", "Write (creating or overwriting) a text file.", &["path!", "content!"]),
        ],
        &[(Role::Read, "fs_read"), (Role::Write, "fs_write")],
    );
    check(
        &[
            tool("Read", "Reads a file (text, image, notebook)", &["file_path!"]),
            tool("BashOutput", "Retrieves output from a background bash shell", &["bash_id!"]),
            tool("KillBash", "Kills a background bash shell", &["shell_id!"]),
            tool("Bash", "Executes a bash command", &["command!"]),
        ],
        &[(Role::Shell, "Bash"), (Role::TaskOutput, "BashOutput"), (Role::Read, "Read")],
    );
}

#[test]
fn of_two_tools_that_are_as_good_the_one_listed_first_is_bound() {
    let (one, other) = (tool("bash", "", &["command!"]), tool("shell", "", &["command!"]));
    check(&[one.clone(), other.clone()], &[(Role::Shell, "bash")]);
    check(&[other, one], &[(Role::Shell, "shell")]);
}

#[test]
fn the_tools_of_the_contracts_own_document_are_all_bound() {
    let flag = |name: &str, mut tool: Value| {
        tool["inputSchema"]["properties"][name] = json!({ "type": ["null", "boolean"] });
        tool
    };
    let with = |name: &str, schema: Value, mut tool: Value| {
        tool["inputSchema"]["properties"][name] = schema;
        tool
    };
    let lines = |tool: Value| {
        let line = json!({ "type": "integer" });
        with("start_line", line.clone(), with("end_line", line, tool))
    };
    let timeout = json!({ "type": "integer", "description": "in milliseconds" });
    let range = json!({ "type": "array", "items": { "type": "integer" } });
    let tools = [
        flag(
            "run_in_background",
            with(
                "timeout",
                timeout,
                tool("bash", "Executes a bash command with optional timeout", &["command!", "description"]),
            ),
        ),
        tool("create_file", "Create a new file or overwrite an existing one", &["path!", "content!"]),
        tool("glob", "Find files by glob pattern", &["pattern!", "path", "type"]),
        tool(
            "grep",
            "Search file contents using regex patterns",
            &["pattern!", "path", "include", "type", "output_mode"],
        ),
        flag(
            "replace_all",
            tool("str_replace", "Replace a unique string in a file", &["path!", "old_str!", "new_str"]),
        ),
        tool("task_output", "Retrieve output from a background bash command by task_id", &["task_id!"]),
        with(
            "view_range",
            range,
            tool("view", "Read a file from the filesystem, or list a directory", &["path!"]),
        ),
        lines(tool("blame_range", "Git blame for a range of lines", &["path!"])),
        tool("file_history", "Commits that touched a file", &["path!", "ref"]),
    ];
    let bindings = bind(&catalog(&json!({ "tools": tools })));
    let mut played = Role::PLAYED.to_vec();
    // The roles of other contracts.
    let others = [Role::Http, Role::Reserve, Role::Release];
    played.retain(|role| role.members("edits").is_empty() && !others.contains(role));
    assert_eq!(bindings.iter().map(|binding| binding.role).collect::<Vec<_>>(), played);
    for binding in &bindings {
        let placed: Vec<_> = binding
            .role
            .parameters()
            .iter()
            .filter(|name| !binding.parameters.contains_key(**name))
            .collect();
        assert!(placed.is_empty(), "{} lacks {placed:?}", binding.role);
    }
}

/// Arbitrary JSON in place of a schema.
fn any_json() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "type",
        "properties",
        "items",
        "required",
        "enum",
        "$ref",
        "anyOf",
        "path",
        "command",
        "edits",
        "oldText",
        "newText",
        "string",
        "array",
        "object",
        "#/properties/path",
        "#",
        "description",
        "{a, b}",
        "default",
        "pattern",
    ]);
    let leaf = prop_oneof![
        word.clone().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
        any::<i64>().prop_map(Value::from)
    ];
    leaf.prop_recursive(5, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((word.clone(), inner), 0..5).prop_map(|members| members
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect()),
        ]
    })
}

proptest! {
    #[test]
    fn any_schema_is_bound_or_not_and_never_panics(schema in any_json(), name: String, description: String) {
        for name in ["bash", "read_file", "edit_file", "grep", "start_search", name.as_str()] {
            let list = json!({ "tools": [{ "name": name, "description": description, "inputSchema": schema }] });
            for binding in bind(&catalog(&list)) {
                prop_assert!(binding.role.required().iter().all(|required| binding.parameters.contains_key(*required)));
            }
        }
    }
}
