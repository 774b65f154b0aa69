//! A scalar that is bound: its expression and what is known of it.

use taffrail_plan::columns::{Column, Label};
use taffrail_plan::expr::Expr;
use taffrail_types::convert::{Declared, Large};
use taffrail_types::{Collation, SqlType};

/// A value with its type.
#[derive(Debug)]
pub struct Bound {
    /// How it is computed.
    pub expr: Expr,
    /// The type of the value.
    pub ty: SqlType,
    /// NULL may be the value.
    pub nullable: bool,
    /// The collation, for text.
    pub collation: Collation,
    /// The label of the collation.
    pub(crate) label: Label,
    /// The NULL literal: takes any type.
    pub untyped: bool,
    /// It is xml (its methods may be called, and FOR XML takes it as it is), or text, ntext or image.
    pub large: Large,
    /// `user_type_id` of an alias type; 0 for a system type.
    pub user_type: i32,
    /// A number as it is written, which has as many digits as it shows.
    pub literal: bool,
}

impl Bound {
    /// A value that may be NULL, in the default collation.
    pub fn new(expr: Expr, ty: SqlType) -> Bound {
        Bound {
            expr,
            ty,
            nullable: true,
            collation: Collation::default(),
            label: Label::CoercibleDefault,
            untyped: false,
            large: Large::Plain,
            user_type: 0,
            literal: false,
        }
    }

    /// The type that conversions take it for.
    pub fn declared(&self) -> Declared {
        Declared::new(self.ty, self.large)
    }

    /// A value of a declared type, that may be NULL.
    pub fn of(expr: Expr, declared: Declared) -> Bound {
        Bound { large: declared.large(), ..Bound::new(expr, declared.ty) }
    }

    /// Whether the value is xml.
    pub(crate) fn is_xml(&self) -> bool {
        self.large == Large::Xml
    }

    /// The column that holds the value.
    pub(crate) fn column(&self) -> Column {
        Column {
            ty: self.declared(),
            nullable: self.nullable,
            collation: self.collation,
            label: self.label,
            untyped: self.untyped,
            user_type: self.user_type,
            origin: None,
        }
    }

    /// A value that is never NULL.
    pub fn not_null(expr: Expr, ty: SqlType) -> Bound {
        Bound { nullable: false, ..Bound::new(expr, ty) }
    }
}
