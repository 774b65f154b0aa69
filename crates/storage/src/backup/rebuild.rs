//! A database from a backup set alone.
//!
//! 1. A new database is made, with the set's sizes and the options and ids of its boot page.
//! 2. The set's pages are written over it, and the set's log is redone on them, each record exactly as restart would.
//! 3. Pages lose their LSNs: those belong to the old log, and the new one begins anew.
//! 4. What had not committed at the set's end is undone from the set's records, logged in the new log; then a checkpoint.
//!
//! The new database has a GUID of its own: it is a new one, not the old at another time. (Going on with the old log chain is what a
//! RESTORE of log backups needs; it takes the log's own blocks.)

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use taffrail_base::{DatabaseId, LogPos, PAGE_BYTES, PageId};
use taffrail_log::{Lop, OwnedRecord, Record};

use super::container::{self, Kind, damaged, read_set};
use crate::access::directory;
use crate::access::record::{self, xact};
use crate::buffer::WriteGuard;
use crate::codec::Take;
use crate::database::{CheckpointKind, CreateSpec, Database};
use crate::error::StorageResult;
use crate::instance::StorageInstance;
use crate::layout::{EXTENT_PAGES, gam_of, pfs_of};
use crate::page::Page;
use crate::recovery::{Analysis, Boot, boot_id_of};
use crate::txn::work::Work;

/// Makes a database from the `position`-th set (from 1) of a backup file. `spec` says where the files go; sizes and options are the
/// set's.
pub fn rebuild(
    instance: &Arc<StorageInstance>,
    id: DatabaseId,
    name: &str,
    spec: &CreateSpec,
    backup: &Path,
    position: usize,
) -> StorageResult<Arc<Database>> {
    let env = instance.env.clone();
    let mut head: Option<Boot> = None;
    read_set(&env, backup, position, &mut |kind, content| {
        if kind == Kind::Header {
            head = Some(parse_header(content).ok_or_else(|| damaged(backup))?);
        }
        Ok(())
    })?;
    let boot = head.ok_or_else(|| damaged(backup))?;
    let mut spec = spec.clone();
    spec.options = boot.options.clone();
    for (file, saved) in spec.data_files.iter_mut().zip(&boot.files) {
        file.size = u64::from(saved.pages) * PAGE_BYTES as u64;
        file.growth = saved.growth;
        file.max_size = saved.max_size;
    }
    let db = Database::create(instance, id, name, &spec)?;
    let filled = fill(&db, backup, position, &boot);
    if let Err(e) = filled {
        db.mark_suspect("the backup could not be read to its end");
        db.close()?;
        db.delete_files()?;
        return Err(e);
    }
    Ok(db)
}

fn parse_header(content: &[u8]) -> Option<Boot> {
    let mut t = Take(content);
    let features = t.u64()?;
    if features & !super::SET_FEATURES != 0 {
        return None;
    }
    t.text()?;
    t.u64()?;
    let mut page = Page::zeroed();
    page.bytes_mut().copy_from_slice(t.bytes(PAGE_BYTES)?);
    let id = boot_id_of(&page)?;
    Boot::decode(&mut page, id).ok()
}

fn fill(db: &Arc<Database>, backup: &Path, position: usize, boot: &Boot) -> StorageResult<()> {
    let store = &db.store;
    // Nothing that the pool holds of the new database is true any more, and nothing is dirty: its creation ended with a checkpoint.
    db.forget_hobts();
    let mut analysis = Analysis::new(boot);
    let mut records: HashMap<LogPos, OwnedRecord> = HashMap::new();
    let mut order: Vec<LogPos> = Vec::new();
    // Of each page, the LSN in the old log.
    let mut lsns: HashMap<PageId, LogPos> = HashMap::new();
    read_set(&db.instance.env, backup, position, &mut |kind, content| {
        match kind {
            Kind::Pages => {
                for bytes in content.chunks_exact(PAGE_BYTES) {
                    let mut page = Page::zeroed();
                    page.bytes_mut().copy_from_slice(bytes);
                    let id = page.id();
                    page.validate(id).map_err(|_| damaged(backup))?;
                    let mut guard = db.pool().write_unread(store, id)?;
                    guard.will_change(store);
                    guard.bytes_mut().copy_from_slice(page.bytes());
                    // Its own LSN would be ahead of the new log: kept aside until redo is through.
                    lsns.insert(id, guard.lsn());
                    guard.set_lsn(LogPos::ZERO);
                }
            }
            Kind::Records => {
                let mut t = Take(content);
                while !t.is_empty() {
                    let r = container::take_record(&mut t).ok_or_else(|| damaged(backup))?;
                    analysis.see(&as_record(&r));
                    order.push(r.pos);
                    records.insert(r.pos, r);
                }
            }
            Kind::Header | Kind::End => {}
        }
        Ok(())
    })?;
    for pos in order {
        if pos >= boot.scan_from {
            redo(db, &mut lsns, &as_record(&records[&pos]))?;
        }
    }
    db.txns.seen(analysis.highest());
    db.next_hobt.fetch_max(boot.next_hobt, Ordering::Relaxed);
    for (id, _) in directory::entries(db)? {
        db.next_hobt.fetch_max(id.0 + 1, Ordering::Relaxed);
    }
    db.extents_freed(0);
    undo(db, &analysis, &records)?;
    directory::load_pending(db)?;
    directory::free_all_pending(db)?;
    check_maps(db, &lsns)?;
    recount(db)?;
    db.checkpoint(CheckpointKind::Internal)
}

fn as_record(r: &OwnedRecord) -> Record<'_> {
    Record { pos: r.pos, header: r.header, payload: &r.payload }
}

fn redo(
    db: &Arc<Database>,
    lsns: &mut HashMap<PageId, LogPos>,
    r: &Record<'_>,
) -> StorageResult<()> {
    let store = &db.store;
    if r.header.op == Lop::FileHdrModify {
        if let Some((id, pages)) = xact::parse_file_size(r)
            && let Some(file) = store.file(id)
        {
            let now = file.pages.load(Ordering::Acquire);
            if pages > now {
                db.reserve_file(&file, now, pages)?;
                file.pages.store(pages, Ordering::Release);
            }
        }
        return Ok(());
    }
    if !record::changes_page(r.header.op) {
        return Ok(());
    }
    let id = r.header.page;
    let had = lsns.get(&id).copied();
    if had.is_some_and(|lsn| lsn >= r.pos) {
        return Ok(());
    }
    let bad = |what: String| store.corrupt(id, format!("rebuilding from a backup: {what}"));
    let mut page: WriteGuard<'_> = match (r.header.op, had) {
        (Lop::FormatPage, _) => db.pool().write_unread(store, id)?,
        (_, Some(lsn)) if lsn == r.header.prev_page => db.pool().write(store, id)?,
        // Freed before the copy reached it: a later record formats it, or nobody looks at it.
        (_, None) => return Ok(()),
        _ => return Err(bad("a record is missing".to_owned())),
    };
    page.will_change(store);
    record::redo(&mut page, r).map_err(bad)?;
    page.set_lsn(LogPos::ZERO);
    lsns.insert(id, r.pos);
    Ok(())
}

/// Undoes what had not ended: system transactions by latest record first, then the others, as restart does.
fn undo(
    db: &Arc<Database>,
    analysis: &Analysis,
    records: &HashMap<LogPos, OwnedRecord>,
) -> StorageResult<()> {
    for system in [true, false] {
        let mut at: BTreeMap<LogPos, Work> = analysis
            .losers()
            .filter(|t| t.system == system)
            .map(|t| (t.undo_next, Work::system(db, "RestoreUndo")))
            .collect();
        while let Some((pos, mut work)) = at.pop_last() {
            let Some(r) = records.get(&pos) else {
                if !pos.is_zero() {
                    return Err(db
                        .store
                        .corrupt(PageId::NONE, "a backup's log is too short".into()));
                }
                if work.has_begun() {
                    work.append_end(Lop::CommitXact)?;
                    work.leave();
                }
                continue;
            };
            let next = if r.header.is_compensation() {
                r.header.undo_next
            } else {
                // The chain belongs to the old log: the compensation must not point into it.
                let mut r = as_record(r);
                let prev = std::mem::replace(&mut r.header.prev, LogPos::ZERO);
                work.system = system;
                record::undo(&mut work, &mut [], &r)?;
                prev
            };
            if next.is_zero() {
                if work.has_begun() {
                    work.append_end(Lop::CommitXact)?;
                    work.leave();
                }
            } else {
                at.insert(next, work);
            }
        }
        db.free_orphans();
    }
    Ok(())
}

/// Every extent that is somebody's has its PFS and GAM pages from the set or its log: those of a new file would call its pages free.
fn check_maps(db: &Arc<Database>, lsns: &HashMap<PageId, LogPos>) -> StorageResult<()> {
    for (id, entry) in directory::entries(db)? {
        let mut iam = entry.first_iam;
        while !iam.is_none() {
            let (runs, start, next) = db.read_iam(iam, id)?;
            for extent in runs.into_iter().flat_map(|(first, count)| first..first + count) {
                let first = PageId { file: iam.file, page: start + extent * EXTENT_PAGES };
                for map in [pfs_of(first).0, gam_of(first)] {
                    if !lsns.contains_key(&map) {
                        return Err(db.store.corrupt(map, "the backup set lacks this page".into()));
                    }
                }
            }
            iam = next;
        }
    }
    Ok(())
}

/// Row counts are counted: the set's were of many moments.
fn recount(db: &Arc<Database>) -> StorageResult<()> {
    for (id, entry) in directory::entries(db)? {
        if !entry.root.is_none() {
            let hobt = db.hobt(id)?;
            let rows = crate::access::count_rows(db, &hobt)?;
            hobt.add_rows(rows as i64 - hobt.row_count() as i64);
            hobt.counts_changed();
        }
    }
    Ok(())
}
