//! Tables, columns, constraints, indexes, statistics.

use super::{
    DataType, Expr, Ident, NamedOption, ObjectName, OptionValue, SortOrder, Span, TableBody,
};

/// `CREATE TABLE`.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateTable {
    /// Its name.
    pub name: ObjectName,
    /// Columns, constraints, indexes.
    pub body: TableBody,
    /// `ON filegroup` or a partition scheme.
    pub on: Option<Placement>,
    /// `TEXTIMAGE_ON`.
    pub textimage_on: Option<Ident>,
    /// `FILESTREAM_ON`.
    pub filestream_on: Option<Ident>,
    /// `WITH (…)`.
    pub options: Vec<NamedOption>,
    /// `AS NODE`, `AS EDGE`, `AS FILETABLE`.
    pub variant: Option<Ident>,
    /// `PERIOD FOR SYSTEM_TIME (from, to)`.
    pub period: Option<(Ident, Ident)>,
}

/// `ON filegroup` or `ON scheme(column)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    /// The filegroup or partition scheme.
    pub name: Ident,
    /// The partitioning column.
    pub column: Option<Ident>,
}

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnDefinition {
    /// Its name.
    pub name: Ident,
    /// Its type; none for a computed column, and for the old `timestamp` written without a type.
    pub ty: Option<DataType>,
    /// `AS (expression)`.
    pub computed: Option<Computed>,
    /// `COLLATE`.
    pub collation: Option<Ident>,
    /// `IDENTITY`.
    pub identity: Option<IdentitySpec>,
    /// `NULL` is `Some(true)`, `NOT NULL` `Some(false)`.
    pub nullable: Option<bool>,
    /// `ROWGUIDCOL`.
    pub rowguidcol: bool,
    /// `SPARSE`.
    pub sparse: bool,
    /// `DEFAULT`, and its constraint's name.
    pub default: Option<DefaultConstraint>,
    /// There is another `DEFAULT`, which is one too many.
    pub second_default: bool,
    /// The constraints written with the column, in order.
    pub constraints: Vec<TableConstraint>,
    /// `INDEX name` written with the column.
    pub index: Option<InlineIndex>,
    /// `MASKED`, `HIDDEN`, `FILESTREAM`, `GENERATED ALWAYS AS ROW START` … in capitals.
    pub other: Vec<Box<str>>,
    /// All of it.
    pub span: Span,
}

/// A computed column.
#[derive(Clone, Debug, PartialEq)]
pub struct Computed {
    /// Its value.
    pub expr: Expr,
    /// `PERSISTED`.
    pub persisted: bool,
}

/// `IDENTITY [(seed, increment)] [NOT FOR REPLICATION]`.
#[derive(Clone, Debug, PartialEq)]
pub struct IdentitySpec {
    /// The first value; 1 when nothing was said. Digits with a sign.
    pub seed: Box<str>,
    /// The step; 1 when nothing was said.
    pub increment: Box<str>,
    /// `NOT FOR REPLICATION`.
    pub not_for_replication: bool,
}

/// `[CONSTRAINT name] DEFAULT expression`.
#[derive(Clone, Debug, PartialEq)]
pub struct DefaultConstraint {
    /// Its name.
    pub name: Option<Ident>,
    /// The value; its span is the text that catalogue views show.
    pub expr: Expr,
    /// `WITH VALUES`.
    pub with_values: bool,
    /// `FOR column`, in `ALTER TABLE … ADD`.
    pub column: Option<Ident>,
}

/// A constraint of a table, or of a column when `columns` is empty.
#[derive(Clone, Debug, PartialEq)]
pub struct TableConstraint {
    /// Its name.
    pub name: Option<Ident>,
    /// What it demands.
    pub kind: ConstraintKind,
    /// All of it.
    pub span: Span,
}

/// Kinds of constraints.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstraintKind {
    /// `PRIMARY KEY` or `UNIQUE`.
    Key(KeyConstraint),
    /// `FOREIGN KEY`.
    ForeignKey(ForeignKey),
    /// `CHECK`.
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
    /// `WITH (…)`.
    pub options: Vec<NamedOption>,
    /// `ON`.
    pub on: Option<Placement>,
}

/// `FOREIGN KEY (columns) REFERENCES table (columns)`.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignKey {
    /// The referencing columns; empty when written with a column.
    pub columns: Vec<Ident>,
    /// The table referenced.
    pub table: ObjectName,
    /// Its columns; empty is its primary key.
    pub referenced: Vec<Ident>,
    /// `ON DELETE`.
    pub on_delete: ReferentialAction,
    /// `ON UPDATE`.
    pub on_update: ReferentialAction,
    /// `NOT FOR REPLICATION`.
    pub not_for_replication: bool,
}

/// What a change of the referenced row does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ReferentialAction {
    /// `NO ACTION`
    #[default]
    NoAction,
    /// `CASCADE`
    Cascade,
    /// `SET NULL`
    SetNull,
    /// `SET DEFAULT`
    SetDefault,
}

/// `CHECK (condition)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The condition.
    pub condition: Expr,
    /// `NOT FOR REPLICATION`.
    pub not_for_replication: bool,
}

/// A column of a key.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexColumn {
    /// The column.
    pub name: Ident,
    /// Its direction.
    pub order: SortOrder,
}

/// `INDEX name …` within `CREATE TABLE`.
#[derive(Clone, Debug, PartialEq)]
pub struct InlineIndex {
    /// Its name.
    pub name: Ident,
    /// `UNIQUE`.
    pub unique: bool,
    /// `CLUSTERED` is `Some(true)`.
    pub clustered: Option<bool>,
    /// `COLUMNSTORE` or `HASH`.
    pub variant: Option<Ident>,
    /// The key; empty when written with a column.
    pub columns: Vec<IndexColumn>,
    /// `INCLUDE`.
    pub include: Vec<Ident>,
    /// `WHERE`.
    pub filter: Option<Expr>,
    /// `WITH (…)`.
    pub options: Vec<NamedOption>,
    /// `ON`.
    pub on: Option<Placement>,
}

/// `CREATE INDEX`.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateIndex {
    /// Its name.
    pub name: Ident,
    /// The table or view.
    pub table: ObjectName,
    /// `UNIQUE`.
    pub unique: bool,
    /// `CLUSTERED`.
    pub clustered: bool,
    /// `COLUMNSTORE`.
    pub columnstore: bool,
    /// The key.
    pub columns: Vec<IndexColumn>,
    /// `INCLUDE`.
    pub include: Vec<Ident>,
    /// `WHERE`.
    pub filter: Option<Expr>,
    /// `WITH (…)`, also the old form without parentheses.
    pub options: Vec<NamedOption>,
    /// `ON`.
    pub on: Option<Placement>,
}

/// `ALTER INDEX name | ALL ON table …`.
#[derive(Clone, Debug, PartialEq)]
pub struct AlterIndex {
    /// None is `ALL`.
    pub name: Option<Ident>,
    /// The table.
    pub table: ObjectName,
    /// What is done.
    pub action: AlterIndexAction,
}

/// What `ALTER INDEX` does.
#[derive(Clone, Debug, PartialEq)]
pub enum AlterIndexAction {
    /// `REBUILD [PARTITION = …] [WITH (…)]`.
    Rebuild(Vec<NamedOption>),
    /// `REORGANIZE [WITH (…)]`.
    Reorganize(Vec<NamedOption>),
    /// `DISABLE`.
    Disable,
    /// `SET (…)`.
    Set(Vec<NamedOption>),
    /// `RESUME`, `PAUSE`, `ABORT`.
    Other(Ident),
}

/// `DROP INDEX [IF EXISTS] name ON table, …` or the old `table.name`.
#[derive(Clone, Debug, PartialEq)]
pub struct DropIndex {
    /// `IF EXISTS`.
    pub if_exists: bool,
    /// Index and table.
    pub indexes: Vec<(Ident, ObjectName)>,
    /// `WITH (…)`.
    pub options: Vec<NamedOption>,
    /// `WITH (MOVE TO …)`: where the rows of a clustered index stay.
    pub move_to: Option<Placement>,
}

/// `ALTER TABLE`.
#[derive(Clone, Debug, PartialEq)]
pub struct AlterTable {
    /// The table.
    pub table: ObjectName,
    /// What is done.
    pub action: AlterTableAction,
}

/// What `ALTER TABLE` does.
#[allow(clippy::large_enum_variant)] // One per statement, boxed there.
#[derive(Clone, Debug, PartialEq)]
pub enum AlterTableAction {
    /// `[WITH CHECK | NOCHECK] ADD …`.
    Add {
        /// `WITH CHECK` is `Some(true)`, `WITH NOCHECK` `Some(false)`.
        check: Option<bool>,
        /// Columns, constraints, indexes.
        body: TableBody,
    },
    /// `DROP …`.
    Drop(Vec<DropTableItem>),
    /// `ALTER COLUMN`.
    AlterColumn(AlterColumn),
    /// `[WITH CHECK | NOCHECK] CHECK | NOCHECK CONSTRAINT ALL | names`.
    CheckConstraint {
        /// `WITH CHECK` is `Some(true)`.
        with_check: Option<bool>,
        /// `CHECK` rather than `NOCHECK`.
        enable: bool,
        /// Empty is `ALL`.
        names: Vec<Ident>,
    },
    /// `ENABLE | DISABLE TRIGGER ALL | names`.
    Trigger {
        /// `ENABLE`.
        enable: bool,
        /// Empty is `ALL`.
        names: Vec<Ident>,
    },
    /// `REBUILD [WITH (…)]`.
    Rebuild(Vec<NamedOption>),
    /// `SET (…)`.
    Set(Vec<NamedOption>),
    /// `SWITCH [PARTITION n] TO table [PARTITION n]`.
    Switch {
        /// Source partition.
        partition: Option<Expr>,
        /// The other table.
        target: ObjectName,
        /// Its partition.
        target_partition: Option<Expr>,
    },
    /// `ENABLE | DISABLE CHANGE_TRACKING`.
    ChangeTracking(bool),
    /// An action that is known by name only.
    Other(Box<str>),
}

/// What `ALTER TABLE … DROP` drops.
#[derive(Clone, Debug, PartialEq)]
pub struct DropTableItem {
    /// `COLUMN` is true, `CONSTRAINT` (said or not) false.
    pub column: bool,
    /// `IF EXISTS`.
    pub if_exists: bool,
    /// The name.
    pub name: Ident,
    /// `WITH (MOVE TO …)`.
    pub move_to: Option<Placement>,
}

/// `ALTER COLUMN`.
#[allow(clippy::large_enum_variant)] // One per statement.
#[derive(Clone, Debug, PartialEq)]
pub enum AlterColumn {
    /// A new type.
    Type {
        /// The column.
        name: Ident,
        /// Its type.
        ty: DataType,
        /// `COLLATE`.
        collation: Option<Ident>,
        /// `NULL` is `Some(true)`, `NOT NULL` `Some(false)`.
        nullable: Option<bool>,
        /// `SPARSE`.
        sparse: bool,
        /// `WITH (…)`.
        options: Vec<NamedOption>,
    },
    /// `ADD | DROP ROWGUIDCOL | PERSISTED | SPARSE | …`.
    Property {
        /// The column.
        name: Ident,
        /// `ADD`.
        add: bool,
        /// The property in capitals.
        property: Box<str>,
    },
}

/// `CREATE STATISTICS`.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateStatistics {
    /// Its name.
    pub name: Ident,
    /// The table.
    pub table: ObjectName,
    /// The columns.
    pub columns: Vec<Ident>,
    /// `WHERE`.
    pub filter: Option<Expr>,
    /// `WITH …`.
    pub options: Vec<NamedOption>,
}

/// `UPDATE STATISTICS table [name | (names)] [WITH …]`.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdateStatistics {
    /// The table.
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
