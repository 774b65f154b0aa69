//! Conversions of bound values: what an operator needs, what columns, variables and parameters are declared as.

use super::{Binder, Bound};
use taffrail_base::SqlResult;
use taffrail_plan::columns::Label;
use taffrail_plan::expr::{Cast, Expr};
use taffrail_types::convert::{Declared, Kind};
use taffrail_types::{Conversion, ConvertContext, MaxLen, SqlType, convert};

/// xml: its values are text.
pub const XML: Declared = Declared { ty: SqlType::NVARCHAR_MAX, kind: Kind::Xml };

/// Whether a value of one type already is a value of the other.
pub(super) fn same_values(from: SqlType, to: SqlType) -> bool {
    use SqlType::*;
    let fits = |a: MaxLen, b: MaxLen| match (a, b) {
        (_, MaxLen::Max) => true,
        (MaxLen::Max, _) => false,
        (MaxLen::N(a), MaxLen::N(b)) => a <= b,
    };
    match (from, to) {
        (Char(a), VarChar(b)) | (NChar(a), NVarChar(b)) | (Binary(a), VarBinary(b)) => {
            fits(MaxLen::N(a), b)
        }
        (VarChar(a), VarChar(b)) | (NVarChar(a), NVarChar(b)) | (VarBinary(a), VarBinary(b)) => {
            fits(a, b)
        }
        (
            Decimal { precision: p, scale: s } | Numeric { precision: p, scale: s },
            Decimal { precision: q, scale: t } | Numeric { precision: q, scale: t },
        ) => s == t && p <= q,
        (Time(a), Time(b)) | (DateTime2(a), DateTime2(b)) => a <= b,
        (a, b) => a == b,
    }
}

impl Binder<'_> {
    /// Converts implicitly, folding constants; nothing where the value already is of the type.
    pub fn cast_to(&self, b: Bound, to: SqlType) -> SqlResult<Expr> {
        if b.untyped {
            if let Some(wanted) = &self.wanted {
                wanted.note(&b.expr, to);
                return Ok(b.expr);
            }
            return Ok(Expr::NULL);
        }
        if same_values(b.ty, to) && !b.is_xml() {
            return Ok(b.expr);
        }
        // text, ntext and image are what their values are, wherever they are not assigned.
        let from = if b.is_xml() { XML } else { b.ty.into() };
        convert::check_declared(from, to.into(), Conversion::Implicit)?;
        Ok(self.conversion(b.expr, b.ty, to, None, Conversion::Implicit, false))
    }

    /// Converts to what a column, variable or parameter is declared as: 206, 257; xml is read.
    pub fn cast_to_declared(&mut self, b: Bound, to: Declared) -> SqlResult<Expr> {
        if to.kind != Kind::Xml {
            if !b.untyped {
                convert::check_declared(b.declared(), to, Conversion::Implicit)?;
            }
            return self.cast_to(b, to.ty);
        }
        self.stored(b, to).map(|(expr, _)| expr)
    }

    /// A value that is assigned to a column, with the type that it has before it is stored: 206, 257; xml is read.
    pub fn stored(&mut self, b: Bound, to: Declared) -> SqlResult<(Expr, SqlType)> {
        if b.untyped {
            return Ok((self.cast_to(b, to.ty)?, to.ty));
        }
        convert::check_declared(b.declared(), to, Conversion::Implicit)?;
        if to.kind == Kind::Xml && !b.is_xml() {
            return Ok((self.xml_content(b, None, false)?.expr, to.ty));
        }
        Ok((b.expr, b.ty))
    }

    pub(crate) fn conversion(
        &self,
        value: Expr,
        from: SqlType,
        to: SqlType,
        style: Option<Expr>,
        conversion: Conversion,
        lenient: bool,
    ) -> Expr {
        if let (Some(v), None) = (value.constant(), &style) {
            let context = match convert::depends_on_session(from, to) {
                true => self.meta.options_to_fold(),
                // Digits that a decimal loses may be an error when it is computed.
                false => Some(ConvertContext { round_abort: true, ..Default::default() }),
            };
            // An error is left to the execution: it may never be reached.
            if let Some(context) = context
                && let Ok(v) = convert::cast_with(v, from, to, None, conversion, &context)
            {
                return match &value {
                    Expr::Collate(c) if to.is_text() => {
                        super::coercion::constant(v, (c.1, Label::Explicit))
                    }
                    _ => Expr::Const(v),
                };
            }
        }
        if from == SqlType::Int
            && style.is_none()
            && matches!(to, SqlType::VarChar(MaxLen::Max) | SqlType::VarChar(MaxLen::N(11..)))
        {
            return Expr::IntToVarchar(Box::new(value));
        }
        Expr::Cast(Box::new(Cast { value, from, to, style, conversion, lenient }))
    }
}
