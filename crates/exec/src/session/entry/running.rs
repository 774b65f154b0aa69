//! What a session runs: a module, and the modules that have called it.

use crate::exec::module::Module;
use crate::session::masked::masked;
use std::sync::Arc;

/// A text of statements that a session runs.
pub struct Statements {
    /// The batch, or the text that made the module.
    pub text: Arc<str>,
    /// Database and id of a module.
    pub object: Option<(u16, i32)>,
}

impl Statements {
    /// Of a batch that is no module yet.
    pub(crate) fn of_batch(text: Arc<str>) -> Statements {
        Statements { text, object: None }
    }
}

/// A module and where its running statement stands: offsets in its text.
#[derive(Clone)]
pub(super) struct Level {
    module: Option<Arc<Module>>,
    start: i32,
    end: i32,
}

impl Level {
    /// The text and the statement's offsets, see [`Module::place`]. `None`: there is no module.
    pub fn place(&self) -> Option<(Statements, i32, i32)> {
        let module = self.module.as_ref()?;
        let (start, end) = module.place(self.start, self.end);
        Some((module.told(), start, end))
    }
}

impl Module {
    /// The declarations of parameters, as they stand before the text that others are shown.
    fn declared(&self) -> String {
        match &*self.declarations {
            "" => String::new(),
            declared => format!("({declared})"),
        }
    }

    /// The text as others are shown it, passwords hidden; empty for an encrypted module.
    pub fn told(&self) -> Statements {
        let before = self.declared();
        let text = match before.is_empty() {
            _ if self.encrypted => "".into(),
            true => super::shown(&self.text),
            false => (before + &masked(&self.text)).into(),
        };
        let object = match (self.object_id, &self.database) {
            (0, _) | (_, None) => None,
            (id, Some(database)) => Some((database.id.0, id)),
        };
        Statements { text, object }
    }

    /// The offsets of a statement's first and last character in the text of [`Module::told`], in bytes of UTF-16, from those in its own;
    /// an end of -1 is the text's.
    pub fn place(&self, start: i32, end: i32) -> (i32, i32) {
        let before = self.declared().encode_utf16().count();
        // Another statement may have begun meanwhile: the offsets fit some text, not surely this one.
        let wide = |at: i32| {
            let at = usize::try_from(at).unwrap_or(0).min(self.shown().len());
            let at = (0..=at).rev().find(|n| self.shown().is_char_boundary(*n)).unwrap_or(0);
            // No statement begins or ends within a password.
            let begins = masked(&self.shown()[..at]);
            let units = before + begins.encode_utf16().count();
            2 * units as i32
        };
        let last = usize::try_from(end).is_ok_and(|e| self.text[..].len() <= e);
        let start = wide(start);
        (start, if last { -1 } else { (wide(end) - 2).max(start) })
    }
}

/// Of a session.
#[derive(Default)]
pub(super) struct Running {
    module: Option<Arc<Module>>,
    /// The outermost first, each where it called.
    callers: Vec<Level>,
}

impl Running {
    /// The module that runs.
    pub fn module(&self) -> Option<Arc<Module>> {
        self.module.clone()
    }

    pub fn begins(&mut self, module: Option<Arc<Module>>) {
        self.module = module;
        self.callers.clear();
    }

    pub fn calls(&mut self, module: Arc<Module>, start: i32, end: i32) {
        let module = self.module.replace(module);
        self.callers.push(Level { module, start, end });
    }

    /// Where the caller had called.
    pub fn returns(&mut self) -> (i32, i32) {
        let Some(caller) = self.callers.pop() else { return (0, 0) };
        self.module = caller.module;
        (caller.start, caller.end)
    }

    /// What runs and its callers, the innermost first; `now`: where the running statement stands.
    pub fn levels(&self, now: (i32, i32), most: usize) -> Vec<Level> {
        let running = Level { module: self.module.clone(), start: now.0, end: now.1 };
        // A remote call is called by no module.
        let callers = self.callers.iter().rev().filter(|c| c.module.is_some());
        let callers = callers.take(most.saturating_sub(1)).cloned();
        std::iter::once(running).chain(callers).collect()
    }
}
