//! Expressions on a frame.

use crate::exec::keyed::{Asked, Known};
use crate::exec::ops::Op;
use crate::exec::runtime::{Rt, SubResult, ValueSet};
use crate::pieces;
use crate::plan::expr::{
    Chain, Compare, CompareOp, Expr, Global, InSubquery, Pred, Quantified, Subquery, compare_values,
};
use crate::session::SetOptions;
use smallvec::SmallVec;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::like::Pattern;
use taffrail_types::{Bytes, Value, arith, convert};

impl Rt<'_> {
    /// A value that lies somewhere already.
    #[inline]
    fn leaf<'v>(&'v self, e: &'v Expr) -> Option<&'v Value> {
        match e {
            Expr::Const(v) => Some(v),
            Expr::Slot(s) => Some(&self.frame[*s as usize]),
            Expr::Var(v) => Some(&self.vars[*v as usize]),
            _ => None,
        }
    }

    /// Computes an expression.
    pub fn eval(&mut self, e: &Expr) -> SqlResult<Value> {
        Ok(match e {
            Expr::Const(v) => v.clone(),
            Expr::Slot(s) => self.frame[*s as usize].clone(),
            Expr::Var(v) => self.vars[*v as usize].clone(),
            Expr::AddInt(p) => match self.two_ints(&p.0, &p.1)? {
                Some((a, b)) => match arith::add_int(a, b) {
                    Ok(v) => Value::Int(v),
                    Err(e) => self.excused(e)?,
                },
                None => Value::Null,
            },
            Expr::SubInt(p) => match self.two_ints(&p.0, &p.1)? {
                Some((a, b)) => match arith::sub_int(a, b) {
                    Ok(v) => Value::Int(v),
                    Err(e) => self.excused(e)?,
                },
                None => Value::Null,
            },
            Expr::Arith(a) => {
                if let (Some(l), Some(r)) = (self.leaf(&a.left), self.leaf(&a.right)) {
                    return match a.op.eval(l, r) {
                        Err(e) => self.excused(e),
                        Ok(v) if self.must_be_exact() && !a.op.is_exact(l, r, &v) => {
                            self.excused(a.op.overflow())
                        }
                        v => v,
                    };
                }
                let l = self.eval(&a.left)?;
                let r = self.eval(&a.right)?;
                match a.op.eval(&l, &r) {
                    Err(e) => self.excused(e)?,
                    Ok(v) if self.must_be_exact() && !a.op.is_exact(&l, &r, &v) => {
                        self.excused(a.op.overflow())?
                    }
                    Ok(v) => v,
                }
            }
            Expr::Concat(c) => {
                // Without a copy of what lies somewhere already: it may be long.
                let l = self.unless_leaf(&c.left)?;
                let r = self.unless_leaf(&c.right)?;
                let l = l.as_ref().or_else(|| self.leaf(&c.left)).unwrap_or(&Value::Null);
                let r = r.as_ref().or_else(|| self.leaf(&c.right)).unwrap_or(&Value::Null);
                concat(l, r, c.max, &self.cx.session.activation.options)?
            }
            Expr::IntToVarchar(e) => match self.eval(e)? {
                Value::Int(v) => Value::VarChar(convert::int_to_varchar(v)),
                _ => Value::Null,
            },
            Expr::Unary(op, e) => {
                let v = self.eval(e)?;
                match v.is_null() {
                    true => v,
                    false => match arith::eval_unary(*op, &v) {
                        Err(e) => self.excused(e)?,
                        Ok(v) => v,
                    },
                }
            }
            Expr::Cast(c) => {
                let v = self.eval(&c.value)?;
                if v.is_null() {
                    return Ok(v);
                }
                let style = match &c.style {
                    None => None,
                    Some(s) => match self.eval(s)? {
                        Value::Null => return Ok(Value::Null),
                        s => s.as_i64().map(|s| s as i32),
                    },
                };
                let context = self.cx.session.activation.options.convert_context();
                let context = context.with_pages(c.pages);
                match convert::cast_with(&v, c.from, c.to, style, c.conversion, &context) {
                    Err(_) if c.lenient => Value::Null,
                    Err(e) => self.excused(e)?,
                    Ok(v) => v,
                }
            }
            Expr::Coalesce(list) => {
                for e in list {
                    let v = self.eval(e)?;
                    if !v.is_null() {
                        return Ok(v);
                    }
                }
                Value::Null
            }
            Expr::Case(c) => {
                for (p, e) in &c.whens {
                    if self.test(p)? == Some(true) {
                        return self.eval(e);
                    }
                }
                match &c.otherwise {
                    None => Value::Null,
                    Some(e) => self.eval(e)?,
                }
            }
            Expr::Call(c) => {
                let mut args: SmallVec<[Value; 4]> = SmallVec::with_capacity(c.args.len());
                for e in &c.args {
                    args.push(self.eval(e)?);
                }
                self.call(c, &args)?
            }
            Expr::Global(g) => self.global(*g),
            Expr::Named(name) => crate::functions::global(self.cx.session, name)?,
            Expr::UserCall(c) => self.user_call(c)?,
            Expr::NextValue(n) => self.next_value(n)?,
            Expr::Subquery(s) => self.scalar(s)?,
            Expr::Collate(c) => self.eval(&c.0)?,
            Expr::Chain(c) => self.chain(c)?,
            Expr::Carried => self.carried.take().expect("a step of a chain"),
        })
    }

    /// A function of these arguments.
    pub fn call(&mut self, c: &crate::plan::expr::Call, args: &[Value]) -> SqlResult<Value> {
        #[cfg(debug_assertions)]
        if c.function.name() == super::invoked::NAME {
            return super::invoked::call(&mut self.cx, args);
        }
        let value = c.function.eval(self.cx.session, args);
        if self.cx.session.lookups.blocked.get().is_none() {
            match value {
                Err(e) => self.excused(e),
                value => value,
            }
        } else {
            self.cx.settled(|cx| c.function.eval(cx.session, args))
        }
    }

    /// Steps one after the other.
    #[inline(never)]
    fn chain(&mut self, c: &Chain) -> SqlResult<Value> {
        let mut value = self.eval(&c.first)?;
        for step in &c.steps {
            // The step takes it before it computes its other operand, which may have a chain of its own.
            self.carried = Some(value);
            value = self.eval(step)?;
        }
        Ok(value)
    }

    /// What an error of arithmetic comes to: NULL, told in the end, under ANSI_WARNINGS OFF and ARITHABORT OFF.
    #[cold]
    pub(crate) fn excused(&mut self, e: Box<SqlError>) -> SqlResult<Value> {
        let session = &mut *self.cx.session;
        if session.activation.options.ansi_warnings || session.activation.options.arithabort {
            return Err(e);
        }
        match e.number {
            8134 => session.activation.warnings.divided_by_zero = true,
            220 | 232 | 8115 => session.activation.warnings.overflowed = true,
            _ => return Err(e),
        }
        Ok(Value::Null)
    }

    /// SET NUMERIC_ROUNDABORT ON: exact numbers lose no digit.
    #[inline]
    fn must_be_exact(&self) -> bool {
        self.cx.session.activation.options.numeric_roundabort
    }

    /// Like [`Rt::eval`] of what is no [`Rt::leaf`].
    #[inline]
    fn unless_leaf(&mut self, e: &Expr) -> SqlResult<Option<Value>> {
        if self.leaf(e).is_some() { Ok(None) } else { self.eval(e).map(Some) }
    }

    #[inline]
    fn two_ints(&mut self, l: &Expr, r: &Expr) -> SqlResult<Option<(i32, i32)>> {
        let l = match self.leaf(l) {
            Some(v) => int(v),
            None => int(&self.eval(l)?),
        };
        let r = match self.leaf(r) {
            Some(v) => int(v),
            None => int(&self.eval(r)?),
        };
        Ok(l.zip(r))
    }

    fn global(&self, g: Global) -> Value {
        let s = &*self.cx.session;
        let a = &s.activation;
        match g {
            Global::RowCount => Value::Int(a.last.row_count as i32),
            Global::Error => Value::Int(a.last.error),
            Global::Identity => match s.kept.identity {
                Some(v) => decimal(v),
                None => Value::Null,
            },
            Global::TranCount => Value::Int(s.transaction.count as i32),
            Global::Spid => Value::SmallInt(s.id.0 as i16),
            Global::NestLevel => Value::Int(a.nest_level as i32),
            Global::Options => Value::Int(a.options.bits()),
            Global::LockTimeout => Value::Int(a.options.lock_timeout),
            Global::DateFirst => Value::TinyInt(a.options.date_first),
            Global::TextSize => Value::Int(a.options.text_size),
            Global::FetchStatus => Value::Int(s.held.cursors.fetch_status),
            Global::CursorRows => Value::Int(s.held.cursors.rows),
            Global::ProcId => Value::Int(a.procedure_id),
        }
    }

    /// Whether a condition holds; `None` is unknown.
    pub fn test(&mut self, p: &Pred) -> SqlResult<Option<bool>> {
        Ok(match p {
            Pred::Const(b) => *b,
            Pred::Compare(c) => {
                if let (Some(l), Some(r)) = (self.leaf(&c.left), self.leaf(&c.right)) {
                    return Ok(compare_values(c.op, l, r, c.collation));
                }
                let l = self.eval(&c.left)?;
                if l.is_null() {
                    return Ok(None);
                }
                match self.leaf(&c.right) {
                    Some(r) => compare_values(c.op, &l, r, c.collation),
                    None => {
                        let r = self.eval(&c.right)?;
                        compare_values(c.op, &l, &r, c.collation)
                    }
                }
            }
            Pred::NullsEqual(c, by_session) => {
                if let (Some(l), Some(r)) = (self.leaf(&c.left), self.leaf(&c.right)) {
                    return Ok(self.nulls_equal(c, *by_session, l, r));
                }
                let (l, r) = (self.eval(&c.left)?, self.eval(&c.right)?);
                self.nulls_equal(c, *by_session, &l, &r)
            }
            Pred::And(list) => {
                let mut all = Some(true);
                for p in list {
                    match self.test(p)? {
                        Some(false) => return Ok(Some(false)),
                        None => all = None,
                        Some(true) => {}
                    }
                }
                all
            }
            Pred::Or(list) => {
                let mut any = Some(false);
                for p in list {
                    match self.test(p)? {
                        Some(true) => return Ok(Some(true)),
                        None => any = None,
                        Some(false) => {}
                    }
                }
                any
            }
            Pred::Not(p) => self.test(p)?.map(|b| !b),
            Pred::IsNull(e) => Some(match self.leaf(e) {
                Some(v) => v.is_null(),
                None => self.eval(e)?.is_null(),
            }),
            Pred::Like(l) => {
                let v = self.eval(&l.value)?;
                let Some(text) = v.as_bytes() else { return Ok(None) };
                if let Some(p) = &l.compiled.0 {
                    return Ok(Some(p.matches(text)));
                }
                let pattern = self.eval(&l.pattern)?;
                let Some(pattern) = pattern.as_bytes() else { return Ok(None) };
                let escape = match &l.escape {
                    None => None,
                    Some(e) => {
                        let e = self.eval(e)?;
                        match e.as_bytes() {
                            None => return Ok(None),
                            Some([a, b]) => Some(u16::from_le_bytes([*a, *b])),
                            Some(_) => {
                                let text = e.as_text().unwrap_or_default();
                                return Err(SqlError::new(506, &[&text, &"LIKE"]));
                            }
                        }
                    }
                };
                Some(Pattern::new(pattern, l.unicode, escape, l.collation).matches(text))
            }
            Pred::InList(l) => {
                let v = self.eval(&l.value)?;
                if v.is_null() {
                    return Ok(None);
                }
                let mut found = Some(false);
                for e in &l.list {
                    let r = match self.leaf(e) {
                        Some(r) => compare_values(CompareOp::Eq, &v, r, l.collation),
                        None => {
                            let r = self.eval(e)?;
                            compare_values(CompareOp::Eq, &v, &r, l.collation)
                        }
                    };
                    match r {
                        Some(true) => return Ok(Some(true)),
                        None => found = None,
                        Some(false) => {}
                    }
                }
                found
            }
            Pred::InSubquery(s) => self.in_subquery(s)?,
            Pred::Quantified(q) => self.quantified(q)?,
            Pred::Exists(s) => Some(self.exists(s)?),
        })
    }

    /// See [`Pred::NullsEqual`].
    fn nulls_equal(&self, c: &Compare, by_session: bool, l: &Value, r: &Value) -> Option<bool> {
        match (l.is_null(), r.is_null()) {
            (false, false) => compare_values(c.op, l, r, c.collation),
            _ if by_session && self.cx.session.activation.options.ansi_nulls => None,
            (l, r) => Some(c.nulls_hold(l, r)),
        }
    }

    /// Runs `f` with the subquery's operators, opened.
    fn with_op<R>(
        &mut self,
        s: &Subquery,
        f: impl FnOnce(&mut Self, &mut Op) -> SqlResult<R>,
    ) -> SqlResult<R> {
        let at = s.index as usize;
        let mut op = self.subs[at].op.take().unwrap_or_else(|| self.build_subquery(at));
        op.open(self)?;
        let r = f(self, &mut op)?;
        self.subs[at].op = Some(op);
        Ok(r)
    }

    fn scalar(&mut self, s: &Subquery) -> SqlResult<Value> {
        if let Some(SubResult::Value(v)) = &self.subs[s.index as usize].cached {
            return Ok(v.clone());
        }
        let known = self.known(s, Asked::Scalar)?;
        match known {
            Known::No => {}
            Known::Key(key) => match self.found(s).value(key) {
                // Which of them is the last its own rows say.
                Err(_) if s.last => {}
                value => return value,
            },
            Known::Nothing if self.is_grouped(s) => {
                if let Some(v) = &self.found(s).nothing {
                    return Ok(v.clone());
                }
            }
            Known::Nothing => return Ok(Value::Null),
        }
        let v = self.with_op(s, |rt, op| {
            if !op.next(rt)? {
                return Ok(Value::Null);
            }
            let mut v = rt.frame[s.output as usize].clone();
            while op.next(rt)? {
                if !s.last {
                    return Err(SqlError::new(512, &[]));
                }
                rt.tick()?;
                v.clone_from(&rt.frame[s.output as usize]);
            }
            Ok(v)
        })?;
        if s.outer.is_empty() {
            self.subs[s.index as usize].cached = Some(SubResult::Value(v.clone()));
        }
        if matches!(known, Known::Nothing) {
            self.found(s).nothing = Some(v.clone());
        }
        Ok(v)
    }

    fn exists(&mut self, s: &Subquery) -> SqlResult<bool> {
        if let Some(SubResult::Exists(b)) = &self.subs[s.index as usize].cached {
            return Ok(*b);
        }
        match self.known(s, Asked::Exists)? {
            Known::No => {}
            Known::Key(_) => return Ok(true),
            // What aggregates has a row in any case.
            Known::Nothing => return Ok(self.is_grouped(s)),
        }
        let b = self.with_op(s, |rt, op| op.next(rt))?;
        if s.outer.is_empty() {
            self.subs[s.index as usize].cached = Some(SubResult::Exists(b));
        }
        Ok(b)
    }

    fn in_subquery(&mut self, s: &InSubquery) -> SqlResult<Option<bool>> {
        let v = self.eval(&s.value)?;
        let at = s.plan.index as usize;
        let slot = s.plan.output as usize;
        if s.plan.outer.is_empty() {
            if self.subs[at].cached.is_none() {
                let mut set = ValueSet::new(s.collation);
                let mut nulls = false;
                self.with_op(&s.plan, |rt, op| {
                    while op.next(rt)? {
                        rt.tick()?;
                        let v = rt.frame[slot].clone();
                        if v.is_null() {
                            nulls = true;
                        } else {
                            set.insert(v);
                        }
                    }
                    Ok(())
                })?;
                self.subs[at].cached = Some(SubResult::Set(set, nulls));
            }
            let Some(SubResult::Set(set, nulls)) = &self.subs[at].cached else {
                unreachable!("filled above");
            };
            return Ok(if v.is_null() {
                // NULL IN (nothing) is false, else unknown.
                if set.is_empty() && !nulls { Some(false) } else { None }
            } else if set.contains(&v) {
                Some(true)
            } else if *nulls {
                None
            } else {
                Some(false)
            });
        }
        match self.known(&s.plan, Asked::Values(s.collation))? {
            Known::No => {}
            Known::Key(key) => return Ok(self.found(&s.plan).has(key, &v)),
            Known::Nothing => return Ok(Some(false)),
        }
        self.with_op(&s.plan, |rt, op| {
            let mut found = Some(false);
            while op.next(rt)? {
                match compare_values(CompareOp::Eq, &v, &rt.frame[slot], s.collation) {
                    Some(true) => return Ok(Some(true)),
                    None => found = None,
                    Some(false) => {}
                }
            }
            Ok(found)
        })
    }

    fn quantified(&mut self, q: &Quantified) -> SqlResult<Option<bool>> {
        let v = self.eval(&q.value)?;
        let slot = q.plan.output as usize;
        self.with_op(&q.plan, |rt, op| {
            // ANY begins with false and ends at the first true; ALL the other way round.
            let mut result = Some(q.all);
            while op.next(rt)? {
                match compare_values(q.op, &v, &rt.frame[slot], q.collation) {
                    Some(b) if b != q.all => return Ok(Some(b)),
                    None => result = None,
                    Some(_) => {}
                }
            }
            Ok(result)
        })
    }
}

fn int(v: &Value) -> Option<i32> {
    match v {
        Value::Int(v) => Some(*v),
        _ => None,
    }
}

fn decimal(v: i64) -> Value {
    taffrail_types::Decimal::new(v < 0, v.unsigned_abs() as u128, 0)
        .map_or(Value::Null, Value::Decimal)
}

/// Text or bytes one after the other.
fn concat(l: &Value, r: &Value, max: usize, options: &SetOptions) -> SqlResult<Value> {
    Ok(match (l, r) {
        (Value::Null, Value::Null) => Value::Null,
        (Value::Null, v) | (v, Value::Null) => {
            if options.concat_null_yields_null {
                Value::Null
            } else {
                v.clone()
            }
        }
        (Value::VarChar(a), Value::VarChar(b)) => Value::VarChar(join(a, b, max)?),
        (Value::NVarChar(a), Value::NVarChar(b)) => Value::NVarChar(join(a, b, max)?),
        (Value::Binary(a), Value::Binary(b)) => Value::Binary(join(a, b, max)?),
        _ => unreachable!("the binder has brought both sides to one family"),
    })
}

#[inline]
fn join(a: &[u8], b: &[u8], max: usize) -> SqlResult<Bytes> {
    if a.len() + b.len() <= pieces::PIECE {
        return Ok(arith::concat(a, b, max));
    }
    pieces::memory(a.len().saturating_add(b.len()).min(max))?;
    let a = &a[..a.len().min(max)];
    let b = &b[..b.len().min(max - a.len())];
    let mut out = Vec::with_capacity(a.len() + b.len());
    pieces::append(&mut out, a)?;
    pieces::append(&mut out, b)?;
    Ok(Bytes::from_vec(out))
}
