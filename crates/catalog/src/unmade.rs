//! A table that is not there: what statements that name it are bound to where they are only looked at.

use super::identity::{IdentitySequence, Sequence};
use super::module::Module;
use super::object::{Column, Identity, Index, IndexKind, ObjectHead, ObjectKind, Table};
use crate::database::Database;
use crate::rowcodec::{KeyLayout, RowColumn, RowLayout};
use std::sync::{Arc, OnceLock};
use taffrail_base::{HobtId, IndexId, ObjectId};
use taffrail_types::{SqlType, Value};

/// The length of a rowversion.
const ROWVERSION: u16 = 8;

impl Table {
    /// A view as an INSTEAD OF trigger sees it: a table of its columns, each of which takes any value.
    pub fn of_view(database: &Database, view: &Module) -> Table {
        let mut columns = view.columns.clone();
        for c in &mut columns {
            (c.nullable, c.is_identity) = (true, false);
            if c.ty == SqlType::RowVersion {
                c.ty = SqlType::Binary(ROWVERSION);
            }
        }
        let table = Table::unmade(database, &view.head.name, columns, None);
        Table { head: view.head.clone(), ..table }
    }

    /// A heap of these columns that is nowhere; `identity` is position, seed and increment.
    pub fn unmade(
        database: &Database,
        name: &str,
        columns: Vec<Column>,
        identity: Option<(usize, i64, i64)>,
    ) -> Table {
        let (storage, none) = (database.storage.clone(), ObjectId(0));
        let head = ObjectHead {
            id: none,
            schema_id: super::DBO,
            schema: "dbo".into(),
            name: name.into(),
            kind: ObjectKind::Table,
            parent: none,
            created: Value::Null,
            modified: Value::Null,
            system_named: false,
            escalation: Default::default(),
            temporal: Default::default(),
        };
        let base = unmade_base(&storage);
        let row_column = |c: &Column| RowColumn {
            ty: c.ty,
            place: c.place,
            null_bit: c.null_bit,
            missing: Value::Null,
        };
        let identity = identity.map(|(column, seed, increment)| {
            let ty = columns[column].ty;
            let sequence =
                IdentitySequence::new(Sequence::new(storage, 0, 0), 0, seed, increment, ty);
            Identity { column, seed, increment, sequence: Arc::new(sequence) }
        });
        Table {
            head,
            layout: RowLayout::new(columns.iter().map(row_column).collect(), &[]),
            period: super::temporal::period_of(&columns),
            max_column_id: columns.len() as i32,
            columns,
            indexes: vec![Arc::new(base)],
            disabled: Vec::new(),
            columnstore: None,
            indexed_views: Vec::new(),
            needs_options: false,
            statistics: Vec::new(),
            checks: Vec::new(),
            predicates: Vec::new(),
            identity,
            version: 0,
            dropped: Vec::new(),
        }
    }
}

/// A heap that is nowhere.
fn unmade_base(storage: &Arc<taffrail_storage::Database>) -> Index {
    Index {
        id: IndexId(0),
        name: "".into(),
        kind: IndexKind::Heap,
        unique: false,
        primary_key: false,
        unique_constraint: false,
        constraint: ObjectId(0),
        fill_factor: 0,
        padded: false,
        no_page_locks: false,
        no_row_locks: false,
        ignore_dup_key: false,
        disabled: false,
        key: KeyLayout::new(Vec::new()),
        included: Box::default(),
        covered: Box::default(),
        covered_layout: RowLayout::of_types([]),
        filter: None,
        hobt_id: HobtId(0),
        hobt: OnceLock::new(),
        storage: storage.clone(),
    }
}
