//! Errors of databases and their drivers: SQLite, PostgreSQL, MySQL, Oracle, MongoDB, Redis; by their documentation and, for
//! SQLite, by running it. What SQL says of the caller's own statement (`near "x": syntax error`) is no leak.

use super::super::{Confidence, Language, Pattern, Place};

pub(in crate::rules::leak) static PATTERNS: &[Pattern] = &[
    Pattern {
        language: Language::Database,
        tells: "an error code of SQLite",
        regex: r"\bSQLITE_[A-Z]{3,}(?:_[A-Z]+)*\b|\bsqlite3?\.\w*(?:Error|Exception|Warning)\b|\bSQL logic error\b|\bsqlite3?_\w+\(",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &[
            "SQLITE_CANTOPEN: unable to open database file",
            "sqlite3.OperationalError: no such table: x",
        ],
        misses: &["no such table: x"],
    },
    Pattern {
        language: Language::Database,
        tells: "the error text of a driver of PostgreSQL",
        regex: r"\(SQLSTATE \w{5}\)|\bSQLSTATE\[\w{5}\]|\bSQLSTATE: \w{5}\b|\bpq: |\bpsycopg2?\.|\basyncpg\.|\bPG::[A-Z]\w+|org\.postgresql|\bpgx: |pgconn\.|\n(?:LINE \d+: [^\n]*\n[^\n]*\^\n?)?(?:DETAIL|HINT):  |ERROR:  [a-z][^\n]*|FATAL:  \w",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["pq: relation \"items\" does not exist", "ERROR:  relation \"items\" does not exist"],
        misses: &["the relation \"items\" does not exist", "ERROR: relation is missing"],
    },
    Pattern {
        language: Language::Database,
        tells: "the error text of a driver of MySQL",
        regex: r#"\b(?:Error|ERROR) \d{4} \(\w{5}\)|\(\d{4}, [\"']|\bER_[A-Z]+(?:_[A-Z]+)+\b|You have an error in your SQL syntax; check the manual|\bmysql\.connector\b|\bpymysql\."#,
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["Error 1146 (42S02): Table 'app.items' doesn't exist"],
        misses: &["Error 1146 in table 'items'"],
    },
    Pattern {
        language: Language::Database,
        tells: "the error text of a database",
        regex: r"\bORA-\d{5}\b|\bE11000 duplicate key error|\bMongo(?:Server|Network|Parse)?Error\b|\bWRONGTYPE Operation against a key|\bMSG \d+, Level \d+, State \d+|\bError code \d+\. DB::Exception|\bCode: \d+\. DB::Exception|\berror returned from database: |\bsqlalche\.me/|\n\[SQL: |Background on this error at: ",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &[
            "ORA-00942: table or view does not exist",
            "error returned from database: (code: 1) no such table: items",
        ],
        misses: &["the table or view does not exist"],
    },
    Pattern {
        language: Language::Database,
        tells: "the bare error text of SQLite",
        regex: r"(?:unable to open database file|database is locked|database disk image is malformed|file is not a database|attempt to write a readonly database|disk I/O error|cannot start a transaction within a transaction|bind or column index out of range|database table is locked|Incorrect number of bindings supplied[^\n]*|You can only execute one statement at a time|Cannot operate on a closed (?:database|cursor))",
        place: Place::Start,
        confidence: Confidence::High,
        hits: &["Database error: unable to open database file"],
        misses: &["the database of this project is locked by another task"],
    },
];
