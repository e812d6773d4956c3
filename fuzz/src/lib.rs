//! Properties that `cargo fuzz` hunts for counter-examples of, and that `cargo test` tries too.
//!
//! Each is a plain function that panics where it does not hold. `fuzz_targets/TARGET.rs` hands it libFuzzer's bytes, and a
//! test hands it the kept files of `seeds/TARGET/`: whatever was found once is tried for ever.

mod document;
mod drawn;
mod line;
mod recording;
mod reference;
mod reply;
#[cfg(test)]
mod seeds;
pub mod shop;
mod text;

pub use document::any_document_is_loaded_or_its_mistake_has_a_place;
pub use drawn::any_schema_is_drawn_from_within_bounds;
pub use line::{a_scanned_prefix_is_true, any_line_decodes_truly, no_line_is_lost};
pub use recording::any_recording_is_judged_or_its_mistake_has_a_line;
pub use reference::Reference;
pub use reply::any_reply_is_read_by_every_contract;
pub use text::any_text_is_searched;
