//! Tests the bindings of real servers, from their recorded tool lists, and of misleading lists.

use std::collections::BTreeMap;
use std::path::PathBuf;

use proptest::prelude::*;
use serde::Deserialize;
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

/// Tools of which a name or a word misleads, and the roles that they play.
#[derive(Deserialize)]
struct Misleading {
    why: String,
    tools: Vec<ListedTool>,
    plays: Vec<String>,
}

/// A tool whose parameters are texts; `!` after a name makes it required.
#[derive(Deserialize)]
struct ListedTool {
    name: String,
    description: String,
    parameters: Vec<String>,
    #[serde(default)]
    enums: BTreeMap<String, Value>,
    #[serde(default)]
    annotations: Value,
}

#[test]
fn a_tool_plays_a_role_by_all_that_is_said_of_it() {
    for line in include_str!("recorded/misleading.jsonl").lines() {
        let Misleading { why, tools, plays } = serde_json::from_str(line).expect("a line is a list of tools");
        let listed =
            tools.into_iter().map(|ListedTool { name, description, parameters, enums, annotations }| {
                let parameters: Vec<&str> = parameters.iter().map(String::as_str).collect();
                let mut tool = tool(&name, &description, &parameters);
                for (parameter, values) in enums {
                    tool["inputSchema"]["properties"][parameter]["enum"] = values;
                }
                tool["annotations"] = annotations;
                tool
            });
        let bindings = bind(&catalog(&json!({ "tools": listed.collect::<Vec<_>>() })));
        let found: Vec<String> =
            bindings.iter().map(|binding| format!("{} {}", binding.role, binding.tool)).collect();
        assert_eq!(found, plays, "{why}: {}", reported(&bindings));
    }
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
