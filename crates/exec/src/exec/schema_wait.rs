//! Waiting for other sessions' DDL, on a session's side.
//!
//! Look-ups are made in places that cannot wait: the binder, functions, views. They note what stands in the way
//! ([`Session::note_blocked`]) and go on with what is committed; whoever has called them takes the note, waits and calls
//! again. What they have computed meanwhile is thrown away.

use crate::catalog::{Blocked, Object, Sight, Touched, TouchedId};
use crate::database::Database;
use crate::session::context::StatementContext;
use crate::session::{Isolation, Session};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};

impl Session {
    /// Notes that what has just been looked up is about to change; the first note stands.
    #[inline]
    pub fn note_blocked(&self, blocked: Option<Blocked>) {
        if blocked.is_some() && self.lookups.blocked.get().is_none() {
            self.lookups.blocked.set(blocked);
        }
    }

    /// Takes the note.
    #[inline]
    pub(crate) fn take_blocked(&self) -> Option<Blocked> {
        self.lookups.blocked.take()
    }

    /// Waits until the DDL in the way has ended: 1222, 1205, or the attention that ends the wait.
    #[cold]
    pub fn wait_for_ddl(&mut self, blocked: Blocked) -> SqlResult<()> {
        self.check_cancel()?;
        let Some(database) = self.instance.databases().by_id(blocked.database) else {
            return Ok(());
        };
        // Outside a statement nothing may be left of the transaction that waits.
        let alone = self.transaction.count() == 0 && !self.running.in_statement;
        let id = self.id;
        let waited = self.transaction_in(&database).and_then(|tx| {
            tx.lock_for_a_moment(blocked.resource, blocked.mode).map_err(|e| e.to_sql())
        });
        if alone {
            self.end_wait()?;
        }
        waited?;
        database.catalog.settle_briefly(&blocked, id);
        Ok(())
    }
}

impl StatementContext<'_> {
    /// Looks something up until nobody's DDL is in the way.
    pub fn settled<R>(&mut self, mut look: impl FnMut(&mut Self) -> SqlResult<R>) -> SqlResult<R> {
        loop {
            self.session.take_blocked();
            let found = look(self);
            match self.session.take_blocked() {
                None => return found,
                Some(blocked) => self.session.wait_for_ddl(blocked)?,
            }
        }
    }

    /// The error of a statement whose binding has failed. Within a view it is told as it is, and the statement's error is that the
    /// view cannot be used (4413).
    pub fn binding_failed(&mut self, e: Box<SqlError>) -> SqlResult<Box<SqlError>> {
        let views = self.session.lookups.failed_views.take();
        let mut last = e;
        for view in views {
            let line = last.line;
            let told = std::mem::replace(&mut last, SqlError::new(4413, &[&view]));
            self.reason(told)?;
            self.line = self.line.max(line);
        }
        Ok(last)
    }

    /// What is seen where a procedure of ours lists the catalogue.
    pub fn sight(&self) -> Sight {
        let dirty = self.session.activation.options.isolation == Isolation::ReadUncommitted;
        Sight { session: self.session.id, dirty }
    }

    /// Waits while another session's DDL is about to change what a procedure of ours lists, unless uncommitted rows are to be
    /// read: `listed` tells of an object, as it is or as it is to be, whether it is in the list.
    pub fn settle_objects(
        &mut self,
        database: &Arc<Database>,
        listed: impl Fn(&Object) -> bool,
    ) -> SqlResult<()> {
        self.settle_touched(database, |t| t.objects.iter().flatten().any(&listed))
    }

    /// The same for the list of schemas.
    pub fn settle_schemas(&mut self, database: &Arc<Database>) -> SqlResult<()> {
        self.settle_touched(database, |t| matches!(t.what, TouchedId::Schema(_)))
    }

    fn settle_touched(
        &mut self,
        database: &Arc<Database>,
        matters: impl Fn(&Touched) -> bool,
    ) -> SqlResult<()> {
        if self.session.activation.options.isolation == Isolation::ReadUncommitted {
            return Ok(());
        }
        self.settled(|cx| {
            let touched = database.catalog.touched(cx.session.id);
            cx.session.note_blocked(touched.iter().find(|t| matters(t)).map(|t| t.blocked));
            Ok(())
        })
    }
}
