//! Names and numbers of collations.

use super::registry::{BASES, Base, PAGES, SQL, VERSIONS, page_of_sort_order};
use super::{BIN, BIN2, Collation, IGNORES_CASE, SUPPLEMENTARY, UTF8, VARIATIONS_IGNORED};
use crate::codepage::CodePage;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

/// The sensitivities in the order of fn_helpcollations: what each ignores, by the bits of the number.
const SENSITIVITIES: [u32; 16] = {
    const CASE: u32 = 1 << 12;
    const ACCENT: u32 = 1 << 13;
    const KANA: u32 = 1 << 14;
    const WIDTH: u32 = 1 << 15;
    let cases = [CASE | ACCENT, CASE, ACCENT, 0];
    let rest = [KANA | WIDTH, KANA, WIDTH, 0];
    let mut out = [0; 16];
    let mut at = 0;
    while at < 16 {
        // CI_AI, CI_AS, CS_AI, CS_AS; of each plain, WS, KS, KS_WS.
        out[at] = cases[at / 4] | rest[at % 4];
        at += 1;
    }
    out
};

/// The collations behind the three numbers that the catalogue used before numbers were SQL
/// Server's.
const EARLY: [Collation; 3] =
    [Collation::DEFAULT, Collation::LATIN1_GENERAL_BIN2, Collation::LATIN1_GENERAL_BIN];
/// A stored number with this bit is a documented one; no documented number has it.
const DOCUMENTED: u32 = 1 << 10;

impl Collation {
    /// All that fn_helpcollations lists, in its order, and at the end those it does not list.
    pub fn all() -> impl Iterator<Item = Collation> {
        let windows = |last: bool| {
            BASES.iter().flat_map(move |b| {
                let versions = if last { 4..5u8 } else { 0..4 };
                versions.filter(|v| b.versions & 1 << v != 0).flat_map(|v| of_base(b, v))
            })
        };
        let sql = SQL.iter().map(|s| Collation(s.1));
        windows(false).chain(sql).chain(windows(true))
    }

    /// By name, in any case.
    pub fn from_name(name: &str) -> Option<Collation> {
        if name.eq_ignore_ascii_case(DEFAULT_NAME) {
            return Some(Collation::DEFAULT);
        }
        let upper = name.to_ascii_uppercase();
        if let Some(rest) = upper.strip_prefix("SQL_") {
            return SQL.iter().find(|s| s.0.eq_ignore_ascii_case(rest)).map(|s| Collation(s.1));
        }
        let of_name = |b: &&Base| {
            upper.get(..b.name.len()).is_some_and(|start| start.eq_ignore_ascii_case(b.name))
        };
        let all = BASES.iter().filter(of_name).flat_map(|b| {
            (0..5u8).filter(|v| b.versions & 1 << v != 0).flat_map(|v| of_base(b, v))
        });
        let mut all = all;
        all.find(|c| c.written().eq_ignore_ascii_case(name))
    }

    /// The collation's name in SQL Server.
    pub fn name(self) -> &'static str {
        static NAMES: Mutex<BTreeMap<u32, &'static str>> = Mutex::new(BTreeMap::new());
        if self == Collation::DEFAULT {
            return DEFAULT_NAME;
        }
        // One string for each that is ever named: there are some thousands at most.
        let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        names.entry(self.0).or_insert_with(|| self.written().leak())
    }

    /// The name, made anew.
    pub fn written(self) -> String {
        if let Some(name) = self.sql_name() {
            return format!("SQL_{name}");
        }
        let base = self.base();
        let mut out = format!("{}{}", base.name, VERSIONS[self.version() as usize]);
        match self.0 & (BIN | BIN2) {
            BIN => out += "_BIN",
            BIN2 => out += "_BIN2",
            _ => {
                out += if self.ignores_case() { "_CI" } else { "_CS" };
                out += if self.ignores_accents() { "_AI" } else { "_AS" };
                for (ignored, word) in [(self.ignores_kana(), "_KS"), (self.ignores_width(), "_WS")]
                {
                    out += if ignored { "" } else { word };
                }
                if self.version() == 3 {
                    out += if self.0 & VARIATIONS_IGNORED == 0 { "_VSS" } else { "" };
                } else if self.is_supplementary() {
                    out += "_SC";
                }
            }
        }
        if self.is_utf8() {
            out += "_UTF8";
        }
        out
    }

    /// The description of the collation in `fn_helpcollations`.
    pub fn description(self) -> String {
        let base = self.base();
        let sort_order = self.sort_order();
        let mut out = match self.sql_name() {
            Some(_) => base.name.replace('_', "-"),
            None => format!("{}{}", base.name, VERSIONS[self.version() as usize]).replace('_', "-"),
        };
        match self.0 & (BIN | BIN2) {
            BIN => out += ", binary sort",
            BIN2 => out += ", binary code point comparison sort",
            _ => {
                let ignored = [
                    (self.ignores_case(), "case"),
                    (self.ignores_accents(), "accent"),
                    (self.ignores_kana(), "kanatype"),
                    (self.ignores_width(), "width"),
                ];
                for (ignored, what) in ignored {
                    let word = if ignored { "insensitive" } else { "sensitive" };
                    write!(out, ", {what}-{word}").expect("formatting into a String");
                }
                if self.version() >= 3 || self.is_supplementary() {
                    out += ", supplementary characters";
                }
                if self.version() == 3 {
                    let ignored = self.0 & VARIATIONS_IGNORED != 0;
                    out += ", variation selector ";
                    out += if ignored { "insensitive" } else { "sensitive" };
                }
            }
        }
        if self.is_utf8() {
            out += ", UTF8";
        }
        if self.sql_name().is_some() {
            let page = self.code_page();
            write!(
                out,
                " for Unicode Data, SQL Server Sort Order {sort_order} on Code Page {page} for non-Unicode Data"
            )
            .expect("formatting into a String");
        }
        out
    }

    /// The number that the catalogue stores; what stood there for the first three collations stays.
    pub fn stored(self) -> u32 {
        match EARLY.iter().position(|c| *c == self) {
            Some(at) => at as u32 + 1,
            None => self.0 | DOCUMENTED,
        }
    }

    /// The reverse of [`Collation::stored`].
    pub fn from_stored(stored: u32) -> Option<Collation> {
        match stored {
            1..=3 => Some(EARLY[stored as usize - 1]),
            _ if stored & DOCUMENTED != 0 => Collation::from_id(stored & !DOCUMENTED),
            _ => None,
        }
    }

    /// The documented number: `COLLATIONPROPERTY(name, 'CollationId')`.
    pub fn id(self) -> u32 {
        self.0
    }

    /// The collation of a documented number.
    pub fn from_id(id: u32) -> Option<Collation> {
        let it = Collation(id);
        if it == Collation::DEFAULT || SQL.iter().any(|s| s.1 == id) {
            return Some(it);
        }
        let base = it.find_base().filter(|_| it.sort_order() == 0)?;
        let version = u8::try_from(it.version()).ok().filter(|v| *v < 5)?;
        let there = base.versions & 1 << version != 0;
        there.then(|| of_base(base, version).find(|c| *c == it)).flatten()
    }

    fn sql_name(self) -> Option<&'static str> {
        match self.sort_order() {
            0 => None,
            _ => SQL.iter().find(|s| s.1 == self.0).map(|s| s.0),
        }
    }

    /// The designator of Windows; of SQL Server's own the one for nvarchar.
    fn base(self) -> &'static Base {
        self.find_base().expect("a registered collation has a designator")
    }

    fn find_base(self) -> Option<&'static Base> {
        BASES.iter().find(|b| b.family == self.family())
    }

    /// The lowest bits of the number: which designator it is.
    pub(super) fn family(self) -> u8 {
        (self.0 & 0x7F) as u8
    }

    /// 0 (no number in the name), 1 (90), 2 (100), 3 (140), 4 (160).
    pub fn version(self) -> u32 {
        self.0 >> 17 & 0x7F
    }

    /// The sort order of SQL Server's own collations, else 0.
    pub fn sort_order(self) -> u8 {
        (self.0 >> 24) as u8
    }

    /// The Windows locale (LCID) of the collation.
    pub fn lcid(self) -> u32 {
        self.base().lcid
    }

    /// The code page of char and varchar: 65001 is UTF-8, 0 says that there is none.
    pub fn code_page(self) -> u16 {
        match self.sort_order() {
            _ if self == Collation::DEFAULT => 1252,
            _ if self.is_utf8() => 65001,
            0 => PAGES[usize::from(self.family())],
            order => page_of_sort_order(order),
        }
    }

    /// The differences that are ignored, as Windows writes them: 1 case, 2 accents, 0x10000 kana,
    /// 0x20000 width.
    pub fn comparison_style(self) -> u32 {
        match self.is_binary() {
            true => 0,
            false => self.0 >> 12 & 3 | (self.0 >> 14 & 3) << 16,
        }
    }

    /// The five bytes of TDS: LCID, flags and version (4, little-endian) and sort id.
    pub fn tds(self) -> [u8; 5] {
        let mut word = self.lcid() | self.version() << 28;
        word |= match self.0 & (BIN | BIN2) {
            BIN => 1 << 24,
            BIN2 => 1 << 25,
            _ => (self.0 >> 12 & 0xF) << 20,
        };
        if self.is_utf8() {
            word |= 1 << 26;
        }
        let [a, b, c, d] = word.to_le_bytes();
        [a, b, c, d, self.sort_order()]
    }

    /// The code page of char and varchar under a collation of five TDS bytes; 1252 of one that is not known.
    pub fn page_of_tds(b: [u8; 5]) -> CodePage {
        let lcid = u32::from_le_bytes([b[0], b[1], b[2], 0]) & 0xF_FFFF;
        if b[3] & 4 != 0 {
            return CodePage::UTF8;
        }
        let page = match b[4] {
            0 => BASES
                .iter()
                .find(|base| base.lcid == lcid)
                .map(|base| PAGES[usize::from(base.family)]),
            order => Some(page_of_sort_order(order)),
        };
        page.and_then(CodePage::of).unwrap_or_default()
    }

    /// A collation of five TDS bytes; what they do not tell apart (supplementary characters, variation selectors) is left out.
    pub fn from_tds(b: [u8; 5]) -> Option<Collation> {
        if b == Collation::DEFAULT.tds() {
            return Some(Collation::DEFAULT);
        }
        if b[4] != 0 {
            return SQL.iter().map(|s| Collation(s.1)).find(|c| c.tds() == b);
        }
        let lcid = u32::from_le_bytes([b[0], b[1], b[2], 0]) & 0xF_FFFF;
        let version = b[3] >> 4;
        let bases =
            BASES.iter().filter(|base| base.lcid == lcid && base.versions & 1 << version != 0);
        let mut all = bases.flat_map(|base| of_base(base, version));
        all.find(|c| c.tds() == b)
    }
}

const DEFAULT_NAME: &str = "SQL_Latin1_General_CP1_CI_AS";

/// The collations of a designator's version, in the order of fn_helpcollations.
fn of_base(base: &'static Base, version: u8) -> impl Iterator<Item = Collation> {
    let number = u32::from(version) << 17 | u32::from(base.family);
    let binary: &[u32] = match version {
        4 => &[],
        2 if base.family == Collation::LATIN1_GENERAL_BIN.family() => &[BIN, BIN2, BIN2 | UTF8],
        _ => &[BIN, BIN2],
    };
    let blocks: &[u32] = match version {
        0 => &[0],
        1 | 2 => &[0, SUPPLEMENTARY, SUPPLEMENTARY | UTF8],
        3 => &[
            SUPPLEMENTARY | VARIATIONS_IGNORED,
            SUPPLEMENTARY,
            SUPPLEMENTARY | VARIATIONS_IGNORED | UTF8,
            SUPPLEMENTARY | UTF8,
        ],
        _ => &[SUPPLEMENTARY | UTF8],
    };
    let sensitive = blocks.iter().flat_map(|block| SENSITIVITIES.iter().map(move |s| *block | *s));
    binary.iter().copied().chain(sensitive).map(move |bits| Collation(number | bits))
}

const _: () = assert!(IGNORES_CASE == 1 << 12);
