//! The values of sequences that a statement takes.
//!
//! A statement that takes values of a sequence has it locked (Sch-S), so that an ALTER of it waits. Behind the lock the catalogue says
//! how the sequence is now. The values are taken outside the transaction: nothing gives them back.

use super::runtime::Rt;
use crate::catalog::{Object, SequenceObject};
use crate::plan::next_value::{NextValue, SequenceUse};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::lock::LockMode;
use taffrail_types::Value;

/// A sequence that a statement has locked, and the value that the row that is being made has of it.
pub(crate) struct Drawn {
    from: SequenceUse,
    sequence: Arc<SequenceObject>,
    of_row: Option<Value>,
}

impl Rt<'_> {
    /// Another row is begun: it has no value of any sequence yet.
    #[inline]
    pub(crate) fn begin_row(&mut self) {
        if !self.drawn.is_empty() {
            self.drawn.iter_mut().for_each(|d| d.of_row = None);
        }
    }

    /// The row that is being made has this value of a sequence.
    pub(crate) fn row_has(&mut self, of: &SequenceUse, value: Value) -> SqlResult<()> {
        let at = self.locked(of)?;
        self.drawn[at].of_row = Some(value);
        Ok(())
    }

    /// NEXT VALUE FOR: 11728 where the sequence has no more, 11739 under SET ROWCOUNT, 3906.
    #[inline(never)]
    pub(super) fn next_value(&mut self, n: &NextValue) -> SqlResult<Value> {
        if self.cx.session.activation.options.fmtonly {
            return Ok(Value::Null);
        }
        let at = self.locked(&n.sequence)?;
        if n.by_row
            && let Some(value) = &self.drawn[at].of_row
        {
            return Ok(value.clone());
        }
        if self.cx.session.row_limit() != u64::MAX {
            return Err(SqlError::new(11739, &[]));
        }
        let sequence = self.drawn[at].sequence.clone();
        let Some(taken) = sequence.numbers.take()? else {
            return Err(SqlError::new(11728, &[&sequence.head.name]));
        };
        if taken.short {
            self.cx.message(SqlError::new(11729, &[&sequence.head.name]))?;
        }
        let value = sequence.facts.value(taken.number);
        if n.by_row {
            self.drawn[at].of_row = Some(value.clone());
        }
        Ok(value)
    }

    /// The place of a sequence among those that the statement has locked.
    fn locked(&mut self, of: &SequenceUse) -> SqlResult<usize> {
        if let Some(at) = self.drawn.iter().position(|d| d.from == *of) {
            return Ok(at);
        }
        let (catalog, session) = (&of.database.catalog, self.cx.session.id);
        let id = of.sequence.head.id;
        let tx = self.cx.session.change_in(&of.database)?;
        catalog.lock_table(tx, session, id, LockMode::SchS)?;
        let Some(Object::Sequence(sequence)) = catalog.object(id, session) else {
            return Err(SqlError::new(208, &[&of.sequence.head.qualified()]));
        };
        self.drawn.push(Drawn { from: of.clone(), sequence, of_row: None });
        Ok(self.drawn.len() - 1)
    }
}
