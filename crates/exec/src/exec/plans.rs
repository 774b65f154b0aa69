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
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};
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
    /// Rises with every change of what is held.
    version: AtomicU64,
    handles: Mutex<Handles>,
}

/// Modules by their handles, as they were at a version of the cache; it holds none of them.
#[derive(Default)]
struct Handles {
    version: u64,
    map: HashMap<Box<[u8]>, Weak<Module>, Hasher>,
}

/// A module that is given away is counted.
fn noted(found: Option<Arc<Module>>) -> Option<Arc<Module>> {
    if let Some(module) = &found {
        module.uses.fetch_add(1, Relaxed);
    }
    found
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
        noted(found)
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
        module.uses.fetch_add(1, Relaxed);
        self.version.fetch_add(1, Relaxed);
        texts.map.insert((key.0, key.1, text, declared.into()), module);
    }

    /// A database has gone: whatever may hold it goes, so that its files are closed too. Any plan may name it.
    pub fn forget_all(&self) {
        *self.texts.lock() = Texts::default();
        self.procedures.lock().clear();
        self.version.fetch_add(1, Relaxed);
    }

    pub fn procedure(&self, key: &ProcedureKey) -> Option<Arc<Module>> {
        let found = self.procedures.lock().get(key).cloned();
        self.of_procedures.note(found.is_some());
        noted(found)
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
        module.uses.fetch_add(1, Relaxed);
        self.version.fetch_add(1, Relaxed);
        procedures.insert(key, module);
    }

    /// All that it holds, texts first.
    pub fn modules(&self) -> Vec<Arc<Module>> {
        let mut all: Vec<_> = self.texts.lock().map.values().cloned().collect();
        all.extend(self.procedures.lock().values().cloned());
        all.sort_by_key(|m| m.compiled.number);
        all
    }

    /// The module of a handle, be it of its text or of its plan. Of several plans of a text one.
    pub fn by_handle(&self, handle: &[u8]) -> Option<Arc<Module>> {
        let mut index = self.handles.lock();
        // Read before the list: what is added meanwhile is found by the next look.
        let version = self.version.load(Relaxed);
        if index.version != version {
            index.map.clear();
            for module in self.modules() {
                let (sql, plan) = (module.sql_handle(), module.plan_handle());
                index.map.insert(sql.to_vec().into(), Arc::downgrade(&module));
                index.map.insert(plan.to_vec().into(), Arc::downgrade(&module));
            }
            index.version = version;
        }
        index.map.get(handle).and_then(Weak::upgrade)
    }

    /// Forgets every module for which `goes` holds; says how many there were.
    pub fn forget(&self, goes: impl Fn(&Module) -> bool) -> usize {
        let mut gone = 0;
        {
            let mut texts = self.texts.lock();
            let Texts { map, bytes } = &mut *texts;
            map.retain(|_, module| {
                let stays = !goes(module);
                if !stays {
                    *bytes -= module.text.len() + 256;
                    gone += 1;
                }
                stays
            });
        }
        self.procedures.lock().retain(|_, module| {
            let stays = !goes(module);
            gone += usize::from(!stays);
            stays
        });
        self.version.fetch_add(1, Relaxed);
        gone
    }
}

impl MadeOfDatabases for PlanCache {
    fn forget_all(&self) {
        PlanCache::forget_all(self);
    }
}
