//! Filter predicates of security policies: the rows of a table that a statement reads are those for which each predicate's function
//! has a row.
//!
//! ```text
//! FROM t     rows of t: Select (EXISTS (SELECT 1 FROM f(t.a)))    a function that reads tables
//!            rows of t: Select (conditions of f's WHERE)          a function that reads none: its conditions take the place of its rows
//! ```
//! 1. The condition stands right above the table, below joins and whatever else the statement says of its rows.
//! 2. A predicate sees the columns of its table and nothing of the statement.
//! 3. Tables within a predicate's function are read whatever policies say.
//! 4. A schema-bound predicate needs no permission of the reader of its table; another one needs SELECT on its function.

use super::definition::{alone, without_line};
use super::next_value::DrawPlace;
use super::view::Expansion;
use super::written::Forms;
use super::{Binder, Block, Metadata, Source, SourceKind, Variables, unsupported};
use std::mem::{replace, take};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_catalog::database::Database;
use taffrail_catalog::{BlockedAt, SecurityPredicate, Table};
use taffrail_plan::expr::{Expr, Part, Pred, slots_of};
use taffrail_plan::names::bracketed;
use taffrail_plan::rel::Rel;
use taffrail_plan::slots::SlotSet;
use taffrail_plan::written::{Written, WrittenCall};
use taffrail_syntax::ast;

/// A predicate as a condition over the columns of its table, parsed.
#[derive(Debug)]
pub struct PredicateText {
    /// `EXISTS (SELECT 1 FROM f(…))`.
    pub condition: ast::Expr,
    /// The beginnings of the lines of that text.
    pub lines: ast::LineIndex,
}

static NOTHING: Variables = Variables { list: Vec::new() };

/// Binds the arguments of a predicate's call over the columns of a table: 207, 1046 where one of them is a query. Gives the text of the
/// call as the catalogue keeps it, and the positions of the columns that the arguments read.
pub fn predicate_facts(
    meta: &dyn Metadata,
    (database, table): (&Database, &Table),
    function: (&str, &str),
    arguments: &[ast::Expr],
) -> SqlResult<(String, Vec<usize>)> {
    let (variables, lines) = Default::default();
    let mut binder = alone(meta, database, &variables, &lines);
    binder.over_columns(database, table);
    let (mut written, mut reads) = (Vec::with_capacity(arguments.len()), Vec::new());
    for e in arguments {
        binder.forms = Some(Forms::default());
        let bound = binder.bind_scalar(e).map_err(without_line)?;
        slots_of(Part::Expr(&bound.expr), &mut |s| reads.push(s as usize));
        let form = binder.forms.take().and_then(|mut f| f.take(e));
        written.push(form.ok_or_else(|| unsupported("This argument of a security predicate"))?);
    }
    reads.sort_unstable();
    reads.dedup();
    let name = format!("{}.{}", bracketed(function.0), bracketed(function.1));
    let call = WrittenCall {
        name: name.into(),
        target: None,
        datepart: None,
        trim: None,
        arguments: written,
    };
    let columns: Vec<&str> = table.columns.iter().map(|c| &*c.name).collect();
    let definition = Written::Call(Box::new(call)).definition(&columns);
    Ok((definition, reads))
}

/// The conditions of a relation of one row, or none where rows are read to find whether it has any.
fn of_one_row(rel: &Rel) -> Option<Vec<Pred>> {
    match rel {
        Rel::OneRow => Some(Vec::new()),
        Rel::Project(p) => of_one_row(&p.input),
        Rel::Compute(c) => of_one_row(&c.input),
        Rel::Select(s) => {
            let mut all = of_one_row(&s.input)?;
            let mut read = SlotSet::default();
            s.conditions.iter().for_each(|p| slots_of(Part::Pred(p), &mut |s| read.insert(s)));
            // Its conditions may be those of computed columns, which have no place without the rows.
            let own = s.input.columns();
            if own.common(&read).into_iter().next().is_some() {
                return None;
            }
            all.extend(s.conditions.iter().cloned());
            Some(all)
        }
        _ => None,
    }
}

/// Functions whose answers are about the session's database: a user may have any name, and any role, in another one.
const OF_SESSIONS_DATABASE: [&str; 14] = [
    "CURRENT_USER",
    "DATABASE_PRINCIPAL_ID",
    "DB_ID",
    "DB_NAME",
    "HAS_PERMS_BY_NAME",
    "IS_MEMBER",
    "IS_ROLEMEMBER",
    "PERMISSIONS",
    "SCHEMA_ID",
    "SCHEMA_NAME",
    "SESSION_USER",
    "USER",
    "USER_ID",
    "USER_NAME",
];

fn asks_of_users(rel: &Rel) -> bool {
    fn asks(part: Part<'_>) -> bool {
        let mut found = false;
        match part {
            Part::Plan(_) => {}
            Part::Expr(e) => {
                found =
                    matches!(e, Expr::Call(c) if OF_SESSIONS_DATABASE.contains(&c.function.name()));
                e.children(&mut |p| found |= asks(p));
            }
            Part::Pred(p) => p.children(&mut |p| found |= asks(p)),
        }
        found
    }
    let mut found = false;
    rel.visit(&mut |r| r.parts(&mut |p| found |= asks(p)));
    found
}

impl<'a> Binder<'a> {
    /// The conditions of each source of the block whose table has filter predicates that are on.
    pub(super) fn filters(&mut self) -> SqlResult<Vec<(u32, Vec<Pred>)>> {
        let filtered = |s: &Source| match &s.kind {
            SourceKind::Table { table, .. } => !table.predicates.is_empty(),
            _ => false,
        };
        if self.unguarded || !self.block().sources.iter().any(filtered) {
            return Ok(Vec::new());
        }
        let mut all = Vec::new();
        for at in 0..self.block().sources.len() {
            let SourceKind::Table { database, table, .. } = &self.block().sources[at].kind else {
                continue;
            };
            let (database, table) = (database.clone(), table.clone());
            let id = self.block().sources[at].id;
            let mut conditions = Vec::new();
            for p in table.predicates.iter().filter(|p| p.enabled && p.block.is_none()) {
                self.filter_of(at, &database, p, &mut conditions)?;
            }
            all.push((id, conditions));
        }
        Ok(all)
    }

    /// Binds a predicate of the block's source `at`, of which alone it sees the columns.
    fn filter_of(
        &mut self,
        at: usize,
        database: &Arc<Database>,
        predicate: &SecurityPredicate,
        conditions: &mut Vec<Pred>,
    ) -> SqlResult<()> {
        let text = self.meta.enter_policy(database, predicate)?;
        let mut sources = take(&mut self.block().sources);
        let mut source = sources.swap_remove(at);
        let (object, left_out) = (source.object.take(), replace(&mut source.left_out, false));
        let id = self.block().id;
        let own = Block { id, sources: vec![source], ..Block::default() };
        let outside = replace(self.block(), own);
        let subqueries = self.subqueries.len();
        let hidden: Vec<bool> = self.blocks.iter().map(|b| b.hidden).collect();
        let last = self.blocks.len() - 1;
        self.blocks[..last].iter_mut().for_each(|b| b.hidden = true);
        let bound = self.neutral(database, predicate, |b| b.pred(&text.condition));
        self.blocks.iter_mut().zip(hidden).for_each(|(b, was)| b.hidden = was);
        self.meta.leave_policy();
        let mut own = replace(self.block(), outside);
        let mut source = own.sources.remove(0);
        (source.object, source.left_out) = (object, left_out);
        sources.push(source);
        let last = sources.len() - 1;
        sources.swap(at, last);
        self.block().sources = sources;
        let bound = bound.map_err(without_line)?;
        let Pred::Exists(s) = &bound else { return Err(SqlError::new(5243, &[])) };
        // The last subquery is this one: those within it have come before.
        let plain = of_one_row(&self.subqueries[s.index as usize].rel);
        debug_assert!(s.index as usize >= subqueries, "a subquery of the predicate");
        let elsewhere = self.meta.current_database().is_ok_and(|d| d.id != database.id);
        if elsewhere && self.subqueries[subqueries..].iter().any(|s| asks_of_users(&s.rel)) {
            return Err(unsupported(
                "A security predicate that asks for users of its database, from another database,",
            ));
        }
        match plain.filter(|_| s.index as usize + 1 == self.subqueries.len()) {
            Some(plain) => {
                self.subqueries.pop();
                conditions.extend(plain);
            }
            None => conditions.push(bound),
        }
        Ok(())
    }

    /// Runs `f` where nothing of the statement is seen but its blocks, and notes of it what tables it locks, and what it needs.
    fn neutral<R>(
        &mut self,
        database: &Arc<Database>,
        predicate: &SecurityPredicate,
        f: impl FnOnce(&mut Self) -> SqlResult<R>,
    ) -> SqlResult<R> {
        let text = super::hints::hints(&[], false)?;
        let expansion = Expansion::new((database.id, predicate.policy), text, None, Vec::new());
        self.views.push(expansion);
        let facts = self.facts.clone();
        let unguarded = replace(&mut self.unguarded, true);
        let outer_lists = (
            take(&mut self.ctes),
            take(&mut self.expanding),
            take(&mut self.recursion),
            take(&mut self.namespaces),
            take(&mut self.listed),
        );
        let variables = replace(&mut self.variables, &NOTHING);
        let order = take(&mut self.order_above);
        let windows = take(&mut self.named_windows);
        let flags = (
            take(&mut self.armed),
            take(&mut self.locate),
            take(&mut self.existence),
            take(&mut self.in_output),
            take(&mut self.self_reference),
            take(&mut self.by_row),
        );
        let (one_side, action) = (self.one_side.take(), self.merge_action.take());
        let (missing, mentioned) = (self.missing.take(), self.mentioned.take());
        let (tables, wanted) = (self.named_tables, self.wanted.take());
        let collation = replace(&mut self.collation, database.collation());
        let drawing = take(&mut self.drawing);
        let bound = self.in_place(DrawPlace::Clause, f);
        self.drawing = drawing;
        self.collation = collation;
        (self.named_tables, self.wanted) = (tables, wanted);
        (self.missing, self.mentioned) = (missing, mentioned);
        (self.one_side, self.merge_action) = (one_side, action);
        (
            self.armed,
            self.locate,
            self.existence,
            self.in_output,
            self.self_reference,
            self.by_row,
        ) = flags;
        (self.named_windows, self.order_above, self.variables) = (windows, order, variables);
        (self.ctes, self.expanding, self.recursion, self.namespaces, self.listed) = outer_lists;
        self.unguarded = unguarded;
        self.views.pop();
        match predicate.schema_bound {
            true => self.facts = facts,
            // The names are the policy's, and none of the statement's.
            false => (self.facts.names, self.facts.all_columns) = (facts.names, facts.all_columns),
        }
        bound
    }

    /// Binds a predicate as a statement would that reads the table: what its definition has of mistakes.
    pub fn check_predicate(
        &mut self,
        database: &Arc<Database>,
        table: &Arc<Table>,
        predicate: &SecurityPredicate,
    ) -> SqlResult<()> {
        self.push_block();
        let hints = super::hints::hints(&[], false)?;
        let source =
            self.table_source(database.clone(), table.clone(), table.name(), None, hints)?;
        self.block().sources.push(source);
        let bound = self.filter_of(0, database, predicate, &mut Vec::new());
        self.blocks.pop();
        bound
    }

    /// The functions of block predicates that a change of these columns is held against, and which are not schema-bound: a change of the
    /// rows needs them.
    pub(super) fn needs_of_blocks(
        &mut self,
        database: &Database,
        table: &Table,
        operations: &[BlockedAt],
    ) {
        if table.predicates.is_empty() || self.unguarded {
            return;
        }
        for p in table.predicates.iter().filter(|p| p.enabled && !p.schema_bound) {
            let at = |block: BlockedAt| operations.iter().any(|o| block.is_at(*o));
            if p.block.is_some_and(at)
                && let Some(function) = self.meta.function_by_id(database, p.function)
            {
                self.needs(
                    super::facts::of_view(database, &function),
                    taffrail_plan::facts::Action::Select,
                );
            }
        }
    }
}
