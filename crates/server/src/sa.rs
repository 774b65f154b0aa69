//! The password of `sa`: given, or made at the first start. There is never a blank or a default one.

use crate::credentials::Credentials;
use crate::errorlog::{ErrorLog, Level};
use crate::notify;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use taffrail_engine::Instance;
use taffrail_io::{Entropy, write_small_file};

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
    let stored = instance.find_login(SA).map(|l| l.password_hash).filter(|h| !h.is_empty());
    match (given, stored) {
        (Some(password), Some(stored)) => {
            let (instance, credentials) = (instance.clone(), credentials.clone());
            let (log, password) = (log.clone(), password.to_string());
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
            };
            let thread = std::thread::Builder::new().name("sa password".into()).spawn(work);
            thread.map(|_| ()).map_err(|e| e.to_string())
        }
        (Some(password), None) => set(instance, credentials, password),
        (None, Some(_)) => Ok(()),
        (None, None) => {
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
    }
}

/// Where a generated password is kept.
pub(crate) fn password_file(dir: &Path) -> PathBuf {
    dir.join("sa-password")
}

fn set(instance: &Instance, credentials: &Credentials, password: &str) -> Result<(), String> {
    let hash = credentials.hash(password)?;
    instance.set_login_password(SA, &hash).map_err(|e| e.to_string())
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
