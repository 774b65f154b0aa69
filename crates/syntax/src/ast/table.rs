//! Tables, columns, constraints, indexes, statistics.

use super::{
    DataType, Expr, Ident, NamedOption, ObjectName, OptionValue, SortOrder, Span, TableBody,
};

/// `CREATE TABLE name (body) …`.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateTable {
    /// The table's name; `#` begins a temporary one's.
    pub name: ObjectName,
    /// The columns, constraints and indexes.
    pub body: TableBody,
    /// `ON filegroup` or a partition scheme.
    pub on: Option<Placement>,
    /// The filegroup after `TEXTIMAGE_ON`, for long values.
    pub textimage_on: Option<Ident>,
    /// The filegroup after `FILESTREAM_ON`.
    pub filestream_on: Option<Ident>,
    /// The options after `WITH`, such as `DATA_COMPRESSION`.
    pub options: Vec<NamedOption>,
    /// `AS NODE`, `AS EDGE`, `AS FILETABLE`.
    pub variant: Option<Ident>,
}

/// `ON filegroup` or `ON scheme(column)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    /// The filegroup or partition scheme.
    pub name: Ident,
    /// The column that the partition scheme divides by.
    pub column: Option<Ident>,
}

/// The definition of a column.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnDefinition {
    /// The column's name, unique in the table.
    pub name: Ident,
    /// Its type; none for a computed column, and for the old `timestamp` written without a type.
    pub ty: Option<DataType>,
    /// The expression of a computed column.
    pub computed: Option<Computed>,
    /// The collation after `COLLATE`.
    pub collation: Option<Ident>,
    /// The seed and increment of an identity column.
    pub identity: Option<IdentitySpec>,
    /// `NULL` is `Some(true)`, `NOT NULL` `Some(false)`.
    pub nullable: Option<bool>,
    /// Whether `ROWGUIDCOL` marks the column.
    pub rowguidcol: bool,
    /// Whether the column is `SPARSE`.
    pub sparse: bool,
    /// `DEFAULT`, and its constraint's name.
    pub default: Option<DefaultConstraint>,
    /// There is another `DEFAULT`, which is one too many.
    pub second_default: bool,
    /// The constraints written with the column, in order.
    pub constraints: Vec<TableConstraint>,
    /// `INDEX name` written with the column.
    pub index: Option<InlineIndex>,
    /// The text of the function after `MASKED WITH`.
    pub mask: Option<Box<str>>,
    /// `HIDDEN`, `FILESTREAM`, `ENCRYPTED`, `GENERATED ALWAYS AS ROW START` … in capitals.
    pub other: Vec<Box<str>>,
    /// The text of the whole definition.
    pub span: Span,
}

/// The expression of a computed column: `AS (expression) [PERSISTED]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Computed {
    /// The expression, over columns of the same row.
    pub expr: Expr,
    /// Whether the value is stored with the row.
    pub persisted: bool,
}

/// `IDENTITY [(seed, increment)] [NOT FOR REPLICATION]`.
#[derive(Clone, Debug, PartialEq)]
pub struct IdentitySpec {
    /// The first value; 1 when nothing was said. Digits with a sign.
    pub seed: Box<str>,
    /// The step; 1 when nothing was said.
    pub increment: Box<str>,
    /// Whether `NOT FOR REPLICATION` was written.
    pub not_for_replication: bool,
}

/// `[CONSTRAINT name] DEFAULT expression`.
#[derive(Clone, Debug, PartialEq)]
pub struct DefaultConstraint {
    /// The constraint's name; none gets a generated one.
    pub name: Option<Ident>,
    /// The value; its span is the text that catalogue views show.
    pub expr: Expr,
    /// Whether `WITH VALUES` fills rows that are there already.
    pub with_values: bool,
    /// `FOR column`, in `ALTER TABLE … ADD`.
    pub column: Option<Ident>,
}

/// A constraint of a table, or of a column when `columns` is empty.
#[derive(Clone, Debug, PartialEq)]
pub struct TableConstraint {
    /// The constraint's name; none gets a generated one.
    pub name: Option<Ident>,
    /// The kind of constraint, with its parts.
    pub kind: ConstraintKind,
    /// The text of the whole constraint.
    pub span: Span,
}

/// The kinds of constraints on a table's rows.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstraintKind {
    /// `PRIMARY KEY` or `UNIQUE`.
    Key(KeyConstraint),
    /// `FOREIGN KEY`: values that another table must have.
    ForeignKey(ForeignKey),
    /// `CHECK`: a condition that rows may not fail.
    Check(Check),
    /// `DEFAULT … FOR column`, only in `ALTER TABLE … ADD`.
    Default(DefaultConstraint),
}

/// `PRIMARY KEY` or `UNIQUE`.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyConstraint {
    /// `PRIMARY KEY` rather than `UNIQUE`.
    pub primary: bool,
    /// `CLUSTERED` is `Some(true)`, `NONCLUSTERED` `Some(false)`.
    pub clustered: Option<bool>,
    /// The key; empty when written with a column.
    pub columns: Vec<IndexColumn>,
    /// The options of the key's index, after `WITH`.
    pub options: Vec<NamedOption>,
    /// The filegroup or partition scheme after `ON`.
    pub on: Option<Placement>,
}

/// `FOREIGN KEY (columns) REFERENCES table (columns)`.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignKey {
    /// The referencing columns; empty when written with a column.
    pub columns: Vec<Ident>,
    /// The table that has the values.
    pub table: ObjectName,
    /// Its columns; empty is its primary key.
    pub referenced: Vec<Ident>,
    /// The action when a referenced row is deleted.
    pub on_delete: ReferentialAction,
    /// The action when a referenced key is changed.
    pub on_update: ReferentialAction,
    /// Whether `NOT FOR REPLICATION` was written.
    pub not_for_replication: bool,
}

/// The actions on referencing rows when the referenced row goes or changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ReferentialAction {
    /// `NO ACTION`: the change is refused.
    #[default]
    NoAction,
    /// `CASCADE`: the rows follow the change.
    Cascade,
    /// `SET NULL`: the referencing columns become NULL.
    SetNull,
    /// `SET DEFAULT`: the referencing columns get their defaults.
    SetDefault,
}

/// A check constraint: `CHECK (condition)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The condition, which false alone breaks.
    pub condition: Expr,
    /// Whether `NOT FOR REPLICATION` was written.
    pub not_for_replication: bool,
}

/// A column of a key.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexColumn {
    /// The name of the column.
    pub name: Ident,
    /// The direction in which the key sorts.
    pub order: SortOrder,
}

/// `INDEX name …` within `CREATE TABLE`.
#[derive(Clone, Debug, PartialEq)]
pub struct InlineIndex {
    /// The index's name, unique in the table.
    pub name: Ident,
    /// Whether the index is `UNIQUE`.
    pub unique: bool,
    /// `CLUSTERED` is `Some(true)`, `NONCLUSTERED` `Some(false)`.
    pub clustered: Option<bool>,
    /// The other kinds' word: `COLUMNSTORE` or `HASH`.
    pub variant: Option<Ident>,
    /// The key; empty when written with a column.
    pub columns: Vec<IndexColumn>,
    /// The columns after `INCLUDE`, beside the key.
    pub include: Vec<Ident>,
    /// The condition of a filtered index.
    pub filter: Option<Expr>,
    /// The options after `WITH`, such as `FILLFACTOR`.
    pub options: Vec<NamedOption>,
    /// The filegroup or partition scheme after `ON`.
    pub on: Option<Placement>,
}

/// `CREATE INDEX name ON table (columns) …`.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateIndex {
    /// The index's name, unique in the table.
    pub name: Ident,
    /// The table or view.
    pub table: ObjectName,
    /// Whether the index is `UNIQUE`.
    pub unique: bool,
    /// Whether the index is `CLUSTERED`.
    pub clustered: bool,
    /// Whether the index is a `COLUMNSTORE`.
    pub columnstore: bool,
    /// The columns of the key, most significant first.
    pub columns: Vec<IndexColumn>,
    /// The columns after `INCLUDE`, beside the key.
    pub include: Vec<Ident>,
    /// The condition of a filtered index.
    pub filter: Option<Expr>,
    /// `WITH (…)`, also the old form without parentheses.
    pub options: Vec<NamedOption>,
    /// The filegroup or partition scheme after `ON`.
    pub on: Option<Placement>,
}

/// `ALTER INDEX name | ALL ON table …`.
#[derive(Clone, Debug, PartialEq)]
pub struct AlterIndex {
    /// The index; none is `ALL`.
    pub name: Option<Ident>,
    /// The table or view of the index.
    pub table: ObjectName,
    /// The one change that the statement makes.
    pub action: AlterIndexAction,
}

/// The changes that `ALTER INDEX` makes.
#[derive(Clone, Debug, PartialEq)]
pub enum AlterIndexAction {
    /// `REBUILD [PARTITION = …] [WITH (…)]`.
    Rebuild(Vec<NamedOption>),
    /// `REORGANIZE [WITH (…)]`: the leaves are compacted in place.
    Reorganize(Vec<NamedOption>),
    /// `DISABLE`: the index keeps its definition and loses its rows.
    Disable,
    /// `SET (…)`: options that need no rebuild.
    Set(Vec<NamedOption>),
    /// The words of resumable operations: `RESUME`, `PAUSE`, `ABORT`.
    Other(Ident),
}

/// `DROP INDEX [IF EXISTS] name ON table, …` or the old `table.name`.
#[derive(Clone, Debug, PartialEq)]
pub struct DropIndex {
    /// Whether `IF EXISTS` forgives indexes that are not there.
    pub if_exists: bool,
    /// Each index with its table.
    pub indexes: Vec<(Ident, ObjectName)>,
    /// The options after `WITH`, `MOVE TO` aside.
    pub options: Vec<NamedOption>,
    /// `WITH (MOVE TO …)`: where the rows of a clustered index stay.
    pub move_to: Option<Placement>,
}

/// `ALTER TABLE table action`.
#[derive(Clone, Debug, PartialEq)]
pub struct AlterTable {
    /// The table that is changed.
    pub table: ObjectName,
    /// The one change that the statement makes.
    pub action: AlterTableAction,
}

/// The changes that `ALTER TABLE` makes.
#[allow(clippy::large_enum_variant)] // One per statement, boxed there.
#[derive(Clone, Debug, PartialEq)]
pub enum AlterTableAction {
    /// `[WITH CHECK | NOCHECK] ADD …`.
    Add {
        /// `WITH CHECK` is `Some(true)`, `WITH NOCHECK` `Some(false)`.
        check: Option<bool>,
        /// The new columns, constraints and indexes.
        body: TableBody,
    },
    /// `DROP PERIOD FOR SYSTEM_TIME`: the columns stay, as any others.
    DropPeriod,
    /// `DROP …` of columns, constraints or both.
    Drop(Vec<DropTableItem>),
    /// `ALTER COLUMN`: a new type, or a property more or less.
    AlterColumn(AlterColumn),
    /// `[WITH CHECK | NOCHECK] CHECK | NOCHECK CONSTRAINT ALL | names`.
    CheckConstraint {
        /// `WITH CHECK` is `Some(true)`.
        with_check: Option<bool>,
        /// `CHECK` rather than `NOCHECK`.
        enable: bool,
        /// The constraints' names; empty is `ALL`.
        names: Vec<Ident>,
    },
    /// `ENABLE | DISABLE TRIGGER ALL | names`.
    Trigger {
        /// True for `ENABLE`, false for `DISABLE`.
        enable: bool,
        /// The triggers' names; empty is `ALL`.
        names: Vec<Ident>,
    },
    /// `REBUILD [WITH (…)]`: the rows are written anew.
    Rebuild(Vec<NamedOption>),
    /// `SET (…)`: options that need no rebuild.
    Set(Vec<NamedOption>),
    /// `SWITCH [PARTITION n] TO table [PARTITION n]`.
    Switch {
        /// The partition that moves; none is the whole table.
        partition: Option<Expr>,
        /// The table that receives the rows.
        target: ObjectName,
        /// The receiving table's partition.
        target_partition: Option<Expr>,
    },
    /// `ENABLE | DISABLE CHANGE_TRACKING`.
    ChangeTracking(bool),
    /// An action that is known by name only.
    Other(Box<str>),
}

/// A column or constraint that `ALTER TABLE … DROP` drops.
#[derive(Clone, Debug, PartialEq)]
pub struct DropTableItem {
    /// `COLUMN` is true, `CONSTRAINT` (said or not) false.
    pub column: bool,
    /// Whether `IF EXISTS` forgives a name that is not there.
    pub if_exists: bool,
    /// The column's or constraint's name.
    pub name: Ident,
    /// The options after `WITH`, `MOVE TO` aside; none of a column.
    pub options: Vec<NamedOption>,
    /// `WITH (MOVE TO …)`.
    pub move_to: Option<Placement>,
}

/// The changes of `ALTER COLUMN`.
#[allow(clippy::large_enum_variant)] // One per statement.
#[derive(Clone, Debug, PartialEq)]
pub enum AlterColumn {
    /// A new type, with its collation and nullability.
    Type {
        /// The name of the column.
        name: Ident,
        /// The column's new type.
        ty: DataType,
        /// The collation after `COLLATE`.
        collation: Option<Ident>,
        /// `NULL` is `Some(true)`, `NOT NULL` `Some(false)`.
        nullable: Option<bool>,
        /// Whether the column becomes `SPARSE`.
        sparse: bool,
        /// The text of the function after `MASKED WITH`.
        mask: Option<Box<str>>,
        /// The options after `WITH`, such as `ONLINE`.
        options: Vec<NamedOption>,
    },
    /// `ADD | DROP ROWGUIDCOL | PERSISTED | SPARSE | …`.
    Property {
        /// The name of the column.
        name: Ident,
        /// True for `ADD`, false for `DROP`.
        add: bool,
        /// The property in capitals.
        property: Box<str>,
    },
    /// `ADD MASKED WITH (FUNCTION = '…')`, `DROP MASKED`.
    Mask {
        /// The name of the column.
        name: Ident,
        /// The text of the function; none for `DROP`.
        function: Option<Box<str>>,
    },
}

/// `CREATE STATISTICS name ON table (columns) …`.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateStatistics {
    /// The statistics' name, unique in the table.
    pub name: Ident,
    /// The table or view that is sampled.
    pub table: ObjectName,
    /// The columns, the histogram's first.
    pub columns: Vec<Ident>,
    /// The condition of filtered statistics.
    pub filter: Option<Expr>,
    /// The options after `WITH`, such as `FULLSCAN`.
    pub options: Vec<NamedOption>,
}

/// `UPDATE STATISTICS table [name | (names)] [WITH …]`.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdateStatistics {
    /// The table or view whose statistics are made anew.
    pub table: ObjectName,
    /// Which; empty is all.
    pub names: Vec<Ident>,
    /// `WITH …`; `SAMPLE 50 PERCENT` is a quantity.
    pub options: Vec<NamedOption>,
}

/// The value of an option, by name.
pub fn option<'a>(options: &'a [NamedOption], name: &str) -> Option<Option<&'a OptionValue>> {
    options.iter().find(|o| o.name.is(name)).map(|o| o.value.as_ref())
}
