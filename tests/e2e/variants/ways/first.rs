//! The first rows in an order that leaves no doubt.

use crate::variants::condition::{all, filter};
use crate::variants::dice::Dice;
use crate::variants::question::{Group, Question};
use crate::variants::tables::Table;

pub fn groups(q: &Question, tables: &[Table], dice: &mut Dice) -> Vec<Group> {
    let (l, r) = (q.l(), q.r());
    let mut order = q.order.clone();
    order.push("l.id".into());
    let (from, columns) = match q.three {
        false => (format!("{l}{}", filter(&q.left)), "l.id, l.x, l.s".to_string()),
        true => {
            order.push("r.id".into());
            let mut both = q.left.clone();
            both.extend(q.right.iter().cloned());
            let from = format!("{l} JOIN {r} ON {}{}", q.link(), filter(&both));
            (from, "l.id, r.id AS rid, l.s, r.x".to_string())
        }
    };
    let order = order.join(", ");
    let (count, before) = q.first;
    let names = if q.three { "id, rid, s, x" } else { "id, x, s" };
    let numbered = format!(
        "SELECT {names} FROM (SELECT {columns}, ROW_NUMBER() OVER (ORDER BY {order}) AS n FROM {from}) AS z \
         WHERE n > {before} AND n <= {} ORDER BY n",
        before + count
    );
    let fetch = format!(
        "SELECT {columns} FROM {from} ORDER BY {order} OFFSET {before} ROWS FETCH NEXT {count} ROWS ONLY"
    );
    let mut list = vec![
        numbered,
        fetch.clone(),
        format!(
            "SELECT {names} FROM (SELECT {columns}, ROW_NUMBER() OVER (ORDER BY {order}) AS n FROM {from}) AS z \
                ORDER BY n OFFSET {before} ROWS FETCH FIRST {count} ROWS ONLY"
        ),
    ];
    let mut top = fetch.clone();
    if before == 0 {
        top = format!("SELECT TOP ({count}) {columns} FROM {from} ORDER BY {order}");
        list.push(top.clone());
        list.push(format!("SELECT TOP ({count}) WITH TIES {columns} FROM {from} ORDER BY {order}"));
        list.push(format!(
            "DECLARE @c int = {count}; SELECT TOP (@c) {columns} FROM {from} ORDER BY {order}"
        ));
        list.push(format!(
            "SET ROWCOUNT {count}; SELECT {columns} FROM {from} ORDER BY {order}; SET ROWCOUNT 0"
        ));
        if !q.three {
            let (with, link) = (q.partners(), all(&q.left));
            let exists = format!("EXISTS (SELECT * FROM {r}{with})");
            let some = format!(
                "SELECT TOP ({count}) {columns} FROM {l} WHERE {link} AND {exists} ORDER BY {order}"
            );
            let mut group = Group::of(vec![
                some.clone(),
                format!(
                    "SELECT {columns} FROM {l} WHERE {link} AND {exists} ORDER BY {order} OFFSET 0 ROWS FETCH NEXT {count} ROWS ONLY"
                ),
                format!(
                    "SELECT {names} FROM (SELECT {columns}, ROW_NUMBER() OVER (ORDER BY {order}) AS n FROM {l} \
                        WHERE {link} AND {exists}) AS z WHERE n <= {count} ORDER BY n"
                ),
            ]);
            group.ordered = true;
            group.hinted(dice, &some, 3);
            group.forced(dice, &some, &l, &tables[q.tables[0]]);
            return vec![group, finish(list, &top, q, tables, dice)];
        }
    }
    vec![finish(list, &top, q, tables, dice)]
}

fn finish(list: Vec<String>, top: &str, q: &Question, tables: &[Table], dice: &mut Dice) -> Group {
    let mut group = Group::of(list);
    group.ordered = true;
    group.hinted(dice, top, 4);
    for _ in 0..3 {
        group.forced(dice, top, &q.l(), &tables[q.tables[0]]);
    }
    if q.three {
        group.forced(dice, top, &q.r(), &tables[q.tables[1]]);
    }
    group
}
