//! The commands of README.md and of `docs/guide`, as they stand: each page is one script of bash, run in an empty directory.
//!
//! | block | is |
//! | --- | --- |
//! | `sh` | run; a command that fails ends the page |
//! | `sh server` | run in the background until the server is ready, or the ready server of a later start |
//! | `sql` | run by `taffrail sql` |
//! | `python`, `js` | run by them, with the packages of `packaging` |
//! | `sh root`, `sh network`, `sh container` | not run here: `make release` does (`packaging/tests/guide.sh`, `deb.sh`) |
//! | `sh sources` | not run: what has brought this test here |
//!
//! A server listens on a free port, and `taffrail sql` and `taffrail health` look for it there: by variables, which the pages need
//! not know.

use crate::clients::{installed, repository};
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use taffrail_tests::{TempDir, binary};

const BEGIN: &str = r#"set -euo pipefail
server=
end() { [ -z "$server" ] || { kill "$server" 2> /dev/null; wait "$server"; } || true; }
trap end EXIT
until_ready() {
    for _ in $(seq 600); do
        grep -q '^taffrail ready' ../server.out && return 0
        kill -0 "$server" || { cat ../server.err; exit 1; }
        sleep 0.1
    done
    exit 1
}
"#;

/// The blocks of a page: what they are, and their text.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut blocks: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        match (line.strip_prefix("```"), inside) {
            (Some(kind), false) => {
                blocks.push((kind.into(), String::new()));
                inside = true;
            }
            (Some(_), true) => inside = false,
            (None, true) => {
                let text = &mut blocks.last_mut().expect("one was begun").1;
                text.push_str(line);
                text.push('\n');
            }
            (None, false) => {}
        }
    }
    assert!(!inside, "a block without an end");
    blocks
}

/// The page's script, and how many blocks it runs.
fn script(page: &str) -> (String, usize) {
    let (mut script, mut count) = (BEGIN.to_string(), 0);
    for (kind, text) in blocks(page) {
        match kind.as_str() {
            "sh" => script.push_str(&text),
            "sh server" => {
                // Its command is the process itself, so that the page's signals reach it.
                let command = text.trim().rsplit_once("taffrail serve").expect("it serves");
                writeln!(
                    script,
                    ": > ../server.out\n{}exec_server{} > ../server.out 2> ../server.err &\nserver=$!\nuntil_ready",
                    command.0, command.1
                )
                .unwrap();
            }
            "sql" => write!(
                script,
                "taffrail sql -U sa -C -b -i /dev/stdin <<'SQL-ENDS'\n{text}SQL-ENDS\n"
            )
            .unwrap(),
            "python" => write!(script, "python3 - <<'PYTHON-ENDS'\n{text}PYTHON-ENDS\n").unwrap(),
            "js" => write!(script, "node - <<'JS-ENDS'\n{text}JS-ENDS\n").unwrap(),
            "sh root" | "sh network" | "sh container" | "sh sources" => continue,
            other => panic!("a block of '{other}'"),
        }
        count += 1;
    }
    (script, count)
}

fn run(name: &str) {
    let page = repository().join(name);
    let (script, count) = script(&fs::read_to_string(&page).unwrap());
    assert!(count >= 3, "{name} runs {count} blocks");
    let folder = TempDir::new("guide");
    let (bin, modules, here) =
        (folder.path().join("bin"), folder.path().join("node_modules"), folder.path().join("here"));
    for dir in [&bin, &modules, &here] {
        fs::create_dir(dir).unwrap();
    }
    let link = |from: PathBuf, to| std::os::unix::fs::symlink(from, to).unwrap();
    link(fs::canonicalize(binary()).unwrap(), bin.join("taffrail"));
    link(repository().join("packaging/npm"), modules.join("taffrail"));
    let calls = |name: &str, what: &str| {
        let path = bin.join(name);
        fs::write(&path, format!("#!/bin/sh\nexec {what} \"$@\"\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    calls("exec_server", "taffrail serve");
    calls("python3", installed("python/bin/python").to_str().unwrap());
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let mut command = Command::new("bash");
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if ["MSSQL_", "TAFFRAIL_", "SQLCMD", "SA_PASS"].iter().any(|p| name.starts_with(p)) {
            command.env_remove(name);
        }
    }
    let path = std::env::var("PATH").unwrap_or_default();
    let out = command
        .arg("-c")
        .arg(&script)
        .current_dir(&here)
        .env("PATH", format!("{}:{path}", bin.display()))
        .env("TAFFRAIL_LISTEN", format!("127.0.0.1:{port}"))
        .env("TAFFRAIL_ADMIN_LISTEN", "off")
        .env("TAFFRAIL_CONSOLE", "off")
        .env("SQLCMDSERVER", format!("127.0.0.1,{port}"))
        .env("PYTHONPATH", repository().join("packaging/python"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PYTEST_PLUGINS", "taffrail.pytest_plugin")
        .env("NODE_PATH", &modules)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "{name}: {}\n{}\n{}\n{script}",
        out.status,
        String::from_utf8_lossy(&out.stdout),
        String::from_utf8_lossy(&out.stderr)
    );
}

#[test]
fn readme() {
    run("README.md");
}

#[test]
fn install() {
    run("docs/guide/install.md");
}

#[test]
fn containers() {
    run("docs/guide/containers.md");
}

#[test]
fn tests() {
    run("docs/guide/tests.md");
}

#[test]
fn backup() {
    run("docs/guide/backup.md");
}

#[test]
fn memory() {
    run("docs/guide/memory.md");
}

#[test]
fn upgrade() {
    run("docs/guide/upgrade.md");
}

#[test]
fn hardening() {
    run("docs/guide/hardening.md");
}

#[test]
fn no_page_of_the_guide_is_left_out() {
    let this = include_str!("guide.rs");
    for page in fs::read_dir(repository().join("docs/guide")).unwrap() {
        let name = page.unwrap().file_name().to_string_lossy().into_owned();
        assert!(name == "README.md" || this.contains(&format!("docs/guide/{name}")), "{name}");
    }
}

/// Whoever can list processes reads command lines. (`docs/sqlcmd.md` says so of `-P`.)
#[test]
fn no_page_puts_a_password_on_a_command_line() {
    let mut folders = vec![repository().join("docs"), repository().join("examples")];
    let mut pages = vec![repository().join("README.md")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            let read = path
                .extension()
                .is_some_and(|e| ["md", "yaml", "yml", "sh"].iter().any(|k| e == *k));
            match kind.is_dir() {
                true if entry.file_name() != "node_modules" => folders.push(path),
                false if read => pages.push(path),
                _ => {}
            }
        }
    }
    assert!(pages.len() > 30, "{} pages", pages.len());
    for page in pages {
        for line in fs::read_to_string(&page).unwrap().lines() {
            let runs =
                ["sqlcmd ", "taffrail sql ", "taffrail health"].iter().any(|c| line.contains(c));
            let told = line.split_whitespace().any(|w| w.starts_with("-P") || w == "--password");
            assert!(!(runs && told), "{}: {line}", page.display());
        }
    }
}

#[test]
fn each_number_of_the_page_of_errors_is_a_message() {
    let page = repository().join("docs/reference/error-numbers.md");
    let mut count = 0;
    for line in fs::read_to_string(page).unwrap().lines().filter(|l| l.starts_with("| ")) {
        let cell = line.split('|').nth(1).unwrap_or_default();
        for number in cell.split(',').filter_map(|n| n.trim().parse().ok()) {
            assert!(taffrail_base::message::find(number).is_some(), "{number} is no message");
            count += 1;
        }
    }
    assert!(count > 40, "{count} numbers");
}
