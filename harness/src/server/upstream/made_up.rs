//! Made-up answers of a service: an object with names that many services use, with what the requested path is about, and with
//! the members that a tool was seen to read. Pure.
//!
//! The main type is [`MadeUp`].

use std::mem::replace;

use serde_json::{Map, Value, json};

use crate::names::name_words;
use crate::words;

/// What made-up answers look like.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MadeUp {
    /// Whether an answer is a list of objects instead of one object.
    pub(super) is_list: bool,
    /// The members that a tool was seen to read, in the order in which they were learnt.
    members: Vec<(String, MemberKind)>,
    /// Whether objects hold those that services often answer with, because a tool read a member of one that is not there.
    has_likely_objects: bool,
    /// The same for lists.
    has_likely_lists: bool,
    /// Whether what a thing is or belongs to, as its status, is an object instead of a text.
    has_kinds_as_objects: bool,
}

/// What a member of an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberKind {
    /// A list of objects.
    List,
    /// An object.
    Object,
    /// A text.
    Text,
    /// A number.
    Number,
    /// A date with its time, as a text.
    Date,
}

/// Objects are nested at most so deep.
const DEPTH: usize = 3;
/// With more members than this, objects are nested one level less, since each holds all of them.
const MANY: usize = 8;
/// At most this many members are learnt.
const LEARNT: usize = 12;
/// A longer name is no member's, in bytes.
const LONG: usize = 64;
/// At most this many of the last parts of a path say what it is about.
const PARTS: usize = 6;
impl MadeUp {
    /// Notes that a tool reads a member of something that is not there, by a name that it does not tell: it may be any
    /// object that services often answer with, or any list if what was read is one's own. Returns whether that is new.
    pub fn guess(&mut self, read: &str) -> bool {
        if words!("names/list-members").contains(&read) {
            return !replace(&mut self.has_likely_lists, true);
        }
        let is_learnt = self.learn(read, None);
        !replace(&mut self.has_likely_objects, true) || is_learnt
    }

    /// Notes that a tool reads this member; without a kind, what its name suggests. Returns whether that is new.
    pub fn learn(&mut self, name: &str, kind: Option<MemberKind>) -> bool {
        let is_full = self.members.len() >= LEARNT || name.len() > LONG;
        match self.members.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => kind.is_some_and(|kind| replace(known, kind) != kind),
            None if is_full => false,
            None => {
                self.members.push((name.to_owned(), kind.unwrap_or_else(|| suggested(name))));
                true
            }
        }
    }

    /// Notes of which kind the member must be that was learnt last, or the whole answer if there is none. Returns whether that
    /// is new.
    pub fn correct(&mut self, kind: MemberKind) -> bool {
        if let Some((_, last)) = self.members.last_mut() {
            return replace(last, kind) != kind;
        }
        match kind {
            MemberKind::List => self.become_list(),
            // The whole answer is one already: then it is something in there.
            MemberKind::Object if !replace(&mut self.is_list, false) => {
                !replace(&mut self.has_kinds_as_objects, true)
            }
            MemberKind::Object => true,
            MemberKind::Text | MemberKind::Number | MemberKind::Date => false,
        }
    }

    /// Makes answers lists, except for a path that ends in an id. Returns whether that is new.
    pub fn become_list(&mut self) -> bool {
        !replace(&mut self.is_list, true)
    }

    /// The body of an answer to a request for this path.
    pub fn body(&self, path: &str) -> Value {
        let item = self.object(2);
        let thing = path.split('/').rfind(|part| !part.is_empty());
        let has_digit = |part: &str| part.contains(|letter: char| letter.is_ascii_digit());
        let is_version = |part: &str| part.len() < 4 && part.starts_with('v');
        let is_of_one = thing.is_some_and(|part| has_digit(part) && !is_version(part));
        if self.is_list && !is_of_one {
            return json!([item]);
        }
        let mut body = self.object(1);
        for name in ["items", "results", "data", "entries", "hits", "records", "list"] {
            body.entry(name).or_insert_with(|| json!([item]));
        }
        for name in ["total", "count", "page"] {
            body.entry(name).or_insert_with(|| json!(1));
        }
        for name in path.rsplit('/').filter_map(thing_of).take(PARTS) {
            let [one, many] = singular_and_plural(name);
            body.entry(one).or_insert_with(|| json!(item));
            body.entry(many).or_insert_with(|| json!([item]));
        }
        Value::Object(body)
    }

    /// An object at this depth.
    fn object(&self, depth: usize) -> Map<String, Value> {
        let usual = json!({
            "id": 1, "key": "alpha", "name": "alpha", "title": "alpha", "description": "alpha beta", "status": "ok",
            "type": "alpha", "value": 1, "text": "alpha beta", "url": "http://127.0.0.1/alpha", "date": "2024-01-02"
        });
        let Value::Object(mut object) = usual else { unreachable!("it is an object") };
        if self.has_kinds_as_objects {
            for name in words!("names/answer-kinds") {
                object.insert((*name).to_owned(), json!({"id": 1, "name": "alpha"}));
            }
        }
        let deepest = if self.members.len() > MANY { DEPTH - 1 } else { DEPTH };
        for (name, kind) in &self.members {
            let inner = || if depth < deepest { json!(self.object(depth + 1)) } else { json!({}) };
            let value = match kind {
                MemberKind::List if depth < deepest => json!([inner()]),
                MemberKind::List => json!([]),
                MemberKind::Object => inner(),
                MemberKind::Text => json!("alpha"),
                MemberKind::Number => json!(1),
                MemberKind::Date => json!("2024-01-02T03:04:05Z"),
            };
            object.insert(name.clone(), value);
        }
        if depth < DEPTH {
            let small =
                || Value::Object(Self { members: self.members.clone(), ..Self::default() }.object(DEPTH));
            let objects = words!("names/answer-objects").iter().filter(|_| self.has_likely_objects);
            let lists = words!("names/answer-lists").iter().filter(|_| self.has_likely_lists);
            let objects = objects.map(|name| (name, small()));
            let lists = lists.map(|name| (name, json!([small()])));
            for (name, value) in objects.chain(lists) {
                object.entry(*name).or_insert(value);
            }
        }
        object
    }
}

/// What a part of a path is about, without an ending such as `.json`; `None` for numbers, versions and the like.
fn thing_of(part: &str) -> Option<&str> {
    let name = part.split('.').next()?;
    let is_name = name.len() > 2 && name.chars().all(|c| c.is_ascii_alphabetic() || "_-".contains(c));
    (is_name && !words!("names/address-words").contains(&name)).then_some(name)
}

/// A noun in the singular and in the plural.
fn singular_and_plural(name: &str) -> [String; 2] {
    match (name.strip_suffix("ies"), name.strip_suffix('s').filter(|one| !one.ends_with('s'))) {
        (Some(stem), _) => [format!("{stem}y"), name.to_owned()],
        (None, Some(one)) => [one.to_owned(), name.to_owned()],
        (None, None) => [name.to_owned(), format!("{name}s")],
    }
}

/// The kind that a member's name suggests.
fn suggested(name: &str) -> MemberKind {
    let words = name_words(name);
    let last = words.last().map(String::as_str).unwrap_or_default();
    match last {
        _ if words!("names/number-nouns").contains(&last) => MemberKind::Number,
        _ if words!("names/date-nouns").contains(&last) => MemberKind::Date,
        _ if words!("names/text-nouns").contains(&last) => MemberKind::Text,
        _ if last.ends_with('s') && !last.ends_with("ss") => MemberKind::List,
        _ => MemberKind::Object,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::MADE_UP_MEMBER;

    #[test]
    fn an_answer_has_what_its_path_is_about() {
        let body = MadeUp::default().body("/api/v1/projects/7/issue_categories.json");
        for (name, is_list) in
            [("project", false), ("projects", true), ("issue_category", false), ("issue_categories", true)]
        {
            assert_eq!(body.get(name).map(Value::is_array), Some(is_list), "{name}: {body}");
        }
        assert!(body.to_string().contains(MADE_UP_MEMBER), "{body}");
        assert!(body.get("api").is_none() && body.get("v1").is_none() && body.get("7").is_none(), "{body}");
    }

    #[test]
    fn what_a_tool_reads_is_in_every_object_as_it_must_be() {
        let mut made_up = MadeUp::default();
        assert!(
            made_up.learn("issue", None)
                && made_up.learn("created_on", None)
                && made_up.learn("journals", None)
        );
        assert!(!made_up.learn("issue", None), "it is known");
        let body = made_up.body("/");
        assert_eq!(body["issue"]["created_on"], "2024-01-02T03:04:05Z");
        assert_eq!(body["issue"]["journals"][0]["id"], 1);
        assert!(made_up.correct(MemberKind::Text) && made_up.learn("issue", Some(MemberKind::Number)));
        assert_eq!(
            (&made_up.body("/")["journals"], &made_up.body("/")["issue"]),
            (&json!("alpha"), &json!(1))
        );
    }

    #[test]
    fn a_whole_answer_is_a_list_if_one_is_wanted_and_nothing_is_known_of_members() {
        let mut made_up = MadeUp::default();
        assert!(made_up.correct(MemberKind::List) && !made_up.correct(MemberKind::List));
        assert!(made_up.body("/issues").is_array() && made_up.body("/issues/7").is_object());
        assert!(made_up.correct(MemberKind::Object) && made_up.body("/issues").is_object());
        assert!(made_up.correct(MemberKind::Object) && !made_up.correct(MemberKind::Object));
        assert_eq!(made_up.body("/issues/1")["issue"]["status"]["name"], "alpha");
    }

    #[test]
    fn a_member_of_something_unknown_is_in_what_services_often_answer_with() {
        let mut made_up = MadeUp::default();
        assert!(made_up.guess("kind") && !made_up.guess("kind"));
        assert_eq!(made_up.body("/bookmarks/7")["bookmark"]["content"]["kind"], json!({}));
        assert!(made_up.guess("map") && !made_up.guess("length"), "both are those of a list");
        assert!(made_up.body("/")["tags"].is_array());
    }

    #[test]
    fn the_answer_stays_small_however_many_members_are_learnt() {
        let mut made_up = MadeUp::default();
        for number in 0..2 * LEARNT {
            made_up.learn(&format!("{}s", "x".repeat(number + 1)), None);
        }
        assert!(made_up.guess("map") && made_up.guess("user"));
        assert!(made_up.body("/issues/7/comments").to_string().len() < 400_000);
    }
}
