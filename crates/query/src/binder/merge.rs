//! MERGE: the source joined with the target, and what each WHEN does with a row of the join.
//!
//! The source comes first and the target second, so that a target with a fitting index is sought once for each source row;
//! without WHEN NOT MATCHED [BY TARGET] an inner join will do. Rows of the target that nothing has matched (WHEN NOT
//! MATCHED BY SOURCE) are found by reading the target once more, in a block of its own: its clauses cannot name the source.

use super::dml::Target;
use super::from::FromTree;
use super::next_value::DrawPlace;
use super::temporal::not_history;
use super::{Binder, Bound, SourceKind, computed_columns, unsupported};
use taffrail_base::{SqlError, SqlResult};
use taffrail_plan::change::{
    ColumnSource, InsertRows, MergeAction, MergeClause, MergeInsert, MergePlan, MergeRest,
    OutputPlan, UpdatePlan,
};
use taffrail_plan::expr::{Expr, Pred, Slot};
use taffrail_plan::facts::Action;
use taffrail_plan::locking::{LevelHint, Locking, TableLock};
use taffrail_plan::rel::{Rel, RowsetSource};
use taffrail_syntax::ast::{self, ExprKind, MergeWhen, TableRef};
use taffrail_types::{MaxLen, SqlType};

/// A MERGE with its join written out, as the binder reads it.
pub struct MergeStatement {
    /// As it was parsed.
    pub merge: ast::Merge,
    /// The source joined with the target.
    pub join: TableRef,
}

impl MergeStatement {
    /// Writes out the join.
    pub fn new(mut merge: ast::Merge) -> MergeStatement {
        let join = written_out(&mut merge);
        MergeStatement { merge, join }
    }

    /// Writes out the join of a MERGE whose rows an INSERT takes.
    pub fn within(insert: &mut ast::Insert) {
        if let ast::InsertSource::Query(q) = &mut insert.source
            && let ast::QueryBody::Select(s) = &mut q.body
            && let [TableRef::Changes(c)] = &mut s.from[..]
            && let ast::StatementKind::Merge(merge) = &mut c.statement.kind
        {
            c.join = Some(written_out(merge));
        }
    }
}

/// The source of a MERGE joined with its target.
fn written_out(merge: &mut ast::Merge) -> TableRef {
    if let TableRef::Values(source) = &merge.source {
        for clause in &mut merge.clauses {
            untype(source, clause);
        }
    }
    let inserts = merge.clauses.iter().any(|c| c.when == MergeWhen::NotMatchedByTarget);
    let join = ast::Join {
        kind: if inserts { ast::JoinKind::Left } else { ast::JoinKind::Inner },
        hint: None,
        left: merge.source.clone(),
        right: merge.target.clone(),
        on: Some(merge.on.clone()),
    };
    TableRef::Join(Box::new(join))
}

/// A column of the source that is nothing but NULL has no type of its own: where it alone is what a column of the target
/// gets, that is the literal.
fn untype(source: &ast::ValuesTable, clause: &mut ast::MergeClause) {
    let null = ExprKind::Literal(ast::Literal::Null);
    let only_null = |value: &ast::Expr| {
        let ExprKind::Column(c) = &value.kind else { return false };
        let of_source = match &c.qualifier {
            Some(q) => q.as_bare().is_some_and(|q| super::eq(&q.value, &source.alias.value)),
            None => true,
        };
        let at = source.columns.iter().position(|n| super::eq(&n.value, &c.name.value));
        of_source
            && at.is_some_and(|at| {
                source.rows.iter().all(|row| row.get(at).is_some_and(|e| e.kind == null))
            })
    };
    let values: Vec<&mut ast::Expr> = match &mut clause.action {
        ast::MergeAction::Insert { values, .. } => values.iter_mut().collect(),
        ast::MergeAction::Update(set) => {
            let values = set.iter_mut().filter_map(|s| match s {
                ast::SetClause::Assign { value, .. } => Some(value),
                ast::SetClause::Write { .. } => None,
            });
            values.collect()
        }
        _ => Vec::new(),
    };
    for value in values.into_iter().filter(|v| only_null(v)) {
        value.kind = null.clone();
    }
}

impl<'a> Binder<'a> {
    /// MERGE.
    pub fn bind_merge(&mut self, m: &'a MergeStatement) -> SqlResult<MergePlan<Rel>> {
        self.merge_of(&m.merge, &m.join)
    }

    /// MERGE, with its join written out.
    pub(super) fn merge_of(
        &mut self,
        merge: &'a ast::Merge,
        join: &'a TableRef,
    ) -> SqlResult<MergePlan<Rel>> {
        self.with(&merge.with)?;
        self.query_hints(&merge.options)?;
        check_clauses(&merge.clauses)?;
        self.merge_is_replaced_by_nothing(merge)?;
        self.drawing.place = DrawPlace::Merge;
        self.push_block();
        let r = self.merge_in_block(merge, join);
        self.merge_action = None;
        self.blocks.pop();
        r
    }

    fn merge_in_block(
        &mut self,
        m: &'a ast::Merge,
        join: &'a TableRef,
    ) -> SqlResult<MergePlan<Rel>> {
        let top = match &m.top {
            None => None,
            Some(t) if t.percent => return Err(unsupported("MERGE with TOP PERCENT")),
            Some(t) => Some(self.top_count(t)?),
        };
        self.look_for_target(m);
        if let TableRef::Join(join) = join {
            if let TableRef::Variable(v) = &join.right {
                self.variables.changed(&v.name.value)?;
            }
            self.place_target(Some(&join.right));
        }
        let trees = self.sources_of_list(std::slice::from_ref(join))?;
        let at = self.block().sources.len() - 1;
        let (target, locator) = self.merge_target(at)?;
        not_history(&target.database, &target.table, 13562)?;
        self.keeps_history(&target.database, &target.table)?;
        let id = self.block().sources[at].id;
        if let Some(found) = self.found(id) {
            self.output_through(found, &m.output)?;
        }
        let shown = self.found(id).map(|f| self.shown(f));
        let by_source = |c: &&ast::MergeClause| c.when == MergeWhen::NotMatchedBySource;
        if m.clauses.iter().any(|c| by_source(&c)) {
            self.block().sources.iter_mut().for_each(|s| s.left_out = true);
        }
        let mut clauses = Vec::new();
        let mut insert = None;
        for c in m.clauses.iter().filter(|c| !by_source(c)) {
            if c.when == MergeWhen::Matched {
                clauses.push(self.merge_clause(c, &target, id)?);
                continue;
            }
            // Only the source can be named here.
            let source = &mut self.block().sources[at];
            let columns = std::mem::take(&mut source.columns);
            let alias = std::mem::replace(&mut source.alias, "".into());
            let bound = self.merge_insert(c, &target, shown.as_deref());
            let source = &mut self.block().sources[at];
            (source.alias, source.columns) = (alias, columns);
            insert = Some(bound?);
        }
        let mut action = None;
        let mut output = None;
        if !m.output.is_empty() {
            action = Some(self.action_slot());
            self.merge_action = action;
            output = self.output_beside(at, &m.output, &target, true)?;
        }
        let read = OutputPlan::saved(&output).iter().copied();
        let saved = read.filter(|s| action != Some(*s)).collect();
        self.needs_of_merge(id, &target, &clauses, &insert);
        let node = self.take_from(trees, Vec::new())?;
        let rest = match m.clauses.iter().any(|c| by_source(&c)) {
            false => None,
            true => {
                let found = self.found(id).is_some();
                let through = self.through.take();
                self.push_block();
                let rest = match found {
                    true => self.merge_rest_of_query(m, &target),
                    false => self.merge_rest(m, &target),
                };
                self.blocks.pop();
                self.through = through;
                Some(rest?)
            }
        };
        let Target { database, table, .. } = target;
        let outgoing = match &insert {
            Some(_) => self.outgoing(&database, &table, None)?,
            None => {
                let changed = table.changed_along(changed_columns(&clauses, &rest));
                self.outgoing(&database, &table, Some(&changed))?
            }
        };
        let incoming = self.incoming(&database, &table, None)?;
        let set = changed_columns(&clauses, &rest);
        let triggers = self.triggers_of_merge((&database, &table), m, set)?;
        let computed = computed_columns(self.meta, &database, &table)?;
        let mut plan = MergePlan {
            outgoing,
            incoming,
            database,
            table,
            node,
            locator,
            clauses,
            insert,
            rest,
            top,
            output,
            action,
            saved,
            computed,
            triggers,
        };
        let mut output = plan.output.take();
        self.tell_output(&mut output, plan.changed());
        Ok(MergePlan { output, ..plan })
    }

    /// The clauses change columns of the target, the source `id` of the block, which still has its sources.
    fn needs_of_merge(
        &mut self,
        id: u32,
        target: &Target,
        clauses: &[MergeClause<Rel>],
        insert: &Option<MergeInsert<Rel>>,
    ) {
        let updates = |c: &MergeClause<Rel>| matches!(c.action, MergeAction::Update(_));
        if clauses.iter().any(updates) {
            let columns = changed_columns(clauses, &None);
            self.needs_of_target(id, target, Action::Update, &columns);
        }
        if clauses.iter().any(|c| !updates(c)) {
            self.needs_of_target(id, target, Action::Delete, &[]);
        }
        let Some(insert) = insert else { return };
        let given = insert.plan.columns.iter().enumerate();
        let given = given.filter(|(_, c)| matches!(c, ColumnSource::Source(_)));
        let columns: Vec<usize> = given.map(|(at, _)| at).collect();
        self.needs_of_target(id, target, Action::Insert, &columns);
    }

    /// The source at `at` as a target: its rows are read to be changed.
    fn merge_target(&mut self, at: usize) -> SqlResult<(Target, Slot)> {
        let id = self.block().sources[at].id;
        if let Some(f) = self.found(id) {
            let (database, table) = (f.database.clone(), f.table.clone());
            return Ok((Target { database, table, table_lock: f.table_lock }, f.locator));
        }
        let source = &mut self.blocks.last_mut().expect("open").sources[at];
        let id = source.id;
        let SourceKind::Table { database, table, hints, .. } = &mut source.kind else {
            return Err(match &source.kind {
                SourceKind::Rowset { source: RowsetSource::View(_), .. } => SqlError::new(259, &[]),
                SourceKind::Rowset { source: RowsetSource::Changed(_), .. } => {
                    SqlError::new(286, &[])
                }
                SourceKind::Rowset { source: function, .. } => {
                    SqlError::new(270, &[&function.name()])
                }
                _ => unsupported("A change through a common table expression"),
            });
        };
        if hints.locks.level == LevelHint::ReadUncommitted {
            return Err(SqlError::new(1065, &[]));
        }
        hints.locks = hints.locks.as_target(Locking::of_target());
        let target = Target {
            database: database.clone(),
            table: table.clone(),
            table_lock: hints.locks.table,
        };
        let hints = *hints;
        self.use_table(&target.database, &target.table, hints);
        let slot = self.locator_slot(id);
        self.blocks.last_mut().expect("open").sources[at].locator = Some(slot);
        Ok((target, slot))
    }

    /// The target may be a view or a common table expression: its table is that of the first column that is changed.
    fn look_for_target(&mut self, m: &'a ast::Merge) {
        let name = match &m.target {
            TableRef::Named(n) => &n.name,
            TableRef::Function(f) => &f.call.name,
            _ => return,
        };
        let column = m.clauses.iter().find_map(|c| match &c.action {
            ast::MergeAction::Update(set) => super::change::first_set(set),
            ast::MergeAction::Insert { columns, .. } => columns.first().map(|c| &*c.value),
            _ => None,
        });
        self.look_through(Some(name), column);
        if let Some(t) = &mut self.through {
            t.puts = true;
        }
    }

    fn action_slot(&mut self) -> Slot {
        let ty = SqlType::NVarChar(MaxLen::N(10));
        self.computed_slot(&Bound::not_null(Expr::NULL, ty), "$action")
    }

    fn merge_condition(&mut self, c: &'a ast::MergeClause) -> SqlResult<Option<Pred>> {
        self.one_side = match c.when {
            MergeWhen::Matched => None,
            MergeWhen::NotMatchedByTarget => Some(5333),
            MergeWhen::NotMatchedBySource => Some(5334),
        };
        let condition = c.condition.as_ref().map(|e| self.pred(e)).transpose();
        self.one_side = None;
        condition
    }

    /// WHEN MATCHED or NOT MATCHED BY SOURCE. `id`: the target among the block's sources.
    fn merge_clause(
        &mut self,
        c: &'a ast::MergeClause,
        target: &Target,
        id: u32,
    ) -> SqlResult<MergeClause<Rel>> {
        let condition = self.merge_condition(c)?;
        let action = match &c.action {
            ast::MergeAction::Delete => MergeAction::Delete,
            ast::MergeAction::Update(list) => {
                let (database, table) = (target.database.clone(), target.table.clone());
                let (mut set, mut variables) = (Vec::new(), Vec::new());
                for clause in list {
                    self.set_clause(&database, &table, id, clause, &mut set, &mut variables)?;
                }
                let checks = self.checks(&database, &table, Some(&set))?;
                let (node, locator) = (Rel::Empty, 0);
                // The MERGE has the table's computed columns.
                let plan = UpdatePlan::new(database, table, node, locator, set, variables, checks);
                MergeAction::Update(Box::new(plan))
            }
            _ => return Err(SqlError::new(102, &[&"INSERT"])),
        };
        Ok(MergeClause { condition, action })
    }

    fn merge_insert(
        &mut self,
        c: &'a ast::MergeClause,
        target: &Target,
        shown: Option<&super::through::Shown>,
    ) -> SqlResult<MergeInsert<Rel>> {
        let condition = self.merge_condition(c)?;
        let (named, values): (&[ast::Ident], &[ast::Expr]) = match &c.action {
            ast::MergeAction::Insert { columns, values } => (columns, values),
            _ => (&[], &[]),
        };
        let defaults = matches!(c.action, ast::MergeAction::InsertDefaultValues);
        let table = target.table.clone();
        let columns = match defaults {
            true => Vec::new(),
            false => match shown {
                Some(shown) => self.insert_columns_through(&table, shown, named)?,
                None => self.insert_columns(&table, named)?,
            },
        };
        let explicit = self.check_identity(target, &columns, !named.is_empty())?;
        self.check_width(&table, values.len(), columns.len(), named, false)?;
        let (mut places, mut exprs, mut types) = (Vec::new(), Vec::new(), Vec::new());
        for (value, column) in values.iter().zip(columns) {
            // DEFAULT: as if the column was not named.
            if matches!(value.kind, ExprKind::Default) {
                continue;
            }
            super::dml::not_given(&target.database, &table, &[column])?;
            let bound = self.expr(value)?;
            let (expr, ty) = {
                let column = &table.columns[column];
                self.stored(bound, column.declared(), column.collation)?
            };
            places.push(column);
            types.push(ty);
            exprs.push(expr);
        }
        let own =
            Target { database: target.database.clone(), table, table_lock: TableLock::Intent };
        let mut plan = self.insert_plan(own, InsertRows::External, types, &places, explicit)?;
        // The MERGE holds all its rows against the foreign keys in the end.
        plan.outgoing.clear();
        Ok(MergeInsert { condition, values: exprs, plan })
    }

    /// WHEN NOT MATCHED BY SOURCE, in a block of its own.
    fn merge_rest(&mut self, m: &'a ast::Merge, target: &Target) -> SqlResult<MergeRest<Rel>> {
        let (alias, schema) = match &m.target {
            TableRef::Named(n) => match &n.alias {
                Some(a) => (&*a.value, None),
                None => (&*n.name.name.value, Some(target.table.head.schema.clone())),
            },
            TableRef::Variable(v) => (&*v.alias.as_ref().unwrap_or(&v.name).value, None),
            _ => return Err(unsupported("This target")),
        };
        let hints = super::hints::hints(&[], true)?;
        let (database, table) = (target.database.clone(), target.table.clone());
        let source = self.table_source(database, table, alias, schema, hints)?;
        let id = source.id;
        self.block().sources.push(source);
        self.merge_rest_from(m, target, vec![FromTree::Source(id)])
    }

    /// WHEN NOT MATCHED BY SOURCE of a view or common table expression, which is read once more as a query of its own.
    fn merge_rest_of_query(
        &mut self,
        m: &'a ast::Merge,
        target: &Target,
    ) -> SqlResult<MergeRest<Rel>> {
        self.look_for_target(m);
        self.place_target(Some(&m.target));
        let trees = self.sources_of_list(std::slice::from_ref(&m.target))?;
        self.merge_rest_from(m, target, trees)
    }

    /// The clauses of WHEN NOT MATCHED BY SOURCE, whose target is the only source of the block.
    fn merge_rest_from(
        &mut self,
        m: &'a ast::Merge,
        target: &Target,
        trees: Vec<FromTree>,
    ) -> SqlResult<MergeRest<Rel>> {
        let (again, locator) = self.merge_target(0)?;
        debug_assert!(again.table.id() == target.table.id(), "the target is the same query");
        let id = self.block().sources[0].id;
        let mut clauses = Vec::new();
        for c in m.clauses.iter().filter(|c| c.when == MergeWhen::NotMatchedBySource) {
            clauses.push(self.merge_clause(c, target, id)?);
        }
        self.needs_of_merge(id, target, &clauses, &None);
        let node = self.take_from(trees, Vec::new())?;
        Ok(MergeRest { node, locator, clauses })
    }
}

/// Columns that some UPDATE of these clauses sets.
fn changed_columns(clauses: &[MergeClause<Rel>], rest: &Option<MergeRest<Rel>>) -> Vec<usize> {
    let all = clauses.iter().chain(rest.iter().flat_map(|r| &r.clauses));
    let sets = all.filter_map(|c| match &c.action {
        MergeAction::Update(u) => Some(u.set.iter().map(|a| a.column)),
        MergeAction::Delete => None,
    });
    sets.flatten().collect()
}

/// Of two clauses of a kind the first has a condition (5324) and each does something else (10714).
fn check_clauses(clauses: &[ast::MergeClause]) -> SqlResult<()> {
    for (when, text) in [
        (MergeWhen::Matched, "WHEN MATCHED"),
        (MergeWhen::NotMatchedBySource, "WHEN NOT MATCHED BY SOURCE"),
        (MergeWhen::NotMatchedByTarget, "WHEN NOT MATCHED"),
    ] {
        let mut seen: Vec<&ast::MergeClause> = Vec::new();
        for c in clauses.iter().filter(|c| c.when == when) {
            let action = |c: &ast::MergeClause| match c.action {
                ast::MergeAction::Update(_) => "UPDATE",
                ast::MergeAction::Delete => "DELETE",
                _ => "INSERT",
            };
            if seen.iter().any(|s| action(s) == action(c)) {
                return Err(SqlError::new(10714, &[&action(c), &text]));
            }
            if seen.iter().any(|s| s.condition.is_none()) {
                return Err(SqlError::new(5324, &[&text, &text]));
            }
            seen.push(c);
        }
    }
    Ok(())
}
