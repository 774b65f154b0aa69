//! From the statements of a module to their plans, which are made when they are first run: names may come into being only then.

use super::handles::hash_of;
use super::metadata::SessionMetadata;
use super::module::{Module, Plan, place_of};
use super::showplan::document::ToldPlan;
use crate::binder::cursor::CursorUse;
use crate::binder::{Binder, Variables};
use crate::catalog::Table;
use crate::database::Database;
use crate::plan::names::Names;
use crate::plan::rel::Rel;
use crate::plan::statement::Statement;
use crate::plan::typed::Scope;
use crate::plan::{display, invariants, lowered, showplan};
use crate::planner::Planner;
use crate::session::Session;
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlResult};
use taffrail_syntax::ast;
use taffrail_types::convert::Declared;

/// What a statement is planned from.
pub enum Source<'m> {
    /// The query of a SELECT.
    Select(&'m ast::SelectStatement),
    /// The query of a cursor whose rows are found again.
    Cursor(&'m ast::SelectStatement, CursorUse, &'m [ast::ColumnRef]),
    /// INSERT of values or of a query.
    Insert(&'m ast::Insert),
    /// UPDATE of a table or view.
    Update(&'m ast::Update),
    /// DELETE from a table or view.
    Delete(&'m ast::Delete),
    /// MERGE into a table or view.
    Merge(&'m crate::binder::MergeStatement),
    /// An expression outside of queries, and the type that it is brought to.
    Scalar(&'m ast::Expr, Option<Declared>),
    /// A condition outside of queries.
    Condition(&'m ast::Expr),
}

/// Where a statement stands.
pub(crate) struct Place<'m> {
    /// Names without a database are looked up here.
    pub home: &'m Arc<Database>,
    pub module: &'m Module,
    /// How many variables it sees.
    pub visible: u32,
    /// The module's table variables.
    pub tables: &'m [(String, ObjectId)],
    /// Nothing of the module has run: a temp table that it makes is not there yet, whatever another one of its name is.
    pub early: bool,
    /// The server reads rows on its own, whatever security policies say.
    pub unguarded: bool,
}

/// Plans a statement of a module.
pub(crate) fn plan(session: &Session, place: &Place<'_>, source: &Source<'_>) -> SqlResult<Plan> {
    let Place { home, module, visible, tables, early, unguarded } = *place;
    // Those that are declared above the statement.
    let declared = module.table_variables.iter().take_while(|t| t.var < visible).count();
    let tables = &tables[..declared.min(tables.len())];
    let metadata = SessionMetadata::new(session, home, tables).of_module(module);
    let mut metadata = metadata.unguarded(unguarded);
    if early {
        metadata = metadata.without_temp(&module.temp_tables);
    }
    let variables = Variables { list: module.variables.list[..visible as usize].to_vec() };
    let mut binder = Binder::new(&metadata, &variables, &module.lines);
    binder.notes_names = false;
    let bound = binder.telling_all(|b| bind(b, source))?;
    if cfg!(debug_assertions) {
        let types = variables.types();
        let scope = Scope::new(&binder.columns, &types);
        invariants::assert(&bound, &binder.subqueries, &scope, || names(&binder, &bound));
    }
    let columns = std::mem::take(&mut binder.columns);
    let subqueries = std::mem::take(&mut binder.subqueries);
    let mut uses = std::mem::take(&mut binder.uses);
    let facts = Arc::new(std::mem::take(&mut binder.facts));
    let hints = binder.hints;
    uses.sort_by_key(|u| u.key());
    drop(binder);
    let planner = Planner::new(&metadata, hints, columns, variables.types(), subqueries);
    let (kind, subqueries, columns) = planner.plan(bound)?;
    kind.scans(&subqueries, &mut |scan| {
        if scan.reads_heap() {
            let key = (scan.database.id, scan.table.id());
            let same = uses.iter_mut().filter(|u| u.key() == key && u.locks == scan.locks);
            same.for_each(|u| u.heap = true);
        }
    });
    if cfg!(debug_assertions) {
        lowered::assert(&kind, &subqueries, &Scope::new(&columns, &variables.types()));
    }
    session.instance.counters().optimizations.inc();
    let identity_insert = match &kind {
        Statement::Insert(i) if i.table.identity.is_some() => {
            let key = (i.database.id, i.table.id());
            Some((key.0, key.1, session.activation.identity_insert == Some(key)))
        }
        Statement::Merge(m) if m.table.identity.is_some() => {
            let key = (m.database.id, m.table.id());
            Some((key.0, key.1, session.activation.identity_insert == Some(key)))
        }
        _ => None,
    };
    // A policy may ask who the user is: what it was bound for in one database is not run in another one.
    let guarded = uses.iter().any(|u| !u.table.predicates.is_empty());
    Ok(Plan {
        kind,
        order_enforced: hints.order_enforced,
        identity_insert,
        columns: Arc::new(columns),
        facts,
        allowed: Default::default(),
        used: Default::default(),
        hash: Default::default(),
        subqueries,
        uses,
        options: metadata.folded.get().then(|| session.activation.options.plan_key()),
        made_in: (module.moves || guarded).then(|| place_of(session)),
        temps: metadata.temps.into_inner(),
        depends: metadata.depends.into_inner(),
    })
}

/// Binds a statement.
pub(super) fn bind<'m>(binder: &mut Binder<'m>, source: &Source<'m>) -> SqlResult<Statement<Rel>> {
    let mut bound = bind_source(binder, source)?;
    binder.option_hints_are_used()?;
    binder.mask_outputs(&mut bound, matches!(source, Source::Cursor(..)));
    Ok(bound)
}

fn bind_source<'m>(binder: &mut Binder<'m>, source: &Source<'m>) -> SqlResult<Statement<Rel>> {
    Ok(match source {
        Source::Select(s) => {
            let into = s.query.body.first_block().into.clone();
            Statement::Select(Box::new(binder.bind_select(s)?), into)
        }
        Source::Cursor(s, wanted, columns) => {
            let into = s.query.body.first_block().into.clone();
            Statement::Select(Box::new(binder.bind_cursor(s, *wanted, columns)?), into)
        }
        Source::Insert(i) => match binder.bind_nested_insert(i)? {
            Some(change) => change,
            None => Statement::Insert(Box::new(binder.bind_insert(i)?)),
        },
        Source::Update(u) => match binder.bind_update_of_view(u)? {
            Some(replaced) => Statement::Select(Box::new(replaced), None),
            None => Statement::Update(Box::new(binder.bind_update(u)?)),
        },
        Source::Delete(d) => match binder.bind_delete_of_view(d)? {
            Some(replaced) => Statement::Select(Box::new(replaced), None),
            None => Statement::Delete(Box::new(binder.bind_delete(d)?)),
        },
        Source::Merge(m) => Statement::Merge(Box::new(binder.bind_merge(m)?)),
        Source::Scalar(e, to) => {
            let bound = binder.bind_scalar(e)?;
            let to = to.unwrap_or(bound.declared());
            Statement::Scalar(binder.cast_to_declared(bound, to)?, to)
        }
        Source::Condition(e) => Statement::Condition(binder.bind_condition(e)?),
    })
}

/// What the columns and variables of a bound statement are called.
fn names(binder: &Binder<'_>, bound: &Statement<Rel>) -> Names {
    let variables = binder.variables.list.iter().map(|v| v.name.clone()).collect();
    Names::new(bound, &binder.subqueries, binder.slot_names(), variables)
}

/// A statement as its plans show it.
pub(crate) struct Explained {
    /// The bound tree.
    pub logical: String,
    /// The operators, as they are told.
    pub told: ToldPlan,
    /// The objects that the statement needs, one a line.
    pub needs: String,
}

/// Binds and plans a statement to show its plans; table variables are those of `unmade`.
pub(crate) fn explain(
    session: &Session,
    home: &Arc<Database>,
    module: &Module,
    visible: u32,
    unmade: &[(String, Arc<Table>)],
    source: &Source<'_>,
) -> SqlResult<Explained> {
    let metadata = SessionMetadata::new(session, home, &[]).of_module(module).with_unmade(unmade);
    let list = module.variables.list.get(..visible as usize).unwrap_or_default();
    let variables = Variables { list: list.to_vec() };
    let mut binder = Binder::new(&metadata, &variables, &module.lines);
    let bound = bind(&mut binder, source)?;
    // What runs by the rights of another one is shown to whoever may call it.
    if module.execute_as.is_none() {
        session.allow_described(module, &binder.facts)?;
    }
    let names = names(&binder, &bound);
    let logical = display::statement(&bound, &binder.subqueries, Some(&names));
    let columns = std::mem::take(&mut binder.columns);
    let subqueries = std::mem::take(&mut binder.subqueries);
    let (hints, needs) = (binder.hints, binder.facts.to_string());
    drop(binder);
    let planner = Planner::new(&metadata, hints, columns, variables.types(), subqueries);
    let (planned, subqueries, columns) = planner.plan(bound)?;
    if cfg!(debug_assertions) {
        lowered::assert(&planned, &subqueries, &Scope::new(&columns, &variables.types()));
    }
    let lines = showplan::lines(&planned, &subqueries, &names, &columns);
    let missing = showplan::document::missing_indexes(&planned, &subqueries);
    let parameters = module.told_parameters(&lines, &[]);
    let hash = hash_of(&lines);
    Ok(Explained { logical, told: ToldPlan { lines, missing, hash, cached: 0, parameters }, needs })
}
