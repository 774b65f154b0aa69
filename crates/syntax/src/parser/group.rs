//! GROUP BY.

use super::{Parse, Parser};
use crate::ast::*;
use crate::lexer::{Kw, TokenKind};

impl Parser<'_> {
    #[inline(never)]
    pub(super) fn group_by(&mut self) -> Parse<GroupBy> {
        self.bump();
        self.expect_kw(Kw::By)?;
        let all = self.eat_kw(Kw::All);
        let at = self.start();
        let mut items = self.list(Self::group_item)?;
        let plain = |items: &[GroupItem]| items.iter().all(|i| matches!(i, GroupItem::Expr(_)));
        if self.at_kw(Kw::With) && (self.ahead_word(1, "ROLLUP") || self.ahead_word(1, "CUBE")) {
            let rollup = self.ahead_word(1, "ROLLUP");
            if !plain(&items) {
                return Err(self.error_at(10702, self.start(), &[]));
            }
            self.at += 2;
            let element = |item| match item {
                GroupItem::Expr(e) => vec![e],
                _ => Vec::new(),
            };
            let elements = items.into_iter().map(element).collect();
            let item = if rollup { GroupItem::Rollup(elements) } else { GroupItem::Cube(elements) };
            items = vec![item];
        }
        if all && !plain(&items) {
            return Err(self.error_at(1028, at, &[]));
        }
        Ok(GroupBy { items, all })
    }

    /// An expression, `ROLLUP (…)`, `CUBE (…)`, `GROUPING SETS (…)` or `()`.
    fn group_item(&mut self) -> Parse<GroupItem> {
        if self.at_word("GROUPING") && self.ahead_word(1, "SETS") {
            self.at += 2;
            let sets = self.nested(|p| p.paren_list(Self::grouping_set))?;
            return Ok(GroupItem::GroupingSets(sets));
        }
        if self.at_nothing() {
            self.at += 2;
            return Ok(GroupItem::Composite(Vec::new()));
        }
        self.grouping_set_item()
    }

    /// One of GROUPING SETS: an item, `()`, or items in parentheses.
    fn grouping_set(&mut self) -> Parse<GroupItem> {
        if self.at_nothing() {
            self.at += 2;
            return Ok(GroupItem::Composite(Vec::new()));
        }
        let made = |word| self.ahead_word(1, word) && self.ahead(2).kind == TokenKind::LParen;
        if self.at_composite() || (self.is(TokenKind::LParen) && (made("ROLLUP") || made("CUBE"))) {
            return Ok(GroupItem::Composite(self.paren_list(Self::grouping_set_item)?));
        }
        self.grouping_set_item()
    }

    /// An expression, `ROLLUP (…)` or `CUBE (…)`.
    fn grouping_set_item(&mut self) -> Parse<GroupItem> {
        let paren = self.ahead(1).kind == TokenKind::LParen;
        if paren && self.eat_word("ROLLUP") {
            return Ok(GroupItem::Rollup(self.paren_list(Self::group_element)?));
        }
        if paren && self.eat_word("CUBE") {
            return Ok(GroupItem::Cube(self.paren_list(Self::group_element)?));
        }
        Ok(GroupItem::Expr(self.expr()?))
    }

    /// `a` or `(a, b)`.
    fn group_element(&mut self) -> Parse<Vec<Expr>> {
        if self.at_composite() {
            return self.paren_list(Self::expr);
        }
        Ok(vec![self.expr()?])
    }

    /// `()`.
    fn at_nothing(&self) -> bool {
        self.is(TokenKind::LParen) && self.ahead(1).kind == TokenKind::RParen
    }

    /// A parenthesis with a comma of its own is no expression.
    fn at_composite(&self) -> bool {
        if !self.is(TokenKind::LParen) {
            return false;
        }
        let mut depth = 0;
        for token in &self.tokens[self.at..] {
            match token.kind {
                TokenKind::LParen => depth += 1,
                TokenKind::RParen if depth == 1 => return false,
                TokenKind::RParen => depth -= 1,
                TokenKind::Comma if depth == 1 => return true,
                TokenKind::End => return false,
                _ => {}
            }
        }
        false
    }
}
