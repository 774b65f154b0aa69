//! Literals, variables, parentheses and calls of functions.

use super::scan::begins_name;
use super::{Outside, QueryReader};
use crate::xquery::atom::decimal_of;
use crate::xquery::expr::{AtomType, Expr, QUERY_FUNCTIONS};
use crate::xquery::name::{DATA_TYPES, FUNCTION_NAMES, QName, SCHEMA, SQL};
use taffrail_base::SqlResult;

/// Words that begin a test of nodes where a parenthesis follows.
const TESTS: [&str; 6] =
    ["text", "node", "comment", "processing-instruction", "element", "attribute"];
/// Words that begin a constructor where a name or a brace follows.
const CONSTRUCTORS: [&str; 6] =
    ["element", "attribute", "text", "document", "comment", "processing-instruction"];

/// The type of atoms of a name.
pub(super) fn type_of(name: &QName) -> Option<AtomType> {
    Some(match (&*name.uri, &*name.local) {
        (DATA_TYPES, "untypedAtomic") => AtomType::Untyped,
        (SCHEMA, "string") => AtomType::Text,
        (SCHEMA, "integer" | "int" | "long" | "short" | "byte") => AtomType::Integer,
        (SCHEMA, "decimal") => AtomType::Decimal,
        (SCHEMA, "double" | "float") => AtomType::Double,
        (SCHEMA, "boolean") => AtomType::Boolean,
        (SCHEMA, "date") => AtomType::Date,
        (SCHEMA, "time") => AtomType::Time,
        (SCHEMA, "dateTime") => AtomType::DateTime,
        _ => return None,
    })
}

impl QueryReader<'_> {
    /// Whether an expression that is no step begins here.
    pub(super) fn is_primary(&mut self) -> bool {
        let rest = self.rest;
        let Some(first) = rest.chars().next() else { return false };
        if "\"'($<".contains(first) || first.is_ascii_digit() {
            return true;
        }
        if first == '.' {
            return rest[1..].starts_with(|c: char| c.is_ascii_digit());
        }
        if !begins_name(first) {
            return false;
        }
        let Ok((prefix, local)) = self.written_name() else { return false };
        let call = self.is("(") && !(prefix.is_empty() && TESTS.contains(&local));
        let constructor =
            prefix.is_empty() && CONSTRUCTORS.contains(&local) && self.is_constructor();
        self.rest = rest;
        call || constructor
    }

    /// Behind the word of a constructor: a brace, or a name and a brace.
    fn is_constructor(&mut self) -> bool {
        if self.is("{") {
            return true;
        }
        self.written_name().is_ok() && self.is("{")
    }

    pub(super) fn primary(&mut self) -> SqlResult<Expr> {
        if let Some(text) = self.literal()? {
            return Ok(Expr::Text(text));
        }
        if self.eat("$") {
            let name = self.plain_name()?;
            let found = self.scope.iter().rev().find(|v| v.0 == name).map(|v| v.1);
            return found.map(Expr::Variable).ok_or_else(|| self.error(2227, &[&name]));
        }
        if self.is("<") {
            return self.direct();
        }
        if self.eat("(") {
            if self.eat(")") {
                return Ok(Expr::Sequence(Vec::new()));
            }
            let inner = self.list()?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return self.number();
        }
        let before = self.rest;
        let (prefix, local) = self.written_name()?;
        if prefix.is_empty() && CONSTRUCTORS.contains(&local) && !self.is("(") {
            return self.computed(local);
        }
        self.rest = before;
        self.call()
    }

    fn number(&mut self) -> SqlResult<Expr> {
        let rest = self.rest;
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (mut text, mut behind) = rest.split_at(end);
        let mut double = false;
        if behind.starts_with(['e', 'E']) {
            let signed = usize::from(behind[1..].starts_with(['+', '-']));
            let digits = behind[1 + signed..].find(|c: char| !c.is_ascii_digit());
            let length = 1 + signed + digits.unwrap_or(behind.len() - 1 - signed);
            text = &rest[..end + length];
            behind = &rest[end + length..];
            double = true;
        }
        self.rest = behind;
        let found = match double {
            true => text.parse().ok().map(Expr::Double),
            false => {
                let ty = if text.contains('.') { AtomType::Decimal } else { AtomType::Integer };
                decimal_of(text).map(|n| Expr::Decimal(n, ty))
            }
        };
        found.filter(|_| !self.rest.starts_with(begins_name)).ok_or_else(|| self.error(2342, &[]))
    }

    fn call(&mut self) -> SqlResult<Expr> {
        let mut name = self.qualified_name()?;
        if name.prefix.is_empty() {
            name.uri = FUNCTION_NAMES.into();
        }
        self.expect("(")?;
        if &*name.uri == SQL {
            return self.value_of_sql(&name.local);
        }
        let mut args = Vec::new();
        while !self.eat(")") {
            if !args.is_empty() && !self.eat(",") {
                return Err(self.error(2217, &[&",", &")"]));
            }
            args.push(self.expression()?);
        }
        if let Some(ty) = type_of(&name) {
            self.counted(&name, args.len(), 1, 1)?;
            return Ok(Expr::Cast(ty, Box::new(args.remove(0))));
        }
        let known = QUERY_FUNCTIONS.iter().find(|f| *f.0 == *name.local);
        let Some((_, function, least, most)) = known.filter(|_| &*name.uri == FUNCTION_NAMES)
        else {
            return Err(match &*name.uri {
                FUNCTION_NAMES
                    if matches!(
                        &*name.local,
                        "id" | "expanded-QName"
                            | "local-name-from-QName"
                            | "namespace-uri-from-QName"
                    ) =>
                {
                    taffrail_base::message::unsupported(format_args!(
                        "The XQuery function {}()",
                        name.local
                    ))
                }
                uri => self.error(2395, &[&format!("{{{uri}}}"), &name.local]),
            });
        };
        self.counted(&name, args.len(), *least, *most)?;
        Ok(Expr::Call(*function, args))
    }

    fn counted(&self, name: &QName, given: usize, least: usize, most: usize) -> SqlResult<()> {
        match given {
            n if n < least => Err(self.error(2236, &[&name.written(&name.prefix)])),
            n if n > most => Err(self.error(2238, &[&name.written(&name.prefix)])),
            _ => Ok(()),
        }
    }

    /// `sql:column("…")` and `sql:variable("@…")`, behind the parenthesis.
    fn value_of_sql(&mut self, name: &str) -> SqlResult<Expr> {
        if !matches!(name, "column" | "variable") {
            return Err(self.error(2395, &[&format!("{{{SQL}}}"), &name]));
        }
        let Some(text) = self.literal()? else { return Err(self.error(2225, &[])) };
        self.expect(")")?;
        self.outside.push(match name {
            "column" => Outside::Column(text),
            _ => Outside::Variable(text),
        });
        Ok(Expr::Outside(self.outside.len() - 1))
    }
}
