//! Code units that stand for several letters in Windows' collations, and the languages in which one is a letter of its own.

/// Letters that one code unit stands for.
pub(super) fn ligature(u: u16) -> Option<&'static [u8]> {
    Some(match u {
        0xC6 => b"AE",
        0xE6 => b"ae",
        0xDE => b"TH",
        0xFE => b"th",
        0xDF => b"ss",
        0x132 => b"IJ",
        0x133 => b"ij",
        0x152 => b"OE",
        0x153 => b"oe",
        0x1C7 => b"LJ",
        0x1C8 => b"Lj",
        0x1C9 => b"lj",
        0x1CA => b"NJ",
        0x1CB => b"Nj",
        0x1CC => b"nj",
        0x1F1 => b"DZ",
        0x1F2 => b"Dz",
        0x1F3 => b"dz",
        0xFB00 => b"ff",
        0xFB01 => b"fi",
        0xFB02 => b"fl",
        0xFB03 => b"ffi",
        0xFB04 => b"ffl",
        0xFB06 => b"st",
        _ => return None,
    })
}

/// Languages in which a ligature is a letter of its own.
pub(super) fn is_letter_here(u: u16, family: u8) -> bool {
    match u {
        0xC6 | 0xE6 => matches!(family, 5 | 14 | 71 | 74 | 10),
        0xDE | 0xFE => family == 14,
        0x1C7..=0x1CC => matches!(family, 22 | 76 | 78),
        _ => false,
    }
}
