//! SET options, USE, and what statements of the catalogue are called.

use super::showplan::is_showplan;
use crate::database::Database;
use crate::session::rights::securable_of;
use crate::session::{Isolation, Session};
use crate::sink::{EnvChange, ResultSink};
use std::sync::Arc;
use taffrail_base::message::client_gone;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{self, SwitchOption, ValueOption};
use taffrail_types::Value;
use taffrail_types::datetime::{DateFormat, LanguageId};

impl Session {
    pub(crate) fn set_switch(&mut self, o: SwitchOption, on: bool) -> SqlResult<()> {
        if is_showplan(&[o]) {
            // Of a text that another one runs it would not last.
            if self.activation.nest_level > 0 {
                return Err(SqlError::new(1067, &[]));
            }
            self.allow_showing_plans()?;
        }
        let s = &mut self.activation.options;
        match o {
            SwitchOption::NoCount => s.nocount = on,
            SwitchOption::XactAbort => s.xact_abort = on,
            SwitchOption::ImplicitTransactions => s.implicit_transactions = on,
            // Obeyed when the text was parsed.
            SwitchOption::QuotedIdentifier | SwitchOption::ParseOnly => {}
            SwitchOption::AnsiNulls => s.ansi_nulls = on,
            SwitchOption::AnsiPadding => s.ansi_padding = on,
            SwitchOption::AnsiWarnings => s.ansi_warnings = on,
            SwitchOption::AnsiNullDfltOn => s.ansi_null_dflt_on = on,
            SwitchOption::AnsiNullDfltOff => s.ansi_null_dflt_on = !on,
            SwitchOption::ArithAbort => s.arithabort = on,
            SwitchOption::ArithIgnore => s.arithignore = on,
            SwitchOption::ConcatNullYieldsNull => s.concat_null_yields_null = on,
            SwitchOption::NumericRoundAbort => s.numeric_roundabort = on,
            SwitchOption::CursorCloseOnCommit => s.cursor_close_on_commit = on,
            SwitchOption::FmtOnly => s.fmtonly = on,
            SwitchOption::NoExec => s.noexec = on,
            SwitchOption::ShowPlanText => s.showing.text = on,
            SwitchOption::ShowPlanAll => s.showing.all = on,
            SwitchOption::ShowPlanXml => s.showing.xml = on,
            SwitchOption::StatisticsProfile => s.profiling.rows = on,
            SwitchOption::StatisticsXml => s.profiling.xml = on,
            SwitchOption::StatisticsTime => s.statistics_time = on,
            SwitchOption::StatisticsIo => s.statistics_io = on,
            SwitchOption::AnsiDefaults => {
                s.ansi_nulls = on;
                s.ansi_null_dflt_on = on;
                s.ansi_padding = on;
                s.ansi_warnings = on;
                s.implicit_transactions = on;
            }
            // Browse mode adds hidden key columns for old client cursors: without it results are the plain ones.
            SwitchOption::NoBrowseTable | SwitchOption::ForcePlan => {}
            SwitchOption::RemoteProcTransactions if !on => {}
            _ if !on => {}
            other => {
                return Err(taffrail_base::message::unsupported(format_args!(
                    "SET {} ON",
                    other.words()
                )));
            }
        }
        Ok(())
    }

    pub(crate) fn set_isolation(&mut self, level: ast::IsolationLevel) -> SqlResult<()> {
        self.activation.options.isolation = match level {
            ast::IsolationLevel::ReadUncommitted => Isolation::ReadUncommitted,
            ast::IsolationLevel::ReadCommitted => Isolation::ReadCommitted,
            ast::IsolationLevel::RepeatableRead => Isolation::RepeatableRead,
            ast::IsolationLevel::Serializable => Isolation::Serializable,
            ast::IsolationLevel::Snapshot => Isolation::Snapshot,
        };
        let isolation = self.activation.options.isolation.into();
        for p in &mut self.transaction.parts {
            p.tx.set_isolation(isolation);
        }
        Ok(())
    }

    pub(crate) fn set_identity_insert(
        &mut self,
        module: &super::module::Module,
        name: &ast::ObjectName,
        on: bool,
    ) -> SqlResult<()> {
        let missing = || SqlError::new(1088, &[name]);
        let home = self.database.clone();
        let found = loop {
            self.take_blocked();
            let metadata = super::metadata::SessionMetadata::new(self, &home, &[]);
            let metadata = metadata.of_module(module);
            let found = crate::binder::Metadata::table(&metadata, name);
            match self.take_blocked() {
                Some(blocked) => self.wait_for_ddl(blocked)?,
                None => break found,
            }
        };
        let (database, table) = match found {
            Ok(crate::binder::Resolved::Table(d, t)) => (d, t),
            _ => return Err(missing()),
        };
        if !self.activation.security().is_sa() {
            let at = securable_of(&database, &table.head, self.id);
            let temporary = table.name().starts_with('#');
            if !temporary && !self.rights_in(&database)?.may(&at, super::authority::ALTER) {
                return Err(missing().with_state(11));
            }
        }
        let key = (database.id, table.id());
        if !on {
            if self.activation.identity_insert == Some(key) {
                self.activation.identity_insert = None;
            }
            return Ok(());
        }
        if table.identity.is_none() {
            return Err(SqlError::new(8106, &[name]));
        }
        if let Some((db, id)) = self.activation.identity_insert
            && (db, id) != key
            && let Some(d) = self.instance.databases().by_id(db)
            && let Some(t) = d.catalog.table(id, self.id)
        {
            let (schema, other) = (&t.head.schema, t.name());
            return Err(SqlError::new(8107, &[&d.name, schema, &other, name]));
        }
        self.activation.identity_insert = Some(key);
        Ok(())
    }

    /// A SET option with a value. The languages new and old when that is what changed.
    pub(crate) fn set_value(
        &mut self,
        o: ValueOption,
        v: &Value,
    ) -> SqlResult<Option<(String, String)>> {
        let number = || v.as_i64();
        let text = || match v.as_i64() {
            Some(n) => n.to_string(),
            None => v.as_text().unwrap_or_default().to_string(),
        };
        match o {
            ValueOption::LockTimeout => {
                let ms = number().unwrap_or(-1).max(-1) as i32;
                self.activation.options.lock_timeout = ms;
                for p in &mut self.transaction.parts {
                    p.tx.set_lock_timeout(ms);
                }
            }
            ValueOption::RowCount => match number() {
                Some(n) if n >= 0 => self.activation.options.row_count = n as u64,
                _ => return Err(SqlError::new(507, &[])),
            },
            ValueOption::TextSize => {
                let n = number().unwrap_or(0) as i32;
                self.activation.options.text_size = match n {
                    // Back to the documented default.
                    0 => 4096,
                    n if n < 0 => -1,
                    n => n,
                };
            }
            ValueOption::DateFirst => match number() {
                Some(n @ 1..=7) => self.activation.options.date_first = n as u8,
                _ => return Err(SqlError::new(2742, &[&text()])),
            },
            ValueOption::DateFormat => {
                let name = text();
                self.activation.options.date_format =
                    DateFormat::from_name(&name).ok_or_else(|| SqlError::new(2741, &[&name]))?;
            }
            ValueOption::DeadlockPriority => {
                self.activation.options.deadlock_priority =
                    match (&*text().to_ascii_uppercase(), number()) {
                        ("LOW", _) => -5,
                        ("NORMAL", _) => 0,
                        ("HIGH", _) => 5,
                        (_, Some(n @ -10..=10)) => n as i8,
                        _ => return Err(SqlError::new(102, &[&text()])),
                    };
                self.set_lock_priority();
            }
            ValueOption::Language => {
                let name = text();
                let new =
                    LanguageId::of_name(&name).ok_or_else(|| SqlError::new(2740, &[&name]))?;
                let old = self.activation.options.language;
                self.activation.options.set_language(new);
                return Ok(Some((new.get().name.into(), old.get().name.into())));
            }
            // Always 128 bytes.
            ValueOption::ContextInfo => {
                self.kept.context_info = match v.as_bytes() {
                    Some(bytes) => {
                        let mut info = bytes[..bytes.len().min(128)].to_vec();
                        info.resize(128, 0);
                        Value::binary(&info)
                    }
                    None if v.is_null() => Value::Null,
                    None => return Err(SqlError::new(102, &[&text()])),
                };
            }
            ValueOption::QueryGovernorCostLimit if number() == Some(0) => {}
            other => {
                return Err(taffrail_base::message::unsupported(format_args!(
                    "SET {}",
                    other.words()
                )));
            }
        }
        Ok(None)
    }

    /// USE: the session goes to another database and tells its client.
    pub(crate) fn enter_database(
        &mut self,
        database: Arc<Database>,
        line: u32,
        sink: &mut dyn ResultSink,
    ) -> SqlResult<()> {
        self.instance.ensure_writer(&database);
        let old = self.database.name.clone();
        let new = database.name.clone();
        let (before, now) = (self.database.collation(), database.collation());
        self.database = database;
        self.publish();
        let info = SqlError::new(5701, &[&new]).with_severity(0).with_state(1).with_line(line);
        sink.env_change(EnvChange::Database { new, old }).map_err(|_| client_gone())?;
        if now != before {
            sink.env_change(EnvChange::Collation(now)).map_err(|_| client_gone())?;
        }
        sink.message(&info).map_err(|_| client_gone())
    }
}
