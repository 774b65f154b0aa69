//! Types that users have made: aliases of system types, and table types.
//!
//! A type is an object with a name in a space of its own: a table and a type may bear one name. Its `object_id` is nobody's but the
//! cache's and the locks'; users know a type by its `user_type_id`. A table type has an empty table beside it, of the kind
//! [`ObjectKind::TableType`], whose columns, constraints and indexes the views show; variables of the type are made of the text.

use super::object::{Object, ObjectHead, ObjectKind};
use super::{Catalog, DBO, Sight};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use taffrail_base::{ObjectId, SchemaId, SessionId};
use taffrail_types::convert::{Declared, Large};

/// `user_type_id` of sysname, an alias that every database has.
pub const SYSNAME_ID: i32 = 256;

/// A type that users have made.
#[derive(Debug)]
pub struct UserType {
    /// The type's name and schema; the id is that of its locks.
    pub head: ObjectHead,
    /// The number `user_type_id`, 257 or more.
    pub id: i32,
    /// The base of an alias, or the text of a table type.
    pub meaning: Meaning,
}

/// The two kinds of types that users make.
#[derive(Debug)]
pub enum Meaning {
    /// `CREATE TYPE … FROM`.
    Alias {
        /// The system type, with its length, precision and scale.
        base: Declared,
        /// Whether a column that says nothing allows NULL.
        nullable: bool,
    },
    /// `CREATE TYPE … AS TABLE`.
    Table {
        /// The table with the columns, `type_table_object_id`.
        table: ObjectId,
        /// The columns and constraints in parentheses, as they were written.
        body: Arc<str>,
        /// QUOTED_IDENTIFIER when it was created.
        quoted_identifier: bool,
    },
}

impl UserType {
    /// Whether it is a table type.
    pub fn is_table(&self) -> bool {
        matches!(self.meaning, Meaning::Table { .. })
    }

    /// The base of an alias; a table type has none.
    pub fn base(&self) -> Option<(Declared, bool)> {
        match self.meaning {
            Meaning::Alias { base, nullable } => Some((base, nullable)),
            Meaning::Table { .. } => None,
        }
    }
}

impl Meaning {
    /// Which of the large types an alias stands for.
    pub fn large(&self) -> Large {
        match self {
            Meaning::Alias { base, .. } => base.large(),
            Meaning::Table { .. } => Large::Plain,
        }
    }
}

/// The numbers that the types of a database need.
pub(super) struct TypeNumbers {
    /// The `user_type_id` of the next type.
    next: AtomicI32,
    /// Grows with every change of a type, pending or committed: modules that were compiled with it are compiled anew.
    version: AtomicU64,
}

impl TypeNumbers {
    pub fn new(version: u64) -> TypeNumbers {
        TypeNumbers { next: AtomicI32::new(SYSNAME_ID + 1), version: AtomicU64::new(version) }
    }

    /// Takes note of an object that is there when the database is opened.
    pub fn known(&self, object: &Object) {
        if let Object::Type(t) = object {
            self.next.fetch_max(t.id.saturating_add(1), Ordering::Relaxed);
        }
    }

    /// A type has become another one.
    pub fn changed(&self) {
        self.version.fetch_add(1, Ordering::AcqRel);
    }
}

/// The part of a name's key that tells names of types, and of triggers of either scope, from those of other objects.
pub(super) fn space_of(kind: ObjectKind) -> i32 {
    match kind {
        ObjectKind::Type => i32::MIN,
        ObjectKind::DatabaseTrigger => 1 << 30,
        ObjectKind::ServerTrigger => 1 << 29,
        _ => 0,
    }
}

impl Catalog {
    /// A type by name; without a schema `dbo`.
    pub fn find_type(
        &self,
        schema: Option<&str>,
        name: &str,
        sight: impl Into<Sight>,
    ) -> Option<Arc<UserType>> {
        let sight = sight.into();
        let schema = match schema {
            None | Some("") => DBO,
            Some(schema) => self.schema(schema, sight)?.id,
        };
        self.type_in(schema, name, sight)
    }

    /// A type by name in a schema.
    pub fn type_in(
        &self,
        schema: SchemaId,
        name: &str,
        sight: impl Into<Sight>,
    ) -> Option<Arc<UserType>> {
        let mut key = super::rows::name_key(schema, name);
        key.0 ^= space_of(ObjectKind::Type);
        match self.state.read().find(&key, sight.into()) {
            Some(Object::Type(t)) => Some(t.clone()),
            _ => None,
        }
    }

    /// A type by its `user_type_id`.
    pub fn type_by_id(&self, id: i32, sight: impl Into<Sight>) -> Option<Arc<UserType>> {
        if id <= SYSNAME_ID {
            return None;
        }
        self.types(sight).into_iter().find(|t| t.id == id)
    }

    /// All types that users have made, by `user_type_id`.
    pub fn types(&self, sight: impl Into<Sight>) -> Vec<Arc<UserType>> {
        let mut all = self.state.read().types(sight.into());
        all.sort_unstable_by_key(|t| t.id);
        all
    }

    /// A `user_type_id` for a new type.
    pub fn new_type_id(&self) -> i32 {
        self.type_numbers.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Differs whenever the types that the session sees may have become others.
    pub fn types_version(&self, session: SessionId) -> u64 {
        match self.has_pending(session) {
            true => self.version(session),
            false => self.type_numbers.version.load(Ordering::Acquire),
        }
    }

    /// The lock of a type's name, held while the name comes or goes.
    pub fn type_name_resource(
        &self,
        schema: SchemaId,
        name: &str,
    ) -> taffrail_storage::lock::Resource {
        let mut key = super::rows::name_key(schema, name);
        key.0 ^= space_of(ObjectKind::Type);
        self.key_resource(&key)
    }
}
