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
        let items = self.list(Self::group_item)?;
        if self.at_kw(Kw::With) && (self.ahead_word(1, "ROLLUP") || self.ahead_word(1, "CUBE")) {
            let rollup = self.ahead_word(1, "ROLLUP");
            self.at += 2;
            let mut elements = Vec::new();
            for item in items {
                match item {
                    GroupItem::Expr(expr) => elements.push(vec![expr]),
                    _ => return Err(self.unexpected_token(self.at - 1)),
                }
            }
            let item = if rollup { GroupItem::Rollup(elements) } else { GroupItem::Cube(elements) };
            return Ok(GroupBy { items: vec![item], all });
        }
        Ok(GroupBy { items, all })
    }

    fn group_item(&mut self) -> Parse<GroupItem> {
        let paren = self.ahead(1).kind == TokenKind::LParen;
        if paren && self.eat_word("ROLLUP") {
            return Ok(GroupItem::Rollup(self.paren_list(Self::group_element)?));
        }
        if paren && self.eat_word("CUBE") {
            return Ok(GroupItem::Cube(self.paren_list(Self::group_element)?));
        }
        if self.eat_words(&["GROUPING", "SETS"]) {
            let items = self.nested(|p| p.paren_list(Self::group_item))?;
            return Ok(GroupItem::GroupingSets(items));
        }
        if self.at_composite() {
            return Ok(GroupItem::Composite(self.group_element()?));
        }
        Ok(GroupItem::Expr(self.expr()?))
    }

    /// `a` or `(a, b)` or `()`.
    fn group_element(&mut self) -> Parse<Vec<Expr>> {
        if !self.at_composite() {
            return Ok(vec![self.expr()?]);
        }
        if self.ahead(1).kind == TokenKind::RParen {
            self.at += 2;
            return Ok(Vec::new());
        }
        self.paren_list(Self::expr)
    }

    /// A parenthesis with a comma of its own, or with nothing, is no expression.
    fn at_composite(&self) -> bool {
        if !self.is(TokenKind::LParen) {
            return false;
        }
        let mut depth = 0;
        for (n, token) in self.tokens[self.at..].iter().enumerate() {
            match token.kind {
                TokenKind::LParen => depth += 1,
                TokenKind::RParen if depth == 1 => return n == 1,
                TokenKind::RParen => depth -= 1,
                TokenKind::Comma if depth == 1 => return true,
                TokenKind::End => return false,
                _ => {}
            }
        }
        false
    }
}
