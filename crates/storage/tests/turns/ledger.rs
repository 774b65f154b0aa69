//! What the sessions did, in the test's own memory, and what must be there because of it.

use std::collections::BTreeMap;
use std::time::Instant;

use taffrail_base::HobtId;
use taffrail_base::sync::now;

use super::part::Cut;

/// Where something is kept. Keys of trees are the session's own; in heaps the key is the row's beginning.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Place {
    Tree,
    Heap,
    Lobs,
    /// A table that a session made.
    Own(HobtId),
}

/// A change of one transaction.
#[derive(Clone, Debug)]
pub enum Change {
    /// `None`: deleted.
    Row(Place, Vec<u8>, Option<Vec<u8>>),
    /// Money that an account has more, or less.
    Money(u64, i64),
    Made(HobtId),
    Dropped(HobtId),
    Truncated(HobtId),
}

/// How a commit went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Told {
    /// Nothing came back, or an error.
    Nothing,
    /// It is in the log, and durable sooner or later.
    Delayed,
    Durable,
}

#[derive(Clone, Debug)]
struct Commit {
    /// The how-manieth of all: a table's number is given again when the one that had it is lost.
    number: u64,
    changes: Vec<Change>,
    told: Told,
    told_at: Option<Instant>,
    /// A later one, begun after this was told, was told to be durable.
    hardened: bool,
}

/// All commits of all sessions, in their order.
#[derive(Default)]
pub struct Ledger {
    sessions: BTreeMap<u64, Vec<Commit>>,
    begun: u64,
    pub durable: u64,
    pub delayed: u64,
    pub refused: u64,
    pub rolled_back: u64,
    pub deadlocks: u64,
    pub timed_out: u64,
    pub sums: u64,
    pub snapshots: u64,
    pub full: u64,
    pub temporary: u64,
}

/// What must be in the database.
#[derive(Default, PartialEq, Debug)]
pub struct Content {
    pub rows: BTreeMap<Place, BTreeMap<Vec<u8>, Vec<u8>>>,
    pub money: BTreeMap<u64, i64>,
    pub tables: Vec<HobtId>,
}

/// A commit that has begun, and who was told of theirs by then.
pub struct Begun {
    session: u64,
    index: usize,
    before: Vec<(u64, usize)>,
}

impl Ledger {
    /// A commit begins: whatever comes of it, it is the session's next.
    pub fn begin(&mut self, session: u64, changes: Vec<Change>) -> Begun {
        let told = |c: &Commit| c.told != Told::Nothing;
        let before = self
            .sessions
            .iter()
            .filter_map(|(s, commits)| commits.iter().rposition(told).map(|last| (*s, last + 1)));
        let before = before.collect();
        self.begun += 1;
        let number = self.begun;
        let commits = self.sessions.entry(session).or_default();
        commits.push(Commit {
            number,
            changes,
            told: Told::Nothing,
            told_at: None,
            hardened: false,
        });
        Begun { session, index: commits.len() - 1, before }
    }

    /// The session's last commit came to nothing, and left nothing: the log had no room for it.
    pub fn withdraw(&mut self, begun: &Begun) {
        let commits = self.sessions.entry(begun.session).or_default();
        assert_eq!(commits.len() - 1, begun.index, "a session commits one after the other");
        commits.pop();
    }

    /// How it went.
    pub fn end(&mut self, begun: Begun, told: Told) {
        match told {
            Told::Nothing => self.refused += 1,
            Told::Delayed => self.delayed += 1,
            Told::Durable => self.durable += 1,
        }
        if let Some(commits) = self.sessions.get_mut(&begun.session) {
            commits[begun.index].told = told;
            commits[begun.index].told_at = Some(now());
        }
        if told == Told::Durable {
            for (session, n) in begun.before {
                if let Some(commits) = self.sessions.get_mut(&session) {
                    commits[..n].iter_mut().for_each(|c| c.hardened = true);
                }
            }
        }
    }

    /// Commits of a session, so far.
    pub fn commits(&self, session: u64) -> u64 {
        self.sessions.get(&session).map_or(0, |c| c.len() as u64)
    }

    /// What is there has so many commits of each session: it must be so many. What is not there never was, and is no older
    /// than `cut` says. Gives how many are lost.
    pub fn settle(&mut self, there: impl Fn(u64) -> u64, cut: Cut) -> u64 {
        let mut lost = 0;
        for (session, commits) in &mut self.sessions {
            let there = there(*session) as usize;
            let must = |c: &Commit| c.told == Told::Durable || c.hardened;
            let least = commits.iter().rposition(must).map_or(0, |last| last + 1);
            assert!(
                there >= least && there <= commits.len(),
                "session {session}: {there} commits are there, {least} were durable, {} begun",
                commits.len()
            );
            for commit in commits[there..].iter().filter(|c| c.told == Told::Delayed) {
                lost += 1;
                if let (Some((at, most)), Some(told)) = (cut, commit.told_at) {
                    let age = at.saturating_duration_since(told);
                    assert!(
                        age <= most,
                        "session {session}: a commit of {age:?} is lost, {most:?}"
                    );
                }
            }
            commits.truncate(there);
            commits.iter_mut().for_each(|c| (c.told, c.hardened) = (Told::Durable, true));
        }
        lost
    }

    /// Nothing can be lost any more.
    pub fn all_hardened(&mut self) {
        self.sessions.values_mut().flatten().for_each(|c| c.hardened |= c.told != Told::Nothing);
    }

    /// How many commits of each session are durable for sure.
    pub fn durable_counts(&self) -> BTreeMap<u64, u64> {
        let must = |c: &Commit| c.told == Told::Durable || c.hardened;
        let count = |commits: &Vec<Commit>| commits.iter().rposition(must).map_or(0, |n| n + 1);
        self.sessions.iter().map(|(session, commits)| (*session, count(commits) as u64)).collect()
    }

    /// What all commits leave.
    pub fn content(&self) -> Content {
        self.content_of(|_| u64::MAX)
    }

    /// What so many commits of each session leave.
    pub fn content_of(&self, commits: impl Fn(u64) -> u64) -> Content {
        let mut c = Content::default();
        for place in [Place::Tree, Place::Heap, Place::Lobs] {
            c.rows.entry(place).or_default();
        }
        let of =
            |(session, all): (&u64, &'_ Vec<Commit>)| (commits(*session) as usize).min(all.len());
        let mut all: Vec<&Commit> = self.sessions.iter().flat_map(|s| &s.1[..of(s)]).collect();
        all.sort_by_key(|c| c.number);
        for change in all.into_iter().flat_map(|c| &c.changes) {
            match change {
                Change::Row(place, key, Some(value)) => {
                    let rows = c.rows.entry(*place).or_default();
                    rows.insert(key.clone(), value.clone());
                }
                Change::Row(place, key, None) => {
                    c.rows.entry(*place).or_default().remove(key);
                }
                Change::Money(account, more) => *c.money.entry(*account).or_default() += more,
                Change::Made(id) => {
                    c.tables.push(*id);
                    c.rows.insert(Place::Own(*id), BTreeMap::new());
                }
                Change::Dropped(id) => {
                    c.tables.retain(|t| t != id);
                    c.rows.remove(&Place::Own(*id));
                }
                Change::Truncated(id) => {
                    c.rows.insert(Place::Own(*id), BTreeMap::new());
                }
            }
        }
        c.tables.sort();
        c
    }
}
