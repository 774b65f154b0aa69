//! The lexer: the whole batch becomes one vector of tokens, each a kind and two byte offsets.
//!
//! Literals and names are decoded only when the parser puts them into the tree. The lexer never fails: what it cannot
//! read is an [`TokenKind::Unknown`] token, and an unclosed quotation or comment is remembered in [`Lexed::unclosed`]
//! so that the parser may report a mistake before it first.
//!
//! `SET QUOTED_IDENTIFIER ON | OFF` changes the meaning of the double quotes that follow it in the same batch, as it
//! does on SQL Server, where it is obeyed while the text is read.

pub(crate) mod keyword;

pub(crate) use keyword::Kw;

use crate::Watch;
use taffrail_base::SqlError;

/// The kinds of tokens that the lexer makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    /// A name that is no keyword.
    Word,
    /// `[name]` or, with QUOTED_IDENTIFIER, `"name"`.
    Delimited,
    /// A reserved word of T-SQL.
    Keyword(Kw),
    /// The name of a variable or function: `@name` or `@@name`.
    Variable,
    /// `'…'` or, without QUOTED_IDENTIFIER, `"…"`.
    String,
    /// A Unicode string: `N'…'`.
    NString,
    /// A number of digits only.
    Integer,
    /// Digits with a point.
    Decimal,
    /// A number with an exponent.
    Float,
    /// With a currency sign.
    Money,
    /// A binary literal: `0x…`.
    Binary,
    /// A pseudo column: `$name`.
    Pseudo,
    /// `(`
    LParen,
    /// `)`
    RParen,
    /// `{`
    LBrace,
    /// `}`
    RBrace,
    /// `,`
    Comma,
    /// `.`
    Dot,
    /// `;`
    Semicolon,
    /// `:`
    Colon,
    /// `::`
    DoubleColon,
    /// `=`
    Eq,
    /// `<>` or `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=` or `!>`
    Le,
    /// `>`
    Gt,
    /// `>=` or `!<`
    Ge,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Star,
    /// `/`
    Slash,
    /// `%`
    Percent,
    /// `&`
    Ampersand,
    /// `|`
    Bar,
    /// `||`
    Concat,
    /// `^`
    Caret,
    /// `~`
    Tilde,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `+=`
    PlusEq,
    /// `-=`
    MinusEq,
    /// `*=`
    StarEq,
    /// `/=`
    SlashEq,
    /// `%=`
    PercentEq,
    /// `&=`
    AmpersandEq,
    /// `|=`
    BarEq,
    /// `^=`
    CaretEq,
    /// A character that begins no token.
    Unknown,
    /// The end of the batch.
    End,
}

/// A token: its kind and its place in the text, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub start: u32,
    pub end: u32,
}

/// The token that the end of the batch interrupted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unclosed {
    /// A string or delimited name that began at this offset (error 105).
    Quotation(u32),
    /// A comment that began at this offset (error 113).
    Comment(u32),
}

/// The tokens of a batch, closed by [`TokenKind::End`].
pub(crate) struct Lexed {
    pub tokens: Vec<Token>,
    pub unclosed: Option<Unclosed>,
}

/// A letter of a name after its first character.
fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '@' | '#' | '$')
}

fn is_currency(c: char) -> bool {
    matches!(
        c,
        '$' | '¢' | '£' | '¤' | '¥' | '৲' | '৳' | '฿' | '៛' | '₠'
            ..='₱' | '﷼' | '﹩' | '＄' | '￠' | '￡' | '￥' | '￦'
    )
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    quoted_identifier: bool,
    out: Lexed,
}

/// Cuts `text` (shorter than 4 GiB) into tokens.
pub(crate) fn lex(
    text: &str,
    quoted_identifier: bool,
    watch: &dyn Watch,
) -> Result<Lexed, Box<SqlError>> {
    let tokens = Vec::with_capacity(text.len().min(FIRST_TEXT) / 5 + 8);
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        quoted_identifier,
        out: Lexed { tokens, unclosed: None },
    };
    lexer.run(watch)?;
    Ok(lexer.out)
}

/// The tokens of a text of so many bytes have room from the beginning.
const FIRST_TEXT: usize = 64 << 10;

impl Lexer<'_> {
    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn char(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        self.out.tokens.push(Token { kind, start: start as u32, end: self.at as u32 });
    }

    fn run(&mut self, watch: &dyn Watch) -> Result<(), Box<SqlError>> {
        while self.at < self.bytes.len() {
            let tokens = &self.out.tokens;
            // Each round makes one token at most, and a full vector doubles.
            if tokens.len() == tokens.capacity() {
                watch.look(2 * size_of_val(tokens.as_slice()))?;
            }
            let start = self.at;
            let c = self.bytes[start];
            match c {
                0..=b' ' => self.at += 1,
                b'-' if self.byte(1) == b'-' => {
                    let rest = &self.bytes[start..];
                    self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                }
                b'/' if self.byte(1) == b'*' => self.comment(),
                b'n' | b'N' if self.byte(1) == b'\'' => {
                    self.at += 1;
                    self.quotation(start, b'\'', TokenKind::NString);
                }
                b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'#' => self.word(start),
                b'@' => {
                    self.at += 1;
                    self.name_chars();
                    self.push(TokenKind::Variable, start);
                }
                b'0'..=b'9' => self.number(start),
                b'.' if self.byte(1).is_ascii_digit() => self.number(start),
                b'\'' => self.quotation(start, b'\'', TokenKind::String),
                b'"' if self.quoted_identifier => {
                    self.quotation(start, b'"', TokenKind::Delimited);
                }
                b'"' => self.quotation(start, b'"', TokenKind::String),
                b'[' => self.quotation(start, b']', TokenKind::Delimited),
                b'$' => self.dollar(start),
                0x80.. => self.beyond_ascii(start),
                _ => self.symbol(start, c),
            }
        }
        self.push(TokenKind::End, self.bytes.len());
        Ok(())
    }

    fn comment(&mut self) {
        let start = self.at;
        let mut depth = 1usize;
        self.at += 2;
        while depth > 0 {
            match (self.byte(0), self.byte(1)) {
                _ if self.at >= self.bytes.len() => {
                    self.out.unclosed = Some(Unclosed::Comment(start as u32));
                    return;
                }
                (b'*', b'/') => {
                    depth -= 1;
                    self.at += 2;
                }
                (b'/', b'*') => {
                    depth += 1;
                    self.at += 2;
                }
                _ => self.at += 1,
            }
        }
    }

    /// From the opening delimiter at `self.at` to the closing one; a doubled closing delimiter does not close.
    fn quotation(&mut self, start: usize, close: u8, kind: TokenKind) {
        self.at += 1;
        loop {
            let rest = &self.bytes[self.at..];
            let Some(found) = rest.iter().position(|&b| b == close) else {
                self.at = self.bytes.len();
                self.out.unclosed = Some(Unclosed::Quotation(start as u32));
                break;
            };
            self.at += found + 1;
            if self.byte(0) != close {
                break;
            }
            self.at += 1;
        }
        self.push(kind, start);
    }

    /// Over the characters that may continue a name.
    fn name_chars(&mut self) {
        loop {
            match self.byte(0) {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'@' | b'#' | b'$' => self.at += 1,
                0x80.. => match self.char() {
                    Some(c) if is_name_char(c) => self.at += c.len_utf8(),
                    _ => return,
                },
                _ => return,
            }
        }
    }

    fn word(&mut self, start: usize) {
        self.name_chars();
        let word = &self.bytes[start..self.at];
        match keyword::lookup(word) {
            Some(keyword) => {
                if matches!(keyword, Kw::On | Kw::Off) {
                    self.obey_quoted_identifier(keyword == Kw::On);
                }
                self.push(TokenKind::Keyword(keyword), start);
            }
            None => self.push(TokenKind::Word, start),
        }
    }

    fn obey_quoted_identifier(&mut self, on: bool) {
        if let [.., set, option] = self.out.tokens.as_slice()
            && set.kind == TokenKind::Keyword(Kw::Set)
            && self.bytes[option.start as usize..option.end as usize]
                .eq_ignore_ascii_case(b"QUOTED_IDENTIFIER")
            && !self.in_module()
        {
            self.quoted_identifier = on;
        }
    }

    /// The batch creates or alters a module, which keeps the option that it is created under, whatever stands in it.
    fn in_module(&self) -> bool {
        let mut words = self.out.tokens.iter().map(|t| t.kind);
        loop {
            match words.next() {
                Some(TokenKind::Keyword(Kw::Create | Kw::Or | Kw::Alter)) => {}
                Some(TokenKind::Keyword(kw)) => {
                    return matches!(
                        kw,
                        Kw::Proc | Kw::Procedure | Kw::View | Kw::Function | Kw::Trigger
                    );
                }
                _ => return false,
            }
        }
    }

    fn digits(&mut self) {
        while self.byte(0).is_ascii_digit() {
            self.at += 1;
        }
    }

    fn number(&mut self, start: usize) {
        if self.byte(0) == b'0' && matches!(self.byte(1), b'x' | b'X') {
            self.at += 2;
            loop {
                match self.byte(0) {
                    b if b.is_ascii_hexdigit() => self.at += 1,
                    b'\\' if self.byte(1) == b'\n' => self.at += 2,
                    b'\\' if self.byte(1) == b'\r' && self.byte(2) == b'\n' => self.at += 3,
                    _ => break,
                }
            }
            return self.push(TokenKind::Binary, start);
        }
        let mut kind = TokenKind::Integer;
        self.digits();
        if self.byte(0) == b'.' {
            kind = TokenKind::Decimal;
            self.at += 1;
            self.digits();
        }
        if matches!(self.byte(0), b'e' | b'E') {
            let sign = usize::from(matches!(self.byte(1), b'+' | b'-'));
            // `1e` is a float in T-SQL, `1e_x` and `1else` are a number and a word.
            if self.byte(1 + sign).is_ascii_digit() || !self.continues_name(1 + sign) {
                kind = TokenKind::Float;
                self.at += 1 + sign;
                self.digits();
            }
        }
        self.push(kind, start);
    }

    fn continues_name(&self, ahead: usize) -> bool {
        matches!(self.byte(ahead), b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'@' | b'#' | b'$' | 0x80..)
    }

    fn dollar(&mut self, start: usize) {
        self.at += 1;
        if matches!(self.byte(0), b'a'..=b'z' | b'A'..=b'Z' | b'_') {
            self.name_chars();
            self.push(TokenKind::Pseudo, start);
        } else {
            self.money(start);
        }
    }

    /// The digits after a currency sign, none being zero, perhaps with a sign of their own. A comma ends them: it separates expressions.
    fn money(&mut self, start: usize) {
        while self.byte(0) == b' ' && (self.byte(1).is_ascii_digit() || self.byte(1) == b'.') {
            self.at += 1;
        }
        let digit = |b: u8| b.is_ascii_digit() || b == b'.';
        if matches!(self.byte(0), b'-' | b'+') && digit(self.byte(1)) {
            self.at += 1;
        }
        self.digits();
        if self.byte(0) == b'.' {
            self.at += 1;
            self.digits();
        }
        self.push(TokenKind::Money, start);
    }

    fn beyond_ascii(&mut self, start: usize) {
        let c = self.char().expect("a character begins here");
        self.at += c.len_utf8();
        if c.is_alphabetic() {
            self.name_chars();
            self.push(TokenKind::Word, start);
        } else if is_currency(c) {
            self.money(start);
        } else if !c.is_whitespace() && c != '\u{feff}' && c != '\u{200b}' {
            self.push(TokenKind::Unknown, start);
        }
    }

    fn symbol(&mut self, start: usize, c: u8) {
        use TokenKind::*;
        let next = self.byte(1);
        let (kind, len) = match (c, next) {
            (b'(', _) => (LParen, 1),
            (b')', _) => (RParen, 1),
            (b'{', _) => (LBrace, 1),
            (b'}', _) => (RBrace, 1),
            (b',', _) => (Comma, 1),
            (b'.', _) => (Dot, 1),
            (b';', _) => (Semicolon, 1),
            (b':', b':') => (DoubleColon, 2),
            (b':', _) => (Colon, 1),
            (b'=', _) => (Eq, 1),
            (b'<', b'>') => (Ne, 2),
            (b'<', b'=') => (Le, 2),
            (b'<', b'<') => (ShiftLeft, 2),
            (b'<', _) => (Lt, 1),
            (b'>', b'=') => (Ge, 2),
            (b'>', b'>') => (ShiftRight, 2),
            (b'>', _) => (Gt, 1),
            (b'!', b'=') => (Ne, 2),
            (b'!', b'>') => (Le, 2),
            (b'!', b'<') => (Ge, 2),
            (b'+', b'=') => (PlusEq, 2),
            (b'+', _) => (Plus, 1),
            (b'-', b'=') => (MinusEq, 2),
            (b'-', _) => (Minus, 1),
            (b'*', b'=') => (StarEq, 2),
            (b'*', _) => (Star, 1),
            (b'/', b'=') => (SlashEq, 2),
            (b'/', _) => (Slash, 1),
            (b'%', b'=') => (PercentEq, 2),
            (b'%', _) => (Percent, 1),
            (b'&', b'=') => (AmpersandEq, 2),
            (b'&', _) => (Ampersand, 1),
            (b'|', b'=') => (BarEq, 2),
            (b'|', b'|') => (Concat, 2),
            (b'|', _) => (Bar, 1),
            (b'^', b'=') => (CaretEq, 2),
            (b'^', _) => (Caret, 1),
            (b'~', _) => (Tilde, 1),
            _ => (Unknown, 1),
        };
        self.at += len;
        self.push(kind, start);
    }
}

#[cfg(test)]
mod tests;
