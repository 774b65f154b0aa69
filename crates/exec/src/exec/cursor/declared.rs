//! Cursors as statements write them.

use crate::binder::Variable;
use crate::exec::compile::Compiler;
use crate::exec::module::{Code, StmtKind};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast;
use taffrail_types::SqlType;

/// What DECLARE CURSOR or SET @cursor = CURSOR says.
pub struct CursorText {
    /// As written; with its `@` for a variable.
    pub name: Box<str>,
    /// LOCAL, or a variable.
    pub local: bool,
    /// GLOBAL was said; with neither the database's CURSOR_DEFAULT holds.
    pub global: bool,
    /// It can go anywhere, not only to the next row.
    pub scroll: bool,
    /// STATIC or INSENSITIVE: `@@CURSOR_ROWS` tells the number of rows.
    pub counted: bool,
    /// The query.
    pub select: ast::SelectStatement,
}

/// A cursor as a statement names it.
pub struct CursorRef {
    /// With its `@` for a variable.
    pub name: Box<str>,
    /// GLOBAL was written.
    pub global: bool,
}

/// Where FETCH goes.
pub enum Direction {
    Next,
    Prior,
    First,
    Last,
    Absolute(Code),
    Relative(Code),
}

/// FETCH.
pub struct FetchCode {
    pub direction: Direction,
    pub cursor: CursorRef,
    /// The variables that take the row.
    pub into: Vec<(u32, SqlType)>,
}

/// The options of a cursor; refuses those that are not built.
pub(crate) fn text(
    name: &str,
    variable: bool,
    definition: ast::CursorDefinition,
) -> SqlResult<CursorText> {
    let has = |word: &str| definition.options.iter().any(|o| o.is(word));
    for word in ["KEYSET", "DYNAMIC", "SCROLL_LOCKS", "OPTIMISTIC"] {
        if has(word) {
            return Err(taffrail_base::message::unsupported(format!("A {word} cursor")));
        }
    }
    if definition.for_update.is_some() {
        return Err(taffrail_base::message::unsupported("A cursor FOR UPDATE"));
    }
    for (one, other) in
        [("FAST_FORWARD", "SCROLL"), ("FORWARD_ONLY", "SCROLL"), ("LOCAL", "GLOBAL")]
    {
        if has(one) && has(other) {
            return Err(SqlError::new(1048, &[&one, &other]));
        }
    }
    let counted = has("STATIC") || has("INSENSITIVE");
    Ok(CursorText {
        name: name.into(),
        local: variable || has("LOCAL"),
        global: has("GLOBAL"),
        scroll: has("SCROLL") || (has("STATIC") && !has("FORWARD_ONLY")),
        counted,
        select: ast::SelectStatement {
            with: definition.with,
            query: definition.query,
            options: definition.hints,
        },
    })
}

impl Compiler<'_> {
    /// A cursor variable's name: 137, and 16948 for a variable that is another's.
    pub(crate) fn cursor_variable(&self, v: ast::Ident) -> SqlResult<Box<str>> {
        match self.variables.find(&v.value) {
            Some((_, Variable { cursor: true, .. })) => Ok(v.value),
            Some(_) => Err(SqlError::new(16948, &[&v.value])),
            None => Err(SqlError::new(137, &[&v.value])),
        }
    }

    /// The cursor variable that an argument of EXEC is.
    pub(crate) fn passed_cursor(&self, value: &ast::Expr) -> Option<Box<str>> {
        let ast::ExprKind::Variable(v) = &value.kind else { return None };
        let (_, variable) = self.variables.find(&v.value)?;
        variable.cursor.then(|| v.value.clone())
    }

    /// `SET @cursor = CURSOR …`.
    pub(crate) fn new_cursor(
        &mut self,
        v: ast::Ident,
        definition: ast::CursorDefinition,
    ) -> SqlResult<StmtKind> {
        let name = self.cursor_variable(v)?;
        self.new_plan();
        Ok(StmtKind::DeclareCursor(Arc::new(text(&name, true, definition)?)))
    }

    /// `SET @cursor = name` and `SET @cursor = @other`, if that is what is set.
    pub(crate) fn set_cursor(
        &self,
        v: &ast::Ident,
        value: &ast::Expr,
    ) -> SqlResult<Option<StmtKind>> {
        let Some((_, Variable { cursor: true, .. })) = self.variables.find(&v.value) else {
            return Ok(None);
        };
        let name = match &value.kind {
            ast::ExprKind::Column(c) if c.qualifier.is_none() => c.name.value.clone(),
            ast::ExprKind::Variable(other) => self.cursor_variable(other.clone())?,
            _ => return Ok(None),
        };
        let to = CursorRef { name, global: false };
        Ok(Some(StmtKind::SetCursor(v.value.clone(), to)))
    }

    /// A cursor as OPEN, FETCH, CLOSE and DEALLOCATE name it.
    pub fn cursor(&self, c: ast::CursorName) -> SqlResult<CursorRef> {
        let name = match c.name {
            ast::NameOrVariable::Name(n) => n.value,
            ast::NameOrVariable::Variable(v) => self.cursor_variable(v)?,
        };
        Ok(CursorRef { name, global: c.global })
    }

    /// FETCH.
    pub fn fetch(&mut self, f: ast::Fetch) -> SqlResult<FetchCode> {
        use ast::FetchDirection as D;
        let by = SqlType::BigInt;
        let direction = match f.direction {
            D::Next => Direction::Next,
            D::Prior => Direction::Prior,
            D::First => Direction::First,
            D::Last => Direction::Last,
            D::Absolute(n) => Direction::Absolute(self.code(n, Some(by))?),
            D::Relative(n) => Direction::Relative(self.code(n, Some(by))?),
        };
        let into = f.into.iter().map(|v| self.variables.scalar(&v.value)).collect::<SqlResult<_>>();
        Ok(FetchCode { direction, cursor: self.cursor(f.cursor)?, into: into? })
    }
}
