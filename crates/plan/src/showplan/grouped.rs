//! Groups, windows, and rows without duplicates.

use super::columns::of_window;
use super::form::{Form, Rows, around};
use super::xml::Xml;
use super::{Showplan, define};
use crate::expr::Expr;
use crate::guess;
use crate::node::{Aggregate, Distinct, Window};
use crate::text::{frame, list};

impl Showplan<'_> {
    pub(super) fn distinct(&mut self, d: &Distinct, parent: Option<usize>) {
        let keys = self.slots(d.slots.iter().map(|s| s.0));
        let columns = self.references(d.slots.iter().map(|s| s.0));
        let at = match d.ordered {
            true => {
                let argument = format!("GROUP BY:({keys})");
                let at = self.add(parent, "Stream Aggregate", "Aggregate", argument);
                self.lines[at].form =
                    Form::new("StreamAggregate").before(around("GroupBy", columns));
                at
            }
            false => {
                let argument = format!("HASH:({keys})");
                let at = self.add(parent, "Hash Match", "Flow Distinct", argument);
                self.lines[at].form = Form::new("Hash").before(around("HashKeysBuild", columns));
                at
            }
        };
        self.node(&d.input, Some(at));
    }

    /// The element of a grouping.
    fn grouping_form(&self, a: &Aggregate) -> Form {
        let values = a.aggs.iter().map(|g| self.defines(g.slot, Some(self.long.aggregated(g))));
        let marks = a.marks.iter().map(|m| {
            let text = self.long.mark(m, &a.groups);
            let call = Xml::new("Intrinsic").attr("FunctionName", "grouping");
            let value = Xml::new("ScalarOperator").attr("ScalarString", text).with(call);
            self.defines(m.slot, Some(value))
        });
        // A key that is computed is set here.
        let computed =
            a.groups.iter().filter(|(e, slot, _)| !matches!(e, Expr::Slot(s) if s == slot));
        let computed =
            computed.map(|(e, slot, _)| self.defines(*slot, Some(self.long.operator(e))));
        let keys: Vec<Xml> = a.groups.iter().map(|g| self.long.reference(g.1)).collect();
        let (element, by) = match a.scalar || a.ordered {
            true => ("StreamAggregate", "GroupBy"),
            false => ("Hash", "HashKeysBuild"),
        };
        let form = Form::new(element).defines(computed.chain(values).chain(marks));
        form.before(around(by, keys))
    }

    pub(super) fn aggregate(&mut self, a: &Aggregate, parent: Option<usize>) {
        let mut items = list(&a.aggs, |g| self.short.defined(&self.long.aggregate(g), g.slot));
        for m in &a.marks {
            let more = if items.is_empty() { "" } else { ", " };
            items += more;
            items += &self.short.defined(&self.long.mark(m, &a.groups), m.slot);
        }
        let mut defined = match items.is_empty() {
            true => String::new(),
            false => define(&items),
        };
        let at = match a.scalar {
            true => self.add(parent, "Stream Aggregate", "Stream Aggregate", defined),
            false => {
                // A key that is computed is set here.
                let keys = list(&a.groups, |(e, slot, _)| match e {
                    Expr::Slot(s) if s == slot => self.short.slot(*slot),
                    e => self.short.defined(&self.long.expr(e), *slot),
                });
                if !defined.is_empty() {
                    defined.insert(0, ' ');
                }
                let mut sets = String::new();
                if !a.sets.is_empty() {
                    sets = format!(" GROUPING SETS:{}", self.short.sets(&a.sets, &a.groups));
                }
                match a.ordered {
                    true => {
                        let argument = format!("GROUP BY:({keys}){defined}");
                        self.add(parent, "Stream Aggregate", "Aggregate", argument)
                    }
                    false => {
                        let argument = format!("HASH:({keys}){sets}{defined}");
                        self.add(parent, "Hash Match", "Aggregate", argument)
                    }
                }
            }
        };
        self.lines[at].defined = items;
        self.lines[at].form = self.grouping_form(a);
        // How many groups there are nobody knows.
        self.lines[at].rows = match a.scalar {
            true => Rows::Known(1.0, 0.0),
            false => Rows::AtMost(guess::UNKNOWN),
        };
        self.node(&a.input, Some(at));
    }

    pub(super) fn window(&mut self, w: &Window, parent: Option<usize>) {
        let items = list(&w.items, |i| {
            let value = match frame(i) {
                Some(frame) => format!("{} {frame}", self.long.window(&i.function)),
                None => self.long.window(&i.function),
            };
            self.short.defined(&value, i.slot)
        });
        let mut argument = define(&items);
        if !w.partition.is_empty() {
            let columns = list(&w.partition, |(e, _)| self.short.expr(e));
            argument = format!("PARTITION COLUMNS:({columns}), {argument}");
        }
        if !w.order.is_empty() {
            let keys = list(&w.order, |k| self.short.key(k));
            argument = format!("ORDER BY:({keys}), {argument}");
        }
        let (op, kind) = of_window(w);
        let at = self.add(parent, op, kind, argument);
        let values = w.items.iter().map(|i| {
            let text = match frame(i) {
                Some(frame) => format!("{} {frame}", self.long.window(&i.function)),
                None => self.long.window(&i.function),
            };
            self.defines(i.slot, Some(self.long.over_window(&i.function, &text)))
        });
        let element = if w.streamed { "SequenceProject" } else { "WindowAggregate" };
        self.lines[at].form = Form::new(element).defines(values);
        self.lines[at].defined = items;
        self.node(&w.input, Some(at));
    }
}
