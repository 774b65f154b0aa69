//! Functions on the catalogue: names, ids, properties.

use super::system::database_arg;
use super::typing::{any_null, int, signature, string};
use super::{Call, Function, LiveCall, Property};
use taffrail_base::SqlResult;
use taffrail_types::names::SYS_TYPES;
use taffrail_types::type_facts::Types;
use taffrail_types::{MaxLen, SqlType, Value};

const INT: SqlType = SqlType::Int;
const NAME: SqlType = SqlType::SYSNAME;
/// A name of up to four parts.
const LONG_NAME: SqlType = SqlType::NVarChar(MaxLen::N(776));

#[rustfmt::skip]
pub(crate) static FUNCTIONS: &[Function] = &[
    Function::new("DB_ID", 0, 1, |r| r.fixed(&[NAME], SqlType::SmallInt), db_id).per_statement(),
    Function::new("DB_NAME", 0, 1, |r| r.fixed(&[INT], NAME), db_name).per_statement(),
    Function::new("HAS_DBACCESS", 1, 1, |r| r.fixed(&[NAME], INT),
        |c, a| Ok(flag(a[0].as_text().and_then(|n| c.context.has_database_access(&n))))).per_statement(),
    Function::new("OBJECT_ID", 1, 2, |r| r.fixed(&[LONG_NAME, NAME], INT), object_id).per_statement(),
    Function::new("OBJECT_NAME", 1, 2, |r| r.fixed(&[INT, INT], NAME),
        |c, a| Ok(c.optional_text(a[0].as_i64().and_then(|id| c.context.object_name(id as i32, database_arg(a, 1)))))).per_statement(),
    Function::new("OBJECT_SCHEMA_NAME", 1, 2, |r| r.fixed(&[INT, INT], NAME),
        |c, a| Ok(c.optional_text(a[0].as_i64().and_then(|id| c.context.object_schema(id as i32, database_arg(a, 1)))))).per_statement(),
    Function::new("OBJECT_DEFINITION", 1, 1, |r| r.fixed(&[INT], SqlType::NVARCHAR_MAX),
        |c, a| Ok(c.optional_text(a[0].as_i64().and_then(|id| c.context.object_definition(id as i32))))).per_statement(),
    // No database is in an availability group: any may be backed up here, and none is a primary one.
    Function::new("FN_HADR_BACKUP_IS_PREFERRED_REPLICA", 1, 1, |r| r.fixed(&[NAME], SqlType::Bit),
        |_, _| Ok(Value::Bit(true))).per_statement(),
    Function::new("FN_HADR_IS_PRIMARY_REPLICA", 1, 1, |r| r.fixed(&[NAME], SqlType::Bit), |_, _| Ok(Value::Null)).per_statement(),
    Function::new("SCHEMA_ID", 0, 1, |r| r.fixed(&[NAME], INT), schema_id).per_statement(),
    Function::new("SCHEMA_NAME", 0, 1, |r| r.fixed(&[INT], NAME), schema_name).per_statement(),
    Function::new("COL_NAME", 2, 2, |r| r.fixed(&[INT], NAME),
        |c, a| Ok(if any_null(a) { Value::Null } else { c.optional_text(c.context.column_name(id(&a[0]), id(&a[1]))) })).per_statement(),
    Function::new("COL_LENGTH", 2, 2, |r| r.fixed(&[LONG_NAME, NAME], SqlType::SmallInt), col_length).per_statement(),
    Function::new("INDEX_COL", 3, 3, |r| r.fixed(&[LONG_NAME, INT, INT], NAME),
        |c, a| Ok(if any_null(a) { Value::Null }
                else { c.optional_text(c.context.index_column(&string(&a[0]), id(&a[1]), id(&a[2]))) })).per_statement(),
    Function::new("STATS_DATE", 2, 2, |r| r.fixed(&[INT], SqlType::DateTime),
        |c, a| Ok(if any_null(a) { Value::Null }
                else { c.context.stats_date(id(&a[0]), id(&a[1])).unwrap_or(Value::Null) })).per_statement(),
    Function::new("TYPE_ID", 1, 1, |r| r.fixed(&[LONG_NAME], INT), type_id).per_statement(),
    Function::new("TYPE_NAME", 1, 1, |r| r.fixed(&[INT], NAME), type_name).per_statement(),
    Function::new("FILE_ID", 1, 1, |r| r.fixed(&[NAME], SqlType::SmallInt),
        |c, a| Ok(a[0].as_text().and_then(|n| c.context.file_id(&n)).map_or(Value::Null, |id| Value::SmallInt(id as i16)))).per_statement(),
    Function::new("FILE_IDEX", 1, 1, |r| r.fixed(&[NAME], INT),
        |c, a| Ok(number(a[0].as_text().and_then(|n| c.context.file_id(&n))))).per_statement(),
    Function::new("FILE_NAME", 1, 1, |r| r.fixed(&[INT], NAME),
        |c, a| Ok(c.optional_text(a[0].as_i64().and_then(|id| c.context.file_name(id as i32))))).per_statement(),
    Function::new("FILEGROUP_ID", 1, 1, |r| r.fixed(&[NAME], INT),
        |c, a| Ok(number(a[0].as_text().and_then(|n| c.context.filegroup_id(&n))))).per_statement(),
    Function::new("FILEGROUP_NAME", 1, 1, |r| r.fixed(&[INT], NAME),
        |c, a| Ok(c.optional_text(a[0].as_i64().and_then(|id| c.context.filegroup_name(id as i32))))).per_statement(),
    Function::live("DATABASEPROPERTYEX", 2, 2, |r| r.fixed(&[NAME], SqlType::Variant),
        |c, a| named(a, 0, 1, |d, p| c.state.property(Property::Database(d), p))),
    Function::live("DATABASEPROPERTY", 2, 2, |r| r.fixed(&[NAME], INT),
        |c, a| named(a, 0, 1, |d, p| database_property(c, d, p))),
    Function::live("OBJECTPROPERTY", 2, 2, |r| r.fixed(&[INT, NAME], INT), object_property),
    Function::live("OBJECTPROPERTYEX", 2, 2, |r| r.fixed(&[INT, NAME], SqlType::Variant), object_property),
    Function::live("COLUMNPROPERTY", 3, 3, |r| r.fixed(&[INT, NAME, NAME], INT),
        |c, a| of_object(c, a, |o, n| Property::Column(o, n))),
    Function::live("INDEXPROPERTY", 3, 3, |r| r.fixed(&[INT, NAME, NAME], INT),
        |c, a| of_object(c, a, |o, n| Property::Index(o, n))),
    Function::live("INDEXKEY_PROPERTY", 4, 4, |r| r.fixed(&[INT, INT, INT, NAME], INT), indexkey_property),
    Function::live("FILEPROPERTY", 2, 2, |r| r.fixed(&[NAME], INT),
        |c, a| named(a, 0, 1, |f, p| plain(c.state.property(Property::File(f), p)))),
    Function::live("FILEGROUPPROPERTY", 2, 2, |r| r.fixed(&[NAME], INT),
        |c, a| named(a, 0, 1, |f, p| plain(c.state.property(Property::Filegroup(f), p)))),
    // No database has a full-text catalogue.
    Function::new("FULLTEXTCATALOGPROPERTY", 2, 2, |r| r.fixed(&[NAME], INT), |_, _| Ok(Value::Null)),
    Function::new("TYPEPROPERTY", 2, 2, |r| Ok(signature(&[r.param(0, LONG_NAME)?, r.param(1, NAME)?], INT)),
        |c, a| named(a, 0, 1, |t, p| Ok(type_property(c, t, p)))).per_statement(),
];

fn id(v: &Value) -> i32 {
    int(v) as i32
}

fn number(v: Option<i32>) -> Value {
    v.map_or(Value::Null, Value::Int)
}

fn flag(v: Option<bool>) -> Value {
    v.map_or(Value::Null, |yes| Value::Int(yes as i32))
}

/// The value inside a variant, for functions that return int.
fn plain(v: SqlResult<Value>) -> SqlResult<Value> {
    Ok(match v? {
        Value::Variant(inner) => inner.1,
        other => other,
    })
}

/// Calls `f` with two text arguments; NULL if either is.
fn named(
    args: &[Value],
    a: usize,
    b: usize,
    f: impl FnOnce(&str, &str) -> SqlResult<Value>,
) -> SqlResult<Value> {
    match (args[a].as_text(), args[b].as_text()) {
        (Some(x), Some(y)) => f(&x, &y),
        _ => Ok(Value::Null),
    }
}

fn db_id(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let id = match args.first() {
        None => Some(c.context.current_database()),
        Some(name) => name.as_text().and_then(|n| c.context.database_id(&n)),
    };
    Ok(id.map_or(Value::Null, Value::SmallInt))
}

fn db_name(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let id = match args.first() {
        None => Some(c.context.current_database()),
        Some(v) => v.as_i64().and_then(|id| i16::try_from(id).ok()),
    };
    Ok(c.optional_text(id.and_then(|id| c.context.database_name(id))))
}

fn object_id(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    if any_null(args) {
        return Ok(Value::Null);
    }
    let kind = args.get(1).map(string);
    Ok(number(c.context.object_id(&string(&args[0]), kind.as_deref().map(str::trim))?))
}

fn schema_id(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    Ok(match args.first() {
        None => number(c.context.schema_id(None)),
        Some(v) => number(v.as_text().and_then(|n| c.context.schema_id(Some(&n)))),
    })
}

fn schema_name(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let name = match args.first() {
        None => c.context.schema_name(None),
        Some(v) => v.as_i64().and_then(|id| c.context.schema_name(Some(id as i32))),
    };
    Ok(c.optional_text(name))
}

fn col_length(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    named(args, 0, 1, |table, column| {
        Ok(c.context.column_length(table, column).map_or(Value::Null, Value::SmallInt))
    })
}

/// A system type's id, else a user type's. `sys.int` is int.
fn type_id(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let Some(name) = args[0].as_text() else { return Ok(Value::Null) };
    let parts = super::spelling::split_name(&name).unwrap_or_default();
    let bare = parts.last().map_or("", String::as_str);
    let system = SYS_TYPES.iter().find(|t| t.name.eq_ignore_ascii_case(bare) && parts.len() <= 2);
    let id =
        system.map(|t| t.user_type_id).or_else(|| c.context.user_type(&name).map(|t| t.0.user));
    Ok(number(id))
}

fn type_name(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let Some(id) = args[0].as_i64() else { return Ok(Value::Null) };
    let system = SYS_TYPES.iter().find(|t| t.user_type_id as i64 == id);
    let name = system.map(|t| t.name.to_owned()).or_else(|| c.context.user_type_name(id as i32));
    Ok(c.optional_text(name))
}

/// TYPEPROPERTY of a system type, else of a user type.
fn type_property(c: &Call<'_>, name: &str, property: &str) -> Value {
    let parts = super::spelling::split_name(name).unwrap_or_default();
    let bare = parts.last().map_or("", String::as_str);
    let system = SYS_TYPES.iter().find(|t| t.name.eq_ignore_ascii_case(bare));
    let system = system.map(|t| (Types::of_system_type(t), t.nullable, 4));
    let own = || c.context.user_type(name).map(|(types, nullable)| (types, nullable, 1));
    let Some((types, nullable, owner)) = system.or_else(own) else { return Value::Null };
    match &*property.to_ascii_lowercase() {
        "allowsnull" => Value::Int(nullable as i32),
        "ownerid" => Value::Int(owner),
        "precision" => Value::Int(types.width()),
        "scale" => number(types.digits()),
        "usesansitrim" if types.is_trimmed() => Value::Int(1),
        _ => Value::Null,
    }
}

/// Properties of DATABASEPROPERTY that DATABASEPROPERTYEX has too.
const SAME_IN_EX: [&str; 16] = [
    "isansinulldefault",
    "isansinullsenabled",
    "isansiwarningsenabled",
    "isautoclose",
    "isautocreatestatistics",
    "isautoshrink",
    "isautoupdatestatistics",
    "isclosecursorsoncommitenabled",
    "isfulltextenabled",
    "isinstandby",
    "islocalcursorsdefault",
    "isnullconcat",
    "isparameterizationforced",
    "isquotedidentifiersenabled",
    "isrecursivetriggersenabled",
    "version",
];

/// The old names of what DATABASEPROPERTYEX tells.
fn database_property(c: &LiveCall<'_>, database: &str, property: &str) -> SqlResult<Value> {
    let ex = |name: &str| c.state.property(Property::Database(database), name);
    let is = |name: &str, value: &str| {
        let found = plain(ex(name))?;
        Ok(flag(found.as_text().map(|t| t == value)))
    };
    match &*property.to_ascii_lowercase() {
        "isoffline" => is("status", "OFFLINE"),
        "issuspect" => is("status", "SUSPECT"),
        "isinload" => is("status", "RESTORING"),
        "isinrecovery" => is("status", "RECOVERING"),
        "isnotrecovered" => is("status", "RECOVERY_PENDING"),
        "isemergencymode" => is("status", "EMERGENCY"),
        "isreadonly" => is("updateability", "READ_ONLY"),
        "issingleuser" => is("useraccess", "SINGLE_USER"),
        "isdboonly" => is("useraccess", "RESTRICTED_USER"),
        "istrunclog" => is("recovery", "SIMPLE"),
        "isbulkcopy" => is("recovery", "BULK_LOGGED"),
        name if SAME_IN_EX.contains(&name) => plain(ex(property)),
        // A database that could not be opened is suspect, or not recovered; one that is detached is not there.
        "isdetached" | "isshutdown" => is("status", ""),
        _ => Ok(Value::Null),
    }
}

/// Properties that OBJECTPROPERTYEX has and OBJECTPROPERTY has not: they are not all of type int.
const ONLY_EX: [&str; 6] = [
    "BaseType",
    "Cardinality",
    "IsPrecise",
    "SystemDataAccess",
    "TableFullTextSemanticExtraction",
    "UserDataAccess",
];

fn object_property(c: &LiveCall<'_>, args: &[Value]) -> SqlResult<Value> {
    let (Some(id), Some(name)) = (args[0].as_i64(), args[1].as_text()) else {
        return Ok(Value::Null);
    };
    let value = c.state.property(Property::Object(id as i32), &name);
    match c.bound.result == SqlType::Variant {
        true => value,
        false if ONLY_EX.iter().any(|ex| name.eq_ignore_ascii_case(ex)) => Ok(Value::Null),
        false => plain(value),
    }
}

/// COLUMNPROPERTY, INDEXPROPERTY: object, name, property.
fn of_object(
    c: &LiveCall<'_>,
    args: &[Value],
    of: for<'n> fn(i32, &'n str) -> Property<'n>,
) -> SqlResult<Value> {
    if args[0].is_null() {
        return Ok(Value::Null);
    }
    named(args, 1, 2, |name, property| plain(c.state.property(of(id(&args[0]), name), property)))
}

fn indexkey_property(c: &LiveCall<'_>, args: &[Value]) -> SqlResult<Value> {
    if any_null(args) {
        return Ok(Value::Null);
    }
    let of = Property::IndexKey(id(&args[0]), id(&args[1]), id(&args[2]));
    plain(c.state.property(of, &string(&args[3])))
}
