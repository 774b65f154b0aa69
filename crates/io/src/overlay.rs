//! A disk that shows the files of another one and changes none of them: what is written stays in memory, over what the files have.
//! For a look into files that nobody has open, by code that would change them.
//!
//! A file that another process has open for writing is in use here too, so that nobody looks at files in motion.

use std::collections::BTreeMap;
use std::io::{ErrorKind, IoSlice};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{
    Disk, Entry, IoError, IoResult, OpenSpec, Space, Volume, VolumeKind, WriteDone, WriteOp,
};

/// What is written is kept in pieces of so many bytes.
const PIECE: u64 = 4096;

/// See the module's text.
pub struct OverlayDisk {
    inner: Arc<dyn Disk>,
    /// The files that were opened, by their paths.
    open: Mutex<BTreeMap<PathBuf, Arc<Layer>>>,
}

fn guard<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl OverlayDisk {
    /// The files of `inner`.
    pub fn new(inner: Arc<dyn Disk>) -> OverlayDisk {
        OverlayDisk { inner, open: Mutex::default() }
    }

    fn refuse<T>(&self, op: &'static str, path: &Path) -> IoResult<T> {
        Err(IoError::new(op, path, ErrorKind::ReadOnlyFilesystem))
    }
}

impl Disk for OverlayDisk {
    fn create(&self, path: &Path, _: OpenSpec) -> IoResult<Arc<dyn Volume>> {
        self.refuse("create", path)
    }

    fn open(&self, path: &Path, spec: OpenSpec) -> IoResult<Arc<dyn Volume>> {
        let mut open = guard(&self.open);
        if let Some(layer) = open.get(path) {
            return Ok(Arc::new(OverlayVolume { layer: layer.clone(), ended: Mutex::default() }));
        }
        // Opened for writing: that is what others are kept away by. A file that may only be read is nobody's.
        let inner = match self.inner.open(path, spec) {
            Err(e) if !e.is_in_use() && !e.is_not_found() => {
                self.inner.open(path, spec.read_only())?
            }
            opened => opened?,
        };
        let written = Written { pieces: BTreeMap::new(), len: inner.len()?, kept: inner.len()? };
        let layer = Arc::new(Layer { inner, written: Mutex::new(written) });
        open.insert(path.to_path_buf(), layer.clone());
        Ok(Arc::new(OverlayVolume { layer, ended: Mutex::default() }))
    }

    fn exists(&self, path: &Path) -> IoResult<bool> {
        self.inner.exists(path)
    }

    fn remove(&self, path: &Path) -> IoResult<()> {
        self.refuse("remove", path)
    }

    fn rename(&self, from: &Path, _: &Path) -> IoResult<()> {
        self.refuse("rename", from)
    }

    fn list(&self, dir: &Path) -> IoResult<Vec<PathBuf>> {
        self.inner.list(dir)
    }

    fn entries(&self, dir: &Path) -> IoResult<Vec<Entry>> {
        self.inner.entries(dir)
    }

    fn create_dir(&self, dir: &Path) -> IoResult<()> {
        self.refuse("create", dir)
    }

    fn sync_dir(&self, _: &Path) -> IoResult<()> {
        Ok(())
    }

    fn space(&self, path: &Path) -> IoResult<Space> {
        self.inner.space(path)
    }

    fn real_path(&self, path: &Path) -> IoResult<PathBuf> {
        self.inner.real_path(path)
    }

    fn same_file(&self, a: &Path, b: &Path) -> IoResult<bool> {
        self.inner.same_file(a, b)
    }
}

struct Written {
    /// Whole pieces, by their numbers.
    pieces: BTreeMap<u64, Box<[u8]>>,
    len: u64,
    /// So much of the file below still shows.
    kept: u64,
}

struct Layer {
    inner: Arc<dyn Volume>,
    written: Mutex<Written>,
}

impl Layer {
    /// Fills from the file below; zeroes behind its end.
    fn below(&self, kept: u64, offset: u64, buf: &mut [u8]) -> IoResult<()> {
        let there = kept.saturating_sub(offset).min(buf.len() as u64) as usize;
        if there > 0 {
            self.inner.read_at(offset, &mut buf[..there])?;
        }
        buf[there..].fill(0);
        Ok(())
    }

    fn read(&self, offset: u64, buf: &mut [u8]) -> IoResult<()> {
        let w = guard(&self.written);
        let end = offset + buf.len() as u64;
        if end > w.len {
            return Err(IoError::new("read", self.inner.path(), ErrorKind::UnexpectedEof));
        }
        self.below(w.kept, offset, buf)?;
        if buf.is_empty() {
            return Ok(());
        }
        for (n, piece) in w.pieces.range(offset / PIECE..=(end - 1) / PIECE) {
            let start = n * PIECE;
            let (from, to) = (offset.max(start), end.min(start + PIECE));
            buf[(from - offset) as usize..(to - offset) as usize]
                .copy_from_slice(&piece[(from - start) as usize..(to - start) as usize]);
        }
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> IoResult<()> {
        let mut w = guard(&self.written);
        let end = offset + data.len() as u64;
        let mut at = offset;
        while at < end {
            let (n, start) = (at / PIECE, at / PIECE * PIECE);
            let to = end.min(start + PIECE);
            if !w.pieces.contains_key(&n) {
                let mut piece = vec![0; PIECE as usize].into_boxed_slice();
                if to - at < PIECE {
                    self.below(w.kept, start, &mut piece)?;
                }
                w.pieces.insert(n, piece);
            }
            let piece = w.pieces.get_mut(&n).expect("it has just been made");
            piece[(at - start) as usize..(to - start) as usize]
                .copy_from_slice(&data[(at - offset) as usize..(to - offset) as usize]);
            at = to;
        }
        w.len = w.len.max(end);
        Ok(())
    }

    fn truncate(&self, len: u64) {
        let mut w = guard(&self.written);
        if len < w.len {
            w.kept = w.kept.min(len);
            drop(w.pieces.split_off(&len.div_ceil(PIECE)));
            if let Some(piece) = w.pieces.get_mut(&(len / PIECE)) {
                piece[(len % PIECE) as usize..].fill(0);
            }
        }
        w.len = len;
    }
}

struct OverlayVolume {
    layer: Arc<Layer>,
    ended: Mutex<Vec<WriteDone>>,
}

impl Volume for OverlayVolume {
    fn path(&self) -> &Path {
        self.layer.inner.path()
    }

    fn kind(&self) -> VolumeKind {
        self.layer.inner.kind()
    }

    fn sector_bytes(&self) -> u32 {
        self.layer.inner.sector_bytes()
    }

    fn len(&self) -> IoResult<u64> {
        Ok(guard(&self.layer.written).len)
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> IoResult<()> {
        self.layer.read(offset, buf)
    }

    fn write_at(&self, offset: u64, data: &[u8]) -> IoResult<()> {
        self.layer.write(offset, data)
    }

    fn write_durable(&self, mut offset: u64, parts: &[IoSlice<'_>]) -> IoResult<()> {
        for part in parts {
            self.layer.write(offset, part)?;
            offset += part.len() as u64;
        }
        Ok(())
    }

    fn submit(&self, ops: Vec<WriteOp>) -> IoResult<()> {
        for op in ops {
            let result = self.layer.write(op.offset, &op.buf[..op.len]);
            guard(&self.ended).push(WriteDone { token: op.token, buf: op.buf, result });
        }
        Ok(())
    }

    fn reap(&self, _: usize) -> IoResult<Vec<WriteDone>> {
        Ok(std::mem::take(&mut *guard(&self.ended)))
    }

    fn allocate(&self, offset: u64, len: u64) -> IoResult<()> {
        let mut w = guard(&self.layer.written);
        w.len = w.len.max(offset + len);
        Ok(())
    }

    fn sync(&self) -> IoResult<()> {
        Ok(())
    }

    fn truncate(&self, len: u64) -> IoResult<()> {
        self.layer.truncate(len);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Env;

    #[test]
    fn what_is_written_is_read_and_the_file_stays() {
        let dir = std::env::temp_dir().join(format!("taffrail-overlay-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let path = dir.join("file");
        let bytes: Vec<u8> = (0..20_000u32).map(|n| n as u8).collect();
        std::fs::write(&path, &bytes).unwrap();
        let disk = OverlayDisk::new(Env::os().disk);
        let (one, two) = (
            disk.open(&path, OpenSpec::PLAIN).unwrap(),
            disk.open(&path, OpenSpec::PLAIN).unwrap(),
        );
        let mut model = bytes.clone();
        for (at, len) in [(0usize, 10usize), (4090, 20), (8192, 4096), (19_990, 500), (30_000, 1)] {
            let data = vec![0xee; len];
            one.write_at(at as u64, &data).unwrap();
            if model.len() < at + len {
                model.resize(at + len, 0);
            }
            model[at..at + len].copy_from_slice(&data);
        }
        let read = |v: &Arc<dyn Volume>| {
            let mut all = vec![0; v.len().unwrap() as usize];
            v.read_at(0, &mut all).unwrap();
            all
        };
        assert!(read(&one) == model && read(&two) == model);
        two.truncate(8200).unwrap();
        two.truncate(12_000).unwrap();
        model.truncate(8200);
        model.resize(12_000, 0);
        assert!(read(&one) == model);
        assert!(one.read_at(11_999, &mut [0; 2]).is_err());
        assert!(std::fs::read(&path).unwrap() == bytes);
        assert!(disk.create(&dir.join("new"), OpenSpec::PLAIN).is_err());
        assert!(disk.remove(&path).is_err());
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
