//! The rows that follow an INSERT BULK.

use super::{BulkSource, BulkSourceError};
use crate::connection::{Connection, ConnectionFate};
use crate::exec::bulk::PendingLoad;
use crate::exec::bulk::{BulkPlan, BulkTarget};
use crate::exec::interpret::{Interpreter, Unwind};
use crate::sink::{Command, Done, DoneKind, ResultSink};
use taffrail_base::message::{cancelled, client_gone};
use taffrail_base::{SqlError, SqlResult};
use taffrail_observe::session::Command as Shown;
use taffrail_types::convert::{Rule, rule};
use taffrail_types::{MaxLen, SqlType};

impl Connection {
    /// Loads the rows that a client sends after INSERT BULK. Returns when the client has sent all of them, taken or not.
    pub fn bulk_load(
        &mut self,
        source: &mut dyn BulkSource,
        sink: &mut dyn ResultSink,
    ) -> ConnectionFate {
        let pending = self.session.held.load.take();
        self.request(sink, |it| it.bulk_load(pending, source))
    }
}

/// What a value of this type is when it is stored: a client sends fixed-length strings without their padding.
fn as_sent(ty: SqlType) -> SqlType {
    match ty {
        SqlType::Char(n) => SqlType::VarChar(MaxLen::N(n)),
        SqlType::NChar(n) => SqlType::NVarChar(MaxLen::N(n)),
        SqlType::Binary(n) => SqlType::VarBinary(MaxLen::N(n)),
        other => other,
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
        super::check_transaction(&self.context(1), &load.database)?;
        let sent = source.columns().map_err(|e| load.error(e))?;
        let types = load.types(&sent)?;
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
            target.push_row(&row)?;
        }
        let rows = target.finish()?;
        let counters = load.database.storage.counters();
        counters.bulk_copy_rows.add(rows);
        counters.bulk_copy_bytes.add(source.bytes());
        Ok(rows)
    }
}
