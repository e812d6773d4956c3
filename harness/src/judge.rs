//! From exchanges to findings and verdicts: pure.
//!
//! The main function is [`judge`]; it takes a [`Transcript`] and gives a [`Report`], the document that every reporter
//! shows. What the live half asks while it drives, [`has_succeeded`] and [`follow_ups`], stands here too, so that there
//! is one opinion on a reply.

use std::cell::OnceCell;

use crate::baseline::Baseline;
use crate::contract::{Contract, ErrorReply, adopted, looks_like, read};
use crate::exchange::Exchange;
use crate::finding::{Breach, Level, LevelSetting};
use crate::rules::{Check, Control, Panorama, Rule, Scene, Tier, silences, silences_overlap};
use crate::signature::signature;
use crate::transcript::{Chosen, Transcript};

mod disguise;
mod fold;
mod follow;
mod report;
mod tally;

pub(crate) use disguise::Disguise;
pub use follow::{follow_ups, has_succeeded};
pub use report::{
    BindingInfo, CaseCounts, CaseVerdict, ContractInfo, FindingCounts, HarnessInfo, Mendable, Report,
    ServerInfo, Status, Strictness, Summary, Withheld,
};
pub(crate) use tally::server as server_info;

/// The version of the report's form.
const SCHEMA_VERSION: u32 = 1;

/// A breach with the rule that found it and the exchange that shows it.
struct Charge {
    rule: &'static Rule,
    level: Level,
    exchange: usize,
    breach: Breach,
}

/// Judges a run by these rules.
pub fn judge(
    transcript: &Transcript,
    contract: &Contract,
    rules: &[&'static Rule],
    strictness: Strictness,
) -> Report {
    judge_against(&Baseline::default(), transcript, contract, rules, strictness)
}

/// Judges a run by these rules; what the baseline accepts is known and does not count.
pub fn judge_against(
    baseline: &Baseline,
    transcript: &Transcript,
    contract: &Contract,
    rules: &[&'static Rule],
    strictness: Strictness,
) -> Report {
    let levels = &transcript.head.levels;
    let rules: Vec<&'static Rule> =
        rules.iter().filter(|rule| levels.get(rule.id) != Some(&LevelSetting::Off)).copied().collect();
    let rules = rules.as_slice();
    let errors: Vec<Option<ErrorReply>> =
        transcript.exchanges.iter().map(|exchange| read(contract, exchange)).collect();
    let declared = transcript.head.chosen != Chosen::Default || adopted(contract, &errors);
    let mut charges = Vec::new();
    for exchange in &transcript.exchanges {
        let scene = scene(transcript, contract, declared, exchange, &errors);
        charges.extend(silenced(charge(&scene, rules)));
    }
    let panorama = Panorama { transcript, contract, declared, errors: &errors };
    charges.extend(survey(&panorama, rules));
    for charge in &mut charges {
        if let Some(level) = levels.get(charge.rule.id).and_then(|setting| setting.level()) {
            charge.level = level;
        }
    }

    let mut findings = fold::findings(transcript, rules, &charges);
    baseline.mark(&mut findings);
    let cases = tally::cases(transcript, &findings, strictness);
    Report {
        schema_version: SCHEMA_VERSION,
        harness: HarnessInfo { version: env!("CARGO_PKG_VERSION").to_owned() },
        server: tally::server(&transcript.head),
        contract: ContractInfo {
            id: contract.id.clone(),
            chosen: transcript.head.chosen,
            // Whose own codes are used looks like no other.
            looks_like: if adopted(contract, &errors) {
                None
            } else {
                looks_like(contract, &transcript.exchanges)
            },
        },
        seed: transcript.head.seed,
        summary: Summary {
            cases: tally::case_counts(&cases),
            findings: tally::finding_counts(&findings),
            calls: transcript.exchanges.iter().filter(|exchange| exchange.tool().is_some()).count(),
            error_replies: errors.iter().flatten().count(),
            mendable: tally::mendable(transcript, contract, &errors, &charges),
            duration_ms: transcript.duration_ms,
        },
        bindings: tally::bindings(&transcript.head),
        withheld: transcript.withheld.clone(),
        cases,
        findings,
    }
}

fn scene<'a>(
    transcript: &'a Transcript,
    contract: &'a Contract,
    declared: bool,
    exchange: &'a Exchange,
    errors: &'a [Option<ErrorReply>],
) -> Scene<'a> {
    let exchanges = &transcript.exchanges;
    let control = match exchange.place.control.map(|index| &exchanges[index]) {
        Some(control) if has_succeeded(control, contract) => Control::Succeeded(control),
        Some(control) => Control::Failed(control),
        None => Control::None,
    };
    Scene {
        head: &transcript.head,
        contract,
        declared,
        exchange,
        error: errors[exchange.index].as_ref(),
        tool: exchange.tool().and_then(|name| transcript.head.catalog.tool(name)),
        control,
        follows: exchange.place.follows.map(|index| &exchanges[index]),
        cases: &transcript.cases,
        shown: OnceCell::new(),
    }
}

/// What the rules over one exchange say of it.
fn charge(scene: &Scene<'_>, rules: &[&'static Rule]) -> Vec<Charge> {
    let controlled = matches!(scene.control, Control::Succeeded(_));
    let refused_alike = is_refused_like_its_control(scene);
    let mut charges = Vec::new();
    for rule in rules {
        let Check::Exchange(check) = rule.check else { continue };
        if !rule.judges(scene.exchange.place.step) {
            continue;
        }
        let cap = match rule.tier {
            Tier::Gated if !controlled => continue,
            // The fault that the call was made for is not the one that the server speaks of.
            Tier::Softened if refused_alike => continue,
            Tier::Softened if !controlled => Level::Should,
            Tier::Ungated | Tier::Gated | Tier::Softened | Tier::Run => Level::Must,
        };
        charges.extend(check(scene).into_iter().map(|breach| Charge {
            rule,
            level: breach.level.unwrap_or(rule.level).min(cap),
            exchange: scene.exchange.index,
            breach,
        }));
    }
    charges
}

/// Whether a control was refused too, and in the same words but for the values.
fn is_refused_like_its_control(scene: &Scene<'_>) -> bool {
    let Control::Failed(control) = scene.control else { return false };
    let words = |exchange: &Exchange| {
        let text = exchange.outcome.texts().first().map(|text| (*text).to_owned())?;
        Some(signature(&text, exchange, &scene.head.folders))
    };
    words(control).is_some_and(|refusal| words(scene.exchange) == Some(refusal))
}

/// What the rules over the whole run say.
fn survey(panorama: &Panorama<'_>, rules: &[&'static Rule]) -> Vec<Charge> {
    let mut charges = Vec::new();
    for rule in rules {
        let Check::Run(check) = rule.check else { continue };
        charges.extend(check(panorama).into_iter().map(|(exchange, breach)| Charge {
            rule,
            level: breach.level.unwrap_or(rule.level),
            exchange,
            breach,
        }));
    }
    charges
}

/// Where two charges on one exchange speak of one thing, the more telling one stays.
fn silenced(charges: Vec<Charge>) -> Vec<Charge> {
    let lost: Vec<bool> =
        charges.iter().map(|loser| charges.iter().any(|winner| speaks_for(winner, loser))).collect();
    charges.into_iter().zip(lost).filter_map(|(charge, lost)| (!lost).then_some(charge)).collect()
}

/// Whether one charge makes another one idle.
fn speaks_for(winner: &Charge, loser: &Charge) -> bool {
    let span = |charge: &Charge| charge.breach.evidence.as_ref().and_then(|evidence| evidence.span);
    silences(winner.rule.id, loser.rule.id)
        || match (span(winner), span(loser)) {
            (Some(won), Some(lost)) => {
                silences_overlap((winner.rule.id, &(won.0..won.1)), (loser.rule.id, &(lost.0..lost.1)))
            }
            _ => false,
        }
}
