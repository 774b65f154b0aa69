//! Literals: from a token's text to its value.

use super::{Parse, Parser};
use crate::ast::{Expr, ExprKind, Ident, Literal, Span};
use crate::lexer::{Token, TokenKind};

impl Parser<'_> {
    /// A string's content: doubled quotes are single, a backslash at the end of a line joins it with the next.
    pub(super) fn string_text(&self, token: Token) -> Box<str> {
        let text = self.slice(token);
        let text = if token.kind == TokenKind::NString { &text[1..] } else { text };
        let (quote, doubled) = if text.starts_with('"') { ('"', "\"\"") } else { ('\'', "''") };
        let inner = text[1..].strip_suffix(quote).unwrap_or(&text[1..]);
        let has_quotes = inner.contains(quote);
        let has_joins = inner.contains("\\\n") || inner.contains("\\\r\n");
        if !has_quotes && !has_joins {
            return inner.into();
        }
        let mut value = inner.replace(doubled, &doubled[1..]);
        if has_joins {
            value = value.replace("\\\r\n", "").replace("\\\n", "");
        }
        value.into()
    }

    /// The content of a string literal that must stand here.
    pub(super) fn string(&mut self) -> Parse<Box<str>> {
        match self.kind() {
            TokenKind::String | TokenKind::NString => {
                let token = self.bump();
                Ok(self.string_text(token))
            }
            _ => Err(self.unexpected()),
        }
    }

    /// An unsigned integer that must stand here; too large ones saturate.
    pub(super) fn unsigned(&mut self) -> Parse<u64> {
        if !self.is(TokenKind::Integer) {
            return Err(self.unexpected());
        }
        let token = self.bump();
        Ok(self.slice(token).parse().unwrap_or(u64::MAX))
    }

    /// Reads an unsigned number; one above 32 bits saturates.
    pub(super) fn unsigned32(&mut self) -> Parse<u32> {
        Ok(u32::try_from(self.unsigned()?).unwrap_or(u32::MAX))
    }

    /// A number with an optional sign, as typed.
    pub(super) fn signed_text(&mut self) -> Parse<Box<str>> {
        let minus = self.is(TokenKind::Minus);
        if minus || self.is(TokenKind::Plus) {
            self.bump();
        }
        match self.kind() {
            TokenKind::Integer | TokenKind::Decimal | TokenKind::Float => {
                let token = self.bump();
                let text = self.slice(token);
                Ok(if minus { format!("-{text}").into() } else { text.into() })
            }
            _ => Err(self.unexpected()),
        }
    }

    /// The literal that a token is; none if it is no literal.
    pub(super) fn literal(&self, token: Token) -> Option<Literal> {
        let text = self.slice(token);
        Some(match token.kind {
            TokenKind::Integer => match text.parse() {
                Ok(value) => Literal::Int(value),
                Err(_) => Literal::Decimal(text.into()),
            },
            TokenKind::Decimal => Literal::Decimal(text.into()),
            TokenKind::Float => {
                // `1e` and `1e+` mean an exponent of zero.
                let digits = text.trim_end_matches(['e', 'E', '+', '-']);
                match digits.parse() {
                    Ok(value) if f64::is_finite(value) => Literal::Float(value),
                    // Too large for a float: kept as it is written, for the message.
                    _ => Literal::Decimal(text.into()),
                }
            }
            TokenKind::Money => {
                let sign = text.chars().next().map_or(0, char::len_utf8);
                let digits = text[sign..].trim_start();
                Literal::Money(if digits.is_empty() { "0".into() } else { digits.into() })
            }
            TokenKind::String => Literal::String(self.string_text(token)),
            TokenKind::NString => Literal::NString(self.string_text(token)),
            TokenKind::Binary => Literal::Binary(binary(text)),
            TokenKind::Keyword(crate::lexer::Kw::Null) => Literal::Null,
            _ => return None,
        })
    }

    /// A bare word (reserved or not) as a string literal, for places where T-SQL takes words as text.
    pub(super) fn word_as_string(&mut self, national: bool) -> Parse<Expr> {
        let Ident { value, span, .. } = self.any_word()?;
        let literal = if national { Literal::NString(value) } else { Literal::String(value) };
        Ok(Expr { span, kind: ExprKind::Literal(literal) })
    }

    /// A literal with an optional sign, or a variable: arguments and defaults of procedures.
    pub(super) fn signed_literal(&mut self) -> Parse<Expr> {
        let start = self.start();
        if matches!(self.kind(), TokenKind::Minus | TokenKind::Plus) {
            let minus = self.bump().kind == TokenKind::Minus;
            let operand = self.plain_literal()?;
            let number = matches!(
                operand.kind,
                ExprKind::Literal(
                    Literal::Int(_) | Literal::Decimal(_) | Literal::Float(_) | Literal::Money(_)
                )
            );
            if !number {
                return Err(self.unexpected_token(self.at - 1));
            }
            if !minus {
                return Ok(operand);
            }
            let kind = ExprKind::Unary(crate::ast::UnaryOp::Minus, Box::new(operand));
            return Ok(Expr { span: self.since(start), kind });
        }
        self.plain_literal()
    }

    fn plain_literal(&mut self) -> Parse<Expr> {
        let token = self.token();
        let Some(literal) = self.literal(token) else { return Err(self.unexpected()) };
        self.bump();
        Ok(Expr { span: Span::new(token.start, token.end), kind: ExprKind::Literal(literal) })
    }
}

/// The bytes of `0x…`; an odd number of digits is filled with a leading zero.
fn binary(text: &str) -> Box<[u8]> {
    let digits: Vec<u8> =
        text[2..].bytes().filter_map(|b| char::from(b).to_digit(16).map(|d| d as u8)).collect();
    let (odd, even) = digits.split_at(digits.len() % 2);
    odd.iter().copied().chain(even.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1])).collect()
}
