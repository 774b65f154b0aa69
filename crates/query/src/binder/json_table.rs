//! OPENJSON in FROM.
//!
//! ```text
//! OPENJSON(document, path)              rows of key, value and type
//! OPENJSON(document, path) WITH (…)     a derived table: Compute (text → the columns' types) ── rows of texts
//! ```

use super::declared::large;
use super::query::BoundQuery;
use super::{Binder, Bound, FromTree, resolve_type};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_functions as functions;
use taffrail_functions::json::{BASE64, JsonColumn, OpenJson};
use taffrail_plan::columns::Label;
use taffrail_plan::expr::{Call, Expr};
use taffrail_plan::rel::{Rel, Rowset, RowsetRef, RowsetSource};
use taffrail_syntax::ast;
use taffrail_types::convert::Large;
use taffrail_types::names::TypeUse;
use taffrail_types::{Collation, Conversion, Family, MaxLen, SqlType, Value};

const TEXT: SqlType = SqlType::NVARCHAR_MAX;
/// The collation of `key`.
const OF_KEYS: &str = "Latin1_General_BIN2";

impl<'a> Binder<'a> {
    /// OPENJSON; none: it is another function.
    pub(super) fn open_json(
        &mut self,
        f: &'a ast::TableFunction,
        lateral: bool,
    ) -> SqlResult<Option<FromTree>> {
        let name = &f.call.name;
        if name.schema.is_some() || name.name.delimited || !name.name.is("OPENJSON") {
            return Ok(None);
        }
        let line = self.line(name.span);
        self.json_source(f, lateral).map(Some).map_err(|e| e.with_line(line))
    }

    fn json_source(&mut self, f: &'a ast::TableFunction, lateral: bool) -> SqlResult<FromTree> {
        let name = &f.call.name;
        match f.call.arguments.len() {
            0 => return Err(SqlError::new(313, &[name])),
            1 | 2 => {}
            _ => return Err(SqlError::new(8144, &[name])),
        }
        let args = match lateral {
            true => self.values_given(f)?,
            false => self.hiding_siblings(|b| b.values_given(f))?,
        };
        let (collation, label) = args[0].coerced();
        let mut texts = Vec::with_capacity(args.len());
        for (n, b) in args.into_iter().enumerate() {
            if !b.untyped && (!b.ty.is_text() || b.is_xml()) {
                let ty = b.declared().name();
                return Err(SqlError::new(8116, &[&ty, &(n + 1), &"OpenJson"]));
            }
            texts.push(self.cast_to(b, TEXT)?);
        }
        let alias = f.alias.as_ref().unwrap_or(&name.name);
        let bound = match f.schema.is_empty() {
            true => self.json_members(texts, (collation, label))?,
            false => self.json_columns(&f.schema, texts)?,
        };
        let source = self.derived_source(bound, &alias.value, &f.columns)?;
        self.add_source(source)
    }

    /// Rows of OPENJSON, with a slot for each of these columns.
    fn json_rows(
        &mut self,
        of: OpenJson,
        args: Vec<Expr>,
        columns: &[(Bound, &str)],
    ) -> SqlResult<(Rel, Vec<u32>)> {
        let slots: Vec<u32> = columns.iter().map(|(b, n)| self.computed_slot(b, n)).collect();
        let database = self.meta.current_database()?;
        let of = RowsetRef { database, source: RowsetSource::Json(Arc::new(of)) };
        let alias = of.source.name().into();
        let columns = slots.iter().copied().enumerate().collect();
        let rel = Rel::Rowset(Box::new(Rowset { of, alias, args, columns, dirty: false }));
        Ok((rel, slots))
    }

    fn json_members(
        &mut self,
        args: Vec<Expr>,
        document: (Collation, Label),
    ) -> SqlResult<BoundQuery> {
        let keys = Collation::from_name(OF_KEYS).unwrap_or_default();
        let key = Bound::not_null(Expr::NULL, SqlType::nvarchar(4000));
        let key = key.with_collation((keys, Label::Implicit));
        let value = Bound::new(Expr::NULL, TEXT).with_collation((document.0, Label::Implicit));
        let kind = Bound::not_null(Expr::NULL, SqlType::Int);
        let columns = [(key, "key"), (value, "value"), (kind, "type")];
        let (rel, outputs) = self.json_rows(OpenJson::default(), args, &columns)?;
        let columns = self.described(&rel, &outputs, ["key", "value", "type"]);
        Ok(BoundQuery { rel, outputs, columns, ..BoundQuery::default() })
    }

    fn json_columns(
        &mut self,
        schema: &'a [ast::RowsetColumn],
        args: Vec<Expr>,
    ) -> SqlResult<BoundQuery> {
        let mut columns = Vec::with_capacity(schema.len());
        for c in schema {
            columns.push(JsonColumn::new(&c.name.value, c.path.as_deref(), c.as_json)?);
        }
        let texts: Vec<(Bound, &str)> =
            schema.iter().map(|c| (Bound::new(Expr::NULL, TEXT), &*c.name.value)).collect();
        let (rel, slots) = self.json_rows(OpenJson::new(columns), args, &texts)?;
        let (mut items, mut outputs) = (Vec::new(), Vec::new());
        for (c, slot) in schema.iter().zip(slots) {
            let value = self.json_column(c, Bound::new(Expr::Slot(slot), TEXT))?;
            let slot = self.computed_slot(&value, &c.name.value);
            items.push((value.expr, slot));
            outputs.push(slot);
        }
        let rel = Rel::compute(rel, items);
        let columns = self.described(&rel, &outputs, schema.iter().map(|c| &*c.name.value));
        Ok(BoundQuery { rel, outputs, columns, ..BoundQuery::default() })
    }

    /// A column of WITH, of the text that was found: 13614, 13618. Text that is too long is cut.
    fn json_column(&mut self, c: &'a ast::RowsetColumn, text: Bound) -> SqlResult<Bound> {
        let ty = resolve_type(&c.ty, TypeUse::Declaration)?;
        let kind = large(&c.ty);
        if kind == Large::Old || ty == SqlType::Variant {
            return Err(SqlError::new(13614, &[]));
        }
        if c.as_json && (ty != TEXT || kind != Large::Plain) {
            return Err(SqlError::new(13618, &[]));
        }
        let collation = match &c.collation {
            Some(name) => super::declared::collation(name, ty, self.collation)?,
            None => self.collation,
        };
        if kind == Large::Xml {
            return self.xml_content(text, None, false);
        }
        let (mut from, mut value) = (TEXT, text.expr);
        if ty.family() == Family::Binary {
            let most = match ty.length() {
                Some(MaxLen::N(n)) => i32::from(n),
                _ => i32::MAX,
            };
            let function = functions::bind(BASE64, None, &[TEXT, SqlType::Int])?;
            from = function.result;
            let args = vec![value, Expr::Const(Value::Int(most))];
            value = Expr::Call(Box::new(Call { function, args }));
        }
        let expr = match from == ty {
            true => value,
            false => self.conversion(value, from, ty, None, Conversion::Explicit, false),
        };
        Ok(Bound::new(expr, ty).with_collation((collation, Label::Implicit)))
    }
}
