//! `taffrail sql` beside go-sqlcmd: the scripts of `tests/sqlcmd`, run by both on one server, and what is kept of them.
//!
//! A file of cases has sections `=== name`, each with `args:` (words as a shell has them; PASSWORD is the password),
//! perhaps `env: NAME=value`,
//! `reads: FILE` (what it writes), `crlf: FILE`, and the files that it needs after `--- NAME`; `--- stdin` is its input.
//! What is expected lies beside it in `.out`, as go-sqlcmd 1.10 has said it: UPDATE_SQLCMD=1 asks it again.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use taffrail_tests::{PASSWORD, Server, TempDir, binary};

struct Case {
    name: String,
    args: Vec<String>,
    env: Vec<(String, String)>,
    reads: Vec<String>,
    files: Vec<(String, String)>,
}

fn cases(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut crlf = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("=== ") {
            let (name, args) = (name.to_string(), Vec::new());
            cases.push(Case { name, args, env: vec![], reads: vec![], files: vec![] });
            crlf.clear();
            continue;
        }
        let case = cases.last_mut().expect("a case begins with === and its name");
        if let Some(name) = line.strip_prefix("--- ") {
            case.files.push((name.into(), String::new()));
        } else if let Some((name, file)) = case.files.last_mut() {
            file.push_str(line);
            file.push_str(if crlf.contains(name) { "\r\n" } else { "\n" });
        } else if let Some(args) = line.strip_prefix("args: ") {
            case.args = words(args);
        } else if let Some(env) = line.strip_prefix("env: ") {
            let (name, value) = env.split_once('=').expect("env: NAME=value");
            case.env.push((name.into(), value.into()));
        } else if let Some(file) = line.strip_prefix("reads: ") {
            case.reads.push(file.into());
        } else if let Some(file) = line.strip_prefix("crlf: ") {
            crlf.push(file.to_string());
        } else {
            panic!("{}: '{line}'", case.name);
        }
    }
    cases
}

/// Words between blanks; double quotes keep blanks in one and are taken away.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted, mut any) = (Vec::new(), String::new(), false, false);
    for c in line.chars() {
        match c {
            '"' => (quoted, any) = (!quoted, true),
            ' ' if !quoted => {
                if any {
                    words.push(std::mem::take(&mut word));
                }
                any = false;
            }
            c => {
                word.push(c);
                any = true;
            }
        }
    }
    if any {
        words.push(word);
    }
    words
}

/// What a program does with a case: exit code, both outputs, the files.
fn run(program: &Path, leading: &[&str], case: &Case, server: &Server) -> String {
    let folder = TempDir::new("sqlcmd-case");
    for (name, text) in case.files.iter().filter(|f| f.0 != "stdin") {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let mut command = Command::new(program);
    command.args(leading).args(["-S", &format!("127.0.0.1,{}", server.port), "-U", "sa", "-C"]);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("SQLCMD") {
            command.env_remove(name);
        }
    }
    let word = |w: &String| if w == "PASSWORD" { PASSWORD.into() } else { w.clone() };
    command
        .args(case.args.iter().map(word))
        .current_dir(folder.path())
        .env("SQLCMDPASSWORD", PASSWORD);
    command.envs(case.env.iter().map(|(n, v)| (n, v)));
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|e| panic!("{}: {e}", program.display()));
    let input = case.files.iter().find(|f| f.0 == "stdin").map_or("", |f| &f.1);
    // One that does not read its input may be gone by now.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let out = child.wait_with_output().unwrap();
    let mut text = format!("exit {}\n", out.status.code().unwrap_or(-1));
    for (name, bytes) in [("stdout", out.stdout), ("stderr", out.stderr)] {
        if !bytes.is_empty() {
            write!(text, "--- {name}\n{}", shown(&bytes)).unwrap();
        }
    }
    for name in &case.reads {
        let bytes = fs::read(folder.path().join(name)).unwrap_or_default();
        write!(text, "--- {name}\n{}", shown(&bytes)).unwrap();
    }
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let text = text.replace(&format!("127.0.0.1,{}", server.port), "SERVER,PORT");
    server_name(&text.replace(&format!("\"{host}\""), "\"HOST\""))
}

/// Bytes as text; a line end that is missing is shown.
fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace('\0', "\\0").replace('\r', "\\r");
    if text.ends_with('\n') || text.is_empty() { text } else { format!("{text}\\\n") }
}

/// The server's name is that of the machine.
fn server_name(text: &str) -> String {
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        match (line.starts_with("Msg "), line.find(", Server ")) {
            (true, Some(at)) => {
                let name = at + ", Server ".len();
                let end = line[name..].find(',').map_or(line.len(), |e| name + e);
                write!(out, "{}SERVER{}", &line[..name], &line[end..]).unwrap();
            }
            _ => out.push_str(line),
        }
    }
    out
}

/// The sections of an `.out` file.
fn kept(text: &str) -> Vec<(String, String)> {
    let mut sections: Vec<(String, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        match (line.strip_prefix("=== "), sections.last_mut()) {
            (Some(name), _) => sections.push((name.trim_end().into(), String::new())),
            (None, Some(section)) => section.1.push_str(line),
            (None, None) => panic!("text before the first section"),
        }
    }
    sections
}

fn go_sqlcmd() -> Option<PathBuf> {
    let folder = std::env::var_os("TAFFRAIL_CLIENTS").map(PathBuf::from).or_else(|| {
        let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let home = std::env::var_os("HOME").map(|h| PathBuf::from(h).join(".cache"));
        Some(cache.or(home)?.join("taffrail/clients"))
    })?;
    Some(folder.join("sqlcmd")).filter(|p| p.exists())
}

#[test]
fn sql_says_what_sqlcmd_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sqlcmd");
    let data = TempDir::new("sqlcmd-beside");
    let server = Server::start(&data.path().join("data"), &[]);
    let oracle = go_sqlcmd();
    let update = std::env::var_os("UPDATE_SQLCMD").is_some();
    let only = std::env::var("CASE").unwrap_or_default();
    let (mut differences, mut count) = (String::new(), 0);
    let mut files: Vec<PathBuf> =
        fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "cases"));
    files.sort();
    for file in files {
        let cases = cases(&fs::read_to_string(&file).unwrap());
        let out = file.with_extension("out");
        let expected = kept(&fs::read_to_string(&out).unwrap_or_default());
        let mut said = String::new();
        for case in cases.iter().filter(|c| c.name.contains(&only)) {
            count += 1;
            let ours = run(&binary(), &["sql"], case, &server);
            let theirs = oracle.as_ref().map(|o| run(o, &[], case, &server));
            if let (true, Some(theirs)) = (update, &theirs) {
                write!(said, "=== {}\n{theirs}", case.name).unwrap();
            }
            let kept = expected.iter().find(|e| e.0 == case.name).map(|e| e.1.as_str());
            for (who, want) in [("go-sqlcmd", theirs.as_deref()), ("kept", kept)] {
                let Some(want) = want.filter(|w| *w != ours) else { continue };
                if !(update && who == "kept") {
                    let file = file.file_stem().unwrap().to_string_lossy();
                    write!(
                        differences,
                        "=== {file}: {}: {who}\n{want}=== ours\n{ours}\n",
                        case.name
                    )
                    .unwrap();
                }
            }
            if !update && kept.is_none() {
                writeln!(differences, "=== {} has nothing kept", case.name).unwrap();
            }
        }
        if update && only.is_empty() && oracle.is_some() {
            fs::write(&out, said).unwrap();
        }
    }
    assert!(differences.is_empty(), "{differences}");
    assert!(!only.is_empty() || count >= 200, "only {count} cases");
}

/// Set-ups call `/opt/mssql-tools*/bin/sqlcmd`: where two names match, the second is no word of the command.
#[test]
fn links_to_the_binary_are_sqlcmd() {
    let folder = TempDir::new("sqlcmd-links");
    let server = Server::start(&folder.path().join("data"), &[]);
    let links = ["one", "two"].map(|dir| {
        fs::create_dir(folder.path().join(dir)).unwrap();
        let link = folder.path().join(dir).join("sqlcmd");
        std::os::unix::fs::symlink(fs::canonicalize(binary()).unwrap(), &link).unwrap();
        link
    });
    let at = format!("127.0.0.1,{}", server.port);
    let mut command = Command::new(&links[0]);
    command.arg(&links[1]).args(["-S", &at, "-U", "sa", "-h", "-1", "-W", "-b"]);
    command.args(["-Q", "SET NOCOUNT ON SELECT 7"]).env("SQLCMDPASSWORD", PASSWORD);
    let out = command.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&out.stdout), "7\n\n");
    assert!(out.status.success());
}
