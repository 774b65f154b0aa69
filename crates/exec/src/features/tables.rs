//! The tables that statements make and drop as they go, as a feature makes them.

use super::features;
use crate::catalog::Table;
use crate::database::Database;
use crate::session::Session;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlResult};
use taffrail_syntax::ast;
use taffrail_types::convert::Large;
use taffrail_types::{Collation, SqlType};

/// A column of a table that a statement makes as it goes: SELECT INTO, table variables.
#[derive(Clone, Debug)]
pub struct NewColumn {
    /// The column's name.
    pub name: String,
    /// The type of the column.
    pub ty: SqlType,
    /// The large type that it is declared as.
    pub large: Large,
    /// `user_type_id` of the alias that it is declared with; 0 for a system type.
    pub user_type: i32,
    /// NULL is allowed in the column.
    pub nullable: bool,
    /// The collation of a character type.
    pub collation: Collation,
    /// Seed and increment of IDENTITY.
    pub identity: Option<(i64, i64)>,
}

/// The feature that makes and drops such tables.
pub trait Tables: Sync {
    /// Creates the table of a SELECT INTO, `#temp` or not: 2714 when it exists, 1921 for a filegroup that does not.
    fn create_of_query(
        &self,
        cx: &mut StatementContext<'_>,
        name: &ast::ObjectName,
        filegroup: Option<&ast::Ident>,
        columns: &[NewColumn],
    ) -> SqlResult<(Arc<Database>, Arc<Table>)>;

    /// Creates the table behind a table variable in `database`, their home. It has no name that anybody could use.
    fn create_variable(
        &self,
        cx: &mut StatementContext<'_>,
        database: &Arc<Database>,
        variable: &str,
        body: &ast::TableBody,
        text: &str,
    ) -> SqlResult<ObjectId>;

    /// The table that a table variable of a module with this collation would be, for statements that are only looked at.
    fn unmade_variable(
        &self,
        session: &Session,
        own: Collation,
        variable: &str,
        body: &ast::TableBody,
        text: &str,
    ) -> SqlResult<Table>;

    /// Drops a temp table or table variable of the session.
    fn drop_own(
        &self,
        cx: &mut StatementContext<'_>,
        database: &Arc<Database>,
        id: ObjectId,
    ) -> SqlResult<()>;
}

/// Drops a temp table of the session.
pub(crate) fn drop_temp_table(cx: &mut StatementContext<'_>, id: ObjectId) -> SqlResult<()> {
    let database = cx.instance().databases().tempdb()?;
    tables().drop_own(cx, &database, id)
}

/// The maker of tables that a feature has registered.
pub fn tables() -> &'static dyn Tables {
    features().find_map(|f| f.tables).expect("a feature makes tables")
}
