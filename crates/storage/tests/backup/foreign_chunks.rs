//! Chunks that are whole, lie where they say, and are not this set's, or not the next of it.

use std::path::{Path, PathBuf};

use taffrail_io::OpenSpec;
use taffrail_io::sim::SimWorld;
use taffrail_storage::RecoveryModel;
use taffrail_storage::backup::{BackupError, BackupKind, BackupSpec, Device, verify};

use super::support::*;

const BLOCK: usize = 4096;

fn path(media: &str, stripe: usize) -> PathBuf {
    PathBuf::from(format!("/data/{media}{stripe}.bak"))
}

fn stripes(media: &str) -> Vec<Device> {
    (1..=3).map(|i| Device::Disk(path(media, i))).collect()
}

fn bytes(world: &SimWorld, path: &Path) -> Vec<u8> {
    let file = world.env().disk.open(path, OpenSpec::PLAIN).unwrap();
    let mut bytes = vec![0; file.len().unwrap() as usize];
    file.read_at(0, &mut bytes).unwrap();
    bytes
}

fn write(world: &SimWorld, path: &Path, bytes: &[u8]) {
    let file = world.env().disk.open(path, OpenSpec::PLAIN).unwrap();
    file.write_at(0, bytes).unwrap();
}

/// Where the chunks of a file lie: kind, offset and length of each.
fn chunks(file: &[u8]) -> Vec<(u8, usize, usize)> {
    let mut found = Vec::new();
    let mut at = BLOCK;
    while at < file.len() && &file[at..at + 4] == b"TFBC" {
        let stored = u64::from_le_bytes(file[at + 32..at + 40].try_into().unwrap()) as usize;
        let len = BLOCK + stored.next_multiple_of(BLOCK);
        found.push((file[at + 6], at, len));
        at += len;
    }
    found
}

/// Puts each chunk of `other` that lies in the same place and is as long into `it`, one at a time: how many there were, each noticed.
fn exchanged(world: &SimWorld, it: &Path, other: &Path) -> usize {
    let (good, foreign) = (bytes(world, it), bytes(world, other));
    let theirs = chunks(&foreign);
    let ours = chunks(&good);
    // Behind the set's header and before its end.
    let inner = &ours[1..ours.len() - 1];
    let same: Vec<_> = inner.iter().filter(|c| theirs.contains(c)).collect();
    for (_, at, len) in &same {
        let mut bad = good.clone();
        bad[*at..at + len].copy_from_slice(&foreign[*at..at + len]);
        assert!(bad != good);
        write(world, it, &bad);
        match refused(verify(&world.env(), &stripes("a"), 1, &mut ())) {
            BackupError::Damaged { path, .. } => assert_eq!(path, it, "the chunk at {at}"),
            other => panic!("the chunk at {at}: {other}"),
        }
    }
    write(world, it, &good);
    verify(&world.env(), &stripes("a"), 1, &mut ()).unwrap();
    same.len()
}

fn two_sets() -> taffrail_io::sim::SimWorld {
    let (rig, _, db) = source(77, RecoveryModel::Full);
    put(&db, &mut Rows::new(), 0..8000, 1);
    for media in ["a", "b"] {
        db.backup(&BackupSpec::new(BackupKind::Full, stripes(media)), &mut ()).unwrap();
    }
    db.close().unwrap();
    rig.world.clone()
}

#[test]
fn a_chunk_of_another_set_is_noticed() {
    let world = two_sets();
    let found: usize = (1..=3).map(|n| exchanged(&world, &path("a", n), &path("b", n))).sum();
    assert!(found > 0, "no chunk of the one has its like in the other");
}

#[test]
fn a_chunk_of_the_set_that_is_not_the_next_one_is_noticed() {
    let world = two_sets();
    // The first stripe begins with the log's layout, the others with pages.
    let found = exchanged(&world, &path("a", 2), &path("a", 3))
        + exchanged(&world, &path("a", 3), &path("a", 2));
    assert!(found > 0, "no chunk of the one stripe has its like in the other");
}
