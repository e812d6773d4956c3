//! Splits bytes into lines of bounded length.

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// How much of the end of a truncated line is kept, in bytes.
const END: usize = 256;

/// Splits a stream into lines of bounded length.
pub struct LineReader<R> {
    reader: BufReader<R>,
    bound: usize,
}

/// One line, without its newline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawLine {
    /// Its bytes, up to the bound.
    pub bytes: Vec<u8>,
    /// Its full length in bytes.
    pub length: usize,
    /// Its last bytes, if it was truncated: some servers write the id at the end.
    pub end: Vec<u8>,
}

impl RawLine {
    /// Whether it was longer than the bound and its end was dropped.
    pub fn is_cut(&self) -> bool {
        self.length > self.bytes.len()
    }
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    /// A reader for lines of at most `bound` bytes; the rest of a longer line is dropped.
    pub fn new(reader: R, bound: usize) -> Self {
        Self { reader: BufReader::with_capacity(64 * 1024, reader), bound }
    }

    /// The next line, or `None` at the end. A last line without a newline counts.
    ///
    /// # Errors
    /// When the stream cannot be read.
    pub async fn next(&mut self) -> std::io::Result<Option<RawLine>> {
        let mut line = RawLine { bytes: Vec::new(), length: 0, end: Vec::new() };
        loop {
            let chunk = self.reader.fill_buf().await?;
            if chunk.is_empty() {
                return Ok((line.length > 0).then_some(line));
            }
            let newline = chunk.iter().position(|byte| *byte == b'\n');
            let part = &chunk[..newline.unwrap_or(chunk.len())];
            let room = self.bound.saturating_sub(line.bytes.len());
            line.bytes.extend_from_slice(&part[..part.len().min(room)]);
            if part.len() > room {
                line.end.extend_from_slice(&part[room..][(part.len() - room).saturating_sub(END)..]);
                line.end.drain(..line.end.len().saturating_sub(END));
            }
            line.length += part.len();
            let used = part.len() + usize::from(newline.is_some());
            self.reader.consume(used);
            if newline.is_some() {
                return Ok(Some(line));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read_all(bytes: &[u8], bound: usize) -> Vec<(String, usize)> {
        let mut lines = LineReader::new(bytes, bound);
        let mut read = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            read.push((String::from_utf8(line.bytes.clone()).unwrap(), line.length));
        }
        read
    }

    #[tokio::test]
    async fn lines_are_split_at_newlines_and_the_last_needs_none() {
        let expected = vec![("a".to_owned(), 1), (String::new(), 0), ("bc".to_owned(), 2)];
        assert_eq!(read_all(b"a\n\nbc", 100).await, expected);
    }

    #[tokio::test]
    async fn of_a_cut_line_the_end_is_kept_too() {
        let long = [&[b'a'; 70_000][..], &[b'b'; 70_000], b"the end\nnext"].concat();
        let line = LineReader::new(&long[..], 10).next().await.unwrap().unwrap();
        assert_eq!((line.bytes.len(), line.length, line.end.len()), (10, 140_007, END));
        assert!(line.is_cut() && line.end.ends_with(b"the end"));
    }

    #[tokio::test]
    async fn a_line_over_the_bound_is_cut_and_the_next_is_whole() {
        let expected = vec![("aaa".to_owned(), 10), ("bb".to_owned(), 2)];
        assert_eq!(read_all(b"aaaaaaaaaa\nbb\n", 3).await, expected);
    }
}
