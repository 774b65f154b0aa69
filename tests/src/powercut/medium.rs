//! The medium: what reads see, what a loss of power surely leaves, and what lies in between.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::time::SystemTime;

/// What a loss of power leaves whole.
pub const SECTOR: usize = 512;
/// The root's inode.
pub const ROOT: u64 = 1;

/// A file or a directory.
pub struct Node {
    pub mode: u32,
    pub uid: u32,
    pub gid: u32,
    pub changed: SystemTime,
    /// What reads see.
    pub current: Vec<u8>,
    /// What a loss of power surely leaves, but for its sectors in `pending`.
    durable: Vec<u8>,
    /// Versions of sectors that were not synced, the oldest first.
    pending: BTreeMap<usize, Vec<Box<[u8]>>>,
    /// It was as short as this since the last sync.
    shrunk: Option<usize>,
}

impl Node {
    /// The length that it has is the one on the medium, with zeros where it was cut off before.
    fn settle_length(&mut self) {
        if let Some(len) = self.shrunk.take() {
            self.durable.truncate(len);
        }
        self.durable.resize(self.current.len(), 0);
    }
}

/// A name: the directory's inode and the name in it.
pub type Name = (u64, OsString);

/// A change of names that no sync of a directory has followed.
enum NameOp {
    Link(Name, u64),
    Unlink(Name),
    Rename(Name, Name),
}

impl NameOp {
    fn apply(&self, names: &mut BTreeMap<Name, u64>) {
        match self {
            NameOp::Link(name, node) => drop(names.insert(name.clone(), *node)),
            NameOp::Unlink(name) => drop(names.remove(name)),
            NameOp::Rename(from, to) => {
                if let Some(node) = names.remove(from) {
                    names.insert(to.clone(), node);
                }
            }
        }
    }
}

/// What happens to calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Power {
    On,
    /// It goes: what is being written may still reach the medium, and nobody is told that it has.
    Failing,
    Off,
}

/// What came of the losses of power so far.
#[derive(Clone, Copy, Default, Debug)]
pub struct Stats {
    pub cuts: u64,
    pub syncs: u64,
    /// Sectors that were not synced, and are lost, or there all the same.
    pub lost: u64,
    pub kept: u64,
    /// Files of which both.
    pub torn: u64,
    /// Changes of names that were lost.
    pub names_lost: u64,
}

/// The file system's state.
pub struct Medium {
    pub nodes: BTreeMap<u64, Node>,
    pub names: BTreeMap<Name, u64>,
    durable_names: BTreeMap<Name, u64>,
    pending_names: Vec<NameOp>,
    pub power: Power,
    pub stats: Stats,
    /// Syncs are acknowledged and not done: for the test of the test.
    pub lies: bool,
    next: u64,
    random: u64,
}

impl Medium {
    pub fn new(seed: u64, uid: u32, gid: u32) -> Medium {
        let mut medium = Medium {
            nodes: BTreeMap::new(),
            names: BTreeMap::new(),
            durable_names: BTreeMap::new(),
            pending_names: Vec::new(),
            power: Power::On,
            stats: Stats::default(),
            lies: false,
            next: ROOT,
            random: seed | 1,
        };
        medium.make(0o040_755, uid, gid);
        medium
    }

    fn make(&mut self, mode: u32, uid: u32, gid: u32) -> u64 {
        let changed = SystemTime::now();
        let (current, durable, pending) = (Vec::new(), Vec::new(), BTreeMap::new());
        let node = Node { mode, uid, gid, changed, current, durable, pending, shrunk: None };
        self.nodes.insert(self.next, node);
        self.next += 1;
        self.next - 1
    }

    /// A number below `n`.
    fn below(&mut self, n: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) as usize % n
    }

    pub fn create(&mut self, name: Name, mode: u32, uid: u32, gid: u32) -> u64 {
        let node = self.make(mode, uid, gid);
        self.rename_op(NameOp::Link(name, node));
        node
    }

    pub fn link(&mut self, name: Name, node: u64) {
        self.rename_op(NameOp::Link(name, node));
    }

    pub fn unlink(&mut self, name: Name) {
        self.rename_op(NameOp::Unlink(name));
    }

    pub fn rename(&mut self, from: Name, to: Name) {
        self.rename_op(NameOp::Rename(from, to));
    }

    fn rename_op(&mut self, op: NameOp) {
        op.apply(&mut self.names);
        self.pending_names.push(op);
    }

    /// One journal: the sync of a directory makes every earlier change of names durable.
    pub fn sync_names(&mut self) {
        self.stats.syncs += 1;
        if !self.lies && self.power == Power::On {
            for op in std::mem::take(&mut self.pending_names) {
                op.apply(&mut self.durable_names);
            }
        }
    }

    /// A write; with `durable`, synced behind it.
    pub fn write(&mut self, node: u64, offset: u64, data: &[u8], durable: bool) -> bool {
        let sync = durable && !self.lies && self.power == Power::On;
        let Some(node) = self.nodes.get_mut(&node) else { return false };
        self.stats.syncs += u64::from(durable);
        node.changed = SystemTime::now();
        if data.is_empty() {
            return true;
        }
        let (start, end) = (offset as usize, offset as usize + data.len());
        if node.current.len() < end {
            node.current.resize(end, 0);
        }
        node.current[start..end].copy_from_slice(data);
        let sectors = start / SECTOR..end.div_ceil(SECTOR);
        if !sync {
            for index in sectors {
                let to = ((index + 1) * SECTOR).min(node.current.len());
                let version = node.current[index * SECTOR..to].into();
                node.pending.entry(index).or_default().push(version);
            }
            return true;
        }
        let to = (sectors.end * SECTOR).min(node.current.len());
        if node.durable.len() < to {
            node.durable.resize(to, 0);
        }
        let from = sectors.start * SECTOR;
        node.durable[from..to].copy_from_slice(&node.current[from..to]);
        sectors.for_each(|index| drop(node.pending.remove(&index)));
        true
    }

    pub fn set_len(&mut self, node: u64, len: u64) -> bool {
        let Some(node) = self.nodes.get_mut(&node) else { return false };
        node.changed = SystemTime::now();
        let len = len as usize;
        if len < node.current.len() {
            node.shrunk = Some(node.shrunk.map_or(len, |before| before.min(len)));
        }
        node.current.resize(len, 0);
        node.pending.retain(|index, _| index * SECTOR < len);
        true
    }

    /// What was written to the file is on the medium.
    pub fn sync(&mut self, node: u64) -> bool {
        let does = !self.lies && self.power == Power::On;
        let Some(node) = self.nodes.get_mut(&node) else { return false };
        self.stats.syncs += 1;
        if does {
            node.settle_length();
            for index in std::mem::take(&mut node.pending).into_keys() {
                let (from, to) = (index * SECTOR, ((index + 1) * SECTOR).min(node.current.len()));
                node.durable[from..to].copy_from_slice(&node.current[from..to]);
            }
        }
        true
    }

    /// The power is gone: of what was not synced each sector is kept or lost, in one of its versions, and of the names' changes the
    /// first ones are there.
    pub fn crash(&mut self) {
        self.power = Power::Off;
        self.stats.cuts += 1;
        let keep = self.below(self.pending_names.len() + 1);
        let ops = std::mem::take(&mut self.pending_names);
        self.stats.names_lost += (ops.len() - keep) as u64;
        ops[..keep].iter().for_each(|op| op.apply(&mut self.durable_names));
        self.names.clone_from(&self.durable_names);
        // Nobody has them open any more.
        let named: BTreeSet<u64> = self.names.values().copied().chain([ROOT]).collect();
        self.nodes.retain(|node, _| named.contains(node));
        let mut nodes = std::mem::take(&mut self.nodes);
        for node in nodes.values_mut() {
            self.settle(node);
        }
        self.nodes = nodes;
    }

    fn settle(&mut self, node: &mut Node) {
        // The length that was not synced may have been.
        let other = node.durable.len() != node.current.len() || node.shrunk.is_some();
        if other && self.below(2) == 0 {
            node.settle_length();
        }
        let as_before = node.shrunk.take().is_some();
        let (mut kept, mut lost) = (0, 0);
        for (index, versions) in std::mem::take(&mut node.pending) {
            let (from, choice) = (index * SECTOR, self.below(versions.len() + 1));
            let place = node.durable.len().min(from)..node.durable.len().min(from + SECTOR);
            match versions.get(choice) {
                Some(bytes) if !place.is_empty() => {
                    let n = bytes.len().min(place.len());
                    node.durable[from..from + n].copy_from_slice(&bytes[..n]);
                    kept += 1;
                }
                _ => lost += 1,
            }
            let seen = place.start.min(node.current.len())..place.end.min(node.current.len());
            node.current[seen.clone()].copy_from_slice(&node.durable[seen]);
        }
        if as_before {
            node.current.clone_from(&node.durable);
        }
        let (there, before) = (node.durable.len(), node.current.len().min(node.durable.len()));
        node.current.truncate(there);
        node.current.extend_from_slice(&node.durable[before..]);
        self.stats.kept += kept;
        self.stats.lost += lost;
        self.stats.torn += u64::from(kept > 0 && lost > 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn medium(seed: u64) -> (Medium, u64) {
        let mut m = Medium::new(seed, 0, 0);
        let node = m.create((ROOT, "f".into()), 0o100_600, 0, 0);
        m.sync_names();
        (m, node)
    }

    #[test]
    fn what_is_synced_is_there_and_the_rest_may_be() {
        let (mut old, mut new, mut torn) = (0, 0, 0);
        for seed in 1..200 {
            let (mut m, node) = medium(seed);
            m.write(node, 0, &[1; 4 * SECTOR], true);
            m.write(node, SECTOR as u64, &[2; 2 * SECTOR], false);
            m.write(node, 3 * SECTOR as u64, &[3; SECTOR], true);
            m.crash();
            let there = &m.nodes[&node].current;
            assert_eq!(there.len(), 4 * SECTOR);
            assert!(there[..SECTOR].iter().all(|b| *b == 1), "a durable write");
            assert!(there[3 * SECTOR..].iter().all(|b| *b == 3), "the last durable write");
            let sector = |n: usize| there[n * SECTOR];
            assert!((1..3).all(|n| there[n * SECTOR..][..SECTOR].iter().all(|b| *b == sector(n))));
            old += u32::from(sector(1) == 1 && sector(2) == 1);
            new += u32::from(sector(1) == 2 && sector(2) == 2);
            torn += u32::from(sector(1) != sector(2));
        }
        assert!(old > 10 && new > 10 && torn > 10, "{old} {new} {torn}");
    }

    #[test]
    fn names_are_kept_in_their_order() {
        let (mut neither, mut one, mut both) = (0, 0, 0);
        for seed in 1..200 {
            let (mut m, node) = medium(seed);
            m.rename((ROOT, "f".into()), (ROOT, "g".into()));
            m.create((ROOT, "h".into()), 0o100_600, 0, 0);
            m.crash();
            let has = |name: &str| m.names.get(&(ROOT, name.into())).copied();
            assert!(has("f").is_none() || has("g").is_none());
            assert!(has("f").is_some() || has("g") == Some(node));
            neither += u32::from(has("f").is_some());
            one += u32::from(has("g").is_some() && has("h").is_none());
            both += u32::from(has("h").is_some());
            assert!(has("h").is_none() || has("g").is_some());
        }
        assert!(neither > 10 && one > 10 && both > 10, "{neither} {one} {both}");
    }

    #[test]
    fn what_was_cut_off_comes_back_whole_or_is_gone() {
        let (mut back, mut gone) = (0, 0);
        for seed in 1..100 {
            let (mut m, node) = medium(seed);
            m.write(node, 0, &[1; 3 * SECTOR], true);
            m.set_len(node, SECTOR as u64);
            m.set_len(node, 3 * SECTOR as u64);
            m.crash();
            let there = m.nodes[&node].current.clone();
            assert!(there.len() == 3 * SECTOR && there[..SECTOR].iter().all(|b| *b == 1));
            assert!(there[SECTOR..].iter().all(|b| *b == there[SECTOR]));
            back += u32::from(there[SECTOR] == 1);
            gone += u32::from(there[SECTOR] == 0);
            // It stays as it is now.
            m.power = Power::On;
            m.crash();
            assert_eq!(m.nodes[&node].current, there);
        }
        assert!(back > 10 && gone > 10, "{back} {gone}");
    }

    #[test]
    fn a_sync_makes_length_and_content_durable_unless_it_lies() {
        for seed in 1..50 {
            let (mut m, node) = medium(seed);
            m.write(node, 0, b"abc", false);
            m.set_len(node, 2000);
            m.sync(node);
            m.crash();
            assert_eq!(
                (m.nodes[&node].current.len(), &m.nodes[&node].current[..3]),
                (2000, &b"abc"[..])
            );
        }
        let gone = (1..50).filter(|seed| {
            let (mut m, node) = medium(*seed);
            m.lies = true;
            m.write(node, 0, b"abc", true);
            m.sync(node);
            m.crash();
            !m.nodes[&node].current.starts_with(b"abc")
        });
        assert!(gone.count() > 10);
    }
}
