//! Contained users, as a client meets them: who gets in where, and what else there is.

use crate::support::{Client, data, done, failed, row, serve};
use taffrail_server::{PasswordOverrides, Server};

/// A server that locks out after two wrong passwords.
fn strict(name: &str) -> Server {
    serve(name, PasswordOverrides { lockout_threshold: Some(2), ..PasswordOverrides::default() })
}

fn login(server: &Server, user: &str, password: &str, database: &str) -> Result<Client, Vec<i32>> {
    Client::of_login(server.address(), user, password, database)
}

fn refused(server: &Server, user: &str, password: &str, database: &str) -> Vec<i32> {
    login(server, user, password, database).err().unwrap_or_default()
}

#[test]
fn a_contained_user_enters_its_own_database_by_its_own_password() {
    let _ = std::fs::remove_dir_all(data("contained"));
    let server = strict("contained");
    let mut sa = Client::session_at(server.address());
    assert_eq!(failed(&mut sa, "CREATE DATABASE early CONTAINMENT = PARTIAL"), [12824]);
    done(&mut sa, "EXEC sp_configure 'contained database authentication', 1; RECONFIGURE");
    done(&mut sa, "CREATE DATABASE box CONTAINMENT = PARTIAL");
    done(&mut sa, "CREATE DATABASE plain");
    assert_eq!(failed(&mut sa, "USE plain; CREATE USER x WITH PASSWORD = 'Str0ng!pw'"), [33233]);
    done(&mut sa, "USE box");
    for batch in [
        "CREATE TABLE dbo.t (a int); INSERT dbo.t VALUES (7)",
        "CREATE USER ann WITH PASSWORD = 'Str0ng!pw', DEFAULT_LANGUAGE = Deutsch",
        "GRANT SELECT ON dbo.t TO ann",
        // A login of the same name is locked out of this database, not of others.
        "CREATE LOGIN ann WITH PASSWORD = 'L0gin!pwd'",
    ] {
        done(&mut sa, batch);
    }
    let kind = "SELECT authentication_type_desc, default_language_name FROM sys.database_principals WHERE name = 'ann'";
    assert_eq!(row(&mut sa, kind), ["DATABASE", "Deutsch"]);
    let mut ann = login(&server, "ANN", "Str0ng!pw", "box").unwrap();
    let own = "SELECT USER_NAME(), SUSER_SNAME(), ORIGINAL_LOGIN(), DB_NAME(), @@LANGUAGE";
    assert_eq!(row(&mut ann, own), ["ann", "ann", "ann", "box", "Deutsch"]);
    assert_eq!(row(&mut ann, "SELECT a FROM dbo.t"), ["Some(7)"]);
    let by = "SELECT DB_NAME(authenticating_database_id), login_name FROM sys.dm_exec_sessions WHERE session_id = @@SPID";
    assert_eq!(row(&mut ann, by), ["box", "ann"]);
    // Elsewhere it is nobody, or guest.
    assert_eq!(failed(&mut ann, "USE plain"), [916]);
    assert_eq!(failed(&mut ann, "SELECT * FROM plain.sys.tables"), [916]);
    done(&mut ann, "USE tempdb");
    assert_eq!(row(&mut ann, "SELECT USER_NAME()"), ["guest"]);
    done(&mut ann, "USE box");
    assert_eq!(failed(&mut ann, "EXECUTE AS LOGIN = 'ann'"), [15406]);
    assert_eq!(failed(&mut ann, "CREATE DATABASE mine"), [262]);
    // The database has to be named, and the password to be its own.
    assert_eq!(refused(&server, "ann", "Str0ng!pw", ""), [18456]);
    assert_eq!(refused(&server, "ann", "L0gin!pwd", "box"), [18456]);
    assert_eq!(refused(&server, "ann", "Str0ng!pw", "box"), [0; 0]);
    done(&mut sa, "ALTER LOGIN ann WITH PASSWORD = 'L0gin!pwd' UNLOCK");
    assert_eq!(refused(&server, "ann", "L0gin!pwd", ""), [0; 0]);
    let log = std::fs::read_to_string(data("contained").join("log/errorlog")).unwrap();
    let reason = "Password did not match that for the user provided. [Database: 'box']";
    assert!(
        log.contains("Error: 18456, Severity: 14, State: 65.") && log.contains(reason),
        "{log}"
    );
    // Its own password, with the old one; and nobody else's.
    let alter = "ALTER USER ann WITH PASSWORD = 'An0ther!pw'";
    assert_eq!(failed(&mut ann, alter), [15151]);
    assert_eq!(failed(&mut ann, &format!("{alter} OLD_PASSWORD = 'wrong'")), [15151]);
    done(&mut ann, &format!("{alter} OLD_PASSWORD = 'Str0ng!pw'"));
    assert_eq!(refused(&server, "ann", "Str0ng!pw", "box"), [18456]);
    assert_eq!(
        refused(&server, "ann", "An0ther!pw", "box"),
        [0; 0],
        "a right one forgets the wrong"
    );
    // DENY CONNECT, and a lockout like a login's.
    done(&mut sa, "DENY CONNECT TO ann");
    assert_eq!(refused(&server, "ann", "An0ther!pw", "box"), [4060, 18456]);
    done(&mut sa, "GRANT CONNECT TO ann");
    for _ in 0..2 {
        assert_eq!(refused(&server, "ann", "wrong", "box"), [18456]);
    }
    assert_eq!(refused(&server, "ann", "An0ther!pw", "box"), [18486]);

    // Kept by a backup, restored elsewhere.
    let backup = "BACKUP DATABASE box TO DISK = 'box.bak' WITH INIT";
    done(&mut sa, backup);
    let dir = data("contained").display().to_string();
    done(
        &mut sa,
        &format!(
            "RESTORE DATABASE crate FROM DISK = 'box.bak' \
             WITH MOVE 'box' TO '{dir}/crate.mdf', MOVE 'box_log' TO '{dir}/crate_log.ldf'"
        ),
    );
    let contained = "SELECT containment_desc FROM sys.databases WHERE name = 'crate'";
    assert_eq!(row(&mut sa, contained), ["PARTIAL"]);
    assert_eq!(refused(&server, "ann", "An0ther!pw", "crate"), [0; 0]);

    // Switched off: nobody is let in, and those who were are gone.
    assert_eq!(failed(&mut sa, "ALTER DATABASE box SET CONTAINMENT = NONE"), [12809, 5069]);
    done(&mut sa, "EXEC sp_configure 'contained database authentication', 0");
    assert_eq!(failed(&mut sa, "RECONFIGURE"), [12818]);
    done(&mut sa, "RECONFIGURE WITH OVERRIDE");
    assert_eq!(refused(&server, "ann", "An0ther!pw", "crate"), [18456]);
    done(&mut sa, "EXEC sp_configure 'contained database authentication', 1; RECONFIGURE");
    done(&mut sa, "USE box; DROP USER ann");
    done(&mut sa, "ALTER DATABASE box SET CONTAINMENT = NONE");
    server.stop();
    server.wait().unwrap();
    let server = strict("contained");
    assert_eq!(refused(&server, "ann", "An0ther!pw", "crate"), [0; 0], "over a restart");
    server.stop();
    server.wait().unwrap();
}

#[test]
fn a_user_of_a_login_becomes_one_with_a_password() {
    let _ = std::fs::remove_dir_all(data("migrated"));
    let server = strict("migrated");
    let mut sa = Client::session_at(server.address());
    done(&mut sa, "EXEC sp_configure 'contained database authentication', 1; RECONFIGURE");
    done(&mut sa, "CREATE DATABASE box CONTAINMENT = PARTIAL");
    done(&mut sa, "CREATE LOGIN app WITH PASSWORD = 'Str0ng!pw'");
    done(&mut sa, "USE box; CREATE USER worker FOR LOGIN app; CREATE USER alone WITHOUT LOGIN");
    done(
        &mut sa,
        "CREATE TABLE dbo.t (a int); INSERT dbo.t VALUES (7); GRANT SELECT ON dbo.t TO worker",
    );
    let migrate = |user: &str, rename: &str| {
        format!(
            "EXEC sp_migrate_user_to_contained @username = N'{user}', @rename = N'{rename}', @disablelogin = N'disable_login'"
        )
    };
    assert_eq!(failed(&mut sa, &migrate("alone", "keep_name")), [12820]);
    assert_eq!(failed(&mut sa, &migrate("dbo", "keep_name")), [12820]);
    assert_eq!(failed(&mut sa, &migrate("worker", "other")), [15600]);
    done(&mut sa, &migrate("worker", "copy_login_name"));
    assert_eq!(failed(&mut sa, &migrate("app", "keep_name")), [12820]);
    let mut app = login(&server, "app", "Str0ng!pw", "box").unwrap();
    assert_eq!(row(&mut app, "SELECT USER_NAME()"), ["app"]);
    assert_eq!(row(&mut app, "SELECT a FROM dbo.t"), ["Some(7)"], "it keeps what it may");
    assert_eq!(refused(&server, "app", "Str0ng!pw", ""), [18470], "the login is disabled");
    done(&mut sa, "USE master");
    assert_eq!(failed(&mut sa, &migrate("app", "keep_name")), [12819]);
    server.stop();
    server.wait().unwrap();
}
