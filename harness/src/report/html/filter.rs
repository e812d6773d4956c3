//! The filter for findings and cases. It is hidden until the script shows it, because it does nothing without
//! the script.

use std::fmt::Write as _;

use super::PageContent;
use super::markup::text_within;

/// Adds the form.
pub(super) fn show(page: &mut String, content: &PageContent<'_>) {
    let PageContent { report, index, .. } = content;
    if report.findings.is_empty() && report.cases.is_empty() {
        return;
    }
    page.push_str(
        "<form class=\"filter\" role=\"search\" aria-label=\"Filter\" hidden>\n<div class=\"row\">\n\
         <label class=\"grow\">Text <input type=\"search\" name=\"text\" autocomplete=\"off\" spellcheck=\"false\"></label>\n\
         <fieldset><legend class=\"vh\">Level</legend>\n",
    );
    let counts = report.summary.findings;
    for (name, count, value) in
        [("Must", counts.must, "must"), ("Should", counts.should, "should"), ("Note", counts.note, "note")]
    {
        let _ = writeln!(
            page,
            "<label class=\"level\"><input type=\"checkbox\" name=\"level\" value=\"{value}\" checked> {name} \
             <span>{count}</span></label>"
        );
    }
    page.push_str("</fieldset>\n</div>\n<div class=\"row\">\n");
    select(page, "rule", "Rule", &index.rules.list);
    select(page, "tool", "Tool", &index.tools.list);
    if !index.conditions.list.is_empty() {
        select(page, "condition", "Condition", &index.conditions.list);
    }
    page.push_str(
        "<label>State <select name=\"state\"><option value=\"\">all</option><option value=\"new\">new</option>\
         <option value=\"known\">known</option></select></label>\n",
    );
    if !report.cases.is_empty() {
        page.push_str(
            "<label>Cases <select name=\"status\"><option value=\"\">all</option><option>failed</option>\
             <option>passed</option><option>not judged</option><option>skipped</option><option>errored</option>\
             </select></label>\n",
        );
    }
    page.push_str(
        "</div>\n<div class=\"row\">\n<output aria-live=\"polite\"></output>\n\
         <button type=\"reset\">Clear</button>\n<button type=\"button\" name=\"open\">Open all</button>\n\
         <button type=\"button\" name=\"close\">Close all</button>\n<button type=\"button\" name=\"theme\">Dark or \
         light</button>\n</div>\n<details class=\"beside\">\n<summary>Keys</summary>\n<p><label><input type=\"checkbox\" \
         name=\"keys\" checked> single keys act</label></p>\n<dl class=\"words\">\n",
    );
    for (key, action) in [
        ("/", "to the text to filter by"),
        ("j", "to the next finding"),
        ("k", "to the one before"),
        ("Enter", "opens or closes it"),
        ("m", "to the matrix"),
        ("x", "clears the filter, as Escape does in its fields"),
    ] {
        let _ = writeln!(page, "<dt><kbd>{key}</kbd></dt><dd>{action}</dd>");
    }
    page.push_str("</dl>\n</details>\n</form>\n");
}

fn select(page: &mut String, name: &str, label: &str, names: &[&str]) {
    let _ = write!(page, "<label>{label} <select name=\"{name}\"><option value=\"\">all</option>");
    let mut sorted: Vec<(usize, &str)> = names.iter().copied().enumerate().collect();
    sorted.sort_unstable_by_key(|(_, name)| *name);
    for (number, name) in sorted {
        let _ = write!(page, "<option value=\"{number}\">{}</option>", text_within(name, 80));
    }
    page.push_str("</select></label>\n");
}
