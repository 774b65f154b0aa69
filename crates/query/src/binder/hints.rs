//! Hints: of a table (WITH) and of a statement (OPTION).

use super::table_hints::OptionHints;
use super::{Binder, Hints, eq, unsupported};
use std::fmt::Display;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_catalog::{Index, IndexKind, Table};
use taffrail_plan::hints::JoinMethod;
use taffrail_plan::locking::{AccessHint, LevelHint, Locking, RowMode, TableLock};
use taffrail_syntax::ast::{
    Expr, ExprKind, Ident, Join, JoinHint, JoinKind, Literal, QueryHint, QueryHintKind, TableHint,
    TableHintKind,
};

impl<'a> Binder<'a> {
    /// Takes the hints of a statement: 310.
    pub(super) fn query_hints(&mut self, list: &'a [QueryHint]) -> SqlResult<()> {
        for hint in list {
            match &hint.kind {
                QueryHintKind::Join(hint) => {
                    let methods = self.hints.methods.get_or_insert_default();
                    methods.allow(method(*hint));
                }
                QueryHintKind::ForceOrder => self.hints.force_order = true,
                QueryHintKind::Fast(rows) => self.hints.fast = Some(*rows).filter(|n| *n > 0),
                QueryHintKind::MaxRecursion(n) => {
                    let fits = u16::try_from(*n).ok().filter(|n| *n <= 32_767);
                    let n = fits.ok_or_else(|| SqlError::new(310, &[n, &32_767]))?;
                    self.max_recursion = n.into();
                }
                QueryHintKind::OptimizeFor(names) => {
                    for name in names {
                        self.variables.scalar(&name.value)?;
                    }
                }
                QueryHintKind::Table(name, hints) => {
                    self.option_hints.push(OptionHints::new(name, hints))
                }
                QueryHintKind::CallFunctions => self.hints.calls = true,
                QueryHintKind::Other => {}
            }
        }
        Ok(())
    }

    /// How a join is to be done: 1072, 8622. It fixes the order of all joins of the statement.
    pub(super) fn join_method(&mut self, j: &Join) -> SqlResult<Option<JoinMethod>> {
        let Some(hint) = j.hint else { return Ok(None) };
        if hint == JoinHint::Remote {
            let inner = j.kind == JoinKind::Inner;
            return if inner { Ok(None) } else { Err(SqlError::new(1072, &[])) };
        }
        let method = method(hint);
        if method == JoinMethod::Loop && matches!(j.kind, JoinKind::Right | JoinKind::Full) {
            return Err(SqlError::new(8622, &[]));
        }
        if self.hints.methods.is_some_and(|m| !m.allows(method)) {
            return Err(SqlError::new(1042, &[&"JOIN"]));
        }
        self.hints.order_enforced |= !self.hints.force_order;
        self.hints.force_order = true;
        Ok(Some(method))
    }
}

fn method(hint: JoinHint) -> JoinMethod {
    match hint {
        JoinHint::Loop => JoinMethod::Loop,
        JoinHint::Merge => JoinMethod::Merge,
        JoinHint::Hash | JoinHint::Remote => JoinMethod::Hash,
    }
}

/// How hints say that a table is locked. `target`: a statement changes it. What they say of indexes is [`access_hint`]'s matter.
pub fn hints(list: &[TableHint], target: bool) -> SqlResult<Hints> {
    use TableHintKind::*;
    let of_index = |h: &&TableHint| matches!(h.kind, Index(_) | ForceSeek(Some(_)));
    if list.iter().filter(of_index).count() > 1 {
        return Err(SqlError::new(1068, &[]));
    }
    let locks = if target { Locking::of_target() } else { Locking::default() };
    let mut h = Hints { locks, ..Hints::default() };
    let l = &mut h.locks;
    for hint in list {
        match &hint.kind {
            NoLock | ReadUncommitted => {
                if target {
                    return Err(SqlError::new(1065, &[]));
                }
                l.level = LevelHint::ReadUncommitted;
            }
            ReadCommitted => l.level = LevelHint::ReadCommitted,
            ReadCommittedLock => l.level = LevelHint::ReadCommittedLock,
            RepeatableRead => l.level = LevelHint::RepeatableRead,
            Serializable | HoldLock => l.level = LevelHint::Serializable,
            UpdLock => {
                l.kept = true;
                if l.mode == RowMode::Shared {
                    l.mode = RowMode::Update;
                }
            }
            XLock => (l.kept, l.mode) = (true, RowMode::Exclusive),
            TabLock => l.table = TableLock::Shared,
            TabLockX => l.table = TableLock::Exclusive,
            ReadPast => l.read_past = true,
            NoWait => l.no_wait = true,
            Index(_) if target => return Err(SqlError::new(1069, &[])),
            ForceScan => h.access.scan = true,
            ForceSeek(None) => h.access.seek = Some(1),
            Snapshot => return Err(unsupported("The SNAPSHOT hint")),
            _ => {}
        }
    }
    Ok(h)
}

/// What hints say of the way to the rows of a table, which the statement calls so: 307, 308. Of several indexes the first is taken.
pub(super) fn access_hint(
    list: &[TableHint],
    table: &Table,
    called: &dyn Display,
) -> SqlResult<AccessHint> {
    let mut access = AccessHint::default();
    for hint in list {
        match &hint.kind {
            TableHintKind::Index(named) => {
                for (at, name) in named.iter().enumerate() {
                    let index = named_index(name, table, called)?;
                    match index {
                        // The table as it lies.
                        None if at == 0 => access.scan = true,
                        Some(index) if at == 0 => access.index = Some(index.id),
                        _ => {}
                    }
                    if at == 0 && index.is_none() {
                        access.index = Some(table.base().id);
                    }
                }
            }
            TableHintKind::ForceSeek(None) => access.seek = Some(access.seek.unwrap_or(1)),
            TableHintKind::ForceSeek(Some((name, columns))) => {
                let index = named_index(name, table, called)?;
                let index = index.ok_or_else(|| SqlError::new(8622, &[]))?;
                leads(index, columns, table)?;
                access.index = Some(index.id);
                access.seek = Some(columns.len().min(usize::from(u8::MAX)) as u8);
            }
            TableHintKind::ForceScan => access.scan = true,
            _ => {}
        }
    }
    Ok(access)
}

/// The index that is named; none for `INDEX (0)`.
fn named_index<'t>(
    name: &Expr,
    table: &'t Table,
    called: &dyn Display,
) -> SqlResult<Option<&'t Index>> {
    let mut indexes = table.defined().filter(|i| i.kind != IndexKind::Heap);
    let live = |i: &'t Arc<Index>| match i.disabled {
        true => Err(SqlError::new(315, &[&i.name, called])),
        false => Ok(Some(&**i)),
    };
    match &name.kind {
        ExprKind::Column(c) => {
            let found = indexes.find(|i| eq(&i.name, &c.name.value));
            let missing = || SqlError::new(308, &[&c.name.value, called]);
            live(found.ok_or_else(missing)?)
        }
        ExprKind::Literal(Literal::Int(0)) => Ok(None),
        ExprKind::Literal(Literal::Int(n)) => {
            let found = indexes.find(|i| i.id.0 == *n);
            live(found.ok_or_else(|| SqlError::new(307, &[n, called]))?)
        }
        ExprKind::Literal(Literal::Decimal(n)) => Err(SqlError::new(307, &[n, called])),
        _ => Err(unsupported("This index hint")),
    }
}

/// The columns of FORCESEEK are the first of the index's, in its order.
fn leads(index: &Index, columns: &[Ident], table: &Table) -> SqlResult<()> {
    let keys = index.key.columns();
    let same = columns
        .iter()
        .enumerate()
        .all(|(n, c)| keys.get(n).is_some_and(|k| eq(&table.columns[k.column].name, &c.value)));
    if same { Ok(()) } else { Err(SqlError::new(8622, &[])) }
}
