//! EXECUTE AS and REVERT: other security contexts, as statements and as clauses of modules.
//!
//! Contexts are a stack through the activations. What a module has put on it ends with the module, and REVERT there reaches no further.

use super::activation::Frame;
use super::interpret::Interpreter;
use super::module::Module;
use crate::catalog::TriggerScope;
use crate::catalog::principals::{
    Authentication, DB_OWNER, DBO_USER, Permission, PermissionState, Principal, PrincipalKind,
    Scope,
};
use crate::database::Database;
use crate::permissions::find;
use crate::session::Session;
use crate::session::identity::{ContextScope, Identity, SecurityContext};
use crate::session::rights::{owner_of, securable_principal};
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_syntax::ast::{self, OptionValue, StatementKind};
use taffrail_types::{SqlType, Value};

/// Contexts that are on the stack at most.
const MOST: usize = 32;

/// `execute_as_principal_id` of EXECUTE AS OWNER.
const OWNER: i32 = -2;

/// Bytes of a cookie.
const COOKIE: usize = 16;

/// The security identifier of a user without login as text: `S-1-9-3-…`.
fn sid_as_text(sid: &[u8]) -> String {
    let Some(numbers) = sid.get(8..) else { return String::new() };
    let authority =
        sid.get(2..8).unwrap_or_default().iter().fold(0_u64, |n, b| n << 8 | u64::from(*b));
    let numbers = numbers.chunks_exact(4).map(|n| u32::from_le_bytes([n[0], n[1], n[2], n[3]]));
    numbers.fold(format!("S-1-{authority}"), |text, n| format!("{text}-{n}"))
}

/// Whether one of the grantees may impersonate a principal: granted to one, and denied to none.
fn is_granted(permissions: impl Iterator<Item = Permission>, grantees: &[i32]) -> bool {
    let mine = permissions.filter(|p| grantees.contains(&p.key.grantee));
    let states: Vec<PermissionState> = mine
        .filter(|p| [*b"IM  ", *b"CL  ", *b"IAL "].contains(&p.key.ty))
        .map(|p| p.state)
        .collect();
    !states.is_empty() && !states.contains(&PermissionState::Deny)
}

impl Session {
    /// The context of a user of a database, which is that database's alone.
    fn context_of_user(&self, database: &Database, user: &Principal) -> SecurityContext {
        let server = self.server_principals();
        let sid = match user.id {
            DBO_USER => self.instance.owner_sid(database),
            _ => user.sid.clone().unwrap_or_default(),
        };
        let login = server.by_sid(&sid);
        let name = login.map_or_else(|| sid_as_text(&sid).into(), |login| login.name.clone());
        SecurityContext {
            login: name,
            login_id: login.map_or(0, |login| login.id),
            sid: sid.into(),
            scope: ContextScope::User(database.id, user.id),
        }
    }

    /// A user as whom something may run: neither a role nor one of the system's, and no orphan.
    fn runs_as(&self, user: &Principal) -> bool {
        let special = matches!(user.id, 3 | 4);
        let login = || {
            let sid = user.sid.as_deref().unwrap_or_default();
            self.server_principals().by_sid(sid).is_some()
        };
        let orphan =
            user.authentication == Authentication::Instance && user.id != DBO_USER && !login();
        user.kind == PrincipalKind::User && !special && !orphan
    }

    fn may_impersonate_user(&self, mine: &Identity, user: &Principal) -> bool {
        if mine.is_dbo() || mine.user == user.id || mine.roles.contains(&DB_OWNER) {
            return true;
        }
        let grantees: Vec<i32> = mine.principals().collect();
        is_granted(self.principals_of(&self.database).permissions_on(4, user.id), &grantees)
    }

    /// Whether the session may run as a login: as itself, as a sysadmin, or with IMPERSONATE.
    pub fn may_impersonate_login(&self, login: &Principal) -> SqlResult<bool> {
        let context = self.activation.security();
        if context.is_sa() || context.scope == ContextScope::Server && context.login_id == login.id
        {
            return Ok(true);
        }
        if context.scope != ContextScope::Server {
            return Ok(false);
        }
        let mine = self.identity()?;
        let Some(me) = &mine.login else { return Ok(false) };
        let mut grantees = me.roles.clone();
        grantees.push(me.id);
        let all = self.server_principals();
        let on = all.permissions_on(101, login.id).chain(all.permissions_on(100, 0));
        Ok(mine.is_sysadmin || is_granted(on, &grantees))
    }

    /// The context for EXECUTE AS USER: 15517 where there is no such user, or the session may not.
    fn as_user(&self, name: &str) -> SqlResult<SecurityContext> {
        let refused = || SqlError::new(15517, &[&name]);
        let here = self.principals_of(&self.database);
        let user = here.find(name).filter(|p| self.runs_as(p)).ok_or_else(refused)?;
        if !self.may_impersonate_user(&*self.identity()?, user) {
            return Err(refused());
        }
        Ok(self.context_of_user(&self.database, user))
    }

    /// The id of a user as whom the session may have a module run; none where there is no such user, or the session may not.
    pub fn impersonable(&self, name: &str) -> SqlResult<Option<i32>> {
        let here = self.principals_of(&self.database);
        let user = here.find(name).filter(|p| self.runs_as(p));
        let Some(user) = user else { return Ok(None) };
        let may = self.may_impersonate_user(&*self.identity()?, user);
        Ok(may.then_some(user.id))
    }

    /// Whether the session may give something to a principal of the current database: to a user that it may impersonate, to a role that it
    /// is in or may alter.
    pub fn may_give_to(&self, owner: &Principal) -> SqlResult<bool> {
        let mine = self.identity()?;
        if mine.is_dbo()
            || mine.roles.contains(&DB_OWNER)
            || mine.principals().any(|p| p == owner.id)
        {
            return Ok(true);
        }
        let at = securable_principal(owner);
        match (owner.kind, find(at.class, "ALTER")) {
            (PrincipalKind::User, _) => Ok(self.may_impersonate_user(&mine, owner)),
            (_, Some(alter)) => Ok(self.rights_in(&self.database)?.may(&at, alter)),
            _ => Ok(false),
        }
    }

    /// The context for EXECUTE AS LOGIN: 15406 where there is no such login, or the session may not.
    fn as_login(&self, name: &str) -> SqlResult<SecurityContext> {
        let refused = || SqlError::new(15406, &[&name]);
        let server = self.server_principals();
        let login = server.find(name).filter(|p| p.kind == PrincipalKind::Login);
        let login = login.ok_or_else(refused)?;
        if !self.may_impersonate_login(login)? {
            return Err(refused());
        }
        Ok(SecurityContext::of_login(login))
    }

    fn push_context(&mut self, frame: Frame) -> SqlResult<()> {
        let depth: usize = self.activation.stack().map(|a| a.security.len()).sum();
        if depth > MOST {
            return Err(SqlError::new(15159, &[&MOST]));
        }
        // It has to be somebody here.
        let here = self.principals_of(&self.database);
        let server = self.server_principals();
        self.instance
            .identify(&frame.context, &self.database, &server, &here)
            .map_err(|e| e.with_state(4))?;
        self.activation.security.push(frame);
        self.entry.impersonates(&self.activation.security().login);
        Ok(())
    }

    /// Puts the context of a module's EXECUTE AS clause on the stack: 15517 where the owner is a role. A temporary procedure runs
    /// as the one that calls it: it is of no database whose principals its clause could name.
    pub(super) fn runs_module_as(&mut self, module: &Module) -> SqlResult<()> {
        let Some(who) = module.execute_as else { return Ok(()) };
        if module.name.as_deref().is_some_and(|name| name.starts_with('#')) {
            return Ok(());
        }
        let Some(database) = module.database.clone() else { return Ok(()) };
        if module.ddl == Some(TriggerScope::Server) {
            return self.runs_as_login(who, &database);
        }
        let here = database.catalog.principals(Scope::Database, self.id);
        let id = match who {
            OWNER => {
                let object = database.catalog.object(ObjectId(module.object_id), self.id);
                let owner = object.map(|o| owner_of(&database, &o, self.id));
                owner.ok_or_else(|| SqlError::new(15517, &[&"OWNER"]))?
            }
            id => id,
        };
        let name = here.get(id).map_or_else(|| id.to_string(), |p| p.name.to_string());
        let user = here.get(id).filter(|p| p.kind == PrincipalKind::User);
        let user = user.ok_or_else(|| SqlError::new(15517, &[&name]))?;
        let context = self.context_of_user(&database, user);
        let frame = Frame { context, cookie: None, no_revert: false, database: database.id };
        self.activation.security.push(frame);
        Ok(())
    }

    /// Puts the context of a login on the stack, as whom a trigger of the server runs: 15406 where it has gone.
    fn runs_as_login(&mut self, id: i32, master: &Database) -> SqlResult<()> {
        let server = self.server_principals();
        let login = server.get(id).filter(|p| p.kind == PrincipalKind::Login);
        let login = login.ok_or_else(|| SqlError::new(15406, &[&id]))?;
        let context = SecurityContext::of_login(login);
        let frame = Frame { context, cookie: None, no_revert: false, database: master.id };
        self.activation.security.push(frame);
        Ok(())
    }

    /// The id of a login as whom the session may have a trigger of the server run; none where there is no such login, or the session may
    /// not.
    pub fn impersonable_login(&self, name: &str) -> SqlResult<Option<i32>> {
        let server = self.server_principals();
        match server.find(name).filter(|p| p.kind == PrincipalKind::Login) {
            Some(login) if self.may_impersonate_login(login)? => Ok(Some(login.id)),
            _ => Ok(None),
        }
    }

    /// Takes the topmost context of the activation off the stack.
    fn revert(&mut self, cookie: Option<&Value>) -> SqlResult<()> {
        let own = usize::from(self.activation.is_sessions_own());
        if self.activation.security.len() <= own {
            return Ok(());
        }
        let Some(top) = self.activation.security.last() else { return Ok(()) };
        if top.context.is_application_role() {
            return Ok(());
        }
        if top.no_revert {
            return Err(SqlError::new(15196, &[]));
        }
        match (&top.cookie, cookie) {
            (None, None) => {}
            (Some(kept), Some(Value::Binary(given))) if kept[..] == given[..] => {}
            _ => return Err(SqlError::new(15591, &[])),
        }
        if top.database != self.database.id && top.context.scope != ContextScope::Server {
            let databases = self.instance.databases().list();
            let name = databases.iter().find(|s| s.entry.id == top.database);
            let name = name.map_or_else(String::new, |s| s.entry.name.clone());
            return Err(SqlError::new(15199, &[&name]));
        }
        self.activation.security.pop();
        self.entry.impersonates(&self.activation.security().login);
        Ok(())
    }

    /// A session of a pool is used anew: its own login's context alone holds. Where one was left that may not be reverted the connection
    /// ends: 596 for an application role, 18059.
    pub(crate) fn contexts_end(&mut self) -> SqlResult<()> {
        let role = self.activation.security.iter().any(|f| f.context.is_application_role());
        let fixed = self.activation.security.iter().any(|f| f.no_revert || f.cookie.is_some());
        self.activation.security.truncate(1);
        self.entry.impersonates(&self.activation.security().login);
        match (role, fixed) {
            (true, _) => Err(SqlError::new(596, &[])),
            (false, true) => Err(SqlError::new(18059, &[]).with_severity(20)),
            (false, false) => Ok(()),
        }
    }
}

impl Interpreter<'_> {
    fn variable(&self, name: &str) -> SqlResult<usize> {
        let module = &self.session.activation.locals.module;
        let found = module.variables.find(name);
        let missing = || SqlError::new(137, &[&name]).with_state(2);
        found.map(|(at, _)| at as usize).ok_or_else(missing)
    }

    /// EXECUTE AS as a statement.
    pub fn execute_as(&mut self, s: &ast::Statement, _: u32) -> SqlResult<Option<u64>> {
        let StatementKind::ExecuteAs(s) = &s.kind else { return Ok(None) };
        let kind = s.kind.value.to_ascii_uppercase();
        let name = match s.name.as_ref().map(|e| &e.kind) {
            None => None,
            Some(ast::ExprKind::Variable(name)) => {
                let at = self.variable(&name.value)?;
                self.session.activation.locals.vars[at].as_text()
            }
            Some(ast::ExprKind::Literal(ast::Literal::String(s) | ast::Literal::NString(s))) => {
                Some(s.to_string())
            }
            Some(_) => None,
        };
        if kind == "CALLER" {
            return Ok(None);
        }
        let mut frame = Frame {
            context: match (&*kind, &name) {
                ("USER", Some(name)) => self.session.as_user(name)?,
                ("LOGIN", Some(name)) => self.session.as_login(name)?,
                _ => return Err(SqlError::new(102, &[&s.kind.value])),
            },
            cookie: None,
            no_revert: false,
            database: self.session.database.id,
        };
        if !s.options.is_empty() && self.session.activation.nest_level > 0 {
            return Err(SqlError::new(15590, &[]));
        }
        let mut given = None;
        for o in &s.options {
            match &o.value {
                Some(OptionValue::Variable(name)) => given = Some(self.variable(&name.value)?),
                _ => frame.no_revert = true,
            }
        }
        if let Some(at) = given {
            let module = self.session.activation.locals.module.clone();
            let ty = module.variables.list[at].ty;
            if !matches!(ty, Some(SqlType::VarBinary(_))) {
                return Err(SqlError::new(15533, &[&"Execute As"]));
            }
            let mut cookie = vec![0; COOKIE];
            self.session.instance.options().env.entropy.fill(&mut cookie);
            self.session.activation.locals.vars[at] = Value::binary(&cookie);
            frame.cookie = Some(cookie);
        }
        self.session.push_context(frame)?;
        Ok(None)
    }

    /// REVERT as a statement.
    pub fn revert(&mut self, s: &ast::Statement, _: u32) -> SqlResult<Option<u64>> {
        let StatementKind::Revert(cookie) = &s.kind else { return Ok(None) };
        let cookie = match cookie {
            Some(name) => {
                let at = self.variable(&name.value)?;
                Some(self.session.activation.locals.vars[at].clone())
            }
            None => None,
        };
        self.session.revert(cookie.as_ref())?;
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::sid_as_text;

    #[test]
    fn a_security_identifier_is_written_as_windows_does() {
        let sid = [&[1, 5, 0, 0, 0, 0, 0, 9, 3, 0, 0, 0][..], &[1; 16]].concat();
        let one = 0x0101_0101;
        assert_eq!(sid_as_text(&sid), format!("S-1-9-3-{one}-{one}-{one}-{one}"));
        assert_eq!(sid_as_text(&[1]), "");
    }
}
