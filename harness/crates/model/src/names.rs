//! Splitting and normalising names of tools and parameters.

pub mod affinity;
pub mod rename;
pub mod returned;

/// A name with two neighbouring letters swapped, like a typing error: `limti` for `limit`. `None` if it is too
/// short to be recognised.
pub fn misspelt(name: &str) -> Option<String> {
    let mut letters: Vec<char> = name.chars().collect();
    let may_swap = |pair: &[char]| pair[0] != pair[1] && pair.iter().all(char::is_ascii_lowercase);
    let at = letters.windows(2).rposition(may_swap).filter(|at| *at > 0 && letters.len() > 3)?;
    letters.swap(at, at + 1);
    Some(letters.into_iter().collect())
}

/// A parameter's name in lower case with only letters and digits.
pub fn plain_name(name: &str) -> String {
    name.to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect()
}

/// Whether a parameter of this plain name takes a path of the file system.
pub fn is_path(name: &str, description: &str) -> bool {
    let ends = [
        "path",
        "paths",
        "file",
        "files",
        "filename",
        "directory",
        "dir",
        "folder",
        "cwd",
        "workdir",
        "root",
    ];
    let name = name.trim_end_matches(|end: char| end.is_ascii_digit());
    let foreign = ["url", "http", "json path", "jsonpath", "xpath"];
    // For these names the description decides.
    let open = [
        "input",
        "output",
        "source",
        "src",
        "destination",
        "dest",
        "target",
        "document",
        "image",
        "archive",
        "from",
        "to",
        "location",
        "inputs",
        "sources",
    ];
    let says_path = || {
        let first = description.split(['.', '\n', '\u{3002}']).next().unwrap_or_default();
        let paths = [
            "path",
            "\u{8def}\u{5f84}",
            "\u{30d1}\u{30b9}",
            "\u{acbd}\u{b85c}",
            "pfad",
            "chemin",
            "ruta de",
            "\u{43f}\u{443}\u{442}\u{44c}",
        ];
        paths.iter().any(|word| first.contains(word))
    };
    let is_one = ends.iter().any(|end| name.ends_with(end)) || open.contains(&name) && says_path();
    is_one && !foreign.iter().any(|word| description.contains(word))
}

/// The words of a name in lower case: `unitType`, `unit_type` and `unit-type` have two.
pub fn name_words(name: &str) -> Vec<String> {
    words_of(name.chars(), char::is_lowercase)
}

/// The words of a text in lower case. A capital after one of the letters that `may_end` begins another word.
pub(crate) fn words_of(letters: impl Iterator<Item = char>, may_end: fn(char) -> bool) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut has_ended = false;
    for letter in letters {
        if letter.is_uppercase() && has_ended || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        has_ended = may_end(letter);
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_is_near_the_right_one() {
        let cases = [("limit", Some("limti")), ("sort_by", Some("sort_yb")), ("all", None), ("aaaa", None)];
        for (name, wrong) in cases {
            assert_eq!(misspelt(name).as_deref(), wrong, "{name}");
        }
    }
}
