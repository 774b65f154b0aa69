//! `INSERT … EXEC`: the rows of a procedure or text go into a table.
//!
//! The statement and all that it runs are one: what is changed in there stays or goes with the INSERT. In autocommit the
//! statement is a transaction of its own, which its insides see (`@@TRANCOUNT` 1) and cannot end; in a transaction it is
//! undone to where it began. Rows are kept until what makes them has ended, then they are inserted.
//!
//! | inside | what happens |
//! |---|---|
//! | an error that ends its statement only | told; the insides go on, and the INSERT takes their rows |
//! | an error that ends the outermost module (208) | told; the INSERT takes the rows so far, and has no count |
//! | a result of other columns than the INSERT's (213) | told there; the insides and the INSERT end, the batch goes on |
//! | an error that ends the batch | told; everything is undone |
//! | any error, in a TRY that encloses the INSERT | everything is undone; CATCH runs |
//! | BEGIN without COMMIT | the transaction stays open behind the INSERT: it is the client's now |

use super::activation::{Taking, Way};
use super::interpret::{Ended, Flow, Interpreter, Step, Unwind};
use super::modify::insert::insert_stored;
use super::module::{Execute, Module, Plan, Stmt};
use super::planning::Source;
use super::rows::{RowStore, SpillFile, SpillSpace};
use crate::catalog::Column;
use crate::database::Database;
use crate::plan::change::{ColumnSource, InsertPlan};
use crate::plan::statement::Statement;
use crate::sink::ClientGone;
use crate::sink::{ColumnDesc, Command, Done, DoneKind, EnvChange, Large, ResultSink, SinkResult};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast;
use taffrail_types::convert::{Declared, Kind};
use taffrail_types::{CodePage, Conversion, Family, Pages, SqlType, Value, convert};

/// The state of a 213 that a result inside an INSERT … EXEC raises.
const OTHER_COLUMNS: u8 = 7;

/// Results in the order in which they came.
type Results = Vec<(Vec<ColumnDesc>, RowStore)>;

impl Interpreter<'_> {
    /// `INSERT … EXEC`: 8164 for one within another.
    pub(super) fn insert_exec(
        &mut self,
        module: &Arc<Module>,
        s: &Stmt,
        i: &ast::Insert,
        e: &Execute,
    ) -> Step {
        let fail = |it: &mut Self, e| it.fail(module, s, e, true, Command::INSERT);
        if self.session.activation.taking.is_some() {
            return fail(self, SqlError::new(8164, &[]));
        }
        if self.session.transaction.doomed {
            return fail(self, SqlError::new(3930, &[]));
        }
        if let Err(e) = self.session.begin_implicitly(self.sink) {
            return fail(self, e);
        }
        let open = self.session.open_insert_exec();
        let result = self.run_and_insert(module, s, i, e);
        let kept = matches!(result, Ok(Ok(_)));
        let closed = self.session.close_insert_exec(open, kept, self.sink);
        match (result, closed) {
            (Ok(Ok(ended)), Ok(())) => {
                self.session.publish_work();
                self.done(ended)
            }
            (Ok(Ok(_)), Err(e)) => fail(self, e),
            // Its own error is what the client has to hear, unless undoing it was worse.
            (Ok(Err(e)), Err(undo)) if undo.severity > e.severity => fail(self, undo),
            (Ok(Err(e)), _) => fail(self, e),
            (Err(Unwind::Insert), closed) => {
                if let Err(undo) = closed {
                    return fail(self, undo);
                }
                self.session.activation.last.row_count = 0;
                self.session.activation.last.error = 0;
                self.insert_failed()?;
                Ok(Flow::Next)
            }
            (Err(Unwind::Batch), _) => {
                self.insert_failed()?;
                Err(Unwind::Batch)
            }
            (Err(other), _) => Err(other),
        }
    }

    /// The DONE of an INSERT whose insides have told why it fails.
    fn insert_failed(&mut self) -> Result<(), Unwind> {
        let kind = match self.session.activation.nest_level {
            0 => DoneKind::Statement,
            _ => DoneKind::InProcedure,
        };
        let done = Done { kind, command: Command::INSERT, rows: None, error: true };
        self.sink.done(done).map_err(|_| Unwind::Gone)
    }

    /// What is inside, and then the INSERT. The outer error unwinds, the inner one is the statement's.
    fn run_and_insert(
        &mut self,
        module: &Arc<Module>,
        s: &Stmt,
        i: &ast::Insert,
        e: &Execute,
    ) -> Result<SqlResult<Ended>, Unwind> {
        // The target must be there before anything runs.
        let source = Source::Insert(i);
        let planned = self.in_statement(|it| {
            let plan = it.locked_plan(module, s.plan, s.visible, &source)?;
            if it.session.activation.options.profiling.is_on() {
                // Those of what is inside begin after it.
                it.session.notes_plan(module, &plan);
            }
            Ok(insert_of(&plan.kind).source_types.clone())
        });
        let types = match planned {
            Ok(types) => types,
            Err(e) => return Ok(Err(e)),
        };
        let captured = self.capture(module, s, e, types.len())?;
        let (mut results, cut) = match captured {
            Ok(captured) => captured,
            Err(e) => return Ok(Err(e)),
        };
        if self.session.transaction.doomed {
            return Ok(Err(SqlError::new(3930, &[])));
        }
        let inserted = self.again_with_room(|it| {
            it.in_statement(|it| {
                let plan = it.locked_plan(module, s.plan, s.visible, &source)?;
                let insert = insert_of(&plan.kind);
                if insert.source_types != types {
                    return Err(SqlError::new(556, &[]));
                }
                it.one_writer(&plan)?;
                let context = it.session.convert_context();
                let mut count = 0;
                let limit = it.session.row_limit();
                if results.is_empty() {
                    // A statement without rows fires its triggers, too.
                    let none = &mut RowStore::in_order(insert.source_types.len());
                    it.with_runtime(&plan, s.line, |rt| {
                        insert_stored(rt, insert, (none, 0), |_| Ok(None))
                    })?;
                }
                for (columns, rows) in &mut results {
                    let number = rows.len().min((limit - count) as usize);
                    let put = Put { columns, insert, context: &context };
                    let added = put.rows(it, &plan, s.line, (rows, number));
                    if added.is_err() {
                        it.session.running.due.clear();
                    }
                    count += added?;
                }
                it.fire_due(count)?;
                Ok(count)
            })
        });
        Ok(inserted.map(|count| {
            self.session.activation.last.row_count = count as i64;
            if !cut {
                self.session.activation.last.error = 0;
            }
            Ended { command: Command::INSERT, rows: (!cut).then_some(count) }
        }))
    }

    /// Runs what is inside; its results, and whether an error has ended it early.
    fn capture(
        &mut self,
        module: &Arc<Module>,
        s: &Stmt,
        e: &Execute,
        columns: usize,
    ) -> Result<SqlResult<(Results, bool)>, Unwind> {
        let (target, passed) = match self.evaluate(module, s, e) {
            Ok(evaluated) => evaluated,
            Err(e) => return Ok(Err(e)),
        };
        let tempdb = match self.session.instance.databases().tempdb() {
            Ok(tempdb) => tempdb,
            Err(e) => return Ok(Err(e)),
        };
        let (results, file, refused) = (Vec::new(), None, None);
        let mut sink = Capture { inner: self.sink, results, tempdb, file, refused };
        let taking = Taking { columns, transactions: self.session.transaction.count };
        let mut inner = Interpreter::new(self.session, &mut sink);
        inner.shown = self.shown;
        let way = Way { taking: Some(taking), ..Way::of_execute(e) };
        let returned = match inner.call_target(module, target, &passed, way)? {
            Ok(returned) => returned,
            Err(failed) => return Ok(Err(failed.error)),
        };
        let kept = sink.results;
        Ok(self.take_back(e, &returned).map(|()| (kept, returned.cut)))
    }
}

/// The plan of an INSERT.
fn insert_of(kind: &Statement) -> &InsertPlan {
    match kind {
        Statement::Insert(insert) => insert,
        _ => unreachable!("planned from an INSERT"),
    }
}

/// A result that begins inside an INSERT … EXEC must have its columns: 213. It is an error of the statement that makes the rows, but ends
/// the INSERT.
pub(crate) fn check_columns(taking: Option<Taking>, columns: &[ColumnDesc]) -> SqlResult<()> {
    match taking {
        Some(taking) if taking.columns != columns.len() => {
            Err(SqlError::new(213, &[]).with_state(OTHER_COLUMNS))
        }
        _ => Ok(()),
    }
}

/// Whether an error inside an INSERT … EXEC is that of [`check_columns`].
pub(super) fn ends_insert(e: &SqlError) -> bool {
    e.number == 213 && e.state == OTHER_COLUMNS
}

/// What the columns that the INSERT names are declared as, in its order.
fn targets(insert: &InsertPlan) -> impl Iterator<Item = Declared> + Clone {
    (0..insert.source_types.len()).map(|n| target(insert, n).declared())
}

/// The column that a captured one goes to.
fn target(insert: &InsertPlan, source: usize) -> &Column {
    let goes_there = |c: &ColumnSource| matches!(c, ColumnSource::Source(at) if *at == source);
    let column = insert.columns.iter().position(goes_there).expect("each goes to a column");
    &insert.table.columns[column]
}

/// Rows of a result on their way into the table.
struct Put<'p> {
    columns: &'p [ColumnDesc],
    insert: &'p InsertPlan,
    context: &'p taffrail_types::ConvertContext,
}

impl Put<'_> {
    /// Inserts so many of the rows: 206, 257 where their types are not the table's.
    fn rows(
        &self,
        it: &mut Interpreter<'_>,
        plan: &Arc<Plan>,
        line: u32,
        (rows, number): (&mut RowStore, usize),
    ) -> SqlResult<u64> {
        let Put { columns, insert, context } = *self;
        let targets: Vec<Declared> = targets(insert).collect();
        let same = columns.iter().map(ColumnDesc::declared).eq(targets.iter().copied());
        let of_page = |(at, c): (usize, &ColumnDesc)| {
            let own = c.collation.unwrap_or_default().page();
            c.ty.family() != Family::Char || own == target(insert, at).collation.page()
        };
        let same = same && columns.iter().enumerate().all(of_page);
        columns.iter().zip(&targets).try_for_each(|(c, to)| {
            convert::check_declared(c.declared(), *to, Conversion::Implicit)
        })?;
        let converted = |row: &[Value]| match same {
            true => Ok(None),
            false => convert_row(row, columns, insert, &targets, context).map(Some),
        };
        it.with_runtime(plan, line, |rt| insert_stored(rt, insert, (rows, number), converted))
    }
}

/// Brings a captured row to what the target's columns are declared as; what becomes xml is read.
fn convert_row(
    row: &[Value],
    columns: &[ColumnDesc],
    insert: &InsertPlan,
    targets: &[Declared],
    context: &taffrail_types::ConvertContext,
) -> SqlResult<Vec<Value>> {
    let mut row = row.to_vec();
    for (at, ((v, c), to)) in row.iter_mut().zip(columns).zip(targets).enumerate() {
        if v.is_null() {
            continue;
        }
        if to.kind == Kind::Xml && c.large != Large::Xml {
            let page = c.collation.unwrap_or_default().page();
            *v = crate::functions::xml::as_xml_of(v, 0, page)?;
            continue;
        }
        let t = &to.ty;
        if c.ty == *t && t.family() != Family::Char {
            continue;
        }
        let from = c.collation.unwrap_or_default().page();
        let pages = Pages { from, to: target(insert, at).collation.page() };
        if c.ty == *t && from == pages.to {
            continue;
        }
        let context = &context.with_pages(pages);
        // Lengths are checked where the row is stored.
        let wide = match t {
            SqlType::VarChar(_) | SqlType::Char(_) => SqlType::VarChar(taffrail_types::MaxLen::Max),
            SqlType::NVarChar(_) | SqlType::NChar(_) => {
                SqlType::NVarChar(taffrail_types::MaxLen::Max)
            }
            t => *t,
        };
        let exact = convert::cast_with(v, c.ty, *t, None, Conversion::Implicit, context)?;
        let long = convert::cast_with(v, c.ty, wide, None, Conversion::Implicit, context)?;
        let cut = match (exact.as_bytes(), long.as_bytes()) {
            (Some(a), Some(b)) => a.len() < b.trim_ascii_end().len(),
            _ => false,
        };
        if cut {
            return Err(too_long(insert, at, &exact, pages.to));
        }
        *v = exact;
    }
    Ok(row)
}

/// 2628: a captured value that is longer than the column it goes to.
fn too_long(insert: &InsertPlan, source: usize, cut: &Value, page: CodePage) -> Box<SqlError> {
    let column = &target(insert, source).name;
    let table = super::modify::full_name(&insert.database, &insert.table);
    SqlError::new(2628, &[&table, column, &cut.text_of(page).unwrap_or_default()])
}

/// Keeps rows, passes messages on.
struct Capture<'c> {
    inner: &'c mut dyn ResultSink,
    results: Results,
    tempdb: Arc<Database>,
    /// The file of rows that have no room in memory.
    file: Option<Arc<SpillFile>>,
    /// The error of a row that could not be kept, until the statement that made it raises it.
    refused: Option<Box<SqlError>>,
}

impl Capture<'_> {
    fn keep(&mut self, values: &[Value]) -> SqlResult<()> {
        let Some((_, rows)) = self.results.last_mut() else { return Ok(()) };
        rows.add_in(values, || {
            if let Some(file) = &self.file {
                return Ok(file.clone());
            }
            Ok(self.file.insert(SpillSpace::beside(&self.tempdb.storage).create()?).clone())
        })
    }
}

impl ResultSink for Capture<'_> {
    fn columns(&mut self, columns: &[ColumnDesc]) -> SinkResult {
        self.results.push((columns.to_vec(), RowStore::in_order(columns.len())));
        Ok(())
    }

    fn row(&mut self, values: &[Value]) -> SinkResult {
        self.keep(values).map_err(|e| {
            self.refused = Some(e);
            ClientGone
        })
    }

    fn refusal(&mut self) -> Option<Box<SqlError>> {
        self.refused.take().or_else(|| self.inner.refusal())
    }

    fn message(&mut self, message: &SqlError) -> SinkResult {
        self.inner.message(message)
    }

    fn env_change(&mut self, change: EnvChange) -> SinkResult {
        self.inner.env_change(change)
    }

    fn flush(&mut self) -> SinkResult {
        self.inner.flush()
    }
}
