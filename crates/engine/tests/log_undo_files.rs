//! Scripts of `taffrail.log_undo` that go through a file: whoever reads it line by line runs what was written.

use crate::support;

use support::{Client, Heard, World};
use taffrail_types::Value;

/// The lines of the script that takes back what committed last.
fn script(c: &mut Client) -> Vec<String> {
    let of = c.rows("SELECT TOP 1 transaction_id FROM taffrail.log_changes(NULL, NULL, NULL) ORDER BY commit_lsn DESC");
    let mut heard = Heard::default();
    c.connection.execute_batch(
        &format!("SELECT statement FROM taffrail.log_undo('{of}') ORDER BY line"),
        &mut heard,
    );
    assert!(!heard.rows.is_empty(), "{}", heard.text());
    let text = |r: &Vec<Value>| r[0].as_text().unwrap_or_default();
    heard.rows.iter().map(text).collect()
}

/// The text as a reader of script files hands it on: CR LF and CR are line ends, `GO` alone on a line ends the batch, a backslash joins
/// lines, and `$(names)` have values.
fn as_read_from_a_file(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n").replace("\\\n", "");
    assert!(!text.lines().any(|l| l.trim().eq_ignore_ascii_case("go")), "a batch ends: {text}");
    assert!(!text.lines().any(|l| l.starts_with(':') || l.starts_with("!!")), "{text}");
    let mut read = String::new();
    let mut rest = &text[..];
    while let Some((before, behind)) = rest.split_once("$(") {
        read.push_str(before);
        read.push_str("a value");
        rest = behind.split_once(')').map_or("", |(_, after)| after);
    }
    read + rest
}

/// Runs a transaction, takes it back by a script from a file, and compares the bytes of all values. The script.
fn there_and_back(c: &mut Client, work: &str, look: &str) -> String {
    let before = c.rows(look);
    c.ok(&format!("SET XACT_ABORT ON; BEGIN TRAN; {work}; COMMIT; SET XACT_ABORT OFF"));
    assert_ne!(c.rows(look), before, "{work}");
    let lines = script(c);
    for line in &lines {
        assert!(!line.contains(char::is_control) && !line.contains("$("), "{line:?}");
        assert!(!line.contains(['\u{2028}', '\u{2029}']), "{line:?}");
    }
    let script = as_read_from_a_file(&lines.join("\n"));
    assert_eq!(c.rows(&script), "", "{script}");
    assert_eq!(c.rows(look), before, "{work}\n{script}");
    assert_eq!(c.rows("SELECT @@TRANCOUNT"), "0");
    script
}

/// Text that each reader of scripts would change in its own way, as expressions.
const TEXTS: &[&str] = &[
    "'p' + CHAR(13) + CHAR(10) + 'q'",
    "'p' + CHAR(13) + 'q'",
    "'p' + CHAR(10) + 'q'",
    "CHAR(13) + CHAR(10)",
    "'a' + CHAR(10) + 'GO' + CHAR(10) + 'b'",
    "CHAR(10) + ':r x.sql' + CHAR(10) + '!!ls'",
    "'a\\' + CHAR(10) + 'b'",
    "'u=$(SQLCMDUSER)'",
    "'tab' + CHAR(9) + 'x'",
    "CHAR(0) + CHAR(7) + CHAR(11) + CHAR(12) + CHAR(26) + CHAR(27) + CHAR(127)",
    "CHAR(129) + CHAR(141) + 'it''s'",
];

#[test]
fn control_characters_of_all_text_types_come_back_as_they_were() {
    let (_world, mut c) = World::with_database();
    c.ok("ALTER DATABASE d SET RECOVERY FULL");
    c.ok("CREATE TABLE t (id int PRIMARY KEY, a char(20), b varchar(20) UNIQUE, c nchar(20), e nvarchar(20), f varchar(max), \
        g nvarchar(max), h text, i ntext, j sql_variant, k varbinary(40))");
    let columns = ["a", "b", "c", "e", "f", "g", "h", "i", "j"];
    for (id, text) in TEXTS.iter().enumerate() {
        let values = columns.map(|column| match column {
            "c" | "e" | "g" | "i" => format!("CAST({text} AS nvarchar(40))"),
            _ => (*text).to_owned(),
        });
        let names = columns.join(", ");
        c.ok(&format!(
            "INSERT t (id, {names}, k) VALUES ({id}, {}, CAST({text} AS varbinary(40)))",
            values.join(", ")
        ));
    }
    for (id, code) in [(100, 0x85), (101, 0x2028), (102, 0x2029), (103, 0xd800), (104, 1)] {
        c.ok(&format!("INSERT t (id, b, e, g) VALUES ({id}, '{id}', N'<' + NCHAR({code}) + N'>', N'<' + NCHAR({code}) + N'>')"));
    }
    let bytes = columns.map(|column| match column {
        "h" => "CAST(CAST(h AS varchar(max)) AS varbinary(max))".to_owned(),
        "i" => "CAST(CAST(i AS nvarchar(max)) AS varbinary(max))".to_owned(),
        _ => format!("CAST({column} AS varbinary(max))"),
    });
    let bytes = bytes.map(|b| b.replace("CAST(j AS varbinary(max))", "CAST(j AS varbinary(8000))"));
    let look = format!("SELECT id, {}, k FROM t ORDER BY id", bytes.join(", "));
    there_and_back(&mut c, "DELETE t", &look);
    let all = "a = 'x', c = N'x', e = N'x', f = 'x', g = N'x', h = 'x', i = N'x', j = N'x'";
    there_and_back(&mut c, &format!("UPDATE t SET {all}"), &look);
    let script = there_and_back(
        &mut c,
        "UPDATE t SET b = NULL WHERE id = 1; UPDATE t SET e = e + N'.'",
        &look,
    );
    // A key is compared as its own type, so that its index is of use.
    assert!(script.contains("AS varchar(20))"), "{script}");
}

/// Values of a heap and of types that have no text of their own.
#[test]
fn control_characters_in_a_heap_and_in_xml_come_back_as_they_were() {
    let (_world, mut c) = World::with_database();
    c.ok("ALTER DATABASE d SET RECOVERY FULL");
    c.ok("CREATE TABLE h (a nvarchar(100), x xml)");
    c.ok("INSERT h VALUES (N'one' + NCHAR(13) + NCHAR(10) + N'GO' + NCHAR(10), N'<a>line&#x0D;&#x0A;GO</a>'), \
        (N'two', N'<a b=\"&#x0A;&#x09;\">$(x)</a>'), (N'three', CONVERT(xml, N'<a>  <b/> </a>', 1))");
    let look = "SELECT CAST(a AS varbinary(max)), CAST(CAST(x AS nvarchar(max)) AS varbinary(max)) FROM h ORDER BY a";
    there_and_back(&mut c, "DELETE h", look);
    there_and_back(&mut c, "UPDATE h SET a = N'z', x = NULL WHERE a <> N'two'", look);
    there_and_back(&mut c, "UPDATE h SET x = N'<b/>'", look);
}

/// Names may have what values may: the statement is executed from the bytes of its text.
#[test]
fn names_with_control_characters_are_the_same_names() {
    let (_world, mut c) = World::with_database();
    c.ok("ALTER DATABASE d SET RECOVERY FULL");
    let odd = "[t\r\nGO\n$(x)]";
    c.ok(&format!(
        "CREATE TABLE {odd} (id int IDENTITY PRIMARY KEY, [v\rw] varchar(20), [$(y)] int)"
    ));
    c.ok(&format!("INSERT {odd} VALUES ('p' + CHAR(13) + CHAR(10) + 'q', 1), ('r', 2)"));
    c.ok("CREATE TABLE p (id int IDENTITY PRIMARY KEY, v int); INSERT p VALUES (1), (2)");
    let look = format!(
        "SELECT id, CAST([v\rw] AS varbinary(20)), [$(y)] FROM {odd} ORDER BY id; SELECT * FROM p ORDER BY id"
    );
    there_and_back(&mut c, &format!("DELETE {odd}; DELETE p"), &look);
    there_and_back(
        &mut c,
        &format!("DELETE p WHERE id = 1; DELETE {odd} WHERE id = 1; DELETE p"),
        &look,
    );
    there_and_back(&mut c, &format!("UPDATE {odd} SET [v\rw] = 'z' + CHAR(10), [$(y)] = 9"), &look);
    there_and_back(
        &mut c,
        &format!("INSERT {odd} VALUES ('n' + CHAR(10), 3); INSERT p VALUES (3)"),
        &look,
    );
    // Keys of such tables, too.
    c.ok(&format!(
        "CREATE TABLE k (id int PRIMARY KEY, o int, CONSTRAINT [fk\nGO\n] FOREIGN KEY (o) REFERENCES {odd} (id)); INSERT k VALUES (1, 1)"
    ));
    there_and_back(
        &mut c,
        &format!("DELETE k; DELETE {odd} WHERE id = 1"),
        &format!("{look}; SELECT * FROM k"),
    );
    assert_eq!(
        c.rows("SELECT COUNT(*) FROM sys.foreign_keys WHERE is_disabled = 1 OR is_not_trusted = 1"),
        "0"
    );
    // A row that somebody has changed since: the script ends, and says so on one line.
    c.ok(&format!("BEGIN TRAN [odd\r\nGO]; UPDATE {odd} SET [$(y)] = 7; COMMIT"));
    let undo = script(&mut c).join("\n");
    c.ok(&format!("UPDATE {odd} SET [$(y)] = 8"));
    let said = c.rows(&as_read_from_a_file(&undo));
    assert!(said.contains("50000, Level 16") && said.contains("is not as transaction"), "{said}");
    assert_eq!(c.rows("SELECT @@TRANCOUNT"), "0");
}
