//! PIVOT: a grouping by all columns that it does not name, with one aggregate for each of the values that become columns.
//! UNPIVOT: each row once for each of the columns that it gathers, but for those that are NULL.
//!
//! ```text
//! t PIVOT (MAX(v) FOR k IN ([a], [b])) p  =  (SELECT the other columns, MAX(CASE k WHEN 'a' THEN v END) AS a, … GROUP BY …) p
//! t UNPIVOT (v FOR k IN (a, b)) u        =  (SELECT the other columns, v, k FROM t
//!                                            CROSS APPLY (VALUES (a, 'a'), (b, 'b')) … WHERE v IS NOT NULL) u
//! ```

use super::aggregate::{aggregate_function, aggregate_types};
use super::query::BoundQuery;
use super::{Binder, Bound, FromTree, eq, unsupported};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_plan::expr::{CompareOp, Expr, Pred, Slot};
use taffrail_plan::node::{Agg, AggFunction, JoinType};
use taffrail_plan::rel::{Group, Rel, Values};
use taffrail_syntax::ast::{self, ExprKind};
use taffrail_types::convert::Large;
use taffrail_types::{Conversion, SqlType, Value, convert};

fn column(e: &ast::Expr) -> SqlResult<&ast::ColumnRef> {
    match &e.kind {
        ExprKind::Column(c) => Ok(c),
        _ => Err(unsupported("PIVOT of anything but columns")),
    }
}

impl<'a> Binder<'a> {
    /// `source PIVOT (…) AS alias`.
    pub(super) fn pivot(&mut self, p: &'a ast::Pivot, lateral: bool) -> SqlResult<FromTree> {
        let bound = self.in_own_block(lateral, |b| b.pivot_block(p))?;
        self.derived(bound, &p.alias.value, &[])
    }

    /// `source UNPIVOT (…) AS alias`.
    pub(super) fn unpivot(&mut self, u: &'a ast::Unpivot, lateral: bool) -> SqlResult<FromTree> {
        let bound = self.in_own_block(lateral, |b| b.unpivot_block(u))?;
        self.derived(bound, &u.alias.value, &[])
    }

    /// Its source sees the sources before it only behind APPLY.
    fn in_own_block(
        &mut self,
        lateral: bool,
        bind: impl FnOnce(&mut Self) -> SqlResult<BoundQuery>,
    ) -> SqlResult<BoundQuery> {
        let block = |b: &mut Self| {
            b.push_block();
            let r = bind(b);
            b.blocks.pop();
            r
        };
        if lateral { block(self) } else { self.hiding_siblings(block) }
    }

    fn unpivot_block(&mut self, u: &'a ast::Unpivot) -> SqlResult<BoundQuery> {
        let trees = vec![self.source_item(&u.source, false)?];
        let sources = &self.block().sources;
        let all: Vec<_> =
            sources.iter().flat_map(|s| s.columns.iter().map(|c| c.name.clone())).collect();
        for new in [&u.value, &u.name] {
            if all.iter().any(|c| eq(c, &new.value)) {
                return Err(SqlError::new(265, &[&new.value, &"UNPIVOT", &"UNPIVOT"]));
            }
        }
        let (mut rows, mut first) = (Vec::with_capacity(u.columns.len()), None::<Bound>);
        let mut nullable = false;
        for (at, column) in u.columns.iter().enumerate() {
            if u.columns[..at].iter().any(|c| eq(&c.value, &column.value)) {
                return Err(SqlError::new(277, &[&column.value]));
            }
            let reference = ast::ColumnRef { qualifier: None, name: column.clone() };
            let b = self.existing_column(&reference)?;
            nullable |= b.nullable;
            let same = |f: &Bound| f.declared() == b.declared() && f.collation == b.collation;
            if !first.as_ref().is_none_or(same) {
                return Err(SqlError::new(8167, &[&column.value]));
            }
            // It is called as the source calls it.
            let called = all.iter().find(|c| eq(c, &column.value));
            let name = Value::nvarchar(called.map_or(&*column.value, |c| c));
            rows.push(vec![b.expr.clone(), Expr::Const(name)]);
            first.get_or_insert(b);
        }
        let (mut outputs, mut names) = (Vec::new(), Vec::new());
        for name in all.iter().filter(|c| !u.columns.iter().any(|u| eq(c, &u.value))) {
            let ident = ast::Ident { value: (&**name).into(), ..u.value.clone() };
            let b = self.existing_column(&ast::ColumnRef { qualifier: None, name: ident })?;
            let Expr::Slot(slot) = b.expr else { unreachable!("a column of a source is a slot") };
            names.push(name.clone());
            outputs.push(slot);
        }
        let value = first.ok_or_else(|| SqlError::new(102, &[&")"]))?;
        let value = Bound { expr: Expr::NULL, nullable, ..value };
        let name = Bound::new(Expr::NULL, SqlType::NVarChar(taffrail_types::MaxLen::N(128)));
        let slots = vec![self.result_slot(&value), self.result_slot(&name)];
        names.extend([&u.value, &u.name].map(|n| Arc::from(&*n.value)));
        outputs.extend(&slots);
        let there = Pred::Not(Box::new(Pred::IsNull(Box::new(Expr::Slot(slots[0])))));
        let input = self.take_from(trees, Vec::new())?;
        let gathered = Rel::Values(Box::new(Values { rows, slots }));
        let rel = Rel::join(JoinType::Inner, input, gathered, Vec::new());
        let rel = Rel::select(rel, if nullable { vec![there] } else { Vec::new() });
        let columns = self.described(&rel, &outputs, &names);
        Ok(BoundQuery { rel, outputs, columns, ..BoundQuery::default() })
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
        let (mut keys, mut outputs, mut names) = (Vec::new(), Vec::new(), Vec::new());
        for name in rest {
            let ident = ast::Ident { value: (&*name).into(), ..argument.name.clone() };
            let b = self.existing_column(&ast::ColumnRef { qualifier: None, name: ident })?;
            let Expr::Slot(slot) = b.expr else {
                return Err(unsupported("PIVOT of a computed column"));
            };
            if b.large != Large::Plain {
                return Err(SqlError::new(488, &[&name, &b.declared().name()]));
            }
            names.push(name);
            outputs.push(slot);
            keys.push((b.expr, slot, b.collation));
        }
        let mut aggs = Vec::with_capacity(p.values.len());
        for (at, value) in p.values.iter().enumerate() {
            if p.values[..at].iter().any(|v| eq(&v.value, &value.value)) {
                return Err(SqlError::new(8156, &[&value.value, &p.alias.value]));
            }
            let agg = self.pivot_value(function, &name, (spread, argument), &value.value)?;
            if names.iter().any(|n| eq(n, &value.value)) {
                return Err(SqlError::new(265, &[&value.value, &"PIVOT", &"PIVOT"]));
            }
            names.push((&*value.value).into());
            outputs.push(agg.slot);
            aggs.push(agg);
        }
        let input = self.take_from(trees, Vec::new())?;
        let scalar = keys.is_empty();
        let (sets, marks) = (Vec::new(), Vec::new());
        let rel = Rel::Group(Box::new(Group { input, keys, aggs, scalar, sets, marks }));
        let columns = self.described(&rel, &outputs, &names);
        Ok(BoundQuery { rel, outputs, columns, ..BoundQuery::default() })
    }

    /// The aggregate of one value.
    fn pivot_value(
        &mut self,
        function: AggFunction,
        name: &str,
        (spread, argument): (&ast::ColumnRef, &ast::ColumnRef),
        value: &str,
    ) -> SqlResult<Agg> {
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
        let coerced = argument.coerced();
        super::large::aggregated(argument.declared(), name, false)?;
        let (arg_ty, ty) = aggregate_types(function, name, argument.ty)?;
        let chosen = self.choose(vec![(same, argument)], None)?;
        let arg = self.cast_to(chosen.plain(), arg_ty)?;
        let b = Bound::new(Expr::NULL, ty).with_collation(coerced);
        let slot: Slot = self.result_slot(&b);
        Ok(Agg {
            function,
            int_count: function == AggFunction::Count,
            arg: Some(arg),
            separator: None,
            order: Vec::new(),
            distinct: false,
            quiet: true,
            arg_ty,
            ty,
            collation: coerced.0,
            slot,
        })
    }
}
