//! Transactions of a session: BEGIN, COMMIT, ROLLBACK, SAVE; and what begins and ends with every statement.

use super::interpret::Interpreter;
use super::module::NameCode;
use super::observer::Transaction;
use crate::catalog::DdlOutcome;
use crate::pieces;
use crate::session::context::INSERT_EXEC;
use crate::session::{Isolation, Mark, NamedSavepoint, Session, TempTable, TransactionPart};
use crate::sink::{EnvChange, ResultSink};
use smallvec::SmallVec;
use std::sync::atomic::Ordering;
use taffrail_base::message::client_gone;
use taffrail_base::{DatabaseId, SqlError, SqlResult};
use taffrail_io::UtcTime;
use taffrail_storage::{Durability, Savepoint};
use taffrail_types::Value;

/// Where the parts of a transaction stood when a statement began.
pub(crate) type Marks = SmallVec<[(DatabaseId, Savepoint); 2]>;

/// An INSERT … EXEC that runs: what [`Session::close_insert_exec`] needs to know.
pub(crate) struct OpenInsertExec {
    /// It is a transaction of its own.
    own: bool,
    /// Where the transaction around it stood.
    marks: Marks,
    /// So many named savepoints there were.
    savepoints: usize,
}

/// What a database's option makes of a commit's.
fn durability(database_option: u8, delayed: bool, pipelined: bool) -> Durability {
    match (database_option, delayed) {
        (2, _) | (1, true) => Durability::Delayed,
        _ if pipelined => Durability::Pipelined,
        _ => Durability::Full,
    }
}

impl Session {
    /// Where all parts stand. A statement inside another one begins nothing anew: what the outer one has locked is counted on.
    fn marks(&mut self, inside: bool) -> Marks {
        let mark = |p: &mut TransactionPart| {
            if !inside {
                p.tx.begin_statement();
            }
            (p.database.id, p.tx.savepoint())
        };
        self.transaction.parts.iter_mut().map(mark).collect()
    }

    /// A statement of an open transaction has ended. Below REPEATABLE READ it leaves no lock on what it has only read.
    fn end_reading(&mut self) {
        if matches!(
            self.activation.options.isolation,
            Isolation::ReadUncommitted | Isolation::ReadCommitted | Isolation::Snapshot
        ) {
            self.transaction.parts.iter_mut().for_each(|p| p.tx.end_reading());
        }
    }

    /// Commits all parts. After an error nothing is left of the transaction.
    fn commit_parts(&mut self, delayed: bool) -> SqlResult<()> {
        let mut result = Ok(());
        // The durable database first: tempdb's part means nothing without it.
        let mut parts = std::mem::take(&mut self.transaction.parts);
        let waits = std::mem::take(&mut self.transaction.waits);
        self.transaction.time = None;
        self.drop_snapshot();
        if parts.len() > 1 {
            parts.sort_by_key(|p| p.database.is_temporary());
        }
        for TransactionPart { database, mut tx } in parts.drain(..) {
            if result.is_ok() && tx.has_written() {
                result = self.before_commit(&database, waits);
            }
            self.keep_scroll_locks(&mut tx);
            let outcome = if result.is_ok() {
                let pipelined = !waits && self.may_pipeline(&database);
                let mode = durability(database.delayed_durability(), delayed, pipelined);
                match tx.commit_at(mode) {
                    Ok(at) => {
                        // One that has only read depends on what it has read, and on nothing of its own.
                        if mode == Durability::Pipelined && at.is_some() {
                            self.promises.touch(database.id);
                        }
                        if let (Some(mark), Some(at)) = (&self.transaction.mark, at)
                            && !database.is_temporary()
                        {
                            let name = self.transaction.name.as_deref().unwrap_or_default();
                            let mark = Mark::new(&database, name, mark, at);
                            self.transaction.marked.push(mark);
                        }
                        DdlOutcome::Committed
                    }
                    Err(e) => {
                        result = Err(self.storage_error(e));
                        DdlOutcome::RolledBack
                    }
                }
            } else {
                drop(tx);
                DdlOutcome::RolledBack
            };
            let settled = database.catalog.ddl_ended(self.ddl_owner(&database), outcome);
            result = result.and(settled);
        }
        self.held.cursors.settle_locks();
        // Nearly every statement begins a transaction: the room serves the next one.
        if self.transaction.parts.is_empty() {
            self.transaction.parts = parts;
        }
        match result {
            Ok(()) => self.temps.dropped.clear(),
            Err(_) => self.forget_lost_temp_tables(),
        }
        result
    }

    /// A wait outside any statement is over: nothing of its transaction is left.
    pub(crate) fn end_wait(&mut self) -> SqlResult<()> {
        debug_assert!(self.transaction.count == 0 && !self.running.in_statement);
        self.rollback_parts()
    }

    /// Rolls back all parts.
    fn rollback_parts(&mut self) -> SqlResult<()> {
        let mut result = Ok(());
        self.transaction.waits = false;
        self.transaction.time = None;
        self.drop_snapshot();
        for TransactionPart { database, mut tx } in std::mem::take(&mut self.transaction.parts) {
            self.keep_scroll_locks(&mut tx);
            if let Err(e) = tx.rollback() {
                result = Err(self.storage_error(e));
            }
            let owner = self.ddl_owner(&database);
            let settled = database.catalog.ddl_ended(owner, DdlOutcome::RolledBack);
            result = result.and(settled);
        }
        self.held.cursors.settle_locks();
        self.forget_lost_temp_tables();
        result
    }

    /// Rolls back to where the parts stood; parts that have begun since are undone whole.
    fn rollback_to(&mut self, marks: &[(DatabaseId, Savepoint)]) -> SqlResult<()> {
        let mut result = Ok(());
        let parts = std::mem::take(&mut self.transaction.parts);
        for mut p in parts {
            let id = self.ddl_owner(&p.database);
            let outcome = match marks.iter().find(|(db, _)| *db == p.database.id) {
                Some((_, mark)) => {
                    if let Err(e) = p.tx.rollback_to(*mark) {
                        result = Err(self.storage_error(e));
                    }
                    let database = p.database.clone();
                    self.transaction.parts.push(p);
                    database.catalog.ddl_ended(id, DdlOutcome::RolledBackPart)
                }
                None => {
                    self.keep_scroll_locks(&mut p.tx);
                    let done = p.tx.rollback();
                    if let Err(e) = done {
                        result = Err(self.storage_error(e));
                    }
                    p.database.catalog.ddl_ended(id, DdlOutcome::RolledBack)
                }
            };
            result = result.and(outcome);
        }
        self.forget_lost_temp_tables();
        result
    }

    /// Temp tables whose creation was rolled back are gone; those whose drop was, are there again.
    fn forget_lost_temp_tables(&mut self) {
        let lost = self.temps.dropped.iter().chain(&self.temps.orphans);
        if self.temp_tables().chain(lost).next().is_none() {
            return;
        }
        let Ok(tempdb) = self.instance.databases().tempdb() else { return };
        let id = self.id;
        let there = |t: &TempTable| tempdb.catalog.object(t.object_id, id).is_some();
        let mut back: Vec<TempTable> = self.temps.dropped.extract_if(.., |t| there(t)).collect();
        let mut changed = !back.is_empty();
        self.activation.each_mut(|a| {
            let before = a.temps.len();
            a.temps.retain(there);
            changed |= a.temps.len() != before;
            a.temps.extend(back.extract_if(.., |t| t.owner == a.number));
        });
        self.temps.orphans.retain(there);
        // Their modules have ended.
        self.temps.orphans.append(&mut back);
        self.temps.version += u64::from(changed);
        if self.transaction.parts.is_empty() {
            self.temps.dropped.clear();
        }
    }

    /// SET IMPLICIT_TRANSACTIONS ON: a statement that needs a transaction begins one, if there is none. A function's statement is part of
    /// the statement that has called.
    pub fn begin_implicitly(&mut self, sink: &mut dyn ResultSink) -> SqlResult<()> {
        let wanted = self.activation.options.implicit_transactions && !self.running.in_statement;
        if wanted && self.transaction.count == 0 {
            self.begin_transaction(None, sink)?;
            self.transaction.implicit = true;
            self.entry.set_transaction_name("implicit_transaction");
        }
        Ok(())
    }

    /// BEGIN TRANSACTION.
    pub(crate) fn begin_transaction(
        &mut self,
        name: Option<String>,
        sink: &mut dyn ResultSink,
    ) -> SqlResult<()> {
        self.transaction.count += 1;
        self.activation.last.row_count = 0;
        if self.transaction.count > 1 {
            self.publish_transaction();
            return Ok(());
        }
        self.entry.set_transaction_name(name.as_deref().unwrap_or("user_transaction"));
        self.transaction.name = name;
        self.transaction_begins();
        let change = EnvChange::BeginTransaction(self.transaction.descriptor);
        sink.env_change(change).map_err(|_| client_gone())
    }

    /// `count` has become 1.
    fn transaction_begins(&mut self) {
        let own = self.transaction.of_statement;
        debug_assert!(own || self.transaction.parts.is_empty(), "autocommit leaves no parts");
        self.transaction.implicit = false;
        self.transaction.descriptor = self.database.storage.instance().next_transaction_number();
        let now = self.instance.options().env.clock.now_utc();
        self.transaction.time.get_or_insert(now);
        self.cell.transaction_begun.store(now.0, Ordering::Relaxed);
        self.publish_transaction();
        self.instance.observer().transaction(self, Transaction::Begin, "");
    }

    /// The moment of all that the transaction, or the autocommit statement, does to rows with a period.
    pub(crate) fn transaction_time(&mut self) -> UtcTime {
        let clock = &self.instance.options().env.clock;
        *self.transaction.time.get_or_insert_with(|| clock.now_utc())
    }

    /// An INSERT … EXEC begins: in autocommit it is a transaction of its own, unless a statement around it is one.
    pub(crate) fn open_insert_exec(&mut self) -> OpenInsertExec {
        let savepoints = self.transaction.savepoints.len();
        let inside = self.running.in_statement;
        if self.transaction.count > 0 || inside {
            return OpenInsertExec { own: false, marks: self.marks(inside), savepoints };
        }
        self.transaction.count = 1;
        self.transaction.of_statement = true;
        self.entry.set_transaction_name(INSERT_EXEC);
        self.transaction_begins();
        OpenInsertExec { own: true, marks: Marks::new(), savepoints }
    }

    /// It ends: what it and its insides have changed stays or goes. Transactions that were begun inside and are still open become the
    /// client's.
    pub(crate) fn close_insert_exec(
        &mut self,
        open: OpenInsertExec,
        keep: bool,
        sink: &mut dyn ResultSink,
    ) -> SqlResult<()> {
        let inside = self.running.in_statement;
        // What has ended the batch may have rolled all of it back.
        if self.transaction.count == 0 && !inside {
            return Ok(());
        }
        if open.own && self.transaction.count == 1 {
            let result = if keep { self.commit_parts(false) } else { self.rollback_parts() };
            self.transaction_over();
            return result;
        }
        let mut result = Ok(());
        if !keep && !self.transaction.doomed {
            self.transaction.savepoints.truncate(open.savepoints);
            result = self.rollback_to(&open.marks);
            self.transaction.doomed = result.is_err() && self.transaction.count > 0;
        }
        if !inside {
            self.end_reading();
        }
        if open.own {
            self.transaction.count -= 1;
            self.transaction.of_statement = false;
            self.entry.set_transaction_name("user_transaction");
            self.publish_transaction();
            let change = EnvChange::BeginTransaction(self.transaction.descriptor);
            sink.env_change(change).map_err(|_| client_gone())?;
        }
        result
    }

    /// Triggers of a statement are fired: in autocommit it is a transaction while they run. Gives whether it has become one.
    pub(crate) fn open_for_triggers(&mut self) -> bool {
        if self.transaction.count > 0 {
            return false;
        }
        self.transaction.count = 1;
        self.transaction.of_statement = true;
        self.transaction_begins();
        true
    }

    /// The triggers of an autocommit statement have run. A transaction that they have begun in place of the statement's ends with it, of
    /// two that they have begun one is left to the client.
    pub(crate) fn close_for_triggers(
        &mut self,
        kept: bool,
        sink: &mut dyn ResultSink,
    ) -> SqlResult<()> {
        match (self.transaction.count, self.transaction.of_statement) {
            (0, _) => Ok(()),
            // Its parts end with the statement.
            (1, true) => {
                self.forget_transaction();
                Ok(())
            }
            (_, true) => {
                self.transaction.count -= 1;
                self.transaction.of_statement = false;
                self.entry.set_transaction_name("user_transaction");
                self.publish_transaction();
                let change = EnvChange::BeginTransaction(self.transaction.descriptor);
                sink.env_change(change).map_err(|_| client_gone())
            }
            (_, false) if kept => self.commit_transaction(None, sink),
            (_, false) => Ok(()),
        }
    }

    /// COMMIT: 3902, 3930.
    pub(crate) fn commit_transaction(
        &mut self,
        delayed: Option<bool>,
        sink: &mut dyn ResultSink,
    ) -> SqlResult<()> {
        self.activation.last.row_count = 0;
        match self.transaction.count {
            0 => return Err(SqlError::new(3902, &[])),
            _ if self.transaction.doomed => return Err(SqlError::new(3930, &[])),
            1 => {}
            _ => {
                self.transaction.count -= 1;
                self.publish_transaction();
                return Ok(());
            }
        }
        // Nobody was told that a statement is one.
        let silent = self.transaction.of_statement;
        let result = self.commit_parts(delayed == Some(true));
        let ended = if result.is_ok() { Transaction::Commit } else { Transaction::Rollback };
        self.instance.observer().transaction(self, ended, "");
        if self.activation.options.cursor_close_on_commit {
            self.held.cursors.close_all();
        }
        let descriptor = self.transaction_over();
        let marked = std::mem::take(&mut self.transaction.marked);
        if !marked.is_empty()
            && let Err(e) =
                crate::features::record_marks(&self.instance, &self.client.login, &marked)
        {
            // The transaction stands; who looks for the mark will miss it.
            sink.message(&e).map_err(|_| client_gone())?;
        }
        let change = match &result {
            Ok(()) => EnvChange::CommitTransaction(descriptor),
            Err(_) => EnvChange::RollbackTransaction(descriptor),
        };
        if !silent {
            sink.env_change(change).map_err(|_| client_gone())?;
        }
        result
    }

    /// The client's transaction is over: what it was called, and where it was marked.
    fn transaction_over(&mut self) -> u64 {
        self.cell.forget_databases();
        self.forget_transaction()
    }

    fn forget_transaction(&mut self) -> u64 {
        let t = &mut self.transaction;
        t.count = 0;
        t.name = None;
        t.mark = None;
        t.doomed = false;
        t.of_statement = false;
        t.savepoints.clear();
        let descriptor = std::mem::take(&mut t.descriptor);
        self.publish_transaction();
        descriptor
    }

    /// ROLLBACK, whole or to a savepoint: 3903, 6401.
    pub(crate) fn rollback_transaction(
        &mut self,
        name: Option<&str>,
        sink: &mut dyn ResultSink,
    ) -> SqlResult<()> {
        self.activation.last.row_count = 0;
        if self.transaction.count == 0 {
            return Err(SqlError::new(3903, &[]));
        }
        if let Some(name) = name
            && self.transaction.name.as_deref() != Some(name)
        {
            let found = self.transaction.savepoints.iter().rposition(|s| s.name == name);
            let Some(at) = found else { return Err(SqlError::new(6401, &[&name])) };
            if self.transaction.doomed {
                return Err(SqlError::new(3931, &[]));
            }
            self.transaction.savepoints.truncate(at + 1);
            let marks: Marks = self.transaction.savepoints[at].parts.iter().copied().collect();
            return self.rollback_to(&marks);
        }
        self.rollback_all(sink)
    }

    /// Rolls back the transaction, if there is one.
    pub(crate) fn rollback_all(&mut self, sink: &mut dyn ResultSink) -> SqlResult<()> {
        let result = self.rollback_parts();
        if self.transaction.count == 0 {
            return result;
        }
        self.instance.observer().transaction(self, Transaction::Rollback, "");
        // Whatever has ended it: a cursor that goes on would give rows that never were.
        match self.activation.options.cursor_close_on_commit {
            true => self.held.cursors.close_all(),
            false => self.held.cursors.rolled_back(),
        }
        // Nobody was told that an INSERT … EXEC is one.
        let silent = self.transaction.of_statement;
        let descriptor = self.transaction_over();
        if !silent {
            let told = sink.env_change(EnvChange::RollbackTransaction(descriptor));
            told.map_err(|_| client_gone())?;
        }
        result
    }

    /// SAVE TRANSACTION: 628.
    pub(crate) fn save_transaction(&mut self, name: &str) -> SqlResult<()> {
        self.activation.last.row_count = 0;
        if self.transaction.count == 0 {
            return Err(SqlError::new(628, &[]));
        }
        if self.transaction.doomed {
            return Err(SqlError::new(3930, &[]));
        }
        let mut parts = Vec::new();
        let mut failed = None;
        // A database that was only read in has no record of it: that would make it one that the transaction changes.
        let one = self.transaction.parts.len() == 1;
        for p in &mut self.transaction.parts {
            if !one && !p.tx.has_written() {
                parts.push((p.database.id, p.tx.savepoint()));
                continue;
            }
            match p.tx.save_transaction(name) {
                Ok(mark) => parts.push((p.database.id, mark)),
                Err(e) => failed = Some(e),
            }
        }
        if let Some(e) = failed {
            return Err(self.storage_error(e));
        }
        self.transaction.savepoints.push(NamedSavepoint { name: name.into(), parts });
        self.instance.observer().transaction(self, Transaction::Savepoint, name);
        Ok(())
    }
}

impl Interpreter<'_> {
    /// Runs `f` as one statement: what it changes stays or goes together.
    pub fn in_statement<R>(&mut self, f: impl FnOnce(&mut Self) -> SqlResult<R>) -> SqlResult<R> {
        // Statements that run others (procedures of our own, expressions that call modules) end with the outermost.
        let outer = std::mem::replace(&mut self.session.running.in_statement, true);
        if self.session.transaction.count > 0 || outer {
            return self.in_transaction(outer, f);
        }
        let reads = self.session.enter_reads();
        let mut r = f(self).and_then(|done| pieces::whole().map(|()| done));
        self.session.leave_reads(reads);
        self.session.running.in_statement = false;
        if r.is_err() {
            self.session.activation.warnings = Default::default();
        }
        // The statement itself may have begun a transaction (implicit transactions): then it goes on, without what
        // the statement has changed if it failed.
        if self.session.transaction.count > 0 {
            if r.is_ok() {
                r = self.session.keep_table_variables().and(r);
            }
            if let Err(e) = &r
                && !self.session.transaction.doomed
                && let Err(undo) = self.session.rollback_to(&[])
                && undo.severity > e.severity
            {
                return Err(undo);
            }
            return r;
        }
        match r {
            Ok(v) => {
                if !self.session.transaction.parts.is_empty() {
                    self.session.commit_parts(false)?;
                }
                Ok(v)
            }
            Err(e) => {
                // The statement's own error is what the client has to hear.
                match self.session.rollback_parts() {
                    Err(undo) if undo.severity > e.severity => Err(undo),
                    _ => Err(e),
                }
            }
        }
    }

    /// Runs `f` as a statement of an open transaction, or (`outer`) inside another statement: a failure undoes it to where it began.
    fn in_transaction<R>(
        &mut self,
        outer: bool,
        f: impl FnOnce(&mut Self) -> SqlResult<R>,
    ) -> SqlResult<R> {
        let marks = self.session.marks(outer);
        let reads = self.session.enter_reads();
        let mut r = f(self).and_then(|done| pieces::whole().map(|()| done));
        self.session.leave_reads(reads);
        self.session.running.in_statement = outer;
        let failed = r.is_err();
        if failed {
            self.session.activation.warnings = Default::default();
        }
        if !outer && !failed {
            r = self.session.keep_table_variables().and(r);
        }
        if let Err(e) = &r
            && !self.session.transaction.doomed
        {
            // A deadlock's victim is undone whole by whoever handles the error.
            let undone = self.session.rollback_to(&marks);
            if let Err(undo) = undone {
                self.session.transaction.doomed = self.session.transaction.count > 0;
                if undo.severity > e.severity {
                    return Err(undo);
                }
            }
        }
        if !outer {
            // What a doomed transaction keeps for its end is not theirs.
            if failed {
                self.session.undo_table_variables()?;
            }
            self.session.end_reading();
        }
        r
    }

    /// A transaction's name, literal or from a variable.
    pub fn transaction_name(&self, n: &NameCode) -> SqlResult<String> {
        let name = match n {
            NameCode::Name(n) => n.to_string(),
            NameCode::Var(v) => match self
                .session
                .text_of(&self.session.activation.locals.vars[*v as usize])
            {
                // Of a variable the first characters count.
                Some(t) => {
                    let units: Vec<u16> = t.encode_utf16().take(32).collect();
                    String::from_utf16_lossy(&units)
                }
                None if self.session.activation.locals.vars[*v as usize].is_null() => String::new(),
                None => return Err(SqlError::new(3914, &[&"int"])),
            },
        };
        if name.encode_utf16().count() > 32 {
            return Err(SqlError::new(103, &[&"identifier", &name, &32]));
        }
        Ok(name)
    }
}

/// The part of a value that is a whole number of seconds, for WAITFOR.
pub(crate) fn text_of(v: &Value) -> String {
    v.as_text().unwrap_or_default()
}
