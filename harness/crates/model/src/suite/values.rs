//! The values of a case file by key, as texts, for questions about a case that its type does not answer.
//!
//! The main type is [`CaseValues`]. It does not know what the keys mean.

use toml::de::DeValue;

use crate::document::Document;

/// Every value of a case file that is not a table or list, with its key: `call.role` and `read`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CaseValues(Vec<(String, String)>);

impl CaseValues {
    pub(super) fn new(document: &Document<'_>) -> Self {
        let mut values = Vec::new();
        for (key, value) in document.members() {
            collect(key.to_owned(), value, &mut values);
        }
        Self(values)
    }

    /// The values at a key. Items of a list are at the list's own key.
    pub fn at(&self, key: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(own, _)| own == key).map(|(_, text)| text.as_str())
    }
}

fn collect(key: String, value: &DeValue<'_>, values: &mut Vec<(String, String)>) {
    let text = match value {
        DeValue::Table(members) => {
            for (name, member) in members {
                collect(format!("{key}.{}", name.get_ref()), member.get_ref(), values);
            }
            return;
        }
        DeValue::Array(items) => {
            items.iter().for_each(|item| collect(key.clone(), item.get_ref(), values));
            return;
        }
        DeValue::String(text) => text.clone().into_owned(),
        DeValue::Integer(number) => number.as_str().to_owned(),
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(time) => time.to_string(),
    };
    values.push((key, text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_tables_and_lists_is_found_by_its_key() {
        let text = "a = 1\n[b]\nc = { d = true }\n[[e]]\nf = \"x/y\"\n[[e]]\nf = ['z', 0.5]\n";
        let values = CaseValues::new(&Document::parse("a.toml", text).unwrap());
        let at = |key| values.at(key).collect::<Vec<_>>();
        assert_eq!((at("a"), at("b.c.d"), at("e.f")), (vec!["1"], vec!["true"], vec!["x/y", "z", "0.5"]));
        assert!(at("b").is_empty() && at("b.c").is_empty() && at("f").is_empty());
    }
}
