//! Who is logged in: a random token in a cookie that no script reads and no other site sends along.

use super::{Who, json_of, refused};
use crate::authenticate::{Attempt, Presented, authenticate};
use crate::credentials::Asker;
use crate::entry::escaped;
use crate::errorlog::Level;
use crate::listener::Shared;
use crate::permits::Origin;
use crate::web::connections::Peer;
use crate::web::{Web, access};
use axum::body::Bytes;
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use parking_lot::Mutex;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use taffrail_engine::Login as Stored;
use tokio::sync::Semaphore;

/// What the name of the cookie begins with; [`cookie_name`] is the whole of it.
const COOKIE: &str = "taffrail-console";
/// A login that nobody uses ends after this long.
const IDLE: Duration = Duration::from_secs(12 * 3600);
/// Logins at a time; the oldest gives way.
const LOGINS: usize = 256;
/// Attempts at a time; others wait for their turn, in the order in which they came. Each takes memory, and a thread that pages need.
const ATTEMPTS: usize = 2;
/// A body of a request that is no query.
const BODY_MAX: usize = 4096;

struct Login {
    who: Who,
    /// The stored password that it was opened with.
    password_hash: String,
    used: Instant,
}

impl Login {
    /// Somebody has used it lately, and the server's login of that name is still there, enabled, with the same password.
    fn goes_on(&self, stored: &impl Fn(&str) -> Option<Stored>) -> bool {
        let same = |s: Stored| !s.is_disabled && s.password_hash == self.password_hash;
        self.used.elapsed() < IDLE && stored(&self.who.login).is_some_and(same)
    }
}

/// Who is logged in, oldest first.
pub(super) struct Logins {
    open: Mutex<VecDeque<Login>>,
    attempts: Arc<Semaphore>,
}

impl Default for Logins {
    fn default() -> Logins {
        Logins { open: Mutex::default(), attempts: Arc::new(Semaphore::new(ATTEMPTS)) }
    }
}

impl Logins {
    /// The login of a request. `stored` finds a login of the server by its name.
    pub(super) fn find(
        &self,
        headers: &HeaderMap,
        stored: impl Fn(&str) -> Option<Stored>,
    ) -> Option<Who> {
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|c| c.to_str().ok());
        let mut pairs = cookies.flat_map(|c| c.split(';')).filter_map(|c| c.trim().split_once('='));
        let own = cookie_name(headers);
        let token = pairs.find(|(name, _)| *name == own)?.1;
        let mut open = self.open.lock();
        let same = |login: &Login| access::same(login.who.token.as_bytes(), token.as_bytes());
        open.retain(|login| login.used.elapsed() < IDLE);
        let at = open.iter().position(same)?;
        if !open[at].goes_on(&stored) {
            open.remove(at);
            return None;
        }
        let login = &mut open[at];
        login.used = Instant::now();
        Some(login.who.clone())
    }

    /// Whether a token's login goes on. (To ask for it is no use of it.)
    pub(super) fn knows(&self, token: &str, stored: impl Fn(&str) -> Option<Stored>) -> bool {
        let open = self.open.lock();
        open.iter().any(|login| login.who.token == token && login.goes_on(&stored))
    }

    fn add(&self, login: String, password_hash: String, token: String) {
        let mut open = self.open.lock();
        if open.len() >= LOGINS {
            open.pop_front();
        }
        open.push_back(Login { who: Who { login, token }, password_hash, used: Instant::now() });
    }

    fn remove(&self, token: &str) {
        self.open.lock().retain(|login| login.who.token != token);
    }
}

/// The name of the cookie for whom the browser asks. Browsers send a host's cookies to all of its ports: the port that the browser sees
/// (with a tunnel it is not the server's) keeps consoles of one host apart.
fn cookie_name(headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST).and_then(|h| h.to_str().ok());
    let port = host.and_then(|h| h.rsplit_once(':')?.1.parse::<u16>().ok());
    format!("{COOKIE}-{}", port.unwrap_or(80))
}

/// A body that says it is JSON, and is what is expected.
pub(super) fn from_json<T: DeserializeOwned>(headers: &HeaderMap, body: &[u8]) -> Option<T> {
    from_json_of(headers, body, BODY_MAX)
}

/// The same of a body that may have so many bytes.
pub(super) fn from_json_of<T: DeserializeOwned>(
    headers: &HeaderMap,
    body: &[u8],
    most: usize,
) -> Option<T> {
    let kind = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let is_json = kind.split(';').next()?.trim().eq_ignore_ascii_case("application/json");
    (is_json && body.len() <= most).then(|| serde_json::from_slice(body).ok())?
}

#[derive(Deserialize)]
struct Given {
    login: String,
    password: String,
}

/// A login by name and password, as TDS has it: one answer for whatever is wrong, and each failure waits longer.
pub(super) async fn log_in(
    State(web): State<Web>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let Some(given) = from_json::<Given>(&headers, &body) else {
        let what = "{\"login\": text, \"password\": text} is expected.";
        return refused(StatusCode::BAD_REQUEST, what);
    };
    let Ok(attempt) = web.console.logins.attempts.clone().acquire_owned().await else {
        return refused(StatusCode::SERVICE_UNAVAILABLE, "The server is about to end.");
    };
    let shared = web.shared.clone();
    let verified = tokio::task::spawn_blocking(move || verify(&shared, peer.address.ip(), &given));
    match verified.await {
        Ok(Ok((login, token))) => {
            drop(attempt);
            let name = cookie_name(&headers);
            let cookie = format!("{name}={token}; Path=/; HttpOnly; SameSite=Strict");
            let told = json_of(&json!({ "login": login.name }));
            web.console.logins.add(login.name, login.password_hash, token);
            ([(header::SET_COOKIE, cookie)], told).into_response()
        }
        Ok(Err(delay)) => {
            // Who waits for his refusal keeps nobody else from logging in: not by his turn, nor by his connection's place.
            drop(attempt);
            peer.receives(true);
            tokio::time::sleep(delay).await;
            peer.receives(false);
            refused(StatusCode::UNAUTHORIZED, "Login failed.")
        }
        Err(_) => refused(StatusCode::INTERNAL_SERVER_ERROR, "The server has made a mistake."),
    }
}

/// The login and a new token, or how long the refusal has to wait.
fn verify(shared: &Shared, from: IpAddr, given: &Given) -> Result<(Stored, String), Duration> {
    let asker = Asker { origin: Origin::Server, has_gone: &|| false };
    let presented = Presented {
        from,
        name: &given.login,
        password: &given.password,
        database: "",
        changes: false,
    };
    let attempt = authenticate(shared, asker, &presented);
    let (known, until) = match attempt {
        Attempt::Right(login) => (Some(login), Instant::now()),
        Attempt::Refused(refusal) => (None, refusal.until),
        Attempt::Contained(_) | Attempt::Gone => (None, Instant::now()),
    };
    // Its pages show the whole server.
    match known.filter(|l| shared.instance.is_sysadmin(l.id)) {
        Some(login) => {
            let login = Stored::from(&*login);
            let env = &shared.instance.options().env;
            let mut bytes = [0; 32];
            env.entropy.fill(&mut bytes);
            Ok((login, bytes.iter().map(|b| format!("{b:02x}")).collect()))
        }
        None => {
            let text = format!(
                "Login to the console failed for user '{}'. [CLIENT: {from}]",
                escaped(&given.login)
            );
            shared.log.write(Level::Warning, "Logon", &text);
            Err(until.saturating_duration_since(Instant::now()))
        }
    }
}

/// Ends the login of who asks.
pub(super) async fn log_out(
    State(web): State<Web>,
    axum::Extension(who): axum::Extension<Who>,
    headers: HeaderMap,
) -> Response {
    web.console.logins.remove(&who.token);
    let (queries, token) = (web.console.queries.clone(), who.token.clone());
    tokio::task::spawn_blocking(move || queries.end_login(&token));
    let name = cookie_name(&headers);
    let cookie = format!("{name}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
    ([(header::SET_COOKIE, cookie)], json_of(&json!({}))).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    /// Any login, with this password.
    fn with(password_hash: &str) -> impl Fn(&str) -> Option<Stored> + use<'_> {
        |name| {
            Some(Stored {
                id: 1,
                name: name.into(),
                sid: vec![1],
                password_hash: password_hash.into(),
                is_disabled: false,
                default_database: "master".into(),
            })
        }
    }

    #[test]
    fn a_login_ends_with_its_password_its_disabling_and_its_drop() {
        let logins = Logins::default();
        let cookie = with_cookie("taffrail-console-8433=one");
        let ends = |stored: Option<Stored>| {
            logins.add("sa".into(), "hash".into(), "one".into());
            assert!(
                logins.find(&cookie, with("hash")).is_some() && logins.knows("one", with("hash"))
            );
            assert!(!logins.knows("one", |_| stored.clone()));
            assert!(logins.find(&cookie, |_| stored.clone()).is_none());
            assert!(logins.find(&cookie, with("hash")).is_none(), "it does not come back");
        };
        ends(None);
        ends(with("other")("sa"));
        ends(with("hash")("sa").map(|s| Stored { is_disabled: true, ..s }));
    }

    fn with_cookie(value: &str) -> HeaderMap {
        let mut map = HeaderMap::new();
        map.insert(header::HOST, HeaderValue::from_static("localhost:8433"));
        map.insert(header::COOKIE, HeaderValue::from_str(value).unwrap());
        map
    }

    #[test]
    fn only_a_token_that_was_given_is_known_and_the_oldest_gives_way() {
        let logins = Logins::default();
        logins.add("sa".into(), "hash".into(), "first".into());
        let find = |cookie: &str| logins.find(&with_cookie(cookie), with("hash")).map(|w| w.login);
        assert_eq!(find("taffrail-console-8433=first").as_deref(), Some("sa"));
        assert_eq!(find("a=b; taffrail-console-8433=first; c=d").as_deref(), Some("sa"));
        assert_eq!(find("taffrail-console-8433="), None);
        assert_eq!(find("taffrail-console-8433=firs"), None);
        assert_eq!(find("other=first"), None);
        (1..LOGINS).for_each(|n| logins.add("sa".into(), "hash".into(), format!("t{n}")));
        assert!(find("taffrail-console-8433=first").is_some());
        logins.add("sa".into(), "hash".into(), "last".into());
        assert_eq!(find("taffrail-console-8433=first"), None);
        assert!(logins.knows("last", with("hash")) && !logins.knows("first", with("hash")));
        logins.remove("last");
        assert!(!logins.knows("last", with("hash")));
        assert_eq!(find("taffrail-console-8433=last"), None);
    }

    #[test]
    fn consoles_of_one_host_do_not_end_each_others_logins() {
        let at = |host: &str| {
            let mut map = with_cookie("taffrail-console-8433=one; taffrail-console-8434=two");
            map.insert(header::HOST, HeaderValue::from_str(host).unwrap());
            map
        };
        let (first, second) = (Logins::default(), Logins::default());
        first.add("sa".into(), "hash".into(), "one".into());
        second.add("sa".into(), "hash".into(), "two".into());
        assert!(first.find(&at("localhost:8433"), with("hash")).is_some());
        assert!(second.find(&at("localhost:8434"), with("hash")).is_some());
        assert!(first.find(&at("localhost:8434"), with("hash")).is_none());
        assert_eq!(cookie_name(&at("[::1]")), "taffrail-console-80");
        assert_eq!(cookie_name(&at("[::1]:8433")), "taffrail-console-8433");
    }

    #[test]
    fn a_body_is_json_and_short() {
        let mut headers = HeaderMap::new();
        let body = br#"{"login":"sa","password":"x"}"#;
        assert!(
            from_json::<Given>(&headers, body).is_none(),
            "a form of another site has no such type"
        );
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json; charset=utf-8"),
        );
        assert!(from_json::<Given>(&headers, body).is_some_and(|g| g.login == "sa"));
        assert!(from_json::<Given>(&headers, b"{").is_none());
        let long = format!("{{\"login\":\"{}\",\"password\":\"\"}}", "x".repeat(BODY_MAX));
        assert!(from_json::<Given>(&headers, long.as_bytes()).is_none());
    }
}
