//! What functions ask of the session, the instance and the catalogue.

use super::live::Registered;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::type_facts::Types;
use taffrail_types::{Collation, ConvertContext, SqlType, Value};

/// The moment at which a statement began.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moment {
    /// UTC: 100 ns since 0001-01-01.
    pub utc: u64,
    /// Minutes that local time is ahead of UTC.
    pub offset: i16,
}

/// Whose property is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Property<'a> {
    /// A database's, by name: DATABASEPROPERTYEX.
    Database(&'a str),
    /// An object's, by id: OBJECTPROPERTY, OBJECTPROPERTYEX.
    Object(i32),
    /// A column's or parameter's: COLUMNPROPERTY(id, column).
    Column(i32, &'a str),
    /// An index's: INDEXPROPERTY(id, index).
    Index(i32, &'a str),
    /// INDEXKEY_PROPERTY(id, index id, key ordinal).
    IndexKey(i32, i32, i32),
    /// A file's of the database: FILEPROPERTY.
    File(&'a str),
    /// A filegroup's of the database: FILEGROUPPROPERTY.
    Filegroup(&'a str),
    /// A fact about the server: SERVERPROPERTY.
    Server,
    /// A fact about the connection: CONNECTIONPROPERTY.
    Connection,
    /// A setting of the session: SESSIONPROPERTY.
    Session,
}

/// A message by its number: of the system's, or a user's own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredMessage {
    /// The English text, whose placeholders say how arguments are written.
    pub original: String,
    /// The text in the session's language.
    pub text: String,
    /// The severity, as `sys.messages` has it.
    pub severity: u8,
    /// It goes to the error log however it is raised.
    pub is_logged: bool,
}

/// The message of the system's that has the number.
pub fn system_message(number: i32) -> Option<StoredMessage> {
    taffrail_base::message::find(number).map(|m| StoredMessage {
        original: m.text.to_owned(),
        text: m.text.to_owned(),
        severity: m.listed_severity(),
        is_logged: false,
    })
}

/// The questions that functions of live state ask beside those of [`FnContext`]: the answers tell of other sessions' commits.
pub trait LiveState {
    /// `@@DBTS`: the last rowversion of the current database.
    fn last_rowversion(&self) -> Value;
    /// MIN_ACTIVE_ROWVERSION of the current database.
    fn lowest_active_rowversion(&self) -> Value;
    /// IDENT_CURRENT, IDENT_SEED, IDENT_INCR of a table: current, seed, increment.
    fn identity_of(&self, table: &str) -> Option<[Value; 3]>;
    /// Properties: NULL for a name that is not known.
    fn property(&self, of: Property<'_>, name: &str) -> SqlResult<Value>;
}

/// The questions that functions ask of the session, the instance and the catalogue. Lookups that
/// find nothing give `None` or NULL, as the functions do. Nothing here changes state, except
/// [`FnContext::seed_random`].
pub trait FnContext {
    /// When the statement began: the same for all of its rows.
    fn moment(&self) -> Moment;
    /// The session's settings that conversions depend on.
    fn convert(&self) -> ConvertContext;
    /// The first day of the week, 1 Monday to 7: SET DATEFIRST.
    fn date_first(&self) -> u8;
    /// The current database's collation.
    fn collation(&self) -> Collation;
    /// `@@VARIABLES` and their relatives (`SCOPE_IDENTITY`): one that is no live state, upper case with its `@@`.
    fn global(&self, name: &str) -> SqlResult<Value>;
    /// CURSOR_STATUS of a kind (`local`, `global`, `variable`) and a name; none for another kind.
    fn cursor_status(&self, kind: &str, name: &str) -> Option<i32>;
    /// The next random number in [0, 1).
    fn random(&self) -> f64;
    /// Restarts the session's random numbers.
    fn seed_random(&self, seed: i32);
    /// Fills `bytes` with random ones, for NEWID.
    fn entropy(&self, bytes: &mut [u8]);
    /// A number greater than those before: NEWSEQUENTIALID.
    fn sequential_guid(&self) -> [u8; 16];
    /// The error that a CATCH block handles.
    fn caught(&self) -> Option<SqlError>;
    /// The identity value inserted last in this scope: SCOPE_IDENTITY().
    fn scope_identity(&self) -> Value;
    /// The columns that the statement which has fired the running trigger names, a bit each: COLUMNS_UPDATED(). None outside of triggers.
    fn columns_updated(&self) -> Option<Vec<u8>> {
        None
    }
    /// The event for which a trigger of DDL runs, as a text of xml: EVENTDATA(). None outside of such triggers.
    fn event_data(&self) -> Option<std::sync::Arc<str>> {
        None
    }
    /// How many triggers have fired each other: TRIGGER_NESTLEVEL. Counted are those of an object's id, those that are INSTEAD OF
    /// triggers or are none, and those of DDL or of rows.
    fn trigger_nest_level(
        &self,
        _object: Option<i64>,
        _instead_of: Option<bool>,
        _ddl: Option<bool>,
    ) -> i32 {
        0
    }
    /// The mode of an application lock: APPLOCK_MODE; whether it would be granted in a mode: APPLOCK_TEST. Named are the principal, the
    /// lock and its owner.
    fn application_lock(&self, _names: [&str; 3], _mode: Option<&str>) -> SqlResult<Value> {
        Err(taffrail_base::message::unsupported("APPLOCK_MODE"))
    }
    /// The transaction's state: XACT_STATE().
    fn xact_state(&self) -> i16;
    /// The id of the transaction: CURRENT_TRANSACTION_ID().
    fn transaction_id(&self) -> i64;
    /// The login that has connected, whatever runs.
    fn original_login(&self) -> String;
    /// The login in whose context the running module is.
    fn login_name(&self) -> String;
    /// The database user in whose context the running module is.
    fn user_name(&self) -> String;
    /// The client's machine, as it says: HOST_NAME().
    fn host_name(&self) -> Option<String>;
    /// The client's application, as it says: APP_NAME().
    fn app_name(&self) -> Option<String>;
    /// HOST_ID(): the client's process.
    fn host_process(&self) -> u32;
    /// The message that RAISERROR and FORMATMESSAGE name by its number.
    fn message(&self, number: i32) -> SqlResult<Option<StoredMessage>> {
        Ok(system_message(number))
    }
    /// GETANSINULL(): columns allow NULL where nothing is said.
    fn nulls_by_default(&self) -> bool;
    /// CONTEXT_INFO() (an empty key), SESSION_CONTEXT.
    fn session_context(&self, key: &str) -> Value;
    /// Id of the current database.
    fn current_database(&self) -> i16;
    /// The id of a database: DB_ID.
    fn database_id(&self, name: &str) -> Option<i16>;
    /// The name of a database: DB_NAME.
    fn database_name(&self, id: i16) -> Option<String>;
    /// Whether the login may use a database: HAS_DBACCESS.
    fn has_database_access(&self, name: &str) -> Option<bool>;
    /// SUSER_ID: principal id of a login.
    fn login_id(&self, name: &str) -> Option<i32>;
    /// SUSER_NAME by principal id.
    fn login_by_id(&self, id: i32) -> Option<String>;
    /// The security identifier of a login: SUSER_SID.
    fn login_sid(&self, name: &str) -> Option<Vec<u8>>;
    /// The security identifier of the login in whose context the running module is: SUSER_SID().
    fn own_sid(&self) -> Vec<u8> {
        self.login_sid(&self.login_name()).unwrap_or_default()
    }
    /// The login of a security identifier: SUSER_SNAME.
    fn login_by_sid(&self, sid: &[u8]) -> Option<String>;
    /// A property of a login, by its name in lower case: LOGINPROPERTY. None: no such login, or no such property.
    fn login_property(&self, _login: &str, _name: &str) -> Option<(SqlType, Value)> {
        None
    }
    /// Whether a password is that of a hash, of whatever format is known: PWDCOMPARE.
    fn is_password(&self, password: &str, hash: &[u8]) -> SqlResult<bool> {
        Ok(super::password::is_sql_servers(password, hash) == Some(true))
    }
    /// A hash of a password under a salt of its own: PWDENCRYPT.
    fn encrypt_password(&self, _password: &str) -> SqlResult<Vec<u8>> {
        Err(taffrail_base::message::unsupported("PWDENCRYPT"))
    }
    /// The id of a user: USER_ID, DATABASE_PRINCIPAL_ID.
    fn user_id(&self, name: &str) -> Option<i32>;
    /// USER_NAME by principal id.
    fn user_by_id(&self, id: i32) -> Option<String>;
    /// IS_SRVROLEMEMBER, IS_MEMBER, IS_ROLEMEMBER: None for an unknown role or login.
    fn is_member(&self, role: &str, who: Option<&str>, server: bool) -> Option<bool>;
    /// Whether the user has a permission: HAS_PERMS_BY_NAME.
    fn has_permission(
        &self,
        securable: Option<&str>,
        class: Option<&str>,
        permission: &str,
        column: Option<&str>,
    ) -> Option<bool>;
    /// Whether the user has UNMASK on each column that a masked value comes from.
    fn unmasks(&self, _mask: &std::sync::Arc<super::mask::Mask>) -> bool {
        false
    }
    /// SCHEMA_ID (None: the caller's default schema).
    fn schema_id(&self, name: Option<&str>) -> Option<i32>;
    /// The name of a schema: SCHEMA_NAME.
    fn schema_name(&self, id: Option<i32>) -> Option<String>;
    /// OBJECT_ID of a name of up to three parts, `kind` as in sys.objects.type.
    fn object_id(&self, name: &str, kind: Option<&str>) -> SqlResult<Option<i32>>;
    /// The name of an object: OBJECT_NAME.
    fn object_name(&self, id: i32, database: Option<i16>) -> Option<String>;
    /// The schema of an object, by name: OBJECT_SCHEMA_NAME.
    fn object_schema(&self, id: i32, database: Option<i16>) -> Option<String>;
    /// The text that defines a module: OBJECT_DEFINITION.
    fn object_definition(&self, id: i32) -> Option<String>;
    /// The name of a column: COL_NAME.
    fn column_name(&self, object: i32, column: i32) -> Option<String>;
    /// The length of a column, bytes: COL_LENGTH.
    fn column_length(&self, table: &str, column: &str) -> Option<i16>;
    /// The name of a key's column: INDEX_COL.
    fn index_column(&self, table: &str, index: i32, key: i32) -> Option<String>;
    /// The moment at which statistics were made: STATS_DATE.
    fn stats_date(&self, object: i32, stats: i32) -> Option<Value>;
    /// A type of users by the text of its name, and whether it allows NULL; system types are known here.
    fn user_type(&self, name: &str) -> Option<(Types, bool)>;
    /// TYPE_NAME of a user type.
    fn user_type_name(&self, id: i32) -> Option<String>;
    /// The id of a file: FILE_ID, FILE_IDEX.
    fn file_id(&self, name: &str) -> Option<i32>;
    /// The logical name of a file: FILE_NAME.
    fn file_name(&self, id: i32) -> Option<String>;
    /// The id of a filegroup: FILEGROUP_ID.
    fn filegroup_id(&self, name: &str) -> Option<i32>;
    /// The name of a filegroup: FILEGROUP_NAME.
    fn filegroup_name(&self, id: i32) -> Option<String>;
    /// The live state. Whoever answers notes first that the session depends on all commits.
    fn live(&self, by: &Registered) -> &dyn LiveState;
}
