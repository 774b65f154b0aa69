//! What is told of a database without waiting: its files, and its pages in memory.

use std::sync::atomic::Ordering;

use taffrail_base::{PAGE_BYTES, PageId};

use crate::buffer::PageInMemory;
use crate::database::{Database, FileInfo, FileKind, FileSize};
use crate::layout::EXTENT_PAGES;

impl Database {
    /// Name, place and size of each data and log file. Unlike [`Database::files`] it waits neither for pages nor for a lock
    /// that is held while something is written, so that it may be asked at any time.
    pub fn file_sizes(&self) -> Vec<FileSize> {
        let data = self.store.files().into_iter().map(|file| {
            let size = u64::from(file.pages.load(Ordering::Acquire)) * PAGE_BYTES as u64;
            let settings = file.settings.lock();
            let (name, path) = (settings.name.clone(), settings.path.clone());
            FileSize { id: file.id, kind: FileKind::Rows, name, path, size }
        });
        let log = self.log();
        let logs = log.files().into_iter().map(|info| {
            let (id, name) = log.file_name(info.file);
            FileSize { id, kind: FileKind::Log, name, path: info.path, size: info.size }
        });
        data.chain(logs).collect()
    }

    /// Data and log files.
    pub fn files(&self) -> Vec<FileInfo> {
        let mut out = Vec::new();
        for file in self.store.files() {
            let settings = file.settings.lock().clone();
            let used = self.allocated_extents(&file).unwrap_or(0);
            out.push(FileInfo {
                id: file.id,
                kind: FileKind::Rows,
                name: settings.name,
                path: settings.path,
                size: u64::from(file.pages.load(Ordering::Acquire)) * PAGE_BYTES as u64,
                used: u64::from(used) * u64::from(EXTENT_PAGES) * PAGE_BYTES as u64,
                growth: settings.growth,
                max_size: settings.max_size,
            });
        }
        for (id, name, info) in self.log_files() {
            out.push(FileInfo {
                id,
                kind: FileKind::Log,
                name,
                path: info.path,
                size: info.size,
                used: self.log().used_in_file(info.file),
                growth: info.growth,
                max_size: Some(info.max_size).filter(|&m| m < taffrail_log::LOG_FILE_BYTES_MAX),
            });
        }
        out
    }
}

impl Database {
    /// The pages that are in memory, in no order.
    pub fn pages_in_memory(&self) -> Vec<PageId> {
        self.pool().present(&self.store)
    }

    /// One of them; none: it has gone.
    pub fn page_in_memory(&self, id: PageId) -> Option<PageInMemory> {
        self.pool().described(&self.store, id)
    }
}

#[cfg(test)]
mod tests {
    use crate::database::Growth;
    use crate::rig::Rig;
    use std::sync::mpsc;
    use std::time::Duration;

    const MB: u64 = 1 << 20;

    #[test]
    fn sizes_are_told_while_the_boot_page_is_written() {
        let rig = Rig::new(7).frames(256).data(2 * MB, Growth::None).log(MB, Growth::None);
        let db = rig.create();
        let whole = db.files();
        let boot = db.boot.lock();
        let (tell, told) = mpsc::channel();
        let asked = db.clone();
        let asks = std::thread::spawn(move || {
            // Nobody listens any more: then it has taken too long.
            let _ = tell.send((asked.file_sizes(), asked.log_backup_time()));
        });
        let (sizes, backup) = told.recv_timeout(Duration::from_secs(30)).expect("it waits");
        drop(boot);
        asks.join().unwrap();
        assert_eq!(backup, None);
        assert_eq!(sizes.len(), whole.len());
        for (short, long) in sizes.iter().zip(&whole) {
            assert_eq!((short.id, short.kind, short.size), (long.id, long.kind, long.size));
            assert_eq!((&short.name, &short.path), (&long.name, &long.path));
        }
    }
}
