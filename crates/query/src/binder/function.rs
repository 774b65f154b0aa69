//! Function calls: the forms that the binder evaluates itself, aggregates, windows, and the table of built-ins.

use super::{Binder, Bound, unsupported};
use taffrail_base::{SqlError, SqlResult};
use taffrail_functions as functions;
use taffrail_plan::attributes::is_never_null;
use taffrail_plan::columns::Label;
use taffrail_plan::expr::{Call, CompareOp, Expr, Part};
use taffrail_plan::rel::Rel;
use taffrail_syntax::ast::{self, ExprKind};
use taffrail_types::convert::Large;
use taffrail_types::{CodePage, Conversion, Family, MaxLen, SqlType};

/// Functions that [`Binder::function`] binds itself, and those over windows.
const OWN: &[&str] = &[
    "CHOOSE",
    "COALESCE",
    "CUME_DIST",
    "DENSE_RANK",
    "FIRST_VALUE",
    "ISNULL",
    "LAG",
    "LAST_VALUE",
    "LEAD",
    "NTILE",
    "NULLIF",
    "PERCENT_RANK",
    "RANK",
    "ROW_NUMBER",
];

/// Whether SQL Server has a scalar, aggregate or window function of this name, be it here or not.
pub fn is_function(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    OWN.contains(&&*upper)
        || functions::find(&upper).is_some()
        || functions::is_absent(&upper)
        || super::aggregate::aggregate_function(&upper).is_some()
}

/// Functions of schema dbo, each with the database that has it where not every one has. None is a name of its own.
const OF_DBO: [(&str, Option<&str>); 2] =
    [("agent_datetime", Some("msdb")), ("fn_varbintohexstr", None)];

impl<'a> Binder<'a> {
    /// A function call of any kind.
    pub fn function(&mut self, f: &'a ast::FunctionCall) -> SqlResult<Bound> {
        if let Some((known, home)) = OF_DBO.iter().find(|(known, _)| f.name.name.is(known)) {
            if f.name.schema.is_none() {
                let kind = &"built-in function name";
                return Err(SqlError::new(195, &[&f.name.name.value, kind]).with_state(10));
            }
            let is_home = |home: &&str| match &f.name.database {
                Some(named) => named.is(home),
                None => {
                    let current = self.meta.current_database();
                    current.is_ok_and(|d| d.name.eq_ignore_ascii_case(home))
                }
            };
            if home.as_ref().is_none_or(is_home) {
                return self.built_in(&known.to_ascii_uppercase(), f);
            }
        }
        if f.name.schema.as_ref().is_some_and(|s| !s.is("sys")) {
            return self.user_call(f);
        }
        let name = f.name.name.value.to_ascii_uppercase();
        if let Some(ignore) = f.ignore_nulls
            && !matches!(&*name, "FIRST_VALUE" | "LAST_VALUE" | "LAG" | "LEAD")
        {
            return Err(SqlError::new(102, &[&if ignore { "IGNORE" } else { "RESPECT" }]));
        }
        if let Some(b) = self.window_or_aggregate(&name, f)? {
            return Ok(b);
        }
        if f.over.is_some() {
            if functions::is_absent(&name) {
                return Err(unsupported(format_args!("The function {name}")));
            }
            return Err(SqlError::new(4113, &[&f.name.name.value]));
        }
        match &*name {
            "EVENTDATA" => {
                let event = self.built_in(&name, f)?;
                self.xml_content(event, None, false)
            }
            "COALESCE" => self.coalesce(f),
            "ISNULL" => {
                self.arity(f, 2)?;
                let a = self.expr(&f.arguments[0])?;
                let b = self.expr(&f.arguments[1])?;
                let first = if a.untyped { &b } else { &a };
                let to = first.declared();
                let (nullable, coerced) = (a.nullable && b.nullable, first.coerced());
                let collation = self.or_database(coerced).0;
                let a = self.cast_to_declared_as(a, to, collation)?;
                let b = self.cast_to_declared_as(b, to, collation)?;
                let expr = Expr::Coalesce(vec![a, b]);
                Ok(Bound { nullable, ..Bound::of(expr, to).with_collation(coerced) })
            }
            "NULLIF" => {
                self.arity(f, 2)?;
                let a = self.expr(&f.arguments[0])?;
                if a.untyped {
                    return Err(SqlError::new(4151, &[]));
                }
                let b = self.expr(&f.arguments[1])?;
                let equal = self.compare(CompareOp::Eq, a, b)?;
                let a = self.expr(&f.arguments[0])?;
                let null = Bound { untyped: true, ..Bound::of(Expr::NULL, a.declared()) };
                self.choose(vec![(equal, null)], Some(a))
            }
            "CHOOSE" => {
                if f.arguments.len() < 2 {
                    return Err(SqlError::new(189, &[&"choose", &2, &254]));
                }
                let mut whens = Vec::new();
                for (i, value) in f.arguments[1..].iter().enumerate() {
                    // As an int: 1.9 is the first.
                    let index = self.expr(&f.arguments[0])?;
                    let index = Bound::new(self.cast_to(index, SqlType::Int)?, SqlType::Int);
                    let n = Expr::Const(taffrail_types::Value::Int(i as i32 + 1));
                    let n = Bound::not_null(n, SqlType::Int);
                    let p = self.compare(CompareOp::Eq, index, n)?;
                    whens.push((p, self.expr(value)?));
                }
                self.choose(whens, None)
            }
            _ => self.built_in(&name, f),
        }
    }

    fn arity(&self, f: &ast::FunctionCall, n: usize) -> SqlResult<()> {
        if f.arguments.len() == n {
            return Ok(());
        }
        Err(SqlError::new(174, &[&f.name.name.value.to_ascii_lowercase(), &n]))
    }

    fn coalesce(&mut self, f: &'a ast::FunctionCall) -> SqlResult<Bound> {
        if f.arguments.len() < 2 {
            return Err(SqlError::new(102, &[&")"]));
        }
        let list = f.arguments.iter().map(|e| self.expr(e)).collect::<SqlResult<Vec<_>>>()?;
        if list.iter().all(|b| b.untyped) {
            return Err(SqlError::new(4127, &[]));
        }
        let all: Vec<&Bound> = list.iter().collect();
        let to = self.common(&all)?;
        let coerced = self.coerce_to(&all, to.ty, "CASE")?;
        // As CASE: the first that is not NULL, else the last, which may be.
        let nullable = list.iter().any(|b| b.nullable);
        let list = list.into_iter().map(|b| self.cast_to_declared_as(b, to, coerced.0));
        let list = list.collect::<SqlResult<_>>()?;
        let b = Bound::of(Expr::Coalesce(list), to).with_collation(coerced);
        Ok(Bound { nullable, ..b })
    }

    /// The `*` of CHECKSUM and BINARY_CHECKSUM: all columns of the query's tables. Others take none.
    fn every_column(&mut self, name: &str) -> SqlResult<Vec<Bound>> {
        if !matches!(name, "CHECKSUM" | "BINARY_CHECKSUM") {
            return Err(SqlError::new(102, &[&"*"]));
        }
        let mut items = Vec::new();
        let sources = self.blocks.last().map_or(0, |b| b.sources.len());
        for at in 0..sources {
            self.star(self.blocks.len() - 1, at, &mut items)?;
        }
        if items.is_empty() {
            return Err(SqlError::new(263, &[]));
        }
        Ok(items.into_iter().map(|i| i.bound).collect())
    }

    /// The call is all of a column's default that is being bound.
    fn is_whole_default(&self, f: &ast::FunctionCall) -> bool {
        self.whole_default.is_some_and(|whole| match &whole.kind {
            ExprKind::Function(call) => std::ptr::eq(&**call, f),
            _ => false,
        })
    }

    fn built_in(&mut self, name: &str, f: &'a ast::FunctionCall) -> SqlResult<Bound> {
        if functions::find(name).is_none() || functions::has_own_syntax(name) {
            let written = &f.name.name.value;
            if functions::is_absent(name) {
                return Err(unsupported(format_args!("The function {name}")));
            }
            return Err(SqlError::new(195, &[written, &"built-in function name"]).with_state(10));
        }
        if name == "ISJSON" && f.arguments.len() == 2 {
            return self.isjson_of_kind(f);
        }
        let mut arguments = &f.arguments[..];
        let mut part = None;
        if functions::takes_datepart(name)
            && let Some((first, rest)) = arguments.split_first()
        {
            let word = match &first.kind {
                ExprKind::Column(c) if c.qualifier.is_none() => &*c.name.value,
                _ => return Err(SqlError::new(1023, &[&1, &name.to_ascii_lowercase()])),
            };
            part = Some(word);
            arguments = rest;
        }
        let mut args = match f.star {
            true => self.every_column(name)?,
            false => arguments.iter().map(|e| self.expr(e)).collect::<SqlResult<Vec<_>>>()?,
        };
        self.refuse_arguments(name, &mut args)?;
        if name == "ASCII" {
            args = args.into_iter().map(|b| self.narrowed_by_page(b)).collect::<SqlResult<_>>()?;
        }
        let mut types: Vec<SqlType> = args.iter().map(|b| b.ty).collect();
        let one_sided = match f.trim {
            Some(ast::TrimSide::Leading) => "LTRIM",
            Some(ast::TrimSide::Trailing) => "RTRIM",
            _ => name,
        };
        // Text of other code pages is computed with as nvarchar, unless its bytes are asked for.
        let narrow = match args.iter().find(|b| self.is_foreign(b)) {
            Some(foreign) if !of_bytes(name) => {
                let page = self.page_of(foreign);
                let result = functions::bind(one_sided, part, &types)?.result;
                args = self.all_widened(name, args)?;
                types = args.iter().map(|b| b.ty).collect();
                Some((result, page))
            }
            _ => None,
        };
        let mut bound = functions::bind(one_sided, part, &types)?;
        if name == "SUBSTRING" && args[0].large == Large::Old {
            let length = args[2].expr.constant().and_then(|v| v.as_i64());
            bound.result = super::large::part_of(args[0].ty, length);
        }
        if matches!(name, "TIMEFROMPARTS" | "DATETIME2FROMPARTS" | "DATETIMEOFFSETFROMPARTS") {
            bound.result = with_scale(bound.result, args.last())?;
        }
        bound.form = self.json_form(name, f, &args);
        negative_length(name, &args)?;
        bound.result = narrowed(name, &args, bound.result);
        if name == "NEWSEQUENTIALID" && !self.is_whole_default(f) {
            return Err(SqlError::new(302, &[]).with_state(0));
        }
        let coerced = self.of_arguments(name, bound.compares(), &args)?;
        if name == "ASCII" && super::is_text_type(args[0].ty) {
            // Its number is one of the code page.
            super::declared::fits(coerced.0, SqlType::varchar(1))?;
        }
        let counts = coerced.0.is_supplementary()
            && matches!(
                name,
                "LEN" | "LEFT" | "RIGHT" | "SUBSTRING" | "STUFF" | "REVERSE" | "UNICODE"
            );
        if name == "CHAR" {
            bound.collations = smallvec::smallvec![self.collation];
        } else if name == "NCHAR" && self.collation.is_supplementary() {
            // Its number may be one of two units.
            bound.result = SqlType::nvarchar(2);
            bound.collations = smallvec::smallvec![self.collation];
        } else if counts || bound.compares() || matches!(name, "UPPER" | "LOWER") {
            bound.collations = smallvec::smallvec![coerced.0];
        } else if matches!(name, "CHECKSUM" | "BINARY_CHECKSUM") {
            bound.collations = args.iter().map(|b| b.collation).collect();
        } else if name == "SQL_VARIANT_PROPERTY" {
            bound.collations = smallvec::smallvec![self.or_database(coerced).0];
        }
        let ty = bound.result;
        let params = bound.params.clone();
        let mut out = Vec::with_capacity(args.len());
        for (b, to) in args.drain(..).zip(params) {
            // Functions of text take money, which is not assigned to text.
            out.push(match (b.ty.family(), to.is_text()) {
                (Family::Money, true) => {
                    self.conversion(b.expr, b.ty, to, None, Conversion::Implicit, false)
                }
                _ => self.cast_to(b.plain(), to)?,
            });
        }
        let mut expr = Expr::Call(Box::new(Call { function: bound, args: out }));
        if name == "RAND" && !self.scalars_only && !self.blocks.is_empty() && is_constant(&expr) {
            expr = self.once(expr, ty);
        }
        let nullable = !is_never_null(name);
        let bound = Bound { nullable, ..Bound::new(expr, ty).with_collation(coerced) };
        match narrow {
            None => Ok(bound),
            Some((ty, page)) => self.narrowed_again(bound, ty, page),
        }
    }

    /// Arguments of a function, text of other code pages as nvarchar; the result of some is longer than they are.
    fn all_widened(&self, name: &str, args: Vec<Bound>) -> SqlResult<Vec<Bound>> {
        let grows = matches!(
            name,
            "REPLICATE" | "REPLACE" | "CONCAT" | "CONCAT_WS" | "STUFF" | "STRING_ESCAPE"
        );
        let one = |b| match grows {
            true => self.widened_to(b, SqlType::NVARCHAR_MAX),
            false => self.widened(b),
        };
        args.into_iter().map(one).collect()
    }

    /// nvarchar as text of its collation's code page, where that is another than 1252.
    fn narrowed_by_page(&self, b: Bound) -> SqlResult<Bound> {
        if !b.ty.is_unicode() || b.untyped || self.page_of(&b).is_western() {
            return Ok(b);
        }
        let (ty, coerced) = (SqlType::VarChar(MaxLen::Max), b.coerced());
        super::declared::fits(coerced.0, ty)?;
        Ok(Bound::new(self.cast_to(b.plain(), ty)?, ty).with_collation(coerced))
    }

    /// The result of a function whose text was widened, as of the text as it was.
    fn narrowed_again(&self, b: Bound, ty: SqlType, page: CodePage) -> SqlResult<Bound> {
        let (coerced, nullable) = (b.coerced(), b.nullable);
        let page = match coerced.1 {
            Label::NoCollation(_) => page,
            _ => self.page_of(&b),
        };
        let expr = self.cast_to_page(b, ty, page)?;
        Ok(Bound { nullable, ..Bound::new(expr, ty).with_collation(coerced) })
    }

    /// Types that the rules of the functions cannot tell from others: 8116.
    fn refuse_arguments(&self, name: &str, args: &mut Vec<Bound>) -> SqlResult<()> {
        let before = functions::takes_datepart(name) as usize;
        let invalid = |ty: &str, at: usize| {
            Err(SqlError::new(8116, &[&ty, &(at + 1 + before), &name.to_ascii_lowercase()]))
        };
        match name {
            "FORMAT" => match args.iter().take(2).position(|b| b.untyped) {
                Some(at) => invalid("NULL", at),
                None => Ok(()),
            },
            "CHECKSUM" if args.iter().any(|b| b.untyped) => {
                let at = args.iter().position(|b| b.untyped).unwrap_or_default();
                invalid("NULL", at).map_err(|e| e.with_state(4))
            }
            "SUBSTRING" | "EOMONTH" | "TODATETIMEOFFSET" | "DATETRUNC" | "COMPRESS"
            | "DECOMPRESS"
                if args.first().is_some_and(|b| b.untyped) =>
            {
                invalid("NULL", 0)
            }
            // LTRIM and RTRIM take other types, too. The text stands behind the characters.
            "TRIM" => {
                super::large::passed(name, args)?;
                let text = |b: &Bound| b.untyped || super::expr::is_text(b.ty);
                match args.iter().position(|b| !text(b)) {
                    Some(at) => {
                        let ty = args[at].ty.name();
                        Err(SqlError::new(8116, &[&ty, &(args.len() - at), &"Trim"]))
                    }
                    None => Ok(()),
                }
            }
            // What cannot be compared is left out, and NULL as it is written.
            "BINARY_CHECKSUM" => {
                args.retain(|b| b.large == Large::Plain && !b.untyped);
                if args.is_empty() { Err(SqlError::new(8184, &[])) } else { Ok(()) }
            }
            _ => super::large::passed(name, args),
        }
    }

    /// A value that is computed once for all rows of the statement, however often it is asked for.
    fn once(&mut self, value: Expr, ty: SqlType) -> Expr {
        let output = self.result_slot(&Bound::new(Expr::NULL, ty));
        let rel = Rel::compute(Rel::OneRow, vec![(value, output)]);
        Expr::Subquery(Box::new(self.add_subquery(rel, output, Vec::new())))
    }
}

/// 536: a constant length that cannot be is told before anything runs.
fn negative_length(name: &str, args: &[Bound]) -> SqlResult<()> {
    let state = match name {
        "LEFT" | "RIGHT" => 6,
        "SUBSTRING" => 8,
        _ => return Ok(()),
    };
    let length = args.last().and_then(|b| b.expr.constant()).and_then(|v| v.as_i64());
    match length {
        Some(..0) => Err(SqlError::new(536, &[&name.to_ascii_lowercase()]).with_state(state)),
        _ => Ok(()),
    }
}

/// Text of a function that a constant says how long it is at most.
fn narrowed(name: &str, args: &[Bound], result: SqlType) -> SqlType {
    use SqlType::{NVarChar, VarChar};
    let constant = |at: usize| {
        let value = args.get(at).and_then(|b| b.expr.constant());
        value.and_then(|v| v.as_i64()).and_then(|n| usize::try_from(n).ok())
    };
    let most = match result {
        VarChar(MaxLen::N(n)) | NVarChar(MaxLen::N(n)) => usize::from(n),
        _ => return result,
    };
    let length = match name {
        "LEFT" | "RIGHT" => constant(1),
        "SUBSTRING" => constant(2),
        "SPACE" => constant(0),
        "STR" if args.len() == 1 => Some(10),
        "STR" => constant(1),
        "REPLICATE" => match (args[0].ty.length(), constant(1)) {
            (Some(MaxLen::N(one)), Some(times)) => Some(times.saturating_mul(usize::from(one))),
            _ => None,
        },
        _ => None,
    };
    let Some(mut length) = length else { return result };
    // A character may have two units.
    if matches!(name, "LEFT" | "RIGHT" | "SUBSTRING") && args[0].coerced().0.is_supplementary() {
        length = length.saturating_mul(2);
    }
    let length = MaxLen::N(length.clamp(1, most) as u16);
    if let NVarChar(_) = result { NVarChar(length) } else { VarChar(length) }
}

/// The result of a function that makes a time of parts: its scale is the last argument, which is an integer constant
/// (10760). One that no scale can be is left to the evaluation.
fn with_scale(result: SqlType, scale: Option<&Bound>) -> SqlResult<SqlType> {
    let constant = scale.filter(|b| b.ty.family() == Family::Integer);
    let constant = constant.and_then(|b| b.expr.constant()).and_then(|v| v.as_i64());
    let Some(scale) = constant else { return Err(SqlError::new(10760, &[&result.name()])) };
    let scale = u8::try_from(scale).ok().filter(|n| *n <= 7).unwrap_or(7);
    Ok(match result {
        SqlType::Time(_) => SqlType::Time(scale),
        SqlType::DateTime2(_) => SqlType::DateTime2(scale),
        _ => SqlType::DateTimeOffset(scale),
    })
}

/// Functions of the bytes of text, whatever their letters are.
fn of_bytes(name: &str) -> bool {
    matches!(
        name,
        "DATALENGTH"
            | "ASCII"
            | "BINARY_CHECKSUM"
            | "HASHBYTES"
            | "COMPRESS"
            | "DECOMPRESS"
            | "SQL_VARIANT_PROPERTY"
    )
}

/// Whether a value is the same in every row: no column, no subquery, no function that is new in every call.
fn is_constant(e: &Expr) -> bool {
    let mut constant = match e {
        Expr::Slot(_) | Expr::Subquery(_) | Expr::UserCall(_) => false,
        Expr::Call(c) => c.function.determinism() != functions::Determinism::PerCall,
        _ => true,
    };
    e.children(&mut |part| {
        constant &= match part {
            Part::Expr(e) => is_constant(e),
            Part::Pred(_) | Part::Plan(_) => false,
        }
    });
    constant
}
