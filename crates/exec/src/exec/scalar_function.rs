//! Scalar functions of users: an expression, or EXEC, runs the function's statements in an activation of its own
//! ([`super::activation`]).

use super::activation::{Locals, Way};
use super::arguments::{BoundArguments, bind_arguments};
use super::called::{Called, Passed, Returned};
use super::interpret::{Interpreter, Unwind};
use super::module::Module;
use super::runtime::Rt;
use super::silent::Silent;
use crate::catalog;
use crate::plan::user_call::{UserCall, UserFunction};
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::message::{cancelled, client_gone};
use taffrail_base::{ObjectId, Origin, SqlError, SqlResult};
use taffrail_types::Value;
use taffrail_types::convert::Declared;

impl Rt<'_> {
    /// The value of a call. With RETURNS NULL ON NULL INPUT the body does not run for a NULL that was passed.
    #[inline(never)]
    pub(super) fn user_call(&mut self, c: &UserCall) -> SqlResult<Value> {
        let mut args = Vec::with_capacity(c.args.len());
        for e in &c.args {
            args.push(self.eval(e)?);
        }
        let passed =
            args.iter().zip(&c.defaulted).any(|(v, is_default)| v.is_null() && !is_default);
        if passed && c.function.module.facts.null_on_null_input {
            return Ok(Value::Null);
        }
        if c.named && self.is_alone() {
            let by = &self.cx.session.activation.locals.module;
            self.cx.session.allow_call(&c.function.database, &c.function.module, by)?;
        }
        run(&mut self.cx, &c.function, args)
    }

    /// An expression without a frame may be one outside of plans, whose facts nobody has asked about.
    fn is_alone(&self) -> bool {
        self.frame.is_empty() && self.subs.is_empty()
    }
}

/// The tables among the arguments of a call, one for each table-valued parameter; none: an empty one.
pub(super) fn tables_among(function: &catalog::Module, args: &[Value]) -> Vec<Option<ObjectId>> {
    let of_tables = function.parameters.iter().zip(args).filter(|(p, _)| p.readonly);
    let id = |v: &Value| v.as_i64().and_then(|id| i32::try_from(id).ok()).map(ObjectId);
    of_tables.map(|(_, v)| id(v)).collect()
}

/// Runs a function; the arguments are of the parameters' types.
fn run(
    cx: &mut StatementContext<'_>,
    function: &UserFunction,
    args: Vec<Value>,
) -> SqlResult<Value> {
    let mut sink = Silent(cx.sink);
    let mut it = Interpreter::new(cx.session, &mut sink);
    let place = Some(function.database.clone());
    let way = Way { place, expression: true, function: true, ..Way::default() };
    let called = it.within(way, |it| {
        match it.session.procedure_module(&function.database, &function.module) {
            Ok(module) => {
                let tables = tables_among(&function.module, &args);
                it.run_function(module, (args, tables), function.result())
            }
            Err(e) => Ok(Err(e.into())),
        }
    });
    match called {
        Ok(Ok(returned)) => Ok(returned.value.map_or(Value::Null, |v| v.0)),
        Ok(Err(failed)) => Err(failed.error),
        Err(Unwind::Error(e) | Unwind::Caller(e)) => Err(e),
        Err(Unwind::Cancelled) => Err(cancelled()),
        // The connection ends: the client has heard why, or has gone.
        Err(Unwind::Module | Unwind::Batch | Unwind::Insert | Unwind::Gone) => Err(client_gone()),
    }
}

impl Interpreter<'_> {
    /// Runs a function that EXEC names, in the activation that was entered for it.
    pub(super) fn called_function(
        &mut self,
        function: &UserFunction,
        name: &str,
        passed: &[Passed],
    ) -> Result<Called, Unwind> {
        let module = match self.session.procedure_module(&function.database, &function.module) {
            Ok(module) => module,
            Err(e) => return Ok(Err(e.into())),
        };
        let bound = bind_arguments(self.session, &module, name, &module.parameters, passed);
        let BoundArguments { mut values, late, tables, .. } = match bound {
            Ok(bound) => bound,
            Err(e) => {
                return Ok(Err(e.in_procedure(name).with_origin(Origin::Parameters).into()));
            }
        };
        for (at, e) in late {
            match self.eval_alone(&e) {
                Ok(value) => values[at] = value,
                Err(e) => return Ok(Err(e.into())),
            }
        }
        self.run_function(module, (values, tables), function.result())
    }

    /// Runs a function's statements in the activation that was entered for it.
    pub(super) fn run_function(
        &mut self,
        module: Arc<Module>,
        (args, tables): (Vec<Value>, Vec<Option<ObjectId>>),
        result: Declared,
    ) -> Result<Called, Unwind> {
        let mut locals = Locals::counting(module.clone());
        locals.handed = tables;
        for (var, value) in locals.vars.iter_mut().zip(args) {
            *var = value;
        }
        let activation = &mut self.session.activation;
        activation.locals = locals;
        activation.options.quoted_identifier = module.quoted_identifier.unwrap_or(true);
        activation.options.ansi_nulls = module.ansi_nulls.unwrap_or(true);
        let mut errors: Vec<SqlError> = module.errors.clone();
        if errors.is_empty() && !module.table_variables.is_empty() {
            self.make_table_variables(&mut errors);
        }
        if !errors.is_empty() {
            return self.several(errors);
        }
        self.session.begins(Some(&module));
        if let Err(e) = self.session.runs_module_as(&module) {
            return Ok(Err(e.into()));
        }
        let observer = self.session.instance.observer();
        let told = observer.wants_modules().then(|| observer.module_begins(&module));
        let step = self.list(&module, &module.statements);
        if let Some(began) = told {
            observer.module_ended(self.session, &module, began);
        }
        match step {
            Ok(_) => {}
            Err(Unwind::Caller(e)) => return Err(Unwind::Error(e)),
            Err(other) => return Err(other),
        }
        let value = std::mem::replace(&mut self.session.activation.locals.result, Value::Null);
        Ok(Ok(Returned { value: Some((value, result)), ..Returned::default() }))
    }
}
