//! A name and a password: whose they are, or why not.
//!
//! TDS and the console ask here, so that neither is a way around the other.
//!
//! ```text
//!  locked out? ──▶ 18486, whatever the password
//!  password    ──▶ 18456: unknown name, wrong password (counted)
//!  disabled    ──▶ 18470      these three are told to nobody but the one who has the right password
//!  must change ──▶ 18488
//!  too old     ──▶ 18487
//! ```
//!
//! A name that is nobody's is counted and locked out like a login's ([`crate::strangers`]), so that neither the answer nor its time tells
//! whether there is such a login. What a wrong password makes the server write is done within the wait that its answer has anyway.

use crate::credentials::Asker;
use crate::entry::escaped;
use crate::errorlog::Level;
use crate::listener::Shared;
use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;
use taffrail_base::{SqlError, SqlResult};
use taffrail_engine::{ContainedUser, FailedLogin, Principal};

/// Why somebody is not let in.
pub(crate) struct Refusal {
    /// The message that the client hears.
    pub number: i32,
    /// The state in the error log.
    pub state: u8,
    /// The reason in the error log.
    pub reason: Cow<'static, str>,
    /// The moment before which nothing is answered.
    pub until: Instant,
}

/// The outcome of an attempt.
pub(crate) enum Attempt {
    /// The login, with its right password.
    Right(Arc<Principal>),
    /// The user that the named database knows, with its right password.
    Contained(Box<ContainedUser>),
    /// The attempt is refused.
    Refused(Refusal),
    /// The client has gone while others had their turns.
    Gone,
}

/// A name and a password, and where they come from.
pub(crate) struct Presented<'a> {
    pub from: IpAddr,
    pub name: &'a str,
    pub password: &'a str,
    /// The database that the login names; empty without one.
    pub database: &'a str,
    /// The client brings a new password as well.
    pub changes: bool,
}

/// Whose password it was.
pub(crate) enum Known {
    /// That of a login of the server.
    Login(Arc<Principal>),
    /// That of a database's contained user.
    Contained(Box<ContainedUser>),
}

impl Known {
    pub(crate) fn principal(&self) -> &Principal {
        match self {
            Known::Login(p) => p,
            Known::Contained(user) => &user.user,
        }
    }
}

/// A client that was not let in, by what it said of itself.
pub(crate) struct Outsider<'a> {
    pub from: IpAddr,
    /// The name that it gave.
    pub login: &'a str,
    pub host: &'a str,
    pub program: &'a str,
    pub process: u32,
}

/// Tells error log and default trace of a login that was refused: the message's number and state, and the reason.
pub(crate) fn note_refused(
    shared: &Shared,
    who: &Outsider<'_>,
    (number, state): (i32, u8),
    reason: &str,
) {
    let text = format!(
        "Login failed for user '{}'. Reason: {} [CLIENT: {}]",
        escaped(who.login),
        escaped(reason),
        who.from
    );
    // One entry: the two lines stay together, and are folded together.
    let head = format!("Error: {number}, Severity: 14, State: {state}.");
    shared.log.write(Level::Warning, "Logon", &format!("{head}\n{text}"));
    shared.instance.trace_failed_login(&FailedLogin {
        login: who.login,
        host: who.host,
        program: who.program,
        process: who.process,
        error: number,
        state,
        text: &text,
    });
}

/// Gives whoever has shown the right old password the new one that came with it. An error: what the client hears, and the log's reason.
pub(crate) fn change_password(
    shared: &Shared,
    name: &str,
    new: &str,
    known: &Known,
) -> Result<(), (Box<SqlError>, &'static str)> {
    let refused = |number| SqlError::new(number, &[&name, &""]);
    let policy = match known {
        Known::Login(p) => p.login.check_policy,
        Known::Contained(_) => true,
    };
    let checked = taffrail_engine::check_password(new, &known.principal().name, policy);
    if let Err(e) = checked {
        return Err(match e.number {
            33062 => (refused(18464), "The new password is too short."),
            33063 => (refused(18465), "The new password is too long."),
            _ => (refused(18466), "The new password is too simple."),
        });
    }
    let hashed = shared.credentials.hash(new);
    let set = hashed.map_err(drop).and_then(|hash| {
        let kept = match known {
            Known::Login(p) => shared.instance.change_login_password(p, &hash),
            Known::Contained(user) => shared.instance.set_contained_password(user, &hash),
        };
        kept.map_err(drop)
    });
    set.map_err(|()| (refused(18463), "The new password could not be kept."))
}

/// Looks at a name and a password.
pub(crate) fn authenticate(shared: &Shared, asker: Asker<'_>, given: &Presented<'_>) -> Attempt {
    let (instance, credentials) = (&shared.instance, &shared.credentials);
    credentials.settled();
    // A user of the database goes before a login of the name.
    if let Some(user) = instance.contained_user(given.database, given.name) {
        return of_contained(shared, asker, given, user);
    }
    let known = instance.login_principal(given.name);
    let is_locked = || match &known {
        // While nobody can say, nobody gets attempts that nobody counts.
        Some(login) => logged(shared, instance.is_locked_out(login)).unwrap_or(true),
        None => shared.strangers.is_locked_out(&instance.options().passwords, given.name),
    };
    let mut locked = is_locked();
    // A password that does not count is not compared either: the time would tell what the answer does not.
    let stored = known.as_ref().filter(|_| !locked).map(|p| p.password_hash.as_str());
    let Some(right) = credentials.verify_for(asker, given.name, given.password, stored) else {
        return Attempt::Gone;
    };
    // Others who tried meanwhile may have locked it out: many at once have no more attempts than one after another.
    locked = locked || right && is_locked();
    let refused = |number, state, reason: &'static str, until| {
        Attempt::Refused(Refusal { number, state, reason: reason.into(), until })
    };
    if locked || !right {
        let until = Instant::now() + credentials.failed(given.from, given.name);
        if locked {
            return refused(18486, 1, "The account is currently locked out.", until);
        }
        return match &known {
            None => {
                shared.strangers.failed(&instance.options().passwords, given.name);
                refused(18456, 5, "Could not find a login matching the name provided.", until)
            }
            Some(login) => {
                note_wrong(shared, login);
                let reason = "An error occurred while evaluating the password.";
                let wrong = "Password did not match that for the login provided.";
                match login.login.is_disabled {
                    true => refused(18456, 7, reason, until),
                    false => refused(18456, 8, wrong, until),
                }
            }
        };
    }
    let Some(login) = known else { return Attempt::Gone };
    credentials.succeeded(given.from, given.name);
    logged(shared, instance.forget_wrong_passwords(&login));
    // Whoever has the right password hears why it is of no use.
    let now = Instant::now();
    if login.login.is_disabled {
        return refused(18470, 1, "The account is disabled.", now);
    }
    if !given.changes && login.login.must_change {
        return refused(18488, 1, "The password of the account must be changed.", now);
    }
    if !given.changes && instance.is_expired(&login) {
        return refused(18487, 1, "The password of the account has expired.", now);
    }
    Attempt::Right(login)
}

/// Looks at the password of a contained user. It is locked out as names that are nobody's are: in memory.
fn of_contained(
    shared: &Shared,
    asker: Asker<'_>,
    given: &Presented<'_>,
    of: ContainedUser,
) -> Attempt {
    let (policy, credentials) = (&shared.instance.options().passwords, &shared.credentials);
    let name = format!("{}\0{}", of.database.name, given.name);
    let is_locked = || shared.contained.is_locked_out(policy, &name);
    let mut locked = is_locked();
    let stored = Some(&*of.user.password_hash).filter(|_| !locked);
    let Some(right) = credentials.verify_for(asker, &name, given.password, stored) else {
        return Attempt::Gone;
    };
    // Others who tried meanwhile may have locked it out.
    locked = locked || right && is_locked();
    if right && !locked {
        credentials.succeeded(given.from, given.name);
        shared.contained.forget(&name);
        return Attempt::Contained(Box::new(of));
    }
    let until = Instant::now() + credentials.failed(given.from, given.name);
    if locked {
        let reason = "The account is currently locked out.".into();
        return Attempt::Refused(Refusal { number: 18486, state: 1, reason, until });
    }
    shared.contained.failed(policy, &name);
    let at = &of.database.name;
    let reason =
        format!("Password did not match that for the user provided. [Database: '{at}']").into();
    Attempt::Refused(Refusal { number: 18456, state: 65, reason, until })
}

/// Counts a wrong password of a login, and says in the error log when it has locked the login out.
fn note_wrong(shared: &Shared, login: &Principal) {
    if logged(shared, shared.instance.note_wrong_password(login)) == Some(true) {
        let text = format!(
            "Login '{}' is locked out after {} wrong passwords.",
            escaped(&login.name),
            shared.instance.options().passwords.lockout_threshold
        );
        shared.log.write(Level::Warning, "Logon", &text);
    }
}

/// An outcome, or none where it could not be read or kept, which the error log tells.
fn logged<T>(shared: &Shared, outcome: SqlResult<T>) -> Option<T> {
    outcome
        .inspect_err(|e| {
            let text = format!("Wrong passwords could not be read or kept: {e}");
            shared.log.write(Level::Error, "Logon", &text);
        })
        .ok()
}
