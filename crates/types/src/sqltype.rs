//! The types of T-SQL as a column, variable or expression has them.

/// Length of a variable-length type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MaxLen {
    /// Up to this many units (bytes; for nvarchar UTF-16 code units).
    N(u16),
    /// `(max)`: up to 2^31 - 1 bytes.
    Max,
}

/// A data type with its length, precision or scale. Nullability and collation belong to the column or expression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SqlType {
    /// 0 or 1.
    Bit,
    /// 0 to 255.
    TinyInt,
    /// 16 bits.
    SmallInt,
    /// 32 bits.
    Int,
    /// 64 bits.
    BigInt,
    /// `decimal(precision, scale)`.
    Decimal {
        /// 1 to 38.
        precision: u8,
        /// 0 to precision.
        scale: u8,
    },
    /// `numeric(precision, scale)`: the same values under its own name.
    Numeric {
        /// 1 to 38.
        precision: u8,
        /// 0 to precision.
        scale: u8,
    },
    /// Ten-thousandths in 64 bits.
    Money,
    /// Ten-thousandths in 32 bits.
    SmallMoney,
    /// IEEE 754 single.
    Real,
    /// IEEE 754 double.
    Float,
    /// Days.
    Date,
    /// Time of day with this many decimals (0 to 7).
    Time(u8),
    /// 1753 to 9999 in 1/300 s.
    DateTime,
    /// 1900 to 2079 in minutes.
    SmallDateTime,
    /// 0001 to 9999 with this many decimals (0 to 7).
    DateTime2(u8),
    /// The same with an offset from UTC.
    DateTimeOffset(u8),
    /// Fixed length in bytes, padded with blanks.
    Char(u16),
    /// Text in the collation's code page.
    VarChar(MaxLen),
    /// Fixed length in UTF-16 code units.
    NChar(u16),
    /// UTF-16 text.
    NVarChar(MaxLen),
    /// Fixed length, padded with zeroes.
    Binary(u16),
    /// Bytes.
    VarBinary(MaxLen),
    /// 16 bytes in their stored (mixed-endian) order.
    UniqueIdentifier,
    /// `sql_variant`: a value that carries its own type.
    Variant,
    /// `rowversion`: 8 bytes.
    RowVersion,
}

/// What kind of thing a type holds; operators and conversions follow it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Family {
    /// bit.
    Bit,
    /// tinyint to bigint.
    Integer,
    /// decimal and numeric.
    Decimal,
    /// money and smallmoney.
    Money,
    /// real and float.
    Float,
    /// datetime and smalldatetime, which compute with numbers.
    OldDate,
    /// date, time, datetime2, datetimeoffset, which do not.
    NewDate,
    /// char and varchar.
    Char,
    /// nchar and nvarchar.
    NChar,
    /// binary and varbinary.
    Binary,
    /// uniqueidentifier.
    Guid,
    /// sql_variant.
    Variant,
    /// rowversion.
    RowVersion,
}

impl SqlType {
    /// nvarchar(max).
    pub const NVARCHAR_MAX: SqlType = SqlType::NVarChar(MaxLen::Max);
    /// nvarchar(128), the type of names.
    pub const SYSNAME: SqlType = SqlType::NVarChar(MaxLen::N(128));

    /// varchar of a length, `(max)` beyond 8,000; a length of 0 becomes 1.
    pub fn varchar(n: usize) -> SqlType {
        SqlType::VarChar(if n <= 8000 { MaxLen::N(n.max(1) as u16) } else { MaxLen::Max })
    }

    /// nvarchar of a length, `(max)` beyond 4,000; a length of 0 becomes 1.
    pub fn nvarchar(n: usize) -> SqlType {
        SqlType::NVarChar(if n <= 4000 { MaxLen::N(n.max(1) as u16) } else { MaxLen::Max })
    }

    /// varbinary of a length, `(max)` beyond 8,000; a length of 0 becomes 1.
    pub fn varbinary(n: usize) -> SqlType {
        SqlType::VarBinary(if n <= 8000 { MaxLen::N(n.max(1) as u16) } else { MaxLen::Max })
    }

    /// See [`Family`].
    #[inline]
    pub fn family(self) -> Family {
        match self {
            SqlType::Bit => Family::Bit,
            SqlType::TinyInt | SqlType::SmallInt | SqlType::Int | SqlType::BigInt => {
                Family::Integer
            }
            SqlType::Decimal { .. } | SqlType::Numeric { .. } => Family::Decimal,
            SqlType::Money | SqlType::SmallMoney => Family::Money,
            SqlType::Real | SqlType::Float => Family::Float,
            SqlType::DateTime | SqlType::SmallDateTime => Family::OldDate,
            SqlType::Date
            | SqlType::Time(_)
            | SqlType::DateTime2(_)
            | SqlType::DateTimeOffset(_) => Family::NewDate,
            SqlType::Char(_) | SqlType::VarChar(_) => Family::Char,
            SqlType::NChar(_) | SqlType::NVarChar(_) => Family::NChar,
            SqlType::Binary(_) | SqlType::VarBinary(_) => Family::Binary,
            SqlType::UniqueIdentifier => Family::Guid,
            SqlType::Variant => Family::Variant,
            SqlType::RowVersion => Family::RowVersion,
        }
    }

    /// char, varchar, nchar, nvarchar.
    pub fn is_text(self) -> bool {
        matches!(self.family(), Family::Char | Family::NChar)
    }

    /// nchar, nvarchar.
    pub fn is_unicode(self) -> bool {
        self.family() == Family::NChar
    }

    /// Numbers: bit, integers, decimal, money, float.
    pub fn is_number(self) -> bool {
        matches!(
            self.family(),
            Family::Bit | Family::Integer | Family::Decimal | Family::Money | Family::Float
        )
    }

    /// Dates and times of all kinds.
    pub fn is_date(self) -> bool {
        matches!(self.family(), Family::OldDate | Family::NewDate)
    }

    /// varchar(max), nvarchar(max), varbinary(max).
    pub fn is_max(self) -> bool {
        matches!(
            self,
            SqlType::VarChar(MaxLen::Max)
                | SqlType::NVarChar(MaxLen::Max)
                | SqlType::VarBinary(MaxLen::Max)
        )
    }

    /// Fixed length: char, nchar, binary.
    pub fn is_padded(self) -> bool {
        matches!(self, SqlType::Char(_) | SqlType::NChar(_) | SqlType::Binary(_))
    }

    /// The length of text and binary in units (bytes; UTF-16 code units for nvarchar); `Max` for (max); None for others.
    pub fn length(self) -> Option<MaxLen> {
        match self {
            SqlType::Char(n) | SqlType::NChar(n) | SqlType::Binary(n) => Some(MaxLen::N(n)),
            SqlType::VarChar(n) | SqlType::NVarChar(n) | SqlType::VarBinary(n) => Some(n),
            _ => None,
        }
    }

    /// The most bytes a value of the type has; `usize::MAX` for (max). Text and binary only, others 0.
    #[inline]
    pub fn byte_limit(self) -> usize {
        match self {
            SqlType::Char(n) | SqlType::Binary(n) => n as usize,
            SqlType::NChar(n) => 2 * n as usize,
            SqlType::VarChar(MaxLen::N(n)) | SqlType::VarBinary(MaxLen::N(n)) => n as usize,
            SqlType::NVarChar(MaxLen::N(n)) => 2 * n as usize,
            SqlType::VarChar(MaxLen::Max)
            | SqlType::NVarChar(MaxLen::Max)
            | SqlType::VarBinary(MaxLen::Max) => usize::MAX,
            _ => 0,
        }
    }

    /// Precision and scale as an exact number: of decimals their own, of integers and money the digits they have.
    pub fn as_numeric(self) -> Option<crate::decimal::NumericType> {
        let (precision, scale) = match self {
            SqlType::Decimal { precision, scale } | SqlType::Numeric { precision, scale } => {
                (precision, scale)
            }
            SqlType::Bit => (1, 0),
            SqlType::TinyInt => (3, 0),
            SqlType::SmallInt => (5, 0),
            SqlType::Int => (10, 0),
            SqlType::BigInt => (19, 0),
            SqlType::Money => (19, 4),
            SqlType::SmallMoney => (10, 4),
            _ => return None,
        };
        Some(crate::decimal::NumericType { precision, scale })
    }
}
