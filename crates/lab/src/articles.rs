//! `taffrail lab try`: what articles about the transaction log have measured, tried on a server, beside what they saw.
//!
//! The script is `workloads/try-the-log.sql`, which any sqlcmd runs as well. Here each figure is shown when it is there.

use crate::client::{Client, ClientError};

const SCRIPT: &str = include_str!("../workloads/try-the-log.sql");

/// A line for whoever watches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// An article's title begins what follows.
    Title(String),
    /// What was done, what it came to here, and there.
    Seen([String; 3]),
}

/// Runs the script; `show` gets each line as soon as it is known, and says whether somebody wants the next one. However it ends,
/// the databases that it has made are gone.
pub fn try_the_log(
    client: &mut Client,
    show: &mut dyn FnMut(Line) -> bool,
) -> Result<(), ClientError> {
    let batches = batches(SCRIPT);
    let (refuses, work) = batches.split_first().expect("a script");
    // Who has a database of these names keeps it: from here on they are this script's.
    client.run(refuses)?;
    let tried = try_each(client, work, show);
    if !matches!(tried, Ok(true)) {
        let dropped = client
            .run("IF @@TRANCOUNT > 0 ROLLBACK")
            .and_then(|_| client.run("USE master"))
            .and_then(|_| client.run(refuses));
        // The first error is the one to hear of.
        return tried.and(dropped).map(|_| ());
    }
    Ok(())
}

/// False when nobody wanted to see more.
fn try_each(
    client: &mut Client,
    batches: &[String],
    show: &mut dyn FnMut(Line) -> bool,
) -> Result<bool, ClientError> {
    let mut shown = "0".to_owned();
    for batch in batches {
        if let Some(title) = title(batch)
            && !show(Line::Title(title.into()))
        {
            return Ok(false);
        }
        // It selects what is shown here line by line.
        if batch.starts_with("SELECT ") {
            continue;
        }
        client.run(batch)?;
        let sql = format!(
            "SELECT n, [what], [here], [the article] FROM #seen WHERE n > {shown} ORDER BY n"
        );
        let answer = client.query(&sql)?;
        for row in answer.text().lines() {
            let mut cells = row.splitn(4, '|').map(str::to_owned);
            shown = cells.next().unwrap_or_default();
            let seen = [(); 3].map(|()| cells.next().unwrap_or_default());
            if !show(Line::Seen(seen)) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// What lies between lines that say GO.
fn batches(script: &str) -> Vec<String> {
    let mut batches = vec![String::new()];
    for line in script.lines() {
        match (line, batches.last_mut()) {
            ("GO", _) => batches.push(String::new()),
            (line, Some(batch)) => {
                batch.push_str(line);
                batch.push('\n');
            }
            (_, None) => {}
        }
    }
    batches.retain(|b| !b.trim().is_empty());
    batches
}

/// The article that a batch begins with: a comment with its title in quotes.
fn title(batch: &str) -> Option<&str> {
    batch.lines().find_map(|l| l.strip_prefix("-- ").filter(|l| l.starts_with('"')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_has_five_articles_and_drops_what_it_makes() {
        let batches = batches(SCRIPT);
        assert_eq!(batches.iter().filter_map(|b| title(b)).count(), 5);
        assert!(batches.last().is_some_and(|b| b.starts_with("DROP DATABASE TryLog")));
        assert!(batches.iter().any(|b| b.starts_with("SELECT [what]")));
        // What refuses is the first batch, and what it makes each shows its mark.
        assert!(batches[0].contains("RAISERROR") && !SCRIPT.contains("IS NOT NULL DROP DATABASE"));
        for name in ["TryLog", "TryLog64MB", "TryLog1GB", "TryLogFew", "TryLogMany"] {
            assert!(SCRIPT.contains(&format!("CREATE DATABASE {name}\n")), "{name}");
            assert!(SCRIPT.contains(&format!("EXEC {name}.sys.sp_addextendedproperty")), "{name}");
            assert!(batches[0].contains(&format!("('{name}')")), "{name}");
        }
    }
}
