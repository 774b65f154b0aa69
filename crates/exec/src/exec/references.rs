//! What a module names, as the binder notes it: tables, views and functions where they are named, procedures that it calls; and the columns
//! that it reads and changes. Nothing runs, and what cannot be bound names what comes before the mistake.

use super::interpret::source_of;
use super::metadata::SessionMetadata;
use super::module::{Code, Cond, DeclaredVariable, ExecTarget, Module, Stmt, StmtKind};
use super::planning::{Source, bind};
use super::showplan::{unmade_parameters, unmade_tables};
use crate::binder::{Binder, Variable, Variables};
use crate::catalog::{self, Object, ObjectKind};
use crate::database::Database;
use crate::plan::facts::{Action, Facts, Need};
use crate::session::Session;
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlResult};
use taffrail_syntax::ast::{Ident, LineIndex, ObjectName, Span};

/// A name in a module.
pub struct NameInModule {
    /// As it is written.
    pub name: ObjectName,
    /// A procedure that is called.
    pub called: bool,
}

/// The names in a module, and what it needs of the objects that it names itself.
#[derive(Default)]
pub struct References {
    /// The names, in the order of the text.
    pub names: Vec<NameInModule>,
    /// The objects with their columns, each once for an action.
    pub needs: Vec<Need>,
    /// The objects that a statement reads and does not change.
    pub sources: Vec<ObjectId>,
    /// Some of it cannot be bound: columns are missing from the needs.
    pub incomplete: bool,
}

impl References {
    /// What a statement, or the query of a view or function, has left behind.
    fn add(&mut self, facts: Facts, bound: bool) {
        let named = |name| NameInModule { name, called: false };
        self.names.extend(facts.names.into_iter().map(named));
        self.incomplete |= !bound;
        let own = facts.needs.iter().filter(|n| n.through.is_none());
        let changed = |id| own.clone().any(|n| n.object.object == id && n.action.changes());
        let read = own.clone().filter(|n| n.action == Action::Select).map(|n| n.object.object);
        self.sources.extend(read.filter(|id| !changed(*id)));
        for need in facts.needs.into_iter().filter(|n| n.through.is_none()) {
            self.merge(need);
        }
    }

    fn merge(&mut self, need: Need) {
        let same = |n: &&mut Need| n.object == need.object && n.action == need.action;
        let Some(known) = self.needs.iter_mut().find(same) else {
            self.needs.push(need);
            return;
        };
        known.all |= need.all;
        for (position, name) in need.columns {
            if let Err(at) = known.columns.binary_search_by_key(&position, |c| c.0) {
                known.columns.insert(at, (position, name));
            }
        }
    }
}

/// The names of a view, procedure, function or trigger; of other objects none.
pub(crate) fn of_module(
    session: &Session,
    database: &Arc<Database>,
    object: &Object,
) -> SqlResult<References> {
    let mut found = References::default();
    match object {
        Object::View(v) => of_view(session, database, v, &mut found)?,
        Object::Function(f) if f.head.kind == ObjectKind::InlineFunction => {
            of_inline(session, database, f, &mut found)?;
        }
        Object::Procedure(m) | Object::Function(m) | Object::Trigger(m) => {
            match session.procedure_module(database, m) {
                Ok(module) => list(session, database, &module, &module.statements, &mut found),
                // A type that the text names is not there any more.
                Err(e) if e.number == 2715 => found.incomplete = true,
                Err(e) => return Err(e),
            }
        }
        Object::Policy(p) => of_policy(session, database, p, &mut found),
        _ => {}
    }
    session.lookups.failed_views.take();
    Ok(found)
}

/// The functions and tables of a policy's predicates.
fn of_policy(
    session: &Session,
    database: &Arc<Database>,
    policy: &catalog::SecurityPolicy,
    found: &mut References,
) {
    for id in policy.predicates.iter().flat_map(|p| [p.function, p.table]) {
        let Some(object) = database.catalog.object(id, session.id) else { continue };
        let span = Span::default();
        let part = |text: &Arc<str>| Ident { value: (&**text).into(), span, delimited: true };
        let name = ObjectName {
            schema: Some(part(&object.head().schema)),
            ..ObjectName::bare(part(&object.head().name))
        };
        found.names.push(NameInModule { name, called: false });
    }
}

fn of_view(
    session: &Session,
    database: &Arc<Database>,
    view: &catalog::Module,
    found: &mut References,
) -> SqlResult<()> {
    let definition = super::user_views::definition(view)?;
    let lines = LineIndex::new(&view.definition);
    let none = Variables::default();
    let metadata = SessionMetadata::new(session, database, &[]);
    metadata.as_view(database, &view.head.schema);
    let mut binder = Binder::new(&metadata, &none, &lines);
    // Its names count, whether it can be used or not.
    let bound = binder.bind_view((database.id, view.head.id), &definition).is_ok();
    found.add(std::mem::take(&mut binder.facts), bound);
    Ok(())
}

fn of_inline(
    session: &Session,
    database: &Arc<Database>,
    function: &catalog::Module,
    found: &mut References,
) -> SqlResult<()> {
    let definition = super::user_views::function_definition(function)?;
    let lines = LineIndex::new(&function.definition);
    let parameters = function.parameters.iter();
    let variable = |p: &catalog::Parameter| Variable {
        name: p.name.to_string(),
        ty: (!p.readonly).then_some(p.ty),
        large: p.large,
        user_type: p.user_type,
        readonly: p.readonly,
        cursor: false,
    };
    let variables = Variables { list: parameters.map(variable).collect() };
    let tables = unmade_parameters(session, database, &function.parameters)?;
    let metadata = SessionMetadata::new(session, database, &[]).with_unmade(&tables);
    metadata.as_view(database, &function.head.schema);
    let mut binder = Binder::new(&metadata, &variables, &lines);
    let bound = binder.bind_inline((database.id, function.head.id), &definition).is_ok();
    found.add(std::mem::take(&mut binder.facts), bound);
    Ok(())
}

fn list(
    session: &Session,
    database: &Arc<Database>,
    module: &Module,
    statements: &[Stmt],
    found: &mut References,
) {
    let within = |list_of: &[Stmt], found: &mut References| {
        list(session, database, module, list_of, found);
    };
    for s in statements {
        let bind = |source: Source<'_>, found: &mut References| {
            named(session, database, module, s, &source, found);
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

fn calls(target: &ExecTarget, found: &mut References) {
    if let ExecTarget::Procedure(name) = target {
        found.names.push(NameInModule { name: name.clone(), called: true });
    }
}

/// The names of a statement.
fn named(
    session: &Session,
    database: &Arc<Database>,
    module: &Module,
    s: &Stmt,
    source: &Source<'_>,
    found: &mut References,
) {
    let unmade = unmade_tables(session, module, s.visible).unwrap_or_default();
    let metadata =
        SessionMetadata::new(session, database, &[]).of_module(module).with_unmade(&unmade);
    let variables = Variables { list: module.variables.list[..s.visible as usize].to_vec() };
    let mut binder = Binder::new(&metadata, &variables, &module.lines);
    // What is wrong with it is told where it runs.
    let bound = bind(&mut binder, source);
    found.add(std::mem::take(&mut binder.facts), bound.is_ok());
}
