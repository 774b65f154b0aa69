//! A system procedure as a feature registers it, and how its name and its arguments are found.

use super::FEATURES;
use crate::catalog::fold;
use crate::session::context::StatementContext;
use std::sync::LazyLock;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{SqlType, Value};

/// An argument of a native procedure: its name with `@` (empty when it was given by position) and its value.
#[derive(Clone, Debug)]
pub struct Argument {
    /// With `@`.
    pub name: String,
    /// The value.
    pub value: Value,
    /// Its type.
    pub ty: SqlType,
}

/// How a system procedure is run.
pub enum Body {
    /// A `CREATE PROCEDURE` batch: parameters and body.
    Sql(&'static str),
    /// Our own code; gives the return status.
    Native(Native),
}

/// A system procedure.
pub struct SystemProcedure {
    /// Its name.
    pub name: &'static str,
    /// The names of its parameters, with `@`; of one in T-SQL its text has them.
    pub parameters: &'static [&'static str],
    /// What it does.
    pub body: Body,
}

/// The code of a native procedure.
pub type Native = fn(&mut StatementContext<'_>, &Arguments<'_>) -> SqlResult<i32>;

/// Those of all features.
static ALL: LazyLock<Vec<&SystemProcedure>> =
    LazyLock::new(|| FEATURES.iter().flat_map(|f| f.procedures).collect());

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
        true => {
            SqlError::new(40510, &[&format_args!("The procedure {}", crate::absent::told(name))])
        }
        false => SqlError::new(2812, &[shown]).with_state(62),
    }
}

/// Names and ids of all of them, for sys.all_objects.
pub(crate) fn names() -> impl Iterator<Item = (&'static str, i32)> {
    ALL.iter().enumerate().map(|(n, p)| (p.name, -10_000 - n as i32))
}

/// Ids and texts of those that are T-SQL.
pub(crate) fn texts() -> impl Iterator<Item = (i32, &'static str)> {
    names().zip(ALL.iter()).filter_map(|((_, id), p)| match p.body {
        Body::Sql(text) => Some((id, text)),
        Body::Native(_) => None,
    })
}

/// The arguments of a call, by the procedure's parameters.
pub struct Arguments<'a> {
    values: Vec<Option<&'a Argument>>,
}

impl<'a> Arguments<'a> {
    /// 8144, 8145, 8146 when the call does not fit.
    pub fn new(procedure: &str, names: &[&str], given: &'a [Argument]) -> SqlResult<Arguments<'a>> {
        if names.is_empty() && !given.is_empty() {
            return Err(SqlError::new(8146, &[&procedure]).with_state(2));
        }
        let mut values = vec![None; names.len()];
        for (i, a) in given.iter().enumerate() {
            let at = match a.name.as_str() {
                "" if i < names.len() => i,
                "" => return Err(SqlError::new(8144, &[&procedure])),
                name => names
                    .iter()
                    .position(|n| n.eq_ignore_ascii_case(name))
                    .ok_or_else(|| SqlError::new(8145, &[&name, &procedure]))?,
            };
            values[at] = Some(a);
        }
        Ok(Arguments { values })
    }

    /// How many parameters there are.
    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// A text argument; NULL counts as not given.
    pub fn text(&self, at: usize) -> Option<String> {
        let value = &self.values[at]?.value;
        value.as_text().or_else(|| value.as_i64().map(|n| n.to_string()))
    }

    /// A number; text is read as one.
    pub fn number(&self, at: usize) -> Option<i64> {
        let value = &self.values[at]?.value;
        value.as_i64().or_else(|| value.as_text()?.trim().parse().ok())
    }

    /// A value of any type, NULL too.
    pub fn typed(&self, at: usize) -> Option<(&'a Value, SqlType)> {
        self.values[at].map(|a| (&a.value, a.ty))
    }

    /// A flag.
    pub fn flag(&self, at: usize) -> bool {
        self.number(at).is_some_and(|n| n != 0)
            || self.text(at).is_some_and(|t| t.eq_ignore_ascii_case("true"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn procedures_are_found_from_everywhere() {
        for schema in [None, Some("sys"), Some("DBO")] {
            assert!(find(schema, "SP_MSFOREACHDB").is_some());
        }
        assert!(find(Some("other"), "sp_who").is_none());
        assert_eq!(BY_NAME.len(), ALL.len());
    }

    #[test]
    fn arguments_are_bound_by_place_and_name() {
        let given = [
            Argument { name: String::new(), value: Value::varchar("t"), ty: SqlType::varchar(1) },
            Argument { name: "@B".into(), value: Value::Int(1), ty: SqlType::Int },
        ];
        let args = Arguments::new("p", &["@a", "@b"], &given).unwrap();
        assert_eq!((args.text(0).as_deref(), args.flag(1)), (Some("t"), true));
        assert_eq!(Arguments::new("p", &["@a"], &given).err().map(|e| e.number), Some(8145));
    }
}
