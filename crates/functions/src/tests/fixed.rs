//! A context of fixed answers.

use super::super::*;
use std::cell::Cell;
use taffrail_types::datetime::days_from_civil;
use taffrail_types::type_facts::Types;
use taffrail_types::{Collation, ConvertContext};

/// A session in database 5 whose statement began on 2026-11-21 at 10:00 UTC, two hours west of its clock.
pub struct Fixed {
    pub random: Cell<u64>,
}

impl FnContext for Fixed {
    fn moment(&self) -> Moment {
        let days = days_from_civil(2026, 11, 21).unwrap() as u64;
        Moment { utc: (days * 24 + 10) * 36_000_000_000, offset: 120 }
    }
    fn convert(&self) -> ConvertContext {
        ConvertContext::default()
    }
    fn date_first(&self) -> u8 {
        7
    }
    fn collation(&self) -> Collation {
        Collation::default()
    }
    fn global(&self, name: &str) -> SqlResult<Value> {
        Ok(if name == "@@ROWCOUNT" { Value::Int(3) } else { Value::Null })
    }
    fn cursor_status(&self, _: &str, _: &str) -> Option<i32> {
        Some(-3)
    }
    fn random(&self) -> f64 {
        let next = self.random.get().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        self.random.set(next);
        (next >> 11) as f64 / (1u64 << 53) as f64
    }
    fn seed_random(&self, seed: i32) {
        self.random.set(seed as u64);
    }
    fn entropy(&self, bytes: &mut [u8]) {
        bytes.fill(0xFF);
    }
    fn sequential_guid(&self) -> [u8; 16] {
        [1; 16]
    }
    fn caught(&self) -> Option<SqlError> {
        Some(*SqlError::new(208, &[&"t"]).with_line(7).in_procedure("p"))
    }
    fn scope_identity(&self) -> Value {
        Value::Null
    }
    fn xact_state(&self) -> i16 {
        1
    }
    fn transaction_id(&self) -> i64 {
        9
    }
    fn original_login(&self) -> String {
        "sa".into()
    }

    fn login_name(&self) -> String {
        "sa".into()
    }
    fn user_name(&self) -> String {
        "dbo".into()
    }
    fn host_name(&self) -> Option<String> {
        None
    }
    fn app_name(&self) -> Option<String> {
        Some("app".into())
    }
    fn host_process(&self) -> u32 {
        4212
    }
    fn nulls_by_default(&self) -> bool {
        true
    }
    fn session_context(&self, _: &str) -> Value {
        Value::Null
    }
    fn current_database(&self) -> i16 {
        5
    }
    fn database_id(&self, name: &str) -> Option<i16> {
        name.eq_ignore_ascii_case("sales").then_some(5)
    }
    fn database_name(&self, id: i16) -> Option<String> {
        (id == 5).then(|| "sales".into())
    }
    fn has_database_access(&self, name: &str) -> Option<bool> {
        self.database_id(name).map(|_| true)
    }
    fn login_id(&self, _: &str) -> Option<i32> {
        Some(1)
    }
    fn login_by_id(&self, id: i32) -> Option<String> {
        (id == 1).then(|| "sa".into())
    }
    fn login_sid(&self, _: &str) -> Option<Vec<u8>> {
        Some(vec![1])
    }
    fn login_by_sid(&self, sid: &[u8]) -> Option<String> {
        (sid == [1]).then(|| "sa".into())
    }
    fn user_id(&self, _: &str) -> Option<i32> {
        Some(1)
    }
    fn user_by_id(&self, id: i32) -> Option<String> {
        (id == 1).then(|| "dbo".into())
    }
    fn is_member(&self, role: &str, _: Option<&str>, _: bool) -> Option<bool> {
        (role == "sysadmin").then_some(true)
    }
    fn has_permission(
        &self,
        _: Option<&str>,
        _: Option<&str>,
        _: &str,
        _: Option<&str>,
    ) -> Option<bool> {
        Some(true)
    }
    fn schema_id(&self, name: Option<&str>) -> Option<i32> {
        name.is_none_or(|n| n == "dbo").then_some(1)
    }
    fn schema_name(&self, id: Option<i32>) -> Option<String> {
        id.is_none_or(|id| id == 1).then(|| "dbo".into())
    }
    fn object_id(&self, name: &str, kind: Option<&str>) -> SqlResult<Option<i32>> {
        Ok((name == "dbo.t" && kind.is_none_or(|k| k == "U")).then_some(100))
    }
    fn object_name(&self, id: i32, _: Option<i16>) -> Option<String> {
        (id == 100).then(|| "t".into())
    }
    fn object_schema(&self, id: i32, _: Option<i16>) -> Option<String> {
        (id == 100).then(|| "dbo".into())
    }
    fn object_definition(&self, _: i32) -> Option<String> {
        None
    }
    fn column_name(&self, object: i32, column: i32) -> Option<String> {
        (object == 100 && column == 1).then(|| "c".into())
    }
    fn column_length(&self, _: &str, _: &str) -> Option<i16> {
        Some(4)
    }
    fn index_column(&self, _: &str, _: i32, _: i32) -> Option<String> {
        None
    }
    fn stats_date(&self, _: i32, _: i32) -> Option<Value> {
        None
    }
    fn user_type(&self, _: &str) -> Option<(Types, bool)> {
        None
    }
    fn user_type_name(&self, _: i32) -> Option<String> {
        None
    }
    fn file_id(&self, _: &str) -> Option<i32> {
        Some(2)
    }
    fn file_name(&self, _: i32) -> Option<String> {
        Some("log".into())
    }
    fn filegroup_id(&self, _: &str) -> Option<i32> {
        Some(1)
    }
    fn filegroup_name(&self, _: i32) -> Option<String> {
        Some("PRIMARY".into())
    }
    fn live(&self, _: &super::super::live::Registered) -> &dyn LiveState {
        self
    }
}

impl LiveState for Fixed {
    fn last_rowversion(&self) -> Value {
        Value::Null
    }
    fn lowest_active_rowversion(&self) -> Value {
        Value::Null
    }
    fn identity_of(&self, table: &str) -> Option<[Value; 3]> {
        let n = |v| Value::Decimal(taffrail_types::Decimal::from_i64(v));
        (table == "dbo.t").then(|| [n(10), n(1), n(1)])
    }
    fn property(&self, of: Property<'_>, name: &str) -> SqlResult<Value> {
        let int = Value::Variant(Box::new((SqlType::Int, Value::Int(3))));
        Ok(match of {
            Property::Server if name == "EngineEdition" => int,
            Property::Object(100) if name == "IsTable" => int,
            _ => Value::Null,
        })
    }
}
