//! Types as the catalogue tells them: numbers, lengths, digits.

use crate::SqlType;
use crate::convert::{Declared, Large};
use crate::names::SysType;

/// `system_type_id` of some types.
const IMAGE: u8 = 34;
const TEXT: u8 = 35;
const UNIQUEIDENTIFIER: u8 = 36;
const NTEXT: u8 = 99;
const VARBINARY: u8 = 165;
const VARCHAR: u8 = 167;
const BINARY: u8 = 173;
const CHAR: u8 = 175;
const TIMESTAMP: u8 = 189;
const NVARCHAR: u8 = 231;
const NCHAR: u8 = 239;
const CLR: u8 = 240;
const XML: u8 = 241;
/// `system_type_id` of every table type.
const TABLE_TYPE: u8 = 243;

/// A type as the catalogue tells it.
#[derive(Clone, Copy)]
pub struct Types {
    /// The number `system_type_id` of the base type.
    pub system: u8,
    /// The number `user_type_id` of the type.
    pub user: i32,
    /// `max_length`: bytes; -1 where there is no bound.
    pub length: i16,
    /// The `precision`, 0 for types that are no numbers.
    pub precision: u8,
    /// The `scale`, 0 for types that are no numbers.
    pub scale: u8,
}

impl Types {
    /// A row of sys.types.
    pub fn of_system_type(ty: &SysType) -> Types {
        Types {
            system: ty.system_type_id,
            user: ty.user_type_id,
            length: ty.max_length,
            precision: ty.precision,
            scale: ty.scale,
        }
    }

    /// Characters of a text, bytes of a binary value, else digits; -1 for xml and what has no bound. It is `Precision` of
    /// COLUMNPROPERTY and `prec` of sys.syscolumns.
    pub fn width(&self) -> i32 {
        let length = i32::from(self.length);
        match self.system {
            TEXT | IMAGE => i32::MAX,
            NTEXT => i32::MAX / 2,
            NCHAR | NVARCHAR if length > 0 => length / 2,
            _ if self.is_trimmed()
                || matches!(self.system, XML | CLR | UNIQUEIDENTIFIER | TIMESTAMP) =>
            {
                length
            }
            _ => i32::from(self.precision),
        }
    }

    /// Decimal places of a number or a time; none for other types and for those that float.
    pub fn digits(&self) -> Option<i32> {
        const FLOATING: [u8; 3] = [59, 62, 104];
        let is_number = self.precision > 0 && !FLOATING.contains(&self.system);
        is_number.then_some(i32::from(self.scale))
    }

    /// char, varchar and their relatives of two bytes.
    pub fn is_text(&self) -> bool {
        matches!(self.system, CHAR | VARCHAR | NCHAR | NVARCHAR | TEXT | NTEXT)
    }

    /// Types that ANSI_PADDING is about.
    pub fn is_trimmed(&self) -> bool {
        matches!(self.system, CHAR | VARCHAR | NCHAR | NVARCHAR | BINARY | VARBINARY)
    }

    /// An index can have such a column as its key.
    pub fn can_be_key(&self) -> bool {
        self.length > 0 && !matches!(self.system, TEXT | NTEXT | IMAGE | XML)
    }

    /// A type as it is declared, by the alias that it is declared with (0: none): text and its like have names of old.
    pub fn declared(of: Declared, user_type: i32) -> Types {
        let large = |system: u8, length: i16| Types {
            system,
            user: i32::from(system),
            length,
            precision: 0,
            scale: 0,
        };
        let own = match (of.large(), of.ty) {
            (Large::Plain, ty) => Types::of(ty),
            (Large::Xml, _) => large(XML, -1),
            (Large::Old, SqlType::VarChar(_)) => large(TEXT, 16),
            (Large::Old, SqlType::NVarChar(_)) => large(NTEXT, 16),
            (Large::Old, _) => large(IMAGE, 16),
        };
        if user_type == 0 { own } else { Types { user: user_type, ..own } }
    }

    /// A table type, by its number.
    pub fn of_table_type(id: i32) -> Types {
        Types { system: TABLE_TYPE, user: id, length: -1, precision: 0, scale: 0 }
    }

    /// A type of the language.
    pub fn of(ty: SqlType) -> Types {
        Types {
            system: ty.system_type_id(),
            user: ty.user_type_id(),
            length: ty.max_length(),
            precision: ty.precision(),
            scale: ty.scale(),
        }
    }
}
