//! The registry against what the documented lists say.

use super::*;

fn named(name: &str) -> Collation {
    Collation::from_name(name).unwrap_or_else(|| panic!("{name} is registered"))
}

#[test]
fn every_collation_is_found_by_its_name_and_number() {
    let mut count = 0;
    for c in Collation::all() {
        count += 1;
        assert_eq!(Collation::from_name(&c.written()), Some(c), "{}", c.written());
        assert_eq!(Collation::from_id(c.id()), Some(c), "{}", c.written());
        assert_eq!(Collation::from_stored(c.stored()), Some(c), "{}", c.written());
        let known = Collation::from_tds(c.tds()).expect("its bytes are known");
        assert_eq!((known.tds(), known.code_page()), (c.tds(), c.code_page()));
    }
    // 5508 that SQL Server 2022 shows, 32 that it hides.
    assert_eq!(count, 5540);
    let hidden = Collation::all().filter(|c| c.version() == 4).count();
    assert_eq!(hidden, 32);
}

/// One number for all names and what belongs to them; made from the published list of collations.
#[test]
fn the_whole_list_is_as_published() {
    let mut h = 0xcbf2_9ce4_8422_2325u64;
    let mut lines: Vec<String> = Collation::all()
        .map(|c| {
            let tds: String = c.tds().iter().map(|b| format!("{b:02X}")).collect();
            let (lcid, style, page) = (c.lcid(), c.comparison_style(), c.code_page());
            let (version, id) = (c.version(), c.id() as i32);
            let (name, order) = (c.written(), c.sort_order());
            format!("{name} {lcid} {order} {style} {version} {page} {tds} {id}\n")
        })
        .collect();
    lines.sort();
    for b in lines.concat().bytes() {
        h = (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3);
    }
    assert_eq!(h, 0xC697974C63A7CEC9, "{}", lines[..3].concat());
}

#[test]
fn properties_of_some() {
    let c = named("latin1_general_100_ci_as_sc_utf8");
    assert_eq!(c.name(), "Latin1_General_100_CI_AS_SC_UTF8");
    assert_eq!((c.code_page(), c.lcid(), c.version()), (65001, 1033, 2));
    assert_eq!(c.tds(), [0x09, 0x04, 0xD0, 0x24, 0]);
    assert_eq!(named("Latin1_General_CI_AS").id(), 53256);
    assert_eq!(named("Cyrillic_General_CI_AS").tds(), [0x19, 0x04, 0xD0, 0, 0]);
    assert_eq!(named("Japanese_CI_AS").code_page(), 932);
    assert_eq!(named("SQL_Latin1_General_CP1251_CI_AS").code_page(), 1251);
    for no in ["Latin1_General_CI_AS_UTF8", "Klingon_CI_AS", "", "Latin1_General", "SQL_", "É"] {
        assert_eq!(Collation::from_name(no), None, "{no}");
    }
    assert_eq!(
        CI.description(),
        "Latin1-General, case-insensitive, accent-sensitive, kanatype-insensitive, width-insensitive for Unicode Data, SQL \
         Server Sort Order 52 on Code Page 1252 for non-Unicode Data"
    );
    assert_eq!(
        c.description(),
        "Latin1-General-100, case-insensitive, accent-sensitive, kanatype-insensitive, width-insensitive, supplementary \
         characters, UTF8"
    );
}
