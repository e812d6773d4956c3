//! Names of tools and parameters, taken apart or brought to one form.

/// The words of a name in small letters: `unitType`, `unit_type` and `unit-type` have two.
pub(crate) fn name_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before_is_small = false;
    for letter in name.chars() {
        if letter.is_uppercase() && before_is_small || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        before_is_small = letter.is_lowercase();
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// A parameter's name in small letters and digits alone.
pub(crate) fn plain_name(name: &str) -> String {
    name.to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect()
}
