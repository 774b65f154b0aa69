//! Sessions that wait for one another's DDL.

use super::{Client, World};
use std::thread::JoinHandle;

/// A world with a database, a session whose DDL is open, and one that looks at the others.
pub struct Two {
    pub world: World,
    pub ddl: Client,
    pub watcher: Client,
}

/// Two sessions in a new database.
pub fn two(setup: &str) -> Two {
    let (world, mut ddl) = World::with_database();
    if !setup.is_empty() {
        ddl.ok(setup);
    }
    let watcher = world.connect_to("d");
    Two { world, ddl, watcher }
}

/// A statement that another session runs.
pub struct Waiting {
    pub said: JoinHandle<(Client, String)>,
    pub session: u16,
}

impl Waiting {
    /// What it has said.
    pub fn end(self) -> String {
        self.said.join().expect("the other session").1
    }
}

impl Two {
    /// One more session.
    pub fn other(&self) -> Client {
        self.world.connect_to("d")
    }

    /// Runs `sql` in another session; returns when it waits in this way for the session with the DDL.
    pub fn waits(&mut self, sql: &str, wait: &str) -> Waiting {
        let other = self.other();
        self.waits_as(other, sql, wait)
    }

    /// The same for a session that is there.
    pub fn waits_as(&mut self, other: Client, sql: &str, wait: &str) -> Waiting {
        let ddl = self.ddl.connection.session_id().0;
        self.waits_for(ddl, other, sql, wait)
    }

    /// The same for another session than that with the DDL.
    pub fn waits_for(&mut self, whom: u16, mut other: Client, sql: &str, wait: &str) -> Waiting {
        let session = other.connection.session_id().0;
        let text = sql.to_string();
        let said = std::thread::spawn(move || {
            let said = other.rows(&text);
            (other, said)
        });
        let expected = format!("{wait} | {whom}");
        let begun = std::time::Instant::now();
        loop {
            let now = self.watcher.rows(&format!(
                "SELECT wait_type, blocking_session_id FROM \
                sys.dm_exec_requests WHERE session_id = {session}"
            ));
            if now == expected {
                break;
            }
            if said.is_finished() {
                panic!("{sql}\ndid not wait: {}", said.join().expect("it").1);
            }
            // Not a measurement: what waits for something else would do so for ever.
            assert!(begun.elapsed().as_secs() < 60, "{sql}\nwaits otherwise: {now}");
            std::thread::yield_now();
        }
        Waiting { said, session }
    }

    /// What a third session hears that waits for nobody.
    pub fn sees(&mut self, sql: &str) -> String {
        let mut other = self.other();
        other.run("SET LOCK_TIMEOUT 0");
        other.rows(sql)
    }
}

/// The number of a message.
pub fn number(said: &str) -> &str {
    said.strip_prefix("Msg ").and_then(|s| s.split(',').next()).unwrap_or(said)
}
