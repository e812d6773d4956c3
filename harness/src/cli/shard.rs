//! The option for one of several machines.

use clap::Args;
use mcp_errconf::shard::{Shard, ShardChoice};

use super::failure::Failure;

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct ShardOption {
    /// Do the I-th of N parts of the work, from 1; `auto` takes both from the variables of Kubernetes, Slurm, GitLab,
    /// Buildkite, AWS Batch, Azure or GNU parallel, `auto/N` only the first
    #[arg(long, value_name = "I/N|auto")]
    shard: Option<ShardChoice>,
}

impl ShardOption {
    /// The shard that was asked for; the whole if none was.
    pub(crate) fn shard(self) -> Result<Shard, Failure> {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        self.shard.map_or(Ok(Shard::WHOLE), |choice| choice.shard(&variable).map_err(Failure::Usage))
    }
}
