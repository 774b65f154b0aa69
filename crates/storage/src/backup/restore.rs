//! Restoring: files and log from sets, step by step.
//!
//! | set | the database before | what happens | interrupted by a crash |
//! |---|---|---|---|
//! | full | none, or one that is replaced: its files are removed first | files made; pages, log; boot pages last; redo | no boot page: no database |
//! | differential | RESTORING, its base restored | boot page: log not usable; pages, a log of its own; boot page; redo | RESTORING, wants the differential again |
//! | log | RESTORING, its log reaches the set's | boot page, as soon as something of the set is there to be applied: target, recovery path; images of extents; blocks behind the log's end; redo | RESTORING, wants the set again; where it had no images, any point behind the log's end will do |
//!
//! What follows redo (NORECOVERY or RECOVERY) is in `recovery::restored`. While the database is RESTORING nothing is
//! appended to its log; it survives restarts as it is, since everything about it is in its boot page.
//!
//! The database's identity after a restore: `family_guid` of the backup, a `database_guid` of its own, or that of the database it replaces.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use taffrail_base::{DatabaseId, FileId, LogPos, Lsn, PAGE_BYTES, PageId, SqlError};
use taffrail_io::{AlignedBuf, Env, OpenSpec, Volume};
use taffrail_log::{LogAnchor, LogInstaller, RestoredFile};

use super::error::{BackupError, BackupResult};
use super::media::Media;
use super::place::{self, Pages, write_runs};
use super::reader::{Piece, SetReader};
use super::spec::{
    BackupFile, BackupKind, RestoreKind, RestoreSpec, Restored, Restoring, SetHeader, Stop, Watch,
};
use super::state::{Base, RestoreState, differential_goes_on};
use crate::database::{Database, FileKind, RecoveryReport};
use crate::error::{PageIo, StorageError, refused_log};
use crate::filelist::files_of;
use crate::instance::StorageInstance;
use crate::part::Part;
use crate::recovery::{
    Boot, FORMAT_VERSION, LogFile, file_header, log_files_of, log_options, read_primary,
    recover_restored, redo_restored, remove_file, write_boots, write_page,
};

pub(super) fn io(operation: &'static str) -> impl Fn(taffrail_io::IoError) -> BackupError {
    move |source| StorageError::Io(Box::new(PageIo { operation, offset: 0, source })).into()
}

pub(super) fn log_error(e: taffrail_log::LogError) -> BackupError {
    use taffrail_log::LogError;
    let e = match e {
        LogError::Io(e) => return io("write")(e),
        // What the installer says of blocks that do not fit together.
        LogError::Specification(why) => {
            return StorageError::Sql(SqlError::new(3203, &[&"the backup's log", &why])).into();
        }
        e => e,
    };
    match refused_log(e) {
        Ok(refused) => refused.into(),
        Err(e) => {
            let reason = e.to_string();
            let why = crate::error::SuspectReason { database: String::new(), reason };
            StorageError::Suspect(Box::new(why)).into()
        }
    }
}

/// RESTORE DATABASE, RESTORE LOG. A full set makes the files; on error before their content is complete they are removed. A differential or
/// log set is applied to a RESTORING database that nobody has open.
pub fn restore(
    instance: &Arc<StorageInstance>,
    spec: &RestoreSpec,
    watch: &mut dyn Watch,
) -> BackupResult<Restored> {
    restore_until(instance, spec, None, watch)
}

/// The same, up to a point. A set that does not reach it is applied as a whole, and the database stays RESTORING.
pub fn restore_until(
    instance: &Arc<StorageInstance>,
    spec: &RestoreSpec,
    stop: Option<&Stop>,
    watch: &mut dyn Watch,
) -> BackupResult<Restored> {
    restore_part(instance, spec, stop, None, watch)
}

/// As [`restore_until`], of the pages of a part where one is given. Each step of a restore is told the same part.
pub fn restore_part(
    instance: &Arc<StorageInstance>,
    spec: &RestoreSpec,
    stop: Option<&Stop>,
    part: Option<&Arc<Part>>,
    watch: &mut dyn Watch,
) -> BackupResult<Restored> {
    let began = instance.env.clock.monotonic();
    let media = Media::open(&instance.env, &spec.devices)?;
    let mut set = SetReader::open(&media, spec.position)?;
    let fits = match spec.kind {
        RestoreKind::Database => set.header.kind != BackupKind::Log,
        RestoreKind::Log => set.header.kind == BackupKind::Log,
    };
    if !fits {
        return Err(BackupError::WrongKind);
    }
    // A log set has no boot page that would say so.
    if set.header.format_version > FORMAT_VERSION {
        let version = set.header.format_version;
        return Err(BackupError::TooNew { version, known: FORMAT_VERSION });
    }
    let reached = stop.is_none();
    let mut step = Step { instance, spec, stop, part, reached, pages: 0, log_bytes: 0 };
    let primary = match set.header.kind {
        BackupKind::Full => step.full(&mut set, watch)?,
        kind => {
            let Some(primary) = &spec.primary else { return Err(BackupError::NotRestoring) };
            match kind {
                BackupKind::Differential => step.differential(&mut set, primary, watch)?,
                _ => step.log(&mut set, primary, watch)?,
            }
            primary.clone()
        }
    };
    let is_short = !step.reached;
    let (database, recovery) = match spec.recovery && !is_short {
        true => {
            let (db, report) = recover_part(instance, spec.id, &spec.name, &primary, part)?;
            (Some(db), report)
        }
        false => (None, redo_restored(instance, spec.id, &spec.name, &primary, part)?.1),
    };
    let files = match &database {
        Some(db) => db.files(),
        None => {
            let (volume, boot) = read_primary(instance, &spec.name, &primary)?;
            let logs = log_files_of(instance, &boot, &primary)?;
            files_of(instance, &*volume, &boot, &primary, &logs)?
        }
    };
    let files = files.into_iter().map(BackupFile::of).collect();
    Ok(Restored {
        database,
        header: set.header,
        files,
        pages: step.pages,
        log_pages: step.log_bytes.div_ceil(PAGE_BYTES as u64),
        recovery,
        duration: instance.env.clock.monotonic().saturating_sub(began),
        is_short,
    })
}

/// RESTORE DATABASE … WITH RECOVERY without a set: a RESTORING database is recovered and comes online.
pub fn recover(
    instance: &Arc<StorageInstance>,
    id: DatabaseId,
    name: &str,
    primary: &Path,
) -> BackupResult<(Arc<Database>, RecoveryReport)> {
    recover_part(instance, id, name, primary, None)
}

fn recover_part(
    instance: &Arc<StorageInstance>,
    id: DatabaseId,
    name: &str,
    primary: &Path,
    part: Option<&Arc<Part>>,
) -> BackupResult<(Arc<Database>, RecoveryReport)> {
    let state = restoring_state(&read_primary(instance, name, primary)?.1)?;
    if !state.log_usable {
        return Err(BackupError::NotConsistent { reached: Lsn::ZERO, needed: state.target });
    }
    recover_restored(instance, id, name, primary, part, |reached, boot| {
        let target = boot.backup.restoring.map_or(Lsn::ZERO, |r| r.target);
        match reached < target {
            true => Err(BackupError::NotConsistent { reached, needed: target }),
            false => Ok(()),
        }
    })
}

pub(super) fn restoring_state(boot: &Boot) -> BackupResult<RestoreState> {
    boot.backup.restoring.ok_or(BackupError::NotRestoring)
}

/// The state of a RESTORING database as its primary file keeps it; none: the database is not being
/// restored. An error: the file is no database, for example since a restore of a full set was
/// interrupted.
pub fn restoring(
    instance: &StorageInstance,
    name: &str,
    primary: &Path,
) -> BackupResult<Option<Restoring>> {
    let (volume, boot) = read_primary(instance, name, primary)?;
    let Some(state) = boot.backup.restoring else { return Ok(None) };
    // Where opening it would find its files: they may have moved since they were noted.
    let logs = log_files_of(instance, &boot, primary);
    let known = logs.as_deref().unwrap_or_default();
    let files = files_of(instance, &*volume, &boot, primary, known)?;
    let files = files.into_iter().map(BackupFile::of).collect();
    let redo_lsn = match LogAnchor::from_bytes(&boot.anchor).filter(|_| state.log_usable) {
        Some(anchor) => {
            let paths = paths_of(&logs?);
            taffrail_log::end_of_log(&instance.env, &paths, &anchor).map_err(log_error)?
        }
        None => Lsn::ZERO,
    };
    Ok(Some(Restoring {
        guid: boot.guid,
        family_guid: boot.backup.family,
        redo_lsn,
        target_lsn: state.target.max(redo_lsn),
        files,
    }))
}

pub(super) fn paths_of(logs: &[LogFile]) -> Vec<PathBuf> {
    logs.iter().map(|f| f.path.clone()).collect()
}

/// One step of a restore: a set that is put into the database.
pub(super) struct Step<'a> {
    pub(super) instance: &'a Arc<StorageInstance>,
    pub(super) spec: &'a RestoreSpec,
    pub(super) stop: Option<&'a Stop>,
    /// Of the set's pages those of this part, if there is one.
    part: Option<&'a Arc<Part>>,
    /// There is nowhere to stop, or it has come to there.
    pub(super) reached: bool,
    pages: u64,
    log_bytes: u64,
}

/// Data files that pages go into.
pub(super) type DataFiles = Vec<(FileId, Arc<dyn Volume>)>;

impl Step<'_> {
    pub(super) fn env(&self) -> &Env {
        &self.instance.env
    }

    /// The files of the set with their new places.
    fn moved(&self, header: &SetHeader) -> BackupResult<Vec<BackupFile>> {
        for (name, _) in &self.spec.moves {
            if !header.files.iter().any(|f| f.name.eq_ignore_ascii_case(name)) {
                return Err(BackupError::NoSuchFile(name.clone()));
            }
        }
        let mut files = header.files.clone();
        for f in &mut files {
            let to = self.spec.moves.iter().find(|(name, _)| f.name.eq_ignore_ascii_case(name));
            if let Some((_, path)) = to {
                f.path.clone_from(path);
            }
        }
        Ok(files)
    }

    fn full(&mut self, set: &mut SetReader<'_>, watch: &mut dyn Watch) -> BackupResult<PathBuf> {
        let mut boot = set.boot.clone();
        let files = self.moved(&set.header)?;
        for line in &mut boot.files {
            let Some(f) = files.iter().find(|f| f.id == line.id) else {
                return Err(BackupError::NotMedia(PathBuf::new()));
            };
            line.path.clone_from(&f.path);
            if line.kind == FileKind::Rows {
                // As large as it was when the header was written; a file that grew since is made larger by the log.
                let pages = (f.size / PAGE_BYTES as u64).max(u64::from(line.pages));
                line.pages = pages.try_into().unwrap_or(u32::MAX);
            }
        }
        let paths: Vec<PathBuf> = files.iter().map(|f| f.path.clone()).collect();
        let twice = (1..paths.len()).find(|&i| paths[..i].contains(&paths[i]));
        if let Some(i) = twice {
            return Err(BackupError::FileExists(paths[i].clone()));
        }
        let env = self.env().clone();
        for p in paths.iter().filter(|p| !self.spec.replaces.contains(p)) {
            if env.disk.exists(p).map_err(io("read"))? {
                return Err(BackupError::FileExists(p.clone()));
            }
        }
        let Some(primary) = boot.files.iter().find(|f| f.id == FileId(1)) else {
            return Err(BackupError::NotMedia(PathBuf::new()));
        };
        let primary = primary.path.clone();
        // The primary file first: without it the others are no database's.
        let (first, others): (Vec<_>, Vec<_>) =
            self.spec.replaces.iter().partition(|p| **p == primary);
        for p in first.into_iter().chain(others) {
            remove_file(&env, p)?;
        }
        self.instance.pool.unregister(self.spec.id);
        self.instance.pool.discard(self.spec.id);
        let made = self.make(set, &mut boot, &files, &primary, watch);
        if made.is_err() {
            for p in &paths {
                // The first error is the one to report; what cannot be removed is in the way of the next attempt, which says so.
                let _ = remove_file(&env, p);
            }
        }
        made.map(|()| primary)
    }

    /// Makes the files of a full set, boot pages last.
    fn make(
        &mut self,
        set: &mut SetReader<'_>,
        boot: &mut Boot,
        files: &[BackupFile],
        primary: &Path,
        watch: &mut dyn Watch,
    ) -> BackupResult<()> {
        let env = self.env().clone();
        let guid = self.spec.guid.unwrap_or_else(|| env.entropy.guid());
        let mut data: DataFiles = Vec::new();
        for f in boot.files.iter().filter(|f| f.kind == FileKind::Rows) {
            let volume = self.data_file(&f.path, u64::from(f.pages) * PAGE_BYTES as u64)?;
            data.push((f.id, volume));
        }
        let logs: Vec<&BackupFile> = files.iter().filter(|f| f.kind == FileKind::Log).collect();
        let (sector, layout) = set.layout.clone();
        if logs.len() != layout.len() {
            return Err(BackupError::NotMedia(PathBuf::new()));
        }
        let specs: Vec<RestoredFile> = logs
            .iter()
            .zip(layout)
            .map(|(f, vlfs)| RestoredFile {
                id: f.id.0,
                path: f.path.clone(),
                growth: f.growth,
                max_size: f.max_size.unwrap_or(taffrail_log::LOG_FILE_BYTES_MAX),
                vlfs,
            })
            .collect();
        let store = crate::buffer::Store::new(
            self.spec.id,
            &self.spec.name,
            false,
            0,
            Arc::default(),
            env.clock.clone(),
        );
        let options = log_options(self.instance, &store, &boot.options);
        let mut log =
            LogInstaller::create(&env, &specs, &options, sector, guid).map_err(log_create_error)?;
        let what = if set.header.is_copy_only { Pages::Data } else { Pages::Base };
        self.fill(set, &data, &mut log, what, &mut || Ok(()), watch)?;
        log.finish().map_err(log_error)?;
        boot.guid = guid;
        boot.log_chain = LogPos::ZERO;
        self.set_restored(boot, &set.header, &log)?;
        for (id, volume) in &data {
            let mut header = file_header(*id, &guid);
            write_page(&**volume, PageId { file: *id, page: 0 }, &mut header)
                .map_err(io("write"))?;
            volume.sync().map_err(io("write"))?;
        }
        let Some((_, volume)) = data.iter().find(|(id, _)| *id == FileId(1)) else {
            return Err(BackupError::NotMedia(primary.to_owned()));
        };
        write_boots(&**volume, boot, true)?;
        Ok(())
    }

    /// Makes a data file of this many bytes: with their room, or, for a part, with holes.
    fn data_file(&self, path: &Path, bytes: u64) -> BackupResult<Arc<dyn Volume>> {
        let disk = &*self.env().disk;
        let volume = disk.create(path, OpenSpec::DATA).map_err(create_error)?;
        match self.part {
            None => taffrail_io::reserve(disk, &*volume, 0, bytes),
            Some(_) => {
                let last = bytes.saturating_sub(PAGE_BYTES as u64);
                volume.write_at(last, &AlignedBuf::zeroed(PAGE_BYTES))
            }
        }
        .map_err(create_error)?;
        if let Some(dir) = path.parent() {
            disk.sync_dir(dir).map_err(io("write"))?;
        }
        Ok(volume)
    }

    /// Sets the boot page to the state after a data set.
    fn set_restored(
        &self,
        boot: &mut Boot,
        header: &SetHeader,
        log: &LogInstaller,
    ) -> BackupResult<()> {
        let anchor = log.anchor(boot.min).filter(|_| log.end_lsn() >= header.last_lsn);
        let Some(anchor) = anchor else {
            return Err(BackupError::LogTooEarly { last: log.end_lsn(), needed: header.last_lsn });
        };
        boot.anchor = anchor.to_bytes();
        let b = &mut boot.backup;
        b.family = header.family_guid;
        b.fork = header.last_fork;
        b.first_fork = header.last_fork;
        b.fork_point = Lsn::ZERO;
        let base = match header.kind {
            BackupKind::Full if !header.is_copy_only => {
                let base = Base { lsn: header.first_lsn, guid: header.guid };
                b.base = base;
                b.last_full = header.checkpoint_lsn;
                base
            }
            BackupKind::Full => Base::default(),
            _ => Base { lsn: header.differential_base_lsn, guid: header.differential_base_guid },
        };
        b.restoring = Some(RestoreState {
            log_usable: true,
            redone: LogPos::ZERO,
            target: header.last_lsn,
            base,
            past_base: header.kind != BackupKind::Full,
            ..RestoreState::default()
        });
        Ok(())
    }

    /// Writes pages into the files and blocks into the log. Images are durable before the first block: a log that reaches the set's end
    /// says that the set is applied. `begin` comes right before the first change.
    pub(super) fn fill(
        &mut self,
        set: &mut SetReader<'_>,
        data: &DataFiles,
        log: &mut LogInstaller,
        what: Pages,
        begin: &mut dyn FnMut() -> BackupResult<()>,
        watch: &mut dyn Watch,
    ) -> BackupResult<()> {
        let mut begun = false;
        let mut aligned: Option<AlignedBuf> = None;
        let (mut pages, mut log_bytes) = (0, 0);
        let mut unsynced = false;
        let mark = set.mark();
        set.read(watch, |piece, _| {
            let changes = match &piece {
                Piece::Pages(..) => true,
                Piece::Block(_, block) => log.is_behind_end(block),
            };
            if changes && !std::mem::replace(&mut begun, true) {
                begin()?;
            }
            match piece {
                Piece::Pages(runs, content) => {
                    let (runs, content) = match self.part {
                        Some(part) => place::keep(part, &runs, content),
                        None => (runs, content),
                    };
                    pages += (content.len() / PAGE_BYTES) as u64;
                    write_runs(data, &runs, content, what, mark, &mut aligned)?;
                    unsynced = what == Pages::Images;
                }
                Piece::Block(vlf, block) => {
                    log_bytes += block.len() as u64;
                    if std::mem::take(&mut unsynced) {
                        sync(data)?;
                    }
                    log.block(vlf, block).map_err(log_error)?;
                }
            }
            Ok(())
        })?;
        if unsynced {
            sync(data)?;
        }
        self.pages += pages;
        self.log_bytes += log_bytes;
        Ok(())
    }

    /// Opens the files of a RESTORING database, for a set of its family.
    pub(super) fn existing(
        &self,
        header: &SetHeader,
        primary: &Path,
    ) -> BackupResult<(DataFiles, Boot)> {
        let (volume, boot) = read_primary(self.instance, &self.spec.name, primary)?;
        restoring_state(&boot)?;
        if boot.backup.family != header.family_guid {
            return Err(BackupError::WrongDatabase);
        }
        let mut data: DataFiles = Vec::new();
        for f in boot.files.iter().filter(|f| f.kind == FileKind::Rows) {
            let volume = match f.id == FileId(1) {
                true => volume.clone(),
                false => self.env().disk.open(&f.path, OpenSpec::DATA).map_err(io("read"))?,
            };
            data.push((f.id, volume));
        }
        Ok((data, boot))
    }

    fn differential(
        &mut self,
        set: &mut SetReader<'_>,
        primary: &Path,
        watch: &mut dyn Watch,
    ) -> BackupResult<()> {
        let (data, mut boot) = self.existing(&set.header, primary)?;
        let state = restoring_state(&boot)?;
        let base =
            Base { lsn: set.header.differential_base_lsn, guid: set.header.differential_base_guid };
        if state.base != base || !base.is_some() {
            return Err(BackupError::WrongBase);
        }
        let paths = paths_of(&log_files_of(self.instance, &boot, primary)?);
        let reached = match LogAnchor::from_bytes(&boot.anchor).filter(|_| state.log_usable) {
            Some(anchor) => {
                taffrail_log::end_of_log(self.env(), &paths, &anchor).map_err(log_error)?
            }
            None => Lsn::ZERO,
        };
        let fork = set.header.last_fork;
        differential_goes_on(&boot, &state, &set.header, reached)?;
        let target = set.header.last_lsn;
        boot.backup.restoring = Some(RestoreState {
            log_usable: false,
            target,
            past_base: true,
            only_log: false,
            ..state
        });
        on_fork(&mut boot, fork);
        save(&data, &mut boot)?;
        // From here on only this differential, or another of the same base, brings the database on.
        for f in set.boot.files.iter().filter(|f| f.kind == FileKind::Rows) {
            let size = set.header.files.iter().find(|h| h.id == f.id).map_or(0, |h| h.size);
            let size = size.max(u64::from(f.pages) * PAGE_BYTES as u64);
            if let Some((_, volume)) = data.iter().find(|(id, _)| *id == f.id) {
                let len = volume.len().map_err(io("read"))?;
                if size > len {
                    volume.allocate(len, size - len).map_err(create_error)?;
                }
            }
        }
        let mut log = LogInstaller::open_anew(self.env(), &paths).map_err(log_error)?;
        self.fill(set, &data, &mut log, Pages::Data, &mut || Ok(()), watch)?;
        log.finish().map_err(log_error)?;
        sync(&data)?;
        // The set's boot page, with this database's identity and places.
        let mut new = set.boot.clone();
        new.sequence = boot.sequence;
        new.guid = boot.guid;
        new.log_chain = LogPos::ZERO;
        new.backup = boot.backup;
        new.files = boot.files;
        for f in new.files.iter_mut().filter(|f| f.kind == FileKind::Rows) {
            let set = set.boot.files.iter().find(|other| other.id == f.id);
            f.pages = f.pages.max(set.map_or(0, |other| other.pages));
        }
        self.set_restored(&mut new, &set.header, &log)?;
        save(&data, &mut new)
    }
}

/// Writes the boot page, durably.
pub(super) fn save(data: &DataFiles, boot: &mut Boot) -> BackupResult<()> {
    match data.iter().find(|(id, _)| *id == FileId(1)) {
        Some((_, volume)) => Ok(write_boots(&**volume, boot, false)?),
        None => Err(BackupError::NotRestoring),
    }
}

/// All of the database's log up to here is on this recovery path, or on one that it has come from.
pub(super) fn on_fork(boot: &mut Boot, fork: [u8; 16]) {
    let b = &mut boot.backup;
    (b.first_fork, b.fork, b.fork_point) = (fork, fork, Lsn::ZERO);
}

fn sync(data: &DataFiles) -> BackupResult<()> {
    data.iter().try_for_each(|(_, volume)| volume.sync().map_err(io("write")))
}

pub(super) fn create_error(e: taffrail_io::IoError) -> BackupError {
    match e.is_full() {
        true => crate::recovery::cannot_create(&e).into(),
        false => io("write")(e),
    }
}

fn log_create_error(e: taffrail_log::LogError) -> BackupError {
    match e {
        taffrail_log::LogError::Io(e) => create_error(e),
        e => log_error(e),
    }
}
