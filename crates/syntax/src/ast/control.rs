//! Variables, settings, control of flow, EXECUTE, transactions and cursors.

use super::{
    AssignOp, ColumnDefinition, DataType, Expr, Ident, NameOrVariable, NamedOption, ObjectName,
    Query, Span, Statement, TableConstraint, With,
};

/// One variable of a `DECLARE`.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// Its name with `@`.
    pub name: Ident,
    /// What it holds.
    pub kind: DeclarationKind,
}

/// What a declared variable holds.
#[allow(clippy::large_enum_variant)] // Nearly all are scalars.
#[derive(Clone, Debug, PartialEq)]
pub enum DeclarationKind {
    /// A value, perhaps with a first one.
    Scalar {
        /// Its type (perhaps a table type: only a catalogue knows).
        ty: DataType,
        /// `= expression`.
        value: Option<Expr>,
    },
    /// `TABLE (…)`.
    Table(Box<TableBody>),
    /// `CURSOR`.
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
}

/// `SET @v = expression`, `SET @v += expression`.
#[derive(Clone, Debug, PartialEq)]
pub struct SetVariable {
    /// The variable.
    pub variable: Ident,
    /// `=` or a compound operator.
    pub op: AssignOp,
    /// The value.
    pub value: SetValue,
}

/// What a variable is set to.
#[derive(Clone, Debug, PartialEq)]
pub enum SetValue {
    /// A value.
    Expr(Expr),
    /// `CURSOR … FOR SELECT …`.
    Cursor(Box<CursorDefinition>),
}

/// `SET` of something that is not a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum SetOptionStatement {
    /// `SET a, b ON | OFF`.
    Switch {
        /// The options.
        options: Vec<SwitchOption>,
        /// `ON`.
        on: bool,
    },
    /// `SET IDENTITY_INSERT table ON | OFF`.
    IdentityInsert {
        /// The table.
        table: ObjectName,
        /// `ON`.
        on: bool,
    },
    /// `SET TRANSACTION ISOLATION LEVEL`.
    Isolation(IsolationLevel),
    /// `SET option value`. A bare word (`mdy`, `LOW`) arrives as a string literal.
    Value {
        /// The option.
        option: ValueOption,
        /// Its value.
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

/// Isolation levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IsolationLevel {
    /// `READ UNCOMMITTED`
    ReadUncommitted,
    /// `READ COMMITTED`
    ReadCommitted,
    /// `REPEATABLE READ`
    RepeatableRead,
    /// `SNAPSHOT`
    Snapshot,
    /// `SERIALIZABLE`
    Serializable,
}

/// `IF`.
#[derive(Clone, Debug, PartialEq)]
pub struct If {
    /// A condition.
    pub condition: Expr,
    /// When it is true.
    pub then: Statement,
    /// What follows when it is false or unknown: of `ELSE IF … ELSE IF … ELSE …` all the parts in one list, since they
    /// may be thousands. Each but the last is an `If` of its own with an empty list here.
    pub otherwise: Vec<Statement>,
}

/// `WHILE`.
#[derive(Clone, Debug, PartialEq)]
pub struct While {
    /// A condition.
    pub condition: Expr,
    /// Repeated while it is true.
    pub body: Statement,
}

/// `BEGIN TRY … END TRY BEGIN CATCH … END CATCH`.
#[derive(Clone, Debug, PartialEq)]
pub struct TryCatch {
    /// Tried.
    pub body: Vec<Statement>,
    /// Run after an error; may be empty.
    pub catch: Vec<Statement>,
}

/// `WAITFOR`.
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
    /// Severity.
    pub severity: Expr,
    /// State.
    pub state: Expr,
    /// For the placeholders.
    pub arguments: Vec<Expr>,
    /// `WITH LOG`.
    pub log: bool,
    /// `WITH NOWAIT`.
    pub nowait: bool,
    /// `WITH SETERROR`.
    pub set_error: bool,
}

/// `THROW number, message, state`.
#[derive(Clone, Debug, PartialEq)]
pub struct Throw {
    /// 50000 or more.
    pub number: Expr,
    /// The text.
    pub message: Expr,
    /// The state.
    pub state: Expr,
}

/// `EXEC`.
#[derive(Clone, Debug, PartialEq)]
pub struct Execute {
    /// `@status =`.
    pub return_variable: Option<Ident>,
    /// What is run.
    pub target: ExecTarget,
    /// The arguments.
    pub arguments: Vec<ExecArgument>,
    /// `AS LOGIN | USER = '…'` after `EXEC ('…')`.
    pub run_as: Option<(Ident, Box<str>)>,
    /// `AT linked_server`.
    pub at: Option<Ident>,
    /// `WITH RECOMPILE`, `WITH RESULT SETS …` (the latter's definitions are in the text only).
    pub options: Vec<Ident>,
}

/// What `EXEC` runs.
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
    /// `@name =`.
    pub name: Option<Ident>,
    /// A literal, variable or `DEFAULT`; a bare word arrives as an `NString` literal.
    pub value: Expr,
    /// `OUTPUT`.
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
    /// `DISTRIBUTED`.
    pub distributed: bool,
    /// Its name.
    pub name: Option<TransactionName>,
    /// `WITH MARK`, and the description.
    pub mark: Option<Option<Expr>>,
}

/// `COMMIT`.
#[derive(Clone, Debug, PartialEq)]
pub struct Commit {
    /// The name, which SQL Server ignores.
    pub name: Option<TransactionName>,
    /// `WITH (DELAYED_DURABILITY = ON | OFF)`.
    pub delayed_durability: Option<bool>,
}

/// `ROLLBACK`.
#[derive(Clone, Debug, PartialEq)]
pub struct Rollback {
    /// The outermost transaction's name or a savepoint's.
    pub name: Option<TransactionName>,
}

/// A cursor by name or in a variable.
#[derive(Clone, Debug, PartialEq)]
pub struct CursorName {
    /// `GLOBAL` before it.
    pub global: bool,
    /// The name.
    pub name: NameOrVariable,
}

/// `DECLARE name CURSOR …`.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclareCursor {
    /// Its name.
    pub name: Ident,
    /// The rest.
    pub definition: CursorDefinition,
}

/// Options and query of a cursor.
#[derive(Clone, Debug, PartialEq)]
pub struct CursorDefinition {
    /// `LOCAL`, `FAST_FORWARD`, `SCROLL`, `INSENSITIVE` … in order.
    pub options: Vec<Ident>,
    /// `WITH name AS (…)` of the query.
    pub with: Option<With>,
    /// The query.
    pub query: Query,
    /// `FOR UPDATE [OF columns]` is `Some`.
    pub for_update: Option<Vec<Ident>>,
    /// `FOR READ ONLY`.
    pub read_only: bool,
}

/// `FETCH`.
#[derive(Clone, Debug, PartialEq)]
pub struct Fetch {
    /// Which row.
    pub direction: FetchDirection,
    /// From which cursor.
    pub cursor: CursorName,
    /// `INTO` variables.
    pub into: Vec<Ident>,
}

/// Which row `FETCH` gets.
#[derive(Clone, Debug, PartialEq)]
pub enum FetchDirection {
    /// `NEXT`
    Next,
    /// `PRIOR`
    Prior,
    /// `FIRST`
    First,
    /// `LAST`
    Last,
    /// `ABSOLUTE n`
    Absolute(Expr),
    /// `RELATIVE n`
    Relative(Expr),
}

/// `EXECUTE AS`.
#[derive(Clone, Debug, PartialEq)]
pub struct ExecuteAs {
    /// `LOGIN`, `USER`, `CALLER`, `SELF` or `OWNER`.
    pub kind: Ident,
    /// The name.
    pub name: Option<Expr>,
    /// `WITH NO REVERT` or `COOKIE INTO`.
    pub options: Vec<NamedOption>,
    /// All of it.
    pub span: Span,
}
