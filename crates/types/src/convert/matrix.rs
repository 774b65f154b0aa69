//! The matrix of conversions, as SQL Server's documentation draws it: one letter for each pair of types.
//!
//! | letter | may be converted | message where it may not |
//! |---|---|---|
//! | `I` | wherever it is needed | |
//! | `E` | by CAST and CONVERT | 257 elsewhere |
//! | `.` | never | 206; 529 from CAST and CONVERT |
//!
//! Rows are what is converted, columns what it becomes, both in the order of [`Kind`]. A pair of a type with itself is `I`.

use super::{Conversion, Rule};
use crate::SqlType;
use taffrail_base::{SqlError, SqlResult};

/// A type as far as conversions tell types apart. xml, text, ntext and image are here too, though their values are text and
/// binary of the other types.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum Kind {
    Binary,
    VarBinary,
    Char,
    VarChar,
    NChar,
    NVarChar,
    DateTime,
    SmallDateTime,
    Date,
    Time,
    DateTimeOffset,
    DateTime2,
    Decimal,
    Numeric,
    Float,
    Real,
    BigInt,
    Int,
    SmallInt,
    TinyInt,
    Money,
    SmallMoney,
    Bit,
    Timestamp,
    UniqueIdentifier,
    Image,
    NText,
    Text,
    SqlVariant,
    Xml,
}

/// All of them, in the order of the matrix, by name.
#[rustfmt::skip]
pub const KINDS: [(Kind, &str); 30] = [
    (Kind::Binary, "binary"), (Kind::VarBinary, "varbinary"), (Kind::Char, "char"), (Kind::VarChar, "varchar"),
    (Kind::NChar, "nchar"), (Kind::NVarChar, "nvarchar"), (Kind::DateTime, "datetime"),
    (Kind::SmallDateTime, "smalldatetime"), (Kind::Date, "date"), (Kind::Time, "time"),
    (Kind::DateTimeOffset, "datetimeoffset"), (Kind::DateTime2, "datetime2"), (Kind::Decimal, "decimal"),
    (Kind::Numeric, "numeric"), (Kind::Float, "float"), (Kind::Real, "real"), (Kind::BigInt, "bigint"),
    (Kind::Int, "int"), (Kind::SmallInt, "smallint"), (Kind::TinyInt, "tinyint"), (Kind::Money, "money"),
    (Kind::SmallMoney, "smallmoney"), (Kind::Bit, "bit"), (Kind::Timestamp, "timestamp"),
    (Kind::UniqueIdentifier, "uniqueidentifier"), (Kind::Image, "image"), (Kind::NText, "ntext"),
    (Kind::Text, "text"), (Kind::SqlVariant, "sql_variant"), (Kind::Xml, "xml"),
];

/// Blanks are for the eye: binary | text | old dates | new dates | decimals | floats | integers | money | bit, timestamp,
/// uniqueidentifier | image, ntext, text | sql_variant, xml.
#[rustfmt::skip]
const MATRIX: [&str; 30] = [
    /* binary           */ "II IIII II EEEE II .. IIII II III I.. II",
    /* varbinary        */ "II IIII II EEEE II .. IIII II III I.. II",
    /* char             */ "EE IIII II IIII II II IIII II IEI III II",
    /* varchar          */ "EE IIII II IIII II II IIII II IEI III II",
    /* nchar            */ "EE IIII II IIII II II IIII II I.I .II II",
    /* nvarchar         */ "EE IIII II IIII II II IIII II I.I .II II",
    /* datetime         */ "EE IIII II IIII EE EE EEEE EE EE. ... I.",
    /* smalldatetime    */ "EE IIII II IIII EE EE EEEE EE EE. ... I.",
    /* date             */ "EE IIII II I.II .. .. .... .. ... ... I.",
    /* time             */ "EE IIII II .III .. .. .... .. ... ... I.",
    /* datetimeoffset   */ "EE IIII II IIII .. .. .... .. ... ... I.",
    /* datetime2        */ "EE IIII II IIII .. .. .... .. ... ... I.",
    /* decimal          */ "II IIII II .... II II IIII II II. ... I.",
    /* numeric          */ "II IIII II .... II II IIII II II. ... I.",
    /* float            */ "II IIII II .... II II IIII II I.. ... I.",
    /* real             */ "II IIII II .... II II IIII II I.. ... I.",
    /* bigint           */ "II IIII II .... II II IIII II II. I.. I.",
    /* int              */ "II IIII II .... II II IIII II II. I.. I.",
    /* smallint         */ "II IIII II .... II II IIII II II. I.. I.",
    /* tinyint          */ "II IIII II .... II II IIII II II. I.. I.",
    /* money            */ "II EEEE II .... II II IIII II II. ... I.",
    /* smallmoney       */ "II EEEE II .... II II IIII II II. ... I.",
    /* bit              */ "II IIII II .... II II IIII II II. ... I.",
    /* timestamp        */ "II II.. II .... II .. IIII II II. I.. ..",
    /* uniqueidentifier */ "II IIII .. .... .. .. .... .. ..I ... I.",
    /* image            */ "II .... .. .... .. .. .... .. .I. I.. .E",
    /* ntext            */ ".. IIII .. .... .. .. .... .. ... .II .E",
    /* text             */ ".. IIII .. .... .. .. .... .. ... .II .E",
    /* sql_variant      */ "EE EEEE EE EEEE EE EE EEEE EE E.E ... I.",
    /* xml              */ "EE EEEE .. .... .. .. .... .. ... ... .I",
];

const TABLE: [[Rule; 30]; 30] = {
    let mut table = [[Rule::NotAllowed; 30]; 30];
    let mut from = 0;
    while from < 30 {
        let line = MATRIX[from].as_bytes();
        let (mut at, mut to) = (0, 0);
        while at < line.len() {
            if line[at] != b' ' {
                table[from][to] = match line[at] {
                    b'I' => Rule::Implicit,
                    b'E' => Rule::Explicit,
                    _ => Rule::NotAllowed,
                };
                to += 1;
            }
            at += 1;
        }
        assert!(to == 30, "a line has a letter for each type");
        from += 1;
    }
    table
};

impl Kind {
    /// The kind of a type.
    pub fn of(ty: SqlType) -> Kind {
        match ty {
            SqlType::Bit => Kind::Bit,
            SqlType::TinyInt => Kind::TinyInt,
            SqlType::SmallInt => Kind::SmallInt,
            SqlType::Int => Kind::Int,
            SqlType::BigInt => Kind::BigInt,
            SqlType::Decimal { .. } => Kind::Decimal,
            SqlType::Numeric { .. } => Kind::Numeric,
            SqlType::Money => Kind::Money,
            SqlType::SmallMoney => Kind::SmallMoney,
            SqlType::Real => Kind::Real,
            SqlType::Float => Kind::Float,
            SqlType::Date => Kind::Date,
            SqlType::Time(_) => Kind::Time,
            SqlType::DateTime => Kind::DateTime,
            SqlType::SmallDateTime => Kind::SmallDateTime,
            SqlType::DateTime2(_) => Kind::DateTime2,
            SqlType::DateTimeOffset(_) => Kind::DateTimeOffset,
            SqlType::Char(_) => Kind::Char,
            SqlType::VarChar(_) => Kind::VarChar,
            SqlType::NChar(_) => Kind::NChar,
            SqlType::NVarChar(_) => Kind::NVarChar,
            SqlType::Binary(_) => Kind::Binary,
            SqlType::VarBinary(_) => Kind::VarBinary,
            SqlType::UniqueIdentifier => Kind::UniqueIdentifier,
            SqlType::Variant => Kind::SqlVariant,
            SqlType::RowVersion => Kind::Timestamp,
        }
    }

    /// The name of the type.
    pub fn name(self) -> &'static str {
        KINDS[self as usize].1
    }

    /// The rule of a conversion to another kind.
    pub fn to(self, to: Kind) -> Rule {
        TABLE[self as usize][to as usize]
    }
}

/// The forms in which a (max) type can be declared.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Large {
    /// As what it is.
    #[default]
    Plain,
    /// Declared as the type xml.
    Xml,
    /// text, ntext or image.
    Old,
}

/// A type with its kind: what a value is declared as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Declared {
    /// The type of its values.
    pub ty: SqlType,
    /// The kind that it is called and converted as.
    pub kind: Kind,
}

impl From<SqlType> for Declared {
    fn from(ty: SqlType) -> Declared {
        Declared { ty, kind: Kind::of(ty) }
    }
}

impl Declared {
    /// A type, declared as one of the large ones.
    pub fn new(ty: SqlType, large: Large) -> Declared {
        let kind = match (large, ty) {
            (Large::Xml, _) => Kind::Xml,
            (Large::Old, SqlType::VarChar(_)) => Kind::Text,
            (Large::Old, SqlType::NVarChar(_)) => Kind::NText,
            (Large::Old, SqlType::VarBinary(_)) => Kind::Image,
            _ => Kind::of(ty),
        };
        Declared { ty, kind }
    }

    /// Which of the large ones it is declared as.
    pub fn large(self) -> Large {
        match self.kind {
            Kind::Xml => Large::Xml,
            Kind::Text | Kind::NText | Kind::Image => Large::Old,
            _ => Large::Plain,
        }
    }

    /// Its name without a length: `text`, `xml`, `int`.
    pub fn name(self) -> &'static str {
        self.kind.name()
    }
}

impl std::fmt::Display for Declared {
    /// As messages of refused conversions show it: `varchar(max)`, `int`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())?;
        match self.ty.is_max() && self.kind == Kind::of(self.ty) {
            true => f.write_str("(max)"),
            false => Ok(()),
        }
    }
}

/// The rule of a conversion between declared types. sql_variant holds no (max) value.
pub fn rule_of(from: Declared, to: Declared) -> Rule {
    match from.kind.to(to.kind) {
        _ if to.kind == Kind::SqlVariant && from.ty.is_max() => Rule::NotAllowed,
        rule => rule,
    }
}

/// Whether the conversion may be written at all: 257 where only CAST does it, 206 and 529 where nothing does.
pub fn check_declared(from: Declared, to: Declared, conversion: Conversion) -> SqlResult<()> {
    let (number, state) = match (rule_of(from, to), conversion) {
        (Rule::Implicit, _) | (Rule::Explicit, Conversion::Explicit) => return Ok(()),
        (Rule::Explicit, Conversion::Implicit) => (257, 3),
        (Rule::NotAllowed, Conversion::Implicit) => (206, 2),
        (Rule::NotAllowed, Conversion::Explicit) => (529, 2),
    };
    Err(SqlError::new(number, &[&from, &to]).with_state(state))
}
