//! Values: literals, names, operators, CASE, conversions, subqueries.

use super::conversion::{XML, same_values};
use super::query::arith_op;
use super::scope::Mark;
use super::{Binder, Bound, coercion, large, unsupported};
use taffrail_base::{SqlError, SqlResult};
use taffrail_functions as functions;
use taffrail_plan::columns::Label;
use taffrail_plan::expr::{
    Arith, Call, Case, Cast, Chain, CompareOp, Concat, Expr, Global, Pred, Subquery,
};
use taffrail_syntax::ast::{self, ExprKind, Literal};
use taffrail_types::arith::{self, BinaryOp, UnaryOp};
use taffrail_types::convert::{Declared, Kind, Large};
use taffrail_types::names::{self, TypeArg, TypeUse};
use taffrail_types::{Collation, Conversion, Decimal, MaxLen, Pages, SqlType, Value, convert};

/// Text or binary of any kind.
pub fn is_string(ty: SqlType) -> bool {
    matches!(
        ty,
        SqlType::Char(_)
            | SqlType::VarChar(_)
            | SqlType::NChar(_)
            | SqlType::NVarChar(_)
            | SqlType::Binary(_)
            | SqlType::VarBinary(_)
    )
}

/// Text of any type.
pub fn is_text(ty: SqlType) -> bool {
    matches!(ty, SqlType::Char(_) | SqlType::VarChar(_) | SqlType::NChar(_) | SqlType::NVarChar(_))
}

/// Values whose order is a collation's to say: text, and what may hold text.
pub fn has_collation(ty: SqlType) -> bool {
    is_text(ty) || ty == SqlType::Variant
}

/// So many operators of a chain are a tree; what follows is flat.
const TREE_HEIGHT: usize = 64;

impl<'a> Binder<'a> {
    /// The binding of a value.
    pub fn expr(&mut self, e: &'a ast::Expr) -> SqlResult<Bound> {
        let line = self.line(e.span);
        let mut bound =
            self.deeper(|b| b.choosing(e, |b| b.expr_kind(e))).map_err(|e| e.with_line(line))?;
        if bound.label == Label::CoercibleDefault && is_text(bound.ty) {
            bound.collation = self.collation;
        }
        self.note_value(e, &bound);
        Ok(bound)
    }

    fn expr_kind(&mut self, e: &'a ast::Expr) -> SqlResult<Bound> {
        match &e.kind {
            ExprKind::Literal(l) => self.literal(l),
            ExprKind::Variable(v) => self.variable(&v.value),
            ExprKind::SystemVariable(v) => self.global(&v.value),
            ExprKind::Column(c) => {
                let b = self.column(c)?;
                self.used_directly(b)
            }
            ExprKind::Unary(op, operand) => self.unary(*op, operand),
            ExprKind::Binary(b) => self.operators(b),
            ExprKind::Case(c) => self.case(c),
            ExprKind::Cast(c) => self.cast_expr(c),
            ExprKind::Function(f) => self.function(f),
            ExprKind::Iif(i) => {
                let condition = self.pred(&i.condition)?;
                let then = self.expr(&i.then)?;
                let otherwise = self.expr(&i.otherwise)?;
                if then.untyped && otherwise.untyped {
                    return Err(SqlError::new(8133, &[]));
                }
                self.choose(vec![(condition, then)], Some(otherwise))
            }
            ExprKind::Subquery(q) => self.scalar_subquery(q),
            ExprKind::Collate(operand, name) => {
                let mut b = self.expr(operand)?;
                let collation = self.written_collation(b.declared(), name)?;
                b = self.collated(b, collation);
                if collation != b.collation || matches!(b.expr, Expr::Const(_)) {
                    b.expr = Expr::Collate(Box::new((b.expr, collation)));
                }
                b.collation = collation;
                b.label = Label::Explicit;
                Ok(b)
            }
            ExprKind::OdbcLiteral(kind, text) => {
                let ty = match kind {
                    ast::OdbcLiteral::Guid => SqlType::UniqueIdentifier,
                    _ => SqlType::DateTime,
                };
                let v = Value::varchar(text);
                let from = SqlType::VarChar(MaxLen::N(text.len().clamp(1, 8000) as u16));
                let v = convert::cast(&v, from, ty, None, Conversion::Implicit)?;
                Ok(Bound::not_null(Expr::Const(v), ty))
            }
            ExprKind::Default => Err(SqlError::new(156, &[&"DEFAULT"])),
            ExprKind::AtTimeZone(time, zone) => self.at_time_zone(time, zone),
            ExprKind::NextValue(n) => self.next_value(n),
            ExprKind::IdentityFunction(_) => Err(SqlError::new(177, &[])),
            ExprKind::Pseudo(p) if p.is("$action") && self.merge_action.is_some() => {
                let ty = SqlType::NVarChar(MaxLen::N(10));
                Ok(Bound::not_null(Expr::Slot(self.merge_action.unwrap_or_default()), ty))
            }
            ExprKind::Pseudo(p) if Mark::of(p).is_some() => {
                let column = ast::ColumnRef { qualifier: None, name: p.clone() };
                let b = self.column(&column)?;
                self.used_directly(b)
            }
            ExprKind::Pseudo(p) => Err(unsupported(&p.value)),
            ExprKind::Method(m) => {
                let target = self.expr(&m.target)?;
                self.xml_method(target, &m.name.value, &m.arguments)
            }
            _ => Err(SqlError::new(4145, &[&""])),
        }
    }

    /// A literal: text without N is of the database's code page.
    fn literal(&self, l: &Literal) -> SqlResult<Bound> {
        let page = self.collation.page();
        match l {
            Literal::String(s) if !page.is_western() && !s.is_ascii() => {
                let v = Value::varchar_of(page, s);
                let n = v.as_bytes().map_or(0, <[u8]>::len);
                let ty = SqlType::VarChar(length(n, 8000));
                Ok(Bound { literal: true, ..Bound::not_null(Expr::Const(v), ty) })
            }
            _ => literal(l),
        }
    }

    /// The collation of a COLLATE; 447 where it is not at text.
    pub(super) fn written_collation(
        &self,
        declared: Declared,
        name: &ast::Ident,
    ) -> SqlResult<Collation> {
        if !is_text(declared.ty) || declared.kind == Kind::Xml {
            return Err(SqlError::new(447, &[&declared.name()]));
        }
        crate::binder::declared::collation(name, declared.ty, self.collation)
    }

    fn unary(&mut self, op: ast::UnaryOp, operand: &'a ast::Expr) -> SqlResult<Bound> {
        // -2147483648 and other negative literals are literals.
        if op == ast::UnaryOp::Minus
            && let ExprKind::Literal(Literal::Decimal(text)) = &operand.kind
            && &**text == "2147483648"
        {
            let least = Bound::not_null(Expr::Const(Value::Int(i32::MIN)), SqlType::Int);
            return Ok(Bound { literal: true, ..least });
        }
        let b = self.expr(operand)?;
        let op = match op {
            ast::UnaryOp::Minus => UnaryOp::Minus,
            ast::UnaryOp::Plus => UnaryOp::Plus,
            ast::UnaryOp::BitNot => UnaryOp::BitNot,
        };
        if op == UnaryOp::Plus {
            return Ok(b);
        }
        if b.large != Large::Plain {
            let name = if op == UnaryOp::Minus { "minus" } else { "'~'" };
            return Err(SqlError::new(8117, &[&b.declared(), &name]));
        }
        let ty = arith::unary(op, b.ty)?;
        let (given, literal) = (b.nullable, b.literal);
        let value = self.cast_to(b, ty)?;
        let expr = match &value {
            Expr::Const(v) => match arith::eval_unary(op, v) {
                Ok(v) => Expr::Const(v),
                Err(_) => Expr::Unary(op, Box::new(value)),
            },
            _ => Expr::Unary(op, Box::new(value)),
        };
        // A number that is negated may overflow, which options make NULL.
        let nullable = match &expr {
            Expr::Const(v) => v.is_null(),
            _ => given || op == UnaryOp::Minus,
        };
        Ok(Bound { nullable, literal, ..Bound::new(expr, ty) })
    }

    /// Operators one after the other, from the left: their tree leans to the left, and may be high.
    fn operators(&mut self, last: &'a ast::Binary) -> SqlResult<Bound> {
        let mut links = vec![last];
        let mut first = &last.left;
        while let ExprKind::Binary(b) = &first.kind {
            links.push(b);
            first = &b.left;
        }
        let mut value = self.expr(first)?;
        let mut steps = Vec::new();
        for (at, b) in links.iter().rev().enumerate() {
            let right = self.expr(&b.right)?;
            let line = self.line(b.left.span);
            let carries = at >= TREE_HEIGHT && !matches!(value.expr, Expr::Const(_));
            let before = match carries {
                true => Some(std::mem::replace(&mut value.expr, Expr::Carried)),
                false => None,
            };
            value = self.operator(b.op, value, right).map_err(|e| e.with_line(line))?;
            if let Some(before) = before {
                steps.push(before);
            }
        }
        if !steps.is_empty() {
            steps.push(value.expr);
            let first = steps.remove(0);
            value.expr = Expr::Chain(Box::new(Chain { first, steps }));
        }
        Ok(value)
    }

    /// An operator as written.
    fn operator(&mut self, op: ast::BinaryOp, left: Bound, right: Bound) -> SqlResult<Bound> {
        let name = match op {
            ast::BinaryOp::ShiftLeft => "LEFT_SHIFT",
            ast::BinaryOp::ShiftRight => "RIGHT_SHIFT",
            _ => return self.binary(arith_op(op)?, left, right),
        };
        let function = functions::bind(name, None, &[left.ty, right.ty])?;
        let (ty, params) = (function.result, function.params.clone());
        let args = vec![self.cast_to(left, params[0])?, self.cast_to(right, params[1])?];
        Ok(Bound::new(Expr::Call(Box::new(Call { function, args })), ty))
    }

    /// An operator on two values that are bound.
    pub fn binary(&mut self, op: BinaryOp, left: Bound, right: Bound) -> SqlResult<Bound> {
        let (mut left, mut right) = (left, right);
        // NULL takes the other side's type, so that NULL + 'a' is text.
        if left.untyped && !right.untyped {
            left.ty = right.ty;
        } else if right.untyped && !left.untyped {
            right.ty = left.ty;
        }
        large::computed_with(&left, &right, op.message_name())?;
        // An integer literal beside a decimal has as many digits as it shows.
        let (l_ty, r_ty) = (left.ty, right.ty);
        literal_precision(&mut left, r_ty);
        literal_precision(&mut right, l_ty);
        let operation = arith::binary(op, left.ty, right.ty)
            // Refused, a literal is the int that it was.
            .map_err(|e| arith::binary(op, l_ty, r_ty).err().unwrap_or(e))?;
        // Of numbers the result may overflow, which options make NULL.
        let bits = matches!(op, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor);
        let overflows = !bits && !is_string(operation.result);
        let nullable = left.nullable || right.nullable || overflows;
        let ty = operation.result;
        let coerced = self.coerce_to(&[&left, &right], ty, "add")?;
        let page = coerced.0.page();
        let l = self.cast_to_page(left, operation.left, page)?;
        let r = self.cast_to_page(right, operation.right, page)?;
        let string = is_string(ty);
        // What text and NULL give is CONCAT_NULL_YIELDS_NULL's, when it is computed.
        if let (Some(a), Some(b)) = (l.constant(), r.constant())
            && !(string && (a.is_null() || b.is_null()))
            && let Ok(v) = operation.eval(a, b)
            // Digits that are lost may be an error when it is computed.
            && operation.is_exact(a, b, &v)
        {
            let nullable = v.is_null();
            let bound = Bound::new(coercion::constant(v, coerced), ty).with_collation(coerced);
            return Ok(Bound { nullable, ..bound });
        }
        let expr = match (op, ty) {
            (BinaryOp::Add, _) if string => {
                let max = match ty.max_length() {
                    -1 => usize::MAX,
                    n => n as usize,
                };
                Expr::Concat(Box::new(Concat { left: l, right: r, max }))
            }
            (BinaryOp::Add, SqlType::Int) => Expr::AddInt(Box::new((l, r))),
            (BinaryOp::Subtract, SqlType::Int) => Expr::SubInt(Box::new((l, r))),
            _ => Expr::Arith(Box::new(Arith { op: operation, left: l, right: r })),
        };
        Ok(Bound { nullable, ..Bound::new(expr, ty).with_collation(coerced) })
    }

    fn case(&mut self, c: &'a ast::Case) -> SqlResult<Bound> {
        let mut whens = Vec::with_capacity(c.branches.len());
        for branch in &c.branches {
            let condition = match &c.operand {
                None => self.pred(&branch.when)?,
                Some(operand) => {
                    let left = self.expr(operand)?;
                    let right = self.expr(&branch.when)?;
                    self.compare(CompareOp::Eq, left, right)?
                }
            };
            whens.push((condition, self.expr(&branch.then)?));
        }
        let otherwise = c.otherwise.as_ref().map(|e| self.expr(e)).transpose()?;
        if whens.iter().all(|(_, b)| b.untyped) && otherwise.as_ref().is_none_or(|b| b.untyped) {
            return Err(SqlError::new(8133, &[]));
        }
        self.choose(whens, otherwise)
    }

    /// CASE over values that are bound.
    pub fn choose(
        &mut self,
        whens: Vec<(Pred, Bound)>,
        otherwise: Option<Bound>,
    ) -> SqlResult<Bound> {
        let all: Vec<&Bound> = whens.iter().map(|(_, b)| b).chain(otherwise.as_ref()).collect();
        let to = self.common(&all)?;
        let coerced = self.coerce_to(&all, to.ty, "CASE")?;
        let nullable = otherwise.is_none() || all.iter().any(|b| b.nullable);
        let mut out = Vec::with_capacity(whens.len());
        for (p, b) in whens {
            out.push((p, self.cast_to_declared_as(b, to, coerced.0)?));
        }
        let otherwise =
            otherwise.map(|b| self.cast_to_declared_as(b, to, coerced.0)).transpose()?;
        let expr = Expr::Case(Box::new(Case { whens: out, otherwise }));
        Ok(Bound { nullable, ..Bound::of(expr, to).with_collation(coerced) })
    }

    /// The type that several values go to together.
    pub fn common(&self, all: &[&Bound]) -> SqlResult<Declared> {
        let mut typed = all.iter().filter(|b| !b.untyped).map(|b| b.declared());
        let first = typed.next().unwrap_or(SqlType::Int.into());
        typed.try_fold(first, convert::common_declared)
    }

    fn cast_expr(&mut self, c: &'a ast::Cast) -> SqlResult<Bound> {
        if c.kind == ast::CastKind::Parse {
            return self.parsed(c);
        }
        let large = crate::binder::declared::large(&c.ty);
        if large == Large::Xml && c.ty.arguments.is_empty() {
            let b = self.expr(&c.operand)?;
            let style = match &c.style {
                None => None,
                Some(s) => {
                    let s = self.expr(s)?;
                    Some(self.cast_to(s, SqlType::Int)?)
                }
            };
            if b.is_xml() {
                return Ok(b);
            }
            if !b.untyped {
                convert::check_declared(b.declared(), XML, Conversion::Explicit)?;
            }
            return self.xml_content(b, style, c.try_);
        }
        let to = self.data_type(&c.ty, TypeUse::Cast)?;
        let declared = Declared::new(to, large);
        let b = self.expr(&c.operand)?;
        let style = match &c.style {
            None => None,
            Some(s) => {
                let s = self.expr(s)?;
                Some(self.cast_to(s, SqlType::Int)?)
            }
        };
        let coerced = b.coerced();
        if matches!(to, SqlType::Char(_) | SqlType::VarChar(_))
            && let Label::NoCollation(clash) = coerced.1
        {
            return Err(coercion::cast(&clash));
        }
        if is_text(b.ty) && !b.is_xml() {
            crate::binder::declared::fits(coerced.0, to)?;
        }
        let expr = if b.untyped {
            if let Some(wanted) = &self.wanted {
                wanted.note(&b.expr, to);
            }
            Expr::NULL
        } else {
            convert::check_declared(b.declared(), declared, Conversion::Explicit)?;
            let b = if b.is_xml() { self.xml_written(b, to, c.try_)? } else { b };
            if style.is_none() && same_values(b.ty, to) {
                b.expr
            } else {
                // CONVERT(varchar, int) has its length given, 30, and no style: the quick form.
                self.cast_as(b, to, style, c.try_)
            }
        };
        // What is converted as the statement says may be NULL, whatever it was.
        Ok(Bound::of(expr, declared).with_collation(coerced))
    }

    /// CAST of a value: text keeps its code page.
    fn cast_as(&self, b: Bound, to: SqlType, style: Option<Expr>, lenient: bool) -> Expr {
        let pages = Pages::of(self.page_of(&b));
        match self.converted((b.expr, b.ty), to, style, Conversion::Explicit, pages) {
            Expr::Cast(cast) => Expr::Cast(Box::new(Cast { lenient, ..*cast })),
            other => other,
        }
    }

    /// A type as written: 2715, 243 and what its arguments deserve.
    pub fn data_type(&self, t: &ast::DataType, type_use: TypeUse) -> SqlResult<SqlType> {
        resolve_type(t, type_use).map_err(|e| {
            // The state tells a type of users from no type at all.
            let state = if e.number == 243 && self.meta.has_type(&t.name) { 2 } else { e.state };
            e.with_state(state).with_line(self.line(t.span))
        })
    }

    fn global(&mut self, name: &str) -> SqlResult<Bound> {
        let upper = name.to_ascii_uppercase();
        let quick = match &*upper {
            "@@ROWCOUNT" => Some((Global::RowCount, SqlType::Int)),
            "@@ERROR" => Some((Global::Error, SqlType::Int)),
            "@@TRANCOUNT" => Some((Global::TranCount, SqlType::Int)),
            "@@SPID" => Some((Global::Spid, SqlType::SmallInt)),
            "@@NESTLEVEL" => Some((Global::NestLevel, SqlType::Int)),
            "@@FETCH_STATUS" => Some((Global::FetchStatus, SqlType::Int)),
            "@@IDENTITY" => {
                let ty = SqlType::Numeric { precision: 38, scale: 0 };
                return Ok(Bound::new(Expr::Global(Global::Identity), ty));
            }
            "@@OPTIONS" => Some((Global::Options, SqlType::Int)),
            "@@LOCK_TIMEOUT" => Some((Global::LockTimeout, SqlType::Int)),
            "@@DATEFIRST" => Some((Global::DateFirst, SqlType::TinyInt)),
            "@@TEXTSIZE" => Some((Global::TextSize, SqlType::Int)),
            "@@CURSOR_ROWS" => Some((Global::CursorRows, SqlType::Int)),
            "@@PROCID" => Some((Global::ProcId, SqlType::Int)),
            _ => None,
        };
        if let Some((g, ty)) = quick {
            return Ok(Bound::not_null(Expr::Global(g), ty));
        }
        if let Some((at, v)) = self.variables.find(name)
            && let Some(ty) = v.ty
        {
            return Ok(Bound::new(Expr::Var(at), ty));
        }
        match taffrail_functions::global_type(&upper) {
            Some(ty) => Ok(Bound::new(Expr::Named(upper.into()), ty)),
            None => Err(SqlError::new(137, &[&name]).with_state(2)),
        }
    }

    fn scalar_subquery(&mut self, q: &'a ast::Query) -> SqlResult<Bound> {
        let (plan, mut columns) = self.subquery(q)?;
        if columns.len() != 1 {
            return Err(SqlError::new(116, &[]));
        }
        let c = columns.remove(0);
        let expr = Expr::Subquery(Box::new(plan));
        Ok(Bound { expr, nullable: true, ..c })
    }

    /// A subquery and its columns.
    pub fn subquery(&mut self, q: &'a ast::Query) -> SqlResult<(Subquery, Vec<Bound>)> {
        // Inside an aggregate's argument, a subquery begins afresh: 130.
        if self.blocks.last().is_some_and(|b| b.in_aggregate) {
            return Err(SqlError::new(130, &[]));
        }
        if self.scalars_only || self.in_output {
            return Err(SqlError::new(if self.in_output { 10705 } else { 1046 }, &[]));
        }
        self.subquery_depth += 1;
        let tables = std::mem::take(&mut self.named_tables);
        let bound = self.collecting_outer(|b| b.query(q, true));
        self.named_tables = tables;
        self.subquery_depth -= 1;
        let (bound, outer) = bound?;
        let outputs = bound.outputs;
        let columns = outputs
            .iter()
            .zip(&bound.columns)
            .map(|(s, c)| {
                let column = &self.columns[*s];
                let declared = Declared::new(column.ty.ty, c.large);
                Bound::of(Expr::Slot(*s), declared).with_collation(column.coerced())
            })
            .collect();
        let output = outputs.first().copied().unwrap_or(0);
        Ok((self.add_subquery(bound.rel, output, outer), columns))
    }
}

/// An integer literal that is computed with a decimal has as many digits as it shows.
fn literal_precision(b: &mut Bound, other: SqlType) {
    if let (Expr::Const(v), SqlType::Int, SqlType::Decimal { .. } | SqlType::Numeric { .. }) =
        (&b.expr, b.ty, other)
        && b.literal
        && let Some(n) = v.as_i64()
        && let Some(d) = Decimal::new(n < 0, n.unsigned_abs() as u128, 0)
    {
        b.expr = Expr::Const(Value::Decimal(d));
        b.ty = SqlType::Numeric { precision: d.digits(), scale: 0 };
    }
}

/// A type as written, without a line.
pub fn resolve_type(t: &ast::DataType, type_use: TypeUse) -> SqlResult<SqlType> {
    let mut args = Vec::with_capacity(2);
    for a in &t.arguments {
        args.push(match a {
            ast::TypeArgument::Number(n) => TypeArg::N(*n),
            ast::TypeArgument::Max => TypeArg::Max,
            ast::TypeArgument::Name(_) if t.name.name.is("xml") => {
                return Err(crate::binder::declared::typed_xml());
            }
            ast::TypeArgument::Name(n) => return Err(SqlError::new(243, &[n])),
        });
    }
    let known = match &t.name.schema {
        Some(s) if !s.is("sys") => None,
        _ => names::resolve(&t.name.name.value, &args, type_use),
    };
    match known {
        Some(ty) => ty,
        None if crate::binder::declared::is_absent_type(&t.name) => {
            Err(super::unsupported(format!("The data type '{}'", t.name.name.value)))
        }
        None if type_use == TypeUse::Cast => Err(SqlError::new(243, &[&t.name])),
        None => Err(SqlError::new(2715, &[&1, &t.name])),
    }
}

/// A literal's value and type.
pub fn literal(l: &Literal) -> SqlResult<Bound> {
    let (value, ty) = match l {
        Literal::Null => {
            let b = Bound::new(Expr::NULL, SqlType::Int);
            return Ok(Bound { untyped: true, ..b });
        }
        Literal::Int(v) => (Value::Int(*v), SqlType::Int),
        Literal::Decimal(text) if text.contains(['e', 'E']) => {
            return Err(SqlError::new(168, &[text, &8]));
        }
        Literal::Decimal(text) => {
            let digits: String = text.chars().filter(|c| c.is_ascii_digit()).collect();
            let scale = text.split_once('.').map_or(0, |(_, f)| f.len());
            let trimmed = digits.trim_start_matches('0');
            let too_long =
                || SqlError::new(1007, &[&"number", text, &"numeric", &Decimal::MAX_PRECISION]);
            if trimmed.len() > 38 || scale > 38 {
                return Err(too_long());
            }
            let magnitude: u128 =
                if trimmed.is_empty() { 0 } else { trimmed.parse().map_err(|_| too_long())? };
            let v = Decimal::new(false, magnitude, scale as u8).ok_or_else(too_long)?;
            let precision = trimmed.len().max(scale).max(1) as u8;
            (Value::Decimal(v), SqlType::Numeric { precision, scale: scale as u8 })
        }
        Literal::Float(v) => (Value::Float(*v), SqlType::Float),
        Literal::Money(text) => {
            let from = SqlType::VarChar(MaxLen::N(text.len().clamp(1, 8000) as u16));
            let v = Value::varchar(text);
            let v = convert::cast(&v, from, SqlType::Money, None, Conversion::Implicit)?;
            (v, SqlType::Money)
        }
        Literal::String(s) => {
            let v = Value::varchar(s);
            let n = v.as_bytes().map_or(0, <[u8]>::len);
            (v, SqlType::VarChar(length(n, 8000)))
        }
        Literal::NString(s) => {
            let v = Value::nvarchar(s);
            let n = v.as_bytes().map_or(0, <[u8]>::len) / 2;
            (v, SqlType::NVarChar(length(n, 4000)))
        }
        Literal::Binary(b) => (Value::binary(b), SqlType::VarBinary(length(b.len(), 8000))),
    };
    Ok(Bound { literal: true, ..Bound::not_null(Expr::Const(value), ty) })
}

fn length(n: usize, most: usize) -> MaxLen {
    if n > most { MaxLen::Max } else { MaxLen::N(n.max(1) as u16) }
}
