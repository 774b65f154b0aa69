//! sp_columns and its newer forms: the columns of tables and views, those of the system too.

use super::Arguments;
use super::odbc::{INT, NAME, SMALL, TEXT, database_of, fits, pattern};
use super::odbc_types::{Dialect, odbc};
use super::odbc_waits::is_called;
use crate::catalog::{Object, ObjectKind, SYSNAME_ID, Sight, fold};
use crate::database::Database;
use crate::features::view;
use crate::plan::system_view::SystemView;
use crate::results::send;
use crate::row;
use crate::session::context::StatementContext;
use crate::storage_types::storage_type;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::{MaxLen, SqlType, Value};

/// What every form of the procedure shows.
const COLUMNS: [(&str, SqlType, bool); 18] = [
    ("TABLE_QUALIFIER", NAME, true),
    ("TABLE_OWNER", NAME, true),
    ("TABLE_NAME", NAME, true),
    ("COLUMN_NAME", NAME, true),
    ("DATA_TYPE", SMALL, true),
    ("TYPE_NAME", NAME, true),
    ("PRECISION", INT, true),
    ("LENGTH", INT, true),
    ("SCALE", SMALL, true),
    ("RADIX", SMALL, true),
    ("NULLABLE", SMALL, true),
    ("REMARKS", TEXT, true),
    ("COLUMN_DEF", SqlType::NVarChar(MaxLen::N(4000)), true),
    ("SQL_DATA_TYPE", SMALL, true),
    ("SQL_DATETIME_SUB", SMALL, true),
    ("CHAR_OCTET_LENGTH", INT, true),
    ("ORDINAL_POSITION", INT, true),
    ("IS_NULLABLE", TEXT, true),
];

/// Types of assemblies and schemas of xml, as procedures show them from level 90 on: NULL here.
pub(super) const TYPES_OF_DATABASES: [(&str, SqlType, bool); 6] = [
    ("SS_UDT_CATALOG_NAME", NAME, true),
    ("SS_UDT_SCHEMA_NAME", NAME, true),
    ("SS_UDT_ASSEMBLY_TYPE_NAME", NAME, true),
    ("SS_XML_SCHEMACOLLECTION_CATALOG_NAME", NAME, true),
    ("SS_XML_SCHEMACOLLECTION_SCHEMA_NAME", NAME, true),
    ("SS_XML_SCHEMACOLLECTION_NAME", NAME, true),
];

/// `sp_columns`.
pub(super) fn columns(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    columns_of(cx, args, 80)
}

/// `sp_columns_90`: with the columns that newer drivers read.
pub(super) fn columns_90(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    columns_of(cx, args, 90)
}

/// `sp_columns_100`: with those of 2008 too.
pub(super) fn columns_100(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    columns_of(cx, args, 100)
}

/// The name of the alias of this number; sysname is one.
pub(super) fn alias_of(database: &Database, sight: Sight, user_type: i32) -> Option<Arc<str>> {
    match user_type {
        0 => None,
        SYSNAME_ID => Some("sysname".into()),
        id => database.catalog.type_by_id(id, sight).map(|t| t.head.name.clone()),
    }
}

/// An object or a view of the system.
enum Source {
    Object(Object),
    System(&'static SystemView),
}

/// A column of either.
struct Shown<'a> {
    name: &'a str,
    /// As the catalogue shows it.
    type_name: &'static str,
    /// The alias that it is declared with.
    alias: Option<Arc<str>>,
    ty: SqlType,
    is_nullable: bool,
    is_identity: bool,
    is_computed: bool,
    default: Option<&'a str>,
}

impl Source {
    /// Schema and name.
    fn named(&self) -> (&str, &str) {
        match self {
            Source::Object(o) => (&o.head().schema, &o.head().name),
            Source::System(v) => (v.schema, v.name),
        }
    }

    /// `database` has the types of users.
    fn columns(&self, database: &Database, sight: Sight) -> Vec<Shown<'_>> {
        match self {
            Source::Object(o) => {
                let each = o.columns().iter().map(|c| Shown {
                    name: &c.name,
                    type_name: c.type_name(),
                    alias: alias_of(database, sight, c.user_type),
                    ty: c.ty,
                    is_nullable: c.nullable,
                    is_identity: c.is_identity,
                    is_computed: c.computed.is_some(),
                    default: c.default.as_ref().map(|d| &*d.definition),
                });
                each.collect()
            }
            Source::System(v) => {
                let each = v.columns.iter().map(|c| Shown {
                    name: c.name,
                    type_name: c.ty.name(),
                    alias: None,
                    ty: c.ty,
                    is_nullable: c.nullable,
                    is_identity: false,
                    is_computed: false,
                    default: None,
                });
                each.collect()
            }
        }
    }
}

impl Shown<'_> {
    /// Its row; `at` from 0.
    fn cells(&self, place: [&str; 3], at: usize, level: u8, dialect: Dialect) -> Vec<Value> {
        let o = odbc(self.type_name, self.ty, dialect);
        let own = self.alias.as_deref().unwrap_or(self.type_name);
        let type_name = match self.is_identity {
            true => format!("{own} identity"),
            false => own.to_owned(),
        };
        let [database, schema, table] = place;
        let mut cells = row![
            database,
            schema,
            table,
            self.name,
            o.data_type,
            type_name,
            o.precision,
            o.length,
            o.scale,
            o.radix,
            self.is_nullable as i32,
            (),
            self.default,
            o.sql_type,
            o.subtype,
            o.octets,
            at + 1,
            if self.is_nullable { "YES" } else { "NO" }
        ];
        if level >= 100 {
            cells.extend(row![0, 0]);
        }
        if level >= 90 {
            cells.extend(row![
                self.is_computed as i32,
                self.is_identity as i32,
                (),
                (),
                (),
                (),
                (),
                ()
            ]);
        }
        cells.extend(row![storage_type(self.type_name, self.is_nullable)]);
        cells
    }
}

fn columns_of(cx: &mut StatementContext<'_>, args: &Arguments<'_>, level: u8) -> SqlResult<i32> {
    let [table, owner, column] = [0, 1, 3].map(|at| pattern(args.text(at), args.number(6)));
    let database = database_of(cx, args.text(2).filter(|q| q != "%").as_deref())?;
    let dialect = Dialect::new(level, args.number(5));
    cx.settle_objects(&database, is_called(table.as_deref(), owner.as_deref()))?;
    let system = ["sys", "INFORMATION_SCHEMA"];
    let views = view::all().iter().filter(|v| v.arguments.is_none() && system.contains(&v.schema));
    let mut sources: Vec<Source> = views.map(Source::System).collect();
    let mut objects = cx.session.seen_objects(&database, cx.sight());
    objects.retain(|o| o.head().kind != ObjectKind::TableType);
    sources.extend(objects.into_iter().map(Source::Object));
    sources.retain(|s| {
        let (schema, name) = s.named();
        fits(name, table.as_deref()) && fits(schema, owner.as_deref())
    });
    sources.sort_by_key(|s| (fold(s.named().0), fold(s.named().1)));
    let mut rows = Vec::new();
    for source in &sources {
        let (schema, name) = source.named();
        for (at, c) in source.columns(&database, cx.sight()).iter().enumerate() {
            if fits(c.name, column.as_deref()) {
                rows.push(c.cells([&database.name, schema, name], at, level, dialect));
            }
        }
    }
    send(cx, &declared(level), rows)?;
    Ok(0)
}

/// The columns of the result.
fn declared(level: u8) -> Vec<(&'static str, SqlType, bool)> {
    let mut columns = COLUMNS.to_vec();
    if level >= 100 {
        columns.extend([("SS_IS_SPARSE", SMALL, true), ("SS_IS_COLUMN_SET", SMALL, true)]);
    }
    if level >= 90 {
        columns.extend([("SS_IS_COMPUTED", SMALL, true), ("SS_IS_IDENTITY", SMALL, true)]);
        columns.extend(TYPES_OF_DATABASES);
    }
    columns.push(("SS_DATA_TYPE", SqlType::TinyInt, true));
    columns
}
