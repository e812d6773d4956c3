//! What was planted beside what was found.
//!
//! The main types are [`Scored`], for one campaign, and [`Tally`], for all of them.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::json;

use crate::campaign::{Found, Planted};

/// One planted fault after a campaign.
#[derive(Debug)]
struct Fault {
    kind: String,
    /// How many findings tell of it.
    findings: usize,
    /// Bytes of the smallest calls that bring it about.
    least: usize,
    /// Bytes of the calls that were reported.
    shrunk: Option<usize>,
}

/// What one campaign came to.
#[derive(Debug)]
pub(crate) struct Scored {
    faults: Vec<Fault>,
    /// Findings that belong to no planted fault, in words.
    strange: Vec<String>,
}

impl Scored {
    /// Lays findings beside faults.
    pub(crate) fn of(planted: &[Planted], found: &[Found]) -> Self {
        let tells = |found: &Found, planted: &Planted| {
            found.tool == planted.tool && found.rule.starts_with(&planted.rule)
        };
        let faults = planted.iter().map(|planted| {
            let found: Vec<&Found> = found.iter().filter(|found| tells(found, planted)).collect();
            Fault {
                kind: planted.kind.clone(),
                findings: found.len(),
                least: json!(planted.calls).to_string().len(),
                shrunk: found.first().map(|found| json!(found.calls).to_string().len()),
            }
        });
        let strange = found.iter().filter(|found| !planted.iter().any(|planted| tells(found, planted)));
        Self {
            faults: faults.collect(),
            strange: strange
                .map(|found| format!("{} of {}: {}", found.rule, found.tool, found.message))
                .collect(),
        }
    }
}

impl fmt::Display for Scored {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = self.faults.iter().filter(|fault| fault.findings > 0).count();
        write!(formatter, "{found} of {}", self.faults.len())?;
        for fault in &self.faults {
            match fault.shrunk {
                None => write!(formatter, "\n  {} was not found", fault.kind)?,
                Some(shrunk) => {
                    write!(formatter, "\n  {} with {shrunk} bytes (smallest {})", fault.kind, fault.least)?;
                }
            }
            if fault.findings > 1 {
                write!(formatter, ", reported {} times", fault.findings)?;
            }
        }
        for strange in &self.strange {
            write!(formatter, "\n  not planted: {strange}")?;
        }
        Ok(())
    }
}

/// What all campaigns came to.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    campaigns: usize,
    complete: usize,
    once: usize,
    strange: usize,
    found: BTreeMap<String, usize>,
}

impl Tally {
    /// One more.
    pub(crate) fn add(&mut self, scored: &Scored) {
        let every = |holds: fn(&Fault) -> bool| usize::from(scored.faults.iter().all(holds));
        self.campaigns += 1;
        self.complete += every(|fault| fault.findings > 0);
        self.once += every(|fault| fault.findings == 1);
        self.strange += scored.strange.len();
        for fault in &scored.faults {
            *self.found.entry(fault.kind.clone()).or_default() += usize::from(fault.findings > 0);
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { campaigns, complete, once, strange, found } = self;
        for (kind, count) in found {
            writeln!(formatter, "{kind}: {count} of {campaigns}")?;
        }
        writeln!(formatter, "{complete} of {campaigns} campaigns found all, {once} each of them once")?;
        writeln!(formatter, "{strange} findings that were not planted")
    }
}
