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
    /// bit: 0 or 1.
    Bit,
    /// tinyint: 0 to 255.
    TinyInt,
    /// smallint: 16 bits, signed.
    SmallInt,
    /// int: 32 bits, signed.
    Int,
    /// bigint: 64 bits, signed.
    BigInt,
    /// `decimal(precision, scale)`: an exact number of up to 38 digits.
    Decimal {
        /// The number of digits, 1 to 38.
        precision: u8,
        /// The digits behind the point, 0 to precision.
        scale: u8,
    },
    /// `numeric(precision, scale)`: the same values under its own name.
    Numeric {
        /// The number of digits, 1 to 38.
        precision: u8,
        /// The digits behind the point, 0 to precision.
        scale: u8,
    },
    /// Ten-thousandths in 64 bits.
    Money,
    /// Ten-thousandths in 32 bits.
    SmallMoney,
    /// real: an IEEE 754 number of 32 bits.
    Real,
    /// float: an IEEE 754 number of 64 bits.
    Float,
    /// date: a day, 0001 to 9999.
    Date,
    /// Time of day with this many decimals (0 to 7).
    Time(u8),
    /// 1753 to 9999 in 1/300 s.
    DateTime,
    /// 1900 to 2079 in minutes.
    SmallDateTime,
    /// 0001 to 9999 with this many decimals (0 to 7).
    DateTime2(u8),
    /// As datetime2, with an offset from UTC.
    DateTimeOffset(u8),
    /// Fixed length in bytes, padded with blanks.
    Char(u16),
    /// Text in the collation's code page.
    VarChar(MaxLen),
    /// Fixed length in UTF-16 code units.
    NChar(u16),
    /// nvarchar: UTF-16 text of up to so many code units.
    NVarChar(MaxLen),
    /// Fixed length, padded with zeroes.
    Binary(u16),
    /// varbinary: up to so many bytes.
    VarBinary(MaxLen),
    /// 16 bytes in their stored (mixed-endian) order.
    UniqueIdentifier,
    /// `sql_variant`: a value that carries its own type.
    Variant,
    /// `rowversion`: 8 bytes, new with every change of the row.
    RowVersion,
}

/// The families of types that operators and conversions treat alike.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Family {
    /// The type bit alone.
    Bit,
    /// The integers, tinyint to bigint.
    Integer,
    /// The exact numbers decimal and numeric.
    Decimal,
    /// The amounts money and smallmoney.
    Money,
    /// The floating-point numbers real and float.
    Float,
    /// datetime and smalldatetime, which compute with numbers.
    OldDate,
    /// date, time, datetime2, datetimeoffset, which do not.
    NewDate,
    /// Text of a code page: char and varchar.
    Char,
    /// Unicode text: nchar and nvarchar.
    NChar,
    /// Strings of bytes: binary and varbinary.
    Binary,
    /// The type uniqueidentifier alone.
    Guid,
    /// The type sql_variant alone.
    Variant,
    /// The type rowversion alone.
    RowVersion,
}

impl SqlType {
    /// The type nvarchar(max), for long text.
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

    /// The [`Family`] of the type.
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

    /// Whether the type is nchar or nvarchar.
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

    /// Whether the type is varchar(max), nvarchar(max) or varbinary(max).
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
