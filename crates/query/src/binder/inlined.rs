//! Scalar functions whose text stands in place of their calls.
//!
//! In a plain body (assignments, and RETURN of an expression without a query) each variable stands for the expression that it was given
//! last, converted to its type; parameters for the arguments. Where an expression would be computed more than once, or not be computed
//! though the call would, and where a body has IF or queries, its statements become a subquery ([`super::inlined_rows`]). What has
//! neither form is called.

use super::table_function::Argument;
use super::view::Expansion;
use super::{Binder, Bound, facts};
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_catalog::Module;
use taffrail_catalog::database::Database;
use taffrail_plan::attributes::may_raise;
use taffrail_plan::columns::Label;
use taffrail_plan::expr::{Case, Expr, Part, Pred};
use taffrail_plan::user_call::UserFunction;
use taffrail_syntax::ast;
use taffrail_types::convert::Declared;

/// Bodies that may stand in place of calls in one statement. A body that calls twice doubles what stands there: beyond it calls stay.
const MOST_BODIES: u32 = 1000;

/// The arguments of a call, of the parameters' types; for each whether it is the parameter's default, and whether it goes by the collation
/// that the function's text goes by.
pub(super) type CallArguments<'c> = (&'c [Expr], &'c [bool], &'c [bool]);

/// The body of a scalar function that has the form of one.
#[derive(Debug)]
pub struct ScalarBody {
    /// The statements before RETURN, in their order.
    pub steps: Vec<BodyStep>,
    /// The expression of RETURN.
    pub value: ast::Expr,
    /// How often the body takes the value of each variable and parameter.
    pub uses: Vec<(Box<str>, usize)>,
    /// All steps are assignments, and no expression holds a query.
    pub plain: bool,
    /// A part of some expression is computed for some values alone.
    pub chooses: bool,
}

/// A statement of a function's body.
#[derive(Debug)]
pub enum BodyStep {
    /// The assignment of DECLARE or SET.
    Assign(BodyAssignment),
    /// `SELECT @v = …` of a query: the variable, with its `@`, and the statement.
    Query(Box<str>, Box<ast::SelectStatement>),
    /// The branches of IF and ELSE.
    If(BodyIf),
}

/// An assignment.
#[derive(Debug)]
pub struct BodyAssignment {
    /// The variable, with its `@`.
    pub name: Box<str>,
    /// The type of a variable that is declared here.
    pub declared: Option<Declared>,
    /// The value; a declaration may have none.
    pub value: Option<ast::Expr>,
}

/// The branches of an IF.
#[derive(Debug)]
pub struct BodyIf {
    /// Conditions, each with the steps for which it is the first that holds.
    pub branches: Vec<(ast::Expr, Vec<BodyStep>)>,
    /// The steps where no condition holds.
    pub otherwise: Vec<BodyStep>,
}

/// Whether a value costs nothing to compute again.
pub(super) fn is_leaf(e: &Expr) -> bool {
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
        args: CallArguments<'_>,
    ) -> SqlResult<Option<Bound>> {
        let facts = module.facts;
        let id = (database.id, module.head.id);
        let nested = self.views.len() >= super::view::MAX_NESTING
            || self.views.iter().any(|v| v.id == id)
            || self.bodies >= MOST_BODIES;
        let called = facts.inline_off || self.hints.calls || self.meta.calls_functions();
        if !facts.inlineable || called || self.scalars_only || nested {
            return Ok(None);
        }
        self.bodies += 1;
        let text = self.meta.enter_view(database, module)?;
        let bound = match &text.scalar {
            Some(body) => {
                let outside = std::mem::replace(&mut self.collation, database.collation());
                let lines = std::mem::replace(&mut self.lines, &text.lines);
                let variables = std::mem::replace(&mut self.variables, &text.variables);
                let function = UserFunction { database: database.clone(), module: module.clone() };
                let bound = self.hiding_all(|b| b.inlined_body(&function, body, args));
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
        function: &UserFunction,
        body: &'a ScalarBody,
        args: CallArguments<'_>,
    ) -> SqlResult<Option<Bound>> {
        if body.plain
            && let Some(bound) = self.substituted(function, body, args)?
        {
            return Ok(Some(bound));
        }
        match self.rows_may_stand() {
            true => self.as_rows(function, body, args),
            false => Ok(None),
        }
    }

    /// From here on names are those of the function's body, whose parameters have these values.
    pub(super) fn enter_body(
        &mut self,
        function: &UserFunction,
        arguments: Vec<Argument>,
    ) -> SqlResult<()> {
        let object = Some(facts::of_view(&function.database, &function.module));
        let hints = super::hints::hints(&[], false)?;
        let id = (function.database.id, function.module.head.id);
        self.views.push(Expansion::new(id, hints, object, arguments));
        Ok(())
    }

    /// The value of a plain body, where each value that it computes is computed once, as often as the call would.
    fn substituted(
        &mut self,
        function: &UserFunction,
        body: &'a ScalarBody,
        (args, defaulted, settled): CallArguments<'_>,
    ) -> SqlResult<Option<Bound>> {
        let module = &function.module;
        let uses = |name: &str| {
            let found = body.uses.iter().find(|(n, _)| super::eq(n, name));
            found.map_or(0, |(_, times)| *times)
        };
        let is_given = |step: &BodyStep, name: &str| matches!(step, BodyStep::Assign(a) if a.value.is_some() && super::eq(&a.name, name));
        // A value that may raise an error is computed whatever comes of it.
        let computed = |name: &str, given: usize, e: &Expr| {
            let times = body.steps.iter().filter(|s| is_given(s, name)).count();
            !may_raise(Part::Expr(e)) || uses(name) > 0 && times <= given && !body.chooses
        };
        let stands = |name: &str, e: &Expr| {
            e.is_repeatable() && (is_leaf(e) || uses(name) <= 1) && computed(name, 1, e)
        };
        let mut arguments = Vec::with_capacity(args.len() + body.steps.len());
        // RETURNS NULL ON NULL INPUT takes each value once more.
        let nulls = usize::from(module.facts.null_on_null_input);
        for ((p, value), settled) in module.parameters.iter().zip(args).zip(settled) {
            let once = is_leaf(value) || uses(&p.name) + nulls <= 1;
            let computed = nulls > 0 || computed(&p.name, 0, value);
            if !(value.is_repeatable() && once && computed && *settled) {
                return Ok(None);
            }
            arguments.push(Argument::new(p.name.clone(), value.clone(), p.declared()));
        }
        self.enter_body(function, arguments)?;
        let bound = self.steps(body, &stands);
        self.views.pop();
        let Some(bound) = bound? else { return Ok(None) };
        let passed = args.iter().zip(defaulted).filter(|(_, is_default)| !**is_default);
        self.returned(bound, function, passed.map(|(e, _)| e))
    }

    /// The assignments and RETURN, one after the other.
    fn steps(
        &mut self,
        body: &'a ScalarBody,
        stands: &dyn Fn(&str, &Expr) -> bool,
    ) -> SqlResult<Option<Bound>> {
        for step in &body.steps {
            let BodyStep::Assign(step) = step else { return Ok(None) };
            let Some((at, declared)) = self.declared_here(&step.name, step.declared) else {
                return Ok(None);
            };
            let Some(e) = &step.value else { continue };
            let bound = self.expr(e)?;
            let value = self.cast_to_declared(bound, declared)?;
            if !stands(&step.name, &value) {
                return Ok(None);
            }
            self.give(at, value);
        }
        self.expr(&body.value).map(Some)
    }

    /// The number and type of a variable of the body; one that is declared is NULL at first.
    pub(super) fn declared_here(
        &mut self,
        name: &str,
        declared: Option<Declared>,
    ) -> Option<(usize, Declared)> {
        let arguments = &mut self.views.last_mut()?.arguments;
        match arguments.iter().position(|a| super::eq(a.name(), name)) {
            Some(at) => Some((at, arguments[at].declared())),
            None => {
                let declared = declared?;
                arguments.push(Argument::new(name.into(), Expr::NULL, declared));
                Some((arguments.len() - 1, declared))
            }
        }
    }

    /// Gives a variable of the body a value.
    pub(super) fn give(&mut self, at: usize, value: Expr) {
        if let Some(argument) = self.views.last_mut().and_then(|v| v.arguments.get_mut(at)) {
            argument.give(value);
        }
    }

    /// The value as the function returns it: of its type, and NULL for a NULL that was passed where the function says so. A text that
    /// goes by another collation than the function's database is left to the call.
    pub(super) fn returned<'e>(
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
