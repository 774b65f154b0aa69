//! Procedures, functions, views, triggers, other objects, and security.

use super::{
    DataType, Expr, FunctionCall, Ident, NamedOption, ObjectName, Query, Span, Statement,
    TableBody, With,
};

/// How a module is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleVerb {
    /// `CREATE`: fails when the module is there.
    Create,
    /// `ALTER`: fails when the module is not there.
    Alter,
    /// `CREATE OR ALTER`: makes or changes the module.
    CreateOrAlter,
}

/// `CREATE PROCEDURE`. The definition that the catalogue keeps is the whole batch.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcedureDefinition {
    /// `CREATE`, `ALTER` or `CREATE OR ALTER`.
    pub verb: ModuleVerb,
    /// The procedure's name, perhaps with a schema.
    pub name: ObjectName,
    /// `;number` of old procedure groups.
    pub number: Option<u32>,
    /// The procedure's parameters, in order.
    pub parameters: Vec<Parameter>,
    /// `WITH RECOMPILE, EXECUTE AS OWNER …`.
    pub options: Vec<NamedOption>,
    /// Whether `FOR REPLICATION` was written.
    pub for_replication: bool,
    /// The statements after `AS`, up to the end of the batch.
    pub body: Vec<Statement>,
    /// The text of the statements.
    pub body_span: Span,
}

/// A parameter of a procedure or function.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name with `@`.
    pub name: Ident,
    /// The parameter's type, perhaps a table type.
    pub ty: DataType,
    /// Whether the parameter is a `CURSOR VARYING`.
    pub varying: bool,
    /// `NULL` is `Some(true)`, `NOT NULL` `Some(false)`.
    pub nullable: Option<bool>,
    /// `= default`: a literal, or a bare word as an `NString`.
    pub default: Option<Expr>,
    /// Whether the procedure hands the value back to its caller.
    pub output: bool,
    /// Whether `READONLY` was written, which table types need.
    pub readonly: bool,
}

impl Parameter {
    /// Whether the parameter is a cursor, not a value.
    pub fn is_cursor(&self) -> bool {
        let name = &self.ty.name;
        name.schema.is_none() && !name.name.delimited && name.name.is("cursor")
    }
}

/// `CREATE FUNCTION`: scalar, inline or of several statements.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionDefinition {
    /// `CREATE`, `ALTER` or `CREATE OR ALTER`.
    pub verb: ModuleVerb,
    /// The function's name, perhaps with a schema.
    pub name: ObjectName,
    /// The function's parameters, in order.
    pub parameters: Vec<Parameter>,
    /// The type or table that the function returns.
    pub returns: FunctionReturns,
    /// The options after `WITH`: `SCHEMABINDING`, `RETURNS NULL ON NULL INPUT` and so on.
    pub options: Vec<NamedOption>,
    /// The statements or the query that compute the result.
    pub body: FunctionBody,
    /// The text of the body.
    pub body_span: Span,
}

/// The results that functions return.
#[derive(Clone, Debug, PartialEq)]
pub enum FunctionReturns {
    /// A scalar of this type.
    Scalar(DataType),
    /// `TABLE`: the rows of one query.
    InlineTable,
    /// A table variable that the statements fill: `@t TABLE (…)`.
    Table(Ident, Box<TableBody>),
}

/// The bodies of functions.
#[derive(Clone, Debug, PartialEq)]
pub enum FunctionBody {
    /// Statements between `BEGIN` and `END`.
    Statements(Vec<Statement>),
    /// `RETURN (SELECT …)` of an inline function.
    Query(Option<With>, Box<Query>),
}

/// `CREATE VIEW name [(columns)] AS query`.
#[derive(Clone, Debug, PartialEq)]
pub struct ViewDefinition {
    /// `CREATE`, `ALTER` or `CREATE OR ALTER`.
    pub verb: ModuleVerb,
    /// The view's name, perhaps with a schema.
    pub name: ObjectName,
    /// Its columns' names; empty when the query's serve.
    pub columns: Vec<Ident>,
    /// The options after `WITH`: `SCHEMABINDING`, `VIEW_METADATA` and so on.
    pub options: Vec<NamedOption>,
    /// `WITH name AS (…)` of the query.
    pub with: Option<With>,
    /// The query whose rows the view shows.
    pub query: Query,
    /// Whether `WITH CHECK OPTION` refuses changes that would leave the view.
    pub check_option: bool,
}

/// `CREATE TRIGGER name ON target … AS statements`.
#[derive(Clone, Debug, PartialEq)]
pub struct TriggerDefinition {
    /// `CREATE`, `ALTER` or `CREATE OR ALTER`.
    pub verb: ModuleVerb,
    /// The trigger's name, perhaps with a schema.
    pub name: ObjectName,
    /// The object or scope whose events fire the trigger.
    pub target: TriggerTarget,
    /// The options after `WITH`, in order.
    pub options: Vec<NamedOption>,
    /// `INSTEAD OF` rather than `AFTER`.
    pub instead_of: bool,
    /// `INSERT`, `UPDATE`, `DELETE`, or DDL events.
    pub events: Vec<Ident>,
    /// Whether `NOT FOR REPLICATION` was written.
    pub not_for_replication: bool,
    /// The statements after `AS`.
    pub body: Vec<Statement>,
    /// The text of the statements.
    pub body_span: Span,
}

/// The objects and scopes of triggers.
#[derive(Clone, Debug, PartialEq)]
pub enum TriggerTarget {
    /// A table or view.
    Object(ObjectName),
    /// `DATABASE`: statements of DDL in the current database.
    Database,
    /// `ALL SERVER`: statements of DDL and logins on the server.
    AllServer,
}

/// `ENABLE | DISABLE TRIGGER`.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchTrigger {
    /// True for `ENABLE`, false for `DISABLE`.
    pub enable: bool,
    /// The triggers' names; empty is `ALL`.
    pub names: Vec<ObjectName>,
    /// The object or scope to which the triggers belong.
    pub target: TriggerTarget,
}

/// `CREATE SCHEMA [name] [AUTHORIZATION owner] elements`.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateSchema {
    /// Its name; none is the authorized principal's.
    pub name: Option<Ident>,
    /// The owner after `AUTHORIZATION`.
    pub owner: Option<Ident>,
    /// `CREATE TABLE`, `CREATE VIEW`, `GRANT` … within it.
    pub elements: Vec<Statement>,
}

/// `ALTER SCHEMA name TRANSFER [class::]object`.
#[derive(Clone, Debug, PartialEq)]
pub struct AlterSchema {
    /// The schema that receives it.
    pub schema: Ident,
    /// `OBJECT`, `TYPE` or `XML SCHEMA COLLECTION`.
    pub class: Option<Ident>,
    /// The object that moves into the schema.
    pub object: ObjectName,
}

/// `CREATE TYPE name …`: an alias or a table type.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateType {
    /// The type's name, perhaps with a schema.
    pub name: ObjectName,
    /// The kind of type, with its definition.
    pub kind: TypeKind,
}

/// Kinds of user-defined types.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// `FROM base [NULL | NOT NULL]`.
    Alias {
        /// The system type that the alias stands for.
        base: DataType,
        /// `NULL` is `Some(true)`, `NOT NULL` `Some(false)`.
        nullable: Option<bool>,
    },
    /// `AS TABLE (…) [WITH (…)]`.
    Table(Box<TableBody>, Vec<NamedOption>),
    /// `EXTERNAL NAME …`: a type of the CLR.
    External,
}

/// `CREATE | ALTER SEQUENCE`.
#[derive(Clone, Debug, PartialEq)]
pub struct SequenceDefinition {
    /// True for `ALTER`, false for `CREATE`.
    pub alter: bool,
    /// The sequence's name, perhaps with a schema.
    pub name: ObjectName,
    /// The integer type after `AS`.
    pub ty: Option<DataType>,
    /// `START WITH`, `RESTART WITH`, `INCREMENT BY`, `MINVALUE`, `NO MINVALUE`, `CYCLE`, `CACHE` … in order.
    pub options: Vec<NamedOption>,
}

/// `CREATE SYNONYM name FOR object`.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateSynonym {
    /// The synonym's name, perhaps with a schema.
    pub name: ObjectName,
    /// The object that the synonym stands for, there or not.
    pub target: ObjectName,
}

/// `CREATE | ALTER SECURITY POLICY`.
#[derive(Clone, Debug, PartialEq)]
pub struct SecurityPolicyDefinition {
    /// True for `ALTER`, false for `CREATE`.
    pub alter: bool,
    /// The policy's name, perhaps with a schema.
    pub name: ObjectName,
    /// The predicates that come, change or go, in order.
    pub predicates: Vec<PredicateClause>,
    /// `STATE` and `SCHEMABINDING`, after `WITH`.
    pub options: Vec<NamedOption>,
    /// Whether `NOT FOR REPLICATION` was written.
    pub not_for_replication: bool,
}

/// A verb before `PREDICATE` in a security policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredicateVerb {
    /// `ADD`: a new predicate.
    Add,
    /// `ALTER`: another function in place of a predicate's own.
    Alter,
    /// `DROP`: the predicate goes.
    Drop,
}

/// `ADD | ALTER | DROP [FILTER | BLOCK] PREDICATE [function (arguments)] ON table [operation]`.
#[derive(Clone, Debug, PartialEq)]
pub struct PredicateClause {
    /// The verb before the predicate.
    pub verb: PredicateVerb,
    /// `BLOCK` rather than `FILTER`.
    pub block: bool,
    /// The function with its arguments; none behind `DROP`.
    pub function: Option<FunctionCall>,
    /// The table or view behind `ON`.
    pub table: ObjectName,
    /// `AFTER INSERT`, `AFTER UPDATE`, `BEFORE UPDATE` or `BEFORE DELETE`; none is all four.
    pub operation: Option<BlockedOperation>,
}

/// An operation that a block predicate is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockedOperation {
    /// `AFTER INSERT`: the new row.
    AfterInsert,
    /// `AFTER UPDATE`: the row as it is then.
    AfterUpdate,
    /// `BEFORE UPDATE`: the row as it was.
    BeforeUpdate,
    /// `BEFORE DELETE`: the row that goes.
    BeforeDelete,
}

/// `CREATE | ALTER LOGIN`.
#[derive(Clone, Debug, PartialEq)]
pub struct LoginDefinition {
    /// True for `ALTER`, false for `CREATE`.
    pub alter: bool,
    /// The login's name, unique on the server.
    pub name: Ident,
    /// `FROM WINDOWS | CERTIFICATE …`.
    pub from: Option<Ident>,
    /// `ENABLE` is `Some(true)`, `DISABLE` `Some(false)`.
    pub enable: Option<bool>,
    /// `WITH PASSWORD = '…' [HASHED] [MUST_CHANGE] [UNLOCK], SID = …, DEFAULT_DATABASE = …`; the words after the
    /// password are options without a value of their own.
    pub options: Vec<NamedOption>,
}

/// `CREATE | ALTER CREDENTIAL name WITH IDENTITY = '…' [, SECRET = '…']`.
#[derive(Clone, Debug, PartialEq)]
pub struct CredentialDefinition {
    /// True for `ALTER`, false for `CREATE`.
    pub alter: bool,
    /// The credential's name, unique on the server.
    pub name: Ident,
    /// `IDENTITY` and `SECRET`, as they stand.
    pub options: Vec<NamedOption>,
    /// The name after `FOR CRYPTOGRAPHIC PROVIDER`.
    pub provider: Option<Ident>,
}

/// `CREATE | ALTER USER`.
#[derive(Clone, Debug, PartialEq)]
pub struct UserDefinition {
    /// True for `ALTER`, false for `CREATE`.
    pub alter: bool,
    /// The user's name, unique in the database.
    pub name: Ident,
    /// `FOR | FROM LOGIN name`.
    pub login: Option<Ident>,
    /// Whether the user is `WITHOUT LOGIN`.
    pub without_login: bool,
    /// `WITH DEFAULT_SCHEMA = …`.
    pub options: Vec<NamedOption>,
}

/// `CREATE | ALTER APPLICATION ROLE name WITH …`.
#[derive(Clone, Debug, PartialEq)]
pub struct ApplicationRoleDefinition {
    /// True for `ALTER`, false for `CREATE`.
    pub alter: bool,
    /// The role's name, unique in the database.
    pub name: Ident,
    /// `PASSWORD = '…'`, `DEFAULT_SCHEMA = …`, `NAME = …`.
    pub options: Vec<NamedOption>,
}

/// `CREATE | ALTER [SERVER] ROLE`.
#[derive(Clone, Debug, PartialEq)]
pub struct RoleDefinition {
    /// True for a `SERVER ROLE`, false for a database's.
    pub server: bool,
    /// The role's name, unique in its scope.
    pub name: Ident,
    /// The change that the statement makes.
    pub action: RoleAction,
}

/// The statements about a role, by their change.
#[derive(Clone, Debug, PartialEq)]
pub enum RoleAction {
    /// `CREATE … [AUTHORIZATION owner]`
    Create(Option<Ident>),
    /// `ADD MEMBER principal`: the principal joins the role.
    AddMember(Ident),
    /// `DROP MEMBER principal`: the principal leaves the role.
    DropMember(Ident),
    /// `WITH NAME = name`: the role is renamed.
    Rename(Ident),
}

/// `GRANT`, `DENY` or `REVOKE` of permissions.
#[derive(Clone, Debug, PartialEq)]
pub struct PermissionStatement {
    /// The verb that the statement begins with.
    pub verb: PermissionVerb,
    /// The permissions with their columns; `ALL` is a word of its own.
    pub permissions: Vec<(Box<str>, Vec<Ident>)>,
    /// The class and the object after `ON`.
    pub on: Option<(Option<Box<str>>, ObjectName)>,
    /// The principals after `TO` or `FROM`.
    pub principals: Vec<Ident>,
    /// `WITH GRANT OPTION`, or `GRANT OPTION FOR` of `REVOKE`.
    pub grant_option: bool,
    /// Whether `CASCADE` reaches those to whom the permission was passed on.
    pub cascade: bool,
    /// The principal after `AS`, whose right to grant is used.
    pub grantor: Option<Ident>,
}

/// The verbs of statements about permissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PermissionVerb {
    /// `GRANT`: the principal may.
    Grant,
    /// `DENY`: the principal may not, whatever its roles may.
    Deny,
    /// `REVOKE`: takes back a `GRANT` or `DENY`.
    Revoke,
}

/// `ALTER AUTHORIZATION ON [class::]entity TO principal`.
#[derive(Clone, Debug, PartialEq)]
pub struct AlterAuthorization {
    /// The class in capitals.
    pub class: Option<Box<str>>,
    /// The object, database, schema … that gets a new owner.
    pub entity: ObjectName,
    /// Its new owner; none is `SCHEMA OWNER`.
    pub owner: Option<Ident>,
}
