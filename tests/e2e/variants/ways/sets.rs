//! UNION, INTERSECT and EXCEPT against joins and DISTINCT.

use crate::variants::condition::{all, filter};
use crate::variants::question::{Group, Question};

pub fn groups(q: &Question) -> Vec<Group> {
    let (l, r) = (q.l(), q.r());
    let (x, y) = q.key;
    // Of texts that are equal any may stand for all: they are counted.
    let shown = match x {
        "s" => "COUNT(*)",
        "d" => "CAST(k AS datetime2(3))",
        _ => "CAST(k AS float)",
    };
    let out = |rows: String| format!("SELECT {shown} FROM ({rows}) AS z");
    let (left, right) = (filter(&q.left), filter(&q.right));
    let a = format!("SELECT l.{x} AS k FROM {l}{left}");
    let b = format!("SELECT r.{y} AS k FROM {r}{right}");
    let same = format!("(l.{x} = r.{y} OR l.{x} IS NULL AND r.{y} IS NULL)");
    let meets = format!("EXISTS (SELECT * FROM {r} WHERE {} AND {same})", all(&q.right));
    let distinct = format!("SELECT DISTINCT l.{x} AS k FROM {l}");
    let union = out(format!("{a} UNION {b}"));
    let intersect = out(format!("{a} INTERSECT {b}"));
    let except = out(format!("{a} EXCEPT {b}"));
    vec![
        Group::of(vec![
            union.clone(),
            out(format!("SELECT DISTINCT k FROM ({a} UNION ALL {b}) AS u")),
            out(format!("SELECT k FROM ({a} UNION ALL {b}) AS u GROUP BY k")),
            out(format!("{b} UNION {a}")),
            out(format!("({a} EXCEPT {b}) UNION ALL ({b} INTERSECT {b})")),
        ]),
        Group::of(vec![
            intersect.clone(),
            out(format!("{b} INTERSECT {a}")),
            out(format!("{distinct}{}", q.where_left(&meets))),
            out(format!(
                "SELECT DISTINCT l.{x} AS k FROM {l} JOIN (SELECT * FROM {r}{right}) AS r ON {same}{left}"
            )),
            out(format!(
                "{distinct}{}",
                q.where_left(&format!("EXISTS (SELECT l.{x} INTERSECT {b})"))
            )),
        ]),
        Group::of(vec![
            except.clone(),
            out(format!("{distinct}{}", q.where_left(&format!("NOT {meets}")))),
            out(format!("{a} EXCEPT ({b} INTERSECT {a})")),
            out(format!(
                "{distinct}{}",
                q.where_left(&format!("NOT EXISTS (SELECT l.{x} INTERSECT {b})"))
            )),
            out(format!(
                "{distinct}{}",
                q.where_left(&format!("EXISTS (SELECT l.{x} EXCEPT {b})"))
            )),
        ]),
    ]
}
