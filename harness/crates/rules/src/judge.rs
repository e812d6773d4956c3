//! From exchanges to findings and verdicts: pure.
//!
//! The main function is [`judge`]; it turns a [`Transcript`] into a [`Report`], the document that every
//! reporter shows. The questions that the live half asks while it drives, [`has_succeeded`], [`follow_ups`] and
//! `suspicions`, are answered here too, so that every reply is judged in the same way.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use crate::baseline::Baseline;
use crate::contract::{Contract, ErrorReply, adopted, looks_like, read};
use crate::exchange::Exchange;
use crate::finding::{Diagnostic, Layer, Level, LevelSetting};
use crate::placeholder::Collapser;
use crate::rules::handling::Premise;
use crate::rules::{self, Context, Control, Group, Rule, RuleCheck, RunContext, RunRecord, Tier, promise};
use crate::signature::reply_signature;
use crate::transcript::{Chosen, Head, Transcript};
use crate::wording::circumstance::is_of_time;
use crate::wording::layer;

mod alone;
mod cause;
mod coverage;
mod declared_bounds;
mod first_finding;
mod fold;
mod follow;
mod gather;
mod left_open;
mod mended;
mod parallel;
mod remedy;
mod report;
mod shape;
mod suspicion;
mod tally;
mod tool_verdict;
mod tools;
mod tried;
mod twins;
mod urgency;
mod valid_call_search;
mod verdict;
mod why;

pub use alone::{Alone, Promise, alone};
pub use cause::Peers;
pub use coverage::Coverage;
pub use declared_bounds::lists_bounds;
pub use first_finding::FirstFinding;
pub use first_finding::first_finding;
pub use fold::without_share;
pub use follow::{follow_ups, has_succeeded};
pub use gather::gathered;
pub use mended::{Mended, MendedIn, MendedReply, RepairKey};
pub use mended::{repair_key, wrong_call};
pub use remedy::{REFUSED, UNFLAGGED, inline, is_without_valid_call, key_of, no_valid_call};
pub use report::{
    BindingInfo, CaseCounts, CaseVerdict, ContractInfo, FindingCounts, HarnessInfo, Mendable, Messages,
    Report, ServerInfo, SlowCall, SlowCase, Status, Strictness, Summary, Withheld, WithheldReplies,
};
pub use shape::{Sent, Shape};
pub use suspicion::suspicions;
pub use tally::bindings as binding_info;
pub use tally::server as server_info;
pub use tally::slow_cases;
pub use tool_verdict::{ToolVerdict, laid_out};
pub use urgency::{harm, most_urgent_first};
pub use valid_call_search::{FoundBy, KnownCall, ValidCallSearch};
pub use verdict::{Reason, Verdict};
pub use why::{ExplainedExchange, TextMark, Why, why};

use mended::Measured;
use parallel::{ExchangeHits, ParallelJudge};
use twins::Twins;
use verdict::{may_speak, silencer};

/// The version of the report's format.
pub const SCHEMA_VERSION: u32 = 1;

/// A diagnostic with the rule that found it and the exchange that shows it.
#[derive(Clone)]
struct RuleHit {
    rule: &'static Rule,
    level: Level,
    exchange: usize,
    /// Whether the call must fail and a call that differs only in the fault succeeded.
    is_certain: bool,
    diagnostic: Diagnostic,
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

/// Judges a run by these rules; findings that the baseline accepts are marked as known and do not count.
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
    let errors = errors(&transcript.exchanges, contract);
    let declared = transcript.head.chosen != Chosen::Default || adopted(contract, &errors);
    let twins = Twins::new(&transcript.exchanges);
    let succeeded = succeeded(&transcript.exchanges, contract);
    let Transcript { head, cases, exchanges, .. } = transcript;
    let run_record = &RunRecord::new(cases, exchanges);
    let recorded = RecordedSoFar { head, run_record, succeeded: Some(&succeeded) };
    let parallel = ParallelJudge { recorded, contract, declared, errors: &errors, twins: &twins, rules };
    let ExchangeHits { mut hits, cleared, unread, withheld } = parallel.all();
    cleared.withdraw(transcript, &twins, &mut hits);
    let within_bounds = declared_bounds::within_bounds(exchanges, &head.folders, contract);
    // Such a call had no fault, so no gated rule applies to its reply; those for every error reply do.
    hits.retain(|hit| hit.rule.page().tier != Tier::Gated || !within_bounds.contains(&hit.exchange));
    let open = left_open::of_exchanges([
        (Reason::WithinDeclaredBounds, within_bounds.into_iter().collect()),
        (Reason::SaidElsewhere, left_open::said_elsewhere(transcript, &errors, &hits)),
        (Reason::Unread, unread.into_iter().collect()),
        (Reason::ControlFailed, left_open::uncontrolled(exchanges, &succeeded).collect()),
    ]);
    let run = RunContext { transcript, contract, declared, errors: &errors };
    hits.extend(survey(&run, rules));
    for hit in &mut hits {
        if let Some(level) = levels.get(hit.rule.id).and_then(|setting| setting.level()) {
            hit.level = level;
        }
    }

    let measured = Measured::new(transcript, contract, &errors, &succeeded);
    let mut findings = fold::findings(transcript, rules, &hits);
    let mendable = tally::mendable(transcript, contract, &errors, &succeeded, &hits, &open);
    // Of a long run they take as much memory as what follows.
    drop(hits);
    baseline.mark(&mut findings);
    let speaking = speaking(transcript, &errors);
    let mut findings = gathered(findings, Peers { catalog: &head.catalog, speaking: &speaking });
    most_urgent_first(&mut findings);
    let cases = tally::cases(transcript, contract, &errors, &findings, &open, strictness);
    Report {
        schema_version: SCHEMA_VERSION,
        harness: HarnessInfo { version: env!("CARGO_PKG_VERSION").to_owned() },
        server: tally::server(&transcript.head),
        contract: ContractInfo {
            id: contract.id.clone(),
            chosen: transcript.head.chosen,
            // A server that uses the contract's codes does not look like another contract.
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
            mendable,
            messages: measured.total().into(),
            mended: measured.total(),
            withheld: withheld
                .into_iter()
                .map(|(reason, replies)| WithheldReplies::new(reason, replies))
                .collect(),
            duration_ms: transcript.duration_ms,
        },
        bindings: tally::bindings(&transcript.head),
        withheld: collapsed(transcript),
        tools: tools::tools(transcript, contract, &errors, &cases, &findings, &measured),
        coverage: None,
        cases,
        findings,
        stopped_after_ms: transcript.stopped_after_ms,
        slow: Vec::new(),
        learnt: None,
    }
}

/// What was not sent, with placeholders for the folders of the run.
fn collapsed(transcript: &Transcript) -> Vec<Withheld> {
    let collapser = Collapser::new(&transcript.head.folders);
    let left = transcript.withheld.iter();
    left.map(|left| Withheld { why: collapser.text(&left.why), ..left.clone() }).collect()
}

/// The error of each exchange, by index. Replies to twins, and during the clean-up of a case, are left out.
fn errors(exchanges: &[Exchange], contract: &Contract) -> Vec<Option<ErrorReply>> {
    let error = |exchange: &Exchange| match exchange.place.step.is_beside()
        || exchange.environment.cause().is_some()
    {
        true => None,
        false => read(contract, exchange),
    };
    exchanges.iter().map(error).collect()
}

/// The tools that reported an error in their own words, whether or not that error is correct.
fn speaking<'t>(transcript: &'t Transcript, errors: &[Option<ErrorReply>]) -> BTreeSet<&'t str> {
    let is_own = |exchange: &&Exchange| {
        errors[exchange.index].as_ref().is_some_and(|error| !layer::is_sdk(&error.text))
    };
    transcript.exchanges.iter().filter(is_own).filter_map(Exchange::tool).collect()
}

/// Whether each exchange that is a control succeeded; computed once, because many calls share one control.
fn succeeded(exchanges: &[Exchange], contract: &Contract) -> Vec<bool> {
    let mut known = vec![None; exchanges.len()];
    for index in exchanges.iter().filter_map(|exchange| exchange.place.control) {
        known[index].get_or_insert_with(|| has_succeeded(&exchanges[index], contract));
    }
    known.into_iter().map(Option::unwrap_or_default).collect()
}

/// The exchanges recorded so far, of a complete run or of one in progress.
#[derive(Clone, Copy)]
pub struct RecordedSoFar<'a> {
    /// What is known of the run.
    pub head: &'a Head,
    /// The cases and exchanges.
    pub run_record: &'a RunRecord<'a>,
    /// Whether each control succeeded; if unknown, it is computed when needed.
    pub succeeded: Option<&'a [bool]>,
}

fn context<'a>(
    recorded: RecordedSoFar<'a>,
    contract: &'a Contract,
    declared: bool,
    exchange: &'a Exchange,
    errors: &'a [Option<ErrorReply>],
) -> Context<'a> {
    let RecordedSoFar { head, run_record, succeeded } = recorded;
    let exchanges = run_record.exchanges;
    let is_success = |index: usize| match succeeded {
        Some(known) => known[index],
        None => has_succeeded(&exchanges[index], contract),
    };
    let control = match exchange.place.control {
        Some(index) if is_success(index) => Control::Succeeded(&exchanges[index]),
        Some(index) => Control::Failed(&exchanges[index]),
        None => Control::None,
    };
    Context {
        head,
        contract,
        declared,
        exchange,
        error: errors[exchange.index].as_ref(),
        tool: exchange.tool().and_then(|name| head.catalog.tool(name)),
        control,
        follows: exchange.place.follows.map(|index| &exchanges[index]),
        twin: None,
        values: OnceCell::new(),
        echo: OnceCell::new(),
        run_record,
        shown: OnceCell::new(),
        unflagged_failure: OnceCell::new(),
        inferred_failure: OnceCell::new(),
    }
}

/// The findings of the rules that judge a single exchange.
fn hits_of(context: &Context<'_>, rules: &[&'static Rule]) -> Vec<RuleHit> {
    verdicts_of(context, rules).into_iter().flat_map(|(_, verdict)| verdict.unwrap_or_default()).collect()
}

/// What a rule finds, or why it is not asked.
type Asked = (&'static Rule, Result<Vec<RuleHit>, Reason>);

/// What each rule finds, or why it is not asked.
fn verdicts_of(context: &Context<'_>, rules: &[&'static Rule]) -> Vec<Asked> {
    // A time-out that is reported in a success is wrong as that alone: it need not speak of the arguments.
    let unflagged = context.unflagged_error().filter(|error| !is_of_time(&error.text));
    let as_refused = unflagged.as_ref().map(|error| context.refused_with(error));
    // Masking both replies costs more than most rules: it is done where a softened rule has something to say.
    let refused_alike = OnceCell::new();
    let refused_alike = || *refused_alike.get_or_init(|| is_refused_like_its_control(context));
    let controlled = matches!(context.control, Control::Succeeded(_));
    let ask = |rule: &'static Rule| {
        let RuleCheck::Exchange(check) = rule.check else { return Err(Reason::NotAsked) };
        let cap = may_speak(rule, context)?;
        let (diagnostics, cap) = match as_refused.as_ref().filter(|refused| is_of_refusals(rule, refused)) {
            Some(refused) => (check(refused), cap.min(Level::Should)),
            None => (check(context), cap),
        };
        // Where the control is refused in the same words, the server complains of something else than this call's
        // fault: only a rule that presupposes nothing about the fault still applies.
        let presupposes_the_fault = rule.page().handling.premise != Premise::Nothing;
        if !diagnostics.is_empty()
            && rule.page().tier == Tier::Softened
            && presupposes_the_fault
            && refused_alike()
        {
            return Err(Reason::RefusedLikeControl);
        }
        let hits = diagnostics.into_iter().map(|diagnostic| RuleHit {
            rule,
            level: diagnostic.level.unwrap_or(rule.page().level).min(cap),
            exchange: context.exchange.index,
            is_certain: controlled && context.condition().is_some(),
            diagnostic: worded(rule, context, promised(rule, context.contract, diagnostic)),
        });
        Ok(hits.collect())
    };
    rules.iter().map(|rule| (*rule, ask(rule))).collect()
}

/// Whether a rule judges an unflagged failure, here read as an error, like any other: its text, a code in it, and what the
/// call did nevertheless. The rule on unflagged failures says how certain it is that this is one.
fn is_of_refusals(rule: &Rule, context: &Context<'_>) -> bool {
    match rule.group() {
        Group::Message => true,
        Group::Code => context.error.is_some_and(|error| error.code().is_some()),
        // What leaves the root does so whether or not the call is refused.
        Group::Effect => {
            let changes = &context.exchange.changes;
            !changes.is_empty() && !changes.iter().any(|change| change.outside)
        }
        _ => false,
    }
}

/// The diagnostic with a requirement of the judged contract, if the rule's first requirement belongs to another
/// contract.
fn promised(rule: &Rule, contract: &Contract, diagnostic: Diagnostic) -> Diagnostic {
    let is_own = |id: &&String| contract.requirements.contains_key(*id);
    let of_all = |id: &&String| promise(id).is_some();
    let ids = || rule.page().requirements.iter();
    let first = ids().next().filter(|id| !is_own(id) && !of_all(id));
    let own = first.and_then(|_| ids().find(is_own).or_else(|| ids().find(of_all))).cloned();
    Diagnostic { requirement: diagnostic.requirement.or(own), ..diagnostic }
}

/// A2: what an SDK's validation says is one finding for the whole run, with advice on taking over the
/// validation, because the tools do not control these words.
fn worded(rule: &Rule, context: &Context<'_>, diagnostic: Diagnostic) -> Diagnostic {
    let is_of_words = matches!(rule.group(), Group::Leak | Group::Message);
    let text = diagnostic.evidence.as_ref().map(|evidence| evidence.text.as_str());
    match text.filter(|_| is_of_words).and_then(layer::sdk) {
        Some(sdk) => {
            let message = format!(
                "{} validates arguments itself and writes these errors: \
                {}",
                sdk.name(),
                diagnostic.message
            );
            // The advice is about tools: a prompt's arguments are checked elsewhere.
            let help = match context.exchange.tool() {
                Some(_) => rules::of_validation(sdk),
                None => diagnostic.help,
            };
            Diagnostic { message, help, layer: Some(Layer::Sdk), folded: true, ..diagnostic }
        }
        None => diagnostic,
    }
}

/// Whether a control was refused too, in the same words apart from values.
fn is_refused_like_its_control(context: &Context<'_>) -> bool {
    let Control::Failed(control) = context.control else { return false };
    let words = |exchange: &Exchange| reply_signature(exchange, &context.head.folders);
    words(control).is_some_and(|refusal| words(context.exchange) == Some(refusal))
}

/// The findings of the rules that judge a whole run.
fn survey(run: &RunContext<'_>, rules: &[&'static Rule]) -> Vec<RuleHit> {
    let mut hits = Vec::new();
    for rule in rules {
        let RuleCheck::Run(check) = rule.check else { continue };
        hits.extend(check(run).into_iter().map(|(exchange, diagnostic)| RuleHit {
            rule,
            level: diagnostic.level.unwrap_or(rule.page().level),
            exchange,
            is_certain: false,
            diagnostic: promised(rule, run.contract, diagnostic),
        }));
    }
    hits
}

/// Drops a hit if a more telling one on the same exchange covers it. Overlapping leaks were already reduced to
/// one by the search.
fn silenced(hits: Vec<RuleHit>) -> Vec<RuleHit> {
    let lost: Vec<bool> = hits.iter().map(|hit| silencer(hit.rule, &hits).is_some()).collect();
    hits.into_iter().zip(lost).filter_map(|(hit, lost)| (!lost).then_some(hit)).collect()
}
