//! What a statement runs in.

use crate::database::Database;
use crate::instance::Instance;
use crate::session::{Session, TransactionPart};
use crate::sink::ResultSink;
use std::sync::Arc;
use taffrail_base::message::client_gone;
use taffrail_base::{DatabaseId, SqlError, SqlResult};
use taffrail_observe::session::Command;
use taffrail_storage::{BeginSpec, Transaction};

/// A running statement's surroundings: its session, its client.
///
/// The transaction is the session's: in autocommit mode the interpreter commits (or, after an error, rolls back) when
/// the statement ends, else it rolls back to the savepoint that it took before the statement.
pub struct StatementContext<'a> {
    /// The session.
    pub session: &'a mut Session,
    /// The client.
    pub sink: &'a mut dyn ResultSink,
    /// The statement's line, for messages.
    pub line: u32,
}

impl StatementContext<'_> {
    /// The instance.
    pub fn instance(&self) -> &Arc<Instance> {
        &self.session.instance
    }

    /// The current database.
    pub fn database(&self) -> Arc<Database> {
        self.session.database.clone()
    }

    /// The session's transaction in a database, begun if it has none there. The first change makes it real.
    pub fn transaction(&mut self, database: &Arc<Database>) -> SqlResult<&mut Transaction> {
        self.session.transaction_in(database)
    }

    /// Sends an informational message (or an error that does not end the statement).
    pub fn message(&mut self, message: Box<SqlError>) -> SqlResult<()> {
        let message = message.with_line(self.line);
        // What PRINT says has no number.
        if message.number != 0 {
            self.session.instance.counters().told(message.severity);
        }
        self.sink.message(&message).map_err(|_| client_gone())
    }

    /// Sends an error that is not the one with which the statement ends. Within TRY nobody hears of it: CATCH is given
    /// the last.
    pub fn reason(&mut self, reason: Box<SqlError>) -> SqlResult<()> {
        if self.session.activation.errors.tries() > 0 { Ok(()) } else { self.message(reason) }
    }

    /// Refuses statements that may not run inside a transaction (226, 574), that of an INSERT … EXEC in autocommit included.
    pub fn refuse_in_transaction(&self, statement: &str) -> SqlResult<()> {
        if self.session.transaction.count() > 0 {
            return Err(SqlError::new(226, &[&statement]));
        }
        Ok(())
    }
}

/// The name of the transaction that an INSERT … EXEC in autocommit is: its command's.
pub(crate) const INSERT_EXEC: &str = "INSERT";

/// The name of the transaction that a statement in autocommit is: that of its command, which the log has shorter for DROP.
fn autocommit_name(command: Command) -> &'static str {
    match command {
        Command::Drop => "DROPOBJ",
        other => other.name(),
    }
}

impl Session {
    /// The session's transaction in a database, begun if it has none there.
    pub(crate) fn transaction_in(
        &mut self,
        database: &Arc<Database>,
    ) -> SqlResult<&mut Transaction> {
        let id = database.id;
        if let Some(at) = self.transaction.parts.iter().position(|p| p.database.id == id) {
            return Ok(&mut self.transaction.parts[at].tx);
        }
        self.begin_part(database)
    }

    /// The same for a statement that is going to change rows there: 3906 when the database is READ_ONLY, whether or not there are any.
    pub fn change_in(&mut self, database: &Arc<Database>) -> SqlResult<&mut Transaction> {
        if database.storage.is_read_only() {
            return Err(SqlError::new(3906, &[&database.name]));
        }
        self.transaction_in(database)
    }

    /// Its transaction in a database by id; the part must exist.
    pub fn part(&mut self, id: DatabaseId) -> &mut Transaction {
        let part = self.transaction.parts.iter_mut().find(|p| p.database.id == id);
        &mut part.expect("the statement has begun its part").tx
    }

    #[cold]
    fn begin_part(&mut self, database: &Arc<Database>) -> SqlResult<&mut Transaction> {
        // What is done to table variables is a transaction of its own, whatever goes on around it.
        let own = database.holds_table_variables();
        let name = match &self.transaction {
            _ if own => autocommit_name(self.cell.command()),
            t if t.count == 0 => autocommit_name(self.cell.command()),
            t if t.of_statement => INSERT_EXEC,
            t if t.implicit => "implicit_transaction",
            _ => "user_transaction",
        };
        let mut tx = database.storage.begin(BeginSpec {
            session: self.id,
            name,
            user_name: self.transaction.name.as_deref().filter(|_| !own).map(Into::into),
            isolation: self.activation.options.isolation.into(),
            lock_timeout_ms: self.activation.options.lock_timeout,
        });
        if !own {
            tx.set_number(self.transaction.descriptor);
            if let Some(mark) = &self.transaction.mark {
                tx.set_mark(mark);
            }
        }
        tx.cancel_with(self.running.cancel.clone());
        if self.activation.options.deadlock_priority != 0 {
            tx.locks_mut().deadlock_priority = self.activation.options.deadlock_priority;
        }
        if let Some(snapshot) = self.snapshot_in_force() {
            tx.set_snapshot(Some(snapshot.clone()));
        }
        if self.transaction.count > 0 && !own {
            self.cell.touch_database(database.id.0);
        }
        self.held.cursors.lend_locks(&mut tx);
        self.transaction.parts.push(TransactionPart { database: database.clone(), tx });
        Ok(&mut self.transaction.parts.last_mut().expect("just pushed").tx)
    }
}
