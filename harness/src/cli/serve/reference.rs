//! Converts the command line to the reference server's own options.

use mcp_errconf_reference::{Contract, Defect, Log, Options, defects, find_defect, serve_stdio};

use super::{LogForm, ServeArguments};
use crate::cli::failure::{Failure, suggestion};

/// Serves until the client closes its side, or until a signal.
pub(super) fn serve(arguments: &ServeArguments) -> Result<(), Failure> {
    let options = options(arguments)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime =
        runtime.map_err(|error| Failure::Fault(format!("cannot create an asynchronous runtime: {error}")))?;
    let served = runtime.block_on(serve_stdio(options));
    // A thread may still be waiting for standard input; the process ends without it.
    runtime.shutdown_background();
    served.map_err(|error| Failure::Usage(error.to_string()))
}

fn options(arguments: &ServeArguments) -> Result<Options, Failure> {
    let default = Options::default();
    Ok(Options {
        contract: arguments.contract.as_deref().map_or(Ok(default.contract), contract)?,
        workdir: arguments.workdir.clone().unwrap_or(default.workdir),
        allow_dirs: arguments.allow_dir.clone(),
        deny: arguments.deny.clone(),
        max_file_size: arguments.max_file_size.unwrap_or(default.max_file_size),
        task_limit: arguments.task_limit.unwrap_or(default.task_limit),
        upstream: arguments.upstream.clone(),
        upstream_token: arguments.upstream_token.clone(),
        upstream_token_variable: arguments.upstream_token_variable.clone(),
        defect: arguments.defect.as_deref().map(defect).transpose()?,
        log: match arguments.log {
            LogForm::Text => Log::Text,
            LogForm::Json => Log::Json,
        },
    })
}

fn contract(id: &str) -> Result<Contract, Failure> {
    let ids = || Contract::ALL.iter().map(|contract| contract.id());
    Contract::find(id).ok_or_else(|| {
        let known = ids().collect::<Vec<_>>().join(", ");
        Failure::Usage(format!(
            "the reference server does not support `{id}`{}; it supports {known}",
            suggestion(id, ids())
        ))
    })
}

fn defect(name: &str) -> Result<&'static Defect, Failure> {
    find_defect(name).ok_or_else(|| {
        let names = || defects().iter().map(|defect| defect.name.as_str());
        let variants: Vec<_> = names().filter(|other| other.starts_with(&format!("{name}/"))).collect();
        let next = match variants.is_empty() {
            true => suggestion(name, names()),
            false => format!(" alone; its variants are {}", variants.join(", ")),
        };
        Failure::Usage(format!(
            "there is no defect `{name}`{next}; defects are named after the rules, and \
            `mcp-errconf selftest` lists them"
        ))
    })
}
