//! Objects, columns and types in the catalogue of SQL Server 2000: sysobjects, syscolumns, systypes.

use super::cell::{Column, Columns, IntoCell, Rows, null};
use super::object_columns::Types;
use super::objects::{schema_id, shown_views, system_date};
use super::{Declaration, Reach, ViewContext, by_column};
use crate::features::needs;
use crate::storage_types::{storage_type, user_type};
use taffrail_base::SqlResult;
use taffrail_types::convert::Declared;
use taffrail_types::names::{SYS_TYPES, SysType};
use taffrail_types::{Collation, Value};

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        by_column("sysobjects", needs::METADATA, OBJECTS, objects).reached(Reach::Bare),
        by_column("syscolumns", needs::METADATA, COLUMNS, columns).reached(Reach::Bare),
        by_column("systypes", needs::METADATA, TYPES, types).reached(Reach::Bare),
    ]);
}

fn zero<T>(_: &T) -> Value {
    0_i32.cell()
}

/// An object of the database or of the system.
struct OldObject {
    name: Value,
    id: i32,
    code: &'static str,
    schema: i32,
    parent: i32,
    created: Value,
    is_system: bool,
}

impl OldObject {
    /// `type`, which calls both kinds of keys K.
    fn old_code(&self) -> &'static str {
        match self.code {
            "PK" | "UQ" => "K ",
            other => other,
        }
    }
}

/// `category` of what came with the server.
const OF_THE_SYSTEM: i32 = 2;

const OBJECTS: Columns<OldObject> = &[&[
    ("name sysname!", |o| (&o.name).cell()),
    ("id int!", |o| o.id.cell()),
    ("xtype char(2)!", |o| o.code.cell()),
    ("uid smallint?", |o| o.schema.cell()),
    ("info smallint?", zero),
    ("status int?", zero),
    ("base_schema_ver int?", zero),
    ("replinfo int?", zero),
    ("parent_obj int!", |o| o.parent.cell()),
    ("crdate datetime!", |o| (&o.created).cell()),
    ("ftcatid smallint?", zero),
    ("schema_ver int?", zero),
    ("stats_schema_ver int?", zero),
    ("type char(2)?", |o| o.old_code().cell()),
    ("userstat smallint?", zero),
    ("sysstat smallint?", zero),
    ("indexdel smallint?", zero),
    ("refdate datetime!", |o| (&o.created).cell()),
    ("version int?", zero),
    ("deltrig int?", zero),
    ("instrig int?", zero),
    ("updtrig int?", zero),
    ("seltrig int?", zero),
    ("category int?", |o| (if o.is_system { OF_THE_SYSTEM } else { 0 }).cell()),
    ("cache smallint?", zero),
]];

/// With those of the system, as SQL Server lists them.
fn objects(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for object in cx.objects() {
        let h = object.head();
        let row = OldObject {
            name: (&h.name).cell(),
            id: h.id.0,
            code: h.kind.code(),
            schema: h.schema_id.0,
            parent: h.parent.0,
            created: h.created.clone(),
            is_system: false,
        };
        rows.show(OBJECTS, &row);
    }
    let date = system_date(cx);
    let of_system = |name: &str, id: i32, schema: i32, code: &'static str| OldObject {
        name: name.cell(),
        id,
        code,
        schema,
        parent: 0,
        created: date.clone(),
        is_system: true,
    };
    for view in shown_views() {
        let code = if view.arguments.is_none() { "V " } else { "IF" };
        rows.show(OBJECTS, &of_system(view.name, view.id, schema_id(view), code));
    }
    for (name, id) in crate::features::procedure::names() {
        rows.show(OBJECTS, &of_system(name, id, 4, "P "));
    }
    Ok(())
}

/// A column of a table or view, or a parameter of a procedure.
struct OldColumn {
    object: i32,
    id: i32,
    name: Value,
    type_name: &'static str,
    types: Types,
    collation: Option<Collation>,
    is_nullable: bool,
    is_padded: bool,
    is_identity: bool,
    is_computed: bool,
    /// The id of its DEFAULT, or 0.
    default: i32,
    is_parameter: bool,
    is_output: bool,
}

/// Bits of `status`.
const ALLOWS_NULL: i32 = 8;
const PADDED: i32 = 16;
const OUTPUT: i32 = 64;
const IDENTITY: i32 = 128;

impl OldColumn {
    /// One that may be NULL, without a default.
    fn new(object: i32, id: i32, name: Value, type_name: &'static str, types: Types) -> OldColumn {
        OldColumn {
            object,
            id,
            name,
            type_name,
            types,
            collation: None,
            is_nullable: true,
            is_padded: types.is_trimmed(),
            is_identity: false,
            is_computed: false,
            default: 0,
            is_parameter: false,
            is_output: false,
        }
    }

    fn status(&self) -> i32 {
        let bit = |on: bool, bit: i32| if on { bit } else { 0 };
        bit(self.is_nullable, ALLOWS_NULL)
            | bit(self.is_padded, PADDED)
            | bit(self.is_output, OUTPUT)
            | bit(self.is_identity, IDENTITY)
    }

    /// The collation of a text.
    fn text(&self) -> Option<Collation> {
        self.collation.filter(|_| self.types.is_text())
    }
}

const COLUMNS: Columns<OldColumn> = &[COLUMN_HEAD, COLUMN_TAIL];

const COLUMN_HEAD: &[Column<OldColumn>] = &[
    ("name sysname?", |c| (&c.name).cell()),
    ("id int!", |c| c.object.cell()),
    ("xtype tinyint!", |c| c.types.system.cell()),
    ("typestat tinyint?", zero),
    ("xusertype smallint?", |c| c.types.user.cell()),
    ("length smallint!", |c| c.types.length.cell()),
    ("xprec tinyint!", |c| c.types.precision.cell()),
    ("xscale tinyint!", |c| c.types.scale.cell()),
    ("colid smallint?", |c| c.id.cell()),
    ("xoffset smallint?", zero),
    ("bitpos tinyint?", zero),
    ("reserved tinyint?", zero),
    ("colstat smallint?", |c| c.is_identity.cell()),
    ("cdefault int!", |c| c.default.cell()),
    ("domain int!", zero),
    ("number smallint?", |c| c.is_parameter.cell()),
    ("colorder smallint?", |c| c.id.cell()),
    ("autoval varbinary(8000)?", null),
    ("offset smallint?", zero),
];

const COLUMN_TAIL: &[Column<OldColumn>] = &[
    ("collationid int?", |c| c.text().map(|t| t.id().cast_signed()).cell()),
    ("language int!", zero),
    ("status tinyint?", |c| c.status().cell()),
    ("type tinyint!", |c| storage_type(c.type_name, c.is_nullable).cell()),
    ("usertype smallint?", |c| user_type(c.type_name).cell()),
    ("printfmt varchar(255)?", null),
    ("prec smallint?", |c| i16::try_from(c.types.width()).ok().cell()),
    ("scale int?", |c| c.types.digits().cell()),
    ("iscomputed int?", |c| i32::from(c.is_computed).cell()),
    ("isoutparam int!", |c| c.is_output.cell()),
    ("isnullable int?", |c| c.is_nullable.cell()),
    ("collation sysname?", |c| c.text().map(Collation::name).cell()),
];

/// With those of the system's views.
fn columns(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for object in cx.objects() {
        let id = object.head().id.0;
        for c in object.columns() {
            let plain = OldColumn::new(id, c.id, (&c.name).cell(), c.type_name(), c.told_type());
            let row = OldColumn {
                collation: Some(c.collation),
                is_nullable: c.nullable,
                is_padded: plain.is_padded && !c.unpadded,
                is_identity: c.is_identity,
                is_computed: c.computed.is_some(),
                default: c.default.as_ref().map_or(0, |d| d.id.0),
                ..plain
            };
            rows.show(COLUMNS, &row);
        }
        let Some(module) = object.as_module() else { continue };
        let result = module.result.iter().map(|p| (0, p));
        for (place, p) in result.chain((1..).zip(&module.parameters)) {
            let name = (&p.name).cell();
            let plain = OldColumn::new(id, place, name, p.ty.name(), Types::of(p.ty));
            let collation = Some(cx.database.collation());
            rows.show(
                COLUMNS,
                &OldColumn { collation, is_parameter: true, is_output: p.output, ..plain },
            );
        }
    }
    for view in shown_views() {
        for (at, c) in view.columns.iter().enumerate() {
            let declared = Declared::new(c.ty, c.large);
            let (place, types) = (at as i32 + 1, Types::declared(declared, 0));
            let plain = OldColumn::new(view.id, place, c.name.cell(), declared.name(), types);
            let collation = Some(cx.database.collation());
            rows.show(COLUMNS, &OldColumn { collation, is_nullable: c.nullable, ..plain });
        }
    }
    Ok(())
}

/// A type, and the database whose collation its texts have.
struct OldType {
    ty: &'static SysType,
    collation: Collation,
}

impl OldType {
    fn text(&self) -> Option<Collation> {
        self.ty.collated.then_some(self.collation)
    }

    fn types(&self) -> Types {
        Types::of_system_type(self.ty)
    }
}

const TYPES: Columns<OldType> = &[&[
    ("name sysname!", |t| t.ty.name.cell()),
    ("xtype tinyint!", |t| t.ty.system_type_id.cell()),
    ("status tinyint?", zero),
    ("xusertype smallint?", |t| t.ty.user_type_id.cell()),
    ("length smallint!", |t| t.ty.max_length.cell()),
    ("xprec tinyint!", |t| t.ty.precision.cell()),
    ("xscale tinyint!", |t| t.ty.scale.cell()),
    ("tdefault int!", zero),
    ("domain int!", zero),
    ("uid smallint?", |_| 4_i32.cell()),
    ("reserved smallint?", zero),
    ("collationid int?", |t| t.text().map(|c| c.id().cast_signed()).cell()),
    ("usertype smallint?", |t| user_type(t.ty.name).cell()),
    ("variable bit?", |t| {
        matches!(t.ty.name, "varchar" | "nvarchar" | "varbinary" | "sysname").cell()
    }),
    ("allownulls bit?", |t| t.ty.nullable.cell()),
    ("type tinyint!", |t| storage_type(t.ty.name, false).cell()),
    ("printfmt varchar(255)?", null),
    ("prec smallint?", |t| i16::try_from(t.types().width()).ok().cell()),
    ("scale tinyint?", |t| t.types().digits().cell()),
    ("collation sysname?", |t| t.text().map(Collation::name).cell()),
]];

fn types(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for ty in SYS_TYPES {
        rows.show(TYPES, &OldType { ty, collation: cx.database.collation() });
    }
    Ok(())
}
