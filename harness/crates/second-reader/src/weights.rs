//! The weights of a model in 8,200 bytes: a scale, a bias, and one byte for each bucket of [`Features`].
//!
//! The main type is [`Weights`].

use crate::features::{Features, SIZE};

/// The scale and the bias, each a little-endian `f32`.
const HEAD: usize = 8;
/// The length of weights as bytes.
pub(crate) const LENGTH: usize = HEAD + SIZE;

/// The weights of one model.
#[derive(Debug, Clone, Copy)]
pub struct Weights<'a> {
    scale: f32,
    bias: f32,
    buckets: &'a [u8],
}

impl<'a> Weights<'a> {
    /// Reads what `pack` wrote.
    pub const fn read(bytes: &'a [u8; LENGTH]) -> Self {
        let (head, buckets) = bytes.split_at(HEAD);
        let scale = f32::from_le_bytes([head[0], head[1], head[2], head[3]]);
        let bias = f32::from_le_bytes([head[4], head[5], head[6], head[7]]);
        Self { scale, bias, buckets }
    }

    /// How likely the answer is yes, from 0 to 1.
    pub fn probability(&self, features: &Features) -> f32 {
        let sum: f32 = features.iter().map(|(bucket, value)| self.weight(bucket) * value).sum();
        1.0 / (1.0 + (-self.bias - sum).exp())
    }

    /// What a bucket speaks for: above 0 for yes, below for no.
    pub(crate) fn weight(&self, bucket: usize) -> f32 {
        f32::from(self.buckets[bucket].cast_signed()) * self.scale
    }
}

/// Weights as bytes: the largest one becomes 127.
#[expect(
    clippy::cast_possible_truncation,
    reason = "weights are small numbers, and one in 127 parts is exact enough"
)]
pub(crate) fn pack(weights: &[f64], bias: f64) -> Vec<u8> {
    let largest = weights.iter().fold(f64::MIN_POSITIVE, |largest, weight| weight.abs().max(largest));
    let scale = largest / 127.0;
    let buckets = weights.iter().map(|weight| ((weight / scale).round() as i8).cast_unsigned());
    let head = [scale as f32, bias as f32].map(f32::to_le_bytes);
    head.into_iter().flatten().chain(buckets).collect()
}
