//! Passwords: salted Argon2id hashes, verified by few at a time.
//!
//! 1. A verification takes 19 MiB and tens of milliseconds, so at most two per core run at once, and one of the admin
//!    listener: a flood of logins queues up instead of exhausting memory, by addresses ([`crate::permits`]).
//! 2. A login that does not exist costs what a wrong password does, and no more.
//! 3. What has been verified is remembered as a keyed hash (HMAC-SHA-256 under a key of this process), bound to the
//!    stored hash: a changed password is forgotten at once. Short-lived connections so cost microseconds.
//! 4. Failures of one login from one address wait longer each time; another address is not held up by them.

use crate::permits::{Origin, Permits};
use argon2::password_hash::rand_core::OsRng;
use argon2::password_hash::{Output, ParamsString, PasswordHash, Salt, SaltString};
use argon2::{ARGON2ID_IDENT, Algorithm, Argon2, Block, Params, Version};
use parking_lot::{Condvar, Mutex};
use rustls::crypto::hmac::Tag;
use rustls::crypto::ring::cipher_suite::TLS13_AES_128_GCM_SHA256;
use rustls::crypto::tls13::OkmBlock;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Logins that are remembered.
const REMEMBERED_MAX: usize = 1024;
/// Logins and addresses whose failures are counted.
const FAILURES_MAX: usize = 4096;
/// The first wait after a failure, and the longest.
const DELAY: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(4));
/// Failures are forgotten after this long.
const FAILURE_MEMORY: Duration = Duration::from_secs(60);

pub(crate) struct Credentials {
    permits: Permits,
    key: [u8; 32],
    remembered: Mutex<HashMap<String, (String, Vec<u8>)>>,
    failures: Mutex<HashMap<(IpAddr, String), (u32, Instant)>>,
    /// Passwords that are being set at start-up.
    unsettled: Mutex<u32>,
    settled: Condvar,
}

/// The client that asks whether a password is right.
pub(crate) struct Asker<'a> {
    pub origin: Origin,
    /// Nobody is there any more to hear the answer.
    pub has_gone: &'a dyn Fn() -> bool,
}

/// While it lives, logins wait.
pub(crate) struct Settling(Arc<Credentials>);

impl Drop for Settling {
    fn drop(&mut self) {
        *self.0.unsettled.lock() -= 1;
        self.0.settled.notify_all();
    }
}

/// OWASP's minimum: 19 MiB, two passes, one lane.
fn params() -> Params {
    Params::new(19 * 1024, 2, 1, None).expect("constant parameters are valid")
}

/// What a computation reserves, of which it touches 19 MiB. From 32 MiB on the allocator of glibc always takes a mapping of its own
/// and gives it back when it is freed; smaller blocks it keeps in the arena of each thread that ever verified a password.
const RESERVED: usize = (32 << 20) + (64 << 10);

/// Argon2id of a password.
fn digest(params: Params, password: &str, salt: Salt<'_>) -> Result<Output, String> {
    let mut salt_bytes = [0; Salt::MAX_LENGTH];
    let salt = salt.decode_b64(&mut salt_bytes).map_err(|e| e.to_string())?;
    let blocks = params.block_count();
    let mut memory = Vec::with_capacity(blocks.max(RESERVED / size_of::<Block>()));
    memory.resize(blocks, Block::default());
    let mut out = [0; Params::DEFAULT_OUTPUT_LEN];
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into_with_memory(password.as_bytes(), salt, &mut out, &mut memory)
        .map_err(|e| e.to_string())?;
    Output::new(&out).map_err(|e| e.to_string())
}

/// Whether a password is the one behind a PHC string, compared in constant time. One that this server cannot have written is not.
fn is_right(password: &str, stored: &PasswordHash<'_>) -> bool {
    let known = stored.algorithm == ARGON2ID_IDENT && stored.version == Some(Version::V0x13 as u32);
    let (Some(salt), Some(hash), Ok(params), true) =
        (stored.salt, stored.hash, Params::try_from(stored), known)
    else {
        return false;
    };
    digest(params, password, salt).is_ok_and(|computed| computed == hash)
}

/// Whether a password is that of a hash of SQL Server's. None: the hash is of another kind.
fn of_sql_server(password: &str, stored: &str) -> Option<bool> {
    if !stored.starts_with("0x") {
        return None;
    }
    let hash = taffrail_engine::hash_as_bytes(stored)?;
    taffrail_engine::is_sql_servers(password, &hash)
}

impl Credentials {
    pub(crate) fn new(entropy: &dyn taffrail_io::Entropy) -> Credentials {
        let mut key = [0; 32];
        entropy.fill(&mut key);
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        Credentials {
            permits: Permits::new(2 * cores),
            key,
            remembered: Mutex::new(HashMap::new()),
            failures: Mutex::new(HashMap::new()),
            unsettled: Mutex::new(0),
            settled: Condvar::new(),
        }
    }

    /// Announces that a stored password may change; nobody is let in before the result is dropped.
    pub(crate) fn settling(self: &Arc<Self>) -> Settling {
        *self.unsettled.lock() += 1;
        Settling(self.clone())
    }

    /// Waits until stored passwords are what they shall be. To be called before a login is looked up.
    pub(crate) fn settled(&self) {
        let mut unsettled = self.unsettled.lock();
        while *unsettled > 0 {
            self.settled.wait(&mut unsettled);
        }
    }

    /// The PHC string to store for a password.
    pub(crate) fn hash(&self, password: &str) -> Result<String, String> {
        let salt = SaltString::generate(&mut OsRng);
        let hash = {
            let _permit = self.permits.take(Origin::Server);
            digest(params(), password, salt.as_salt())?
        };
        let stored = PasswordHash {
            algorithm: ARGON2ID_IDENT,
            version: Some(Version::V0x13 as u32),
            params: ParamsString::try_from(&params()).map_err(|e| e.to_string())?,
            salt: Some(salt.as_salt()),
            hash: Some(hash),
        };
        Ok(stored.to_string())
    }

    /// Whether the password is the one behind `stored`, for the server itself; `None` stands for a login that does not exist.
    pub(crate) fn verify(&self, login: &str, password: &str, stored: Option<&str>) -> bool {
        let asker = Asker { origin: Origin::Server, has_gone: &|| false };
        self.verify_for(asker, login, password, stored) == Some(true)
    }

    /// [`Credentials::verify`] for a client. None: it has gone while others had their turns.
    pub(crate) fn verify_for(
        &self,
        asker: Asker<'_>,
        login: &str,
        password: &str,
        stored: Option<&str>,
    ) -> Option<bool> {
        let Some(stored) = stored.filter(|s| !s.is_empty()) else {
            return self.verify_nothing(asker, password);
        };
        let tag = self.tag(login, password);
        if let Some((hash, known)) = self.remembered.lock().get(login)
            && hash == stored
            && known == tag.as_ref()
        {
            return Some(true);
        }
        if let Some(right) = of_sql_server(password, stored) {
            // A wrong one costs what others cost; a right one that is cheap to compare is nobody's loss.
            return if right { Some(true) } else { self.verify_nothing(asker, password) };
        }
        let Ok(parsed) = PasswordHash::new(stored) else {
            return self.verify_nothing(asker, password);
        };
        let permit = self.permits.take(asker.origin);
        if (asker.has_gone)() {
            return None;
        }
        let right = is_right(password, &parsed);
        drop(permit);
        if right {
            let mut remembered = self.remembered.lock();
            if remembered.len() >= REMEMBERED_MAX {
                remembered.clear();
            }
            remembered.insert(login.to_string(), (stored.to_string(), tag.as_ref().to_vec()));
        }
        Some(right)
    }

    /// The work of a verification, for nothing.
    fn verify_nothing(&self, asker: Asker<'_>, password: &str) -> Option<bool> {
        let _permit = self.permits.take(asker.origin);
        if (asker.has_gone)() {
            return None;
        }
        // Any salt is as good as another.
        let salt = Salt::from_b64("bm9ib2R5IGlzIGhlcmU").expect("a constant in base 64");
        let _ = digest(params(), password, salt);
        Some(false)
    }

    /// HMAC of login and password. The key never leaves the process, so a copy of the tag says nothing.
    fn tag(&self, login: &str, password: &str) -> Tag {
        let suite = TLS13_AES_128_GCM_SHA256.tls13().expect("a TLS 1.3 suite");
        let message = [login.as_bytes(), &[0], password.as_bytes()].concat();
        suite.hkdf_provider.hmac_sign(&OkmBlock::new(&self.key), &message)
    }

    /// Counts a failure and says how long its answer has to wait.
    pub(crate) fn failed(&self, from: IpAddr, login: &str) -> Duration {
        let now = Instant::now();
        let mut failures = self.failures.lock();
        if failures.len() >= FAILURES_MAX {
            failures.retain(|_, (_, at)| now.duration_since(*at) < FAILURE_MEMORY);
            if failures.len() >= FAILURES_MAX {
                // Somebody tries names by the thousand: everyone waits longest.
                return DELAY.1;
            }
        }
        let (count, at) = failures.entry((from, login.to_lowercase())).or_insert((0, now));
        if now.duration_since(*at) >= FAILURE_MEMORY {
            *count = 0;
        }
        *at = now;
        *count += 1;
        (DELAY.0 * 2u32.saturating_pow((*count - 1).min(10))).min(DELAY.1)
    }

    /// Forgets the failures of a login that has succeeded.
    pub(crate) fn succeeded(&self, from: IpAddr, login: &str) {
        let mut failures = self.failures.lock();
        if !failures.is_empty() {
            failures.remove(&(from, login.to_lowercase()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_verified_and_remembered() {
        let env = taffrail_io::Env::os();
        let c = Credentials::new(&*env.entropy);
        let stored = c.hash("Grün!1").unwrap();
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert_ne!(stored, c.hash("Grün!1").unwrap());
        // Any implementation understands what is stored.
        use argon2::password_hash::PasswordVerifier;
        let parsed = PasswordHash::new(&stored).unwrap();
        assert!(Argon2::default().verify_password("Grün!1".as_bytes(), &parsed).is_ok());
        assert!(Argon2::default().verify_password(b"other", &parsed).is_err());
        assert!(!c.verify("sa", "grün!1", Some(&stored)));
        assert!(c.verify("sa", "Grün!1", Some(&stored)));
        let started = Instant::now();
        for _ in 0..100 {
            assert!(c.verify("sa", "Grün!1", Some(&stored)));
        }
        assert!(started.elapsed() < Duration::from_secs(1), "remembered logins are cheap");
        assert!(!c.verify("sa", "x", Some(&stored)));
        // Another stored hash: what was remembered does not count.
        let other = c.hash("other").unwrap();
        assert!(!c.verify("sa", "Grün!1", Some(&other)));
        assert!(!c.verify("nobody", "x", None));
        assert!(!c.verify("sa", "", Some("")));
    }

    #[test]
    fn failures_wait_longer_each_time() {
        let env = taffrail_io::Env::os();
        let c = Credentials::new(&*env.entropy);
        let (a, b) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        let waits: Vec<_> = (0..6).map(|_| c.failed(a, "SA").as_millis()).collect();
        assert_eq!(waits, [250, 500, 1000, 2000, 4000, 4000]);
        assert_eq!(c.failed(b, "sa").as_millis(), 250);
        c.succeeded(a, "sa");
        assert_eq!(c.failed(a, "sa").as_millis(), 250);
    }
}
