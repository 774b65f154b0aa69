//! What a server stands on before it has an engine: directories, sockets, limits of the process.

use crate::errorlog::{ErrorLog, Level};
use crate::listener::StartFailure;
use crate::settings::{DefaultDirs, Place};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use taffrail_io::Disk;

/// Clients that may wait for accept.
const BACKLOG: i32 = 1024;

/// Why something cannot be opened or made. Who may not, is told who he is: in a container that is seldom who is expected.
pub(crate) fn why(e: &std::io::Error) -> String {
    match e.kind() {
        std::io::ErrorKind::PermissionDenied => {
            format!("{e}: this process is user {}", rustix::process::geteuid().as_raw())
        }
        _ => e.to_string(),
    }
}

/// The directories of `file_roots` as the disk knows them. One that is not there yet, such as a disk that is mounted later, is noted.
pub(crate) fn roots(
    given: &[PathBuf],
    disk: &dyn Disk,
    log: &ErrorLog,
) -> Result<Vec<PathBuf>, StartFailure> {
    let whole = |path: &PathBuf| {
        let at = |e: &str| format!("file_roots: {}: {e}", path.display());
        match path.metadata() {
            Ok(found) if !found.is_dir() => return Err(StartFailure(at("it is no directory"))),
            Ok(_) => {}
            Err(e) => log.write(Level::Warning, "Server", &at(&why(&e))),
        }
        disk.real_path(path).map_err(|e| StartFailure(at(&why(&e.source))))
    };
    given.iter().map(whole).collect()
}

/// The directories for files that no statement places, made where they are missing, as the disk knows them.
pub(crate) fn default_dirs(
    given: &DefaultDirs,
    disk: &dyn Disk,
) -> Result<DefaultDirs, StartFailure> {
    let whole = |setting: &str, path: &Option<PathBuf>| {
        let Some(path) = path else { return Ok(None) };
        let fail =
            |e: std::io::Error| StartFailure(format!("{setting}: {}: {}", path.display(), why(&e)));
        std::fs::create_dir_all(path).map_err(fail)?;
        disk.real_path(path).map(Some).map_err(|e| fail(e.source))
    };
    Ok(DefaultDirs {
        data: whole("default_data_dir", &given.data)?,
        log: whole("default_log_dir", &given.log)?,
        backup: whole("default_backup_dir", &given.backup)?,
    })
}

/// A socket that hears.
pub(crate) fn bind(address: SocketAddr) -> std::io::Result<TcpListener> {
    use socket2::{Domain, Socket, Type};
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    // A restarted server must not wait for the connections of the last one to be forgotten.
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// A service beside TDS: its setting, and what is lost without it.
pub(crate) type Beside = (&'static str, &'static str);
/// 17810's one session, whatever else is connected.
pub(crate) const ADMIN: Beside = ("admin_listen", "admin connection");
pub(crate) const CONSOLE: Beside = ("console", "console");

/// A listener beside that of TDS. The default place may be taken, by another server say.
pub(crate) fn bind_beside(
    (setting, what): Beside,
    place: Place,
    log: &ErrorLog,
) -> Result<Option<TcpListener>, StartFailure> {
    let at = match place {
        Place::Off => return Ok(None),
        Place::Default(at) | Place::At(at) => at,
    };
    match (bind(at), place) {
        (Ok(listener), _) => Ok(Some(listener)),
        (Err(e), Place::At(_)) => Err(StartFailure(format!("{setting} {at}: {e}"))),
        (Err(e), _) => {
            let text = format!(
                "There is no {what}: {at}: {e}. The setting {setting} names another place."
            );
            log.write(Level::Warning, "Server", &text);
            Ok(None)
        }
    }
}

/// As many descriptors as the system lets this process have: sessions and files share them.
pub(crate) fn raise_file_limit(log: &ErrorLog) {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        limit.current = limit.maximum;
        if let Err(e) = setrlimit(Resource::Nofile, limit) {
            log.write(
                Level::Warning,
                "Server",
                &format!("The limit of open files could not be raised: {e}."),
            );
        }
    }
}

/// A file that would exceed the process's limit is an error of the write, like a full disk, and not the end of the process.
pub(crate) fn survive_long_files(log: &ErrorLog) {
    // A handler that only notes it: then the write fails with EFBIG, and whoever wrote knows what to do.
    let noted = Arc::new(AtomicBool::new(false));
    if let Err(e) = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, noted) {
        log.write(Level::Warning, "Server", &format!("SIGXFSZ is not caught: {e}."));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_may_not_is_told_who_he_is() {
        let refused = std::io::Error::from(std::io::ErrorKind::PermissionDenied);
        let user = rustix::process::geteuid().as_raw();
        assert_eq!(why(&refused), format!("permission denied: this process is user {user}"));
        let missing = std::io::Error::from(std::io::ErrorKind::NotFound);
        assert_eq!(why(&missing), missing.to_string());
    }
}
