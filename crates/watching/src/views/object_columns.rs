//! The columns of sys.columns and what inherits from it, and of sys.parameters, each with its value.

use super::cell::{Column as Shown, Columns, IntoCell, no, null, yes};
use super::cell::{collation_cell, is_text};
use crate::catalog::{Column, Computed, Generated, Module, Parameter};
use std::sync::Arc;
use taffrail_types::convert::{Declared, Large};
use taffrail_types::mask::MaskFunction;
pub(super) use taffrail_types::type_facts::Types;
use taffrail_types::{Collation, SqlType, Value};

/// What a row about a column is made from.
pub(super) struct ColumnRow {
    pub object: i32,
    pub id: i32,
    pub name: Value,
    pub types: Types,
    pub collation: Option<&'static str>,
    pub is_nullable: bool,
    pub is_padded: bool,
    pub is_rowguid: bool,
    pub is_sparse: bool,
    pub is_identity: bool,
    /// `generated_always_type` and its description.
    pub generated: (i32, &'static str),
    pub is_hidden: bool,
    /// The expression of a computed column.
    pub computed: Option<Arc<Computed>>,
    /// The function that masks it.
    pub mask: Option<Arc<MaskFunction>>,
    /// The id of its DEFAULT, or 0.
    pub default: i32,
    /// Of an identity column that only its table knows all of: seed, increment and last value.
    pub sequence: Option<[Value; 3]>,
}

impl ColumnRow {
    /// A column of a table or view of a user.
    pub fn of(object: i32, c: &Column) -> ColumnRow {
        let binary = matches!(c.ty, SqlType::Binary(_) | SqlType::VarBinary(_));
        ColumnRow {
            object,
            id: c.id,
            name: Value::nvarchar(&c.name),
            types: c.told_type(),
            collation: if c.xml { None } else { collation_cell(c.ty, c.collation) },
            is_nullable: c.nullable,
            is_padded: !c.unpadded && (is_text(c.ty) || binary),
            is_rowguid: c.is_rowguid,
            is_sparse: c.is_sparse,
            is_identity: c.is_identity,
            generated: c.generated.shown(),
            is_hidden: c.is_hidden,
            computed: c.computed.clone(),
            mask: c.mask.clone(),
            default: c.default.as_ref().map_or(0, |d| d.id.0),
            sequence: None,
        }
    }

    /// A column of a view of the system, the `at`th from 0.
    pub(crate) fn of_system(
        object: i32,
        at: usize,
        c: &super::ViewColumn,
        database: Collation,
    ) -> ColumnRow {
        ColumnRow {
            object,
            id: at as i32 + 1,
            name: Value::nvarchar(c.name),
            types: Types::declared(Declared::new(c.ty, c.large), 0),
            collation: match c.large {
                Large::Xml => None,
                _ => collation_cell(c.ty, database),
            },
            is_nullable: c.nullable,
            is_padded: is_text(c.ty),
            is_rowguid: false,
            is_sparse: false,
            is_identity: false,
            generated: Generated::Never.shown(),
            is_hidden: false,
            computed: None,
            mask: None,
            default: 0,
            sequence: None,
        }
    }

    fn sequence(&self, at: usize) -> Option<&Value> {
        self.sequence.as_ref().map(|s| &s[at])
    }
}

const HEAD: &[Shown<ColumnRow>] = &[
    ("object_id int!", |c| c.object.cell()),
    ("name sysname?", |c| (&c.name).cell()),
    ("column_id int!", |c| c.id.cell()),
    ("system_type_id tinyint!", |c| c.types.system.cell()),
    ("user_type_id int!", |c| c.types.user.cell()),
    ("max_length smallint!", |c| c.types.length.cell()),
    ("precision tinyint!", |c| c.types.precision.cell()),
    ("scale tinyint!", |c| c.types.scale.cell()),
    ("collation_name sysname?", |c| c.collation.cell()),
    ("is_nullable bit?", |c| c.is_nullable.cell()),
    ("is_ansi_padded bit!", |c| c.is_padded.cell()),
    ("is_rowguidcol bit!", |c| c.is_rowguid.cell()),
    ("is_identity bit!", |c| c.is_identity.cell()),
];

const MIDDLE: &[Shown<ColumnRow>] = &[
    ("is_filestream bit!", no),
    ("is_replicated bit?", no),
    ("is_non_sql_subscribed bit?", no),
    ("is_merge_published bit?", no),
    ("is_dts_replicated bit?", no),
    ("is_xml_document bit!", no),
    ("xml_collection_id int!", |_| 0_i32.cell()),
    ("default_object_id int!", |c| c.default.cell()),
    ("rule_object_id int!", |_| 0_i32.cell()),
];

const TAIL: &[Shown<ColumnRow>] = &[
    ("is_sparse bit?", |c| c.is_sparse.cell()),
    ("is_column_set bit?", no),
    ("generated_always_type tinyint?", |c| c.generated.0.cell()),
    ("generated_always_type_desc nvarchar(60)?", |c| c.generated.1.cell()),
    ("encryption_type int?", null),
    ("encryption_type_desc nvarchar(64)?", null),
    ("encryption_algorithm_name sysname?", null),
    ("column_encryption_key_id int?", null),
    ("column_encryption_key_database_name sysname?", null),
    ("is_hidden bit?", |c| c.is_hidden.cell()),
    ("is_masked bit!", |c| c.mask.is_some().cell()),
    ("graph_type int?", null),
    ("graph_type_desc nvarchar(60)?", null),
    ("is_data_deletion_filter_column bit?", no),
    ("ledger_view_column_type tinyint?", null),
    ("ledger_view_column_type_desc nvarchar(60)?", null),
    ("is_dropped_ledger_column bit?", no),
];

const IS_COMPUTED: &[Shown<ColumnRow>] = &[("is_computed bit!", |c| c.computed.is_some().cell())];

/// sys.columns, sys.all_columns and sys.system_columns.
pub(super) const COLUMNS: Columns<ColumnRow> = &[HEAD, IS_COMPUTED, MIDDLE, TAIL];

/// Columns of sys.masked_columns.
pub(super) const MASKED_COLUMNS: Columns<ColumnRow> = &[
    HEAD,
    IS_COMPUTED,
    MIDDLE,
    TAIL,
    &[("masking_function nvarchar(4000)?", |c| c.mask.as_ref().map(ToString::to_string).cell())],
];

/// sys.identity_columns.
pub(super) const IDENTITY_COLUMNS: Columns<ColumnRow> = &[
    HEAD,
    MIDDLE,
    &[
        ("seed_value sql_variant?", |c| c.sequence(0).cell()),
        ("increment_value sql_variant?", |c| c.sequence(1).cell()),
        ("last_value sql_variant?", |c| c.sequence(2).cell()),
        ("is_not_for_replication bit?", no),
    ],
    IS_COMPUTED,
    TAIL,
];

/// The columns of sys.computed_columns. An expression of texts goes by the database's collation where it names none: that is not looked at.
pub(super) const COMPUTED_COLUMNS: Columns<ColumnRow> = &[
    HEAD,
    MIDDLE,
    &[
        ("definition nvarchar(max)?", |c| c.computed.as_ref().map(|c| &*c.definition).cell()),
        ("uses_database_collation bit!", |c| c.collation.is_some().cell()),
        ("is_persisted bit!", |c| c.computed.as_ref().is_some_and(|c| c.persisted).cell()),
    ],
    IS_COMPUTED,
    TAIL,
];

/// A parameter of a procedure or function, or (0) the result of a scalar function.
pub(super) struct ParameterRow {
    pub module: Arc<Module>,
    /// Its `parameter_id`.
    pub id: usize,
}

impl ParameterRow {
    fn it(&self) -> &Parameter {
        match (&self.module.result, self.id) {
            (Some(result), 0) => result,
            (_, id) => &self.module.parameters[id - 1],
        }
    }

    fn types(&self) -> Types {
        let p = self.it();
        match p.readonly {
            true => Types::of_table_type(p.user_type),
            false => Types::declared(p.declared(), p.user_type),
        }
    }
}

/// sys.parameters and sys.all_parameters.
pub(super) const PARAMETERS: Columns<ParameterRow> = &[&[
    ("object_id int!", |p| p.module.head.id.0.cell()),
    ("name sysname?", |p| (&p.it().name).cell()),
    ("parameter_id int!", |p| p.id.cell()),
    ("system_type_id tinyint!", |p| p.types().system.cell()),
    ("user_type_id int!", |p| p.types().user.cell()),
    ("max_length smallint!", |p| p.types().length.cell()),
    ("precision tinyint!", |p| p.types().precision.cell()),
    ("scale tinyint!", |p| p.types().scale.cell()),
    ("is_output bit!", |p| p.it().output.cell()),
    ("is_cursor_ref bit!", |p| p.it().cursor.cell()),
    ("has_default_value bit!", no),
    ("is_xml_document bit!", no),
    ("default_value sql_variant?", null),
    ("xml_collection_id int!", |_| 0_i32.cell()),
    ("is_readonly bit!", |p| p.it().readonly.cell()),
    ("is_nullable bit?", yes),
    ("encryption_type int?", null),
    ("encryption_type_desc nvarchar(64)?", null),
    ("encryption_algorithm_name sysname?", null),
    ("column_encryption_key_id int?", null),
    ("column_encryption_key_database_name sysname?", null),
]];
