//! What there is to know of a system view before it is read. Its rows are made by `views`.

use taffrail_types::SqlType;
use taffrail_types::convert::Large;

/// A column of a system view.
#[derive(Clone, Debug)]
pub struct ViewColumn {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub ty: SqlType,
    /// Whether it is declared as xml.
    pub large: Large,
    /// NULL can occur.
    pub nullable: bool,
}

/// A system view, or a table-valued system function.
pub struct SystemView {
    /// `sys`, `INFORMATION_SCHEMA`, or `msdb` for what stands in for a table there.
    pub schema: &'static str,
    /// Its name.
    pub name: &'static str,
    /// `object_id`: negative, as those of system objects are.
    pub id: i32,
    /// Its columns.
    pub columns: Vec<ViewColumn>,
    /// `None` for a view; else how many arguments the function takes, at least and at most.
    pub arguments: Option<(usize, usize)>,
    /// Its number among those that are registered.
    pub number: usize,
}

/// What `nodes()` of xml is called where it stands among views. Nobody finds it by this name.
pub const NODES: &str = "nodes()";

/// OPENROWSET(BULK), by what it makes of a file: `varbinary(max)`, `varchar(max)`, `nvarchar(max)`. Nobody finds it by these names.
pub const FILES: [(&str, &str); 3] = [
    ("SINGLE_BLOB", "OPENROWSET(BULK, SINGLE_BLOB)"),
    ("SINGLE_CLOB", "OPENROWSET(BULK, SINGLE_CLOB)"),
    ("SINGLE_NCLOB", "OPENROWSET(BULK, SINGLE_NCLOB)"),
];

impl std::fmt::Debug for SystemView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}
