//! Operations on files as they happen: the entries of `taffrail.io_trace`, taken from the ring itself.

use super::{Who, asked, json_of, queries};
use crate::web::Web;
use axum::extract::{Path, State};
use axum::response::Response;
use serde_json::{Map, Value as Json, json};
use taffrail_io::counted::FileOperation;
use taffrail_io::reason::IoReason;
use taffrail_observe::Moment;
use taffrail_observe::trace::{FileIo, file_io, file_name};

/// Entries in an answer: of more the newest.
const ENTRIES: usize = 1000;

/// What has come after an entry: number, µs ago, µs, session, operation, file, offset, length, durable, the system's error,
/// why it was made.
/// `lost`: what is not told, since there was too much of it.
pub(super) async fn io(
    State(web): State<Web>,
    axum::Extension(who): axum::Extension<Who>,
    Path(after): Path<u64>,
) -> Response {
    let may = asked(&web, move |reader| reader.may(&who.account, queries::MAY_READ_IO));
    if let Err(answer) = may.await {
        return answer;
    }
    let (ring, now) = (file_io(), Moment::now());
    let all = ring.read_after(after);
    let told = &all[all.len().saturating_sub(ENTRIES)..];
    let newest = told.last().map_or(ring.newest(), |(number, _)| *number);
    let lost = newest.saturating_sub(after).saturating_sub(told.len() as u64);
    let mut files = Map::new();
    for (_, io) in told {
        files.entry(io.file.to_string()).or_insert_with(|| {
            file_name(io.file).map_or(Json::Null, |path| path.display().to_string().into())
        });
    }
    let rows: Vec<Json> = told.iter().map(|(number, io)| row(*number, io, now)).collect();
    json_of(&json!({ "newest": newest, "lost": lost, "files": files, "rows": rows }))
}

fn row(number: u64, io: &FileIo, now: Moment) -> Json {
    let operation = FileOperation::from_number(io.operation).map(FileOperation::name);
    let ago = (now.since(io.at) + io.ns) / 1000;
    let error = match io.error {
        0 => None,
        -1 => Some("failed".to_owned()),
        n => Some(std::io::Error::from_raw_os_error(n).to_string()),
    };
    json!([
        number,
        ago,
        io.ns / 1000,
        io.session,
        operation,
        io.file,
        io.offset,
        io.length,
        io.durable,
        error,
        IoReason::from_number(io.reason).and_then(IoReason::name)
    ])
}
