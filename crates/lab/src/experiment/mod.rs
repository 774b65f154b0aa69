//! The lab: experiments that a user runs on the own machine, against Taffrail or SQL Server.
//!
//! An experiment is a directory of files ([`spec`] says what they hold, [`read`] holds them to it). A run goes like this:
//!
//! ```text
//!  files ─▶ read ─▶ plan ─▶ run ─▶ trial (set-up, measures, figures) ─▶ store (a line each)
//!                            │        └ sample: a second connection looks each 200 ms
//!                            └▶ gather ─▶ record (JSON) ─▶ table (terminal), page (HTML)
//! ```
//!
//! The server is known through TDS alone ([`place`]); where the lab has started it, it may also be killed, and the device
//! below it is measured.

pub mod clients;
pub mod compare;
pub mod figures;
pub mod files;
pub mod gather;
pub mod judge;
pub mod page;
pub mod peers;
pub mod place;
pub mod plan;
pub mod read;
pub mod record;
pub mod run;
pub mod sample;
pub mod spec;
pub mod statistics;
pub mod stop;
pub mod store;
pub mod table;
mod tear;
pub mod trial;
