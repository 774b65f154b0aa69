//! Extended properties: names and values that users hang on objects, columns, indexes, schemas and the database.
//!
//! They are rows of sysinfo under the key `2, class, major, minor, n`: value as in a sql_variant, name. `class`, `major` and
//! `minor` are those of sys.extended_properties. They go with what they hang on. Nothing is planned by them, so there is no cache:
//! whoever lists them reads the rows as they are, without locks.

use super::systab::{self, SystemTables, bytes, text};
use super::{Catalog, fold};
use crate::rowcodec::{damaged, typecode};
use taffrail_base::SqlResult;
use taffrail_storage::{Durability, Transaction};
use taffrail_types::{SqlType, Value};

const PROPERTIES: i64 = 2;

/// The thing that an extended property describes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PropertyOwner {
    /// 0 the database, 1 an object or column, 3 a schema, 7 an index.
    pub class: u8,
    /// Id of the object or schema; 0 for the database.
    pub major: i32,
    /// Id of the column or index; else 0.
    pub minor: i32,
}

/// An extended property: a named value that describes a thing.
#[derive(Clone, Debug)]
pub struct ExtendedProperty {
    /// The thing that the property describes.
    pub owner: PropertyOwner,
    /// The name of the property.
    pub name: String,
    /// A sql_variant, or NULL.
    pub value: Value,
    n: i64,
}

fn read(key: &[i64], row: &[Value]) -> SqlResult<ExtendedProperty> {
    let &[_, class, major, minor, n] = key else { return Err(damaged("a property's key")) };
    let value = match bytes(row, 2)? {
        [] => Value::Null,
        some => {
            let (ty, value) = typecode::read_variant(some)?;
            Value::Variant(Box::new((ty, value)))
        }
    };
    let owner = PropertyOwner { class: class as u8, major: major as i32, minor: minor as i32 };
    Ok(ExtendedProperty { owner, name: text(row, 1)?, value, n })
}

fn of(tx: &mut Transaction, prefix: &[i64]) -> SqlResult<Vec<ExtendedProperty>> {
    let rows = systab::scan(tx, &SystemTables::INFO, prefix)?;
    rows.iter().map(|(key, row)| read(key, row)).collect()
}

fn prefix(owner: PropertyOwner) -> [i64; 4] {
    [PROPERTIES, owner.class.into(), owner.major.into(), owner.minor.into()]
}

/// The property of this name.
pub fn find(
    tx: &mut Transaction,
    owner: PropertyOwner,
    name: &str,
) -> SqlResult<Option<ExtendedProperty>> {
    Ok(of(tx, &prefix(owner))?.into_iter().find(|p| fold(&p.name) == fold(name)))
}

/// Writes a property, in place of `old`.
pub fn write(
    tx: &mut Transaction,
    owner: PropertyOwner,
    old: Option<&ExtendedProperty>,
    name: &str,
    value: Option<(SqlType, &Value)>,
) -> SqlResult<()> {
    let n = match old {
        Some(old) => old.n,
        None => of(tx, &prefix(owner))?.iter().map(|p| p.n).max().unwrap_or(0) + 1,
    };
    let value = match value {
        Some((ty, value)) if !value.is_null() => {
            let mut out = Vec::new();
            typecode::append_variant(&mut out, ty, value)?;
            Value::binary(&out)
        }
        _ => Value::Null,
    };
    let [a, b, c, d] = prefix(owner);
    let row = [Value::Null, Value::nvarchar(name), value];
    systab::put(tx, &SystemTables::INFO, &[a, b, c, d, n], &row)
}

/// Removes a property from its owner.
pub fn remove(tx: &mut Transaction, property: &ExtendedProperty) -> SqlResult<()> {
    let [a, b, c, d] = prefix(property.owner);
    systab::remove(tx, &SystemTables::INFO, &[a, b, c, d, property.n])
}

/// Removes what hangs on something that goes away; without `minor` also what hangs on its parts.
pub fn remove_all(
    tx: &mut Transaction,
    class: u8,
    major: i32,
    minor: Option<i32>,
) -> SqlResult<()> {
    let key = [PROPERTIES, class.into(), major.into(), minor.unwrap_or(0).into()];
    let length = if minor.is_some() { 4 } else { 3 };
    systab::remove_all(tx, &SystemTables::INFO, &key[..length])
}

impl Catalog {
    /// All of them, as they are now, committed or not.
    pub fn properties(&self) -> SqlResult<Vec<ExtendedProperty>> {
        let mut tx = super::system_transaction(&self.storage, "ReadProperties");
        let all = of(&mut tx, &[PROPERTIES]);
        tx.commit(Durability::Delayed).map_err(super::sql)?;
        all
    }
}
