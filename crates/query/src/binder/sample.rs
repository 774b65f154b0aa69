//! TABLESAMPLE: a share of a table's pages.

use super::Binder;
use taffrail_base::{SqlError, SqlResult};
use taffrail_plan::expr::{Expr, Part};
use taffrail_plan::locking::{SampleSize, TableSample};
use taffrail_syntax::ast;
use taffrail_types::convert::{self, Conversion};
use taffrail_types::{SqlType, Value};

/// 494: only tables have pages of their own.
pub(super) fn only_tables(sample: Option<TableSample>) -> SqlResult<()> {
    match sample {
        None => Ok(()),
        Some(_) => Err(SqlError::new(494, &[])),
    }
}

/// Whether an expression names a variable.
fn has_variable(part: Part<'_>) -> bool {
    let mut found = false;
    match part {
        Part::Plan(_) => {}
        Part::Expr(Expr::Var(_)) => found = true,
        Part::Expr(e) => e.children(&mut |p| found |= has_variable(p)),
        Part::Pred(p) => p.children(&mut |p| found |= has_variable(p)),
    }
    found
}

impl<'a> Binder<'a> {
    /// The sample that a table is named with: 476 to 479, 482, 497, 498.
    pub(super) fn table_sample(
        &mut self,
        table: &'a ast::NamedTable,
    ) -> SqlResult<Option<TableSample>> {
        let Some(sample) = &table.sample else { return Ok(None) };
        if !self.views.is_empty() {
            return Err(SqlError::new(478, &[]));
        }
        let size = match sample.rows {
            true => SampleSize::Rows(self.sample_count(&sample.number, table)?),
            false => {
                let (value, ty) = self.sample_value(&sample.number)?;
                let value = convert::cast(&value, ty, SqlType::Float, None, Conversion::Implicit);
                let Ok(Value::Float(percent)) = value else {
                    return Err(SqlError::new(498, &[]));
                };
                if !(0.0..=100.0).contains(&percent) {
                    let shown = format!("{percent:.6}");
                    return Err(SqlError::new(476, &[&shown, &table.name.name.value]));
                }
                SampleSize::Percent(percent.to_bits())
            }
        };
        let seed = sample.seed.as_ref().map(|e| self.sample_count(e, table)).transpose()?;
        Ok(Some(TableSample { size, seed }))
    }

    /// A number of rows, or a seed.
    fn sample_count(&mut self, e: &'a ast::Expr, table: &ast::NamedTable) -> SqlResult<i64> {
        let (value, _) = self.sample_value(e)?;
        let name = &table.name.name.value;
        let whole = match value {
            // Literals beyond the integers are decimals without places.
            Value::Decimal(d) if d.scale() == 0 => d.to_i64(),
            value => value.as_i64(),
        };
        match whole {
            None => Err(SqlError::new(477, &[name])),
            Some(n) if n <= 0 => Err(SqlError::new(479, &[&n, name])),
            Some(n) => Ok(n),
        }
    }

    fn sample_value(&mut self, e: &'a ast::Expr) -> SqlResult<(Value, SqlType)> {
        let bound = self.expr(e)?;
        match bound.expr.constant() {
            Some(Value::Null) => Err(SqlError::new(498, &[])),
            Some(value) => Ok((value.clone(), bound.ty)),
            None if has_variable(Part::Expr(&bound.expr)) => Err(SqlError::new(497, &[])),
            None => Err(SqlError::new(482, &[])),
        }
    }
}
