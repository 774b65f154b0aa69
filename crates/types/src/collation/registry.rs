//! The collations that there are. Names and numbers follow from these two tables by the rules of Microsoft's pages "Windows
//! collation name" and "SQL Server collation name"; code pages are those of [MS-LCID], the numbers are what
//! `COLLATIONPROPERTY(name, 'CollationId')` says.

/// A collation designator of Windows, in the order of fn_helpcollations.
pub struct Base {
    /// The first part of the collations' names.
    pub name: &'static str,
    /// The lowest seven bits of the number.
    pub family: u8,
    /// The Windows locale (LCID) of the designator.
    pub lcid: u32,
    /// Bit n: there is a version n.
    pub versions: u8,
}

/// The part of names between the designator and the sensitivities, by version.
pub const VERSIONS: [&str; 5] = ["", "_90", "_100", "_140", "_160"];

/// The designators of Windows, in the order of fn_helpcollations.
pub static BASES: [Base; 93] = {
    let mut out = [const { Base { name: "", family: 0, lcid: 0, versions: 0 } }; 93];
    let mut at = 0;
    while at < out.len() {
        let (name, family, lcid, _, versions) = DESIGNATORS[at];
        out[at] = Base { name, family, lcid, versions };
        at += 1;
    }
    out
};

/// The code page of char and varchar of each designator, by the number of its family; 0 where there is none.
pub static PAGES: [u16; 128] = {
    let mut out = [0; 128];
    let mut at = 0;
    while at < DESIGNATORS.len() {
        out[DESIGNATORS[at].1 as usize] = DESIGNATORS[at].3;
        at += 1;
    }
    out
};

#[rustfmt::skip]
const DESIGNATORS: [(&str, u8, u32, u16, u8); 93] = [
    ("Albanian", 24, 0x0041C, 1250, 5),
    ("Arabic", 1, 0x00401, 1256, 5),
    ("Assamese", 90, 0x0044D, 0, 4),
    ("Azeri_Cyrillic", 100, 0x0082C, 1251, 4),
    ("Azeri_Latin", 99, 0x0042C, 1254, 4),
    ("Bashkir", 84, 0x0046D, 1251, 4),
    ("Bengali", 89, 0x00445, 0, 4),
    ("Bosnian_Cyrillic", 79, 0x0201A, 1251, 4),
    ("Bosnian_Latin", 78, 0x0141A, 1250, 4),
    ("Breton", 38, 0x0047E, 1252, 4),
    ("Chinese_Hong_Kong_Stroke", 62, 0x00C04, 950, 2),
    ("Chinese_PRC", 36, 0x00804, 936, 1),
    ("Chinese_PRC", 49, 0x00804, 936, 2),
    ("Chinese_PRC_Stroke", 46, 0x20804, 936, 1),
    ("Chinese_PRC_Stroke", 50, 0x20804, 936, 2),
    ("Chinese_Simplified_Pinyin", 67, 0x00804, 936, 20),
    ("Chinese_Simplified_Stroke_Order", 68, 0x20804, 936, 20),
    ("Chinese_Taiwan_Bopomofo", 47, 0x30404, 950, 1),
    ("Chinese_Taiwan_Bopomofo", 51, 0x30404, 950, 2),
    ("Chinese_Taiwan_Stroke", 3, 0x00404, 950, 1),
    ("Chinese_Taiwan_Stroke", 52, 0x00404, 950, 2),
    ("Chinese_Traditional_Bopomofo", 66, 0x30404, 950, 4),
    ("Chinese_Traditional_Pinyin", 69, 0x01404, 950, 4),
    ("Chinese_Traditional_Stroke_Count", 65, 0x00404, 950, 4),
    ("Chinese_Traditional_Stroke_Order", 70, 0x21404, 950, 4),
    ("Corsican", 15, 0x00483, 1252, 4),
    ("Croatian", 22, 0x0041A, 1250, 5),
    ("Cyrillic_General", 21, 0x00419, 1251, 5),
    ("Czech", 4, 0x00405, 1250, 5),
    ("Danish_Greenlandic", 71, 0x00406, 1252, 4),
    ("Danish_Norwegian", 5, 0x00406, 1252, 1),
    ("Dari", 2, 0x0048C, 1256, 4),
    ("Divehi", 60, 0x00465, 0, 6),
    ("Estonian", 29, 0x00425, 1257, 5),
    ("Finnish_Swedish", 10, 0x0040B, 1252, 5),
    ("French", 11, 0x0040C, 1252, 5),
    ("Frisian", 96, 0x00462, 1252, 4),
    ("Georgian_Modern_Sort", 45, 0x10437, 1252, 5),
    ("German_PhoneBook", 41, 0x10407, 1252, 5),
    ("Greek", 7, 0x00408, 1253, 5),
    ("Hebrew", 12, 0x0040D, 1255, 5),
    ("Hungarian", 13, 0x0040E, 1250, 5),
    ("Hungarian_Technical", 42, 0x1040E, 1250, 5),
    ("Icelandic", 14, 0x0040F, 1252, 5),
    ("Indic_General", 53, 0x00439, 0, 6),
    ("Japanese", 16, 0x00411, 932, 1),
    ("Japanese", 48, 0x00411, 932, 2),
    ("Japanese_Bushu_Kakusu", 73, 0x40411, 932, 12),
    ("Japanese_Unicode", 43, 0x10411, 932, 1),
    ("Japanese_XJIS", 72, 0x00411, 932, 12),
    ("Kazakh", 55, 0x0043F, 1251, 6),
    ("Khmer", 94, 0x00453, 0, 4),
    ("Korean", 64, 0x00412, 949, 6),
    ("Korean_Wansung", 17, 0x00412, 949, 1),
    ("Lao", 95, 0x00454, 0, 4),
    ("Latin1_General", 8, 0x00409, 1252, 5),
    ("Latvian", 30, 0x00426, 1257, 5),
    ("Lithuanian", 31, 0x00427, 1257, 5),
    ("Macedonian_FYROM", 58, 0x0042F, 1251, 6),
    ("Maltese", 85, 0x0043A, 0, 4),
    ("Maori", 18, 0x00481, 0, 4),
    ("Mapudungan", 82, 0x0047A, 1252, 4),
    ("Modern_Spanish", 40, 0x00C0A, 1252, 5),
    ("Mohawk", 63, 0x0047C, 1252, 4),
    ("Nepali", 98, 0x00461, 0, 4),
    ("Norwegian", 74, 0x00414, 1252, 4),
    ("Pashto", 91, 0x00463, 0, 4),
    ("Persian", 81, 0x00429, 1256, 4),
    ("Polish", 19, 0x00415, 1250, 5),
    ("Romanian", 20, 0x00418, 1250, 5),
    ("Romansh", 75, 0x00417, 1252, 4),
    ("Sami_Norway", 86, 0x0043B, 1252, 4),
    ("Sami_Sweden_Finland", 87, 0x0083B, 1252, 4),
    ("Serbian_Cyrillic", 77, 0x00C1A, 1251, 4),
    ("Serbian_Latin", 76, 0x0081A, 1250, 4),
    ("Slovak", 23, 0x0041B, 1250, 5),
    ("Slovenian", 28, 0x00424, 1250, 5),
    ("Syriac", 59, 0x0045A, 0, 6),
    ("Tamazight", 97, 0x0085F, 1252, 4),
    ("Tatar", 57, 0x00444, 1251, 6),
    ("Thai", 25, 0x0041E, 874, 5),
    ("Tibetan", 92, 0x00451, 0, 4),
    ("Traditional_Spanish", 9, 0x0040A, 1252, 5),
    ("Turkish", 26, 0x0041F, 1254, 5),
    ("Turkmen", 88, 0x00442, 1250, 4),
    ("Uighur", 37, 0x00480, 1256, 4),
    ("Ukrainian", 27, 0x00422, 1251, 5),
    ("Upper_Sorbian", 83, 0x0042E, 1252, 4),
    ("Urdu", 80, 0x00420, 1256, 4),
    ("Uzbek_Latin", 56, 0x00443, 1254, 6),
    ("Vietnamese", 32, 0x0042A, 1258, 5),
    ("Welsh", 93, 0x00452, 1252, 4),
    ("Yakut", 6, 0x00485, 1251, 4),
];

/// The collations of SQL Server's own: the name behind `SQL_`, the number, whose highest byte is the sort order.
#[rustfmt::skip]
pub static SQL: [(&str, u32); 77] = [
    ("1xCompat_CP850_CI_AS", 0x3100D008),
    ("AltDiction_CP850_CI_AI", 0x3900F008),
    ("AltDiction_CP850_CI_AS", 0x3D00D008),
    ("AltDiction_CP850_CS_AS", 0x3700C008),
    ("AltDiction_Pref_CP850_CI_AS", 0x3800D008),
    ("AltDiction2_CP1253_CS_AS", 0x7A00C008),
    ("Croatian_CP1250_CI_AS", 0x5C00D016),
    ("Croatian_CP1250_CS_AS", 0x5B00C016),
    ("Czech_CP1250_CI_AS", 0x5400D004),
    ("Czech_CP1250_CS_AS", 0x5300C004),
    ("Danish_Pref_CP1_CI_AS", 0xB700D005),
    ("EBCDIC037_CP1_CS_AS", 0xD200C008),
    ("EBCDIC1141_CP1_CS_AS", 0xDB00C029),
    ("EBCDIC273_CP1_CS_AS", 0xD300C029),
    ("EBCDIC277_2_CP1_CS_AS", 0xDA00C005),
    ("EBCDIC277_CP1_CS_AS", 0xD400C005),
    ("EBCDIC278_CP1_CS_AS", 0xD500C00A),
    ("EBCDIC280_CP1_CS_AS", 0xD600C008),
    ("EBCDIC284_CP1_CS_AS", 0xD700C028),
    ("EBCDIC285_CP1_CS_AS", 0xD800C008),
    ("EBCDIC297_CP1_CS_AS", 0xD900C00B),
    ("Estonian_CP1257_CI_AS", 0x9C00D01D),
    ("Estonian_CP1257_CS_AS", 0x9B00C01D),
    ("Hungarian_CP1250_CI_AS", 0x5600D00D),
    ("Hungarian_CP1250_CS_AS", 0x5500C00D),
    ("Icelandic_Pref_CP1_CI_AS", 0xBA00D00E),
    ("Latin1_General_CP1_CI_AI", 0x3600F008),
    ("Latin1_General_CP1_CI_AS", 0x3400D008),
    ("Latin1_General_CP1_CS_AS", 0x3300C008),
    ("Latin1_General_CP1250_CI_AS", 0x5200D008),
    ("Latin1_General_CP1250_CS_AS", 0x5100C008),
    ("Latin1_General_CP1251_CI_AS", 0x6A00D008),
    ("Latin1_General_CP1251_CS_AS", 0x6900C008),
    ("Latin1_General_CP1253_CI_AI", 0x7C00F008),
    ("Latin1_General_CP1253_CI_AS", 0x7200D008),
    ("Latin1_General_CP1253_CS_AS", 0x7100C008),
    ("Latin1_General_CP1254_CI_AS", 0x8200D01A),
    ("Latin1_General_CP1254_CS_AS", 0x8100C01A),
    ("Latin1_General_CP1255_CI_AS", 0x8A00D008),
    ("Latin1_General_CP1255_CS_AS", 0x8900C008),
    ("Latin1_General_CP1256_CI_AS", 0x9200D008),
    ("Latin1_General_CP1256_CS_AS", 0x9100C008),
    ("Latin1_General_CP1257_CI_AS", 0x9A00D008),
    ("Latin1_General_CP1257_CS_AS", 0x9900C008),
    ("Latin1_General_CP437_BIN", 0x1E010008),
    ("Latin1_General_CP437_BIN2", 0x1E000808),
    ("Latin1_General_CP437_CI_AI", 0x2200F008),
    ("Latin1_General_CP437_CI_AS", 0x2000D008),
    ("Latin1_General_CP437_CS_AS", 0x1F00C008),
    ("Latin1_General_CP850_BIN", 0x28010008),
    ("Latin1_General_CP850_BIN2", 0x28000808),
    ("Latin1_General_CP850_CI_AI", 0x2C00F008),
    ("Latin1_General_CP850_CI_AS", 0x2A00D008),
    ("Latin1_General_CP850_CS_AS", 0x2900C008),
    ("Latin1_General_Pref_CP1_CI_AS", 0x3500D008),
    ("Latin1_General_Pref_CP437_CI_AS", 0x2100D008),
    ("Latin1_General_Pref_CP850_CI_AS", 0x2B00D008),
    ("Latvian_CP1257_CI_AS", 0x9E00D01E),
    ("Latvian_CP1257_CS_AS", 0x9D00C01E),
    ("Lithuanian_CP1257_CI_AS", 0xA000D01F),
    ("Lithuanian_CP1257_CS_AS", 0x9F00C01F),
    ("MixDiction_CP1253_CS_AS", 0x7800C008),
    ("Polish_CP1250_CI_AS", 0x5800D013),
    ("Polish_CP1250_CS_AS", 0x5700C013),
    ("Romanian_CP1250_CI_AS", 0x5A00D014),
    ("Romanian_CP1250_CS_AS", 0x5900C014),
    ("Scandinavian_CP850_CI_AS", 0x3C00D00A),
    ("Scandinavian_CP850_CS_AS", 0x3B00C00A),
    ("Scandinavian_Pref_CP850_CI_AS", 0x3A00D00A),
    ("Slovak_CP1250_CI_AS", 0x5E00D017),
    ("Slovak_CP1250_CS_AS", 0x5D00C017),
    ("Slovenian_CP1250_CI_AS", 0x6000D01C),
    ("Slovenian_CP1250_CS_AS", 0x5F00C01C),
    ("SwedishPhone_Pref_CP1_CI_AS", 0xB800D00A),
    ("SwedishStd_Pref_CP1_CI_AS", 0xB900D00A),
    ("Ukrainian_CP1251_CI_AS", 0x6C00D01B),
    ("Ukrainian_CP1251_CS_AS", 0x6B00C01B),
];

/// The code page of a sort order of SQL Server.
pub fn page_of_sort_order(order: u8) -> u16 {
    match order {
        30..=34 => 437,
        40..=49 | 55..=61 => 850,
        81..=96 => 1250,
        105..=108 => 1251,
        113..=124 => 1253,
        129..=130 => 1254,
        137..=138 => 1255,
        145..=146 => 1256,
        153..=160 => 1257,
        _ => 1252,
    }
}
