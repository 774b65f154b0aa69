//! The functions of expressions.

use super::atom::{Atom, UNIT, computed, order};
use super::eval::{Asked, Here, Item, Val, truth};
use super::expr::{ArithmeticOp, AtomType, Expr, QueryFunction};
use taffrail_base::SqlResult;

fn one(a: Atom) -> Val {
    vec![Item::Atom(a)]
}

fn count(n: usize) -> Atom {
    Atom::Decimal(n as i128 * UNIT, true)
}

impl Asked<'_> {
    pub fn call(&mut self, function: QueryFunction, args: &[Expr], here: Here) -> SqlResult<Val> {
        use QueryFunction::*;
        let mut values = Vec::with_capacity(args.len());
        for e in args {
            values.push(self.value(e, here)?);
        }
        let itself = vec![Item::Node(here.at)];
        let first = values.first().unwrap_or(&itself);
        Ok(one(match function {
            Count => count(first.len()),
            Position => count(here.position),
            Last => count(here.last),
            True => Atom::Bool(true),
            False => Atom::Bool(false),
            Not => Atom::Bool(!truth(first)),
            Empty => Atom::Bool(first.is_empty()),
            Contains => {
                let (text, part) = (self.text(first), self.text(&values[1]));
                self.visit_text(text.len())?;
                Atom::Bool(text.contains(&part))
            }
            Concat => {
                let mut out = String::new();
                for v in &values {
                    out.push_str(&self.text(v));
                }
                crate::pieces::memory(out.len())?;
                Atom::Text(out)
            }
            Text => Atom::Text(self.text(first)),
            LowerCase => Atom::Text(self.text(first).to_lowercase()),
            UpperCase => Atom::Text(self.text(first).to_uppercase()),
            StringLength => count(self.text(first).chars().count()),
            Substring => return Ok(self.substring(&values).map_or_else(Vec::new, one)),
            LocalName | NamespaceUri => {
                let name = match first.first() {
                    Some(Item::Node(found)) => self.tree.name(*found),
                    _ => None,
                };
                let part = |n: &super::name::QName| match function {
                    LocalName => n.local.to_string(),
                    _ => n.uri.to_string(),
                };
                Atom::Text(name.map_or_else(String::new, part))
            }
            Number => {
                let found = first.first().and_then(|item| self.data(item).double());
                return Ok(found.map_or_else(Vec::new, |n| one(Atom::Double(n))));
            }
            Data => return Ok(self.atoms(first)?.into_iter().map(Item::Atom).collect()),
            DistinctValues => {
                let mut out: Vec<Atom> = Vec::new();
                for a in self.atoms(first)? {
                    self.visit(out.len())?;
                    if !out.iter().any(|b| order(&a, b).is_some_and(|o| o.is_eq())) {
                        out.push(a);
                    }
                }
                return Ok(out.into_iter().map(Item::Atom).collect());
            }
            Floor | Ceiling | Round => {
                let rounded = first.first().and_then(|item| rounded(function, &self.data(item)));
                return Ok(rounded.map_or_else(Vec::new, one));
            }
            Sum | Avg | Min | Max => {
                let atoms = self.atoms(first)?;
                return Ok(aggregated(function, &atoms).map_or_else(Vec::new, one));
            }
        }))
    }

    /// The characters from a position on, so many of them; positions count from 1.
    fn substring(&self, values: &[Val]) -> Option<Atom> {
        let number = |at: usize| -> Option<f64> {
            let rounded = rounded(QueryFunction::Round, &self.data(values.get(at)?.first()?))?;
            rounded.double()
        };
        let from = number(1)?;
        let to = match values.len() {
            3 => from + number(2)?,
            _ => f64::INFINITY,
        };
        let text = self.text(&values[0]);
        let kept = text.chars().zip(1usize..).filter(|(_, n)| {
            let n = *n as f64;
            from <= n && n < to
        });
        Some(Atom::Text(kept.map(|(c, _)| c).collect()))
    }
}

fn rounded(function: QueryFunction, a: &Atom) -> Option<Atom> {
    if let Atom::Decimal(n, integer) = a {
        let floor = n.div_euclid(UNIT) * UNIT;
        let n = match function {
            QueryFunction::Floor => floor,
            QueryFunction::Ceiling if floor == *n => floor,
            QueryFunction::Ceiling => floor + UNIT,
            _ => (n + UNIT / 2).div_euclid(UNIT) * UNIT,
        };
        return Some(Atom::Decimal(n, *integer));
    }
    let n = a.double()?;
    Some(Atom::Double(match function {
        QueryFunction::Floor => n.floor(),
        QueryFunction::Ceiling => n.ceil(),
        _ => (n + 0.5).floor(),
    }))
}

/// The aggregate of atoms. Text without a type is a number of floating point here; text that is none is left out.
fn aggregated(function: QueryFunction, atoms: &[Atom]) -> Option<Atom> {
    let of_text = matches!(function, QueryFunction::Min | QueryFunction::Max);
    let numbers = atoms.iter().filter_map(|a| match a {
        Atom::Untyped(_) => a.cast(AtomType::Double),
        Atom::Text(_) if !of_text => None,
        a => Some(a.clone()),
    });
    let numbers: Vec<Atom> = numbers.collect();
    match function {
        QueryFunction::Min | QueryFunction::Max => {
            let mut best: Option<Atom> = None;
            for a in numbers {
                let better = best.as_ref().is_none_or(|b| {
                    order(&a, b).is_some_and(|o| match function {
                        QueryFunction::Min => o.is_lt(),
                        _ => o.is_gt(),
                    })
                });
                if better {
                    best = Some(a);
                }
            }
            best
        }
        _ => {
            let many = numbers.len();
            let mut sum = Atom::Decimal(0, true);
            for a in numbers {
                sum = computed(ArithmeticOp::Add, &sum, &a)?;
            }
            match function {
                QueryFunction::Sum => Some(sum),
                _ if many == 0 => None,
                _ => computed(ArithmeticOp::Divide, &sum, &count(many)),
            }
        }
    }
}
