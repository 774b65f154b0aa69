//! What is found before anything of a module runs: each statement whose names are all there is planned; names that are missing
//! may still come.

use super::activation::Locals;
use super::assess::LookResult;
use super::ending::shown_command;
use super::interpret::{Interpreter, Unwind, source_of};
use super::mistakes::{Text, undeclared, unknown_functions};
use super::module::{Code, Cond, DeclaredVariable, Module, Stmt, StmtKind};
use super::planning::Source;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};

/// Whether an error ends the look at everything else.
pub(super) fn ends_a_look(e: &SqlError) -> bool {
    Unwind::of(e).is_some() || e.number == 701
}

/// A module that is looked through.
struct Check<'m> {
    module: &'m Arc<Module>,
    errors: Vec<SqlError>,
    /// A statement above changes the database: what is below is bound when it runs.
    moved: bool,
    /// Other sessions' DDL is waited for. Else a statement in whose way it is is left for when it runs: SET LOCK_TIMEOUT may
    /// stand before it, and TRY around it.
    waits: bool,
}

impl Interpreter<'_> {
    /// Makes a module's table variables and plans what can be planned now, so that mistakes are told before anything runs.
    pub fn check(&mut self) -> Vec<SqlError> {
        let module = self.session.activation.locals.module.clone();
        let mut errors = module.errors.clone();
        if errors.is_empty() && !module.table_variables.is_empty() {
            self.make_table_variables(&mut errors);
        }
        if !errors.is_empty() {
            return errors;
        }
        let mut check = Check { module: &module, errors, moved: false, waits: false };
        // Whoever ends the look is among the errors.
        let _ = self.check_list(&mut check, &module.statements);
        check.errors
    }

    /// The same for a procedure that is being created: nothing of it stays.
    pub(super) fn check_definition(&mut self, module: Arc<Module>) -> SqlResult<Vec<SqlError>> {
        let mut own = Locals::counting(module.clone());
        self.with_locals(&mut own, |it| {
            let mut check =
                Check { module: &module, errors: Vec::new(), moved: false, waits: true };
            if !module.table_variables.is_empty() {
                it.make_table_variables(&mut check.errors);
            }
            let checked = match check.errors.is_empty() {
                true => it.check_list(&mut check, &module.statements),
                false => Ok(()),
            };
            // In a transaction they are committed by now.
            let dropped = it.drop_table_variables();
            let undone = it.session.undo_table_variables();
            checked.and(dropped).and(undone)?;
            Ok(check.errors)
        })
    }

    fn check_list(&mut self, check: &mut Check<'_>, list: &[Stmt]) -> SqlResult<()> {
        list.iter().try_for_each(|s| self.check_one(check, s))
    }

    fn check_one(&mut self, check: &mut Check<'_>, s: &Stmt) -> SqlResult<()> {
        if let Err(e) = self.session.check_cancel() {
            check.errors = vec![(*e).clone()];
            return Err(e);
        }
        if self.is_assessing() {
            self.note_other(check.module, s);
        }
        match &s.kind {
            StmtKind::Use(_) => check.moved = !self.looks_again(),
            StmtKind::Block(list) => return self.check_list(check, list),
            StmtKind::TryCatch(a, b) => {
                self.check_list(check, a)?;
                return self.check_list(check, b);
            }
            StmtKind::If(cond, a, b) => {
                self.check_condition(check, s, cond)?;
                self.check_one(check, a)?;
                return self.check_list(check, b);
            }
            StmtKind::While(cond, body) => {
                self.check_condition(check, s, cond)?;
                return self.check_one(check, body);
            }
            StmtKind::Set(_, code) | StmtKind::Return(Some(code)) | StmtKind::Result(code) => {
                return self.check_code(check, s, code);
            }
            StmtKind::Declare(list) => {
                return list
                    .iter()
                    .filter_map(DeclaredVariable::value)
                    .try_for_each(|code| self.check_code(check, s, code));
            }
            _ => {
                if let Some(source) = source_of(s) {
                    return self.check_source(check, s, s.plan, &source);
                }
            }
        }
        Ok(())
    }

    fn check_condition(&mut self, check: &mut Check<'_>, s: &Stmt, cond: &Cond) -> SqlResult<()> {
        match cond {
            Cond::Ready(_) => Ok(()),
            Cond::Lazy(e, plan) => self.check_source(check, s, *plan, &Source::Condition(e)),
        }
    }

    fn check_code(&mut self, check: &mut Check<'_>, s: &Stmt, code: &Code) -> SqlResult<()> {
        match code {
            Code::Ready(..) => Ok(()),
            Code::Lazy(e, plan, to) => self.check_source(check, s, *plan, &Source::Scalar(e, *to)),
        }
    }

    /// Plans a statement, or an expression of one, with a plan of this number.
    fn check_source(
        &mut self,
        check: &mut Check<'_>,
        s: &Stmt,
        plan: u32,
        source: &Source<'_>,
    ) -> SqlResult<()> {
        if check.moved {
            self.check_variables(check, s, source);
            return Ok(());
        }
        // It was bound before; what it reads of temp tables is looked at when they are there.
        if check.module.shared[plan as usize].waits_for_temps(self.session) {
            return Ok(());
        }
        self.session.cell.set_command(shown_command(&s.kind));
        let planned = loop {
            match self.plan_now(check.module, plan, s.visible, source, true) {
                Ok(planned) => break planned,
                Err(blocked) if check.waits => self.session.wait_for_ddl(blocked)?,
                Err(_) => return Ok(()),
            }
        };
        let assessing = self.is_assessing();
        let Err(e) = planned else {
            if assessing {
                self.note_look(s.span, LookResult::Fine);
            }
            return Ok(());
        };
        if ends_a_look(&e) {
            // Who cancels hears of nothing else, and no later statement has more memory.
            check.errors.clear();
            check.errors.push((*e).clone());
            return Err(e);
        }
        if assessing {
            self.note_look(s.span, LookResult::of_binding(e));
            return Ok(());
        }
        match e.number {
            // Names that may come to be before the statement runs.
            208 | 470 | 4121 | 5313 | 11726 => self.check_variables(check, s, source),
            1087 if self.lacks_table_variables() => {}
            // IDENTITY_INSERT may be set on the way. What is not here is told of when it would run: scripts ask for the
            // version or the edition before.
            544 | 545 | 8101 | 40510 => {}
            // A view may be altered, refreshed or dropped before.
            _ if !self.session.lookups.failed_views.borrow().is_empty() => {}
            _ => {
                let mut e = e;
                for before in std::mem::take(&mut e.before) {
                    check.errors.push(*Box::new(before).with_line(s.line));
                }
                check.errors.push(*e.with_line(s.line));
            }
        }
        Ok(())
    }

    /// Looks at a statement that cannot be bound yet whether its functions are there and its variables are declared.
    fn check_variables(&self, check: &mut Check<'_>, s: &Stmt, source: &Source<'_>) {
        let part = match source {
            Source::Scalar(e, _) | Source::Condition(e) => e.span,
            _ => s.span,
        };
        let module = check.module;
        let quoted =
            module.quoted_identifier.unwrap_or(self.session.activation.options.quoted_identifier);
        let text = Text { text: &module.text, lines: &module.lines, quoted_identifier: quoted };
        let declared = &module.variables.list[..s.visible as usize];
        let wrap = match source {
            Source::Scalar(..) => ("PRINT ", ""),
            Source::Condition(_) => ("IF ", " PRINT 1"),
            _ => ("", ""),
        };
        check.errors.extend(unknown_functions(text, part, wrap));
        // Its arguments are compiled with EXEC.
        if !matches!(s.kind, StmtKind::InsertExec(..)) {
            check.errors.extend(undeclared(text, part, declared));
        }
    }
}
