//! A run prepared from its options and a configuration, before anything is started or written.

use mcp_errconf::contract;
use mcp_errconf::drive::Assignment;
use mcp_errconf::recording::{JudgingPolicy, NotRun, Recording};
use mcp_errconf::report::Promises;
use mcp_errconf::transcript::Transcript;

use crate::cli::baseline_file::BaselineFile;
use crate::cli::failure::Failure;
use crate::cli::server::ServerUnderTest;
use crate::cli::setup::{self, Configured, Flags};

use super::failed::LastRun;
use super::{RunArguments, check_conditions, select, unset, with_program_named};

/// A run to be driven, and how to judge it.
pub(in crate::cli) struct PreparedRun {
    pub(in crate::cli) assignment: Assignment,
    /// Why no case is left, if there is none.
    pub(in crate::cli) nothing_left: Option<String>,
    /// What failed the last time.
    pub(super) last_run: LastRun,
    pub(in crate::cli) policy: JudgingPolicy,
    pub(super) baseline: BaselineFile,
    is_auto: bool,
}

impl PreparedRun {
    /// Prepares a run of this server with these options.
    pub(in crate::cli) fn new(
        arguments: &RunArguments,
        configured: &Configured,
        server: ServerUnderTest,
    ) -> Result<Self, Failure> {
        let baseline = arguments.config.baseline(configured)?;
        let flags = Flags {
            contract: arguments.contract.as_deref(),
            cases: arguments.cases.as_ref(),
            timeout: arguments.timeout,
            seed: arguments.seed,
            options: arguments.options.options(),
            safety: arguments.safety.safety_of_a_run(&configured.config, &server)?,
            max_probes: arguments.max_probes,
        };
        let mut assignment = setup::assignment(&flags, configured, server)?;
        assignment.unset = unset::variables(&arguments.unset, &assignment)?;
        let last_run = LastRun::of(&assignment.shown_command());
        let nothing_left = select(&mut assignment, arguments, &last_run)?;
        check_conditions(&assignment.suite, &assignment.contract)?;
        let policy = JudgingPolicy {
            strict: arguments.strict,
            baseline: baseline.accepted.clone(),
            coverage: configured.config.coverage,
        };
        Ok(Self {
            assignment,
            nothing_left,
            last_run,
            policy,
            baseline,
            is_auto: setup::is_auto(flags.contract, configured),
        })
    }

    /// The sentences behind the requirements of the contract, or if it is to be detected, of every contract.
    pub(in crate::cli) fn promises(&self) -> Promises {
        match self.is_auto {
            true => Promises::of_each(contract::builtin()),
            false => Promises::new(&self.assignment.contract),
        }
    }

    /// The recording of what was driven.
    pub(in crate::cli) fn recording(
        &self,
        transcript: Transcript,
        not_run: Option<NotRun>,
        configured: &Configured,
    ) -> Recording {
        let mut recording = Recording {
            transcript: with_program_named(transcript),
            contract: self.assignment.contract.clone(),
            policy: self.policy.clone(),
            not_run,
        };
        if self.is_auto && !self.assignment.server.bundled {
            recording.detect_contract(&configured.config);
        }
        recording
    }
}
