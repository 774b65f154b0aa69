//! Objects to and from the rows of the catalogue's tables.

use super::computed::{read_computed, write_computed};
use super::identity::{IdentitySequence, Sequence, base_key};
pub use super::index_rows::{
    IndexRow, remove_index, remove_indexed_view, write_columnstore, write_index,
    write_indexed_view, write_statistics,
};
use super::index_rows::{read_columnstore, read_indexed_view, read_statistics};
use super::masks::{read_mask, write_mask};
use super::module_rows::read_base;
pub use super::module_rows::{
    write_bound_view, write_ddl_trigger_facts, write_execute_as, write_function_facts,
    write_module, write_module_options, write_parameters, write_signature, write_synonym,
    write_trigger_facts, write_view_columns,
};
use super::object::{
    Check, Column, ConstraintObject, Default, Escalation, Identity, Index, IndexKind, Object,
    ObjectHead, ObjectKind, Statistics, Table,
};
pub use super::sequence_rows::write_sequence;
use super::synonym::Synonym;
use super::systab::{self, SystemTables, bytes, number, number_or_null, text};
use super::temporal::{Generated, TEMPORAL, Temporal, period_of};
use super::type_rows::TYPES;
pub use super::type_rows::write_type;
use super::{Catalog, Sight, ensure_schema_version, fold, properties, startup_procedures};
use crate::rowcodec::key::CLUSTERED_KEY_ROOM;
use crate::rowcodec::{Place, RowColumn, RowLayout, damaged, typecode};
use std::sync::Arc;
use taffrail_base::{IndexId, ObjectId, SchemaId, SqlResult};
use taffrail_storage::Transaction;
use taffrail_types::{Collation, SqlType, Value};

const OBJECT_SYSTEM_NAMED: i64 = 1;
const OBJECT_ESCALATION_AUTO: i64 = 2;
const OBJECT_ESCALATION_DISABLE: i64 = 4;

pub(super) const COLUMN_NULLABLE: i64 = 1;
pub(super) const COLUMN_IDENTITY: i64 = 2;
const COLUMN_ROWGUID: i64 = 4;
const COLUMN_DROPPED: i64 = 8;
pub(super) const COLUMN_OLD_LARGE: i64 = 16;
pub(super) const COLUMN_XML: i64 = 32;
const COLUMN_UNPADDED: i64 = 64;
const COLUMN_COMPUTED: i64 = 128;
const COLUMN_SPARSE: i64 = 256;
const COLUMN_ROW_START: i64 = 512;
const COLUMN_ROW_END: i64 = 1024;
const COLUMN_HIDDEN: i64 = 2048;
const COLUMN_MASKED: i64 = 4096;

/// The version of the catalogue's tables that knows columns of type rowversion.
const ROWVERSIONS: i64 = 9;

const CHECK_DISABLED: i64 = 4;
const CHECK_NOT_TRUSTED: i64 = 8;

pub(super) fn int(v: i64) -> Value {
    Value::Int(v as i32)
}

/// Writes an object's own row. `detail`: see [`ConstraintObject::detail`].
pub fn write_object(tx: &mut Transaction, head: &ObjectHead, detail: i32) -> SqlResult<()> {
    let flags = if head.system_named { OBJECT_SYSTEM_NAMED } else { 0 }
        | match head.escalation {
            Escalation::Table => 0,
            Escalation::Auto => OBJECT_ESCALATION_AUTO,
            Escalation::Disable => OBJECT_ESCALATION_DISABLE,
        }
        | head.temporal.flags();
    let mut row = vec![
        Value::Int(head.schema_id.0),
        Value::nvarchar(&head.name),
        Value::nvarchar(head.kind.code()),
        Value::Int(head.parent.0),
        head.created.clone(),
        head.modified.clone(),
        int(flags),
        Value::Int(detail),
    ];
    row.extend(head.temporal.cells(tx)?);
    systab::put(tx, &SystemTables::OBJECTS, &[head.id.0 as i64], &row)
}

/// Identity facts beside a column's row.
#[derive(Clone, Copy, Debug)]
pub struct IdentityRow {
    /// The first value given out.
    pub seed: i64,
    /// The distance between two values.
    pub increment: i64,
    /// The sequence that counts.
    pub sequence: i64,
}

/// Writes a column's row.
pub fn write_column(
    tx: &mut Transaction,
    table: ObjectId,
    column: &Column,
    identity: Option<IdentityRow>,
) -> SqlResult<()> {
    if column.ty == SqlType::RowVersion {
        ensure_schema_version(tx, ROWVERSIONS)?;
    }
    if column.generated != Generated::Never {
        ensure_schema_version(tx, TEMPORAL)?;
    }
    if let Some(computed) = &column.computed {
        write_computed(tx, table, column.id, computed)?;
    }
    if let Some(mask) = &column.mask {
        write_mask(tx, table, column.id, mask)?;
    }
    let mut flags = 0;
    for (flag, on) in [
        (COLUMN_NULLABLE, column.nullable),
        (COLUMN_IDENTITY, column.is_identity),
        (COLUMN_ROWGUID, column.is_rowguid),
        (COLUMN_OLD_LARGE, column.old_large),
        (COLUMN_XML, column.xml),
        (COLUMN_UNPADDED, column.unpadded),
        (COLUMN_COMPUTED, column.computed.is_some()),
        (COLUMN_SPARSE, column.is_sparse),
        (COLUMN_ROW_START, column.generated == Generated::RowStart),
        (COLUMN_ROW_END, column.generated == Generated::RowEnd),
        (COLUMN_HIDDEN, column.is_hidden),
        (COLUMN_MASKED, column.mask.is_some()),
    ] {
        flags |= if on { flag } else { 0 };
    }
    let missing = match &column.missing {
        Value::Null => Value::Null,
        v => {
            let mut out = Vec::new();
            typecode::append_variant(&mut out, column.ty, v)?;
            Value::binary(&out)
        }
    };
    let big = |v: Option<i64>| v.map_or(Value::Null, Value::BigInt);
    let row = [
        Value::nvarchar(&column.name),
        Value::binary(&typecode::type_bytes(column.ty)),
        int(flags),
        int(column.collation.stored().cast_signed().into()),
        int(place_number(column.place)),
        int(column.null_bit as i64),
        Value::Int(column.default.as_ref().map_or(0, |d| d.id.0)),
        missing,
        big(identity.map(|i| i.seed)),
        big(identity.map(|i| i.increment)),
        big(identity.map(|i| i.sequence)),
        user_type_value(tx, column.user_type)?,
    ];
    systab::put(tx, &SystemTables::COLUMNS, &[table.0 as i64, column.id as i64], &row)
}

/// The cell of a user type's number; a program that does not know types of users may not open the database then.
pub(super) fn user_type_value(tx: &mut Transaction, user_type: i32) -> SqlResult<Value> {
    if user_type == 0 {
        return Ok(Value::Null);
    }
    ensure_schema_version(tx, TYPES)?;
    Ok(Value::Int(user_type))
}

/// Marks a column dropped: its place in the rows stays taken.
pub fn drop_column(tx: &mut Transaction, table: ObjectId, column: &Column) -> SqlResult<()> {
    let key = [table.0 as i64, column.id as i64];
    let Some(mut row) = systab::get(tx, &SystemTables::COLUMNS, &key)? else {
        return Err(damaged("a column without its catalogue row"));
    };
    row[2] = int(number(&row, 2)? | COLUMN_DROPPED);
    row[6] = Value::Int(0);
    systab::remove(tx, &SystemTables::MODULES, &key)?;
    properties::remove_all(tx, 1, table.0, Some(column.id))?;
    systab::put(tx, &SystemTables::COLUMNS, &key, &row)
}

fn place_number(place: Place) -> i64 {
    match place {
        Place::Fixed { offset, .. } => offset as i64,
        Place::Variable(n) => -(n as i64) - 1,
        Place::Nowhere => 0,
    }
}

fn place_of(number: i64, ty: SqlType) -> SqlResult<Place> {
    let size = crate::rowcodec::fixed::size(ty);
    match (number, size) {
        (4..=8060, Some(size)) => Ok(Place::Fixed { offset: number as u16, size: size as u16 }),
        (0, _) => Ok(Place::Nowhere),
        (-4096..=-1, None) => Ok(Place::Variable((-number - 1) as u16)),
        _ => Err(damaged("a column's place")),
    }
}

/// Says of a check whether it is looked at, and whether all rows are known to keep it.
pub fn write_check_state(
    tx: &mut Transaction,
    check: ObjectId,
    disabled: bool,
    not_trusted: bool,
) -> SqlResult<()> {
    let key = [check.0 as i64];
    let row = systab::get(tx, &SystemTables::MODULES, &key)?;
    let mut row = row.ok_or_else(|| damaged("a check without its text"))?;
    let others = number(&row, 0)? & !(CHECK_DISABLED | CHECK_NOT_TRUSTED);
    row[0] = int(others
        | if disabled { CHECK_DISABLED } else { 0 }
        | if not_trusted { CHECK_NOT_TRUSTED } else { 0 });
    systab::put(tx, &SystemTables::MODULES, &key, &row)
}

/// A column of a view, which has no place in any row.
pub fn view_column(
    id: i32,
    name: Arc<str>,
    ty: SqlType,
    nullable: bool,
    collation: Collation,
) -> Column {
    Column {
        id,
        name,
        ty,
        nullable,
        user_type: 0,
        collation,
        is_identity: false,
        is_rowguid: false,
        generated: Generated::Never,
        is_hidden: false,
        is_sparse: false,
        old_large: false,
        xml: false,
        unpadded: false,
        place: Place::Variable(0),
        null_bit: 0,
        default: None,
        missing: Value::Null,
        computed: None,
        mask: None,
    }
}

/// Removes every row that describes an object (not those of its constraints).
pub fn remove_object(tx: &mut Transaction, id: ObjectId) -> SqlResult<()> {
    let key = [id.0 as i64];
    properties::remove_all(tx, 1, id.0, None)?;
    properties::remove_all(tx, 7, id.0, None)?;
    startup_procedures::set(tx, id, false)?;
    systab::remove(tx, &SystemTables::OBJECTS, &key)?;
    systab::remove_all(tx, &SystemTables::MODULES, &key)?;
    systab::remove_all(tx, &SystemTables::COLUMNS, &key)?;
    systab::remove_all(tx, &SystemTables::INDEX_COLUMNS, &key)?;
    systab::remove_all(tx, &SystemTables::INDEXES, &key)
}

/// The rows of a table's indexes, by what they stand for.
#[derive(Default)]
struct IndexRows {
    indexes: Vec<Arc<Index>>,
    disabled: Vec<Arc<Index>>,
    columnstore: Option<(IndexId, Arc<str>)>,
    indexed_views: Vec<ObjectId>,
    statistics: Vec<Statistics>,
}

impl Catalog {
    /// Reads an object from the catalogue's tables; `None` when it has no row.
    pub(super) fn read_object(
        &self,
        tx: &mut Transaction,
        id: ObjectId,
        sight: Sight,
    ) -> SqlResult<Option<Object>> {
        match systab::get(tx, &SystemTables::OBJECTS, &[id.0 as i64])? {
            Some(row) => self.object_of_row(tx, id, &row, sight).map(Some),
            None => Ok(None),
        }
    }

    pub(super) fn object_of_row(
        &self,
        tx: &mut Transaction,
        id: ObjectId,
        row: &[Value],
        sight: Sight,
    ) -> SqlResult<Object> {
        let schema_id = SchemaId(number(row, 0)? as i32);
        let head = ObjectHead {
            id,
            schema_id,
            schema: self.schema_name(schema_id, sight).unwrap_or_else(|| "dbo".into()),
            name: text(row, 1)?.into(),
            kind: ObjectKind::from_code(&text(row, 2)?)
                .ok_or_else(|| damaged("an object's kind"))?,
            parent: ObjectId(number(row, 3)? as i32),
            created: row[4].clone(),
            modified: row[5].clone(),
            system_named: number(row, 6)? & OBJECT_SYSTEM_NAMED != 0,
            escalation: match number(row, 6)? {
                flags if flags & OBJECT_ESCALATION_DISABLE != 0 => Escalation::Disable,
                flags if flags & OBJECT_ESCALATION_AUTO != 0 => Escalation::Auto,
                _ => Escalation::Table,
            },
            temporal: Temporal::read(number(row, 6)?, row)?,
        };
        let detail = number(row, 7)? as i32;
        Ok(match head.kind {
            ObjectKind::Table | ObjectKind::TableType => {
                Object::Table(Arc::new(self.read_table(tx, head, sight)?))
            }
            ObjectKind::Type => Object::Type(self.read_type(tx, head, detail)?),
            ObjectKind::View => Object::View(self.read_view(tx, head, sight)?),
            ObjectKind::Procedure => Object::Procedure(self.read_module(tx, head)?),
            kind if kind.is_function() => Object::Function(self.read_module(tx, head)?),
            ObjectKind::Trigger => Object::Trigger(self.read_module(tx, head)?),
            ObjectKind::DatabaseTrigger | ObjectKind::ServerTrigger => {
                Object::DdlTrigger(self.read_module(tx, head)?)
            }
            ObjectKind::Sequence => Object::Sequence(self.read_sequence_object(tx, head)?),
            ObjectKind::SecurityPolicy => Object::Policy(self.read_policy(tx, head)?),
            ObjectKind::Synonym => {
                let base = read_base(tx, id)?;
                Object::Synonym(Arc::new(Synonym { head, base }))
            }
            _ => {
                let module = systab::get(tx, &SystemTables::MODULES, &[id.0 as i64])?;
                let flags = module.as_ref().map_or(Ok(0), |m| number(m, 0))?;
                let definition = module.map_or(Ok(String::new()), |m| text(&m, 1))?.into();
                let disabled = flags & CHECK_DISABLED != 0;
                let not_trusted = flags & CHECK_NOT_TRUSTED != 0;
                let c = ConstraintObject { head, detail, definition, disabled, not_trusted };
                Object::Constraint(Arc::new(c))
            }
        })
    }

    pub(super) fn read_table(
        &self,
        tx: &mut Transaction,
        head: ObjectHead,
        sight: Sight,
    ) -> SqlResult<Table> {
        let id = head.id.0 as i64;
        let mut columns = Vec::new();
        let mut dropped = Vec::new();
        let mut identity = None;
        let mut max_column_id = 0;
        for (key, row) in systab::scan(tx, &SystemTables::COLUMNS, &[id])? {
            let column_id = *key.get(1).ok_or_else(|| damaged("a catalogue key"))? as i32;
            max_column_id = max_column_id.max(column_id);
            let ty = typecode::type_from_bytes(bytes(&row, 1)?)?;
            if number(&row, 2)? & COLUMN_DROPPED != 0 {
                let place = place_of(number(&row, 4)?, ty)?;
                dropped.push((column_id, place, number(&row, 5)? as u16));
                continue;
            }
            if let Some(sequence) = number_or_null(&row, 10) {
                let (seed, increment) = (number(&row, 8)?, number(&row, 9)?);
                identity = Some(Identity {
                    column: columns.len(),
                    seed,
                    increment,
                    sequence: self.identity_sequence(tx, sequence, seed, increment, ty)?,
                });
            }
            columns.push(self.read_column(tx, (head.id, column_id), ty, &row)?);
        }
        let IndexRows { indexes, disabled, columnstore, indexed_views, statistics } =
            self.read_indexes(tx, id, &columns)?;
        if indexes.first().is_none_or(|i| i.kind == IndexKind::Nonclustered) {
            return Err(damaged("a table without heap or clustered index"));
        }
        let places: Vec<(Place, u16)> = dropped.iter().map(|d| (d.1, d.2)).collect();
        let row_column = |c: &Column| RowColumn {
            ty: c.ty,
            place: c.place,
            null_bit: c.null_bit,
            missing: c.missing.clone(),
        };
        let mut layout = RowLayout::new(columns.iter().map(row_column).collect(), &places);
        if indexes[0].kind == IndexKind::Clustered {
            let declared = indexes[0].key.declared_bytes() * 2 + 16;
            layout = layout.beside_key(declared.min(CLUSTERED_KEY_ROOM));
        }
        let checks = self.read_checks(tx, head.id, sight)?;
        let needs_options =
            !indexed_views.is_empty() || indexes.iter().any(|i| i.by_options(&columns));
        Ok(Table {
            head,
            period: period_of(&columns),
            columns,
            layout,
            indexes,
            disabled,
            columnstore,
            needs_options,
            indexed_views,
            statistics,
            checks,
            identity,
            predicates: self.read_predicates(tx, ObjectId(id as i32))?,
            max_column_id,
            version: self.new_version(),
            dropped,
        })
    }

    /// Sorts the rows of a table's indexes by what they stand for.
    fn read_indexes(
        &self,
        tx: &mut Transaction,
        table: i64,
        columns: &[Column],
    ) -> SqlResult<IndexRows> {
        let mut all = IndexRows::default();
        for (key, row) in systab::scan(tx, &SystemTables::INDEXES, &[table])? {
            let id = *key.get(1).ok_or_else(|| damaged("a catalogue key"))?;
            if let Some(s) = read_statistics(tx, (table, id), &row, columns)? {
                all.statistics.push(s);
            } else if let Some(named) = read_columnstore(id, &row)? {
                all.columnstore = Some(named);
            } else if let Some(view) = read_indexed_view(&row)? {
                all.indexed_views.push(view);
            } else {
                let index = Arc::new(self.read_index(tx, table, id, &row, columns)?);
                match index.disabled && index.kind == IndexKind::Nonclustered {
                    true => all.disabled.push(index),
                    false => all.indexes.push(index),
                }
            }
        }
        Ok(all)
    }

    /// The column of a row of `syscolumns` that is not dropped.
    fn read_column(
        &self,
        tx: &mut Transaction,
        (table, id): (ObjectId, i32),
        ty: SqlType,
        row: &[Value],
    ) -> SqlResult<Column> {
        let flags = number(row, 2)?;
        let computed = match flags & COLUMN_COMPUTED {
            0 => None,
            _ => Some(read_computed(tx, table, id)?),
        };
        let mask = match flags & COLUMN_MASKED {
            0 => None,
            _ => Some(read_mask(tx, table, id)?),
        };
        let default = match number(row, 6)? {
            0 => None,
            default => self.read_default(tx, ObjectId(default as i32))?,
        };
        let missing = match &row[7] {
            Value::Null => Value::Null,
            v => typecode::read_variant(v.as_bytes().unwrap_or(&[]))?.1,
        };
        Ok(Column {
            id,
            name: text(row, 0)?.into(),
            ty,
            nullable: flags & COLUMN_NULLABLE != 0,
            user_type: number_or_null(row, 11).unwrap_or(0) as i32,
            collation: Collation::from_stored(number(row, 3)? as u32)
                .ok_or_else(|| damaged("a column's collation"))?,
            is_identity: flags & COLUMN_IDENTITY != 0,
            is_rowguid: flags & COLUMN_ROWGUID != 0,
            generated: match flags {
                flags if flags & COLUMN_ROW_START != 0 => Generated::RowStart,
                flags if flags & COLUMN_ROW_END != 0 => Generated::RowEnd,
                _ => Generated::Never,
            },
            is_hidden: flags & COLUMN_HIDDEN != 0,
            is_sparse: flags & COLUMN_SPARSE != 0,
            old_large: flags & COLUMN_OLD_LARGE != 0,
            xml: flags & COLUMN_XML != 0,
            unpadded: flags & COLUMN_UNPADDED != 0,
            place: place_of(number(row, 4)?, ty)?,
            null_bit: number(row, 5)? as u16,
            default,
            missing,
            computed,
            mask,
        })
    }

    fn read_default(&self, tx: &mut Transaction, id: ObjectId) -> SqlResult<Option<Default>> {
        let key = [id.0 as i64];
        let Some(object) = systab::get(tx, &SystemTables::OBJECTS, &key)? else { return Ok(None) };
        let module = systab::get(tx, &SystemTables::MODULES, &key)?;
        let definition = module.map_or(Ok(String::new()), |m| text(&m, 1))?.into();
        Ok(Some(Default { id, name: text(&object, 1)?.into(), definition }))
    }

    /// The checks of a table: its constraints are told by their rows' parent.
    fn read_checks(
        &self,
        tx: &mut Transaction,
        table: ObjectId,
        sight: Sight,
    ) -> SqlResult<Vec<Check>> {
        let mut checks = Vec::new();
        for id in self.children_of(table, sight) {
            let key = [id.0 as i64];
            let Some(row) = systab::get(tx, &SystemTables::OBJECTS, &key)? else { continue };
            if ObjectKind::from_code(&text(&row, 2)?) != Some(ObjectKind::Check) {
                continue;
            }
            let module = systab::get(tx, &SystemTables::MODULES, &key)?;
            let flags = module.as_ref().map_or(Ok(0), |m| number(m, 0))?;
            checks.push(Check {
                id,
                name: text(&row, 1)?.into(),
                definition: module.map_or(Ok(String::new()), |m| text(&m, 1))?.into(),
                column_id: number(&row, 7)? as i32,
                disabled: flags & CHECK_DISABLED != 0,
                not_trusted: flags & CHECK_NOT_TRUSTED != 0,
            });
        }
        Ok(checks)
    }

    fn identity_sequence(
        &self,
        tx: &mut Transaction,
        id: i64,
        seed: i64,
        increment: i64,
        ty: SqlType,
    ) -> SqlResult<Arc<IdentitySequence>> {
        let mut sequences = self.sequences.lock();
        if let Some(known) = sequences.get(&id) {
            return Ok(known.clone());
        }
        let sequence = Sequence::new(self.storage.clone(), id, 0);
        let stored = stored_limit(tx, id)?;
        let base = systab::get(tx, &SystemTables::IDENTITY, &[base_key(id)])?;
        let base = base.map_or(Ok(seed), |row| number(&row, 0))?;
        let sequence = Arc::new(IdentitySequence::new(sequence, stored, base, increment, ty));
        sequences.insert(id, sequence.clone());
        Ok(sequence)
    }
}

/// The first number of a sequence that may not have been given out.
pub(super) fn read_limit(tx: &mut Transaction, id: i64) -> SqlResult<u64> {
    Ok(stored_limit(tx, id)?.max(0) as u64)
}

/// A sequence's row; 0 where it has none yet.
fn stored_limit(tx: &mut Transaction, id: i64) -> SqlResult<i64> {
    match systab::get(tx, &SystemTables::IDENTITY, &[id])? {
        Some(row) => number(&row, 0),
        None => Ok(0),
    }
}

/// The key of an object's name in the cache.
pub(super) fn name_key(schema: SchemaId, name: &str) -> (i32, String) {
    (schema.0, fold(name))
}
