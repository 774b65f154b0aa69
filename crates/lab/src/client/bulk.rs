//! Bulk copy: INSERT BULK, then the rows in a message of their own, one such pair per batch.

use super::{Client, ClientError, Result, VERSION};
use taffrail_tds::bulk::{self, BulkColumn};
use taffrail_tds::packet::{Framer, PacketType};
use taffrail_tds::token::{ColumnSpec, DoneKind, DoneToken, RowEncoder, encode};
use taffrail_tds::{TdsVersion, TypeInfo};
use taffrail_types::{Collation, SqlType, Value};

/// Bytes gathered for one write.
const WRITE_BYTES: usize = 256 << 10;

/// How rows are to be loaded.
#[derive(Clone, Copy, Debug, Default)]
pub struct BulkOptions {
    /// The hint TABLOCK.
    pub tablock: bool,
    /// The hint CHECK_CONSTRAINTS.
    pub check_constraints: bool,
    /// The hint KEEP_NULLS.
    pub keep_nulls: bool,
    /// Rows per batch, each of which is committed by itself; 0 for all in one.
    pub batch: u64,
}

/// Rows on their way into a table.
pub struct BulkCopy<'c> {
    client: &'c mut Client,
    statement: String,
    columns: Vec<BulkColumn>,
    encoder: RowEncoder,
    framer: Framer,
    batch: u64,
    /// Rows of the batch under way, if one is.
    in_batch: Option<u64>,
    loaded: u64,
    bytes: u64,
}

impl Client {
    /// Begins to load rows into `table` (as T-SQL names it); the columns are given by name and the type of the values.
    pub fn bulk(
        &mut self,
        table: &str,
        columns: &[(&str, SqlType)],
        options: BulkOptions,
    ) -> BulkCopy<'_> {
        let collation = Collation::default().tds();
        let mut hints = Vec::new();
        for (on, hint) in [
            (options.tablock, "TABLOCK"),
            (options.check_constraints, "CHECK_CONSTRAINTS"),
            (options.keep_nulls, "KEEP_NULLS"),
        ] {
            if on {
                hints.push(hint.to_string());
            }
        }
        if options.batch > 0 {
            hints.push(format!("ROWS_PER_BATCH = {}", options.batch));
        }
        let names: Vec<String> = columns
            .iter()
            .map(|(name, ty)| format!("[{}] {ty}", name.replace(']', "]]")))
            .collect();
        let with = match hints.is_empty() {
            true => String::new(),
            false => format!(" WITH ({})", hints.join(", ")),
        };
        let specs: Vec<ColumnSpec<'_>> = columns
            .iter()
            .map(|(name, ty)| ColumnSpec {
                name,
                ty: *ty,
                collation,
                nullable: true,
                identity: false,
                computed: false,
                large: Default::default(),
                user_type: 0,
            })
            .collect();
        // The version before NBCROW, which a bulk load must not hold.
        let encoder = RowEncoder::new(&specs, TdsVersion::V7_3A);
        let mut framer = Framer::new(PacketType::BulkLoad);
        framer.set_packet_bytes(self.packet_bytes);
        BulkCopy {
            client: self,
            statement: format!("INSERT BULK {table} ({}){with}", names.join(", ")),
            columns: columns
                .iter()
                .map(|(name, ty)| BulkColumn {
                    name: name.to_string(),
                    info: TypeInfo::for_result(*ty, collation, VERSION),
                })
                .collect(),
            encoder,
            framer,
            batch: options.batch,
            in_batch: None,
            loaded: 0,
            bytes: 0,
        }
    }
}

impl BulkCopy<'_> {
    /// One row: a value for each column.
    pub fn row(&mut self, values: &[Value]) -> Result<()> {
        let rows = match self.in_batch {
            Some(rows) => rows,
            None => {
                let statement = self.statement.clone();
                self.client.run(&statement)?;
                bulk::put_columns(&mut self.client.payload, &self.columns, VERSION);
                0
            }
        };
        self.encoder
            .row(&mut self.client.payload, values)
            .map_err(|e| ClientError::Protocol(format!("column {}: {}", e.column, e.what)))?;
        self.in_batch = Some(rows + 1);
        if self.client.payload.len() >= WRITE_BYTES {
            self.write(false)?;
        }
        if rows + 1 == self.batch {
            self.end_batch()?;
        }
        Ok(())
    }

    /// Rows that the server has confirmed, and bytes sent.
    pub fn progress(&self) -> (u64, u64) {
        (self.loaded, self.bytes)
    }

    /// Ends the load; gives the number of rows that the server has loaded.
    pub fn finish(mut self) -> Result<u64> {
        self.end_batch()?;
        Ok(self.loaded)
    }

    fn end_batch(&mut self) -> Result<()> {
        if self.in_batch.take().is_none() {
            return Ok(());
        }
        let done = DoneToken { kind: DoneKind::Statement, status: 0, command: 0, rows: 0 };
        encode::done(&mut self.client.payload, &done, VERSION);
        self.write(true)?;
        let answer = self.client.answer()?;
        self.loaded += answer.counts.iter().sum::<u64>();
        Ok(())
    }

    fn write(&mut self, last: bool) -> Result<()> {
        let Client { transport, payload, packets, .. } = &mut *self.client;
        packets.clear();
        let taken = self.framer.frame(payload, last, packets);
        payload.drain(..taken);
        self.bytes += packets.len() as u64;
        transport.write(packets)?;
        Ok(())
    }
}
