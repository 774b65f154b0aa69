//! Secrets of credentials as the catalogue keeps them: sealed with a key that lies beside the databases, in a file of the server's own.
//!
//! ```text
//! key      credentials.key in the data directory: 32 random bytes, mode 0600; made with the first secret
//! sealed   0 u8 version 1   1 nonce of 12 bytes   13 AES-256-GCM of the secret, with its tag of 16 bytes
//! ```
//! So a copy or a backup of master, or its log, tells nobody a secret. A copy of the whole directory does.

use parking_lot::Mutex;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom, SystemRandom};
use std::io;
use std::path::{Path, PathBuf};
use taffrail_io::write_small_file;

/// The file of the key.
pub(crate) const KEY_FILE: &str = "credentials.key";

const VERSION: u8 = 1;
const KEY_LEN: usize = 32;
/// The purpose of a sealed text, which is sealed with it.
const PURPOSE: &[u8] = b"taffrail credential";

/// The key of a data directory.
pub(super) struct Seal {
    path: PathBuf,
    /// One makes the file.
    making: Mutex<()>,
}

impl Seal {
    pub fn new(data: &Path) -> Seal {
        Seal { path: data.join(KEY_FILE), making: Mutex::new(()) }
    }

    fn key(&self, make: bool) -> Result<LessSafeKey, String> {
        let _alone = self.making.lock();
        let at = |e: &dyn std::fmt::Display| format!("{}: {e}", self.path.display());
        let bytes = match std::fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(e) if make && e.kind() == io::ErrorKind::NotFound => {
                let mut new = vec![0; KEY_LEN];
                SystemRandom::new().fill(&mut new).map_err(|_| "there is no randomness")?;
                write_small_file(&self.path, &new, 0o600).map_err(|e| at(&e))?;
                new
            }
            Err(e) => return Err(at(&e)),
        };
        let key = UnboundKey::new(&AES_256_GCM, &bytes).map_err(|_| at(&"it is no key"))?;
        Ok(LessSafeKey::new(key))
    }

    /// The secret as it may be kept.
    pub fn seal(&self, secret: &str) -> Result<Vec<u8>, String> {
        let key = self.key(true)?;
        let mut nonce = [0; NONCE_LEN];
        SystemRandom::new().fill(&mut nonce).map_err(|_| "there is no randomness")?;
        let mut text = secret.as_bytes().to_vec();
        key.seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::from(PURPOSE),
            &mut text,
        )
        .map_err(|_| "it cannot be sealed")?;
        Ok([&[VERSION], &nonce[..], &text].concat())
    }

    /// The secret that was sealed so.
    pub fn unseal(&self, sealed: &[u8]) -> Result<String, String> {
        const OTHER: &str = "The secret of the credential was sealed with another key";
        let (version, rest) = sealed.split_first().ok_or(OTHER)?;
        let (nonce, text) = rest.split_at_checked(NONCE_LEN).ok_or(OTHER)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| OTHER)?;
        let mut text = text.to_vec();
        let key = self.key(false)?;
        let opened = key.open_in_place(nonce, Aad::from(PURPOSE), &mut text);
        let opened = opened.ok().filter(|_| *version == VERSION).ok_or(OTHER)?;
        String::from_utf8(opened.to_vec()).map_err(|_| OTHER.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_comes_back_by_its_own_key_alone() {
        let dir = std::env::temp_dir().join(format!("taffrail-seal-{}", std::process::id()));
        let other = dir.join("other");
        std::fs::create_dir_all(&other).unwrap();
        let seal = Seal::new(&dir);
        let sealed = seal.seal("id:söcret").unwrap();
        assert!(!sealed.windows(6).any(|w| w == b"id:s\xc3\xb6"));
        assert_ne!(sealed, seal.seal("id:söcret").unwrap(), "another nonce each time");
        assert_eq!(Seal::new(&dir).unseal(&sealed).unwrap(), "id:söcret");
        for at in 0..sealed.len() {
            let mut wrong = sealed.clone();
            wrong[at] ^= 1;
            assert!(seal.unseal(&wrong).is_err(), "byte {at}");
            assert!(seal.unseal(&sealed[..at]).is_err(), "{at} bytes");
        }
        let another = Seal::new(&other);
        assert!(another.unseal(&sealed).is_err() && !other.join(KEY_FILE).exists());
        another.seal("x").unwrap();
        assert!(another.unseal(&sealed).is_err());
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
