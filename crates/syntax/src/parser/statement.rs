//! Batches, lists of statements, and the choice of rule by a statement's first words.

use super::{Context, Parse, Parser, RULES_PER_LOOK};
use crate::ast::*;
use crate::lexer::{Kw, TokenKind};

impl Parser<'_> {
    /// Reads the whole batch.
    pub(super) fn batch(&mut self) -> Parse<Vec<Statement>> {
        let mut statements = Vec::new();
        let mut terminated = true;
        while self.eat(TokenKind::Semicolon) {}
        if self.at_name() && !self.at_contextual_statement() {
            let start = self.start();
            let kind = self.call_without_exec()?;
            statements.push(Statement { span: self.since(start), kind });
            terminated = self.semicolons();
        } else if self.module_follows() {
            let start = self.start();
            let kind = self.module()?;
            let alone = matches!(kind, StatementKind::View(_) | StatementKind::Function(_));
            statements.push(Statement { span: self.since(start), kind });
            terminated = self.semicolons();
            // A view or function is all of its batch.
            if alone && !self.is(TokenKind::End) {
                return Err(self.unexpected());
            }
        }
        self.statements_into(&mut statements, terminated)?;
        if !self.is(TokenKind::End) {
            return Err(self.unexpected());
        }
        self.check_gotos()?;
        Ok(statements)
    }

    /// Past semicolons; whether there were any.
    fn semicolons(&mut self) -> bool {
        let any = self.is(TokenKind::Semicolon);
        while self.eat(TokenKind::Semicolon) {}
        any
    }

    /// Statements up to `END` or the end of the batch.
    pub(super) fn statements(&mut self) -> Parse<Vec<Statement>> {
        let mut statements = Vec::new();
        self.semicolons();
        self.statements_into(&mut statements, true)?;
        Ok(statements)
    }

    fn statements_into(&mut self, list: &mut Vec<Statement>, mut terminated: bool) -> Parse<()> {
        while !matches!(self.kind(), TokenKind::End | TokenKind::Keyword(Kw::End))
            || self.at_end_conversation()
        {
            if !terminated && self.at_kw(Kw::With) {
                return Err(self.error_at(319, self.start(), &[]));
            }
            // The statement before THROW is closed by a semicolon; a label is none.
            let after_label =
                list.last().is_some_and(|s| matches!(s.kind, StatementKind::Label(_)));
            if !terminated && !after_label && self.at_word("THROW") && !self.is_label() {
                return Err(self.unexpected());
            }
            list.push(self.statement()?);
            terminated = self.semicolons();
        }
        Ok(())
    }

    /// Reads one statement, and counts its nesting.
    pub(super) fn statement(&mut self) -> Parse<Statement> {
        self.nested(|p| {
            let start = p.start();
            let kind = p.statement_kind()?;
            Ok(Statement { span: p.since(start), kind })
        })
    }

    fn statement_kind(&mut self) -> Parse<StatementKind> {
        match self.kind() {
            TokenKind::Keyword(keyword) => self.keyword_statement(keyword),
            TokenKind::Word => self.word_statement(),
            TokenKind::LParen => self.select_statement(None),
            TokenKind::LBrace => self.odbc_call(),
            _ => Err(self.unexpected()),
        }
    }

    fn keyword_statement(&mut self, keyword: Kw) -> Parse<StatementKind> {
        match keyword {
            Kw::Select => self.select_statement(None),
            Kw::Insert | Kw::Update | Kw::Delete | Kw::Merge | Kw::With => self.dml_statement(),
            Kw::Set => self.set(),
            Kw::If => self.if_(),
            Kw::While => self.while_(),
            Kw::Begin => self.begin(),
            Kw::Declare => self.declare(),
            Kw::Exec | Kw::Execute => self.execute_statement(),
            Kw::Print => {
                self.bump();
                Ok(StatementKind::Print(Box::new(self.expr()?)))
            }
            Kw::Return => self.return_(),
            Kw::Break | Kw::Continue => self.break_or_continue(keyword),
            Kw::Goto => self.goto(),
            Kw::Waitfor => self.waitfor(),
            Kw::Raiserror => self.raiserror(),
            Kw::Commit => self.commit(),
            Kw::Rollback => self.rollback(),
            Kw::Save => self.save_transaction(),
            Kw::Open | Kw::Close | Kw::Deallocate => self.cursor_statement(keyword),
            Kw::Fetch => self.fetch(),
            Kw::Use => {
                self.bump();
                Ok(StatementKind::Use(self.name()?))
            }
            Kw::Create | Kw::Alter => {
                if self.module_follows() || self.misplaced_schema() {
                    return Err(self.misplaced_module());
                }
                self.create_or_alter(keyword == Kw::Alter)
            }
            Kw::Drop => self.drop(),
            Kw::Add => self.add(),
            Kw::End => self.end_conversation(),
            Kw::Truncate => self.truncate(),
            Kw::Grant | Kw::Deny | Kw::Revoke => self.permission(keyword),
            Kw::Revert => self.revert(),
            Kw::Checkpoint => self.checkpoint(),
            Kw::Backup => self.backup(),
            Kw::Restore => self.restore(),
            Kw::Dbcc => self.dbcc(),
            Kw::Kill => self.kill(),
            Kw::Shutdown => self.shutdown(),
            Kw::Reconfigure => {
                self.bump();
                let with_override = self.eat_words(&["WITH", "OVERRIDE"]);
                Ok(StatementKind::Reconfigure { with_override })
            }
            Kw::Bulk => self.bulk_insert(),
            Kw::Setuser
            | Kw::Readtext
            | Kw::Writetext
            | Kw::Updatetext
            | Kw::Lineno
            | Kw::Dump
            | Kw::Load => Ok(self.unsupported(1)),
            _ => Err(self.unexpected()),
        }
    }

    /// `CREATE SCHEMA` behind anything but semicolons.
    fn misplaced_schema(&self) -> bool {
        let schema = self.at_kw(Kw::Create) && self.ahead_word(1, "SCHEMA");
        schema && self.tokens[..self.at].iter().any(|t| t.kind != TokenKind::Semicolon)
    }

    /// `CREATE PROCEDURE` and its like where no module may be defined: at the top 111, deeper an error of syntax.
    #[cold]
    fn misplaced_module(&self) -> Box<taffrail_base::SqlError> {
        let or_alter = self.ahead_kw(1, Kw::Or);
        let word = if or_alter { 3 } else { 1 };
        if self.depth > 1 {
            return self.unexpected_token(self.at + word);
        }
        let what = match self.ahead(word).kind {
            TokenKind::Keyword(Kw::View) => "VIEW",
            TokenKind::Keyword(Kw::Function) => "FUNCTION",
            TokenKind::Keyword(Kw::Trigger) => "TRIGGER",
            TokenKind::Keyword(Kw::Schema) => "SCHEMA",
            _ => "PROCEDURE",
        };
        let verb = match (what, self.at_kw(Kw::Alter)) {
            ("PROCEDURE", _) => "CREATE/ALTER",
            (_, true) => "ALTER",
            _ => "CREATE",
        };
        self.error_at(111, self.start(), &[&format_args!("{verb} {what}")])
    }

    /// The current word begins a statement although it is not reserved.
    fn at_contextual_statement(&self) -> bool {
        if !self.is(TokenKind::Word) {
            return false;
        }
        self.is_label()
            || self.at_broker_statement()
            || (self.at_word("THROW")
                && matches!(
                    self.ahead(1).kind,
                    TokenKind::Integer
                        | TokenKind::Variable
                        | TokenKind::Semicolon
                        | TokenKind::End
                        | TokenKind::Keyword(_)
                ))
            || ((self.at_word("ENABLE") || self.at_word("DISABLE"))
                && self.ahead_kw(1, Kw::Trigger))
    }

    fn word_statement(&mut self) -> Parse<StatementKind> {
        if self.is_label() {
            let label = self.name()?;
            self.bump();
            if self.labels.iter().any(|(l, _)| l.is(&label.value)) {
                return Err(self.error_at(132, label.span.start, &[&label]));
            }
            self.labels.push((label.clone(), self.scopes.clone()));
            return Ok(StatementKind::Label(label));
        }
        if self.at_word("THROW") {
            return self.throw();
        }
        if (self.at_word("ENABLE") || self.at_word("DISABLE")) && self.ahead_kw(1, Kw::Trigger) {
            return self.switch_trigger();
        }
        if let Some(refused) = self.broker_statement() {
            return Ok(refused);
        }
        Err(self.unexpected())
    }

    /// Every `GOTO` has its label, which is in no TRY or CATCH that it is not in itself.
    fn check_gotos(&mut self) -> Parse<()> {
        for at in 0..self.gotos.len() {
            if at.is_multiple_of(RULES_PER_LOOK as usize) {
                self.look()?;
            }
            let (goto, from) = &self.gotos[at];
            let found = self.labels.iter().find(|(label, _)| label.is(&goto.value));
            let Some((_, scopes)) = found else {
                return Err(self.error_at(133, goto.span.start, &[goto]));
            };
            if !from.starts_with(scopes) {
                return Err(self.error_at(1026, goto.span.start, &[]));
            }
        }
        Ok(())
    }

    /// Code that may `RETURN` a value.
    pub(super) fn in_module(&self) -> bool {
        self.context == Context::Module
    }
}
