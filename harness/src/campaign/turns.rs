//! Whose turn it is: calls are divided among the tools, and for each tool among the ways of drawing inputs, by
//! their recent yield.
//!
//! The main type is [`Turns`]. Every tool and every way keeps a minimum share, because what yields nothing now
//! may do so later. It knows nothing of inputs; the same draws and rewards give the same turns.

use crate::generate::Rng;

/// One call in this many goes to any tool, whatever it yields; the others are divided by yield.
const ALIKE: usize = 2;
/// One call in this many of a tool goes to any way of drawing.
const ANY_WAY: usize = 4;
/// After this many calls drawn in one way, their yield counts half.
const WINDOW: f64 = 512.0;
/// The assumed interval between calls with something new before any was sent; optimistic, so that rarely tried
/// ways are tried.
const HOPE: f64 = 24.0;
/// The shares are recomputed after this many calls.
const RECKONED: usize = 64;

/// How an input is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DrawKind {
    /// From the schema.
    Afresh,
    /// As a neighbour of an input that led to something new.
    Near,
    /// Derived from a successful call.
    Upon,
}

impl DrawKind {
    const ALL: [Self; 3] = [Self::Afresh, Self::Near, Self::Upon];
}

/// The recent yield of one way of drawing for one tool.
#[derive(Debug, Clone, Copy, Default)]
struct Yield {
    calls: f64,
    new: f64,
}

impl Yield {
    fn worth(self) -> f64 {
        (self.new + 1.0) / (self.calls + HOPE)
    }

    fn count(&mut self) {
        self.calls += 1.0;
        if self.calls >= WINDOW {
            self.calls /= 2.0;
            self.new /= 2.0;
        }
    }
}

/// The turns of the tools of a campaign.
#[derive(Debug)]
pub(super) struct Turns {
    yields: Vec<[Yield; 3]>,
    /// The cumulative shares of the tools.
    ends: Vec<f64>,
    drawn: usize,
}

impl Turns {
    /// Turns for this many tools.
    pub(super) fn new(tools: usize) -> Self {
        Self { yields: vec![[Yield::default(); 3]; tools], ends: Vec::new(), drawn: 0 }
    }

    /// The index of the tool whose turn it is.
    pub(super) fn tool(&mut self, rng: &mut Rng) -> usize {
        if self.drawn.is_multiple_of(RECKONED) {
            self.recompute_shares();
        }
        self.drawn += 1;
        if rng.one_in(ALIKE) {
            return rng.below(self.yields.len());
        }
        let at = rng.fraction() * self.ends.last().copied().unwrap_or_default();
        self.ends.partition_point(|end| *end <= at).min(self.yields.len().saturating_sub(1))
    }

    fn recompute_shares(&mut self) {
        let mut end = 0.0;
        self.ends.clear();
        for of_tool in &self.yields {
            end += of_tool.iter().map(|one| one.worth()).fold(0.0, f64::max);
            self.ends.push(end);
        }
    }

    /// The way in which the tool's next input is drawn, among the possible ones.
    pub(super) fn way(&mut self, tool: usize, rng: &mut Rng, may: impl Fn(DrawKind) -> bool) -> DrawKind {
        let ways: Vec<DrawKind> = DrawKind::ALL.into_iter().filter(|way| may(*way)).collect();
        let Some(of_tool) = self.yields.get_mut(tool) else { return DrawKind::Afresh };
        let chosen = match rng.one_in(ANY_WAY) {
            true => rng.pick(&ways).copied(),
            false => {
                let worth = |way: &DrawKind| of_tool[*way as usize].worth();
                let mut left = rng.fraction() * ways.iter().map(worth).sum::<f64>();
                let by_worth = ways.iter().find(|way| {
                    left -= worth(way);
                    left < 0.0
                });
                by_worth.or(ways.last()).copied()
            }
        };
        let way = chosen.unwrap_or(DrawKind::Afresh);
        of_tool[way as usize].count();
        way
    }

    /// Counts that an input of a tool drawn in this way led to something new.
    pub(super) fn reward(&mut self, tool: usize, way: DrawKind) {
        if let Some(of_tool) = self.yields.get_mut(tool) {
            of_tool[way as usize].new += 1.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often each tool and each way had its turn, if one of each yields something new in one call of eight.
    fn shared(tools: usize, fertile: Option<(usize, DrawKind)>) -> (Vec<usize>, [usize; 3]) {
        let (mut turns, mut rng) = (Turns::new(tools), Rng::seeded(5));
        let (mut of_tools, mut of_ways) = (vec![0; tools], [0; 3]);
        for _ in 0..8_000 {
            let tool = turns.tool(&mut rng);
            let way = turns.way(tool, &mut rng, |_| true);
            of_tools[tool] += 1;
            of_ways[way as usize] += usize::from(fertile.is_none_or(|(fertile, _)| fertile == tool));
            if fertile == Some((tool, way)) && rng.one_in(8) {
                turns.reward(tool, way);
            }
        }
        (of_tools, of_ways)
    }

    #[test]
    fn where_nothing_is_new_all_have_the_same_part() {
        let (of_tools, of_ways) = shared(8, None);
        assert!(of_tools.iter().all(|calls| (800..1_200).contains(calls)), "{of_tools:?}");
        assert!(of_ways.iter().all(|calls| (2_200..3_200).contains(calls)), "{of_ways:?}");
    }

    #[test]
    fn what_is_new_of_late_gets_more_and_every_tool_and_way_keeps_a_part() {
        let (of_tools, of_ways) = shared(8, Some((3, DrawKind::Upon)));
        assert!(of_tools[3] > 2_500, "{of_tools:?}");
        assert!(of_tools.iter().all(|calls| *calls > 8_000 / ALIKE / 8 * 8 / 10), "{of_tools:?}");
        assert!(of_ways[2] > of_ways[0] + of_ways[1], "{of_ways:?}");
        assert!(of_ways.iter().all(|calls| *calls > of_tools[3] / ANY_WAY / 3 / 2), "{of_ways:?}");
    }

    #[test]
    fn without_tools_nobody_has_a_turn() {
        assert_eq!(Turns::new(0).tool(&mut Rng::seeded(1)), 0);
    }
}
