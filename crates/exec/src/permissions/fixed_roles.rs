//! The permissions that fixed roles carry without rows.

use super::{Letters, SecurableClass, code, find};
use std::sync::LazyLock;

/// Those of the fixed server roles, by `principal_id`; sysadmin is asked for by itself.
const OF_SERVER: [(i32, &str); 17] = [
    (4, "ALTER ANY LOGIN,CREATE LOGIN"),
    (
        5,
        "ALTER ANY ENDPOINT,ALTER RESOURCES,ALTER SERVER STATE,ALTER SETTINGS,CREATE ENDPOINT,SHUTDOWN,VIEW SERVER STATE,\
         VIEW SERVER PERFORMANCE STATE,VIEW SERVER SECURITY STATE",
    ),
    (6, "ALTER ANY LINKED SERVER"),
    (
        7,
        "ALTER ANY CONNECTION,ALTER SERVER STATE,VIEW SERVER STATE,VIEW SERVER PERFORMANCE STATE,\
         VIEW SERVER SECURITY STATE",
    ),
    (8, "ALTER RESOURCES"),
    (9, "CREATE ANY DATABASE"),
    (10, "ADMINISTER BULK OPERATIONS"),
    (11, "VIEW SERVER STATE,VIEW SERVER PERFORMANCE STATE,VIEW SERVER SECURITY STATE"),
    (
        12,
        "ALTER SERVER STATE,VIEW SERVER STATE,VIEW SERVER PERFORMANCE STATE,VIEW SERVER SECURITY STATE",
    ),
    (
        13,
        "VIEW ANY DATABASE,VIEW ANY DEFINITION,VIEW ANY PERFORMANCE DEFINITION,VIEW ANY SECURITY DEFINITION",
    ),
    (14, "CONNECT ANY DATABASE"),
    (15, "ALTER ANY DATABASE,CREATE ANY DATABASE"),
    (16, "ALTER ANY LOGIN,CREATE LOGIN"),
    (17, "VIEW ANY SECURITY DEFINITION"),
    (18, "VIEW ANY PERFORMANCE DEFINITION"),
    (19, "VIEW SERVER SECURITY STATE"),
    (20, "VIEW SERVER PERFORMANCE STATE"),
];

/// Those of the fixed database roles, by `principal_id`.
const OF_DATABASE: [(i32, &str); 7] = [
    (16384, "CONTROL"),
    (16385, "ALTER ANY USER,CREATE SCHEMA,CONNECT"),
    (16386, "ALTER ANY ROLE,ALTER ANY APPLICATION ROLE,CREATE ROLE,CREATE SCHEMA,VIEW DEFINITION"),
    (
        16387,
        "ALTER ANY ASSEMBLY,ALTER ANY ASYMMETRIC KEY,ALTER ANY CERTIFICATE,ALTER ANY CONTRACT,\
         ALTER ANY DATABASE DDL TRIGGER,ALTER ANY DATABASE EVENT NOTIFICATION,ALTER ANY DATASPACE,\
         ALTER ANY EXTERNAL DATA SOURCE,ALTER ANY EXTERNAL FILE FORMAT,ALTER ANY EXTERNAL JOB,\
         ALTER ANY EXTERNAL LANGUAGE,ALTER ANY EXTERNAL LIBRARY,ALTER ANY EXTERNAL STREAM,\
         ALTER ANY FULLTEXT CATALOG,ALTER ANY MESSAGE TYPE,ALTER ANY REMOTE SERVICE BINDING,ALTER ANY ROUTE,\
         ALTER ANY SCHEMA,ALTER ANY SERVICE,ALTER ANY SYMMETRIC KEY,\
         CREATE AGGREGATE,CREATE DEFAULT,CREATE FUNCTION,CREATE PROCEDURE,CREATE QUEUE,CREATE RULE,CREATE SYNONYM,\
         CREATE TABLE,CREATE TYPE,CREATE VIEW,CREATE XML SCHEMA COLLECTION,CREATE SCHEMA,\
         ALTER LEDGER,ENABLE LEDGER,CHECKPOINT,REFERENCES",
    ),
    (16389, "BACKUP DATABASE,BACKUP LOG,CHECKPOINT"),
    (16390, "SELECT"),
    (16391, "INSERT,UPDATE,DELETE"),
];

/// The permissions that two fixed database roles deny.
const DENIED: [(i32, &str); 2] = [(16392, "SELECT"), (16393, "INSERT,UPDATE,DELETE")];

/// A permission that a fixed role carries.
pub(super) struct Carried {
    /// The `principal_id` of the role.
    pub role: i32,
    /// The letters of the permission.
    pub code: Letters,
    /// The role denies the permission.
    pub denied: bool,
}

fn list(of: &[(i32, &'static str)], class: SecurableClass, denied: bool) -> Vec<Carried> {
    let each = |(role, names): &(i32, &'static str)| {
        let role = *role;
        names.split(',').map(move |name| {
            let id = find(class, name).expect("a fixed role carries built-in permissions");
            Carried { role, code: code(id.permission().code), denied }
        })
    };
    of.iter().flat_map(each).collect()
}

/// The permissions of the fixed server roles.
pub(super) static SERVER: LazyLock<Vec<Carried>> =
    LazyLock::new(|| list(&OF_SERVER, SecurableClass::Server, false));

/// The permissions of the fixed database roles, those that two of them deny among them.
pub(super) static DATABASE: LazyLock<Vec<Carried>> = LazyLock::new(|| {
    let mut all = list(&OF_DATABASE, SecurableClass::Database, false);
    all.extend(list(&DENIED, SecurableClass::Database, true));
    all
});
