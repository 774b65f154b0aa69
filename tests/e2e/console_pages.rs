//! Pages of the console that ask for rows of their own: they are those of the statements that the pages show.

use crate::console::{OWN, log_in, post, status};
use crate::life::connect;
use crate::monitoring::{console, get};
use std::time::{Duration, Instant};
use taffrail_tests::{Server, TempDir};

/// A JSON text's string from behind its first quote on, and what follows it.
fn string(text: &str) -> (String, &str) {
    let (mut out, mut chars) = (String::new(), text.char_indices());
    while let Some((i, c)) = chars.next() {
        match c {
            '"' => return (out, &text[i + 1..]),
            '\\' => match chars.next().unwrap().1 {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                other => out.push(other),
            },
            c => out.push(c),
        }
    }
    panic!("no end: {text}");
}

/// The statement that a page shows under a name.
fn statement(at: &str, cookie: &str, name: &str) -> String {
    let (_, queries) = get(at, "/api/queries", cookie);
    let mark = format!("\"{name}\":\"");
    let from = queries.find(&mark).unwrap_or_else(|| panic!("no statement {name}"));
    string(&queries[from + mark.len()..]).0
}

/// Rows that a page gets under a name, each cell as text.
fn page(at: &str, cookie: &str, page: &str, name: &str) -> Vec<Vec<String>> {
    let (head, body) = get(at, &format!("/api/page/{page}"), cookie);
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}\n{body}");
    let mark = format!("\"{name}\":[");
    let from = body.find(&mark).unwrap_or_else(|| panic!("no {name}: {body}"));
    let (mut rest, mut rows) = (&body[from + mark.len()..], Vec::new());
    while let Some(row) = rest.trim_start_matches(',').strip_prefix('[') {
        let mut cells = Vec::new();
        rest = row;
        while !rest.starts_with(']') {
            rest = rest.trim_start_matches(',');
            if let Some(text) = rest.strip_prefix('"') {
                let (cell, after) = string(text);
                cells.push(cell);
                rest = after;
            } else {
                let end = rest.find([',', ']']).unwrap();
                cells.push(rest[..end].to_owned());
                rest = &rest[end..];
            }
        }
        rest = &rest[1..];
        rows.push(cells);
    }
    rows
}

#[test]
fn counters_of_the_page_are_those_of_the_view() {
    let temp = TempDir::new("counters");
    let server = Server::start(&temp.path().join("data"), &[]);
    let at = console(&server);
    let cookie = log_in(&at);
    let mut c = connect(&server, "master");
    c.run("CREATE DATABASE counted CREATE TABLE counted.dbo.t (a int)").unwrap();
    c.run("SET NOCOUNT ON DECLARE @i int = 0 WHILE @i < 20 BEGIN INSERT counted.dbo.t VALUES (@i) SET @i += 1 END").unwrap();
    let rows = page(&at, &cookie, "counters", "counterValues");
    let row = rows.iter().find(|r| r[1] == "Log Flushes/sec" && r[2] == "counted").unwrap();
    // Nobody flushes that log any more.
    let sql = statement(&at, &cookie, "counterValues");
    let answer = c.query(&sql).unwrap();
    assert_eq!(answer.sets[0].rows.len(), rows.len());
    let flushes = "SELECT cntr_value FROM sys.dm_os_performance_counters WHERE counter_name = 'Log Flushes/sec' \
        AND instance_name = 'counted'";
    assert_eq!(row[3], c.query(flushes).unwrap().first_value());
    assert_eq!(row[4], "272696576");
    // Whatever is drawn as a ratio or an average has its base under the name that the page looks for.
    for r in rows.iter().filter(|r| r[4] == "537003264" || r[4] == "1073874176") {
        let stem = r[1].trim_end_matches(" (ms)").trim_end_matches(" Ratio");
        let unlike =
            if r[1] == "Avg Dist From EOL/LP Request" { "Log Pool Requests" } else { stem };
        let bases = [&r[1], stem, unlike].map(|of| format!("{of} base"));
        let is_base = |b: &&Vec<String>| {
            let named = bases.iter().any(|base| b[1].eq_ignore_ascii_case(base));
            named && b[0] == r[0] && b[2] == r[2] && b[4] == "1073939712"
        };
        assert!(rows.iter().any(|b| is_base(&b)), "{r:?}");
    }
    assert_eq!(page(&at, &cookie, "counters", "clock").len(), 1);
    assert_eq!(status(&get(&at, "/api/page/nothing", &cookie)), 404);
    assert!(server.stop().success());
}

#[test]
fn checkpoints_and_what_a_restart_would_have_to_do_are_told() {
    let temp = TempDir::new("checkpoint-page");
    let server = Server::start(&temp.path().join("data"), &[]);
    let at = console(&server);
    let cookie = log_in(&at);
    let mut c = connect(&server, "master");
    c.run("CREATE DATABASE written CREATE TABLE written.dbo.t (a int)").unwrap();
    c.run("INSERT written.dbo.t VALUES (1) EXEC('USE written CHECKPOINT')").unwrap();
    let rows = page(&at, &cookie, "checkpoints", "checkpoints");
    let newest = rows.iter().find(|r| r[1] == "written").unwrap();
    assert_eq!(newest[2], "false", "somebody has asked for it");
    assert!(newest[4].parse::<u64>().unwrap() > 0, "{newest:?}");
    let answer = c.query(&statement(&at, &cookie, "checkpoints")).unwrap();
    assert!(answer.sets[0].rows.len() >= rows.len());
    let recovery = page(&at, &cookie, "checkpoints", "recovery");
    let row = recovery.iter().find(|r| r[1] == "written").unwrap();
    assert_eq!((row[2].as_str(), row[3].as_str()), ("FULL", "60"));
    // Whoever writes pages, all of them are counted.
    let counted = |c: &mut taffrail_lab::client::Client, name: &str| {
        let sql = "SELECT cntr_value FROM sys.dm_os_performance_counters WHERE counter_name =";
        let answer = c.query(&format!("{sql} '{name}'")).unwrap();
        answer.first_value().parse::<u64>().unwrap()
    };
    let by_checkpoints = counted(&mut c, "Checkpoint pages/sec");
    assert!(by_checkpoints > 0 && counted(&mut c, "Page writes/sec") >= by_checkpoints);
    // A hundred pages more are dirty, until a checkpoint has written them.
    let dirty = |c: &mut taffrail_lab::client::Client| {
        let sql = "SELECT dirty_pages FROM taffrail.recovery_estimate WHERE database_name =";
        let answer = c.query(&format!("{sql} 'written'")).unwrap();
        answer.first_value().parse::<u64>().unwrap()
    };
    c.run("USE written CREATE TABLE large (filler char(8000)) CHECKPOINT").unwrap();
    assert!(dirty(&mut c) < 20);
    let insert = "INSERT large VALUES ('x') SET @i += 1";
    c.run(&format!("DECLARE @i int = 0 BEGIN TRAN WHILE @i < 100 BEGIN {insert} END COMMIT"))
        .unwrap();
    assert!(dirty(&mut c) >= 100);
    std::thread::sleep(Duration::from_secs(1));
    let estimate = page(&at, &cookie, "checkpoints", "estimate");
    let row = estimate.iter().find(|r| r[1] == "written").unwrap();
    let (pages, bytes): (f64, f64) = (row[2].parse().unwrap(), row[3].parse().unwrap());
    assert!(pages >= 100.0 && bytes >= 800_000.0, "{row:?}");
    // No restart has measured anything: 10,000 pages and 100 MB a second are assumed.
    let seconds: f64 = row[4].parse().unwrap();
    let expected = (pages / 10_000.0).max(bytes / f64::from(100 << 20));
    assert!((seconds - expected).abs() < 1e-6 && row[6] == "false", "{row:?}");
    c.run("CHECKPOINT").unwrap();
    assert!(dirty(&mut c) < 20);
    assert_eq!(
        c.query(&statement(&at, &cookie, "recovery")).unwrap().sets[0].rows.len(),
        recovery.len()
    );
    assert!(server.stop().success());
}

#[test]
fn the_error_log_is_told_the_newest_first() {
    let temp = TempDir::new("errorlog-page");
    let server = Server::start(&temp.path().join("data"), &[]);
    let at = console(&server);
    let cookie = log_in(&at);
    let mut c = connect(&server, "master");
    c.run("RAISERROR('said by <the> \"test\"', 10, 1) WITH LOG").unwrap();
    // A thread of its own writes it down.
    let until = Instant::now() + Duration::from_secs(20);
    let rows = loop {
        let rows = page(&at, &cookie, "errorlog", "errorLog");
        if rows.iter().any(|r| r[2].contains("said by")) || Instant::now() > until {
            break rows;
        }
        std::thread::sleep(Duration::from_millis(200));
    };
    let place = |text: &str| rows.iter().position(|r| r[2].contains(text));
    let (said, ready) = (place("said by <the> \"test\""), place("is now ready for client"));
    assert!(said.is_some() && said < ready, "{rows:?}");
    assert!(
        c.query(&statement(&at, &cookie, "errorLog")).unwrap().sets[0].rows.len() >= rows.len()
    );
    assert!(server.stop().success());
}

#[test]
fn event_sessions_are_shown_started_and_stopped() {
    let temp = TempDir::new("events-page");
    let server = Server::start(&temp.path().join("data"), &[]);
    let at = console(&server);
    let cookie = log_in(&at);
    let mut c = connect(&server, "master");
    c.run("CREATE EVENT SESSION [it''s ]] mine] ON SERVER ADD EVENT sqlserver.error_reported ADD TARGET package0.ring_buffer").unwrap();
    c.run("RAISERROR('of the \"test\"', 17, 1) WITH LOG").unwrap_err();
    let order = |start: bool| {
        let body = format!("{{\"name\":\"it''s ] mine\",\"start\":{start}}}");
        status(&post(&at, "/api/events", &format!("{OWN}{cookie}"), &body))
    };
    let own = || {
        std::thread::sleep(Duration::from_secs(1));
        let rows = page(&at, &cookie, "events", "eventSessions");
        assert!(rows.iter().any(|r| r[0] == "system_health" && r[1] == "1"), "{rows:?}");
        rows.into_iter().find(|r| r[0] == "it''s ] mine").unwrap()
    };
    assert_eq!((own()[1].as_str(), own()[6].as_str()), ("0", "1"));
    assert_eq!(order(true), 200);
    assert_eq!(order(true), 409, "it runs already");
    c.run("RAISERROR('seen', 16, 1)").unwrap_err();
    let row = own();
    // The second order was an error, too, and the session saw it.
    assert_eq!((row[1].as_str(), row[4].as_str()), ("1", "2"), "{row:?}");
    let (_, ring) = get(&at, "/api/ring/it%27%27s%20]%20mine", &cookie);
    assert!(ring.contains("error_reported") && ring.contains("seen"), "{ring}");
    assert_eq!(order(false), 200);
    assert_eq!(own()[1], "0");
    assert_eq!(get(&at, "/api/ring/none", &cookie).1, "{\"xml\":null}");
    let errors = page(&at, &cookie, "events", "errors");
    assert_eq!(errors[0][2], "Error: 50000, Severity: 17, State: 1.");
    assert_eq!(errors[0][3], "of the \"test\"");
    for name in ["eventSessions", "allGrowths", "longCheckpoints", "errors"] {
        c.query(&statement(&at, &cookie, name)).unwrap();
    }
    assert!(server.stop().success());
}

#[test]
fn backups_and_their_ages_are_told() {
    let temp = TempDir::new("backup-page");
    let server = Server::start(&temp.path().join("data"), &[]);
    let at = console(&server);
    let cookie = log_in(&at);
    assert!(page(&at, &cookie, "backups", "backups").is_empty());
    let mut c = connect(&server, "master");
    c.run("CREATE DATABASE kept").unwrap();
    c.run("BACKUP DATABASE kept TO DISK = 'kept.bak' WITH COPY_ONLY").unwrap();
    c.run("BACKUP DATABASE kept TO DISK = 'kept.bak'").unwrap();
    c.run("BACKUP LOG kept TO DISK = 'kept.trn'").unwrap();
    // What was asked just before is told again for a moment.
    std::thread::sleep(Duration::from_secs(1));
    let rows = page(&at, &cookie, "backups", "backups");
    let kinds: Vec<(&str, &str)> = rows.iter().map(|r| (r[2].as_str(), r[10].as_str())).collect();
    assert_eq!(kinds, [("L", "false"), ("D", "false"), ("D", "true")]);
    assert!(rows[0][12].ends_with("/kept.trn"), "{rows:?}");
    let ages = page(&at, &cookie, "backups", "backupAges");
    let age = ages.iter().find(|r| r[0] == "kept").unwrap();
    assert!(age[2].parse::<u64>().is_ok() && age[3] == "null" && age[4].parse::<u64>().is_ok());
    assert_eq!(ages.iter().find(|r| r[0] == "model").unwrap()[2], "null");
    // Another database of that name has none.
    c.run("DROP DATABASE kept CREATE DATABASE kept").unwrap();
    std::thread::sleep(Duration::from_secs(1));
    let ages = page(&at, &cookie, "backups", "backupAges");
    assert_eq!(ages.iter().find(|r| r[0] == "kept").unwrap()[2], "null");
    for name in ["backups", "backupAges"] {
        assert!(!c.query(&statement(&at, &cookie, name)).unwrap().sets[0].rows.is_empty());
    }
    assert!(server.stop().success());
}
