//! Totals of the process that belong to no database and no session: `@@PACK_RECEIVED` and its kind.

use crate::Counter;

/// Packets of the network that were read: `@@PACK_RECEIVED`.
pub static PACKETS_RECEIVED: Counter = Counter::new();
/// Packets that were sent: `@@PACK_SENT`.
pub static PACKETS_SENT: Counter = Counter::new();
/// Connections that broke while something was read from them or sent: `@@PACKET_ERRORS`.
pub static PACKET_ERRORS: Counter = Counter::new();
/// Reads and writes of files that failed: `@@TOTAL_ERRORS`.
pub static FILE_ERRORS: Counter = Counter::new();
