//! sp_help of a type.

use super::help::yes_no;
use super::odbc_types::{Dialect, odbc};
use crate::features::cell::collation_cell;
use crate::names::name_parts;
use crate::results::send;
use crate::row;
use crate::session::context::StatementContext;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::convert::{Declared, Large};
use taffrail_types::names::{self, TypeUse};
use taffrail_types::{MaxLen, SqlType};

const NAME: SqlType = SqlType::NVarChar(MaxLen::N(128));

/// Sends the row that sp_help has for a type, one of users or of the system; `missing` where there is none of that name.
pub(super) fn help_type(
    cx: &mut StatementContext<'_>,
    name: &str,
    missing: Box<SqlError>,
) -> SqlResult<i32> {
    let (database, parts) = (cx.database(), name_parts(name));
    let bare = parts.first().map_or("", |p| p);
    let own = database.catalog.find_type(parts.get(1).map(String::as_str), bare, cx.sight());
    // A type of the system is shown as long as it can be.
    let lengths = ["(8000)", "(4000)", "(38, 38)", ""].map(|length| format!("{bare}{length}"));
    let longest = |text: &String| names::parse(text, TypeUse::Declaration)?.ok();
    let system = || lengths.iter().find_map(longest).filter(|_| parts.len() == 1);
    let (shown, declared, nullable) = match own.as_deref() {
        Some(t) => match t.base() {
            Some((base, nullable)) => (t.head.name.clone(), Some(base), nullable),
            None => (t.head.name.clone(), None, false),
        },
        None => match system() {
            Some(ty) => (ty.name().into(), Some(Declared::new(ty, Large::Plain)), true),
            None => return Err(missing),
        },
    };
    let collation = cx.session.database.collation();
    let row = match declared {
        Some(of) => {
            let o = odbc(of.ty.name(), of.ty, Dialect::new(80, None));
            let length = if matches!(of.large(), Large::Plain | Large::Xml) {
                of.ty.max_length()
            } else {
                16
            };
            let collation = collation_cell(of.ty, collation);
            let nulls = yes_no(nullable);
            row![&shown, of.name(), length, o.precision, o.scale, nulls, (), (), collation]
        }
        None => row![&shown, "table type", -1, 0, 0, yes_no(nullable), (), (), ()],
    };
    let columns = [
        ("Type_name", NAME, true),
        ("Storage_type", NAME, true),
        ("Length", SqlType::SmallInt, true),
        ("Prec", SqlType::Int, true),
        ("Scale", SqlType::Int, true),
        ("Nullable", SqlType::VarChar(MaxLen::N(35)), true),
        ("Default_name", NAME, true),
        ("Rule_name", NAME, true),
        ("Collation", NAME, true),
    ];
    send(cx, &columns, vec![row])?;
    Ok(0)
}
