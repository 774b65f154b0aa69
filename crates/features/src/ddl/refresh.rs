//! `sp_refreshsqlmodule`: the text of a module is taken as if it was altered to it once more, under the options that it was made under.

use super::{function, module, trigger, view};
use crate::catalog::{Module, Object};
use crate::database::Database;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{self, ModuleVerb, StatementKind};
use taffrail_syntax::{ParseOptions, parse_batch};

/// Refreshes a module of the session's database; 15165 for what is none.
pub(crate) fn refresh(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    object: &Object,
    shown: &str,
) -> SqlResult<()> {
    let refreshed = match object {
        Object::View(v) => view::refresh(cx, database, v),
        Object::Procedure(m) | Object::Function(m) | Object::Trigger(m) if m.facts.schema_bound => {
            cx.message(SqlError::new(2023, &[&m.head.name]))
        }
        Object::Procedure(m) | Object::Function(m) | Object::Trigger(m) => {
            let options = cx.session.activation.options;
            cx.session.activation.options.quoted_identifier = m.quoted_identifier;
            cx.session.activation.options.ansi_nulls = m.ansi_nulls;
            let altered = alter(cx, m);
            cx.session.activation.options = options;
            altered
        }
        _ => Err(SqlError::new(15165, &[&shown])),
    };
    // What was read anew is no event.
    cx.forget_events();
    refreshed
}

/// The name of a module as its catalogue has it, whatever stands in its text.
fn own_name(m: &Module, written: &mut ast::ObjectName) {
    let ident = |value: &str| ast::Ident { value: value.into(), ..written.name.clone() };
    let (schema, name) = (ident(&m.head.schema), ident(&m.head.name));
    (written.schema, written.name) = (Some(schema), name);
}

fn alter(cx: &mut StatementContext<'_>, m: &Module) -> SqlResult<()> {
    let damaged = || SqlError::new(15197, &[&m.head.name]);
    let options = ParseOptions { quoted_identifier: m.quoted_identifier };
    let mut batch = parse_batch(&m.definition, options).map_err(|_| damaged())?;
    match batch.statements.pop().map(|s| s.kind) {
        Some(StatementKind::Procedure(mut p)) => {
            p.verb = ModuleVerb::Alter;
            own_name(m, &mut p.name);
            module::procedure(cx, &p, &m.definition)
        }
        Some(StatementKind::Function(mut f)) => {
            f.verb = ModuleVerb::Alter;
            own_name(m, &mut f.name);
            function::function(cx, &f, &m.definition)
        }
        Some(StatementKind::Trigger(mut t)) => {
            t.verb = ModuleVerb::Alter;
            own_name(m, &mut t.name);
            trigger::trigger(cx, &t, &m.definition)?;
            // Whether it is enabled and its place are no matter of its text.
            let database = cx.database();
            match database.catalog.object(m.head.id, cx.session.id) {
                Some(Object::Trigger(now)) => {
                    trigger::change(cx, &database, &now, m.trigger.unwrap_or_default())
                }
                _ => Ok(()),
            }
        }
        _ => Err(damaged()),
    }
}
