//! Inner and outer joins: in each order of the text, by each method, through each index.

use crate::variants::condition::{all, filter};
use crate::variants::dice::Dice;
use crate::variants::question::{Group, Question, Way};
use crate::variants::tables::Table;

/// Pairs, or triples.
pub fn inner(q: &Question, tables: &[Table], dice: &mut Dice) -> Vec<Group> {
    let (l, r, s) = (q.l(), q.r(), q.q());
    let (columns, third) = match q.three {
        true => (
            "l.id, r.id AS rid, q.id AS qid, l.s, r.x",
            format!(" JOIN {s} ON {}", q.second_link()),
        ),
        false => ("l.id, r.id AS rid, l.s, r.x", String::new()),
    };
    let (link, second) = (q.link(), q.second_link());
    let mut both = q.left.clone();
    both.extend(q.right.iter().cloned());
    let filter_both = filter(&both);
    let base = format!("SELECT {columns} FROM {l} JOIN {r} ON {link}{third}{filter_both}");
    let comma = match q.three {
        true => format!(
            "SELECT {columns} FROM {s}, {r}, {l} WHERE {second} AND {link} AND {}",
            all(&both)
        ),
        false => format!("SELECT {columns} FROM {r}, {l} WHERE {link} AND {}", all(&both)),
    };
    let mut list = vec![
        base.clone(),
        comma.clone(),
        format!("SELECT {columns} FROM {r} JOIN {l} ON {link}{third}{filter_both}"),
        format!("SELECT {columns} FROM {r} JOIN {l} ON {link} AND {}{third}", all(&both)),
        format!(
            "SELECT {columns} FROM {l} CROSS APPLY (SELECT * FROM {r}{}) AS r{third}{}",
            q.partners(),
            filter(&q.left)
        ),
        format!(
            "SELECT {columns} FROM (SELECT * FROM {l}{}) AS l JOIN (SELECT * FROM {r}{}) AS r ON {link}{third}",
            filter(&q.left),
            filter(&q.right)
        ),
        format!(
            "SELECT {columns} FROM (SELECT TOP (100) PERCENT * FROM {l}{}) AS l JOIN (SELECT DISTINCT * FROM {r}{}) AS r ON {link}{third}",
            filter(&q.left),
            filter(&q.right)
        ),
        format!(
            "SELECT {columns} FROM {l} LEFT JOIN {r} ON {link}{third}{}",
            filter_and(&both, "r.id IS NOT NULL")
        ),
    ];
    if q.three {
        list.push(format!(
            "SELECT {columns} FROM {l} JOIN ({r} JOIN {s} ON {second}) ON {link}{filter_both}"
        ));
        list.push(format!("SELECT {columns} FROM {l} CROSS JOIN {r} CROSS JOIN {s} WHERE {link} AND {second} AND {}", all(&both)));
    }
    let mut group = Group::of(list);
    for method in ["LOOP", "HASH", "MERGE"] {
        let sql = format!(
            "SELECT {columns} FROM {l} INNER {method} JOIN {r} ON {link}{third}{filter_both}"
        );
        group.ways.push(Way { sql, forced: true });
    }
    group.hinted(dice, &base, 3);
    group.hinted(dice, &comma, 3);
    force(&mut group, q, tables, dice, &base);
    force(&mut group, q, tables, dice, &comma);
    vec![group]
}

/// LEFT, RIGHT and FULL.
pub fn outer(q: &Question, tables: &[Table], dice: &mut Dice) -> Vec<Group> {
    let (l, r) = (q.l(), q.r());
    let columns = "l.id, r.id AS rid, l.s, r.x";
    let link = q.link();
    let mut on = vec![link.clone()];
    on.extend(q.right.iter().map(|c| c.to_string()));
    let on = on.join(" AND ");
    let (left, right) = (filter(&q.left), filter(&q.right));
    let none = |condition: &str, table: &str| {
        format!("NOT EXISTS (SELECT * FROM {table} WHERE {condition})")
    };
    let base = format!("SELECT {columns} FROM {l} LEFT JOIN {r} ON {on}{left}");
    let mut lefts = Group::of(vec![
        base.clone(),
        format!("SELECT {columns} FROM {r} RIGHT JOIN {l} ON {on}{left}"),
        format!(
            "SELECT {columns} FROM {l} OUTER APPLY (SELECT * FROM {r}{}) AS r{left}",
            q.partners()
        ),
        format!(
            "SELECT {columns} FROM {l} LEFT JOIN (SELECT * FROM {r}{right}) AS r ON {link}{left}"
        ),
        format!("SELECT {columns} FROM (SELECT * FROM {l}{left}) AS l LEFT JOIN {r} ON {on}"),
        format!(
            "SELECT {columns} FROM {l} JOIN {r} ON {on}{left} UNION ALL SELECT l.id, NULL, l.s, NULL FROM {l}{}",
            q.where_left(&none(&on, &r))
        ),
        format!(
            "SELECT {columns} FROM (SELECT * FROM {l}{left}) AS l FULL JOIN (SELECT * FROM {r}{right}) AS r ON \
                {link} WHERE l.id IS NOT NULL"
        ),
    ]);
    for method in ["LOOP", "HASH", "MERGE"] {
        let sql = format!("SELECT {columns} FROM {l} LEFT {method} JOIN {r} ON {on}{left}");
        lefts.ways.push(Way { sql, forced: true });
    }
    for method in ["HASH", "MERGE"] {
        let sql = format!("SELECT {columns} FROM {r} RIGHT {method} JOIN {l} ON {on}{left}");
        lefts.ways.push(Way { sql, forced: true });
    }
    lefts.hinted(dice, &base, 2);
    force(&mut lefts, q, tables, dice, &base);
    let full = format!("SELECT {columns} FROM {l} FULL JOIN {r} ON {on}");
    let mut fulls = Group::of(vec![
        full.clone(),
        format!("SELECT {columns} FROM {r} FULL JOIN {l} ON {on}"),
        format!(
            "SELECT {columns} FROM {l} LEFT JOIN {r} ON {on} UNION ALL SELECT NULL, r.id, NULL, r.x FROM {r} WHERE {}",
            none(&on, &l)
        ),
        format!(
            "SELECT {columns} FROM {l} RIGHT JOIN {r} ON {on} UNION ALL SELECT l.id, NULL, l.s, NULL FROM {l} WHERE {}",
            none(&on, &r)
        ),
    ]);
    for method in ["HASH", "MERGE"] {
        for (a, b) in [(&l, &r), (&r, &l)] {
            let sql = format!("SELECT {columns} FROM {a} FULL {method} JOIN {b} ON {on}");
            fulls.ways.push(Way { sql, forced: true });
        }
    }
    fulls.hinted(dice, &full, 2);
    let mut out = vec![lefts, fulls];
    if q.three {
        // What is joined to the side that may be missing takes the missing rows away again.
        let (s, second) = (q.q(), q.second_link());
        let columns = "l.id, r.id AS rid, q.id AS qid";
        let base =
            format!("SELECT {columns} FROM {l} LEFT JOIN {r} ON {on} JOIN {s} ON {second}{left}");
        let mut group = Group::of(vec![
            base.clone(),
            format!("SELECT {columns} FROM {l} JOIN {r} ON {on} JOIN {s} ON {second}{left}"),
            format!("SELECT {columns} FROM {s} JOIN ({l} LEFT JOIN {r} ON {on}) ON {second}{left}"),
        ]);
        group.hinted(dice, &base, 2);
        out.push(group);
        let base = format!(
            "SELECT {columns} FROM {l} LEFT JOIN {r} ON {on} LEFT JOIN {s} ON {second}{left}"
        );
        let mut group = Group::of(vec![
            base.clone(),
            format!(
                "SELECT {columns} FROM {l} LEFT JOIN ({r} LEFT JOIN {s} ON {second}) ON {on}{left}"
            ),
            format!(
                "SELECT {columns} FROM {l} OUTER APPLY (SELECT * FROM {r}{}) AS r OUTER APPLY (SELECT q.id FROM \
                    {s} WHERE {second}) AS q{left}",
                q.partners()
            ),
        ]);
        group.hinted(dice, &base, 2);
        out.push(group);
    }
    out
}

fn filter_and(conditions: &[crate::variants::condition::Condition], more: &str) -> String {
    format!(" WHERE {} AND {more}", all(conditions))
}

/// The same through other indexes.
fn force(group: &mut Group, q: &Question, tables: &[Table], dice: &mut Dice, sql: &str) {
    group.forced(dice, sql, &q.l(), &tables[q.tables[0]]);
    group.forced(dice, sql, &q.r(), &tables[q.tables[1]]);
    if q.three {
        group.forced(dice, sql, &q.q(), &tables[q.tables[2]]);
    }
}
