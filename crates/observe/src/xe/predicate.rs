//! Which events a session wants.
//!
//! A predicate looks at fields and at what is around the event, and does nothing else: it takes no lock but what an action takes, and ends
//! after so many steps as were written.

use super::events::FieldType;
use super::value::{Action, Val};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// How two values are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    /// `=`
    Eq,
    /// `<>`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// LIKE of T-SQL, upper and lower case alike.
    Like,
    /// The value divides it.
    Divides,
}

/// The values that a predicate can compare.
#[derive(Debug)]
pub enum Source {
    /// A field of the event, by number.
    Field(usize),
    /// An action: a value of the event's surroundings.
    Action(Action),
    /// How many times this source has been reached.
    Counter(AtomicU64),
}

/// A condition on an event.
#[derive(Debug)]
pub enum Predicate {
    /// All of them, from the left.
    And(Vec<Predicate>),
    /// One of them, from the left.
    Or(Vec<Predicate>),
    /// The inner condition does not hold.
    Not(Box<Predicate>),
    /// A source compared with a value.
    Compare(Source, Op, Val),
}

impl Predicate {
    /// Whether an event is wanted.
    pub fn holds(&self, fields: &[Val], action: &mut dyn FnMut(Action) -> Val) -> bool {
        match self {
            Predicate::And(all) => all.iter().all(|p| p.holds(fields, action)),
            Predicate::Or(any) => any.iter().any(|p| p.holds(fields, action)),
            Predicate::Not(p) => !p.holds(fields, action),
            Predicate::Compare(source, op, value) => match source {
                Source::Field(n) => compare(&fields[*n], *op, value),
                Source::Action(a) => compare(&action(*a), *op, value),
                Source::Counter(n) => {
                    let reached = Val::from(n.fetch_add(1, Relaxed) + 1);
                    compare(&reached, *op, value)
                }
            },
        }
    }

    /// A number below which a field cannot be where the predicate holds; 0 when that is not known.
    pub fn least(&self, field: usize) -> u64 {
        match self {
            Predicate::And(all) => all.iter().map(|p| p.least(field)).max().unwrap_or(0),
            Predicate::Or(any) => any.iter().map(|p| p.least(field)).min().unwrap_or(0),
            Predicate::Compare(Source::Field(n), op, Val::Number(v)) if *n == field => {
                let v = u64::try_from((*v).max(0)).unwrap_or(u64::MAX);
                match op {
                    Op::Gt => v.saturating_add(1),
                    Op::Ge | Op::Eq => v,
                    _ => 0,
                }
            }
            _ => 0,
        }
    }
}

fn compare(left: &Val, op: Op, right: &Val) -> bool {
    let order = match (left, right) {
        (Val::Text(a), Val::Text(b)) => {
            let (a, b) = (a.to_lowercase(), b.to_lowercase());
            if op == Op::Like {
                return like(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
            }
            a.trim_end_matches(' ').cmp(b.trim_end_matches(' '))
        }
        (Val::Empty, Val::Text(b)) => "".cmp(b),
        _ => match (left.number(), right.number()) {
            (Some(a), Some(b)) if op == Op::Divides => return b != 0 && a % b == 0,
            (Some(a), Some(b)) => a.cmp(&b),
            // What was not collected equals nothing.
            _ => return op == Op::Ne,
        },
    };
    match op {
        Op::Eq => order.is_eq(),
        Op::Ne => order.is_ne(),
        Op::Lt => order.is_lt(),
        Op::Le => order.is_le(),
        Op::Gt => order.is_gt(),
        Op::Ge => order.is_ge(),
        Op::Like | Op::Divides => false,
    }
}

/// `%`, `_`, `[set]` and `[^set]`; goes back to the last `%` only, so that it ends after text × pattern steps.
fn like(text: &[char], pattern: &[char]) -> bool {
    let (mut t, mut p) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    loop {
        if p < pattern.len() && pattern[p] == '%' {
            back = Some((p + 1, t));
            p += 1;
            continue;
        }
        if t == text.len() && p == pattern.len() {
            return true;
        }
        match (text.get(t), one(text.get(t), &pattern[p.min(pattern.len())..])) {
            (Some(_), Some(width)) => {
                t += 1;
                p += width;
            }
            _ => match &mut back {
                Some((after, from)) if *from < text.len() => {
                    *from += 1;
                    (t, p) = (*from, *after);
                }
                _ => return false,
            },
        }
    }
}

/// How much of the pattern one character matches.
fn one(c: Option<&char>, pattern: &[char]) -> Option<usize> {
    let c = *c?;
    match pattern.first()? {
        '_' => Some(1),
        '[' => {
            let end = 2 + pattern.get(2..)?.iter().position(|p| *p == ']')?;
            let mut set = &pattern[1..end];
            let negated = set[0] == '^';
            if negated {
                set = &set[1..];
            }
            let mut found = false;
            let mut n = 0;
            while n < set.len() {
                if set.get(n + 1) == Some(&'-') && n + 2 < set.len() {
                    found |= set[n] <= c && c <= set[n + 2];
                    n += 3;
                } else {
                    found |= set[n] == c;
                    n += 1;
                }
            }
            (found != negated).then_some(end + 1)
        }
        p => (*p == c).then_some(1),
    }
}

/// Why a value cannot stand beside a source of this type: it is a text, or is none.
pub fn mismatch(ty: FieldType, value: &Val) -> bool {
    ty.is_text() != matches!(value, Val::Text(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(n: usize, op: Op, value: impl Into<Val>) -> Predicate {
        Predicate::Compare(Source::Field(n), op, value.into())
    }

    #[test]
    fn conditions_are_looked_at_from_the_left() {
        let counter = Predicate::Compare(Source::Counter(AtomicU64::new(0)), Op::Le, Val::from(2));
        let p = Predicate::And(vec![field(0, Op::Gt, 10), counter]);
        let mut none = |_| Val::Empty;
        let mut holds = |n: i32| p.holds(&[n.into()], &mut none);
        // The counter is reached only by what is above 10.
        let seen: Vec<bool> = [5, 11, 5, 12, 13].into_iter().map(&mut holds).collect();
        assert_eq!(seen, [false, true, false, true, false]);
        assert_eq!(p.least(0), 11);
        let any = Predicate::Or(vec![field(0, Op::Ge, 30), field(0, Op::Eq, 20)]);
        assert_eq!((any.least(0), any.least(1)), (20, 0));
        assert_eq!(Predicate::Not(Box::new(any)).least(0), 0);
    }

    #[test]
    fn texts_are_compared_without_case() {
        let mut none = |_| Val::Empty;
        for (text, pattern, is) in [
            ("WRITELOG", "write%", true),
            ("WRITELOG", "%log%", true),
            ("WRITELOG", "write", false),
            ("a1", "[a-c]_", true),
            ("d1", "[^a-c]1", true),
            ("b1", "[^a-c]1", false),
            ("aXbXc", "a%b%c", true),
            ("", "%", true),
            ("]", "[", false),
        ] {
            let p = field(0, Op::Like, pattern);
            assert_eq!(p.holds(&[text.into()], &mut none), is, "{text} LIKE {pattern}");
        }
        assert!(field(0, Op::Eq, "Shop").holds(&["SHOP ".into()], &mut none));
        assert!(!field(0, Op::Eq, "shop").holds(&[Val::Empty], &mut none));
        assert!(field(0, Op::Divides, 5).holds(&[15.into()], &mut none));
    }
}
