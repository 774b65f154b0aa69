//! Requests signed with AWS Signature Version 4, as S3 asks for it.
//!
//! ```text
//! canonical   method ⏎ path ⏎ query ⏎ each signed header ⏎ ⏎ their names ⏎ SHA-256 of the body
//! to sign     AWS4-HMAC-SHA256 ⏎ moment ⏎ day/region/s3/aws4_request ⏎ SHA-256 of the canonical request
//! key         HMAC of `aws4_request` by HMAC of `s3` by HMAC of the region by HMAC of the day by AWS4 and the secret
//! ```

use ring::{digest, hmac};

/// The key that signs, and where it is valid.
#[derive(Clone)]
pub(super) struct SigningKey {
    pub id: String,
    pub secret: String,
    pub region: String,
}

/// The parts of a request that are signed. Names of headers are in lower case; headers and the parameters of the query are sorted by
/// name, and the query is encoded.
pub(super) struct Signed<'a> {
    pub method: &'a str,
    pub path: &'a str,
    pub query: &'a str,
    pub headers: &'a [(&'a str, &'a str)],
    pub body_hash: &'a str,
    /// The moment of the request, `20130524T000000Z`.
    pub moment: &'a str,
}

/// The SHA-256 of bytes in hexadecimal digits.
pub(super) fn sha256(bytes: &[u8]) -> String {
    hex(digest::digest(&digest::SHA256, bytes).as_ref())
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |n: u8| DIGITS[usize::from(n)] as char;
    bytes.iter().flat_map(|b| [digit(b >> 4), digit(b & 15)]).collect()
}

/// The value of `Authorization`.
pub(super) fn authorization(key: &SigningKey, signed: &Signed<'_>) -> String {
    let names: Vec<&str> = signed.headers.iter().map(|(name, _)| *name).collect();
    let names = names.join(";");
    let mut canonical = format!("{}\n{}\n{}\n", signed.method, signed.path, signed.query);
    for (name, value) in signed.headers {
        canonical.push_str(&format!("{name}:{}\n", value.trim()));
    }
    canonical.push_str(&format!("\n{names}\n{}", signed.body_hash));
    let day = &signed.moment[..8];
    let scope = format!("{day}/{}/s3/aws4_request", key.region);
    let canonical = sha256(canonical.as_bytes());
    let text = format!("AWS4-HMAC-SHA256\n{}\n{scope}\n{canonical}", signed.moment);
    let by = |key: &[u8], text: &str| {
        hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text.as_bytes())
    };
    let first = by(format!("AWS4{}", key.secret).as_bytes(), day);
    let parts = [&*key.region, "s3", "aws4_request", &*text];
    let signature = parts.iter().fold(first, |key, part| by(key.as_ref(), part));
    format!(
        "AWS4-HMAC-SHA256 Credential={}/{scope}, SignedHeaders={names}, Signature={}",
        key.id,
        hex(signature.as_ref())
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    /// The signature of a request of the documentation's examples, whose keys and moment are always the same.
    fn signature(query: &str, headers: &[(&str, &str)]) -> String {
        let key = SigningKey {
            id: "AKIAIOSFODNN7EXAMPLE".into(),
            secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".into(),
            region: "us-east-1".into(),
        };
        let path = if query.is_empty() { "/test.txt" } else { "/" };
        let moment = "20130524T000000Z";
        let common = [
            ("host", "examplebucket.s3.amazonaws.com"),
            ("x-amz-content-sha256", EMPTY),
            ("x-amz-date", moment),
        ];
        let mut all: Vec<_> = common.iter().chain(headers).copied().collect();
        all.sort();
        let signed = Signed { method: "GET", path, query, headers: &all, body_hash: EMPTY, moment };
        let text = authorization(&key, &signed);
        text.rsplit_once("Signature=").unwrap().1.to_owned()
    }

    // Amazon S3's documentation, "Signature Calculations for the Authorization Header: Transferring Payload in a Single Chunk".
    #[test]
    fn the_examples_of_the_documentation_have_their_signatures() {
        assert_eq!(sha256(b""), EMPTY);
        assert_eq!(
            signature("", &[("range", "bytes=0-9")]),
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        );
        assert_eq!(
            signature("lifecycle=", &[]),
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
        );
        assert_eq!(
            signature("max-keys=2&prefix=J", &[]),
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        );
    }
}
