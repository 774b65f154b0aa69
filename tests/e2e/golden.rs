//! Golden scripts: `tests/golden/*.sql` in, results and messages out, over TDS against the real binary.
//! `UPDATE_GOLDEN=1 cargo test -p taffrail-tests golden` writes them anew; the difference is to be read.

use super::life::connect;
use std::path::Path;
use taffrail_base::SqlError;
use taffrail_lab::client::{AnswerEvent, Client, display};
use taffrail_testkit::{Column, Event, Part, Session, assert_golden};
use taffrail_tests::{Server, TempDir};
use taffrail_types::{SqlType, Value};

/// A session of golden scripts with the real binary.
pub struct OverTds {
    client: Client,
    types: Vec<SqlType>,
}

impl OverTds {
    /// Logs in and changes to a database.
    pub fn open(server: &Server, database: &str) -> OverTds {
        OverTds { client: connect(server, database), types: Vec::new() }
    }

    fn event(&mut self, event: AnswerEvent) -> Option<Event> {
        Some(match event {
            AnswerEvent::Columns(set) => {
                let columns = set.columns.iter().zip(&set.types).map(|(name, ty)| {
                    let numeric = matches!(
                        ty,
                        SqlType::TinyInt
                            | SqlType::SmallInt
                            | SqlType::Int
                            | SqlType::BigInt
                            | SqlType::Decimal { .. }
                            | SqlType::Numeric { .. }
                            | SqlType::Money
                            | SqlType::Float
                            | SqlType::Real
                    );
                    Column { name: name.clone(), numeric }
                });
                let columns = columns.collect();
                self.types = set.types;
                Event::Columns(columns)
            }
            AnswerEvent::Row(row) => {
                let cells = row.iter().zip(&self.types).map(|(value, ty)| match value {
                    Value::Null => None,
                    value => Some(display(value, *ty)),
                });
                Event::Row(cells.collect())
            }
            AnswerEvent::Done(count) => Event::Done(count),
            AnswerEvent::Message(m) => {
                let said = SqlError::of_text(m.number, m.severity, m.message);
                Event::Message(*said.with_state(m.state).with_line(m.line))
            }
            AnswerEvent::Status(status) => Event::ReturnStatus(status),
            AnswerEvent::Returned(_) => return None,
        })
    }
}

impl Session for OverTds {
    fn execute(&mut self, batch: &str) -> Vec<Event> {
        match self.client.events(batch) {
            Ok(events) => events.into_iter().filter_map(|e| self.event(e)).collect(),
            Err(e) => panic!("{e}: {batch}"),
        }
    }
}

/// Servers that share the scripts.
const PARTS: usize = 4;

fn scripts_of(number: usize) {
    let data = TempDir::new("golden");
    let server = Server::start(&data.path().join("data"), &[]);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    assert_golden(folder, Part { number, of: PARTS }, |_, _| OverTds::open(&server, "master"));
    assert!(server.stop().success());
}

#[test]
fn golden_scripts_1_of_4() {
    scripts_of(0);
}

#[test]
fn golden_scripts_2_of_4() {
    scripts_of(1);
}

#[test]
fn golden_scripts_3_of_4() {
    scripts_of(2);
}

#[test]
fn golden_scripts_4_of_4() {
    scripts_of(3);
}
