//! sys.security_policies and sys.security_predicates.

use super::objects::object_cells;
use super::{Declaration, Rows, ViewContext, sys};
use crate::catalog::{Object, SecurityPolicy};
use crate::features::needs;
use crate::row;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    let policy = "name sysname! · object_id int! · principal_id int? · schema_id int! · parent_object_id int! · type varchar(2)? · \
                  type_desc nvarchar(60)? · create_date datetime! · modify_date datetime! · is_ms_shipped bit! · is_enabled bit! · \
                  is_not_for_replication bit! · uses_database_collation bit? · is_schemabinding_enabled bit!";
    let predicate = "object_id int! · security_predicate_id int! · target_object_id int! · predicate_definition nvarchar(max)? · \
                     predicate_type int? · predicate_type_desc nvarchar(60)? · operation int? · operation_desc nvarchar(60)?";
    views.push(sys("security_policies", needs::POLICIES, &[policy], policies));
    views.push(sys("security_predicates", needs::POLICIES, &[predicate], predicates));
}

/// The policies of the database: who holds what the views need sees each of them.
fn all(cx: &ViewContext<'_>) -> impl Iterator<Item = Arc<SecurityPolicy>> {
    cx.database.catalog.objects(cx.sight()).into_iter().filter_map(|o| match o {
        Object::Policy(p) => Some(p),
        _ => None,
    })
}

fn policies(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for p in all(cx) {
        let mut cells = object_cells(cx, &p.head);
        // Without is_published and is_schema_published.
        cells.truncate(10);
        cells.extend(row![p.enabled, p.not_for_replication, false, p.schema_bound]);
        rows.push(cells);
    }
    Ok(())
}

fn predicates(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for policy in all(cx) {
        for p in &policy.predicates {
            let (operation, words) = match p.block.and_then(|at| at.shown()) {
                Some((n, words)) => (Some(n), Some(words)),
                None => (None, None),
            };
            rows.push(row![
                p.policy.0,
                p.id,
                p.table.0,
                &p.definition,
                i32::from(p.block.is_some()),
                p.word(),
                operation,
                words
            ]);
        }
    }
    Ok(())
}
