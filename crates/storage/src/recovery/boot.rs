//! The boot page: what must be known before the log can be read.
//!
//! Two copies, pages 9 and 10 of the primary file, are written in turn; each carries a sequence number, and the valid one with
//! the higher number counts. A copy is written whole and durably, so that a torn one leaves the other.
//!
//! Of the files it lists two: the primary file and the first one of the log, whose header names the others. Further lines, and names
//! in these two, are there only while the list of files in the directory may lack them (see [`crate::filelist`]). So whatever number
//! of files a database has, the boot page does not grow with it.
//!
//! What follows the page's header is drawn in docs/engineering/format.md; what backups and restores keep, at the end, in
//! [`crate::backup::BackupState`].

use std::path::PathBuf;

use taffrail_base::{FileId, LogPos, Lsn, PAGE_BYTES, PageId};
use taffrail_io::UtcTime;
use taffrail_log::{Growth, Initialization, LogAnchor, VlfAlgorithm};

use crate::access::filelist::FileRow;
use crate::backup::BackupState;
use crate::codec::{Put, Take, put_growth, take_growth, take_max_size};
use crate::database::{DatabaseOptions, FileKind, RecoveryModel};
use crate::page::{Format, HEADER_BYTES, Page, PageType};

/// Version of the data files' format; 948 names it. 2: large values have an identity (see [`crate::lob`]). 3: the log holds deleted
/// rows whole (see `LOP_DELETE_ROWS`), and rows may have a version tag. 4: large values are trees. 5: small ones share pages; the list of
/// files is rows of the directory.
pub const FORMAT_VERSION: u16 = 5;
/// Before this version the boot page lists all files.
pub const LISTED_VERSION: u16 = 5;
/// Feature bits that this version understands.
pub const FEATURES: u64 = COPIED | CUT;
/// Feature: pages bear the mark of another family than the database's ([`BackupState::copied_from`]).
const COPIED: u64 = 1;
/// Feature: a restore has stopped in the middle of a block ([`crate::backup::RestoreState::cut`]).
const CUT: u64 = 2;

/// A file as the boot page lists it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BootFile {
    /// The number of the file, `file_id`.
    pub id: FileId,
    /// The kind of file: data or log.
    pub kind: FileKind,
    /// Logical name, of a file whose row in the directory may lack. Empty: the line only says where the file is.
    pub name: String,
    /// The path of the file.
    pub path: PathBuf,
    /// Pages, for a data file.
    pub pages: u32,
    /// FILEGROWTH, in a line with a name.
    pub growth: Growth,
    /// MAXSIZE in bytes, in a line with a name.
    pub max_size: Option<u64>,
}

impl BootFile {
    /// True for a line that tells more than where the file is.
    pub fn is_named(&self) -> bool {
        !self.name.is_empty()
    }

    /// The row of the list of files that a line with a name stands for.
    pub(crate) fn row(&self) -> FileRow {
        let name = self.name.clone();
        match self.kind {
            FileKind::Log => FileRow::log(name),
            kind => FileRow { kind, name, growth: self.growth, max_size: self.max_size },
        }
    }
}

/// The boot page's content.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Boot {
    /// Which copy is newer.
    pub sequence: u64,
    /// The format of who wrote this copy; what is written has [`FORMAT_VERSION`].
    pub version: u16,
    /// Identity of the database, also in its backups.
    pub guid: [u8; 16],
    /// When it was made.
    pub created: UtcTime,
    /// No transaction has had this id or a higher one.
    pub next_transaction: u64,
    /// No HoBt has had this id or a higher one.
    pub next_hobt: u64,
    /// The options of the database.
    pub options: DatabaseOptions,
    /// Begin record of the last checkpoint.
    pub checkpoint_lsn: Lsn,
    /// The position of that record.
    pub checkpoint: LogPos,
    /// Redo reads from here.
    pub scan_from: LogPos,
    /// Log from here on is needed: the least of scan start and active transactions' first records.
    pub min: LogPos,
    /// How the log finds `min` again.
    pub anchor: [u8; LogAnchor::BYTES],
    /// From where on log must be kept for a log backup; zero: no full backup has begun a chain.
    pub log_chain: LogPos,
    /// The primary file, the first of the log, and those that may not be in the list of files.
    pub files: Vec<BootFile>,
    /// The state that backups and restores keep.
    pub backup: BackupState,
    /// Bytes of log and pages a second that redo was measured to manage on this machine; 0: not measured, as in pages of versions
    /// that did not write it.
    pub redo_rate: (u64, u64),
}

/// Bits 2 and 3: how the log's files are initialised, 4 and 5: how many VLFs a growth makes; one more than the
/// number, 0 for what the instance says.
fn growth_bits(options: &DatabaseOptions) -> u8 {
    let initialization = options.log_initialization.map_or(0, |i| i as u8 + 1);
    let algorithm = options.log_vlf_algorithm.map_or(0, |a| a as u8 + 1);
    initialization << 2 | algorithm << 4
}

/// Why a page is no boot page.
#[derive(Debug)]
pub enum BootError {
    /// Not a boot page, or damaged.
    Damaged(String),
    /// Written by a newer version.
    Newer(u16),
}

impl Boot {
    /// The lines of log files; the first is that of the log's first file.
    pub fn logs(&self) -> impl Iterator<Item = &BootFile> {
        self.files.iter().filter(|f| f.kind == FileKind::Log)
    }

    /// The list of files is whole without these lines: what is left says where the primary file and the first of the log are, besides
    /// the lines that `stay`.
    pub fn forget_names(&mut self, stays: impl Fn(&BootFile) -> bool) {
        let mut logs = 0;
        self.files.retain_mut(|f| {
            logs += usize::from(f.kind == FileKind::Log);
            if f.kind == FileKind::Log && logs > 1 {
                return stays(f);
            }
            (f.name, f.growth, f.max_size) = (String::new(), Growth::None, None);
            true
        });
    }

    fn features(&self) -> u64 {
        let copied = self.backup.copied_from != [0; 16];
        let cut = self.backup.restoring.is_some_and(|r| r.cut != LogPos::ZERO);
        (u64::from(copied) * COPIED) | (u64::from(cut) * CUT)
    }

    /// The bytes of one copy. `None` when the files' names do not fit.
    pub fn encode(&self, page: PageId) -> Option<Box<Page>> {
        let mut b: Vec<u8> = Vec::with_capacity(1024);
        b.u64(self.sequence);
        b.u16(FORMAT_VERSION);
        b.u64(self.features());
        b.bytes(&self.guid);
        b.u64(self.created.0);
        b.u64(self.next_transaction);
        b.u64(self.next_hobt);
        b.u8(self.options.recovery_model as u8);
        b.u8(self.options.delayed_durability | growth_bits(&self.options));
        b.u32(self.options.target_recovery_time_s);
        b.u64(self.options.engine_flags);
        b.bytes(&self.checkpoint_lsn.to_bytes());
        b.u64(self.checkpoint.0);
        b.u64(self.scan_from.0);
        b.u64(self.min.0);
        b.bytes(&self.anchor);
        b.u64(self.log_chain.0);
        b.u16(self.files.len() as u16);
        for f in &self.files {
            b.u16(f.id.0);
            b.u8(u8::from(f.kind == FileKind::Log));
            b.text(&f.name);
            b.text(f.path.to_str()?);
            b.u32(f.pages);
            put_growth(&mut b, f.growth, f.max_size);
        }
        self.backup.encode(&mut b);
        // Names come first where there is no room for both.
        if b.len() + 16 <= PAGE_BYTES - HEADER_BYTES {
            b.u64(self.redo_rate.0);
            b.u64(self.redo_rate.1);
        }
        let mut p = Page::zeroed();
        p.format(&Format::new(page, PageType::Boot));
        p.set_lsn(self.checkpoint);
        p.bytes_mut().get_mut(HEADER_BYTES..HEADER_BYTES + b.len())?.copy_from_slice(&b);
        p.seal();
        Some(p)
    }

    /// Reads one of the boot page's copies.
    pub fn decode(page: &mut Page, id: PageId) -> Result<Boot, BootError> {
        page.validate(id).map_err(BootError::Damaged)?;
        let damaged = |what: &str| BootError::Damaged(what.to_owned());
        if page.kind() != Some(PageType::Boot) {
            return Err(damaged("not a boot page"));
        }
        let mut t = Take(&page.bytes()[HEADER_BYTES..]);
        let head = (|| Some((t.u64()?, t.u16()?, t.u64()?)))();
        let Some((sequence, version, features)) = head else { return Err(damaged("too short")) };
        if version > FORMAT_VERSION || features & !FEATURES != 0 {
            return Err(BootError::Newer(version.max(FORMAT_VERSION + 1)));
        }
        Self::decode_rest(sequence, version, t).ok_or_else(|| damaged("its content makes no sense"))
    }

    fn decode_rest(sequence: u64, version: u16, mut t: Take<'_>) -> Option<Boot> {
        let mut boot = Boot {
            sequence,
            version,
            guid: t.bytes(16)?.try_into().ok()?,
            created: UtcTime(t.u64()?),
            next_transaction: t.u64()?,
            next_hobt: t.u64()?,
            options: {
                let recovery_model = RecoveryModel::from_u8(t.u8()?)?;
                let bits = t.u8()?;
                DatabaseOptions {
                    recovery_model,
                    delayed_durability: bits & 3,
                    target_recovery_time_s: t.u32()?,
                    engine_flags: t.u64()?,
                    log_initialization: (bits >> 2 & 3).checked_sub(1).map(Initialization::from_u8),
                    log_vlf_algorithm: (bits >> 4 & 3).checked_sub(1).map(VlfAlgorithm::from_u8),
                }
            },
            checkpoint_lsn: Lsn::from_bytes(t.bytes(10)?.try_into().ok()?),
            checkpoint: LogPos(t.u64()?),
            scan_from: LogPos(t.u64()?),
            min: LogPos(t.u64()?),
            anchor: t.bytes(LogAnchor::BYTES)?.try_into().ok()?,
            log_chain: LogPos(t.u64()?),
            files: Vec::new(),
            backup: BackupState::default(),
            redo_rate: (0, 0),
        };
        for _ in 0..t.u16()? {
            boot.files.push(BootFile {
                id: FileId(t.u16()?),
                kind: if t.u8()? == 1 { FileKind::Log } else { FileKind::Rows },
                name: t.text()?,
                path: PathBuf::from(t.text()?),
                pages: t.u32()?,
                growth: take_growth(&mut t)?,
                max_size: take_max_size(&mut t)?,
            });
        }
        boot.backup = BackupState::decode(&mut t, boot.guid)?;
        boot.redo_rate = (t.u64().unwrap_or(0), t.u64().unwrap_or(0));
        Some(boot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Boot {
        Boot {
            sequence: 7,
            version: FORMAT_VERSION,
            guid: [3; 16],
            created: UtcTime(99),
            next_transaction: 1000,
            next_hobt: 2000,
            options: DatabaseOptions {
                delayed_durability: 2,
                log_initialization: Some(Initialization::Sql2022),
                log_vlf_algorithm: Some(VlfAlgorithm::V2022),
                ..DatabaseOptions::default()
            },
            checkpoint_lsn: Lsn::new(34, 16, 1),
            checkpoint: LogPos(8193),
            scan_from: LogPos(8193),
            min: LogPos(8000),
            anchor: [5; LogAnchor::BYTES],
            log_chain: LogPos(77),
            files: vec![BootFile {
                id: FileId(1),
                kind: FileKind::Rows,
                name: "Sales".into(),
                path: "/data/Sales.mdf".into(),
                pages: 1024,
                growth: Growth::Percent(10),
                max_size: None,
            }],
            backup: BackupState::new([3; 16]),
            redo_rate: (100 << 20, 12_000),
        }
    }

    #[test]
    fn it_is_what_is_drawn() {
        let b = Boot { min: LogPos(7777), scan_from: LogPos(8001), ..sample() };
        let page = b.encode(PageId::new(1, 9)).unwrap();
        let mut rest = Vec::new();
        rest.text("Sales");
        rest.text("/data/Sales.mdf");
        let name = &rest[..7];
        let file: [(&str, &[u8]); 8] = [
            ("file", &1u16.to_le_bytes()),
            ("kind", &[0]),
            ("name", name),
            ("path", &rest[7..]),
            ("pages", &1024u32.to_le_bytes()),
            ("kind of growth", &[2]),
            ("growth", &10u64.to_le_bytes()),
            ("maximum size", &[0xff; 8]),
        ];
        let bytes = &page.bytes()[HEADER_BYTES..];
        let length: usize = file.iter().map(|f| f.1.len()).sum();
        crate::drawn::check("boot-file", &bytes[180..180 + length], &file);
        let o = &b.options;
        let fields: [(&str, &[u8]); 19] = [
            ("sequence", &7u64.to_le_bytes()),
            ("format version", &FORMAT_VERSION.to_le_bytes()),
            ("feature bits", &[0; 8]),
            ("GUID", &[3; 16]),
            ("created", &99u64.to_le_bytes()),
            ("next transaction", &1000u64.to_le_bytes()),
            ("next HoBt", &2000u64.to_le_bytes()),
            ("recovery model", &[o.recovery_model as u8]),
            ("options", &[2 | growth_bits(o)]),
            ("target recovery time", &o.target_recovery_time_s.to_le_bytes()),
            ("engine flags", &o.engine_flags.to_le_bytes()),
            ("LSN of the last checkpoint", &b.checkpoint_lsn.to_bytes()),
            ("its begin record", &8193u64.to_le_bytes()),
            ("redo scans from", &8001u64.to_le_bytes()),
            ("MinLSN", &7777u64.to_le_bytes()),
            ("log anchor", &[5; LogAnchor::BYTES]),
            ("log chain", &77u64.to_le_bytes()),
            ("files", &1u16.to_le_bytes()),
            ("list of files", &bytes[180..]),
        ];
        crate::drawn::check("boot-page", bytes, &fields);
    }

    #[test]
    fn two_places_are_left_of_any_number_of_files() {
        let mut b = sample();
        let log = |id| BootFile {
            id: FileId(id),
            kind: FileKind::Log,
            name: format!("log{id}"),
            path: format!("/data/{id}.ldf").into(),
            pages: 0,
            growth: Growth::Bytes(5),
            max_size: Some(9),
        };
        b.files.extend([2, 3, 4].map(log));
        let (primary, first) = (b.files[0].clone(), log(2));
        b.forget_names(|f| f.id == FileId(4));
        let place = |f: BootFile| BootFile {
            name: String::new(),
            growth: Growth::None,
            max_size: None,
            ..f
        };
        assert_eq!(b.files, [place(primary), place(first), log(4)]);
        assert!(!b.files[0].is_named() && !b.files[1].is_named() && b.files[2].is_named());
    }

    #[test]
    fn what_is_written_is_read() {
        let id = PageId::new(1, 9);
        let mut page = sample().encode(id).unwrap();
        assert_eq!(Boot::decode(&mut page, id).unwrap(), sample());
        page.bytes_mut()[200] ^= 4;
        assert!(matches!(Boot::decode(&mut page, id), Err(BootError::Damaged(_))));
    }

    #[test]
    fn a_newer_version_is_told_apart_from_damage() {
        let id = PageId::new(1, 10);
        let mut page = sample().encode(id).unwrap();
        page.bytes_mut()[HEADER_BYTES + 8] = 9;
        page.seal();
        assert!(matches!(Boot::decode(&mut page, id), Err(BootError::Newer(9))));
    }
}
