//! What INSERT, UPDATE and DELETE have in common: values into columns, keys and entries of indexes, their errors.

use crate::catalog::{Index, IndexKind, KeyTail, Table};
use crate::database::Database;
use crate::exec::runtime::Rt;
use crate::memory::{self, Held};
use crate::plan::change::OutputPlan;
use crate::plan::expr::Pred;
use crate::rowcodec::key::{MAX_CLUSTERED_KEY_BYTES, MAX_NONCLUSTERED_KEY_BYTES, write_entry};
use crate::rowcodec::layout::NoLobs;
use crate::session::Session;
use std::sync::Arc;
use taffrail_base::{DatabaseId, SqlError, SqlResult};
use taffrail_storage::{FileFull, Rid, StorageError, btree, heap, lob};
use taffrail_types::convert::{AssignError, assign, cast_with};
use taffrail_types::{Conversion, ConvertContext, MaxLen, SqlType, Value, text};

/// Buffers that statements of a session reuse, so that a row costs no allocation.
#[derive(Default)]
pub(crate) struct Scratch {
    pub frame: Vec<Value>,
    pub values: Vec<Value>,
    pub row: Vec<u8>,
    pub key: Vec<u8>,
    pub entry: Vec<u8>,
    pub covered: Vec<u8>,
    pub target_row: Vec<u8>,
}

impl Session {
    /// The buffers, new ones where another statement of the session has them. Whoever takes them puts them back.
    pub(super) fn take_scratch(&mut self) -> Box<Scratch> {
        self.running.scratch.take().unwrap_or_default()
    }
}

/// Which statement fails, for messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verb {
    Insert,
    Update,
}

impl Verb {
    fn text(self) -> &'static str {
        match self {
            Verb::Insert => "INSERT",
            Verb::Update => "UPDATE",
        }
    }
}

/// `database.schema.table`, as messages about rows show it; a table variable's name alone.
pub(crate) fn full_name(database: &Database, table: &Table) -> String {
    if table.is_variable() {
        return table.shown().to_string();
    }
    format!("{}.{}.{}", database.name, table.head.schema, table.head.name)
}

/// Whether a value can go into the column as it is.
#[inline]
fn fits(v: &Value, from: SqlType, to: SqlType) -> bool {
    if from == to {
        // Fixed-length text must be padded already, which a value of the very type is.
        return true;
    }
    match (v, to) {
        (Value::VarChar(b), SqlType::VarChar(MaxLen::N(n))) => b.len() <= n as usize,
        (Value::NVarChar(b), SqlType::NVarChar(MaxLen::N(n))) => b.len() <= n as usize * 2,
        (Value::Binary(b), SqlType::VarBinary(MaxLen::N(n))) => b.len() <= n as usize,
        (Value::VarChar(_), SqlType::VarChar(MaxLen::Max))
        | (Value::NVarChar(_), SqlType::NVarChar(MaxLen::Max))
        | (Value::Binary(_), SqlType::VarBinary(MaxLen::Max)) => true,
        _ => false,
    }
}

/// Converts a value for a column: 515, 2628, conversion errors.
#[inline]
pub(crate) fn store(
    v: Value,
    from: SqlType,
    table: &Table,
    column: usize,
    database: &Database,
    verb: Verb,
    context: &ConvertContext,
) -> SqlResult<Value> {
    let c = &table.columns[column];
    if v.is_null() {
        return if c.nullable { Ok(v) } else { Err(null_error(database, table, column, verb)) };
    }
    if fits(&v, from, c.ty) {
        return Ok(if c.unpadded { trim(v, c.ty) } else { v });
    }
    // What is cut has to be there still.
    let whole = if context.ansi_warnings { Value::Null } else { v.clone() };
    match assign(v, from, c.ty, context) {
        Ok(v) => Ok(if c.unpadded { trim(v, c.ty) } else { v }),
        Err(AssignError::Sql(e)) => Err(e),
        // ANSI_WARNINGS OFF: it is cut.
        Err(AssignError::Truncated(_)) if !context.ansi_warnings => {
            cast_with(&whole, from, c.ty, None, Conversion::Implicit, context)
        }
        Err(AssignError::Truncated(t)) => {
            Err(SqlError::new(2628, &[&full_name(database, table), &c.name, &t]))
        }
    }
}

/// What a column keeps that was made under ANSI_PADDING OFF.
#[cold]
pub(crate) fn trim(mut v: Value, ty: SqlType) -> Value {
    let (bytes, filler) = match (&mut v, ty) {
        (Value::VarChar(bytes), SqlType::VarChar(_)) => (bytes, b' '),
        (Value::Binary(bytes), SqlType::VarBinary(_)) => (bytes, 0),
        _ => return v,
    };
    let kept = bytes.iter().rposition(|b| *b != filler).map_or(0, |last| last + 1);
    bytes.truncate(kept);
    v
}

#[cold]
fn null_error(database: &Database, table: &Table, column: usize, verb: Verb) -> Box<SqlError> {
    let name = &table.columns[column].name;
    SqlError::new(515, &[name, &full_name(database, table), &verb.text()]).with_state(2)
}

/// 2627 or 2601 for a key that is there already.
#[cold]
pub(crate) fn duplicate(table: &Table, index: &Index, values: &[Value]) -> Box<SqlError> {
    let columns = index.key.columns().iter().map(|k| (&values[k.column], k.ty));
    let key = text::key_text(columns);
    let object = format!("{}.{}", table.head.schema, table.shown());
    if index.primary_key || index.unique_constraint {
        let kind = if index.primary_key { "PRIMARY KEY" } else { "UNIQUE KEY" };
        return SqlError::new(2627, &[&kind, &index.name, &object, &key]);
    }
    SqlError::new(2601, &[&object, &index.name, &key])
}

impl Session {
    /// An error of storage as the client's.
    #[cold]
    pub fn storage_error(&self, e: StorageError) -> Box<SqlError> {
        match &e {
            StorageError::FileFull(full) => self.file_full(full).unwrap_or_else(|| e.to_sql()),
            _ => e.to_sql(),
        }
    }

    /// 1105 with names, `'dbo.t'` or `'dbo.t'.'PK_t'`: storage knows objects and indexes by their ids.
    fn file_full(&self, full: &FileFull) -> Option<Box<SqlError>> {
        let database = self.instance.databases().get(&full.database).ok()?;
        let id = taffrail_base::ObjectId(full.object.parse().ok()?);
        let object = database.catalog.object(id, crate::catalog::Sight::EVERYTHING)?;
        let index = object.as_table().and_then(|t| t.indexes.iter().find(|i| i.id == full.index));
        Some(no_room(&object.head().qualified(), index.map(|i| &**i), &full.database))
    }
}

/// 1105: no room for a table's rows, or an index's.
fn no_room(object: &str, index: Option<&Index>, database: &str) -> Box<SqlError> {
    let index = index.filter(|i| !i.name.is_empty());
    let index = index.map_or_else(String::new, |i| format!(".'{}'", i.name));
    SqlError::new(1105, &[&object, &index, &database, &"PRIMARY"]).with_state(2)
}

/// CHECK constraints: 547. The checks' frame is the table's columns.
pub(crate) fn check_row<'a>(
    rt: &mut Rt<'a>,
    checks: &'a [(Arc<str>, Pred)],
    database: &Database,
    table: &Table,
    values: &mut Vec<Value>,
    verb: Verb,
) -> SqlResult<()> {
    if checks.is_empty() {
        return Ok(());
    }
    std::mem::swap(&mut rt.frame, values);
    let mut failed = Ok(());
    for (name, p) in checks {
        match rt.test(p) {
            Ok(Some(false)) => {
                let check = table.checks.iter().find(|c| c.name == *name);
                let at = check.map_or_else(String::new, |c| crate::ddl::of_column(table, c));
                let object = match table.is_variable() {
                    true => table.shown().to_string(),
                    false => table.head.qualified(),
                };
                let parts: [&dyn std::fmt::Display; 6] =
                    [&verb.text(), &"CHECK", name, &database.name, &object, &at];
                let e = SqlError::new(547, &parts);
                failed = Err(e.with_state(0));
            }
            Ok(_) => {}
            Err(e) => failed = Err(e),
        }
        if failed.is_err() {
            break;
        }
    }
    std::mem::swap(&mut rt.frame, values);
    failed
}

/// Adds the entry of a row to a nonclustered index.
pub(crate) fn add_entry(
    session: &mut Session,
    database: DatabaseId,
    table: &Table,
    index: &Index,
    values: &[Value],
    locator: &[u8],
    s: &mut Scratch,
) -> SqlResult<()> {
    if !index.holds(values) {
        return Ok(());
    }
    entry_key(index, values, locator, &mut s.key)?;
    covered_row(index, values, &mut s.covered)?;
    write_entry(locator, &s.covered, &mut s.entry);
    let hobt = index.hobt()?;
    match btree::insert(session.part(database), hobt, &s.key, &s.entry) {
        Ok(()) => Ok(()),
        Err(StorageError::DuplicateKey) => Err(duplicate(table, index, values)),
        Err(e) => Err(session.storage_error(e)),
    }
}

/// Takes the entry of a row out of a nonclustered index.
pub(crate) fn remove_entry(
    session: &mut Session,
    database: DatabaseId,
    index: &Index,
    values: &[Value],
    locator: &[u8],
    s: &mut Scratch,
) -> SqlResult<()> {
    if !index.holds(values) {
        return Ok(());
    }
    entry_key(index, values, locator, &mut s.key)?;
    let hobt = index.hobt()?;
    match btree::delete(session.part(database), hobt, &s.key) {
        Ok(_) => Ok(()),
        Err(e) => Err(session.storage_error(e)),
    }
}

/// The key of a row's entry in a nonclustered index.
pub(crate) fn entry_key(
    index: &Index,
    values: &[Value],
    locator: &[u8],
    key: &mut Vec<u8>,
) -> SqlResult<()> {
    key.clear();
    index.key.append_row(values, key);
    if index.tail() == KeyTail::Locator {
        key.extend_from_slice(locator);
    }
    check_key(index, values, key)
}

/// 1946 for the key of a row (all values of the table's columns) that is too long for its index. `key`: as it is written.
#[inline]
pub(crate) fn check_key(index: &Index, values: &[Value], key: &[u8]) -> SqlResult<()> {
    if index.key.declared_bytes() > MAX_CLUSTERED_KEY_BYTES || key.len() > btree::MAX_KEY {
        return check_long_key(index, values, key);
    }
    Ok(())
}

#[inline(never)]
fn check_long_key(index: &Index, values: &[Value], key: &[u8]) -> SqlResult<()> {
    let (most, what) = match index.kind {
        IndexKind::Clustered => (MAX_CLUSTERED_KEY_BYTES, "clustered"),
        _ => (MAX_NONCLUSTERED_KEY_BYTES, "nonclustered"),
    };
    // A tree has a limit of its own: zeroes in binary values take two bytes, and the row's locator may follow.
    let bytes = match index.key.value_bytes(values) {
        bytes if bytes > most => bytes,
        _ if key.len() > btree::MAX_KEY => key.len(),
        _ => return Ok(()),
    };
    Err(SqlError::new(1946, &[&bytes, &index.name, &most, &what]))
}

fn covered_row(index: &Index, values: &[Value], out: &mut Vec<u8>) -> SqlResult<()> {
    // Few columns: their copies cost less than a second kind of encoder.
    let covered: smallvec::SmallVec<[Value; 8]> =
        index.covered.iter().map(|c| values[*c].clone()).collect();
    index.covered_layout.encode(&covered, out, &mut NoLobs)
}

/// The key of a row in a clustered index; a new number where the columns need not be unique.
pub(crate) fn clustered_key(
    database: &Database,
    index: &Index,
    values: &[Value],
    key: &mut Vec<u8>,
) -> SqlResult<()> {
    key.clear();
    index.key.append_row(values, key);
    if index.tail() == KeyTail::RowNumber {
        key.extend_from_slice(&database.catalog.next_row_number()?.to_be_bytes());
    }
    check_key(index, values, key)
}

/// Adds a row, of bytes in `s.row` and values `values`, to the base and all indexes.
pub(crate) fn add_row(
    session: &mut Session,
    database: &Database,
    table: &Table,
    values: &[Value],
    s: &mut Scratch,
) -> SqlResult<()> {
    let base = table.base();
    let hobt = base.hobt()?;
    let nonclustered = table.nonclustered();
    if base.kind == IndexKind::Heap {
        let rid = heap::insert(session.part(database.id), hobt, &s.row);
        let rid = rid.map_err(|e| session.storage_error(e))?;
        if nonclustered.is_empty() {
            return Ok(());
        }
        let locator = rid.to_bytes();
        for index in nonclustered {
            add_entry(session, database.id, table, index, values, &locator, s)?;
        }
        return Ok(());
    }
    clustered_key(database, base, values, &mut s.key)?;
    match btree::insert(session.part(database.id), hobt, &s.key, &s.row) {
        Ok(()) => {}
        Err(StorageError::DuplicateKey) => return Err(duplicate(table, base, values)),
        Err(e) => return Err(session.storage_error(e)),
    }
    if nonclustered.is_empty() {
        return Ok(());
    }
    let locator = s.key.clone();
    for index in nonclustered {
        add_entry(session, database.id, table, index, values, &locator, s)?;
    }
    Ok(())
}

/// Takes a row out of the base; false when it is not there (any more).
pub(crate) fn remove_base(
    session: &mut Session,
    database: &Database,
    table: &Table,
    locator: &[u8],
) -> SqlResult<bool> {
    let base = table.base();
    let hobt = base.hobt()?;
    let tx = session.part(database.id);
    let gone = match base.kind {
        IndexKind::Heap => match locator.try_into() {
            Ok(bytes) => heap::delete(tx, hobt, Rid::from_bytes(bytes)),
            Err(_) => Ok(false),
        },
        _ => btree::delete(tx, hobt, locator),
    };
    gone.map_err(|e| session.storage_error(e))
}

/// Replaces a row's bytes in the base.
pub(crate) fn replace_base(
    session: &mut Session,
    database: &Database,
    table: &Table,
    locator: &[u8],
    row: &[u8],
) -> SqlResult<()> {
    let base = table.base();
    let hobt = base.hobt()?;
    let tx = session.part(database.id);
    let done = match base.kind {
        IndexKind::Heap => match locator.try_into() {
            Ok(bytes) => heap::update(tx, hobt, Rid::from_bytes(bytes), row),
            Err(_) => Err(StorageError::RowNotFound),
        },
        _ => btree::update(tx, hobt, locator, row),
    };
    done.map_err(|e| session.storage_error(e))
}

/// Frees the overflow pages of a row that goes away.
pub(crate) fn free_lobs(
    session: &mut Session,
    database: &Database,
    table: &Table,
    row: &[u8],
) -> SqlResult<()> {
    let lobs = table.layout.lobs(row)?;
    if lobs.is_empty() {
        return Ok(());
    }
    let hobt = table.base().hobt()?;
    for l in lobs {
        let done = lob::delete(session.part(database.id), hobt, l);
        done.map_err(|e| session.storage_error(e))?;
    }
    Ok(())
}

/// All values of a row.
pub(crate) fn decode_row(
    session: &mut Session,
    database: &Database,
    table: &Table,
    row: &[u8],
    out: &mut Vec<Value>,
) -> SqlResult<()> {
    out.clear();
    let hobt = table.base().hobt()?.clone();
    let tx = session.part(database.id);
    let mut lobs = crate::rowcodec::layout::TableLobs { tx, hobt: &hobt };
    table.layout.decode(row, out, &mut lobs)
}

/// Writes a row's bytes from its values.
pub(crate) fn encode_row(
    session: &mut Session,
    database: &Database,
    table: &Table,
    values: &[Value],
    out: &mut Vec<u8>,
) -> SqlResult<()> {
    let hobt = table.base().hobt()?;
    let tx = session.part(database.id);
    let mut lobs = crate::rowcodec::layout::TableLobs { tx, hobt };
    table.layout.encode(values, out, &mut lobs).map_err(|e| match e.number {
        // Who writes large values knows no names.
        1101 => no_room(&table.head.qualified(), Some(table.base()), &database.name),
        _ => e,
    })
}

/// Rows of OUTPUT, until the statement's rows are changed.
#[derive(Default)]
pub(crate) struct OutputRows {
    rows: Vec<Vec<Value>>,
    held: Held,
}

impl OutputRows {
    fn push(&mut self, row: Vec<Value>) {
        self.held.add(size_of::<Vec<Value>>());
        self.held.values(&row);
        self.rows.push(row);
    }
}

/// Gives one changed row to OUTPUT.
pub(crate) fn output_row<'a>(
    rt: &mut Rt<'a>,
    o: &'a OutputPlan,
    inserted: Option<&[Value]>,
    deleted: Option<&[Value]>,
    out: &mut OutputRows,
) -> SqlResult<()> {
    for (list, row) in [(&o.inserted, inserted), (&o.deleted, deleted)] {
        if let Some(row) = row {
            for (c, s) in list {
                rt.frame[*s as usize] = row[*c].clone();
            }
        }
    }
    for (e, s) in &o.items {
        rt.frame[*s as usize] = rt.eval(e)?;
    }
    out.push(o.outputs.iter().map(|s| rt.frame[*s as usize].clone()).collect());
    Ok(())
}

/// Sends the columns of an OUTPUT that goes to the client, before the first row is changed: an error comes after them.
pub(crate) fn begin_output<'a>(rt: &mut Rt<'a>, o: Option<&'a OutputPlan>) -> SqlResult<()> {
    match o {
        Some(o) if o.into.is_none() => rt.cx.columns(&o.columns),
        _ => Ok(()),
    }
}

/// Sends or stores what OUTPUT has gathered.
pub(crate) fn finish_output<'a>(
    rt: &mut Rt<'a>,
    o: &'a OutputPlan,
    output: OutputRows,
) -> SqlResult<()> {
    memory::check()?;
    match &o.into {
        None => {
            for row in &output.rows {
                rt.cx.row(row)?;
            }
        }
        Some(plan) => {
            super::insert::insert_rows(rt, plan, &output.rows)?;
        }
    }
    Ok(())
}
