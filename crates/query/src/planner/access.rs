//! How a table's rows are found: which index serves which conditions, and which gives the rows in the order that is asked for.
//!
//! A condition is *sargable* when it compares a column with something known before the scan opens. An index serves
//! equalities on its first key columns and then, on the next one, a range, or any of several values and ranges (`IN`, `OR`).

mod compared;

use compared::{Compared, column_of};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_catalog::rowcodec::KeyColumn;
use taffrail_catalog::{Index, IndexKind, Table, Term, Test};
use taffrail_plan::expr::{Compare, CompareOp, Expr, Pred, Slot};
pub(super) use taffrail_plan::guess;
use taffrail_plan::locking::AccessHint;
use taffrail_plan::node::{Access, NullFinds, Seek, SeekBound, SeekValue};
use taffrail_types::compare::compare;
use taffrail_types::like;
use taffrail_types::{Collation, SqlType, Value};

/// The order in which rows are wanted.
pub struct Order<'o> {
    /// The columns: slot, DESC, collation.
    pub keys: &'o [(Slot, bool, Collation)],
    /// Rows will be asked for until there are so many (a TOP); `None`: all.
    pub(crate) goal: Option<Goal>,
}

/// The rows that a statement will ask for.
#[derive(Clone, Copy)]
pub(crate) enum Goal {
    /// That number of rows.
    Rows(f64),
    /// As many as a variable says.
    Unknown,
}

impl Goal {
    /// The number of rows.
    pub fn rows(self) -> f64 {
        match self {
            Goal::Rows(n) => n,
            Goal::Unknown => guess::GOAL,
        }
    }
}

/// The question for a table: the columns that are wanted of it with their slots, and the conditions on it.
pub struct Question<'q> {
    pub(crate) table: &'q Table,
    pub(crate) columns: &'q [(usize, Slot)],
    pub(crate) conditions: &'q [Pred],
    /// How many rows the table has, roughly.
    pub rows: u64,
    /// Whether an expression can be computed before the scan opens.
    pub available: &'q dyn Fn(&Expr) -> bool,
    /// Whether it reads sources placed before.
    pub correlated: &'q dyn Fn(&Expr) -> bool,
    pub(crate) order: Option<&'q Order<'q>>,
    /// The hints about ways.
    pub hint: AccessHint,
}

/// A way to a table's rows.
pub(crate) struct Choice {
    pub(crate) access: Access,
    /// Conditions that need not be checked again, ascending.
    pub served: Vec<usize>,
    /// The rows that are expected.
    pub rows: f64,
    /// The rows that are expected to be read for them.
    pub read: f64,
    /// The work, a row read being 1.
    pub cost: f64,
    /// Reads sources placed before it.
    pub correlated: bool,
    /// It gives the rows in the order that was asked for; against the index's own, if the flag is set.
    pub ordered: Option<bool>,
}

impl Choice {
    /// The one row that a cursor's mark leads to.
    pub(crate) fn marked(mark: u32) -> Choice {
        Choice {
            access: Access::Marked(mark),
            served: Vec::new(),
            rows: 1.0,
            read: 1.0,
            cost: 1.0,
            correlated: false,
            ordered: None,
        }
    }

    /// An index leads to the rows by values of sources that are placed before.
    pub(crate) fn is_led(&self) -> bool {
        self.correlated && !matches!(self.access, Access::Full)
    }
}

/// A comparison that an index may serve.
struct Sarg<'q> {
    /// Which of the conditions.
    at: usize,
    column: usize,
    what: What<'q>,
    /// The seek gives exactly the rows of the condition.
    exact: bool,
    /// An equality seeks one value of the column, and nothing else.
    one_value: bool,
    /// The rows that an equality with NULL finds.
    null: NullFinds,
}

/// The values that the column can have.
enum What<'q> {
    /// `column op value`, compared as this type.
    Compare(CompareOp, &'q Expr, SqlType),
    /// The values of several alternatives.
    Among(Vec<Alternative<'q>>),
}

/// A value or range.
enum Alternative<'q> {
    Equal(&'q Expr, SqlType, NullFinds),
    Null,
    NotNull,
    Range(Option<(&'q Expr, SqlType, bool)>, Option<(&'q Expr, SqlType, bool)>),
    /// The beginning of a pattern of LIKE; ESCAPE.
    Beginning(&'q Expr, SqlType, Option<&'q Expr>),
}

/// The rows that NULL finds by an equality.
fn null_of(p: &Pred) -> NullFinds {
    match p {
        Pred::NullsEqual(_, true) => NullFinds::BySession,
        Pred::NullsEqual(_, false) => NullFinds::Null,
        _ => NullFinds::Nothing,
    }
}

impl<'q> Question<'q> {
    /// `column op value` either way round: the column, the operator seen from it, the value and the type of the comparison.
    fn comparison(&self, c: &'q Compare) -> Option<(Compared, CompareOp, &'q Expr, SqlType)> {
        if c.op == CompareOp::Ne {
            return None;
        }
        for (mine, other, op) in [(&c.left, &c.right, c.op), (&c.right, &c.left, c.op.flip())] {
            if let Some((found, from)) = self.column(mine, c.collation)
                && (self.available)(other)
                && other.is_repeatable()
                && (op == CompareOp::Eq || !found.equality_only)
            {
                return Some((found, op, other, from));
            }
        }
        None
    }

    /// The column that an expression is, compared under this collation, and the type of the comparison.
    fn column(&self, e: &Expr, collation: Collation) -> Option<(Compared, SqlType)> {
        let found = column_of(e, self.columns)?;
        let column = &self.table.columns[found.column];
        if crate::binder::has_collation(column.ty) && column.collation != collation {
            return None;
        }
        let from = match e {
            // As another kind of text, which may be equal where this is not.
            Expr::Cast(_) if !collation.narrow_is_wide() && found.equality_only => return None,
            Expr::Cast(k) => k.to,
            _ => column.ty,
        };
        Some((found, from))
    }

    fn sarg(&self, at: usize, p: &'q Pred) -> Option<Sarg<'q>> {
        if let Pred::Compare(c) | Pred::NullsEqual(c, _) = p {
            let (found, op, value, from) = self.comparison(c)?;
            let Compared { column, exact, equality_only, near } = found;
            let (what, one_value) = (What::Compare(op, value, from), !equality_only && !near);
            return Some(Sarg { at, column, what, exact, one_value, null: null_of(p) });
        }
        let mut list = Vec::new();
        let (column, exact) = self.alternatives(p, &mut list)?;
        let (what, null) = (What::Among(list), NullFinds::Nothing);
        Some(Sarg { at, column, what, exact, one_value: false, null })
    }

    /// The values and ranges of one column that a condition lets through, or more; whether no more than those.
    fn alternatives(&self, p: &'q Pred, out: &mut Vec<Alternative<'q>>) -> Option<(usize, bool)> {
        match p {
            Pred::Compare(c) | Pred::NullsEqual(c, _) => {
                let (found, op, v, from) = self.comparison(c)?;
                out.push(match op {
                    CompareOp::Eq => Alternative::Equal(v, from, null_of(p)),
                    CompareOp::Gt | CompareOp::Ge => {
                        Alternative::Range(Some((v, from, op == CompareOp::Ge)), None)
                    }
                    _ => Alternative::Range(None, Some((v, from, op == CompareOp::Le))),
                });
                Some((found.column, found.exact && op == CompareOp::Eq))
            }
            Pred::InList(l) => {
                let (found, from) = self.column(&l.value, l.collation)?;
                for e in &l.list {
                    if !(self.available)(e) || !e.is_repeatable() {
                        return None;
                    }
                    out.push(Alternative::Equal(e, from, NullFinds::Nothing));
                }
                Some((found.column, found.exact))
            }
            Pred::Like(l) => {
                let (found, from) = self.column(&l.value, l.collation)?;
                let known = |e: &Expr| (self.available)(e) && e.is_repeatable();
                if !known(&l.pattern) || l.escape.as_ref().is_some_and(|e| !known(e)) {
                    return None;
                }
                // A constant one that begins with anything leads nowhere.
                if let Some(pattern) = l.pattern.constant()
                    && l.escape.is_none()
                    && like::beginning(pattern, None, l.collation.page())
                        .is_none_or(|b| b.is_empty())
                {
                    return None;
                }
                out.push(Alternative::Beginning(&l.pattern, from, l.escape.as_ref()));
                Some((found.column, false))
            }
            Pred::IsNull(e) => {
                let found = column_of(e, self.columns)?;
                out.push(Alternative::Null);
                Some((found.column, true))
            }
            Pred::Not(p) => match &**p {
                Pred::IsNull(e) => {
                    out.push(Alternative::NotNull);
                    Some((column_of(e, self.columns)?.column, true))
                }
                _ => None,
            },
            // BETWEEN.
            Pred::And(list) => {
                let (mut column, mut low, mut high) = (None, None, None);
                for p in list {
                    let Pred::Compare(c) = p else { return None };
                    let (found, op, v, from) = self.comparison(c)?;
                    if column.replace(found.column).is_some_and(|c| c != found.column) {
                        return None;
                    }
                    let side = match op {
                        CompareOp::Gt | CompareOp::Ge => &mut low,
                        CompareOp::Lt | CompareOp::Le => &mut high,
                        _ => return None,
                    };
                    let inclusive = matches!(op, CompareOp::Ge | CompareOp::Le);
                    if side.replace((v, from, inclusive)).is_some() {
                        return None;
                    }
                }
                out.push(Alternative::Range(low, high));
                Some((column?, false))
            }
            Pred::Or(list) => {
                let (mut column, mut exact) = (None, true);
                for p in list {
                    let (c, e) = self.alternatives(p, out)?;
                    if column.replace(c).is_some_and(|known| known != c) {
                        return None;
                    }
                    exact &= e;
                }
                Some((column?, exact))
            }
            _ => None,
        }
    }

    /// Whether the conditions let only rows through that a term of a filter lets through.
    fn implied(&self, t: &Term, sargs: &[Sarg<'_>]) -> bool {
        let is_column = |e: &Expr| column_of(e, self.columns).is_some_and(|c| c.column == t.column);
        let on_column = || sargs.iter().filter(|s| s.column == t.column);
        match &t.test {
            Test::Null => {
                self.conditions.iter().any(|p| matches!(p, Pred::IsNull(e) if is_column(e)))
            }
            // What is compared with something, and passes, is not NULL.
            Test::NotNull => {
                let may_be_null = |a: &Alternative<'_>| match a {
                    Alternative::Null => true,
                    Alternative::Equal(.., null) => *null != NullFinds::Nothing,
                    _ => false,
                };
                let not_null = |s: &Sarg<'_>| match &s.what {
                    What::Compare(..) => s.null == NullFinds::Nothing,
                    What::Among(list) => !list.iter().any(may_be_null),
                };
                on_column().any(not_null)
                    || self.conditions.iter().any(|p| {
                        let Pred::Not(p) = p else { return false };
                        matches!(&**p, Pred::IsNull(e) if is_column(e))
                    })
            }
            Test::Compare(op, value) => on_column().any(|s| {
                let same = |v: &Value| compare(v, value, t.collation).is_eq();
                s.exact
                    && matches!(&s.what, What::Compare(known, e, _)
                        if known == op && e.constant().is_some_and(|v| !v.is_null() && same(v)))
            }),
            Test::In(_) => false,
        }
    }

    /// Whether an index gives the rows in the order that is asked for, `fixed` of its first key columns having one value each:
    /// forward or backward.
    fn gives_order(&self, index: &Index, fixed: usize) -> Option<bool> {
        let order = self.order?;
        let keys = index.key.columns();
        let mut place = fixed;
        let mut backward = None;
        for (slot, descending, collation) in order.keys {
            let column = self.columns.iter().find(|(_, s)| s == slot)?.0;
            let other =
                |k: &KeyColumn| crate::binder::has_collation(k.ty) && k.collation != *collation;
            if let Some(k) = keys[..fixed].iter().find(|k| k.column == column) {
                // What is one value under the key's collation may be several under another.
                if other(k) {
                    return None;
                }
                continue;
            }
            let Some(key) = keys.get(place) else {
                // The rest says nothing more where the key is one row's.
                return index.unique.then_some(backward.unwrap_or(false));
            };
            if key.column != column || other(key) {
                return None;
            }
            let against = key.descending != *descending;
            if backward.replace(against).is_some_and(|b| b != against) {
                return None;
            }
            place += 1;
        }
        Some(backward.unwrap_or(false))
    }

    /// The cost of a way that gives so many rows which then pass the conditions that are left.
    fn total(&self, cost: f64, passing: f64, ordered: bool) -> f64 {
        let Some(order) = self.order else { return cost };
        if !ordered {
            return cost + passing * (passing + 1.0).log2() * guess::SORTED;
        }
        match order.goal {
            Some(goal) => cost * (goal.rows() / passing.max(1.0)).min(1.0),
            None => cost,
        }
    }

    /// How many rows pass the conditions that are not served.
    fn passing(&self, rows: f64, served: usize) -> f64 {
        let left = self.conditions.len() - served;
        (rows * guess::OTHER.powi(left as i32)).max(0.5)
    }

    fn bound(&self, a: &Alternative<'_>, column: usize) -> SeekBound {
        let to = self.table.columns[column].ty;
        let value = |e: &Expr, from: SqlType| SeekValue {
            expr: e.clone(),
            from,
            to,
            null: NullFinds::Nothing,
        };
        let side = |s: &Option<(&Expr, SqlType, bool)>| {
            s.as_ref().map(|(e, from, inclusive)| (value(e, *from), *inclusive))
        };
        match a {
            Alternative::Equal(e, from, null) => {
                SeekBound::Equal(SeekValue { null: *null, ..value(e, *from) })
            }
            Alternative::Null => SeekBound::Null,
            Alternative::NotNull => SeekBound::NotNull,
            Alternative::Range(low, high) => SeekBound::Range { low: side(low), high: side(high) },
            Alternative::Beginning(pattern, from, escape) => {
                SeekBound::Beginning { pattern: value(pattern, *from), escape: escape.cloned() }
            }
        }
    }

    /// An index's way; `None` where it leads nowhere in particular.
    fn through(&self, index: &Arc<Index>, sargs: &[Sarg<'q>]) -> Option<Choice> {
        let rows = (self.rows as f64).max(1.0);
        let mut seek = Seek::default();
        let mut served = Vec::new();
        let mut reads_others = false;
        let mut selectivity = 1.0;
        // So many rows where a unique key is given as a whole.
        let mut exactly = None;
        // The first columns that have one value each.
        let mut fixed = 0;
        // A value before that may turn out to stand for any ends the seek: what comes after it is not looked at then.
        let mut sure = true;
        let keys = index.key.columns();
        for (n, key) in keys.iter().enumerate().take(if self.hint.scan { 0 } else { keys.len() }) {
            let on_key = || sargs.iter().filter(|s| s.column == key.column);
            let to = self.table.columns[key.column].ty;
            let share = if n == 0 { guess::equal(rows) } else { guess::EQUAL_NEXT };
            let last = index.unique && n + 1 == keys.len();
            let equality = on_key().find_map(|s| match s.what {
                What::Compare(CompareOp::Eq, e, from) => Some((s, e, from)),
                _ => None,
            });
            if let Some((s, e, from)) = equality {
                reads_others |= (self.correlated)(e);
                seek.equal.push(SeekValue { expr: e.clone(), from, to, null: s.null });
                if s.exact && sure {
                    served.push(s.at);
                }
                selectivity *= share;
                exactly = last.then_some(1.0);
                if s.one_value && fixed == n {
                    fixed += 1;
                }
                sure &= s.one_value;
                continue;
            }
            let among = || {
                on_key().filter_map(|s| match &s.what {
                    What::Among(list) => Some((s, list)),
                    What::Compare(..) => None,
                })
            };
            // A comparison says more than that there is a value.
            let says_little = |l: &[Alternative<'_>]| matches!(l, [Alternative::NotNull]);
            let compared = || on_key().any(|s| matches!(s.what, What::Compare(..)));
            let chosen = among().find(|(_, l)| !says_little(l));
            if let Some((s, list)) = chosen.or_else(|| among().next().filter(|_| !compared())) {
                for a in list {
                    reads_others |= match a {
                        Alternative::Equal(e, ..) | Alternative::Beginning(e, ..) => {
                            (self.correlated)(e)
                        }
                        Alternative::Null | Alternative::NotNull => false,
                        Alternative::Range(low, high) => {
                            low.iter().chain(high).any(|(e, ..)| (self.correlated)(e))
                        }
                    };
                    seek.then.push(self.bound(a, key.column));
                }
                if s.exact && sure {
                    served.push(s.at);
                }
                let points =
                    list.iter().all(|a| matches!(a, Alternative::Equal(..) | Alternative::Null));
                let all = list.iter().map(|a| match a {
                    Alternative::Equal(..) | Alternative::Null => share,
                    Alternative::NotNull => guess::PRESENT,
                    Alternative::Range(Some(_), Some(_)) | Alternative::Beginning(..) => {
                        guess::RANGE * guess::RANGE
                    }
                    Alternative::Range(..) => guess::RANGE,
                });
                selectivity *= all.sum::<f64>().min(1.0);
                exactly = (last && points).then_some(list.len() as f64);
                break;
            }
            let (mut low, mut high) = (None, None);
            for s in on_key() {
                let What::Compare(op, e, from) = s.what else { continue };
                let side = match op {
                    CompareOp::Gt | CompareOp::Ge if low.is_none() => &mut low,
                    CompareOp::Lt | CompareOp::Le if high.is_none() => &mut high,
                    _ => continue,
                };
                reads_others |= (self.correlated)(e);
                let inclusive = matches!(op, CompareOp::Ge | CompareOp::Le);
                let null = NullFinds::Nothing;
                *side = Some((SeekValue { expr: e.clone(), from, to, null }, inclusive));
                selectivity *= guess::RANGE;
            }
            // A range is only a coarse filter: NULL may be in it, and casts in the way; the conditions stay.
            if low.is_some() || high.is_some() {
                seek.then.push(SeekBound::Range { low, high });
            }
            break;
        }
        let whole = seek.is_whole();
        let values = seek.equal.len() + usize::from(!seek.then.is_empty());
        if self.hint.seek.is_some_and(|least| values < usize::from(least)) {
            return None;
        }
        let ordered = self.gives_order(index, fixed);
        // Without a seek an index is of use for its order only.
        let clustered = index.kind == IndexKind::Clustered;
        let asked_for = self.hint.index == Some(index.id);
        if whole && (clustered || ordered.is_none() && !asked_for) {
            return None;
        }
        let expected = exactly.unwrap_or((rows * selectivity).max(1.0)).min(rows.max(1.0));
        let covering = self.columns.iter().all(|(c, _)| index.covers(*c).is_some());
        let each = match clustered {
            true => guess::CLUSTERED,
            false if covering => 1.0,
            false => guess::LOOK_UP,
        };
        let passing = self.passing(expected, served.len());
        let cost = self.total(expected * each, passing, ordered.is_some());
        let access = match clustered {
            true => Access::Clustered(index.clone(), seek),
            false => Access::Nonclustered(index.clone(), seek),
        };
        served.sort_unstable();
        let (rows, read, correlated) = (passing, expected, reads_others);
        Some(Choice { access, served, rows, read, cost, correlated, ordered })
    }

    /// Chooses among the ways that hints leave; 8622 where they leave none.
    pub(crate) fn choose(&self) -> SqlResult<Choice> {
        let rows = (self.rows as f64).max(1.0);
        let conditions = self.conditions.iter().enumerate();
        let sargs: Vec<Sarg<'q>> = conditions.filter_map(|(at, p)| self.sarg(at, p)).collect();
        let base = self.table.base();
        let ordered = match base.kind {
            IndexKind::Heap => None,
            _ => self.gives_order(base, 0),
        };
        let passing = self.passing(rows, 0);
        let hint = self.hint;
        let whole = hint.seek.is_none() && hint.index.is_none_or(|id| id == base.id);
        let mut best = whole.then_some(Choice {
            access: Access::Full,
            served: Vec::new(),
            rows: passing,
            read: rows,
            cost: self.total(rows, passing, ordered.is_some()),
            correlated: false,
            ordered,
        });
        // A sample is of the table's own pages.
        if hint.sample.is_some() {
            return best.ok_or_else(|| SqlError::new(8622, &[]));
        }
        let left =
            |i: &&Arc<Index>| i.kind != IndexKind::Heap && hint.index.is_none_or(|id| id == i.id);
        for index in self.table.indexes.iter().filter(left) {
            // A filtered index has all rows that are asked for only if the conditions say what its filter says.
            if let Some(filter) = &index.filter
                && !filter.terms.iter().all(|t| self.implied(t, &sargs))
            {
                continue;
            }
            if let Some(choice) = self.through(index, &sargs)
                && best.as_ref().is_none_or(|b| choice.cost < b.cost)
            {
                best = Some(choice);
            }
        }
        best.ok_or_else(|| SqlError::new(8622, &[]))
    }
}
