//! Types as declarations name them: the system's, and those of users.

use super::declared::large;
use super::resolve_type;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_catalog::database::Database;
use taffrail_catalog::{Meaning, SYSNAME_ID, Sight, UserType};
use taffrail_syntax::ast;
use taffrail_types::SqlType;
use taffrail_types::convert::{Declared, Large};
use taffrail_types::names::TypeUse;

/// The types of users that a declaration can name.
#[derive(Clone, Copy)]
pub struct TypesInSight<'a> {
    /// The database whose types these are.
    pub database: &'a Database,
    /// A module's schema: names without one are looked up there first.
    pub schema: Option<&'a str>,
    /// The session that looks.
    pub sight: Sight,
}

/// A type that a declaration has named.
#[derive(Clone, Debug)]
pub struct NamedType {
    /// The system type beneath; of a table type a type that no value has.
    pub declared: Declared,
    /// `user_type_id` of the alias or table type; 0 for a system type.
    pub user_type: i32,
    /// Whether a column that says nothing allows NULL, where the type decides.
    pub nullable: Option<bool>,
    /// The table type.
    pub table: Option<Arc<UserType>>,
}

impl NamedType {
    /// A system type.
    pub fn of(declared: Declared) -> NamedType {
        NamedType { declared, user_type: 0, nullable: None, table: None }
    }

    /// The type of a column, or of a value: 2715 of a table type, which neither can have.
    pub fn scalar(self, ty: &ast::DataType, ordinal: usize) -> SqlResult<NamedType> {
        match self.table {
            None => Ok(self),
            Some(_) => Err(SqlError::new(2715, &[&ordinal, &ty.name])),
        }
    }
}

impl TypesInSight<'_> {
    /// The type of a name, the `ordinal`th of its kind for messages: 2715, 2716 and what its arguments deserve.
    pub fn named(&self, ty: &ast::DataType, ordinal: usize) -> SqlResult<NamedType> {
        match resolve_type(ty, TypeUse::Declaration) {
            Ok(resolved) => {
                let sysname = ty.name.name.is("sysname") && ty.arguments.is_empty();
                let own = NamedType::of(Declared::new(resolved, large(ty)));
                Ok(match sysname {
                    true => NamedType { user_type: SYSNAME_ID, nullable: Some(false), ..own },
                    false => own,
                })
            }
            Err(e) if e.number == 2715 => self.of_users(ty, ordinal),
            Err(e) => Err(e),
        }
    }

    /// A type of users by its name: 2715, 2716.
    pub fn of_users(&self, ty: &ast::DataType, ordinal: usize) -> SqlResult<NamedType> {
        let missing = || SqlError::new(2715, &[&ordinal, &ty.name]);
        let found = self.find(&ty.name).ok_or_else(missing)?;
        if !ty.arguments.is_empty() {
            return Err(SqlError::new(2716, &[&ordinal, &ty.name]).with_state(3));
        }
        let user_type = found.id;
        Ok(match found.meaning {
            Meaning::Alias { base, nullable } => {
                NamedType { declared: base, user_type, nullable: Some(nullable), table: None }
            }
            Meaning::Table { .. } => NamedType {
                declared: Declared::new(SqlType::Int, Large::Plain),
                user_type,
                nullable: Some(false),
                table: Some(found),
            },
        })
    }

    /// The type of users that a name stands for.
    pub fn find(&self, name: &ast::ObjectName) -> Option<Arc<UserType>> {
        let elsewhere = name.database.as_ref().is_some_and(|d| !d.is(&self.database.name));
        if elsewhere || name.server.is_some() {
            return None;
        }
        let (catalog, bare) = (&self.database.catalog, &*name.name.value);
        match &name.schema {
            Some(schema) => catalog.find_type(Some(&schema.value), bare, self.sight),
            None => {
                let own = self.schema.and_then(|s| catalog.find_type(Some(s), bare, self.sight));
                own.or_else(|| catalog.find_type(None, bare, self.sight))
            }
        }
    }
}
