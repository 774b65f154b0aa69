//! The targets. A new one is a line in [`TARGETS`], a program of three lines in `fuzz/fuzz_targets`, and `taffrail-fuzz corpus`.

mod database;
mod log;
mod pages;
mod rows;
mod sql;
mod tds;
mod told;

use crate::Target;

/// All of them, in the order in which bytes meet them.
pub const TARGETS: &[Target] = &[
    Target {
        name: "log_block",
        about: "a log block: header, slot table, records, and what each record says",
        run: log::block,
        seeds: log::block_seeds,
        text: false,
        bounded: 150_000,
    },
    Target {
        name: "log_header",
        about: "a log file's root, directory page, VLF header, and the boot page's anchor",
        run: log::header,
        seeds: log::header_seeds,
        text: false,
        bounded: 200_000,
    },
    Target {
        name: "log_record",
        about: "a log record of any operation: its fields, its description, its redo on a page",
        run: log::record,
        seeds: log::record_seeds,
        text: false,
        bounded: 400_000,
    },
    Target {
        name: "log_file",
        about: "edits of a log file: verification, the offline reader, restart of the log",
        run: log::file,
        seeds: log::file_seeds,
        text: false,
        bounded: 400,
    },
    Target {
        name: "event_file",
        about: "files of events and of the default trace: blocks, events, rows",
        run: told::event_file,
        seeds: told::event_file_seeds,
        text: false,
        bounded: 20_000,
    },
    Target {
        name: "log_changes",
        about: "edits of a data file and its log: the changes of rows that the log tells",
        run: told::log_changes,
        seeds: told::log_changes_seeds,
        text: false,
        bounded: 200,
    },
    Target {
        name: "page",
        about: "a page: checksum, header, slots, rows, entries, boot page, file header, maps",
        run: pages::page,
        seeds: pages::seeds,
        text: false,
        bounded: 100_000,
    },
    Target {
        name: "row",
        about: "a row of a table, an index entry, an sql_variant, a stored type",
        run: rows::row,
        seeds: rows::seeds,
        text: false,
        bounded: 200_000,
    },
    Target {
        name: "database",
        about: "edits of a data file and its log: restart, then every heap, tree and large value",
        run: database::open,
        seeds: database::open_seeds,
        text: false,
        bounded: 250,
    },
    Target {
        name: "backup",
        about: "edits of a full and a log backup: LABELONLY, HEADERONLY, VERIFYONLY, RESTORE",
        run: database::backup,
        seeds: database::backup_seeds,
        text: false,
        bounded: 200,
    },
    Target {
        name: "sql",
        about: "a T-SQL script: lexer, parser, GO",
        run: sql::parse,
        seeds: sql::seeds,
        text: true,
        bounded: 80_000,
    },
    Target {
        name: "tds_packets",
        about: "what a client sends, packet by packet: PRELOGIN, LOGIN7, batches, calls, rows",
        run: tds::packets,
        seeds: tds::packet_seeds,
        text: false,
        bounded: 150_000,
    },
    Target {
        name: "tds_login",
        about: "PRELOGIN and LOGIN7",
        run: tds::login,
        seeds: tds::login_seeds,
        text: false,
        bounded: 200_000,
    },
    Target {
        name: "tds_request",
        about: "SQL batches, RPC calls with parameters of every type, transaction requests",
        run: tds::request,
        seeds: tds::request_seeds,
        text: false,
        bounded: 200_000,
    },
    Target {
        name: "tds_bulk",
        about: "INSERT BULK: COLMETADATA and rows of every type, in pieces",
        run: tds::bulk,
        seeds: tds::bulk_seeds,
        text: false,
        bounded: 120_000,
    },
    Target {
        name: "tds_tokens",
        about: "what a server answers, as our own client reads it",
        run: tds::tokens,
        seeds: tds::token_seeds,
        text: false,
        bounded: 120_000,
    },
];
