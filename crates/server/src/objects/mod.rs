//! Object stores that speak S3: where `URL = 's3://…'` of BACKUP and RESTORE leads.
//!
//! ```text
//!  backup ─► upload ─┐
//!  restore ◄─ download ┴─ client ── sign ── http ── TLS, or plain text to this machine where a setting allows it
//! ```
//! | module | holds |
//! |---|---|
//! | `address` | addresses of objects |
//! | `sign` | AWS Signature Version 4 |
//! | `http` | a connection, and requests on it |
//! | `client` | requests that are asked again, and what answers mean |
//! | `upload`, `download` | an object that is written, one that is read |
//! | `xml` | the little of it that answers have |
//! | `sealed` | the secrets of credentials |

mod address;
mod client;
mod download;
mod http;
mod sealed;
mod sign;
mod upload;
mod xml;

pub(crate) use sealed::KEY_FILE;

use address::Address;
use client::Client;
use download::Download;
use http::Stop;
use parking_lot::Mutex;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use sealed::Seal;
use sign::SigningKey;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use taffrail_engine::ObjectAddress;
use taffrail_io::{IoError, IoResult, RemoteObject, SystemError, Volume};
use upload::Upload;

/// The directory beside the databases whose certificates are trusted beside the operating system's.
pub(crate) const CERTIFICATES: &str = "ca-certificates";

/// Where systems keep the certificates that they trust.
const SYSTEM: [&str; 5] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// The addresses of objects that somebody is about to write, or writes.
type Claimed = Arc<Mutex<HashSet<String>>>;

/// The object stores that a server reaches, and the secrets by which it does.
pub(crate) struct Objects {
    seal: Seal,
    claimed: Claimed,
    certificates: PathBuf,
    /// Stores on this machine are asked in plain text.
    plain_loopback: bool,
}

impl Objects {
    pub(crate) fn new(data: &Path, plain_loopback: bool) -> Objects {
        let (seal, claimed) = (Seal::new(data), Claimed::default());
        Objects { seal, claimed, certificates: data.join(CERTIFICATES), plain_loopback }
    }

    pub(crate) fn seal(&self, secret: &str) -> Result<Vec<u8>, String> {
        self.seal.seal(secret)
    }

    pub(crate) fn unseal(&self, sealed: &[u8]) -> Result<String, String> {
        self.seal.unseal(sealed)
    }

    /// An object; nothing is asked of its store yet.
    pub(crate) fn object(&self, at: ObjectAddress) -> IoResult<Arc<dyn RemoteObject>> {
        let path = PathBuf::from(&at.url);
        let wrong = |number, text: &str| IoError::new("open", &path, SystemError::io(number, text));
        let address = Address::parse(&at.url);
        let address = address.ok_or_else(|| wrong(87, "The parameter is incorrect."))?;
        let tls = match self.plain_loopback && address.is_loopback() {
            true => None,
            false => Some(self.tls().map_err(|why| wrong(http::UNSAFE, &why))?),
        };
        // They go into headers as they are.
        let plain = |text: &str| text.bytes().all(|b| b.is_ascii_graphic() && !b"/,".contains(&b));
        if !plain(&at.key_id) || !plain(&at.region) {
            return Err(wrong(87, "The parameter is incorrect."));
        }
        let (part_bytes, at_once) = (at.part_bytes, at.parts_at_once.max(1));
        let key = SigningKey { id: at.key_id, secret: at.key, region: at.region };
        let stop = Stop::default().or(&at.cancel);
        let place = format!("{}{}", address.authority.to_ascii_lowercase(), address.path);
        let client = Client::new(path, address, key, tls, stop);
        let claim = Claim { claimed: self.claimed.clone(), place, is_mine: Mutex::new(false) };
        Ok(Arc::new(Object { client, part_bytes, at_once, claim }))
    }

    /// Whom to trust: read each time, so that a new certificate needs no restart.
    fn tls(&self) -> Result<Arc<ClientConfig>, String> {
        let mut roots = RootCertStore::empty();
        let system = std::env::var_os("SSL_CERT_FILE").map(PathBuf::from);
        let mut known = SYSTEM.iter().map(PathBuf::from);
        let system = system.or_else(|| known.find(|path| path.exists()));
        let own = std::fs::read_dir(&self.certificates).into_iter().flatten();
        let own = own.filter_map(|entry| Some(entry.ok()?.path()));
        for file in system.into_iter().chain(own) {
            let at = |e: &dyn std::fmt::Display| format!("{}: {e}", file.display());
            let found = CertificateDer::pem_file_iter(&file).map_err(|e| at(&e))?;
            // A bundle may have some that nobody here can read.
            roots.add_parsable_certificates(found.filter_map(Result::ok));
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&rustls::version::TLS13, &rustls::version::TLS12])
            .map_err(|e| e.to_string())?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Arc::new(config))
    }
}

/// The right to write an object, which one alone has, as long as it lives.
struct Claim {
    claimed: Claimed,
    /// The address, however it was written: host and port as requests have them, and the path.
    place: String,
    is_mine: Mutex<bool>,
}

impl Claim {
    /// False: somebody else has it.
    fn take(&self) -> bool {
        let mut is_mine = self.is_mine.lock();
        *is_mine = *is_mine || self.claimed.lock().insert(self.place.clone());
        *is_mine
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if *self.is_mine.get_mut() {
            self.claimed.lock().remove(&self.place);
        }
    }
}

/// An object of a store.
struct Object {
    client: Client,
    part_bytes: usize,
    at_once: usize,
    claim: Claim,
}

impl Object {
    /// The object is going to be written: by nobody else at the same time, as a file is.
    fn claim(&self) -> IoResult<()> {
        const IN_USE: &str =
            "The process cannot access the file because it is being used by another process.";
        match self.claim.take() {
            true => Ok(()),
            false => Err(self.client.error("open", 32, IN_USE)),
        }
    }

    /// Whoever reads or writes has connections of his own.
    fn client(&self) -> Client {
        self.client.with(self.client.stop().clone())
    }
}

impl RemoteObject for Object {
    fn path(&self) -> &Path {
        &self.client.path
    }

    fn exists(&self) -> IoResult<bool> {
        self.claim()?;
        self.client.exists()
    }

    fn create(&self) -> IoResult<Arc<dyn Volume>> {
        self.claim()?;
        Ok(Arc::new(Upload::begin(self.client(), self.part_bytes, self.at_once)?))
    }

    fn open(&self) -> IoResult<Arc<dyn Volume>> {
        Ok(Arc::new(Download::open(self.client())?))
    }

    fn remove(&self) -> IoResult<()> {
        // Also where the backup was stopped: its own client asks for nothing any more.
        self.client.hurried().remove()
    }
}
