//! Principals to and from the rows of the catalogue's tables.
//!
//! Logins and roles of the server are rows of `syslogins`. Everything else lies in `sysinfo`, under keys that begin with one of
//! these numbers; the columns are number, text, bytes.
//!
//! | key | columns |
//! |---|---|
//! | 13, principal, 0 | kind, name, sid |
//! | 13, principal, 1 | owner, default schema |
//! | 13, principal, 2 | authentication, hash of the password |
//! | 13, principal, 3 and 4 | the moments of creation and of the last change |
//! | 13, principal, 5 | -, language |
//! | 14, scope, role, member | - |
//! | 15, scope, class, major, minor, grantee, grantor, type | state |
//! | 17, class, object or type | its own owner |

use super::{
    Authentication, LoginFacts, Permission, PermissionKey, PermissionState, Principal,
    PrincipalKind, Principals, SA, Scope,
};
use crate::rowcodec::damaged;
use crate::systab::{self, SystemTables, bytes, number, number_or_null, text};
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_storage::Transaction;
use taffrail_types::Value;

/// The version of the catalogue's tables that knows principals.
pub(crate) const PRINCIPALS: i64 = 13;

const DATABASE_PRINCIPALS: i64 = 13;
const MEMBERS: i64 = 14;
const PERMISSIONS: i64 = 15;
const OWNERS: i64 = 17;

/// The version of the catalogue's tables that knows owners of single objects.
pub(crate) const OWNED: i64 = 15;

const POLICY: i64 = 1;
const EXPIRATION: i64 = 2;
const MUST_CHANGE: i64 = 4;

/// A permission that is there from the beginning has been revoked.
const GONE: i64 = -1;

/// Ticks of a datetime in a day.
const TICKS: i64 = 25_920_000;

/// A datetime as a number: ticks of 1/300 s since 1900; NULL for none.
pub(super) fn moment(value: &Value) -> Value {
    match value {
        Value::DateTime { days, ticks } => {
            Value::BigInt(i64::from(*days) * TICKS + i64::from(*ticks))
        }
        _ => Value::Null,
    }
}

/// A datetime that [`moment`] has made a number.
pub(super) fn moment_of(number: Option<i64>) -> Value {
    let Some(n) = number else { return Value::Null };
    let days = n.div_euclid(TICKS).clamp(i32::MIN.into(), i32::MAX.into()) as i32;
    Value::DateTime { days, ticks: n.rem_euclid(TICKS) as u32 }
}

fn name_or_null(name: Option<&str>) -> Value {
    name.map_or(Value::Null, Value::nvarchar)
}

fn kind_number(kind: PrincipalKind) -> i32 {
    match kind {
        PrincipalKind::Login | PrincipalKind::User => 0,
        PrincipalKind::ServerRole | PrincipalKind::Role => 1,
        PrincipalKind::ApplicationRole => 2,
    }
}

/// Writes a principal, new or changed.
pub fn write(tx: &mut Transaction, scope: Scope, p: &Principal) -> SqlResult<()> {
    match scope {
        Scope::Server => write_login(tx, p),
        Scope::Database => write_database_principal(tx, p),
    }
}

fn write_login(tx: &mut Transaction, p: &Principal) -> SqlResult<()> {
    let sa = Principals::fixed(Scope::Server, 1);
    let sa = sa.get(SA).expect("sa is a fixed row");
    let LoginFacts {
        is_disabled,
        default_database,
        check_policy,
        check_expiration,
        must_change,
        password_set,
    } = &p.login;
    let mut row = vec![
        Value::nvarchar(&p.name),
        p.sid.as_deref().map_or(Value::Null, Value::binary),
        Value::nvarchar(&p.password_hash),
        Value::Int((*is_disabled).into()),
        Value::nvarchar(default_database),
        p.created.clone(),
        p.modified.clone(),
    ];
    let flags = if *check_policy { POLICY } else { 0 }
        | if *check_expiration { EXPIRATION } else { 0 }
        | if *must_change { MUST_CHANGE } else { 0 };
    // What an older program would not know of sa keeps it out.
    let as_ever = p.id == SA && flags == 0 && p.language == sa.language && p.name == sa.name;
    if !as_ever {
        crate::ensure_schema_version(tx, PRINCIPALS)?;
        row.extend([
            Value::Int(kind_number(p.kind)),
            Value::Int(flags as i32),
            name_or_null(p.language.as_deref()),
            p.owner.map_or(Value::Null, Value::Int),
            password_set.clone(),
        ]);
    }
    systab::put(tx, &SystemTables::LOGINS, &[p.id.into()], &row)
}

fn write_database_principal(tx: &mut Transaction, p: &Principal) -> SqlResult<()> {
    let version = match p.authentication {
        Authentication::Database => super::attempts::ATTEMPTS,
        _ => PRINCIPALS,
    };
    crate::ensure_schema_version(tx, version)?;
    let sid = p.sid.as_deref().map_or(Value::Null, Value::binary);
    let owner = p.owner.map_or(Value::Null, |id| Value::BigInt(id.into()));
    let number = |n: i32| Value::BigInt(n.into());
    let rows = [
        [number(kind_number(p.kind)), Value::nvarchar(&p.name), sid],
        [owner, name_or_null(p.default_schema.as_deref()), Value::Null],
        [number(p.authentication as i32), Value::nvarchar(&p.password_hash), Value::Null],
        [moment(&p.created), Value::Null, Value::Null],
        [moment(&p.modified), Value::Null, Value::Null],
        [Value::Null, name_or_null(p.language.as_deref()), Value::Null],
    ];
    for (n, row) in (0..).zip(&rows) {
        systab::put(tx, &SystemTables::INFO, &[DATABASE_PRINCIPALS, p.id.into(), n], row)?;
    }
    Ok(())
}

/// Removes a principal, its memberships and the permissions that it has or gave: the caller has seen that nothing else is its own.
pub fn remove(tx: &mut Transaction, scope: Scope, id: i32) -> SqlResult<()> {
    match scope {
        Scope::Server => systab::remove(tx, &SystemTables::LOGINS, &[id.into()])?,
        Scope::Database => {
            let key = [DATABASE_PRINCIPALS, id.into()];
            systab::remove_all(tx, &SystemTables::INFO, &key)?;
        }
    }
    let scope = scope as i64;
    for (key, _) in systab::scan(tx, &SystemTables::INFO, &[MEMBERS, scope])? {
        if key[2..].contains(&id.into()) {
            systab::remove(tx, &SystemTables::INFO, &key)?;
        }
    }
    for (key, _) in systab::scan(tx, &SystemTables::INFO, &[PERMISSIONS, scope])? {
        if key.get(5..7).is_some_and(|both| both.contains(&id.into())) {
            systab::remove(tx, &SystemTables::INFO, &key)?;
        }
    }
    Ok(())
}

/// Makes somebody a member of a role.
pub fn add_member(tx: &mut Transaction, scope: Scope, role: i32, member: i32) -> SqlResult<()> {
    crate::ensure_schema_version(tx, PRINCIPALS)?;
    let key = [MEMBERS, scope as i64, role.into(), member.into()];
    systab::put(tx, &SystemTables::INFO, &key, &[Value::Null, Value::Null, Value::Null])
}

/// Takes a member out of a role.
pub fn drop_member(tx: &mut Transaction, scope: Scope, role: i32, member: i32) -> SqlResult<()> {
    let key = [MEMBERS, scope as i64, role.into(), member.into()];
    systab::remove(tx, &SystemTables::INFO, &key)
}

fn permission_key(scope: Scope, key: &PermissionKey) -> [i64; 8] {
    [
        PERMISSIONS,
        scope as i64,
        key.class.into(),
        key.major.into(),
        key.minor.into(),
        key.grantee.into(),
        key.grantor.into(),
        u32::from_be_bytes(key.ty).into(),
    ]
}

/// Writes a permission, in place of the row with the same key.
pub fn put_permission(tx: &mut Transaction, scope: Scope, p: &Permission) -> SqlResult<()> {
    crate::ensure_schema_version(tx, PRINCIPALS)?;
    let row = [Value::BigInt(p.state as i64), Value::Null, Value::Null];
    systab::put(tx, &SystemTables::INFO, &permission_key(scope, &p.key), &row)
}

/// Removes a permission; one that was there from the beginning does not come back.
pub fn remove_permission(tx: &mut Transaction, scope: Scope, key: &PermissionKey) -> SqlResult<()> {
    let database = tx.database().id().0;
    if super::fixed::permissions(scope, database).contains(key) {
        crate::ensure_schema_version(tx, PRINCIPALS)?;
        let row = [Value::BigInt(GONE), Value::Null, Value::Null];
        return systab::put(tx, &SystemTables::INFO, &permission_key(scope, key), &row);
    }
    systab::remove(tx, &SystemTables::INFO, &permission_key(scope, key))
}

/// Removes all permissions on a securable that goes away or changes its owner.
pub fn remove_permissions_on(
    tx: &mut Transaction,
    scope: Scope,
    class: u8,
    major: i32,
) -> SqlResult<()> {
    let key = [PERMISSIONS, scope as i64, class.into(), major.into()];
    systab::remove_all(tx, &SystemTables::INFO, &key)
}

/// Gives an object (class 1) or a type (class 6) an owner of its own, or with none that of its schema again.
pub fn set_owner(tx: &mut Transaction, class: u8, id: i32, owner: Option<i32>) -> SqlResult<()> {
    let key = [OWNERS, class.into(), id.into()];
    match owner {
        Some(owner) => {
            crate::ensure_schema_version(tx, OWNED)?;
            let row = [Value::BigInt(owner.into()), Value::Null, Value::Null];
            systab::put(tx, &SystemTables::INFO, &key, &row)
        }
        None => systab::remove(tx, &SystemTables::INFO, &key),
    }
}

/// Removes all permissions on a column that goes away.
pub fn remove_permissions_on_column(
    tx: &mut Transaction,
    table: i32,
    column: i32,
) -> SqlResult<()> {
    let key = [PERMISSIONS, Scope::Database as i64, 1, table.into(), column.into()];
    systab::remove_all(tx, &SystemTables::INFO, &key)
}

fn some_text(row: &[Value], column: usize) -> SqlResult<Option<Arc<str>>> {
    let text = text(row, column)?;
    Ok(Some(text).filter(|t| !t.is_empty()).map(Arc::from))
}

fn read_login(id: i64, row: &[Value]) -> SqlResult<Principal> {
    let kind = match number_or_null(row, 7) {
        None | Some(0) => PrincipalKind::Login,
        Some(1) => PrincipalKind::ServerRole,
        Some(_) => return Err(damaged("a login")),
    };
    let flags = number_or_null(row, 8).unwrap_or(0);
    let language = match row.get(7) {
        None | Some(Value::Null) => Some("us_english".into()),
        _ => some_text(row, 9)?,
    };
    Ok(Principal {
        sid: Some(bytes(row, 1)?.to_vec()),
        password_hash: text(row, 2)?,
        created: row[5].clone(),
        modified: row[6].clone(),
        language,
        owner: number_or_null(row, 10).map(|id| id as i32),
        login: LoginFacts {
            is_disabled: number(row, 3)? != 0,
            default_database: text(row, 4)?,
            check_policy: flags & POLICY != 0,
            check_expiration: flags & EXPIRATION != 0,
            must_change: flags & MUST_CHANGE != 0,
            password_set: row.get(11).cloned().unwrap_or(Value::Null),
        },
        ..Principal::new(id as i32, &text(row, 0)?, kind)
    })
}

/// Puts one row of a principal of a database into it.
fn take(p: &mut Principal, part: i64, row: &[Value]) -> SqlResult<()> {
    match part {
        0 => {
            p.kind = match number(row, 0)? {
                0 => PrincipalKind::User,
                1 => PrincipalKind::Role,
                2 => PrincipalKind::ApplicationRole,
                _ => return Err(damaged("a principal")),
            };
            p.name = text(row, 1)?.into();
            p.sid = Some(bytes(row, 2)?.to_vec()).filter(|sid| !sid.is_empty());
        }
        1 => {
            p.owner = number_or_null(row, 0).map(|id| id as i32);
            p.default_schema = some_text(row, 1)?;
        }
        2 => {
            p.authentication = match number(row, 0)? {
                0 => Authentication::None,
                1 => Authentication::Instance,
                2 => Authentication::Database,
                _ => return Err(damaged("a principal")),
            };
            p.password_hash = text(row, 1)?;
        }
        3 => p.created = moment_of(number_or_null(row, 0)),
        4 => p.modified = moment_of(number_or_null(row, 0)),
        5 => p.language = some_text(row, 1)?,
        _ => return Err(damaged("a principal")),
    }
    Ok(())
}

fn read_database_principals(tx: &mut Transaction, all: &mut Principals) -> SqlResult<()> {
    let mut open: Option<Principal> = None;
    for (key, row) in systab::scan(tx, &SystemTables::INFO, &[DATABASE_PRINCIPALS])? {
        let &[_, id, part] = key.as_slice() else { return Err(damaged("a principal's key")) };
        let id = i32::try_from(id).map_err(|_| damaged("a principal's key"))?;
        if open.as_ref().is_none_or(|p| p.id != id) {
            open.take().into_iter().for_each(|p| all.insert(p));
            open = Some(Principal::new(id, "", PrincipalKind::User));
        }
        open.as_mut().map_or(Ok(()), |p| take(p, part, &row))?;
    }
    open.into_iter().for_each(|p| all.insert(p));
    Ok(())
}

/// All principals of a scope, the fixed rows among them.
pub(super) fn read(tx: &mut Transaction, scope: Scope) -> SqlResult<Principals> {
    let mut all = Principals::fixed(scope, tx.database().id().0);
    match scope {
        Scope::Server => {
            for (key, row) in systab::scan(tx, &SystemTables::LOGINS, &[])? {
                all.insert(read_login(key[0], &row)?);
            }
        }
        Scope::Database => read_database_principals(tx, &mut all)?,
    }
    for (key, _) in systab::scan(tx, &SystemTables::INFO, &[MEMBERS, scope as i64])? {
        let &[_, _, role, member] = key.as_slice() else { return Err(damaged("a member's key")) };
        all.members.insert((role as i32, member as i32));
    }
    for (key, row) in systab::scan(tx, &SystemTables::INFO, &[PERMISSIONS, scope as i64])? {
        let &[_, _, class, major, minor, grantee, grantor, ty] = key.as_slice() else {
            return Err(damaged("a permission's key"));
        };
        let key = PermissionKey {
            class: class as u8,
            major: major as i32,
            minor: minor as i32,
            grantee: grantee as i32,
            grantor: grantor as i32,
            ty: (ty as u32).to_be_bytes(),
        };
        let state = match number(&row, 0)? {
            GONE => {
                all.permissions.remove(&key);
                continue;
            }
            0 => PermissionState::Grant,
            1 => PermissionState::GrantWithGrantOption,
            2 => PermissionState::Deny,
            3 => PermissionState::Revoke,
            _ => return Err(damaged("a permission")),
        };
        all.permissions.insert(key, state);
    }
    if scope == Scope::Database {
        for (key, row) in systab::scan(tx, &SystemTables::INFO, &[OWNERS])? {
            let &[_, class, id] = key.as_slice() else { return Err(damaged("an owner's key")) };
            let class = u8::try_from(class).map_err(|_| damaged("an owner's key"))?;
            all.owners.insert((class, id as i32), number(&row, 0)? as i32);
        }
    }
    Ok(all)
}
