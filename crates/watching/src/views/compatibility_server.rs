//! The server, its logins and a database's users in the catalogue of SQL Server 2000: syslogins, sysusers, sysmembers, sysconfigures,
//! syscurconfigs, syscharsets, sysfilegroups, sysmessages.

use super::cell::{Column, Columns, IntoCell, Rows, null};
use super::principals::{DATABASE_ROLE_MEMBERS, logins, sid_of};
use super::{Declaration, Reach, ViewContext, by_column};
use crate::catalog::master;
use crate::configurations::{CONFIGURATIONS, Option_, configured, in_force};
use crate::exec::functions::fixed_principals;
use crate::features::needs;
use taffrail_base::SqlResult;
use taffrail_base::message::{MESSAGES, Message};
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        by_column("syslogins", needs::METADATA, LOGINS, |cx, _, rows| {
            logins(cx)?.iter().for_each(|login| rows.show(LOGINS, login));
            Ok(())
        })
        .reached(Reach::Bare),
        by_column("sysusers", needs::METADATA, USERS, users).reached(Reach::Bare),
        by_column("sysmembers", needs::METADATA, MEMBERS, |_, _, rows| {
            DATABASE_ROLE_MEMBERS.iter().for_each(|member| rows.show(MEMBERS, member));
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
        by_column("sysmessages", needs::PUBLIC, OLD_MESSAGES, |_, _, rows| {
            MESSAGES.iter().for_each(|message| rows.show(OLD_MESSAGES, message));
            Ok(())
        })
        .reached(Reach::Bare),
    ]);
}

fn zero<T>(_: &T) -> Value {
    0_i32.cell()
}

/// Every login is a sysadmin, and in no other role.
const LOGINS: Columns<master::LoginEntry> = &[LOGIN_HEAD, LOGIN_ROLES];

const LOGIN_HEAD: &[Column<master::LoginEntry>] = &[
    ("sid varbinary(85)?", |l| (&l.sid[..]).cell()),
    ("status smallint?", |_| 9_i32.cell()),
    ("createdate datetime!", |l| (&l.created).cell()),
    ("updatedate datetime!", |l| (&l.modified).cell()),
    ("accdate datetime!", |l| (&l.created).cell()),
    ("totcpu int?", zero),
    ("totio int?", zero),
    ("spacelimit int?", zero),
    ("timelimit int?", zero),
    ("resultlimit int?", zero),
    ("name sysname!", |l| (&l.name).cell()),
    ("dbname sysname?", |l| (&l.default_database).cell()),
    ("password nvarchar(128)?", null),
    ("language sysname?", |_| "us_english".cell()),
    ("denylogin int?", zero),
    ("hasaccess int?", |_| 1_i32.cell()),
    ("isntname int?", zero),
    ("isntgroup int?", zero),
    ("isntuser int?", zero),
];

const LOGIN_ROLES: &[Column<master::LoginEntry>] = &[
    ("sysadmin int?", |_| 1_i32.cell()),
    ("securityadmin int?", zero),
    ("serveradmin int?", zero),
    ("setupadmin int?", zero),
    ("processadmin int?", zero),
    ("diskadmin int?", zero),
    ("dbcreator int?", zero),
    ("bulkadmin int?", zero),
    ("loginname nvarchar(128)!", |l| (&l.name).cell()),
];

/// A user or role of a database.
struct OldUser {
    id: i32,
    name: &'static str,
    created: Option<Value>,
}

impl OldUser {
    fn is_role(&self) -> bool {
        self.id == 0 || self.id >= 16_384
    }
}

const USERS: Columns<OldUser> = &[&[
    ("uid smallint?", |u| u.id.cell()),
    ("status smallint?", zero),
    ("name sysname!", |u| u.name.cell()),
    ("sid varbinary(85)?", |u| sid_of(u.id).cell()),
    ("roles varbinary(2048)?", null),
    ("createdate datetime!", |u| u.created.clone().cell()),
    ("updatedate datetime!", |u| u.created.clone().cell()),
    ("altuid smallint?", |u| u.is_role().then_some(1_i32).cell()),
    ("password varbinary(256)?", null),
    ("gid smallint?", |u| (if u.is_role() { u.id } else { 0 }).cell()),
    ("environ varchar(255)?", null),
    ("hasdbaccess int?", |u| (u.id == 1).cell()),
    ("islogin int?", |u| (!u.is_role()).cell()),
    ("isntname int?", zero),
    ("isntgroup int?", zero),
    ("isntuser int?", zero),
    ("issqluser int?", |u| (!u.is_role()).cell()),
    ("isaliased int?", zero),
    ("issqlrole int?", |u| u.is_role().cell()),
    ("isapprole int?", zero),
]];

fn users(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let slot = cx.session.instance.databases().slot(&cx.database.name);
    let created = slot.map(|s| s.entry.created);
    for (id, name) in fixed_principals() {
        rows.show(USERS, &OldUser { id, name, created: created.clone() });
    }
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

const OLD_MESSAGES: Columns<Message> = &[&[
    ("error int!", |m| m.number.cell()),
    ("severity tinyint?", |m| m.listed_severity().cell()),
    ("dlevel smallint?", |m| (if m.is_logged() { 128_i32 } else { 0 }).cell()),
    ("description nvarchar(255)?", |m| m.text.cell()),
    ("msglangid smallint!", |_| 1033_i32.cell()),
]];
