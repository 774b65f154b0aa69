//! The procedures that a remote call may name by a number (`ProcID` of [MS-TDS]). Of the fifteen those are here that run texts;
//! the others are of cursors.

/// The number of `sp_executesql`.
pub const SP_EXECUTESQL: u16 = 10;
/// The number of `sp_prepare`.
pub const SP_PREPARE: u16 = 11;
/// The number of `sp_execute`.
pub const SP_EXECUTE: u16 = 12;
/// The number of `sp_prepexec`.
pub const SP_PREPEXEC: u16 = 13;
/// The number of `sp_unprepare`.
pub const SP_UNPREPARE: u16 = 15;
