//! Requests of the client's transaction manager, as sessions of events hear of them. BEGIN TRANSACTION of T-SQL is none.

use crate::rpc::{TransactionRequest, TxIsolation};
use crate::session::Session;
use std::sync::atomic::Ordering::Relaxed;
use taffrail_observe::xe::{Event, Val, tell, wanted};

/// A request that somebody wants to hear the end of.
pub(crate) struct Told {
    event: Event,
    isolation: u8,
    transaction: u64,
    savepoint: Option<String>,
}

fn isolation(of: &TxIsolation) -> u8 {
    match of {
        TxIsolation::Keep => 0,
        TxIsolation::ReadUncommitted => 1,
        TxIsolation::ReadCommitted => 2,
        TxIsolation::RepeatableRead => 3,
        TxIsolation::Serializable => 4,
        TxIsolation::Snapshot => 5,
    }
}

/// A request begins. What is told when it ends.
#[inline]
pub(crate) fn begins(session: &Session, request: &TransactionRequest) -> Option<Told> {
    let (starting, completed) = match request {
        TransactionRequest::Begin { .. } => (Event::BeginTranStarting, Event::BeginTranCompleted),
        TransactionRequest::Commit { .. } => {
            (Event::CommitTranStarting, Event::CommitTranCompleted)
        }
        TransactionRequest::Rollback { .. } => {
            (Event::RollbackTranStarting, Event::RollbackTranCompleted)
        }
        TransactionRequest::Save { .. } => (Event::SaveTranStarting, Event::SaveTranCompleted),
    };
    (wanted(starting) || wanted(completed))
        .then(|| begins_now(session, request, starting, completed))
}

#[cold]
fn begins_now(
    session: &Session,
    request: &TransactionRequest,
    starting: Event,
    completed: Event,
) -> Told {
    let isolation = match request {
        TransactionRequest::Begin { isolation: level, .. } => isolation(level),
        _ => 0,
    };
    let savepoint = match request {
        TransactionRequest::Rollback { name, .. } | TransactionRequest::Save { name } => {
            Some(name.clone())
        }
        _ => None,
    };
    let transaction = session.cell.transaction_id.load(Relaxed);
    let told = Told { event: completed, isolation, transaction, savepoint };
    if wanted(starting) {
        match starting {
            Event::BeginTranStarting => tell(starting, &[isolation.into()]),
            _ => tell(starting, &told.transaction()),
        }
    }
    told
}

impl Told {
    /// The transaction, and the savepoint if the request has one.
    fn transaction(&self) -> Vec<Val> {
        let name = self.savepoint.as_deref().map(Val::text);
        std::iter::once(self.transaction.into()).chain(name).collect()
    }

    /// The request has ended.
    #[cold]
    pub fn ended(&self, session: &Session, success: bool) {
        if !wanted(self.event) {
            return;
        }
        let mut fields = match self.event {
            Event::BeginTranCompleted => {
                let begun = session.cell.transaction_id.load(Relaxed);
                vec![self.isolation.into(), begun.into()]
            }
            _ => self.transaction(),
        };
        fields.push(success.into());
        tell(self.event, &fields);
    }
}
