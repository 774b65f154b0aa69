//! MariaDB: a throw-away server, and just enough of its protocol (handshake 10, empty password, prepared statements)
//! to run scripts and prepared inserts at the same cost per call as our own driver.

use super::{Driver, Peer, Point, no_row, wait_for_port};
use std::io::{self, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use taffrail_lab::client::timed::Timed;

/// A running MariaDB server.
pub struct MariaDb {
    child: Child,
    port: u16,
}

impl MariaDb {
    /// Makes a data directory in `folder` and starts a server with durable settings and warm-sized buffers.
    pub fn start(folder: &Path, port: u16) -> io::Result<MariaDb> {
        MariaDb::start_with(folder, port, "4G")
    }

    /// Starts a server with another size of its log.
    pub fn start_with(folder: &Path, port: u16, log: &str) -> io::Result<MariaDb> {
        if Command::new("mariadbd").arg("--version").stdout(Stdio::null()).status().is_err() {
            return Err(io::Error::other("MariaDB is not installed"));
        }
        let data = folder.join("mariadb");
        std::fs::create_dir_all(&data)?;
        let data_dir = format!("--datadir={}", data.display());
        super::run(Command::new("mariadb-install-db").args([
            &data_dir,
            "--user=root",
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
        ]))?;
        let child = Command::new("mariadbd")
            .args([
                "--no-defaults",
                "--user=root",
                &data_dir,
                "--bind-address=127.0.0.1",
                &format!("--port={port}"),
            ])
            .arg(format!("--socket={}/socket", data.display()))
            .args([
                "--innodb-buffer-pool-size=4G",
                &format!("--innodb-log-file-size={log}"),
                "--innodb-flush-method=O_DIRECT",
                "--innodb-flush-log-at-trx-commit=1",
                "--skip-log-bin",
                "--max-connections=200",
            ])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        wait_for_port(port)?;
        Ok(MariaDb { child, port })
    }
}

impl Drop for MariaDb {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Peer for MariaDb {
    fn name(&self) -> &'static str {
        "MariaDB"
    }

    fn connect(&self) -> io::Result<Box<dyn Driver>> {
        Ok(Box::new(Connection::open(self.port)?))
    }

    fn setup(&self) -> Vec<String> {
        let insert = "INSERT INTO mytable (sometext, moretext) VALUES (CONCAT('Num:', c), CONCAT(c, ' bottles of beer on the wall'));";
        vec![
            "CREATE DATABASE bench".into(),
            "USE bench".into(),
            "CREATE TABLE mytable (id int AUTO_INCREMENT PRIMARY KEY, sometext varchar(10), moretext varchar(50)) ENGINE=InnoDB".into(),
            "CREATE TABLE `load` (id int AUTO_INCREMENT PRIMARY KEY, sometext varchar(10), moretext varchar(50)) ENGINE=InnoDB".into(),
            format!("CREATE PROCEDURE w1(n int) BEGIN DECLARE c int DEFAULT n; WHILE c > 0 DO {insert} SET c = c - 1; END WHILE; END"),
            format!("CREATE PROCEDURE w2(n int) BEGIN DECLARE c int DEFAULT n; START TRANSACTION; WHILE c > 0 \
                DO {insert} SET c = c - 1; END WHILE; COMMIT; END"),
            "CREATE TABLE customer (c_id int, c_d_id tinyint unsigned, c_w_id int, c_first char(16), c_middle \
                char(2), c_last char(16), c_street_1 char(20), c_street_2 char(20), c_city char(20), c_state \
                char(2), c_zip char(9), c_phone char(16), c_since datetime, c_credit char(2), c_credit_lim \
                numeric(12,2), c_discount numeric(4,4), c_balance numeric(12,2), c_ytd_payment numeric(12,2), \
                c_payment_cnt smallint, c_delivery_cnt smallint, c_data varchar(500), PRIMARY KEY (c_w_id, \
                c_d_id, c_id)) ENGINE=InnoDB".into(),
            "CREATE TABLE customer_tmp LIKE customer".into(),
            "ALTER TABLE customer_tmp DROP PRIMARY KEY".into(),
        ]
    }

    fn autocommit_loop(&self, rows: u32) -> Vec<String> {
        vec![
            "SET GLOBAL innodb_flush_log_at_trx_commit = 1".into(),
            "TRUNCATE mytable".into(),
            format!("CALL w1({rows})"),
        ]
    }

    fn transaction_loop(&self, rows: u32) -> Vec<String> {
        vec!["TRUNCATE mytable".into(), format!("CALL w2({rows})")]
    }

    fn relaxed_loop(&self, rows: u32) -> Vec<String> {
        vec![
            "SET GLOBAL innodb_flush_log_at_trx_commit = 0".into(),
            "TRUNCATE mytable".into(),
            format!("CALL w1({rows})"),
        ]
    }

    fn settle(&self) -> Vec<String> {
        // The relaxed loop leaves the server relaxed.
        vec!["SET GLOBAL innodb_flush_log_at_trx_commit = 1".into()]
    }

    fn load_file(&self, file: &Path) -> Vec<String> {
        vec![
            "SET GLOBAL innodb_flush_log_at_trx_commit = 1".into(),
            "TRUNCATE customer".into(),
            format!("LOAD DATA INFILE '{}' INTO TABLE customer", file.display()),
        ]
    }

    fn load_customers(&self, rows: u32) -> Vec<String> {
        vec![
            "SET GLOBAL innodb_flush_log_at_trx_commit = 1".into(),
            "TRUNCATE customer".into(),
            "TRUNCATE customer_tmp".into(),
            format!(
                "INSERT INTO customer SELECT seq % 3000 + 1, seq DIV 3000 % 10 + 1, seq DIV 30000 + 1, \
                    CONCAT('First', seq), 'OE', 'BARBARBAR', 'Street one', 'Street two', 'Springfield', 'CA', \
                    '123411111', '0123456789012345', '2009-02-09 13:13:00', 'GC', 50000.00, 0.1234, -10.00, \
                    10.00, 1, 0, RPAD(REPEAT('Data of a customer, WITH CAPITALS. ', 14), 500, ' ') FROM seq_0_to_{}",
                rows - 1
            ),
        ]
    }
}

/// One connection to MariaDB.
struct Connection {
    reader: BufReader<Timed>,
    writer: Timed,
    statement: u32,
}

const PROTOCOL_41: u32 = 0x200 | 0x8000 | 0x8_0000 | 0x2_0000; // 4.1, secure connection, plugin names, multi results

impl Connection {
    fn open(port: u16) -> io::Result<Connection> {
        let socket = TcpStream::connect(("127.0.0.1", port))?;
        socket.set_nodelay(true)?;
        let reader = BufReader::with_capacity(64 << 10, Timed::new(socket.try_clone()?));
        let mut c = Connection { reader, writer: Timed::new(socket), statement: 0 };
        c.packet()?; // the server's greeting; with an empty password its challenge is not needed
        let mut login = Vec::new();
        login.extend(PROTOCOL_41.to_le_bytes());
        login.extend((1_u32 << 24).to_le_bytes());
        login.push(45);
        login.extend([0; 23]);
        login.extend(b"root\0\0mysql_native_password\0");
        c.send(1, &login)?;
        c.answer()?;
        // Absent only while it is being created.
        let _ = c.run("USE bench");
        Ok(c)
    }

    fn packet(&mut self) -> io::Result<Vec<u8>> {
        let mut head = [0; 4];
        self.reader.read_exact(&mut head)?;
        let mut body = vec![0; u32::from_le_bytes([head[0], head[1], head[2], 0]) as usize];
        self.reader.read_exact(&mut body)?;
        Ok(body)
    }

    fn send(&mut self, sequence: u8, body: &[u8]) -> io::Result<()> {
        let mut out = Vec::with_capacity(body.len() + 4);
        out.extend((body.len() as u32 | u32::from(sequence) << 24).to_le_bytes());
        out.extend(body);
        self.writer.write_all(&out)
    }

    /// COM_STMT_PREPARE up to the definitions of its parameters and columns, which are still to be read.
    fn prepare(&mut self, sql: &[u8]) -> io::Result<()> {
        let mut body = vec![0x16];
        body.extend(sql);
        self.send(0, &body)?;
        let p = self.packet()?;
        if p[0] != 0 {
            return Err(error(&p));
        }
        self.statement = u32::from_le_bytes([p[1], p[2], p[3], p[4]]);
        Ok(())
    }

    /// COM_STMT_EXECUTE of what is prepared, with one parameter.
    fn with_an_int(&self, n: i32) -> Vec<u8> {
        let mut body = vec![0x17];
        body.extend(self.statement.to_le_bytes());
        body.extend([0, 1, 0, 0, 0, 0, 1, 3, 0]); // no cursor, once, no NULLs, type: an int
        body.extend(n.to_le_bytes());
        body
    }

    /// OK packet, error, or a result set that is read to its end.
    fn answer(&mut self) -> io::Result<()> {
        loop {
            let first = self.packet()?;
            let status = match first.first() {
                Some(0x00) => {
                    let mut at = 1;
                    skip_number(&first, &mut at);
                    skip_number(&first, &mut at);
                    u16::from_le_bytes([first[at], first[at + 1]])
                }
                Some(0xff) => return Err(error(&first)),
                _ => {
                    // Column definitions up to one EOF, rows up to another.
                    self.until_eof()?;
                    self.until_eof()?
                }
            };
            if status & 0x8 == 0 {
                return Ok(());
            }
        }
    }

    fn until_eof(&mut self) -> io::Result<u16> {
        loop {
            let p = self.packet()?;
            match p.first() {
                Some(0xfe) if p.len() < 9 => return Ok(u16::from_le_bytes([p[3], p[4]])),
                Some(0xff) => return Err(error(&p)),
                _ => {}
            }
        }
    }
}

fn skip_number(p: &[u8], at: &mut usize) {
    *at += match p[*at] {
        0xfc => 3,
        0xfd => 4,
        0xfe => 9,
        _ => 1,
    };
}

fn error(p: &[u8]) -> io::Error {
    io::Error::other(String::from_utf8_lossy(&p[3..]).into_owned())
}

impl Driver for Connection {
    fn run(&mut self, sql: &str) -> io::Result<()> {
        let mut body = vec![0x03];
        body.extend(sql.as_bytes());
        self.send(0, &body)?;
        self.answer().map_err(|e| io::Error::other(format!("{e}: {sql}")))
    }

    fn prepare_insert(&mut self) -> io::Result<()> {
        self.prepare(b"INSERT INTO `load` (sometext, moretext) VALUES (?, ?)")?;
        self.until_eof()?; // the two parameters' definitions
        Ok(())
    }

    fn insert(&mut self, some: &str, more: &str) -> io::Result<()> {
        let mut body = vec![0x17];
        body.extend(self.statement.to_le_bytes());
        body.extend([0, 1, 0, 0, 0, 0, 1, 0xfe, 0, 0xfe, 0]); // no cursor, once, no NULLs, types: two strings
        for text in [some, more] {
            body.push(text.len() as u8);
            body.extend(text.as_bytes());
        }
        self.send(0, &body)?;
        self.answer()
    }

    fn prepare_update(&mut self) -> io::Result<()> {
        self.prepare(b"UPDATE hot SET n = n + 1 WHERE id = ?")?;
        self.until_eof()?; // the parameter's definition
        Ok(())
    }

    fn update(&mut self, id: i32) -> io::Result<()> {
        self.send(0, &self.with_an_int(id))?;
        self.answer()
    }

    fn prepare_select(&mut self) -> io::Result<()> {
        self.prepare(b"SELECT number, name FROM points WHERE id = ?")?;
        self.until_eof()?; // the parameter's definition
        self.until_eof()?; // the columns'
        Ok(())
    }

    fn select(&mut self, id: i32) -> io::Result<Point> {
        self.send(0, &self.with_an_int(id))?;
        let first = self.packet()?;
        if first.first() == Some(&0xff) {
            return Err(error(&first));
        }
        self.until_eof()?; // the columns' definitions
        let row = self.packet()?;
        let point = read_point(&row).ok_or_else(no_row)?;
        self.until_eof()?;
        Ok(point)
    }

    fn waited(&mut self) -> Duration {
        self.reader.get_mut().waited() + self.writer.waited()
    }
}

/// A binary row of an int and a text of less than 251 bytes: 0, which of the columns are NULL, the int, the text's length and bytes.
fn read_point(row: &[u8]) -> Option<Point> {
    let (head, rest) = row.split_first_chunk()?;
    let (number, rest) = rest.split_first_chunk()?;
    let (length, name) = rest.split_first()?;
    (*head == [0, 0] && usize::from(*length) == name.len())
        .then(|| Point { number: i32::from_le_bytes(*number), name: name.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_an_int_and_a_text_and_nothing_else() {
        let row = b"\0\0\x02\x01\0\0\x03abc";
        let point = Point { number: 258, name: b"abc".to_vec() };
        assert_eq!(read_point(row), Some(point));
        assert_eq!(read_point(&row[..row.len() - 1]), None);
        // The end of the rows; a row whose text is NULL.
        assert_eq!(read_point(&[0xfe, 0, 0, 2, 0]), None);
        assert_eq!(read_point(b"\0\x08\x02\x01\0\0"), None);
    }
}
