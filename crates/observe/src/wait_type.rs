//! SQL Server's wait types: those that this engine counts, and those that scripts name in their filters, at zero.

macro_rules! wait_types {
    ($($variant:ident = $name:literal,)+) => {
        /// A wait type of `sys.dm_os_wait_stats`.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u16)]
        pub enum WaitType {
            $(#[doc = $name] $variant,)+
        }

        impl WaitType {
            /// Every wait type, in the order of their numbers.
            pub const ALL: &'static [WaitType] = &[$(WaitType::$variant,)+];

            const NAMES: &'static [&'static str] = &[$($name,)+];
        }
    };
}

wait_types! {
    // The log.
    WriteLog = "WRITELOG",
    LogBuffer = "LOGBUFFER",
    LogMgr = "LOGMGR",
    LogMgrFlush = "LOGMGR_FLUSH",
    LogMgrPmmLog = "LOGMGR_PMM_LOG",
    LogMgrQueue = "LOGMGR_QUEUE",
    LogMgrReserveAppend = "LOGMGR_RESERVE_APPEND",
    LogRateGovernor = "LOG_RATE_GOVERNOR",
    LogPoolCacheSize = "LOGPOOL_CACHESIZE",
    LogPoolConsumer = "LOGPOOL_CONSUMER",
    LogPoolConsumerSet = "LOGPOOL_CONSUMERSET",
    LogPoolFreePools = "LOGPOOL_FREEPOOLS",
    LogPoolMgrSet = "LOGPOOL_MGRSET",
    LogPoolReplacementSet = "LOGPOOL_REPLACEMENTSET",
    LogPoolScan = "LOG_POOL_SCAN",
    PwaitDirectLogConsumerGetNext = "PWAIT_DIRECTLOGCONSUMER_GETNEXT",
    PreemptiveOsWriteFileGather = "PREEMPTIVE_OS_WRITEFILEGATHER",
    PreemptiveOsWriteFile = "PREEMPTIVE_OS_WRITEFILE",
    PreemptiveOsFlushFileBuffers = "PREEMPTIVE_OS_FLUSHFILEBUFFERS",
    PreemptiveOsCreateFile = "PREEMPTIVE_OS_CREATEFILE",
    PreemptiveOsDeleteFile = "PREEMPTIVE_OS_DELETEFILE",
    PreemptiveOsFileOps = "PREEMPTIVE_OS_FILEOPS",
    PreemptiveOsGetDiskFreeSpace = "PREEMPTIVE_OS_GETDISKFREESPACE",
    PreemptiveOsSetEndOfFile = "PREEMPTIVE_OS_SETENDOFFILE",
    PreemptiveOsSetFileValidData = "PREEMPTIVE_OS_SETFILEVALIDDATA",
    PreemptiveOsAuthenticationOps = "PREEMPTIVE_OS_AUTHENTICATIONOPS",
    PreemptiveOsComOps = "PREEMPTIVE_OS_COMOPS",
    PreemptiveOsCryptOps = "PREEMPTIVE_OS_CRYPTOPS",
    PreemptiveOsDeviceOps = "PREEMPTIVE_OS_DEVICEOPS",
    PreemptiveOsGenericOps = "PREEMPTIVE_OS_GENERICOPS",
    PreemptiveOsLibraryOps = "PREEMPTIVE_OS_LIBRARYOPS",
    PreemptiveOsPipeOps = "PREEMPTIVE_OS_PIPEOPS",
    PreemptiveOsVerifyTrust = "PREEMPTIVE_OS_VERIFYTRUST",
    PreemptiveResizeLog = "PREEMPTIVE_RESIZELOG",

    // Checkpoints and the buffer pool.
    Chkpt = "CHKPT",
    CheckpointQueue = "CHECKPOINT_QUEUE",
    DirtyPagePoll = "DIRTY_PAGE_POLL",
    LazyWriterSleep = "LAZYWRITER_SLEEP",
    SleepBpoolFlush = "SLEEP_BPOOL_FLUSH",
    PageIoLatchNl = "PAGEIOLATCH_NL",
    PageIoLatchKp = "PAGEIOLATCH_KP",
    PageIoLatchSh = "PAGEIOLATCH_SH",
    PageIoLatchUp = "PAGEIOLATCH_UP",
    PageIoLatchEx = "PAGEIOLATCH_EX",
    PageIoLatchDt = "PAGEIOLATCH_DT",
    PageLatchNl = "PAGELATCH_NL",
    PageLatchKp = "PAGELATCH_KP",
    PageLatchSh = "PAGELATCH_SH",
    PageLatchUp = "PAGELATCH_UP",
    PageLatchEx = "PAGELATCH_EX",
    PageLatchDt = "PAGELATCH_DT",
    LatchNl = "LATCH_NL",
    LatchKp = "LATCH_KP",
    LatchSh = "LATCH_SH",
    LatchUp = "LATCH_UP",
    LatchEx = "LATCH_EX",
    LatchDt = "LATCH_DT",
    IoCompletion = "IO_COMPLETION",
    AsyncIoCompletion = "ASYNC_IO_COMPLETION",
    IoQueueLimit = "IO_QUEUE_LIMIT",
    IoRetry = "IO_RETRY",
    WriteCompletion = "WRITE_COMPLETION",
    BackupIo = "BACKUPIO",
    BackupBuffer = "BACKUPBUFFER",
    BackupThread = "BACKUPTHREAD",

    // Locks.
    LckMSchS = "LCK_M_SCH_S",
    LckMSchM = "LCK_M_SCH_M",
    LckMS = "LCK_M_S",
    LckMU = "LCK_M_U",
    LckMX = "LCK_M_X",
    LckMIS = "LCK_M_IS",
    LckMIU = "LCK_M_IU",
    LckMIX = "LCK_M_IX",
    LckMSIU = "LCK_M_SIU",
    LckMSIX = "LCK_M_SIX",
    LckMUIX = "LCK_M_UIX",
    LckMBU = "LCK_M_BU",
    LckMRsS = "LCK_M_RS_S",
    LckMRsU = "LCK_M_RS_U",
    LckMRInNL = "LCK_M_RIn_NL",
    LckMRInS = "LCK_M_RIn_S",
    LckMRInU = "LCK_M_RIn_U",
    LckMRInX = "LCK_M_RIn_X",
    LckMRxS = "LCK_M_RX_S",
    LckMRxU = "LCK_M_RX_U",
    LckMRxX = "LCK_M_RX_X",
    LckMSchMLowPriority = "LCK_M_SCH_M_LOW_PRIORITY",
    LckMSLowPriority = "LCK_M_S_LOW_PRIORITY",
    LckMSchMAbortBlockers = "LCK_M_SCH_M_ABORT_BLOCKERS",
    LckMSAbortBlockers = "LCK_M_S_ABORT_BLOCKERS",
    RequestForDeadlockSearch = "REQUEST_FOR_DEADLOCK_SEARCH",
    TransactionMutex = "TRANSACTION_MUTEX",

    // Sessions and the scheduler.
    AsyncNetworkIo = "ASYNC_NETWORK_IO",
    Waitfor = "WAITFOR",
    WaitforTaskShutdown = "WAITFOR_TASKSHUTDOWN",
    ThreadPool = "THREADPOOL",
    ResourceSemaphore = "RESOURCE_SEMAPHORE",
    ResourceSemaphoreQueryCompile = "RESOURCE_SEMAPHORE_QUERY_COMPILE",
    SosSchedulerYield = "SOS_SCHEDULER_YIELD",
    SosWorkDispatcher = "SOS_WORK_DISPATCHER",
    SessionWaitStatsChildren = "SESSION_WAIT_STATS_CHILDREN",
    CxPacket = "CXPACKET",
    CxConsumer = "CXCONSUMER",
    ExecSync = "EXECSYNC",
    MsqlDq = "MSQL_DQ",
    OleDb = "OLEDB",
    MemoryAllocationExt = "MEMORY_ALLOCATION_EXT",
    ReservedMemoryAllocationExt = "RESERVED_MEMORY_ALLOCATION_EXT",
    CmemThread = "CMEMTHREAD",

    // Background threads at rest, and the rest of the names in the ignore lists of common scripts.
    SleepTask = "SLEEP_TASK",
    SleepSystemTask = "SLEEP_SYSTEMTASK",
    SleepDbStartup = "SLEEP_DBSTARTUP",
    SleepDcomStartup = "SLEEP_DCOMSTARTUP",
    SleepMasterDbReady = "SLEEP_MASTERDBREADY",
    SleepMasterMdReady = "SLEEP_MASTERMDREADY",
    SleepMasterUpgraded = "SLEEP_MASTERUPGRADED",
    SleepMsdbStartup = "SLEEP_MSDBSTARTUP",
    SleepTempdbStartup = "SLEEP_TEMPDBSTARTUP",
    ServerIdleCheck = "SERVER_IDLE_CHECK",
    OnDemandTaskQueue = "ONDEMAND_TASK_QUEUE",
    ResourceQueue = "RESOURCE_QUEUE",
    KsourceWakeup = "KSOURCE_WAKEUP",
    DispatcherQueueSemaphore = "DISPATCHER_QUEUE_SEMAPHORE",
    FsAgent = "FSAGENT",
    FtIftsSchedulerIdleWait = "FT_IFTS_SCHEDULER_IDLE_WAIT",
    FtIftshcMutex = "FT_IFTSHC_MUTEX",
    FtIftsismMutex = "FT_IFTSISM_MUTEX",
    BrokerEventHandler = "BROKER_EVENTHANDLER",
    BrokerReceiveWaitfor = "BROKER_RECEIVE_WAITFOR",
    BrokerTaskStop = "BROKER_TASK_STOP",
    BrokerToFlush = "BROKER_TO_FLUSH",
    BrokerTransmitter = "BROKER_TRANSMITTER",
    ClrAutoEvent = "CLR_AUTO_EVENT",
    ClrManualEvent = "CLR_MANUAL_EVENT",
    ClrSemaphore = "CLR_SEMAPHORE",
    DbMirrorDbmEvent = "DBMIRROR_DBM_EVENT",
    DbMirrorDbmMutex = "DBMIRROR_DBM_MUTEX",
    DbMirrorEventsQueue = "DBMIRROR_EVENTS_QUEUE",
    DbMirrorWorkerQueue = "DBMIRROR_WORKER_QUEUE",
    DbMirroringCmd = "DBMIRRORING_CMD",
    HadrClusApiCall = "HADR_CLUSAPI_CALL",
    HadrFabricCallback = "HADR_FABRIC_CALLBACK",
    HadrFilestreamIomgrIoCompletion = "HADR_FILESTREAM_IOMGR_IOCOMPLETION",
    HadrLogCaptureWait = "HADR_LOGCAPTURE_WAIT",
    HadrNotificationDequeue = "HADR_NOTIFICATION_DEQUEUE",
    HadrSyncCommit = "HADR_SYNC_COMMIT",
    HadrTimerTask = "HADR_TIMER_TASK",
    HadrWorkQueue = "HADR_WORK_QUEUE",
    HadrThrottleLogRateGovernor = "HADR_THROTTLE_LOG_RATE_GOVERNOR",
    InstanceLogRateGovernor = "INSTANCE_LOG_RATE_GOVERNOR",
    PoolLogRateGovernor = "POOL_LOG_RATE_GOVERNOR",
    ParallelRedoDrainWorker = "PARALLEL_REDO_DRAIN_WORKER",
    ParallelRedoLogCache = "PARALLEL_REDO_LOG_CACHE",
    ParallelRedoTranList = "PARALLEL_REDO_TRAN_LIST",
    ParallelRedoTranTurn = "PARALLEL_REDO_TRAN_TURN",
    ParallelRedoWorkerSync = "PARALLEL_REDO_WORKER_SYNC",
    ParallelRedoWorkerWaitWork = "PARALLEL_REDO_WORKER_WAIT_WORK",
    RedoThreadPendingWork = "REDO_THREAD_PENDING_WORK",
    PopulateLockOrdinals = "POPULATE_LOCK_ORDINALS",
    PreemptiveHadrLeaseMechanism = "PREEMPTIVE_HADR_LEASE_MECHANISM",
    PreemptiveSpServerDiagnostics = "PREEMPTIVE_SP_SERVER_DIAGNOSTICS",
    PreemptiveXeCallbackExecute = "PREEMPTIVE_XE_CALLBACKEXECUTE",
    PreemptiveXeDispatcher = "PREEMPTIVE_XE_DISPATCHER",
    PreemptiveXeGetTargetState = "PREEMPTIVE_XE_GETTARGETSTATE",
    PreemptiveXeSessionCommit = "PREEMPTIVE_XE_SESSIONCOMMIT",
    PreemptiveXeTargetInit = "PREEMPTIVE_XE_TARGETINIT",
    PreemptiveXeTargetFinalize = "PREEMPTIVE_XE_TARGETFINALIZE",
    PvsPreallocate = "PVS_PREALLOCATE",
    PwaitAllComponentsInitialized = "PWAIT_ALL_COMPONENTS_INITIALIZED",
    PwaitExtensibilityCleanupTask = "PWAIT_EXTENSIBILITY_CLEANUP_TASK",
    QdsAsyncQueue = "QDS_ASYNC_QUEUE",
    QdsCleanupStaleQueries = "QDS_CLEANUP_STALE_QUERIES_TASK_MAIN_LOOP_SLEEP",
    QdsPersistTask = "QDS_PERSIST_TASK_MAIN_LOOP_SLEEP",
    QdsShutdownQueue = "QDS_SHUTDOWN_QUEUE",
    SniHttpAccept = "SNI_HTTP_ACCEPT",
    SpServerDiagnosticsSleep = "SP_SERVER_DIAGNOSTICS_SLEEP",
    SqlTraceBufferFlush = "SQLTRACE_BUFFER_FLUSH",
    SqlTraceIncrementalFlushSleep = "SQLTRACE_INCREMENTAL_FLUSH_SLEEP",
    SqlTraceWaitEntries = "SQLTRACE_WAIT_ENTRIES",
    UcsSessionRegistration = "UCS_SESSION_REGISTRATION",
    VdiClientOther = "VDI_CLIENT_OTHER",
    WaitForResults = "WAIT_FOR_RESULTS",
    WaitXtpHostWait = "WAIT_XTP_HOST_WAIT",
    WaitXtpOfflineCkptNewLog = "WAIT_XTP_OFFLINE_CKPT_NEW_LOG",
    WaitXtpCkptClose = "WAIT_XTP_CKPT_CLOSE",
    XeBufferMgrAllProcessedEvent = "XE_BUFFERMGR_ALLPROCESSED_EVENT",
    XeDispatcherJoin = "XE_DISPATCHER_JOIN",
    XeDispatcherWait = "XE_DISPATCHER_WAIT",
    XeLiveTargetTvf = "XE_LIVE_TARGET_TVF",
    XeTimerEvent = "XE_TIMER_EVENT",
}

/// The classes of the counter object `SQLServer:Wait Statistics`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum WaitClass {
    /// Waits for locks, `LCK_M_*`.
    Lock,
    /// Waits for room in the log cache, `LOGBUFFER`.
    LogBuffer,
    /// Waits for a flush of the log, `WRITELOG`.
    LogWrite,
    /// Waits for a grant of memory, `RESOURCE_SEMAPHORE*`.
    MemoryGrantQueue,
    /// Waits for a client to read its results, `ASYNC_NETWORK_IO`.
    NetworkIo,
    /// Waits for latches other than of pages, `LATCH_*`.
    NonPageLatch,
    /// Waits for pages that are read or written, `PAGEIOLATCH_*`.
    PageIoLatch,
    /// Waits for latches of pages in memory, `PAGELATCH_*`.
    PageLatch,
    /// Waits for shared memory objects, `CMEMTHREAD`.
    ThreadSafeMemoryObjects,
    /// Waits for a transaction that another request uses, `TRANSACTION_MUTEX`.
    TransactionOwnership,
    /// Waits for a free worker, `THREADPOOL`.
    WaitForWorker,
    /// A class that no wait type of this server belongs to.
    WorkspaceSynchronization,
}

impl WaitClass {
    /// The classes in the order in which the counter object lists them.
    pub const ALL: [(WaitClass, &'static str); 12] = [
        (WaitClass::Lock, "Lock waits"),
        (WaitClass::LogBuffer, "Log buffer waits"),
        (WaitClass::LogWrite, "Log write waits"),
        (WaitClass::MemoryGrantQueue, "Memory grant queue waits"),
        (WaitClass::NetworkIo, "Network IO waits"),
        (WaitClass::NonPageLatch, "Non-Page latch waits"),
        (WaitClass::PageIoLatch, "Page IO latch waits"),
        (WaitClass::PageLatch, "Page latch waits"),
        (WaitClass::ThreadSafeMemoryObjects, "Thread-safe memory objects waits"),
        (WaitClass::TransactionOwnership, "Transaction ownership waits"),
        (WaitClass::WaitForWorker, "Wait for the worker"),
        (WaitClass::WorkspaceSynchronization, "Workspace synchronization waits"),
    ];
}

impl WaitType {
    /// How many there are.
    pub const COUNT: usize = WaitType::ALL.len();

    /// The wait type's name in SQL Server.
    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The inverse of `self as u16`.
    pub fn from_number(n: u16) -> Option<WaitType> {
        Self::ALL.get(n as usize).copied()
    }

    /// The class under which `SQLServer:Wait Statistics` counts it.
    pub fn class(self) -> Option<WaitClass> {
        let name = self.name();
        Some(match self {
            WaitType::WriteLog => WaitClass::LogWrite,
            WaitType::LogBuffer => WaitClass::LogBuffer,
            WaitType::AsyncNetworkIo => WaitClass::NetworkIo,
            WaitType::ThreadPool => WaitClass::WaitForWorker,
            WaitType::CmemThread => WaitClass::ThreadSafeMemoryObjects,
            WaitType::TransactionMutex => WaitClass::TransactionOwnership,
            _ if name.starts_with("LCK_M_") => WaitClass::Lock,
            _ if name.starts_with("LATCH_") => WaitClass::NonPageLatch,
            _ if name.starts_with("PAGELATCH_") => WaitClass::PageLatch,
            _ if name.starts_with("PAGEIOLATCH_") => WaitClass::PageIoLatch,
            _ if name.starts_with("RESOURCE_SEMAPHORE") => WaitClass::MemoryGrantQueue,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique_and_fit_their_column() {
        let names: HashSet<String> =
            WaitType::ALL.iter().map(|w| w.name().to_ascii_uppercase()).collect();
        assert_eq!(names.len(), WaitType::COUNT);
        assert!(names.iter().all(|n| n.len() <= 60));
        for (i, w) in WaitType::ALL.iter().enumerate() {
            assert_eq!(WaitType::from_number(i as u16), Some(*w));
        }
        assert_eq!(WaitType::LckMX.class(), Some(WaitClass::Lock));
        assert_eq!(WaitType::SleepTask.class(), None);
    }
}
