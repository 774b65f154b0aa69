//! The server, its logins and a database's users in the catalogue of SQL Server 2000: syslogins, sysusers, sysmembers, sysconfigures,
//! syscurconfigs, syscharsets, sysfilegroups, sysmessages.

use super::cell::{Column, Columns, IntoCell, Rows, null};
use super::principals::{Shown, here, in_database, on_server};
use super::{Declaration, Reach, ViewContext, by_column};
use crate::catalog::master;
use crate::catalog::messages::ENGLISH;
use crate::catalog::principals::{PermissionState, PrincipalKind};
use crate::configurations::{CONFIGURATIONS, Option_, configured, in_force};
use crate::features::needs;
use taffrail_base::SqlResult;
use taffrail_base::message::{MESSAGES, Message};
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        by_column("syslogins", needs::METADATA, LOGINS, logins).reached(Reach::Bare),
        by_column("sysusers", needs::METADATA, USERS, users).reached(Reach::Bare),
        by_column("sysmembers", needs::METADATA, MEMBERS, |cx, _, rows| {
            here(cx).members().for_each(|member| rows.show(MEMBERS, &member));
            Ok(())
        })
        .reached(Reach::Bare),
        by_column("sysconfigures", needs::PUBLIC, CONFIGURES, |cx, _, rows| {
            options(cx, rows, CONFIGURES, false)
        })
        .reached(Reach::Bare),
        by_column("syscurconfigs", needs::PUBLIC, CURRENT, |cx, _, rows| {
            options(cx, rows, CURRENT, true)
        })
        .reached(Reach::Bare),
        by_column("syscharsets", needs::PUBLIC, CHARACTER_SETS, |_, _, rows| {
            SETS.iter().for_each(|set| rows.show(CHARACTER_SETS, set));
            Ok(())
        })
        .reached(Reach::Bare),
        by_column("sysfilegroups", needs::PUBLIC, FILEGROUPS, |_, _, rows| {
            rows.show(FILEGROUPS, &Primary);
            Ok(())
        })
        .reached(Reach::Bare),
        by_column("sysmessages", needs::PUBLIC, OLD_MESSAGES, |cx, _, rows| {
            let of = |m: &Message| OldMessage {
                number: m.number,
                severity: m.listed_severity(),
                is_logged: m.is_logged(),
                text: m.text.to_owned(),
                language: ENGLISH,
            };
            MESSAGES.iter().for_each(|message| rows.show(OLD_MESSAGES, &of(message)));
            let databases = cx.session.instance.databases();
            for ((number, language), m) in
                databases.messages().all(&databases.master()?.storage)?.iter()
            {
                let own = OldMessage {
                    number: *number,
                    severity: m.severity,
                    is_logged: m.is_logged,
                    text: m.text.clone(),
                    language: *language,
                };
                rows.show(OLD_MESSAGES, &own);
            }
            Ok(())
        })
        .reached(Reach::Bare),
    ]);
}

fn zero<T>(_: &T) -> Value {
    0_i32.cell()
}

/// A login, and the server roles that it is a member of.
struct OldLogin {
    login: Shown,
    roles: Vec<i32>,
    /// It may connect, and nobody has denied that.
    has_access: bool,
    is_denied: bool,
}

impl OldLogin {
    fn is_in(&self, role: i32) -> Value {
        self.roles.contains(&role).cell()
    }

    fn name(&self) -> Value {
        (&*self.login.principal.name).cell()
    }
}

const LOGINS: Columns<OldLogin> = &[LOGIN_HEAD, LOGIN_ROLES];

const LOGIN_HEAD: &[Column<OldLogin>] = &[
    ("sid varbinary(85)?", |l| l.login.sid().cell()),
    ("status smallint?", |_| 9_i32.cell()),
    ("createdate datetime!", |l| l.login.created()),
    ("updatedate datetime!", |l| l.login.modified()),
    ("accdate datetime!", |l| l.login.created()),
    ("totcpu int?", zero),
    ("totio int?", zero),
    ("spacelimit int?", zero),
    ("timelimit int?", zero),
    ("resultlimit int?", zero),
    ("name sysname!", OldLogin::name),
    ("dbname sysname?", |l| (&l.login.principal.login.default_database).cell()),
    ("password nvarchar(128)?", null),
    ("language sysname?", |l| l.login.principal.language.as_deref().cell()),
    ("denylogin int?", |l| l.is_denied.cell()),
    ("hasaccess int?", |l| l.has_access.cell()),
    ("isntname int?", zero),
    ("isntgroup int?", zero),
    ("isntuser int?", zero),
];

const LOGIN_ROLES: &[Column<OldLogin>] = &[
    ("sysadmin int?", |l| l.is_in(3)),
    ("securityadmin int?", |l| l.is_in(4)),
    ("serveradmin int?", |l| l.is_in(5)),
    ("setupadmin int?", |l| l.is_in(6)),
    ("processadmin int?", |l| l.is_in(7)),
    ("diskadmin int?", |l| l.is_in(8)),
    ("dbcreator int?", |l| l.is_in(9)),
    ("bulkadmin int?", |l| l.is_in(10)),
    ("##MS_ServerStateReader## int?", |l| l.is_in(11)),
    ("##MS_ServerStateManager## int?", |l| l.is_in(12)),
    ("##MS_DefinitionReader## int?", |l| l.is_in(13)),
    ("##MS_DatabaseConnector## int?", |l| l.is_in(14)),
    ("##MS_DatabaseManager## int?", |l| l.is_in(15)),
    ("##MS_LoginManager## int?", |l| l.is_in(16)),
    ("##MS_SecurityDefinitionReader## int?", |l| l.is_in(17)),
    ("##MS_PerformanceDefinitionReader## int?", |l| l.is_in(18)),
    ("##MS_ServerSecurityStateReader## int?", |l| l.is_in(19)),
    ("##MS_ServerPerformanceStateReader## int?", |l| l.is_in(20)),
    ("loginname nvarchar(128)!", OldLogin::name),
];

fn logins(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let all = cx.session.server_principals();
    for login in on_server(cx) {
        let id = login.principal.id;
        if login.principal.kind != PrincipalKind::Login {
            continue;
        }
        let connect = |state: &PermissionState| {
            let is_deny = *state == PermissionState::Deny;
            move |p: crate::catalog::principals::Permission| {
                p.key.grantee == id
                    && p.key.ty == *b"COSQ"
                    && (p.state == PermissionState::Deny) == is_deny
            }
        };
        let is_denied = all.permissions_on(100, 0).any(connect(&PermissionState::Deny));
        let has_access = all.permissions_on(100, 0).any(connect(&PermissionState::Grant));
        let roles = all.members().filter(|(_, member)| *member == id).map(|(role, _)| role);
        rows.show(LOGINS, &OldLogin { roles: roles.collect(), login, has_access, is_denied });
    }
    Ok(())
}

const USERS: Columns<Shown> = &[&[
    ("uid smallint?", |u| u.principal.id.cell()),
    ("status smallint?", zero),
    ("name sysname!", |u| (&*u.principal.name).cell()),
    ("sid varbinary(85)?", |u| u.sid().filter(|_| !u.principal.kind.is_role()).cell()),
    ("roles varbinary(2048)?", null),
    ("createdate datetime!", Shown::created),
    ("updatedate datetime!", Shown::modified),
    ("altuid smallint?", |u| u.principal.owner.cell()),
    ("password varbinary(256)?", null),
    ("gid smallint?", |u| (if u.principal.kind.is_role() { u.principal.id } else { 0 }).cell()),
    ("environ varchar(255)?", null),
    ("hasdbaccess int?", |u| {
        (u.principal.id == 1 || u.principal.id > 4 && u.principal.kind == PrincipalKind::User)
            .cell()
    }),
    ("islogin int?", |u| (u.principal.kind == PrincipalKind::User).cell()),
    ("isntname int?", zero),
    ("isntgroup int?", zero),
    ("isntuser int?", zero),
    ("issqluser int?", |u| (u.principal.kind == PrincipalKind::User).cell()),
    ("isaliased int?", zero),
    ("issqlrole int?", |u| u.principal.kind.is_role().cell()),
    ("isapprole int?", |u| (u.principal.kind == PrincipalKind::ApplicationRole).cell()),
]];

fn users(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    in_database(cx).iter().for_each(|user| rows.show(USERS, user));
    Ok(())
}

/// Role and member.
const MEMBERS: Columns<(i32, i32)> =
    &[&[("memberuid smallint?", |m| m.1.cell()), ("groupuid smallint?", |m| m.0.cell())]];

/// An option and its value.
struct OldOption {
    option: &'static Option_,
    value: i64,
}

impl OldOption {
    /// 1 where RECONFIGURE brings it into force, and 2 where it is an advanced one.
    fn status(&self) -> i32 {
        let (.., is_dynamic, is_advanced) = *self.option;
        i32::from(is_dynamic) | i32::from(is_advanced) << 1
    }
}

const CONFIGURES: Columns<OldOption> = &[&[
    ("value int?", |o| o.value.cell()),
    ("config int!", |o| o.option.0.cell()),
    ("comment nvarchar(255)!", |o| o.option.5.cell()),
    ("status smallint?", |o| o.status().cell()),
]];

const CURRENT: Columns<OldOption> = &[&[
    ("value int!", |o| o.value.cell()),
    ("config smallint?", |o| o.option.0.cell()),
    ("comment nvarchar(255)!", |o| o.option.5.cell()),
    ("status smallint?", |o| o.status().cell()),
]];

/// The options by their numbers: as they are set, or as they are in force.
fn options(
    cx: &ViewContext<'_>,
    rows: &mut Rows,
    columns: Columns<OldOption>,
    are_in_force: bool,
) -> SqlResult<()> {
    let databases = cx.session.instance.databases();
    let set = master::configurations(&databases.master()?.storage)?;
    let running = databases.running_configurations();
    let mut all: Vec<&'static Option_> = CONFIGURATIONS.iter().collect();
    all.sort_by_key(|option| option.0);
    for option in all {
        let value = match are_in_force {
            true => in_force(&cx.session.instance, option, &running),
            false => configured(&cx.session.instance, option, &set),
        };
        rows.show(columns, &OldOption { option, value });
    }
    Ok(())
}

/// A character set, or a sort order on one.
struct CharacterSet {
    /// The set that a sort order is built on.
    on: Option<u8>,
    id: u8,
    name: &'static str,
    description: &'static str,
}

const fn set(id: u8, name: &'static str, description: &'static str) -> CharacterSet {
    CharacterSet { on: None, id, name, description }
}

const fn order(id: u8, name: &'static str, description: &'static str) -> CharacterSet {
    CharacterSet { on: Some(1), id, name, description }
}

/// The character sets of one byte, and the sort orders of code page 1252.
static SETS: [CharacterSet; 15] = [
    set(1, "iso_1", "Western European: code page 1252"),
    set(2, "cp850", "Western European: code page 850"),
    set(3, "cp437", "United States English: code page 437"),
    set(4, "cp1250", "Central European: code page 1250"),
    set(5, "cp1251", "Cyrillic: code page 1251"),
    set(6, "cp1253", "Greek: code page 1253"),
    set(7, "cp1254", "Turkish: code page 1254"),
    set(8, "cp1255", "Hebrew: code page 1255"),
    set(9, "cp1256", "Arabic: code page 1256"),
    set(10, "cp1257", "Baltic: code page 1257"),
    order(50, "bin_iso_1", "Binary order"),
    order(51, "dictionary_iso", "Dictionary order, case-sensitive"),
    order(52, "nocase_iso", "Dictionary order, case-insensitive"),
    order(53, "nocasepref_iso", "Dictionary order, case-insensitive, upper case first"),
    order(54, "noaccents_iso", "Dictionary order, case-insensitive and accent-insensitive"),
];

const CHARACTER_SETS: Columns<CharacterSet> = &[&[
    ("type smallint!", |s| (if s.on.is_some() { 2001_i32 } else { 1001 }).cell()),
    ("id tinyint!", |s| s.id.cell()),
    ("csid tinyint!", |s| s.on.unwrap_or(0).cell()),
    ("status smallint?", zero),
    ("name sysname!", |s| s.name.cell()),
    ("description nvarchar(255)!", |s| s.description.cell()),
    ("binarydefinition varbinary(6000)?", null),
    ("definition varbinary(max)?", null),
]];

/// The filegroup that every database has.
struct Primary;

const FILEGROUPS: Columns<Primary> = &[&[
    ("groupid smallint?", |_| 1_i32.cell()),
    ("allocpolicy smallint?", zero),
    // The default filegroup.
    ("status int?", |_| 16_i32.cell()),
    ("groupname sysname!", |_| "PRIMARY".cell()),
]];

/// A message in one language.
struct OldMessage {
    number: i32,
    severity: u8,
    is_logged: bool,
    text: String,
    language: i32,
}

const OLD_MESSAGES: Columns<OldMessage> = &[&[
    ("error int!", |m| m.number.cell()),
    ("severity tinyint?", |m| m.severity.cell()),
    ("dlevel smallint?", |m| (if m.is_logged { 128_i32 } else { 0 }).cell()),
    ("description nvarchar(255)?", |m| (&m.text).cell()),
    ("msglangid smallint!", |m| m.language.cell()),
]];
