//! Bars that lie beneath each other on one axis, each with its number: published ones hollow, measured ones filled, with
//! a line from the lowest to the highest round.
//!
//! Bars are drawn, words and numbers are text: it wraps on a phone, and who does not see the drawing loses nothing.

use super::html::escaped;
use crate::experiment::judge::{number, unit_behind};
use std::fmt::Write;

/// One bar with its number.
pub struct Bar {
    /// Of which series: 0 or 1.
    pub series: usize,
    /// Length of the bar, in the drawing's unit.
    pub value: f64,
    /// Lowest and highest, if it was repeated.
    pub ends: Option<[f64; 2]>,
    /// For tests and scripts: which figure this is.
    pub figure: Option<String>,
}

/// The bars of one label.
pub struct Row {
    /// Words at the left of the bars.
    pub label: String,
    /// One bar, or a published and a measured one.
    pub bars: Vec<Bar>,
}

/// Rows with a heading; empty where there is only one group.
pub struct Group {
    /// Words above the rows of a group.
    pub label: String,
    /// Rows that lie beneath each other.
    pub rows: Vec<Row>,
}

/// A drawing of bars.
pub struct Bars {
    /// Names of the two series: hollow and filled.
    pub series: [String; 2],
    /// Unit of all values; empty for numbers.
    pub unit: String,
    /// Groups that lie beneath each other, on one axis.
    pub groups: Vec<Group>,
}

/// The next number above that an axis can end with.
pub fn round_up(v: f64) -> f64 {
    if v <= 0.0 || !v.is_finite() {
        return 1.0;
    }
    let power = 10_f64.powf(v.log10().floor());
    let steps = [1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    // Rounding may leave the last step a hair below.
    steps.iter().map(|s| s * power).find(|s| *s >= v * 0.999_999).unwrap_or(10.0 * power)
}

impl Bars {
    fn bars(&self) -> impl Iterator<Item = &Bar> {
        self.groups.iter().flat_map(|g| &g.rows).flat_map(|r| &r.bars)
    }

    /// The drawing as HTML.
    pub fn html(&self) -> String {
        let highest = self.bars().map(|b| b.ends.map_or(b.value, |e| e[1].max(b.value)));
        let end = round_up(highest.fold(0.0, f64::max));
        let both = [0, 1].map(|s| self.bars().any(|b| b.series == s));
        let mut out = String::from("<div class=\"bars\">\n");
        if both[0] {
            let keys: Vec<String> = (0..2)
                .filter(|s| both[*s])
                .map(|s| {
                    format!(
                        "<span class=\"key\"><svg aria-hidden=\"true\" viewBox=\"0 0 14 10\">\
                        <rect class=\"s{s}\" x=\"1\" y=\"1\" width=\"12\" height=\"8\"/></svg>{}</span>",
                        escaped(&self.series[s])
                    )
                })
                .collect();
            let _ = writeln!(out, "<p class=\"keys\">{}</p>", keys.join(" "));
        }
        for group in &self.groups {
            if !group.label.is_empty() {
                let _ = writeln!(out, "<h4>{}</h4>", escaped(&group.label));
            }
            for row in &group.rows {
                self.row(row, end, &mut out);
            }
        }
        let ticks: String = [0.0, 0.5, 1.0]
            .iter()
            .map(|share| format!("<span>{}</span>", number(end * share)))
            .collect();
        let unit = escaped(&self.unit);
        let _ = writeln!(
            out,
            "<div class=\"row axis\" aria-hidden=\"true\"><span></span><span class=\"ticks\">{ticks}</span>\
            <span class=\"unit\">{unit}</span></div>"
        );
        out.push_str("</div>\n");
        out
    }

    fn row(&self, row: &Row, end: f64, out: &mut String) {
        let _ =
            write!(out, "<div class=\"row\"><span class=\"label\">{}</span>", escaped(&row.label));
        let height = 22 * row.bars.len();
        let mut drawn = String::new();
        let mut said = String::new();
        for (n, bar) in row.bars.iter().enumerate() {
            let at = |v: f64| (v / end * 1000.0).clamp(0.0, 1000.0);
            let (y, width) = (22 * n, at(bar.value));
            let _ = write!(
                drawn,
                "<rect class=\"s{}\" x=\"0\" y=\"{}\" width=\"{width:.1}\" height=\"14\"/>",
                bar.series,
                y + 4
            );
            if let Some([low, high]) = bar.ends.filter(|e| e[0] < e[1]) {
                let (low, high, middle) = (at(low), at(high), y + 11);
                let _ = write!(
                    drawn,
                    "<path class=\"ends\" d=\"M{low:.1} {middle}H{high:.1}M{low:.1} {0}v6M{high:.1} {0}v6\"/>",
                    middle - 3
                );
            }
            let unit = escaped(&unit_behind(&self.unit));
            let data = match &bar.figure {
                Some(figure) => format!(" data-figure=\"{}\"", escaped(figure)),
                None => String::new(),
            };
            let _ = write!(
                said,
                "<span class=\"said\"><span class=\"which\">{}: </span><data class=\"v{}\" value=\"{}\"{data}>{}{unit}</data></span>",
                escaped(&self.series[bar.series]),
                bar.series,
                bar.value,
                number(bar.value)
            );
        }
        let _ = writeln!(
            out,
            "<svg class=\"track\" style=\"height:{height}px\" aria-hidden=\"true\" viewBox=\"0 0 1000 {height}\" \
            preserveAspectRatio=\"none\">\
             <path class=\"grid\" d=\"M0.5 0V{height}M500 0V{height}M999.5 0V{height}\"/>{drawn}</svg><span class=\"values\">\
             {said}</span></div>"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_ends_with_a_round_number() {
        for (v, end) in [(0.0, 1.0), (0.97, 1.0), (1.0, 1.0), (88.0, 100.0), (1101.0, 1200.0)] {
            assert!((round_up(v) - end).abs() < 1e-9, "{v}: {}", round_up(v));
        }
    }

    #[test]
    fn published_and_measured_bars_share_the_axis() {
        let bar = |series, value, ends| Bar { series, value, ends, figure: None };
        let rows = vec![Row {
            label: "<a>".into(),
            bars: vec![bar(0, 88.0, None), bar(1, 50.0, Some([40.0, 60.0]))],
        }];
        let bars = Bars {
            series: ["published".into(), "here".into()],
            unit: "µs".into(),
            groups: vec![Group { label: String::new(), rows }],
        };
        let html = bars.html();
        assert!(html.contains("class=\"s0\" x=\"0\" y=\"4\" width=\"880.0\""), "{html}");
        assert!(html.contains("class=\"s1\" x=\"0\" y=\"26\" width=\"500.0\""), "{html}");
        assert!(html.contains("M400.0 33H600.0") && html.contains("&lt;a&gt;"), "{html}");
    }
}
