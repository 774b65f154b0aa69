//! The texts of `fn_dblog`'s cells: LSNs, page and transaction numbers, times. All ASCII, written as UTF-16 in one go,
//! because a scan makes millions of them.

use taffrail_base::{Lsn, PageId, TransactionId};
use taffrail_types::datetime::{Local, MAX_DAYS, TICKS_PER_DAY};
use taffrail_types::{Bytes, Value};

/// nvarchar of text.
pub fn text(s: &str) -> Value {
    if !s.is_ascii() {
        return Value::nvarchar(s);
    }
    let mut out = Bytes::from_elem(0, s.len() * 2);
    for (pair, b) in out.chunks_exact_mut(2).zip(s.bytes()) {
        pair[0] = b;
    }
    Value::NVarChar(out)
}

/// nvarchar of at most `max` characters of text.
pub(crate) fn text_up_to(s: &str, max: usize) -> Value {
    match s.char_indices().nth(max) {
        Some((at, _)) => text(&s[..at]),
        None => text(s),
    }
}

/// Numbers in hex, each with so many digits, with colons between them.
fn hex(parts: &[(u64, usize)]) -> Value {
    let len = parts.iter().map(|p| p.1 + 1).sum::<usize>() - 1;
    let mut out = Bytes::from_elem(0, len * 2);
    let mut at = 0;
    for (i, (n, digits)) in parts.iter().enumerate() {
        if i > 0 {
            out[at] = b':';
            at += 2;
        }
        for d in (0..*digits).rev() {
            out[at] = b"0123456789abcdef"[(n >> (d * 4)) as usize & 15];
            at += 2;
        }
    }
    Value::NVarChar(out)
}

/// `00000031:00000da0:0001`
pub fn lsn(l: Lsn) -> Value {
    hex(&[(l.vlf.0.into(), 8), (l.block.0.into(), 8), (l.slot.into(), 4)])
}

/// `0000:000002d6`
pub fn transaction(id: TransactionId) -> Value {
    hex(&[(id.0 >> 32, 4), (id.0, 8)])
}

/// `0001:0000004f`
pub fn page(id: PageId) -> Value {
    hex(&[(id.file.0.into(), 4), (id.page.into(), 8)])
}

/// `2026/11/21 14:45:08:297`, from 100 ns since 0001-01-01; NULL for what is beyond the calendar.
pub fn time(units: u64) -> Value {
    if units / TICKS_PER_DAY > MAX_DAYS as u64 {
        return Value::Null;
    }
    let local = Local::from_utc(units, 0);
    let civil = local.civil();
    let (h, m, s, fraction) = local.clock();
    text(&format!(
        "{:04}/{:02}/{:02} {h:02}:{m:02}:{s:02}:{:03}",
        civil.year,
        civil.month,
        civil.day,
        fraction / 10_000
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_the_published_shapes() {
        let shown = |v: Value| v.as_text().unwrap_or_default();
        assert_eq!(shown(lsn(Lsn::new(0x31, 0xda0, 1))), "00000031:00000da0:0001");
        assert_eq!(shown(transaction(TransactionId(0x2d6))), "0000:000002d6");
        assert_eq!(shown(page(PageId::new(1, 79))), "0001:0000004f");
        assert_eq!(shown(time(0)), "0001/01/01 00:00:00:000");
        assert_eq!(time(u64::MAX), Value::Null);
        assert_eq!(shown(text_up_to("ä€bc", 3)), "ä€b");
    }
}
