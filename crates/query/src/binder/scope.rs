//! What names can mean where the binder stands: the sources of each block with their columns, what is gathered for the block
//! while it is bound, and the common table expressions in scope.

use super::computed::mentioned_columns;
use super::{Binder, eq};
use std::sync::Arc;
use taffrail_catalog::Table;
use taffrail_catalog::database::Database;
use taffrail_plan::columns::{Column, Label, Origin};
use taffrail_plan::expr::{Expr, Slot};
use taffrail_plan::facts::Securable;
use taffrail_plan::locking::Hints;
use taffrail_plan::node::{Agg, SortKey, WindowItem};
use taffrail_plan::rel::{self, Get, Rel, Rowset, RowsetRef, RowsetSource};
use taffrail_syntax::ast;
use taffrail_types::convert::{Declared, Large};
use taffrail_types::{Collation, SqlType};

/// Where a slot stands in the statement's text, and how the text names it. Its type is that of its column.
#[derive(Clone, Debug)]
pub(crate) struct Mention {
    /// The block that the slot belongs to.
    pub block: u32,
    /// The source it comes from, unique in the statement; `u32::MAX` for computed slots.
    pub source: u32,
    /// The schema of `schema.table.column` for message 8120, if the statement says it.
    pub schema: Option<Arc<str>>,
    /// The source's name; empty for computed slots.
    pub table: Arc<str>,
    /// The column's name; empty where it has none.
    pub column: Arc<str>,
}

impl Binder<'_> {
    /// Table and column of each slot, as a plan shows them; both empty where it has no name.
    pub fn slot_names(&self) -> impl Iterator<Item = (&str, &str)> {
        self.mentions.iter().map(|m| (&*m.table, &*m.column))
    }
}

impl Mention {
    /// A computed slot of a block, under this name.
    pub fn computed(block: u32, name: &str) -> Mention {
        Mention { block, source: u32::MAX, schema: None, table: "".into(), column: name.into() }
    }
}

/// A column that a source offers.
#[derive(Clone, Debug)]
pub(crate) struct SourceColumn {
    pub(crate) name: Arc<str>,
    pub(crate) ty: SqlType,
    /// NULL may be there in a row of the source.
    pub(crate) nullable: bool,
    pub(crate) collation: Collation,
    /// The table's column that it is or shows.
    pub origin: Option<Origin>,
    /// The kind of large type: see [`super::Bound::large`].
    pub large: Large,
    /// See [`super::Bound::user_type`].
    pub user_type: i32,
    /// HIDDEN: a star passes it by.
    pub hidden: bool,
    /// Given when the column is first mentioned.
    pub slot: Option<Slot>,
}

impl SourceColumn {
    /// The statement's column of a table's or view's.
    pub fn of_table(&self) -> Column {
        Column {
            ty: Declared::new(self.ty, self.large),
            nullable: self.nullable,
            collation: self.collation,
            label: Label::Implicit,
            untyped: false,
            user_type: self.user_type,
            origin: self.origin,
        }
    }
}

/// How a source's rows are got.
pub(crate) enum SourceKind {
    Table {
        database: Arc<Database>,
        table: Arc<Table>,
        hints: Hints,
        /// The columns that are computed where they are read, with their values.
        virtuals: Vec<(usize, Expr)>,
    },
    /// The rows of a system view, or of a function that is run.
    Rowset {
        database: Arc<Database>,
        source: RowsetSource,
        args: Vec<Expr>,
        /// NOLOCK is said of it.
        dirty: bool,
    },
    /// A query; nothing where the columns of a table stand for a row that is handed in.
    Derived(Option<Rel>),
}

/// A source of rows in FROM.
pub(crate) struct Source {
    /// Unique in the statement.
    pub id: u32,
    /// The alias, or the name.
    pub alias: Arc<str>,
    /// `schema` and `database` that may qualify it further.
    pub schema: Option<Arc<str>>,
    /// The schema stands in the statement.
    pub qualified: bool,
    pub(crate) columns: Vec<SourceColumn>,
    pub(crate) kind: SourceKind,
    /// The slot for the row's locator when it is a target.
    pub locator: Option<Slot>,
    /// An outer join gives rows without one of its rows: all its columns are NULL there.
    pub left_out: bool,
    /// The table or view that is needed where a column is mentioned.
    pub object: Option<Securable>,
}

/// A SELECT (or the FROM and WHERE of a change) while it is bound.
#[derive(Default)]
pub(crate) struct Block {
    pub(crate) id: u32,
    pub(crate) sources: Vec<Source>,
    /// Its sources cannot be seen now: a derived table of it is being bound.
    pub hidden: bool,
    /// Its sources from this one on can be seen now: the ON of a join names what is joined there, and nothing before it in FROM.
    pub seen_from: usize,
    /// The count of a TOP, OFFSET or FETCH is being bound: columns of its sources are refused.
    pub counts: bool,
    /// Columns of its sources are named with their qualifier only.
    pub qualified_only: bool,
    /// Aggregates may stand here.
    pub aggregates_allowed: bool,
    /// An aggregate's argument is being bound.
    pub in_aggregate: bool,
    /// The right side of an APPLY is being bound.
    pub applying: bool,
    /// Window functions may stand here.
    pub windows_allowed: bool,
    /// The argument of a window function is being bound, or its window.
    pub in_window: bool,
    pub(crate) aggs: Vec<Agg>,
    pub(crate) groups: super::grouping::Groups,
    pub(crate) windows: Vec<WindowGroup>,
    /// The sequences that its rows take values of.
    pub(crate) draws: Vec<super::next_value::Draw>,
}

/// Window functions over one window.
pub(crate) struct WindowGroup {
    pub(crate) partition: Vec<(Expr, Collation)>,
    pub(crate) order: Vec<SortKey>,
    pub(crate) items: Vec<WindowItem>,
}

/// A common table expression in scope.
#[derive(Clone)]
pub(crate) struct Cte<'a> {
    pub(crate) table: &'a ast::CommonTable,
    /// How many CTEs it sees: those before it.
    pub sees: usize,
}

/// A column that is named by what it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mark {
    /// The identity column: `$IDENTITY`, IDENTITYCOL.
    Identity,
    /// The column marked ROWGUIDCOL: `$ROWGUID`.
    Rowguid,
}

impl Mark {
    /// The mark that a name stands for; none for the name of a column.
    pub fn of(name: &ast::Ident) -> Option<Mark> {
        // No other name of a column begins so, or is a keyword.
        let first = name.value.as_bytes().first()?;
        if name.delimited || !matches!(first, b'$' | b'i' | b'I' | b'r' | b'R') {
            return None;
        }
        let is = |words: [&str; 2]| words.iter().any(|w| name.value.eq_ignore_ascii_case(w));
        match () {
            () if is(["$IDENTITY", "IDENTITYCOL"]) => Some(Mark::Identity),
            () if is(["$ROWGUID", "ROWGUIDCOL"]) => Some(Mark::Rowguid),
            () => None,
        }
    }
}

impl Source {
    /// The relation of the source, whatever policies say; its columns all have been mentioned.
    pub fn rel(self) -> Rel {
        let Source { columns, kind, locator, alias, .. } = self;
        let mentioned = columns.iter().enumerate().filter_map(|(at, c)| c.slot.map(|s| (at, s)));
        match kind {
            SourceKind::Table { database, table, hints, virtuals } => {
                let (columns, computed) = mentioned_columns(&columns, virtuals);
                let table = rel::TableRef { database, table };
                let (image, mark) = (None, None);
                let get = Get { table, alias, columns, computed, locator, image, mark, hints };
                Rel::Get(Box::new(get))
            }
            SourceKind::Rowset { database, source, args, dirty } => Rel::Rowset(Box::new(Rowset {
                of: RowsetRef { database, source },
                alias,
                args,
                columns: mentioned.collect(),
                dirty,
            })),
            SourceKind::Derived(query) => {
                let columns = mentioned.map(|(_, s)| s).chain(locator).collect();
                Rel::project(query.unwrap_or_default(), columns)
            }
        }
    }

    /// Whether its column at this place is the identity or ROWGUIDCOL of a table.
    pub(super) fn is_marked(&self, at: usize, mark: Mark) -> bool {
        match (mark, &self.kind) {
            (Mark::Identity, _) => {
                let origin = self.columns.get(at).and_then(|c| c.origin);
                matches!(origin, Some(Origin::Table { identity: true, .. }))
            }
            (Mark::Rowguid, SourceKind::Table { table, .. }) => {
                table.columns.get(at).is_some_and(|c| c.is_rowguid)
            }
            (Mark::Rowguid, _) => false,
        }
    }

    /// Where it is, if it is a table or view of a database.
    pub fn database(&self) -> Option<&Arc<Database>> {
        match &self.kind {
            SourceKind::Table { database, .. } | SourceKind::Rowset { database, .. } => {
                Some(database)
            }
            SourceKind::Derived(_) => None,
        }
    }

    /// Whether a qualifier names this source.
    pub fn is_called(&self, q: &ast::ObjectName) -> bool {
        if !eq(&self.alias, &q.name.value) {
            return false;
        }
        if let (Some(d), Some(own)) = (&q.database, self.database())
            && !eq(&d.value, &own.name)
        {
            return false;
        }
        match (&q.schema, &self.schema) {
            (None, _) => true,
            (Some(s), Some(own)) => eq(&s.value, own),
            (Some(_), None) => false,
        }
    }
}

impl Binder<'_> {
    pub(crate) fn push_block(&mut self) -> u32 {
        let id = self.next_block;
        self.next_block += 1;
        self.blocks.push(Block { id, ..Block::default() });
        id
    }

    pub(crate) fn block(&mut self) -> &mut Block {
        self.blocks.last_mut().expect("inside a block")
    }

    pub(crate) fn source_id(&mut self) -> u32 {
        self.next_source += 1;
        self.next_source - 1
    }
}
