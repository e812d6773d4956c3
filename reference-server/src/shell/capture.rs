//! What a command printed, bounded: the beginning and the end of each stream are kept.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};

/// Bytes kept from the beginning, and as many from the end.
const KEPT: usize = 50 * 1024;

/// One stream of a command, shared between the task that reads it and whoever wants to know.
#[derive(Debug, Clone, Default)]
pub(crate) struct Capture(Arc<Mutex<Bounded>>);

#[derive(Debug, Default)]
struct Bounded {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    dropped: usize,
}

impl Capture {
    /// Reads the stream to its end. An error of the stream counts as its end: what came before it is still told.
    pub(crate) async fn drain(self, mut stream: impl AsyncRead + Unpin) {
        let mut buffer = vec![0; 8 * 1024];
        while let Ok(count @ 1..) = stream.read(&mut buffer).await {
            self.push(&buffer[..count]);
        }
    }

    fn push(&self, bytes: &[u8]) {
        let mut bounded = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let room = KEPT.saturating_sub(bounded.head.len()).min(bytes.len());
        let (head, rest) = bytes.split_at(room);
        bounded.head.extend_from_slice(head);
        bounded.tail.extend(rest);
        let excess = bounded.tail.len().saturating_sub(KEPT);
        bounded.tail.drain(..excess);
        bounded.dropped += excess;
    }

    /// What is there so far, with a note where something was left out.
    pub(crate) fn text(&self) -> String {
        let bounded = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let tail: Vec<u8> = bounded.tail.iter().copied().collect();
        if bounded.dropped == 0 {
            return String::from_utf8_lossy(&[bounded.head.as_slice(), &tail].concat()).into_owned();
        }
        format!(
            "{}\n[{} bytes left out here]\n{}",
            String::from_utf8_lossy(&bounded.head),
            bounded.dropped,
            String::from_utf8_lossy(&tail)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_output_is_kept_whole_and_a_long_one_by_its_two_ends() {
        let capture = Capture::default();
        capture.push(b"begin ");
        assert_eq!(capture.text(), "begin ");
        capture.push(&vec![b'x'; 3 * KEPT]);
        capture.push(b" end");
        let text = capture.text();
        assert!(text.starts_with("begin xxx") && text.ends_with("xxx end"));
        assert!(text.contains(&format!("[{} bytes left out here]", KEPT + 10)), "{}", text.len());
    }
}
