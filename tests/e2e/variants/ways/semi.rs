//! Rows of `l` that have a partner in `r`.

use super::LEFT;
use crate::variants::condition::{all, filter};
use crate::variants::dice::Dice;
use crate::variants::question::{Group, Question};
use crate::variants::tables::Table;

pub fn groups(q: &Question, tables: &[Table], dice: &mut Dice) -> Vec<Group> {
    let (l, r, partners, others) = (q.l(), q.r(), q.partners(), q.others());
    let (x, y) = q.key;
    let exists = format!("EXISTS (SELECT * FROM {r}{partners})");
    let select = |condition: &str| format!("SELECT {LEFT} FROM {l}{}", q.where_left(condition));
    let by_exists = select(&exists);
    let by_in = select(&format!("l.{x} IN (SELECT r.{y} FROM {r}{others})"));
    let mut both = q.left.clone();
    both.extend(q.right.iter().cloned());
    let joined =
        format!("SELECT DISTINCT {LEFT} FROM {l} JOIN {r} ON {}{}", q.link(), filter(&both));
    let ids = format!("SELECT l.id FROM {l} INNER JOIN {r} ON {} WHERE {}", q.link(), all(&both));
    let mut list = vec![
        by_exists.clone(),
        by_in.clone(),
        joined.clone(),
        select(&format!("l.{x} = ANY (SELECT r.{y} FROM {r}{others})")),
        select(&format!("NOT (NOT {exists})")),
        select(&format!("({exists} OR l.id IS NULL)")),
        select(&format!("CASE WHEN {exists} THEN 1 ELSE 0 END = 1")),
        select(&format!("0 < (SELECT COUNT(*) FROM {r}{partners})")),
        select(&format!("(SELECT MIN(r.id) FROM {r}{partners}) IS NOT NULL")),
        format!("SELECT {LEFT} FROM {l} WHERE l.id IN ({ids})"),
        format!(
            "SELECT {LEFT} FROM {l} CROSS APPLY (SELECT TOP (1) 1 AS one FROM {r}{partners}) AS z{}",
            filter(&q.left)
        ),
        format!("WITH z AS (SELECT * FROM {r}) {}", by_exists.replace(&r, "z AS r")),
        format!(
            "SELECT id, x, s FROM (SELECT l.*, CASE WHEN {exists} THEN 1 END AS f FROM {l}) AS l{}",
            q.where_left("l.f = 1")
        ),
        format!(
            "SELECT {LEFT} FROM {l}{} INTERSECT SELECT {LEFT} FROM {l} JOIN {r} ON {}{}",
            filter(&q.left),
            q.link(),
            filter(&q.right)
        ),
        format!(
            "BEGIN TRAN; DELETE l OUTPUT deleted.id, deleted.x, deleted.s FROM {l}{}; ROLLBACK",
            q.where_left(&exists)
        ),
        format!(
            "BEGIN TRAN; UPDATE l SET y = l.y, d = l.d OUTPUT inserted.id, inserted.x, inserted.s FROM {l} JOIN {r} ON {} {}; ROLLBACK",
            q.link(),
            filter(&both)
        ),
    ];
    if q.on.is_empty() {
        let right = filter(&q.right);
        list.push(format!(
            "SELECT {LEFT} FROM {l} JOIN (SELECT DISTINCT r.{y} AS k FROM {r}{right}) AS z ON z.k = l.{x}{}",
            filter(&q.left)
        ));
        list.push(format!(
            "SELECT {LEFT} FROM {l} LEFT JOIN (SELECT r.{y} AS k, COUNT(*) AS n FROM {r}{right} GROUP BY r.{y}) AS z ON z.k = l.{x}{}",
            q.where_left("z.n > 0")
        ));
    }
    let mut group = Group::of(list);
    group.by_each_method(&by_exists);
    group.by_each_method(&joined);
    group.hinted(dice, &by_exists, 2);
    group.hinted(dice, &by_in, 1);
    group.hinted(dice, &joined, 3);
    for sql in [&by_exists, &by_in, &joined] {
        group.forced(dice, sql, &l, &tables[q.tables[0]]);
        group.forced(dice, sql, &r, &tables[q.tables[1]]);
    }
    vec![group]
}
