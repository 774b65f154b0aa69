//! Rows of a scan as they are stored, for copies: bytes first, values when they are asked for.

use super::{Cursor, Large, ScanOp, err, version_gone};
use crate::exec::runtime::Rt;
use crate::rowcodec::TableLobs;
use crate::rowcodec::unlocked::UnlockedLobs;
use taffrail_base::SqlResult;
use taffrail_storage::lob;
use taffrail_types::Value;

impl ScanOp {
    /// All values of the row that [`ScanOp::next_raw`] gave last: `row`, which is read again if its large values have gone. False: so
    /// has the row.
    pub fn decode(
        &mut self,
        rt: &mut Rt<'_>,
        row: &mut Vec<u8>,
        out: &mut Vec<Value>,
    ) -> SqlResult<bool> {
        let (scan, hobt) = (&*self.scan, self.scan.table.base().hobt()?);
        let layout = &scan.table.layout;
        let tx = rt.cx.session.part(scan.database.id);
        out.clear();
        if self.large == Large::Kept {
            layout.decode(row, out, &mut TableLobs { tx, hobt })?;
            return Ok(true);
        }
        let mut lobs = UnlockedLobs::new(tx, hobt);
        match layout.decode(row, out, &mut lobs) {
            Ok(()) => return Ok(true),
            Err(_) if lobs.gone && self.large == Large::Copied => out.clear(),
            Err(_) if lobs.gone && self.large == Large::OfSnapshot => {
                return Err(version_gone(rt, scan));
            }
            Err(e) => return Err(e),
        }
        let locator = match &self.cursor {
            Cursor::Heap(c) => c.rid().to_bytes().to_vec(),
            Cursor::Clustered(c) => c.key().to_vec(),
            Cursor::Closed | Cursor::Nonclustered(_) | Cursor::Marked(_) => return Ok(false),
        };
        let tx = rt.cx.session.part(scan.database.id);
        let decoded = lob::with_row(tx, hobt, &locator, row, |tx, row| {
            layout.decode(row, out, &mut TableLobs { tx, hobt })
        });
        decoded.map_err(|e| err(rt, scan, e))?.transpose().map(|there| there.is_some())
    }

    /// The next row's bytes, for a copy of rows; the filter is not checked.
    pub(crate) fn next_raw(&mut self, rt: &mut Rt<'_>) -> SqlResult<Option<&[u8]>> {
        rt.tick()?;
        let tx = rt.cx.session.part(self.scan.database.id);
        match &mut self.cursor {
            Cursor::Closed | Cursor::Nonclustered(_) | Cursor::Marked(_) => Ok(None),
            Cursor::Heap(c) => Ok(c.next(tx).map_err(|e| e.to_sql())?.map(|(_, row)| row)),
            Cursor::Clustered(c) => Ok(c.next(tx).map_err(|e| e.to_sql())?.map(|(_, row)| row)),
        }
    }
}
