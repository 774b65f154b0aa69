//! Rows of system views, and which open DDL of other sessions they wait for.
//!
//! A view of the catalogue waits for the rows of objects that open DDL is about to change, as far as it would give them on: those
//! that pass the conditions on its columns and, where it is a side of a join, those that find a partner. To know them it is
//! made of these objects alone, as they are and as they are to be.

use super::{Op, Operator, build};
use crate::catalog::{Blocked, Touched};
use crate::exec::key_map::KeyMap;
use crate::exec::runtime::Rt;
use crate::features::view::{self, Scope, ViewContext, ViewRows};
use crate::memory::{self, Held};
use crate::plan::node::{HashJoin, JoinType, Node, ViewScan};
use crate::plan::rel::RowsetSource;
use crate::plan::system_view::SystemView;
use crate::session::Isolation;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(crate) struct ViewOp {
    node: Arc<ViewScan>,
    view: &'static SystemView,
    rows: Option<ViewRows>,
    /// What those take that are made at once.
    held: Held,
    /// Positions of the columns that are wanted, and room for their values.
    wanted: Vec<usize>,
    cells: Vec<Value>,
}

/// The keys that rows of a side of a hash join need to find a partner: known to its view while that is opened.
pub struct Partners {
    join: Arc<HashJoin>,
    left: bool,
    keys: KeyMap,
}

impl ViewOp {
    pub fn new(node: &Arc<ViewScan>, view: &'static SystemView) -> ViewOp {
        let wanted: Vec<usize> = node.columns.iter().map(|(c, _)| *c).collect();
        ViewOp {
            node: node.clone(),
            view,
            rows: None,
            held: Held::default(),
            cells: vec![Value::Null; wanted.len()],
            wanted,
        }
    }

    /// The DDL to wait for before the view may be read.
    fn blocked(&self, rt: &mut Rt<'_>, args: &[Value]) -> SqlResult<Option<Blocked>> {
        let touched = self.node.database.catalog.touched(rt.cx.session.id);
        if touched.is_empty() || view::is_streamed(self.view) {
            return Ok(None);
        }
        // Rows that come from no object.
        let Some(others) = self.count(rt, args, &[], false)? else { return Ok(None) };
        let shows = |rt: &mut Rt<'_>, of: &[Touched]| -> SqlResult<bool> {
            Ok(self.count(rt, args, of, false)? > Some(others)
                || self.count(rt, args, of, true)? > Some(others))
        };
        if !shows(rt, &touched)? {
            return Ok(None);
        }
        for one in touched.chunks(1) {
            if shows(rt, one)? {
                return Ok(Some(one[0].blocked));
            }
        }
        Ok(Some(touched[0].blocked))
    }

    /// How many rows there are that would be given on, of these objects alone; none: the view does not show objects.
    fn count(
        &self,
        rt: &mut Rt<'_>,
        args: &[Value],
        only: &[Touched],
        dirty: bool,
    ) -> SqlResult<Option<usize>> {
        let scope = Scope { only: Some(only), ..Scope::default() };
        let rows = {
            let (session, database) = (&*rt.cx.session, &self.node.database);
            let context = ViewContext { session, database, dirty, scope: Some(&scope) };
            view::open(self.view, &context, args, &self.wanted)?
        };
        let ViewRows::Made(rows) = rows else { return Ok(None) };
        let mut count = 0;
        for mut row in rows {
            rt.tick()?;
            for (c, s) in &self.node.columns {
                rt.frame[*s as usize] = std::mem::take(&mut row[*c]);
            }
            let fits = match &self.node.filter {
                Some(p) => rt.test(p)? == Some(true),
                None => true,
            };
            count += usize::from(fits && Partners::are_there(rt)?);
        }
        Ok(scope.asked.get().then_some(count))
    }
}

impl Operator for ViewOp {
    fn open(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        // What stands in the arguments is opened in no join.
        let partners = rt.partners.take();
        let mut args = Vec::with_capacity(self.node.args.len());
        for e in &self.node.args {
            args.push(rt.eval(e)?);
        }
        let declared = self.view.arguments.map_or(0, |(_, most)| most);
        args.resize(declared.max(args.len()), Value::Null);
        let dirty = self.node.dirty
            || rt.cx.session.activation.options.isolation == Isolation::ReadUncommitted;
        // A stream that is open may hold what the next one needs.
        self.rows = None;
        self.held.clear();
        rt.partners = partners;
        while !dirty && let Some(blocked) = self.blocked(rt, &args)? {
            rt.cx.session.wait_for_ddl(blocked)?;
        }
        let scope = Scope::default();
        let rows = rt.cx.settled(|cx| {
            let database = &self.node.database;
            let scope = Some(&scope);
            let context = ViewContext { session: cx.session, database, dirty, scope };
            view::open(self.view, &context, &args, &self.wanted)
        })?;
        if let ViewRows::Made(rows) = &rows {
            self.held.add(rows.len() * size_of::<Vec<Value>>());
            rows.as_slice().iter().for_each(|row| self.held.values(row));
            memory::check()?;
        }
        self.rows = Some(rows);
        Ok(())
    }

    fn next(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        loop {
            rt.tick()?;
            let found = match &mut self.rows {
                None => return Ok(false),
                Some(ViewRows::Made(rows)) => match rows.next() {
                    None => false,
                    Some(mut row) => {
                        for (c, s) in &self.node.columns {
                            rt.frame[*s as usize] = std::mem::take(&mut row[*c]);
                        }
                        true
                    }
                },
                Some(ViewRows::Streamed(stream)) => {
                    let found = stream.next(&mut self.cells)?;
                    for ((_, s), cell) in self.node.columns.iter().zip(&mut self.cells) {
                        rt.frame[*s as usize] = std::mem::take(cell);
                    }
                    found
                }
            };
            if !found {
                self.rows = None;
                self.held.clear();
                return Ok(false);
            }
            match &self.node.filter {
                Some(p) if rt.test(p)? != Some(true) => {}
                _ => return Ok(true),
            }
        }
    }
}

/// The view that is all there is on a side of a join.
fn view_of(side: &Node) -> Option<&ViewScan> {
    match side {
        Node::View(v) if matches!(v.source, RowsetSource::View(_)) => Some(v),
        Node::Filter(f) if !f.startup => view_of(&f.input),
        _ => None,
    }
}

/// It reads views and nothing else: it may be read twice.
fn only_views(side: &Node) -> bool {
    match side {
        Node::View(v) => matches!(v.source, RowsetSource::View(_)),
        Node::Values(_) | Node::OneRow => true,
        Node::Filter(f) => only_views(&f.input),
        Node::Compute(c) => only_views(&c.input),
        Node::Hash(j) => only_views(&j.left) && only_views(&j.right),
        Node::Loop(j) => only_views(&j.left) && only_views(&j.right),
        _ => false,
    }
}

impl Partners {
    fn keys(join: &HashJoin) -> KeyMap {
        KeyMap::new(join.keys.iter().map(|k| k.2).collect())
    }

    /// Computes the key of the row in the frame; false when a part of it is NULL.
    fn key(rt: &mut Rt<'_>, join: &HashJoin, left: bool, key: &mut Vec<Value>) -> SqlResult<bool> {
        key.clear();
        for (l, r, _) in &join.keys {
            let v = rt.eval(if left { l } else { r })?;
            if v.is_null() {
                return Ok(false);
            }
            key.push(v);
        }
        Ok(true)
    }

    /// The row in the frame finds a partner, as far as that is known.
    fn are_there(rt: &mut Rt<'_>) -> SqlResult<bool> {
        let Some(partners) = rt.partners.take() else { return Ok(true) };
        let mut key = Vec::new();
        let whole = Self::key(rt, &partners.join, partners.left, &mut key);
        let found = whole.map(|whole| whole && partners.keys.find(&key).is_some());
        rt.partners = Some(partners);
        found
    }

    /// Opens the build side of a join. Where that is a view, and DDL is open, the other side is read before, for its keys.
    pub(crate) fn open_right(
        rt: &mut Rt<'_>,
        join: &Arc<HashJoin>,
        right: &mut Op,
    ) -> SqlResult<()> {
        let view = view_of(&join.right).filter(|_| join.kind != JoinType::Full);
        let pending = |v: &ViewScan| !v.database.catalog.touched(rt.cx.session.id).is_empty();
        if !view.is_some_and(pending) || !only_views(&join.left) {
            return right.open(rt);
        }
        let mut keys = Self::keys(join);
        let (mut left, mut key) = (build(&join.left), Vec::new());
        left.open(rt)?;
        while left.next(rt)? {
            if Self::key(rt, join, true, &mut key)? {
                keys.insert(&mut key);
            }
        }
        rt.partners = Some(Box::new(Partners { join: join.clone(), left: false, keys }));
        let opened = right.open(rt);
        rt.partners = None;
        opened
    }

    /// Opens the probe side of a join whose build side has these keys.
    pub(crate) fn open_left(
        rt: &mut Rt<'_>,
        join: &Arc<HashJoin>,
        left: &mut Op,
        keys: &mut KeyMap,
    ) -> SqlResult<()> {
        if join.kind != JoinType::Inner || view_of(&join.left).is_none() {
            return left.open(rt);
        }
        let keys_now = std::mem::replace(keys, Self::keys(join));
        rt.partners = Some(Box::new(Partners { join: join.clone(), left: true, keys: keys_now }));
        let opened = left.open(rt);
        if let Some(partners) = rt.partners.take() {
            *keys = partners.keys;
        }
        opened
    }
}
