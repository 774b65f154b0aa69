//! EXISTS, IN and comparisons with ANY and ALL as values: true, false or unknown, row by row.

use crate::variants::condition::{Condition, filter};
use crate::variants::question::{Group, Question};

pub fn groups(q: &Question) -> Vec<Group> {
    let (l, r, partners, others, left) = (q.l(), q.r(), q.partners(), q.others(), filter(&q.left));
    let (x, y) = q.key;
    let rows = format!("SELECT r.{y} FROM {r}{others}");
    let with = if others.is_empty() { " WHERE".into() } else { format!("{others} AND") };
    let count = |condition: &str| format!("(SELECT COUNT(*) FROM {r}{with} {condition})");
    let exists = format!("EXISTS (SELECT * FROM {r}{partners})");
    let hits = count(&format!("r.{y} = l.{x}"));
    let doubts = count(&format!("(r.{y} IS NULL OR l.{x} IS NULL)"));
    let select = |value: &str| format!("SELECT l.id, {value} AS m FROM {l}{left}");
    let is_in = Group::of(vec![
        select(&format!(
            "CASE WHEN l.{x} IN ({rows}) THEN 1 WHEN l.{x} NOT IN ({rows}) THEN 0 ELSE -1 END"
        )),
        select(&format!(
            "CASE WHEN l.{x} = ANY ({rows}) THEN 1 WHEN l.{x} <> ALL ({rows}) THEN 0 ELSE -1 END"
        )),
        select(&format!(
            "CASE WHEN NOT (l.{x} IN ({rows})) THEN 0 WHEN l.{x} IN ({rows}) THEN 1 ELSE -1 END"
        )),
        select(&format!("CASE WHEN {hits} > 0 THEN 1 WHEN {doubts} > 0 THEN -1 ELSE 0 END")),
        format!(
            "SELECT l.id, 1 AS m FROM {l}{} UNION ALL SELECT l.id, 0 FROM {l}{} UNION ALL SELECT l.id, -1 FROM {l}{}",
            q.where_left(&format!("l.{x} IN ({rows})")),
            q.where_left(&format!("l.{x} NOT IN ({rows})")),
            q.where_left(&format!("{hits} = 0 AND {doubts} > 0"))
        ),
    ]);
    let is_there = Group::of(vec![
        select(&format!("CASE WHEN {exists} THEN 1 ELSE 0 END")),
        select(&format!("IIF(NOT {exists}, 0, 1)")),
        select(&format!("SIGN((SELECT COUNT(*) FROM {r}{partners}))")),
        format!(
            "SELECT l.id, ISNULL(z.one, 0) AS m FROM {l} OUTER APPLY (SELECT TOP (1) 1 AS one FROM {r}{partners}) AS z{left}"
        ),
    ]);
    // Below OR, beside a condition on the row.
    let p = q.left.first().cloned().unwrap_or(Condition::Leaf("l.x > l.y".into()));
    let or = Group::of(vec![
        format!("SELECT l.id FROM {l} WHERE ({p} OR {exists})"),
        format!("SELECT l.id FROM {l} WHERE ({exists} OR {p})"),
        format!("SELECT l.id FROM {l} WHERE {p} UNION SELECT l.id FROM {l} WHERE {exists}"),
        format!(
            "SELECT l.id FROM {l} WHERE CASE WHEN {p} THEN 1 WHEN {exists} THEN 1 ELSE 0 END = 1"
        ),
    ]);
    let or_in = Group::of(vec![
        format!("SELECT l.id FROM {l} WHERE ({p} OR l.{x} NOT IN ({rows}))"),
        format!(
            "SELECT l.id FROM {l} WHERE {p} UNION SELECT l.id FROM {l} WHERE l.{x} NOT IN ({rows})"
        ),
        format!("SELECT l.id FROM {l} WHERE ({p} OR {hits} = 0 AND {doubts} = 0)"),
    ]);
    let mut out = vec![is_in, is_there, or, or_in];
    // The least and the greatest say what ALL and ANY say, but for NULL and for no row.
    if x != "s" && x != "d" {
        let known = format!("SELECT r.{y} FROM {r}{with} r.{y} IS NOT NULL");
        let end = |f: &str| format!("(SELECT {f}(r.{y}) FROM {r}{others})");
        out.push(Group::of(vec![
            format!("SELECT l.id FROM {l}{}", q.where_left(&format!("l.{x} > ANY ({known})"))),
            format!("SELECT l.id FROM {l}{}", q.where_left(&format!("l.{x} > {}", end("MIN")))),
            format!(
                "SELECT l.id FROM {l}{}",
                q.where_left(&format!("{} > 0", count(&format!("r.{y} < l.{x}"))))
            ),
        ]));
        out.push(Group::of(vec![
            format!("SELECT l.id FROM {l}{}", q.where_left(&format!("l.{x} >= ALL ({known})"))),
            format!(
                "SELECT l.id FROM {l}{}",
                q.where_left(&format!("(l.{x} >= {m} OR {m} IS NULL)", m = end("MAX")))
            ),
        ]));
    }
    out
}
