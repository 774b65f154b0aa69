//! Conversions of bound values: what an operator needs, what columns, variables and parameters are declared as.

use super::{Binder, Bound};
use taffrail_base::SqlResult;
use taffrail_plan::columns::Label;
use taffrail_plan::expr::{Cast, Expr};
use taffrail_types::convert::{Declared, Kind};
use taffrail_types::{CodePage, Collation, Conversion, ConvertContext, Family, MaxLen, Pages};
use taffrail_types::{SqlType, Value, convert};

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

/// Whether text of one code page becomes text of another.
fn is_recoded(from: SqlType, to: SqlType, pages: Pages) -> bool {
    from.family() == Family::Char && to.family() == Family::Char && pages.from != pages.to
}

/// The type of text in another code page: a byte may become three of UTF-8, or two of a page that has such characters.
fn recoded_type(ty: SqlType, page: CodePage) -> SqlType {
    let most = if page == CodePage::UTF8 { 3 } else { 2 };
    match ty.length() {
        Some(MaxLen::N(n)) if !page.is_single() => SqlType::varchar(usize::from(n) * most),
        _ => ty,
    }
}

impl Binder<'_> {
    /// The code page of a value's text: its collation's, and the database's where another collation would win over it.
    pub(super) fn page_of(&self, b: &Bound) -> CodePage {
        let coerced = match b.expr {
            Expr::Slot(slot) if b.label == Label::CoercibleDefault => self.columns[slot].coerced(),
            _ => b.coerced(),
        };
        self.or_database(coerced).0.page()
    }

    /// Whether a value is text of another code page than 1252, and not known to be ASCII.
    pub(super) fn is_foreign(&self, b: &Bound) -> bool {
        let ascii = matches!(b.expr.constant(), Some(Value::VarChar(text)) if text.is_ascii());
        b.ty.family() == Family::Char && !b.untyped && !ascii && !self.page_of(b).is_western()
    }

    /// Text of another code page than 1252 as nvarchar; any other value as it is.
    pub(super) fn widened(&self, b: Bound) -> SqlResult<Bound> {
        let ty = match b.ty.length() {
            Some(MaxLen::N(n)) => SqlType::nvarchar(n.into()),
            _ => SqlType::NVARCHAR_MAX,
        };
        self.widened_to(b, ty)
    }

    /// As [`Self::widened`], to nvarchar of this length.
    pub(super) fn widened_to(&self, b: Bound, ty: SqlType) -> SqlResult<Bound> {
        if !self.is_foreign(&b) {
            return Ok(b);
        }
        let (coerced, nullable) = (b.coerced(), b.nullable);
        let expr = self.cast_to(b.plain(), ty)?;
        Ok(Bound { nullable, ..Bound::new(expr, ty).with_collation(coerced) })
    }

    /// Converts implicitly, folding constants; nothing where the value already is of the type. Text keeps its code page.
    pub fn cast_to(&self, b: Bound, to: SqlType) -> SqlResult<Expr> {
        let page = self.page_of(&b);
        self.cast_to_page(b, to, page)
    }

    /// As [`Self::cast_to`]; char and varchar are of this code page.
    pub(super) fn cast_to_page(&self, b: Bound, to: SqlType, page: CodePage) -> SqlResult<Expr> {
        if b.untyped {
            if let Some(wanted) = &self.wanted {
                wanted.note(&b.expr, to);
                return Ok(b.expr);
            }
            return Ok(Expr::NULL);
        }
        let pages = Pages { from: self.page_of(&b), to: page };
        if same_values(b.ty, to) && !b.is_xml() && !is_recoded(b.ty, to, pages) {
            return Ok(b.expr);
        }
        // text, ntext and image are what their values are, wherever they are not assigned.
        let from = if b.is_xml() { XML } else { b.ty.into() };
        convert::check_declared(from, to.into(), Conversion::Implicit)?;
        Ok(self.converted((b.expr, b.ty), to, None, Conversion::Implicit, pages))
    }

    /// Text of a code page in another one, as long as it needs to be.
    fn recoded(&self, b: Bound, page: CodePage) -> Bound {
        let pages = Pages { from: self.page_of(&b), to: page };
        if b.untyped || !is_recoded(b.ty, b.ty, pages) {
            return b;
        }
        let ty = recoded_type(b.ty, page);
        let expr = self.converted((b.expr, b.ty), ty, None, Conversion::Implicit, pages);
        Bound { expr, ty, ..b }
    }

    /// A value under a collation: char and varchar are converted to its code page.
    pub(super) fn collated(&self, b: Bound, collation: Collation) -> Bound {
        self.recoded(b, collation.page())
    }

    /// Converts to what a variable or parameter is declared as: 206, 257; xml is read.
    pub fn cast_to_declared(&mut self, b: Bound, to: Declared) -> SqlResult<Expr> {
        self.cast_to_declared_as(b, to, self.collation)
    }

    /// Converts to what a column of this collation is declared as: 206, 257; xml is read.
    pub(super) fn cast_to_declared_as(
        &mut self,
        b: Bound,
        to: Declared,
        collation: Collation,
    ) -> SqlResult<Expr> {
        if to.kind != Kind::Xml {
            if !b.untyped {
                convert::check_declared(b.declared(), to, Conversion::Implicit)?;
            }
            return self.cast_to_page(b, to.ty, collation.page());
        }
        self.stored(b, to, collation).map(|(expr, _)| expr)
    }

    /// A value that is assigned to a column, with the type that it has before it is stored: 206, 257; xml is read.
    /// Text that goes to text is of the code page of the column's collation.
    pub fn stored(
        &mut self,
        b: Bound,
        to: Declared,
        collation: Collation,
    ) -> SqlResult<(Expr, SqlType)> {
        if b.untyped {
            return Ok((self.cast_to(b, to.ty)?, to.ty));
        }
        convert::check_declared(b.declared(), to, Conversion::Implicit)?;
        if to.kind == Kind::Xml && !b.is_xml() {
            return Ok((self.xml_content(b, None, false)?.expr, to.ty));
        }
        let b = match to.ty.family() {
            Family::Char => self.recoded(b, collation.page()),
            Family::NChar | Family::OldDate | Family::NewDate => self.widened(b)?,
            _ => b,
        };
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
        let pages = Pages::of(self.collation.page());
        let written = self.converted((value, from), to, style, conversion, pages);
        match written {
            Expr::Cast(c) => Expr::Cast(Box::new(Cast { lenient, ..*c })),
            other => other,
        }
    }

    /// A conversion between these code pages.
    pub(super) fn converted(
        &self,
        (value, from): (Expr, SqlType),
        to: SqlType,
        style: Option<Expr>,
        conversion: Conversion,
        pages: Pages,
    ) -> Expr {
        if let (Some(v), None) = (value.constant(), &style) {
            let context = match convert::depends_on_session(from, to) {
                true => self.meta.options_to_fold(),
                // Digits that a decimal loses may be an error when it is computed.
                false => Some(ConvertContext { round_abort: true, ..Default::default() }),
            };
            // An error is left to the execution: it may never be reached.
            if let Some(context) = context
                && let context = context.with_pages(pages)
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
        let lenient = false;
        Expr::Cast(Box::new(Cast { value, from, to, style, conversion, lenient, pages }))
    }
}
