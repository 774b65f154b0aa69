//! Little-endian integers and short strings into bytes, and back with every bound checked.

use taffrail_log::Growth;

/// Appends to a vector.
pub(crate) trait Put {
    fn u8(&mut self, v: u8);
    fn u16(&mut self, v: u16);
    fn u32(&mut self, v: u32);
    fn u64(&mut self, v: u64);
    fn bytes(&mut self, v: &[u8]);
    /// Length (u16) and text.
    fn text(&mut self, v: &str);
}

impl Put for Vec<u8> {
    fn u8(&mut self, v: u8) {
        self.push(v);
    }
    fn u16(&mut self, v: u16) {
        self.extend_from_slice(&v.to_le_bytes());
    }
    fn u32(&mut self, v: u32) {
        self.extend_from_slice(&v.to_le_bytes());
    }
    fn u64(&mut self, v: u64) {
        self.extend_from_slice(&v.to_le_bytes());
    }
    fn bytes(&mut self, v: &[u8]) {
        self.extend_from_slice(v);
    }
    fn text(&mut self, v: &str) {
        let len = v.len().min(usize::from(u16::MAX));
        self.u16(len as u16);
        self.extend_from_slice(&v.as_bytes()[..len]);
    }
}

/// FILEGROWTH and MAXSIZE of a file, as boot pages and backups have them: kind (u8) and amount, then the limit or all ones.
pub(crate) fn put_growth(b: &mut Vec<u8>, growth: Growth, max_size: Option<u64>) {
    let (kind, amount) = match growth {
        Growth::None => (0, 0),
        Growth::Bytes(n) => (1, n),
        Growth::Percent(n) => (2, u64::from(n)),
    };
    b.u8(kind);
    b.u64(amount);
    b.u64(max_size.unwrap_or(u64::MAX));
}

/// The first half of [`put_growth`].
pub(crate) fn take_growth(t: &mut Take<'_>) -> Option<Growth> {
    Some(match (t.u8()?, t.u64()?) {
        (0, _) => Growth::None,
        (1, n) => Growth::Bytes(n),
        (2, n) => Growth::Percent(n.try_into().ok()?),
        _ => return None,
    })
}

/// Reads the limit that is the second half of [`put_growth`].
pub(crate) fn take_max_size(t: &mut Take<'_>) -> Option<Option<u64>> {
    t.u64().map(|n| Some(n).filter(|&n| n != u64::MAX))
}

/// Reads from a slice; `None` when it ends too early.
#[derive(Clone, Copy)]
pub(crate) struct Take<'a>(pub &'a [u8]);

impl<'a> Take<'a> {
    pub fn bytes(&mut self, n: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(n)?;
        self.0 = tail;
        Some(head)
    }
    pub fn u8(&mut self) -> Option<u8> {
        self.bytes(1).map(|b| b[0])
    }
    pub fn u16(&mut self) -> Option<u16> {
        self.bytes(2).map(|b| u16::from_le_bytes([b[0], b[1]]))
    }
    pub fn u32(&mut self) -> Option<u32> {
        self.bytes(4).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes)
    }
    pub fn u64(&mut self) -> Option<u64> {
        self.bytes(8).and_then(|b| b.try_into().ok()).map(u64::from_le_bytes)
    }
    pub fn text(&mut self) -> Option<String> {
        let len = self.u16()?;
        String::from_utf8(self.bytes(len.into())?.to_vec()).ok()
    }
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
