//! The server's certificate and what TLS it speaks.
//!
//! Without files from the user a self-signed pair is made at the first start and kept in the data directory
//! (`server.crt`, `server.key` with mode 0600); its fingerprint goes to the error log, so that a client can be told
//! whom to trust.
//!
//! Inside TDS 7.x the handshake travels in packets and the envelope ends with its last byte. There TLS 1.2 is the
//! ceiling, as with SQL Server itself: in 1.3 either side may still owe records after its last flight, just where
//! both stop wrapping. No tickets for the same reason. TDS 8.0 is plain TLS and speaks 1.3 too.

use rustls::ServerConfig;
use rustls::crypto::ring::cipher_suite::TLS13_AES_128_GCM_SHA256;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

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
    /// From the user's files, or from the self-signed pair in `dir`, which is made if it is not there.
    pub(crate) fn load(dir: &Path, files: Option<(&Path, &Path)>) -> Result<Tls, String> {
        match files {
            Some((certificate, key)) => Tls::from_pem(certificate, key),
            None => {
                let (certificate, key) = (dir.join("server.crt"), dir.join("server.key"));
                if !certificate.exists() || !key.exists() {
                    make(&certificate, &key)?;
                }
                Tls::from_pem(&certificate, &key)
            }
        }
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

fn sha256(bytes: &[u8]) -> String {
    let suite = TLS13_AES_128_GCM_SHA256.tls13().expect("a TLS 1.3 suite");
    let hash = suite.common.hash_provider.hash(bytes);
    hash.as_ref().iter().map(|b| format!("{b:02x}")).collect()
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
    let year = crate::clock::Stamp::now().year as i32;
    params.not_before = rcgen::date_time_ymd(year - 1, 1, 1);
    params.not_after = rcgen::date_time_ymd(year + 10, 1, 1);
    let pair = rcgen::KeyPair::generate().map_err(|e| e.to_string())?;
    let signed = params.self_signed(&pair).map_err(|e| e.to_string())?;
    // The key first: a certificate without its key is made anew, a key without its certificate is too.
    write_private(key, pair.serialize_pem().as_bytes())?;
    fs::write(certificate, signed.pem()).map_err(|e| format!("{}: {e}", certificate.display()))
}

/// Writes a file that only its owner may read.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> Result<(), String> {
    use std::os::unix::fs::OpenOptionsExt;
    let write = || -> std::io::Result<()> {
        match fs::remove_file(path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
        let mut file = fs::File::options().write(true).create_new(true).mode(0o600).open(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    write().map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_pair_is_made_once() {
        let dir = std::env::temp_dir().join(format!("taffrail-tls-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let first = Tls::load(&dir, None).map(|t| t.fingerprint).unwrap();
        let second = Tls::load(&dir, None).map(|t| t.fingerprint).unwrap();
        assert_eq!((first.len(), &first), (64, &second));
        let mode = fs::metadata(dir.join("server.key")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(sha256(b"abc").get(..8), Some("ba7816bf"));
        fs::remove_dir_all(&dir).unwrap();
    }
}
