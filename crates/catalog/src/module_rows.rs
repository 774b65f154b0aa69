//! Modules to and from the rows of the catalogue's tables.
//!
//! `syscolumns` holds the parameters of a procedure or function from number 1, the result of a scalar function as number 0, the columns of
//! a view from number 1, and those of a table-valued function behind its parameters, from [`RETURNED`].

use super::ddl_trigger::{events_from_bytes, events_to_bytes};
use super::module::{DdlTriggerFacts, FunctionFacts, Module, ModuleOptions};
use super::module::{Parameter, TriggerFacts, TriggerOrder};
use super::object::{Column, ObjectHead, ObjectKind};
use super::rows::{
    COLUMN_IDENTITY, COLUMN_NULLABLE, COLUMN_OLD_LARGE, COLUMN_XML, int, user_type_value,
    view_column, write_column,
};
use super::systab::{self, SystemTables, bytes, number, number_or_null, text};
use super::{BaseName, Catalog, Sight, ensure_schema_version};
use crate::principals::DBO_USER;
use crate::rowcodec::{damaged, typecode};
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlResult};
use taffrail_storage::Transaction;
use taffrail_types::convert::Large;
use taffrail_types::{Collation, Value};

const PARAMETER_OUTPUT: i64 = 16;
const PARAMETER_DEFAULT: i64 = 32;
/// 16 is [`PARAMETER_OUTPUT`], 32 [`PARAMETER_DEFAULT`]; these two stand for [`COLUMN_OLD_LARGE`] and [`COLUMN_XML`].
const PARAMETER_OLD_LARGE: i64 = 64;
const PARAMETER_XML: i64 = 128;
const PARAMETER_READONLY: i64 = 256;
const PARAMETER_CURSOR: i64 = 512;

/// The number behind which the columns of a table-valued function follow; no module has so many parameters.
const RETURNED: i64 = 1 << 16;

const MODULE_QUOTED_IDENTIFIER: i64 = 1;
const MODULE_ANSI_NULLS: i64 = 2;
const MODULE_AS_OWNER: i64 = 16;
const MODULE_AS_DBO: i64 = 32;
const FUNCTION_SCHEMA_BOUND: i64 = 64;
const FUNCTION_NULL_ON_NULL: i64 = 128;
const FUNCTION_INLINE_OFF: i64 = 256;
const FUNCTION_INLINEABLE: i64 = 512;
const FUNCTION_DETERMINISTIC: i64 = 1024;
const FUNCTION_IMPRECISE: i64 = 2048;
const FUNCTION_READS_DATA: i64 = 4096;
const FUNCTION_READS_SYSTEM: i64 = 8192;

/// The flags of INSERT; those of UPDATE and DELETE follow.
const TRIGGER_EVENTS: i64 = 1 << 14;
const TRIGGER_INSTEAD_OF: i64 = 1 << 17;
const TRIGGER_DISABLED: i64 = 1 << 18;
const TRIGGER_NOT_FOR_REPLICATION: i64 = 1 << 19;
/// The flag of First for INSERT; those of UPDATE and DELETE follow.
const TRIGGER_FIRST: i64 = 1 << 20;
/// The flag of Last for INSERT; those of UPDATE and DELETE follow.
const TRIGGER_LAST: i64 = 1 << 23;

const MODULE_ENCRYPTED: i64 = 1 << 27;
const MODULE_RECOMPILE: i64 = 1 << 28;
const VIEW_METADATA: i64 = 1 << 29;

/// The version of the catalogue's tables that knows options of modules, and views that are schema-bound.
const OPTIONS: i64 = 11;

/// The version of the catalogue's tables that knows cursors as parameters.
const CURSOR_PARAMETERS: i64 = 18;

/// The version of the catalogue's tables that knows triggers.
const TRIGGERS: i64 = 8;

/// The version of the catalogue's tables that knows triggers of databases and of the server.
const DDL_TRIGGERS: i64 = 21;

/// The version of the catalogue's tables that knows functions.
const FUNCTIONS: i64 = 4;
/// The version that knows synonyms.
const SYNONYMS: i64 = 5;

/// Writes the text of a module, default or check.
pub fn write_module(
    tx: &mut Transaction,
    object: ObjectId,
    definition: &str,
    quoted_identifier: bool,
    ansi_nulls: bool,
) -> SqlResult<()> {
    let flags = if quoted_identifier { MODULE_QUOTED_IDENTIFIER } else { 0 }
        | if ansi_nulls { MODULE_ANSI_NULLS } else { 0 };
    let row = [int(flags), Value::nvarchar(definition)];
    systab::put(tx, &SystemTables::MODULES, &[object.0 as i64], &row)
}

/// Writes what a synonym stands for.
pub fn write_synonym(tx: &mut Transaction, synonym: ObjectId, base: &BaseName) -> SqlResult<()> {
    ensure_schema_version(tx, SYNONYMS)?;
    let row = [int(0), Value::nvarchar(&base.to_string())];
    systab::put(tx, &SystemTables::MODULES, &[synonym.0 as i64], &row)
}

/// The base of a synonym, from its row of `sysmodules`.
pub(super) fn read_base(tx: &mut Transaction, synonym: ObjectId) -> SqlResult<BaseName> {
    let row = systab::get(tx, &SystemTables::MODULES, &[synonym.0 as i64])?;
    BaseName::from_text(&text(&row.ok_or_else(|| damaged("a synonym without its base"))?, 1)?)
}

/// Puts flags of a module, out of `all` of their kind, in place of those that it has.
fn write_flags(tx: &mut Transaction, module: ObjectId, all: i64, flags: i64) -> SqlResult<()> {
    let key = [module.0 as i64];
    let row = systab::get(tx, &SystemTables::MODULES, &key)?;
    let mut row = row.ok_or_else(|| damaged("a module without text"))?;
    row[0] = int(number(&row, 0)? & !all | flags);
    // A row that an older program could have written stays one.
    while row.len() > 2 && row.last().is_some_and(Value::is_null) {
        row.pop();
    }
    systab::put(tx, &SystemTables::MODULES, &key, &row)
}

/// Says of a module as whom it runs ([`Module::execute_as`]).
pub fn write_execute_as(tx: &mut Transaction, module: ObjectId, who: Option<i32>) -> SqlResult<()> {
    let flag = match who {
        None => 0,
        Some(-2) => MODULE_AS_OWNER,
        Some(DBO_USER) => MODULE_AS_DBO,
        Some(_) => 0,
    };
    write_flags(tx, module, MODULE_AS_OWNER | MODULE_AS_DBO, flag)?;
    let Some(id) = who.filter(|id| *id > DBO_USER) else { return Ok(()) };
    ensure_schema_version(tx, super::principals::rows::PRINCIPALS)?;
    let key = [module.0 as i64];
    let row = systab::get(tx, &SystemTables::MODULES, &key)?;
    let mut row = row.ok_or_else(|| damaged("a module without text"))?;
    row.truncate(2);
    row.push(int(id.into()));
    systab::put(tx, &SystemTables::MODULES, &key, &row)
}

/// The flag of each fact of a function.
fn flags_of(facts: &FunctionFacts) -> [(i64, bool); 8] {
    [
        (FUNCTION_SCHEMA_BOUND, facts.schema_bound),
        (FUNCTION_NULL_ON_NULL, facts.null_on_null_input),
        (FUNCTION_INLINE_OFF, facts.inline_off),
        (FUNCTION_INLINEABLE, facts.inlineable),
        (FUNCTION_DETERMINISTIC, facts.deterministic),
        (FUNCTION_IMPRECISE, facts.imprecise),
        (FUNCTION_READS_DATA, facts.reads_data),
        (FUNCTION_READS_SYSTEM, facts.reads_system),
    ]
}

/// Replaces the facts of a function, whose text has been written.
pub fn write_function_facts(
    tx: &mut Transaction,
    function: ObjectId,
    facts: &FunctionFacts,
) -> SqlResult<()> {
    ensure_schema_version(tx, FUNCTIONS)?;
    let all = flags_of(facts);
    let on = all.iter().filter(|(_, on)| *on).map(|(flag, _)| flag).sum();
    write_flags(tx, function, all.iter().map(|(flag, _)| flag).sum(), on)
}

/// The flag of each option of a module.
fn flags_of_options(options: &ModuleOptions) -> [(i64, bool); 3] {
    [
        (MODULE_ENCRYPTED, options.encrypted),
        (MODULE_RECOMPILE, options.recompile),
        (VIEW_METADATA, options.view_metadata),
    ]
}

/// Replaces the options of a module, whose text has been written.
pub fn write_module_options(
    tx: &mut Transaction,
    module: ObjectId,
    options: &ModuleOptions,
) -> SqlResult<()> {
    let all = flags_of_options(options);
    if *options != ModuleOptions::default() {
        ensure_schema_version(tx, OPTIONS)?;
    }
    let on = all.iter().filter(|(_, on)| *on).map(|(flag, _)| flag).sum();
    write_flags(tx, module, all.iter().map(|(flag, _)| flag).sum(), on)
}

/// Replaces the facts of a view that is schema-bound, whose text has been written.
pub fn write_bound_view(
    tx: &mut Transaction,
    view: ObjectId,
    facts: &FunctionFacts,
) -> SqlResult<()> {
    ensure_schema_version(tx, OPTIONS)?;
    write_function_facts(tx, view, facts)
}

/// The flag of each fact of a trigger.
fn flags_of_trigger(t: &TriggerFacts) -> [(i64, bool); 12] {
    let first = |n: usize| (TRIGGER_FIRST << n, t.order[n] == TriggerOrder::First);
    let last = |n: usize| (TRIGGER_LAST << n, t.order[n] == TriggerOrder::Last);
    let event = |n: usize| (TRIGGER_EVENTS << n, t.events[n]);
    [
        (TRIGGER_INSTEAD_OF, t.instead_of),
        (TRIGGER_DISABLED, t.disabled),
        (TRIGGER_NOT_FOR_REPLICATION, t.not_for_replication),
        event(0),
        event(1),
        event(2),
        first(0),
        first(1),
        first(2),
        last(0),
        last(1),
        last(2),
    ]
}

/// Replaces the facts of a trigger, whose text has been written.
pub fn write_trigger_facts(
    tx: &mut Transaction,
    trigger: ObjectId,
    facts: &TriggerFacts,
) -> SqlResult<()> {
    ensure_schema_version(tx, TRIGGERS)?;
    let all = flags_of_trigger(facts);
    let on = all.iter().filter(|(_, on)| *on).map(|(flag, _)| flag).sum();
    write_flags(tx, trigger, all.iter().map(|(flag, _)| flag).sum(), on)
}

/// Replaces the facts of a trigger of a database or of the server, whose text has been written.
pub fn write_ddl_trigger_facts(
    tx: &mut Transaction,
    trigger: ObjectId,
    facts: &DdlTriggerFacts,
) -> SqlResult<()> {
    ensure_schema_version(tx, DDL_TRIGGERS)?;
    let flags = if facts.disabled { TRIGGER_DISABLED } else { 0 };
    write_flags(tx, trigger, TRIGGER_DISABLED, flags)?;
    let key = [trigger.0 as i64];
    let row = systab::get(tx, &SystemTables::MODULES, &key)?;
    let mut row = row.ok_or_else(|| damaged("a module without text"))?;
    row.truncate(3);
    row.resize(3, Value::Null);
    row.push(Value::binary(&events_to_bytes(&facts.events)));
    systab::put(tx, &SystemTables::MODULES, &key, &row)
}

/// Replaces the parameters of a procedure.
pub fn write_parameters(
    tx: &mut Transaction,
    object: ObjectId,
    parameters: &[Parameter],
) -> SqlResult<()> {
    systab::remove_all(tx, &SystemTables::COLUMNS, &[object.0 as i64])?;
    let numbered = parameters.iter().zip(1..);
    numbered.into_iter().try_for_each(|(p, number)| write_parameter(tx, object, number, p))
}

/// Replaces the parameters of a function, its result, and the columns that it returns.
pub fn write_signature(
    tx: &mut Transaction,
    function: ObjectId,
    parameters: &[Parameter],
    result: Option<&Parameter>,
    columns: &[Column],
) -> SqlResult<()> {
    write_parameters(tx, function, parameters)?;
    if let Some(result) = result {
        write_parameter(tx, function, 0, result)?;
    }
    for c in columns {
        let behind = Column { id: c.id + RETURNED as i32, ..c.clone() };
        write_column(tx, function, &behind, None)?;
    }
    Ok(())
}

fn write_parameter(
    tx: &mut Transaction,
    object: ObjectId,
    number: i64,
    p: &Parameter,
) -> SqlResult<()> {
    if p.cursor {
        ensure_schema_version(tx, CURSOR_PARAMETERS)?;
    }
    let flags = COLUMN_NULLABLE
        | if p.output { PARAMETER_OUTPUT } else { 0 }
        | if p.has_default { PARAMETER_DEFAULT } else { 0 }
        | if p.readonly { PARAMETER_READONLY } else { 0 }
        | if p.cursor { PARAMETER_CURSOR } else { 0 }
        | match p.large {
            Large::Plain => 0,
            Large::Old => PARAMETER_OLD_LARGE,
            Large::Xml => PARAMETER_XML,
        };
    let row = [
        Value::nvarchar(&p.name),
        Value::binary(&typecode::type_bytes(p.ty)),
        int(flags),
        int(Collation::default().stored().into()),
        int(0),
        int(0),
        int(0),
        Value::Null,
        Value::Null,
        Value::Null,
        Value::Null,
        user_type_value(tx, p.user_type)?,
    ];
    systab::put(tx, &SystemTables::COLUMNS, &[object.0 as i64, number], &row)
}

/// Replaces the columns of a view.
pub fn write_view_columns(
    tx: &mut Transaction,
    view: ObjectId,
    columns: &[Column],
) -> SqlResult<()> {
    systab::remove_all(tx, &SystemTables::COLUMNS, &[view.0 as i64])?;
    columns.iter().try_for_each(|c| write_column(tx, view, c, None))
}

/// A parameter of a row of `syscolumns`.
fn read_parameter(row: &[Value]) -> SqlResult<Parameter> {
    let flags = number(row, 2)?;
    let is = |flag: i64| flags & flag != 0;
    let large = match (is(PARAMETER_XML), is(PARAMETER_OLD_LARGE)) {
        (true, _) => Large::Xml,
        (_, true) => Large::Old,
        _ => Large::Plain,
    };
    Ok(Parameter {
        name: text(row, 0)?.into(),
        ty: typecode::type_from_bytes(bytes(row, 1)?)?,
        large,
        user_type: number_or_null(row, 11).unwrap_or(0) as i32,
        readonly: is(PARAMETER_READONLY),
        output: is(PARAMETER_OUTPUT),
        has_default: is(PARAMETER_DEFAULT),
        cursor: is(PARAMETER_CURSOR),
    })
}

/// The column `id` of a view or table-valued function, from its row of `syscolumns`.
pub(super) fn read_shown_column(id: i32, row: &[Value]) -> SqlResult<Column> {
    let flags = number(row, 2)?;
    let ty = typecode::type_from_bytes(bytes(row, 1)?)?;
    let collation = Collation::from_stored(number(row, 3)? as u32)
        .ok_or_else(|| damaged("a column's collation"))?;
    let nullable = flags & COLUMN_NULLABLE != 0;
    let mut column = view_column(id, text(row, 0)?.into(), ty, nullable, collation);
    column.is_identity = flags & COLUMN_IDENTITY != 0;
    column.old_large = flags & COLUMN_OLD_LARGE != 0;
    column.xml = flags & COLUMN_XML != 0;
    column.user_type = number_or_null(row, 11).unwrap_or(0) as i32;
    Ok(column)
}

/// Whether flags of a module say QUOTED_IDENTIFIER.
pub(super) fn is_quoted(flags: i64) -> bool {
    flags & MODULE_QUOTED_IDENTIFIER != 0
}

fn facts_of(flags: i64) -> FunctionFacts {
    let is = |flag: i64| flags & flag != 0;
    FunctionFacts {
        schema_bound: is(FUNCTION_SCHEMA_BOUND),
        null_on_null_input: is(FUNCTION_NULL_ON_NULL),
        inline_off: is(FUNCTION_INLINE_OFF),
        inlineable: is(FUNCTION_INLINEABLE),
        deterministic: is(FUNCTION_DETERMINISTIC),
        imprecise: is(FUNCTION_IMPRECISE),
        reads_data: is(FUNCTION_READS_DATA),
        reads_system: is(FUNCTION_READS_SYSTEM),
    }
}

fn options_of(flags: i64) -> ModuleOptions {
    let is = |flag: i64| flags & flag != 0;
    ModuleOptions {
        encrypted: is(MODULE_ENCRYPTED),
        recompile: is(MODULE_RECOMPILE),
        view_metadata: is(VIEW_METADATA),
    }
}

fn trigger_facts_of(flags: i64) -> TriggerFacts {
    let is = |flag: i64| flags & flag != 0;
    let order = |n: usize| match (is(TRIGGER_FIRST << n), is(TRIGGER_LAST << n)) {
        (true, _) => TriggerOrder::First,
        (_, true) => TriggerOrder::Last,
        _ => TriggerOrder::None,
    };
    TriggerFacts {
        events: [0, 1, 2].map(|n| is(TRIGGER_EVENTS << n)),
        instead_of: is(TRIGGER_INSTEAD_OF),
        disabled: is(TRIGGER_DISABLED),
        not_for_replication: is(TRIGGER_NOT_FOR_REPLICATION),
        order: [0, 1, 2].map(order),
    }
}

impl Catalog {
    pub(super) fn read_module(
        &self,
        tx: &mut Transaction,
        head: ObjectHead,
    ) -> SqlResult<Arc<Module>> {
        let id = head.id.0 as i64;
        let row = systab::get(tx, &SystemTables::MODULES, &[id])?
            .ok_or_else(|| damaged("a module without text"))?;
        let flags = number(&row, 0)?;
        let (mut parameters, mut columns, mut result) = (Vec::new(), Vec::new(), None);
        for (key, row) in systab::scan(tx, &SystemTables::COLUMNS, &[id])? {
            let number = *key.get(1).ok_or_else(|| damaged("a catalogue key"))?;
            match number {
                _ if head.kind == ObjectKind::View => {
                    columns.push(read_shown_column(number as i32, &row)?);
                }
                0 => result = Some(read_parameter(&row)?),
                _ if number > RETURNED => {
                    columns.push(read_shown_column((number - RETURNED) as i32, &row)?);
                }
                _ => parameters.push(read_parameter(&row)?),
            }
        }
        if result.is_some() != (head.kind == ObjectKind::ScalarFunction) {
            return Err(damaged("a function's result"));
        }
        let trigger = (head.kind == ObjectKind::Trigger).then(|| trigger_facts_of(flags));
        let ddl = match head.kind {
            ObjectKind::DatabaseTrigger | ObjectKind::ServerTrigger => Some(DdlTriggerFacts {
                events: events_from_bytes(bytes(&row, 3)?)?,
                disabled: flags & TRIGGER_DISABLED != 0,
            }),
            _ => None,
        };
        Ok(Arc::new(Module {
            head,
            definition: text(&row, 1)?.into(),
            quoted_identifier: flags & MODULE_QUOTED_IDENTIFIER != 0,
            ansi_nulls: flags & MODULE_ANSI_NULLS != 0,
            execute_as: match () {
                () if flags & MODULE_AS_OWNER != 0 => Some(-2),
                () if flags & MODULE_AS_DBO != 0 => Some(1),
                () => number_or_null(&row, 2).map(|id| id as i32),
            },
            parameters,
            result,
            columns,
            facts: facts_of(flags),
            options: options_of(flags),
            trigger,
            ddl,
            indexed: None,
            version: self.new_version(),
        }))
    }

    /// A view, with its rows where it has indexes.
    pub(super) fn read_view(
        &self,
        tx: &mut Transaction,
        head: ObjectHead,
        sight: Sight,
    ) -> SqlResult<Arc<Module>> {
        let id = head.id.0 as i64;
        let mut module = self.read_module(tx, head.clone())?;
        if !module.facts.schema_bound || systab::scan(tx, &SystemTables::INDEXES, &[id])?.is_empty()
        {
            return Ok(module);
        }
        let mut table = self.read_table(tx, head, sight)?;
        // The view's rows have the values of an identity column, and give out none.
        table.columns.iter_mut().for_each(|c| c.is_identity = false);
        if let Some(own) = Arc::get_mut(&mut module) {
            own.indexed = Some(Arc::new(table));
        }
        Ok(module)
    }
}
