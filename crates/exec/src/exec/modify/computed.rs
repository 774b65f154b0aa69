//! The end of stage 1: the values of computed columns.
//!
//! A column that is stored is computed for each new row, and for a changed one where the change reaches what it reads. A column that
//! rows do not have is computed where somebody asks for whole rows: OUTPUT, triggers.

use super::Modify;
use super::values::store;
use crate::exec::runtime::Rt;
use crate::plan::change::ComputedColumn;
use taffrail_base::SqlResult;
use taffrail_types::Value;

impl Modify<'_> {
    /// Computes the columns of the row in `s.new`: 515 for NULL where a column does not allow it.
    pub(super) fn compute_new(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        if self.target.computed.is_empty() {
            return Ok(());
        }
        let whole = self.is_whole();
        let values = std::mem::take(&mut self.s.new);
        let wanted = |c: &ComputedColumn| c.stored || whole;
        self.s.new = compute(rt, self.target.computed, values, wanted)?;
        for c in self.target.computed.iter().filter(|c| c.stored) {
            let column = &self.target.table.columns[c.column];
            if self.s.new[c.column].is_null() && !column.nullable && !self.is_replaced() {
                let context = rt.cx.session.activation.options.convert_context();
                let (database, verb) = (self.target.database, self.target.verb);
                let table = self.target.table;
                store(Value::Null, column.ty, table, c.column, database, verb, &context)?;
            }
        }
        Ok(())
    }

    /// A row as it was read, with the columns that rows do not have where they are asked for.
    pub(super) fn with_virtuals(&self, rt: &mut Rt<'_>, row: Vec<Value>) -> SqlResult<Vec<Value>> {
        match self.target.computed.is_empty() || !self.is_whole() {
            true => Ok(row),
            false => compute(rt, self.target.computed, row, |c| !c.stored),
        }
    }
}

/// Computes columns of a row of a table.
fn compute(
    rt: &mut Rt<'_>,
    computed: &[ComputedColumn],
    mut row: Vec<Value>,
    wanted: impl Fn(&ComputedColumn) -> bool,
) -> SqlResult<Vec<Value>> {
    std::mem::swap(&mut rt.frame, &mut row);
    let mut failed = None;
    for c in computed.iter().filter(|c| wanted(c)) {
        match rt.eval(&c.expr) {
            Ok(v) => rt.frame[c.column] = v,
            Err(e) => {
                failed = Some(e);
                break;
            }
        }
    }
    std::mem::swap(&mut rt.frame, &mut row);
    failed.map_or(Ok(row), Err)
}
