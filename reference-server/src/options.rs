//! What the server is told at its start.

use std::path::PathBuf;

use crate::contract::Contract;
use crate::defects::Defect;
use crate::limits::Limits;
use crate::log::Log;
use crate::scope::Scope;
use crate::serve::ServeError;
use crate::shell::Counted;
use crate::upstream::Upstream;

/// The settings of a server; `Options::default()` serves the current directory.
#[derive(Debug, Clone)]
pub struct Options {
    /// How error replies read.
    pub contract: Contract,
    /// Where relative paths begin and commands run. File tools may use it.
    pub workdir: PathBuf,
    /// Directories that file tools may use beside `workdir`.
    pub allow_dirs: Vec<PathBuf>,
    /// Globs of paths that file tools may not use.
    pub deny: Vec<String>,
    /// In bytes; a file of exactly this size is fine.
    pub max_file_size: u64,
    /// How many background tasks may run at once.
    pub task_limit: usize,
    /// Base addresses of the HTTP service that `http_get` asks; a path alone is below the first one.
    pub upstream: Vec<String>,
    /// What is sent to it as a bearer token.
    pub upstream_token: Option<String>,
    /// The environment variable that holds it, where it is not given here; without it the service is not asked.
    pub upstream_token_variable: Option<String>,
    /// The defect that is switched on.
    pub defect: Option<&'static Defect>,
    /// The form of the log on standard error.
    pub log: Log,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            contract: Contract::default(),
            workdir: PathBuf::from("."),
            allow_dirs: Vec::new(),
            deny: Vec::new(),
            max_file_size: 10 * 1024 * 1024,
            task_limit: 10,
            upstream: Vec::new(),
            upstream_token: None,
            upstream_token_variable: None,
            defect: None,
            log: Log::default(),
        }
    }
}

impl Options {
    pub(crate) fn upstream(&self) -> Upstream {
        let named = self.upstream_token_variable.as_ref();
        let held = named.and_then(|name| std::env::var(name).ok()).filter(|token| !token.is_empty());
        let token = self.upstream_token.clone().or(held);
        let missing = named.filter(|_| token.is_none()).cloned();
        Upstream { bases: self.upstream.clone(), token, missing, takes_200_alone: false }
    }

    pub(crate) fn limits(&self) -> Result<Limits, ServeError> {
        Ok(Limits {
            scope: Scope::new(&self.workdir, &self.allow_dirs, &self.deny)?,
            file_size: self.max_file_size,
            tasks: self.task_limit,
            counted: Counted::Running,
        })
    }
}
