//! The plan cache: modules by their text or procedure, shared by all sessions.
//!
//! A text is cached under the opening of the database and the SET options it was compiled for; a procedure under its
//! version, too. Plans inside a module look after themselves: they are made anew when the schema has changed,
//! and those over temp tables serve all tables of a shape ([`crate::exec::variants`]).
//!
//! 1. An entry is used only for the opening of the database it was made in ([`Catalog::opening`]): a database that is
//!    closed and opened again keeps its id, and nothing else.
//! 2. When a database goes, everything is forgotten (`catalog::registry`), and no procedure of a
//!    database that has gone is added: nothing here keeps its files open.
//!
//! [`Catalog::opening`]: crate::catalog::Catalog::opening

use super::module::Module;
use crate::catalog::registry::MadeOfDatabases;
use hashbrown::HashMap;
use parking_lot::Mutex;
use std::sync::Arc;
use taffrail_observe::HotCounter;

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

/// What was looked for among plans of a kind, and how many there are.
#[derive(Clone, Copy, Default)]
pub struct PlanFigures {
    pub lookups: u64,
    pub hits: u64,
    pub plans: usize,
}

/// What the cache holds.
pub struct CacheFigures {
    pub texts: PlanFigures,
    pub procedures: PlanFigures,
    /// Bytes of the texts.
    pub text_bytes: usize,
}

#[derive(Default)]
struct Lookups {
    all: HotCounter,
    hits: HotCounter,
}

impl Lookups {
    fn note(&self, found: bool) {
        self.all.inc();
        if found {
            self.hits.inc();
        }
    }

    fn figures(&self, plans: usize) -> PlanFigures {
        PlanFigures { lookups: self.all.get(), hits: self.hits.get(), plans }
    }
}

/// The plan cache of an instance's databases.
#[derive(Default)]
pub struct PlanCache {
    texts: Mutex<Texts>,
    procedures: Mutex<HashMap<ProcedureKey, Arc<Module>, Hasher>>,
    of_texts: Lookups,
    of_procedures: Lookups,
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
        let found = {
            let texts = self.texts.lock();
            texts.map.get(&(key.0, key.1, text.clone(), declared.into())).cloned()
        };
        self.of_texts.note(found.is_some());
        found
    }

    pub(crate) fn add_text(&self, key: TextKey, declared: &str, module: Arc<Module>) {
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
        let found = self.procedures.lock().get(key).cloned();
        self.of_procedures.note(found.is_some());
        found
    }

    /// What it holds.
    pub fn figures(&self) -> CacheFigures {
        let (texts, text_bytes) = {
            let texts = self.texts.lock();
            (self.of_texts.figures(texts.map.len()), texts.bytes)
        };
        let procedures = self.of_procedures.figures(self.procedures.lock().len());
        CacheFigures { texts, procedures, text_bytes }
    }

    pub(crate) fn add_procedure(&self, key: ProcedureKey, module: Arc<Module>) {
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

impl MadeOfDatabases for PlanCache {
    fn forget_all(&self) {
        PlanCache::forget_all(self);
    }
}
