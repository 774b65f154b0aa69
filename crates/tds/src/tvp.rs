//! A table-valued parameter: the name of its type, its columns, its rows.
//!
//! ```text
//!   0xF3 · database, schema, name: B_VARCHAR each · count of columns u16, 0xFFFF: no table at all
//!   column*: UserType u32 · flags u16 (0x200: the default in every row, no value comes) · TYPE_INFO · name B_VARCHAR
//!   0x10 order and uniqueness: count u16, each ordinal u16 and flags u8
//!   0x11 the columns of the type that the columns here go to: count u16, ordinals u16
//!   0x00
//!   row*: 0x01 · a value for each column that has one
//!   0x00
//! ```

use crate::error::ProtocolError;
use crate::reader::{Reader, put_b_varchar};
use crate::typeinfo::{TypeInfo, Wire, byte};
use crate::value;
use crate::version::TdsVersion;
use taffrail_types::{SqlType, Value};

type Result<T> = std::result::Result<T, ProtocolError>;

/// A table as the value of a parameter.
#[derive(Clone, Default, Debug)]
pub struct TableValue {
    /// The schema of the table type; empty where the client names none.
    pub schema: String,
    /// The name of the table type.
    pub name: String,
    /// The columns as they come; none: NULL in place of a table.
    pub columns: Option<Vec<TableColumn>>,
    /// The ordinals, from 1, of the type's columns that these columns go to; empty: one after the other.
    pub order: Vec<u16>,
    /// The rows: a value for each column that has one.
    pub rows: Vec<Vec<Value>>,
}

/// A column of a table that is passed.
#[derive(Clone, Copy, Debug)]
pub struct TableColumn {
    /// The type of the values.
    pub ty: SqlType,
    /// Every row takes the default of the type's column; no values come.
    pub default: bool,
}

const NO_TABLE: u16 = 0xFFFF;
const FLAG_DEFAULT: u16 = 0x200;
const ORDER_UNIQUE: u8 = 0x10;
const COLUMN_ORDERING: u8 = 0x11;
const END: u8 = 0;
const ROW: u8 = 1;
/// The most columns that a table type has.
const COLUMNS_MAX: u16 = 1024;

/// Whether the next byte is the type of a table; nothing is taken.
pub(crate) fn is_next(r: &Reader<'_>) -> bool {
    r.peek() == Some(byte::TVP)
}

/// Reads a table, from its type's byte to the end of its rows.
pub(crate) fn decode(r: &mut Reader<'_>, version: TdsVersion) -> Result<TableValue> {
    r.u8()?;
    if !version.has_new_dates() {
        return Err(ProtocolError::Unsupported("table-valued parameters below TDS 7.3"));
    }
    if !r.b_varchar()?.is_empty() {
        return Err(ProtocolError::Malformed("a table type with a database"));
    }
    let (schema, name) = (r.b_varchar()?, r.b_varchar()?);
    let mut infos = Vec::new();
    let columns = match r.u16()? {
        NO_TABLE => None,
        count if count > COLUMNS_MAX => {
            return Err(ProtocolError::Malformed("columns of a table-valued parameter"));
        }
        count => {
            let mut columns = Vec::with_capacity(usize::from(count));
            for _ in 0..count {
                r.u32()?;
                let default = r.u16()? & FLAG_DEFAULT != 0;
                let info = TypeInfo::decode(r, false)?;
                // Its values take no bytes, so a row of one byte could stand for a thousand of them.
                if info.wire == Wire::Null {
                    return Err(ProtocolError::Malformed("the type of NULL as a column's"));
                }
                r.b_varchar()?;
                columns.push(TableColumn { ty: info.sql, default });
                if !default {
                    infos.push(info);
                }
            }
            Some(columns)
        }
    };
    let order = metadata(r)?;
    let rows = rows(r, &infos)?;
    if columns.is_none() && !rows.is_empty() {
        return Err(ProtocolError::Malformed("rows without a table"));
    }
    Ok(TableValue { schema, name, columns, order, rows })
}

/// The tokens between columns and rows. Order and uniqueness are a promise of the client, on which nothing relies.
fn metadata(r: &mut Reader<'_>) -> Result<Vec<u16>> {
    let mut order = Vec::new();
    loop {
        match r.u8()? {
            END => return Ok(order),
            ORDER_UNIQUE => {
                for _ in 0..r.u16()? {
                    r.u16()?;
                    r.u8()?;
                }
            }
            COLUMN_ORDERING => {
                order.clear();
                for _ in 0..r.u16()? {
                    order.push(r.u16()?);
                }
            }
            _ => return Err(ProtocolError::Malformed("a token of a table-valued parameter")),
        }
    }
}

fn rows(r: &mut Reader<'_>, infos: &[TypeInfo]) -> Result<Vec<Vec<Value>>> {
    let mut rows = Vec::new();
    loop {
        match r.u8()? {
            END => return Ok(rows),
            ROW => {
                let mut row = Vec::with_capacity(infos.len());
                for info in infos {
                    row.push(value::decode(r, info)?);
                }
                rows.push(row);
            }
            _ => return Err(ProtocolError::Malformed("a row of a table-valued parameter")),
        }
    }
}

/// Appends a table, its type's byte first. `collation` goes with every string.
pub(crate) fn encode(
    out: &mut Vec<u8>,
    table: &TableValue,
    collation: [u8; 5],
    version: TdsVersion,
) -> std::result::Result<(), &'static str> {
    out.extend_from_slice(&[byte::TVP, 0]);
    put_b_varchar(out, &table.schema);
    put_b_varchar(out, &table.name);
    let Some(columns) = &table.columns else {
        out.extend_from_slice(&NO_TABLE.to_le_bytes());
        out.extend_from_slice(&[END, END]);
        return Ok(());
    };
    out.extend_from_slice(&(columns.len() as u16).to_le_bytes());
    let mut infos = Vec::new();
    for c in columns {
        let flags = if c.default { FLAG_DEFAULT } else { 0 } | 1;
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(&flags.to_le_bytes());
        let info = TypeInfo::for_result(c.ty, collation, version);
        info.encode(out);
        put_b_varchar(out, "");
        if !c.default {
            infos.push(info);
        }
    }
    if !table.order.is_empty() {
        out.push(COLUMN_ORDERING);
        out.extend_from_slice(&(table.order.len() as u16).to_le_bytes());
        table.order.iter().for_each(|n| out.extend_from_slice(&n.to_le_bytes()));
    }
    out.push(END);
    for row in &table.rows {
        out.push(ROW);
        for (info, v) in infos.iter().zip(row) {
            value::encode(out, info, v)?;
        }
    }
    out.push(END);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_types::MaxLen;

    fn sample() -> TableValue {
        let column = |ty, default| TableColumn { ty, default };
        let columns = vec![
            column(SqlType::Int, false),
            column(SqlType::NVarChar(MaxLen::Max), false),
            column(SqlType::BigInt, true),
        ];
        TableValue {
            schema: "dbo".into(),
            name: "t".into(),
            columns: Some(columns),
            order: vec![2, 1, 3],
            rows: vec![
                vec![Value::Int(7), Value::nvarchar("seven")],
                vec![Value::Null, Value::Null],
            ],
        }
    }

    fn bytes(table: &TableValue) -> Vec<u8> {
        let mut out = Vec::new();
        encode(&mut out, table, [9, 4, 0xD0, 0, 0x34], TdsVersion::V7_4).unwrap();
        out
    }

    fn read(data: &[u8]) -> Result<TableValue> {
        decode(&mut Reader::new(data), TdsVersion::V7_4)
    }

    #[test]
    fn tables_round_trip() {
        let back = read(&bytes(&sample())).unwrap();
        assert_eq!((back.schema.as_str(), back.name.as_str()), ("dbo", "t"));
        let columns = back.columns.unwrap();
        assert_eq!(columns.iter().map(|c| c.default).collect::<Vec<_>>(), [false, false, true]);
        assert_eq!(back.order, [2, 1, 3]);
        assert_eq!(back.rows.len(), 2);
        assert!(matches!(back.rows[0][0], Value::Int(7)));
        assert_eq!(back.rows[0][1].as_text().as_deref(), Some("seven"));
        assert!(back.rows[1].iter().all(Value::is_null));
    }

    #[test]
    fn a_column_of_nulls_needs_no_precision() {
        let decimal = [0, 0, 0, 0, 0, 0, 0x6C, 17, 0, 0, 0];
        let data = [&[0xF3, 0, 0, 0, 1, 0][..], &decimal, &[0, 1, 0, 0]].concat();
        let back = read(&data).unwrap();
        assert!(back.rows == [[Value::Null]], "{:?}", back.rows);
    }

    #[test]
    fn null_is_no_table() {
        let data = bytes(&TableValue { columns: None, ..sample() });
        assert_eq!(data[data.len() - 4..], [0xFF, 0xFF, 0, 0]);
        assert!(read(&data).unwrap().columns.is_none());
    }

    #[test]
    fn what_is_cut_or_wrong_is_an_error() {
        let data = bytes(&sample());
        for n in 0..data.len() {
            assert!(read(&data[..n]).is_err(), "{n}");
        }
        let mut wrong = data.clone();
        *wrong.last_mut().unwrap() = 9;
        assert!(read(&wrong).is_err());
        // A database, rows without a table, too many columns.
        assert!(read(&[0xF3, 1, b'd', 0, 0, 0, 0, 0, 0, 0]).is_err());
        assert!(read(&[0xF3, 0, 0, 0, 0xFF, 0xFF, 0, 1, 0]).is_err());
        assert!(read(&[0xF3, 0, 0, 0, 1, 4]).is_err());
        // A column whose values take no bytes.
        let of_null = [0xF3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0x1F, 0, 0, 1, 1, 0];
        assert_eq!(
            read(&of_null).unwrap_err(),
            ProtocolError::Malformed("the type of NULL as a column's")
        );
        assert!(decode(&mut Reader::new(&data), TdsVersion::V7_2).is_err());
    }

    #[test]
    fn promises_about_order_are_read_over() {
        let promise = [0xF3, 0, 0, 0, 0, 0, 0x10, 1, 0, 1, 0, 5, 0, 1, 0];
        let back = read(&promise).unwrap();
        assert_eq!(back.columns.map(|c| c.len()), Some(0));
        assert_eq!(back.rows.len(), 1);
    }
}
