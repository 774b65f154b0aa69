use super::check;
use crate::change::OutputPlan;
use crate::columns::{Changed, Column, Columns, Label};
use crate::expr::{Case, Cast, Compare, CompareOp, Compiled, Expr, Like, Pred, Slot, Subquery};
use crate::node::{JoinType, QueryPlan, SortKey};
use crate::rel::{
    Compute, Distinct, Group, Recursive, Rel, SetOperation, Sort, Subqueries, SubqueryRows, Values,
};
use crate::sink::ColumnDesc;
use crate::statement::{SelectPlan, Statement};
use crate::typed::Scope;
use taffrail_types::{Collation, Conversion, MaxLen, Pages, SqlType, Value};

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
    Pred::Exists(Box::new(Subquery { index, output, outer: outer.to_vec(), last: false }))
}

fn selected(node: Rel, outputs: &[Slot], subqueries: &Subqueries) -> Result<(), String> {
    let plan = QueryPlan { node, outputs: outputs.to_vec(), columns: Vec::new() };
    let select = SelectPlan::of(plan);
    let columns: Columns = (0..SLOTS).map(|_| Column::computed(SqlType::Int)).collect();
    check(&Statement::Select(Box::new(select), None), subqueries, &Scope::new(&columns, &[]))
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

/// A column of a table: NOT NULL, of this collation where it is text.
fn column(ty: SqlType, collation: &str) -> Column {
    let collation = Collation::from_name(collation).unwrap();
    Column { nullable: false, collation, label: Label::Implicit, ..Column::computed(ty) }
}

/// Slots 0 and 1: int. 2: varchar(10), 3: varchar(20) of one collation. 4: varchar(10) of another. 5: datetime.
fn columns() -> Columns {
    let text = |n, collation| column(SqlType::varchar(n), collation);
    let (latin, polish) = ("Latin1_General_CI_AS", "Polish_CI_AS");
    let int = || column(SqlType::Int, latin);
    [
        int(),
        int(),
        text(10, latin),
        text(20, latin),
        text(10, polish),
        column(SqlType::DateTime, latin),
    ]
    .into_iter()
    .collect()
}

/// A SELECT of these slots over a relation.
fn typed(node: Rel, outputs: &[Slot]) -> Result<(), String> {
    let columns = columns();
    let told = outputs.iter().map(|s| columns[*s].described("c", false)).collect();
    let plan = QueryPlan { node, outputs: outputs.to_vec(), columns: told };
    let select = SelectPlan::of(plan);
    let select = Statement::Select(Box::new(select), None);
    check(&select, &Vec::new(), &Scope::new(&columns, &[]))
}

/// A row of these slots.
fn row(slots: &[Slot]) -> Rel {
    let value = |s: &Slot| match *s {
        0 | 1 => Expr::Const(Value::Int(1)),
        5 => Expr::Const(Value::DateTime { days: 0, ticks: 0 }),
        _ => Expr::Const(Value::varchar("a")),
    };
    let rows = vec![slots.iter().map(value).collect()];
    Rel::Values(Box::new(Values { rows, slots: slots.to_vec() }))
}

fn compared(a: Slot, b: Slot, by: &str) -> Result<(), String> {
    let collation = Collation::from_name(by).unwrap();
    let (left, right) = (Expr::Slot(a), Expr::Slot(b));
    let compare = Compare { op: CompareOp::Eq, left, right, collation };
    typed(Rel::select(row(&[a, b]), vec![Pred::Compare(Box::new(compare))]), &[a])
}

fn put(e: Expr, from: &[Slot], into: Slot) -> Result<(), String> {
    typed(Rel::compute(row(from), vec![(e, into)]), &[into])
}

#[test]
fn what_is_compared_is_of_one_kind_and_goes_by_its_own_collation() {
    let (latin, polish) = ("Latin1_General_CI_AS", "Polish_CI_AS");
    compared(0, 1, latin).unwrap();
    compared(2, 3, latin).unwrap();
    // Of two collations one has been written.
    compared(2, 4, polish).unwrap();
    says(compared(0, 2, latin), "Int compared with VarChar");
    says(compared(5, 0, latin), "DateTime compared with Int");
    says(compared(2, 3, polish), "goes by Polish_CI_AS");
}

#[test]
fn a_constant_under_collate_has_that_collation() {
    let [latin, polish] =
        ["Latin1_General_CI_AS", "Polish_CI_AS"].map(|n| Collation::from_name(n).unwrap());
    let constant = || Expr::Const(Value::varchar("a"));
    let written = |by| Expr::Collate(Box::new((constant(), by)));
    let condition = |p| typed(Rel::select(row(&[2, 3]), vec![p]), &[2]);
    let compared = |right, by| {
        let (op, left, collation) = (CompareOp::Eq, Expr::Slot(2), by);
        condition(Pred::Compare(Box::new(Compare { op, left, right, collation })))
    };
    // A bare one takes the column's.
    compared(constant(), latin).unwrap();
    says(compared(constant(), polish), "goes by Polish_CI_AS");
    compared(written(polish), polish).unwrap();
    says(compared(written(polish), latin), "goes by Latin1_General_CI_AS");
    let whole = SqlType::VarChar(MaxLen::Max);
    let cast = |value, from| {
        let (to, style, conversion) = (whole, None, Conversion::Implicit);
        let (lenient, pages) = (false, Pages::default());
        Expr::Cast(Box::new(Cast { value, from, to, style, conversion, lenient, pages }))
    };
    let liked = |pattern, collation| {
        let value = cast(Expr::Slot(2), SqlType::varchar(10));
        let (escape, unicode, compiled) = (None, false, Compiled::default());
        condition(Pred::Like(Box::new(Like {
            value,
            pattern,
            escape,
            unicode,
            collation,
            compiled,
        })))
    };
    liked(cast(written(polish), whole), polish).unwrap();
    says(liked(cast(written(polish), whole), latin), "goes by Latin1_General_CI_AS");
    says(liked(cast(constant(), whole), polish), "goes by Polish_CI_AS");
    // Of an ISNULL the first value decides, of a COALESCE all: one expression stands for both.
    let either = || Expr::Coalesce(vec![Expr::Slot(3), written(polish)]);
    compared(either(), latin).unwrap();
    compared(either(), polish).unwrap();
}

#[test]
fn output_tells_of_its_slots() {
    let columns = columns();
    let outputs = || vec![0, 2, 1, 3];
    let told = |nulls: &[Slot]| -> Vec<ColumnDesc> {
        outputs().iter().map(|s| columns[*s].described("c", nulls.contains(s))).collect()
    };
    // `inserted` has slots 0 and 2; 1 is a column beside them, behind an outer join; 3 is computed.
    let o = OutputPlan {
        condition: None,
        inserted: vec![(0, 0), (1, 2)],
        deleted: Vec::new(),
        items: vec![(Expr::Slot(2), 3)],
        outputs: outputs(),
        columns: Vec::new(),
        into: None,
        saved: vec![1],
    };
    let (outer, inner) = (outer_of(5, 1), inner(row(&[5]), row(&[1]), Vec::new()));
    let merged = |all_have_source| Changed::Merged { rows: &inner, action: None, all_have_source };
    for (change, nulls) in [
        (Changed::New, &[][..]),
        (Changed::Found(&inner), &[]),
        (Changed::Found(&outer), &[1]),
        (merged(true), &[0, 2]),
        (merged(false), &[0, 1, 2]),
    ] {
        let own = columns.nulls_of_output(&o, change);
        let look = |told: &[ColumnDesc]| {
            let scope = Scope::new(&columns, &[]);
            scope.told(&outputs(), told, &own);
            scope.mistake()
        };
        assert_eq!(look(&told(nulls)), Ok(()), "{change:?}");
        says(look(&told(&[3])), "is told as");
    }
}

#[test]
fn operands_are_of_the_types_of_the_operation() {
    let sum = |a, b| Expr::AddInt(Box::new((Expr::Slot(a), Expr::Slot(b))));
    put(sum(0, 0), &[0], 1).unwrap();
    says(put(sum(0, 2), &[0, 2], 1), "an operand is Some(VarChar(N(10))), not Int");
    let cast = |from, to| {
        let (style, conversion) = (None, Conversion::Implicit);
        Expr::Cast(Box::new(Cast {
            value: Expr::Slot(2),
            from,
            to,
            style,
            conversion,
            lenient: false,
            pages: Pages::default(),
        }))
    };
    put(cast(SqlType::varchar(10), SqlType::Int), &[2], 1).unwrap();
    says(put(cast(SqlType::Int, SqlType::Int), &[2], 1), "what is converted is Some(VarChar");
    let whens = vec![(equal(0, 0), Expr::Slot(0))];
    let case = Expr::Case(Box::new(Case { whens, otherwise: Some(Expr::Slot(2)) }));
    says(put(case, &[0, 2], 1), "Int beside VarChar");
}

#[test]
fn a_slot_gets_values_of_its_type() {
    put(Expr::Slot(2), &[2], 3).unwrap();
    says(put(Expr::Slot(3), &[3], 2), "#2 is VarChar(N(10)), and gets VarChar(N(20))");
    says(put(Expr::Slot(2), &[2], 0), "#0 is Int, and gets VarChar");
    let operation = |left: Slot, right: Slot| {
        let left_slots = vec![(left, Collation::from_name("Latin1_General_CI_AS").unwrap())];
        let (l, r) = (row(&[left]), row(&[right]));
        let right_slots = vec![right];
        let o = SetOperation { left: l, right: r, except: true, left_slots, right_slots };
        typed(Rel::SetOperation(Box::new(o)), &[left])
    };
    operation(0, 1).unwrap();
    says(operation(0, 2), "#0 is Int, #2 beside it VarChar");
}

#[test]
fn text_is_sorted_grouped_and_made_different_by_its_own_collation() {
    let polish = Collation::from_name("Polish_CI_AS").unwrap();
    let sorted = |expr: Expr| {
        let keys = vec![SortKey { expr, descending: false, collation: polish }];
        typed(Rel::Sort(Box::new(Sort { input: row(&[2]), keys })), &[2])
    };
    says(sorted(Expr::Slot(2)), "Latin1_General_CI_AS goes by Polish_CI_AS");
    sorted(Expr::Collate(Box::new((Expr::Slot(2), polish)))).unwrap();
    let distinct = Distinct { input: row(&[2]), slots: vec![(2, polish)] };
    says(typed(Rel::Distinct(Box::new(distinct)), &[2]), "goes by Polish_CI_AS");
    let group = grouped(row(&[2]), vec![(Expr::Slot(2), 2, polish)]);
    says(typed(Rel::Group(Box::new(group)), &[2]), "goes by Polish_CI_AS");
}

#[test]
fn null_is_told_of_what_may_be_null() {
    let outer = || outer_of(0, 1);
    typed(outer(), &[0]).unwrap();
    says(typed(outer(), &[1]), "#1 is told as");
    // Nor is it put into a column that has none.
    let cast = Expr::IntToVarchar(Box::new(Expr::Slot(1)));
    let computed = Rel::compute(outer(), vec![(cast, 3)]);
    says(typed(computed, &[0]), "#3 is NOT NULL, and NULL may be put into it");
    // A right row of EXCEPT is none of the result.
    let left_slots = vec![(0, Collation::default())];
    let right = Rel::project(outer_of(5, 1), vec![1]);
    let o = SetOperation { left: row(&[0]), right, except: true, left_slots, right_slots: vec![1] };
    typed(Rel::SetOperation(Box::new(o)), &[0]).unwrap();
}

/// A left join of two rows.
fn outer_of(left: Slot, right: Slot) -> Rel {
    Rel::join(JoinType::Left, row(&[left]), row(&[right]), Vec::new())
}
