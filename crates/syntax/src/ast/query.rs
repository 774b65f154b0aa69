//! Queries: SELECT and what stands in its FROM.

use super::{
    AssignOp, ColumnDefinition, DataType, Expr, FunctionCall, Ident, NamedOption, ObjectName, Over,
    SortOrder, Span, Statement,
};

/// A `SELECT` statement with its common table expressions and hints.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectStatement {
    /// `WITH name AS (…)`.
    pub with: Option<With>,
    /// The query whose rows are sent or assigned.
    pub query: Query,
    /// The hints of `OPTION (…)`.
    pub options: Vec<QueryHint>,
}

/// Common table expressions before a statement.
#[derive(Clone, Debug, PartialEq)]
pub struct With {
    /// The items of `XMLNAMESPACES (…)`, in order.
    pub xml_namespaces: Vec<XmlNamespace>,
    /// The expressions in order; each sees those before it and itself.
    pub tables: Vec<CommonTable>,
}

/// `'uri' AS prefix` or `DEFAULT 'uri'`.
#[derive(Clone, Debug, PartialEq)]
pub struct XmlNamespace {
    /// The prefix; none of the default namespace.
    pub prefix: Option<Ident>,
    /// The URI, without its quotes.
    pub uri: Box<str>,
}

/// `name (columns) AS (query)`.
#[derive(Clone, Debug, PartialEq)]
pub struct CommonTable {
    /// The name by which the query refers to the rows.
    pub name: Ident,
    /// Its columns' names; empty when the query's serve.
    pub columns: Vec<Ident>,
    /// The query that defines the rows.
    pub query: Query,
}

/// A query expression with its `ORDER BY`.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The text of the query.
    pub span: Span,
    /// The `SELECT` blocks, perhaps combined by set operators.
    pub body: QueryBody,
    /// The items of `ORDER BY`, most significant first.
    pub order_by: Vec<OrderItem>,
    /// The number of rows that `OFFSET n ROWS` skips.
    pub offset: Option<Expr>,
    /// `FETCH NEXT n ROWS ONLY`.
    pub fetch: Option<Expr>,
    /// `FOR XML | JSON | BROWSE`.
    pub for_clause: Option<ForClause>,
}

/// The forms of a query without `ORDER BY`.
#[derive(Clone, Debug, PartialEq)]
pub enum QueryBody {
    /// A single `SELECT` block.
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

    /// The same block, to take its parts.
    pub fn first_block_mut(&mut self) -> &mut SelectBlock {
        match self {
            QueryBody::Select(block) => block,
            QueryBody::Set(chain) => chain.first.first_block_mut(),
            QueryBody::Ordered(query) => query.body.first_block_mut(),
        }
    }
}

/// Set operations of one precedence, applied from left to right.
#[derive(Clone, Debug, PartialEq)]
pub struct SetChain {
    /// The operand on the far left.
    pub first: QueryBody,
    /// The operations and their right operands, at least one.
    pub rest: Vec<(SetOperator, QueryBody)>,
}

/// The operators that combine two queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetOperator {
    /// `UNION`: rows of either side, without duplicates.
    Union,
    /// `UNION ALL`: rows of either side, duplicates too.
    UnionAll,
    /// `EXCEPT`: distinct rows of the left side that the right side has not.
    Except,
    /// `INTERSECT`: distinct rows that both sides have.
    Intersect,
}

/// `SELECT … FROM … WHERE … GROUP BY … HAVING …`.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectBlock {
    /// The text of the block.
    pub span: Span,
    /// Whether `DISTINCT` leaves out duplicates.
    pub distinct: bool,
    /// The `TOP` that limits the rows.
    pub top: Option<Top>,
    /// The items of the select list, in order.
    pub items: Vec<SelectItem>,
    /// The new table that `INTO` makes for the rows.
    pub into: Option<ObjectName>,
    /// `INTO table ON filegroup`.
    pub into_filegroup: Option<Ident>,
    /// `FROM`, the comma-separated parts; empty without `FROM`.
    pub from: Vec<TableRef>,
    /// The condition of `WHERE`, on single rows.
    pub filter: Option<Expr>,
    /// The grouping of `GROUP BY`.
    pub group_by: Option<GroupBy>,
    /// The condition of `HAVING`, on groups.
    pub having: Option<Expr>,
    /// `WINDOW name AS (…)`.
    pub windows: Vec<(Ident, Over)>,
}

/// `TOP (n) [PERCENT] [WITH TIES]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Top {
    /// The number of rows, or their percentage.
    pub count: Expr,
    /// Whether `PERCENT` makes the number a percentage.
    pub percent: bool,
    /// Whether `WITH TIES` adds the rows that equal the last in `ORDER BY`.
    pub with_ties: bool,
}

/// An item of the select list.
#[derive(Clone, Debug, PartialEq)]
pub enum SelectItem {
    /// A bare `*`: all columns of all sources.
    Star(Span),
    /// `t.*`: all columns of one source.
    QualifiedStar(ObjectName),
    /// `expression [AS alias]`, `alias = expression`.
    Expr {
        /// The expression that yields the column.
        expr: Expr,
        /// The name that the column gets.
        alias: Option<Ident>,
    },
    /// `@v = expression`, `@v += expression`.
    Assign {
        /// The variable that receives the value.
        variable: Ident,
        /// `=` or a compound operator.
        op: AssignOp,
        /// The right side of the assignment.
        value: Expr,
    },
}

/// `expression ASC | DESC`.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderItem {
    /// The expression that rows are sorted by; an integer literal is a position.
    pub expr: Expr,
    /// The direction of the sort.
    pub order: SortOrder,
}

/// `GROUP BY items`, also with `ROLLUP`, `CUBE` or `GROUPING SETS`.
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
    /// A single expression; equal values make one group.
    Expr(Expr),
    /// `ROLLUP (…)`, also `… WITH ROLLUP`. Each element is a composite of one or more expressions.
    Rollup(Vec<Vec<Expr>>),
    /// `CUBE (…)`, also `… WITH CUBE`.
    Cube(Vec<Vec<Expr>>),
    /// `GROUPING SETS (…)`: one grouping for each item.
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
    /// The kind of hint, with its value.
    pub kind: QueryHintKind,
    /// The text of the whole hint.
    pub span: Span,
}

/// The hints of `OPTION (…)`.
#[derive(Clone, Debug, PartialEq)]
pub enum QueryHintKind {
    /// `LOOP JOIN`, `HASH JOIN`, `MERGE JOIN`: a method that joins may take.
    Join(JoinHint),
    /// `FORCE ORDER`: joins are made in the order written.
    ForceOrder,
    /// `FAST n`: the plan is made for the first n rows.
    Fast(u64),
    /// `MAXRECURSION n`: a recursive query ends after n levels; 0 is no limit.
    MaxRecursion(u64),
    /// `OPTIMIZE FOR (@v …, …)`: the variables.
    OptimizeFor(Vec<Ident>),
    /// `TABLE HINT (name, hint, …)`
    Table(ObjectName, Vec<TableHint>),
    /// `USE HINT` with a name by which scalar functions are called, whatever their texts are.
    CallFunctions,
    /// One that says nothing about plans as this server makes them.
    Other,
}

/// Something that stands in `FROM`.
#[derive(Clone, Debug, PartialEq)]
pub enum TableRef {
    /// A table or view.
    Named(Box<NamedTable>),
    /// A table variable: `@t`.
    Variable(Box<TableVariableRef>),
    /// A function that returns a table.
    Function(Box<TableFunction>),
    /// `(SELECT …) AS t (columns)`.
    Derived(Box<DerivedTable>),
    /// `(VALUES (…), (…)) AS t (columns)`.
    Values(Box<ValuesTable>),
    /// A join of two.
    Join(Box<Join>),
    /// `PIVOT`: rows turned into columns.
    Pivot(Box<Pivot>),
    /// `UNPIVOT`: columns turned into rows.
    Unpivot(Box<Unpivot>),
    /// A rowset from elsewhere: `OPENROWSET`, `OPENQUERY`, `OPENDATASOURCE`.
    OpenRowset(Box<OpenRowset>),
    /// `(DELETE … OUTPUT …) AS t`, the source of an `INSERT`.
    Changes(Box<ChangesTable>),
}

/// A parenthesised change with `OUTPUT`.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangesTable {
    /// `INSERT`, `UPDATE`, `DELETE` or `MERGE`.
    pub statement: Statement,
    /// The alias, which this source must have.
    pub alias: Ident,
    /// The names that the alias gives the columns, in order.
    pub columns: Vec<Ident>,
    /// Of a MERGE its source joined with its target, once somebody has written that out.
    pub join: Option<TableRef>,
}

/// A table or view by name.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedTable {
    /// Its name; a common table expression, `inserted` and `deleted` look the same.
    pub name: ObjectName,
    /// The alias that qualifies columns of the source.
    pub alias: Option<Ident>,
    /// `WITH (…)` or the old `(…)` form.
    pub hints: Vec<TableHint>,
    /// `TABLESAMPLE`: a share of its rows.
    pub sample: Option<TableSample>,
    /// `FOR SYSTEM_TIME …`: which versions of the rows.
    pub system_time: Option<SystemTime>,
}

/// `TABLESAMPLE [SYSTEM] (number [PERCENT | ROWS]) [REPEATABLE (seed)]`.
#[derive(Clone, Debug, PartialEq)]
pub struct TableSample {
    /// The number in parentheses.
    pub number: Expr,
    /// It is a number of rows, and no percentage.
    pub rows: bool,
    /// The seed of a sample that can be had again.
    pub seed: Option<Expr>,
}

/// `FOR SYSTEM_TIME …`: the versions of rows that a query reads. The moments are literals and variables.
#[derive(Clone, Debug, PartialEq)]
pub enum SystemTime {
    /// `AS OF t`: valid at a moment.
    AsOf(Expr),
    /// `FROM t1 TO t2`.
    FromTo(Expr, Expr),
    /// `BETWEEN t1 AND t2`.
    Between(Expr, Expr),
    /// `CONTAINED IN (t1, t2)`.
    ContainedIn(Expr, Expr),
    /// `ALL`, current and old.
    All,
}

/// A hint of one table in `FROM`.
#[derive(Clone, Debug, PartialEq)]
pub struct TableHint {
    /// The kind of hint, with its value.
    pub kind: TableHintKind,
    /// The text of the hint.
    pub span: Span,
}

/// Kinds of table hints.
#[derive(Clone, Debug, PartialEq)]
pub enum TableHintKind {
    /// `NOLOCK`: the same as `READUNCOMMITTED`.
    NoLock,
    /// `READUNCOMMITTED`: reads without shared locks.
    ReadUncommitted,
    /// `READCOMMITTED`: reads as at that isolation level.
    ReadCommitted,
    /// `READCOMMITTEDLOCK`: read committed by locks, also where versions of rows are kept.
    ReadCommittedLock,
    /// `REPEATABLEREAD`: reads as at that isolation level.
    RepeatableRead,
    /// `SERIALIZABLE`: reads as at that isolation level.
    Serializable,
    /// `HOLDLOCK`: the same as `SERIALIZABLE`.
    HoldLock,
    /// `SNAPSHOT`: reads as at that isolation level.
    Snapshot,
    /// `READPAST`: passes over rows that others have locked.
    ReadPast,
    /// `UPDLOCK`: takes update locks and keeps them.
    UpdLock,
    /// `XLOCK`: takes exclusive locks and keeps them.
    XLock,
    /// `ROWLOCK`: locks rows, where pages or tables might be locked.
    RowLock,
    /// `PAGLOCK`: locks pages, where rows or the table might be locked.
    PagLock,
    /// `TABLOCK`: locks the whole table.
    TabLock,
    /// `TABLOCKX`: locks the whole table exclusively.
    TabLockX,
    /// `NOWAIT`: a lock that is not free is an error at once.
    NoWait,
    /// `NOEXPAND`: reads the view's own index.
    NoExpand,
    /// `FORCESCAN`: reads the index or table from end to end.
    ForceScan,
    /// `FORCESEEK`, `FORCESEEK (index (column, …))`: the index, by name or number, and the first of its columns.
    ForceSeek(Option<(Expr, Vec<Ident>)>),
    /// `INDEX (…)`, `INDEX = …`: names and numbers.
    Index(Vec<Expr>),
    /// `KEEPIDENTITY`: identity values come from the data that is loaded.
    KeepIdentity,
    /// `KEEPDEFAULTS`: missing values become the columns' defaults.
    KeepDefaults,
    /// `IGNORE_CONSTRAINTS`: the load checks no constraints.
    IgnoreConstraints,
    /// `IGNORE_TRIGGERS`: the load fires no triggers.
    IgnoreTriggers,
    /// `SPATIAL_WINDOW_MAX_CELLS = n`: how finely a spatial index is searched.
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

    /// The word by which the hint is written.
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
    /// The alias that qualifies columns of the source.
    pub alias: Option<Ident>,
    /// The hints after `WITH`.
    pub hints: Vec<TableHint>,
}

/// A table-valued function, `OPENJSON`, `OPENXML`, `STRING_SPLIT` too.
#[derive(Clone, Debug, PartialEq)]
pub struct TableFunction {
    /// The call of the function.
    pub call: FunctionCall,
    /// `OPENJSON`'s and `OPENXML`'s `WITH (…)`.
    pub schema: Vec<RowsetColumn>,
    /// The alias that qualifies columns of the source.
    pub alias: Option<Ident>,
    /// The names that the alias gives the columns, in order.
    pub columns: Vec<Ident>,
}

/// A column of `OPENJSON … WITH (…)`.
#[derive(Clone, Debug, PartialEq)]
pub struct RowsetColumn {
    /// The name of the column.
    pub name: Ident,
    /// The type that the column's value is converted to.
    pub ty: DataType,
    /// The collation of a column of text.
    pub collation: Option<Ident>,
    /// The path or pattern.
    pub path: Option<Box<str>>,
    /// Whether `AS JSON` makes the value a fragment of JSON.
    pub as_json: bool,
}

/// A derived table: a query in parentheses in `FROM`.
#[derive(Clone, Debug, PartialEq)]
pub struct DerivedTable {
    /// The query whose rows the table has.
    pub query: Query,
    /// The alias, which a derived table must have.
    pub alias: Ident,
    /// Its columns' names; empty when the query's serve.
    pub columns: Vec<Ident>,
}

/// A table of constants.
#[derive(Clone, Debug, PartialEq)]
pub struct ValuesTable {
    /// The rows, all as long as the first.
    pub rows: Vec<Vec<Expr>>,
    /// The alias, which a table of constants must have.
    pub alias: Ident,
    /// The names that the alias gives the columns, in order.
    pub columns: Vec<Ident>,
}

/// The kinds of joins, `APPLY` too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinKind {
    /// `[INNER] JOIN`: pairs that meet the condition.
    Inner,
    /// `LEFT [OUTER] JOIN`: also left rows without a pair.
    Left,
    /// `RIGHT [OUTER] JOIN`: also right rows without a pair.
    Right,
    /// `FULL [OUTER] JOIN`: also rows of either side without a pair.
    Full,
    /// `CROSS JOIN`: all pairs.
    Cross,
    /// `CROSS APPLY`: the right side is evaluated for each left row.
    CrossApply,
    /// `OUTER APPLY`: as `CROSS APPLY`, also left rows without a right one.
    OuterApply,
}

/// `LOOP`, `HASH`, `MERGE` or `REMOTE` between the kind and `JOIN`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinHint {
    /// A nested loops join.
    Loop,
    /// A hash join, which needs an equality.
    Hash,
    /// A merge join, which needs an equality.
    Merge,
    /// At the right table's server.
    Remote,
}

/// A join of two sources.
#[derive(Clone, Debug, PartialEq)]
pub struct Join {
    /// The kind of join.
    pub kind: JoinKind,
    /// A method the user insists on.
    pub hint: Option<JoinHint>,
    /// The source on the left.
    pub left: TableRef,
    /// The source on the right.
    pub right: TableRef,
    /// `ON`, a condition; none for `CROSS JOIN` and `APPLY`.
    pub on: Option<Expr>,
}

/// `source PIVOT (aggregate(value) FOR column IN ([a], [b])) AS alias`.
#[derive(Clone, Debug, PartialEq)]
pub struct Pivot {
    /// The source whose rows are turned.
    pub source: TableRef,
    /// The aggregates that fill the new columns.
    pub aggregates: Vec<FunctionCall>,
    /// The column whose values become columns.
    pub column: Expr,
    /// The values that become columns.
    pub values: Vec<Ident>,
    /// The alias, which the result must have.
    pub alias: Ident,
}

/// `source UNPIVOT (value FOR name IN (a, b)) AS alias`.
#[derive(Clone, Debug, PartialEq)]
pub struct Unpivot {
    /// The source whose columns are turned.
    pub source: TableRef,
    /// The new column of values.
    pub value: Ident,
    /// The new column of names.
    pub name: Ident,
    /// The columns that become rows.
    pub columns: Vec<Ident>,
    /// The alias, which the result must have.
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
    /// The columns of the rowset, after `WITH`.
    pub schema: Vec<ColumnDefinition>,
    /// The name after `OPENDATASOURCE(…)`.
    pub object: Option<ObjectName>,
    /// The alias that qualifies columns of the source.
    pub alias: Option<Ident>,
    /// The names that the alias gives the columns, in order.
    pub columns: Vec<Ident>,
}
