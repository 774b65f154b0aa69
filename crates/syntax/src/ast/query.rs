//! Queries: SELECT and what stands in its FROM.

use super::{
    AssignOp, ColumnDefinition, DataType, Expr, FunctionCall, Ident, NamedOption, ObjectName, Over,
    SortOrder, Span, Statement,
};

/// A `SELECT` statement.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectStatement {
    /// `WITH name AS (…)`.
    pub with: Option<With>,
    /// The query.
    pub query: Query,
    /// `OPTION (…)`.
    pub options: Vec<QueryHint>,
}

/// Common table expressions before a statement.
#[derive(Clone, Debug, PartialEq)]
pub struct With {
    /// `XMLNAMESPACES (…)` was there.
    pub xml_namespaces: bool,
    /// The expressions in order; each sees those before it and itself.
    pub tables: Vec<CommonTable>,
}

/// `name (columns) AS (query)`.
#[derive(Clone, Debug, PartialEq)]
pub struct CommonTable {
    /// Its name.
    pub name: Ident,
    /// Its columns' names; empty when the query's serve.
    pub columns: Vec<Ident>,
    /// The query.
    pub query: Query,
}

/// A query expression with its `ORDER BY`.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// Its text.
    pub span: Span,
    /// What yields the rows.
    pub body: QueryBody,
    /// `ORDER BY`.
    pub order_by: Vec<OrderItem>,
    /// `OFFSET n ROWS`.
    pub offset: Option<Expr>,
    /// `FETCH NEXT n ROWS ONLY`.
    pub fetch: Option<Expr>,
    /// `FOR XML | JSON | BROWSE`.
    pub for_clause: Option<ForClause>,
}

/// What yields the rows of a query.
#[derive(Clone, Debug, PartialEq)]
pub enum QueryBody {
    /// One `SELECT`.
    Select(Box<SelectBlock>),
    /// `a UNION b …`; `INTERSECT` binds tighter than the rest, so it is a chain within a chain.
    Set(Box<SetChain>),
    /// `(SELECT … ORDER BY …)` as a part of set operations in a derived table.
    Ordered(Box<Query>),
}

impl QueryBody {
    /// The first `SELECT`, whose names and `INTO` count.
    pub fn first_block(&self) -> &SelectBlock {
        match self {
            QueryBody::Select(block) => block,
            QueryBody::Set(chain) => chain.first.first_block(),
            QueryBody::Ordered(query) => query.body.first_block(),
        }
    }
}

/// Set operations of one precedence, applied from left to right.
#[derive(Clone, Debug, PartialEq)]
pub struct SetChain {
    /// The first operand.
    pub first: QueryBody,
    /// The operations and their right operands, at least one.
    pub rest: Vec<(SetOperator, QueryBody)>,
}

/// Set operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetOperator {
    /// `UNION`
    Union,
    /// `UNION ALL`
    UnionAll,
    /// `EXCEPT`
    Except,
    /// `INTERSECT`
    Intersect,
}

/// `SELECT … FROM … WHERE … GROUP BY … HAVING …`.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectBlock {
    /// Its text.
    pub span: Span,
    /// `DISTINCT`.
    pub distinct: bool,
    /// `TOP`.
    pub top: Option<Top>,
    /// The select list.
    pub items: Vec<SelectItem>,
    /// `INTO table`.
    pub into: Option<ObjectName>,
    /// `INTO table ON filegroup`.
    pub into_filegroup: Option<Ident>,
    /// `FROM`, the comma-separated parts; empty without `FROM`.
    pub from: Vec<TableRef>,
    /// `WHERE`, a condition.
    pub filter: Option<Expr>,
    /// `GROUP BY`.
    pub group_by: Option<GroupBy>,
    /// `HAVING`, a condition.
    pub having: Option<Expr>,
    /// `WINDOW name AS (…)`.
    pub windows: Vec<(Ident, Over)>,
}

/// `TOP (n) [PERCENT] [WITH TIES]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Top {
    /// How many.
    pub count: Expr,
    /// `PERCENT`.
    pub percent: bool,
    /// `WITH TIES`.
    pub with_ties: bool,
}

/// An item of the select list.
#[derive(Clone, Debug, PartialEq)]
pub enum SelectItem {
    /// `*`
    Star(Span),
    /// `t.*`
    QualifiedStar(ObjectName),
    /// `expression [AS alias]`, `alias = expression`.
    Expr {
        /// The value.
        expr: Expr,
        /// The column's name.
        alias: Option<Ident>,
    },
    /// `@v = expression`, `@v += expression`.
    Assign {
        /// The variable.
        variable: Ident,
        /// `=` or a compound operator.
        op: AssignOp,
        /// The value.
        value: Expr,
    },
}

/// `expression ASC | DESC`.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderItem {
    /// What is sorted by; an integer literal is a position.
    pub expr: Expr,
    /// The direction.
    pub order: SortOrder,
}

/// `GROUP BY`.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupBy {
    /// The items in order.
    pub items: Vec<GroupItem>,
    /// `GROUP BY ALL` (deprecated).
    pub all: bool,
}

/// An item of `GROUP BY`.
#[derive(Clone, Debug, PartialEq)]
pub enum GroupItem {
    /// A plain expression.
    Expr(Expr),
    /// `ROLLUP (…)`, also `… WITH ROLLUP`. Each element is a composite of one or more expressions.
    Rollup(Vec<Vec<Expr>>),
    /// `CUBE (…)`, also `… WITH CUBE`.
    Cube(Vec<Vec<Expr>>),
    /// `GROUPING SETS (…)`.
    GroupingSets(Vec<GroupItem>),
    /// `()`; within `GROUPING SETS` also `(a, b)`, all of which are grouped by at once.
    Composite(Vec<GroupItem>),
}

/// `FOR XML`, `FOR JSON`, `FOR BROWSE`.
#[derive(Clone, Debug, PartialEq)]
pub struct ForClause {
    /// `XML`, `JSON` or `BROWSE`.
    pub format: Ident,
    /// `RAW`, `AUTO`, `EXPLICIT`, `PATH`, with its argument, then the options after commas.
    pub options: Vec<NamedOption>,
}

/// A hint of `OPTION (…)`.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryHint {
    /// What it says.
    pub kind: QueryHintKind,
    /// All of it.
    pub span: Span,
}

/// What a hint of `OPTION (…)` says.
#[derive(Clone, Debug, PartialEq)]
pub enum QueryHintKind {
    /// `LOOP JOIN`, `HASH JOIN`, `MERGE JOIN`: a method that joins may take.
    Join(JoinHint),
    /// `FORCE ORDER`
    ForceOrder,
    /// `FAST n`
    Fast(u64),
    /// `MAXRECURSION n`
    MaxRecursion(u64),
    /// `OPTIMIZE FOR (@v …, …)`: the variables.
    OptimizeFor(Vec<Ident>),
    /// `TABLE HINT (name, hint, …)`
    Table(ObjectName, Vec<TableHint>),
    /// One that says nothing about plans as this server makes them.
    Other,
}

/// Something that stands in `FROM`.
#[derive(Clone, Debug, PartialEq)]
pub enum TableRef {
    /// A table or view.
    Named(Box<NamedTable>),
    /// `@t`.
    Variable(Box<TableVariableRef>),
    /// A table-valued function.
    Function(Box<TableFunction>),
    /// `(SELECT …) AS t (columns)`.
    Derived(Box<DerivedTable>),
    /// `(VALUES (…), (…)) AS t (columns)`.
    Values(Box<ValuesTable>),
    /// A join of two.
    Join(Box<Join>),
    /// `PIVOT`.
    Pivot(Box<Pivot>),
    /// `UNPIVOT`.
    Unpivot(Box<Unpivot>),
    /// `OPENROWSET`, `OPENQUERY`, `OPENDATASOURCE`.
    OpenRowset(Box<OpenRowset>),
    /// `(DELETE … OUTPUT …) AS t`, the source of an `INSERT`.
    Changes(Box<ChangesTable>),
}

/// A parenthesised change with `OUTPUT`.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangesTable {
    /// `INSERT`, `UPDATE`, `DELETE` or `MERGE`.
    pub statement: Statement,
    /// Its alias.
    pub alias: Ident,
    /// Its columns' names.
    pub columns: Vec<Ident>,
}

/// A table or view by name.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedTable {
    /// Its name; a common table expression, `inserted` and `deleted` look the same.
    pub name: ObjectName,
    /// Its alias.
    pub alias: Option<Ident>,
    /// `WITH (…)` or the old `(…)` form.
    pub hints: Vec<TableHint>,
    /// `TABLESAMPLE` in words, not interpreted.
    pub sample: Option<Span>,
    /// `FOR SYSTEM_TIME …`, not interpreted.
    pub system_time: Option<Span>,
}

/// Table hints.
#[derive(Clone, Debug, PartialEq)]
pub struct TableHint {
    /// Which.
    pub kind: TableHintKind,
    /// Its text.
    pub span: Span,
}

/// Kinds of table hints.
#[derive(Clone, Debug, PartialEq)]
pub enum TableHintKind {
    /// `NOLOCK`
    NoLock,
    /// `READUNCOMMITTED`
    ReadUncommitted,
    /// `READCOMMITTED`
    ReadCommitted,
    /// `READCOMMITTEDLOCK`
    ReadCommittedLock,
    /// `REPEATABLEREAD`
    RepeatableRead,
    /// `SERIALIZABLE`
    Serializable,
    /// `HOLDLOCK`
    HoldLock,
    /// `SNAPSHOT`
    Snapshot,
    /// `READPAST`
    ReadPast,
    /// `UPDLOCK`
    UpdLock,
    /// `XLOCK`
    XLock,
    /// `ROWLOCK`
    RowLock,
    /// `PAGLOCK`
    PagLock,
    /// `TABLOCK`
    TabLock,
    /// `TABLOCKX`
    TabLockX,
    /// `NOWAIT`
    NoWait,
    /// `NOEXPAND`
    NoExpand,
    /// `FORCESCAN`
    ForceScan,
    /// `FORCESEEK`, `FORCESEEK (index (column, …))`: the index, by name or number, and the first of its columns.
    ForceSeek(Option<(Expr, Vec<Ident>)>),
    /// `INDEX (…)`, `INDEX = …`: names and numbers.
    Index(Vec<Expr>),
    /// `KEEPIDENTITY`
    KeepIdentity,
    /// `KEEPDEFAULTS`
    KeepDefaults,
    /// `IGNORE_CONSTRAINTS`
    IgnoreConstraints,
    /// `IGNORE_TRIGGERS`
    IgnoreTriggers,
    /// `SPATIAL_WINDOW_MAX_CELLS = n`
    SpatialWindowMaxCells(u32),
}

/// The hints that are one word, but for what follows it in parentheses.
const HINT_WORDS: &[(&str, TableHintKind)] = &[
    ("NOLOCK", TableHintKind::NoLock),
    ("READUNCOMMITTED", TableHintKind::ReadUncommitted),
    ("READCOMMITTED", TableHintKind::ReadCommitted),
    ("READCOMMITTEDLOCK", TableHintKind::ReadCommittedLock),
    ("REPEATABLEREAD", TableHintKind::RepeatableRead),
    ("SERIALIZABLE", TableHintKind::Serializable),
    ("HOLDLOCK", TableHintKind::HoldLock),
    ("SNAPSHOT", TableHintKind::Snapshot),
    ("READPAST", TableHintKind::ReadPast),
    ("UPDLOCK", TableHintKind::UpdLock),
    ("XLOCK", TableHintKind::XLock),
    ("ROWLOCK", TableHintKind::RowLock),
    ("PAGLOCK", TableHintKind::PagLock),
    ("TABLOCK", TableHintKind::TabLock),
    ("TABLOCKX", TableHintKind::TabLockX),
    ("NOWAIT", TableHintKind::NoWait),
    ("NOEXPAND", TableHintKind::NoExpand),
    ("FORCESCAN", TableHintKind::ForceScan),
    ("FORCESEEK", TableHintKind::ForceSeek(None)),
    ("KEEPIDENTITY", TableHintKind::KeepIdentity),
    ("KEEPDEFAULTS", TableHintKind::KeepDefaults),
    ("IGNORE_CONSTRAINTS", TableHintKind::IgnoreConstraints),
    ("IGNORE_TRIGGERS", TableHintKind::IgnoreTriggers),
    ("SPATIAL_WINDOW_MAX_CELLS", TableHintKind::SpatialWindowMaxCells(0)),
];

impl TableHintKind {
    /// The hint that a word is; `INDEX` aside.
    pub fn of_word(word: &str) -> Option<TableHintKind> {
        let found = HINT_WORDS.iter().find(|(w, _)| w.eq_ignore_ascii_case(word));
        found.map(|(_, kind)| kind.clone())
    }

    /// Its word.
    pub fn word(&self) -> &'static str {
        let mine = std::mem::discriminant(self);
        let found = HINT_WORDS.iter().find(|(_, kind)| std::mem::discriminant(kind) == mine);
        found.map_or("INDEX", |(word, _)| word)
    }
}

/// A table variable in `FROM` or as a target.
#[derive(Clone, Debug, PartialEq)]
pub struct TableVariableRef {
    /// The variable with its `@`.
    pub name: Ident,
    /// Its alias.
    pub alias: Option<Ident>,
    /// Hints.
    pub hints: Vec<TableHint>,
}

/// A table-valued function, `OPENJSON`, `OPENXML`, `STRING_SPLIT` too.
#[derive(Clone, Debug, PartialEq)]
pub struct TableFunction {
    /// The call.
    pub call: FunctionCall,
    /// `OPENJSON`'s and `OPENXML`'s `WITH (…)`.
    pub schema: Vec<RowsetColumn>,
    /// Its alias.
    pub alias: Option<Ident>,
    /// Its columns' names.
    pub columns: Vec<Ident>,
}

/// A column of `OPENJSON … WITH (…)`.
#[derive(Clone, Debug, PartialEq)]
pub struct RowsetColumn {
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: DataType,
    /// The path or pattern.
    pub path: Option<Box<str>>,
    /// `AS JSON`.
    pub as_json: bool,
}

/// A parenthesised query.
#[derive(Clone, Debug, PartialEq)]
pub struct DerivedTable {
    /// The query.
    pub query: Query,
    /// Its alias.
    pub alias: Ident,
    /// Its columns' names; empty when the query's serve.
    pub columns: Vec<Ident>,
}

/// A table of constants.
#[derive(Clone, Debug, PartialEq)]
pub struct ValuesTable {
    /// The rows, all as long as the first.
    pub rows: Vec<Vec<Expr>>,
    /// Its alias.
    pub alias: Ident,
    /// Its columns' names.
    pub columns: Vec<Ident>,
}

/// Kinds of joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinKind {
    /// `[INNER] JOIN`
    Inner,
    /// `LEFT [OUTER] JOIN`
    Left,
    /// `RIGHT [OUTER] JOIN`
    Right,
    /// `FULL [OUTER] JOIN`
    Full,
    /// `CROSS JOIN`
    Cross,
    /// `CROSS APPLY`
    CrossApply,
    /// `OUTER APPLY`
    OuterApply,
}

/// `LOOP`, `HASH`, `MERGE` or `REMOTE` between the kind and `JOIN`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinHint {
    /// Nested loops.
    Loop,
    /// Hash.
    Hash,
    /// Merge.
    Merge,
    /// At the right table's server.
    Remote,
}

/// A join.
#[derive(Clone, Debug, PartialEq)]
pub struct Join {
    /// Its kind.
    pub kind: JoinKind,
    /// A method the user insists on.
    pub hint: Option<JoinHint>,
    /// Left side.
    pub left: TableRef,
    /// Right side.
    pub right: TableRef,
    /// `ON`, a condition; none for `CROSS JOIN` and `APPLY`.
    pub on: Option<Expr>,
}

/// `source PIVOT (aggregate(value) FOR column IN ([a], [b])) AS alias`.
#[derive(Clone, Debug, PartialEq)]
pub struct Pivot {
    /// The rows.
    pub source: TableRef,
    /// The aggregates.
    pub aggregates: Vec<FunctionCall>,
    /// The column spread.
    pub column: Expr,
    /// The values that become columns.
    pub values: Vec<Ident>,
    /// Its alias.
    pub alias: Ident,
}

/// `source UNPIVOT (value FOR name IN (a, b)) AS alias`.
#[derive(Clone, Debug, PartialEq)]
pub struct Unpivot {
    /// The rows.
    pub source: TableRef,
    /// The new column of values.
    pub value: Ident,
    /// The new column of names.
    pub name: Ident,
    /// The columns gathered.
    pub columns: Vec<Ident>,
    /// Its alias.
    pub alias: Ident,
}

/// `OPENROWSET(…)`, `OPENQUERY(…)`, `OPENDATASOURCE(…).name`: arguments only, not interpreted.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenRowset {
    /// The function's word in capitals.
    pub function: Ident,
    /// `BULK` before the arguments.
    pub bulk: bool,
    /// The arguments (or the bulk file).
    pub arguments: Vec<Expr>,
    /// The options of `BULK`.
    pub options: Vec<NamedOption>,
    /// `WITH (column definitions)`.
    pub schema: Vec<ColumnDefinition>,
    /// The name after `OPENDATASOURCE(…)`.
    pub object: Option<ObjectName>,
    /// Its alias.
    pub alias: Option<Ident>,
    /// Its columns' names.
    pub columns: Vec<Ident>,
}
