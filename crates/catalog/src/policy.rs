//! Security policies: functions that decide which rows of a table are shown, and which changes of its rows are refused.
//!
//! `sysmodules` has the state of a policy: its flags, and the ids of its tables as text with blanks between. Each predicate is a row of
//! sysinfo under the key `18, table, policy, number`: flags, definition, and as bytes the ids of its function and of the columns that it
//! reads. So a table finds its predicates without its policies. The flags of a policy stand with each of its predicates.

use super::object::ObjectHead;
use super::rows::int;
use super::systab::{self, SystemTables, bytes, number, text};
use super::{Catalog, ensure_schema_version};
use crate::rowcodec::damaged;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use taffrail_base::{ObjectId, SqlResult};
use taffrail_storage::Transaction;
use taffrail_types::Value;

const PREDICATES: i64 = 18;

/// The version of the catalogue's tables that knows security policies. Programs up to 18 show rows that policies hide.
const POLICIES: i64 = 19;

const ENABLED: i64 = 1;
const NOT_BOUND: i64 = 2;
const NOT_FOR_REPLICATION: i64 = 4;
/// The kind of a predicate stands above the flags of its policy.
const KIND: i64 = 256;

/// The operations that a block predicate is held against.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockedAt {
    /// All four operations below.
    All,
    /// INSERT: new rows as they are stored.
    AfterInsert,
    /// Changed rows as they are then.
    AfterUpdate,
    /// Changed rows as they were.
    BeforeUpdate,
    /// DELETE: rows before they go.
    BeforeDelete,
}

impl BlockedAt {
    /// The operations by their numbers.
    pub const ALL: [BlockedAt; 5] = [
        BlockedAt::All,
        BlockedAt::AfterInsert,
        BlockedAt::AfterUpdate,
        BlockedAt::BeforeUpdate,
        BlockedAt::BeforeDelete,
    ];

    /// `operation` and `operation_desc` of `sys.security_predicates`; none for all of them.
    pub fn shown(self) -> Option<(i32, &'static str)> {
        match self {
            BlockedAt::All => None,
            BlockedAt::AfterInsert => Some((1, "AFTER INSERT")),
            BlockedAt::AfterUpdate => Some((2, "AFTER UPDATE")),
            BlockedAt::BeforeUpdate => Some((3, "BEFORE UPDATE")),
            BlockedAt::BeforeDelete => Some((4, "BEFORE DELETE")),
        }
    }

    /// Whether the predicate is held against this one of the four.
    pub fn is_at(self, operation: BlockedAt) -> bool {
        self == BlockedAt::All || self == operation
    }

    /// Whether one operation is among those of both.
    pub fn meets(self, other: BlockedAt) -> bool {
        self.is_at(other) || other == BlockedAt::All
    }
}

/// A predicate of a security policy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SecurityPredicate {
    /// The policy that the predicate belongs to.
    pub policy: ObjectId,
    /// `security_predicate_id`, from 1 within its policy.
    pub id: i32,
    /// The table whose rows it is about.
    pub table: ObjectId,
    /// The operations that it blocks; none for a filter.
    pub block: Option<BlockedAt>,
    /// The call of its function: `([s].[f]([a],(1)))`.
    pub definition: Arc<str>,
    /// Its inline function, as it was when the predicate was made.
    pub function: ObjectId,
    /// The `column_id` of each column that its arguments read.
    pub columns: Vec<i32>,
    /// The policy is switched on.
    pub enabled: bool,
    /// The policy is schema-bound.
    pub schema_bound: bool,
}

impl SecurityPredicate {
    /// Whether both are about the same operation of one table.
    pub fn overlaps(&self, table: ObjectId, block: Option<BlockedAt>) -> bool {
        self.table == table
            && match (self.block, block) {
                (None, None) => true,
                (Some(a), Some(b)) => a.meets(b),
                _ => false,
            }
    }

    /// The kind of predicate in messages and views: `FILTER` or `BLOCK`.
    pub fn word(&self) -> &'static str {
        if self.block.is_some() { "BLOCK" } else { "FILTER" }
    }
}

/// A security policy with its predicates.
#[derive(Debug)]
pub struct SecurityPolicy {
    /// The policy's name, schema and id.
    pub head: ObjectHead,
    /// The policy is switched on: STATE = ON.
    pub enabled: bool,
    /// Its functions are schema-bound: SCHEMABINDING = ON.
    pub schema_bound: bool,
    /// NOT FOR REPLICATION was written.
    pub not_for_replication: bool,
    /// The predicates, by number.
    pub predicates: Vec<Arc<SecurityPredicate>>,
}

impl SecurityPolicy {
    fn flags(&self) -> i64 {
        let flags = [
            (ENABLED, self.enabled),
            (NOT_BOUND, !self.schema_bound),
            (NOT_FOR_REPLICATION, self.not_for_replication),
        ];
        flags.into_iter().filter(|(_, on)| *on).map(|(flag, _)| flag).sum()
    }

    /// The ids of its tables, each once.
    pub fn tables(&self) -> Vec<ObjectId> {
        let mut all: Vec<ObjectId> = self.predicates.iter().map(|p| p.table).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Whether a database has predicates.
pub(super) fn any(tx: &mut Transaction) -> SqlResult<bool> {
    Ok(!systab::scan(tx, &SystemTables::INFO, &[PREDICATES])?.is_empty())
}

fn read(key: &[i64], row: &[Value]) -> SqlResult<SecurityPredicate> {
    let wrong = || damaged("a security predicate");
    let &[_, table, policy, id] = key else { return Err(wrong()) };
    let flags = number(row, 0)?;
    let kind = usize::try_from(flags / KIND).map_err(|_| wrong())?;
    let block = match kind {
        0 => None,
        kind => Some(*BlockedAt::ALL.get(kind - 1).ok_or_else(wrong)?),
    };
    let ids = bytes(row, 2)?.chunks(4);
    let ids: Option<Vec<i32>> = ids.map(|b| b.try_into().ok().map(i32::from_le_bytes)).collect();
    let ids = ids.ok_or_else(wrong)?;
    let (function, columns) = ids.split_first().ok_or_else(wrong)?;
    Ok(SecurityPredicate {
        policy: ObjectId(policy as i32),
        id: id as i32,
        table: ObjectId(table as i32),
        block,
        definition: text(row, 1)?.into(),
        function: ObjectId(*function),
        columns: columns.to_vec(),
        enabled: flags & ENABLED != 0,
        schema_bound: flags & NOT_BOUND == 0,
    })
}

fn key_of(p: &SecurityPredicate) -> [i64; 4] {
    [PREDICATES, p.table.0.into(), p.policy.0.into(), p.id.into()]
}

/// Removes a predicate from its table.
pub fn remove_predicate(tx: &mut Transaction, p: &SecurityPredicate) -> SqlResult<()> {
    systab::remove(tx, &SystemTables::INFO, &key_of(p))
}

impl Catalog {
    /// Writes the state of a policy and its predicates. A predicate that goes is [removed](remove_predicate) apart.
    pub fn write_policy(&self, tx: &mut Transaction, policy: &SecurityPolicy) -> SqlResult<()> {
        ensure_schema_version(tx, POLICIES)?;
        self.has_predicates.store(true, Ordering::Release);
        let flags = policy.flags();
        let tables: Vec<String> = policy.tables().iter().map(|t| t.0.to_string()).collect();
        let row = [int(flags), Value::nvarchar(&tables.join(" "))];
        systab::put(tx, &SystemTables::MODULES, &[policy.head.id.0.into()], &row)?;
        for p in &policy.predicates {
            let kind = match p.block {
                None => 0,
                Some(at) => 1 + at.shown().map_or(0, |(n, _)| i64::from(n)),
            };
            let ids = std::iter::once(p.function.0).chain(p.columns.iter().copied());
            let ids: Vec<u8> = ids.flat_map(i32::to_le_bytes).collect();
            let definition = Value::nvarchar(&p.definition);
            let row = [Value::BigInt(flags | (kind * KIND)), definition, Value::binary(&ids)];
            systab::put(tx, &SystemTables::INFO, &key_of(p), &row)?;
        }
        Ok(())
    }

    /// The predicates of a table, by policy and number.
    pub(super) fn read_predicates(
        &self,
        tx: &mut Transaction,
        table: ObjectId,
    ) -> SqlResult<Vec<Arc<SecurityPredicate>>> {
        if !self.has_predicates.load(Ordering::Acquire) {
            return Ok(Vec::new());
        }
        let rows = systab::scan(tx, &SystemTables::INFO, &[PREDICATES, table.0.into()])?;
        rows.iter().map(|(key, row)| read(key, row).map(Arc::new)).collect()
    }

    /// A policy from its rows.
    pub(super) fn read_policy(
        &self,
        tx: &mut Transaction,
        head: ObjectHead,
    ) -> SqlResult<Arc<SecurityPolicy>> {
        let wrong = || damaged("a security policy");
        let id = i64::from(head.id.0);
        let row = systab::get(tx, &SystemTables::MODULES, &[id])?.ok_or_else(wrong)?;
        let flags = number(&row, 0)?;
        let mut predicates = Vec::new();
        for table in text(&row, 1)?.split_ascii_whitespace() {
            let table: i64 = table.parse().map_err(|_| wrong())?;
            for (key, row) in systab::scan(tx, &SystemTables::INFO, &[PREDICATES, table, id])? {
                predicates.push(Arc::new(read(&key, &row)?));
            }
        }
        predicates.sort_by_key(|p| p.id);
        Ok(Arc::new(SecurityPolicy {
            head,
            enabled: flags & ENABLED != 0,
            schema_bound: flags & NOT_BOUND == 0,
            not_for_replication: flags & NOT_FOR_REPLICATION != 0,
            predicates,
        }))
    }
}
