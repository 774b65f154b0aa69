//! A server that has lost master ends by itself, and says so.

use std::time::{Duration, Instant};
use taffrail_server::{Overrides, Server, Settings};

#[test]
fn a_server_without_master_ends_with_an_error() {
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("lost-master");
    // What an earlier run left.
    let _ = std::fs::remove_dir_all(&dir);
    let settings = Settings::from_overrides(Overrides {
        data: Some(dir.clone()),
        listen: Some("127.0.0.1:0".into()),
        sa_password: Some("Lost!Test1".into()),
        max_server_memory_mb: Some(64),
        ..Overrides::default()
    })
    .unwrap();
    let server = Server::start(settings).unwrap();
    let master = server.instance().databases().master().unwrap();
    master.storage.mark_suspect("its device has failed");
    drop(master);
    let began = Instant::now();
    // Nobody gives the order to stop.
    let ended = server.wait().unwrap_err();
    assert!(began.elapsed() < Duration::from_secs(10));
    assert!(ended.to_string().contains("must shut down"), "{ended}");
    let log = std::fs::read_to_string(dir.join("log/errorlog")).unwrap();
    assert!(log.contains("Error: 3449, Severity: 21, State: 1."), "{log}");
    assert!(log.contains("must shut down in order to recover a database (database ID 1)"), "{log}");
}
