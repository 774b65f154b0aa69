//! The form of an expression that the catalogue keeps ([`taffrail_plan::written`]), noted for each part of the text as soon as it is bound.

use super::{Binder, Bound, compare_op, resolve_type};
use std::collections::HashMap;
use taffrail_functions as functions;
use taffrail_plan::expr::{CompareOp, Expr};
use taffrail_plan::names::bracketed;
use taffrail_plan::written::{Conversion, Written, WrittenCall, WrittenCase};
use taffrail_syntax::ast::{self, CastKind, ExprKind, TypeArgument};
use taffrail_types::convert::Large;
use taffrail_types::names::TypeUse;

/// The forms of the expressions that have been bound, by where they stand in the syntax tree. An expression that has no form is missing,
/// and so is every one that holds it.
#[derive(Default)]
pub(super) struct Forms(HashMap<usize, Written>);

impl Forms {
    fn key(e: &ast::Expr) -> usize {
        std::ptr::from_ref(e).addr()
    }

    fn note(&mut self, e: &ast::Expr, form: Option<Written>) {
        match form {
            Some(form) => self.0.insert(Forms::key(e), form),
            None => self.0.remove(&Forms::key(e)),
        };
    }

    /// The form of an expression that is bound. A constant that only its syntax says (an XQuery) is bound by nobody.
    pub fn take(&mut self, e: &ast::Expr) -> Option<Written> {
        let noted = self.0.remove(&Forms::key(e));
        let noted = noted
            .or_else(|| if let ExprKind::Binary(b) = &e.kind { self.operators(b) } else { None });
        noted.or_else(|| Written::constant(e))
    }

    fn boxed(&mut self, e: &ast::Expr) -> Option<Box<Written>> {
        self.take(e).map(Box::new)
    }

    fn pair(&mut self, left: &ast::Expr, right: &ast::Expr) -> Option<Box<(Written, Written)>> {
        Some(Box::new((self.take(left)?, self.take(right)?)))
    }

    fn all(&mut self, list: &[ast::Expr]) -> Option<Vec<Written>> {
        list.iter().map(|e| self.take(e)).collect()
    }

    /// A clause that may be missing: its form, or none where it has no form.
    fn clause(&mut self, e: &Option<ast::Expr>) -> Option<Option<Written>> {
        match e {
            Some(e) => self.take(e).map(Some),
            None => Some(None),
        }
    }

    /// Operators are bound in a loop, so only their outermost is noted as a value.
    fn operators(&mut self, last: &ast::Binary) -> Option<Written> {
        let mut links = vec![last];
        let mut first = &last.left;
        while let ExprKind::Binary(b) = &first.kind {
            links.push(b);
            first = &b.left;
        }
        let first = self.boxed(first)?;
        let rest = links.iter().rev().map(|b| Some((b.op, self.take(&b.right)?)));
        Some(Written::Operators(first, rest.collect::<Option<_>>()?))
    }

    fn case(&mut self, c: &ast::Case) -> Option<Written> {
        let operand = self.clause(&c.operand)?;
        let when = |b: &ast::CaseBranch| Some((self.take(&b.when)?, self.take(&b.then)?));
        let whens = c.branches.iter().map(when).collect::<Option<_>>()?;
        let otherwise = self.clause(&c.otherwise)?;
        Some(Written::Case(Box::new(WrittenCase { operand, whens, otherwise })))
    }

    fn iif(&mut self, i: &ast::Iif) -> Option<Written> {
        let whens = vec![(self.take(&i.condition)?, self.take(&i.then)?)];
        let otherwise = Some(self.take(&i.otherwise)?);
        Some(Written::Case(Box::new(WrittenCase { operand: None, whens, otherwise })))
    }

    fn cast(&mut self, c: &ast::Cast) -> Option<Written> {
        let word = match (c.kind, c.try_) {
            (CastKind::Parse, _) => return None,
            (CastKind::Cast, true) => "TRY_CAST",
            (_, true) => "TRY_CONVERT",
            (_, false) => "CONVERT",
        };
        let (value, style) = (self.take(&c.operand)?, self.clause(&c.style)?);
        let ty = type_text(&c.ty).into();
        Some(Written::Convert(Box::new(Conversion { word, ty, value, style })))
    }

    /// BETWEEN as two comparisons.
    fn between(&mut self, b: &ast::Between) -> Option<Written> {
        let (value, low, high) = (self.take(&b.operand)?, self.take(&b.low)?, self.take(&b.high)?);
        let low_of = |op| Written::Compare(op, Box::new((value.clone(), low)));
        let (low, high_op) = match b.negated {
            false => (low_of(CompareOp::Ge), CompareOp::Le),
            true => (low_of(CompareOp::Lt), CompareOp::Gt),
        };
        let both = vec![low, Written::Compare(high_op, Box::new((value, high)))];
        Some(if b.negated { Written::Or(both) } else { Written::And(both) })
    }

    /// IN as comparisons, the last value first.
    fn in_list(&mut self, l: &ast::InList) -> Option<Written> {
        let value = self.take(&l.operand)?;
        let op = if l.negated { CompareOp::Ne } else { CompareOp::Eq };
        let one = |item| Written::Compare(op, Box::new((value.clone(), item)));
        let mut list: Vec<Written> = self.all(&l.list)?.into_iter().rev().map(one).collect();
        Some(match list.len() {
            1 => list.remove(0),
            _ if l.negated => Written::And(list),
            _ => Written::Or(list),
        })
    }

    fn like(&mut self, l: &ast::Like) -> Option<Written> {
        let like = (self.take(&l.operand)?, self.take(&l.pattern)?, self.clause(&l.escape)?);
        let like = Written::Like(Box::new(like));
        Some(if l.negated { Written::Not(Box::new(like)) } else { like })
    }

    fn condition(&mut self, e: &ast::Expr) -> Option<Written> {
        match &e.kind {
            ExprKind::And(list) => Some(Written::And(self.all(list)?)),
            ExprKind::Or(list) => Some(Written::Or(self.all(list)?)),
            ExprKind::Not(e) => Some(Written::Not(self.boxed(e)?)),
            ExprKind::Compare(c) => {
                Some(Written::Compare(compare_op(c.op), self.pair(&c.left, &c.right)?))
            }
            ExprKind::IsNull(n) => Some(Written::IsNull(self.boxed(&n.operand)?, n.negated)),
            ExprKind::IsDistinct(d) => {
                Some(Written::IsDistinct(self.pair(&d.left, &d.right)?, d.negated))
            }
            ExprKind::Between(b) => self.between(b),
            ExprKind::InList(l) => self.in_list(l),
            ExprKind::Like(l) => self.like(l),
            _ => None,
        }
    }
}

impl<'a> Binder<'a> {
    /// Notes the form of a value, where forms are asked for.
    pub(super) fn note_value(&mut self, e: &'a ast::Expr, bound: &Bound) {
        let Some(mut forms) = self.forms.take() else { return };
        let form = self.value_form(&mut forms, e, bound);
        forms.note(e, form);
        self.forms = Some(forms);
    }

    /// Notes the form of a condition, where forms are asked for.
    pub(super) fn note_condition(&mut self, e: &ast::Expr) {
        if let Some(forms) = &mut self.forms {
            let form = forms.condition(e);
            forms.note(e, form);
        }
    }

    fn value_form(
        &mut self,
        forms: &mut Forms,
        e: &'a ast::Expr,
        bound: &Bound,
    ) -> Option<Written> {
        match &e.kind {
            ExprKind::Literal(l) => Some(Written::Constant(l.clone())),
            ExprKind::SystemVariable(v) => {
                Some(Written::Global(v.value.to_ascii_lowercase().into()))
            }
            ExprKind::Column(_) => column_form(bound),
            ExprKind::Unary(op, operand) => match Written::constant(e) {
                Some(number) => Some(number),
                None => Some(Written::Unary(*op, forms.boxed(operand)?)),
            },
            ExprKind::Binary(b) => forms.operators(b),
            ExprKind::Case(c) => forms.case(c),
            ExprKind::Cast(c) => forms.cast(c),
            ExprKind::Function(f) => self.call_form(forms, f, bound),
            ExprKind::Iif(i) => forms.iif(i),
            ExprKind::Collate(operand, name) => {
                let name = match name.is("DATABASE_DEFAULT") || name.is("CATALOG_DEFAULT") {
                    true => name.value.to_ascii_lowercase().into(),
                    false => bound.collation.name().into(),
                };
                Some(Written::Collate(forms.boxed(operand)?, name))
            }
            ExprKind::NextValue(_) => match &bound.expr {
                Expr::NextValue(n) => {
                    let head = &n.sequence.sequence.head;
                    let name = format!("{}.{}", bracketed(&head.schema), bracketed(&head.name));
                    Some(Written::NextValue(name.into()))
                }
                _ => None,
            },
            ExprKind::OdbcLiteral(kind, text) => Some(Written::Odbc(*kind, text.clone())),
            _ => None,
        }
    }

    fn call_form(
        &mut self,
        forms: &mut Forms,
        f: &'a ast::FunctionCall,
        bound: &Bound,
    ) -> Option<Written> {
        if f.over.is_some() || f.star || f.distinct || !f.within_group.is_empty() {
            return None;
        }
        let lower = f.name.name.value.to_ascii_lowercase();
        let mut call = WrittenCall {
            name: lower.as_str().into(),
            target: None,
            datepart: None,
            trim: f.trim,
            arguments: Vec::new(),
        };
        let mut arguments = &f.arguments[..];
        match (&f.name.schema, &*lower) {
            (None, _) if f.niladic => call.name = niladic(&lower)?.into(),
            (None, "year") => (call.name, call.datepart) = ("datepart".into(), Some("year")),
            (None, "month") => (call.name, call.datepart) = ("datepart".into(), Some("month")),
            (None, "day") => (call.name, call.datepart) = ("datepart".into(), Some("day")),
            (None, _) if functions::takes_datepart(&lower.to_ascii_uppercase()) => {
                let Expr::Call(settled) = &bound.expr else { return None };
                call.datepart = Some(settled.function.datepart?.name());
                arguments = arguments.get(1..)?;
            }
            (None, _) => {}
            (Some(_), "query" | "value" | "exist" | "nodes")
                if !matches!(bound.expr, Expr::UserCall(_)) =>
            {
                call.target = column_form(&self.method_target(&f.name)?);
            }
            (Some(_), _) => call.name = object_text(&f.name).into(),
        }
        call.arguments = forms.all(arguments)?;
        Some(Written::Call(Box::new(call)))
    }
}

fn column_form(bound: &Bound) -> Option<Written> {
    match &bound.expr {
        Expr::Slot(slot) => Some(Written::Column(*slot)),
        _ => None,
    }
}

/// The call that a function without parentheses stands for.
fn niladic(name: &str) -> Option<&'static str> {
    Some(match name {
        "current_timestamp" => "getdate",
        "system_user" => "suser_sname",
        "user" | "current_user" | "session_user" => "user_name",
        _ => return None,
    })
}

/// A name with its parts in brackets.
fn object_text(name: &ast::ObjectName) -> String {
    let before = [&name.server, &name.database, &name.schema].into_iter().flatten();
    let parts: Vec<String> = before.chain([&name.name]).map(|p| bracketed(&p.value)).collect();
    parts.join(".")
}

/// A type as a conversion shows it, `[varchar](20)`: without the length that goes without saying.
fn type_text(ty: &ast::DataType) -> String {
    let written = ty.name.name.value.to_ascii_lowercase();
    let keeps = super::declared::large(ty) != Large::Plain || written == "sysname";
    let name = match resolve_type(ty, TypeUse::Cast) {
        Ok(known) if !keeps => known.name().to_string(),
        _ => written,
    };
    let numbers = ty.arguments.iter().filter_map(|a| match a {
        TypeArgument::Number(n) => Some(n.to_string()),
        _ => None,
    });
    let numbers: Vec<String> = numbers.collect();
    let is_max = ty.arguments.iter().any(|a| matches!(a, TypeArgument::Max));
    let arguments = match (&*name, &numbers[..]) {
        ("float" | "real", _) => String::new(),
        ("datetime2" | "time" | "datetimeoffset", [scale]) if scale == "7" => String::new(),
        ("decimal" | "numeric", [precision]) => format!("({precision},0)"),
        (_, []) if is_max => "(max)".into(),
        (_, []) => String::new(),
        (_, numbers) => format!("({})", numbers.join(",")),
    };
    bracketed(&name) + &arguments
}
