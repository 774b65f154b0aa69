//! The rows that follow an INSERT BULK.

use super::{Connection, ConnectionFate};
use crate::database::Database;
use crate::exec::bulk::{BulkPlan, BulkTarget, PendingLoad, as_sent};
use crate::exec::interpret::{Interpreter, Unwind};
use crate::rpc::receive_row;
use crate::session::TransactionPart;
use crate::session::context::StatementContext;
use crate::sink::{Command, Done, DoneKind, ResultSink};
use taffrail_base::message::{cancelled, client_gone};
use taffrail_base::{SqlError, SqlResult};
use taffrail_observe::session::Command as Shown;
use taffrail_types::convert::{Rule, rule};
use taffrail_types::{SqlType, Value};

/// Why a source gives no more rows.
#[derive(Debug)]
pub enum BulkSourceError {
    /// The stream is broken or ended in the middle: 4804, the connection ends.
    Broken,
    /// The value of this column (from 1) is longer than its type allows: 4815.
    Length(usize),
    /// The value of this column (from 1) is none of its type: 7339.
    Value(usize),
    /// The client has taken the load back: nothing of it stays, and nothing is to be told.
    Cancelled,
    /// The client has gone.
    Gone,
}

/// Rows that a client sends after INSERT BULK.
pub trait BulkSource {
    /// The types of the values that come; asked for once, first.
    fn columns(&mut self) -> Result<Vec<SqlType>, BulkSourceError>;
    /// The next row into `row`, or false when there is none and the client has sent everything.
    fn row(&mut self, row: &mut Vec<Value>) -> Result<bool, BulkSourceError>;
    /// Reads what the client still sends, after a row that could not be taken.
    fn skip(&mut self) -> Result<(), BulkSourceError>;
    /// Bytes that have come so far.
    fn bytes(&self) -> u64;
}

/// Statements that a doomed transaction, or one that changes another database, refuses.
pub fn check_transaction(cx: &StatementContext<'_>, database: &Database) -> SqlResult<()> {
    if cx.session.transaction.doomed {
        return Err(SqlError::new(3930, &[]));
    }
    let other = |p: &TransactionPart| {
        p.database.id != database.id && !p.database.is_temporary() && p.tx.has_written()
    };
    if !database.is_temporary() && cx.session.transaction.parts.iter().any(other) {
        let what = "A transaction that changes two databases";
        return Err(taffrail_base::message::unsupported(what));
    }
    Ok(())
}

impl Connection {
    /// Loads the rows that a client sends after INSERT BULK. Returns when the client has sent all of them, taken or not.
    pub fn bulk_load(
        &mut self,
        source: &mut dyn BulkSource,
        sink: &mut dyn ResultSink,
    ) -> ConnectionFate {
        let pending = self.session.held.load.take();
        self.session.promises.learn();
        self.request(sink, |it| it.bulk_load(pending, source))
    }
}

impl PendingLoad {
    /// What an error of the source is to the client.
    fn error(&self, e: BulkSourceError) -> Box<SqlError> {
        match e {
            BulkSourceError::Broken => SqlError::new(4804, &[]),
            BulkSourceError::Length(n) => SqlError::new(4815, &[&n]),
            BulkSourceError::Value(n) => {
                let column = self.columns.get(n - 1).copied().flatten();
                let name = column.map_or("", |c| &self.table.columns[c].name);
                SqlError::new(7339, &[&"STREAM", &"(null)", &"[!BulkInsert]", &name])
            }
            BulkSourceError::Cancelled => cancelled(),
            BulkSourceError::Gone => client_gone(),
        }
    }

    /// The types that come, if they can go where they are to go: 4816.
    fn types(&self, sent: &[SqlType]) -> SqlResult<Vec<SqlType>> {
        for (n, column) in self.columns.iter().enumerate() {
            let fits = match (sent.get(n), column) {
                (Some(_), None) => true,
                (Some(from), Some(c)) => {
                    rule(*from, self.table.columns[*c].ty) == Rule::Implicit
                        || from.family() == self.table.columns[*c].ty.family()
                }
                (None, _) => false,
            };
            if !fits {
                return Err(SqlError::new(4816, &[&(n + 1)]));
            }
        }
        if sent.len() > self.columns.len() {
            return Err(SqlError::new(4816, &[&(self.columns.len() + 1)]));
        }
        Ok(sent.iter().map(|ty| as_sent(*ty)).collect())
    }
}

impl Interpreter<'_> {
    fn bulk_load(
        &mut self,
        pending: Option<PendingLoad>,
        source: &mut dyn BulkSource,
    ) -> Result<(), Unwind> {
        self.session.cell.set_command(Shown::BulkInsert);
        self.session.activation.moment.set(None);
        // Data that no INSERT BULK has announced cannot be put anywhere.
        let result = match &pending {
            None => Err(SqlError::new(4002, &[]).with_severity(20)),
            Some(pending) => self.in_statement(|it| it.load_rows(pending, source)),
        };
        let rows = match result {
            Ok(rows) => rows,
            Err(e) => {
                match source.skip() {
                    Ok(()) => {}
                    Err(BulkSourceError::Cancelled) => return Err(Unwind::Cancelled),
                    Err(BulkSourceError::Gone) => return Err(Unwind::Gone),
                    // The error that is told already is the cause.
                    Err(_) => {}
                }
                return self.fail_request(e, Command::BULK_INSERT);
            }
        };
        self.session.activation.last.row_count = rows as i64;
        self.session.activation.last.error = 0;
        let rows = Some(rows);
        let done =
            Done { kind: DoneKind::Statement, command: Command::BULK_INSERT, rows, error: false };
        self.sink.done(done).map_err(|_| Unwind::Gone)
    }

    fn load_rows(&mut self, load: &PendingLoad, source: &mut dyn BulkSource) -> SqlResult<u64> {
        check_transaction(&self.context(1), &load.database)?;
        let sent = source.columns().map_err(|e| load.error(e))?;
        let types = load.types(&sent)?;
        let kinds = types.clone();
        let plan = BulkPlan::open(
            self.session,
            &load.database,
            &load.table,
            &load.columns,
            types,
            load.options,
        )?;
        let mut vars = Vec::new();
        let mut row = Vec::with_capacity(sent.len());
        let mut target = BulkTarget::open(self.context(1), &plan, &mut vars)?;
        while source.row(&mut row).map_err(|e| load.error(e))? {
            receive_row(&mut row, &kinds, &load.columns, plan.table());
            target.push_row(&row)?;
        }
        let rows = target.finish()?;
        let counters = load.database.storage.counters();
        counters.bulk_copy_rows.add(rows);
        counters.bulk_copy_bytes.add(source.bytes());
        Ok(rows)
    }
}
