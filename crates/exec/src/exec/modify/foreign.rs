//! Foreign keys while rows change.
//!
//! A statement notes the keys that its rows refer to and the keys that go with its rows, each once; they are looked at when
//! all its rows are changed, so that rows of one statement may refer to each other. Then
//!
//! * a key that a new row refers to is sought in the referenced index: 547 if it is not there;
//! * for the keys that are gone the rows that refer to them are deleted or changed (CASCADE, SET NULL, SET DEFAULT), by one
//!   statement of their own with its own foreign keys: rows follow the row that had their key, whoever has it now;
//! * or it is 547 if there is such a row, and no other row has the key now (NO ACTION).
//!
//! Who looks, looks under S locks of the moment, whatever the isolation level. Nothing slips through between two
//! transactions: who refers has X on the new row before it looks for the key, who deletes has X on the key before it looks for
//! rows that refer to it; so one of them finds the other's lock, and waits.

use crate::binder::{Variable, Variables};
use crate::catalog::{Action, Table};
use crate::database::Database;
use crate::exec::compile;
use crate::exec::interpret::source_of;
use crate::exec::module::{Module, Plan};
use crate::exec::ops::{self, scan::lock_tables};
use crate::exec::planning::{self, Source};
use crate::exec::runtime::Rt;
use crate::plan::foreign::{Incoming, Outgoing};
use crate::plan::locking::Isolation;
use crate::plan::names::bracketed;
use crate::plan::statement::Statement;
use crate::session::context::StatementContext;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::{ScanLocks, btree};
use taffrail_types::convert::Declared;
use taffrail_types::{SqlType, Value};

/// What went with a key: its values, and those that it has now (UPDATE).
type Gone = (Vec<Value>, Option<Vec<Value>>);

/// Keys that are gone.
type Keys<'k> = Vec<(&'k Vec<u8>, &'k Gone)>;

/// What a statement has noted.
pub(crate) struct ForeignWork<'a> {
    outgoing: &'a [Outgoing],
    incoming: &'a [Incoming],
    wanted: Vec<BTreeSet<Vec<u8>>>,
    gone: Vec<BTreeMap<Vec<u8>, Gone>>,
    /// A key of the row that is looked at, and the row of the other table that would have it.
    key: Vec<u8>,
    there: Vec<Value>,
}

impl<'a> ForeignWork<'a> {
    /// Nothing noted yet.
    pub fn new(outgoing: &'a [Outgoing], incoming: &'a [Incoming]) -> ForeignWork<'a> {
        ForeignWork {
            outgoing,
            incoming,
            wanted: outgoing.iter().map(|_| BTreeSet::new()).collect(),
            gone: incoming.iter().map(|_| BTreeMap::new()).collect(),
            key: Vec::new(),
            there: Vec::new(),
        }
    }

    /// Rows need not be [shown](Self::changed).
    pub fn is_idle(&self) -> bool {
        self.outgoing.is_empty() && self.incoming.is_empty()
    }

    /// A row that is there now (`new`), that is there no more (`old`), or that was another before.
    pub fn changed(&mut self, old: Option<&[Value]>, new: Option<&[Value]>) {
        if let Some(new) = new {
            self.came(new);
        }
        if let Some(old) = old {
            self.went(old, new);
        }
    }

    fn came(&mut self, row: &[Value]) {
        for (o, wanted) in self.outgoing.iter().zip(&mut self.wanted) {
            if o.columns.iter().any(|(own, _)| row[*own].is_null()) {
                continue;
            }
            self.there.clear();
            self.there.resize(o.parent.columns.len(), Value::Null);
            for (own, other) in &o.columns {
                self.there[*other] = row[*own].clone();
            }
            self.key.clear();
            o.index.key.append_row(&self.there, &mut self.key);
            // Most rows refer to what others have referred to.
            if !wanted.contains(&self.key) {
                wanted.insert(self.key.clone());
            }
        }
    }

    fn went(&mut self, old: &[Value], new: Option<&[Value]>) {
        for (i, gone) in self.incoming.iter().zip(&mut self.gone) {
            let mut key = Vec::new();
            i.index.key.append_row(old, &mut key);
            if let Some(new) = new {
                self.key.clear();
                i.index.key.append_row(new, &mut self.key);
                // 'a' is 'A' in a key, but what refers to it is to read the same.
                let follows = i.key.on_update == Action::Cascade;
                let same = |(_, c): &(usize, usize)| old[*c] == new[*c];
                if self.key == key && (!follows || i.columns.iter().all(same)) {
                    continue;
                }
            }
            let values =
                |row: &[Value]| i.columns.iter().map(|(_, here)| row[*here].clone()).collect();
            let old: Vec<Value> = values(old);
            if old.iter().all(|v| !v.is_null()) {
                gone.insert(key, (old, new.map(values)));
            }
        }
    }

    /// After the last row of a statement (`verb`, for messages).
    pub fn finish(
        self,
        cx: &mut StatementContext<'_>,
        database: &Arc<Database>,
        verb: &str,
    ) -> SqlResult<()> {
        for (o, wanted) in self.outgoing.iter().zip(&self.wanted) {
            for key in wanted {
                let hobt = o.index.hobt()?;
                if has_key(cx, database, hobt, key)? {
                    cx.session.refuse_conflict(database, &o.parent, hobt, key)?;
                } else {
                    let table = o.parent.head.qualified();
                    let columns = o.columns.iter().map(|c| &*o.parent.columns[c.1].name);
                    let same = o.key.table == o.key.referenced;
                    let kind = if same { "FOREIGN KEY SAME TABLE" } else { "FOREIGN KEY" };
                    return Err(conflict(verb, kind, &o.key.name, database, &table, columns));
                }
            }
        }
        // What goes along goes first: a key may be held by rows that go with it.
        for checks in [false, true] {
            for (i, gone) in self.incoming.iter().zip(&self.gone) {
                let (deleted, updated): (Keys, Keys) =
                    gone.iter().partition(|(_, g)| g.1.is_none());
                for (keys, action) in [(deleted, i.key.on_delete), (updated, i.key.on_update)] {
                    if !keys.is_empty() && (action == Action::NoAction) == checks {
                        follow(cx, database, i, &keys, action, verb)?;
                    }
                }
            }
        }
        Ok(())
    }
}

fn has_key(
    cx: &mut StatementContext<'_>,
    database: &Database,
    hobt: &taffrail_storage::Hobt,
    key: &[u8],
) -> SqlResult<bool> {
    let mut row = Vec::new();
    let tx = cx.session.part(database.id);
    let found = btree::get(tx, hobt, key, ScanLocks::ReadCommitted, &mut row);
    found.map_err(|e| cx.session.storage_error(e))
}

/// 547.
pub fn conflict<'n>(
    verb: &str,
    kind: &str,
    name: &str,
    database: &Database,
    table: &str,
    mut columns: impl Iterator<Item = &'n str>,
) -> Box<SqlError> {
    let at = match (columns.next(), columns.next()) {
        (Some(one), None) => format!(", column '{one}'"),
        _ => String::new(),
    };
    SqlError::new(547, &[&verb, &kind, &name, &database.name, &table, &at]).with_state(0)
}

/// A table's full name in brackets.
pub fn bracketed_name(database: &Database, table: &Table) -> String {
    let parts = [&*database.name, &*table.head.schema, &*table.head.name];
    parts.map(bracketed).join(".")
}

fn follow(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    i: &Incoming,
    gone: &Keys<'_>,
    action: Action,
    verb: &str,
) -> SqlResult<()> {
    let name = bracketed_name(database, &i.child);
    let columns: Vec<String> =
        i.columns.iter().map(|(there, _)| bracketed(&i.child.columns[*there].name)).collect();
    let each = |f: &dyn Fn(usize, &str) -> String, between: &str| -> String {
        let list: Vec<String> = columns.iter().enumerate().map(|(n, c)| f(n, c)).collect();
        list.join(between)
    };
    let filter = each(&|n, c| format!("{c} = @o{n}"), " AND ");
    // Under SNAPSHOT, too, the rows that refer to a key are those that do now.
    let under_snapshot = cx.session.activation.options.isolation == Isolation::Snapshot;
    let as_now = if under_snapshot { " WITH (READCOMMITTEDLOCK)" } else { "" };
    let deleting = gone.iter().all(|(_, g)| g.1.is_none());
    let text = match action {
        Action::NoAction => {
            format!("SELECT TOP (1) 1 FROM {name} WITH (READCOMMITTEDLOCK) WHERE {filter}")
        }
        Action::Cascade if deleting => format!("DELETE FROM {name}{as_now} WHERE {filter}"),
        Action::Cascade => {
            let set = each(&|n, c| format!("{c} = @n{n}"), ", ");
            format!("UPDATE {name}{as_now} SET {set} WHERE {filter}")
        }
        Action::SetNull => {
            let set = each(&|_, c| format!("{c} = NULL"), ", ");
            format!("UPDATE {name}{as_now} SET {set} WHERE {filter}")
        }
        Action::SetDefault => {
            let set = each(&|_, c| format!("{c} = DEFAULT"), ", ");
            format!("UPDATE {name}{as_now} SET {set} WHERE {filter}")
        }
    };
    let mut variables: Vec<(String, SqlType)> = Vec::new();
    for prefix in ["@o", "@n"] {
        for (n, (there, _)) in i.columns.iter().enumerate() {
            variables.push((format!("{prefix}{n}"), i.child.columns[*there].ty));
        }
    }
    let values = |old: &[Value], new: &Option<Vec<Value>>| {
        let mut values = old.to_vec();
        values.extend_from_slice(new.as_deref().unwrap_or_default());
        values
    };
    if action != Action::NoAction {
        // One statement for all keys, so that keys may pass from row to row.
        let all = gone.iter().map(|(_, (old, new))| values(old, new)).collect();
        return Ready::new(cx, database, &text, &variables)?.follow(cx, all);
    }
    let mut ready: Option<Ready> = None;
    for (key, (old, new)) in gone {
        cx.session.check_cancel()?;
        // Another row has the key now.
        if has_key(cx, database, i.index.hobt()?, key)? {
            continue;
        }
        let ready = match &mut ready {
            Some(ready) => ready,
            none => none.insert(Ready::new(cx, database, &text, &variables)?),
        };
        if ready.has_row(cx, values(old, new))? {
            let table = i.child.head.qualified();
            let columns = i.columns.iter().map(|c| &*i.child.columns[c.0].name);
            let same = i.key.table == i.key.referenced;
            let kind = if same { "SAME TABLE REFERENCE" } else { "REFERENCE" };
            return Err(conflict(verb, kind, &i.key.name, database, &table, columns));
        }
    }
    Ok(())
}

/// A statement of the server's own, planned, its tables locked.
pub struct Ready {
    module: Module,
    /// The plan of the statement.
    pub plan: Plan,
}

impl Ready {
    /// One SELECT, UPDATE or DELETE with these variables.
    pub fn new(
        cx: &mut StatementContext<'_>,
        database: &Arc<Database>,
        text: &str,
        variables: &[(String, SqlType)],
    ) -> SqlResult<Ready> {
        let plain = |(name, ty): &(String, SqlType)| (name.clone(), Declared::from(*ty));
        let variables: Vec<_> = variables.iter().map(plain).collect();
        Ready::declared(cx, database, text, &variables)
    }

    /// [`Ready::new`], whose variables may be of the large types.
    pub fn declared(
        cx: &mut StatementContext<'_>,
        database: &Arc<Database>,
        text: &str,
        variables: &[(String, Declared)],
    ) -> SqlResult<Ready> {
        let one = |(name, declared): &(String, Declared)| Variable {
            name: name.clone(),
            ty: Some(declared.ty),
            large: declared.large(),
            user_type: 0,
            readonly: false,
            cursor: false,
        };
        let variables = Variables { list: variables.iter().map(one).collect() };
        let module = compile::with_variables(cx.session, database, &text.into(), variables);
        let module = module.map_err(|mut e| Box::new(e.remove(0)))?;
        loop {
            let plan = cx.settled(|cx| {
                let statement = module.statements.first();
                let source = statement.and_then(source_of);
                let source = source.ok_or_else(|| SqlError::new(102, &[&text]))?;
                plan_of(cx, database, &module, &source)
            })?;
            lock_tables(cx.session, &plan.uses)?;
            if plan.is_current(cx.session) {
                return Ok(Ready { module, plan });
            }
            cx.session.check_cancel()?;
        }
    }

    /// Whether its SELECT has a row.
    pub fn has_row(
        &self,
        cx: &mut StatementContext<'_>,
        mut values: Vec<Value>,
    ) -> SqlResult<bool> {
        let mut rt = self.runtime(cx, &mut values);
        let found = match &self.plan.kind {
            Statement::Select(q, _) => {
                let mut op = ops::build(&q.plan.node);
                op.open(&mut rt).and_then(|()| op.next(&mut rt))
            }
            _ => Err(SqlError::new(102, &[&""])),
        };
        drop(rt);
        // The function of a policy reads other tables than the statement that asks it.
        found.map_err(|e| cx.session.cover(e, self.plan.tables()))
    }

    /// Runs its INSERT or MERGE.
    pub(crate) fn run(&self, cx: &mut StatementContext<'_>) -> SqlResult<()> {
        let mut vars = Vec::new();
        let mut rt = self.runtime(cx, &mut vars);
        let ran = match &self.plan.kind {
            Statement::Insert(i) => super::insert::run(&mut rt, i).map(drop),
            Statement::Merge(m) => super::merge::run(&mut rt, m).map(drop),
            _ => Err(SqlError::new(102, &[&""])),
        };
        drop(rt);
        ran.map_err(|e| cx.session.cover(e, self.plan.tables()))
    }

    /// Runs its UPDATE or DELETE over the rows that it finds with each of these values. SET ROWCOUNT does not end it.
    fn follow(&self, cx: &mut StatementContext<'_>, all: Vec<Vec<Value>>) -> SqlResult<()> {
        let mut vars = Vec::new();
        let mut rt = self.runtime(cx, &mut vars);
        rt.claims = rt.cx.session.changes_by_snapshot();
        let followed = match &self.plan.kind {
            Statement::Update(u) => super::update::follow(&mut rt, u, all),
            Statement::Delete(d) => super::delete::follow(&mut rt, d, all),
            _ => Err(SqlError::new(102, &[&""])),
        };
        drop(rt);
        // The statement that it follows names other tables.
        followed.map_err(|e| cx.session.cover(e, self.plan.tables()))
    }

    fn runtime<'r>(&'r self, cx: &'r mut StatementContext<'_>, vars: &'r mut Vec<Value>) -> Rt<'r> {
        vars.resize(self.module.variables.list.len(), Value::Null);
        let inner =
            StatementContext { session: &mut *cx.session, sink: &mut *cx.sink, line: cx.line };
        Rt::new(inner, vars, Vec::new(), self.plan.columns.len(), &self.plan.subqueries)
    }
}

fn plan_of(
    cx: &StatementContext<'_>,
    database: &Arc<Database>,
    module: &Module,
    source: &Source<'_>,
) -> SqlResult<Plan> {
    let visible = module.variables.list.len() as u32;
    let place = planning::Place {
        home: database,
        module,
        visible,
        tables: &[],
        early: false,
        unguarded: true,
    };
    planning::plan(cx.session, &place, source)
}
