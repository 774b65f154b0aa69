//! Statements that found the log full although only a checkpoint was missing.
//!
//! Whoever needs log holds latches, for which a checkpoint waits; so the append fails, the statement is undone like
//! after any error, and here, where nothing is latched any more, the checkpoint is taken and the statement runs again.
//! The client hears of 9002 only when something else than recovery needs the log.

use super::interpret::{Ended, Interpreter};
use super::module::{Module, Stmt, StmtKind};
use crate::session::Session;
use std::sync::Arc;
use taffrail_base::{Origin, SqlError, SqlResult};
use taffrail_log::ReuseWait;
use taffrail_observe::{Event, EventRing};
use taffrail_storage::CheckpointKind;
use taffrail_syntax::ast::SetClause;

/// How often: others may fill what a checkpoint has freed.
const TRIES: u32 = 10;

/// Statements that leave nothing behind when they are undone.
fn can_run_again(kind: &StmtKind) -> bool {
    match kind {
        StmtKind::Select(s) => s.query.body.first_block().into.is_some(),
        StmtKind::Insert(_) | StmtKind::Update(_) | StmtKind::Delete(_) | StmtKind::Merge(_) => {
            true
        }
        StmtKind::Registered(found, _) => found.again,
        _ => false,
    }
}

/// `UPDATE … SET @v = …`: variables are not undone.
fn sets_variables(kind: &StmtKind) -> bool {
    let StmtKind::Update(u) = kind else { return false };
    u.set.iter().any(|s| matches!(s, SetClause::Assign { variable: Some(_), .. }))
}

fn lacks_checkpoint(e: &SqlError) -> bool {
    e.number == 9002 && e.state == ReuseWait::Checkpoint.code()
}

impl Interpreter<'_> {
    /// Runs a statement, again if it was in the way of a checkpoint.
    pub(crate) fn run_with_room(&mut self, module: &Arc<Module>, s: &Stmt) -> SqlResult<Ended> {
        if !can_run_again(&s.kind) {
            return self.run(module, s);
        }
        let vars = sets_variables(&s.kind).then(|| self.session.activation.locals.vars.clone());
        let mut again = false;
        self.again_with_room(|it| {
            if let Some(vars) = &vars
                && std::mem::replace(&mut again, true)
            {
                it.session.activation.locals.vars.clone_from(vars);
            }
            it.run(module, s)
        })
    }

    /// Runs what leaves nothing behind when it fails, again while it is in the way of a checkpoint.
    pub(super) fn again_with_room<R>(
        &mut self,
        mut run: impl FnMut(&mut Self) -> SqlResult<R>,
    ) -> SqlResult<R> {
        let mut tries = 0;
        loop {
            match run(self) {
                Err(e)
                    if tries < TRIES
                        && lacks_checkpoint(&e)
                        && e.origin != Origin::Trigger
                        && !self.session.transaction.doomed =>
                {
                    tries += 1;
                    self.session.take_due_checkpoints()?;
                    // Healed: no client sees it, so the error log has nothing to tell of it.
                    drop(self.session.cell.take_full());
                    self.session.check_cancel()?;
                }
                result => return result,
            }
        }
    }
}

impl Session {
    /// Tells the error log of a 9002, 1105 or 1101 that fails a statement, once.
    pub(crate) fn tell_full(&self, e: &SqlError) {
        if !matches!(e.number, 9002 | 1105 | 1101) {
            return;
        }
        match (e.number, self.cell.take_full()) {
            (9002, Some(event @ Event::LogFull { .. })) => EventRing::global().push(event),
            (1105 | 1101, Some(Event::DataFull { database, refused, .. })) => {
                EventRing::global().push(Event::DataFull {
                    database,
                    number: e.number,
                    severity: e.severity,
                    state: e.state,
                    text: e.message.clone(),
                    refused,
                });
            }
            // What another statement had met, and got over.
            _ => {}
        }
    }

    /// Takes a checkpoint in every database whose log waits for one.
    fn take_due_checkpoints(&self) -> SqlResult<()> {
        for slot in self.instance.databases().list() {
            let Some(database) = slot.database else { continue };
            let storage = &database.storage;
            if storage.log().reuse_wait() == ReuseWait::Checkpoint {
                let taken = storage.checkpoint(CheckpointKind::LogFull);
                taken.map_err(|e| self.storage_error(e))?;
            }
        }
        Ok(())
    }
}
