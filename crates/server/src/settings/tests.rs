use super::*;

fn flags() -> Overrides {
    Overrides { listen: Some("127.0.0.1:0".into()), ..Overrides::default() }
}

#[test]
fn nearer_sources_win() {
    let env = Overrides::from_env(|name| match name {
        "TAFFRAIL_LISTEN" => Some("127.0.0.1:9".into()),
        "TAFFRAIL_MAX_CONNECTIONS" => Some("7".into()),
        "TAFFRAIL_FILE_ROOTS" => Some("/a:/b".into()),
        "TAFFRAIL_SA_PASSWORD" => Some("from-env".into()),
        _ => None,
    })
    .unwrap();
    let file = Overrides::from_toml("max_connections = 5\ntls = \"optional\"\n").unwrap();
    let s = Settings::from_overrides(flags().or(env).or(file)).unwrap();
    assert_eq!((s.listen.port(), s.max_connections, s.tls), (0, 7, TlsPolicy::Optional));
    assert_eq!(s.file_roots, [PathBuf::from("/a"), PathBuf::from("/b")]);
    assert_eq!(s.sa_password.as_deref(), Some("from-env"));
}

#[test]
fn a_variable_that_is_empty_is_none() {
    let empty =
        Overrides::from_env(|name| (name != "TAFFRAIL_SA_PASSWORD").then(|| String::from(" ")));
    assert_eq!(empty, Ok(Overrides::default()));
    let empty = Overrides::from_env(|name| (name == "TAFFRAIL_SA_PASSWORD").then(String::new));
    assert!(Settings::from_overrides(empty.unwrap()).unwrap_err().contains("must not be empty"));
}

#[test]
fn a_password_file_of_a_nearer_source_wins_over_a_password() {
    let near = Overrides { sa_password_file: Some("/x".into()), ..Overrides::default() };
    let far = Overrides { sa_password: Some("p".into()), ..Overrides::default() };
    let both = near.clone().or(far.clone());
    assert_eq!((both.sa_password, both.sa_password_file), (None, Some("/x".into())));
    let both = far.or(near);
    assert_eq!((both.sa_password.as_deref(), both.sa_password_file), (Some("p"), None));
}

#[test]
fn the_admin_listener_is_beside_the_other_and_local() {
    let at = |listen: &str, admin: Option<&str>| {
        let (listen, admin_listen) = (Some(listen.into()), admin.map(Into::into));
        let given = Overrides { listen, admin_listen, ..Overrides::default() };
        Settings::from_overrides(given).map(|s| s.admin_listen)
    };
    let local = |port| SocketAddr::from(([127, 0, 0, 1], port));
    assert_eq!(at("0.0.0.0:1433", None), Ok(Place::Default(local(1434))));
    assert_eq!(at("127.0.0.1:0", None), Ok(Place::Default(local(0))));
    assert_eq!(at("127.0.0.1:65535", None), Ok(Place::Off));
    assert_eq!(at("127.0.0.1:1", Some("127.0.0.1:9")), Ok(Place::At(local(9))));
    assert_eq!(at("127.0.0.1:1", Some("off")), Ok(Place::Off));
    assert!(at("127.0.0.1:1", Some("10.0.0.1:9")).unwrap_err().contains("loopback"));
}

#[test]
fn the_console_has_a_place_of_its_own() {
    let at = |listen: &str, console: Option<&str>| {
        let (listen, console) = (Some(listen.into()), console.map(Into::into));
        let given = Overrides { listen, console, ..Overrides::default() };
        Settings::from_overrides(given).unwrap().console
    };
    let local = |port| SocketAddr::from(([127, 0, 0, 1], port));
    assert_eq!(at("0.0.0.0:1433", None), Place::Default(local(8433)));
    assert_eq!(at("127.0.0.1:0", None), Place::Default(local(0)));
    assert_eq!(at("127.0.0.1:0", Some("off")), Place::Off);
    assert_eq!(at("127.0.0.1:0", Some("http://127.0.0.1:9/")), Place::At(local(9)));
    assert_eq!(at("127.0.0.1:0", Some("127.0.0.1:9")), Place::At(local(9)));
}

#[test]
fn variables_that_are_no_settings_are_named() {
    let names = ["TAFFRAIL_MAX_CONECTIONS", "PATH", "TAFFRAIL_LISTEN", "MSSQL_LCID"];
    let names = names.map(OsString::from);
    let known = ["TAFFRAIL_LISTEN".to_owned()];
    assert_eq!(
        unknown_variables(names.into_iter(), &known),
        ["MSSQL_LCID", "TAFFRAIL_MAX_CONECTIONS"]
    );
}

#[test]
fn mistakes_are_named() {
    let with = |change: fn(&mut Overrides)| {
        let mut given = flags();
        change(&mut given);
        Settings::from_overrides(given).unwrap_err()
    };
    assert!(with(|o| o.tls = Some("maybe".into())).starts_with("tls: 'maybe'"));
    assert!(with(|o| o.console = Some("8433".into())).contains("not ADDRESS:PORT or off"));
    let missing = with(|o| o.metrics_token_file = Some("/no/such/file".into()));
    assert!(missing.starts_with("metrics_token_file: /no/such/file: "), "{missing}");
    assert!(with(|o| o.log_initialization = Some("late".into())).contains("sql2022, ahead"));
    assert!(with(|o| o.sa_password = Some(String::new())).contains("empty"));
    assert!(with(|o| o.listen = Some("nowhere".into())).contains("ADDRESS:PORT"));
    assert!(Overrides::from_toml("max_conections = 5").unwrap_err().contains("max_conections"));
    let env = Overrides::from_env(|n| (n == "TAFFRAIL_MAX_CONNECTIONS").then(|| "x".into()));
    assert_eq!(env.unwrap_err(), "TAFFRAIL_MAX_CONNECTIONS: 'x' is not a number");
}
