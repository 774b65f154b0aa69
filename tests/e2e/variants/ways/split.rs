//! One table: each index forced; the rows for which a condition holds, does not, and is unknown are all rows.

use crate::variants::condition::{Condition, all, filter};
use crate::variants::question::{Group, Question, Way};
use crate::variants::tables::Table;

pub fn groups(q: &Question, tables: &[Table]) -> Vec<Group> {
    let l = q.l();
    let columns = "l.id, l.u, l.x, l.s, l.d";
    // What of the question is about `l` alone is the condition, but for the first.
    let (before, p) = match q.left.split_first() {
        Some((first, rest)) if !rest.is_empty() => (std::slice::from_ref(first), rest.to_vec()),
        _ => (&[][..], q.left.clone()),
    };
    let p = match p.is_empty() {
        true => Condition::Leaf("l.x = l.y".into()),
        false => Condition::All(p),
    };
    let unknown = format!("CASE WHEN {p} THEN 1 WHEN NOT {p} THEN 0 END IS NULL");
    let with = |more: &str| format!(" WHERE {} AND {more}", all(before));
    let parts = [with(&p.to_string()), with(&format!("NOT {p}")), with(&unknown)];
    let union = |columns: &str| {
        let list: Vec<String> =
            parts.iter().map(|w| format!("SELECT {columns} FROM {l}{w}")).collect();
        list.join(" UNION ALL ")
    };
    let mut whole = Group::of(vec![
        format!("SELECT {columns} FROM {l}{}", filter(before)),
        union(columns),
        format!("SELECT {columns} FROM {l}{}", with(&format!("({p} OR NOT {p} OR {unknown})"))),
    ]);
    let sql = format!("SELECT {columns} FROM {l}{}", parts[0]);
    let mut some = Group::of(vec![
        sql.clone(),
        format!("SELECT {columns} FROM {l}{}", with(&format!("NOT (NOT {p})"))),
        format!("SELECT {columns} FROM {l}{}", with(&format!("{p} AND {p}"))),
        format!("SELECT {columns} FROM {l}{}", with(&format!("({p} OR {p})"))),
        format!("SELECT {columns} FROM {l}{}", with(&format!("CASE WHEN {p} THEN 1 END = 1"))),
        format!("SELECT {columns} FROM {l}{}", with(&format!("IIF({p}, 1, 0) = 1"))),
        format!("SELECT {columns} FROM (SELECT * FROM {l}{}) AS l WHERE {p}", filter(before)),
        format!("SELECT {columns} FROM {l} JOIN {l}2 ON l2.id = l.id{}", parts[0]),
        format!(
            "BEGIN TRAN; DELETE l OUTPUT deleted.id, deleted.u, deleted.x, deleted.s, deleted.d FROM {l}{}; ROLLBACK",
            parts[0]
        ),
        format!(
            "BEGIN TRAN; UPDATE l SET y = 1 OUTPUT deleted.id, deleted.u, deleted.x, deleted.s, deleted.d FROM {l}{}; ROLLBACK",
            parts[0]
        ),
    ]);
    let mut hints: Vec<String> =
        tables[q.tables[0]].indexes.iter().map(|i| format!("INDEX ({i})")).collect();
    hints.extend(["INDEX (0)", "FORCESCAN", "FORCESEEK"].map(String::from));
    for hint in hints {
        let from = format!("{l} WITH ({hint})");
        let sql = sql.replace(&l, &from);
        some.ways.push(Way { sql, forced: true });
        let sql = union(columns).replace(&l, &from);
        whole.ways.push(Way { sql, forced: true });
    }
    // Figures of the parts make up those of the whole.
    let figures = "COUNT(*) AS n, COUNT(l.x) AS c, SUM(l.x) AS t, MIN(l.u) AS a, MAX(l.y) AS b, MIN(l.d) AS e, MAX(l.d) AS f";
    let list: Vec<String> = parts.iter().map(|w| format!("SELECT {figures} FROM {l}{w}")).collect();
    let sums = "SUM(n), SUM(c), SUM(t), MIN(a), MAX(b), MIN(e), MAX(f)";
    let figured = Group::of(vec![
        format!("SELECT {figures} FROM {l}{}", filter(before)),
        format!("SELECT {sums} FROM ({}) AS z", list.join(" UNION ALL ")),
        format!(
            "SELECT {sums} FROM (SELECT {figures} FROM (SELECT l.*, CASE WHEN {p} THEN 1 WHEN NOT {p} THEN 0 END AS g FROM {l}{}) AS l \
             GROUP BY l.g) AS z HAVING COUNT(*) > 0 \
             UNION ALL SELECT 0, 0, NULL, NULL, NULL, NULL, NULL WHERE NOT EXISTS (SELECT * FROM {l}{})",
            filter(before),
            filter(before)
        ),
        format!(
            "SELECT SUM(1) - SUM(0), SUM(CASE WHEN l.x IS NULL THEN 0 ELSE 1 END), SUM(l.x), MIN(l.u), \
                MAX(l.y), MIN(l.d), MAX(l.d) FROM {l}{} HAVING COUNT(*) > 0 \
             UNION ALL SELECT 0, 0, NULL, NULL, NULL, NULL, NULL WHERE NOT EXISTS (SELECT * FROM {l}{})",
            filter(before),
            filter(before)
        ),
    ]);
    let mut ends = Vec::new();
    for (f, c, desc) in
        [("MIN", "x", ""), ("MAX", "x", " DESC"), ("MAX", "d", " DESC"), ("MIN", "u", "")]
    {
        let present = with(&format!("{p} AND l.{c} IS NOT NULL"));
        ends.push(Group::of(vec![
            format!("SELECT {f}(l.{c}) FROM {l}{}", parts[0]),
            format!("SELECT (SELECT TOP (1) l.{c} FROM {l}{present} ORDER BY l.{c}{desc})"),
            format!("SELECT {f}(z.{c}) FROM (SELECT DISTINCT l.{c} FROM {l}{}) AS z", parts[0]),
        ]));
    }
    let mut out = vec![whole, some, figured];
    out.extend(ends);
    out
}
