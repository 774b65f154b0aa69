//! The rows of the describe procedures and views: columns and parameters with their types as T-SQL and as TDS names them.

use super::Arguments;
use super::describe::{Description, Suggested};
use crate::catalog::SYSNAME_ID;
use crate::results::send;
use crate::row;
use crate::session::Session;
use crate::session::context::StatementContext;
use crate::sink::{ColumnDesc, Large};
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{Collation, MaxLen, SqlType, Value};

const NAME: SqlType = SqlType::NVarChar(MaxLen::N(128));
const LONG: SqlType = SqlType::NVarChar(MaxLen::N(4000));
const TYPE: SqlType = SqlType::NVarChar(MaxLen::N(256));
const INT: SqlType = SqlType::Int;
const SMALL: SqlType = SqlType::SmallInt;
const TINY: SqlType = SqlType::TinyInt;
const BIT: SqlType = SqlType::Bit;

/// A type with its names and numbers.
struct Facts {
    id: i32,
    shown: String,
    max_length: i32,
    precision: u8,
    scale: u8,
    tds: i32,
    tds_length: i32,
    collation: Option<Collation>,
}

/// `name` tells the large types apart that are (max) types to the engine.
fn facts(name: &str, ty: SqlType, nullable: bool, collation: Option<Collation>) -> Facts {
    use SqlType::*;
    let bytes = ty.max_length() as i32;
    let or = |fixed: i32, variable: i32| if nullable { variable } else { fixed };
    let (tds, tds_length) = match ty {
        Bit => (or(50, 104), 1),
        TinyInt => (or(48, 38), 1),
        SmallInt => (or(52, 38), 2),
        Int => (or(56, 38), 4),
        BigInt => (or(127, 38), 8),
        Real => (or(59, 109), 4),
        Float => (or(62, 109), 8),
        SmallMoney => (or(122, 110), 4),
        Money => (or(60, 110), 8),
        SmallDateTime => (or(58, 111), 4),
        DateTime => (or(61, 111), 8),
        Decimal { .. } => (106, 17),
        Numeric { .. } => (108, 17),
        Date => (40, 3),
        Time(_) => (41, bytes),
        DateTime2(_) => (42, bytes),
        DateTimeOffset(_) => (43, bytes),
        UniqueIdentifier => (36, 16),
        Variant => (98, 8009),
        Char(_) => (175, bytes),
        NChar(_) => (239, bytes),
        Binary(_) | RowVersion => (173, bytes),
        VarChar(_) => (167, if bytes < 0 { 65_535 } else { bytes }),
        NVarChar(_) => (231, if bytes < 0 { 65_535 } else { bytes }),
        VarBinary(_) => (165, if bytes < 0 { 65_535 } else { bytes }),
    };
    let (id, tds, tds_length, max_length) = match name {
        "xml" => (241, 241, 8100, -1),
        "text" => (35, 35, i32::MAX, 16),
        "ntext" => (99, 99, i32::MAX - 1, 16),
        "image" => (34, 34, i32::MAX, 16),
        _ => (ty.system_type_id() as i32, tds, tds_length, bytes),
    };
    let own = matches!(name, "xml" | "text" | "ntext" | "image");
    let shown = if own { name.to_string() } else { ty.to_string() };
    let collation = collation.filter(|_| name != "xml");
    Facts {
        id,
        shown,
        max_length,
        precision: ty.precision(),
        scale: ty.scale(),
        tds,
        tds_length,
        collation,
    }
}

fn column_facts(c: &ColumnDesc) -> Facts {
    let name = match (c.large, c.ty) {
        (Large::Xml, _) => "xml",
        (Large::Old, SqlType::VarChar(_)) => "text",
        (Large::Old, SqlType::NVarChar(_)) => "ntext",
        (Large::Old, SqlType::VarBinary(_)) => "image",
        (_, ty) => ty.name(),
    };
    facts(name, c.ty, c.nullable, c.collation)
}

/// `user_type_id`, database, schema and name of an alias; NULL of a system type.
fn user_cells(session: &Session, user_type: i32) -> Vec<Value> {
    let database = &session.database;
    let (schema, name): (Arc<str>, Arc<str>) = match user_type {
        SYSNAME_ID => ("sys".into(), "sysname".into()),
        id => match database.catalog.type_by_id(id, session.sight_of_types()) {
            Some(t) => (t.head.schema.clone(), t.head.name.clone()),
            None => return row![(), (), (), ()],
        },
    };
    row![user_type, &database.name, &schema, &name]
}

/// The cells of a column, those of TDS last.
fn column_cells(session: &Session, at: usize, c: &ColumnDesc) -> Vec<Value> {
    let f = column_facts(c);
    let name = Some(&*c.name).filter(|n| !n.is_empty());
    let tds = f.collation.map(Collation::tds);
    let mut cells = row![
        false,
        at + 1,
        name,
        c.nullable,
        f.id,
        f.shown,
        f.max_length,
        f.precision,
        f.scale,
        f.collation.map(|c| c.name()),
        (),
        (),
        (),
        (),
        (),
        (),
        (),
        (),
        (),
        false,
        f.collation.is_some_and(|c| !c.eq_str("a", "A")),
        false,
        (),
        (),
        (),
        (),
        (),
        c.identity,
        (),
        !c.computed && !c.identity && c.ty != SqlType::RowVersion,
        false,
        false,
        (),
        (),
        (),
        f.tds,
        f.tds_length,
        tds.map(|t| i32::from_le_bytes([t[0], t[1], t[2], t[3]])),
        tds.map(|t| t[4])
    ];
    cells.splice(10..14, user_cells(session, c.user_type));
    cells
}

const COLUMNS: [(&str, SqlType, bool); 39] = [
    ("is_hidden", BIT, false),
    ("column_ordinal", INT, false),
    ("name", NAME, true),
    ("is_nullable", BIT, false),
    ("system_type_id", INT, false),
    ("system_type_name", TYPE, true),
    ("max_length", SMALL, false),
    ("precision", TINY, false),
    ("scale", TINY, false),
    ("collation_name", NAME, true),
    ("user_type_id", INT, true),
    ("user_type_database", NAME, true),
    ("user_type_schema", NAME, true),
    ("user_type_name", NAME, true),
    ("assembly_qualified_type_name", LONG, true),
    ("xml_collection_id", INT, true),
    ("xml_collection_database", NAME, true),
    ("xml_collection_schema", NAME, true),
    ("xml_collection_name", NAME, true),
    ("is_xml_document", BIT, false),
    ("is_case_sensitive", BIT, false),
    ("is_fixed_length_clr_type", BIT, false),
    ("source_server", NAME, true),
    ("source_database", NAME, true),
    ("source_schema", NAME, true),
    ("source_table", NAME, true),
    ("source_column", NAME, true),
    ("is_identity_column", BIT, true),
    ("is_part_of_unique_key", BIT, true),
    ("is_updateable", BIT, true),
    ("is_computed_column", BIT, true),
    ("is_sparse_column_set", BIT, true),
    ("ordinal_in_order_by_list", SMALL, true),
    ("order_by_list_length", SMALL, true),
    ("order_by_is_descending", SMALL, true),
    ("tds_type_id", INT, false),
    ("tds_length", INT, false),
    ("tds_collation_id", INT, true),
    ("tds_collation_sort_id", TINY, true),
];

/// The errors are told; the last one says what they have done.
fn tell(cx: &mut StatementContext<'_>, errors: Vec<SqlError>) -> Box<SqlError> {
    for e in errors {
        if matches!(e.number, 11501..=11530 | 40510) {
            return Box::new(e);
        }
        if let Err(gone) = cx.message(Box::new(e)) {
            return gone;
        }
    }
    SqlError::new(11501, &[])
}

fn browse_refused() -> Box<SqlError> {
    unsupported("A description with browse information")
}

/// `sp_describe_first_result_set`.
pub(super) fn first_result_set(
    cx: &mut StatementContext<'_>,
    args: &Arguments<'_>,
) -> SqlResult<i32> {
    let procedure = "sp_describe_first_result_set";
    let Some(text) = args.text(0) else {
        return Err(SqlError::new(201, &[&procedure, &"@tsql"]));
    };
    if args.number(2).unwrap_or(0) != 0 {
        return Err(browse_refused());
    }
    let declared = args.text(1).unwrap_or_default();
    let found = cx.settled(|cx| Ok(columns_of(cx.session, &text, &declared)))?;
    let columns = match found {
        Ok(columns) => columns.unwrap_or_default(),
        Err(errors) => return Err(tell(cx, errors)),
    };
    let cells = |(n, c)| column_cells(cx.session, n, c);
    let rows = columns.iter().enumerate().map(cells).collect();
    send(cx, &COLUMNS, rows)?;
    Ok(0)
}

fn columns_of(
    session: &Session,
    text: &str,
    declared: &str,
) -> Result<Option<Vec<ColumnDesc>>, Vec<SqlError>> {
    let mut description = Description::new(session, text, declared)?;
    description.columns(session).map_err(|e| vec![*e])
}

/// Cells of `sys.dm_exec_describe_first_result_set`: the columns, or one row that tells why there are none.
pub(super) fn described(session: &Session, text: &str, declared: &str) -> Vec<Vec<Value>> {
    shown(session, columns_of(session, text, declared))
}

/// The same of a procedure.
pub(super) fn described_object(session: &Session, id: i32) -> Vec<Vec<Value>> {
    use crate::catalog::Object;
    let found = session.database.catalog.object(taffrail_base::ObjectId(id), session.id);
    match found {
        Some(Object::Procedure(p)) => {
            let found = super::describe::of_procedure(session, &p).map_err(|e| vec![*e]);
            shown(session, found)
        }
        other => {
            let (kind, text) = match other {
                Some(_) => (12, "OBJECT_TYPE_NOT_SUPPORTED"),
                None => (13, "OBJECT_DOES_NOT_EXIST"),
            };
            let mut cells = vec![Value::Null; 39];
            cells.extend(row![(), (), (), (), kind, text]);
            vec![cells]
        }
    }
}

fn shown(
    session: &Session,
    found: Result<Option<Vec<ColumnDesc>>, Vec<SqlError>>,
) -> Vec<Vec<Value>> {
    match found {
        Ok(columns) => {
            let columns = columns.unwrap_or_default();
            let cells = |(n, c)| {
                let mut cells = column_cells(session, n, c);
                cells.extend(vec![Value::Null; 6]);
                cells
            };
            columns.iter().enumerate().map(cells).collect()
        }
        Err(errors) => {
            let mut cells = vec![Value::Null; 39];
            let e = errors.into_iter().next().unwrap_or_else(|| *SqlError::new(11501, &[]));
            let (kind, text) = match e.number {
                11509..=11512 => (3, "CONFLICTING_RESULTS"),
                11513 | 11514 => (4, "DYNAMIC_SQL"),
                11519 | 11520 => (7, "EXTENDED_PROCEDURE"),
                11521 => (8, "UNDECLARED_PARAMETER"),
                11525 | 11526 => (10, "TEMPORARY_TABLE"),
                11527 => (11, "UNSUPPORTED_STATEMENT"),
                _ if e.severity == 15 => (2, "SYNTAX"),
                _ => (1, "MISC"),
            };
            cells.extend(row![e.number, e.severity, e.state, &*e.message, kind, text]);
            vec![cells]
        }
    }
}

/// `sp_describe_undeclared_parameters`.
pub(super) fn undeclared(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let procedure = "sp_describe_undeclared_parameters";
    let Some(text) = args.text(0) else {
        return Err(SqlError::new(201, &[&procedure, &"@tsql"]));
    };
    let declared = args.text(1).unwrap_or_default();
    let asked = cx.settled(|cx| {
        let session: &Session = cx.session;
        let asked = Description::new(session, &text, &declared).and_then(|mut d| {
            d.ask(session).map_err(|e| vec![*e])?;
            Ok(d)
        });
        Ok(asked)
    })?;
    let description = match asked {
        Ok(d) => d,
        Err(errors) => return Err(tell(cx, errors)),
    };
    let mut rows = Vec::new();
    for (n, name) in description.undeclared.iter().enumerate() {
        match description.uses[n] {
            0 => continue,
            1 => {}
            _ => return Err(SqlError::new(11508, &[name])),
        }
        // Nothing asks for a type: any would do.
        let any = Suggested { ty: SqlType::Variant, name: SqlType::Variant.name() };
        let s = description.suggested[n].unwrap_or(any);
        let f = facts(s.name, s.ty, true, None);
        let mut cells =
            row![rows.len() + 1, name, f.id, f.shown, f.max_length, f.precision, f.scale];
        cells.extend(vec![Value::Null; 9]);
        cells.extend(row![
            false,
            false,
            false,
            true,
            false,
            description.formal[n].as_deref(),
            f.tds,
            f.tds_length
        ]);
        rows.push(cells);
    }
    let columns = [
        ("parameter_ordinal", INT, false),
        ("name", NAME, false),
        ("suggested_system_type_id", INT, false),
        ("suggested_system_type_name", TYPE, true),
        ("suggested_max_length", SMALL, false),
        ("suggested_precision", TINY, false),
        ("suggested_scale", TINY, false),
        ("suggested_user_type_id", INT, true),
        ("suggested_user_type_database", NAME, true),
        ("suggested_user_type_schema", NAME, true),
        ("suggested_user_type_name", NAME, true),
        ("suggested_assembly_qualified_type_name", LONG, true),
        ("suggested_xml_collection_id", INT, true),
        ("suggested_xml_collection_database", NAME, true),
        ("suggested_xml_collection_schema", NAME, true),
        ("suggested_xml_collection_name", NAME, true),
        ("suggested_is_xml_document", BIT, false),
        ("suggested_is_case_sensitive", BIT, false),
        ("suggested_is_fixed_length_clr_type", BIT, false),
        ("suggested_is_input", BIT, false),
        ("suggested_is_output", BIT, false),
        ("formal_parameter_name", NAME, true),
        ("suggested_tds_type_id", INT, false),
        ("suggested_tds_length", INT, false),
    ];
    send(cx, &columns, rows)?;
    Ok(0)
}
