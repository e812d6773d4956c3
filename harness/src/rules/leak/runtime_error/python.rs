//! Errors of Python, seen by running small scripts (3.11 to 3.13) and in the replies of public servers built on the
//! Python SDK; and the few of other runtimes that no sentence of a server's own would hold.

use super::super::{Pattern, Place};

pub(super) static PATTERNS: &[Pattern] = &[
    Pattern {
        tells: "the error text of Python's `OSError`",
        regex: r"\[(?:Errno|WinError) -?\d+\](?: [A-Za-z][A-Za-z ]{2,60})?",
        place: Place::Anywhere,
        level: None,
        hit: "could not read a.txt: [Errno 13] Permission denied",
        miss: "could not read a.txt: permission denied",
    },
    // `type(error).__name__` before the text; `str(error)` has none.
    Pattern {
        tells: "an exception's class name",
        regex: r"\b(?:[a-z_]+\.)*(?:[A-Z]\w*Error|StopIteration|KeyboardInterrupt|AssertionError)(?:: [^\n]|\()",
        place: Place::Anywhere,
        level: None,
        hit: "Error executing tool view: KeyError: 'path'",
        miss: "ValidationError",
    },
    Pattern {
        tells: "the error text of a Python library",
        regex: r"(?:'[\w-]+' codec can't (?:decode|encode) |invalid literal for int\(\) with base |could not convert string to float|Expecting (?:value|property name enclosed|',' delimiter|':' delimiter)[^\n]*: line \d+ column \d+|Extra data: line \d+ column|embedded null (?:byte|character)|not JSON serializable|badly formed hexadecimal UUID string|No time zone found with key|ZoneInfo keys |Invalid isoformat string: |unpack requires a buffer of|division by zero|list index out of range|dictionary changed size|maximum recursion depth exceeded)",
        place: Place::Start,
        level: None,
        hit: "could not decode: 'utf-8' codec can't decode byte 0x80 in position 128: invalid start byte",
        miss: "a.bin is not UTF-8 text (first bad byte at offset 128)",
    },
    Pattern {
        tells: "a class of the Python program",
        regex: r"<class '[\w.]+'>|\b(?:PosixPath|WindowsPath|datetime\.datetime|UUID|OrderedDict|defaultdict)\(",
        place: Place::Anywhere,
        level: None,
        hit: "expected <class 'str'>",
        miss: "expected a string",
    },
    // java.lang, java.nio and the like; System.IO and the like.
    Pattern {
        tells: "the name of a Java or .NET exception",
        regex: r"\b(?:javax?|com|org|System|Microsoft)(?:\.\w+)+(?:Exception|Error)\b",
        place: Place::Anywhere,
        level: None,
        hit: "java.nio.file.NoSuchFileException: /workspace/a",
        miss: "no such file: /workspace/a",
    },
    Pattern {
        tells: "the error text of C++'s standard library",
        regex: r"\b(?:std::\w+|St\d\d?(?:bad_|system_|invalid_|out_of_|runtime_|logic_|length_)\w+|basic_(?:string|ios)::\w+|filesystem error: )",
        place: Place::Anywhere,
        level: None,
        hit: "filesystem error: cannot open file: No such file or directory [/workspace/a]",
        miss: "could not open /workspace/a: the file system is read-only",
    },
    Pattern {
        tells: "the number of an operating system's error",
        regex: r"\berrno:? ?-?\d+\b|\berror=\d+, ",
        place: Place::Anywhere,
        level: None,
        hit: "could not read: errno 13",
        miss: "could not read: permission denied",
    },
    // Any language: `strerror` alone, without operation and path.
    Pattern {
        tells: "an operating system's phrase standing alone",
        regex: r"(?i:no such file or directory|permission denied|not a directory|is a directory|file exists|too many levels of symbolic links|file name too long|invalid argument|directory not empty|read-only file system|no space left on device|too many open files|device or resource busy|input/output error|connection refused|operation not permitted|broken pipe|bad file descriptor|resource temporarily unavailable|argument list too long|connection reset by peer|no such process)",
        place: Place::Alone,
        level: None,
        hit: "Error: No such file or directory",
        miss: "could not read a.txt: no such file or directory",
    },
];
