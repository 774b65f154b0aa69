//! WHERE of CREATE INDEX: comparisons of columns with constants, IS [NOT] NULL and IN, joined by AND.

use super::clauses::constant;
use crate::catalog::{Column, IndexFilter, Term, Test};
use crate::plan::names::bracketed;
use crate::plan::text::compare_sign;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{self, ExprKind};
use taffrail_types::{Conversion, MaxLen, SqlType, Value, convert};

/// A filter and its text. `text` is what the spans point into.
pub(super) fn filter(
    index: &str,
    table: &str,
    columns: &[Column],
    condition: &ast::Expr,
    text: &str,
) -> SqlResult<IndexFilter> {
    let mut draft = Draft { index, table, columns, text, terms: Vec::new(), shown: Vec::new() };
    draft.conjunct(condition)?;
    let definition = format!("({})", draft.shown.join(" AND "));
    Ok(IndexFilter { definition: definition.into(), terms: draft.terms })
}

struct Draft<'a> {
    index: &'a str,
    table: &'a str,
    columns: &'a [Column],
    text: &'a str,
    terms: Vec<Term>,
    shown: Vec<String>,
}

impl Draft<'_> {
    /// 10735, as SQL Server says of what a filter cannot hold.
    fn wrong(&self) -> Box<SqlError> {
        SqlError::new(10735, &[&"index", &self.index, &self.table])
    }

    fn conjunct(&mut self, e: &ast::Expr) -> SqlResult<()> {
        match &e.kind {
            ExprKind::And(list) => list.iter().try_for_each(|e| self.conjunct(e)),
            ExprKind::Compare(c) => {
                let (column, other, flipped) = match (&c.left.kind, &c.right.kind) {
                    (ExprKind::Column(_), _) => (&c.left, &c.right, false),
                    (_, ExprKind::Column(_)) => (&c.right, &c.left, true),
                    _ => return Err(self.wrong()),
                };
                let op = crate::binder::compare_op(c.op);
                let op = if flipped { op.flip() } else { op };
                let at = self.column(column)?;
                let value = self.value(at, other)?;
                let sign = compare_sign(op);
                let name = bracketed(&self.columns[at].name);
                self.shown.push(format!("{name}{sign}{}", self.literal(other)));
                self.term(at, Test::Compare(op, value))
            }
            ExprKind::IsNull(n) => {
                let at = self.column(&n.operand)?;
                let (test, word) = match n.negated {
                    true => (Test::NotNull, "IS NOT NULL"),
                    false => (Test::Null, "IS NULL"),
                };
                self.shown.push(format!("{} {word}", bracketed(&self.columns[at].name)));
                self.term(at, test)
            }
            ExprKind::InList(l) if !l.negated => {
                let at = self.column(&l.operand)?;
                let values = l.list.iter().map(|e| self.value(at, e)).collect::<SqlResult<_>>()?;
                let shown: Vec<String> = l.list.iter().map(|e| self.literal(e)).collect();
                let name = bracketed(&self.columns[at].name);
                self.shown.push(format!("{name} IN ({})", shown.join(", ")));
                self.term(at, Test::In(values))
            }
            _ => Err(self.wrong()),
        }
    }

    fn term(&mut self, column: usize, test: Test) -> SqlResult<()> {
        let c = &self.columns[column];
        if c.ty.max_length() < 0 || c.ty == SqlType::Variant {
            return Err(unsupported(format_args!("A filter on column '{}'", c.name)));
        }
        self.terms.push(Term { column, collation: c.collation, test });
        Ok(())
    }

    fn column(&self, e: &ast::Expr) -> SqlResult<usize> {
        let ExprKind::Column(c) = &e.kind else { return Err(self.wrong()) };
        let same =
            |k: &Column| crate::catalog::fold(&k.name) == crate::catalog::fold(&c.name.value);
        if c.qualifier.is_some() {
            return Err(self.wrong());
        }
        let at = self.columns.iter().position(same);
        at.ok_or_else(|| SqlError::new(207, &[&c.name.value]))
    }

    /// A constant as a value of the column's type: exactly, or it is refused.
    fn value(&self, column: usize, e: &ast::Expr) -> SqlResult<Value> {
        let text = SqlType::VarChar(MaxLen::N(8000));
        let (value, from) = match &e.kind {
            // Not by way of a float.
            ExprKind::Literal(ast::Literal::Decimal(s)) => (Value::varchar(s), text),
            _ => constant(e).ok_or_else(|| self.wrong())?,
        };
        if value.is_null() {
            return Err(self.wrong());
        }
        let ty = self.columns[column].ty;
        let implicit = Conversion::Implicit;
        let value = convert::cast(&value, from, ty, None, implicit)?;
        if from == SqlType::Int && matches!(ty, SqlType::Bit) {
            return Ok(value);
        }
        Ok(value)
    }

    /// A constant as the catalogue shows it: numbers in parentheses.
    fn literal(&self, e: &ast::Expr) -> String {
        let source = e.span.of(self.text).trim();
        let source = source.trim_start_matches('(').trim_end_matches(')');
        match &e.kind {
            ExprKind::Literal(ast::Literal::String(_) | ast::Literal::NString(_)) => source.into(),
            _ => format!("({source})"),
        }
    }
}
