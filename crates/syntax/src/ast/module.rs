//! Procedures, functions, views, triggers, other objects, and security.

use super::{
    DataType, Expr, Ident, NamedOption, ObjectName, Query, Span, Statement, TableBody, With,
};

/// How a module is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleVerb {
    /// `CREATE`
    Create,
    /// `ALTER`
    Alter,
    /// `CREATE OR ALTER`
    CreateOrAlter,
}

/// `CREATE PROCEDURE`. The definition that the catalogue keeps is the whole batch.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcedureDefinition {
    /// `CREATE` or `ALTER`.
    pub verb: ModuleVerb,
    /// Its name.
    pub name: ObjectName,
    /// `;number` of old procedure groups.
    pub number: Option<u32>,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// `WITH RECOMPILE, EXECUTE AS OWNER …`.
    pub options: Vec<NamedOption>,
    /// `FOR REPLICATION`.
    pub for_replication: bool,
    /// The statements after `AS`, up to the end of the batch.
    pub body: Vec<Statement>,
    /// Their text.
    pub body_span: Span,
}

/// A parameter of a procedure or function.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name with `@`.
    pub name: Ident,
    /// Its type.
    pub ty: DataType,
    /// `CURSOR VARYING`.
    pub varying: bool,
    /// `NULL` is `Some(true)`, `NOT NULL` `Some(false)`.
    pub nullable: Option<bool>,
    /// `= default`: a literal, or a bare word as an `NString`.
    pub default: Option<Expr>,
    /// `OUTPUT`.
    pub output: bool,
    /// `READONLY`.
    pub readonly: bool,
}

/// `CREATE FUNCTION`.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionDefinition {
    /// `CREATE` or `ALTER`.
    pub verb: ModuleVerb,
    /// Its name.
    pub name: ObjectName,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// What it returns.
    pub returns: FunctionReturns,
    /// `WITH SCHEMABINDING …`.
    pub options: Vec<NamedOption>,
    /// What it does.
    pub body: FunctionBody,
    /// The text of the body.
    pub body_span: Span,
}

/// What a function returns.
#[derive(Clone, Debug, PartialEq)]
pub enum FunctionReturns {
    /// A value.
    Scalar(DataType),
    /// `TABLE`: the rows of one query.
    InlineTable,
    /// `@t TABLE (…)`.
    Table(Ident, Box<TableBody>),
}

/// What a function does.
#[derive(Clone, Debug, PartialEq)]
pub enum FunctionBody {
    /// `BEGIN … END`.
    Statements(Vec<Statement>),
    /// `RETURN (SELECT …)` of an inline function.
    Query(Option<With>, Box<Query>),
}

/// `CREATE VIEW`.
#[derive(Clone, Debug, PartialEq)]
pub struct ViewDefinition {
    /// `CREATE` or `ALTER`.
    pub verb: ModuleVerb,
    /// Its name.
    pub name: ObjectName,
    /// Its columns' names; empty when the query's serve.
    pub columns: Vec<Ident>,
    /// `WITH SCHEMABINDING …`.
    pub options: Vec<NamedOption>,
    /// `WITH name AS (…)` of the query.
    pub with: Option<With>,
    /// The query.
    pub query: Query,
    /// `WITH CHECK OPTION`.
    pub check_option: bool,
}

/// `CREATE TRIGGER`.
#[derive(Clone, Debug, PartialEq)]
pub struct TriggerDefinition {
    /// `CREATE` or `ALTER`.
    pub verb: ModuleVerb,
    /// Its name.
    pub name: ObjectName,
    /// What it is on.
    pub target: TriggerTarget,
    /// `WITH …`.
    pub options: Vec<NamedOption>,
    /// `INSTEAD OF` rather than `AFTER`.
    pub instead_of: bool,
    /// `INSERT`, `UPDATE`, `DELETE`, or DDL events.
    pub events: Vec<Ident>,
    /// `NOT FOR REPLICATION`.
    pub not_for_replication: bool,
    /// The statements after `AS`.
    pub body: Vec<Statement>,
    /// Their text.
    pub body_span: Span,
}

/// What a trigger is on.
#[derive(Clone, Debug, PartialEq)]
pub enum TriggerTarget {
    /// A table or view.
    Object(ObjectName),
    /// `DATABASE`
    Database,
    /// `ALL SERVER`
    AllServer,
}

/// `ENABLE | DISABLE TRIGGER`.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchTrigger {
    /// `ENABLE`.
    pub enable: bool,
    /// Empty is `ALL`.
    pub names: Vec<ObjectName>,
    /// What they are on.
    pub target: TriggerTarget,
}

/// `CREATE SCHEMA`.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateSchema {
    /// Its name; none is the authorized principal's.
    pub name: Option<Ident>,
    /// `AUTHORIZATION`.
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
    /// What is moved.
    pub object: ObjectName,
}

/// `CREATE TYPE`.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateType {
    /// Its name.
    pub name: ObjectName,
    /// What it is.
    pub kind: TypeKind,
}

/// Kinds of user-defined types.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// `FROM base [NULL | NOT NULL]`.
    Alias {
        /// The base type.
        base: DataType,
        /// `NULL` is `Some(true)`.
        nullable: Option<bool>,
    },
    /// `AS TABLE (…) [WITH (…)]`.
    Table(Box<TableBody>, Vec<NamedOption>),
    /// `EXTERNAL NAME …`.
    External,
}

/// `CREATE | ALTER SEQUENCE`.
#[derive(Clone, Debug, PartialEq)]
pub struct SequenceDefinition {
    /// `ALTER`.
    pub alter: bool,
    /// Its name.
    pub name: ObjectName,
    /// `AS type`.
    pub ty: Option<DataType>,
    /// `START WITH`, `RESTART WITH`, `INCREMENT BY`, `MINVALUE`, `NO MINVALUE`, `CYCLE`, `CACHE` … in order.
    pub options: Vec<NamedOption>,
}

/// `CREATE SYNONYM name FOR object`.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateSynonym {
    /// Its name.
    pub name: ObjectName,
    /// What it stands for.
    pub target: ObjectName,
}

/// `CREATE | ALTER LOGIN`.
#[derive(Clone, Debug, PartialEq)]
pub struct LoginDefinition {
    /// `ALTER`.
    pub alter: bool,
    /// Its name.
    pub name: Ident,
    /// `FROM WINDOWS | CERTIFICATE …`.
    pub from: Option<Ident>,
    /// `ENABLE` is `Some(true)`, `DISABLE` `Some(false)`.
    pub enable: Option<bool>,
    /// `WITH PASSWORD = '…' [HASHED] [MUST_CHANGE] [UNLOCK], SID = …, DEFAULT_DATABASE = …`; the words after the
    /// password are options without a value of their own.
    pub options: Vec<NamedOption>,
}

/// `CREATE | ALTER USER`.
#[derive(Clone, Debug, PartialEq)]
pub struct UserDefinition {
    /// `ALTER`.
    pub alter: bool,
    /// Its name.
    pub name: Ident,
    /// `FOR | FROM LOGIN name`.
    pub login: Option<Ident>,
    /// `WITHOUT LOGIN`.
    pub without_login: bool,
    /// `WITH DEFAULT_SCHEMA = …`.
    pub options: Vec<NamedOption>,
}

/// `CREATE | ALTER [SERVER] ROLE`.
#[derive(Clone, Debug, PartialEq)]
pub struct RoleDefinition {
    /// `SERVER ROLE`.
    pub server: bool,
    /// Its name.
    pub name: Ident,
    /// What is done.
    pub action: RoleAction,
}

/// What is done to a role.
#[derive(Clone, Debug, PartialEq)]
pub enum RoleAction {
    /// `CREATE … [AUTHORIZATION owner]`
    Create(Option<Ident>),
    /// `ADD MEMBER`
    AddMember(Ident),
    /// `DROP MEMBER`
    DropMember(Ident),
    /// `WITH NAME =`
    Rename(Ident),
}

/// `GRANT`, `DENY`, `REVOKE`.
#[derive(Clone, Debug, PartialEq)]
pub struct PermissionStatement {
    /// Which.
    pub verb: PermissionVerb,
    /// The permissions with their columns; `ALL` is a word of its own.
    pub permissions: Vec<(Box<str>, Vec<Ident>)>,
    /// `ON [class::]object`.
    pub on: Option<(Option<Box<str>>, ObjectName)>,
    /// The principals.
    pub principals: Vec<Ident>,
    /// `WITH GRANT OPTION`, or `GRANT OPTION FOR` of `REVOKE`.
    pub grant_option: bool,
    /// `CASCADE`.
    pub cascade: bool,
    /// `AS principal`.
    pub grantor: Option<Ident>,
}

/// Verbs of permissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PermissionVerb {
    /// `GRANT`
    Grant,
    /// `DENY`
    Deny,
    /// `REVOKE`
    Revoke,
}

/// `ALTER AUTHORIZATION ON [class::]entity TO principal`.
#[derive(Clone, Debug, PartialEq)]
pub struct AlterAuthorization {
    /// The class in capitals.
    pub class: Option<Box<str>>,
    /// The entity.
    pub entity: ObjectName,
    /// Its new owner; none is `SCHEMA OWNER`.
    pub owner: Option<Ident>,
}
