//! Option lists: `NAME = value, …` in the many forms that follow WITH and SET.

use super::{Parse, Parser};
use crate::ast::{Ident, NamedOption, OptionValue};
use crate::lexer::{Kw, TokenKind};

/// Options whose value may have parentheses behind it: `LEDGER_VIEW = name (columns)`, `REMOTE_DATA_ARCHIVE = OFF (…)`,
/// `QUERY_STORE = OFF (FORCED)`.
const DETAILED: &[&str] = &["LEDGER_VIEW", "QUERY_STORE", "REMOTE_DATA_ARCHIVE"];

impl Parser<'_> {
    /// `NAME`, `NAME = value` or `NAME (list)`.
    pub(super) fn named_option(&mut self) -> Parse<NamedOption> {
        let name = self.any_word()?;
        let value = if self.eat(TokenKind::Eq) || self.is(TokenKind::LParen) {
            Some(self.option_value()?)
        } else {
            None
        };
        self.past_details(&name.value)?;
        Ok(NamedOption { name, value })
    }

    /// Past the parentheses behind the value of this option, if they stand here and may.
    pub(super) fn past_details(&mut self, option: &str) -> Parse<()> {
        let detailed = DETAILED.iter().any(|known| known.eq_ignore_ascii_case(option));
        if detailed && self.is(TokenKind::LParen) { self.skip_parentheses() } else { Ok(()) }
    }

    /// Reads `(option, …)`, options nested in options too.
    pub(super) fn option_list(&mut self) -> Parse<Vec<NamedOption>> {
        self.nested(|p| p.paren_list(Self::named_option))
    }

    /// `WITH (option, …)` if it stands here.
    pub(super) fn with_options(&mut self) -> Parse<Vec<NamedOption>> {
        if self.at_kw(Kw::With) && self.ahead(1).kind == TokenKind::LParen {
            self.bump();
            return self.option_list();
        }
        Ok(Vec::new())
    }

    /// A value after the equals sign.
    pub(super) fn option_value(&mut self) -> Parse<OptionValue> {
        Ok(match self.kind() {
            TokenKind::Keyword(Kw::On) => {
                self.bump();
                if self.is(TokenKind::LParen) {
                    return Ok(OptionValue::List(self.option_list()?));
                }
                self.on_partitions()?;
                OptionValue::On
            }
            TokenKind::Keyword(Kw::Off) => {
                self.bump();
                self.on_partitions()?;
                OptionValue::Off
            }
            TokenKind::LParen => self.option_value_list()?,
            TokenKind::Variable => OptionValue::Variable(self.variable()?),
            TokenKind::String | TokenKind::NString => OptionValue::Text(self.string()?),
            TokenKind::Binary => {
                let token = self.bump();
                match self.literal(token) {
                    Some(crate::ast::Literal::Binary(bytes)) => OptionValue::Binary(bytes),
                    _ => return Err(self.unexpected()),
                }
            }
            TokenKind::Integer if self.at_unit(1) => {
                let amount = self.unsigned()?;
                let token = self.bump();
                OptionValue::Quantity(amount, self.word_ident(token))
            }
            TokenKind::Integer
            | TokenKind::Decimal
            | TokenKind::Float
            | TokenKind::Minus
            | TokenKind::Plus => OptionValue::Number(self.signed_text()?),
            _ => {
                let word = self.any_word()?;
                let word = self.dotted_word(word)?;
                self.on_partitions()?;
                OptionValue::Word(word)
            }
        })
    }

    /// Past `ON PARTITIONS (1, 2 TO 4)` if it stands here, as behind `DATA_COMPRESSION = PAGE` and `XML_COMPRESSION = OFF`.
    fn on_partitions(&mut self) -> Parse<()> {
        if self.eat_words(&["ON", "PARTITIONS"]) {
            self.skip_parentheses()?;
        }
        Ok(())
    }

    /// `schema.name` as one word. A part that would not be told by the dots stands in brackets.
    fn dotted_word(&mut self, mut word: Ident) -> Parse<Ident> {
        let told = |part: &str| match part.contains(['.', '[', ']']) {
            true => format!("[{}]", part.replace(']', "]]")),
            false => part.to_string(),
        };
        if self.is(TokenKind::Dot) {
            word.value = told(&word.value).into();
        }
        while self.eat(TokenKind::Dot) {
            let next = self.any_word()?;
            word.value = format!("{}.{}", word.value, told(&next.value)).into();
            word.span = word.span.to(next.span);
        }
        Ok(word)
    }

    /// `(…)`: options, or plain values, each of which becomes an option's name.
    fn option_value_list(&mut self) -> Parse<OptionValue> {
        let list = self.nested(|p| {
            p.paren_list(|p| match p.kind() {
                TokenKind::Word | TokenKind::Delimited | TokenKind::Keyword(_) => {
                    let mut option = p.named_option()?;
                    // ORDER (column ASC)
                    if option.value.is_none() {
                        if p.eat_kw(Kw::Desc) {
                            let desc = p.word_ident(p.tokens[p.at - 1]);
                            option.value = Some(OptionValue::Word(desc));
                        } else {
                            p.eat_kw(Kw::Asc);
                        }
                    }
                    Ok(option)
                }
                _ => {
                    let start = p.start();
                    let value = p.option_value()?;
                    let span = p.since(start);
                    let name = Ident { value: span.of(p.text).into(), span, delimited: false };
                    Ok(NamedOption { name, value: Some(value) })
                }
            })
        })?;
        Ok(OptionValue::List(list))
    }

    /// The token `n` ahead is a unit.
    fn at_unit(&self, n: usize) -> bool {
        self.ahead(n).kind == TokenKind::Percent
            || [
                "KB", "MB", "GB", "TB", "SECOND", "SECONDS", "MINUTE", "MINUTES", "HOUR", "HOURS",
                "DAY", "DAYS", "WEEK", "WEEKS", "MONTH", "MONTHS", "YEAR", "YEARS", "PERCENT",
                "ROWS",
            ]
            .iter()
            .any(|unit| self.ahead_word(n, unit))
    }

    /// Past a parenthesis and everything up to its closing one.
    pub(super) fn skip_parentheses(&mut self) -> Parse<()> {
        self.expect(TokenKind::LParen)?;
        let mut depth = 1;
        while depth > 0 {
            match self.kind() {
                TokenKind::LParen => depth += 1,
                TokenKind::RParen => depth -= 1,
                TokenKind::End => return Err(self.unexpected()),
                _ => {}
            }
            self.bump();
        }
        Ok(())
    }

    /// An option with these words, in capitals, as its name and nothing after it.
    pub(super) fn flag(&self, words: &str, start: u32) -> NamedOption {
        let name = Ident { value: words.into(), span: self.since(start), delimited: false };
        NamedOption { name, value: None }
    }
}
