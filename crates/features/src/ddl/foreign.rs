//! FOREIGN KEY constraints: made with a table or added to one, looked at against rows that exist, switched on and off; and
//! what they forbid to go.
//!
//! Sch-M is held on both tables.

use super::create::{self, Owner, could_not_create};
use super::{index, resolve};
use crate::catalog::{
    Action, ForeignKey, IndexKind, ObjectKind, Table, TriggerEvent, TriggerFacts, fold, rows,
};
use crate::database::Database;
use crate::exec::modify::foreign::{Ready, bracketed_name, conflict};
use crate::plan::names::bracketed;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_syntax::ast::{self, ReferentialAction};
use taffrail_types::SqlType;

/// What a FOREIGN KEY says.
pub(crate) struct ForeignDraft {
    /// None: made up.
    pub name: Option<String>,
    /// Positions of the columns.
    pub columns: Vec<usize>,
    /// As it was written.
    pub key: ast::ForeignKey,
}

fn action(a: ReferentialAction) -> Action {
    match a {
        ReferentialAction::NoAction => Action::NoAction,
        ReferentialAction::Cascade => Action::Cascade,
        ReferentialAction::SetNull => Action::SetNull,
        ReferentialAction::SetDefault => Action::SetDefault,
    }
}

/// Makes the foreign keys of a table that is there with its columns and keys; gives their ids. Those of temporary tables are
/// told and passed by (1766).
pub(crate) fn create(
    cx: &mut StatementContext<'_>,
    owner: &Owner<'_>,
    drafts: Vec<ForeignDraft>,
    trusted: bool,
) -> SqlResult<Vec<ObjectId>> {
    let mut made = Vec::new();
    for draft in drafts {
        if owner.name.starts_with('#') {
            let name = draft.name.clone().unwrap_or_default();
            cx.message(SqlError::new(1766, &[&name]).with_severity(0))?;
            continue;
        }
        match one(cx, owner, draft, trusted) {
            Ok(id) => made.push(id),
            Err(e) if matches!(e.number, 1750 | 1205 | 1222) => return Err(e),
            Err(e) if e.severity == 16 => return Err(could_not_create(cx, e)?),
            Err(e) => return Err(e),
        }
    }
    Ok(made)
}

fn one(
    cx: &mut StatementContext<'_>,
    owner: &Owner<'_>,
    draft: ForeignDraft,
    trusted: bool,
) -> SqlResult<ObjectId> {
    let (database, session) = (owner.database, cx.session.id);
    let own = || database.catalog.table(owner.table, session);
    let table = own().ok_or_else(|| SqlError::new(5243, &[]))?;
    let first = draft.columns.first().map_or("", |c| &*table.columns[*c].name);
    let shown = draft.name.clone().unwrap_or_else(|| format!("FK__{}__{first}", owner.name));
    let mut name = draft.key.table.clone();
    match &name.database {
        None => {
            let span = name.name.span;
            let value = (*database.name).into();
            name.database = Some(ast::Ident { value, span, delimited: true });
        }
        Some(other) if fold(&other.value) != fold(&database.name) => {
            return Err(SqlError::new(1763, &[&shown]));
        }
        Some(_) => {}
    }
    let written = draft.key.table.to_string();
    let missing = || SqlError::new(1767, &[&shown, &written]);
    let (_, parent) = resolve::table(cx, &name, missing)?;
    let parent = match parent.id() == owner.table {
        true => table.clone(),
        false => resolve::lock_for_change(cx, database, &parent, missing)?,
    };
    let there = referenced(&draft, &parent, &shown, owner.name)?;
    for (own, other) in draft.columns.iter().zip(&there) {
        let (a, b) = (&table.columns[*own], &parent.columns[*other]);
        let number = match a.ty == b.ty || same_but_length(a.ty, b.ty) {
            false => 1778,
            true if a.ty.is_text() && a.collation != b.collation => 1757,
            true => continue,
        };
        return Err(SqlError::new(number, &[&written, &b.name, &owner.name, &a.name, &shown]));
    }
    let (on_delete, on_update) = (action(draft.key.on_delete), action(draft.key.on_update));
    let replaced = |event: TriggerEvent, action: Action| {
        let mut all = database.catalog.triggers_of(owner.table, session).into_iter();
        let replaces = |t: TriggerFacts| t.instead_of && t.is_for(event);
        action != Action::NoAction && all.any(|m| m.trigger.is_some_and(replaces))
    };
    if replaced(TriggerEvent::Delete, on_delete) || replaced(TriggerEvent::Update, on_update) {
        return Err(SqlError::new(1787, &[&shown, &owner.name]));
    }
    if let Some(column) = draft.columns.iter().find(|c| table.columns[**c].computed.is_some()) {
        let number = match (on_delete, on_update) {
            (_, Action::Cascade | Action::SetNull | Action::SetDefault) => Some(1715),
            (Action::SetNull | Action::SetDefault, _) => Some(1765),
            _ => None,
        };
        if let Some(number) = number {
            return Err(SqlError::new(number, &[&shown, &table.columns[*column].name]));
        }
    }
    let nulls = [on_delete, on_update].contains(&Action::SetNull);
    if nulls && draft.columns.iter().any(|c| !table.columns[*c].nullable) {
        return Err(SqlError::new(1761, &[&shown, &"SET NULL"]));
    }
    let defaults = [on_delete, on_update].contains(&Action::SetDefault);
    let lacks = |c: &usize| !table.columns[*c].nullable && table.columns[*c].default.is_none();
    if defaults && draft.columns.iter().any(lacks) {
        return Err(SqlError::new(1762, &[&shown]));
    }
    let mut sorted = there.clone();
    sorted.sort_unstable();
    let key = parent.indexes.iter().find(|i| {
        let mut columns: Vec<usize> = i.key.columns().iter().map(|k| k.column).collect();
        columns.sort_unstable();
        let usable = i.kind != IndexKind::Heap && !i.disabled;
        usable && i.unique && i.filter.is_none() && columns == sorted
    });
    let Some(key) = key else { return Err(SqlError::new(1776, &[&written, &shown])) };
    let pairs = draft.columns.iter().zip(&there);
    let mut fk = ForeignKey {
        id: ObjectId(0),
        name: "".into(),
        table: owner.table,
        referenced: parent.id(),
        index: key.id,
        columns: pairs.map(|(a, b)| (table.columns[*a].id, parent.columns[*b].id)).collect(),
        on_delete,
        on_update,
        disabled: false,
        not_trusted: !trusted,
    };
    if circles(&database.catalog.foreign_keys(session)?, &fk) {
        return Err(SqlError::new(1785, &[&shown, &owner.name]));
    }
    let kind = ObjectKind::ForeignKey;
    let head = create::constraint(cx, owner, kind, draft.name.as_deref(), Some(first), 0)?;
    (fk.id, fk.name) = (head.id, head.name.clone());
    let tx = cx.transaction(database)?;
    rows::write_module(tx, head.id, &fk.text(), true, true)?;
    if !trusted {
        rows::write_check_state(tx, head.id, false, true)?;
    }
    database.catalog.refresh(tx, session, &[head.id, owner.table, parent.id()])?;
    Ok(head.id)
}

/// Positions of the referenced columns, those of the primary key where none are named: 1770, 1773, 8139.
fn referenced(
    draft: &ForeignDraft,
    parent: &Table,
    shown: &str,
    child: &str,
) -> SqlResult<Vec<usize>> {
    let columns: Vec<usize> = if draft.key.referenced.is_empty() {
        let primary = parent.indexes.iter().find(|i| i.primary_key && !i.disabled);
        let primary = primary.ok_or_else(|| SqlError::new(1773, &[&shown, &draft.key.table]))?;
        primary.key.columns().iter().map(|k| k.column).collect()
    } else {
        let position = |c: &ast::Ident| {
            let wrong = || SqlError::new(1770, &[&shown, &c.value, &draft.key.table]);
            parent.column(&c.value).ok_or_else(wrong)
        };
        draft.key.referenced.iter().map(position).collect::<SqlResult<_>>()?
    };
    match columns.len() == draft.columns.len() {
        true => Ok(columns),
        false => Err(SqlError::new(8139, &[&child])),
    }
}

fn same_but_length(a: SqlType, b: SqlType) -> bool {
    use SqlType::{Char, NChar, NVarChar, VarBinary, VarChar};
    matches!(
        (a, b),
        (VarChar(_), VarChar(_))
            | (NVarChar(_), NVarChar(_))
            | (Char(_), Char(_))
            | (NChar(_), NChar(_))
            | (VarBinary(_), VarBinary(_))
            | (SqlType::Decimal { .. }, SqlType::Numeric { .. })
            | (SqlType::Numeric { .. }, SqlType::Decimal { .. })
    ) && (a.scale() == b.scale() && a.precision() == b.precision()
        || !matches!(a, SqlType::Decimal { .. } | SqlType::Numeric { .. }))
}

/// Whether a DELETE or an UPDATE would come to a table twice, or to where it began, when the new key acts.
fn circles(all: &[ForeignKey], new: &ForeignKey) -> bool {
    let acts = |k: &&ForeignKey| k.on_delete != Action::NoAction || k.on_update != Action::NoAction;
    if !acts(&new) {
        return false;
    }
    let keys: Vec<&ForeignKey> = all.iter().chain([new]).filter(acts).collect();
    let mut above = vec![new.referenced];
    let mut at = 0;
    while at < above.len() {
        let table = above[at];
        for key in keys.iter().filter(|k| k.table == table) {
            if !above.contains(&key.referenced) {
                above.push(key.referenced);
            }
        }
        at += 1;
    }
    let begun = |event| above.iter().any(|table| comes_twice(&keys, *table, event));
    begun(TriggerEvent::Delete) || begun(TriggerEvent::Update)
}

/// Whether a table is met twice among those that a change of `root` comes to. A key that is set to NULL or to its default is an UPDATE of
/// its row: no DELETE goes on from there.
fn comes_twice(keys: &[&ForeignKey], root: ObjectId, event: TriggerEvent) -> bool {
    let (mut met, mut todo) = (vec![root], vec![(root, event)]);
    while let Some((table, event)) = todo.pop() {
        for key in keys.iter().filter(|k| k.referenced == table) {
            let action = match event {
                TriggerEvent::Delete => key.on_delete,
                _ => key.on_update,
            };
            let next = match (action, event) {
                (Action::NoAction, _) => continue,
                (Action::Cascade, TriggerEvent::Delete) => TriggerEvent::Delete,
                _ => TriggerEvent::Update,
            };
            if met.contains(&key.table) {
                return true;
            }
            met.push(key.table);
            todo.push((key.table, next));
        }
    }
    false
}

/// Looks at every row: 547 for a key that is not there.
pub(super) fn validate(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: ObjectId,
    which: &[ObjectId],
) -> SqlResult<()> {
    let session = cx.session.id;
    let gone = || SqlError::new(5243, &[]);
    for fk in database.catalog.foreign_keys_of(table, session)? {
        if !which.contains(&fk.id) {
            continue;
        }
        let child = database.catalog.table(fk.table, session).ok_or_else(gone)?;
        let parent = database.catalog.table(fk.referenced, session).ok_or_else(gone)?;
        let columns = fk.positions(&child, &parent)?;
        let name = |t: &Table, at: usize| bracketed(&t.columns[at].name);
        let given: Vec<String> =
            columns.iter().map(|c| format!("c.{} IS NOT NULL", name(&child, c.0))).collect();
        let same: Vec<String> = columns
            .iter()
            .map(|c| format!("p.{} = c.{}", name(&parent, c.1), name(&child, c.0)))
            .collect();
        let text = format!(
            "SELECT TOP (1) 1 FROM {} AS c WHERE {} AND NOT EXISTS (SELECT 1 FROM {} AS p WHERE {})",
            bracketed_name(database, &child),
            given.join(" AND "),
            bracketed_name(database, &parent),
            same.join(" AND ")
        );
        if Ready::new(cx, database, &text, &[])?.has_row(cx, Vec::new())? {
            let place = parent.head.qualified();
            let names = columns.iter().map(|c| &*parent.columns[c.1].name);
            let kind =
                if fk.table == fk.referenced { "FOREIGN KEY SAME TABLE" } else { "FOREIGN KEY" };
            return Err(conflict("ALTER TABLE", kind, &fk.name, database, &place, names));
        }
    }
    Ok(())
}

/// `{ CHECK | NOCHECK } CONSTRAINT` for those of the names that are foreign keys; the other names, and whether there is
/// anything left to do for checks.
pub(super) fn switch(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Table,
    with_check: Option<bool>,
    enable: bool,
    names: &[ast::Ident],
) -> SqlResult<(Vec<ast::Ident>, bool)> {
    let all = database.catalog.foreign_keys_of(table.id(), cx.session.id)?;
    let named =
        |k: &&ForeignKey| names.is_empty() || names.iter().any(|n| fold(&n.value) == fold(&k.name));
    let chosen: Vec<&ForeignKey> = all.iter().filter(named).collect();
    let ids: Vec<ObjectId> = chosen.iter().map(|k| k.id).collect();
    let validated = enable && with_check == Some(true);
    for k in chosen.iter().filter(|_| enable) {
        let parent = database.catalog.table(k.referenced, cx.session.id);
        let off = parent.and_then(|p| p.defined().find(|i| i.id == k.index).cloned());
        if let Some(index) = off.filter(|i| i.disabled) {
            return Err(SqlError::new(1989, &[&k.name, &index.name]));
        }
    }
    if validated {
        validate(cx, database, table.id(), &ids)?;
    }
    for k in chosen {
        let not_trusted = !enable || k.not_trusted && !validated;
        rows::write_check_state(cx.transaction(database)?, k.id, !enable, not_trusted)?;
    }
    if !ids.is_empty() {
        let mut touched = ids;
        touched.push(table.id());
        let session = cx.session.id;
        database.catalog.refresh(cx.transaction(database)?, session, &touched)?;
        index::modified(cx, database, table.id())?;
    }
    let is_key = |n: &&ast::Ident| all.iter().any(|k| fold(&k.name) == fold(&n.value));
    let rest: Vec<ast::Ident> = names.iter().filter(|n| !is_key(n)).cloned().collect();
    let more = names.is_empty() || !rest.is_empty();
    Ok((rest, more))
}

/// The foreign keys of other tables that refer to this one.
pub(super) fn from_others(
    cx: &StatementContext<'_>,
    database: &Database,
    table: &Table,
) -> SqlResult<Vec<ForeignKey>> {
    if table.is_temporary() {
        return Ok(Vec::new());
    }
    let mut all = database.catalog.references_to(table.id(), cx.session.id)?;
    all.retain(|k| k.table != table.id());
    Ok(all)
}

/// 3725 for a key that is referred to.
pub(super) fn refuse_key(
    cx: &mut StatementContext<'_>,
    database: &Database,
    table: &Table,
    index: &crate::catalog::Index,
) -> SqlResult<()> {
    let session = cx.session.id;
    let all = database.catalog.references_to(table.id(), session)?;
    let Some(user) = all.iter().find(|k| k.index == index.id) else { return Ok(()) };
    let child = database.catalog.table(user.table, session);
    let child = child.map_or_else(String::new, |t| t.name().to_string());
    if index.constraint.0 == 0 {
        let full = format!("{}.{}", table.head.name, index.name);
        return Err(SqlError::new(3723, &[&full, &"FOREIGN KEY"]));
    }
    cx.reason(SqlError::new(3725, &[&index.name, &child, &user.name]).with_state(0))?;
    Err(SqlError::new(3727, &[]).with_severity(16).with_state(0))
}
