//! What the session may do: everything, since every session is sa's.

use super::{Declaration, Rows, ViewContext, function};
use crate::features::needs;
use crate::row;
use taffrail_base::SqlResult;
use taffrail_base::message::unsupported;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([function(
        "fn_my_permissions",
        needs::PUBLIC,
        2,
        &["entity_name sysname! · subentity_name sysname! · permission_name nvarchar(60)!"],
        my_permissions,
    )]);
}

/// Permissions by class, separated by commas.
const SERVER: &str = "CONNECT SQL,SHUTDOWN,CREATE ENDPOINT,CREATE ANY DATABASE,CREATE AVAILABILITY GROUP,ALTER ANY LOGIN,\
    ALTER ANY CREDENTIAL,ALTER ANY ENDPOINT,ALTER ANY LINKED SERVER,ALTER ANY CONNECTION,ALTER ANY DATABASE,\
    ALTER RESOURCES,ALTER SETTINGS,ALTER TRACE,ALTER ANY AVAILABILITY GROUP,ADMINISTER BULK OPERATIONS,\
    AUTHENTICATE SERVER,EXTERNAL ACCESS ASSEMBLY,VIEW ANY DATABASE,VIEW ANY DEFINITION,VIEW SERVER STATE,\
    CREATE DDL EVENT NOTIFICATION,CREATE TRACE EVENT NOTIFICATION,ALTER ANY EVENT NOTIFICATION,ALTER SERVER STATE,\
    UNSAFE ASSEMBLY,ALTER ANY SERVER AUDIT,CREATE SERVER ROLE,ALTER ANY SERVER ROLE,ALTER ANY EVENT SESSION,\
    CONNECT ANY DATABASE,IMPERSONATE ANY LOGIN,SELECT ALL USER SECURABLES,CONTROL SERVER";
const DATABASE: &str = "CREATE TABLE,CREATE VIEW,CREATE PROCEDURE,CREATE FUNCTION,CREATE RULE,CREATE DEFAULT,\
    BACKUP DATABASE,BACKUP LOG,CREATE TYPE,CREATE ASSEMBLY,CREATE XML SCHEMA COLLECTION,CREATE SCHEMA,\
    CREATE SYNONYM,CREATE AGGREGATE,CREATE ROLE,CONNECT,CHECKPOINT,AUTHENTICATE,SHOWPLAN,ALTER ANY USER,\
    ALTER ANY ROLE,ALTER ANY APPLICATION ROLE,ALTER ANY SCHEMA,ALTER ANY ASSEMBLY,\
    ALTER ANY DATABASE SCOPED CONFIGURATION,ALTER ANY DATASPACE,SELECT,INSERT,UPDATE,DELETE,REFERENCES,EXECUTE,\
    ALTER ANY DATABASE DDL TRIGGER,ALTER ANY DATABASE AUDIT,ALTER ANY DATABASE EVENT SESSION,\
    KILL DATABASE CONNECTION,VIEW DATABASE STATE,VIEW DEFINITION,TAKE OWNERSHIP,ALTER,ALTER ANY MASK,UNMASK,CONTROL";
const TABLE: &str = "SELECT,UPDATE,REFERENCES,INSERT,DELETE,VIEW CHANGE TRACKING,VIEW DEFINITION,ALTER,\
    TAKE OWNERSHIP,CONTROL";
const PROCEDURE: &str = "EXECUTE,VIEW DEFINITION,ALTER,TAKE OWNERSHIP,CONTROL";

fn my_permissions(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let text = |at: usize| args.get(at).and_then(Value::as_text);
    let class = text(1).unwrap_or_else(|| "SERVER".into()).to_ascii_uppercase();
    let securable = text(0);
    let (entity, list) = match (&*class, securable) {
        ("SERVER", _) => ("server".to_string(), SERVER),
        ("DATABASE", _) => ("database".to_string(), DATABASE),
        ("OBJECT", None) => return Ok(()),
        ("OBJECT", Some(name)) => {
            use crate::functions::FnContext;
            let session = cx.session;
            let is = |kind: &str| session.object_id(&name, Some(kind));
            let list = match (is("P")?, session.object_id(&name, None)?) {
                (Some(_), _) => PROCEDURE,
                (None, Some(_)) => TABLE,
                (None, None) => return Ok(()),
            };
            (name.clone(), list)
        }
        _ => return Err(unsupported(format_args!("fn_my_permissions of the class {class}"))),
    };
    list.split(',').for_each(|permission| rows.push(row![&entity, "", permission]));
    Ok(())
}
