//! Principals, configuration options, sys.messages.

use super::cell::{Column, Columns, IntoCell, no, null};
use super::{Declaration, Reach, Rows, ViewContext, by_column, sys};
use crate::catalog::master;
use crate::catalog::registry::SA_SID;
use crate::configurations::{CONFIGURATIONS, Option_, configured, in_force};
use crate::exec::functions::fixed_principals;
use crate::features::needs;
use crate::row;
use taffrail_base::SqlResult;
use taffrail_types::Value;
use taffrail_types::datetime::language::languages;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        by_column("server_principals", needs::METADATA, SERVER_PRINCIPALS, server_principals),
        by_column("sql_logins", needs::LOGINS_SEEN, SQL_LOGINS, sql_logins),
        by_column(
            "database_principals",
            needs::METADATA,
            &[DATABASE_PRINCIPAL],
            database_principals,
        ),
        sys(
            "configurations",
            needs::PUBLIC,
            &[
                "configuration_id int!",
                "name nvarchar(35)!",
                "value sql_variant?",
                "minimum sql_variant?",
                "maximum sql_variant?",
                "value_in_use sql_variant?",
                "description nvarchar(255)!",
                "is_dynamic bit!",
                "is_advanced bit!",
            ],
            configurations,
        ),
        sys(
            "messages",
            needs::PUBLIC,
            &[
                "message_id int!",
                "language_id smallint!",
                "severity tinyint?",
                "is_event_logged bit!",
                "text nvarchar(2048)!",
            ],
            |_, _, rows| {
                for m in taffrail_base::message::MESSAGES {
                    rows.push(row![m.number, 1033, m.listed_severity(), m.is_logged(), m.text]);
                }
                Ok(())
            },
        ),
        sys(
            "syslanguages",
            needs::PUBLIC,
            &[
                "langid smallint!",
                "dateformat nchar(3)!",
                "datefirst tinyint!",
                "upgrade int?",
                "name sysname!",
                "alias sysname?",
                "months nvarchar(372)?",
                "shortmonths nvarchar(132)?",
                "days nvarchar(217)?",
                "lcid int!",
                "msglangid smallint!",
            ],
            |_, _, rows| {
                for l in languages() {
                    let list = |names: &[&str]| names.join(",");
                    let (months, short) = (list(&l.months), list(&l.short_months));
                    let (id, format) = (i16::from(l.id.number()), l.date_format.name());
                    rows.push(row![
                        id,
                        format,
                        l.date_first,
                        0,
                        l.name,
                        l.alias,
                        months,
                        short,
                        list(&l.days),
                        l.lcid,
                        l.message_lcid as i16
                    ]);
                }
                Ok(())
            },
        )
        .reached(Reach::Bare),
        sys(
            "server_role_members",
            needs::SERVER_MEMBERS,
            &["role_principal_id int! · member_principal_id int!"],
            |_, _, rows| {
                rows.push(row![3, 1]);
                Ok(())
            },
        ),
        sys(
            "database_role_members",
            needs::DATABASE_MEMBERS,
            &["role_principal_id int! · member_principal_id int!"],
            |_, _, rows| {
                for (role, member) in DATABASE_ROLE_MEMBERS {
                    rows.push(row![role, member]);
                }
                Ok(())
            },
        ),
    ]);
}

/// Roles of a database, each with a member.
pub(super) const DATABASE_ROLE_MEMBERS: [(i32, i32); 1] = [(16_384, 1)];

/// The server role that everybody is in.
const PUBLIC: i32 = 2;

const SERVER_ROLES: [(i32, &str); 9] = [
    (PUBLIC, "public"),
    (3, "sysadmin"),
    (4, "securityadmin"),
    (5, "serveradmin"),
    (6, "setupadmin"),
    (7, "processadmin"),
    (8, "diskadmin"),
    (9, "dbcreator"),
    (10, "bulkadmin"),
];

pub(super) fn logins(cx: &ViewContext<'_>) -> SqlResult<Vec<master::LoginEntry>> {
    master::logins(&cx.session.instance.databases().master()?.storage)
}

/// A login or a role of the server.
struct ServerPrincipal {
    name: String,
    id: i32,
    sid: Vec<u8>,
    /// Of a login; a role has none.
    login: Option<master::LoginEntry>,
    created: Option<Value>,
    modified: Option<Value>,
}

/// What sys.server_principals and sys.sql_logins have in common.
const PRINCIPAL: &[Column<ServerPrincipal>] = &[
    ("name sysname!", |p| (&p.name).cell()),
    ("principal_id int!", |p| p.id.cell()),
    ("sid varbinary(85)?", |p| (&p.sid[..]).cell()),
    ("type char(1)!", |p| (if p.login.is_some() { "S" } else { "R" }).cell()),
    ("type_desc nvarchar(60)?", |p| {
        (if p.login.is_some() { "SQL_LOGIN" } else { "SERVER_ROLE" }).cell()
    }),
    ("is_disabled bit?", |p| p.login.as_ref().is_some_and(|l| l.is_disabled).cell()),
    ("create_date datetime!", |p| p.created.clone().cell()),
    ("modify_date datetime!", |p| p.modified.clone().cell()),
    ("default_database_name sysname?", |p| p.login.as_ref().map(|l| &l.default_database).cell()),
    ("default_language_name sysname?", |p| p.login.as_ref().map(|_| "us_english").cell()),
    ("credential_id int?", null),
];

const SERVER_PRINCIPALS: Columns<ServerPrincipal> = &[
    PRINCIPAL,
    &[
        ("owning_principal_id int?", |p| p.login.is_none().then_some(1_i32).cell()),
        ("is_fixed_role bit!", |p| (p.login.is_none() && p.id != PUBLIC).cell()),
    ],
];

const SQL_LOGINS: Columns<ServerPrincipal> = &[
    PRINCIPAL,
    &[
        ("is_policy_checked bit?", no),
        ("is_expiration_checked bit?", no),
        ("password_hash varbinary(256)?", null),
    ],
];

impl ServerPrincipal {
    fn of_login(l: master::LoginEntry) -> ServerPrincipal {
        ServerPrincipal {
            name: l.name.clone(),
            id: l.id,
            sid: l.sid.clone(),
            created: Some(l.created.clone()),
            modified: Some(l.modified.clone()),
            login: Some(l),
        }
    }
}

fn server_principals(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for l in logins(cx)? {
        rows.show(SERVER_PRINCIPALS, &ServerPrincipal::of_login(l));
    }
    let created = cx.session.instance.databases().slot("master").map(|s| s.entry.created);
    for (id, name) in SERVER_ROLES {
        let role = ServerPrincipal {
            name: name.into(),
            id,
            sid: vec![id as u8],
            login: None,
            created: created.clone(),
            modified: created.clone(),
        };
        rows.show(SERVER_PRINCIPALS, &role);
    }
    Ok(())
}

fn sql_logins(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for l in logins(cx)? {
        rows.show(SQL_LOGINS, &ServerPrincipal::of_login(l));
    }
    Ok(())
}

/// A user or a role of a database.
struct DatabasePrincipal {
    id: i32,
    name: &'static str,
    is_role: bool,
    schema: Option<&'static str>,
    created: Option<Value>,
}

/// The sid of a user of every database: dbo is a login's, the others are nobody's.
pub(super) fn sid_of(id: i32) -> Option<&'static [u8]> {
    match id {
        1 => Some(&SA_SID[..]),
        2 => Some(&[0][..]),
        _ => None,
    }
}

/// sys.database_principals. dbo is a login's, the others nobody's.
const DATABASE_PRINCIPAL: &[Column<DatabasePrincipal>] = &[
    ("name sysname!", |p| p.name.cell()),
    ("principal_id int!", |p| p.id.cell()),
    ("type char(1)!", |p| (if p.is_role { "R" } else { "S" }).cell()),
    ("type_desc nvarchar(60)?", |p| (if p.is_role { "DATABASE_ROLE" } else { "SQL_USER" }).cell()),
    ("default_schema_name sysname?", |p| p.schema.cell()),
    ("create_date datetime!", |p| p.created.clone().cell()),
    ("modify_date datetime!", |p| p.created.clone().cell()),
    ("owning_principal_id int?", |p| p.is_role.then_some(1_i32).cell()),
    ("sid varbinary(85)?", |p| sid_of(p.id).cell()),
    ("is_fixed_role bit!", |p| (p.id >= 16384).cell()),
    ("authentication_type int!", |p| i32::from(p.id == 1).cell()),
    ("authentication_type_desc nvarchar(60)?", |p| {
        (if p.id == 1 { "INSTANCE" } else { "NONE" }).cell()
    }),
    ("default_language_name sysname?", null),
    ("default_language_lcid int?", null),
    ("allow_encrypted_value_modifications bit!", no),
];

fn database_principals(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let slot = cx.session.instance.databases().slot(&cx.database.name);
    let created = slot.map(|s| s.entry.created);
    for (id, name) in fixed_principals() {
        let is_role = id == 0 || id >= 16_384;
        let schema = matches!(id, 1 | 2).then_some(name);
        let created = created.clone();
        rows.show(&[DATABASE_PRINCIPAL], &DatabasePrincipal { id, name, is_role, schema, created });
    }
    Ok(())
}

fn configurations(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let databases = cx.session.instance.databases();
    let set = master::configurations(&databases.master()?.storage)?;
    let running = databases.running_configurations();
    let mut all: Vec<&Option_> = CONFIGURATIONS.iter().collect();
    all.sort_by_key(|option| option.0);
    for option in all {
        let instance = &cx.session.instance;
        let value = configured(instance, option, &set);
        let in_use = in_force(instance, option, &running);
        let (id, name, _, min, max, description, dynamic, advanced) = *option;
        rows.push(row![id, name, value, min, max, in_use, description, dynamic, advanced]);
    }
    Ok(())
}
