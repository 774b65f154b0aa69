//! Logins, users, roles, permissions.

use super::refused::refused;
use super::{Parse, Parser};
use crate::ast::*;
use crate::lexer::{Kw, TokenKind};

/// Permissions that are held on columns.
const OF_COLUMNS: [&str; 5] = ["SELECT", "UPDATE", "REFERENCES", "UNMASK", "ALL"];

impl Parser<'_> {
    pub(super) fn login(&mut self, alter: bool) -> Parse<StatementKind> {
        self.at += 2;
        let mut login = LoginDefinition {
            alter,
            name: self.name()?,
            from: None,
            enable: None,
            options: Vec::new(),
        };
        if !alter && self.eat_kw(Kw::From) {
            login.from = Some(self.principal_source()?);
        }
        if alter && (self.at_kw(Kw::Add) || self.at_kw(Kw::Drop)) {
            let verb = if self.eat_kw(Kw::Add) { "ADD" } else { "DROP" };
            self.eat_kw(Kw::Drop);
            self.expect_word("CREDENTIAL")?;
            self.name()?;
            return Ok(refused(&format!("ALTER LOGIN … {verb} CREDENTIAL")));
        }
        if alter && self.eat_word("ENABLE") {
            login.enable = Some(true);
        } else if alter && self.eat_word("DISABLE") {
            login.enable = Some(false);
        } else if self.eat_kw(Kw::With) {
            login.options = self.login_options()?;
        } else if login.from.is_none() {
            return Err(self.unexpected());
        }
        Ok(StatementKind::Login(Box::new(login)))
    }

    /// `name WITH IDENTITY = '…' [, SECRET = '…'] [FOR CRYPTOGRAPHIC PROVIDER name]`.
    pub(super) fn credential(&mut self, alter: bool) -> Parse<StatementKind> {
        self.at += 2;
        let name = self.name()?;
        self.expect_kw(Kw::With)?;
        let options = self.list(Self::named_option)?;
        let provider = if !alter && self.eat_kw(Kw::For) {
            self.expect_word("CRYPTOGRAPHIC")?;
            self.expect_word("PROVIDER")?;
            Some(self.name()?)
        } else {
            None
        };
        let credential = CredentialDefinition { alter, name, options, provider };
        Ok(StatementKind::Credential(Box::new(credential)))
    }

    /// `PASSWORD = '…' [HASHED] [MUST_CHANGE] [OLD_PASSWORD = '…'] [UNLOCK], option, …`.
    fn login_options(&mut self) -> Parse<Vec<NamedOption>> {
        let mut options = Vec::new();
        loop {
            let option = self.named_option()?;
            let password = option.name.is("PASSWORD");
            options.push(option);
            while password && self.is(TokenKind::Word) {
                let known = ["HASHED", "MUST_CHANGE", "UNLOCK", "OLD_PASSWORD"];
                if !known.iter().any(|word| self.at_word(word)) {
                    break;
                }
                options.push(self.named_option()?);
            }
            if !self.eat(TokenKind::Comma) {
                return Ok(options);
            }
        }
    }

    /// The source that a principal is made from: `WINDOWS`, `CERTIFICATE name`, `ASYMMETRIC KEY name`, `EXTERNAL PROVIDER`; the
    /// words in capitals.
    fn principal_source(&mut self) -> Parse<Ident> {
        let start = self.start();
        let (words, named) = if self.eat_word("WINDOWS") {
            ("WINDOWS", false)
        } else if self.eat_words(&["EXTERNAL", "PROVIDER"]) {
            ("EXTERNAL PROVIDER", false)
        } else if self.eat_word("CERTIFICATE") {
            ("CERTIFICATE", true)
        } else if self.eat_words(&["ASYMMETRIC", "KEY"]) {
            ("ASYMMETRIC KEY", true)
        } else {
            return Err(self.unexpected());
        };
        let source = self.flag(words, start).name;
        if named {
            self.name()?;
        }
        Ok(source)
    }

    pub(super) fn user(&mut self, alter: bool) -> Parse<StatementKind> {
        self.at += 2;
        let mut user = UserDefinition {
            alter,
            name: self.name()?,
            login: None,
            without_login: false,
            options: Vec::new(),
        };
        if !alter && (self.eat_kw(Kw::For) || self.eat_kw(Kw::From)) {
            if !self.eat_word("LOGIN") {
                let source = self.principal_source()?;
                if self.eat_kw(Kw::With) {
                    self.login_options()?;
                }
                return Ok(refused(&format!("CREATE USER … FROM {source}")));
            }
            user.login = Some(self.name()?);
        } else if !alter && self.eat_words(&["WITHOUT", "LOGIN"]) {
            user.without_login = true;
        }
        if alter && self.eat_kw(Kw::From) {
            let source = self.principal_source()?;
            return Ok(refused(&format!("ALTER USER … FROM {source}")));
        }
        if self.eat_kw(Kw::With) {
            user.options = self.login_options()?;
        } else if alter {
            return Err(self.unexpected());
        }
        Ok(StatementKind::User(Box::new(user)))
    }

    pub(super) fn role(&mut self, alter: bool) -> Parse<StatementKind> {
        self.bump();
        let server = self.eat_word("SERVER");
        self.expect_word("ROLE")?;
        let name = self.name()?;
        let action = if !alter {
            RoleAction::Create(if self.eat_kw(Kw::Authorization) {
                Some(self.name()?)
            } else {
                None
            })
        } else if self.eat_kw(Kw::Add) {
            self.expect_word("MEMBER")?;
            RoleAction::AddMember(self.name()?)
        } else if self.eat_kw(Kw::Drop) {
            self.expect_word("MEMBER")?;
            RoleAction::DropMember(self.name()?)
        } else {
            self.expect_kw(Kw::With)?;
            self.expect_word("NAME")?;
            self.expect(TokenKind::Eq)?;
            RoleAction::Rename(self.name()?)
        };
        Ok(StatementKind::Role(Box::new(RoleDefinition { server, name, action })))
    }

    pub(super) fn application_role(&mut self, alter: bool) -> Parse<StatementKind> {
        self.at += 3;
        let name = self.name()?;
        self.expect_kw(Kw::With)?;
        let options = self.list(Self::named_option)?;
        let role = ApplicationRoleDefinition { alter, name, options };
        Ok(StatementKind::ApplicationRole(Box::new(role)))
    }

    #[inline(never)]
    pub(super) fn permission(&mut self, keyword: Kw) -> Parse<StatementKind> {
        let start = self.start();
        self.bump();
        let verb = match keyword {
            Kw::Grant => PermissionVerb::Grant,
            Kw::Deny => PermissionVerb::Deny,
            _ => PermissionVerb::Revoke,
        };
        let mut grant_option =
            verb == PermissionVerb::Revoke && self.eat_words(&["GRANT", "OPTION", "FOR"]);
        let mut permissions = self.list(Self::permission_item)?;
        let on = if self.eat_kw(Kw::On) { Some(self.securable(&mut permissions)?) } else { None };
        let whole = |p: &(Box<str>, Vec<Ident>)| !p.1.is_empty() && !OF_COLUMNS.contains(&&*p.0);
        if permissions.iter().any(whole) {
            return Err(self.error_at(1020, start, &[]));
        }
        let from = verb == PermissionVerb::Revoke && self.eat_kw(Kw::From);
        if !from && !self.eat_kw(Kw::To) {
            return Err(self.unexpected());
        }
        let principals =
            self.list(|p| if p.at_kw(Kw::Public) { p.any_word() } else { p.name() })?;
        grant_option |=
            verb == PermissionVerb::Grant && self.eat_words(&["WITH", "GRANT", "OPTION"]);
        let cascade = self.eat_kw(Kw::Cascade);
        let grantor = if self.eat_kw(Kw::As) { Some(self.name()?) } else { None };
        let statement = PermissionStatement {
            verb,
            permissions,
            on,
            principals,
            grant_option,
            cascade,
            grantor,
        };
        Ok(StatementKind::Permission(Box::new(statement)))
    }

    /// The securable behind `ON`. Columns behind it are those of each permission, none of which has columns of its own then.
    fn securable(
        &mut self,
        permissions: &mut [(Box<str>, Vec<Ident>)],
    ) -> Parse<(Option<Box<str>>, ObjectName)> {
        let class = self.class()?;
        let securable = self.object_name()?;
        let start = self.start();
        let columns = self.optional_name_list()?;
        if !columns.is_empty() {
            if permissions.iter().any(|(_, own)| !own.is_empty()) {
                return Err(self.error_at(1019, start, &[]));
            }
            permissions.iter_mut().for_each(|(_, own)| own.clone_from(&columns));
        }
        Ok((class, securable))
    }

    /// Words up to a parenthesis, comma, `ON`, `TO` or `FROM`, and columns.
    fn permission_item(&mut self) -> Parse<(Box<str>, Vec<Ident>)> {
        let mut words = String::new();
        while matches!(self.kind(), TokenKind::Word | TokenKind::Keyword(_))
            && !matches!(self.kind(), TokenKind::Keyword(Kw::On | Kw::To | Kw::From))
        {
            if !words.is_empty() {
                words.push(' ');
            }
            words.push_str(&self.any_word()?.value.to_ascii_uppercase());
        }
        if words.is_empty() {
            return Err(self.unexpected());
        }
        Ok((words.into(), self.optional_name_list()?))
    }

    pub(super) fn alter_authorization(&mut self) -> Parse<StatementKind> {
        self.at += 2;
        self.expect_kw(Kw::On)?;
        let class = self.class()?;
        let entity = self.object_name()?;
        self.expect_kw(Kw::To)?;
        let owner = if self.eat_words(&["SCHEMA", "OWNER"]) { None } else { Some(self.name()?) };
        let statement = AlterAuthorization { class, entity, owner };
        Ok(StatementKind::AlterAuthorization(Box::new(statement)))
    }
}
