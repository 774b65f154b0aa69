//! Pages of rows that grow by a tag of 14 bytes when they are changed. A model of leaves: which rows bear a tag, how full each leaf is,
//! when it splits. `stripped`: before a leaf splits, tags of changes that no snapshot needs any more go.

use crate::Numbers;

const PAGE: usize = 8096;
const SLOT: usize = 2;
const TAG: usize = 14;

struct ModelLeaf {
    /// When each row was tagged, in changes; `None`: it has no tag.
    rows: Vec<Option<u64>>,
}

impl ModelLeaf {
    fn used(&self, row: usize) -> usize {
        self.rows.iter().map(|t| row + SLOT + if t.is_some() { TAG } else { 0 }).sum()
    }
}

/// Gives leaves before and after, and splits.
fn model(
    row: usize,
    fill: f64,
    changes: u64,
    horizon: u64,
    hot: bool,
    strip: bool,
) -> (usize, usize, u64) {
    const ROWS: usize = 200_000;
    let per_leaf = ((PAGE as f64 * fill) as usize / (row + SLOT)).max(1);
    let mut leaves: Vec<ModelLeaf> =
        (0..ROWS.div_ceil(per_leaf)).map(|_| ModelLeaf { rows: vec![None; per_leaf] }).collect();
    let before = leaves.len();
    let mut numbers = Numbers(7);
    let mut splits = 0;
    for now in 0..changes {
        let n = leaves.len() as u64;
        // Nine changes of ten in a tenth of the leaves.
        let at = if hot && numbers.below(10) > 0 {
            numbers.below((n / 10).max(1))
        } else {
            numbers.below(n)
        };
        let leaf = &mut leaves[at as usize];
        let slot = numbers.below(leaf.rows.len() as u64) as usize;
        if leaf.rows[slot].is_none() && leaf.used(row) + TAG > PAGE {
            if strip {
                for tag in &mut leaf.rows {
                    *tag = tag.filter(|&then| then + horizon > now);
                }
            }
            if leaf.used(row) + TAG > PAGE && leaf.rows.len() > 1 {
                let right = leaf.rows.split_off(leaf.rows.len() / 2);
                leaves.push(ModelLeaf { rows: right });
                splits += 1;
                continue;
            }
        }
        leaf.rows[slot] = Some(now);
    }
    (before, leaves.len(), splits)
}

pub fn run() {
    println!(
        "200,000 rows; 1,000,000 changes; snapshots need the last 20,000 changes, or 400,000 (an old reader)"
    );
    println!("leaves after, of before\nrow  fill  changes  needed   not stripped  stripped");
    for row in [54, 100, 306, 655] {
        for fill in [1.0, 0.9, 0.69] {
            for (hot, name) in [(false, "spread"), (true, "hot")] {
                for horizon in [20_000, 400_000] {
                    let grown = |strip| {
                        let (before, after, _) = model(row, fill, 1_000_000, horizon, hot, strip);
                        after as f64 / before as f64
                    };
                    println!(
                        "{row:4} {fill:5} {name:8} {horizon:7} {:13.3} {:9.3}",
                        grown(false),
                        grown(true)
                    );
                }
            }
        }
    }
}
