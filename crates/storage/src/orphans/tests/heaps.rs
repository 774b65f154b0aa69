//! What goes by a heap's page written to last, and by pages that had room.

use super::scene::{Scene, Work, short};
use crate::access::heap;
use crate::rig::{begin, heap_rows};
use crate::{Rid, ScanLocks};

fn go_on(scene: &Scene, what: &str) {
    let (hobt, db) = (scene.heap(), &scene.db);
    let rids: Vec<Rid> = scene.heap_rows.keys().copied().collect();
    let (kept, free) = (hobt.kept_hint(), scene.free_pages(&hobt));
    for hint in std::iter::once(None).chain(free.iter().copied().map(Some)) {
        for bytes in [10, 1500, 7000] {
            hobt.keep_hint(kept);
            if let Some(page) = hint {
                let Some(guard) = db.pool().read_present(&db.store, page) else { continue };
                let frame = guard.frame();
                drop(guard);
                hobt.set_hot(page, frame);
                hobt.room.lock().note(page);
            }
            let mut tx = scene.begin();
            let mut expected = scene.heap_rows.clone();
            for i in 0..3 {
                let rid = heap::insert(&mut tx, &hobt, &vec![i; bytes]).unwrap();
                assert!(db.is_allocated(rid.page).unwrap(), "{what}: a row on {}", rid.page);
                assert!(expected.insert(rid, vec![i; bytes]).is_none(), "{what}: {rid:?} twice");
            }
            heap::update(&mut tx, &hobt, rids[0], &[8; 7900]).unwrap();
            expected.insert(rids[0], vec![8; 7900]);
            assert!(heap::delete(&mut tx, &hobt, rids[1]).unwrap());
            expected.remove(&rids[1]);
            let found = heap_rows(&mut tx, &hobt, ScanLocks::None).unwrap();
            assert!(found == expected, "{what} by {hint:?}: {} rows", found.len());
            tx.rollback().unwrap();
            let found = heap_rows(&mut begin(db), &hobt, ScanLocks::None).unwrap();
            assert!(found == scene.heap_rows, "{what} by {hint:?}, rolled back");
        }
    }
}

fn everywhere(work: Work, step: usize) {
    let mut places = 0;
    for n in (1..).step_by(step) {
        let scene = Scene::new(n.into(), short, 900);
        let (heap, mut tx) = (scene.heap(), begin(&scene.db));
        let mut scan = heap::scan(&heap, ScanLocks::None);
        let mut seen = Vec::new();
        for _ in 0..n % 5 {
            seen.extend(scan.next(&mut tx).unwrap().map(|(rid, _)| rid));
        }
        if !scene.cut_off(work, n) {
            break;
        }
        places += 1;
        while let Some((rid, _)) = scan.next(&mut tx).unwrap() {
            seen.push(rid);
        }
        drop(tx);
        let what = format!("{work:?} cut off at {n}");
        assert!(seen.iter().eq(scene.heap_rows.keys()), "{what}: an old scan");
        go_on(&scene, &what);
        scene.end(&what);
    }
    println!("{work:?}: {places} places");
    assert!(places > 1, "{work:?}: {places} places");
}

#[test]
fn pages_of_heaps_that_end_anywhere() {
    everywhere(Work::HeapPages, 1);
}

#[test]
fn heaps_made_and_filled_that_end_anywhere() {
    for (work, step) in [(Work::NewHeap, 1), (Work::Load, 7), (Work::Lobs, 1)] {
        everywhere(work, step);
    }
}
