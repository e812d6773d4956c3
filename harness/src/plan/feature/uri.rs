//! URIs, and the part of URI templates (RFC 6570) that servers use: `{name}`, `{+path}`, `{name*}`, `{?query}`.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::{Map, Value, json};

/// What is encoded in a value that is put into a URI: all but letters, digits and what paths contain.
const ENCODED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/').remove(b'%');

/// A URI with another last part.
pub(super) fn sibling(uri: &str, other: &str) -> String {
    let after_scheme = uri.find("://").map_or(0, |at| at + 3);
    let from = uri.rfind('/').map_or(after_scheme, |at| (at + 1).max(after_scheme));
    if from == 0 {
        // For URIs such as `urn:one`.
        return match uri.rfind(':') {
            Some(at) => format!("{}:{other}", &uri[..at]),
            None => other.to_owned(),
        };
    }
    format!("{}{other}", &uri[..from])
}

/// The names of a template's variables, in order.
pub(super) fn variables(template: &str) -> Vec<String> {
    let mut names = Vec::new();
    each(template, &mut |part| {
        if let Part::Variable { name, .. } = part {
            names.push(name.to_owned());
        }
    });
    names
}

/// The URI with these values, percent-encoded except letters, digits and characters of paths.
pub(super) fn expand(template: &str, values: &Map<String, Value>) -> String {
    let mut uri = String::new();
    let mut asks = false;
    each(template, &mut |part| match part {
        Part::Text(text) => uri.push_str(text),
        Part::Variable { operator, name } => {
            let value = values.get(name).and_then(Value::as_str).unwrap_or_default();
            match operator {
                Some('?' | '&') => {
                    uri.push(if asks || operator == Some('&') { '&' } else { '?' });
                    asks = true;
                    uri.push_str(name);
                    uri.push('=');
                }
                Some('/') => uri.push('/'),
                Some('#') => uri.push('#'),
                _ => {}
            }
            uri.extend(utf8_percent_encode(value, ENCODED));
        }
    });
    uri
}

/// The decoded form of a part of a URI, if any of it is percent-encoded and the result is text.
pub(super) fn decoded(part: &str) -> Option<String> {
    let decoded = percent_decode_str(part).decode_utf8().ok()?;
    (decoded != part).then(|| decoded.into_owned())
}

/// The values for which a template gives this URI, if there are any: each simple variable ends at the next `/`.
pub(super) fn values(template: &str, uri: &str) -> Option<Map<String, Value>> {
    let mut rest = uri;
    let mut values = Map::new();
    let mut open: Option<String> = None;
    let mut fits = true;
    each(template, &mut |part| match part {
        Part::Text(text) if fits => {
            let at = match &open {
                None if rest.starts_with(text) => Some(0),
                None => None,
                Some(_) => rest.find(text),
            };
            let Some(at) = at else {
                fits = false;
                return;
            };
            if let Some(name) = open.take() {
                values.insert(name, json!(rest[..at].to_owned()));
            }
            rest = &rest[at + text.len()..];
        }
        Part::Variable { operator: None | Some('+'), name } if open.is_none() => open = Some(name.to_owned()),
        _ => fits = false,
    });
    if let Some(name) = open {
        values.insert(name, json!(rest));
        rest = "";
    }
    let is_whole = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty() && !text.contains('/'));
    (fits && rest.is_empty() && values.values().all(is_whole)).then_some(values)
}

enum Part<'t> {
    Text(&'t str),
    Variable { operator: Option<char>, name: &'t str },
}

/// Walks through the parts of a template. An unclosed brace is text.
fn each<'t>(template: &'t str, take: &mut dyn FnMut(Part<'t>)) {
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((inner, behind)) = after.split_once('}') else { break };
        if !before.is_empty() {
            take(Part::Text(before));
        }
        let operator = inner.chars().next().filter(|first| "+#./;?&".contains(*first));
        for name in inner.trim_start_matches(|first| Some(first) == operator).split(',') {
            let name = name.trim_end_matches('*').split(':').next().unwrap_or_default().trim();
            if !name.is_empty() {
                take(Part::Variable { operator, name });
            }
        }
        rest = behind;
    }
    if !rest.is_empty() {
        take(Part::Text(rest));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_decoded_where_some_of_it_is_encoded() {
        for (part, expected) in [
            ("%00%28%28%22%5B", Some("\0((\"[")),
            ("caf%C3%A9", Some("caf\u{e9}")),
            ("plain", None),
            ("100%", None),
            ("%zz", None),
            ("%ff", None),
        ] {
            assert_eq!(decoded(part).as_deref(), expected, "{part}");
        }
    }

    #[test]
    fn what_stands_beside_a_resource_has_its_scheme_and_folder() {
        for (uri, expected) in [
            ("memo://insights", "memo://no-such"),
            ("file:///a/b.txt", "file:///a/no-such"),
            ("test://static/resource/1", "test://static/resource/no-such"),
            ("urn:isbn:1", "urn:isbn:no-such"),
            ("plain", "no-such"),
        ] {
            assert_eq!(sibling(uri, "no-such"), expected, "{uri}");
        }
    }

    #[test]
    fn a_template_is_filled_in_and_read_back() {
        let template = "notes://{user}/{+path}{?page,size}";
        assert_eq!(variables(template), ["user", "path", "page", "size"]);
        let values = json!({"user": "a b", "path": "x/y", "page": "1", "size": "2"});
        let uri = expand(template, values.as_object().unwrap());
        assert_eq!(uri, "notes://a%20b/x/y?page=1&size=2");
        assert_eq!(expand("open {brace", &Map::new()), "open {brace");

        let found = super::values("notes://{user}/{id}", "notes://alpha/7").unwrap();
        assert_eq!(Value::Object(found), json!({"user": "alpha", "id": "7"}));
        for (template, uri) in
            [("notes://{user}", "memo://a"), ("notes://{user}", "notes://a/b"), ("a://{x}{y}", "a://bc")]
        {
            assert_eq!(super::values(template, uri), None, "{template}");
        }
    }
}
