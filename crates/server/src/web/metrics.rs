//! Families of metrics as text: Prometheus' format 0.0.4, or OpenMetrics for who asks for it.
//!
//! They differ in what a counter is called where it is described (OpenMetrics: without `_total`), in what is escaped there, and in the end.

use axum::http::{HeaderMap, header};
use std::fmt::Write;
use taffrail_engine::metrics::{Family, Figure, Kind};

/// How metrics are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Format {
    /// Prometheus' text format 0.0.4: for who asks for nothing, too.
    Text,
    OpenMetrics,
}

impl Format {
    /// What a scraper's Accept headers want most, of what there is; of two wanted as much the first.
    pub(super) fn wanted(headers: &HeaderMap) -> Format {
        let accepts = headers.get_all(header::ACCEPT).iter().filter_map(|a| a.to_str().ok());
        let mut best = (0.0, Format::Text);
        for range in accepts.flat_map(|a| a.split(',')) {
            let mut parts = range.split(';').map(str::trim);
            let format = match parts.next().unwrap_or_default().to_ascii_lowercase().as_str() {
                "application/openmetrics-text" => Format::OpenMetrics,
                "text/plain" => Format::Text,
                _ => continue,
            };
            let (mut weight, mut fits) = (1.0, true);
            for (name, value) in parts.filter_map(|p| p.split_once('=')) {
                match (name.trim().to_ascii_lowercase().as_str(), value.trim()) {
                    ("q", q) => weight = q.parse().unwrap_or(0.0),
                    ("version", version) => fits = version == format.version(),
                    _ => {}
                }
            }
            if fits && weight > best.0 {
                best = (weight, format);
            }
        }
        best.1
    }

    fn version(self) -> &'static str {
        match self {
            Format::Text => "0.0.4",
            Format::OpenMetrics => "1.0.0",
        }
    }

    pub(super) fn content_type(self) -> &'static str {
        match self {
            Format::Text => "text/plain; version=0.0.4; charset=utf-8",
            Format::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }
}

/// The text of all families.
pub(super) fn text(families: &[Family], format: Format) -> String {
    let mut out = String::with_capacity(64 << 10);
    for family in families {
        // Writing to a String does not fail.
        let _ = write_family(&mut out, family, format);
    }
    if format == Format::OpenMetrics {
        out.push_str("# EOF\n");
    }
    out
}

fn write_family(out: &mut String, family: &Family, format: Format) -> std::fmt::Result {
    let name = family.name;
    let (kind, suffix) = match family.kind {
        Kind::Counter => ("counter", "_total"),
        Kind::Gauge => ("gauge", ""),
        Kind::Histogram => ("histogram", ""),
    };
    let (described, help) = match format {
        Format::OpenMetrics => (String::from(name), escaped(family.help)),
        // Quotes stand as they are.
        Format::Text => (format!("{name}{suffix}"), escaped(family.help).replace("\\\"", "\"")),
    };
    writeln!(out, "# TYPE {described} {kind}")?;
    writeln!(out, "# HELP {described} {help}")?;
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
    use axum::http::HeaderValue;
    use taffrail_engine::metrics::Sample;

    fn text(families: &[Family]) -> String {
        super::text(families, Format::OpenMetrics)
    }

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

    #[test]
    fn a_counter_is_described_by_the_name_of_its_samples_in_the_format_without_families() {
        let plain = |kind, figure| super::text(&[family(kind, figure)], Format::Text);
        let counter = plain(Kind::Counter, Figure::Value(3.0));
        let expected = "# TYPE taffrail_x_total counter\n# HELP taffrail_x_total What it \"is\".\n\
            taffrail_x_total{db=\"a\\\"\\\\b\\nc\"} 3\n";
        assert_eq!(counter, expected);
        let gauge = plain(Kind::Gauge, Figure::Value(0.25));
        assert!(gauge.starts_with("# TYPE taffrail_x gauge\n") && gauge.ends_with("} 0.25\n"));
        let histogram = plain(Kind::Histogram, Figure::Distribution(vec![(1.0, 2)], 4, 8.5));
        assert!(histogram.starts_with("# TYPE taffrail_x histogram\n"));
    }

    #[test]
    fn the_format_is_what_is_asked_for_and_the_old_one_for_who_asks_for_none() {
        let asked = |accepts: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for accept in accepts {
                headers.append(header::ACCEPT, HeaderValue::from_static(accept));
            }
            Format::wanted(&headers)
        };
        for plain in [
            "*/*",
            "text/html",
            "text/plain",
            "text/plain;version=0.0.4",
            "application/openmetrics-text;version=0.0.1",
            "application/openmetrics-text;q=0",
            "application/openmetrics-text;q=0.1, Text/Plain; Q=0.2",
        ] {
            assert_eq!(asked(&[plain]), Format::Text, "{plain}");
        }
        assert_eq!(asked(&[]), Format::Text);
        let prometheus = "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,\
            application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;q=0.4,\
            text/plain;version=0.0.4;q=0.3,*/*;q=0.2";
        for open in
            [prometheus, "application/openmetrics-text", "Application/OpenMetrics-Text, */*"]
        {
            assert_eq!(asked(&[open]), Format::OpenMetrics, "{open}");
        }
        assert_eq!(asked(&["text/html", "application/openmetrics-text"]), Format::OpenMetrics);
    }
}
