//! Errors of shells and of commands that a server runs for itself, passed through: bash, dash, ripgrep; seen by running
//! them. Those of git stand in `git`.

use super::super::{Confidence, Language, Pattern, Place};

pub(in crate::rules::leak) static PATTERNS: &[Pattern] = &[
    Pattern {
        language: Language::Shell,
        tells: "the error text of a shell",
        regex: r"(?:(?:/\w+)*/)?(?:ba|da|z|k|a)?sh: (?:-c: )?(?:line \d+|\d+): [^\n]+",
        place: Place::Start,
        confidence: Confidence::High,
        hits: &["bash: line 1: foo: command not found", "/bin/sh: 1: foo: not found"],
        misses: &["bash: the command 'foo' was not found"],
    },
    Pattern {
        language: Language::Shell,
        tells: "the error text of ripgrep",
        regex: r"(?:rg|ripgrep): (?:[^\n]{1,300}: (?:No such file|Permission denied|IO error|Is a directory)|error parsing (?:flag|glob)|regex parse error|unrecognized (?:flag|file type)|error: |No files were searched)[^\n]*",
        place: Place::Start,
        confidence: Confidence::High,
        hits: &["rg: /workspace/a: No such file or directory"],
        misses: &["rg is not installed"],
    },
    Pattern {
        language: Language::Shell,
        tells: "the error text of a system command",
        regex: r"(?:cat|ls|cp|mv|rm|mkdir|rmdir|touch|chmod|head|tail|find|sed|grep|tar|curl|wget|ssh|diff|patch|awk|env|timeout|sort|wc|stat|ln|du|kill): (?:cannot |can't |unable to |\(\d+\)|[^\n:]{1,300}: (?:No such file|Permission denied|Is a directory|Not a directory|Too many levels|File name too long|Operation not permitted|No such process))[^\n]*",
        place: Place::Start,
        confidence: Confidence::Low,
        hits: &["rm: cannot remove 'a': Permission denied", "curl: (6) Could not resolve host: x"],
        misses: &["find: nothing matches 'a'"],
    },
    Pattern {
        language: Language::Shell,
        tells: "the error text of a program that the server runs",
        regex: r"(?:psql|mysql|pg_dump|docker|kubectl|npm|pip3?|uv|cargo|ssh|scp|ffmpeg|make): (?:(?i:error|fatal|err!?|warning)\b|connect|could not |cannot )[^\n]*",
        place: Place::Start,
        confidence: Confidence::Low,
        hits: &["psql: error: connection to server failed"],
        misses: &["docker: is it running?"],
    },
];
