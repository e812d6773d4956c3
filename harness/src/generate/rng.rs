//! Seeded random numbers: the same seed gives the same draws.
//!
//! The main type is [`Rng`]. Only this module uses the underlying crate.

/// A random number generator.
#[derive(Debug, Clone)]
pub struct Rng(fastrand::Rng);

impl Rng {
    /// The generator for a seed.
    pub fn seeded(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    /// An independent generator for this name, such as a tool's, so that the draws for one name do not affect
    /// those for another. This generator's state does not change.
    #[must_use]
    pub fn fork(&self, name: &str) -> Self {
        // FNV-1a, because the standard library's hashes may change between versions.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self::seeded(self.0.get_seed() ^ hash)
    }

    /// Any number.
    pub fn number(&mut self) -> u64 {
        self.0.u64(..)
    }

    /// A number below `end`; 0 if that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        match end {
            0 => 0,
            end => self.0.usize(..end),
        }
    }

    /// A number from `least` to `most`, both included.
    pub fn within(&mut self, least: i64, most: i64) -> i64 {
        self.0.i64(least..=most.max(least))
    }

    /// A number from 0 to 1, excluding 1.
    pub fn fraction(&mut self) -> f64 {
        self.0.f64()
    }

    /// True with a probability of one in `many`.
    pub fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    /// A random item; `None` if there is none.
    pub fn pick<'i, T>(&mut self, items: &'i [T]) -> Option<&'i T> {
        items.get(self.below(items.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_and_a_name_tell_the_whole_stream() {
        let draw = |mut rng: Rng| -> Vec<usize> { (0..20).map(|_| rng.below(1_000)).collect() };
        assert_eq!(draw(Rng::seeded(7)), draw(Rng::seeded(7)));
        assert_ne!(draw(Rng::seeded(7)), draw(Rng::seeded(8)));
        assert_eq!(draw(Rng::seeded(7).fork("read")), draw(Rng::seeded(7).fork("read")));
        assert_ne!(draw(Rng::seeded(7).fork("read")), draw(Rng::seeded(7).fork("write")));
    }

    #[test]
    fn bounds_are_kept_where_nothing_is_left_to_choose() {
        let mut rng = Rng::seeded(1);
        assert_eq!(rng.below(0), 0);
        assert_eq!(rng.within(5, 3), 5);
        assert_eq!(rng.pick::<u8>(&[]), None);
    }
}
