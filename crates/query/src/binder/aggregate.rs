//! Aggregates and window functions: each becomes a slot that an operator below fills.

use super::window::{WindowClauses, apart, is_approximate, is_percentile};
use super::{Binder, Bound, Mention, WindowGroup, coercion, unsupported};
use taffrail_base::{SqlError, SqlResult};
use taffrail_plan::expr::{Expr, Part, Pred, Slot, slots_of};
use taffrail_plan::node::{Agg, AggFunction, SortKey, WindowFrame, WindowFunction, WindowItem};
use taffrail_plan::visit::PartMut;
use taffrail_syntax::ast;
use taffrail_types::{Collation, Family, MaxLen, SqlType, Value};

/// An aggregate where there can be none is 147; some clauses have a number of their own for it.
pub(super) fn refused_as(number: i32) -> impl Fn(Box<SqlError>) -> Box<SqlError> {
    move |e| if e.number == 147 { SqlError::new(number, &[]) } else { e }
}

pub(super) fn aggregate_function(name: &str) -> Option<AggFunction> {
    Some(match name {
        "COUNT" => AggFunction::Count,
        "COUNT_BIG" => AggFunction::CountBig,
        "SUM" => AggFunction::Sum,
        "AVG" => AggFunction::Avg,
        "MIN" => AggFunction::Min,
        "MAX" => AggFunction::Max,
        "STDEV" => AggFunction::StDev,
        "STDEVP" => AggFunction::StDevP,
        "VAR" => AggFunction::Var,
        "VARP" => AggFunction::VarP,
        "STRING_AGG" => AggFunction::StringAgg,
        "CHECKSUM_AGG" => AggFunction::ChecksumAgg,
        // The number is exact, of which SQL Server promises less.
        "APPROX_COUNT_DISTINCT" => AggFunction::CountBig,
        "APPROX_PERCENTILE_CONT" => AggFunction::PercentileCont,
        "APPROX_PERCENTILE_DISC" => AggFunction::PercentileDisc,
        _ => return None,
    })
}

/// What the argument is converted to, and the result's type.
pub(super) fn aggregate_types(
    f: AggFunction,
    name: &str,
    arg: SqlType,
) -> SqlResult<(SqlType, SqlType)> {
    use SqlType::*;
    let invalid = || Err(SqlError::new(8117, &[&arg.name(), &name.to_ascii_lowercase()]));
    Ok(match f {
        AggFunction::CountStar | AggFunction::Count => (arg, Int),
        AggFunction::CountBig => (arg, BigInt),
        AggFunction::Min | AggFunction::Max => match arg {
            Bit => return invalid(),
            _ => (arg, arg),
        },
        AggFunction::Sum | AggFunction::Avg => match arg {
            TinyInt | SmallInt | Int => (Int, Int),
            BigInt => (BigInt, BigInt),
            Decimal { scale, .. } | Numeric { scale, .. } => {
                let out = if f == AggFunction::Avg { scale.max(6) } else { scale };
                (Decimal { precision: 38, scale }, Decimal { precision: 38, scale: out })
            }
            Money | SmallMoney => (Money, Money),
            Real | Float => (Float, Float),
            _ => return invalid(),
        },
        AggFunction::StDev | AggFunction::StDevP | AggFunction::Var | AggFunction::VarP => {
            match arg {
                TinyInt
                | SmallInt
                | Int
                | BigInt
                | Decimal { .. }
                | Numeric { .. }
                | Money
                | SmallMoney
                | Real
                | Float => (Float, Float),
                _ => return invalid(),
            }
        }
        AggFunction::StringAgg => match arg {
            VarChar(MaxLen::Max) | NVarChar(MaxLen::Max) => (arg, arg),
            Char(_) | VarChar(_) => (VarChar(MaxLen::Max), VarChar(MaxLen::N(8000))),
            _ => (NVarChar(MaxLen::Max), NVarChar(MaxLen::N(4000))),
        },
        AggFunction::ChecksumAgg => (Int, Int),
        AggFunction::PercentileCont => (Float, Float),
        AggFunction::PercentileDisc => (arg, arg),
    })
}

impl<'a> Binder<'a> {
    /// The call as aggregate or window function; `None` when it is neither.
    pub(crate) fn window_or_aggregate(
        &mut self,
        name: &str,
        f: &'a ast::FunctionCall,
    ) -> SqlResult<Option<Bound>> {
        if let Some(bound) = self.grouping_function(name, f)? {
            return Ok(Some(bound));
        }
        if let Some(over) = &f.over {
            return self.window(name, f, over);
        }
        match name {
            "ROW_NUMBER" | "RANK" | "DENSE_RANK" | "NTILE" | "LAG" | "LEAD" | "FIRST_VALUE"
            | "LAST_VALUE" | "PERCENT_RANK" | "CUME_DIST" | "PERCENTILE_CONT"
            | "PERCENTILE_DISC" => {
                return Err(SqlError::new(10753, &[&name]));
            }
            _ => {}
        }
        let Some(function) = aggregate_function(name) else { return Ok(None) };
        let Some(block) = self.blocks.last() else {
            return Err(SqlError::new(157, &[]));
        };
        if block.in_aggregate {
            return Err(SqlError::new(130, &[]));
        }
        if !f.within_group.is_empty() && !function.keeps_rows() {
            return Err(SqlError::new(10757, &[&name]));
        }
        let ((mut agg, mut b), owner) = self.owned(|this| {
            this.block().in_aggregate = true;
            let agg = this.aggregate(function, name, f);
            this.block().in_aggregate = false;
            agg
        })?;
        if let Some(same) = self.blocks[owner].aggs.iter().find(|a| a.is_same(&agg)) {
            b.expr = Expr::Slot(same.slot);
        } else {
            let texts = self.blocks[owner].aggs.iter();
            let texts = texts.filter(|a| a.function == AggFunction::StringAgg);
            let mut others = texts.map(|a| &a.order);
            let is_text = agg.function == AggFunction::StringAgg;
            if is_text && !agg.order.is_empty() && others.any(|o| !o.is_empty() && *o != agg.order)
            {
                return Err(SqlError::new(8711, &[]));
            }
            agg.slot = self.result_slot(&b);
            b.expr = Expr::Slot(agg.slot);
            self.blocks[owner].aggs.push(agg);
        }
        if let Expr::Slot(slot) = b.expr {
            self.note_outer(owner, slot);
        }
        Ok(Some(b))
    }

    pub(super) fn result_slot(&mut self, b: &Bound) -> Slot {
        self.new_slot(b.column(), Mention::computed(u32::MAX, ""))
    }

    /// An aggregate whose slot is not given yet.
    fn aggregate(
        &mut self,
        function: AggFunction,
        name: &str,
        f: &'a ast::FunctionCall,
    ) -> SqlResult<(Agg, Bound)> {
        if matches!(function, AggFunction::PercentileCont | AggFunction::PercentileDisc) {
            return self.percentile_aggregate(function, name, f);
        }
        let int_count = function == AggFunction::Count;
        let approximate = is_approximate(name);
        if f.star {
            if approximate || !matches!(function, AggFunction::Count | AggFunction::CountBig) {
                return Err(SqlError::new(102, &[&"*"]));
            }
            let ty = if int_count { SqlType::Int } else { SqlType::BigInt };
            let agg = Agg {
                function: AggFunction::CountStar,
                int_count,
                arg: None,
                separator: None,
                order: Vec::new(),
                distinct: false,
                quiet: false,
                arg_ty: SqlType::Int,
                ty,
                collation: Default::default(),
                slot: 0,
            };
            return Ok((agg, Bound::new(Expr::NULL, ty)));
        }
        let wanted = if function == AggFunction::StringAgg { 2 } else { 1 };
        if f.distinct && f.arguments.len() > wanted {
            return Err(SqlError::new(102, &[&","]));
        }
        if f.arguments.len() != wanted {
            return Err(SqlError::new(174, &[&name.to_ascii_lowercase(), &wanted]));
        }
        if f.distinct && function == AggFunction::StringAgg {
            return Err(SqlError::new(102, &[&","]));
        }
        if f.distinct && approximate {
            return Err(SqlError::new(102, &[&"DISTINCT"]));
        }
        let arg = self.expr(&f.arguments[0])?;
        if arg.untyped && !self.misses() {
            return Err(SqlError::new(8117, &[&"NULL", &name.to_ascii_lowercase()]));
        }
        let distinct = f.distinct || approximate;
        super::large::aggregated(arg.declared(), name, distinct)?;
        if approximate && arg.ty.family() == Family::Variant {
            return Err(SqlError::new(8117, &[&arg.ty.name(), &name.to_ascii_lowercase()]));
        }
        let (arg_ty, ty) = aggregate_types(function, name, arg.ty)?;
        if !matches!(function, AggFunction::Count | AggFunction::CountBig) {
            coercion::needed(&arg, name)?;
        }
        let (collation, label) = arg.coerced();
        // COUNT takes xml as it is.
        let page = self.page_of(&arg);
        let mut arg = self.cast_to(arg.plain(), arg_ty)?;
        if approximate && arg_ty.is_text() {
            arg = Expr::Collate(Box::new((arg, apart(collation))));
        }
        let separator = match f.arguments.get(1) {
            None => None,
            Some(s) => {
                let s = self.expr(s)?;
                let mut columns = false;
                slots_of(Part::Expr(&s.expr), &mut |_| columns = true);
                if columns {
                    return Err(SqlError::new(8733, &[]));
                }
                if !s.untyped && !s.ty.is_text() {
                    return Err(SqlError::new(8116, &[&s.ty.name(), &2, &"string_agg"]));
                }
                Some(self.cast_to_page(s, arg_ty, page)?)
            }
        };
        let order = self.window_order(&f.within_group)?;
        let agg = Agg {
            function,
            int_count,
            arg: Some(arg),
            separator,
            order,
            distinct,
            quiet: false,
            arg_ty,
            ty,
            collation: if approximate { apart(collation) } else { collation },
            slot: 0,
        };
        Ok((agg, Bound::new(Expr::NULL, ty).with_collation((collation, label))))
    }

    fn window(
        &mut self,
        name: &str,
        f: &'a ast::FunctionCall,
        over: &'a ast::Over,
    ) -> SqlResult<Option<Bound>> {
        if self.blocks.last().is_some_and(|b| b.in_window || b.in_aggregate) {
            return Err(SqlError::new(4109, &[]));
        }
        if !self.blocks.last().is_some_and(|b| b.windows_allowed) {
            return Err(SqlError::new(4108, &[]));
        }
        if name == "STRING_AGG" || is_approximate(name) {
            return Err(SqlError::new(4113, &[&name]));
        }
        if !f.within_group.is_empty() && !is_percentile(name) {
            return Err(SqlError::new(10757, &[&name]));
        }
        let over = self.resolved(over)?;
        self.block().in_window = true;
        let item = match is_percentile(name) {
            false => self.window_item(name, f, &over).map(|item| item.map(|i| (i, None))),
            true => self.percentile_item(name, f, &over).map(Some),
        };
        self.block().in_window = false;
        let Some(((function, mut b, frame), within)) = item? else { return Ok(None) };
        let slot = self.result_slot(&b);
        b.expr = Expr::Slot(slot);
        self.block().in_window = true;
        let keys = self.window_keys(&over);
        self.block().in_window = false;
        let (partition, mut order) = keys?;
        order.extend(within);
        let item = WindowItem { function, frame, slot };
        let windows = &mut self.block().windows;
        match windows.iter_mut().find(|w| w.partition == partition && w.order == order) {
            Some(w) => w.items.push(item),
            None => windows.push(WindowGroup { partition, order, items: vec![item] }),
        }
        Ok(Some(b))
    }

    /// A percentile as a function over a window whose order is its own: 10758, 10752.
    fn percentile_item(
        &mut self,
        name: &str,
        f: &'a ast::FunctionCall,
        over: &WindowClauses<'a>,
    ) -> SqlResult<(Windowed, Option<SortKey>)> {
        if !over.order_by.is_empty() {
            let number = if over.named { 5363 } else { 10758 };
            return Err(SqlError::new(number, &[&name]));
        }
        if over.frame.is_some() {
            return Err(SqlError::new(10752, &[&name]));
        }
        if f.distinct {
            return Err(SqlError::new(10759, &[]));
        }
        let (function, b, key) = self.percentile(name, f)?.function();
        Ok(((function, b, WindowFrame::Partition), Some(key)))
    }

    #[allow(clippy::type_complexity)]
    fn window_keys(
        &mut self,
        over: &WindowClauses<'a>,
    ) -> SqlResult<(Vec<(Expr, Collation)>, Vec<SortKey>)> {
        let mut partition = Vec::new();
        for e in over.partition_by {
            let b = self.expr(e)?;
            super::large::sorted(b.large)?;
            partition.push((b.expr, b.collation));
        }
        let order = self.window_order(over.order_by)?;
        Ok((partition, order))
    }

    /// The ORDER BY of OVER and of WITHIN GROUP: integer constants are refused; (SELECT NULL) and the like are not.
    pub(super) fn window_order(&mut self, items: &'a [ast::OrderItem]) -> SqlResult<Vec<SortKey>> {
        let mut order = Vec::with_capacity(items.len());
        for item in items {
            let b = self.expr(&item.expr)?;
            if matches!(b.expr, Expr::Const(Value::Int(_))) {
                return Err(SqlError::new(5308, &[]));
            }
            if b.expr.constant().is_some() {
                return Err(SqlError::new(5309, &[]));
            }
            super::large::sorted(b.large)?;
            order.push(SortKey {
                expr: b.expr,
                descending: item.order == ast::SortOrder::Descending,
                collation: b.collation,
            });
        }
        Ok(order)
    }

    fn window_item(
        &mut self,
        name: &str,
        f: &'a ast::FunctionCall,
        over: &WindowClauses<'a>,
    ) -> SqlResult<Option<Windowed>> {
        let ordered = !over.order_by.is_empty();
        let frame = match over.frame {
            None if ordered => WindowFrame::RangeToCurrent,
            None => WindowFrame::Partition,
            Some(f) => self.frame(f)?,
        };
        let need_order = || {
            if ordered { Ok(()) } else { Err(SqlError::new(4112, &[&name])) }
        };
        let framed = over.frame.is_some();
        let frameless = matches!(
            name,
            "ROW_NUMBER"
                | "RANK"
                | "DENSE_RANK"
                | "NTILE"
                | "LAG"
                | "LEAD"
                | "PERCENT_RANK"
                | "CUME_DIST"
        );
        if framed && frameless {
            return Err(SqlError::new(10752, &[&name]));
        }
        let ignore_nulls = f.ignore_nulls == Some(true);
        let big = || Bound::new(Expr::NULL, SqlType::BigInt);
        let arity = |least: usize, most: usize| {
            if (least..=most).contains(&f.arguments.len()) {
                Ok(())
            } else {
                Err(SqlError::new(189, &[&name.to_ascii_lowercase(), &least, &most]))
            }
        };
        if f.distinct {
            return Err(SqlError::new(10759, &[]));
        }
        let bare =
            matches!(name, "ROW_NUMBER" | "RANK" | "DENSE_RANK" | "PERCENT_RANK" | "CUME_DIST");
        if bare && !f.arguments.is_empty() {
            return Err(SqlError::new(174, &[&name.to_ascii_lowercase(), &0]));
        }
        let item = match name {
            "ROW_NUMBER" => (WindowFunction::RowNumber, big()),
            "RANK" => (WindowFunction::Rank, big()),
            "DENSE_RANK" => (WindowFunction::DenseRank, big()),
            "NTILE" => {
                arity(1, 1)?;
                let n = self.expr(&f.arguments[0])?;
                if n.ty.family() != taffrail_types::Family::Integer {
                    return Err(SqlError::new(4116, &[&name.to_ascii_lowercase()]));
                }
                (WindowFunction::Ntile(self.cast_to(n, SqlType::BigInt)?), big())
            }
            "LAG" | "LEAD" => {
                arity(1, 3)?;
                let value = self.expr(&f.arguments[0])?;
                let b = Bound::of(Expr::NULL, value.declared()).with_collation(value.coerced());
                let collation = self.or_database(value.coerced()).0;
                let offset = match f.arguments.get(1) {
                    None => Expr::Const(Value::BigInt(1)),
                    Some(e) => {
                        let e = self.expr(e)?;
                        self.cast_to(e, SqlType::BigInt)?
                    }
                };
                let default = match f.arguments.get(2) {
                    None => None,
                    Some(e) => {
                        let e = self.expr(e)?;
                        Some(self.cast_to_declared_as(e, b.declared(), collation)?)
                    }
                };
                let lead = name == "LEAD";
                let value = value.expr;
                (WindowFunction::Offset { value, offset, lead, default, ignore_nulls }, b)
            }
            "FIRST_VALUE" | "LAST_VALUE" => {
                arity(1, 1)?;
                let value = self.expr(&f.arguments[0])?;
                let b = Bound::of(Expr::NULL, value.declared()).with_collation(value.coerced());
                let last = name == "LAST_VALUE";
                (WindowFunction::Edge { value: value.expr, last, ignore_nulls }, b)
            }
            "PERCENT_RANK" => (WindowFunction::PercentRank, Bound::new(Expr::NULL, SqlType::Float)),
            "CUME_DIST" => (WindowFunction::CumeDist, Bound::new(Expr::NULL, SqlType::Float)),
            _ => {
                let Some(function) = aggregate_function(name) else { return Ok(None) };
                if framed && !ordered {
                    return Err(SqlError::new(10756, &[]));
                }
                let (agg, b) = self.aggregate(function, name, f)?;
                return Ok(Some((WindowFunction::Aggregate(agg), b, frame)));
            }
        };
        need_order()?;
        Ok(Some((item.0, item.1, frame)))
    }

    fn frame(&mut self, f: &'a ast::Frame) -> SqlResult<WindowFrame> {
        use ast::FrameBound::*;
        if f.range {
            return match (&f.start, &f.end) {
                (UnboundedPreceding, CurrentRow) => Ok(WindowFrame::RangeToCurrent),
                (CurrentRow, UnboundedFollowing) => Ok(WindowFrame::RangeFromCurrent),
                (CurrentRow, CurrentRow) => Ok(WindowFrame::Peers),
                (UnboundedPreceding, UnboundedFollowing) => Ok(WindowFrame::Partition),
                _ => Err(unsupported("This RANGE frame")),
            };
        }
        let mut offset = |b: &'a ast::FrameBound| -> SqlResult<Option<i64>> {
            Ok(match b {
                UnboundedPreceding | UnboundedFollowing => None,
                CurrentRow => Some(0),
                Preceding(e) | Following(e) => {
                    let n = self.expr(e)?;
                    let n = n.expr.constant().and_then(|v| v.as_i64());
                    let n = n.ok_or_else(|| SqlError::new(102, &[&"ROWS"]))?;
                    Some(if matches!(b, Preceding(_)) { -n } else { n })
                }
            })
        };
        Ok(WindowFrame::Rows(offset(&f.start)?, offset(&f.end)?))
    }

    /// Replaces group expressions in `e` by their slots.
    pub(crate) fn use_groups(&self, e: &mut Expr, groups: &[Group]) {
        if groups.is_empty() {
            return;
        }
        if !matches!(e, Expr::Const(_) | Expr::Slot(_))
            && let Some((_, slot, _)) = groups.iter().find(|(g, ..)| g == e)
        {
            *e = Expr::Slot(*slot);
            return;
        }
        e.children_mut(&mut |part| match part {
            PartMut::Expr(e) => self.use_groups(e, groups),
            PartMut::Pred(p) => self.use_groups_pred(p, groups),
        });
    }

    /// The same in a condition.
    pub(crate) fn use_groups_pred(&self, p: &mut Pred, groups: &[Group]) {
        if groups.is_empty() {
            return;
        }
        p.children_mut(&mut |part| match part {
            PartMut::Expr(e) => self.use_groups(e, groups),
            PartMut::Pred(p) => self.use_groups_pred(p, groups),
        });
    }

    /// 8120 (or its relatives) when a column of the block is neither grouped nor aggregated.
    pub(crate) fn check_grouped(
        &self,
        part: Part<'_>,
        block: u32,
        grouped: &[Slot],
        number: i32,
    ) -> SqlResult<()> {
        let mut bad = None;
        taffrail_plan::expr::slots_of(part, &mut |s| {
            let info = &self.mentions[s as usize];
            if info.block == block && info.source != u32::MAX && !grouped.contains(&s) {
                bad.get_or_insert(s);
            }
        });
        match bad {
            None => Ok(()),
            Some(s) => {
                let info = &self.mentions[s as usize];
                let table = match &info.schema {
                    Some(schema) => format!("{schema}.{}", info.table),
                    None => info.table.to_string(),
                };
                Err(SqlError::new(number, &[&table, &info.column]))
            }
        }
    }
}

/// A function over a window with its result and frame.
type Windowed = (WindowFunction, Bound, WindowFrame);

/// What is grouped by: how it is computed, its slot above the grouping, its collation.
pub type Group = (Expr, Slot, Collation);
