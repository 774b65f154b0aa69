//! Cursors as statements write them.

use super::model::{CursorConcurrency, CursorModel};
use crate::binder::Variable;
use crate::binder::cursor::{CursorRows, CursorUse};
use crate::exec::compile::Compiler;
use crate::exec::module::{Code, StmtKind};
use crate::exec::planning::Source;
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
    /// The model that is asked for, or that follows from the other options.
    pub model: CursorModel,
    /// It can go anywhere, not only to the next row.
    pub scroll: bool,
    /// How changes through it get along with others: as asked for, or OPTIMISTIC.
    pub concurrency: CursorConcurrency,
    /// TYPE_WARNING: 16956 is told where it becomes another one.
    pub warns: bool,
    /// The columns of FOR UPDATE OF; none of them for FOR UPDATE alone.
    pub for_update: Option<Vec<ast::ColumnRef>>,
    /// A client has asked for it by sp_cursoropen or one of its relatives.
    pub is_api: bool,
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
    /// The row that it is on; no statement says so.
    Again,
}

impl Direction {
    /// The place among `n` rows to which FETCH goes from a place, and whether there is a row; `by` of ABSOLUTE and RELATIVE.
    pub fn place(&self, n: usize, from: usize, by: i64) -> (usize, bool) {
        let (n, from) = (n as i64, from as i64);
        let to = match self {
            Direction::Next => from + 1,
            Direction::Prior => from - 1,
            Direction::First => 1,
            Direction::Last => n,
            Direction::Absolute(_) if by < 0 => n.saturating_add(1).saturating_add(by),
            Direction::Absolute(_) => by,
            Direction::Relative(_) => from.saturating_add(by),
            Direction::Again => from,
        };
        (to.clamp(0, n + 1) as usize, (1..=n).contains(&to))
    }
}

/// FETCH.
pub struct FetchCode {
    pub direction: Direction,
    pub cursor: CursorRef,
    /// The variables that take the row.
    pub into: Vec<(u32, SqlType)>,
}

/// Options that exclude each other: 1048.
const CONFLICTS: [(&str, &str); 17] = [
    ("FAST_FORWARD", "SCROLL"),
    ("FORWARD_ONLY", "SCROLL"),
    ("LOCAL", "GLOBAL"),
    ("STATIC", "KEYSET"),
    ("STATIC", "DYNAMIC"),
    ("STATIC", "FAST_FORWARD"),
    ("KEYSET", "DYNAMIC"),
    ("KEYSET", "FAST_FORWARD"),
    ("DYNAMIC", "FAST_FORWARD"),
    ("INSENSITIVE", "KEYSET"),
    ("INSENSITIVE", "DYNAMIC"),
    ("READ_ONLY", "SCROLL_LOCKS"),
    ("READ_ONLY", "OPTIMISTIC"),
    ("SCROLL_LOCKS", "OPTIMISTIC"),
    ("FAST_FORWARD", "SCROLL_LOCKS"),
    ("FAST_FORWARD", "OPTIMISTIC"),
    ("STATIC", "SCROLL_LOCKS"),
];

/// The options of a cursor: 1048, 1058.
pub(crate) fn text(
    name: &str,
    variable: bool,
    definition: ast::CursorDefinition,
) -> SqlResult<CursorText> {
    let said = |word: &str| definition.options.iter().any(|o| o.is(word));
    if definition.read_only && said("READ_ONLY") {
        return Err(SqlError::new(1058, &[]));
    }
    let has = |word: &str| said(word) || word == "READ_ONLY" && definition.read_only;
    if let Some((one, other)) = CONFLICTS.iter().find(|(one, other)| has(one) && has(other)) {
        return Err(SqlError::new(1048, &[one, other]));
    }
    let read_only = has("READ_ONLY");
    let model = match () {
        () if has("STATIC") || has("INSENSITIVE") => CursorModel::Static,
        () if has("KEYSET") => CursorModel::Keyset,
        () if has("DYNAMIC") => CursorModel::Dynamic,
        () if has("FAST_FORWARD") => CursorModel::FastForward,
        () if has("SCROLL") => CursorModel::Keyset,
        () if has("FORWARD_ONLY") && read_only => CursorModel::FastForward,
        () => CursorModel::Dynamic,
    };
    let typed = has("STATIC") || has("KEYSET") || has("DYNAMIC");
    let concurrency = match () {
        () if read_only || model == CursorModel::FastForward => CursorConcurrency::ReadOnly,
        () if has("SCROLL_LOCKS") => CursorConcurrency::ScrollLocks,
        () => CursorConcurrency::Optimistic,
    };
    Ok(CursorText {
        name: name.into(),
        local: variable || has("LOCAL"),
        global: has("GLOBAL"),
        model,
        scroll: has("SCROLL") || typed && !has("FORWARD_ONLY"),
        concurrency,
        warns: has("TYPE_WARNING"),
        is_api: false,
        for_update: definition.for_update,
        select: ast::SelectStatement {
            with: definition.with,
            query: definition.query,
            options: definition.hints,
        },
    })
}

impl CursorText {
    /// Whether the rows of its query are to be found again: to go over them as they are, or to change them.
    pub(crate) fn finds_again(&self) -> bool {
        matches!(self.model, CursorModel::Keyset | CursorModel::Dynamic)
    }

    /// The source of the plan that its module keeps: for a client's cursor that of a SELECT, which the same text may run without one.
    pub(crate) fn shared_source(&self) -> Source<'_> {
        match self.is_api {
            true => Source::Select(&self.select),
            false => self.source(CursorRows::Whole),
        }
    }

    /// Its query, of which these rows are asked.
    pub fn source(&self, rows: CursorRows) -> Source<'_> {
        let locks = self.concurrency == CursorConcurrency::ScrollLocks;
        // They are looked up once, where the cursor is made.
        let columns = self.for_update.as_deref().filter(|_| rows == CursorRows::Whole);
        let columns = columns.unwrap_or_default();
        match self.finds_again() {
            true => Source::Cursor(&self.select, CursorUse { rows, locks }, columns),
            false => Source::Select(&self.select),
        }
    }
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
