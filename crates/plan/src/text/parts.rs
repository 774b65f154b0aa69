//! Parts of scalars: calls, names of objects, chains of operators.

use super::{Binding, Writer, binding_of};
use crate::expr::{Call, Chain};
use crate::names::bracketed;
use taffrail_catalog::ObjectHead;
use taffrail_catalog::database::Database;

impl Writer<'_> {
    /// A call of a built-in function.
    pub(super) fn settled(&mut self, c: &Call) {
        let name = c.function.name();
        match self.with.is_plain() {
            true => self.put(name),
            false => self.put(&name.to_ascii_lowercase()),
        }
        self.out.push('(');
        if let Some(part) = c.function.datepart {
            self.put(part.name());
            if !c.args.is_empty() {
                self.put(if self.with.is_plain() { ", " } else { "," });
            }
        }
        self.args(&c.args);
        self.out.push(')');
    }

    /// The name of an object of the user's.
    pub(super) fn object(&mut self, database: &Database, head: &ObjectHead) {
        match self.with.is_plain() {
            true => self.put(&head.qualified()),
            false => {
                let parts = [&*database.name, &*head.schema, &*head.name].map(bracketed);
                self.put(&parts.join("."));
            }
        }
    }

    /// A chain of operators, which may be thousands long: without recursion, and the text so far is not copied.
    pub(super) fn chain(&mut self, c: &Chain, around: Binding) {
        let before = self.carried.take();
        let mut text = String::new();
        let mut binding = binding_of(&c.first);
        let mut inner = Writer { with: self.with, out: &mut text, carried: None };
        inner.expr(&c.first, Binding::Or);
        for step in &c.steps {
            let carried = Some((std::mem::take(&mut text), binding));
            Writer { with: self.with, out: &mut text, carried }.expr(step, Binding::Or);
            binding = binding_of(step);
        }
        self.within(binding, around, |w| w.put(&text));
        self.carried = before;
    }

    /// The value of a chain so far, in one of its steps.
    pub(super) fn carried(&mut self, around: Binding) {
        let Some((text, own)) = self.carried.take() else { return self.put("…") };
        match self.out.is_empty() && own >= around {
            true => *self.out = text,
            false => self.within(own, around, |w| w.put(&text)),
        }
    }
}
