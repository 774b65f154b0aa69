//! From the statements of a module to their plans, which are made when they are first run: names may come into being only then.

use super::metadata::SessionMetadata;
use super::module::{Module, Plan};
use crate::binder::{Binder, Variables};
use crate::database::Database;
use crate::plan::statement::Statement;
use crate::planner::Planner;
use crate::session::Session;
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlResult};
use taffrail_syntax::ast;
use taffrail_types::convert::Declared;

/// What a statement is planned from.
pub(crate) enum Source<'m> {
    Select(&'m ast::SelectStatement),
    Insert(&'m ast::Insert),
    Update(&'m ast::Update),
    Delete(&'m ast::Delete),
    Merge(&'m crate::binder::MergeStatement),
    Scalar(&'m ast::Expr, Option<Declared>),
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
}

/// Plans a statement of a module.
pub(crate) fn plan(session: &Session, place: &Place<'_>, source: &Source<'_>) -> SqlResult<Plan> {
    let Place { home, module, visible, tables, early } = *place;
    // Those that are declared above the statement.
    let declared = module.table_variables.iter().take_while(|t| t.var < visible).count();
    let tables = &tables[..declared.min(tables.len())];
    let mut metadata = SessionMetadata::new(session, home, tables).of_module(module);
    if early {
        metadata = metadata.without_temp(&module.temp_tables);
    }
    let variables = Variables { list: module.variables.list[..visible as usize].to_vec() };
    let mut binder = Binder::new(&metadata, &variables, &module.lines);
    let bound = match source {
        Source::Select(s) => {
            let into = s.query.body.first_block().into.clone();
            Statement::Select(Box::new(binder.bind_select(s)?), into)
        }
        Source::Insert(i) => Statement::Insert(Box::new(binder.bind_insert(i)?)),
        Source::Update(u) => Statement::Update(Box::new(binder.bind_update(u)?)),
        Source::Delete(d) => Statement::Delete(Box::new(binder.bind_delete(d)?)),
        Source::Merge(m) => Statement::Merge(Box::new(binder.bind_merge(m)?)),
        Source::Scalar(e, to) => {
            let bound = binder.bind_scalar(e)?;
            let to = to.unwrap_or(bound.declared());
            Statement::Scalar(binder.cast_to_declared(bound, to)?, to)
        }
        Source::Condition(e) => Statement::Condition(binder.bind_condition(e)?),
    };
    let slots = binder.frame_size();
    let subqueries = std::mem::take(&mut binder.subqueries);
    let mut uses = std::mem::take(&mut binder.uses);
    uses.sort_by_key(|u| u.key());
    drop(binder);
    let (kind, subqueries) = Planner::new(&metadata, slots, subqueries).plan(bound)?;
    let identity_insert = match &kind {
        Statement::Insert(i) if i.table.identity.is_some() => {
            let key = (i.database.id, i.table.id());
            Some((key.0, key.1, session.identity_insert == Some(key)))
        }
        Statement::Merge(m) if m.table.identity.is_some() => {
            let key = (m.database.id, m.table.id());
            Some((key.0, key.1, session.identity_insert == Some(key)))
        }
        _ => None,
    };
    Ok(Plan {
        kind,
        identity_insert,
        slots,
        subqueries,
        uses,
        options: metadata.folded.get().then(|| session.options.plan_key()),
        temp: metadata.temp.get().then_some(session.temp_version),
        depends: metadata.depends.into_inner(),
    })
}
