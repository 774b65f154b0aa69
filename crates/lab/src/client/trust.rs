//! Whom a client believes to be its server.

use super::transport::tls_error;
use super::{ConnectOptions, Result};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{Resumption, WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{
    WebPkiSupportedAlgorithms, ring, verify_tls12_signature, verify_tls13_signature,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where systems keep the certificates that they trust, if SSL_CERT_FILE does not say so.
const SYSTEM_ROOTS: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

/// TLS as a connection wants it.
pub(super) fn config(options: &ConnectOptions) -> Result<Arc<ClientConfig>> {
    let provider = Arc::new(ring::default_provider());
    let algorithms = provider.signature_verification_algorithms;
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&[&rustls::version::TLS12])
        .map_err(tls_error)?;
    let mut config = if let Some(path) = &options.pinned_certificate {
        let only = certificates(path)
            .ok()
            .and_then(|c| c.into_iter().next())
            .or_else(|| std::fs::read(path).ok().map(CertificateDer::from))
            .ok_or_else(|| tls_error(format!("{}: no certificate", path.display())))?;
        let only = Arc::new(AnyCertificate { algorithms, only: Some(only) });
        builder.dangerous().with_custom_certificate_verifier(only).with_no_client_auth()
    } else if options.trust_server_certificate {
        let any = Arc::new(AnyCertificate { algorithms, only: None });
        builder.dangerous().with_custom_certificate_verifier(any).with_no_client_auth()
    } else {
        let system = || SYSTEM_ROOTS.iter().map(PathBuf::from).find(|p| p.exists());
        let named =
            || std::env::var_os("SSL_CERT_FILE").filter(|f| !f.is_empty()).map(PathBuf::from);
        let given = match options.ca_file.clone().or_else(named).or_else(system) {
            Some(path) => certificates(&path)?,
            None => Vec::new(),
        };
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(given.iter().cloned());
        // Without a single root there is nobody to believe, and no verifier.
        let chain = match roots.is_empty() {
            true => {
                return Err(tls_error("there is no certificate to trust: name one, or trust any"));
            }
            false => WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider),
        };
        let signed = Signed { chain: chain.build().map_err(tls_error)?, given };
        builder.dangerous().with_custom_certificate_verifier(Arc::new(signed)).with_no_client_auth()
    };
    config.resumption = Resumption::disabled();
    Ok(Arc::new(config))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let fail = |e: rustls::pki_types::pem::Error| tls_error(format!("{}: {e}", path.display()));
    CertificateDer::pem_file_iter(path).map_err(fail)?.map(|c| c.map_err(fail)).collect()
}

/// Who has a certificate that one of the given ones has signed, or a given one itself: self-signed ones are often made as those of an
/// authority, which a chain cannot end in.
#[derive(Debug)]
struct Signed {
    chain: Arc<WebPkiServerVerifier>,
    given: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for Signed {
    fn verify_server_cert(
        &self,
        end: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        if !self.given.iter().any(|g| g == end) {
            return self.chain.verify_server_cert(end, between, name, ocsp, now);
        }
        verify_server_name(&ParsedCertificate::try_from(end)?, name)?;
        let [from, to] = validity(end).ok_or(CertificateError::BadEncoding)?;
        match now.as_secs() {
            now if now < from => Err(CertificateError::NotValidYet.into()),
            now if now > to => Err(CertificateError::Expired.into()),
            _ => Ok(ServerCertVerified::assertion()),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        self.chain.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        self.chain.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.chain.supported_verify_schemes()
    }
}

/// From when to when a certificate is valid, in seconds since 1970.
fn validity(certificate: &[u8]) -> Option<[u64; 2]> {
    const SEQUENCE: u8 = 0x30;
    const VERSION: u8 = 0xA0;
    let sequence = |der| element(der).filter(|((tag, _), _)| *tag == SEQUENCE).map(|((_, c), _)| c);
    let mut rest = sequence(sequence(certificate)?)?;
    if rest.first() == Some(&VERSION) {
        rest = element(rest)?.1;
    }
    // Serial number, algorithm, issuer.
    for _ in 0..3 {
        rest = element(rest)?.1;
    }
    let (from, rest) = element(sequence(rest)?)?;
    let (to, _) = element(rest)?;
    Some([moment(from)?, moment(to)?])
}

/// The first element of some DER, its tag and content, and what follows it.
fn element(der: &[u8]) -> Option<((u8, &[u8]), &[u8])> {
    let (&tag, rest) = der.split_first()?;
    let (&first, mut rest) = rest.split_first()?;
    let mut length = first as usize;
    if first & 0x80 != 0 {
        let (bytes, after) = rest.split_at_checked((first & 0x7f) as usize)?;
        if bytes.len() > 4 {
            return None;
        }
        length = bytes.iter().fold(0, |n, b| n << 8 | *b as usize);
        rest = after;
    }
    let (content, after) = rest.split_at_checked(length)?;
    Some(((tag, content), after))
}

/// UTCTime or GeneralizedTime.
fn moment((tag, text): (u8, &[u8])) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
    let (year, rest) = text.split_at_checked(match tag {
        0x17 => 2,
        0x18 => 4,
        _ => return None,
    })?;
    if rest.len() != 10 || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let year: u64 = match (tag, year.parse().ok()?) {
        (0x17, year @ 0..50) => 2000 + year,
        (0x17, year) => 1900 + year,
        (_, year) => year,
    };
    let part = |i: usize| rest[2 * i..2 * i + 2].parse::<u64>().ok();
    let (month, day) = (part(0)?, part(1)?);
    let before: u64 = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]
        .get(month.checked_sub(1)? as usize)
        .copied()?;
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let past = year.checked_sub(1)?;
    let days = past * 365 + past / 4 - past / 100 + past / 400 + before + day.checked_sub(1)?;
    let days = days + u64::from(is_leap && month > 2);
    // What cannot be told was over long ago, or is not yet.
    let days = days.saturating_sub(719_162);
    Some(days * 86_400 + part(2)? * 3600 + part(3)? * 60 + part(4)?)
}

/// "Trust server certificate": whoever answers is believed to be the server; or only who has this one certificate.
#[derive(Debug)]
struct AnyCertificate {
    algorithms: WebPkiSupportedAlgorithms,
    only: Option<CertificateDer<'static>>,
}

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        end: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        match &self.only {
            Some(only) if only != end => Err(rustls::Error::General(
                "the server's certificate is not the one that was given".into(),
            )),
            _ => Ok(ServerCertVerified::assertion()),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_certificates_are_seconds() {
        for (tag, text, want) in [
            (0x17, "700101000000Z", Some(0)),
            (0x17, "491231235959Z", Some(2_524_607_999)),
            (0x18, "20240301120000Z", Some(1_709_294_400)),
            (0x18, "20240229000000Z", Some(1_709_164_800)),
            (0x18, "99991231235959Z", Some(253_402_300_799)),
            (0x17, "700001000000Z", None),
            (0x17, "70010100000Z", None),
            (0x18, "700101000000Z", None),
            (0x02, "700101000000Z", None),
        ] {
            assert_eq!(moment((tag, text.as_bytes())), want, "{text}");
        }
        assert_eq!(element(&[0x30, 0x82, 0, 1, 7, 8]), Some(((0x30, &[7][..]), &[8][..])));
        assert_eq!((element(&[0x30, 2, 1]), element(&[0x30, 0x85, 0, 0, 0, 0, 1])), (None, None));
        assert_eq!(validity(&[0x30, 2, 0x30, 0]), None);
    }
}
