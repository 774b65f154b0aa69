//! The sections of a page, in order.

use super::bars::{Bar, Bars, Group, Row};
use super::html::{escaped, paragraphs};
use super::lines;
use crate::experiment::files::MAIN;
use crate::experiment::judge::{alike, number, published_in_words};
use crate::experiment::plan::NOT_ASKED_FOR;
use crate::experiment::read::Experiment;
use crate::experiment::record::{FigureTold, Record, Verdict};
use crate::experiment::spec::{Chart, ChartKind, Need, Variant};
use std::collections::BTreeSet;
use std::fmt::Write;

fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Seen => "seen",
        Verdict::NotSeen => "not-seen",
        Verdict::Undecided => "undecided",
        Verdict::LeftOut => "left-out",
    }
}

/// The document's claims, and what was seen of each.
pub fn claims(record: &Record, out: &mut String) {
    if record.claims.is_empty() {
        return;
    }
    let said = match &record.about.document {
        Some(_) => "What the document says",
        None => "Claims",
    };
    let _ =
        writeln!(out, "<section>\n<h2>{said}, and what was seen here</h2>\n<ul class=\"claims\">");
    for claim in &record.claims {
        let published = match claim.published {
            Some(p) => format!(" Published: {}.", published_in_words(p)),
            None => String::new(),
        };
        let _ = writeln!(
            out,
            "<li><span class=\"verdict {}\">{}</span><p class=\"text\">{}</p><p class=\"here\">Here: {}.{published}</p></li>",
            class(claim.verdict),
            claim.verdict.words(),
            escaped(&claim.text),
            escaped(&claim.here)
        );
    }
    out.push_str("</ul>\n");
    out.push_str(
        "<p class=\"caption\">Ratios are compared round by round; behind each stands its 95 % interval. Where that holds 1, no \
        difference was seen.</p>\n</section>\n",
    );
}

/// Doubts about the figures.
pub fn doubts(record: &Record, out: &mut String) {
    if record.noise.is_empty() {
        return;
    }
    out.push_str("<section>\n<h2>Doubts</h2>\n");
    for doubt in &record.noise {
        let _ = writeln!(out, "<p class=\"doubt\">{}</p>", escaped(doubt));
    }
    out.push_str("</section>\n");
}

/// The work, and the publication.
pub fn done(record: &Record, out: &mut String) {
    let _ = write!(out, "<section>\n<h2>What was done</h2>\n{}", paragraphs(&record.about.done));
    let values: Vec<String> = record
        .values
        .iter()
        .filter_map(|(k, v)| Some(format!("{} {}", escaped(k), number(v.parse().ok()?))))
        .collect();
    if !values.is_empty() {
        let _ = writeln!(
            out,
            "<p class=\"caption\">Sizes at the scale {}: {}.</p>",
            escaped(&record.plan.scale),
            values.join(", ")
        );
    }
    if let Some(document) = &record.about.document {
        let by: Vec<&str> = [document.author.as_str(), document.published.as_str()]
            .into_iter()
            .filter(|t| !t.is_empty())
            .collect();
        let by = if by.is_empty() { String::new() } else { format!(" ({})", by.join(", ")) };
        let on = match document.measured_on.is_empty() {
            true => String::new(),
            false => format!(" Measured on {}.", document.measured_on),
        };
        let _ = write!(
            out,
            "<h3>The document</h3>\n<p><cite>{}</cite>{}.{}</p>\n<ul>\n",
            escaped(&document.title),
            escaped(&by),
            escaped(&on)
        );
        for figure in &document.figures {
            let _ = writeln!(out, "<li>{}</li>", escaped(figure));
        }
        out.push_str("</ul>\n");
    }
    out.push_str("</section>\n");
}

/// The section of bars, and that of lines.
pub fn drawings(record: &Record, experiment: &Experiment, out: &mut String) {
    for (kind, heading) in [(ChartKind::Bars, "In pictures"), (ChartKind::Lines, "Over time")] {
        let mut drawn = String::new();
        for chart in experiment.spec.chart.iter().filter(|c| c.kind == kind) {
            let Some(inside) = drawing(record, chart) else { continue };
            let _ = writeln!(drawn, "<h3>{}</h3>", escaped(&chart.title));
            if !chart.caption.is_empty() {
                let _ = writeln!(drawn, "<p class=\"caption\">{}</p>", escaped(&chart.caption));
            }
            drawn.push_str(&inside);
        }
        if drawn.is_empty() {
            continue;
        }
        let note = match kind {
            ChartKind::Bars => {
                "A filled bar is the median of all rounds, the line across its end reaches from the lowest to the highest."
            }
            ChartKind::Lines => {
                "From the round with the median duration. All panels of a picture have the same axes; a short stroke ends the \
                curve of a shorter run."
            }
        };
        let _ = write!(
            out,
            "<section>\n<h2>{heading}</h2>\n<p class=\"caption\">{note}</p>\n{drawn}</section>\n"
        );
    }
}

fn drawing(record: &Record, chart: &Chart) -> Option<String> {
    let named: Vec<&str> = chart.variants.iter().map(|v| v.get_ref().as_str()).collect();
    let all: Vec<&str> = record.variants.iter().map(|v| v.name.as_str()).collect();
    let variants = if named.is_empty() { all } else { named };
    match chart.kind {
        ChartKind::Bars => bars(record, chart, &variants).map(|b| b.html()),
        ChartKind::Lines => {
            let mark = chart.mark.as_ref().map(|m| m.get_ref().as_str());
            let measure = chart.measures.first()?.get_ref();
            lines::lines(record, measure, &variants, chart.figure.get_ref(), mark)
        }
    }
}

/// The bars of a chart: for each measure and variant the published value and the measured one.
fn bars(record: &Record, chart: &Chart, variants: &[&str]) -> Option<Bars> {
    let figure = chart.figure.get_ref();
    let mut unit = chart.unit.clone();
    let mut groups = Vec::new();
    for measure in &chart.measures {
        let measure = measure.get_ref();
        let base = chart.relative_to.as_ref().map(|v| v.get_ref().as_str());
        let published = |variant: &str| {
            let value = |name: &str| {
                chart
                    .published
                    .iter()
                    .find(|p| p.measure.get_ref() == measure && p.variant.get_ref() == name)
                    .map(|p| p.value)
            };
            let by = base.map_or(Some(chart.published_per.unwrap_or(1.0)), &value)?;
            Some(value(variant)? / by * chart.times.unwrap_or(1.0))
        };
        let by = match (&chart.per, base) {
            (_, Some(base)) => match record.figure(base, measure, figure) {
                Some(told) if told.spread.median > 0.0 => told.spread.median,
                _ => continue,
            },
            (Some(per), _) => record.values.get(per.get_ref())?.parse::<f64>().ok()?,
            _ => 1.0,
        } / chart.times.unwrap_or(1.0);
        let mut rows = Vec::new();
        for variant in record.variants.iter().filter(|v| variants.contains(&v.name.as_str())) {
            let told = record.figure(&variant.name, measure, figure);
            let mut bars = Vec::new();
            // A published value stands beside one that was measured, not alone.
            if let (Some(_), Some(value)) = (told, published(&variant.name)) {
                bars.push(Bar { series: 0, value, ends: None, figure: None });
            }
            if let Some(told) = told {
                unit.get_or_insert_with(|| told.unit.clone());
                bars.push(Bar {
                    series: 1,
                    value: told.spread.median / by,
                    ends: Some([told.spread.low / by, told.spread.high / by]),
                    figure: (by == 1.0).then(|| id(told)),
                });
            }
            if !bars.is_empty() {
                rows.push(Row { label: variant.label.clone(), bars });
            }
        }
        if !rows.is_empty() {
            let label = match chart.measures.len() {
                1 => String::new(),
                _ => measure_label(record, measure),
            };
            groups.push(Group { label, rows });
        }
    }
    if groups.is_empty() {
        return None;
    }
    if chart.relative_to.is_some() {
        unit = Some("×".into());
    }
    let series = ["published".into(), "here".into()];
    Some(Bars { series, unit: unit.unwrap_or_default(), groups })
}

/// A figure's name in the page: `variant/measure/figure`.
fn id(told: &FigureTold) -> String {
    format!("{}/{}/{}", told.variant, told.measure, told.figure)
}

fn measure_label(record: &Record, name: &str) -> String {
    let told = record.measures.iter().find(|m| m.name == name);
    told.map_or_else(|| name.to_owned(), |m| m.label.clone())
}

/// The mechanism, and the waits.
pub fn explained(record: &Record, out: &mut String) {
    let _ = write!(out, "<section>\n<h2>What explains it</h2>\n{}", paragraphs(&record.about.why));
    let mut rows = String::new();
    for series in record.series.iter().filter(|s| !s.waits.is_empty()) {
        let waits: Vec<String> = series
            .waits
            .iter()
            .take(3)
            .map(|w| format!("{} {} ms", escaped(&w.wait_type), number(w.ms)))
            .collect();
        let label = record.variants.iter().find(|v| v.name == series.variant);
        let _ = writeln!(
            rows,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>",
            escaped(&measure_label(record, &series.measure)),
            escaped(label.map_or(&series.variant, |v| &v.label)),
            waits.join(", ")
        );
    }
    if !rows.is_empty() {
        let _ = write!(
            out,
            "<details><summary>The longest waits</summary><div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"The \
            longest waits\">\
             <table class=\"waits\"><thead><tr><th scope=\"col\">measure</th><th scope=\"col\">variant</th>\
             <th scope=\"col\">waits of all sessions</th></tr></thead>\n<tbody>\n{rows}</tbody></table></div></details>\n"
        );
    }
    flushes(record, out);
    out.push_str("</section>\n");
}

/// Writes of the log by what caused them, where the server says that.
fn flushes(record: &Record, out: &mut String) {
    let mut rows = String::new();
    for series in &record.series {
        let label = record.variants.iter().find(|v| v.name == series.variant);
        for flush in &series.flushes {
            let _ = writeln!(
                rows,
                "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                escaped(&measure_label(record, &series.measure)),
                escaped(label.map_or(&series.variant, |v| &v.label)),
                escaped(&flush.cause),
                number(flush.writes),
                number(flush.kb),
                number(flush.commits),
                number(flush.us)
            );
        }
    }
    if rows.is_empty() {
        return;
    }
    let heads = ["measure", "variant", "cause", "writes", "KB each", "commits each", "µs each"];
    let heads: String = heads.map(|head| format!("<th scope=\"col\">{head}</th>")).concat();
    let _ = write!(
        out,
        "<details><summary>Writes of the log, by cause</summary>\
         <p class=\"caption\">From taffrail.flush_history, the last 8,192 writes of the server.</p>\
         <div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Writes of the log, by cause\">\
         <table class=\"waits\"><thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody></table></div></details>\n"
    );
}

/// Every figure, a table for each measure.
pub fn figures(record: &Record, out: &mut String) {
    out.push_str(
        "<section>\n<h2>All figures</h2>\n<p class=\"caption\">\
    The median of all rounds; below it the lowest and the highest, where they differ.</p>\n",
    );
    for measure in &record.measures {
        if let Some(why) = &measure.left_out {
            let _ = writeln!(
                out,
                "<p class=\"caption\">Left out: {}: {}.</p>",
                escaped(&measure.label),
                escaped(why)
            );
            continue;
        }
        let makes = |variant: &str| {
            record.figures.iter().any(|f| f.measure == measure.name && f.variant == variant)
        };
        let variants: Vec<_> = record.run_variants().filter(|v| makes(&v.name)).collect();
        let of = |f: &&FigureTold| f.measure == measure.name;
        let mut seen = BTreeSet::new();
        let names: Vec<&FigureTold> =
            record.figures.iter().filter(of).filter(|f| seen.insert(&f.figure)).collect();
        let label = escaped(&measure.label);
        let open = if record.measures.len() == 1 { " open" } else { "" };
        let _ = write!(
            out,
            "<details{open}><summary>{label}</summary>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" \
            aria-label=\"{label}\">\n<table><thead><tr><th scope=\"col\">figure</th>"
        );
        for variant in &variants {
            let _ = write!(out, "<th scope=\"col\">{}</th>", escaped(&variant.label));
        }
        out.push_str("</tr></thead>\n<tbody>\n");
        for name in names {
            let unit = match name.unit.is_empty() {
                true => String::new(),
                false => format!(", {}", name.unit),
            };
            let _ = write!(
                out,
                "<tr><th scope=\"row\">{}{}</th>",
                escaped(&name.label),
                escaped(&unit)
            );
            for variant in &variants {
                match record.figure(&variant.name, &measure.name, &name.figure) {
                    Some(told) => cell(told, out),
                    None => out.push_str("<td></td>"),
                }
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody></table></div></details>\n");
    }
    out.push_str("</section>\n");
}

fn cell(told: &FigureTold, out: &mut String) {
    let s = told.spread;
    let [low, high] = [number(s.low), number(s.high)];
    let range = match alike(s.low, s.high) {
        true => String::new(),
        false => format!("<span class=\"range\">{low} to {high}</span>"),
    };
    let _ = write!(
        out,
        "<td><data value=\"{}\" data-figure=\"{}\">{}</data>{range}</td>",
        s.median,
        escaped(&id(told)),
        number(s.median)
    );
}

/// Server, device, and what was left out.
pub fn machine(record: &Record, out: &mut String) {
    let server = &record.plan.server;
    out.push_str("<section>\n<h2>Server and machine</h2>\n<dl>\n");
    let mut row = |name: &str, value: &str| {
        let _ = writeln!(out, "<dt>{}</dt><dd>{}</dd>", escaped(name), escaped(value));
    };
    row("server", &server.version);
    row(
        "started by",
        if server.own { "the lab, with its defaults, on this machine" } else { "somebody else" },
    );
    if server.processors > 0 {
        row("processors", &server.processors.to_string());
        row("memory", &format!("{} MB", number(server.memory_mb as f64)));
    }
    if !server.machine.is_empty() {
        row("machine", &server.machine);
    }
    if let Some(device) = &record.device {
        for (when, d) in ["device before", "device after"].iter().zip(device) {
            let text = format!(
                "{} durable writes of 4 KB a second one after another ({} µs, 99 % within {} µs), {} from four threads",
                number(d.writes_per_s),
                number(d.p50_us),
                number(d.p99_us),
                number(d.four_per_s)
            );
            row(when, &text);
        }
    }
    for variant in record.variants.iter().filter(|v| v.left_out.is_some()) {
        let why = variant.left_out.as_deref().unwrap_or_default();
        row("not run", &format!("{}: {why}", variant.name));
    }
    for left in &record.left_out {
        row("not shown by the server", &format!("{}: {}", left.what, left.why));
    }
    out.push_str("</dl>\n");
    if server.product == "SQL Server" {
        out.push_str(
            "<p class=\"caption\">How the lab reads SQL Server's views follows its documentation; \
            no real SQL Server has confirmed it yet.</p>\n",
        );
    }
    out.push_str("</section>\n");
}

/// The files of the experiment.
pub fn scripts(record: &Record, out: &mut String) {
    out.push_str("<section>\n<h2>The T-SQL</h2>\n<p class=\"caption\">\
    $(names) stand for the sizes above and the values of each variant, which the last file has.</p>\n");
    let main = record.plan.files.iter().filter(|(file, _)| *file == MAIN);
    let others = record.plan.files.iter().filter(|(file, _)| *file != MAIN);
    for (file, text) in others.chain(main) {
        let _ = writeln!(
            out,
            "<details class=\"script\"><summary>{0}</summary><pre tabindex=\"0\" aria-label=\"{0}\">{1}</pre></details>",
            escaped(file),
            escaped(text.trim_end())
        );
    }
    out.push_str("</section>\n");
}

/// The commands that repeat it.
pub fn repeat(record: &Record, experiment: &Experiment, out: &mut String) {
    let plan = &record.plan;
    let all = &experiment.spec.variant;
    let ran = |v: &&Variant| plan.variants.contains(v.name.get_ref());
    let peers = if all.iter().filter(ran).any(|v| v.peer.is_some()) { " --peers" } else { "" };
    let own = |v: &Variant| v.peer.is_some() || v.needs.contains(&Need::OwnServer);
    let only: String =
        match record.variants.iter().any(|v| v.left_out.as_deref() == Some(NOT_ASKED_FOR)) {
            true => plan.variants.iter().map(|v| format!(" --only {v}")).collect(),
            false => String::new(),
        };
    let command = format!(
        "taffrail lab run {} --scale {} --repeat {}{only}{peers}",
        plan.experiment, plan.scale, plan.repeat
    );
    let command = escaped(&command);
    let elsewhere = match all.iter().all(own) || !peers.is_empty() {
        true => String::new(),
        false => format!("\n{command} -S host,port -U sa    # on a server of yours"),
    };
    let _ = write!(
        out,
        "<section>\n<h2>Repeat it</h2>\n<pre tabindex=\"0\" aria-label=\"Commands\">\
        {command}{elsewhere}</pre>\n\
         <p>The lab makes databases whose names begin with TaffrailLab_, and drops them.</p>\n</section>\n"
    );
}
