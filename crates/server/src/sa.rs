//! The password of `sa`: given, or made at the first start. There is never a blank or a default one.

use crate::credentials::Credentials;
use crate::errorlog::{ErrorLog, Level};
use crate::notify;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use taffrail_engine::Instance;
use taffrail_io::{Entropy, write_small_file};

/// The name under which passwords of sa are remembered, whatever the login is called.
const SA: &str = "sa";
/// Letters and digits that are not taken for one another: 56, so 20 of them hold 116 bits.
const ALPHABET: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789";
const LENGTH: usize = 20;

/// Makes sure that `sa` has a password: the one given, else the one it has, else a new one in `DIR/sa-password`.
///
/// Comparing a given password with the stored hash takes tens of milliseconds, which a restart has no need to wait
/// for: a thread does it, and logins wait for the thread ([`Credentials::settled`]).
pub(crate) fn prepare(
    instance: &Arc<Instance>,
    credentials: &Arc<Credentials>,
    entropy: &dyn Entropy,
    dir: &Path,
    given: Option<&str>,
    log: &Arc<ErrorLog>,
) -> Result<(), String> {
    if given.is_some_and(taffrail_engine::is_weak_password) {
        let weak = "The password given for login 'sa' is accepted, and weak: ALTER LOGIN asks for at least 8 characters of three kinds \
             (upper case, lower case, digits, others).";
        log.write(Level::Warning, "Server", weak);
    }
    let stored =
        instance.find_login(&instance.sa_name()).map(|l| l.password_hash).filter(|h| !h.is_empty());
    match (given, stored) {
        (Some(password), Some(stored)) => {
            let (instance, credentials) = (instance.clone(), credentials.clone());
            let (log, password, dir) = (log.clone(), password.to_string(), dir.to_path_buf());
            let settling = credentials.settling();
            let work = move || {
                if !credentials.verify(SA, &password, Some(&stored)) {
                    let changed =
                        "The password of login 'sa' has been changed to the one given at startup.";
                    match set(&instance, &credentials, &password) {
                        Ok(()) => log.info("Server", changed),
                        Err(e) => {
                            log.write(Level::Error, "Server", &format!("password of sa: {e}"))
                        }
                    }
                }
                drop(settling);
                forget_generated(&instance, &credentials, &dir, &log);
            };
            in_background(work)
        }
        (Some(password), None) => {
            set(instance, credentials, password)?;
            forget_generated(instance, credentials, dir, log);
            Ok(())
        }
        (None, Some(_)) => {
            // What a crash between a new password and the end of the old one's file has left.
            if !password_file(dir).exists() {
                return Ok(());
            }
            let (instance, credentials) = (instance.clone(), credentials.clone());
            let (log, dir) = (log.clone(), dir.to_path_buf());
            in_background(move || forget_generated(&instance, &credentials, &dir, &log))
        }
        (None, None) => with_new(instance, credentials, entropy, dir, log),
    }
}

/// Gives `sa` a password that nobody has chosen.
fn with_new(
    instance: &Instance,
    credentials: &Credentials,
    entropy: &dyn Entropy,
    dir: &Path,
    log: &ErrorLog,
) -> Result<(), String> {
    let password = generate(entropy);
    let path = password_file(dir);
    // The file first: a password that nobody knows would lock the administrator out.
    let text = format!("{password}\n");
    write_small_file(&path, text.as_bytes(), 0o600).map_err(|e| e.to_string())?;
    set(instance, credentials, &password)?;
    // To standard error alone, and once: it has no place in a log file. A service manager keeps what is said there.
    if !notify::has_manager() {
        eprintln!(
            "The password of login 'sa' is {password}\nIt is kept in {} and not shown again.",
            path.display()
        );
    }
    log.info(
        "Server",
        &format!("A password for login 'sa' was generated: see {}.", path.display()),
    );
    Ok(())
}

fn in_background(work: impl FnOnce() + Send + 'static) -> Result<(), String> {
    let thread = std::thread::Builder::new().name("sa password".into()).spawn(work);
    thread.map(|_| ()).map_err(|e| e.to_string())
}

/// Removes the file of the generated password once `sa` has another one: it would lead astray whoever looks there. The new one is
/// durable by then, and what a crash leaves of the file the next start removes.
pub(crate) fn forget_generated(
    instance: &Instance,
    credentials: &Credentials,
    dir: &Path,
    log: &ErrorLog,
) {
    let path = password_file(dir);
    let forgotten = (|| {
        let text = match std::fs::read_to_string(&path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(false),
            text => text?,
        };
        let kept = instance.find_login(&instance.sa_name()).map(|l| l.password_hash);
        if credentials.verify(SA, text.lines().next().unwrap_or_default(), kept.as_deref()) {
            return Ok(false);
        }
        match std::fs::remove_file(&path) {
            // The start or ALTER LOGIN, whichever was faster.
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(false),
            removed => removed?,
        }
        std::fs::File::open(dir)?.sync_all()?;
        Ok::<bool, std::io::Error>(true)
    })();
    let path = path.display();
    match forgotten {
        Ok(false) => {}
        Ok(true) => log.info(
            "Server",
            &format!("{path} was removed: the password in it was no longer that of login 'sa'."),
        ),
        Err(e) => log.write(
            Level::Error,
            "Server",
            &format!(
                "{path} may hold an old password of login 'sa' and could not be removed: {e}."
            ),
        ),
    }
}

/// Where a generated password is kept.
pub(crate) fn password_file(dir: &Path) -> PathBuf {
    dir.join("sa-password")
}

fn set(instance: &Instance, credentials: &Credentials, password: &str) -> Result<(), String> {
    let hash = credentials.hash(password)?;
    instance.set_login_password(&instance.sa_name(), &hash).map_err(|e| e.to_string())
}

fn generate(entropy: &dyn Entropy) -> String {
    let mut password = String::new();
    let mut bytes = [0; 64];
    while password.len() < LENGTH {
        entropy.fill(&mut bytes);
        for b in bytes {
            // Bytes beyond a whole multiple of the alphabet would favour its beginning.
            if (b as usize) < 256 / ALPHABET.len() * ALPHABET.len() && password.len() < LENGTH {
                password.push(ALPHABET[b as usize % ALPHABET.len()] as char);
            }
        }
    }
    password
}

#[cfg(test)]
mod tests {
    #[test]
    fn generated_passwords_differ() {
        let env = taffrail_io::Env::os();
        let (a, b) = (super::generate(&*env.entropy), super::generate(&*env.entropy));
        assert_eq!((a.len(), a == b), (super::LENGTH, false));
    }
}
