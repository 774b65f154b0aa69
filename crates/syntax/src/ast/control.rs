//! Variables, settings, control of flow, EXECUTE, transactions and cursors.

use super::{
    AssignOp, ColumnDefinition, ColumnRef, DataType, Expr, Ident, NameOrVariable, NamedOption,
    ObjectName, Query, QueryHint, Span, Statement, TableConstraint, With,
};

/// One variable of a `DECLARE`.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// Its name with `@`.
    pub name: Ident,
    /// The kind of variable, with its type.
    pub kind: DeclarationKind,
}

/// The kinds of variables that `DECLARE` makes.
#[allow(clippy::large_enum_variant)] // Nearly all are scalars.
#[derive(Clone, Debug, PartialEq)]
pub enum DeclarationKind {
    /// A value, perhaps with a first one.
    Scalar {
        /// Its type (perhaps a table type: only a catalogue knows).
        ty: DataType,
        /// The first value, after `=`.
        value: Option<Expr>,
    },
    /// A table variable: `TABLE (…)`.
    Table(Box<TableBody>),
    /// A cursor variable, declared as `CURSOR`.
    Cursor,
}

/// Columns, constraints and indexes in parentheses.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TableBody {
    /// The columns in order.
    pub columns: Vec<ColumnDefinition>,
    /// Constraints of the table.
    pub constraints: Vec<TableConstraint>,
    /// `INDEX …` within the table.
    pub indexes: Vec<super::InlineIndex>,
    /// `PERIOD FOR SYSTEM_TIME (start, end)`.
    pub period: Option<(Ident, Ident)>,
}

/// `SET @v = expression`, `SET @v += expression`.
#[derive(Clone, Debug, PartialEq)]
pub struct SetVariable {
    /// The variable's name with `@`.
    pub variable: Ident,
    /// `=` or a compound operator.
    pub op: AssignOp,
    /// The right side of the assignment.
    pub value: SetValue,
}

/// The right side of `SET @v = …`.
#[derive(Clone, Debug, PartialEq)]
pub enum SetValue {
    /// An expression, for a variable with a type.
    Expr(Expr),
    /// `CURSOR … FOR SELECT …`.
    Cursor(Box<CursorDefinition>),
}

/// `SET` of something that is not a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum SetOptionStatement {
    /// `SET a, b ON | OFF`.
    Switch {
        /// The options that are switched, in the order written.
        options: Vec<SwitchOption>,
        /// True for `ON`, false for `OFF`.
        on: bool,
    },
    /// `SET IDENTITY_INSERT table ON | OFF`.
    IdentityInsert {
        /// The table whose identity column takes explicit values.
        table: ObjectName,
        /// True for `ON`, false for `OFF`.
        on: bool,
    },
    /// `SET TRANSACTION ISOLATION LEVEL`.
    Isolation(IsolationLevel),
    /// `SET option value`. A bare word (`mdy`, `LOW`) arrives as a string literal.
    Value {
        /// The option that is set.
        option: ValueOption,
        /// The option's new value.
        value: Expr,
    },
}

/// Options that are on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The names are the documentation.
pub enum SwitchOption {
    AnsiDefaults,
    AnsiNullDfltOff,
    AnsiNullDfltOn,
    AnsiNulls,
    AnsiPadding,
    AnsiWarnings,
    ArithAbort,
    ArithIgnore,
    ConcatNullYieldsNull,
    CursorCloseOnCommit,
    FmtOnly,
    ForcePlan,
    ImplicitTransactions,
    NoBrowseTable,
    NoCount,
    NoExec,
    NumericRoundAbort,
    ParseOnly,
    QuotedIdentifier,
    RemoteProcTransactions,
    ShowPlanAll,
    ShowPlanText,
    ShowPlanXml,
    StatisticsIo,
    StatisticsProfile,
    StatisticsTime,
    StatisticsXml,
    XactAbort,
}

impl SwitchOption {
    /// As SET spells it.
    pub fn words(self) -> &'static str {
        match self {
            SwitchOption::AnsiDefaults => "ANSI_DEFAULTS",
            SwitchOption::AnsiNullDfltOff => "ANSI_NULL_DFLT_OFF",
            SwitchOption::AnsiNullDfltOn => "ANSI_NULL_DFLT_ON",
            SwitchOption::AnsiNulls => "ANSI_NULLS",
            SwitchOption::AnsiPadding => "ANSI_PADDING",
            SwitchOption::AnsiWarnings => "ANSI_WARNINGS",
            SwitchOption::ArithAbort => "ARITHABORT",
            SwitchOption::ArithIgnore => "ARITHIGNORE",
            SwitchOption::ConcatNullYieldsNull => "CONCAT_NULL_YIELDS_NULL",
            SwitchOption::CursorCloseOnCommit => "CURSOR_CLOSE_ON_COMMIT",
            SwitchOption::FmtOnly => "FMTONLY",
            SwitchOption::ForcePlan => "FORCEPLAN",
            SwitchOption::ImplicitTransactions => "IMPLICIT_TRANSACTIONS",
            SwitchOption::NoBrowseTable => "NO_BROWSETABLE",
            SwitchOption::NoCount => "NOCOUNT",
            SwitchOption::NoExec => "NOEXEC",
            SwitchOption::NumericRoundAbort => "NUMERIC_ROUNDABORT",
            SwitchOption::ParseOnly => "PARSEONLY",
            SwitchOption::QuotedIdentifier => "QUOTED_IDENTIFIER",
            SwitchOption::RemoteProcTransactions => "REMOTE_PROC_TRANSACTIONS",
            SwitchOption::ShowPlanAll => "SHOWPLAN_ALL",
            SwitchOption::ShowPlanText => "SHOWPLAN_TEXT",
            SwitchOption::ShowPlanXml => "SHOWPLAN_XML",
            SwitchOption::StatisticsIo => "STATISTICS IO",
            SwitchOption::StatisticsProfile => "STATISTICS PROFILE",
            SwitchOption::StatisticsTime => "STATISTICS TIME",
            SwitchOption::StatisticsXml => "STATISTICS XML",
            SwitchOption::XactAbort => "XACT_ABORT",
        }
    }
}

/// Options with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The names are the documentation.
pub enum ValueOption {
    ContextInfo,
    DateFirst,
    DateFormat,
    DeadlockPriority,
    FipsFlagger,
    Language,
    LockTimeout,
    QueryGovernorCostLimit,
    RowCount,
    TextSize,
}

impl ValueOption {
    /// As SET spells it.
    pub fn words(self) -> &'static str {
        match self {
            ValueOption::ContextInfo => "CONTEXT_INFO",
            ValueOption::DateFirst => "DATEFIRST",
            ValueOption::DateFormat => "DATEFORMAT",
            ValueOption::DeadlockPriority => "DEADLOCK_PRIORITY",
            ValueOption::FipsFlagger => "FIPS_FLAGGER",
            ValueOption::Language => "LANGUAGE",
            ValueOption::LockTimeout => "LOCK_TIMEOUT",
            ValueOption::QueryGovernorCostLimit => "QUERY_GOVERNOR_COST_LIMIT",
            ValueOption::RowCount => "ROWCOUNT",
            ValueOption::TextSize => "TEXTSIZE",
        }
    }
}

/// The isolation levels of `SET TRANSACTION ISOLATION LEVEL`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IsolationLevel {
    /// `READ UNCOMMITTED`: reads see changes that are not committed.
    ReadUncommitted,
    /// `READ COMMITTED`, the level of a new session.
    ReadCommitted,
    /// `REPEATABLE READ`: rows that were read stay as they are.
    RepeatableRead,
    /// `SNAPSHOT`: reads see the rows as of the transaction's beginning.
    Snapshot,
    /// `SERIALIZABLE`: ranges that were read get no new rows.
    Serializable,
}

/// `IF condition statement [ELSE statement]`.
#[derive(Clone, Debug, PartialEq)]
pub struct If {
    /// The condition that chooses the branch.
    pub condition: Expr,
    /// When it is true.
    pub then: Statement,
    /// The branch for a condition that is false or unknown: of `ELSE IF … ELSE IF … ELSE …` all the
    /// parts in one list, since they may be thousands. Each but the last is an `If` of its own with
    /// an empty list here.
    pub otherwise: Vec<Statement>,
}

/// `WHILE condition statement`, a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct While {
    /// The condition, evaluated before each round.
    pub condition: Expr,
    /// Repeated while it is true.
    pub body: Statement,
}

/// `BEGIN TRY … END TRY BEGIN CATCH … END CATCH`.
#[derive(Clone, Debug, PartialEq)]
pub struct TryCatch {
    /// The statements of the TRY block.
    pub body: Vec<Statement>,
    /// Run after an error; may be empty.
    pub catch: Vec<Statement>,
}

/// `WAITFOR DELAY | TIME value`: a pause.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitFor {
    /// `TIME` rather than `DELAY`.
    pub until: bool,
    /// A literal or variable.
    pub value: Expr,
}

/// `RAISERROR(message, severity, state, arguments…) WITH options`.
#[derive(Clone, Debug, PartialEq)]
pub struct RaisError {
    /// Text, message number or variable.
    pub message: Expr,
    /// The severity, 0 to 25.
    pub severity: Expr,
    /// The state, a number that the client gets beside the message.
    pub state: Expr,
    /// Values for the placeholders of the message, from left to right.
    pub arguments: Vec<Expr>,
    /// Whether `WITH LOG` writes the message to the error log.
    pub log: bool,
    /// Whether `WITH NOWAIT` sends the message at once.
    pub nowait: bool,
    /// Whether `WITH SETERROR` sets `@@ERROR` at any severity.
    pub set_error: bool,
}

/// `THROW number, message, state`.
#[derive(Clone, Debug, PartialEq)]
pub struct Throw {
    /// The error number, 50000 or more.
    pub number: Expr,
    /// The message's text, without placeholders.
    pub message: Expr,
    /// The state, 0 to 255.
    pub state: Expr,
}

/// `EXEC procedure arguments` or `EXEC ('text')`.
#[derive(Clone, Debug, PartialEq)]
pub struct Execute {
    /// The variable before `=`, which receives the return code.
    pub return_variable: Option<Ident>,
    /// The procedure, variable or text that is executed.
    pub target: ExecTarget,
    /// The arguments in the order written.
    pub arguments: Vec<ExecArgument>,
    /// `AS LOGIN | USER = '…'` after `EXEC ('…')`.
    pub run_as: Option<(Ident, Box<str>)>,
    /// The linked server after `AT`.
    pub at: Option<Ident>,
    /// Whether `WITH RECOMPILE` was written.
    pub recompile: bool,
    /// `WITH RESULT SETS …`: the results that the caller declares, of `NONE` none; `None` where it declares nothing.
    pub results: Option<Vec<ResultSetDefinition>>,
}

/// The definition of one result.
#[derive(Clone, Debug, PartialEq)]
pub enum ResultSetDefinition {
    /// The columns in parentheses.
    Columns(Vec<ResultSetColumn>),
    /// `AS OBJECT name`: the columns of a table, view or function.
    Object(ObjectName),
    /// `AS TYPE name`: the columns of a table type.
    Type(ObjectName),
    /// `AS FOR XML`: the one column that FOR XML makes.
    ForXml,
}

/// A column of a declared result.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultSetColumn {
    /// The name that the client sees.
    pub name: Ident,
    /// The type that values become.
    pub ty: DataType,
    /// The collation after `COLLATE`.
    pub collation: Option<Ident>,
    /// `NULL` is `Some(true)`, `NOT NULL` `Some(false)`.
    pub nullable: Option<bool>,
}

/// The forms of code that `EXEC` takes.
#[derive(Clone, Debug, PartialEq)]
pub enum ExecTarget {
    /// A procedure or scalar function; `;number` of old procedure groups beside it.
    Procedure(ObjectName, Option<u32>),
    /// A variable with the procedure's name.
    Variable(Ident),
    /// `EXEC ('text' + @v …)`: one expression.
    String(Expr),
}

/// An argument of `EXEC`.
#[derive(Clone, Debug, PartialEq)]
pub struct ExecArgument {
    /// The parameter's name before `=`, for an argument by name.
    pub name: Option<Ident>,
    /// A literal, variable or `DEFAULT`; a bare word arrives as an `NString` literal.
    pub value: Expr,
    /// Whether `OUTPUT` passes the parameter's value back to the variable.
    pub output: bool,
}

/// The name of a transaction or savepoint.
#[derive(Clone, Debug, PartialEq)]
pub struct TransactionName {
    /// Literal or in a variable.
    pub name: NameOrVariable,
}

/// `BEGIN [DISTRIBUTED] TRANSACTION [name] [WITH MARK ['…']]`.
#[derive(Clone, Debug, PartialEq)]
pub struct BeginTransaction {
    /// Whether `DISTRIBUTED` was written.
    pub distributed: bool,
    /// The transaction's name, where it has one.
    pub name: Option<TransactionName>,
    /// `WITH MARK`, and the description.
    pub mark: Option<Option<Expr>>,
}

/// `COMMIT [TRANSACTION] [name]`: ends a transaction, or one level of nested ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Commit {
    /// The name, which SQL Server ignores.
    pub name: Option<TransactionName>,
    /// `WITH (DELAYED_DURABILITY = ON | OFF)`.
    pub delayed_durability: Option<bool>,
}

/// `ROLLBACK [TRANSACTION] [name]`: to the beginning, or to a savepoint.
#[derive(Clone, Debug, PartialEq)]
pub struct Rollback {
    /// The outermost transaction's name or a savepoint's.
    pub name: Option<TransactionName>,
}

/// A cursor by name or in a variable.
#[derive(Clone, Debug, PartialEq)]
pub struct CursorName {
    /// Whether `GLOBAL` stood before the name.
    pub global: bool,
    /// The cursor's name, or the variable that holds the cursor.
    pub name: NameOrVariable,
}

/// `DECLARE name CURSOR …`.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclareCursor {
    /// The name that the cursor gets.
    pub name: Ident,
    /// The cursor's options and its query.
    pub definition: CursorDefinition,
}

/// Options and query of a cursor.
#[derive(Clone, Debug, PartialEq)]
pub struct CursorDefinition {
    /// `LOCAL`, `FAST_FORWARD`, `SCROLL`, `INSENSITIVE` … in order.
    pub options: Vec<Ident>,
    /// `WITH name AS (…)` of the query.
    pub with: Option<With>,
    /// The query whose rows the cursor walks.
    pub query: Query,
    /// `OPTION (…)` of the query.
    pub hints: Vec<QueryHint>,
    /// `FOR UPDATE [OF columns]` is `Some`.
    pub for_update: Option<Vec<ColumnRef>>,
    /// Whether `FOR READ ONLY` was written.
    pub read_only: bool,
}

/// `FETCH [direction FROM] cursor [INTO variables]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Fetch {
    /// The row that is fetched, counted from the present one or an end.
    pub direction: FetchDirection,
    /// The cursor that is read.
    pub cursor: CursorName,
    /// The variables that receive the columns; without any the row goes to the client.
    pub into: Vec<Ident>,
}

/// Which row `FETCH` gets.
#[derive(Clone, Debug, PartialEq)]
pub enum FetchDirection {
    /// `NEXT`: the row after the present one.
    Next,
    /// `PRIOR`: the row before the present one.
    Prior,
    /// `FIRST`: the cursor's first row.
    First,
    /// `LAST`: the cursor's last row.
    Last,
    /// `ABSOLUTE n`: the nth row, from the end when negative.
    Absolute(Expr),
    /// `RELATIVE n`: n rows after the present one, before it when negative.
    Relative(Expr),
}

/// `EXECUTE AS kind [= name]`: switches the security context.
#[derive(Clone, Debug, PartialEq)]
pub struct ExecuteAs {
    /// `LOGIN`, `USER`, `CALLER`, `SELF` or `OWNER`.
    pub kind: Ident,
    /// The login's or user's name, for the kinds that need one.
    pub name: Option<Expr>,
    /// `WITH NO REVERT` or `COOKIE INTO`.
    pub options: Vec<NamedOption>,
    /// The whole statement's text.
    pub span: Span,
}
