//! A record on the terminal: the figures that its charts and claims name, and the claims.

use super::judge::{alike, number, published_in_words};
use super::read::Experiment;
use super::record::{FigureTold, Record};
use super::spec::ChartKind;

/// The lines of a table.
pub fn table(record: &Record, experiment: &Experiment) -> Vec<String> {
    let mut lines =
        vec![String::new(), format!("{}: {}", record.plan.experiment, record.about.title)];
    for measure in record.measures.iter().filter(|m| m.left_out.is_none()) {
        let bars = experiment.spec.chart.iter().filter(|c| c.kind == ChartKind::Bars);
        let of = bars.filter(|c| c.measures.iter().any(|m| *m.get_ref() == measure.name));
        let mut names: Vec<&str> = of.map(|c| c.figure.get_ref().as_str()).collect();
        let claimed = experiment.spec.claim.iter();
        names.extend(
            claimed
                .filter(|c| *c.measure.get_ref() == measure.name)
                .map(|c| c.figure.get_ref().as_str()),
        );
        names.insert(0, "seconds");
        let mut seen = std::collections::BTreeSet::new();
        names.retain(|n| seen.insert(*n));
        figures(record, &measure.name, &measure.label, &names, &mut lines);
    }
    lines.push(String::new());
    for claim in &record.claims {
        lines.push(format!("  {:<14} {}", claim.verdict.words(), claim.text));
        let published = claim.published.map(|p| format!("; published: {}", published_in_words(p)));
        lines.push(format!("  {:<14} {}{}", "", claim.here, published.unwrap_or_default()));
    }
    for doubt in &record.noise {
        lines.push(format!("  {:<14} {doubt}", "doubt"));
    }
    lines
}

fn figures(record: &Record, measure: &str, label: &str, names: &[&str], lines: &mut Vec<String>) {
    let rows: Vec<(&str, Vec<Option<&FigureTold>>)> = record
        .run_variants()
        .map(|v| {
            let told = names.iter().map(|n| record.figure(&v.name, measure, n)).collect();
            (v.label.as_str(), told)
        })
        // A product beside the server does not make every measure.
        .filter(|(_, told): &(&str, Vec<Option<&FigureTold>>)| told.iter().any(Option::is_some))
        .collect();
    // Figures that no variant has are no columns.
    let there: Vec<usize> =
        (0..names.len()).filter(|n| rows.iter().any(|(_, told)| told[*n].is_some())).collect();
    if there.is_empty() {
        return;
    }
    let heading = |n: usize| {
        let told = rows.iter().find_map(|(_, told)| told[n]);
        told.map_or(String::new(), |t| match t.unit.is_empty() {
            true => t.label.clone(),
            false => format!("{}, {}", t.label, t.unit),
        })
    };
    let cell = |told: Option<&FigureTold>| {
        told.map_or(String::new(), |t| {
            let s = t.spread;
            match alike(s.low, s.high) {
                true => number(s.median),
                false => format!("{} ({}-{})", number(s.median), number(s.low), number(s.high)),
            }
        })
    };
    let mut cells =
        vec![std::iter::once(label.to_owned()).chain(there.iter().map(|n| heading(*n))).collect()];
    for (label, told) in &rows {
        let row: Vec<String> = std::iter::once((*label).to_owned())
            .chain(there.iter().map(|n| cell(told[*n])))
            .collect();
        cells.push(row);
    }
    lines.push(String::new());
    lines.extend(aligned(&cells));
}

/// Columns beneath each other: the first to the left, the others to the right.
pub fn aligned(cells: &[Vec<String>]) -> Vec<String> {
    let columns = cells.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| cells.iter().filter_map(|r| r.get(c)).map(|t| t.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|c| width(c).unwrap_or(0)).collect();
    cells
        .iter()
        .map(|row| {
            let mut line = String::from("  ");
            for (n, (cell, width)) in row.iter().zip(&widths).enumerate() {
                match n {
                    0 => line.push_str(&format!("{cell:<width$}")),
                    _ => line.push_str(&format!("  {cell:>width$}")),
                }
            }
            line.trim_end().to_owned()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_beneath_each_other() {
        let cells = [["a", "b"], ["µµµ", "10"]].map(|r| r.map(str::to_owned).to_vec());
        assert_eq!(aligned(&cells), ["  a     b", "  µµµ  10"]);
    }
}
