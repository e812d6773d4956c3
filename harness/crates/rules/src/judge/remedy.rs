//! Advice on how to get more of a tool judged: a line for the configuration, or an option.
//!
//! The main function is [`next`].

use serde_json::{Map, Value, json};

use crate::catalog::Tool;
use crate::class::Class;
use crate::confinement::Denial;
use crate::document::quoted;
use crate::json_schema::{chosen, first_type};
use crate::names::affinity::{belong_together, makes};
use crate::names::name_words;
use crate::pattern;
use crate::transcript::Withheld;

/// At most this many parameters are shown for a tool that requires none.
const OPTIONAL: usize = 2;

/// What is known about a tool that was not judged completely.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnjudgedTool<'a> {
    /// Why no more was judged.
    pub(super) why: Option<&'a str>,
    /// What was withheld from it.
    pub(super) withheld: Option<&'a Withheld>,
    /// The key that its replies ask for.
    pub(super) key: Option<&'a str>,
    /// Whether a successful call of the tool is known.
    pub(super) valid_call: ValidCallKnown,
    /// Whether it refused a path in the workspace because it works in other folders.
    pub(super) is_elsewhere: bool,
    /// Whether its calls name a thing by an id that another tool of the server gives at run time.
    pub(super) is_of_made: bool,
}

/// Whether a successful call of a tool is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValidCallKnown {
    Known,
    Unknown,
}

/// The beginning of the reason for a refused call, followed by the first line of the reply.
pub const REFUSED: &str = "it was refused: ";

/// The same for a refusal without `isError`.
pub const UNFLAGGED: &str = "its reply is not a success, although it is not flagged as an error: ";

/// How every reason begins that says that no successful call of a tool is known.
const NO_VALID_CALL: &str = "no valid call is known for ";

/// The beginning of the reason for a case of a tool without a known successful call.
pub fn no_valid_call(tool: &str) -> String {
    format!("{NO_VALID_CALL}`{tool}`: ")
}

/// Whether a case was not judged because no successful call of its tool is known.
pub fn is_without_valid_call(reason: &str) -> bool {
    reason.starts_with(NO_VALID_CALL)
}

/// The reason without the tool's name, for places that name the tool anyway. Only a call with arguments can be set in the
/// configuration.
pub(super) fn in_short(why: String, tool: &Tool) -> String {
    match why.strip_prefix(&no_valid_call(&tool.name)) {
        Some(reply) => {
            let reply = reply.strip_prefix(REFUSED).map_or_else(
                || format!("its control did not succeed: {reply}"),
                |reply| format!("its control was refused: {reply}"),
            );
            match example(tool) {
                Some(_) => format!("set `[tools.{}] valid`: {reply}", key_of(&tool.name)),
                None => reply,
            }
        }
        None => why,
    }
}

/// The key that a reply asks for: the name of an environment variable, or words such as `API key`. Words that
/// the caller sent do not count.
pub(super) fn key<'t>(text: &'t str, sent: &Value) -> Option<&'t str> {
    let sent = sent.to_string();
    let found = pattern!("cause/key-variable")
        .find(text)
        .or_else(|| pattern!("cause/key-words").find(text))
        .map(|found| found.as_str());
    found.filter(|name| !sent.contains(name))
}

/// What keeps a tool from being judged completely.
#[derive(Debug, Clone, Copy)]
enum Obstacle<'a> {
    /// Its replies ask for this key.
    Key(&'a str),
    /// The confinement denied it something.
    Denial(Denial<'a>),
    /// It refuses paths in the workspace because it works in other folders.
    Elsewhere,
    /// Calls were withheld because of its class.
    Class,
    /// Calls were withheld because of a limit on their number.
    Limit,
    /// No successful call of it is known.
    NoValidCall,
}

impl<'a> UnjudgedTool<'a> {
    /// The obstacle to remove first.
    fn obstacle(self) -> Option<Obstacle<'a>> {
        let denial = self.why.and_then(Denial::of);
        let is_open = self.valid_call == ValidCallKnown::Unknown;
        let is_withheld = |withheld: &&Withheld| self.why == Some(withheld.why.as_str());
        match (self.key, denial, self.withheld.filter(is_withheld)) {
            (Some(key), ..) => Some(Obstacle::Key(key)),
            (_, Some(Denial::Avoidable(_)), _) => denial.map(Obstacle::Denial),
            _ if is_open && self.is_elsewhere => Some(Obstacle::Elsewhere),
            (_, Some(Denial::Final), _) => denial.map(Obstacle::Denial),
            (.., Some(withheld)) if withheld.is_at_limit() => Some(Obstacle::Limit),
            (.., Some(_)) => Some(Obstacle::Class),
            _ => is_open.then_some(Obstacle::NoValidCall),
        }
    }
}

/// The advice; `None` if nothing is known that would help.
pub(super) fn next(tool: &Tool, open: UnjudgedTool<'_>) -> Option<String> {
    let class = |comment: &str| Some(format!("{}\nclass = \"read\"  # {comment}", table(tool)));
    match open.obstacle()? {
        Obstacle::Key(key) if is_variable(key) => Some(format!("--env {key}")),
        Obstacle::Key(_) => Some("--env NAME  # the variable that holds the key".to_owned()),
        Obstacle::Denial(Denial::Avoidable(option)) => Some(option.to_owned()),
        Obstacle::Elsewhere => Some(
            "[server]\ncwd = \"{workspace}\"  # its tools refuse paths elsewhere; start its program by an absolute path then. Or name `{workspace}` to it on its command line or \
             in a variable"
                .to_owned(),
        ),
        // A tool that reads was also tried without confinement, and ran into the same.
        Obstacle::Denial(Denial::Final) if Class::from_tool(tool) == Class::Read => None,
        Obstacle::Denial(Denial::Final) => {
            class("if it changes nothing: its calls are then made without confinement")
        }
        Obstacle::Class => class("if it changes nothing"),
        Obstacle::Limit => None,
        // An id of the next run is not known before it.
        Obstacle::NoValidCall if open.is_of_made => None,
        Obstacle::NoValidCall => Some(format!("{}\nvalid = {}", table(tool), inline(&example(tool)?))),
    }
}

/// Whether the reason is that the tool refused a path in the workspace because it works in other folders.
pub(super) fn is_elsewhere(why: &str) -> bool {
    let refusal = why.rsplit_once(REFUSED).or_else(|| why.rsplit_once(UNFLAGGED));
    refusal.is_some_and(|(_, refusal)| {
        refusal.contains("{workspace}") && pattern!("cause/elsewhere").is_match(refusal)
    })
}

/// Whether the calls of a tool name a thing by an id that another tool of the server gives.
pub(super) fn is_of_made(tool: &Tool, catalog: &[Tool]) -> bool {
    let is_id = |name: &str| name_words(name).last().is_some_and(|word| word == "id");
    let names_one = || tool.required().any(is_id);
    let is_maker =
        |other: &&Tool| other.name != tool.name && makes(&other.name) && belong_together(tool, other);
    !makes(&tool.name) && names_one() && catalog.iter().any(|other| is_maker(&other))
}

fn is_variable(key: &str) -> bool {
    key.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

fn table(tool: &Tool) -> String {
    format!("[tools.{}]", key_of(&tool.name))
}

/// Arguments of the right form with values to be filled in; `None` if the tool takes none.
fn example(tool: &Tool) -> Option<Value> {
    let mut names: Vec<&str> = tool.required().collect();
    if names.is_empty() {
        names = tool.parameters().map(|(name, _)| name).take(OPTIONAL).collect();
    }
    let own: Map<String, Value> = names
        .iter()
        .map(|name| {
            let schema = tool.parameter(name).unwrap_or(&Value::Null);
            ((*name).to_owned(), filled(chosen(schema, &tool.input_schema)))
        })
        .collect();
    (!own.is_empty()).then(|| tool.wrap(Value::Object(own)))
}

/// A placeholder for a value that the author replaces.
fn filled(schema: &Value) -> Value {
    let listed = schema.get("enum").and_then(Value::as_array).and_then(|values| values.first());
    if let Some(value) = listed.or_else(|| schema.get("const")).filter(|value| !value.is_null()) {
        return value.clone();
    }
    match first_type(schema) {
        Some("integer" | "number") => json!(1),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => json!("..."),
    }
}

/// A value in TOML, on one line.
pub fn inline(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Value::Object(members) if members.is_empty() => "{}".to_owned(),
        Value::Object(members) => {
            let members: Vec<String> =
                members.iter().map(|(name, value)| format!("{} = {}", key_of(name), inline(value))).collect();
            format!("{{ {} }}", members.join(", "))
        }
        other => other.to_string(),
    }
}

/// A key in TOML, quoted if necessary.
pub fn key_of(name: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    if !name.is_empty() && name.bytes().all(is_bare) { name.to_owned() } else { quoted(name) }
}

#[cfg(test)]
mod tests {

    use super::*;

    use crate::confinement::{DENIED, allowed_by};

    fn tool(schema: Value) -> Tool {
        Tool::named("look.up", schema)
    }

    fn open(why: Option<&str>) -> UnjudgedTool<'_> {
        UnjudgedTool {
            why,
            withheld: None,
            key: None,
            valid_call: ValidCallKnown::Unknown,
            is_elsewhere: why.is_some_and(is_elsewhere),
            is_of_made: false,
        }
    }

    #[test]
    fn the_lines_name_the_required_parameters_and_can_be_read() {
        let schema = json!({"type": "object", "required": ["city name", "days", "unit"], "properties": {
            "city name": {"type": "string"}, "days": {"type": ["integer", "null"]}, "unit": {"enum": ["c\"", "f"]},
            "language": {"type": "string"}}});
        let lines = next(&tool(schema), open(Some("it was refused"))).expect("a call may be named");
        assert_eq!(
            lines,
            "[tools.\"look.up\"]\nvalid = { \"city name\" = \"...\", days = 1, unit = \"c\\\"\" }"
        );
        let config: toml::Table = toml::from_str(&lines).expect("they are TOML");
        assert!(config["tools"]["look.up"]["valid"].is_table());
    }

    #[test]
    fn an_id_that_is_made_at_run_time_cannot_be_set_beforehand() {
        let catalog = ["create_note", "read_note", "search"].map(|name| {
            let parameter = if name == "read_note" { "note_id" } else { "title" };
            Tool::named(name, json!({"properties": {parameter: {"type": "string"}}, "required": [parameter]}))
        });
        let made: Vec<bool> = catalog.iter().map(|tool| is_of_made(tool, &catalog)).collect();
        assert_eq!(made, [false, true, false]);
        let open =
            UnjudgedTool { is_of_made: true, ..open(Some("it was refused: note_id 1 does not exist")) };
        assert_eq!(next(&catalog[1], open), None);
    }

    #[test]
    fn parameters_that_stand_in_one_argument_are_named_there() {
        let schema = json!({"type": "object", "properties": {"params": {"type": "object",
            "properties": {"path": {"type": "string"}}, "required": ["path"]}}});
        let lines = next(&tool(schema), open(None)).expect("a call may be named");
        assert!(lines.ends_with("valid = { params = { path = \"...\" } }"), "{lines}");
        assert_eq!(
            next(&tool(json!({})), open(None)),
            None,
            "nothing can be said of a tool that takes nothing"
        );
    }

    #[test]
    fn a_server_that_works_in_other_folders_is_started_in_ours() {
        let schema =
            json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
        let lines = |why: &str| next(&tool(schema.clone()), open(Some(why))).expect("something may be said");
        for refusal in [
            "Access denied: '{workspace}/a.txt' is outside the allowed directory /srv/notes",
            "path {workspace}/a.txt not within /srv",
            "path '{workspace}' is outside working directory '/srv'",
        ] {
            for kind in [REFUSED, UNFLAGGED] {
                let lines = lines(&format!("the control did not succeed: {kind}{refusal}"));
                let config: toml::Table = toml::from_str(&lines).expect("they are TOML");
                assert_eq!(config["server"]["cwd"].as_str(), Some("{workspace}"), "{lines}");
            }
        }
        assert!(lines("it was refused: '{workspace}/a.txt' is no CSV file").starts_with("[tools."));
        assert!(lines("it was refused: the name is outside the alphabet").starts_with("[tools."));
    }

    #[test]
    fn what_a_reason_names_comes_first() {
        let advice = |why: &str| next(&tool(json!({})), open(Some(why)));
        let closed = format!("it needed `/a/b`, {DENIED} ({})", allowed_by("read", "/a"));
        assert_eq!(advice(&closed).as_deref(), Some("--allow-read /a"));
        let offline = advice(&format!("it needed api.example.org, {DENIED}")).expect("a class");
        assert!(offline.starts_with("[tools.\"look.up\"]\nclass = \"read\"  # "), "{offline}");
        let key = UnjudgedTool { key: Some("WEATHER_API_KEY"), ..open(None) };
        assert_eq!(next(&tool(json!({})), key).as_deref(), Some("--env WEATHER_API_KEY"));
    }

    #[test]
    fn what_is_withheld_for_its_class_needs_another_one_and_a_bound_needs_none() {
        let advice = |why: &str| {
            let withheld = Withheld {
                tool: "look.up".to_owned(),
                class: "unknown".to_owned(),
                why: why.to_owned(),
                probes: 3,
            };
            next(&tool(json!({})), UnjudgedTool { withheld: Some(&withheld), ..open(Some(why)) })
        };
        assert!(
            advice("nothing tells whether it changes anything").is_some_and(|lines| lines.contains("class"))
        );
        assert_eq!(advice(&Withheld::limit_reached(4)), None);
    }

    #[test]
    fn a_reason_beside_its_tool_says_what_to_set_first() {
        let takes = |schema: Value, reply: &str| {
            in_short(format!("{}{reply}", no_valid_call("look.up")), &tool(schema))
        };
        let short = |reply: &str| takes(json!({"properties": {"city": {"type": "string"}}}), reply);
        assert_eq!(
            short("it was refused: no such city"),
            "set `[tools.\"look.up\"] valid`: its control was refused: no such city"
        );
        assert!(short("no reply came").ends_with("its control did not succeed: no reply came"));
        assert_eq!(in_short("it was withheld".to_owned(), &tool(json!({}))), "it was withheld");
        let of_nothing = takes(json!({"type": "object"}), "it was refused: log in first");
        assert_eq!(
            of_nothing, "its control was refused: log in first",
            "a call without arguments cannot be set"
        );
    }

    #[test]
    fn a_key_is_known_by_a_variables_name_or_in_words() {
        let found = |text: &str| key(text, &json!({"q": "MY_TOKEN"})).map(str::to_owned);
        assert_eq!(found("set WEATHER_API_KEY first").as_deref(), Some("WEATHER_API_KEY"));
        assert_eq!(found("GITHUB_TOKEN is missing (no API key)").as_deref(), Some("GITHUB_TOKEN"));
        assert_eq!(found("Invalid API key.").as_deref(), Some("API key"));
        assert_eq!(found("no such row: MY_TOKEN"), None, "the caller sent it");
        assert_eq!(found("the key `a` is missing"), None);
        assert_eq!(found("unexpected token at 3"), None);
    }
}
