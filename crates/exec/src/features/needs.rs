//! The permissions that registered statements, DBCC commands, procedures and views need, as the documentation of each names them.
//!
//! A need is data, so that one place decides ([`crate::exec::authority`]). A member of sysadmin is refused nothing. Each table of a
//! feature gives the needs of its entries, and none has a default.
//!
//! A role stands here only where its membership itself is asked for, and not where it merely carries the permission. sysadmin stands
//! only where nobody else may.

use std::fmt;

/// Declares permissions of one level of securables, with SQL Server's names.
macro_rules! permissions {
    ($(#[$doc:meta])* $level:ident { $($permission:ident = $name:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $level {
            $(#[doc = concat!("The permission ", $name, ".")] $permission,)+
        }

        impl fmt::Display for $level {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $($level::$permission => $name,)+ })
            }
        }
    };
}

permissions! {
    /// Permissions on the server, as far as something here needs them.
    OnServer {
        AdministerBulkOperations = "ADMINISTER BULK OPERATIONS",
        AlterAnyCredential = "ALTER ANY CREDENTIAL",
        AlterAnyDatabase = "ALTER ANY DATABASE",
        AlterAnyEventSession = "ALTER ANY EVENT SESSION",
        AlterAnyLinkedServer = "ALTER ANY LINKED SERVER",
        AlterAnyLogin = "ALTER ANY LOGIN",
        AlterAnyServerRole = "ALTER ANY SERVER ROLE",
        AlterServerState = "ALTER SERVER STATE",
        AlterSettings = "ALTER SETTINGS",
        AlterTrace = "ALTER TRACE",
        ControlServer = "CONTROL SERVER",
        CreateAnyDatabase = "CREATE ANY DATABASE",
        CreateLogin = "CREATE LOGIN",
        CreateServerRole = "CREATE SERVER ROLE",
        Shutdown = "SHUTDOWN",
        ViewAnyDatabase = "VIEW ANY DATABASE",
        ViewAnyDefinition = "VIEW ANY DEFINITION",
        ViewAnySecuredDefinition = "VIEW ANY CRYPTOGRAPHICALLY SECURED DEFINITION",
        ViewServerPerformanceState = "VIEW SERVER PERFORMANCE STATE",
        ViewServerSecurityState = "VIEW SERVER SECURITY STATE",
        ViewServerState = "VIEW SERVER STATE",
    }
}

permissions! {
    /// Permissions on the database that a statement is about, as far as something here needs them. CREATE DATABASE is one of master alone.
    OnDatabase {
        Alter = "ALTER",
        AlterAnyApplicationRole = "ALTER ANY APPLICATION ROLE",
        AlterAnyDdlTrigger = "ALTER ANY DATABASE DDL TRIGGER",
        AlterAnyMask = "ALTER ANY MASK",
        AlterAnyRole = "ALTER ANY ROLE",
        AlterAnySchema = "ALTER ANY SCHEMA",
        AlterAnyScopedConfiguration = "ALTER ANY DATABASE SCOPED CONFIGURATION",
        AlterAnySecurityPolicy = "ALTER ANY SECURITY POLICY",
        AlterAnyUser = "ALTER ANY USER",
        BackupDatabase = "BACKUP DATABASE",
        BackupLog = "BACKUP LOG",
        Control = "CONTROL",
        CreateDatabase = "CREATE DATABASE",
        CreateFunction = "CREATE FUNCTION",
        CreateProcedure = "CREATE PROCEDURE",
        CreateRole = "CREATE ROLE",
        CreateSchema = "CREATE SCHEMA",
        CreateSynonym = "CREATE SYNONYM",
        CreateTable = "CREATE TABLE",
        CreateType = "CREATE TYPE",
        CreateUser = "CREATE USER",
        CreateView = "CREATE VIEW",
        Showplan = "SHOWPLAN",
        ViewDatabasePerformanceState = "VIEW DATABASE PERFORMANCE STATE",
        ViewDatabaseState = "VIEW DATABASE STATE",
        ViewDefinition = "VIEW DEFINITION",
        ViewSecurityDefinition = "VIEW SECURITY DEFINITION",
    }
}

permissions! {
    /// Permissions on the schema of an object, as far as something here needs them.
    OnSchema {
        Alter = "ALTER",
        Control = "CONTROL",
        CreateSequence = "CREATE SEQUENCE",
        Select = "SELECT",
        ViewDefinition = "VIEW DEFINITION",
    }
}

permissions! {
    /// Permissions on a table, view or module, as far as something here needs them.
    OnObject {
        Alter = "ALTER",
        Control = "CONTROL",
        Insert = "INSERT",
        Select = "SELECT",
        TakeOwnership = "TAKE OWNERSHIP",
        Update = "UPDATE",
        ViewDefinition = "VIEW DEFINITION",
    }
}

permissions! {
    /// Fixed server roles whose members alone may do something.
    ServerRole {
        Dbcreator = "dbcreator",
        Diskadmin = "diskadmin",
        Securityadmin = "securityadmin",
        Setupadmin = "setupadmin",
        Sysadmin = "sysadmin",
    }
}

permissions! {
    /// Fixed database roles whose members may do something that no permission allows.
    DatabaseRole {
        Ddladmin = "db_ddladmin",
        Owner = "db_owner",
        Securityadmin = "db_securityadmin",
    }
}

permissions! {
    /// The securables whose owners may do something.
    Owned {
        Database = "the database",
        Schema = "the schema",
        Object = "the object",
    }
}

permissions! {
    /// The cases in which something needs more, or in which one of several needs holds.
    Case {
        AllDatabases = "for all databases at once",
        AllObjects = "for all objects of a database",
        Authorization = "with another owner",
        Changed = "to change a value",
        Cleared = "to clear statistics",
        Constraints = "where constraints are not checked or identity values are kept",
        Databases = "for a database",
        DatabaseTriggers = "ON DATABASE",
        Existing = "over a database that exists",
        Masks = "where a mask comes or goes",
        LinkedServers = "for linked servers",
        Missing = "where no such database exists",
        Objects = "for an object",
        OtherDatabases = "for databases but the current one, master and tempdb",
        OtherLogins = "for another login",
        OtherMembers = "for memberships of others",
        OtherSessions = "for other sessions",
        OtherUsers = "for another user",
        PasswordHashes = "for hashes of passwords",
        Permanent = "of a table that is not temporary",
        PrivilegedLogins = "for a login that is sysadmin or has CONTROL SERVER",
        RowsChange = "where rows are changed",
        ScopedConfiguration = "SCOPED CONFIGURATION",
        ServerTriggers = "ON ALL SERVER",
        Settings = "of a database",
        TableTriggers = "of a table or view",
        Url = "to or from a URL",
        UserModules = "for modules that are not the system's",
        UsageUpdated = "with @updateusage",
        Values = "for the values of segments",
    }
}

/// The needs of something that is registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// No more than a connection: public may.
    Public,
    /// No more than a connection; rows are shown of securables that one owns or has a permission on.
    MetadataVisibility,
    /// The needs of the text that is handed in.
    HandedText,
    /// The needs of the command that the statement names.
    ItsCommand,
    /// A permission on the server.
    Server(OnServer),
    /// A permission on the database.
    Database(OnDatabase),
    /// A permission on the schema.
    Schema(OnSchema),
    /// A permission on the object.
    Object(OnObject),
    /// The permission IMPERSONATE on the principal that is named.
    Impersonate,
    /// An owner's authority over the securable, or a grant of the permission WITH GRANT OPTION.
    Grants,
    /// Membership in a fixed server role.
    InServerRole(ServerRole),
    /// Membership in a fixed database role.
    InDatabaseRole(DatabaseRole),
    /// Ownership of the securable.
    Owner(Owned),
    /// Every one of these.
    All(&'static [Needs]),
    /// At least one of these.
    Any(&'static [Needs]),
    /// A need that holds in one case only.
    When(Case, &'static Needs),
}

impl Needs {
    /// Whether a view of the catalogue that needs this has no rows for who lacks it, and is refused to nobody: permissions to define
    /// things, or to see definitions, and none on states or rows.
    pub(crate) fn hides_rows(&self) -> bool {
        use {OnDatabase as D, OnServer as S};
        match self {
            Needs::Public | Needs::MetadataVisibility | Needs::When(..) => true,
            Needs::Server(p) => matches!(
                p,
                S::AlterAnyCredential
                    | S::AlterAnyDatabase
                    | S::AlterAnyLinkedServer
                    | S::AlterAnyLogin
                    | S::ViewAnyDefinition
            ),
            Needs::Database(p) => {
                matches!(p, D::AlterAnySecurityPolicy | D::CreateDatabase | D::ViewDefinition)
            }
            Needs::Object(p) => *p == OnObject::ViewDefinition,
            Needs::All(all) | Needs::Any(all) => all.iter().all(Needs::hides_rows),
            _ => false,
        }
    }

    /// Writes alternatives or parts, in brackets where they stand inside others.
    fn list(
        f: &mut fmt::Formatter<'_>,
        needs: &[Needs],
        between: &str,
        inside: bool,
    ) -> fmt::Result {
        f.write_str(if inside { "(" } else { "" })?;
        for (n, need) in needs.iter().enumerate() {
            f.write_str(if n > 0 { between } else { "" })?;
            need.write(f, true)?;
        }
        f.write_str(if inside { ")" } else { "" })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, inside: bool) -> fmt::Result {
        match self {
            Needs::Public => f.write_str("public"),
            Needs::MetadataVisibility => f.write_str("metadata visibility"),
            Needs::HandedText => f.write_str("as the text"),
            Needs::ItsCommand => f.write_str("as the command"),
            Needs::Server(p) => write!(f, "{p} on the server"),
            Needs::Database(p) => write!(f, "{p} on the database"),
            Needs::Schema(p) => write!(f, "{p} on the schema"),
            Needs::Object(p) => write!(f, "{p} on the object"),
            Needs::Impersonate => f.write_str("IMPERSONATE on the principal"),
            Needs::Grants => {
                f.write_str("authority over the securable, or the permission with its grant option")
            }
            Needs::InServerRole(r) => write!(f, "member of {r}"),
            Needs::InDatabaseRole(r) => write!(f, "member of {r}"),
            Needs::Owner(o) => write!(f, "owner of {o}"),
            Needs::All(needs) => Needs::list(f, needs, " and ", inside),
            Needs::Any(needs) => Needs::list(f, needs, " or ", inside),
            Needs::When(case, need) => {
                write!(f, "[{case}] ")?;
                need.write(f, true)
            }
        }
    }
}

impl fmt::Display for Needs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, false)
    }
}

/// ALTER on the table, view or module.
pub const ALTERS: Needs = Needs::Object(OnObject::Alter);

/// ALTER on the table or view of a trigger; ALTER ANY DATABASE DDL TRIGGER for one of the database, CONTROL SERVER for one of the server.
pub const ALTERS_TRIGGERS: Needs = Needs::All(&[
    Needs::When(Case::TableTriggers, &ALTERS),
    Needs::When(Case::DatabaseTriggers, &Needs::Database(OnDatabase::AlterAnyDdlTrigger)),
    Needs::When(Case::ServerTriggers, &Needs::Server(OnServer::ControlServer)),
]);

/// Triggers of a database are shown to who may change them, or see definitions there.
pub const DATABASE_TRIGGERS_SEEN: Needs = Needs::Any(&[
    Needs::Database(OnDatabase::AlterAnyDdlTrigger),
    Needs::Database(OnDatabase::ViewDefinition),
]);

/// Triggers of the server are shown to who may change them, or see all definitions.
pub const SERVER_TRIGGERS_SEEN: Needs = Needs::Any(&[
    Needs::Server(OnServer::ControlServer),
    Needs::Server(OnServer::ViewAnyDefinition),
]);

/// The permissions that make a database, as CREATE DATABASE and RESTORE do.
pub const CREATES_DATABASES: Needs = Needs::Any(&[
    Needs::Database(OnDatabase::CreateDatabase),
    Needs::Server(OnServer::CreateAnyDatabase),
    Needs::Server(OnServer::AlterAnyDatabase),
]);

/// ALTER ANY CREDENTIAL, for a backup in an object store.
pub const BY_URL: Needs = Needs::When(Case::Url, &Needs::Server(OnServer::AlterAnyCredential));

/// CREATE DATABASE, for what only looks at a backup.
pub const LOOKS_AT_BACKUPS: Needs =
    Needs::All(&[Needs::Database(OnDatabase::CreateDatabase), BY_URL]);

/// CONTROL on an object, or ALTER on its schema: ALTER on the object does not drop it.
pub const DROPS: Needs =
    Needs::Any(&[Needs::Object(OnObject::Control), Needs::Schema(OnSchema::Alter)]);

/// Membership in the database role db_owner.
pub const DB_OWNER: Needs = Needs::InDatabaseRole(DatabaseRole::Owner);

/// Ownership of the table, or a role that may do with every table what its owner may.
pub const OWNS_TABLE: Needs = Needs::Any(&[
    Needs::Owner(Owned::Object),
    DB_OWNER,
    Needs::InDatabaseRole(DatabaseRole::Ddladmin),
]);

/// Membership in the server role sysadmin.
pub const SYSADMIN: Needs = Needs::InServerRole(ServerRole::Sysadmin);

/// ALTER ANY EVENT SESSION on the server.
pub const EVENT_SESSIONS: Needs = Needs::Server(OnServer::AlterAnyEventSession);

/// No more than a connection.
pub const PUBLIC: Needs = Needs::Public;

/// Rows of the securables that one owns or has a permission on.
pub const METADATA: Needs = Needs::MetadataVisibility;

/// The needs of the text that a function is handed.
pub const HANDED_TEXT: Needs = Needs::HandedText;

/// VIEW SERVER STATE on the server.
pub const SERVER_STATE: Needs = Needs::Server(OnServer::ViewServerState);

/// VIEW SERVER PERFORMANCE STATE on the server, as most views of what runs. Views of schema `taffrail` of that kind need it, too.
pub const SERVER_PERFORMANCE: Needs = Needs::Server(OnServer::ViewServerPerformanceState);

/// VIEW SERVER SECURITY STATE on the server.
pub const SERVER_SECURITY: Needs = Needs::Server(OnServer::ViewServerSecurityState);

/// VIEW ANY DEFINITION on the server.
pub const SERVER_DEFINITIONS: Needs = Needs::Server(OnServer::ViewAnyDefinition);

/// VIEW DATABASE STATE on the database.
pub const DATABASE_STATE: Needs = Needs::Database(OnDatabase::ViewDatabaseState);

/// VIEW DATABASE PERFORMANCE STATE on the database.
pub const DATABASE_PERFORMANCE: Needs = Needs::Database(OnDatabase::ViewDatabasePerformanceState);

/// ALTER TRACE on the server.
pub const TRACES: Needs = Needs::Server(OnServer::AlterTrace);

/// SELECT on the view itself, which public has not: the Agent's tables in msdb.
pub const READS: Needs = Needs::Object(OnObject::Select);

/// Everybody sees the own session.
pub const SESSIONS_SEEN: Needs =
    Needs::All(&[PUBLIC, Needs::When(Case::OtherSessions, &SERVER_PERFORMANCE)]);

/// Everybody sees the own session; sysprocesses names the older permission.
pub const PROCESSES_SEEN: Needs =
    Needs::All(&[PUBLIC, Needs::When(Case::OtherSessions, &SERVER_STATE)]);

/// Everybody sees the current database, master and tempdb.
pub const DATABASES_SEEN: Needs = Needs::All(&[
    PUBLIC,
    Needs::When(
        Case::OtherDatabases,
        &Needs::Any(&[
            Needs::Server(OnServer::ViewAnyDatabase),
            Needs::Server(OnServer::AlterAnyDatabase),
            Needs::Database(OnDatabase::CreateDatabase),
        ]),
    ),
]);

/// Files of all databases.
pub const FILES_SEEN: Needs = Needs::Any(&[
    Needs::Database(OnDatabase::CreateDatabase),
    Needs::Server(OnServer::AlterAnyDatabase),
    SERVER_DEFINITIONS,
]);

/// Logins, with the hashes of their passwords.
pub const LOGINS_SEEN: Needs = Needs::All(&[
    METADATA,
    Needs::When(
        Case::PasswordHashes,
        &Needs::Any(&[
            Needs::Server(OnServer::ControlServer),
            Needs::Server(OnServer::ViewAnySecuredDefinition),
        ]),
    ),
]);

/// Everybody sees the own memberships in server roles.
pub const SERVER_MEMBERS: Needs = Needs::All(&[
    METADATA,
    Needs::When(
        Case::OtherMembers,
        &Needs::Any(&[SERVER_DEFINITIONS, Needs::InServerRole(ServerRole::Securityadmin)]),
    ),
]);

/// Everybody sees the own memberships in database roles.
pub const DATABASE_MEMBERS: Needs = Needs::All(&[
    METADATA,
    Needs::When(
        Case::OtherMembers,
        &Needs::Any(&[
            Needs::Database(OnDatabase::ViewDefinition),
            Needs::InDatabaseRole(DatabaseRole::Securityadmin),
        ]),
    ),
]);

/// Everybody sees the local server.
pub const SERVERS_SEEN: Needs = Needs::All(&[
    PUBLIC,
    Needs::When(
        Case::LinkedServers,
        &Needs::Any(&[
            Needs::Server(OnServer::AlterAnyLinkedServer),
            Needs::Server(OnServer::AlterAnyLogin),
            Needs::InServerRole(ServerRole::Setupadmin),
        ]),
    ),
]);

/// Credentials of the server.
pub const CREDENTIALS: Needs =
    Needs::Any(&[SERVER_DEFINITIONS, Needs::Server(OnServer::AlterAnyCredential)]);

/// Security policies and their predicates.
pub const POLICIES: Needs = Needs::Any(&[
    Needs::Database(OnDatabase::AlterAnySecurityPolicy),
    Needs::Object(OnObject::ViewDefinition),
]);

/// Row groups of columnstore indexes.
pub const ROW_GROUPS: Needs = Needs::Object(OnObject::ViewDefinition);

/// Segments and dictionaries of columnstore indexes; their values are data.
pub const SEGMENTS: Needs =
    Needs::All(&[ROW_GROUPS, Needs::When(Case::Values, &Needs::Object(OnObject::Select))]);

/// Dependencies of a database, which only db_owner may read from the beginning.
pub const DEPENDENCIES_SEEN: Needs =
    Needs::All(&[Needs::Database(OnDatabase::ViewDefinition), READS]);

/// Space and rows of partitions.
pub const PARTITION_STATS: Needs =
    Needs::All(&[DATABASE_PERFORMANCE, Needs::Database(OnDatabase::ViewSecurityDefinition)]);

/// Pages of indexes: of one object, of all of a database, of all databases.
pub const PHYSICAL_STATS: Needs = Needs::All(&[
    Needs::When(Case::Objects, &Needs::Object(OnObject::Control)),
    Needs::When(Case::AllObjects, &Needs::Any(&[DATABASE_STATE, DATABASE_PERFORMANCE])),
    Needs::When(Case::AllDatabases, &Needs::Any(&[SERVER_STATE, SERVER_PERFORMANCE])),
]);

/// Properties of statistics.
pub const STATISTICS_SEEN: Needs = Needs::Any(&[
    Needs::Object(OnObject::Select),
    Needs::Owner(Owned::Object),
    DB_OWNER,
    Needs::InDatabaseRole(DatabaseRole::Ddladmin),
]);

/// The room for backups, of schema `taffrail`.
pub const ROOM_OF_BACKUPS: Needs = Needs::Database(OnDatabase::BackupDatabase);

/// The plan of a text, of schema `taffrail`: as for SET SHOWPLAN_TEXT.
pub const PLANS_SEEN: Needs = Needs::All(&[Needs::Database(OnDatabase::Showplan), HANDED_TEXT]);
