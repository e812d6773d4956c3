//! Errors of Perl, Ruby and PHP, by their documentation and, for Perl, by running small scripts (5.36).

use super::super::{Confidence, Language, Pattern, Place};

pub(in crate::rules::leak) static PATTERNS: &[Pattern] = &[
    Pattern {
        language: Language::Perl,
        tells: "the error text of Perl",
        regex: r#"Can't (?:call method \"|locate (?:object method|\S+\.pm in @INC)|use (?:string|an undefined value) )|Use of uninitialized value|Not an? (?:HASH|ARRAY|CODE|SCALAR|GLOB) reference|Argument \"[^\"\n]*\" isn't numeric|Undefined subroutine &|Modification of a read-only value attempted|Illegal division by zero at |Deep recursion on subroutine|Odd number of elements in hash|Attempt to (?:reload|bless)"#,
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &[
            "Can't call method \"foo\" on an undefined value",
            "Argument \"a\" isn't numeric in addition (+)",
        ],
        misses: &["the argument \"a\" is no number"],
    },
    Pattern {
        language: Language::Ruby,
        tells: "the error text of Ruby",
        regex: r#"undefined (?:local variable or )?method [`'][^'\n]*' for |undefined local variable or method [`']|No such file or directory @ \w+ - |@ (?:rb_\w+|dir_\w+|apply2files|io_fread) - |wrong number of arguments \(given \d|no implicit conversion of \w+ into \w+|invalid value for (?:Integer|Float)\(\): |can't convert \w+ into \w+|\w+ can't be coerced into \w+|(?:unknown|missing) keywords?: :|uninitialized constant [A-Z]|comparison of \w+ with \w+ failed|\bErrno::E[A-Z0-9]+\b|\bnil:NilClass\b|key not found: (?::|\")|frozen \w+: |stack level too deep|undefined class/module |\b(?:NoMethod|FrozenE|ZeroDivision|LocalJump|Encoding::\w+)Error\b"#,
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &[
            "undefined method `strip' for nil:NilClass",
            "No such file or directory @ rb_sysopen - /workspace/a",
        ],
        misses: &["the method 'strip' does not exist"],
    },
    Pattern {
        language: Language::Ruby,
        tells: "an object as Ruby's `inspect` prints it",
        regex: r"#<(?:[A-Z]\w*)(?:::[A-Z]\w*)*(?::0x[0-9a-f]+| |>|:)",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["bad request #<Request:0x000078e1f2b3>", "#<Errno::ENOENT: No such file>"],
        misses: &["issue #<number>"],
    },
    Pattern {
        language: Language::Php,
        tells: "the error text of PHP",
        regex: r"Call to (?:a member function \w+\(\) on |undefined (?:function|method) )|Undefined (?:array key|index|variable|offset|property|constant)[: ]|PHP (?:Fatal error|Warning|Notice|Parse error|Deprecated): |Uncaught \w*(?:Error|Exception)\b|\w+\(\): (?:Argument #\d+ \(\$\w+\)|Failed to open stream|failed to open stream|SSL operation failed|php_network_getaddresses)|Failed to open stream: |Too few arguments to function |Trying to (?:access array offset|get property)|Unsupported operand types: \w+ |Cannot (?:use object of type|unpack array|assign null to property) |Attempt to (?:read property|assign property) |Allowed memory size of \d+ bytes exhausted|Maximum execution time of \d+ seconds? exceeded|must be of type \??\w+(?:\|\w+)*, \w+ given",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &[
            "Call to a member function trim() on null",
            "file_get_contents(/workspace/a): Failed to open stream: No such file or directory",
            "view(): Argument #1 ($path) must be of type string, null given",
        ],
        misses: &["the index 3 is undefined"],
    },
];
