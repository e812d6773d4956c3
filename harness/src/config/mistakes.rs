//! Messages about mistakes in a configuration: the place, the cause, the nearest valid word.

use std::path::Path;

use crate::roles::Role;

use super::parse;

/// Checks the message for this text.
fn check(text: &str, expected: &str) {
    let error = parse("mcp-errconf.toml", text, Path::new("")).expect_err(text);
    assert_eq!(error.to_string(), format!("mcp-errconf.toml:{expected}"));
}

#[test]
fn an_unknown_key_is_reported_with_the_nearest() {
    check("contrct = 'x'\n", "1:1: unknown key `contrct`: did you mean `contract`?");
    check("[server]\ncomand = ['x']\n", "2:1: unknown key `comand`: did you mean `command`?");
    check("[limits]\nmax_file_sise = 1\n", "2:1: unknown key `max_file_sise`: did you mean `max_file_size`?");
    check("[tools.x]\nskipp = true\n", "2:1: unknown key `skipp`: did you mean `skip`?");
    check("[roles.read]\ntool = 'x'\npth = 'y'\n", "3:1: unknown key `pth`: did you mean `path`?");
    check(
        "[roles.read]\ntool = 'x'\nparameters = { pth = 'y' }\n",
        "3:16: unknown key `pth`: did you mean `path`?",
    );
}

#[test]
fn an_unknown_name_is_reported_with_the_nearest() {
    check(
        "[levels]\n'message/vage' = 'off'\n",
        "2:1: unknown rule `message/vage`: did you mean `message/vague`?",
    );
    check("[levels]\n'x/y' = 'off'\n", "2:1: unknown rule `x/y`: `mcp-errconf list rules` lists the rules");
    check("[levels]\n'message/vague' = 'must_'\n", "2:19: unknown value `must_`: did you mean `must`?");
    check("[roles.raed]\ntool = 'x'\n", "1:8: unknown role `raed`: did you mean `read`?");
    check("[tools.x]\nclass = 'reader'\n", "2:9: unknown value `reader`: did you mean `read`?");
}

#[test]
fn a_wrong_value_is_reported_with_what_is_wanted() {
    check(
        "[server]\ncommand = []\n",
        "2:11: the command is empty: write the program and its arguments, each as its own string",
    );
    check("[server]\ncommand = 'x y'\n", "2:11: wrong type: string \"x y\", expected an array");
    check("[server]\ntimeout = 0\n", "2:11: must be a number of seconds, greater than 0 and at most 86400");
    check("[server.env]\n'A=B' = 'x'\n", "2:1: `A=B` is not a valid variable name");
    check("[roles.read]\ntol = 'x'\n", "2:1: unknown key `tol`: did you mean `tool`?");
    check("[roles.read]\npath = 'x'\n", "1:8: missing key `tool`: which tool plays the role");
    check("[roles.read]\ntool = 3\n", "2:8: the name of a tool is required here");
    check("[tools.x]\nvalid = 5\n", "2:9: wrong type: integer `5`, expected a table of arguments");
    check(
        "[limits]\nbackground_tasks = -1\n",
        "2:20: invalid value: integer `-1`, expected a whole number from 0",
    );
    check("[limits]\nmemory = 'much'\n", "2:10: wrong type: string \"much\", expected a whole number from 0");
    check("[limits]\nprocesses = -1\n", "2:13: invalid value: integer `-1`, expected a whole number from 0");
    check("[limits]\ndeny = '*.key'\n", "2:8: wrong type: string \"*.key\", expected an array");
    for share in ["1.5", "-0.1", "nan"] {
        check(
            &format!("[coverage]\ntools = {share}\n"),
            "2:9: must be a share of the tools: a number from 0 to 1, such as 0.5",
        );
    }
    check("[coverage]\ntool = 0.5\n", "2:1: unknown key `tool`: did you mean `tools`?");
    check("baseline = ''\n", "1:12: the path is empty");
}

#[test]
fn a_contract_a_code_and_a_status_are_reported_where_they_mean_nothing() {
    check("contract = ''\n", "1:12: the contract's name is empty");
    check("[codes]\n'' = 'when it is empty'\n", "2:1: a code must not be empty");
    check("[codes]\nLOST = 404\n", "2:8: wrong type: integer `404`, expected a string");
    check("[statuses]\nlost = 40\n", "2:8: 40 is not an HTTP status: use a number from 100 to 599");
    check("[statuses]\nlost = 600\n", "2:8: 600 is not an HTTP status: use a number from 100 to 599");
    check(
        "[statuses]\nlost = 70000\n",
        "2:8: invalid value: integer `70000`, expected a whole number from 0 to 65535",
    );
    check(
        "[statuses]\nlost = 'gone'\n",
        "2:8: wrong type: string \"gone\", expected a whole number from 0 to 65535",
    );
}

#[test]
fn a_status_is_given_to_a_code_of_the_contract_or_of_the_server_alone() {
    let text = "[codes]\nvanished = 'it is gone'\n[statuses]\nvanished = 410\nfile-not-fuond = 404\n";
    let config = parse("c.toml", text, Path::new("")).unwrap();
    let contract = crate::contract::load_builtin("problem-details").unwrap().unwrap();
    let error = config.check_statuses([&contract]).expect_err("one of the two is a slip");
    assert_eq!(error, "c.toml:5:1: unknown code `file-not-fuond`: did you mean `file-not-found`?");
    let right = parse("c.toml", &text.replace("fuond", "found"), Path::new("")).unwrap();
    assert_eq!(right.check_statuses([&contract]), Ok(()));
    let mut documented = contract.clone();
    right.document(&mut documented);
    assert_eq!(documented.code("vanished").and_then(|code| code.status), Some(410));
}

#[test]
fn paths_lead_from_the_files_own_folder() {
    let config = parse("a/c.toml", "baseline = 'b.toml'\n[server]\ncwd = 'd'\n", Path::new("a")).unwrap();
    assert_eq!(config.baseline.as_deref(), Some(Path::new("a/b.toml")));
    assert_eq!(config.server.cwd.as_deref(), Some(Path::new("a/d")));
}

#[test]
fn the_parameters_of_a_role_stand_in_its_table_or_below() {
    for text in ["path = 'p'", "parameters = { path = 'p' }"] {
        let config = parse("c.toml", &format!("[roles.read]\ntool = 'x'\n{text}\n"), Path::new("")).unwrap();
        assert_eq!(config.roles[&Role::Read].parameters, [("path".to_owned(), "p".to_owned())].into());
    }
}
