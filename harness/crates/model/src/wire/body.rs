//! Parses a JSON value, and reports the first duplicate member of an object.
//!
//! `serde_json` silently keeps the last of two members; other parsers keep the first, and see another reply.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// A value, and the name of the first duplicate member in it.
pub(super) fn read(text: &str) -> Result<(Value, Option<String>), serde_json::Error> {
    let repeated = RefCell::new(None);
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Noting(&repeated).deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok((value, repeated.into_inner()))
}

#[derive(Clone, Copy)]
struct Noting<'n>(&'n RefCell<Option<String>>);

impl<'de> DeserializeSeed<'de> for Noting<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Noting<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = items.next_element_seed(self)? {
            values.push(value);
        }
        // Most lists have one item, with room for four.
        values.shrink_to_fit();
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let value = members.next_value_seed(self)?;
            if object.contains_key(&name) {
                self.0.borrow_mut().get_or_insert_with(|| name.clone());
            }
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_member_that_stands_twice_is_named_however_deep() {
        let (value, repeated) = read(r#"{"content":[{"text":"a","text":"b"}]}"#).unwrap();
        assert_eq!(repeated.as_deref(), Some("text"));
        assert_eq!(value, serde_json::json!({"content": [{"text": "b"}]}));
        assert_eq!(read(r#"[{"a":1},{"a":2}]"#).unwrap().1, None);
    }

    proptest! {
        #[test]
        fn a_text_is_read_as_serde_json_reads_it(text in r#"[{}\[\]",:\\a-b0-9.eE-]{0,30}"#) {
            let plain: Option<Value> = serde_json::from_str(&text).ok();
            prop_assert_eq!(read(&text).ok().map(|(value, _)| value), plain);
        }
    }
}
