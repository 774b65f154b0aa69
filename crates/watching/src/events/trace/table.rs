//! sys.fn_trace_gettable: the rows of trace files, in the order in which they were written.
//!
//! Scripts make the first argument of `path` of sys.traces: everything up to the last separator, and `log.trc`. That stands for all
//! files of the default trace, though none has the name. Those that look for `\` where the path has none put their
//! `log.trc` behind the whole of it; that is understood as well.

use super::super::blocks::{Next, Reader, Unreadable};
use super::row::{COLUMNS, Holds, decode};
use super::{FILES, flush_trace, rolled};
use crate::features::needs;
use crate::instance::Instance;
use crate::paths::{event_path, local_path};
use crate::views::{Declaration, RowStream, ViewContext, integer, streamed};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use taffrail_base::message::cancelled;
use taffrail_base::{SqlError, SqlResult};
use taffrail_io::Disk;
use taffrail_types::Value;

/// The columns as a declaration.
static DECLARED: LazyLock<String> = LazyLock::new(|| {
    let all = COLUMNS.iter().map(|(name, holds)| {
        let ty = match holds {
            Holds::Int => "int",
            Holds::BigInt => "bigint",
            Holds::Time => "datetime",
            Holds::Name => "nvarchar(256)",
            Holds::Text => "nvarchar(max)",
            Holds::Bytes => "varbinary(max)",
            Holds::Guid => "uniqueidentifier",
        };
        format!("{name} {ty}?")
    });
    all.collect::<Vec<_>>().join(" · ")
});

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.push(streamed("fn_trace_gettable", needs::TRACES, (2, 2), &[&**DECLARED], open));
}

fn missing(name: &str, why: &str) -> Box<SqlError> {
    SqlError::new(19049, &[&name, &why])
}

/// The files that a name stands for, the oldest first, and whether they are all of a trace.
fn files(instance: &Instance, name: &str) -> SqlResult<(Vec<PathBuf>, bool)> {
    const NONE: &str = "2(The system cannot find the file specified.)";
    let disk = &*instance.options().env.disk;
    let local = local_path(instance, name.trim());
    let path = match &instance.options().trace_dir {
        // A script has found no `\` in the path of the trace.
        Some(dir) if local.to_lowercase().ends_with(".trclog.trc") => dir.join("log.trc"),
        Some(dir) if dir.join(local).parent() == Some(dir) => {
            dir.join(dir.join(local).file_name().unwrap_or_default().to_ascii_lowercase())
        }
        _ => event_path(instance, name).map_err(|r| missing(name, r.system_error()))?,
    };
    if path.extension().is_none_or(|e| !e.eq_ignore_ascii_case("trc")) {
        return Err(SqlError::new(567, &[&name]));
    }
    if disk.exists(&path).map_err(|e| missing(name, &e.system_error()))? {
        return Ok((vec![path], false));
    }
    let all = rolled(disk, &path.with_extension("")).unwrap_or_default();
    if all.is_empty() { Err(missing(name, NONE)) } else { Ok((all, true)) }
}

/// What is being read.
struct Rows {
    disk: Arc<dyn Disk>,
    files: VecDeque<PathBuf>,
    /// They are found by the name of their trace: one that is gone meanwhile, or was not begun, is left out.
    rolled: bool,
    reader: Option<Reader>,
    block: Vec<u8>,
    at: usize,
    wanted: Vec<usize>,
    cancelled: Arc<AtomicBool>,
}

fn open(cx: &ViewContext<'_>, args: &[Value], wanted: &[usize]) -> SqlResult<Box<dyn RowStream>> {
    let instance = &cx.session.instance;
    let Some(name) = args[0].as_text() else { return Err(SqlError::new(567, &[&""])) };
    // What has happened can be read.
    flush_trace(instance);
    let (mut all, rolled) = files(instance, &name)?;
    if let Some(count) = integer(args, 1)?.and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 0)
    {
        all.truncate(count);
    }
    Ok(Box::new(Rows {
        disk: instance.options().env.disk.clone(),
        files: all.into(),
        rolled,
        reader: None,
        block: Vec::new(),
        at: 0,
        wanted: wanted.to_vec(),
        cancelled: cx.session.running.cancel.clone(),
    }))
}

impl Rows {
    /// The next block is there; false at the end.
    fn next_block(&mut self) -> SqlResult<bool> {
        loop {
            if self.cancelled.load(Relaxed) {
                return Err(cancelled());
            }
            let Some(reader) = &mut self.reader else {
                let Some(file) = self.files.pop_front() else { return Ok(false) };
                let shown = file.display();
                match Reader::open(&*self.disk, &FILES, &file) {
                    Ok(reader) => self.reader = Some(reader),
                    Err(_) if self.rolled => {}
                    Err(Unreadable::Other) => return Err(SqlError::new(567, &[&shown])),
                    Err(Unreadable::Io(e)) => {
                        return Err(missing(&shown.to_string(), &e.system_error()));
                    }
                }
                continue;
            };
            match reader.next() {
                Ok(Next::Block(_, block)) => {
                    (self.block, self.at) = (block, 0);
                    return Ok(true);
                }
                // What was being written when the machine failed ends a file; later rows are in the next one.
                Ok(Next::End | Next::Damaged) => self.reader = None,
                Err(_) => return Err(SqlError::new(568, &[&reader.path.display()])),
            }
        }
    }
}

impl RowStream for Rows {
    fn next(&mut self, cells: &mut [Value]) -> SqlResult<bool> {
        while self.at == self.block.len() {
            if !self.next_block()? {
                return Ok(false);
            }
        }
        let Some((row, rest)) = decode(&self.block[self.at..]) else {
            let file = self.reader.as_ref().map(|r| r.path.display().to_string());
            return Err(SqlError::new(568, &[&file.unwrap_or_default()]));
        };
        self.at = self.block.len() - rest.len();
        for (cell, column) in cells.iter_mut().zip(&self.wanted) {
            *cell = row[*column].clone();
        }
        Ok(true)
    }
}
