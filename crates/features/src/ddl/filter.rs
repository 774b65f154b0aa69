//! WHERE of CREATE INDEX: comparisons of columns with constants, IS [NOT] NULL and IN, joined by AND.

use super::clauses::constant;
use crate::catalog::{Column, IndexFilter, Term, Test};
use crate::plan::expr::Slot;
use crate::plan::written::Written;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{self, ExprKind};
use taffrail_types::{Conversion, ConvertContext, MaxLen, Pages, SqlType, Value, convert};

/// A filter and its text.
pub(super) fn filter(
    (kind, index): (&str, &str),
    table: &str,
    columns: &[Column],
    condition: &ast::Expr,
) -> SqlResult<IndexFilter> {
    let mut draft = Draft { kind, index, table, columns, terms: Vec::new(), written: Vec::new() };
    draft.conjunct(condition)?;
    let names: Vec<&str> = columns.iter().map(|c| &*c.name).collect();
    let definition = Written::And(draft.written).definition(&names);
    Ok(IndexFilter { definition: definition.into(), terms: draft.terms })
}

struct Draft<'a> {
    /// An index, or statistics.
    kind: &'a str,
    index: &'a str,
    table: &'a str,
    columns: &'a [Column],
    terms: Vec<Term>,
    /// The form of each term.
    written: Vec<Written>,
}

impl Draft<'_> {
    /// 10735, as SQL Server says of what a filter cannot hold.
    fn wrong(&self) -> Box<SqlError> {
        SqlError::new(10735, &[&self.kind, &self.index, &self.table])
    }

    /// 10609 for a computed column.
    fn not_computed(&self, at: usize) -> SqlResult<usize> {
        let column = &self.columns[at];
        match column.computed {
            None => Ok(at),
            Some(_) => {
                let parts: [&dyn std::fmt::Display; 4] =
                    [&self.kind, &self.index, &self.table, &column.name];
                Err(SqlError::new(10609, &parts))
            }
        }
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
                let both = (Written::Column(at as Slot), self.constant(other)?);
                let written = Written::Compare(op, Box::new(both));
                self.term(at, Test::Compare(op, value), written)
            }
            ExprKind::IsNull(n) => {
                let at = self.column(&n.operand)?;
                let test = if n.negated { Test::NotNull } else { Test::Null };
                let column = Box::new(Written::Column(at as Slot));
                self.term(at, test, Written::IsNull(column, n.negated))
            }
            ExprKind::InList(l) if !l.negated => {
                let at = self.column(&l.operand)?;
                let values = l.list.iter().map(|e| self.value(at, e)).collect::<SqlResult<_>>()?;
                let list = l.list.iter().map(|e| self.constant(e)).collect::<SqlResult<_>>()?;
                let column = Box::new(Written::Column(at as Slot));
                self.term(at, Test::In(values), Written::Among(column, list))
            }
            _ => Err(self.wrong()),
        }
    }

    fn term(&mut self, column: usize, test: Test, written: Written) -> SqlResult<()> {
        let c = &self.columns[column];
        if c.ty.max_length() < 0 || c.ty == SqlType::Variant {
            return Err(unsupported(format_args!("A filter on column '{}'", c.name)));
        }
        self.terms.push(Term { column, collation: c.collation, test });
        self.written.push(written);
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
        self.not_computed(at.ok_or_else(|| SqlError::new(207, &[&c.name.value]))?)
    }

    /// A constant as a value of the column's type: exactly, or it is refused.
    fn value(&self, column: usize, e: &ast::Expr) -> SqlResult<Value> {
        let text = SqlType::VarChar(MaxLen::N(8000));
        let (value, from) = match &e.kind {
            // Not by way of a float.
            ExprKind::Literal(ast::Literal::Decimal(s)) => (Value::varchar(s), text),
            ExprKind::Literal(ast::Literal::String(s)) if !s.is_ascii() => {
                (Value::nvarchar(s), SqlType::NVarChar(MaxLen::N(4000)))
            }
            _ => constant(e).ok_or_else(|| self.wrong())?,
        };
        if value.is_null() {
            return Err(self.wrong());
        }
        let ty = self.columns[column].ty;
        let implicit = Conversion::Implicit;
        let pages = Pages::of(self.columns[column].collation.page());
        let context = ConvertContext::default().with_pages(pages);
        let value = convert::cast_with(&value, from, ty, None, implicit, &context)?;
        if from == SqlType::Int && matches!(ty, SqlType::Bit) {
            return Ok(value);
        }
        Ok(value)
    }

    /// The form of a constant.
    fn constant(&self, e: &ast::Expr) -> SqlResult<Written> {
        Written::constant(e).ok_or_else(|| self.wrong())
    }
}
