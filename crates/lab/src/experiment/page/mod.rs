//! The page of a run: one file of HTML that needs nothing else. It shows the question, the document's claims beside what was
//! seen, drawings, figures, what explains them, the T-SQL, and how to repeat it. The record lies in it as JSON.

pub mod bars;
pub mod html;
pub mod lines;
mod sections;

use self::html::{RECORD, embedded, escaped};
use super::read::Experiment;
use super::record::Record;
use std::fmt::Write;

const STYLE: &str = include_str!("style.css");

/// The frame of a page: head, style, and what is inside.
pub fn framed(title: &str, inside: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{inside}</body>\n</html>\n",
        escaped(title)
    )
}

/// The page of a record. Its drawings are those that the experiment's charts ask for.
pub fn page(record: &Record, experiment: &Experiment) -> String {
    let mut out = String::new();
    let about = &record.about;
    let plan = &record.plan;
    let rounds = if plan.repeat == 1 { "round" } else { "rounds" };
    let _ = write!(
        out,
        "<header>\n<p class=\"kicker\">Taffrail lab: {}</p>\n<h1>{}</h1>\n<p class=\"question\">{}</p>\n\
         <p class=\"facts\">{}. Scale {}, {} {rounds}, {}.</p>\n</header>\n<main>\n",
        escaped(&plan.experiment),
        escaped(&about.title),
        escaped(&about.question),
        escaped(&plan.server.version),
        escaped(&plan.scale),
        plan.repeat,
        escaped(&record.started.replace('T', " ").replace('Z', " UTC"))
    );
    sections::claims(record, &mut out);
    sections::doubts(record, &mut out);
    sections::done(record, &mut out);
    sections::drawings(record, experiment, &mut out);
    sections::explained(record, &mut out);
    sections::figures(record, &mut out);
    sections::machine(record, &mut out);
    sections::scripts(record, &mut out);
    sections::repeat(record, experiment, &mut out);
    let json = serde_json::to_string(record).unwrap_or_default();
    let _ = write!(
        out,
        "</main>\n<footer><p>Made by <code>taffrail lab</code> {}. SQL Server is a trademark of Microsoft.</p></footer>\n\
         {RECORD}{}</script>\n",
        escaped(&record.lab),
        embedded(&json)
    );
    framed(&format!("{}: {}", plan.experiment, about.title), &out)
}
