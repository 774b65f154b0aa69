//! The console and `/metrics` by login: who is let in, what each may see and do, and when a login ends.

use crate::support::{Client, data, done, row, serve};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use taffrail_server::{PasswordOverrides, Server};
use taffrail_tds::PacketType;
use taffrail_tds::login7::Login7;

const SECRET: &str = "Str0ng!pw";
/// The words with which a view that needs a permission on the server refuses.
const HIDDEN: &str =
    "VIEW SERVER PERFORMANCE STATE permission was denied on object 'server', database 'master'.";

/// A server on a fresh directory, and a session of sa.
fn fresh(name: &str, passwords: PasswordOverrides) -> (Server, Client) {
    let _ = std::fs::remove_dir_all(data(name));
    let server = serve(name, passwords);
    let sa = Client::session_at(server.address());
    (server, sa)
}

fn end(server: Server, sa: Client) {
    drop(sa);
    server.stop();
    server.wait().unwrap();
}

/// Where the console is.
fn console(server: &Server) -> String {
    let line = server.ready_line();
    let at = line.split("console=http://").nth(1).unwrap_or_else(|| panic!("{line}"));
    at.split([' ', '/']).next().unwrap().to_owned()
}

/// An answer: status, headers, body.
struct Answer {
    status: u16,
    head: String,
    body: String,
}

fn ask(at: &str, request: &str) -> Answer {
    let mut stream = TcpStream::connect(at).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut all = Vec::new();
    stream.read_to_end(&mut all).unwrap();
    let all = String::from_utf8(all).unwrap();
    let (head, body) = all.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{all}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer { status, head: head.into(), body: body.into() }
}

/// A login to the console, or what is said instead.
fn log_in(at: &str, login: &str, password: &str, new: Option<&str>) -> Result<Page, Answer> {
    let new = new.map_or(String::new(), |new| format!(",\"new_password\":\"{new}\""));
    let body = format!("{{\"login\":\"{login}\",\"password\":\"{password}\"{new}}}");
    let answer = Page { at: at.into(), cookie: String::new() }.post("/api/login", &body);
    let cookie = answer.head.lines().find_map(|l| l.strip_prefix("set-cookie: "));
    match cookie {
        Some(cookie) if answer.status == 200 => {
            let pair = cookie.split(';').next().unwrap();
            Ok(Page { at: at.into(), cookie: format!("Cookie: {pair}\r\n") })
        }
        _ => Err(answer),
    }
}

/// A browser that is logged in.
struct Page {
    at: String,
    cookie: String,
}

impl Page {
    fn get(&self, path: &str) -> Answer {
        let head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{}", self.cookie);
        ask(&self.at, &format!("{head}Connection: close\r\n\r\n"))
    }

    fn post(&self, path: &str, body: &str) -> Answer {
        let own = "Host: localhost\r\nX-Taffrail: console\r\nContent-Type: application/json\r\n";
        let (cookie, length) = (&self.cookie, body.len());
        let head = format!("POST {path} HTTP/1.1\r\n{own}{cookie}Content-Length: {length}\r\n");
        ask(&self.at, &format!("{head}Connection: close\r\n\r\n{body}"))
    }

    /// The first frame of the stream.
    fn frame(&self) -> String {
        let mut stream = TcpStream::connect(&self.at).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let head = format!("GET /api/stream HTTP/1.1\r\nHost: localhost\r\n{}\r\n", self.cookie);
        stream.write_all(head.as_bytes()).unwrap();
        let (mut all, mut piece) = (Vec::new(), [0; 8192]);
        loop {
            let n = stream.read(&mut piece).unwrap();
            assert!(n > 0, "the stream has ended: {}", String::from_utf8_lossy(&all));
            all.extend_from_slice(&piece[..n]);
            let text = String::from_utf8_lossy(&all);
            let frame = text.split("data: ").nth(1).and_then(|data| data.split_once("\n\n"));
            if let Some((frame, _)) = frame {
                return frame.to_owned();
            }
        }
    }

    /// The answer of a batch of the page Query.
    fn run(&self, sql: &str) -> String {
        let answer = self.post("/api/query", &format!("{{\"session\":\"one\",\"sql\":\"{sql}\"}}"));
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body
    }
}

fn page(server: &Server, login: &str) -> Page {
    let in_again = log_in(&console(server), login, SECRET, None);
    in_again.unwrap_or_else(|a| panic!("{login}: {} {}", a.status, a.body))
}

fn refused(answer: &Answer, why: &str) {
    assert!(answer.status == 403 && answer.body.contains(why), "{} {}", answer.status, answer.body);
}

/// Pages whose figures come from views of the server's state, from rings, and from what the server keeps.
const WATCHING: [&str; 7] = [
    "/api/page/counters",
    "/api/page/checkpoints",
    "/api/page/files",
    "/api/page/missing",
    "/api/io/0",
    "/api/history",
    "/api/ring/system_health",
];

#[test]
fn a_login_without_permissions_sees_what_is_its_own_and_the_servers_words_for_the_rest() {
    let (server, mut sa) = fresh("console-nothing", PasswordOverrides::default());
    done(&mut sa, &format!("CREATE LOGIN nobody WITH PASSWORD = '{SECRET}'"));
    done(&mut sa, "CREATE DATABASE shop");
    let page = page(&server, "nobody");
    assert!(page.get("/api/me").body.contains("\"login\":\"nobody\""));
    for path in WATCHING {
        refused(&page.get(path), HIDDEN);
    }
    refused(&page.get("/api/page/errorlog"), "Only members of the sysadmin role");
    refused(&page.get("/api/page/backups"), "permission was denied on the object");
    refused(&page.get("/api/page/events"), "permission");
    refused(&page.get("/api/log/1"), "permission was denied");
    let lab = "The lab is for members of sysadmin";
    for path in ["/api/lab", "/api/lab/report/loop-tiny"] {
        refused(&page.get(path), lab);
    }
    refused(&page.post("/api/lab/run", "{\"experiment\":\"loop\",\"scale\":\"tiny\"}"), lab);
    refused(&page.post("/api/lab/stop", "{}"), lab);
    // What needs attention is looked at as far as it may be seen, and no further.
    let alerts = page.get("/api/page/alerts");
    assert!(alerts.status == 200 && alerts.body.contains("\"alerts\":["), "{}", alerts.body);
    assert!(alerts.body.contains(&format!("\"fullLogs\":\"{HIDDEN}\"")), "{}", alerts.body);
    assert!(alerts.body.contains("on the object 'suspect_pages'"), "{}", alerts.body);
    // Names of databases are everybody's; sizes and sessions of others are not.
    let databases = page.get("/api/page/databases");
    assert!(databases.status == 200 && databases.body.contains("\"shop\",\"ONLINE\""));
    let shop = databases.body.split("\"shop\"").nth(1).unwrap().split(']').next().unwrap();
    assert!(shop.ends_with(",null,null,null"), "{shop}");
    let frame = page.frame();
    assert!(frame.contains("\"shop\",\"ONLINE\""), "{frame}");
    for part in ["counters", "processor", "files", "sessions", "databases", "waitTypes", "flushes"]
    {
        assert!(frame.contains(&format!("\"{part}\":\"VIEW SERVER ")), "{part}: {frame}");
    }
    for part in ["\"counters\":[", "\"waits\":[", "\"waitTypes\":[", "\"flushes\":[", "\"sa\""] {
        assert!(!frame.contains(part), "{part}: {frame}");
    }
    // Statements of its own run as itself.
    let said = page.run("SELECT SUSER_SNAME(), IS_SRVROLEMEMBER('sysadmin')");
    assert!(said.contains("[\"nobody\",\"0\"]"), "{said}");
    let said = page.run("USE shop");
    assert!(said.contains("{\"message\":[916,14,"), "{said}");
    // Nobody is ended or stopped by it.
    let spid = row(&mut sa, "SELECT CONVERT(varchar(9), @@SPID)").remove(0);
    let kill = page.post("/api/kill", &format!("{{\"session\":{spid}}}"));
    refused(&kill, "permission");
    let stop = page.post("/api/events", "{\"name\":\"system_health\",\"start\":false}");
    assert!(stop.status == 403 || stop.status == 409, "{} {}", stop.status, stop.body);
    sa.is_usable();
    assert_eq!(
        row(&mut sa, "SELECT name FROM sys.dm_xe_sessions WHERE name = 'system_health'").len(),
        1
    );
    end(server, sa);
}

#[test]
fn each_permission_opens_its_pages_from_the_next_request_on() {
    let (server, mut sa) = fresh("console-granted", PasswordOverrides::default());
    done(&mut sa, &format!("CREATE LOGIN watcher WITH PASSWORD = '{SECRET}'"));
    done(&mut sa, &format!("CREATE LOGIN ender WITH PASSWORD = '{SECRET}'"));
    done(&mut sa, "GRANT ALTER ANY CONNECTION TO ender");
    let (watcher, ender) = (page(&server, "watcher"), page(&server, "ender"));
    refused(&watcher.get("/api/page/counters"), HIDDEN);
    done(&mut sa, "GRANT VIEW SERVER STATE TO watcher");
    for path in WATCHING {
        let answer = watcher.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    }
    let frame = watcher.frame();
    assert!(!frame.contains("\"refused\"") && frame.contains("\"counters\":[["), "{frame}");
    assert!(frame.contains("\"waits\":[[") && frame.contains("\"sa\""), "{frame}");
    let alerts = watcher.get("/api/page/alerts").body;
    assert!(alerts.contains("\"fullLogs\":[[\"unseen\",\"sys.master_files\""), "{alerts}");
    assert!(!alerts.contains(HIDDEN) && alerts.contains("'suspect_pages'"), "{alerts}");
    // Of the page of events all but the error log, which is for members of sysadmin.
    let events = watcher.get("/api/page/events");
    assert!(events.status == 200 && events.body.contains("\"refused\":{\"errors\":\""));
    assert!(events.body.contains("\"eventSessions\":[[\"system_health\""), "{}", events.body);
    refused(&watcher.get("/api/page/errorlog"), "Only members of the sysadmin role");
    // To see is not to end.
    let mut other = Client::session_at(server.address());
    let spid = row(&mut other, "SELECT CONVERT(varchar(9), @@SPID)").remove(0);
    let kill = format!("{{\"session\":{spid}}}");
    refused(&watcher.post("/api/kill", &kill), "permission");
    other.is_usable();
    refused(&ender.get("/api/page/counters"), HIDDEN);
    let killed = ender.post("/api/kill", &kill);
    assert_eq!(killed.status, 200, "{}", killed.body);
    assert!(other.receive().is_none(), "the session has ended");
    done(&mut sa, "REVOKE VIEW SERVER STATE FROM watcher");
    std::thread::sleep(Duration::from_secs(1));
    for path in WATCHING {
        refused(&watcher.get(path), HIDDEN);
    }
    // sa sees all of it, beside those who do not.
    let mut session = Client::connect_to(server.address());
    session.log_in(4096);
    let own = log_in(&console(&server), "sa", crate::support::PASSWORD, None).ok().unwrap();
    for path in WATCHING.iter().chain(&["/api/page/errorlog", "/api/page/backups", "/api/log/1"]) {
        let answer = own.get(path);
        assert!(answer.status == 200 && !answer.body.contains("\"refused\""), "{path}");
    }
    refused(&watcher.get("/api/page/counters"), HIDDEN);
    end(server, sa);
}

#[test]
fn a_session_that_was_killed_lets_nobody_see_what_it_may_not() {
    let (server, mut sa) = fresh("console-killed", PasswordOverrides::default());
    done(&mut sa, &format!("CREATE LOGIN nobody WITH PASSWORD = '{SECRET}'"));
    let page = page(&server, "nobody");
    for path in ["/api/page/errorlog", "/api/history", "/api/io/0"] {
        assert_eq!(page.get(path).status, 403, "{path}");
        let own = "SELECT CONVERT(varchar(9), MAX(session_id)) FROM sys.dm_exec_sessions WHERE login_name = 'nobody'";
        let spid = row(&mut sa, own).remove(0);
        done(&mut sa, &format!("KILL {spid}"));
        for _ in 0..3 {
            let answer = page.get(path);
            assert!(matches!(answer.status, 403 | 503), "{path}: {}", answer.body);
        }
    }
    end(server, sa);
}

#[test]
fn a_login_to_the_console_ends_with_the_login_of_the_server() {
    let (server, mut sa) = fresh("console-ends", PasswordOverrides::default());
    let own = "SELECT SUSER_SNAME()";
    for (name, change) in [
        ("disabled", "ALTER LOGIN disabled DISABLE"),
        ("changed", "ALTER LOGIN changed WITH PASSWORD = 'An0ther!pw'"),
        ("renamed", "ALTER LOGIN renamed WITH NAME = other"),
        ("dropped", "DROP LOGIN dropped"),
    ] {
        done(&mut sa, &format!("CREATE LOGIN {name} WITH PASSWORD = '{SECRET}'"));
        let page = page(&server, name);
        assert_eq!(page.get("/api/queries").status, 200);
        assert_eq!(page.get("/api/page/databases").status, 200);
        if name != "dropped" {
            assert!(page.run(own).contains(&format!("[\"{name}\"]")));
        }
        // Sessions of a login keep it from being dropped, until nobody has asked anything for a while.
        let until = Instant::now() + Duration::from_secs(30);
        loop {
            let failed = crate::support::failed(&mut sa, change);
            if failed.is_empty() {
                break;
            }
            assert!(failed == [15434] && Instant::now() < until, "{name}: {failed:?}");
            std::thread::sleep(Duration::from_millis(200));
        }
        for path in ["/api/queries", "/api/page/databases", "/api/stream"] {
            assert_eq!(page.get(path).status, 401, "{name}: {path}");
        }
        let run = page.post("/api/query", &format!("{{\"session\":\"one\",\"sql\":\"{own}\"}}"));
        assert_eq!(run.status, 401, "{name}");
        assert_eq!(page.get("/api/me").body, "{\"login\":null}");
        // A login of the name that comes later is another.
        done(
            &mut sa,
            &format!(
                "IF SUSER_ID('{name}') IS NULL CREATE LOGIN {name} WITH PASSWORD = '{SECRET}'"
            ),
        );
        assert_eq!(page.get("/api/queries").status, 401, "{name}, once more");
    }
    end(server, sa);
}

/// The number of the message by which a client of TDS is refused; 0: it is let in.
fn by_tds(server: &Server, user: &str, password: &str) -> i32 {
    let mut client = Client::connect_to(server.address());
    let login = Login7 {
        tds_version: client.version.login_value(),
        user_name: user.into(),
        password: password.into(),
        ..Login7::default()
    };
    let mut bytes = Vec::new();
    login.encode(&mut bytes);
    client.send_as(PacketType::Login7, &bytes, 0);
    crate::support::errors(&client.tokens()).last().map_or(0, |(number, ..)| *number)
}

/// The number of the message by which the console refuses; 0: it lets in.
fn by_console(server: &Server, user: &str, password: &str, new: Option<&str>) -> i32 {
    match log_in(&console(server), user, password, new) {
        Ok(_) => 0,
        Err(answer) => {
            assert_eq!(answer.status, 401, "{}", answer.body);
            let number = answer.body.split("\"number\":").nth(1).unwrap();
            number.split(['}', ',']).next().unwrap().parse().unwrap()
        }
    }
}

#[test]
fn the_console_refuses_a_login_as_tds_does_and_counts_with_it() {
    let strict = PasswordOverrides {
        lockout_threshold: Some(3),
        maximum_age_days: Some(90),
        ..PasswordOverrides::default()
    };
    let (server, mut sa) = fresh("console-refused", strict);
    let create =
        |name: &str, how: &str| format!("CREATE LOGIN {name} WITH PASSWORD = '{SECRET}'{how}");
    for (name, how) in [
        ("app", ""),
        ("shut", ""),
        ("due", " MUST_CHANGE, CHECK_EXPIRATION = ON"),
        ("old", ", CHECK_EXPIRATION = ON"),
        ("kept", ""),
    ] {
        done(&mut sa, &create(name, how));
    }
    done(&mut sa, "ALTER LOGIN shut DISABLE; DENY CONNECT SQL TO kept");
    let mut old = (*server.instance().login_principal("old").unwrap()).clone();
    if let taffrail_types::Value::DateTime { days: at, .. } = &mut old.login.password_set {
        *at -= 91;
    }
    server.instance().record_login(old).unwrap();
    for (name, number) in [("shut", 18470), ("due", 18488), ("old", 18487), ("kept", 18456)] {
        assert_eq!(by_tds(&server, name, SECRET), number, "{name}");
        assert_eq!(by_console(&server, name, SECRET, None), number, "{name}");
    }
    // Whoever has to change a password does so with the login; one that is too simple is refused as there.
    assert_eq!(by_console(&server, "due", SECRET, Some("longenough")), 18466);
    assert_eq!(by_console(&server, "due", SECRET, Some("An0ther!pw")), 0);
    assert_eq!(by_console(&server, "old", SECRET, Some("An0ther!pw")), 0);
    for name in ["due", "old"] {
        assert_eq!(by_console(&server, name, "An0ther!pw", None), 0, "{name}");
        assert_eq!(by_tds(&server, name, "An0ther!pw"), 0, "{name}");
    }
    // Wrong passwords count together, wherever they come from, and wait together.
    let began = Instant::now();
    assert_eq!(by_console(&server, "app", "n0t-the-0ne", None), 18456);
    assert_eq!(by_tds(&server, "app", "n0t-the-0ne"), 18456);
    assert_eq!(by_console(&server, "app", "n0t-the-0ne", None), 18456);
    assert!(began.elapsed() >= Duration::from_millis(1750), "{:?}", began.elapsed());
    assert_eq!(by_console(&server, "app", SECRET, None), 18486);
    assert_eq!(by_tds(&server, "app", SECRET), 18486);
    let log = std::fs::read_to_string(data("console-refused").join("log/errorlog")).unwrap();
    for line in [
        "Error: 18488, Severity: 14, State: 1.",
        "Login failed for user 'app'. Reason: The account is currently locked out. [CLIENT: 127.0.0.1]",
        "Login failed for user 'kept'. Reason: Login-based server access validation failed. [CLIENT: 127.0.0.1]",
    ] {
        assert!(log.contains(line), "{line} in {log}");
    }
    assert!(!log.contains("n0t-the-0ne"), "{log}");
    end(server, sa);
}

#[test]
fn metrics_ask_a_login_that_is_given_for_the_permission_of_their_views() {
    let (server, mut sa) = fresh("metrics-login", PasswordOverrides::default());
    for name in ["nobody", "watcher"] {
        done(&mut sa, &format!("CREATE LOGIN {name} WITH PASSWORD = '{SECRET}'"));
    }
    done(&mut sa, "GRANT VIEW SERVER PERFORMANCE STATE TO watcher");
    let at = console(&server);
    let scrape = |host: &str, given: &str| {
        let head = format!("GET /metrics HTTP/1.1\r\nHost: {host}\r\n{given}");
        ask(&at, &format!("{head}Connection: close\r\n\r\n"))
    };
    // watcher:Str0ng!pw, nobody:Str0ng!pw, watcher:wrong
    let (watcher, nobody, wrong) = (
        "Authorization: Basic d2F0Y2hlcjpTdHIwbmchcHc=\r\n",
        "Authorization: Basic bm9ib2R5OlN0cjBuZyFwdw==\r\n",
        "Authorization: Basic d2F0Y2hlcjp3cm9uZw==\r\n",
    );
    let told = scrape("localhost", watcher);
    assert!(told.status == 200 && told.body.contains("mssql_batch_requests"), "{}", told.body);
    refused(&scrape("localhost", nobody), HIDDEN);
    let no = scrape("localhost", wrong);
    assert!(
        no.status == 401 && no.body.contains("Login failed for user 'watcher'."),
        "{}",
        no.body
    );
    assert!(no.head.contains("www-authenticate: Basic"), "{}", no.head);
    assert_eq!(scrape("localhost", "Authorization: Basic !\r\n").status, 400);
    // A password is not taken where it has gone over a network in the clear.
    refused(&scrape("db.example", watcher), "HTTP is not encrypted");
    // Who says nothing on this machine is asked nothing.
    assert_eq!(scrape("localhost", "").status, 200);
    assert_eq!(scrape("db.example", "").status, 403);
    done(&mut sa, "REVOKE VIEW SERVER PERFORMANCE STATE FROM watcher");
    refused(&scrape("localhost", watcher), HIDDEN);
    end(server, sa);
}
