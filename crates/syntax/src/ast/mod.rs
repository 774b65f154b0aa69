//! The syntax tree: what was written, with byte spans, and nothing that needs a catalogue.
//!
//! Every node that an error could point at carries a [`Span`] in bytes of the batch's text; [`LineIndex::line_of`]
//! turns an offset into the 1-based line that messages name. Words that T-SQL does not reserve stay identifiers with
//! the spelling they were typed in ([`Ident::is`] compares without case).
//!
//! Long chains that people generate (`a OR b OR …`, `SELECT … UNION ALL SELECT …`) are flat lists, so walking a tree
//! recurses only as deep as the parser's depth limit allows.

mod admin;
mod control;
mod database;
mod dml;
mod events;
mod expr;
mod module;
mod operands;
mod predicate;
mod query;
mod table;
mod words;

use std::fmt;

pub use admin::*;
pub use control::*;
pub use database::*;
pub use dml::*;
pub use events::*;
pub use expr::*;
pub use module::*;
pub use predicate::*;
pub use query::*;
pub use table::*;

/// A piece of the batch's text: byte offsets, `start` inclusive, `end` exclusive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` to `end`.
    pub fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// The text of this span in the batch it came from.
    pub fn of(self, text: &str) -> &str {
        &text[self.start as usize..self.end as usize]
    }

    /// The smallest span that holds both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

/// A name as typed, without its delimiters. Variables keep their `@`, temporary tables their `#`.
#[derive(Clone, PartialEq, Eq)]
pub struct Ident {
    /// The name; doubled closing delimiters are single.
    pub value: Box<str>,
    /// Where it stands, with delimiters.
    pub span: Span,
    /// It was written in brackets or double quotes, so it is never a keyword.
    pub delimited: bool,
}

impl Ident {
    /// Equal to `word`, ASCII case aside. For contextual words, not for comparing names (those have a collation).
    pub fn is(&self, word: &str) -> bool {
        self.value.eq_ignore_ascii_case(word)
    }
}

impl fmt::Debug for Ident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.delimited { write!(f, "[{}]", self.value) } else { f.write_str(&self.value) }
    }
}

impl fmt::Display for Ident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.value)
    }
}

/// `server.database.schema.name`; every part but the last may be left out (`db..t`).
#[derive(Clone, PartialEq, Eq)]
pub struct ObjectName {
    /// The linked server's name.
    pub server: Option<Ident>,
    /// The database's name; none is the current one.
    pub database: Option<Ident>,
    /// The schema's name; none is the user's default schema.
    pub schema: Option<Ident>,
    /// The name of the object itself.
    pub name: Ident,
    /// From the first part to the last.
    pub span: Span,
}

impl ObjectName {
    /// A name of one part.
    pub fn bare(name: Ident) -> ObjectName {
        let span = name.span;
        ObjectName { server: None, database: None, schema: None, name, span }
    }

    /// The single part, when there is only one.
    pub fn as_bare(&self) -> Option<&Ident> {
        (self.schema.is_none() && self.database.is_none() && self.server.is_none())
            .then_some(&self.name)
    }
}

impl fmt::Display for ObjectName {
    /// As messages show it: the parts with dots, no delimiters.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut begun = false;
        for part in [&self.server, &self.database, &self.schema] {
            if let Some(part) = part {
                f.write_str(&part.value)?;
                begun = true;
            }
            if begun {
                f.write_str(".")?;
            }
        }
        f.write_str(&self.name.value)
    }
}

impl fmt::Debug for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut begun = false;
        for part in [&self.server, &self.database, &self.schema] {
            if let Some(part) = part {
                fmt::Debug::fmt(part, f)?;
                begun = true;
            }
            if begun {
                f.write_str(".")?;
            }
        }
        fmt::Debug::fmt(&self.name, f)
    }
}

/// A parsed batch: its statements and the lines of its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// The statements in order.
    pub statements: Vec<Statement>,
    /// Where the lines of its text begin.
    pub lines: LineIndex,
    /// The settings that the batch changes while it is parsed.
    pub settings: ParseSettings,
}

/// SET options that are obeyed while a batch is parsed, wherever in it they stand: the last occurrence counts. Those in the
/// body of a module are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParseSettings {
    /// SET QUOTED_IDENTIFIER, SET ANSI_DEFAULTS.
    pub quoted_identifier: Option<bool>,
    /// The last `SET PARSEONLY` of the batch.
    pub parse_only: Option<bool>,
}

impl Batch {
    /// 1-based line of a byte offset of the batch's text.
    pub fn line_of(&self, offset: u32) -> u32 {
        self.lines.line_of(offset)
    }
}

/// Byte offsets at which the lines of a text begin. A line ends with a line feed; a carriage return before it
/// belongs to the line.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct LineIndex {
    /// Offsets after each line feed, ascending.
    starts: Vec<u32>,
}

impl LineIndex {
    /// The index of `text`.
    pub fn new(text: &str) -> LineIndex {
        let starts =
            text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i as u32 + 1);
        LineIndex { starts: starts.collect() }
    }

    /// Bytes that the index of `text` takes.
    pub fn bytes_for(text: &str) -> usize {
        text.bytes().filter(|b| *b == b'\n').count() * size_of::<u32>()
    }

    /// 1-based line that holds the byte at `offset`.
    pub fn line_of(&self, offset: u32) -> u32 {
        self.starts.partition_point(|&start| start <= offset) as u32 + 1
    }
}

/// One statement with its place in the text, without a closing semicolon.
#[derive(Clone, PartialEq)]
pub struct Statement {
    /// From its first token to its last.
    pub span: Span,
    /// The kind of statement, with its parts.
    pub kind: StatementKind,
}

impl fmt::Debug for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.kind, f)
    }
}

/// All kinds of statements.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    // Queries and changes.
    /// `SELECT`, also `SELECT … INTO` and `SELECT @v = …`.
    Select(Box<SelectStatement>),
    /// `INSERT`, from values, a query or a procedure.
    Insert(Box<Insert>),
    /// `UPDATE` of a table, view or common table expression.
    Update(Box<Update>),
    /// `DELETE` from a table, view or common table expression.
    Delete(Box<Delete>),
    /// `MERGE` of a source into a target.
    Merge(Box<Merge>),
    /// `TRUNCATE TABLE` of one table.
    Truncate(Box<Truncate>),

    // Variables and settings.
    /// `DECLARE @a int = 1, @t TABLE (…), @c CURSOR`.
    Declare(Vec<Declaration>),
    /// `SET @v = expression`.
    SetVariable(Box<SetVariable>),
    /// `SET NOCOUNT ON` and all its relatives.
    SetOption(Box<SetOptionStatement>),

    // Control of flow.
    /// Statements between `BEGIN` and `END`.
    Block(Vec<Statement>),
    /// `IF` with its branches.
    If(Box<If>),
    /// `WHILE` with its body.
    While(Box<While>),
    /// `BREAK`: leaves the innermost loop.
    Break,
    /// `CONTINUE`: begins the next round of the innermost loop.
    Continue,
    /// `BEGIN TRY … END TRY BEGIN CATCH … END CATCH`.
    TryCatch(Box<TryCatch>),
    /// `RETURN [expression]`: leaves the batch or module.
    Return(Option<Box<Expr>>),
    /// `GOTO label`: goes on at the label.
    Goto(Ident),
    /// A label for `GOTO`: `name:`.
    Label(Ident),
    /// `WAITFOR DELAY | TIME`.
    WaitFor(Box<WaitFor>),
    /// `PRINT expression`: sends a message of severity 0.
    Print(Box<Expr>),
    /// `RAISERROR(…)`: raises a message.
    RaisError(Box<RaisError>),
    /// `THROW [number, message, state]`.
    Throw(Option<Box<Throw>>),
    /// `EXEC`, or a procedure's name as the first statement of a batch.
    Execute(Box<Execute>),

    // Transactions.
    /// `BEGIN TRANSACTION`, local or distributed.
    BeginTransaction(Box<BeginTransaction>),
    /// `COMMIT` of the innermost transaction.
    Commit(Box<Commit>),
    /// `ROLLBACK`, of all or to a savepoint.
    Rollback(Box<Rollback>),
    /// `SAVE TRANSACTION` with the savepoint's name.
    SaveTransaction(Box<TransactionName>),

    // Cursors.
    /// `DECLARE name CURSOR …`.
    DeclareCursor(Box<DeclareCursor>),
    /// `OPEN` of a declared cursor.
    OpenCursor(Box<CursorName>),
    /// `FETCH` of one row.
    Fetch(Box<Fetch>),
    /// `CLOSE` of an open cursor.
    CloseCursor(Box<CursorName>),
    /// `DEALLOCATE` of a cursor's name or variable.
    DeallocateCursor(Box<CursorName>),

    // Databases.
    /// `USE database`: the session's current database from now on.
    Use(Ident),
    /// `CREATE DATABASE` with its files.
    CreateDatabase(Box<CreateDatabase>),
    /// `ALTER DATABASE` with one change.
    AlterDatabase(Box<AlterDatabase>),
    /// `BACKUP` of a database or its log.
    Backup(Box<Backup>),
    /// `RESTORE`, also the forms that look into a backup.
    Restore(Box<Restore>),

    // Tables and indexes.
    /// `CREATE TABLE`, temporary ones too.
    CreateTable(Box<CreateTable>),
    /// `ALTER TABLE` with one change.
    AlterTable(Box<AlterTable>),
    /// `CREATE INDEX` on a table or view.
    CreateIndex(Box<CreateIndex>),
    /// `ALTER INDEX` of one index or all.
    AlterIndex(Box<AlterIndex>),
    /// `DROP INDEX` of one or more.
    DropIndex(Box<DropIndex>),
    /// `CREATE STATISTICS` on columns of a table.
    CreateStatistics(Box<CreateStatistics>),
    /// `UPDATE STATISTICS` of a table.
    UpdateStatistics(Box<UpdateStatistics>),
    /// `DROP TABLE`, `DROP DATABASE`, `DROP PROCEDURE`, … (all but `DROP INDEX`).
    Drop(Box<Drop>),

    // Modules and other objects.
    /// `CREATE | ALTER PROCEDURE`.
    Procedure(Box<ProcedureDefinition>),
    /// `CREATE | ALTER FUNCTION`.
    Function(Box<FunctionDefinition>),
    /// `CREATE | ALTER VIEW`.
    View(Box<ViewDefinition>),
    /// `CREATE | ALTER TRIGGER`.
    Trigger(Box<TriggerDefinition>),
    /// `ENABLE | DISABLE TRIGGER`.
    SwitchTrigger(Box<SwitchTrigger>),
    /// `CREATE SCHEMA` with its first objects.
    CreateSchema(Box<CreateSchema>),
    /// `ALTER SCHEMA … TRANSFER`.
    AlterSchema(Box<AlterSchema>),
    /// `CREATE TYPE`: an alias or a table type.
    CreateType(Box<CreateType>),
    /// `CREATE | ALTER SEQUENCE`.
    Sequence(Box<SequenceDefinition>),
    /// `CREATE SYNONYM` for an object.
    CreateSynonym(Box<CreateSynonym>),
    /// `CREATE | ALTER SECURITY POLICY`.
    SecurityPolicy(Box<SecurityPolicyDefinition>),

    // Security.
    /// `CREATE | ALTER LOGIN`.
    Login(Box<LoginDefinition>),
    /// `CREATE | ALTER CREDENTIAL`.
    Credential(Box<CredentialDefinition>),
    /// `CREATE | ALTER USER`.
    User(Box<UserDefinition>),
    /// `CREATE | ALTER ROLE` (also `SERVER ROLE`).
    Role(Box<RoleDefinition>),
    /// `CREATE | ALTER APPLICATION ROLE`.
    ApplicationRole(Box<ApplicationRoleDefinition>),
    /// `GRANT | DENY | REVOKE`.
    Permission(Box<PermissionStatement>),
    /// `ALTER AUTHORIZATION`: a new owner.
    AlterAuthorization(Box<AlterAuthorization>),
    /// `EXECUTE AS`: another security context.
    ExecuteAs(Box<ExecuteAs>),
    /// `REVERT` to the security context before.
    Revert(Option<Box<Ident>>),

    // Administration.
    /// `CHECKPOINT [seconds]`, which aims at that duration.
    Checkpoint(Option<Box<Expr>>),
    /// `DBCC` with the name of a command.
    Dbcc(Box<Dbcc>),
    /// `KILL session`: ends another session.
    Kill(Box<Kill>),
    /// `SHUTDOWN [WITH NOWAIT]`: stops the server.
    Shutdown {
        /// Whether `WITH NOWAIT` leaves out the checkpoints.
        nowait: bool,
    },
    /// `RECONFIGURE [WITH OVERRIDE]`: configured values take effect.
    Reconfigure {
        /// Whether `WITH OVERRIDE` accepts values that are not recommended.
        with_override: bool,
    },
    /// `BULK INSERT` of a file.
    BulkInsert(Box<BulkInsert>),
    /// `CREATE | ALTER | DROP EVENT SESSION`.
    EventSession(Box<EventSession>),
    /// `INSERT BULK`: announces rows that the client sends in a bulk-load message.
    InsertBulk(Box<InsertBulk>),

    /// A statement that exists in T-SQL and is known by name only.
    Unsupported(Box<Unsupported>),
}

/// A statement known by name only: the parser skipped to where the next statement begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Unsupported {
    /// Its leading words in capitals, such as `CREATE ASSEMBLY`.
    pub what: Box<str>,
}

/// An option `NAME [= value]` or `NAME value` of the many lists after `WITH`.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedOption {
    /// The option's word or words with single blanks (`MAX_DURATION`, `NO LOG`).
    pub name: Ident,
    /// The option's value; none for a bare name.
    pub value: Option<OptionValue>,
}

/// The value of a [`NamedOption`].
#[derive(Clone, Debug, PartialEq)]
pub enum OptionValue {
    /// The word `ON`, a switch that is set.
    On,
    /// The word `OFF`, a switch that is not set.
    Off,
    /// A number with its sign as typed.
    Number(Box<str>),
    /// A number and a unit (`60 SECONDS`, `500 MB`, `10 %`).
    Quantity(u64, Ident),
    /// A string literal, without its quotes.
    Text(Box<str>),
    /// A binary literal, as bytes.
    Binary(Box<[u8]>),
    /// A bare word, in the case written.
    Word(Ident),
    /// A variable that holds the value.
    Variable(Ident),
    /// A parenthesised list, or the list that follows `ON (…)`.
    List(Vec<NamedOption>),
}

/// Either a name or a variable that holds it.
#[derive(Clone, Debug, PartialEq)]
pub enum NameOrVariable {
    /// A name that stands in the text.
    Name(Ident),
    /// A variable that holds the name.
    Variable(Ident),
}

/// The direction of a sort: `ASC` or `DESC`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SortOrder {
    /// Ascending, also when nothing was said.
    #[default]
    Ascending,
    /// Descending: greatest values first.
    Descending,
}

/// `=`, `+=` and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssignOp {
    /// `=`
    Set,
    /// `+=`
    Add,
    /// `-=`
    Subtract,
    /// `*=`
    Multiply,
    /// `/=`
    Divide,
    /// `%=`
    Modulo,
    /// `&=`
    BitAnd,
    /// `|=`
    BitOr,
    /// `^=`
    BitXor,
}

impl AssignOp {
    /// The operator that a compound assignment applies; none for `=`.
    pub fn operator(self) -> Option<BinaryOp> {
        Some(match self {
            AssignOp::Set => return None,
            AssignOp::Add => BinaryOp::Add,
            AssignOp::Subtract => BinaryOp::Subtract,
            AssignOp::Multiply => BinaryOp::Multiply,
            AssignOp::Divide => BinaryOp::Divide,
            AssignOp::Modulo => BinaryOp::Modulo,
            AssignOp::BitAnd => BinaryOp::BitAnd,
            AssignOp::BitOr => BinaryOp::BitOr,
            AssignOp::BitXor => BinaryOp::BitXor,
        })
    }
}
