//! The HTTP service behind the server under test, for servers that are given its address, and what it changes
//! in their folders and confinement.
//!
//! The main type is [`ServerEnvironment`].

use std::collections::HashMap;

use crate::condition::folder_name;
use crate::placeholder::Folders;
use crate::plan::PROBED_PAGE;
use crate::server::{RunFolders, Taker, Upstream, listen};
use crate::suite::{Page, Route, StubResponse};
use crate::{cause, refused, secret};

use super::{Assignment, Confine, DriveError, Safety};

/// The folders, service and confinement around a server.
pub(crate) struct ServerEnvironment {
    /// The folders of the run, and the addresses of the service.
    pub(crate) folders: Folders,
    /// The confinement of the server, with access to the service.
    pub(crate) safety: Safety,
    /// The service, which runs as long as this value lives.
    pub(crate) upstream: Option<Upstream>,
}

impl ServerEnvironment {
    /// This environment with the server confined.
    ///
    /// # Errors
    /// When the server could not reach the service behind them; with the reason.
    pub(super) fn within(mut self, safety: &Safety) -> Result<Self, String> {
        let safety = match &mut self.upstream {
            None => safety.clone(),
            Some(upstream) => reaching(safety, &self.folders, upstream)?,
        };
        Ok(Self { safety, ..self })
    }

    /// The error for a server that cannot be exercised; if the confinement may be the cause, with what its
    /// author can try.
    pub(super) fn unopened(&self, why: String) -> DriveError {
        let advice = refused::at_start(&why, &self.safety.confinement(), &self.folders);
        DriveError::NotExercised(match advice {
            Some(advice) => format!("{why}\n{advice}"),
            None => why,
        })
    }
}

/// Starts the service if the server's command line or environment refers to it.
///
/// # Errors
/// When no port can be had, or no way into the network of a confined server.
pub(crate) fn behind(
    assignment: &Assignment,
    run_folders: &RunFolders,
) -> Result<ServerEnvironment, DriveError> {
    let mut folders = run_folders.folders.clone();
    let words = assignment.server.command.iter().chain(assignment.server.env.values());
    if !words.into_iter().any(|word| word.contains("{upstream}")) {
        return Ok(ServerEnvironment { folders, safety: assignment.safety.clone(), upstream: None });
    }
    let mut upstream = opened(assignment).map_err(DriveError::Harness)?;
    folders.upstream = upstream.address().to_owned();
    folders.refusing = upstream.refusing().to_owned();
    let safety = reaching(&assignment.safety, &folders, &mut upstream).map_err(DriveError::Harness)?;
    Ok(ServerEnvironment { folders, safety, upstream: Some(upstream) })
}

/// The confinement with access to the service.
///
/// # Errors
/// When there is no way into the network of a confined server; with the reason.
fn reaching(safety: &Safety, folders: &Folders, upstream: &mut Upstream) -> Result<Safety, String> {
    if !matches!(safety.confine, Confine::By(_)) {
        return Ok(safety.clone());
    }
    let unheard = |error: std::io::Error| {
        format!("there is no way into a confined server's network: {}", cause::describe(&error))
    };
    let taker = Taker::new().map_err(unheard)?;
    // Nothing listens at the other address, in the confined network neither.
    let port = folders.upstream.rsplit(':').next().and_then(|port| port.parse::<u16>().ok());
    let safety = safety.reaching(port.into_iter().collect(), &taker);
    upstream.serve_within(taker).map_err(unheard)?;
    Ok(safety)
}

fn opened(assignment: &Assignment) -> Result<Upstream, String> {
    let page = Page { status: 200, retry_after: None, headers: [].into(), body: "alpha\n".to_owned() };
    let probed = Route { path: String::new(), answer: StubResponse::Page(page) };
    let mut routes = HashMap::from([(PROBED_PAGE.to_owned(), probed)]);
    for case in &assignment.suite.cases {
        for route in &case.script.upstream {
            routes.insert(format!("/{}/{}", folder_name(&case.id), route.path), route.clone());
        }
    }
    let upstream =
        listen().and_then(|listener| Upstream::on(listener, routes, secret::drawn(assignment.seed)));
    upstream.map_err(|error| {
        format!("cannot set up an HTTP service on the loopback interface: {}", cause::describe(&error))
    })
}
