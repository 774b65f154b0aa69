//! Views and inline functions: their text is bound where their name stands, as a derived table.
//!
//! ```text
//! FROM v      the text that the catalogue keeps ── parsed ──▶ query ── bound in a scope of its own ──▶ derived table
//!             names of its columns: those of the catalogue, in order
//! FROM f(1)   the same; the function's parameters are the arguments
//! ```
//! 1. Nothing of the statement is seen within a view: no column, variable or common table expression; and names mean what
//!    they mean in the view's database and schema.
//! 2. `SELECT *` in a view keeps the columns that it had when the view was made: the catalogue's names go to the query's
//!    columns in order, further columns are passed over, and 4502 when there are too few. The types are those of today.
//! 3. A lock hint of a view is a hint of its tables where they have none.
//! 4. An argument is bound outside of the function, and converted to the parameter's type there. It stands in place of the parameter
//!    wherever that is named, unless it would be another value each time: then it is computed once, beside the function's query.

use super::inlined::ScalarBody;
use super::query::BoundQuery;
use super::table_function::{Argument, Arguments};
use super::temporal::Times;
use super::{Binder, FromTree, Hints, Variables};
use std::sync::Arc;
use taffrail_base::{DatabaseId, ObjectId, SqlError, SqlResult};
use taffrail_catalog::Module;
use taffrail_catalog::database::Database;
use taffrail_plan::facts::{Action, Securable};
use taffrail_plan::locking::AccessHint;
use taffrail_plan::node::JoinType;
use taffrail_plan::rel::Rel;
use taffrail_syntax::ast;

/// Views nest at most so deep.
pub(super) const MAX_NESTING: usize = 32;

/// The text of a view or of a function that gives rows, parsed.
#[derive(Debug)]
pub struct ViewText {
    /// The name in the definition.
    pub name: ast::Ident,
    /// `WITH name AS (…)` of the query.
    pub with: Option<ast::With>,
    /// The query; a function of several statements has none.
    pub query: Option<ast::Query>,
    /// Whether a view is made WITH CHECK OPTION.
    pub check_option: bool,
    /// Where its lines begin.
    pub lines: ast::LineIndex,
    /// The parameters of a function. No other variable is known in its query, and none in a view.
    pub variables: Variables,
    /// The defaults of the parameters, in their order.
    pub defaults: Vec<Option<ast::Expr>>,
    /// The body of a scalar function that may stand in place of its calls.
    pub scalar: Option<ScalarBody>,
}

/// A view or inline function that is being bound.
pub(super) struct Expansion {
    pub id: (DatabaseId, ObjectId),
    pub hints: Hints,
    /// The view; none where its own query is all that is bound.
    pub object: Option<Securable>,
    /// The values of a function's parameters; none where the function is being made.
    pub arguments: Vec<Argument>,
    /// The versions of rows that are asked for of all tables within.
    pub times: Option<Arc<Times>>,
    /// A table within has versions.
    pub versioned: bool,
}

impl Expansion {
    /// One that asks for no versions of rows.
    pub fn new(
        id: (DatabaseId, ObjectId),
        hints: Hints,
        object: Option<Securable>,
        arguments: Vec<Argument>,
    ) -> Expansion {
        Expansion { id, hints, object, arguments, times: None, versioned: false }
    }
}

impl<'a> Binder<'a> {
    /// The hints of a table, with those of the view that it stands in.
    pub(super) fn view_hints(&self, own: Hints) -> Hints {
        let Some(Expansion { hints, .. }) = self.views.last() else { return own };
        Hints {
            locks: own.locks.within(hints.locks),
            access: AccessHint { scan: own.access.scan || hints.access.scan, ..own.access },
        }
    }

    /// The query of a view that is made or altered (`id`).
    pub fn bind_view(
        &mut self,
        id: (DatabaseId, ObjectId),
        v: &'a ast::ViewDefinition,
    ) -> SqlResult<BoundQuery> {
        self.bind_definition(id, &v.with, &v.query)
    }

    /// The query of an inline function that is made or altered (`id`), whose parameters are variables.
    pub fn bind_inline(
        &mut self,
        id: (DatabaseId, ObjectId),
        f: &'a ast::FunctionDefinition,
    ) -> SqlResult<BoundQuery> {
        match &f.body {
            ast::FunctionBody::Query(with, query) => self.bind_definition(id, with, query),
            ast::FunctionBody::Statements(_) => Err(super::unsupported("This body of a function")),
        }
    }

    fn bind_definition(
        &mut self,
        id: (DatabaseId, ObjectId),
        with: &'a Option<ast::With>,
        query: &'a ast::Query,
    ) -> SqlResult<BoundQuery> {
        let hints = super::hints::hints(&[], false)?;
        self.views.push(Expansion::new(id, hints, None, Vec::new()));
        self.with(with)?;
        if query.body.first_block().into.is_some() {
            return Err(SqlError::new(156, &[&"INTO"]));
        }
        self.query(query, true)
    }

    /// A view of the user's in FROM. `called`: alias or name, the schema that may qualify it, and whether the statement names that.
    pub(super) fn user_view(
        &mut self,
        database: Arc<Database>,
        view: &Module,
        called: (&str, Option<Arc<str>>, bool),
        hints: Hints,
        times: Option<Arc<Times>>,
    ) -> SqlResult<FromTree> {
        let arguments = Arguments { times, ..Arguments::default() };
        self.expanded(database, view, arguments, called, hints)
    }

    /// A view or inline function in FROM, with the values of the function's parameters.
    pub(super) fn expanded(
        &mut self,
        database: Arc<Database>,
        view: &Module,
        arguments: Arguments,
        called: (&str, Option<Arc<str>>, bool),
        hints: Hints,
    ) -> SqlResult<FromTree> {
        let id = (database.id, view.head.id);
        if self.views.iter().any(|v| v.id == id) {
            return Err(SqlError::new(4429, &[&view.head.name]));
        }
        if self.views.len() >= MAX_NESTING {
            return Err(SqlError::new(217, &[&MAX_NESTING]));
        }
        let text = self.meta.enter_view(&database, view)?;
        let target = self.arm(|| view.columns.iter().map(|c| (&*c.name).into()).collect());
        let object = super::facts::of_view(&database, view);
        if !target {
            self.needs(object.clone(), Action::Select);
        }
        let Arguments { values: arguments, computed, times: own } = arguments;
        let named = format!("{}.{}", database.name, view.head.qualified());
        let asked = own.is_some();
        let times = self.times_within(own, &named)?;
        let expansion = Expansion::new(id, hints, Some(object.clone()), arguments);
        self.views.push(Expansion { times, ..expansion });
        let outside = std::mem::replace(&mut self.collation, database.collation());
        let bound = self.of_view(text, view, target);
        self.collation = outside;
        let expansion = self.views.pop();
        self.meta.leave_view(view, bound.is_err());
        let (mut bound, located) = bound?;
        if let Some(expansion) = expansion {
            self.settle_times(expansion, &named, asked)?;
        }
        located?;
        if target {
            self.unchecked(text)?;
        }
        if !computed.is_empty() {
            let found = self.through.as_ref().and_then(|t| t.found.as_ref()).filter(|_| target);
            let locator = found.map(|f| f.locator);
            let columns = bound.outputs.iter().copied().chain(locator).collect();
            let query = Rel::project(std::mem::take(&mut bound.rel), columns);
            let once = Rel::compute(Rel::OneRow, computed);
            bound.rel = Rel::join(JoinType::Inner, once, query, Vec::new());
        }
        let names: Vec<ast::Ident> = view
            .columns
            .iter()
            .map(|c| ast::Ident { value: (&*c.name).into(), ..text.name.clone() })
            .collect();
        let (alias, schema, qualified) = called;
        let mut source = self.derived_source(bound, alias, &names)?;
        source.schema = match qualified {
            true => schema,
            // An alias has no schema; a bare name has that of the view.
            false => (alias == &*view.head.name).then(|| view.head.schema.clone()),
        };
        source.qualified = qualified;
        source.object = Some(object);
        let tree = self.add_source(source)?;
        if target {
            self.settle(&tree);
        }
        Ok(tree)
    }

    /// Binds a view's query where nothing of the statement is seen. Of a `target` that is to be changed it is told beside whether this
    /// can be.
    fn of_view(
        &mut self,
        text: &'a ViewText,
        view: &Module,
        target: bool,
    ) -> SqlResult<(BoundQuery, SqlResult<()>)> {
        let ctes = std::mem::take(&mut self.ctes);
        let namespaces = std::mem::take(&mut self.namespaces);
        let expanding = std::mem::take(&mut self.expanding);
        let recursion = std::mem::take(&mut self.recursion);
        let self_reference = std::mem::take(&mut self.self_reference);
        let merge_action = self.merge_action.take();
        let limit = std::mem::replace(&mut self.max_recursion, super::recursive::MAX_RECURSION);
        let lines = std::mem::replace(&mut self.lines, &text.lines);
        let variables = std::mem::replace(&mut self.variables, &text.variables);
        let bound = self.hiding_all(|b| {
            b.with(&text.with)?;
            let query =
                text.query.as_ref().ok_or_else(|| SqlError::new(4413, &[&view.head.name]))?;
            b.query(query, true)
        });
        (self.lines, self.variables) = (lines, variables);
        (self.max_recursion, self.merge_action) = (limit, merge_action);
        (self.ctes, self.expanding, self.recursion) = (ctes, expanding, recursion);
        self.namespaces = namespaces;
        self.self_reference = self_reference;
        let mut bound = bound.map_err(|e| e.in_procedure(&view.head.name))?;
        let located = if target { self.take_locator(&mut bound) } else { Ok(()) };
        let wanted = view.columns.len();
        if bound.columns.len() < wanted {
            return Err(SqlError::new(4502, &[&view.head.name]).in_procedure(&view.head.name));
        }
        bound.columns.truncate(wanted);
        bound.outputs.truncate(wanted);
        Ok((bound, located))
    }
}
