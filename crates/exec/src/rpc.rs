//! Remote procedure calls and transaction requests as a client sends them, already decoded.

use crate::catalog::Table;
use taffrail_types::{CodePage, Family, MaxLen, SqlType, Value};

/// What is called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RpcProcedure {
    /// By name, of one to three parts, brackets as sent: `[sys].sp_datatype_info_100`.
    Name(String),
    /// By the number of a system procedure: 10 `sp_executesql`, 11 `sp_prepare`, 12 `sp_execute`, 13 `sp_prepexec`,
    /// 14 `sp_prepexecrpc`, 15 `sp_unprepare`; 1–9 are the cursor procedures.
    Id(u16),
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct RpcParam {
    /// With its `@`; empty when the parameter goes by position.
    pub name: String,
    /// The client wants it back.
    pub by_ref: bool,
    /// The procedure's default is to be taken.
    pub default: bool,
    /// The type as sent.
    pub ty: SqlType,
    /// The value as sent.
    pub value: Value,
    /// A table in place of a value, which is NULL then.
    pub table: Option<Box<RpcTable>>,
}

impl RpcParam {
    /// Brings text to the code page of char and varchar in the database where the call runs.
    pub(crate) fn settle(&mut self, page: CodePage) {
        if self.ty.family() != Family::Char {
            return;
        }
        self.value = received(std::mem::take(&mut self.value), page);
        if let (Value::VarChar(b), Some(MaxLen::N(n))) = (&self.value, self.ty.length())
            && b.len() > usize::from(n)
        {
            self.ty = SqlType::varchar(b.len());
        }
    }
}

/// A value of char or varchar as a client sent it, in a code page: text of another page than 1252 comes as nvarchar.
pub(crate) fn received(value: Value, page: CodePage) -> Value {
    match value {
        Value::NVarChar(b) => Value::VarChar(page.encode_utf16(&b)),
        Value::VarChar(b) if !page.is_western() => {
            Value::VarChar(page.recode(CodePage::WESTERN, &b))
        }
        other => other,
    }
}

/// Brings the text of a row for a table's columns to their code pages; `columns`: the column that each value goes to.
pub(crate) fn receive_row(
    row: &mut [Value],
    types: &[SqlType],
    columns: &[Option<usize>],
    table: &Table,
) {
    for ((value, ty), column) in row.iter_mut().zip(types).zip(columns) {
        let Some(column) = column.map(|at| &table.columns[at]) else { continue };
        if ty.family() != Family::Char || value.is_null() {
            continue;
        }
        let page = column.collation.page();
        if matches!(value, Value::NVarChar(_)) || !page.is_western() {
            let page = if column.ty.family() == Family::Char { page } else { CodePage::WESTERN };
            *value = received(std::mem::take(value), page);
        }
    }
}

/// A table that a client passes.
#[derive(Clone, Debug)]
pub struct RpcTable {
    /// The schema of the table type; empty where the client names none.
    pub schema: String,
    /// The name of the table type.
    pub name: String,
    /// The columns as sent: the type of the values, or none where every row takes the default. No columns: NULL in place of a table.
    pub columns: Option<Vec<Option<SqlType>>>,
    /// The ordinals, from 1, of the type's columns that these columns go to; empty: one after the other.
    pub order: Vec<u16>,
    /// The rows: a value for each column that has one.
    pub rows: Vec<Vec<Value>>,
}

/// One call.
#[derive(Clone, Debug)]
pub struct RpcCall {
    /// What is called.
    pub procedure: RpcProcedure,
    /// With what.
    pub params: Vec<RpcParam>,
}

/// The isolation byte of a transaction request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TxIsolation {
    /// The session's level stays.
    #[default]
    Keep,
    /// 1.
    ReadUncommitted,
    /// 2.
    ReadCommitted,
    /// 3.
    RepeatableRead,
    /// 4.
    Serializable,
    /// 5.
    Snapshot,
}

/// A transaction manager request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TransactionRequest {
    /// Begin (5).
    Begin {
        /// From now on.
        isolation: TxIsolation,
        /// May be empty.
        name: String,
    },
    /// Commit (7).
    Commit {
        /// May be empty.
        name: String,
        /// Begin another transaction at once.
        then_begin: Option<(TxIsolation, String)>,
    },
    /// Rollback (8).
    Rollback {
        /// A savepoint or the transaction's name; may be empty.
        name: String,
        /// Begin another transaction at once.
        then_begin: Option<(TxIsolation, String)>,
    },
    /// Save (9).
    Save {
        /// The savepoint.
        name: String,
    },
}
