//! Roots and directory pages: what comes back from their bytes, and which files' lines fit.

use super::*;

#[test]
fn files_that_do_not_fit_whole_are_packed() {
    let file = |n: u16| RootFile {
        path: format!("/data/shop/l{n:03}.ldf").into(),
        size: u64::from(n % 7 + 1) << 20,
        growth: if n < 150 { Growth::Bytes(1 << 20) } else { Growth::Percent(10) },
        max_size: crate::options::LOG_FILE_BYTES_MAX,
        min_size: 1 << 20,
        born: u64::from(n) + 7,
        id: n + 2,
    };
    let mut root = Root { files: (0..200).map(file).collect(), ..root() };
    root.files[3] = RootFile::gone();
    let none = [0; 16];
    assert!(!whole_lines_fit(&root.files, LINES_MAX) && Root::fits(&root.files, none));
    let bytes = root.to_bytes();
    assert_eq!(Root::from_bytes(&bytes), Ok(root.clone()));
    // The growth of files makes it no longer.
    root.files.iter_mut().filter(|f| !f.is_gone()).for_each(|f| f.size = 2 << 40);
    assert_eq!(Root::from_bytes(&root.to_bytes()), Ok(root.clone()));
    let unlike = |n: u16| RootFile { path: format!("{}{n}", "ab".repeat(99)).into(), ..file(n) };
    root.files = (0..170).map(|n| if n % 2 == 0 { file(n) } else { unlike(n) }).collect();
    assert!(!Root::fits(&root.files, none));
    for cut in 0..80 {
        let lines = packed::pack(&[file(1), file(2)]);
        let whole = packed::unpack(&mut Cursor(&lines[..cut.min(lines.len())]), 2);
        assert_eq!(whole.is_ok(), cut >= lines.len(), "{cut} of {}", lines.len());
    }
}

fn root() -> Root {
    Root {
        this_file: 0,
        generation: 3,
        log: [1; 16],
        fork: [2; 16],
        sector: 4096,
        incarnation: 5,
        vlfs: 4,
        newest: (0, 8192),
        noted: 77,
        files: vec![
            RootFile {
                path: "/data/ä_log.ldf".into(),
                size: 8 << 20,
                growth: Growth::Percent(10),
                max_size: crate::options::LOG_FILE_BYTES_MAX,
                min_size: 1 << 20,
                born: 41,
                id: 65_535,
            },
            RootFile::gone(),
        ],
        first: Lsn::new(34, 80, 0),
        reached: LogPos(81920),
        closed: true,
        copied: [0; 16],
    }
}

#[test]
fn files_of_a_copy_leave_room_for_its_guid() {
    let copied = [9; 16];
    let file = |n: u64, len: usize| RootFile {
        path: format!("/data/{n}{}", "x".repeat(len)).into(),
        born: n,
        ..root().files[0].clone()
    };
    let mut files: Vec<RootFile> = (10..30).map(|n| file(n, 0)).collect();
    let bytes: usize = files.iter().map(|f| FILE_BYTES + f.path.as_os_str().len()).sum();
    files[19] = file(29, LINES_MAX - bytes);
    // Whole, there would be no room for it.
    let full = Root { files: files.clone(), copied, ..root() };
    assert!(whole_lines_fit(&files, LINES_MAX) && Root::fits(&files, copied));
    assert_eq!(Root::from_bytes(&full.to_bytes()), Ok(full));
    let longest = |copied| {
        let with = |len: usize| [&files[..19], &[file(29, len)]].concat();
        (0..HALF).rev().find(|&len| Root::fits(&with(len), copied)).map(with)
    };
    let most = Root { files: longest(copied).unwrap(), copied, ..root() };
    assert_eq!(Root::from_bytes(&most.to_bytes()), Ok(most));
    let original = Root { files: longest([0; 16]).unwrap(), ..root() };
    assert!(!Root::fits(&original.files, copied));
    assert_eq!(Root::from_bytes(&original.to_bytes()), Ok(original));
}

#[test]
fn roots_and_pages_survive_and_damage_shows() {
    let root = root();
    let create = Lsn::new(34, 16, 1);
    let entry = Entry { file: 3, create, last_seqno: 35, parity: 0x80, offset: 8192, size: 9 };
    let page = DirectoryPage {
        log: [1; 16],
        entries: vec![entry; ENTRIES_PER_PAGE],
        next: Some((0, 1 << 20)),
    };
    let (mut a, mut b) = (root.to_bytes(), page.to_bytes());
    let copied = Root { copied: [9; 16], ..root.clone() };
    assert_eq!(Root::from_bytes(&copied.to_bytes()), Ok(copied));
    let young = Root { copied: [9; 16], reached: LogPos::ZERO, closed: false, ..root.clone() };
    assert_eq!(Root::from_bytes(&young.to_bytes()).map(|r| r.database()), Ok([9; 16]));
    assert_eq!(Root::from_bytes(&a), Ok(root));
    assert_eq!(DirectoryPage::from_bytes(&b), Ok(page));
    let before = Some((1, 73_728));
    let header = vlf_header(0x40, 34, 8192, 65_536, Lsn::ZERO, [2; 16], before);
    let want = VlfHeader { parity: 0x40, seqno: 34, start: 8192, size: 65_536, before };
    assert_eq!(parse_vlf_header(&header, [2; 16]), Some(want));
    assert_eq!(parse_vlf_header(&header, [3; 16]), None);
    a[100] ^= 1;
    b[100] ^= 1;
    assert_eq!(Root::from_bytes(&a), Err(Unreadable::Damaged));
    assert_eq!(DirectoryPage::from_bytes(&b), Err(Unreadable::Damaged));
}
