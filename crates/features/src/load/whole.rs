//! OPENROWSET(BULK): a file as one value.

use super::statement::open;
use crate::features::needs::{Needs, OnServer};
use crate::features::view::{Declaration, OpenStream, Reach, RowStream, ViewContext, streamed};
use crate::plan::system_view::FILES;
use taffrail_base::{SqlError, SqlResult};
use taffrail_functions::pieces;
use taffrail_types::{Bytes, Value};

/// The kinds of files, by their names in [`FILES`].
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    Bytes,
    Text,
    Unicode,
}

/// The mark at the beginning of a file of UTF-16, little-endian.
const MARK: [u8; 2] = [0xFF, 0xFE];
/// The mark of the other byte order.
const OTHER_MARK: [u8; 2] = [0xFE, 0xFF];

pub(super) fn declare(views: &mut Vec<Declaration>) {
    let [blob, clob, nclob] = FILES.map(|f| f.1);
    // Who may read files is asked as they are read, for 4834.
    fn one(name: &'static str, columns: &[&'static str], open: OpenStream) -> Declaration {
        streamed(name, Needs::Public, (1, 1), columns, open).reached(Reach::Method)
    }
    views.extend([
        one(blob, &["BulkColumn varbinary(max)?"], |cx, args, _| read(cx, args, Content::Bytes)),
        one(clob, &["BulkColumn varchar(max)?"], |cx, args, _| read(cx, args, Content::Text)),
        one(nclob, &["BulkColumn nvarchar(max)?"], |cx, args, _| read(cx, args, Content::Unicode)),
    ]);
}

/// The one row of a file, until it is read.
struct FileRow(Option<Value>);

impl RowStream for FileRow {
    fn next(&mut self, cells: &mut [Value]) -> SqlResult<bool> {
        let Some(value) = self.0.take() else { return Ok(false) };
        for cell in cells {
            *cell = value.clone();
        }
        Ok(true)
    }
}

fn read(cx: &ViewContext<'_>, args: &[Value], content: Content) -> SqlResult<Box<dyn RowStream>> {
    let may = Needs::Server(OnServer::AdministerBulkOperations);
    if !cx.session.holds_in(cx.database, &may) {
        return Err(SqlError::new(4834, &[]));
    }
    let path = args.first().and_then(Value::as_text).unwrap_or_default();
    let bytes = bytes(cx, &path)?;
    let marked = |mark: [u8; 2]| bytes.starts_with(&mark);
    let value = match content {
        Content::Bytes => Value::Binary(Bytes::from_vec(bytes)),
        Content::Text if marked(MARK) || marked(OTHER_MARK) => {
            return Err(SqlError::new(4806, &[]));
        }
        Content::Text => Value::VarChar(Bytes::from_vec(bytes)),
        Content::Unicode if !marked(MARK) || !bytes.len().is_multiple_of(2) => {
            return Err(SqlError::new(4809, &[]));
        }
        Content::Unicode => Value::NVarChar(Bytes::from_slice(&bytes[MARK.len()..])),
    };
    Ok(Box::new(FileRow(Some(value))))
}

/// The whole file: 701 where there is no room for it.
fn bytes(cx: &ViewContext<'_>, path: &str) -> SqlResult<Vec<u8>> {
    let file = open(&cx.session.instance, path)?;
    let failed = |e: taffrail_io::IoError| SqlError::new(4862, &[&path, &e.system_error()]);
    let length = file.len().map_err(failed)?;
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    pieces::memory(length)?;
    let mut bytes = vec![0; length];
    for (n, piece) in bytes.chunks_mut(pieces::PIECE).enumerate() {
        pieces::look()?;
        file.read_at((n * pieces::PIECE) as u64, piece).map_err(failed)?;
    }
    Ok(bytes)
}
