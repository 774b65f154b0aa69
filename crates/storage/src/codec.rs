//! Little-endian integers and short strings into bytes, and back with every bound checked.

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
