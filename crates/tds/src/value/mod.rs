//! Values on the wire, in the layout that their [`crate::TypeInfo`] announces.

mod decode;
mod encode;
#[cfg(test)]
pub(crate) mod tests;

pub use decode::decode;
pub use encode::{Encoder, encode};

/// `0xFFFF…FF`: a PLP value that is NULL.
const PLP_NULL: u64 = u64::MAX;
/// `0xFFFF…FE`: a PLP value whose length only the end of its chunks tells.
const PLP_UNKNOWN: u64 = u64::MAX - 1;
/// `0xFFFF`: a NULL in a value with a two-byte length.
const SHORT_NULL: u16 = u16::MAX;
/// Days of the date types: 0001-01-01 to 9999-12-31.
const DATE_DAYS: u32 = 3_652_059;
/// 100 ns in a day.
const DAY_TICKS: u64 = 864_000_000_000;
/// 1/300 s in a day.
const DATETIME_TICKS: u32 = 25_920_000;

const fn pow10(n: u8) -> u64 {
    10u64.pow(n as u32)
}
