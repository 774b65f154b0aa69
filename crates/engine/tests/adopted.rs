//! Databases that come and go beside the threads that serve them.

use std::time::{Duration, Instant};
use taffrail_base::SqlError;
use taffrail_engine::{ColumnDesc, ConnectOptions, InstanceOptions, ResultSink, SinkResult};
use taffrail_io::sim::{SimOptions, SimWorld};
use taffrail_types::Value;

/// A client that wants to hear of no error.
struct Quiet;

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

#[test]
fn a_database_that_was_not_taken_after_all_keeps_its_log_writer() {
    let world = SimWorld::with_options(6, SimOptions::default());
    world.env().disk.create_dir("/data".as_ref()).expect("a directory");
    let mut options = InstanceOptions::new("/data", world.env());
    options.max_server_memory_mb = 16;
    let instance = taffrail_engine::start(options).expect("a start");
    let mut client = instance.connect(ConnectOptions::default()).expect("a connection");
    for batch in [
        "CREATE DATABASE d",
        "ALTER DATABASE d SET DELAYED_DURABILITY = FORCED",
        "CREATE TABLE d.dbo.t (a int)",
    ] {
        client.execute_batch(batch, &mut Quiet);
    }
    // The threads are looked after just while it is out of use.
    let in_use = |_| {
        instance.adopt_databases();
        true
    };
    let refused = instance.databases().take("d", Vec::new(), &in_use).err();
    assert_eq!(refused.map(|e| e.number), Some(3101));
    instance.adopt_databases();

    client.execute_batch("INSERT d.dbo.t VALUES (1)", &mut Quiet);
    let database = instance.databases().get("d").expect("it is online");
    let log = database.storage.log();
    let (row, began) = (log.last_record(), Instant::now());
    while log.durable() <= row {
        assert!(began.elapsed() < Duration::from_secs(20), "nobody writes what was committed");
        world.clock().advance(Duration::from_millis(10));
        std::thread::sleep(Duration::from_millis(1));
    }
    drop((client, database));
    instance.shutdown().expect("an orderly end");
}
