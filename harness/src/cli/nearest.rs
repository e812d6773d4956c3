//! The name that a mistyped one most likely means.

/// The nearest of the names, if one is near enough to be meant.
pub(crate) fn nearest<'n>(given: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let scored = names.into_iter().map(|name| (strsim::jaro_winkler(given, name), name));
    let best = scored.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    (best.0 > 0.7).then_some(best.1)
}

/// `; did you mean NAME?`, or nothing.
pub(crate) fn suggestion<'n>(given: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    nearest(given, names).map_or(String::new(), |name| format!("; did you mean `{name}`?"))
}
