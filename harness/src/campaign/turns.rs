//! Whose turn it is: calls are shared out among the tools, and for each among the ways in which inputs are drawn, by what
//! was new of late.
//!
//! The main type is [`Turns`]. Every tool and every way keeps a part, for what bears nothing now may do so later. It knows
//! nothing of inputs; the same draws and the same rewards give the same turns.

use crate::generate::Rng;

/// Half of the calls go to all tools alike, the other half by what they bore.
const ALIKE: usize = 2;
/// One call in this many goes to any way of a tool.
const ANY_WAY: usize = 4;
/// After this many calls of one way what it bore counts half.
const WINDOW: f64 = 512.0;
/// The yield that is assumed before any call was sent, in calls with something new: what was tried seldom is promising.
const HOPE: f64 = 24.0;
/// The shares are reckoned anew after this many calls.
const RECKONED: usize = 64;

/// How an input is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DrawKind {
    /// By the schema.
    Afresh,
    /// Near an input that led to something new.
    Near,
    /// Upon a call that succeeds.
    Upon,
}

impl DrawKind {
    const ALL: [Self; 3] = [Self::Afresh, Self::Near, Self::Upon];

    fn index(self) -> usize {
        match self {
            Self::Afresh => 0,
            Self::Near => 1,
            Self::Upon => 2,
        }
    }
}

/// What one way of one tool bore of late.
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
    /// Up to which number each tool's share goes.
    ends: Vec<f64>,
    drawn: usize,
}

impl Turns {
    /// For this many tools.
    pub(super) fn new(tools: usize) -> Self {
        Self { yields: vec![[Yield::default(); 3]; tools], ends: Vec::new(), drawn: 0 }
    }

    /// The number of the tool whose turn it is.
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

    /// The way in which an input of a tool is drawn, of those that there are.
    pub(super) fn way(&mut self, tool: usize, rng: &mut Rng, may: impl Fn(DrawKind) -> bool) -> DrawKind {
        let ways: Vec<DrawKind> = DrawKind::ALL.into_iter().filter(|way| may(*way)).collect();
        let Some(of_tool) = self.yields.get_mut(tool) else { return DrawKind::Afresh };
        let chosen = match rng.one_in(ANY_WAY) {
            true => rng.pick(&ways).copied(),
            false => {
                let worth = |way: &DrawKind| of_tool[way.index()].worth();
                let mut left = rng.fraction() * ways.iter().map(worth).sum::<f64>();
                let by_worth = ways.iter().find(|way| {
                    left -= worth(way);
                    left < 0.0
                });
                by_worth.or(ways.last()).copied()
            }
        };
        let way = chosen.unwrap_or(DrawKind::Afresh);
        of_tool[way.index()].count();
        way
    }

    /// Something new came of an input of a tool that was drawn in this way.
    pub(super) fn reward(&mut self, tool: usize, way: DrawKind) {
        if let Some(of_tool) = self.yields.get_mut(tool) {
            of_tool[way.index()].new += 1.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often each tool and each way had its turn, where what one of each bears is new in one call of eight.
    fn shared(tools: usize, fertile: Option<(usize, DrawKind)>) -> (Vec<usize>, [usize; 3]) {
        let (mut turns, mut rng) = (Turns::new(tools), Rng::seeded(5));
        let (mut of_tools, mut of_ways) = (vec![0; tools], [0; 3]);
        for _ in 0..8_000 {
            let tool = turns.tool(&mut rng);
            let way = turns.way(tool, &mut rng, |_| true);
            of_tools[tool] += 1;
            of_ways[way.index()] += usize::from(fertile.is_none_or(|(fertile, _)| fertile == tool));
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
    fn the_same_seed_gives_the_same_turns() {
        assert_eq!(shared(5, Some((1, DrawKind::Near))), shared(5, Some((1, DrawKind::Near))));
    }

    #[test]
    fn without_a_tool_it_is_nobodys_turn() {
        assert_eq!(Turns::new(0).tool(&mut Rng::seeded(1)), 0);
    }
}
