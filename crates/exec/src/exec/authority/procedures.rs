//! System procedures: the place of their needs, by their arguments, and the errors with which they are refused.

use super::AskedAt;
use crate::exec::called::Passed;
use crate::exec::procedure::name_parts;
use crate::features::needs::{Case, Needs, OnSchema, ServerRole};
use crate::features::procedure::{SystemProcedure, parameter_name};
use crate::session::Session;
use taffrail_base::{SqlError, SqlResult};

impl Session {
    /// Asks for what a system procedure needs, with these arguments: 15247, 15003 and the procedure's own.
    pub(in crate::exec) fn allow_procedure(
        &self,
        p: &SystemProcedure,
        passed: &[Passed],
    ) -> SqlResult<()> {
        if self.activation.security().is_sa() || is_filtered(&p.needs) {
            return Ok(());
        }
        let place = self.procedure_place(p, passed);
        if self.holds(&p.needs, &place) {
            return Ok(());
        }
        Err(self.procedure_refusal(p, passed))
    }

    fn procedure_place(&self, p: &SystemProcedure, passed: &[Passed]) -> AskedAt {
        let text = |name: &str| argument(p, passed, name);
        let given = |name: &str| text(name).filter(|t| !t.is_empty());
        let here = AskedAt::of_database(&self.database);
        match p.name {
            "sp_configure" => match given("@configvalue") {
                Some(_) => here.given(&[Case::Changed]),
                None => here,
            },
            "sp_addextendedproperty" | "sp_dropextendedproperty" | "sp_updateextendedproperty" => {
                match (given("@level0name"), given("@level1name")) {
                    (schema, Some(object)) => {
                        self.place_by_parts(None, schema, &object).given(&[Case::Objects])
                    }
                    _ => here.given(&[Case::Databases]),
                }
            }
            "sp_rename" => match given("@objtype").map(|t| t.to_ascii_uppercase()).as_deref() {
                Some("DATABASE") => here.given(&[Case::Databases]),
                kind => {
                    let name = given("@objname").unwrap_or_default();
                    self.renamed_place(kind, &name).given(&[Case::Objects])
                }
            },
            "sp_settriggerorder" => match given("@namespace").map(|n| n.to_ascii_uppercase()) {
                Some(of) if of == "SERVER" => here.given(&[Case::ServerTriggers]),
                Some(_) => here.given(&[Case::DatabaseTriggers]),
                None => {
                    let name = given("@triggername").unwrap_or_default();
                    self.place_by_text(&name).given(&[Case::TableTriggers])
                }
            },
            "sp_spaceused" => match given("@updateusage") {
                Some(t) if t.eq_ignore_ascii_case("true") => here.given(&[Case::UsageUpdated]),
                _ => here,
            },
            "sp_detach_db" => self.named_database(&given("@dbname").unwrap_or_default()),
            "sp_helptext" => self.helptext_place(&given("@objname").unwrap_or_default()),
            _ => match first_name(p, passed) {
                Some(name) => self.place_by_text(&name),
                None => here,
            },
        }
    }

    /// The place of what is renamed. Where no kind is said, a name that is no object's is one of a table's part.
    fn renamed_place(&self, kind: Option<&str>, name: &str) -> AskedAt {
        let mut parts = name_parts(name);
        let last = parts.pop().unwrap_or_default();
        match kind {
            Some("USERDATATYPE") => {
                let schema = parts.pop();
                return self.place_of_type(parts.pop(), schema, &last);
            }
            Some("COLUMN" | "INDEX" | "STATISTICS") => {}
            _ => {
                let whole = self.place_by_text(name);
                if whole.found || parts.is_empty() {
                    return whole;
                }
            }
        }
        let object = parts.pop().unwrap_or_default();
        self.place_by_parts(None, parts.pop(), &object)
    }

    /// The texts of the system's modules are everybody's.
    fn helptext_place(&self, name: &str) -> AskedAt {
        let place = self.place_by_text(name);
        if place.found { place.given(&[Case::UserModules]) } else { place }
    }

    fn procedure_refusal(&self, p: &SystemProcedure, passed: &[Passed]) -> Box<SqlError> {
        let name = first_name(p, passed).unwrap_or_default();
        match (p.name, &p.needs) {
            ("sp_rename", _) => {
                let kind = argument(p, passed, "@objtype");
                let kind = kind.unwrap_or_else(|| "(null)".to_owned());
                SqlError::new(15225, &[&name, &self.database.name, &kind])
            }
            ("sp_helptext", _) => SqlError::new(15197, &[&name]),
            (
                "sp_recompile" | "sp_refreshview" | "sp_refreshsqlmodule" | "sp_settriggerorder",
                _,
            ) => SqlError::new(15165, &[&name]),
            (_, Needs::InServerRole(role)) if *role != ServerRole::Sysadmin => {
                SqlError::new(15003, &[role])
            }
            (_, Needs::InServerRole(_)) => SqlError::new(15003, &[&"sysadmin"]),
            (_, Needs::Object(permission)) => {
                let place = self.place_by_text(&name);
                let args: [&dyn std::fmt::Display; 4] =
                    [permission, &name, &place.database.name, &"dbo"];
                SqlError::new(229, &args).with_state(5)
            }
            _ => SqlError::new(15247, &[]),
        }
    }
}

/// Procedures of the catalogue show what one may see, and refuse nobody.
fn is_filtered(needs: &Needs) -> bool {
    match needs {
        Needs::Schema(OnSchema::Select | OnSchema::ViewDefinition) => true,
        Needs::All(all) => all.iter().all(is_filtered),
        _ => false,
    }
}

/// The text of an argument by the name of its parameter.
fn argument(p: &SystemProcedure, passed: &[Passed], name: &str) -> Option<String> {
    let same = |n: &str| parameter_name(n).eq_ignore_ascii_case(name);
    let place = p.parameters.iter().position(|n| same(n));
    let mut given = passed.iter().enumerate();
    let (_, found) = given.find(|(at, a)| match a.name.is_empty() {
        true => Some(*at) == place,
        false => same(&a.name),
    })?;
    let value = found.value.as_ref()?;
    value.as_text().or_else(|| value.as_i64().map(|n| n.to_string()))
}

/// The first argument, which is a name.
fn first_name(p: &SystemProcedure, passed: &[Passed]) -> Option<String> {
    argument(p, passed, parameter_name(p.parameters.first()?))
}
