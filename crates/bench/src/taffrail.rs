//! Our own server as one of the engines under test.

use crate::peers::{Driver, Peer, Point, no_row};
use std::io;
use std::path::Path;
use std::time::Duration;
use taffrail_lab::client::{Client, Prepared};
use taffrail_lab::launch::Taffrail;
use taffrail_types::{MaxLen, SqlType, Value};

/// The loop of `while-loop.sql`.
fn insert_loop(rows: u32, before: &str, after_row: &str, after: &str) -> String {
    format!(
        "SET NOCOUNT ON DECLARE @Counter int = {rows} {before} WHILE @Counter > 0 BEGIN {} \
         INSERT INTO dbo.MyTable (SomeText, MoreText) VALUES ('Num:' + CONVERT(varchar,@Counter), \
         CONVERT(varchar,@Counter) + ' bottles of beer on the wall') SET @Counter = @Counter - 1 {after_row} END {after}",
        if after_row.is_empty() { "" } else { "BEGIN TRAN" },
    )
}

impl Peer for Taffrail {
    fn name(&self) -> &'static str {
        "Taffrail"
    }

    fn connect(&self) -> io::Result<Box<dyn Driver>> {
        Ok(Box::new(OurDriver { client: self.client("bench")?, prepared: None }))
    }

    fn setup(&self) -> Vec<String> {
        vec![
            "CREATE TABLE MyTable (Id int IDENTITY(1,1) NOT NULL, SomeText varchar(10) NULL, MoreText \
                varchar(50) NULL) ON [PRIMARY]".into(),
            "CREATE TABLE [load] (id int IDENTITY PRIMARY KEY, sometext varchar(10), moretext varchar(50))".into(),
            "CREATE TABLE customer (c_id int, c_d_id tinyint, c_w_id int, c_first char(16), c_middle char(2), \
                c_last char(16), c_street_1 char(20), c_street_2 char(20), c_city char(20), c_state char(2), \
                c_zip char(9), c_phone char(16), c_since datetime, c_credit char(2), c_credit_lim \
                numeric(12,2), c_discount numeric(4,4), c_balance numeric(12,2), c_ytd_payment numeric(12,2), \
                c_payment_cnt smallint, c_delivery_cnt smallint, c_data char(500))".into(),
            "CREATE UNIQUE CLUSTERED INDEX ci_customer ON customer (c_w_id, c_d_id, c_id)".into(),
            "SELECT * INTO customer_tmp FROM customer WHERE 1=2".into(),
        ]
    }

    fn autocommit_loop(&self, rows: u32) -> Vec<String> {
        vec!["TRUNCATE TABLE MyTable".into(), insert_loop(rows, "", "", "")]
    }

    fn transaction_loop(&self, rows: u32) -> Vec<String> {
        vec!["TRUNCATE TABLE MyTable".into(), insert_loop(rows, "BEGIN TRAN", "", "COMMIT TRAN")]
    }

    fn relaxed_loop(&self, rows: u32) -> Vec<String> {
        vec![
            "TRUNCATE TABLE MyTable".into(),
            insert_loop(rows, "", "COMMIT WITH (DELAYED_DURABILITY = ON)", ""),
        ]
    }

    fn load_customers(&self, rows: u32) -> Vec<String> {
        vec![
            "TRUNCATE TABLE customer".into(),
            "TRUNCATE TABLE customer_tmp".into(),
            format!(
                "SET NOCOUNT ON DECLARE @i int = 0 BEGIN TRAN WHILE @i < {rows} BEGIN INSERT customer VALUES \
                    (@i % 3000 + 1, @i / 3000 % 10 + 1, @i / 30000 + 1, \
                 'First' + CONVERT(varchar, @i), 'OE', 'BARBARBAR', 'Street one', 'Street two', 'Springfield', \
                 'CA', '123411111', '0123456789012345', '2009-02-09T13:13:00', 'GC', \
                 50000.00, 0.1234, -10.00, 10.00, 1, 0, REPLICATE('Data of a customer, WITH CAPITALS. ', 14)) SET @i = @i + 1 END COMMIT"
            ),
            "CHECKPOINT".into(),
        ]
    }

    fn load_file(&self, file: &Path) -> Vec<String> {
        vec![
            "TRUNCATE TABLE customer".into(),
            "CHECKPOINT".into(),
            format!(
                "BULK INSERT customer FROM '{}' WITH (TABLOCK, ROWTERMINATOR = '0x0a')",
                file.display()
            ),
        ]
    }

    fn settle(&self) -> Vec<String> {
        vec!["CHECKPOINT".into()]
    }
}

struct OurDriver {
    client: Client,
    prepared: Option<Prepared>,
}

impl Driver for OurDriver {
    fn run(&mut self, sql: &str) -> io::Result<()> {
        self.client.run(sql).map(|_| ()).map_err(io::Error::other)
    }

    fn prepare_insert(&mut self) -> io::Result<()> {
        let text = SqlType::VarChar(MaxLen::N(50));
        let prepared = self
            .client
            .prepare(
                "INSERT [load] (sometext, moretext) VALUES (@a, @b)",
                &[("@a", text), ("@b", text)],
            )
            .map_err(io::Error::other)?;
        self.prepared = Some(prepared);
        Ok(())
    }

    fn insert(&mut self, some: &str, more: &str) -> io::Result<()> {
        let prepared = self.prepared.as_ref().ok_or_else(|| io::Error::other("not prepared"))?;
        let parameters =
            [Value::VarChar(some.as_bytes().into()), Value::VarChar(more.as_bytes().into())];
        self.client.execute(prepared, &parameters).map(|_| ()).map_err(io::Error::other)
    }

    fn prepare_update(&mut self) -> io::Result<()> {
        let prepared = self
            .client
            .prepare("UPDATE hot SET n = n + 1 WHERE id = @id", &[("@id", SqlType::Int)])
            .map_err(io::Error::other)?;
        self.prepared = Some(prepared);
        Ok(())
    }

    fn update(&mut self, id: i32) -> io::Result<()> {
        let prepared = self.prepared.as_ref().ok_or_else(|| io::Error::other("not prepared"))?;
        let parameters = [Value::Int(id)];
        self.client.execute(prepared, &parameters).map(|_| ()).map_err(io::Error::other)
    }

    fn prepare_select(&mut self) -> io::Result<()> {
        let prepared = self
            .client
            .prepare("SELECT number, name FROM points WHERE id = @id", &[("@id", SqlType::Int)])
            .map_err(io::Error::other)?;
        self.prepared = Some(prepared);
        Ok(())
    }

    fn select(&mut self, id: i32) -> io::Result<Point> {
        let prepared = self.prepared.as_ref().ok_or_else(|| io::Error::other("not prepared"))?;
        let answer = self.client.execute(prepared, &[Value::Int(id)]).map_err(io::Error::other)?;
        let row = answer.sets.first().and_then(|set| set.rows.first()).ok_or_else(no_row)?;
        match &row[..] {
            [Value::Int(number), Value::VarChar(name)] => {
                Ok(Point { number: *number, name: name.to_vec() })
            }
            _ => Err(no_row()),
        }
    }

    fn waited(&mut self) -> Duration {
        self.client.waited()
    }
}
