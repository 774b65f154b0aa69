//! A module that runs: its variables and plans, and what they take.

use super::module::{Module, Plan};
use crate::memory::Held;
use std::sync::Arc;
use taffrail_base::ObjectId;
use taffrail_types::Value;

/// A module that runs.
pub(crate) struct Activation {
    pub module: Arc<Module>,
    pub vars: Vec<Value>,
    /// Plans by number, as this run uses them.
    pub plans: Vec<Option<Arc<Plan>>>,
    /// Table variables.
    pub tables: Vec<(String, ObjectId)>,
    /// What RETURN has said.
    pub status: Option<i32>,
    /// The module and its plans as memory of the request. None: what goes by it outlasts the request.
    pub counted: Option<Counted>,
}

/// What a module and its plans take while it runs.
#[derive(Default)]
pub(crate) struct Counted {
    held: Held,
    /// Bytes of the plans, by number.
    plans: Vec<usize>,
}

impl Counted {
    /// A plan of this number was made in place of the one before.
    pub(super) fn plan(&mut self, number: usize, bytes: usize) {
        if self.plans.len() <= number {
            self.plans.resize(number + 1, 0);
        }
        self.held.less(self.plans[number]);
        self.held.add(bytes);
        self.plans[number] = bytes;
    }
}

impl Activation {
    pub fn new(module: Arc<Module>) -> Activation {
        let vars = vec![Value::Null; module.variables.list.len()];
        let plans = vec![None; module.shared.len()];
        Activation { module, vars, plans, tables: Vec::new(), status: None, counted: None }
    }

    /// One whose module counts as memory of the request.
    pub fn counting(module: Arc<Module>) -> Activation {
        let mut counted = Counted::default();
        counted.held.add(module.bytes);
        Activation { counted: Some(counted), ..Activation::new(module) }
    }
}
