//! Addresses of objects: `s3://host[:port]/path`, the bucket in the host or first in the path.

use std::fmt::Write;
use std::net::IpAddr;

/// Where an object is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Address {
    /// A name or an address, without brackets.
    pub host: String,
    pub port: u16,
    /// The value of `Host`: without the port that is everybody's.
    pub authority: String,
    /// The path as requests have it, from the first slash on.
    pub path: String,
}

/// The port of HTTPS, which `s3://` means.
const HTTPS: u16 = 443;

impl Address {
    /// Reads an address. None: it is none, or names no object.
    pub fn parse(url: &str) -> Option<Address> {
        let rest = url.get(5..).filter(|_| url[..5].eq_ignore_ascii_case("s3://"))?;
        let (place, key) = rest.split_once('/')?;
        if key.contains(['?', '#']) || key.is_empty() || key.ends_with('/') {
            return None;
        }
        let (host, port) = match place.strip_prefix('[') {
            Some(six) => {
                let (host, port) = six.split_once(']')?;
                (Some(host).filter(|h| h.contains(':'))?, port)
            }
            None => place.find(':').map_or((place, ""), |at| place.split_at(at)),
        };
        let port = match port.strip_prefix(':') {
            Some(port) => port.parse().ok()?,
            None if port.is_empty() => HTTPS,
            None => return None,
        };
        let six = host.contains(':');
        let named = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
        let valid = if six { host.parse::<IpAddr>().is_ok() } else { host.chars().all(named) };
        if host.is_empty() || !valid {
            return None;
        }
        let shown = if six { format!("[{host}]") } else { host.to_owned() };
        let authority = if port == HTTPS { shown } else { format!("{shown}:{port}") };
        let path = format!("/{}", encoded(key, true));
        Some(Address { host: host.into(), port, authority, path })
    }

    /// Whether nobody but this machine is asked.
    pub fn is_loopback(&self) -> bool {
        let address = self.host.parse::<IpAddr>();
        address.map_or(self.host.eq_ignore_ascii_case("localhost"), |at| at.is_loopback())
    }
}

/// A text as paths and queries have it, with `%` and two digits for all but letters, digits and `-._~`.
pub(super) fn encoded(text: &str, slashes: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for b in text.bytes() {
        let plain = b.is_ascii_alphanumeric() || b"-._~".contains(&b) || (slashes && b == b'/');
        match plain {
            true => out.push(b as char),
            false => write!(out, "%{b:02X}").expect("a String takes it"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::Address;

    fn read(url: &str) -> Option<(String, u16, String, String)> {
        Address::parse(url).map(|a| (a.host, a.port, a.authority, a.path))
    }

    #[test]
    fn addresses_are_read() {
        let of = |host: &str, port, authority: &str, path: &str| {
            Some((host.into(), port, authority.into(), path.into()))
        };
        assert_eq!(read("s3://h:9000/b/x.bak"), of("h", 9000, "h:9000", "/b/x.bak"));
        assert_eq!(
            read("S3://b.h.net/a b/ü.bak"),
            of("b.h.net", 443, "b.h.net", "/a%20b/%C3%BC.bak")
        );
        assert_eq!(read("s3://[::1]:99/b/x"), of("::1", 99, "[::1]:99", "/b/x"));
        for none in [
            "s3://h",
            "s3://h/",
            "s3://h/b/",
            "s3:///b/x",
            "s3://u@h/b",
            "s3://h:x/b/c",
            "https://h/b/x",
            "s3://h/b?versions",
            "s3",
            "ſ3://h/b",
            "s3://[h]/b/x",
            "s3://[::1]9/b/x",
        ] {
            assert_eq!(read(none), None, "{none}");
        }
    }

    #[test]
    fn loopback_is_known_by_name_and_address() {
        let at = |host: &str| Address::parse(&format!("s3://{host}/b/x")).unwrap().is_loopback();
        assert!(at("localhost") && at("127.0.0.1:9") && at("[::1]:9"));
        assert!(!at("192.0.2.1") && !at("localhost.example.net"));
    }
}
