//! CREATE SYNONYM. The base object is looked up where the synonym is used, and not before.

use super::{create, resolve};
use crate::catalog::{BaseName, ObjectKind, rows};
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
    rows::write_synonym(tx, head.id, &base_of(&s.target))?;
    catalog.refresh(tx, session, &[head.id])
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
