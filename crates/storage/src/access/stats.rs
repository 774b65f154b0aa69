//! How full the pages of a heap or tree are, and how scattered: what `sys.dm_db_index_physical_stats` tells.
//!
//! A tree is read level by level, each level's pages by the entries of the one above, a page at a time under its shared latch, without
//! locks. Pages that have gone meanwhile are left out. The order of the leaves is in the level above them, so without
//! [`StatsMode::Detailed`] no leaf need be read.

use std::sync::Arc;

use taffrail_base::{HobtId, PageId};

use super::node::{FORWARDED, FORWARDING, child_at, is_ghost};
use super::{Hobt, HobtKind};
use crate::buffer::Access;
use crate::database::Database;
use crate::error::{StorageError, StorageResult};
use crate::layout::EXTENT_PAGES;
use crate::lock::LockError;
use crate::page::{MAX_ROW_BYTES, Page, PageType, SLOT_BYTES};

/// How much is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StatsMode {
    /// The pages above the leaves; of a heap, the allocation maps.
    Limited,
    /// Leaves or heap pages too, but only that level is told of.
    Sampled,
    /// All pages are read.
    Detailed,
}

/// One level of a tree, or a heap.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LevelStats {
    /// 0 for leaves and heaps.
    pub level: u8,
    /// The number of pages.
    pub pages: u64,
    /// Steps to the next page in the order of keys (of a heap: to the next extent) that do not lead to the next one of the level in the
    /// order of pages.
    pub stray: u64,
    /// Steps there are: [`LevelStats::stray`] is of these.
    pub steps: u64,
    /// Runs of pages that follow each other on disk and in the order of keys.
    pub fragments: u64,
    /// The rest: none without having read the pages.
    pub content: Option<Content>,
}

/// The content of the pages of a level.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Content {
    /// Bytes of rows and slots.
    pub used: u64,
    /// The bytes that rows and slots can take.
    pub room: u64,
    /// The number of rows, ghosts aside.
    pub records: u64,
    /// The number of deleted rows, still on their pages.
    pub ghosts: u64,
    /// The bytes of the shortest row.
    pub shortest: u32,
    /// The bytes of the longest row.
    pub longest: u32,
    /// The bytes of all rows.
    pub bytes: u64,
    /// Stubs of heap rows that are elsewhere.
    pub forwarded: u64,
}

impl Content {
    fn add(&mut self, page: &Page) {
        let full = (MAX_ROW_BYTES + SLOT_BYTES) as u64;
        self.room += full;
        self.used += full - u64::from(page.free_bytes());
        let heap = page.kind() == Some(PageType::Heap);
        for slot in (0..page.slots() as usize).filter(|&i| page.has_row(i)) {
            let row = page.row(slot);
            let flags = row.first().copied().unwrap_or(0);
            if is_ghost(page, slot) {
                self.ghosts += 1;
                continue;
            }
            if heap && flags & FORWARDING != 0 {
                self.forwarded += 1;
            }
            // A row that was forwarded counts where it is named: at its stub.
            if heap && flags & FORWARDED != 0 {
                continue;
            }
            let len = row.len() as u32;
            self.shortest = if self.records == 0 { len } else { self.shortest.min(len) };
            self.longest = self.longest.max(len);
            self.bytes += u64::from(len);
            self.records += 1;
        }
    }
}

/// A heap or tree.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct IndexStats {
    /// Levels, 0 without pages; 1 for a heap.
    pub depth: u8,
    /// From the leaves up; only the leaves unless everything was read.
    pub levels: Vec<LevelStats>,
}

impl Database {
    /// Reads how a heap or tree lies on its pages. `give_up` is asked now and then.
    pub fn physical_stats(
        self: &Arc<Self>,
        id: HobtId,
        mode: StatsMode,
        give_up: &mut dyn FnMut() -> bool,
    ) -> StorageResult<IndexStats> {
        let hobt = self.hobt(id)?;
        if !hobt.has_pages() {
            return Ok(IndexStats::default());
        }
        match hobt.kind() {
            HobtKind::BTree => self.tree_stats(&hobt, mode, give_up),
            HobtKind::Heap => self.heap_stats(&hobt, mode, give_up),
        }
    }

    fn tree_stats(
        &self,
        hobt: &Hobt,
        mode: StatsMode,
        give_up: &mut dyn FnMut() -> bool,
    ) -> StorageResult<IndexStats> {
        let mut pages = vec![hobt.root()];
        let root = self.pool().read(&self.store, hobt.root())?;
        if root.kind() != Some(PageType::Index) || root.hobt() != hobt.id() {
            // Truncated or dropped meanwhile.
            return Ok(IndexStats::default());
        }
        let mut level = root.level();
        drop(root);
        let depth = level + 1;
        let mut levels = Vec::new();
        loop {
            let mut stats = LevelStats { level, ..LevelStats::default() };
            if level == 0 && mode == StatsMode::Limited {
                order(&pages, &mut stats);
                levels.push(stats);
                break;
            }
            let mut content = Content::default();
            let (mut here, mut below) = (Vec::with_capacity(pages.len()), Vec::new());
            for &id in &pages {
                if give_up() {
                    return Err(StorageError::Lock(LockError::Cancelled));
                }
                let page = self.pool().read_for(&self.store, id, Access::Scan)?;
                let there = page.kind() == Some(PageType::Index)
                    && page.hobt() == hobt.id()
                    && page.level() == level;
                if !there {
                    continue;
                }
                here.push(id);
                content.add(&page);
                if level > 0 {
                    let slots = page.slots() as usize;
                    below.extend((0..slots).filter_map(|slot| child_at(&page, slot)));
                }
            }
            order(&here, &mut stats);
            stats.content = Some(content);
            if level == 0 || mode == StatsMode::Detailed {
                levels.push(stats);
            }
            if level == 0 {
                break;
            }
            pages = below;
            level -= 1;
        }
        levels.reverse();
        Ok(IndexStats { depth, levels })
    }

    fn heap_stats(
        &self,
        hobt: &Hobt,
        mode: StatsMode,
        give_up: &mut dyn FnMut() -> bool,
    ) -> StorageResult<IndexStats> {
        let mut stats = LevelStats::default();
        let mut content = Content::default();
        let mut last: Option<PageId> = None;
        let mut iam = hobt.first_iam();
        while !iam.is_none() {
            let (runs, start, next) = self.read_iam(iam, hobt.id())?;
            for extent in runs.into_iter().flat_map(|(first, n)| first..first + n) {
                let first = PageId { file: iam.file, page: start + extent * EXTENT_PAGES };
                stats.steps += u64::from(last.is_some());
                if last.is_none_or(|l| l.file != first.file || l.page + EXTENT_PAGES != first.page)
                {
                    stats.stray += u64::from(last.is_some());
                    stats.fragments += 1;
                }
                last = Some(first);
                for id in self.allocated(first)?.into_iter().filter(|id| *id != iam) {
                    if give_up() {
                        return Err(StorageError::Lock(LockError::Cancelled));
                    }
                    if mode == StatsMode::Limited {
                        // Pages of large values among them are not told apart without being read.
                        stats.pages += 1;
                        continue;
                    }
                    let page = self.pool().read_for(&self.store, id, Access::Scan)?;
                    if page.kind() == Some(PageType::Heap) && page.hobt() == hobt.id() {
                        stats.pages += 1;
                        content.add(&page);
                    }
                }
            }
            iam = next;
        }
        stats.content = (mode != StatsMode::Limited).then_some(content);
        Ok(IndexStats { depth: 1, levels: vec![stats] })
    }
}

/// Pages in the order of keys against their order on disk.
fn order(pages: &[PageId], stats: &mut LevelStats) {
    stats.pages = pages.len() as u64;
    stats.steps = stats.pages.saturating_sub(1);
    let mut sorted = pages.to_vec();
    sorted.sort_unstable();
    stats.fragments = u64::from(!pages.is_empty());
    for w in pages.windows(2) {
        let at = sorted.partition_point(|p| *p <= w[0]);
        stats.stray += u64::from(sorted.get(at) != Some(&w[1]));
        let adjacent = w[0].file == w[1].file && w[0].page + 1 == w[1].page;
        stats.fragments += u64::from(!adjacent);
    }
}
