use super::check;
use crate::expr::{Compare, CompareOp, Expr, Pred, Slot, Subquery};
use crate::node::{JoinType, QueryPlan, SortKey};
use crate::rel::{
    Compute, Group, Recursive, Rel, SetOperation, Sort, Subqueries, SubqueryRows, Values,
};
use crate::statement::{SelectPlan, Statement};
use taffrail_types::{Collation, Value};

/// So many slots have the statements here.
const SLOTS: usize = 20;

/// A row of constants.
fn values(slots: &[Slot]) -> Rel {
    let rows = vec![slots.iter().map(|s| Expr::Const(Value::Int(*s as i32))).collect()];
    Rel::Values(Box::new(Values { rows, slots: slots.to_vec() }))
}

fn grouped(input: Rel, keys: Vec<(Expr, Slot, Collation)>) -> Group {
    let (aggs, sets, marks) = (Vec::new(), Vec::new(), Vec::new());
    Group { input, keys, aggs, scalar: false, sets, marks }
}

fn equal(a: Slot, b: Slot) -> Pred {
    Pred::Compare(Box::new(Compare {
        op: CompareOp::Eq,
        left: Expr::Slot(a),
        right: Expr::Slot(b),
        collation: Collation::default(),
    }))
}

fn inner(left: Rel, right: Rel, on: Vec<Pred>) -> Rel {
    Rel::join(JoinType::Inner, left, right, on)
}

fn computed(input: Rel, items: &[(Slot, Slot)]) -> Rel {
    let items = items.iter().map(|(from, to)| (Expr::Slot(*from), *to)).collect();
    Rel::Compute(Box::new(Compute { input, items }))
}

fn exists(index: u32, output: Slot, outer: &[Slot]) -> Pred {
    Pred::Exists(Box::new(Subquery { index, output, outer: outer.to_vec() }))
}

fn selected(node: Rel, outputs: &[Slot], subqueries: &Subqueries) -> Result<(), String> {
    let plan = QueryPlan { node, outputs: outputs.to_vec(), columns: Vec::new() };
    let (assign, order) = (Vec::new(), Vec::new());
    let select = SelectPlan { plan, assign, order, identity: None, inherited: None };
    check(&Statement::Select(Box::new(select), None), subqueries, SLOTS)
}

/// Without subqueries.
fn plain(node: Rel, outputs: &[Slot]) -> Result<(), String> {
    selected(node, outputs, &Vec::new())
}

fn says(found: Result<(), String>, what: &str) {
    match found {
        Ok(()) => panic!("nothing was found, and not '{what}'"),
        Err(e) => assert!(e.contains(what), "'{e}' is not '{what}'"),
    }
}

#[test]
fn trees_that_are_right_pass() {
    let join = inner(values(&[0, 1]), values(&[2]), vec![equal(0, 2)]);
    plain(computed(join, &[(1, 3)]), &[0, 3]).unwrap();
    // The right side of an APPLY reads the left one.
    let right = Rel::select(values(&[2]), vec![equal(2, 0)]);
    plain(inner(values(&[0]), right, Vec::new()), &[2]).unwrap();
    let union = Rel::Union(vec![computed(values(&[0]), &[(0, 5)]), values(&[5])]);
    plain(union, &[5]).unwrap();
    // A key that is a column keeps its slot.
    let keys = vec![(Expr::Slot(0), 0, Collation::default())];
    let group = grouped(values(&[0, 1]), keys);
    plain(Rel::Group(Box::new(group)), &[0]).unwrap();
}

#[test]
fn what_is_read_is_set() {
    says(plain(values(&[0]), &[1]), "an output (#1) is set by nobody");
    says(plain(Rel::select(values(&[0]), vec![equal(0, 7)]), &[0]), "(#7) is set by nobody");
    let keys =
        vec![SortKey { expr: Expr::Slot(4), descending: false, collation: Collation::default() }];
    let sort = Rel::Sort(Box::new(Sort { input: values(&[0]), keys }));
    says(plain(sort, &[0]), "(#4) is set by nobody");
    // What a projection or a group hides is not there above it.
    says(plain(Rel::project(values(&[0, 1]), vec![0]), &[1]), "an output (#1)");
    says(plain(Rel::project(values(&[0]), vec![1]), &[]), "a column that goes on (#1)");
    let keys = vec![(Expr::Slot(0), 0, Collation::default())];
    let group = grouped(values(&[0, 1]), keys);
    says(plain(Rel::Group(Box::new(group)), &[1]), "an output (#1)");
    // The left side of a join does not see the right one.
    let left = Rel::select(values(&[2]), vec![equal(2, 0)]);
    says(plain(inner(left, values(&[0]), Vec::new()), &[0]), "(#0) is set by nobody");
    // Items of one Compute do not see each other.
    says(plain(computed(values(&[0]), &[(0, 1), (1, 2)]), &[2]), "(#1) is set by nobody");
}

#[test]
fn no_slot_is_set_twice() {
    says(plain(inner(values(&[0]), values(&[0]), Vec::new()), &[0]), "#0 is set twice");
    let hidden = Rel::project(values(&[0, 1]), vec![0]);
    says(plain(inner(hidden, values(&[1]), Vec::new()), &[0]), "#1 is set on both sides");
    says(plain(computed(values(&[0, 1]), &[(0, 1)]), &[1]), "#1 is set twice");
    // Hidden or not.
    let hidden = Rel::project(values(&[0, 1]), vec![0]);
    says(plain(computed(hidden, &[(0, 1)]), &[1]), "#1 is set twice");
    says(plain(values(&[SLOTS as Slot]), &[]), "of 20 slots");
}

#[test]
fn inputs_of_set_operations_have_their_columns() {
    let union = Rel::Union(vec![values(&[0, 1]), values(&[0])]);
    says(plain(union, &[0, 1]), "an output (#1)");
    let operation = SetOperation {
        left: values(&[0]),
        right: values(&[1]),
        except: true,
        left_slots: vec![(0, Collation::default())],
        right_slots: vec![2],
    };
    says(plain(Rel::SetOperation(Box::new(operation)), &[0]), "EXCEPT or INTERSECT (#2)");
    let row = vec![Expr::NULL];
    let uneven = Rel::Values(Box::new(Values { rows: vec![row], slots: vec![0, 1] }));
    says(plain(uneven, &[0]), "another width");
}

#[test]
fn a_recursive_part_has_the_columns_and_reads_the_row_it_works_on() {
    let recursive = |part: Rel| {
        let (anchors, parts) = (vec![values(&[0])], vec![part]);
        let (slots, work) = (vec![0], vec![1]);
        Rel::Recursive(Box::new(Recursive { anchors, parts, slots, work, limit: 100 }))
    };
    plain(recursive(computed(Rel::OneRow, &[(1, 0)])), &[0]).unwrap();
    says(plain(recursive(computed(Rel::OneRow, &[(1, 2)])), &[0]), "a recursive part (#0)");
    says(plain(recursive(computed(Rel::OneRow, &[(1, 0)])), &[1]), "an output (#1)");
}

#[test]
fn a_subquery_is_read_once_and_as_it_is_known() {
    let rows = |output: Slot, rel: Rel| vec![SubqueryRows { rel, output }];
    let correlated = || rows(1, Rel::select(values(&[1]), vec![equal(1, 0)]));
    let read = |p: Vec<Pred>| Rel::select(values(&[0]), p);
    selected(read(vec![exists(0, 1, &[0])]), &[0], &correlated()).unwrap();
    let twice = read(vec![exists(0, 1, &[0]), exists(0, 1, &[0])]);
    says(selected(twice, &[0], &correlated()), "subquery 1 is read twice");
    says(selected(read(vec![exists(1, 1, &[])]), &[0], &correlated()), "no subquery 2");
    let other = read(vec![exists(0, 2, &[0])]);
    says(selected(other, &[0], &correlated()), "puts out #1, not #2");
    // What it reads from outside is told.
    says(selected(read(vec![exists(0, 1, &[])]), &[0], &correlated()), "(#0) is set by nobody");
    let missing = read(vec![exists(0, 1, &[0, 9])]);
    says(selected(missing, &[0], &correlated()), "from outside (#9)");
}
