//! What permissions cost: the same statements as sa, of whom nothing is asked, and as a login with many roles and grants.
//!
//! ```text
//!   loops, 8 clients' commits   instructions of the server under callgrind, as sa and as the login in turns; the least of the rounds
//!   sys.objects, sys.columns    median time over 10,000 tables, in turns
//! ```
//! Each figure is the login's over sa's, and has a bound.

use super::Figure;
use super::instructions::{Call, Counted, PreparedTexts, WORKS, Work, place};
use super::rows::median;
use std::io;
use std::path::Path;
use std::time::Instant;
use taffrail_lab::client::{Client, ConnectOptions};
use taffrail_lab::launch::Taffrail;

const ROLES: usize = 20;
const GRANTS: usize = 200;
const CLIENTS: usize = 8;
const ROUNDS: usize = 5;
const TABLES: usize = 10_000;
const SCANS: usize = 9;
const LOGIN: &str = "bench_login";

/// Works, and what they must not exceed: the login's over sa's.
const BOUNDS: [(&str, f64); 4] = [
    ("permissions: loops", 1.01),
    ("permissions: 8 clients", 1.01),
    ("permissions: sys.objects", 3.0),
    ("permissions: sys.columns", 3.0),
];

/// The figures of all works.
pub fn permissions(binary: &Path, dir: &Path) -> io::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    let memory = place(dir).join("permissions");
    for (n, work) in WORKS.iter().filter(|w| ["loops", "clients"].contains(&w.name)).enumerate() {
        let counted = counted(binary, &memory, work);
        std::fs::remove_dir_all(&memory)?;
        let [as_sa, as_login] = counted?;
        let note = format!(
            "bound {} x; {:.1} million instructions, {:.1} as sa",
            BOUNDS[n].1,
            as_login / 1e6,
            as_sa / 1e6
        );
        figures.push(figure(n, as_login / as_sa, note));
    }
    figures.extend(scans(binary, &dir.join("permissions"))?);
    Ok(figures)
}

/// The works beyond their bounds, in words.
pub fn beyond(figures: &[Figure]) -> Vec<String> {
    let over = |f: &Figure| {
        let (_, bound) = BOUNDS.iter().find(|(work, _)| f.work == *work)?;
        let is = f.value;
        (is > *bound).then(|| format!("{}: {is:.3} x is beyond its bound, {bound}", f.work))
    };
    figures.iter().filter_map(over).collect()
}

fn figure(n: usize, value: f64, note: String) -> Figure {
    Figure::ours(BOUNDS[n].0, value, "x", note)
}

/// The login with its roles and its grants, in the current database: all that the works need, and as many others.
fn login() -> Vec<String> {
    let mut all = vec![
        format!(
            "CREATE LOGIN {LOGIN} WITH PASSWORD = '{}', CHECK_POLICY = OFF; CREATE USER {LOGIN} FOR LOGIN {LOGIN}",
            Taffrail::password()
        ),
        format!("GRANT SELECT, INSERT, UPDATE, DELETE, EXECUTE ON SCHEMA::dbo TO {LOGIN}"),
    ];
    for role in 0..ROLES {
        all.push(format!("CREATE ROLE r{role}; ALTER ROLE r{role} ADD MEMBER {LOGIN}"));
    }
    for n in 0..GRANTS {
        let role = n % ROLES;
        all.push(format!("CREATE TABLE granted{n} (a int); GRANT SELECT ON granted{n} TO r{role}"));
    }
    all
}

fn client(server: &Taffrail, user: &str, database: &str) -> io::Result<Client> {
    Client::connect(&ConnectOptions {
        port: server.port(),
        user: user.into(),
        password: Taffrail::password().into(),
        database: database.into(),
        ..Default::default()
    })
    .map_err(io::Error::other)
}

/// Instructions of a work as sa and as the login.
fn counted(binary: &Path, dir: &Path, work: &Work) -> io::Result<[f64; 2]> {
    let mut server = Counted::start(binary, dir, &[])?;
    server.run("CREATE DATABASE counted; ALTER DATABASE counted SET RECOVERY SIMPLE")?;
    server.run("USE counted")?;
    work.setup.iter().try_for_each(|sql| server.run(sql))?;
    login().iter().try_for_each(|sql| server.run(sql))?;
    let clients = if work.name == "clients" { CLIENTS } else { 1 };
    let mut sides: Vec<Vec<(Client, PreparedTexts)>> = Vec::new();
    for user in ["sa", LOGIN] {
        let open = |_| Ok((client(&server.server, user, "counted")?, Vec::new()));
        sides.push((0..clients).map(open).collect::<io::Result<_>>()?);
    }
    // The first round warms up, and counts for nobody.
    let mut least = [f64::INFINITY; 2];
    for round in 0..=ROUNDS {
        for (side, least) in sides.iter_mut().zip(&mut least) {
            let instructions = server.count(|server| each(server, side, work))?;
            if round > 0 {
                *least = least.min(instructions);
            }
        }
    }
    Ok(least)
}

/// Each client's part of a work, one client after the other.
fn each(
    server: &mut Counted,
    clients: &mut [(Client, PreparedTexts)],
    work: &Work,
) -> io::Result<()> {
    let share = u32::try_from(clients.len()).unwrap_or(1);
    for client in clients {
        server.swap(client);
        let sent = work.calls.iter().try_for_each(|call| {
            server.call(&match call {
                Call::Text(text, times) => Call::Text(text, times.div_ceil(share)),
                Call::Prepared(text, times) => Call::Prepared(text, times.div_ceil(share)),
            })
        });
        server.swap(client);
        sent?;
    }
    Ok(())
}

/// Catalogue views over many tables, all of which the login sees.
fn scans(binary: &Path, dir: &Path) -> io::Result<Vec<Figure>> {
    let server = Taffrail::start(binary, dir)?;
    let mut sa = client(&server, "sa", "master")?;
    let mut run = |sql: &str| sa.run(sql).map(drop).map_err(io::Error::other);
    run("CREATE DATABASE many; ALTER DATABASE many SET RECOVERY SIMPLE")?;
    run("USE many")?;
    login().iter().try_for_each(|sql| run(sql))?;
    run(&format!(
        "SET NOCOUNT ON DECLARE @i int = 0 BEGIN TRAN WHILE @i < {TABLES} BEGIN \
         EXEC ('CREATE TABLE t' + @i + ' (a int, b int, c varchar(10))') SET @i = @i + 1 \
         IF @i % 500 = 0 BEGIN COMMIT BEGIN TRAN END END COMMIT"
    ))?;
    let mut sides = [client(&server, "sa", "many")?, client(&server, LOGIN, "many")?];
    let mut figures = Vec::new();
    for (n, view) in [(2, "sys.objects"), (3, "sys.columns")] {
        let sql = format!("SELECT COUNT(*) FROM {view}");
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..=SCANS {
            for (client, times) in sides.iter_mut().zip(&mut times) {
                let began = Instant::now();
                let rows = client.query(&sql).map_err(io::Error::other)?.text();
                let rows: usize = rows.trim().parse().map_err(io::Error::other)?;
                if rows < TABLES {
                    return Err(io::Error::other(format!("{view} shows {rows} rows only")));
                }
                times.push(began.elapsed().as_secs_f64() * 1000.0);
            }
        }
        let [as_sa, as_login] = times.map(|t| median(t.into_iter().skip(1).collect()));
        let note = format!("bound {} x; {as_login:.1} ms, {as_sa:.1} as sa", BOUNDS[n].1);
        figures.push(figure(n, as_login / as_sa, note));
    }
    drop(server);
    std::fs::remove_dir_all(dir)?;
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_that_costs_more_than_its_bound_is_told() {
        let figures = [figure(0, 1.005, String::new()), figure(2, 3.5, String::new())];
        let told = beyond(&figures);
        assert_eq!(told, ["permissions: sys.objects: 3.500 x is beyond its bound, 3"]);
    }
}
