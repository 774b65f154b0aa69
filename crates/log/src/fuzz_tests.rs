//! Readers and any bytes: seeded mutations of a real log, most of them with their checksums made right again, so that
//! they get past the first line of defence. Whatever the bytes are, a reader answers or refuses; it never panics, never
//! asks for memory by a number that it read, and comes to an end.
//!
//! A failure names its seed; `TAFFRAIL_SIM_SEED=n` runs that one alone.

use std::path::PathBuf;
use std::sync::Arc;

use taffrail_base::{HobtId, LogPos, PageId, TransactionId};
use taffrail_io::sim::{SimRng, SimWorld};
use taffrail_io::{AlignedBuf, Env, OpenSpec, Volume};

use crate::block::{self, BLOCK_HEADER_BYTES};
use crate::directory::{DirectoryPage, HALF, Root, parse_vlf_header, vlf_header_state};
use crate::offline::OfflineLog;
use crate::record::{Record, RecordHeader, Reserve, TxLog};
use crate::{
    FlushReason, Growth, Lcx, Log, LogAnchor, LogFileSpec, LogOptions, Lop, RecordFlags, verify,
};

const ITERATIONS: u64 = 400;

fn seeds(n: u64) -> std::ops::Range<u64> {
    match std::env::var("TAFFRAIL_SIM_SEED").ok().and_then(|s| s.parse().ok()) {
        Some(seed) => seed..seed + 1,
        None => 0..n,
    }
}

fn path() -> PathBuf {
    "/db_log.ldf".into()
}

/// A log of a few VLFs, wrapped, with records of every shape.
fn corpus() -> (SimWorld, LogAnchor, u64) {
    let world = SimWorld::new(99);
    let spec = LogFileSpec { growth: Growth::None, ..LogFileSpec::new(path(), 1 << 20) };
    let log = Log::create(&world.env(), &[spec], LogOptions::default(), [7; 16]).unwrap();
    let mut anchor = None;
    for n in 1..260_u64 {
        let mut tx = TxLog::new(TransactionId(n));
        let begin = RecordHeader::new(Lop::BeginXact, Lcx::Null);
        log.append(&mut tx, &begin, &[b"begin"], Reserve::NONE).unwrap();
        let row = RecordHeader {
            page: PageId::new(1, 80 + n as u32),
            slot: n as u16,
            hobt: HobtId(n),
            lock_hash: n << 40,
            ..RecordHeader::new(Lop::InsertRows, Lcx::Clustered)
        };
        let data = vec![n as u8; (n * 37 % 4000) as usize];
        log.append(&mut tx, &row, &[&data], Reserve::undo(8)).unwrap();
        let undo = RecordHeader {
            flags: RecordFlags::COMPENSATION,
            undo_next: tx.first,
            ..RecordHeader::new(Lop::DeleteRows, Lcx::Clustered)
        };
        log.append(&mut tx, &undo, &[&[1]], Reserve::NONE).unwrap();
        let end = RecordHeader::new(Lop::CommitXact, Lcx::Null);
        let pos = log.append(&mut tx, &end, &[], Reserve::NONE).unwrap();
        log.release(&mut tx);
        log.harden(pos, FlushReason::Commit).unwrap();
        if n % 20 == 0 {
            log.set_checkpoint(pos);
            log.truncate();
            anchor = log.anchor_at(pos);
        }
    }
    let size = log.space().total;
    world.restart();
    (world, anchor.unwrap(), size)
}

/// A number as damage would make it: near the edges, or anything.
fn number(rng: &mut SimRng) -> u64 {
    match rng.below(6) {
        0 => 0,
        1 => rng.below(300),
        2 => u64::MAX >> rng.below(64),
        3 => 1 << rng.below(64),
        4 => (1 << rng.below(64)) - 1,
        _ => rng.below(u64::MAX),
    }
}

/// Changes one to four places.
fn mutate(rng: &mut SimRng, bytes: &mut [u8]) {
    for _ in 0..=rng.below(4) {
        let at = rng.below(bytes.len() as u64) as usize;
        let n = number(rng).to_le_bytes();
        let len = (1 << rng.below(4)).min(bytes.len() - at);
        bytes[at..at + len].copy_from_slice(&n[..len]);
    }
}

fn with_checksum(half: &mut [u8]) {
    let crc = crc32c::crc32c(&half[..HALF - 4]);
    half[HALF - 4..].copy_from_slice(&crc.to_le_bytes());
}

fn read_all(env: &Env, size: u64) -> (Arc<dyn Volume>, Vec<u8>) {
    let volume = env.disk.open(&path(), OpenSpec::LOG).unwrap();
    let mut bytes = vec![0; size as usize];
    volume.read_at(0, &mut bytes).unwrap();
    (volume, bytes)
}

/// Offsets of the blocks.
fn blocks(bytes: &[u8]) -> Vec<usize> {
    (0..bytes.len()).step_by(512).filter(|&at| block::parse_header(&bytes[at..]).is_ok()).collect()
}

#[test]
fn headers_and_records_of_any_bytes() {
    let (world, _, size) = corpus();
    let (_, bytes) = read_all(&world.env(), size);
    let blocks = blocks(&bytes);
    let mut parsed = 0;
    for seed in seeds(ITERATIONS * 50) {
        let rng = &mut SimRng::new(seed);
        let at = blocks[rng.below(blocks.len() as u64) as usize];
        let mut b = bytes[at..(at + 2048).min(bytes.len())].to_vec();
        mutate(rng, &mut b[..BLOCK_HEADER_BYTES]);
        if let Ok(h) = block::parse_header(&b) {
            for slot in [0, 1, 2, h.records, u16::MAX] {
                let record = block::record_bytes(&h, &b, slot);
                parsed += u64::from(record.and_then(|r| Record::parse(h.pos, r)).is_some());
            }
        }
        let from = rng.below(1500) as usize;
        mutate(rng, &mut b[from..from + 80]);
        let _ = Record::parse(LogPos(513), &b[from..]);
        let mut half = bytes[..HALF].to_vec();
        mutate(rng, &mut half);
        with_checksum(&mut half);
        let _ = (Root::from_bytes(&half), DirectoryPage::from_bytes(&half));
        let _ = (parse_vlf_header(&half, [7; 16]), vlf_header_state(&half));
    }
    assert!(parsed > 0);
}

#[test]
fn whole_files_of_any_bytes_are_opened_walked_and_verified() {
    let (world, anchor, size) = corpus();
    let env = world.env();
    let (volume, bytes) = read_all(&env, size);
    let blocks = blocks(&bytes);
    let vlf_headers: Vec<usize> = (HALF..bytes.len())
        .step_by(HALF)
        .filter(|&at| parse_vlf_header(&bytes[at..at + HALF], [7; 16]).is_some())
        .collect();
    assert!(verify::verify(&env, &[path()]).unwrap().is_clean());
    let (mut refused, mut sound, mut opened) = (0, 0, 0);
    for seed in seeds(ITERATIONS) {
        let rng = &mut SimRng::new(seed);
        let mut b = bytes.clone();
        for _ in 0..=rng.below(3) {
            match rng.below(5) {
                // A root, a VLF's header or a directory page, with a good checksum.
                0 => {
                    let at = HALF * rng.below(2) as usize;
                    mutate(rng, &mut b[at..at + 300]);
                    with_checksum(&mut b[at..at + HALF]);
                }
                1 => {
                    let at = vlf_headers[rng.below(vlf_headers.len() as u64) as usize];
                    let at = if rng.below(2) == 0 { at } else { at - HALF };
                    mutate(rng, &mut b[at..at + 128]);
                    with_checksum(&mut b[at..at + HALF]);
                }
                // A block: its header, or anything in it, with a good checksum.
                2 | 3 => {
                    let at = blocks[rng.below(blocks.len() as u64) as usize];
                    let len = block::parse_header(&bytes[at..]).unwrap().length as usize;
                    let end = if rng.below(2) == 0 { at + BLOCK_HEADER_BYTES } else { at + len };
                    mutate(rng, &mut b[at..end]);
                    if let Ok(h) = block::parse_header(&b[at..])
                        && let Some(whole) = b.get_mut(at..at + h.length as usize)
                    {
                        whole[92..96].fill(0);
                        let crc = crc32c::crc32c(whole);
                        whole[92..96].copy_from_slice(&crc.to_le_bytes());
                    }
                }
                _ => mutate(rng, &mut b),
            }
        }
        volume.write_at(0, &AlignedBuf::from_slice(&b)).unwrap();
        volume.sync().unwrap();
        match verify::verify(&env, &[path()]) {
            Ok(v) if v.is_clean() => sound += 1,
            _ => refused += 1,
        }
        if let Ok(log) = OfflineLog::open(&env, &[path()]) {
            let (mut known, mut total) = (0, 0);
            let block =
                |b: &crate::offline::BlockInfo| known += u64::from(log.lsn(b.pos).is_some());
            let _ = log.walk(block, |_, r| total += r.to_bytes().len());
        }
        opened += u64::from(Log::open(&env, &[path()], LogOptions::default(), &anchor).is_ok());
    }
    if ITERATIONS > 1 && std::env::var_os("TAFFRAIL_SIM_SEED").is_none() {
        assert!(refused > 0 && sound > 0 && opened > 0, "{refused} {sound} {opened}");
    }
}

#[test]
fn anchors_of_any_bytes() {
    let (_, anchor, _) = corpus();
    for seed in seeds(ITERATIONS) {
        let mut b = anchor.to_bytes();
        mutate(&mut SimRng::new(seed), &mut b);
        let crc = crc32c::crc32c(&b[..60]);
        b[60..].copy_from_slice(&crc.to_le_bytes());
        if let Some(a) = LogAnchor::from_bytes(&b) {
            let _ = a.lsn();
        }
    }
}
