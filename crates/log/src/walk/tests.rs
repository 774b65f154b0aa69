//! The next block of a walk's chain, and its end.

use std::path::Path;

use taffrail_base::{BlockOffset, LogPos, VlfSeqNo};
use taffrail_io::OpenSpec;
use taffrail_io::sim::SimWorld;

use super::{Break, PIECE, Step, WalkVlf, Walker};
use crate::block::{BlockHeader, VlfPlace, check_crc, seal};
use crate::directory::VLF_HEADER_BYTES;

const FORK: [u8; 16] = [4; 16];
const LENGTH: u32 = 1024;
const SIZE: u64 = 4 << 20;

/// The blocks of a VLF, each of which is whole and says this of the one before it, of its incarnation and of its fork.
fn chain(blocks: &[(u32, u32, [u8; 16])]) -> (Vec<u32>, Walker) {
    let disk = SimWorld::new(1).env().disk;
    let volume = disk.create(Path::new("/data/log.ldf"), OpenSpec::PLAIN).unwrap();
    let place = VlfPlace { file: 0, offset: 8192, size: SIZE };
    volume.write_at(0, &vec![0; (place.offset + SIZE) as usize]).unwrap();
    let vlf = WalkVlf { place, seqno: VlfSeqNo(7), start: 1 << 20 };
    let mut crcs = Vec::new();
    for (n, (prev_crc, incarnation, fork)) in blocks.iter().enumerate() {
        let at = VLF_HEADER_BYTES + n as u64 * u64::from(LENGTH);
        let mut bytes = vec![n as u8; LENGTH as usize];
        let h = BlockHeader {
            parity: 0x40,
            pos: LogPos(vlf.start + at),
            vlf: vlf.seqno,
            offset: BlockOffset((at / 512) as u32),
            length: LENGTH,
            used: 120,
            records: 1,
            // 0: that of the block before.
            prev_crc: if *prev_crc == 0 { crcs.last().copied().unwrap_or(0) } else { *prev_crc },
            incarnation: *incarnation,
            durable: LogPos(vlf.start),
            successor: None,
            fork: *fork,
            crc: 0,
        };
        crcs.push(seal(&h, &mut bytes, h.length as usize));
        volume.write_at(place.offset + at, &bytes).unwrap();
    }
    let first = LogPos(vlf.start + VLF_HEADER_BYTES);
    (crcs, Walker::new(vec![volume], FORK, vlf, first, None))
}

/// How many blocks a walk finds, and why it ends.
fn walk(blocks: &[(u32, u32, [u8; 16])]) -> (usize, Break) {
    let (_, mut walker) = chain(blocks);
    let mut found = 0;
    loop {
        match walker.step(LogPos(u64::MAX)).unwrap() {
            Step::Block(_) => found += 1,
            Step::End(why) => return (found, why),
        }
    }
}

#[test]
fn a_block_whose_predecessor_is_another_is_the_end() {
    assert_eq!(walk(&[(0, 1, FORK), (0, 1, FORK), (0, 1, FORK)]).0, 3);
    // It is of the same place and use, as one that overtook a lost write is, or one of an earlier try.
    assert_eq!(walk(&[(0, 1, FORK), (77, 1, FORK), (0, 1, FORK)]), (1, Break::Link));
    assert_eq!(walk(&[(0, 2, FORK), (77, 3, FORK)]), (1, Break::Link));
}

#[test]
fn a_block_that_is_older_than_its_predecessor_is_the_end() {
    assert_eq!(walk(&[(0, 1, FORK), (0, 3, FORK), (0, 3, FORK)]).0, 3);
    // A log that was restored elsewhere can have the same predecessor twice.
    assert_eq!(walk(&[(0, 3, FORK), (0, 2, FORK)]), (1, Break::Incarnation));
}

#[test]
fn a_block_of_another_fork_is_the_end() {
    assert_eq!(walk(&[(0, 1, FORK), (0, 1, [5; 16])]), (1, Break::Fork));
}

#[test]
fn what_is_known_of_the_block_before_holds_for_the_first() {
    let (_, mut walker) = chain(&[(77, 2, FORK)]);
    let (vlf, first) = (walker.vlf(), walker.next_pos());
    assert!(matches!(walker.step(LogPos(u64::MAX)), Ok(Step::Block(_))), "nothing is known");
    for (before, whole) in [((77, 2), true), ((77, 1), true), ((76, 2), false), ((77, 3), false)] {
        let volumes = walker.volumes.clone();
        let mut walker = Walker::new(volumes, FORK, vlf, first, Some(before));
        let found = matches!(walker.step(LogPos(u64::MAX)), Ok(Step::Block(_)));
        assert_eq!(found, whole, "{before:?}");
    }
}

#[test]
fn blocks_that_are_held_stay_as_they_were_read() {
    let blocks = 3 * PIECE / LENGTH as usize;
    for holds in [0, 1, blocks] {
        let (_, mut walker) = chain(&vec![(0, 1, FORK); blocks]);
        let mut held = std::collections::VecDeque::new();
        while let Step::Block(h) = walker.step(LogPos(u64::MAX)).unwrap() {
            held.push_back((h, walker.held()));
            if held.len() > holds {
                held.pop_front();
            }
        }
        assert_eq!(held.len(), holds);
        assert!(held.iter().all(|(h, bytes)| check_crc(h, bytes).is_ok()), "{holds} held");
        // As many pieces as somebody holds a block of, and the one that was read last.
        assert!(walker.others.len() <= holds.min(3), "{holds} held: {}", walker.others.len());
        drop(held);
    }
}
