//! The variables of SQL Server on Linux and of its image.

use super::Overrides;
use std::path::PathBuf;
use taffrail_types::Collation;

/// Variables that are known and change nothing here.
const WITHOUT_EFFECT: [&str; 4] =
    ["MSSQL_PID", "MSSQL_LCID", "MSSQL_AGENT_ENABLED", "MSSQL_TELEMETRY_ENABLED"];

/// Variables that need logins of one's own, which there are not.
const PRINCIPALS: [&str; 2] = ["MSSQL_USER", "MSSQL_PASSWORD"];

impl Overrides {
    /// From `MSSQL_*` and `SA_PASSWORD`, through `var`, with what is to be said about them.
    pub fn from_mssql(
        var: impl Fn(&str) -> Option<String>,
    ) -> Result<(Overrides, Vec<String>), String> {
        let number = |name: &str| -> Result<Option<u64>, String> {
            var(name)
                .filter(|t| !t.trim().is_empty())
                .map(|t| t.trim().parse().map_err(|_| format!("{name}: '{t}' is not a number")))
                .transpose()
        };
        let text = |name: &str| var(name).filter(|t| !t.is_empty());
        let mut notes = Vec::new();
        for name in WITHOUT_EFFECT {
            // Asking for it makes it known; there is nothing to say about a set-up that works.
            let _ = var(name);
        }
        for name in PRINCIPALS {
            if text(name).is_some() {
                return Err(format!(
                    "{name}: logins other than sa are not supported; create no user, or leave it out"
                ));
            }
        }
        let collation = match text("MSSQL_COLLATION") {
            None => None,
            Some(name) => match collation_of_server(&name) {
                Ok(collation) => Some(collation),
                Err(note) => {
                    notes.push(note);
                    None
                }
            },
        };
        let tcp_port = match number("MSSQL_TCP_PORT")? {
            None => None,
            Some(port) => Some(
                u16::try_from(port)
                    .map_err(|_| format!("MSSQL_TCP_PORT: '{port}' is not a port"))?,
            ),
        };
        let (near, far) = (text("MSSQL_SA_PASSWORD"), text("SA_PASSWORD"));
        let path = |name: &str| text(name).map(PathBuf::from);
        let given = Overrides {
            sa_password: near.or(far),
            tcp_port,
            max_server_memory_mb: number("MSSQL_MEMORY_LIMIT_MB")?,
            init_database: text("MSSQL_DB"),
            collation,
            default_data_dir: path("MSSQL_DATA_DIR"),
            default_log_dir: path("MSSQL_LOG_DIR"),
            default_backup_dir: path("MSSQL_BACKUP_DIR"),
            ..Overrides::default()
        };
        Ok((given, notes))
    }
}

/// The collation that a new server is to have; what is said to somebody who wants one that it cannot have.
fn collation_of_server(name: &str) -> Result<Collation, String> {
    let why = match Collation::from_name(name) {
        Some(wanted) if wanted.missing(true).or_else(|| wanted.missing(false)).is_none() => {
            return Ok(wanted);
        }
        Some(_) => "is not yet a collation of a server",
        None => "is not a collation of this server",
    };
    let default = Collation::default().name();
    Err(format!("MSSQL_COLLATION: '{name}' {why}. A new server's collation is {default}."))
}

#[cfg(test)]
mod tests {
    use super::super::Settings;
    use super::*;

    fn given(variables: &[(&str, &str)]) -> Result<(Overrides, Vec<String>), String> {
        Overrides::from_mssql(|name| {
            variables.iter().find(|(n, _)| *n == name).map(|(_, v)| v.to_string())
        })
    }

    #[test]
    fn variables_of_the_image_are_settings() {
        let (o, notes) = given(&[
            ("MSSQL_SA_PASSWORD", "near"),
            ("SA_PASSWORD", "far"),
            ("MSSQL_TCP_PORT", "1499"),
            ("MSSQL_MEMORY_LIMIT_MB", "2048"),
            ("MSSQL_DATA_DIR", "/d"),
            ("MSSQL_BACKUP_DIR", "/b"),
            ("MSSQL_PID", "Developer"),
        ])
        .unwrap();
        assert!(notes.is_empty());
        let file = Overrides::from_toml("listen = \"0.0.0.0:1433\"").unwrap();
        let s = Settings::from_overrides(o.clone().or(file)).unwrap();
        assert_eq!(s.listen.to_string(), "0.0.0.0:1499");
        assert_eq!((s.sa_password.as_deref(), s.max_server_memory_mb), (Some("near"), 2048));
        assert_eq!(s.default_dirs.data, Some("/d".into()));
        assert_eq!((s.default_dirs.log, s.default_dirs.backup), (None, Some("/b".into())));
        let nearer = Overrides { listen: Some("127.0.0.1:5".into()), ..Overrides::default() };
        let s = Settings::from_overrides(nearer.or(o)).unwrap();
        assert_eq!(s.listen.to_string(), "127.0.0.1:5");
        let (o, _) = given(&[("SA_PASSWORD", "far")]).unwrap();
        assert_eq!(o.sa_password.as_deref(), Some("far"));
    }

    #[test]
    fn what_cannot_be_is_said() {
        let notes = |name| given(&[("MSSQL_COLLATION", name)]).unwrap().1;
        assert!(notes("SQL_Latin1_General_CP1_CI_AS").is_empty());
        assert!(notes("Klingon_CI_AS")[0].contains("'Klingon_CI_AS' is not a collation"));
        assert!(
            notes("SQL_Latin1_General_CP1251_CI_AS")[0].contains("not yet a collation of a server")
        );
        let (o, notes) = given(&[("MSSQL_COLLATION", "latin1_general_100_cs_as")]).unwrap();
        assert!(notes.is_empty());
        let wanted = Settings::from_overrides(o).unwrap().collation;
        assert_eq!(wanted.map(Collation::name), Some("Latin1_General_100_CS_AS"));
        assert!(given(&[("MSSQL_USER", "me")]).unwrap_err().contains("not supported"));
        assert!(given(&[("MSSQL_TCP_PORT", "70000")]).unwrap_err().contains("not a port"));
        assert!(given(&[("MSSQL_MEMORY_LIMIT_MB", "much")]).unwrap_err().contains("not a number"));
    }
}
