//! INSERT, UPDATE, DELETE.

use super::from::FromTree;
use super::query::{BoundQuery, arith_op};
use super::{Binder, Bound, Resolved, Source, SourceKind, SlotInfo, eq, unsupported};
use crate::catalog::{IndexKind, Table};
use crate::database::Database;
use crate::plan::expr::{Expr, Pred, Slot};
use crate::plan::node::{
    Access, Assignment, ColumnSource, DeletePlan, InsertPlan, InsertRows, LockHint, Node, OutputPlan,
    QueryPlan, TableLock, Top, UpdatePlan,
};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{self, ExprKind, InsertSource, SelectItem, TableRef};
use taffrail_types::SqlType;

/// A change, bound and planned.
pub enum BoundDml {
    /// INSERT.
    Insert(Box<InsertPlan>),
    /// UPDATE.
    Update(Box<UpdatePlan>),
    /// DELETE.
    Delete(Box<DeletePlan>),
}

/// A table that is changed.
struct Target {
    database: Arc<Database>,
    table: Arc<Table>,
    table_lock: TableLock,
}

impl<'a> Binder<'a> {
    fn insert_target(&mut self, t: &'a TableRef) -> SqlResult<Target> {
        match t {
            TableRef::Named(n) => {
                let line = self.line(n.name.span);
                let hints = super::from::hints(&n.hints, true)?;
                match self.meta.table(&n.name).map_err(|e| e.with_line(line))? {
                    Resolved::Table(database, table) => {
                        self.use_table(&database, &table, hints);
                        Ok(Target { database, table, table_lock: hints.table_lock })
                    }
                    Resolved::View(..) => Err(SqlError::new(259, &[])),
                }
            }
            TableRef::Variable(v) => {
                let (database, table) = self.meta.table_variable(&v.name.value)?;
                let hints = super::from::hints(&[], true)?;
                self.use_table(&database, &table, hints);
                Ok(Target { database, table, table_lock: TableLock::Intent })
            }
            _ => Err(unsupported(&"This target")),
        }
    }

    /// INSERT.
    pub fn bind_insert(&mut self, i: &'a ast::Insert) -> SqlResult<InsertPlan> {
        self.with(&i.with)?;
        let target = self.insert_target(&i.target)?;
        let table = target.table.clone();
        let columns = self.insert_columns(&table, &i.columns)?;
        let explicit_identity = self.check_identity(&target, &columns, !i.columns.is_empty())?;
        let top = match &i.top {
            None => None,
            Some(t) if t.percent => return Err(unsupported(&"INSERT with TOP PERCENT")),
            Some(t) => {
                let b = self.expr(&t.count)?;
                Some(self.cast_to(b, SqlType::BigInt)?)
            }
        };
        let mut spool = false;
        let (rows, source_types, columns) = match &i.source {
            InsertSource::DefaultValues => {
                (InsertRows::Values(vec![Vec::new()]), Vec::new(), Vec::new())
            }
            InsertSource::Values(rows) => {
                let (rows, types) = self.insert_values(rows, columns.len(), &i.columns)?;
                (InsertRows::Values(rows), types, columns)
            }
            InsertSource::Query(q) => {
                let BoundQuery { node, outputs, columns: descs, assign, .. } =
                    self.query(q, false)?;
                if !assign.is_empty() {
                    return Err(SqlError::new(199, &[]));
                }
                self.check_width(descs.len(), columns.len(), &i.columns, true)?;
                spool = reads_table(&node, &table);
                let types = descs.iter().map(|d| d.ty).collect();
                (InsertRows::Query(QueryPlan { node, outputs, columns: descs }), types, columns)
            }
            InsertSource::Execute(_) => {
                if !i.output.is_empty() {
                    return Err(SqlError::new(483, &[]));
                }
                let types = columns.iter().map(|c| table.columns[*c].ty).collect();
                (InsertRows::External, types, columns)
            }
        };
        let output = self.output(&i.output, &target, true, false)?;
        let mut plan = self.insert_plan(target, rows, source_types, &columns, explicit_identity)?;
        plan.spool = spool;
        plan.top = top;
        plan.output = output;
        Ok(plan)
    }

    fn insert_plan(
        &mut self,
        target: Target,
        rows: InsertRows,
        source_types: Vec<SqlType>,
        columns: &[usize],
        explicit_identity: bool,
    ) -> SqlResult<InsertPlan> {
        let Target { database, table, table_lock } = target;
        let mut sources = Vec::with_capacity(table.columns.len());
        let mut defaults = Vec::with_capacity(table.columns.len());
        for at in 0..table.columns.len() {
            sources.push(match columns.iter().position(|c| *c == at) {
                Some(n) => ColumnSource::Source(n),
                None => self.default_source(&table, at)?,
            });
            defaults.push(self.default_source(&table, at)?);
        }
        Ok(InsertPlan {
            same_layout: same_layout(&rows, &source_types, &table, &sources),
            checks: self.checks(&table)?,
            database,
            table,
            rows,
            source_types,
            columns: sources,
            defaults,
            explicit_identity,
            spool: false,
            top: None,
            table_lock,
            output: None,
        })
    }

    /// A plan that puts rows which are handed in into a table.
    pub fn bind_external_insert(
        &mut self,
        database: Arc<Database>,
        table: Arc<Table>,
        types: Vec<SqlType>,
    ) -> SqlResult<InsertPlan> {
        let columns: Vec<usize> =
            (0..table.columns.len()).filter(|c| !table.columns[*c].is_identity).collect();
        let columns =
            if columns.len() == types.len() { columns } else { (0..types.len()).collect() };
        let explicit = columns.iter().any(|c| table.columns[*c].is_identity);
        let target = Target { database, table, table_lock: TableLock::Intent };
        self.insert_plan(target, InsertRows::External, types, &columns, explicit)
    }

    fn default_source(&mut self, table: &Table, at: usize) -> SqlResult<ColumnSource> {
        let c = &table.columns[at];
        if c.is_identity {
            return Ok(ColumnSource::Identity);
        }
        match &c.default {
            None => Ok(ColumnSource::Null),
            Some(d) => {
                let (expr, ty) = bind_text(self.meta, &d.definition)?;
                Ok(ColumnSource::Expr(expr, ty))
            }
        }
    }

    fn check_width(
        &self,
        have: usize,
        want: usize,
        named: &[ast::Ident],
        query: bool,
    ) -> SqlResult<()> {
        if have == want {
            return Ok(());
        }
        let number = match (named.is_empty(), query, have < want) {
            (true, _, _) => 213,
            (false, true, true) => 120,
            (false, true, false) => 121,
            (false, false, true) => 109,
            (false, false, false) => 110,
        };
        Err(SqlError::new(number, &[]))
    }

    /// Positions of the columns that an INSERT gives values for, in its order.
    fn insert_columns(&self, table: &Table, named: &[ast::Ident]) -> SqlResult<Vec<usize>> {
        if named.is_empty() {
            let all = 0..table.columns.len();
            return Ok(all
                .filter(|c| {
                    let c = &table.columns[*c];
                    c.ty != SqlType::RowVersion && !c.is_identity
                })
                .collect());
        }
        let mut out = Vec::with_capacity(named.len());
        for n in named {
            let at = table
                .column(&n.value)
                .ok_or_else(|| self.at(SqlError::new(207, &[&n.value]), n.span))?;
            if out.contains(&at) {
                return Err(SqlError::new(264, &[&n.value]));
            }
            out.push(at);
        }
        Ok(out)
    }

    fn check_identity(
        &self,
        target: &Target,
        columns: &[usize],
        named: bool,
    ) -> SqlResult<bool> {
        let table = &target.table;
        let given = columns.iter().any(|c| table.columns[*c].is_identity);
        let allowed = self.meta.identity_insert(&target.database, table);
        match (given, allowed) {
            (true, false) => Err(SqlError::new(544, &[&table.name()])),
            (false, true) if table.identity.is_some() && !named => {
                Err(SqlError::new(8101, &[&table.name()]))
            }
            (false, true) if table.identity.is_some() => {
                Err(SqlError::new(545, &[&table.name()]))
            }
            _ => Ok(given),
        }
    }

    #[allow(clippy::type_complexity)]
    fn insert_values(
        &mut self,
        rows: &'a [Vec<ast::Expr>],
        width: usize,
        named: &[ast::Ident],
    ) -> SqlResult<(Vec<Vec<Option<Expr>>>, Vec<SqlType>)> {
        let mut bound: Vec<Vec<Option<Bound>>> = Vec::with_capacity(rows.len());
        for row in rows {
            if rows.len() > 1 && row.len() != rows[0].len() {
                return Err(SqlError::new(10709, &[]));
            }
            self.check_width(row.len(), width, named, false)?;
            let mut out = Vec::with_capacity(row.len());
            for e in row {
                out.push(match e.kind {
                    ExprKind::Default => None,
                    _ => Some(self.expr(e)?),
                });
            }
            bound.push(out);
        }
        let mut types = Vec::with_capacity(width);
        for i in 0..width {
            let all: Vec<&Bound> = bound.iter().filter_map(|r| r[i].as_ref()).collect();
            types.push(self.common(&all)?.0);
        }
        let mut out = Vec::with_capacity(bound.len());
        for row in bound {
            let one = |(b, ty): (Option<Bound>, &SqlType)| match b {
                None => Ok(None),
                Some(b) => self.cast_to(b, *ty).map(Some),
            };
            out.push(row.into_iter().zip(&types).map(one).collect::<SqlResult<Vec<_>>>()?);
        }
        Ok((out, types))
    }

    /// CHECK constraints over the table's columns: slot `n` of the check's own frame is column `n`.
    fn checks(&self, table: &Arc<Table>) -> SqlResult<Vec<(Arc<str>, Pred)>> {
        let mut out = Vec::new();
        for c in &table.checks {
            out.push((c.name.clone(), bind_check(self.meta, table, &c.definition)?));
        }
        Ok(out)
    }

    /// The target of an UPDATE or DELETE: its block is open, its source id is returned.
    fn change_target(
        &mut self,
        target: &'a TableRef,
        from: &'a [TableRef],
    ) -> SqlResult<(Target, u32, Vec<FromTree>)> {
        let mut trees = self.from_list(from)?;
        let (name, hints) = match target {
            TableRef::Named(n) => (Some(&n.name), super::from::hints(&n.hints, true)?),
            TableRef::Variable(v) => (None, super::from::hints(&v.hints, true)?),
            _ => return Err(unsupported(&"This target")),
        };
        // An alias of FROM, or a table that stands there once.
        let mut at = None;
        if let Some(name) = name {
            let sources = &self.block().sources;
            at = sources.iter().position(|s| {
                name.as_bare().is_some_and(|n| eq(&s.alias, &n.value)) || s.is_called(name)
            });
            if at.is_none() && !from.is_empty() {
                let wanted = match self.meta.table(name) {
                    Ok(Resolved::Table(_, t)) => Some(t.id()),
                    _ => None,
                };
                let same = |s: &&Source| match &s.kind {
                    SourceKind::Table { table, .. } => Some(table.id()) == wanted,
                    _ => false,
                };
                let sources = &self.block().sources;
                if sources.iter().filter(same).count() > 1 {
                    return Err(SqlError::new(8154, &[&name.name.value]));
                }
                at = sources.iter().position(|s| same(&s));
            }
        }
        let at = match at {
            Some(at) => at,
            None => {
                let t = self.insert_target(target)?;
                let (alias, schema) = match target {
                    TableRef::Variable(v) => (v.name.value.to_string(), None),
                    _ => (t.table.name().to_string(), Some(t.table.head.schema.clone())),
                };
                let source = self.table_source(t.database, t.table, &alias, schema, hints);
                trees.push(FromTree::Source(source.id));
                self.block().sources.push(source);
                self.block().sources.len() - 1
            }
        };
        let block = self.block().id;
        let source = &mut self.blocks.last_mut().expect("open").sources[at];
        let id = source.id;
        let SourceKind::Table { database, table, hints: own } = &mut source.kind else {
            return Err(match &source.kind {
                SourceKind::View { .. } => SqlError::new(259, &[]),
                _ => SqlError::new(4421, &[&source.alias]),
            });
        };
        if !matches!(own.locks, LockHint::Update | LockHint::Exclusive) {
            own.locks = hints.locks;
        }
        if hints.table_lock != TableLock::Intent {
            own.table_lock = hints.table_lock;
        }
        let target =
            Target { database: database.clone(), table: table.clone(), table_lock: own.table_lock };
        let own = *own;
        self.use_table(&target.database, &target.table, own);
        let slot = self.new_slot(SlotInfo {
            ty: SqlType::VarBinary(taffrail_types::MaxLen::N(1800)),
            nullable: true,
            collation: Default::default(),
            block,
            source: id,
            identity: false,
            table: "".into(),
            column: "".into(),
        });
        self.blocks.last_mut().expect("open").sources[at].locator = Some(slot);
        Ok((target, id, trees))
    }

    fn filter(&mut self, filter: &'a Option<ast::DmlFilter>) -> SqlResult<Vec<Pred>> {
        let mut out = Vec::new();
        match filter {
            None => {}
            Some(ast::DmlFilter::Condition(e)) => self.pred(e)?.into_conjuncts(&mut out),
            Some(ast::DmlFilter::CurrentOf(_)) => return Err(unsupported(&"WHERE CURRENT OF")),
        }
        Ok(out)
    }

    fn change_top(&mut self, node: Node, top: &'a Option<ast::Top>) -> SqlResult<Node> {
        let Some(top) = top else { return Ok(node) };
        self.push_block();
        let b = self.expr(&top.count);
        self.blocks.pop();
        let ty = if top.percent { SqlType::Float } else { SqlType::BigInt };
        let count = self.cast_to(b?, ty)?;
        let save: Vec<Slot> = (0..self.slots.len() as Slot).collect();
        Ok(Node::Top(Box::new(Top {
            input: node,
            count: Some(count),
            percent: top.percent,
            ties: None,
            offset: None,
            save,
        })))
    }

    /// UPDATE.
    pub fn bind_update(&mut self, u: &'a ast::Update) -> SqlResult<UpdatePlan> {
        self.with(&u.with)?;
        self.push_block();
        let r = self.update_in_block(u);
        self.blocks.pop();
        r
    }

    fn update_in_block(&mut self, u: &'a ast::Update) -> SqlResult<UpdatePlan> {
        let (target, id, trees) = self.change_target(&u.target, &u.from)?;
        let table = target.table.clone();
        let mut set: Vec<Assignment> = Vec::new();
        let mut variables = Vec::new();
        for clause in &u.set {
            let ast::SetClause::Assign { variable, column, op, value } = clause else {
                return Err(unsupported(&".WRITE"));
            };
            let column = match column {
                None => None,
                Some(c) => Some(self.set_column(&table, id, c, &set)?),
            };
            let bound = match (&value.kind, column) {
                (ExprKind::Default, Some(at)) => match self.default_source(&table, at)? {
                    ColumnSource::Expr(e, ty) => Bound::new(e, ty),
                    _ => Bound { untyped: true, ..Bound::new(Expr::NULL, SqlType::Int) },
                },
                _ => self.expr(value)?,
            };
            let bound = match (op.operator(), column, variable) {
                (None, ..) => bound,
                (Some(op), Some(at), _) => {
                    let depth = self.blocks.len() - 1;
                    let source = self.source_at(id);
                    let left = self.source_column(depth, source, at);
                    self.binary(arith_op(op)?, left, bound)?
                }
                (Some(op), None, Some(v)) => {
                    let (at, ty) = self.variables.scalar(&v.value)?;
                    self.binary(arith_op(op)?, Bound::new(Expr::Var(at), ty), bound)?
                }
                (Some(_), None, None) => return Err(SqlError::new(102, &[&"="])),
            };
            if let Some(v) = variable {
                let (at, ty) = self.variables.scalar(&v.value)?;
                self.assigns_variables = true;
                let expr = match column {
                    None => self.cast_to(bound, ty)?,
                    Some(column) => {
                        let from = bound.ty;
                        let to = table.columns[column].ty;
                        let untyped = bound.untyped;
                        let copy = crate::plan::access::copy(&bound.expr)
                            .ok_or_else(|| unsupported(&"SET @variable = column = subquery"))?;
                        let stored = Bound { untyped, ..Bound::new(copy, from) };
                        let stored = self.cast_to(stored, to)?;
                        set.push(self.assignment(&table, column, bound)?);
                        self.cast_to(Bound::new(stored, to), ty)?
                    }
                };
                variables.push((at, expr));
            } else if let Some(column) = column {
                set.push(self.assignment(&table, column, bound)?);
            }
        }
        let conjuncts = self.filter(&u.filter)?;
        let checks = self.checks(&table)?;
        let at = self.source_at(id);
        let locator = self.block().sources[at].locator.unwrap_or_default();
        let output = self.output(&u.output, &target, true, true)?;
        let node = self.plan_block(trees, conjuncts)?;
        let node = self.change_top(node, &u.top)?;
        set.sort_by_key(|a| a.column);
        let changed: Vec<usize> = set.iter().map(|a| a.column).collect();
        let base = table.base();
        let moves = base.kind == IndexKind::Clustered
            && base.key.columns().iter().any(|k| changed.contains(&k.column));
        let indexes = table.nonclustered().iter().filter(|i| moves || i.touched_by(&changed));
        let indexes = indexes.cloned().collect();
        let subqueries = set
            .iter()
            .any(|a| crate::plan::expr::has_subquery(crate::plan::expr::Part::Expr(&a.expr)));
        let spool = subqueries || must_spool(&node, moves, &changed);
        Ok(UpdatePlan {
            database: target.database,
            table,
            node,
            locator,
            set,
            variables,
            spool,
            indexes,
            moves,
            checks,
            output,
        })
    }

    fn source_at(&self, id: u32) -> usize {
        let sources = &self.blocks.last().expect("open").sources;
        sources.iter().position(|s| s.id == id).expect("the target is a source")
    }

    fn set_column(
        &self,
        table: &Table,
        _id: u32,
        c: &ast::ColumnRef,
        set: &[Assignment],
    ) -> SqlResult<usize> {
        let name = &*c.name.value;
        let at = table
            .column(name)
            .ok_or_else(|| self.at(SqlError::new(207, &[&name]), c.name.span))?;
        if table.columns[at].is_identity {
            return Err(SqlError::new(8102, &[&name]));
        }
        if table.columns[at].ty == SqlType::RowVersion {
            return Err(SqlError::new(272, &[]));
        }
        if set.iter().any(|a| a.column == at) {
            return Err(SqlError::new(264, &[&name]));
        }
        Ok(at)
    }

    fn assignment(&self, table: &Table, column: usize, b: Bound) -> SqlResult<Assignment> {
        let to = table.columns[column].ty;
        if b.untyped {
            return Ok(Assignment { column, expr: Expr::NULL, from: to });
        }
        taffrail_types::convert::check(b.ty, to, taffrail_types::Conversion::Implicit)?;
        Ok(Assignment { column, from: b.ty, expr: b.expr })
    }

    /// DELETE.
    pub fn bind_delete(&mut self, d: &'a ast::Delete) -> SqlResult<DeletePlan> {
        self.with(&d.with)?;
        self.push_block();
        let r = self.delete_in_block(d);
        self.blocks.pop();
        r
    }

    fn delete_in_block(&mut self, d: &'a ast::Delete) -> SqlResult<DeletePlan> {
        let (target, id, trees) = self.change_target(&d.target, &d.from)?;
        let conjuncts = self.filter(&d.filter)?;
        let at = self.source_at(id);
        let locator = self.block().sources[at].locator.unwrap_or_default();
        let output = self.output(&d.output, &target, false, true)?;
        let node = self.plan_block(trees, conjuncts)?;
        let node = self.change_top(node, &d.top)?;
        let spool = !matches!(node, Node::Scan(_));
        let Target { database, table, .. } = target;
        Ok(DeletePlan { database, table, node, locator, spool, output })
    }

    /// OUTPUT over `inserted` and `deleted`.
    fn output(
        &mut self,
        list: &'a [ast::Output],
        target: &Target,
        inserted: bool,
        deleted: bool,
    ) -> SqlResult<Option<OutputPlan>> {
        let [o] = list else {
            return match list {
                [] => Ok(None),
                _ => Err(unsupported(&"Two OUTPUT clauses")),
            };
        };
        self.push_block();
        let hints = super::from::hints(&[], false)?;
        for (name, there) in [("inserted", inserted), ("deleted", deleted)] {
            if there {
                let (db, t) = (target.database.clone(), target.table.clone());
                let source = self.table_source(db, t, name, None, hints);
                self.block().sources.push(source);
            }
        }
        let r = self.output_items(o, inserted);
        self.blocks.pop();
        r.map(Some)
    }

    fn output_items(&mut self, o: &'a ast::Output, inserted: bool) -> SqlResult<OutputPlan> {
        let mut bound = Vec::new();
        let depth = self.blocks.len() - 1;
        for item in &o.items {
            match item {
                SelectItem::QualifiedStar(q) => {
                    let at = self.block().sources.iter().position(|s| s.is_called(q));
                    let at = at.ok_or_else(|| SqlError::new(107, &[q]))?;
                    for c in 0..self.blocks[depth].sources[at].columns.len() {
                        let name = self.blocks[depth].sources[at].columns[c].name.to_string();
                        bound.push((name, self.source_column(depth, at, c)));
                    }
                }
                SelectItem::Expr { expr, alias } => {
                    let b = self.expr(expr)?;
                    let name = match (alias, &expr.kind) {
                        (Some(a), _) => a.value.to_string(),
                        (None, ExprKind::Column(c)) => c.name.value.to_string(),
                        _ => String::new(),
                    };
                    bound.push((name, b));
                }
                SelectItem::Star(_) | SelectItem::Assign { .. } => {
                    return Err(SqlError::new(102, &[&"*"]));
                }
            }
        }
        let (mut items, mut outputs, mut columns) = (Vec::new(), Vec::new(), Vec::new());
        for (name, b) in bound {
            columns.push(super::query::column_desc(&name, &b));
            outputs.push(match b.expr {
                Expr::Slot(s) => s,
                _ => {
                    let slot = self.computed_slot(&b, &name);
                    items.push((b.expr, slot));
                    slot
                }
            });
        }
        let taken = |s: &Source| -> Vec<(usize, Slot)> {
            let columns = s.columns.iter().enumerate();
            columns.filter_map(|(i, c)| c.slot.map(|slot| (i, slot))).collect()
        };
        let sources = &self.blocks[depth].sources;
        let first = taken(&sources[0]);
        let (ins, del) = match (inserted, sources.get(1)) {
            (true, Some(d)) => (first, taken(d)),
            (true, None) => (first, Vec::new()),
            (false, _) => (Vec::new(), first),
        };
        let into = match &o.into {
            None => None,
            Some(t) => {
                let target = self.insert_target(t)?;
                let cols = self.insert_columns(&target.table, &o.columns)?;
                self.check_width(columns.len(), cols.len(), &o.columns, true)?;
                let types = columns.iter().map(|c| c.ty).collect();
                let explicit = self.check_identity(&target, &cols, true)?;
                let plan =
                    self.insert_plan(target, InsertRows::External, types, &cols, explicit)?;
                Some(Box::new(plan))
            }
        };
        Ok(OutputPlan { inserted: ins, deleted: del, items, outputs, columns, into })
    }
}

/// An expression of the catalogue (a default), bound alone.
pub(crate) fn bind_text(meta: &dyn super::Metadata, text: &str) -> SqlResult<(Expr, SqlType)> {
    let batch = format!("SELECT {text}");
    let parsed = taffrail_syntax::parse_batch(&batch, Default::default())
        .map_err(|mut e| Box::new(e.errors.remove(0)))?;
    let variables = super::Variables::default();
    let mut binder = Binder::new(meta, &variables, &parsed.lines);
    let bound = match &parsed.statements[..] {
        [ast::Statement { kind: ast::StatementKind::Select(s), .. }] => {
            match &s.query.body.first_block().items[..] {
                [SelectItem::Expr { expr, .. }] => binder.bind_scalar(expr)?,
                _ => return Err(SqlError::new(102, &[&text])),
            }
        }
        _ => return Err(SqlError::new(102, &[&text])),
    };
    if binder.subplan_count() > 0 {
        return Err(SqlError::new(1046, &[]));
    }
    Ok((bound.expr, bound.ty))
}

/// A CHECK's condition: slot `n` is column `n` of the table.
fn bind_check(meta: &dyn super::Metadata, table: &Arc<Table>, text: &str) -> SqlResult<Pred> {
    let batch = format!("SELECT 1 WHERE {text}");
    let parsed = taffrail_syntax::parse_batch(&batch, Default::default())
        .map_err(|mut e| Box::new(e.errors.remove(0)))?;
    let variables = super::Variables::default();
    let mut binder = Binder::new(meta, &variables, &parsed.lines);
    let [ast::Statement { kind: ast::StatementKind::Select(s), .. }] = &parsed.statements[..]
    else {
        return Err(SqlError::new(102, &[&text]));
    };
    let Some(filter) = &s.query.body.first_block().filter else {
        return Err(SqlError::new(102, &[&text]));
    };
    binder.push_block();
    let id = binder.source_id();
    let source = Source {
        id,
        alias: table.name().into(),
        schema: None,
        columns: super::from::table_columns(table),
        kind: SourceKind::Derived { node: None },
        depends: Vec::new(),
        locator: None,
    };
    binder.block().sources.push(source);
    for c in 0..table.columns.len() {
        binder.source_column(0, 0, c);
    }
    binder.pred(filter)
}

/// A scan of the table anywhere in the tree.
fn reads_table(node: &Node, table: &Table) -> bool {
    let mut found = false;
    node.visit(&mut |n| {
        if let Node::Scan(s) = n {
            found |= s.table.id() == table.id();
        }
    });
    found
}

/// Whether an update could meet its own rows again, or its row finder keeps rows.
fn must_spool(node: &Node, moves: bool, changed: &[usize]) -> bool {
    match node {
        Node::Scan(s) => match &s.access {
            Access::Full => moves,
            Access::Clustered(..) => moves,
            Access::Nonclustered(i, _) => moves || i.touched_by(changed),
        },
        _ => true,
    }
}

fn same_layout(
    rows: &InsertRows,
    types: &[SqlType],
    table: &Table,
    columns: &[ColumnSource],
) -> bool {
    let InsertRows::Query(q) = rows else { return false };
    straight_copy(q, types, table, columns)
}

/// Whether the rows of a query have the layout that an insert writes: a scan, column for column.
pub(crate) fn copies_rows(q: &QueryPlan, insert: &InsertPlan) -> bool {
    straight_copy(q, &insert.source_types, &insert.table, &insert.columns)
}

fn straight_copy(
    q: &QueryPlan,
    types: &[SqlType],
    table: &Table,
    columns: &[ColumnSource],
) -> bool {
    let Node::Scan(s) = &q.node else { return false };
    // Every column straight from the column of the same position and type, with the same place in the row.
    let straight = columns.iter().enumerate().all(|(at, c)| match c {
        ColumnSource::Source(n) => q
            .outputs
            .get(*n)
            .is_some_and(|slot| s.columns.iter().any(|(c, k)| k == slot && *c == at)),
        _ => false,
    });
    straight
        && !matches!(s.access, Access::Nonclustered(..))
        && types.len() == table.columns.len()
        && s.table.columns.len() == table.columns.len()
        && s.table.columns.iter().zip(&table.columns).all(|(a, b)| {
            a.ty == b.ty
                && a.place == b.place
                && a.null_bit == b.null_bit
                && (b.nullable || !a.nullable)
                && a.missing.is_null()
                && fixed_or_short(a.ty)
        })
}

/// Types whose values are in the row itself.
fn fixed_or_short(ty: SqlType) -> bool {
    use taffrail_types::MaxLen;
    !matches!(
        ty,
        SqlType::VarChar(MaxLen::Max)
            | SqlType::NVarChar(MaxLen::Max)
            | SqlType::VarBinary(MaxLen::Max)
            | SqlType::RowVersion
    )
}
