//! sys.dm_os_buffer_descriptors: the pages in memory.

use super::{Declaration, RowStream, ViewContext, streamed_view};
use crate::database::Database;
use crate::features::needs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use taffrail_base::message::cancelled;
use taffrail_base::{PageId, SqlResult};
use taffrail_storage::PageInMemory;
use taffrail_storage::page::PageType;
use taffrail_types::Value;

const COLUMNS: &[&str] = &[
    "database_id int?",
    "file_id int?",
    "page_id int?",
    "page_level int?",
    "allocation_unit_id bigint?",
    "page_type nvarchar(60)?",
    "row_count int?",
    "free_space_in_bytes int?",
    "is_modified bit?",
    "numa_node int?",
    "read_microsec bigint?",
    "is_in_bpool_extension bit?",
    "error_code int?",
    "io_error int?",
];

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.push(streamed_view("dm_os_buffer_descriptors", needs::SERVER_PERFORMANCE, COLUMNS, open));
}

/// The pages of one database after the other: only their numbers are kept.
struct Pages {
    databases: Vec<Arc<Database>>,
    database: Option<Arc<Database>>,
    pages: Vec<PageId>,
    wanted: Vec<usize>,
    cancelled: Arc<AtomicBool>,
}

fn open(cx: &ViewContext<'_>, _: &[Value], wanted: &[usize]) -> SqlResult<Box<dyn RowStream>> {
    let mut databases = cx.session.instance.databases().open();
    databases.sort_by_key(|d| std::cmp::Reverse(d.id));
    Ok(Box::new(Pages {
        databases,
        database: None,
        pages: Vec::new(),
        wanted: wanted.to_vec(),
        cancelled: cx.session.running.cancel.clone(),
    }))
}

fn type_name(kind: Option<PageType>) -> &'static str {
    match kind {
        Some(PageType::Heap) => "DATA_PAGE",
        Some(PageType::Index) => "INDEX_PAGE",
        Some(PageType::Lob) => "TEXT_MIX_PAGE",
        Some(PageType::Gam) => "GAM_PAGE",
        Some(PageType::Iam) => "IAM_PAGE",
        Some(PageType::Pfs) => "PFS_PAGE",
        Some(PageType::Boot) => "BOOT_PAGE",
        Some(PageType::FileHeader) => "FILEHEADER_PAGE",
        Some(PageType::DiffMap) => "DIFF_MAP_PAGE",
        Some(PageType::MlMap) => "ML_MAP_PAGE",
        None => "UNKNOWN_PAGE",
    }
}

impl Pages {
    fn next_page(&mut self) -> SqlResult<Option<(u16, PageInMemory)>> {
        loop {
            if self.cancelled.load(Relaxed) {
                return Err(cancelled());
            }
            if let (Some(database), Some(id)) = (&self.database, self.pages.pop()) {
                if let Some(page) = database.storage.page_in_memory(id) {
                    return Ok(Some((database.id.0, page)));
                }
                continue;
            }
            let Some(database) = self.databases.pop() else { return Ok(None) };
            self.pages = database.storage.pages_in_memory();
            self.database = Some(database);
        }
    }
}

impl RowStream for Pages {
    fn next(&mut self, cells: &mut [Value]) -> SqlResult<bool> {
        let Some((database, page)) = self.next_page()? else { return Ok(false) };
        // The leaves of a clustered index are its table's rows.
        let rows = page.kind == Some(PageType::Index) && page.level == 0 && page.index == 1;
        for (cell, column) in cells.iter_mut().zip(&self.wanted) {
            *cell = match column {
                0 => Value::Int(database.into()),
                1 => Value::Int(page.id.file.0.into()),
                2 => Value::Int(page.id.page as i32),
                3 => Value::Int(page.level.into()),
                4 => Value::BigInt(page.hobt.0 as i64 * 4 + 1),
                5 if rows => Value::nvarchar("DATA_PAGE"),
                5 => Value::nvarchar(type_name(page.kind)),
                6 => Value::Int(page.rows.into()),
                7 => Value::Int(page.free.into()),
                8 => Value::Bit(page.is_modified),
                9 => Value::Int(0),
                11 => Value::Bit(false),
                _ => Value::Null,
            };
        }
        Ok(true)
    }
}
