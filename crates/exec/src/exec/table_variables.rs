//! Table variables: tables of tempdb that belong to a module which runs.
//!
//! Its variable holds the table's number, which is what a function is handed for a table-valued parameter.
//!
//! They are there from the module's beginning, whether their declarations run or not, and go with it. What a statement does to
//! them is a transaction of its own ([`Database::of_table_variables`]), which ends with the statement: a failed statement is
//! undone in them too, but no ROLLBACK reaches them. Nobody else can name them, so their DDL needs no place in the
//! transaction either: it is committed at once, in the name of a session of their own ([`Session::ddl_owner`]), beside what
//! DDL the session's transaction has open in tempdb.

use super::interpret::Interpreter;
use crate::catalog::{DdlOutcome, Sight};
use crate::database::Database;
use crate::features::tables::tables;
use crate::session::{Session, TransactionPart};
use std::sync::Arc;
use taffrail_base::{ObjectId, SessionId, SqlError, SqlResult};
use taffrail_storage::Durability;
use taffrail_types::Value;

/// One that could not be made yet.
const NOT_MADE: ObjectId = ObjectId(0);

/// Sessions' numbers are below it.
const OF_TABLE_VARIABLES: u16 = 0x8000;

impl Session {
    /// Where table variables live.
    pub fn home_of_table_variables(&self) -> SqlResult<Arc<Database>> {
        Ok(self.instance.databases().tempdb()?.of_table_variables())
    }

    /// In whose name the catalogue knows DDL of a part of the transaction.
    pub(crate) fn ddl_owner(&self, database: &Database) -> SessionId {
        match database.holds_table_variables() {
            true => SessionId(self.id.0 | OF_TABLE_VARIABLES),
            false => self.id,
        }
    }

    /// What the session sees of types of users, also where it acts in the name of its table variables.
    pub fn sight_of_types(&self) -> Sight {
        SessionId(self.id.0 & !OF_TABLE_VARIABLES).into()
    }

    /// What the statement has begun in table variables.
    pub(super) fn part_of_table_variables(&mut self) -> Option<TransactionPart> {
        let parts = &mut self.transaction.parts;
        let at = parts.iter().position(|p| p.database.holds_table_variables())?;
        Some(parts.swap_remove(at))
    }

    /// A statement of a transaction has succeeded: what it has done to table variables stays.
    pub(super) fn keep_table_variables(&mut self) -> SqlResult<()> {
        let Some(TransactionPart { database, tx }) = self.part_of_table_variables() else {
            return Ok(());
        };
        // Nothing of tempdb outlives the process.
        let committed = tx.commit_at(Durability::Delayed).map_err(|e| self.storage_error(e));
        let outcome = match committed {
            Ok(_) => DdlOutcome::Committed,
            Err(_) => DdlOutcome::RolledBack,
        };
        let settled = database.catalog.ddl_ended(self.ddl_owner(&database), outcome);
        committed.map(drop).and(settled)
    }

    /// It has failed.
    pub(super) fn undo_table_variables(&mut self) -> SqlResult<()> {
        let Some(TransactionPart { database, tx }) = self.part_of_table_variables() else {
            return Ok(());
        };
        let undone = tx.rollback().map_err(|e| self.storage_error(e));
        let owner = self.ddl_owner(&database);
        undone.and(database.catalog.ddl_ended(owner, DdlOutcome::RolledBack))
    }
}

impl Interpreter<'_> {
    /// Makes the table variables of a module that is about to run. What is not built is told of where the declaration runs.
    pub(super) fn make_table_variables(&mut self, errors: &mut Vec<SqlError>) {
        let module = self.session.activation.locals.module.clone();
        for n in self.session.activation.locals.tables.len()..module.table_variables.len() {
            let handed = self.session.activation.locals.handed.get(n).copied().flatten();
            let made = handed.map_or_else(|| self.make_table_variable(n), Ok);
            let id = match made {
                Ok(id) => id,
                Err(e) if e.number == 40510 => NOT_MADE,
                Err(e) => return errors.push(*e.with_line(module.table_variables[n].line)),
            };
            let var = module.table_variables[n].var;
            let name = module.variables.list[var as usize].name.clone();
            let locals = &mut self.session.activation.locals;
            locals.tables.push((name, id));
            locals.vars[var as usize] = Value::Int(id.0);
        }
    }

    fn make_table_variable(&mut self, n: usize) -> SqlResult<ObjectId> {
        let module = self.session.activation.locals.module.clone();
        let t = &module.table_variables[n];
        let name = &module.variables.list[t.var as usize].name;
        let text = t.of.as_ref().map_or(&module.text, |(_, text)| text);
        self.as_their_owner(|it, home| {
            tables().create_variable(&mut it.context(t.line), home, name, &t.body, text)
        })
    }

    /// DECLARE of one, where it runs.
    pub(super) fn declare_table(&mut self, n: u32) -> SqlResult<()> {
        let n = n as usize;
        if self.is_of_another_collation(n)? {
            let id = std::mem::replace(&mut self.session.activation.locals.tables[n].1, NOT_MADE);
            self.as_their_owner(|it, home| tables().drop_own(&mut it.context(0), home, id))?;
        }
        if self.session.activation.locals.tables[n].1 == NOT_MADE {
            let id = self.make_table_variable(n)?;
            let locals = &mut self.session.activation.locals;
            locals.tables[n].1 = id;
            let var = locals.module.table_variables[n].var;
            locals.vars[var as usize] = Value::Int(id.0);
        }
        Ok(())
    }

    /// The module has gone to a database of another collation since it made the table, and nothing is in it yet.
    fn is_of_another_collation(&self, n: usize) -> SqlResult<bool> {
        if !self.session.activation.locals.module.moves {
            return Ok(false);
        }
        let home = self.session.home_of_table_variables()?;
        let table = home
            .catalog
            .table(self.session.activation.locals.tables[n].1, self.session.ddl_owner(&home));
        let own = self.session.database.collation();
        Ok(table.is_some_and(|t| {
            t.row_count() == 0 && t.columns.iter().any(|c| c.ty.is_text() && c.collation != own)
        }))
    }

    /// Whether a name may be that of one that is not built.
    pub(super) fn lacks_table_variables(&self) -> bool {
        self.session.activation.locals.tables.iter().any(|(_, id)| *id == NOT_MADE)
    }

    /// Drops those of a module that ends.
    pub(crate) fn drop_table_variables(&mut self) -> SqlResult<()> {
        let mut made = std::mem::take(&mut self.session.activation.locals.tables);
        let handed = std::mem::take(&mut self.session.activation.locals.handed);
        made.retain(|(_, id)| !handed.contains(&Some(*id)));
        if made.is_empty() {
            return Ok(());
        }
        self.as_their_owner(|it, home| {
            for (_, id) in made.iter().filter(|(_, id)| *id != NOT_MADE) {
                tables().drop_own(&mut it.context(0), home, *id)?;
            }
            Ok(())
        })
    }

    /// Runs DDL of table variables as a statement of its own.
    pub(super) fn as_their_owner<R>(
        &mut self,
        f: impl FnOnce(&mut Self, &Arc<Database>) -> SqlResult<R>,
    ) -> SqlResult<R> {
        let home = self.session.home_of_table_variables()?;
        self.in_statement(|it| {
            // Its transaction is the session's, as far as locks are concerned.
            it.session.transaction_in(&home)?;
            let owner = it.session.ddl_owner(&home);
            let session = std::mem::replace(&mut it.session.id, owner);
            let done = f(it, &home);
            it.session.id = session;
            done
        })
    }
}
