//! A server under pressure from outside: little memory, silent connections, a full volume, another time zone.

use crate::host::{client, detached_by, signal};
use rustix::net::{AddressFamily, SocketType};
use rustix::process::Signal;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use taffrail_lab::client::{Client, ConnectOptions};
use taffrail_tests::{PASSWORD, Server, TempDir, binary};

/// A control group of its own for a server; it goes with its owner.
struct Group(PathBuf);

impl Group {
    /// One that may have so much memory, or why there can be none.
    fn with_memory(bytes: u64) -> Result<Group, String> {
        let own = fs::read_to_string("/proc/self/cgroup").map_err(|e| e.to_string())?;
        let places = own.lines().filter_map(|line| {
            // hierarchy:controllers:path
            let mut parts = line.splitn(3, ':').skip(1);
            let (controllers, path) = (parts.next()?, parts.next()?.trim_start_matches('/'));
            match controllers {
                "" => Some((Path::new("/sys/fs/cgroup").join(path), "memory.max")),
                "memory" => {
                    Some((Path::new("/sys/fs/cgroup/memory").join(path), "memory.limit_in_bytes"))
                }
                _ => None,
            }
        });
        let mut why = "no control group has the memory controller".to_owned();
        for (parent, limit) in places {
            let group = Group(parent.join(format!("taffrail-test-{}", std::process::id())));
            let made = fs::create_dir(&group.0).and_then(|()| match group.0.join(limit).exists() {
                true => fs::write(group.0.join(limit), bytes.to_string()),
                false => Err(std::io::Error::other(format!("{limit} is not there"))),
            });
            match made {
                Ok(()) => return Ok(group),
                Err(e) => why = format!("{}: {e}", group.0.display()),
            }
        }
        Err(why)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

/// The most memory that a process has had, in KB.
fn peak_kb(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn in_512_mb_queries_that_want_2_gb_end_with_701_and_the_server_lives() {
    const LIMIT: u64 = 512 << 20;
    let temp = TempDir::new("little-memory");
    let data = temp.path().join("data");
    let group = Group::with_memory(LIMIT);
    let joins = match &group {
        Ok(g) => format!("echo $$ > '{}/cgroup.procs' && exec \"$0\" \"$@\"", g.0.display()),
        Err(why) => {
            println!("without a control group ({why}): with the budget that the server would take");
            "exec \"$0\" \"$@\" --max-server-memory-mb 256".into()
        }
    };
    let (mut child, port) = detached_by(&["sh", "-c", &joins], &data, &[]);
    let mut c = client(port);
    let budget = c.query("SELECT committed_target_kb FROM sys.dm_os_sys_info").unwrap();
    let kb: u64 = budget.first_value().parse().unwrap();
    assert!(kb <= 256 << 10, "half of the group's memory, not {kb} KB");
    c.run("CREATE TABLE t (id int IDENTITY PRIMARY KEY, pad char(4000) NOT NULL)").unwrap();
    c.run("INSERT t SELECT 'x' FROM GENERATE_SERIES(1, 2000)").unwrap();
    // 2,000 rows of 4 KB, 256 times: 2 GB.
    let wants = [
        "SELECT COUNT(DISTINCT a.pad + CAST(a.id * 256 + b.id AS varchar(12))) \
         FROM t a CROSS JOIN (SELECT TOP 256 id FROM t) b GROUP BY a.pad",
        "SELECT LEN(STRING_AGG(CAST(a.pad AS varchar(max)), ',') WITHIN GROUP (ORDER BY b.id)) \
         FROM t a CROSS JOIN (SELECT TOP 256 id FROM t) b",
        "DECLARE @v varchar(max) = REPLICATE(CAST('x' AS varchar(max)), 2000000000); SELECT LEN(@v)",
    ];
    std::thread::scope(|scope| {
        for sql in wants {
            scope.spawn(move || {
                let mut c = client(port);
                for _ in 0..2 {
                    let e = c.query(sql).err().and_then(|e| e.server().map(|m| m.number));
                    assert_eq!(e, Some(701), "{sql}");
                    // The session goes on.
                    assert_eq!(c.query("SELECT COUNT(*) FROM t").unwrap().first_value(), "2000");
                }
            });
        }
    });
    assert!(child.try_wait().unwrap().is_none(), "the server is gone");
    let peak = peak_kb(child.id());
    assert!(peak < LIMIT >> 10, "{peak} KB");
    drop(c);
    signal(&child, Signal::TERM);
    assert!(child.wait().unwrap().success());
}

/// A connection from an address of this machine.
fn from(address: [u8; 4], port: u16) -> TcpStream {
    let socket = rustix::net::socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    rustix::net::bind(&socket, &std::net::SocketAddrV4::new(address.into(), 0)).unwrap();
    let to = std::net::SocketAddrV4::new([127, 0, 0, 1].into(), port);
    rustix::net::connect(&socket, &to).unwrap();
    TcpStream::from(socket)
}

#[test]
fn while_one_address_keeps_1100_silent_sockets_others_get_in_at_once() {
    let temp = TempDir::new("silent-crowd");
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let admin = free.local_addr().unwrap().port();
    drop(free);
    let door = format!("127.0.0.1:{admin}");
    let server = Server::start(temp.path(), &["--admin-listen", &door]);
    let silent: Vec<TcpStream> = (0..1100).map(|_| from([127, 0, 0, 2], server.port)).collect();
    let enter = |port: u16| {
        let began = Instant::now();
        let password = PASSWORD.into();
        let mut c =
            Client::connect(&ConnectOptions { port, password, ..Default::default() }).unwrap();
        assert_eq!(c.query("SELECT 1").unwrap().first_value(), "1");
        let took = began.elapsed();
        assert!(took < Duration::from_secs(1), "port {port}: {took:?}");
        c
    };
    let _ordinary = enter(server.port);
    let mut reserved = enter(admin);
    // The crowd does not go away, nor grow old.
    std::thread::sleep(Duration::from_millis(1500));
    let _another = enter(server.port);
    let here = reserved.query("SELECT COUNT(*) FROM sys.dm_exec_connections").unwrap();
    assert!(here.first_value().parse::<u32>().unwrap() >= 3);
    drop(silent);
    drop(reserved);
    assert!(server.stop().success());
}

/// The error log's files, oldest first, as one text.
fn errorlog(dir: &Path) -> String {
    let name = |n: u32| if n == 0 { "errorlog".into() } else { format!("errorlog.{n}") };
    let files = (0..=6).rev().map(|n| dir.join(name(n))).filter(|f| f.exists());
    files.map(|f| fs::read_to_string(f).unwrap()).collect()
}

#[test]
fn standard_output_and_the_error_log_say_the_same_after_a_rotation_and_on_a_full_volume() {
    let temp = TempDir::new("same-words");
    let data = temp.path().join("data");
    // A volume of 96 MB, where a namespace of mounts may be had.
    let volume = temp.path().join("volume");
    fs::create_dir(&volume).unwrap();
    let mount =
        format!("mount -t tmpfs -o size=96m none '{}' && exec \"$0\" \"$@\"", volume.display());
    let unshare = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", &mount];
    let mut probe = Command::new(unshare[0]);
    let can = probe.args(&unshare[1..]).arg("true").stderr(Stdio::null()).status();
    let by: &[&str] = match can {
        Ok(status) if status.success() => &unshare,
        _ => {
            println!("no volume of its own can be mounted: files are limited instead");
            &["prlimit", "--fsize=67108864:67108864"]
        }
    };
    let mut child = Command::new(by[0])
        .args(&by[1..])
        .arg(binary())
        .args(["serve", "--listen", "127.0.0.1:0", "--console", "off", "--log-to-stdout"])
        .arg("--file-root")
        .arg(&volume)
        .arg("--data")
        .arg(&data)
        .env("TAFFRAIL_SA_PASSWORD", PASSWORD)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut said = String::new();
    let port = loop {
        let begin = said.len();
        assert!(out.read_line(&mut said).unwrap() > 0, "{said}");
        let Some(ready) = said[begin..].strip_prefix("taffrail ready: tds=127.0.0.1:") else {
            continue;
        };
        break ready.split(' ').next().unwrap().parse().unwrap();
    };
    let mut c = client(port);
    c.run("EXEC sp_cycle_errorlog").unwrap();
    c.run(&format!(
        "CREATE DATABASE f ON (NAME = f, FILENAME = '{0}/f.mdf', SIZE = 16MB, FILEGROWTH = 8MB)
             LOG ON (NAME = f_log, FILENAME = '{0}/f.ldf', SIZE = 24MB, FILEGROWTH = 0)
         ALTER DATABASE f SET RECOVERY SIMPLE",
        volume.display()
    ))
    .unwrap();
    c.run("CREATE TABLE f.dbo.t (id int IDENTITY PRIMARY KEY, pad char(4000) NOT NULL)").unwrap();
    let more = "INSERT f.dbo.t (pad) SELECT 'x' FROM GENERATE_SERIES(1, 500)";
    let full = (0..500).find_map(|_| c.run(more).err()).expect("the volume is full some day");
    assert_eq!(full.server().map(|m| m.number), Some(1105), "{full}");
    c.run("EXEC sp_cycle_errorlog; RAISERROR ('said at the end', 10, 1) WITH LOG").unwrap();
    drop(c);
    signal(&child, Signal::TERM);
    out.read_to_string(&mut said).unwrap();
    assert!(child.wait().unwrap().success());
    let in_file = errorlog(&data.join("log"));
    let lines = |text: &str| -> Vec<String> {
        text.lines().filter(|l| !l.starts_with("taffrail ready")).map(str::to_owned).collect()
    };
    assert_eq!(lines(&said), lines(&in_file));
    let number = if by[0] == "unshare" { "112(" } else { "27(" };
    for line in [
        "The error log has been reinitialized",
        "Error: 1105",
        "Could not allocate space for object 'dbo.t'",
        "said at the end",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    let system = format!("f.mdf: Operating system error {number}");
    assert!(said.contains(&system), "{system}: {said}");
}

#[test]
fn the_clock_of_three_time_zones_is_that_of_queries_views_and_logs() {
    for (zone, minutes) in [("UTC0", 0), ("IST-5:30", 330), ("<-03>3", -180)] {
        let temp = TempDir::new("zone");
        let data = temp.path().join("data");
        let (mut child, port) = detached_by(&[], &data, &[("TZ", zone)]);
        let mut c = client(port);
        let mut first = |sql: &str| c.query(sql).unwrap().first_value();
        let offset = "SELECT DATEDIFF(minute, GETUTCDATE(), GETDATE())";
        assert_eq!(first(offset), minutes.to_string(), "{zone}");
        assert_eq!(first("SELECT DATEPART(tzoffset, SYSDATETIMEOFFSET())"), minutes.to_string());
        first(
            "CREATE DATABASE z; BACKUP DATABASE z TO DISK = 'z.bak'; RAISERROR ('by the clock', 10, 1) WITH LOG; SELECT 1",
        );
        // What the views call now, and what msdb and the catalogue wrote down.
        for time in [
            "SELECT MAX(login_time) FROM sys.dm_exec_sessions WHERE session_id = @@SPID",
            "SELECT start_time FROM sys.dm_exec_requests WHERE session_id = @@SPID",
            "SELECT sqlserver_start_time FROM sys.dm_os_sys_info",
            "SELECT create_date FROM sys.databases WHERE name = 'z'",
            "SELECT backup_finish_date FROM msdb.dbo.backupset WHERE database_name = 'z'",
        ] {
            let ago = format!("SELECT ABS(DATEDIFF(second, ({time}), GETDATE()))");
            let seconds: u32 = first(&ago).parse().unwrap();
            assert!(seconds < 120, "{zone}: {time}: {seconds} s away");
        }
        let now = first("SELECT CONVERT(varchar(16), GETDATE(), 120)");
        // What the engine reports is written within a second.
        let until = Instant::now() + Duration::from_secs(20);
        let line = loop {
            let all = errorlog(&data.join("log"));
            if let Some(line) = all.lines().find(|l| l.contains("by the clock")) {
                break line.to_owned();
            }
            assert!(Instant::now() < until, "{all}");
            std::thread::sleep(Duration::from_millis(50));
        };
        let line = line.as_str();
        let minute = |text: &str| text[14..16].parse::<i32>().unwrap();
        assert_eq!(line[..13], now[..13], "{zone}: {line}");
        assert!(minute(line) <= minute(&now) && minute(&now) - minute(line) < 2, "{line} {now}");
        drop(c);
        signal(&child, Signal::TERM);
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn variables_have_every_database_backed_up_and_a_drill_tries_the_backup() {
    let temp = TempDir::new("scheduled");
    let data = temp.path().join("data");
    let variables = [
        ("TAFFRAIL_BACKUP_FULL_MINUTES", "1440"),
        ("TAFFRAIL_BACKUP_LOG_MINUTES", "15"),
        ("TAFFRAIL_BACKUP_DRILL_MINUTES", "60"),
    ];
    let (mut child, port) = detached_by(&[], &data, &variables);
    let mut c = client(port);
    c.run("CREATE DATABASE shop").unwrap();
    c.run("CREATE TABLE shop.dbo.t (a int); INSERT shop.dbo.t VALUES (1)").unwrap();
    let runs = "SELECT COUNT(*) FROM msdb.taffrail.backup_run WHERE database_name = 'shop' \
                AND error_number IS NULL AND finished_utc IS NOT NULL AND type = ";
    let until = Instant::now() + Duration::from_secs(90);
    while c.query(&format!("{runs}'D'")).unwrap().first_value() == "0" {
        assert!(Instant::now() < until, "{}", errorlog(&data.join("log")));
        std::thread::sleep(Duration::from_millis(200));
    }
    c.run("EXEC msdb.taffrail.backup_drill 'shop'").unwrap();
    assert_eq!(c.query(&format!("{runs}'R'")).unwrap().first_value(), "1");
    let files = fs::read_dir(data.join("backup")).unwrap();
    let names: Vec<String> =
        files.map(|f| f.unwrap().file_name().to_string_lossy().into_owned()).collect();
    assert!(names.iter().any(|n| n.starts_with("shop_") && n.ends_with("_full.bak")), "{names:?}");
    drop(c);
    signal(&child, Signal::TERM);
    assert!(child.wait().unwrap().success());
}
