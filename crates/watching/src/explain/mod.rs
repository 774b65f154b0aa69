//! The log explained: from log records to the changes of rows that they are, and back.
//!
//! ```text
//! source    the log, from backups and from the files: one run of positions, read forward from anywhere
//! history   what DDL did in it: whose each heap and tree is, what changed of the tables since
//! ends      how transactions ended, and which of their records a rollback took back
//! batch     some thousand changes at a time, and the records that make rows of them
//! ahead     the records behind a batch, as far as its rows ask for them
//! splice    a row's bytes through later changes, backward
//! scan      from batches to changes, one by one, in the log's order
//! row       bytes to columns: JSON for people, values for scripts
//! shown     changes as people read them
//! literal   values as T-SQL writes them
//! undo      T-SQL that takes a transaction back
//! ```
//!
//! An insertion's and a deletion's record hold the whole row. A modification's holds the bytes that differ, and in a tree the key. The rest
//! of the row is what lies on its page now, with all later changes taken back: [`ahead`] reads them, as far as the page's last one;
//! a deletion on the way ends the search. Where neither is to be had, the change says so and shows no row.
//!
//! Memory is bounded by a batch; the log is read once for a batch's changes, and as far ahead as its rows were changed later.

mod ahead;
mod batch;
mod ends;
mod history;
mod literal;
mod row;
mod scan;
mod shown;
mod source;
mod splice;
mod undo;

pub(crate) use batch::Range;
pub(crate) use row::iso;
pub(crate) use scan::{Change, Scan};
pub(crate) use shown::{Shown, local, table_of};
pub(crate) use source::Source;
pub(crate) use undo::{Named, Undo};

/// Asks now and then whether the batch was cancelled.
#[derive(Default)]
pub(crate) struct Ticks(u32);

impl Ticks {
    pub fn tick(&mut self) -> taffrail_base::SqlResult<()> {
        self.0 = self.0.wrapping_add(1);
        if self.0.is_multiple_of(1024) { crate::pieces::look() } else { Ok(()) }
    }
}
