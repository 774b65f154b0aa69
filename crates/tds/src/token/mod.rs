//! Tokens: what a server's answer is made of.
//!
//! ```text
//!   0x81 COLMETADATA   0xD1 ROW   0xD2 NBCROW   0xFD DONE   0xFE DONEPROC   0xFF DONEINPROC
//!   0xAA ERROR   0xAB INFO   0xE3 ENVCHANGE   0xAD LOGINACK   0xAE FEATUREEXTACK
//!   0x79 RETURNSTATUS   0xAC RETURNVALUE   0xA9 ORDER
//! ```
//!
//! [`encode`] and [`row`] write them, [`decode`] reads them.

pub mod decode;
pub mod encode;
pub mod row;
#[cfg(test)]
mod tests;

pub use decode::{Column, Token, TokenReader};
pub use encode::{ColumnSpec, DoneToken, EnvChange, MessageToken};
pub use row::RowEncoder;

#[allow(missing_docs)]
pub(crate) mod kind {
    pub const RETURNSTATUS: u8 = 0x79;
    pub const COLMETADATA: u8 = 0x81;
    pub const TABNAME: u8 = 0xA4;
    pub const COLINFO: u8 = 0xA5;
    pub const ORDER: u8 = 0xA9;
    pub const ERROR: u8 = 0xAA;
    pub const INFO: u8 = 0xAB;
    pub const RETURNVALUE: u8 = 0xAC;
    pub const LOGINACK: u8 = 0xAD;
    pub const FEATUREEXTACK: u8 = 0xAE;
    pub const ROW: u8 = 0xD1;
    pub const NBCROW: u8 = 0xD2;
    pub const ENVCHANGE: u8 = 0xE3;
    pub const SESSIONSTATE: u8 = 0xE4;
    pub const SSPI: u8 = 0xED;
    pub const DONE: u8 = 0xFD;
    pub const DONEPROC: u8 = 0xFE;
    pub const DONEINPROC: u8 = 0xFF;
}

/// DONE status: another result follows.
pub const DONE_MORE: u16 = 0x01;
/// DONE status: the statement failed.
pub const DONE_ERROR: u16 = 0x02;
/// DONE status: the row count is valid.
pub const DONE_COUNT: u16 = 0x10;
/// DONE status: acknowledges an attention.
pub const DONE_ATTENTION: u16 = 0x20;
/// DONE status: ends a call of a message that holds another one.
pub const DONE_RPC_IN_BATCH: u16 = 0x80;
/// DONE status: severe error, the result is to be thrown away.
pub const DONE_SERVER_ERROR: u16 = 0x100;

/// Which of the three DONE tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum DoneKind {
    /// A statement of a batch.
    Statement = kind::DONE,
    /// A procedure called by RPC.
    Procedure = kind::DONEPROC,
    /// A statement in a procedure.
    InProcedure = kind::DONEINPROC,
}
