//! Constraints and keys in the catalogue of SQL Server 2000: sysconstraints, sysreferences, sysforeignkeys, sysindexkeys.

use super::cell::{Column, Columns, IntoCell, Rows, null};
use super::{Declaration, Reach, ViewContext, by_column};
use crate::catalog::{ConstraintObject, IndexKind, Object, ObjectKind};
use crate::features::needs;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        by_column("sysconstraints", needs::METADATA, CONSTRAINTS, constraints).reached(Reach::Bare),
        by_column("sysreferences", needs::METADATA, REFERENCES, references).reached(Reach::Bare),
        by_column("sysforeignkeys", needs::METADATA, FOREIGN_KEYS, foreign_keys)
            .reached(Reach::Bare),
        by_column("sysindexkeys", needs::METADATA, INDEX_KEYS, index_keys).reached(Reach::Bare),
    ]);
}

fn zero<T>(_: &T) -> Value {
    0_i32.cell()
}

/// The column of a default or of a column's check, by its id; 0: the constraint is the table's.
fn column_of(c: &ConstraintObject) -> i32 {
    match c.head.kind {
        ObjectKind::Default | ObjectKind::Check => c.detail,
        _ => 0,
    }
}

/// `status`: the kind, and whether a column or the table has the constraint.
fn status_of(c: &ConstraintObject) -> i32 {
    let kind = match c.head.kind {
        ObjectKind::PrimaryKey => 1,
        ObjectKind::Unique => 2,
        ObjectKind::ForeignKey => 3,
        ObjectKind::Check => 4,
        _ => 5,
    };
    kind | if column_of(c) == 0 { 32 } else { 16 }
}

const CONSTRAINTS: Columns<Arc<ConstraintObject>> = &[&[
    ("constid int!", |c| c.head.id.0.cell()),
    ("id int!", |c| c.head.parent.0.cell()),
    ("colid smallint?", |c| column_of(c).cell()),
    ("spare1 tinyint?", zero),
    ("status int?", |c| status_of(c).cell()),
    ("actions int?", zero),
    ("error int?", zero),
]];

fn constraints(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for object in cx.objects() {
        if let Object::Constraint(c) = &object {
            rows.show(CONSTRAINTS, c);
        }
    }
    Ok(())
}

/// A foreign key; `columns`: ids of its own columns and of those that they refer to.
struct Key {
    id: i32,
    table: i32,
    referenced: i32,
    index: i32,
    columns: Vec<[i32; 2]>,
}

impl Key {
    /// The id of the `at`th column from 0, on the own or the other side; 0 where there are not so many.
    fn column(&self, side: usize, at: usize) -> Value {
        self.columns.get(at).map_or(0, |pair| pair[side]).cell()
    }
}

/// All foreign keys whose tables are there.
fn keys(cx: &ViewContext<'_>) -> SqlResult<Vec<Key>> {
    let mut all = Vec::new();
    for key in cx.foreign_keys()? {
        let tables = (cx.table(key.table), cx.table(key.referenced));
        let (Some(child), Some(parent)) = tables else { continue };
        let pairs = key.positions(&child, &parent)?.into_iter();
        all.push(Key {
            id: key.id.0,
            table: key.table.0,
            referenced: key.referenced.0,
            index: key.index.0,
            columns: pairs
                .map(|(own, other)| [child.columns[own].id, parent.columns[other].id])
                .collect(),
        });
    }
    Ok(all)
}

const REFERENCES: Columns<Key> = &[REFERENCE, REFERENCE_COLUMNS];

const REFERENCE: &[Column<Key>] = &[
    ("constid int!", |k| k.id.cell()),
    ("fkeyid int!", |k| k.table.cell()),
    ("rkeyid int?", |k| k.referenced.cell()),
    ("rkeyindid smallint?", |k| k.index.cell()),
    ("keycnt smallint?", |k| k.columns.len().cell()),
    ("forkeys varbinary(32)?", null),
    ("refkeys varbinary(32)?", null),
    ("fkeydbid smallint?", zero),
    ("rkeydbid smallint?", zero),
];

const REFERENCE_COLUMNS: &[Column<Key>] = &[
    ("fkey1 smallint?", |k| k.column(0, 0)),
    ("fkey2 smallint?", |k| k.column(0, 1)),
    ("fkey3 smallint?", |k| k.column(0, 2)),
    ("fkey4 smallint?", |k| k.column(0, 3)),
    ("fkey5 smallint?", |k| k.column(0, 4)),
    ("fkey6 smallint?", |k| k.column(0, 5)),
    ("fkey7 smallint?", |k| k.column(0, 6)),
    ("fkey8 smallint?", |k| k.column(0, 7)),
    ("fkey9 smallint?", |k| k.column(0, 8)),
    ("fkey10 smallint?", |k| k.column(0, 9)),
    ("fkey11 smallint?", |k| k.column(0, 10)),
    ("fkey12 smallint?", |k| k.column(0, 11)),
    ("fkey13 smallint?", |k| k.column(0, 12)),
    ("fkey14 smallint?", |k| k.column(0, 13)),
    ("fkey15 smallint?", |k| k.column(0, 14)),
    ("fkey16 smallint?", |k| k.column(0, 15)),
    ("rkey1 smallint?", |k| k.column(1, 0)),
    ("rkey2 smallint?", |k| k.column(1, 1)),
    ("rkey3 smallint?", |k| k.column(1, 2)),
    ("rkey4 smallint?", |k| k.column(1, 3)),
    ("rkey5 smallint?", |k| k.column(1, 4)),
    ("rkey6 smallint?", |k| k.column(1, 5)),
    ("rkey7 smallint?", |k| k.column(1, 6)),
    ("rkey8 smallint?", |k| k.column(1, 7)),
    ("rkey9 smallint?", |k| k.column(1, 8)),
    ("rkey10 smallint?", |k| k.column(1, 9)),
    ("rkey11 smallint?", |k| k.column(1, 10)),
    ("rkey12 smallint?", |k| k.column(1, 11)),
    ("rkey13 smallint?", |k| k.column(1, 12)),
    ("rkey14 smallint?", |k| k.column(1, 13)),
    ("rkey15 smallint?", |k| k.column(1, 14)),
    ("rkey16 smallint?", |k| k.column(1, 15)),
];

fn references(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    keys(cx)?.iter().for_each(|key| rows.show(REFERENCES, key));
    Ok(())
}

/// A pair of columns of a foreign key, the `at`th from 0.
struct KeyPair {
    key: Arc<Key>,
    at: usize,
}

const FOREIGN_KEYS: Columns<KeyPair> = &[&[
    ("constid int!", |p| p.key.id.cell()),
    ("fkeyid int!", |p| p.key.table.cell()),
    ("rkeyid int!", |p| p.key.referenced.cell()),
    ("fkey smallint?", |p| p.key.column(0, p.at)),
    ("rkey smallint?", |p| p.key.column(1, p.at)),
    ("keyno smallint?", |p| (p.at + 1).cell()),
]];

fn foreign_keys(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for key in keys(cx)?.into_iter().map(Arc::new) {
        for at in 0..key.columns.len() {
            rows.show(FOREIGN_KEYS, &KeyPair { key: key.clone(), at });
        }
    }
    Ok(())
}

/// A key column of an index: table, index, column, place from 1.
struct IndexKey([i32; 4]);

const INDEX_KEYS: Columns<IndexKey> = &[&[
    ("id int!", |k| k.0[0].cell()),
    ("indid smallint?", |k| k.0[1].cell()),
    ("colid smallint?", |k| k.0[2].cell()),
    ("keyno smallint?", |k| k.0[3].cell()),
]];

fn index_keys(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    super::indexes::each_index(cx, |table, index| {
        if index.kind == IndexKind::Heap {
            return Ok(());
        }
        for (at, k) in index.key.columns().iter().enumerate() {
            let place = [table.head.id.0, index.id.0, table.columns[k.column].id, at as i32 + 1];
            rows.show(INDEX_KEYS, &IndexKey(place));
        }
        Ok(())
    })
}
