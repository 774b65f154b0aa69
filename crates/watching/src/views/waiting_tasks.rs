//! sys.dm_os_waiting_tasks: sessions that wait, and on what.

use super::cell::{Columns, IntoCell, Rows, null};
use super::{Declaration, ViewContext, by_column};
use crate::features::needs;
use crate::instance::SessionInfo;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_storage::lock::{LockRow, LockStatus, Resource, ResourceKind};
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.push(by_column(
        "dm_os_waiting_tasks",
        needs::SERVER_PERFORMANCE,
        WAITING_TASKS,
        waiting_tasks,
    ));
}

/// A session that waits.
struct Waiting {
    session: Arc<SessionInfo>,
    wait: &'static str,
    /// The session that is in its way; 0: none.
    blocker: i16,
    /// The lock that it waits for, and the lock in its way where that is still held.
    lock: Option<(LockRow, Option<LockRow>)>,
}

impl Waiting {
    /// A lock by the documentation's words; anything else as `wait_resource` of sys.dm_exec_requests has it.
    fn description(&self) -> Option<String> {
        match &self.lock {
            Some((wanted, held)) => Some(described(wanted, held.as_ref().unwrap_or(wanted))),
            None => Some(self.session.cell.wait_resource()).filter(|text| !text.is_empty()),
        }
    }
}

/// The address of a task, which is its session's number.
fn task(session: i16) -> Value {
    Value::binary(&u64::from(session.cast_unsigned()).to_be_bytes())
}

const WAITING_TASKS: Columns<Waiting> = &[&[
    ("waiting_task_address varbinary(8)!", |w| task(w.session.id.0.cast_signed())),
    ("session_id smallint?", |w| w.session.id.0.cell()),
    ("exec_context_id int?", |_| 0_i32.cell()),
    ("wait_duration_ms bigint?", |w| w.session.cell.wait_time_ms().cell()),
    ("wait_type nvarchar(60)?", |w| w.wait.cell()),
    ("resource_address varbinary(8)?", |w| w.lock.as_ref().map(|(l, _)| request_address(l)).cell()),
    ("blocking_task_address varbinary(8)?", |w| (w.blocker != 0).then(|| task(w.blocker)).cell()),
    ("blocking_session_id smallint?", |w| (w.blocker != 0).then_some(w.blocker).cell()),
    ("blocking_exec_context_id int?", null),
    ("resource_description nvarchar(3072)?", |w| w.description().cell()),
]];

fn waiting_tasks(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let locks = cx.database.storage.instance().locks.snapshot();
    for session in cx.session.instance.all_sessions() {
        let Some(wait) = session.cell.wait_type().map(|w| w.name()) else { continue };
        let blocker = session.cell.blocking_session();
        let own = |l: &&LockRow| l.status != LockStatus::Grant && l.owner.session() == session.id.0;
        let wanted = locks.iter().find(own).filter(|_| wait.starts_with("LCK_M_"));
        let lock = wanted.map(|wanted| {
            let held = |l: &&LockRow| {
                l.resource == wanted.resource
                    && l.status == LockStatus::Grant
                    && l.owner.session().cast_signed() == blocker
            };
            (*wanted, locks.iter().find(held).copied())
        });
        rows.show(WAITING_TASKS, &Waiting { session, wait, blocker, lock });
    }
    Ok(())
}

/// The address of a request for a lock: `resource_address` here, `lock_owner_address` of sys.dm_tran_locks.
pub(super) fn request_address(lock: &LockRow) -> Value {
    let number = lock.resource.identity() << 16 ^ lock.owner.number();
    Value::binary(&number.to_be_bytes())
}

/// `resource_description` of a lock that is held in the mode of `held`.
fn described(wanted: &LockRow, held: &LockRow) -> String {
    let resource = &wanted.resource;
    format!(
        "{} id=lock{:x} mode={} associatedObjectId={}",
        of_its_kind(resource),
        resource.identity(),
        held.mode.name(),
        resource.associated_entity_id()
    )
}

fn of_its_kind(resource: &Resource) -> String {
    let (db, entity, text) =
        (resource.database_id(), resource.associated_entity_id(), resource.description());
    // A page is `file:page`, a row of a heap `file:page:slot`.
    let mut parts = text.split(':');
    let mut part = || parts.next().unwrap_or_default();
    match resource.kind() {
        ResourceKind::Database => format!("databaselock subresource=FULL dbid={db}"),
        ResourceKind::File => format!("filelock fileid={text} subresource=FULL dbid={db}"),
        ResourceKind::Object => {
            format!("objectlock lockPartition=0 objid={entity} subresource=FULL dbid={db}")
        }
        ResourceKind::Page => {
            format!("pagelock fileid={} pageid={} dbid={db} subresource=FULL", part(), part())
        }
        ResourceKind::Key => format!("keylock hobtid={entity} dbid={db}"),
        ResourceKind::Extent => format!("extentlock fileid={} pageid={} dbid={db}", part(), part()),
        ResourceKind::Rid => format!("ridlock fileid={} pageid={} dbid={db}", part(), part()),
        ResourceKind::Application => {
            // `0:[]:(hash)`
            let hash = text.rsplit(':').next().unwrap_or_default().trim_matches(['(', ')']);
            format!("applicationlock hash={hash} databasePrincipalId=0 dbid={db}")
        }
        ResourceKind::Metadata => {
            format!("metadatalock subresource=FULL classid={text} dbid={db}")
        }
        ResourceKind::Hobt => format!("hobtlock hobtid={entity} subresource=FULL dbid={db}"),
        ResourceKind::AllocationUnit => {
            format!("allocunitlock hobtid={entity} subresource=FULL dbid={db}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_base::{DatabaseId, HobtId, ObjectId, PageId};

    /// The documentation of the view has a form for each kind.
    #[test]
    fn locks_are_described_by_their_kind() {
        let db = DatabaseId(5);
        let all = [
            (Resource::database(db), "databaselock subresource=FULL dbid=5"),
            (Resource::file(db, 2), "filelock fileid=2 subresource=FULL dbid=5"),
            (
                Resource::object(db, ObjectId(99)),
                "objectlock lockPartition=0 objid=99 subresource=FULL dbid=5",
            ),
            (
                Resource::page(db, PageId::new(1, 153)),
                "pagelock fileid=1 pageid=153 dbid=5 subresource=FULL",
            ),
            (Resource::key(db, HobtId(72), 0xab), "keylock hobtid=72 dbid=5"),
            (Resource::rid(db, PageId::new(1, 153), 7), "ridlock fileid=1 pageid=153 dbid=5"),
            (
                Resource::application(db, 0xfeed),
                "applicationlock hash=0000feed databasePrincipalId=0 dbid=5",
            ),
            (Resource::hobt(db, HobtId(72)), "hobtlock hobtid=72 subresource=FULL dbid=5"),
        ];
        for (resource, text) in all {
            assert_eq!(of_its_kind(&resource), text);
        }
    }
}
