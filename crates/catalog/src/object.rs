//! What the catalogue knows of a database's objects: immutable snapshots, shared by everybody who has looked them up.

use super::computed::Computed;
pub use super::escalation::Escalation;
use super::filter::IndexFilter;
use super::identity::IdentitySequence;
pub use super::kind::ObjectKind;
use super::module::Module;
use super::policy::{SecurityPolicy, SecurityPredicate};
use super::sequence::SequenceObject;
use super::synonym::Synonym;
use super::user_type::UserType;
use crate::rowcodec::{KeyLayout, Place, RowLayout};
use std::sync::{Arc, OnceLock};
use taffrail_base::{HobtId, IndexId, ObjectId, SchemaId, SqlResult};
use taffrail_storage::Hobt;
use taffrail_types::convert::{Declared, Large};
use taffrail_types::mask::MaskFunction;
use taffrail_types::type_facts::Types;
use taffrail_types::{Collation, SqlType, Value};

/// Numbers from here on are those of rows that are no indexes: the indexed views of a table.
pub(super) const FIRST_OF_VIEWS: i32 = 1 << 24;

/// The digits at the end of a temp table's name, which tell it from that of another session.
const TEMP_NUMBER: usize = 12;

/// The facts that every object has: a row of `sys.objects`.
#[derive(Clone, Debug)]
pub struct ObjectHead {
    /// The object's number, `object_id`.
    pub id: ObjectId,
    /// The schema that the object belongs to.
    pub schema_id: SchemaId,
    /// The name of that schema.
    pub schema: Arc<str>,
    /// The name of the object.
    pub name: Arc<str>,
    /// The kind of object.
    pub kind: ObjectKind,
    /// The table of a constraint, the table or view of a trigger; 0 for what stands alone.
    pub parent: ObjectId,
    /// The moment of creation, a datetime: `create_date`.
    pub created: Value,
    /// The moment of the last change, a datetime: `modify_date`.
    pub modified: Value,
    /// The name was made up by the server.
    pub system_named: bool,
    /// The `LOCK_ESCALATION` of a table.
    pub escalation: Escalation,
    /// The part of a table in the keeping of history.
    pub temporal: super::temporal::Temporal,
}

impl ObjectHead {
    /// `schema.name`, as most messages show it.
    pub fn qualified(&self) -> String {
        format!("{}.{}", self.schema, self.name)
    }
}

/// An object of a database.
#[derive(Clone, Debug)]
pub enum Object {
    /// A table that users have made.
    Table(Arc<Table>),
    /// A view, by its text.
    View(Arc<Module>),
    /// A stored procedure, by its text.
    Procedure(Arc<Module>),
    /// A function of any kind, by its text.
    Function(Arc<Module>),
    /// A trigger of a table or view, by its text.
    Trigger(Arc<Module>),
    /// A trigger of the database or of the server, which has a name among its like alone.
    DdlTrigger(Arc<Module>),
    /// A synonym of an object.
    Synonym(Arc<Synonym>),
    /// A sequence of numbers.
    Sequence(Arc<SequenceObject>),
    /// A security policy, whose predicates are of other tables.
    Policy(Arc<SecurityPolicy>),
    /// A type of users, in a space of names of its own.
    Type(Arc<UserType>),
    /// A constraint: its table holds what it means.
    Constraint(Arc<ConstraintObject>),
}

impl Object {
    /// The facts that every object has.
    pub fn head(&self) -> &ObjectHead {
        match self {
            Object::Table(t) => &t.head,
            Object::View(m)
            | Object::Procedure(m)
            | Object::Function(m)
            | Object::Trigger(m)
            | Object::DdlTrigger(m) => &m.head,
            Object::Synonym(s) => &s.head,
            Object::Sequence(s) => &s.head,
            Object::Policy(p) => &p.head,
            Object::Type(t) => &t.head,
            Object::Constraint(c) => &c.head,
        }
    }

    /// The columns of a table, view or table-valued function; others have none.
    pub fn columns(&self) -> &[Column] {
        match self {
            Object::Table(t) => &t.columns,
            Object::View(m) | Object::Function(m) => &m.columns,
            _ => &[],
        }
    }

    /// One of them by name (as the default collation compares names).
    pub fn column(&self, name: &str) -> Option<&Column> {
        let collation = Collation::default();
        self.columns().iter().find(|c| collation.eq_str(&c.name, name))
    }

    /// The procedure, view, function or trigger, if it is one.
    pub fn as_module(&self) -> Option<&Arc<Module>> {
        match self {
            Object::View(m)
            | Object::Procedure(m)
            | Object::Function(m)
            | Object::Trigger(m)
            | Object::DdlTrigger(m) => Some(m),
            _ => None,
        }
    }

    /// The table, if it is one.
    pub fn as_table(&self) -> Option<&Arc<Table>> {
        match self {
            Object::Table(t) => Some(t),
            _ => None,
        }
    }
}

/// A constraint as an object of its own.
#[derive(Clone, Debug)]
pub struct ConstraintObject {
    /// The constraint's name, kind and table.
    pub head: ObjectHead,
    /// Column of a default or of a column's check (0: the table's), index of a key.
    pub detail: i32,
    /// The expression of a default or check, as the catalogue shows it.
    pub definition: Arc<str>,
    /// Of a check: [`Check::disabled`].
    pub disabled: bool,
    /// Of a check: [`Check::not_trusted`].
    pub not_trusted: bool,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    /// `column_id`: from 1, with gaps where columns were dropped.
    pub id: i32,
    /// The name of the column.
    pub name: Arc<str>,
    /// The type of the column.
    pub ty: SqlType,
    /// Whether NULL is allowed.
    pub nullable: bool,
    /// `user_type_id` of the alias that it is declared with; 0 for a system type.
    pub user_type: i32,
    /// The collation, for character types.
    pub collation: Collation,
    /// Whether the column is the table's IDENTITY.
    pub is_identity: bool,
    /// Whether the column is marked ROWGUIDCOL.
    pub is_rowguid: bool,
    /// `GENERATED ALWAYS`: the server gives the column its values.
    pub generated: super::temporal::Generated,
    /// HIDDEN: `SELECT *` and an INSERT without a list of columns pass the column by.
    pub is_hidden: bool,
    /// Whether the column is marked SPARSE. Its values are stored as those of any other column.
    pub is_sparse: bool,
    /// Declared as text, ntext or image: its type is the (max) one of the same kind.
    pub old_large: bool,
    /// Declared as xml: an nvarchar(max) that the methods of xml may be called on.
    pub xml: bool,
    /// Made under ANSI_PADDING OFF: one of variable length does not keep blanks or zero bytes at the end.
    pub unpadded: bool,
    /// Where rows have it.
    pub place: Place,
    /// Its bit of the NULL bitmap.
    pub null_bit: u16,
    /// The constraint that gives the column its DEFAULT.
    pub default: Option<Default>,
    /// The value in rows that are older than the column.
    pub missing: Value,
    /// The expression of a computed column.
    pub computed: Option<Arc<Computed>>,
    /// The function that masks the column's values for whoever has not UNMASK.
    pub mask: Option<Arc<MaskFunction>>,
}

impl Column {
    /// The column's type as the catalogue tells it: by a name of old where the column bears one.
    pub fn told_type(&self) -> Types {
        Types::declared(self.declared(), self.user_type)
    }

    /// The type's name, as the catalogue shows it.
    pub fn type_name(&self) -> &'static str {
        match self.ty {
            SqlType::NVarChar(_) if self.xml => "xml",
            SqlType::VarChar(_) if self.old_large => "text",
            SqlType::NVarChar(_) if self.old_large => "ntext",
            SqlType::VarBinary(_) if self.old_large => "image",
            ty => ty.name(),
        }
    }

    /// The type as conversions treat it, `text` and its like told from `varchar(max)`.
    pub fn declared(&self) -> Declared {
        Declared::new(self.ty, self.large())
    }

    /// Which of the large types it is declared as.
    pub fn large(&self) -> Large {
        match (self.xml, self.old_large) {
            (true, _) => Large::Xml,
            (_, true) => Large::Old,
            _ => Large::Plain,
        }
    }

    /// Declares it as one of the large types.
    pub fn set_large(&mut self, large: Large) {
        (self.xml, self.old_large) = (large == Large::Xml, large == Large::Old);
    }

    /// The type's number, `system_type_id`.
    pub fn system_type_id(&self) -> u8 {
        match self.type_name() {
            "xml" => 241,
            "text" => 35,
            "ntext" => 99,
            "image" => 34,
            _ => self.ty.system_type_id(),
        }
    }
}

/// A DEFAULT constraint of a column.
#[derive(Clone, Debug)]
pub struct Default {
    /// The `object_id` of the constraint.
    pub id: ObjectId,
    /// The name of the constraint.
    pub name: Arc<str>,
    /// The expression's text, in parentheses.
    pub definition: Arc<str>,
}

/// A CHECK constraint of a table.
#[derive(Clone, Debug)]
pub struct Check {
    /// The `object_id` of the constraint.
    pub id: ObjectId,
    /// The name of the constraint.
    pub name: Arc<str>,
    /// The condition's text, in parentheses.
    pub definition: Arc<str>,
    /// `column_id` of the one column that it is about; else 0.
    pub column_id: i32,
    /// NOCHECK CONSTRAINT: rows are not looked at.
    pub disabled: bool,
    /// Rows may be there that it was never held against.
    pub not_trusted: bool,
}

impl Check {
    /// The end of message 547, behind the table's name, for a check of one column.
    pub fn of_column(&self, table: &Table) -> String {
        let column = table.columns.iter().find(|c| c.id == self.column_id && c.id != 0);
        column.map_or_else(String::new, |c| format!(", column '{}'", c.name))
    }
}

/// The facts of an IDENTITY column.
#[derive(Clone, Debug)]
pub struct Identity {
    /// Position of the column among the table's columns.
    pub column: usize,
    /// The first value given out.
    pub seed: i64,
    /// The step; may be negative.
    pub increment: i64,
    /// Gives out the values; outlives changes of the table's metadata.
    pub sequence: Arc<IdentitySequence>,
}

/// The kinds of indexes, as `type` of `sys.indexes`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IndexKind {
    /// 0: rows without order, found by RID.
    Heap,
    /// 1: the rows themselves, in order of the key.
    Clustered,
    /// 2: keys and the locators of the rows.
    Nonclustered,
}

/// The end of a key, behind the declared columns (see [`crate::rowcodec::key`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyTail {
    /// Nothing: the columns are unique.
    None,
    /// The row's number, from [`super::Catalog::next_row_number`].
    RowNumber,
    /// The locator of the row.
    Locator,
}

/// A heap, clustered or nonclustered index.
pub struct Index {
    /// `index_id`: 0 heap, 1 clustered, from 2 nonclustered.
    pub id: IndexId,
    /// Its name; a heap has none.
    pub name: Arc<str>,
    /// The kind of index.
    pub kind: IndexKind,
    /// No two rows have the same key columns.
    pub unique: bool,
    /// Made by PRIMARY KEY.
    pub primary_key: bool,
    /// Whether a UNIQUE constraint made the index.
    pub unique_constraint: bool,
    /// The constraint that made it, else 0.
    pub constraint: ObjectId,
    /// The `fill_factor` in percent; 0 is 100.
    pub fill_factor: u8,
    /// PAD_INDEX: the fill factor goes for the pages above the leaves too.
    pub padded: bool,
    /// ALLOW_PAGE_LOCKS = OFF. No lock is ever taken on a page, whatever it says.
    pub no_page_locks: bool,
    /// ALLOW_ROW_LOCKS = OFF: who reads or changes rows by the index locks the table.
    pub no_row_locks: bool,
    /// IGNORE_DUP_KEY = ON: an INSERT passes over a row whose key is there already.
    pub ignore_dup_key: bool,
    /// ALTER INDEX … DISABLE. A nonclustered one has no tree then; the rows of a clustered one stay, and nobody reads them.
    pub disabled: bool,
    /// The declared key columns.
    pub key: KeyLayout,
    /// INCLUDE: positions among the table's columns.
    pub included: Box<[usize]>,
    /// Positions of the columns that the row beside a nonclustered key holds: key columns, then included ones, then those of its
    /// filter.
    pub covered: Box<[usize]>,
    /// The layout of the row beside the key.
    pub covered_layout: RowLayout,
    /// Of a filtered index: which rows have an entry. Its columns are the last of `covered`.
    pub filter: Option<IndexFilter>,
    /// Its heap or tree.
    pub hobt_id: HobtId,
    pub(super) hobt: OnceLock<Arc<Hobt>>,
    pub(super) storage: Arc<taffrail_storage::Database>,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} index {} '{}'", self.kind, self.id, self.name)
    }
}

impl Index {
    /// Its heap or tree at run time.
    #[inline]
    pub fn hobt(&self) -> SqlResult<&Arc<Hobt>> {
        if let Some(hobt) = self.hobt.get() {
            return Ok(hobt);
        }
        let hobt = self.storage.hobt(self.hobt_id).map_err(|e| e.to_sql())?;
        Ok(self.hobt.get_or_init(|| hobt))
    }

    /// Whether a row of these values (in order of the table's columns) has an entry.
    #[inline]
    pub fn holds(&self, values: &[Value]) -> bool {
        self.filter.as_ref().is_none_or(|f| f.holds(values))
    }

    /// Whether what the index has depends on SET options: it is filtered, or has a computed column.
    pub(super) fn by_options(&self, columns: &[Column]) -> bool {
        let computed = |c: &usize| columns[*c].computed.is_some();
        self.filter.is_some() || self.covered.iter().any(computed)
    }

    /// The end of the index's keys, behind the declared columns.
    pub fn tail(&self) -> KeyTail {
        match (self.kind, self.unique) {
            (IndexKind::Heap, _) | (_, true) => KeyTail::None,
            (IndexKind::Clustered, false) => KeyTail::RowNumber,
            (IndexKind::Nonclustered, false) => KeyTail::Locator,
        }
    }

    /// Its place among the columns of the index's own rows, for a column of the table.
    pub fn covers(&self, column: usize) -> Option<usize> {
        self.covered.iter().position(|c| *c == column)
    }

    /// Whether a change of these columns (positions in the table) changes its keys or rows.
    pub fn touched_by(&self, columns: &[usize]) -> bool {
        self.covered.iter().any(|c| columns.contains(c))
    }
}

/// The statistics that CREATE STATISTICS has made: a name for columns. Nothing is counted for it.
#[derive(Clone, Debug)]
pub struct Statistics {
    /// `stats_id`: a number that no index of the table has.
    pub id: IndexId,
    /// The name of the statistics.
    pub name: Arc<str>,
    /// Positions of its columns among the table's.
    pub columns: Box<[usize]>,
    /// Whether NORECOMPUTE was said.
    pub no_recompute: bool,
    /// The rows that filtered statistics are of.
    pub filter: Option<IndexFilter>,
}

impl Statistics {
    /// Whether they are of a column, or filtered by it (position among the table's).
    pub fn names(&self, column: usize) -> bool {
        let filtered = self.filter.iter().flat_map(|f| &f.terms).any(|t| t.column == column);
        filtered || self.columns.contains(&column)
    }
}

/// A user table.
///
/// 1. `indexes[0]` is the heap or the clustered index; nonclustered indexes follow by id.
/// 2. `columns` are in order of `column_id`; `layout` has the same columns in the same order.
#[derive(Debug)]
pub struct Table {
    /// The table's name, schema and id.
    pub head: ObjectHead,
    /// The columns, dropped ones left out.
    pub columns: Vec<Column>,
    /// How its rows are written.
    pub layout: RowLayout,
    /// Heap or clustered index first. Of these, only a clustered one may be [disabled](Index::disabled).
    pub indexes: Vec<Arc<Index>>,
    /// The nonclustered indexes that are disabled: definitions without trees.
    pub disabled: Vec<Arc<Index>>,
    /// The name of a clustered columnstore index that was asked for, and its number: the rows stay the heap that they are.
    pub columnstore: Option<(IndexId, Arc<str>)>,
    /// The views with indexes that read the table: whoever changes rows keeps them.
    pub indexed_views: Vec<ObjectId>,
    /// Statements that change rows need SET options to be as they are by default: there is an indexed view, a filtered index, or a computed
    /// column whose values are in an index.
    pub needs_options: bool,
    /// The statistics that CREATE STATISTICS has made.
    pub statistics: Vec<Statistics>,
    /// The CHECK constraints on the rows.
    pub checks: Vec<Check>,
    /// The IDENTITY column, if there is one.
    pub identity: Option<Identity>,
    /// Positions of the columns that say from when to when a row is as it is.
    pub period: Option<(usize, usize)>,
    /// The security predicates of its rows, those of policies that are switched off among them, by policy and number.
    pub predicates: Vec<Arc<SecurityPredicate>>,
    /// The highest `column_id` ever given out: `max_column_id_used`.
    pub max_column_id: i32,
    /// Differs between any two snapshots of the same table.
    pub version: u64,
    /// Columns that were dropped and whose bytes are still in the rows: number, place in the row, length.
    pub dropped: Vec<(i32, Place, u16)>,
}

/// A padded name of tempdb as it was written; none for one that is too short.
pub(super) fn shown_temp(name: &str) -> Option<&str> {
    let own = name.len().checked_sub(TEMP_NUMBER).and_then(|at| name.get(..at))?;
    Some(own.trim_end_matches('_'))
}

impl Table {
    /// The table's number, `object_id`.
    pub fn id(&self) -> ObjectId {
        self.head.id
    }

    /// The name of the table.
    pub fn name(&self) -> &str {
        &self.head.name
    }

    /// It is a `#temporary` one, a `##global` one or a table variable; an ordinary table of tempdb is not.
    pub fn is_temporary(&self) -> bool {
        self.head.name.starts_with('#')
    }

    /// Its name as the user knows it: a temp table's without what tells it from those of other sessions, a table
    /// variable's (`#@t____…`) as it was declared.
    pub fn shown(&self) -> &str {
        let name = self.name();
        match shown_temp(name).filter(|_| crate::is_temp(name)) {
            Some(own) => {
                if own.starts_with("#@") {
                    &own[1..]
                } else {
                    own
                }
            }
            None => name,
        }
    }

    /// It is a table variable.
    pub fn is_variable(&self) -> bool {
        self.name().starts_with("#@")
    }

    /// It stands for something that has no rows of its own.
    pub fn is_unmade(&self) -> bool {
        self.base().hobt_id == HobtId(0)
    }

    /// The heap or clustered index.
    pub fn base(&self) -> &Arc<Index> {
        &self.indexes[0]
    }

    /// The base is a heap.
    pub fn is_heap(&self) -> bool {
        self.indexes[0].kind == IndexKind::Heap
    }

    /// The nonclustered indexes, in order of their numbers.
    pub fn nonclustered(&self) -> &[Arc<Index>] {
        &self.indexes[1..]
    }

    /// Position of a column by name (as the default collation compares names).
    pub fn column(&self, name: &str) -> Option<usize> {
        let exact = self.columns.iter().position(|c| &*c.name == name);
        exact.or_else(|| {
            let collation = Collation::default();
            self.columns.iter().position(|c| collation.eq_str(&c.name, name))
        })
    }

    /// All indexes, in order of their numbers, with those that are disabled; the heap is one of them.
    pub fn defined(&self) -> impl Iterator<Item = &Arc<Index>> {
        let mut all: Vec<&Arc<Index>> = self.indexes.iter().chain(&self.disabled).collect();
        all.sort_by_key(|i| i.id.0);
        all.into_iter()
    }

    /// An index by name, also one that is disabled.
    pub fn index(&self, name: &str) -> Option<&Arc<Index>> {
        let collation = Collation::default();
        let mut all = self.indexes.iter().chain(&self.disabled);
        all.find(|i| i.kind != IndexKind::Heap && collation.eq_str(&i.name, name))
    }

    /// The clustered index, where it is disabled: nobody reads or changes rows then.
    pub fn switched_off(&self) -> Option<&Arc<Index>> {
        Some(self.base()).filter(|base| base.disabled)
    }

    /// Statistics of CREATE STATISTICS by name.
    pub fn own_statistics(&self, name: &str) -> Option<&Statistics> {
        let collation = Collation::default();
        self.statistics.iter().find(|s| collation.eq_str(&s.name, name))
    }

    /// A number for a nonclustered index or for statistics.
    pub fn next_index_id(&self) -> IndexId {
        let indexes = self.indexes.iter().chain(&self.disabled).map(|i| i.id.0);
        let used = indexes.chain(self.statistics.iter().map(|s| s.id.0));
        let used =
            used.chain(self.columnstore.iter().map(|c| c.0.0)).filter(|id| *id < FIRST_OF_VIEWS);
        IndexId(used.max().unwrap_or(1).max(1) + 1)
    }

    /// Rows, committed or not.
    pub fn row_count(&self) -> u64 {
        self.base().hobt().map_or(0, |h| h.row_count())
    }
}
