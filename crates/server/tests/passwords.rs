//! Lockout and age of passwords, as a client meets them.

use crate::support::{Client, PASSWORD, data, errors, serve};
use std::time::{Duration, Instant};
use taffrail_server::{PasswordOverrides, Server};
use taffrail_tds::PacketType;
use taffrail_tds::login7::Login7;
use taffrail_tds::token::Token;
use taffrail_types::Value;

/// A lockout after two wrong passwords, and ninety days for each.
fn strict() -> PasswordOverrides {
    PasswordOverrides {
        lockout_threshold: Some(2),
        maximum_age_days: Some(90),
        ..PasswordOverrides::default()
    }
}

/// The number of the message by which a login is refused; 0: it is let in. With a new password it asks for the change.
fn heard(server: &Server, user: &str, password: &str, new: Option<&str>) -> i32 {
    let mut client = Client::connect_to(server.address());
    let login = Login7 {
        tds_version: client.version.login_value(),
        user_name: user.into(),
        password: password.into(),
        new_password: new.unwrap_or_default().into(),
        flags3: new.is_some().into(),
        ..Login7::default()
    };
    let mut bytes = Vec::new();
    login.encode(&mut bytes);
    client.send_as(PacketType::Login7, &bytes, 0);
    errors(&client.tokens()).last().map_or(0, |(number, ..)| *number)
}

/// The values of a query's first row, by sa.
fn told(server: &Server, query: &str) -> Vec<Value> {
    let mut sa = Client::session_at(server.address());
    sa.batch(query, 0);
    let tokens = sa.tokens();
    assert_eq!(errors(&tokens), [], "{query}");
    let row = |t| if let Token::Row(row) = t { Some(row) } else { None };
    tokens.into_iter().find_map(row).unwrap_or_default()
}

fn count(server: &Server, query: &str) -> i64 {
    told(server, query)[0].as_i64().unwrap()
}

#[test]
fn wrong_passwords_lock_a_login_out_over_a_restart_and_no_name_is_told_from_another() {
    let _ = std::fs::remove_dir_all(data("lockout"));
    let server = serve("lockout", strict());
    told(&server, "CREATE LOGIN app WITH PASSWORD = 'Str0ng!pw'");
    told(&server, "CREATE LOGIN free WITH PASSWORD = 'Str0ng!pw', CHECK_POLICY = OFF");
    // A right one in between forgets those before it.
    assert_eq!(heard(&server, "app", "wrong", None), 18456);
    assert_eq!(heard(&server, "app", "Str0ng!pw", None), 0);
    let attempts = |user: &str| {
        let began = Instant::now();
        let heard: Vec<i32> = (0..3).map(|_| heard(&server, user, "wrong", None)).collect();
        (heard, began.elapsed())
    };
    let (known, stranger) = (attempts("app"), attempts("nobody"));
    assert_eq!(known.0, [18456, 18456, 18486]);
    assert_eq!(stranger.0, known.0);
    // Three waits of 0.25, 0.5 and 1 s: what is written meanwhile lengthens none of them.
    let least = Duration::from_millis(1750);
    assert!(known.1 >= least && stranger.1 >= least, "{:?} {:?}", known.1, stranger.1);
    assert_eq!(attempts("free").0, [18456; 3], "without the policy nobody is locked out");
    assert_eq!(heard(&server, "APP", "Str0ng!pw", None), 18486, "the right one is of no use");
    assert_eq!(heard(&server, "app", "Str0ng!pw", Some("An0ther!pw")), 18486);
    let property = |name: &str| format!("SELECT CONVERT(int, LOGINPROPERTY('app', '{name}'))");
    assert_eq!(count(&server, &property("IsLocked")), 1);
    assert_eq!(count(&server, &property("BadPasswordCount")), 2);
    let since = "SELECT DATEDIFF(minute, CONVERT(datetime, LOGINPROPERTY('app', 'LockoutTime')), GETDATE())";
    assert!((0..=1).contains(&count(&server, since)));
    let log = std::fs::read_to_string(data("lockout").join("log/errorlog")).unwrap();
    assert!(log.contains("Login 'app' is locked out after 2 wrong passwords."), "{log}");
    assert!(log.contains("Error: 18486, Severity: 14, State: 1."), "{log}");

    server.stop();
    server.wait().unwrap();
    let server = serve("lockout", strict());
    assert_eq!(count(&server, &property("BadPasswordCount")), 2);
    assert_eq!(
        heard(&server, "app", "Str0ng!pw", None),
        18486,
        "a restart gives nobody new attempts"
    );
    told(&server, "ALTER LOGIN app WITH PASSWORD = 'Str0ng!pw' UNLOCK");
    assert_eq!(count(&server, &property("IsLocked")), 0);
    assert_eq!(heard(&server, "app", "Str0ng!pw", None), 0);
    // The way without a password: the policy off and on again.
    for _ in 0..2 {
        assert_eq!(heard(&server, "app", "wrong", None), 18456);
    }
    assert_eq!(heard(&server, "app", "Str0ng!pw", None), 18486);
    told(&server, "ALTER LOGIN app WITH CHECK_POLICY = OFF");
    told(&server, "ALTER LOGIN app WITH CHECK_POLICY = ON");
    assert_eq!(heard(&server, "app", "Str0ng!pw", None), 0);
    // A login of its name and identifier begins anew.
    let sid = "DECLARE @s nvarchar(max) = (SELECT CONVERT(nvarchar(max), sid, 1) FROM sys.sql_logins WHERE name = 'app')
        DROP LOGIN app; EXEC ('CREATE LOGIN app WITH PASSWORD = ''Str0ng!pw'', SID = ' + @s)";
    for _ in 0..2 {
        assert_eq!(heard(&server, "app", "wrong", None), 18456);
    }
    told(&server, sid);
    assert_eq!(heard(&server, "app", "Str0ng!pw", None), 0);
    server.stop();
    server.wait().unwrap();
    // Where the setting is taken away nobody is locked out.
    let server = serve("lockout", PasswordOverrides::default());
    assert_eq!([0; 4].map(|_| heard(&server, "nobody", "wrong", None)), [18456; 4]);
    server.stop();
    server.wait().unwrap();
}

#[test]
fn a_password_that_is_too_old_is_changed_by_the_login_that_has_it() {
    let _ = std::fs::remove_dir_all(data("expired"));
    let server = serve("expired", strict());
    told(&server, "CREATE LOGIN old WITH PASSWORD = 'Str0ng!pw', CHECK_EXPIRATION = ON");
    told(
        &server,
        "CREATE LOGIN due WITH PASSWORD = 'Str0ng!pw' MUST_CHANGE, CHECK_EXPIRATION = ON",
    );
    let days = "SELECT CONVERT(int, LOGINPROPERTY('old', 'DaysUntilExpiration'))";
    assert!((89..=90).contains(&count(&server, days)));
    assert_eq!(told(&server, &days.replace("'old'", "'sa'")), [Value::Null]);
    assert_eq!(heard(&server, "old", "Str0ng!pw", None), 0);
    // Ninety days later.
    let age = |login: &str, days: i32| {
        let mut p = (*server.instance().login_principal(login).unwrap()).clone();
        if let Value::DateTime { days: at, .. } = &mut p.login.password_set {
            *at -= days;
        }
        server.instance().record_login(p).unwrap();
    };
    age("old", 89);
    assert_eq!(heard(&server, "old", "Str0ng!pw", None), 0);
    age("old", 1);
    assert_eq!(heard(&server, "old", "Str0ng!pw", None), 18487);
    assert_eq!(heard(&server, "old", "wrong", None), 18456, "only the right one is told why");
    assert_eq!(count(&server, days), 0);
    assert_eq!(count(&server, "SELECT CONVERT(int, LOGINPROPERTY('old', 'IsExpired'))"), 1);
    for (new, number) in [("Sh0rt!", 18464), ("longenough", 18466)] {
        assert_eq!(heard(&server, "old", "Str0ng!pw", Some(new)), number);
    }
    let long = format!("Aa1!{}", "x".repeat(124));
    assert_eq!(
        heard(&server, "old", "Str0ng!pw", Some(&long)),
        0,
        "128 characters are not too many"
    );
    assert_eq!(heard(&server, "old", "Str0ng!pw", None), 18456);
    assert_eq!(heard(&server, "old", &long, None), 0);
    assert_eq!(heard(&server, "due", "Str0ng!pw", None), 18488);
    assert_eq!(heard(&server, "due", "Str0ng!pw", Some("An0ther!pw")), 0);
    assert_eq!(heard(&server, "due", "An0ther!pw", None), 0);
    // Without CHECK_EXPIRATION nothing is ever too old.
    age("due", 1000);
    assert_eq!(heard(&server, "due", "An0ther!pw", None), 18487);
    told(&server, "ALTER LOGIN due WITH CHECK_EXPIRATION = OFF");
    assert_eq!(heard(&server, "due", "An0ther!pw", None), 0);
    server.stop();
    server.wait().unwrap();
}

#[test]
fn an_old_password_that_is_wrong_counts_as_at_a_login() {
    let _ = std::fs::remove_dir_all(data("proved"));
    let server = serve("proved", strict());
    told(&server, "CREATE LOGIN app WITH PASSWORD = 'Str0ng!pw'");
    let mut sa = Client::session_at(server.address());
    let mut change = |old: &str| {
        sa.batch(
            &format!("ALTER LOGIN app WITH PASSWORD = 'An0ther!pw' OLD_PASSWORD = '{old}'"),
            0,
        );
        errors(&sa.tokens()).last().map_or(0, |(number, ..)| *number)
    };
    assert_eq!([change("wrong"), change("wrong"), change("Str0ng!pw")], [15151, 15151, 15113]);
    assert_eq!(heard(&server, "app", "Str0ng!pw", None), 18486);
    // sa may try again in the end, and whoever starts the server gives it a password.
    told(&server, "ALTER LOGIN sa WITH CHECK_POLICY = ON");
    for _ in 0..2 {
        assert_eq!(heard(&server, "sa", "wrong", None), 18456);
    }
    assert_eq!(heard(&server, "sa", PASSWORD, None), 18486);
    server.stop();
    server.wait().unwrap();
}
