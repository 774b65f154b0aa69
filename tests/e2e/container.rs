//! What set-ups of SQL Server's image rely on: its variables, its paths, the first start, probes.

use crate::life::connect;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use taffrail_lab::client::{Client, ConnectOptions};
use taffrail_tests::{PASSWORD, Server, TempDir, binary};

/// `taffrail serve` without the variables of this machine.
pub(super) fn serve(data: &Path) -> Command {
    let mut command = Command::new(binary());
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("MSSQL_") || name.starts_with("TAFFRAIL_") || name == "SA_PASSWORD" {
            command.env_remove(name);
        }
    }
    command.args(["serve", "--data"]).arg(data);
    command.env("MSSQL_SA_PASSWORD", PASSWORD).stdin(Stdio::null());
    command
}

/// A server that ends with its owner, and what it has said on standard output until it was ready (and, if the log is there,
/// recovered).
pub(super) struct Running {
    child: Child,
    pub(super) port: u16,
    said: Vec<String>,
    /// Kept open: whoever writes to it later shall not fail.
    out: Option<BufReader<std::process::ChildStdout>>,
}

impl Running {
    pub(super) fn start(command: &mut Command) -> Running {
        let logs = command.get_args().any(|a| a == "--log-to-stdout");
        let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut running = Running { child, port: 0, said: Vec::new(), out: None };
        let mut out = BufReader::new(running.child.stdout.take().unwrap());
        let said = &mut running.said;
        loop {
            let mut line = String::new();
            assert!(out.read_line(&mut line).unwrap() > 0, "it has ended: {said:#?}");
            said.push(line.trim_end().to_string());
            if let Some(rest) = line.strip_prefix("taffrail ready: tds=") {
                let address = rest.split(' ').next().unwrap();
                running.port = address.rsplit(':').next().unwrap().parse().unwrap();
            }
            let recovered = said.iter().any(|l| l.contains("Recovery is complete."));
            if running.port > 0 && (recovered || !logs) {
                break;
            }
        }
        running.out = Some(out);
        running
    }

    fn query(&self, sql: &str) -> String {
        let password = PASSWORD.into();
        let options = ConnectOptions { port: self.port, password, ..Default::default() };
        Client::connect(&options).unwrap().query(sql).unwrap().first_value()
    }

    pub(super) fn stop(mut self) {
        assert!(self.out.is_some());
        let pid = rustix::process::Pid::from_raw(self.child.id() as i32).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn health(arguments: &[&str], password: Option<&str>) -> Output {
    let mut command = Command::new(binary());
    command.arg("health").args(arguments);
    for name in ["SQLCMDPASSWORD", "TAFFRAIL_SA_PASSWORD", "MSSQL_SA_PASSWORD", "SA_PASSWORD"] {
        command.env_remove(name);
    }
    if let Some(password) = password {
        command.env("MSSQL_SA_PASSWORD", password);
    }
    command.output().unwrap()
}

#[test]
fn health_tells_whether_a_query_is_answered() {
    let data = TempDir::new("health");
    let folder = data.path().join("data");
    let server = Server::start(&folder, &[]);
    let at = format!("127.0.0.1,{}", server.port);
    let said = |out: &Output| String::from_utf8_lossy(&out.stderr).into_owned();
    let own = ["-S", &at, "--data", folder.to_str().unwrap()];
    let good = health(&own, Some(PASSWORD));
    assert!(good.status.success(), "{}", said(&good));
    let wrong = health(&own, Some("wrong"));
    assert_eq!(wrong.status.code(), Some(1));
    assert!(said(&wrong).contains("Login failed for user 'sa'"), "{}", said(&wrong));
    // The password that a server has made for itself.
    fs::write(folder.join("sa-password"), format!("{PASSWORD}\n")).unwrap();
    let kept = health(&own, None);
    assert!(kept.status.success(), "{}", said(&kept));
    // To whoever shows another certificate it does not go.
    let other = data.path().join("other");
    fs::create_dir(&other).unwrap();
    fs::copy(folder.join("sa-password"), other.join("sa-password")).unwrap();
    let [certificate, _] = crate::lab::self_signed(&other, "DNS:localhost", &[]);
    fs::rename(certificate, other.join("server.crt")).unwrap();
    let refused = health(&["-S", &at, "--data", other.to_str().unwrap()], None);
    assert_eq!(refused.status.code(), Some(1));
    assert!(said(&refused).contains("certificate is not the one"), "{}", said(&refused));
    let none = health(&["-S", &at, "--data", "/nowhere"], None);
    assert_eq!(none.status.code(), Some(1));
    assert!(said(&none).contains("no password"), "{}", said(&none));
    drop(server);
    let gone = health(&["-S", &at, "-t", "2"], Some(PASSWORD));
    assert_eq!(gone.status.code(), Some(1));
    assert!(said(&gone).contains("not healthy"), "{}", said(&gone));
    // Somebody listens and says nothing.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let at = format!("127.0.0.1,{}", silent.local_addr().unwrap().port());
    let slow = health(&["-S", &at, "-t", "1"], Some(PASSWORD));
    assert_eq!(slow.status.code(), Some(1));
    assert!(said(&slow).contains("no answer in time"), "{}", said(&slow));
}

#[test]
fn health_looks_where_the_server_has_its_settings() {
    let temp = TempDir::new("health-settings");
    let file = temp.path().join("password");
    fs::write(&file, format!("{PASSWORD}\n")).unwrap();
    let free = std::net::TcpListener::bind("127.0.0.2:0").unwrap().local_addr().unwrap();
    let set = |command: &mut Command| {
        // Ours goes before the image's.
        command.env("TAFFRAIL_SA_PASSWORD_FILE", &file).env("MSSQL_SA_PASSWORD", "Another-1");
        command.env("TAFFRAIL_LISTEN", free.to_string()).env("TAFFRAIL_ADMIN_LISTEN", "off");
        command.env("TAFFRAIL_CONSOLE", "off").env_remove("SQLCMDPASSWORD");
        command.env_remove("TAFFRAIL_SA_PASSWORD");
    };
    let mut command = serve(&temp.path().join("data"));
    set(&mut command);
    let server = Running::start(&mut command);
    let mut command = Command::new(binary());
    set(command.arg("health").env("TAFFRAIL_DATA", temp.path().join("data")));
    let out = command.output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    // Without the certificate nobody can be told from the server.
    let out = command.env("TAFFRAIL_DATA", "/nowhere").output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(!out.status.success() && said.contains("/nowhere/server.crt"), "{said}");
    command.env("TAFFRAIL_DATA", temp.path().join("data"));
    // Where the settings turn TLS off, a password of theirs is not sent at all.
    let out = command.env("TAFFRAIL_TLS", "off").output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(!out.status.success() && said.contains("SQLCMDPASSWORD"), "{said}");
    command.env_remove("TAFFRAIL_TLS");
    // What is wrong with the settings is said.
    let out = command.env("TAFFRAIL_LISTEN", "nowhere").output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(!out.status.success() && said.contains("listen: 'nowhere'"), "{said}");
    drop(server);
}

#[test]
fn health_without_tls_sends_the_password_that_it_is_given() {
    let temp = TempDir::new("health-plain");
    let server = Server::start(&temp.path().join("data"), &["--console", "off", "--tls", "off"]);
    let asked = |settings: &[(&str, &str)], words: &[&str]| {
        let mut command = Command::new(binary());
        command.arg("health").args(words).env("SQLCMDPASSWORD", PASSWORD);
        command.envs(settings.iter().copied()).output().unwrap()
    };
    let said = |out: &Output| String::from_utf8_lossy(&out.stderr).into_owned();
    let listen = format!("127.0.0.1:{}", server.port);
    let own = asked(&[("TAFFRAIL_LISTEN", &listen), ("TAFFRAIL_TLS", "off")], &[]);
    assert!(own.status.success(), "{}", said(&own));
    // Nobody has said that this one may have it.
    let at = format!("127.0.0.1,{}", server.port);
    let other = asked(&[], &["-S", &at]);
    assert!(
        !other.status.success() && said(&other).contains("encrypts nothing"),
        "{}",
        said(&other)
    );
}

#[test]
fn variables_of_the_image_are_settings() {
    let temp = TempDir::new("image-variables");
    let folder = fs::canonicalize(temp.path()).unwrap();
    let dir = |name: &str| folder.join(name).display().to_string();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let server = Running::start(
        serve(&folder.join("data"))
            .env("MSSQL_TCP_PORT", free.to_string())
            .env("TAFFRAIL_ADMIN_LISTEN", "off")
            .env("ACCEPT_EULA", "Y")
            .env("MSSQL_PID", "Developer")
            .env("MSSQL_MEMORY_LIMIT_MB", "333")
            .env("MSSQL_COLLATION", "Klingon_CI_AS")
            .env("MSSQL_DATA_DIR", dir("d"))
            .env("MSSQL_LOG_DIR", dir("l"))
            .env("MSSQL_BACKUP_DIR", dir("b"))
            .env("MSSQL_ENABLE_HADR", "1")
            .env("TAFFRAIL_NO_SUCH_THING", "1"),
    );
    assert_eq!(server.port, free);
    let value = "SELECT CAST(value_in_use AS int) FROM sys.configurations WHERE name = 'max server memory (MB)'";
    assert_eq!(server.query(value), "333");
    server.query("CREATE DATABASE shop; BACKUP DATABASE shop TO DISK = 'shop.bak'");
    for file in ["d/shop.mdf", "l/shop_log.ldf", "b/shop.bak"] {
        assert!(folder.join(file).is_file(), "{file}");
    }
    for (property, name) in [("Data", "d/"), ("Log", "l/"), ("Backup", "b")] {
        let sql = format!(
            "SELECT CAST(SERVERPROPERTY('InstanceDefault{property}Path') AS nvarchar(400))"
        );
        assert_eq!(server.query(&sql), dir(name));
    }
    server.query("DROP DATABASE shop; RESTORE DATABASE shop FROM DISK = 'shop.bak'");
    server.stop();
    let log = fs::read_to_string(folder.join("data/log/errorlog")).unwrap();
    let once = |text: &str| assert_eq!(log.matches(text).count(), 1, "{text}\n{log}");
    once("MSSQL_COLLATION: 'Klingon_CI_AS' is not a collation of this server.");
    once("Variables that are no settings were ignored: MSSQL_ENABLE_HADR, TAFFRAIL_NO_SUCH_THING.");
    once("waiting for running requests, 5 s at most.");
    let user = serve(&folder.join("data")).env("MSSQL_USER", "me").output().unwrap();
    let said = String::from_utf8_lossy(&user.stderr);
    assert!(!user.status.success() && said.contains("MSSQL_USER: logins other than sa"), "{said}");
}

#[test]
fn paths_of_the_image_are_file_names() {
    let data = TempDir::new("image-paths");
    let folder = data.path().join("data");
    let server = Server::start(&folder, &[]);
    let mut c = connect(&server, "master");
    c.run(
        "CREATE DATABASE shop ON (NAME = shop, FILENAME = '/var/opt/mssql/data/shop.mdf')
             LOG ON (NAME = shop_log, FILENAME = '/var/opt/mssql/data/log/shop_log.ldf')
         BACKUP DATABASE shop TO DISK = '/var/opt/mssql/backup/shop.bak'
         RESTORE VERIFYONLY FROM DISK = '/var/opt/mssql/data/shop.bak'
         RESTORE DATABASE other FROM DISK = 'shop.bak' WITH
             MOVE 'shop' TO '/var/opt/mssql/data/other.mdf',
             MOVE 'shop_log' TO '/var/opt/mssql/data/other_log.ldf'
         EXEC xp_create_subdir '/var/opt/mssql/backup'",
    )
    .unwrap();
    for file in ["shop.mdf", "shop_log.ldf", "other.mdf", "other_log.ldf", "backup/shop.bak"] {
        assert!(folder.join(file).is_file(), "{file}");
    }
    for out in ["/var/opt/mssql2/x.bak", "/var/opt/x.bak", "/var/opt/mssql/"] {
        assert!(c.run(&format!("BACKUP DATABASE shop TO DISK = '{out}'")).is_err(), "{out}");
    }
}

#[test]
fn the_first_start_makes_a_database_and_runs_scripts_once() {
    let temp = TempDir::new("first-start");
    let folder = fs::canonicalize(temp.path()).unwrap();
    let scripts = folder.join("init");
    fs::create_dir(&scripts).unwrap();
    fs::write(
        scripts.join("10-table.sql"),
        "USE [a]]b];\nGO\nCREATE TABLE t (a int);\nINSERT t VALUES (1);\nPRINT 'from the script'\n",
    )
    .unwrap();
    let shell = "echo from the shell $SQLCMDUSER\necho once >> \"$(dirname \"$0\")/../count\"\n";
    fs::write(scripts.join("20-more.sh"), shell).unwrap();
    fs::write(scripts.join("30-wrong.sql"), "SELECT 1\nGO\nSELECT FROM\n").unwrap();
    fs::write(scripts.join("ignored.txt"), "x").unwrap();
    let data = folder.join("data");
    let command = || {
        let mut command = serve(&data);
        command.args(["--listen", "127.0.0.1:0", "--log-to-stdout", "--init-dir"]).arg(&scripts);
        command.env("MSSQL_DB", "a]b");
        command
    };
    let failed = command().output().unwrap();
    assert!(!failed.status.success());
    let error = String::from_utf8_lossy(&failed.stderr);
    assert!(error.contains("30-wrong.sql"), "{error}");
    let said = String::from_utf8_lossy(&failed.stdout);
    assert!(
        said.contains("Incorrect syntax near") && !said.contains("Recovery is complete"),
        "{said}"
    );
    // It begins again: what is wrong is put right, and what was made is not made twice.
    fs::write(scripts.join("10-table.sql"), "PRINT 'from the script'\nUSE [a]]b]\n").unwrap();
    fs::write(scripts.join("30-wrong.sql"), "SELECT 'right now'\n").unwrap();
    let server = Running::start(&mut command());
    let at = |text: &str| {
        let found = server.said.iter().position(|l| l.contains(text));
        found.unwrap_or_else(|| panic!("{text}: {:#?}", server.said))
    };
    let order = [
        "from the script",
        "from the shell sa",
        "right now",
        "The first start is done.",
        "Server is listening on",
        "The default language (LCID 0) has been set for engine and full-text services.",
        "taffrail ready",
    ];
    // The first server listens, too, for itself.
    let places: Vec<usize> = order
        .iter()
        .map(|text| match *text {
            "Server is listening on" => {
                server.said.iter().rposition(|l| l.contains(text)).expect("it listens")
            }
            text => at(text),
        })
        .collect();
    assert!(places.is_sorted(), "{:#?}", server.said);
    let listens = places[order.len() - 3];
    let complete: Vec<usize> = (0..server.said.len())
        .filter(|i| server.said[*i].contains("Recovery is complete."))
        .collect();
    assert!(complete.len() == 1 && complete[0] > listens, "{:#?}", server.said);
    assert_eq!(server.query("SELECT COUNT(*) FROM [a]]b].dbo.t"), "1");
    server.stop();
    let server = Running::start(&mut command());
    assert!(!server.said.iter().any(|l| l.contains("First start")), "{:#?}", server.said);
    server.stop();
    assert_eq!(fs::read_to_string(folder.join("count")).unwrap(), "once\nonce\n");
    let log = fs::read_to_string(data.join("log/errorlog")).unwrap();
    assert!(log.contains("Recovery is complete."), "{log}");
}

/// A server whose first start runs these scripts: name, mode, text.
fn with_scripts(folder: &Path, scripts: &[(&str, u32, &str)]) -> Command {
    use std::os::unix::fs::PermissionsExt;
    let init = folder.join("init");
    let _ = fs::remove_dir_all(&init);
    fs::create_dir(&init).unwrap();
    for (name, mode, text) in scripts {
        fs::write(init.join(name), text).unwrap();
        fs::set_permissions(init.join(name), fs::Permissions::from_mode(*mode)).unwrap();
    }
    let mut command = serve(&folder.join("data"));
    command.args(["--listen", "127.0.0.1:0", "--log-to-stdout", "--init-dir"]).arg(init);
    command
}

#[test]
fn no_backup_is_taken_before_the_scripts_have_run() {
    let temp = TempDir::new("first-backup");
    let count = "SELECT COUNT(*) FROM msdb.dbo.backupset";
    let script = format!(
        "CREATE DATABASE a\nGO\nWAITFOR DELAY '00:00:02'\nIF ({count}) > 0 RAISERROR ('too early', 16, 1)\n"
    );
    let mut command = with_scripts(temp.path(), &[("1.sql", 0o644, &script)]);
    let server = Running::start(command.env("TAFFRAIL_BACKUP_FULL_MINUTES", "60"));
    let until = Instant::now() + Duration::from_secs(60);
    while server.query(count) == "0" {
        assert!(Instant::now() < until, "no backup afterwards");
        std::thread::sleep(Duration::from_millis(50));
    }
    server.stop();
}

#[test]
fn scripts_of_a_directory_that_is_not_there_are_missed_before_anything_is_made() {
    let temp = TempDir::new("no-init-dir");
    let data = temp.path().join("data");
    let failed = serve(&data).args(["--init-dir", "/nowhere"]).output().unwrap();
    let said = String::from_utf8_lossy(&failed.stderr).into_owned();
    assert!(
        !failed.status.success() && said.contains("init_dir: /nowhere: No such file"),
        "{said}"
    );
    assert!(!data.exists());
}

#[test]
fn an_order_to_stop_ends_the_first_start_and_the_server() {
    let temp = TempDir::new("first-start-stop");
    let folder = fs::canonicalize(temp.path()).unwrap();
    // What a script calls ends, too, even if it does not want to.
    let long =
        "(trap '' TERM; echo started; sleep 40; echo over > \"$(dirname \"$0\")/../over\")\n";
    let mut command =
        with_scripts(&folder, &[("10.sh", 0o644, long), ("20.sql", 0o644, "SELECT 1")]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut said = String::new();
    while !said.contains(" started") {
        assert!(out.read_line(&mut said).unwrap() > 0, "{said}");
    }
    let began = std::time::Instant::now();
    let pid = rustix::process::Pid::from_raw(child.id() as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    while out.read_line(&mut said).unwrap() > 0 {}
    let status = child.wait().unwrap();
    assert!(status.success() && began.elapsed().as_secs() < 30, "{:?}\n{said}", began.elapsed());
    assert!(said.contains("The order to stop has ended the first start."), "{said}");
    assert!(!said.contains("20.sql") && !said.contains("taffrail ready"), "{said}");
    assert_eq!(said.matches("Server is listening on").count(), 1, "{said}");
    assert!(!folder.join("over").exists());
    // To the next start nothing is done.
    let server = Running::start(&mut with_scripts(&folder, &[("10.sh", 0o644, "echo again\n")]));
    assert!(server.said.iter().any(|l| l.ends_with("again")), "{:#?}", server.said);
    server.stop();
}

#[test]
fn a_script_says_who_runs_it_and_what_it_leaves_behind_is_not_waited_for() {
    let temp = TempDir::new("first-start-scripts");
    let folder = fs::canonicalize(temp.path()).unwrap();
    let began = std::time::Instant::now();
    let server = Running::start(&mut with_scripts(
        &folder,
        &[
            (
                "10.sh",
                0o644,
                "sleep 50 &\necho $! > \"$(dirname \"$0\")/../pid\"\nprintf 'no end of line'\n",
            ),
            ("20.sh", 0o755, "#!/bin/cat\nby its own first line\n"),
            ("30.sh", 0o755, "echo without one\n"),
        ],
    ));
    let there = |text: &str| server.said.iter().any(|l| l.ends_with(text));
    for text in ["no end of line", "by its own first line", "without one"] {
        assert!(there(text), "{text}: {:#?}", server.said);
    }
    assert!(began.elapsed().as_secs() < 40, "{:?}", began.elapsed());
    let pending = folder.join("data/.init-pending");
    assert!(!pending.exists());
    server.stop();
    // What could not be removed says that all is done; empty, that nothing is.
    for (says, runs) in [("done", false), ("", true)] {
        fs::write(&pending, says).unwrap();
        let server =
            Running::start(&mut with_scripts(&folder, &[("10.sh", 0o644, "echo once more\n")]));
        let ran = server.said.iter().any(|l| l.ends_with("once more"));
        assert_eq!(ran, runs, "'{says}': {:#?}", server.said);
        server.stop();
    }
    let sleeper: i32 = fs::read_to_string(folder.join("pid")).unwrap().trim().parse().unwrap();
    let sleeper = rustix::process::Pid::from_raw(sleeper).unwrap();
    let _ = rustix::process::kill_process(sleeper, rustix::process::Signal::KILL);
}
