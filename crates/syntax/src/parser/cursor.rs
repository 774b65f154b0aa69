//! Cursors.

use super::{Parse, Parser};
use crate::ast::*;
use crate::lexer::{Kw, TokenKind};

impl Parser<'_> {
    /// `DECLARE name [INSENSITIVE] [SCROLL] CURSOR …`.
    pub(super) fn declare_cursor(&mut self) -> Parse<StatementKind> {
        let name = self.name()?;
        let mut options = Vec::new();
        while !self.at_kw(Kw::Cursor) {
            if !self.at_word("INSENSITIVE") && !self.at_word("SCROLL") {
                return Err(self.unexpected());
            }
            options.push(self.any_word()?);
        }
        self.bump();
        let definition = self.cursor_definition(options)?;
        Ok(StatementKind::DeclareCursor(Box::new(DeclareCursor { name, definition })))
    }

    /// After `CURSOR`: options, `FOR query`, `FOR UPDATE | READ ONLY`.
    pub(super) fn cursor_definition(&mut self, options: Vec<Ident>) -> Parse<CursorDefinition> {
        const OPTIONS: [&str; 13] = [
            "LOCAL",
            "GLOBAL",
            "FORWARD_ONLY",
            "SCROLL",
            "STATIC",
            "KEYSET",
            "DYNAMIC",
            "FAST_FORWARD",
            "READ_ONLY",
            "SCROLL_LOCKS",
            "OPTIMISTIC",
            "TYPE_WARNING",
            "INSENSITIVE",
        ];
        let mut options = options;
        while self.is(TokenKind::Word) {
            if !OPTIONS.iter().any(|option| self.at_word(option)) {
                return Err(self.unexpected());
            }
            options.push(self.any_word()?);
        }
        self.expect_kw(Kw::For)?;
        let with = self.optional_with()?;
        let query = self.query_with(true)?;
        let hints = self.query_hints()?;
        let mut definition =
            CursorDefinition { options, with, query, hints, for_update: None, read_only: false };
        if self.eat_kw(Kw::For) {
            if self.eat_kw(Kw::Read) {
                self.expect_word("ONLY")?;
                definition.read_only = true;
            } else {
                self.expect_kw(Kw::Update)?;
                definition.for_update = Some(if self.eat_kw(Kw::Of) {
                    self.list(Self::column_ref)?
                } else {
                    Vec::new()
                });
                definition.hints.append(&mut self.query_hints()?);
            }
        }
        Ok(definition)
    }

    /// Reads `OPEN`, `CLOSE` or `DEALLOCATE` of a cursor.
    pub(super) fn cursor_statement(&mut self, keyword: Kw) -> Parse<StatementKind> {
        if let Some(refused) = self.key_statement() {
            return Ok(refused);
        }
        self.bump();
        if keyword == Kw::Deallocate {
            // The old spelling has CURSOR between.
            self.eat_kw(Kw::Cursor);
        }
        let name = Box::new(self.cursor_name()?);
        Ok(match keyword {
            Kw::Open => StatementKind::OpenCursor(name),
            Kw::Close => StatementKind::CloseCursor(name),
            _ => StatementKind::DeallocateCursor(name),
        })
    }

    pub(super) fn cursor_name(&mut self) -> Parse<CursorName> {
        let global = self.at_word("GLOBAL") && self.ahead_name(1);
        if global {
            self.bump();
        }
        Ok(CursorName { global, name: self.name_or_variable()? })
    }

    pub(super) fn fetch(&mut self) -> Parse<StatementKind> {
        self.bump();
        // That of an ORDER BY which has no OFFSET.
        let counts = match self.ahead(1).kind {
            TokenKind::Integer | TokenKind::LParen => true,
            TokenKind::Variable => self.ahead_word(2, "ROWS") || self.ahead_word(2, "ROW"),
            _ => false,
        };
        if counts && (self.at_word("NEXT") || self.at_word("FIRST")) {
            let option = self.any_word()?.value;
            let e = self.error_at(153, self.start(), &[&option.to_uppercase(), &"FETCH"]);
            return Err(e.with_state(2));
        }
        let direction = if self.eat_word("NEXT") {
            FetchDirection::Next
        } else if self.eat_word("PRIOR") {
            FetchDirection::Prior
        } else if self.eat_word("FIRST") {
            FetchDirection::First
        } else if self.eat_word("LAST") {
            FetchDirection::Last
        } else if self.eat_word("ABSOLUTE") {
            FetchDirection::Absolute(self.literal_or_variable()?)
        } else if self.eat_word("RELATIVE") {
            FetchDirection::Relative(self.literal_or_variable()?)
        } else {
            FetchDirection::Next
        };
        self.eat_kw(Kw::From);
        let cursor = self.cursor_name()?;
        let into = if self.eat_kw(Kw::Into) { self.list(Self::variable)? } else { Vec::new() };
        Ok(StatementKind::Fetch(Box::new(Fetch { direction, cursor, into })))
    }
}
