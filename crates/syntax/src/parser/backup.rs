//! BACKUP and RESTORE.

use super::{Parse, Parser};
use crate::ast::*;
use crate::lexer::{Kw, TokenKind};

impl Parser<'_> {
    #[inline(never)]
    pub(super) fn backup(&mut self) -> Parse<StatementKind> {
        if let Some(refused) = self.key_statement() {
            return Ok(refused);
        }
        let kind = match self.ahead(1).kind {
            TokenKind::Keyword(Kw::Database | Kw::Tran | Kw::Transaction) => {
                if self.ahead_kw(1, Kw::Database) { BackupKind::Database } else { BackupKind::Log }
            }
            _ if self.ahead_word(1, "LOG") => BackupKind::Log,
            _ => {
                self.bump();
                return Err(self.unexpected());
            }
        };
        self.at += 2;
        let database = self.name_or_variable()?;
        let parts = self.backup_parts()?;
        // What truncated the log once has no device; the engine knows these options no more (message 155).
        let gone = ["TRUNCATE_ONLY", "NO_LOG"].iter().any(|word| self.ahead_word(1, word));
        let to = if kind == BackupKind::Log && self.at_kw(Kw::With) && gone {
            Vec::new()
        } else {
            self.expect_kw(Kw::To)?;
            self.list(Self::device)?
        };
        let mut mirrors = Vec::new();
        while self.eat_words(&["MIRROR", "TO"]) {
            mirrors.push(self.list(Self::device)?);
        }
        let mut options = Vec::new();
        if self.eat_kw(Kw::With) {
            self.backup_options(&mut options, &mut Vec::new())?;
        }
        let backup = Backup { kind, database, parts, to, mirrors, options };
        Ok(StatementKind::Backup(Box::new(backup)))
    }

    /// `FILE = …, FILEGROUP = …, PAGE = …, READ_WRITE_FILEGROUPS`.
    fn backup_parts(&mut self) -> Parse<Vec<NamedOption>> {
        let part = ["FILE", "FILEGROUP", "PAGE", "READ_WRITE_FILEGROUPS"];
        if part.iter().any(|word| self.at_word(word)) {
            return self.list(Self::named_option);
        }
        Ok(Vec::new())
    }

    fn device(&mut self) -> Parse<Device> {
        let kind = if self.at_kw(Kw::Disk) {
            DeviceKind::Disk
        } else if self.ahead(1).kind != TokenKind::Eq {
            DeviceKind::Logical
        } else if self.at_word("TAPE") {
            DeviceKind::Tape
        } else if self.at_word("URL") {
            DeviceKind::Url
        } else if self.at_word("DATABASE_SNAPSHOT") {
            DeviceKind::DatabaseSnapshot
        } else {
            return Err(self.unexpected());
        };
        if kind != DeviceKind::Logical {
            self.bump();
            self.expect(TokenKind::Eq)?;
        }
        let target = match self.kind() {
            TokenKind::Variable => OptionValue::Variable(self.variable()?),
            TokenKind::String | TokenKind::NString if kind != DeviceKind::Logical => {
                OptionValue::Text(self.string()?)
            }
            _ if kind == DeviceKind::Logical => OptionValue::Word(self.name()?),
            _ => return Err(self.unexpected()),
        };
        Ok(Device { kind, target })
    }

    /// The options after `WITH`; commas may be missing.
    fn backup_options(
        &mut self,
        options: &mut Vec<NamedOption>,
        moves: &mut Vec<(OptionValue, OptionValue)>,
    ) -> Parse<()> {
        loop {
            if self.eat_word("MOVE") {
                let logical = self.option_value()?;
                self.expect_kw(Kw::To)?;
                moves.push((logical, self.option_value()?));
            } else if self.at_word("ENCRYPTION") && self.ahead(1).kind == TokenKind::LParen {
                let start = self.bump().start;
                self.skip_parentheses()?;
                options.push(self.flag("ENCRYPTION", start));
            } else {
                let option = self.named_option()?;
                let mark = option.name.is("STOPATMARK") || option.name.is("STOPBEFOREMARK");
                options.push(option);
                if mark && self.at_word("AFTER") {
                    let name = self.any_word()?;
                    let value = Some(self.option_value()?);
                    options.push(NamedOption { name, value });
                }
            }
            if !self.eat(TokenKind::Comma) {
                return Ok(());
            }
        }
    }

    #[inline(never)]
    pub(super) fn restore(&mut self) -> Parse<StatementKind> {
        const LOOK: &[(&str, RestoreKind)] = &[
            ("HEADERONLY", RestoreKind::HeaderOnly),
            ("FILELISTONLY", RestoreKind::FileListOnly),
            ("LABELONLY", RestoreKind::LabelOnly),
            ("VERIFYONLY", RestoreKind::VerifyOnly),
            ("REWINDONLY", RestoreKind::RewindOnly),
        ];
        let look = LOOK.iter().find(|(word, _)| self.ahead_word(1, word));
        let kind = if self.ahead_kw(1, Kw::Database) {
            RestoreKind::Database
        } else if self.ahead_word(1, "LOG") {
            RestoreKind::Log
        } else if let Some(&(_, kind)) = look {
            kind
        } else if let Some(refused) = self.key_statement() {
            return Ok(refused);
        } else {
            self.bump();
            return Err(self.unexpected());
        };
        self.at += 2;
        let mut restore = Restore {
            kind,
            database: None,
            parts: Vec::new(),
            from: Vec::new(),
            options: Vec::new(),
            moves: Vec::new(),
        };
        if matches!(kind, RestoreKind::Database | RestoreKind::Log) {
            restore.database = Some(self.name_or_variable()?);
            restore.parts = self.backup_parts()?;
            if self.eat_kw(Kw::From) {
                restore.from = self.list(Self::device)?;
            }
        } else {
            self.expect_kw(Kw::From)?;
            restore.from = self.list(Self::device)?;
        }
        if self.eat_kw(Kw::With) {
            let Restore { options, moves, .. } = &mut restore;
            self.backup_options(options, moves)?;
        }
        Ok(StatementKind::Restore(Box::new(restore)))
    }
}
