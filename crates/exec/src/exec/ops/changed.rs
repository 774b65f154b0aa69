//! Rows of `inserted` and `deleted`, in the body of a trigger.

use super::Operator;
use crate::exec::rows::KeptReader;
use crate::exec::runtime::Rt;
use crate::exec::triggers::FiredRows;
use crate::plan::node::ViewScan;
use crate::plan::triggers::ChangedRows;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};

pub(crate) struct ChangedOp {
    node: Arc<ViewScan>,
    of: ChangedRows,
    rows: Option<Arc<FiredRows>>,
    /// The part that is read, and the place in it.
    part: usize,
    reader: KeptReader,
}

impl ChangedOp {
    pub fn new(node: &Arc<ViewScan>, of: &ChangedRows) -> ChangedOp {
        ChangedOp {
            node: node.clone(),
            of: of.clone(),
            rows: None,
            part: 0,
            reader: KeptReader::default(),
        }
    }
}

impl Operator for ChangedOp {
    /// 208 where the trigger has ended that the statement belongs to: a cursor that outlives it.
    fn open(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        let fired = rt.cx.session.activation.fired();
        let fired = fired.filter(|f| f.table.id() == self.of.table.id());
        let fired = fired.ok_or_else(|| SqlError::new(208, &[&self.of.name()]))?;
        self.rows = Some(fired.rows.clone());
        (self.part, self.reader) = (0, KeptReader::default());
        Ok(())
    }

    fn next(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        let Some(rows) = &self.rows else { return Ok(false) };
        let parts = if self.of.inserted { &rows.inserted } else { &rows.deleted };
        while let Some(part) = parts.get(self.part) {
            rt.tick()?;
            let Some(row) = self.reader.next(part)? else {
                (self.part, self.reader) = (self.part + 1, KeptReader::default());
                continue;
            };
            for (column, slot) in &self.node.columns {
                rt.frame[*slot as usize].clone_from(&row[*column]);
            }
            match &self.node.filter {
                Some(p) if rt.test(p)? != Some(true) => {}
                _ => return Ok(true),
            }
        }
        Ok(false)
    }
}
