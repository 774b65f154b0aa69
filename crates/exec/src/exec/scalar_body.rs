//! The body of a scalar function as the binder puts it in place of a call: DECLARE, SET, SELECT @v =, IF, and one RETURN at the end.

use super::query_in::{chooses, has_query};
use crate::binder::{BodyAssignment, BodyIf, BodyStep, ScalarBody, Variable, Variables};
use crate::binder::{declared, resolve_type};
use taffrail_syntax::ast::{
    self, DeclarationKind, If, SelectItem, SetValue, Span, Statement, StatementKind as K,
};
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
    let mut statements = flat(statements);
    let Some(K::Return(Some(value))) = statements.pop().map(|s| s.kind) else { return None };
    let mut reader = BodyReader { variables, plain: !has_query(&value), chooses: chooses(&value) };
    let steps = reader.steps(statements)?;
    let BodyReader { plain, chooses, .. } = reader;
    // A variable that is given a value is named for that, too.
    for step in &steps {
        let BodyStep::Assign(step) = step else { continue };
        let named = uses.iter_mut().find(|(name, _)| name.eq_ignore_ascii_case(&step.name));
        if let Some((_, times)) = named {
            *times = times.saturating_sub(1);
        }
    }
    Some(ScalarBody { steps, value: *value, uses, plain, chooses })
}

/// Makes steps of statements.
struct BodyReader<'v> {
    variables: &'v mut Variables,
    /// All steps so far are assignments, and no expression holds a query.
    plain: bool,
    /// A part of some expression is computed for some values alone.
    chooses: bool,
}

impl BodyReader<'_> {
    fn steps(&mut self, statements: Vec<Statement>) -> Option<Vec<BodyStep>> {
        let mut steps = Vec::with_capacity(statements.len());
        for s in statements {
            self.statement(s, &mut steps)?;
        }
        Some(steps)
    }

    fn statement(&mut self, s: Statement, steps: &mut Vec<BodyStep>) -> Option<()> {
        match s.kind {
            K::Declare(list) => {
                for d in list {
                    let DeclarationKind::Scalar { ty, value } = d.kind else { return None };
                    let large = declared::large(&ty);
                    let ty = resolve_type(&ty, TypeUse::Declaration).ok()?;
                    let name = d.name.value.to_string();
                    let (user_type, readonly) = (0, false);
                    let cursor = false;
                    let variable =
                        Variable { name, ty: Some(ty), large, user_type, readonly, cursor };
                    self.variables.list.push(variable);
                    let declared = Some(Declared::new(ty, large));
                    steps.push(self.assignment(d.name, declared, value));
                }
            }
            K::SetVariable(s) => {
                let SetValue::Expr(value) = s.value else { return None };
                let value = match s.op.operator() {
                    None => value,
                    Some(op) => {
                        let span = value.span;
                        let kind = ast::ExprKind::Variable(s.variable.clone());
                        let left = ast::Expr { span, kind };
                        let binary = ast::Binary { op, left, right: value };
                        ast::Expr { span, kind: ast::ExprKind::Binary(Box::new(binary)) }
                    }
                };
                steps.push(self.assignment(s.variable, None, Some(value)));
            }
            K::If(i) => {
                let step = self.branches(*i)?;
                self.plain = false;
                steps.push(BodyStep::If(step));
            }
            K::Select(s) => self.select(*s, steps)?,
            K::Block(_) => {
                for s in flat(vec![s]) {
                    self.statement(s, steps)?;
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn assignment(
        &mut self,
        name: ast::Ident,
        declared: Option<Declared>,
        value: Option<ast::Expr>,
    ) -> BodyStep {
        if let Some(value) = &value {
            self.plain &= !has_query(value);
            self.chooses |= chooses(value);
        }
        BodyStep::Assign(BodyAssignment { name: name.value, declared, value })
    }

    /// IF with the parts of `ELSE IF … ELSE IF … ELSE …`, which stand in one list.
    fn branches(&mut self, first: If) -> Option<BodyIf> {
        let mut branches = vec![(first.condition, self.steps(flat(vec![first.then]))?)];
        let (mut otherwise, mut rest) = (Vec::new(), first.otherwise.into_iter().peekable());
        while let Some(s) = rest.next() {
            match s.kind {
                K::If(i) if i.otherwise.is_empty() => {
                    branches.push((i.condition, self.steps(flat(vec![i.then]))?));
                }
                _ if rest.peek().is_none() => otherwise = self.steps(flat(vec![s]))?,
                _ => return None,
            }
        }
        Some(BodyIf { branches, otherwise })
    }

    /// `SELECT @v = …`: without FROM an assignment for each item, else a query that assigns one variable.
    fn select(&mut self, s: ast::SelectStatement, steps: &mut Vec<BodyStep>) -> Option<()> {
        let ast::QueryBody::Select(block) = &s.query.body else { return None };
        let alone = block.from.is_empty()
            && block.filter.is_none()
            && block.having.is_none()
            && block.group_by.is_none()
            && block.top.is_none();
        if !alone {
            let one = block.items.len() == 1 && s.with.is_none() && s.options.is_empty();
            let [SelectItem::Assign { variable, .. }] = &block.items[..] else { return None };
            let name = variable.value.clone();
            self.plain = false;
            steps.push(BodyStep::Query(name, Box::new(s)));
            return one.then_some(());
        }
        let ast::QueryBody::Select(block) = s.query.body else { return None };
        for item in block.items {
            let SelectItem::Assign { variable, op, value } = item else { return None };
            if op.operator().is_some() {
                return None;
            }
            steps.push(self.assignment(variable, None, Some(value)));
        }
        Some(())
    }
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
