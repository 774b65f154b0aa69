//! CREATE, ALTER and DROP: which object, and the ones with little to them.

use super::{Parse, Parser};
use crate::ast::*;
use crate::lexer::{Kw, TokenKind};

impl Parser<'_> {
    /// `CREATE` or `ALTER` of anything but a module.
    #[inline(never)]
    pub(super) fn create_or_alter(&mut self, alter: bool) -> Parse<StatementKind> {
        if self.scoped("CREDENTIAL") {
            return Ok(self.unsupported(4));
        }
        if alter && self.scoped("CONFIGURATION") {
            return self.scoped_configuration();
        }
        if let Some(refused) = self.object_by_name() {
            return Ok(refused);
        }
        if self.ahead_word(1, "EVENT") && self.ahead_word(2, "SESSION") {
            let create = EventSessionVerb::Create;
            return self.event_session(if alter { EventSessionVerb::Alter } else { create });
        }
        let token = self.ahead(1);
        let word = match token.kind {
            TokenKind::Word | TokenKind::Keyword(_) => self.slice(token).to_ascii_uppercase(),
            _ => {
                self.bump();
                return Err(self.unexpected());
            }
        };
        match &*word {
            "TABLE" if alter => self.alter_table(),
            "TABLE" => self.create_table(),
            "UNIQUE" | "CLUSTERED" | "NONCLUSTERED" | "COLUMNSTORE" if !alter => {
                self.create_index()
            }
            "INDEX" if alter => self.alter_index(),
            "INDEX" => self.create_index(),
            "DATABASE" if alter => self.alter_database(),
            "DATABASE" => self.create_database(),
            "STATISTICS" if !alter => self.create_statistics(),
            "SCHEMA" if alter => self.alter_schema(),
            "SCHEMA" => self.create_schema(),
            "TYPE" if !alter => self.create_type(),
            "SEQUENCE" => self.sequence(alter),
            "SYNONYM" if !alter => self.create_synonym(),
            "LOGIN" => self.login(alter),
            "CREDENTIAL" => self.credential(alter),
            "USER" => self.user(alter),
            "ROLE" => self.role(alter),
            "SERVER" if self.ahead_word(2, "ROLE") => self.role(alter),
            "APPLICATION" if self.ahead_word(2, "ROLE") => self.application_role(alter),
            "SECURITY" if self.ahead_word(2, "POLICY") => self.security_policy(alter),
            "AUTHORIZATION" if alter => self.alter_authorization(),
            _ => {
                self.bump();
                Err(self.unknown_object())
            }
        }
    }

    /// Behind the current token stands `DATABASE SCOPED` and this word: a database may be called SCOPED.
    fn scoped(&self, word: &str) -> bool {
        ["DATABASE", "SCOPED", word].iter().enumerate().all(|(n, w)| self.ahead_word(1 + n, w))
    }

    /// The current token names no kind of object.
    #[cold]
    fn unknown_object(&self) -> Box<taffrail_base::SqlError> {
        let token = self.token();
        if token.kind == TokenKind::Word {
            return self.error_at(343, token.start, &[&self.slice(token)]);
        }
        self.unexpected()
    }

    #[inline(never)]
    pub(super) fn drop(&mut self) -> Parse<StatementKind> {
        if self.ahead_kw(1, Kw::Index) {
            return self.drop_index();
        }
        if self.ahead_word(1, "EVENT") && self.ahead_word(2, "SESSION") {
            return self.event_session(EventSessionVerb::Drop);
        }
        if let Some(refused) = self.object_by_name() {
            return Ok(refused);
        }
        if self.scoped("CREDENTIAL") {
            return Ok(self.unsupported(4));
        }
        const KINDS: &[(&str, DropKind)] = &[
            ("TABLE", DropKind::Table),
            ("DATABASE", DropKind::Database),
            ("PROCEDURE", DropKind::Procedure),
            ("PROC", DropKind::Procedure),
            ("VIEW", DropKind::View),
            ("FUNCTION", DropKind::Function),
            ("TRIGGER", DropKind::Trigger),
            ("SCHEMA", DropKind::Schema),
            ("TYPE", DropKind::Type),
            ("SEQUENCE", DropKind::Sequence),
            ("SYNONYM", DropKind::Synonym),
            ("STATISTICS", DropKind::Statistics),
            ("LOGIN", DropKind::Login),
            ("CREDENTIAL", DropKind::Credential),
            ("USER", DropKind::User),
            ("ROLE", DropKind::Role),
        ];
        let kind = if self.ahead_word(1, "SERVER") && self.ahead_word(2, "ROLE") {
            self.bump();
            Some(DropKind::ServerRole)
        } else if self.ahead_word(1, "APPLICATION") && self.ahead_word(2, "ROLE") {
            self.bump();
            Some(DropKind::ApplicationRole)
        } else if self.ahead_word(1, "SECURITY") && self.ahead_word(2, "POLICY") {
            self.bump();
            Some(DropKind::SecurityPolicy)
        } else {
            KINDS.iter().find(|(word, _)| self.ahead_word(1, word)).map(|&(_, kind)| kind)
        };
        let Some(kind) = kind else {
            self.bump();
            return Err(self.unknown_object());
        };
        self.at += 2;
        let alone = matches!(
            kind,
            DropKind::Login
                | DropKind::ServerRole
                | DropKind::ApplicationRole
                | DropKind::Credential
        );
        let if_exists = !alone && self.eat_words(&["IF", "EXISTS"]);
        let names = self.list(Self::object_name)?;
        let scope = if kind == DropKind::Trigger && self.eat_kw(Kw::On) {
            let scope = self.any_word()?;
            if scope.is("ALL") {
                self.expect_word("SERVER")?;
            }
            Some(scope)
        } else {
            None
        };
        // `DROP FUNCTION f (argument types)` is other products'; here the parenthesis is an error.
        Ok(StatementKind::Drop(Box::new(Drop { kind, if_exists, names, scope })))
    }

    fn create_schema(&mut self) -> Parse<StatementKind> {
        self.at += 2;
        let name = if self.at_name() { Some(self.name()?) } else { None };
        let owner = if self.eat_kw(Kw::Authorization) { Some(self.name()?) } else { None };
        if name.is_none() && owner.is_none() {
            return Err(self.unexpected());
        }
        let mut elements = Vec::new();
        loop {
            let create = self.at_kw(Kw::Create)
                && (self.ahead_kw(1, Kw::Table) || self.ahead_kw(1, Kw::View));
            let view = create && self.ahead_kw(1, Kw::View);
            let permission =
                matches!(self.kind(), TokenKind::Keyword(Kw::Grant | Kw::Deny | Kw::Revoke));
            if !create && !permission {
                break;
            }
            elements.push(self.nested(|p| {
                let start = p.start();
                let kind = if view { p.module()? } else { p.statement()?.kind };
                Ok(Statement { span: p.since(start), kind })
            })?);
        }
        Ok(StatementKind::CreateSchema(Box::new(CreateSchema { name, owner, elements })))
    }

    fn alter_schema(&mut self) -> Parse<StatementKind> {
        self.at += 2;
        let schema = self.name()?;
        self.expect_word("TRANSFER")?;
        let class = self.class()?;
        let class =
            class.map(|value| Ident { span: self.since(self.end()), value, delimited: false });
        let object = self.object_name()?;
        Ok(StatementKind::AlterSchema(Box::new(AlterSchema { schema, class, object })))
    }

    /// `class::` before a securable; the words in capitals.
    pub(super) fn class(&mut self) -> Parse<Option<Box<str>>> {
        let mut n = 0;
        while matches!(self.ahead(n).kind, TokenKind::Word | TokenKind::Keyword(_)) && n < 4 {
            n += 1;
        }
        if n == 0 || self.ahead(n).kind != TokenKind::DoubleColon {
            return Ok(None);
        }
        let words: Vec<String> =
            (0..n).map(|i| self.slice(self.ahead(i)).to_ascii_uppercase()).collect();
        self.at += n + 1;
        Ok(Some(words.join(" ").into()))
    }

    fn create_type(&mut self) -> Parse<StatementKind> {
        self.at += 2;
        let name = self.object_name()?;
        let kind = if self.eat_kw(Kw::From) {
            let base = self.data_type()?;
            let nullable = self.nullability();
            TypeKind::Alias { base, nullable }
        } else if self.eat_kw(Kw::External) {
            self.expect_word("NAME")?;
            self.object_name()?;
            TypeKind::External
        } else {
            self.expect_kw(Kw::As)?;
            self.expect_kw(Kw::Table)?;
            self.unnamed = true;
            let body = self.table_body();
            self.unnamed = false;
            let body = Box::new(body?);
            self.no_foreign_keys(&body)?;
            TypeKind::Table(body, self.with_options()?)
        };
        Ok(StatementKind::CreateType(Box::new(CreateType { name, kind })))
    }

    /// 156: a table type refers to no table.
    fn no_foreign_keys(&self, body: &TableBody) -> Parse<()> {
        let of_columns = body.columns.iter().flat_map(|c| &c.constraints);
        let mut all = body.constraints.iter().chain(of_columns);
        let foreign = all.find(|c| matches!(c.kind, ConstraintKind::ForeignKey(_)));
        match foreign {
            Some(c) => Err(self.error_at(156, c.span.start, &[&"REFERENCES"])),
            None => Ok(()),
        }
    }

    /// `NULL` or `NOT NULL` if it stands here.
    pub(super) fn nullability(&mut self) -> Option<bool> {
        if self.eat_kw(Kw::Null) {
            Some(true)
        } else if self.at_kw(Kw::Not) && self.ahead_kw(1, Kw::Null) {
            self.at += 2;
            Some(false)
        } else {
            None
        }
    }

    fn sequence(&mut self, alter: bool) -> Parse<StatementKind> {
        self.at += 2;
        let name = self.object_name()?;
        let ty = if self.eat_kw(Kw::As) { Some(self.data_type()?) } else { None };
        let mut options = Vec::new();
        while self.is(TokenKind::Word) {
            let start = self.start();
            let words = if self.eat_word("START") {
                self.expect_kw(Kw::With)?;
                "START WITH"
            } else if self.eat_word("RESTART") {
                if self.eat_kw(Kw::With) { "RESTART WITH" } else { "RESTART" }
            } else if self.eat_word("INCREMENT") {
                self.expect_kw(Kw::By)?;
                "INCREMENT BY"
            } else if self.eat_word("NO") {
                let no = ["NO MINVALUE", "NO MAXVALUE", "NO CYCLE", "NO CACHE"];
                let Some(words) = no.into_iter().find(|words| self.at_word(&words[3..])) else {
                    return Err(self.unexpected());
                };
                self.bump();
                words
            } else {
                let plain = ["MINVALUE", "MAXVALUE", "CYCLE", "CACHE"];
                let Some(word) = plain.into_iter().find(|word| self.at_word(word)) else { break };
                self.bump();
                word
            };
            let mut option = self.flag(words, start);
            let must_have = matches!(
                words,
                "START WITH" | "RESTART WITH" | "INCREMENT BY" | "MINVALUE" | "MAXVALUE"
            );
            if must_have || (words == "CACHE" && self.is(TokenKind::Integer)) {
                option.value = Some(OptionValue::Number(self.signed_text()?));
            }
            options.push(option);
        }
        let definition = SequenceDefinition { alter, name, ty, options };
        Ok(StatementKind::Sequence(Box::new(definition)))
    }

    fn create_synonym(&mut self) -> Parse<StatementKind> {
        self.at += 2;
        let name = self.object_name()?;
        self.expect_kw(Kw::For)?;
        let target = self.object_name()?;
        Ok(StatementKind::CreateSynonym(Box::new(CreateSynonym { name, target })))
    }
}
