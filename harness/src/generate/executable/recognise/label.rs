//! Whether a parameter called `code` takes what something goes by, as a voucher or a country does, and no program.
//!
//! The main function is [`is_label`].

use crate::class::Class;

/// Words, in small letters, of which one in what a tool and its parameter say makes a `code` a program.
const PROGRAMS: [&str; 40] = [
    "run",
    "runs",
    "running",
    "eval",
    "source",
    "sources",
    "program",
    "programs",
    "language",
    "languages",
    "syntax",
    "snippet",
    "snippets",
    "function",
    "functions",
    "expression",
    "expressions",
    "lines",
    "sandbox",
    "repl",
    "notebook",
    "kernel",
    "ast",
    "lint",
    "linter",
    "bug",
    "bugs",
    "html",
    "css",
    "sql",
    "json",
    "xml",
    "yaml",
    "java",
    "kotlin",
    "rust",
    "go",
    "ruby",
    "lua",
    "bash",
];
/// How such words begin.
const PROGRAM_BEGINNINGS: [&str; 20] = [
    "execut",
    "evaluat",
    "compil",
    "interpret",
    "pars",
    "format",
    "refactor",
    "analy",
    "review",
    "debug",
    "test",
    "script",
    "python",
    "javascript",
    "typescript",
    "node",
    "shell",
    "mermaid",
    "calculat",
    "comput",
];
/// What is called by a code of its own.
const LABELS: [&str; 34] = [
    "report",
    "voucher",
    "coupon",
    "promo",
    "promotion",
    "discount",
    "gift",
    "country",
    "currency",
    "region",
    "state",
    "zip",
    "postal",
    "area",
    "airport",
    "station",
    "error",
    "status",
    "exit",
    "product",
    "item",
    "order",
    "booking",
    "confirmation",
    "verification",
    "access",
    "invite",
    "invitation",
    "activation",
    "tracking",
    "stock",
    "color",
    "language",
    "locale",
];

/// Whether nobody speaks of running, evaluating or writing a program; of a tool that may change something it must besides be
/// said of what the code is one. The texts, in small letters, are what the tool and the parameter say of themselves.
pub(super) fn is_label(tool: &str, parameter: &str, class: Class) -> bool {
    let mut rest = format!("{tool} {parameter}").replace('_', " ");
    let length = rest.len();
    for label in LABELS {
        rest = rest.replace(&format!("{label} code"), "");
    }
    let is_key = ["its code", "by code", "by a code", "by the code"].iter().any(|key| rest.contains(key));
    let is_said = is_key || rest.len() < length;
    let mut words = rest.split(|letter: char| !letter.is_alphanumeric());
    let is_program = words.any(|word| {
        PROGRAMS.contains(&word) || PROGRAM_BEGINNINGS.iter().any(|begin| word.starts_with(begin))
    });
    !is_program && (is_said || class == Class::Read)
}
