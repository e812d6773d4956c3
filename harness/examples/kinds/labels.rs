//! The labels of parameters, as `.ci/kinds/labels.toml` has them.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Labels {
    /// What the program calls otherwise, and its label.
    same: BTreeMap<String, String>,
    /// The servers by name.
    pub(crate) server: BTreeMap<String, Server>,
}

/// A server and the labels of its tools' parameters.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Server {
    pub(crate) is: Package,
    /// By the names of tool and parameter.
    pub(crate) tools: BTreeMap<String, BTreeMap<String, Named>>,
}

/// The package that a server is installed from.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Package {
    pub(crate) package: String,
    pub(crate) version: String,
    /// The language in which it is written; for who reads the file.
    #[serde(rename = "language")]
    _language: String,
    /// Whether the table of kinds was changed by this server.
    pub(crate) tuned: bool,
}

/// One label, or several of which each is fair.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Named {
    One(String),
    Several(Vec<String>),
}

impl Labels {
    pub(crate) fn read(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(text)
    }

    /// What the labels call a kind of the program.
    pub(crate) fn called<'l>(&'l self, kind: &'l str) -> &'l str {
        self.same.get(kind).map_or(kind, String::as_str)
    }
}

impl Named {
    /// The labels, the likeliest first.
    pub(crate) fn all(&self) -> Vec<String> {
        match self {
            Self::One(label) => vec![label.clone()],
            Self::Several(labels) => labels.clone(),
        }
    }
}
