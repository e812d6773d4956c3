//! Windows has no signals to handle; the system itself reports a crash of this program. The job objects end the
//! servers with it, and the next run deletes the folders that are left.

use std::path::Path;

/// Does nothing on Windows.
pub fn install_crash_handlers() {}

/// Does nothing on Windows.
pub(in super::super) fn clean_up_and_exit() {}

/// Does nothing on Windows.
pub(crate) fn remember(_: &Path) {}
