//! Where files lie: a data directory named by a relative path, one that was moved, one that was copied.

use crate::life::connect;
use std::fs;
use std::path::Path;
use taffrail_tests::{Server, TempDir};

fn first(server: &Server, database: &str, sql: &str) -> String {
    connect(server, database).query(sql).unwrap().first_value()
}

/// Files of all databases that do not lie in this directory.
fn elsewhere(server: &Server, data: &Path) -> String {
    let sql = format!(
        "SELECT ISNULL(STRING_AGG(physical_name, ' '), '') FROM sys.master_files WHERE physical_name NOT LIKE '{}/%'",
        data.display()
    );
    first(server, "master", &sql)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name())),
            false => drop(fs::copy(entry.path(), to.join(entry.file_name())).unwrap()),
        }
    }
}

#[test]
fn backups_and_files_under_a_relative_data_directory() {
    let temp = TempDir::new("relative");
    let folder = fs::canonicalize(temp.path()).unwrap();
    let server = Server::start_in(&folder, &["--file-root", "./more"]);
    assert!(server.ready_line.ends_with(" data=./data"), "{}", server.ready_line);
    fs::create_dir(folder.join("more")).unwrap();
    // A disk that is mounted later, say.
    let log = fs::read_to_string(folder.join("data/log/errorlog")).unwrap();
    assert!(log.contains(" file_roots: ./more: No such file or directory"), "{log}");
    let mut c = connect(&server, "master");
    let more = folder.join("more");
    c.run(&format!(
        "CREATE DATABASE shop ON (NAME = shop, FILENAME = 'E:\\SQLData\\shop.mdf')
             LOG ON (NAME = shop_log, FILENAME = '{}/shop_log.ldf')
         BACKUP DATABASE shop TO DISK = 'E:\\Backup\\shop.bak' WITH INIT
         BACKUP DATABASE shop TO DISK = 'shop2.bak'
         BACKUP DATABASE shop TO DISK = '{}/data/backup/shop3.bak'
         RESTORE VERIFYONLY FROM DISK = 'shop.bak'",
        more.display(),
        folder.display()
    ))
    .unwrap();
    for file in ["data/backup/shop.bak", "data/backup/shop2.bak", "data/backup/shop3.bak"] {
        assert!(folder.join(file).is_file(), "{file}");
    }
    assert!(folder.join("data/shop.mdf").is_file() && more.join("shop_log.ldf").is_file());
    // Its own files are no backup devices, however they are named.
    for own in ["shop.mdf".to_owned(), folder.join("data/shop.mdf").display().to_string()] {
        let refused = c.run(&format!("BACKUP DATABASE shop TO DISK = '{own}' WITH FORMAT"));
        assert_eq!(refused.is_err(), own.starts_with('/'), "{own}");
    }
    let names =
        first(&server, "shop", "SELECT STRING_AGG(physical_name, ' ') FROM sys.database_files");
    let expected = format!("{0}/data/shop.mdf {0}/more/shop_log.ldf", folder.display());
    assert_eq!(names, expected);
    // What the disk refuses is told in the error log too.
    let refused = c.run("ALTER DATABASE shop MODIFY FILE (NAME = shop, SIZE = 15TB)").unwrap_err();
    assert!(refused.to_string().contains("MODIFY FILE encountered"), "{refused}");
    drop(c);
    assert!(server.stop().success());
    let log = fs::read_to_string(folder.join("data/log/errorlog")).unwrap();
    assert!(log.contains("Database 'shop': MODIFY FILE encountered"), "{log}");
    // From another working directory it is the same server.
    let server = Server::start(&folder.join("data"), &["--file-root", more.to_str().unwrap()]);
    assert_eq!(first(&server, "shop", "SELECT COUNT(*) FROM sys.database_files"), "2");
    assert!(server.stop().success());
}

#[test]
fn a_moved_data_directory_takes_its_databases_along_and_a_copy_leaves_the_original_alone() {
    let temp = TempDir::new("moved");
    let home = fs::canonicalize(temp.path()).unwrap();
    let (first_place, second_place) = (home.join("first"), home.join("second"));
    let server = Server::start(&first_place, &[]);
    connect(&server, "master").run("CREATE DATABASE shop").unwrap();
    connect(&server, "shop").run("CREATE TABLE t (id int) INSERT t VALUES (1)").unwrap();
    connect(&server, "master")
        .run("CREATE DATABASE closed ALTER DATABASE closed SET OFFLINE")
        .unwrap();
    server.kill();

    copy(&first_place, &home.join("copy"));
    let original = Server::start(&first_place, &[]);
    let copied = Server::start(&home.join("copy"), &[]);
    assert_eq!(elsewhere(&copied, &home.join("copy")), "");
    assert_eq!(elsewhere(&original, &first_place), "");
    connect(&copied, "shop").run("INSERT t VALUES (2), (3)").unwrap();
    connect(&original, "shop").run("INSERT t VALUES (4)").unwrap();
    // The session before has left its connection; the server may not have heard of it yet.
    let dropped = "ALTER DATABASE shop SET SINGLE_USER WITH ROLLBACK IMMEDIATE DROP DATABASE shop";
    connect(&copied, "master").run(dropped).unwrap();
    assert!(copied.stop().success());
    assert_eq!(first(&original, "shop", "SELECT SUM(id) FROM t"), "5");
    original.kill();

    fs::rename(&first_place, &second_place).unwrap();
    for _ in 0..2 {
        let moved = Server::start(&second_place, &[]);
        assert_eq!(elsewhere(&moved, &second_place), "");
        assert_eq!(first(&moved, "shop", "SELECT SUM(id) FROM t"), "5");
        connect(&moved, "master").run("ALTER DATABASE closed SET ONLINE").unwrap();
        connect(&moved, "closed").run("CHECKPOINT").unwrap();
        connect(&moved, "master").run("ALTER DATABASE closed SET OFFLINE").unwrap();
        moved.kill();
    }
    assert!(!first_place.exists());
}

#[test]
fn a_copy_does_not_open_the_files_that_the_original_has_open() {
    let temp = TempDir::new("shared");
    let home = fs::canonicalize(temp.path()).unwrap();
    let fast = home.join("fast");
    fs::create_dir(&fast).unwrap();
    let roots = ["--file-root", fast.to_str().unwrap()];
    let original = Server::start(&home.join("data"), &roots);
    connect(&original, "master")
        .run(&format!(
            "CREATE DATABASE shop ON (NAME = shop, FILENAME = '{0}/shop.mdf')
                 LOG ON (NAME = shop_log, FILENAME = '{0}/shop.ldf')",
            fast.display()
        ))
        .unwrap();
    connect(&original, "shop").run("CREATE TABLE t (id int) INSERT t VALUES (1)").unwrap();
    original.kill();
    copy(&home.join("data"), &home.join("copy"));

    let original = Server::start(&home.join("data"), &roots);
    for _ in 0..2 {
        let copied = Server::start(&home.join("copy"), &roots);
        let state = "SELECT state_desc FROM sys.databases WHERE name = 'shop'";
        assert_eq!(first(&copied, "master", state), "RECOVERY_PENDING");
        let mut c = connect(&copied, "master");
        assert!(c.run("ALTER DATABASE shop SET ONLINE").is_err());
        // Neither another database nor a backup is put into its place.
        for sql in [
            "CREATE DATABASE x ON (NAME = x, FILENAME = 'FAST/shop.mdf')",
            "BACKUP DATABASE msdb TO DISK = 'FAST/shop.ldf' WITH FORMAT",
        ] {
            let sql = sql.replace("FAST", fast.to_str().unwrap());
            assert!(c.run(&sql).is_err(), "{sql}");
        }
        drop(c);
        assert!(copied.stop().success());
        let log = fs::read_to_string(home.join("copy/log/errorlog")).unwrap();
        assert!(log.contains("Unable to open the physical file"), "{log}");
    }
    let copied = Server::start(&home.join("copy"), &roots);
    connect(&copied, "master").run("DROP DATABASE shop").unwrap();
    assert!(copied.stop().success());
    connect(&original, "shop").run("INSERT t VALUES (2) CHECKPOINT").unwrap();
    original.kill();
    let original = Server::start(&home.join("data"), &roots);
    assert_eq!(first(&original, "shop", "SELECT SUM(id) FROM t"), "3");
    assert!(original.stop().success());
}

#[test]
fn a_data_directory_that_is_named_from_elsewhere() {
    let temp = TempDir::new("upwards");
    let home = fs::canonicalize(temp.path()).unwrap();
    fs::create_dir(home.join("data")).unwrap();
    fs::create_dir(home.join("here")).unwrap();
    std::os::unix::fs::symlink(home.join("data"), home.join("link")).unwrap();
    for (named, n) in [("here/../data", 1), ("link", 2)] {
        let root = home.join("here/../more");
        let server = Server::start(&home.join(named), &["--file-root", root.to_str().unwrap()]);
        fs::create_dir_all(home.join("more")).unwrap();
        connect(&server, "master")
            .run(&format!(
                "CREATE DATABASE d{n} ON (NAME = d, FILENAME = '{0}/data/d{n}.mdf')
                     LOG ON (NAME = l, FILENAME = '{0}/more/d{n}.ldf')
                 BACKUP DATABASE d{n} TO DISK = 'd{n}.bak'
                 BACKUP DATABASE d{n} TO DISK = '{0}/link/backup/e{n}.bak'",
                home.display()
            ))
            .unwrap();
        let outside = format!("BACKUP DATABASE d{n} TO DISK = '../x.bak'");
        assert!(connect(&server, "master").run(&outside).is_err());
        assert!(home.join(format!("data/backup/d{n}.bak")).is_file());
        assert!(home.join(format!("data/backup/e{n}.bak")).is_file());
        let online = "SELECT COUNT(*) FROM sys.databases WHERE state_desc = 'ONLINE'";
        assert_eq!(first(&server, "master", online), (4 + n).to_string());
        assert!(server.stop().success());
    }
}
