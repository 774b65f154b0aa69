//! `taffrail.plan_of`: the plans of a text, which is not run. See [`crate::exec::showplan`].

use super::{Declaration, SCHEMA, ViewContext};
use crate::exec::showplan::plans_of;
use crate::features::needs;
use crate::row;
use crate::views::{Rows, function};
use taffrail_base::SqlResult;
use taffrail_types::Value;

const COLUMNS: &str = "statement int! · line int! · logical nvarchar(max)! · physical nvarchar(max)! · needs nvarchar(max)!";

pub(super) fn declare(views: &mut Vec<Declaration>) {
    let found = function("plan_of", needs::PLANS_SEEN, 1, &[COLUMNS], of_text);
    views.push(Declaration { schema: SCHEMA, ..found });
}

fn of_text(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let Some(text) = args.first().and_then(Value::as_text) else { return Ok(()) };
    for p in plans_of(cx.session, &text)? {
        rows.push(row![p.statement, p.line as i32, p.logical, p.physical, p.needs]);
    }
    Ok(())
}
