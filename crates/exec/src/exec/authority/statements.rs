//! Statements that are registered: the place of their needs, and the errors with which they are refused.

use super::{AskedAt, Refusals, parts_before};
use crate::features::RegisteredStatement;
use crate::features::needs::{Case, Needs, OnDatabase, OnSchema};
use crate::permissions::{PermissionId, Rights, SecurableAt, SecurableClass as C, find, known};
use crate::session::Session;
use crate::session::rights::securable_of;
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_syntax::ast::{
    AlterDatabaseAction, AlterTableAction, AlterTableAction as A, ConstraintKind, CreateSchema,
    DropKind, Ident, NameOrVariable, NamedOption, ObjectName, OptionValue, Statement,
    StatementKind as K, TableBody, TriggerTarget,
};

const CONTROL: PermissionId = known(C::Database, "CONTROL");
const CHECKPOINT: PermissionId = known(C::Database, "CHECKPOINT");
const SHOWPLAN: PermissionId = known(C::Database, "SHOWPLAN");
const REFERENCES: PermissionId = known(C::Object, "REFERENCES");
const ALTER_TRACE: PermissionId = known(C::Server, "ALTER TRACE");

/// A statement's needs at their place, and the errors where they are not held.
pub(super) struct Ask {
    pub(super) place: AskedAt,
    pub(super) errors: Refusals,
}

/// The case of a trigger's target.
fn case_of(target: &TriggerTarget) -> &'static [Case] {
    match target {
        TriggerTarget::Object(_) => &[Case::TableTriggers],
        TriggerTarget::Database => &[Case::DatabaseTriggers],
        TriggerTarget::AllServer => &[Case::ServerTriggers],
    }
}

impl Session {
    /// The errors with which a registered statement is refused; none: it may run.
    pub(in crate::exec) fn refused_statement(
        &self,
        found: &RegisteredStatement,
        statement: &Statement,
    ) -> SqlResult<Refusals> {
        if self.activation.security().is_sa() {
            return Ok(Vec::new());
        }
        let asks = match self.asks_of_principals(&statement.kind) {
            Some(asks) => asks,
            None => self.asks_of(found.words, &statement.kind),
        };
        for ask in asks {
            if !self.holds(&found.needs, &ask.place) {
                return Ok(ask.errors);
            }
        }
        Ok(self.refused_beside(&statement.kind))
    }

    /// The places at which a statement's needs are asked for.
    fn asks_of(&self, words: &str, kind: &K) -> Vec<Ask> {
        let named =
            |name: &ObjectName, errors: Refusals| Ask { place: self.place_named(name), errors };
        let one = |name: &ObjectName, errors: Refusals| vec![named(name, errors)];
        match kind {
            K::CreateTable(s) => {
                let mut ask = self.creates("CREATE TABLE", 1, &s.name);
                if s.name.name.value.starts_with('#') {
                    ask.place.temporary = true;
                }
                ask.place = ask.place.given(&[Case::Permanent]);
                vec![ask]
            }
            K::CreateType(s) => vec![self.creates("CREATE TYPE", 1, &s.name)],
            K::CreateSynonym(s) => vec![self.creates("CREATE SYNONYM", 1, &s.name)],
            K::View(s) if words == "CREATE VIEW" => vec![self.creates(words, 18, &s.name)],
            K::Procedure(s) if words == "CREATE PROCEDURE" => {
                vec![self.creates(words, 18, &s.name)]
            }
            K::Function(s) if words == "CREATE FUNCTION" => vec![self.creates(words, 18, &s.name)],
            K::View(s) => one(&s.name, vec![unaltered("view", &s.name)]),
            K::Procedure(s) => one(&s.name, vec![unaltered("procedure", &s.name)]),
            K::Function(s) => one(&s.name, vec![unaltered("function", &s.name)]),
            K::Trigger(s) => self.asks_of_trigger(&s.name, &s.target, words),
            K::SwitchTrigger(s) => match (s.names.first(), &s.target) {
                (Some(n), _) | (None, TriggerTarget::Object(n)) => {
                    self.asks_of_trigger(n, &s.target, words)
                }
                (None, scope) => {
                    let ask = self.anywhere();
                    vec![Ask { place: ask.place.given(case_of(scope)), ..ask }]
                }
            },
            K::SecurityPolicy(s) if s.alter => one(&s.name, vec![SqlError::new(33268, &[&s.name])]),
            K::SecurityPolicy(s) => one(&s.name, vec![SqlError::new(15247, &[])]),
            K::Sequence(s) if s.alter => one(&s.name, vec![unseen("alter", "sequence", &s.name)]),
            K::Sequence(s) => one(&s.name, vec![SqlError::new(15247, &[])]),
            K::Drop(s) => self.asks_of_drop(s),
            K::CreateSchema(s) => {
                let errors =
                    vec![SqlError::new(15247, &[]), SqlError::new(2759, &[]).with_state(0)];
                let cases: &[Case] = if s.owner.is_some() { &[Case::Authorization] } else { &[] };
                let place = AskedAt::of_database(&self.database).given(cases);
                // Without a name no schema is made.
                vec![Ask { place: AskedAt { temporary: s.name.is_none(), ..place }, errors }]
            }
            K::AlterSchema(s) => vec![self.asks_of_transfer(s)],
            _ => self.asks_of_tables(kind, words),
        }
    }

    /// The places of statements about tables, which rows go by.
    fn asks_of_tables(&self, kind: &K, words: &str) -> Vec<Ask> {
        let named =
            |name: &ObjectName, errors: Refusals| Ask { place: self.place_named(name), errors };
        let one = |name: &ObjectName, errors: Refusals| vec![named(name, errors)];
        match kind {
            K::AlterTable(s) => {
                let ask = named(&s.table, vec![no_object(&s.table, 13)]);
                let cases: &[Case] = if is_of_mask(&s.action) { &[Case::Masks] } else { &[] };
                vec![Ask { place: ask.place.given(cases), ..ask }]
            }
            K::Truncate(s) => one(&s.table, vec![no_object(&s.table, 7)]),
            K::CreateIndex(s) => one(&s.table, vec![no_object(&s.table, 12)]),
            K::AlterIndex(s) => one(&s.table, vec![no_object(&s.table, 9)]),
            K::DropIndex(s) => {
                let each = |(_, table): &(_, ObjectName)| named(table, vec![no_object(table, 9)]);
                s.indexes.iter().map(each).collect()
            }
            K::CreateStatistics(s) => one(&s.table, vec![no_object(&s.table, 1)]),
            K::UpdateStatistics(s) => one(&s.table, vec![no_object(&s.table, 1)]),
            K::BulkInsert(s) => {
                let loose = !s.options.iter().any(|o| o.name.is("CHECK_CONSTRAINTS"))
                    || s.options.iter().any(|o| o.name.is("KEEPIDENTITY"));
                let cases: &[Case] = if loose { &[Case::Constraints] } else { &[] };
                let ask = named(&s.table, vec![SqlError::new(4834, &[])]);
                vec![Ask { place: ask.place.given(cases), ..ask }]
            }
            K::InsertBulk(s) => {
                let checked = s.options.iter().any(|o| o.name.is("CHECK_CONSTRAINTS"));
                let cases: &[Case] = if checked { &[] } else { &[Case::Constraints] };
                let denied = self.denied("INSERT", &s.table);
                let ask = named(&s.table, vec![denied]);
                vec![Ask { place: ask.place.given(cases), ..ask }]
            }
            _ => self.asks_of_server(kind, words),
        }
    }

    /// The places of statements about databases and the server.
    fn asks_of_server(&self, kind: &K, words: &str) -> Vec<Ask> {
        match kind {
            K::CreateDatabase(_) => {
                let error = SqlError::new(262, &[&"CREATE DATABASE", &"master"]).with_severity(14);
                vec![Ask { place: AskedAt::of_database(&self.database), errors: vec![error] }]
            }
            K::AlterDatabase(s) => {
                vec![self.asks_of_database(s.name.as_ref().map(|n| &*n.value), &s.action)]
            }
            K::Backup(s) => self.asks_of_backup(s, words),
            K::Restore(s) => self.asks_of_restore(s, words),
            K::Reconfigure { .. } => self.anywhere_with(SqlError::new(5812, &[])),
            K::Shutdown { .. } => self.anywhere_with(SqlError::new(6004, &[]).with_severity(14)),
            K::EventSession(_) => self.anywhere_with(SqlError::new(15247, &[])),
            _ => vec![self.anywhere()],
        }
    }

    fn anywhere(&self) -> Ask {
        Ask { place: AskedAt::of_database(&self.database), errors: vec![SqlError::new(15247, &[])] }
    }

    fn anywhere_with(&self, error: Box<SqlError>) -> Vec<Ask> {
        vec![Ask { place: AskedAt::of_database(&self.database), errors: vec![error] }]
    }

    /// The place of an object that is made: 262 without the permission to make any, 2760 without that on the schema.
    fn creates(&self, words: &str, state: u8, name: &ObjectName) -> Ask {
        let (database, written) = parts_before(name);
        let place = match name.name.value.starts_with('#') {
            true => self.place_named(name),
            // Whether there is an object of the name is not asked.
            false => self.place_by_parts(database, written.clone(), ""),
        };
        let kind = find(C::Database, words);
        let here = self.rights_in(&place.database);
        let may = here.is_ok_and(|r| kind.is_some_and(|k| r.may(&SecurableAt::DATABASE, k)));
        let error = match may {
            false => {
                let denied = SqlError::new(262, &[&words, &place.database.name]);
                denied.with_severity(14).with_state(state)
            }
            true => SqlError::new(2760, &[&self.schema_or_default(written.as_deref())]),
        };
        Ask { place, errors: vec![error] }
    }

    /// SELECT … INTO makes a table: 262, 2760.
    pub(in crate::exec) fn allow_into(&self, name: &ObjectName) -> SqlResult<()> {
        if self.activation.security().is_sa() || name.name.value.starts_with('#') {
            return Ok(());
        }
        let Ask { place, mut errors } = self.creates("CREATE TABLE", 1, name);
        let table = Needs::Database(OnDatabase::CreateTable);
        let held =
            self.holds(&table, &place) && self.holds(&Needs::Schema(OnSchema::Alter), &place);
        match errors.pop() {
            Some(e) if !held => Err(e),
            _ => Ok(()),
        }
    }

    /// CHECKPOINT in the current database: 3505.
    pub(in crate::exec) fn allow_checkpoint(&self) -> SqlResult<()> {
        if self.activation.security().is_sa() {
            return Ok(());
        }
        match self.rights_in(&self.database)?.may(&SecurableAt::DATABASE, CHECKPOINT) {
            true => Ok(()),
            false => Err(SqlError::new(3505, &[&self.database.name])),
        }
    }

    /// Whether plans of the current database are shown to the session.
    pub(in crate::exec) fn allow_showing_plans(&self) -> SqlResult<()> {
        let shown = |r: Arc<Rights>| r.may(&SecurableAt::DATABASE, SHOWPLAN);
        if self.activation.security().is_sa() || self.rights_in(&self.database).is_ok_and(shown) {
            return Ok(());
        }
        let e = SqlError::new(262, &[&"SHOWPLAN", &self.database.name]);
        Err(e.with_severity(14).with_state(4))
    }

    /// RAISERROR WITH LOG, or with a severity above 18: 2778, 2754.
    pub(in crate::exec) fn allow_raise(&self, severity: i64, log: bool) -> SqlResult<()> {
        if severity <= 18 && !log || self.may_on_server(ALTER_TRACE) {
            return Ok(());
        }
        match log {
            true => Err(SqlError::new(2778, &[&"WITH LOG", &"RAISERROR"])),
            false => Err(SqlError::new(2754, &[&18])),
        }
    }

    /// A trigger is asked for by its table: ALTER on that.
    fn asks_of_trigger(&self, name: &ObjectName, target: &TriggerTarget, words: &str) -> Vec<Ask> {
        let altered = words == "ALTER TRIGGER";
        let place = match target {
            TriggerTarget::Object(table) if !altered => self.place_named(table),
            TriggerTarget::Object(_) => self.place_named(name),
            _ => AskedAt::of_database(&self.database),
        };
        let place = place.given(case_of(target));
        let verb = words.split(' ').next().unwrap_or(words).to_lowercase();
        let error = match altered {
            true => unaltered("trigger", name),
            false => SqlError::new(2104, &[&verb, &"trigger", name]),
        };
        vec![Ask { place, errors: vec![error] }]
    }

    fn asks_of_drop(&self, s: &taffrail_syntax::ast::Drop) -> Vec<Ask> {
        let dropped = |name: &ObjectName| -> Refusals {
            let last = &*name.name.value;
            let what = match s.kind {
                DropKind::Schema => return vec![unseen("drop", "schema", name)],
                DropKind::Sequence => return vec![unseen("drop", "sequence", name)],
                DropKind::Type => return vec![SqlError::new(218, &[name])],
                DropKind::Statistics => return vec![no_object(name, 9)],
                DropKind::Database => {
                    let e = SqlError::new(3701, &[&"drop", &"database", &last]);
                    return vec![e.with_severity(11).with_state(2)];
                }
                DropKind::Table => "table",
                DropKind::View => "view",
                DropKind::Procedure => "procedure",
                DropKind::Function => "function",
                DropKind::Trigger => "trigger",
                DropKind::Synonym => "synonym",
                DropKind::SecurityPolicy => "security policy",
                _ => "object",
            };
            let e = SqlError::new(3701, &[&"drop", &what, name]);
            vec![e.with_severity(14).with_state(20)]
        };
        let ask = |name: &ObjectName| {
            let mut place = match s.kind {
                DropKind::Schema => self.schema_place(&name.name.value),
                DropKind::Database => self.named_database(&name.name.value),
                DropKind::Statistics => self.table_of_statistics(name),
                DropKind::Type => {
                    let (database, schema) = parts_before(name);
                    self.place_of_type(database, schema, &name.name.value)
                }
                DropKind::Trigger if s.scope.is_some() => AskedAt::of_database(&self.database),
                _ => self.place_named(name),
            };
            if s.kind == DropKind::Trigger {
                place = place.given(match &s.scope {
                    None => &[Case::TableTriggers],
                    Some(scope) if scope.is("DATABASE") => &[Case::DatabaseTriggers],
                    Some(_) => &[Case::ServerTriggers],
                });
            }
            // IF EXISTS says nothing of what is not there.
            place.temporary |= !place.found && s.if_exists && s.scope.is_none();
            Ask { place, errors: dropped(name) }
        };
        s.names.iter().map(ask).collect()
    }

    /// The object or type that moves, and the schema that receives it.
    fn asks_of_transfer(&self, s: &taffrail_syntax::ast::AlterSchema) -> Ask {
        let class = s.class.as_ref().map_or("object".to_owned(), |c| c.value.to_lowercase());
        let place = match &*class {
            "type" => {
                let (database, schema) = parts_before(&s.object);
                self.place_of_type(database, schema, &s.object.name.value)
            }
            _ => self.place_named(&s.object),
        };
        let to = self.schema_place(&s.schema.value);
        let error = match self.holds(&Needs::Schema(OnSchema::Alter), &to) {
            true => unseen("find", &class, &s.object),
            false => SqlError::new(15151, &[&"alter", &"schema", &s.schema.value]),
        };
        // Temporary objects are of no schema that one may give them.
        let place = AskedAt { schema: to.object.schema, temporary: false, ..place };
        Ask { place, errors: vec![error] }
    }

    /// The table of statistics, which are named behind it.
    fn table_of_statistics(&self, name: &ObjectName) -> AskedAt {
        match &name.schema {
            Some(table) => self.place_by_parts(None, parts_before(name).0, &table.value),
            None => AskedAt::of_database(&self.database),
        }
    }

    fn schema_place(&self, name: &str) -> AskedAt {
        let place = AskedAt::of_database(&self.database);
        match self.database.catalog.schema(name, self.id) {
            Some(s) => {
                AskedAt { object: super::nowhere(s.id.0, s.principal), found: true, ..place }
            }
            None => place,
        }
    }

    /// The place of a database by name. Where it is not open, or not there, the server's permissions count.
    pub(super) fn named_database(&self, name: &str) -> AskedAt {
        match self.instance.databases().get(name) {
            Ok(database) => AskedAt { found: true, ..AskedAt::of_database(&database) },
            Err(_) => {
                let found = self.instance.databases().slot(name).is_some();
                let master = self.instance.databases().master();
                let any = master.unwrap_or_else(|_| self.database.clone());
                AskedAt { found, ..AskedAt::of_database(&any) }
            }
        }
    }

    pub(super) fn database_place(&self, name: &NameOrVariable) -> (AskedAt, String) {
        let text = match name {
            NameOrVariable::Name(name) => name.value.to_string(),
            NameOrVariable::Variable(_) => String::new(),
        };
        (self.named_database(&text), text)
    }

    fn asks_of_database(&self, name: Option<&str>, action: &AlterDatabaseAction) -> Ask {
        let scoped = matches!(action, AlterDatabaseAction::ScopedConfiguration { .. });
        let cases: &[Case] = if scoped { &[Case::ScopedConfiguration] } else { &[Case::Settings] };
        let place = match name {
            Some(name) if !name.eq_ignore_ascii_case("CURRENT") => self.named_database(name),
            _ => AskedAt::of_database(&self.database),
        };
        let shown = name.unwrap_or(&self.database.name);
        let refused = SqlError::new(5011, &[&shown]).with_state(9);
        Ask { place: place.given(cases), errors: vec![refused, SqlError::new(5069, &[])] }
    }

    /// 229 for an object by its name.
    fn denied(&self, permission: &str, name: &ObjectName) -> Box<SqlError> {
        let place = self.place_named(name);
        let schema = name.schema.as_ref().map_or("dbo", |s| &*s.value);
        let args: [&dyn std::fmt::Display; 4] =
            [&permission, &name.name.value, &place.database.name, &schema];
        SqlError::new(229, &args).with_state(5)
    }

    /// Whoever begins, changes or ends a history needs CONTROL on both tables, and may make the one that is to be made; whoever changes the
    /// columns of a table with a history needs ALTER on that.
    fn refused_history(&self, kind: &K) -> Option<Box<SqlError>> {
        let is_versioning = |o: &&NamedOption| o.name.is("SYSTEM_VERSIONING");
        let (name, options, alters) = match kind {
            K::CreateTable(s) => (&s.name, &s.options[..], false),
            K::AlterTable(s) => match &s.action {
                A::Set(options) if options.iter().any(|o| is_versioning(&o)) => {
                    (&s.table, &options[..], true)
                }
                A::Add { .. } | A::Drop(_) | A::AlterColumn(_) => (&s.table, &[][..], true),
                _ => return None,
            },
            _ => return None,
        };
        let place = self.place_named(name);
        let catalog = &place.database.catalog;
        let table = alters.then(|| catalog.table(ObjectId(place.object.id), self.id)).flatten();
        let history = table.as_ref().and_then(|t| catalog.table(t.head.history()?, self.id));
        let versioning: Vec<&NamedOption> = options.iter().filter(is_versioning).collect();
        let mut asked: Vec<(&str, SecurableAt, String, String)> = Vec::new();
        if let Some(history) = &history {
            let permission = if versioning.is_empty() { "ALTER" } else { "CONTROL" };
            let at = securable_of(&place.database, &history.head, self.id);
            let (schema, name) = (history.head.schema.to_string(), history.head.name.to_string());
            asked.push((permission, at, schema, name));
        }
        let named: Vec<&Ident> = named_histories(options).collect();
        let mut makes = named.is_empty();
        if let Some(table) = table.as_ref().filter(|_| !versioning.is_empty()) {
            let (schema, name) = (table.head.schema.to_string(), table.head.name.to_string());
            asked.push(("CONTROL", place.object, schema.clone(), name.clone()));
            // One without a name of its own is made beside its table.
            if let Some((id, owner)) = place.object.schema
                && makes
                && begins(&versioning)
                && history.is_none()
            {
                asked.push(("ALTER", super::nowhere(id, owner), schema, name));
            }
        }
        for named in named {
            let mut parts = crate::exec::procedure::name_parts(&named.value);
            let (last, schema) = (parts.pop().unwrap_or_default(), parts.pop());
            // It lies in the database of the table, whichever is the current one.
            let found = self.place_by_parts(parts_before(name).0, schema.clone(), &last);
            makes |= !found.found;
            let permission = if found.found { "CONTROL" } else { "ALTER" };
            asked.push((permission, found.object, schema.unwrap_or_default(), last));
        }
        makes &= alters && begins(&versioning) && history.is_none();
        let rights = self.rights_in(&place.database).ok()?;
        let create = find(C::Database, "CREATE TABLE");
        if makes && !create.is_some_and(|id| rights.may(&SecurableAt::DATABASE, id)) {
            let denied = SqlError::new(262, &[&"CREATE TABLE", &place.database.name]);
            return Some(denied.with_severity(14));
        }
        asked.into_iter().find_map(|(permission, at, schema, name)| {
            let held = find(C::Object, permission).is_some_and(|id| rights.may(&at, id));
            let args: [&dyn std::fmt::Display; 4] =
                [&permission, &name, &place.database.name, &schema];
            (!held).then(|| SqlError::new(229, &args).with_state(5))
        })
    }

    /// Foreign keys need REFERENCES on the tables that they refer to, another login of a user CONTROL on the database.
    fn refused_beside(&self, kind: &K) -> Refusals {
        if let K::User(s) = kind
            && s.alter
            && s.options.iter().any(|o| o.name.is("LOGIN"))
        {
            // Whoever maps a user to another login gives away what the user may.
            let control = |r: Arc<Rights>| r.may(&SecurableAt::DATABASE, CONTROL);
            let held = self.rights_in(&self.database).is_ok_and(control);
            let refused = || SqlError::new(15151, &[&"alter", &"user", &s.name.value]);
            return if held { Vec::new() } else { vec![refused()] };
        }
        if let Some(refused) = self.refused_history(kind) {
            return vec![refused];
        }
        if let K::CreateSchema(s) = kind {
            return self.refused_elements(s);
        }
        let referenced: Vec<&ObjectName> = match kind {
            K::CreateTable(s) => references_of(&s.body),
            K::AlterTable(s) => match &s.action {
                A::Add { body, .. } => references_of(body),
                _ => Vec::new(),
            },
            _ => return Vec::new(),
        };
        self.refused_references(referenced).into_iter().collect()
    }

    /// Elements of a new schema need the permission to make such objects, and none on the schema; elsewhere they need what they need alone.
    fn refused_elements(&self, s: &CreateSchema) -> Refusals {
        let here = AskedAt::of_database(&self.database);
        for element in &s.elements {
            let (name, needs) = match &element.kind {
                K::CreateTable(t) => (&t.name, Needs::Database(OnDatabase::CreateTable)),
                K::View(v) => (&v.name, Needs::Database(OnDatabase::CreateView)),
                _ => continue,
            };
            let words = element.kind.words();
            let elsewhere = name.schema.is_some() || name.database.is_some();
            let refused = if s.name.is_none() || elsewhere {
                let found = crate::features::statement(words);
                found.map_or(Ok(Vec::new()), |f| self.refused_statement(f, element))
            } else if self.holds(&needs, &here) {
                Ok(self.refused_beside(&element.kind))
            } else {
                let denied = SqlError::new(262, &[&words, &self.database.name]);
                Ok(vec![denied.with_severity(14)])
            };
            match refused {
                Ok(none) if none.is_empty() => {}
                Ok(mut errors) => {
                    errors.push(SqlError::new(2759, &[]).with_state(0));
                    return errors;
                }
                Err(error) => return vec![error],
            }
        }
        Vec::new()
    }

    /// 229 for the first of these objects that is there and on which REFERENCES is missing: foreign keys and schema-bound modules keep what
    /// they name as it is.
    pub fn refused_references<'n>(
        &self,
        names: impl IntoIterator<Item = &'n ObjectName>,
    ) -> Option<Box<SqlError>> {
        let missing = |name: &&ObjectName| {
            let place = self.place_named(name);
            let Ok(rights) = self.rights_in(&place.database) else { return false };
            let has = place.temporary || rights.may(&place.object, REFERENCES);
            place.found && !has && !rights.reaches_any_column(&place.object, REFERENCES)
        };
        names.into_iter().find(missing).map(|name| self.denied("REFERENCES", name))
    }
}

/// The names behind each HISTORY_TABLE.
fn named_histories(options: &[NamedOption]) -> impl Iterator<Item = &Ident> {
    let lists = options.iter().filter(|o| o.name.is("SYSTEM_VERSIONING"));
    let lists = lists.filter_map(|o| match &o.value {
        Some(OptionValue::List(list)) => Some(list),
        _ => None,
    });
    let named = lists.flatten().filter(|o| o.name.is("HISTORY_TABLE"));
    named.filter_map(|o| match &o.value {
        Some(OptionValue::Word(name)) => Some(name),
        _ => None,
    })
}

/// Whether SYSTEM_VERSIONING is said, and not OFF.
fn begins(versioning: &[&NamedOption]) -> bool {
    let off = |o: &&NamedOption| matches!(o.value, Some(OptionValue::Off));
    !versioning.is_empty() && !versioning.iter().any(off)
}

/// The tables that foreign keys of a table's body refer to.
fn references_of(body: &TableBody) -> Vec<&ObjectName> {
    let of_columns = body.columns.iter().flat_map(|c| &c.constraints);
    let all = of_columns.chain(&body.constraints);
    let referenced = all.filter_map(|c| match &c.kind {
        ConstraintKind::ForeignKey(key) => Some(&key.table),
        _ => None,
    });
    referenced.collect()
}

/// ALTER of a module: 3701 as if it were missing.
fn unaltered(what: &str, name: &ObjectName) -> Box<SqlError> {
    SqlError::new(3701, &[&"alter", &what, name]).with_severity(14).with_state(20)
}

/// 1088, as if the table were missing.
fn no_object(name: &ObjectName, state: u8) -> Box<SqlError> {
    SqlError::new(1088, &[name]).with_state(state)
}

/// 15151, as if it were missing.
fn unseen(verb: &str, what: &str, name: &ObjectName) -> Box<SqlError> {
    SqlError::new(15151, &[&verb, &what, &name.name.value])
}

/// Whether a mask comes to a column that is there, or goes.
fn is_of_mask(action: &AlterTableAction) -> bool {
    use taffrail_syntax::ast::AlterColumn as C;
    matches!(action, AlterTableAction::AlterColumn(C::Mask { .. } | C::Type { mask: Some(_), .. }))
}
