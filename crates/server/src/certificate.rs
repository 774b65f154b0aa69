//! The server's certificate and what TLS it speaks.
//!
//! Without files from the user a self-signed pair is made at the first start and kept in the data directory
//! (`server.crt`, `server.key` with mode 0600), made anew when it is damaged; its fingerprint goes to the error log,
//! so that a client can be told
//! whom to trust.
//!
//! Inside TDS 7.x the handshake travels in packets and the envelope ends with its last byte. There TLS 1.2 is the
//! ceiling, as with SQL Server itself: in 1.3 either side may still owe records after its last flight, just where
//! both stop wrapping. No tickets for the same reason. TDS 8.0 is plain TLS and speaks 1.3 too.

use crate::clock::Stamp;
use crate::settings::Settings;
use rustls::ServerConfig;
use rustls::crypto::ring::cipher_suite::TLS13_AES_128_GCM_SHA256;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use taffrail_io::write_small_file;

/// TLS as the two ways in need it.
pub(crate) struct Tls {
    /// The handshake in TDS packets.
    pub(crate) wrapped: Arc<ServerConfig>,
    /// TLS first (TDS 8.0).
    pub(crate) strict: Arc<ServerConfig>,
    /// SHA-256 of the certificate, in hexadecimal.
    pub(crate) fingerprint: String,
}

/// The application protocol of TDS 8.0.
const ALPN_STRICT: &[u8] = b"tds/8.0";

impl Tls {
    /// From the user's files, or from the self-signed pair in `dir`, which is made if it is not there, or cannot be used: then `say`
    /// hears why. A pair of the user's is never replaced.
    pub(crate) fn load(
        dir: &Path,
        files: Option<(&Path, &Path)>,
        say: impl FnOnce(&str),
    ) -> Result<Tls, String> {
        if let Some((certificate, key)) = files {
            return Tls::from_pem(certificate, key);
        }
        let [certificate, key] = own_files(dir);
        let (there, why) = match (there(&certificate)?, there(&key)?) {
            (true, true) => match Tls::from_pem(&certificate, &key) {
                Err(why) => (true, why),
                loaded => return loaded,
            },
            // Half a pair: what a loss of power left of a first start.
            (true, false) => (true, format!("{} is missing", key.display())),
            (false, true) => (true, format!("{} is missing", certificate.display())),
            (false, false) => (false, String::new()),
        };
        if there {
            say(&format!(
                "The self-generated certificate cannot be used and is made anew; clients that trusted it must trust the new one. {why}."
            ));
        }
        make(&certificate, &key)?;
        Tls::from_pem(&certificate, &key)
    }

    fn from_pem(certificate: &Path, key: &Path) -> Result<Tls, String> {
        let at = |path: &Path, e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(certificate)
            .and_then(Iterator::collect)
            .map_err(|e| at(certificate, &e))?;
        let first = chain.first().ok_or_else(|| at(certificate, &"no certificate in this file"))?;
        let fingerprint = sha256(first);
        let private = PrivateKeyDer::from_pem_file(key).map_err(|e| at(key, &e))?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = |versions: &[&'static rustls::SupportedProtocolVersion]| {
            let mut config = ServerConfig::builder_with_provider(provider.clone())
                .with_protocol_versions(versions)
                .map_err(|e| at(certificate, &e))?
                .with_no_client_auth()
                .with_single_cert(chain.clone(), private.clone_key())
                .map_err(|e| at(certificate, &e))?;
            config.send_tls13_tickets = 0;
            config.session_storage = Arc::new(rustls::server::NoServerSessionStorage {});
            Ok::<_, String>(config)
        };
        let wrapped = config(&[&rustls::version::TLS12])?;
        let mut strict = config(&[&rustls::version::TLS13, &rustls::version::TLS12])?;
        strict.alpn_protocols = vec![ALPN_STRICT.to_vec()];
        Ok(Tls { wrapped: Arc::new(wrapped), strict: Arc::new(strict), fingerprint })
    }
}

/// The self-signed pair of a data directory: certificate and key.
pub(crate) fn own_files(dir: &Path) -> [PathBuf; 2] {
    ["server.crt", "server.key"].map(|name| dir.join(name))
}

impl Settings {
    /// Where the certificate lies that the server shows: the given one, or the one that it has made for itself.
    pub fn certificate(&self) -> PathBuf {
        let [own, _] = own_files(&self.data);
        self.tls_files.as_ref().map_or(own, |files| files.0.clone())
    }
}

/// Whether a file is there. A file of which that cannot be told is an error, and no reason for a new pair.
fn there(path: &Path) -> Result<bool, String> {
    path.try_exists().map_err(|e| format!("{}: {e}", path.display()))
}

fn sha256(bytes: &[u8]) -> String {
    let suite = TLS13_AES_128_GCM_SHA256.tls13().expect("a TLS 1.3 suite");
    let hash = suite.common.hash_provider.hash(bytes);
    hash.as_ref().iter().map(|b| format!("{b:02x}")).collect()
}

/// Years that the certificate is valid for.
const YEARS: i32 = 10;

/// The first day of a certificate that is made now, and its last one: year, month, day. It is valid from the day before on, wherever the
/// client is and however its clock is set.
fn validity(now: SystemTime) -> [(i32, u8, u8); 2] {
    let day = Stamp::of(now - Duration::from_secs(86_400));
    let (year, month) = (day.year as i32, day.month as u8);
    // Each year has the 28th of February.
    [(year, month, day.day as u8), (year + YEARS, month, day.day.min(28) as u8)]
}

/// Makes the self-signed pair for the names under which a local server is reached.
fn make(certificate: &Path, key: &Path) -> Result<(), String> {
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let mut names = vec!["localhost".to_string(), "127.0.0.1".to_string(), "::1".to_string()];
    if !host.is_empty() && host.is_ascii() && host != "localhost" {
        names.push(host);
    }
    let mut params = rcgen::CertificateParams::new(names).map_err(|e| e.to_string())?;
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(rcgen::DnType::CommonName, "Taffrail self-signed certificate");
    let [from, to] = validity(SystemTime::now());
    params.not_before = rcgen::date_time_ymd(from.0, from.1, from.2);
    params.not_after = rcgen::date_time_ymd(to.0, to.1, to.2);
    let pair = rcgen::KeyPair::generate().map_err(|e| e.to_string())?;
    let signed = params.self_signed(&pair).map_err(|e| e.to_string())?;
    // Whichever of the two a loss of power leaves, the next start makes both anew.
    let write = |path: &Path, text: &str, mode| {
        write_small_file(path, text.as_bytes(), mode).map_err(|e| e.to_string())
    };
    write(key, &pair.serialize_pem(), 0o600)?;
    write(certificate, &signed.pem(), 0o644)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    fn load(dir: &Path) -> (String, Option<String>) {
        let mut said = None;
        let tls = Tls::load(dir, None, |text| said = Some(text.to_owned())).unwrap();
        (tls.fingerprint, said)
    }

    fn folder(name: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("taffrail-tls-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).unwrap();
        dir
    }

    #[test]
    fn a_certificate_is_valid_from_now_on() {
        let day = |days: u64| validity(SystemTime::UNIX_EPOCH + Duration::from_secs(86_400 * days));
        assert_eq!(day(1), [(1970, 1, 1), (1980, 1, 1)]);
        // 2024-03-01.
        assert_eq!(day(19_783), [(2024, 2, 29), (2034, 2, 28)]);
    }

    #[test]
    fn a_pair_is_made_once() {
        let dir = folder("once");
        let first = load(&dir);
        assert_eq!((first.0.len(), &first.1), (64, &None));
        assert_eq!(load(&dir), first);
        let mode = fs::metadata(dir.join("server.key")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(sha256(b"abc").get(..8), Some("ba7816bf"));
        fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn whatever_a_loss_of_power_leaves_of_our_pair_is_made_anew_and_said() {
        let dir = folder("cut");
        let files = own_files(&dir);
        let mut last = load(&dir).0;
        let whole = files.clone().map(|f| fs::read(f).unwrap());
        let other = folder("cut-other");
        load(&other);
        for (n, file) in files.iter().enumerate() {
            let cuts = [0, 1, whole[n].len() / 2, whole[n].len() - 30];
            let mut states: Vec<Option<Vec<u8>>> =
                cuts.iter().map(|cut| Some(whole[n][..*cut].to_vec())).collect();
            states.push(None);
            states.push(Some(vec![0; whole[n].len()]));
            // The certificate of another key.
            states.push(Some(fs::read(&own_files(&other)[n]).unwrap()));
            for state in states {
                match &state {
                    Some(bytes) => fs::write(file, bytes).unwrap(),
                    None => fs::remove_file(file).unwrap(),
                }
                let (made, said) = load(&dir);
                assert!(made != last && said.is_some(), "{file:?} {state:?}");
                assert_eq!(load(&dir), (made.clone(), None));
                last = made;
            }
        }
        // Of a write that was cut off there is only the temporary file.
        files.iter().for_each(|f| fs::remove_file(f).unwrap());
        for file in &files {
            fs::write(taffrail_io::small_file_temporary(file), "-----BEG").unwrap();
        }
        assert_eq!(load(&dir).1, None);
        fs::remove_dir_all(&dir).unwrap();
        fs::remove_dir_all(&other).unwrap();
    }

    #[test]
    fn a_pair_of_the_users_is_never_replaced() {
        let dir = folder("given");
        load(&dir);
        let [certificate, key] = own_files(&dir);
        fs::write(&key, "no key").unwrap();
        let given = Some((certificate.as_path(), key.as_path()));
        let refused = Tls::load(&dir, given, |said| panic!("{said}"));
        assert!(refused.is_err());
        assert_eq!(fs::read(&key).unwrap(), b"no key");
        fs::remove_dir_all(&dir).unwrap();
    }
}
