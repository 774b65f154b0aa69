//! The kernel's FUSE protocol (7.31), as far as it is spoken here: numbers in the machine's order, at fixed places.

use std::time::SystemTime;

use super::medium::{Node, SECTOR};

/// Bytes of a request before its arguments.
pub const HEADER: usize = 40;
/// Bytes that a write brings at most.
pub const WRITE_MAX: u32 = 1 << 20;

pub mod op {
    pub const LOOKUP: u32 = 1;
    pub const FORGET: u32 = 2;
    pub const GETATTR: u32 = 3;
    pub const SETATTR: u32 = 4;
    pub const MKDIR: u32 = 9;
    pub const UNLINK: u32 = 10;
    pub const RMDIR: u32 = 11;
    pub const RENAME: u32 = 12;
    pub const LINK: u32 = 13;
    pub const OPEN: u32 = 14;
    pub const READ: u32 = 15;
    pub const WRITE: u32 = 16;
    pub const STATFS: u32 = 17;
    pub const RELEASE: u32 = 18;
    pub const FSYNC: u32 = 20;
    pub const FLUSH: u32 = 25;
    pub const INIT: u32 = 26;
    pub const OPENDIR: u32 = 27;
    pub const READDIR: u32 = 28;
    pub const RELEASEDIR: u32 = 29;
    pub const FSYNCDIR: u32 = 30;
    pub const CREATE: u32 = 35;
    pub const INTERRUPT: u32 = 36;
    pub const DESTROY: u32 = 38;
    pub const BATCH_FORGET: u32 = 42;
    pub const FALLOCATE: u32 = 43;
    pub const RENAME2: u32 = 45;
}

/// A request.
pub struct Request<'a> {
    pub op: u32,
    pub unique: u64,
    pub node: u64,
    pub uid: u32,
    pub gid: u32,
    pub arguments: &'a [u8],
}

pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).map_or(0, |b| u32::from_ne_bytes(b.try_into().expect("four bytes")))
}

pub fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).map_or(0, |b| u64::from_ne_bytes(b.try_into().expect("eight bytes")))
}

impl<'a> Request<'a> {
    pub fn read(bytes: &'a [u8]) -> Request<'a> {
        Request {
            op: u32_at(bytes, 4),
            unique: u64_at(bytes, 8),
            node: u64_at(bytes, 16),
            uid: u32_at(bytes, 24),
            gid: u32_at(bytes, 28),
            arguments: bytes.get(HEADER..).unwrap_or_default(),
        }
    }
}

/// An answer under way.
#[derive(Default)]
pub struct Out(pub Vec<u8>);

impl Out {
    pub fn u32(mut self, n: u32) -> Out {
        self.0.extend(n.to_ne_bytes());
        self
    }

    pub fn u64(mut self, n: u64) -> Out {
        self.0.extend(n.to_ne_bytes());
        self
    }

    pub fn zeros(mut self, n: usize) -> Out {
        self.0.resize(self.0.len() + n, 0);
        self
    }

    pub fn attributes(self, number: u64, node: &Node) -> Out {
        let since = node.changed.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let len = node.current.len();
        let is_dir = node.mode & 0o170_000 == 0o040_000;
        let mut out = self.u64(number).u64(len as u64).u64(len.div_ceil(SECTOR) as u64);
        for _ in 0..3 {
            out = out.u64(since.as_secs());
        }
        for _ in 0..3 {
            out = out.u32(since.subsec_nanos());
        }
        out.u32(node.mode)
            .u32(if is_dir { 2 } else { 1 })
            .u32(node.uid)
            .u32(node.gid)
            .u32(0)
            .u32(4096)
            .u32(0)
    }

    /// What a name leads to. Nothing of it may be remembered: a loss of power changes it.
    pub fn entry(self, number: u64, node: &Node) -> Out {
        self.u64(number).u64(0).zeros(24).attributes(number, node)
    }

    /// A file is open: every read and write is to come here.
    pub fn opened(self) -> Out {
        const DIRECT_IO: u32 = 1;
        self.u64(0).u32(DIRECT_IO).u32(0)
    }

    pub fn directory_entry(self, next: u64, number: u64, mode: u32, name: &[u8]) -> Out {
        let mut out = self.u64(number).u64(next).u32(name.len() as u32).u32(mode >> 12);
        out.0.extend(name);
        let pad = name.len().next_multiple_of(8) - name.len();
        out.zeros(pad)
    }

    /// The kernel and we agree on this.
    pub fn init(self, read_ahead: u32) -> Out {
        const BIG_WRITES: u32 = 1 << 5;
        const MAX_PAGES: u32 = 1 << 22;
        let out = self.u32(7).u32(31).u32(read_ahead).u32(BIG_WRITES | MAX_PAGES);
        let (background, congested) = (64_u32, 48_u32);
        let out = out.u32(background | congested << 16).u32(WRITE_MAX).u32(1);
        out.u32(WRITE_MAX / 4096).zeros(32)
    }

    pub fn space(self) -> Out {
        let blocks = 1 << 24;
        let out = self.u64(blocks).u64(blocks).u64(blocks).u64(1 << 20).u64(1 << 20);
        out.u32(4096).u32(255).u32(4096).zeros(28)
    }
}
