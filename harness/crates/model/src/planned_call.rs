//! One call of a server's tool, written from a role's parameters.
//!
//! The main type is [`PlannedCall`]. It remembers what it was written from, so that it can be written again
//! with another value.

use serde_json::Value;

use crate::argument::{Argument, Arguments};
use crate::catalog::wrap;
use crate::expectation::{Authority, Expected, ExpectedValue};
use crate::json::with_texts;
use crate::roles::Binding;

/// One call, ready to be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedCall {
    /// The tool's name.
    pub tool: String,
    /// The arguments; numbers that JSON values cannot hold are approximated.
    pub arguments: Value,
    /// The arguments as JSON text, as they are sent.
    pub text: String,
    /// What must hold of the reply.
    pub expected: Expected,
    /// What it was written from, for following a hint with another value.
    pub origin: Option<CallOrigin>,
}

/// The parameters of a role that a call was written from.
#[derive(Debug, Clone, PartialEq)]
pub struct CallOrigin {
    binding: Binding,
    arguments: Arguments,
}

impl CallOrigin {
    /// The role's name of a parameter, given by the tool's name for it.
    fn role_name(&self, parameter: &str) -> Option<&String> {
        self.binding.parameters.keys().find(|name| self.binding.name(name) == Some(parameter))
    }
}

impl PlannedCall {
    /// A call with these arguments that was not written from a role's parameters.
    pub fn plain(tool: &str, arguments: Value, expected: Expected) -> Self {
        Self { tool: tool.to_owned(), text: arguments.to_string(), arguments, expected, origin: None }
    }

    /// The call with another value for one parameter, given by the tool's name for it. It must succeed, for the
    /// reason `why`. `None` if the parameter is not one of the role's.
    pub fn with(&self, parameter: &str, value: &Value, why: String) -> Option<Self> {
        let origin = self.origin.as_ref()?;
        let name = origin.role_name(parameter)?;
        let mut arguments = origin.arguments.clone();
        arguments.0.retain(|(other, _)| other != name);
        arguments.0.push((name.clone(), Argument::Json(value.clone())));
        let changes_file = origin.binding.role.replaces();
        let expected = Expected::Success {
            exit_status: None,
            why,
            task_limit: false,
            changes_file,
            authority: Authority::Contract,
        };
        write_call(&origin.binding, &arguments, None, expected).ok()
    }

    /// The call with `{task}` replaced by the id of another session's task; as a number if the tool takes one.
    #[must_use]
    pub fn with_task(&self, id: &str) -> Self {
        let is_number = |origin: &CallOrigin| origin.binding.numbers.iter().any(|name| name == "task");
        let number: Option<i64> = id.parse().ok().filter(|_| self.origin.as_ref().is_some_and(is_number));
        let put = Value::from(id).to_string();
        let inner = &put[1..put.len() - 1];
        let text = match number {
            Some(number) => self.text.replace(r#""{task}""#, &number.to_string()),
            None => self.text.replace("{task}", inner),
        };
        let arguments = serde_json::from_str(&text).unwrap_or_else(|_| self.arguments.clone());
        let mut expected = self.expected.clone();
        if let Expected::Failure(failure) = &mut expected
            && let Some(ExpectedValue::Text(value)) = &mut failure.value
        {
            *value = value.replace("{task}", id);
        }
        Self { text, arguments, expected, tool: self.tool.clone(), origin: self.origin.clone() }
    }

    /// The call with all paths in the workspace made relative to it, as some servers require. A reply may name
    /// either form of a path.
    #[must_use]
    pub fn relative(&self, workspace: &str) -> Self {
        let text =
            self.text.replace(&format!("\"{workspace}/"), "\"").replace(&format!("\"{workspace}\""), "\".\"");
        let mut expected = self.expected.clone();
        if let Expected::Failure(failure) = &mut expected
            && let Some(ExpectedValue::Path(path)) = &failure.value
            && let Some(below) = path.strip_prefix(workspace).and_then(|path| path.strip_prefix('/'))
        {
            let below = ExpectedValue::Path(below.to_owned());
            failure.value = Some(ExpectedValue::AnyOf(vec![ExpectedValue::Path(path.clone()), below]));
        }
        let arguments = relative(&self.arguments, workspace);
        Self { text, arguments, expected, tool: self.tool.clone(), origin: self.origin.clone() }
    }

    /// The value of a parameter, given by the tool's name for it.
    pub fn value_of(&self, parameter: &str) -> Option<&Value> {
        let origin = self.origin.as_ref()?;
        origin.arguments.get(origin.role_name(parameter)?)?.value()
    }
}

/// Arguments with all paths in the workspace made relative to it.
pub fn relative(arguments: &Value, workspace: &str) -> Value {
    with_texts(arguments, &|text| match text.strip_prefix(workspace) {
        Some("") => ".".to_owned(),
        Some(below) => below.strip_prefix('/').unwrap_or(text).to_owned(),
        None => text.to_owned(),
    })
}

/// The call of a role with these arguments and no expectation; `None` if its tool lacks a parameter.
pub fn role_call(binding: &Binding, arguments: &Arguments) -> Option<PlannedCall> {
    write_call(binding, arguments, None, Expected::Anything).ok()
}

/// Writes a call for a tool; the error is the role's parameter that the tool does not have.
pub fn write_call(
    binding: &Binding,
    arguments: &Arguments,
    without: Option<&str>,
    expected: Expected,
) -> Result<PlannedCall, String> {
    let composed = binding.compose(arguments, without).map_err(|unplaced| unplaced.parameter)?;
    let wrapper = binding.wrapper.as_deref();
    let text = match wrapper {
        Some(name) => format!("{{{}:{}}}", Value::from(name), composed.text),
        None => composed.text,
    };
    Ok(PlannedCall {
        tool: binding.tool.clone(),
        arguments: wrap(wrapper, composed.arguments),
        text,
        expected,
        origin: Some(CallOrigin { binding: binding.clone(), arguments: arguments.clone() }),
    })
}
