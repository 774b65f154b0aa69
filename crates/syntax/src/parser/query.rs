//! SELECT: query expressions, select lists, grouping, ordering, FOR and OPTION.

use super::{Parse, Parser};
use crate::ast::*;
use crate::lexer::{Kw, TokenKind};

impl Parser<'_> {
    /// `SELECT …` as a statement; `WITH …` before it was parsed already.
    pub(super) fn select_statement(&mut self, with: Option<With>) -> Parse<StatementKind> {
        let query = self.query_with(true)?;
        self.not_for_update()?;
        let options = self.query_hints()?;
        self.not_for_update()?;
        Ok(StatementKind::Select(Box::new(SelectStatement { with, query, options })))
    }

    /// `WITH name [(columns)] AS (query), …`
    pub(super) fn with(&mut self) -> Parse<With> {
        self.expect_kw(Kw::With)?;
        let mut with = With { xml_namespaces: Vec::new(), tables: Vec::new() };
        loop {
            let first = with.xml_namespaces.is_empty() && with.tables.is_empty();
            let namespaces = self.at_word("XMLNAMESPACES") && first;
            if namespaces && self.ahead(1).kind == TokenKind::LParen {
                self.at += 2;
                with.xml_namespaces = self.list(Self::xml_namespace)?;
                self.expect(TokenKind::RParen)?;
            } else {
                let name = self.name()?;
                let columns = self.optional_name_list()?;
                self.expect_kw(Kw::As)?;
                let query = self.paren_query()?;
                with.tables.push(CommonTable { name, columns, query });
            }
            if !self.eat(TokenKind::Comma) {
                return Ok(with);
            }
        }
    }

    /// `'uri' AS prefix`, `DEFAULT 'uri'`.
    fn xml_namespace(&mut self) -> Parse<XmlNamespace> {
        if self.eat_kw(Kw::Default) {
            return Ok(XmlNamespace { prefix: None, uri: self.string()? });
        }
        let uri = self.string()?;
        self.expect_kw(Kw::As)?;
        Ok(XmlNamespace { prefix: Some(self.name()?), uri })
    }

    /// `WITH …` if it stands here.
    pub(super) fn optional_with(&mut self) -> Parse<Option<With>> {
        if self.at_kw(Kw::With) { Ok(Some(self.with()?)) } else { Ok(None) }
    }

    /// A query with its `ORDER BY` that is no statement: it has no `INTO`.
    pub(super) fn query(&mut self) -> Parse<Query> {
        let query = self.query_with(false)?;
        self.not_for_update()?;
        Ok(query)
    }

    /// A query that may have an `INTO`, if only to be refused later.
    pub(super) fn query_with(&mut self, into: bool) -> Parse<Query> {
        let outside = std::mem::replace(&mut self.into, into);
        let query = self.ordered_query();
        self.into = outside;
        query
    }

    fn ordered_query(&mut self) -> Parse<Query> {
        self.apart(|p| {
            p.nested(|p| {
                let start = p.start();
                let body = p.set_chain()?;
                p.query_tail(start, body)
            })
        })
    }

    /// The rest of a query whose first part was in parentheses and is known.
    pub(super) fn query_from(&mut self, first: Query) -> Parse<Query> {
        let start = first.span.start;
        let body = self.more_intersects(first.body)?;
        let body = self.more_sets(body)?;
        self.query_tail(start, body)
    }

    fn query_tail(&mut self, start: u32, body: QueryBody) -> Parse<Query> {
        let mut query = Query {
            span: Span::default(),
            body,
            order_by: Vec::new(),
            offset: None,
            fetch: None,
            for_clause: None,
        };
        if self.at_kw(Kw::Order) {
            self.bump();
            self.expect_kw(Kw::By)?;
            query.order_by = self.list(Self::order_item)?;
            let at = self.start();
            if self.eat_word("OFFSET") {
                if matches!(&query.body, QueryBody::Select(block) if block.top.is_some()) {
                    return Err(self.error_at(10741, at, &[]));
                }
                self.offset_fetch(&mut query)?;
            }
        }
        if self.at_kw(Kw::For)
            && (self.ahead_word(1, "XML")
                || self.ahead_word(1, "JSON")
                || self.ahead_kw(1, Kw::Browse))
        {
            query.for_clause = Some(self.for_clause()?);
        }
        query.span = self.since(start);
        self.built(self.height + 1)?;
        Ok(query)
    }

    /// 1003: FOR UPDATE ends a cursor's own query and no other.
    fn not_for_update(&self) -> Parse<()> {
        if !(self.at_kw(Kw::For) && self.ahead_kw(1, Kw::Update)) {
            return Ok(());
        }
        let line = self.lines.line_of(self.start());
        Err(self.error_at(1003, self.start(), &[&line, &"FOR UPDATE", &"DECLARE CURSOR"]))
    }

    /// `OFFSET n ROWS [FETCH NEXT n ROWS ONLY]`.
    fn offset_fetch(&mut self, query: &mut Query) -> Parse<()> {
        query.offset = Some(self.expr()?);
        if !self.eat_word("ROWS") {
            self.expect_word("ROW")?;
        }
        if self.at_kw(Kw::Fetch) && (self.ahead_word(1, "NEXT") || self.ahead_word(1, "FIRST")) {
            // `FETCH NEXT FROM cursor` is a statement of its own.
            if self.ahead_kw(2, Kw::From) || self.ahead_word(2, "GLOBAL") {
                return Ok(());
            }
            self.at += 2;
            query.fetch = Some(self.expr()?);
            if !self.eat_word("ROWS") {
                self.expect_word("ROW")?;
            }
            self.expect_word("ONLY")?;
        }
        Ok(())
    }

    pub(super) fn order_item(&mut self) -> Parse<OrderItem> {
        let expr = self.expr()?;
        Ok(OrderItem { expr, order: self.sort_order() })
    }

    pub(super) fn sort_order(&mut self) -> SortOrder {
        if self.eat_kw(Kw::Desc) {
            return SortOrder::Descending;
        }
        self.eat_kw(Kw::Asc);
        SortOrder::Ascending
    }

    /// `a UNION b EXCEPT c`; `INTERSECT` is tighter.
    fn set_chain(&mut self) -> Parse<QueryBody> {
        let first = self.set_term()?;
        self.more_sets(first)
    }

    fn more_sets(&mut self, first: QueryBody) -> Parse<QueryBody> {
        let mut rest = Vec::new();
        loop {
            let operator = if self.eat_kw(Kw::Union) {
                if self.eat_kw(Kw::All) { SetOperator::UnionAll } else { SetOperator::Union }
            } else if self.eat_kw(Kw::Except) {
                self.not_all("EXCEPT")?;
                SetOperator::Except
            } else {
                break;
            };
            let at = self.start();
            let term = self.set_term()?;
            if term.first_block().into.is_some() {
                return Err(self.error_at(196, at, &[]));
            }
            rest.push((operator, term));
        }
        Ok(chain(first, rest))
    }

    fn set_term(&mut self) -> Parse<QueryBody> {
        let first = self.query_primary()?;
        self.more_intersects(first)
    }

    fn more_intersects(&mut self, first: QueryBody) -> Parse<QueryBody> {
        let mut rest = Vec::new();
        while self.eat_kw(Kw::Intersect) {
            self.not_all("INTERSECT")?;
            rest.push((SetOperator::Intersect, self.query_primary()?));
        }
        Ok(chain(first, rest))
    }

    fn query_primary(&mut self) -> Parse<QueryBody> {
        if self.is(TokenKind::LParen) {
            return self.apart(|p| {
                p.nested(|p| {
                    p.bump();
                    let start = p.start();
                    let mut body = p.set_chain()?;
                    if p.derived > 0 && p.at_kw(Kw::Order) {
                        body = QueryBody::Ordered(Box::new(p.query_tail(start, body)?));
                    }
                    p.expect(TokenKind::RParen)?;
                    p.built(p.height + 1)?;
                    Ok(body)
                })
            });
        }
        Ok(QueryBody::Select(Box::new(self.select_block()?)))
    }

    fn select_block(&mut self) -> Parse<SelectBlock> {
        let start = self.start();
        self.expect_kw(Kw::Select)?;
        let distinct = self.eat_kw(Kw::Distinct);
        if !distinct {
            self.eat_kw(Kw::All);
        }
        let top = if self.at_kw(Kw::Top) { Some(self.top()?) } else { None };
        let items = self.list(Self::select_item)?;
        let mut block = SelectBlock {
            span: Span::default(),
            distinct,
            top,
            items,
            into: None,
            into_filegroup: None,
            from: Vec::new(),
            filter: None,
            group_by: None,
            having: None,
            windows: Vec::new(),
        };
        if self.into && self.at_kw(Kw::Into) {
            let at = self.bump().start;
            if block.items.iter().any(|i| matches!(i, SelectItem::Assign { .. })) {
                return Err(self.error_at(194, at, &[]));
            }
            block.into = Some(self.object_name()?);
            if self.eat_kw(Kw::On) {
                block.into_filegroup = Some(self.name_or_string()?);
            }
        }
        if self.eat_kw(Kw::From) {
            block.from = self.list(Self::table_source)?;
        }
        if self.eat_kw(Kw::Where) {
            block.filter = Some(self.condition()?);
        }
        if self.at_kw(Kw::Group) {
            block.group_by = Some(self.group_by()?);
        }
        if self.eat_kw(Kw::Having) {
            block.having = Some(self.condition()?);
        }
        if self.at_window_clause() {
            self.bump();
            block.windows = self.list(|p| {
                let name = p.name()?;
                p.expect_kw(Kw::As)?;
                Ok((name, p.window()?))
            })?;
        }
        block.span = self.since(start);
        Ok(block)
    }

    /// `WINDOW name AS (`: the word alone may be an alias.
    pub(super) fn at_window_clause(&self) -> bool {
        self.at_word("WINDOW")
            && self.ahead_name(1)
            && self.ahead_kw(2, Kw::As)
            && self.ahead(3).kind == TokenKind::LParen
    }

    /// `TOP (n)`, or the old form with a plain number or variable.
    pub(super) fn top(&mut self) -> Parse<Top> {
        self.expect_kw(Kw::Top)?;
        let token = self.token();
        let count = match token.kind {
            TokenKind::LParen => self.parenthesis(false)?,
            TokenKind::Variable => {
                let name = self.variable()?;
                Expr { span: name.span, kind: ExprKind::Variable(name) }
            }
            TokenKind::Integer | TokenKind::Decimal | TokenKind::Float => self.signed_literal()?,
            _ => return Err(self.unexpected()),
        };
        let percent = self.eat_kw(Kw::Percent);
        let with_ties = self.eat_words(&["WITH", "TIES"]);
        Ok(Top { count, percent, with_ties })
    }

    /// `TOP (n)` of INSERT, UPDATE, DELETE and MERGE, where the parentheses are needed.
    pub(super) fn optional_top(&mut self) -> Parse<Option<Top>> {
        if !self.at_kw(Kw::Top) {
            return Ok(None);
        }
        if self.ahead(1).kind != TokenKind::LParen {
            self.bump();
            return Err(self.unexpected());
        }
        Ok(Some(self.top()?))
    }

    pub(super) fn select_item(&mut self) -> Parse<SelectItem> {
        match self.kind() {
            TokenKind::Star => {
                let token = self.bump();
                return Ok(SelectItem::Star(Span::new(token.start, token.end)));
            }
            TokenKind::Variable => {
                if let Some(op) = self.assign_op_ahead(1) {
                    let variable = self.variable()?;
                    self.bump();
                    return Ok(SelectItem::Assign { variable, op, value: self.expr()? });
                }
            }
            TokenKind::Word | TokenKind::Delimited => match self.ahead(1).kind {
                TokenKind::Dot if self.star_ends_name() => return self.qualified_star(),
                TokenKind::Eq => {
                    let alias = Some(self.name()?);
                    self.bump();
                    return Ok(SelectItem::Expr { expr: self.expr()?, alias });
                }
                _ => {}
            },
            TokenKind::String | TokenKind::NString if self.ahead(1).kind == TokenKind::Eq => {
                let alias = Some(self.name_or_string()?);
                self.bump();
                return Ok(SelectItem::Expr { expr: self.expr()?, alias });
            }
            _ => {}
        }
        let expr = self.expr()?;
        let alias = self.column_alias()?;
        Ok(SelectItem::Expr { expr, alias })
    }

    /// `[AS] name`, where the name may be a string.
    fn column_alias(&mut self) -> Parse<Option<Ident>> {
        if self.eat_kw(Kw::As) {
            return Ok(Some(self.name_or_string()?));
        }
        match self.kind() {
            TokenKind::Word if self.is_label() || self.at_window_clause() => Ok(None),
            TokenKind::Word | TokenKind::Delimited | TokenKind::String | TokenKind::NString => {
                Ok(Some(self.name_or_string()?))
            }
            _ => Ok(None),
        }
    }

    /// The current word is a label: a colon follows it.
    pub(super) fn is_label(&self) -> bool {
        self.is(TokenKind::Word) && self.ahead(1).kind == TokenKind::Colon
    }

    /// The dotted name that begins here ends with a star.
    fn star_ends_name(&self) -> bool {
        let mut n = 1;
        while self.ahead(n).kind == TokenKind::Dot {
            n += 1;
            match self.ahead(n).kind {
                TokenKind::Star => return true,
                TokenKind::Word | TokenKind::Delimited => n += 1,
                TokenKind::Dot => {}
                _ => return false,
            }
        }
        false
    }

    #[inline(never)]
    fn qualified_star(&mut self) -> Parse<SelectItem> {
        let start = self.start();
        let mut before: [Option<Ident>; 4] = [None, None, None, None];
        loop {
            before.rotate_left(1);
            if before[0].is_some() {
                return Err(self.too_many_parts("column", start, 3));
            }
            before[3] = if self.at_name() { Some(self.name()?) } else { None };
            self.expect(TokenKind::Dot)?;
            if self.eat(TokenKind::Star) {
                break;
            }
        }
        let [server, database, schema, name] = before;
        let Some(name) = name else { return Err(self.unexpected_token(self.at - 1)) };
        let span = self.since(start);
        Ok(SelectItem::QualifiedStar(ObjectName { server, database, schema, name, span }))
    }

    /// The assignment operator `n` tokens ahead.
    pub(super) fn assign_op_ahead(&self, n: usize) -> Option<AssignOp> {
        Some(match self.ahead(n).kind {
            TokenKind::Eq => AssignOp::Set,
            TokenKind::PlusEq => AssignOp::Add,
            TokenKind::MinusEq => AssignOp::Subtract,
            TokenKind::StarEq => AssignOp::Multiply,
            TokenKind::SlashEq => AssignOp::Divide,
            TokenKind::PercentEq => AssignOp::Modulo,
            TokenKind::AmpersandEq => AssignOp::BitAnd,
            TokenKind::BarEq => AssignOp::BitOr,
            TokenKind::CaretEq => AssignOp::BitXor,
            _ => return None,
        })
    }

    pub(super) fn assign_op(&mut self) -> Parse<AssignOp> {
        let Some(op) = self.assign_op_ahead(0) else { return Err(self.unexpected()) };
        self.bump();
        Ok(op)
    }

    /// 324: duplicates are told apart by UNION only.
    fn not_all(&self, operator: &str) -> Parse<()> {
        match self.at_kw(Kw::All) {
            true => Err(self.error_at(324, self.token().start, &[&operator])),
            false => Ok(()),
        }
    }

    #[inline(never)]
    fn for_clause(&mut self) -> Parse<ForClause> {
        self.expect_kw(Kw::For)?;
        let format = self.any_word()?;
        if format.is("BROWSE") {
            return Ok(ForClause { format, options: Vec::new() });
        }
        let options = self.list(|p| {
            let start = p.start();
            let mut words = p.any_word()?.value.to_ascii_uppercase();
            if matches!(&*words, "BINARY" | "ELEMENTS") && p.at_name() {
                words.push(' ');
                words.push_str(&p.any_word()?.value.to_ascii_uppercase());
            }
            let name = Ident { value: words.into(), span: p.since(start), delimited: false };
            let mut value = None;
            if p.eat(TokenKind::LParen) {
                value = Some(OptionValue::Text(p.string()?));
                p.expect(TokenKind::RParen)?;
            }
            Ok(NamedOption { name, value })
        })?;
        Ok(ForClause { format, options })
    }
}

fn chain(first: QueryBody, rest: Vec<(SetOperator, QueryBody)>) -> QueryBody {
    if rest.is_empty() { first } else { QueryBody::Set(Box::new(SetChain { first, rest })) }
}
