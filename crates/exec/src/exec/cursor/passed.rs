//! Cursors from callees to callers: parameters CURSOR VARYING OUTPUT.

use super::{Cursors, Reference};
use crate::exec::called::PassedCursor;
use crate::exec::module::Module;
use crate::session::Session;

impl Session {
    /// A cursor variable of the running module, as it is passed for output.
    pub(in crate::exec) fn passed_cursor(&self, name: &str) -> PassedCursor {
        let level = self.activation.nest_level;
        let allocated = self.held.cursors.known(name, Some(level)).is_some();
        PassedCursor { name: name.into(), level, allocated }
    }

    /// CURSOR_STATUS, as the running module sees names and variables.
    pub(in crate::exec) fn status_of_cursor(&self, kind: &str, name: &str) -> Option<i32> {
        let declared = self.activation.locals.module.variables.find(name);
        let declared = declared.is_some_and(|(_, v)| v.cursor);
        self.held.cursors.status(kind, name, self.activation.nest_level, declared)
    }

    /// At the end of a module: the callers' variables take the cursors of its parameters, those that are open.
    pub(in crate::exec) fn hand_out_cursors(
        &mut self,
        module: &Module,
        passed: &[(usize, PassedCursor)],
    ) {
        let level = Some(self.activation.nest_level);
        let cursors = &mut self.held.cursors;
        for (parameter, to) in passed {
            let known = cursors.known(&module.parameters[*parameter].name, level);
            if let Some(at) = known.filter(|at| cursors.list[*at].open.is_some()) {
                cursors.refer(at, &to.name, Some(to.level));
            }
        }
    }
}

impl Cursors {
    /// A name or variable refers to the cursor at a place of the list, and to no other any more.
    pub(super) fn refer(&mut self, at: usize, name: &str, level: Option<u32>) {
        if self.known(name, level) == Some(at) {
            return;
        }
        self.list[at].references.push(Reference { name: name.into(), level });
        // What it referred to before.
        for (_, c) in self.list.iter_mut().enumerate().filter(|(n, _)| *n != at) {
            c.references.retain(|r| !r.is(name, level));
        }
        self.forget(|_| false);
    }
}
