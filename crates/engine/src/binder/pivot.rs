//! PIVOT: a grouping by all columns that it does not name, with one aggregate for each of the values that become columns.
//!
//! ```text
//! t PIVOT (MAX(v) FOR k IN ([a], [b])) p  =  (SELECT the other columns, MAX(CASE k WHEN 'a' THEN v END) AS a, … GROUP BY …) p
//! ```

use super::aggregate::{aggregate_function, aggregate_types};
use super::query::{BoundQuery, column_desc};
use super::{Binder, Bound, FromTree, eq, unsupported};
use crate::plan::expr::{CompareOp, Expr, Slot};
use crate::plan::node::{Agg, AggFunction};
use crate::plan::rel::{Group, Rel};
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{self, ExprKind};
use taffrail_types::convert::Large;
use taffrail_types::{Collation, Conversion, SqlType, Value, convert};

fn column(e: &ast::Expr) -> SqlResult<&ast::ColumnRef> {
    match &e.kind {
        ExprKind::Column(c) => Ok(c),
        _ => Err(unsupported("PIVOT of anything but columns")),
    }
}

impl<'a> Binder<'a> {
    /// `source PIVOT (…) AS alias`.
    pub(super) fn pivot(&mut self, p: &'a ast::Pivot) -> SqlResult<FromTree> {
        let bound = self.hiding_siblings(|b| {
            b.push_block();
            let r = b.pivot_block(p);
            b.blocks.pop();
            r
        })?;
        self.derived(bound, &p.alias.value, &[])
    }

    fn pivot_block(&mut self, p: &'a ast::Pivot) -> SqlResult<BoundQuery> {
        let trees = vec![self.source_item(&p.source, false)?];
        let [call] = &p.aggregates[..] else {
            return Err(unsupported("PIVOT with more than one aggregate"));
        };
        if call.star {
            return Err(SqlError::new(102, &[&"*"]));
        }
        let name = call.name.name.value.to_ascii_uppercase();
        let function = aggregate_function(&name).filter(|_| call.arguments.len() == 1);
        let function = function
            .ok_or_else(|| SqlError::new(195, &[&call.name.name.value, &"aggregate function"]))?;
        let (spread, argument) = (column(&p.column)?, column(&call.arguments[0])?);
        // What is grouped by: the columns that neither of them is.
        let named = |c: &str| eq(c, &spread.name.value) || eq(c, &argument.name.value);
        let sources = &self.block().sources;
        let rest = sources.iter().flat_map(|s| s.columns.iter().map(|c| c.name.clone()));
        let rest: Vec<_> = rest.filter(|c| !named(c)).collect();
        let (mut keys, mut outputs, mut columns) = (Vec::new(), Vec::new(), Vec::new());
        for name in rest {
            let ident = ast::Ident { value: (&*name).into(), ..argument.name.clone() };
            let b = self.existing_column(&ast::ColumnRef { qualifier: None, name: ident })?;
            let Expr::Slot(slot) = b.expr else {
                return Err(unsupported("PIVOT of a computed column"));
            };
            if b.large != Large::Plain {
                return Err(SqlError::new(488, &[&name, &b.declared().name()]));
            }
            columns.push(column_desc(&name, &b));
            outputs.push(slot);
            keys.push((b.expr, slot, b.collation));
        }
        let mut aggs = Vec::with_capacity(p.values.len());
        for (at, value) in p.values.iter().enumerate() {
            if p.values[..at].iter().any(|v| eq(&v.value, &value.value)) {
                return Err(SqlError::new(8156, &[&value.value, &p.alias.value]));
            }
            let (agg, b) = self.pivot_value(function, &name, (spread, argument), &value.value)?;
            if columns.iter().any(|c| eq(&c.name, &value.value)) {
                return Err(SqlError::new(265, &[&value.value]));
            }
            columns.push(column_desc(&value.value, &b));
            outputs.push(agg.slot);
            aggs.push(agg);
        }
        let input = self.take_from(trees, Vec::new());
        let scalar = keys.is_empty();
        let rel = Rel::Group(Box::new(Group { input, keys, aggs, scalar }));
        Ok(BoundQuery { rel, outputs, columns, ..BoundQuery::default() })
    }

    /// The aggregate of one value.
    fn pivot_value(
        &mut self,
        function: AggFunction,
        name: &str,
        (spread, argument): (&ast::ColumnRef, &ast::ColumnRef),
        value: &str,
    ) -> SqlResult<(Agg, Bound)> {
        let left = self.existing_column(spread)?;
        let ty = SqlType::NVarChar(taffrail_types::MaxLen::N(128));
        let constant = Value::nvarchar(value);
        if convert::cast(&constant, ty, left.ty, None, Conversion::Implicit).is_err() {
            let mut refused = SqlError::new(473, &[&value]);
            let reason = SqlError::new(8114, &[&"nvarchar", &left.ty.name()]);
            refused.before.push(*reason.with_state(5));
            return Err(refused);
        }
        let right = Bound::not_null(Expr::Const(constant), ty);
        let same = self.compare(CompareOp::Eq, left, right)?;
        let argument = self.existing_column(argument)?;
        let collation: Collation = argument.collation;
        super::large::aggregated(argument.declared(), name, false)?;
        let (arg_ty, ty) = aggregate_types(function, name, argument.ty)?;
        let chosen = self.choose(vec![(same, argument)], None)?;
        let arg = self.cast_to(chosen.plain(), arg_ty)?;
        let counts = matches!(function, AggFunction::Count | AggFunction::CountBig);
        let b = Bound { nullable: !counts, collation, ..Bound::new(Expr::NULL, ty) };
        let slot: Slot = self.result_slot(&b);
        let agg = Agg {
            function,
            int_count: function == AggFunction::Count,
            arg: Some(arg),
            separator: None,
            order: Vec::new(),
            distinct: false,
            quiet: true,
            arg_ty,
            ty,
            collation,
            slot,
        };
        Ok((agg, b))
    }
}
