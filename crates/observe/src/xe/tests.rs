use super::predicate::{Op, Source};
use super::targets::{By, Kind, Pairing, Pending, kept, with};
use super::*;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The sessions of a process are one list.
static ONE: Mutex<()> = Mutex::new(());

struct Nobody;

impl Surroundings for Nobody {
    fn action(&self, _: u16, _: u16, _: Action) -> Val {
        Val::text("app")
    }

    fn statement(&self, _: u16) -> Val {
        Val::text("SELECT 1")
    }
}

fn wants(event: Event, predicate: Option<Predicate>, actions: &[Action]) -> Wanted {
    Wanted { info: event.info(), predicate, actions: actions.to_vec(), left_out: 0 }
}

fn session(events: Vec<Wanted>, targets: Vec<Target>) -> (Arc<Running>, MutexGuard<'static, ()>) {
    let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let targets = targets.into_iter().map(Arc::new).collect();
    let running =
        Arc::new(Running::new((65_537, "s".into(), 7), events, targets, 0, Arc::new(Nobody)));
    start(running.clone());
    (running, one)
}

#[test]
fn what_nobody_wants_is_not_told() {
    let number = Predicate::Compare(Source::Field(0), Op::Eq, Val::from(9));
    let (s, _one) = session(
        vec![wants(Event::CheckpointEnd, Some(number), &[Action::ClientAppName])],
        vec![Target::ring(2, 0, 0), Target::counter()],
    );
    assert!(wanted(Event::CheckpointEnd) && !wanted(Event::CheckpointBegin));
    for database in [9, 8, 9, 9] {
        tell(Event::CheckpointEnd, &[database.into()]);
        tell(Event::CheckpointBegin, &[database.into()]);
    }
    let events = kept(&s.targets[0]);
    assert_eq!(events.len(), 2);
    assert_eq!((&events[0].fields[0], &events[0].actions[0]), (&9.into(), &"app".into()));
    let Kind::Counter(counts) = &s.targets[1].kind else { panic!() };
    assert_eq!(counts[Event::CheckpointEnd as usize].load(std::sync::atomic::Ordering::Relaxed), 3);
    assert_eq!((running(7).len(), running(8).len()), (1, 0));
    stop(&s);
    assert!(!wanted(Event::CheckpointEnd));
}

#[test]
fn waits_below_what_anybody_wants_are_no_events() {
    let long = Predicate::Compare(Source::Field(2), Op::Gt, Val::from(14));
    assert!(!wait_wanted(u64::MAX - 1));
    let events = vec![wants(Event::WaitInfo, Some(long), &[])];
    let (s, _one) = session(events, vec![Target::ring(0, 0, 0)]);
    assert!(!wait_wanted(14_999_999) && wait_wanted(15_000_000));
    tell_wait(crate::WaitType::WriteLog, 15_000_000, 1_000_000);
    let events = kept(&s.targets[0]);
    assert_eq!(events[0].fields[0].map_text(FieldType::Map("wait_types")).unwrap(), "WRITELOG");
    stop(&s);
}

#[test]
fn histograms_and_pairs_hold_a_bounded_amount() {
    let histogram = Kind::Histogram {
        only: Some(Event::CheckpointBegin),
        by: By::Field(0),
        slots: 2,
        counts: Mutex::default(),
    };
    let pairing = Pairing {
        begin: Event::CheckpointBegin,
        end: Event::CheckpointEnd,
        columns: vec![(0, 0)],
        actions: Vec::new(),
        max_orphans: 2,
    };
    let pairs = Kind::Pairs { pairing, pairs: Mutex::default() };
    let (s, _one) = session(
        vec![wants(Event::CheckpointBegin, None, &[]), wants(Event::CheckpointEnd, None, &[])],
        vec![Target::new(histogram), Target::new(pairs)],
    );
    for database in [1, 2, 2, 3] {
        tell(Event::CheckpointBegin, &[database.into()]);
    }
    tell(Event::CheckpointEnd, &[1.into()]);
    tell(Event::CheckpointEnd, &[5.into()]);
    stop(&s);
    let Kind::Histogram { counts, .. } = &s.targets[0].kind else { panic!() };
    assert_eq!(with(counts, |h| (h.counts["2"], h.counts.len(), h.truncated)), (2, 2, 1));
    let Kind::Pairs { pairs, .. } = &s.targets[1].kind else { panic!() };
    assert_eq!(with(pairs, |p| (p.matched, p.orphans, p.dropped)), (1, 1, 2));
    assert_eq!(kept(&s.targets[1])[0].fields[0], 2.into());
}

#[test]
fn a_file_that_is_not_written_drops_events_and_counts_them() {
    let pending = Pending { most: 1000, ..Pending::default() };
    let (s, _one) = session(
        vec![wants(Event::CheckpointBegin, None, &[])],
        vec![Target::new(Kind::File(Mutex::new(pending)))],
    );
    (0..100).for_each(|n| tell(Event::CheckpointBegin, &[n.into()]));
    stop(&s);
    let Kind::File(pending) = &s.targets[0].kind else { panic!() };
    let (kept, dropped) = with(pending, |p| (p.events.len(), p.dropped));
    assert!(kept > 0 && dropped > 0 && kept as u64 + dropped == 100);
    assert!(with(pending, |p| p.largest_dropped > 0 && p.bytes <= p.most));
}
