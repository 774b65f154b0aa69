//! What a session waits for before registered code runs, by the word of its registration.

use crate::features::RegisteredStatement;
use crate::features::pipelining::Pipelining;
use crate::session::Session;
use taffrail_base::SqlResult;
use taffrail_syntax::ast::{Statement, StatementKind};

impl Session {
    /// A registered statement is about to run.
    pub(crate) fn before_statement(
        &mut self,
        found: &RegisteredStatement,
        statement: &Statement,
    ) -> SqlResult<()> {
        let command = match &statement.kind {
            StatementKind::Dbcc(dbcc) => {
                crate::features::dbcc(&dbcc.command.value.to_ascii_uppercase())
            }
            _ => None,
        };
        self.before_registered(command.map_or(found.pipelining, |c| c.pipelining))
    }

    /// Registered code that has this word is about to run.
    pub(super) fn before_registered(&mut self, word: Pipelining) -> SqlResult<()> {
        match word {
            Pipelining::Waits => self.before_others(),
            Pipelining::Reads => {
                self.promises.learn();
                Ok(())
            }
            // A command that is not there raises an error, and that is all.
            Pipelining::Session | Pipelining::Statements | Pipelining::Command => Ok(()),
        }
    }
}
