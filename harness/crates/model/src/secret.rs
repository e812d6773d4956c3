//! A random canary value in the server's environment, so that a reply with it is known to leak. And [`Concealed`]: the user's
//! own secrets, which are never shown; which these are, and where they come in.

mod conceal;
mod concealed;
mod looks;

pub use conceal::{SecretWord, conceal, conceal_environment, conceal_words, secret_words, shown_words};
pub use concealed::{BEGIN, Concealed, token};
pub use looks::{is_secret, looks_secret};
#[cfg(target_os = "linux")]
pub use looks::{kept_back, made_up};

/// The name of the variable with the canary.
pub const VARIABLE: &str = "MCP_ERRCONF_SECRET";

/// How each value of it begins.
const DRAWN: &str = "drawn-";

/// Whether a line of the server's may contain a secret that it was given.
pub fn may_show(line: &str) -> bool {
    line.contains(BEGIN) || line.contains(DRAWN)
}

/// The value in a run with this seed; a recording only needs the seed.
pub fn drawn(seed: u64) -> String {
    // SplitMix64's finaliser spreads a small seed over all bits; the constant makes the value differ from that
    // of the file canary.
    let mut bits = seed.wrapping_add(0x5ec2_e700_0000_0001).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    format!("{DRAWN}{:016x}", bits ^ (bits >> 31))
}

#[cfg(test)]
mod tests {
    use super::drawn;

    #[test]
    fn the_same_seed_draws_the_same_secret_and_another_seed_another() {
        assert_eq!(drawn(7), drawn(7));
        assert_ne!(drawn(0), drawn(1));
        assert_eq!(drawn(0).len(), 22);
    }
}
