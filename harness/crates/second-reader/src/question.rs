//! The questions, each with its weights, and the answer for a text.
//!
//! The main types are [`Question`] and [`Reading`].

use std::ops::Range;

use crate::features::{Features, for_each_ngram};
use crate::masked_text::{MaskedText, Sent};
use crate::weights::{LENGTH, Weights};

/// What is asked of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    /// Does it reveal the inside of the server?
    Leak,
    /// Does it not say what to change in the call?
    NoHint,
    /// Does it say nothing but that something failed?
    Vague,
    /// Does it say that the call failed?
    Failure,
}

impl Question {
    /// Every question.
    pub const ALL: [Self; 4] = [Self::Leak, Self::NoHint, Self::Vague, Self::Failure];

    /// The name of its file of weights.
    pub fn name(self) -> &'static str {
        match self {
            Self::Leak => "leak",
            Self::NoHint => "no-hint",
            Self::Vague => "vague",
            Self::Failure => "failure",
        }
    }

    fn weights(self) -> Weights<'static> {
        const LEAK: &[u8; LENGTH] = include_bytes!("weights/leak.bin");
        const NO_HINT: &[u8; LENGTH] = include_bytes!("weights/no-hint.bin");
        const VAGUE: &[u8; LENGTH] = include_bytes!("weights/vague.bin");
        const FAILURE: &[u8; LENGTH] = include_bytes!("weights/failure.bin");
        Weights::read(match self {
            Self::Leak => LEAK,
            Self::NoHint => NO_HINT,
            Self::Vague => VAGUE,
            Self::Failure => FAILURE,
        })
    }
}

/// A text as the models read it.
#[derive(Debug, Clone)]
pub struct Reading {
    text: MaskedText,
    features: Features,
}

/// A passage that speaks for an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Its bytes in the text as it was.
    pub span: Range<usize>,
    /// How strongly: above 0 for yes, below for no.
    pub weight: f32,
}

impl Reading {
    /// Reads a reply to a call.
    pub fn new(text: &str, sent: &Sent) -> Self {
        let text = MaskedText::new(text, sent);
        let features = Features::of(&text);
        Self { text, features }
    }

    /// What the models see.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// The text as it is masked.
    pub fn text(&self) -> &MaskedText {
        &self.text
    }

    /// How likely the answer is yes, from 0 to 1.
    pub fn probability(&self, question: Question) -> f32 {
        question.weights().probability(&self.features)
    }

    /// The passages that speak most strongly for or against yes, the strongest first; none overlaps another.
    pub fn explain(&self, question: Question, count: usize) -> Vec<Mark> {
        let weights = question.weights();
        let mut marks = Vec::new();
        for_each_ngram(&self.text, |bucket, characters| {
            marks.push(Mark { span: self.text.span(&characters), weight: weights.weight(bucket) });
        });
        marks.sort_by(|one, other| other.weight.abs().total_cmp(&one.weight.abs()));
        let mut chosen: Vec<Mark> = Vec::new();
        for mark in marks {
            let is_apart =
                |other: &Mark| mark.span.end <= other.span.start || other.span.end <= mark.span.start;
            if chosen.len() < count && !mark.span.is_empty() && chosen.iter().all(is_apart) {
                chosen.push(mark);
            }
        }
        chosen
    }
}
