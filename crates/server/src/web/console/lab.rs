//! The page Lab: `taffrail lab`, run by this very binary as a process of its own, one run at a time.
//!
//! ```text
//!  POST run ─▶ taffrail lab run … --json ──a line of JSON for each thing that happens──▶ a thread that keeps the last ones ─▶ GET
//! ```
//!
//! Results lie in `DIR/lab`. It is for members of sysadmin alone: experiments take the server's disk and processors.

use super::session::{Session, Trouble};
use super::{Who, asked, json_of, logins, refused};
use crate::acceptor::STACK_BYTES;
use crate::web::Web;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path as FilePath, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Lines of a run that are kept.
const LINES: usize = 300;
/// How long a run may take to clean up when the server ends.
const CLEANS_UP: Duration = Duration::from_secs(3);
/// The file of a run's page.
const REPORT: &str = "report.html";

/// A run that goes on, or the last one.
struct Run {
    experiment: String,
    scale: String,
    /// Whether it measures this server, and not one of the lab's own.
    here: bool,
    began: Instant,
    process: Option<rustix::process::Pid>,
    progress: Json,
    lines: VecDeque<String>,
    /// The name of its directory, when its page is there.
    report: Option<String>,
    /// How it has ended.
    ended: Option<String>,
}

/// The runs of this server's page.
pub(super) struct Lab {
    /// Where results go.
    out: PathBuf,
    /// What `taffrail lab list --json` says.
    experiments: OnceLock<Json>,
    run: Arc<Mutex<Option<Run>>>,
}

impl Lab {
    /// With results below a data directory.
    pub(super) fn new(data: &FilePath) -> Lab {
        Lab { out: data.join("lab"), experiments: OnceLock::new(), run: Arc::default() }
    }

    /// The experiments that the binary has.
    fn experiments(&self) -> Result<Json, String> {
        if let Some(known) = self.experiments.get() {
            return Ok(known.clone());
        }
        let mut child = taffrail()?
            .args(["lab", "list", "--json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| format!("taffrail lab list: {e}"))?;
        let mut text = Vec::new();
        let heard = child.stdout.take().map(|mut out| out.read_to_end(&mut text));
        // An error: as process 1 the server has buried it already.
        let _ = child.wait();
        let list = heard.unwrap_or(Ok(0)).map_err(|e| e.to_string());
        let list = list.and_then(|_| serde_json::from_slice(&text).map_err(|e| e.to_string()));
        let list: Json = list.map_err(|e| format!("taffrail lab list: {e}"))?;
        Ok(self.experiments.get_or_init(|| list).clone())
    }

    /// Experiments, the run, the pages of runs, the newest first.
    fn told(&self) -> Result<Json, String> {
        let experiments = self.experiments()?;
        let run = self.run.lock();
        let run = run.as_ref().map(|r| {
            json!({
                "experiment": r.experiment,
                "scale": r.scale,
                "here": r.here,
                "seconds": r.began.elapsed().as_secs(),
                "progress": r.progress,
                "lines": r.lines,
                "report": r.report,
                "ended": r.ended,
            })
        });
        Ok(json!({ "experiments": experiments, "run": run, "reports": reports(&self.out)? }))
    }

    fn start(&self, wish: Wish, login: &str, port: Option<u16>) -> Result<(), String> {
        let mut run = self.run.lock();
        if run.as_ref().is_some_and(|r| r.ended.is_none()) {
            return Err("A run goes on: one at a time.".into());
        }
        let mut command = taffrail()?;
        command.args(["lab", "run", "--json", "--yes", "--scale", &wish.scale, "--out"]);
        command.arg(&self.out).stdout(Stdio::piped()).stderr(Stdio::piped());
        if wish.peers {
            command.arg("--peers");
        }
        if let (Some(port), Some(password)) = (port, &wish.password) {
            command.args(["-S", &format!("127.0.0.1,{port}"), "-U", login]);
            command.env("SQLCMDPASSWORD", password);
        }
        // Last, behind a mark: a name is no option.
        command.args(["--", &wish.experiment]);
        let child = command.spawn().map_err(|e| format!("taffrail lab: {e}"))?;
        let process = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
        let own = self.run.clone();
        let followed = std::thread::Builder::new()
            .name("console lab".into())
            .stack_size(STACK_BYTES)
            .spawn(move || follow(&own, child));
        if let Err(e) = followed {
            // Nobody would hear it: its output ends, and so does it with the next line that it writes.
            return Err(format!("There is no thread for the run: {e}."));
        }
        *run = Some(Run {
            experiment: wish.experiment,
            scale: wish.scale,
            here: port.is_some(),
            began: Instant::now(),
            process,
            progress: Json::Null,
            lines: VecDeque::new(),
            report: None,
            ended: None,
        });
        Ok(())
    }

    /// Asks the run to end; it cleans up first.
    fn interrupt(&self) -> bool {
        let run = self.run.lock();
        let process = run.as_ref().filter(|r| r.ended.is_none()).and_then(|r| r.process);
        let interrupt = |pid| rustix::process::kill_process(pid, rustix::process::Signal::INT);
        process.is_some_and(|pid| interrupt(pid).is_ok())
    }

    /// Ends the run with the server; it has [`CLEANS_UP`] to take its databases and files away.
    pub(super) fn stop(&self) {
        let due = Instant::now() + CLEANS_UP;
        let goes = || self.run.lock().as_ref().is_some_and(|r| r.ended.is_none());
        if self.interrupt() {
            while goes() && Instant::now() < due {
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }
}

/// This binary, for a command of the lab's.
fn taffrail() -> Result<Command, String> {
    crate::binary::command().map_err(|e| format!("the binary is not found: {e}"))
}

/// Hears what a run says until it ends.
fn follow(own: &Mutex<Option<Run>>, mut child: Child) {
    let complaints = child.stderr.take();
    let heard = child.stdout.take().map(BufReader::new);
    for line in heard.into_iter().flat_map(BufRead::lines).map_while(Result::ok) {
        let said: Json = serde_json::from_str(&line).unwrap_or(json!({ "line": line }));
        if let Some(run) = own.lock().as_mut() {
            hear(run, &said);
        }
    }
    // What it complains of is short: it fits in the pipe.
    let complaints: Vec<String> = complaints
        .map(|c| BufReader::new(c).lines().map_while(Result::ok).collect())
        .unwrap_or_default();
    let ended = match (child.wait(), complaints.last()) {
        (Ok(status), _) if status.success() => "done".to_owned(),
        (_, Some(complaint)) => complaint.clone(),
        (Ok(status), None) => status.to_string(),
        // As process 1 the server buries what has ended, and has been first.
        (Err(_), None) => "done".to_owned(),
    };
    if let Some(run) = own.lock().as_mut() {
        run.ended = Some(ended);
    }
}

/// One line of JSON that a run has said.
fn hear(run: &mut Run, said: &Json) {
    if let Some(progress) = said.get("progress") {
        run.progress = progress.clone();
    } else if let Some(line) = said["line"].as_str() {
        for line in line.lines() {
            if run.lines.len() == LINES {
                run.lines.pop_front();
            }
            run.lines.push_back(line.to_owned());
        }
    } else if let Some(report) = said["report"].as_str() {
        let directory = FilePath::new(report).parent().and_then(FilePath::file_name);
        run.report = directory.map(|name| name.to_string_lossy().into_owned());
    }
}

/// Directories of runs that have a page: name and when it was written, as Unix time; the newest first.
fn reports(out: &FilePath) -> Result<Vec<Json>, String> {
    let entries = match std::fs::read_dir(out) {
        Ok(entries) => entries,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(format!("{}: {e}", out.display())),
    };
    let mut all = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|e| format!("{}: {e}", out.display()))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        // A run that goes on, or was broken off, has none.
        let written = entry.path().join(REPORT).metadata().and_then(|m| m.modified());
        if let Ok(at) = written
            && is_name(&name)
        {
            let at = at.duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_secs();
            all.push((at, name));
        }
    }
    all.sort_by(|a, b| b.cmp(a));
    Ok(all.into_iter().map(|(at, name)| json!([name, at])).collect())
}

/// A directory's name, and not a way to elsewhere.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

#[derive(Deserialize)]
struct Wish {
    experiment: String,
    scale: String,
    /// The password of the login that asks, for a run on this server.
    password: Option<String>,
    /// Whether other products do the work as well.
    #[serde(default)]
    peers: bool,
}

/// The port on which the server listens, for a login that may do everything on it; else the refusal.
async fn allowed(web: &Web, who: &Who) -> Result<Option<u16>, Response> {
    const MEMBER: &str = "SELECT IS_SRVROLEMEMBER('sysadmin')";
    const PORT: &str = "SELECT TOP (1) port FROM sys.dm_tcp_listener_states WHERE type_desc = 'TSQL' ORDER BY listener_id";
    let account = who.account.clone();
    let ask = move |session: &mut Session| {
        if session.rows(MEMBER)?.first().is_none_or(|row| row[0] != 1) {
            let text = "The lab is for members of sysadmin: experiments take the server's disk and processors.".into();
            return Err(Trouble { text, is_refusal: true });
        }
        session.rows(PORT)
    };
    let rows = asked(web, move |reader| reader.with(&account, ask)).await?;
    let port = rows.first().and_then(|row| row[0].as_u64());
    Ok(port.and_then(|port| u16::try_from(port).ok()))
}

/// Runs on a helping thread.
async fn helped<R: Send + 'static>(
    web: &Web,
    ask: impl FnOnce(&Lab) -> Result<R, String> + Send + 'static,
) -> Result<R, Response> {
    let console = web.console.clone();
    match tokio::task::spawn_blocking(move || ask(&console.lab)).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(e)) => Err(refused(StatusCode::CONFLICT, &e)),
        Err(_) => Err(refused(StatusCode::INTERNAL_SERVER_ERROR, "The server has made a mistake.")),
    }
}

/// Experiments, the run, the pages of runs.
pub(super) async fn told(
    State(web): State<Web>,
    axum::Extension(who): axum::Extension<Who>,
) -> Response {
    if let Err(answer) = allowed(&web, &who).await {
        return answer;
    }
    helped(&web, Lab::told).await.map_or_else(|e| e, |told| json_of(&told))
}

/// Begins a run.
pub(super) async fn run(
    State(web): State<Web>,
    axum::Extension(who): axum::Extension<Who>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let Some(wish) = logins::from_json::<Wish>(&headers, &body) else {
        let what = "{\"experiment\": text, \"scale\": text, \"password\": text or null, \"peers\": bool} is expected.";
        return refused(StatusCode::BAD_REQUEST, what);
    };
    let port = match allowed(&web, &who).await {
        Ok(port) => port.filter(|_| wish.password.is_some()),
        Err(answer) => return answer,
    };
    if wish.peers && port.is_some() {
        let why = "Other products run beside a server of the lab's own only.";
        return refused(StatusCode::BAD_REQUEST, why);
    }
    if !is_name(&wish.experiment) || !is_name(&wish.scale) {
        return refused(StatusCode::BAD_REQUEST, "There is no such experiment.");
    }
    let started = helped(&web, move |lab| lab.start(wish, &who.account.name, port)).await;
    started.map_or_else(|e| e, |()| json_of(&json!({})))
}

/// Asks the run to end.
pub(super) async fn stop(
    State(web): State<Web>,
    axum::Extension(who): axum::Extension<Who>,
) -> Response {
    if let Err(answer) = allowed(&web, &who).await {
        return answer;
    }
    match helped(&web, |lab| Ok(lab.interrupt())).await {
        Ok(true) => json_of(&json!({})),
        Ok(false) => refused(StatusCode::CONFLICT, "No run goes on."),
        Err(answer) => answer,
    }
}

/// The page of a run. It brings its own styles and no script.
pub(super) async fn report(
    State(web): State<Web>,
    axum::Extension(who): axum::Extension<Who>,
    Path(name): Path<String>,
) -> Response {
    if let Err(answer) = allowed(&web, &who).await {
        return answer;
    }
    if !is_name(&name) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let page = helped(&web, move |lab| {
        let path = lab.out.join(&name).join(REPORT);
        std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))
    });
    let policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; \
        frame-ancestors 'none'; sandbox";
    let kind = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, policy),
    ];
    page.await.map_or_else(|e| e, |page| (kind, page).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> Run {
        Run {
            experiment: "loop".into(),
            scale: "tiny".into(),
            here: false,
            began: Instant::now(),
            process: None,
            progress: Json::Null,
            lines: VecDeque::new(),
            report: None,
            ended: None,
        }
    }

    #[test]
    fn what_a_run_says_is_kept_as_far_as_it_is_new() {
        let mut run = run();
        hear(&mut run, &json!({ "progress": { "done": 0.5 } }));
        assert_eq!(run.progress["done"], 0.5);
        (0..LINES + 5).for_each(|n| hear(&mut run, &json!({ "line": format!("a {n}\nb {n}") })));
        assert_eq!((run.lines.len(), &*run.lines[LINES - 1]), (LINES, "b 304"));
        hear(&mut run, &json!({ "report": "/x/lab/loop-tiny-2/report.html" }));
        assert_eq!(run.report.as_deref(), Some("loop-tiny-2"));
    }

    #[test]
    fn a_name_leads_nowhere_else() {
        assert!(is_name("loop-tiny-2") && is_name("my_own"));
        for name in ["", "..", "a/b", "a.b", "a b", "ä"] {
            assert!(!is_name(name), "{name}");
        }
    }
}
