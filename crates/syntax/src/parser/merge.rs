//! MERGE.

use super::{Parse, Parser};
use crate::ast::*;
use crate::lexer::{Kw, TokenKind};

impl Parser<'_> {
    #[inline(never)]
    pub(super) fn merge(&mut self, with: Option<With>) -> Parse<StatementKind> {
        self.bump();
        let top = self.optional_top()?;
        self.eat_kw(Kw::Into);
        let target = if self.is(TokenKind::Variable) {
            self.table_variable(true)?
        } else {
            self.merge_target()?
        };
        self.expect_word("USING")?;
        let source = self.table_source()?;
        self.expect_kw(Kw::On)?;
        let on = self.condition()?;
        let mut clauses = Vec::new();
        while self.at_kw(Kw::When) {
            clauses.push(self.merge_clause()?);
        }
        if clauses.is_empty() {
            return Err(self.unexpected());
        }
        let output = self.outputs()?;
        let options = self.query_hints()?;
        let merge = Merge { with, top, target, source, on, clauses, output, options };
        Ok(StatementKind::Merge(Box::new(merge)))
    }

    fn merge_target(&mut self) -> Parse<TableRef> {
        let name = self.object_name()?;
        if self.is(TokenKind::LParen) && !self.at_old_hints() {
            let mut target = self.called_target(name)?;
            if let TableRef::Function(f) = &mut target
                && (self.eat_kw(Kw::As) || (self.at_name() && !self.at_word("USING")))
            {
                f.alias = Some(self.name()?);
            }
            return Ok(target);
        }
        let mut hints = self.table_hints()?;
        let alias = if self.eat_kw(Kw::As) || (self.at_name() && !self.at_word("USING")) {
            Some(self.name()?)
        } else {
            None
        };
        hints.append(&mut self.table_hints()?);
        Ok(TableRef::Named(Box::new(NamedTable {
            name,
            alias,
            hints,
            sample: None,
            system_time: None,
        })))
    }

    fn merge_clause(&mut self) -> Parse<MergeClause> {
        self.bump();
        let when = if self.eat_kw(Kw::Not) {
            self.expect_word("MATCHED")?;
            if !self.eat_kw(Kw::By) {
                MergeWhen::NotMatchedByTarget
            } else if self.eat_word("SOURCE") {
                MergeWhen::NotMatchedBySource
            } else {
                self.expect_word("TARGET")?;
                MergeWhen::NotMatchedByTarget
            }
        } else {
            self.expect_word("MATCHED")?;
            MergeWhen::Matched
        };
        let condition = if self.eat_kw(Kw::And) { Some(self.condition()?) } else { None };
        self.expect_kw(Kw::Then)?;
        let action = match self.kind() {
            TokenKind::Keyword(Kw::Update) if when != MergeWhen::NotMatchedByTarget => {
                self.bump();
                self.expect_kw(Kw::Set)?;
                MergeAction::Update(self.list(Self::set_clause)?)
            }
            TokenKind::Keyword(Kw::Delete) if when != MergeWhen::NotMatchedByTarget => {
                self.bump();
                MergeAction::Delete
            }
            TokenKind::Keyword(Kw::Insert) if when == MergeWhen::NotMatchedByTarget => {
                self.bump();
                let columns = if self.is(TokenKind::LParen) {
                    self.paren_list(|p| Ok(p.column_ref()?.name))?
                } else {
                    Vec::new()
                };
                if self.eat_kw(Kw::Default) {
                    self.expect_kw(Kw::Values)?;
                    MergeAction::InsertDefaultValues
                } else {
                    self.expect_kw(Kw::Values)?;
                    let values = self.paren_list(Self::expr_or_default)?;
                    MergeAction::Insert { columns, values }
                }
            }
            TokenKind::Keyword(Kw::Update) => {
                return Err(self.error_at(10710, self.start(), &[&"UPDATE"]));
            }
            TokenKind::Keyword(Kw::Delete) => {
                return Err(self.error_at(10710, self.start(), &[&"DELETE"]));
            }
            TokenKind::Keyword(Kw::Insert) if when == MergeWhen::Matched => {
                return Err(self.error_at(10711, self.start(), &[&"WHEN MATCHED"]));
            }
            TokenKind::Keyword(Kw::Insert) => {
                return Err(self.error_at(10711, self.start(), &[&"WHEN NOT MATCHED BY SOURCE"]));
            }
            _ => return Err(self.unexpected()),
        };
        Ok(MergeClause { when, condition, action })
    }
}
