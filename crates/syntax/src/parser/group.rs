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

    /// Whether `()` stands here, the grouping of all rows.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The grouping of `SELECT 1 FROM t GROUP BY …`; the number of its error.
    fn group_by(text: &str) -> Result<GroupBy, i32> {
        let text = format!("SELECT 1 FROM t GROUP BY {text}");
        let batch = crate::parse_batch(&text, Default::default());
        let mut batch = batch.map_err(|e| e.errors[0].number)?;
        let StatementKind::Select(select) = batch.statements.remove(0).kind else {
            panic!("a SELECT");
        };
        let QueryBody::Select(block) = select.query.body else { panic!("one block") };
        Ok(block.group_by.expect("it has a GROUP BY"))
    }

    /// How many elements each item has.
    fn shape(text: &str) -> Vec<(&'static str, usize)> {
        let one = |item: &GroupItem| match item {
            GroupItem::Expr(_) => ("expression", 1),
            GroupItem::Rollup(list) => ("rollup", list.len()),
            GroupItem::Cube(list) => ("cube", list.len()),
            GroupItem::GroupingSets(list) => ("sets", list.len()),
            GroupItem::Composite(list) => ("composite", list.len()),
        };
        group_by(text).unwrap().items.iter().map(one).collect()
    }

    #[test]
    fn items_of_each_kind() {
        assert_eq!(shape("a, ROLLUP (b, (c, d))"), [("expression", 1), ("rollup", 2)]);
        assert_eq!(shape("CUBE ((a), b), ()"), [("cube", 2), ("composite", 0)]);
        assert_eq!(shape("GROUPING SETS (a, (b, ROLLUP (c)), (), (a + 1))"), [("sets", 4)]);
        assert_eq!(shape("a, b WITH CUBE"), [("cube", 2)]);
        assert_eq!(shape("ALL a, (b)"), [("expression", 1), ("expression", 1)]);
        // The words are no keywords.
        assert_eq!(shape("rollup, cube, grouping"), [("expression", 1); 3]);
    }

    #[test]
    fn what_is_no_grouping() {
        assert_eq!(group_by("ROLLUP (a) WITH ROLLUP"), Err(10702));
        assert_eq!(group_by("ALL a WITH CUBE"), Err(1028));
        assert_eq!(group_by("ALL ()"), Err(1028));
        for text in ["(a, b)", "ROLLUP ()", "CUBE (a, ())", "GROUPING SETS (GROUPING SETS (a))"] {
            assert_eq!(group_by(text), Err(102), "{text}");
        }
    }
}
