//! `LOCK_ESCALATION` of tables.

/// `LOCK_ESCALATION` of a table.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Escalation {
    /// Many locks become one on the table.
    #[default]
    Table,
    /// The locks of rows stay, unless they need too much memory.
    Disable,
    /// As TABLE, where there are no partitions.
    Auto,
}

impl Escalation {
    /// `lock_escalation` and `lock_escalation_desc` of `sys.tables`.
    pub fn shown(self) -> (u8, &'static str) {
        match self {
            Escalation::Table => (0, "TABLE"),
            Escalation::Disable => (1, "DISABLE"),
            Escalation::Auto => (2, "AUTO"),
        }
    }
}
