//! A row of a table as bytes.
//!
//! Drawn in docs/engineering/format.md, as `table-row`.
//!
//! A column's place never changes while the table lives: added columns get the next free places, the places of dropped
//! columns stay empty. So a row written before a column was added is simply shorter than the layout, and the column
//! reads as the value that `ADD` gave it ([`RowColumn::missing`]). Any column is found without decoding another one.
//!
//! Values of (max) columns beyond [`MAX_INLINE_BYTES`], and the longest variable-length values of a row that would
//! exceed [`MAX_ROW_BYTES`], go to overflow pages; in the row stays a reference of [`LobRef::BYTES`].

use super::lobs::Lobs;
use super::version::{self, HAS_VERSION};
use super::{damaged, fixed, typecode};
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::LobRef;
use taffrail_types::{Bytes, SqlType, Value};

/// The longest row that lies in one page.
pub const MAX_ROW_BYTES: usize = 8060;
/// The longest value that stays in its row.
pub(crate) const MAX_INLINE_BYTES: usize = 8000;

const FORM: u8 = 1;
const HAS_LOB: u8 = 1;
const HEAD: usize = 4;
const LOB_BIT: u16 = 0x8000;

fn lob_from_bytes(b: &[u8]) -> SqlResult<LobRef> {
    let bytes = b.try_into().map_err(|_| damaged("a reference to overflow pages"))?;
    Ok(LobRef::from_bytes(bytes))
}

/// Where a column lies in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// At this offset, with this many bytes.
    Fixed {
        /// From the row's start.
        offset: u16,
        /// The size of the type, bytes.
        size: u16,
    },
    /// The nth variable-length column.
    Variable(u16),
    /// Rows have nothing of the column, which is computed.
    Nowhere,
}

impl Place {
    /// The bit of the NULL bitmap of a column that rows do not have: none has so many.
    pub const NO_BIT: u16 = u16::MAX;
}

/// A column of a layout.
#[derive(Clone, PartialEq, Debug)]
pub struct RowColumn {
    /// The type of the column.
    pub ty: SqlType,
    /// The place of the column in a row.
    pub place: Place,
    /// Its bit in the NULL bitmap.
    pub null_bit: u16,
    /// The value in rows that are older than the column.
    pub missing: Value,
}

/// How rows of a table are written and read.
///
/// 1. `columns` are those that live, in order of `column_id`; places of dropped columns are counted in the totals.
/// 2. Fixed places do not overlap and lie within `HEAD .. fixed_end`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RowLayout {
    columns: Box<[RowColumn]>,
    fixed_end: u16,
    null_bits: u16,
    variables: u16,
    /// Longer rows move values out, so that a row and its clustered key fit beside each other.
    soft_limit: usize,
}

/// A column's value, or where it is.
#[derive(Clone, Debug)]
pub enum Cell {
    /// The value of the column, decoded.
    Value(Value),
    /// It lies on overflow pages.
    Lob(LobRef),
}

/// Hands out places for columns: the next free ones.
#[derive(Clone, Copy, Debug)]
pub struct PlaceAllocator {
    fixed_end: u16,
    variables: u16,
    null_bits: u16,
}

impl Default for PlaceAllocator {
    fn default() -> PlaceAllocator {
        PlaceAllocator { fixed_end: HEAD as u16, variables: 0, null_bits: 0 }
    }
}

impl PlaceAllocator {
    /// Counts a column that exists (or existed).
    pub fn occupy(&mut self, place: Place, null_bit: u16) {
        match place {
            Place::Fixed { offset, size } => self.fixed_end = self.fixed_end.max(offset + size),
            Place::Variable(n) => self.variables = self.variables.max(n + 1),
            Place::Nowhere => return,
        }
        self.null_bits = self.null_bits.max(null_bit + 1);
    }

    /// The place and NULL bit of a new column; `None` when the fixed part would not fit into a row.
    pub fn next(&mut self, ty: SqlType) -> Option<(Place, u16)> {
        let place = match fixed::size(ty) {
            Some(size) => Place::Fixed { offset: self.fixed_end, size: size as u16 },
            None => Place::Variable(self.variables),
        };
        if let Place::Fixed { offset, size } = place
            && offset as usize + size as usize > MAX_ROW_BYTES
        {
            return None;
        }
        let bit = self.null_bits;
        self.occupy(place, bit);
        Some((place, bit))
    }
}

/// The parts of a stored row.
struct Parts<'a> {
    row: &'a [u8],
    fixed_end: usize,
    null_bits: usize,
    bitmap: usize,
    variables: usize,
    ends: usize,
}

#[inline]
fn u16_at(row: &[u8], at: usize) -> SqlResult<usize> {
    match row.get(at..at + 2) {
        Some(&[a, b]) => Ok(u16::from_le_bytes([a, b]) as usize),
        _ => Err(damaged("a row")),
    }
}

impl<'a> Parts<'a> {
    #[inline]
    fn of(row: &'a [u8]) -> SqlResult<Parts<'a>> {
        let row = match row {
            [FORM, flags, ..] if flags & !(HAS_LOB | HAS_VERSION) == 0 => version::split(row)?.0,
            _ => return Err(damaged("a row's form")),
        };
        let fixed_end = u16_at(row, 2)?;
        let null_bits = u16_at(row, fixed_end)?;
        let bitmap = fixed_end + 2;
        let after = bitmap + null_bits.div_ceil(8);
        let variables = u16_at(row, after)?;
        let ends = after + 2;
        if ends + variables * 2 > row.len() {
            return Err(damaged("a row"));
        }
        Ok(Parts { row, fixed_end, null_bits, bitmap, variables, ends })
    }

    #[inline]
    fn is_null(&self, bit: u16) -> bool {
        self.row[self.bitmap + bit as usize / 8] & (1 << (bit % 8)) != 0
    }

    /// The bytes of the nth variable-length column, and whether they are a reference.
    #[inline]
    fn variable(&self, n: usize) -> SqlResult<(&'a [u8], bool)> {
        let end = u16_at(self.row, self.ends + n * 2)?;
        let start = match n {
            0 => self.ends + self.variables * 2,
            _ => u16_at(self.row, self.ends + n * 2 - 2)? & !(LOB_BIT as usize),
        };
        let bytes = self.row.get(start..end & !(LOB_BIT as usize));
        Ok((bytes.ok_or_else(|| damaged("a row"))?, end & LOB_BIT as usize != 0))
    }
}

impl RowLayout {
    /// A layout of columns that have their places; `dropped` are the places of columns that are gone.
    pub fn new(columns: Vec<RowColumn>, dropped: &[(Place, u16)]) -> RowLayout {
        let mut total = PlaceAllocator::default();
        for c in &columns {
            total.occupy(c.place, c.null_bit);
        }
        for (place, bit) in dropped {
            total.occupy(*place, *bit);
        }
        RowLayout {
            columns: columns.into(),
            fixed_end: total.fixed_end,
            null_bits: total.null_bits,
            variables: total.variables,
            soft_limit: MAX_ROW_BYTES,
        }
    }

    /// The layout of rows that share their page's room with a key of up to so many bytes.
    pub(crate) fn beside_key(mut self, key_bytes: usize) -> RowLayout {
        self.soft_limit = MAX_ROW_BYTES - key_bytes.min(MAX_ROW_BYTES / 2);
        self
    }

    /// A layout of these types in this order: index rows, work tables.
    pub fn of_types(types: impl IntoIterator<Item = SqlType>) -> RowLayout {
        let mut places = PlaceAllocator::default();
        let column = |ty| {
            // Beyond a page's size only in work tables, whose rows are not bound to a page.
            let (place, null_bit) = places.next(ty).unwrap_or_else(|| {
                let size = fixed::size(ty).unwrap_or(0) as u16;
                let place = Place::Fixed { offset: places.fixed_end, size };
                let bit = places.null_bits;
                places.occupy(place, bit);
                (place, bit)
            });
            RowColumn { ty, place, null_bit, missing: Value::Null }
        };
        let columns = types.into_iter().map(column).collect();
        RowLayout::new(columns, &[])
    }

    /// The columns, in order of `column_id`.
    pub fn columns(&self) -> &[RowColumn] {
        &self.columns
    }

    /// Bytes of a row whose variable-length columns are all empty.
    pub(crate) fn min_row_bytes(&self) -> usize {
        self.fixed_end as usize
            + 4
            + (self.null_bits as usize).div_ceil(8)
            + 2 * self.variables as usize
    }

    /// Writes a row into `out` (cleared first). `values` has one value per column, of the column's type.
    pub fn encode(
        &self,
        values: &[Value],
        out: &mut Vec<u8>,
        lobs: &mut dyn Lobs,
    ) -> SqlResult<()> {
        if self.encode_within(values, out, self.soft_limit)? {
            return Ok(());
        }
        self.encode_long(values, out, lobs)
    }

    /// Writes the row if it has at most `limit` bytes; else false, and `out` holds nothing of use.
    fn encode_within(&self, values: &[Value], out: &mut Vec<u8>, limit: usize) -> SqlResult<bool> {
        assert_eq!(values.len(), self.columns.len(), "a value for every column");
        let fixed_end = self.fixed_end as usize;
        let bitmap = fixed_end + 2;
        let after = bitmap + (self.null_bits as usize).div_ceil(8);
        let ends = after + 2;
        let variables = self.variables as usize;
        out.clear();
        out.resize(ends + variables * 2, 0);
        out[0] = FORM;
        out[2..4].copy_from_slice(&self.fixed_end.to_le_bytes());
        out[fixed_end..bitmap].copy_from_slice(&self.null_bits.to_le_bytes());
        out[after..ends].copy_from_slice(&self.variables.to_le_bytes());
        let mut next = 0; // the first variable-length column without an end
        for (column, value) in self.columns.iter().zip(values) {
            if column.place == Place::Nowhere {
                continue;
            }
            if value.is_null() {
                out[bitmap + column.null_bit as usize / 8] |= 1 << (column.null_bit % 8);
                continue;
            }
            match column.place {
                Place::Fixed { offset, size } => {
                    let (from, to) = (offset as usize, offset as usize + size as usize);
                    fixed::write(&mut out[from..to], column.ty, value)?;
                }
                Place::Variable(n) => {
                    // Places follow the order of columns, so the values come in order of their places.
                    debug_assert!(n as usize >= next, "variable places in order");
                    self.fill_ends(out, ends, next, n as usize);
                    next = n as usize;
                    match column.ty {
                        SqlType::Variant => typecode::append_variant(out, column.ty, value)?,
                        _ => {
                            let bytes = value.as_bytes();
                            let bytes = bytes.ok_or_else(|| damaged("a value of another type"))?;
                            if out.len() + bytes.len() > limit {
                                return Ok(false);
                            }
                            out.extend_from_slice(bytes);
                        }
                    }
                    self.fill_ends(out, ends, next, next + 1);
                    next += 1;
                }
                Place::Nowhere => {}
            }
        }
        self.fill_ends(out, ends, next, variables);
        Ok(out.len() <= limit)
    }

    /// Sets the ends of the variable-length columns `from .. to` to where the row ends now.
    #[inline]
    fn fill_ends(&self, out: &mut [u8], ends: usize, from: usize, to: usize) {
        let end = (out.len() as u16).to_le_bytes();
        for n in from..to {
            out[ends + n * 2..ends + n * 2 + 2].copy_from_slice(&end);
        }
    }

    /// The bytes of a row without any value moved out, and those of each of its variable-length values with the column's position.
    fn long_lengths(&self, values: &[Value]) -> SqlResult<(usize, Vec<(usize, usize)>)> {
        let mut lengths: Vec<(usize, usize)> = Vec::new();
        let mut total = self.min_row_bytes();
        for (i, (column, value)) in self.columns.iter().zip(values).enumerate() {
            if let (Place::Variable(_), false) = (column.place, value.is_null()) {
                let n = match (column.ty, value) {
                    (SqlType::Variant, v) => {
                        let mut bytes = Vec::new();
                        typecode::append_variant(&mut bytes, column.ty, v)?;
                        bytes.len()
                    }
                    (_, v) => v.as_bytes().map_or(0, <[u8]>::len),
                };
                total += n;
                lengths.push((n, i));
            }
        }
        Ok((total, lengths))
    }

    /// Encodes a row that does not fit: the longest values move out until it does.
    #[cold]
    fn encode_long(
        &self,
        values: &[Value],
        out: &mut Vec<u8>,
        lobs: &mut dyn Lobs,
    ) -> SqlResult<()> {
        let (mut total, mut lengths) = self.long_lengths(values)?;
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        let mut moved: Vec<Option<LobRef>> = vec![None; values.len()];
        for (n, i) in lengths {
            if total <= self.soft_limit && n <= MAX_INLINE_BYTES {
                break;
            }
            if n <= LobRef::BYTES || self.columns[i].ty == SqlType::Variant {
                continue;
            }
            let bytes = values[i].as_bytes().ok_or_else(|| damaged("a value of another type"))?;
            moved[i] = Some(lobs.write(bytes)?);
            total = total - n + LobRef::BYTES;
        }
        if total > MAX_ROW_BYTES {
            return Err(SqlError::new(511, &[&total, &MAX_ROW_BYTES]));
        }
        let inline: Vec<Value> = values
            .iter()
            .zip(&moved)
            .map(|(v, m)| if m.is_some() { Value::Null } else { v.clone() })
            .collect();
        if !self.encode_within(&inline, out, MAX_ROW_BYTES)? {
            return Err(SqlError::new(511, &[&out.len(), &MAX_ROW_BYTES]));
        }
        // Rebuild the variable part with the references in their places.
        let (ends, variables, bitmap) = {
            let parts = Parts::of(out)?;
            (parts.ends, parts.variables, parts.bitmap)
        };
        let mut tail = Vec::with_capacity(total);
        let mut new_ends = vec![0u16; variables];
        let start = ends + variables * 2;
        let mut column_at: Vec<Option<usize>> = vec![None; variables];
        for (i, c) in self.columns.iter().enumerate() {
            if let Place::Variable(n) = c.place {
                column_at[n as usize] = Some(i);
            }
        }
        for n in 0..variables {
            let lob = column_at[n].and_then(|i| moved[i].map(|lob| (i, lob)));
            match lob {
                Some((_, lob)) => tail.extend_from_slice(&lob.to_bytes()),
                None => tail.extend_from_slice(Parts::of(out)?.variable(n)?.0),
            }
            let bit = if lob.is_some() { LOB_BIT } else { 0 };
            new_ends[n] = (start + tail.len()) as u16 | bit;
            if let Some((i, _)) = lob {
                let null_bit = self.columns[i].null_bit;
                out[bitmap + null_bit as usize / 8] &= !(1 << (null_bit % 8));
            }
        }
        out.truncate(start);
        out.extend_from_slice(&tail);
        for (n, end) in new_ends.iter().enumerate() {
            out[ends + n * 2..ends + n * 2 + 2].copy_from_slice(&end.to_le_bytes());
        }
        out[1] |= HAS_LOB;
        Ok(())
    }

    /// A column's value, or where it lies.
    #[inline]
    pub fn cell(&self, row: &[u8], column: usize) -> SqlResult<Cell> {
        let parts = Parts::of(row)?;
        self.cell_of(&parts, column)
    }

    #[inline]
    fn cell_of(&self, parts: &Parts<'_>, column: usize) -> SqlResult<Cell> {
        let c = &self.columns[column];
        if c.null_bit as usize >= parts.null_bits {
            return Ok(Cell::Value(c.missing.clone()));
        }
        if parts.is_null(c.null_bit) {
            return Ok(Cell::Value(Value::Null));
        }
        let value = match c.place {
            Place::Fixed { offset, size } => {
                let end = offset as usize + size as usize;
                if end > parts.fixed_end {
                    return Err(damaged("a row's fixed part"));
                }
                fixed::read(&parts.row[offset as usize..end], c.ty)?
            }
            Place::Variable(n) => {
                if n as usize >= parts.variables {
                    return Err(damaged("a row's variable part"));
                }
                let (bytes, is_lob) = parts.variable(n as usize)?;
                if is_lob {
                    return Ok(Cell::Lob(lob_from_bytes(bytes)?));
                }
                variable_value(c.ty, bytes)?
            }
            Place::Nowhere => Value::Null,
        };
        Ok(Cell::Value(value))
    }

    /// Reads columns of a row into their slots. Gives how many: the next one lies on overflow pages.
    #[inline]
    pub fn read(
        &self,
        row: &[u8],
        columns: &[(usize, u32)],
        frame: &mut [Value],
    ) -> SqlResult<usize> {
        if columns.is_empty() {
            return Ok(0);
        }
        let parts = Parts::of(row)?;
        for (n, (column, slot)) in columns.iter().enumerate() {
            let c = &self.columns[*column];
            let out = &mut frame[*slot as usize];
            if c.null_bit as usize >= parts.null_bits {
                out.clone_from(&c.missing);
            } else if parts.is_null(c.null_bit) {
                *out = Value::Null;
            } else if let Place::Fixed { offset, size } = c.place {
                let end = offset as usize + size as usize;
                if end > parts.fixed_end {
                    return Err(damaged("a row's fixed part"));
                }
                fixed::read_into(&parts.row[offset as usize..end], c.ty, out)?;
            } else if let Place::Variable(at) = c.place {
                if at as usize >= parts.variables {
                    return Err(damaged("a row's variable part"));
                }
                match parts.variable(at as usize)? {
                    (_, true) => return Ok(n),
                    (bytes, false) => variable_into(c.ty, bytes, out)?,
                }
            }
        }
        Ok(columns.len())
    }

    /// Reads the value of a column, a long one from its overflow pages.
    #[inline]
    pub fn get(&self, row: &[u8], column: usize, lobs: &mut dyn Lobs) -> SqlResult<Value> {
        match self.cell(row, column)? {
            Cell::Value(v) => Ok(v),
            Cell::Lob(lob) => long_value(self.columns[column].ty, &lobs.read(lob)?),
        }
    }

    /// All values of a row, appended to `out`.
    pub fn decode(&self, row: &[u8], out: &mut Vec<Value>, lobs: &mut dyn Lobs) -> SqlResult<()> {
        let parts = Parts::of(row)?;
        for i in 0..self.columns.len() {
            out.push(match self.cell_of(&parts, i)? {
                Cell::Value(v) => v,
                Cell::Lob(lob) => long_value(self.columns[i].ty, &lobs.read(lob)?)?,
            });
        }
        Ok(())
    }

    /// The overflow values a row refers to: those to free when it goes away.
    pub fn lobs(&self, row: &[u8]) -> SqlResult<Vec<LobRef>> {
        if row.get(1).is_some_and(|flags| flags & HAS_LOB == 0) {
            return Ok(Vec::new());
        }
        let parts = Parts::of(row)?;
        let mut found = Vec::new();
        for n in 0..parts.variables {
            let (bytes, is_lob) = parts.variable(n)?;
            if is_lob {
                found.push(lob_from_bytes(bytes)?);
            }
        }
        Ok(found)
    }

    /// Sets where the value of a column lies that is on overflow pages already, within a row's bytes, which are a new version of the row
    /// then and lose their tag.
    pub fn refer(&self, row: &mut Vec<u8>, column: usize, lob: LobRef) -> SqlResult<()> {
        let Place::Variable(n) = self.columns[column].place else {
            return Err(damaged("a reference"));
        };
        let parts = Parts::of(row)?;
        let (bytes, is_lob) = parts.variable(n as usize)?;
        if !is_lob || bytes.len() != LobRef::BYTES {
            return Err(damaged("a reference"));
        }
        let at = bytes.as_ptr() as usize - row.as_ptr() as usize;
        row[at..at + LobRef::BYTES].copy_from_slice(&lob.to_bytes());
        version::set(row, None)
    }

    /// Sets a fixed-length column within a row's bytes, which are a new version of the row then and lose their tag. False, with the row
    /// as it was, when that is not possible: the column has variable length, or the row was written before the column was added.
    pub fn patch(&self, row: &mut Vec<u8>, column: usize, value: &Value) -> SqlResult<bool> {
        let c = &self.columns[column];
        let Place::Fixed { offset, size } = c.place else { return Ok(false) };
        let parts = Parts::of(row)?;
        if c.null_bit as usize >= parts.null_bits {
            return Ok(false);
        }
        let bit_at = parts.bitmap + c.null_bit as usize / 8;
        let mask = 1u8 << (c.null_bit % 8);
        let field = offset as usize..offset as usize + size as usize;
        if field.end > parts.fixed_end {
            return Err(damaged("a row's fixed part"));
        }
        if value.is_null() {
            row[bit_at] |= mask;
            row[field].fill(0);
        } else {
            fixed::write(&mut row[field], c.ty, value)?;
            row[bit_at] &= !mask;
        }
        version::set(row, None)?;
        Ok(true)
    }
}

#[inline]
fn variable_value(ty: SqlType, bytes: &[u8]) -> SqlResult<Value> {
    Ok(match ty {
        SqlType::VarChar(_) => Value::VarChar(Bytes::from_slice(bytes)),
        SqlType::NVarChar(_) => Value::NVarChar(Bytes::from_slice(bytes)),
        SqlType::VarBinary(_) => Value::Binary(Bytes::from_slice(bytes)),
        SqlType::Variant => Value::Variant(Box::new(typecode::read_variant(bytes)?)),
        _ => return Err(damaged("a variable-length value")),
    })
}

/// Decodes a variable-length value into a place whose room for a long text is used again.
#[inline]
fn variable_into(ty: SqlType, bytes: &[u8], out: &mut Value) -> SqlResult<()> {
    match (ty, &mut *out) {
        (SqlType::VarChar(_), Value::VarChar(b)) if b.spilled() => {
            b.clear();
            b.extend_from_slice(bytes);
        }
        _ => *out = variable_value(ty, bytes)?,
    }
    Ok(())
}

fn long_value(ty: SqlType, bytes: &[u8]) -> SqlResult<Value> {
    variable_value(ty, bytes)
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
