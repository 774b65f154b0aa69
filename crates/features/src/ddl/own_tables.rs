//! Tables that statements make and drop as they go: SELECT INTO, table variables, `#temp` tables.

use super::clauses::{Body, types_of};
use super::draft::TableDraft;
use super::resolve::Target;
use super::{create, drop, resolve};
use crate::catalog::{Object, SYSNAME_ID, Table};
use crate::database::Database;
use crate::exec::metadata::SessionMetadata;
use crate::features::tables::{NewColumn, Tables};
use crate::session::Session;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_syntax::ast;
use taffrail_types::Collation;

/// Takes types of users from columns of a table whose database has other types.
fn forget_types(draft: &mut TableDraft) {
    let own = draft.columns.iter_mut().filter(|c| c.user_type > SYSNAME_ID);
    own.for_each(|c| c.user_type = 0);
}

pub(super) struct OwnTables;

impl Tables for OwnTables {
    fn create_of_query(
        &self,
        cx: &mut StatementContext<'_>,
        name: &ast::ObjectName,
        filegroup: Option<&ast::Ident>,
        columns: &[NewColumn],
    ) -> SqlResult<(Arc<Database>, Arc<Table>)> {
        let on = filegroup.map(|name| ast::Placement { name: name.clone(), column: None });
        super::clauses::check_placement(on.as_ref())?;
        let target = resolve::target(cx, name)?;
        resolve::require_free(cx, &target, 6)?;
        let mut draft = TableDraft::of_columns(
            &name.name.value,
            columns,
            !cx.session.activation.options.ansi_padding,
        )?;
        if target.database.id != cx.session.database.id {
            forget_types(&mut draft);
        }
        let table = create::table(cx, &target, draft)?;
        Ok((target.database, table))
    }

    fn create_variable(
        &self,
        cx: &mut StatementContext<'_>,
        database: &Arc<Database>,
        variable: &str,
        body: &ast::TableBody,
        text: &str,
    ) -> SqlResult<ObjectId> {
        let own = cx.session.database.collation();
        let mut draft = TableDraft::new(variable).collated(own, own);
        let types = cx.database();
        create::add_body(cx, &mut draft, body, (text, &types))?;
        forget_types(&mut draft);
        let schema = database
            .catalog
            .schema("dbo", cx.session.id)
            .ok_or_else(|| SqlError::new(2760, &[&"dbo"]))?;
        let name = resolve::temp_name(&format!("#{variable}"));
        let target = Target { database: database.clone(), schema, name, temp: None };
        Ok(create::table(cx, &target, draft)?.head.id)
    }

    fn unmade_variable(
        &self,
        session: &Session,
        own: Collation,
        variable: &str,
        body: &ast::TableBody,
        text: &str,
    ) -> SqlResult<Table> {
        let mut draft = TableDraft::new(variable).collated(own, own);
        let home = session.home_of_table_variables()?;
        let names = SessionMetadata::new(session, &home, &[]).defining();
        let types = types_of(session, &session.database);
        let within = Body { text, database: &home, types, names: &names };
        draft.add_body(body, &within, session.activation.options.ansi_null_dflt_on)?;
        names.denied()?;
        Ok(Table::unmade(&home, variable, draft.columns, draft.identity))
    }

    fn drop_own(
        &self,
        cx: &mut StatementContext<'_>,
        database: &Arc<Database>,
        id: ObjectId,
    ) -> SqlResult<()> {
        resolve::lock(cx, database, id)?;
        match database.catalog.object(id, cx.session.id) {
            Some(Object::Table(table)) => drop::drop_table(cx, database, &table, &table.name()),
            Some(Object::Procedure(_)) => {
                crate::catalog::rows::remove_object(cx.transaction(database)?, id)?;
                let session = cx.session.id;
                database.catalog.refresh(cx.transaction(database)?, session, &[id])?;
                cx.session.remove_temp_table(id);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}
