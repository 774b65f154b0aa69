//! `BULK INSERT table FROM 'file' WITH (…)`.
//!
//! Fields go to the table's columns in order, one for each (a field of the file belongs to an identity column too; without
//! KEEPIDENTITY it is passed over, and so is one of a computed or rowversion column). An empty field is NULL, or the column's default
//! without KEEPNULLS.
//!
//! A field that cannot be converted costs its row: 4863, 4864 or 4867 is sent, the row left out, and the load goes on
//! until MAXERRORS is exceeded: 4865, and the chain 7399, 7330 with which SQL Server ends such a load. Anything else
//! (a NULL where none may be, a duplicate key) ends it at once. BATCHSIZE makes each batch a transaction of its own,
//! unless the session has one open.

use super::file::{Encoding, Fields, FileError, FileFormat, RowReader, Terminator, parse_hex};
use crate::catalog::{Column, Table};
use crate::connection::bulk::check_transaction;
use crate::database::Database;
use crate::exec::bulk::{BulkOptions, BulkPlan, BulkTarget};
use crate::exec::interpret::Interpreter;
use crate::instance::Instance;
use crate::paths::{PathRefusal, file_path};
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_io::{IoError, OpenSpec, Volume};
use taffrail_syntax::ast::{self, OptionValue};
use taffrail_types::convert::{AssignError, assign};
use taffrail_types::{Bytes, CodePage, ConvertContext, Family, MaxLen, Pages, SqlType, Value};

/// What the options say.
struct Settings {
    format: FileFormat,
    options: BulkOptions,
    first_row: u64,
    /// 0: to the end.
    last_row: u64,
    /// 0: all in one.
    batch: u64,
    max_errors: u64,
}

/// Bytes that a field for a column without (max) may have; what is longer has the wrong terminators.
const FIELD_BYTES_MAX: usize = 64 << 10;
/// The same for one with.
const LONG_FIELD_BYTES_MAX: usize = 256 << 20;

impl Settings {
    fn of(s: &ast::BulkInsert) -> SqlResult<Settings> {
        let mut out = Settings {
            format: FileFormat {
                quote: None,
                field_end: Terminator::Bytes(b"\t".to_vec()),
                row_end: Terminator::Line,
                encoding: Encoding::ANSI,
            },
            options: BulkOptions::default(),
            first_row: 1,
            last_row: 0,
            batch: 0,
            max_errors: 10,
        };
        let (mut field_end, mut quote, mut wide, mut csv) = (None, b'"', false, false);
        for option in &s.options {
            let terminator = |t: &str| {
                Terminator::parse(t).ok_or_else(|| SqlError::new(102, &[&option.name.value]))
            };
            let name = option.name.value.to_ascii_uppercase();
            match &*name {
                "FORMAT" if super::text(option)?.eq_ignore_ascii_case("CSV") => csv = true,
                "FORMAT" => return Err(value_unsupported(&name, super::text(option)?)),
                "FIELDTERMINATOR" => field_end = Some(terminator(super::text(option)?)?),
                "ROWTERMINATOR" => out.format.row_end = terminator(super::text(option)?)?,
                "FIELDQUOTE" => match super::text(option)?.as_bytes() {
                    [one] => quote = *one,
                    _ => return Err(SqlError::new(102, &[&option.name.value])),
                },
                "FIRSTROW" => out.first_row = super::number(option)?.max(1),
                "LASTROW" => out.last_row = super::number(option)?,
                "BATCHSIZE" => out.batch = super::number(option)?,
                "MAXERRORS" => out.max_errors = super::number(option)?,
                "CODEPAGE" => out.format.encoding = codepage(option)?,
                "DATAFILETYPE" => match &*super::text(option)?.to_ascii_lowercase() {
                    "char" => {}
                    "widechar" => wide = true,
                    other => return Err(value_unsupported(&name, other)),
                },
                "KEEPIDENTITY" => out.options.keep_identity = true,
                "KEEPNULLS" => out.options.keep_nulls = true,
                "TABLOCK" => out.options.tablock = true,
                "CHECK_CONSTRAINTS" => out.options.check_constraints = true,
                "FIRE_TRIGGERS" => out.options.fire_triggers = true,
                // Hints about what will come.
                "ROWS_PER_BATCH" | "KILOBYTES_PER_BATCH" | "ORDER" => {}
                "ERRORFILE"
                | "FORMATFILE"
                | "DATA_SOURCE"
                | "ERRORFILE_DATA_SOURCE"
                | "FORMATFILE_DATA_SOURCE" => {
                    return Err(unsupported(format_args!("BULK INSERT … WITH {name}")));
                }
                _ => return Err(SqlError::new(155, &[&option.name.value, &"BULK INSERT"])),
            }
        }
        if csv {
            out.format.quote = Some(quote);
            out.format.field_end = Terminator::Bytes(b",".to_vec());
        }
        if let Some(end) = field_end {
            out.format.field_end = end;
        }
        if wide {
            out.format.encoding = Encoding::Utf16;
        }
        Ok(out)
    }
}

fn value_unsupported(name: &str, value: &str) -> Box<SqlError> {
    unsupported(format_args!("BULK INSERT … WITH {name} = '{value}'"))
}

fn codepage(option: &ast::NamedOption) -> SqlResult<Encoding> {
    let value = match &option.value {
        Some(OptionValue::Text(t) | OptionValue::Number(t)) => t.to_ascii_uppercase(),
        _ => return Err(SqlError::new(102, &[&option.name.value])),
    };
    match &*value {
        "RAW" => Ok(Encoding::Raw),
        "ACP" => Ok(Encoding::ANSI),
        "OEM" => Ok(Encoding::Page(CodePage::of(437).unwrap_or_default())),
        other => match other.parse().ok().and_then(CodePage::of) {
            Some(page) => Ok(Encoding::Page(page)),
            None => Err(value_unsupported("CODEPAGE", other)),
        },
    }
}

/// The file: 4860, 4861.
pub(super) fn open(instance: &Instance, path: &str) -> SqlResult<Arc<dyn Volume>> {
    let full = match file_path(instance, path) {
        Ok(full) => full,
        Err(refusal @ (PathRefusal::Outside | PathRefusal::Private | PathRefusal::Link(_))) => {
            return Err(SqlError::new(4861, &[&path, &refusal.system_error()]));
        }
        Err(_) => return Err(SqlError::new(4860, &[&path])),
    };
    if instance.databases().owner_of(&full).is_some() {
        return Err(SqlError::new(4861, &[&path, &crate::media::IN_USE]));
    }
    let disk = &instance.options().env.disk;
    let opened = disk.exists(&full).and_then(|there| match there {
        true => disk.open(&full, OpenSpec::PLAIN.read_only()).map(Some),
        false => Ok(None),
    });
    match opened {
        Ok(Some(file)) => Ok(file),
        Ok(None) => Err(SqlError::new(4860, &[&path])),
        Err(e) => Err(not_opened(path, &e)),
    }
}

fn not_opened(path: &str, e: &IoError) -> Box<SqlError> {
    if e.is_link() {
        return SqlError::new(4861, &[&path, &e.system_error()]);
    }
    let code = e.source.raw_os_error().unwrap_or(0);
    SqlError::new(4861, &[&path, &format_args!("{code}({})", e.source)])
}

/// A load under way.
struct FileLoad {
    database: Arc<Database>,
    table: Arc<Table>,
    path: Box<str>,
    settings: Settings,
    reader: RowReader,
    limits: Vec<usize>,
    context: ConvertContext,
    /// Rows of the file that have been read.
    row: u64,
    errors: u64,
    /// Errors of rows, to be sent before whatever ends the batch.
    told: Vec<SqlError>,
    ended: bool,
}

/// Runs a BULK INSERT; gives the number of rows.
pub(super) fn bulk_insert(
    it: &mut Interpreter<'_>,
    s: &ast::BulkInsert,
    line: u32,
) -> SqlResult<u64> {
    let settings = Settings::of(s)?;
    it.session.begin_implicitly(it.sink)?;
    let mut cx = it.context(line);
    let (database, table) = super::target(&mut cx, &s.table)?;
    check_transaction(&cx, &database)?;
    let file = open(cx.instance(), &s.file)?;
    let reader = RowReader::open(file, settings.format.clone());
    let reader = reader.map_err(|e| not_opened(&s.file, &e))?;
    let limit = |ty: SqlType| if ty.is_max() { LONG_FIELD_BYTES_MAX } else { FIELD_BYTES_MAX };
    let mut load = FileLoad {
        path: s.file.clone(),
        limits: table.columns.iter().map(|c| limit(c.ty)).collect(),
        context: it.session.activation.options.convert_context(),
        database,
        table,
        settings,
        reader,
        row: 0,
        errors: 0,
        told: Vec::new(),
        ended: false,
    };
    if it.session.transaction.count > 0 {
        load.settings.batch = 0;
    }
    let mut rows = 0;
    while !load.ended {
        let done = it.in_statement(|it| load.batch(it, line));
        let told = std::mem::take(&mut load.told);
        if it.session.activation.errors.tries() == 0 {
            for e in told {
                it.context(line).message(Box::new(e))?;
            }
        }
        rows += done?;
    }
    Ok(rows)
}

impl FileLoad {
    /// One batch, in the statement's transaction.
    fn batch(&mut self, it: &mut Interpreter<'_>, line: u32) -> SqlResult<u64> {
        // A hidden column is not there for a file.
        let shown = |c: &usize| !self.table.columns[*c].is_hidden;
        let columns: Vec<usize> = (0..self.table.columns.len()).filter(shown).collect();
        let types = columns.iter().map(|c| self.table.columns[*c].ty).collect();
        let given = |c: usize| (!self.table.columns[c].is_made()).then_some(c);
        let places: Vec<Option<usize>> = columns.iter().copied().map(given).collect();
        let options = self.settings.options;
        let (database, table) = (&self.database, &self.table);
        let plan = BulkPlan::open(it.session, database, table, &places, types, options)?;
        self.table = plan.table().clone();
        let mut vars = Vec::new();
        let mut target = BulkTarget::open(it.context(line), &plan, &mut vars)?;
        let (mut fields, mut values) = (Fields::default(), Vec::with_capacity(columns.len()));
        let mut rows = 0;
        while self.settings.batch == 0 || rows < self.settings.batch {
            if !self.next_row(&mut fields)? {
                self.ended = true;
                break;
            }
            match self.values(&columns, &fields, &mut values)? {
                None => {
                    target.push_row(&values)?;
                    rows += 1;
                }
                Some(e) => self.bad_row(*e)?,
            }
        }
        let rows = target.finish()?;
        self.database.storage.counters().bulk_copy_rows.add(rows);
        Ok(rows)
    }

    /// The next row that is wanted.
    fn next_row(&mut self, fields: &mut Fields) -> SqlResult<bool> {
        loop {
            if self.settings.last_row != 0 && self.row >= self.settings.last_row {
                return Ok(false);
            }
            match self.reader.next_row(&self.limits, fields) {
                Ok(true) => self.row += 1,
                Ok(false) => return Ok(false),
                Err(FileError::Io(e)) => return Err(not_opened(&self.path, &e)),
                Err(FileError::UnexpectedEnd) => return Err(self.fatal(*SqlError::new(4832, &[]))),
                Err(FileError::TooLong(n)) => {
                    let e = SqlError::new(4866, &[&(self.row + 1), &n]);
                    return Err(self.fatal(*e));
                }
            }
            if self.row >= self.settings.first_row {
                return Ok(true);
            }
        }
    }

    /// An error that ends the load: what it says, then the chain that SQL Server sends.
    fn fatal(&mut self, e: SqlError) -> Box<SqlError> {
        self.told.push(e);
        self.told.push(*SqlError::new(7399, &[&"BULK", &"(null)"]));
        SqlError::new(7330, &[&"BULK", &"(null)"]).with_state(2)
    }

    /// An error that costs its row only.
    fn bad_row(&mut self, e: SqlError) -> SqlResult<()> {
        self.told.push(e);
        self.errors += 1;
        if self.errors > self.settings.max_errors {
            let e = SqlError::new(4865, &[&self.settings.max_errors]);
            return Err(self.fatal(*e));
        }
        Ok(())
    }

    /// The values of a row's fields; or why it is left out.
    fn values(
        &mut self,
        columns: &[usize],
        fields: &Fields,
        out: &mut Vec<Value>,
    ) -> SqlResult<Option<Box<SqlError>>> {
        out.clear();
        for (n, at) in columns.iter().enumerate() {
            let column = &self.table.columns[*at];
            let options = &self.settings.options;
            let place =
                |number: i32, row: u64| SqlError::new(number, &[&row, &(n + 1), &column.name]);
            if n >= fields.len() {
                return Ok(Some(place(4864, self.row)));
            }
            if column.is_made() || (column.is_identity && !options.keep_identity) {
                out.push(Value::Null);
                continue;
            }
            let (bytes, quoted) = fields.get(&self.reader, n);
            if bytes.is_empty() && !quoted {
                let default = column.default.is_some() && !options.keep_nulls;
                if !column.nullable && !default {
                    let e = place(4869, self.row);
                    return Err(self.fatal(*e));
                }
                out.push(Value::Null);
                continue;
            }
            match convert(bytes, self.settings.format.encoding, column, &self.context) {
                Ok(v) => out.push(v),
                Err(number) => return Ok(Some(place(number, self.row))),
            }
        }
        Ok(None)
    }
}

/// A field as a value of its column: the number of the error otherwise (4863 truncation, 4864 mismatch, 4867 overflow).
fn convert(
    bytes: &[u8],
    encoding: Encoding,
    column: &Column,
    context: &ConvertContext,
) -> Result<Value, i32> {
    const MISMATCH: i32 = 4864;
    let (ty, to) = (column.ty, column.collation.page());
    let from = match encoding {
        Encoding::Page(page) => page,
        Encoding::Raw => to,
        // The reader gives UTF-8.
        Encoding::Utf16 => CodePage::UTF8,
    };
    let context = &context.with_pages(Pages { from, to });
    if ty.family() == Family::Binary {
        let digits = std::str::from_utf8(bytes).map_err(|_| MISMATCH)?;
        let digits = digits.strip_prefix("0x").unwrap_or(digits);
        let value = Value::Binary(Bytes::from_vec(parse_hex(digits).ok_or(MISMATCH)?));
        return store(value, SqlType::VarBinary(MaxLen::Max), ty, context);
    }
    if from != CodePage::UTF8 || bytes.is_ascii() {
        let narrow = ty.family() == Family::Char;
        let bytes = if narrow { to.recode(from, bytes) } else { Bytes::from_slice(bytes) };
        let pages = if narrow { Pages::of(to) } else { Pages { from, to } };
        let context = &context.with_pages(pages);
        return store(Value::VarChar(bytes), SqlType::VarChar(MaxLen::Max), ty, context);
    }
    let text = std::str::from_utf8(bytes).map_err(|_| MISMATCH)?;
    store(Value::nvarchar(text), SqlType::NVarChar(MaxLen::Max), ty, context)
}

fn store(value: Value, from: SqlType, ty: SqlType, context: &ConvertContext) -> Result<Value, i32> {
    assign(value, from, ty, context).map_err(|e| match e {
        AssignError::Truncated(_) => 4863,
        AssignError::Sql(e) => match e.number {
            220 | 232 | 242 | 244 | 248 | 8115 => 4867,
            _ => 4864,
        },
    })
}
