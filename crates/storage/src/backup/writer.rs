//! Writing a set: chunks in turn to the families, several writes in flight in each while the next chunk is read; one at a time while
//! the backup gives way to others (see [`super::pace`]).
//!
//! A chunk's buffer is filled where it will be written from: pages are read from the data file straight behind the room for the chunk's
//! first block, so that a page is copied by the devices alone.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use taffrail_io::{
    AlignedBuf, Disk, Env, IoError, OpenSpec, RemoteObject, UtcTime, Volume, WriteOp,
};

use super::error::{BackupError, BackupResult, damaged, device};
use super::media::{
    BLOCK, CONTENT_MAX, ChunkHeader, FAMILIES_MAX, Family, Kind, label_block, padded,
};
use super::spec::{BackupSpec, Device, MediaLabel, MediaMode, SetHeader};

/// Writes in flight per family.
const IN_FLIGHT: usize = 4;
/// Room is reserved in steps: extending the file by each write would cost a metadata change each time.
const RESERVE: u64 = 64 << 20;

/// A family being written; without a volume, what is written is gone.
struct Target {
    volume: Option<Arc<dyn Volume>>,
    label: MediaLabel,
    at: u64,
    reserved: u64,
    in_flight: usize,
    /// Where the set begins.
    begin: u64,
    /// The file was not there before.
    made: bool,
    /// A write has found no room.
    no_room: bool,
    /// The object that is written, if it is no file.
    object: Option<Arc<dyn RemoteObject>>,
    /// The object is there for everybody.
    ended: bool,
}

/// Writes one set. One that finds no room gives back what it has taken: the file goes, or ends again where it did.
pub(super) struct SetWriter {
    disk: Arc<dyn Disk>,
    targets: Vec<Target>,
    set: [u8; 16],
    /// Its position on the media.
    pub position: u32,
    compress: bool,
    /// Data chunks so far.
    chunks: u64,
    /// Bytes of content before compression.
    pub raw: u64,
    /// Bytes of content as they are stored: the media has these, headers and filling.
    pub stored: u64,
    spare: Vec<AlignedBuf>,
    packed: Vec<u8>,
    finished: bool,
    one_at_a_time: bool,
}

impl SetWriter {
    /// Opens the devices, and cuts off what a failed backup left.
    pub fn begin(
        env: &Env,
        spec: &BackupSpec,
        set: [u8; 16],
        now: UtcTime,
    ) -> BackupResult<SetWriter> {
        let devices = &spec.devices;
        if devices.is_empty() || devices.len() > FAMILIES_MAX {
            return Err(BackupError::NotOneMedia(PathBuf::new()));
        }
        for (i, d) in devices.iter().enumerate() {
            if let Some(path) = d.path()
                && devices[..i].iter().any(|other| other.is(d))
            {
                return Err(BackupError::NotOneMedia(path.to_owned()));
            }
        }
        let mut made = Vec::new();
        let begun = SetWriter::open(env, spec, set, now, &mut made);
        if begun.is_err() {
            // Nothing is in them; the error is told, whatever becomes of them.
            made.iter().for_each(|path| remove(&*env.disk, path));
        }
        begun
    }

    /// Opens the devices as [`Self::begin`] does, and lists in `made` the files that were not there before, also if it fails.
    fn open(
        env: &Env,
        spec: &BackupSpec,
        set: [u8; 16],
        now: UtcTime,
        made: &mut Vec<PathBuf>,
    ) -> BackupResult<SetWriter> {
        let devices = &spec.devices;
        let mut volumes: Vec<Option<Arc<dyn Volume>>> = Vec::new();
        for d in devices {
            volumes.push(match d {
                Device::Nul => None,
                Device::Disk(path) => {
                    let open = OpenSpec { direct: true, read_only: false };
                    let volume = match env.disk.exists(path).map_err(BackupError::Open)? {
                        true => env.disk.open(path, open),
                        false => env.disk.create(path, open).inspect(|_| made.push(path.clone())),
                    };
                    Some(volume.map_err(BackupError::Open)?)
                }
                // A new one, whatever is at the address.
                Device::Object(object) => Some(object.create().map_err(BackupError::Open)?),
            });
        }
        let objects = devices.iter().any(|d| matches!(d, Device::Object(_)));
        let mut targets = Vec::new();
        let mut position = 1;
        let old = match spec.mode {
            MediaMode::Format => None,
            _ if objects => None,
            _ => existing(&volumes)?,
        };
        match old {
            Some(families) => {
                let sets = match spec.mode {
                    MediaMode::Append => {
                        let sets: Vec<_> =
                            families.iter().map(Family::sets).collect::<BackupResult<_>>()?;
                        let whole = |s: &Vec<super::media::SetPlace>| {
                            s.iter().take_while(|p| p.end_chunk.is_some()).count()
                        };
                        let complete = sets.iter().map(whole).min().unwrap_or(0);
                        position = complete as u32 + 1;
                        sets
                    }
                    _ => vec![Vec::new(); families.len()],
                };
                for (f, sets) in families.into_iter().zip(sets) {
                    let last = (position as usize).checked_sub(2).and_then(|i| sets.get(i));
                    let at = last.map_or(BLOCK as u64, |p| p.end);
                    if spec.mode == MediaMode::Append && !f.is_leftover(at, position)? {
                        return Err(damaged(f.path(), at, "sets lie behind something damaged"));
                    }
                    f.volume.truncate(at).map_err(device("write"))?;
                    targets.push(Target::new(Some(f.volume), f.label, at));
                }
            }
            None => {
                let media = env.entropy.guid();
                for (i, volume) in volumes.into_iter().enumerate() {
                    let label = MediaLabel {
                        name: spec.media_name.clone(),
                        description: spec.media_description.clone(),
                        set: media,
                        families: devices.len() as u16,
                        family: i as u16 + 1,
                        family_guid: env.entropy.guid(),
                        date: now,
                    };
                    if let Some(v) = &volume {
                        let begun =
                            v.truncate(0).and_then(|()| v.write_at(0, &label_block(&label)));
                        begun.map_err(device("write"))?;
                    }
                    targets.push(Target::new(volume, label, BLOCK as u64));
                }
            }
        }
        for (target, device) in targets.iter_mut().zip(devices) {
            let path = target.volume.as_ref().map(|v| v.path());
            target.made = path.is_some_and(|path| made.iter().any(|m| m == path));
            if let Device::Object(object) = device {
                target.object = Some(Arc::clone(object));
            }
        }
        Ok(SetWriter {
            disk: env.disk.clone(),
            targets,
            set,
            position,
            compress: spec.compression,
            chunks: 0,
            raw: 0,
            stored: 0,
            spare: Vec::new(),
            packed: Vec::new(),
            finished: false,
            one_at_a_time: false,
        })
    }

    /// The labels of the families.
    pub fn labels(&self) -> Vec<MediaLabel> {
        self.targets.iter().map(|t| t.label.clone()).collect()
    }

    /// From now on a write has ended before the next chunk is read, or several are in flight.
    pub fn one_at_a_time(&mut self, yes: bool) {
        self.one_at_a_time = yes;
    }

    /// A buffer for a chunk: the content goes behind its first block.
    pub fn buffer(&mut self) -> AlignedBuf {
        self.spare.pop().unwrap_or_else(|| AlignedBuf::zeroed(BLOCK + CONTENT_MAX))
    }

    /// Writes a data chunk: `len` bytes of content lie behind the first block of `buf`.
    pub fn put(
        &mut self,
        kind: Kind,
        table: Vec<u8>,
        mut buf: AlignedBuf,
        len: usize,
    ) -> BackupResult<()> {
        let (family, number) = ((self.chunks % self.targets.len() as u64) as usize, self.chunks);
        self.chunks += 1;
        self.raw += len as u64;
        let mut stored = len;
        if self.compress && len > 0 {
            self.packed.clear();
            ruzstd::encoding::compress(
                &buf[BLOCK..BLOCK + len],
                &mut self.packed,
                ruzstd::encoding::CompressionLevel::Fastest,
            );
            // What does not become smaller stays as it is.
            if padded(self.packed.len()) < padded(len) {
                stored = self.packed.len();
                buf[BLOCK..BLOCK + stored].copy_from_slice(&self.packed);
            }
        }
        self.stored += stored as u64;
        self.chunk(family, kind, number, table, buf, len, stored)
    }

    /// Writes a data chunk of few bytes.
    pub fn put_small(&mut self, kind: Kind, table: Vec<u8>, content: &[u8]) -> BackupResult<()> {
        let mut buf = self.buffer();
        buf[BLOCK..BLOCK + content.len()].copy_from_slice(content);
        self.put(kind, table, buf, content.len())
    }

    /// Writes the header, or at last the end, to every family.
    fn everywhere(&mut self, kind: Kind, content: &[u8]) -> BackupResult<()> {
        let number = if kind == Kind::End { self.chunks } else { 0 };
        for family in 0..self.targets.len() {
            let mut buf = self.buffer();
            let Some(room) = buf.get_mut(BLOCK..BLOCK + content.len()) else {
                return Err(
                    crate::error::StorageError::Misuse("a backup's header is too long").into()
                );
            };
            room.copy_from_slice(content);
            self.chunk(family, kind, number, Vec::new(), buf, content.len(), content.len())?;
        }
        Ok(())
    }

    /// Writes the set's header: first of all.
    pub fn put_header(&mut self, content: &[u8]) -> BackupResult<()> {
        self.everywhere(Kind::Header, content)
    }

    #[allow(clippy::too_many_arguments, reason = "two callers")]
    fn chunk(
        &mut self,
        family: usize,
        kind: Kind,
        number: u64,
        table: Vec<u8>,
        mut buf: AlignedBuf,
        raw: usize,
        stored: usize,
    ) -> BackupResult<()> {
        let target = &mut self.targets[family];
        let mut header = ChunkHeader {
            kind,
            // Packed content is always shorter.
            compressed: stored < raw,
            position: self.position,
            number,
            offset: target.at,
            stored: stored as u64,
            raw: raw as u64,
            set: self.set,
            crc: 0,
            table,
        };
        buf[BLOCK + stored..BLOCK + padded(stored)].fill(0);
        header.write(&mut buf);
        let len = BLOCK + padded(stored);
        let back = target.write(buf, len, self.one_at_a_time)?;
        self.spare.extend(back);
        Ok(())
    }

    /// Ends the set, with its header as it is now, and makes it durable.
    pub fn finish(&mut self, env: &Env, header: &SetHeader) -> BackupResult<()> {
        let mut content = Vec::new();
        header.encode(&mut content);
        // Everything else first: the end says that it is there.
        self.settle(env, false)?;
        self.everywhere(Kind::End, &content)?;
        self.settle(env, true)?;
        self.finished = true;
        Ok(())
    }

    /// Waits for every write, and makes them durable. Of an object nobody sees anything before its end.
    fn settle(&mut self, env: &Env, end: bool) -> BackupResult<()> {
        for t in &mut self.targets {
            let back = t.drain(t.in_flight)?;
            self.spare.extend(back);
        }
        // All of every object is sent before one ends: what it takes the place of is gone then.
        for t in self.targets.iter().filter(|t| end && t.object.is_some()) {
            if let Some(v) = &t.volume {
                v.truncate(t.at).map_err(device("write"))?;
            }
        }
        for t in &mut self.targets {
            let Some(v) = &t.volume else { continue };
            if t.object.is_some() {
                if end {
                    v.sync().map_err(device("write"))?;
                    t.ended = true;
                }
                continue;
            }
            v.truncate(t.at).map_err(device("write"))?;
            t.reserved = t.at;
            v.sync().map_err(device("write"))?;
            if let Some(dir) = v.path().parent() {
                env.disk.sync_dir(dir).map_err(device("write"))?;
            }
        }
        Ok(())
    }
}

impl Drop for SetWriter {
    /// Writes in flight own their buffers and would go on into a file that the next backup may be writing.
    fn drop(&mut self) {
        if !self.finished {
            for t in &mut self.targets {
                while t.in_flight > 0 && t.drain(t.in_flight).is_ok() {}
            }
            // Objects of a set that lacks others are of no use, and the set is none. The error to tell is that of the backup.
            for object in self.targets.iter().filter(|t| t.ended).filter_map(|t| t.object.as_ref())
            {
                let _ = object.remove();
            }
            if self.targets.iter().any(|t| t.no_room) {
                self.give_back();
            }
        }
    }
}

impl SetWriter {
    /// Removes the bytes of a failed backup, so that they are in nobody's way on the file system.
    /// The backup has failed and says why; bytes that cannot be removed stay, as after any failed
    /// backup.
    fn give_back(&mut self) {
        for t in &mut self.targets {
            let Some(volume) = t.volume.take().filter(|_| t.object.is_none()) else { continue };
            if !t.made {
                let _ = volume.truncate(t.begin);
                continue;
            }
            let path = volume.path().to_owned();
            drop(volume);
            remove(&*self.disk, &path);
        }
    }
}

impl Target {
    fn new(volume: Option<Arc<dyn Volume>>, label: MediaLabel, at: u64) -> Target {
        let (made, no_room, object, ended) = (false, false, None, false);
        let (reserved, begin, in_flight) = (at, at, 0);
        Target { volume, label, at, reserved, in_flight, begin, made, no_room, object, ended }
    }

    fn failed(&mut self, e: IoError) -> BackupError {
        self.no_room |= e.is_full();
        device("write")(e)
    }

    /// Starts the write of a chunk, or, `alone`, waits for it and those before; gives back buffers of writes that ended.
    fn write(&mut self, buf: AlignedBuf, len: usize, alone: bool) -> BackupResult<Vec<AlignedBuf>> {
        let offset = self.at;
        self.at += len as u64;
        let Some(volume) = &self.volume else { return Ok(vec![buf]) };
        if self.at > self.reserved {
            let more = RESERVE.max(len as u64);
            // Only for speed: a disk that is too full for a step may have room for what is written.
            self.reserved = match volume.allocate(self.reserved, more) {
                Ok(()) => self.reserved + more,
                Err(e) if e.is_full() => self.at,
                Err(e) => return Err(device("write")(e)),
            };
        }
        let op = WriteOp { token: offset, offset, buf, len };
        let begun = match alone {
            true => volume.submit(vec![op]),
            false => volume.start(op),
        };
        begun.map_err(|e| self.failed(e))?;
        self.in_flight += 1;
        let most = if alone { 0 } else { IN_FLIGHT };
        if self.in_flight > most { self.drain(self.in_flight - most) } else { Ok(Vec::new()) }
    }

    fn drain(&mut self, at_least: usize) -> BackupResult<Vec<AlignedBuf>> {
        let Some(volume) = &self.volume else { return Ok(Vec::new()) };
        let mut back = Vec::new();
        let mut first = Ok(());
        for done in volume.reap(at_least).map_err(device("write"))? {
            self.in_flight -= 1;
            back.push(done.buf);
            first = first.and(done.result);
        }
        first.map_err(|e| self.failed(e))?;
        Ok(back)
    }
}

/// Removes a file of a backup that has failed. The error to tell is that of the backup.
fn remove(disk: &dyn Disk, path: &Path) {
    if let (Ok(()), Some(dir)) = (disk.remove(path), path.parent()) {
        let _ = disk.sync_dir(dir);
    }
}

/// The families that the files are; none: all are empty. Some of one and some of the other, or of several media, is an error.
fn existing(volumes: &[Option<Arc<dyn Volume>>]) -> BackupResult<Option<Vec<Family>>> {
    let mut families: Vec<Family> = Vec::new();
    for v in volumes.iter().flatten() {
        families.extend(Family::read(Arc::clone(v))?);
    }
    let Some((first, path)) = families.first().map(|f| (f.label.set, f.path().to_owned())) else {
        return Ok(None);
    };
    families.sort_by_key(|f| f.label.family);
    let whole = families.len() == volumes.len()
        && families.iter().enumerate().all(|(i, f)| {
            f.label.set == first
                && usize::from(f.label.family) == i + 1
                && usize::from(f.label.families) == volumes.len()
        });
    if whole { Ok(Some(families)) } else { Err(BackupError::NotOneMedia(path)) }
}
