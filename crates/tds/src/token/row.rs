//! ROW and NBCROW.
//!
//! A plain ROW spends one to eight bytes on every NULL; an NBCROW spends one bit on every column and nothing on a
//! NULL. The shorter one is sent, row by row, where the version has both.

use super::encode::ColumnSpec;
use super::kind;
use crate::error::EncodeError;
use crate::value::Encoder;
use crate::version::TdsVersion;
use taffrail_types::Value;

/// Writes the rows of one result.
#[derive(Clone, Debug, Default)]
pub struct RowEncoder {
    columns: Vec<Encoder>,
    /// Bytes of an NBCROW's bitmap; usize::MAX where there is no NBCROW.
    bitmap_bytes: usize,
}

impl RowEncoder {
    /// For the columns that were announced.
    pub fn new(columns: &[ColumnSpec<'_>], version: TdsVersion) -> RowEncoder {
        let encoder = |c: &ColumnSpec<'_>| Encoder::new(&c.info(version), c.ty);
        RowEncoder {
            columns: columns.iter().map(encoder).collect(),
            bitmap_bytes: if version.has_nbcrow() { columns.len().div_ceil(8) } else { usize::MAX },
        }
    }

    /// Appends a row. On an error nothing is left of it.
    pub fn row(&self, out: &mut Vec<u8>, values: &[Value]) -> Result<(), EncodeError> {
        if values.len() != self.columns.len() {
            return Err(EncodeError { column: values.len(), what: "number of values" });
        }
        let mut null_bytes = 0;
        for (column, value) in self.columns.iter().zip(values) {
            if value.is_null() {
                null_bytes += column.null_bytes();
            }
        }
        let start = out.len();
        let compressed = null_bytes > self.bitmap_bytes;
        if compressed {
            out.push(kind::NBCROW);
            let bitmap = out.len();
            out.resize(bitmap + self.bitmap_bytes, 0);
            for (i, value) in values.iter().enumerate() {
                if value.is_null() {
                    out[bitmap + i / 8] |= 1 << (i % 8);
                }
            }
        } else {
            out.push(kind::ROW);
        }
        for (i, (column, value)) in self.columns.iter().zip(values).enumerate() {
            if compressed && value.is_null() {
                continue;
            }
            if let Err(what) = column.put(out, value) {
                out.truncate(start);
                return Err(EncodeError { column: i, what });
            }
        }
        Ok(())
    }
}
