//! Whether a parameter called `code` takes what something goes by, as a voucher or a country does, and no program.
//!
//! The main function is [`is_label`].

use crate::class::Class;
use crate::words;

/// Whether nobody speaks of running, evaluating or writing a program; of a tool that may change something it must besides be
/// said of what the code is one. The texts, in small letters, are what the tool and the parameter say of themselves.
pub(super) fn is_label(tool: &str, parameter: &str, class: Class) -> bool {
    let mut rest = format!("{tool} {parameter}").replace('_', " ");
    let length = rest.len();
    for label in words!("names/label-labels") {
        rest = rest.replace(&format!("{label} code"), "");
    }
    let is_key = ["its code", "by code", "by a code", "by the code"].iter().any(|key| rest.contains(key));
    let is_said = is_key || rest.len() < length;
    let mut words = rest.split(|letter: char| !letter.is_alphanumeric());
    let is_program = words.any(|word| {
        words!("names/label-programs").contains(&word)
            || words!("names/label-program-beginnings").iter().any(|begin| word.starts_with(begin))
    });
    !is_program && (is_said || class == Class::Read)
}
