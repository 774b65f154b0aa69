//! The assessment of a text that was written for another server: which of its statements run here, which are refused, and where.
//!
//! Definitions are made, for what follows needs their names. Queries, changes and the bodies of modules are bound and not run.
//! A statement is looked at up to three times, and runs if one look finds nothing wrong:
//!
//! ```text
//!  before   the check of a batch before it runs        (check.rs)   names that the text drops further down are still there
//!  meanwhile  the run, which leaves out what has data  (leave_out)  definitions, and the bodies in them
//!  behind   the check once more                        (look_again) names that the text itself has made are there
//! ```
//!
//! [`verdict`] puts the looks together.

mod verdict;

pub use verdict::{Judged, Verdict};

use super::activation::Locals;
use super::check::ends_a_look;
use super::compile::CreatedUnder;
use super::definition::procedure_for;
use super::ending::{command_of, shown_command};
use super::interpret::{Flow, Interpreter, Step, Unwind};
use super::module::{Code, ExecTarget, Execute, Module, Stmt, StmtKind};
use super::procedure::Home;
use crate::plan::expr::Expr;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult, message::unsupported};
use taffrail_syntax::ast::{Span, StatementKind};
use verdict::Look;
pub(super) use verdict::LookResult;
pub(crate) use verdict::{of_errors, put_together};

/// The assessment of a text while it goes on.
#[derive(Default)]
pub(crate) struct Assessment {
    /// Everything that was found, in its order.
    looks: Vec<Look>,
    /// Number of the look at the text.
    round: u8,
    /// Statements are run, with their data.
    executes: bool,
}

/// The statements inside of a statement.
pub(crate) fn parts(kind: &StmtKind) -> Vec<&[Stmt]> {
    match kind {
        StmtKind::Block(list) => vec![list],
        StmtKind::TryCatch(body, catch) => vec![body, catch],
        StmtKind::If(_, then, others) => vec![std::slice::from_ref(then), others],
        StmtKind::While(_, body) => vec![std::slice::from_ref(body)],
        _ => Vec::new(),
    }
}

/// Whether a statement makes, changes or drops what names stand for, in the files of the assessment alone.
fn is_definition(kind: &StmtKind, text: &str) -> bool {
    let words = match kind {
        StmtKind::Registered(r, _) => r.words,
        StmtKind::Select(q) => return q.query.body.first_block().into.is_some(),
        _ => return false,
    };
    let upper = text.to_ascii_uppercase();
    let has = |word: &str| upper.contains(word);
    match words {
        "CREATE DATABASE" => !has("FILENAME") && !has(" AS "),
        "ALTER DATABASE" => {
            let away = ["FILE", "OFFLINE", "EMERGENCY", "_USER", "READ_ONLY", "MODIFY NAME"];
            !away.iter().any(|word| has(word))
        }
        "DROP DATABASE" | "UPDATE STATISTICS" => false,
        "GRANT" | "DENY" | "REVOKE" | "TRUNCATE TABLE" => true,
        _ => ["CREATE ", "ALTER ", "DROP ", "ENABLE ", "DISABLE "]
            .iter()
            .any(|w| words.starts_with(w)),
    }
}

/// System procedures that make or change what names stand for, as definitions do.
const DEFINING: [&str; 12] = [
    "sp_addextendedproperty",
    "sp_addlogin",
    "sp_addrole",
    "sp_addrolemember",
    "sp_addtype",
    "sp_adduser",
    "sp_bindefault",
    "sp_dropextendedproperty",
    "sp_droptype",
    "sp_grantdbaccess",
    "sp_rename",
    "sp_updateextendedproperty",
];

/// Whether a call makes or changes what names stand for, and all that it is handed is written there.
fn defines(e: &Execute) -> bool {
    let ExecTarget::Procedure(name) = &e.target else { return false };
    let written =
        |value: &Option<Code>| matches!(value, None | Some(Code::Ready(Expr::Const(_), _)));
    DEFINING.iter().any(|p| p.eq_ignore_ascii_case(&name.name.value))
        && e.arguments.iter().all(|a| written(&a.value))
}

/// The text at a place of a module.
fn text_of(module: &Module, span: Span) -> &str {
    module.text.get(span.start as usize..span.end as usize).unwrap_or_default()
}

impl Assessment {
    /// The assessment of a text that begins; with `executes` its statements are run.
    pub(crate) fn begins(executes: bool) -> Box<Assessment> {
        Box::new(Assessment { executes, ..Assessment::default() })
    }

    /// Everything that was found.
    pub(crate) fn ended(self) -> Vec<Look> {
        self.looks
    }
}

impl Interpreter<'_> {
    /// Whether what is found is noted, and not told: an assessment that runs nothing but definitions.
    pub(super) fn is_assessing(&self) -> bool {
        let assessed = self.session.running.assessed.as_ref();
        assessed.is_some_and(|a| !a.executes) && self.session.activation.nest_level == 0
    }

    /// Whether this is the look at a text whose databases have been changed to.
    pub(super) fn looks_again(&self) -> bool {
        self.session.running.assessed.as_ref().is_some_and(|a| a.round > 0)
    }

    /// Notes what a look at a statement has found.
    pub(super) fn note_look(&mut self, span: Span, outcome: LookResult) {
        if let Some(a) = &mut self.session.running.assessed {
            a.looks.push(Look { span, round: a.round, outcome });
        }
    }

    /// Notes a statement that has no plan: one that is not built, or a call.
    pub(super) fn note_other(&mut self, module: &Module, s: &Stmt) {
        let outcome = match &s.kind {
            StmtKind::Unsupported(what) => LookResult::Error(unsupported(what)),
            StmtKind::Execute(e) | StmtKind::InsertExec(_, e) => self.outcome_of_call(module, e),
            _ => return,
        };
        self.note_look(s.span, outcome);
    }

    fn outcome_of_call(&self, module: &Module, e: &Execute) -> LookResult {
        let ExecTarget::Procedure(name) = &e.target else {
            return LookResult::Unknown(
                "the text or name that it runs is put together when it runs",
            );
        };
        if let Some(server) = &name.server {
            return LookResult::Error(SqlError::new(7202, &[&server.value]).with_state(2));
        }
        let home = module.database.clone().unwrap_or_else(|| self.session.database.clone());
        let home = Home { database: &home, schema: module.schema.as_deref() };
        let part =
            |part: &Option<taffrail_syntax::ast::Ident>| part.as_ref().map(|p| p.value.to_string());
        let (database, schema) = (part(&name.database), part(&name.schema));
        let (database, schema) = (database.as_deref(), schema.as_deref());
        match self.session.find_procedure(
            database,
            schema,
            &name.name.value,
            home,
            &name.name.value,
        ) {
            Ok(_) => LookResult::Fine,
            Err(e) => LookResult::Error(e),
        }
    }

    /// The end of a statement of an assessment when it is reached; none: it runs as any other.
    pub(super) fn leave_out(&mut self, module: &Arc<Module>, s: &Stmt) -> Option<Step> {
        if !self.is_assessing() {
            return None;
        }
        match &s.kind {
            StmtKind::Block(_)
            | StmtKind::If(..)
            | StmtKind::TryCatch(..)
            | StmtKind::Label(_)
            | StmtKind::Use(_)
            | StmtKind::SetSwitches(..)
            | StmtKind::SetIsolation(_)
            | StmtKind::Set(_, Code::Ready(..)) => None,
            StmtKind::Declare(list) => {
                let plain = list.iter().all(|d| !matches!(d.value(), Some(Code::Lazy(..))));
                (!plain).then_some(Ok(Flow::Next))
            }
            StmtKind::Execute(e) if defines(e) => None,
            kind if is_definition(kind, text_of(module, s.span)) => Some(self.define(module, s)),
            _ => Some(Ok(Flow::Next)),
        }
    }

    /// Runs a definition; an error of it ends nothing else.
    fn define(&mut self, module: &Arc<Module>, s: &Stmt) -> Step {
        self.session.activation.moment.set(None);
        self.session.cell.set_command(shown_command(&s.kind));
        match self.run_with_room(module, s) {
            Ok(ended) => {
                self.note_look(s.span, LookResult::Fine);
                self.done(ended)
            }
            Err(e) => {
                self.note_look(s.span, LookResult::Error(e.clone()));
                let (command, dml) = command_of(&s.kind);
                match self.fail(module, s, e, dml, command) {
                    Err(gone @ (Unwind::Cancelled | Unwind::Gone)) => Err(gone),
                    _ => Ok(Flow::Next),
                }
            }
        }
    }

    /// Binds the statements of a text that was run, now that its names are there.
    pub(crate) fn look_again(&mut self, text: &Arc<str>) -> Result<(), Unwind> {
        if let Some(a) = &mut self.session.running.assessed {
            a.round += 1;
        }
        let Ok(module) = self.session.batch_module(text, "") else { return Ok(()) };
        let mut own = Locals::counting(module);
        self.with_locals(&mut own, |it| {
            // What a table variable cannot be made of was told when the text ran.
            let _ = it.check();
            let _ = it.drop_table_variables();
        });
        Ok(())
    }

    /// Binds the bodies of the modules that a batch defines.
    pub(crate) fn look_at_bodies(&mut self, batch: &Arc<Module>) -> Result<(), Unwind> {
        for s in &batch.statements {
            let StmtKind::Registered(_, statement) = &s.kind else { continue };
            if let Err(e) = self.look_at_body(batch, &statement.kind)
                && ends_a_look(&e)
            {
                return Unwind::of(&e).map_or(Ok(()), Err);
            }
        }
        Ok(())
    }

    fn look_at_body(&mut self, batch: &Arc<Module>, kind: &StatementKind) -> SqlResult<()> {
        let schema = match kind {
            StatementKind::Procedure(p) => &p.name.schema,
            StatementKind::Function(f) => &f.name.schema,
            StatementKind::Trigger(t) => &t.name.schema,
            _ => return Ok(()),
        };
        let schema = schema.as_ref().map(|s| s.value.to_string());
        let options = &self.session.activation.options;
        let (quoted_identifier, ansi_nulls) = (options.quoted_identifier, options.ansi_nulls);
        let under = CreatedUnder { quoted_identifier, ansi_nulls };
        let home = self.session.database.clone();
        let head = ("", schema.as_deref());
        if let Ok(module) = procedure_for(self.session, &home, &batch.text, under, head, 0, false)
            && module.errors.is_empty()
        {
            self.check_definition(Arc::new(module))?;
        }
        Ok(())
    }
}
