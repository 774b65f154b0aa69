//! The row that an input is on, while its slots hold something else.

use crate::exec::runtime::Rt;
use crate::plan::expr::Slot;
use taffrail_types::Value;

/// An input reads its own row in the frame when it goes on: who puts another row there puts this one back first.
#[derive(Default)]
pub(super) struct Aside {
    row: Vec<Value>,
    /// The slots hold something else.
    pub away: bool,
}

impl Aside {
    /// The slots will hold something else.
    pub fn put(&mut self, rt: &Rt<'_>, slots: &[Slot]) {
        if !self.away {
            self.row.clear();
            rt.save(slots, &mut self.row);
            self.away = true;
        }
    }

    /// The slots hold the input's row again.
    pub fn back(&mut self, rt: &mut Rt<'_>, slots: &[Slot]) {
        if self.away {
            rt.restore(slots, &self.row);
            self.away = false;
        }
    }
}
