//! The rules that find faults in replies: one rule a file, each a pure function.
//!
//! The main type is [`Rule`]. A rule sees one exchange as a [`Context`], or the whole run as a [`RunContext`]; it knows no
//! clock, no disk and no other rule.

use std::cell::OnceCell;
use std::sync::{LazyLock, OnceLock};
use std::thread;

use crate::catalog::Tool;
use crate::contract::{Contract, ErrorReply};
use crate::exchange::Exchange;
use crate::expectation::ExpectedFailure;
use crate::finding::Diagnostic;
use crate::transcript::{Head, Transcript};
use crate::wording::{DisguisedError, Echo};

mod book;
mod channel;
mod code;
mod context;
mod decision;
mod effect;
mod envelope;
mod fix;
pub(crate) mod fixture;
mod group;
pub mod handling;
mod leak;
mod liveness;
mod message;
mod page;
mod promise;
pub mod run_record;
mod shell;
mod should_read;
mod snapshot;
mod wire;

pub use book::{address, book, page};
pub use decision::{Interpretation, decisions};
pub(crate) use fix::of_validation;
pub use fix::{Fix, SdkAdvice, fixes};
pub use leak::leaks;
pub use page::{Example, RulePage, Tier};
pub use promise::{REVISION, Statement, promise, statements};
pub use run_record::RunRecord;
pub use should_read::suggested;

// Rules whose findings the program also uses for other purposes.
pub(crate) use channel::disguised_error::RULE as DISGUISED_ERROR;
pub(crate) use code::missing::UNPROMISED;
pub use liveness::crash::RULE as CRASH;
pub use liveness::memory_growth::RULE as MEMORY_GROWTH;
pub use liveness::no_reply::RULE as NO_REPLY;
pub use message::credential_unexplained::RULE as CREDENTIAL_UNEXPLAINED;
pub(crate) use message::hint_missing::RULE as HINT_MISSING;
pub(crate) use message::hint_wrong::RULE as HINT_WRONG;
pub use snapshot::pending::RULE as SNAPSHOT_PENDING;

pub use group::Group;
pub use handling::{Handling, Harm};

use fixture::Fixture;

/// The lowest scheduling priority: such a thread runs only when nothing else wants to.
#[cfg(target_os = "linux")]
const LEAST_PRIORITY: i32 = 19;

/// Every rule, in the order in which they are listed: group by group.
static RULES: LazyLock<Vec<&Rule>> = LazyLock::new(|| {
    [
        channel::RULES,
        code::RULES,
        message::RULES,
        leak::RULES,
        envelope::RULES,
        effect::RULES,
        shell::RULES,
        wire::RULES,
        liveness::RULES,
        snapshot::RULES,
    ]
    .concat()
});

/// A rule.
pub struct Rule {
    /// The id: group and fault, such as `leak/panic`. Also the path of the file.
    pub id: &'static str,
    /// The function that finds the fault.
    pub check: RuleCheck,
    /// The text of the TOML page.
    file: &'static str,
    page: OnceLock<RulePage>,
}

/// The function that checks a rule.
#[derive(Clone, Copy)]
pub enum RuleCheck {
    /// Checks one exchange.
    Exchange(fn(&Context<'_>) -> Vec<Diagnostic>),
    /// Checks a whole run; each diagnostic comes with the index of the exchange that shows it.
    Run(fn(&RunContext<'_>) -> Vec<(usize, Diagnostic)>),
}

/// One exchange with everything that a rule may read.
pub struct Context<'a> {
    /// What is known of the run.
    pub head: &'a Head,
    /// The contract that is judged.
    pub contract: &'a Contract,
    /// Whether the server promises the contract: by flag, by configuration, or because its codes are used.
    pub declared: bool,
    /// The exchange to judge.
    pub exchange: &'a Exchange,
    /// The error in the reply, if the reply is one.
    pub error: Option<&'a ErrorReply>,
    /// The tool that was called, as the server lists it.
    pub tool: Option<&'a Tool>,
    /// The control, if there is one.
    pub control: Control<'a>,
    /// The exchange whose hint this one follows.
    pub follows: Option<&'a Exchange>,
    /// The same call with another wrong value, if it was answered in the same way.
    pub twin: Option<&'a Exchange>,
    /// The values that the caller sent, in the forms in which they may be echoed; made on first use.
    pub values: OnceCell<Echo>,
    /// The caller's values, and everything else that is the caller's own.
    pub echo: OnceCell<Echo>,
    /// The cases and exchanges of the run so far.
    pub run_record: &'a RunRecord<'a>,
    /// The internals of the server that the reply shows; searched on first use.
    pub shown: OnceCell<Vec<leak::Shown>>,
    /// The failure that an unflagged reply reports, if any; searched on first use.
    pub(crate) unflagged_failure: OnceCell<Option<DisguisedError>>,
    /// Why a call was refused that might have been accepted, if one difference from the control shows it.
    pub(crate) inferred_failure: OnceCell<Option<ExpectedFailure>>,
}

/// The outcome of an exchange's control.
#[derive(Debug, Clone, Copy)]
pub enum Control<'a> {
    /// It succeeded, so a verdict on the fault is fair.
    Succeeded(&'a Exchange),
    /// It was refused or unanswered, so the effect of the fault is unknown.
    Failed(&'a Exchange),
    /// There is no control.
    None,
}

/// All exchanges of a run with everything that a rule may read.
pub struct RunContext<'a> {
    /// The whole run.
    pub transcript: &'a Transcript,
    /// The contract to judge by.
    pub contract: &'a Contract,
    /// See [`Context::declared`].
    pub declared: bool,
    /// The error of each exchange, by index.
    pub errors: &'a [Option<ErrorReply>],
}

impl Rule {
    /// The rule with this id and page, which judges one exchange.
    pub(super) const fn of_reply(
        id: &'static str,
        file: &'static str,
        check: fn(&Context<'_>) -> Vec<Diagnostic>,
    ) -> Self {
        Self { id, check: RuleCheck::Exchange(check), file, page: OnceLock::new() }
    }

    /// The rule with this id and page, which judges a whole run.
    pub(super) const fn of_run(
        id: &'static str,
        file: &'static str,
        check: fn(&RunContext<'_>) -> Vec<(usize, Diagnostic)>,
    ) -> Self {
        Self { id, check: RuleCheck::Run(check), file, page: OnceLock::new() }
    }

    /// What the file beside its source says of it; read on first use.
    pub fn page(&self) -> &RulePage {
        self.page.get_or_init(|| RulePage::read(self.id, self.file))
    }

    /// The group of the rule, taken from its id.
    pub fn group(&self) -> Group {
        Group::of(self.id).expect("a test asks it of every rule")
    }

    /// Whether this requirement is behind it.
    pub fn rests_on(&self, requirement: &str) -> bool {
        self.page().requirements.iter().any(|id| id == requirement)
    }

    /// Whether a finding of this rule makes one of the other rule on the same reply redundant.
    pub fn silences(&self, other: &Rule) -> bool {
        self.page().handling.silences.iter().any(|id| id == other.id)
    }
}

/// Compiles the expressions that most replies need, by judging the rules' own good examples; otherwise the
/// first error reply would have to wait. Expressions that only faults, or contracts with documents as errors,
/// need are compiled later.
pub fn warm_up() {
    for rule in RULES.iter().filter(|rule| rule.group() != Group::Envelope) {
        let fixture = Fixture::of(&rule.page().good);
        let context = fixture.context();
        for rule in all() {
            // Their findings are known and tested, and not used here.
            match rule.check {
                RuleCheck::Exchange(check) => check(&context),
                RuleCheck::Run(check) => fixture.survey(check),
            };
        }
    }
}

/// Calls [`warm_up`] on a thread of its own, because the main thread waits for a server meanwhile. It yields to
/// all other threads, including the server's. If no thread can be started, the first error reply takes longer.
pub fn warm_up_beside() {
    let work = || {
        // Linux applies this to the calling thread; other systems would apply it to the whole process.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::setpriority_process(None, LEAST_PRIORITY);
        warm_up();
    };
    let _ = thread::Builder::new().spawn(work);
}

/// Every rule, in the order in which they are listed.
pub fn all() -> &'static [&'static Rule] {
    &RULES
}

/// How the findings of the rule with this id are handled.
pub fn handling(id: &str) -> &'static Handling {
    static UNKNOWN: Handling = Handling::PLAIN;
    find(id).map_or(&UNKNOWN, |rule| &rule.page().handling)
}

/// The rule with this id.
pub fn find(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id).copied()
}

/// Whether the message is in a language that is not analysed and contains nothing that can be read in any
/// language, so that no rule can judge whether it says how to fix the call.
pub fn is_unread(context: &Context<'_>) -> bool {
    message::hint_missing::is_unread(context)
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::exchange::Step;

    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    fn found(rule: &Rule, example: &Example) -> Vec<Diagnostic> {
        let fixture = Fixture::of(example);
        match rule.check {
            RuleCheck::Exchange(check) => check(&fixture.context()),
            RuleCheck::Run(check) => fixture.survey(check),
        }
    }

    fn diagnostics(rule: &Rule, example: &Example) -> usize {
        found(rule, example).len()
    }

    #[test]
    fn what_groups_have_in_common_is_of_groups_that_there_are_and_a_rules_tier_fits_its_check() {
        let groups: BTreeSet<&str> =
            all().iter().filter_map(|rule| Some(rule.id.split_once('/')?.0)).collect();
        for group in handling::GROUPS.keys() {
            assert!(groups.contains(group.as_str()), "{group}");
        }
        for rule in all() {
            let is_of_run = matches!(rule.check, RuleCheck::Run(_));
            assert_eq!(rule.page().tier == Tier::Run, is_of_run, "{}", rule.id);
        }
    }

    #[test]
    fn every_rule_fires_on_its_bad_example() {
        for rule in all() {
            assert!(diagnostics(rule, &rule.page().bad) > 0, "{}", rule.id);
        }
    }

    #[test]
    fn no_rule_fires_on_the_good_example_of_another() {
        for rule in all() {
            for other in all() {
                assert_eq!(
                    diagnostics(other, &rule.page().good),
                    0,
                    "{} on the good example of {}",
                    other.id,
                    rule.id
                );
            }
        }
    }

    #[test]
    fn both_examples_of_a_rule_are_answers_to_the_same_call() {
        for rule in all() {
            assert_eq!(rule.page().bad.call, rule.page().good.call, "{}", rule.id);
        }
    }

    #[test]
    fn every_requirement_of_a_rule_is_written_down_somewhere() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../conformance-cases/DECISIONS.md");
        let decisions = fs::read_to_string(path).expect("the decisions are there");
        let contract =
            crate::contract::load_builtin("bracket-code").expect("it is sound").expect("it is built in");
        for rule in all() {
            assert!(!rule.page().requirements.is_empty(), "{}", rule.id);
            for requirement in &rule.page().requirements {
                let is_decided = decisions.contains(&format!("| {requirement} |"));
                let is_promised = contract.requirements.contains_key(requirement);
                // Requirements of the specification, and of the other contracts.
                let is_specified = ["MCP", "SEP-", "JSON-RPC", "EE-", "TE-", "PD-", "PL-"]
                    .iter()
                    .any(|name| requirement.starts_with(name));
                assert!(is_decided || is_promised || is_specified, "{requirement} of {}", rule.id);
            }
        }
    }

    #[test]
    fn evidence_lies_on_character_borders() {
        for rule in all() {
            for evidence in
                found(rule, &rule.page().bad).into_iter().filter_map(|diagnostic| diagnostic.evidence)
            {
                let Some((start, end)) = evidence.span else { continue };
                assert!(evidence.text.get(start..end).is_some_and(|part| !part.is_empty()), "{}", rule.id);
            }
        }
    }

    #[test]
    fn every_diagnostic_says_what_is_wrong_and_how_to_fix_it() {
        for rule in all() {
            for diagnostic in found(rule, &rule.page().bad) {
                assert!(
                    diagnostic.message.len() > 20 && diagnostic.help.len() > 20,
                    "{}: {diagnostic:?}",
                    rule.id
                );
                assert!(diagnostic.help.ends_with('.'), "{}: {}", rule.id, diagnostic.help);
            }
        }
    }

    #[test]
    fn the_registry_names_every_file_and_every_file_has_its_rule() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rules");
        let mut files = BTreeSet::new();
        for group in fs::read_dir(&root).expect("the folder of the rules").flatten() {
            if !group.path().is_dir() {
                continue;
            }
            let entries = fs::read_dir(group.path()).expect("a group").flatten();
            for file in entries.filter(|entry| entry.path().is_file()) {
                let text = fs::read_to_string(file.path()).expect("a rule's file");
                if text.contains("static RULE: Rule") {
                    let name = file.path().file_stem().expect("a name").to_string_lossy().replace('_', "-");
                    files.insert(format!("{}/{name}", group.file_name().to_string_lossy()));
                }
            }
        }
        let registered: BTreeSet<String> = all().iter().map(|rule| rule.id.to_owned()).collect();
        assert_eq!(registered, files);
        assert_eq!(registered.len(), all().len(), "an id stands twice");
    }

    #[test]
    fn every_rule_belongs_to_a_group() {
        for rule in all() {
            assert!(Group::of(rule.id).is_some(), "{}", rule.id);
        }
        assert!(Group::of("panic").is_none() && Group::of("leaks/panic").is_none());
    }

    #[test]
    fn silencing_names_rules_that_exist() {
        for id in all().iter().flat_map(|rule| &rule.page().handling.silences) {
            assert!(find(id).is_some(), "{id}");
        }
    }

    #[test]
    fn a_rule_silences_those_alone_that_say_less_than_it() {
        let (winner, loser) = (&message::empty::RULE, &message::hint_missing::RULE);
        assert!(winner.silences(loser));
        assert!(!loser.silences(winner) && !winner.silences(winner));
    }

    #[test]
    fn on_a_line_that_no_client_may_send_one_rule_speaks_and_on_a_twin_those_of_the_wire() {
        let judging = |step: Step| -> BTreeSet<&str> {
            all().iter().filter(|rule| rule.page().handling.steps.contain(step)).map(|rule| rule.id).collect()
        };
        let malformed = liveness::lost_after_malformed::RULE.id;
        assert_eq!(judging(Step::Malformed), BTreeSet::from([malformed]));
        assert!(!judging(Step::Call).contains(malformed));
        assert_eq!(judging(Step::Call).len(), all().len() - 1);
        let of_the_wire: BTreeSet<&str> = all()
            .iter()
            .filter(|rule| matches!(rule.group(), Group::Wire | Group::Liveness) && rule.id != malformed)
            .map(|rule| rule.id)
            .collect();
        assert_eq!(judging(Step::Twin), of_the_wire);
        let of_repairs = of_the_wire.iter().copied().chain([message::hint_wrong::RULE.id]).collect();
        assert_eq!(judging(Step::Mend), of_repairs);
    }
}
