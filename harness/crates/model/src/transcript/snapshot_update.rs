//! How new and changed texts are treated: `INSTA_UPDATE` and `INSTA_FORCE_PASS`, as in insta 1.49.

use super::{PendingPolicy, SnapshotUpdate};

/// Where to write a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placing {
    /// To the `.snap` file.
    InPlace,
    /// To a `.snap.new` file.
    Beside,
    /// Nowhere.
    Nowhere,
}

/// Whether this is a CI job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ci {
    /// This is a CI job.
    Yes,
    /// This is not a CI job.
    No,
}

/// A variable with an invalid value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the environment variable {name} is `{value}`; it must be {may_be}")]
pub struct UpdateError {
    name: &'static str,
    value: String,
    may_be: &'static str,
}

impl Ci {
    /// From the values of `CI` and `TF_BUILD`.
    pub fn from_values(ci: Option<&str>, tf_build: Option<&str>) -> Self {
        match ci {
            Some("" | "0" | "false") => Self::No,
            None if tf_build.is_none() => Self::No,
            _ => Self::Yes,
        }
    }
}

impl SnapshotUpdate {
    /// From the value of `INSTA_UPDATE`.
    ///
    /// # Errors
    /// When it is none that insta knows.
    pub fn from_variable(value: Option<&str>, ci: Ci) -> Result<Self, UpdateError> {
        match value.unwrap_or_default() {
            "" | "auto" if ci == Ci::Yes => Ok(Self::Nowhere),
            "" | "auto" | "new" => Ok(Self::Beside),
            "no" => Ok(Self::Nowhere),
            "always" | "1" => Ok(Self::InPlace),
            "unseen" => Ok(Self::NewInPlace),
            "force" => Ok(Self::Force),
            other => Err(UpdateError {
                name: "INSTA_UPDATE",
                value: other.to_owned(),
                may_be: "`auto`, `new`, `always`, `unseen`, `force` or `no`",
            }),
        }
    }

    /// Where a text goes, given what is stored in its place.
    pub fn placing(self, stored: Option<&str>) -> Placing {
        match self {
            Self::InPlace | Self::Force => Placing::InPlace,
            Self::NewInPlace if stored.is_none() => Placing::InPlace,
            Self::Beside | Self::NewInPlace => Placing::Beside,
            Self::Nowhere => Placing::Nowhere,
        }
    }
}

impl PendingPolicy {
    /// From the value of `INSTA_FORCE_PASS`.
    ///
    /// # Errors
    /// When it is none that insta knows.
    pub fn from_variable(value: Option<&str>) -> Result<Self, UpdateError> {
        match value.unwrap_or_default() {
            "" | "0" => Ok(Self::Usual),
            "1" => Ok(Self::Forced),
            other => {
                Err(UpdateError { name: "INSTA_FORCE_PASS", value: other.to_owned(), may_be: "`0` or `1`" })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: &str, ci: Ci, new: Placing, changed: Placing) {
        let update = SnapshotUpdate::from_variable(Some(value), ci).unwrap();
        assert_eq!((update.placing(None), update.placing(Some("before"))), (new, changed), "{value}");
    }

    #[test]
    fn every_value_means_what_it_means_to_insta() {
        check("auto", Ci::No, Placing::Beside, Placing::Beside);
        check("", Ci::No, Placing::Beside, Placing::Beside);
        check("new", Ci::Yes, Placing::Beside, Placing::Beside);
        check("always", Ci::Yes, Placing::InPlace, Placing::InPlace);
        check("1", Ci::No, Placing::InPlace, Placing::InPlace);
        check("unseen", Ci::No, Placing::InPlace, Placing::Beside);
        check("force", Ci::No, Placing::InPlace, Placing::InPlace);
        check("no", Ci::No, Placing::Nowhere, Placing::Nowhere);
    }

    #[test]
    fn in_ci_nothing_is_written_unless_that_is_asked_for() {
        check("auto", Ci::Yes, Placing::Nowhere, Placing::Nowhere);
        assert_eq!(SnapshotUpdate::from_variable(None, Ci::Yes), Ok(SnapshotUpdate::Nowhere));
    }

    #[test]
    fn ci_is_recognised_as_insta_recognises_it() {
        let ci = ["true", "1", "github"].map(|value| Ci::from_values(Some(value), None));
        assert_eq!(ci, [Ci::Yes; 3]);
        let not = ["", "0", "false"].map(|value| Ci::from_values(Some(value), Some("True")));
        assert_eq!(not, [Ci::No; 3]);
        assert_eq!((Ci::from_values(None, Some("True")), Ci::from_values(None, None)), (Ci::Yes, Ci::No));
    }

    #[test]
    fn a_value_that_insta_does_not_know_is_refused() {
        let error = SnapshotUpdate::from_variable(Some("nwe"), Ci::No).unwrap_err().to_string();
        assert!(error.contains("INSTA_UPDATE is `nwe`") && error.contains("`always`"), "{error}");
        assert!(PendingPolicy::from_variable(Some("yes")).is_err());
        assert_eq!(
            (PendingPolicy::from_variable(None), PendingPolicy::from_variable(Some("1"))),
            (Ok(PendingPolicy::Usual), Ok(PendingPolicy::Forced))
        );
    }
}
