//! PostgreSQL: a throw-away cluster, and just enough of its protocol (version 3, trust authentication) to run scripts
//! and prepared inserts at the same cost per call as our own driver.

use super::{Driver, Peer, Point, no_row, wait_for_port};
use std::io::{self, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use taffrail_lab::client::timed::Timed;

/// A running cluster of PostgreSQL.
pub struct Postgres {
    child: Child,
    port: u16,
}

impl Postgres {
    /// Makes a cluster in `folder` and starts it with durable settings and warm-sized buffers.
    pub fn start(folder: &Path, port: u16) -> io::Result<Postgres> {
        let bin = newest_bin("/usr/lib/postgresql")?;
        let data = folder.join("postgres");
        std::fs::create_dir_all(&data)?;
        super::run(Command::new("chown").arg("-R").arg("postgres").arg(&data))?;
        let as_postgres = |program: &str| {
            // setpriv becomes the program; runuser would stay in front of it and leave it alive when it is killed.
            let mut c = Command::new("setpriv");
            c.args(["--reuid=postgres", "--regid=postgres", "--init-groups"])
                .arg(bin.join(program))
                .current_dir("/");
            c
        };
        super::run(as_postgres("initdb").arg("-D").arg(&data).args([
            "-A",
            "trust",
            "--no-locale",
            "-E",
            "UTF8",
        ]))?;
        let mut command = as_postgres("postgres");
        command.arg("-D").arg(&data).args(["-k", "", "-h", "127.0.0.1", "-p", &port.to_string()]);
        for setting in [
            "shared_buffers=4GB",
            "max_wal_size=8GB",
            "wal_buffers=64MB",
            "autovacuum=off",
            "fsync=on",
            "full_page_writes=on",
            "synchronous_commit=on",
            "max_connections=100",
            // Nobody replicates or archives: a bulk load into a new table is not logged row by row.
            "wal_level=minimal",
            "max_wal_senders=0",
        ] {
            command.args(["-c", setting]);
        }
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        wait_for_port(port)?;
        Ok(Postgres { child, port })
    }

    /// The answer of a query: a line a row, `|` between the columns.
    pub fn answer(&self, query: &str) -> io::Result<String> {
        let out = Command::new("psql")
            .args(["-h", "127.0.0.1", "-U", "postgres", "-AtqX"])
            .args(["-v", "ON_ERROR_STOP=1", "-P", "null=NULL"])
            .args(["-p", &self.port.to_string(), "-c", query])
            .output()?;
        match out.status.success() {
            true => Ok(String::from_utf8_lossy(&out.stdout).into_owned()),
            false => Err(io::Error::other(String::from_utf8_lossy(&out.stderr).into_owned())),
        }
    }
}

/// `/usr/lib/postgresql/NN/bin` with the highest number.
fn newest_bin(root: &str) -> io::Result<std::path::PathBuf> {
    // Its client alone lies there too.
    let mut found: Vec<_> = std::fs::read_dir(root)
        .into_iter()
        .flat_map(|entries| entries.flatten())
        .map(|e| e.path().join("bin"))
        .filter(|bin| bin.join("postgres").exists())
        .collect();
    found.sort();
    found.pop().ok_or_else(|| io::Error::other("PostgreSQL is not installed"))
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Peer for Postgres {
    fn name(&self) -> &'static str {
        "PostgreSQL"
    }

    fn connect(&self) -> io::Result<Box<dyn Driver>> {
        Ok(Box::new(Connection::open(self.port)?))
    }

    fn setup(&self) -> Vec<String> {
        vec![
            "CREATE TABLE mytable (id int GENERATED ALWAYS AS IDENTITY, sometext varchar(10), moretext varchar(50))".into(),
            "CREATE TABLE load (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, sometext varchar(10), moretext varchar(50))".into(),
            "CREATE PROCEDURE w1(n int) LANGUAGE plpgsql AS $$ BEGIN FOR i IN REVERSE n..1 LOOP INSERT INTO \
                mytable (sometext, moretext) VALUES ('Num:' || i, i || ' bottles of beer on the wall'); COMMIT; \
                END LOOP; END $$".into(),
            "CREATE PROCEDURE w2(n int) LANGUAGE plpgsql AS $$ BEGIN FOR i IN REVERSE n..1 LOOP INSERT INTO \
                mytable (sometext, moretext) VALUES ('Num:' || i, i || ' bottles of beer on the wall'); END \
                LOOP; END $$".into(),
            "CREATE TABLE customer (c_id int, c_d_id smallint, c_w_id int, c_first char(16), c_middle char(2), \
                c_last char(16), c_street_1 char(20), c_street_2 char(20), c_city char(20), c_state char(2), \
                c_zip char(9), c_phone char(16), c_since timestamp, c_credit char(2), c_credit_lim \
                numeric(12,2), c_discount numeric(4,4), c_balance numeric(12,2), c_ytd_payment numeric(12,2), \
                c_payment_cnt smallint, c_delivery_cnt smallint, c_data char(500))".into(),
            "CREATE UNIQUE INDEX ci_customer ON customer (c_w_id, c_d_id, c_id)".into(),
            "CREATE TABLE customer_tmp (LIKE customer)".into(),
        ]
    }

    fn autocommit_loop(&self, rows: u32) -> Vec<String> {
        vec![
            "SET synchronous_commit = on".into(),
            "TRUNCATE mytable".into(),
            format!("CALL w1({rows})"),
        ]
    }

    fn transaction_loop(&self, rows: u32) -> Vec<String> {
        vec!["TRUNCATE mytable".into(), format!("CALL w2({rows})")]
    }

    fn relaxed_loop(&self, rows: u32) -> Vec<String> {
        vec![
            "SET synchronous_commit = off".into(),
            "TRUNCATE mytable".into(),
            format!("CALL w1({rows})"),
        ]
    }

    fn load_file(&self, file: &Path) -> Vec<String> {
        vec![
            "TRUNCATE customer".into(),
            "CHECKPOINT".into(),
            format!("BEGIN; TRUNCATE customer; COPY customer FROM '{}'; COMMIT", file.display()),
        ]
    }

    fn load_customers(&self, rows: u32) -> Vec<String> {
        vec![
            "TRUNCATE customer; TRUNCATE customer_tmp".into(),
            format!(
                "INSERT INTO customer SELECT i % 3000 + 1, i / 3000 % 10 + 1, i / 30000 + 1, 'First' || i, \
                    'OE', 'BARBARBAR', 'Street one', 'Street two', 'Springfield', 'CA', '123411111', \
                    '0123456789012345', '2009-02-09 13:13:00', 'GC', 50000.00, 0.1234, -10.00, 10.00, 1, 0, \
                    repeat('Data of a customer, WITH CAPITALS. ', 14) FROM generate_series(0, {} - 1) AS i",
                rows
            ),
            "VACUUM ANALYZE customer".into(),
            "CHECKPOINT".into(),
        ]
    }
}

/// One connection to PostgreSQL.
struct Connection {
    reader: BufReader<Timed>,
    writer: Timed,
    out: Vec<u8>,
}

impl Connection {
    fn open(port: u16) -> io::Result<Connection> {
        let socket = TcpStream::connect(("127.0.0.1", port))?;
        socket.set_nodelay(true)?;
        let reader = BufReader::with_capacity(64 << 10, Timed::new(socket.try_clone()?));
        let mut c = Connection { reader, writer: Timed::new(socket), out: Vec::new() };
        let parameters = b"user\0postgres\0database\0postgres\0\0";
        c.out.extend((parameters.len() as u32 + 8).to_be_bytes());
        c.out.extend(196_608_u32.to_be_bytes());
        c.out.extend(parameters);
        c.send()?;
        c.until_ready()?;
        Ok(c)
    }

    fn message(&mut self, kind: u8, body: impl FnOnce(&mut Vec<u8>)) {
        self.out.push(kind);
        let at = self.out.len();
        self.out.extend([0; 4]);
        body(&mut self.out);
        let length = (self.out.len() - at) as u32;
        self.out[at..at + 4].copy_from_slice(&length.to_be_bytes());
    }

    fn send(&mut self) -> io::Result<()> {
        self.writer.write_all(&self.out)?;
        self.out.clear();
        Ok(())
    }

    /// Reads up to ReadyForQuery; an ErrorResponse on the way is the error.
    fn until_ready(&mut self) -> io::Result<()> {
        self.rows_until_ready(|_| {})
    }

    /// Reads to ReadyForQuery and shows the body of each DataRow.
    fn rows_until_ready(&mut self, mut row: impl FnMut(&[u8])) -> io::Result<()> {
        let mut failed = None;
        loop {
            let mut head = [0; 5];
            self.reader.read_exact(&mut head)?;
            let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize - 4;
            let mut body = vec![0; length];
            self.reader.read_exact(&mut body)?;
            match head[0] {
                b'Z' => return failed.map_or(Ok(()), Err),
                b'D' => row(&body),
                b'E' => {
                    failed =
                        Some(io::Error::other(String::from_utf8_lossy(&body).replace('\0', " ")))
                }
                _ => {}
            }
        }
    }
}

impl Driver for Connection {
    fn run(&mut self, sql: &str) -> io::Result<()> {
        self.message(b'Q', |b| {
            b.extend(sql.as_bytes());
            b.push(0);
        });
        self.send()?;
        self.until_ready()
    }

    fn prepare_insert(&mut self) -> io::Result<()> {
        self.message(b'P', |b| {
            b.extend(b"i\0INSERT INTO load (sometext, moretext) VALUES ($1, $2)\0");
            b.extend(0_u16.to_be_bytes());
        });
        self.message(b'S', |_| {});
        self.send()?;
        self.until_ready()
    }

    fn insert(&mut self, some: &str, more: &str) -> io::Result<()> {
        self.message(b'B', |b| {
            b.extend(b"\0i\0");
            b.extend(0_u16.to_be_bytes());
            b.extend(2_u16.to_be_bytes());
            for text in [some, more] {
                b.extend((text.len() as u32).to_be_bytes());
                b.extend(text.as_bytes());
            }
            b.extend(0_u16.to_be_bytes());
        });
        self.message(b'E', |b| {
            b.push(0);
            b.extend(0_u32.to_be_bytes());
        });
        self.message(b'S', |_| {});
        self.send()?;
        self.until_ready()
    }

    fn prepare_update(&mut self) -> io::Result<()> {
        self.message(b'P', |b| {
            b.extend(b"u\0UPDATE hot SET n = n + 1 WHERE id = $1\0");
            b.extend(1_u16.to_be_bytes());
            b.extend(INT4.to_be_bytes());
        });
        self.message(b'S', |_| {});
        self.send()?;
        self.until_ready()
    }

    fn update(&mut self, id: i32) -> io::Result<()> {
        self.message(b'B', |b| {
            b.extend(b"\0u\0");
            // One format, binary, for all parameters; one parameter; no columns.
            b.extend([0, 1, 0, 1, 0, 1]);
            b.extend(4_u32.to_be_bytes());
            b.extend(id.to_be_bytes());
            b.extend([0, 0]);
        });
        self.message(b'E', |b| {
            b.push(0);
            b.extend(0_u32.to_be_bytes());
        });
        self.message(b'S', |_| {});
        self.send()?;
        self.until_ready()
    }

    fn prepare_select(&mut self) -> io::Result<()> {
        self.message(b'P', |b| {
            b.extend(b"p\0SELECT number, name FROM points WHERE id = $1\0");
            b.extend(1_u16.to_be_bytes());
            b.extend(INT4.to_be_bytes());
        });
        self.message(b'S', |_| {});
        self.send()?;
        self.until_ready()
    }

    fn select(&mut self, id: i32) -> io::Result<Point> {
        self.message(b'B', |b| {
            b.extend(b"\0p\0");
            // One format, binary, for all parameters; one parameter; the same format for all columns.
            b.extend([0, 1, 0, 1, 0, 1]);
            b.extend(4_u32.to_be_bytes());
            b.extend(id.to_be_bytes());
            b.extend([0, 1, 0, 1]);
        });
        self.message(b'E', |b| {
            b.push(0);
            b.extend(0_u32.to_be_bytes());
        });
        self.message(b'S', |_| {});
        self.send()?;
        let mut point = None;
        self.rows_until_ready(|body| point = read_point(body))?;
        point.ok_or_else(no_row)
    }

    fn waited(&mut self) -> Duration {
        self.reader.get_mut().waited() + self.writer.waited()
    }
}

/// The number of the type int.
const INT4: u32 = 23;

/// A DataRow of an int and a text, in binary: the number of columns, then each one's length and bytes.
fn read_point(body: &[u8]) -> Option<Point> {
    let (columns, rest) = body.split_first_chunk()?;
    let (length, rest) = rest.split_first_chunk()?;
    let (number, rest) = rest.split_first_chunk()?;
    let (bytes, name) = rest.split_first_chunk()?;
    let shape = u16::from_be_bytes(*columns) == 2 && u32::from_be_bytes(*length) == 4;
    (shape && u32::from_be_bytes(*bytes) as usize == name.len())
        .then(|| Point { number: i32::from_be_bytes(*number), name: name.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_an_int_and_a_text_and_nothing_else() {
        let row = b"\0\x02\0\0\0\x04\0\0\x01\x02\0\0\0\x03abc";
        let point = Point { number: 258, name: b"abc".to_vec() };
        assert_eq!(read_point(row), Some(point));
        assert_eq!(read_point(&row[..row.len() - 1]), None);
        // The text is NULL.
        assert_eq!(read_point(b"\0\x02\0\0\0\x04\0\0\x01\x02\xff\xff\xff\xff"), None);
    }
}
