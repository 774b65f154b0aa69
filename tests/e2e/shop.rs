//! The shop of `examples/shop`, an application in T-SQL with checks of its own: installed, days of it run, its rules tried; and killed
//! within a day, which goes on behind the restart.

use crate::clients::repository;
use crate::life::connect;
use std::process::{Command, Stdio};
use std::time::Duration;
use taffrail_tests::{PASSWORD, Server, TempDir, binary};

/// Runs scripts of the example as a person would, with the program's own sqlcmd; gives what it printed.
fn sql(server: &Server, arguments: &[&str]) -> String {
    let out = Command::new(binary())
        .args(["sql", "-S", &format!("127.0.0.1,{}", server.port), "-U", "sa", "-b", "-W"])
        .args(arguments)
        .env("SQLCMDPASSWORD", PASSWORD)
        .current_dir(repository().join("examples/shop"))
        .stdin(Stdio::null())
        .output()
        .expect("taffrail sql");
    let text = String::from_utf8_lossy(&out.stdout);
    let complained = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{arguments:?}\n{complained}\n{text}");
    text.into_owned()
}

/// The shop with little in it, and its first day.
fn opened(server: &Server) {
    let password = format!("AppPassword={PASSWORD}");
    sql(server, &["-i", "install.sql", "-v", "Products=18", "Customers=9", &password]);
    sql(server, &["-i", "day/day.sql", "-v", "Day=20260302", "Orders=10"]);
}

#[test]
fn its_days_its_rules_and_its_books() {
    let data = TempDir::new("shop");
    let server = Server::start(&data.path().join("data"), &[]);
    opened(&server);
    let day = sql(&server, &["-i", "day/day.sql", "-v", "Day=20260303", "Orders=6"]);
    assert!(day.contains("Failures"), "{day}");
    let next = "Day=20260304";
    let rules = sql(&server, &["-i", "checks/rules.sql", "-v", next]);
    assert!(rules.contains("all that must be refused was refused"), "{rules}");
    let answers = sql(&server, &["-i", "checks/answers.sql", "-v", next]);
    assert!(answers.contains("all answers are right"), "{answers}");
    sql(&server, &["-i", "day/day.sql", "-v", next, "Orders=3"]);
    sql(&server, &["-i", "day/close-months.sql", "-v", "Period=202603"]);
    let closed = sql(&server, &["-i", "day/close-year.sql", "-v", "Year=2026"]);
    assert!(closed.contains("ChecksHeld"), "{closed}");
    // A check finds what is wrong: without that it would prove nothing.
    let mut client = connect(&server, "Shop");
    client
        .run("UPDATE stock.StockLevel SET Reserved = 1 WHERE ProductId = 1 AND WarehouseId = 1")
        .unwrap();
    let wrong = client.query("EXEC test.RunChecks").unwrap_err().to_string();
    assert!(wrong.contains("WrongReservations (1)"), "{wrong}");
    assert!(server.stop().success());
}

#[test]
fn a_day_that_is_killed_goes_on() {
    let data = TempDir::new("shop-killed");
    let folder = data.path().join("data");
    let mut server = Server::start(&folder, &[]);
    opened(&server);
    // Each time a little later; the last of them may come behind the day's end.
    for (n, after) in [150, 400, 700, 1100].into_iter().enumerate() {
        let mut client = connect(&server, "Shop");
        let day = std::thread::spawn(move || {
            // It ends with the server.
            let _ = client.run("EXEC test.RunDay '20260303', 12");
        });
        std::thread::sleep(Duration::from_millis(after));
        server.kill();
        day.join().expect("the day's thread");
        server = Server::start(&folder, &[]);
        let mut client = connect(&server, "Shop");
        client.run("EXEC test.RunChecks @Quiet = 1").unwrap_or_else(|e| panic!("kill {n}: {e}"));
    }
    let mut client = connect(&server, "Shop");
    let done = client
        .query(
            "SELECT COUNT(*) FROM ref.BusinessDay WHERE BusinessDate = '20260303' AND State = 'C'",
        )
        .unwrap();
    if done.first_value() == "0" {
        client
            .run("EXEC test.RunDay '20260303', 12")
            .unwrap_or_else(|e| panic!("the rest of the day: {e}"));
    }
    let mut number = |query: &str| client.query(query).unwrap().first_value().to_string();
    assert_eq!(number("SELECT COUNT(*) FROM sales.SalesOrder WHERE OrderedOn = '20260303'"), "12");
    assert_eq!(number("SELECT COUNT(*) FROM stock.PickTask WHERE State <> 'D'"), "0");
    client.run("EXEC test.RunChecks @Quiet = 1").unwrap();
    client.run("DBCC CHECKDB WITH NO_INFOMSGS").unwrap();
    assert!(server.stop().success());
}
