//! Chance with a seed: the same seed gives the same draws.
//!
//! The main type is [`Rng`]. The crate behind it is touched here alone.

/// A stream of chance.
#[derive(Debug, Clone)]
pub struct Rng(fastrand::Rng);

impl Rng {
    /// The stream of a seed.
    pub fn seeded(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    /// A stream of its own for this name, a tool's for example: what one draws does not shift what another one draws.
    /// The stream itself stays where it is.
    #[must_use]
    pub fn fork(&self, name: &str) -> Self {
        // FNV-1a, because the standard library's hashes may differ from one of its versions to the next.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self::seeded(self.0.get_seed() ^ hash)
    }

    /// Any number.
    pub fn number(&mut self) -> u64 {
        self.0.u64(..)
    }

    /// A number below this one; 0 where there is none.
    pub fn below(&mut self, end: usize) -> usize {
        match end {
            0 => 0,
            end => self.0.usize(..end),
        }
    }

    /// A number from the first to the second one, both included.
    pub fn within(&mut self, least: i64, most: i64) -> i64 {
        self.0.i64(least..=most.max(least))
    }

    /// A number from 0 up to 1.
    pub fn fraction(&mut self) -> f64 {
        self.0.f64()
    }

    /// Whether a chance of one in this many comes about.
    pub fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    /// One of these.
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
