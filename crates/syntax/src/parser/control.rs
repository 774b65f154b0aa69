//! Control of flow, DECLARE, RAISERROR, THROW, WAITFOR.

use super::{Parse, Parser};
use crate::ast::*;
use crate::lexer::{Kw, TokenKind};
use std::collections::HashSet;

impl Parser<'_> {
    #[inline(never)]
    pub(super) fn if_(&mut self) -> Parse<StatementKind> {
        let (condition, then) = self.if_part()?;
        let mut otherwise = Vec::new();
        while self.eat_else() {
            if !self.at_kw(Kw::If) {
                otherwise.push(self.statement()?);
                break;
            }
            let start = self.start();
            let (condition, then) = self.if_part()?;
            let part = If { condition, then, otherwise: Vec::new() };
            let kind = StatementKind::If(Box::new(part));
            otherwise.push(Statement { span: self.since(start), kind });
        }
        Ok(StatementKind::If(Box::new(If { condition, then, otherwise })))
    }

    /// Reads `IF condition statement`, without its `ELSE`.
    fn if_part(&mut self) -> Parse<(Expr, Statement)> {
        self.bump();
        Ok((self.condition()?, self.statement()?))
    }

    /// `ELSE`; a semicolon before it closes the statement, not the IF.
    fn eat_else(&mut self) -> bool {
        let mut n = 0;
        while self.ahead(n).kind == TokenKind::Semicolon {
            n += 1;
        }
        let found = self.ahead_kw(n, Kw::Else);
        if found {
            self.at += n + 1;
        }
        found
    }

    #[inline(never)]
    pub(super) fn while_(&mut self) -> Parse<StatementKind> {
        self.bump();
        let condition = self.condition()?;
        self.loops += 1;
        let body = self.statement()?;
        self.loops -= 1;
        Ok(StatementKind::While(Box::new(While { condition, body })))
    }

    /// `BEGIN TRANSACTION`, `BEGIN TRY` or a block.
    #[inline(never)]
    pub(super) fn begin(&mut self) -> Parse<StatementKind> {
        match self.ahead(1).kind {
            TokenKind::Keyword(Kw::Tran | Kw::Transaction | Kw::Distributed) => {
                return self.begin_transaction();
            }
            TokenKind::Word => {
                if self.ahead_word(1, "TRY") {
                    return self.try_catch();
                }
                if self.ahead_word(1, "DIALOG") || self.ahead_word(1, "CONVERSATION") {
                    return Ok(self.unsupported(2));
                }
                if self.ahead_word(1, "ATOMIC") && self.ahead_kw(2, Kw::With) {
                    return self.begin_atomic();
                }
            }
            _ => {}
        }
        self.bump();
        let statements = self.statements()?;
        if statements.is_empty() {
            return Err(self.unexpected());
        }
        self.expect_kw(Kw::End)?;
        Ok(StatementKind::Block(statements))
    }

    fn try_catch(&mut self) -> Parse<StatementKind> {
        self.at += 2;
        self.scopes.push(self.at);
        let body = self.statements()?;
        self.scopes.pop();
        self.expect_kw(Kw::End)?;
        if body.is_empty() || !self.at_word("TRY") {
            return Err(self.unexpected());
        }
        self.bump();
        self.eat(TokenKind::Semicolon);
        self.expect_kw(Kw::Begin)?;
        self.expect_word("CATCH")?;
        self.catches += 1;
        self.scopes.push(self.at);
        let catch = self.statements()?;
        self.scopes.pop();
        self.catches -= 1;
        self.expect_kw(Kw::End)?;
        self.expect_word("CATCH")?;
        Ok(StatementKind::TryCatch(Box::new(TryCatch { body, catch })))
    }

    pub(super) fn break_or_continue(&mut self, keyword: Kw) -> Parse<StatementKind> {
        let (number, kind) = match keyword {
            Kw::Break => (135, StatementKind::Break),
            _ => (136, StatementKind::Continue),
        };
        if self.loops == 0 {
            return Err(self.error_at(number, self.start(), &[]));
        }
        self.bump();
        Ok(kind)
    }

    /// `RETURN [value]`. A value is there if the next token can begin one and no statement.
    pub(super) fn return_(&mut self) -> Parse<StatementKind> {
        let start = self.bump().start;
        let value = match self.kind() {
            TokenKind::Keyword(
                Kw::Case
                | Kw::Coalesce
                | Kw::Convert
                | Kw::CurrentTimestamp
                | Kw::CurrentUser
                | Kw::Left
                | Kw::Null
                | Kw::Nullif
                | Kw::Right
                | Kw::SessionUser
                | Kw::SystemUser
                | Kw::TryConvert
                | Kw::User,
            ) => true,
            TokenKind::Word => !self.is_label() && !self.at_word("THROW"),
            TokenKind::Keyword(_) | TokenKind::Semicolon | TokenKind::End => false,
            _ => true,
        };
        if !value {
            return Ok(StatementKind::Return(None));
        }
        let value = self.expr()?;
        if !self.in_module() {
            return Err(self.error_at(178, start, &[]));
        }
        Ok(StatementKind::Return(Some(Box::new(value))))
    }

    pub(super) fn goto(&mut self) -> Parse<StatementKind> {
        self.bump();
        let label = self.name()?;
        self.gotos.push((label.clone(), self.scopes.clone()));
        Ok(StatementKind::Goto(label))
    }

    pub(super) fn waitfor(&mut self) -> Parse<StatementKind> {
        self.bump();
        if self.is(TokenKind::LParen) {
            // RECEIVE and GET CONVERSATION GROUP, of queues.
            let inner = self.slice(self.ahead(1)).to_ascii_uppercase();
            self.at -= 1;
            self.unsupported(1);
            let what = format!("WAITFOR ({inner} …)").into();
            return Ok(StatementKind::Unsupported(Box::new(Unsupported { what })));
        }
        let until = self.eat_word("TIME");
        if !until {
            self.expect_word("DELAY")?;
        }
        let value =
            if self.is(TokenKind::Variable) { self.expr()? } else { self.signed_literal()? };
        Ok(StatementKind::WaitFor(Box::new(WaitFor { until, value })))
    }

    #[inline(never)]
    pub(super) fn raiserror(&mut self) -> Parse<StatementKind> {
        self.bump();
        self.expect(TokenKind::LParen)?;
        let message = self.literal_or_variable()?;
        self.expect(TokenKind::Comma)?;
        let severity = self.literal_or_variable()?;
        self.expect(TokenKind::Comma)?;
        let state = self.literal_or_variable()?;
        let mut arguments = Vec::new();
        while self.eat(TokenKind::Comma) {
            arguments.push(self.literal_or_variable()?);
        }
        if arguments.len() > 20 {
            return Err(self.error_at(2747, self.start(), &[&20]));
        }
        self.expect(TokenKind::RParen)?;
        let mut statement = RaisError {
            message,
            severity,
            state,
            arguments,
            log: false,
            nowait: false,
            set_error: false,
        };
        let option = |p: &Self| ["LOG", "NOWAIT", "SETERROR"].iter().any(|w| p.ahead_word(1, w));
        if self.at_kw(Kw::With) && option(self) {
            self.bump();
            loop {
                if self.eat_word("LOG") {
                    statement.log = true;
                } else if self.eat_word("NOWAIT") {
                    statement.nowait = true;
                } else {
                    self.expect_word("SETERROR")?;
                    statement.set_error = true;
                }
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        Ok(StatementKind::RaisError(Box::new(statement)))
    }

    pub(super) fn throw(&mut self) -> Parse<StatementKind> {
        let start = self.bump().start;
        if !matches!(self.kind(), TokenKind::Integer | TokenKind::Variable) {
            return match self.catches {
                0 => Err(self.error_at(10704, start, &[])),
                _ => Ok(StatementKind::Throw(None)),
            };
        }
        let number = self.literal_or_variable()?;
        self.expect(TokenKind::Comma)?;
        let message = self.literal_or_variable()?;
        self.expect(TokenKind::Comma)?;
        let state = self.literal_or_variable()?;
        Ok(StatementKind::Throw(Some(Box::new(Throw { number, message, state }))))
    }

    pub(super) fn literal_or_variable(&mut self) -> Parse<Expr> {
        if self.is(TokenKind::Variable) {
            let name = self.variable()?;
            let span = name.span;
            let system = name.value.starts_with("@@");
            let kind =
                if system { ExprKind::SystemVariable(name) } else { ExprKind::Variable(name) };
            return Ok(Expr { span, kind });
        }
        self.signed_literal()
    }

    #[inline(never)]
    pub(super) fn declare(&mut self) -> Parse<StatementKind> {
        self.bump();
        if !self.is(TokenKind::Variable) {
            return self.declare_cursor();
        }
        let first = self.at;
        let declared = self.list(Self::declaration)?;
        let has_value =
            |d: &Declaration| matches!(d.kind, DeclarationKind::Scalar { value: Some(_), .. });
        if declared.iter().any(has_value) {
            self.not_before_declared(first, &declared)?;
        }
        Ok(StatementKind::Declare(declared))
    }

    /// 137: the variables of a DECLARE are there when all of it is done, in none of its values.
    fn not_before_declared(&self, first: usize, declared: &[Declaration]) -> Parse<()> {
        let names: HashSet<u32> = declared.iter().map(|d| d.name.span.start).collect();
        let own: HashSet<String> = declared.iter().map(|d| d.name.value.to_lowercase()).collect();
        let read = self.tokens[first..self.at].iter().filter(|t| t.kind == TokenKind::Variable);
        for token in read.filter(|t| !names.contains(&t.start)) {
            let name = self.slice(*token);
            if own.contains(&name.to_lowercase()) {
                return Err(self.error_at(137, token.start, &[&name]).with_state(2));
            }
        }
        Ok(())
    }

    fn declaration(&mut self) -> Parse<Declaration> {
        let name = self.variable()?;
        self.eat_kw(Kw::As);
        let kind = if self.eat_kw(Kw::Table) {
            self.unnamed = true;
            let body = self.table_body();
            self.unnamed = false;
            DeclarationKind::Table(Box::new(body?))
        } else if self.eat_kw(Kw::Cursor) {
            DeclarationKind::Cursor
        } else {
            let ty = self.data_type()?;
            // NULL and NOT NULL are taken by natively compiled code only, and mean nothing here.
            let value = if self.eat(TokenKind::Eq) { Some(self.expr()?) } else { None };
            DeclarationKind::Scalar { ty, value }
        };
        Ok(Declaration { name, kind })
    }
}
