//! Expressions and conditions.
//!
//! T-SQL's precedence, tightest first: `~` and postfix `COLLATE`; `* / %`; unary `+ -` (so `100 / -5 * 2` is
//! `100 / -(5 * 2)`, as on SQL Server); binary `+ - & | ^ ||`; comparisons; `NOT`; `AND`; `OR`.
//!
//! Values and conditions are different things in T-SQL. Inside parentheses where a condition may stand, either can
//! appear; [`Parser::either`] parses both, and whoever needs one checks what came ([`Parser::condition`], 4145).

use super::{Parse, Parser};
use crate::ast::*;
use crate::lexer::{Kw, Token, TokenKind};

/// Binding strength of operators on values.
const ADDITIVE: u8 = 1;
const MULTIPLICATIVE: u8 = 2;
const TIGHTEST: u8 = 3;

impl Parser<'_> {
    /// Reads an expression that is a value.
    pub(super) fn expr(&mut self) -> Parse<Expr> {
        self.value(ADDITIVE, false)
    }

    /// Reads an expression that is a condition.
    pub(super) fn condition(&mut self) -> Parse<Expr> {
        let expr = self.either()?;
        self.must_be_condition(&expr)?;
        Ok(expr)
    }

    fn must_be_condition(&self, expr: &Expr) -> Parse<()> {
        if expr.is_condition() { Ok(()) } else { Err(self.not_a_condition()) }
    }

    #[cold]
    fn not_a_condition(&self) -> Box<taffrail_base::SqlError> {
        let at = if self.is(TokenKind::End) { self.at.saturating_sub(1) } else { self.at };
        let token = self.tokens[at];
        self.error_at(4145, token.start, &[&self.shown(token)])
    }

    /// A condition or a value, whichever stands here.
    pub(super) fn either(&mut self) -> Parse<Expr> {
        let outer = std::mem::take(&mut self.height);
        let first = self.nested(Self::predicate)?;
        let result =
            if self.at_kw(Kw::And) || self.at_kw(Kw::Or) { self.logical(first)? } else { first };
        self.height = outer.max(self.height);
        Ok(result)
    }

    /// `first AND … OR …`; both lists are flat however long they are.
    #[inline(never)]
    fn logical(&mut self, first: Expr) -> Parse<Expr> {
        let mut alternatives = Vec::new();
        let mut conjuncts = Vec::new();
        let mut last = first;
        loop {
            let and = self.at_kw(Kw::And);
            if and || self.at_kw(Kw::Or) {
                self.must_be_condition(&last)?;
                self.bump();
                if and {
                    conjuncts.push(last);
                } else {
                    alternatives.push(close(&mut conjuncts, last, ExprKind::And));
                }
                last = self.apart(|p| p.nested(Self::predicate))?;
                continue;
            }
            self.must_be_condition(&last)?;
            let last = close(&mut conjuncts, last, ExprKind::And);
            let result = close(&mut alternatives, last, ExprKind::Or);
            self.built(self.height + 2)?;
            return Ok(result);
        }
    }

    /// `[NOT …] predicate`, or a value when no predicate follows it.
    fn predicate(&mut self) -> Parse<Expr> {
        if let TokenKind::Keyword(keyword) = self.kind() {
            match keyword {
                Kw::Not => return self.not(),
                Kw::Exists => return self.exists(),
                Kw::Update if self.ahead(1).kind == TokenKind::LParen => {
                    return self.updated_column();
                }
                Kw::Contains | Kw::Freetext => return self.full_text(),
                _ => {}
            }
        }
        if self.at_graph_match() {
            return self.graph_match();
        }
        let left = self.value(ADDITIVE, true)?;
        if left.is_condition() {
            return Ok(left);
        }
        match self.kind() {
            TokenKind::Eq
            | TokenKind::Ne
            | TokenKind::Lt
            | TokenKind::Le
            | TokenKind::Gt
            | TokenKind::Ge => self.comparison(left),
            TokenKind::Unknown if self.slice(self.token()) == "!" => self.comparison(left),
            TokenKind::Keyword(Kw::Is | Kw::In | Kw::Like | Kw::Between | Kw::Not) => {
                self.keyword_predicate(left)
            }
            _ => Ok(left),
        }
    }

    #[inline(never)]
    fn not(&mut self) -> Parse<Expr> {
        let start = self.bump().start;
        let operand = self.nested(Self::predicate)?;
        self.must_be_condition(&operand)?;
        self.built(self.height + 1)?;
        Ok(Expr { span: self.since(start), kind: ExprKind::Not(Box::new(operand)) })
    }

    #[inline(never)]
    fn exists(&mut self) -> Parse<Expr> {
        let start = self.bump().start;
        let query = self.paren_query()?;
        self.built(self.height + 1)?;
        Ok(Expr { span: self.since(start), kind: ExprKind::Exists(Box::new(query)) })
    }

    /// An operator of two characters may be written with a blank between them.
    pub(super) fn comparison_operator(&mut self) -> Parse<CompareOp> {
        let token = self.bump();
        let next = self.kind();
        let (op, joined) = match (token.kind, next) {
            (TokenKind::Lt, TokenKind::Gt) => (CompareOp::Ne, true),
            (TokenKind::Lt, TokenKind::Eq) => (CompareOp::Le, true),
            (TokenKind::Gt, TokenKind::Eq) => (CompareOp::Ge, true),
            (TokenKind::Unknown, TokenKind::Eq) => (CompareOp::Ne, true),
            (TokenKind::Unknown, TokenKind::Lt) => (CompareOp::Ge, true),
            (TokenKind::Unknown, TokenKind::Gt) => (CompareOp::Le, true),
            (TokenKind::Eq, _) => (CompareOp::Eq, false),
            (TokenKind::Ne, _) => (CompareOp::Ne, false),
            (TokenKind::Lt, _) => (CompareOp::Lt, false),
            (TokenKind::Le, _) => (CompareOp::Le, false),
            (TokenKind::Gt, _) => (CompareOp::Gt, false),
            (TokenKind::Ge, _) => (CompareOp::Ge, false),
            _ => return Err(self.unexpected_token(self.at - 1)),
        };
        if joined {
            self.bump();
        }
        Ok(op)
    }

    #[inline(never)]
    fn comparison(&mut self, left: Expr) -> Parse<Expr> {
        let height = self.height;
        let op = self.comparison_operator()?;
        let start = left.span.start;
        if let TokenKind::Keyword(keyword @ (Kw::All | Kw::Any | Kw::Some)) = self.kind()
            && self.ahead(1).kind == TokenKind::LParen
        {
            self.bump();
            let query = self.paren_query()?;
            self.built(self.height.max(height) + 1)?;
            let all = keyword == Kw::All;
            let kind = ExprKind::Quantified(Box::new(Quantified { op, all, left, query }));
            return Ok(Expr { span: self.since(start), kind });
        }
        let right = self.expr()?;
        self.built(self.height.max(height) + 1)?;
        let kind = ExprKind::Compare(Box::new(Compare { op, left, right }));
        Ok(Expr { span: self.since(start), kind })
    }

    /// `IS`, `[NOT] IN`, `[NOT] LIKE`, `[NOT] BETWEEN`.
    #[inline(never)]
    fn keyword_predicate(&mut self, operand: Expr) -> Parse<Expr> {
        let start = operand.span.start;
        if self.eat_kw(Kw::Is) {
            let negated = self.eat_kw(Kw::Not);
            let kind = if self.eat_kw(Kw::Distinct) {
                self.expect_kw(Kw::From)?;
                let right = self.expr()?;
                ExprKind::IsDistinct(Box::new(IsDistinct { left: operand, right, negated }))
            } else {
                self.expect_kw(Kw::Null)?;
                ExprKind::IsNull(Box::new(IsNull { operand, negated }))
            };
            self.built(self.height + 1)?;
            return Ok(Expr { span: self.since(start), kind });
        }
        let negated = self.eat_kw(Kw::Not);
        let kind = if self.eat_kw(Kw::In) {
            self.in_predicate(operand, negated)?
        } else if self.eat_kw(Kw::Like) {
            let pattern = self.expr()?;
            // ODBC writes {escape '\'}.
            let odbc = self.is(TokenKind::LBrace) && self.ahead_kw(1, Kw::Escape);
            if odbc {
                self.bump();
            }
            let escape = if self.eat_kw(Kw::Escape) { Some(self.expr()?) } else { None };
            if odbc {
                self.expect(TokenKind::RBrace)?;
            }
            ExprKind::Like(Box::new(Like { operand, pattern, escape, negated }))
        } else if self.eat_kw(Kw::Between) {
            let low = self.expr()?;
            self.expect_kw(Kw::And)?;
            let high = self.expr()?;
            ExprKind::Between(Box::new(Between { operand, low, high, negated }))
        } else {
            return Err(self.unexpected());
        };
        self.built(self.height + 1)?;
        Ok(Expr { span: self.since(start), kind })
    }

    fn in_predicate(&mut self, operand: Expr, negated: bool) -> Parse<ExprKind> {
        self.expect(TokenKind::LParen)?;
        if self.at_kw(Kw::Select) {
            let query = self.query()?;
            self.expect(TokenKind::RParen)?;
            return Ok(ExprKind::InQuery(Box::new(InQuery { operand, query, negated })));
        }
        let mut list = self.list(Self::expr)?;
        if matches!(self.kind(), TokenKind::Keyword(Kw::Union | Kw::Except | Kw::Intersect))
            && let [Expr { kind: ExprKind::Subquery(_), .. }] = list.as_slice()
            && let Some(first) = list.pop()
        {
            list.push(self.subquery_goes_on(first)?);
        }
        self.expect(TokenKind::RParen)?;
        // `IN ((SELECT …))` is the rows of the query, not its value.
        if let [Expr { kind: ExprKind::Subquery(_), .. }] = list.as_slice()
            && let Some(Expr { kind: ExprKind::Subquery(query), .. }) = list.pop()
        {
            return Ok(ExprKind::InQuery(Box::new(InQuery { operand, query: *query, negated })));
        }
        Ok(ExprKind::InList(Box::new(InList { operand, list, negated })))
    }

    /// A value of operators at least as tight as `least`. With `or_condition`, a parenthesised condition may come
    /// instead.
    fn value(&mut self, least: u8, or_condition: bool) -> Parse<Expr> {
        let outer = std::mem::take(&mut self.height);
        let mut left = self.nested(|p| p.operand(or_condition))?;
        let mut height = self.height + 1;
        if or_condition && left.is_condition() {
            self.height = outer.max(height);
            return Ok(left);
        }
        while let Some((op, strength)) = binary_operator(self.kind()) {
            if strength < least {
                break;
            }
            self.bump();
            self.height = 0;
            let right = self.value(strength + 1, false)?;
            // A chain leans to the left, however long, and who walks it goes along it in a loop: only what stands to the
            // right of its operators makes the tree higher.
            height = height.max(self.height + 1);
            self.built(height)?;
            let span = left.span.to(right.span);
            let kind = ExprKind::Binary(Box::new(Binary { op, left, right }));
            left = Expr { span, kind };
        }
        self.height = outer;
        self.built(height)?;
        Ok(left)
    }

    /// An operand with its prefix and postfix operators.
    fn operand(&mut self, or_condition: bool) -> Parse<Expr> {
        let expr = match self.kind() {
            TokenKind::LParen => self.parenthesis(or_condition)?,
            TokenKind::Minus | TokenKind::Plus | TokenKind::Tilde => return self.unary(),
            _ => self.primary()?,
        };
        if or_condition && expr.is_condition() {
            return Ok(expr);
        }
        match self.kind() {
            TokenKind::Keyword(Kw::Collate) => self.postfix(expr),
            TokenKind::Word if self.at_word("AT") && self.ahead_word(1, "TIME") => {
                self.postfix(expr)
            }
            TokenKind::Dot => self.postfix(expr),
            _ => Ok(expr),
        }
    }

    #[inline(never)]
    fn unary(&mut self) -> Parse<Expr> {
        let token = self.bump();
        let (op, strength) = match token.kind {
            TokenKind::Minus => (UnaryOp::Minus, MULTIPLICATIVE),
            TokenKind::Plus => (UnaryOp::Plus, MULTIPLICATIVE),
            _ => (UnaryOp::BitNot, TIGHTEST),
        };
        let operand = self.value(strength, false)?;
        self.built(self.height + 1)?;
        let kind = ExprKind::Unary(op, Box::new(operand));
        Ok(Expr { span: self.since(token.start), kind })
    }

    /// `COLLATE`, `AT TIME ZONE`, `.method()`.
    #[inline(never)]
    fn postfix(&mut self, mut expr: Expr) -> Parse<Expr> {
        let mut height = self.height;
        loop {
            let start = expr.span.start;
            let kind = if self.eat_kw(Kw::Collate) {
                ExprKind::Collate(Box::new(expr), self.name()?)
            } else if self.eat_words(&["AT", "TIME", "ZONE"]) {
                let zone = self.nested(|p| match p.kind() {
                    TokenKind::LParen => p.parenthesis(false),
                    _ => p.primary(),
                })?;
                ExprKind::AtTimeZone(Box::new(expr), Box::new(zone))
            } else if self.is(TokenKind::Dot) {
                self.bump();
                let name = self.name()?;
                let arguments = self.arguments()?;
                ExprKind::Method(Box::new(MethodCall { target: expr, name, arguments }))
            } else {
                return Ok(expr);
            };
            height = self.height.max(height) + 1;
            self.built(height)?;
            expr = Expr { span: self.since(start), kind };
        }
    }

    /// `(value)`, `(query)` or, where allowed, `(condition)`.
    pub(super) fn parenthesis(&mut self, or_condition: bool) -> Parse<Expr> {
        let start = self.bump().start;
        if self.at_kw(Kw::Select) {
            return self.subquery(start);
        }
        let mut inner = if or_condition { self.either()? } else { self.expr()? };
        if matches!(self.kind(), TokenKind::Keyword(Kw::Union | Kw::Except | Kw::Intersect))
            && matches!(inner.kind, ExprKind::Subquery(_))
        {
            inner = self.subquery_goes_on(inner)?;
        }
        self.expect(TokenKind::RParen)?;
        inner.span = self.since(start);
        Ok(inner)
    }

    #[inline(never)]
    fn subquery(&mut self, start: u32) -> Parse<Expr> {
        let query = self.query()?;
        self.expect(TokenKind::RParen)?;
        self.built(self.height + 1)?;
        Ok(Expr { span: self.since(start), kind: ExprKind::Subquery(Box::new(query)) })
    }

    /// `((SELECT …) UNION …)`: what looked like a value in parentheses is the first part of a query.
    #[inline(never)]
    fn subquery_goes_on(&mut self, inner: Expr) -> Parse<Expr> {
        let ExprKind::Subquery(first) = inner.kind else { return Err(self.unexpected()) };
        let query = self.query_from(*first)?;
        Ok(Expr { span: query.span, kind: ExprKind::Subquery(Box::new(query)) })
    }

    /// Something without operators around it.
    fn primary(&mut self) -> Parse<Expr> {
        let token = self.token();
        match token.kind {
            TokenKind::Variable => {
                let name = self.variable()?;
                let system = name.value.starts_with("@@");
                if self.is(TokenKind::Dot)
                    && matches!(self.ahead(1).kind, TokenKind::Word | TokenKind::Delimited)
                    && self.ahead(2).kind != TokenKind::LParen
                {
                    // A column is not qualified by a variable.
                    return Err(self.error_at(137, token.start, &[&name.value]).with_state(2));
                }
                let kind =
                    if system { ExprKind::SystemVariable(name) } else { ExprKind::Variable(name) };
                Ok(Expr { span: Span::new(token.start, token.end), kind })
            }
            TokenKind::Word | TokenKind::Delimited => self.name_expr(),
            TokenKind::Keyword(Kw::Null)
            | TokenKind::Integer
            | TokenKind::Decimal
            | TokenKind::Float
            | TokenKind::Money
            | TokenKind::String
            | TokenKind::NString
            | TokenKind::Binary => self.literal_expr(token),
            TokenKind::Keyword(keyword) => self.keyword_expr(keyword),
            TokenKind::LBrace => self.odbc_escape(),
            TokenKind::Pseudo => {
                self.bump();
                let kind = ExprKind::Pseudo(self.word_ident(token));
                Ok(Expr { span: Span::new(token.start, token.end), kind })
            }
            _ => Err(self.unexpected()),
        }
    }

    fn literal_expr(&mut self, token: Token) -> Parse<Expr> {
        let Some(literal) = self.literal(token) else { return Err(self.unexpected()) };
        self.bump();
        Ok(Expr { span: Span::new(token.start, token.end), kind: ExprKind::Literal(literal) })
    }

    /// A value or `DEFAULT`, in `VALUES` and `SET`.
    pub(super) fn expr_or_default(&mut self) -> Parse<Expr> {
        if self.at_kw(Kw::Default) {
            let token = self.bump();
            return Ok(Expr { span: Span::new(token.start, token.end), kind: ExprKind::Default });
        }
        self.expr()
    }

    /// Reads a query in parentheses.
    pub(super) fn paren_query(&mut self) -> Parse<Query> {
        self.expect(TokenKind::LParen)?;
        let query = self.query()?;
        self.expect(TokenKind::RParen)?;
        Ok(query)
    }
}

/// Appends `last` to the operands collected and makes them one expression; alone it stays what it is.
fn close(operands: &mut Vec<Expr>, last: Expr, kind: fn(Vec<Expr>) -> ExprKind) -> Expr {
    if operands.is_empty() {
        return last;
    }
    let span = operands[0].span.to(last.span);
    operands.push(last);
    Expr { span, kind: kind(std::mem::take(operands)) }
}

fn binary_operator(kind: TokenKind) -> Option<(BinaryOp, u8)> {
    Some(match kind {
        TokenKind::Plus => (BinaryOp::Add, ADDITIVE),
        TokenKind::Minus => (BinaryOp::Subtract, ADDITIVE),
        TokenKind::Ampersand => (BinaryOp::BitAnd, ADDITIVE),
        TokenKind::Bar => (BinaryOp::BitOr, ADDITIVE),
        TokenKind::Caret => (BinaryOp::BitXor, ADDITIVE),
        TokenKind::Concat => (BinaryOp::Concat, ADDITIVE),
        TokenKind::ShiftLeft => (BinaryOp::ShiftLeft, ADDITIVE),
        TokenKind::ShiftRight => (BinaryOp::ShiftRight, ADDITIVE),
        TokenKind::Star => (BinaryOp::Multiply, MULTIPLICATIVE),
        TokenKind::Slash => (BinaryOp::Divide, MULTIPLICATIVE),
        TokenKind::Percent => (BinaryOp::Modulo, MULTIPLICATIVE),
        _ => return None,
    })
}
