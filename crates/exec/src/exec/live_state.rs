//! What built-in functions ask of what other sessions' commits change: rows, identity values, row versions, files.

use super::functions::{decimal, flag};
use crate::catalog::{Object, Table, rowversion};
use crate::database::Database;
use crate::exec::activation::MAX_NEST_LEVEL;
use crate::functions::LiveState;
use crate::functions::context::Property;
use crate::session::Session;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::Value;

impl LiveState for Session {
    fn last_rowversion(&self) -> Value {
        rowversion::shown(self.database.catalog.rowversions().last())
    }

    fn lowest_active_rowversion(&self) -> Value {
        rowversion::shown(self.database.catalog.rowversions().lowest_active())
    }

    fn identity_of(&self, table: &str) -> Option<[Value; 3]> {
        let table = self.identity_table(table)?;
        let i = table.identity.as_ref()?;
        let current = i.sequence.last().unwrap_or(i.seed);
        Some([decimal(current), decimal(i.seed), decimal(i.increment)])
    }

    fn property(&self, of: Property<'_>, name: &str) -> SqlResult<Value> {
        let name = name.to_ascii_lowercase();
        Ok(match of {
            Property::Server => self.server_property(&name),
            Property::Connection => self.connection_property(&name),
            Property::Filegroup(filegroup) => self.filegroup_property(filegroup, &name),
            Property::Session => match &*name {
                "ansi_nulls" => flag(self.activation.options.ansi_nulls),
                "ansi_padding" => flag(self.activation.options.ansi_padding),
                "ansi_warnings" => flag(self.activation.options.ansi_warnings),
                "arithabort" => flag(self.activation.options.arithabort),
                "concat_null_yields_null" => flag(self.activation.options.concat_null_yields_null),
                "numeric_roundabort" => flag(self.activation.options.numeric_roundabort),
                "quoted_identifier" => flag(self.activation.options.quoted_identifier),
                _ => Value::Null,
            },
            Property::Database(db) => return self.database_property(db, &name),
            Property::Object(id) => self.object_property(id, &name),
            Property::Column(id, column) => self.column_property(id, column, &name),
            Property::Index(id, index) => self.index_property(id, index, &name),
            Property::IndexKey(id, index, key) => {
                self.index_key_property(id, index, key, &name).unwrap_or(Value::Null)
            }
            Property::File(file) => self.file_property(file, &name),
        })
    }
}

impl Session {
    /// A table with an identity column; of a view that shows one, the table that it comes from.
    fn identity_table(&self, name: &str) -> Option<Arc<Table>> {
        let (database, object) = self.named_object(name)?;
        self.identity_table_of(&database, &object, 0)
    }

    /// Views name views `depth` deep.
    fn identity_table_of(
        &self,
        database: &Arc<Database>,
        object: &Object,
        depth: u32,
    ) -> Option<Arc<Table>> {
        let view = match object {
            Object::Table(t) => return t.identity.is_some().then(|| t.clone()),
            Object::View(view) if depth < MAX_NEST_LEVEL => view,
            _ => return None,
        };
        let shown = view.columns.iter().find(|c| c.is_identity)?;
        let named = super::references::of_module(self, database, object).ok()?.names;
        let tables = named.iter().filter_map(|r| {
            let database = match &r.name.database {
                Some(named) => self.instance.databases().get(&named.value).ok()?,
                None => database.clone(),
            };
            let named = r.name.schema.as_ref().map(|s| &*s.value);
            let schema = named.or(Some(&*view.head.schema));
            let object = database.catalog.find_named(schema, &r.name.name.value, self.id)?;
            self.identity_table_of(&database, &object, depth + 1)
        });
        let tables: Vec<Arc<Table>> = tables.collect();
        // Of several the one whose column has the name that the view shows.
        let same = |t: &&Arc<Table>| {
            let column = t.identity.as_ref().map(|i| &t.columns[i.column].name);
            column.is_some_and(|name| *name == shown.name)
        };
        tables.iter().find(same).or_else(|| tables.first()).cloned()
    }
}
