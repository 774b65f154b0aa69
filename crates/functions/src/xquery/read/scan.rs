//! The characters of an expression: blanks, words, names, texts and numbers.

use super::QueryReader;
pub(super) use crate::xml::{begins_name, in_name};
use crate::xquery::name::QName;
use taffrail_base::SqlResult;

impl<'t> QueryReader<'t> {
    /// Skips white space and comments.
    pub(super) fn blank(&mut self) -> SqlResult<()> {
        loop {
            self.rest = self.rest.trim_start();
            if !self.rest.starts_with("(:") {
                return Ok(());
            }
            let from = self.rest;
            let (mut level, mut at) = (1, 2);
            while level > 0 {
                let Some(n) = from[at..].find([':', '(']) else {
                    return Err(self.error(2340, &[&self.line()]));
                };
                at += n;
                let step = match &from[at..] {
                    more if more.starts_with("(:") => 1,
                    more if more.starts_with(":)") => -1,
                    _ => 0,
                };
                level += step;
                at += if step == 0 { 1 } else { 2 };
            }
            self.rest = &from[at..];
        }
    }

    /// The line of the text that the reader has come to.
    pub(super) fn line(&self) -> usize {
        let read = self.text.len() - self.rest.len();
        self.text[..read].matches('\n').count() + 1
    }

    fn skip(&mut self) {
        // A comment without an end is told by whoever reads on.
        let _ = self.blank();
    }

    /// Whether this text comes next.
    pub(super) fn is(&mut self, text: &str) -> bool {
        self.skip();
        self.rest.starts_with(text)
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let is = self.is(text);
        if is {
            self.rest = &self.rest[text.len()..];
        }
        is
    }

    /// Whether a word comes next, and this behind it.
    pub(super) fn is_words(&mut self, word: &str, next: &str) -> bool {
        let before = self.rest;
        let is = self.eat_word(word) && self.is(next);
        self.rest = before;
        is
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        self.skip();
        match self.rest.strip_prefix(word) {
            Some(rest) if !rest.starts_with(in_name) => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    pub(super) fn expect(&mut self, text: &str) -> SqlResult<()> {
        match self.eat(text) {
            true => Ok(()),
            false => Err(self.error(2205, &[&text])),
        }
    }

    /// The token that an error is near of.
    pub(super) fn near(&self) -> String {
        let rest = self.rest.trim_start();
        let Some(first) = rest.chars().next() else { return "<eof>".into() };
        if begins_name(first) {
            let end = rest.find(|c| !in_name(c) && c != ':').unwrap_or(rest.len());
            return rest[..end].to_owned();
        }
        if first.is_ascii_digit() {
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
            return rest[..end].to_owned();
        }
        first.to_string()
    }

    /// A name without a prefix, if one stands here.
    pub(super) fn bare_name(&mut self) -> Option<&'t str> {
        let end = self.rest.find(|c| !in_name(c)).unwrap_or(self.rest.len());
        let name = &self.rest[..end];
        name.starts_with(begins_name).then(|| {
            self.rest = &self.rest[end..];
            name
        })
    }

    pub(super) fn plain_name(&mut self) -> SqlResult<String> {
        self.blank()?;
        match self.bare_name() {
            Some(_) if self.rest.starts_with(':') && !self.rest.starts_with(":=") => {
                Err(self.error(9323, &[]))
            }
            Some(name) => Ok(name.to_owned()),
            None => Err(self.error(2223, &[&self.near()])),
        }
    }

    /// A name as it is written: the prefix and the rest.
    pub(super) fn written_name(&mut self) -> SqlResult<(&'t str, &'t str)> {
        let Some(first) = self.bare_name() else {
            return Err(self.error(2223, &[&self.near()]));
        };
        let rest = self.rest.strip_prefix(':').filter(|r| r.starts_with(begins_name));
        let Some(rest) = rest else { return Ok(("", first)) };
        self.rest = rest;
        Ok((first, self.bare_name().unwrap_or_default()))
    }

    /// A name with its namespace; without a prefix it has none.
    pub(super) fn qualified_name(&mut self) -> SqlResult<QName> {
        let (prefix, local) = self.written_name()?;
        let uri = match prefix {
            "" => "".into(),
            prefix => self.namespace(prefix)?,
        };
        Ok(QName { prefix: prefix.into(), local: local.into(), uri })
    }

    pub(super) fn namespace(&self, prefix: &str) -> SqlResult<std::sync::Arc<str>> {
        self.prefixes.find(prefix).ok_or_else(|| self.error(2229, &[&prefix]))
    }

    /// A text in quotation marks, which are written twice within it.
    pub(super) fn literal(&mut self) -> SqlResult<Option<String>> {
        self.blank()?;
        let Some(quote) = self.rest.chars().next().filter(|c| "\"'".contains(*c)) else {
            return Ok(None);
        };
        let line = self.line();
        let mut text = String::new();
        let mut rest = &self.rest[1..];
        loop {
            let Some(end) = rest.find(quote) else {
                return Err(self.error(2274, &[&line]));
            };
            text.push_str(&rest[..end]);
            rest = &rest[end + 1..];
            if !rest.starts_with(quote) {
                break;
            }
            text.push(quote);
            rest = &rest[1..];
        }
        self.rest = rest;
        self.references(&text).map(Some)
    }

    /// A text with its references resolved: 2282 and 2285 for what is none.
    pub(super) fn references(&self, text: &str) -> SqlResult<String> {
        for part in text.split('&').skip(1) {
            let name = part.split_once(';').map_or("", |p| p.0);
            let code = match name.strip_prefix('#') {
                Some(digits) => match digits.strip_prefix('x') {
                    Some(digits) => u32::from_str_radix(digits, 16),
                    None => digits.parse(),
                },
                None if matches!(name, "amp" | "lt" | "gt" | "quot" | "apos") => continue,
                None => return Err(self.error(2282, &[])),
            };
            let c = code.ok().and_then(char::from_u32);
            if !c.is_some_and(crate::xml::is_allowed) {
                return Err(self.error(2285, &[]));
            }
        }
        Ok(crate::xquery::tree::decoded(text))
    }
}
