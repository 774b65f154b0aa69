//! Windows as OVER and WINDOW write them, and the percentiles over them.

use super::{Binder, Bound};
use taffrail_base::{SqlError, SqlResult};
use taffrail_plan::expr::Expr;
use taffrail_plan::node::{Agg, AggFunction, SortKey, WindowFunction};
use taffrail_syntax::ast;
use taffrail_types::{Collation, Family, SqlType, Value};

/// The clauses of a window, each from OVER or from a window that it names.
#[derive(Clone, Copy, Default)]
pub(super) struct WindowClauses<'a> {
    pub partition_by: &'a [ast::Expr],
    pub order_by: &'a [ast::OrderItem],
    pub frame: Option<&'a ast::Frame>,
    /// A window of the clause WINDOW is named.
    pub named: bool,
}

impl<'a> WindowClauses<'a> {
    fn of(over: &'a ast::Over) -> WindowClauses<'a> {
        let (partition_by, order_by) = (&over.partition_by[..], &over.order_by[..]);
        let named = over.window.is_some();
        WindowClauses { partition_by, order_by, frame: over.frame.as_ref(), named }
    }

    /// Adds the clauses of a window that is named: 5367 for one that is there.
    fn add(&mut self, other: WindowClauses<'a>) -> SqlResult<()> {
        let twice = !self.partition_by.is_empty() && !other.partition_by.is_empty()
            || !self.order_by.is_empty() && !other.order_by.is_empty()
            || self.frame.is_some() && other.frame.is_some();
        if twice {
            return Err(SqlError::new(5367, &[]));
        }
        if self.partition_by.is_empty() {
            self.partition_by = other.partition_by;
        }
        if self.order_by.is_empty() {
            self.order_by = other.order_by;
        }
        self.frame = self.frame.or(other.frame);
        Ok(())
    }
}

/// The arguments of a percentile, bound.
pub(super) struct Percentile {
    /// The share of the rows, of type float.
    pub fraction: Expr,
    /// The value of a row, which the continuous ones have as float.
    pub value: Expr,
    pub key: SortKey,
    pub continuous: bool,
    pub arg_ty: SqlType,
    /// The result's type and collation.
    pub result: Bound,
}

/// Functions that need WITHIN GROUP, and OVER too.
pub(super) fn is_percentile(name: &str) -> bool {
    matches!(name, "PERCENTILE_CONT" | "PERCENTILE_DISC")
}

/// Aggregates that are no window functions.
pub(super) fn is_approximate(name: &str) -> bool {
    name.starts_with("APPROX_")
}

fn is_number(ty: SqlType) -> bool {
    use Family::{Bit, Decimal, Float, Integer, Money};
    matches!(ty.family(), Bit | Integer | Decimal | Money | Float)
}

impl<'a> Binder<'a> {
    /// The clauses of a window: 5362 for a name that is no window's of this query, 5365 for a circle, 5367.
    pub(super) fn resolved(&self, over: &'a ast::Over) -> SqlResult<WindowClauses<'a>> {
        let mut window = WindowClauses::of(over);
        let mut seen: Vec<&ast::Ident> = Vec::new();
        let mut next = over.window.as_ref();
        while let Some(name) = next {
            if seen.iter().any(|s| s.is(&name.value)) {
                return Err(SqlError::new(5365, &[]));
            }
            seen.push(name);
            let found = self.named_windows.iter().find(|d| d.0.is(&name.value));
            let (_, found) = found.ok_or_else(|| SqlError::new(5362, &[&name.value]))?;
            window.add(WindowClauses::of(found))?;
            next = found.window.as_ref();
        }
        Ok(window)
    }

    /// The windows of the clause WINDOW must be well defined, used or not.
    pub(super) fn check_windows(&self) -> SqlResult<()> {
        let windows = self.named_windows;
        for (at, (name, window)) in windows.iter().enumerate() {
            if windows[..at].iter().any(|w| w.0.is(&name.value)) {
                return Err(SqlError::new(5367, &[]));
            }
            if window.window.as_ref().is_some_and(|w| w.is(&name.value)) {
                return Err(SqlError::new(5365, &[]));
            }
            self.resolved(window)?;
        }
        Ok(())
    }

    /// The arguments of a percentile: 174, 10754, 10751, 8116, 8117, 8727.
    pub(super) fn percentile(
        &mut self,
        name: &str,
        f: &'a ast::FunctionCall,
    ) -> SqlResult<Percentile> {
        let lower = name.to_ascii_lowercase();
        let continuous = name.ends_with("CONT");
        if f.arguments.len() != 1 || f.star {
            return Err(SqlError::new(174, &[&lower, &1]));
        }
        let item = match &f.within_group[..] {
            [] => return Err(SqlError::new(10754, &[&name])),
            [item] => item,
            _ => return Err(SqlError::new(10751, &[&name])),
        };
        let fraction = self.expr(&f.arguments[0])?;
        if fraction.untyped || !is_number(fraction.ty) {
            let ty = if fraction.untyped { "NULL" } else { fraction.ty.name() };
            return Err(SqlError::new(8116, &[&ty, &1, &lower]));
        }
        let fraction = self.cast_to(fraction, SqlType::Float)?;
        if let Some(v) = fraction.constant()
            && !matches!(v, Value::Float(p) if (0.0..=1.0).contains(p))
        {
            return Err(SqlError::new(8727, &[]));
        }
        let b = self.expr(&item.expr)?;
        match &b.expr {
            Expr::Const(Value::Int(_)) => return Err(SqlError::new(5308, &[])),
            e if e.constant().is_some() => return Err(SqlError::new(5309, &[])),
            _ => {}
        }
        super::large::sorted(b.large)?;
        if continuous && !is_number(b.ty) {
            return Err(SqlError::new(8117, &[&b.ty.name(), &lower]));
        }
        let key = SortKey {
            expr: b.expr.clone(),
            descending: item.order == ast::SortOrder::Descending,
            collation: b.collation,
        };
        Ok(match continuous {
            true => {
                let value = self.cast_to(b, SqlType::Float)?;
                let result = Bound::new(Expr::NULL, SqlType::Float);
                let arg_ty = SqlType::Float;
                Percentile { fraction, value, key, continuous, arg_ty, result }
            }
            false => {
                let result = Bound::of(Expr::NULL, b.declared()).with_collation(b.coerced());
                let result = Bound { nullable: true, ..result };
                let (arg_ty, value) = (b.ty, b.expr);
                Percentile { fraction, value, key, continuous, arg_ty, result }
            }
        })
    }

    /// APPROX_PERCENTILE_CONT and APPROX_PERCENTILE_DISC: a percentile of the group's rows.
    pub(super) fn percentile_aggregate(
        &mut self,
        function: AggFunction,
        name: &str,
        f: &'a ast::FunctionCall,
    ) -> SqlResult<(Agg, Bound)> {
        if f.distinct {
            return Err(SqlError::new(102, &[&"DISTINCT"]));
        }
        let p = self.percentile(name, f)?;
        let agg = Agg {
            function,
            int_count: false,
            arg: Some(p.value),
            separator: Some(p.fraction),
            order: vec![p.key],
            distinct: false,
            // NULL is left out without a word.
            quiet: true,
            arg_ty: p.arg_ty,
            ty: p.result.ty,
            collation: p.result.collation,
            slot: 0,
        };
        Ok((agg, p.result))
    }
}

impl Percentile {
    /// The window function over the rows of a partition in the percentile's order.
    pub(super) fn function(self) -> (WindowFunction, Bound, SortKey) {
        let Percentile { fraction, value, key, continuous, result, .. } = self;
        (WindowFunction::Percentile { fraction, value, continuous }, result, key)
    }
}

/// The order by which APPROX_COUNT_DISTINCT tells texts apart: by their characters.
pub(super) fn apart(collation: Collation) -> Collation {
    Collation::from_name("Latin1_General_BIN").unwrap_or(collation)
}
