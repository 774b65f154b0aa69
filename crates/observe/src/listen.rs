//! Who is told at once, and on the thread to which it happens, of events of the ring and of objects that come, change and go: a
//! trace. With nobody there it costs one relaxed load and a branch.

use crate::events::Event;
use crate::xe;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock};
use taffrail_base::DatabaseId;

/// The kinds of changes that make, change or end an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// The object was made.
    Created,
    /// The object was changed.
    Altered,
    /// The object was dropped.
    Deleted,
}

/// How far the change is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// The statement has made it.
    Begin,
    /// Its transaction was committed.
    Commit,
    /// It was rolled back.
    Rollback,
}

/// An object, index or statistics that was made, changed or dropped.
#[derive(Clone, Debug)]
pub struct ObjectChange {
    /// The kind of change.
    pub change: Change,
    /// The database of the object.
    pub database: DatabaseId,
    /// `object_id`, of an index or statistics that of the table.
    pub object: i32,
    /// The `index_id` or `stats_id`, for an index or statistics.
    pub index: Option<u16>,
    /// The two letters of its kind, as in `sys.objects.type`; `IX`, `ST`.
    pub kind: &'static str,
    /// The name of the object, index or statistics.
    pub name: Arc<str>,
}

/// Whoever wants to know. It is called in the middle of whatever goes on: it must not wait for anything that is held meanwhile, nor
/// push events.
pub trait Listener: Send + Sync {
    /// An event is about to be recorded in the ring.
    fn occurred(&self, event: &Event);
    /// An object has changed.
    fn object_changed(&self, change: &ObjectChange, stage: Stage);
}

static LISTENERS: RwLock<Vec<(usize, Arc<dyn Listener>)>> = RwLock::new(Vec::new());
static ANY: AtomicBool = AtomicBool::new(false);

fn change(how: impl FnOnce(&mut Vec<(usize, Arc<dyn Listener>)>)) {
    let mut all = LISTENERS.write().unwrap_or_else(PoisonError::into_inner);
    how(&mut all);
    ANY.store(!all.is_empty(), Relaxed);
}

/// Somebody listens from now on; several servers in one process (tests) have a number each.
pub fn begin(owner: usize, listener: Arc<dyn Listener>) {
    change(|all| all.push((owner, listener)));
}

/// The owner's listeners are told nothing any more.
pub fn end(owner: usize) {
    change(|all| all.retain(|l| l.0 != owner));
}

/// Whether somebody listens in this process.
#[inline]
pub fn listened() -> bool {
    ANY.load(Relaxed)
}

/// Somebody listens, or a session of events wants objects that change.
#[inline]
pub fn objects_listened() -> bool {
    use xe::Event::{ObjectAltered, ObjectCreated, ObjectDeleted};
    listened() || [ObjectAltered, ObjectCreated, ObjectDeleted].into_iter().any(xe::wanted)
}

/// Tells sessions of extended events of a change.
fn tell_sessions(change: &ObjectChange, stage: Stage) {
    let event = match change.change {
        Change::Created => xe::Event::ObjectCreated,
        Change::Altered => xe::Event::ObjectAltered,
        Change::Deleted => xe::Event::ObjectDeleted,
    };
    if !xe::wanted(event) {
        return;
    }
    // The two letters of the kind, as a number.
    let mut kind = change.kind.bytes();
    let (a, b) = (kind.next().unwrap_or(b' '), kind.next().unwrap_or(b' '));
    let transaction = crate::session::with_current(|c| c.transaction_id.load(Relaxed));
    let fields = [
        change.database.0.into(),
        change.object.into(),
        u16::from_le_bytes([a, b]).into(),
        change.index.unwrap_or(0).into(),
        0.into(),
        (stage as u8).into(),
        transaction.unwrap_or(0).into(),
        xe::Val::text(&change.name),
        xe::Val::Empty,
    ];
    xe::tell(event, &fields);
}

#[cold]
fn tell(how: impl Fn(&dyn Listener)) {
    let all = LISTENERS.read().unwrap_or_else(PoisonError::into_inner).clone();
    all.iter().for_each(|(_, listener)| how(&**listener));
}

pub(crate) fn occurred(event: &Event) {
    if listened() {
        tell(|l| l.occurred(event));
    }
}

/// An object has changed.
pub fn object_changed(change: &ObjectChange, stage: Stage) {
    tell_sessions(change, stage);
    if listened() {
        tell(|l| l.object_changed(change, stage));
    }
}
