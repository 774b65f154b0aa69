//! Locks as sessions of extended events hear of them.

use super::resource::{Resource, ResourceKind};
use super::state::{OwnerId, OwnerKind};
use super::{LockError, LockMode};
use std::time::Duration;
use taffrail_base::PageId;
use taffrail_observe::xe::events::map_key;
use taffrail_observe::xe::{Event, Val, tell, wanted};

/// `RangeS-U` is `RS_U` there.
fn mode_key(mode: LockMode) -> Val {
    let name = match mode {
        LockMode::Null => "NL".to_owned(),
        LockMode::RangeIN => "RI_NL".to_owned(),
        mode => mode.name().to_uppercase().replace("RANGE", "R").replace('-', "_"),
    };
    map_key("lock_mode", &name).map_or(Val::Empty, Val::from)
}

/// The three numbers of a resource.
fn numbers(r: &Resource) -> [u32; 3] {
    let page = PageId::from_u64(r.entity());
    match r.kind() {
        ResourceKind::Object => [r.associated_entity_id() as u32, 0, 0],
        ResourceKind::Page | ResourceKind::Extent => [page.page, page.file.0.into(), 0],
        ResourceKind::Rid => [page.page, page.file.0.into(), r.detail() as u32],
        ResourceKind::Database => [0; 3],
        ResourceKind::Key => {
            let hobt = r.entity();
            [hobt as u32, (hobt >> 32) as u32, r.detail() as u32]
        }
        _ => [r.entity() as u32, r.detail() as u32, 0],
    }
}

/// A lock was granted, given back, or refused. `waited`: for so long.
#[cold]
pub(super) fn told(event: Event, r: &Resource, mode: LockMode, owner: OwnerId, waited: Duration) {
    let [a, b, c] = numbers(r);
    let kind = map_key("lock_resource_type", r.kind().name()).map_or(Val::Empty, Val::from);
    let (transaction, shared) = (1, 4);
    let fields = [
        kind,
        mode_key(mode),
        if owner.kind() == OwnerKind::Transaction { transaction } else { shared }.into(),
        owner.number().into(),
        r.database_id().0.into(),
        Val::Empty,
        0.into(),
        0.into(),
        a.into(),
        b.into(),
        c.into(),
        r.object_id().map_or(0, |o| o.0).into(),
        r.associated_entity_id().into(),
        (waited.as_micros() as u64).into(),
        Val::text(&r.description()),
        Val::Empty,
    ];
    tell(event, &fields);
}

/// A request was not granted.
#[cold]
pub(super) fn refused(
    e: &LockError,
    r: &Resource,
    mode: LockMode,
    owner: OwnerId,
    waited: Option<Duration>,
) {
    let time = waited.unwrap_or_default();
    match e {
        LockError::Timeout(_) => {
            if wanted(Event::LockTimeout) {
                told(Event::LockTimeout, r, mode, owner, time);
            }
            if waited.is_some() && wanted(Event::LockTimeoutGreaterThan0) {
                told(Event::LockTimeoutGreaterThan0, r, mode, owner, time);
            }
        }
        LockError::Cancelled if wanted(Event::LockCancel) => {
            told(Event::LockCancel, r, mode, owner, time);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_is_in_the_map() {
        for mode in LockMode::ALL {
            assert_ne!(mode_key(mode), Val::Empty, "{}", mode.name());
        }
    }
}
