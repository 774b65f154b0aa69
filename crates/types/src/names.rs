//! Type names and the facts of `sys.types`.
use crate::SqlType;
use taffrail_base::SqlResult;

/// An argument in a type's parentheses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeArg {
    /// A number.
    N(u32),
    /// MAX.
    Max,
}

/// Where a type stands: a missing length is 1 in a declaration, 30 in CAST and CONVERT.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeUse {
    /// Column, variable or parameter.
    Declaration,
    /// CAST or CONVERT.
    Cast,
}

/// A system type by name (any case, synonyms included) and arguments. None: no such type. Some(Err): bad arguments
/// (131, 1001, 2716, 2750, 2751 …).
pub fn resolve(name: &str, args: &[TypeArg], type_use: TypeUse) -> Option<SqlResult<SqlType>> { let _ = (name, args, type_use); todo!() }

/// Parses the text of a type: `decimal(10, 2)`, `nvarchar(max)`.
pub fn parse(text: &str, type_use: TypeUse) -> Option<SqlResult<SqlType>> { let _ = (text, type_use); todo!() }

/// A row of `sys.types`.
#[derive(Clone, Copy, Debug)]
pub struct SysType {
    /// Name.
    pub name: &'static str,
    /// system_type_id.
    pub system_type_id: u8,
    /// user_type_id.
    pub user_type_id: i32,
    /// max_length.
    pub max_length: i16,
    /// precision.
    pub precision: u8,
    /// scale.
    pub scale: u8,
    /// Has the database's collation.
    pub collated: bool,
    /// is_nullable.
    pub nullable: bool,
    /// is_assembly_type.
    pub assembly: bool,
}

/// The rows of `sys.types` in every database.
pub static SYS_TYPES: &[SysType] = &[];

impl SqlType {
    /// `int`, `varchar`, `decimal` … without length.
    pub fn name(self) -> &'static str { todo!() }
    /// `sys.types.system_type_id`.
    pub fn system_type_id(self) -> u8 { todo!() }
    /// `sys.types.user_type_id`.
    pub fn user_type_id(self) -> i32 { todo!() }
    /// `sys.columns.max_length`: bytes, -1 for (max).
    pub fn max_length(self) -> i16 { todo!() }
    /// `sys.columns.precision`.
    pub fn precision(self) -> u8 { todo!() }
    /// `sys.columns.scale`.
    pub fn scale(self) -> u8 { todo!() }
}
impl std::fmt::Display for SqlType {
    /// As written in a declaration: `varchar(10)`, `decimal(10,2)`, `int`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { let _ = f; todo!() }
}
