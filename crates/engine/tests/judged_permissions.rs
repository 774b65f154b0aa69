//! A second judge of permissions: principals, securables, actions and the paths on which they are reached, in worlds of grants that a
//! seed makes. The judge knows names alone and is written from the documentation; what the server refuses is held against it.
//!
//! ```text
//! principal × (direct, view, procedure, dynamic text, EXECUTE AS OWNER, function, trigger, two links, another database) × table × action
//! ```

use crate::permissions::{login, refused, runs, session, two, user};
use crate::support::{Client, World};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The numbers with which something is refused.
const REFUSALS: [i32; 2] = [229, 916];
/// Worlds of grants.
const WORLDS: usize = 12;
/// The actions on rows, with the words before and behind the name of the table.
const ACTIONS: [(&str, &str, &str); 4] = [
    ("SELECT", "SELECT a FROM ", ""),
    ("INSERT", "INSERT ", " (a) SELECT 1 WHERE 1 = 0"),
    ("UPDATE", "UPDATE ", " SET a = 1"),
    ("DELETE", "DELETE ", ""),
];
/// The tables of the database `d`: schema, name and owner.
const TABLES: [(&str, &str, &str); 4] =
    [("dbo", "x", "dbo"), ("s1", "x", "v"), ("s2", "x", "r2"), ("dbo", "own", "v")];
/// The schemas of modules, and their owners.
const HOMES: [(&str, &str); 2] = [("dbo", "dbo"), ("s1", "v")];
/// The roles and their members: the fixed ones have the permissions that are said of them.
const MEMBERS: [(&str, &str); 9] = [
    ("r1", "w"),
    ("r2", "r1"),
    ("r2", "x"),
    ("r1", "z"),
    ("db_datareader", "y"),
    ("db_datawriter", "y"),
    ("db_denydatareader", "z"),
    ("db_denydatawriter", "x"),
    ("db_owner", "k"),
];
/// Users of `d`, each of a login of its own: `v` owns the schema s1.
const USERS: [&str; 8] = ["u", "v", "w", "x", "y", "z", "k", "c"];
/// Users of `e` among them.
const ELSEWHERE: [&str; 4] = ["u", "w", "y", "k"];

/// An object that is asked for.
#[derive(Clone, Debug)]
struct Thing {
    /// `d` or `e`.
    database: &'static str,
    schema: &'static str,
    name: String,
    owner: &'static str,
}

impl Thing {
    fn written(&self) -> String {
        match self.database {
            "d" => format!("{}.{}", self.schema, self.name),
            other => format!("{other}.{}.{}", self.schema, self.name),
        }
    }
}

/// The steps of a path.
#[derive(Clone, Debug)]
enum Step {
    /// A permission on an object, unless the chain of owners is unbroken.
    Ask(Thing, &'static str),
    /// What the object names: by its owner, by nobody (a text), or in its owner's own name.
    Within(Thing, How, Vec<Step>),
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum How {
    Chained,
    Text,
    AsOwner,
}

/// A statement with the path that it takes.
struct Cell {
    sql: String,
    steps: Vec<Step>,
}

/// The context that is asked about.
#[derive(Clone, Debug)]
struct Context {
    user: &'static str,
    everything: bool,
    control_server: bool,
    /// A user of `d` that is nobody elsewhere.
    here_alone: bool,
}

/// Grants (true) and denials by securable, permission and grantee.
type Rows = BTreeMap<(String, &'static str, &'static str), bool>;

/// The judge.
struct Judge {
    rows: Rows,
}

impl Judge {
    fn identities(&self, who: &Context, database: &str) -> Option<BTreeSet<&'static str>> {
        let mut all = BTreeSet::from(["public"]);
        match (database, who.here_alone) {
            ("d", _) => {}
            (_, true) => return None,
            (_, false) if ELSEWHERE.contains(&who.user) => {
                all.insert(who.user);
                return Some(all);
            }
            (_, false) => return who.control_server.then_some(all),
        }
        all.insert(who.user);
        let mut found = true;
        while found {
            let more: Vec<_> = MEMBERS.iter().filter(|(_, m)| all.contains(m)).collect();
            found = more.into_iter().fold(false, |new, (role, _)| all.insert(*role) || new);
        }
        Some(all)
    }

    /// What the fixed roles have and have not on the whole database.
    fn fixed(role: &str, permission: &str) -> Option<bool> {
        let writes = ["INSERT", "UPDATE", "DELETE"].contains(&permission);
        match role {
            "db_owner" => Some(true),
            "db_datareader" if permission == "SELECT" => Some(true),
            "db_datawriter" if writes => Some(true),
            "db_denydatareader" if permission == "SELECT" => Some(false),
            "db_denydatawriter" if writes => Some(false),
            _ => None,
        }
    }

    fn may(&self, who: &Context, thing: &Thing, permission: &str) -> bool {
        if who.everything {
            return true;
        }
        let Some(ids) = self.identities(who, thing.database) else { return false };
        if ids.contains("dbo") || ids.contains(thing.owner) {
            return true;
        }
        let schema_owner = match (thing.database, thing.schema) {
            ("d", "s1") => "v",
            ("d", "s2") => "r2",
            _ => "dbo",
        };
        let owns_schema = ids.contains(schema_owner);
        let mut said = vec![self.said(&ids, &thing.written(), permission)];
        if !owns_schema {
            said.push(self.said(
                &ids,
                &format!("SCHEMA::{}/{}", thing.database, thing.schema),
                permission,
            ));
            said.push(self.said(&ids, &format!("DATABASE::{}", thing.database), permission));
            if thing.database == "d" {
                said.extend(ids.iter().map(|id| Judge::fixed(id, permission)));
            }
        }
        if said.contains(&Some(false)) {
            return false;
        }
        owns_schema || who.control_server || said.contains(&Some(true))
    }

    /// What is said of a permission, or of CONTROL, on one securable: a no of anybody outweighs.
    fn said(
        &self,
        ids: &BTreeSet<&'static str>,
        securable: &str,
        permission: &str,
    ) -> Option<bool> {
        let of = self.rows.iter().filter(|((on, what, grantee), _)| {
            on == securable && (*what == permission || *what == "CONTROL") && ids.contains(grantee)
        });
        of.map(|(_, granted)| *granted).min()
    }

    fn passes(&self, who: &Context, steps: &[Step], by: Option<(&str, &str)>) -> bool {
        steps.iter().all(|step| match step {
            Step::Ask(thing, permission) => {
                by == Some((thing.database, thing.owner)) || self.may(who, thing, permission)
            }
            Step::Within(thing, how, steps) => match how {
                How::Chained => self.passes(who, steps, Some((thing.database, thing.owner))),
                How::Text => self.passes(who, steps, None),
                How::AsOwner => {
                    let owner = Context {
                        user: thing.owner,
                        everything: false,
                        control_server: false,
                        here_alone: true,
                    };
                    self.passes(&owner, steps, None)
                }
            },
        })
    }
}

/// Numbers that follow from a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % n as u64) as usize
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// Objects that may be granted on, with their permissions.
type Grantable = Vec<(Thing, &'static [&'static str])>;

const OF_ROWS: &[&str] = &["SELECT", "INSERT", "UPDATE", "DELETE", "CONTROL"];
const OF_MODULES: &[&str] = &["EXECUTE", "CONTROL"];

/// Makes modules, and the cells that use them.
struct Maker<'a> {
    sa: &'a mut Client,
    cells: Vec<Cell>,
    grantable: Grantable,
}

impl Maker<'_> {
    fn module(&mut self, (schema, owner): (&'static str, &'static str), name: String) -> Thing {
        Thing { database: "d", schema, name, owner }
    }

    fn cell(&mut self, sql: String, steps: Vec<Step>) {
        self.cells.push(Cell { sql, steps });
    }

    /// The paths to a table by the modules of a schema.
    fn paths(&mut self, table: &Thing, of: usize, home: (&'static str, &'static str)) {
        let view = self.module(home, format!("v{of}"));
        self.sa.ok(&format!("CREATE VIEW {} AS SELECT a FROM {}", view.written(), table.written()));
        self.grantable.push((view.clone(), OF_ROWS));
        for (action, before, behind) in ACTIONS {
            let statement = format!("{before}{}{behind}", table.written());
            let ask = || vec![Step::Ask(table.clone(), action)];
            let within = |m: &Thing, how| Step::Within(m.clone(), how, ask());
            // The text of a view reads its table, whatever is done to the view.
            let mut beneath = ask();
            beneath.push(Step::Ask(table.clone(), "SELECT"));
            let path = vec![
                Step::Ask(view.clone(), action),
                Step::Within(view.clone(), How::Chained, beneath),
            ];
            self.cell(variable(&format!("{before}{}{behind}", view.written())), path);
            for (letter, how) in [("p", How::Chained), ("t", How::Text), ("o", How::AsOwner)] {
                let module = self.module(home, format!("{letter}{of}{action}"));
                let (clause, body) = match how {
                    How::Chained => ("", statement.clone()),
                    How::Text => ("", format!("EXEC ('{statement}')")),
                    How::AsOwner => (" WITH EXECUTE AS OWNER", format!("EXEC ('{statement}')")),
                };
                self.sa.ok(&format!("CREATE PROCEDURE {}{clause} AS {body}", module.written()));
                self.grantable.push((module.clone(), OF_MODULES));
                let call = vec![Step::Ask(module.clone(), "EXECUTE"), within(&module, how)];
                self.cell(format!("EXEC {}", module.written()), call);
            }
            let carrier = self.module(home, format!("c{of}{action}"));
            self.sa.ok(&format!("CREATE TABLE {} (a int)", carrier.written()));
            self.sa.ok(&format!(
                "CREATE TRIGGER {}.tr{of}{action} ON {} AFTER INSERT AS {statement}",
                home.0,
                carrier.written()
            ));
            self.grantable.push((carrier.clone(), OF_ROWS));
            self.cell(
                format!("INSERT {} (a) SELECT 1 WHERE 1 = 0", carrier.written()),
                vec![Step::Ask(carrier.clone(), "INSERT"), within(&carrier, How::Chained)],
            );
        }
        self.functions(table, of, home);
    }

    fn functions(&mut self, table: &Thing, of: usize, home: (&'static str, &'static str)) {
        let ask = || vec![Step::Ask(table.clone(), "SELECT")];
        let (inline, scalar) =
            (self.module(home, format!("f{of}")), self.module(home, format!("g{of}")));
        self.sa.ok(&format!(
            "CREATE FUNCTION {}() RETURNS TABLE AS RETURN SELECT a FROM {}",
            inline.written(),
            table.written()
        ));
        self.sa.ok(&format!(
            "CREATE FUNCTION {}() RETURNS int AS BEGIN RETURN (SELECT MAX(a) FROM {}) END",
            scalar.written(),
            table.written()
        ));
        self.grantable.push((inline.clone(), &["SELECT", "CONTROL"]));
        self.grantable.push((scalar.clone(), OF_MODULES));
        for (module, permission, sql) in [
            (&inline, "SELECT", format!("SELECT @x = a FROM {}()", inline.written())),
            (&scalar, "EXECUTE", format!("SELECT @x = {}()", scalar.written())),
        ] {
            let within = Step::Within(module.clone(), How::Chained, ask());
            self.cell(sql, vec![Step::Ask(module.clone(), permission), within]);
        }
        // Two links: a procedure of dbo calls one of the other schema, which names the table.
        let (outer, inner) = (
            self.module(HOMES[0], format!("n{of}{}", home.0)),
            self.module(home, format!("p{of}SELECT")),
        );
        self.sa.ok(&format!("CREATE PROCEDURE {} AS EXEC {}", outer.written(), inner.written()));
        self.grantable.push((outer.clone(), OF_MODULES));
        let last = Step::Within(inner.clone(), How::Chained, ask());
        let links = vec![Step::Ask(inner, "EXECUTE"), last];
        let path = vec![
            Step::Ask(outer.clone(), "EXECUTE"),
            Step::Within(outer.clone(), How::Chained, links),
        ];
        self.cell(format!("EXEC {}", outer.written()), path);
    }
}

/// A statement that sends no rows.
fn variable(sql: &str) -> String {
    sql.replacen("SELECT a", "SELECT @x = a", usize::from(sql.starts_with("SELECT")))
}

/// Everything that is asked for, and all that is granted on.
fn made(sa: &mut Client) -> (Vec<Cell>, Grantable) {
    let mut maker = Maker { sa, cells: Vec::new(), grantable: Vec::new() };
    let table = |(schema, name, owner): (&'static str, &str, &'static str)| Thing {
        database: "d",
        schema,
        name: name.into(),
        owner,
    };
    for (of, table) in TABLES.map(table).iter().enumerate() {
        maker.grantable.push((table.clone(), OF_ROWS));
        for (action, before, behind) in ACTIONS {
            let sql = variable(&format!("{before}{}{behind}", table.written()));
            maker.cell(sql, vec![Step::Ask(table.clone(), action)]);
        }
        for home in HOMES {
            maker.paths(table, of, home);
        }
    }
    let other = Thing { database: "e", schema: "dbo", name: "x".into(), owner: "dbo" };
    maker.grantable.push((other.clone(), OF_ROWS));
    for (action, before, behind) in ACTIONS {
        let statement = format!("{before}{}{behind}", other.written());
        maker.cell(format!("EXEC ('{statement}')"), vec![Step::Ask(other.clone(), action)]);
    }
    for (letter, how, clause) in
        [("p", How::Chained, ""), ("o", How::AsOwner, " WITH EXECUTE AS OWNER")]
    {
        let module = maker.module(HOMES[0], format!("{letter}_of_e"));
        let body = "SELECT a FROM e.dbo.x";
        maker.sa.ok(&format!("CREATE PROCEDURE {}{clause} AS {body}", module.written()));
        maker.grantable.push((module.clone(), OF_MODULES));
        let within = Step::Within(module.clone(), how, vec![Step::Ask(other.clone(), "SELECT")]);
        let path = vec![Step::Ask(module.clone(), "EXECUTE"), within];
        maker.cell(format!("EXEC {}", module.written()), path);
    }
    (maker.cells, maker.grantable)
}

/// A world of grants: the rows, and the statements that make and undo them.
fn grants(dice: &mut Dice, on: &Grantable) -> (Rows, String, String) {
    let (mut rows, mut make, mut undo) = (Rows::new(), String::new(), String::new());
    let mut add = |on: String,
                   key: String,
                   permission: &'static str,
                   grantee: &'static str,
                   granted: bool,
                   elsewhere: bool| {
        let database = if elsewhere { "e" } else { "d" };
        let verb = if granted { "GRANT" } else { "DENY" };
        let _ = writeln!(make, "USE {database}; {verb} {permission} ON {on} TO {grantee}");
        let _ = writeln!(undo, "USE {database}; REVOKE {permission} ON {on} FROM {grantee}");
        rows.insert((key, permission, grantee), granted);
    };
    for _ in 0..6 {
        let schema = dice.one_of(&["dbo", "s1", "s2"]);
        let permission =
            dice.one_of(&["SELECT", "INSERT", "UPDATE", "DELETE", "EXECUTE", "EXECUTE", "CONTROL"]);
        let grantees: &[&str] = if schema == "s2" {
            &["public", "u", "y", "c"]
        } else {
            &["public", "r1", "r2", "u", "c", "x"]
        };
        let granted = dice.below(4) > 0 || permission == "CONTROL";
        let key = format!("SCHEMA::d/{schema}");
        add(format!("SCHEMA::{schema}"), key, permission, dice.one_of(grantees), granted, false);
    }
    for _ in 0..2 {
        let permission = dice.one_of(&["SELECT", "UPDATE", "EXECUTE", "DELETE"]);
        let grantee = dice.one_of(&["r1", "r2", "public", "u", "v", "k", "c"]);
        let granted = dice.below(3) > 0;
        add("DATABASE::d".into(), "DATABASE::d".into(), permission, grantee, granted, false);
    }
    for _ in 0..40 {
        let (thing, permissions) = &on[dice.below(on.len())];
        let permission = dice.one_of(permissions);
        let grantee = match thing.database {
            "e" => dice.one_of(&["public", "u", "w", "y", "k"]),
            _ => dice.one_of(&["public", "u", "w", "r1", "r2", "x", "y", "z", "k", "c", "v"]),
        };
        // An owner is given nothing on what is its own.
        let owner = [thing.owner, if thing.schema == "s1" { "v" } else { "" }];
        if !owner.contains(&grantee) {
            let granted = dice.below(4) > 0;
            let on = format!("{}.{}", thing.schema, thing.name);
            add(on, thing.written(), permission, grantee, granted, thing.database == "e");
        }
    }
    (rows, make, undo)
}

/// One batch that runs every cell and sends the number of its error, or 0.
fn batch(cells: &[Cell]) -> String {
    let mut text = String::from("SET NOCOUNT ON DECLARE @x int, @r TABLE (n int, e int)\n");
    for (n, cell) in cells.iter().enumerate() {
        let sql = &cell.sql;
        let _ = writeln!(
            text,
            "BEGIN TRY {sql} INSERT @r VALUES ({n}, 0) END TRY BEGIN CATCH INSERT @r VALUES ({n}, ERROR_NUMBER()) END CATCH"
        );
    }
    text.push_str("SELECT e FROM @r ORDER BY n");
    text
}

fn set_up(world: &World, sa: &mut Client) {
    for (n, name) in (8..).zip(&USERS[1..]) {
        login(world, n, &format!("l{name}"), &[]);
        user(world, n, name, &[]);
    }
    login(world, 40, "lsys", &[3]);
    sa.ok("CREATE ROLE r1; CREATE ROLE r2; CREATE DATABASE e");
    for (role, member) in MEMBERS {
        sa.ok(&format!("ALTER ROLE {role} ADD MEMBER {member}"));
    }
    sa.ok("EXEC ('CREATE SCHEMA s1 AUTHORIZATION v'); EXEC ('CREATE SCHEMA s2 AUTHORIZATION r2')");
    for (schema, name, _) in TABLES {
        sa.ok(&format!("CREATE TABLE {schema}.{name} (a int)"));
    }
    sa.ok("ALTER AUTHORIZATION ON dbo.own TO v");
    sa.ok("USE master; GRANT CONTROL SERVER TO lc; USE e; CREATE TABLE x (a int)");
    for name in ELSEWHERE {
        sa.ok(&format!("CREATE USER {name} FOR LOGIN l{name}"));
    }
    sa.ok("USE d");
}

#[test]
fn two_judges_agree_on_every_path() {
    let (world, mut sa, u) = two();
    set_up(&world, &mut sa);
    let (cells, grantable) = made(&mut sa);
    let text = batch(&cells);
    let context = |user, everything, control_server, here_alone| Context {
        user,
        everything,
        control_server,
        here_alone,
    };
    let mut sessions = vec![(context("u", false, false, false), u)];
    for name in &USERS[1..] {
        let who = context(name, false, *name == "c", false);
        sessions.push((who, session(&world, &format!("l{name}"))));
    }
    sessions.push((context("dbo", true, false, false), session(&world, "lsys")));
    // A user in whose name somebody acts is nobody on the server and elsewhere.
    for name in ["w", "dbo"] {
        let mut acting = session(&world, "lsys");
        acting.ok(&format!("EXECUTE AS USER = '{name}'"));
        sessions.push((context(name, false, false, true), acting));
    }
    let mut dice = Dice(20_261_130);
    let (mut cases, mut allowed) = (0, 0);
    for world in 0..WORLDS {
        let (rows, make, undo) = grants(&mut dice, &grantable);
        sa.ok(&make);
        let judge = Judge { rows };
        for (who, client) in &mut sessions {
            let told = client.rows(&text);
            let numbers: Vec<i32> = told.lines().filter_map(|l| l.trim().parse().ok()).collect();
            assert_eq!(numbers.len(), cells.len(), "world {world}, {who:?}: {told}");
            for (cell, number) in cells.iter().zip(numbers) {
                let expected = judge.passes(who, &cell.steps, None);
                let answered = number == 0 || REFUSALS.contains(&number);
                assert!(
                    answered && (number == 0) == expected,
                    "world {world}, {who:?}: {} says {number}, the judge {expected}\n{make}",
                    cell.sql
                );
                cases += 1;
                allowed += usize::from(expected);
            }
        }
        sa.ok(&undo);
    }
    assert!(cases >= 20_000, "{cases} cases");
    let refused = cases - allowed;
    assert!(allowed > cases / 5 && refused > cases / 5, "{allowed} of {cases} allowed");
}

#[test]
fn a_plan_over_two_databases_is_asked_for_in_both() {
    let (_world, mut sa, mut u) = two();
    sa.ok("GRANT SELECT ON t TO u; CREATE DATABASE e; USE e; CREATE TABLE x (a int)");
    sa.ok("CREATE USER u FOR LOGIN lu; GRANT SELECT ON x TO u");
    runs(&mut u, "SELECT a FROM e.dbo.x");
    runs(&mut u, "SELECT a FROM dbo.t");
    sa.ok("REVOKE SELECT ON x FROM u");
    // The rights in the session's own database are as they were, and known again.
    runs(&mut u, "SELECT a FROM dbo.t");
    refused(&mut u, "SELECT a FROM e.dbo.x", &[229]);
}
