use super::*;

#[test]
fn a_file_keeps_what_is_written_durably() {
    let dir = std::env::temp_dir().join(format!("taffrail-io-{}", std::process::id()));
    let disk = OsDisk;
    disk.create_dir(&dir).unwrap();
    let path = dir.join("a.ldf");
    let _ = std::fs::remove_file(&path);
    let v = disk.create(&path, OpenSpec::LOG).unwrap();
    assert!(disk.create(&path, OpenSpec::LOG).is_err());
    v.allocate(0, 64 << 10).unwrap();
    v.sync().unwrap();
    disk.sync_dir(&dir).unwrap();
    let mut b = AlignedBuf::zeroed(8192);
    b.fill(5);
    v.write_durable(4096, &[IoSlice::new(&b[..4096]), IoSlice::new(&b[4096..])]).unwrap();
    // Exact where the file system can tell; elsewhere nothing is called unwritten.
    let unwritten = v.unwritten(0, 1 << 20).unwrap();
    assert!(unwritten.is_empty() || unwritten == [(0, 4096), (12_288, 65_536)]);
    let mut small = [0; 3];
    v.read_at(12_286, &mut small).unwrap();
    assert_eq!(small, [5, 5, 0]);
    assert_eq!(v.len().unwrap(), 64 << 10);
    assert!(v.read_at(65_535, &mut small).is_err());
    v.submit(vec![WriteOp { token: 9, offset: 0, buf: b, len: 4096 }]).unwrap();
    let done = v.reap(1).unwrap();
    assert!(done[0].token == 9 && done[0].result.is_ok());
    let op = |n: u64| WriteOp {
        token: n,
        offset: n * 4096,
        buf: AlignedBuf::from_slice(&[n as u8; 4096]),
        len: 4096,
    };
    v.submit((1..16).map(op).collect()).unwrap();
    v.start(op(0)).unwrap();
    let mut left = 16;
    while left > 0 {
        let done = v.reap(4).unwrap();
        assert!(done.len() >= 4.min(left) && done.iter().all(|d| d.result.is_ok()));
        left -= done.len();
    }
    v.sync().unwrap();
    v.read_at(15 * 4096, &mut small).unwrap();
    assert_eq!(small, [15; 3]);
    assert_eq!(disk.list(&dir).unwrap(), std::slice::from_ref(&path));
    disk.remove(&path).unwrap();
    let gone = disk.open(&path, OpenSpec::LOG).err().unwrap();
    assert!(gone.is_not_found());
    std::fs::remove_dir(&dir).unwrap();
}

/// Another process's lock, as far as the kernel can tell: one of a descriptor of its own.
#[test]
fn a_file_that_is_written_belongs_to_one_process() {
    let dir = std::env::temp_dir().join(format!("taffrail-io-lock-{}", std::process::id()));
    let disk = OsDisk;
    disk.create_dir(&dir).unwrap();
    let path = dir.join("a.mdf");
    let _ = std::fs::remove_file(&path);
    let v = disk.create(&path, OpenSpec::DATA).unwrap();
    let other = File::open(&path).unwrap();
    assert!(other.try_lock().is_err());
    // This process may open it again, and who opened it first may be gone before.
    let again = disk.open(&path, OpenSpec::DATA).unwrap();
    drop(v);
    assert!(other.try_lock().is_err());
    drop(again);
    other.try_lock().unwrap();
    let refused = disk.open(&path, OpenSpec::LOG).err().unwrap();
    assert!(refused.is_in_use() && refused.duplicate().is_in_use(), "{refused}");
    assert!(disk.remove(&path).err().unwrap().is_in_use());
    disk.open(&path, OpenSpec::LOG.read_only()).unwrap();
    disk.open(&path, OpenSpec::PLAIN).unwrap();
    // Whoever is about to give it up is waited for.
    let opened = std::thread::scope(|scope| {
        let opener = scope.spawn(|| disk.open(&path, OpenSpec::LOG));
        std::thread::sleep(Duration::from_millis(20));
        drop(other);
        opener.join().unwrap()
    });
    let v = opened.unwrap();
    // Its own files a process may remove while they are open.
    disk.remove(&path).unwrap();
    drop(v);
    std::fs::remove_dir(&dir).unwrap();
}

#[test]
fn paths_are_told_apart_by_what_they_name() {
    let dir = std::env::temp_dir().join(format!("taffrail-io-real-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(dir.join("a/b")).unwrap();
    let dir = dir.canonicalize().unwrap();
    std::os::unix::fs::symlink(dir.join("a/b"), dir.join("link")).unwrap();
    std::fs::write(dir.join("a/b/f"), "x").unwrap();
    let disk = OsDisk;
    let real = |p: &str| disk.real_path(&dir.join(p)).unwrap();
    assert_eq!(real("link/../c"), dir.join("a/c"));
    assert_eq!(real("none/../x/y"), dir.join("x/y"));
    assert_eq!(real("link/f"), dir.join("a/b/f"));
    let same = |a: &str, b: &str| disk.same_file(&dir.join(a), &dir.join(b)).unwrap();
    assert!(same("link/f", "a/b/f") && same("none", "none"));
    assert!(!same("none", "link/none") && !same("a", "link/f"));
    std::fs::remove_dir_all(&dir).unwrap();
}

fn without_pwritev2(file: File) -> OsVolume {
    OsVolume(Arc::new(OpenFile {
        file: Arc::new(file),
        _lock: None,
        path: "a.ldf".into(),
        kind: VolumeKind::Buffered,
        sector: 512,
        unreserved: AtomicBool::new(false),
        without_flags: AtomicBool::new(true),
        submitted: Mutex::new(Submitted { in_flight: 0, done: Vec::new() }),
        ended: Condvar::new(),
    }))
}

#[test]
fn an_older_kernel_writes_and_then_syncs() {
    let path = std::env::temp_dir().join(format!("taffrail-io-old-{}", std::process::id()));
    let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let v = without_pwritev2(file);
    let bytes: Vec<u8> = (0..1030_u32).map(|n| n as u8).collect();
    // More parts than one call takes.
    let parts: Vec<IoSlice<'_>> =
        bytes.iter().map(|b| IoSlice::new(std::slice::from_ref(b))).collect();
    v.write_durable(10, &parts).unwrap();
    v.write_parts(4000, &parts[..2]).unwrap();
    let mut back = vec![0; 1030];
    v.read_at(10, &mut back).unwrap();
    assert_eq!(back, bytes);
    v.read_at(4000, &mut back[..2]).unwrap();
    assert_eq!(back[..2], bytes[..2]);
    // A file that can be written and not synced: only the durable write fails.
    let null = without_pwritev2(OpenOptions::new().write(true).open("/dev/null").unwrap());
    null.write_parts(0, &parts[..1]).unwrap();
    assert!(null.write_durable(0, &parts[..1]).is_err());
}

#[test]
fn a_file_shares_another_ones_blocks_or_is_left_empty() {
    let dir = std::env::temp_dir().join(format!("taffrail-io-share-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    let dir = dir.canonicalize().unwrap();
    let (from, to) = (dir.join("from"), dir.join("to"));
    std::fs::write(&from, vec![7_u8; 8192]).unwrap();
    std::fs::write(&to, b"").unwrap();
    let disk = RootedDisk::new(vec![dir.clone()]);
    let left = match disk.share(&from, &to).unwrap() {
        true => vec![7_u8; 8192],
        false => Vec::new(),
    };
    assert_eq!(std::fs::read(&to).unwrap(), left);
    assert!(disk.share(&dir.join("nothing"), &to).is_err());
    std::os::unix::fs::symlink(&from, dir.join("link")).unwrap();
    assert!(disk.share(&dir.join("link"), &to).is_err(), "no link is followed");
    std::fs::remove_dir_all(&dir).unwrap();
}

/// A backup's device that answers no more holds up no page: its writes keep the threads of their own queue.
#[test]
fn started_writes_that_do_not_end_keep_no_submitted_one_waiting() {
    let dir = std::env::temp_dir().join(format!("taffrail-io-queues-{}", std::process::id()));
    OsDisk.create_dir(&dir).unwrap();
    let path = dir.join("pages.mdf");
    let _ = std::fs::remove_file(&path);
    let pages = OsDisk.create(&path, OpenSpec::LOG).unwrap();
    let op = |n: u64| WriteOp {
        token: n,
        offset: n * 4096,
        buf: AlignedBuf::from_slice(&[n as u8; 4096]),
        len: 4096,
    };
    let path = dir.join("stuck.bak");
    let stuck = OsVolume(Arc::new(OpenFile {
        file: Arc::new(File::create(&path).unwrap()),
        _lock: None,
        path,
        kind: VolumeKind::Buffered,
        sector: 512,
        unreserved: AtomicBool::new(false),
        without_flags: AtomicBool::new(false),
        submitted: Mutex::new(Submitted { in_flight: 0, done: Vec::new() }),
        ended: Condvar::new(),
    }));
    // No write of this file ends while its list of ended ones is held.
    let held = {
        let mut held = stuck.submitted();
        held.in_flight += 16;
        held
    };
    (0..16).for_each(|n| pool::perform(Queue::Streams, &stuck.0, op(n)));
    let (sender, ended) = std::sync::mpsc::channel();
    let beside = std::thread::spawn(move || {
        pages.submit(vec![op(1), op(2)]).unwrap();
        let mut done = pages.reap(2).unwrap();
        done.sort_by_key(|d| d.token);
        let _ = sender.send(done.iter().map(|d| (d.token, d.result.is_ok())).collect::<Vec<_>>());
    });
    let done = ended.recv_timeout(Duration::from_secs(10));
    drop(held);
    beside.join().unwrap();
    assert_eq!(done.ok(), Some(vec![(1, true), (2, true)]), "the pages wait for the backup");
    assert_eq!(stuck.reap(16).unwrap().len(), 16);
    std::fs::remove_dir_all(&dir).unwrap();
}
