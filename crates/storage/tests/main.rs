//! The integration tests of `taffrail-storage`, one program: a module a topic. A test runs in a process of its own (see CONTRIBUTING.md).
#![forbid(unsafe_code)]

mod acknowledged;
mod again;
mod backup;
mod bank;
mod bulk;
mod bulk_indexed;
mod check;
mod checkpoint_pace;
mod closed_pages;
mod closing;
mod concurrent;
mod crash;
mod damaged_maps;
mod failed_and_killed;
mod failed_io;
mod faults;
mod freed_pages;
mod growth_faults;
mod key_ranges;
mod large_changes;
mod large_values;
mod load_undone;
mod lob_room;
mod log_files;
mod log_full;
mod lost_writes;
mod moments;
mod page_writes;
mod pool_size;
mod read_retries;
mod reorganize;
mod restart;
#[path = "../src/rig.rs"]
mod rig;
mod rollback_room;
mod rollback_tables;
mod room_kept;
mod row_counts;
mod simulation;
mod speed;
mod turns;
mod undone_structure;
mod versions;
mod wrong_reads;
