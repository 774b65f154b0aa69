//! Rows that are written anew by DDL: none of them has a hole where its column allows no NULL.

use crate::support;

use support::{Client, World};
use taffrail_catalog::rowcodec::NoLobs;
use taffrail_engine::Sight;
use taffrail_types::Value;

#[test]
fn a_row_with_a_hole_in_a_given_column_is_damaged() {
    let w = World::new();
    let mut c: Client = w.connect();
    c.ok("CREATE DATABASE d");
    c.ok("USE d CREATE TABLE t (a int NOT NULL, v AS ISNULL(b, 0) PERSISTED NOT NULL, b int NULL, r rowversion)");
    let database = w.instance.databases().get("d").expect("the database");
    let table = database.catalog.tables(Sight::EVERYTHING).into_iter().find(|t| t.name() == "t");
    let table = table.expect("the table");
    let look = |a: Value| {
        let mut row = Vec::new();
        let values = [a, Value::Null, Value::Null, Value::Null];
        table.layout.encode(&values, &mut row, &mut NoLobs).expect("written");
        table.refuse_nulls(&row).map_err(|e| (e.number, e.message))
    };
    // The values that the server makes are not there yet.
    assert_eq!(look(Value::Int(1)), Ok(()));
    let (number, message) = look(Value::Null).expect_err("a hole");
    assert_eq!(number, 5243);
    assert!(message.ends_with("(NULL in column a)"), "{message}");
}
