//! A database: the object that everything hangs on. What it does is in the modules that do it: `alloc`, `txn`,
//! `access`, `recovery`, `backup`.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use taffrail_base::sync::{Mutex, MutexGuard};
use taffrail_base::{
    DatabaseId, FileId, HobtId, IndexId, LogPos, ObjectId, PAGE_BYTES, PageId, SqlError,
};
use taffrail_io::UtcTime;
use taffrail_log::fair::RwLock;
use taffrail_log::{FlushReason, Log};
use taffrail_observe::DatabaseCounters;

use crate::access::awaited::Returning;
use crate::access::bulk_space::BulkGate;
use crate::access::cleanup::Leaves;
use crate::access::directory::{self, Entry, Pending};
use crate::access::filelist::FileRows;
use crate::access::{Hobt, HobtKind};
use crate::alloc::ExtentSearch;
use crate::buffer::{BufferPool, Rarities, Store};
use crate::error::{StorageError, StorageResult};
use crate::freelist::Freeing;
use crate::instance::StorageInstance;
use crate::layout::DIRECTORY;
use crate::part::Part;
use crate::pipeline::Pipeline;
use crate::recovery::{Background, Boot, Recovering};
use crate::txn::table::TxnTable;
use crate::txn::work::Work;
use crate::txn::{Transaction, TxnEntry};
use crate::versions::{DatabaseVersions, Mark};

pub use crate::spec::{
    CheckpointKind, CreateSpec, DataFileSpec, DatabaseOptions, DatabaseState, FLAG_READ_ONLY,
    FileInfo, FileKind, FileSize, Growth, Initialization, LogSettings, OpenSpec, RecoveryModel,
    RecoveryReport, VlfAlgorithm,
};

/// A database that is open: its files, log, transactions and heaps and trees.
pub struct Database {
    pub(crate) instance: Arc<StorageInstance>,
    pub(crate) store: Arc<Store>,
    pub(crate) txns: Arc<TxnTable>,
    pub(crate) hobts: RwLock<HashMap<HobtId, Arc<Hobt>>>,
    directory: OnceLock<Arc<Hobt>>,
    /// Where free extents are looked for.
    pub(crate) extents: Mutex<ExtentSearch>,
    pub(crate) freeing: Mutex<Freeing>,
    /// Between minimal logging and backups.
    pub(crate) bulk: Arc<BulkGate>,
    /// One growth of a data file at a time.
    pub(crate) growing: Mutex<()>,
    /// One full or differential backup at a time.
    pub(crate) backing_up: Mutex<()>,
    /// One log backup at a time.
    pub(crate) backing_up_log: Mutex<()>,
    /// Held shared by who needs trees to stay as they are for a while; ghost cleanup does not wait for it.
    pub(crate) cleaning: RwLock<()>,
    /// One deferred drop at a time.
    pub(crate) dropping: Mutex<()>,
    pub(crate) pending_after_rollback: Mutex<Vec<Pending>>,
    /// The work that gives room back, and the sessions that wait for it.
    pub(crate) returning: Returning,
    /// Leaves that had a ghost, or have nothing any more.
    pub(crate) ghosts: Mutex<Leaves>,
    /// One ghost cleanup at a time; taken before `cleaning`.
    pub(crate) cleaner: taffrail_log::fair::Mutex<()>,
    /// The content of the newer boot page.
    pub(crate) boot: Mutex<Boot>,
    /// The list of files as the directory has it, or is to have it; held while that changes.
    pub(crate) listed: Mutex<FileRows>,
    /// One checkpoint at a time; taken by [`Database::lock_checkpoints`].
    checkpointing: Mutex<()>,
    /// How many wait for that: a checkpoint that takes its time makes haste then.
    checkpoints_wanted: AtomicUsize,
    /// One change of the options at a time.
    altering: Mutex<()>,
    /// One background tick at a time; taken before `checkpointing`.
    pub(crate) ticking: Mutex<()>,
    /// The last text told of each kind of background work.
    pub(crate) background_errors: Mutex<[Option<String>; Background::KINDS]>,
    pub(crate) next_hobt: AtomicU64,
    /// From where on log must be kept for a log backup; 0: no chain has begun.
    pub(crate) log_chain: Arc<AtomicU64>,
    /// The chain as the durable boot page has it: after a crash it goes on from there.
    pub(crate) saved_chain: Arc<AtomicU64>,
    /// A log backup has met damaged log: the next full backup begins another chain.
    pub(crate) chain_damaged: AtomicBool,
    /// When the last log backup ended, as the boot page says it, for who must not wait for the boot page; 0: never.
    pub(crate) log_backup_time: AtomicU64,
    /// References on a page of a large value that is written.
    lob_fanout: AtomicUsize,
    /// Held by who writes a row count into the directory, or sets one to what is there: the two belong together.
    pub(crate) counts: Mutex<()>,
    /// The changes of row counts in the directory that redo has found, 0 included.
    pub(crate) found_rows: Mutex<HashMap<HobtId, i64>>,
    /// The transactions that are undone while the database is open; taken before `ticking`.
    pub(crate) recovering: Mutex<Recovering>,
    /// Nobody has taken it on himself to finish the recovery.
    pub(crate) unrecovered: AtomicBool,
    /// Undo waits for room, and has said so.
    pub(crate) undo_waits: AtomicBool,
    /// Milliseconds on the monotonic clock from which on it may look for room again.
    pub(crate) undo_again_at: AtomicU64,
    /// The database is going to be closed: undo stops where it is.
    pub(crate) stopping: AtomicBool,
    /// Milliseconds on the monotonic clock from which on the checkpoint after a recovery is due; 0: none is.
    pub(crate) settle_at: AtomicU64,
    pub(crate) closed: AtomicBool,
    pub(crate) versions: DatabaseVersions,
    /// All that was restored of it; unset: it is whole.
    pub(crate) part: OnceLock<Arc<Part>>,
    /// As the options say it.
    read_only: AtomicBool,
    /// Opened without its log, to be read: see [`Database::open_emergency`].
    pub(crate) emergency: AtomicBool,
    /// [`DatabaseOptions::engine_flags`], for who asks often.
    engine_flags: AtomicU64,
    /// Its commits that were released before they were durable, once there is one.
    pub(crate) pipeline: OnceLock<Arc<Pipeline>>,
}

impl Database {
    pub(crate) fn assemble(
        instance: &Arc<StorageInstance>,
        store: Arc<Store>,
        boot: Boot,
    ) -> Arc<Database> {
        let db = Arc::new(Database {
            instance: instance.clone(),
            store,
            txns: Arc::new(TxnTable::new(boot.next_transaction)),
            hobts: RwLock::default(),
            directory: OnceLock::new(),
            extents: Mutex::default(),
            freeing: Mutex::default(),
            bulk: Arc::default(),
            growing: Mutex::default(),
            backing_up: Mutex::default(),
            backing_up_log: Mutex::default(),
            cleaning: RwLock::default(),
            dropping: Mutex::default(),
            pending_after_rollback: Mutex::default(),
            returning: Returning::default(),
            ghosts: Mutex::default(),
            cleaner: taffrail_log::fair::Mutex::default(),
            listed: Mutex::default(),
            checkpointing: Mutex::default(),
            checkpoints_wanted: AtomicUsize::new(0),
            altering: Mutex::default(),
            ticking: Mutex::default(),
            background_errors: Mutex::default(),
            next_hobt: AtomicU64::new(boot.next_hobt),
            log_chain: Arc::new(AtomicU64::new(boot.log_chain.0)),
            saved_chain: Arc::new(AtomicU64::new(boot.log_chain.0)),
            chain_damaged: AtomicBool::new(false),
            log_backup_time: AtomicU64::new(boot.backup.last_log_backup.0),
            lob_fanout: AtomicUsize::new(crate::access::lob::FANOUT),
            counts: Mutex::default(),
            found_rows: Mutex::default(),
            recovering: Mutex::default(),
            unrecovered: AtomicBool::new(false),
            undo_waits: AtomicBool::new(false),
            undo_again_at: AtomicU64::new(0),
            stopping: AtomicBool::new(false),
            settle_at: AtomicU64::new(0),
            closed: AtomicBool::new(false),
            versions: DatabaseVersions::default(),
            part: OnceLock::new(),
            read_only: AtomicBool::new(boot.options.engine_flags & FLAG_READ_ONLY != 0),
            emergency: AtomicBool::new(false),
            engine_flags: AtomicU64::new(boot.options.engine_flags),
            pipeline: OnceLock::new(),
            boot: Mutex::new(boot),
        });
        let entry = Entry {
            root: crate::layout::DIRECTORY_ROOT,
            first_iam: crate::layout::DIRECTORY_IAM,
            ..Entry::new(HobtKind::BTree, ObjectId(DIRECTORY.0 as i32), IndexId(1))
        };
        let directory = Arc::new(Hobt::new(&db, DIRECTORY, &entry));
        let first = db.directory.set(directory.clone()).is_ok();
        debug_assert!(first);
        db.hobts.write().insert(DIRECTORY, directory);
        db
    }

    /// Its place among the databases that release commits before they are durable.
    pub(crate) fn pipeline(&self) -> &Arc<Pipeline> {
        let limits = self.instance.options.run_ahead;
        self.pipeline.get_or_init(|| self.instance.pipelines.add(self.id(), &self.store, limits))
    }

    /// The number of the database, `database_id`.
    pub fn id(&self) -> DatabaseId {
        self.store.id
    }

    /// The name of the database.
    pub fn name(&self) -> String {
        self.store.name()
    }

    /// ALTER DATABASE … MODIFY NAME: the engine's catalogue keeps it, this is for messages.
    pub fn set_name(&self, name: &str) {
        self.store.set_name(name);
    }

    /// The state of the database, `sys.databases.state`.
    pub fn state(&self) -> DatabaseState {
        match self.store.suspect_reason() {
            Some(reason) => DatabaseState::Suspect(reason.to_owned()),
            None if self.closed.load(Ordering::Acquire) => DatabaseState::Offline,
            None => DatabaseState::Online,
        }
    }

    /// Stops the database: nothing is written or acknowledged any more. The caller tells why.
    pub fn mark_suspect(&self, reason: &str) {
        self.store.give_up(reason.to_owned());
    }

    /// The parts of storage that databases share.
    pub fn instance(&self) -> &Arc<StorageInstance> {
        &self.instance
    }

    /// The counters of `SQLServer:Databases`.
    pub fn counters(&self) -> &Arc<DatabaseCounters> {
        &self.store.counters
    }

    /// Counts of rare things.
    pub fn rarities(&self) -> &Rarities {
        &self.store.rarities
    }

    /// How many references a node of a large value has that is written from now on.
    pub(crate) fn lob_fanout(&self) -> usize {
        self.lob_fanout.load(Ordering::Relaxed)
    }

    /// Fewer than there is room for, two at least, so that short values are high trees: for tests.
    pub fn set_lob_fanout(&self, references: usize) {
        self.lob_fanout.store(references.clamp(2, crate::lob::FANOUT), Ordering::Relaxed);
    }

    /// The transaction log of the database.
    pub fn log(&self) -> &Arc<Log> {
        self.store.log()
    }

    /// Whether the database is tempdb.
    pub fn is_temporary(&self) -> bool {
        self.store.temporary
    }

    /// Identity, from creation on.
    pub fn guid(&self) -> [u8; 16] {
        self.boot.lock().guid
    }

    /// When it was made.
    pub fn created(&self) -> UtcTime {
        self.boot.lock().created
    }

    /// Where the last checkpoint began.
    pub fn last_checkpoint(&self) -> LogPos {
        self.boot.lock().checkpoint
    }

    /// The transactions that have written and not ended.
    pub fn active_transactions(&self) -> Vec<Arc<TxnEntry>> {
        self.txns.entries()
    }

    /// Pages that were read since this was asked last, and are not what was written: for `msdb.dbo.suspect_pages`.
    pub fn take_suspect_pages(&self) -> Vec<crate::buffer::SuspectPage> {
        self.store.take_suspects()
    }

    /// Keeps others from taking checkpoints. One that is under way ends without pauses.
    pub(crate) fn lock_checkpoints(&self) -> MutexGuard<'_, ()> {
        self.checkpoints_wanted.fetch_add(1, Ordering::AcqRel);
        let guard = self.checkpointing.lock();
        self.checkpoints_wanted.fetch_sub(1, Ordering::AcqRel);
        guard
    }

    /// Somebody waits for the checkpoint that is under way.
    pub(crate) fn is_checkpoint_wanted(&self) -> bool {
        self.checkpoints_wanted.load(Ordering::Acquire) > 0
    }

    pub(crate) fn pool(&self) -> &BufferPool {
        &self.instance.pool
    }

    pub(crate) fn directory(&self) -> Arc<Hobt> {
        self.directory.get().expect("set when the database is assembled").clone()
    }

    /// The run-time handle of a heap or B+ tree; cheap, but keep it for a statement.
    pub fn hobt(self: &Arc<Self>, id: HobtId) -> StorageResult<Arc<Hobt>> {
        if let Some(hobt) = self.hobts.read().get(&id) {
            return Ok(hobt.clone());
        }
        let Some(mut entry) = directory::read(self, id)? else {
            return Err(StorageError::NoSuchHobt(id));
        };
        let mut hobts = self.hobts.write();
        let found = self.found_rows.lock().remove(&id);
        entry.rows = entry.rows.saturating_add_signed(found.unwrap_or(0));
        let hobt = hobts.entry(id).or_insert_with(|| Arc::new(Hobt::new(self, id, &entry)));
        if found.is_some() {
            hobt.counts_changed();
        }
        Ok(hobt.clone())
    }

    /// The directory's entry has changed by a rollback.
    pub(crate) fn refresh_hobt(self: &Arc<Self>, id: HobtId) -> StorageResult<()> {
        // What redo found was to be added to the entry as it was before. The one that is back says how many rows there are
        // as of now: what changed them since has been undone, and is known to nobody after this one is undone too.
        self.found_rows.lock().remove(&id);
        let known = self.hobts.read().get(&id).cloned();
        let Some(hobt) = known else { return Ok(()) };
        match directory::read(self, id)? {
            Some(entry) => hobt.reset(&entry),
            None => {
                self.hobts.write().remove(&id);
            }
        }
        Ok(())
    }

    /// Every heap and tree, system ones included.
    pub fn hobts(self: &Arc<Self>) -> StorageResult<Vec<HobtId>> {
        Ok(directory::entries(self)?.into_iter().map(|(id, _)| id).collect())
    }

    /// A handle, if it is in memory.
    pub(crate) fn known_hobt(&self, id: HobtId) -> Option<Arc<Hobt>> {
        self.hobts.read().get(&id).cloned()
    }

    /// The handles that are in memory, in order of their ids: a run on a seed must write the same log each time.
    pub(crate) fn known_hobts(&self) -> Vec<Arc<Hobt>> {
        let mut hobts: Vec<_> = self.hobts.read().values().cloned().collect();
        hobts.sort_unstable_by_key(|h| h.id());
        hobts
    }

    /// A new, empty heap or tree. Its first page is allocated by the first row.
    pub fn create_hobt(
        self: &Arc<Self>,
        tx: &mut Transaction,
        kind: HobtKind,
        object: ObjectId,
        index: IndexId,
    ) -> StorageResult<HobtId> {
        let id = HobtId(self.next_hobt.fetch_add(1, Ordering::Relaxed));
        let entry = Entry::new(kind, object, index);
        let made = Hobt::new(self, id, &entry);
        tx.parts().1.note_whole(&made, Mark::Remade)?;
        directory::insert(self, tx.parts().1, id, &entry)?;
        Ok(id)
    }

    /// Space is given back after commit. The caller holds Sch-M on the object.
    pub fn drop_hobt(self: &Arc<Self>, tx: &mut Transaction, id: HobtId) -> StorageResult<()> {
        let entry = self.note_rows(tx, id)?;
        directory::remove(self, tx.parts().1, id)?;
        self.release_extents(tx, &entry)?;
        self.hobts.write().remove(&id);
        Ok(())
    }

    /// Empties it; space is given back after commit. The caller holds Sch-M on the object.
    pub fn truncate_hobt(self: &Arc<Self>, tx: &mut Transaction, id: HobtId) -> StorageResult<()> {
        let entry = self.note_rows(tx, id)?;
        if entry.root.is_none() {
            return Ok(());
        }
        let hobt = self.hobt(id)?;
        tx.parts().1.note_whole(&hobt, Mark::Remade)?;
        let mut empty = entry.clone();
        {
            let _counts = self.counts.lock();
            directory::update(self, tx.parts().1, id, |e| {
                e.root = PageId::NONE;
                e.first_iam = PageId::NONE;
                (e.rows, e.counted_at) = (0, 0);
                empty = e.clone();
            })?;
            hobt.reset(&empty);
        }
        self.release_extents(tx, &entry)
    }

    /// Brings the row count in the directory up to date, on its own account: so that a rollback finds it.
    fn note_rows(self: &Arc<Self>, tx: &mut Transaction, id: HobtId) -> StorageResult<Entry> {
        if id.0 <= DIRECTORY.0 {
            return Err(StorageError::Misuse("a system tree is neither dropped nor truncated"));
        }
        let rows = self.hobt(id)?.row_count();
        let mut sys = tx.parts().1.nested("CountDelta");
        let at = self.log().appended().0;
        let mut found = None;
        let noted = directory::update_count(self, &mut sys, id, |e| {
            e.rows = rows;
            e.counted_at = at;
            found = Some(e.clone());
        });
        match (noted, found) {
            (Ok(()), Some(entry)) => {
                sys.commit_system()?;
                Ok(entry)
            }
            (result, _) => {
                self.abort_system(sys, Vec::new());
                result?;
                Err(StorageError::RowNotFound)
            }
        }
    }

    fn release_extents(self: &Arc<Self>, tx: &mut Transaction, entry: &Entry) -> StorageResult<()> {
        if entry.first_iam.is_none() {
            return Ok(());
        }
        directory::add_pending(self, tx.parts().1, entry.first_iam)?;
        tx.after_commit(Pending::Extents(entry.first_iam));
        Ok(())
    }

    /// Frees what rollbacks have left without an owner and what could not be freed earlier. What cannot be freed now is tried again
    /// by the background tick, and at restart.
    pub(crate) fn free_orphans(self: &Arc<Self>) {
        if self.part.get().is_some() {
            return;
        }
        if !self.pending_after_rollback.lock().is_empty() {
            let _giving_back = self.giving_back();
            let freed = directory::free_all_pending(self);
            self.note_background(Background::DeferredDrop, &freed);
        }
    }

    /// ALTER DATABASE … MODIFY FILE (SIZE) of a data file. Durable on return: the boot page hardens what it says.
    pub fn grow_data_file(self: &Arc<Self>, file: FileId, to_bytes: u64) -> StorageResult<()> {
        let Some(file) = self.store.file(file) else {
            return Err(StorageError::Misuse("there is no data file with this id"));
        };
        let mut work = Work::system(self, "GrowFile");
        let from = u64::from(file.pages.load(Ordering::Acquire)) * PAGE_BYTES as u64;
        let started = taffrail_observe::Moment::now();
        match self.grow_file(&mut work, &file, to_bytes) {
            Ok(()) if work.has_begun() => {
                work.commit_system()?;
                self.tell_growth(&file, from, false, started);
                self.save_boot(|_| {})
            }
            Ok(()) => Ok(()),
            Err(e) => {
                self.abort_system(work, Vec::new());
                Err(match e {
                    StorageError::Io(io) if self.is_refusal(&io) => {
                        let (why, path) = (io.source.system_error(), io.source.path.display());
                        StorageError::Sql(SqlError::new(5149, &[&why, &path]).with_state(3))
                    }
                    e => e,
                })
            }
        }
    }

    /// ALTER DATABASE … MODIFY FILE (NAME, FILEGROWTH, MAXSIZE) of a data file.
    pub fn alter_data_file(
        self: &Arc<Self>,
        file: FileId,
        name: Option<&str>,
        growth: Option<Growth>,
        max_size: Option<Option<u64>>,
    ) -> StorageResult<()> {
        let Some(file) = self.store.file(file) else {
            return Err(StorageError::Misuse("there is no data file with this id"));
        };
        let mut new = file.settings.lock().clone();
        if let Some(name) = name {
            new.name = name.to_owned();
        }
        new.growth = growth.unwrap_or(new.growth);
        new.max_size = max_size.unwrap_or(new.max_size);
        self.change_file_row(file.id, |row| {
            row.name.clone_from(&new.name);
            (row.growth, row.max_size) = (new.growth, new.max_size);
        })?;
        *file.settings.lock() = new;
        Ok(())
    }

    /// The logical name of a log file. Its size, growth and limit are altered through [`Database::log`].
    pub fn rename_log_file(self: &Arc<Self>, file: FileId, name: &str) -> StorageResult<()> {
        self.change_file_row(file, |row| row.name = name.to_owned())?;
        self.name_log_files();
        Ok(())
    }

    /// Options as they are.
    pub fn options(&self) -> DatabaseOptions {
        self.boot.lock().options.clone()
    }

    /// The engine's flags: [`DatabaseOptions::engine_flags`].
    #[inline]
    pub fn engine_flags(&self) -> u64 {
        self.engine_flags.load(Ordering::Acquire)
    }

    /// `SET READ_ONLY`: no session's transaction changes anything.
    #[inline]
    pub fn is_read_only(&self) -> bool {
        self.read_only.load(Ordering::Acquire)
    }

    /// From now on no session's transaction begins to change anything, or may again. What had begun goes on: see
    /// [`Database::is_being_changed`]. It is [`Database::set_options`] that makes it last.
    pub fn refuse_changes(&self, refuse: bool) {
        self.read_only.store(refuse, Ordering::Release);
    }

    /// A session's transaction has changed something, or is about to, and has not ended.
    pub fn is_being_changed(&self) -> bool {
        self.txns.entries().iter().any(|t| !t.system && t.session != taffrail_base::SessionId(0))
    }

    /// Changes options: `change` gets those of now, and nobody else's change comes between. Durable on return, and what they are then;
    /// the inner error is `change`'s, and nothing is changed.
    pub fn change_options<E>(
        &self,
        change: impl FnOnce(&mut DatabaseOptions) -> Result<(), E>,
    ) -> StorageResult<Result<DatabaseOptions, E>> {
        let _one = self.altering.lock();
        let mut options = self.options();
        match change(&mut options) {
            Ok(()) => self.save_options(&options).map(|()| Ok(options)),
            Err(e) => Ok(Err(e)),
        }
    }

    /// Changes all options, whatever they are. Durable on return.
    pub fn set_options(&self, options: &DatabaseOptions) -> StorageResult<()> {
        let _one = self.altering.lock();
        self.save_options(options)
    }

    /// The caller holds `altering`.
    fn save_options(&self, options: &DatabaseOptions) -> StorageResult<()> {
        self.refuse_in_emergency()?;
        // A transaction that logs less does so by the model it has begun under: it ends first.
        let model = self.options().recovery_model;
        let _hold = match options.recovery_model == model {
            true => None,
            false => self.hold_bulk(&|| self.store.check().is_err()),
        };
        if options.recovery_model == RecoveryModel::Simple {
            // The log chain is broken; the next full backup begins another.
            self.log_chain.store(0, Ordering::Release);
        }
        self.save_boot(|boot| boot.options = options.clone())?;
        self.read_only.store(options.engine_flags & FLAG_READ_ONLY != 0, Ordering::Release);
        self.engine_flags.store(options.engine_flags, Ordering::Release);
        let (initialization, algorithm) = self.instance.options.log.growth_rules(options);
        self.log().set_growth_rules(initialization, algorithm);
        Ok(())
    }

    /// Makes all delayed commits durable: `sys.sp_flush_log`.
    pub fn flush_log(&self) -> StorageResult<()> {
        self.log().flush(FlushReason::Request).map_err(|e| self.store.log_error(e))
    }
}
