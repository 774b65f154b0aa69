use super::*;
use crate::AlignedBuf;
use crate::sim::SimWorld;

#[derive(Default)]
struct Told {
    done: Mutex<Vec<(u32, Done)>>,
    open: Mutex<Vec<u32>>,
    renamed: Mutex<Vec<(PathBuf, PathBuf)>>,
}

impl Watch for Told {
    fn begins(&self, _: u32, _: FileOperation, _: u64, _: u64) {}

    fn named(&self, path: &Path) -> u32 {
        path.as_os_str().len() as u32
    }
    fn opened(&self, path: &Path) -> u32 {
        let number = self.named(path);
        locked(&self.open).push(number);
        number
    }
    fn closed(&self, file: u32) {
        let mut open = locked(&self.open);
        let at = open.iter().position(|f| *f == file).expect("it is open");
        open.swap_remove(at);
    }
    fn renamed(&self, from: &Path, to: &Path) {
        locked(&self.renamed).push((from.to_owned(), to.to_owned()));
    }
    fn done(&self, file: u32, done: Done) {
        locked(&self.done).push((file, done));
    }
}

/// What is told of a world's disk.
fn watched(world: &SimWorld) -> (CountedDisk, Arc<Told>) {
    let (env, told) = (world.env(), Arc::new(Told::default()));
    (CountedDisk::new(env.disk.clone(), env.clock.clone()).watched(told.clone()), told)
}

#[test]
fn writes_that_are_refused_have_ended_with_that() {
    let world = SimWorld::new(1);
    let (disk, told) = watched(&world);
    let volume = disk.create(Path::new("/d.ldf"), OpenSpec::LOG).unwrap();
    let op = |token, offset| WriteOp { token, offset, buf: AlignedBuf::zeroed(4096), len: 4096 };
    world.crash();
    world.restart();
    assert!(volume.submit(vec![op(1, 0), op(2, 4096)]).is_err());
    assert!(volume.start(op(3, 8192)).is_err());
    let told: Vec<_> = locked(&told.done)[1..]
        .iter()
        .map(|(_, d)| (d.operation, d.offset, d.length, d.error != 0))
        .collect();
    let write = |offset| (FileOperation::Write, offset, 4096, true);
    assert_eq!(told, [write(0), write(4096), write(8192)]);
    assert_eq!(disk.totals(Path::new("/d.ldf")).plain_writes.count, 3);
}

#[test]
fn a_number_is_a_files_while_it_is_open_whatever_its_name() {
    let world = SimWorld::new(1);
    let (disk, told) = watched(&world);
    let (a, b) = (Path::new("/a.bak"), Path::new("/b.bak"));
    assert!(disk.open(a, OpenSpec::DATA).is_err());
    assert!(locked(&told.open).is_empty(), "it was never open");
    let first = disk.create(a, OpenSpec::DATA).unwrap();
    let second = disk.open(a, OpenSpec::DATA).unwrap();
    assert!(disk.rename(Path::new("/none"), b).is_err());
    disk.rename(a, b).unwrap();
    assert_eq!(*locked(&told.renamed), [(a.to_owned(), b.to_owned())]);
    drop(first);
    assert_eq!(*locked(&told.open), [6]);
    drop(second);
    assert!(locked(&told.open).is_empty());
}

#[test]
fn each_operation_is_told_once_with_its_place() {
    use FileOperation::*;
    let (disk, told) = watched(&SimWorld::new(1));
    let path = Path::new("/d.ldf");
    assert!(disk.open(path, OpenSpec::LOG).is_err());
    let volume = disk.create(path, OpenSpec::LOG).unwrap();
    volume.allocate(0, 65_536).unwrap();
    volume.write_durable(4096, &[IoSlice::new(&AlignedBuf::zeroed(512))]).unwrap();
    volume
        .start(WriteOp { token: 9, offset: 8192, buf: AlignedBuf::zeroed(4096), len: 4096 })
        .unwrap();
    volume.reap(1).unwrap();
    volume.sync().unwrap();
    volume.read_at(4096, &mut AlignedBuf::zeroed(4096)).unwrap();
    volume.truncate(8192).unwrap();
    disk.remove(path).unwrap();
    let told = locked(&told.done);
    assert!(told.iter().all(|t| t.0 == 6));
    let told: Vec<_> = told
        .iter()
        .map(|(_, d)| (d.operation, d.offset, d.length, d.durable, d.error == 0))
        .collect();
    let expected = [
        (Open, 0, 0, false, false),
        (Create, 0, 0, false, true),
        (Allocate, 0, 65_536, false, true),
        (Write, 4096, 512, true, true),
        (Write, 8192, 4096, false, true),
        (Sync, 0, 0, true, true),
        (Read, 4096, 4096, false, true),
        (Truncate, 8192, 0, false, true),
        (Remove, 0, 0, false, true),
    ];
    assert_eq!(told, expected);
    for (i, (operation, _)) in FileOperation::ALL.iter().enumerate() {
        assert_eq!(FileOperation::from_number(i as u8), Some(*operation));
    }
}

#[test]
fn every_way_to_the_file_counts_once() {
    let world = SimWorld::new(1);
    let env = world.env();
    let disk = CountedDisk::new(env.disk.clone(), env.clock.clone());
    let (data, log) = (Path::new("/d.mdf"), Path::new("/d.ldf"));
    let volume = disk.create(data, OpenSpec::DATA).unwrap();
    volume.write_at(0, &AlignedBuf::zeroed(8192)).unwrap();
    volume.read_at(0, &mut AlignedBuf::zeroed(4096)).unwrap();
    let op =
        |token| WriteOp { token, offset: 8192 * token, buf: AlignedBuf::zeroed(4096), len: 4096 };
    volume.submit(vec![op(1)]).unwrap();
    volume.start(op(2)).unwrap();
    let mut reaped = 0;
    while reaped < 2 {
        reaped += volume.reap(1).unwrap().len();
    }
    let io = disk.totals(data);
    assert_eq!((io.reads.count, io.reads.bytes), (1, 4096));
    assert_eq!((io.writes.count, io.writes.bytes), (0, 0));
    assert_eq!((io.plain_writes.count, io.plain_writes.bytes), (3, 16_384));
    let volume = disk.create(log, OpenSpec::LOG).unwrap();
    volume.write_durable(0, &[IoSlice::new(&AlignedBuf::zeroed(4096))]).unwrap();
    assert_eq!(disk.totals(log).writes.count, 1);
    disk.rename(log, Path::new("/e.ldf")).unwrap();
    let renamed = disk.totals(Path::new("/e.ldf"));
    assert_eq!((disk.totals(log).writes.count, renamed.writes.count), (0, 1));
}

#[test]
fn an_operation_bears_the_reason_that_its_thread_said_when_it_began() {
    let world = SimWorld::new(2);
    let (disk, told) = watched(&world);
    let volume = disk.create(Path::new("/r.ldf"), OpenSpec::LOG).unwrap();
    let op = || WriteOp { token: 1, offset: 0, buf: AlignedBuf::zeroed(4096), len: 4096 };
    {
        let _why = IoReason::LogInitialization.begin();
        volume.submit(vec![op()]).unwrap();
    }
    let _other = IoReason::LogFlush.begin();
    assert_eq!(volume.reap(1).unwrap().len(), 1, "ended while the thread did something else");
    let block = AlignedBuf::zeroed(4096);
    volume.write_durable(4096, &[IoSlice::new(&block)]).unwrap();
    volume.sync().unwrap();
    let reasons: Vec<_> = locked(&told.done).iter().map(|(_, d)| (d.operation, d.reason)).collect();
    let want = [
        (FileOperation::Create, IoReason::Untold),
        (FileOperation::Write, IoReason::LogInitialization),
        (FileOperation::Write, IoReason::LogFlush),
        (FileOperation::Sync, IoReason::LogFlush),
    ];
    assert_eq!(reasons, want);
}
