//! Statements about logins, users and roles: their place, and the errors with which they are refused.

use super::statements::Ask;
use super::{AskedAt, parts_before};
use crate::catalog::principals::{DB_OWNER, SYSADMIN};
use crate::features::needs::Case;
use crate::permissions::{SecurableAt, SecurableClass as C, find};
use crate::session::Session;
use crate::session::identity::{ContextScope, server_roles};
use crate::session::rights::securable_principal;
use taffrail_base::SqlError;
use taffrail_syntax::ast::{
    DropKind, LoginDefinition, ObjectName, RoleAction, RoleDefinition, StatementKind as K,
    UserDefinition,
};

impl Session {
    /// The places of a statement about principals; none: it is about something else.
    pub(super) fn asks_of_principals(&self, kind: &K) -> Option<Vec<Ask>> {
        let here = || AskedAt::of_database(&self.database);
        let unseen = |verb: &str, what: &str, name: &str| {
            let errors = vec![SqlError::new(15151, &[&verb, &what, &name])];
            Some(vec![Ask { place: here(), errors }])
        };
        match kind {
            K::Login(s) if s.alter => Some(vec![self.asks_of_login(s)]),
            K::User(s) if s.alter => Some(vec![self.asks_of_user(s)]),
            K::Role(s) => self.asks_of_role(s),
            K::ApplicationRole(s) if s.alter => unseen("alter", "application role", &s.name.value),
            K::Credential(s) if s.alter => unseen("alter", "credential", &s.name.value),
            K::Drop(s) => {
                let what = match s.kind {
                    DropKind::Login => "login",
                    DropKind::User => "user",
                    DropKind::Role => "role",
                    DropKind::ServerRole => "server role",
                    DropKind::ApplicationRole => "application role",
                    DropKind::Credential => "credential",
                    _ => return None,
                };
                unseen("drop", what, s.names.first().map_or("", |n| &n.name.value))
            }
            K::AlterAuthorization(s) => {
                let class = s.class.as_deref().unwrap_or("OBJECT").to_ascii_lowercase();
                let errors = vec![SqlError::new(15151, &[&"find", &class, &s.entity.name.value])];
                Some(vec![Ask { place: self.owned_place(&class, &s.entity), errors }])
            }
            // They ask by themselves.
            K::ExecuteAs(_) | K::Revert(_) => Some(Vec::new()),
            _ => None,
        }
    }

    /// The securable that is given to somebody else.
    fn owned_place(&self, class: &str, name: &ObjectName) -> AskedAt {
        let here = AskedAt::of_database(&self.database);
        let last = &*name.name.value;
        let at = match class {
            "object" => return self.place_named(name),
            "type" => {
                let (database, schema) = parts_before(name);
                return self.place_of_type(database, schema, last);
            }
            "schema" => {
                let schema = self.database.catalog.schema(last, self.id);
                schema.map(|s| SecurableAt::schema(s.id.0, s.principal))
            }
            "role" => self.principals_of(&self.database).find(last).map(|p| securable_principal(p)),
            // Databases and what is the server's own are given away by a sysadmin, whom the statement itself looks for.
            _ => return AskedAt { temporary: true, ..here },
        };
        at.map_or_else(
            || AskedAt::of_database(&self.database),
            |object| AskedAt { object, found: true, ..AskedAt::of_database(&self.database) },
        )
    }

    /// One's own password (with the old one) and defaults are one's own; a privileged login's are nobody's who is less.
    fn asks_of_login(&self, s: &LoginDefinition) -> Ask {
        let context = self.activation.security();
        let server = self.server_principals();
        let login = server.find(&s.name.value).map_or(0, |p| p.id);
        let has = |word: &str| s.options.iter().any(|o| o.name.is(word));
        let defaults_alone = s.options.iter().all(|o| {
            ["PASSWORD", "OLD_PASSWORD", "DEFAULT_LANGUAGE", "DEFAULT_DATABASE"]
                .iter()
                .any(|word| o.name.is(word))
        });
        let own = context.scope == ContextScope::Server
            && context.login_id == login
            && s.enable.is_none()
            && defaults_alone
            && (!has("PASSWORD") || has("OLD_PASSWORD"));
        let control = find(C::Server, "CONTROL SERVER");
        let controls = |id| {
            control
                .is_some_and(|c| self.rights_of_server_principal(id).may(&SecurableAt::SERVER, c))
        };
        let privileged = server_roles(&server, login).contains(&SYSADMIN) || controls(login);
        let cases: &'static [Case] = match (own, privileged) {
            (true, _) => &[],
            (false, true) => &[Case::OtherLogins, Case::PrivilegedLogins],
            (false, false) => &[Case::OtherLogins],
        };
        let errors = vec![SqlError::new(15151, &[&"alter", &"login", &s.name.value])];
        Ask { place: AskedAt::of_database(&self.database).given(cases), errors }
    }

    /// One's own default schema and language are one's own, and one's own password with the old one.
    fn asks_of_user(&self, s: &UserDefinition) -> Ask {
        let has = |word: &str| s.options.iter().any(|o| o.name.is(word));
        let own_alone = s.options.iter().all(|o| {
            ["PASSWORD", "OLD_PASSWORD", "DEFAULT_LANGUAGE", "DEFAULT_SCHEMA"]
                .iter()
                .any(|word| o.name.is(word))
        });
        let user = self.principals_of(&self.database).find(&s.name.value).map(|p| p.id);
        let is_own = self.identity().is_ok_and(|mine| Some(mine.user) == user);
        let own = is_own && own_alone && (!has("PASSWORD") || has("OLD_PASSWORD"));
        let cases: &'static [Case] = if own { &[] } else { &[Case::OtherUsers] };
        let errors = vec![SqlError::new(15151, &[&"alter", &"user", &s.name.value])];
        Ask { place: AskedAt::of_database(&self.database).given(cases), errors }
    }

    /// ALTER ROLE of a fixed role asks for more: see [`Session::may_change_members`].
    fn asks_of_role(&self, s: &RoleDefinition) -> Option<Vec<Ask>> {
        let what = if s.server { "server role" } else { "role" };
        let error = match s.action {
            RoleAction::Create(_) => SqlError::new(15247, &[]),
            _ => SqlError::new(15151, &[&"alter", &what, &s.name.value]),
        };
        let place = AskedAt::of_database(&self.database);
        Some(vec![Ask { place, errors: vec![error] }])
    }

    /// Whether the session may change the members of a fixed role: of one of the server as its member, of a database (none) as db_owner.
    pub fn may_change_members(&self, server_role: Option<i32>) -> bool {
        if self.activation.security().is_sa() {
            return true;
        }
        let Ok(identity) = self.identity() else { return false };
        match server_role {
            None => identity.is_dbo() || identity.roles.contains(&DB_OWNER),
            Some(id) => {
                let login = identity.login.as_ref();
                identity.is_sysadmin || login.is_some_and(|login| login.roles.contains(&id))
            }
        }
    }
}
