//! Rows of a user's function of several statements. It is run when it is opened, unless its arguments are those of the last run: then
//! the rows of that are given again.

use super::Operator;
use crate::catalog::Module;
use crate::exec::rows::RowStore;
use crate::exec::runtime::Rt;
use crate::exec::table_function;
use crate::plan::node::ViewScan;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(crate) struct FunctionOp {
    node: Arc<ViewScan>,
    function: Arc<Module>,
    /// The arguments of the run that made the rows.
    called: Option<Vec<Value>>,
    /// The columns that are wanted of all rows.
    rows: RowStore,
    at: usize,
}

impl FunctionOp {
    pub fn new(node: &Arc<ViewScan>, function: &Arc<Module>) -> FunctionOp {
        FunctionOp {
            node: node.clone(),
            function: function.clone(),
            called: None,
            rows: RowStore::in_order(node.columns.len()),
            at: 0,
        }
    }
}

impl Operator for FunctionOp {
    fn open(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        let args = self.node.args.iter().map(|e| rt.eval(e)).collect::<SqlResult<Vec<_>>>()?;
        self.at = 0;
        if self.called.as_ref() == Some(&args) {
            return Ok(());
        }
        self.called = None;
        self.rows = RowStore::in_order(self.node.columns.len());
        // The function is opened in no join.
        let partners = rt.partners.take();
        let (database, columns) = (&self.node.database, &self.node.columns);
        let wanted: Vec<usize> = columns.iter().map(|(column, _)| *column).collect();
        let run = table_function::run(
            &mut rt.cx,
            (database, &self.function),
            &args,
            &wanted,
            &mut self.rows,
        );
        rt.partners = partners;
        run?;
        self.called = Some(args);
        Ok(())
    }

    fn next(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        while self.at < self.rows.len() {
            rt.tick()?;
            let row = self.rows.row(self.at)?;
            self.at += 1;
            for ((_, slot), value) in self.node.columns.iter().zip(row) {
                rt.frame[*slot as usize].clone_from(value);
            }
            match &self.node.filter {
                Some(p) if rt.test(p)? != Some(true) => {}
                _ => return Ok(true),
            }
        }
        Ok(false)
    }
}
