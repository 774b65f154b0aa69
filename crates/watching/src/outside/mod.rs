//! What looks at an instance, or at the files of one that nobody runs, from outside: each for one user beside the server's sessions.
//!
//! * [`logfile`]: `taffrail log`. [`metrics`]: the figures of /metrics. [`rows`]: what the fuzz targets and tests of rows name.

pub mod logfile;
pub mod metrics;

/// Rows as bytes, for who makes bytes that may be rows.
pub mod rows {
    pub use crate::rowcodec::{Lobs, NoLobs, RowLayout, VersionTag, key, typecode, version};
}
