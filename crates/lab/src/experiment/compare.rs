//! Two runs of one experiment side by side: two machines, versions, settings or servers.

use super::judge::{alike, number};
use super::page::bars::{Bar, Bars, Group, Row};
use super::page::framed;
use super::page::html::escaped;
use super::record::{FigureTold, Record};
use super::statistics::{Spread, unpaired};
use super::stop::Stop;
use super::table::aligned;
use std::fmt::Write;

/// Two records that can be compared.
pub struct Compared<'a> {
    a: &'a Record,
    b: &'a Record,
    names: [String; 2],
    /// A figure of both, and B : A with its interval.
    rows: Vec<(&'a FigureTold, &'a FigureTold, Option<Spread>)>,
}

/// Figures that are compared: durations and rates, and the numbers that explain them.
const FIGURES: &[&str] = &[
    "seconds",
    "commits_per_s",
    "p99_ms",
    "max_ms",
    "log_flushes",
    "log_kb_per_write",
    "data_mb_per_s",
    "data_kb_per_write",
    "gather_ms",
    "vlfs",
    "lost",
];

impl<'a> Compared<'a> {
    /// Of two records; an error where they are not of one experiment and scale.
    pub fn of(a: &'a Record, b: &'a Record, names: [String; 2]) -> Result<Compared<'a>, Stop> {
        let kind = |r: &Record| format!("{} at the scale {}", r.plan.experiment, r.plan.scale);
        if kind(a) != kind(b) {
            let [a_name, b_name] = &names;
            return Err(Stop::Failed(format!(
                "{a_name} is {}, {b_name} is {}: only runs of one experiment and scale are compared",
                kind(a),
                kind(b)
            )));
        }
        let mut rows = Vec::new();
        for x in a.figures.iter().filter(|f| FIGURES.contains(&f.figure.as_str())) {
            if let Some(y) = b.figure(&x.variant, &x.measure, &x.figure) {
                rows.push((x, y, unpaired(&y.values, &x.values)));
            }
        }
        if rows.is_empty() {
            return Err(Stop::Failed("the two runs have no figure in common".into()));
        }
        Ok(Compared { a, b, names, rows })
    }

    fn label(&self, variant: &str) -> String {
        let told = self.a.variants.iter().find(|v| v.name == variant);
        told.map_or_else(|| variant.to_owned(), |v| v.label.clone())
    }

    fn measure(&self, name: &str) -> String {
        let told = self.a.measures.iter().find(|m| m.name == name);
        told.map_or_else(|| name.to_owned(), |m| m.label.clone())
    }

    /// The lines of a table.
    pub fn table(&self) -> Vec<String> {
        let mut lines =
            vec![String::new(), format!("{}: {}", self.a.plan.experiment, self.a.about.title)];
        for (letter, record, name) in [("A", self.a, &self.names[0]), ("B", self.b, &self.names[1])]
        {
            lines.push(format!(
                "  {letter}  {name}: {}, {}",
                record.plan.server.version, record.plan.server.machine
            ));
        }
        lines.push(String::new());
        let head = ["measure", "variant", "figure", "A", "B", "B : A"].map(str::to_owned).to_vec();
        let mut cells = vec![head];
        for (x, y, ratio) in &self.rows {
            cells.push(vec![
                self.measure(&x.measure),
                self.label(&x.variant),
                if x.unit.is_empty() {
                    x.label.clone()
                } else {
                    format!("{}, {}", x.label, x.unit)
                },
                number(x.spread.median),
                number(y.spread.median),
                said(*ratio),
            ]);
        }
        lines.extend(aligned(&cells));
        lines
    }

    /// The page as HTML, whole.
    pub fn page(&self) -> String {
        let mut out = String::new();
        let [a, b] = &self.names;
        let _ = write!(
            out,
            "<header>\n<p class=\"kicker\">Taffrail lab: two runs of {}</p>\n<h1>{}</h1>\n<p class=\"question\">{}</p>\
            \n</header>\n<main>\n<section>\n<h2>The runs</h2>\n<dl>\n",
            escaped(&self.a.plan.experiment),
            escaped(&self.a.about.title),
            escaped(&self.a.about.question)
        );
        for (name, record) in [(a, self.a), (b, self.b)] {
            let server = &record.plan.server;
            let device = record
                .device
                .map(|[d, _]| format!(", {} durable writes a second", number(d.writes_per_s)));
            let _ = writeln!(
                out,
                "<dt>{}</dt><dd>{}, {} processors, {}{}; {} rounds, {}</dd>",
                escaped(name),
                escaped(&server.version),
                server.processors,
                escaped(&server.machine),
                device.unwrap_or_default(),
                record.plan.repeat,
                escaped(&record.started)
            );
        }
        out.push_str("</dl>\n</section>\n<section>\n<h2>Figures</h2>\n");
        self.drawings(&mut out);
        out.push_str("</section>\n");
        self.ratios(&mut out);
        out.push_str("</main>\n");
        framed(&format!("{}: {a} and {b}", self.a.plan.experiment), &out)
    }

    fn drawings(&self, out: &mut String) {
        for figure in FIGURES {
            let of: Vec<_> = self.rows.iter().filter(|(x, ..)| x.figure == *figure).collect();
            let Some((first, ..)) = of.first() else { continue };
            let mut groups: Vec<Group> = Vec::new();
            for (x, y, _) in &of {
                let label = self.measure(&x.measure);
                if groups.last().is_none_or(|g| g.label != label) {
                    groups.push(Group { label, rows: Vec::new() });
                }
                let bar = |series: usize, told: &FigureTold| Bar {
                    series,
                    value: told.spread.median,
                    ends: Some([told.spread.low, told.spread.high]),
                    figure: None,
                };
                if let Some(group) = groups.last_mut() {
                    group.rows.push(Row {
                        label: self.label(&x.variant),
                        bars: vec![bar(0, x), bar(1, y)],
                    });
                }
            }
            let bars = Bars { series: self.names.clone(), unit: first.unit.clone(), groups };
            let _ = write!(out, "<h3>{}</h3>\n{}", escaped(&first.label), bars.html());
        }
    }

    fn ratios(&self, out: &mut String) {
        out.push_str(
            "<section>\n<h2>Ratios</h2>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Ratios\">\n<table><thead><tr>",
        );
        let [a, b] = self.names.each_ref().map(|n| escaped(n));
        for head in ["measure", "variant", "figure", &a, &b, "second : first"] {
            let _ = write!(out, "<th scope=\"col\">{head}</th>");
        }
        out.push_str("</tr></thead>\n<tbody>\n");
        for (x, y, ratio) in &self.rows {
            let _ = writeln!(
                out,
                "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                escaped(&self.measure(&x.measure)),
                escaped(&self.label(&x.variant)),
                escaped(&x.label),
                number(x.spread.median),
                number(y.spread.median),
                escaped(&said(*ratio))
            );
        }
        out.push_str("</tbody></table></div>\n</section>\n");
    }
}

/// A ratio in words.
fn said(ratio: Option<Spread>) -> String {
    match ratio {
        None => "-".into(),
        Some(s) if s.low <= 1.0 && s.high >= 1.0 && !alike(s.low, s.high) => {
            format!("no difference seen ({} to {})", number(s.low), number(s.high))
        }
        Some(s) if alike(s.low, s.high) => number(s.median),
        Some(s) => format!("{} ({} to {})", number(s.median), number(s.low), number(s.high)),
    }
}
