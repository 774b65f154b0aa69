//! The table stepped on one thread.

use std::collections::{BTreeMap, BTreeSet};

use super::super::state::{OwnerId, OwnerKind};
use super::super::table::{LockTable, Outcome};
use super::super::{LockMode, Resource};
use super::{Random, row};

fn owner_id(n: u16) -> OwnerId {
    OwnerId::new(n as u64, OwnerKind::Transaction, n)
}

/// Drives one table by text: `1 X` asks for X as owner 1, `1 -` releases, `1 ?` withdraws, `1 w` makes S of U; the answer tells the
/// grants (`1X`), the queue (`2S` newcomers, `2>X` conversions) and who was woken.
fn step(table: &mut LockTable<u16>, resource: &Resource, command: &str) -> String {
    let (owner, what) = command.split_once(' ').unwrap();
    let number: u16 = owner.parse().unwrap();
    let owner = owner_id(number);
    let hash = resource.hash();
    let mut woken = Vec::new();
    match what {
        "-" => drop(table.release(hash, resource, owner, &mut woken)),
        "?" => drop(table.withdraw(hash, resource, owner, &mut woken)),
        "w" => assert!(table.weaken(hash, resource, owner, (LockMode::U, LockMode::S), &mut woken)),
        mode => {
            let mode = *LockMode::ALL.iter().find(|m| m.name() == mode).unwrap();
            table.request(hash, resource, owner, mode, || Some(number));
        }
    }
    table.check();
    let mut text = String::new();
    if let Some(lock) = table.find(hash, resource) {
        let mut grants: Vec<String> =
            lock.grants.iter().map(|g| format!("{}{}", g.owner.session(), g.mode.name())).collect();
        grants.sort();
        text += &grants.join(" ");
        for w in lock.queue.iter().flat_map(|q| q.iter()) {
            let arrow = if w.converts { ">" } else { "" };
            text += &format!(" | {}{arrow}{}", w.owner.session(), w.mode.name());
        }
    }
    if !woken.is_empty() {
        let names: Vec<String> = woken.iter().map(|w| w.token.to_string()).collect();
        text += &format!(" wakes {}", names.join(" "));
    }
    text
}

fn script(steps: &[(&str, &str)]) {
    let mut table = LockTable::default();
    for (command, expected) in steps {
        assert_eq!(step(&mut table, &row(1), command), *expected, "after {command}");
    }
}

#[test]
fn newcomers_wait_in_order() {
    script(&[
        ("1 S", "1S"),
        ("2 S", "1S 2S"),
        ("3 X", "1S 2S | 3X"),
        // Compatible with what is held, but not with who waits already.
        ("4 S", "1S 2S | 3X | 4S"),
        ("1 -", "2S | 3X | 4S"),
        ("2 -", "3X | 4S wakes 3"),
        ("3 -", "4S wakes 4"),
        ("4 -", ""),
    ]);
}

#[test]
fn conversions_go_first_and_look_only_at_grants() {
    script(&[
        ("1 S", "1S"),
        ("2 S", "1S 2S"),
        ("3 X", "1S 2S | 3X"),
        ("1 X", "1S 2S | 1>X | 3X"),
        ("2 U", "1S 2U | 1>X | 3X"),
        ("2 -", "1X | 3X wakes 1"),
        ("1 -", "3X wakes 3"),
    ]);
    // Intent locks of two writers; a third wants to read everything.
    script(&[
        ("1 IX", "1IX"),
        ("2 IX", "1IX 2IX"),
        ("1 S", "1IX 2IX | 1>SIX"),
        ("2 -", "1SIX wakes 1"),
    ]);
}

#[test]
fn withdrawing_lets_others_through() {
    script(&[
        ("1 S", "1S"),
        ("2 X", "1S | 2X"),
        ("3 S", "1S | 2X | 3S"),
        ("4 S", "1S | 2X | 3S | 4S"),
        ("2 ?", "1S 3S 4S wakes 3 4"),
    ]);
    // A conversion that gives up keeps what it held.
    script(&[("1 S", "1S"), ("2 S", "1S 2S"), ("1 X", "1S 2S | 1>X"), ("1 ?", "1S 2S")]);
}

#[test]
fn a_lock_that_becomes_weaker_lets_others_through() {
    script(&[
        ("1 U", "1U"),
        ("2 U", "1U | 2U"),
        ("3 X", "1U | 2U | 3X"),
        ("1 w", "1S 2U | 3X wakes 2"),
        ("2 w", "1S 2S | 3X"),
    ]);
}

#[test]
fn a_table_keeps_its_invariants_over_random_histories() {
    for seed in 1..=200u64 {
        let mut random = Random(seed);
        let mut table: LockTable<u16> = LockTable::default();
        // What each owner holds, and where it waits.
        let mut waits: BTreeMap<u16, u64> = BTreeMap::new();
        let mut holds: BTreeMap<(u16, u64), LockMode> = BTreeMap::new();
        for _ in 0..400 {
            let owner = 1 + random.below(6) as u16;
            let id = owner_id(owner);
            let mut woken = Vec::new();
            let at;
            if let Some(n) = waits.get(&owner).copied() {
                if random.below(4) > 0 {
                    continue;
                }
                at = n;
                assert!(table.withdraw(row(n).hash(), &row(n), id, &mut woken).is_some());
                waits.remove(&owner);
            } else if random.below(3) == 0 {
                let held = holds.keys().filter(|(o, _)| *o == owner).map(|(_, n)| *n).next();
                let Some(n) = held else { continue };
                at = n;
                let mode = table.release(row(n).hash(), &row(n), id, &mut woken);
                assert_eq!(holds.remove(&(owner, n)), Some(mode));
            } else {
                let n = random.below(3);
                at = n;
                let mode = LockMode::ALL[1 + random.below(LockMode::COUNT as u64 - 1) as usize];
                let token = || Some(owner);
                match table.request(row(n).hash(), &row(n), id, mode, token) {
                    Outcome::Granted { now, .. } => drop(holds.insert((owner, n), now)),
                    Outcome::Queued { .. } => drop(waits.insert(owner, n)),
                    Outcome::Refused => unreachable!("it was to wait"),
                }
            }
            for w in woken {
                assert_eq!(waits.remove(&w.token), Some(at), "seed {seed}");
                holds.insert((w.token, at), w.now);
            }
            table.check();
            let held_rows: BTreeSet<u64> = holds.keys().map(|(_, n)| *n).collect();
            assert_eq!(table.len(), held_rows.len());
        }
    }
}
