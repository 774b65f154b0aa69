//! The procedures about logins, users and roles that are older than the statements: T-SQL that runs those.
//!
//! What they run asks for its own permissions, in the name of whoever calls.

use crate::features::Feature;
use crate::features::needs::{DB_OWNER, PUBLIC};
use crate::features::procedure::{SystemProcedure, sql};

/// The tables of these procedures.
pub(crate) static FEATURE: Feature = Feature { procedures: PROCEDURES, ..Feature::NOTHING };

/// A procedure that runs one statement, and in no transaction: 15002. Its parameters, and the text of the statement as an expression.
macro_rules! alone {
    ($name:literal, $parameters:literal, $statement:literal) => {
        sql(
            $name,
            PUBLIC,
            concat!(
                "CREATE PROCEDURE sys.",
                $name,
                "\n    ",
                $parameters,
                "\nAS\nBEGIN\n    SET NOCOUNT ON\n    IF @@TRANCOUNT > 0\n    BEGIN\n",
                "        RAISERROR(15002, 16, 1, 'sys.",
                $name,
                "')\n        RETURN 1\n    END\n",
                "    DECLARE @sql nvarchar(max) = ",
                $statement,
                "\n    EXEC (@sql)\n    RETURN CASE WHEN @@ERROR = 0 THEN 0 ELSE 1 END\nEND\n",
            ),
        )
    };
}

/// A procedure that changes the members of a role of the database, one of which is to be there: 15410.
macro_rules! member {
    ($name:literal, $verb:literal) => {
        sql(
            $name,
            PUBLIC,
            concat!(
                "CREATE PROCEDURE sys.", $name, "\n    @rolename sysname, @membername sysname",
                "\nAS\nBEGIN\n    SET NOCOUNT ON\n    IF DATABASE_PRINCIPAL_ID(@membername) IS NULL\n    BEGIN\n",
                "        RAISERROR(15410, 11, 1, @membername)\n        RETURN 1\n    END\n",
                "    DECLARE @sql nvarchar(max) = N'ALTER ROLE ' + QUOTENAME(@rolename) + N' ", $verb,
                " MEMBER ' + QUOTENAME(@membername)",
                "\n    EXEC (@sql)\n    RETURN CASE WHEN @@ERROR = 0 THEN 0 ELSE 1 END\nEND\n",
            ),
        )
    };
}

static PROCEDURES: &[SystemProcedure] = &[
    alone!(
        "sp_addapprole",
        "@rolename sysname, @password sysname",
        "N'CREATE APPLICATION ROLE ' + QUOTENAME(@rolename)
        + N' WITH PASSWORD = N''' + REPLACE(@password, N'''', N'''''') + N''''"
    ),
    sql("sp_addlogin", PUBLIC, include_str!("principals/addlogin.sql")),
    alone!(
        "sp_addrole",
        "@rolename sysname, @ownername sysname = NULL",
        "N'CREATE ROLE ' + QUOTENAME(@rolename)
        + CASE WHEN @ownername IS NULL THEN N'' ELSE N' AUTHORIZATION ' + QUOTENAME(@ownername) END"
    ),
    member!("sp_addrolemember", "ADD"),
    alone!(
        "sp_addsrvrolemember",
        "@loginame sysname, @rolename sysname",
        "N'ALTER SERVER ROLE ' + QUOTENAME(@rolename) + N' ADD MEMBER ' + QUOTENAME(@loginame)"
    ),
    sql("sp_adduser", PUBLIC, include_str!("principals/adduser.sql")),
    alone!(
        "sp_approlepassword",
        "@rolename sysname, @newpwd sysname",
        "N'ALTER APPLICATION ROLE ' + QUOTENAME(@rolename)
        + N' WITH PASSWORD = N''' + REPLACE(@newpwd, N'''', N'''''') + N''''"
    ),
    sql("sp_change_users_login", PUBLIC, include_str!("principals/change_users_login.sql")),
    alone!(
        "sp_changedbowner",
        "@loginame sysname, @map varchar(5) = NULL",
        "N'ALTER AUTHORIZATION ON DATABASE::' + QUOTENAME(DB_NAME()) + N' TO ' + QUOTENAME(@loginame)"
    ),
    sql("sp_changeobjectowner", DB_OWNER, include_str!("principals/changeobjectowner.sql")),
    sql("sp_dbfixedrolepermission", PUBLIC, include_str!("principals/dbfixedrolepermission.sql")),
    alone!(
        "sp_defaultdb",
        "@loginame sysname, @defdb sysname",
        "N'ALTER LOGIN ' + QUOTENAME(@loginame) + N' WITH DEFAULT_DATABASE = ' + QUOTENAME(@defdb)"
    ),
    alone!(
        "sp_defaultlanguage",
        "@loginame sysname, @language sysname = NULL",
        "N'ALTER LOGIN ' + QUOTENAME(@loginame)
        + N' WITH DEFAULT_LANGUAGE = ' + QUOTENAME(ISNULL(@language, N'us_english'))"
    ),
    alone!(
        "sp_dropapprole",
        "@rolename sysname",
        "N'DROP APPLICATION ROLE ' + QUOTENAME(@rolename)"
    ),
    alone!(
        "sp_droplogin",
        "@loginame sysname",
        "N'DROP LOGIN ' + QUOTENAME(@loginame)"
    ),
    alone!(
        "sp_droprole",
        "@rolename sysname",
        "N'DROP ROLE ' + QUOTENAME(@rolename)"
    ),
    member!("sp_droprolemember", "DROP"),
    alone!(
        "sp_dropsrvrolemember",
        "@loginame sysname, @rolename sysname",
        "N'ALTER SERVER ROLE ' + QUOTENAME(@rolename) + N' DROP MEMBER ' + QUOTENAME(@loginame)"
    ),
    alone!(
        "sp_dropuser",
        "@name_in_db sysname",
        "N'DROP USER ' + QUOTENAME(@name_in_db)"
    ),
    sql("sp_grantdbaccess", PUBLIC, include_str!("principals/grantdbaccess.sql")),
    sql("sp_helprole", PUBLIC, include_str!("principals/helprole.sql")),
    sql("sp_helprolemember", PUBLIC, include_str!("principals/helprolemember.sql")),
    sql("sp_helprotect", PUBLIC, include_str!("principals/helprotect.sql")),
    sql("sp_helpsrvrolemember", PUBLIC, include_str!("principals/helpsrvrolemember.sql")),
    sql("sp_helpuser", PUBLIC, include_str!("principals/helpuser.sql")),
    alone!(
        "sp_password",
        "@old sysname = NULL, @new sysname, @loginame sysname = NULL",
        "N'ALTER LOGIN ' + QUOTENAME(ISNULL(@loginame, SUSER_SNAME()))
        + N' WITH PASSWORD = N''' + REPLACE(@new, N'''', N'''''') + N''''
        + CASE WHEN @old IS NULL THEN N'' ELSE N' OLD_PASSWORD = N''' + REPLACE(@old, N'''', N'''''') + N'''' END"
    ),
    alone!(
        "sp_revokedbaccess",
        "@name_in_db sysname",
        "N'DROP USER ' + QUOTENAME(@name_in_db)"
    ),
    sql("sp_srvrolepermission", PUBLIC, include_str!("principals/srvrolepermission.sql")),
];
