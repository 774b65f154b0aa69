//! Whom a client believes to be its server.

use super::transport::tls_error;
use super::{ConnectOptions, Result};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{Resumption, WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, ring, verify_tls12_signature, verify_tls13_signature,
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
    let believes = if let Some(path) = &options.pinned_certificate {
        let only = certificates(path)
            .ok()
            .and_then(|c| c.into_iter().next())
            .or_else(|| std::fs::read(path).ok().map(CertificateDer::from))
            .ok_or_else(|| tls_error(format!("{}: no certificate", path.display())))?;
        Believes::Only(only)
    } else if options.trust_server_certificate {
        Believes::Anyone
    } else {
        let system = || SYSTEM_ROOTS.iter().map(PathBuf::from).find(|p| p.exists());
        let named =
            || std::env::var_os("SSL_CERT_FILE").filter(|f| !f.is_empty()).map(PathBuf::from);
        let given = match options.ca_file.clone().or_else(named).or_else(system) {
            Some(path) => certificates(&path)?,
            None => Vec::new(),
        };
        Believes::signed(given, provider)?
    };
    let verifier = Arc::new(Verifier { algorithms, believes });
    let mut config =
        builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth();
    config.resumption = Resumption::disabled();
    Ok(Arc::new(config))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let fail = |e: rustls::pki_types::pem::Error| tls_error(format!("{}: {e}", path.display()));
    CertificateDer::pem_file_iter(path).map_err(fail)?.map(|c| c.map_err(fail)).collect()
}

#[derive(Debug)]
enum Believes {
    /// Whoever answers: "trust server certificate".
    Anyone,
    /// A server that has this very certificate.
    Only(CertificateDer<'static>),
    /// A server with a certificate that one of `given` has signed, or one of them itself.
    Signed { chain: Arc<WebPkiServerVerifier>, given: Vec<CertificateDer<'static>> },
}

impl Believes {
    fn signed(
        given: Vec<CertificateDer<'static>>,
        provider: Arc<CryptoProvider>,
    ) -> Result<Believes> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(given.iter().cloned());
        // Without a single root there is nobody to believe, and no verifier.
        if roots.is_empty() {
            return Err(tls_error("there is no certificate to trust: name one, or trust any"));
        }
        let chain = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider);
        Ok(Believes::Signed { chain: chain.build().map_err(tls_error)?, given })
    }
}

#[derive(Debug)]
struct Verifier {
    algorithms: WebPkiSupportedAlgorithms,
    believes: Believes,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        match &self.believes {
            Believes::Anyone => Ok(ServerCertVerified::assertion()),
            Believes::Only(only) if only == end => Ok(ServerCertVerified::assertion()),
            Believes::Only(_) => Err(rustls::Error::General(
                "the server's certificate is not the one that was given".into(),
            )),
            Believes::Signed { chain, given } => {
                let verified = chain.verify_server_cert(end, between, name, ocsp, now);
                match verified {
                    Err(e) if is_about_the_chain(&e) && given.iter().any(|g| g == end) => {
                        verify_server_name(&ParsedCertificate::try_from(end)?, name)?;
                        Ok(ServerCertVerified::assertion())
                    }
                    verified => verified,
                }
            }
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

/// Findings about a certificate that was itself given: self-signed ones are often made as those of an authority, which a chain cannot end
/// in, and others have a signer who was not given. Both are told behind the dates: a certificate that is not valid now is another error.
fn is_about_the_chain(e: &rustls::Error) -> bool {
    match e {
        rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer) => true,
        rustls::Error::InvalidCertificate(CertificateError::Other(why)) => {
            matches!(why.0.downcast_ref(), Some(webpki::Error::CaUsedAsEndEntity))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::{BasicConstraints, Certificate, CertificateParams, IsCa, KeyPair, date_time_ymd};
    use std::time::Duration;

    /// A self-signed certificate of `here`, of these years.
    fn certificate(is_ca: IsCa, [from, to]: [i32; 2]) -> Certificate {
        let mut params = CertificateParams::new(["here".to_owned()]).unwrap();
        params.is_ca = is_ca;
        (params.not_before, params.not_after) =
            (date_time_ymd(from, 1, 1), date_time_ymd(to, 1, 1));
        params.self_signed(&KeyPair::generate().unwrap()).unwrap()
    }

    #[test]
    fn a_given_certificate_is_believed_under_its_name_while_it_is_valid() {
        let now = UnixTime::since_unix_epoch(Duration::from_secs(1_800_000_000));
        let believed = |given: &Certificate, shown: &Certificate, name: &'static str| {
            let provider = Arc::new(ring::default_provider());
            let algorithms = provider.signature_verification_algorithms;
            let believes = Believes::signed(vec![given.der().clone()], provider).unwrap();
            let name = ServerName::try_from(name).unwrap();
            Verifier { algorithms, believes }
                .verify_server_cert(shown.der(), &[], &name, &[], now)
                .map_err(|e| e.to_string())
        };
        let authority = || IsCa::Ca(BasicConstraints::Unconstrained);
        for is_ca in [authority, || IsCa::ExplicitNoCa] {
            let good = certificate(is_ca(), [2020, 2100]);
            assert!(believed(&good, &good, "here").is_ok());
            assert!(believed(&good, &good, "there").unwrap_err().contains("not valid for name"));
            let old = certificate(is_ca(), [2020, 2021]);
            assert!(believed(&old, &old, "here").unwrap_err().contains("expired"));
            let new = certificate(is_ca(), [2090, 2100]);
            assert!(believed(&new, &new, "here").unwrap_err().contains("not valid yet"));
            let other = certificate(is_ca(), [2020, 2100]);
            assert!(believed(&other, &good, "here").is_err());
        }
    }
}
