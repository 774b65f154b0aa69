//! The procedures about logins, users and roles that are older than the statements: T-SQL that runs those.
//!
//! What they run asks for its own permissions, in the name of whoever calls.

use crate::features::Feature;
use crate::features::needs::PUBLIC;
use crate::features::procedure::{SystemProcedure, sql};

/// The tables of these procedures.
pub(crate) static FEATURE: Feature = Feature { procedures: PROCEDURES, ..Feature::NOTHING };

static PROCEDURES: &[SystemProcedure] = &[
    sql("sp_addlogin", PUBLIC, include_str!("principals/addlogin.sql")),
    sql("sp_addrole", PUBLIC, include_str!("principals/addrole.sql")),
    sql("sp_addrolemember", PUBLIC, include_str!("principals/addrolemember.sql")),
    sql("sp_addsrvrolemember", PUBLIC, include_str!("principals/addsrvrolemember.sql")),
    sql("sp_adduser", PUBLIC, include_str!("principals/adduser.sql")),
    sql("sp_change_users_login", PUBLIC, include_str!("principals/change_users_login.sql")),
    sql("sp_changedbowner", PUBLIC, include_str!("principals/changedbowner.sql")),
    sql("sp_defaultdb", PUBLIC, include_str!("principals/defaultdb.sql")),
    sql("sp_defaultlanguage", PUBLIC, include_str!("principals/defaultlanguage.sql")),
    sql("sp_droplogin", PUBLIC, include_str!("principals/droplogin.sql")),
    sql("sp_droprole", PUBLIC, include_str!("principals/droprole.sql")),
    sql("sp_droprolemember", PUBLIC, include_str!("principals/droprolemember.sql")),
    sql("sp_dropsrvrolemember", PUBLIC, include_str!("principals/dropsrvrolemember.sql")),
    sql("sp_dropuser", PUBLIC, include_str!("principals/dropuser.sql")),
    sql("sp_grantdbaccess", PUBLIC, include_str!("principals/grantdbaccess.sql")),
    sql("sp_helprole", PUBLIC, include_str!("principals/helprole.sql")),
    sql("sp_helprolemember", PUBLIC, include_str!("principals/helprolemember.sql")),
    sql("sp_helpsrvrolemember", PUBLIC, include_str!("principals/helpsrvrolemember.sql")),
    sql("sp_helpuser", PUBLIC, include_str!("principals/helpuser.sql")),
    sql("sp_password", PUBLIC, include_str!("principals/password.sql")),
    sql("sp_revokedbaccess", PUBLIC, include_str!("principals/revokedbaccess.sql")),
];
