//! A sink that writes down what a client would hear, and an instance in a directory of its own.
#![allow(dead_code)]

pub mod lives;
pub mod schedule;
pub mod sim;
pub mod two;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use taffrail_base::SqlError;
use taffrail_engine::{
    ColumnDesc, ConnectOptions, Connection, ConnectionFate, Done, DoneKind, EnvChange, Instance,
    InstanceOptions, ResultSink, ReturnValue, SinkResult,
};
use taffrail_io::Env;
use taffrail_types::{SqlType, Value, text};

/// A client that wants to hear of no error.
pub struct Quiet;

impl ResultSink for Quiet {
    fn columns(&mut self, _: &[ColumnDesc]) -> SinkResult {
        Ok(())
    }

    fn row(&mut self, _: &[Value]) -> SinkResult {
        Ok(())
    }

    fn message(&mut self, message: &SqlError) -> SinkResult {
        assert!(message.severity <= 10, "{message}");
        Ok(())
    }
}

/// What a client heard, one line per event.
#[derive(Default)]
pub struct Heard {
    pub lines: Vec<String>,
    columns: Vec<SqlType>,
    pub rows: Vec<Vec<Value>>,
}

impl Heard {
    pub fn text(&self) -> String {
        self.lines.join("\n")
    }
}

impl ResultSink for Heard {
    fn columns(&mut self, columns: &[ColumnDesc]) -> SinkResult {
        let names: Vec<String> =
            columns.iter().map(|c| format!("{} {}", c.name, c.ty).trim().to_string()).collect();
        self.columns = columns.iter().map(|c| c.ty).collect();
        self.lines.push(format!("[{}]", names.join(", ")));
        Ok(())
    }

    fn row(&mut self, values: &[Value]) -> SinkResult {
        let cells: Vec<String> =
            values.iter().zip(&self.columns).map(|(v, t)| text::display(v, *t)).collect();
        self.lines.push(cells.join(" | "));
        self.rows.push(values.to_vec());
        Ok(())
    }

    fn message(&mut self, m: &SqlError) -> SinkResult {
        if m.number == 0 {
            self.lines.push(format!("print: {}", m.message));
        } else {
            self.lines.push(m.to_string());
        }
        Ok(())
    }

    fn done(&mut self, d: Done) -> SinkResult {
        let kind = match d.kind {
            DoneKind::Statement => "done",
            DoneKind::InProcedure => "done in proc",
            DoneKind::Procedure => "done proc",
        };
        let rows = d.rows.map_or(String::new(), |n| format!(" rows={n}"));
        let error = if d.error { " error" } else { "" };
        self.lines.push(format!("{kind} {:#x}{rows}{error}", d.command.0));
        Ok(())
    }

    fn return_status(&mut self, s: i32) -> SinkResult {
        self.lines.push(format!("status {s}"));
        Ok(())
    }

    fn return_value(&mut self, v: ReturnValue) -> SinkResult {
        self.lines.push(format!(
            "out {} {} = {}",
            v.ordinal,
            v.name,
            text::display(&v.value, v.ty)
        ));
        Ok(())
    }

    fn env_change(&mut self, e: EnvChange) -> SinkResult {
        match e {
            EnvChange::BeginTransaction(_) => self.lines.push("env begin".into()),
            EnvChange::CommitTransaction(_) => self.lines.push("env commit".into()),
            EnvChange::RollbackTransaction(_) => self.lines.push("env rollback".into()),
            EnvChange::Database { new, .. } => self.lines.push(format!("env database {new}")),
            EnvChange::ResetAck => self.lines.push("env reset".into()),
            _ => {}
        }
        Ok(())
    }
}

/// An instance in a directory that goes away with it.
pub struct World {
    pub instance: Arc<Instance>,
    pub dir: PathBuf,
}

static NEXT: AtomicU32 = AtomicU32::new(0);

impl World {
    pub fn new() -> World {
        World::open(World::new_dir())
    }

    fn new_dir() -> PathBuf {
        let n = NEXT.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("taffrail-engine-{}-{n}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).expect("a temporary directory");
        dir
    }

    pub fn open(dir: PathBuf) -> World {
        World::open_with(dir, None)
    }

    /// An instance in this environment, whose disk is the machine's.
    pub fn in_env(env: Env) -> World {
        let dir = World::new_dir();
        let mut options = InstanceOptions::new(&dir, env);
        options.max_server_memory_mb = 16;
        World { instance: taffrail_engine::start(options).expect("the instance starts"), dir }
    }

    fn open_with(dir: PathBuf, query_memory_limit_mb: Option<u64>) -> World {
        let mut options = InstanceOptions::new(&dir, Env::os());
        options.max_server_memory_mb = 128;
        options.query_memory_limit_mb = query_memory_limit_mb;
        World { instance: taffrail_engine::start(options).expect("the instance starts"), dir }
    }

    /// Stops the instance in order and starts it again.
    pub fn restart(self) -> World {
        self.instance.shutdown().expect("an orderly end");
        let dir = self.dir.clone();
        std::mem::forget(self);
        World::open(dir)
    }

    /// A new instance with a database `d`, and a session in it.
    pub fn with_database() -> (World, Client) {
        World::with_query_memory(None)
    }

    /// [`World::with_database`] whose requests may keep so many MB.
    pub fn with_query_memory(mb: Option<u64>) -> (World, Client) {
        let world = World::open_with(World::new_dir(), mb);
        let mut c = world.connect();
        c.ok("CREATE DATABASE d");
        c.ok("USE d");
        (world, c)
    }

    pub fn connect(&self) -> Client {
        connect(&self.instance)
    }

    /// A session in a database.
    pub fn connect_to(&self, database: &str) -> Client {
        let mut c = self.connect();
        c.ok(&format!("USE {database}"));
        c
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = self.instance.shutdown();
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

/// A session of `sa`.
pub fn connect(instance: &Arc<Instance>) -> Client {
    let options = ConnectOptions { login: "sa".into(), ..ConnectOptions::default() };
    Client { connection: instance.connect(options).expect("a session") }
}

/// The numbers of all messages in what was heard.
pub fn numbers(said: &str) -> Vec<u32> {
    let number = |l: &str| l.strip_prefix("Msg ")?.split_once(',')?.0.parse().ok();
    said.lines().filter_map(number).collect()
}

/// The numbers of those that are errors.
pub fn errors(said: &str) -> Vec<u32> {
    numbers(&said.lines().filter(|l| is_error(l)).collect::<Vec<_>>().join("\n"))
}

fn is_error(line: &str) -> bool {
    line.starts_with("Msg ") && !line.contains(", Level 0,") && !line.contains(", Level 10,")
}

pub struct Client {
    pub connection: Connection,
}

impl Client {
    /// Runs a batch; everything it says.
    pub fn run(&mut self, sql: &str) -> String {
        let mut heard = Heard::default();
        let fate = self.connection.execute_batch(sql, &mut heard);
        if fate == ConnectionFate::Close {
            heard.lines.push("closed".into());
        }
        heard.text()
    }

    /// Everything a batch says, as an error when something went wrong.
    pub fn try_run(&mut self, sql: &str) -> Result<String, String> {
        let said = self.run(sql);
        if said.lines().any(is_error) { Err(said) } else { Ok(said) }
    }

    /// Only rows and messages.
    pub fn rows(&mut self, sql: &str) -> String {
        let all = self.run(sql);
        let shown = |l: &&str| {
            !l.starts_with("done")
                && !l.starts_with('[')
                && !l.starts_with("env ")
                && !l.starts_with("status")
        };
        all.lines().filter(shown).collect::<Vec<_>>().join("\n")
    }

    /// Runs what must succeed without a message.
    pub fn ok(&mut self, sql: &str) {
        let said = self.rows(sql);
        assert!(!said.lines().any(is_error), "{sql}\n{said}");
    }
}
