//! A statement as a feature registers it.

use super::needs::Needs;
use super::pipelining::Pipelining;
use crate::exec::interpret::Interpreter;
use crate::session::context::StatementContext;
use crate::sink::Command;
use taffrail_base::SqlResult;
use taffrail_observe::session::Command as Shown;
use taffrail_syntax::ast::Statement;
use taffrail_types::Value;

/// Gives a variable's value (137 when there is none of that name).
pub type Values<'a> = &'a dyn Fn(&str) -> SqlResult<Value>;

/// Replaces variables in a statement by what they hold; none where there is nothing to replace.
type Fill = fn(&Statement, Values<'_>) -> SqlResult<Option<Statement>>;

/// How a statement is run.
#[derive(Clone, Copy)]
pub enum Run {
    /// It changes the catalogue or a whole database, in the statement's own bounds: what it has changed is undone after an
    /// error. The text is the batch, or the module, that its spans point into.
    Within(fn(&mut StatementContext<'_>, &Statement, &str) -> SqlResult<()>),
    /// It sees to its bounds itself; the line is its own. Gives the rows it tells of.
    Itself(fn(&mut Interpreter<'_>, &Statement, u32) -> SqlResult<Option<u64>>),
}

/// A statement of a feature, and what whoever runs it has to know.
pub struct RegisteredStatement {
    /// See [`taffrail_syntax::ast::StatementKind::words`].
    pub words: &'static str,
    /// The permissions that the statement needs.
    pub needs: Needs,
    /// Its word on commits that are not durable yet.
    pub pipelining: Pipelining,
    /// The way in which the statement is run.
    pub run: Run,
    /// The code that puts values in the place of its variables.
    pub fill: Option<Fill>,
    /// `CurCmd` of its DONE.
    pub done: Command,
    /// `sys.dm_exec_requests.command` meanwhile.
    pub shown: Shown,
    /// It changes rows: an error's DONE counts them.
    pub changes_rows: bool,
    /// It begins a transaction under SET IMPLICIT_TRANSACTIONS ON, and is refused in a doomed one.
    pub begins_transaction: bool,
    /// Most of its errors end the batch.
    pub ends_batch: bool,
    /// It leaves nothing behind when it is undone: it is run again after the log was full for want of a checkpoint.
    pub again: bool,
}

impl RegisteredStatement {
    /// A statement that nothing more is to be known of.
    pub const fn new(
        words: &'static str,
        needs: Needs,
        pipelining: Pipelining,
        run: Run,
    ) -> RegisteredStatement {
        RegisteredStatement {
            words,
            needs,
            pipelining,
            run,
            fill: None,
            done: Command::OTHER,
            shown: Shown::Drop,
            changes_rows: false,
            begins_transaction: false,
            ends_batch: false,
            again: false,
        }
    }

    /// One that makes, changes or drops objects.
    pub const fn of_objects(
        words: &'static str,
        needs: Needs,
        pipelining: Pipelining,
        run: Run,
    ) -> RegisteredStatement {
        let new = RegisteredStatement::new(words, needs, pipelining, run);
        RegisteredStatement { begins_transaction: true, ends_batch: true, again: true, ..new }
    }

    /// The statement with this `CurCmd`.
    pub const fn done(self, done: Command) -> RegisteredStatement {
        RegisteredStatement { done, ..self }
    }

    /// The statement, shown so in sys.dm_exec_requests.
    pub const fn shown(self, shown: Shown) -> RegisteredStatement {
        RegisteredStatement { shown, ..self }
    }

    /// The statement, whose variables are filled in.
    pub const fn filled(self, fill: Fill) -> RegisteredStatement {
        RegisteredStatement { fill: Some(fill), ..self }
    }
}
