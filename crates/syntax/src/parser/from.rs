//! What stands in FROM: tables, hints, joins, derived tables, functions.

use super::special::plain_call;
use super::{Parse, Parser};
use crate::ast::*;
use crate::lexer::{Kw, TokenKind};

impl Parser<'_> {
    /// A table with the joins that follow it.
    pub(super) fn table_source(&mut self) -> Parse<TableRef> {
        self.apart(|p| {
            let first = p.nested(Self::table_primary)?;
            p.joins(first)
        })
    }

    fn joins(&mut self, mut left: TableRef) -> Parse<TableRef> {
        let mut height = self.height;
        while let Some((kind, hint)) = self.join_operator()? {
            let right = self.nested(Self::table_primary)?;
            let qualified =
                matches!(kind, JoinKind::Inner | JoinKind::Left | JoinKind::Right | JoinKind::Full);
            // `a JOIN b JOIN c ON … ON …`: what follows b before its ON belongs to b.
            let right = if qualified { self.nested(|p| p.joins(right))? } else { right };
            let on = if qualified {
                self.expect_kw(Kw::On)?;
                Some(self.condition()?)
            } else {
                None
            };
            height = self.height.max(height) + 1;
            self.built(height)?;
            left = TableRef::Join(Box::new(Join { kind, hint, left, right, on }));
        }
        Ok(left)
    }

    fn join_operator(&mut self) -> Parse<Option<(JoinKind, Option<JoinHint>)>> {
        let TokenKind::Keyword(keyword) = self.kind() else { return Ok(None) };
        let kind = match keyword {
            Kw::Join => {
                self.bump();
                return Ok(Some((JoinKind::Inner, None)));
            }
            Kw::Inner => JoinKind::Inner,
            Kw::Left => JoinKind::Left,
            Kw::Right => JoinKind::Right,
            Kw::Full => JoinKind::Full,
            Kw::Cross => {
                self.bump();
                if self.eat_word("APPLY") {
                    return Ok(Some((JoinKind::CrossApply, None)));
                }
                self.expect_kw(Kw::Join)?;
                return Ok(Some((JoinKind::Cross, None)));
            }
            Kw::Outer => {
                self.bump();
                self.expect_word("APPLY")?;
                return Ok(Some((JoinKind::OuterApply, None)));
            }
            _ => return Ok(None),
        };
        self.bump();
        if kind != JoinKind::Inner {
            self.eat_kw(Kw::Outer);
        }
        let hint = if self.eat_word("LOOP") {
            Some(JoinHint::Loop)
        } else if self.eat_word("HASH") {
            Some(JoinHint::Hash)
        } else if self.eat_kw(Kw::Merge) {
            Some(JoinHint::Merge)
        } else if self.eat_word("REMOTE") {
            Some(JoinHint::Remote)
        } else {
            None
        };
        self.expect_kw(Kw::Join)?;
        Ok(Some((kind, hint)))
    }

    fn table_primary(&mut self) -> Parse<TableRef> {
        let mut table = match self.kind() {
            TokenKind::Word | TokenKind::Delimited | TokenKind::Dot => self.named_table()?,
            TokenKind::LParen => self.parenthesised_table()?,
            TokenKind::DoubleColon => {
                // `::fn_dblog(…)`: how system functions were called before they had a schema.
                self.bump();
                let token = self.bump();
                if token.kind != TokenKind::Word || !self.is(TokenKind::LParen) {
                    self.at -= 1;
                    return Err(self.unexpected());
                }
                let mut name = ObjectName::bare(self.word_ident(token));
                name.schema = Some(Ident { value: "sys".into(), ..name.name.clone() });
                self.table_function(name)?
            }
            TokenKind::Variable => self.table_variable(true)?,
            TokenKind::LBrace => {
                self.bump();
                self.expect_word("OJ")?;
                let table = self.table_source()?;
                self.expect(TokenKind::RBrace)?;
                table
            }
            TokenKind::Keyword(Kw::OpenRowset | Kw::OpenQuery | Kw::OpenDatasource) => {
                self.open_rowset()?
            }
            TokenKind::Keyword(
                Kw::OpenXml
                | Kw::ContainsTable
                | Kw::FreetextTable
                | Kw::SemanticDetails
                | Kw::SemanticKeyphrase
                | Kw::SemanticSimilarity,
            ) => {
                let token = self.bump();
                let name = ObjectName::bare(self.word_ident(token));
                self.table_function(name)?
            }
            _ => return Err(self.unexpected()),
        };
        let mut height = self.height;
        while matches!(self.kind(), TokenKind::Keyword(Kw::Pivot | Kw::Unpivot)) {
            table = if self.at_kw(Kw::Pivot) { self.pivot(table)? } else { self.unpivot(table)? };
            height = self.height.max(height) + 1;
            self.built(height)?;
        }
        Ok(table)
    }

    /// Reads `[AS] alias`, if one stands here.
    fn table_alias(&mut self) -> Parse<Option<Ident>> {
        if self.eat_kw(Kw::As) {
            return Ok(Some(self.name()?));
        }
        let alias = match self.kind() {
            TokenKind::Delimited => true,
            TokenKind::Word => {
                !(self.is_label()
                    || self.at_window_clause()
                    || (self.at_word("USING") && !self.ahead_kw(1, Kw::On)))
            }
            _ => false,
        };
        if alias { Ok(Some(self.name()?)) } else { Ok(None) }
    }

    fn required_alias(&mut self) -> Parse<Ident> {
        match self.table_alias()? {
            Some(alias) => Ok(alias),
            None => Err(self.unexpected()),
        }
    }

    /// A table, view or table-valued function by name.
    #[inline(never)]
    fn named_table(&mut self) -> Parse<TableRef> {
        let name = self.object_name()?;
        if self.is(TokenKind::LParen) && !self.at_old_hints() {
            return self.table_function(name);
        }
        let mut table =
            NamedTable { name, alias: None, hints: Vec::new(), sample: None, system_time: None };
        if self.at_kw(Kw::For) && self.ahead_word(1, "SYSTEM_TIME") {
            table.system_time = Some(self.system_time()?);
        }
        if self.at_old_hints() {
            table.hints = self.hint_list()?;
        }
        table.alias = self.table_alias()?;
        if self.at_kw(Kw::Tablesample) {
            table.sample = Some(self.tablesample()?);
        }
        let mut hints = self.table_hints()?;
        table.hints.append(&mut hints);
        if table.alias.is_none() && !table.hints.is_empty() {
            table.alias = self.table_alias()?;
        }
        Ok(TableRef::Named(Box::new(table)))
    }

    fn system_time(&mut self) -> Parse<SystemTime> {
        self.at += 2;
        if self.eat_kw(Kw::As) {
            self.expect_kw(Kw::Of)?;
            return Ok(SystemTime::AsOf(self.literal_or_variable()?));
        }
        if self.eat_kw(Kw::All) {
            return Ok(SystemTime::All);
        }
        if self.eat_kw(Kw::Between) {
            let from = self.literal_or_variable()?;
            self.expect_kw(Kw::And)?;
            return Ok(SystemTime::Between(from, self.literal_or_variable()?));
        }
        if self.eat_kw(Kw::From) {
            let from = self.literal_or_variable()?;
            self.expect_kw(Kw::To)?;
            return Ok(SystemTime::FromTo(from, self.literal_or_variable()?));
        }
        self.expect_word("CONTAINED")?;
        self.expect_kw(Kw::In)?;
        self.expect(TokenKind::LParen)?;
        let from = self.literal_or_variable()?;
        self.expect(TokenKind::Comma)?;
        let to = self.literal_or_variable()?;
        self.expect(TokenKind::RParen)?;
        Ok(SystemTime::ContainedIn(from, to))
    }

    fn tablesample(&mut self) -> Parse<TableSample> {
        self.bump();
        self.eat_word("SYSTEM");
        self.expect(TokenKind::LParen)?;
        let number = self.expr()?;
        let rows = self.eat_word("ROWS");
        if !rows {
            self.eat_kw(Kw::Percent);
        }
        self.expect(TokenKind::RParen)?;
        let mut seed = None;
        if self.eat_word("REPEATABLE") {
            self.expect(TokenKind::LParen)?;
            seed = Some(self.expr()?);
            self.expect(TokenKind::RParen)?;
        }
        Ok(TableSample { number, rows, seed })
    }

    /// `@t [AS alias]`, or `@x.nodes(…) AS t(c)`.
    pub(super) fn table_variable(&mut self, may_have_alias: bool) -> Parse<TableRef> {
        let name = self.variable()?;
        if self.is(TokenKind::Dot) {
            let start = name.span.start;
            let name = self.more_parts(start, name)?;
            return self.table_function(name);
        }
        let mut table = TableVariableRef { name, alias: None, hints: Vec::new() };
        if may_have_alias {
            table.alias = self.table_alias()?;
        }
        table.hints = self.table_hints()?;
        Ok(TableRef::Variable(Box::new(table)))
    }

    /// A function's call, `WITH (…)` of OPENJSON and OPENXML, alias and columns.
    #[inline(never)]
    fn table_function(&mut self, name: ObjectName) -> Parse<TableRef> {
        let full_text = matches!(
            &*name.name.value.to_ascii_uppercase(),
            "CONTAINSTABLE" | "FREETEXTTABLE" | "SEMANTICKEYPHRASETABLE"
        );
        let with_schema = ["OPENJSON", "OPENXML", "PREDICT"].iter().any(|n| name.name.is(n));
        // Arguments of a syntax of their own, which nobody looks at.
        let own = name.name.is("CHANGETABLE") || name.name.is("PREDICT");
        let call = if full_text {
            self.full_text_table(name)?
        } else if own {
            self.skip_parentheses()?;
            plain_call(name, Vec::new())
        } else {
            let mut call = plain_call(name, Vec::new());
            call.arguments = self.arguments()?;
            call
        };
        let schema = if with_schema && self.at_kw(Kw::With) {
            self.bump();
            self.paren_list(Self::rowset_column)?
        } else {
            Vec::new()
        };
        self.built(self.height + 1)?;
        let alias = self.table_alias()?;
        let columns = if alias.is_some() && !self.at_old_hints() {
            self.optional_name_list()?
        } else {
            Vec::new()
        };
        // Hints on a function are allowed and mean nothing.
        self.table_hints()?;
        Ok(TableRef::Function(Box::new(TableFunction { call, schema, alias, columns })))
    }

    fn full_text_table(&mut self, name: ObjectName) -> Parse<FunctionCall> {
        let mut call = plain_call(name, Vec::new());
        self.expect(TokenKind::LParen)?;
        loop {
            if self.eat(TokenKind::Star) {
                call.star = true;
            } else if self.eat_word("LANGUAGE") {
                call.arguments.push(self.expr()?);
            } else if self.is(TokenKind::LParen) {
                self.skip_parentheses()?;
            } else {
                call.arguments.push(self.expr()?);
            }
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RParen)?;
        Ok(call)
    }

    fn rowset_column(&mut self) -> Parse<RowsetColumn> {
        let name = self.name()?;
        let ty = self.data_type()?;
        let collation = if self.eat_kw(Kw::Collate) { Some(self.name()?) } else { None };
        let path = match self.kind() {
            TokenKind::String | TokenKind::NString => Some(self.string()?),
            _ => None,
        };
        let as_json = self.eat_words(&["AS", "JSON"]);
        Ok(RowsetColumn { name, ty, collation, path, as_json })
    }

    /// `(SELECT …) t`, `(VALUES …) t(…)`, `(a JOIN b ON …)`, `(DELETE … OUTPUT …) t`.
    fn parenthesised_table(&mut self) -> Parse<TableRef> {
        self.derived += 1;
        let table = self.in_parentheses();
        self.derived -= 1;
        table
    }

    fn in_parentheses(&mut self) -> Parse<TableRef> {
        self.bump();
        match self.kind() {
            TokenKind::Keyword(Kw::Select) => {
                let query = self.query()?;
                self.derived(query)
            }
            TokenKind::Keyword(Kw::Values) => self.values_table(),
            TokenKind::Keyword(Kw::Insert | Kw::Update | Kw::Delete | Kw::Merge) => {
                self.changes_table()
            }
            TokenKind::LParen => self.nested_parentheses(),
            _ => {
                let table = self.table_source()?;
                // A name stands in no parentheses of its own.
                if matches!(
                    table,
                    TableRef::Named(_) | TableRef::Variable(_) | TableRef::Function(_)
                ) {
                    return Err(self.unexpected());
                }
                self.expect(TokenKind::RParen)?;
                Ok(table)
            }
        }
    }

    /// The query was parsed: `) AS alias (columns)`.
    fn derived(&mut self, query: Query) -> Parse<TableRef> {
        self.expect(TokenKind::RParen)?;
        let alias = self.required_alias()?;
        let columns = self.optional_name_list()?;
        self.built(self.height + 1)?;
        Ok(TableRef::Derived(Box::new(DerivedTable { query, alias, columns })))
    }

    /// After `((`: a joined table in two parentheses, or a query that begins with a parenthesised one. The tokens at the
    /// innermost parenthesis and after its closing one decide.
    #[inline(never)]
    fn nested_parentheses(&mut self) -> Parse<TableRef> {
        if self.query_in_parentheses() {
            let query = self.query()?;
            return self.derived(query);
        }
        let table = self.table_source()?;
        self.expect(TokenKind::RParen)?;
        Ok(table)
    }

    /// At a parenthesis: it holds a query that a set operator or the closing parenthesis follows, not a derived table
    /// with its alias.
    fn query_in_parentheses(&self) -> bool {
        let mut inner = self.at;
        while self.tokens[inner].kind == TokenKind::LParen {
            inner += 1;
        }
        if self.tokens[inner].kind != TokenKind::Keyword(Kw::Select) {
            return false;
        }
        let mut depth = 0;
        for (n, token) in self.tokens[self.at..].iter().enumerate() {
            match token.kind {
                TokenKind::LParen => depth += 1,
                TokenKind::RParen if depth == 1 => {
                    return matches!(
                        self.tokens[self.at + n + 1].kind,
                        TokenKind::RParen
                            | TokenKind::Keyword(
                                Kw::Union | Kw::Except | Kw::Intersect | Kw::Order
                            )
                    );
                }
                TokenKind::RParen => depth -= 1,
                _ => {}
            }
        }
        false
    }

    #[inline(never)]
    fn values_table(&mut self) -> Parse<TableRef> {
        self.bump();
        let rows = self.value_rows()?;
        self.expect(TokenKind::RParen)?;
        let alias = self.required_alias()?;
        let columns = self.optional_name_list()?;
        Ok(TableRef::Values(Box::new(ValuesTable { rows, alias, columns })))
    }

    /// `(…), (…)`: rows of one length.
    pub(super) fn value_rows(&mut self) -> Parse<Vec<Vec<Expr>>> {
        let start = self.start();
        let rows = self.list(|p| p.paren_list(Self::expr_or_default))?;
        if rows.iter().any(|row| row.len() != rows[0].len()) {
            return Err(self.error_at(10709, start, &[]));
        }
        Ok(rows)
    }

    #[inline(never)]
    fn changes_table(&mut self) -> Parse<TableRef> {
        let start = self.start();
        let kind = self.change(None)?;
        let statement = Statement { span: self.since(start), kind };
        self.expect(TokenKind::RParen)?;
        let alias = self.required_alias()?;
        let columns = self.optional_name_list()?;
        Ok(TableRef::Changes(Box::new(ChangesTable { statement, alias, columns, join: None })))
    }

    /// `PIVOT (aggregate FOR column IN (values)) AS alias`.
    #[inline(never)]
    fn pivot(&mut self, source: TableRef) -> Parse<TableRef> {
        self.bump();
        self.expect(TokenKind::LParen)?;
        let aggregates = self.list(|p| {
            let name = p.object_name()?;
            p.function_call(name)
        })?;
        self.expect_kw(Kw::For)?;
        let column = self.expr()?;
        self.expect_kw(Kw::In)?;
        let values = self.name_list()?;
        self.expect(TokenKind::RParen)?;
        let alias = self.required_alias()?;
        Ok(TableRef::Pivot(Box::new(Pivot { source, aggregates, column, values, alias })))
    }

    /// `UNPIVOT (value FOR name IN (columns)) AS alias`.
    #[inline(never)]
    fn unpivot(&mut self, source: TableRef) -> Parse<TableRef> {
        self.bump();
        self.expect(TokenKind::LParen)?;
        let value = self.name()?;
        self.expect_kw(Kw::For)?;
        let name = self.name()?;
        self.expect_kw(Kw::In)?;
        let columns = self.paren_list(|p| Ok(p.column_ref()?.name))?;
        self.expect(TokenKind::RParen)?;
        let alias = self.required_alias()?;
        Ok(TableRef::Unpivot(Box::new(Unpivot { source, value, name, columns, alias })))
    }

    /// Reads `OPENROWSET(…)`, `OPENQUERY(…)` or `OPENDATASOURCE(…).db.schema.table`.
    #[inline(never)]
    pub(super) fn open_rowset(&mut self) -> Parse<TableRef> {
        let token = self.bump();
        let mut function = self.word_ident(token);
        function.value = function.value.to_ascii_uppercase().into();
        let mut rowset = OpenRowset {
            function,
            bulk: false,
            arguments: Vec::new(),
            options: Vec::new(),
            schema: Vec::new(),
            object: None,
            alias: None,
            columns: Vec::new(),
        };
        self.expect(TokenKind::LParen)?;
        rowset.bulk = self.eat_kw(Kw::Bulk);
        loop {
            let option = rowset.bulk
                && matches!(self.kind(), TokenKind::Word | TokenKind::Keyword(_))
                && !rowset.arguments.is_empty();
            if option {
                rowset.options.push(self.named_option()?);
            } else {
                rowset.arguments.push(self.expr()?);
            }
            // The three parts of a provider string are separated by semicolons.
            if !self.eat(TokenKind::Comma) && !self.eat(TokenKind::Semicolon) {
                break;
            }
        }
        self.expect(TokenKind::RParen)?;
        if self.eat(TokenKind::Dot) {
            rowset.object = Some(self.object_name()?);
        }
        if self.at_kw(Kw::With) && self.ahead(1).kind == TokenKind::LParen {
            self.bump();
            rowset.schema = self.paren_list(Self::column_definition)?;
        }
        rowset.alias = self.table_alias()?;
        if rowset.alias.is_some() {
            rowset.columns = self.optional_name_list()?;
        }
        Ok(TableRef::OpenRowset(Box::new(rowset)))
    }
}
