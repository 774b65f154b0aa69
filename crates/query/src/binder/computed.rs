//! Computed columns: their expressions over the columns of their table, and where they are computed.
//!
//! A column that is not persisted is computed by whatever reads it, of the other columns of its row ([`Get::computed`]); one that is
//! persisted is a column as others, which a change computes. None reads another computed column.
//!
//! [`Get::computed`]: taffrail_plan::rel::Get::computed

use super::definition::{alone, without_line};
use super::written::Forms;
use super::{Binder, Bound, Metadata, SourceColumn, SourceKind, Variables, unsupported};
use taffrail_base::{SqlError, SqlResult};
use taffrail_catalog::database::Database;
use taffrail_catalog::{Column, Table};
use taffrail_plan::change::ComputedColumn;
use taffrail_plan::expr::{Expr, Part, Slot, slots_of};
use taffrail_plan::rel::VirtualColumn;
use taffrail_plan::visit::PartMut;
use taffrail_syntax::ast::{self, SelectItem};
use taffrail_types::Collation;
use taffrail_types::convert::Declared;

/// The expression of a computed column as a table's definition has it.
pub struct ComputedFacts {
    /// The text by which the catalogue keeps the expression.
    pub definition: String,
    /// The value, where slot `n` is column `n` of the table.
    pub expr: Expr,
    /// The type of the value.
    pub ty: Declared,
    /// Whether it may be NULL.
    pub nullable: bool,
    /// The collation of a text.
    pub collation: Collation,
    /// Positions of the columns that the expression reads.
    pub reads: Vec<usize>,
}

/// Binds the expression of a computed column over the other columns of its table: 207, 1046, 1759 where one of these is computed.
pub fn computed_facts(
    meta: &dyn Metadata,
    database: &Database,
    table: &Table,
    e: &ast::Expr,
) -> SqlResult<ComputedFacts> {
    let (variables, lines) = Default::default();
    let mut binder = alone(meta, database, &variables, &lines);
    binder.over_columns(database, table);
    binder.forms = Some(Forms::default());
    let bound = binder.bind_scalar(e).map_err(without_line)?;
    let mut reads = Vec::new();
    slots_of(Part::Expr(&bound.expr), &mut |s| reads.push(s as usize));
    reads.sort_unstable();
    reads.dedup();
    if let Some(other) = reads.iter().find(|at| table.columns[**at].computed.is_some()) {
        return Err(SqlError::new(1759, &[&table.columns[*other].name, &table.name()]));
    }
    let definition = binder.kept_text(table, e);
    let definition =
        definition.ok_or_else(|| unsupported("This expression of a computed column"))?;
    let (ty, nullable, collation) = (bound.declared(), bound.nullable, bound.collation);
    Ok(ComputedFacts { definition, expr: bound.expr, ty, nullable, collation, reads })
}

/// The value of a computed column of a table: slot `n` is column `n`.
pub fn bind_computed(
    meta: &dyn Metadata,
    database: &Database,
    table: &Table,
    column: &Column,
) -> SqlResult<Expr> {
    let Some(computed) = &column.computed else { return Err(SqlError::new(5243, &[])) };
    let batch = format!("SELECT {}", computed.definition);
    let parsed = taffrail_syntax::parse_batch(&batch, Default::default())
        .map_err(|mut e| Box::new(e.errors.remove(0)))?;
    let wrong = || SqlError::new(102, &[&computed.definition]);
    let [ast::Statement { kind: ast::StatementKind::Select(s), .. }] = &parsed.statements[..]
    else {
        return Err(wrong());
    };
    let [SelectItem::Expr { expr, .. }] = &s.query.body.first_block().items[..] else {
        return Err(wrong());
    };
    let variables = Variables::default();
    let mut binder = alone(meta, database, &variables, &parsed.lines);
    binder.over_columns(database, table);
    let value = |b: &mut Binder<'_>, bound: Bound| {
        b.cast_to_declared_as(bound, column.declared(), column.collation)
    };
    let bound = binder.bind_scalar(expr).and_then(|bound| value(&mut binder, bound));
    bound.map_err(without_line)
}

/// The computed columns of a table for a change of its rows.
pub fn computed_columns(
    meta: &dyn Metadata,
    database: &Database,
    table: &Table,
) -> SqlResult<Vec<ComputedColumn>> {
    let mut all = Vec::new();
    for (column, c) in table.columns.iter().enumerate().filter(|(_, c)| c.computed.is_some()) {
        let expr = bind_computed(meta, database, table, c)?;
        all.push(ComputedColumn { column, expr, stored: !c.is_virtual() });
    }
    Ok(all)
}

impl Binder<'_> {
    /// The columns of a source that are computed where they are read, each with its value over the table's columns.
    pub(super) fn virtual_columns(
        &self,
        database: &Database,
        table: &Table,
    ) -> SqlResult<Vec<(usize, Expr)>> {
        let mut all = Vec::new();
        for (at, c) in table.columns.iter().enumerate().filter(|(_, c)| c.is_virtual()) {
            all.push((at, bind_computed(self.meta, database, table, c)?));
        }
        Ok(all)
    }

    /// Mentions the columns that a virtual column of a source is computed of, when it is first mentioned itself: its value is one of
    /// these columns' slots then.
    pub(super) fn mention_inputs(&mut self, depth: usize, source: usize, column: usize) {
        let Some(value) = self.virtual_column(depth, source, column) else { return };
        let mut named = value.clone();
        rename(PartMut::Expr(&mut named), &mut |n| self.own_slot(depth, source, n as usize));
        if let Some(value) = self.virtual_column(depth, source, column) {
            *value = named;
        }
    }

    /// The value of a source's column that is computed where it is read.
    fn virtual_column(&mut self, depth: usize, source: usize, column: usize) -> Option<&mut Expr> {
        match &mut self.blocks[depth].sources[source].kind {
            SourceKind::Table { virtuals, .. } => {
                virtuals.iter_mut().find(|v| v.0 == column).map(|v| &mut v.1)
            }
            _ => None,
        }
    }
}

/// Gives each slot of an expression another number.
fn rename(part: PartMut<'_>, number: &mut dyn FnMut(Slot) -> Slot) {
    match part {
        PartMut::Expr(Expr::Slot(slot)) => *slot = number(*slot),
        PartMut::Expr(e) => e.children_mut(&mut |p| rename(p, number)),
        PartMut::Pred(p) => p.children_mut(&mut |p| rename(p, number)),
    }
}

/// The columns of a table that are mentioned: those that rows have, and those that are computed of them.
pub(super) fn mentioned_columns(
    columns: &[SourceColumn],
    virtuals: Vec<(usize, Expr)>,
) -> (Vec<(usize, Slot)>, Vec<VirtualColumn>) {
    let is_virtual = |at: usize| virtuals.iter().any(|v| v.0 == at);
    let stored = columns.iter().enumerate().filter(|(at, _)| !is_virtual(*at));
    let stored = stored.filter_map(|(at, c)| c.slot.map(|s| (at, s))).collect();
    let computed = virtuals.into_iter().filter_map(|(column, value)| {
        Some(VirtualColumn { column, value, slot: columns[column].slot? })
    });
    (stored, computed.collect())
}
