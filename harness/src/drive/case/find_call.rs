//! The search for a call of a tool that succeeds: all the ways to find one, and in which order they are tried.
//!
//! The main function is [`Driver::found_by`].

use serde_json::Value;

use crate::condition::CaseId;
use crate::generate::choices_of_names;
use crate::plan::ProbedTool;

use super::control::Paths;
use super::control_state::{RepairProgress, Repeatability, SuccessfulCall, Tried};
use super::{Abort, Driver};

/// How many calls are drawn for a confined tool each time a valid one is looked for.
const DRAWN: usize = 6;
/// How many calls are drawn if one that succeeded does not succeed again.
const DRAWN_AGAIN: usize = 3;

/// A way to find a call that succeeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// The calls that the tool's plan names.
    Planned,
    /// These calls with paths relative to the server's own folder.
    Relative,
    /// A tool that a refusal named has succeeded since.
    KnownNow,
    /// What other tools have listed.
    Listed,
    /// What refusals say.
    Repaired,
    /// A part of a thing that another call was about.
    PartOfThing,
    /// Another tool makes the file that it works on.
    Maker,
    /// A thing that is created just before it.
    NewThing,
    /// Made-up answers of the service behind the server.
    Invented,
    /// Random calls, and what their refusals say.
    Drawn,
    /// The tools that were called before it are called again.
    Undone,
    /// Another name for the thing that it creates.
    AnotherName,
    /// Random calls, each of which is sent twice.
    DrawnTwice,
}

/// For a tool about which nothing is known.
const AT_FIRST: &[Way] = &[
    Way::Planned,
    Way::Relative,
    Way::Listed,
    Way::Repaired,
    Way::PartOfThing,
    Way::Maker,
    Way::NewThing,
    Way::Invented,
    Way::Drawn,
];
/// In a later turn, when more of the server's values are known.
const LATER: &[Way] = &[Way::KnownNow, Way::PartOfThing, Way::Drawn];
/// For a call that succeeded, and is refused when it is sent again.
const AGAIN: &[Way] =
    &[Way::Undone, Way::AnotherName, Way::NewThing, Way::Repaired, Way::Maker, Way::DrawnTwice];
/// For a call about a thing that others have deleted since.
const GONE: &[Way] = &[Way::Undone, Way::NewThing];

/// How far the search for a tool's call has come.
#[derive(Debug, Default)]
pub(super) struct Search {
    ways: &'static [Way],
    /// Calls that may succeed, the likeliest first.
    tries: Vec<Value>,
    /// Whether the second of them has values with which other tools succeeded.
    has_known: bool,
    /// The exchanges of calls that were refused.
    pub(super) refused: Vec<usize>,
    /// The call that succeeded before.
    before: Option<SuccessfulCall>,
    progress: RepairProgress,
    /// Whether the tool lost its process, so that no more is tried.
    is_over: bool,
}

impl Search {
    /// For a tool about which nothing is known.
    pub(super) fn at_first(tries: Vec<Value>, has_known: bool) -> Self {
        Self { ways: AT_FIRST, tries, has_known, ..Self::default() }
    }

    /// For a tool whose first call was refused, when more of the server's values are known.
    pub(super) fn later(tool: &ProbedTool, refused: Option<usize>) -> Self {
        let refused = refused.into_iter().collect();
        Self { ways: LATER, tries: tool.tries.clone(), refused, ..Self::default() }
    }

    /// For a call that succeeded before and was refused now.
    pub(super) fn again(before: &SuccessfulCall, refused: usize) -> Self {
        Self { ways: AGAIN, refused: vec![refused], ..Self::gone(before) }
    }

    /// For a call that succeeded before, about a thing that is gone.
    pub(super) fn gone(before: &SuccessfulCall) -> Self {
        let tries = vec![before.arguments.clone()];
        Self { ways: GONE, tries, before: Some(before.clone()), ..Self::default() }
    }
}

impl Driver<'_> {
    /// The call that succeeds, by the first way that finds one.
    pub(super) async fn found_by(
        &mut self,
        tool: &ProbedTool,
        case: &CaseId,
        search: &mut Search,
    ) -> Result<Option<SuccessfulCall>, Abort> {
        for way in search.ways {
            let found = Box::pin(self.by(*way, tool, case, search)).await?;
            if found.is_some() || search.is_over {
                return Ok(found);
            }
        }
        Ok(None)
    }

    async fn by(
        &mut self,
        way: Way,
        tool: &ProbedTool,
        case: &CaseId,
        search: &mut Search,
    ) -> Result<Option<SuccessfulCall>, Abort> {
        let refused = search.refused.first().copied();
        let before = search.before.as_ref();
        let found = match way {
            Way::Planned | Way::Relative | Way::Listed | Way::PartOfThing => {
                return self.by_candidates(way, tool, case, search).await;
            }
            Way::KnownNow => return self.after_what_is_known_now(tool, case, refused).await,
            Way::Invented => return self.invented(tool, case, &search.tries).await,
            Way::Drawn => return self.drawn(tool, case, search).await,
            Way::DrawnTwice => return self.drawn_twice(tool, case).await,
            Way::Undone => return self.after_what_was_undone(tool, case, before).await,
            Way::AnotherName => return self.under_another_name(tool, case, before, refused).await,
            Way::NewThing => {
                let Some(first) = search.tries.first() else { return Ok(None) };
                let found = self.with_a_new_thing(tool, case, first).await?;
                // Whether it succeeds again is not known yet.
                return Ok(match search.before {
                    Some(_) => found,
                    None => found.map(|found| SuccessfulCall::new(found.control, found.arguments)),
                });
            }
            Way::Repaired => {
                let starts = starts(&search.refused, search.has_known);
                self.repaired(tool, case, &starts, &mut search.progress).await?
            }
            Way::Maker => {
                let known = before.map(|before| &before.arguments);
                self.after_a_maker(tool, case, refused.filter(|_| known.is_none()), known).await?
            }
        };
        Ok(match search.before {
            Some(_) => found.map(|found| SuccessfulCall { repeatability: Repeatability::Steady, ..found }),
            None => found,
        })
    }

    /// The first of these calls that succeeds.
    async fn by_candidates(
        &mut self,
        way: Way,
        tool: &ProbedTool,
        case: &CaseId,
        search: &mut Search,
    ) -> Result<Option<SuccessfulCall>, Abort> {
        let candidates = match way {
            Way::Relative => self.relative_tries(tool, &search.tries),
            Way::Listed => {
                search.refused.first().map(|first| self.with_listed(tool, *first)).unwrap_or_default()
            }
            Way::PartOfThing => self.upon_parts(tool, &search.tries),
            _ => search.tries.clone(),
        };
        let is_planned = matches!(way, Way::Planned | Way::Relative);
        for arguments in candidates {
            match self.tried(tool, case, &arguments).await? {
                Tried::Succeeded(control) => {
                    if way == Way::Relative {
                        self.tools.paths.insert(tool.name.clone(), Paths::Relative);
                    }
                    return Ok(Some(SuccessfulCall::new(control, arguments)));
                }
                Tried::Refused(index) if is_planned => search.refused.push(index),
                Tried::Refused(_) => {}
                Tried::Lost(index) => {
                    if is_planned {
                        search.refused.push(index);
                        search.is_over = true;
                    }
                    return Ok(None);
                }
            }
        }
        Ok(None)
    }

    /// Tries random calls and the repairs that their refusals lead to.
    async fn drawn(
        &mut self,
        tool: &ProbedTool,
        case: &CaseId,
        search: &mut Search,
    ) -> Result<Option<SuccessfulCall>, Abort> {
        let mut refused = Vec::new();
        for _ in 0..DRAWN {
            let Some(arguments) = self.next_drawn(tool) else { break };
            match self.tried(tool, case, &arguments).await? {
                Tried::Succeeded(control) => return Ok(Some(SuccessfulCall::new(control, arguments))),
                Tried::Refused(index) => refused.push(index),
                Tried::Lost(index) => {
                    search.refused.extend(refused.into_iter().chain([index]));
                    return Ok(None);
                }
            }
        }
        let mended = self.repaired(tool, case, &refused, &mut search.progress).await?;
        search.refused.extend(refused);
        Ok(mended)
    }

    /// A random call that succeeds, if possible twice.
    async fn drawn_twice(
        &mut self,
        tool: &ProbedTool,
        case: &CaseId,
    ) -> Result<Option<SuccessfulCall>, Abort> {
        for _ in 0..DRAWN_AGAIN {
            let Some(arguments) = self.next_drawn(tool) else { break };
            let control = match self.tried(tool, case, &arguments).await? {
                Tried::Succeeded(control) => control,
                Tried::Lost(index) => return Err(Abort::Lost(index)),
                Tried::Refused(_) => continue,
            };
            let (control, repeatability) = match self.tried(tool, case, &arguments).await? {
                Tried::Succeeded(control) => (control, Repeatability::Steady),
                Tried::Refused(refused) => (control, Repeatability::Spent { refused }),
                Tried::Lost(index) => return Err(Abort::Lost(index)),
            };
            return Ok(Some(SuccessfulCall { control, arguments, repeatability }));
        }
        Ok(None)
    }

    fn next_drawn(&mut self, tool: &ProbedTool) -> Option<Value> {
        let folder = self.resources.run_folders.case_folder(&tool.folder);
        let drawn = self.draws.as_mut()?.next(tool, &folder.to_string_lossy())?;
        Some(self.learnt.of_progress(&tool.name, &drawn))
    }

    /// The call with another name for the thing it creates, if it is refused because that exists already. The
    /// parameter whose value the refusal quotes is tried first.
    async fn under_another_name(
        &mut self,
        tool: &ProbedTool,
        case: &CaseId,
        before: Option<&SuccessfulCall>,
        refused: Option<usize>,
    ) -> Result<Option<SuccessfulCall>, Abort> {
        let (Some(before), Some(refused)) = (before, refused) else { return Ok(None) };
        let words = self.pool.exchanges[refused].outcome.words().join("\n");
        for names in choices_of_names(&before.arguments, &words) {
            let Some(draws) = self.draws.as_mut() else { break };
            let Some(arguments) = draws.renamed_in(tool, &before.arguments, &names) else { continue };
            match self.tried(tool, case, &arguments).await? {
                Tried::Succeeded(control) => {
                    if let Some(draws) = self.draws.as_mut() {
                        draws.keep_names(tool, names);
                    }
                    let repeatability = Repeatability::Renamed { refused };
                    return Ok(Some(SuccessfulCall { control, arguments, repeatability }));
                }
                Tried::Lost(index) => return Err(Abort::Lost(index)),
                Tried::Refused(_) => {}
            }
        }
        Ok(None)
    }
}

/// The order in which refusals are read. The call with other tools' values, if there is one, is the likeliest.
/// Of the random calls the third comes first: there each parameter has a word of its own, so that a refusal
/// that repeats one shows which parameter it means.
fn starts(refused: &[usize], has_known: bool) -> Vec<usize> {
    let mut draws = refused.to_vec();
    let known = (has_known && draws.len() > 1).then(|| draws.remove(1));
    if draws.len() > 2 {
        draws.rotate_left(2);
    }
    known.into_iter().chain(draws).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_read_in_the_order_of_what_they_are_likely_to_tell() {
        assert_eq!(starts(&[1, 9, 2, 3, 4], true), [9, 3, 4, 1, 2]);
        assert_eq!(starts(&[1, 2, 3, 4], false), [3, 4, 1, 2]);
        assert_eq!(starts(&[1], true), [1]);
    }
}
