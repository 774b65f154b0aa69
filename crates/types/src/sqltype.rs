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
