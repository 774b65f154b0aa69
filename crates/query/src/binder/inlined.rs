//! Scalar functions whose text stands in place of their calls: assignments, and then RETURN of an expression without a query.
//!
//! Each variable stands for the expression that it was given last, converted to its type; parameters for the arguments. An expression that
//! would be computed more than once, or come to another value each time, keeps the call as it is.

use super::table_function::Argument;
use super::view::Expansion;
use super::{Binder, Bound, facts};
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_catalog::Module;
use taffrail_catalog::database::Database;
use taffrail_plan::columns::Label;
use taffrail_plan::expr::{Case, Expr, Pred};
use taffrail_plan::user_call::UserFunction;
use taffrail_syntax::ast;
use taffrail_types::convert::Declared;

/// Bodies that may stand in place of calls in one statement. A body that calls twice doubles what stands there: beyond it calls stay.
const MOST_BODIES: u32 = 1000;

/// The body of a scalar function that has this form.
#[derive(Debug)]
pub struct ScalarBody {
    /// DECLARE and SET, in their order.
    pub steps: Vec<BodyStep>,
    /// The expression of RETURN.
    pub value: ast::Expr,
    /// How often the body takes the value of each variable and parameter.
    pub uses: Vec<(Box<str>, usize)>,
}

/// An assignment.
#[derive(Debug)]
pub struct BodyStep {
    /// The variable, with its `@`.
    pub name: Box<str>,
    /// The type of a variable that is declared here.
    pub declared: Option<Declared>,
    /// The value; a declaration may have none.
    pub value: Option<ast::Expr>,
}

/// Whether a value costs nothing to compute again.
fn is_leaf(e: &Expr) -> bool {
    match e {
        Expr::Const(_) | Expr::Slot(_) | Expr::Var(_) => true,
        Expr::Cast(c) => c.style.is_none() && is_leaf(&c.value),
        _ => false,
    }
}

impl<'a> Binder<'a> {
    /// The value of a call by the function's text; none where the function is called.
    pub(super) fn inlined(
        &mut self,
        database: &Arc<Database>,
        module: &Arc<Module>,
        args: (&[Expr], &[bool]),
    ) -> SqlResult<Option<Bound>> {
        let facts = module.facts;
        let id = (database.id, module.head.id);
        let nested = self.views.len() >= super::view::MAX_NESTING
            || self.views.iter().any(|v| v.id == id)
            || self.bodies >= MOST_BODIES;
        if !facts.inlineable || facts.inline_off || self.scalars_only || nested {
            return Ok(None);
        }
        self.bodies += 1;
        let text = self.meta.enter_view(database, module)?;
        let bound = match &text.scalar {
            Some(body) => {
                let outside = std::mem::replace(&mut self.collation, database.collation());
                let lines = std::mem::replace(&mut self.lines, &text.lines);
                let variables = std::mem::replace(&mut self.variables, &text.variables);
                let bound = self.hiding_all(|b| b.inlined_body(database, module, body, args));
                (self.lines, self.variables) = (lines, variables);
                self.collation = outside;
                bound
            }
            None => Ok(None),
        };
        self.meta.leave_view(module, false);
        // What is wrong with the text is told by the call.
        Ok(bound.unwrap_or(None))
    }

    fn inlined_body(
        &mut self,
        database: &Arc<Database>,
        module: &Arc<Module>,
        body: &'a ScalarBody,
        (args, defaulted): (&[Expr], &[bool]),
    ) -> SqlResult<Option<Bound>> {
        let uses = |name: &str| {
            let found = body.uses.iter().find(|(n, _)| super::eq(n, name));
            found.map_or(0, |(_, times)| *times)
        };
        let stands = |name: &str, e: &Expr| e.is_repeatable() && (is_leaf(e) || uses(name) <= 1);
        let mut arguments = Vec::with_capacity(args.len() + body.steps.len());
        // RETURNS NULL ON NULL INPUT takes each value once more.
        let nulls = usize::from(module.facts.null_on_null_input);
        for (p, value) in module.parameters.iter().zip(args) {
            let once = is_leaf(value) || uses(&p.name) + nulls <= 1;
            if !(value.is_repeatable() && once) {
                return Ok(None);
            }
            arguments.push(Argument::new(p.name.clone(), value.clone(), p.declared()));
        }
        let object = Some(facts::of_view(database, module));
        let hints = super::hints::hints(&[], false)?;
        let id = (database.id, module.head.id);
        self.views.push(Expansion { id, hints, object, arguments });
        let bound = self.steps(body, &stands);
        self.views.pop();
        let Some(bound) = bound? else { return Ok(None) };
        let function = UserFunction { database: database.clone(), module: module.clone() };
        let passed = args.iter().zip(defaulted).filter(|(_, is_default)| !**is_default);
        self.returned(bound, &function, passed.map(|(e, _)| e))
    }

    /// The assignments and RETURN, one after the other.
    fn steps(
        &mut self,
        body: &'a ScalarBody,
        stands: &dyn Fn(&str, &Expr) -> bool,
    ) -> SqlResult<Option<Bound>> {
        for step in &body.steps {
            let known = self.views.last_mut().map(|v| &mut v.arguments);
            let at = known.and_then(|a| a.iter().position(|a| super::eq(a.name(), &step.name)));
            let declared = match (step.declared, at) {
                (Some(declared), _) => declared,
                (None, Some(at)) => self.views.last().map_or_else(
                    || taffrail_types::SqlType::Int.into(),
                    |v| v.arguments[at].declared(),
                ),
                (None, None) => return Ok(None),
            };
            let value = match &step.value {
                Some(e) => {
                    let bound = self.expr(e)?;
                    self.cast_to_declared(bound, declared)?
                }
                None => Expr::NULL,
            };
            if !stands(&step.name, &value) {
                return Ok(None);
            }
            let argument = Argument::new((&*step.name).into(), value, declared);
            if let Some(v) = self.views.last_mut() {
                match at {
                    Some(at) => v.arguments[at] = argument,
                    None => v.arguments.push(argument),
                }
            }
        }
        self.expr(&body.value).map(Some)
    }

    /// The value as the function returns it: of its type, and NULL for a NULL that was passed where the function says so. A text that
    /// goes by another collation than the function's database is left to the call.
    fn returned<'e>(
        &mut self,
        bound: Bound,
        function: &UserFunction,
        passed: impl Iterator<Item = &'e Expr>,
    ) -> SqlResult<Option<Bound>> {
        let declared = function.result();
        let collation = function.collation();
        let foreign = bound.ty.is_text() && !bound.untyped && bound.collation != collation;
        if foreign {
            return Ok(None);
        }
        let mut value = self.cast_to_declared(bound, declared)?;
        let nulls: Vec<Pred> = passed.map(|e| Pred::IsNull(Box::new(e.clone()))).collect();
        if function.module.facts.null_on_null_input && !nulls.is_empty() {
            let whens = vec![(Pred::Or(nulls), Expr::NULL)];
            value = Expr::Case(Box::new(Case { whens, otherwise: Some(value) }));
        }
        let label = Label::CoercibleDefault;
        Ok(Some(Bound::of(value, declared).with_collation((collation, label))))
    }
}
