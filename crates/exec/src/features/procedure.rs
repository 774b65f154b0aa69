//! A system procedure as a feature registers it, and how its name and its arguments are found.

use super::features;
use super::needs::Needs;
use super::pipelining::Pipelining;
use crate::catalog::fold;
use crate::session::context::StatementContext;
use std::sync::LazyLock;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{SqlType, Value};

/// An argument of a native procedure: its name with `@` (empty when it was given by position) and its value.
#[derive(Clone, Debug)]
pub struct Argument {
    /// The parameter's name, with `@`.
    pub name: String,
    /// The value; `None` for DEFAULT.
    pub value: Option<Value>,
    /// The type of the value.
    pub ty: SqlType,
}

/// How a system procedure is run.
pub enum Body {
    /// A `CREATE PROCEDURE` batch: parameters and body.
    Sql(&'static str),
    /// Our own code; gives the return status.
    Native(Native),
    /// Our own code; gives the values of output parameters, each by the place of the parameter.
    Outputs(Outputs),
}

/// A system procedure as a feature registers it.
pub struct SystemProcedure {
    /// The procedure's name.
    pub name: &'static str,
    /// The permissions that the procedure needs.
    pub needs: Needs,
    /// Its word on commits that are not durable yet.
    pub pipelining: Pipelining,
    /// The names of its parameters, with `@`; a parameter that has no default ends with `!`. The text of one in T-SQL declares them.
    pub parameters: &'static [&'static str],
    /// The code or text that is run.
    pub body: Body,
}

/// The code of a native procedure with output parameters; its return status is 0.
pub type Outputs =
    fn(&mut StatementContext<'_>, &Arguments<'_>) -> SqlResult<Vec<(usize, Value, SqlType)>>;

/// The code of a native procedure.
pub type Native = fn(&mut StatementContext<'_>, &Arguments<'_>) -> SqlResult<i32>;

/// A procedure of our own code.
pub const fn native(
    name: &'static str,
    needs: Needs,
    pipelining: Pipelining,
    parameters: &'static [&'static str],
    code: Native,
) -> SystemProcedure {
    SystemProcedure { name, needs, pipelining, parameters, body: Body::Native(code) }
}

/// A procedure of our own code with output parameters.
pub const fn outputs(
    name: &'static str,
    needs: Needs,
    pipelining: Pipelining,
    parameters: &'static [&'static str],
    code: Outputs,
) -> SystemProcedure {
    SystemProcedure { name, needs, pipelining, parameters, body: Body::Outputs(code) }
}

/// A procedure in T-SQL, which declares its parameters itself, and whose statements have their own words.
pub const fn sql(name: &'static str, needs: Needs, text: &'static str) -> SystemProcedure {
    let pipelining = Pipelining::Statements;
    SystemProcedure { name, needs, pipelining, parameters: &[], body: Body::Sql(text) }
}

/// Those of all features.
static ALL: LazyLock<Vec<&SystemProcedure>> =
    LazyLock::new(|| features().flat_map(|f| f.procedures).collect());

static BY_NAME: LazyLock<hashbrown::HashMap<String, usize, foldhash::fast::RandomState>> =
    LazyLock::new(|| ALL.iter().enumerate().map(|(n, p)| (fold(p.name), n)).collect());

/// A system procedure by name: `sys.x`, and `dbo.x` or `x` from any database.
pub fn find(schema: Option<&str>, name: &str) -> Option<&'static SystemProcedure> {
    match schema.map(fold).as_deref() {
        None | Some("" | "dbo" | "sys") => BY_NAME.get(&fold(name)).map(|n| ALL[*n]),
        Some(_) => None,
    }
}

/// What is said of a name that no procedure has: 40510 if it is one of SQL Server's that is not here, else 2812.
pub fn missing(schema: Option<&str>, name: &str, shown: &dyn std::fmt::Display) -> Box<SqlError> {
    match crate::absent::procedure(schema, name) {
        true => SqlError::new(40510, &[&format_args!("The procedure {name}")]),
        false => SqlError::new(2812, &[shown]).with_state(62),
    }
}

/// Names and ids of all of them, for sys.all_objects.
pub fn names() -> impl Iterator<Item = (&'static str, i32)> {
    ALL.iter().enumerate().map(|(n, p)| (p.name, -10_000 - n as i32))
}

/// Ids and texts of those that are T-SQL.
pub fn texts() -> impl Iterator<Item = (i32, &'static str)> {
    names().zip(ALL.iter()).filter_map(|((_, id), p)| match p.body {
        Body::Sql(text) => Some((id, text)),
        Body::Native(_) | Body::Outputs(_) => None,
    })
}

/// The name of a declared parameter, without the mark of one that has no default.
pub fn parameter_name(declared: &str) -> &str {
    declared.trim_end_matches('!')
}

/// The arguments of a call, by the procedure's parameters.
pub struct Arguments<'a> {
    values: Vec<Option<&'a Argument>>,
    /// For each parameter which argument of the call it is.
    places: Vec<Option<usize>>,
}

impl<'a> Arguments<'a> {
    /// 201, 8144, 8145, 8146 when the call does not fit.
    pub fn new(procedure: &str, names: &[&str], given: &'a [Argument]) -> SqlResult<Arguments<'a>> {
        if names.is_empty() && !given.is_empty() {
            return Err(SqlError::new(8146, &[&procedure]).with_state(2));
        }
        let mut values = vec![None; names.len()];
        let mut places = vec![None; names.len()];
        for (i, a) in given.iter().enumerate() {
            let at = match a.name.as_str() {
                "" if i < names.len() => i,
                "" => return Err(SqlError::new(8144, &[&procedure])),
                name => names
                    .iter()
                    .position(|n| parameter_name(n).eq_ignore_ascii_case(name))
                    .ok_or_else(|| SqlError::new(8145, &[&name, &procedure]))?,
            };
            values[at] = a.value.is_some().then_some(a);
            places[at] = Some(i);
        }
        let missing = names.iter().zip(&values).find(|(n, v)| n.ends_with('!') && v.is_none());
        match missing {
            Some((n, _)) => {
                Err(SqlError::new(201, &[&procedure, &parameter_name(n)]).with_state(4))
            }
            None => Ok(Arguments { values, places }),
        }
    }

    /// Which argument of the call a parameter is; none where the call has none for it.
    pub fn place(&self, at: usize) -> Option<usize> {
        self.places.get(at).copied().flatten()
    }

    /// How many parameters there are.
    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// A text argument; NULL counts as not given.
    pub fn text(&self, at: usize) -> Option<String> {
        let value = self.values[at]?.value.as_ref()?;
        value.as_text().or_else(|| value.as_i64().map(|n| n.to_string()))
    }

    /// The name of an object. NULL is `(null)`, as RAISERROR shows it: no object's name.
    pub fn named(&self, at: usize) -> String {
        self.text(at).unwrap_or_else(|| "(null)".to_owned())
    }

    /// A number; text is read as one.
    pub fn number(&self, at: usize) -> Option<i64> {
        let value = self.values[at]?.value.as_ref()?;
        value.as_i64().or_else(|| value.as_text()?.trim().parse().ok())
    }

    /// A value of any type, NULL too.
    pub fn typed(&self, at: usize) -> Option<(&'a Value, SqlType)> {
        let given = self.values[at]?;
        Some((given.value.as_ref()?, given.ty))
    }

    /// The value as a flag.
    pub fn flag(&self, at: usize) -> bool {
        self.number(at).is_some_and(|n| n != 0)
            || self.text(at).is_some_and(|t| t.eq_ignore_ascii_case("true"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argument(name: &str, value: Option<Value>) -> Argument {
        Argument { name: name.into(), value, ty: SqlType::Int }
    }

    #[test]
    fn arguments_are_bound_by_place_and_name() {
        let given = [argument("", Some(Value::varchar("t"))), argument("@B", Some(Value::Int(1)))];
        let args = Arguments::new("p", &["@a", "@b"], &given).unwrap();
        assert_eq!((args.text(0).as_deref(), args.flag(1)), (Some("t"), true));
        assert_eq!(Arguments::new("p", &["@a"], &given).err().map(|e| e.number), Some(8145));
    }

    #[test]
    fn a_parameter_without_a_default_has_to_be_given() {
        let names = ["@a!", "@b"];
        let refused = |given: &[Argument]| {
            Arguments::new("p", &names, given).err().map(|e| (e.number, e.message))
        };
        let missing =
            "Procedure or function 'p' expects parameter '@a', which was not supplied.".to_owned();
        assert_eq!(refused(&[]), Some((201, missing.clone())));
        assert_eq!(refused(&[argument("@b", Some(Value::Int(1)))]), Some((201, missing.clone())));
        assert_eq!(refused(&[argument("@A", None)]), Some((201, missing)), "DEFAULT gives nothing");
        assert_eq!(refused(&[argument("", Some(Value::Null))]), None, "NULL is a value");
    }
}
