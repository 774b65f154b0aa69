//! Functions on the session: identity values, errors, transactions, logins and users.

use super::placeholders::{self, Argument};
use super::typing::{any_null, int, signature, string};
use super::{Call, Function, LiveCall, Property, Rule, Signature};
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{Collation, Conversion, Family, MaxLen, SqlType, Value, convert};

const NUMERIC: SqlType = SqlType::Numeric { precision: 38, scale: 0 };
const NAME: SqlType = SqlType::SYSNAME;
/// The name of an application lock.
const LOCK: SqlType = SqlType::NVarChar(MaxLen::N(255));
/// The owner and the mode of an application lock.
const OWNER: SqlType = SqlType::NVarChar(MaxLen::N(32));

#[rustfmt::skip]
pub(crate) static FUNCTIONS: &[Function] = &[
    Function::new("SCOPE_IDENTITY", 0, 0, |r| r.as_given(NUMERIC), |c, _| Ok(c.context.scope_identity())).per_statement(),
    Function::live("IDENT_CURRENT", 1, 1, |r| r.fixed(&[NAME], NUMERIC), |c, a| Ok(identity(c, a, 0))),
    Function::live("IDENT_SEED", 1, 1, |r| r.fixed(&[NAME], NUMERIC), |c, a| Ok(identity(c, a, 1))),
    Function::live("IDENT_INCR", 1, 1, |r| r.fixed(&[NAME], NUMERIC), |c, a| Ok(identity(c, a, 2))),
    Function::new("ROWCOUNT_BIG", 0, 0, |r| r.as_given(SqlType::BigInt),
        |c, _| Ok(c.context.global("@@ROWCOUNT")?.as_i64().map_or(Value::Null, Value::BigInt))).per_statement(),
    Function::live("MIN_ACTIVE_ROWVERSION", 0, 0, |r| r.as_given(SqlType::Binary(8)), |c, _| Ok(c.state.lowest_active_rowversion())),
    Function::new("CURSOR_STATUS", 2, 2, |r| r.fixed(&[NAME, NAME], SqlType::SmallInt),
        cursor_status).per_statement(),
    Function::new("COLUMNS_UPDATED", 0, 0, |r| r.as_given(SqlType::VarBinary(MaxLen::N(128))),
        |c, _| Ok(c.context.columns_updated().map_or(Value::Null, |bits| Value::binary(&bits)))).per_statement(),
    Function::new("APPLOCK_MODE", 3, 3, |r| r.fixed(&[NAME, LOCK, OWNER], OWNER), application_lock_mode).per_statement(),
    Function::new("APPLOCK_TEST", 4, 4, |r| r.fixed(&[NAME, LOCK, OWNER, OWNER], SqlType::SmallInt), application_lock_test)
        .per_statement(),
    Function::new("EVENTDATA", 0, 0, |r| r.as_given(SqlType::NVarChar(MaxLen::Max)),
        |c, _| Ok(c.context.event_data().map_or(Value::Null, |xml| Value::nvarchar(&xml)))).per_statement(),
    // `UPDATE(column)` of a trigger, by `column_id`: its name is none that a text can have.
    Function::new("UPDATE()", 1, 1, |r| r.fixed(&[SqlType::Int], SqlType::Int), |c, a| Ok(updated(c, a))).per_statement(),
    Function::new("TRIGGER_NESTLEVEL", 0, 3, |r| r.fixed(&[SqlType::Int, NAME, NAME], SqlType::Int), trigger_nest_level)
        .per_statement(),
    Function::new("XACT_STATE", 0, 0, |r| r.as_given(SqlType::SmallInt),
        |c, _| Ok(Value::SmallInt(c.context.xact_state()))).per_statement(),
    Function::new("CURRENT_TRANSACTION_ID", 0, 0, |r| r.as_given(SqlType::BigInt),
        |c, _| Ok(Value::BigInt(c.context.transaction_id()))).per_statement(),
    Function::new("ERROR_NUMBER", 0, 0, |r| r.as_given(SqlType::Int),
        |c, _| Ok(c.context.caught().map_or(Value::Null, |e| Value::Int(e.number)))).per_statement(),
    Function::new("ERROR_SEVERITY", 0, 0, |r| r.as_given(SqlType::Int),
        |c, _| Ok(c.context.caught().map_or(Value::Null, |e| Value::Int(e.severity as i32)))).per_statement(),
    Function::new("ERROR_STATE", 0, 0, |r| r.as_given(SqlType::Int),
        |c, _| Ok(c.context.caught().map_or(Value::Null, |e| Value::Int(e.state as i32)))).per_statement(),
    Function::new("ERROR_LINE", 0, 0, |r| r.as_given(SqlType::Int),
        |c, _| Ok(c.context.caught().map_or(Value::Null, |e| Value::Int(e.line as i32)))).per_statement(),
    Function::new("ERROR_MESSAGE", 0, 0, |r| r.as_given(SqlType::nvarchar(4000)),
        |c, _| Ok(c.optional_text(c.context.caught().map(|e| e.message)))).per_statement(),
    Function::new("ERROR_PROCEDURE", 0, 0, |r| r.as_given(NAME),
        |c, _| Ok(c.optional_text(c.context.caught().and_then(|e| e.procedure).map(String::from)))).per_statement(),
    Function::new("SUSER_SNAME", 0, 1, |r| r.fixed(&[SqlType::VarBinary(MaxLen::N(85))], NAME), suser_sname).per_statement(),
    Function::new("SUSER_NAME", 0, 1, |r| r.fixed(&[SqlType::Int], NAME), suser_name).per_statement(),
    Function::new("SUSER_ID", 0, 1, |r| r.fixed(&[NAME], SqlType::Int), suser_id).per_statement(),
    Function::new("SUSER_SID", 0, 2, |r| r.fixed(&[NAME, SqlType::Int], SqlType::VarBinary(MaxLen::N(85))), suser_sid).per_statement(),
    Function::new("ORIGINAL_LOGIN", 0, 0, |r| r.as_given(NAME), |c, _| Ok(c.text_result(&c.context.original_login()))).per_statement(),
    Function::new("SYSTEM_USER", 0, 0, |r| r.as_given(NAME), |c, _| Ok(c.text_result(&c.context.login_name()))).per_statement(),
    Function::new("SESSION_USER", 0, 0, |r| r.as_given(NAME), |c, _| Ok(c.text_result(&c.context.user_name()))).per_statement(),
    Function::new("CURRENT_USER", 0, 0, |r| r.as_given(NAME), |c, _| Ok(c.text_result(&c.context.user_name()))).per_statement(),
    Function::new("USER", 0, 0, |r| r.as_given(NAME), |c, _| Ok(c.text_result(&c.context.user_name()))).per_statement(),
    Function::new("USER_NAME", 0, 1, |r| r.fixed(&[SqlType::Int], NAME), user_name).per_statement(),
    Function::new("USER_ID", 0, 1, |r| r.fixed(&[NAME], SqlType::Int), user_id).per_statement(),
    Function::new("DATABASE_PRINCIPAL_ID", 0, 1, |r| r.fixed(&[NAME], SqlType::Int), user_id).per_statement(),
    Function::new("IS_SRVROLEMEMBER", 1, 2, |r| r.fixed(&[NAME], SqlType::Int), |c, a| Ok(member(c, a, true))).per_statement(),
    Function::new("IS_ROLEMEMBER", 1, 2, |r| r.fixed(&[NAME], SqlType::Int), |c, a| Ok(member(c, a, false))).per_statement(),
    Function::new("IS_MEMBER", 1, 1, |r| r.fixed(&[NAME], SqlType::Int), |c, a| Ok(member(c, a, false))).per_statement(),
    Function::new("HAS_PERMS_BY_NAME", 3, 5, |r| r.fixed(&[NAME], SqlType::Int), has_perms).per_statement(),
    Function::new("HOST_NAME", 0, 0, |r| r.as_given(NAME), |c, _| Ok(c.optional_text(c.context.host_name()))).per_statement(),
    Function::new("APP_NAME", 0, 0, |r| r.as_given(NAME), |c, _| Ok(c.optional_text(c.context.app_name()))).per_statement(),
    Function::new("HOST_ID", 0, 0, |r| r.as_given(SqlType::Char(10)),
        |c, _| Ok(c.text_result(&format!("{:<10}", c.context.host_process())))).per_statement(),
    Function::new("CONTEXT_INFO", 0, 0, |r| r.as_given(SqlType::VarBinary(MaxLen::N(128))),
        |c, _| Ok(c.context.session_context(""))).per_statement(),
    Function::new("AGENT_DATETIME", 2, 2, |r| r.fixed(&[SqlType::Int], SqlType::DateTime), agent_datetime),
    Function::new("CURRENT_REQUEST_ID", 0, 0, |r| r.as_given(SqlType::SmallInt), |_, _| Ok(Value::SmallInt(0))).per_statement(),
    Function::new("GETANSINULL", 0, 1, |r| r.fixed(&[NAME], SqlType::Int), getansinull).per_statement(),
    Function::new("FORMATMESSAGE", 1, 21, formatmessage_rule, formatmessage),
    Function::new("SESSION_CONTEXT", 1, 1, |r| r.fixed(&[NAME], SqlType::Variant),
        |c, a| Ok(a[0].as_text().map_or(Value::Null, |k| c.context.session_context(&k)))).per_statement(),
    Function::live("CONNECTIONPROPERTY", 1, 1, |r| r.fixed(&[NAME], SqlType::Variant),
        |c, a| property(c, Property::Connection, &a[0])),
    Function::live("SESSIONPROPERTY", 1, 1, |r| r.fixed(&[NAME], SqlType::Variant),
        |c, a| property(c, Property::Session, &a[0])),
    Function::live("SERVERPROPERTY", 1, 1, |r| r.fixed(&[NAME], SqlType::Variant),
        |c, a| property(c, Property::Server, &a[0])),
    Function::new("LOGINPROPERTY", 2, 2, |r| r.fixed(&[NAME, NAME], SqlType::Variant), login_property).per_statement(),
    Function::new("FULLTEXTSERVICEPROPERTY", 1, 1, |r| r.fixed(&[NAME], SqlType::Int), |_, a| Ok(fulltext_property(&a[0]))),
    Function::new("COLLATIONPROPERTY", 2, 2, |r| r.fixed(&[NAME], SqlType::Variant), collation_property),
    Function::new("SQL_VARIANT_PROPERTY", 2, 2, |r| Ok(signature(&[r.param(0, SqlType::Variant)?, r.param(1, NAME)?], SqlType::Variant)),
        variant_property),
];

/// The mode in which the owner holds an application lock: APPLOCK_MODE(principal, name, owner).
fn application_lock_mode(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    match [args[0].as_text(), args[1].as_text(), args[2].as_text()] {
        [Some(principal), Some(name), Some(owner)] => {
            c.context.application_lock([&principal, &name, &owner], None)
        }
        _ => Ok(Value::Null),
    }
}

/// APPLOCK_TEST(principal, name, mode, owner).
fn application_lock_test(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    match [args[0].as_text(), args[1].as_text(), args[2].as_text(), args[3].as_text()] {
        [Some(principal), Some(name), Some(mode), Some(owner)] => {
            c.context.application_lock([&principal, &name, &owner], Some(&mode))
        }
        _ => Ok(Value::Null),
    }
}

/// CURSOR_STATUS: 16902 for a kind of cursor that there is not.
fn cursor_status(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let (kind, name) = (args[0].as_text(), args[1].as_text().unwrap_or_default());
    let status = kind.and_then(|kind| c.context.cursor_status(&kind, &name));
    let invalid = || SqlError::new(16902, &[&"CURSOR_STATUS", &"cursor source"]);
    Ok(Value::SmallInt(status.ok_or_else(invalid)? as i16))
}

/// `msdb.dbo.agent_datetime`: a date such as 20240506 and a time such as 70809, which is 07:08:09, as the Agent's tables have them.
fn agent_datetime(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let (Some(date), Some(time)) = (args[0].as_i64(), args[1].as_i64()) else {
        return Ok(Value::Null);
    };
    let parts = |n: i64| (n / 10_000, n % 10_000 / 100, n % 100);
    let ((year, month, day), (hour, minute, second)) = (parts(date), parts(time));
    let written = Value::nvarchar(&format!(
        "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"
    ));
    let (from, to) = (SqlType::nvarchar(60), SqlType::DateTime);
    let context = c.context.convert();
    convert::cast_with(&written, from, to, Some(ODBC_CANONICAL), Conversion::Explicit, &context)
}

/// The style of CONVERT that reads `yyyy-mm-dd hh:mm:ss`.
const ODBC_CANONICAL: i32 = 120;

/// NULL for a database that is not there.
fn getansinull(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let there = match args.first() {
        None => true,
        Some(name) => name.as_text().is_some_and(|n| c.context.database_id(&n).is_some()),
    };
    Ok(if there { Value::Int(c.context.nulls_by_default() as i32) } else { Value::Null })
}

/// A message's number or a text, then what goes into it.
fn formatmessage_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    let param = |(at, ty): (usize, &SqlType)| match *ty {
        // A whole number that is too large for an int, as it is written.
        SqlType::Numeric { scale: 0, precision: ..=19 } if at > 0 => Ok(SqlType::BigInt),
        ty if matches!(ty.family(), Family::Integer | Family::Char | Family::NChar) => Ok(ty),
        _ => Err(r.invalid(at)),
    };
    let params: Vec<SqlType> = r.args.iter().enumerate().map(param).collect::<SqlResult<_>>()?;
    Ok(signature(&params, SqlType::nvarchar(2047)))
}

/// NULL for a message that is not there. What does not fit the placeholders is told in the text, as SQL Server does.
fn formatmessage(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let (number, text) = match args[0].as_i64() {
        None => (50_000, args[0].as_text().map(|text| (text.clone(), text))),
        Some(n) => {
            let found = match i32::try_from(n).ok().filter(|n| *n >= 13_000) {
                Some(n) => c.context.message(n)?,
                None => None,
            };
            (n, found.map(|m| (m.original, m.text)))
        }
    };
    let Some((original, text)) = text else { return Ok(Value::Null) };
    let fill: Vec<Argument> =
        args[1..].iter().map(|v| Argument::of(v).unwrap_or(Argument::Null)).collect();
    let filled = placeholders::translated(&original, &text, &fill).unwrap_or_else(|_| {
        format!(
            "Error: {number}, Severity: -1, State: 1. (Params:). The error is printed in terse mode because there \
             was error during formatting. Tracing, ETW, notifications etc are skipped."
        )
    });
    Ok(c.text_result(&filled))
}

/// FULLTEXTSERVICEPROPERTY: there is no full-text search, and VerifySignature has its default.
fn fulltext_property(name: &Value) -> Value {
    let Some(name) = name.as_text() else { return Value::Null };
    match &*name.to_ascii_lowercase() {
        "connecttimeout"
        | "datatimeout"
        | "isfulltextinstalled"
        | "loadosresources"
        | "resourceusage" => Value::Int(0),
        "verifysignature" => Value::Int(1),
        _ => Value::Null,
    }
}

fn identity(c: &LiveCall<'_>, args: &[Value], which: usize) -> Value {
    let table = args[0].as_text();
    let of = table.and_then(|t| c.state.identity_of(&t));
    of.map_or(Value::Null, |[current, seed, increment]| match which {
        0 => current,
        1 => seed,
        _ => increment,
    })
}

fn suser_sname(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    Ok(match args.first() {
        None => c.text_result(&c.context.login_name()),
        Some(sid) => c.optional_text(sid.as_bytes().and_then(|b| c.context.login_by_sid(b))),
    })
}

fn suser_name(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    Ok(match args.first() {
        None => c.text_result(&c.context.login_name()),
        Some(id) => c.optional_text(id.as_i64().and_then(|id| c.context.login_by_id(id as i32))),
    })
}

/// The argument, or the session's own name where there is none; None for NULL.
fn name_or(args: &[Value], own: impl FnOnce() -> String) -> Option<String> {
    match args.first() {
        None => Some(own()),
        Some(v) => v.as_text(),
    }
}

fn optional_int(v: Option<i32>) -> Value {
    v.map_or(Value::Null, Value::Int)
}

fn suser_id(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    if args.is_empty() {
        // A contained user is no login, whatever its name is.
        let name = c.context.login_name();
        let is_login = c.context.login_sid(&name).is_some_and(|sid| sid == c.context.own_sid());
        return Ok(optional_int(c.context.login_id(&name).filter(|_| is_login)));
    }
    let name = name_or(args, || c.context.login_name());
    Ok(optional_int(name.and_then(|n| c.context.login_id(&n))))
}

fn suser_sid(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    if args.is_empty() {
        return Ok(Value::binary(&c.context.own_sid()));
    }
    let name = name_or(args, || c.context.login_name());
    Ok(name.and_then(|n| c.context.login_sid(&n)).map_or(Value::Null, |sid| Value::binary(&sid)))
}

fn user_name(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    Ok(match args.first() {
        None => c.text_result(&c.context.user_name()),
        Some(id) => c.optional_text(id.as_i64().and_then(|id| c.context.user_by_id(id as i32))),
    })
}

fn user_id(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let name = name_or(args, || c.context.user_name());
    Ok(optional_int(name.and_then(|n| c.context.user_id(&n))))
}

fn member(c: &Call<'_>, args: &[Value], server: bool) -> Value {
    if any_null(args) {
        return Value::Null;
    }
    let who = args.get(1).map(string);
    let is = c.context.is_member(&string(&args[0]), who.as_deref(), server);
    is.map_or(Value::Null, |yes| Value::Int(yes as i32))
}

fn has_perms(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let Some(permission) = args[2].as_text() else { return Ok(Value::Null) };
    let (securable, class) = (args[0].as_text(), args[1].as_text());
    let column = args.get(3).and_then(Value::as_text);
    let of_column = args.get(4).and_then(Value::as_text);
    if of_column.is_some_and(|class| !class.eq_ignore_ascii_case("COLUMN")) {
        return Ok(Value::Null);
    }
    let (securable, class) = (securable.as_deref(), class.as_deref());
    let has = c.context.has_permission(securable, class, &permission, column.as_deref());
    Ok(has.map_or(Value::Null, |yes| Value::Int(yes as i32)))
}

fn property(c: &LiveCall<'_>, of: Property<'_>, name: &Value) -> SqlResult<Value> {
    match name.as_text() {
        Some(name) => c.state.property(of, &name),
        None => Ok(Value::Null),
    }
}

/// An int as a variant.
fn variant(v: i32) -> Value {
    Value::Variant(Box::new((SqlType::Int, Value::Int(v))))
}

fn login_property(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let (Some(login), Some(name)) = (args[0].as_text(), args[1].as_text()) else {
        return Ok(Value::Null);
    };
    let found = c.context.login_property(&login, &name.to_ascii_lowercase());
    Ok(match found {
        None | Some((_, Value::Null)) => Value::Null,
        Some(found) => Value::Variant(Box::new(found)),
    })
}

fn collation_property(_: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let collation = args[0].as_text().and_then(|n| Collation::from_name(&n));
    let (Some(collation), Some(name)) = (collation, args[1].as_text()) else {
        return Ok(Value::Null);
    };
    Ok(match &*name.to_ascii_lowercase() {
        "codepage" => variant(collation.code_page().into()),
        "lcid" => variant(collation.lcid().cast_signed()),
        "comparisonstyle" => variant(collation.comparison_style().cast_signed()),
        "collationid" => variant(collation.id().cast_signed()),
        "version" => {
            Value::Variant(Box::new((SqlType::TinyInt, Value::TinyInt(collation.version() as u8))))
        }
        "name" => Value::Variant(Box::new((SqlType::SYSNAME, Value::nvarchar(collation.name())))),
        _ => Value::Null,
    })
}

fn variant_property(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let (Value::Variant(inner), Some(name)) = (&args[0], args[1].as_text()) else {
        return Ok(Value::Null);
    };
    let ty = inner.0;
    let text = |s: &str| Value::Variant(Box::new((SqlType::SYSNAME, Value::nvarchar(s))));
    Ok(match &*name.to_ascii_lowercase() {
        "basetype" => text(ty.name()),
        "precision" => variant(ty.precision() as i32),
        "scale" => variant(ty.scale() as i32),
        "maxlength" => variant(ty.max_length() as i32),
        "totalbytes" => {
            let stored = inner.1.as_bytes().map_or(ty.max_length() as usize, <[u8]>::len);
            variant(stored as i32 + 2)
        }
        "collation" if ty.is_text() => text(c.collation().name()),
        _ => Value::Null,
    })
}

/// The database id of an optional argument that is there and not NULL.
pub(crate) fn database_arg(args: &[Value], at: usize) -> Option<i16> {
    args.get(at).filter(|v| !v.is_null()).and_then(|v| i16::try_from(int(v)).ok())
}

/// 1 where the statement that has fired the trigger names the column of this number.
fn updated(c: &Call<'_>, a: &[Value]) -> Value {
    let bit = a[0].as_i64().and_then(|id| usize::try_from(id - 1).ok());
    let bits = c.context.columns_updated().unwrap_or_default();
    let is_set = bit.is_some_and(|n| bits.get(n / 8).is_some_and(|byte| byte & 1 << (n % 8) != 0));
    Value::Int(i32::from(is_set))
}

/// The kinds of triggers that [`FnContext::trigger_nest_level`] counts: by object, AFTER or INSTEAD OF, DML or DDL.
///
/// [`FnContext::trigger_nest_level`]: super::FnContext::trigger_nest_level
fn trigger_nest_level(c: &Call<'_>, a: &[Value]) -> SqlResult<Value> {
    let object = match a.first() {
        Some(v) if v.is_null() => return Ok(Value::Null),
        v => v.and_then(|v| v.as_i64()).filter(|id| *id != 0),
    };
    let word = |at: usize| a.get(at).and_then(|v| v.as_text()).map(|w| w.to_ascii_uppercase());
    let instead_of = match word(1).as_deref() {
        Some("AFTER") => Some(false),
        Some("IOT") => Some(true),
        None if a.len() < 2 => None,
        _ => return Ok(Value::Null),
    };
    let ddl = match word(2).as_deref() {
        Some("DDL") => Some(true),
        Some("DML") => Some(false),
        None if a.len() < 3 => None,
        _ => return Ok(Value::Null),
    };
    Ok(Value::Int(c.context.trigger_nest_level(object, instead_of, ddl)))
}
