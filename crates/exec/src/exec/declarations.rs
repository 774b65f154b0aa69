//! Declarations of parameters.

use super::compile::Compiler;
use super::module::{Code, DeclaredVariable, OfTableType, Parameter, TableVariable};
use crate::binder::Variables;
use crate::binder::declared;
use crate::binder::user_types::{NamedType, TypesInSight};
use crate::catalog::{Meaning, SYSNAME_ID, UserType};
use crate::database::Database;
use crate::session::Session;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{self, StatementKind};
use taffrail_syntax::{ParseOptions, parse_batch};
use taffrail_types::SqlType;
use taffrail_types::convert::Large;

/// `@a int, @b varchar(10) OUTPUT`, without what they are by default.
pub fn declare_list(session: &Session, text: &str) -> Result<Vec<Parameter>, Vec<SqlError>> {
    let types = types_of(session, &session.database);
    let one = |(p, n)| parameter(&types, p, n).map(|(p, _)| p).map_err(|e| vec![*e]);
    declarations(text)?.iter().zip(1..).map(one).collect()
}

/// The types of users of a database, as a session sees them.
pub(super) fn types_of<'a>(session: &Session, database: &'a Database) -> TypesInSight<'a> {
    TypesInSight { database, schema: None, sight: session.sight_of_types() }
}

/// `@a int = 1, @b varchar(10) OUTPUT` as it is written.
pub(super) fn declarations(text: &str) -> Result<Vec<ast::Parameter>, Vec<SqlError>> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    // The grammar is that of a procedure's parameters.
    let batch = format!("CREATE PROCEDURE p {text}\nAS RETURN");
    let mut parsed = parse_batch(&batch, ParseOptions::default()).map_err(|e| e.errors)?;
    let Some(ast::Statement { kind: StatementKind::Procedure(p), .. }) = parsed.statements.pop()
    else {
        return Err(vec![*SqlError::new(102, &[&text])]);
    };
    Ok(p.parameters)
}

/// The `ordinal`th parameter without its default, and the table type of a table-valued one: 346, 347, 352.
pub(super) fn parameter(
    types: &TypesInSight<'_>,
    p: &ast::Parameter,
    ordinal: usize,
) -> SqlResult<(Parameter, Option<Arc<UserType>>)> {
    let name = &*p.name.value;
    // A text may leave VARYING out.
    check_cursor(p, true)?;
    if p.is_cursor() {
        let one = Parameter {
            name: name.into(),
            large: Large::Plain,
            ty: SqlType::Int,
            table: None,
            output: true,
            default: None,
            cursor: true,
        };
        return Ok((one, None));
    }
    let named = types.named(&p.ty, ordinal);
    let named = named.map_err(|e| declared::named_too_wide(e, &p.ty, name))?;
    check_readonly(&named, p)?;
    let NamedType { declared, table, .. } = named;
    let one = Parameter {
        name: name.into(),
        large: declared.large(),
        ty: declared.ty,
        table: table.as_ref().map(|t| of_table_type(types.database, t)),
        output: p.output,
        default: None,
        cursor: false,
    };
    Ok((one, table))
}

/// OUTPUT stands with each cursor, VARYING in a procedure's definition, and VARYING with nothing else: 1051.
pub fn check_cursor(p: &ast::Parameter, varying: bool) -> SqlResult<()> {
    match p.is_cursor() {
        true if p.output && varying && !p.readonly => Ok(()),
        false if !p.varying => Ok(()),
        _ => Err(SqlError::new(1051, &[])),
    }
}

/// READONLY stands with each parameter of a table type, and with no other one: 346, 347, 352.
pub fn check_readonly(named: &NamedType, p: &ast::Parameter) -> SqlResult<()> {
    let refused = |number| Err(SqlError::new(number, &[&p.name.value]));
    match (&named.table, p.readonly) {
        (None, true) => refused(346),
        (Some(_), false) => refused(352),
        (Some(_), true) if p.output => refused(347),
        (Some(_), true) if p.default.is_some() => Err(SqlError::new(102, &[&"="])),
        _ => Ok(()),
    }
}

/// A table type as variables know it.
pub(super) fn of_table_type(database: &Database, t: &UserType) -> OfTableType {
    OfTableType { database: database.id, id: t.id, name: t.head.name.clone() }
}

/// The columns and constraints of a table type, and the text in which they stand: 5243 where the catalogue's text is none.
pub(super) fn columns_of_type(t: &UserType) -> SqlResult<(ast::TableBody, Arc<str>)> {
    let damaged = || SqlError::new(5243, &[]);
    let Meaning::Table { body, quoted_identifier, .. } = &t.meaning else { return Err(damaged()) };
    let options = ParseOptions { quoted_identifier: *quoted_identifier };
    let mut parsed = parse_batch(body, options).map_err(|_| damaged())?;
    let Some(StatementKind::CreateType(s)) = parsed.statements.pop().map(|s| s.kind) else {
        return Err(damaged());
    };
    let ast::TypeKind::Table(columns, _) = s.kind else { return Err(damaged()) };
    Ok((*columns, body.clone()))
}

/// Declares a parameter; one of a table type is a table variable, the first that its module has.
pub(super) fn declare_parameter(
    variables: &mut Variables,
    tables: &mut Vec<TableVariable>,
    (p, of): (&Parameter, Option<&UserType>),
    line: u32,
) -> SqlResult<()> {
    if p.cursor {
        return variables.declare_cursor(&p.name);
    }
    let (Some(table), Some(of)) = (&p.table, of) else {
        let at = variables.declare(&p.name, Some(p.ty))?;
        variables.list[at as usize].large = p.large;
        return Ok(());
    };
    let var = variables.declare(&p.name, None)?;
    let variable = &mut variables.list[var as usize];
    (variable.readonly, variable.user_type) = (true, table.id);
    let (body, text) = columns_of_type(of)?;
    tables.push(TableVariable { var, body, line, of: Some((table.clone(), text)) });
    Ok(())
}

impl Compiler<'_> {
    /// A type as it is declared, which may be one of users.
    pub(super) fn named_type(
        &mut self,
        ty: &ast::DataType,
        ordinal: usize,
    ) -> SqlResult<NamedType> {
        let sight = self.session.sight_of_types();
        let types = TypesInSight { database: self.home, schema: self.schema.as_deref(), sight };
        let named = types.named(ty, ordinal);
        // One that is not there yet is missed by no module that is kept.
        self.names_types |= named.as_ref().is_ok_and(|t| t.user_type > SYSNAME_ID);
        named
    }

    /// The `ordinal`th parameter, which counts as a variable from here on.
    pub(super) fn parameter(
        &mut self,
        p: &ast::Parameter,
        ordinal: usize,
        line: u32,
    ) -> SqlResult<Parameter> {
        let sight = self.session.sight_of_types();
        let types = TypesInSight { database: self.home, schema: self.schema.as_deref(), sight };
        let (mut out, of) = parameter(&types, p, ordinal)?;
        if !out.cursor {
            self.named_type(&p.ty, ordinal)?;
        }
        self.default_of(p, &mut out)?;
        let variables = &mut self.variables;
        declare_parameter(variables, &mut self.table_variables, (&out, of.as_deref()), line)?;
        Ok(out)
    }

    /// A variable of a table type; a first value clashes with the type: 206.
    pub(super) fn declare_of_type(
        &mut self,
        name: &ast::Ident,
        of: &UserType,
        value: Option<ast::Expr>,
        line: u32,
    ) -> SqlResult<DeclaredVariable> {
        if let Some(e) = value {
            let from = match self.code(e, None)? {
                Code::Ready(_, from) => from.ty.name(),
                Code::Lazy(..) => "sql_variant",
            };
            return Err(SqlError::new(206, &[&from, &of.head.name]));
        }
        let var = self.variables.declare(&name.value, None)?;
        self.variables.list[var as usize].user_type = of.id;
        let (body, text) = columns_of_type(of)?;
        let of = Some((of_table_type(self.home, of), text));
        self.table_variables.push(TableVariable { var, body, line, of });
        Ok(DeclaredVariable::Table(self.table_variables.len() as u32 - 1))
    }

    /// The table variable of a table type that an expression is, by its number among the module's.
    pub(super) fn passed_table(&self, e: &ast::Expr) -> Option<u32> {
        let ast::ExprKind::Variable(v) = &e.kind else { return None };
        let (var, _) = self.variables.find(&v.value)?;
        let at = self.table_variables.iter().position(|t| t.var == var && t.of.is_some())?;
        Some(at as u32)
    }
}
