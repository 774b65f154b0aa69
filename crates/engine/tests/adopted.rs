//! Databases that come and go beside the threads that serve them.

use crate::support::connect;
use crate::support::sim::{start, world};

use std::time::{Duration, Instant};
use taffrail_io::sim::SimOptions;

#[test]
fn a_database_that_was_not_taken_after_all_keeps_its_log_writer() {
    let world = world(6, SimOptions::default());
    let instance = start(&world).expect("a start");
    let mut client = connect(&instance);
    for batch in [
        "CREATE DATABASE d",
        "ALTER DATABASE d SET DELAYED_DURABILITY = FORCED",
        "CREATE TABLE d.dbo.t (a int)",
    ] {
        client.ok(batch);
    }
    // It has its writer. The threads are looked after just while it is out of use.
    instance.adopt_databases();
    let in_use = |_| {
        instance.adopt_databases();
        true
    };
    let refused = instance.databases().take("d", Vec::new(), &in_use).err();
    assert_eq!(refused.map(|e| e.number), Some(3101));
    instance.adopt_databases();

    client.ok("INSERT d.dbo.t VALUES (1)");
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
