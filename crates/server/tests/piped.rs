//! PIPELINED_COMMIT on the wire: what a batch says at once leaves behind what it tells of.

use crate::support;

use support::{Client, PASSWORD, data, done, row};
use taffrail_server::{Overrides, Server, Settings};

/// Waits for the log of d.
const WAITS: &str = "(SELECT cntr_value FROM sys.dm_os_performance_counters
    WHERE counter_name = 'Log Flush Waits/sec' AND instance_name = 'd')";

#[test]
fn what_is_said_with_nowait_leaves_behind_the_commits_that_it_tells_of() {
    let settings = Settings::from_overrides(Overrides {
        data: Some(data("piped")),
        listen: Some("127.0.0.1:0".into()),
        sa_password: Some(PASSWORD.into()),
        max_server_memory_mb: Some(64),
        // The log's writer writes nothing by itself.
        pipelined_commit_ms: Some(6_000_000),
        ..Overrides::default()
    });
    let server = Server::start(settings.unwrap()).unwrap();
    let mut c = Client::session_at(server.address());
    done(&mut c, "CREATE DATABASE d");
    done(&mut c, "USE d; CREATE TABLE t (n int)");
    done(&mut c, "ALTER DATABASE SCOPED CONFIGURATION SET PIPELINED_COMMIT = ON");
    let batch = format!(
        "DECLARE @before bigint = {WAITS}; INSERT t VALUES (1); RAISERROR('told', 0, 1) WITH NOWAIT;
        SELECT CAST({WAITS} - @before AS varchar(20))"
    );
    assert_eq!(row(&mut c, &batch), ["1"]);
    server.stop();
    server.wait().unwrap();
}
