//! The console's server side: who is let in, what the pages get, and that figures are the views'.

use crate::life::connect;
use crate::monitoring::{ask, console, get};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use taffrail_tests::{PASSWORD, Server, TempDir};

pub(crate) const OWN: &str =
    "Host: localhost\r\nX-Taffrail: console\r\nContent-Type: application/json\r\n";

pub(crate) fn post(at: &str, path: &str, headers: &str, body: &str) -> (String, String) {
    let length = body.len();
    ask(
        at,
        &format!(
            "POST {path} HTTP/1.1\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        ),
    )
}

fn credentials(password: &str) -> String {
    format!("{{\"login\":\"sa\",\"password\":\"{password}\"}}")
}

/// The Cookie header of a new login.
pub(crate) fn log_in(at: &str) -> String {
    let (head, body) = post(at, "/api/login", OWN, &credentials(PASSWORD));
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}\n{body}");
    let cookie = head.lines().find_map(|l| l.strip_prefix("set-cookie: ")).unwrap();
    let (pair, attributes) = cookie.split_once("; ").unwrap();
    assert_eq!(attributes, "Path=/; HttpOnly; SameSite=Strict");
    assert!(pair.len() > 64, "a token that nobody guesses");
    format!("Cookie: {pair}\r\n")
}

pub(crate) fn status(answer: &(String, String)) -> u16 {
    answer.0.split(' ').nth(1).unwrap().parse().unwrap()
}

#[test]
fn only_who_is_here_and_logged_in_sees_anything() {
    let temp = TempDir::new("console");
    let server = Server::start(&temp.path().join("data"), &[]);
    let at = console(&server);
    let (head, page) = get(&at, "/", "");
    assert!(head.starts_with("HTTP/1.1 200 ") && page.contains("/assets/app.js"), "{head}");
    let head = head.to_lowercase();
    assert!(
        head.contains("content-security-policy: default-src 'none'; script-src 'self';"),
        "{head}"
    );
    assert!(head.contains("x-frame-options: deny") && head.contains("nosniff"), "{head}");
    for name in ["app.js", "app.css", "icon.svg"] {
        let path = format!("/assets/{name}");
        let (head, body) = get(&at, &path, "");
        assert!(head.starts_with("HTTP/1.1 200 ") && body.len() > 200, "{head}");
        let tag = head.lines().find_map(|l| l.strip_prefix("etag: ")).unwrap();
        let again = get(&at, &path, &format!("If-None-Match: {tag}\r\n"));
        assert_eq!((status(&again), again.1.len()), (304, 0));
    }
    let private = [
        "/api/stream",
        "/api/log/1",
        "/api/io/0",
        "/api/queries",
        "/api/history",
        "/api/page/counters",
        "/api/ring/system_health",
    ];
    for path in private {
        assert_eq!(status(&get(&at, path, "")), 401, "{path}");
        let guessed = "Cookie: taffrail-console-80=00\r\n";
        assert_eq!(status(&get(&at, path, guessed)), 401, "{path}");
    }
    // Another site's page, by a name that leads here, or by a form.
    for path in ["/", "/assets/app.js", "/api/me"] {
        assert_eq!(status(&get(&at, path, "Host: evil.example\r\n")), 403, "{path}");
    }
    let right = credentials(PASSWORD);
    let json = "Content-Type: application/json\r\n";
    assert_eq!(
        status(&post(&at, "/api/login", &format!("Host: localhost\r\n{json}"), &right)),
        403
    );
    let form = "Host: localhost\r\nX-Taffrail: console\r\nContent-Type: text/plain\r\n";
    assert_eq!(status(&post(&at, "/api/login", form, &right)), 400);
    let long = credentials(&"x".repeat(100_000));
    assert_eq!(status(&post(&at, "/api/login", OWN, &long)), 413);
    // Each failure waits longer.
    let times: Vec<Duration> = (0..3)
        .map(|_| {
            let began = Instant::now();
            let (head, body) = post(&at, "/api/login", OWN, &credentials("wrong"));
            let said = body.contains("Login failed for user 'sa'.");
            assert!(head.starts_with("HTTP/1.1 401 ") && said, "{head}\n{body}");
            assert!(!head.to_lowercase().contains("set-cookie"));
            began.elapsed()
        })
        .collect();
    assert!(times[2] >= Duration::from_millis(1000), "{times:?}");
    let cookie = log_in(&at);
    let (_, me) = get(&at, "/api/me", &cookie);
    assert!(me.contains("\"login\":\"sa\""), "{me}");
    let out = post(&at, "/api/logout", &format!("{OWN}{cookie}"), "{}");
    assert_eq!(status(&out), 200);
    assert_eq!(status(&get(&at, "/api/queries", &cookie)), 401, "the token is no longer known");
    assert_eq!(get(&at, "/api/me", &cookie).1, "{\"login\":null}");
    assert!(server.stop().success());
}

/// The next frames of a stream, each as its text.
struct Stream(BufReader<TcpStream>);

impl Stream {
    fn open(at: &str, cookie: &str) -> Stream {
        let mut stream = TcpStream::connect(at).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        write!(stream, "GET /api/stream HTTP/1.1\r\nHost: localhost\r\n{cookie}\r\n").unwrap();
        Stream(BufReader::new(stream))
    }

    fn next(&mut self) -> Option<String> {
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).unwrap_or(0) == 0 {
                return None;
            }
            if let Some(data) = line.trim_end().strip_prefix("data: ") {
                return Some(data.to_owned());
            }
        }
    }
}

/// ms of a type of waits or of a class, in a frame.
fn waited(frame: &str, name: &str) -> u64 {
    let found = frame.split(&format!("[\"{name}\",")).nth(1).unwrap_or_else(|| panic!("{frame}"));
    let mut numbers = found.split([',', ']']);
    // A type's row has the number of waits first.
    let at = usize::from(!name.ends_with("waits"));
    numbers.nth(at).unwrap().parse().unwrap()
}

#[test]
fn a_frame_has_what_the_views_have_and_all_viewers_get_the_same() {
    let temp = TempDir::new("frames");
    let server = Server::start(&temp.path().join("data"), &[]);
    let at = console(&server);
    let cookie = log_in(&at);
    let mut holder = connect(&server, "master");
    holder.run("CREATE DATABASE shown CREATE TABLE tempdb.dbo.held (a int)").unwrap();
    holder.run("BEGIN TRAN INSERT tempdb.dbo.held VALUES (1)").unwrap();
    let id = |c: &mut taffrail_lab::client::Client| c.query("SELECT @@SPID").unwrap().first_value();
    let holding = id(&mut holder);
    let mut waiter = connect(&server, "shown");
    let waiting = id(&mut waiter);
    let blocked = std::thread::spawn(move || {
        (waiter.run("SELECT * FROM tempdb.dbo.held /* \"</script> */").is_err(), waiter)
    });
    let mut stream = Stream::open(&at, &cookie);
    let until = Instant::now() + Duration::from_secs(20);
    let frame = loop {
        let frame = stream.next().unwrap();
        assert!(!frame.contains("\"error\""), "{frame}");
        // The row of the session that waits: its wait, and for whom.
        if frame.contains(&format!("[{waiting},\"sa\"")) && frame.contains("LCK_M_S") {
            break frame;
        }
        assert!(Instant::now() < until, "{frame}");
    };
    // A wait that goes on counts: the type's total, and its class.
    assert!(waited(&frame, "LCK_M_S") > 0, "{frame}");
    let mut later = String::new();
    for _ in 0..3 {
        later = stream.next().unwrap();
    }
    assert!(waited(&later, "LCK_M_S") >= waited(&frame, "LCK_M_S") + 1000, "{frame}\n{later}");
    assert!(waited(&later, "Lock waits") >= 1000, "{later}");
    for part in [
        "\"counters\":[[",
        "\"waitTypes\":[[",
        "\"processor\":[",
        "Log write waits",
        "\"shown\",\"ONLINE\"",
        "\"COMMIT\"]",
    ] {
        assert!(frame.contains(part), "{part} in {frame}");
    }
    assert!(frame.contains("/* \\\"</script> */"), "{frame}");
    // Twenty more viewers are no more sessions.
    let mut viewers: Vec<Stream> = (0..20).map(|_| Stream::open(&at, &cookie)).collect();
    let (mut one, other) = (viewers.pop().unwrap(), viewers.pop().unwrap().next().unwrap());
    let found = (0..5).any(|_| one.next().is_some_and(|frame| frame == other));
    assert!(found, "each viewer has a frame of its own");
    let own = "SELECT COUNT(*) FROM sys.dm_exec_sessions WHERE program_name = 'Taffrail console'";
    assert_eq!(holder.query(own).unwrap().first_value(), "1");
    // KILL, as the page sends it.
    let (head, body) =
        post(&at, "/api/kill", &format!("{OWN}{cookie}"), &format!("{{\"session\":{waiting}}}"));
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}\n{body}");
    assert!(blocked.join().unwrap().0, "session {waiting} was ended while {holding} went on");
    let (head, body) = post(&at, "/api/kill", &format!("{OWN}{cookie}"), "{\"session\":4711}");
    assert!(head.starts_with("HTTP/1.1 409 ") && body.contains("4711"), "{head}\n{body}");
    holder.run("ROLLBACK").unwrap();
    // When nobody looks any more the session goes.
    drop((stream, viewers, one));
    let until = Instant::now() + Duration::from_secs(20);
    // That of the KILL waits for the next question for a while.
    while holder.query(own).unwrap().first_value() != "0" {
        assert!(Instant::now() < until, "a session of the console goes on for nobody");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(server.stop().success());
}

#[test]
fn the_page_of_a_log_is_what_the_views_say_and_streams_end_with_the_server() {
    let temp = TempDir::new("logpage");
    let server = Server::start(&temp.path().join("data"), &[]);
    let at = console(&server);
    let cookie = log_in(&at);
    let mut c = connect(&server, "master");
    c.run("CREATE DATABASE big").unwrap();
    c.run("ALTER DATABASE big MODIFY FILE (NAME = big_log, SIZE = 64MB)").unwrap();
    let id = c.query("SELECT DB_ID('big')").unwrap().first_value();
    let (head, page) = get(&at, &format!("/api/log/{id}"), &cookie);
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}\n{page}");
    let vlfs =
        c.query(&format!("SELECT COUNT(*) FROM sys.dm_db_log_info({id})")).unwrap().first_value();
    assert!(page.contains(&format!("\"state\":[{vlfs},")), "{page}");
    assert!(page.contains(",67108864,"), "the growth: {page}");
    assert_eq!(status(&get(&at, "/api/log/x", &cookie)), 400);
    let (_, none) = get(&at, "/api/log/999", &cookie);
    assert!(none.contains("\"state\":null"), "{none}");
    // File operations after the newest there was: the commit's write among them.
    let (_, io) = get(&at, "/api/io/0", &cookie);
    let newest =
        io.split("\"newest\":").nth(1).unwrap().split([',', '}']).next().unwrap().to_owned();
    c.run("CREATE TABLE big.dbo.t (a int)").unwrap();
    let (_, io) = get(&at, &format!("/api/io/{newest}"), &cookie);
    assert!(
        io.contains("/big_log.ldf\"")
            && io.contains("\"WRITE\"")
            && io.contains(",true,null,\"LOG_FLUSH\"]"),
        "{io}"
    );
    assert!(io.contains("\"lost\":0"), "{io}");
    let mut stream = Stream::open(&at, &cookie);
    assert!(stream.next().is_some());
    let began = Instant::now();
    let ended = std::thread::spawn(move || while stream.next().is_some() {});
    assert!(server.stop().success());
    ended.join().unwrap();
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
}

#[test]
fn a_connection_that_says_nothing_gives_its_place_up() {
    let temp = TempDir::new("silent");
    let server = Server::start(&temp.path().join("data"), &[]);
    let at = console(&server);
    // Half a head, half a body, one that has had its answer, and nothing.
    let mut kept: Vec<TcpStream> = (0..4).map(|_| TcpStream::connect(&at).unwrap()).collect();
    kept[0].write_all(b"GET /healthz HTTP/1.1\r\nHost: loc").unwrap();
    write!(kept[1], "POST /api/login HTTP/1.1\r\n{OWN}Content-Length: 90\r\n\r\n{{").unwrap();
    kept[2].write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    for (i, mut one) in kept.into_iter().enumerate() {
        one.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut answer = Vec::new();
        one.read_to_end(&mut answer).unwrap_or_else(|e| panic!("{i}: {e}"));
        let answer = String::from_utf8(answer).unwrap();
        let expected = ["", "HTTP/1.1 408 ", "HTTP/1.1 200 "];
        assert!(answer.starts_with(expected.get(i).unwrap_or(&"")), "{i}: {answer}");
    }
    assert!(server.stop().success());
}

#[test]
fn a_flood_of_connections_without_requests_keeps_nobody_waiting() {
    let temp = TempDir::new("flood");
    let server = Server::start(&temp.path().join("data"), &[]);
    let at = console(&server);
    let cookie = log_in(&at);
    let mut stream = Stream::open(&at, &cookie);
    assert!(stream.next().is_some());
    // More than there are places; some have sent half a head or half a body.
    let mut kept: Vec<TcpStream> = (0..100).map(|_| TcpStream::connect(&at).unwrap()).collect();
    for one in kept.iter_mut().skip(60).step_by(4) {
        one.write_all(b"GET /healthz HTTP/1.1\r\nHost: loc").unwrap();
    }
    for one in kept.iter_mut().skip(61).step_by(4) {
        write!(one, "POST /api/login HTTP/1.1\r\n{OWN}Content-Length: 90\r\n\r\n{{").unwrap();
    }
    for path in ["/healthz", "/readyz", "/metrics"] {
        let began = Instant::now();
        let answer = get(&at, path, "");
        assert_eq!(status(&answer), 200, "{path}");
        assert!(began.elapsed() < Duration::from_secs(2), "{path}: {:?}", began.elapsed());
    }
    // Who looks has a request that runs.
    (0..3).for_each(|_| assert!(stream.next().is_some()));
    drop(kept);
    assert!(server.stop().success());
}

#[test]
fn streams_end_with_their_login() {
    let temp = TempDir::new("logout");
    let server = Server::start(&temp.path().join("data"), &[]);
    let at = console(&server);
    let (cookie, other) = (log_in(&at), log_in(&at));
    let (mut stream, mut stays) = (Stream::open(&at, &cookie), Stream::open(&at, &other));
    assert!(stream.next().is_some() && stays.next().is_some());
    assert_eq!(status(&post(&at, "/api/logout", &format!("{OWN}{cookie}"), "{}")), 200);
    let until = Instant::now() + Duration::from_secs(10);
    while stream.next().is_some() {
        assert!(Instant::now() < until, "it goes on");
    }
    (0..2).for_each(|_| assert!(stays.next().is_some()));
    assert!(server.stop().success());
}

/// An address of this machine that is not of the loopback interface, if there is one. (A UDP socket that is connected sends nothing.)
fn address_of_this_machine() -> Option<std::net::IpAddr> {
    let socket = std::net::UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_loopback() && !address.is_unspecified()).then_some(address)
}

/// A container engine that publishes the port on its host's loopback interface brings requests from its own network.
#[test]
fn a_published_port_brings_the_console_to_who_calls_it_localhost() {
    let Some(address) = address_of_this_machine() else {
        eprintln!("this machine has no other address: NOT TESTED");
        return;
    };
    let temp = TempDir::new("published");
    let server = Server::start(&temp.path().join("data"), &["--console", "0.0.0.0:0"]);
    let port = console(&server).rsplit(':').next().unwrap().to_owned();
    let at = format!("{address}:{port}");
    let own = format!("Host: localhost:{port}\r\n");
    assert_eq!(status(&get(&at, "/", &own)), 200);
    let login = OWN.replace("Host: localhost\r\n", &own);
    let (head, _) = post(&at, "/api/login", &login, &credentials(PASSWORD));
    let cookie = head.lines().find_map(|l| l.strip_prefix("set-cookie: ")).unwrap();
    let cookie = cookie.split(';').next().unwrap();
    let me = get(&at, "/api/me", &format!("{own}Cookie: {cookie}\r\n")).1;
    assert!(me.contains("\"login\":\"sa\""), "{me}");
    // By its address, or by a proxy, it refuses; metrics ask for a token either way.
    assert_eq!(status(&get(&at, "/", &format!("Host: {at}\r\n"))), 403);
    assert_eq!(status(&get(&at, "/", &format!("{own}X-Forwarded-Proto: https\r\n"))), 403);
    assert_eq!(status(&get(&at, "/metrics", &own)), 403);
    assert!(server.stop().success());
}

#[test]
fn a_login_ends_with_its_password() {
    let temp = TempDir::new("password-changes");
    let server = Server::start(&temp.path().join("data"), &[]);
    let at = console(&server);
    let cookie = log_in(&at);
    let mut stream = Stream::open(&at, &cookie);
    assert!(stream.next().is_some());
    let mut c = connect(&server, "master");
    c.run("ALTER LOGIN sa WITH PASSWORD = 'Another-one-2!'").unwrap();
    assert_eq!(get(&at, "/api/me", &cookie).1, "{\"login\":null}");
    assert_eq!(status(&get(&at, "/api/queries", &cookie)), 401);
    let batch = "{\"session\":\"s\",\"database\":null,\"sql\":\"SELECT 1\"}";
    assert_eq!(status(&post(&at, "/api/query", &format!("{OWN}{cookie}"), batch)), 401);
    let until = Instant::now() + Duration::from_secs(10);
    while stream.next().is_some() {
        assert!(Instant::now() < until, "its stream goes on");
    }
    assert_eq!(status(&post(&at, "/api/login", OWN, &credentials("Another-one-2!"))), 200);
    assert!(server.stop().success());
}

#[test]
fn a_flood_of_wrong_passwords_turns_no_right_one_away() {
    let temp = TempDir::new("login-flood");
    let server = Server::start(&temp.path().join("data"), &[]);
    let at = console(&server);
    let flood: Vec<_> = (0..100)
        .map(|n| {
            let (at, password) = (at.clone(), credentials(&format!("wrong-{n}")));
            // One whose place somebody else needs has no answer.
            std::thread::spawn(move || {
                let length = password.len();
                let mut stream = TcpStream::connect(&at).unwrap();
                let head = format!("POST /api/login HTTP/1.1\r\n{OWN}Content-Length: {length}\r\n");
                let _ = write!(stream, "{head}Connection: close\r\n\r\n{password}");
                let _ = stream.read_to_end(&mut Vec::new());
            })
        })
        .collect();
    std::thread::sleep(Duration::from_millis(200));
    for _ in 0..8 {
        let began = Instant::now();
        log_in(&at);
        assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    }
    flood.into_iter().for_each(|one| one.join().unwrap());
    assert!(server.stop().success());
}

#[test]
fn who_waits_for_a_refusal_keeps_nobody_from_logging_in() {
    let temp = TempDir::new("attempts");
    let server = Server::start(&temp.path().join("data"), &[]);
    let at = console(&server);
    // Each failure waits longer: these soon wait for seconds, all of them at the same time.
    let wrong = || status(&post(&at, "/api/login", OWN, &credentials("wrong")));
    (0..4).for_each(|_| assert_eq!(wrong(), 401));
    let waiting: Vec<_> = (0..8)
        .map(|_| {
            let at = at.clone();
            std::thread::spawn(move || {
                let sent = Instant::now();
                let refused = post(&at, "/api/login", OWN, &credentials("wrong"));
                assert_eq!(status(&refused), 401);
                (sent, Instant::now())
            })
        })
        .collect();
    let times: Vec<_> = waiting.into_iter().map(|w| w.join().unwrap()).collect();
    let at_a_time = |t: Instant| {
        let second = Duration::from_secs(1);
        times.iter().filter(|(sent, answered)| *sent <= t && t <= *answered - second).count()
    };
    let most = times.iter().map(|(sent, _)| at_a_time(*sent)).max();
    assert!(most > Some(4), "{most:?} wait at a time");
    let (_, io) = get(&at, &format!("/api/io/{}", u64::MAX), &log_in(&at));
    assert!(io.contains("\"rows\":[]"), "{io}");
    assert!(server.stop().success());
}
