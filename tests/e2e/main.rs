//! End to end: the real binary under stock clients, bad input, kills.
#![forbid(unsafe_code)]

mod assess;
mod bad_input;
mod bulk_insert;
mod clients;
mod connectivity;
mod console;
mod console_pages;
mod console_query;
mod container;
mod crash_loop;
mod examples;
mod golden;
mod guide;
mod host;
mod kept;
mod lab;
mod life;
mod limits;
mod log_command;
mod logins;
mod lost_connection;
mod matrix;
mod missing;
mod monitoring;
mod operation;
mod orders;
mod own_files;
mod places;
mod query;
mod restart;
mod sa_password;
mod service;
mod sqlcmd;
mod sqlcmd_ends;
mod variants;
