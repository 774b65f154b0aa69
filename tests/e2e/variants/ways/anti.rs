//! Rows of `l` that have no partner in `r`: by NOT EXISTS, and by NOT IN with its NULLs.

use super::LEFT;
use crate::variants::condition::filter;
use crate::variants::dice::Dice;
use crate::variants::question::{Group, Question};
use crate::variants::tables::Table;

pub fn groups(q: &Question, tables: &[Table], dice: &mut Dice) -> Vec<Group> {
    let mut both = without(q);
    let mut not_in = not_in(q);
    let (l, r) = (q.l(), q.r());
    for group in [&mut both, &mut not_in] {
        let sql = group.ways[0].sql.clone();
        group.by_each_method(&sql);
        group.hinted(dice, &sql, 3);
        group.forced(dice, &sql, &l, &tables[q.tables[0]]);
        group.forced(dice, &sql, &r, &tables[q.tables[1]]);
    }
    vec![both, not_in]
}

fn without(q: &Question) -> Group {
    let (l, r, partners, others) = (q.l(), q.r(), q.partners(), q.others());
    let (x, y) = q.key;
    let exists = format!("EXISTS (SELECT * FROM {r}{partners})");
    let select = |condition: &str| format!("SELECT {LEFT} FROM {l}{}", q.where_left(condition));
    let mut on = vec![q.link()];
    on.extend(q.right.iter().map(|c| c.to_string()));
    let on = on.join(" AND ");
    let with = if others.is_empty() { " WHERE".into() } else { format!("{others} AND") };
    let list = vec![
        select(&format!("NOT {exists}")),
        format!("SELECT {LEFT} FROM {l} LEFT JOIN {r} ON {on}{}", q.where_left("r.id IS NULL")),
        format!("SELECT {LEFT} FROM {r} RIGHT JOIN {l} ON {on}{}", q.where_left("r.id IS NULL")),
        format!(
            "SELECT {LEFT} FROM {l} OUTER APPLY (SELECT TOP (1) r.id FROM {r}{partners}) AS z{}",
            q.where_left("z.id IS NULL")
        ),
        select(&format!("0 = (SELECT COUNT(*) FROM {r}{partners})")),
        select(&format!("CASE WHEN {exists} THEN 0 ELSE 1 END = 1")),
        select(&format!("(NOT {exists} OR l.id IS NULL)")),
        select(&format!("(l.id IS NULL AND {exists} OR NOT {exists})")),
        select(&format!(
            "(l.{x} IS NULL OR l.{x} NOT IN (SELECT r.{y} FROM {r}{with} r.{y} IS NOT NULL))"
        )),
        select(&format!(
            "NOT (l.{x} IS NOT NULL AND l.{x} IN (SELECT r.{y} FROM {r}{with} r.{y} IS NOT NULL))"
        )),
        select(&format!("l.id NOT IN (SELECT l.id FROM {l} JOIN {r} ON {on})")),
        format!(
            "SELECT {LEFT} FROM {l}{} EXCEPT SELECT {LEFT} FROM {l} JOIN {r} ON {on}",
            filter(&q.left)
        ),
        format!(
            "BEGIN TRAN; DELETE l OUTPUT deleted.id, deleted.x, deleted.s FROM {l}{}; ROLLBACK",
            q.where_left(&format!("NOT {exists}"))
        ),
    ];
    Group::of(list)
}

fn not_in(q: &Question) -> Group {
    let (l, r, others) = (q.l(), q.r(), q.others());
    let (x, y) = q.key;
    let select = |condition: &str| format!("SELECT {LEFT} FROM {l}{}", q.where_left(condition));
    let rows = format!("SELECT r.{y} FROM {r}{others}");
    let with = if others.is_empty() { " WHERE".into() } else { format!("{others} AND") };
    let any = format!("SELECT * FROM {r}{with}");
    let list = vec![
        select(&format!("l.{x} NOT IN ({rows})")),
        select(&format!("NOT (l.{x} IN ({rows}))")),
        select(&format!("l.{x} <> ALL ({rows})")),
        select(&format!("NOT (l.{x} = ANY ({rows}))")),
        select(&format!("(l.{x} NOT IN ({rows}) OR l.id IS NULL)")),
        select(&format!(
            "CASE WHEN l.{x} IN ({rows}) THEN 0 WHEN l.{x} NOT IN ({rows}) THEN 1 END = 1"
        )),
        select(&format!(
            "(NOT EXISTS (SELECT * FROM {r}{others}) OR l.{x} IS NOT NULL AND NOT EXISTS ({any} r.{y} IS NULL) \
             AND NOT EXISTS ({any} r.{y} = l.{x}))"
        )),
        select(&format!("NOT EXISTS ({any} (r.{y} = l.{x} OR r.{y} IS NULL OR l.{x} IS NULL))")),
        select(&format!(
            "0 = (SELECT COUNT(*) FROM {r}{with} (r.{y} = l.{x} OR r.{y} IS NULL OR l.{x} IS NULL))"
        )),
        format!(
            "BEGIN TRAN; DELETE l OUTPUT deleted.id, deleted.x, deleted.s FROM {l}{}; ROLLBACK",
            q.where_left(&format!("l.{x} NOT IN ({rows})"))
        ),
    ];
    Group::of(list)
}
