//! COLUMNPROPERTY, COL_NAME and COL_LENGTH, of columns of tables, views and views of the system, and of parameters.

use crate::binder::bind_computed;
use crate::catalog::{Column, FunctionFacts, Object, Table};
use crate::exec::function_facts::facts_of;
use crate::exec::functions::{flag, int};
use crate::exec::metadata::SessionMetadata;
use crate::features::view::{self as views, SystemView};
use crate::session::Session;
use taffrail_types::convert::Declared;
use taffrail_types::type_facts::Types;
use taffrail_types::{Collation, SqlType, Value};

/// Where a column stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Table,
    View,
    /// A parameter, and whether it is for output.
    Parameter(bool, bool),
}

/// A column or parameter.
struct Found {
    /// `column_id` or `parameter_id`.
    id: i32,
    /// Its place among the others, from 1.
    ordinal: i32,
    of: Of,
    types: Types,
    is_nullable: bool,
    is_identity: bool,
    is_rowguid: bool,
    is_sparse: bool,
    is_hidden: bool,
    /// The value of `generated_always_type` of a column.
    generated: i32,
    /// It was made under ANSI_PADDING ON.
    is_padded: bool,
    /// A computed column: whether it is persisted, and the facts of its expression.
    computed: Option<(bool, FunctionFacts)>,
}

/// The view of the system that an id stands for.
pub(in crate::exec) fn system_view(id: i32) -> Option<&'static SystemView> {
    views::all().iter().find(|v| v.id == id)
}

impl Session {
    /// Finds a column, or a parameter with its `@`.
    fn find_column(&self, object: i32, column: &str) -> Option<Found> {
        let named = |name: &str| Collation::default().eq_str(name, column);
        if object < 0 {
            let view = system_view(object)?;
            let at = view.columns.iter().position(|c| named(c.name))?;
            let c = &view.columns[at];
            let types = Types::declared(Declared::new(c.ty, c.large), 0);
            let is_nullable = c.nullable;
            return Some(Found { is_nullable, ..Found::plain(at, Of::View, types) });
        }
        let found = self.object_in(object, None)?;
        if let Object::Procedure(m) | Object::Function(m) = &found
            && column.starts_with('@')
        {
            let at = m.parameters.iter().position(|p| named(&p.name))?;
            let p = &m.parameters[at];
            return Some(Found::plain(at, Of::Parameter(p.output, p.cursor), Types::of(p.ty)));
        }
        let of = if matches!(found, Object::Table(_)) { Of::Table } else { Of::View };
        let at = found.columns().iter().position(|c| named(&c.name))?;
        let c = &found.columns()[at];
        Some(Found {
            id: c.id,
            is_nullable: c.nullable,
            is_identity: c.is_identity,
            is_rowguid: c.is_rowguid,
            is_sparse: c.is_sparse,
            is_hidden: c.is_hidden,
            generated: c.generated.shown().0,
            is_padded: !c.unpadded,
            computed: found.as_table().and_then(|t| self.computed_facts(t, c)),
            ..Found::plain(at, of, c.told_type())
        })
    }

    /// Of a computed column: whether it is persisted, and the facts of its expression.
    fn computed_facts(&self, table: &Table, c: &Column) -> Option<(bool, FunctionFacts)> {
        let computed = c.computed.as_ref()?;
        let database = self.database.clone();
        let names = SessionMetadata::new(self, &database, &[]);
        let value = bind_computed(&names, &database, table, c).ok()?;
        let mut facts = facts_of(&value);
        let float = |c: &Column| matches!(c.ty, SqlType::Float | SqlType::Real);
        facts.imprecise |= table.columns.iter().any(|c| float(c) && computed.reads(&c.name));
        Some((computed.persisted, facts))
    }

    /// COLUMNPROPERTY, by the property's name in lower case.
    pub(in crate::exec) fn column_property(&self, id: i32, column: &str, name: &str) -> Value {
        self.find_column(id, column).map_or(Value::Null, |found| found.property(name))
    }

    /// COL_NAME.
    pub(in crate::exec) fn name_of_column(&self, object: i32, column: i32) -> Option<String> {
        if object < 0 {
            let at = usize::try_from(column - 1).ok()?;
            return system_view(object)?.columns.get(at).map(|c| c.name.to_string());
        }
        let object = self.object_in(object, None)?;
        object.columns().iter().find(|c| c.id == column).map(|c| c.name.to_string())
    }

    /// COL_LENGTH.
    pub(in crate::exec) fn length_of_column(&self, table: &str, column: &str) -> Option<i16> {
        if let Some((_, object)) = self.named_object(table) {
            return object.column(column).map(|c| c.told_type().length);
        }
        let view = self.named_system_view(table)?;
        let named = |name: &str| Collation::default().eq_str(name, column);
        let column = view.columns.iter().find(|c| named(c.name))?;
        Some(Types::of(column.ty).length)
    }
}

impl Found {
    /// The `at`th from 0, which may be NULL.
    fn plain(at: usize, of: Of, types: Types) -> Found {
        let id = at as i32 + 1;
        let (is_nullable, is_padded) = (true, true);
        Found {
            id,
            ordinal: id,
            of,
            types,
            is_nullable,
            is_identity: false,
            is_rowguid: false,
            is_sparse: false,
            is_hidden: false,
            generated: 0,
            is_padded,
            computed: None,
        }
    }

    fn property(&self, name: &str) -> Value {
        let types = self.types;
        let plain = FunctionFacts { deterministic: true, ..FunctionFacts::default() };
        let (persisted, facts) = self.computed.unwrap_or((true, plain));
        let shown = |value: Option<i32>| value.map_or(Value::Null, int);
        match name {
            "allowsnull" => flag(self.is_nullable),
            "columnid" => int(self.id),
            "ordinal" => int(self.ordinal),
            "isidentity" => flag(self.is_identity),
            "isrowguidcol" => flag(self.is_rowguid),
            "isoutparam" => flag(matches!(self.of, Of::Parameter(true, _))),
            "iscursortype" => flag(matches!(self.of, Of::Parameter(_, true))),
            "iscomputed" => flag(self.computed.is_some()),
            "isdeterministic" if self.computed.is_some() => flag(facts.deterministic),
            "isprecise" if self.computed.is_some() => flag(!facts.imprecise),
            "systemdataaccess" if self.computed.is_some() => flag(facts.reads_system),
            "userdataaccess" if self.computed.is_some() => flag(facts.reads_data),
            // What is imprecise has to be persisted.
            "isindexable" => {
                let stored = facts.deterministic && (persisted || !facts.imprecise);
                flag(self.of == Of::Table && types.can_be_key() && stored)
            }
            "issparse" => flag(self.is_sparse),
            // There are no column sets, full-text or XML indexes.
            "iscolumnset"
            | "isidnotforrepl"
            | "isfulltextindexed"
            | "isxmlindexable"
            | "statisticalsemantics"
            | "fulltexttypecolumn" => flag(false),
            "ishidden" => flag(self.is_hidden),
            "generatedalwaystype" => int(self.generated),
            // Of computed columns and columns of views. No view is schema-bound, so nothing is verified.
            "isdeterministic" | "issystemverified" if self.of == Of::View => flag(false),
            "systemdataaccess" | "userdataaccess" if self.of == Of::View => flag(true),
            "precision" => int(types.width()),
            "scale" => shown(types.digits()),
            "charmaxlen" => shown(types.is_text().then(|| types.width())),
            "usesansitrim" => shown(types.is_trimmed().then_some(i32::from(self.is_padded))),
            _ => Value::Null,
        }
    }
}
