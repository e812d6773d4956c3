//! Failures of the HTTP service behind a server, tried on tools that use it.
//!
//! The main type is [`ServiceFault`]. The cases of the HTTP role define how a service fails and what a tool
//! must do; here the same is required of every other tool, in a call that is known to succeed.

use crate::condition::{CaseId, Condition};
use crate::contract::Contract;
use crate::expectation::{Authority, Expected, ExpectedFailure, Recovery};
use crate::roles::Role;
use crate::suite::{Case, LOG_IN, Page, Script, StubResponse, Suite};

use super::PlannedProbe;

/// The group, in ids, of calls during which the service fails.
const GROUP: &str = "service";

/// One way in which a service fails.
#[derive(Debug, Clone, PartialEq)]
pub struct ServiceFault {
    /// The last part of the ids, such as `status-404`.
    name: String,
    /// What the service does, to follow the words "the service behind it ...".
    does: String,
    /// The condition that is promised, with the requirements that promise it; `None` if only a well-formed
    /// reply is expected.
    promised: Option<(Condition, Vec<String>)>,
    /// What the reply must say about recovery.
    recovery: Option<Box<Recovery>>,
    answer: StubResponse,
}

/// The failures of the services in a suite's cases. One that never answers is left out: how long a server waits
/// is its own decision, and would look like silence. Those with a time to wait come first: after a tool that is slow nothing
/// more is tried.
pub fn service_faults(suite: &Suite) -> Vec<ServiceFault> {
    let mut faults: Vec<_> = suite.cases.iter().filter_map(of_case).chain([not_data()]).collect();
    faults.sort_by_key(|fault| fault.recovery.as_ref().is_none_or(|recovery| recovery.wait.is_none()));
    faults
}

fn of_case(case: &Case) -> Option<ServiceFault> {
    let script = &case.script;
    let condition = script.condition.clone().filter(|_| script.call.role == Role::Http)?;
    let answer = asked_for(script)?;
    let does = in_words(&answer)?;
    let name = case.id.0.rsplit('/').next().unwrap_or_default().to_owned();
    Some(ServiceFault {
        name,
        does,
        promised: Some((condition, script.requirements.clone())),
        recovery: script.recovery().map(Box::new),
        answer,
    })
}

/// The service's answer to a case's call.
fn asked_for(script: &Script) -> Option<StubResponse> {
    let mut texts = script.call.arguments.0.iter().filter_map(|(_, argument)| argument.value()?.as_str());
    let path = texts.find_map(|text| text.strip_prefix("{upstream}/"))?;
    script.upstream.iter().find(|route| route.path == path).map(|route| route.answer.clone())
}

fn in_words(answer: &StubResponse) -> Option<String> {
    match answer {
        StubResponse::Page(page) if page.status < 300 => None,
        StubResponse::Page(page) => Some(format!("answers with status {}", page.status)),
        StubResponse::HalfAPage(_) => Some("closes the connection in the middle of its response".to_owned()),
        StubResponse::HangUp => Some("closes the connection without a response".to_owned()),
        StubResponse::Silence => None,
    }
}

/// A page for people in place of data, as from a proxy or a login.
fn not_data() -> ServiceFault {
    let page = Page {
        status: 200,
        retry_after: None,
        headers: [("Content-Type".to_owned(), "text/html".to_owned())].into(),
        body: format!(
            "<!DOCTYPE html>\n<html><head><title>Log in</title></head><body>{LOG_IN}</body></html>\n"
        ),
    };
    ServiceFault {
        name: "not-data".to_owned(),
        does: "answers with an HTML page".to_owned(),
        promised: None,
        recovery: None,
        answer: StubResponse::Page(page),
    }
}

impl ServiceFault {
    /// The planned call for a tool; `None` if the contract does not know the condition.
    pub(super) fn planned(
        &self,
        tool: &str,
        folder: &CaseId,
        contract: &Contract,
    ) -> Option<PlannedProbe<StubResponse>> {
        let expected = match &self.promised {
            None => Expected::Anything,
            Some((condition, _)) => {
                contract.answer(condition)?;
                Expected::Failure(ExpectedFailure {
                    // It may have another way of answering.
                    or_success: true,
                    recovery: self.recovery.clone(),
                    // The call itself has no fault, so no argument needs to be named.
                    ..ExpectedFailure::of(condition.clone(), Authority::Service)
                })
            }
        };
        Some(PlannedProbe {
            id: CaseId(format!("{}/{GROUP}/{}", folder.0, self.name)),
            title: format!("{tool}: the service behind it {}", self.does),
            change: self.answer.clone(),
            expected,
            requirements: self.promised.iter().flat_map(|(_, requirements)| requirements.clone()).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::load_builtin as contract;
    use crate::suite::load_builtin;

    #[test]
    fn the_ways_in_which_services_fail_are_those_of_the_cases_that_end() {
        let faults = service_faults(&load_builtin().unwrap());
        let names: Vec<&str> = faults.iter().map(|fault| fault.name.as_str()).collect();
        for name in
            ["status-404", "status-429-seconds", "hang-up", "half-an-answer", "secret-in-body", "not-data"]
        {
            assert!(names.contains(&name), "{name}: {names:?}");
        }
        for name in ["silence", "refused", "unresolved", "missing-argument"] {
            assert!(!names.contains(&name), "{name}: {names:?}");
        }
    }

    #[test]
    fn what_is_expected_is_what_the_case_expects_but_for_its_own_arguments() {
        let faults = service_faults(&load_builtin().unwrap());
        let fault = faults.iter().find(|fault| fault.name == "status-429-seconds").unwrap();
        let contract = contract("bracket-code").unwrap().unwrap();
        let planned =
            fault.planned("get_weather", &CaseId("probe/get_weather".to_owned()), &contract).unwrap();
        assert_eq!(planned.id.0, "probe/get_weather/service/status-429-seconds");
        assert_eq!(planned.title, "get_weather: the service behind it answers with status 429");
        let Expected::Failure(failure) = planned.expected else { panic!("it must fail") };
        assert_eq!(failure.condition.0, "rate-limited");
        assert!(failure.or_success && failure.value.is_none());
        assert_eq!(failure.recovery.unwrap().wait.unwrap().seconds, 37);
    }
}
