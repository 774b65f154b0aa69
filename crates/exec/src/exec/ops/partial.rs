//! What an aggregate knows of some of its rows: two such parts, one of rows before the other's, make the part of all of them.

use crate::plan::node::{Agg, AggFunction};
use std::cmp::Ordering;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::arith::{self, BinaryOp, Operation};
use taffrail_types::{Conversion, Decimal, SqlType, Value, compare, convert};

/// All aggregates but STRING_AGG and those of DISTINCT values.
#[derive(Clone)]
pub(crate) struct Partial {
    /// Values that counted (not NULL).
    pub count: i64,
    /// A NULL was left out.
    pub nulls: bool,
    state: State,
}

/// What there is beside the count. A group has one for each aggregate, and there may be millions: it is no larger than it must be.
#[derive(Clone)]
enum State {
    /// The smallest, the largest or the sum of those that are not summed wide.
    Value(Value),
    /// A sum in 128 bits, in two halves: as one they would be aligned.
    Sum(u64, i64),
    /// Of a deviation or variance.
    Spread { mean: f64, m2: f64 },
}

const _: () = assert!(size_of::<Partial>() <= 56);

fn addition(ty: SqlType) -> Operation {
    Operation { op: BinaryOp::Add, left: ty, right: ty, result: ty }
}

pub(super) fn overflow(ty: SqlType) -> Box<SqlError> {
    SqlError::new(8115, &[&"expression", &ty.name()]).with_state(2)
}

impl Partial {
    /// Of no rows.
    pub const NONE: Partial = Partial { count: 0, nulls: false, state: State::Value(Value::Null) };

    /// Of so many numbers with a sum.
    pub(crate) fn of_sum(count: i64, sum: i64) -> Partial {
        Partial { count, nulls: false, state: State::Sum(sum as u64, sum >> 63) }
    }

    fn wide(&self) -> i128 {
        match self.state {
            State::Sum(low, high) => i128::from(high) << 64 | i128::from(low),
            _ => 0,
        }
    }

    fn set_wide(&mut self, sum: i128) {
        self.state = State::Sum(sum as u64, (sum >> 64) as i64);
    }

    fn spread(&self) -> (f64, f64) {
        match self.state {
            State::Spread { mean, m2 } => (mean, m2),
            _ => (0.0, 0.0),
        }
    }

    fn value(&self) -> &Value {
        match &self.state {
            State::Value(v) => v,
            _ => &Value::Null,
        }
    }

    /// Takes a value in.
    pub fn add(&mut self, agg: &Agg, v: Value) -> SqlResult<()> {
        if agg.function == AggFunction::CountStar {
            self.count += 1;
            return Ok(());
        }
        if v.is_null() {
            self.nulls |= !agg.quiet;
            return Ok(());
        }
        self.count += 1;
        match agg.function {
            AggFunction::CountStar | AggFunction::Count | AggFunction::CountBig => {}
            AggFunction::Sum | AggFunction::Avg => self.sum(agg, v)?,
            AggFunction::Min | AggFunction::Max => self.better(agg, v),
            AggFunction::StDev | AggFunction::StDevP | AggFunction::Var | AggFunction::VarP => {
                let Value::Float(x) = v else { return Ok(()) };
                let (mut mean, mut m2) = self.spread();
                let delta = x - mean;
                mean += delta / self.count as f64;
                m2 += delta * (x - mean);
                self.state = State::Spread { mean, m2 };
            }
            AggFunction::ChecksumAgg => {
                self.set_wide(self.wide() ^ i128::from(v.as_i64().unwrap_or(0)));
            }
            AggFunction::StringAgg | AggFunction::PercentileCont | AggFunction::PercentileDisc => {
                unreachable!("rows are kept by their accumulator")
            }
        }
        Ok(())
    }

    /// Takes in what is known of rows that come after its own.
    pub fn merge(&mut self, agg: &Agg, later: &Partial) -> SqlResult<()> {
        self.nulls |= later.nulls;
        if later.count == 0 {
            return Ok(());
        }
        let (before, after) = (self.count as f64, later.count as f64);
        self.count += later.count;
        match agg.function {
            AggFunction::CountStar | AggFunction::Count | AggFunction::CountBig => {}
            AggFunction::Sum | AggFunction::Avg => match &later.state {
                State::Sum(..) => self.set_wide(self.wide() + later.wide()),
                State::Value(v) if !v.is_null() => self.sum(agg, v.clone())?,
                _ => {}
            },
            AggFunction::Min | AggFunction::Max => self.better(agg, later.value().clone()),
            AggFunction::StDev | AggFunction::StDevP | AggFunction::Var | AggFunction::VarP => {
                let ((mean, m2), (mean_after, m2_after)) = (self.spread(), later.spread());
                let delta = mean_after - mean;
                self.state = State::Spread {
                    mean: mean + delta * after / (before + after),
                    m2: m2 + m2_after + delta * delta * before * after / (before + after),
                };
            }
            AggFunction::ChecksumAgg => self.set_wide(self.wide() ^ later.wide()),
            AggFunction::StringAgg | AggFunction::PercentileCont | AggFunction::PercentileDisc => {
                unreachable!("rows are kept by their accumulator")
            }
        }
        Ok(())
    }

    fn better(&mut self, agg: &Agg, v: Value) {
        let better = match agg.function {
            AggFunction::Min => Ordering::Less,
            _ => Ordering::Greater,
        };
        let best = self.value();
        if best.is_null() || compare::compare(&v, best, agg.collation) == better {
            self.state = State::Value(v);
        }
    }

    fn sum(&mut self, agg: &Agg, v: Value) -> SqlResult<()> {
        match agg.arg_ty {
            // Integers are summed wide; the sum, be it an average's, is checked at the end.
            SqlType::Int | SqlType::BigInt => {
                self.set_wide(self.wide() + i128::from(v.as_i64().unwrap_or(0)));
            }
            SqlType::Money => {
                if let Value::Money(m) = v {
                    self.set_wide(self.wide() + i128::from(m));
                }
            }
            _ if self.value().is_null() => self.state = State::Value(v),
            ty => {
                if let (State::Value(Value::Decimal(sum)), Value::Decimal(v), Some(to)) =
                    (&mut self.state, &v, ty.as_numeric())
                {
                    let added = Decimal::add(*sum, *v, to);
                    *sum = added.map_err(|_| addition(ty).overflow())?;
                    return Ok(());
                }
                self.state = State::Value(addition(ty).eval(self.value(), &v)?);
            }
        }
        Ok(())
    }

    /// The result.
    pub fn finish(&self, agg: &Agg) -> SqlResult<Value> {
        let n = self.count;
        Ok(match agg.function {
            AggFunction::CountStar | AggFunction::Count | AggFunction::CountBig => {
                if agg.int_count {
                    Value::Int(i32::try_from(n).map_err(|_| overflow(SqlType::Int))?)
                } else {
                    Value::BigInt(n)
                }
            }
            _ if n == 0 => Value::Null,
            AggFunction::Min | AggFunction::Max => self.value().clone(),
            AggFunction::Sum | AggFunction::Avg => {
                let average = agg.function == AggFunction::Avg;
                let parts = if average { n } else { 1 };
                match agg.arg_ty {
                    SqlType::Int => {
                        let sum = i32::try_from(self.wide()).map_err(|_| overflow(SqlType::Int))?;
                        Value::Int((sum as i64 / parts) as i32)
                    }
                    ty @ (SqlType::BigInt | SqlType::Money) => {
                        let sum = i64::try_from(self.wide()).map_err(|_| overflow(ty))? / parts;
                        if ty == SqlType::Money { Value::Money(sum) } else { Value::BigInt(sum) }
                    }
                    SqlType::Float if average => match self.value() {
                        Value::Float(f) => Value::Float(*f / n as f64),
                        _ => Value::Null,
                    },
                    ty if average => {
                        let count_ty = SqlType::Decimal { precision: 19, scale: 0 };
                        let big = SqlType::BigInt;
                        let count = convert::cast(
                            &Value::BigInt(n),
                            big,
                            count_ty,
                            None,
                            Conversion::Implicit,
                        )?;
                        let op = arith::binary(BinaryOp::Divide, ty, count_ty)?;
                        let v = op.eval(self.value(), &count)?;
                        convert::cast(&v, op.result, agg.ty, None, Conversion::Implicit)?
                    }
                    _ => self.value().clone(),
                }
            }
            AggFunction::StDev | AggFunction::Var if n < 2 => Value::Null,
            AggFunction::StDev => Value::Float((self.spread().1 / (n - 1) as f64).sqrt()),
            AggFunction::Var => Value::Float(self.spread().1 / (n - 1) as f64),
            AggFunction::StDevP => Value::Float((self.spread().1 / n as f64).sqrt()),
            AggFunction::VarP => Value::Float(self.spread().1 / n as f64),
            AggFunction::StringAgg | AggFunction::PercentileCont | AggFunction::PercentileDisc => {
                unreachable!("rows are kept by their accumulator")
            }
            AggFunction::ChecksumAgg => Value::Int(self.wide() as i32),
        })
    }
}
