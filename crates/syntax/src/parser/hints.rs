//! Table hints, with `WITH` and in the old form without it.

use super::{Parse, Parser};
use crate::ast::*;
use crate::lexer::{Kw, TokenKind};

impl Parser<'_> {
    /// A parenthesis with hints in the form without `WITH`.
    pub(super) fn at_old_hints(&self) -> bool {
        self.is(TokenKind::LParen)
            && matches!(
                self.ahead(2).kind,
                TokenKind::RParen | TokenKind::Comma | TokenKind::LParen | TokenKind::Eq
            )
            && matches!(self.ahead(1).kind, TokenKind::Word | TokenKind::Keyword(_))
            && (TableHintKind::of_word(self.slice(self.ahead(1))).is_some()
                || (self.ahead_kw(1, Kw::Index) && self.ahead(2).kind != TokenKind::Comma))
    }

    /// `WITH (hints)` if it stands here.
    pub(super) fn table_hints(&mut self) -> Parse<Vec<TableHint>> {
        if self.at_kw(Kw::With) {
            if self.ahead(1).kind == TokenKind::LParen {
                self.bump();
                return self.hint_list();
            }
            if self.ahead_name(1) {
                // A common table expression whose predecessor lacks its semicolon.
                let token = self.ahead(1);
                return Err(self.error_at(336, token.start, &[&self.shown(token)]));
            }
        } else if self.at_old_hints() {
            return self.hint_list();
        }
        Ok(Vec::new())
    }

    /// Hints in parentheses, with commas or blanks between them.
    pub(super) fn hint_list(&mut self) -> Parse<Vec<TableHint>> {
        let at = self.start();
        self.expect(TokenKind::LParen)?;
        let mut hints = vec![self.table_hint()?];
        while !self.eat(TokenKind::RParen) {
            self.eat(TokenKind::Comma);
            hints.push(self.table_hint()?);
        }
        if agree(&hints) { Ok(hints) } else { Err(self.error_at(1047, at, &[])) }
    }

    pub(super) fn table_hint(&mut self) -> Parse<TableHint> {
        let token = self.token();
        let kind = if self.eat_kw(Kw::Index) {
            TableHintKind::Index(self.index_hint()?)
        } else if matches!(token.kind, TokenKind::Word | TokenKind::Keyword(_)) {
            let Some(kind) = TableHintKind::of_word(self.slice(token)) else {
                return Err(self.error_at(321, token.start, &[&self.slice(token)]));
            };
            self.bump();
            match kind {
                TableHintKind::ForceSeek(_) if self.eat(TokenKind::LParen) => {
                    let index = self.index_hint_item()?;
                    let columns = self.paren_list(Self::name)?;
                    self.expect(TokenKind::RParen)?;
                    TableHintKind::ForceSeek(Some((index, columns)))
                }
                TableHintKind::SpatialWindowMaxCells(_) => {
                    self.expect(TokenKind::Eq)?;
                    TableHintKind::SpatialWindowMaxCells(self.unsigned32()?)
                }
                kind => kind,
            }
        } else {
            return Err(self.unexpected());
        };
        Ok(TableHint { kind, span: self.since(token.start) })
    }

    /// After `INDEX`: `(a, 1)`, `= (a)` or `= a`.
    fn index_hint(&mut self) -> Parse<Vec<Expr>> {
        let eq = self.eat(TokenKind::Eq);
        if eq && !self.is(TokenKind::LParen) {
            return Ok(vec![self.index_hint_item()?]);
        }
        self.paren_list(Self::index_hint_item)
    }

    fn index_hint_item(&mut self) -> Parse<Expr> {
        if self.is(TokenKind::Integer) {
            return self.signed_literal();
        }
        let name = self.name()?;
        let span = name.span;
        let column = ColumnRef { qualifier: None, name };
        Ok(Expr { span, kind: ExprKind::Column(Box::new(column)) })
    }
}

/// Of each kind of locking hints there is one at most.
pub(super) fn agree(list: &[TableHint]) -> bool {
    use TableHintKind::*;
    let (mut grain, mut level) = (None, None);
    let one = |known: &mut Option<u8>, it: u8| known.replace(it).is_none_or(|k| k == it);
    list.iter().all(|hint| match &hint.kind {
        NoLock | ReadUncommitted => one(&mut grain, 0) && one(&mut level, 0),
        PagLock => one(&mut grain, 1),
        RowLock => one(&mut grain, 2),
        TabLock => one(&mut grain, 3),
        TabLockX => one(&mut grain, 4),
        // Readers of queues name it beside ROWLOCK.
        ReadCommitted | ReadCommittedLock => one(&mut level, 1),
        RepeatableRead => one(&mut level, 2),
        Serializable | HoldLock => one(&mut level, 3),
        _ => true,
    })
}
