//! Errors of Go's standard library, seen by running small Go programs (1.19 to 1.22) and in the replies of public
//! servers built on go-sdk and mcp-go.

use crate::finding::Level;

use super::super::{Pattern, Place};

pub(super) static PATTERNS: &[Pattern] = &[
    // `os.PathError`, `os.LinkError`, `os.SyscallError` and `net.OpError`: operation, path, phrase.
    Pattern {
        tells: "the error text of Go's `os` and `net` packages",
        regex: r"(?:open|stat|lstat|read|write|mkdir|mkdirall|remove|rename|readlink|chdir|chmod|chown|unlink|unlinkat|rmdir|symlink|link|truncate|fork/exec|readdirent|fdopendir|openat|opendir|dial \w+|listen \w+) [^\s:]\S*(?: \S+)?: (?:\w+: )?(?:no such file or directory|permission denied|not a directory|is a directory|file exists|too many levels of symbolic links|too many links|file name too long|invalid argument|directory not empty|read-only file system|no space left on device|too many open files|device or resource busy|input/output error|connection refused|operation not permitted|bad file descriptor|cross-device link|invalid cross-device link|argument list too long|resource temporarily unavailable|no such host|i/o timeout|file already closed|exec format error)",
        place: Place::Start,
        level: None,
        hit: "open /workspace/missing.txt: no such file or directory",
        miss: "could not open /workspace/missing.txt: no such file or directory",
    },
    // A wrapped `os.PathError` behind a proper sentence says operation and path twice; it tells no more than that.
    Pattern {
        tells: "operation and path a second time, from Go's `os.PathError`",
        regex: r": (?:open|stat|read|write|mkdir|remove|rename|chdir) [^\n:]+: (?:no such file or directory|permission denied|not a directory|is a directory|file exists|too many levels of symbolic links|file name too long|invalid argument|directory not empty|read-only file system|no space left on device|too many open files)",
        place: Place::Anywhere,
        level: Some(Level::Note),
        hit: "could not open a.txt: open a.txt: permission denied",
        miss: "could not open a.txt: permission denied",
    },
    Pattern {
        tells: "the name of a system call or of a function inside Go's standard library",
        regex: r"\b(?:lstat |fork/exec\b|pipe2\b|EvalSymlinks\b|readdirent\b|fdopendir\b|openat\b|unlinkat\b|getdents64?\b|execve\b|epoll_(?:create1?|ctl|wait)\b|inotify_(?:init1?|add_watch)\b)",
        place: Place::Anywhere,
        level: None,
        hit: "path not allowed: lstat /workspace/a: invalid argument",
        miss: "path not allowed: /workspace/a",
    },
    Pattern {
        tells: "the error text of Go's `strconv` package",
        regex: r"\bstrconv\.\w+: parsing ",
        place: Place::Anywhere,
        level: None,
        hit: "failed: strconv.ParseInt: parsing \"300\": value out of range",
        miss: "'limit' must be a whole number, got \"300\"",
    },
    Pattern {
        tells: "the error text of Go's `encoding/json` package",
        regex: r"\bjson: (?:cannot unmarshal|unknown field|unsupported (?:type|value)|invalid use of|Unmarshal\()",
        place: Place::Anywhere,
        level: None,
        hit: "invalid input: json: cannot unmarshal number into Go struct field TaskParams.name of type string",
        miss: "The JSON in 'payload' is not valid: a value is expected at line 2, column 1",
    },
    Pattern {
        tells: "the error text of Go's `encoding/json` package",
        regex: r"(?:unexpected end of JSON input|invalid character '[^\n]{1,8}' (?:looking for|after|in|at))",
        place: Place::Start,
        level: None,
        hit: "invalid parameters: unexpected end of JSON input",
        miss: "'payload' is not valid JSON: it ends too early",
    },
    Pattern {
        tells: "the error text of Go's `os/exec` package",
        regex: r"exec: (?:[^\n]*executable file not found in |already started|not started|Stdout already set|WaitDelay)",
        place: Place::Anywhere,
        level: None,
        hit: "exec: \"foo\": executable file not found in $PATH",
        miss: "could not run 'foo': there is no such command",
    },
    Pattern {
        tells: "the error text of Go's `context` package",
        regex: r"context (?:deadline exceeded|canceled)",
        place: Place::Start,
        level: None,
        hit: "Error executing tool bash: context deadline exceeded",
        miss: "the command ran longer than 10 s and was ended",
    },
    Pattern {
        tells: "the error text of a package of Go's standard library",
        regex: r#"(?:sql: (?:no rows|unknown driver|database is closed|Scan error|expected \d|converting|transaction has|statement is closed|connection is)|bufio\.Scanner: |template: [\w.-]+:\d|zip: not a valid|gzip: invalid (?:header|checksum)|(?:archive/)?tar: (?:invalid tar|missed writing|header field|write too long)|time: (?:invalid (?:duration|location|syntax)|missing unit in duration|unknown (?:unit|time zone))|x509: (?:certificate|cannot|failed|unknown|malformed|unsupported)|tls: (?:failed|handshake|bad|first|internal|unknown|no |server|client|received|protocol|unsupported)|http2?: (?:request|server|no |nil|named|superfluous|Handler|invalid|client|wrong|TLS|stream|connection|timeout)|net/http: |(?:encoding/)?hex: (?:odd length|invalid byte|dumper)|illegal base64 data at|parse "?[^\s:"]+"?: (?:invalid|missing|first path|net/url)|gob: (?:type|decoding|unknown|duplicate|bad)|asn1: (?:structure|syntax)|flate: (?:corrupt|read|write)|bytes\.\w+: |mime: (?:no media|invalid media|duplicate|unexpected)|netip\.\w+)"#,
        place: Place::Start,
        level: None,
        hit: "view: bufio.Scanner: token too long",
        miss: "time: invalid value; path is required",
    },
    // `status.Error` of grpc-go, and the same of other languages.
    Pattern {
        tells: "the error text of a gRPC library",
        regex: r"\brpc error: code = \w+ desc = ",
        place: Place::Anywhere,
        level: None,
        hit: "rpc error: code = Internal desc = /workspace/a: is a directory",
        miss: "the remote call failed: /workspace/a is a directory",
    },
    Pattern {
        tells: "a bare error text of Go's standard library",
        regex: r"(?:EOF|unexpected EOF|signal: \w+|syntax error in pattern|invalid syntax|value out of range|no such host|exit status \d+|use of closed network connection|dial (?:tcp|udp|unix)\b[^\n]*)",
        place: Place::Alone,
        level: None,
        hit: "unexpected EOF",
        miss: "the file ends within line 3",
    },
    Pattern {
        tells: "a type of the Go program",
        regex: r"\bGo (?:struct field|value of type) ",
        place: Place::Anywhere,
        level: None,
        hit: "cannot unmarshal string into Go value of type main.cfg",
        miss: "'cfg' must be an object",
    },
];
