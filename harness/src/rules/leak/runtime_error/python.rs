//! Errors of Python, seen by running small scripts (3.11 to 3.13) and in the replies of public servers built on the
//! Python SDK.

use super::super::{Confidence, Language, Pattern, Place};

pub(in crate::rules::leak) static PATTERNS: &[Pattern] = &[
    Pattern {
        language: Language::Python,
        tells: "the error text of Python's `OSError`",
        regex: r"\[(?:Errno|WinError) -?\d+\](?: [A-Za-z][A-Za-z ]{2,60})?",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["could not read a.txt: [Errno 13] Permission denied"],
        misses: &["could not read a.txt: permission denied"],
    },
    // `type(error).__name__` before the text; `str(error)` has none.
    Pattern {
        language: Language::Any,
        tells: "an exception's class name",
        regex: r"\b(?:[a-z_]+\.)*(?:[A-Z]\w*Error|StopIteration|KeyboardInterrupt|AssertionError)(?:: [^\n]|\()",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["Error executing tool view: KeyError: 'path'"],
        misses: &["ValidationError"],
    },
    Pattern {
        language: Language::Python,
        tells: "the error text of a Python library",
        regex: r"(?:'[\w-]+' codec can't (?:decode|encode) |invalid literal for int\(\) with base |could not convert string to float|Expecting (?:value|property name enclosed|',' delimiter|':' delimiter)[^\n]*: line \d+ column \d+|Extra data: line \d+ column|embedded null (?:byte|character)|not JSON serializable|badly formed hexadecimal UUID string|No time zone found with key|ZoneInfo keys |Invalid isoformat string: |unpack requires a buffer of|division by zero|list index out of range|dictionary changed size|maximum recursion depth exceeded)",
        place: Place::Start,
        confidence: Confidence::High,
        hits: &["could not decode: 'utf-8' codec can't decode byte 0x80 in position 128: invalid start byte"],
        misses: &["a.bin is not UTF-8 text (first bad byte at offset 128)"],
    },
    Pattern {
        language: Language::Python,
        tells: "a class of the Python program",
        regex: r"<class '[\w.]+'>|\b(?:PosixPath|WindowsPath|datetime\.datetime|UUID|OrderedDict|defaultdict)\(",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["expected <class 'str'>"],
        misses: &["expected a string"],
    },
    // `type(error).__name__` in a member of its own. The names that servers choose themselves (`ValidationError`) are none.
    Pattern {
        language: Language::Python,
        tells: "the name of a Python exception standing alone",
        regex: r"(?:ArithmeticError|AssertionError|AttributeError|BlockingIOError|BrokenPipeError|BufferError|ChildProcessError|ConnectionAbortedError|ConnectionError|ConnectionRefusedError|ConnectionResetError|EOFError|FileExistsError|FileNotFoundError|FloatingPointError|ImportError|IsADirectoryError|KeyError|LookupError|MemoryError|ModuleNotFoundError|NameError|NotADirectoryError|NotImplementedError|OSError|OverflowError|PermissionError|ProcessLookupError|RecursionError|RuntimeError|StopAsyncIteration|StopIteration|SystemError|TypeError|UnboundLocalError|UnicodeDecodeError|UnicodeEncodeError|UnicodeError|ZeroDivisionError|JSONDecodeError|CalledProcessError|TimeoutExpired|CancelledError|ClosedResourceError|BrokenResourceError)",
        place: Place::Alone,
        confidence: Confidence::High,
        hits: &["NotADirectoryError", "UnicodeDecodeError"],
        misses: &["ValidationError", "IOError in a.txt"],
    },
    Pattern {
        language: Language::Python,
        tells: "the name of a module's exception",
        regex: r"\b(?:re|json|socket|struct|zlib|binascii|asyncio|subprocess|configparser|shutil|zipfile|tarfile|csv|uuid|decimal|concurrent|urllib|http|requests|httpx|aiohttp|yaml|tomllib|pandas|numpy|openpyxl|anyio|pydantic(?:_core)?|jsonschema|mcp|fastmcp|starlette|sqlalchemy|django|jinja2)(?:\.\w+)*\.(?:error: |[A-Z]\w*(?:Error|Exception|Warning|Timeout|Expired|Signature|Invalid)\b)",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["re.error: missing ), unterminated subpattern at position 0", "httpx.ConnectTimeout"],
        misses: &["the json.error member is set"],
    },
    Pattern {
        language: Language::Python,
        tells: "the error text of a Python library",
        regex: r"(?:'No time zone found with key |not enough values to unpack|too many values to unpack|(?:list|tuple|string|byte) indices must be integers|(?:list|string|tuple|pop|range object) index out of range|pop from (?:an )?empty |can(?:'t| only) concat|can only concatenate|expected str, bytes or os\.PathLike object|expected string or bytes-like|argument of type '\w+' is not iterable|argument should be |Circular reference detected|I/O operation on closed file|Invalid control character at: line|Unterminated string starting at: line|Invalid \\escape: |Invalid \\\\?u\w* escape|No closing quotation|No escaped character|time data [^\n]{0,200} does not match format|unconverted data remains|[^\n]{0,200} does not appear to be an IPv[46]|Command [^\n]{1,400} (?:returned non-zero exit status|timed out after|died with )|HTTPS?ConnectionPool\(host=|<urlopen error |(?:Client|Server) error '\d{3} [^\n]* for url |Event loop is closed|generator didn't yield|dictionary update sequence element|Invalid base64-encoded string: |Incorrect padding|Non-(?:hexadecimal|base\d+) digit found|non-hexadecimal number found in|math domain error|Exceeds the limit \(\d+ digits\)|(?:Python )?int too large to convert|cannot convert float (?:NaN|infinity) to integer|(?:max|min)\(\) (?:arg|iterable argument) is (?:an )?empty|substring not found|slice indices must be integers|not all arguments converted during string formatting|not enough arguments for format string|Replacement index \d+ out of range|unsupported format (?:character|string passed)|File is not a zip file|unknown format code|Object of type \w+ is not JSON serializable|source code (?:string )?cannot contain null bytes|'\w+' is not in list|list\.\w+\(x\): x not in list|x not in (?:list|tuple)|an integer is required|unreadable operation|not a gzip file|Timeout value connect was|Server disconnected without sending a response|All connection attempts failed|Task was destroyed but it is pending|fromisoformat: |month must be in 1\.\.12|day is out of range for month|hour must be in 0\.\.23|year \d+ is out of range|signal only works in main thread|attempted relative import|cannot import name ')",
        place: Place::Start,
        confidence: Confidence::High,
        hits: &[
            "Error: not enough values to unpack (expected 2, got 1)",
            "'No time zone found with key Mars/Base'",
            "Object of type set is not JSON serializable",
            "list index out of range",
        ],
        misses: &["the list 'a' has no value 3"],
    },
    Pattern {
        language: Language::Python,
        tells: "the error text of a Python library for network calls",
        regex: r"Max retries exceeded with url: |\[SSL: [A-Z_]+\]|NewConnectionError\(|Cannot connect to host \S+ ssl:|Connection aborted\.', |RemoteDisconnected\(|\bNameResolutionError\(",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["Max retries exceeded with url: /x (Caused by NewConnectionError('x'))"],
        misses: &["3 retries were made, and none succeeded"],
    },
    Pattern {
        language: Language::Python,
        tells: "the error text of PyYAML",
        regex: r#"(?:while (?:parsing|scanning|constructing) an? |mapping values are not allowed here|could not determine a constructor for the tag)[^\n]*(?:\n  )?in \"<\w+(?: \w+)?>\", line \d+|in \"<(?:unicode|byte) string>\", line \d+"#,
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["mapping values are not allowed here\n  in \"<unicode string>\", line 1, column 5"],
        misses: &["while parsing the file, line 3 was found to be wrong"],
    },
];
