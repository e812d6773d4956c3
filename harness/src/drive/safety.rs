//! How a server is kept from doing harm, and what is not sent to one that cannot be confined.
//!
//! The main type is [`Safety`].

use std::path::Path;

use crate::catalog::Catalog;
use crate::class::{Class, ToolSetting};
use crate::confinement::Confinement;
use crate::plan::PlannedCase;
use crate::server::{Bounds, Confiner, RunConfinement, Taker};

/// The safety measures that the user requested, as far as they are available.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Safety {
    /// Whether the server is confined.
    pub confine: Confine,
    /// Whether calls that may change something are sent although the server could not be confined.
    pub destructive: Destructive,
    /// Upper bounds on what the server's processes hold together.
    pub bounds: Bounds,
    /// Whether a second session sends what the first one withholds.
    pub second: SecondSession,
}

/// Whether a second, confined session sends the calls that a tool's class forbids in the first one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum SecondSession {
    /// It was not requested.
    #[default]
    Unasked,
    /// It is not possible; with the reason, which is reported if there was anything to send.
    Missing(String),
    /// It does, with this safety.
    By(Box<Safety>),
}

/// Whether the server is confined.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Confine {
    /// It was not requested.
    #[default]
    Off,
    /// It was requested if available, and is not available on this machine; with the reason.
    Unavailable(String),
    /// It is confined.
    By(Confiner),
}

/// Whether calls that may change something are sent to a server that should be confined and cannot be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Destructive {
    /// They are withheld.
    #[default]
    Withheld,
    /// They are sent: `--allow-destructive`.
    Allowed,
}

impl Safety {
    /// The confinement as it stands in the head of a transcript.
    pub fn confinement(&self) -> Confinement {
        match &self.confine {
            Confine::Off => Confinement::Off,
            Confine::Unavailable(why) => Confinement::Unavailable(match self.destructive {
                Destructive::Withheld => format!("{why}; complete calls are sent to read-only tools only"),
                Destructive::Allowed => {
                    format!("{why}; calls that may change something are sent anyway (--allow-destructive)")
                }
            }),
            Confine::By(confiner) => Confinement::Confined(confiner.confined()),
        }
    }

    /// The safety of a server that must reach these ports on this machine. They belong to the harness and are
    /// handed over by `taker`.
    #[must_use]
    pub fn reaching(&self, ports: Vec<u16>, taker: &Taker) -> Self {
        let confine = match &self.confine {
            Confine::By(confiner) => Confine::By(confiner.reaching(ports, taker)),
            Confine::Off | Confine::Unavailable(_) => self.confine.clone(),
        };
        Self { confine, ..self.clone() }
    }

    /// The confinement of a run's servers, which may write below these folders.
    pub fn run_confinement(&self, folders: &[&Path], temporary: &Path) -> Option<RunConfinement> {
        match &self.confine {
            Confine::By(confiner) => Some(confiner.run_confinement(folders, temporary)),
            Confine::Off | Confine::Unavailable(_) => None,
        }
    }

    /// The confinement with the whole home folder readable; `None` if it is already, or if there is no
    /// confinement.
    pub(super) fn with_home(&self) -> Option<Self> {
        let Confine::By(confiner) = &self.confine else { return None };
        let confine = Confine::By(confiner.with_home()?);
        Some(Self { confine, ..self.clone() })
    }

    /// Whether complete calls only go to tools of class read.
    pub fn is_read_alone(&self) -> bool {
        matches!(self.confine, Confine::Unavailable(_)) && self.destructive == Destructive::Withheld
    }

    /// Removes from the plan what may not be sent, with the reason.
    pub(super) fn withhold(
        &self,
        cases: &mut [PlannedCase],
        catalog: &Catalog,
        setting: impl Fn(&str) -> Option<ToolSetting>,
    ) {
        if !self.is_read_alone() {
            return;
        }
        for planned in cases {
            let classes = planned.tools.iter().filter_map(|name| {
                let set = setting(name).and_then(|setting| setting.class);
                let class = set.or_else(|| catalog.tool(name).map(Class::from_tool))?;
                (class != Class::Read).then_some((name, class))
            });
            if let Some((name, class)) = classes.into_iter().next() {
                planned.script = Err(format!(
                    "withheld: `{name}` is of class {class}, and the server could not be confined; \
                     `--allow-destructive` sends it anyway"
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::class::Class;
    use crate::suite;

    /// Which of two cases are withheld: one calls a tool that reads, the other one that executes.
    fn withheld(safety: &Safety, setting: Option<Class>) -> Vec<String> {
        let mut catalog = Catalog::default();
        catalog.add_page(&json!({"tools": [{"name": "view"}, {"name": "bash"}]}));
        let case = suite::load_builtin().unwrap().cases.remove(0);
        let planned = |name: &str| PlannedCase {
            case: case.clone(),
            tools: vec![name.to_owned()],
            script: Err("no such file".to_owned()),
        };
        let mut cases = vec![planned("view"), planned("bash")];
        let setting =
            |name: &str| (name == "bash").then(|| ToolSetting { class: setting, ..ToolSetting::default() });
        safety.withhold(&mut cases, &catalog, setting);
        let scripts = cases.into_iter().filter_map(|planned| planned.script.err());
        scripts.filter(|why| why.starts_with("withheld: ")).collect()
    }

    #[test]
    fn a_server_that_cannot_be_confined_gets_calls_that_read_alone_unless_the_user_opens_the_rest() {
        let unavailable =
            Safety { confine: Confine::Unavailable("no Landlock".to_owned()), ..Safety::default() };
        let lines = withheld(&unavailable, None);
        assert_eq!(lines.len(), 1);
        assert!(lines[0].contains("`bash` is of class effect") && lines[0].contains("--allow-destructive"));
        assert!(withheld(&unavailable, Some(Class::Read)).is_empty(), "the user has the last word");
        let opened = Safety { destructive: Destructive::Allowed, ..unavailable.clone() };
        assert!(withheld(&opened, None).is_empty());
        let head = |safety: &Safety| format!("{:?}", safety.confinement());
        assert!(head(&unavailable).contains("no Landlock; complete calls are sent to read-only tools only"));
        assert!(head(&opened).contains("--allow-destructive"));
        assert!(withheld(&Safety::default(), None).is_empty(), "nobody asked for a confinement");
    }
}
