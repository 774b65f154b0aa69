//! Computed columns of a draft: their types, what they may be made of, and what may be made of them.

use super::{KeyDraft, TableDraft};
use crate::binder::{ComputedFacts, computed_facts};
use crate::catalog::{Column, Computed, Table};
use crate::ddl::clauses::Body;
use crate::exec::function_facts::facts_of;
use crate::rowcodec::{MAX_ROW_BYTES, Place, PlaceAllocator};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast;
use taffrail_types::SqlType;

impl TableDraft {
    /// A column whose type its expression says, once all columns are there.
    pub(super) fn begin_computed(
        &mut self,
        c: &ast::ColumnDefinition,
        computed: &ast::Computed,
    ) -> SqlResult<()> {
        if c.nullable.is_some() && !computed.persisted {
            return Err(SqlError::new(8183, &[]));
        }
        let at = self.push_column(&c.name.value, SqlType::Int, true, self.collation)?;
        self.columns[at].computed = Some(Arc::new(Computed {
            definition: "".into(),
            persisted: computed.persisted,
            deterministic: true,
            precise: true,
            reads_data: false,
        }));
        Ok(())
    }

    /// Settles the computed ones of the last columns, which these definitions have made.
    pub(super) fn settle_computed(
        &mut self,
        definitions: &[ast::ColumnDefinition],
        within: &Body<'_>,
    ) -> SqlResult<()> {
        let first = self.columns.len() - definitions.len();
        let columns = self.columns.clone();
        let table = Table::unmade(within.database, &self.table, columns, self.identity);
        for (at, d) in definitions.iter().enumerate() {
            let Some(computed) = &d.computed else { continue };
            let facts = computed_facts(within.names, within.database, &table, &computed.expr)?;
            let column = &mut self.columns[first + at];
            let settled = settled(&table, computed.persisted, &facts);
            if computed.persisted {
                persistable(&table, column, &settled)?;
            }
            column.ty = facts.ty.ty;
            column.set_large(facts.ty.large());
            column.collation = facts.collation;
            column.nullable = facts.nullable && d.nullable != Some(false);
            column.computed = Some(Arc::new(settled));
        }
        Ok(())
    }

    /// Gives the last columns, so many, their places, of which `places` is the first. Those that are computed where they are read have
    /// none.
    pub(super) fn settle_places(
        &mut self,
        count: usize,
        mut places: PlaceAllocator,
    ) -> SqlResult<()> {
        let first = self.columns.len() - count;
        if self.columns[first..].iter().all(|c| c.computed.is_none()) {
            return Ok(());
        }
        // The types are known now, and places follow the order of the columns.
        for (at, column) in self.columns.iter_mut().enumerate().skip(first) {
            let persisted = column.computed.as_ref().is_none_or(|c| c.persisted);
            let is_stored = persisted || self.indexed.contains(&at);
            (column.place, column.null_bit) = match is_stored {
                true => places.next(column.ty).ok_or_else(|| {
                    SqlError::new(1701, &[&self.table, &(MAX_ROW_BYTES + 1), &7, &MAX_ROW_BYTES])
                })?,
                false => (Place::Nowhere, Place::NO_BIT),
            };
        }
        self.places = places;
        Ok(())
    }

    /// A constraint that reads a computed column which is not persisted: 8183 where it was written with the column, else 1764.
    pub(super) fn refuse_virtual(
        &self,
        read: &[usize],
        written_with: Option<usize>,
        kind: &str,
    ) -> SqlResult<()> {
        let not_stored = |at: &&usize| {
            let column = &self.columns[**at];
            column.computed.is_some() && !column.is_persisted()
        };
        match read.iter().find(not_stored) {
            None => Ok(()),
            Some(at) if written_with == Some(*at) => Err(SqlError::new(8183, &[])),
            Some(at) => Err(SqlError::new(1764, &[&self.columns[*at].name, &self.table, &kind])),
        }
    }

    /// Keys and indexes over computed columns that are not persisted, whose values rows have then: 1711, 2729, 2799.
    pub(super) fn index_computed(&mut self, key: &KeyDraft) -> SqlResult<()> {
        let keys = key.columns.iter().map(|c| (c.0, true));
        for (at, is_key) in keys.chain(key.included.iter().map(|at| (*at, false))) {
            let column = &self.columns[at];
            let Some(computed) = column.computed.as_ref().filter(|c| !c.persisted) else {
                continue;
            };
            if key.primary && column.nullable {
                return Err(SqlError::new(1711, &[&column.name, &self.table]));
            }
            if !computed.deterministic || computed.reads_data {
                return Err(SqlError::new(2729, &[&column.name, &"table", &self.table]));
            }
            if is_key && !computed.precise {
                let index = key.name.clone().unwrap_or_default();
                return Err(SqlError::new(2799, &[&index, &self.table, &column.name]));
            }
            self.indexed.push(at);
        }
        Ok(())
    }
}

/// The expression as the catalogue keeps it.
fn settled(table: &Table, persisted: bool, value: &ComputedFacts) -> Computed {
    let facts = facts_of(&value.expr);
    let float = |at: &usize| matches!(table.columns[*at].ty, SqlType::Float | SqlType::Real);
    let imprecise = facts.imprecise || value.reads.iter().any(float);
    Computed {
        definition: value.definition.as_str().into(),
        persisted,
        deterministic: facts.deterministic,
        precise: !imprecise && !matches!(value.ty.ty, SqlType::Float | SqlType::Real),
        reads_data: facts.reads_data || facts.reads_system,
    }
}

/// Whether the values can be stored: 4936 where equal rows may have others, 4934 where tables are read.
fn persistable(table: &Table, column: &Column, computed: &Computed) -> SqlResult<()> {
    let number = match (computed.deterministic, computed.reads_data) {
        (false, _) => 4936,
        (true, true) => 4934,
        (true, false) => return Ok(()),
    };
    Err(SqlError::new(number, &[&column.name, &table.name()]))
}
