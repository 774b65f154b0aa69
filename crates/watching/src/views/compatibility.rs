//! The catalogue of SQL Server 2000, which scripts still read: sysobjects, sysdatabases, sysfiles, sysprocesses …

use super::{Declaration, Reach, Rows, ViewContext, sys};
use crate::catalog::IndexKind;
use crate::features::needs;
use crate::row;
use taffrail_base::SqlResult;
use taffrail_storage::{FileKind, Growth};
use taffrail_types::Value;

/// The table of numbers of master; no other database has it.
const SPT_VALUES: &str = "spt_values";

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        sys(
            "sysindexes",
            needs::METADATA,
            &[
                "id int!",
                "status int?",
                "first binary(6)?",
                "indid smallint?",
                "root binary(6)?",
                "minlen smallint?",
                "keycnt smallint?",
                "groupid smallint?",
                "dpages int?",
                "reserved int?",
                "used int?",
                "rowcnt bigint?",
                "rowmodctr int?",
                "reserved3 int?",
                "reserved4 int?",
                "xmaxlen smallint?",
                "maxirow smallint?",
                "OrigFillFactor tinyint?",
                "StatVersion tinyint?",
                "reserved2 int?",
                "FirstIAM binary(6)?",
                "impid smallint?",
                "lockflags smallint?",
                "pgmodctr int?",
                "keys varbinary(1088)?",
                "name sysname?",
                "maxlen int?",
                "rows int?",
            ],
            sysindexes,
        )
        .reached(Reach::Bare),
        sys(
            "sysdatabases",
            needs::DATABASES_SEEN,
            &[
                "name sysname!",
                "dbid smallint?",
                "sid varbinary(85)?",
                "mode smallint?",
                "status int?",
                "status2 int?",
                "crdate datetime!",
                "reserved datetime?",
                "category int?",
                "cmptlevel tinyint!",
                "filename nvarchar(260)?",
                "version smallint?",
            ],
            sysdatabases,
        )
        .reached(Reach::Bare),
        sys(
            "sysfiles",
            needs::PUBLIC,
            &[
                "fileid smallint?",
                "groupid smallint?",
                "size int!",
                "maxsize int!",
                "growth int!",
                "status int?",
                "perf int?",
                "name sysname!",
                "filename nvarchar(260)?",
            ],
            |cx, _, rows| {
                for f in cx.database.storage.files() {
                    rows.push(file_cells(&f));
                }
                Ok(())
            },
        )
        .reached(Reach::Bare),
        sys(
            "sysaltfiles",
            needs::FILES_SEEN,
            &[
                "fileid smallint?",
                "groupid smallint?",
                "size int!",
                "maxsize int!",
                "growth int!",
                "status int?",
                "perf int?",
                "dbid smallint?",
                "name sysname!",
                "filename nvarchar(260)?",
            ],
            |cx, _, rows| {
                for slot in cx.session.instance.databases().list() {
                    let Some(db) = &slot.database else { continue };
                    for f in db.storage.files() {
                        let mut cells = file_cells(&f);
                        cells.insert(7, Value::BigInt(db.id.0 as i64));
                        rows.push(cells);
                    }
                }
                Ok(())
            },
        )
        .reached(Reach::Bare),
        sys(
            SPT_VALUES,
            needs::PUBLIC,
            &[
                "name nvarchar(35)?",
                "number int!",
                "type nchar(3)!",
                "low int?",
                "high int?",
                "status int?",
            ],
            |_, _, rows| {
                // Of its types only P, the numbers, with the byte and the bit that a bit map has for them.
                for n in 0..2048 {
                    rows.push(row![(), n, "P", n / 8 + 1, 1 << (n % 8), 0]);
                }
                Ok(())
            },
        )
        .reached(Reach::BareInMaster),
        sys(
            "syscomments",
            needs::METADATA,
            &[
                "id int!",
                "number smallint?",
                "colid smallint!",
                "status smallint!",
                "ctext varbinary(8000)?",
                "texttype smallint?",
                "language smallint?",
                "encrypted bit!",
                "compressed bit!",
                "text nvarchar(4000)?",
            ],
            syscomments,
        )
        .reached(Reach::Bare),
    ]);
}

fn file_cells(f: &taffrail_storage::FileInfo) -> Vec<Value> {
    let is_log = f.kind == FileKind::Log;
    let growth = match f.growth {
        Growth::None => 0,
        Growth::Bytes(by) => (by / 8192) as i64,
        Growth::Percent(n) => n as i64,
    };
    let percent = matches!(f.growth, Growth::Percent(_));
    let max = f.max_size.map_or(-1, |m| (m / 8192) as i64);
    let status = 2 | if is_log { 0x40 } else { 0 } | if percent { 0x10_0000 } else { 0 };
    let path = f.path.to_string_lossy().into_owned();
    row![f.id.0, !is_log, f.size / 8192, max, growth, status, 0, &f.name, path]
}

fn sysindexes(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    super::indexes::each_index(cx, |table, index| {
        let used = super::indexes::space(cx, index)?;
        let mut status = if index.unique { 2 } else { 0 };
        status |= if index.kind == IndexKind::Clustered { 16 } else { 0 };
        status |= if index.primary_key { 2048 } else { 0 };
        status |= if index.unique_constraint { 4096 } else { 0 };
        rows.push(row![
            table.head.id.0,
            status,
            (),
            index.id.0,
            (),
            0,
            index.key.columns().len(),
            1,
            used.used_pages.saturating_sub(used.iam_pages),
            used.reserved_pages,
            used.used_pages,
            used.rows,
            0,
            0,
            0,
            0,
            0,
            index.fill_factor,
            0,
            0,
            (),
            0,
            0,
            0,
            (),
            (index.kind != IndexKind::Heap).then_some(&index.name),
            8000,
            used.rows
        ]);
        Ok(())
    })
}

fn sysdatabases(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let seen = cx.session.databases_seen();
    let slots = cx.session.instance.databases().list();
    for slot in slots.into_iter().filter(|slot| seen.database(&slot.entry)) {
        let e = &slot.entry;
        let (state, _) = slot.state();
        let simple = slot.database.as_ref().is_some_and(|d| {
            d.storage.options().recovery_model == taffrail_storage::RecoveryModel::Simple
        });
        let status = 0x10000
            | if simple { 8 } else { 0 }
            | match state {
                4 => 256,
                6 => 512,
                _ => 0,
            };
        let path = e.files.first().map(|f| f.to_string_lossy().into_owned());
        rows.push(row![
            &e.name,
            e.id.0,
            &e.owner_sid[..],
            0,
            status,
            0,
            &e.created,
            (),
            0,
            e.compatibility_level,
            path,
            957
        ]);
    }
    Ok(())
}

/// Text in pieces of 4,000 characters.
fn syscomments(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for object in cx.objects() {
        let (id, text) = match &object {
            crate::catalog::Object::Constraint(c)
                if !c.definition.is_empty() && cx.sees_definition(&c.head) =>
            {
                (c.head.id.0, c.definition.clone())
            }
            other => match other.as_module() {
                Some(m) => match m.shown().filter(|_| cx.sees_definition(&m.head)) {
                    Some(text) => (m.head.id.0, text.clone()),
                    None => {
                        rows.push(row![m.head.id.0, 1, 1, 0, (), 6, 0, true, false, ()]);
                        continue;
                    }
                },
                None => continue,
            },
        };
        let characters: Vec<char> = text.chars().collect();
        for (n, piece) in characters.chunks(4000).enumerate() {
            let piece: String = piece.iter().collect();
            rows.push(row![id, 1, n + 1, 0, (), 2, 0, false, false, piece]);
        }
    }
    Ok(())
}
