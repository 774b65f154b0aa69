//! Conditions.

use super::expr::is_text;
use super::{Binder, Bound, NullRule, large, unsupported};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_plan::expr::{
    Cast, Compare, CompareOp, Compiled, Expr, InList, InSubquery, Like, Pred, Quantified, Subquery,
};
use taffrail_plan::rel::Rel;
use taffrail_syntax::ast::{self, ExprKind};
use taffrail_types::like::Pattern;
use taffrail_types::{
    Collation, Conversion, Decimal, Family, MaxLen, Pages, SqlType, Value, compare,
};

/// The operator of the syntax tree as ours.
pub fn compare_op(op: ast::CompareOp) -> CompareOp {
    match op {
        ast::CompareOp::Eq => CompareOp::Eq,
        ast::CompareOp::Ne => CompareOp::Ne,
        ast::CompareOp::Lt => CompareOp::Lt,
        ast::CompareOp::Le => CompareOp::Le,
        ast::CompareOp::Gt => CompareOp::Gt,
        ast::CompareOp::Ge => CompareOp::Ge,
    }
}

fn not(p: Pred, negated: bool) -> Pred {
    if negated { Pred::Not(Box::new(p)) } else { p }
}

impl<'a> Binder<'a> {
    /// A condition.
    pub fn pred(&mut self, e: &'a ast::Expr) -> SqlResult<Pred> {
        let line = self.line(e.span);
        let bound = self.deeper(|b| b.pred_kind(e)).map_err(|e| e.with_line(line))?;
        self.note_condition(e);
        Ok(bound)
    }

    fn pred_kind(&mut self, e: &'a ast::Expr) -> SqlResult<Pred> {
        match &e.kind {
            ExprKind::And(list) => {
                Ok(Pred::And(list.iter().map(|e| self.pred(e)).collect::<SqlResult<_>>()?))
            }
            ExprKind::Or(list) => {
                Ok(Pred::Or(list.iter().map(|e| self.pred(e)).collect::<SqlResult<_>>()?))
            }
            ExprKind::Not(e) => Ok(Pred::Not(Box::new(self.pred(e)?))),
            ExprKind::Compare(c) => {
                let left = self.expr(&c.left)?;
                let right = self.expr(&c.right)?;
                self.compare(compare_op(c.op), left, right)
            }
            ExprKind::IsNull(n) => {
                let b = self.asked_for_null(&n.operand)?;
                Ok(not(Pred::IsNull(Box::new(b.expr)), n.negated))
            }
            ExprKind::IsDistinct(d) => {
                let (left, right) = (self.expr(&d.left)?, self.expr(&d.right)?);
                large::compared(&left, &right, if d.negated { "is" } else { "is not" })?;
                let mut both = self.comparison(CompareOp::Eq, left, right)?;
                if !d.negated {
                    both.op = CompareOp::Ne;
                }
                let null = |e| not(Pred::IsNull(Box::new(e)), !d.negated);
                Ok(match both {
                    c if c.right.is_null() => null(c.left),
                    c if c.left.is_null() => null(c.right),
                    c => Pred::NullsEqual(Box::new(c), false),
                })
            }
            ExprKind::Between(b) => {
                let (x, low) = (self.expr(&b.operand)?, self.expr(&b.low)?);
                let ge = self.compare(CompareOp::Ge, x, low)?;
                let (x, high) = (self.expr(&b.operand)?, self.expr(&b.high)?);
                let le = self.compare(CompareOp::Le, x, high)?;
                Ok(not(Pred::And(vec![ge, le]), b.negated))
            }
            ExprKind::InList(l) => self.in_list(l),
            ExprKind::InQuery(q) => {
                let value = self.expr(&q.operand)?;
                let (value, plan, collation) = self.against_column(value, &q.query, "equal to")?;
                let p = Pred::InSubquery(Box::new(InSubquery { value, plan, collation }));
                Ok(not(p, q.negated))
            }
            ExprKind::Quantified(q) => {
                let value = self.expr(&q.left)?;
                let op = compare_op(q.op);
                let (value, plan, collation) = self.against_column(value, &q.query, op.text())?;
                if op == CompareOp::Eq && !q.all {
                    return Ok(Pred::InSubquery(Box::new(InSubquery { value, plan, collation })));
                }
                let q = Quantified { op, all: q.all, value, plan, collation };
                Ok(Pred::Quantified(Box::new(q)))
            }
            ExprKind::Like(l) => self.like(l),
            ExprKind::Exists(q) => {
                self.existence = true;
                let (plan, _) = self.subquery(q)?;
                Ok(Pred::Exists(Box::new(plan)))
            }
            ExprKind::UpdatedColumn(column) => self.updated_column(column),
            ExprKind::FullText(f) => Err(unsupported(&f.name)),
            // The parser keeps conditions and values apart; anything else here is a value.
            _ => Err(SqlError::new(4145, &[&""])),
        }
    }

    /// The operand of IS NULL. A column that nodes() finds may be asked this, too, and nothing else.
    fn asked_for_null(&mut self, e: &'a ast::Expr) -> SqlResult<Bound> {
        let ExprKind::Column(c) = &e.kind else { return self.expr(e) };
        let b = self.column(c)?;
        self.note_value(e, &b);
        Ok(b)
    }

    /// A comparison of two values.
    pub fn compare(&mut self, op: CompareOp, left: Bound, right: Bound) -> SqlResult<Pred> {
        let is_variable = |b: &Bound| matches!(b.expr, Expr::Var(_));
        let variable = is_variable(&left) || is_variable(&right);
        let comparison = self.comparison(op, left, right)?;
        let null = comparison.left.is_null() || comparison.right.is_null();
        let equality = matches!(op, CompareOp::Eq | CompareOp::Ne);
        let rule = match equality && (null || variable) {
            true => self.meta.null_rule(),
            false => NullRule::Unknown,
        };
        Ok(match rule {
            NullRule::Unknown if null => Pred::Const(None),
            NullRule::Unknown => Pred::Compare(Box::new(comparison)),
            NullRule::Equal => Pred::NullsEqual(Box::new(comparison), false),
            NullRule::BySession => Pred::NullsEqual(Box::new(comparison), true),
        })
    }

    /// Two values brought to the type by which they are compared.
    fn comparison(&mut self, op: CompareOp, left: Bound, right: Bound) -> SqlResult<Compare> {
        large::compared(&left, &right, op.text())?;
        let (mut left, mut right) = (left, right);
        if left.untyped {
            left.ty = right.ty;
        } else if right.untyped {
            right.ty = left.ty;
        }
        if let Some(wanted) = &self.wanted {
            wanted.compared(&left.expr, op, right.ty);
            wanted.compared(&right.expr, op, left.ty);
        }
        let (collation, _) = self.compared_by(&left, &right, op.text())?;
        let ty = compare::comparison_type(left.ty, right.ty, op.text())?;
        let (left, right) = self.comparables(left, right, ty, collation)?;
        Ok(Compare { op, left, right, collation })
    }

    /// Both sides of a comparison, brought to their common type. Where that has no room for all digits of a decimal, decimals stay as
    /// they are: they compare by value, and a conversion would make 10.00 of 10.001.
    fn comparables(
        &self,
        left: Bound,
        right: Bound,
        ty: SqlType,
        collation: Collation,
    ) -> SqlResult<(Expr, Expr)> {
        if !loses_digits(&left, ty) && !loses_digits(&right, ty) {
            let one = |b| self.comparable(b, ty, collation);
            return Ok((one(left)?, one(right)?));
        }
        let one = |b: Bound| match (is_decimal(b.ty), b.expr) {
            // No key is sought by a value of another scale.
            (true, value @ Expr::Slot(_)) => {
                let (from, conversion) = (b.ty, Conversion::Explicit);
                let (style, lenient, pages) = (None, false, Pages::default());
                let cast = Cast { value, from, to: from, style, conversion, lenient, pages };
                Ok(Expr::Cast(Box::new(cast)))
            }
            (true, expr) => Ok(expr),
            (false, expr) => self.cast_to(Bound { expr, ..b }, ty),
        };
        Ok((one(left)?, one(right)?))
    }

    /// Converts for a comparison. Text compares padded, so lengths do not matter.
    /// Text of another code page comes to the collation's.
    pub fn comparable(&self, b: Bound, ty: SqlType, collation: Collation) -> SqlResult<Expr> {
        let b = if ty.family() == Family::Char { self.collated(b, collation) } else { b };
        use SqlType::*;
        let no_need = matches!(
            (b.ty, ty),
            (Char(_) | VarChar(_), Char(_) | VarChar(_))
                | (NChar(_) | NVarChar(_), NChar(_) | NVarChar(_))
                | (Binary(_) | VarBinary(_), Binary(_) | VarBinary(_))
        );
        if no_need && !b.untyped { Ok(b.expr) } else { self.cast_to(b, ty) }
    }

    fn in_list(&mut self, l: &'a ast::InList) -> SqlResult<Pred> {
        let value = self.expr(&l.operand)?;
        let mut list = l.list.iter().map(|e| self.expr(e)).collect::<SqlResult<Vec<_>>>()?;
        // One type for all, as if each were compared: the highest precedence decides.
        let mut ty = value.ty;
        let mut collation = None;
        let mut differ = false;
        for b in &mut list {
            large::compared(&value, b, "equal to")?;
            if b.untyped {
                b.ty = value.ty;
            }
            let both = self.compared_by(&value, b, "equal to")?.0;
            if is_text(b.ty) {
                differ |= collation.is_some_and(|c| c != both);
                collation = Some(both);
            }
            ty = compare::comparison_type(ty, b.ty, "equal to")?;
        }
        differ |= loses_digits(&value, ty) || list.iter().any(|b| loses_digits(b, ty));
        // Each is an equality of its own, where these know NULL, compare by different collations, or are decimals of no common type.
        let of_nulls = |b: &Bound| matches!(b.expr, Expr::Var(_)) || b.expr.is_null();
        if differ
            || (of_nulls(&value) || list.iter().any(of_nulls))
                && self.meta.null_rule() != NullRule::Unknown
        {
            let mut any = Vec::with_capacity(list.len());
            for item in &l.list {
                let (value, item) = (self.expr(&l.operand)?, self.expr(item)?);
                any.push(self.compare(CompareOp::Eq, value, item)?);
            }
            return Ok(not(Pred::Or(any), l.negated));
        }
        let collation = collation.unwrap_or(value.collation);
        let value = self.comparable(value, ty, collation)?;
        let list = list.into_iter().map(|b| self.comparable(b, ty, collation));
        let list = list.collect::<SqlResult<_>>()?;
        Ok(not(Pred::InList(Box::new(InList { value, list, collation })), l.negated))
    }

    /// A value and the one column of a subquery, brought to one type.
    fn against_column(
        &mut self,
        value: Bound,
        q: &'a ast::Query,
        operator: &'static str,
    ) -> SqlResult<(Expr, Subquery, taffrail_types::Collation)> {
        let (mut plan, mut columns) = self.subquery(q)?;
        if columns.len() != 1 {
            return Err(SqlError::new(116, &[]));
        }
        let column = columns.remove(0);
        large::compared(&value, &column, operator)?;
        let (collation, _) = self.compared_by(&value, &column, operator)?;
        let coerced = column.coerced();
        let ty = compare::comparison_type(value.ty, column.ty, operator)?;
        let kept = loses_digits(&value, ty) || loses_digits(&column, ty);
        let shown = if kept { column.ty } else { ty };
        let (value, converted) = self.comparables(value, column, ty, collation)?;
        if !matches!(converted, Expr::Slot(_)) {
            let column = Bound::new(Expr::NULL, shown).with_collation(coerced);
            let slot = self.computed_slot(&column, "");
            let rows = &mut self.subqueries[plan.index as usize];
            rows.rel = Rel::compute(std::mem::take(&mut rows.rel), vec![(converted, slot)]);
            (rows.output, plan.output) = (slot, slot);
        }
        Ok((value, plan, collation))
    }

    fn like(&mut self, l: &'a ast::Like) -> SqlResult<Pred> {
        let value = self.expr(&l.operand)?;
        let pattern = self.expr(&l.pattern)?;
        large::liked(&value, &pattern)?;
        let (collation, _) = self.compared_by(&value, &pattern, "like")?;
        let wide = |t: SqlType| matches!(t, SqlType::NChar(_) | SqlType::NVarChar(_));
        let unicode = wide(value.ty) || wide(pattern.ty);
        let text = |b: &Bound| match (unicode, is_text(b.ty)) {
            (true, _) => SqlType::NVarChar(MaxLen::Max),
            (false, _) => SqlType::VarChar(MaxLen::Max),
        };
        let (vt, pt) = (text(&value), text(&pattern));
        let value = self.cast_to_page(value, vt, collation.page())?;
        let pattern = self.cast_to_page(pattern, pt, collation.page())?;
        let escape = match &l.escape {
            None => None,
            Some(e) => {
                let e = self.expr(e)?;
                Some(self.cast_to(e, SqlType::NVarChar(MaxLen::N(2)))?)
            }
        };
        let compiled = match (pattern.constant(), &escape) {
            (Some(p), None) => {
                p.as_bytes().map(|p| Arc::new(Pattern::new(p, unicode, None, collation)))
            }
            _ => None,
        };
        let compiled = Compiled(compiled);
        let like = Like { value, pattern, escape, unicode, collation, compiled };
        Ok(not(Pred::Like(Box::new(like)), l.negated))
    }
}

fn is_decimal(ty: SqlType) -> bool {
    ty.family() == Family::Decimal
}

/// Whether a decimal would be rounded in this type.
fn loses_digits(b: &Bound, ty: SqlType) -> bool {
    if !is_decimal(b.ty) || !is_decimal(ty) {
        return false;
    }
    let (has, gets) = (b.ty.scale(), ty.scale());
    let exact = |d: &Decimal| d.magnitude().is_multiple_of(10_u128.pow((has - gets).into()));
    has > gets && !matches!(&b.expr, Expr::Const(Value::Decimal(d)) if d.scale() == has && exact(d))
}
