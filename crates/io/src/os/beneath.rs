//! Files beneath trusted directories: no symbolic link below one of them is followed.
//!
//! What statements name lies beneath the data directory or one of the roots that the settings allow. A path that is compared with
//! them as text may still lead elsewhere, by a link that somebody has put below, before the look or after it. So every path is
//! walked from an open descriptor of its root, by the kernel ([`Way::Kernel`]: `openat2`, `RESOLVE_BENEATH` and
//! `RESOLVE_NO_SYMLINKS`), or directory by directory where it has no such call or forbids it ([`Way::Walk`]: `O_NOFOLLOW`).
//! A link anywhere in it is the error `ELOOP`; so is a file that is none (a pipe would wait for its other end).
//!
//! The roots themselves are the administrator's, and may lie behind links. A path beneath none of them is opened as it stands:
//! whoever takes paths from users has refused it before.

use super::{OsDisk, is_missing, lock, open_volume, plain_options, same_file, space};
use crate::{Disk, Entry, IoError, IoResult, OpenSpec, Space, Volume};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, ResolveFlags, openat, openat2, statat};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

/// `openat2` gives up when a directory is renamed meanwhile; it is asked again so often.
const TRIES: u32 = 64;
/// A directory that is only passed through.
const THROUGH: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// How a path is walked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Kernel,
    Walk,
}

/// The operating system's namespace of files, with roots below which no link is followed.
#[derive(Debug)]
pub struct RootedDisk {
    /// Without links, `.` and `..`.
    roots: Vec<PathBuf>,
    /// The kernel has no `openat2`, or forbids it.
    walks: AtomicBool,
}

/// A path beneath a root.
struct Beneath<'a> {
    disk: &'a RootedDisk,
    root: &'a Path,
    /// The rest, of plain names alone.
    rest: &'a Path,
}

impl RootedDisk {
    /// With these roots, each as [`Disk::real_path`] gives it.
    pub fn new(roots: Vec<PathBuf>) -> RootedDisk {
        RootedDisk { roots, walks: AtomicBool::new(false) }
    }

    /// None: it lies beneath none of them.
    fn beneath<'a>(&'a self, path: &'a Path) -> io::Result<Option<Beneath<'a>>> {
        let roots = self.roots.iter().filter(|r| path.starts_with(r));
        let Some(root) = roots.max_by_key(|r| r.as_os_str().len()) else { return Ok(None) };
        let Ok(rest) = path.strip_prefix(root) else { return Ok(None) };
        if rest.components().any(|c| !matches!(c, Component::Normal(_))) {
            return Err(Errno::LOOP.into());
        }
        Ok(Some(Beneath { disk: self, root, rest }))
    }

    fn way(&self) -> Way {
        if self.walks.load(Ordering::Relaxed) { Way::Walk } else { Way::Kernel }
    }

    fn volume(
        &self,
        op: &'static str,
        path: &Path,
        spec: OpenSpec,
        create: OFlags,
    ) -> IoResult<Arc<dyn Volume>> {
        let fail = |e: io::Error| IoError::new(op, path, e);
        let Some(at) = self.beneath(path).map_err(fail)? else {
            return open_volume(op, path, spec, !create.is_empty(), &|flags, new| {
                plain_options(spec, flags, new).open(path)
            });
        };
        open_volume(op, path, spec, !create.is_empty(), &|flags, new| {
            let access = if spec.read_only { OFlags::RDONLY } else { OFlags::RDWR };
            let made = if new { create } else { OFlags::empty() };
            let flags = access | flags | made | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
            let file = File::from(at.open(flags, Mode::from(0o640))?);
            if file.metadata()?.is_file() { Ok(file) } else { Err(Errno::LOOP.into()) }
        })
    }
}

impl Beneath<'_> {
    fn open(&self, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        let root = rustix::fs::open(self.root, THROUGH, Mode::empty())?;
        open_at(self.disk, root, self.rest, flags, mode)
    }

    /// Its directory, and its name in it. None: the root itself.
    fn parent(&self) -> io::Result<Option<(OwnedFd, &Path)>> {
        let Some(name) = self.rest.file_name() else { return Ok(None) };
        let root = rustix::fs::open(self.root, THROUGH, Mode::empty())?;
        let above = self.rest.parent().unwrap_or(Path::new(""));
        let dir = open_at(self.disk, root, above, THROUGH, Mode::empty())?;
        Ok(Some((dir, Path::new(name))))
    }
}

/// Opens what lies at `rest` beneath `root`.
fn open_at(
    disk: &RootedDisk,
    root: OwnedFd,
    rest: &Path,
    flags: OFlags,
    mode: Mode,
) -> io::Result<OwnedFd> {
    let rest = if rest.as_os_str().is_empty() { Path::new(".") } else { rest };
    // The mode may be given only where a file is made.
    let mode = if flags.contains(OFlags::CREATE) { mode } else { Mode::empty() };
    if disk.way() == Way::Kernel {
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        for _ in 0..TRIES {
            match openat2(&root, rest, flags, mode, resolve) {
                Ok(fd) => return Ok(fd),
                Err(Errno::INTR | Errno::AGAIN) => {}
                // A filter of system calls may answer with EPERM; so does the walk then, if it was the file.
                Err(Errno::NOSYS | Errno::PERM) => {
                    let fd = walk(root, rest, flags, mode)?;
                    disk.walks.store(true, Ordering::Relaxed);
                    return Ok(fd);
                }
                Err(Errno::XDEV) => return Err(Errno::LOOP.into()),
                Err(e) => return Err(e.into()),
            }
        }
        return Err(Errno::AGAIN.into());
    }
    walk(root, rest, flags, mode)
}

/// The same without the kernel's help.
fn walk(root: OwnedFd, rest: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
    let mut dir = root;
    let mut names = rest.iter().peekable();
    while let Some(name) = names.next() {
        let (flags, mode) = match names.peek() {
            Some(_) => (THROUGH, Mode::empty()),
            None => (flags, mode),
        };
        dir = loop {
            match openat(&dir, name, flags | OFlags::NOFOLLOW, mode) {
                Ok(fd) => break fd,
                Err(Errno::INTR) => {}
                Err(e) => {
                    let found = statat(&dir, name, AtFlags::SYMLINK_NOFOLLOW);
                    let is_link = found.is_ok_and(|f| kind(&f) == FileType::Symlink);
                    return Err(if is_link { Errno::LOOP } else { e }.into());
                }
            }
        };
    }
    Ok(dir)
}

fn kind(found: &rustix::fs::Stat) -> FileType {
    FileType::from_raw_mode(found.st_mode)
}

impl Disk for RootedDisk {
    fn create(&self, path: &Path, spec: OpenSpec) -> IoResult<Arc<dyn Volume>> {
        self.volume("create", path, spec, OFlags::CREATE | OFlags::EXCL)
    }

    fn open(&self, path: &Path, spec: OpenSpec) -> IoResult<Arc<dyn Volume>> {
        self.volume("open", path, spec, OFlags::empty())
    }

    fn exists(&self, path: &Path) -> IoResult<bool> {
        let there = || -> io::Result<bool> {
            let Some(at) = self.beneath(path)? else { return path.try_exists() };
            match at.parent()? {
                None => at.root.try_exists(),
                Some((dir, name)) => match statat(&dir, name, AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(_) => Ok(true),
                    Err(e) => Err(e.into()),
                },
            }
        };
        match there() {
            Err(e) if is_missing(&e) => Ok(false),
            other => other.map_err(|e| IoError::new("stat", path, e)),
        }
    }

    fn remove(&self, path: &Path) -> IoResult<()> {
        let remove = || -> io::Result<()> {
            let Some(at) = self.beneath(path)? else { return lock::remove(path) };
            let Some((dir, name)) = at.parent()? else { return Err(Errno::ISDIR.into()) };
            lock::remove_at(&dir, name)
        };
        remove().map_err(|e| IoError::new("remove", path, e))
    }

    fn rename(&self, from: &Path, to: &Path) -> IoResult<()> {
        let rename = || -> io::Result<()> {
            let (Some(a), Some(b)) = (self.beneath(from)?, self.beneath(to)?) else {
                return std::fs::rename(from, to);
            };
            let (Some((from, old)), Some((to, new))) = (a.parent()?, b.parent()?) else {
                return Err(Errno::ISDIR.into());
            };
            Ok(rustix::fs::renameat(&from, old, &to, new)?)
        };
        rename().map_err(|e| IoError::new("rename", from, e))
    }

    fn list(&self, dir: &Path) -> IoResult<Vec<PathBuf>> {
        let files = self.entries(dir)?.into_iter().filter(|e| e.is_file);
        Ok(files.map(|e| dir.join(e.name)).collect())
    }

    fn entries(&self, dir: &Path) -> IoResult<Vec<Entry>> {
        let entries = || -> io::Result<Vec<Entry>> {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let open = match self.beneath(dir)? {
                Some(at) => at.open(flags, Mode::empty())?,
                None => rustix::fs::open(dir, flags, Mode::empty())?,
            };
            let mut all = Vec::new();
            for entry in rustix::fs::Dir::read_from(&open)? {
                use std::os::unix::ffi::OsStrExt;
                let entry = entry?;
                let name = std::ffi::OsStr::from_bytes(entry.file_name().to_bytes());
                if name == "." || name == ".." {
                    continue;
                }
                let found = match statat(&open, name, AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(found) => found,
                    // Removed since.
                    Err(Errno::NOENT) => continue,
                    Err(e) => return Err(e.into()),
                };
                let since = Duration::from_secs(u64::try_from(found.st_mtime).unwrap_or(0));
                all.push(Entry {
                    name: name.into(),
                    is_file: kind(&found) == FileType::RegularFile,
                    is_directory: kind(&found) == FileType::Directory,
                    modified: SystemTime::UNIX_EPOCH + since,
                });
            }
            all.sort_by(|a, b| a.name.cmp(&b.name));
            Ok(all)
        };
        entries().map_err(|e| IoError::new("list", dir, e))
    }

    fn create_dir(&self, dir: &Path) -> IoResult<()> {
        let create = || -> io::Result<()> {
            let Some(at) = self.beneath(dir)? else { return std::fs::create_dir_all(dir) };
            let mut parent = rustix::fs::open(at.root, THROUGH, Mode::empty())?;
            for name in at.rest {
                match rustix::fs::mkdirat(&parent, name, Mode::from(0o777)) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(e) => return Err(e.into()),
                }
                parent = walk(parent, Path::new(name), THROUGH, Mode::empty())?;
            }
            Ok(())
        };
        create().map_err(|e| IoError::new("create_dir", dir, e))
    }

    fn sync_dir(&self, dir: &Path) -> IoResult<()> {
        let sync = || -> io::Result<()> {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let open = match self.beneath(dir)? {
                Some(at) => at.open(flags, Mode::empty())?,
                None => rustix::fs::open(dir, flags, Mode::empty())?,
            };
            Ok(rustix::fs::fsync(open.as_fd())?)
        };
        sync().map_err(|e| IoError::new("sync_dir", dir, e))
    }

    fn space(&self, path: &Path) -> IoResult<Space> {
        space::space(path)
    }

    fn real_path(&self, path: &Path) -> IoResult<PathBuf> {
        OsDisk.real_path(path)
    }

    fn same_file(&self, a: &Path, b: &Path) -> IoResult<bool> {
        same_file(a, b)
    }

    fn share(&self, from: &Path, to: &Path) -> IoResult<bool> {
        let open = |path: &Path, access: OFlags| -> io::Result<OwnedFd> {
            let flags = access | OFlags::CLOEXEC | OFlags::NOFOLLOW;
            match self.beneath(path)? {
                Some(at) => at.open(flags, Mode::empty()),
                None => Ok(rustix::fs::open(path, flags, Mode::empty())?),
            }
        };
        let share = || -> io::Result<bool> {
            let (from, to) = (open(from, OFlags::RDONLY)?, open(to, OFlags::RDWR)?);
            match rustix::fs::ioctl_ficlone(&to, &from) {
                Ok(()) => Ok(true),
                // Not this file system, not these two, not this kernel or sandbox.
                Err(
                    Errno::OPNOTSUPP
                    | Errno::XDEV
                    | Errno::INVAL
                    | Errno::NOTTY
                    | Errno::NOSYS
                    | Errno::PERM,
                ) => Ok(false),
                Err(e) => Err(e.into()),
            }
        };
        share().map_err(|e| IoError::new("share", to, e))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// Both ways, on a tree with links: `root/{sub/file, out -> ../elsewhere, link -> sub, name -> ../elsewhere/secret}`.
    fn both(name: &str, test: impl Fn(&RootedDisk, &Path)) {
        for walks in [false, true] {
            let dir = format!("taffrail-beneath-{name}-{}-{walks}", std::process::id());
            let dir = std::env::temp_dir().canonicalize().unwrap().join(dir);
            let _ = std::fs::remove_dir_all(&dir);
            let root = dir.join("root");
            std::fs::create_dir_all(root.join("sub")).unwrap();
            std::fs::create_dir_all(dir.join("elsewhere")).unwrap();
            std::fs::write(dir.join("elsewhere/secret"), "secret").unwrap();
            std::fs::write(root.join("sub/file"), "own").unwrap();
            symlink("../elsewhere", root.join("out")).unwrap();
            symlink("sub", root.join("link")).unwrap();
            symlink("../elsewhere/secret", root.join("name")).unwrap();
            let disk = RootedDisk::new(vec![root.clone()]);
            disk.walks.store(walks, Ordering::Relaxed);
            test(&disk, &root);
            assert_eq!(std::fs::read(dir.join("elsewhere/secret")).unwrap(), b"secret");
            std::fs::remove_dir_all(&dir).unwrap();
        }
    }

    fn is_link(e: &IoError) -> bool {
        e.is_link()
    }

    #[test]
    fn no_link_is_followed_to_a_file() {
        both("file", |disk, root| {
            let plain = OpenSpec::PLAIN;
            for spec in [plain, plain.read_only(), OpenSpec::DATA] {
                assert!(disk.open(&root.join("sub/file"), spec).is_ok());
                for path in ["out/secret", "link/file", "name"] {
                    let e = disk.open(&root.join(path), spec).err().unwrap();
                    assert!(is_link(&e), "{path}: {e}");
                }
            }
            let e = disk.create(&root.join("out/new"), plain).err().unwrap();
            assert!(is_link(&e), "{e}");
            assert!(disk.create(&root.join("name"), plain).is_err());
            assert!(disk.create(&root.join("sub/new"), OpenSpec::DATA).is_ok());
            let e = disk.open(&root.join("../elsewhere/secret"), plain).err().unwrap();
            assert!(is_link(&e), "{e}");
            assert!(disk.open(&root.join("sub/none"), plain).err().unwrap().is_not_found());
            // No file at all: it would be waited for.
            let pipe = root.join("pipe");
            rustix::fs::mknodat(rustix::fs::CWD, &pipe, FileType::Fifo, 0o600.into(), 0).unwrap();
            assert!(disk.open(&pipe, plain).is_err());
            assert!(disk.open(&root.join("sub"), plain.read_only()).is_err());
        });
    }

    #[test]
    fn nor_by_what_else_is_done_to_names() {
        both("names", |disk, root| {
            assert!(disk.exists(&root.join("sub/file")).unwrap() && disk.exists(root).unwrap());
            assert!(!disk.exists(&root.join("none/file")).unwrap());
            assert!(disk.exists(&root.join("name")).unwrap(), "the link itself");
            assert!(is_link(&disk.exists(&root.join("out/secret")).unwrap_err()));
            assert!(is_link(&disk.remove(&root.join("out/secret")).unwrap_err()));
            assert!(is_link(&disk.list(&root.join("out")).unwrap_err()));
            assert!(is_link(&disk.create_dir(&root.join("out/deep")).unwrap_err()));
            assert!(is_link(&disk.sync_dir(&root.join("out")).unwrap_err()));
            let (file, out) = (root.join("sub/file"), root.join("out/moved"));
            assert!(is_link(&disk.rename(&file, &out).unwrap_err()));
            disk.create_dir(&root.join("a/b/c")).unwrap();
            disk.create_dir(&root.join("a/b/c")).unwrap();
            disk.rename(&file, &root.join("a/b/file")).unwrap();
            disk.sync_dir(&root.join("a/b")).unwrap();
            assert_eq!(disk.list(&root.join("a/b")).unwrap(), [root.join("a/b/file")]);
            let names = |dir: &Path| -> Vec<(String, bool, bool)> {
                let show = |e: Entry| (e.name.to_string_lossy().into(), e.is_file, e.is_directory);
                disk.entries(dir).unwrap().into_iter().map(show).collect()
            };
            let dir = |name: &str| (name.to_owned(), false, true);
            let other = |name: &str| (name.to_owned(), false, false);
            let all = [dir("a"), other("link"), other("name"), other("out"), dir("sub")];
            assert_eq!(names(root), all);
            disk.remove(&root.join("a/b/file")).unwrap();
            disk.remove(&root.join("name")).unwrap();
            assert!(!disk.exists(&root.join("name")).unwrap());
        });
    }

    #[test]
    fn what_lies_elsewhere_is_opened_as_it_stands() {
        both("elsewhere", |disk, root| {
            let outside = root.parent().unwrap().join("elsewhere/secret");
            assert!(disk.open(&outside, OpenSpec::PLAIN).is_ok());
            // The directory of a root may be reached through links, and be a root of its own.
            let inner = RootedDisk::new(vec![root.into(), root.join("sub")]);
            assert!(inner.open(&root.join("sub/file"), OpenSpec::PLAIN).is_ok());
        });
    }
}
