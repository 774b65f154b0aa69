//! Paths over large xml end with the batch.

use crate::support;

use support::World;

#[test]
fn a_path_over_large_xml_can_be_ended() {
    let world = World::new();
    let mut one = world.connect();
    // Chains of elements within one another: from each of them all below it are looked at, four times over.
    one.ok("CREATE TABLE x (d xml)");
    one.ok("DECLARE @c varchar(max) = REPLICATE(CAST('<a>' AS varchar(max)), 100) + REPLICATE('</a>', 100)
        INSERT x VALUES ('<r>' + REPLICATE(@c, 400) + '</r>')");
    // Small, and all of it found.
    let path = "DECLARE @d xml = '<r><a><a><a><a>4</a></a></a></a></r>'
        SELECT @d.value('(//a//a//a//a)[1]', 'int'), @d.exist('//a[a]//a[. = \"4\"]')";
    assert_eq!(one.rows(path), "4 | 1");
    let cancel = one.connection.cancel_handle();
    let session = one.connection.session_id().0;
    let mut watcher = world.connect();
    let runs = std::thread::spawn(move || {
        one.rows("DECLARE @n int = 0 WHILE 1 = 1 SELECT @n = COUNT(d.value('(//a//a//a//a//a//a)[1]', 'varchar(9)')) FROM x")
    });
    let running = format!("SELECT COUNT(*) FROM sys.dm_exec_requests WHERE session_id = {session}");
    while watcher.rows(&running) != "1" {
        assert!(!runs.is_finished());
        std::thread::yield_now();
    }
    cancel.cancel();
    assert_eq!(runs.join().expect("its thread"), "");
}
