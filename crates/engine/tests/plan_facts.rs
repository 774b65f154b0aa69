//! The facts of plans that are kept: a plan from the cache says which objects it needs without being bound again.

use crate::support::Quiet;
use crate::support::sim::{start, world};

use std::sync::Arc;
use taffrail_engine::{ConnectOptions, Connection, Instance};
use taffrail_exec::exec::module::Plan;
use taffrail_io::sim::SimOptions;

fn run(connection: &mut Connection, text: &str) {
    connection.execute_batch(text, &mut Quiet);
}

/// The plan of a text's first statement that is kept for what it means now.
fn kept(connection: &mut Connection, text: &str) -> Option<Arc<Plan>> {
    let session = connection.session();
    let module = session.batch_module(&text.into(), "").expect("it is compiled");
    module.shared[0].find(session)
}

fn two_sessions() -> (Arc<Instance>, Connection, Connection) {
    let world = world(7, SimOptions::default());
    let instance = start(&world).expect("a start");
    let connect = || {
        instance
            .connect(ConnectOptions { login: "sa".into(), ..ConnectOptions::default() })
            .expect("a connection")
    };
    let (first, second) = (connect(), connect());
    (instance, first, second)
}

#[test]
fn facts_are_kept_with_the_plan() {
    let (instance, mut first, mut second) = two_sessions();
    run(&mut first, "CREATE DATABASE shop");
    run(&mut first, "USE shop");
    run(&mut second, "USE shop");
    run(&mut first, "CREATE TABLE dbo.t (a int, b int, c int); CREATE TABLE dbo.u (a int)");
    run(&mut first, "CREATE VIEW dbo.v AS SELECT a, b FROM dbo.t");

    let text = "SELECT a FROM dbo.v WHERE b = 1";
    run(&mut first, text);
    let made = kept(&mut first, text).expect("a plan");
    let through_b = "SELECT dbo.v (a, b)\nSELECT dbo.t (a, b) through dbo.v";
    assert_eq!(made.facts.to_string(), through_b);
    assert!(
        made.facts.names.is_empty(),
        "names are noted for the dependencies of modules, and of no plan"
    );
    let planned = instance.counters().optimizations.get();
    run(&mut second, text);
    assert_eq!(instance.counters().optimizations.get(), planned, "the plan is another session's");
    let again = kept(&mut second, text).expect("a plan");
    assert!(Arc::ptr_eq(&again.facts, &made.facts));

    run(&mut second, "ALTER VIEW dbo.v AS SELECT a, c AS b FROM dbo.t");
    assert!(kept(&mut first, text).is_none(), "the view is another one");
    assert!(made.needs_are_there(first.session()), "what is not current claims nothing");
    run(&mut first, text);
    let altered = kept(&mut second, text).expect("a plan");
    assert_eq!(altered.facts.to_string(), "SELECT dbo.v (a, b)\nSELECT dbo.t (a, c) through dbo.v");

    let change = "UPDATE u SET a = v.b OUTPUT deleted.a FROM dbo.u JOIN dbo.v ON v.a = u.a";
    run(&mut first, change);
    run(&mut second, change);
    let change = kept(&mut second, change).expect("a plan").facts.to_string();
    assert_eq!(
        change.lines().collect::<Vec<_>>(),
        [
            "SELECT dbo.u (a)",
            "SELECT dbo.v (a, b)",
            "SELECT dbo.t (a, c) through dbo.v",
            "UPDATE dbo.u (a)"
        ]
    );
}

#[test]
fn a_plan_put_to_another_temp_table_keeps_its_facts() {
    let (_instance, mut first, mut second) = two_sessions();
    run(&mut first, "CREATE TABLE dbo.t (a int)");
    let text = "SELECT t.a FROM dbo.t JOIN #x ON #x.a = t.a";
    for connection in [&mut first, &mut second] {
        run(connection, "CREATE TABLE #x (a int)");
    }
    run(&mut first, text);
    let made = kept(&mut first, text).expect("a plan").facts.clone();
    assert_eq!(made.to_string(), "SELECT dbo.t (a)");
    run(&mut second, text);
    assert!(Arc::ptr_eq(&kept(&mut second, text).expect("a plan").facts, &made));
}
