//! Whether the body of a scalar function has a form that may take the place of its calls: `is_inlineable`.

use taffrail_syntax::ast::{
    self, DeclarationKind, ExprKind, SelectItem, SetValue, Statement, StatementKind as K,
};

/// Assignments, IF and one RETURN at the end: what else a body may hold is judged by what it is bound to.
pub(super) fn has_the_form(s: &ast::FunctionDefinition) -> bool {
    let ast::FunctionBody::Statements(statements) = &s.body else { return false };
    let mut returns = 0;
    let of_values = s.parameters.iter().all(|p| !p.readonly);
    of_values && statements.iter().all(|s| statement(s, &mut returns)) && returns == 1
}

fn statement(s: &Statement, returns: &mut u32) -> bool {
    match &s.kind {
        K::Block(list) => list.iter().all(|s| statement(s, returns)),
        K::If(i) => {
            statement(&i.then, returns) && i.otherwise.iter().all(|s| statement(s, returns))
        }
        K::Declare(list) => list.iter().all(|d| matches!(d.kind, DeclarationKind::Scalar { .. })),
        K::SetVariable(s) => matches!(s.value, SetValue::Expr(_)),
        K::Select(s) => s.with.is_none() && assigns(&s.query),
        K::Return(Some(_)) => {
            *returns += 1;
            true
        }
        _ => false,
    }
}

/// A query that assigns variables, in no order, each from one row: without `+=` and without its own value.
fn assigns(q: &ast::Query) -> bool {
    let block = q.body.first_block();
    let plain = |item: &SelectItem| match item {
        SelectItem::Assign { variable, op, value } => {
            op.operator().is_none() && !names(value, variable)
        }
        _ => false,
    };
    let is_block = matches!(q.body, ast::QueryBody::Select(_));
    is_block && q.order_by.is_empty() && block.items.iter().all(plain)
}

/// Whether a value is made of a variable.
fn names(e: &ast::Expr, variable: &ast::Ident) -> bool {
    match &e.kind {
        ExprKind::Variable(v) => v.is(&variable.value),
        ExprKind::Binary(b) => names(&b.left, variable) || names(&b.right, variable),
        ExprKind::Unary(_, e) => names(e, variable),
        ExprKind::Cast(c) => names(&c.operand, variable),
        ExprKind::Function(f) => f.arguments.iter().any(|e| names(e, variable)),
        ExprKind::Case(c) => {
            let branches = c.branches.iter().any(|b| names(&b.then, variable));
            branches || c.otherwise.as_ref().is_some_and(|e| names(e, variable))
        }
        _ => false,
    }
}
