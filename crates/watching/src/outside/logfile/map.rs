//! `taffrail log map`: the files and their VLFs.

use super::json::Object;
use super::{Failure, Look, Outcome, guid};
use taffrail_base::Lsn;
use taffrail_log::VlfInfo;
use taffrail_log::offline::OfflineLog;

/// What an offline look can say of a VLF: which ones are active only the data file knows.
fn status(v: &VlfInfo, head: u32, run: u32) -> &'static str {
    match v.seqno.0 {
        0 => "unused",
        n if n == head => "head",
        n if n >= run => "used",
        _ => "stale",
    }
}

/// Shows the files and their VLFs.
pub fn map(look: Look<'_>) -> Result<Outcome, Failure> {
    let Look { env, files, json, out } = look;
    super::what::refuse_others(&env, &files)?;
    let log = OfflineLog::open(&env, &files)?;
    let (sector, incarnation, fork) = log.facts();
    let vlfs = log.vlfs();
    let head = vlfs.iter().map(|v| v.seqno.0).max().unwrap_or(0);
    let run = log.oldest().map_or(head, |v| v.0);
    if json {
        for f in log.files() {
            let line = Object::new()
                .text("kind", "file")
                .raw("file", f.file)
                .text("path", &f.path.display().to_string())
                .raw("size", f.size)
                .raw("sector", sector)
                .raw("incarnation", incarnation)
                .text("database_guid", &guid(fork));
            out.write_all(line.line().as_bytes())?;
        }
        for v in &vlfs {
            let line = Object::new()
                .text("kind", "vlf")
                .raw("file", v.file)
                .raw("offset", v.offset)
                .raw("size", v.size)
                .raw("sequence_number", v.seqno.0)
                .text("status", status(v, head, run))
                .raw("parity", v.parity)
                .text("first_lsn", &v.first_lsn.to_string())
                .text("create_lsn", &v.create_lsn.to_string());
            out.write_all(line.line().as_bytes())?;
        }
        return Ok(Outcome::Sound);
    }
    for f in log.files() {
        writeln!(out, "File {}  {}  {} bytes", f.file, f.path.display(), f.size)?;
    }
    let used = vlfs.iter().filter(|v| v.seqno.0 > 0).count();
    writeln!(
        out,
        "Log sector {sector} bytes, incarnation {incarnation}, database GUID {}; {} VLFs, {used} of them used",
        guid(fork),
        vlfs.len()
    )?;
    writeln!(out)?;
    writeln!(
        out,
        "{:>4} {:>14} {:>13} {:>10}  {:<7} {:>6}  {:<22}  {:<22}",
        "file", "offset", "size", "seq no", "status", "parity", "first LSN", "create LSN"
    )?;
    let lsn = |l: Lsn| if l == Lsn::ZERO { "-".to_owned() } else { l.to_string() };
    for v in &vlfs {
        writeln!(
            out,
            "{:>4} {:>14} {:>13} {:>10}  {:<7} {:>6}  {:<22}  {:<22}",
            v.file,
            v.offset,
            v.size,
            v.seqno.0,
            status(v, head, run),
            v.parity,
            lsn(v.first_lsn),
            lsn(v.create_lsn)
        )?;
    }
    Ok(Outcome::Sound)
}
