//! The html report: a self-contained file that can be read without scripts.
//!
//! The main type is [`Html`]. A server's words are always text in it, never markup. Its content policy allows
//! only the script and the style sheet that it contains, by their hashes, and forbids loading anything. Each
//! file of this folder shows one part of the page; `page.css` and `page.js` are its style sheet and its script.

use std::fmt::Write as _;
use std::io::{self, Write};

use crate::conclusion::Conclusion;
use crate::escape;
use crate::event::{Event, Reporter};
use crate::judge::{Report, Strictness};

use super::human::Promises;
use super::{ReportFormat, ReportSettings, account};

mod campaign_chart;
mod cases;
mod diff;
mod filter;
mod finding;
mod head;
mod index;
mod markup;
mod matrix;
mod opening;
mod prose;
mod rule;
mod tools;

use campaign_chart::CampaignChart;
use index::Index;
use markup::text;

/// The format of this module.
pub static FORMAT: ReportFormat = ReportFormat {
    name: "html",
    summary: "a single page for a browser",
    open: |out, settings| Box::new(Html::new(out, settings)),
};

/// Writes the page at the end of the run.
#[derive(Debug)]
pub struct Html<W> {
    out: W,
    promises: Promises,
    strictness: Strictness,
    course: CampaignChart,
    notices: String,
}

/// The data that the parts of the page are made from.
struct PageContent<'a> {
    report: &'a Report,
    conclusion: &'a Conclusion,
    promises: &'a Promises,
    strictness: Strictness,
    index: Index<'a>,
}

impl<W: Write> Html<W> {
    /// A reporter that writes to `out`.
    pub fn new(out: W, settings: &ReportSettings) -> Self {
        let (promises, strictness) = (settings.promises.clone(), settings.strictness);
        Self { out, promises, strictness, course: CampaignChart::default(), notices: String::new() }
    }
}

impl<W: Write> Reporter for Html<W> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            progress!() => Ok(()),
            Event::Pace(pace) => {
                self.course.add(pace);
                Ok(())
            }
            Event::Stale(entries) => {
                list(&mut self.notices, account::STALE, &account::stale(entries));
                Ok(())
            }
            Event::SnapshotsGone(snapshots) => {
                list(&mut self.notices, account::GONE, &account::gone(snapshots));
                Ok(())
            }
            Event::Judged { report, conclusion } => {
                let page = self.page(report, conclusion);
                self.out.write_all(page.as_bytes())?;
                self.out.flush()
            }
        }
    }
}

impl<W> Html<W> {
    fn page(&self, report: &Report, conclusion: &Conclusion) -> String {
        let content = PageContent {
            report,
            conclusion,
            promises: &self.promises,
            strictness: self.strictness,
            index: Index::new(report),
        };
        let mut page = String::new();
        head::show(&mut page, &content);
        opening::show(&mut page, &content);
        self.course.show(&mut page, report.findings.len());
        matrix::show(&mut page, &content);
        page.push_str(
            "<section aria-labelledby=\"findings\">\n<h2 id=\"findings\" tabindex=\"-1\">Findings</h2>\n",
        );
        filter::show(&mut page, &content);
        finding::show(&mut page, &content);
        page.push_str("</section>\n");
        tools::show(&mut page, &content);
        cases::show(&mut page, &content);
        page.push_str(&self.notices);
        rule::show(&mut page, &content);
        head::close(&mut page, report);
        escape::no_workflow_command(&page)
    }
}

fn list(page: &mut String, title: &str, lines: &[String]) {
    let _ = writeln!(page, "<section>\n<h2>{title}</h2>\n<ul>");
    for line in lines {
        let _ = writeln!(page, "<li><code>{}</code></li>", text(line));
    }
    page.push_str("</ul>\n</section>\n");
}
