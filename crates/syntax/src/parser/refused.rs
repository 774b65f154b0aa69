//! Statements of T-SQL that are known by their names only: the engine refuses each by its name.

use super::{Parse, Parser};
use crate::ast::*;
use crate::lexer::{Kw, TokenKind};

/// Objects of `CREATE`, `ALTER` and `DROP` beside those that have a rule of their own.
const OBJECTS: &[&str] = &[
    "AGGREGATE",
    "ASSEMBLY",
    "ASYMMETRIC KEY",
    "AVAILABILITY GROUP",
    "BROKER PRIORITY",
    "CERTIFICATE",
    "COLUMN ENCRYPTION KEY",
    "COLUMN MASTER KEY",
    "CONTRACT",
    "CRYPTOGRAPHIC PROVIDER",
    "DATABASE AUDIT SPECIFICATION",
    "DATABASE ENCRYPTION KEY",
    "DEFAULT",
    "ENDPOINT",
    "EVENT NOTIFICATION",
    "EXTERNAL DATA SOURCE",
    "EXTERNAL FILE FORMAT",
    "EXTERNAL LANGUAGE",
    "EXTERNAL LIBRARY",
    "EXTERNAL MODEL",
    "EXTERNAL RESOURCE POOL",
    "EXTERNAL TABLE",
    "FULLTEXT CATALOG",
    "FULLTEXT INDEX",
    "FULLTEXT STOPLIST",
    "JSON INDEX",
    "MASTER KEY",
    "MESSAGE TYPE",
    "PARTITION FUNCTION",
    "PARTITION SCHEME",
    "PRIMARY XML INDEX",
    "QUEUE",
    "REMOTE SERVICE BINDING",
    "RESOURCE GOVERNOR",
    "RESOURCE POOL",
    "ROUTE",
    "RULE",
    "SEARCH PROPERTY LIST",
    "SELECTIVE XML INDEX",
    "SERVER AUDIT",
    "SERVER AUDIT SPECIFICATION",
    "SERVER CONFIGURATION",
    "SERVICE",
    "SERVICE MASTER KEY",
    "SPATIAL INDEX",
    "SYMMETRIC KEY",
    "VECTOR INDEX",
    "WORKLOAD GROUP",
    "XML INDEX",
    "XML SCHEMA COLLECTION",
];

/// Further objects of `ADD` and `DROP`.
const SIGNATURES: &[&str] = &["COUNTER SIGNATURE", "SENSITIVITY CLASSIFICATION", "SIGNATURE"];

/// Keys and certificates, as `BACKUP`, `RESTORE`, `OPEN` and `CLOSE` name them.
const KEYS: &[&str] =
    &["ALL SYMMETRIC KEYS", "CERTIFICATE", "MASTER KEY", "SERVICE MASTER KEY", "SYMMETRIC KEY"];

impl Parser<'_> {
    /// A statement known by its first `words` only, which goes on to a semicolon, to an `ELSE` or `END` that is not a CASE's, or to
    /// the batch's end.
    pub(super) fn unsupported(&mut self, words: usize) -> StatementKind {
        let words: Vec<String> =
            (0..words).map(|n| self.slice(self.ahead(n)).to_ascii_uppercase()).collect();
        let (mut depth, mut cases) = (0usize, 0usize);
        loop {
            match self.kind() {
                TokenKind::End => break,
                TokenKind::Keyword(Kw::Case) => cases += 1,
                TokenKind::Keyword(Kw::End) if cases > 0 => cases -= 1,
                TokenKind::Keyword(Kw::Else) if cases > 0 => {}
                TokenKind::Semicolon | TokenKind::Keyword(Kw::End | Kw::Else) if depth == 0 => {
                    break;
                }
                TokenKind::LParen => depth += 1,
                TokenKind::RParen => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.bump();
        }
        refused(&words.join(" "))
    }

    /// How many words of the longest of these names follow the current token.
    fn named(&self, names: &[&str]) -> Option<usize> {
        let follows = |name: &&&str| {
            name.split(' ').enumerate().all(|(n, word)| self.ahead_word(1 + n, word))
        };
        names.iter().filter(follows).map(|name| name.split(' ').count()).max()
    }

    /// `CREATE`, `ALTER` or `DROP` of an object that is known by name only, if that stands here.
    pub(super) fn object_by_name(&mut self) -> Option<StatementKind> {
        let drop = self.at_kw(Kw::Drop);
        let signature = if drop { self.named(SIGNATURES) } else { None };
        let words = self.named(OBJECTS).or(signature)?;
        Some(self.unsupported(1 + words))
    }

    /// `ADD SIGNATURE` and its like.
    pub(super) fn add(&mut self) -> Parse<StatementKind> {
        match self.named(SIGNATURES) {
            Some(words) => Ok(self.unsupported(1 + words)),
            None => Err(self.unexpected()),
        }
    }

    /// `BACKUP`, `RESTORE`, `OPEN` or `CLOSE` of a key or certificate, or `BACKUP` of several databases, if that stands
    /// here.
    pub(super) fn key_statement(&mut self) -> Option<StatementKind> {
        let servers =
            self.at_kw(Kw::Backup) && (self.ahead_word(1, "SERVER") || self.ahead_kw(1, Kw::Group));
        let words = if servers { 1 } else { self.named(KEYS)? };
        Some(self.unsupported(1 + words))
    }

    /// How many words name the statement of Service Broker that begins here.
    fn broker_words(&self) -> Option<usize> {
        let is = |words: &[&str]| words.iter().enumerate().all(|(n, w)| self.ahead_word(n, w));
        if is(&["SEND", "ON"]) || is(&["MOVE", "CONVERSATION"]) {
            return Some(2);
        }
        if is(&["GET", "CONVERSATION", "GROUP"]) {
            return Some(3);
        }
        (self.at_word("RECEIVE") && self.receive_follows()).then_some(1)
    }

    /// Behind `RECEIVE` stand columns of a queue, not the first argument of a procedure of that name.
    fn receive_follows(&self) -> bool {
        match self.ahead(1).kind {
            TokenKind::Star => true,
            TokenKind::Keyword(Kw::Top) => true,
            TokenKind::Word | TokenKind::Delimited | TokenKind::Variable => {
                let rest = &self.tokens[self.at..];
                let ends = |kind| {
                    matches!(kind, TokenKind::Semicolon | TokenKind::Keyword(Kw::From | Kw::Select))
                };
                rest.iter()
                    .find(|t| ends(t.kind))
                    .is_some_and(|t| t.kind == TokenKind::Keyword(Kw::From))
            }
            _ => false,
        }
    }

    /// A statement of Service Broker begins here.
    pub(super) fn at_broker_statement(&self) -> bool {
        self.broker_words().is_some()
    }

    /// `SEND`, `RECEIVE`, `GET` or `MOVE CONVERSATION`, if one stands here.
    pub(super) fn broker_statement(&mut self) -> Option<StatementKind> {
        let words = self.broker_words()?;
        Some(self.unsupported(words))
    }

    /// `END CONVERSATION handle` begins here, not the end of a block.
    pub(super) fn at_end_conversation(&self) -> bool {
        self.at_kw(Kw::End)
            && self.ahead_word(1, "CONVERSATION")
            && matches!(self.ahead(2).kind, TokenKind::Variable | TokenKind::String)
    }

    /// `END CONVERSATION handle [WITH CLEANUP | WITH ERROR = code DESCRIPTION = text]`.
    pub(super) fn end_conversation(&mut self) -> Parse<StatementKind> {
        if !self.at_end_conversation() {
            return Err(self.unexpected());
        }
        self.at += 3;
        if self.eat_kw(Kw::With) && !self.eat_word("CLEANUP") {
            for word in ["ERROR", "DESCRIPTION"] {
                self.expect_word(word)?;
                self.expect(TokenKind::Eq)?;
                self.literal_or_variable()?;
            }
        }
        Ok(refused("END CONVERSATION"))
    }

    /// `BEGIN ATOMIC WITH (…) statements END`: the body of a natively compiled module.
    pub(super) fn begin_atomic(&mut self) -> Parse<StatementKind> {
        self.at += 2;
        self.expect_kw(Kw::With)?;
        self.skip_parentheses()?;
        self.statements()?;
        self.expect_kw(Kw::End)?;
        Ok(refused("BEGIN ATOMIC"))
    }
}

/// A statement that is refused by this name.
pub(super) fn refused(name: &str) -> StatementKind {
    StatementKind::Unsupported(Box::new(Unsupported { what: name.into() }))
}
