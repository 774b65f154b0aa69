//! INSERT, UPDATE, DELETE, TRUNCATE TABLE.

use super::special::plain_call;
use super::{Parse, Parser};
use crate::ast::*;
use crate::lexer::{Kw, TokenKind};

/// Rows that VALUES of an INSERT may have. VALUES as a derived table has no limit.
const MAX_VALUES: usize = 1000;

impl Parser<'_> {
    /// A statement that may begin with `WITH name AS (…)`.
    pub(super) fn dml_statement(&mut self) -> Parse<StatementKind> {
        let with = self.optional_with()?;
        if self.at_kw(Kw::Select) || self.is(TokenKind::LParen) {
            return self.select_statement(with);
        }
        if with.is_none() {
            match (self.kind(), self.ahead(1).kind) {
                (TokenKind::Keyword(Kw::Insert), TokenKind::Keyword(Kw::Bulk)) => {
                    return self.insert_bulk();
                }
                (TokenKind::Keyword(Kw::Update), TokenKind::Keyword(Kw::Statistics)) => {
                    return self.update_statistics();
                }
                _ => {}
            }
        }
        let merge = self.at_kw(Kw::Merge);
        let change = self.change(with)?;
        if merge && !self.is(TokenKind::Semicolon) {
            return Err(self.error_at(10713, self.start(), &[]));
        }
        Ok(change)
    }

    /// `INSERT`, `UPDATE`, `DELETE` or `MERGE`.
    pub(super) fn change(&mut self, with: Option<With>) -> Parse<StatementKind> {
        match self.kind() {
            TokenKind::Keyword(Kw::Insert) => self.insert(with),
            TokenKind::Keyword(Kw::Update) => self.update(with),
            TokenKind::Keyword(Kw::Delete) => self.delete(with),
            TokenKind::Keyword(Kw::Merge) => self.merge(with),
            _ => Err(self.unexpected()),
        }
    }

    /// A table, table variable or rowset function that is changed, without an alias; a function where `called` is so.
    fn target(&mut self, called: bool) -> Parse<TableRef> {
        match self.kind() {
            TokenKind::Variable => self.table_variable(false),
            TokenKind::Keyword(Kw::OpenRowset | Kw::OpenQuery | Kw::OpenDatasource) => {
                self.open_rowset()
            }
            _ => {
                let name = self.object_name()?;
                if called && self.is(TokenKind::LParen) {
                    return self.called_target(name);
                }
                let hints = if self.at_kw(Kw::With) { self.table_hints()? } else { Vec::new() };
                Ok(TableRef::Named(Box::new(NamedTable {
                    name,
                    alias: None,
                    hints,
                    sample: None,
                    system_time: None,
                })))
            }
        }
    }

    /// The call of a function whose rows are changed.
    pub(super) fn called_target(&mut self, name: ObjectName) -> Parse<TableRef> {
        let mut call = plain_call(name, Vec::new());
        call.arguments = self.arguments()?;
        let (schema, columns) = (Vec::new(), Vec::new());
        Ok(TableRef::Function(Box::new(TableFunction { call, schema, alias: None, columns })))
    }

    /// Behind a name stand parentheses that hold no list of columns, as far as their first word says it.
    fn arguments_follow(&self) -> bool {
        let mut n = 0;
        while self.ahead_name(n) || self.ahead(n).kind == TokenKind::Dot {
            n += 1;
        }
        let first = self.ahead(n + 1).kind;
        let named = self.ahead_name(n + 1) || matches!(first, TokenKind::Keyword(_));
        let column = named && first != TokenKind::Keyword(Kw::Default);
        self.ahead(n).kind == TokenKind::LParen && !column && first != TokenKind::LParen
    }

    #[inline(never)]
    fn insert(&mut self, with: Option<With>) -> Parse<StatementKind> {
        self.bump();
        let top = self.optional_top()?;
        self.eat_kw(Kw::Into);
        let called = self.arguments_follow();
        let target = self.target(called)?;
        let query_follows =
            matches!(self.ahead(1).kind, TokenKind::Keyword(Kw::Select) | TokenKind::LParen);
        let columns = if self.is(TokenKind::LParen) && !query_follows {
            self.paren_list(|p| Ok(p.column_ref()?.name))?
        } else {
            Vec::new()
        };
        let output = self.outputs()?;
        let source = match self.kind() {
            TokenKind::Keyword(Kw::Values) => {
                let at = self.bump().start;
                let rows = self.value_rows()?;
                if rows.len() > MAX_VALUES {
                    return Err(self.error_at(10738, at, &[&MAX_VALUES]));
                }
                InsertSource::Values(rows)
            }
            TokenKind::Keyword(Kw::Exec | Kw::Execute) => {
                InsertSource::Execute(Box::new(self.execute()?))
            }
            TokenKind::Keyword(Kw::Default) => {
                self.bump();
                self.expect_kw(Kw::Values)?;
                InsertSource::DefaultValues
            }
            TokenKind::Keyword(Kw::Select) | TokenKind::LParen => {
                InsertSource::Query(Box::new(self.query()?))
            }
            _ => return Err(self.unexpected()),
        };
        let options = self.query_hints()?;
        let insert = Insert { with, top, target, columns, output, source, options };
        Ok(StatementKind::Insert(Box::new(insert)))
    }

    /// `OUTPUT … [INTO …]`, perhaps twice.
    pub(super) fn outputs(&mut self) -> Parse<Vec<Output>> {
        let mut outputs = Vec::new();
        while self.at_word("OUTPUT") {
            self.bump();
            let items = self.list(Self::select_item)?;
            let mut output = Output { items, into: None, columns: Vec::new() };
            if self.eat_kw(Kw::Into) {
                output.into = Some(self.target(false)?);
                if self.is(TokenKind::LParen) && !self.ahead_kw(1, Kw::Select) {
                    output.columns = self.name_list()?;
                }
            }
            outputs.push(output);
        }
        Ok(outputs)
    }

    #[inline(never)]
    fn update(&mut self, with: Option<With>) -> Parse<StatementKind> {
        self.bump();
        let top = self.optional_top()?;
        let target = self.target(true)?;
        self.expect_kw(Kw::Set)?;
        let set = self.list(Self::set_clause)?;
        let output = self.outputs()?;
        let from = if self.eat_kw(Kw::From) { self.list(Self::table_source)? } else { Vec::new() };
        let filter = self.dml_filter()?;
        let options = self.query_hints()?;
        let update = Update { with, top, target, set, output, from, filter, options };
        Ok(StatementKind::Update(Box::new(update)))
    }

    pub(super) fn set_clause(&mut self) -> Parse<SetClause> {
        let mut variable = None;
        if self.is(TokenKind::Variable) {
            variable = Some(self.variable()?);
            let column_follows = self.is(TokenKind::Eq) && self.column_assigned_ahead(1);
            if !column_follows {
                let op = self.assign_op()?;
                let value = self.expr()?;
                return Ok(SetClause::Assign { variable, column: None, op, value });
            }
            self.bump();
        }
        let column = self.column_ref()?;
        let change = self.is(TokenKind::LParen) && &*column.name.value == "modify";
        if self.is(TokenKind::LParen) && (change || column.name.is("WRITE")) {
            let method = column.name;
            let Some(qualifier) = column.qualifier else { return Err(self.unexpected()) };
            let ObjectName { database, schema, name, server: _, span } = qualifier;
            let qualifier = schema.map(|table| ObjectName {
                server: None,
                database: None,
                schema: database,
                name: table,
                span,
            });
            let column = ColumnRef { qualifier, name };
            let arguments = self.arguments()?;
            if change {
                let target = Expr { span, kind: ExprKind::Column(Box::new(column.clone())) };
                let value = self.change_of_xml(target, method, arguments);
                let (column, op) = (Some(column), AssignOp::Set);
                return Ok(SetClause::Assign { variable, column, op, value });
            }
            return Ok(SetClause::Write { column, arguments });
        }
        let op = self.assign_op()?;
        let value = self.expr_or_default()?;
        Ok(SetClause::Assign { variable, column: Some(column), op, value })
    }

    /// `target.modify(…)` as the value that the target gets.
    pub(super) fn change_of_xml(&self, target: Expr, name: Ident, arguments: Vec<Expr>) -> Expr {
        let span = target.span;
        let name = Ident { value: CHANGE_OF_XML.into(), ..name };
        let call = MethodCall { target, name, arguments };
        Expr { span, kind: ExprKind::Method(Box::new(call)) }
    }

    /// `n` tokens ahead stands a column's name with an assignment after it.
    fn column_assigned_ahead(&self, mut n: usize) -> bool {
        if !self.ahead_name(n) {
            return false;
        }
        n += 1;
        while self.ahead(n).kind == TokenKind::Dot && self.ahead_name(n + 1) {
            n += 2;
        }
        self.assign_op_ahead(n).is_some()
    }

    fn dml_filter(&mut self) -> Parse<Option<DmlFilter>> {
        if !self.eat_kw(Kw::Where) {
            return Ok(None);
        }
        if self.at_kw(Kw::Current) && self.ahead_kw(1, Kw::Of) {
            self.at += 2;
            return Ok(Some(DmlFilter::CurrentOf(self.cursor_name()?)));
        }
        Ok(Some(DmlFilter::Condition(self.condition()?)))
    }

    #[inline(never)]
    fn delete(&mut self, with: Option<With>) -> Parse<StatementKind> {
        self.bump();
        let top = self.optional_top()?;
        self.eat_kw(Kw::From);
        let target = self.target(true)?;
        let output = self.outputs()?;
        let from = if self.eat_kw(Kw::From) { self.list(Self::table_source)? } else { Vec::new() };
        let filter = self.dml_filter()?;
        let options = self.query_hints()?;
        let delete = Delete { with, top, target, output, from, filter, options };
        Ok(StatementKind::Delete(Box::new(delete)))
    }

    pub(super) fn truncate(&mut self) -> Parse<StatementKind> {
        self.bump();
        self.expect_kw(Kw::Table)?;
        let table = self.object_name()?;
        let partitions = self.at_kw(Kw::With)
            && self.ahead(1).kind == TokenKind::LParen
            && self.ahead_word(2, "PARTITIONS");
        if partitions {
            self.bump();
            self.skip_parentheses()?;
        }
        Ok(StatementKind::Truncate(Box::new(Truncate { table, partitions })))
    }
}
