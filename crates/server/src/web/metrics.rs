//! Families of metrics as OpenMetrics text.

use std::fmt::Write;
use taffrail_engine::metrics::{Family, Figure, Kind};

pub(super) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The text of all families.
pub(super) fn text(families: &[Family]) -> String {
    let mut out = String::with_capacity(64 << 10);
    for family in families {
        // Writing to a String does not fail.
        let _ = write_family(&mut out, family);
    }
    out.push_str("# EOF\n");
    out
}

fn write_family(out: &mut String, family: &Family) -> std::fmt::Result {
    let name = family.name;
    let (kind, suffix) = match family.kind {
        Kind::Counter => ("counter", "_total"),
        Kind::Gauge => ("gauge", ""),
        Kind::Histogram => ("histogram", ""),
    };
    writeln!(out, "# TYPE {name} {kind}")?;
    writeln!(out, "# HELP {name} {}", escaped(family.help))?;
    for sample in &family.samples {
        let labels: Vec<(&str, &str)> =
            sample.labels.iter().map(|(name, value)| (*name, value.as_str())).collect();
        match &sample.figure {
            Figure::Value(value) => {
                out.push_str(name);
                out.push_str(suffix);
                write_labels(out, &labels)?;
                writeln!(out, " {}", number(*value))?;
            }
            Figure::Distribution(bounds, count, sum) => {
                for (bound, upto) in bounds {
                    let bound = format!("{bound:?}");
                    write!(out, "{name}_bucket")?;
                    write_labels(out, &with(&labels, "le", &bound))?;
                    writeln!(out, " {upto}")?;
                }
                write!(out, "{name}_bucket")?;
                write_labels(out, &with(&labels, "le", "+Inf"))?;
                writeln!(out, " {count}")?;
                write!(out, "{name}_count")?;
                write_labels(out, &labels)?;
                writeln!(out, " {count}")?;
                write!(out, "{name}_sum")?;
                write_labels(out, &labels)?;
                writeln!(out, " {}", number(*sum))?;
            }
        }
    }
    Ok(())
}

fn with<'a>(
    labels: &[(&'a str, &'a str)],
    name: &'a str,
    value: &'a str,
) -> Vec<(&'a str, &'a str)> {
    labels.iter().copied().chain([(name, value)]).collect()
}

fn write_labels(out: &mut String, labels: &[(&str, &str)]) -> std::fmt::Result {
    for (i, (name, value)) in labels.iter().enumerate() {
        let before = if i == 0 { '{' } else { ',' };
        write!(out, "{before}{name}=\"{}\"", escaped(value))?;
    }
    if !labels.is_empty() {
        out.push('}');
    }
    Ok(())
}

/// Whole numbers without a point: they are exact then.
fn number(value: f64) -> String {
    match value.fract() == 0.0 && value.abs() < 9e15 {
        true => format!("{}", value as i64),
        false => format!("{value:?}"),
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_engine::metrics::Sample;

    fn family(kind: Kind, figure: Figure) -> Family {
        let labels = vec![("db", "a\"\\b\nc".to_owned())];
        Family {
            name: "taffrail_x",
            kind,
            help: "What it \"is\".",
            samples: vec![Sample { labels, figure }],
        }
    }

    #[test]
    fn each_kind_is_written_as_the_format_has_it() {
        let head =
            |kind| format!("# TYPE taffrail_x {kind}\n# HELP taffrail_x What it \\\"is\\\".\n");
        let counter = text(&[family(Kind::Counter, Figure::Value(3.0))]);
        let expected = "taffrail_x_total{db=\"a\\\"\\\\b\\nc\"} 3\n# EOF\n";
        assert_eq!(counter, head("counter") + expected);
        let gauge = text(&[family(Kind::Gauge, Figure::Value(0.25))]);
        assert!(gauge.ends_with("} 0.25\n# EOF\n") && gauge.contains("\ntaffrail_x{db="));
        let figure = Figure::Distribution(vec![(1.0, 2), (0.008191, 3)], 4, 8.5);
        let mut histogram = family(Kind::Histogram, figure);
        histogram.samples[0].labels.clear();
        let expected = "taffrail_x_bucket{le=\"1.0\"} 2\ntaffrail_x_bucket{le=\"0.008191\"} 3\n\
            taffrail_x_bucket{le=\"+Inf\"} 4\ntaffrail_x_count 4\ntaffrail_x_sum 8.5\n# EOF\n";
        assert_eq!(text(&[histogram]), head("histogram") + expected);
    }
}
