//! Functions in FROM: those of the system, and the user's.
//!
//! A user's function is inline, and then bound as a view is ([`super::view`]), or has several statements, and then it is run for
//! each list of arguments and its rows are read. Arguments name columns of what stands before the function behind APPLY alone.

use super::from::view_columns;
use super::next_value::DrawPlace;
use super::table_argument::PassedTable;
use super::{
    Binder, Bound, FromTree, Source, SourceColumn, SourceKind, Variables, eq, facts, rowset,
    unsupported,
};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_catalog::database::Database;
use taffrail_catalog::{Column, Module, ObjectKind};
use taffrail_plan::columns::Label;
use taffrail_plan::expr::{Expr, Part, Slot, slots_of};
use taffrail_plan::facts::Action;
use taffrail_plan::rel::RowsetSource;
use taffrail_plan::system_view::SystemView;
use taffrail_syntax::ast::{self, ExprKind};
use taffrail_types::convert::Declared;
use taffrail_types::{SqlType, Value};

/// The variables that a default names.
static NOTHING: Variables = Variables { list: Vec::new() };

/// A function of a database.
type Function = (Arc<Database>, Arc<Module>);

/// The value of a parameter.
pub(super) struct Argument {
    /// The name of the parameter, with its `@`.
    name: Arc<str>,
    value: Expr,
    declared: Declared,
    /// The table of a table-valued parameter.
    table: Option<PassedTable>,
}

impl Argument {
    pub fn new(name: Arc<str>, value: Expr, declared: Declared) -> Argument {
        Argument { name, value, declared, table: None }
    }

    pub fn table(&self) -> Option<&PassedTable> {
        self.table.as_ref()
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn declared(&self) -> Declared {
        self.declared
    }

    pub fn value(&self) -> &Expr {
        &self.value
    }

    /// The value from now on.
    pub fn give(&mut self, value: Expr) {
        self.value = value;
    }
}

/// An argument of a call, of its parameter's type.
struct GivenArgument {
    value: Expr,
    /// Its collation is that of the function's database, or none.
    settled: bool,
    /// The table that is passed for a table-valued parameter.
    table: Option<PassedTable>,
}

/// The values of a function's parameters.
#[derive(Default)]
pub(super) struct Arguments {
    /// The values, in the order of the parameters.
    pub values: Vec<Argument>,
    /// The arguments that are computed once, and where they go.
    pub computed: Vec<(Expr, Slot)>,
    /// The versions of rows that are asked for of a view.
    pub times: Option<std::sync::Arc<super::temporal::Times>>,
}

/// The columns that a function was made with.
fn recorded_columns(columns: &[Column]) -> Vec<SourceColumn> {
    let column = |c: &Column| SourceColumn {
        name: c.name.clone(),
        ty: c.ty,
        nullable: c.nullable,
        collation: c.collation,
        origin: None,
        large: c.large(),
        user_type: c.user_type,
        hidden: false,
        slot: None,
    };
    columns.iter().map(column).collect()
}

impl<'a> Binder<'a> {
    /// The value of a variable; of a parameter of the inline function that is being bound its argument.
    pub(super) fn variable(&mut self, name: &str) -> SqlResult<Bound> {
        let (at, ty) = self.variables.scalar(name)?;
        let arguments = self.views.last().map_or(&[][..], |v| &v.arguments);
        if let Some(a) = arguments.iter().find(|a| eq(&a.name, name)) {
            let bound = Bound::of(a.value.clone(), a.declared);
            self.read_outside(&bound.expr);
            return Ok(bound);
        }
        if self.wanted.as_ref().is_some_and(|w| w.has(at)) {
            return Ok(Bound { untyped: true, ..Bound::new(Expr::Var(at), ty) });
        }
        let user_type = self.variables.list[at as usize].user_type;
        Ok(Bound { user_type, ..Bound::of(Expr::Var(at), self.variables.declared(at)) })
    }

    /// Notes the columns of enclosing queries in an argument: what names the parameter reads them.
    pub(super) fn read_outside(&mut self, argument: &Expr) {
        let mut slots = Vec::new();
        slots_of(Part::Expr(argument), &mut |s| slots.push(s));
        for slot in slots {
            let block = self.mentions[slot as usize].block;
            if let Some(depth) = self.blocks.iter().position(|b| b.id == block) {
                self.note_outer(depth, slot);
            }
        }
    }

    /// A function in FROM. `lateral`: behind APPLY.
    pub(super) fn source_function(
        &mut self,
        f: &'a ast::TableFunction,
        lateral: bool,
    ) -> SqlResult<FromTree> {
        if let Some(source) = self.nodes(f)? {
            return self.add_source(source);
        }
        if let Some(tree) = self.open_json(f, lateral)? {
            return Ok(tree);
        }
        let name = &f.call.name;
        let line = self.line(name.span);
        match self.users_function(name)? {
            Some(function) => self.users_rows(f, function, lateral),
            None => self.system_function(f, lateral),
        }
        .map_err(|e| e.with_line(line))
    }

    /// The user's function of a name; a name without a schema is the system's first.
    fn users_function(&self, name: &ast::ObjectName) -> SqlResult<Option<Function>> {
        match name.schema {
            None if self.meta.table_function(name).is_ok() => Ok(None),
            _ => self.meta.function(name),
        }
    }

    fn users_rows(
        &mut self,
        f: &'a ast::TableFunction,
        (database, function): Function,
        lateral: bool,
    ) -> SqlResult<FromTree> {
        let name = &f.call.name;
        if function.head.kind == ObjectKind::ScalarFunction {
            return Err(SqlError::new(208, &[name]));
        }
        if !f.columns.is_empty() {
            return Err(SqlError::new(317, &[name]));
        }
        self.count_table()?;
        self.names(name);
        let armed = std::mem::take(&mut self.armed);
        let given = match lateral {
            true => self.given(f, &database, &function)?,
            false => self.hiding_siblings(|b| b.given(f, &database, &function))?,
        };
        self.armed = armed;
        let called = match &f.alias {
            Some(alias) => (&*alias.value, None, false),
            None => {
                let schema = name.schema.as_ref().map(|s| Arc::from(&*s.value));
                let qualified = schema.is_some();
                (&*name.name.value, schema, qualified)
            }
        };
        if function.head.kind == ObjectKind::InlineFunction {
            let tables = function.parameters.iter().zip(&given);
            if tables.into_iter().any(|(p, g)| p.readonly && g.table.is_none()) {
                return Err(unsupported(
                    "DEFAULT for a table-valued parameter of an inline function",
                ));
            }
            let hints = self.view_hints(super::hints::hints(&[], false)?);
            let arguments = self.arguments(given, &database, &function);
            return self.expanded(database, &function, arguments, called, hints);
        }
        let args = given.into_iter().map(|given| given.value).collect();
        self.rows_of(database, function, args, called)
    }

    /// The rows of a function of several statements, as a source of the block.
    fn rows_of(
        &mut self,
        database: Arc<Database>,
        function: Arc<Module>,
        args: Vec<Expr>,
        (alias, schema, qualified): (&str, Option<Arc<str>>, bool),
    ) -> SqlResult<FromTree> {
        let object = facts::of_view(&database, &function);
        self.needs(object.clone(), Action::Select);
        // An alias has no schema; a bare name has that of the function.
        let own = || (alias == &*function.head.name).then(|| function.head.schema.clone());
        let source = Source {
            id: self.source_id(),
            alias: alias.into(),
            schema: if qualified { schema } else { own() },
            qualified,
            columns: self.own_types(&database, recorded_columns(&function.columns)),
            kind: SourceKind::Rowset {
                database,
                source: RowsetSource::Function(function),
                args,
                dirty: false,
            },
            locator: None,
            left_out: false,
            object: Some(object),
        };
        self.add_source(source)
    }

    /// The arguments of a call, each converted to its parameter's type, and how its collation is settled: 313, 8144, 201.
    fn given(
        &mut self,
        f: &'a ast::TableFunction,
        database: &Arc<Database>,
        function: &Module,
    ) -> SqlResult<Vec<GivenArgument>> {
        let (name, given) = (&f.call.name, &f.call.arguments);
        if given.len() < function.parameters.len() {
            return Err(SqlError::new(313, &[name]));
        }
        if given.len() > function.parameters.len() {
            return Err(SqlError::new(8144, &[name]));
        }
        let mut out = Vec::with_capacity(given.len());
        for (at, (e, parameter)) in given.iter().zip(&function.parameters).enumerate() {
            if parameter.readonly {
                let (value, table) = self.table_argument(e, database, parameter)?;
                out.push(GivenArgument { value, settled: true, table });
                continue;
            }
            let bound = match e.kind {
                ExprKind::Default => self.default_of(database, function, at)?,
                _ => self.in_place(DrawPlace::Arguments, |b| b.expr(e))?,
            };
            let settled = !bound.ty.is_text()
                || bound.label == Label::CoercibleDefault
                || bound.collation == database.collation();
            let declared = Declared::new(parameter.ty, parameter.large);
            let value = self.cast_to_declared(bound, declared)?;
            out.push(GivenArgument { value, settled, table: None });
        }
        Ok(out)
    }

    /// The default of a parameter, which its function's text holds: 201 where there is none.
    pub(super) fn default_of(
        &mut self,
        database: &Arc<Database>,
        function: &Module,
        at: usize,
    ) -> SqlResult<Bound> {
        let text = self.meta.enter_view(database, function)?;
        let lines = std::mem::replace(&mut self.lines, &text.lines);
        let variables = std::mem::replace(&mut self.variables, &NOTHING);
        let default = match text.defaults.get(at) {
            Some(Some(e)) => self.expr(e),
            _ => {
                let parameter = &function.parameters[at].name;
                Err(SqlError::new(201, &[&function.head.name, parameter]))
            }
        };
        (self.lines, self.variables) = (lines, variables);
        self.meta.leave_view(function, false);
        default
    }

    /// The values that stand for the parameters in an inline function's query.
    fn arguments(
        &mut self,
        given: Vec<GivenArgument>,
        database: &Database,
        function: &Module,
    ) -> Arguments {
        let mut out = Arguments::default();
        for (given, parameter) in given.into_iter().zip(&function.parameters) {
            let GivenArgument { value, settled, table } = given;
            let declared = Declared::new(parameter.ty, parameter.large);
            let value = match value.is_repeatable() && settled {
                true => value,
                false => {
                    let collation = (database.collation(), Label::CoercibleDefault);
                    let bound = Bound::of(Expr::NULL, declared).with_collation(collation);
                    let slot = self.computed_slot(&bound, &parameter.name);
                    out.computed.push((value, slot));
                    Expr::Slot(slot)
                }
            };
            out.values.push(Argument { name: parameter.name.clone(), value, declared, table });
        }
        out
    }

    fn system_function(&mut self, f: &'a ast::TableFunction, lateral: bool) -> SqlResult<FromTree> {
        let (database, view) = self.meta.table_function(&f.call.name).map_err(|e| {
            if e.number != 208 {
                return e;
            }
            self.names(&f.call.name);
            // A table is called.
            match self.meta.table(&f.call.name) {
                Ok(_) => SqlError::new(215, &[&f.call.name]),
                Err(_) => e,
            }
        })?;
        let given = f.call.arguments.len();
        match view.arguments {
            Some((least, _)) if given < least => return Err(SqlError::new(313, &[&f.call.name])),
            Some((_, most)) if given > most => return Err(SqlError::new(8144, &[&f.call.name])),
            _ => {}
        }
        let args = match lateral {
            true => self.values_given(f)?,
            false => self.hiding_siblings(|b| b.values_given(f))?,
        };
        let alias = f.alias.as_ref().unwrap_or(&f.call.name.name);
        let args = args.into_iter().map(|b| self.widened(b)).collect::<SqlResult<Vec<_>>>()?;
        let mut columns = view_columns(view, self.collation);
        let to = rowset::shape(view.name, &args, &mut columns)?;
        let collation = match view.name {
            "STRING_SPLIT" => Some(self.compared_in(&args, "string_split")?.0),
            _ => None,
        };
        let args = args.into_iter().map(|b| match to {
            Some(to) => self.cast_to(b, to),
            None => Ok(b.expr),
        });
        let mut args = args.collect::<SqlResult<Vec<_>>>()?;
        if let Some(collation) = collation {
            // Behind the arguments that can be written.
            args.resize_with(3, || Expr::NULL);
            args.push(Expr::Const(Value::Int(collation.stored().cast_signed())));
        }
        self.system_rows((database, view), (alias, &f.columns), columns, args)
    }

    /// The rows of a system function, by the name that FROM gives them; `names` are those of the first columns.
    pub(super) fn system_rows(
        &mut self,
        (database, view): (Arc<Database>, &'static SystemView),
        (alias, names): (&ast::Ident, &[ast::Ident]),
        mut columns: Vec<SourceColumn>,
        args: Vec<Expr>,
    ) -> SqlResult<FromTree> {
        for (c, n) in columns.iter_mut().zip(names) {
            c.name = (&*n.value).into();
        }
        self.needs(facts::of_system_view(&database, view), Action::Select);
        let source = Source {
            id: self.source_id(),
            alias: (&*alias.value).into(),
            schema: None,
            qualified: false,
            columns,
            kind: SourceKind::Rowset {
                database,
                source: RowsetSource::View(view),
                args,
                dirty: false,
            },
            locator: None,
            left_out: false,
            object: None,
        };
        self.add_source(source)
    }

    /// The arguments of a system function; DEFAULT is NULL.
    pub(super) fn values_given(&mut self, f: &'a ast::TableFunction) -> SqlResult<Vec<Bound>> {
        let default = || Bound { untyped: true, ..Bound::new(Expr::NULL, SqlType::Int) };
        let args = f.call.arguments.iter().map(|e| match &e.kind {
            ExprKind::Default => Ok(default()),
            _ => self.in_place(DrawPlace::Arguments, |b| b.expr(e)),
        });
        args.collect()
    }
}
