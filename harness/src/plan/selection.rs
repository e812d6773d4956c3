//! What a glob over ids may select before the server has listed its tools.

/// The beginnings of the ids of cases that are no part of a suite.
const LISTED: [&str; 6] = ["probe/", "resource/", "prompt/", "completion/", "protocol/", "session/"];

/// Whether a glob may select anything besides the cases of the suite.
pub fn may_select(glob: &str) -> bool {
    LISTED.iter().any(|beginning| may_match(glob, beginning))
}

/// Whether a glob can match an id with this beginning.
pub fn may_match(glob: &str, beginning: &str) -> bool {
    let plain = glob.find(['*', '?', '[', '{', '\\']).map_or(glob, |end| &glob[..end]);
    plain.starts_with(beginning) || beginning.starts_with(plain) && plain.len() < glob.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_depends_on_the_server_may_be_selected_before_it_is_known() {
        for glob in
            ["probe/*", "probe/read/path/missing", "p*", "*", "{probe,read}/*", "protocol/unknown-method"]
        {
            assert!(may_select(glob), "{glob}");
        }
        for glob in ["nothing", "read/*", "probes/*", "proto"] {
            assert!(!may_select(glob), "{glob}");
        }
    }
}
