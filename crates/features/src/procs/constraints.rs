//! The constraints of a table: sp_helpconstraint, and the end of sp_help.

use super::Arguments;
use super::help::{key_text, object};
use crate::catalog::{Action, IndexKind, Object, Table};
use crate::results::send;
use crate::row;
use crate::session::context::StatementContext;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{Collation, MaxLen, SqlType, Value};

const NONE: &str = "(n/a)";

/// `sp_helpconstraint`.
pub(super) fn helpconstraint(
    cx: &mut StatementContext<'_>,
    args: &Arguments<'_>,
) -> SqlResult<i32> {
    let name = args.named(0);
    let Object::Table(table) = object(cx, &name)? else {
        return Err(SqlError::new(15009, &[&name, &cx.database().name]));
    };
    if !args.text(1).is_some_and(|t| t.eq_ignore_ascii_case("nomsg")) {
        let columns = [("Object Name", SqlType::NVarChar(MaxLen::N(776)), true)];
        send(cx, &columns, vec![row![&*name]])?;
    }
    send_constraints(cx, &table, &name)?;
    Ok(0)
}

/// What sp_helpconstraint calls an action.
fn shown(action: Action) -> &'static str {
    match action {
        Action::NoAction => "No Action",
        Action::Cascade => "Cascade",
        Action::SetNull => "Set Null",
        Action::SetDefault => "Set Default",
    }
}

/// The constraints by name, and the foreign keys that refer to the table.
pub(super) fn send_constraints(
    cx: &mut StatementContext<'_>,
    table: &Table,
    asked: &str,
) -> SqlResult<()> {
    let mut list: Vec<(&str, Vec<Value>)> = Vec::new();
    for c in &table.checks {
        let column = table.columns.iter().find(|x| x.id == c.column_id);
        let kind = match column {
            Some(column) => format!("CHECK on column {}", column.name),
            None => "CHECK Table Level ".into(),
        };
        let enabled = if c.disabled { "Disabled" } else { "Enabled" };
        let cells = row![kind, &c.name, NONE, NONE, enabled, "Is_For_Replication", &c.definition];
        list.push((&c.name, cells));
    }
    for c in &table.columns {
        let Some(d) = &c.default else { continue };
        let kind = format!("DEFAULT on column {}", c.name);
        list.push((&d.name, row![kind, &d.name, NONE, NONE, NONE, NONE, &d.definition]));
    }
    for i in table.defined().filter(|i| i.primary_key || i.unique_constraint) {
        let kind = format!(
            "{} ({})",
            if i.primary_key { "PRIMARY KEY" } else { "UNIQUE" },
            if i.kind == IndexKind::Clustered { "clustered" } else { "non-clustered" }
        );
        let keys = key_text(table, i);
        list.push((&i.name, row![kind, &i.name, NONE, NONE, NONE, NONE, keys]));
    }
    let (database, session) = (cx.database(), cx.session.id);
    let catalog = &database.catalog;
    let keys = catalog.foreign_keys_of(table.head.id, session)?;
    for k in &keys {
        let Some(parent) = catalog.table(k.referenced, session) else { continue };
        let columns = k.positions(table, &parent)?;
        let names = |t: &Table, at: &dyn Fn(&(usize, usize)) -> usize| -> String {
            let all: Vec<&str> = columns.iter().map(|c| &*t.columns[at(c)].name).collect();
            all.join(", ")
        };
        let enabled = if k.disabled { "Disabled" } else { "Enabled" };
        let (delete, update) = (shown(k.on_delete), shown(k.on_update));
        let own = names(table, &|c| c.0);
        let replication = "Is_For_Replication";
        let cells = row!["FOREIGN KEY", &k.name, delete, update, enabled, replication, own];
        list.push((&k.name, cells));
        let there = names(&parent, &|c| c.1);
        let there = format!("REFERENCES {}.{} ({there})", database.name, parent.head.qualified());
        list.push((&k.name, row![" ", " ", " ", " ", " ", " ", there]));
    }
    if list.is_empty() {
        cx.message(SqlError::new(15469, &[&asked]))?;
    } else {
        let collation = Collation::default();
        list.sort_by_cached_key(|(name, _)| collation.fold_str(name));
        let rows = list.into_iter().map(|(_, cells)| cells).collect();
        let columns = [
            ("constraint_type", SqlType::NVarChar(MaxLen::N(146)), true),
            ("constraint_name", SqlType::NVarChar(MaxLen::N(128)), true),
            ("delete_action", SqlType::NVarChar(MaxLen::N(9)), true),
            ("update_action", SqlType::NVarChar(MaxLen::N(9)), true),
            ("status_enabled", SqlType::VarChar(MaxLen::N(8)), true),
            ("status_for_replication", SqlType::VarChar(MaxLen::N(19)), true),
            ("constraint_keys", SqlType::NVarChar(MaxLen::N(2126)), true),
        ];
        send(cx, &columns, rows)?;
    }
    let mut rows = Vec::new();
    for k in catalog.references_to(table.head.id, session)? {
        let Some(child) = catalog.table(k.table, session) else { continue };
        let text = format!("{}.{}: {}", database.name, child.head.qualified(), k.name);
        rows.push(row![text]);
    }
    if rows.is_empty() {
        return cx.message(SqlError::new(15470, &[&asked]));
    }
    let name = "Table is referenced by foreign key";
    send(cx, &[(name, SqlType::NVarChar(MaxLen::N(516)), true)], rows)
}
