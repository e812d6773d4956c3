//! Resources, prompts and completions that are refused in a wrong way, or not at all.

use super::Fault;
use crate::features::About;

pub(super) const FAULTS: &[(&str, Fault)] = &[
    ("channel/accepted-bad-input/resource", Fault::FeatureText(About::Resource, |_| String::new())),
    (
        "channel/accepted-bad-input/prompt",
        Fault::FeatureText(About::Argument, |_| "Call the tool once.".to_owned()),
    ),
    (
        "channel/disguised-error/resource",
        Fault::FeatureText(About::Resource, |error| format!("Error: {}", error.message)),
    ),
    ("wire/error-code/resource", Fault::Feature(About::Resource, |error| error.code = -32603)),
    ("wire/error-code/prompt", Fault::Feature(About::Prompt, |error| error.code = 0)),
    (
        "message/value-missing/resource",
        Fault::Feature(About::Resource, |error| {
            error.message = "The server keeps nothing under this address. Read errors://instructions.".into();
            error.data = None;
        }),
    ),
    ("wire/error-code/completion", Fault::Feature(About::Completion, |error| error.code = -32603)),
];
