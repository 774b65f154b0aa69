//! Values of max types while others replace them: a reader gets what belongs to the row, or an error that says why not.

use crate::support;

use support::{Client, World};
use taffrail_base::SqlError;
use taffrail_engine::{ColumnDesc, Done, EnvChange, ResultSink, ReturnValue, SinkResult};
use taffrail_types::Value;

const ROWS: i32 = 100;
/// Some four pages each.
const COPIES: usize = 3000;

fn literal(id: i32, version: i32) -> String {
    format!("REPLICATE(CAST('[{id:05}.{version}]' AS varchar(max)), {COPIES})")
}

/// Reads rows (id, value), and has something else done after the first.
struct Reader<F: FnMut()> {
    meanwhile: Option<F>,
    /// Id and version.
    rows: Vec<(i32, i32)>,
    errors: Vec<i32>,
}

impl<F: FnMut()> ResultSink for Reader<F> {
    fn columns(&mut self, _: &[ColumnDesc]) -> SinkResult {
        Ok(())
    }

    fn row(&mut self, values: &[Value]) -> SinkResult {
        let (id, text) = (values[0].as_i64().unwrap() as i32, values[1].as_text().unwrap());
        let version = text.as_bytes()[7] - b'0';
        let unit = format!("[{id:05}.{version}]");
        assert!(text == unit.repeat(COPIES), "row {id} holds {}…", &text[..30]);
        self.rows.push((id, version.into()));
        if let Some(mut f) = self.meanwhile.take() {
            f();
        }
        Ok(())
    }

    fn message(&mut self, m: &SqlError) -> SinkResult {
        if m.severity > 10 {
            self.errors.push(m.number);
        }
        Ok(())
    }

    fn done(&mut self, _: Done) -> SinkResult {
        Ok(())
    }

    fn return_status(&mut self, _: i32) -> SinkResult {
        Ok(())
    }

    fn return_value(&mut self, _: ReturnValue) -> SinkResult {
        Ok(())
    }

    fn env_change(&mut self, _: EnvChange) -> SinkResult {
        Ok(())
    }
}

fn fill(c: &mut Client, key: &str) {
    c.ok(&format!(
        "CREATE TABLE t (id int {key}, n int, v varchar(max)); CREATE INDEX n ON t (n);"
    ));
    for id in 0..ROWS {
        c.ok(&format!("INSERT t VALUES ({id}, {id}, {})", literal(id, 0)));
    }
}

/// Every value is replaced twice, last row first: the pages of the first version are the second's of another row. Row 50 goes.
fn replace_all(c: &mut Client) {
    for version in [1, 2] {
        for id in (0..ROWS).rev() {
            c.ok(&format!("UPDATE t SET v = {} WHERE id = {id}", literal(id, version)));
        }
    }
    c.ok("DELETE t WHERE id = 50");
}

fn read(world: &World, sql: &str) -> (Vec<(i32, i32)>, Vec<i32>) {
    let mut writer = world.connect();
    let mut reader = Reader {
        meanwhile: Some(move || replace_all(&mut writer)),
        rows: Vec::new(),
        errors: Vec::new(),
    };
    world.connect().connection.execute_batch(sql, &mut reader);
    (reader.rows, reader.errors)
}

#[test]
fn read_committed_gives_each_row_its_own_value() {
    for (key, sql) in [
        ("PRIMARY KEY", "SELECT id, v FROM t"),
        ("PRIMARY KEY", "SELECT id, v FROM t WITH (INDEX(n)) WHERE n >= 0"),
        ("", "SELECT id, v FROM t"),
        ("", "SELECT id, v FROM t WITH (INDEX(n)) WHERE n >= 0"),
        ("PRIMARY KEY", "SELECT id, SUBSTRING(v, 1, 99999) FROM t"),
        ("", "SELECT id, SUBSTRING(v, 1, 99999) FROM t"),
        ("", "SELECT id, RIGHT(v, 99999) FROM t WITH (INDEX(n)) WHERE n >= 0"),
        ("PRIMARY KEY", "SELECT id, v FROM t WHERE v NOT LIKE '%.2]%' OR id % 2 = 0"),
    ] {
        let world = World::new();
        fill(&mut world.connect(), key);
        let (rows, errors) = read(&world, sql);
        assert_eq!(errors, [], "{sql}");
        // The first row before, the others after: as they are now where the copy's values have gone.
        assert_eq!(rows[0].1, 0, "{sql}");
        assert!(rows.iter().any(|r| r.1 == 2), "{sql}: {rows:?}");
        let filtered = sql.contains("LIKE");
        for id in 0..ROWS {
            let found: Vec<i32> = rows.iter().filter(|r| r.0 == id).map(|r| r.1).collect();
            let may_be_missing = id == 50 || filtered && id % 2 == 1;
            assert!(
                found.len() == 1 || found.is_empty() && may_be_missing,
                "{sql}: {id} {found:?}"
            );
            assert!(!(filtered && id % 2 == 1) || found != [2], "{sql}: {id} does not qualify");
        }
        assert!(rows.len() < ROWS as usize, "{sql}");
    }
}

#[test]
fn dirty_readers_are_told() {
    for key in ["PRIMARY KEY", ""] {
        let world = World::new();
        fill(&mut world.connect(), key);
        for v in ["v", "SUBSTRING(v, 1, 99999)"] {
            let world = World::new();
            fill(&mut world.connect(), key);
            let sql = format!("SELECT id, {v} FROM t WITH (NOLOCK)");
            let (rows, errors) = read(&world, &sql);
            assert_eq!((rows[0], errors), ((0, 0), vec![601]), "{sql}");
            assert!(rows.len() < ROWS as usize, "{sql}");
        }
        replace_all(&mut world.connect());
        // Whose table is locked reads as ever.
        let mut c = world.connect();
        assert_eq!(c.rows("SELECT COUNT(*) FROM t WITH (TABLOCK) WHERE v LIKE '%.2]'"), "99");
        c.ok("SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED");
        assert_eq!(c.rows("SELECT COUNT(*) FROM t WHERE v LIKE '%.2]'"), "99");
    }
}

#[test]
fn copies_of_rows_take_their_large_values_along() {
    let world = World::new();
    let mut c = world.connect();
    fill(&mut c, "PRIMARY KEY");
    c.ok("CREATE TABLE a (id int PRIMARY KEY, n int, v varchar(max))");
    c.ok("CREATE TABLE b (id int, n int, v varchar(max))");
    for to in ["a", "b", "b WITH (TABLOCK)"] {
        c.ok(&format!("DELETE {0}; INSERT {to} SELECT * FROM t WHERE v LIKE '%.0]'", &to[..1]));
        let sql =
            format!("SELECT COUNT(*) FROM {} x JOIN t ON x.id = t.id AND x.v = t.v", &to[..1]);
        assert_eq!(c.rows(&sql), ROWS.to_string(), "{to}");
    }
}
