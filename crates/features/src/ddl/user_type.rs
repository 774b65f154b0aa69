//! CREATE TYPE and DROP TYPE: aliases of system types, and table types.

use super::clauses::types_of;
use super::draft::TableDraft;
use super::resolve::Target;
use super::{create, drop, events, resolve, run_text};
use crate::binder::declared::{is_absent_type, large};
use crate::binder::resolve_type;
use crate::catalog::rows;
use crate::catalog::{
    Column, Meaning, Object, ObjectHead, ObjectKind, Parameter, SYSNAME_ID, Schema, UserType, fold,
};
use crate::database::Database;
use crate::features::procedure::Arguments;
use crate::permissions::SecurableClass;
use crate::plan::names::bracketed;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{ObjectId, SchemaId, SqlError, SqlResult};
use taffrail_storage::lock::LockMode;
use taffrail_syntax::ast::{self, OptionValue, TypeKind};
use taffrail_syntax::{ParseOptions, types_of as types_in_text};
use taffrail_types::SqlType;
use taffrail_types::convert::{Declared, Large};
use taffrail_types::names::TypeUse;

/// The schema `sys`, to which the tables beside table types belong.
const SYS: SchemaId = SchemaId(4);

/// `CREATE TYPE`: 219 for a name that a type has, 222 and 15226 for a base that none can have.
pub(crate) fn create(
    cx: &mut StatementContext<'_>,
    s: &ast::CreateType,
    (text, span): (&str, ast::Span),
) -> SqlResult<()> {
    if s.name.database.is_some() {
        return Err(SqlError::new(166, &[&"CREATE TYPE"]));
    }
    let base = match &s.kind {
        TypeKind::Alias { base, nullable } => Some((base_of(base)?, nullable.unwrap_or(true))),
        TypeKind::External => return Err(unsupported("CREATE TYPE … EXTERNAL NAME")),
        TypeKind::Table(_, options) => {
            refuse_options(options)?;
            None
        }
    };
    let target = resolve::target(cx, &s.name)?;
    let (database, session) = (target.database.clone(), cx.session.id);
    let catalog = &database.catalog;
    let name = catalog.type_name_resource(target.schema.id, &target.name);
    catalog.lock(cx.transaction(&database)?, session, name, LockMode::X)?;
    let system = taffrail_types::names::resolve(&target.name, &[], TypeUse::Declaration).is_some();
    if system || catalog.type_in(target.schema.id, &target.name, session).is_some() {
        return Err(SqlError::new(219, &[&s.name]));
    }
    let meaning = match (base, &s.kind) {
        (Some((base, nullable)), _) => Meaning::Alias { base, nullable },
        (None, TypeKind::Table(body, _)) => table_beside(cx, &target, body, (text, span.of(text)))?,
        (None, _) => return Err(SqlError::new(5243, &[])),
    };
    let schema = (target.schema.id, &target.schema.name);
    let head = create::head(catalog, ObjectKind::Type, schema, &target.name, ObjectId(0))?;
    resolve::lock(cx, &database, head.id)?;
    let made = UserType { head, id: catalog.new_type_id(), meaning };
    let tx = cx.transaction(&database)?;
    rows::write_type(tx, &made)?;
    catalog.refresh(tx, session, &[made.head.id])?;
    events::of_object(cx, "CREATE", &database, &made.head);
    Ok(())
}

/// The base of an alias: a system type that is neither an alias itself nor made by the server: 222, 15226.
fn base_of(ty: &ast::DataType) -> SqlResult<Declared> {
    let refused = || SqlError::new(222, &[&ty.name.name.value]);
    let resolved = match resolve_type(ty, TypeUse::Declaration) {
        Ok(_) if ty.name.name.is("sysname") => return Err(refused()),
        Ok(SqlType::RowVersion) => return Err(refused()),
        Err(_) if is_absent_type(&ty.name) => return Err(refused()),
        Err(e) if matches!(e.number, 243 | 2715) => return Err(refused()),
        other => other?,
    };
    let declared = Declared::new(resolved, large(ty));
    match declared.large() {
        Large::Xml => Err(SqlError::new(15226, &[])),
        _ => Ok(declared),
    }
}

/// The one option of table types, MEMORY_OPTIMIZED, is taken as OFF.
fn refuse_options(options: &[ast::NamedOption]) -> SqlResult<()> {
    for option in options {
        let off = matches!(&option.value, Some(OptionValue::Word(w)) if w.is("OFF"));
        if !option.name.is("MEMORY_OPTIMIZED") || !off {
            let name = option.name.value.to_ascii_uppercase();
            return Err(unsupported(format_args!("CREATE TYPE … WITH {name}")));
        }
    }
    Ok(())
}

/// Makes the table beside a table type, in the schema sys. `text`: the batch, and the statement in it, which the catalogue keeps.
fn table_beside(
    cx: &mut StatementContext<'_>,
    target: &Target,
    body: &ast::TableBody,
    (text, statement): (&str, &str),
) -> SqlResult<Meaning> {
    let own = cx.session.database.collation();
    let mut draft = TableDraft::new(&target.name).collated(target.database.collation(), own);
    create::add_body(cx, &mut draft, body, (text, &target.database))?;
    let beside = Target {
        database: target.database.clone(),
        schema: Schema { id: SYS, name: "sys".into(), principal: 4 },
        name: target.name.clone(),
        temp: None,
    };
    let table = create::table_of(cx, &beside, draft, ObjectKind::TableType)?;
    Ok(Meaning::Table {
        table: table.id(),
        body: statement.into(),
        quoted_identifier: cx.session.activation.options.quoted_identifier,
    })
}

/// Holds the types of columns to the transaction's end, so that nobody drops one meanwhile: 2715 where one is gone.
pub(crate) fn hold(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    columns: &[Column],
) -> SqlResult<()> {
    hold_all(cx, database, columns.iter().map(|c| c.user_type))
}

/// The same for the parameters and the result of a module.
pub(super) fn hold_for_module<'p>(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    parameters: impl Iterator<Item = &'p Parameter>,
) -> SqlResult<()> {
    hold_all(cx, database, parameters.map(|p| p.user_type))
}

fn hold_all(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    ids: impl Iterator<Item = i32>,
) -> SqlResult<()> {
    let mut ids: Vec<i32> = ids.filter(|id| *id > SYSNAME_ID).collect();
    ids.sort_unstable();
    ids.dedup();
    for id in ids {
        let gone = || SqlError::new(2715, &[&1, &id]);
        let catalog = &database.catalog;
        let found = catalog.type_by_id(id, cx.session.sight_of_types()).ok_or_else(gone)?;
        let session = cx.session.id;
        let (tx, object) = (cx.transaction(database)?, found.head.id);
        catalog.lock(tx, session, catalog.object_resource(object), LockMode::SchS)?;
        tx.keep_object(object);
        catalog.type_by_id(id, cx.session.sight_of_types()).ok_or_else(gone)?;
        catalog.bind_to(session, &[object]);
    }
    Ok(())
}

/// `DROP TYPE`: 218 for what is none, 3732 for one that is used.
pub(crate) fn drop_types(cx: &mut StatementContext<'_>, s: &ast::Drop) -> SqlResult<()> {
    for name in &s.names {
        let missing = || SqlError::new(218, &[name]);
        let found = match resolve::database_of(cx, name) {
            Ok(database) => locked(cx, &database, name)?.map(|t| (database, t)),
            Err(e) if s.if_exists && drop::absent(&e) => None,
            Err(e) => return Err(e),
        };
        let Some((database, dropped)) = found else {
            if s.if_exists {
                continue;
            }
            return Err(missing());
        };
        if let Some(user) = user_of(cx, &database, &dropped) {
            return Err(SqlError::new(3732, &[name, &user]));
        }
        let session = cx.session.id;
        if let Meaning::Table { table, .. } = &dropped.meaning {
            resolve::lock(cx, &database, *table)?;
            let table = database.catalog.table(*table, session);
            let table = table.ok_or_else(|| SqlError::new(5243, &[]))?;
            drop::drop_table(cx, &database, &table, name)?;
        }
        super::grant::forget(cx, &database, SecurableClass::Type, dropped.id)?;
        let (tx, id) = (cx.transaction(&database)?, dropped.head.id);
        rows::remove_object(tx, id)?;
        database.catalog.refresh(tx, session, &[id])?;
        events::of_object(cx, "DROP", &database, &dropped.head);
    }
    Ok(())
}

/// The type of a name, locked for a change, with its name.
pub(super) fn locked(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    name: &ast::ObjectName,
) -> SqlResult<Option<Arc<UserType>>> {
    let Some(found) = types_of(cx.session, database).find(name) else { return Ok(None) };
    let (catalog, session) = (&database.catalog, cx.session.id);
    let ObjectHead { id, schema_id, name: own, .. } = &found.head;
    let resource = catalog.type_name_resource(*schema_id, own);
    catalog.lock(cx.transaction(database)?, session, resource, LockMode::X)?;
    resolve::lock(cx, database, *id)?;
    // Another session may have dropped it meanwhile.
    Ok(types_of(cx.session, database).find(name))
}

/// The name of the object of the lowest id that uses a type: by a column, a parameter, a result, or a variable in its text.
fn user_of(cx: &StatementContext<'_>, database: &Arc<Database>, of: &UserType) -> Option<Arc<str>> {
    let uses = |o: &Object| {
        let columns = o.columns().iter().any(|c| c.user_type == of.id);
        columns
            || o.as_module().is_some_and(|m| {
                let mut declared = m.parameters.iter().chain(&m.result);
                declared.any(|p| p.user_type == of.id) || names_it(m, of)
            })
    };
    let all = database.catalog.objects(cx.session.id);
    all.iter().find(|o| uses(o)).map(|o| o.head().name.clone())
}

/// Whether a variable in the text of a module is declared with the type.
fn names_it(module: &crate::catalog::Module, of: &UserType) -> bool {
    let options = ParseOptions { quoted_identifier: module.quoted_identifier };
    let (name, schema) = (fold(&of.head.name), fold(&of.head.schema));
    types_in_text(&module.definition, options).iter().any(|parts| {
        let (Some(last), before) = (parts.last(), parts.len().checked_sub(2)) else { return false };
        let within = before.map_or_else(|| "dbo".into(), |at| fold(&parts[at]));
        let own = before.is_none() && fold(&module.head.schema) == schema;
        fold(last) == name && (own || within == schema)
    })
}

/// `sp_rename` of a type, whose text goes on by the number: 15335 for a name that a type has. False where no type has the old name.
pub(crate) fn rename(
    cx: &mut StatementContext<'_>,
    old: &ast::ObjectName,
    new: &str,
) -> SqlResult<bool> {
    let database = resolve::database_of(cx, old)?;
    let Some(found) = locked(cx, &database, old)? else { return Ok(false) };
    let (catalog, session) = (&database.catalog, cx.session.id);
    let schema = found.head.schema_id;
    let resource = catalog.type_name_resource(schema, new);
    catalog.lock(cx.transaction(&database)?, session, resource, LockMode::X)?;
    if catalog.type_in(schema, new, session).is_some_and(|t| t.id != found.id) {
        return Err(SqlError::new(15335, &[&new, &"USERDATATYPE"]));
    }
    let mut head = found.head.clone();
    (head.name, head.modified) = (new.into(), catalog.now());
    let tx = cx.transaction(&database)?;
    rows::write_object(tx, &head, found.id)?;
    catalog.refresh(tx, session, &[head.id])?;
    Ok(true)
}

/// `sp_addtype @typename, @phystype [, @nulltype [, @owner]]`: an alias in dbo.
pub(super) fn add(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let needed = |at: usize, name: &str| {
        args.text(at).ok_or_else(|| SqlError::new(201, &[&"sp_addtype", &name]))
    };
    let (name, base) = (needed(0, "@typename")?, needed(1, "@phystype")?);
    let wrong = || SqlError::new(222, &[&base]);
    // A type and its length, and nothing else.
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '(' | ')' | ',' | '_');
    if !base.chars().all(plain) {
        return Err(wrong());
    }
    let default = match cx.session.activation.options.ansi_null_dflt_on {
        true => "NULL",
        false => "NOT NULL",
    };
    let nullable = match args.text(2).map(|t| t.to_ascii_uppercase()).as_deref() {
        None => default,
        Some("NULL") => "NULL",
        Some("NOT NULL" | "NONULL") => "NOT NULL",
        Some(other) => return Err(SqlError::new(102, &[&other])),
    };
    let owner = args.text(3).unwrap_or_else(|| "dbo".into());
    let name = format!("{}.{}", bracketed(&owner), bracketed(&name));
    run_text(cx, &format!("CREATE TYPE {name} FROM {base} {nullable}"), wrong).map(|()| 0)
}

/// `sp_droptype @typename`: a type of dbo.
pub(super) fn remove(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let name = args.text(0).ok_or_else(|| SqlError::new(201, &[&"sp_droptype", &"@typename"]))?;
    let text = format!("DROP TYPE [dbo].{}", bracketed(&name));
    run_text(cx, &text, || SqlError::new(218, &[&name])).map(|()| 0)
}
