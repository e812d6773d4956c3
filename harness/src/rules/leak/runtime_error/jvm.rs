//! Errors of Java and Kotlin, their standard libraries and the libraries that most servers use: Jackson, Gson and
//! kotlinx.serialization; seen by running small programs (17 to 21).

use super::super::{Confidence, Language, Pattern, Place};

pub(in crate::rules::leak) static PATTERNS: &[Pattern] = &[
    Pattern {
        language: Language::Jvm,
        tells: "the name of a Java exception or class",
        regex: r"\b(?:javax?|jakarta|kotlinx?|com|org|io)(?:\.[a-z]\w*)+\.[A-Z][\w$]*(?:Exception|Error)\b|\b(?:javax?|kotlinx?)\.(?:lang|util|io|nio|net|time|sql|text|math|security|collections|coroutines)(?:\.\w+)*\.[A-Z]\w+|\bjava\.base/",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["java.nio.file.NoSuchFileException: /workspace/a", "d != java.lang.String"],
        misses: &["no such file: /workspace/a"],
    },
    Pattern {
        language: Language::Jvm,
        tells: "the name of a Java exception",
        regex: r"\b(?:[A-Z]\w*)?(?:NullPointer|IllegalArgument|IllegalState|IndexOutOfBounds|ClassCast|NumberFormat|Arithmetic|UnsupportedOperation|ConcurrentModification|NoSuchElement|NoSuchFile|AccessDenied|FileNotFound|UncheckedIO|MalformedURL|UnknownHost|SocketTimeout|InvalidPath|DateTimeParse|PatternSyntax|ArrayStore|NegativeArraySize|InputMismatch|FileSystemLoop|DirectoryNotEmpty|FileAlreadyExists|NotDirectory|IO)Exception\b",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["failed with NullPointerException"],
        misses: &["the filter 'Exception' matches no test"],
    },
    // The message of `FileNotFoundException`: path, phrase in parentheses.
    Pattern {
        language: Language::Jvm,
        tells: "the error text of Java's `FileInputStream`",
        regex: r"(?:[/\x1a.][^\n()]{0,400}|[\w.-]+) \((?:No such file or directory|Permission denied|Is a directory|Not a directory|File name too long|Too many open files|Too many levels of symbolic links|Read-only file system|No space left on device|Invalid argument|Text file busy)\)",
        place: Place::Alone,
        confidence: Confidence::High,
        hits: &["/workspace/a (No such file or directory)"],
        misses: &["could not read /workspace/a (permission denied)"],
    },
    Pattern {
        language: Language::Jvm,
        tells: "the error text of Java's bounds checks",
        regex: r"(?:begin -?\d+, end -?\d+, length \d+|Index:? -?\d+,? Size: \d+|Index -?\d+ out of bounds for length \d+|String index out of range: -?\d+|Range \[-?\d+, -?\d+\) out of bounds for length \d+|offset -?\d+, count -?\d+, length \d+|fromIndex\(-?\d+\) > toIndex\(-?\d+\)|toIndex = -?\d+)",
        place: Place::Start,
        confidence: Confidence::High,
        hits: &["begin 5, end 3, length 3", "Error: Index: 9 Size: 2", "Index 5 out of bounds for length 3"],
        misses: &["line 9 is out of bounds: the file has 2"],
    },
    Pattern {
        language: Language::Jvm,
        tells: "the error text of parsing in Java's standard library",
        regex: r#"(?:For input string: \"|No enum constant [\w.$]+|Format specifier '%|Conversion = '|Text '[^\n]{0,200}?' could not be parsed|Unparseable date: \"|Illegal character in \w+(?: \w+)? at index \d+|Malformed escape pair at index \d+|Expected (?:scheme(?:-specific part| name)?|authority|closing bracket[^\n]{0,30}) at index \d+|no protocol: |unknown protocol: |Nul character not allowed|Invalid UUID string: |UUID string too large|Input byte array has |Illegal base64 character |Last unit does not have enough valid bits|Unknown time-zone ID: |Invalid ID for [\w-]+, invalid format: |Character [^\n]{1,12} is neither a decimal digit number)"#,
        place: Place::Start,
        confidence: Confidence::High,
        hits: &[
            "For input string: \"abc\"",
            "No enum constant com.acme.mcp.Mode.q",
            "Text '2024-13-45' could not be parsed: Invalid value for MonthOfYear (valid values 1 - 12): 13",
        ],
        misses: &["'abc' is no number", "Text 'abc' was not found"],
    },
    Pattern {
        language: Language::Jvm,
        tells: "the error text of Jackson",
        regex: r#"Cannot (?:deserialize (?:value|instance) of type|construct instance of) `|\(through reference chain: |\[Source: (?:\(\w+\)|REDACTED|UNKNOWN)|Unrecognized token '[^'\n]{0,80}': was expecting|Unexpected character \('[^\n]{1,6}' \(code \d+|Unexpected end-of-input(?:: | in | within | between )|Unrecognized field \"[^\"\n]*\" \(class |Missing required creator property '"#,
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &[
            "Cannot deserialize value of type `int` from String \"abc\"",
            "Unexpected character ('x' (code 120)): was expecting a value",
        ],
        misses: &["cannot read the value of type 'int'", "Unexpected end-of-input. Expected one of: * MATCH"],
    },
    Pattern {
        language: Language::Jvm,
        tells: "the error text of Gson or kotlinx.serialization",
        regex: r"Expected BEGIN_\w+ but was |Unexpected JSON token at offset \d+|for type with serial name '|Expected start of the (?:object|array) '|Use JsonReader\.setLenient|Unterminated (?:object|array|string) at line \d+ column \d+ path \$|at path: \$[.\[\w\]]*\nJSON input: ",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &[
            "Expected BEGIN_OBJECT but was STRING at line 1 column 2 path $",
            "Field 'path' is required for type with serial name 'com.acme.ViewArgs', but it was missing",
        ],
        misses: &["an object was expected at line 1, column 2"],
    },
    Pattern {
        language: Language::Jvm,
        tells: "the error text of Java's `ProcessBuilder`",
        regex: r#"Cannot run program \"|\bProcess\[pid=\d+, exitValue="#,
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &[
            "Cannot run program \"foo\": error=2, No such file or directory",
            "Process exited: Process[pid=26, exitValue=1]",
        ],
        misses: &["could not run the program \"foo\""],
    },
    Pattern {
        language: Language::Jvm,
        tells: "a bare error text of Java's standard library",
        regex: r"(?:No value present|Stream closed|Stream Closed|Read timed out|[Cc]onnect timed out|Connection reset|Socket closed|Socket is closed|Queue full|Unexpected end of file from server|Closed by interrupt|(?:/ )by zero|BigInteger divide by zero|Division by zero|Invalid mark|Resetting to invalid mark|unable to find valid certification path to requested target|PKIX path building failed[^\n]*)",
        place: Place::Alone,
        confidence: Confidence::High,
        hits: &["No value present", "/ by zero"],
        misses: &["No value present in column 3"],
    },
    // Class and identity hash: what a class without `toString()` prints.
    Pattern {
        language: Language::Jvm,
        tells: "a `toString()` of Java's `Object`",
        regex: r"(?:\b(?:[a-z]\w*\.)*(?:[A-Z][\w$]*|\w+\$\w+)|\[L[\w.$]+;|\[[BCDFIJSZ])@[0-9a-f]{5,8}(?:[^\w.@-]|\z)",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["invalid request: E$Req@deb6432", "[B@1b6d3586"],
        misses: &["write to Admin@deadbeef.org"],
    },
    Pattern {
        language: Language::Jvm,
        tells: "the error text of Kotlin's checks for null",
        regex: r"lateinit property \w+ has not been initialized|Parameter specified as non-null is null|null cannot be cast to non-null type",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["lateinit property path has not been initialized"],
        misses: &["the property path has no value"],
    },
];
