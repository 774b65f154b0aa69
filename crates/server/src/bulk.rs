//! The rows of a bulk load, from the socket to the engine: decoded as they arrive, never the whole message at once.
//!
//! The engine pulls. While it waits for a lock or writes, nothing is read, and the client's sends block: that is the
//! back-pressure. Nothing is committed before the message's last packet has been seen, because only that one tells
//! whether the client has meant it (a client that gives up marks the message to be ignored).

use crate::channel::{Channel, ChannelError};
use taffrail_engine::{BulkSource, BulkSourceError, CancelHandle};
use taffrail_tds::bulk::{BulkDecoder, BulkError, BulkNext};
use taffrail_tds::{Part, TdsVersion};
use taffrail_types::{SqlType, Value};

/// The bulk load message under way on a channel.
pub(crate) struct ChannelRows<'a> {
    channel: &'a Channel,
    cancel: CancelHandle,
    decoder: BulkDecoder,
    /// The last packet has been read.
    ended: bool,
    bytes: u64,
    /// Why the connection cannot go on.
    failure: Option<ChannelError>,
}

impl<'a> ChannelRows<'a> {
    pub(crate) fn new(
        channel: &'a Channel,
        cancel: CancelHandle,
        version: TdsVersion,
    ) -> ChannelRows<'a> {
        let decoder = BulkDecoder::new(version);
        ChannelRows { channel, cancel, decoder, ended: false, bytes: 0, failure: None }
    }

    /// The message has been read to its end: the connection can go on.
    pub(crate) fn is_over(&self) -> bool {
        self.ended && self.failure.is_none()
    }

    /// Rows were not taken for want of memory.
    pub(crate) fn too_much(&mut self) -> Option<ChannelError> {
        self.failure.take_if(|e| matches!(e, ChannelError::TooMuch(_)))
    }

    /// Reads what has come, or waits for it.
    fn feed(&mut self) -> Result<(), BulkSourceError> {
        let input = self.decoder.input();
        let before = input.len();
        let part = self.channel.part(input, || self.cancel.is_cancelled());
        // Nothing is left of what was refused.
        self.bytes += input.len().saturating_sub(before) as u64;
        match part {
            Ok(Some(Part::Nothing | Part::Data)) => Ok(()),
            Ok(Some(Part::End { ignored: false })) => {
                self.ended = true;
                self.decoder.complete();
                Ok(())
            }
            Ok(Some(Part::End { ignored: true } | Part::Attention)) => {
                self.ended = true;
                Err(BulkSourceError::Cancelled)
            }
            // Cancelled from elsewhere: KILL, a shutdown.
            Ok(None) => Err(BulkSourceError::Cancelled),
            Err(e) => {
                self.failure = Some(e);
                Err(BulkSourceError::Gone)
            }
        }
    }
}

fn source_error(e: BulkError) -> BulkSourceError {
    match e {
        BulkError::Protocol(_) => BulkSourceError::Broken,
        BulkError::Length(column) => BulkSourceError::Length(column),
        BulkError::Value(column, _) => BulkSourceError::Value(column),
    }
}

impl BulkSource for ChannelRows<'_> {
    fn columns(&mut self) -> Result<Vec<SqlType>, BulkSourceError> {
        loop {
            if let Some(columns) = self.decoder.columns().map_err(source_error)? {
                return Ok(columns.iter().map(|c| c.info.sql).collect());
            }
            self.feed()?;
        }
    }

    fn row(&mut self, row: &mut Vec<Value>) -> Result<bool, BulkSourceError> {
        loop {
            match self.decoder.row(row).map_err(source_error)? {
                BulkNext::Row => return Ok(true),
                BulkNext::More => self.feed()?,
                BulkNext::End if self.ended => return Ok(false),
                BulkNext::End => self.feed()?,
            }
        }
    }

    fn skip(&mut self) -> Result<(), BulkSourceError> {
        while !self.ended {
            self.decoder = BulkDecoder::new(TdsVersion::default());
            self.feed()?;
        }
        match self.failure {
            None => Ok(()),
            Some(_) => Err(BulkSourceError::Gone),
        }
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}
