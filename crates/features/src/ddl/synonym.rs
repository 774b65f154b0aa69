//! CREATE SYNONYM. The base object is looked up where the synonym is used, and not before.

use super::{create, resolve};
use crate::catalog::{BaseName, ObjectKind, rows};
use crate::exec::ddl_events::DdlEvent;
use crate::session::context::StatementContext;
use taffrail_base::message::unsupported;
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_syntax::ast;

/// `CREATE SYNONYM name FOR object`: 166, 2714.
pub(crate) fn create(cx: &mut StatementContext<'_>, s: &ast::CreateSynonym) -> SqlResult<()> {
    if s.name.database.is_some() {
        return Err(SqlError::new(166, &[&"CREATE SYNONYM"]));
    }
    if s.name.name.value.starts_with('#') {
        return Err(unsupported("A temporary synonym"));
    }
    let target = resolve::target(cx, &s.name)?;
    resolve::require_free(cx, &target, 1)?;
    let (catalog, session) = (&target.database.catalog, cx.session.id);
    let schema = (target.schema.id, &target.schema.name);
    let head = create::head(catalog, ObjectKind::Synonym, schema, &target.name, ObjectId(0))?;
    resolve::lock(cx, &target.database, head.id)?;
    let tx = cx.transaction(&target.database)?;
    rows::write_object(tx, &head, 0)?;
    let base = base_of(&s.target);
    rows::write_synonym(tx, head.id, &base)?;
    catalog.refresh(tx, session, &[head.id])?;
    let part = |p: &Option<String>| p.clone().unwrap_or_default();
    let event = DdlEvent::of_object("CREATE", &target.database, &head);
    cx.note_event(event.map(|e| {
        let e = e.with("TargetServerName", &part(&base.server));
        let e = e.with("TargetDatabaseName", &part(&base.database));
        let e = e.with("TargetSchemaName", &part(&base.schema));
        e.with("TargetObjectName", &base.name)
    }));
    Ok(())
}

/// The parts of a base object's name that were written.
fn base_of(name: &ast::ObjectName) -> BaseName {
    let part =
        |p: &Option<ast::Ident>| p.as_ref().map(|p| p.value.to_string()).filter(|p| !p.is_empty());
    BaseName {
        server: part(&name.server),
        database: part(&name.database),
        schema: part(&name.schema),
        name: name.name.value.to_string(),
    }
}
