//! Customers of the TPC-C benchmark, as its clause 4.3.3.1 fills the table.
//!
//! Row n is a customer of warehouse n / 30,000 + 1, district n / 3,000 % 10 + 1 and number n % 3,000 + 1, so rows come in
//! the order of the key. What is random depends on the seed and n alone: rows may be made in any order, and twice.
//! C_SINCE is the same moment for all rows rather than the clock's, so that a load can be repeated to the byte.

use taffrail_types::decimal::Decimal;
use taffrail_types::{Bytes, MaxLen, SqlType, Value};

/// Customers of a district.
pub const CUSTOMERS: u64 = 3_000;
/// Districts of a warehouse.
pub const DISTRICTS: u64 = 10;
/// Customers of a warehouse.
pub const CUSTOMERS_OF_WAREHOUSE: u64 = CUSTOMERS * DISTRICTS;

/// The columns, with the types of the workload `customer.sql`.
pub const COLUMNS: [(&str, SqlType); 21] = [
    ("c_id", SqlType::Int),
    ("c_d_id", SqlType::TinyInt),
    ("c_w_id", SqlType::Int),
    ("c_first", SqlType::Char(16)),
    ("c_middle", SqlType::Char(2)),
    ("c_last", SqlType::Char(16)),
    ("c_street_1", SqlType::Char(20)),
    ("c_street_2", SqlType::Char(20)),
    ("c_city", SqlType::Char(20)),
    ("c_state", SqlType::Char(2)),
    ("c_zip", SqlType::Char(9)),
    ("c_phone", SqlType::Char(16)),
    ("c_since", SqlType::DateTime),
    ("c_credit", SqlType::Char(2)),
    ("c_credit_lim", SqlType::Numeric { precision: 12, scale: 2 }),
    ("c_discount", SqlType::Numeric { precision: 4, scale: 4 }),
    ("c_balance", SqlType::Numeric { precision: 12, scale: 2 }),
    ("c_ytd_payment", SqlType::Numeric { precision: 12, scale: 2 }),
    ("c_payment_cnt", SqlType::SmallInt),
    ("c_delivery_cnt", SqlType::SmallInt),
    ("c_data", SqlType::Char(500)),
];

/// The type in which a column's values are sent: without the padding of fixed-length text.
pub fn sent_as(ty: SqlType) -> SqlType {
    match ty {
        SqlType::Char(n) => SqlType::VarChar(MaxLen::N(n)),
        other => other,
    }
}

/// Days from 1900-01-01 to 2026-01-01, the day of C_SINCE.
const SINCE_DAYS: i32 = 46_021;

const SYLLABLES: [&str; 10] =
    ["BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"];

const ALPHANUMERIC: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Random numbers: SplitMix64, whose state may be any number.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// One of `low ..= high`, all alike.
    pub fn within(&mut self, low: u64, high: u64) -> u64 {
        low + ((u128::from(self.next()) * u128::from(high - low + 1)) >> 64) as u64
    }

    /// NURand(A, x, y) of clause 2.1.6.
    fn nurand(&mut self, a: u64, c: u64, low: u64, high: u64) -> u64 {
        let both = self.within(0, a) | self.within(low, high);
        (both + c) % (high - low + 1) + low
    }

    /// A random string: between `low` and `high` characters of `alphabet`.
    fn string(&mut self, alphabet: &[u8], low: u64, high: u64) -> Bytes {
        let length = if low == high { low } else { self.within(low, high) } as usize;
        let mut out = Bytes::with_capacity(length);
        let mut left = length;
        while left > 0 {
            // Four characters out of one number: 16 bits each choose closely enough among so few.
            let mut bits = self.next();
            for _ in 0..left.min(4) {
                out.push(alphabet[((bits & 0xFFFF) as usize * alphabet.len()) >> 16]);
                bits >>= 16;
            }
            left -= left.min(4);
        }
        out
    }
}

/// C_LAST of clause 4.3.2.3.
fn last_name(number: u64) -> Bytes {
    let mut out = Bytes::new();
    for digit in [number / 100, number / 10 % 10, number % 10] {
        out.extend_from_slice(SYLLABLES[digit as usize].as_bytes());
    }
    out
}

/// A maker of TPC-C's customers.
#[derive(Clone, Debug)]
pub struct Customers {
    seed: u64,
    /// The run-time constant C of NURand for C_LAST, chosen once per load.
    c_last: u64,
}

impl Customers {
    /// The customers of a seed.
    pub fn new(seed: u64) -> Customers {
        let c_last = Random(seed ^ 0xC1A5_7000).within(0, 255);
        Customers { seed, c_last }
    }

    /// Row `n` into `row`.
    pub fn row(&self, n: u64, row: &mut Vec<Value>) {
        let mut r = Random(self.seed ^ n.wrapping_mul(0xD134_2543_DE82_EF95));
        let number = n % CUSTOMERS;
        let last = match number {
            0..1000 => number,
            _ => r.nurand(255, self.c_last, 0, 999),
        };
        let letters = &ALPHANUMERIC[..26];
        let digits = &ALPHANUMERIC[52..];
        let mut zip = r.string(digits, 4, 4);
        zip.extend_from_slice(b"11111");
        let money = |cents: u128, positive: bool| {
            Value::Decimal(Decimal::new(!positive, cents, 2).expect("few digits"))
        };
        row.clear();
        row.extend([
            Value::Int((number + 1) as i32),
            Value::TinyInt((n / CUSTOMERS % DISTRICTS + 1) as u8),
            Value::Int((n / CUSTOMERS_OF_WAREHOUSE + 1) as i32),
            Value::VarChar(r.string(ALPHANUMERIC, 8, 16)),
            Value::VarChar(Bytes::from_slice(b"OE")),
            Value::VarChar(last_name(last)),
            Value::VarChar(r.string(ALPHANUMERIC, 10, 20)),
            Value::VarChar(r.string(ALPHANUMERIC, 10, 20)),
            Value::VarChar(r.string(ALPHANUMERIC, 10, 20)),
            Value::VarChar(r.string(letters, 2, 2)),
            Value::VarChar(zip),
            Value::VarChar(r.string(digits, 16, 16)),
            Value::DateTime { days: SINCE_DAYS, ticks: 0 },
            Value::VarChar(Bytes::from_slice(if r.within(1, 10) == 1 { b"BC" } else { b"GC" })),
            money(5_000_000, true),
            Value::Decimal(
                Decimal::new(false, u128::from(r.within(0, 5000)), 4).expect("few digits"),
            ),
            money(1_000, false),
            money(1_000, true),
            Value::SmallInt(1),
            Value::SmallInt(0),
            Value::VarChar(r.string(ALPHANUMERIC, 300, 500)),
        ]);
    }
}

/// The statements that make the table, in one batch each.
pub fn create_table(table: &str, heap: bool) -> Vec<String> {
    let columns: Vec<String> = COLUMNS.iter().map(|(name, ty)| format!("{name} {ty}")).collect();
    let mut out = vec![format!("CREATE TABLE {table} ({})", columns.join(", "))];
    if !heap {
        let key = "(c_w_id, c_d_id, c_id)";
        out.push(format!("CREATE UNIQUE CLUSTERED INDEX ci_customer ON {table} {key}"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(v: &Value) -> String {
        v.as_text().unwrap()
    }

    #[test]
    fn rows_are_what_the_benchmark_specifies() {
        let customers = Customers::new(42);
        let (mut row, mut bad_credit, mut lengths) = (Vec::new(), 0, (usize::MAX, 0));
        let mut names = std::collections::HashSet::new();
        for n in 0..60_000 {
            customers.row(n, &mut row);
            assert_eq!(row.len(), COLUMNS.len());
            for (v, (name, ty)) in row.iter().zip(&COLUMNS) {
                if let (SqlType::Char(max), Some(b)) = (ty, v.as_bytes()) {
                    assert!(b.len() <= *max as usize, "{name} of row {n}");
                }
            }
            assert_eq!(row[0], Value::Int((n % 3000) as i32 + 1));
            assert_eq!(row[1], Value::TinyInt((n / 3000 % 10) as u8 + 1));
            assert_eq!(row[2], Value::Int((n / 30_000) as i32 + 1));
            let first = text(&row[3]);
            assert!((8..=16).contains(&first.len()), "{first}");
            let zip = text(&row[10]);
            assert!(zip.len() == 9 && zip.ends_with("11111"));
            assert!(text(&row[11]).bytes().all(|b| b.is_ascii_digit()));
            names.insert(text(&row[5]));
            bad_credit += u32::from(text(&row[13]) == "BC");
            let data = text(&row[20]).len();
            lengths = (lengths.0.min(data), lengths.1.max(data));
            if n % 3000 < 1000 {
                assert_eq!(text(&row[5]).as_bytes(), last_name(n % 3000).as_slice());
            }
        }
        assert_eq!(names.len(), 1000, "every last name occurs");
        assert_eq!(lengths, (300, 500));
        assert!((5_500..6_500).contains(&bad_credit), "one in ten, about: {bad_credit}");
        assert_eq!(last_name(371).as_slice(), b"PRICALLYOUGHT");
    }

    #[test]
    fn a_seed_gives_the_same_rows_in_any_order() {
        let (mut a, mut b) = (Vec::new(), Vec::new());
        Customers::new(7).row(123_456, &mut a);
        let again = Customers::new(7);
        again.row(1, &mut b);
        again.row(123_456, &mut b);
        assert_eq!(a, b);
        Customers::new(8).row(123_456, &mut b);
        assert_ne!(a, b);
    }
}
