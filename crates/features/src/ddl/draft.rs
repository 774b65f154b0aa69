//! What CREATE TABLE, ALTER TABLE ADD, table variables and SELECT INTO ask for, checked and with types settled.

use super::clauses::{Body, check_placement, column_type, constant};
use super::foreign::ForeignDraft;
use super::index_options::constraint_options;
use crate::binder::user_types::NamedType;
use crate::binder::{check_text, default_text};
use crate::catalog::{Column, IndexFilter, SYSNAME_ID, Table, fold};
use crate::features::tables::NewColumn;
use crate::names::mentions;
use crate::rowcodec::{MAX_ROW_BYTES, Place, PlaceAllocator};
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast;
use taffrail_types::{Collation, MaxLen, SqlType, Value};

mod computed;
mod keys;
mod period;

/// Most key columns of an index.
pub(crate) const MAX_KEY_COLUMNS: usize = 32;
/// Most columns of a table.
const MAX_COLUMNS: usize = 1024;

/// PRIMARY KEY, UNIQUE, or an index.
#[derive(Clone, Debug)]
pub(crate) struct KeyDraft {
    /// None: made up.
    pub name: Option<String>,
    /// PRIMARY KEY.
    pub primary: bool,
    /// A constraint rather than an index.
    pub constraint: bool,
    /// UNIQUE.
    pub unique: bool,
    /// CLUSTERED.
    pub clustered: bool,
    /// Key columns (position, descending).
    pub columns: Vec<(usize, bool)>,
    /// INCLUDE.
    pub included: Vec<usize>,
    /// FILLFACTOR.
    pub fill_factor: u8,
    /// PAD_INDEX.
    pub padded: bool,
    /// ALLOW_PAGE_LOCKS = OFF.
    pub no_page_locks: bool,
    /// Whether ALLOW_ROW_LOCKS is OFF.
    pub no_row_locks: bool,
    /// IGNORE_DUP_KEY.
    pub ignore_dup_key: bool,
    /// WHERE.
    pub filter: Option<IndexFilter>,
}

/// DEFAULT of a column.
#[derive(Clone, Debug)]
pub(crate) struct DefaultDraft {
    /// Position of the column.
    pub column: usize,
    /// None: made up.
    pub name: Option<String>,
    /// In parentheses.
    pub definition: String,
    /// Its value where it is a constant, for rows that exist when the column is added.
    pub constant: Option<(Value, SqlType)>,
    /// WITH VALUES.
    pub with_values: bool,
}

/// CHECK.
#[derive(Clone, Debug)]
pub(crate) struct CheckDraft {
    /// None: made up.
    pub name: Option<String>,
    /// In parentheses.
    pub definition: String,
    /// The column it was written with.
    pub column: Option<usize>,
}

/// A table to be made, or additions to one.
#[derive(Default)]
pub(crate) struct TableDraft {
    /// Name, for messages.
    pub table: String,
    /// SET ANSI_PADDING is OFF.
    pub unpadded: bool,
    /// The collation of a column that names none.
    pub collation: Collation,
    /// What `database_default` stands for: the collation of the session's database.
    pub database_default: Collation,
    /// The columns; in additions those that exist come first.
    pub columns: Vec<Column>,
    /// How many of them exist already.
    pub existing: usize,
    /// Identity: position, seed, increment.
    pub identity: Option<(usize, i64, i64)>,
    /// Keys and indexes.
    pub keys: Vec<KeyDraft>,
    /// The name of a clustered columnstore index.
    pub columnstore: Option<String>,
    /// Defaults.
    pub defaults: Vec<DefaultDraft>,
    /// Checks.
    pub checks: Vec<CheckDraft>,
    /// Foreign keys.
    pub foreign: Vec<ForeignDraft>,
    /// Where the next column lies.
    pub places: PlaceAllocator,
    /// The id of the next column.
    pub next_column_id: i32,
    /// The table has (or gets) a clustered index.
    pub has_clustered: bool,
    /// The table has (or gets) a primary key.
    pub has_primary: bool,
    /// Positions of new columns that said NULL.
    said_null: Vec<usize>,
    /// Positions of computed columns whose values keys and indexes ask for.
    indexed: Vec<usize>,
}

impl TableDraft {
    /// An empty table of this name.
    pub fn new(table: &str) -> TableDraft {
        TableDraft { table: table.into(), next_column_id: 1, ..TableDraft::default() }
    }

    /// With these collations: of a column that names none, and of one that names `database_default`.
    pub fn collated(self, collation: Collation, database_default: Collation) -> TableDraft {
        TableDraft { collation, database_default, ..self }
    }

    /// Additions to a table that exists.
    pub fn of_table(table: &Table) -> TableDraft {
        let mut places = PlaceAllocator::default();
        table.columns.iter().for_each(|c| places.occupy(c.place, c.null_bit));
        table.dropped.iter().for_each(|d| places.occupy(d.1, d.2));
        let identity = table.identity.as_ref().map(|i| (i.column, i.seed, i.increment));
        TableDraft {
            table: table.name().into(),
            unpadded: false,
            collation: Collation::default(),
            database_default: Collation::default(),
            columns: table.columns.clone(),
            existing: table.columns.len(),
            identity,
            keys: Vec::new(),
            columnstore: None,
            defaults: Vec::new(),
            checks: Vec::new(),
            foreign: Vec::new(),
            places,
            next_column_id: table.max_column_id + 1,
            has_clustered: !table.is_heap(),
            has_primary: table.indexes.iter().any(|i| i.primary_key),
            said_null: Vec::new(),
            indexed: Vec::new(),
        }
    }

    /// From the columns of a query.
    pub(crate) fn of_columns(
        table: &str,
        columns: &[NewColumn],
        unpadded: bool,
    ) -> SqlResult<TableDraft> {
        let mut draft = TableDraft { unpadded, ..TableDraft::new(table) };
        for c in columns {
            let at = draft.push_column(&c.name, c.ty, c.nullable, c.collation)?;
            draft.columns[at].set_large(c.large);
            draft.columns[at].user_type = c.user_type;
            if let Some((seed, increment)) = c.identity {
                draft.set_identity(seed, increment)?;
            }
        }
        Ok(draft)
    }

    /// Adds what a body in parentheses says.
    pub(crate) fn add_body(
        &mut self,
        body: &ast::TableBody,
        within: &Body<'_>,
        null_default: bool,
    ) -> SqlResult<()> {
        let places = self.places;
        for c in &body.columns {
            self.add_column(c, within, null_default)?;
        }
        self.settle_computed(&body.columns, within)?;
        self.settle_period(body.period.as_ref(), within)?;
        // The columns first: a constraint may name any of them. Clustered ones before a primary key takes the default.
        let mut keys: Vec<(&ast::TableConstraint, Option<usize>)> = Vec::new();
        for (i, c) in body.columns.iter().enumerate() {
            let column = Some(self.columns.len() - body.columns.len() + i);
            keys.extend(c.constraints.iter().map(|k| (k, column)));
            if let Some(index) = &c.index {
                self.add_inline_index(index, column)?;
            }
        }
        keys.extend(body.constraints.iter().map(|k| (k, None)));
        for index in &body.indexes {
            self.add_inline_index(index, None)?;
        }
        let said_clustered = |k: &ast::TableConstraint| matches!(&k.kind, ast::ConstraintKind::Key(k) if k.clustered == Some(true));
        if keys.iter().any(|(k, _)| said_clustered(k)) {
            let others = keys.iter().filter(|(k, _)| said_clustered(k)).count();
            if others > 1 || self.has_clustered {
                return Err(SqlError::new(8112, &[&self.table]));
            }
        }
        let someone_clustered = keys.iter().any(|(k, _)| said_clustered(k)) || self.has_clustered;
        for (constraint, column) in keys {
            self.add_constraint(constraint, column, within, someone_clustered)?;
        }
        self.settle_places(body.columns.len(), places)?;
        if self.columns.len() > MAX_COLUMNS {
            let name = &self.columns[MAX_COLUMNS].name;
            return Err(SqlError::new(1702, &[name, &self.table, &MAX_COLUMNS]));
        }
        if self.columns.is_empty() {
            return Err(SqlError::new(1750, &[]).with_severity(16));
        }
        Ok(())
    }

    fn push_column(
        &mut self,
        name: &str,
        ty: SqlType,
        nullable: bool,
        collation: Collation,
    ) -> SqlResult<usize> {
        if self.position(name).is_some() {
            // The states tell ALTER TABLE and CREATE TABLE apart.
            let state = if self.existing > 0 { 4 } else { 3 };
            return Err(SqlError::new(2705, &[&name, &self.table]).with_state(state));
        }
        if ty == SqlType::RowVersion && self.columns.iter().any(|c| c.ty == ty) {
            return Err(SqlError::new(2738, &[&self.table, &name]));
        }
        // A row's head, the number of columns and their NULL bits are overhead.
        let bitmap = (self.columns.len() + 1).div_ceil(8);
        let size = crate::rowcodec::fixed::size(ty).unwrap_or(0);
        let total = self.fixed_bytes() + size + 2 + bitmap;
        let too_wide =
            || SqlError::new(1701, &[&self.table, &total, &(4 + 2 + bitmap), &MAX_ROW_BYTES]);
        if total > MAX_ROW_BYTES && size > 0 {
            return Err(too_wide());
        }
        // The other types, and the large ones, know no such difference.
        let unpadded = self.unpadded
            && match ty {
                SqlType::VarChar(MaxLen::N(_)) | SqlType::VarBinary(MaxLen::N(_)) => true,
                SqlType::Char(_) | SqlType::Binary(_) if nullable => {
                    let ty = ty.name();
                    let what = format!("A column {ty} NULL under SET ANSI_PADDING OFF");
                    return Err(unsupported(what));
                }
                SqlType::Char(_) | SqlType::Binary(_) => true,
                _ => false,
            };
        let (place, null_bit) = self.places.next(ty).ok_or_else(too_wide)?;
        self.columns.push(Column {
            id: self.next_column_id,
            name: name.into(),
            ty,
            nullable,
            user_type: 0,
            collation,
            is_identity: false,
            is_rowguid: false,
            generated: Default::default(),
            is_hidden: false,
            is_sparse: false,
            old_large: false,
            xml: false,
            unpadded,
            place,
            null_bit,
            default: None,
            missing: Value::Null,
            computed: None,
            mask: None,
        });
        self.next_column_id += 1;
        Ok(self.columns.len() - 1)
    }

    fn fixed_bytes(&self) -> usize {
        let end = |c: &Column| match c.place {
            Place::Fixed { offset, size } => offset as usize + size as usize,
            Place::Variable(_) | Place::Nowhere => 0,
        };
        self.columns.iter().map(end).max().unwrap_or(4)
    }

    /// Position of a column by name.
    pub fn position(&self, name: &str) -> Option<usize> {
        let collation = Collation::default();
        self.columns.iter().position(|c| &*c.name == name || collation.eq_str(&c.name, name))
    }

    fn add_column(
        &mut self,
        c: &ast::ColumnDefinition,
        within: &Body<'_>,
        null_default: bool,
    ) -> SqlResult<()> {
        if let Some(computed) = &c.computed {
            return self.begin_computed(c, computed);
        }
        let ordinal = self.columns.len() + 1;
        let named = match &c.ty {
            // `timestamp` alone is a name and a type.
            None => NamedType::of(SqlType::RowVersion.into()),
            Some(ty) => column_type(&within.types, ty, ordinal, &c.name.value)?,
        };
        let (ty, large) = (named.declared.ty, named.declared.large());
        let given = ty == SqlType::RowVersion;
        if c.collation.is_some() && named.user_type > SYSNAME_ID {
            return Err(SqlError::new(452, &[]));
        }
        let collation = match &c.collation {
            None => self.collation,
            Some(name) => crate::binder::declared::collation(name, ty, self.database_default)?,
        };
        let nullable = match c.nullable {
            Some(nullable) => nullable,
            None if c.identity.is_some() || given => false,
            None => named.nullable.unwrap_or(null_default),
        };
        let at = self.push_column(&c.name.value, ty, nullable, collation)?;
        self.columns[at].set_large(large);
        self.columns[at].user_type = named.user_type;
        if c.nullable == Some(true) {
            self.said_null.push(at);
        }
        if let Some(identity) = &c.identity {
            if c.nullable == Some(true) {
                return Err(SqlError::new(8147, &[&c.name.value, &self.table]));
            }
            let number = |s: &str| s.trim_start_matches('+').parse::<i64>().ok();
            let (Some(seed), Some(increment)) =
                (number(&identity.seed), number(&identity.increment))
            else {
                return Err(SqlError::new(2749, &[&c.name.value]));
            };
            self.set_identity(seed, increment)?;
            if c.default.is_some() {
                return Err(SqlError::new(1754, &[&self.table, &c.name.value]));
            }
        }
        self.mark(c, at)?;
        self.mark_generated(c, at)?;
        if c.second_default {
            let parts: [&dyn std::fmt::Display; 4] =
                [&"DEFAULT", &"constraint", &c.name.value, &self.table];
            return Err(SqlError::new(8148, &parts).with_state(0));
        }
        if given && c.default.is_some() {
            return Err(SqlError::new(1755, &[&self.table, &c.name.value]));
        }
        if let Some(default) = &c.default {
            self.add_default(default, at, within);
        }
        Ok(())
    }

    /// Marks a new column as its definition says: ROWGUIDCOL, SPARSE, MASKED.
    fn mark(&mut self, c: &ast::ColumnDefinition, at: usize) -> SqlResult<()> {
        if let Some(text) = &c.mask {
            self.columns[at].mask = Some(super::masked::function(text, &self.columns[at])?);
        }
        if c.rowguidcol {
            if self.columns[at].ty != SqlType::UniqueIdentifier {
                return Err(SqlError::new(2761, &[]));
            }
            if self.columns.iter().any(|c| c.is_rowguid) {
                return Err(SqlError::new(8196, &[]));
            }
            self.columns[at].is_rowguid = true;
        }
        if c.sparse {
            self.columns[at].is_sparse = true;
            sparse_fits(&self.table, &self.columns[at])?;
            if c.default.is_some() {
                return Err(SqlError::new(1791, &[&c.name.value, &self.table]));
            }
        }
        Ok(())
    }

    /// Makes the last column the identity column.
    fn set_identity(&mut self, seed: i64, increment: i64) -> SqlResult<()> {
        let at = self.columns.len() - 1;
        let column = &mut self.columns[at];
        if self.identity.is_some() {
            return Err(SqlError::new(2744, &[&self.table]));
        }
        let fits = matches!(
            column.ty,
            SqlType::TinyInt
                | SqlType::SmallInt
                | SqlType::Int
                | SqlType::BigInt
                | SqlType::Decimal { scale: 0, .. }
                | SqlType::Numeric { scale: 0, .. }
        );
        if !fits || increment == 0 {
            return Err(SqlError::new(2749, &[&column.name]));
        }
        column.is_identity = true;
        column.nullable = false;
        self.identity = Some((at, seed, increment));
        Ok(())
    }

    fn add_default(&mut self, default: &ast::DefaultConstraint, column: usize, within: &Body<'_>) {
        let definition = default_text(within.names, within.database, &default.expr);
        self.defaults.push(DefaultDraft {
            column,
            name: default.name.as_ref().map(|n| n.value.to_string()),
            definition: definition.unwrap_or_else(|| within.as_typed(&default.expr)),
            constant: constant(&default.expr),
            with_values: default.with_values,
        });
    }

    /// The definition of a CHECK.
    fn check_definition(&self, condition: &ast::Expr, within: &Body<'_>) -> String {
        let columns = self.columns.clone();
        let table = Table::unmade(within.database, &self.table, columns, self.identity);
        let definition = check_text(within.names, within.database, &table, condition);
        definition.unwrap_or_else(|| within.as_typed(condition))
    }

    /// Positions of the columns that a text names.
    fn named(&self, text: &str) -> Vec<usize> {
        let named = |at: &usize| mentions(text, &self.columns[*at].name);
        (0..self.columns.len()).filter(named).collect()
    }

    fn add_constraint(
        &mut self,
        constraint: &ast::TableConstraint,
        column: Option<usize>,
        within: &Body<'_>,
        someone_clustered: bool,
    ) -> SqlResult<()> {
        let name = constraint.name.as_ref().map(|n| n.value.to_string());
        match &constraint.kind {
            ast::ConstraintKind::Key(key) => {
                check_placement(key.on.as_ref())?;
                let clustered = key.clustered.unwrap_or(key.primary && !someone_clustered);
                let columns = match (column, key.columns.is_empty()) {
                    (Some(at), true) => vec![(at, false)],
                    _ => self.key_columns(&key.columns)?,
                };
                let options = constraint_options(&key.options)?;
                self.add_key(KeyDraft {
                    name,
                    primary: key.primary,
                    constraint: true,
                    unique: true,
                    clustered,
                    columns,
                    included: Vec::new(),
                    fill_factor: options.fill_factor.unwrap_or(0),
                    padded: options.padded.unwrap_or(false),
                    no_page_locks: options.page_locks == Some(false),
                    no_row_locks: options.row_locks == Some(false),
                    ignore_dup_key: options.ignore_dup_key == Some(true),
                    filter: None,
                })
            }
            ast::ConstraintKind::Check(check) => {
                let definition = self.check_definition(&check.condition, within);
                self.refuse_virtual(&self.named(&definition), column, "CHECK CONSTRAINT")?;
                self.checks.push(CheckDraft { name, definition, column });
                Ok(())
            }
            ast::ConstraintKind::Default(default) => {
                let Some(column) = &default.column else {
                    return Err(SqlError::new(142, &[&"DEFAULT"]));
                };
                let at = self.default_column(column)?;
                self.add_default(default, at, within);
                Ok(())
            }
            ast::ConstraintKind::ForeignKey(key) => {
                let columns = match (column, key.columns.is_empty()) {
                    (Some(at), true) => vec![at],
                    _ => {
                        let shown = name.clone().unwrap_or_default();
                        let position = |c: &ast::Ident| {
                            let wrong = || SqlError::new(1769, &[&shown, &c.value, &self.table]);
                            self.position(&c.value).ok_or_else(wrong)
                        };
                        key.columns.iter().map(position).collect::<SqlResult<_>>()?
                    }
                };
                self.refuse_virtual(&columns, column, "FOREIGN KEY CONSTRAINT")?;
                self.foreign.push(ForeignDraft { name, columns, key: key.clone() });
                Ok(())
            }
        }
    }

    /// The column of a DEFAULT that names it: 1752, 1791.
    fn default_column(&self, column: &ast::Ident) -> SqlResult<usize> {
        let at = self.position(&column.value);
        let at = at.filter(|at| self.columns[*at].computed.is_none());
        let at = at.ok_or_else(|| SqlError::new(1752, &[&column.value, &self.table]))?;
        match self.columns[at].is_sparse {
            true => Err(SqlError::new(1791, &[&column.value, &self.table])),
            false => Ok(at),
        }
    }

    /// A name that two constraints are to have, or one and the table itself: they are objects of one schema.
    pub(crate) fn name_twice(&self) -> Option<&str> {
        let keys = self.keys.iter().filter(|k| k.constraint).map(|k| &k.name);
        let named = keys.chain(self.defaults.iter().map(|d| &d.name));
        let named = named.chain(self.foreign.iter().map(|k| &k.name));
        let named = named.chain(self.checks.iter().map(|c| &c.name)).flatten();
        let mut seen = vec![fold(&self.table)];
        for name in named {
            let folded = fold(name);
            if seen.contains(&folded) {
                return Some(name);
            }
            seen.push(folded);
        }
        None
    }
}

/// 1731 for a column that cannot be sparse.
pub(super) fn sparse_fits(table: &str, c: &Column) -> SqlResult<()> {
    let wrong = !c.nullable || c.is_identity || c.is_rowguid || c.old_large || c.user_type != 0;
    match wrong || c.ty == SqlType::RowVersion {
        true => Err(SqlError::new(1731, &[&c.name, &table])),
        false => Ok(()),
    }
}
