//! A file system that loses power: what was not synced is kept or lost, sector by sector, under the real binary.
//!
//! It speaks the kernel's FUSE protocol itself and keeps everything in memory. Who mounts it is root, be it of a user namespace of its
//! own ([`in_a_namespace`]).
//!
//! ```text
//!  server ──write──▶ kernel ──/dev/fuse──▶ a thread here ──▶ Medium: current, durable, versions of sectors between them
//!                                                            cut(): Failing ▶ crash ▶ Off;  power_on()
//! ```

#[allow(missing_docs, reason = "only used here")]
mod medium;
#[allow(missing_docs, reason = "only used here")]
mod wire;

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use medium::{Medium, Name, Power};
use rustix::io::Errno;
use wire::{Out, Request, op, u32_at, u64_at};

pub use medium::Stats;

/// A mounted file system.
pub struct PowerCut {
    medium: Arc<Mutex<Medium>>,
    at: PathBuf,
}

/// Runs a test of this program once more, as root of a user and mount namespace of its own, where it may mount. `Err`: that cannot be
/// had here, and why.
pub fn in_a_namespace(test: &str) -> Result<ExitStatus, String> {
    if !Path::new("/dev/fuse").exists() {
        return Err("there is no /dev/fuse".into());
    }
    let flags = if rustix::process::getuid().is_root() { "-m" } else { "-rm" };
    let tried = Command::new("unshare").args([flags, "true"]).output();
    match tried {
        Ok(out) if out.status.success() => {}
        Ok(out) => return Err(String::from_utf8_lossy(&out.stderr).trim().to_owned()),
        Err(e) => return Err(format!("unshare: {e}")),
    }
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut again = Command::new("unshare");
    again.arg(flags).arg(own).args(["--exact", test, "--nocapture"]);
    again.env("TAFFRAIL_IN_NAMESPACE", "1").status().map_err(|e| e.to_string())
}

/// True in a test that [`in_a_namespace`] runs.
pub fn is_in_a_namespace() -> bool {
    std::env::var_os("TAFFRAIL_IN_NAMESPACE").is_some()
}

impl PowerCut {
    /// Mounts an empty one on an empty folder.
    pub fn mount(at: &Path, seed: u64) -> io::Result<PowerCut> {
        let device = OpenOptions::new().read(true).write(true).open("/dev/fuse")?;
        let (uid, gid) = (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
        // The descriptor that mount(8) tells the kernel of is its standard input.
        let options = format!("fd=0,rootmode=40000,user_id={uid},group_id={gid}");
        let mounted = Command::new("mount")
            .args(["-i", "-t", "fuse", "-o", &options, "powercut"])
            .arg(at)
            .stdin(Stdio::from(device.try_clone()?))
            .output()?;
        if !mounted.status.success() {
            return Err(io::Error::other(String::from_utf8_lossy(&mounted.stderr).into_owned()));
        }
        let medium = Arc::new(Mutex::new(Medium::new(seed, uid, gid)));
        let served = medium.clone();
        std::thread::spawn(move || serve(device, &served));
        Ok(PowerCut { medium, at: at.to_owned() })
    }

    fn lock(&self) -> MutexGuard<'_, Medium> {
        self.medium.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The power goes. What comes in during the next moment may reach the medium in part, and is answered with an error; then every
    /// call is, until [`PowerCut::power_on`]. Whoever uses the files is to be killed in between.
    pub fn cut(&self) {
        self.lock().power = Power::Failing;
        std::thread::sleep(Duration::from_micros(300));
        self.lock().power = Power::Off;
    }

    /// What the loss of power leaves is there. Nobody may have a file open.
    pub fn power_on(&self) {
        let mut medium = self.lock();
        medium.crash();
        medium.power = Power::On;
    }

    /// From now on syncs do nothing: what a test that proves something notices.
    pub fn lie(&self) {
        self.lock().lies = true;
    }

    /// What happened so far.
    pub fn stats(&self) -> Stats {
        self.lock().stats
    }
}

impl Drop for PowerCut {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.at).status();
    }
}

/// Answers the kernel until it is unmounted.
fn serve(mut device: File, medium: &Mutex<Medium>) {
    let mut buffer = vec![0; wire::WRITE_MAX as usize + 4096];
    loop {
        let n = match device.read(&mut buffer) {
            Ok(n) => n,
            // A request was taken back before it was read.
            Err(e) if matches!(e.kind(), io::ErrorKind::Interrupted | io::ErrorKind::NotFound) => {
                continue;
            }
            Err(_) => return,
        };
        let request = Request::read(&buffer[..n]);
        if matches!(request.op, op::FORGET | op::BATCH_FORGET | op::INTERRUPT) {
            continue;
        }
        let done = {
            let mut medium = medium.lock().unwrap_or_else(PoisonError::into_inner);
            answer(&mut medium, &request)
        };
        let (error, body) = match done {
            Ok(out) => (0, out.0),
            Err(e) => (-e.raw_os_error(), Vec::new()),
        };
        let head =
            Out::default().u32((16 + body.len()) as u32).u32(error as u32).u64(request.unique);
        // Who asked may be gone by now.
        let _ = device.write(&[head.0, body].concat());
    }
}

type Answer = Result<Out, Errno>;

fn answer(m: &mut Medium, r: &Request<'_>) -> Answer {
    let a = r.arguments;
    match r.op {
        op::INIT => return Ok(Out::default().init(u32_at(a, 8))),
        op::RELEASE | op::RELEASEDIR | op::FLUSH | op::DESTROY => return Ok(Out::default()),
        _ => {}
    }
    if m.power == Power::Off {
        return Err(Errno::IO);
    }
    let done = perform(m, r);
    // Part of it may be there; nobody hears of that.
    if m.power == Power::Failing { Err(Errno::IO) } else { done }
}

fn perform(m: &mut Medium, r: &Request<'_>) -> Answer {
    let (a, out) = (r.arguments, Out::default());
    let there =
        |m: &Medium, node: u64| m.nodes.contains_key(&node).then_some(()).ok_or(Errno::STALE);
    match r.op {
        op::LOOKUP => {
            let node = *m.names.get(&name(r.node, a)).ok_or(Errno::NOENT)?;
            Ok(out.entry(node, &m.nodes[&node]))
        }
        op::GETATTR => attributes(m, r.node),
        op::SETATTR => set_attributes(m, r),
        op::MKDIR | op::CREATE => create(m, r),
        op::UNLINK | op::RMDIR => {
            let name = name(r.node, a);
            let node = *m.names.get(&name).ok_or(Errno::NOENT)?;
            if r.op == op::RMDIR && m.names.keys().any(|(parent, _)| *parent == node) {
                return Err(Errno::NOTEMPTY);
            }
            m.unlink(name);
            Ok(out)
        }
        op::RENAME => rename(m, r, 8, 0),
        op::RENAME2 => rename(m, r, 16, u32_at(a, 8)),
        op::LINK => {
            let (node, name) = (u64_at(a, 0), name(r.node, &a[8..]));
            if m.names.contains_key(&name) {
                return Err(Errno::EXIST);
            }
            there(m, node)?;
            m.link(name, node);
            Ok(out.entry(node, &m.nodes[&node]))
        }
        op::OPEN | op::OPENDIR => there(m, r.node).map(|()| out.opened()),
        op::READ => {
            let node = m.nodes.get(&r.node).ok_or(Errno::STALE)?;
            let len = node.current.len();
            let from = (u64_at(a, 8) as usize).min(len);
            let to = (from + u32_at(a, 16) as usize).min(len);
            Ok(Out(node.current[from..to].to_vec()))
        }
        op::WRITE => {
            const DSYNC: u32 = 0o10_000;
            let (offset, size) = (u64_at(a, 8), u32_at(a, 16));
            let data = a.get(40..40 + size as usize).ok_or(Errno::INVAL)?;
            match m.write(r.node, offset, data, u32_at(a, 32) & DSYNC != 0) {
                true => Ok(out.u32(size).u32(0)),
                false => Err(Errno::STALE),
            }
        }
        op::FALLOCATE => {
            let end = u64_at(a, 8) + u64_at(a, 16);
            if u32_at(a, 24) != 0 {
                return Err(Errno::OPNOTSUPP);
            }
            let len = m.nodes.get(&r.node).ok_or(Errno::STALE)?.current.len() as u64;
            m.set_len(r.node, len.max(end));
            Ok(out)
        }
        op::FSYNC => m.sync(r.node).then_some(out).ok_or(Errno::STALE),
        op::FSYNCDIR => {
            m.sync_names();
            Ok(out)
        }
        op::READDIR => Ok(list(m, r)),
        op::STATFS => Ok(out.space()),
        _ => Err(Errno::NOSYS),
    }
}

/// A name of a directory: it ends with a zero byte.
fn name(directory: u64, bytes: &[u8]) -> Name {
    let text = bytes.split(|b| *b == 0).next().unwrap_or_default();
    (directory, OsStr::from_bytes(text).to_owned())
}

fn attributes(m: &Medium, node: u64) -> Answer {
    let found = m.nodes.get(&node).ok_or(Errno::STALE)?;
    Ok(Out::default().zeros(16).attributes(node, found))
}

fn set_attributes(m: &mut Medium, r: &Request<'_>) -> Answer {
    const MODE: u32 = 1;
    const SIZE: u32 = 8;
    let (a, valid) = (r.arguments, u32_at(r.arguments, 0));
    if valid & SIZE != 0 {
        m.set_len(r.node, u64_at(a, 16));
    }
    let node = m.nodes.get_mut(&r.node).ok_or(Errno::STALE)?;
    if valid & MODE != 0 {
        node.mode = node.mode & 0o170_000 | u32_at(a, 68) & 0o7_777;
    }
    attributes(m, r.node)
}

fn create(m: &mut Medium, r: &Request<'_>) -> Answer {
    let a = r.arguments;
    let (mode, kind, begin) = match r.op {
        op::MKDIR => (u32_at(a, 0) & !u32_at(a, 4), 0o040_000, 8),
        _ => (u32_at(a, 4) & !u32_at(a, 8), 0o100_000, 16),
    };
    let name = name(r.node, a.get(begin..).unwrap_or_default());
    if m.names.contains_key(&name) {
        return Err(Errno::EXIST);
    }
    let node = m.create(name, mode & 0o7_777 | kind, r.uid, r.gid);
    let out = Out::default().entry(node, &m.nodes[&node]);
    Ok(if r.op == op::CREATE { Out([out.0, Out::default().opened().0].concat()) } else { out })
}

fn rename(m: &mut Medium, r: &Request<'_>, begin: usize, flags: u32) -> Answer {
    const NOREPLACE: u32 = 1;
    let texts = r.arguments.get(begin..).unwrap_or_default();
    let from = name(r.node, texts);
    let to = name(u64_at(r.arguments, 0), texts.get(from.1.len() + 1..).unwrap_or_default());
    match flags {
        0 => {}
        NOREPLACE if m.names.contains_key(&to) => return Err(Errno::EXIST),
        NOREPLACE => {}
        _ => return Err(Errno::INVAL),
    }
    if !m.names.contains_key(&from) {
        return Err(Errno::NOENT);
    }
    m.rename(from, to);
    Ok(Out::default())
}

/// Names of a directory from the n-th on.
fn list(m: &Medium, r: &Request<'_>) -> Out {
    let (skip, most) = (u64_at(r.arguments, 8) as usize, u32_at(r.arguments, 16) as usize);
    let mut out = Out::default();
    let all = m.names.iter().filter(|((directory, _), _)| *directory == r.node);
    for (n, ((_, name), number)) in all.enumerate().skip(skip) {
        if out.0.len() + 24 + name.len().next_multiple_of(8) > most {
            break;
        }
        let mode = m.nodes[number].mode;
        out = out.directory_entry(n as u64 + 1, *number, mode, name.as_bytes());
    }
    out
}
