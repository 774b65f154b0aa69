//! Scans and seeks, and the rows that they look up.

use super::form::{Form, Rows, defined};
use super::scalar::object_attributes;
use super::xml::Xml;
use super::{Counter, Showplan, index_object};
use crate::expr::{CompareOp, Pred};
use crate::names::{self, bracketed};
use crate::node::{Access, NullFinds, Scan, Seek, SeekBound, SeekValue};
use crate::text::compare_sign;
use taffrail_catalog::{Index, IndexKind};

/// One end of the values that are sought: whether it is the end itself, and `ScanType`.
type End<'s> = Option<(&'s SeekValue, &'static str)>;

impl Showplan<'_> {
    fn value(&self, v: &SeekValue) -> String {
        self.long.expr(&v.expr)
    }

    fn equality(&self, name: &str, v: &SeekValue) -> String {
        let sign = if v.null == NullFinds::Null { " IS " } else { "=" };
        format!("{name}{sign}{}", self.value(v))
    }

    /// The text of the values that a column of a key may have.
    fn bound(&self, name: &str, bound: &SeekBound) -> String {
        let end = |end: &Option<(SeekValue, bool)>, open: CompareOp, closed: CompareOp| {
            end.as_ref().map(|(v, inclusive)| {
                let sign = compare_sign(if *inclusive { closed } else { open });
                format!("{name} {sign} {}", self.value(v))
            })
        };
        match bound {
            SeekBound::Equal(v) => self.equality(name, v),
            SeekBound::Beginning { pattern, .. } => format!("{name} LIKE {}", self.value(pattern)),
            SeekBound::Null => format!("{name} IS NULL"),
            SeekBound::NotNull => format!("{name} IS NOT NULL"),
            SeekBound::Range { low, high } => {
                let low = end(low, CompareOp::Gt, CompareOp::Ge);
                let high = end(high, CompareOp::Lt, CompareOp::Le);
                low.into_iter().chain(high).collect::<Vec<_>>().join(" AND ")
            }
        }
    }

    /// `, SEEK:(…)`, nothing where the whole index is read: the columns are those of the index.
    fn seek(&self, s: &Scan, index: &Index, seek: &Seek) -> String {
        if seek.is_whole() {
            return String::new();
        }
        let keys = index.key.columns();
        let name = |at: usize| {
            let column = keys.get(at).map_or(0, |k| k.column);
            match s.columns.iter().find(|c| c.0 == column) {
                Some((_, slot)) => self.short.slot(*slot),
                None => bracketed(&s.table.columns[column].name),
            }
        };
        let mut terms = Vec::new();
        for (at, v) in seek.equal.iter().enumerate() {
            terms.push(self.equality(&name(at), v));
        }
        let next = name(seek.equal.len());
        let bounds: Vec<String> = seek.then.iter().map(|b| self.bound(&next, b)).collect();
        match &bounds[..] {
            [] => {}
            [one] => terms.push(one.clone()),
            several if terms.is_empty() => terms.push(several.join(" OR ")),
            several => terms.push(format!("({})", several.join(" OR "))),
        }
        format!(", SEEK:({})", terms.join(" AND "))
    }

    /// `RangeColumns` and `RangeExpressions` of one column and value.
    fn range(&self, name: &'static str, scan_type: &str, column: Xml, value: Option<Xml>) -> Xml {
        Xml::new(name)
            .attr("ScanType", scan_type)
            .with(Xml::new("RangeColumns").with(column))
            .with(Xml::new("RangeExpressions").all(value))
    }

    /// `SeekPredicates`; none where the whole index is read.
    fn sought(&self, s: &Scan, index: &Index, seek: &Seek) -> Option<Xml> {
        if seek.is_whole() {
            return None;
        }
        let keys = index.key.columns();
        let column = |at: usize| {
            let column = keys.get(at).map_or(0, |k| k.column);
            match s.columns.iter().find(|c| c.0 == column) {
                Some((_, slot)) => self.long.reference(*slot),
                None => {
                    let object = names::object(&s.database.name, &s.table);
                    object_attributes(Xml::new("ColumnReference"), &object, None)
                        .attr("Column", &s.table.columns[column].name)
                }
            }
        };
        let prefix = || {
            let columns = (0..seek.equal.len()).map(column);
            let values = seek.equal.iter().map(|v| self.long.operator(&v.expr));
            Xml::new("Prefix")
                .attr("ScanType", "EQ")
                .with(Xml::new("RangeColumns").all(columns))
                .with(Xml::new("RangeExpressions").all(values))
        };
        let begin = || Xml::new("SeekKeys").all((!seek.equal.is_empty()).then(prefix));
        let next = column(seek.equal.len());
        let bounds = seek.then.iter().map(|b| self.bounded(begin(), &next, b));
        let keys: Vec<Xml> = match seek.then.is_empty() {
            true => vec![begin()],
            false => bounds.collect(),
        };
        let each = |keys| Xml::new("SeekPredicateNew").with(keys);
        Some(Xml::new("SeekPredicates").all(keys.into_iter().map(each)))
    }

    /// Adds what the next column of a key may be.
    fn bounded(&self, keys: Xml, column: &Xml, bound: &SeekBound) -> Xml {
        let range = |name, end: End<'_>| {
            end.map(|(v, scan_type)| {
                let value = Some(self.long.operator(&v.expr));
                self.range(name, scan_type, column.clone(), value)
            })
        };
        match bound {
            SeekBound::Equal(v) => {
                let exact = if v.null == NullFinds::Null { "IS" } else { "GE" };
                keys.all(range("StartRange", Some((v, exact))))
                    .all(range("EndRange", Some((v, "LE"))))
            }
            SeekBound::Beginning { pattern, .. } => {
                keys.all(range("StartRange", Some((pattern, "GE"))))
            }
            SeekBound::Null => {
                let null = Xml::new("Const").attr("ConstValue", "NULL");
                let null = Xml::new("ScalarOperator").with(null);
                keys.with(self.range("EndRange", "IS", column.clone(), Some(null)))
            }
            SeekBound::NotNull => keys.with(Xml::new("IsNotNull").with(column.clone())),
            SeekBound::Range { low, high } => {
                let low = low.as_ref().map(|(v, own)| (v, if *own { "GE" } else { "GT" }));
                let high = high.as_ref().map(|(v, own)| (v, if *own { "LE" } else { "LT" }));
                keys.all(range("StartRange", low)).all(range("EndRange", high))
            }
        }
    }

    /// `Object` of an index.
    fn index_element(&self, s: &Scan, index: &Index) -> Xml {
        let alias = (!s.alias.eq_ignore_ascii_case(s.table.shown())).then_some(&*s.alias);
        object_element(&names::object(&s.database.name, &s.table), index, alias)
    }

    /// The element of a scan or seek of an index, or of a heap.
    fn scan_form(
        &self,
        s: &Scan,
        index: &Index,
        seek: Option<&Seek>,
        filter: Option<&Pred>,
    ) -> Form {
        let object = self.index_element(s, index);
        let columns = s.columns.iter().map(|c| defined(self.long.reference(c.1), None));
        let predicate = filter.map(|p| Xml::new("Predicate").with(self.long.condition(p)));
        let form = match index.kind {
            IndexKind::Heap => Form::new("TableScan").attr("Ordered", 0),
            _ => {
                let form = Form::new("IndexScan").attr("Ordered", u8::from(seek.is_some()));
                let direction = if s.backward { "BACKWARD" } else { "FORWARD" };
                match seek.is_some() || s.backward {
                    true => form.attr("ScanDirection", direction),
                    false => form,
                }
            }
        };
        form.attr("Storage", "RowStore")
            .defines(columns)
            .before([object])
            .before(seek.and_then(|seek| self.sought(s, index, seek)))
            .before(predicate)
    }

    pub(super) fn scan(&mut self, s: &Scan, number: usize, parent: Option<usize>) {
        let alias = self.alias(&s.columns, s.locator);
        let database = &*s.database.name;
        let base = s.table.base();
        let direction = if s.backward { " ORDERED BACKWARD" } else { " ORDERED FORWARD" };
        let filter = self.filter(&s.filter);
        let (index, seek) = match &s.access {
            Access::Full | Access::Marked(_) => (base, None),
            Access::Clustered(i, seek) | Access::Nonclustered(i, seek) => (i, Some(seek)),
        };
        let object = format!("OBJECT:({}{alias})", index_object(database, &s.table, index));
        let whole = seek.is_none_or(Seek::is_whole);
        let name = match (index.kind, whole) {
            (IndexKind::Heap, _) => "Table Scan",
            (IndexKind::Clustered, true) => "Clustered Index Scan",
            (IndexKind::Clustered, false) => "Clustered Index Seek",
            (_, true) => "Index Scan",
            (_, false) => "Index Seek",
        };
        let sought = seek.map_or(String::new(), |seek| self.seek(s, index, seek));
        let held = !matches!(s.access, Access::Nonclustered(..))
            || s.columns.iter().all(|(c, _)| index.covers(*c).is_some());
        if !held {
            let entry = format!("{object}{sought}{direction}");
            let mut form = self.scan_form(s, index, seek, None);
            form.defined.clear();
            return self.looked_up(s, number, parent, (&alias, &filter), (name, entry, form));
        }
        let direction = if seek.is_none() && !s.backward { "" } else { direction };
        let sample = s.sample.map_or(String::new(), |s| format!(" TABLESAMPLE SYSTEM {s}"));
        let argument = format!("{object}{sought}{filter}{direction}{sample}");
        let at = self.add(parent, name, name, argument);
        let form = self.scan_form(s, index, seek, s.filter.as_ref());
        let text = self.slots(s.columns.iter().map(|c| c.1));
        let line = &mut self.lines[at];
        line.form = form;
        line.counter = Counter::Node(number);
        line.rows = Rows::Known(s.expected.rows, s.expected.read);
        line.estimate.table = (s.expected.table > 0.0).then_some(s.expected.table);
        line.output = s.columns.iter().map(|c| c.1).collect();
        line.defined = text;
    }

    /// A nonclustered index whose rows are looked up for the columns that it does not hold.
    fn looked_up(
        &mut self,
        s: &Scan,
        number: usize,
        parent: Option<usize>,
        (alias, filter): (&str, &str),
        (name, entry, entry_form): (&'static str, String, Form),
    ) {
        let base = s.table.base();
        let object = index_object(&s.database.name, &s.table, base);
        let heap = base.kind == IndexKind::Heap;
        // The clustered key, or the row's place.
        let columns = base.key.columns().iter().map(|k| &s.table.columns[k.column].name);
        let keys: Vec<String> = match heap {
            true => vec!["[Bmk1000]".into()],
            false => columns.map(|c| bracketed(c)).collect(),
        };
        let plain =
            |k: &String| Xml::new("ColumnReference").attr("Column", k.trim_matches(['[', ']']));
        let references = format!("OUTER REFERENCES:({})", keys.join(", "));
        let join = self.add(parent, "Nested Loops", "Inner Join", references);
        let outer = Xml::new("OuterReferences").all(keys.iter().map(plain));
        let output: Vec<_> = s.columns.iter().map(|c| c.1).collect();
        let table = (s.expected.table > 0.0).then_some(s.expected.table);
        let line = &mut self.lines[join];
        line.form = Form::new("NestedLoops").attr("Optimized", 0).before([outer]);
        (line.counter, line.rows) = (Counter::Node(number), Rows::Product);
        line.output.clone_from(&output);
        let at = self.add(Some(join), name, name, entry);
        let line = &mut self.lines[at];
        (line.form, line.counter) = (entry_form, Counter::Entries(number));
        line.rows = Rows::Known(s.expected.read, s.expected.read);
        line.estimate.table = table;
        let terms: Vec<String> = keys.iter().map(|k| format!("{k}={k}")).collect();
        let argument = format!(
            "OBJECT:({object}{alias}), SEEK:({}) LOOKUP{filter} ORDERED FORWARD",
            terms.join(" AND ")
        );
        let name = if heap { "RID Lookup" } else { "Clustered Index Seek" };
        let at = self.add(Some(join), name, name, argument);
        let values = keys.iter().map(|k| {
            let text = Xml::new("ScalarOperator").attr("ScalarString", k);
            text.with(Xml::new("Identifier").with(plain(k)))
        });
        let prefix = Xml::new("Prefix")
            .attr("ScanType", "EQ")
            .with(Xml::new("RangeColumns").all(keys.iter().map(plain)))
            .with(Xml::new("RangeExpressions").all(values));
        let sought = Xml::new("SeekPredicateNew").with(Xml::new("SeekKeys").with(prefix));
        let predicate =
            s.filter.as_ref().map(|p| Xml::new("Predicate").with(self.long.condition(p)));
        let form = Form::new("IndexScan")
            .attr("Lookup", 1)
            .attr("Ordered", 1)
            .attr("ScanDirection", "FORWARD")
            .attr("Storage", "RowStore")
            .defines(output.iter().map(|slot| defined(self.long.reference(*slot), None)))
            .before([self.index_element(s, base), Xml::new("SeekPredicates").with(sought)])
            .before(predicate);
        let text = self.slots(output.iter().copied());
        let line = &mut self.lines[at];
        (line.form, line.counter, line.defined) = (form, Counter::Lookups(number), text);
        let share = s.expected.rows / s.expected.read.max(1.0);
        line.rows = Rows::Known(share.min(1.0), 1.0);
        line.estimate.table = table;
        line.output = output;
    }
}

/// `Object` of an index of a table.
pub(super) fn object_element(table: &[String], index: &Index, alias: Option<&str>) -> Xml {
    let mut x = object_attributes(Xml::new("Object"), table, None);
    if !index.name.is_empty() {
        x = x.attr("Index", bracketed(&index.name));
    }
    if let Some(alias) = alias {
        x = x.attr("Alias", bracketed(alias));
    }
    let kind = match index.kind {
        IndexKind::Heap => "Heap",
        IndexKind::Clustered => "Clustered",
        IndexKind::Nonclustered => "NonClustered",
    };
    x.attr("IndexKind", kind).attr("Storage", "RowStore")
}
