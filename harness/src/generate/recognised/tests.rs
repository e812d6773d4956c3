//! A small catalog of ordinary wordings: every kind is found, and what is none is not taken for one.

use std::collections::BTreeSet;

use serde_json::json;

use super::*;

/// A parameter: its place, its type, also with a format, its description, and what it is taken for.
type Row = [&'static str; 4];

/// Tools and their parameters.
fn tools() -> Vec<(&'static str, Vec<Row>)> {
    let mut tools: Vec<(&str, Vec<Row>)> = Vec::new();
    for line in include_str!("cases.txt").lines().filter(|line| !line.starts_with('#')) {
        let (tool, row) = line.split_once(" | ").expect("a line begins with a tool");
        let row = row.split(" | ").collect::<Vec<_>>().try_into().expect("a line has five columns");
        match tools.last_mut().filter(|(last, _)| *last == tool) {
            Some((_, rows)) => rows.push(row),
            None => tools.push((tool, vec![row])),
        }
    }
    tools
}

fn schema(kind: &str, description: &str) -> Value {
    match kind {
        "strings" => json!({"type": "array", "items": {"type": "string"}, "description": description}),
        kind => match kind.split_once(':') {
            Some((kind, format)) => json!({"type": kind, "format": format, "description": description}),
            None => json!({"type": kind, "description": description}),
        },
    }
}

/// A tool with these parameters, of which one may be a member of the objects of a list.
fn tool(name: &str, parameters: &[Row]) -> Tool {
    let mut properties = serde_json::Map::new();
    for [place, kind, description, _] in parameters {
        let own = schema(kind, description);
        match place.split_once("[].") {
            Some((list, member)) => {
                let items = json!({"type": "object", "properties": {member: own}});
                properties.insert(list.to_owned(), json!({"type": "array", "items": items}));
            }
            None => {
                properties.insert((*place).to_owned(), own);
            }
        }
    }
    Tool::named(name, json!({"type": "object", "properties": properties}))
}

#[test]
fn parameters_of_ordinary_names_are_taken_for_what_they_are() {
    let mut mistaken = Vec::new();
    let mut seen = BTreeSet::new();
    for (name, parameters) in tools() {
        let tool = tool(name, &parameters);
        for [place, .., expected] in parameters {
            let taken = recognised(&tool, place);
            seen.insert(expected);
            if taken != Some(expected) {
                mistaken.push(format!("{name} {place}: {taken:?}, not {expected}"));
            }
        }
    }
    assert!(mistaken.is_empty(), "{mistaken:#?}");
    assert!(seen.len() > 30, "{seen:?}");
}

#[test]
fn what_has_listed_values_or_is_not_there_is_no_kind() {
    let listed = json!({"properties": {"date": {"enum": ["a", "b"]},
        "inner": {"properties": {"zone": {"type": "string"}}}, "many": {"type": "array", "items": {"type": "array"}}}});
    let tool = Tool::named("list", listed);
    let taken = |place: &str| recognised(&tool, place);
    assert_eq!(taken("date"), Some("member"));
    assert_eq!(taken("inner"), Some("object"));
    assert_eq!(taken("inner.zone"), Some("time-zone"));
    assert_eq!(taken("many"), Some("list"));
    assert_eq!((taken("absent"), taken("inner.absent"), taken("date[]")), (None, None, None));
}

/// What is drawn agrees with what is told: a kind with a right value of its own is drawn with it.
#[test]
fn what_a_parameter_is_taken_for_is_what_it_gets() {
    for (name, parameters) in tools() {
        let tool = tool(name, &parameters);
        let files = ToolFiles::at("/w").of_tool(&tool);
        for [place, kind, description, expected] in parameters.iter().filter(|row| row[1] == "string") {
            let drawn =
                super::super::text::text(place, &schema(kind, description), &files, 0).expect("it is open");
            match *expected {
                "path to read" | "path to write" | "folder" => {
                    assert!(drawn.starts_with("/w"), "{name} {place}: {drawn}");
                }
                "date" => assert!(drawn.starts_with("20"), "{name} {place}: {drawn}"),
                "glob" => assert!(drawn.contains('*'), "{name} {place}: {drawn}"),
                "time-zone" | "colour" | "json" | "csv" | "base64" => {
                    assert_ne!(drawn, "alpha", "{name} {place}");
                }
                "id" | "new name" | "key" | "query text" => assert_eq!(drawn, "alpha", "{name} {place}"),
                _ => {}
            }
        }
    }
}
