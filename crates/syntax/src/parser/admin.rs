//! CHECKPOINT, DBCC, KILL, SHUTDOWN and bulk loading.

use super::{Parse, Parser};
use crate::ast::*;
use crate::lexer::{Kw, TokenKind};

impl Parser<'_> {
    pub(super) fn checkpoint(&mut self) -> Parse<StatementKind> {
        self.bump();
        let seconds = match self.kind() {
            TokenKind::Integer | TokenKind::Variable => Some(Box::new(self.literal_or_variable()?)),
            _ => None,
        };
        Ok(StatementKind::Checkpoint(seconds))
    }

    #[inline(never)]
    pub(super) fn dbcc(&mut self) -> Parse<StatementKind> {
        self.bump();
        let command = self.any_word()?;
        let parenthesised = self.eat(TokenKind::LParen);
        let mut arguments = Vec::new();
        if parenthesised && !self.eat(TokenKind::RParen) {
            arguments = self.list(Self::dbcc_argument)?;
            self.expect(TokenKind::RParen)?;
        }
        let mut options = Vec::new();
        if self.at_kw(Kw::With) {
            self.bump();
            options = self.list(Self::named_option)?;
        }
        let dbcc = Dbcc { command, arguments, parenthesised, options };
        Ok(StatementKind::Dbcc(Box::new(dbcc)))
    }

    /// A value; a word that is reserved elsewhere is a name here.
    fn dbcc_argument(&mut self) -> Parse<Expr> {
        let word = matches!(self.kind(), TokenKind::Keyword(keyword) if keyword != Kw::Null)
            && matches!(self.ahead(1).kind, TokenKind::Comma | TokenKind::RParen);
        if !word {
            return self.expr();
        }
        let name = self.any_word()?;
        let span = name.span;
        let column = ColumnRef { qualifier: None, name };
        Ok(Expr { span, kind: ExprKind::Column(Box::new(column)) })
    }

    pub(super) fn kill(&mut self) -> Parse<StatementKind> {
        if self.ahead_word(1, "STATS") || self.ahead_word(1, "QUERY") {
            return Ok(self.unsupported(2));
        }
        self.bump();
        let target = self.literal_or_variable()?;
        let status_only = self.eat_words(&["WITH", "STATUSONLY"]);
        Ok(StatementKind::Kill(Box::new(Kill { target, status_only })))
    }

    pub(super) fn shutdown(&mut self) -> Parse<StatementKind> {
        self.bump();
        let nowait = self.eat_words(&["WITH", "NOWAIT"]);
        Ok(StatementKind::Shutdown { nowait })
    }

    pub(super) fn bulk_insert(&mut self) -> Parse<StatementKind> {
        self.bump();
        self.expect_kw(Kw::Insert)?;
        let table = self.object_name()?;
        self.expect_kw(Kw::From)?;
        let file = self.string()?;
        let options = self.bulk_options()?;
        Ok(StatementKind::BulkInsert(Box::new(BulkInsert { table, file, options })))
    }

    /// `INSERT BULK table (columns) WITH (options)`.
    pub(super) fn insert_bulk(&mut self) -> Parse<StatementKind> {
        self.at += 2;
        let table = self.object_name()?;
        let columns = if self.is(TokenKind::LParen) {
            self.paren_list(Self::column_definition)?
        } else {
            Vec::new()
        };
        let options = self.bulk_options()?;
        Ok(StatementKind::InsertBulk(Box::new(InsertBulk { table, columns, options })))
    }

    fn bulk_options(&mut self) -> Parse<Vec<NamedOption>> {
        if !self.at_kw(Kw::With) {
            return Ok(Vec::new());
        }
        self.bump();
        self.option_list()
    }
}
