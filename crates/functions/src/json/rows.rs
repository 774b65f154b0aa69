//! JSON as rows: OPENJSON. A document is read from left to right, a row at a time.

use super::path::{self, JsonPath, PathStep};
use super::reader::{JsonKind, JsonReader, JsonText, Read, Unexpected};
use super::text_of;
use std::ops::Range;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{Bytes, Value};

/// The states of a 13609 that OPENJSON raises: on its way to the value that a path leads to, and in that value.
const ON_THE_WAY: u8 = 3;
const WITHIN: u8 = 4;
/// The state of a 13608 that it raises.
const NOT_FOUND: u8 = 6;

/// The columns of an OPENJSON … WITH; without columns it gives `key`, `value` and `type`.
#[derive(PartialEq, Eq, Hash, Debug, Default)]
pub struct OpenJson {
    columns: Vec<JsonColumn>,
    /// The steps of all paths, from the first one; a step leads to others by their numbers here.
    ways: Vec<Way>,
}

/// A column of OPENJSON … WITH.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct JsonColumn {
    /// The name of the column.
    pub name: Arc<str>,
    path: JsonPath,
    /// AS JSON: an object or array as it is written, rather than a scalar.
    as_json: bool,
}

/// A place that paths lead to or through.
#[derive(PartialEq, Eq, Hash, Debug, Default)]
struct Way {
    /// The columns whose paths end here.
    here: Vec<usize>,
    /// The members, and the elements, that paths go on to.
    names: Vec<(Vec<u8>, usize)>,
    elements: Vec<(usize, usize)>,
}

impl JsonColumn {
    /// A column with its path, by default the member of its name: 13607.
    pub fn new(name: &str, path: Option<&str>, as_json: bool) -> SqlResult<JsonColumn> {
        let units =
            |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        let path = match path {
            Some(path) => JsonPath::parse(JsonText(&units(path)))?,
            None => JsonPath { steps: vec![PathStep::Name(units(name))], ..JsonPath::whole() },
        };
        Ok(JsonColumn { name: name.into(), path, as_json })
    }
}

impl OpenJson {
    /// The reader of these columns.
    pub fn new(columns: Vec<JsonColumn>) -> OpenJson {
        let mut ways = vec![Way::default()];
        for (column, c) in columns.iter().enumerate() {
            let mut at = 0;
            for step in &c.path.steps {
                let new = ways.len();
                let (known, way) = match step {
                    PathStep::Name(name) => {
                        let names = &mut ways[at].names;
                        match names.iter().find(|(n, _)| n == name) {
                            Some((_, way)) => (true, *way),
                            None => {
                                names.push((name.clone(), new));
                                (false, new)
                            }
                        }
                    }
                    PathStep::Index(n) => {
                        let elements = &mut ways[at].elements;
                        match elements.iter().find(|(i, _)| i == n) {
                            Some((_, way)) => (true, *way),
                            None => {
                                elements.push((*n, new));
                                (false, new)
                            }
                        }
                    }
                };
                if !known {
                    ways.push(Way::default());
                }
                at = way;
            }
            ways[at].here.push(column);
        }
        OpenJson { columns, ways }
    }

    /// The name of a column by its position; empty where there is none.
    pub fn column(&self, at: usize) -> &str {
        match self.columns.is_empty() {
            true => ["key", "value", "type"].get(at).copied().unwrap_or_default(),
            false => self.columns.get(at).map_or("", |c| &c.name),
        }
    }

    /// Whether the columns are named by a WITH.
    pub fn is_explicit(&self) -> bool {
        !self.columns.is_empty()
    }
}

/// A scalar's value: strings without their escapes, NULL for null, objects and arrays.
pub(super) fn scalar(text: JsonText<'_>, kind: JsonKind, range: Range<usize>) -> SqlResult<Value> {
    Ok(match kind {
        JsonKind::Null | JsonKind::Object | JsonKind::Array => Value::Null,
        JsonKind::Number | JsonKind::Bool => super::nvarchar(text.part(range)),
        JsonKind::Text => {
            let mut r = JsonReader::new(text, range.start);
            let string = r.string().map_err(|e| e.told(13609, text))?;
            super::nvarchar(&string.decoded(text))
        }
    })
}

/// The rows of a document.
pub struct JsonRows {
    of: Arc<OpenJson>,
    text: Bytes,
    /// Where the next row is read.
    at: usize,
    /// Rows so far; none: there are no more.
    row: Option<usize>,
    kind: JsonKind,
    depth: usize,
    /// What each column has found, and the ways that have been gone, in this row.
    found: Vec<Option<path::Place>>,
    gone: Vec<bool>,
}

impl JsonRows {
    /// Opens a document, at a path: 13607, 13609, and 13608 and 13611 of a strict path.
    pub fn open(of: &Arc<OpenJson>, document: Value, path: Option<&Value>) -> SqlResult<JsonRows> {
        let mut rows = JsonRows {
            of: of.clone(),
            text: Bytes::new(),
            at: 0,
            row: None,
            kind: JsonKind::Null,
            depth: 0,
            found: vec![None; of.columns.len()],
            gone: vec![false; of.ways.len()],
        };
        let path = match path {
            None => JsonPath::whole(),
            Some(way) => match text_of(way) {
                Some(way) => JsonPath::parse(way)?,
                None => return Ok(rows),
            },
        };
        let Value::NVarChar(bytes) = document else { return Ok(rows) };
        rows.text = bytes;
        let text = JsonText(&rows.text);
        let state = if path.steps.is_empty() { WITHIN } else { ON_THE_WAY };
        let told = |e: Unexpected| e.told(13609, text).with_state(state);
        let mut r = path::begin(text).map_err(told)?;
        if !path::go(&mut r, &path.steps).map_err(told)? {
            return match path.strict {
                true => Err(SqlError::new(13608, &[]).with_state(NOT_FOUND)),
                false => Ok(rows),
            };
        }
        let (kind, at) = (r.kind().map_err(told)?, r.at);
        (rows.kind, rows.at, rows.depth) = (kind, at, path.steps.len());
        rows.row = kind.is_container().then_some(0);
        match path.strict && !kind.is_container() {
            true => Err(SqlError::new(13611, &[])),
            false => Ok(rows),
        }
    }

    /// The next row: the values of the wanted columns, as nvarchar; `type` as int. False at the end.
    pub fn next(&mut self, wanted: &[usize], cells: &mut [Value]) -> SqlResult<bool> {
        let Some(row) = self.row else { return Ok(false) };
        let text = std::mem::take(&mut self.text);
        let found = self.read(JsonText(&text), row, wanted, cells);
        self.text = text;
        match found {
            Ok(found) => {
                self.row = found?.then_some(row + 1);
                Ok(self.row.is_some())
            }
            Err(e) => Err(e.told(13609, JsonText(&self.text)).with_state(WITHIN)),
        }
    }

    /// Reads a row; false at the end. What is no JSON is an error of the reader's, what a column refuses one of SQL.
    fn read(
        &mut self,
        text: JsonText<'_>,
        row: usize,
        wanted: &[usize],
        cells: &mut [Value],
    ) -> Read<SqlResult<bool>> {
        let mut r = JsonReader::new(text, self.at);
        let explicit = self.of.is_explicit();
        let is_row = explicit && self.kind == JsonKind::Object;
        if is_row && row > 0 {
            return Ok(Ok(false));
        }
        if !is_row {
            let (open, close) = match self.kind {
                JsonKind::Array => (b'[', b']'),
                _ => (b'{', b'}'),
            };
            let more = match row {
                0 => r.opens(self.depth, open, close)?,
                _ => !r.closes(close)?,
            };
            if !more {
                return Ok(Ok(false));
            }
            r.blanks();
        }
        let filled = match explicit {
            true => {
                self.found.fill(None);
                self.gone.fill(false);
                let of = self.of.clone();
                self.walk(&of, &mut r, 0, self.depth + 1)?;
                self.fill(text, wanted, cells)
            }
            false => self.member(&mut r, row, wanted, cells)?,
        };
        self.at = r.at;
        Ok(filled.map(|()| true))
    }

    /// A row of the default columns.
    fn member(
        &self,
        r: &mut JsonReader<'_>,
        row: usize,
        wanted: &[usize],
        cells: &mut [Value],
    ) -> Read<SqlResult<()>> {
        let name = if self.kind == JsonKind::Object { Some(r.name()?) } else { None };
        let (kind, from) = (r.kind()?, r.at);
        r.skip(self.depth + 1)?;
        for (cell, column) in cells.iter_mut().zip(wanted) {
            let value = match (column, &name) {
                (0, Some(name)) => {
                    let name = name.decoded(r.text);
                    Ok(super::nvarchar(&name[..name.len().min(8000)]))
                }
                (0, None) => Ok(Value::nvarchar(&row.to_string())),
                (1, _) if kind.is_container() => Ok(super::nvarchar(r.text.part(from..r.at))),
                (1, _) => scalar(r.text, kind, from..r.at),
                _ => Ok(Value::Int(match kind {
                    JsonKind::Null => 0,
                    JsonKind::Text => 1,
                    JsonKind::Number => 2,
                    JsonKind::Bool => 3,
                    JsonKind::Array => 4,
                    JsonKind::Object => 5,
                })),
            };
            match value {
                Ok(value) => *cell = value,
                Err(e) => return Ok(Err(e)),
            }
        }
        Ok(Ok(()))
    }

    /// Reads a value, and notes what columns find in it. Of members of one name the first counts.
    fn walk(
        &mut self,
        of: &OpenJson,
        r: &mut JsonReader<'_>,
        way: usize,
        depth: usize,
    ) -> Read<()> {
        let here = &of.ways[way];
        let (kind, from, text) = (r.kind()?, r.at, r.text);
        let first = !std::mem::replace(&mut self.gone[way], true);
        match kind {
            JsonKind::Object if first && !here.names.is_empty() => {
                r.members(depth, |r, name| {
                    let name = name.decoded(text);
                    match here.names.iter().find(|(n, _)| *n == *name) {
                        Some((_, next)) => self.walk(of, r, *next, depth + 1)?,
                        None => r.skip(depth + 1)?,
                    }
                    Ok(false)
                })?;
            }
            JsonKind::Array if first && !here.elements.is_empty() => {
                r.elements(depth, |r, n| {
                    match here.elements.iter().find(|(i, _)| *i == n) {
                        Some((_, next)) => self.walk(of, r, *next, depth + 1)?,
                        None => r.skip(depth + 1)?,
                    }
                    Ok(false)
                })?;
            }
            _ => r.skip(depth)?,
        }
        if first {
            for column in &here.here {
                self.found[*column] = Some((kind, from..r.at));
            }
        }
        Ok(())
    }

    /// The values of the columns: 13608, 13623 and 13624 of a strict path.
    fn fill(&self, text: JsonText<'_>, wanted: &[usize], cells: &mut [Value]) -> SqlResult<()> {
        for (cell, column) in cells.iter_mut().zip(wanted) {
            let c = &self.of.columns[*column];
            let strict = |number: i32| match c.path.strict {
                true if number == 13608 => Err(SqlError::new(number, &[]).with_state(NOT_FOUND)),
                true => Err(SqlError::new(number, &[])),
                false => Ok(Value::Null),
            };
            *cell = match &self.found[*column] {
                None => strict(13608)?,
                Some((JsonKind::Null, _)) => Value::Null,
                Some((kind, range)) => match (kind.is_container(), c.as_json) {
                    (true, true) => super::nvarchar(text.part(range.clone())),
                    (false, true) => strict(13624)?,
                    (true, false) => strict(13623)?,
                    (false, false) => scalar(text, *kind, range.clone())?,
                },
            };
        }
        Ok(())
    }
}
