//! BEGIN, COMMIT, ROLLBACK and SAVE TRANSACTION.

use super::{Parse, Parser};
use crate::ast::*;
use crate::lexer::{Kw, TokenKind};

impl Parser<'_> {
    pub(super) fn begin_transaction(&mut self) -> Parse<StatementKind> {
        self.bump();
        let distributed = self.eat_kw(Kw::Distributed);
        self.transaction_word()?;
        let name = self.transaction_name()?;
        let mut mark = None;
        if name.is_some() && self.eat_words(&["WITH", "MARK"]) {
            mark = Some(match self.kind() {
                TokenKind::String | TokenKind::NString => Some(self.signed_literal()?),
                _ => None,
            });
        }
        let begin = BeginTransaction { distributed, name, mark };
        Ok(StatementKind::BeginTransaction(Box::new(begin)))
    }

    fn transaction_word(&mut self) -> Parse<()> {
        if self.eat_kw(Kw::Tran) { Ok(()) } else { self.expect_kw(Kw::Transaction) }
    }

    fn transaction_name(&mut self) -> Parse<Option<TransactionName>> {
        if self.is(TokenKind::Variable) || (self.at_name() && !self.is_label()) {
            return Ok(Some(TransactionName { name: self.name_or_variable()? }));
        }
        Ok(None)
    }

    pub(super) fn commit(&mut self) -> Parse<StatementKind> {
        self.bump();
        let mut commit = Commit { name: None, delayed_durability: None };
        if self.eat_kw(Kw::Tran) || self.eat_kw(Kw::Transaction) {
            commit.name = self.transaction_name()?;
        } else {
            self.eat_word("WORK");
        }
        if self.at_kw(Kw::With) && self.ahead(1).kind == TokenKind::LParen {
            self.at += 2;
            self.expect_word("DELAYED_DURABILITY")?;
            self.expect(TokenKind::Eq)?;
            let on = self.eat_kw(Kw::On);
            if !on {
                self.expect_kw(Kw::Off)?;
            }
            commit.delayed_durability = Some(on);
            self.expect(TokenKind::RParen)?;
        }
        Ok(StatementKind::Commit(Box::new(commit)))
    }

    pub(super) fn rollback(&mut self) -> Parse<StatementKind> {
        self.bump();
        let mut name = None;
        if self.eat_kw(Kw::Tran) || self.eat_kw(Kw::Transaction) {
            name = self.transaction_name()?;
        } else {
            self.eat_word("WORK");
        }
        Ok(StatementKind::Rollback(Box::new(Rollback { name })))
    }

    pub(super) fn save_transaction(&mut self) -> Parse<StatementKind> {
        self.bump();
        self.transaction_word()?;
        match self.transaction_name()? {
            Some(name) => Ok(StatementKind::SaveTransaction(Box::new(name))),
            None => Err(self.unexpected()),
        }
    }
}
