//! The plan cache: modules by their text or procedure, shared by all sessions.
//!
//! A text is cached under the opening of the database and the SET options it was compiled for; a procedure under its
//! version, too. Plans inside a module look after themselves: they are made anew when the schema has changed.
//!
//! 1. An entry is used only for the opening of the database it was made in ([`Catalog::opening`]): a database that is
//!    closed and opened again keeps its id, and nothing else.
//! 2. When a database goes, everything is forgotten (`catalog::registry`, which owns the cache), and no procedure of a
//!    database that has gone is added: nothing here keeps its files open.
//!
//! [`Catalog::opening`]: crate::catalog::Catalog::opening

use crate::exec::module::Module;
use hashbrown::HashMap;
use parking_lot::Mutex;
use std::sync::Arc;

type Hasher = foldhash::fast::RandomState;

/// Opening of the database, object, version, options.
type ProcedureKey = (u64, i32, u64, u32);
/// Opening of the database, options.
type TextKey = (u64, u32);

#[derive(Default)]
struct Texts {
    map: HashMap<(u64, u32, Arc<str>, Box<str>), Arc<Module>, Hasher>,
    bytes: usize,
}

/// The plan cache of an instance's databases.
#[derive(Default)]
pub(crate) struct PlanCache {
    texts: Mutex<Texts>,
    procedures: Mutex<HashMap<ProcedureKey, Arc<Module>, Hasher>>,
}

/// Longer texts are not kept: they are rarely sent twice.
const MAX_TEXT: usize = 64 << 10;
/// All texts together.
const MAX_BYTES: usize = 8 << 20;
/// Procedures.
const MAX_PROCEDURES: usize = 1000;

impl PlanCache {
    pub fn text(&self, key: TextKey, text: &Arc<str>, declared: &str) -> Option<Arc<Module>> {
        if text.len() > MAX_TEXT {
            return None;
        }
        let texts = self.texts.lock();
        texts.map.get(&(key.0, key.1, text.clone(), declared.into())).cloned()
    }

    pub fn add_text(&self, key: TextKey, declared: &str, module: Arc<Module>) {
        let text = module.text.clone();
        if text.len() > MAX_TEXT || !module.errors.is_empty() {
            return;
        }
        let mut texts = self.texts.lock();
        // Full: all go. What is in use comes back at once.
        if texts.bytes + text.len() > MAX_BYTES {
            texts.map.clear();
            texts.bytes = 0;
        }
        texts.bytes += text.len() + 256;
        texts.map.insert((key.0, key.1, text, declared.into()), module);
    }

    /// A database has gone: whatever may hold it goes, so that its files are closed too. Any plan may name it.
    pub fn forget_all(&self) {
        *self.texts.lock() = Texts::default();
        self.procedures.lock().clear();
    }

    pub fn procedure(&self, key: &ProcedureKey) -> Option<Arc<Module>> {
        self.procedures.lock().get(key).cloned()
    }

    pub fn add_procedure(&self, key: ProcedureKey, module: Arc<Module>) {
        let mut procedures = self.procedures.lock();
        // Under the lock: who retires a database empties the cache afterwards.
        if module.database.as_ref().is_some_and(|d| d.catalog.is_retired()) {
            return;
        }
        if procedures.len() >= MAX_PROCEDURES {
            procedures.clear();
        }
        procedures.insert(key, module);
    }
}
