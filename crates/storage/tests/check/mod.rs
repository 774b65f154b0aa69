//! A check finds what is wrong: for each kind of damage a database is closed, pages of its file are changed, their checksums made right
//! again (or not), and the check says what was done. A whole database gives no finding.

mod support;

use support::{HEAP, Pages, TREE, TestRows, damaged, findings, made};
use taffrail_base::{HobtId, PAGE_BYTES, PageId};
use taffrail_storage::check::What;
use taffrail_storage::page::{HEADER_BYTES, Page, PageType};
use taffrail_storage::{LobRef, Rid, StorageError};

#[test]
fn a_whole_database_has_no_finding() {
    assert_eq!(damaged(|_| {}), []);
    let db = made().open();
    let checked = db.check_hobt(HobtId(TREE), &mut TestRows, &mut || false).unwrap();
    assert_eq!(checked.rows, 1902);
    assert!(checked.pages > 64, "{} pages: the pool is not smaller", checked.pages);
    let checked = db.check_hobt(HobtId(HEAP), &mut TestRows, &mut || false).unwrap();
    assert_eq!(checked.rows, 1903);
}

#[test]
fn it_can_be_given_up() {
    let db = made().open();
    let mut pages = 0;
    let given_up = db.check_hobt(HobtId(TREE), &mut TestRows, &mut || {
        pages += 1;
        pages > 10
    });
    assert!(matches!(given_up, Err(StorageError::Lock(_))), "{given_up:?}");
}

#[test]
fn a_checksum() {
    let mut leaf = PageId::NONE;
    let found = damaged(|p| {
        leaf = p.leaves()[5];
        p.at(leaf).bytes_mut()[5000] ^= 1;
        let offset = leaf.file_offset();
        let bytes = *p.at(leaf).bytes();
        p.volume.write_at(offset, &bytes).unwrap();
    });
    assert!(
        matches!(&found[..], [What::Unreadable { page, why }] if *page == leaf && why.contains("checksum")),
        "{found:?}"
    );
}

/// Damages the leaf in the middle.
fn leaf(damage: impl FnOnce(&mut Page)) -> (PageId, Vec<What>) {
    let mut id = PageId::NONE;
    let found = damaged(|p| {
        id = p.leaves()[10];
        damage(p.at(id));
        p.put(id);
    });
    (id, found)
}

#[test]
fn headers() {
    let (id, found) = leaf(|p| p.set_free_bytes(p.free_bytes() + 1));
    assert!(matches!(&found[..], [What::Unreadable { page, .. }] if *page == id), "{found:?}");
    let (id, found) = leaf(|p| p.set_id(PageId::new(1, 9000)));
    assert!(matches!(&found[..], [What::Unreadable { page, .. }] if *page == id), "{found:?}");
    let (id, found) = leaf(|p| p.bytes_mut()[1] = PageType::Heap as u8);
    assert_eq!(found, [What::PageType { page: id, kind: 1 }]);
    let (id, found) = leaf(|p| p.bytes_mut()[2] = 1);
    assert!(
        matches!(found[0], What::Level { page, level: 1, expected: 0, .. } if page == id),
        "{found:?}"
    );
    let (id, found) = leaf(|p| p.set_hobt_raw(HEAP));
    assert_eq!(found, [What::Foreign { page: id }]);
    let (id, found) = leaf(|p| p.set_object(77));
    assert_eq!(found, [What::Header { page: id, test: "m_objId", found: 77, expected: 1000 }]);
    let (id, found) = leaf(|p| p.set_ghosts(3));
    assert_eq!(found, [What::Header { page: id, test: "m_ghostRecCnt", found: 3, expected: 0 }]);
    let (id, found) = leaf(|p| p.set_lsn_raw(1 << 60));
    assert!(
        matches!(found[0], What::Header { page, test: "m_lsn <= end of log", .. } if page == id),
        "{found:?}"
    );
}

/// Where a slot's offset is.
fn slot_at(slot: usize) -> usize {
    PAGE_BYTES - 4 * (slot + 1)
}

#[test]
fn rows_on_each_other() {
    let (id, found) = leaf(|p| {
        // The second row begins where the first one does: they have the same length.
        let first: [u8; 4] = p.bytes()[slot_at(0)..][..4].try_into().unwrap();
        p.bytes_mut()[slot_at(1)..][..4].copy_from_slice(&first);
    });
    assert!(
        found.iter().any(|w| matches!(w, What::Overlap { page, .. } if *page == id)),
        "{found:?}"
    );
    assert!(found.contains(&What::DuplicateKey { page: id, slot: 1 }), "{found:?}");
}

#[test]
fn keys() {
    let (id, found) = leaf(|p| {
        let (a, b) = (slot_at(3), slot_at(4));
        let first: [u8; 4] = p.bytes()[a..][..4].try_into().unwrap();
        p.bytes_mut().copy_within(b..b + 4, a);
        p.bytes_mut()[b..][..4].copy_from_slice(&first);
    });
    assert_eq!(found, [What::KeyOrder { page: id, slot: 4 }]);
    let key_of = |p: &mut Page, slot: usize, n: u32| {
        p.row_mut(slot)[303..307].copy_from_slice(&n.to_be_bytes())
    };
    let (id, found) = leaf(|p| key_of(p, 0, 0));
    assert!(matches!(found[..], [What::LowKey { page, level: 0, .. }] if page == id), "{found:?}");
    let (id, found) = leaf(|p| key_of(p, usize::from(p.slots()) - 1, 50000));
    assert!(matches!(found[..], [What::HighKey { page, level: 0, .. }] if page == id), "{found:?}");
    let (id, found) = leaf(|p| p.row_mut(2)[1..3].copy_from_slice(&9000u16.to_le_bytes()));
    assert!(
        matches!(&found[0], What::Row { page, slot: 2, test, .. } if *page == id && test.contains("key")),
        "{found:?}"
    );
    let (id, found) = leaf(|p| p.row_mut(2)[304 + 3] = b'!');
    assert!(
        matches!(&found[..], [What::Row { page, slot: 2, test, .. }] if *page == id && test == "mark"),
        "{found:?}"
    );
}

#[test]
fn links_of_leaves() {
    let (id, found) = leaf(|p| p.set_next(p.prev()));
    assert!(matches!(found[..], [What::Chain { left, .. }] if left == id), "{found:?}");
    let (id, found) = leaf(|p| p.set_prev(PageId::NONE));
    assert!(matches!(found[..], [What::Chain { right, .. }] if right == id), "{found:?}");
}

#[test]
fn references_to_children() {
    let set_child = |p: &mut Page, slot: usize, child: PageId| {
        let row = p.row_mut(slot);
        let at = row.len() - 6;
        row[at..].copy_from_slice(&child.to_u64().to_le_bytes()[..6]);
    };
    let parent = |p: &Pages| p.of(TREE, PageType::Index, 1)[0];
    let mut id = PageId::NONE;
    let found = damaged(|p| {
        id = parent(p);
        set_child(p.at(id), 2, PageId::new(1, 4_000_000));
        p.put(id);
    });
    assert!(
        found.contains(&What::NoSuchPage { page: PageId::new(1, 4_000_000), from: id }),
        "{found:?}"
    );
    assert!(found.iter().any(|w| matches!(w, What::NotSeen { .. })), "{found:?}");
    // Two entries lead to one leaf.
    let found = damaged(|p| {
        id = parent(p);
        let row = p.at(id).row(3);
        let child: [u8; 6] = row[row.len() - 6..].try_into().unwrap();
        let row = p.at(id).row_mut(2);
        let at = row.len() - 6;
        row[at..].copy_from_slice(&child);
        p.put(id);
    });
    assert!(
        found.iter().any(|w| matches!(w, What::TwoParents { parent, .. } if *parent == id)),
        "{found:?}"
    );
    assert!(found.iter().any(|w| matches!(w, What::NotSeen { .. })), "{found:?}");
    // A page leads to itself.
    let found = damaged(|p| {
        id = p.of(TREE, PageType::Index, 2)[0];
        set_child(p.at(id), 0, id);
        p.put(id);
    });
    assert!(
        found.iter().any(|w| matches!(w, What::TwoParents { page, .. } if *page == id)),
        "{found:?}"
    );
}

#[test]
fn counts_of_rows() {
    let (_, found) = leaf(|p| {
        // A row becomes a ghost that the header counts: only the number of rows tells.
        p.row_mut(1)[0] |= 1;
        p.set_ghosts(1);
    });
    assert_eq!(found, [What::RowCount { kept: 1902, counted: 1901 }]);
}

#[test]
fn stubs_and_forwarded_rows() {
    let heap_row = |p: &Pages, flag: u8| {
        let pages = p.of(HEAP, PageType::Heap, 0);
        let slots = pages.into_iter().flat_map(|id| {
            let page = &p.pages[id.page as usize];
            (0..page.slots()).map(move |slot| Rid { page: id, slot })
        });
        let mut with =
            slots.filter(|r| p.pages[r.page.page as usize].row(r.slot.into())[0] & flag != 0);
        with.next().unwrap()
    };
    let mut at = Rid { page: PageId::NONE, slot: 0 };
    let found = damaged(|p| {
        at = heap_row(p, 2);
        p.at(at.page).row_mut(at.slot.into())[8] ^= 1;
        p.put(at.page);
    });
    assert!(
        found.iter().any(|w| matches!(w, What::StubAlone { stub, .. } if *stub == at)),
        "{found:?}"
    );
    assert!(
        found.iter().any(|w| matches!(w, What::ForwardedAlone { stub, .. } if *stub == at)),
        "{found:?}"
    );
    let found = damaged(|p| {
        at = heap_row(p, 4);
        // The forwarded row has gone, as a deleted one.
        p.at(at.page).row_mut(at.slot.into())[0] |= 1;
        let ghosts = p.at(at.page).ghosts();
        p.at(at.page).set_ghosts(ghosts + 1);
        p.put(at.page);
    });
    assert!(
        matches!(found[..], [What::StubAlone { to, .. }, What::RowCount { .. }] if to == at),
        "{found:?}"
    );
    let found = damaged(|p| {
        let id = p.of(HEAP, PageType::Heap, 0)[0];
        p.at(id).row_mut(3)[0] |= 0x80;
        p.put(id);
    });
    assert!(matches!(&found[0], What::Row { slot: 3, .. }), "{found:?}");
}

#[test]
fn large_values() {
    for hobt in [TREE, HEAP] {
        let mut id = PageId::NONE;
        let roots = |p: &Pages| p.of(hobt, PageType::Lob, 1);
        let below = |p: &Pages, root: PageId, n: usize| {
            LobRef::from_bytes(*p.pages[root.page as usize].row(0)[16 * n..].first_chunk().unwrap())
        };
        // A node has lost the reference to its last piece.
        let found = damaged(|p| {
            id = roots(p)[0];
            let len = p.at(id).row(0).len();
            p.at(id).splice_row(0, len - 16, 16, &[]);
            p.put(id);
        });
        assert!(found.iter().any(short_of(id)), "{found:?}");
        let alone = found.iter().filter(|w| matches!(w, What::LobAlone { .. })).count();
        assert_eq!(alone, 4, "{found:?}");
        // It says of a piece what that is not: of the sum, of the length, of the identity, of the order.
        let found = damaged(|p| {
            id = below(p, roots(p)[0], 1).first;
            p.at(id).splice_row(0, 10, 1, &[]);
            p.put(id);
        });
        assert!(found.iter().any(short_of(id)), "{found:?}");
        let found = damaged(|p| {
            id = below(p, roots(p)[0], 1).first;
            let other = p.at(id).lob_id() + 1;
            p.at(id).set_lob_id(other);
            p.put(id);
        });
        assert!(found.iter().any(missing(id)), "{found:?}");
        // A node's piece says that it is a node.
        let found = damaged(|p| {
            id = below(p, roots(p)[0], 1).first;
            p.at(id).bytes_mut()[2] = 1;
            p.put(id);
        });
        assert!(found.iter().any(missing(id)), "{found:?}");
        assert!(found.iter().any(|w| matches!(w, What::Row { page, .. } if *page == id)));
        // Two nodes refer to the same page.
        let found = damaged(|p| {
            let (a, b) = (roots(p)[0], roots(p)[1]);
            let piece = below(p, a, 1).to_bytes();
            id = below(p, a, 1).first;
            p.at(b).splice_row(0, 16, 16, &piece);
            p.put(b);
        });
        let twice = |w: &What| matches!(w, What::LobTwice { page, .. } if *page == id);
        assert!(found.iter().any(twice), "{found:?}");
        // A page has become something else.
        let found = damaged(|p| {
            id = below(p, roots(p)[1], 0).first;
            p.at(id).set_hobt_raw(3);
            p.put(id);
        });
        assert!(found.contains(&What::Foreign { page: id }), "{found:?}");
        assert!(found.iter().any(missing(id)), "{found:?}");
    }
}

fn short_of(id: PageId) -> impl Fn(&What) -> bool {
    move |w| matches!(w, What::LobLength { page, .. } if *page == id)
}

fn missing(id: PageId) -> impl Fn(&What) -> bool {
    move |w| matches!(w, What::LobMissing { page, .. } if *page == id)
}

#[test]
fn allocation() {
    let pfs = PageId::new(1, 1);
    let gam = PageId::new(1, 2);
    let mut id = PageId::NONE;
    // A leaf that the PFS page calls free.
    let found = damaged(|p| {
        id = p.leaves()[3];
        p.at(pfs).set_pfs(id.page, &[0]);
        p.put(pfs);
    });
    assert_eq!(found, [What::Pfs { page: id, pfs, status: 0, expected: 0x40 }]);
    // A page that is allocated and was never used.
    let found = damaged(|p| {
        let leaf = p.leaves().into_iter().max().unwrap();
        let free = |at: &u32| p.pages[1].pfs(*at) == 0;
        let iam = p.of(TREE, PageType::Iam, 0)[0];
        let ours = |at: &u32| p.pages[iam.page as usize].bit(at / 8);
        id = PageId::new(1, (0..leaf.page + 64).filter(ours).find(free).unwrap());
        p.at(pfs).set_pfs(id.page, &[0x40]);
        p.put(pfs);
    });
    assert!(
        found.iter().any(
            |w| matches!(w, What::NotSeen { page } | What::Unreadable { page, .. } if *page == id)
        ),
        "{found:?}"
    );
    // The GAM page gives an extent away that is in use.
    let found = damaged(|p| {
        id = PageId::new(1, p.leaves()[3].page / 8 * 8);
        p.at(gam).set_bits(id.page / 8, 1, true);
        p.put(gam);
    });
    assert_eq!(found, [What::ExtentFree { extent: id, gam }]);
    // An extent is nobody's.
    let found = damaged(|p| {
        id = PageId::new(1, 400);
        assert!(p.at(gam).bit(50));
        p.at(gam).set_bits(50, 1, false);
        p.put(gam);
    });
    assert_eq!(found, [What::ExtentLost { extent: id }]);
    // A page of an extent that is nobody's is allocated.
    let found = damaged(|p| {
        id = PageId::new(1, 403);
        p.at(pfs).set_pfs(403, &[0x40]);
        p.put(pfs);
    });
    assert_eq!(found, [What::PageLost { page: id, pfs, status: 0x40 }]);
    // The heap claims an extent of the tree's.
    let found = damaged(|p| {
        id = PageId::new(1, p.leaves()[3].page / 8 * 8);
        let iam = p.of(HEAP, PageType::Iam, 0)[0];
        p.at(iam).set_bits(id.page / 8, 1, true);
        p.put(iam);
    });
    assert!(
        found.iter().any(|w| matches!(w, What::ExtentTwice { extent, .. } if *extent == id)),
        "{found:?}"
    );
    assert!(found.iter().any(|w| matches!(w, What::PageType { .. })), "{found:?}");
    // The tree's IAM page has lost an extent.
    let found = damaged(|p| {
        id = PageId::new(1, p.leaves()[30].page / 8 * 8);
        let iam = p.of(TREE, PageType::Iam, 0)[0];
        p.at(iam).set_bits(id.page / 8, 1, false);
        p.put(iam);
    });
    assert!(found.contains(&What::ExtentLost { extent: id }), "{found:?}");
    assert!(found.iter().any(|w| matches!(w, What::Foreign { .. })), "{found:?}");
    // The chain of IAM pages goes in a circle.
    let found = damaged(|p| {
        id = p.of(TREE, PageType::Iam, 0)[0];
        p.at(id).set_next(id);
        p.put(id);
    });
    assert!(found.iter().any(|w| matches!(w, What::Iam { page, .. } if *page == id)), "{found:?}");
}

/// Any byte of any page may be anything: findings, or none where it means nothing, and never a panic.
#[test]
fn any_byte() {
    let rig = made();
    let db = rig.open();
    assert_eq!(findings(&db), []);
    db.close().unwrap();
    let mut pages = Pages::read(&rig);
    let mut ids: Vec<PageId> = Vec::new();
    for hobt in [TREE, HEAP] {
        for (kind, level) in [
            (PageType::Index, 0),
            (PageType::Index, 1),
            (PageType::Index, 2),
            (PageType::Heap, 0),
            (PageType::Lob, 0),
            (PageType::Lob, 1),
            (PageType::Iam, 0),
        ] {
            ids.extend(pages.of(hobt, kind, level).first());
        }
    }
    let mut x = 7u64;
    let mut random = |n: u64| {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (x >> 33) % n
    };
    let mut noticed = 0;
    for _ in 0..60 {
        let id = ids[random(ids.len() as u64) as usize];
        let before = *pages.at(id).bytes();
        for _ in 0..1 + random(3) {
            let used = usize::from(pages.at(id).free_start()).max(HEADER_BYTES + 64);
            let at = match random(3) {
                0 => 1 + random(95) as usize,
                1 => 96 + random(used as u64 - 96) as usize,
                _ => PAGE_BYTES - 1 - random(64) as usize,
            };
            pages.at(id).bytes_mut()[at] = random(256) as u8;
        }
        pages.put(id);
        let db = rig.open();
        noticed += usize::from(!findings(&db).is_empty());
        db.close().unwrap();
        *pages.at(id).bytes_mut() = before;
        pages.put(id);
    }
    assert!(noticed > 20, "only {noticed} noticed");
}
