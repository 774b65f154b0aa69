//! What runs a batch, and what comes back from it.

use taffrail_base::SqlError;

/// Runs batches one after the other and remembers what a session remembers.
pub trait Session {
    /// Runs a batch to its end. Errors are events, not failures of the call; a session that has lost its connection says
    /// so with a message and goes on saying it.
    fn execute(&mut self, batch: &str) -> Vec<Event>;
}

/// One thing that comes back, in the order in which it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A result set begins.
    Columns(Vec<Column>),
    /// A row of the result set begun last.
    Row(Vec<Cell>),
    /// A statement is done, with the number of rows it returned or changed unless that is not counted.
    Done(Option<u64>),
    /// An error, or an informational message up to severity 10.
    Message(SqlError),
    /// The status that a procedure returned.
    ReturnStatus(i32),
    /// An output parameter of a procedure.
    Output {
        /// Its name with `@`.
        name: String,
        /// The value of the parameter.
        value: Cell,
    },
}

/// A value as text, the way `CONVERT(varchar(max), …)` or a client shows it; none is NULL.
pub type Cell = Option<String>;

/// A column of a result set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name; empty when it has none.
    pub name: String,
    /// Its values are numbers and stand at the right.
    pub numeric: bool,
}

impl Column {
    /// A column of text.
    pub fn text(name: &str) -> Column {
        Column { name: name.into(), numeric: false }
    }

    /// A column of numbers.
    pub fn number(name: &str) -> Column {
        Column { name: name.into(), numeric: true }
    }
}

/// A result set with the rows that belong to it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ResultSet {
    /// The columns of the rows.
    pub columns: Vec<Column>,
    /// Its rows, each as long as `columns`.
    pub rows: Vec<Vec<Cell>>,
}

/// The result sets among events.
pub fn result_sets(events: &[Event]) -> Vec<ResultSet> {
    let mut sets: Vec<ResultSet> = Vec::new();
    for event in events {
        match event {
            Event::Columns(columns) => {
                sets.push(ResultSet { columns: columns.clone(), rows: Vec::new() });
            }
            Event::Row(row) => {
                let set = sets.last_mut().expect("a row comes after its columns");
                assert_eq!(row.len(), set.columns.len(), "a row is as long as its columns");
                set.rows.push(row.clone());
            }
            _ => {}
        }
    }
    sets
}

/// The errors among events (severity 11 and above).
pub fn errors(events: &[Event]) -> Vec<&SqlError> {
    events
        .iter()
        .filter_map(|event| match event {
            Event::Message(message) if !message.is_informational() => Some(message),
            _ => None,
        })
        .collect()
}
