//! Pages for a large value, before the first of them is written.
//!
//! In a file that cannot grow pages are counted before they are taken: all that a value needs, or none. Of several values that do not all
//! fit, those fit that came first; none of them ends half-written because another took the rest, and none takes what it cannot use. What
//! is claimed is a number of a heap's or tree's free pages, not which: whoever has no claim leaves so many of them
//! ([`Space::claimed`](crate::alloc::Space)), and extents with so many stay its own.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use taffrail_base::PAGE_BYTES;

use super::awaited::Patience;
use super::{Hobt, HobtKind};
use crate::alloc::Space;
use crate::database::Database;
use crate::error::{StorageError, StorageResult};
use crate::layout::EXTENT_PAGES;
use crate::spec::Growth;
use crate::txn::work::Work;

/// The least that is looked for in a tree before its file grows: a whole page.
const PAGE: usize = 1;

/// Free pages of a heap or tree that are one value's.
pub(super) struct Claim<'h> {
    hobt: &'h Hobt,
    left: usize,
}

impl Claim<'_> {
    /// One of them is taken now; false: none is left.
    pub fn take(&mut self, space: &mut Space) -> bool {
        // The list may have been read anew since, without claims.
        let there = self.left > 0 && space.claimed > 0 && !space.free.is_empty();
        if there {
            self.left -= 1;
            space.claimed -= 1;
        }
        there
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        if self.left > 0 {
            let mut space = self.hobt.space.lock();
            space.claimed = space.claimed.saturating_sub(self.left);
        }
    }
}

impl Database {
    /// Before pages are taken for a large value. If its file is going to grow for them: what is empty in the tree first. If it cannot grow
    /// the pages are claimed, those included that are empty here and elsewhere, and those that others are giving back.
    ///
    /// The caller holds no latch.
    pub(super) fn pages_for_value<'h>(
        self: &Arc<Self>,
        work: &Work,
        hobt: &'h Hobt,
        pages: usize,
    ) -> StorageResult<Claim<'h>> {
        let tree = hobt.kind() == HobtKind::BTree;
        if tree {
            self.look_before_growth(hobt, PAGE)?;
        }
        let file = self.store.primary();
        let extents = pages.div_ceil(EXTENT_PAGES as usize);
        let mut patience = Patience::new(self);
        loop {
            let size = u64::from(file.pages.load(Ordering::Acquire)) * PAGE_BYTES as u64;
            let more = extents as u64 * u64::from(EXTENT_PAGES) * PAGE_BYTES as u64;
            let grows = {
                let settings = file.settings.lock();
                settings.growth != Growth::None
                    && settings.max_size.is_none_or(|max| size + more <= max)
            };
            if grows {
                return Ok(Claim { hobt, left: 0 });
            }
            if let Some(claim) = self.claim(work, hobt, pages)? {
                return Ok(claim);
            }
            if tree {
                self.look_for_all(hobt, pages)?;
            }
            // One more: the first extent of an interval has an IAM page on it.
            self.gather_extents(work, hobt, u32::try_from(extents + 1).unwrap_or(u32::MAX))?;
            if let Some(claim) = self.claim(work, hobt, pages)? {
                return Ok(claim);
            }
            // The last growth takes what there is.
            match self.autogrow(work, &file, hobt) {
                Err(StorageError::FileFull(_)) if patience.another_try(work)? => {}
                result => result?,
            }
        }
    }

    /// Claims so many pages, with extents more if need be; none if there are not as many.
    fn claim<'h>(
        self: &Arc<Self>,
        work: &Work,
        hobt: &'h Hobt,
        pages: usize,
    ) -> StorageResult<Option<Claim<'h>>> {
        let mut space = hobt.space.lock();
        self.load_space(hobt, &mut space)?;
        let short = pages.saturating_sub(space.unclaimed());
        let want = short.div_ceil(EXTENT_PAGES as usize).try_into().unwrap_or(u32::MAX);
        // Not one of them in vain.
        if want > 0 && self.spare_extents(hobt, want)? < want {
            return Ok(None);
        }
        while space.unclaimed() < pages {
            match self.add_extent_now(work, hobt, &mut space) {
                // Another heap or tree was quicker.
                Err(StorageError::FileFull(_)) => return Ok(None),
                result => result?,
            }
        }
        space.claimed += pages;
        Ok(Some(Claim { hobt, left: pages }))
    }
}
