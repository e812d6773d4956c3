//! A secret that is none: a drawn value in the server's environment. Whoever reads it in a reply knows where it came from.
//! And [`Concealed`]: the user's own ones, which are shown nowhere.

mod concealed;

pub(crate) use concealed::BEGIN;
pub use concealed::{Concealed, token};

/// The variable that holds it.
pub const VARIABLE: &str = "MCP_ERRCONF_SECRET";

/// Its value in a run of this seed; a recording has it by the seed alone.
pub fn drawn(seed: u64) -> String {
    // The finaliser of SplitMix64 spreads a small seed over all bits; the constant keeps it apart from the canary's.
    let mut bits = seed.wrapping_add(0x5ec2_e700_0000_0001).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    format!("drawn-{:016x}", bits ^ (bits >> 31))
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
