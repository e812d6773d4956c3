//! SQL statements that write, for the tools that take nothing else: an INSERT, UPDATE or DELETE of a table that the server has
//! listed. None of them changes a row.
//!
//! The main function is [`Driver::with_statements`].

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::class::Class;
use crate::generate::executable::{ExecutableKind, bound_executable_kind};
use crate::generate::{name_words, returned_for};
use crate::pattern;
use crate::plan::ProbedTool;
use crate::repair::{put, slots};
use crate::wording::listing::listed_values;

use super::Driver;

/// At most this many tables, and this many columns of an UPDATE, are tried.
const MOST: usize = 2;
/// Columns that most tables have, where none is known.
const USUAL: [&str; 2] = ["id", "name"];

impl Driver<'_> {
    /// The first call with statements of the kind that a refusal, or else the tool, asks for. Only where calls are drawn.
    pub(super) fn with_statements(
        &self,
        tool: &ProbedTool,
        tries: &[Value],
        refused: Option<usize>,
    ) -> Vec<Value> {
        let is_open = self.draws.is_some() && tool.class != Class::Read;
        let Some(first) = tries.first().filter(|_| is_open) else { return Vec::new() };
        let Some(listed) = self.head.catalog.tool(&tool.name) else { return Vec::new() };
        let slots = slots(&listed.own_document(), first);
        let is_sql = |name: &str, schema: &Value| {
            bound_executable_kind(listed, &self.head.bindings, name, schema) == Some(ExecutableKind::Sql)
        };
        let Some(slot) = slots.iter().find(|slot| slot.sent.is_some() && is_sql(&slot.name, &slot.schema))
        else {
            return Vec::new();
        };
        let words = refused.map(|index| self.pool.exchanges[index].outcome.words().join("\n"));
        let words = words.unwrap_or_default();
        let description = slot.description();
        let spoken = [words.as_str(), tool.name.as_str(), description.as_str(), listed.description.as_str()];
        let Some(verb) = spoken.iter().find_map(|text| verb_in(text)) else { return Vec::new() };
        let tables = self.things_of(tool, "table", &words);
        let columns = self.things_of(tool, "column", &words);
        let with = |statement: String| {
            let mut call = first.clone();
            put(&mut call, &slot.place, json!(statement)).then_some(call)
        };
        tables.iter().flat_map(|table| statements(&verb, table, &columns)).filter_map(with).collect()
    }

    /// What the server calls its tables or columns: in a refusal, and in what the tools about these return.
    fn things_of(&self, tool: &ProbedTool, thing: &str, words: &str) -> Vec<String> {
        let is_listed = pattern!("value/noun")
            .captures_iter(words)
            .any(|found| found["of"].trim_end_matches('s').eq_ignore_ascii_case(thing));
        let mut found = if is_listed { listed_values(words, "") } else { Vec::new() };
        let text = json!({"type": "string"});
        // A tool that describes a table lists its columns.
        let is_about = |name: &str| {
            let words = name_words(name);
            words.iter().map(|word| word.trim_end_matches('s')).any(|word| word == thing || word == "table")
        };
        for (_, reply) in self.learnt.replies_of_others(&tool.name).filter(|(other, _)| is_about(other)) {
            let values = returned_for(reply, &format!("{thing}_name"), &text);
            found.extend(values.iter().filter_map(Value::as_str).map(str::to_owned));
        }
        let mut seen = HashSet::new();
        found.retain(|name| pattern!("text/sql-name").is_match(name) && seen.insert(name.clone()));
        found.truncate(MOST);
        found
    }
}

/// The verb of the statement that a text asks for, in capital letters.
fn verb_in(text: &str) -> Option<String> {
    Some(pattern!("text/sql-verb").captures(&text.replace('_', " "))?["verb"].to_ascii_uppercase())
}

/// Statements that succeed on a table and change no row of it.
fn statements(verb: &str, table: &str, columns: &[String]) -> Vec<String> {
    match verb {
        "INSERT" => vec![format!("INSERT INTO {table} SELECT * FROM {table} WHERE 1 = 0")],
        "DELETE" => vec![format!("DELETE FROM {table} WHERE 1 = 0")],
        _ => {
            let known = columns.iter().map(String::as_str);
            let columns = known.chain(USUAL.into_iter().filter(|_| columns.is_empty()));
            columns.map(|column| format!("UPDATE {table} SET {column} = {column} WHERE 1 = 0")).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_asks_for_a_kind_of_statement() {
        for (text, verb) in [
            ("Expected Insert query, but received different query type", Some("INSERT")),
            ("SQL UPDATE query with ? placeholders", Some("UPDATE")),
            ("db_delete", Some("DELETE")),
            ("Runs a SELECT query", None),
            ("Insert a note", None),
        ] {
            assert_eq!(verb_in(text).as_deref(), verb, "{text}");
        }
    }

    #[test]
    fn no_statement_changes_a_row() {
        let columns = ["title".to_owned()];
        assert_eq!(statements("INSERT", "users", &[]), ["INSERT INTO users SELECT * FROM users WHERE 1 = 0"]);
        assert_eq!(statements("DELETE", "users", &[]), ["DELETE FROM users WHERE 1 = 0"]);
        assert_eq!(statements("UPDATE", "users", &columns), ["UPDATE users SET title = title WHERE 1 = 0"]);
        assert_eq!(statements("UPDATE", "users", &[]).len(), USUAL.len());
        for verb in ["INSERT", "UPDATE", "DELETE"] {
            let made = statements(verb, "users", &columns);
            assert!(made.iter().all(|statement| statement.ends_with(" WHERE 1 = 0")), "{made:?}");
        }
    }
}
