//! The expressions that an expression is made of.

use super::{Expr, ExprKind};

impl Expr {
    /// The expressions directly within this one. Queries are not entered.
    pub fn operands(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Unary(_, e) | ExprKind::Collate(e, _) | ExprKind::Not(e) => vec![e],
            ExprKind::Binary(b) => vec![&b.left, &b.right],
            ExprKind::Compare(c) => vec![&c.left, &c.right],
            ExprKind::IsDistinct(d) => vec![&d.left, &d.right],
            ExprKind::AtTimeZone(a, b) => vec![a, b],
            ExprKind::And(list) | ExprKind::Or(list) => list.iter().collect(),
            ExprKind::Case(c) => {
                let branches = c.branches.iter().flat_map(|b| [&b.when, &b.then]);
                c.operand.iter().chain(branches).chain(&c.otherwise).collect()
            }
            ExprKind::Cast(c) => vec![&c.operand],
            ExprKind::Function(f) | ExprKind::FullText(f) => f.arguments.iter().collect(),
            ExprKind::Iif(i) => vec![&i.condition, &i.then, &i.otherwise],
            ExprKind::Method(m) => std::iter::once(&m.target).chain(&m.arguments).collect(),
            ExprKind::Quantified(q) => vec![&q.left],
            ExprKind::IsNull(n) => vec![&n.operand],
            ExprKind::Between(b) => vec![&b.operand, &b.low, &b.high],
            ExprKind::InList(l) => std::iter::once(&l.operand).chain(&l.list).collect(),
            ExprKind::InQuery(q) => vec![&q.operand],
            ExprKind::Like(l) => [&l.operand, &l.pattern].into_iter().chain(&l.escape).collect(),
            ExprKind::Literal(_)
            | ExprKind::Variable(_)
            | ExprKind::SystemVariable(_)
            | ExprKind::Column(_)
            | ExprKind::Subquery(_)
            | ExprKind::NextValue(_)
            | ExprKind::IdentityFunction(_)
            | ExprKind::OdbcLiteral(..)
            | ExprKind::Pseudo(_)
            | ExprKind::Default
            | ExprKind::Exists(_)
            | ExprKind::UpdatedColumn(_) => Vec::new(),
        }
    }

    /// Whether this expression, or one within it, is of some kind. Queries are not entered.
    pub fn holds(&self, is: &mut dyn FnMut(&Expr) -> bool) -> bool {
        let mut left = vec![self];
        while let Some(e) = left.pop() {
            if is(e) {
                return true;
            }
            left.extend(e.operands());
        }
        false
    }
}
