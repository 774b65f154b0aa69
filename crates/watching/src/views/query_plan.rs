//! sys.dm_exec_query_plan and sys.dm_exec_text_query_plan: the plans behind a `plan_handle`, as XML.
//!
//! The document has all statements of the batch or module; those that are not planned yet have no plan in it. The plans are what the cache
//! holds: what is not there any more gives no row. A document that nests deeper than a value of xml may is NULL for the first function.

use super::cell::IntoCell;
use super::{Declaration, Rows, ViewContext, by_column};
use crate::exec::module::{Module, Stmt};
use crate::features::cell::{Column, Columns};
use crate::features::needs;
use crate::features::view::integer;
use crate::plan::showplan::document::DEEPEST;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    let needs = needs::SERVER_PERFORMANCE;
    let of_xml = by_column("dm_exec_query_plan", needs, XML, as_xml);
    let of_text = by_column("dm_exec_text_query_plan", needs, TEXT, as_text);
    views.extend([
        Declaration { arguments: Some((1, 1)), ..of_xml },
        Declaration { arguments: Some((1, 3)), ..of_text },
    ]);
}

/// A module of the cache with the document of its plans.
struct Told {
    module: Arc<Module>,
    plan: Option<String>,
}

const OWN: &[Column<Told>] = &[
    ("dbid smallint?", |t| t.module.object().map(|o| o.0).cell()),
    ("objectid int?", |t| t.module.object().map(|o| o.1).cell()),
    ("number smallint?", |t| t.module.object().map(|_| 1).cell()),
    ("encrypted bit!", |t| Value::Bit(t.module.encrypted)),
];

fn plan(t: &Told) -> Value {
    t.plan.as_deref().map_or(Value::Null, Value::nvarchar)
}

const XML: Columns<Told> = &[OWN, &[("query_plan xml?", plan)]];
const TEXT: Columns<Told> = &[OWN, &[("query_plan nvarchar(max)?", plan)]];

/// The module of a plan that the cache holds.
fn module_of(cx: &ViewContext<'_>, args: &[Value]) -> Option<Arc<Module>> {
    let wanted = args.first().and_then(Value::as_bytes)?;
    let module = cx.session.instance.plans().by_handle(wanted)?;
    (module.plan_handle()[..] == *wanted).then_some(module)
}

fn as_xml(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let Some(module) = module_of(cx, args) else { return Ok(()) };
    let plan = match module.encrypted {
        true => None,
        false => Some(module.plan_document(&|_| true)?).filter(|x| x.depth() < DEEPEST),
    };
    rows.show(XML, &Told { module, plan: plan.map(|x| x.text()) });
    Ok(())
}

/// Offsets are bytes of UTF-16, as sys.dm_exec_query_stats tells them; -1 is the end.
fn as_text(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let Some(module) = module_of(cx, args) else { return Ok(()) };
    let first = integer(args, 1)?.unwrap_or(0);
    let last = integer(args, 2)?.filter(|n| *n >= 0).unwrap_or(i64::MAX);
    let wanted = |s: &Stmt| {
        let begins = i64::from(module.place(s.span.start as i32, s.span.end as i32).0);
        begins >= first && begins <= last
    };
    let plan = match module.encrypted {
        true => None,
        false => Some(module.plan_document(&wanted)?.text()),
    };
    rows.show(TEXT, &Told { module, plan });
    Ok(())
}
