//! Every change of every VLF, in golden scripts in `tests/vlf/`. `UPDATE_GOLDEN=1` writes their output anew.
//!
//! ```text
//! create KB [GROWTH_KB [ALGORITHM]]   a log of one file
//! fill N                              append until N more VLFs were begun, and flush
//! fill full                           append until the log is full; who is to blame
//! checkpoint                          everything recovery needs lies behind it; lets go of the rest
//! grow FILE KB                        a file is grown by hand, to a size
//! add PATH KB · remove FILE
//! shrink FILE KB|truncate|empty
//! hold NAME · move NAME · release NAME   somebody needs the log from the oldest record on, from now on, not any more
//! reader · end                        a scan of the log begins at the oldest record, and ends
//! wait                                log_reuse_wait_desc
//! crash                               power off and on
//! ```
//! After each step: the VLFs that changed. Parities are those of the last use.

use crate::rig;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use rig::{Rig, spec};
use taffrail_base::LogPos;
use taffrail_log::{
    AppendError, Growth, HolderId, Lcx, LogOptions, Lop, Reader, RecordHeader, Reserve, ReuseWait,
    ShrinkMode, TxLog, VlfAlgorithm,
};

#[derive(Default)]
struct Script {
    rig: Option<Rig>,
    holds: BTreeMap<String, (HolderId, Arc<Mutex<LogPos>>)>,
    reader: Option<Reader>,
}

fn number(word: &str) -> u64 {
    word.parse().expect("a number")
}

fn wait_of(name: &str) -> ReuseWait {
    match name {
        "LOG_BACKUP" => ReuseWait::LogBackup,
        "ACTIVE_BACKUP_OR_RESTORE" => ReuseWait::ActiveBackupOrRestore,
        "ACTIVE_TRANSACTION" => ReuseWait::ActiveTransaction,
        "REPLICATION" => ReuseWait::Replication,
        other => panic!("no holder is called {other}"),
    }
}

impl Script {
    fn step(&mut self, words: &[&str]) -> String {
        if words[0] == "create" {
            let growth = match words.get(2).map_or(0, |w| number(w)) {
                0 => Growth::None,
                kb => Growth::Bytes(kb << 10),
            };
            let vlf_algorithm = match words.get(3) {
                Some(&"2012") => VlfAlgorithm::V2012,
                Some(&"2014") => VlfAlgorithm::V2014,
                _ => VlfAlgorithm::V2022,
            };
            let options = LogOptions { vlf_algorithm, ..LogOptions::default() };
            let specs = [spec("/db_log.ldf", number(words[1]), growth)];
            self.rig = Some(Rig::new(1, &specs, options));
        }
        let rig = self.rig.as_mut().expect("create comes first");
        let mut out = String::new();
        match words {
            ["create", ..] => {}
            ["fill", "full"] => {
                let header = RecordHeader::new(Lop::InsertRows, Lcx::Heap);
                let mut tx = TxLog::new(taffrail_base::TransactionId(1));
                let full = loop {
                    let appended = rig.log.append(&mut tx, &header, &[&[1; 20_000]], Reserve::NONE);
                    if let Err(e) = appended {
                        break e;
                    }
                };
                rig.log.release(&mut tx);
                let AppendError::LogFull { wait, holdup, .. } = full else { panic!("{full}") };
                let holdup = holdup.unwrap_or_default();
                writeln!(out, "  full due to {}, held from {holdup} on", wait.name()).unwrap();
            }
            ["fill", n] => rig.fill_vlfs(number(n) as u32),
            ["checkpoint"] => rig.checkpoint().unwrap(),
            ["grow", file, kb] => {
                rig.log.grow_file(number(file) as usize, number(kb) << 10).unwrap();
            }
            ["add", path, kb] => {
                let number = rig.add(&spec(path, number(kb), Growth::None)).unwrap();
                writeln!(out, "  file {number}").unwrap();
            }
            ["remove", file] => {
                let removed = rig.remove(number(file) as usize).unwrap();
                out.push_str(if removed { "  removed\n" } else { "  not empty\n" });
            }
            ["shrink", file, what] => {
                let mode = match *what {
                    "truncate" => ShrinkMode::Truncate,
                    "empty" => ShrinkMode::Empty,
                    kb => ShrinkMode::To(number(kb) << 10),
                };
                let r = rig.shrink(number(file) as usize, mode).unwrap();
                let stop = r.stop.map_or(String::new(), |s| format!(", stopped: {s:?}"));
                let moved = if r.moved { ", the log moved on" } else { "" };
                writeln!(out, "  {} KB to {} KB{stop}{moved}", r.from >> 10, r.to >> 10).unwrap();
            }
            ["hold", name] => {
                let at = rig.log.oldest();
                self.holds.insert((*name).to_owned(), rig.hold(wait_of(name), at));
            }
            ["move", name] => *self.holds[*name].1.lock().unwrap() = rig.log.appended(),
            ["release", name] => {
                rig.log.unregister_holder(self.holds.remove(*name).expect("a hold").0);
            }
            ["reader"] => self.reader = Some(rig.log.reader(rig.log.oldest()).unwrap()),
            ["end"] => self.reader = None,
            ["wait"] => writeln!(out, "  {}", rig.log.truncate().name()).unwrap(),
            ["crash"] => {
                self.holds.clear();
                rig.reopen().unwrap();
            }
            other => panic!("unknown command {other:?}"),
        }
        rig.check().unwrap();
        out + &rig.changes()
    }
}

#[test]
fn scripts() {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vlf");
    let mut files: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let mut out = String::new();
        let mut script = Script::default();
        for line in text.lines().filter(|l| !l.starts_with("  ")) {
            writeln!(out, "{line}").unwrap();
            if !line.is_empty() && !line.starts_with('#') {
                let words: Vec<&str> = line.split_whitespace().collect();
                out.push_str(&script.step(&words));
            }
        }
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&file, &out).unwrap();
            continue;
        }
        assert_eq!(out, text, "{} (UPDATE_GOLDEN=1 to accept)", file.display());
    }
}
