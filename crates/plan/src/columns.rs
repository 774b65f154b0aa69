//! The columns of a statement: for each slot its type, whether NULL may be there, its collation and the table's column behind it.
//!
//! The binder makes a [`Column`] for each slot, the planner one for each slot that it adds; both stand beside the tree, in one table of
//! the statement ([`Columns`]). A relation or an operator hands up slots, so its columns are theirs.
//!
//! A [`Column`] tells of the place that sets its slot. Above an outer join NULL may be in a slot of a column that allows none:
//! [`Columns::nulls`] derives it along the tree.

use crate::change::OutputPlan;
use crate::expr::{Expr, Slot};
use crate::node::JoinType;
use crate::rel::{Group, Rel};
use crate::sink::ColumnDesc;
use crate::slots::SlotSet;
use crate::system_view::SystemView;
use std::ops::Index;
use taffrail_base::{DatabaseId, ObjectId};
use taffrail_types::Collation;
use taffrail_types::convert::Declared;

/// The label of a collation: its worth beside another text's collation (collation precedence).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Label {
    /// Coercible-default, of a literal, a variable or a value made of no text: any other collation wins over it.
    #[default]
    CoercibleDefault,
    /// Implicit: a column's collation.
    Implicit,
    /// Explicit, as COLLATE writes it: it wins.
    Explicit,
    /// No-collation: the collations of two columns met. COLLATE says one.
    NoCollation(Clash),
}

/// Two collations that met, and the operation that met them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Clash {
    /// The left operand's collation.
    pub left: Collation,
    /// The right operand's collation.
    pub right: Collation,
    /// The operation as messages name it.
    pub operator: &'static str,
}

/// A collation with its label.
pub type Coerced = (Collation, Label);

/// The collation that two operands have together; an error where both are written and differ.
pub fn merged(a: Coerced, b: Coerced, operator: &'static str) -> Result<Coerced, Clash> {
    use Label as L;
    let clash = || Clash { left: a.0, right: b.0, operator };
    Ok(match (a.1, b.1) {
        (L::Explicit, L::Explicit) if a.0 != b.0 => return Err(clash()),
        (L::Explicit, _) => a,
        (_, L::Explicit) => b,
        (L::NoCollation(_), _) => a,
        (_, L::NoCollation(_)) => b,
        (L::CoercibleDefault, _) => b,
        (_, L::CoercibleDefault) => a,
        (L::Implicit, L::Implicit) if a.0 == b.0 => a,
        (L::Implicit, L::Implicit) => (a.0, L::NoCollation(clash())),
    })
}

/// The column of a table or view that a slot repeats.
#[derive(Clone, Copy, Debug)]
pub enum Origin {
    /// A column of a table.
    Table {
        /// The database that the table belongs to.
        database: DatabaseId,
        /// The table, by its id.
        table: ObjectId,
        /// The column's position in the table.
        column: usize,
        /// The column is the table's identity column.
        identity: bool,
        /// The column is a computed one of the table.
        computed: bool,
    },
    /// A column of a system view or function, by position.
    View(&'static SystemView, usize),
}

/// A column of a statement.
#[derive(Clone, Debug)]
pub struct Column {
    /// The type as it is declared.
    pub ty: Declared,
    /// NULL may be there when the slot has been set.
    pub nullable: bool,
    /// The collation, for text.
    pub collation: Collation,
    /// The label of its collation.
    pub label: Label,
    /// A bare NULL, which takes the type of the columns beside it in a UNION.
    pub untyped: bool,
    /// `user_type_id` of an alias type; 0 for a system type.
    pub user_type: i32,
    /// The table's column that it repeats; none for a computed value.
    pub origin: Option<Origin>,
}

impl Column {
    /// A computed column that may be NULL, of a coercible-default collation.
    pub fn computed(ty: impl Into<Declared>) -> Column {
        Column {
            ty: ty.into(),
            nullable: true,
            collation: Collation::default(),
            label: Label::CoercibleDefault,
            untyped: false,
            user_type: 0,
            origin: None,
        }
    }

    /// Whether it repeats an identity column.
    pub fn is_identity(&self) -> bool {
        matches!(self.origin, Some(Origin::Table { identity: true, .. }))
    }

    /// The most bytes that a value takes in a row; none for a (max) type.
    pub fn width(&self) -> Option<u32> {
        u32::try_from(self.ty.ty.max_length()).ok()
    }

    /// The collation with its label.
    pub fn coerced(&self) -> Coerced {
        (self.collation, self.label)
    }

    /// The result column that shows it under a name. `nullable`: NULL may be in its slot there.
    pub fn described(&self, name: &str, nullable: bool) -> ColumnDesc {
        ColumnDesc {
            name: name.into(),
            ty: self.ty.ty,
            nullable,
            collation: self.ty.ty.is_text().then_some(self.collation),
            identity: self.is_identity(),
            computed: matches!(self.origin, None | Some(Origin::Table { computed: true, .. })),
            large: self.ty.large(),
            user_type: self.user_type,
        }
    }
}

/// The rows that a change puts out.
#[derive(Clone, Copy, Debug)]
pub enum Changed<'r> {
    /// The rows of an INSERT.
    New,
    /// The rows that an UPDATE or DELETE finds.
    Found(&'r Rel),
    /// The rows of a MERGE.
    Merged {
        /// The source's rows, each with the row of the target that it is matched with.
        rows: &'r Rel,
        /// The slot of `$action`.
        action: Option<Slot>,
        /// There is no clause WHEN NOT MATCHED BY SOURCE.
        all_have_source: bool,
    },
}

/// The columns of a statement, by slot.
#[derive(Clone, Default, Debug)]
pub struct Columns(Vec<Column>);

impl Columns {
    /// Adds a column; its slot.
    pub fn push(&mut self, column: Column) -> Slot {
        self.0.push(column);
        self.0.len() as Slot - 1
    }

    /// The number of slots that the statement's frame has.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the statement has no slot.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The column of a slot, if there is that slot.
    pub fn get(&self, slot: Slot) -> Option<&Column> {
        self.0.get(slot as usize)
    }

    /// Puts another table in the place of one that columns come from.
    pub fn rebind(&mut self, old: ObjectId, new: ObjectId) {
        for column in &mut self.0 {
            if let Some(Origin::Table { table, .. }) = &mut column.origin
                && *table == old
            {
                *table = new;
            }
        }
    }

    /// The slots of a relation's rows that may be NULL.
    ///
    /// | relation | may be NULL |
    /// |---|---|
    /// | a source, a computed column, an aggregate | as its [`Column`] says |
    /// | an outer join | all columns of a side that need not be there |
    /// | grouping sets | a key that a set leaves out |
    /// | UNION | where it may be in any input |
    /// | EXCEPT, INTERSECT | where it may be in the left input |
    pub fn nulls(&self, rel: &Rel) -> SlotSet {
        match rel {
            Rel::Empty | Rel::OneRow => SlotSet::default(),
            Rel::Get(r) => self.declared(r.slots()),
            Rel::Rowset(r) => self.declared(r.columns.iter().map(|c| c.1)),
            Rel::Values(r) => self.declared(r.slots.iter().copied()),
            Rel::Recursive(r) => self.declared(r.slots.iter().copied()),
            Rel::Select(r) => self.nulls(&r.input),
            Rel::Distinct(r) => self.nulls(&r.input),
            Rel::Sort(r) => self.nulls(&r.input),
            Rel::Top(r) => self.nulls(&r.input),
            Rel::Compute(r) => self.with(self.nulls(&r.input), r.items.iter().map(|i| i.1)),
            Rel::Window(r) => self.with(self.nulls(&r.input), r.items.iter().map(|i| i.slot)),
            Rel::Project(r) => {
                let nulls = self.nulls(&r.input);
                r.columns.iter().copied().filter(|s| nulls.contains(*s)).collect()
            }
            Rel::Join(r) => self.of_join(r.kind, &r.left, &r.right),
            Rel::Group(r) => self.of_group(r),
            Rel::Union(list) => {
                let mut all = SlotSet::default();
                list.iter().for_each(|r| all.add_all(&self.nulls(r)));
                all
            }
            Rel::SetOperation(r) => self.nulls(&r.left),
        }
    }

    /// The slots that may be NULL where the OUTPUT of a statement puts them out.
    ///
    /// | slot | may be NULL |
    /// |---|---|
    /// | a column of `inserted` or `deleted` | as the table says; in a MERGE always, since a row that came has no old values |
    /// | an item that is computed | as its [`Column`] says |
    /// | a column beside them | as in the rows of the statement; in a MERGE of rows that have no source always |
    pub fn nulls_of_output(&self, o: &OutputPlan<Rel>, change: Changed<'_>) -> SlotSet {
        let sides = || o.inserted.iter().chain(&o.deleted).map(|c| c.1);
        let mut nulls = match change {
            Changed::New => self.declared(sides()),
            Changed::Found(rel) => self.with(self.nulls(rel), sides()),
            Changed::Merged { rows, action, all_have_source } => {
                let mut nulls = self.nulls(rows);
                nulls.extend(sides());
                let beside = o.saved.iter().copied().filter(|s| Some(*s) != action);
                nulls.extend(beside.filter(|_| !all_have_source));
                nulls
            }
        };
        nulls.add_all(&self.declared(o.items.iter().map(|i| i.1)));
        nulls
    }

    /// Those of these slots that may be NULL where they are set.
    fn declared(&self, slots: impl Iterator<Item = Slot>) -> SlotSet {
        slots.filter(|s| self.get(*s).is_none_or(|c| c.nullable)).collect()
    }

    fn with(&self, mut below: SlotSet, slots: impl Iterator<Item = Slot>) -> SlotSet {
        below.add_all(&self.declared(slots));
        below
    }

    fn of_join(&self, kind: JoinType, left: &Rel, right: &Rel) -> SlotSet {
        let mut nulls = match kind {
            JoinType::Full => left.columns(),
            _ => self.nulls(left),
        };
        match kind {
            JoinType::Inner => nulls.add_all(&self.nulls(right)),
            JoinType::Left | JoinType::Full => nulls.add_all(&right.columns()),
            JoinType::Semi | JoinType::Anti | JoinType::NullAwareAnti => {}
            JoinType::Mark(mark) => nulls.extend(mark.null_aware.then_some(mark.slot)),
        }
        nulls
    }

    fn of_group(&self, r: &Group) -> SlotSet {
        let below = self.nulls(&r.input);
        let left_out = |at: usize| r.sets.iter().any(|set| set >> at & 1 == 0);
        let null = |(at, key): (usize, &(Expr, Slot, Collation))| match &key.0 {
            _ if left_out(at) => true,
            Expr::Slot(s) => below.contains(*s),
            _ => self.get(key.1).is_none_or(|c| c.nullable),
        };
        let keys = r.keys.iter().enumerate().filter(|k| null(*k)).map(|(_, k)| k.1);
        self.with(keys.collect(), r.aggs.iter().map(|a| a.slot))
    }
}

impl Index<Slot> for Columns {
    type Output = Column;

    fn index(&self, slot: Slot) -> &Column {
        &self.0[slot as usize]
    }
}

impl std::ops::IndexMut<Slot> for Columns {
    fn index_mut(&mut self, slot: Slot) -> &mut Column {
        &mut self.0[slot as usize]
    }
}

impl FromIterator<Column> for Columns {
    fn from_iter<I: IntoIterator<Item = Column>>(columns: I) -> Columns {
        Columns(columns.into_iter().collect())
    }
}
