//! The password of `sa`: given, or made at the first start. There is never a blank or a default one.

use crate::certificate::write_private;
use crate::credentials::Credentials;
use crate::errorlog::ErrorLog;
use std::path::Path;
use taffrail_engine::Instance;
use taffrail_io::Entropy;

const SA: &str = "sa";
/// Letters and digits that are not taken for one another: 56, so 20 of them hold 116 bits.
const ALPHABET: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789";
const LENGTH: usize = 20;

/// Makes sure that `sa` has a password: the one given, else the one it has, else a new one in `DIR/sa-password`.
pub(crate) fn prepare(
    instance: &Instance,
    credentials: &Credentials,
    entropy: &dyn Entropy,
    dir: &Path,
    given: Option<&str>,
    log: &ErrorLog,
) -> Result<(), String> {
    let stored = instance.find_login(SA).map(|l| l.password_hash).filter(|h| !h.is_empty());
    let set = |password: &str| {
        let hash = credentials.hash(password)?;
        instance.set_login_password(SA, &hash).map_err(|e| e.to_string())
    };
    match (given, stored) {
        (Some(password), Some(stored)) if credentials.verify(SA, password, Some(&stored)) => Ok(()),
        (Some(password), stored) => {
            set(password)?;
            if stored.is_some() {
                log.info(
                    "Server",
                    "The password of login 'sa' has been changed to the one given at startup.",
                );
            }
            Ok(())
        }
        (None, Some(_)) => Ok(()),
        (None, None) => {
            let password = generate(entropy);
            let path = dir.join("sa-password");
            // The file first: a password that nobody knows would lock the administrator out.
            write_private(&path, format!("{password}\n").as_bytes())?;
            set(&password)?;
            // To standard error alone, and once: it has no place in a log file.
            eprintln!(
                "The password of login 'sa' is {password}\nIt is kept in {} and not shown again.",
                path.display()
            );
            log.info(
                "Server",
                &format!("A password for login 'sa' was generated: see {}.", path.display()),
            );
            Ok(())
        }
    }
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
