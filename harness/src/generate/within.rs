//! A change within the value of a parameter: of a member, of a list's last item, or of the list itself.
//!
//! The main type is [`Within`]. It is applied to whatever the valid call contains.

use serde_json::Value;

/// A step on the path to a value.
#[derive(Debug, Clone, PartialEq)]
pub enum ValueStep {
    /// A member of an object.
    Member(String),
    /// The last item of a list.
    Last,
}

/// What is done to the value at the end of the path.
#[derive(Debug, Clone, PartialEq)]
pub enum ValueEdit {
    /// Replace it.
    Set(Value),
    /// These members of an object are other ones.
    Members(Vec<(String, Value)>),
    /// It is left out.
    Remove,
    /// Add an item to the list.
    Add(Value),
    /// Repeat the list's last item.
    Repeat,
    /// Add a list to a list of lists that is one item longer than the last one.
    Ragged,
    /// Reverse the list.
    Reverse,
    /// Each number in it is 0, however deep.
    Zeros,
    /// A path leads to a file of this name with the same ending, beside the one that it led to.
    Beside(&'static str),
}

/// A change within the value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Within {
    /// The path to the changed value.
    pub way: Vec<ValueStep>,
    /// The change.
    pub edit: ValueEdit,
    /// The parameter's value to use if the call has none, or one without this path.
    pub drawn: Option<Value>,
}

impl Within {
    /// The value with the change; `None` if the place does not exist.
    pub(super) fn apply(&self, value: Option<&Value>) -> Option<Value> {
        let tries = [value, self.drawn.as_ref()].into_iter().flatten();
        tries.filter_map(|start| self.changed(start)).next()
    }

    fn changed(&self, start: &Value) -> Option<Value> {
        let mut whole = start.clone();
        let (last, before) = match self.way.split_last() {
            Some((last, before)) => (Some(last), before),
            None => (None, &[][..]),
        };
        let mut at = &mut whole;
        for step in before {
            at = next(at, step)?;
        }
        match (last, &self.edit) {
            (Some(ValueStep::Member(name)), ValueEdit::Set(value)) => {
                at.as_object_mut()?.insert(name.clone(), value.clone());
            }
            (Some(ValueStep::Member(name)), ValueEdit::Remove) => {
                at.as_object_mut()?.shift_remove(name)?;
            }
            (last, edit) => {
                let place = match last {
                    Some(step) => next(at, step)?,
                    None => at,
                };
                change(place, edit)?;
            }
        }
        (whole != *start).then_some(whole)
    }
}

fn next<'v>(value: &'v mut Value, step: &ValueStep) -> Option<&'v mut Value> {
    match step {
        ValueStep::Member(name) => value.as_object_mut()?.get_mut(name),
        ValueStep::Last => value.as_array_mut()?.last_mut(),
    }
}

fn change(place: &mut Value, edit: &ValueEdit) -> Option<()> {
    match edit {
        ValueEdit::Set(value) => *place = value.clone(),
        ValueEdit::Members(members) => place.as_object_mut()?.extend(members.iter().cloned()),
        ValueEdit::Remove => return None,
        ValueEdit::Add(item) => place.as_array_mut()?.push(item.clone()),
        ValueEdit::Repeat => {
            let items = place.as_array_mut()?;
            items.push(items.last()?.clone());
        }
        ValueEdit::Ragged => {
            let items = place.as_array_mut()?;
            let mut longer = items.last()?.as_array()?.clone();
            longer.push(longer.last()?.clone());
            items.push(Value::Array(longer));
        }
        ValueEdit::Beside(name) => {
            let (folder, file) = place.as_str()?.rsplit_once('/')?;
            let ending = file.rsplit_once('.').map(|(_, ending)| format!(".{ending}"));
            *place = Value::String(format!("{folder}/{name}{}", ending.unwrap_or_default()));
        }
        ValueEdit::Zeros => zero(place),
        ValueEdit::Reverse => {
            let items = place.as_array_mut()?;
            if items.len() < 2 {
                return None;
            }
            items.reverse();
        }
    }
    Some(())
}

/// Puts 0 in the place of each number.
fn zero(place: &mut Value) {
    match place {
        Value::Number(number) => *number = 0.into(),
        Value::Array(items) => items.iter_mut().for_each(zero),
        Value::Object(members) => members.values_mut().for_each(zero),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(way: &[ValueStep], edit: ValueEdit, value: &Value, expected: Option<&Value>) {
        let within = Within { way: way.to_vec(), edit, drawn: None };
        assert_eq!(within.apply(Some(value)).as_ref(), expected, "{within:?}");
    }

    #[test]
    fn a_change_is_made_where_the_way_leads_and_nowhere_else() {
        let member = |name: &str| ValueStep::Member(name.to_owned());
        let value = json!([{"name": "a", "tags": ["x"]}, {"name": "b", "tags": ["y"]}]);
        let with = |last: Value| json!([{"name": "a", "tags": ["x"]}, last]);
        let way = [ValueStep::Last, member("name")];
        check(&way, ValueEdit::Set(json!("c")), &value, Some(&with(json!({"name": "c", "tags": ["y"]}))));
        let members = ValueEdit::Members(vec![("from".to_owned(), json!(3)), ("to".to_owned(), json!(2))]);
        let with_both = json!({"name": "b", "tags": ["y"], "from": 3, "to": 2});
        check(&[ValueStep::Last], members, &value, Some(&with(with_both)));
        check(&way, ValueEdit::Remove, &value, Some(&with(json!({"tags": ["y"]}))));
        let tags = [ValueStep::Last, member("tags")];
        check(&tags, ValueEdit::Repeat, &value, Some(&with(json!({"name": "b", "tags": ["y", "y"]}))));
        check(&[ValueStep::Last, member("none"), ValueStep::Last], ValueEdit::Set(json!(1)), &value, None);
        check(&[], ValueEdit::Ragged, &json!([[1, 2]]), Some(&json!([[1, 2], [1, 2, 2]])));
        check(&[], ValueEdit::Zeros, &json!([[1, 2.5], ["a"]]), Some(&json!([[0, 0], ["a"]])));
        check(&[], ValueEdit::Zeros, &json!([["a"]]), None);
        check(&[], ValueEdit::Reverse, &json!([1, 2]), Some(&json!([2, 1])));
        check(&[], ValueEdit::Reverse, &json!([1]), None);
        check(&[], ValueEdit::Set(json!([1])), &json!([1]), None);
        check(&[], ValueEdit::Beside("absent"), &json!("/w/data.csv"), Some(&json!("/w/absent.csv")));
        check(&[], ValueEdit::Beside("absent"), &json!("/w/sub"), Some(&json!("/w/absent")));
    }

    #[test]
    fn where_a_call_has_no_such_value_the_drawn_one_is_changed() {
        let within = Within {
            way: vec![ValueStep::Last],
            edit: ValueEdit::Set(json!("c")),
            drawn: Some(json!(["a"])),
        };
        assert_eq!(within.apply(None), Some(json!(["c"])));
        assert_eq!(within.apply(Some(&json!([]))), Some(json!(["c"])));
    }
}
