//! The directory: a B+ tree of its own that says where every heap and tree is.
//!
//! ```text
//! key 1, u64 HobtId (big-endian)    where a heap or tree is: the entry is drawn in docs/engineering/format.md
//! key 2, u64 IAM page (big-endian)  nothing: the extents of this chain are free as soon as the entry's transaction has committed
//! key 3, u64 LOB page (big-endian)  u64 HobtId, u64 the page's identity: the large value that begins here is free as soon as … (the
//!                                   same); without identity: 0
//! key 4, u64 LOB page (big-endian)  u64 HobtId; per page u48 page, u16 1 = all below it too, u64 identity: these pages, of which this is
//!                                   the first, are free as soon as … (the same)
//! key 5, u64 identity (big-endian)  the same list, by the identity of its first: of a page many may be free that are small
//! key 6, u64 file id (big-endian)   what a file is: see [`super::filelist`]
//! ```
//! Entries of key 3, and of 4 with an identity, are of format version 4 and before; they are freed as they are.
//!
//! DROP and TRUNCATE change entries of the first kind and add one of the second, in the user's transaction; after commit, system
//! transactions free what is pending, IAM page by IAM page, and restart does the rest of it after a crash. A rollback takes
//! the pending entry back like any other row.
//!
//! Entries are logged whole, not as differences: "Allocate Root" changes the root of an entry that another transaction, which
//! may roll back, has made or emptied. What such a rollback leaves without an owner becomes pending before the entry goes
//! ([`before_undo`]).

use std::sync::Arc;

use taffrail_base::sync::MutexGuard;
use taffrail_base::{HobtId, IndexId, ObjectId, PageId};
use taffrail_log::{Lcx, Record, RecordFlags};

use super::lob::Freed;
use super::node::{is_ghost, search, split_entry};
use super::{HobtKind, btree, lob};
use crate::codec::{Put, Take};
use crate::database::Database;
use crate::error::{StorageError, StorageResult};
use crate::layout::DIRECTORY;
use crate::txn::work::Work;

const HOBT: u8 = 1;
const PENDING_EXTENTS: u8 = 2;
const PENDING_LOB: u8 = 3;
const PENDING_PAGES: u8 = 4;
const PENDING_VALUES: u8 = 5;
/// Pages of large values that one entry lists at most.
pub(crate) const LISTED_MAX: usize = 32;

/// The bytes that "OrphanedSpace" may append while an entry's row is undone ([`before_undo`]), as
/// payload of a compensation record: begin and commit, the entry whole before and after, the
/// pending row, their headers and slots; and its share of the pages into which the directory splits
/// for pending rows, of which each takes in two hundred or more. And an entry's tail, before and
/// after.
const ORPHANED_BYTES: usize = 640 + 2 * TAIL_MAX;

/// The bytes that the undo of a change of this row reserves besides its compensation record.
pub(crate) fn undo_reserve(hobt: HobtId, context: Lcx, key: &[u8]) -> usize {
    let entry = hobt == DIRECTORY && context != Lcx::IndexInterior && key.first() == Some(&HOBT);
    if entry { ORPHANED_BYTES } else { 0 }
}

/// The file group PRIMARY.
pub(crate) const PRIMARY: u16 = 1;
/// The number of the only partition, or the first.
const FIRST_PARTITION: u16 = 1;
/// Bytes of an entry without its tail.
const FIXED_BYTES: usize = 44;
/// Bytes of a tail at most.
const TAIL_MAX: usize = u8::MAX as usize;

/// Where a heap or tree is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub kind: HobtKind,
    pub object: ObjectId,
    pub index: IndexId,
    pub root: PageId,
    /// Where its pages are allocated.
    pub filegroup: u16,
    pub first_iam: PageId,
    /// Which part of its object's index it is.
    pub partition: u16,
    /// As of the position below.
    pub rows: u64,
    pub counted_at: u64,
    /// The bytes that later features put here, kept by a version that does not know them. At most
    /// [`TAIL_MAX`].
    pub tail: Box<[u8]>,
}

/// A page's id, and a number in the two bytes that it leaves.
fn with_page(page: PageId, number: u16) -> u64 {
    page.to_u64() | u64::from(number) << 48
}

/// The opposite. Format version 2 and before left the two bytes zero, and knew one file group and no partitions: 1, both.
fn page_with(word: u64) -> (PageId, u16) {
    let number = (word >> 48) as u16;
    (PageId::from_u64(word & ((1 << 48) - 1)), if number == 0 { 1 } else { number })
}

impl Entry {
    pub fn new(kind: HobtKind, object: ObjectId, index: IndexId) -> Entry {
        Entry {
            kind,
            object,
            index,
            root: PageId::NONE,
            filegroup: PRIMARY,
            first_iam: PageId::NONE,
            partition: FIRST_PARTITION,
            rows: 0,
            counted_at: 0,
            tail: Box::default(),
        }
    }

    pub fn encode(&self) -> Vec<u8> {
        let tail = u8::try_from(self.tail.len()).expect("a tail has at most 255 bytes");
        let mut b = Vec::with_capacity(FIXED_BYTES + self.tail.len());
        b.bytes(&[self.kind as u8, tail, 0, 0]);
        b.u32(self.object.0 as u32);
        b.u32(self.index.0 as u32);
        b.u64(with_page(self.root, self.filegroup));
        b.u64(with_page(self.first_iam, self.partition));
        b.u64(self.rows);
        b.u64(self.counted_at);
        b.bytes(&self.tail);
        b
    }

    pub fn decode(b: &[u8]) -> Option<Entry> {
        let mut t = Take(b);
        let head = t.bytes(4)?;
        let kind = match head[0] {
            0 => HobtKind::Heap,
            1 => HobtKind::BTree,
            _ => return None,
        };
        let (object, index) = (ObjectId(t.u32()? as i32), IndexId(t.u32()? as i32));
        let (root, filegroup) = page_with(t.u64()?);
        let (first_iam, partition) = page_with(t.u64()?);
        let (rows, counted_at) = (t.u64()?, t.u64()?);
        let tail = t.bytes(head[1].into())?.into();
        let whole = t.is_empty();
        let entry = Entry {
            kind,
            object,
            index,
            root,
            filegroup,
            first_iam,
            partition,
            rows,
            counted_at,
            tail,
        };
        whole.then_some(entry)
    }
}

/// The key of a HoBt's entry.
pub(crate) fn hobt_key(id: HobtId) -> Key {
    key(HOBT, id.0)
}

/// The key of an entry.
pub(crate) type Key = [u8; 9];

fn key(kind: u8, id: u64) -> Key {
    let mut k = [kind; 9];
    k[1..].copy_from_slice(&id.to_be_bytes());
    k
}

fn parse_key(k: &[u8]) -> Option<(u8, u64)> {
    let (&kind, id) = k.split_first()?;
    Some((kind, u64::from_be_bytes(id.try_into().ok()?)))
}

/// A key that [`parse_key`] has parsed.
fn key_of(k: &[u8]) -> Key {
    k.try_into().expect("a kind and a number")
}

/// The HoBt whose entry has this key.
pub(crate) fn hobt_of_key(k: &[u8]) -> Option<HobtId> {
    parse_key(k).filter(|(kind, _)| *kind == HOBT).map(|(_, id)| HobtId(id))
}

/// Reads the entry of a heap or tree.
pub(crate) fn read(db: &Arc<Database>, id: HobtId) -> StorageResult<Option<Entry>> {
    let directory = db.directory();
    let leaf = btree::leaf_for_read(db, &directory, &hobt_key(id))?;
    let Ok(slot) = search(&leaf, &hobt_key(id)) else { return Ok(None) };
    if is_ghost(&leaf, slot) {
        return Ok(None);
    }
    match Entry::decode(split_entry(leaf.row(slot)).1) {
        Some(entry) => Ok(Some(entry)),
        None => Err(db.store.corrupt(leaf.id(), format!("malformed directory entry of {id}"))),
    }
}

/// Changes an entry in place, as part of `work`.
pub(crate) fn update(
    db: &Arc<Database>,
    work: &mut Work,
    id: HobtId,
    f: impl FnOnce(&mut Entry),
) -> StorageResult<()> {
    change(db, work, id, RecordFlags::USER_1, f)
}

/// Writes a row count into an entry. Never undone: redo counts on from what it finds written.
pub(crate) fn update_count(
    db: &Arc<Database>,
    work: &mut Work,
    id: HobtId,
    f: impl FnOnce(&mut Entry),
) -> StorageResult<()> {
    change(db, work, id, RecordFlags::USER_1.with(RecordFlags::REDO_ONLY), f)
}

fn change(
    db: &Arc<Database>,
    work: &mut Work,
    id: HobtId,
    flags: RecordFlags,
    f: impl FnOnce(&mut Entry),
) -> StorageResult<()> {
    let directory = db.directory();
    let mut leaf = btree::leaf_for_write(db, &directory, &hobt_key(id))?;
    let found = search(&leaf, &hobt_key(id)).ok().filter(|&slot| !is_ghost(&leaf, slot));
    let Some(slot) = found else {
        return Err(StorageError::NoSuchHobt(id));
    };
    let Some(mut entry) = Entry::decode(split_entry(leaf.row(slot)).1) else {
        return Err(db.store.corrupt(leaf.id(), format!("malformed directory entry of {id}")));
    };
    f(&mut entry);
    btree::modify_entry(work, &directory, &mut leaf, slot, &entry.encode(), flags)
}

pub(crate) fn set_root(
    db: &Arc<Database>,
    work: &mut Work,
    id: HobtId,
    root: PageId,
    first_iam: PageId,
) -> StorageResult<()> {
    update(db, work, id, |e| {
        e.root = root;
        e.first_iam = first_iam;
    })
}

/// Adds the entry of a heap or tree.
pub(crate) fn insert(
    db: &Arc<Database>,
    work: &mut Work,
    id: HobtId,
    e: &Entry,
) -> StorageResult<()> {
    btree::insert_entry(work, &db.directory(), &hobt_key(id), &e.encode(), 0, true)
}

/// Removes the entry of a heap or tree.
pub(crate) fn remove(db: &Arc<Database>, work: &mut Work, id: HobtId) -> StorageResult<()> {
    if btree::ghost_entry(work, &db.directory(), &hobt_key(id), 0)? {
        Ok(())
    } else {
        Err(StorageError::NoSuchHobt(id))
    }
}

/// Notes that a chain of IAM pages is to be freed once `work` has committed.
pub(crate) fn add_pending(db: &Arc<Database>, work: &mut Work, iam: PageId) -> StorageResult<()> {
    btree::insert_entry(work, &db.directory(), &key(PENDING_EXTENTS, iam.to_u64()), &[], 0, true)
}

/// Notes that large values, or pages of them, are to be freed once `work` has committed: one at least, [`LISTED_MAX`] at most.
pub(crate) fn add_pending_pages(
    db: &Arc<Database>,
    work: &mut Work,
    hobt: HobtId,
    pages: &[Freed],
) -> StorageResult<Pending> {
    let first = pages.first().ok_or(StorageError::Misuse("nothing is to be freed"))?;
    let k = match first.id {
        // Of format version 1, and alone on its page.
        0 => key(PENDING_PAGES, first.page.to_u64()),
        id => key(PENDING_VALUES, id),
    };
    btree::insert_entry(work, &db.directory(), &k, &list(hobt, pages), 0, true)?;
    Ok(Pending::Pages(k, hobt, pages.into()))
}

fn list(hobt: HobtId, pages: &[Freed]) -> Vec<u8> {
    let mut value = Vec::with_capacity(8 + pages.len() * 16);
    value.u64(hobt.0);
    for freed in pages {
        value.u64(with_page(freed.page, u16::from(freed.whole)));
        value.u64(freed.id);
    }
    value
}

/// The pages in a row of the directory that wait to be freed, and their heap or tree.
fn listed(value: &[u8]) -> Option<(HobtId, Box<[Freed]>)> {
    let mut t = Take(value);
    let hobt = HobtId(t.u64()?);
    let mut pages = Vec::new();
    while !t.is_empty() {
        let word = t.u64()?;
        let page = PageId::from_u64(word & ((1 << 48) - 1));
        pages.push(Freed { page, id: t.u64()?, whole: word >> 48 != 0 });
    }
    Some((hobt, pages.into()))
}

/// Something that waits to be freed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Pending {
    Extents(PageId),
    /// Large values, or pages of them, and the key of the entry that lists them.
    Pages(Key, HobtId, Box<[Freed]>),
}

/// Puts into the list what is pending in the directory: when no transaction is active, so that all of it may be freed.
pub(crate) fn load_pending(db: &Arc<Database>) -> StorageResult<()> {
    if db.part.get().is_some() {
        return Ok(());
    }
    let out = pending(db)?;
    // What rollbacks have listed is in the directory too.
    *db.pending_after_rollback.lock() = out;
    Ok(())
}

/// All that is pending in the directory, whatever transaction listed it.
pub(crate) fn pending(db: &Arc<Database>) -> StorageResult<Vec<Pending>> {
    let mut out = Vec::new();
    btree::for_each_entry(db, &db.directory(), &[PENDING_EXTENTS], &mut |k, v| {
        match parse_key(k) {
            Some((PENDING_EXTENTS, id)) => out.push(Pending::Extents(PageId::from_u64(id))),
            Some((PENDING_LOB, id)) => {
                let mut v = Take(v);
                let hobt = HobtId(v.u64().unwrap_or(0));
                let (page, id) = (PageId::from_u64(id), v.u64().unwrap_or(0));
                let value = [Freed { page, id, whole: true }];
                out.push(Pending::Pages(key_of(k), hobt, value.into()));
            }
            Some((PENDING_PAGES | PENDING_VALUES, _)) => {
                let pages = listed(v);
                out.extend(pages.map(|(hobt, pages)| Pending::Pages(key_of(k), hobt, pages)));
            }
            _ => {}
        }
        true
    })?;
    Ok(out)
}

/// All HoBts with their entries.
pub(crate) fn entries(db: &Arc<Database>) -> StorageResult<Vec<(HobtId, Entry)>> {
    let (mut out, mut malformed) = (Vec::new(), None);
    btree::for_each_entry(db, &db.directory(), &[HOBT], &mut |k, v| match parse_key(k) {
        Some((HOBT, id)) => {
            match Entry::decode(v) {
                Some(e) => out.push((HobtId(id), e)),
                None => malformed = Some(HobtId(id)),
            }
            true
        }
        _ => false,
    })?;
    if let Some(id) = malformed {
        // Says where, and that it is damage.
        out.extend(read(db, id)?.map(|e| (id, e)));
    }
    Ok(out)
}

/// Frees what committed transactions have left to be freed, as far as that can be done now: what is left stays in the list, and the
/// first error says why.
///
/// Large values first: their pages may lie in extents that are pending too, and must not be freed after these have become another's. For
/// the same reason no extents are freed while a large value is left.
pub(crate) fn free_all_pending(db: &Arc<Database>) -> StorageResult<()> {
    let _one_at_a_time = db.dropping.lock();
    let mut todo = std::mem::take(&mut *db.pending_after_rollback.lock());
    todo.sort_by_key(|p| matches!(p, Pending::Extents(_)));
    let (mut result, mut lob_left) = (Ok(()), false);
    for mut what in todo {
        let extents = matches!(what, Pending::Extents(_));
        let freed = if extents && lob_left { Ok(false) } else { free_pending(db, &mut what) };
        match freed {
            Ok(true) => continue,
            Ok(false) => {}
            Err(e) => {
                lob_left |= !extents;
                result = result.and(Err(e));
            }
        }
        db.pending_after_rollback.lock().push(what);
    }
    result
}

/// Frees one, a system transaction per IAM page; true: all of it. On error `what` says where to go on: the pages before may be
/// another's by then.
fn free_pending(db: &Arc<Database>, what: &mut Pending) -> StorageResult<bool> {
    match what {
        Pending::Extents(iam) => {
            while !iam.is_none() {
                let k = key(PENDING_EXTENTS, iam.to_u64());
                if !btree::entry_exists(db, &db.directory(), &k)? {
                    return Ok(true);
                }
                let mut work = Work::system(db, "DeferredDrop");
                let done = db.free_iam(&mut work, *iam, |work, next| {
                    btree::remove_entry(work, &db.directory(), &k)?;
                    if next.is_none() { Ok(()) } else { add_pending(db, work, next) }
                });
                match done {
                    Ok((next, extents)) => {
                        work.commit_system()?;
                        drop(extents);
                        db.extents_freed(0);
                        *iam = next;
                    }
                    Err(e) => {
                        db.abort_system(work, Vec::new());
                        return Err(e);
                    }
                }
            }
            Ok(true)
        }
        Pending::Pages(k, hobt, pages) => {
            free_pages(db, k, |work| lob::free_listed(db, work, *hobt, pages))
        }
    }
}

/// Frees what the entry with this key is about, as `f` does.
fn free_pages(
    db: &Arc<Database>,
    k: &[u8],
    f: impl FnOnce(&mut Work) -> StorageResult<()>,
) -> StorageResult<bool> {
    if !btree::entry_exists(db, &db.directory(), k)? {
        return Ok(true);
    }
    let mut work = Work::system(db, "DropLob");
    let done = f(&mut work).and_then(|()| btree::remove_entry(&mut work, &db.directory(), k));
    match done {
        Ok(()) => work.commit_system().map(|()| true),
        Err(e) => {
            db.abort_system(work, Vec::new());
            Err(e)
        }
    }
}

/// Called before a row of the directory is undone: space that the entry names now, and that it will not name afterwards, becomes
/// pending.
pub(crate) fn before_undo(work: &mut Work, r: &Record<'_>, k: &[u8]) -> StorageResult<()> {
    let Some((HOBT, id)) = parse_key(k).filter(|_| r.header.hobt == DIRECTORY && !work.system)
    else {
        return Ok(());
    };
    let db = work.db.clone();
    let id = HobtId(id);
    let Some(entry) = read(&db, id)? else { return Ok(()) };
    if entry.first_iam.is_none() {
        return Ok(());
    }
    let mut sys = work.nested("OrphanedSpace");
    sys.in_rollback = true;
    let done = (|| {
        update(&db, &mut sys, id, |e| {
            e.root = PageId::NONE;
            e.first_iam = PageId::NONE;
        })?;
        add_pending(&db, &mut sys, entry.first_iam)
    })();
    match done {
        Ok(()) => {
            sys.commit_system()?;
            db.pending_after_rollback.lock().push(Pending::Extents(entry.first_iam));
            Ok(())
        }
        Err(e) => {
            db.abort_system(sys, Vec::new());
            Err(e)
        }
    }
}

/// While a row of the directory is undone, and its run-time handle follows, nobody writes a row count into it.
pub(crate) fn counts_stand<'d>(db: &'d Database, r: &Record<'_>) -> Option<MutexGuard<'d, ()>> {
    (r.header.hobt == DIRECTORY).then(|| db.counts.lock())
}

/// Called after a row of the directory was undone: the run-time handle follows.
pub(crate) fn after_undo(db: &Arc<Database>, r: &Record<'_>, k: &[u8]) -> StorageResult<()> {
    debug_assert!(!r.header.flags.contains(RecordFlags::REDO_ONLY));
    if r.header.hobt != DIRECTORY {
        return Ok(());
    }
    if let Some((HOBT, id)) = parse_key(k) {
        db.refresh_hobt(HobtId(id))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Entry {
        Entry {
            root: PageId::new(1, 0x0403_0201),
            first_iam: PageId::new(1, 160),
            rows: 7,
            counted_at: 4097,
            ..Entry::new(HobtKind::BTree, ObjectId(-5), IndexId(256_000))
        }
    }

    #[test]
    fn an_entry_is_what_is_drawn() {
        let e = Entry { filegroup: 2, partition: 3, tail: [7; 5].into(), ..sample() };
        let fields: [(&str, &[u8]); 12] = [
            ("kind", &[1]),
            ("length of the tail", &[5]),
            ("zero", &[0; 2]),
            ("object", &(-5i32).to_le_bytes()),
            ("index", &256_000i32.to_le_bytes()),
            ("root", &[1, 2, 3, 4, 1, 0]),
            ("file group", &2u16.to_le_bytes()),
            ("first IAM page", &[160, 0, 0, 0, 1, 0]),
            ("partition", &3u16.to_le_bytes()),
            ("rows", &7u64.to_le_bytes()),
            ("counted at", &4097u64.to_le_bytes()),
            ("tail", &[7; 5]),
        ];
        crate::drawn::check("directory-entry", &e.encode(), &fields);
    }

    #[test]
    fn a_list_of_pages_is_what_is_drawn() {
        let freed = |page, whole| Freed { page: PageId::new(1, page), id: 0x0605_0403, whole };
        let pages = [freed(77, true), freed(78, false)];
        let bytes = list(HobtId(72), &pages);
        let fields: [(&str, &[u8]); 5] = [
            ("HoBt", &72u64.to_le_bytes()),
            ("page", &[77, 0, 0, 0, 1, 0]),
            ("how much", &[1, 0]),
            ("identity", &0x0605_0403_u64.to_le_bytes()),
            ("pages", &bytes[24..]),
        ];
        crate::drawn::check("pending-pages", &bytes, &fields);
        assert_eq!(listed(&bytes), Some((HobtId(72), pages.into())));
        assert_eq!(listed(&bytes[..30]), None);
    }

    #[test]
    fn entries_survive_with_what_is_not_known_of_them() {
        for tail in [&[][..], &[1u8, 2, 3], &[9; 255]] {
            let e = Entry { filegroup: 3, partition: 15_000, tail: tail.into(), ..sample() };
            let bytes = e.encode();
            assert_eq!(bytes.len(), FIXED_BYTES + tail.len());
            assert_eq!(Entry::decode(&bytes).unwrap(), e);
            for cut in 0..bytes.len() {
                assert!(Entry::decode(&bytes[..cut]).is_none());
            }
            assert!(Entry::decode(&[&bytes[..], &[0]].concat()).is_none());
        }
    }

    #[test]
    fn an_entry_of_format_version_2_lies_in_the_primary_file_group() {
        let mut bytes = sample().encode();
        // The two numbers are all that it did not have.
        bytes[18..20].fill(0);
        bytes[26..28].fill(0);
        let mut old = vec![1, 0, 0, 0];
        old.u32(-5i32 as u32);
        old.u32(256_000);
        old.u64(PageId::new(1, 0x0403_0201).to_u64());
        old.u64(PageId::new(1, 160).to_u64());
        old.u64(7);
        old.u64(4097);
        assert_eq!(bytes, old);
        assert_eq!(Entry::decode(&old).unwrap(), sample());
    }
}
