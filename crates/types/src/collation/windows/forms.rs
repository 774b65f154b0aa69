//! Forms of characters: what tells two texts of the same letters apart.

use super::super::Collation;

/// Upper case, or large kana.
pub const CASE: u8 = 1;
/// Katakana rather than hiragana.
pub const KANA: u8 = 2;
/// A form of full width.
pub const WIDTH: u8 = 4;
/// A form of a character that is nevertheless another: ª, ½, Ⓐ.
pub const OTHER: u8 = 8;

fn is_other(u: u16) -> bool {
    matches!(
        u,
        0xA0 | 0xAA | 0xB5 | 0xBA | 0xBC..=0xBE | 0x2B0..=0x2B8 | 0x2E0..=0x2E4 | 0x1D2C..=0x1D6A | 0x1D78..=0x1DBF
        | 0x2000..=0x200A | 0x2024..=0x2026 | 0x202F | 0x205F | 0x20A8 | 0x2100..=0x214F | 0x2150..=0x218F
        | 0x2460..=0x24FF | 0x3200..=0x33FF | 0xFB05 | 0xFB13..=0xFB4F | 0xFE10..=0xFE6F
    )
}

/// Combining marks: they belong to the character before.
pub fn is_mark(u: u16) -> bool {
    matches!(u, 0x300..=0x36F | 0x483..=0x489 | 0x591..=0x5C7 | 0x610..=0x61A | 0x64B..=0x65F | 0x1AB0..=0x1AFF
        | 0x1DC0..=0x1DFF | 0x20D0..=0x20FF | 0x302A..=0x302F | 0x3099 | 0x309A | 0xFE20..=0xFE2F)
}

pub fn is_upper(u: u16) -> bool {
    if u < 0x80 {
        return (u as u8).is_ascii_uppercase();
    }
    char::from_u32(u.into()).is_some_and(char::is_uppercase)
}

/// Hiragana that has a smaller form, which is to it as lower case is to upper case.
fn is_large_kana(u: u16) -> bool {
    matches!(
        u,
        0x3042
            | 0x3044
            | 0x3046
            | 0x3048
            | 0x304A
            | 0x304B
            | 0x3051
            | 0x3064
            | 0x3084
            | 0x3086
            | 0x3088
            | 0x308F
    )
}

/// Half-width katakana and marks, U+FF66 to U+FF9F.
#[rustfmt::skip]
const WIDE_KANA: [u16; 58] = [
    0x30F2, 0x30A1, 0x30A3, 0x30A5, 0x30A7, 0x30A9, 0x30E3, 0x30E5, 0x30E7, 0x30C3, 0x30FC, 0x30A2, 0x30A4, 0x30A6, 0x30A8, 0x30AA,
    0x30AB, 0x30AD, 0x30AF, 0x30B1, 0x30B3, 0x30B5, 0x30B7, 0x30B9, 0x30BB, 0x30BD, 0x30BF, 0x30C1, 0x30C4, 0x30C6, 0x30C8, 0x30CA,
    0x30CB, 0x30CC, 0x30CD, 0x30CE, 0x30CF, 0x30D2, 0x30D5, 0x30D8, 0x30DB, 0x30DE, 0x30DF, 0x30E0, 0x30E1, 0x30E2, 0x30E4, 0x30E6,
    0x30E8, 0x30E9, 0x30EA, 0x30EB, 0x30EC, 0x30ED, 0x30EF, 0x30F3, 0x3099, 0x309A,
];

/// The bits of the forms that a collation tells apart; 0 for those that it ignores.
#[derive(Clone, Copy)]
pub struct Forms {
    case: u8,
    kana: u8,
    width: u8,
}

impl Forms {
    pub fn of(c: Collation) -> Forms {
        Forms {
            case: if c.ignores_case() { 0 } else { CASE },
            kana: if c.ignores_kana() { 0 } else { KANA },
            width: if c.ignores_width() { 0 } else { WIDTH },
        }
    }

    #[inline]
    pub fn case(self, upper: bool) -> u8 {
        if upper { self.case } else { 0 }
    }

    /// A character in its usual form, with the bits of the form that it had.
    pub fn plain(self, u: u16) -> (u16, u8) {
        let Forms { kana, width, .. } = self;
        match u {
            0x3000 => (0x20, width),
            0xFF01..=0xFF5E => (u - 0xFEE0, width | self.case(is_upper(u - 0xFEE0))),
            0xFF66..=0xFF9F => {
                let u = WIDE_KANA[usize::from(u - 0xFF66)];
                (u, kana | self.case(is_large_kana(u - 0x60)))
            }
            0x30A1..=0x30F6 => (u, kana | width | self.case(is_large_kana(u - 0x60))),
            0x3041..=0x3096 => (u, width | self.case(is_large_kana(u))),
            0xB2 | 0xB3 | 0xB9 | 0x2070..=0x209F => (u, width),
            _ if is_other(u) => (u, OTHER),
            _ => (u, self.case(is_upper(u))),
        }
    }
}
