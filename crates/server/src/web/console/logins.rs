//! Who is logged in: a random token in a cookie that no script reads and no other site sends along.

use super::session::{Account, Session};
use super::{Who, json_of, refused};
use crate::authenticate::{
    Attempt, Known, Outsider, Presented, Refusal, authenticate, change_password, note_refused,
};
use crate::credentials::Asker;
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
use taffrail_base::SqlError;
use taffrail_engine::Login as Stored;
use tokio::sync::Semaphore;

/// What the name of the cookie begins with; [`cookie_name`] is the whole of it.
const COOKIE: &str = "taffrail-console";
/// A login that nobody uses ends after this long.
const IDLE: Duration = Duration::from_secs(12 * 3600);
/// Logins at a time, and of one login of the server; its oldest gives way, then the oldest of all.
const LOGINS: usize = 256;
const LOGINS_OF_ONE: usize = 64;
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
        let same = |s: Stored| {
            !s.is_disabled
                && s.password_hash == self.password_hash
                && Account::from(&s) == self.who.account
        };
        self.used.elapsed() < IDLE && stored(&self.who.account.name).is_some_and(same)
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

    fn add(&self, login: &Stored, token: String) {
        let who = Who { account: Account::from(login), token };
        let mut open = self.open.lock();
        let own = |login: &Login| login.who.account == who.account;
        if open.iter().filter(|login| own(login)).count() >= LOGINS_OF_ONE {
            open.iter().position(own).and_then(|at| open.remove(at));
        }
        if open.len() >= LOGINS {
            open.pop_front();
        }
        let password_hash = login.password_hash.clone();
        open.push_back(Login { who, password_hash, used: Instant::now() });
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

/// A name and a password, and a new password for one that must be changed.
#[derive(Deserialize)]
pub(in crate::web) struct Given {
    pub(in crate::web) login: String,
    pub(in crate::web) password: String,
    pub(in crate::web) new_password: Option<String>,
}

/// A login by name and password, as TDS has it: the same words for whatever is wrong, and each failure waits longer.
pub(super) async fn log_in(
    State(web): State<Web>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let Some(given) = from_json::<Given>(&headers, &body) else {
        let what =
            "{\"login\": text, \"password\": text, \"new_password\": text or none} is expected.";
        return refused(StatusCode::BAD_REQUEST, what);
    };
    match verified(&web, &peer, given).await {
        Ok(login) => {
            let token = new_token(&web.shared);
            let name = cookie_name(&headers);
            let cookie = format!("{name}={token}; Path=/; HttpOnly; SameSite=Strict");
            let told = json_of(&json!({ "login": login.name }));
            web.console.logins.add(&login, token);
            ([(header::SET_COOKIE, cookie)], told).into_response()
        }
        Err(NotIn::Refused(e)) => {
            let told = json!({ "error": e.message, "number": e.number });
            (StatusCode::UNAUTHORIZED, json_of(&told)).into_response()
        }
        Err(NotIn::Otherwise(answer)) => *answer,
    }
}

/// Why a name and a password let nobody in.
pub(in crate::web) enum NotIn {
    /// The message that a client of TDS hears.
    Refused(Box<SqlError>),
    /// The server could not look.
    Otherwise(Box<Response>),
}

/// The login whose name and password they are, which may connect; a refusal has waited for its time.
pub(in crate::web) async fn verified(
    web: &Web,
    peer: &Peer,
    given: Given,
) -> Result<Stored, NotIn> {
    let otherwise = |status, why| Err(NotIn::Otherwise(Box::new(refused(status, why))));
    let Ok(attempt) = web.console.logins.attempts.clone().acquire_owned().await else {
        return otherwise(StatusCode::SERVICE_UNAVAILABLE, "The server is about to end.");
    };
    let (shared, from) = (web.shared.clone(), peer.address.ip());
    let verified = tokio::task::spawn_blocking(move || verify(&shared, from, &given)).await;
    // Who waits for his refusal keeps nobody else from logging in: not by his turn, nor by his connection's place.
    drop(attempt);
    match verified {
        Ok(Ok(login)) => Ok(login),
        Ok(Err((e, until))) => {
            peer.receives(true);
            tokio::time::sleep(until.saturating_duration_since(Instant::now())).await;
            peer.receives(false);
            Err(NotIn::Refused(e))
        }
        Err(_) => otherwise(StatusCode::INTERNAL_SERVER_ERROR, "The server has made a mistake."),
    }
}

fn new_token(shared: &Shared) -> String {
    let mut bytes = [0; 32];
    shared.instance.options().env.entropy.fill(&mut bytes);
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// The login, or what is said instead, and the moment before which it is not.
fn verify(
    shared: &Shared,
    from: IpAddr,
    given: &Given,
) -> Result<Stored, (Box<SqlError>, Instant)> {
    let no = |e: Box<SqlError>, state: u8, reason: &str, until| {
        let who = Outsider {
            from,
            login: &given.login,
            host: "",
            program: "Taffrail console",
            process: 0,
        };
        note_refused(shared, &who, (e.number, state), reason);
        Err((e, until))
    };
    let failed = |number| SqlError::new(number, &[&given.login, &"", &""]);
    let asker = Asker { origin: Origin::Server, has_gone: &|| false };
    let presented = Presented {
        from,
        name: &given.login,
        password: &given.password,
        // The console is the server's: a contained user is nobody there.
        database: "",
        changes: given.new_password.is_some(),
    };
    let now = Instant::now();
    let login = match authenticate(shared, asker, &presented) {
        Attempt::Right(login) => login,
        Attempt::Refused(Refusal { number, state, reason, until }) => {
            return no(failed(number), state, &reason, until);
        }
        Attempt::Contained(_) | Attempt::Gone => {
            return no(failed(18456), 5, "Could not find a login matching the name provided.", now);
        }
    };
    let known = Known::Login(login);
    if let Some(new) = &given.new_password
        && let Err((e, reason)) = change_password(shared, &given.login, new, &known)
    {
        return no(e, 1, reason, now);
    }
    // A login may be denied to connect, which its right password does not tell.
    if let Err(e) = Session::connect(&shared.instance, &known.principal().name) {
        return no(e, 12, "Login-based server access validation failed.", now);
    }
    let stored = shared.instance.find_login(&known.principal().name);
    stored.map_or_else(|| no(failed(18456), 5, "The login has gone.", now), Ok)
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
        let sa = with("hash")("sa");
        let ends = |stored: Option<Stored>| {
            logins.add(sa.as_ref().unwrap(), "one".into());
            assert!(
                logins.find(&cookie, with("hash")).is_some() && logins.knows("one", with("hash"))
            );
            assert!(!logins.knows("one", |_| stored.clone()));
            assert!(logins.find(&cookie, |_| stored.clone()).is_none());
            assert!(logins.find(&cookie, with("hash")).is_none(), "it does not come back");
        };
        ends(None);
        ends(with("other")("sa"));
        ends(sa.clone().map(|s| Stored { is_disabled: true, ..s }));
        // Another login has its name now, and a script gave it the same hash.
        ends(sa.clone().map(|s| Stored { sid: vec![2], ..s }));
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
        let add = |name: &str, token: String| logins.add(&with("hash")(name).unwrap(), token);
        add("sa", "first".into());
        let find =
            |cookie: &str| logins.find(&with_cookie(cookie), with("hash")).map(|w| w.account.name);
        assert_eq!(find("taffrail-console-8433=first").as_deref(), Some("sa"));
        assert_eq!(find("a=b; taffrail-console-8433=first; c=d").as_deref(), Some("sa"));
        assert_eq!(find("taffrail-console-8433="), None);
        assert_eq!(find("taffrail-console-8433=firs"), None);
        assert_eq!(find("other=first"), None);
        // Whoever logs in again and again ends his own logins, and nobody else's.
        (0..LOGINS).for_each(|n| add("eve", format!("e{n}")));
        assert!(find("taffrail-console-8433=first").is_some());
        assert_eq!(find("taffrail-console-8433=e0"), None);
        let rest = LOGINS - LOGINS_OF_ONE - 1;
        (0..rest).for_each(|n| add(&format!("l{}", n % 8), format!("t{n}")));
        assert!(find("taffrail-console-8433=first").is_some());
        add("l0", "last".into());
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
        let sa = with("hash")("sa").unwrap();
        first.add(&sa, "one".into());
        second.add(&sa, "two".into());
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
