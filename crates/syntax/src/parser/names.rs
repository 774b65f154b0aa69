//! Names: identifiers, object names of up to four parts, types.

use super::{MAX_NAME, Parse, Parser};
use crate::ast::{DataType, Ident, NameOrVariable, ObjectName, TypeArgument};
use crate::lexer::{Kw, Token, TokenKind};

impl Parser<'_> {
    /// The current token can be a name.
    #[inline]
    pub(super) fn at_name(&self) -> bool {
        matches!(self.kind(), TokenKind::Word | TokenKind::Delimited)
    }

    pub(super) fn ahead_name(&self, n: usize) -> bool {
        matches!(self.ahead(n).kind, TokenKind::Word | TokenKind::Delimited)
    }

    /// A delimited name without its delimiters.
    pub(super) fn delimited_text(&self, token: Token) -> Box<str> {
        let text = self.slice(token);
        let (close, doubled) = if text.starts_with('[') { (']', "]]") } else { ('"', "\"\"") };
        let inner = text[1..].strip_suffix(close).unwrap_or(&text[1..]);
        if inner.contains(close) {
            inner.replace(doubled, &doubled[1..]).into()
        } else {
            inner.into()
        }
    }

    /// The name that the current token is.
    pub(super) fn name(&mut self) -> Parse<Ident> {
        let token = self.token();
        let ident = match token.kind {
            TokenKind::Word => self.word_ident(token),
            TokenKind::Delimited => Ident {
                value: self.delimited_text(token),
                span: crate::ast::Span::new(token.start, token.end),
                delimited: true,
            },
            _ => return Err(self.unexpected()),
        };
        self.check_name(&ident)?;
        self.bump();
        Ok(ident)
    }

    #[inline]
    pub(super) fn check_name(&self, ident: &Ident) -> Parse<()> {
        // The number of bytes is at least that of UTF-16 code units.
        if ident.value.len() > MAX_NAME && ident.value.encode_utf16().count() > MAX_NAME {
            let shown: String = ident.value.chars().take(MAX_NAME).collect();
            let e = self.error_at(103, ident.span.start, &[&"identifier", &shown, &MAX_NAME]);
            return Err(e.with_state(4));
        }
        if ident.value.is_empty() {
            return Err(self.error_at(1038, ident.span.start, &[]));
        }
        Ok(())
    }

    /// The token's text as a bare name.
    pub(super) fn word_ident(&self, token: Token) -> Ident {
        Ident {
            value: self.slice(token).into(),
            span: crate::ast::Span::new(token.start, token.end),
            delimited: false,
        }
    }

    /// A name or any bare word, reserved or not: options, data-part like arguments.
    pub(super) fn any_word(&mut self) -> Parse<Ident> {
        match self.kind() {
            TokenKind::Keyword(_) => {
                let token = self.bump();
                Ok(self.word_ident(token))
            }
            _ => self.name(),
        }
    }

    /// A name, perhaps given as a string (aliases, logical file names).
    pub(super) fn name_or_string(&mut self) -> Parse<Ident> {
        match self.kind() {
            TokenKind::String | TokenKind::NString => {
                let token = self.token();
                let ident = Ident {
                    value: self.string_text(token),
                    span: crate::ast::Span::new(token.start, token.end),
                    delimited: true,
                };
                self.check_name(&ident)?;
                self.bump();
                Ok(ident)
            }
            _ => self.name(),
        }
    }

    /// Reads the name of a variable with its `@`.
    pub(super) fn variable(&mut self) -> Parse<Ident> {
        if !self.is(TokenKind::Variable) {
            return Err(self.unexpected());
        }
        let ident = self.word_ident(self.token());
        self.check_name(&ident)?;
        self.bump();
        Ok(ident)
    }

    pub(super) fn name_or_variable(&mut self) -> Parse<NameOrVariable> {
        if self.is(TokenKind::Variable) {
            Ok(NameOrVariable::Variable(self.variable()?))
        } else {
            Ok(NameOrVariable::Name(self.name()?))
        }
    }

    /// `(a, b, …)`, names only.
    pub(super) fn name_list(&mut self) -> Parse<Vec<Ident>> {
        self.paren_list(Self::name)
    }

    /// `(a, b)` if there is a parenthesis, else nothing.
    pub(super) fn optional_name_list(&mut self) -> Parse<Vec<Ident>> {
        if self.is(TokenKind::LParen) { self.name_list() } else { Ok(Vec::new()) }
    }

    /// A name of up to four parts; parts before the last may be empty (`db..t`, `..t`).
    pub(super) fn object_name(&mut self) -> Parse<ObjectName> {
        if self.is(TokenKind::Dot) {
            return self.parts_after(self.start(), None);
        }
        let first = self.name()?;
        if !self.is(TokenKind::Dot) {
            return Ok(ObjectName::bare(first));
        }
        let start = first.span.start;
        self.more_parts(start, first)
    }

    /// The parts after the first; the current token is the dot after it.
    pub(super) fn more_parts(&mut self, start: u32, first: Ident) -> Parse<ObjectName> {
        self.parts_after(start, Some(first))
    }

    /// Reads the rest of a name of several parts after a first part that may be empty.
    fn parts_after(&mut self, start: u32, first: Option<Ident>) -> Parse<ObjectName> {
        // Most recent last; the name itself is kept apart.
        let mut before: [Option<Ident>; 3] = [None, None, None];
        let mut parts = 1;
        let mut name = first;
        while self.eat(TokenKind::Dot) {
            if parts == 4 {
                return Err(self.too_many_parts("object", start, 3));
            }
            before.rotate_left(1);
            before[2] = name.take();
            parts += 1;
            if !self.is(TokenKind::Dot) {
                name = Some(self.name()?);
            }
        }
        let Some(name) = name else { return Err(self.unexpected()) };
        let [server, database, schema] = before;
        Ok(ObjectName { server, database, schema, name, span: self.since(start) })
    }

    /// 117 about the name that began at `start` and goes on here.
    #[cold]
    pub(super) fn too_many_parts(
        &self,
        what: &str,
        start: u32,
        most: u8,
    ) -> Box<taffrail_base::SqlError> {
        let mut n = 0;
        while matches!(
            self.ahead(n).kind,
            TokenKind::Dot | TokenKind::Word | TokenKind::Delimited | TokenKind::Star
        ) && (n == 0
            || self.ahead(n - 1).kind == TokenKind::Dot
            || self.ahead(n).kind == TokenKind::Dot)
        {
            n += 1;
        }
        let end = if n == 0 { self.end() } else { self.ahead(n - 1).end };
        let shown = &self.text[start as usize..end as usize];
        self.error_at(117, start, &[&what, &shown, &most])
    }

    /// A type with its arguments.
    pub(super) fn data_type(&mut self) -> Parse<DataType> {
        let start = self.start();
        let name = self.type_name()?;
        let arguments = if self.is(TokenKind::LParen) && self.type_arguments_follow() {
            self.paren_list(Self::type_argument)?
        } else {
            Vec::new()
        };
        if arguments.len() > 2 {
            return Err(self.error_at(102, start, &[&name.name.value]));
        }
        Ok(DataType { name, arguments, span: self.since(start) })
    }

    /// The parenthesis after a type holds arguments: a number, `MAX` or a name.
    fn type_arguments_follow(&self) -> bool {
        matches!(self.ahead(1).kind, TokenKind::Integer | TokenKind::Word | TokenKind::Delimited)
    }

    fn type_argument(&mut self) -> Parse<TypeArgument> {
        if self.is(TokenKind::Integer) {
            let token = self.bump();
            return Ok(TypeArgument::Number(self.slice(token).parse().unwrap_or(u32::MAX)));
        }
        if self.eat_word("MAX") {
            return Ok(TypeArgument::Max);
        }
        // xml(DOCUMENT collection), xml(CONTENT collection)
        if (self.at_word("DOCUMENT") || self.at_word("CONTENT")) && self.ahead_name(1) {
            self.bump();
        }
        Ok(TypeArgument::Name(self.object_name()?))
    }

    /// Names of several words are folded into the short one.
    fn type_name(&mut self) -> Parse<ObjectName> {
        let start = self.start();
        let folded = match self.kind() {
            TokenKind::Keyword(Kw::Double) => {
                self.bump();
                if !self.eat_word("PRECISION") {
                    return Err(self.unexpected());
                }
                "float"
            }
            TokenKind::Keyword(Kw::National) => {
                self.bump();
                if self.eat_word("TEXT") {
                    "ntext"
                } else if self.eat_word("CHAR") || self.eat_word("CHARACTER") {
                    if self.eat_kw(Kw::Varying) { "nvarchar" } else { "nchar" }
                } else {
                    return Err(self.unexpected());
                }
            }
            TokenKind::Keyword(Kw::Cursor | Kw::Table) => return Err(self.unexpected()),
            TokenKind::Word => {
                let word = self.slice(self.token());
                let varying = self.ahead_kw(1, Kw::Varying);
                let is = |name: &str| word.eq_ignore_ascii_case(name);
                let folded = if varying && (is("CHAR") || is("CHARACTER")) {
                    "varchar"
                } else if varying && is("NCHAR") {
                    "nvarchar"
                } else if varying && is("BINARY") {
                    "varbinary"
                } else if is("CHARACTER") {
                    "char"
                } else {
                    return self.object_name();
                };
                self.bump();
                if varying {
                    self.bump();
                }
                folded
            }
            _ => return self.object_name(),
        };
        let span = self.since(start);
        Ok(ObjectName::bare(Ident { value: folded.into(), span, delimited: false }))
    }
}
