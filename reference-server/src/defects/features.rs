//! Resources, prompts and completions that are refused in a wrong way, or not at all.

use super::{Defect, Fault, breaks, cases};
use crate::features::About;

pub(super) static DEFECTS: &[Defect] = &[
    Defect {
        name: "channel/accepted-bad-input/resource",
        summary: "A resource that does not exist is read as an empty one.",
        breaks: &[breaks("channel/accepted-bad-input", &["resource/unknown-scheme"])],
        fault: Fault::FeatureText(About::Resource, |_| String::new()),
    },
    Defect {
        name: "channel/accepted-bad-input/prompt",
        summary: "A prompt without its required argument is filled in with nothing.",
        breaks: &[breaks("channel/accepted-bad-input", cases::MISSING_PROMPT_ARGUMENT)],
        fault: Fault::FeatureText(About::Argument, |_| "Call the tool once.".to_owned()),
    },
    Defect {
        name: "channel/disguised-error/resource",
        summary: "A resource that does not exist has the text of an error.",
        breaks: &[breaks("channel/disguised-error", cases::UNKNOWN_RESOURCE)],
        fault: Fault::FeatureText(About::Resource, |error| format!("Error: {}", error.message)),
    },
    Defect {
        name: "wire/error-code/resource",
        summary: "A resource that does not exist is an internal error.",
        breaks: &[breaks("wire/error-code", cases::UNKNOWN_RESOURCE)],
        fault: Fault::Feature(About::Resource, |error| error.code = -32603),
    },
    Defect {
        name: "wire/error-code/prompt",
        summary: "A prompt that does not exist is refused with the code 0.",
        breaks: &[breaks("wire/error-code", cases::UNKNOWN_PROMPT)],
        fault: Fault::Feature(About::Prompt, |error| error.code = 0),
    },
    Defect {
        name: "message/value-missing/prompt",
        summary: "A missing argument of a prompt is not named.",
        breaks: &[breaks("message/value-missing", cases::MISSING_PROMPT_ARGUMENT)],
        fault: Fault::Feature(About::Argument, |error| {
            error.message = "Something that must be sent is missing. Send for instance 'view'.".into();
        }),
    },
    Defect {
        name: "message/value-missing/resource",
        summary: "A resource that does not exist is not named, neither in the message nor in its data.",
        breaks: &[breaks("message/value-missing", cases::UNKNOWN_RESOURCE)],
        fault: Fault::Feature(About::Resource, |error| {
            error.message = "The server keeps nothing under this address. Read errors://instructions.".into();
            error.data = None;
        }),
    },
    Defect {
        name: "message/value-missing/unknown-prompt",
        summary: "A prompt that does not exist is not named.",
        breaks: &[breaks("message/value-missing", cases::UNKNOWN_PROMPT)],
        fault: Fault::Feature(About::Prompt, |error| {
            error.message = "The server has another prompt than this one. Ask for call_tool.".into();
        }),
    },
    Defect {
        name: "wire/error-code/completion",
        summary: "Completions for what is not there end in an internal error.",
        breaks: &[breaks("wire/error-code", cases::UNKNOWN_COMPLETION)],
        fault: Fault::Feature(About::Completion, |error| error.code = -32603),
    },
    Defect {
        name: "message/value-missing/completion",
        summary: "What completions are asked for, and is not there, is not named.",
        breaks: &[breaks("message/value-missing", cases::UNKNOWN_COMPLETION)],
        fault: Fault::Feature(About::Completion, |error| {
            error.message =
                "The server has another prompt, and another template, than this one. Ask for call_tool."
                    .into();
        }),
    },
    Defect {
        name: "leak/runtime-error/prompt",
        summary: "An unknown prompt is refused with the error of a dictionary.",
        breaks: &[breaks("leak/runtime-error", cases::UNKNOWN_PROMPT)],
        fault: Fault::Feature(About::Prompt, |error| error.message = "KeyError: 'no-such-prompt'".into()),
    },
];
