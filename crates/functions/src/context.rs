//! What functions ask of the session, the instance and the catalogue.

use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{Collation, ConvertContext, Value};

/// A statement's moment.
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
    /// DATABASEPROPERTYEX.
    Database(&'a str),
    /// OBJECTPROPERTY, OBJECTPROPERTYEX.
    Object(i32),
    /// COLUMNPROPERTY(id, column).
    Column(i32, &'a str),
    /// INDEXPROPERTY(id, index).
    Index(i32, &'a str),
    /// INDEXKEY_PROPERTY(id, index id, key ordinal).
    IndexKey(i32, i32, i32),
    /// FILEPROPERTY.
    File(&'a str),
    /// FILEGROUPPROPERTY.
    Filegroup(&'a str),
    /// SERVERPROPERTY.
    Server,
    /// CONNECTIONPROPERTY.
    Connection,
    /// SESSIONPROPERTY.
    Session,
}

/// What functions ask of the session, the instance and the catalogue.
///
/// Lookups that find nothing give `None` or NULL, as the functions do. Nothing here changes state, except
/// [`FnContext::seed_random`].
pub trait FnContext {
    /// When the statement began: the same for all of its rows.
    fn moment(&self) -> Moment;
    /// What conversions need.
    fn convert(&self) -> ConvertContext;
    /// SET DATEFIRST.
    fn date_first(&self) -> u8;
    /// The current database's collation.
    fn collation(&self) -> Collation;
    /// `@@VARIABLES` and their relatives (`SCOPE_IDENTITY`): one of the names of [`super::GLOBALS`], upper case with its `@@`.
    fn global(&self, name: &str) -> SqlResult<Value>;
    /// CURSOR_STATUS of a kind (`local`, `global`, `variable`) and a name.
    fn cursor_status(&self, kind: &str, name: &str) -> i32;
    /// The next random number in [0, 1).
    fn random(&self) -> f64;
    /// Restarts the session's random numbers.
    fn seed_random(&self, seed: i32);
    /// Random bytes (NEWID).
    fn entropy(&self, bytes: &mut [u8]);
    /// NEWSEQUENTIALID.
    fn sequential_guid(&self) -> [u8; 16];
    /// The error that a CATCH block handles.
    fn caught(&self) -> Option<SqlError>;
    /// SCOPE_IDENTITY().
    fn scope_identity(&self) -> Value;
    /// XACT_STATE().
    fn xact_state(&self) -> i16;
    /// CURRENT_TRANSACTION_ID().
    fn transaction_id(&self) -> i64;
    /// Login of the session.
    fn login_name(&self) -> String;
    /// Database user of the session.
    fn user_name(&self) -> String;
    /// HOST_NAME().
    fn host_name(&self) -> Option<String>;
    /// APP_NAME().
    fn app_name(&self) -> Option<String>;
    /// HOST_ID(): the client's process.
    fn host_process(&self) -> u32;
    /// GETANSINULL(): columns allow NULL where nothing is said.
    fn nulls_by_default(&self) -> bool;
    /// CONTEXT_INFO() (an empty key), SESSION_CONTEXT.
    fn session_context(&self, key: &str) -> Value;
    /// Id of the current database.
    fn current_database(&self) -> i16;
    /// DB_ID.
    fn database_id(&self, name: &str) -> Option<i16>;
    /// DB_NAME.
    fn database_name(&self, id: i16) -> Option<String>;
    /// HAS_DBACCESS.
    fn has_database_access(&self, name: &str) -> Option<bool>;
    /// SUSER_ID: principal id of a login.
    fn login_id(&self, name: &str) -> Option<i32>;
    /// SUSER_NAME by principal id.
    fn login_by_id(&self, id: i32) -> Option<String>;
    /// SUSER_SID.
    fn login_sid(&self, name: &str) -> Option<Vec<u8>>;
    /// SUSER_SNAME by sid.
    fn login_by_sid(&self, sid: &[u8]) -> Option<String>;
    /// USER_ID, DATABASE_PRINCIPAL_ID.
    fn user_id(&self, name: &str) -> Option<i32>;
    /// USER_NAME by principal id.
    fn user_by_id(&self, id: i32) -> Option<String>;
    /// IS_SRVROLEMEMBER, IS_MEMBER, IS_ROLEMEMBER: None for an unknown role or login.
    fn is_member(&self, role: &str, who: Option<&str>, server: bool) -> Option<bool>;
    /// HAS_PERMS_BY_NAME.
    fn has_permission(
        &self,
        securable: Option<&str>,
        class: Option<&str>,
        permission: &str,
    ) -> Option<bool>;
    /// SCHEMA_ID (None: the caller's default schema).
    fn schema_id(&self, name: Option<&str>) -> Option<i32>;
    /// SCHEMA_NAME.
    fn schema_name(&self, id: Option<i32>) -> Option<String>;
    /// OBJECT_ID of a name of up to three parts, `kind` as in sys.objects.type.
    fn object_id(&self, name: &str, kind: Option<&str>) -> SqlResult<Option<i32>>;
    /// OBJECT_NAME.
    fn object_name(&self, id: i32, database: Option<i16>) -> Option<String>;
    /// OBJECT_SCHEMA_NAME.
    fn object_schema(&self, id: i32, database: Option<i16>) -> Option<String>;
    /// OBJECT_DEFINITION.
    fn object_definition(&self, id: i32) -> Option<String>;
    /// COL_NAME.
    fn column_name(&self, object: i32, column: i32) -> Option<String>;
    /// COL_LENGTH.
    fn column_length(&self, table: &str, column: &str) -> Option<i16>;
    /// INDEX_COL.
    fn index_column(&self, table: &str, index: i32, key: i32) -> Option<String>;
    /// STATS_DATE.
    fn stats_date(&self, object: i32, stats: i32) -> Option<Value>;
    /// IDENT_CURRENT, IDENT_SEED, IDENT_INCR of a table: current, seed, increment.
    fn identity_of(&self, table: &str) -> Option<[Value; 3]>;
    /// TYPE_ID of a user type (system types are known here).
    fn user_type_id(&self, name: &str) -> Option<i32>;
    /// TYPE_NAME of a user type.
    fn user_type_name(&self, id: i32) -> Option<String>;
    /// FILE_ID, FILE_IDEX.
    fn file_id(&self, name: &str) -> Option<i32>;
    /// FILE_NAME.
    fn file_name(&self, id: i32) -> Option<String>;
    /// FILEGROUP_ID.
    fn filegroup_id(&self, name: &str) -> Option<i32>;
    /// FILEGROUP_NAME.
    fn filegroup_name(&self, id: i32) -> Option<String>;
    /// Properties: NULL for a name that is not known.
    fn property(&self, of: Property<'_>, name: &str) -> SqlResult<Value>;
}
