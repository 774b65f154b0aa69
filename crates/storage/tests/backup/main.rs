//! Backups and restores, on the simulated disk: every kind is proven by restoring it and comparing what is there.

mod bulk;
mod chain;
mod crashes;
mod fuzz;
mod media;
mod speed;
mod support;
