//! `taffrail lab`: what it makes on a server, what it leaves alone, who reads what it prints.

mod console;
mod each_experiment_runs_whole_at_a_tiny_scale;
mod own;
mod peers;
mod versions;

use rustix::process::{Pid, Signal, kill_process};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use taffrail_lab::client::{Client, ConnectOptions, Encrypt};
use taffrail_lab::experiment::store;
use taffrail_tests::{PASSWORD, Server, TempDir, binary};

fn lab(server: &Server, words: &[&str]) -> Command {
    let mut command = Command::new(binary());
    command
        .arg("lab")
        .args(words)
        .env("SQLCMDSERVER", format!("127.0.0.1,{}", server.port))
        .env("SQLCMDPASSWORD", PASSWORD);
    command
}

fn client(server: &Server) -> Client {
    Client::connect(&ConnectOptions {
        port: server.port,
        password: PASSWORD.into(),
        encrypt: Encrypt::Optional,
        trust_server_certificate: true,
        ..ConnectOptions::default()
    })
    .unwrap()
}

/// Nobody reads what the command prints.
fn unread(mut command: Command) -> Output {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    child.wait_with_output().unwrap()
}

const NAMES: &str = "SELECT name FROM sys.databases WHERE name LIKE 'TryLog%' ORDER BY name";

#[test]
fn try_the_log_touches_only_databases_that_it_has_made() {
    let dir = TempDir::new("lab-try");
    let server = Server::start(&dir.path().join("data"), &["--console", "off"]);
    let mut user = client(&server);
    // One is a left-over of its own, one is a user's.
    user.run("CREATE DATABASE TryLogMany").unwrap();
    user.run("EXEC TryLogMany.sys.sp_addextendedproperty @name = N'made by try-the-log'").unwrap();
    user.run("CREATE DATABASE TryLog").unwrap();
    user.run("CREATE TABLE TryLog.dbo.mine (i int); INSERT TryLog.dbo.mine VALUES (1)").unwrap();
    let refused = lab(&server, &["try"]).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && refused.stdout.is_empty(), "{said}");
    assert!(said.contains("which this script has not made: TryLog."), "{said}");
    assert_eq!(user.query(NAMES).unwrap().text(), "TryLog\nTryLogMany");
    assert_eq!(user.query("SELECT i FROM TryLog.dbo.mine").unwrap().first_value(), "1");
    // Without the user's it begins; who does not want to see it gets nothing left behind.
    user.run("DROP DATABASE TryLog").unwrap();
    let ended = unread(lab(&server, &["try"]));
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(ended.status.success() && said.is_empty(), "{said}");
    assert_eq!(user.query(NAMES).unwrap().text(), "");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let mut command = Command::new(binary());
    command.args(["lab", "list"]);
    let ended = unread(command);
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(ended.status.success() && said.is_empty(), "{said}");
}

/// A self-signed certificate as openssl makes it: that of an authority, too.
pub(crate) fn self_signed(dir: &std::path::Path, name: &str, more: &[&str]) -> [String; 2] {
    let files = ["crt", "key"].map(|e| dir.join(format!("{name}.{e}")).display().to_string());
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=here", "-addext"])
        .args([&format!("subjectAltName={name}"), "-out", &files[0], "-keyout", &files[1]])
        .args(more)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    files
}

#[test]
fn encryption_asks_who_answers() {
    let dir = TempDir::new("lab-trust");
    let [right, key] = self_signed(dir.path(), "DNS:localhost,IP:127.0.0.1", &["-days", "30"]);
    let [other, _] = self_signed(dir.path(), "IP:127.0.0.1", &["-days", "30"]);
    let arguments = ["--console", "off", "--tls-certificate-file", &right, "--tls-key-file", &key];
    let server = Server::start(&dir.path().join("data"), &arguments);
    let load = |more: &[&str], variable: &str| {
        let mut command = lab(
            &server,
            &["load", "tpcc-customer", "--rows", "1", "-q", "--truncate", "-d", "master"],
        );
        command.args(more).env_remove("SSL_CERT_FILE");
        if !variable.is_empty() {
            command.env("SSL_CERT_FILE", variable);
        }
        let out = command.output().unwrap();
        match out.status.success() {
            true => "done".to_string(),
            false => String::from_utf8_lossy(&out.stderr).into_owned(),
        }
    };
    assert_eq!(load(&[], ""), "done");
    assert_eq!(load(&["-N", "yes", "-C"], ""), "done");
    // The certificate itself is among those that are trusted.
    assert_eq!(load(&["-N", "yes", "--ca-file", &right], ""), "done");
    assert_eq!(load(&["-N", "yes"], &right), "done");
    // This machine is no proof, nor is another one's certificate, nor the right one under another name.
    for (more, variable) in [(&["-N", "yes"][..], ""), (&["-N", "yes", "--ca-file", &other], "")] {
        let said = load(more, variable);
        assert!(said.contains("certificate"), "{said}");
    }
    let elsewhere = format!("127.0.0.2,{}", server.port);
    let said = load(&["-S", &elsewhere, "-N", "yes"], &right);
    assert!(said != "done", "127.0.0.2 is nobody, or bears another name");
    let [wrong, key] = self_signed(dir.path(), "DNS:elsewhere", &["-days", "30"]);
    let arguments = ["--console", "off", "--tls-certificate-file", &wrong, "--tls-key-file", &key];
    let server = Server::start(&dir.path().join("other"), &arguments);
    let mut command = lab(&server, &["load", "tpcc-customer", "--rows", "1", "-q", "-N", "yes"]);
    let out = command.args(["--ca-file", &wrong]).output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(!out.status.success() && said.contains("not valid for name"), "{said}");
}

#[test]
fn no_password_goes_out_in_the_clear() {
    let dir = TempDir::new("lab-clear");
    let server = Server::start(&dir.path().join("data"), &["--console", "off", "--tls", "off"]);
    let out = dir.path().join("out");
    let load = ["load", "tpcc-customer", "--rows", "1", "-q", "-d", "tempdb"];
    for mut command in
        [lab(&server, &["try"]), lab(&server, &load), run_on(&server, &out, &["loop"])]
    {
        let refused = command.output().unwrap();
        let told = "the server encrypts nothing, and whoever listens in would read the password";
        assert!(!refused.status.success() && said(&refused).contains(told), "{}", said(&refused));
        assert!(said(&refused).contains("-N disable sends it"), "{}", said(&refused));
        assert!(!said(&refused).contains("no SQL Server"), "{}", said(&refused));
    }
    let open = lab(&server, &[&load[..], &["-N", "disable"]].concat()).output().unwrap();
    assert!(open.status.success(), "{}", said(&open));
}

/// Names of the databases that experiments have made and not dropped.
const LEFT: &str = "SELECT name FROM sys.databases WHERE name LIKE 'TaffrailLab%' ORDER BY name";

fn said(out: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}{}", text(&out.stdout), text(&out.stderr))
}

/// `lab run` on a server that is there.
fn run_on(server: &Server, out: &Path, words: &[&str]) -> Command {
    let mut command = lab(server, &["run", "--scale", "tiny", "--out"]);
    let at = format!("127.0.0.1,{}", server.port);
    command.arg(out).args(words).args(["-S", &at]);
    command
}

#[test]
fn what_is_wrong_is_one_clear_line() {
    let dir = TempDir::new("lab-wrong");
    let out = dir.path().join("out");
    let server = Server::start(&dir.path().join("data"), &["--console", "off"]);
    let refused = |command: &mut Command| {
        let done = command.output().unwrap();
        let text = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!((done.status.code(), text.lines().count()), (Some(1), 1), "{text}");
        assert!(!out.exists(), "nothing is begun: {text}");
        text
    };
    let text = refused(run_on(&server, &out, &["loop"]).env("SQLCMDPASSWORD", "wrong"));
    assert!(text.contains("refuses the login: Login failed for user 'sa'."), "{text}");
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    // One that speaks, but not TDS.
    let speaker = std::thread::spawn(move || {
        let (mut client, _) = free.accept().unwrap();
        let _ = client.read(&mut [0; 512]);
        client.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
    });
    let mut elsewhere = lab(&server, &["run", "loop", "--out"]);
    let at = format!("127.0.0.1,{port}");
    let text = refused(elsewhere.arg(&out).args(["-S", &at]));
    assert!(text.contains("SQL Server"), "{text}");
    speaker.join().unwrap();
    let mut elsewhere = lab(&server, &["run", "loop", "--out"]);
    let text = refused(elsewhere.arg(&out).args(["-S", &at]));
    assert!(text.contains("nobody listens there"), "{text}");
    // A user's database of such a name stays as it is, and nothing else is made.
    let mut user = client(&server);
    user.run("CREATE DATABASE TaffrailLab_loop_hundred").unwrap();
    user.run("CREATE TABLE TaffrailLab_loop_hundred.dbo.mine (i int)").unwrap();
    let text = refused(&mut run_on(&server, &out, &["loop"]));
    assert!(
        text.contains("a database TaffrailLab_loop_hundred that the lab has not made"),
        "{text}"
    );
    assert_eq!(user.query(LEFT).unwrap().text(), "TaffrailLab_loop_hundred");
    let mine = user.query("SELECT COUNT(*) FROM TaffrailLab_loop_hundred.sys.tables").unwrap();
    assert_eq!(mine.first_value(), "1");
    for (words, why) in [
        (&["nothing"][..], "there is no experiment 'nothing'"),
        (&["lazy", "--only", "x"], "lazy has no variant 'x'; it has: durable, at-commit, forced"),
        (&["./nowhere"], "./nowhere: No such file or directory"),
    ] {
        let text = refused(&mut run_on(&server, &out, words));
        assert!(text.contains(why), "{text}");
    }
}

#[test]
fn a_database_that_the_server_does_not_make_leaves_its_variant_out() {
    let dir = TempDir::new("lab-refused");
    let out = dir.path().join("out");
    let server = Server::start(&dir.path().join("data"), &["--console", "off"]);
    let mine = dir.path().join("mine");
    let made = Command::new(binary()).args(["lab", "new", "--from", "hot-row"]).arg(&mine).output();
    assert!(made.as_ref().unwrap().status.success(), "{}", said(&made.unwrap()));
    let (file, script) = (mine.join("experiment.toml"), mine.join("create.sql"));
    let text = std::fs::read_to_string(&file).unwrap();
    let refused = "needs = [\"create\"]\nvalues = { more = \"SELECT 1 / 0\", row = 1 }";
    let changed = text.replacen("values = { row = 1 }", refused, 1);
    let changed = changed.replacen("values = { row = \"", "values = { more = \"\", row = \"", 1);
    assert_eq!(changed.matches("more = ").count(), 2, "{changed}");
    std::fs::write(&file, changed).unwrap();
    let create = std::fs::read_to_string(&script).unwrap();
    std::fs::write(&script, format!("{create}\nGO\n$(more)\n")).unwrap();
    let at = mine.display().to_string();
    let shown = Command::new(binary()).args(["lab", "show", &at]).output().unwrap();
    assert!(said(&shown).contains("(where the server has it)"), "{}", said(&shown));
    let run = run_on(&server, &out, &[&at, "--repeat", "1"]).output().unwrap();
    assert!(run.status.success(), "{}", said(&run));
    let why = "the server refuses it: create.sql: ";
    assert!(said(&run).contains(why) && said(&run).contains("Divide by zero"), "{}", said(&run));
    let record = store::record(&out.join("mine-tiny")).unwrap();
    let left: Vec<_> =
        record.variants.iter().filter_map(|v| Some((v, v.left_out.clone()?))).collect();
    assert_eq!(left.len(), 1, "{left:?}");
    assert!(left[0].1.starts_with(why), "{left:?}");
    assert_eq!(record.plan.variants.len() + 1, record.variants.len());
    assert!(!record.plan.variants.contains(&left[0].0.name));
    // Nothing is left of the database that was half made; alone there is nothing to run.
    assert_eq!(client(&server).query(LEFT).unwrap().text(), "");
    let words = [&at, "--repeat", "1", "--only", &left[0].0.name];
    let alone = run_on(&server, &out, &words).output().unwrap();
    assert!(!alone.status.success(), "{}", said(&alone));
    assert!(
        said(&alone).contains("mine: no variant is left to run on the server"),
        "{}",
        said(&alone)
    );
    assert_eq!(client(&server).query(LEFT).unwrap().text(), "");
}

/// Waits until a file has so many lines.
fn until_lines(file: &Path, lines: usize) {
    let began = Instant::now();
    while std::fs::read_to_string(file).map_or(0, |t| t.lines().count()) < lines {
        assert!(began.elapsed() < Duration::from_secs(60), "{} does not come", file.display());
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn an_interrupted_run_leaves_nothing_and_is_taken_up() {
    let dir = TempDir::new("lab-interrupt");
    let server = Server::start(&dir.path().join("data"), &["--console", "off"]);
    let mut user = client(&server);
    // A left-over of a run that was killed bears the lab's mark, and goes.
    user.run("CREATE DATABASE TaffrailLab_loop_ten").unwrap();
    user.run(
        "EXEC TaffrailLab_loop_ten.sys.sp_addextendedproperty @name = N'made by taffrail lab'",
    )
    .unwrap();
    let out = dir.path().join("out");
    let words = ["loop", "--only", "autocommit", "--only", "ten", "--repeat", "3"];
    let mut run = run_on(&server, &out, &words);
    let child = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let trials = out.join("loop-tiny/trials.jsonl");
    until_lines(&trials, 2);
    // The other one would drop the databases of this one.
    let second = run_on(&server, &dir.path().join("second"), &["loop"]).output().unwrap();
    let refused = "another run of the lab goes on there, and its databases have the same names";
    assert_eq!(second.status.code(), Some(1), "{}", said(&second));
    assert!(said(&second).contains(refused), "{}", said(&second));
    let pid = Pid::from_raw(child.id() as i32).unwrap();
    kill_process(pid, Signal::INT).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130), "{}", said(&ended));
    assert!(said(&ended).contains("interrupted; what was made is gone"), "{}", said(&ended));
    assert_eq!(user.query(LEFT).unwrap().text(), "");
    let done = std::fs::read_to_string(&trials).unwrap();
    let again = run_on(&server, &out, &words).output().unwrap();
    assert!(again.status.success(), "{}", said(&again));
    let had = done.lines().count();
    assert!(said(&again).contains(&format!("goes on after {had} of 6 trials")), "{}", said(&again));
    let whole = std::fs::read_to_string(&trials).unwrap();
    assert!(whole.starts_with(&done) && whole.lines().count() == 6);
    let record = store::record(&out.join("loop-tiny")).unwrap();
    let flushes = record.figure("autocommit", "insert", "log_flushes").unwrap();
    assert_eq!(flushes.values.len(), 3);
    // What the lab did not start it does not kill, and says so nowhere as a failure.
    assert!(!record.plan.server.own && record.device.is_none());
    assert_eq!(user.query(LEFT).unwrap().text(), "");
}

#[test]
fn an_interrupt_ends_the_labs_own_server() {
    let dir = TempDir::new("lab-own");
    let out = dir.path().join("out");
    let child = Command::new(binary())
        .args(["lab", "run", "checkpoints", "--scale", "tiny", "--repeat", "9", "--yes", "--out"])
        .arg(&out)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until_lines(&out.join("checkpoints-tiny/trials.jsonl"), 1);
    assert!(out.join(".server/data").exists());
    // Another run at the same place leaves it alone.
    let mut second = Command::new(binary());
    let second = second.args(["lab", "run", "loop", "--out"]).arg(&out).output().unwrap();
    assert!(said(&second).contains("is in use by another run"), "{}", said(&second));
    kill_process(Pid::from_raw(child.id() as i32).unwrap(), Signal::TERM).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130), "{}", said(&ended));
    assert!(!out.join(".server").exists());
}

#[test]
fn an_experiment_of_ones_own_is_a_directory() {
    let dir = TempDir::new("lab-new");
    let at = |words: &[&str]| {
        Command::new(binary()).arg("lab").args(words).current_dir(dir.path()).output().unwrap()
    };
    let made = at(&["new", "mine", "--from", "lazy"]);
    assert!(
        made.status.success() && said(&made).contains("taffrail lab run ./mine"),
        "{}",
        said(&made)
    );
    assert!(!at(&["new", "mine"]).status.success(), "a directory that is there stays as it is");
    let dotted = at(&["new", "./dotted/"]);
    assert!(said(&dotted).contains("taffrail lab run ./dotted"), "{}", said(&dotted));
    assert!(!said(&dotted).contains("././"), "{}", said(&dotted));
    let shown = at(&["show", "./mine"]);
    assert!(said(&shown).starts_with("mine: Commits that do not wait"), "{}", said(&shown));
    let file = dir.path().join("mine/experiment.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let wrong = text.replacen("figure = \"log_writes\"", "figure = \"log_write\"", 1);
    let line = wrong.lines().position(|l| l.contains("\"log_write\"")).unwrap() + 1;
    std::fs::write(&file, wrong).unwrap();
    let shown = at(&["show", "./mine"]);
    let error = format!("taffrail: ./mine/experiment.toml:{line}: there is no figure 'log_write'");
    assert!(!shown.status.success() && said(&shown).starts_with(&error), "{}", said(&shown));
}
