//! Expressions that a word introduces: functions with a syntax of their own, CASE, function calls with
//! OVER.

use super::{Parse, Parser};
use crate::ast::*;
use crate::lexer::{Kw, Token, TokenKind};

impl Parser<'_> {
    /// An expression that begins with a reserved word.
    #[inline(never)]
    pub(super) fn keyword_expr(&mut self, keyword: Kw) -> Parse<Expr> {
        match keyword {
            Kw::Case => self.case(),
            Kw::Convert => self.convert(false),
            Kw::TryConvert => self.convert(true),
            Kw::Identity if self.ahead(1).kind == TokenKind::LParen => self.identity_function(),
            Kw::Left | Kw::Right | Kw::Coalesce | Kw::Nullif | Kw::Tsequal
                if self.ahead(1).kind == TokenKind::LParen =>
            {
                let token = self.bump();
                let name = ObjectName::bare(self.word_ident(token));
                self.function(name)
            }
            Kw::CurrentTimestamp
            | Kw::CurrentUser
            | Kw::CurrentDate
            | Kw::CurrentTime
            | Kw::SessionUser
            | Kw::SystemUser
            | Kw::User => {
                let token = self.bump();
                let name = ObjectName::bare(self.word_ident(token));
                let span = name.span;
                let mut call = plain_call(name, Vec::new());
                call.niladic = true;
                Ok(Expr { span, kind: ExprKind::Function(Box::new(call)) })
            }
            Kw::IdentityCol | Kw::Rowguidcol => {
                let token = self.bump();
                let name = self.word_ident(token);
                Ok(Expr { span: name.span, kind: ExprKind::Pseudo(name) })
            }
            _ => Err(self.unexpected()),
        }
    }

    fn case(&mut self) -> Parse<Expr> {
        let start = self.bump().start;
        let operand = if self.at_kw(Kw::When) { None } else { Some(self.expr()?) };
        let mut branches = Vec::new();
        while self.eat_kw(Kw::When) {
            let when = if operand.is_some() { self.expr()? } else { self.condition()? };
            self.expect_kw(Kw::Then)?;
            let then = self.expr()?;
            branches.push(CaseBranch { when, then });
        }
        if branches.is_empty() {
            return Err(self.unexpected());
        }
        let otherwise = if self.eat_kw(Kw::Else) { Some(self.expr()?) } else { None };
        self.expect_kw(Kw::End)?;
        self.built(self.height + 1)?;
        let kind = ExprKind::Case(Box::new(Case { operand, branches, otherwise }));
        Ok(Expr { span: self.since(start), kind })
    }

    /// `CONVERT(type, value [, style])`.
    fn convert(&mut self, try_: bool) -> Parse<Expr> {
        let start = self.bump().start;
        self.expect(TokenKind::LParen)?;
        let ty = self.data_type()?;
        self.expect(TokenKind::Comma)?;
        let operand = self.expr()?;
        let style = if self.eat(TokenKind::Comma) { Some(self.expr()?) } else { None };
        self.expect(TokenKind::RParen)?;
        self.built(self.height + 1)?;
        let cast = Cast { kind: CastKind::Convert, try_, operand, ty, style };
        Ok(Expr { span: self.since(start), kind: ExprKind::Cast(Box::new(cast)) })
    }

    /// `CAST(value AS type)`, `PARSE(value AS type [USING culture])`.
    fn cast(&mut self, kind: CastKind, try_: bool) -> Parse<Expr> {
        let start = self.bump().start;
        self.expect(TokenKind::LParen)?;
        let operand = self.expr()?;
        self.expect_kw(Kw::As)?;
        let ty = self.data_type()?;
        let style = if kind == CastKind::Parse && self.eat_word("USING") {
            Some(self.expr()?)
        } else {
            None
        };
        self.expect(TokenKind::RParen)?;
        self.built(self.height + 1)?;
        let cast = Cast { kind, try_, operand, ty, style };
        Ok(Expr { span: self.since(start), kind: ExprKind::Cast(Box::new(cast)) })
    }

    fn identity_function(&mut self) -> Parse<Expr> {
        let start = self.bump().start;
        self.expect(TokenKind::LParen)?;
        let ty = self.data_type()?;
        let arguments = if self.eat(TokenKind::Comma) {
            let seed = self.expr()?;
            self.expect(TokenKind::Comma)?;
            Some((seed, self.expr()?))
        } else {
            None
        };
        self.expect(TokenKind::RParen)?;
        let kind = ExprKind::IdentityFunction(Box::new(IdentityFunction { ty, arguments }));
        Ok(Expr { span: self.since(start), kind })
    }

    /// Functions that are ordinary words but have a syntax of their own. The current token is the word, a parenthesis
    /// follows it.
    pub(super) fn special_function(&mut self, token: Token) -> Parse<Option<Expr>> {
        let word = self.slice(token);
        let is = |name: &str| word.eq_ignore_ascii_case(name);
        Ok(Some(match word.len() {
            3 if is("IIF") => self.iif()?,
            4 if is("CAST") => self.cast(CastKind::Cast, false)?,
            4 if is("TRIM") => self.trim()?,
            5 if is("PARSE") => self.cast(CastKind::Parse, false)?,
            8 if is("TRY_CAST") => self.cast(CastKind::Cast, true)?,
            9 if is("TRY_PARSE") => self.cast(CastKind::Parse, true)?,
            10 if is("JSON_ARRAY") => self.json_constructor(false)?,
            11 if is("JSON_OBJECT") => self.json_constructor(true)?,
            _ => return Ok(None),
        }))
    }

    fn iif(&mut self) -> Parse<Expr> {
        let start = self.bump().start;
        self.expect(TokenKind::LParen)?;
        let condition = self.condition()?;
        self.expect(TokenKind::Comma)?;
        let then = self.expr()?;
        self.expect(TokenKind::Comma)?;
        let otherwise = self.expr()?;
        self.expect(TokenKind::RParen)?;
        self.built(self.height + 1)?;
        let kind = ExprKind::Iif(Box::new(Iif { condition, then, otherwise }));
        Ok(Expr { span: self.since(start), kind })
    }

    /// `JSON_OBJECT(key : value, … [NULL ON NULL | ABSENT ON NULL])`; JSON_ARRAY has values alone. Keys and values are arguments by turns.
    #[inline(never)]
    fn json_constructor(&mut self, keys: bool) -> Parse<Expr> {
        let token = self.bump();
        let mut call = plain_call(ObjectName::bare(self.word_ident(token)), Vec::new());
        call.absent_on_null = Some(!keys);
        self.expect(TokenKind::LParen)?;
        let clause = |p: &Self| p.ahead_kw(1, Kw::On) && (p.at_kw(Kw::Null) || p.at_word("ABSENT"));
        while !self.is(TokenKind::RParen) && !clause(self) {
            if !call.arguments.is_empty() {
                self.expect(TokenKind::Comma)?;
            }
            call.arguments.push(self.expr()?);
            if keys {
                self.expect(TokenKind::Colon)?;
                call.arguments.push(self.expr()?);
            }
        }
        if clause(self) {
            call.absent_on_null = Some(self.at_word("ABSENT"));
            self.at += 2;
            self.expect_kw(Kw::Null)?;
        }
        self.expect(TokenKind::RParen)?;
        self.built(self.height + 1)?;
        Ok(Expr { span: self.since(token.start), kind: ExprKind::Function(Box::new(call)) })
    }

    /// `TRIM([[LEADING | TRAILING | BOTH] [characters] FROM] text)`.
    fn trim(&mut self) -> Parse<Expr> {
        let token = self.bump();
        let mut call = plain_call(ObjectName::bare(self.word_ident(token)), Vec::new());
        self.expect(TokenKind::LParen)?;
        // A side is only a side when something other than the end of the argument follows it.
        let closes = matches!(self.ahead(1).kind, TokenKind::RParen | TokenKind::Dot);
        let mut side = None;
        for (word, value) in [
            ("LEADING", TrimSide::Leading),
            ("TRAILING", TrimSide::Trailing),
            ("BOTH", TrimSide::Both),
        ] {
            if side.is_none() && !closes && self.at_word(word) {
                self.bump();
                side = Some(value);
            }
        }
        let first = self.expr()?;
        if self.eat_kw(Kw::From) {
            let text = self.expr()?;
            call.arguments = vec![text, first];
            call.trim = Some(side.unwrap_or(TrimSide::Both));
        } else {
            call.trim = side;
            call.arguments.push(first);
        }
        self.expect(TokenKind::RParen)?;
        self.built(self.height + 1)?;
        Ok(Expr { span: self.since(token.start), kind: ExprKind::Function(Box::new(call)) })
    }

    pub(super) fn next_value(&mut self) -> Parse<Expr> {
        let start = self.start();
        self.at += 3;
        let sequence = self.object_name()?;
        let over = if self.at_kw(Kw::Over) { Some(self.over()?) } else { None };
        let kind = ExprKind::NextValue(Box::new(NextValue { sequence, over }));
        Ok(Expr { span: self.since(start), kind })
    }

    /// `(a, b, …)`, perhaps empty.
    pub(super) fn arguments(&mut self) -> Parse<Vec<Expr>> {
        self.expect(TokenKind::LParen)?;
        if self.eat(TokenKind::RParen) {
            return Ok(Vec::new());
        }
        let arguments = self.list(Self::expr_or_default)?;
        self.expect(TokenKind::RParen)?;
        Ok(arguments)
    }

    /// A call of the function `name`; the current token is the opening parenthesis.
    pub(super) fn function(&mut self, name: ObjectName) -> Parse<Expr> {
        let start = name.span.start;
        if let Some(calls) = &mut self.calls
            && name.schema.is_none()
        {
            calls.push(name.span);
        }
        let call = self.function_call(name)?;
        Ok(Expr { span: self.since(start), kind: ExprKind::Function(Box::new(call)) })
    }

    pub(super) fn function_call(&mut self, name: ObjectName) -> Parse<FunctionCall> {
        let mut call = plain_call(name, Vec::new());
        self.expect(TokenKind::LParen)?;
        if self.is(TokenKind::Star) && self.ahead(1).kind == TokenKind::RParen {
            self.at += 2;
            call.star = true;
        } else if !self.eat(TokenKind::RParen) {
            if self.eat_kw(Kw::Distinct) {
                call.distinct = true;
            } else {
                self.eat_kw(Kw::All);
            }
            loop {
                call.arguments.push(self.expr_or_default()?);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
            self.expect(TokenKind::RParen)?;
        }
        self.built(self.height + 1)?;
        match self.kind() {
            TokenKind::Keyword(Kw::Over) => call.over = Some(Box::new(self.over()?)),
            TokenKind::Word => self.function_tail(&mut call)?,
            _ => {}
        }
        Ok(call)
    }

    fn nulls_treatment(&mut self, call: &mut FunctionCall) {
        if self.eat_words(&["IGNORE", "NULLS"]) {
            call.ignore_nulls = Some(true);
        } else if self.eat_words(&["RESPECT", "NULLS"]) {
            call.ignore_nulls = Some(false);
        }
    }

    /// `WITHIN GROUP (…)`, `IGNORE NULLS`, then `OVER`.
    #[inline(never)]
    fn function_tail(&mut self, call: &mut FunctionCall) -> Parse<()> {
        if self.at_word("WITHIN") && self.ahead_kw(1, Kw::Group) {
            self.at += 2;
            self.expect(TokenKind::LParen)?;
            self.expect_kw(Kw::Order)?;
            self.expect_kw(Kw::By)?;
            call.within_group = self.list(Self::order_item)?;
            self.expect(TokenKind::RParen)?;
        }
        self.nulls_treatment(call);
        if self.at_kw(Kw::Over) {
            call.over = Some(Box::new(self.over()?));
        }
        Ok(())
    }

    /// `OVER name` or `OVER (…)`.
    #[inline(never)]
    pub(super) fn over(&mut self) -> Parse<Over> {
        self.expect_kw(Kw::Over)?;
        if self.at_name() {
            return Ok(Over { window: Some(self.name()?), ..Over::default() });
        }
        self.window()
    }

    /// `([name] [PARTITION BY …] [ORDER BY …] [ROWS | RANGE …])`.
    pub(super) fn window(&mut self) -> Parse<Over> {
        self.expect(TokenKind::LParen)?;
        let mut over = Over::default();
        let partition = self.at_word("PARTITION") && self.ahead_kw(1, Kw::By);
        let frame = self.at_word("ROWS") || self.at_word("RANGE");
        if self.at_name() && !partition && !frame {
            over.window = Some(self.name()?);
        }
        if self.at_word("PARTITION") {
            self.bump();
            self.expect_kw(Kw::By)?;
            over.partition_by = self.list(Self::expr)?;
        }
        if self.eat_kw(Kw::Order) {
            self.expect_kw(Kw::By)?;
            over.order_by = self.list(Self::order_item)?;
        }
        if self.at_word("ROWS") || self.at_word("RANGE") {
            over.frame = Some(self.frame()?);
        }
        self.expect(TokenKind::RParen)?;
        self.built(self.height + 1)?;
        Ok(over)
    }

    fn frame(&mut self) -> Parse<Frame> {
        let range = self.at_word("RANGE");
        self.bump();
        let at = self.start();
        let frame = if self.eat_kw(Kw::Between) {
            let start = self.frame_bound()?;
            self.expect_kw(Kw::And)?;
            Frame { range, start, end: self.frame_bound()? }
        } else {
            Frame { range, start: self.frame_bound()?, end: FrameBound::CurrentRow }
        };
        use FrameBound as F;
        let wrong = match (&frame.start, &frame.end) {
            (F::Following(_), F::CurrentRow | F::Preceding(_) | F::UnboundedPreceding)
            | (F::UnboundedFollowing, _) => "BETWEEN ... FOLLOWING AND ... PRECEDING",
            (F::CurrentRow, F::Preceding(_) | F::UnboundedPreceding) => {
                "BETWEEN CURRENT ROW AND ... PRECEDING"
            }
            (F::Preceding(_), F::UnboundedPreceding) => "BETWEEN ... AND UNBOUNDED PRECEDING",
            (F::Preceding(_) | F::Following(_), _) | (_, F::Preceding(_) | F::Following(_))
                if range =>
            {
                return Err(self.error_at(4194, at, &[]));
            }
            _ => return Ok(frame),
        };
        Err(self.error_at(4193, at, &[&wrong]))
    }

    fn frame_bound(&mut self) -> Parse<FrameBound> {
        if self.eat_kw(Kw::Current) {
            self.expect_word("ROW")?;
            return Ok(FrameBound::CurrentRow);
        }
        if self.eat_word("UNBOUNDED") {
            if self.eat_word("PRECEDING") {
                return Ok(FrameBound::UnboundedPreceding);
            }
            self.expect_word("FOLLOWING")?;
            return Ok(FrameBound::UnboundedFollowing);
        }
        // An unsigned integer as written: anything else is an error of syntax.
        if !self.is(TokenKind::Integer) {
            return Err(self.unexpected());
        }
        let offset = self.signed_literal()?;
        if self.eat_word("PRECEDING") {
            return Ok(FrameBound::Preceding(offset));
        }
        self.expect_word("FOLLOWING")?;
        Ok(FrameBound::Following(offset))
    }

    /// Reads `UPDATE(column)`, the question of a trigger.
    #[inline(never)]
    pub(super) fn updated_column(&mut self) -> Parse<Expr> {
        let start = self.bump().start;
        self.expect(TokenKind::LParen)?;
        let column = self.name()?;
        self.expect(TokenKind::RParen)?;
        Ok(Expr { span: self.since(start), kind: ExprKind::UpdatedColumn(column) })
    }

    /// Whether `MATCH (…)` stands here: no function has that name, and a user's has a schema before it.
    pub(super) fn at_graph_match(&self) -> bool {
        self.at_word("MATCH") && self.ahead(1).kind == TokenKind::LParen
    }

    /// `MATCH(a-(b)->c)`, the pattern of a graph, which is known by name only.
    #[inline(never)]
    pub(super) fn graph_match(&mut self) -> Parse<Expr> {
        let token = self.bump();
        let call = plain_call(ObjectName::bare(self.word_ident(token)), Vec::new());
        self.skip_parentheses()?;
        Ok(Expr { span: self.since(token.start), kind: ExprKind::FullText(Box::new(call)) })
    }

    /// `CONTAINS(column | (columns) | *, text)`.
    #[inline(never)]
    pub(super) fn full_text(&mut self) -> Parse<Expr> {
        let token = self.bump();
        let mut call = plain_call(ObjectName::bare(self.word_ident(token)), Vec::new());
        self.expect(TokenKind::LParen)?;
        if self.eat(TokenKind::Star) {
            call.star = true;
        } else if self.eat(TokenKind::LParen) {
            call.star = self.eat(TokenKind::Star);
            if !call.star {
                call.arguments = self.list(Self::expr)?;
            }
            self.expect(TokenKind::RParen)?;
        } else {
            call.arguments.push(self.expr()?);
        }
        self.expect(TokenKind::Comma)?;
        call.arguments.push(self.expr()?);
        if self.eat(TokenKind::Comma) {
            self.expect_word("LANGUAGE")?;
            call.arguments.push(self.expr()?);
        }
        self.expect(TokenKind::RParen)?;
        Ok(Expr { span: self.since(token.start), kind: ExprKind::FullText(Box::new(call)) })
    }
}

/// A call with nothing but arguments.
pub(super) fn plain_call(name: ObjectName, arguments: Vec<Expr>) -> FunctionCall {
    FunctionCall {
        name,
        arguments,
        star: false,
        distinct: false,
        niladic: false,
        odbc: false,
        trim: None,
        absent_on_null: None,
        ignore_nulls: None,
        within_group: Vec::new(),
        over: None,
    }
}
