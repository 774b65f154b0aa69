//! The page as bytes.

use taffrail_base::{HobtId, PAGE_BYTES, PageId};

use super::super::page::{Content, content, filled};
use super::*;
use crate::page::Format;

fn page_of(rows: &[&[u8]]) -> Box<Page> {
    let mut page = Page::zeroed();
    page.format(&Format { hobt: HobtId(72), ..Format::new(PageId::new(1, 7), PageType::Lob) });
    page.set_mix();
    for (slot, row) in rows.iter().enumerate() {
        page.insert_row(slot, &[row]);
    }
    page
}

#[test]
fn a_slot_is_what_is_drawn() {
    let id = 0x0605_0403_0201_u64;
    let row = [&id.to_le_bytes()[..], b"value"].concat();
    let fields: [(&str, &[u8]); 2] = [("identity", &id.to_le_bytes()), ("value", b"value")];
    crate::drawn::check("lob-slot", &row, &fields);
    assert_eq!(parts(&row), Some((id, &b"value"[..])));
    let page = page_of(&[&row]);
    assert_eq!(page.bytes()[1..4], [3, 0, 1]);
    assert!(filled(&page).is_none());
    assert!(matches!(content(&page, HobtId(72), id), Some(Content::Piece(b"value"))));
    assert!(content(&page, HobtId(73), id).is_none() && content(&page, HobtId(72), 1).is_none());
    // Too short, without an identity, with one that is none.
    assert_eq!(parts(&row[..8]), None);
    assert_eq!(parts(&[0; 20]), None);
    assert_eq!(parts(&[0xff; 20]), None);
}

/// Two of the longest are as much as a page has room for.
#[test]
fn two_of_the_longest_fill_a_page() {
    let row = [&1u64.to_le_bytes()[..], &[7; MAX]].concat();
    let page = page_of(&[&row, &row]);
    assert!(page.free_bytes() < 2, "{}", page.free_bytes());
}

/// No bytes make a reader panic, or find what the page does not say.
#[test]
fn any_bytes_are_a_page_or_none() {
    let mut x = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move |n: usize| {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (x >> 33) as usize % n
    };
    let (mut well_formed, mut found) = (0, 0);
    for round in 0..3000 {
        let rows: Vec<Vec<u8>> = (0..1 + next(9))
            .map(|_| [&(1 + next(5) as u64).to_le_bytes()[..], &vec![3; 1 + next(800)]].concat())
            .collect();
        let rows: Vec<&[u8]> = rows.iter().map(|r| &r[..]).collect();
        let mut page = page_of(&rows);
        for _ in 0..next(6) {
            let at = match next(3) {
                0 => next(HEADER_BYTES),
                1 => HEADER_BYTES + next(PAGE_BYTES - HEADER_BYTES),
                _ => PAGE_BYTES - 1 - next(40),
            };
            page.bytes_mut()[at] = if next(2) == 0 { next(256) as u8 } else { 0 };
        }
        if round % 10 == 0 {
            page.bytes_mut()[96..].iter_mut().for_each(|b| *b = next(256) as u8);
        }
        if page.validate_structure().is_err() {
            continue;
        }
        well_formed += 1;
        for (slot, value) in values(&page) {
            if let Some((id, bytes)) = value {
                assert!(id > 0 && !bytes.is_empty() && page.has_row(slot.into()));
            }
        }
        for id in 0..7 {
            let Some(Content::Piece(bytes)) = content(&page, page.hobt(), id) else { continue };
            found += 1;
            let held = (0..page.slots()).any(|s| page.row(s.into()).ends_with(bytes));
            assert!(!bytes.is_empty() && held);
        }
        let _ = filled(&page);
    }
    assert!(well_formed > 500 && found > 1000, "{well_formed} {found}");
}
