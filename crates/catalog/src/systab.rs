//! The tables that hold the catalogue: B+ trees with fixed numbers in every database.
//!
//! | hobt | table | key | columns |
//! |---|---|---|---|
//! | 1 | sysobjects | object id | [`ObjectRow`](super::rows::ObjectRow) |
//! | 2 | syscolumns | object id, column id | columns of tables and views; parameters of procedures and functions ([`super::module_rows`]) |
//! | 3 | sysindexes | object id, index id | |
//! | 4 | sysindexcolumns | object id, index id, position | |
//! | 5 | sysmodules | object id | text of modules, defaults, checks; base of a synonym; properties of a sequence; text of a table type |
//! | 6 | sysschemas | schema id | |
//! | 7 | sysidentity | sequence | limit; see [`super::identity`]; the last value of a sequence object ([`super::sequence`]) |
//! | 8 | sysinfo | number … | facts about the database, the version of this schema among them; extended properties; principals ([`super::principals`]); in master sessions of events |
//! | 32 | sysdatabases (master) | database id | |
//! | 33 | syslogins (master) | principal id | |
//! | 34 | sysconfigures (master) | configuration id | |
//! | 35 | sysmasterfiles (master) | database id, file id | files as they are configured: tempdb's |
//! | 36 | sysmasteroptions (master) | database id | options as they are configured: tempdb's |
//!
//! A key is 8 bytes per column, big-endian with the sign bit turned, so that bytes sort as the numbers do. A value is a
//! row in the format of [`crate::rowcodec::layout`]; columns are only ever added at the end, so an older row reads the
//! new ones as NULL.

use crate::rowcodec::{RowLayout, TableLobs, UnlockedLobs, damaged};
use taffrail_base::{HobtId, SqlResult};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    Direction, Hobt, KeyRange, ScanLocks, StorageError, Transaction, btree, lob,
};
use taffrail_types::{MaxLen, SqlType, Value};

/// One table of the catalogue.
pub struct SystemTable {
    /// Its name, as `sys.sys…` of SQL Server's older versions.
    pub name: &'static str,
    /// The tree with the table's rows.
    pub hobt: HobtId,
    types: &'static [SqlType],
}

const NAME: SqlType = SqlType::NVarChar(MaxLen::N(128));
const TEXT: SqlType = SqlType::NVarChar(MaxLen::Max);
const BLOB: SqlType = SqlType::VarBinary(MaxLen::Max);
const INT: SqlType = SqlType::Int;
const BIG: SqlType = SqlType::BigInt;
const DATE: SqlType = SqlType::DateTime;

impl SystemTable {
    /// How its rows are written.
    pub fn layout(&self) -> RowLayout {
        RowLayout::of_types(self.types.iter().copied())
    }
}

/// The tables of the catalogue, as constants.
pub struct SystemTables;

#[allow(missing_docs)]
impl SystemTables {
    /// All of them, those of master alone included.
    pub const ALL: [SystemTable; 13] = [
        Self::OBJECTS,
        Self::COLUMNS,
        Self::INDEXES,
        Self::INDEX_COLUMNS,
        Self::MODULES,
        Self::SCHEMAS,
        Self::IDENTITY,
        Self::INFO,
        Self::DATABASES,
        Self::LOGINS,
        Self::CONFIGURES,
        Self::MASTER_FILES,
        Self::MASTER_OPTIONS,
    ];
    /// schema id, name, kind, parent, created, modified, flags, detail; of a table with history ([`super::temporal`]) also the other
    /// table, how long rows are kept there, and the unit of that
    pub const OBJECTS: SystemTable = SystemTable {
        name: "sysobjects",
        hobt: HobtId(1),
        types: &[INT, NAME, NAME, INT, DATE, DATE, INT, INT, INT, INT, INT],
    };
    /// name, type, flags, collation, offset, null bit, default id, missing value, seed, increment, sequence, user type id
    pub const COLUMNS: SystemTable = SystemTable {
        name: "syscolumns",
        hobt: HobtId(2),
        types: &[
            NAME,
            SqlType::VarBinary(MaxLen::N(4)),
            INT,
            INT,
            INT,
            INT,
            INT,
            BLOB,
            BIG,
            BIG,
            BIG,
            INT,
        ],
    };
    /// name, kind, hobt, flags, fill factor, constraint id, filter ([`super::filter`]): text, terms
    pub const INDEXES: SystemTable = SystemTable {
        name: "sysindexes",
        hobt: HobtId(3),
        types: &[NAME, INT, BIG, INT, INT, INT, TEXT, BLOB],
    };
    /// column id, key ordinal, flags
    pub const INDEX_COLUMNS: SystemTable =
        SystemTable { name: "sysindexcolumns", hobt: HobtId(4), types: &[INT, INT, INT] };
    /// The definitions of modules: flags, definition, the principal as whom it runs where flags have no room for it, the events of a
    /// trigger of a database or of the server ([`super::ddl_trigger`])
    pub const MODULES: SystemTable =
        SystemTable { name: "sysmodules", hobt: HobtId(5), types: &[INT, TEXT, INT, BLOB] };
    /// The schemas of a database: name, principal id.
    pub const SCHEMAS: SystemTable =
        SystemTable { name: "sysschemas", hobt: HobtId(6), types: &[NAME, INT] };
    /// The reserved numbers of identity sequences: limit.
    pub const IDENTITY: SystemTable =
        SystemTable { name: "sysidentity", hobt: HobtId(7), types: &[BIG] };
    /// number, text, value of an extended property ([`super::properties`])
    pub const INFO: SystemTable =
        SystemTable { name: "sysinfo", hobt: HobtId(8), types: &[BIG, TEXT, BLOB] };
    /// name, files (one a line), created, state, owner sid, compatibility level
    pub const DATABASES: SystemTable = SystemTable {
        name: "sysdatabases",
        hobt: HobtId(32),
        types: &[NAME, TEXT, DATE, INT, SqlType::VarBinary(MaxLen::N(85)), INT],
    };
    /// name, sid, password hash, disabled, default database, created, modified; of all but sa also kind, flags, language, owner,
    /// moment of the password ([`super::principals::rows`])
    pub const LOGINS: SystemTable = SystemTable {
        name: "syslogins",
        hobt: HobtId(33),
        types: &[
            NAME,
            SqlType::VarBinary(MaxLen::N(85)),
            TEXT,
            INT,
            NAME,
            DATE,
            DATE,
            INT,
            INT,
            NAME,
            INT,
            DATE,
        ],
    };
    /// The configuration options of the server: value.
    pub(crate) const CONFIGURES: SystemTable =
        SystemTable { name: "sysconfigures", hobt: HobtId(34), types: &[BIG] };
    /// name, size, growth, growth is in percent, maximum size (bytes; NULL is unlimited)
    pub const MASTER_FILES: SystemTable = SystemTable {
        name: "sysmasterfiles",
        hobt: HobtId(35),
        types: &[NAME, BIG, BIG, INT, BIG],
    };
    /// delayed durability, target recovery time, log initialisation, VLF algorithm (NULL: the instance's)
    pub(crate) const MASTER_OPTIONS: SystemTable =
        SystemTable { name: "sysmasteroptions", hobt: HobtId(36), types: &[INT, BIG, INT, INT] };
}

/// The bytes of a key.
pub fn key(parts: &[i64]) -> Vec<u8> {
    parts.iter().flat_map(|p| ((*p as u64) ^ (1 << 63)).to_be_bytes()).collect()
}

/// The numbers of a key.
pub fn key_parts(key: &[u8]) -> SqlResult<Vec<i64>> {
    if key.is_empty() || !key.len().is_multiple_of(8) {
        return Err(damaged("a catalogue key"));
    }
    let part =
        |b: &[u8]| (u64::from_be_bytes(b.try_into().expect("eight bytes")) ^ (1 << 63)) as i64;
    Ok(key.chunks(8).map(part).collect())
}

fn sql(e: StorageError) -> Box<taffrail_base::SqlError> {
    e.to_sql()
}

/// Writes a row, new or in place of the one with that key.
pub fn put(
    tx: &mut Transaction,
    table: &SystemTable,
    parts: &[i64],
    values: &[Value],
) -> SqlResult<()> {
    let database = tx.database().clone();
    let hobt = database.hobt(table.hobt).map_err(sql)?;
    tx.lock_object(hobt.object(), LockMode::IX).map_err(sql)?;
    let layout = RowLayout::of_types(table.types.iter().copied());
    let key = key(parts);
    let mut row = Vec::new();
    let mut old = Vec::new();
    let exists = btree::get(tx, &hobt, &key, ScanLocks::Update, &mut old).map_err(sql)?;
    // Columns that came later may be left out, as in rows that are older than they are.
    let written = RowLayout::of_types(table.types.iter().copied().take(values.len()));
    written.encode(values, &mut row, &mut TableLobs { tx, hobt: &hobt })?;
    if exists {
        for gone in layout.lobs(&old)? {
            lob::delete(tx, &hobt, gone).map_err(sql)?;
        }
        btree::update(tx, &hobt, &key, &row).map_err(sql)
    } else {
        btree::insert(tx, &hobt, &key, &row).map_err(sql)
    }
}

/// Removes the row with that key; nothing happens if there is none.
pub fn remove(tx: &mut Transaction, table: &SystemTable, parts: &[i64]) -> SqlResult<()> {
    let database = tx.database().clone();
    let hobt = database.hobt(table.hobt).map_err(sql)?;
    tx.lock_object(hobt.object(), LockMode::IX).map_err(sql)?;
    let layout = RowLayout::of_types(table.types.iter().copied());
    let key = key(parts);
    let mut old = Vec::new();
    if btree::get(tx, &hobt, &key, ScanLocks::Exclusive, &mut old).map_err(sql)? {
        for gone in layout.lobs(&old)? {
            lob::delete(tx, &hobt, gone).map_err(sql)?;
        }
        btree::delete(tx, &hobt, &key).map_err(sql)?;
    }
    Ok(())
}

/// Removes all rows whose keys begin with `prefix`.
pub fn remove_all(tx: &mut Transaction, table: &SystemTable, prefix: &[i64]) -> SqlResult<()> {
    for (key, _) in scan(tx, table, prefix)? {
        remove(tx, table, &key)?;
    }
    Ok(())
}

/// The row with that key.
pub fn get(
    tx: &mut Transaction,
    table: &SystemTable,
    parts: &[i64],
) -> SqlResult<Option<Vec<Value>>> {
    get_locked(tx, table, parts, ScanLocks::None)
}

/// As [`get`], with a lock on the row: what another transaction has written and may take back is waited for.
pub(crate) fn get_locked(
    tx: &mut Transaction,
    table: &SystemTable,
    parts: &[i64],
    locks: ScanLocks,
) -> SqlResult<Option<Vec<Value>>> {
    let database = tx.database().clone();
    let hobt = database.hobt(table.hobt).map_err(sql)?;
    if locks == ScanLocks::Update {
        tx.lock_object(hobt.object(), LockMode::IX).map_err(sql)?;
    }
    let mut row = Vec::new();
    if !btree::get(tx, &hobt, &key(parts), locks, &mut row).map_err(sql)? {
        return Ok(None);
    }
    let layout = RowLayout::of_types(table.types.iter().copied());
    values(tx, &hobt, &layout, &key(parts), &mut row)
}

/// The values of a row that was read without a lock; none: it has gone since.
fn values(
    tx: &mut Transaction,
    hobt: &Hobt,
    layout: &RowLayout,
    key: &[u8],
    row: &mut Vec<u8>,
) -> SqlResult<Option<Vec<Value>>> {
    loop {
        let mut values = Vec::with_capacity(layout.columns().len());
        let mut lobs = UnlockedLobs::new(tx, hobt);
        match layout.decode(row, &mut values, &mut lobs) {
            Ok(()) => return Ok(Some(values)),
            Err(e) if !lobs.gone => return Err(e),
            Err(_) => {}
        }
        // A long text was replaced in between. A row that is the same as before says that it is really not there.
        let before = std::mem::take(row);
        if !btree::get(tx, hobt, key, ScanLocks::None, row).map_err(sql)? {
            return Ok(None);
        }
        if *row == before {
            values.clear();
            layout.decode(row, &mut values, &mut TableLobs { tx, hobt })?;
            return Ok(Some(values));
        }
    }
}

/// A row with its key.
pub type Keyed = (Vec<i64>, Vec<Value>);

/// All rows whose keys begin with `prefix`, in order. Reads without locks: whoever changes an object's rows holds
/// Sch-M on it, and the cache above is what everybody else looks at.
pub fn scan(tx: &mut Transaction, table: &SystemTable, prefix: &[i64]) -> SqlResult<Vec<Keyed>> {
    let database = tx.database().clone();
    let hobt = database.hobt(table.hobt).map_err(sql)?;
    let layout = RowLayout::of_types(table.types.iter().copied());
    let range = if prefix.is_empty() {
        KeyRange::default()
    } else {
        let lower = key(prefix);
        KeyRange {
            upper: crate::rowcodec::key::after_prefix(&lower),
            lower: Some(lower),
            ..KeyRange::default()
        }
    };
    let mut cursor = btree::seek(&hobt, range, Direction::Forward, ScanLocks::None);
    let mut rows = Vec::new();
    let (mut key, mut row) = (Vec::new(), Vec::new());
    loop {
        match cursor.next(tx).map_err(sql)? {
            None => return Ok(rows),
            Some((k, v)) => {
                key.clear();
                key.extend_from_slice(k);
                row.clear();
                row.extend_from_slice(v);
            }
        }
        if let Some(values) = values(tx, &hobt, &layout, &key, &mut row)? {
            rows.push((key_parts(&key)?, values));
        }
    }
}

/// An int or bigint column of a row.
pub fn number(row: &[Value], column: usize) -> SqlResult<i64> {
    row.get(column).and_then(Value::as_i64).ok_or_else(|| damaged("a catalogue row"))
}

/// The same; NULL is `None`.
pub(crate) fn number_or_null(row: &[Value], column: usize) -> Option<i64> {
    row.get(column).and_then(Value::as_i64)
}

/// A text column of a row; NULL reads as empty.
pub fn text(row: &[Value], column: usize) -> SqlResult<String> {
    match row.get(column) {
        Some(Value::Null) => Ok(String::new()),
        Some(v) => v.as_text().ok_or_else(|| damaged("a catalogue row")),
        None => Err(damaged("a catalogue row")),
    }
}

/// A binary column of a row; NULL reads as empty.
pub fn bytes(row: &[Value], column: usize) -> SqlResult<&[u8]> {
    match row.get(column) {
        Some(Value::Null) => Ok(&[]),
        Some(v) => v.as_bytes().ok_or_else(|| damaged("a catalogue row")),
        None => Err(damaged("a catalogue row")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_sort_as_their_numbers() {
        let numbers = [i64::MIN, -5, -1, 0, 1, 255, 256, i64::MAX];
        for w in numbers.windows(2) {
            assert!(key(&[w[0]]) < key(&[w[1]]));
            assert!(key(&[w[0], 9]) < key(&[w[1], 0]));
        }
        assert_eq!(key_parts(&key(&[-7, 3])).unwrap(), [-7, 3]);
        assert!(key_parts(&[1, 2]).is_err());
    }
}
