//! CREATE, ALTER and DROP SECURITY POLICY.
//!
//! A policy is changed under Sch-M on itself and on every table of its predicates, before or after: statements that wait for one of
//! them are planned anew. Its functions are held as they are to the transaction's end.

use super::{create, resolve};
use crate::binder::{Binder, Variables, predicate_facts};
use crate::catalog::policy::remove_predicate;
use crate::catalog::{BlockedAt, Module, Object, ObjectHead, ObjectKind, SecurityPolicy};
use crate::catalog::{SecurityPredicate, Table, rows};
use crate::database::Database;
use crate::exec::metadata::SessionMetadata;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_storage::lock::LockMode;
use taffrail_syntax::ast::{self, BlockedOperation, OptionValue, PredicateVerb};

/// The options of a statement, as far as it has them.
#[derive(Default)]
struct PolicyOptions {
    state: Option<bool>,
    schema_bound: Option<bool>,
}

/// The policy as the statement makes it, and what it was.
struct PolicyDraft {
    database: Arc<Database>,
    policy: SecurityPolicy,
    /// The predicates that have gone, or have become others.
    gone: Vec<Arc<SecurityPredicate>>,
}

/// `CREATE | ALTER SECURITY POLICY`.
pub(crate) fn policy(
    cx: &mut StatementContext<'_>,
    s: &ast::SecurityPolicyDefinition,
) -> SqlResult<()> {
    if s.name.database.is_some() || s.name.name.value.starts_with('#') {
        return Err(SqlError::new(33259, &[&s.name]));
    }
    let options = options(s)?;
    let mut draft = match s.alter {
        true => existing(cx, s, &options)?,
        false => new(cx, s, &options)?,
    };
    for clause in &s.predicates {
        draft.clause(cx, clause)?;
    }
    draft.write(cx)
}

fn options(s: &ast::SecurityPolicyDefinition) -> SqlResult<PolicyOptions> {
    let mut out = PolicyOptions::default();
    for o in &s.options {
        let on = match &o.value {
            Some(OptionValue::On) => true,
            Some(OptionValue::Off) => false,
            _ => return Err(SqlError::new(102, &[&o.name])),
        };
        let place = match &*o.name.value.to_ascii_uppercase() {
            "STATE" => &mut out.state,
            "SCHEMABINDING" if !s.alter => &mut out.schema_bound,
            _ => return Err(SqlError::new(102, &[&o.name])),
        };
        if place.replace(on).is_some() {
            return Err(SqlError::new(102, &[&o.name]));
        }
    }
    Ok(out)
}

fn new(
    cx: &mut StatementContext<'_>,
    s: &ast::SecurityPolicyDefinition,
    options: &PolicyOptions,
) -> SqlResult<PolicyDraft> {
    let target = resolve::target(cx, &s.name)?;
    resolve::require_free(cx, &target, 1)?;
    let catalog = &target.database.catalog;
    let schema = (target.schema.id, &target.schema.name);
    let kind = ObjectKind::SecurityPolicy;
    let head = create::head(catalog, kind, schema, &target.name, ObjectId(0))?;
    resolve::lock(cx, &target.database, head.id)?;
    let policy = SecurityPolicy {
        head,
        enabled: options.state.unwrap_or(true),
        schema_bound: options.schema_bound.unwrap_or(true),
        not_for_replication: s.not_for_replication,
        predicates: Vec::new(),
    };
    Ok(PolicyDraft { database: target.database, policy, gone: Vec::new() })
}

/// A policy that is there, locked: 33268, 33271.
fn existing(
    cx: &mut StatementContext<'_>,
    s: &ast::SecurityPolicyDefinition,
    options: &PolicyOptions,
) -> SqlResult<PolicyDraft> {
    let missing = || SqlError::new(33268, &[&s.name]);
    let Some((database, found)) = resolve::find(cx, &s.name)? else { return Err(missing()) };
    let locked = resolve::lock_object(cx, &database, found.head())?.ok_or_else(missing)?;
    let Object::Policy(old) = locked else { return Err(SqlError::new(33271, &[&s.name])) };
    for table in old.tables() {
        resolve::lock(cx, &database, table)?;
    }
    let modified = database.catalog.now();
    let policy = SecurityPolicy {
        head: ObjectHead { modified, ..old.head.clone() },
        enabled: options.state.unwrap_or(old.enabled),
        schema_bound: old.schema_bound,
        not_for_replication: old.not_for_replication || s.not_for_replication,
        predicates: old.predicates.clone(),
    };
    Ok(PolicyDraft { database, policy, gone: Vec::new() })
}

fn blocked_at(clause: &ast::PredicateClause) -> Option<BlockedAt> {
    clause.block.then_some(match clause.operation {
        None => BlockedAt::All,
        Some(BlockedOperation::AfterInsert) => BlockedAt::AfterInsert,
        Some(BlockedOperation::AfterUpdate) => BlockedAt::AfterUpdate,
        Some(BlockedOperation::BeforeUpdate) => BlockedAt::BeforeUpdate,
        Some(BlockedOperation::BeforeDelete) => BlockedAt::BeforeDelete,
    })
}

/// The table of a predicate, locked: 33263, 33268, 33269, 33503, 33510.
fn table_of(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    clause: &ast::PredicateClause,
) -> SqlResult<Arc<Table>> {
    let name = &clause.table;
    if name.name.value.starts_with('#') {
        return Err(SqlError::new(33269, &[]));
    }
    let missing = || SqlError::new(33268, &[name]);
    let Some((of, found)) = resolve::find(cx, name)? else { return Err(missing()) };
    if of.id != database.id {
        return Err(missing());
    }
    let locked = resolve::lock_object(cx, database, found.head())?.ok_or_else(missing)?;
    match locked {
        Object::Table(t) if t.head.kind == ObjectKind::Table => match t.head.is_history() {
            true if clause.block => Err(SqlError::new(33510, &[name])),
            _ => Ok(t),
        },
        _ if clause.block => Err(SqlError::new(33503, &[name])),
        Object::View(v) if v.facts.schema_bound => {
            Err(unsupported("A filter predicate of a security policy on a view"))
        }
        _ => Err(SqlError::new(33263, &[name])),
    }
}

impl PolicyDraft {
    fn clause(
        &mut self,
        cx: &mut StatementContext<'_>,
        clause: &ast::PredicateClause,
    ) -> SqlResult<()> {
        let table = table_of(cx, &self.database, clause)?;
        let block = blocked_at(clause);
        let same = |p: &&Arc<SecurityPredicate>| p.table == table.id() && p.block == block;
        let known = self.policy.predicates.iter().find(same).cloned();
        let shown = self.policy.head.qualified();
        let (id, known) = match (clause.verb, known) {
            (PredicateVerb::Add, _) => {
                let taken = |p: &Arc<SecurityPredicate>| p.overlaps(table.id(), block);
                if let Some(p) = self.policy.predicates.iter().find(|p| taken(p)) {
                    let named = table.head.qualified();
                    return Err(SqlError::new(33262, &[&p.word(), &named, &shown]));
                }
                let used = self.policy.predicates.iter().chain(&self.gone).map(|p| p.id);
                (used.max().unwrap_or(0) + 1, None)
            }
            (_, None) => {
                return Err(SqlError::new(33261, &[&shown, &table.head.qualified()]));
            }
            (_, Some(known)) => (known.id, Some(known)),
        };
        if let Some(known) = known {
            self.policy.predicates.retain(|p| p.id != known.id);
            self.gone.push(known);
        }
        if let Some(call) = &clause.function {
            let predicate = self.predicate(cx, (&table, block, id), call)?;
            self.policy.predicates.push(Arc::new(predicate));
            self.policy.predicates.sort_by_key(|p| p.id);
        }
        Ok(())
    }

    /// A predicate of a call: 33270, 4512, 4513, 229, and what is wrong with its arguments.
    fn predicate(
        &mut self,
        cx: &mut StatementContext<'_>,
        (table, block, id): (&Arc<Table>, Option<BlockedAt>, i32),
        call: &ast::FunctionCall,
    ) -> SqlResult<SecurityPredicate> {
        let database = self.database.clone();
        if let Some(view) = table.indexed_views.first() {
            let view = database.catalog.object(*view, cx.session.id);
            let view = view.map_or_else(String::new, |v| v.head().qualified());
            let named = (self.policy.head.qualified(), table.head.qualified());
            return Err(SqlError::new(33265, &[&named.0, &named.1, &view]));
        }
        let function = self.function(cx, &call.name)?;
        let head = &function.head;
        let metadata = SessionMetadata::new(cx.session, &database, &[]);
        let named = (&*head.schema, &*head.name);
        let (definition, reads) =
            predicate_facts(&metadata, (&database, table), named, &call.arguments)?;
        cx.session.allow_predicate(&database, head, &table.head, || {
            reads.iter().map(|at| (table.columns[*at].id, table.columns[*at].name.clone()))
        })?;
        let predicate = SecurityPredicate {
            policy: self.policy.head.id,
            id,
            table: table.id(),
            block,
            definition: definition.into(),
            function: head.id,
            columns: reads.iter().map(|at| table.columns[*at].id).collect(),
            enabled: self.policy.enabled,
            schema_bound: self.policy.schema_bound,
        };
        let (variables, lines) = (Variables::default(), ast::LineIndex::default());
        let mut binder = Binder::new(&metadata, &variables, &lines);
        binder.check_predicate(&database, table, &predicate)?;
        Ok(predicate)
    }

    /// The inline function of a name, which nobody changes before the transaction's end.
    fn function(
        &mut self,
        cx: &mut StatementContext<'_>,
        name: &ast::ObjectName,
    ) -> SqlResult<Arc<Module>> {
        let policy = self.policy.head.qualified();
        let parts = name.schema.is_some() && name.database.is_none() && name.server.is_none();
        if !parts {
            return Err(SqlError::new(4512, &[&"security policy", &policy, name]).with_state(3));
        }
        let missing = || SqlError::new(33270, &[name]);
        let inline = |found: Option<(Arc<Database>, Object)>| match found {
            Some((of, Object::Function(f)))
                if of.id == self.database.id && f.head.kind == ObjectKind::InlineFunction =>
            {
                Ok(f)
            }
            _ => Err(missing()),
        };
        let found = inline(resolve::find(cx, name)?)?;
        let session = cx.session.id;
        let tx = cx.transaction(&self.database)?;
        self.database.catalog.lock_table(tx, session, found.head.id, LockMode::SchS)?;
        tx.keep_object(found.head.id);
        // The transaction that was waited for may have made another function of it.
        let function = inline(resolve::find(cx, name)?)?;
        match self.policy.schema_bound && !function.facts.schema_bound {
            true => Err(SqlError::new(4513, &[&"security policy", &policy, name])),
            false => Ok(function),
        }
    }

    /// 33264: another policy that is on has a predicate for the same operation.
    fn require_alone(&self, cx: &StatementContext<'_>) -> SqlResult<()> {
        let catalog = &self.database.catalog;
        for p in &self.policy.predicates {
            let Some(table) = catalog.table(p.table, cx.session.id) else { continue };
            let other = |o: &&Arc<SecurityPredicate>| {
                o.enabled && o.policy != p.policy && o.overlaps(p.table, p.block)
            };
            if let Some(other) = table.predicates.iter().find(other) {
                let policy = catalog.object(other.policy, cx.session.id);
                let policy = policy.map_or_else(String::new, |o| o.head().qualified());
                let (own, named) = (self.policy.head.qualified(), table.head.qualified());
                return Err(SqlError::new(33264, &[&own, &named, &named, &policy]));
            }
        }
        Ok(())
    }

    fn write(mut self, cx: &mut StatementContext<'_>) -> SqlResult<()> {
        let (enabled, schema_bound) = (self.policy.enabled, self.policy.schema_bound);
        for p in &mut self.policy.predicates {
            if (p.enabled, p.schema_bound) != (enabled, schema_bound) {
                *p = Arc::new(SecurityPredicate { enabled, schema_bound, ..(**p).clone() });
            }
        }
        if enabled {
            self.require_alone(cx)?;
        }
        let session = cx.session.id;
        let catalog = &self.database.catalog;
        let tx = cx.transaction(&self.database)?;
        for p in &self.gone {
            remove_predicate(tx, p)?;
        }
        rows::write_object(tx, &self.policy.head, 0)?;
        catalog.write_policy(tx, &self.policy)?;
        let mut touched = self.policy.tables();
        touched.extend(self.gone.iter().map(|p| p.table));
        touched.sort_unstable();
        touched.dedup();
        touched.push(self.policy.head.id);
        catalog.refresh(tx, session, &touched)
    }
}

/// Takes the predicates of a policy that is dropped, and locked, from their tables; gives these, to be read anew.
pub(super) fn remove(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    policy: &SecurityPolicy,
) -> SqlResult<Vec<ObjectId>> {
    let tables = policy.tables();
    for table in &tables {
        resolve::lock(cx, database, *table)?;
    }
    let tx = cx.transaction(database)?;
    policy.predicates.iter().try_for_each(|p| remove_predicate(tx, p))?;
    Ok(tables)
}
