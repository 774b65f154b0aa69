//! Rows of OPENJSON, read one at a time.

use super::Operator;
use crate::exec::runtime::Rt;
use crate::functions::json::{JsonRows, OpenJson};
use crate::memory::{self, Held};
use crate::plan::node::ViewScan;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(crate) struct JsonOp {
    node: Arc<ViewScan>,
    of: Arc<OpenJson>,
    rows: Option<JsonRows>,
    /// What the document takes.
    held: Held,
    /// Positions of the columns that are wanted, and room for their values.
    wanted: Vec<usize>,
    cells: Vec<Value>,
}

impl JsonOp {
    pub fn new(node: &Arc<ViewScan>, of: &Arc<OpenJson>) -> JsonOp {
        let wanted: Vec<usize> = node.columns.iter().map(|(c, _)| *c).collect();
        JsonOp {
            node: node.clone(),
            of: of.clone(),
            rows: None,
            held: Held::default(),
            cells: vec![Value::Null; wanted.len()],
            wanted,
        }
    }
}

impl Operator for JsonOp {
    fn open(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        // What stands in the arguments is opened in no join.
        let partners = rt.partners.take();
        let mut args = self.node.args.iter().map(|e| rt.eval(e));
        let document = args.next().unwrap_or(Ok(Value::Null))?;
        let path = args.next().transpose()?;
        drop(args);
        rt.partners = partners;
        self.rows = None;
        self.held.clear();
        self.held.values(std::slice::from_ref(&document));
        memory::check()?;
        self.rows = Some(JsonRows::open(&self.of, document, path.as_ref())?);
        Ok(())
    }

    fn next(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        while let Some(rows) = &mut self.rows {
            rt.tick()?;
            if !rows.next(&self.wanted, &mut self.cells)? {
                self.rows = None;
                self.held.clear();
                break;
            }
            for ((_, slot), cell) in self.node.columns.iter().zip(&mut self.cells) {
                rt.frame[*slot as usize] = std::mem::take(cell);
            }
            match &self.node.filter {
                Some(p) if rt.test(p)? != Some(true) => {}
                _ => return Ok(true),
            }
        }
        Ok(false)
    }
}
