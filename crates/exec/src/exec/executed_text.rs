//! The text of `EXEC (…)`: its `+` joins texts, whatever the variables between them are.

use crate::binder::Variables;
use taffrail_syntax::ast::{
    BinaryOp, Cast, CastKind, DataType, Expr, ExprKind, Ident, ObjectName, TypeArgument,
};

/// Makes texts of the variables of other types in the expression: `EXEC ('KILL ' + @spid)` adds no numbers.
pub(crate) fn join_texts(variables: &Variables, mut e: &mut Expr) {
    // Long sums lean to the left.
    while matches!(&e.kind, ExprKind::Binary(b) if b.op == BinaryOp::Add) {
        let ExprKind::Binary(b) = &mut e.kind else { return };
        as_text(variables, &mut b.right);
        e = &mut b.left;
    }
    as_text(variables, e);
}

fn as_text(variables: &Variables, e: &mut Expr) {
    let ExprKind::Variable(v) = &e.kind else { return };
    if variables.scalar(&v.value).map_or(true, |(_, ty)| ty.is_text()) {
        return;
    }
    let span = e.span;
    let name = Ident { value: "nvarchar".into(), span, delimited: false };
    let ty = DataType { name: ObjectName::bare(name), arguments: vec![TypeArgument::Max], span };
    let (kind, operand) = (CastKind::Cast, e.clone());
    e.kind = ExprKind::Cast(Box::new(Cast { kind, try_: false, operand, ty, style: None }));
}
