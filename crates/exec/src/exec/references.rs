//! What a view or procedure names, as the binder notes it: tables and views where they are named, procedures that it calls.
//! Nothing runs, and what cannot be bound names what comes before the mistake.

use super::interpret::source_of;
use super::metadata::SessionMetadata;
use super::module::{Code, Cond, DeclaredVariable, ExecTarget, Module, Stmt, StmtKind};
use super::planning::Source;
use crate::binder::{Binder, Variables};
use crate::catalog;
use crate::database::Database;
use crate::session::Session;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_syntax::ast::{LineIndex, ObjectName};

/// A name in a module.
pub struct Reference {
    /// As it is written.
    pub name: ObjectName,
    /// A procedure that is called.
    pub called: bool,
}

/// The names of a view.
pub fn of_view(
    session: &Session,
    database: &Arc<Database>,
    view: &catalog::Module,
) -> SqlResult<Vec<Reference>> {
    let definition = super::user_views::definition(view)?;
    let lines = LineIndex::new(&view.definition);
    let none = Variables::default();
    let metadata = SessionMetadata::new(session, database, &[]);
    metadata.as_view(database, &view.head.schema);
    let mut binder = Binder::new(&metadata, &none, &lines);
    // Its names count, whether it can be used or not.
    let _ = binder.bind_view((database.id, view.head.id), &definition);
    let names = std::mem::take(&mut binder.facts.names);
    drop(binder);
    session.lookups.failed_views.take();
    Ok(tables(names))
}

/// The names of a procedure.
pub fn of_procedure(
    session: &Session,
    database: &Arc<Database>,
    procedure: &catalog::Module,
) -> SqlResult<Vec<Reference>> {
    let module = session.procedure_module(database, procedure)?;
    let mut found = Vec::new();
    list(session, database, &module, &module.statements, &mut found);
    session.lookups.failed_views.take();
    Ok(found)
}

fn tables(names: Vec<ObjectName>) -> Vec<Reference> {
    names.into_iter().map(|name| Reference { name, called: false }).collect()
}

fn list(
    session: &Session,
    database: &Arc<Database>,
    module: &Module,
    statements: &[Stmt],
    found: &mut Vec<Reference>,
) {
    let within = |list_of: &[Stmt], found: &mut Vec<Reference>| {
        list(session, database, module, list_of, found);
    };
    for s in statements {
        let bind = |source: Source<'_>, found: &mut Vec<Reference>| {
            found.extend(tables(named(session, database, module, s, &source)));
        };
        match &s.kind {
            StmtKind::Block(body) => within(body, found),
            StmtKind::TryCatch(a, b) => {
                within(a, found);
                within(b, found);
            }
            StmtKind::If(cond, then, others) => {
                if let Cond::Lazy(e, _) = cond {
                    bind(Source::Condition(e), found);
                }
                within(std::slice::from_ref(then), found);
                within(others, found);
            }
            StmtKind::While(cond, body) => {
                if let Cond::Lazy(e, _) = cond {
                    bind(Source::Condition(e), found);
                }
                within(std::slice::from_ref(body), found);
            }
            StmtKind::Set(_, Code::Lazy(e, _, to))
            | StmtKind::Return(Some(Code::Lazy(e, _, to)))
            | StmtKind::Result(Code::Lazy(e, _, to)) => {
                bind(Source::Scalar(e, *to), found);
            }
            StmtKind::Declare(list) => {
                for code in list.iter().filter_map(DeclaredVariable::value) {
                    if let Code::Lazy(e, _, to) = code {
                        bind(Source::Scalar(e, *to), found);
                    }
                }
            }
            StmtKind::Execute(e) => calls(&e.target, found),
            StmtKind::InsertExec(_, e) => {
                if let Some(source) = source_of(s) {
                    bind(source, found);
                }
                calls(&e.target, found);
            }
            _ => {
                if let Some(source) = source_of(s) {
                    bind(source, found);
                }
            }
        }
    }
}

fn calls(target: &ExecTarget, found: &mut Vec<Reference>) {
    if let ExecTarget::Procedure(name) = target {
        found.push(Reference { name: name.clone(), called: true });
    }
}

/// The names of a statement.
fn named(
    session: &Session,
    database: &Arc<Database>,
    module: &Module,
    s: &Stmt,
    source: &Source<'_>,
) -> Vec<ObjectName> {
    let metadata = SessionMetadata::new(session, database, &[]).of_module(module);
    let variables = Variables { list: module.variables.list[..s.visible as usize].to_vec() };
    let mut binder = Binder::new(&metadata, &variables, &module.lines);
    // What is wrong with it is told where it runs.
    let _ = match source {
        Source::Select(q) => binder.bind_select(q).map(drop),
        Source::Insert(i) => binder.bind_insert(i).map(drop),
        Source::Update(u) => binder.bind_update(u).map(drop),
        Source::Delete(d) => binder.bind_delete(d).map(drop),
        Source::Merge(m) => binder.bind_merge(m).map(drop),
        Source::Scalar(e, _) => binder.bind_scalar(e).map(drop),
        Source::Condition(e) => binder.bind_condition(e).map(drop),
    };
    std::mem::take(&mut binder.facts.names)
}
