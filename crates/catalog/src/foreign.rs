//! FOREIGN KEY constraints: objects of their table, what they mean in the text of their row of sysmodules.
//!
//! ```text
//! referenced table · index of its key · ON DELETE · ON UPDATE · column:referenced column …
//! 901578250 1 1 0 2:1
//! ```
//! Numbers in decimal with blanks between them; columns by their ids, in the order in which they were written.

use super::object::{ConstraintObject, Object, ObjectKind, Table};
use super::{Catalog, Sight};
use crate::rowcodec::damaged;
use std::sync::Arc;
use taffrail_base::{IndexId, ObjectId, SqlResult};

/// The actions on referencing rows when the referenced row goes or changes.
#[allow(clippy::enum_variant_names, reason = "NO ACTION is what SQL calls it")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// NO ACTION, number 0: the change is an error.
    NoAction,
    /// CASCADE, number 1: the rows follow.
    Cascade,
    /// SET NULL, number 2: the columns become NULL.
    SetNull,
    /// SET DEFAULT, number 3: the columns get their defaults.
    SetDefault,
}

impl Action {
    const ALL: [Action; 4] =
        [Action::NoAction, Action::Cascade, Action::SetNull, Action::SetDefault];

    /// `delete_referential_action` and `update_referential_action` of `sys.foreign_keys`.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// As the catalogue's views write it, with `_` or a blank between the words.
    pub fn description(self, blank: bool) -> &'static str {
        match (self, blank) {
            (Action::NoAction, false) => "NO_ACTION",
            (Action::NoAction, true) => "NO ACTION",
            (Action::Cascade, _) => "CASCADE",
            (Action::SetNull, false) => "SET_NULL",
            (Action::SetNull, true) => "SET NULL",
            (Action::SetDefault, false) => "SET_DEFAULT",
            (Action::SetDefault, true) => "SET DEFAULT",
        }
    }
}

/// A FOREIGN KEY constraint.
#[derive(Clone, Debug)]
pub struct ForeignKey {
    /// The `object_id` of the constraint.
    pub id: ObjectId,
    /// The name of the constraint.
    pub name: Arc<str>,
    /// The table whose rows refer.
    pub table: ObjectId,
    /// The table referred to.
    pub referenced: ObjectId,
    /// The unique index of its key.
    pub index: IndexId,
    /// `column_id` here and there.
    pub columns: Vec<(i32, i32)>,
    /// The action of ON DELETE.
    pub on_delete: Action,
    /// The action of ON UPDATE.
    pub on_update: Action,
    /// NOCHECK CONSTRAINT: rows are not looked at.
    pub disabled: bool,
    /// Rows may be there that it was never held against.
    pub not_trusted: bool,
}

impl ForeignKey {
    /// The definition as its row of sysmodules keeps it: numbers and pairs of columns.
    pub fn text(&self) -> String {
        let (table, index) = (self.referenced.0, self.index.0);
        let (delete, update) = (self.on_delete.number(), self.on_update.number());
        let mut text = format!("{table} {index} {delete} {update}");
        for (own, other) in &self.columns {
            text.push_str(&format!(" {own}:{other}"));
        }
        text
    }

    /// The foreign key that a constraint's object defines.
    pub fn of(c: &ConstraintObject) -> SqlResult<ForeignKey> {
        let wrong = || damaged("a foreign key");
        let mut words = c.definition.split(' ');
        let mut number = || words.next().and_then(|w| w.parse::<i32>().ok()).ok_or_else(wrong);
        let (referenced, index) = (ObjectId(number()?), IndexId(number()?));
        let (delete, update) = (number()?, number()?);
        let action = |n: i32| Action::ALL.into_iter().find(|a| i32::from(a.number()) == n);
        let mut columns = Vec::new();
        for pair in words {
            let (own, other) = pair.split_once(':').ok_or_else(wrong)?;
            let id = |s: &str| s.parse::<i32>().map_err(|_| wrong());
            columns.push((id(own)?, id(other)?));
        }
        if columns.is_empty() {
            return Err(wrong());
        }
        Ok(ForeignKey {
            id: c.head.id,
            name: c.head.name.clone(),
            table: c.head.parent,
            referenced,
            index,
            columns,
            on_delete: action(delete).ok_or_else(wrong)?,
            on_update: action(update).ok_or_else(wrong)?,
            disabled: c.disabled,
            not_trusted: c.not_trusted,
        })
    }

    /// Positions of its columns in its table and in the referenced one.
    pub fn positions(&self, table: &Table, referenced: &Table) -> SqlResult<Vec<(usize, usize)>> {
        let at = |t: &Table, id: i32| {
            let found = t.columns.iter().position(|c| c.id == id);
            found.ok_or_else(|| damaged("a foreign key's column"))
        };
        self.columns.iter().map(|(a, b)| Ok((at(table, *a)?, at(referenced, *b)?))).collect()
    }
}

/// The table that an object refers to, if it is a foreign key. (One whose text is damaged refers to none, and says so to
/// whoever reads it.)
pub(super) fn referenced_by(object: &Object) -> Option<ObjectId> {
    let Object::Constraint(c) = object else { return None };
    if c.head.kind != ObjectKind::ForeignKey {
        return None;
    }
    c.definition.split(' ').next()?.parse().ok().map(ObjectId)
}

impl Catalog {
    /// The foreign keys of a table.
    pub fn foreign_keys_of(
        &self,
        table: ObjectId,
        sight: impl Into<Sight>,
    ) -> SqlResult<Vec<ForeignKey>> {
        let all = self.constraints_of(table, sight);
        let own = all.iter().filter(|c| c.head.kind == ObjectKind::ForeignKey);
        own.map(|c| ForeignKey::of(c)).collect()
    }

    /// All foreign keys, by id.
    pub fn foreign_keys(&self, sight: impl Into<Sight>) -> SqlResult<Vec<ForeignKey>> {
        let mut out = Vec::new();
        for object in self.objects(sight) {
            if let Object::Constraint(c) = object
                && c.head.kind == ObjectKind::ForeignKey
            {
                out.push(ForeignKey::of(&c)?);
            }
        }
        Ok(out)
    }

    /// The foreign keys that refer to a table.
    pub fn references_to(
        &self,
        table: ObjectId,
        sight: impl Into<Sight>,
    ) -> SqlResult<Vec<ForeignKey>> {
        let state = self.state.read();
        let all = state.references(table, sight.into());
        let keys = all.into_iter().filter_map(|o| match o {
            Object::Constraint(c) => Some(ForeignKey::of(c)),
            _ => None,
        });
        keys.collect()
    }
}
