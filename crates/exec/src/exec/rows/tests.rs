#![cfg(test)]
use super::merge::merged_to;
use super::{Partitions, RowMerge, RowStore, SpillReader, SpillSpace, SpillWriter, codec};
use std::cmp::Ordering;
use std::path::Path;
use taffrail_io::sim::{Fault, FaultKind, IoKind, SimWorld};
use taffrail_types::{Bytes, Decimal, SqlType, Value};

fn space(world: &SimWorld) -> SpillSpace {
    let disk = world.env().disk;
    disk.create_dir(Path::new("/tmp")).unwrap();
    SpillSpace { disk, dir: "/tmp".into() }
}

fn text(n: usize) -> Value {
    Value::VarChar(Bytes::from_vec(vec![b'x'; n]))
}

/// A value of each kind, and texts around the length that takes another form.
fn kinds() -> Vec<Value> {
    vec![
        Value::Null,
        Value::Bit(false),
        Value::Bit(true),
        Value::TinyInt(200),
        Value::SmallInt(-3),
        Value::Int(i32::MIN),
        Value::BigInt(i64::MAX),
        Value::Decimal(Decimal::new(true, 10_u128.pow(38) - 1, 38).unwrap()),
        Value::Decimal(Decimal::new(false, 0, 5).unwrap()),
        Value::Money(-1),
        Value::Real(1.5),
        Value::Float(-0.0),
        Value::Date(3_652_058),
        Value::Time(863_999_999_999),
        Value::DateTime { days: -53_690, ticks: 25_919_999 },
        Value::SmallDateTime { days: u16::MAX, minutes: 1439 },
        Value::DateTime2 { days: 7, ticks: 9 },
        Value::DateTimeOffset { days: 7, ticks: 9, offset: -840 },
        Value::Guid([7; 16]),
        Value::Variant(Box::new((SqlType::Int, Value::Int(4)))),
        text(0),
        text(255),
        text(256),
        Value::NVarChar(Bytes::from_slice(&[65, 0])),
        Value::NVarChar(Bytes::from_vec(vec![1; 70_000])),
        Value::Binary(Bytes::from_vec(vec![9; 300])),
    ]
}

#[test]
fn each_kind_of_value_comes_back() {
    let (mut bytes, mut back) = (Vec::new(), Vec::new());
    codec::append_row(&mut bytes, &kinds());
    codec::read_row(&bytes, &mut back).unwrap();
    assert_eq!(format!("{back:?}"), format!("{:?}", kinds()));
    // A row that ends too early is none.
    assert!(codec::read_row(&bytes[..bytes.len() - 1], &mut back).is_err());
    assert!(codec::read_row(&[99], &mut back).is_err());
}

#[test]
fn rows_come_back_in_their_order_and_leave_no_name() {
    let world = SimWorld::new(1);
    let space = space(&world);
    let file = space.create().unwrap();
    let row = |n: usize| vec![Value::Int(n as i32), text(n * 37 % 900), text(n / 400 * 70_000)];
    let mut writer = SpillWriter::new(&file);
    for n in 0..2000 {
        writer.push(&row(n)).unwrap();
    }
    let mut reader = SpillReader::new(writer.finish().unwrap());
    let mut found = Vec::new();
    for _ in 0..2 {
        for n in 0..2000 {
            assert!(reader.next(&mut found).unwrap());
            assert!(found == row(n), "row {n}");
        }
        assert!(!reader.next(&mut found).unwrap());
        reader.rewind();
    }
    assert!(space.disk.list(&space.dir).unwrap().is_empty());
    // What was there before is a killed server's.
    let left = space.dir.join("taffrail-spill-9.tmp");
    space.disk.create(&left, taffrail_io::OpenSpec::PLAIN).unwrap();
    space.create().unwrap();
    assert!(space.disk.list(&space.dir).unwrap().is_empty());
}

/// A row without a value is its length alone, which the last block may end with.
#[test]
fn rows_without_a_value_come_back() {
    let world = SimWorld::new(1);
    let file = space(&world).create().unwrap();
    let rows = 2 * super::ROOM / super::writer::LENGTH;
    let mut writer = SpillWriter::new(&file);
    (0..rows).for_each(|_| writer.push(&[]).unwrap());
    let mut reader = SpillReader::new(writer.finish().unwrap());
    let mut found = Vec::new();
    for n in 0..rows {
        assert!(reader.next(&mut found).unwrap(), "row {n}");
    }
    assert!(!reader.next(&mut found).unwrap());
}

#[test]
fn blocks_are_used_again() {
    let world = SimWorld::new(1);
    let file = space(&world).create().unwrap();
    let written = || {
        let mut writer = SpillWriter::new(&file);
        for _ in 0..100 {
            writer.push(&[text(5000)]).unwrap();
        }
        writer.finish().unwrap()
    };
    let first = written();
    let blocks = first.blocks.len();
    assert_eq!(blocks, (100 * 5009_usize).div_ceil(super::ROOM));
    drop(first);
    let second = written();
    let last = second.blocks.iter().map(|b| b.at).max().unwrap();
    assert_eq!(last as usize, blocks - 1);
}

fn by_first(a: &[Value], b: &[Value]) -> Ordering {
    a[0].as_i64().cmp(&b[0].as_i64())
}

#[test]
fn runs_become_one_and_equal_rows_stay_in_order() {
    let world = SimWorld::new(1);
    let file = space(&world).create().unwrap();
    for (runs, most) in [(0, 4), (1, 4), (4, 4), (5, 4), (37, 4)] {
        let mut all = Vec::new();
        let mut expected = Vec::new();
        for run in 0..runs {
            let mut rows: Vec<[i64; 2]> =
                (0..50).map(|n| [(n * 7 + run) % 11, run * 100 + n]).collect();
            rows.sort_by_key(|r| r[0]);
            let mut writer = SpillWriter::new(&file);
            for r in &rows {
                writer.push(&r.map(Value::BigInt)).unwrap();
            }
            all.push(writer.finish().unwrap());
            expected.extend(rows);
        }
        expected.sort_by_key(|r| r[0]);
        let (merged, passes) = merged_to(most, all, &file, &by_first).unwrap();
        assert_eq!(
            passes,
            [0, 0, 0, 1, 2][[0, 1, 4, 5, 37].iter().position(|n| *n == runs).unwrap()]
        );
        let mut merge = RowMerge::new(merged, &by_first).unwrap();
        let mut found = Vec::new();
        while let Some(row) = merge.next(&by_first).unwrap() {
            found.push([0, 1].map(|n| row[n].as_i64().unwrap()));
        }
        assert!(found == expected, "{runs} runs");
    }
}

#[test]
fn partitions_keep_rows_of_a_hash_together_and_divide_further() {
    let world = SimWorld::new(1);
    let file = space(&world).create().unwrap();
    let hash = |n: i64| (n as u64).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let mut parts = Partitions::new(&file, 4, 0);
    for n in 0..4000 {
        parts.push(hash(n % 400), &[Value::BigInt(n)]).unwrap();
    }
    let mut seen = 0;
    for rows in parts.finish().unwrap().into_iter().flatten() {
        let keys = rows.rows / 10;
        assert!((50..200).contains(&keys), "{keys} of 400 keys are in one of four partitions");
        let mut reader = SpillReader::new(rows);
        let mut row = Vec::new();
        let mut again = Partitions::new(&file, 4, 1);
        let mut last = -1;
        while reader.next(&mut row).unwrap() {
            let n = row[0].as_i64().unwrap();
            assert!(n > last);
            last = n;
            again.push(hash(n % 400), &row).unwrap();
            seen += 1;
        }
        let sizes = again.finish().unwrap().into_iter().map(|p| p.map_or(0, |p| p.rows / 10));
        let largest = sizes.max().unwrap();
        assert!(
            largest < keys / 2,
            "{largest} of {keys} keys are in one partition of the next level"
        );
    }
    assert_eq!(seen, 4000);
}

/// The error that rows meet on their way to a file and back, 0 for none.
fn met(kind: IoKind, fault: FaultKind) -> i32 {
    let world = SimWorld::new(1);
    let file = space(&world).create().unwrap();
    let inject = |of: IoKind| {
        if of == kind {
            let (path_contains, kind) = (String::new(), Some(of));
            world.inject(Fault { nth: 2, kind, path_contains, fault, sticky: false });
        }
    };
    let there_and_back = || {
        inject(IoKind::Write);
        let mut writer = SpillWriter::new(&file);
        for n in 0..400 {
            writer.push(&[Value::Int(n), text(1000)])?;
        }
        let mut reader = SpillReader::new(writer.finish()?);
        inject(IoKind::Read);
        let mut row = Vec::new();
        for n in 0..400 {
            assert!(reader.next(&mut row)?);
            assert_eq!(row, [Value::Int(n), text(1000)]);
        }
        taffrail_base::SqlResult::Ok(())
    };
    there_and_back().map_or_else(|e| e.number, |()| 0)
}

#[test]
fn an_error_of_the_device_is_an_error_of_the_statement() {
    assert_eq!(met(IoKind::Write, FaultKind::Full), 1105);
    assert_eq!(met(IoKind::Write, FaultKind::Io), 823);
    assert_eq!(met(IoKind::Read, FaultKind::Io), 823);
    // The device says that all is well, and has written nothing, or elsewhere, or reads something else.
    for fault in [FaultKind::Lost, FaultKind::Misdirected] {
        assert_ne!(met(IoKind::Write, fault), 0, "{fault:?}");
    }
    assert_ne!(met(IoKind::Read, FaultKind::Wrong), 0);
}

/// A cursor stays open after such an error, and is asked for its rows again.
#[test]
fn a_store_that_has_met_an_error_gives_its_rows_or_an_error() {
    let row = |n: usize| [Value::Int(n as i32), text(1000)];
    let stored = |fault: IoKind| {
        let world = SimWorld::new(1);
        let file = space(&world).create().unwrap();
        let mut store = RowStore::in_order(2);
        (0..200).for_each(|n| store.add_in(&row(n), || Ok(file.clone())).unwrap());
        store.spill(file.clone()).unwrap();
        (200..400).for_each(|n| store.add_in(&row(n), || Ok(file.clone())).unwrap());
        if fault == IoKind::Read {
            assert_eq!(store.row(0).unwrap(), row(0));
        }
        let (path_contains, kind) = (String::new(), Some(fault));
        world.inject(Fault { nth: 1, kind, path_contains, fault: FaultKind::Io, sticky: false });
        store
    };
    let mut store = stored(IoKind::Write);
    assert_eq!(store.row(0).unwrap_err().number, 823);
    assert!(store.row(0).is_err());
    let mut store = stored(IoKind::Read);
    assert_eq!(store.row(300).unwrap_err().number, 823);
    assert_eq!(store.row(1).unwrap(), row(1));
}
