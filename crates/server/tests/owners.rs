//! Databases and the logins that they belong to.

use crate::support::{Client, data, done, failed, row, start};

const OTHERS: &str = "Str0ng!pw";

/// The owner of a database, as sa sees it.
fn owner(sa: &mut Client, database: &str) -> String {
    let query =
        format!("SELECT SUSER_SNAME(owner_sid) FROM sys.databases WHERE name = '{database}'");
    row(sa, &query).join(" ")
}

#[test]
fn a_database_belongs_to_who_made_it_and_is_given_away_by_who_may() {
    let server = start("owners", 20);
    let mut sa = Client::session_at(server.address());
    for login in ["maker", "other"] {
        done(&mut sa, &format!("CREATE LOGIN {login} WITH PASSWORD = '{OTHERS}'"));
    }
    done(&mut sa, "ALTER SERVER ROLE dbcreator ADD MEMBER maker");
    let mut maker = Client::of_login(server.address(), "maker", OTHERS, "").unwrap();
    done(&mut maker, "CREATE DATABASE own");
    done(&mut maker, "BACKUP DATABASE own TO DISK = 'own.bak' WITH INIT");
    let dir = data("owners").display().to_string();
    let restore = format!(
        "RESTORE DATABASE copy FROM DISK = 'own.bak' WITH REPLACE, \
         MOVE 'own' TO '{dir}/copy.mdf', MOVE 'own_log' TO '{dir}/copy_log.ldf'"
    );
    done(&mut maker, &restore);
    assert_eq!([owner(&mut sa, "own"), owner(&mut sa, "copy")], ["maker", "maker"]);
    assert_eq!(row(&mut maker, "USE copy SELECT USER_NAME()"), ["dbo"]);
    done(&mut maker, "USE master");
    // One that is there keeps its owner, whoever restores over it.
    done(&mut sa, &restore);
    assert_eq!(owner(&mut sa, "copy"), "maker");

    let give = "ALTER AUTHORIZATION ON DATABASE::own TO other";
    assert_eq!(failed(&mut maker, give), [15151], "IMPERSONATE on the login that receives it");
    done(&mut sa, "GRANT IMPERSONATE ON LOGIN::other TO maker");
    done(&mut maker, give);
    assert_eq!(owner(&mut sa, "own"), "other");
    assert_eq!(failed(&mut maker, give), [15151], "it is not the maker's any more");
    server.stop();
    server.wait().unwrap();
}

#[test]
fn a_denied_view_of_databases_leaves_ones_own() {
    let server = start("unseen", 20);
    let mut sa = Client::session_at(server.address());
    done(&mut sa, &format!("CREATE LOGIN looks WITH PASSWORD = '{OTHERS}'"));
    done(&mut sa, "CREATE DATABASE mine");
    done(&mut sa, "CREATE DATABASE theirs");
    done(&mut sa, "ALTER AUTHORIZATION ON DATABASE::mine TO looks");
    let mut looks = Client::of_login(server.address(), "looks", OTHERS, "").unwrap();
    let names =
        "SELECT STRING_AGG(name, ' ') WITHIN GROUP (ORDER BY database_id) FROM sys.databases";
    assert_eq!(row(&mut looks, names), ["master tempdb model msdb mine theirs"]);
    done(&mut sa, "DENY VIEW ANY DATABASE TO looks");
    assert_eq!(row(&mut looks, names), ["master tempdb mine"]);
    let ids = "SELECT IIF(DB_ID('theirs') IS NULL, 1, 0), IIF(DB_ID('mine') IS NULL, 1, 0), DB_NAME(4), DB_NAME(1)";
    assert_eq!(row(&mut looks, ids), ["Some(1)", "Some(0)", "None", "master"]);
    done(&mut looks, "USE msdb");
    assert_eq!(row(&mut looks, names), ["master tempdb msdb mine"], "and where one is");
    done(&mut sa, "REVOKE VIEW ANY DATABASE FROM looks");
    done(&mut looks, "USE master");
    assert_eq!(row(&mut looks, names), ["master tempdb model msdb mine theirs"]);
    server.stop();
    server.wait().unwrap();
}

#[test]
fn a_change_of_sa_waits_for_another_login_no_longer_than_is_said() {
    let server = start("waits", 20);
    let mut sa = Client::session_at(server.address());
    let mut other = Client::session_at(server.address());
    done(&mut other, "BEGIN TRAN");
    done(&mut other, &format!("CREATE LOGIN open_one WITH PASSWORD = '{OTHERS}'"));
    let alter = "ALTER LOGIN sa WITH DEFAULT_LANGUAGE = Deutsch";
    assert_eq!(failed(&mut sa, &format!("SET LOCK_TIMEOUT 100; {alter}")), [1222]);
    done(&mut other, "ROLLBACK");
    done(&mut sa, alter);
    let language = "SELECT default_language_name FROM sys.server_principals WHERE sid = 0x01";
    assert_eq!(row(&mut sa, language), ["Deutsch"]);
    server.stop();
    server.wait().unwrap();
}
