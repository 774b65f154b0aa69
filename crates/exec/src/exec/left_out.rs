//! Statements that SET NOEXEC, FMTONLY and SHOWPLAN leave out, and those that run all the same.

use super::module::StmtKind;
use super::showplan::is_showplan;
use taffrail_syntax::ast::SwitchOption;

/// SET NOEXEC OFF has to be reached, whatever stands around it; conditions are not asked.
pub(super) fn runs_under_noexec(kind: &StmtKind) -> bool {
    match kind {
        StmtKind::Block(_) | StmtKind::TryCatch(..) => true,
        StmtKind::SetSwitches(options, _) => options.contains(&SwitchOption::NoExec),
        _ => false,
    }
}

/// Statements of the catalogue, of transactions and of the server have no columns to tell, and would change something.
pub(super) fn is_left_out_under_fmtonly(kind: &StmtKind) -> bool {
    use StmtKind::{Begin, Checkpoint, Commit, Kill, Registered, Rollback, Save, WaitFor};
    matches!(
        kind,
        Begin(..)
            | Checkpoint(_)
            | Commit(_)
            | Kill(..)
            | Registered(..)
            | Rollback(_)
            | Save(_)
            | WaitFor { .. }
    )
}

/// SET SHOWPLAN_… OFF has to be reached, too: it stands alone.
pub(super) fn is_set_showplan(kind: &StmtKind) -> bool {
    matches!(kind, StmtKind::SetSwitches(options, _) if is_showplan(options))
}
