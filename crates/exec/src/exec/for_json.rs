//! The result of FOR JSON: the texts of rows, put together and sent in rows of as many characters as SQL Server sends.

use super::ops;
use super::runtime::Rt;
use crate::functions::json::JsonWriter;
use crate::plan::statement::SelectPlan;
use taffrail_base::{SqlError, SqlResult};

/// Sends the rows of a query as JSON; how many rows of the query there were. 13602 inside INSERT … EXEC.
pub(super) fn send(rt: &mut Rt<'_>, q: &SelectPlan, fmtonly: bool) -> SqlResult<u64> {
    let Some(form) = &q.json else { return Ok(0) };
    if rt.cx.session.activation.taking.is_some() {
        return Err(SqlError::new(13602, &[&"INSERT"]));
    }
    if fmtonly {
        rt.cx.columns(&q.plan.columns)?;
        return Ok(0);
    }
    let mut op = ops::build(&q.plan.node);
    ops::refuse_counts(rt, &q.plan.node)?;
    rt.cx.columns(&q.plan.columns)?;
    op.open(rt)?;
    let limit = rt.cx.session.row_limit();
    let text = q.plan.outputs[0] as usize;
    let mut writer = JsonWriter::new(form.clone());
    let mut count = 0;
    while count < limit && op.next(rt)? {
        rt.tick()?;
        writer.push(&rt.frame[text]);
        count += 1;
        send_pieces(rt, &mut writer, false)?;
    }
    writer.end();
    send_pieces(rt, &mut writer, true)?;
    Ok(count)
}

fn send_pieces(rt: &mut Rt<'_>, writer: &mut JsonWriter, ended: bool) -> SqlResult<()> {
    while let Some(piece) = writer.piece(ended) {
        rt.tick()?;
        rt.cx.row(&[piece])?;
    }
    Ok(())
}
