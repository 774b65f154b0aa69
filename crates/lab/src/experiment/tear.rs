//! Pages that are cut in two while their server is dead, as a loss of power amid their writes would have left them.
//!
//! A kill tears nothing: the operating system has whatever was written. So the halves are put together from two looks at the data file, one
//! before the statement that changes its pages, one after the checkpoint that wrote them.

use super::clients::numbered;
use super::place::Place;
use super::stop::{Interrupted, Stop};
use super::trial::run_batches;
use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Instant;

/// Bytes of a page.
const PAGE: usize = 8192;
/// The first page behind a data file's double-write region, whose images no write in place tears.
const FIRST: usize = 152;

/// Everything that a tear is made of.
pub struct Tear<'a> {
    /// Database whose pages are torn.
    pub database: &'a str,
    /// The database's data file.
    pub file: &'a Path,
    /// Changes pages, and has them written.
    pub change: &'a [String],
    /// Runs behind that; its pages are left alone.
    pub then: &'a [String],
    /// A query by the number of a round: 1 where its row is right.
    pub found: &'a [String],
    /// Number of rounds.
    pub rounds: u64,
}

/// Changes pages, kills the server, tears them, starts it again, and asks for each row.
pub fn torn(
    place: &mut Place,
    tear: &Tear<'_>,
    interrupted: &Interrupted,
) -> Result<BTreeMap<String, f64>, Stop> {
    let shown = |e: std::io::Error| Stop::Failed(format!("{}: {e}", tear.file.display()));
    let look = || std::fs::read(tear.file).map_err(shown);
    let old = look()?;
    let mut client = place.client(tear.database)?;
    run_batches(&mut client, tear.change, interrupted)?;
    let new = look()?;
    run_batches(&mut client, tear.then, interrupted)?;
    place.kill()?;
    let torn = halves(tear.file, &old, &new).map_err(shown);
    let began = Instant::now();
    // Also after an error: who cleans up needs the server.
    place.again()?;
    let seconds = began.elapsed().as_secs_f64();
    let torn = torn?;
    let mut rows = BTreeMap::from([("right", 0.0), ("wrong", 0.0), ("refused", 0.0)]);
    for round in 1..=tear.rounds {
        interrupted.check()?;
        // Who meets a damaged page may lose the connection.
        let mut client = place.client(tear.database)?;
        let answer = client.query(&numbered(tear.found, 1, round).join("\n"));
        let word = match answer.map(|a| a.first_value()) {
            Ok(value) if value == "1" => "right",
            Ok(_) => "wrong",
            Err(_) => "refused",
        };
        *rows.entry(word).or_default() += 1.0;
    }
    let mut figures: BTreeMap<String, f64> =
        rows.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    figures.insert("seconds".into(), seconds);
    figures.insert("torn".into(), torn as f64);
    Ok(figures)
}

/// Puts back the second half of each page of which a change has replaced the most part; how many there are.
fn halves(file: &Path, old: &[u8], new: &[u8]) -> std::io::Result<usize> {
    let now = std::fs::read(file)?;
    let file = File::options().write(true).open(file)?;
    let mut torn = 0;
    let pages = old.chunks_exact(PAGE).zip(new.chunks_exact(PAGE)).zip(now.chunks_exact(PAGE));
    for (n, ((old, new), now)) in pages.enumerate().skip(FIRST) {
        if now == new && is_replaced(old, new) {
            file.write_all_at(&old[PAGE / 2..], (n * PAGE + PAGE / 2) as u64)?;
            torn += 1;
        }
    }
    file.sync_all()?;
    Ok(torn)
}

/// Whether the most part of both halves has become another: a page of rows, and none of the server's own notes.
fn is_replaced(old: &[u8], new: &[u8]) -> bool {
    old.chunks(PAGE / 2).zip(new.chunks(PAGE / 2)).all(|(old, new)| {
        let other = old.iter().zip(new).filter(|(a, b)| a != b).count();
        other > PAGE / 4
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_which_little_has_changed_is_left_alone() {
        let path = std::env::temp_dir().join(format!("taffrail-tear-{}", std::process::id()));
        let pages = FIRST + 3;
        let old = vec![b'o'; pages * PAGE];
        let mut new = old.clone();
        // One of the region, one that is replaced, one of which a half is, one that was written again later.
        for page in [20, FIRST, FIRST + 2] {
            new[page * PAGE..][..PAGE].fill(b'n');
        }
        new[(FIRST + 1) * PAGE..][..PAGE / 2].fill(b'n');
        let mut now = new.clone();
        now[(FIRST + 2) * PAGE] = b'x';
        std::fs::write(&path, &now).unwrap();
        assert_eq!(halves(&path, &old, &new).unwrap(), 1);
        now[FIRST * PAGE + PAGE / 2..][..PAGE / 2].fill(b'o');
        assert!(std::fs::read(&path).unwrap() == now);
        std::fs::remove_file(&path).unwrap();
    }
}
