//! Groups: by GROUP BY, DISTINCT, windows and subqueries.

use crate::variants::condition::{all, filter};
use crate::variants::dice::Dice;
use crate::variants::question::{Group, Question};
use crate::variants::tables::Table;

pub fn groups(q: &Question, tables: &[Table], dice: &mut Dice) -> Vec<Group> {
    let r = q.r();
    let key = q.key.1;
    let aggregate = &q.aggregate;
    let right = filter(&q.right);
    // Of texts that are equal any may stand for the group.
    let shown = if key == "s" { "MIN(r.id)" } else { "r.k" };
    let plain = if key == "s" { "MIN(r.id) AS k".to_string() } else { format!("r.{key} AS k") };
    let windowed = if key == "s" {
        "MIN(r.id) OVER (PARTITION BY r.s) AS k".to_string()
    } else {
        format!("r.{key} AS k")
    };
    let same = format!("(r.{key} = z.{key} OR r.{key} IS NULL AND z.{key} IS NULL)");
    let with = format!(" WHERE {} AND {same}", all(&q.right));
    let first =
        if key == "s" { format!("(SELECT MIN(r.id) FROM {r}{with})") } else { format!("z.{key}") };
    let base =
        format!("SELECT {plain}, COUNT(*) AS n, {aggregate} AS a FROM {r}{right} GROUP BY r.{key}");
    let outer = filter_of(q);
    let mut list = vec![
        base.clone(),
        format!("{base} HAVING COUNT(*) > 0"),
        format!(
            "SELECT {}, COUNT(*), {} FROM (SELECT r.{key} AS k, r.* FROM {r}{right}) AS r GROUP BY r.k",
            shown, aggregate
        ),
        format!(
            "SELECT DISTINCT {first}, (SELECT COUNT(*) FROM {r}{with}), (SELECT {aggregate} FROM {r}{with}) FROM {z}{outer}",
            z = r.replace("AS r", "AS z")
        ),
        format!(
            "SELECT {first}, a.n, a.a FROM (SELECT DISTINCT z.{key} FROM {z}{outer}) AS z CROSS APPLY (SELECT \
                COUNT(*) AS n, {aggregate} AS a FROM {r}{with}) AS a",
            z = r.replace("AS r", "AS z")
        ),
    ];
    if !aggregate.contains("DISTINCT") {
        list.push(format!(
            "SELECT DISTINCT {windowed}, COUNT(*) OVER (PARTITION BY r.{key}) AS n, {aggregate} OVER (PARTITION \
                BY r.{key}) AS a FROM {r}{right}"
        ));
    }
    let mut group = Group::of(list);
    group.hinted(dice, &base, 1);
    group.forced(dice, &base, &r, &tables[q.tables[1]]);
    group.forced(dice, &base, &r, &tables[q.tables[1]]);
    let mut out = vec![group];
    // Conditions on groups.
    let having = format!(
        "SELECT COUNT(*) AS n, MIN(r.id) AS i FROM {r}{right} GROUP BY r.{key} HAVING COUNT(*) > 1 AND MAX(r.id) > 5"
    );
    out.push(Group::of(vec![
        having.clone(),
        format!("SELECT n, i FROM (SELECT COUNT(*) AS n, MIN(r.id) AS i, MAX(r.id) AS m FROM {r}{right} GROUP \
            BY r.{key}) AS z WHERE n > 1 AND m > 5"),
    ]));
    if key != "s" {
        out.push(Group::of(vec![
            format!("SELECT DISTINCT r.{key}, r.id % 3 AS m FROM {r}{right}"),
            format!("SELECT r.{key}, r.id % 3 AS m FROM {r}{right} GROUP BY r.{key}, r.id % 3"),
            format!("SELECT r.{key}, r.id % 3 AS m FROM {r}{right} UNION SELECT r.{key}, r.id % 3 FROM {r}{right}"),
        ]));
    }
    // Partners counted: before the join, and after it.
    let (l, left) = (q.l(), filter(&q.left));
    let link = q.link();
    let mut on = vec![link];
    on.extend(q.right.iter().map(|c| c.to_string()));
    let on = on.join(" AND ");
    let counted = format!(
        "SELECT l.id, COUNT(r.id) AS n, {aggregate} AS a FROM {l} LEFT JOIN {r} ON {on}{left} GROUP BY l.id"
    );
    let counted = counted.replace("COUNT(*) AS a", "COUNT(r.id) AS a");
    let inner = q.partners();
    let mut group = Group::of(vec![
        counted.clone(),
        format!(
            "SELECT l.id, z.n, z.a FROM {l} OUTER APPLY (SELECT COUNT(*) AS n, {aggregate} AS a FROM {r}{inner}) AS z{left}"
        ),
        format!(
            "SELECT l.id, (SELECT COUNT(*) FROM {r}{inner}) AS n, (SELECT {aggregate} FROM {r}{inner}) AS a FROM {l}{left}"
        ),
    ]);
    group.hinted(dice, &counted, 2);
    out.push(group);
    out
}

/// The conditions on `r`, on the same table as `z`.
fn filter_of(q: &Question) -> String {
    filter(&q.right).replace("r.", "z.").replace("AS zr", "AS zz")
}
