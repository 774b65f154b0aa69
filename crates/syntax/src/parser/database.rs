//! CREATE and ALTER DATABASE.

use super::{Parse, Parser};
use crate::ast::*;
use crate::lexer::{Kw, TokenKind};

/// Options of `ALTER DATABASE … SET` that have a form of their own and are known by name only.
const OPTIONS_BY_NAME: &[&str] =
    &["ENCRYPTION_SCAN", "HADR", "PARTNER", "SUSPEND_FOR_SNAPSHOT_BACKUP", "WITNESS"];

/// The other options of `ALTER DATABASE … SET`, beside those with a rule of their own.
const OPTIONS: &[&str] = &[
    "ACCELERATED_DATABASE_RECOVERY",
    "ALLOW_SNAPSHOT_ISOLATION",
    "ANSI_NULLS",
    "ANSI_NULL_DEFAULT",
    "ANSI_PADDING",
    "ANSI_WARNINGS",
    "ARITHABORT",
    "AUTOMATIC_INDEX_COMPACTION",
    "AUTOMATIC_TUNING",
    "AUTO_CLOSE",
    "AUTO_CREATE_STATISTICS",
    "AUTO_SHRINK",
    "AUTO_UPDATE_STATISTICS",
    "AUTO_UPDATE_STATISTICS_ASYNC",
    "CHANGE_TRACKING",
    "CONCAT_NULL_YIELDS_NULL",
    "CONTAINMENT",
    "CURSOR_CLOSE_ON_COMMIT",
    "CURSOR_DEFAULT",
    "DATA_RETENTION",
    "DATE_CORRELATION_OPTIMIZATION",
    "DB_CHAINING",
    "DEFAULT_FULLTEXT_LANGUAGE",
    "DEFAULT_LANGUAGE",
    "DISABLE_BROKER",
    "ENABLE_BROKER",
    "ENCRYPTION",
    "ERROR_BROKER_CONVERSATIONS",
    "FILESTREAM",
    "HONOR_BROKER_PRIORITY",
    "MANUAL_CUTOVER",
    "MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT",
    "MIXED_PAGE_ALLOCATION",
    "NESTED_TRIGGERS",
    "NEW_BROKER",
    "NUMERIC_ROUNDABORT",
    "OPTIMIZED_LOCKING",
    "PARAMETERIZATION",
    "PERSISTENT_LOG_BUFFER",
    "QUERY_STORE",
    "QUOTED_IDENTIFIER",
    "READ_COMMITTED_SNAPSHOT",
    "RECURSIVE_TRIGGERS",
    "REMOTE_DATA_ARCHIVE",
    "RESULT_SET_CACHING",
    "STALE_PAGE_DETECTION",
    "SUPPLEMENTAL_LOGGING",
    "TEMPORAL_HISTORY_RETENTION",
    "TORN_PAGE_DETECTION",
    "TRANSFORM_NOISE_WORDS",
    "TRUSTWORTHY",
    "TWO_DIGIT_YEAR_CUTOFF",
    "VARDECIMAL_STORAGE_FORMAT",
];

impl Parser<'_> {
    #[inline(never)]
    pub(super) fn create_database(&mut self) -> Parse<StatementKind> {
        self.at += 2;
        let name = self.name()?;
        let mut database = CreateDatabase {
            name,
            containment: None,
            filegroups: Vec::new(),
            log: Vec::new(),
            collation: None,
            options: Vec::new(),
            variant: None,
        };
        if self.eat_word("CONTAINMENT") {
            self.expect(TokenKind::Eq)?;
            database.containment = Some(self.any_word()?);
        }
        if self.eat_kw(Kw::On) {
            self.eat_kw(Kw::Primary);
            self.filegroups(&mut database)?;
        }
        if self.at_word("LOG") && self.ahead_kw(1, Kw::On) {
            self.at += 2;
            database.log = self.list(Self::file_spec)?;
        }
        if self.eat_kw(Kw::Collate) {
            database.collation = Some(self.name()?);
        }
        if self.eat_kw(Kw::With) {
            database.options = self.list(|p| {
                let mut option = p.named_option()?;
                if option.value.is_none() {
                    option.value = match p.kind() {
                        TokenKind::Keyword(Kw::On | Kw::Off) => Some(p.option_value()?),
                        _ => None,
                    };
                }
                Ok(option)
            })?;
        }
        if self.eat_kw(Kw::For) {
            database.variant = Some(self.any_word()?);
            if self.at_kw(Kw::With) {
                self.bump();
                database.options = self.list(Self::named_option)?;
            }
        } else if self.at_kw(Kw::As)
            && let Some(words) = [("SNAPSHOT", "SNAPSHOT OF"), ("CLONE", "CLONE OF")]
                .iter()
                .find_map(|(word, words)| self.ahead_word(1, word).then_some(*words))
        {
            self.bump();
            let start = self.bump().start;
            self.expect_kw(Kw::Of)?;
            let mut option = self.flag(words, start);
            database.variant = Some(option.name.clone());
            option.value = Some(OptionValue::Word(self.name()?));
            database.options.push(option);
        }
        Ok(StatementKind::CreateDatabase(Box::new(database)))
    }

    /// The primary group's files, then `FILEGROUP name …`, separated by commas.
    fn filegroups(&mut self, database: &mut CreateDatabase) -> Parse<()> {
        loop {
            if self.at_word("FILEGROUP") {
                self.bump();
                let name = Some(self.name()?);
                let contains =
                    if self.eat_kw(Kw::Contains) { Some(self.any_word()?) } else { None };
                let default = self.eat_kw(Kw::Default);
                let files = vec![self.file_spec()?];
                database.filegroups.push(FilegroupSpec { name, contains, default, files });
            } else {
                let file = self.file_spec()?;
                match database.filegroups.last_mut() {
                    Some(group) => group.files.push(file),
                    None => database.filegroups.push(FilegroupSpec {
                        name: None,
                        contains: None,
                        default: false,
                        files: vec![file],
                    }),
                }
            }
            if !self.eat(TokenKind::Comma) {
                return Ok(());
            }
        }
    }

    /// `(NAME = …, …)`.
    fn file_spec(&mut self) -> Parse<FileSpec> {
        let start = self.start();
        let mut file = FileSpec::default();
        self.paren_list(|p| {
            let token = p.token();
            let word = match token.kind {
                TokenKind::Word => p.slice(token).to_ascii_uppercase(),
                _ => return Err(p.unexpected()),
            };
            p.bump();
            if word == "OFFLINE" {
                file.offline = true;
                return Ok(());
            }
            p.expect(TokenKind::Eq)?;
            match &*word {
                "NAME" => file.name = Some(p.name_or_string()?),
                "NEWNAME" => file.new_name = Some(p.name_or_string()?),
                "FILENAME" => file.filename = Some(p.string()?),
                "SIZE" => file.size = Some(p.file_size()?),
                "MAXSIZE" => {
                    file.max_size = Some(if p.eat_word("UNLIMITED") {
                        MaxFileSize::Unlimited
                    } else {
                        MaxFileSize::Size(p.file_size()?)
                    });
                }
                "FILEGROWTH" => {
                    let percent = p.is(TokenKind::Integer) && p.ahead(1).kind == TokenKind::Percent;
                    file.growth = Some(if percent {
                        let amount = p.unsigned32()?;
                        p.bump();
                        FileGrowth::Percent(amount)
                    } else {
                        FileGrowth::Size(p.file_size()?)
                    });
                }
                _ => return Err(p.unexpected_token(p.at - 2)),
            }
            Ok(())
        })?;
        file.span = self.since(start);
        Ok(file)
    }

    fn file_size(&mut self) -> Parse<FileSize> {
        let amount = self.unsigned()?;
        let unit = if self.eat_word("KB") {
            SizeUnit::Kb
        } else if self.eat_word("GB") {
            SizeUnit::Gb
        } else if self.eat_word("TB") {
            SizeUnit::Tb
        } else {
            self.eat_word("MB");
            SizeUnit::Mb
        };
        Ok(FileSize { amount, unit })
    }

    #[inline(never)]
    pub(super) fn alter_database(&mut self) -> Parse<StatementKind> {
        self.at += 2;
        let name = if self.eat_kw(Kw::Current) { None } else { Some(self.name()?) };
        let action = self.alter_database_action()?;
        Ok(StatementKind::AlterDatabase(Box::new(AlterDatabase { name, action })))
    }

    fn alter_database_action(&mut self) -> Parse<AlterDatabaseAction> {
        if self.eat_kw(Kw::Set) {
            let options = self.list(Self::database_option)?;
            let termination = self.termination()?;
            return Ok(AlterDatabaseAction::Set { options, termination });
        }
        if self.eat_kw(Kw::Collate) {
            return Ok(AlterDatabaseAction::Collate(self.name()?));
        }
        if self.eat_kw(Kw::Add) {
            if self.eat_word("LOG") {
                self.expect_kw(Kw::File)?;
                return Ok(AlterDatabaseAction::AddLogFile(self.list(Self::file_spec)?));
            }
            if self.eat_word("FILEGROUP") {
                let name = self.name()?;
                let contains =
                    if self.eat_kw(Kw::Contains) { Some(self.any_word()?) } else { None };
                return Ok(AlterDatabaseAction::AddFilegroup { name, contains });
            }
            self.expect_kw(Kw::File)?;
            let files = self.list(Self::file_spec)?;
            let filegroup = if self.eat_kw(Kw::To) {
                self.expect_word("FILEGROUP")?;
                Some(self.name_or_string()?)
            } else {
                None
            };
            return Ok(AlterDatabaseAction::AddFile { files, filegroup });
        }
        if self.eat_word("REMOVE") {
            if self.eat_word("FILEGROUP") {
                return Ok(AlterDatabaseAction::RemoveFilegroup(self.name()?));
            }
            self.expect_kw(Kw::File)?;
            return Ok(AlterDatabaseAction::RemoveFile(self.name_or_string()?));
        }
        self.expect_word("MODIFY")?;
        if self.eat_kw(Kw::File) {
            return Ok(AlterDatabaseAction::ModifyFile(self.file_spec()?));
        }
        if self.eat_word("NAME") {
            self.expect(TokenKind::Eq)?;
            return Ok(AlterDatabaseAction::ModifyName(self.name()?));
        }
        self.expect_word("FILEGROUP")?;
        let name = self.name()?;
        let change = self.named_option()?;
        Ok(AlterDatabaseAction::ModifyFilegroup { name, change })
    }

    /// `WITH ROLLBACK IMMEDIATE | ROLLBACK AFTER n [SECONDS] | NO_WAIT` if it stands here.
    fn termination(&mut self) -> Parse<Option<Termination>> {
        if !self.at_kw(Kw::With) {
            return Ok(None);
        }
        self.bump();
        if self.eat_word("NO_WAIT") {
            return Ok(Some(Termination::NoWait));
        }
        self.expect_kw(Kw::Rollback)?;
        if self.eat_word("IMMEDIATE") {
            return Ok(Some(Termination::RollbackImmediate));
        }
        self.expect_word("AFTER")?;
        let seconds = self.unsigned32()?;
        self.eat_word("SECONDS");
        Ok(Some(Termination::RollbackAfter(seconds)))
    }

    /// One option of `ALTER DATABASE … SET`.
    fn database_option(&mut self) -> Parse<DatabaseOption> {
        let ident = self.any_word()?;
        let name = ident.value.to_ascii_uppercase();
        let simple = match &*name {
            "SINGLE_USER" => Some(DatabaseOption::UserAccess(UserAccess::Single)),
            "RESTRICTED_USER" => Some(DatabaseOption::UserAccess(UserAccess::Restricted)),
            "MULTI_USER" => Some(DatabaseOption::UserAccess(UserAccess::Multi)),
            "READ_ONLY" => Some(DatabaseOption::ReadOnly(true)),
            "READ_WRITE" => Some(DatabaseOption::ReadOnly(false)),
            "ONLINE" => Some(DatabaseOption::State(DatabaseState::Online)),
            "OFFLINE" => Some(DatabaseOption::State(DatabaseState::Offline)),
            "EMERGENCY" => Some(DatabaseOption::State(DatabaseState::Emergency)),
            _ => None,
        };
        if let Some(option) = simple {
            return Ok(option);
        }
        let eq = self.eat(TokenKind::Eq);
        match &*name {
            "RECOVERY" => Ok(DatabaseOption::Recovery(self.one_of(&[
                ("SIMPLE", RecoveryModel::Simple),
                ("FULL", RecoveryModel::Full),
                ("BULK_LOGGED", RecoveryModel::BulkLogged),
            ])?)),
            "DELAYED_DURABILITY" if eq => Ok(DatabaseOption::DelayedDurability(self.one_of(&[
                ("DISABLED", DelayedDurability::Disabled),
                ("ALLOWED", DelayedDurability::Allowed),
                ("FORCED", DelayedDurability::Forced),
            ])?)),
            "PAGE_VERIFY" => Ok(DatabaseOption::PageVerify(self.one_of(&[
                ("CHECKSUM", PageVerify::Checksum),
                ("TORN_PAGE_DETECTION", PageVerify::TornPageDetection),
                ("NONE", PageVerify::None),
            ])?)),
            "TARGET_RECOVERY_TIME" if eq => {
                let amount = self.unsigned32()?;
                let factor = self.one_of(&[("SECONDS", 1), ("MINUTES", 60)])?;
                Ok(DatabaseOption::TargetRecoveryTime(amount.saturating_mul(factor)))
            }
            "COMPATIBILITY_LEVEL" if eq => {
                Ok(DatabaseOption::CompatibilityLevel(self.unsigned32()?))
            }
            _ => self.other_database_option(name.into(), eq),
        }
    }

    /// The value that the current word stands for.
    fn one_of<T: Copy>(&mut self, words: &[(&str, T)]) -> Parse<T> {
        let Some(&(_, value)) = words.iter().find(|(word, _)| self.at_word(word)) else {
            return Err(self.unexpected());
        };
        self.bump();
        Ok(value)
    }

    /// An option that has no rule of its own: a switch, a value, or a name alone. The name is in capitals.
    fn other_database_option(&mut self, name: Box<str>, eq: bool) -> Parse<DatabaseOption> {
        if OPTIONS_BY_NAME.contains(&&*name) {
            self.past_option();
            return Ok(DatabaseOption::Other(name, None));
        }
        if !OPTIONS.contains(&&*name) {
            let at = self.at - 1 - usize::from(eq);
            return Err(self.unexpected_token(at));
        }
        if &*name == "QUERY_STORE" && self.eat_word("CLEAR") {
            let option = self.flag("CLEAR", self.end());
            self.eat_kw(Kw::All);
            return Ok(DatabaseOption::Other(name, Some(OptionValue::Word(option.name))));
        }
        let value = match self.kind() {
            TokenKind::Keyword(Kw::With) | TokenKind::Comma | TokenKind::Semicolon if !eq => None,
            TokenKind::Keyword(Kw::On | Kw::Off)
            | TokenKind::LParen
            | TokenKind::Word
            | TokenKind::Keyword(Kw::Full | Kw::All) => Some(self.option_value()?),
            _ if eq => Some(self.option_value()?),
            _ => None,
        };
        self.past_details(&name)?;
        Ok(match value {
            Some(OptionValue::On) => DatabaseOption::Switch(name, true),
            Some(OptionValue::Off) => DatabaseOption::Switch(name, false),
            value => DatabaseOption::Other(name, value),
        })
    }

    /// Past the words and values of an option that is known by its name only.
    fn past_option(&mut self) {
        loop {
            match self.kind() {
                TokenKind::LParen => {
                    if self.skip_parentheses().is_err() {
                        return;
                    }
                }
                TokenKind::Word if self.is_label() => return,
                TokenKind::Keyword(Kw::Group | Kw::On | Kw::Off | Kw::Full)
                | TokenKind::Word
                | TokenKind::Delimited
                | TokenKind::String
                | TokenKind::NString
                | TokenKind::Integer
                | TokenKind::Eq => {
                    self.bump();
                }
                _ => return,
            }
        }
    }

    /// `ALTER DATABASE SCOPED CONFIGURATION …`.
    pub(super) fn scoped_configuration(&mut self) -> Parse<StatementKind> {
        self.at += 4;
        let secondary = self.eat_words(&["FOR", "SECONDARY"]);
        let clear = self.eat_word("CLEAR");
        if !clear {
            self.expect_kw(Kw::Set)?;
        }
        let option = if clear {
            let name = self.any_word()?;
            let value = match self.kind() {
                TokenKind::Binary | TokenKind::Word => Some(self.option_value()?),
                _ => None,
            };
            NamedOption { name, value }
        } else {
            self.named_option()?
        };
        let action = AlterDatabaseAction::ScopedConfiguration { secondary, clear, option };
        Ok(StatementKind::AlterDatabase(Box::new(AlterDatabase { name: None, action })))
    }
}
