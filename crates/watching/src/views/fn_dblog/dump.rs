//! `sys.fn_dump_dblog(@start, @end, @devtype, @seqnum, @fname1 … @fname64)`: the log records in a backup, with the columns of
//! `fn_dblog`. Without a file name it reads the current log. A full or differential backup has the log that was written
//! while it was taken; a log backup has all that it holds.

use super::columns::Column;
use super::decode::Decoder;
use super::{bound, columns_at};
use crate::media::{Devices, IN_USE, Statement, say};
use crate::paths::backup_path;
use crate::views::{RowStream, ViewContext};
use taffrail_base::{Lsn, SqlError, SqlResult};
use taffrail_storage::backup::{BackupError, Device, SetRecords};
use taffrail_types::Value;

/// Arguments before the first file name, and file names.
pub(super) const ARGUMENTS: (usize, usize) = (4, 68);

struct DumpScan {
    records: SetRecords,
    decoder: Decoder,
    columns: Vec<Column>,
    first: Option<Lsn>,
    last: Option<Lsn>,
    devices: Devices,
}

pub(super) fn open(
    cx: &ViewContext<'_>,
    arguments: &[Value],
    wanted: &[usize],
) -> SqlResult<Box<dyn RowStream>> {
    let names: Vec<String> =
        arguments.iter().skip(ARGUMENTS.0).filter_map(Value::as_text).collect();
    let Some(name) = names.first().cloned() else { return super::open(cx, arguments, wanted) };
    let (first, last) = (bound(arguments.first())?, bound(arguments.get(1))?);
    match arguments.get(2).and_then(Value::as_text) {
        Some(kind) if !kind.trim().eq_ignore_ascii_case("DISK") => {
            return Err(SqlError::new(
                40510,
                &[&format!("fn_dump_dblog with device type '{kind}'")],
            ));
        }
        _ => {}
    }
    let position = match arguments.get(3).and_then(Value::as_i64) {
        None => 1,
        Some(n) => u32::try_from(n).map_err(|_| SqlError::new(4038, &[&n, &name]))?,
    };
    let mut list = Vec::new();
    for name in &names {
        let path = backup_path(&cx.session.instance, name);
        let path = path.map_err(|refusal| refusal.backup(name))?;
        if cx.session.instance.databases().owner_of(&path).is_some() {
            return Err(SqlError::new(3201, &[name, &IN_USE]));
        }
        list.push(Device::Disk(path));
    }
    let devices = Devices { list, names, logical: Vec::new() };
    let env = &cx.session.instance.options().env;
    let records = SetRecords::open(env, &devices.list, position).map_err(|e| told(e, &devices))?;
    let columns = columns_at(wanted);
    // Names of heaps and indexes are those of the current database: they fit only its own backups.
    let own = records.header.database == cx.database.name;
    let decoder = Decoder::new(cx.database, &columns, own);
    Ok(Box::new(DumpScan { records, decoder, columns, first, last, devices }))
}

/// As RESTORE would say it of the same files.
fn told(e: BackupError, devices: &Devices) -> Box<SqlError> {
    say(e, &Statement { name: "fn_dump_dblog", database: "" }, devices)
}

impl RowStream for DumpScan {
    fn next(&mut self, cells: &mut [Value]) -> SqlResult<bool> {
        loop {
            if !self.records.advance().map_err(|e| told(e, &self.devices))? {
                return Ok(false);
            }
            let Some(entry) = self.records.entry() else { return Ok(false) };
            if self.last.is_some_and(|last| entry.lsn > last) {
                return Ok(false);
            }
            self.decoder.see(&entry);
            let lsns = self.records.lsn_map();
            let header = entry.record.header;
            let shown = self.first.is_none_or(|first| entry.lsn >= first);
            if shown {
                for (cell, column) in cells.iter_mut().zip(&self.columns) {
                    *cell = self.decoder.cell(*column, &entry, lsns);
                }
            }
            self.decoder.done(header.op, header.txn.0);
            if shown {
                return Ok(true);
            }
        }
    }
}
