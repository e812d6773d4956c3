//! Durations as they are written on the command line.

use std::time::Duration;

/// Parses a duration such as `90s`, `20m`, `1h30m`; a bare number is in seconds.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a duration: write `90s`, `20m`, `8h` or `1h30m`");
    let mut whole = Duration::ZERO;
    let mut number = String::new();
    for letter in text.chars() {
        let seconds = match letter {
            's' => 1.0,
            'm' => 60.0,
            'h' => 3_600.0,
            'd' => 86_400.0,
            '0'..='9' | '.' => {
                number.push(letter);
                continue;
            }
            _ => return Err(wrong()),
        };
        let count: f64 = std::mem::take(&mut number).parse().map_err(|_| wrong())?;
        whole += Duration::try_from_secs_f64(count * seconds).map_err(|_| wrong())?;
    }
    if !number.is_empty() {
        let count: f64 = number.parse().map_err(|_| wrong())?;
        whole += Duration::try_from_secs_f64(count).map_err(|_| wrong())?;
    }
    if whole.is_zero() { Err(wrong()) } else { Ok(whole) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_people_write_them() {
        for (text, seconds) in [("90s", 90), ("20m", 1_200), ("8h", 28_800), ("1h30m", 5_400), ("45", 45)] {
            assert_eq!(duration(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        for text in ["", "0", "h", "8x", "-3s", "1e400h"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
