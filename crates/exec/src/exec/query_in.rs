//! What an expression holds that has it planned when it is met, not when its batch is compiled: a query, or texts.

use crate::binder::Variables;
use taffrail_syntax::ast;

/// Whether it may hold a query: rare forms count as if they did, since planning late is always right.
pub(super) fn has_query(e: &ast::Expr) -> bool {
    query_in(e, true)
}

/// The same; `rare` is what forms that are not looked into count as.
pub(super) fn query_in(e: &ast::Expr, rare: bool) -> bool {
    use ast::ExprKind as K;
    let inside = |e: &ast::Expr| query_in(e, rare);
    match &e.kind {
        K::Literal(_) | K::Variable(_) | K::SystemVariable(_) | K::Column(_) => false,
        K::Compare(c) => inside(&c.left) || inside(&c.right),
        K::Binary(b) => {
            let mut b = b;
            loop {
                if inside(&b.right) {
                    return true;
                }
                match &b.left.kind {
                    K::Binary(left) => b = left,
                    _ => return inside(&b.left),
                }
            }
        }
        K::And(l) | K::Or(l) => l.iter().any(inside),
        K::Not(e) | K::Unary(_, e) => inside(e),
        K::Cast(c) => inside(&c.operand),
        // A user's function may be altered before the expression is met.
        K::Function(f) => rare && f.name.schema.is_some() || f.arguments.iter().any(inside),
        K::Subquery(_) | K::Exists(_) | K::InQuery(_) | K::Quantified(_) => true,
        // A sequence may be altered before the expression is met.
        K::NextValue(_) => rare,
        K::IsNull(n) => inside(&n.operand),
        K::Between(b) => inside(&b.operand) || inside(&b.low) || inside(&b.high),
        K::InList(l) => inside(&l.operand) || l.list.iter().any(inside),
        K::Like(l) => inside(&l.operand) || inside(&l.pattern),
        K::Iif(i) => inside(&i.condition) || inside(&i.then) || inside(&i.otherwise),
        K::Case(c) => {
            c.operand.as_ref().is_some_and(inside)
                || c.otherwise.as_ref().is_some_and(inside)
                || c.branches.iter().any(|b| inside(&b.when) || inside(&b.then))
        }
        K::Collate(e, _) => inside(e),
        _ => rare,
    }
}

/// Whether an expression takes a value of a sequence, conditions within it apart.
pub(super) fn takes_value(e: &ast::Expr) -> bool {
    use ast::ExprKind as K;
    match &e.kind {
        K::NextValue(_) => true,
        K::Binary(b) => {
            let mut b = b;
            loop {
                match &b.left.kind {
                    _ if takes_value(&b.right) => return true,
                    K::Binary(left) => b = left,
                    _ => return takes_value(&b.left),
                }
            }
        }
        K::Unary(_, e) | K::Collate(e, _) => takes_value(e),
        K::Cast(c) => takes_value(&c.operand),
        K::Function(f) => f.arguments.iter().any(takes_value),
        _ => false,
    }
}

/// Whether it may compare texts: all but numbers counts as such, since planning late is always right. A lone value is compared with
/// nothing.
pub(super) fn may_compare_texts(e: &ast::Expr, variables: &Variables) -> bool {
    use ast::ExprKind as K;
    !matches!(e.kind, K::Literal(_) | K::Variable(_)) && !is_of_numbers(e, variables)
}

fn is_of_numbers(e: &ast::Expr, variables: &Variables) -> bool {
    use ast::ExprKind as K;
    let inside = |e: &ast::Expr| is_of_numbers(e, variables);
    match &e.kind {
        K::Literal(l) => !matches!(l, ast::Literal::String(_) | ast::Literal::NString(_)),
        K::Variable(v) => {
            let known = variables.find(&v.value).and_then(|(_, v)| v.ty);
            known.is_some_and(|ty| !ty.is_text() && ty != taffrail_types::SqlType::Variant)
        }
        K::SystemVariable(_) => true,
        K::Compare(c) => inside(&c.left) && inside(&c.right),
        K::Binary(b) => {
            let mut b = b;
            loop {
                if !inside(&b.right) {
                    return false;
                }
                match &b.left.kind {
                    K::Binary(left) => b = left,
                    _ => return inside(&b.left),
                }
            }
        }
        K::And(l) | K::Or(l) => l.iter().all(inside),
        K::Not(e) | K::Unary(_, e) => inside(e),
        K::IsNull(n) => inside(&n.operand),
        K::Between(b) => inside(&b.operand) && inside(&b.low) && inside(&b.high),
        _ => false,
    }
}

/// Whether parts of an expression are computed for some values alone; forms that are not looked into count as such.
pub(super) fn chooses(e: &ast::Expr) -> bool {
    use ast::ExprKind as K;
    match &e.kind {
        K::Literal(_) | K::Variable(_) | K::SystemVariable(_) | K::Column(_) => false,
        K::Binary(b) => {
            let mut b = b;
            loop {
                match &b.left.kind {
                    _ if chooses(&b.right) => return true,
                    K::Binary(left) => b = left,
                    _ => return chooses(&b.left),
                }
            }
        }
        K::Unary(_, e) | K::Collate(e, _) => chooses(e),
        K::Cast(c) => chooses(&c.operand),
        K::Function(f) => {
            let some = ["COALESCE", "ISNULL", "NULLIF", "CHOOSE"];
            some.iter().any(|name| f.name.name.is(name)) || f.arguments.iter().any(chooses)
        }
        _ => true,
    }
}
