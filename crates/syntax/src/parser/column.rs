//! Names within expressions: columns with what qualifies them, and functions.

use super::{Parse, Parser};
use crate::ast::*;
use crate::lexer::{Kw, TokenKind};

impl Parser<'_> {
    /// A column or a function call.
    pub(super) fn name_expr(&mut self) -> Parse<Expr> {
        let token = self.token();
        if token.kind == TokenKind::Word && self.ahead(1).kind == TokenKind::LParen {
            // Their arguments have a syntax of their own (key : value, NULL ON NULL).
            const JSON: [&str; 2] = ["JSON_OBJECTAGG", "JSON_ARRAYAGG"];
            if let Some(name) = JSON.into_iter().find(|name| self.at_word(name)) {
                return Err(self.error_at(40510, token.start, &[&name]));
            }
            if let Some(special) = self.special_function(token)? {
                return Ok(special);
            }
        } else if token.kind == TokenKind::Word
            && self.at_word("NEXT")
            && self.ahead_word(1, "VALUE")
            && self.ahead_kw(2, Kw::For)
        {
            return self.next_value();
        }
        let first = self.name()?;
        if self.is(TokenKind::DoubleColon) {
            let method = self.slice(self.ahead(1));
            let what = format!("The method {}::{method}", first.value);
            return Err(self.error_at(40510, token.start, &[&what]));
        }
        if !self.is(TokenKind::Dot) {
            if self.is(TokenKind::LParen) {
                return self.function(ObjectName::bare(first));
            }
            let span = first.span;
            let column = ColumnRef { qualifier: None, name: first };
            return Ok(Expr { span, kind: ExprKind::Column(Box::new(column)) });
        }
        self.qualified_expr(token.start, first)
    }

    #[inline(never)]
    fn qualified_expr(&mut self, start: u32, first: Ident) -> Parse<Expr> {
        let (qualifier, name) = self.column_parts(start, first)?;
        if self.is(TokenKind::LParen) {
            let schema = qualifier.as_ref().map(|q| q.name.clone());
            let database = qualifier.as_ref().and_then(|q| q.schema.clone());
            let server = qualifier.as_ref().and_then(|q| q.database.clone());
            let span = self.since(start);
            return self.function(ObjectName { server, database, schema, name, span });
        }
        let kind = ExprKind::Column(Box::new(ColumnRef { qualifier, name }));
        Ok(Expr { span: self.since(start), kind })
    }

    /// The parts of a column's name after the first, up to five; the current token is a dot.
    fn column_parts(&mut self, start: u32, first: Ident) -> Parse<(Option<ObjectName>, Ident)> {
        let mut before: [Option<Ident>; 4] = [None, None, None, None];
        let mut name = Some(first);
        let mut parts = 1;
        let mut qualifier_end = start;
        while self.is(TokenKind::Dot) {
            qualifier_end = self.end();
            self.bump();
            if parts == 5 {
                return Err(self.too_many_parts("column", start, 4));
            }
            before.rotate_left(1);
            before[3] = name.take();
            parts += 1;
            if !self.is(TokenKind::Dot) {
                name = Some(match self.kind() {
                    TokenKind::Pseudo | TokenKind::Keyword(Kw::IdentityCol | Kw::Rowguidcol) => {
                        let token = self.bump();
                        self.word_ident(token)
                    }
                    _ => self.name()?,
                });
            }
        }
        let Some(name) = name else { return Err(self.unexpected()) };
        let [server, database, schema, table] = before;
        let Some(table) = table else { return Err(self.unexpected()) };
        let span = Span::new(start, qualifier_end);
        Ok((Some(ObjectName { server, database, schema, name: table, span }), name))
    }

    /// `column` or `table.column` where nothing but a column may stand.
    pub(super) fn column_ref(&mut self) -> Parse<ColumnRef> {
        let start = self.start();
        let name = match self.kind() {
            TokenKind::Pseudo | TokenKind::Keyword(Kw::IdentityCol | Kw::Rowguidcol) => {
                let token = self.bump();
                self.word_ident(token)
            }
            _ => self.name()?,
        };
        if !self.is(TokenKind::Dot) {
            return Ok(ColumnRef { qualifier: None, name });
        }
        let (qualifier, name) = self.column_parts(start, name)?;
        Ok(ColumnRef { qualifier, name })
    }
}
