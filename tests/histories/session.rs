//! The server under test, and a client's session that knows which errors are part of the game.

use crate::check::{Fate, Level};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};
use taffrail_lab::client::types::{MaxLen, SqlType, Value};
use taffrail_lab::client::{Answer, Client, ClientError, ConnectOptions, Prepared};
use taffrail_tests::{PASSWORD, Server, TempDir};

/// Nobody waits longer for a lock here, unless something hangs.
const PATIENCE_MS: u32 = 30_000;

/// A server with the database `h`.
pub struct World {
    pub server: Option<Server>,
    data: TempDir,
    /// READ COMMITTED reads row versions, and SNAPSHOT is allowed.
    pub by_versions: bool,
}

impl World {
    /// Commits of `h` are durable at once, or when there is time: to isolation it makes no difference, and the tests are through sooner.
    pub fn new(name: &str, durable: bool) -> World {
        let data = TempDir::new(name);
        let server = Server::start(&data.path().join("data"), &["--console", "off"]);
        let world = World { server: Some(server), data, by_versions: false };
        let mut client = world.client("master");
        run(&mut client, "CREATE DATABASE h");
        if !durable {
            run(&mut client, "ALTER DATABASE h SET DELAYED_DURABILITY = FORCED");
        }
        world
    }

    /// The same, with row versions for READ COMMITTED and SNAPSHOT.
    pub fn with_versions(name: &str) -> World {
        World::new(name, false).keep_versions()
    }

    /// From now on there are row versions for READ COMMITTED and SNAPSHOT.
    pub fn keep_versions(mut self) -> World {
        let mut client = self.client("master");
        run(&mut client, "ALTER DATABASE h SET READ_COMMITTED_SNAPSHOT ON");
        run(&mut client, "ALTER DATABASE h SET ALLOW_SNAPSHOT_ISOLATION ON");
        self.by_versions = true;
        self
    }

    pub fn port(&self) -> u16 {
        self.server.as_ref().expect("it runs").port
    }

    /// A new server on what a killed one left.
    pub fn restart(&mut self) {
        self.server = Some(Server::start(&self.data.path().join("data"), &["--console", "off"]));
    }

    /// A connection for what must succeed.
    pub fn client(&self, database: &str) -> Client {
        let options = ConnectOptions {
            port: self.port(),
            password: PASSWORD.into(),
            database: database.into(),
            ..Default::default()
        };
        Client::connect(&options).unwrap_or_else(|e| panic!("connecting: {e}"))
    }

    pub fn run(&self, batches: &[&str]) {
        let mut client = self.client("h");
        batches.iter().for_each(|sql| run(&mut client, sql));
    }

    pub fn query(&self, sql: &str) -> Vec<Vec<Value>> {
        let answer = self.client("h").query(sql).unwrap_or_else(|e| panic!("{sql}: {e}"));
        answer.sets.into_iter().flat_map(|s| s.rows).collect()
    }

    /// Nothing is wrong with what lies on disk.
    pub fn whole(&self) {
        let wrong = self.client("h").query("DBCC CHECKDB (h) WITH NO_INFOMSGS");
        let wrong = wrong.unwrap_or_else(|e| panic!("CHECKDB: {e}"));
        assert!(wrong.messages.is_empty(), "{:?}", wrong.messages);
    }
}

fn run(client: &mut Client, sql: &str) {
    client.run(sql).unwrap_or_else(|e| panic!("{sql}: {e}"));
}

/// What may happen to a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failed {
    /// 1205, 3960: the transaction is gone.
    Victim,
    /// 2601, 2627: there is such a key; the statement is undone, the transaction goes on.
    Duplicate,
    /// The connection broke.
    Gone,
}

/// The history's clock.
#[derive(Clone, Copy)]
pub struct Epoch(Instant);

impl Epoch {
    pub fn now() -> Epoch {
        Epoch(Instant::now())
    }

    pub fn ns(self) -> u64 {
        self.0.elapsed().as_nanos() as u64
    }

    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}

/// A client.
pub struct Session {
    client: Client,
    prepared: HashMap<String, Prepared>,
    /// BEGIN was sent, and nothing that ends it.
    open: bool,
}

impl Session {
    pub fn open(port: u16, level: Level) -> Result<Session, Failed> {
        let options = ConnectOptions {
            port,
            password: PASSWORD.into(),
            database: "h".into(),
            ..Default::default()
        };
        let client = Client::connect(&options).map_err(|e| failed("login", &e))?;
        let mut session = Session { client, prepared: HashMap::new(), open: false };
        session.ask(&format!("SET NOCOUNT ON SET LOCK_TIMEOUT {PATIENCE_MS}"))?;
        session.ask(&format!("SET TRANSACTION ISOLATION LEVEL {}", level.name()))?;
        Ok(session)
    }

    pub fn ask(&mut self, sql: &str) -> Result<Answer, Failed> {
        let answer = self.client.query(sql);
        self.settle(sql, answer)
    }

    /// The rows of all results.
    pub fn rows(&mut self, sql: &str) -> Result<Vec<Vec<Value>>, Failed> {
        Ok(self.ask(sql)?.sets.into_iter().flat_map(|s| s.rows).collect())
    }

    /// A prepared statement over `@k int` and `@x varchar(12)`.
    pub fn call(&mut self, sql: &str, k: u32, x: &str) -> Result<Vec<Vec<Value>>, Failed> {
        if !self.prepared.contains_key(sql) {
            let text = SqlType::VarChar(MaxLen::N(12));
            let prepared = self.client.prepare(sql, &[("@k", SqlType::Int), ("@x", text)]);
            let prepared = self.settle(sql, prepared)?;
            self.prepared.insert(sql.to_string(), prepared);
        }
        let x = Value::VarChar(x.bytes().collect());
        let answer = self.client.execute(&self.prepared[sql], &[Value::Int(k as i32), x]);
        let answer = self.settle(sql, answer)?;
        Ok(answer.sets.into_iter().flat_map(|s| s.rows).collect())
    }

    pub fn begin(&mut self) -> Result<(), Failed> {
        self.ask("BEGIN TRAN")?;
        self.open = true;
        Ok(())
    }

    /// COMMIT or ROLLBACK.
    pub fn end(&mut self, commit: bool) -> Result<(), Failed> {
        self.ask(if commit { "COMMIT" } else { "ROLLBACK" })?;
        self.open = false;
        Ok(())
    }

    fn settle<T>(&mut self, sql: &str, answer: Result<T, ClientError>) -> Result<T, Failed> {
        answer.map_err(|e| {
            let failed = failed(sql, &e);
            self.open &= failed != Failed::Victim;
            failed
        })
    }

    /// After a failure: how the transaction has ended. `sent`: what would commit it was under way.
    pub fn fate(&mut self, failed: Failed, sent: bool) -> Fate {
        match failed {
            Failed::Gone if sent => Fate::Unknown,
            Failed::Duplicate if self.open => {
                self.end(false).map_or(Fate::Aborted, |()| Fate::Aborted)
            }
            _ => Fate::Aborted,
        }
    }
}

fn failed(sql: &str, e: &ClientError) -> Failed {
    match e {
        ClientError::Server(messages) => match messages.first().map_or(0, |m| m.number) {
            1205 | 3960 => Failed::Victim,
            2601 | 2627 => Failed::Duplicate,
            // The server is going down, or not up yet.
            6005 | 17187 | 596 | 4060 => Failed::Gone,
            _ => panic!("{sql}: {e}"),
        },
        ClientError::Io(_) | ClientError::Protocol(_) | ClientError::Encryption(_) => Failed::Gone,
    }
}

/// A whole number of a result.
pub fn number(value: &Value) -> i64 {
    match value {
        Value::Int(n) => i64::from(*n),
        Value::BigInt(n) => *n,
        Value::Null => 0,
        other => panic!("{other:?} is no number"),
    }
}

/// Pseudo-random numbers, good enough for choosing.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Below `n`.
    pub fn below(&mut self, n: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 33) % u64::from(n)) as u32
    }

    pub fn once_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }
}

/// How much of the work of a CI run is done: TAFFRAIL_HISTORY_PERCENT, 100 unless set.
pub fn share(transactions: usize) -> usize {
    let percent = std::env::var("TAFFRAIL_HISTORY_PERCENT").ok();
    transactions * percent.map_or(100, |p| p.parse().expect("a number")) / 100
}

/// So many clients at once; what each of them brings.
pub fn crowd<T: Send>(clients: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let work = &work;
        let clients: Vec<_> = (0..clients).map(|c| scope.spawn(move || work(c))).collect();
        clients.into_iter().map(|c| c.join().expect("a client")).collect()
    })
}

/// Work that is still to be done, shared by clients.
pub struct Left(AtomicUsize);

impl Left {
    pub fn new(transactions: usize) -> Left {
        Left(AtomicUsize::new(transactions))
    }

    /// One piece of it, if there is any left.
    pub fn take(&self) -> bool {
        self.0.fetch_update(Relaxed, Relaxed, |n| n.checked_sub(1)).is_ok()
    }
}
