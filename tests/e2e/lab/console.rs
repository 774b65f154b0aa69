//! Runs that the console's page asks for.

use crate::console::{OWN, log_in, post, status};
use crate::monitoring::{console, get};
use std::time::{Duration, Instant};
use taffrail_tests::{PASSWORD, Server, TempDir};

/// Asks until an answer about the run has a text.
fn until_told(at: &str, cookie: &str, text: &str) -> String {
    let began = Instant::now();
    loop {
        let (_, told) = get(at, "/api/lab", cookie);
        if told.contains(text) {
            return told;
        }
        assert!(began.elapsed() < Duration::from_secs(90), "no {text}: {told}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn products_are_asked_for_beside_a_server_of_the_labs_own() {
    let temp = TempDir::new("lab-console");
    let server = Server::start(&temp.path().join("data"), &[]);
    let at = console(&server);
    let cookie = log_in(&at);
    let run = |more: &str| {
        let wish = format!("{{\"experiment\":\"checkpoints\",\"scale\":\"tiny\"{more}}}");
        post(&at, "/api/lab/run", &format!("{OWN}{cookie}"), &wish)
    };
    let here = run(&format!(",\"password\":\"{PASSWORD}\",\"peers\":true"));
    assert_eq!(status(&here), 400, "{here:?}");
    assert!(here.1.contains("beside a server of the lab's own only"), "{here:?}");
    let (_, told) = get(&at, "/api/lab", &cookie);
    assert!(told.contains("\"run\":null"), "{told}");
    assert!(told.contains("\"peers\":[\"SQLite\",\"PostgreSQL\"]"), "{told}");
    assert_eq!(status(&run(",\"peers\":true")), 200);
    // Installed or not: both are spoken of, in the words of the run.
    let told = until_told(&at, &cookie, "rounds of");
    let (_, run) = told.split_once("\"run\":").unwrap();
    assert!(["SQLite", "PostgreSQL"].iter().all(|product| run.contains(product)), "{run}");
    assert_eq!(status(&post(&at, "/api/lab/stop", &format!("{OWN}{cookie}"), "{}")), 200);
    until_told(&at, &cookie, "interrupted");
}
