//! The principals that are everywhere, their memberships, and the permissions that are there from the beginning.

use super::{
    Authentication, DB_OWNER, DBO_USER, FIXED_ROLES, GUEST, LoginFacts, PermissionKey, Principal,
    PrincipalKind, SA, SERVER_PUBLIC, SYSADMIN, Scope,
};

/// Server roles: id, name.
const SERVER_ROLES: [(i32, &str); 19] = [
    (SERVER_PUBLIC, "public"),
    (SYSADMIN, "sysadmin"),
    (4, "securityadmin"),
    (5, "serveradmin"),
    (6, "setupadmin"),
    (7, "processadmin"),
    (8, "diskadmin"),
    (9, "dbcreator"),
    (10, "bulkadmin"),
    (11, "##MS_ServerStateReader##"),
    (12, "##MS_ServerStateManager##"),
    (13, "##MS_DefinitionReader##"),
    (14, "##MS_DatabaseConnector##"),
    (15, "##MS_DatabaseManager##"),
    (16, "##MS_LoginManager##"),
    (17, "##MS_SecurityDefinitionReader##"),
    (18, "##MS_PerformanceDefinitionReader##"),
    (19, "##MS_ServerSecurityStateReader##"),
    (20, "##MS_ServerPerformanceStateReader##"),
];

/// Users and roles of a database: id, name.
const DATABASE_PRINCIPALS: [(i32, &str); 14] = [
    (0, "public"),
    (DBO_USER, "dbo"),
    (GUEST, "guest"),
    (3, "INFORMATION_SCHEMA"),
    (4, "sys"),
    (DB_OWNER, "db_owner"),
    (16_385, "db_accessadmin"),
    (16_386, "db_securityadmin"),
    (16_387, "db_ddladmin"),
    (16_389, "db_backupoperator"),
    (16_390, "db_datareader"),
    (16_391, "db_datawriter"),
    (16_392, "db_denydatareader"),
    (16_393, "db_denydatawriter"),
];

/// The sid of a role of a database: an authority, a sub-authority and four numbers.
fn role_sid(last: [u32; 4]) -> Vec<u8> {
    let mut sid = vec![1, 5, 0, 0, 0, 0, 0, 9, 4, 0, 0, 0];
    sid.extend(last.iter().flat_map(|n| n.to_le_bytes()));
    sid
}

fn server_principals() -> Vec<Principal> {
    let mut sa = Principal::new(SA, "sa", PrincipalKind::Login);
    sa.sid = Some(vec![1]);
    sa.language = Some("us_english".into());
    sa.login = LoginFacts { default_database: "master".into(), ..LoginFacts::default() };
    let role = |(id, name)| Principal {
        sid: Some(vec![id as u8]),
        owner: Some(SA),
        is_fixed: true,
        ..Principal::new(id, name, PrincipalKind::ServerRole)
    };
    [sa].into_iter().chain(SERVER_ROLES.map(role)).collect()
}

fn database_principal((id, name): (i32, &str)) -> Principal {
    let is_role = id == super::PUBLIC || id >= FIXED_ROLES;
    let kind = if is_role { PrincipalKind::Role } else { PrincipalKind::User };
    let mut p = Principal::new(id, name, kind);
    p.is_fixed = true;
    p.owner = is_role.then_some(DBO_USER);
    p.default_schema = matches!(id, DBO_USER | GUEST).then(|| name.into());
    p.sid = match id {
        DBO_USER => Some(vec![1]),
        GUEST => Some(vec![0]),
        super::PUBLIC => Some(role_sid([0x001B_7483, 0x4BC0_4967, 0x27C0_43A9, 0x62A7_F202])),
        _ if is_role => Some(role_sid([0, 0, 0, id as u32])),
        _ => None,
    };
    if id == DBO_USER {
        p.authentication = Authentication::Instance;
    }
    p
}

/// The principals of a scope that are everywhere.
pub(super) fn principals(scope: Scope) -> Vec<Principal> {
    match scope {
        Scope::Server => server_principals(),
        Scope::Database => DATABASE_PRINCIPALS.map(database_principal).to_vec(),
    }
}

/// The memberships that nobody takes away: role, member.
pub(super) fn members(scope: Scope) -> [(i32, i32); 1] {
    match scope {
        Scope::Server => [(SYSADMIN, SA)],
        Scope::Database => [(DB_OWNER, DBO_USER)],
    }
}

/// A permission on the server or the database itself, granted by its owner.
fn at_birth(class: u8, major: i32, grantee: i32, ty: &[u8; 4]) -> PermissionKey {
    PermissionKey { class, major, minor: 0, grantee, grantor: 1, ty: *ty }
}

/// The permissions that are granted at birth, of the server or of a database. A row of one's own takes their place.
pub(super) fn permissions(scope: Scope, database: u16) -> Vec<PermissionKey> {
    match scope {
        Scope::Server => {
            let mut all =
                vec![at_birth(100, 0, SA, b"COSQ"), at_birth(100, 0, SERVER_PUBLIC, b"VWDB")];
            all.extend((2..=5).map(|endpoint| at_birth(105, endpoint, SERVER_PUBLIC, b"CO  ")));
            all
        }
        Scope::Database => {
            let mut all = vec![
                at_birth(0, 0, DBO_USER, b"CO  "),
                at_birth(0, 0, super::PUBLIC, b"VWCK"),
                at_birth(0, 0, super::PUBLIC, b"VWCM"),
            ];
            // master, tempdb, msdb
            if matches!(database, 1 | 2 | 4) {
                all.push(at_birth(0, 0, GUEST, b"CO  "));
            }
            all
        }
    }
}
