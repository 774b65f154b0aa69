//! Aggregates of `l`'s partners: as subqueries, by APPLY, by a join to groups.

use crate::variants::condition::{all, filter};
use crate::variants::dice::Dice;
use crate::variants::question::{Group, Question};
use crate::variants::tables::Table;

pub fn groups(q: &Question, tables: &[Table], dice: &mut Dice) -> Vec<Group> {
    let (l, r, partners, left) = (q.l(), q.r(), q.partners(), filter(&q.left));
    let (x, y) = q.key;
    let aggregate = &q.aggregate;
    let subquery = format!("(SELECT {aggregate} FROM {r}{partners})");
    let base = format!("SELECT l.id, {subquery} AS a FROM {l}{left}");
    let mut list = vec![
        base.clone(),
        format!(
            "SELECT l.id, z.a FROM {l} OUTER APPLY (SELECT {aggregate} AS a FROM {r}{partners}) AS z{left}"
        ),
        format!(
            "SELECT l.id, z.a FROM {l} CROSS APPLY (SELECT {aggregate} AS a FROM {r}{partners}) AS z{left}"
        ),
        format!("SELECT l.id, CASE WHEN l.id >= 0 THEN {subquery} END AS a FROM {l}{left}"),
        format!("SELECT id, a FROM (SELECT l.id, {subquery} AS a FROM {l}{left}) AS z"),
        format!(
            "SELECT l.id, MAX({subquery_of}) FROM {l} CROSS APPLY (SELECT {aggregate} AS a FROM {r}{partners}) AS z{left} GROUP BY l.id",
            subquery_of = "z.a"
        ),
    ];
    let counts = aggregate.starts_with("COUNT");
    if q.on.is_empty() {
        let value = if counts { "ISNULL(z.a, 0)" } else { "z.a" };
        list.push(format!(
            "SELECT l.id, {value} FROM {l} LEFT JOIN (SELECT r.{y} AS k, {aggregate} AS a FROM {r}{} GROUP BY \
                r.{y}) AS z ON z.k = l.{x}{left}",
            filter(&q.right)
        ));
    }
    let mut on = vec![q.link()];
    on.extend(q.right.iter().map(|c| c.to_string()));
    let on = on.join(" AND ");
    let per_row = aggregate.replace("COUNT(*)", "COUNT(r.id)");
    list.push(format!("SELECT l.id, {per_row} FROM {l} LEFT JOIN {r} ON {on}{left} GROUP BY l.id"));
    let mut group = Group::of(list);
    group.hinted(dice, &base, 2);
    group.forced(dice, &base, &l, &tables[q.tables[0]]);
    group.forced(dice, &base, &r, &tables[q.tables[1]]);
    // Compared with.
    let op = dice.word(&["<", "=", ">=", "<>"]);
    let compared = format!("SELECT l.id FROM {l}{}", q.where_left(&format!("l.y {op} {subquery}")));
    let apply = format!("{l} CROSS APPLY (SELECT {aggregate} AS a FROM {r}{partners}) AS z");
    let mut where_group = Group::of(vec![
        compared.clone(),
        format!("SELECT l.id FROM {apply}{}", q.where_left(&format!("l.y {op} z.a"))),
        format!(
            "SELECT id FROM (SELECT l.id, l.y, {subquery} AS a FROM {l}{left}) AS z WHERE z.y {op} z.a"
        ),
        format!(
            "SELECT l.id FROM {l}{}",
            q.where_left(&format!("(l.y {op} {subquery} OR l.id IS NULL)"))
        ),
        format!(
            "BEGIN TRAN; DELETE l OUTPUT deleted.id FROM {l}{}; ROLLBACK",
            q.where_left(&format!("l.y {op} {subquery}"))
        ),
    ]);
    where_group.hinted(dice, &compared, 1);
    // Missing, and in an order.
    let missing = Group::of(vec![
        format!("SELECT l.id FROM {l}{}", q.where_left(&format!("{subquery} IS NULL"))),
        format!("SELECT l.id FROM {apply}{}", q.where_left("z.a IS NULL")),
    ]);
    let mut sorted = Group::of(vec![
        format!("SELECT l.id FROM {l}{left} ORDER BY {subquery}, l.id"),
        format!("SELECT l.id FROM {apply}{left} ORDER BY z.a, l.id"),
    ]);
    sorted.ordered = true;
    // The value of one row, and of none.
    let alone = format!("SELECT r.{y} FROM {r} WHERE r.id = l.id AND {}", all(&q.right));
    let single = Group::of(vec![
        format!("SELECT l.id, ({alone}) FROM {l}{left}"),
        format!("SELECT l.id, z.{y} FROM {l} OUTER APPLY ({alone}) AS z{left}"),
        format!(
            "SELECT l.id, r.{y} FROM {l} LEFT JOIN {r} ON r.id = l.id AND {}{left}",
            all(&q.right)
        ),
    ]);
    vec![group, where_group, missing, sorted, single]
}
