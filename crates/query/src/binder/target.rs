//! The target of an UPDATE or DELETE among the sources of FROM.
//!
//! A target is named once before FROM and may stand in FROM again. These rules say which source is changed, the first that holds wins:
//! 1. A bare name is that of an alias, or of a derived table.
//! 2. A bare name is the last part of a name that stands in FROM without an alias, whatever schema or database is before it. Of several the
//!    object is taken that the name stands for outside FROM.
//! 3. The object itself (table, view, table variable, common table expression) stands in FROM: the reference without an alias, or the only
//!    one. Several, all with aliases, are ambiguous (8154).
//! 4. Nothing in FROM is meant: the target is one more source, each of its rows joined with each row of FROM.
//!
//! Only FROM's own sources count, none inside a derived table, PIVOT or UNPIVOT.

use super::{Binder, Resolved, eq};
use taffrail_base::{DatabaseId, ObjectId, SqlError, SqlResult};
use taffrail_syntax::ast::{self, TableRef};

/// The place of a change's target in FROM, and the source that is made of it.
pub(super) struct Place<'a> {
    at: &'a TableRef,
    source: Option<u32>,
}

/// An object that a reference stands for.
#[derive(PartialEq)]
enum Meaning {
    /// A common table expression, by its place.
    Expression(usize),
    /// A table, view or table variable. Object ids are numbers that every database counts by itself.
    Object(DatabaseId, ObjectId),
}

/// The sources of FROM, those of joins one by one.
fn leaves<'a>(list: &'a [TableRef]) -> Vec<&'a TableRef> {
    let mut todo: Vec<&'a TableRef> = list.iter().rev().collect();
    let mut out = Vec::new();
    while let Some(t) = todo.pop() {
        match t {
            TableRef::Join(j) => todo.extend([&j.right, &j.left]),
            // Versions of rows are read, and not changed.
            TableRef::Named(n) if n.system_time.is_some() => {}
            leaf => out.push(leaf),
        }
    }
    out
}

/// The alias of a source.
fn alias(t: &TableRef) -> Option<&ast::Ident> {
    match t {
        TableRef::Named(n) => n.alias.as_ref(),
        TableRef::Variable(v) => v.alias.as_ref(),
        TableRef::Function(f) => f.alias.as_ref(),
        TableRef::Derived(d) => Some(&d.alias),
        TableRef::Values(v) => Some(&v.alias),
        TableRef::Pivot(p) => Some(&p.alias),
        TableRef::Unpivot(u) => Some(&u.alias),
        TableRef::Changes(c) => Some(&c.alias),
        TableRef::Join(_) | TableRef::OpenRowset(_) => None,
    }
}

/// The name of a table, view or function that stands without an alias.
fn plain(t: &TableRef) -> Option<&ast::ObjectName> {
    match t {
        TableRef::Named(n) if n.alias.is_none() => Some(&n.name),
        TableRef::Function(f) if f.alias.is_none() => Some(&f.call.name),
        _ => None,
    }
}

/// 8154: several sources of FROM may be the target.
fn ambiguous(target: &TableRef) -> Box<SqlError> {
    let name = match target {
        TableRef::Named(n) => &n.name.name.value,
        TableRef::Variable(v) => &v.name.value,
        _ => "",
    };
    SqlError::new(8154, &[&name])
}

impl<'a> Binder<'a> {
    /// The reference in FROM that the target of an UPDATE or DELETE means, by the rules above: 8154.
    pub(super) fn target_in_from(
        &self,
        target: &TableRef,
        from: &'a [TableRef],
    ) -> SqlResult<Option<&'a TableRef>> {
        let leaves = leaves(from);
        if let TableRef::Function(f) = target {
            return match self.object_in_from(target, &leaves)? {
                Some(_) => Err(SqlError::new(335, &[&f.call.name])),
                None => Ok(None),
            };
        }
        let bare = match target {
            TableRef::Named(n) => n.name.as_bare().map(|n| &*n.value),
            _ => None,
        };
        if let Some(bare) = bare {
            let called = |t: &&&TableRef| alias(t).is_some_and(|a| eq(&a.value, bare));
            if let Some(t) = leaves.iter().find(called) {
                return Ok(Some(t));
            }
            let exposed = |t: &&TableRef| plain(t).is_some_and(|n| eq(&n.name.value, bare));
            let exposed: Vec<&'a TableRef> = leaves.iter().copied().filter(exposed).collect();
            match exposed[..] {
                [] => {}
                [only] => return Ok(Some(only)),
                _ => {
                    let found = self.object_in_from(target, &exposed)?;
                    return found.map(Some).ok_or_else(|| ambiguous(target));
                }
            }
        }
        self.object_in_from(target, &leaves)
    }

    /// The reference to the very object that the target names.
    fn object_in_from(
        &self,
        target: &TableRef,
        leaves: &[&'a TableRef],
    ) -> SqlResult<Option<&'a TableRef>> {
        if leaves.is_empty() {
            return Ok(None);
        }
        let Some(wanted) = self.meaning(target) else { return Ok(None) };
        let same = |t: &&TableRef| self.meaning(t).as_ref() == Some(&wanted);
        let same: Vec<&'a TableRef> = leaves.iter().copied().filter(same).collect();
        match (same.iter().find(|t| alias(t).is_none()), &same[..]) {
            (Some(plain), _) => Ok(Some(plain)),
            (None, []) => Ok(None),
            (None, [only]) => Ok(Some(only)),
            (None, _) => Err(ambiguous(target)),
        }
    }

    fn meaning(&self, t: &TableRef) -> Option<Meaning> {
        match t {
            TableRef::Named(n) => match n.name.as_bare().and_then(|name| self.expression(name)) {
                Some(at) => Some(Meaning::Expression(at)),
                None => match self.meta.table(&n.name) {
                    Ok(Resolved::Table(d, t)) => Some(Meaning::Object(d.id, t.id())),
                    Ok(Resolved::UserView(d, v)) => Some(Meaning::Object(d.id, v.head.id)),
                    Ok(Resolved::View(..) | Resolved::Changed(..)) => None,
                    Err(_) => self.function_meant(&n.name),
                },
            },
            TableRef::Function(f) => self.function_meant(&f.call.name),
            TableRef::Variable(v) => {
                let (database, table) = self.meta.table_variable(&v.name.value).ok()?;
                Some(Meaning::Object(database.id, table.id()))
            }
            _ => None,
        }
    }

    /// The user's function of a name.
    fn function_meant(&self, name: &ast::ObjectName) -> Option<Meaning> {
        let (d, f) = self.meta.function(name).ok()??;
        Some(Meaning::Object(d.id, f.head.id))
    }

    /// The common table expression of this name that is in scope, by its place.
    pub(super) fn expression(&self, name: &ast::Ident) -> Option<usize> {
        self.ctes.iter().rposition(|c| eq(&c.table.name.value, &name.value))
    }

    /// Begins to look for the target at its place in FROM.
    pub(super) fn place_target(&mut self, at: Option<&'a TableRef>) {
        self.place = at.map(|at| Place { at, source: None });
    }

    /// The source that was made of the target's place.
    pub(super) fn placed(&self) -> Option<u32> {
        self.place.as_ref()?.source
    }

    /// Whether this reference is the target. A query that is bound for it is what is changed.
    pub(super) fn begin_place(&mut self, t: &TableRef) -> bool {
        self.armed = self.place.as_ref().is_some_and(|p| std::ptr::eq(p.at, t));
        self.armed
    }

    /// The target's place in FROM is bound.
    pub(super) fn end_place(&mut self, tree: &super::FromTree) {
        self.armed = false;
        if let (Some(place), super::FromTree::Source(id)) = (&mut self.place, tree) {
            place.source = Some(*id);
        }
    }
}
