//! `FOR JSON`, and the functions whose arguments may be JSON already.
//!
//! ```text
//! a statement's own   Compute (a row's text) ── the query with its ORDER BY        the texts are put together where they are sent
//! in another query    Compute (JSON) ── Aggregate (texts one after the other) ── Compute (a row's text) ── the query
//! ```
//! What a row's text and the whole become is said by a [`Form`]. A value is JSON, and taken in as it is, where its expression says so:
//! a function of JSON, FOR JSON of a subquery, and what gives nothing else (CASE, COALESCE, columns of derived tables and views).

use super::query::{BoundQuery, Item};
use super::{Binder, Bound, unsupported};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_functions as functions;
use taffrail_functions::json::{Form, ISJSON_KINDS, JsonLevel, JsonMember, JsonPart, ROW, ROWS};
use taffrail_plan::expr::{Call, Expr};
use taffrail_plan::rel::Rel;
use taffrail_plan::sink::ColumnDesc;
use taffrail_plan::slots::SlotSet;
use taffrail_syntax::ast::{self, ExprKind, OptionValue};
use taffrail_types::convert::Large;
use taffrail_types::{SqlType, Value};

const TEXT: SqlType = SqlType::NVARCHAR_MAX;
/// The name of the column that a client gets.
const COLUMN: &str = "JSON_F52E2B61-18A1-11d1-B105-00805F49916B";

/// The source that an item of the select list is a column of, by its number, and what it is called.
pub(super) type ItemSource = Option<(u32, Arc<str>)>;

/// What a binder knows of JSON.
#[derive(Default)]
pub(super) struct JsonFacts {
    /// The slots whose values are JSON.
    slots: SlotSet,
    /// The query that is bound next tells the sources of its items.
    pub listing: bool,
}

/// The options of a FOR JSON.
#[derive(Default)]
struct Options {
    auto: bool,
    root: Option<Box<str>>,
    include_nulls: bool,
    bare: bool,
}

impl Options {
    fn read(f: &ast::ForClause) -> SqlResult<Options> {
        let mut out = Options::default();
        for (n, o) in f.options.iter().enumerate() {
            let near = || Err(SqlError::new(102, &[&o.name.value]));
            match (&*o.name.value, &o.value) {
                ("PATH", None) if n == 0 => {}
                ("AUTO", None) if n == 0 => out.auto = true,
                _ if n == 0 => return near(),
                ("ROOT", Some(OptionValue::Text(name))) => out.root = Some(name.clone()),
                ("ROOT", None) => out.root = Some("root".into()),
                ("INCLUDE_NULL_VALUES", None) => out.include_nulls = true,
                ("WITHOUT_ARRAY_WRAPPER", None) => out.bare = true,
                _ => return near(),
            }
        }
        match out.bare && out.root.is_some() {
            true => Err(SqlError::new(13620, &[])),
            false => Ok(out),
        }
    }
}

/// Puts a column among the members of an object. The dots of its name lead through objects, whose members stand next to each other:
/// 13601, 13603.
fn place(members: &mut Vec<JsonMember>, name: &str, value: JsonPart) -> SqlResult<()> {
    let conflict = || Err(SqlError::new(13601, &[&name]));
    let steps: Vec<&str> = name.split('.').collect();
    if steps.iter().any(|s| s.is_empty()) {
        return Err(SqlError::new(13603, &[&name]));
    }
    let (last, parents) = steps.split_last().unwrap_or((&name, &[]));
    let mut at = members;
    for step in parents {
        let object = JsonMember::new(step, JsonPart::Object(Vec::new()));
        let is_last = at.last().is_some_and(|m| m.is_namesake(&object));
        if !is_last {
            if at.iter().any(|m| m.is_namesake(&object)) {
                return conflict();
            }
            at.push(object);
        }
        at = match at.last_mut().map(|m| &mut m.part) {
            Some(JsonPart::Object(inner)) => inner,
            _ => return conflict(),
        };
    }
    let member = JsonMember::new(last, value);
    if at.iter().any(|m| m.is_namesake(&member)) {
        return conflict();
    }
    at.push(member);
    Ok(())
}

impl JsonFacts {
    /// Whether the value of an expression is JSON.
    fn is_json(&self, e: &Expr) -> bool {
        let or_null = |e: &Expr| matches!(e, Expr::Const(Value::Null)) || self.is_json(e);
        match e {
            Expr::Call(c) => c.function.gives_json(),
            Expr::Slot(slot) => self.slots.contains(*slot),
            Expr::Subquery(s) => self.slots.contains(s.output),
            Expr::Coalesce(list) => list.iter().all(or_null),
            Expr::Case(c) => c.whens.iter().map(|w| &w.1).chain(&c.otherwise).all(or_null),
            _ => false,
        }
    }

    /// Notes that a slot holds the value of an expression.
    pub fn note(&mut self, slot: u32, e: &Expr) {
        if self.is_json(e) {
            self.slots.insert(slot);
        }
    }
}

impl<'a> Binder<'a> {
    /// The sources of the items of a select list.
    pub(super) fn item_sources(&mut self, items: &[Item]) -> Vec<ItemSource> {
        let sources = &self.blocks.last().map_or(&[][..], |b| &b.sources[..]);
        let mentions = &self.mentions;
        let source = |item: &Item| -> ItemSource {
            let Expr::Slot(slot) = item.bound.expr else { return None };
            let id = mentions[slot as usize].source;
            let found = sources.iter().find(|s| s.id == id && item.plain)?;
            let name = match &found.schema {
                Some(schema) if found.qualified => format!("{schema}.{}", found.alias).into(),
                _ => found.alias.clone(),
            };
            Some((id, name))
        };
        items.iter().map(source).collect()
    }

    /// Rows as JSON. `nested`: a value in another query, which is NULL without rows; a result has no row then.
    pub(super) fn for_json(
        &mut self,
        f: &ast::ForClause,
        query: &ast::Query,
        q: BoundQuery,
        nested: bool,
    ) -> SqlResult<BoundQuery> {
        if !q.assign.is_empty() {
            return Err(SqlError::new(6819, &[&"ASSIGNMENT"]).with_state(3));
        }
        let Options { auto, root, include_nulls, bare } = Options::read(f)?;
        if auto && query.body.first_block().from.is_empty() {
            return Err(SqlError::new(13600, &[]));
        }
        let levels = self.levels(&q, auto)?;
        let form = Arc::new(Form::Rows { levels, include_nulls, root, bare });
        let args = q.outputs.iter().zip(&q.columns);
        let args = args.map(|(slot, c)| Bound::new(Expr::Slot(*slot), c.ty)).collect();
        let text = self.json_call(&form, ROW, args)?;
        let row = self.computed_slot(&text, "");
        let rel = Rel::compute(q.rel, vec![(text.expr, row)]);
        if !nested {
            let columns = self.described(&rel, &[row], [COLUMN]);
            let json = Some(form);
            return Ok(BoundQuery { rel, outputs: vec![row], columns, json, ..Default::default() });
        }
        let (rel, texts) = self.texts_joined(rel, row);
        let whole = self.json_call(&form, ROWS, vec![Bound::new(Expr::Slot(texts), TEXT)])?;
        let slot = self.computed_slot(&whole, "");
        let rel = Rel::compute(rel, vec![(whole.expr, slot)]);
        let columns = self.described(&rel, &[slot], [""]);
        Ok(BoundQuery { rel, outputs: vec![slot], columns, ..Default::default() })
    }

    fn json_call(&self, form: &Arc<Form>, name: &str, args: Vec<Bound>) -> SqlResult<Bound> {
        let args = args.into_iter().map(|b| self.widened(b)).collect::<SqlResult<Vec<_>>>()?;
        let types: Vec<SqlType> = args.iter().map(|b| b.ty).collect();
        let function = form.call(name, &types)?;
        let params = function.params.clone();
        let args = args.into_iter().zip(params).map(|(b, to)| self.cast_to(b, to));
        let args = args.collect::<SqlResult<_>>()?;
        Ok(Bound::new(Expr::Call(Box::new(Call { function, args })), TEXT))
    }

    /// The levels of a query's objects: 13605 for a column without a name.
    fn levels(&self, q: &BoundQuery, auto: bool) -> SqlResult<Vec<JsonLevel>> {
        let level =
            |name: &str| JsonLevel { name: name.into(), members: Vec::new(), varies: false };
        let mut ids: Vec<u32> = Vec::new();
        let mut levels: Vec<JsonLevel> = Vec::new();
        for (id, name) in q.sources.iter().flatten().filter(|_| auto) {
            if !ids.contains(id) {
                ids.push(*id);
                levels.push(level(name));
            }
        }
        if levels.is_empty() {
            levels.push(level(""));
        }
        // What is computed goes with the column before it.
        let mut at = 0;
        for (n, (slot, column)) in q.outputs.iter().zip(&q.columns).enumerate() {
            if let Some(Some((id, _))) = q.sources.get(n).filter(|_| auto) {
                at = ids.iter().position(|i| i == id).unwrap_or(at);
            }
            let ColumnDesc { name, large, .. } = column;
            if name.is_empty() {
                return Err(SqlError::new(13605, &[]));
            }
            let value = JsonPart::Value(n, self.json.slots.contains(*slot));
            let level = &mut levels[at];
            level.varies |= *large == Large::Xml;
            if !auto {
                place(&mut level.members, name, value)?;
                continue;
            }
            let member = JsonMember::new(name, value);
            if level.members.iter().any(|m| m.is_namesake(&member)) {
                return Err(SqlError::new(13601, &[name]));
            }
            level.members.push(member);
        }
        Ok(levels)
    }

    /// What JSON_OBJECT, JSON_ARRAY and JSON_MODIFY know beside the values of their arguments.
    pub(super) fn json_form(
        &self,
        name: &str,
        f: &ast::FunctionCall,
        args: &[Bound],
    ) -> Option<Arc<Form>> {
        if !matches!(name, "JSON_OBJECT" | "JSON_ARRAY" | "JSON_MODIFY") {
            return None;
        }
        let raw = args.iter().map(|b| self.json.is_json(&b.expr)).collect();
        let absent = f.absent_on_null.unwrap_or_default();
        Some(Arc::new(Form::Values { raw, absent }))
    }

    /// `ISJSON(text, VALUE | SCALAR | ARRAY | OBJECT)`: 155, 1023.
    pub(super) fn isjson_of_kind(&mut self, f: &'a ast::FunctionCall) -> SqlResult<Bound> {
        let word = match &f.arguments[1].kind {
            ExprKind::Column(c) if c.qualifier.is_none() => &*c.name.value,
            _ => return Err(SqlError::new(1023, &[&2, &"isjson"])),
        };
        let Some(kind) = ISJSON_KINDS.into_iter().find(|k| k.eq_ignore_ascii_case(word)) else {
            return Err(SqlError::new(155, &[&word, &"isjson"]));
        };
        let text = self.expr(&f.arguments[0])?;
        let function = functions::bind("ISJSON", None, &[text.ty, TEXT])?;
        let args = vec![self.cast_to(text, TEXT)?, Expr::Const(Value::nvarchar(kind))];
        Ok(Bound::new(Expr::Call(Box::new(Call { function, args })), SqlType::Int))
    }
}

/// FOR JSON gives a result: 13602, as 6819 of FOR XML.
pub(super) fn not_into(f: &ast::ForClause, statement: &str) -> SqlResult<()> {
    match () {
        () if f.format.is("XML") => Err(SqlError::new(6819, &[&statement])),
        () if f.format.is("JSON") => Err(SqlError::new(13602, &[&statement])),
        () if f.format.is("BROWSE") => Ok(()),
        () => Err(unsupported(format_args!("FOR {}", f.format))),
    }
}
