//! A second connection that looks at waits, counters, files and VLFs each 200 ms while the first one works.
//!
//! What it looks at are views of SQL Server's, in four parts. At the beginning each part is tried: a part that the server
//! does not have, or does not show to this login, is left out by name, and the others are sampled.

use super::figures::{CHANNELS, place};
use super::place::Place;
use super::record::{Flush, LeftOut, Wait};
use super::statistics::rounded;
use super::stop::Stop;
use crate::client::{Answer, Client, display};
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Time between two looks.
pub const EACH: Duration = Duration::from_millis(200);
/// A list of VLFs that takes longer than this is looked at in the beginning and the end alone.
const DEAR: Duration = Duration::from_millis(20);

/// Counters of the database, and of the instance.
const COUNTERS: &[(&str, &str)] = &[
    ("Log Flushes/sec", "log_flushes"),
    ("Log Flush Wait Time", "log_flush_wait_ms"),
    ("Log Flush Write Time (ms)", "log_flush_write_ms"),
    ("Log Growths", "log_growths"),
    ("Checkpoint pages/sec", "checkpoint_pages"),
];

/// Wait types, with the channels of their number and time.
const WAITS: &[(&str, &str, &str)] = &[
    ("WRITELOG", "writelog_waits", "writelog_ms"),
    ("PREEMPTIVE_OS_WRITEFILEGATHER", "", "gather_ms"),
];

/// Waits of threads that have nothing to do.
const IDLE: &[&str] = &[
    "LOGMGR_QUEUE",
    "CHECKPOINT_QUEUE",
    "DIRTY_PAGE_POLL",
    "LAZYWRITER_SLEEP",
    "REQUEST_FOR_DEADLOCK_SEARCH",
    "SQLTRACE_BUFFER_FLUSH",
    "SQLTRACE_INCREMENTAL_FLUSH_SLEEP",
    "WAITFOR",
    "FT_IFTS_SCHEDULER_IDLE_WAIT",
    "CLR_AUTO_EVENT",
    "CLR_MANUAL_EVENT",
    "DISPATCHER_QUEUE_SEMAPHORE",
    "ONDEMAND_TASK_QUEUE",
    "REDO_THREAD_PENDING_WORK",
    "PVS_PREALLOCATE",
    "PREEMPTIVE_XE_DISPATCHER",
    "SOS_WORK_DISPATCHER",
    "VDI_CLIENT_OTHER",
    "WAIT_XTP_OFFLINE_CKPT_NEW_LOG",
    "WAIT_XTP_HOST_WAIT",
    "WAIT_XTP_CKPT_CLOSE",
    "HADR_FILESTREAM_IOMGR_IOCOMPLETION",
];
/// Beginnings of names of waits of threads that have nothing to do.
const IDLE_BEGIN: &[&str] =
    &["SLEEP_", "BROKER_", "XE_", "QDS_", "HADR_WORK", "SP_SERVER_DIAG", "PWAIT_"];

/// The parts of a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Counters,
    Waits,
    Files,
    /// sys.dm_db_log_info, from SQL Server 2016 SP2 on.
    LogInfo,
    /// DBCC LOGINFO, before that.
    Dbcc,
}

/// The views that a server shows, and how they are asked.
#[derive(Clone, Debug)]
pub struct Views {
    parts: Vec<Part>,
    /// Names of the channels that are shown, in the order of [`CHANNELS`].
    pub channels: Vec<String>,
    /// Those that are not.
    pub left_out: Vec<LeftOut>,
    vlfs_each_time: bool,
}

/// A look: a value for each of [`CHANNELS`] that was shown.
pub type Look = Vec<Option<f64>>;

fn sql(part: Part, database: &str) -> String {
    match part {
        Part::Counters => {
            let names: Vec<String> = COUNTERS.iter().map(|(n, _)| format!("'{n}'")).collect();
            format!(
                "SELECT RTRIM(counter_name), cntr_value FROM sys.dm_os_performance_counters \
                 WHERE counter_name IN ({}) AND (instance_name = N'{database}' OR counter_name = 'Checkpoint pages/sec')",
                names.join(", ")
            )
        }
        Part::Waits => {
            let names: Vec<String> = WAITS.iter().map(|(n, ..)| format!("'{n}'")).collect();
            format!(
                "SELECT wait_type, waiting_tasks_count, wait_time_ms FROM sys.dm_os_wait_stats WHERE wait_type IN ({})",
                names.join(", ")
            )
        }
        Part::Files => format!(
            "SELECT CASE file_id WHEN 2 THEN 'log' ELSE 'data' END, num_of_writes, num_of_bytes_written, io_stall_write_ms \
             FROM sys.dm_io_virtual_file_stats(DB_ID(N'{database}'), NULL)"
        ),
        Part::LogInfo => format!(
            "SELECT COUNT(*), CONVERT(float, SUM(vlf_size_mb)) * 1048576, MAX(vlf_sequence_number) \
             FROM sys.dm_db_log_info(DB_ID(N'{database}'))"
        ),
        Part::Dbcc => format!("DBCC LOGINFO(N'{database}') WITH NO_INFOMSGS"),
    }
}

fn channels_of(part: Part) -> Vec<&'static str> {
    match part {
        Part::Counters => COUNTERS.iter().map(|(_, c)| *c).collect(),
        Part::Waits => vec!["writelog_waits", "writelog_ms", "gather_ms"],
        Part::Files => vec![
            "data_writes",
            "data_bytes",
            "data_write_ms",
            "log_writes",
            "log_bytes",
            "log_write_ms",
        ],
        Part::LogInfo | Part::Dbcc => vec!["vlfs", "log_size_bytes", "newest_vlf"],
    }
}

impl Views {
    /// Nothing, before a server has been asked.
    pub fn none() -> Views {
        let (parts, channels, left_out) = (Vec::new(), Vec::new(), Vec::new());
        Views { parts, channels, left_out, vlfs_each_time: false }
    }

    /// Notes once that the server does not show something.
    pub fn leave_out(&mut self, left: LeftOut) {
        if !self.left_out.iter().any(|l| l.what == left.what) {
            self.left_out.push(left);
        }
    }

    /// Tries each part on a database.
    pub fn of(client: &mut Client, database: &str) -> Result<Views, Stop> {
        let (mut parts, mut left_out) = (Vec::new(), Vec::new());
        let mut shown = vec![None; CHANNELS.len()];
        let mut vlfs_each_time = true;
        for part in [Part::Counters, Part::Waits, Part::Files, Part::LogInfo, Part::Dbcc] {
            if part == Part::Dbcc && parts.contains(&Part::LogInfo) {
                continue;
            }
            let began = Instant::now();
            match client.query(&sql(part, database)) {
                Ok(answer) => {
                    put(part, &answer, 0, &mut shown);
                    parts.push(part);
                    if matches!(part, Part::LogInfo | Part::Dbcc) {
                        vlfs_each_time = began.elapsed() < DEAR;
                    }
                }
                Err(e) => {
                    let message = e.server().ok_or_else(|| Stop::Failed(e.to_string()))?;
                    let what = match part {
                        Part::LogInfo => "sys.dm_db_log_info (DBCC LOGINFO in its place)".into(),
                        part => channels_of(part).join(", "),
                    };
                    left_out.push(LeftOut { what, why: message.message.clone() });
                }
            }
        }
        let mut channels = Vec::new();
        for (channel, value) in CHANNELS.iter().zip(&shown) {
            match value {
                Some(_) => channels.push(channel.name.to_owned()),
                None if !left_out.iter().any(|l| l.what.contains(channel.name)) => {
                    let why = "the view does not have it".to_owned();
                    left_out.push(LeftOut { what: channel.name.into(), why });
                }
                None => {}
            }
        }
        Ok(Views { parts, channels, left_out, vlfs_each_time })
    }

    /// Looks; without the list of VLFs where that is dear and this look is one of many.
    fn look(&self, client: &mut Client, database: &str, whole: bool) -> Result<Look, Stop> {
        let vlfs = whole || self.vlfs_each_time;
        let parts: Vec<Part> = self
            .parts
            .iter()
            .copied()
            .filter(|p| vlfs || !matches!(p, Part::LogInfo | Part::Dbcc))
            .collect();
        let batch: Vec<String> = parts.iter().map(|p| sql(*p, database)).collect();
        let answer = client.query(&batch.join("\n"))?;
        let mut look = vec![None; CHANNELS.len()];
        for (at, part) in parts.iter().enumerate() {
            put(*part, &answer, at, &mut look);
        }
        Ok(look)
    }
}

/// Puts a number to what a channel has already.
fn join(look: &mut Look, channel: &str, value: &str, how: impl Fn(f64, f64) -> f64) {
    if let (Some(at), Ok(value)) = (place(channel), value.trim().parse::<f64>()) {
        look[at] = Some(how(look[at].unwrap_or(0.0), value));
    }
}

/// Puts the numbers of a part's result set where they belong.
fn put(part: Part, answer: &Answer, set: usize, look: &mut Look) {
    let Some(set) = answer.sets.get(set) else { return };
    let sum = |a: f64, b: f64| a + b;
    for row in &set.rows {
        let row: Vec<String> = row.iter().zip(&set.types).map(|(v, t)| display(v, *t)).collect();
        match (part, &row[..]) {
            (Part::Counters, [name, value]) => {
                let found = COUNTERS.iter().find(|(n, _)| n.eq_ignore_ascii_case(name.trim()));
                if let Some((_, channel)) = found {
                    join(look, channel, value, sum);
                }
            }
            (Part::Waits, [name, waits, ms]) => {
                if let Some((_, count, time)) = WAITS.iter().find(|(n, ..)| n == name) {
                    join(look, count, waits, sum);
                    join(look, time, ms, sum);
                }
            }
            (Part::Files, [kind, writes, bytes, ms]) => {
                for (what, value) in [("writes", writes), ("bytes", bytes), ("write_ms", ms)] {
                    join(look, &format!("{kind}_{what}"), value, sum);
                }
            }
            (Part::LogInfo, [count, bytes, newest]) => {
                for (channel, value) in
                    [("vlfs", count), ("log_size_bytes", bytes), ("newest_vlf", newest)]
                {
                    join(look, channel, value, sum);
                }
            }
            // RecoveryUnitId (from 2012 on), FileId, FileSize, StartOffset, FSeqNo, Status, Parity, CreateLSN.
            (Part::Dbcc, cells) if cells.len() >= 7 => {
                join(look, "vlfs", "1", sum);
                join(look, "log_size_bytes", &cells[cells.len() - 6], sum);
                join(look, "newest_vlf", &cells[cells.len() - 4], f64::max);
            }
            _ => {}
        }
    }
}

/// All waits but those of idle threads, by type.
fn all_waits(client: &mut Client) -> BTreeMap<String, (f64, f64)> {
    let sql = "SELECT wait_type, wait_time_ms, waiting_tasks_count FROM sys.dm_os_wait_stats WHERE waiting_tasks_count > 0";
    // A login that may not see them has been told so by what is left out.
    let Ok(answer) = client.query(sql) else { return BTreeMap::new() };
    answer
        .text()
        .lines()
        .filter_map(|line| {
            let mut cells = line.split('|');
            let name = cells.next()?;
            let idle = IDLE.contains(&name) || IDLE_BEGIN.iter().any(|b| name.starts_with(b));
            let (ms, waits) = (cells.next()?.parse().ok()?, cells.next()?.parse().ok()?);
            (!idle).then(|| (name.to_owned(), (ms, waits)))
        })
        .collect()
}

/// The number of the last write of the log of all; none where the server has no history of them.
fn last_flush(client: &mut Client, taffrail: bool) -> Option<i64> {
    let sql = "SELECT COALESCE(MAX(sequence_number), 0) FROM taffrail.flush_history";
    if !taffrail {
        return None;
    }
    client.query(sql).ok()?.first_value().parse().ok()
}

/// Writes of a database's log after that one, by cause, as far as the history reaches back.
fn flushes(client: &mut Client, database: &str, after: i64) -> Vec<Flush> {
    let sql = format!(
        "SELECT cause, COUNT(*), AVG(CONVERT(float, bytes)) / 1024, AVG(CONVERT(float, commits)), AVG(CONVERT(float, duration_us)) \
         FROM taffrail.flush_history WHERE operation = 'WRITE' AND database_id = DB_ID(N'{database}') AND sequence_number > {after} \
         GROUP BY cause ORDER BY COUNT(*) DESC"
    );
    let Ok(answer) = client.query(&sql) else { return Vec::new() };
    let text = answer.text();
    let flush = |line: &str| {
        let cells: Vec<&str> = line.split('|').collect();
        let [cause, numbers @ ..] = &cells[..] else { return None };
        let numbers: Vec<f64> =
            numbers.iter().filter_map(|n| n.parse().ok()).map(rounded).collect();
        let [writes, kb, commits, us] = numbers[..] else { return None };
        Some(Flush { cause: (*cause).to_owned(), writes, kb, commits, us })
    };
    text.lines().filter_map(flush).collect()
}

/// A sampler at work.
pub struct Sampler {
    stop: Sender<()>,
    thread: JoinHandle<Result<Samples, Stop>>,
}

/// Looks of a sampler: at least the first and the last.
pub struct Samples {
    /// ms from the measure's beginning, and the look.
    pub looks: Vec<(f64, Look)>,
    /// The longest waits meanwhile.
    pub waits: Vec<Wait>,
    /// Writes of the log meanwhile, by cause.
    pub flushes: Vec<Flush>,
}

impl Sampler {
    /// Makes the first look, and goes on looking. The measure begins when this returns.
    pub fn start(place: &Place, views: &Views, database: &str) -> Result<(Sampler, Instant), Stop> {
        let mut client = place.client("")?;
        let before = all_waits(&mut client);
        let written = last_flush(&mut client, place.server.product == "Taffrail");
        let first = views.look(&mut client, database, true)?;
        let (stop, stopped) = channel();
        let (views, database) = (views.clone(), database.to_owned());
        let began = Instant::now();
        let thread = std::thread::spawn(move || {
            let looks = look_on(&mut client, &views, &database, began, first, &stopped)?;
            let mut waits: Vec<Wait> = all_waits(&mut client)
                .into_iter()
                .map(|(wait_type, (ms, waits))| {
                    let (ms0, waits0) = before.get(&wait_type).copied().unwrap_or_default();
                    Wait { wait_type, ms: ms - ms0, waits: waits - waits0 }
                })
                .filter(|w| w.ms > 0.0)
                .collect();
            waits.sort_by(|a, b| b.ms.total_cmp(&a.ms));
            waits.truncate(6);
            let flushes = written.map(|after| flushes(&mut client, &database, after));
            Ok(Samples { looks, waits, flushes: flushes.unwrap_or_default() })
        });
        Ok((Sampler { stop, thread }, began))
    }

    /// Makes the last look.
    pub fn stop(self) -> Result<Samples, Stop> {
        // A thread that has failed says why below.
        let _ = self.stop.send(());
        self.thread.join().unwrap_or_else(|_| Err(Stop::Failed("the sampler has panicked".into())))
    }
}

fn look_on(
    client: &mut Client,
    views: &Views,
    database: &str,
    began: Instant,
    first: Look,
    stopped: &Receiver<()>,
) -> Result<Vec<(f64, Look)>, Stop> {
    let mut looks = vec![(0.0, first)];
    loop {
        let last = !matches!(stopped.recv_timeout(EACH), Err(RecvTimeoutError::Timeout));
        let at = began.elapsed().as_secs_f64() * 1e3;
        let mut look = views.look(client, database, last)?;
        // What was not looked at this time is as it was.
        if let Some((_, before)) = looks.last() {
            for (value, before) in look.iter_mut().zip(before) {
                *value = value.or(*before);
            }
        }
        looks.push((at, look));
        if last {
            return Ok(looks);
        }
    }
}
