//! Variables get their values. A long text to which something is only appended grows where it is: a loop that builds a text of n bytes
//! moves some n bytes, not n times n.

use super::runtime::Rt;
use crate::plan::expr::Expr;
use crate::{memory, pieces};
use taffrail_base::SqlResult;
use taffrail_types::{Bytes, Value};

impl Rt<'_> {
    /// Gives a variable the value of an expression: 701 where there is no room for it beside the others'.
    pub fn assign(&mut self, var: usize, e: &Expr) -> SqlResult<()> {
        if let Some(bytes) = bytes(&mut self.vars[var])
            && bytes.spilled()
            && let Some(parts) = appended(e, var)
        {
            return self.append(var, &parts);
        }
        let v = self.eval(e)?;
        memory::variables(self.vars, var, &v)?;
        self.vars[var] = v;
        Ok(())
    }

    /// Appends the values of `parts`, each with the bytes that the text may have after it.
    fn append(&mut self, var: usize, parts: &[(&Expr, usize)]) -> SqlResult<()> {
        // All of them before the first is appended: they may name the variable.
        let mut values = Vec::with_capacity(parts.len());
        for (part, max) in parts {
            values.push((self.eval(part)?, *max));
        }
        let null = values.iter().any(|(v, _)| v.is_null());
        if null && self.cx.session.activation.options.concat_null_yields_null {
            self.vars[var] = Value::Null;
            return Ok(());
        }
        values.iter().try_for_each(|(value, max)| self.grow(var, value, *max))
    }

    fn grow(&mut self, var: usize, value: &Value, max: usize) -> SqlResult<()> {
        let added = value.as_bytes().unwrap_or_default();
        let len = bytes(&mut self.vars[var]).map_or(0, |b| b.len());
        let added = &added[..added.len().min(max.saturating_sub(len))];
        pieces::memory(len + added.len())?;
        let doubled = (len + added.len()).next_power_of_two();
        let exactly = match memory::variable_of(self.vars, var, doubled) {
            Ok(()) => false,
            Err(_) => memory::variable_of(self.vars, var, len + added.len()).map(|()| true)?,
        };
        let Some(text) = bytes(&mut self.vars[var]) else { return Ok(()) };
        if exactly {
            text.reserve_exact(added.len());
        }
        for piece in added.chunks(pieces::PIECE) {
            if added.len() > pieces::PIECE {
                pieces::look()?;
            }
            text.extend_from_slice(piece);
        }
        Ok(())
    }
}

fn bytes(v: &mut Value) -> Option<&mut Bytes> {
    match v {
        Value::VarChar(b) | Value::NVarChar(b) | Value::Binary(b) => Some(b),
        _ => None,
    }
}

/// What `@v + a + b …` appends to the variable, in order, each part with the bytes that the text may have after it.
fn appended(e: &Expr, var: usize) -> Option<Vec<(&Expr, usize)>> {
    let mut parts = Vec::new();
    let mut rest = e;
    while let Expr::Concat(c) = rest {
        parts.push((&c.right, c.max));
        rest = &c.left;
    }
    parts.reverse();
    matches!(rest, Expr::Var(v) if *v as usize == var).then_some(parts).filter(|p| !p.is_empty())
}
