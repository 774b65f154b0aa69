//! Columns that the server gives values, and the period that two of them are.

use super::super::clauses::Body;
use super::TableDraft;
use crate::catalog::Generated;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{self, Ident};
use taffrail_types::SqlType;

impl TableDraft {
    /// Marks a new column as its definition says: GENERATED ALWAYS, HIDDEN. 13501, 13502, 13503, 13587.
    pub(super) fn mark_generated(&mut self, c: &ast::ColumnDefinition, at: usize) -> SqlResult<()> {
        let (mut generated, mut hidden) = (Generated::Never, false);
        for property in &c.other {
            match &**property {
                "GENERATED ALWAYS AS ROW START" => generated = Generated::RowStart,
                "GENERATED ALWAYS AS ROW END" => generated = Generated::RowEnd,
                "HIDDEN" => hidden = true,
                what => return Err(unsupported(format!("The column property {what}"))),
            }
        }
        if generated == Generated::Never {
            return match hidden {
                true => Err(SqlError::new(102, &[&"HIDDEN"])),
                false => Ok(()),
            };
        }
        let twice = self.columns.iter().any(|c| c.generated == generated);
        if twice {
            let number = if generated == Generated::RowStart { 13502 } else { 13503 };
            return Err(SqlError::new(number, &[]));
        }
        if !matches!(self.columns[at].ty, SqlType::DateTime2(_)) {
            return Err(SqlError::new(13501, &[&c.name.value]));
        }
        if c.nullable == Some(true) {
            return Err(SqlError::new(13587, &[&c.name.value]));
        }
        let column = &mut self.columns[at];
        (column.generated, column.is_hidden, column.nullable) = (generated, hidden, false);
        Ok(())
    }

    /// The period of what is made or added: 13504 to 13507, 13509, 13513, 13597.
    pub(super) fn settle_period(
        &self,
        period: Option<&(Ident, Ident)>,
        within: &Body<'_>,
    ) -> SqlResult<()> {
        let (existing, new) = self.columns.split_at(self.existing);
        let Some((start, end)) = period else {
            return match new.iter().any(|c| c.generated != Generated::Never) {
                true => Err(SqlError::new(13509, &[])),
                false => Ok(()),
            };
        };
        if existing.iter().any(|c| c.generated != Generated::Never) {
            let shown = format!("{}.{}", within.database.name, self.table);
            return Err(SqlError::new(13597, &[&shown]));
        }
        let mut types = Vec::new();
        for (name, generated, missing, other) in
            [(start, Generated::RowStart, 13504, 13506), (end, Generated::RowEnd, 13505, 13507)]
        {
            let marked = self.columns.iter().position(|c| c.generated == generated);
            let named = self.position(&name.value);
            let at = match (marked, named) {
                (Some(at), named) if Some(at) == named => at,
                (Some(_), _) => return Err(SqlError::new(other, &[])),
                // A column that was there before becomes one.
                (None, Some(at)) if at < self.existing => at,
                (None, None) if self.existing > 0 => {
                    let what = "ALTER TABLE ADD PERIOD FOR SYSTEM_TIME";
                    return Err(SqlError::new(4924, &[&what, &name.value, &self.table]));
                }
                (None, _) => return Err(SqlError::new(missing, &[])),
            };
            let column = &self.columns[at];
            if !matches!(column.ty, SqlType::DateTime2(_)) {
                return Err(SqlError::new(13501, &[&column.name]));
            }
            if column.nullable {
                return Err(SqlError::new(13587, &[&column.name]));
            }
            types.push(column.ty);
        }
        match types[0] == types[1] {
            true => Ok(()),
            false => Err(SqlError::new(13513, &[])),
        }
    }
}
