//! A remote call as the text of the statement that would do the same: `exec dbo.p @i=5`.

use crate::rpc::{RpcCall, RpcParam, RpcProcedure, RpcTable};
use crate::session::masked::masked;
use std::fmt::Write;
use taffrail_types::{SqlType, Value, text};

/// Stands in place of a value that may be a password.
const HIDDEN: &str = "'******'";

/// A call's statement, without passwords. Parameters that the client wants back are variables: they are declared before, and selected
/// behind.
pub(crate) fn statement(call: &RpcCall, name: &str) -> String {
    let secret = call.params.iter().any(may_name_password) || names_password(name);
    let (mut before, mut out, mut behind) = (String::new(), format!("exec {name}"), String::new());
    let mut variables = 0;
    for (n, p) in call.params.iter().enumerate() {
        out.push_str(if n == 0 { " " } else { "," });
        if !p.name.is_empty() {
            let _ = write!(out, "{}=", p.name);
        }
        if let Some(table) = p.table.as_deref().filter(|t| t.columns.is_some()) {
            variables += 1;
            let own = format!("@p{variables}");
            declare_table(&mut before, &own, table, secret);
            out.push_str(&own);
            continue;
        }
        // The text of a statement is masked as such.
        let value = match is_statement(call, n) {
            false if secret && hides(&p.value) => HIDDEN.to_owned(),
            _ if p.default || p.table.is_some() => "default".to_owned(),
            _ => literal(&p.value, p.ty),
        };
        if !p.by_ref {
            out.push_str(&value);
            continue;
        }
        variables += 1;
        let own = format!("@p{variables}");
        let _ = write!(before, "declare {own} {}\nset {own}={value}\n", p.ty);
        let _ = write!(out, "{own} output");
        behind.push_str(if variables == 1 { "\nselect " } else { ", " });
        behind.push_str(&own);
    }
    masked(&(before + &out + &behind)).into_owned()
}

/// The statements that make a table which is passed: its declaration, and an INSERT for each row.
fn declare_table(out: &mut String, own: &str, table: &RpcTable, secret: bool) {
    let schema = if table.schema.is_empty() { "" } else { "." };
    let _ = writeln!(out, "declare {own} {}{schema}{}", table.schema, table.name);
    let types: Vec<_> = table.columns.iter().flatten().flatten().collect();
    for row in &table.rows {
        let value = |(v, ty): (&Value, &&SqlType)| match secret && hides(v) {
            true => HIDDEN.to_owned(),
            false => literal(v, **ty),
        };
        let values: Vec<String> = row.iter().zip(&types).map(value).collect();
        let _ = writeln!(out, "insert into {own} values({})", values.join(","));
    }
}

/// What is called, without its schema and brackets.
pub(crate) fn object_name(procedure: &RpcProcedure, name: &str) -> String {
    match procedure {
        RpcProcedure::Id(_) => name.to_owned(),
        RpcProcedure::Name(_) => crate::functions::spelling::split_name(name)
            .and_then(|parts| parts.last().map(ToString::to_string))
            .unwrap_or_else(|| name.to_owned()),
    }
}

fn names_password(text: &str) -> bool {
    let text = text.to_lowercase();
    text.contains("password")
        || text.contains("passwd")
        || ["sp_addlogin", "sp_addlinkedsrvlogin", "sp_setapprole", "sp_addapprole"]
            .iter()
            .any(|name| text.contains(name))
}

/// A text, alone or in a table that is passed, or a parameter's name that speaks of passwords: the values beside it may be some.
fn may_name_password(p: &RpcParam) -> bool {
    let cells = p.table.iter().flat_map(|t| t.rows.iter().flatten());
    let mut values = cells.chain([&p.value]);
    names_password(&p.name) || values.any(|v| v.as_text().is_some_and(|t| names_password(&t)))
}

fn hides(value: &Value) -> bool {
    matches!(value, Value::VarChar(_) | Value::NVarChar(_) | Value::Binary(_) | Value::Variant(_))
}

/// The parameter is a statement, or declares parameters of one.
fn is_statement(call: &RpcCall, n: usize) -> bool {
    let plain = |name: &str| {
        let name = name.rsplit(['.', '[']).next().unwrap_or_default();
        name.trim_end_matches(']').to_lowercase()
    };
    match &call.procedure {
        RpcProcedure::Id(10) => n < 2,
        RpcProcedure::Id(11 | 13) => n == 1 || n == 2,
        RpcProcedure::Name(name) => plain(name) == "sp_executesql" && n < 2,
        RpcProcedure::Id(_) => false,
    }
}

fn literal(value: &Value, ty: SqlType) -> String {
    let quoted = |t: &str| format!("'{}'", t.replace('\'', "''"));
    match value {
        Value::Null => "NULL".into(),
        Value::Bit(b) => u8::from(*b).to_string(),
        Value::Float(f) => format!("{f:?}"),
        Value::Real(f) => format!("{f:?}"),
        Value::Money(m) => text::money(*m, 2),
        Value::Decimal(_) => text::display(value, ty),
        Value::Binary(b) => text::hex(b, true),
        Value::Variant(inner) => literal(&inner.1, inner.0),
        Value::NVarChar(_) => format!("N{}", quoted(&value.as_text().unwrap_or_default())),
        _ => match value.as_i64() {
            Some(n) => n.to_string(),
            None => quoted(&crate::explain::iso(value, ty)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_types::MaxLen;

    fn param(name: &str, value: Value, ty: SqlType) -> RpcParam {
        RpcParam { name: name.into(), by_ref: false, default: false, ty, value, table: None }
    }

    fn text(name: &str, value: &str) -> RpcParam {
        param(name, Value::nvarchar(value), SqlType::NVarChar(MaxLen::N(100)))
    }

    fn int(name: &str, value: i32) -> RpcParam {
        param(name, Value::Int(value), SqlType::Int)
    }

    #[test]
    fn a_call_is_the_statement_that_does_the_same() {
        let procedure = RpcProcedure::Id(10);
        let params = vec![
            text("", "SELECT 'a' WHERE @id = 7"),
            text("", "@id int,@s varchar(9),@n bit"),
            int("@id", 7),
            param("@s", Value::varchar("it's"), SqlType::VarChar(MaxLen::N(9))),
            param("@n", Value::Null, SqlType::Bit),
        ];
        assert_eq!(
            statement(&RpcCall { procedure, params }, "sp_executesql"),
            "exec sp_executesql N'SELECT ''a'' WHERE @id = 7',N'@id int,@s varchar(9),@n bit',@id=7,@s='it''s',@n=NULL"
        );
        let procedure = RpcProcedure::Name("[dbo].[p q]".into());
        assert_eq!(object_name(&procedure, "[dbo].[p q]"), "p q");
        let mut back = int("@out", 3);
        back.by_ref = true;
        let mut default = int("@d", 0);
        default.default = true;
        let bytes = param(
            "@b",
            Value::Binary([1, 171].as_slice().into()),
            SqlType::VarBinary(MaxLen::N(9)),
        );
        let call = RpcCall { procedure, params: vec![int("@i", 5), default, bytes, back] };
        assert_eq!(
            statement(&call, "dbo.p"),
            "declare @p1 int\nset @p1=3\nexec dbo.p @i=5,@d=default,@b=0x01AB,@out=@p1 output\nselect @p1"
        );
    }

    #[test]
    fn values_beside_a_password_are_hidden() {
        let named = |name: &str, params: Vec<RpcParam>| {
            statement(&RpcCall { procedure: RpcProcedure::Name(name.into()), params }, name)
        };
        let hidden = [
            named("sp_addlogin", vec![text("", "ada"), text("", "secret")]),
            named("dbo.p", vec![text("@password", "secret")]),
            named("dbo.p", vec![text("@statement", "ALTER LOGIN a WITH PASSWORD = 'secret'")]),
            named(
                "sp_executesql",
                vec![
                    text("", "SET @s = N'CREATE LOGIN a WITH PASSWORD = ' + QUOTENAME(@p)"),
                    text("", "@p nvarchar(9)"),
                    text("@p", "secret"),
                ],
            ),
            named("sp_executesql", vec![text("", "CREATE LOGIN a WITH PASSWORD = 'secret'")]),
        ];
        let texts = ["password", "secret"].map(Value::nvarchar).map(|v| vec![v]);
        let (schema, name, order) = (String::new(), "settings".into(), Vec::new());
        let columns = Some(vec![Some(SqlType::NVarChar(MaxLen::N(100)))]);
        let table = RpcTable { schema, name, columns, order, rows: texts.into() };
        let handed = RpcParam { table: Some(Box::new(table)), ..int("@t", 0) };
        for told in hidden.into_iter().chain([named("dbo.p", vec![handed])]) {
            assert!(!told.contains("secret") && told.contains("******"), "{told}");
        }
        assert_eq!(named("dbo.p", vec![text("@name", "open")]), "exec dbo.p @name=N'open'");
    }
}
