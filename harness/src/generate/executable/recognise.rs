//! What a parameter's value is to the server, told from names, descriptions, schemas and annotations.

use serde_json::Value;

use crate::catalog::Tool;
use crate::class::Class;

use super::{ExecutableKind, Language};

/// Names of parameters, in small letters and without what stands between their words, that say it alone.
const NAMED: [(ExecutableKind, &[&str]); 12] = [
    (
        ExecutableKind::Command,
        &[
            "command",
            "cmd",
            "commands",
            "commandline",
            "shellcommand",
            "bashcommand",
            "bash",
            "cmdline",
            "shellscript",
            "stdin",
            "exec",
            "execute",
            "startcommand",
            "hook",
        ],
    ),
    (ExecutableKind::Program, &["program", "executable", "binary", "interpreter", "shell", "exe", "runtime"]),
    (
        ExecutableKind::Code(Language::Other),
        &[
            "code",
            "script",
            "source",
            "sourcecode",
            "expression",
            "expr",
            "snippet",
            "program",
            "formula",
            "macro",
            "eval",
        ],
    ),
    (ExecutableKind::Code(Language::JavaScript), &["javascript", "js", "typescript", "pagefunction"]),
    (ExecutableKind::Code(Language::Python), &["python", "pythoncode", "pythonscript"]),
    (
        ExecutableKind::Sql,
        &["sql", "statement", "statements", "sqlquery", "dbquery", "ddl", "dml", "sqlstatement"],
    ),
    (
        ExecutableKind::Url,
        &[
            "url",
            "urls",
            "uri",
            "uris",
            "link",
            "links",
            "href",
            "webhook",
            "webhookurl",
            "endpoint",
            "callback",
            "website",
            "proxy",
            "remote",
            "repository",
            "giturl",
            "repourl",
            "origin",
            "feed",
            "homepage",
            "baseurl",
        ],
    ),
    (
        ExecutableKind::Host,
        &["host", "hostname", "ip", "ipaddress", "domain", "hosts", "server", "nameserver", "address"],
    ),
    (ExecutableKind::Port, &["port", "ports"]),
    (
        ExecutableKind::Mail,
        &[
            "to",
            "cc",
            "bcc",
            "recipient",
            "recipients",
            "email",
            "emails",
            "mail",
            "emailaddress",
            "mailto",
            "replyto",
            "from",
            "sender",
            "attendees",
            "invitees",
        ],
    ),
    (ExecutableKind::Phone, &["phone", "phonenumber", "tel", "telephone", "mobile", "sms", "msisdn"]),
    (ExecutableKind::Template, &["template", "templatestring"]),
];

/// Words in the description of a parameter, in small letters, that say it alone.
const DESCRIBED: [(ExecutableKind, &[&str]); 8] = [
    (
        ExecutableKind::Command,
        &[
            "shell command",
            "command to run",
            "command to execute",
            "commands to run",
            "commands to execute",
            "bash command",
            "command line",
        ],
    ),
    (ExecutableKind::Code(Language::Python), &["python code", "python script", "python expression"]),
    (
        ExecutableKind::Code(Language::JavaScript),
        &["javascript", "typescript code", "js code", "js expression"],
    ),
    (
        ExecutableKind::Code(Language::Other),
        &[
            "code to run",
            "code to execute",
            "code to evaluate",
            "script to run",
            "script to execute",
            "expression to evaluate",
            "to be executed",
            "to be evaluated",
        ],
    ),
    (ExecutableKind::Sql, &["sql"]),
    (ExecutableKind::Mail, &["email address", "e-mail address", "mail address"]),
    (ExecutableKind::Url, &["url ", "url.", "uri ", "uri.", "http://", "https://", "webhook"]),
    (ExecutableKind::Phone, &["phone number", "telephone number"]),
];

/// A tool with one of these words in its name executes something.
const EXECUTES: [&str; 17] = [
    "exec",
    "execute",
    "run",
    "eval",
    "evaluate",
    "shell",
    "bash",
    "terminal",
    "command",
    "commands",
    "cmd",
    "script",
    "interact",
    "spawn",
    "launch",
    "process",
    "powershell",
];

/// Names that say that a value is none of this: paths have their own draws, the rest is looked up and not executed.
const OTHERWISE: [&str; 16] = [
    "path",
    "file",
    "filepath",
    "filename",
    "dir",
    "directory",
    "folder",
    "cwd",
    "workingdirectory",
    "workdir",
    "id",
    "name",
    "timeout",
    "description",
    "title",
    "encoding",
];

/// What the parameter's value is to the server, if it is anything of this kind.
pub(super) fn recognise(tool: &Tool, parameter: &str, schema: &Value) -> Option<ExecutableKind> {
    let is_free = schema.get("enum").is_none() && schema.get("const").is_none();
    let is_number = is(schema, "integer") || is(schema, "number");
    let name = plain(parameter);
    if is_number {
        return (is_free
            && NAMED
                .iter()
                .any(|(kind, names)| *kind == ExecutableKind::Port && names.contains(&name.as_str())))
        .then_some(ExecutableKind::Port);
    }
    if !is_free || !(is_text(schema) || is_array(schema)) {
        return None;
    }
    let spoken = Spoken::of(tool, schema);
    let found = by_format(schema)
        .or_else(|| by_name(&name, &spoken))
        .or_else(|| by_text(&name, &spoken))
        .or_else(|| of_executor(&name, &spoken))?;
    Some(match found {
        ExecutableKind::Command
            if is_array(schema) && !["commands", "statements"].contains(&name.as_str()) =>
        {
            ExecutableKind::Words
        }
        ExecutableKind::Code(Language::Other) => spoken.code(),
        found => found,
    })
}

/// What a tool and its parameter say of themselves, in small letters.
struct Spoken {
    /// The words of the tool's name.
    name: Vec<String>,
    /// The tool's name and description.
    tool: String,
    /// The parameter's description and title.
    parameter: String,
    class: Class,
}

impl Spoken {
    fn of(tool: &Tool, schema: &Value) -> Self {
        let text = |key: &str| schema.get(key).and_then(Value::as_str).unwrap_or_default().to_lowercase();
        Self {
            name: words(&tool.name),
            tool: format!("{} {}", tool.name, tool.description).to_lowercase(),
            parameter: format!("{} {} ", text("description"), text("title")),
            class: Class::of(tool),
        }
    }

    fn says(&self, any: &[&str]) -> bool {
        any.iter().any(|word| self.parameter.contains(word) || self.tool.contains(word))
    }

    fn executes(&self) -> bool {
        self.name.iter().any(|word| EXECUTES.contains(&word.as_str()))
    }

    /// The language, where somebody names it; a shell's script is a command.
    fn code(&self) -> ExecutableKind {
        if self.says(&["python"]) {
            ExecutableKind::Code(Language::Python)
        } else if self.says(&["javascript", "typescript", "node", "browser", "puppeteer", "playwright"]) {
            ExecutableKind::Code(Language::JavaScript)
        } else if self.says(&["bash", "shell"]) {
            ExecutableKind::Command
        } else if self.says(&["sql"]) {
            ExecutableKind::Sql
        } else {
            ExecutableKind::Code(Language::Other)
        }
    }
}

/// The formats of JSON Schema that are opened or written to.
fn by_format(schema: &Value) -> Option<ExecutableKind> {
    let items = schema.get("items").and_then(|items| items.get("format"));
    match schema.get("format").or(items)?.as_str()? {
        "uri" | "url" | "iri" | "uri-reference" | "iri-reference" => Some(ExecutableKind::Url),
        "email" | "idn-email" => Some(ExecutableKind::Mail),
        "hostname" | "idn-hostname" | "ipv4" | "ipv6" => Some(ExecutableKind::Host),
        _ => None,
    }
}

fn by_name(name: &str, spoken: &Spoken) -> Option<ExecutableKind> {
    match name {
        "query" | "q" if spoken.says(&["graphql"]) => return Some(ExecutableKind::Code(Language::GraphQl)),
        "query" | "q" if spoken.says(&["cypher", "neo4j"]) => {
            return Some(ExecutableKind::Code(Language::Cypher));
        }
        "query" | "queries" | "q"
            if spoken.says(&[
                "sql",
                "database",
                "postgres",
                "duckdb",
                "bigquery",
                "snowflake",
                "clickhouse",
            ]) =>
        {
            return Some(ExecutableKind::Sql);
        }
        "args" | "arguments" | "argv" | "flags" | "options" if spoken.class != Class::Read => {
            return Some(ExecutableKind::Flags);
        }
        "package" | "packages" | "module" | "modules" | "dependency" | "dependencies" | "image"
        | "plugin" | "extension"
            if spoken.class == Class::Effect || spoken.says(&["install", "docker", "container"]) =>
        {
            return Some(ExecutableKind::Package);
        }
        // Where nothing is sent these name the ends of a range, a translation, a move.
        "to" | "from" | "cc" | "address" | "sender" | "source" | "hook"
            if !spoken.says(&["mail", "message", "send", "invite", "execut", "evaluat", "compile"]) =>
        {
            return None;
        }
        _ => {}
    }
    NAMED.iter().find(|(_, names)| names.contains(&name)).map(|(kind, _)| *kind).or_else(|| by_end(name))
}

/// The end of a longer name: `target_url`, `sql_query`, `init_script`.
fn by_end(name: &str) -> Option<ExecutableKind> {
    const ENDS: [(&str, ExecutableKind); 10] = [
        ("url", ExecutableKind::Url),
        ("uri", ExecutableKind::Url),
        ("webhook", ExecutableKind::Url),
        ("command", ExecutableKind::Command),
        ("cmd", ExecutableKind::Command),
        ("script", ExecutableKind::Code(Language::Other)),
        ("sql", ExecutableKind::Sql),
        ("email", ExecutableKind::Mail),
        ("hostname", ExecutableKind::Host),
        ("expression", ExecutableKind::Code(Language::Other)),
    ];
    ENDS.iter().find(|(end, _)| name.ends_with(end)).map(|(_, kind)| *kind)
}

fn by_text(name: &str, spoken: &Spoken) -> Option<ExecutableKind> {
    if OTHERWISE.contains(&name) {
        return None;
    }
    let said = |words: &[&str]| words.iter().any(|word| spoken.parameter.contains(word));
    DESCRIBED.iter().find(|(_, words)| said(words)).map(|(kind, _)| *kind)
}

/// Any other text that goes to a tool that executes: in doubt it is what is executed.
fn of_executor(name: &str, spoken: &Spoken) -> Option<ExecutableKind> {
    let is_otherwise =
        OTHERWISE.iter().any(|other| name == *other || name.len() > other.len() && name.ends_with(other));
    if !spoken.executes() || spoken.class == Class::Read || is_otherwise {
        return None;
    }
    Some(match spoken.code() {
        ExecutableKind::Code(Language::Other) => ExecutableKind::Command,
        code => code,
    })
}

/// Whether the schema takes texts; one that says nothing takes them too.
pub(super) fn is_text(schema: &Value) -> bool {
    is(schema, "string")
        || schema.get("type").is_none() && !schema.get("properties").is_some_and(Value::is_object)
}

/// Whether the schema asks for an array.
pub(super) fn is_array(schema: &Value) -> bool {
    is(schema, "array") && !is(schema, "string")
}

fn is(schema: &Value, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(only)) => only == name,
        Some(Value::Array(several)) => several.iter().any(|one| one == name),
        _ => ["anyOf", "oneOf"]
            .iter()
            .filter_map(|key| schema.get(key)?.as_array())
            .flatten()
            .any(|one| one.get("type").is_some_and(|kind| kind == name)),
    }
}

/// A name in small letters, without what stands between its words.
fn plain(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The words of a name in small letters.
fn words(name: &str) -> Vec<String> {
    let mut spaced = String::new();
    let mut before_is_small = false;
    for letter in name.chars() {
        if letter.is_uppercase() && before_is_small || !letter.is_alphanumeric() {
            spaced.push(' ');
        }
        before_is_small = letter.is_lowercase();
        if letter.is_alphanumeric() {
            spaced.extend(letter.to_lowercase());
        }
    }
    spaced.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::catalog::Catalog;

    /// What is recognised of the one parameter of a tool.
    fn check(
        tool: &str,
        description: &str,
        parameter: &str,
        schema: &Value,
        expected: Option<ExecutableKind>,
    ) {
        let mut properties = serde_json::Map::new();
        properties.insert(parameter.to_owned(), schema.clone());
        let item = json!({"name": tool, "description": description, "inputSchema": {"type": "object", "properties": properties}});
        let mut catalog = Catalog::default();
        catalog.add_page(&json!({ "tools": [item] }));
        assert_eq!(recognise(&catalog.tools[0], parameter, schema), expected, "{tool}.{parameter} {schema}");
    }

    fn text() -> Value {
        json!({"type": "string"})
    }

    #[test]
    fn a_command_is_recognised_by_name_by_text_and_by_what_the_tool_does() {
        check("run_command", "", "command", &text(), Some(ExecutableKind::Command));
        check(
            "open",
            "",
            "value",
            &json!({"type": "string", "description": "The shell command that is meant"}),
            Some(ExecutableKind::Command),
        );
        check("interact_with_process", "", "input", &text(), Some(ExecutableKind::Command));
        check("bash", "Runs it.", "what", &text(), Some(ExecutableKind::Command));
        check("job", "", "pre_command", &text(), Some(ExecutableKind::Command));
        check("lookup", "Finds commands in the manual.", "topic", &text(), None);
    }

    #[test]
    fn a_command_as_an_array_is_a_program_with_arguments() {
        let array = json!({"type": "array", "items": {"type": "string"}});
        check("shell_execute", "", "command", &array, Some(ExecutableKind::Words));
        check("shell_execute", "", "commands", &array, Some(ExecutableKind::Command));
        check("start_process", "", "args", &array, Some(ExecutableKind::Flags));
        check("start_process", "", "shell", &text(), Some(ExecutableKind::Program));
    }

    #[test]
    fn code_is_recognised_with_its_language() {
        check("run_python", "", "code", &text(), Some(ExecutableKind::Code(Language::Python)));
        check(
            "browser_evaluate",
            "",
            "expression",
            &text(),
            Some(ExecutableKind::Code(Language::JavaScript)),
        );
        check(
            "notebook",
            "Evaluates a cell.",
            "source",
            &text(),
            Some(ExecutableKind::Code(Language::Other)),
        );
        check("calculate", "", "formula", &text(), Some(ExecutableKind::Code(Language::Other)));
        check("shell", "Bash.", "script", &text(), Some(ExecutableKind::Command));
        check(
            "graph",
            "Runs a GraphQL query.",
            "query",
            &text(),
            Some(ExecutableKind::Code(Language::GraphQl)),
        );
        check("graph", "Asks Neo4j.", "query", &text(), Some(ExecutableKind::Code(Language::Cypher)));
    }

    #[test]
    fn sql_is_recognised_and_a_search_is_not_taken_for_it() {
        check("query", "Asks the PostgreSQL database.", "query", &text(), Some(ExecutableKind::Sql));
        check("read_query", "", "sql", &text(), Some(ExecutableKind::Sql));
        check("search_files", "Searches files.", "query", &text(), None);
    }

    #[test]
    fn addresses_and_computers_are_recognised() {
        check("fetch", "", "url", &text(), Some(ExecutableKind::Url));
        check("fetch", "", "target", &json!({"type": "string", "format": "uri"}), Some(ExecutableKind::Url));
        check(
            "get",
            "",
            "page",
            &json!({"type": "string", "description": "The URL of the page"}),
            Some(ExecutableKind::Url),
        );
        check("ping", "", "host", &text(), Some(ExecutableKind::Host));
        check("connect", "", "port", &json!({"type": "integer"}), Some(ExecutableKind::Port));
        check("read_file", "", "isUrl", &json!({"type": "boolean"}), None);
        check(
            "read_file",
            "",
            "path",
            &json!({"type": "string", "description": "A path or URL of a file"}),
            None,
        );
    }

    #[test]
    fn whoever_is_written_to_is_recognised() {
        check("send_mail", "", "to", &text(), Some(ExecutableKind::Mail));
        check("invite", "", "who", &json!({"type": "string", "format": "email"}), Some(ExecutableKind::Mail));
        check("send_sms", "", "phone_number", &text(), Some(ExecutableKind::Phone));
        check("convert", "Converts between units.", "to", &text(), None);
    }

    #[test]
    fn packages_and_templates_are_recognised() {
        check("install_package", "", "package", &text(), Some(ExecutableKind::Package));
        check("run_container", "", "image", &text(), Some(ExecutableKind::Package));
        check("render", "", "template", &text(), Some(ExecutableKind::Template));
    }

    #[test]
    fn what_is_one_of_a_closed_set_or_no_text_is_left_to_the_schema() {
        check("run", "", "shell", &json!({"enum": ["sh", "bash"]}), None);
        check("run_command", "", "timeout", &json!({"type": "integer"}), None);
        check("run_command", "", "cwd", &text(), None);
        check("read_file", "", "path", &text(), None);
    }
}
