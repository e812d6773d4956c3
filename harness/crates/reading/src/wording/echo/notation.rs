//! One character of a value in any notation: as it is, or as a language, HTML or an address escapes it.
//!
//! The main function is [`length_of`].

/// A character is escaped again at each level of quotation; deeper nesting was not seen.
const LEVELS: usize = 8;

/// In which case the letters of a value are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// As they were sent.
    Same,
    /// In lower case.
    Lower,
    /// In capitals.
    Upper,
}

/// What programs show in place of a NUL.
const INSTEAD_OF_NUL: [&str; 5] = ["^@", "\u{2400}", "\u{fffd}", "?", " "];

/// How a shell writes a quotation mark within quotation marks.
const QUOTED_MARKS: [&str; 2] = ["'\\''", "'\"'\"'"];

/// What begins an escape: of a language, of an address, of HTML. A text uses one of them.
pub(super) const ESCAPES: [char; 3] = ['\\', '%', '&'];

/// The length of what a text shows for a character at its beginning; `None` if it shows another one.
pub(super) fn length_of(wanted: char, text: &str, case: Case, escape: char) -> Option<usize> {
    if let Some(mark) = QUOTED_MARKS.iter().find(|mark| wanted == '\'' && text.starts_with(**mark)) {
        return Some(mark.len());
    }
    let first = text.chars().next();
    if let Some(first) = first {
        // An escape comes first, because a backslash may escape the next one.
        if first == escape
            && let Some(length) = escaped_length(wanted, text, case)
        {
            return Some(length);
        }
        let is_space = wanted.is_whitespace() && (first.is_whitespace() || wanted == ' ' && first == '+');
        if first == in_case(wanted, case) || is_space {
            return Some(first.len_utf8());
        }
    }
    match wanted {
        '\0' => {
            let instead = INSTEAD_OF_NUL.iter().find(|instead| text.starts_with(**instead));
            Some(instead.map_or(0, |instead| instead.len()))
        }
        // Half a pair has no encoding.
        '\u{fffd}' => Some(usize::from(first == Some('?'))),
        // Terminals and logs drop other control characters, and a line break may lose its first half.
        _ if wanted.is_control() && !matches!(wanted, '\n' | '\t') => Some(usize::from(first == Some('?'))),
        _ if !wanted.is_ascii() && matches!(first, Some('?' | '\u{fffd}')) => first.map(char::len_utf8),
        _ => None,
    }
}

/// The length of an escape of a character, of any depth.
fn escaped_length(wanted: char, text: &str, case: Case) -> Option<usize> {
    let is_it = |letter: char| in_case(letter, case) == in_case(wanted, case);
    let backslashes = text.bytes().take(LEVELS).take_while(|byte| *byte == b'\\').count();
    (0..=backslashes).find_map(|skipped| {
        let rest = &text[skipped..];
        let escaped = escapes(rest).into_iter().flatten().find(|(letter, _)| is_it(*letter));
        // A backslash before a sign may be the sign's own.
        let plain = || rest.chars().next().filter(|letter| skipped > 0 && *letter != '\\' && is_it(*letter));
        let length = escaped.map(|(_, length)| length).or_else(|| plain().map(char::len_utf8));
        Some(skipped + length?)
    })
}

/// The characters with which a value may begin whose beginning stands here.
pub(super) fn beginnings(text: &str) -> impl Iterator<Item = char> {
    let backslashes = text.bytes().take(LEVELS).take_while(|byte| *byte == b'\\').count();
    (0..=backslashes).flat_map(|skipped| {
        let rest = &text[skipped..];
        let escaped = escapes(rest).into_iter().flatten().map(|(letter, _)| letter);
        rest.chars().next().into_iter().chain(escaped)
    })
}

/// The character at the beginning of a text with its escape resolved, and its length.
pub(super) fn resolved(text: &str) -> Option<(char, usize)> {
    let first = text.chars().next()?;
    let plain = || (first, first.len_utf8());
    Some(escapes(text).into_iter().flatten().next().unwrap_or_else(plain))
}

pub(super) fn in_case(letter: char, case: Case) -> char {
    match case {
        Case::Same => letter,
        Case::Lower => letter.to_lowercase().next().unwrap_or(letter),
        Case::Upper => letter.to_uppercase().next().unwrap_or(letter),
    }
}

/// The characters that an escape at the beginning of a text may stand for, each with the length of the escape.
fn escapes(text: &str) -> [Option<(char, usize)>; 2] {
    let one = |found| [found, None];
    match text.as_bytes().first() {
        Some(b'&') => one(entity(text)),
        Some(b'%') => one(bytes(text, |rest| hexadecimal(rest, "%", 2))),
        Some(b'\\') => {
            match text.as_bytes().get(1) {
                Some(b'u') if text[2..].starts_with('{') => one(braced(text)),
                Some(b'u') => one(utf16(text)),
                Some(b'U') => one(hexadecimal(text, "\\U", 8)
                    .and_then(|(code, length)| Some((char::from_u32(code)?, length)))),
                Some(b'x') => {
                    let byte = hexadecimal(text, "\\x", 2);
                    let latin = byte.and_then(|(code, length)| Some((char::from_u32(code)?, length)));
                    [bytes(text, |rest| hexadecimal(rest, "\\x", 2)), latin]
                }
                Some(b'0'..=b'7') => {
                    let nul = text[1..].starts_with('0').then_some(('\0', 2));
                    [bytes(text, octal), nul]
                }
                Some(letter) => one(named(*letter).map(|letter| (letter, 2))),
                None => one(None),
            }
        }
        _ => one(None),
    }
}

fn named(letter: u8) -> Option<char> {
    Some(match letter {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'v' => '\u{b}',
        b'a' => '\u{7}',
        b'e' => '\u{1b}',
        b'\\' => '\\',
        _ => return None,
    })
}

/// `\u{e9}`, of Rust and JavaScript.
fn braced(text: &str) -> Option<(char, usize)> {
    let (digits, _) = text.get(3..)?.split_once('}')?;
    let code = (digits.len() <= 6).then(|| u32::from_str_radix(digits, 16).ok())??;
    Some((char::from_u32(code)?, digits.len() + 4))
}

/// `\u00e9`, or a pair; half a pair is a character that cannot be shown.
fn utf16(text: &str) -> Option<(char, usize)> {
    let unit = |text: &str| hexadecimal(text, "\\u", 4);
    let (first, length) = unit(text)?;
    if let Some(letter) = char::from_u32(first) {
        return Some((letter, length));
    }
    // At a deeper level of quotation there are more backslashes before the second half.
    let rest = &text[length..];
    let more = rest.bytes().take_while(|byte| *byte == b'\\').count().saturating_sub(1);
    let pair = unit(&rest[more..]).and_then(|(second, _)| {
        let units = [u16::try_from(first).ok()?, u16::try_from(second).ok()?];
        char::decode_utf16(units).next()?.ok()
    });
    Some(pair.map_or(('\u{fffd}', length), |letter| (letter, 2 * length + more)))
}

fn hexadecimal(text: &str, lead: &str, digits: usize) -> Option<(u32, usize)> {
    let shown = text.strip_prefix(lead)?.get(..digits)?;
    let is_number = shown.bytes().all(|byte| byte.is_ascii_hexdigit());
    Some((is_number.then(|| u32::from_str_radix(shown, 16).ok())??, lead.len() + digits))
}

/// `\303`, of C, Git and Java.
fn octal(text: &str) -> Option<(u32, usize)> {
    let shown = text.strip_prefix('\\')?.get(..3)?;
    let code = u32::from_str_radix(shown, 8).ok().filter(|_| !shown.starts_with('+'))?;
    Some((code, 4))
}

/// A character whose bytes in UTF-8 are escaped one by one.
fn bytes(text: &str, byte: impl Fn(&str) -> Option<(u32, usize)>) -> Option<(char, usize)> {
    let mut read = Vec::with_capacity(4);
    let mut length = 0;
    while read.len() < 4 {
        let (code, more) = byte(&text[length..])?;
        read.push(u8::try_from(code).ok()?);
        length += more;
        if let Ok(shown) = std::str::from_utf8(&read) {
            return Some((shown.chars().next()?, length));
        }
    }
    None
}

/// `&lt;`, `&#39;`, `&#x27;`.
fn entity(text: &str) -> Option<(char, usize)> {
    const NAMES: [(&str, char); 6] =
        [("lt", '<'), ("gt", '>'), ("amp", '&'), ("quot", '"'), ("apos", '\''), ("nbsp", '\u{a0}')];
    let end = text.bytes().take(10).position(|byte| byte == b';')?;
    let name = &text[1..end];
    let letter = match name.strip_prefix('#') {
        Some(code) => char::from_u32(match code.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok()?,
            None => code.parse().ok()?,
        })?,
        None => NAMES.iter().find(|(known, _)| *known == name)?.1,
    };
    Some((letter, end + 1))
}
