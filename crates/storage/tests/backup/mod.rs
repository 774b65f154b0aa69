//! Backups and restores, on the simulated disk: every kind is proven by restoring it and comparing what is there.

mod begun;
mod bulk;
mod chain;
mod crashes;
mod damage;
mod files;
mod foreign_chunks;
mod images;
mod lost;
mod media;
mod pace;
mod pfs;
mod restarts;
mod speed;
mod stripes;
mod support;
mod tail;
mod two_logs;
