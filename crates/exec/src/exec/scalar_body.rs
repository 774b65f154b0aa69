//! The body of a scalar function as the binder puts it in place of a call: DECLARE, SET and then RETURN, without a query.

use super::query_in::has_query;
use crate::binder::{BodyStep, ScalarBody, Variable, Variables, declared, resolve_type};
use taffrail_syntax::ast::{DeclarationKind, SetValue, Span, Statement, StatementKind as K};
use taffrail_syntax::{ParseOptions, variables_of};
use taffrail_types::convert::Declared;
use taffrail_types::names::TypeUse;

/// The body of a function, if it has the form. The variables that it declares are added to the parameters.
pub(super) fn scalar_body(
    statements: Vec<Statement>,
    text: (&str, Span, bool),
    variables: &mut Variables,
) -> Option<ScalarBody> {
    let (text, span, quoted_identifier) = text;
    let inside = text.get(span.start as usize..span.end as usize)?;
    let mut uses: Vec<(Box<str>, usize)> = Vec::new();
    for v in variables_of(inside, ParseOptions { quoted_identifier }) {
        match uses.iter_mut().find(|(name, _)| name.eq_ignore_ascii_case(v.name)) {
            Some((_, times)) => *times += 1,
            None => uses.push((v.name.into(), 1)),
        }
    }
    let mut steps = Vec::new();
    let mut value = None;
    for s in flat(statements) {
        if value.is_some() {
            return None;
        }
        match s.kind {
            K::Declare(list) => {
                for d in list {
                    let DeclarationKind::Scalar { ty, value } = d.kind else { return None };
                    let large = declared::large(&ty);
                    let ty = resolve_type(&ty, TypeUse::Declaration).ok()?;
                    let name = d.name.value.to_string();
                    variables.list.push(Variable {
                        name,
                        ty: Some(ty),
                        large,
                        user_type: 0,
                        readonly: false,
                    });
                    let declared = Some(Declared::new(ty, large));
                    steps.push(BodyStep { name: d.name.value, declared, value });
                }
            }
            K::SetVariable(s) => {
                let SetValue::Expr(e) = s.value else { return None };
                if s.op.operator().is_some() {
                    return None;
                }
                steps.push(BodyStep { name: s.variable.value, declared: None, value: Some(e) });
            }
            K::Return(Some(e)) => value = Some(*e),
            _ => return None,
        }
    }
    // A variable that is given a value is named for that, too.
    for step in &steps {
        let named = uses.iter_mut().find(|(name, _)| name.eq_ignore_ascii_case(&step.name));
        if let Some((_, times)) = named {
            *times = times.saturating_sub(1);
        }
    }
    let value = value?;
    let queries = steps.iter().filter_map(|s| s.value.as_ref()).chain([&value]).any(has_query);
    (!queries).then_some(ScalarBody { steps, value, uses })
}

/// Statements without the blocks around them.
fn flat(statements: Vec<Statement>) -> Vec<Statement> {
    let mut out = Vec::new();
    for s in statements {
        match s.kind {
            K::Block(list) => out.extend(flat(list)),
            _ => out.push(s),
        }
    }
    out
}
