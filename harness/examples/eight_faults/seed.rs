//! Numbers drawn from a seed.
//!
//! The main type is [`Seed`], the generator SplitMix64: a few lines, and the same on every machine.

use std::ops::RangeInclusive;

/// Draws numbers; the same seed gives the same ones.
#[derive(Debug, Clone)]
pub(crate) struct Seed(u64);

impl Seed {
    /// Begins with this seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number of this range. Small ranges are drawn from evenly enough.
    pub(crate) fn within(&mut self, range: RangeInclusive<u64>) -> u64 {
        range.start() + self.next() % (range.end() - range.start() + 1)
    }

    /// True in this percentage of draws.
    pub(crate) fn percent(&mut self, percent: u64) -> bool {
        self.within(1..=100) <= percent
    }

    /// One of these.
    pub(crate) fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.within(0..=of.len() as u64 - 1) as usize]
    }

    /// Some of these, each at most once, in a drawn order.
    pub(crate) fn some<T: Copy>(&mut self, count: usize, of: &[T]) -> Vec<T> {
        let mut left = of.to_vec();
        self.shuffle(&mut left);
        left.truncate(count);
        left
    }

    /// Puts items into a drawn order.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.within(0..=end as u64) as usize);
        }
    }
}
