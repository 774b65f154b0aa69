//! Principals, configuration options, sys.messages.

use super::cell::{Column, Columns, IntoCell, no, null};
use super::{Declaration, Reach, Rows, ViewContext, by_column, sys};
use crate::catalog::master;
use crate::catalog::principals::{Principal, PrincipalKind, Principals, hash_as_bytes};
use crate::configurations::{CONFIGURATIONS, Option_, configured, in_force};
use crate::features::needs;
use crate::permissions::{PermissionId, SecurableClass, known};
use crate::row;
use std::sync::Arc;
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
            |cx, _, rows| {
                for m in taffrail_base::message::MESSAGES {
                    rows.push(row![m.number, 1033, m.listed_severity(), m.is_logged(), m.text]);
                }
                let databases = cx.session.instance.databases();
                let own = databases.messages().all(&databases.master()?.storage)?;
                for ((number, language), m) in own.iter() {
                    rows.push(row![*number, *language, m.severity, m.is_logged, &m.text]);
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
            |cx, _, rows| {
                let all = cx.session.server_principals();
                let sees = cx.session.sees_principals(all.clone(), None);
                for (role, member) in all.members() {
                    // The members of fixed roles are everybody's to see.
                    let fixed = all.get(role).is_some_and(|p| p.is_fixed);
                    if fixed || sees(role) && sees(member) {
                        rows.push(row![role, member]);
                    }
                }
                Ok(())
            },
        ),
        sys(
            "database_role_members",
            needs::DATABASE_MEMBERS,
            &["role_principal_id int! · member_principal_id int!"],
            |cx, _, rows| {
                let sees = cx.session.sees_principals(here(cx), Some(cx.database));
                for (role, member) in here(cx).members() {
                    if sees(role) && sees(member) {
                        rows.push(row![role, member]);
                    }
                }
                Ok(())
            },
        ),
    ]);
}

/// The principals of the database that is looked at.
pub(super) fn here(cx: &ViewContext<'_>) -> Arc<Principals> {
    cx.session.principals_of(cx.database)
}

/// A principal as the views show it, with what its scope knows of it.
pub(super) struct Shown {
    pub principal: Arc<Principal>,
    /// The moment at which the fixed ones came: master's or the database's.
    born: Option<Value>,
    /// The security identifier of dbo: that of the database's owner.
    owner_sid: Vec<u8>,
}

impl Shown {
    pub(super) fn created(&self) -> Value {
        match &self.principal.created {
            Value::Null => self.born.clone().cell(),
            created => created.clone().cell(),
        }
    }

    pub(super) fn modified(&self) -> Value {
        match &self.principal.modified {
            Value::Null => self.born.clone().cell(),
            modified => modified.clone().cell(),
        }
    }

    pub(super) fn sid(&self) -> Option<&[u8]> {
        match self.principal.kind == PrincipalKind::User && self.principal.id == 1 {
            true => Some(&self.owner_sid),
            false => self.principal.sid.as_deref(),
        }
    }
}

/// Logins and roles of the server, by id.
pub(super) fn on_server(cx: &ViewContext<'_>) -> Vec<Shown> {
    let born = cx.session.instance.databases().slot("master").map(|s| s.entry.created);
    let shown = |p: &Arc<Principal>| Shown {
        principal: p.clone(),
        born: born.clone(),
        owner_sid: Vec::new(),
    };
    let all = cx.session.server_principals();
    let sees = cx.session.sees_principals(all.clone(), None);
    all.all().filter(|p| sees(p.id)).map(shown).collect()
}

/// Users and roles of the database, by id.
pub(super) fn in_database(cx: &ViewContext<'_>) -> Vec<Shown> {
    let slot = cx.session.instance.databases().slot(&cx.database.name);
    let born = slot.map(|s| s.entry.created);
    let owner_sid = cx.session.instance.owner_sid(cx.database);
    let shown = |p: &Arc<Principal>| Shown {
        principal: p.clone(),
        born: born.clone(),
        owner_sid: owner_sid.clone(),
    };
    let all = here(cx);
    let sees = cx.session.sees_principals(all.clone(), Some(cx.database));
    all.all().filter(|p| sees(p.id)).map(shown).collect()
}

fn is_login(p: &Shown) -> bool {
    p.principal.kind == PrincipalKind::Login
}

/// What sys.server_principals and sys.sql_logins have in common.
const PRINCIPAL: &[Column<Shown>] = &[
    ("name sysname!", |p| (&*p.principal.name).cell()),
    ("principal_id int!", |p| p.principal.id.cell()),
    ("sid varbinary(85)?", |p| p.sid().cell()),
    ("type char(1)!", |p| p.principal.kind.letter().cell()),
    ("type_desc nvarchar(60)?", |p| p.principal.kind.description().cell()),
    ("is_disabled bit?", |p| p.principal.login.is_disabled.cell()),
    ("create_date datetime!", Shown::created),
    ("modify_date datetime!", Shown::modified),
    ("default_database_name sysname?", |p| {
        is_login(p).then_some(&p.principal.login.default_database).cell()
    }),
    ("default_language_name sysname?", |p| p.principal.language.as_deref().cell()),
    ("credential_id int?", null),
];

const SERVER_PRINCIPALS: Columns<Shown> = &[
    PRINCIPAL,
    &[
        ("owning_principal_id int?", |p| p.principal.owner.cell()),
        ("is_fixed_role bit!", |p| p.principal.is_fixed_role().cell()),
    ],
];

const SQL_LOGINS: Columns<Shown> = &[
    PRINCIPAL,
    &[
        ("is_policy_checked bit?", |p| p.principal.login.check_policy.cell()),
        ("is_expiration_checked bit?", |p| p.principal.login.check_expiration.cell()),
        ("password_hash varbinary(256)?", |p| {
            hash_as_bytes(&p.principal.password_hash).as_deref().cell()
        }),
    ],
];

/// The permission to see hashes of passwords.
const HASHES: PermissionId =
    known(SecurableClass::Server, "VIEW ANY CRYPTOGRAPHICALLY SECURED DEFINITION");

fn server_principals(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    on_server(cx).iter().for_each(|p| rows.show(SERVER_PRINCIPALS, p));
    Ok(())
}

fn sql_logins(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let hashes = cx.session.may_on_server(HASHES);
    for mut login in on_server(cx).into_iter().filter(is_login) {
        if !hashes {
            let known = (*login.principal).clone();
            login.principal = Arc::new(Principal { password_hash: String::new(), ..known });
        }
        rows.show(SQL_LOGINS, &login);
    }
    Ok(())
}

const DATABASE_PRINCIPAL: &[Column<Shown>] = &[
    ("name sysname!", |p| (&*p.principal.name).cell()),
    ("principal_id int!", |p| p.principal.id.cell()),
    ("type char(1)!", |p| p.principal.kind.letter().cell()),
    ("type_desc nvarchar(60)?", |p| p.principal.kind.description().cell()),
    ("default_schema_name sysname?", |p| p.principal.default_schema.as_deref().cell()),
    ("create_date datetime!", Shown::created),
    ("modify_date datetime!", Shown::modified),
    ("owning_principal_id int?", |p| p.principal.owner.cell()),
    ("sid varbinary(85)?", |p| p.sid().cell()),
    ("is_fixed_role bit!", |p| p.principal.is_fixed_role().cell()),
    ("authentication_type int!", |p| (p.principal.authentication as i32).cell()),
    ("authentication_type_desc nvarchar(60)?", |p| {
        ["NONE", "INSTANCE", "DATABASE"][p.principal.authentication as usize].cell()
    }),
    ("default_language_name sysname?", |p| p.principal.language.as_deref().cell()),
    ("default_language_lcid int?", |p| {
        let name = p.principal.language.as_deref();
        name.and_then(|name| languages().iter().find(|l| l.name == name)).map(|l| l.lcid).cell()
    }),
    ("allow_encrypted_value_modifications bit!", no),
];

fn database_principals(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    in_database(cx).iter().for_each(|p| rows.show(&[DATABASE_PRINCIPAL], p));
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
