//! BULK INSERT from files of every kind that it reads, and what it says of those that it does not; INSERT BULK as no
//! client of good manners sends it.

use super::life::connect;
use std::io::Write;
use std::path::Path;
use taffrail_lab::client::bulk::BulkOptions;
use taffrail_lab::client::{Client, ClientError};
use taffrail_tests::{Server, TempDir};
use taffrail_types::{MaxLen, SqlType, Value};

struct Bench {
    client: Client,
    folder: std::path::PathBuf,
    _data: TempDir,
    server: Server,
}

fn bench(name: &str) -> Bench {
    let data = TempDir::new(name);
    let folder = data.path().join("files");
    std::fs::create_dir(&folder).unwrap();
    let root = folder.display().to_string();
    let server = Server::start(&data.path().join("data"), &["--file-root", &root]);
    let client = connect(&server, "");
    Bench { client, folder, _data: data, server }
}

impl Bench {
    fn file(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    }

    /// The rows of a table after a load that must succeed.
    fn load(&mut self, table: &str, file: &str, with: &str) -> String {
        self.client.run(&format!("TRUNCATE TABLE {table}")).unwrap();
        self.client.run(&format!("BULK INSERT {table} FROM '{file}' WITH ({with})")).unwrap();
        self.rows(table)
    }

    fn rows(&mut self, table: &str) -> String {
        self.client.query(&format!("SELECT * FROM {table} ORDER BY 1, 2")).unwrap().text()
    }

    /// The numbers of the errors of a load.
    fn errors(&mut self, sql: &str) -> Vec<(i32, String)> {
        match self.client.run(sql) {
            Err(ClientError::Server(list)) => {
                list.into_iter().map(|m| (m.number, m.message)).collect()
            }
            other => panic!("{sql}: {other:?}"),
        }
    }

    fn numbers(&mut self, sql: &str) -> Vec<i32> {
        self.errors(sql).into_iter().map(|(n, _)| n).collect()
    }
}

#[test]
fn a_field_of_a_column_that_the_server_fills_is_passed_over() {
    let mut b = bench("bulk-made");
    b.client.run("CREATE TABLE t (a int, b AS a * 2, rv rowversion, c varchar(10))").unwrap();
    let file = b.file("made.txt", b"1\t20\t0x01\tone\n2\tx\t\ttwo\n");
    b.client.run(&format!("BULK INSERT t FROM '{file}'")).unwrap();
    let rows = b.client.query("SELECT a, b, c FROM t WHERE rv > 0x07D0 ORDER BY a").unwrap();
    assert_eq!(rows.text(), "1|2|one\n2|4|two");
}

#[test]
fn a_file_is_one_value() {
    let mut b = bench("bulk-whole");
    let text = b.file("text.txt", b"gr\xfcn\r\n");
    let wide: Vec<u8> = "\u{feff}\u{4f60}a".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let wide = b.file("wide.txt", &wide);
    let empty = b.file("empty.txt", b"");
    let long = b.file("long.bin", &vec![7; 3 << 20]);
    let rows = |b: &mut Bench, sql: &str| b.client.query(sql).unwrap().text();
    let from = |file: &str, form: &str| format!("FROM OPENROWSET(BULK '{file}', {form})");
    let clob = from(&text, "SINGLE_CLOB");
    assert_eq!(
        rows(&mut b, &format!("SELECT BulkColumn, DATALENGTH(BulkColumn) {clob} AS f")),
        "grün\r\n|6"
    );
    assert_eq!(
        rows(&mut b, &format!("SELECT f.body {clob} AS f (body) WHERE f.body LIKE 'g%'")),
        "grün\r\n"
    );
    let nclob = from(&wide, "SINGLE_NCLOB");
    assert_eq!(
        rows(&mut b, &format!("SELECT BulkColumn, DATALENGTH(BulkColumn) {nclob} AS f")),
        "你a|4"
    );
    let blob = from(&long, "SINGLE_BLOB");
    assert_eq!(
        rows(
            &mut b,
            &format!(
                "SELECT DATALENGTH(BulkColumn), CONVERT(varchar(6), SUBSTRING(BulkColumn, 1, 2), 1) {blob} AS f"
            )
        ),
        "3145728|0x0707"
    );
    let none = from(&empty, "SINGLE_BLOB");
    assert_eq!(rows(&mut b, &format!("SELECT DATALENGTH(BulkColumn) {none} f")), "0");
    b.client.run("CREATE TABLE t (id int IDENTITY, body varchar(max))").unwrap();
    b.client.run(&format!("INSERT t (body) SELECT BulkColumn {clob} AS f")).unwrap();
    b.client.run(&format!("UPDATE t SET body = body + (SELECT BulkColumn {clob} AS f)")).unwrap();
    assert_eq!(rows(&mut b, "SELECT DATALENGTH(body) FROM t"), "12");

    for (sql, number) in [
        (format!("SELECT * {clob}"), 491),
        (format!("SELECT * {} AS f", from(&text, "SINGLE_CLOB, SINGLE_BLOB")), 4802),
        (format!("SELECT * {} AS f", from(&wide, "SINGLE_CLOB")), 4806),
        (format!("SELECT * {} AS f", from(&text, "SINGLE_NCLOB")), 4809),
        (format!("SELECT * {} AS f", from("nowhere.txt", "SINGLE_BLOB")), 4860),
        (format!("SELECT * {} AS f", from("/etc/passwd", "SINGLE_BLOB")), 4861),
        (format!("SELECT * {} AS f", from(&text, "FORMATFILE = 'f.xml'")), 40510),
        (
            "DECLARE @f varchar(9) = 'x' SELECT * FROM OPENROWSET(BULK @f, SINGLE_BLOB) AS f"
                .into(),
            102,
        ),
    ] {
        assert_eq!(b.numbers(&sql), [number], "{sql}");
    }
    b.client.run("CREATE LOGIN reader WITH PASSWORD = 'Strong-Pass-1'").unwrap();
    let sql = format!("EXECUTE AS LOGIN = 'reader' SELECT * {clob} AS f");
    assert_eq!(b.numbers(&sql), [4834]);
}

#[test]
fn files_are_read_as_their_options_say() {
    let mut b = bench("bulk-insert");
    b.client.run("CREATE TABLE t (a int, b varchar(10), c nvarchar(10))").unwrap();
    let plain = b.file("plain.txt", b"1\tone\teins\n2\t\tzwei\n3\tthree\t\n");
    let want = "1|one|eins\n2|NULL|zwei\n3|three|NULL";
    assert_eq!(b.load("t", &plain, "TABLOCK"), want);
    let crlf = b.file("crlf.txt", b"1\tone\teins\r\n2\t\tzwei\r\n3\tthree\t\r\n");
    assert_eq!(b.load("t", &crlf, "ROWTERMINATOR = '\\n'"), want);
    assert_eq!(b.load("t", &crlf, "ROWTERMINATOR = '\\r\\n', FIELDTERMINATOR = '\\t'"), want);
    assert!(b.load("t", &crlf, "ROWTERMINATOR = '0x0a'").contains("eins\r"));
    let odd = b.file("odd.txt", b"1||one||eins##2||||zwei##3||three||");
    assert_eq!(b.load("t", &odd, "FIELDTERMINATOR = '||', ROWTERMINATOR = '##'"), want);

    let csv = "id,text,more\r\n1,\"a, \"\"b\"\"\",\"gr\u{fc}n\"\r\n2,\"\",\u{4f60}\u{597d}\r\n3,,\"two\nlines\"\r\n4,x,y";
    let csv = b.file("c.csv", csv.as_bytes());
    let with = "FORMAT = 'CSV', FIRSTROW = 2, CODEPAGE = '65001'";
    let all = "1|a, \"b\"|grün\n2||你好\n3|NULL|two\nlines\n4|x|y";
    assert_eq!(b.load("t", &csv, with), all);
    assert_eq!(
        b.load("t", &csv, &format!("{with}, LASTROW = 3, BATCHSIZE = 1")),
        "1|a, \"b\"|grün\n2||你好"
    );
    let quoted = b.file("q.csv", b"1;'it''s';x\n");
    let with = "FORMAT = 'CSV', FIELDQUOTE = '''', FIELDTERMINATOR = ';'";
    assert_eq!(b.load("t", &quoted, with), "1|it's|x");

    let wide: Vec<u8> =
        "\u{feff}1|ein|\u{4f60}\r\n2||b\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let wide = b.file("wide.txt", &wide);
    let with = "DATAFILETYPE = 'widechar', FIELDTERMINATOR = '|'";
    assert_eq!(b.load("t", &wide, with), "1|ein|你\n2|NULL|b");
    let latin = b.file("latin.txt", b"1\tgr\xfcn\t\x80\n");
    assert_eq!(b.load("t", &latin, "CODEPAGE = 'ACP'"), "1|grün|€");

    b.client
        .run("CREATE TABLE k (id int IDENTITY(10, 10) PRIMARY KEY, v int NOT NULL DEFAULT 7, s varchar(5) \
            DEFAULT 'dflt', CONSTRAINT small CHECK (v < 100))")
        .unwrap();
    let keys = b.file("keys.txt", b"1,1,a\n2,,\n");
    assert_eq!(b.load("k", &keys, "FIELDTERMINATOR = ','"), "10|1|a\n20|7|dflt");
    assert_eq!(b.load("k", &keys, "FIELDTERMINATOR = ',', KEEPIDENTITY"), "1|1|a\n2|7|dflt");
    let nulls = b.file("nulls.txt", b"1,1,\n2,200,b\n");
    let with = "FIELDTERMINATOR = ',', KEEPIDENTITY, KEEPNULLS";
    assert_eq!(b.load("k", &nulls, with), "1|1|NULL\n2|200|b");

    b.client
        .run("CREATE TABLE every (i bigint, b bit, n numeric(12,3), f float, m money, d date, t time(3), dt \
            datetime, d2 datetime2(7), o datetimeoffset(0), g uniqueidentifier, vb varbinary(10), x varchar(max))")
        .unwrap();
    let long = "x".repeat(100_000);
    let line = format!(
        "-9223372036854775808,1,-1.5,1e10,12.34,2026-11-21,12:34:56.789,2026-11-21 \
            01:02:03,2026-11-21T01:02:03.1234567,2026-11-21 01:02:03 \
            +02:00,01234567-89AB-CDEF-0123-456789ABCDEF,0aFF,{long}\n{}\n",
        ",".repeat(12)
    );
    let every = b.file("every.txt", line.as_bytes());
    b.load("every", &every, "FIELDTERMINATOR = ','");
    let seen = b
        .client
        .query(
            "SELECT i, b, n, f, m, d, t, dt, d2, o, g, CONVERT(varchar(20), vb, 1), LEN(x) \
        FROM every ORDER BY i DESC",
        )
        .unwrap();
    assert_eq!(
        seen.text(),
        "-9223372036854775808|1|-1.500|1e+010|12.34|2026-11-21|12:34:56.789|2026-11-21 01:02:03.000|2026-11-21 \
            01:02:03.1234567|2026-11-21 01:02:03 +02:00|01234567-89AB-CDEF-0123-456789ABCDEF|0x0AFF|100000\n\
            NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL"
    );
    assert!(b.server.stop().success());
}

#[test]
fn what_cannot_be_loaded_is_told() {
    let mut b = bench("bulk-errors");
    b.client
        .run(
            "CREATE TABLE t (a int NOT NULL, b varchar(3), c tinyint, CONSTRAINT one UNIQUE (a), \
        CONSTRAINT small CHECK (c < 100))",
        )
        .unwrap();
    let sql = |file: &str, with: &str| {
        format!("BULK INSERT t FROM '{file}' WITH (FIELDTERMINATOR = ','{with})")
    };
    let missing = b.folder.join("nope.txt").display().to_string();
    assert_eq!(
        b.errors(&sql(&missing, "")),
        [(
            4860,
            format!(
                "Cannot bulk load. The file \"{missing}\" does not exist or you don't have file access rights."
            )
        )]
    );
    assert_eq!(b.numbers(&sql("/nowhere/at/all.txt", "")), [4861]);
    let outside = b.errors(&sql("/etc/passwd", ""));
    assert!(outside[0].0 == 4861 && outside[0].1.contains("file_roots"), "{outside:?}");
    let folder = b.folder.display().to_string();
    assert_eq!(b.numbers(&sql(&format!("{folder}/."), "")), [4861]);

    // Bad rows are left out, and told.
    let bad = b.file("bad.txt", b"1,a,1\nx,b,2\n3,toolong,3\n4,d,300\n5,e,5\n");
    let text = "Bulk load data conversion error";
    assert_eq!(
        b.errors(&sql(&bad, "")),
        [
            (
                4864,
                format!(
                    "{text} (type mismatch or invalid character for the specified codepage) for row 2, column 1 (a)."
                )
            ),
            (4863, format!("{text} (truncation) for row 3, column 2 (b).")),
            (4867, format!("{text} (overflow) for row 4, column 3 (c).")),
        ]
    );
    assert_eq!(b.rows("t"), "1|a|1\n5|e|5");
    b.client.run("TRUNCATE TABLE t").unwrap();
    // One too many ends the load.
    assert_eq!(b.numbers(&sql(&bad, ", MAXERRORS = 1")), [4864, 4863, 4865, 7399, 7330]);
    assert_eq!(b.rows("t"), "");
    // Batches before it stay.
    assert_eq!(b.numbers(&sql(&bad, ", MAXERRORS = 0, BATCHSIZE = 1")), [4864, 4865, 7399, 7330]);
    assert_eq!(b.rows("t"), "1|a|1");
    b.client.run("TRUNCATE TABLE t").unwrap();

    let null = b.file("null.txt", b"1,a,1\n,b,2\n");
    assert_eq!(b.numbers(&sql(&null, "")), [4869, 7399, 7330]);
    let short = b.file("short.txt", b"1,a,1\n2,b");
    assert_eq!(b.numbers(&sql(&short, "")), [4832, 7399, 7330]);
    let endless = b.file("endless.txt", &vec![b'x'; 1 << 20]);
    assert_eq!(b.numbers(&sql(&endless, "")), [4866, 7399, 7330]);
    let twice = b.file("twice.txt", b"1,a,1\n1,b,2\n");
    assert_eq!(b.numbers(&sql(&twice, "")), [2627]);
    let large = b.file("large.txt", b"1,a,200\n");
    assert_eq!(b.numbers(&sql(&large, ", CHECK_CONSTRAINTS")), [547]);
    assert_eq!(b.rows("t"), "");
    b.client.run(&sql(&large, "")).unwrap();
    assert_eq!(b.rows("t"), "1|a|200");

    // In a transaction all goes with it; in a TRY the last of the chain is caught.
    b.client.run("TRUNCATE TABLE t").unwrap();
    let good = b.file("good.txt", b"1,a,1\n2,b,2\n");
    b.client.run(&format!("BEGIN TRAN {} ROLLBACK", sql(&good, ", BATCHSIZE = 1"))).unwrap();
    assert_eq!(b.rows("t"), "");
    let caught =
        format!("BEGIN TRY {} END TRY BEGIN CATCH SELECT ERROR_NUMBER() END CATCH", sql(&null, ""));
    assert_eq!(b.client.query(&caught).unwrap().text(), "7330");

    for (with, number) in [
        (", ERRORFILE = 'x'", 40510),
        (", FORMATFILE = 'x'", 40510),
        (", DATAFILETYPE = 'native'", 40510),
        (", CODEPAGE = '1361'", 40510),
        (", NOPE", 155),
    ] {
        assert_eq!(b.numbers(&sql(&good, with)), [number], "{with}");
    }
    assert_eq!(b.numbers("BULK INSERT nope FROM 'x'"), [208]);
    assert_eq!(b.rows("t"), "");
    assert!(b.server.stop().success());
}

#[test]
fn a_bulk_load_that_breaks_leaves_nothing() {
    let mut b = bench("bulk-broken");
    b.client.run("CREATE TABLE t (a int PRIMARY KEY, b varchar(100))").unwrap();
    let columns = [("a", SqlType::Int), ("b", SqlType::VarChar(MaxLen::N(100)))];
    let row = |i| [Value::Int(i), Value::varchar("some text")];

    // An error early in a long message: the rest is taken and thrown away.
    let mut copy = b.client.bulk("t", &columns, BulkOptions::default());
    for i in 0..100_000 {
        copy.row(&row(i % 50_000)).unwrap();
    }
    let e = copy.finish().unwrap_err();
    assert_eq!(e.server().map(|m| m.number), Some(2627), "{e}");
    assert_eq!(b.rows("t"), "");

    // The client vanishes in the middle of a row, in a transaction of its own.
    let mut other = connect(&b.server, "");
    other.run("BEGIN TRAN").unwrap();
    let mut copy = other.bulk("t", &columns, BulkOptions { tablock: true, ..Default::default() });
    for i in 0..100_000 {
        copy.row(&row(i)).unwrap();
    }
    drop(copy);
    drop(other);
    assert_eq!(b.rows("t"), "", "its locks are gone and so are its rows");

    // Data without INSERT BULK ends the connection, and only that.
    let stray = connect(&b.server, "");
    stray.socket().write_all(&[7, 1, 0, 9, 0, 0, 1, 0, 0xFD]).unwrap();
    let mut stray = stray;
    assert!(stray.run("SELECT 1").is_err());

    let mut copy = b.client.bulk("t", &columns, BulkOptions { batch: 1000, ..Default::default() });
    for i in 0..2500 {
        copy.row(&row(i)).unwrap();
    }
    assert_eq!(copy.finish().unwrap(), 2500);
    assert_eq!(b.client.query("SELECT COUNT(*) FROM t").unwrap().text(), "2500");
    assert!(b.server.stop().success());
}

#[test]
fn generated_customers_reach_a_server() {
    let data = TempDir::new("lab-load");
    let server = Server::start(&data.path().join("data"), &[]);
    let lab = |more: &[&str]| {
        let out = std::process::Command::new(taffrail_tests::binary())
            .args(["lab", "load", "tpcc-customer", "-S", &format!("127.0.0.1,{}", server.port)])
            .args(["-P", taffrail_tests::PASSWORD, "-d", "master"])
            .args(more)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        (out.status.success(), text + &String::from_utf8_lossy(&out.stderr))
    };
    for encrypt in ["yes", "optional", "no"] {
        // Nobody has signed the server's certificate.
        let (good, said) =
            lab(&["--rows", "3001", "--table", encrypt, "-N", encrypt, "-C", "--tablock"]);
        assert!(good && said.contains("3001 rows into"), "{said}");
    }
    let (good, said) = lab(&["--rows", "10", "--table", "no"]);
    assert!(!good && said.contains("Msg 2601"), "{said}");
    let (good, said) = lab(&["--rows", "3001", "--table", "no", "--truncate", "--batch", "1000"]);
    assert!(good, "{said}");
    let mut client = connect(&server, "");
    let same =
        "SELECT COUNT(*), MAX(c_d_id), COUNT(DISTINCT c_last), MIN(LEN(c_data)), MAX(c_w_id) FROM";
    let of =
        |client: &mut Client, table: &str| client.query(&format!("{same} {table}")).unwrap().text();
    let first = of(&mut client, "[yes]");
    assert!(first.starts_with("3001|2|"), "{first}");
    assert_eq!(of(&mut client, "[optional]"), first);
    assert_eq!(of(&mut client, "[no]"), first);
    assert!(Path::new(&data.path().join("data")).exists());
    assert!(server.stop().success());
}
