//! What statements cannot name: the server's own files, other people's, places behind links.

use crate::life::connect;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use taffrail_tests::{Server, TempDir};

/// The numbers of the errors of a batch.
fn refused(server: &Server, sql: &str) -> String {
    match connect(server, "master").run(sql) {
        Ok(_) => "done".into(),
        Err(e) => e.to_string(),
    }
}

/// What may be named but must not be read or written, as it was.
fn contents(data: &Path) -> Vec<(String, Vec<u8>)> {
    let names = ["server.crt", "server.key", "sa-password", "taffrail.lock", "note.txt"];
    names.map(|name| (name.into(), fs::read(data.join(name)).unwrap_or_default())).into()
}

#[test]
fn statements_cannot_name_the_servers_own_files() {
    let temp = TempDir::new("own-files");
    let home = fs::canonicalize(temp.path()).unwrap();
    let (data, more) = (home.join("data"), home.join("more"));
    fs::create_dir_all(&more).unwrap();
    fs::create_dir_all(&data).unwrap();
    fs::write(data.join("sa-password"), "secret\n").unwrap();
    fs::write(data.join("note.txt"), "somebody's\n").unwrap();
    let server = Server::start(&data, &["--file-root", more.to_str().unwrap()]);
    let mut c = connect(&server, "master");
    c.run("CREATE DATABASE shop CREATE TABLE shop.dbo.t (line nvarchar(4000))").unwrap();
    c.run("BACKUP DATABASE shop TO DISK = 'shop.bak'").unwrap();
    fs::hard_link(data.join("server.key"), more.join("key")).unwrap();
    symlink(&data, more.join("link")).unwrap();
    symlink("/etc", more.join("etc")).unwrap();
    symlink(home.join("elsewhere"), more.join("new.bak")).unwrap();
    let before = contents(&data);
    let own = [
        "server.crt",
        "server.key",
        "sa-password",
        "taffrail.lock",
        "log/errorlog",
        ".server.key.new",
    ];
    let own = own.map(|name| data.join(name).display().to_string());
    let mut all: Vec<String> = own.to_vec();
    let link = |name: &str| more.join(name).display().to_string();
    all.extend([link("key"), link("link/server.key"), link("etc/hostname")]);
    for path in &all {
        for sql in [
            format!("BULK INSERT shop.dbo.t FROM '{path}'"),
            format!("RESTORE HEADERONLY FROM DISK = '{path}'"),
            format!("BACKUP DATABASE shop TO DISK = '{path}' WITH FORMAT, INIT"),
            format!("CREATE DATABASE x ON (NAME = x, FILENAME = '{path}')"),
            format!("ALTER DATABASE shop ADD LOG FILE (NAME = l2, FILENAME = '{path}')"),
            format!(
                "RESTORE DATABASE y FROM DISK = 'shop.bak' WITH REPLACE, MOVE 'shop' TO '{path}'"
            ),
            format!("SELECT * FROM sys.fn_dump_dblog(NULL, NULL, 'DISK', 1, '{path}')"),
        ] {
            let said = refused(&server, &sql);
            assert!(said.contains("denied"), "{sql}: {said}");
        }
    }
    // Files of databases are in use.
    for name in ["master.mdf", "shop_log.ldf", "tempdb.mdf"] {
        let path = data.join(name).display().to_string();
        for sql in [
            format!("BULK INSERT shop.dbo.t FROM '{path}'"),
            format!("RESTORE HEADERONLY FROM DISK = '{path}'"),
            format!("BACKUP DATABASE shop TO DISK = '{path}' WITH FORMAT"),
        ] {
            let said = refused(&server, &sql);
            assert!(said.contains("being used by another process"), "{sql}: {said}");
        }
    }
    // What is no backup is not formatted over, wherever it lies; what is one, empty or new is.
    fs::write(more.join("letter.txt"), "not a backup").unwrap();
    fs::write(more.join("empty.bak"), "").unwrap();
    for (path, with) in [
        (data.join("note.txt"), "FORMAT"),
        (more.join("letter.txt"), "FORMAT, INIT, SKIP"),
        (more.join("letter.txt"), "INIT"),
        (more.join("letter.txt"), "NOINIT"),
    ] {
        let sql = format!("BACKUP DATABASE shop TO DISK = '{}' WITH {with}", path.display());
        let said = refused(&server, &sql);
        assert!(said.contains("incorrectly formed"), "{sql}: {said}");
    }
    assert_eq!(fs::read(more.join("letter.txt")).unwrap(), b"not a backup");
    let said = refused(&server, &format!("BACKUP DATABASE shop TO DISK = '{}'", link("new.bak")));
    assert!(said.contains("denied") && !home.join("elsewhere").exists(), "{said}");
    for path in ["empty.bak", "a/b/c/deep.bak", "a/b/c/deep.bak"] {
        let path = more.join(path);
        let sql = format!("BACKUP DATABASE shop TO DISK = '{}' WITH FORMAT", path.display());
        assert_eq!(refused(&server, &sql), "done", "{sql}");
    }
    let outside = home.join("other/deep.bak");
    let said = refused(&server, &format!("BACKUP DATABASE shop TO DISK = '{}'", outside.display()));
    assert!(said.contains("denied") && !home.join("other").exists(), "{said}");
    assert_eq!(contents(&data), before);
    drop(c);
    assert!(server.stop().success());
}

#[test]
fn the_name_of_a_database_is_no_path() {
    let temp = TempDir::new("names-are-names");
    let home = fs::canonicalize(temp.path()).unwrap();
    let data = home.join("data");
    let server = Server::start(&data, &[]);
    let names = || -> Vec<_> {
        let mut all: Vec<_> =
            fs::read_dir(&home).unwrap().map(|e| e.unwrap().file_name()).collect();
        all.sort();
        all
    };
    let before = names();
    let absolute = home.join("absolute").display().to_string();
    for name in ["../x", &absolute, "a/b", r"a\b", "c:d", "../../data/x", "log/x"] {
        let said = refused(&server, &format!("CREATE DATABASE [{name}]"));
        assert!(said.contains("1802") || said.contains("CREATE DATABASE failed"), "{name}: {said}");
        assert_eq!(names(), before, "{name}");
        // As a name it is legal.
        let sql = format!(
            "CREATE DATABASE [{name}] ON (NAME = d, FILENAME = 'plain.mdf') LOG ON (NAME = l, FILENAME = 'plain.ldf')
             EXEC ('USE [{name}] CREATE TABLE t (a int)') DROP DATABASE [{name}]"
        );
        assert_eq!(refused(&server, &sql), "done", "{name}");
    }
    for name in ["..", ".", "a b", "ä\u{1F980}", "x.mdf", "it's"] {
        let sql = format!("CREATE DATABASE [{name}] DROP DATABASE [{name}]");
        assert_eq!(refused(&server, &sql), "done", "{name}");
    }
    let said = refused(
        &server,
        "CREATE DATABASE logs ALTER DATABASE logs ADD LOG FILE (NAME = [../../y])",
    );
    assert!(said.contains("5105") || said.contains("file activation"), "{said}");
    assert!(server.stop().success());
}
