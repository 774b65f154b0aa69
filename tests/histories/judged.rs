//! The checker itself: small histories, and what it says of them at each level.

use crate::check::{Anomaly, Fate, Level, Op, Seen, Txn, Verdict, judge};
use std::collections::HashMap;

fn read(key: u32, seen: &[u32], asked: u64) -> Op {
    Op::Read { key, seen: Seen::All(seen.to_vec()), asked }
}

fn write(key: u32, value: u32) -> Op {
    Op::Write { key, value, undone: false }
}

/// Transactions that all run at once.
fn of(txns: &[(Level, Vec<Op>)], orders: &[(u32, &[u32])]) -> Verdict {
    let txns: Vec<Txn> = txns
        .iter()
        .map(|(level, ops)| Txn {
            level: *level,
            began: 1,
            ended: 100,
            fate: Fate::Committed,
            ops: ops.clone(),
        })
        .collect();
    let orders: HashMap<u32, Vec<u32>> = orders.iter().map(|(k, o)| (*k, o.to_vec())).collect();
    judge(&txns, &orders)
}

fn forbidden(verdict: &Verdict) -> bool {
    !verdict.forbidden.is_empty()
}

#[test]
fn write_skew_is_allowed_under_snapshot_and_up_to_read_committed() {
    use Level::{ReadCommitted, RepeatableRead, Serializable, Snapshot};
    for (a, b, wrong) in [
        (ReadCommitted, ReadCommitted, false),
        (RepeatableRead, RepeatableRead, true),
        (Serializable, Serializable, true),
        (Snapshot, Snapshot, false),
        // The one whose locks are kept lets nobody write what it has read; the other one reads as of its beginning.
        (Serializable, Snapshot, false),
        (ReadCommitted, Snapshot, false),
    ] {
        let skew =
            [(a, vec![read(1, &[], 5), write(2, 20)]), (b, vec![read(2, &[], 5), write(1, 10)])];
        let verdict = of(&skew, &[(1, &[10]), (2, &[20])]);
        assert_eq!(forbidden(&verdict), wrong, "{a:?}, {b:?}: {verdict:?}");
        assert!(verdict.found.contains_key(&Anomaly::G2Item), "{a:?}, {b:?}");
    }
}

#[test]
fn read_skew_is_allowed_up_to_read_committed() {
    use Level::{ReadCommitted, RepeatableRead, Serializable, Snapshot};
    for (reader, wrong) in
        [(ReadCommitted, false), (RepeatableRead, true), (Serializable, true), (Snapshot, true)]
    {
        let skew = [
            (reader, vec![read(1, &[], 5), read(2, &[20], 6)]),
            (ReadCommitted, vec![write(1, 10), write(2, 20)]),
        ];
        let verdict = of(&skew, &[(1, &[10]), (2, &[20])]);
        assert_eq!(forbidden(&verdict), wrong, "{reader:?}: {verdict:?}");
        assert!(verdict.found.contains_key(&Anomaly::GSingle), "{reader:?}");
    }
}

/// Appended to behind another's value that the snapshot did not show: 3960 was not raised.
#[test]
fn a_conflict_that_is_not_seen_is_found() {
    let lost = [
        (Level::Snapshot, vec![read(1, &[], 5), write(1, 11)]),
        (Level::Serializable, vec![write(1, 10)]),
    ];
    let verdict = of(&lost, &[(1, &[10, 11])]);
    assert!(forbidden(&verdict) && verdict.found.contains_key(&Anomaly::LostUpdate));
    // Nothing was read of the row, and it was changed before the snapshot's own change of another row was seen.
    let unread = [
        (Level::Snapshot, vec![read(2, &[], 5), write(1, 11)]),
        (Level::Serializable, vec![write(1, 10), write(2, 20)]),
    ];
    assert!(forbidden(&of(&unread, &[(1, &[10, 11]), (2, &[20])])));
}

#[test]
fn two_snapshots_see_commits_in_one_order() {
    let long_fork = [
        (Level::Snapshot, vec![write(1, 10)]),
        (Level::Snapshot, vec![write(2, 20)]),
        (Level::Snapshot, vec![read(1, &[10], 5), read(2, &[], 5)]),
        (Level::Snapshot, vec![read(1, &[], 5), read(2, &[20], 5)]),
    ];
    assert!(forbidden(&of(&long_fork, &[(1, &[10]), (2, &[20])])));
}
