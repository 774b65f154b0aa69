//! What a check finds, and the message that says so.

use taffrail_base::{DatabaseId, HobtId, PageId, SqlError};

use crate::access::Rid;

/// Something that is not as it has to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The heap or tree that was being read.
    pub hobt: HobtId,
    /// Its object; 0: no object's.
    pub object: i32,
    /// The number of its index, `index_id`.
    pub index: i32,
    /// The kind of damage.
    pub what: What,
}

/// See [`Finding`]. Pages named `page` are where the damage shows, which need not be where it is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum What {
    /// 8928: a page could not be read, with the reason: checksum, page number, slots out of range, I/O error.
    Unreadable { page: PageId, why: String },
    /// 8928: something refers to a page that the file does not have.
    NoSuchPage { page: PageId, from: PageId },
    /// 8939: a field of a page's header is wrong.
    Header { page: PageId, test: &'static str, found: i64, expected: i64 },
    /// 8942: a row lies on another.
    Overlap { page: PageId, slot: u16, offset: u16 },
    /// 8944: a row is not well formed.
    Row { page: PageId, slot: u16, test: String, found: i64, expected: i64 },
    /// 8938: a page of another type than its place asks for.
    PageType { page: PageId, kind: u8 },
    /// 8931: a page of another level than its parent asks for.
    Level { page: PageId, level: u8, expected: u8, parent: PageId },
    /// 2534: a page that belongs to another heap or tree, by its header or by the maps.
    Foreign { page: PageId },
    /// 2511: two neighbouring keys of a page in the wrong order.
    KeyOrder { page: PageId, slot: u16 },
    /// 2512: a key that is there twice.
    DuplicateKey { page: PageId, slot: u16 },
    /// 8933: a key below what the parent says of its page.
    LowKey { page: PageId, level: u8, parent: PageId, slot: u16 },
    /// 8934: a key that is not below what the parent says of the next page.
    HighKey { page: PageId, level: u8, parent: PageId, slot: u16 },
    /// 8936: two neighbouring leaves that do not name each other.
    Chain { left: PageId, next: PageId, right: PageId, prev: PageId },
    /// 8937: a page that two entries lead to.
    TwoParents { page: PageId, parent: PageId, slot: u16 },
    /// 2533: a page that is allocated to the heap or tree and that nothing leads to.
    NotSeen { page: PageId },
    /// 8948: a page in use that the PFS page calls free, or the other way round.
    Pfs { page: PageId, pfs: PageId, status: u8, expected: u8 },
    /// 8993: a forwarding stub without its row.
    StubAlone { stub: Rid, to: Rid },
    /// 8994: a forwarded row without its stub.
    ForwardedAlone { row: Rid, stub: Rid },
    /// 8964: a piece of a large value that no row refers to.
    LobAlone { page: PageId, slot: u16, id: u64 },
    /// 8965: a row refers to a piece of a large value that is not there.
    LobMissing { page: PageId, row: Rid },
    /// 8974: a piece of a large value that two rows refer to.
    LobTwice { page: PageId, slot: u16, row: Rid },
    /// 8961: the pieces do not add up to what the row says.
    LobLength { page: PageId, found: u64, expected: u64 },
    /// 2508: the count that is kept of the rows.
    RowCount { kept: u64, counted: u64 },
    /// 8904: an extent that is in two maps.
    ExtentTwice { extent: PageId, other: HobtId },
    /// 8905: an extent in use that is in nobody's map.
    ExtentLost { extent: PageId },
    /// 8903: an extent that is somebody's and called free by the GAM page.
    ExtentFree { extent: PageId, gam: PageId },
    /// 8906: a page that the PFS page calls allocated, of an extent that is nobody's.
    PageLost { page: PageId, pfs: PageId, status: u8 },
    /// 8939: an IAM page is not what the chain asks for.
    Iam { page: PageId, test: &'static str, found: i64, expected: i64 },
}

fn page(p: PageId) -> String {
    format!("({}:{})", p.file.0, p.page)
}

impl Finding {
    /// True for what concerns the allocation of pages and extents, not their content.
    pub fn is_allocation(&self) -> bool {
        matches!(
            self.what,
            What::ExtentTwice { .. }
                | What::ExtentLost { .. }
                | What::ExtentFree { .. }
                | What::PageLost { .. }
                | What::Pfs { .. }
                | What::Iam { .. }
        )
    }

    /// The message. Heap or tree stand for SQL Server's partition and allocation unit.
    pub fn to_sql(&self, database: DatabaseId) -> Box<SqlError> {
        let (o, i, h) = (&self.object, &self.index, &(self.hobt.0 as i64));
        let (rows, lob) = (&"In-row data", &"LOB data");
        match &self.what {
            What::Unreadable { page: p, why } => {
                let mut e = SqlError::new(8928, &[o, i, h, h, rows, &page(*p)]);
                e.message.push_str(&format!(" ({why})"));
                e
            }
            What::NoSuchPage { page: p, from } => {
                let mut e = SqlError::new(8928, &[o, i, h, h, rows, &page(*p)]);
                e.message.push_str(&format!(
                    " (page {} refers to it, beyond the end of the file)",
                    page(*from)
                ));
                e
            }
            What::Header { page: p, test, found, expected }
            | What::Iam { page: p, test, found, expected } => {
                SqlError::new(8939, &[o, i, h, h, rows, &page(*p), test, found, expected])
            }
            What::Overlap { page: p, slot, offset } => {
                let at = format!("{offset:x}");
                SqlError::new(
                    8942,
                    &[o, i, h, h, rows, &page(*p), &"sorted [i].offset >= PAGEHEADSIZE", slot, &at],
                )
            }
            What::Row { page: p, slot, test, found, expected } => SqlError::new(
                8944,
                &[o, i, h, h, rows, &p.file.0, &p.page, slot, test, found, expected],
            ),
            What::PageType { page: p, kind } => {
                SqlError::new(8938, &[&page(*p), o, i, h, h, rows, kind])
            }
            What::Level { page: p, level, expected, parent } => {
                SqlError::new(8931, &[o, i, h, h, rows, &page(*p), level, &page(*parent), expected])
            }
            What::Foreign { page: p } => SqlError::new(2534, &[&page(*p), o, i, h, h, rows]),
            What::KeyOrder { page: p, slot } => {
                SqlError::new(2511, &[o, i, h, h, rows, &page(*p), &slot.saturating_sub(1), slot])
            }
            What::DuplicateKey { page: p, slot } => SqlError::new(
                2512,
                &[o, i, h, h, rows, &page(*p), &slot.saturating_sub(1), &page(*p), slot],
            ),
            What::LowKey { page: p, level, parent, slot } => {
                SqlError::new(8933, &[o, i, h, h, rows, &page(*p), level, &page(*parent), slot])
            }
            What::HighKey { page: p, level, parent, slot } => {
                SqlError::new(8934, &[o, i, h, h, rows, &page(*p), level, &page(*parent), slot])
            }
            What::Chain { left, next, right, prev } => SqlError::new(
                8936,
                &[o, i, h, h, rows, &page(*left), &page(*next), &page(*right), &page(*prev)],
            ),
            What::TwoParents { page: p, parent, slot } => {
                SqlError::new(8937, &[o, i, h, h, rows, &page(*p), &page(*parent), slot])
            }
            What::NotSeen { page: p } => SqlError::new(2533, &[&page(*p), o, i, h, h, rows]),
            What::Pfs { page: p, pfs, status, expected } => {
                let shown = |v: &u8| format!("{v:x}");
                SqlError::new(8948, &[&page(*p), &page(*pfs), &shown(status), &shown(expected)])
            }
            What::StubAlone { stub, to } => {
                SqlError::new(8993, &[o, &page(stub.page), &stub.slot, &page(to.page), &to.slot])
            }
            What::ForwardedAlone { row, stub } => {
                SqlError::new(8994, &[o, &page(row.page), &row.slot, &page(stub.page), &stub.slot])
            }
            What::LobAlone { page: p, slot, id } => {
                SqlError::new(8964, &[o, i, h, h, lob, &page(*p), slot, id])
            }
            What::LobMissing { page: p, row } => SqlError::new(
                8965,
                &[o, i, h, h, lob, &page(*p), &0, &p.to_u64(), &page(row.page), &row.slot],
            ),
            What::LobTwice { page: p, slot, row } => SqlError::new(
                8974,
                &[o, i, h, h, lob, &page(*p), slot, &p.to_u64(), &page(row.page), &row.slot],
            ),
            What::LobLength { page: p, found, expected } => {
                let mut e = SqlError::new(8961, &[o, i, h, h, lob, &page(*p), &0, &p.to_u64()]);
                e.message.push_str(&format!(" ({found} bytes, {expected} by the row)"));
                e
            }
            What::RowCount { kept, counted } => {
                let mut e = SqlError::new(2508, &[&"In-row data row", o, i, h, h, rows]);
                e.message.push_str(&format!(" ({kept} kept, {counted} counted)"));
                e
            }
            What::ExtentTwice { extent, .. } => SqlError::new(8904, &[&page(*extent), &database]),
            What::ExtentLost { extent } => SqlError::new(8905, &[&page(*extent), &database]),
            What::ExtentFree { extent, gam } => {
                SqlError::new(8903, &[&page(*extent), &database, &page(*gam)])
            }
            What::PageLost { page: p, pfs, status } => {
                let status = format!("{status:#x}");
                SqlError::new(8906, &[&page(*p), &database, &page(*pfs), &status])
            }
        }
    }
}
