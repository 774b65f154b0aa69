//! A statement that begins on one thread and ends on another.

use crate::support::Quiet;
use crate::support::sim::{start, world};

use std::sync::Arc;
use std::thread;
use taffrail_base::SqlResult;
use taffrail_engine::{ConnectOptions, Connection, Instance};
use taffrail_exec::exec::modify::foreign::Ready;
use taffrail_exec::exec::ops::{Op, build, scan};
use taffrail_exec::exec::runtime::{Rt, StatementState};
use taffrail_exec::session::Session;
use taffrail_exec::session::context::StatementContext;
use taffrail_functions::memory;
use taffrail_io::sim::SimOptions;
use taffrail_plan::statement::Statement;
use taffrail_types::Value;

/// A join, a sort, a correlated subquery that an index answers row by row, and one whose results are kept.
const QUERY: &str = "SELECT o.id, c.name, (SELECT COUNT(*) FROM dbo.lines l WHERE l.o = o.id), \
    (SELECT MAX(l.id) FROM dbo.lines l) FROM dbo.orders o JOIN dbo.customers c ON c.id = o.c ORDER BY c.name, o.id DESC";

const TABLES: &str = "CREATE TABLE dbo.customers (id int PRIMARY KEY, name varchar(20) NOT NULL);
    CREATE TABLE dbo.orders (id int PRIMARY KEY, c int NOT NULL);
    CREATE TABLE dbo.lines (id int PRIMARY KEY, o int NOT NULL);
    CREATE INDEX o ON dbo.lines (o);
    DECLARE @n int = 0;
    WHILE @n < 300
    BEGIN
        SET @n += 1;
        IF @n <= 20 INSERT dbo.customers VALUES (@n, CONCAT('c', @n * 7 % 20));
        INSERT dbo.orders VALUES (@n, @n % 25);
        INSERT dbo.lines VALUES (@n, @n * 3 % 300);
    END";

/// A query that has begun: all that its next rows need beside a session.
struct Begun {
    ready: Ready,
    op: Op,
    state: StatementState,
}

impl Begun {
    fn new(session: &mut Session) -> Begun {
        let database = session.database.clone();
        let mut sink = Quiet;
        let mut cx = StatementContext { session: &mut *session, sink: &mut sink, line: 1 };
        let ready = Ready::new(&mut cx, &database, QUERY, &[]).expect("it is planned");
        let Statement::Select(q, _) = &ready.plan.kind else { panic!("it is a SELECT") };
        let op = build(&q.plan.node);
        let state =
            StatementState::new(Vec::new(), ready.plan.columns.len(), ready.plan.subqueries.len());
        let mut begun = Begun { ready, op, state };
        begun.run(session, |rt, op| op.open(rt));
        begun
    }

    fn run<R>(
        &mut self,
        session: &mut Session,
        f: impl FnOnce(&mut Rt<'_>, &mut Op) -> SqlResult<R>,
    ) -> R {
        let fresh = StatementState::new(Vec::new(), 0, 0);
        let state = std::mem::replace(&mut self.state, fresh);
        let (mut vars, mut sink) = (Vec::new(), Quiet);
        let cx = StatementContext { session, sink: &mut sink, line: 1 };
        let mut rt = Rt::resume(cx, &mut vars, &self.ready.plan.subqueries, state);
        let result = f(&mut rt, &mut self.op).expect("it runs");
        self.state = rt.pause();
        result
    }

    /// So many of the next rows, or all that there are.
    fn rows(&mut self, session: &mut Session, most: usize) -> Vec<Vec<Value>> {
        let Statement::Select(q, _) = &self.ready.plan.kind else { panic!("it is a SELECT") };
        let outputs = q.plan.outputs.clone();
        self.run(session, |rt, op| {
            let mut rows = Vec::new();
            while rows.len() < most && op.next(rt)? {
                rows.push(outputs.iter().map(|s| rt.frame[*s as usize].clone()).collect());
            }
            Ok(rows)
        })
    }
}

fn connect(instance: &Arc<Instance>) -> Connection {
    instance
        .connect(ConnectOptions { login: "sa".into(), ..ConnectOptions::default() })
        .expect("a connection")
}

#[test]
fn a_tree_begun_on_one_thread_is_finished_on_another() {
    let world = world(5, SimOptions::default());
    let instance = start(&world).expect("a start");
    let mut first = connect(&instance);
    first.execute_batch("CREATE DATABASE shop", &mut Quiet);
    first.execute_batch("USE shop", &mut Quiet);
    first.execute_batch(TABLES, &mut Quiet);

    let limit = instance.query_memory_limit();
    let all = {
        let _request = memory::request(limit, 0);
        let mut whole = Begun::new(first.session());
        whole.rows(first.session(), usize::MAX)
    };
    assert_eq!(all.len(), 240);

    let mut begun = {
        let _request = memory::request(limit, 0);
        let mut begun = Begun::new(first.session());
        assert_eq!(begun.rows(first.session(), 7), all[..7]);
        assert!(begun.state.held > 0, "the sort has kept rows");
        assert_eq!(begun.state.held, memory::used());
        begun
    };
    let mut second = connect(&instance);
    let rest = thread::spawn(move || {
        let _request = memory::request(limit, begun.state.held);
        let held = begun.state.held;
        // The other session's own locks: nothing of the first one's transaction is left in the tree.
        scan::lock_tables(second.session(), &begun.ready.plan.uses).expect("it locks");
        let rest = begun.rows(second.session(), usize::MAX);
        assert!(begun.state.held >= held, "what it kept is counted here");
        drop(begun);
        assert_eq!(memory::used(), 0, "and given back here");
        rest
    });
    assert_eq!(rest.join().expect("the other thread"), all[7..]);
}
