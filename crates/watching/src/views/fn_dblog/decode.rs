//! From a record to the cells of its row. Only the columns that a query looks at are made.
//!
//! What a record does not say is NULL, never guessed; where SQL Server's column is NOT NULL and the answer is unknown, it
//! is the null LSN or 0: the previous LSN of a record whose predecessor's VLF has been reused, the log reserve of a split.

use super::columns::Column;
use super::text::{lsn, page, text, text_up_to, time, transaction};
use crate::catalog::systab::SystemTables;
use crate::catalog::{IndexKind, registry::SA_SID};
use crate::database::Database;
use hashbrown::HashMap;
use taffrail_base::{DatabaseId, HobtId, Lsn, ObjectId};
use taffrail_log::{Entry, Lcx, Lop, LsnMap, Record};
use taffrail_storage::access::record::{self, facts};
use taffrail_types::{Bytes, Value};

/// Longest binary value of a cell.
const BINARY_MAX: usize = 8000;
/// Page ids that the 961 characters of `Bulk allocated extent ids` have room for, with a blank between them.
const EXTENT_IDS_MAX: usize = 961 / 14;
/// The version of databases, as `DATABASEPROPERTYEX('…', 'Version')` shows it.
const DATABASE_VERSION: i16 = 957;

/// What is known of a heap or tree.
struct Owner {
    name: Value,
    object: Option<ObjectId>,
}

/// Makes cells.
pub struct Decoder {
    database: DatabaseId,
    owners: HashMap<HobtId, Owner, foldhash::fast::RandomState>,
    operations: Vec<Value>,
    contexts: Vec<Value>,
    /// Transactions that began in what was read and have not ended: their begin records' LSNs. Kept only if asked for.
    begun: Option<HashMap<u64, Lsn, foldhash::fast::RandomState>>,
}

fn small(n: u16) -> Value {
    Value::SmallInt(n.min(i16::MAX as u16) as i16)
}

fn binary(b: &[u8]) -> Value {
    Value::Binary(Bytes::from_slice(&b[..b.len().min(BINARY_MAX)]))
}

fn opt<T>(v: Option<T>, f: impl FnOnce(T) -> Value) -> Value {
    v.map_or(Value::Null, f)
}

/// A value per number, for those that have a name.
fn names(all: impl Iterator<Item = (u8, &'static str)>) -> Vec<Value> {
    let mut list = vec![Value::Null; 256];
    for (n, name) in all {
        list[usize::from(n)] = text(name);
    }
    list
}

impl Decoder {
    /// A decoder for the records of a database. `own`: its catalogue may tell the names of heaps and indexes.
    pub fn new(database: &Database, wanted: &[Column], own: bool) -> Decoder {
        use Column::{AllocUnitName, LockInformation, NumberOfLocks, TransactionBegin};
        let named =
            wanted.iter().any(|c| matches!(c, AllocUnitName | LockInformation | NumberOfLocks));
        Decoder {
            database: database.id,
            owners: if named && own { owners(database) } else { HashMap::default() },
            operations: names(Lop::ALL.iter().map(|l| (*l as u8, l.name()))),
            contexts: names(Lcx::ALL.iter().map(|l| (*l as u8, l.name()))),
            begun: wanted.contains(&TransactionBegin).then(HashMap::default),
        }
    }

    /// To be called for every record, in order, before its cells are made.
    #[inline]
    pub fn see(&mut self, e: &Entry<'_>) {
        if let (Some(begun), Lop::BeginXact) = (&mut self.begun, e.record.header.op) {
            begun.insert(e.record.header.txn.0, e.lsn);
        }
    }

    /// To be called after the cells of a record have been made: nobody asks for an ended transaction again.
    #[inline]
    pub fn done(&mut self, op: Lop, txn: u64) {
        if let (Some(begun), Lop::CommitXact | Lop::AbortXact) = (&mut self.begun, op) {
            begun.remove(&txn);
        }
    }

    /// A row's lock: the object's id where it is known, and the row as the lock manager names it.
    fn lock(&self, r: &Record<'_>) -> Option<(Option<ObjectId>, String)> {
        let rows = matches!(r.header.op, Lop::InsertRows | Lop::DeleteRows | Lop::ModifyRow);
        if !rows || r.header.is_compensation() || r.header.hobt == HobtId::NONE {
            return None;
        }
        let (db, hobt, at) = (self.database, r.header.hobt, r.header.page);
        let heap = r.header.context == Lcx::Heap;
        let row = match r.header.lock_hash {
            // A ghosted row of a heap is told from an index's by the lock hash alone, which only keys have.
            0 if heap || r.header.context == Lcx::MarkAsGhost => {
                format!("RID: {db}:{}:{}:{}", at.file, at.page, r.header.slot)
            }
            0 => return None,
            hash => format!("KEY: {db}:{hobt} ({:012x})", hash & 0xffff_ffff_ffff),
        };
        Some((self.owners.get(&hobt).and_then(|o| o.object), row))
    }

    fn lock_text(&self, r: &Record<'_>) -> Value {
        if let Some(object) = facts::locked_object(r) {
            return text(&format!(
                "HoBt 0:ACQUIRE_LOCK_SCH_M OBJECT: {}:{object}:0 ",
                self.database
            ));
        }
        opt(self.lock(r), |(object, row)| {
            let table = object.map_or_else(String::new, |o| {
                format!("ACQUIRE_LOCK_IX OBJECT: {}:{o}:0 ;", self.database)
            });
            text_up_to(&format!("HoBt {}:{table}ACQUIRE_LOCK_X {row}", r.header.hobt), 256)
        })
    }

    fn images(&self, r: &Record<'_>, n: usize) -> Value {
        opt(facts::row_images(r).and_then(|i| i.contents.get(n).copied().flatten()), binary)
    }

    /// The value of one column. `lsns` turns the positions in the record into LSNs.
    pub fn cell(&self, column: Column, e: &Entry<'_>, lsns: &LsnMap) -> Value {
        use Column::*;
        let r = &e.record;
        let h = &r.header;
        let paged = !h.page.is_none();
        let owned = h.hobt != HobtId::NONE;
        let on_page = |v: Value| if paged { v } else { Value::Null };
        match column {
            CurrentLsn => lsn(e.lsn),
            Operation => self.operations[h.op as usize].clone(),
            Context => self.contexts[shown_context(r) as usize].clone(),
            TransactionId => transaction(h.txn),
            LogBlockGeneration => Value::BigInt(e.incarnation.into()),
            TagBits => binary(&[0, 0]),
            LogRecordFixedLength => small(h.encoded_len() as u16),
            LogRecordLength => Value::SmallInt(r.len().min(i16::MAX as usize) as i16),
            PreviousLsn => lsn(lsns.lsn(h.prev).unwrap_or(Lsn::ZERO)),
            FlagBits => binary(&h.flags.0.to_le_bytes()),
            LogReserve => {
                Value::Int(facts::log_reserve(r).unwrap_or(0).min(i32::MAX as u64) as i32)
            }
            AllocUnitId if owned => Value::BigInt((h.hobt.0 * 4 + 1) as i64),
            AllocUnitName if owned => match self.owners.get(&h.hobt) {
                Some(owner) => owner.name.clone(),
                None => text("Unknown Alloc Unit"),
            },
            PartitionId if owned => Value::BigInt(h.hobt.0 as i64),
            PageId => on_page(page(h.page)),
            SlotId => on_page(Value::Int(h.slot.into())),
            PreviousPageLsn if paged => opt(lsns.lsn(h.prev_page), lsn),
            NumElements => opt(facts::row_images(r), |i| small(i.elements())),
            OffsetInRow => opt(row_images(r), |i| small(i.offset)),
            ModifySize => opt(row_images(r), |i| small(i.size)),
            NumberOfLocks if h.op == Lop::LockXact => small(1),
            NumberOfLocks => {
                opt(self.lock(r), |(object, _)| small(1 + u16::from(object.is_some())))
            }
            LockInformation => self.lock_text(r),
            RowLogContents0 => self.images(r, 0),
            RowLogContents1 => self.images(r, 1),
            RowLogContents2 => self.images(r, 2),
            Description => text_up_to(&record::describe(r), 256),
            LogRecord => binary(&r.to_bytes()),
            _ => self.of_operation(column, e, lsns),
        }
    }

    /// The columns that only one operation fills.
    fn of_operation(&self, column: Column, e: &Entry<'_>, lsns: &LsnMap) -> Value {
        let r = &e.record;
        match r.header.op {
            Lop::BeginXact => begin(column, r),
            Lop::CommitXact | Lop::AbortXact => match column {
                Column::EndTime => opt(facts::end_time(r), time),
                Column::TransactionBegin => {
                    let at = self.begun.as_ref().and_then(|b| b.get(&r.header.txn.0).copied());
                    opt(at, lsn)
                }
                _ => Value::Null,
            },
            Lop::MarkSavepoint => match column {
                Column::SavepointName => opt(facts::savepoint(r), |n| text_up_to(&n, 33)),
                _ => Value::Null,
            },
            Lop::BeginCkpt | Lop::XactCkpt | Lop::EndCkpt => checkpoint(column, r, lsns),
            Lop::DeleteSplit => match column {
                Column::NewSplitPage => opt(facts::split_page(r), page),
                Column::RowsDeleted => opt(facts::rows_deleted(r), small),
                _ => Value::Null,
            },
            Lop::ExpungeRows => match column {
                Column::RowsDeleted => opt(facts::rows_deleted(r), small),
                _ => Value::Null,
            },
            Lop::BulkExtAllocation => bulk(column, r),
            Lop::FormatPage => {
                let byte = |n: u8| Value::SmallInt(n.into());
                match (column, facts::format(r)) {
                    (Column::PageFormatPageType, Some((ty, ..))) => byte(ty),
                    (Column::PageFormatPageFlags, Some((_, flags, _))) => byte(flags),
                    (Column::PageFormatPageLevel, Some((.., level))) => byte(level),
                    _ => Value::Null,
                }
            }
            Lop::SetBits => match (column, facts::set_bits(r)) {
                (Column::RowbitsFirstBit, Some((first, ..))) => small(first.min(0x7fff) as u16),
                (Column::RowbitsBitCount, Some((_, count, _))) => small(count.min(0x7fff) as u16),
                (Column::RowbitsBitValue, Some((.., value))) => binary(&[u8::from(value)]),
                _ => Value::Null,
            },
            Lop::SetFreeSpace => match (column, facts::set_free_space(r)) {
                (Column::ByteOffset, Some((at, ..))) => small(at),
                (Column::NewValue, Some((_, new, _))) => binary(&[new]),
                (Column::OldValue, Some((.., Some(old)))) => binary(&[old]),
                _ => Value::Null,
            },
            Lop::FileHdrModify => match (column, facts::file_size(r)) {
                (Column::FileId, Some((file, _))) => small(file.0),
                (Column::NewSize, Some((_, pages))) => Value::BigInt(pages.into()),
                (Column::OldSize, _) => {
                    facts::file_size_before(r).map_or(Value::Null, |n| Value::BigInt(n.into()))
                }
                _ => Value::Null,
            },
            _ => Value::Null,
        }
    }
}

/// The context as the view names it. A ghosted row of a heap is told from an index's by the lock hash, which only keys have: the
/// deletion of a heap's row is told as the heap's.
fn shown_context(r: &Record<'_>) -> Lcx {
    let h = &r.header;
    match h.context {
        Lcx::MarkAsGhost if h.op == Lop::DeleteRows && h.lock_hash == 0 => Lcx::Heap,
        context => context,
    }
}

/// The extents that a bulk load fills.
fn bulk(column: Column, r: &Record<'_>) -> Value {
    use Column::*;
    let hobt = r.header.hobt;
    match column {
        BulkRowsetId if hobt != HobtId::NONE => Value::BigInt(hobt.0 as i64),
        BulkAllocUnitId if hobt != HobtId::NONE => Value::BigInt((hobt.0 * 4 + 1) as i64),
        BulkAllocatedExtentCount => opt(facts::bulk_extents(r), |(_, runs)| {
            let extents: u64 = runs.iter().map(|(_, n)| u64::from(*n)).sum();
            Value::Int(extents.min(i32::MAX as u64) as i32)
        }),
        BulkAllocatedExtentIds => opt(facts::bulk_extents(r), |(file, runs)| {
            // The first page of each extent, as many as the column takes.
            let extents = runs.iter().flat_map(|&(first, n)| (0..n).map(move |i| first + i * 8));
            let mut ids = String::new();
            for first in extents.take(EXTENT_IDS_MAX) {
                let space = if ids.is_empty() { "" } else { " " };
                ids.push_str(&format!("{space}{:04x}:{first:08x}", file.0));
            }
            text(&ids)
        }),
        _ => Value::Null,
    }
}

/// The records of a checkpoint.
fn checkpoint(column: Column, r: &Record<'_>, lsns: &LsnMap) -> Value {
    use Column::*;
    match column {
        CheckpointBegin => opt(facts::begin_checkpoint(r), |(at, _)| time(at)),
        ChkptBeginDbVersion if r.header.op == Lop::BeginCkpt => Value::SmallInt(DATABASE_VERSION),
        MaxXdesid => opt(facts::begin_checkpoint(r), |(_, next)| transaction(next)),
        NumTransactions => opt(facts::active_transactions(r), small),
        CheckpointEnd => opt(facts::end_checkpoint(r), |c| time(c.time)),
        ChkptEndDbVersion if r.header.op == Lop::EndCkpt => Value::SmallInt(DATABASE_VERSION),
        MinimumLsn => opt(facts::end_checkpoint(r), |c| opt(lsns.lsn(c.min), lsn)),
        DirtyPages => {
            opt(facts::end_checkpoint(r), |c| Value::Int(c.pages.min(i32::MAX as u32) as i32))
        }
        _ => Value::Null,
    }
}

/// Where in the row a record changed it: records that are about rows.
fn row_images<'a>(r: &Record<'a>) -> Option<facts::RowImages<'a>> {
    let rows = matches!(r.header.op, Lop::InsertRows | Lop::DeleteRows | Lop::ModifyRow);
    if rows { facts::row_images(r) } else { None }
}

fn begin(column: Column, r: &Record<'_>) -> Value {
    use Column::*;
    let wanted = matches!(
        column,
        Spid | BeginTime
            | TransactionName
            | TransactionSid
            | ParentTransactionId
            | XactId
            | MarkName
    );
    if !wanted {
        return Value::Null;
    }
    let Some(b) = facts::begin(r) else { return Value::Null };
    match column {
        Spid if b.session != 0 => Value::Int(b.session.into()),
        BeginTime => time(b.time),
        TransactionName => text_up_to(&b.name, 33),
        MarkName if b.mark.is_some() => text_up_to(&b.name, 33),
        // There is one login, and what the engine does on its own account is done in its name.
        TransactionSid => binary(&SA_SID),
        ParentTransactionId if b.parent.0 != 0 => transaction(b.parent),
        XactId => opt(b.number, |n| Value::BigInt(n as i64)),
        _ => Value::Null,
    }
}

/// Names of allocation units: `schema.table.index`, `schema.table` for a heap, `sys.table.clst` for the catalogue's.
fn owners(database: &Database) -> HashMap<HobtId, Owner, foldhash::fast::RandomState> {
    let mut map = HashMap::default();
    for table in SystemTables::ALL {
        let name = text(&format!("sys.{}.clst", table.name));
        map.insert(table.hobt, Owner { name, object: None });
    }
    for table in database.catalog.tables(crate::catalog::Sight::EVERYTHING) {
        for index in &table.indexes {
            let name = match index.kind {
                IndexKind::Heap => table.head.qualified(),
                _ => format!("{}.{}", table.head.qualified(), index.name),
            };
            let owner = Owner { name: text_up_to(&name, 387), object: Some(table.id()) };
            map.insert(index.hobt_id, owner);
        }
    }
    map
}
