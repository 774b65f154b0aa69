//! FOR SYSTEM_TIME: the versions of its rows that a table shows; and the table of history beside one that is changed.
//!
//! ```text
//! FROM t FOR SYSTEM_TIME AS OF @t   rows of t:           start <= @t AND end > @t
//!                                   UNION ALL
//!                                   rows of its history: start <= @t AND end > @t AND start < end
//! FROM v FOR SYSTEM_TIME …          the same of each table in the view's text that keeps history
//! ```
//! 1. The moments are bound where they are written, and mean there what they mean within a view.
//! 2. A row that one transaction has made and changed has an empty period in the history: no query of versions shows it.
//! 3. A row that is older than its table keeps rows is shown no more, whether it is still there or not.

use super::query::BoundQuery;
use super::view::Expansion;
use super::{Binder, Bound, Hints, Source, bind_text, facts};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_catalog::database::Database;
use taffrail_catalog::{Generated, Table};
use taffrail_plan::expr::{CompareOp, Expr};
use taffrail_plan::facts::Action;
use taffrail_syntax::ast::{self, SetOperator};
use taffrail_types::SqlType;

/// The type by which moments are compared.
const MOMENT: SqlType = SqlType::DateTime2(7);

/// The versions of rows that FOR SYSTEM_TIME asks for, its moments bound.
#[derive(Debug)]
pub(super) enum Times {
    AsOf(Expr),
    FromTo(Expr, Expr),
    Between(Expr, Expr),
    ContainedIn(Expr, Expr),
    All,
}

/// The name of a table as messages about its history show it.
pub(super) fn full_name(database: &Database, table: &Table) -> String {
    format!("{}.{}", database.name, table.head.qualified())
}

/// 13536 where a value is given for a column of the period.
pub(super) fn not_generated(
    database: &Database,
    table: &Table,
    columns: &[usize],
) -> SqlResult<()> {
    let generated = |c: &usize| table.columns[*c].generated != Generated::Never;
    match columns.iter().any(generated) {
        true => Err(SqlError::new(13536, &[&full_name(database, table)])),
        false => Ok(()),
    }
}

/// 13559 to 13562: a statement does not change the rows of a history.
pub(super) fn not_history(database: &Database, table: &Table, number: i32) -> SqlResult<()> {
    match table.head.is_history() {
        true => Err(SqlError::new(number, &[&full_name(database, table)])),
        false => Ok(()),
    }
}

/// A comparison of two moments, of a column or a value.
type Compared = (CompareOp, Bound, Bound);

impl<'a> Binder<'a> {
    /// The versions that are asked for beside a name.
    pub(super) fn times(&mut self, n: &'a ast::NamedTable) -> SqlResult<Option<Arc<Times>>> {
        let Some(written) = &n.system_time else { return Ok(None) };
        let mut moment = |e: &'a ast::Expr| {
            let bound = self.expr(e)?;
            self.cast_to(bound, MOMENT)
        };
        Ok(Some(Arc::new(match written {
            ast::SystemTime::AsOf(t) => Times::AsOf(moment(t)?),
            ast::SystemTime::FromTo(a, b) => Times::FromTo(moment(a)?, moment(b)?),
            ast::SystemTime::Between(a, b) => Times::Between(moment(a)?, moment(b)?),
            ast::SystemTime::ContainedIn(a, b) => Times::ContainedIn(moment(a)?, moment(b)?),
            ast::SystemTime::All => Times::All,
        })))
    }

    /// The versions that are asked for of the view in whose text the binder stands.
    fn outer_times(&self) -> Option<Arc<Times>> {
        self.views.last().and_then(|v| v.times.clone())
    }

    /// Those of a view that stands in another one, or of a table: 13590 where both the text and what is outside of it ask.
    pub(super) fn times_within(
        &self,
        own: Option<Arc<Times>>,
        named: &str,
    ) -> SqlResult<Option<Arc<Times>>> {
        match (own, self.outer_times()) {
            (Some(_), Some(_)) => Err(SqlError::new(13590, &[&named])),
            (own, outer) => Ok(own.or(outer)),
        }
    }

    /// The view has been bound: 13544 where versions were asked for, and no table of it has any.
    pub(super) fn settle_times(
        &mut self,
        view: Expansion,
        named: &str,
        own: bool,
    ) -> SqlResult<()> {
        match (view.versioned, self.views.last_mut()) {
            (false, _) if own => return Err(SqlError::new(13544, &[&named])),
            (true, Some(outer)) => outer.versioned = true,
            _ => {}
        }
        Ok(())
    }

    /// 13544 for what keeps no history.
    pub(super) fn has_versions(&self, n: &ast::NamedTable) -> SqlResult<()> {
        match n.system_time {
            Some(_) => Err(SqlError::new(13544, &[&n.name])),
            None => Ok(()),
        }
    }

    /// A table in FROM, with the versions of its rows that are asked for. `schema`: what may qualify its name.
    pub(super) fn table_or_versions(
        &mut self,
        (database, table): (Arc<Database>, Arc<Table>),
        (alias, schema): (&str, Option<Arc<str>>),
        hints: Hints,
        own: Option<Arc<Times>>,
    ) -> SqlResult<Source> {
        let asked = own.is_some();
        if !asked && self.outer_times().is_none() {
            return self.table_source(database, table, alias, schema, hints);
        }
        let name = full_name(&database, &table);
        let history = self.meta.history(&database, &table)?;
        match (history, table.period, asked) {
            (Some(history), Some(period), _) => {
                let times = self.times_within(own, &name)?.unwrap_or(Arc::new(Times::All));
                if let Some(view) = self.views.last_mut() {
                    view.versioned = true;
                }
                let of = (database, table, history);
                self.versions(of, period, (alias, schema), hints, &times)
            }
            (_, _, true) => Err(SqlError::new(13544, &[&name])),
            (_, _, false) => self.table_source(database, table, alias, schema, hints),
        }
    }

    /// The rows of a table and of its history as one source.
    fn versions(
        &mut self,
        (database, table, history): (Arc<Database>, Arc<Table>, Arc<Table>),
        period: (usize, usize),
        (alias, schema): (&str, Option<Arc<str>>),
        hints: Hints,
        times: &Times,
    ) -> SqlResult<Source> {
        let object = facts::of_table(&database, &table);
        if let Some(old) = facts::of_table(&database, &history) {
            self.needs(old, Action::Select);
        }
        let kept = table.head.retention().map(|r| r.cutoff());
        let kept = kept.map(|text| bind_text(self.meta, &database, &text)).transpose()?;
        let hidden: Vec<bool> = table.columns.iter().map(|c| c.is_hidden).collect();
        let of_history = Hints { access: Default::default(), ..hints };
        let current = self.branch((database.clone(), table), period, hints, times, None)?;
        let old = Some(kept.map(|(e, ty)| Bound::new(e, ty)));
        let old = self.branch((database, history), period, of_history, times, old)?;
        let both = self.combined(current, vec![(SetOperator::UnionAll, old)])?;
        let mut source = self.derived_source(both, alias, &[])?;
        for (column, hidden) in source.columns.iter_mut().zip(hidden) {
            column.hidden = hidden;
        }
        Ok(Source { schema, object, ..source })
    }

    /// The rows of one of the two tables that `times` asks for. `old`: they are of the history, and the moment from which on it keeps rows.
    fn branch(
        &mut self,
        of: (Arc<Database>, Arc<Table>),
        period: (usize, usize),
        hints: Hints,
        times: &Times,
        old: Option<Option<Bound>>,
    ) -> SqlResult<BoundQuery> {
        self.count_table()?;
        self.push_block();
        let bound = self.branch_in_block(of, period, hints, times, old);
        self.blocks.pop();
        bound
    }

    fn branch_in_block(
        &mut self,
        (database, table): (Arc<Database>, Arc<Table>),
        period: (usize, usize),
        hints: Hints,
        times: &Times,
        old: Option<Option<Bound>>,
    ) -> SqlResult<BoundQuery> {
        let names: Vec<Arc<str>> = table.columns.iter().map(|c| c.name.clone()).collect();
        let called = table.head.name.clone();
        let mut source = self.table_source(database, table, &called, None, hints)?;
        // The columns that the statement names are what it needs.
        source.object = None;
        let tree = self.add_source(source)?;
        let depth = self.blocks.len() - 1;
        let mut outputs = Vec::with_capacity(names.len());
        for at in 0..names.len() {
            match self.source_column(depth, 0, at).expr {
                Expr::Slot(slot) => outputs.push(slot),
                _ => return Err(SqlError::new(5243, &[])),
            }
        }
        let start = self.source_column(depth, 0, period.0);
        let end = self.source_column(depth, 0, period.1);
        let mut conditions = Vec::new();
        for (op, left, right) in compared(times, (&start, &end), old) {
            conditions.push(self.compare(op, left, right)?);
        }
        let rel = self.take_from(vec![tree], conditions)?;
        let columns = self.described(&rel, &outputs, &names);
        Ok(BoundQuery { rel, outputs, columns, ..BoundQuery::default() })
    }

    /// The table in which a change of rows leaves what they were is locked along with the one that is changed.
    pub(super) fn keeps_history(
        &mut self,
        database: &Arc<Database>,
        table: &Arc<Table>,
    ) -> SqlResult<()> {
        if let Some(history) = self.meta.history(database, table)? {
            let hints = super::hints::hints(&[], true)?;
            self.use_table(database, &history, hints);
        }
        Ok(())
    }
}

/// The comparisons that a row's period has to stand.
fn compared(
    times: &Times,
    (start, end): (&Bound, &Bound),
    old: Option<Option<Bound>>,
) -> Vec<Compared> {
    use CompareOp::{Ge, Gt, Le, Lt};
    let moment = |e: &Expr| Bound::new(e.clone(), MOMENT);
    let again = |b: &Bound| Bound { nullable: b.nullable, ..Bound::new(b.expr.clone(), b.ty) };
    let (start, end) = (|| again(start), || again(end));
    let mut all = match times {
        Times::AsOf(t) => vec![(Le, start(), moment(t)), (Gt, end(), moment(t))],
        Times::FromTo(a, b) => {
            vec![(Lt, start(), moment(b)), (Gt, end(), moment(a)), (Le, moment(a), moment(b))]
        }
        Times::Between(a, b) => {
            vec![(Le, start(), moment(b)), (Gt, end(), moment(a)), (Le, moment(a), moment(b))]
        }
        Times::ContainedIn(a, b) => vec![(Ge, start(), moment(a)), (Le, end(), moment(b))],
        Times::All => Vec::new(),
    };
    if let Some(kept) = old {
        all.push((Lt, start(), end()));
        all.extend(kept.map(|from| (Ge, end(), from)));
    }
    all
}
