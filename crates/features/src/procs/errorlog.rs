//! sp_readerrorlog, xp_readerrorlog: the lines of `DIR/log/errorlog` and of the older `errorlog.1` … as rows.
//!
//! ```text
//! 2026-11-21 12:34:56.78 Server      Server is listening on [ 127.0.0.1 1433].
//! time, 22 characters    source      text
//! ```

use super::Arguments;
use crate::results::send;
use crate::session::context::StatementContext;
use std::path::Path;
use taffrail_base::{SqlError, SqlResult};
use taffrail_io::{Disk, IoResult, OpenSpec};
use taffrail_types::{Collation, Conversion, MaxLen, SqlType, Value, compare::compare, convert};

/// Characters of a time.
const TIME: usize = 22;

fn refused(text: String) -> Box<SqlError> {
    SqlError::of_text(22004, 16, text)
}

fn moment(text: &str) -> Option<Value> {
    let varchar = SqlType::VarChar(MaxLen::N(30));
    let value = Value::varchar(text);
    convert::cast(&value, varchar, SqlType::DateTime, Some(121), Conversion::Explicit).ok()
}

/// Time, source and text of a line; None: it goes on with the entry before.
fn parse(line: &str) -> Option<(Value, &str, &str)> {
    let (time, rest) = line.split_at_checked(TIME)?;
    let time = moment(time)?;
    let (source, text) = rest.trim_start().split_once(' ')?;
    Some((time, source, text.trim_start()))
}

/// What has been reported stands in the log from here on: a thread writes it a moment later otherwise.
fn written(cx: &StatementContext<'_>) {
    if let Some(host) = cx.instance().host() {
        host.write_error_log();
    }
}

/// `@p1` which log (0 the present one), `@p2` 1 for the error log, `@p3` and `@p4` texts that a line must have, `@p5` and
/// `@p6` from when to when, `@p7` asc or desc.
pub(super) fn read(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    if args.number(1).is_some_and(|kind| kind != 1) {
        return Err(SqlError::new(40510, &[&"The log of SQL Server Agent"]));
    }
    written(cx);
    let name = match args.number(0).unwrap_or(0) {
        0 => "errorlog".to_string(),
        n => format!("errorlog.{n}"),
    };
    let path = cx.instance().databases().data_dir().join("log").join(name);
    let disk = &cx.instance().options().env.disk;
    let missing =
        "xp_readerrorlog() returned error 2, 'The system cannot find the file specified.'";
    let text = match disk.exists(&path) {
        Ok(false) => return Err(refused(missing.into())),
        _ => contents(&**disk, &path).map_err(|e| refused(format!("xp_readerrorlog(): {e}")))?,
    };
    let collation = Collation::default();
    let wanted: Vec<String> =
        [2, 3].into_iter().filter_map(|n| args.text(n)).map(|t| t.to_lowercase()).collect();
    let limit = |n: usize| -> SqlResult<Option<Value>> {
        let given = args.text(n).filter(|t| !t.is_empty());
        given.map(|t| moment(&t).ok_or_else(|| SqlError::new(241, &[]))).transpose()
    };
    let (from, to) = (limit(4)?, limit(5)?);
    let mut rows: Vec<Vec<Value>> = Vec::new();
    for line in text.lines() {
        let last = rows.last().map(|r| (r[0].clone(), r[1].clone()));
        let (time, source, text) = match (parse(line), last) {
            (Some((time, source, text)), _) => (time, Value::nvarchar(source), text),
            (None, Some((time, source))) => (time, source, line),
            (None, None) => (Value::Null, Value::Null, line),
        };
        rows.push(vec![time, source, Value::nvarchar(text)]);
    }
    let order = |a: &Value, b: &Value| (!a.is_null()).then(|| compare(a, b, collation));
    rows.retain(|r| {
        let text = r[2].as_text().unwrap_or_default().to_lowercase();
        wanted.iter().all(|w| text.contains(w))
            && from.as_ref().is_none_or(|f| order(&r[0], f).is_some_and(|o| o.is_ge()))
            && to.as_ref().is_none_or(|t| order(&r[0], t).is_some_and(|o| o.is_le()))
    });
    if args.text(6).is_some_and(|o| o.eq_ignore_ascii_case("desc")) {
        rows.reverse();
    }
    let columns = [
        ("LogDate", SqlType::DateTime, true),
        ("ProcessInfo", SqlType::NVarChar(MaxLen::N(50)), true),
        ("Text", SqlType::NVarChar(MaxLen::Max), true),
    ];
    send(cx, &columns, rows)?;
    Ok(0)
}

/// `sp_enumerrorlogs`: the present log and the older ones, each with the time of its last line.
pub(super) fn list(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    if args.number(0).is_some_and(|kind| kind != 1) {
        return Err(SqlError::new(40510, &[&"The log of SQL Server Agent"]));
    }
    written(cx);
    let directory = cx.instance().databases().data_dir().join("log");
    let disk = cx.instance().options().env.disk.clone();
    let failed = |e: taffrail_io::IoError| refused(format!("xp_enumerrorlogs(): {e}"));
    let mut rows = Vec::new();
    for n in 0.. {
        let name = if n == 0 { "errorlog".to_string() } else { format!("errorlog.{n}") };
        let path = directory.join(name);
        if !disk.exists(&path).map_err(failed)? {
            break;
        }
        let text = contents(&*disk, &path).map_err(failed)?;
        let last = text.lines().rev().find_map(parse);
        let date = match last.and_then(|(time, ..)| shown(&time)) {
            Some(date) => Value::nvarchar(&date),
            None => Value::Null,
        };
        let bytes = i32::try_from(text.len()).unwrap_or(i32::MAX);
        rows.push(vec![Value::Int(n), date, Value::Int(bytes)]);
    }
    let columns = [
        ("Archive #", SqlType::Int, true),
        ("Date", SqlType::NVarChar(MaxLen::N(24)), true),
        ("Log File Size (Byte)", SqlType::Int, true),
    ];
    send(cx, &columns, rows)?;
    Ok(0)
}

/// `11/22/2026  12:34`.
fn shown(time: &Value) -> Option<String> {
    let part = |style: i32| {
        let varchar = SqlType::VarChar(MaxLen::N(30));
        let (from, explicit) = (SqlType::DateTime, Conversion::Explicit);
        convert::cast(time, from, varchar, Some(style), explicit).ok()?.as_text()
    };
    Some(format!("{}  {}", part(101)?, part(108)?.get(..5)?))
}

/// `sp_cycle_errorlog`: the present log becomes `errorlog.1`, and a new one begins.
pub(super) fn cycle(cx: &mut StatementContext<'_>, _: &Arguments<'_>) -> SqlResult<i32> {
    let Some(host) = cx.instance().host() else {
        return Err(SqlError::new(40510, &[&"sp_cycle_errorlog without a server"]));
    };
    host.cycle_error_log().map_err(|e| refused(format!("sp_cycle_errorlog: {e}")))?;
    cx.message(SqlError::new(2528, &[]))?;
    Ok(0)
}

/// The file as it is now: lines may be added meanwhile.
fn contents(disk: &dyn Disk, path: &Path) -> IoResult<String> {
    let volume = disk.open(path, OpenSpec { direct: false, read_only: true })?;
    let mut bytes = vec![0; volume.len()? as usize];
    volume.read_at(0, &mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
