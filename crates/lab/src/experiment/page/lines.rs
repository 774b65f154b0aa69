//! A channel over time: a panel for each variant, all of them with the same axes.

use super::bars::round_up;
use super::html::escaped;
use crate::experiment::figures::{CHANNELS, Channel, Drawn, KB, MB, drawable};
use crate::experiment::judge::{number, unit_behind};
use crate::experiment::record::{Record, Series};
use std::fmt::Write;

/// Width and height of a panel's drawing, in its own units; the page stretches it.
const SIZE: [f64; 2] = [600.0, 150.0];

/// The curve of one variant.
struct Panel {
    label: String,
    /// From, to (ms) and value.
    steps: Vec<[f64; 3]>,
    /// Marked times: from, to (ms).
    marks: Vec<[f64; 2]>,
}

/// The form of the curve.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A level from look to look.
    Steps,
    /// A stick for each value.
    Sticks,
}

/// Panels of a channel for variants of a measure; nothing where the server does not show it.
pub fn lines(
    record: &Record,
    measure: &str,
    variants: &[&str],
    figure: &str,
    mark: Option<&str>,
) -> Option<String> {
    let channel = drawable(figure)?;
    let form = if figure == "latency" { Form::Sticks } else { Form::Steps };
    let mut panels = Vec::new();
    for variant in record.run_variants().filter(|v| variants.contains(&v.name.as_str())) {
        let Some(series) = record.series(&variant.name, measure) else { continue };
        let steps = match form {
            Form::Sticks => {
                series.latency.iter().map(|[t, longest, _]| [*t, *t, *longest]).collect()
            }
            Form::Steps => steps(record, series, channel)?,
        };
        let marks = mark.and_then(drawable).and_then(|m| Drawn::Rate.eq(&m.drawn).then_some(m));
        let marks = marks.and_then(|m| steps_of_growth(record, series, m)).unwrap_or_default();
        panels.push(Panel { label: variant.label.clone(), steps, marks });
    }
    if panels.is_empty() {
        return None;
    }
    let unit = if channel.unit.starts_with('B') {
        channel.unit.replacen('B', "MB", 1)
    } else {
        channel.unit.to_owned()
    };
    let all = || panels.iter().flat_map(|p| &p.steps);
    let end_ms = round_up(all().map(|s| s[1]).fold(0.0, f64::max) / 1e3) * 1e3;
    let top = round_up(all().map(|s| s[2]).fold(0.0, f64::max));
    let mut out = String::from("<div class=\"panels\">\n");
    for panel in &panels {
        draw(panel, form, [end_ms, top], &unit, &mut out);
    }
    out.push_str("</div>\n");
    Some(out)
}

/// A channel's column in a series; none where it was not shown.
fn column(record: &Record, channel: usize) -> Option<usize> {
    let name = CHANNELS.get(channel)?.name;
    Some(record.plan.channels.iter().position(|c| c == name)? + 1)
}

/// Levels of a channel between one look and the next.
fn steps(record: &Record, series: &Series, channel: &Channel) -> Option<Vec<[f64; 3]>> {
    let (source, by) = match channel.name {
        "data_mb_per_s" => ("data_bytes", MB),
        "log_mb_per_s" => ("log_bytes", MB),
        name if channel.unit.starts_with('B') => (name, MB),
        name => (name, 1.0),
    };
    let pairs = series.samples.windows(2);
    let level = |pair: &[Vec<f64>]| -> Option<[f64; 3]> {
        let [a, b] = pair else { return None };
        let (from, to) = (*a.first()?, *b.first()?);
        let grown = |c: usize| Some((b.get(c)? - a.get(c)?).max(0.0));
        let value = match channel.drawn {
            Drawn::Share(over, under) => {
                let under = grown(column(record, under)?)?;
                let over = grown(column(record, over)?)?;
                if under > 0.0 { over / under / KB } else { 0.0 }
            }
            Drawn::Rate => {
                let c = crate::experiment::figures::place(source)?;
                grown(column(record, c)?)? / ((to - from) / 1e3).max(1e-6) / by
            }
            Drawn::AsItIs => {
                let c = crate::experiment::figures::place(source)?;
                b.get(column(record, c)?)? / by
            }
        };
        Some([from, to, value])
    };
    pairs.map(level).collect()
}

/// Between which looks a counter has grown.
fn steps_of_growth(record: &Record, series: &Series, channel: &Channel) -> Option<Vec<[f64; 2]>> {
    let levels = steps(record, series, channel)?;
    Some(levels.iter().filter(|l| l[2] > 0.0).map(|l| [l[0], l[1]]).collect())
}

fn draw(panel: &Panel, form: Form, [end_ms, top]: [f64; 2], unit: &str, out: &mut String) {
    let [width, height] = SIZE;
    let x = |ms: f64| ms / end_ms * width;
    let y = |v: f64| height - (v / top).min(1.0) * (height - 4.0);
    let mut drawn = String::new();
    for [from, to] in &panel.marks {
        let (from, to) = (x(*from), x(*to));
        let _ = write!(
            drawn,
            "<rect class=\"mark\" x=\"{from:.1}\" y=\"0\" width=\"{:.1}\" height=\"{height}\"/>",
            (to - from).max(1.0)
        );
    }
    let _ = write!(
        drawn,
        "<path class=\"grid\" d=\"M0 {height}H{width}M0 {0}H{width}M0 4H{width}\"/>",
        y(top / 2.0)
    );
    let mut line = String::new();
    for [from, to, value] in &panel.steps {
        let (from, to, value) = (x(*from), x(*to), y(*value));
        let _ = match form {
            Form::Sticks => write!(line, "M{from:.1} {height}V{value:.1}"),
            Form::Steps if line.is_empty() => write!(line, "M{from:.1} {value:.1}H{to:.1}"),
            Form::Steps => write!(line, "V{value:.1}H{to:.1}"),
        };
    }
    if form == Form::Steps
        && let (Some(first), Some(last)) = (panel.steps.first(), panel.steps.last())
    {
        let (first, last) = (x(first[0]), x(last[1]));
        let _ = write!(drawn, "<path class=\"under\" d=\"{line}V{height}H{first:.1}Z\"/>");
        // A curve that ends before the axis does so visibly.
        let _ = write!(drawn, "<path class=\"end\" d=\"M{last:.1} {height}v-8\"/>");
    }
    let _ = write!(drawn, "<path class=\"line\" d=\"{line}\"/>");
    let highest = panel.steps.iter().map(|s| s[2]).fold(0.0, f64::max);
    let unit = unit_behind(unit);
    let label = escaped(&panel.label);
    let _ = writeln!(
        out,
        "<div class=\"panel\"><p class=\"of\"><span>{label}</span> <span class=\"top\">highest {}{unit}</span></p>\
         <div class=\"plot\"><span class=\"y\">{}{unit}</span>\
         <svg role=\"img\" aria-label=\"{label}: highest {}{unit}\" viewBox=\"0 0 {width} {height}\" \
         preserveAspectRatio=\"none\">{drawn}</svg></div>\
         <p class=\"x\" aria-hidden=\"true\"><span>0</span><span>{}</span><span>{} s</span></p></div>",
        number(highest),
        number(top),
        number(highest),
        number(end_ms / 2e3),
        number(end_ms / 1e3)
    );
}
