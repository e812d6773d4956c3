//! The head of a session's transcript: what is known before the first case.
//!
//! The main function is [`of_session`].

use crate::catalog::Catalog;
use crate::confinement::Confinement;
use crate::document::nearest;
use crate::machine::MachineNames;
use crate::placeholder::Folders;
use crate::roles::{Binding, bind_by_hand};
use crate::server::System;
use crate::transcript::{Head, Lifecycle};
use crate::wire::ServerHello;

use super::pool::OpenedServer;
use super::session_part::SessionPart;
use super::{Assignment, DriveError, confined_session, root};

impl Assignment {
    /// The head of the transcript of a run that did not come about.
    pub fn empty_head(&self) -> Head {
        Head {
            command: self.shown_command(),
            bundled: self.server.bundled,
            server_name: String::new(),
            server_version: String::new(),
            protocol_version: String::new(),
            lifecycle: Lifecycle::Legacy,
            contract: self.contract.id.clone(),
            chosen: self.chosen,
            catalog: Catalog::default(),
            bindings: Vec::new(),
            limits: self.limits.clone(),
            levels: self.levels.clone(),
            snapshots: None,
            is_selection: false,
            seed: self.seed,
            folders: Folders::default(),
            confinement: self.safety.confinement(),
            machine: MachineNames::default(),
            second: None,
        }
    }
}

/// The head of a session's transcript; a second session takes over that of the first.
pub(super) fn of_session(
    part: SessionPart<'_>,
    assignment: &Assignment,
    folders: &Folders,
    confinement: Confinement,
    opened: OpenedServer,
) -> Result<Head, DriveError> {
    let OpenedServer { welcome, lifecycle, catalog } = opened;
    match part {
        SessionPart::First => {
            let bindings = bindings(assignment, &catalog)?;
            Ok(head(assignment, folders, confinement, welcome, lifecycle, catalog, bindings))
        }
        SessionPart::Second { head, .. } => Ok(confined_session::narrowed(head, &catalog)),
    }
}

/// Which tool plays which role. A tool that must never be called plays none.
fn bindings(assignment: &Assignment, catalog: &Catalog) -> Result<Vec<Binding>, DriveError> {
    let tools = catalog.tools.iter().map(|tool| tool.name.as_str());
    if let Some(name) = assignment.tools.keys().find(|name| catalog.tool(name).is_none()) {
        let near = nearest(name, tools).map_or(String::new(), |near| format!(": did you mean `{near}`?"));
        return Err(DriveError::Configuration(format!(
            "`[tools.{name}]`: the server has no such tool{near}"
        )));
    }
    let is_called = |name: &str| !assignment.tools.get(name).is_some_and(|setting| setting.skip);
    let called = catalog.tools.iter().filter(|tool| is_called(&tool.name)).cloned().collect();
    bind_by_hand(&Catalog { tools: called }, &assignment.roles)
        .map_err(|error| DriveError::Configuration(error.to_string()))
}

fn head(
    assignment: &Assignment,
    folders: &Folders,
    confinement: Confinement,
    welcome: ServerHello,
    lifecycle: Lifecycle,
    catalog: Catalog,
    bindings: Vec<Binding>,
) -> Head {
    let limits = root::limits(assignment, &bindings, folders);
    Head {
        command: assignment.shown_command(),
        bundled: assignment.server.bundled,
        server_name: welcome.name,
        server_version: welcome.version,
        protocol_version: welcome.protocol_version,
        lifecycle,
        contract: assignment.contract.id.clone(),
        chosen: assignment.chosen,
        catalog,
        bindings,
        limits,
        levels: assignment.levels.clone(),
        snapshots: None,
        is_selection: false,
        seed: assignment.seed,
        folders: folders.clone(),
        confinement,
        machine: names_here(),
        second: None,
    }
}

/// The names of this machine and its user.
fn names_here() -> MachineNames {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let home = || variable("HOME").and_then(|home| home.rsplit('/').next().map(str::to_owned));
    let (first, second) = if cfg!(windows) { ("USERNAME", "USER") } else { ("USER", "LOGNAME") };
    let user = variable(first).or_else(|| variable(second)).or_else(home).unwrap_or_default();
    MachineNames::new(&user, &System::here().node)
}
