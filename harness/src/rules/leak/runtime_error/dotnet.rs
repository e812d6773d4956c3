//! Errors of .NET and Mono, seen by running small C# programs and in the replies of a public server built on the C# SDK.

use super::super::{Confidence, Language, Pattern, Place};

pub(in crate::rules::leak) static PATTERNS: &[Pattern] = &[
    Pattern {
        language: Language::DotNet,
        tells: "the name of a .NET exception or type",
        regex: r"\b(?:System|Microsoft|Newtonsoft)(?:\.[A-Z]\w*)+Exception\b|\bSystem\.(?:String|Char|Object|Boolean|U?Int(?:16|32|64)|Single|Double|Decimal|Byte|DateTime\w*|Guid|TimeSpan|Uri|Nullable|Void|Text\.[A-Z]\w+|IO\.[A-Z]\w+|Net\.[A-Z]\w+|Collections\.[A-Z]\w+|Threading\.[A-Z]\w+|Reflection\.[A-Z]\w+)\b|\b[A-Z]\w+`\d\[",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &[
            "System.IO.FileNotFoundException: x",
            "unexpected type System.String",
            "Dictionary`2[System.String,System.Object]",
        ],
        misses: &["the System folder is closed"],
    },
    Pattern {
        language: Language::DotNet,
        tells: "the error text of a .NET argument check",
        regex: r"\(Parameter '\w+'\)|\nParameter name: \w+|Value cannot be null\b|Empty path name is not legal|Illegal characters in path\b|Specified argument was out of the range of valid values|The value cannot be an empty string\b|The path is empty\b|Null character in path",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &[
            "Value cannot be null. (Parameter 'path')",
            "Empty path name is not legal.\nParameter name: path",
        ],
        misses: &["the parameter 'path' must not be empty"],
    },
    Pattern {
        language: Language::DotNet,
        tells: "the error text of parsing in .NET",
        regex: r"(?:Value was either too large or too small for an? \w+|[Ii]nput string (?:was not in a correct format|'[^\n]*?' was not in a correct format)|The input string '[^\n]*?' was not in a correct format|String '[^\n]*?' was not recognized as a valid \w+|String was not recognized as a valid \w+|The JSON value could not be converted to |The input does not contain any JSON tokens|'[^\n]{1,8}' is an invalid (?:start of a (?:value|property name)|escapable character|end of)|Expected depth to be zero at the end of the JSON payload|Unexpected character encountered while parsing|Unrecognized Guid format|Guid should contain 32 digits|The requested operation requires an element of type '|Requested value '[^\n]*?' was not found|The (?:input is not|format of) a valid Base-64 string|The time zone ID '|Invalid URI: )",
        place: Place::Start,
        confidence: Confidence::High,
        hits: &[
            "Value was either too large or too small for an Int32.",
            "The JSON value could not be converted to System.Int32. Path: $.offset",
            "The requested operation requires an element of type 'String', but the target element has type 'Number'.",
        ],
        misses: &["'offset' must be a whole number"],
    },
    Pattern {
        language: Language::DotNet,
        tells: "a position in a JSON text, as .NET reports it",
        regex: r"Path: \$[\w.\[\]']* \| LineNumber: \d+ \| BytePositionInLine: \d+",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["Path: $.offset | LineNumber: 0 | BytePositionInLine: 16."],
        misses: &["Path: a, line 0"],
    },
    Pattern {
        language: Language::DotNet,
        tells: "the error text of .NET's files and processes",
        regex: r#"(?:Could not find (?:file|a part of the path) ['\"\x1a]|Could not find a part of the path\.|The process cannot access the file |An error occurred trying to start process '|The directory is not empty\. : '|The file '[^\n]*?' already exists\.|Invalid name for file or directory|ApplicationName='|Cannot find the specified file|The (?:filename|directory name|specified path|file name)[^\n]{0,40} (?:is invalid|syntax is incorrect|is too long)|Stream was not readable|Cannot access a (?:closed|disposed) )"#,
        place: Place::Start,
        confidence: Confidence::High,
        hits: &["Could not find file '/workspace/a'."],
        misses: &["Could not find the file '/workspace/a'."],
    },
    Pattern {
        language: Language::DotNet,
        tells: "the error text of .NET's permission check",
        regex: r"Access to the path '[^\n]*?' is denied\.",
        place: Place::Alone,
        confidence: Confidence::Low,
        hits: &["Access to the path '/workspace/a' is denied."],
        misses: &["Access to '/workspace/a' is denied: it lies outside the root."],
    },
    Pattern {
        language: Language::DotNet,
        tells: "a bare error text of .NET",
        regex: r"(?:A task was canceled|The operation was canceled|The operation has timed out|Name or service not known[^\n]*|No such host is known[^\n]*|Nullable object must have a value|Specified method is not supported|Operation is not valid due to the current state of the object|The SSL connection could not be established[^\n]*|An invalid request URI was provided[^\n]*|Response status code does not indicate success: [^\n]*|Insufficient memory[^\n]*|Unable to read beyond the end of the stream|Operation is not supported on this platform)",
        place: Place::Alone,
        confidence: Confidence::High,
        hits: &["A task was canceled."],
        misses: &["The task t3 was canceled by its owner."],
    },
];
