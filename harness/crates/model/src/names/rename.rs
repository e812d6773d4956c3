//! Another name for the thing in a call, if the caller may choose it: a call refused because the thing exists
//! succeeds with an unused name.
//!
//! The main function is [`renamed`]. It does not know why a name was refused.

use crate::words;

use serde_json::Value;

use super::plain_name;

/// At most this many combinations of parameters are returned.
const CHOICES: usize = 4;
/// A shorter value may occur in any message.
const SHORTEST_QUOTED: usize = 3;

/// The arguments with a new name, made unique by a number, in every text that names something and whose
/// parameter `may` be changed; `None` if there is no such text.
pub fn renamed(arguments: &Value, number: usize, may: impl Fn(&str) -> bool) -> Option<Value> {
    renamed_in(arguments, number, |name| may(name) && is_naming(name))
}

/// The arguments with a new name in these parameters, whatever their names.
pub fn renamed_in(arguments: &Value, number: usize, may: impl Fn(&str) -> bool) -> Option<Value> {
    let mut renamed = arguments.clone();
    let mut is_other = false;
    for (name, value) in renamed.as_object_mut()? {
        let Value::String(text) = value else { continue };
        if !may(name) || text.contains(['@', ':']) {
            continue;
        }
        *text = match text.rsplit_once('.') {
            Some((stem, end)) if !end.contains('/') => format!("{stem}-{number}.{end}"),
            _ => format!("{text}-{number}"),
        };
        is_other = true;
    }
    is_other.then_some(renamed)
}

/// The combinations of parameters to rename, the likeliest first: those whose value the refusal quotes, all
/// together, and each alone.
pub fn choices_of_names(arguments: &Value, words: &str) -> Vec<Vec<String>> {
    let text = |(name, value): (&String, &Value)| {
        let text = value.as_str().filter(|text| !text.contains(['@', ':']))?;
        Some((name.clone(), text.to_owned()))
    };
    let texts: Vec<(String, String)> = arguments.as_object().into_iter().flatten().filter_map(text).collect();
    let names: Vec<&(String, String)> = texts.iter().filter(|(name, _)| is_naming(name)).collect();
    let is_quoted = |text: &str| text.len() >= SHORTEST_QUOTED && words.contains(text);
    let is_quoted_in_part =
        |text: &str| is_quoted(text) || text.rsplit_once('/').is_some_and(|(_, last)| is_quoted(last));
    // Whole values come before last parts, and quoted values count whatever their parameter's name.
    let names_where = |holds: &dyn Fn(&str) -> bool| -> Vec<String> {
        texts.iter().filter(|(_, text)| holds(text)).map(|(name, _)| name.clone()).collect()
    };
    let whole = names_where(&is_quoted);
    let quoted = if whole.is_empty() { names_where(&is_quoted_in_part) } else { whole };
    let all = names.iter().map(|named| named.0.clone()).collect();
    let each = names.iter().map(|named| vec![named.0.clone()]);
    let mut choices: Vec<Vec<String>> = Vec::new();
    for choice in [quoted, all].into_iter().chain(each) {
        if !choice.is_empty() && !choices.contains(&choice) {
            choices.push(choice);
        }
    }
    choices.truncate(CHOICES);
    choices
}

/// Whether two values of this parameter differ only by a number, as made by [`renamed`].
pub fn is_renamed(parameter: &str, one: &Value, other: &Value) -> bool {
    let (Value::String(one), Value::String(other)) = (one, other) else { return false };
    is_naming(parameter) && one != other && stem(one) == stem(other)
}

fn is_naming(parameter: &str) -> bool {
    let plain = plain_name(parameter);
    words!("names/rename-naming").iter().any(|end| plain.ends_with(end))
}

/// A name without its number, and what follows the number.
fn stem(name: &str) -> (&str, &str) {
    let (mut stem, end) = match name.rsplit_once('.') {
        Some((stem, end)) if !end.contains('/') => (stem, end),
        _ => (name, ""),
    };
    while let Some((shorter, number)) = stem.rsplit_once('-')
        && !number.is_empty()
        && number.bytes().all(|letter| letter.is_ascii_digit())
    {
        stem = shorter;
    }
    (stem, end)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_names_something_gets_another_name_and_nothing_else_does() {
        let call =
            json!({"title": "alpha", "path": "/w/a.b/c.txt", "email": "a@b.c", "order": "asc", "id": 7});
        let all =
            json!({"title": "alpha-3", "path": "/w/a.b/c-3.txt", "email": "a@b.c", "order": "asc", "id": 7});
        assert_eq!(renamed(&call, 3, |_| true), Some(all));
        let one =
            json!({"title": "alpha", "path": "/w/a.b/c-3.txt", "email": "a@b.c", "order": "asc", "id": 7});
        assert_eq!(renamed(&call, 3, |name| name != "title"), Some(one));
        assert_eq!(renamed(&json!({"order": "asc", "id": 7}), 3, |_| true), None);
        assert_eq!(renamed(&json!("alpha"), 3, |_| true), None);
    }

    #[test]
    fn the_thing_that_a_refusal_names_gets_another_name_first() {
        let call = json!({"repo_path": "/w/repository", "branch_name": "alpha", "start": "main"});
        let [repository, branch] = ["repo_path", "branch_name"].map(str::to_owned);
        let all = vec![repository.clone(), branch.clone()];
        assert_eq!(
            choices_of_names(&call, "a branch named 'alpha' already exists"),
            [vec![branch.clone()], all.clone(), vec![repository.clone()]]
        );
        assert_eq!(
            choices_of_names(&call, "repository: already there")[0],
            vec![repository.clone()],
            "the last part of a path is a name too"
        );
        let copy = json!({"from": "/w/notes.txt", "to": "/w/notes-2.txt"});
        assert_eq!(choices_of_names(&copy, "/w/notes-2.txt is there"), [vec!["to".to_owned()]]);
        assert_eq!(choices_of_names(&call, "already there"), [all, vec![repository], vec![branch]]);
        assert!(choices_of_names(&json!({"start": "main"}), "it is there").is_empty());
    }

    #[test]
    fn a_name_is_known_again_whatever_number_it_was_given() {
        for (one, other, is) in [
            ("alpha", "alpha-3", true),
            ("alpha-3", "alpha-3-12", true),
            ("/w/c-3.txt", "/w/c-4.txt", true),
            ("/w/c-3.txt", "/w/c-4.md", false),
            ("alpha", "alpha", false),
            ("alpha", "beta-3", false),
            ("alpha", "alpha-", false),
        ] {
            assert_eq!(is_renamed("title", &json!(one), &json!(other)), is, "{one} {other}");
        }
        assert!(!is_renamed("order", &json!("a"), &json!("a-1")));
    }
}
