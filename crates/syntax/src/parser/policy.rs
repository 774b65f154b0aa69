//! Security policies: `CREATE` and `ALTER SECURITY POLICY`.

use super::{Parse, Parser};
use crate::ast::*;
use crate::lexer::{Kw, TokenKind};

impl Parser<'_> {
    /// `CREATE | ALTER SECURITY POLICY name predicates [WITH (…)] [NOT FOR REPLICATION]`. The predicates of ALTER may stand in parentheses.
    #[inline(never)]
    pub(super) fn security_policy(&mut self, alter: bool) -> Parse<StatementKind> {
        self.at += 3;
        let name = self.object_name()?;
        let mut predicates = Vec::new();
        let enclosed = alter && self.is(TokenKind::LParen);
        if enclosed {
            predicates = self.paren_list(Self::predicate_clause)?;
        } else if self.at_predicate() {
            predicates = self.list(Self::predicate_clause)?;
        }
        let options = self.with_options()?;
        if predicates.is_empty() && (!alter || options.is_empty() && !self.at_kw(Kw::Not)) {
            return Err(self.unexpected());
        }
        let not_for_replication = self.eat_words(&["NOT", "FOR", "REPLICATION"]);
        let definition =
            SecurityPolicyDefinition { alter, name, predicates, options, not_for_replication };
        Ok(StatementKind::SecurityPolicy(Box::new(definition)))
    }

    fn at_predicate(&self) -> bool {
        matches!(self.kind(), TokenKind::Keyword(Kw::Add | Kw::Alter | Kw::Drop))
    }

    fn predicate_clause(&mut self) -> Parse<PredicateClause> {
        let verb = match self.kind() {
            TokenKind::Keyword(Kw::Add) => PredicateVerb::Add,
            TokenKind::Keyword(Kw::Alter) => PredicateVerb::Alter,
            TokenKind::Keyword(Kw::Drop) => PredicateVerb::Drop,
            _ => return Err(self.unexpected()),
        };
        self.bump();
        let block = self.eat_word("BLOCK");
        if !block {
            self.eat_word("FILTER");
        }
        self.expect_word("PREDICATE")?;
        let function = match verb {
            PredicateVerb::Drop => None,
            _ => {
                let name = self.object_name()?;
                if !self.is(TokenKind::LParen) {
                    return Err(self.unexpected());
                }
                Some(self.function_call(name)?)
            }
        };
        self.expect_kw(Kw::On)?;
        let table = self.object_name()?;
        let operation = self.blocked_operation(block)?;
        Ok(PredicateClause { verb, block, function, table, operation })
    }

    fn blocked_operation(&mut self, block: bool) -> Parse<Option<BlockedOperation>> {
        const ALL: [([&str; 2], BlockedOperation); 4] = [
            (["AFTER", "INSERT"], BlockedOperation::AfterInsert),
            (["AFTER", "UPDATE"], BlockedOperation::AfterUpdate),
            (["BEFORE", "UPDATE"], BlockedOperation::BeforeUpdate),
            (["BEFORE", "DELETE"], BlockedOperation::BeforeDelete),
        ];
        if !block {
            return Ok(None);
        }
        if let Some((_, operation)) = ALL.into_iter().find(|(words, _)| self.eat_words(words)) {
            return Ok(Some(operation));
        }
        match self.at_word("AFTER") || self.at_word("BEFORE") {
            true => Err(self.unexpected()),
            false => Ok(None),
        }
    }
}
