//! Backups in an object store: there and back, over TLS, and what becomes of them when the store is slow, busy, cut off or silent.

mod proxy;
mod store;

use crate::life::connect;
use proxy::{Fault, Proxy, in_turn};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use store::Store;
use taffrail_lab::client::Client;
use taffrail_tests::{Server, TempDir};

/// A server that may ask stores on this machine in plain text.
fn server(data: &Path) -> Server {
    let config = data.with_extension("toml");
    fs::write(&config, "s3_plain_http_loopback = true\n").unwrap();
    Server::start(data, &["--config", config.to_str().unwrap()])
}

/// The numbers of the errors of a batch, and their texts; empty: it has none.
fn errors(c: &mut Client, sql: &str) -> String {
    c.run(sql).err().map_or_else(String::new, |e| e.to_string())
}

/// A database of about 13 MB that nothing makes smaller, in FULL.
fn make(c: &mut Client) {
    c.run("CREATE DATABASE shop ALTER DATABASE shop SET RECOVERY FULL").unwrap();
    let fill = "CREATE TABLE shop.dbo.t (id int PRIMARY KEY, noise varbinary(8000))
        INSERT shop.dbo.t SELECT value, CRYPT_GEN_RANDOM(7900) FROM GENERATE_SERIES(1, 1600)";
    c.run(fill).unwrap();
}

const SUM: &str = "SELECT CONCAT(COUNT(*), ' ', CHECKSUM_AGG(CHECKSUM(id, noise))) FROM ";

fn credential(c: &mut Client, verb: &str, port: u16, key: &str) {
    let sql = format!(
        "{verb} CREDENTIAL [s3://127.0.0.1:{port}/backups] WITH IDENTITY = 'S3 Access Key', SECRET = '{key}'"
    );
    c.run(&sql).unwrap();
}

/// Restores `shop` from a URL under another name, and gives its sum.
fn restored(c: &mut Client, from: &str) -> String {
    let sql = format!(
        "RESTORE DATABASE again FROM {from} WITH REPLACE, MOVE 'shop' TO 'again.mdf', MOVE 'shop_log' TO 'again.ldf'"
    );
    c.run(&sql).unwrap();
    let sum = c.query(&format!("{SUM} again.dbo.t")).unwrap().first_value();
    c.run("DROP DATABASE again").unwrap();
    sum
}

#[test]
fn a_backup_goes_to_objects_and_comes_back() {
    let temp = TempDir::new("s3");
    let data = temp.path().join("data");
    let server = server(&data);
    let mut store = Store::start(None);
    let port = store.ports.0;
    let url = |key: &str| format!("URL = 's3://127.0.0.1:{port}/backups/{key}'");
    let mut c = connect(&server, "master");
    make(&mut c);
    let sum = c.query(&format!("{SUM} shop.dbo.t")).unwrap().first_value();

    // Without a credential there is no way.
    let said = errors(&mut c, &format!("BACKUP DATABASE shop TO {}", url("full.bak")));
    assert!(said.contains("3201") && said.contains("50(The request is not supported.)"), "{said}");
    credential(&mut c, "CREATE", port, "nobody:wrong");
    let said = errors(&mut c, &format!("BACKUP DATABASE shop TO {}", url("full.bak")));
    assert!(said.contains("3201") && said.contains("5(Access is denied."), "{said}");
    let key = store.key.clone();
    credential(&mut c, "ALTER", port, &key);

    // One object of several parts, two stripes, and the log.
    let full = format!(
        "BACKUP DATABASE shop TO {} WITH CHECKSUM, MAXTRANSFERSIZE = 5242880, NAME = 'full'",
        url("sales/full.bak")
    );
    c.run(&full).unwrap();
    let (one, two) = (url("s1.bak"), url("s2.bak"));
    c.run(&format!("BACKUP DATABASE shop TO {one}, {two} WITH COMPRESSION, FORMAT, COPY_ONLY"))
        .unwrap();
    c.run("INSERT shop.dbo.t VALUES (0, 0x00)").unwrap();
    c.run(&format!("BACKUP LOG shop TO {}", url("log.trn"))).unwrap();
    let (objects, uploads) = store.list();
    let names: Vec<&str> = objects.iter().map(|(key, _)| &**key).collect();
    assert_eq!((names.len(), uploads), (4, 0), "{objects:?}");
    let history = "SELECT STRING_AGG(CONCAT(device_type, ' ', physical_device_name), ', ')
        WITHIN GROUP (ORDER BY media_set_id, family_sequence_number) FROM msdb.dbo.backupmediafamily";
    let said = c.query(history).unwrap().first_value();
    assert_eq!(said.matches("9 s3://127.0.0.1:").count(), 4, "{said}");

    // What is there stays, unless FORMAT says that it goes; what is no backup stays in any case.
    let said = errors(&mut c, &full);
    assert!(said.contains("3271") && said.contains("WITH FORMAT was not specified"), "{said}");
    let said = errors(&mut c, &full.replace("WITH", "WITH INIT,"));
    assert!(said.contains("3032"), "{said}");
    c.run(&full.replace("WITH", "WITH FORMAT,")).unwrap();
    c.run("INSERT shop.dbo.t VALUES (-1, 0x01)").unwrap();
    c.run(&format!("BACKUP LOG shop TO {} WITH COMPRESSION", url("log2.trn"))).unwrap();
    store.say("put letter.bak hello");
    let said =
        errors(&mut c, &format!("BACKUP DATABASE shop TO {} WITH FORMAT", url("letter.bak")));
    assert!(said.contains("3241"), "{said}");

    // What it is can be seen.
    let full = url("sales/full.bak");
    let header = c.query(&format!("RESTORE HEADERONLY FROM {full}")).unwrap().text();
    assert!(header.contains("full") && header.contains("shop"), "{header}");
    let files = c.query(&format!("RESTORE FILELISTONLY FROM {full}")).unwrap().text();
    assert!(files.contains("shop_log"), "{files}");
    c.query(&format!("RESTORE LABELONLY FROM {two}")).unwrap();
    c.run(&format!("RESTORE VERIFYONLY FROM {one}, {two}")).unwrap();
    let said = errors(&mut c, &format!("RESTORE VERIFYONLY FROM {one}"));
    assert!(said.contains("3132"), "{said}");
    let said = errors(&mut c, &format!("RESTORE HEADERONLY FROM {}", url("none.bak")));
    assert!(said.contains("3201") && said.contains("2(The system cannot find"), "{said}");
    let none = url("x").replace("backups", "none");
    let named = format!("WITH CREDENTIAL = 's3://127.0.0.1:{port}/backups'");
    let said = errors(&mut c, &format!("RESTORE HEADERONLY FROM {none} {named}"));
    assert!(said.contains("50(") && said.contains("NoSuchBucket"), "{said}");

    // And it comes back, with the log behind it.
    assert_eq!(restored(&mut c, &format!("{one}, {two}")), sum);
    let moves = "MOVE 'shop' TO 'back.mdf', MOVE 'shop_log' TO 'back.ldf'";
    c.run(&format!("RESTORE DATABASE back FROM {full} WITH NORECOVERY, {moves}")).unwrap();
    c.run(&format!("RESTORE LOG back FROM {} WITH RECOVERY", url("log2.trn"))).unwrap();
    assert_eq!(c.query("SELECT COUNT(*) FROM back.dbo.t").unwrap().first_value(), "1602");
    let now = c.query(&format!("{SUM} shop.dbo.t")).unwrap().first_value();
    assert_eq!(c.query(&format!("{SUM} back.dbo.t")).unwrap().first_value(), now);

    // A byte that is not what was written is met.
    store.say("flip s1.bak 1000000");
    let said = errors(&mut c, &format!("RESTORE VERIFYONLY FROM {one}, {two}"));
    assert!(said.contains("3189"), "{said}");
    secrets(&mut c, &data, &key);
    drop(c);
    assert!(server.stop().success());
}

/// The secret is nowhere but behind its seal, and those who may not use it do not.
fn secrets(c: &mut Client, data: &Path, key: &str) {
    let (id, secret) = key.split_once(':').unwrap();
    let seen = c.query("SELECT name, credential_identity FROM sys.credentials").unwrap().text();
    assert!(seen.contains("S3 Access Key") && !seen.contains(id), "{seen}");
    let texts = "SELECT t.text FROM sys.dm_exec_query_stats AS s CROSS APPLY sys.dm_exec_sql_text(s.sql_handle) AS t";
    let texts = c.query(texts).unwrap().text();
    assert!(!texts.contains(secret), "{texts}");
    c.run("CHECKPOINT; BACKUP DATABASE master TO DISK = 'master.bak' WITH FORMAT").unwrap();
    let log =
        c.query("SELECT physical_name FROM sys.master_files WHERE database_id = 1 AND type = 1");
    let log = log.unwrap().first_value();
    for file in ["master.mdf", &log, "log/errorlog", "backup/master.bak"] {
        let bytes = fs::read(data.join(file)).unwrap();
        let utf16: Vec<u8> = secret.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for form in [secret.as_bytes(), &utf16] {
            assert!(!bytes.windows(form.len()).any(|w| w == form), "{file}");
        }
    }
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &fs::metadata(data.join("credentials.key")).unwrap().permissions(),
    );
    assert_eq!(mode & 0o777, 0o600);
    let keeper = "CREATE LOGIN keeper WITH PASSWORD = 'Str0ng!enough'
        USE shop; CREATE USER keeper; ALTER ROLE db_backupoperator ADD MEMBER keeper";
    c.run(keeper).unwrap();
    let asked = "EXECUTE AS LOGIN = 'keeper'
        BACKUP LOG shop TO URL = 's3://127.0.0.1:1/backups/x'
        REVERT";
    let said = errors(c, asked);
    assert!(said.contains("15247"), "{said}");
    c.run("USE master; GRANT ALTER ANY CREDENTIAL TO keeper").unwrap();
    let said = errors(c, &format!("USE shop {asked}"));
    assert!(said.contains("3201") && !said.contains("15247"), "{said}");
    let name = c.query("SELECT QUOTENAME(name) FROM sys.credentials").unwrap().first_value();
    c.run(&format!("USE master; DROP CREDENTIAL {name}")).unwrap();
    assert!(errors(c, &format!("DROP CREDENTIAL {name}")).contains("15151"));
}

#[test]
fn a_store_is_trusted_by_its_certificate() {
    let temp = TempDir::new("s3-tls");
    let data = temp.path().join("data");
    let server = Server::start(&data, &[]);
    let mut store = Store::start(Some(&data));
    let (plain, tls) = store.ports;
    let mut c = connect(&server, "master");
    c.run("CREATE DATABASE small").unwrap();
    for port in [plain, tls] {
        let key = store.key.clone();
        credential(&mut c, "CREATE", port, &key);
    }
    let backup = |host: &str, port: u16| {
        format!("BACKUP DATABASE small TO URL = 's3://{host}:{port}/backups/small.bak' WITH FORMAT")
    };
    // Nobody speaks plain text unless a setting says so, and nobody is trusted unknown.
    let said = errors(&mut c, &backup("127.0.0.1", plain));
    assert!(said.contains("3201") && said.contains("12175("), "{said}");
    let said = errors(&mut c, &backup("127.0.0.1", tls));
    assert!(said.contains("3201") && said.contains("12175("), "{said}");
    let own = data.join("ca-certificates");
    fs::create_dir(&own).unwrap();
    fs::copy(data.join("server.crt"), own.join("store.pem")).unwrap();
    c.run(&backup("127.0.0.1", tls)).unwrap();
    let from = format!("URL = 's3://127.0.0.1:{tls}/backups/small.bak'");
    c.run(&format!("RESTORE VERIFYONLY FROM {from}")).unwrap();
    assert_eq!(store.list().0.len(), 1);
    drop(c);
    assert!(server.stop().success());
}

#[test]
fn a_store_that_goes_wrong_loses_nothing() {
    let temp = TempDir::new("s3-faults");
    let data = temp.path().join("data");
    let server = server(&data);
    let mut store = Store::start(None);
    let proxy = Proxy::start(store.ports.0);
    let mut c = connect(&server, "master");
    make(&mut c);
    let sum = c.query(&format!("{SUM} shop.dbo.t")).unwrap().first_value();
    let key = store.key.clone();
    credential(&mut c, "CREATE", proxy.port, &key);
    let url = format!("URL = 's3://127.0.0.1:{}/backups/shop.bak'", proxy.port);
    let backup = format!("BACKUP DATABASE shop TO {url} WITH FORMAT, MAXTRANSFERSIZE = 5242880");
    const PARTS: [&str; 3] = ["partNumber=1&", "partNumber=2&", "partNumber=3&"];

    // Busy, cut off, silent, in turn at every step: it succeeds, and each part is there once.
    use Fault::{Answer, CutRequest, Early, LoseAnswer};
    proxy.rule(in_turn(&[
        ("?uploads=", &[Answer(503), LoseAnswer]),
        (PARTS[0], &[Answer(503), Early(503), Answer(500)]),
        (PARTS[1], &[CutRequest, LoseAnswer]),
        (PARTS[2], &[LoseAnswer, Answer(429), CutRequest]),
        ("POST /backups/shop.bak?uploadId=", &[Answer(503), CutRequest]),
    ]));
    c.run(&backup).unwrap();
    let tries = PARTS.map(|part| proxy.seen(&["PUT", part]));
    assert_eq!(tries, [4, 3, 4]);
    assert_eq!(restored(&mut c, &url), sum);

    // The answer to the end is lost: what is there is read back, and not written again.
    proxy.rule(in_turn(&[("POST /backups/shop.bak?uploadId=", &[LoseAnswer])]));
    c.run(&backup).unwrap();
    assert_eq!(proxy.seen(&["POST", "?uploadId="]), 1);
    let looked = proxy.seen(&["GET /backups/shop.bak"]);
    // The label of the old object, and both ends of the new one.
    assert_eq!(looked, 3);

    // An answer that does not say that it is done is none; one that says that the store is busy need not be the store's.
    proxy.rule(in_turn(&[("POST /backups/shop.bak?uploadId=", &[Fault::Empty])]));
    c.run(&backup).unwrap();
    assert_eq!(proxy.seen(&["POST", "?uploadId="]), 2);
    assert_eq!(restored(&mut c, &url), sum);
    proxy.rule(in_turn(&[("POST /backups/shop.bak?uploadId=", &[Fault::Deny(503)])]));
    c.run(&backup).unwrap();
    assert_eq!(proxy.seen(&["POST", "?uploadId="]), 1);

    // One object is one stripe, however its address is written.
    let other = url.replace("s3://", "S3://");
    let said = errors(&mut c, &format!("BACKUP DATABASE shop TO {url}, {other} WITH FORMAT"));
    assert!(said.contains("3201") && said.contains("32("), "{said}");

    // A reader meets the same: every other answer is none, or comes slowly.
    let mut n = 0;
    proxy.rule(move |line| {
        n += usize::from(line.starts_with("GET"));
        match (line.starts_with("GET"), n % 6) {
            (true, 1) => Fault::Answer(503),
            (true, 3) => Fault::CutAnswer,
            (true, 5) => Fault::LoseAnswer,
            (true, _) => Fault::Slow(Duration::from_millis(1)),
            _ => Fault::Pass,
        }
    });
    assert_eq!(restored(&mut c, &url), sum);

    // One that stays away: an error, the old object as it was, and no parts left over.
    let before = store.list();
    assert_eq!(before.1, 1, "an upload whose beginning was not heard of");
    proxy.rule(|line| match line.contains("partNumber=2&") {
        true => Fault::Answer(503),
        false => Fault::Pass,
    });
    let said = errors(&mut c, &backup);
    assert!(said.contains("3202") && said.contains("SlowDown") && said.contains("3013"), "{said}");
    assert_eq!(store.list(), before);
    assert_eq!(restored_through(&mut c, &proxy, &url), sum);

    // Who asks for an end has it, and nothing is left.
    proxy.rule(|line| match line.contains("partNumber=") {
        true => Fault::Answer(503),
        false => Fault::Pass,
    });
    let began = Instant::now();
    c.send_batch(&backup).unwrap();
    while proxy.seen(&["partNumber="]) == 0 {
        assert!(began.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(10));
    }
    // Meanwhile the object is nobody else's.
    let mut second = connect(&server, "master");
    let said = errors(&mut second, &format!("BACKUP DATABASE model TO {url} WITH FORMAT"));
    assert!(said.contains("3201") && said.contains("32("), "{said}");
    drop(second);
    let asked = Instant::now();
    c.cancel().unwrap();
    assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
    assert_eq!(store.list(), before);
    proxy.rule(|_| Fault::Pass);
    c.run(&backup).unwrap();
    assert_eq!(restored(&mut c, &url), sum);
    drop(c);
    assert!(server.stop().success());
}

/// As [`restored`], with a proxy that passes everything on again.
fn restored_through(c: &mut Client, proxy: &Proxy, from: &str) -> String {
    proxy.rule(|_| Fault::Pass);
    restored(c, from)
}
