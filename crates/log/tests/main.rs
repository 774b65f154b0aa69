//! The integration tests of `taffrail-log`, one program: a module a topic. A test runs in a process of its own (see CONTRIBUTING.md).
#![forbid(unsafe_code)]

mod basic;
mod crash;
mod damage;
mod failed_io;
mod flush_core;
mod fresh_model;
mod full_disk;
mod growth;
mod growth_ahead;
mod kept;
mod killed;
mod lost_in_growth;
mod plain_writes;
mod properties;
mod read_across;
mod read_retries;
mod restored;
mod rig;
mod shrink_crash;
mod threads;
mod turns;
mod vlf_golden;
