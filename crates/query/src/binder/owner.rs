//! Whose an aggregate is. One whose only column is an outer query's is that query's: there it is computed, once for each
//! group, and the subquery reads it as it reads a column.

use super::Binder;
use taffrail_base::{SqlError, SqlResult};

impl<'a> Binder<'a> {
    /// Binds an aggregate of the current block and tells the depth of the block that computes it.
    pub(super) fn owned<R>(
        &mut self,
        bind: impl FnOnce(&mut Self) -> SqlResult<R>,
    ) -> SqlResult<(R, usize)> {
        let outer: Vec<usize> = self.outer.iter().map(|f| f.slots.len()).collect();
        let before = self.mentioned.replace(Vec::new());
        let bound = bind(self);
        let mentioned = std::mem::replace(&mut self.mentioned, before).unwrap_or_default();
        let bound = bound?;
        let here = self.blocks.len() - 1;
        let depth = mentioned.iter().map(|(depth, _)| *depth).min().unwrap_or(here);
        if depth < here {
            let (_, column) = mentioned[0];
            if mentioned.iter().any(|(_, slot)| *slot != column) {
                return Err(SqlError::new(8124, &[]));
            }
            // The subquery reads the aggregate, and its argument no more than it did before.
            self.outer.iter_mut().zip(outer).for_each(|(f, len)| f.slots.truncate(len));
        }
        let block = &self.blocks[depth];
        if !block.aggregates_allowed {
            let number = if block.applying && depth < here { 4101 } else { 147 };
            return Err(SqlError::new(number, &[]));
        }
        self.not_in_recursion(467);
        Ok((bound, depth))
    }
}
