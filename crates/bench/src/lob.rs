//! The cost of a part of a long value: ten bytes at its end, and eight kilobytes more.
//!
//! A value of 100 MB, in a database of its own. Its end is read by SUBSTRING, over the wire, again and again: what counts is the median. It
//! is appended to by `.WRITE`, each time in a transaction of its own, after which the server is asked how often it has
//! written to the log's file. Beyond a bound the part fails.

use super::Figure;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};
use taffrail_lab::client::Client;
use taffrail_lab::launch::Taffrail;

/// Bytes of the value.
const BYTES: usize = 100 << 20;
/// Reads of its end.
const READS: usize = 400;
/// The number of appends.
const APPENDS: usize = 50;
/// Bytes of each append.
const MORE: usize = 8192;
/// The longest time of a read, half of them.
const READ_BOUND: Duration = Duration::from_millis(1);
/// Most writes of the log of an append.
const WRITES_BOUND: u64 = 2;

fn number(client: &mut Client, sql: &str) -> io::Result<u64> {
    let answer = client.query(sql).map_err(io::Error::other)?;
    let value = answer.first_value();
    value.trim().parse().map_err(|_| io::Error::other(format!("{sql}: {value}")))
}

/// The end, and that it is the end.
fn reads(client: &mut Client) -> io::Result<Vec<Duration>> {
    let sql = format!("SELECT SUBSTRING(v, {}, 10) FROM long WHERE id = 1", BYTES - 9);
    let mut times = Vec::with_capacity(READS);
    for _ in 0..READS {
        let begun = Instant::now();
        let answer = client.query(&sql).map_err(io::Error::other)?;
        times.push(begun.elapsed());
        if answer.first_value() != "xxxxxxx-->" {
            return Err(io::Error::other(format!("the end is {:?}", answer.first_value())));
        }
    }
    times.sort();
    Ok(times)
}

/// How often the log was written for each, and how long each took.
fn appends(client: &mut Client) -> io::Result<(Vec<u64>, Vec<Duration>)> {
    let written = "SELECT num_of_writes FROM sys.dm_io_virtual_file_stats(DB_ID(), 2)";
    let append = format!(
        "UPDATE long SET v.WRITE(REPLICATE(CAST('y' AS varchar(max)), {MORE}), NULL, 0) WHERE id = 1"
    );
    let (mut writes, mut times) = (Vec::new(), Vec::new());
    for n in 0..APPENDS {
        let before = number(client, written)?;
        let begun = Instant::now();
        client.run(&append).map_err(io::Error::other)?;
        times.push(begun.elapsed());
        writes.push(number(client, written)? - before);
        let length = number(client, "SELECT DATALENGTH(v) FROM long WHERE id = 1")?;
        let expected = BYTES + (n + 1) * MORE;
        if length != expected as u64 {
            return Err(io::Error::other(format!("{length} bytes, not {expected}")));
        }
    }
    writes.sort_unstable();
    times.sort();
    Ok((writes, times))
}

/// Both, on a server of its own; an error where a bound is passed.
pub fn lob(binary: &Path, dir: &Path) -> io::Result<Vec<Figure>> {
    let data = dir.join("lob");
    let server = Taffrail::start(binary, &data)?;
    let mut client = server.client("master")?;
    let begin = format!(
        "CREATE DATABASE lob ON (NAME = lob, FILENAME = 'lob.mdf', SIZE = 256MB) \
         LOG ON (NAME = lob_log, FILENAME = 'lob_log.ldf', SIZE = 512MB)\n\
         EXEC ('USE lob CREATE TABLE long (id int PRIMARY KEY, v varchar(max) NOT NULL)\n\
         INSERT long VALUES (1, REPLICATE(CAST(''x'' AS varchar(max)), {}) + ''-->'')\n\
         CHECKPOINT')",
        BYTES - 3
    );
    client.run(&begin).map_err(io::Error::other)?;
    drop(client);
    server.rest()?;
    let mut client = server.client("lob")?;
    let times = reads(&mut client)?;
    let (writes, appended) = appends(&mut client)?;
    drop(client);
    drop(server);
    std::fs::remove_dir_all(&data)?;
    let ms = |times: &[Duration], share: f64| {
        times[(times.len() as f64 * share) as usize].as_secs_f64() * 1e3
    };
    let (p50, bound) = (ms(&times, 0.5), READ_BOUND.as_secs_f64() * 1e3);
    let most = *writes.last().expect("some appends");
    let read = format!(
        "p50 {p50:.2} ms (bound {bound:.0}), p99 {:.2} ms of {READS} reads",
        ms(&times, 0.99)
    );
    let wrote = format!(
        "{most} writes of the log at most (bound {WRITES_BOUND}) of {APPENDS} appends, p50 {:.2} ms",
        ms(&appended, 0.5)
    );
    if p50 > bound || most > WRITES_BOUND {
        return Err(io::Error::other(format!("{read}; {wrote}")));
    }
    Ok(vec![
        Figure::ours("10 bytes at the end of 100 MB, p50", p50, "ms", read),
        Figure::ours("8 KB appended to 100 MB, most", most as f64, "log writes", wrote),
    ])
}
