//! What is shown of a run: one file a form.
//!
//! Each form is a [`Reporter`](crate::event::Reporter) that is told of events and of nothing else, so that several can
//! be written at once. A reporter knows no session and no disk; it is given something to write to. Whatever a server
//! sent goes through [`escape`] on its way out.

pub mod escape;
pub mod human;
pub mod json;
pub mod junit;
pub mod ndjson;
pub mod progress;

pub use human::Human;
pub use json::Json;
pub use junit::Junit;
pub use ndjson::Ndjson;
pub use progress::Progress;
