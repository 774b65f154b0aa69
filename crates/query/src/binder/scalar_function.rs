//! Calls of users' scalar functions.
//!
//! The name has a schema. The arguments are converted to the parameters' types where the call stands; `DEFAULT` takes the default that the
//! function's text holds.

use super::{Binder, Bound, facts};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_catalog::database::Database;
use taffrail_catalog::{Module, ObjectKind};
use taffrail_plan::columns::Label;
use taffrail_plan::expr::Expr;
use taffrail_plan::facts::Action;
use taffrail_plan::user_call::{UserCall, UserFunction};
use taffrail_syntax::ast::{self, ExprKind};

/// The arguments of a call.
#[derive(Default)]
struct GivenArguments {
    /// The values, of the parameters' types.
    args: Vec<Expr>,
    /// Which of them are the parameters' defaults.
    defaulted: Vec<bool>,
    /// Which of them go by the collation of the function's database, or by none.
    settled: Vec<bool>,
}

impl<'a> Binder<'a> {
    /// The user's scalar function of a name; none where there is no function, or one that gives rows.
    fn scalar_function(
        &self,
        name: &ast::ObjectName,
    ) -> SqlResult<Option<(Arc<Database>, Arc<Module>)>> {
        let found = match self.meta.function(name) {
            Ok(found) => found,
            Err(e) if e.number == 208 => None,
            Err(e) => return Err(e),
        };
        Ok(found.filter(|(_, f)| f.head.kind == ObjectKind::ScalarFunction))
    }

    /// The call of a function whose name has a schema: 4121 where there is none, 327 where it may be a method as well.
    pub(super) fn user_call(&mut self, f: &'a ast::FunctionCall) -> SqlResult<Bound> {
        let method = self.method_target(&f.name);
        let Some((database, module)) = self.scalar_function(&f.name)? else {
            if let Some(target) = method {
                return self.xml_method(target, &f.name.name.value, &f.arguments);
            }
            self.names(&f.name);
            let schema = f.name.schema.as_ref().map_or("", |s| &*s.value);
            return Err(SqlError::new(4121, &[&schema, &f.name, &""]));
        };
        if method.is_some() {
            return Err(SqlError::new(327, &[&f.name]));
        }
        self.refuse_call(f, &module)?;
        self.names(&f.name);
        self.needs(facts::of_view(&database, &module), Action::Execute);
        let GivenArguments { args, defaulted, settled } =
            self.scalar_arguments(f, &database, &module)?;
        if let Some(value) = self.inlined(&database, &module, (&args, &defaulted, &settled))? {
            return Ok(value);
        }
        let function = UserFunction { database, module };
        let (declared, collation) = (function.result(), function.collation());
        let named = self.within().is_none();
        let call = Expr::UserCall(Box::new(UserCall { function, args, defaulted, named }));
        Ok(Bound::of(call, declared).with_collation((collation, Label::CoercibleDefault)))
    }

    /// What the call of a user's function may not be: 102, 4113; a name with a database in an expression of the catalogue, 4120; a function
    /// that may read data in OUTPUT, 345.
    fn refuse_call(&self, f: &ast::FunctionCall, module: &Module) -> SqlResult<()> {
        if f.star {
            return Err(SqlError::new(102, &[&"*"]));
        }
        if f.distinct {
            return Err(SqlError::new(102, &[&"DISTINCT"]));
        }
        if f.over.is_some() {
            return Err(SqlError::new(4113, &[&f.name]));
        }
        if self.scalars_only && self.meta.is_synonym(&f.name) {
            return Err(SqlError::new(2788, &[]));
        }
        if self.scalars_only && f.name.database.is_some() {
            return Err(SqlError::new(4120, &[]));
        }
        let reads =
            !module.facts.schema_bound || module.facts.reads_data || module.facts.reads_system;
        if self.in_output && reads {
            return Err(SqlError::new(345, &[&f.name]));
        }
        Ok(())
    }

    /// The arguments of a call, each converted to its parameter's type: 313, 8144, 201.
    fn scalar_arguments(
        &mut self,
        f: &'a ast::FunctionCall,
        database: &Arc<Database>,
        module: &Module,
    ) -> SqlResult<GivenArguments> {
        let given = f.arguments.len();
        if given < module.parameters.len() {
            return Err(SqlError::new(313, &[&f.name]));
        }
        if given > module.parameters.len() {
            return Err(SqlError::new(8144, &[&f.name]));
        }
        let mut out = GivenArguments::default();
        for (at, (e, parameter)) in f.arguments.iter().zip(&module.parameters).enumerate() {
            let is_default = matches!(e.kind, ExprKind::Default);
            if parameter.readonly {
                out.args.push(self.table_argument(e, database, parameter)?.0);
                out.settled.push(true);
                out.defaulted.push(is_default);
                continue;
            }
            let bound = match is_default {
                true => self.default_of(database, module, at)?,
                false => self.expr(e)?,
            };
            out.settled.push(
                !bound.ty.is_text()
                    || bound.label == Label::CoercibleDefault
                    || bound.collation == database.collation(),
            );
            out.args.push(self.cast_to_declared(bound, parameter.declared())?);
            out.defaulted.push(is_default);
        }
        Ok(out)
    }
}
