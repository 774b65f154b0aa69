//! Options with which a log is created or opened.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use taffrail_base::DatabaseId;
use taffrail_observe::DatabaseCounters;

use crate::pieces::Pieces;

/// Which rule says how many VLFs a growth makes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum VlfAlgorithm {
    /// Up to SQL Server 2012.
    V2012,
    /// SQL Server 2014 to 2019.
    V2014,
    /// The rule of SQL Server 2022.
    #[default]
    V2022,
}

impl VlfAlgorithm {
    /// From its number in order; what is unknown is the default.
    pub const fn from_u8(n: u8) -> VlfAlgorithm {
        match n {
            0 => VlfAlgorithm::V2012,
            1 => VlfAlgorithm::V2014,
            _ => VlfAlgorithm::V2022,
        }
    }

    /// As settings spell it.
    pub const fn name(self) -> &'static str {
        match self {
            VlfAlgorithm::V2012 => "2012",
            VlfAlgorithm::V2014 => "2014",
            VlfAlgorithm::V2022 => "2022",
        }
    }

    /// The rule of a setting's value.
    pub fn from_name(name: &str) -> Option<VlfAlgorithm> {
        [VlfAlgorithm::V2012, VlfAlgorithm::V2014, VlfAlgorithm::V2022]
            .into_iter()
            .find(|a| a.name() == name)
    }
}

/// `FILEGROWTH` of a log file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Growth {
    /// The file does not grow.
    None,
    /// By so many bytes.
    Bytes(u64),
    /// By so many percent of its size.
    Percent(u32),
}

/// How new parts of log files are initialised.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(u8)]
pub enum Initialization {
    /// Zeroed before use; who needs the space waits. SQL Server up to 2019.
    Zero = 0,
    /// Zeroed before use as with ZERO, but automatic growths of up to 64 MB are only reserved. SQL Server 2022.
    Sql2022 = 1,
    /// Only reserved; a background writer zeroes ahead of the head, and grows before the log is full.
    #[default]
    Ahead = 2,
}

impl Initialization {
    /// From its number; what is unknown is the default.
    pub const fn from_u8(n: u8) -> Initialization {
        match n {
            0 => Initialization::Zero,
            1 => Initialization::Sql2022,
            _ => Initialization::Ahead,
        }
    }

    /// As settings spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Initialization::Zero => "zero",
            Initialization::Sql2022 => "sql2022",
            Initialization::Ahead => "ahead",
        }
    }

    /// The way of a setting's value.
    pub fn from_name(name: &str) -> Option<Initialization> {
        [Initialization::Zero, Initialization::Sql2022, Initialization::Ahead]
            .into_iter()
            .find(|i| i.name().eq_ignore_ascii_case(name))
    }
}

/// The largest size of a log file, and `MAXSIZE` of one that has none given: 2 TB.
pub const LOG_FILE_BYTES_MAX: u64 = 2 << 40;
/// The smallest size of a log file, bytes.
pub const MIN_SIZE: u64 = 512 << 10;

/// A log file to be created.
#[derive(Clone, Debug)]
pub struct LogFileSpec {
    /// The owner's number for the file, which finds it when it has moved; 0: none yet.
    pub id: u16,
    /// The path of the file.
    pub path: PathBuf,
    /// How large at first, bytes; at least 512 KB.
    pub size: u64,
    /// The amount by which it grows.
    pub growth: Growth,
    /// How large it may become.
    pub max_size: u64,
}

impl LogFileSpec {
    /// A file of the usual kind: grows by 64 MB, up to 2 TB.
    pub fn new(path: impl Into<PathBuf>, size: u64) -> LogFileSpec {
        LogFileSpec {
            id: 0,
            path: path.into(),
            size,
            growth: Growth::Bytes(64 << 20),
            max_size: LOG_FILE_BYTES_MAX,
        }
    }
}

/// Settings of a log, besides its files.
#[derive(Clone, Debug)]
pub struct LogOptions {
    /// Whose log it is; only for events.
    pub database: DatabaseId,
    /// How many VLFs a growth makes.
    pub vlf_algorithm: VlfAlgorithm,
    /// How new parts of the files are initialised.
    pub initialization: Initialization,
    /// The log's sector, creation only. `None`: the device's physical sector.
    pub sector: Option<u32>,
    /// The sequence number of the first VLF, creation only: model's last + 1.
    pub first_vlf: u32,
    /// How long a delayed durable commit may stay in memory before its block is written.
    pub delayed_window: Duration,
    /// Durable writes in flight at most.
    pub flushes_in_flight: usize,
    /// Compensation records of at least so many bytes lie between two flushes that others force during a rollback.
    /// See [`Log::is_tight`](crate::Log::is_tight).
    pub forced_flush_distance: u64,
    /// Full blocks are written plainly also where the log was written before, not only in extents that never were.
    pub always_plain: bool,
    /// Log buffers of 60 KiB at most.
    pub buffers: usize,
    /// Counters to add to.
    pub counters: Arc<DatabaseCounters>,
    /// Memory for what is read of the files for single records.
    pub pieces: Arc<Pieces>,
}

impl Default for LogOptions {
    fn default() -> Self {
        LogOptions {
            database: DatabaseId(0),
            vlf_algorithm: VlfAlgorithm::V2022,
            initialization: Initialization::Ahead,
            sector: None,
            first_vlf: 34,
            delayed_window: Duration::from_millis(8),
            flushes_in_flight: 4,
            forced_flush_distance: 64 << 10,
            always_plain: false,
            buffers: 128,
            counters: Arc::default(),
            pieces: Arc::new(Pieces::new(4 << 20)),
        }
    }
}
