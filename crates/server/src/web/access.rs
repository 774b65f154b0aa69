//! Who is on this machine, and who has the token.

use axum::http::{HeaderMap, Version, header};
use std::net::{IpAddr, SocketAddr};

/// The name in a Host header without its port.
fn host_name(host: &str) -> &str {
    match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    }
}

fn is_loopback_name(name: &str) -> bool {
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Headers that proxies add; any that begins with `x-forwarded` is one, too.
const PASSED_ON: [&str; 7] = [
    "forwarded",
    "via",
    "x-real-ip",
    "x-client-ip",
    "x-cluster-client-ip",
    "x-original-host",
    "true-client-ip",
];

/// A proxy has passed the request on: it says so, or speaks HTTP/1.0, as proxies do to whom they pass requests on, and no browser,
/// scraper or curl does.
fn by_proxy(version: Version, headers: &HeaderMap) -> bool {
    version < Version::HTTP_11
        || headers.keys().any(|name| {
            PASSED_ON.contains(&name.as_str()) || name.as_str().starts_with("x-forwarded")
        })
}

/// Whoever sent the request means the machine that his own program runs on: its Host header names the loopback interface, and no proxy
/// has passed it on. Behind a port that a container engine publishes on its host's loopback interface the request comes from the
/// engine's network.
pub(super) fn means_own_machine(version: Version, headers: &HeaderMap) -> bool {
    let host = headers.get(header::HOST).and_then(|h| h.to_str().ok());
    host.is_some_and(|host| is_loopback_name(host_name(host))) && !by_proxy(version, headers)
}

/// The request comes from this machine, and whoever sent it knows.
pub(super) fn is_local(peer: SocketAddr, version: Version, headers: &HeaderMap) -> bool {
    peer.ip().to_canonical().is_loopback() && means_own_machine(version, headers)
}

/// The Authorization header has this token.
pub(super) fn bears(headers: &HeaderMap, token: &str) -> bool {
    let given = headers.get(header::AUTHORIZATION).and_then(|h| h.to_str().ok());
    let given = given.and_then(|h| h.split_once(' '));
    given.is_some_and(|(scheme, given)| {
        scheme.eq_ignore_ascii_case("bearer") && same(given.trim().as_bytes(), token.as_bytes())
    })
}

/// The name and the password of an Authorization header of the scheme Basic; the error: there is such a header, and it says neither.
pub(super) fn basic(headers: &HeaderMap) -> Option<Result<(String, String), ()>> {
    let given = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, given) = given.split_once(' ')?;
    let decoded = || {
        let text = String::from_utf8(base64(given.trim())?).ok()?;
        let (name, password) = text.split_once(':')?;
        Some((name.to_owned(), password.to_owned()))
    };
    scheme.eq_ignore_ascii_case("basic").then(|| decoded().ok_or(()))
}

/// Bytes from base64 with its padding (RFC 4648, section 4).
fn base64(text: &str) -> Option<Vec<u8>> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text.trim_end_matches('=');
    if !text.len().is_multiple_of(4) || text.len() - digits.len() > 2 {
        return None;
    }
    let (mut out, mut bits, mut kept) = (Vec::new(), 0_u32, 0);
    for digit in digits.bytes() {
        let value = DIGITS.iter().position(|d| *d == digit)?;
        bits = bits << 6 | value as u32;
        kept += 6;
        if kept >= 8 {
            kept -= 8;
            out.push((bits >> kept) as u8);
        }
    }
    Some(out)
}

/// Takes as long for every guess of the right length.
pub(super) fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn local(peer: &str, headers: &[(&'static str, &'static str)]) -> bool {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(*name, HeaderValue::from_static(value));
        }
        is_local(format!("{peer}:5000").parse().unwrap(), Version::HTTP_11, &map)
    }

    #[test]
    fn who_comes_through_a_proxy_is_elsewhere() {
        let own = ("host", "127.0.0.1:8433");
        for name in ["x-forwarded-for", "x-forwarded-proto", "via", "forwarded", "x-real-ip"] {
            assert!(!local("127.0.0.1", &[own, (name, "x")]), "{name}");
        }
        // nginx without a line of configuration: HTTP/1.0, and the upstream's address as Host.
        let mut map = HeaderMap::new();
        map.insert("host", HeaderValue::from_static(own.1));
        assert!(means_own_machine(Version::HTTP_11, &map));
        assert!(!means_own_machine(Version::HTTP_10, &map));
        let peer = "127.0.0.1:5000".parse().unwrap();
        assert!(is_local(peer, Version::HTTP_11, &map) && !is_local(peer, Version::HTTP_10, &map));
        // From a container engine's network.
        assert!(!is_local("10.0.2.2:5000".parse().unwrap(), Version::HTTP_11, &map));
    }

    #[test]
    fn only_who_means_this_machine_is_on_it() {
        for host in ["localhost", "LOCALHOST:8433", "127.0.0.1:8433", "127.1.2.3", "[::1]:8433"] {
            assert!(local("127.0.0.1", &[("host", host)]), "{host}");
        }
        assert!(local("[::1]", &[("host", "localhost")]));
        assert!(local("[::ffff:127.0.0.1]", &[("host", "localhost")]));
        for host in
            ["evil.example", "localhost.evil.example:8433", "127.0.0.1.evil.example", "", "["]
        {
            assert!(!local("127.0.0.1", &[("host", host)]), "{host}");
        }
        assert!(!local("127.0.0.1", &[]));
        assert!(!local("10.0.0.1", &[("host", "localhost")]));
    }

    #[test]
    fn a_name_and_a_password_are_read_from_base_64() {
        let with = |value| {
            let mut map = HeaderMap::new();
            map.insert(header::AUTHORIZATION, HeaderValue::from_static(value));
            basic(&map)
        };
        let said = |name: &str, password: &str| Some(Ok((name.to_owned(), password.to_owned())));
        assert_eq!(with("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), said("Aladdin", "open sesame"));
        assert_eq!(with("basic dGVzdDoxMjPCow=="), said("test", "123\u{a3}"), "RFC 7617");
        assert_eq!(with("Basic YTpiOmM="), said("a", "b:c"));
        for wrong in ["Basic YQ==", "Basic YTpiOmM", "Basic !!!!", "Basic YTo===", "Basic /w=="] {
            assert_eq!(with(wrong), Some(Err(())), "{wrong}");
        }
        assert!(with("Bearer YTpi").is_none() && basic(&HeaderMap::new()).is_none());
    }

    #[test]
    fn the_token_is_compared_whole() {
        let with = |value| {
            let mut map = HeaderMap::new();
            map.insert(header::AUTHORIZATION, HeaderValue::from_static(value));
            bears(&map, "secret")
        };
        assert!(with("Bearer secret") && with("bearer  secret"));
        assert!(!with("Bearer secre") && !with("Bearer secrets") && !with("Basic secret"));
        assert!(!with("secret") && !bears(&HeaderMap::new(), "secret"));
    }
}
