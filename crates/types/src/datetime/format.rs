//! Dates and times as text: CONVERT's styles.
//!
//! A style is a template of letters; a type's seconds have as many decimals as the type. Without a style the older
//! types write style 0 (`Nov 21 2026 11:51AM`), the others ISO forms.
//!
//! ```text
//!   y yy   Y yyyy   m mm   d dd   D day with a blank for a leading zero   N short month   h hour of 24   H hour of 12, blank-padded
//!   J hour of 12 with two digits  i minutes   s seconds   p AM/PM   f :fraction   F .fraction   other characters stand for themselves
//! ```

use super::{LanguageId, Local, TICKS_PER_SECOND};
use crate::SqlType;
use std::fmt::Write;

/// The template of a style; None for a number that is no style.
fn template(style: i32) -> Option<&'static str> {
    Some(match style {
        0 | 100 => "N D Y H:ip",
        1 => "m/d/y",
        101 => "m/d/Y",
        2 => "y.m.d",
        102 => "Y.m.d",
        3 => "d/m/y",
        103 => "d/m/Y",
        4 => "d.m.y",
        104 => "d.m.Y",
        5 => "d-m-y",
        105 => "d-m-Y",
        6 => "d N y",
        106 => "d N Y",
        7 => "N d, y",
        107 => "N d, Y",
        8 | 24 | 108 => "h:i:s",
        9 | 109 => "N D Y H:i:sfp",
        10 => "m-d-y",
        110 => "m-d-Y",
        11 => "y/m/d",
        111 => "Y/m/d",
        12 => "ymd",
        112 => "Ymd",
        13 | 113 => "d N Y h:i:sf",
        14 | 114 => "h:i:sf",
        20 | 120 => "Y-m-d h:i:s",
        21 | 25 | 121 => "Y-m-d h:i:sF",
        22 => "m/d/y H:i:s p",
        23 => "Y-m-d",
        126 => "Y-m-dTh:i:sF",
        127 => "Y-m-dTh:i:sFZ",
        130 => "D n Y H:i:sfp",
        131 => "D/m/Y H:i:sfp",
        _ => return None,
    })
}

/// Names of the Hijri months, for style 130.
const HIJRI_MONTHS: [&str; 12] = [
    "محرم",
    "صفر",
    "ربيع الاول",
    "ربيع الثاني",
    "جمادى الاولى",
    "جمادى الثانية",
    "رجب",
    "شعبان",
    "رمضان",
    "شوال",
    "ذو القعدة",
    "ذو الحجة",
];

/// The template of a style for values of a type; None if the number is no style.
fn template_of(style: Option<i32>, ty: SqlType) -> Option<&'static str> {
    let template = match (style, ty) {
        (None, SqlType::Date) => "Y-m-d",
        (None, SqlType::Time(_)) => "h:i:sF",
        (None, SqlType::DateTime2(_) | SqlType::DateTimeOffset(_)) => "Y-m-d h:i:sF",
        (None, _) => template(0)?,
        (Some(style), _) => template(style)?,
    };
    Some(match ty {
        // A time has no date to show, a date no time.
        SqlType::Time(_) => template.find(['h', 'H']).map_or(template, |at| &template[at..]),
        SqlType::Date => {
            let end = template.find(['h', 'H']).map_or(template, |at| &template[..at]);
            end.trim_end_matches([' ', 'T'])
        }
        _ => template,
    })
}

/// Text of a date and time of type `ty` in a style; None if the number is no style.
pub fn format(
    local: Local,
    ty: SqlType,
    style: Option<i32>,
    language: LanguageId,
) -> Option<String> {
    let template = template_of(style, ty)?;
    let iso = matches!(style, Some(126 | 127));
    let hijri = matches!(style, Some(130 | 131));
    let (decimals, legacy) = match ty {
        SqlType::Time(n) | SqlType::DateTime2(n) | SqlType::DateTimeOffset(n) => (n, false),
        SqlType::DateTime | SqlType::SmallDateTime => (3, true),
        _ => (0, false),
    };
    let is_offset = matches!(ty, SqlType::DateTimeOffset(_));
    let local =
        if is_offset && style == Some(127) { local.at_offset(0).unwrap_or(local) } else { local };
    let (year, month, day) = if hijri {
        hijri_from_days(local.days)
    } else {
        let c = local.civil();
        (c.year, c.month, c.day)
    };
    let (hour, minute, second, rest) = local.clock();
    let hour12 = (hour + 11) % 12 + 1;
    let mut out = String::with_capacity(32);
    // Writing to a String cannot fail.
    let mut put =
        |args: std::fmt::Arguments<'_>| out.write_fmt(args).expect("formatting into a String");
    for c in template.chars() {
        match c {
            'y' => put(format_args!("{:02}", year % 100)),
            'Y' => put(format_args!("{year:04}")),
            'm' => put(format_args!("{month:02}")),
            'd' => put(format_args!("{day:02}")),
            'D' => put(format_args!("{day:>2}")),
            'N' => put(format_args!("{}", language.get().short_months[month as usize - 1])),
            'n' => put(format_args!("{}", HIJRI_MONTHS[month as usize - 1])),
            'h' => put(format_args!("{hour:02}")),
            'H' => put(format_args!("{hour12:>2}")),
            'i' => put(format_args!("{minute:02}")),
            's' => put(format_args!("{second:02}")),
            'p' => put(format_args!("{}", if hour < 12 { "AM" } else { "PM" })),
            'f' | 'F' if decimals > 0 => {
                // datetime's 1/300 s shows as milliseconds: .000, .003, .007.
                let unit = 10u64.pow(7 - decimals as u32);
                let digits = (rest as u64 + if legacy { unit / 2 } else { 0 }) / unit;
                debug_assert!(digits < TICKS_PER_SECOND / unit);
                if !(iso && legacy && digits == 0) {
                    let point = if c == 'f' && legacy { ':' } else { '.' };
                    put(format_args!("{point}{digits:00$}", decimals as usize));
                }
            }
            'f' | 'F' => {}
            'Z' if is_offset || ty == SqlType::DateTime => put(format_args!("Z")),
            'Z' => {}
            other => put(format_args!("{other}")),
        }
    }
    let shows_time = template.contains(['h', 'H']);
    if is_offset && shows_time && style != Some(127) {
        let blank = if iso { "" } else { " " };
        out.push_str(blank);
        out.push_str(&offset_text(local.offset));
    }
    Some(out)
}

/// An offset from UTC as text: `+02:00`.
pub fn offset_text(minutes: i16) -> String {
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{sign}{:02}:{:02}", minutes.unsigned_abs() / 60, minutes.unsigned_abs() % 60)
}

/// Year, month and day in the tabular Hijri calendar (leap years 2, 5, 7, 10, 13, 15, 18, 21, 24, 26, 29 of thirty).
fn hijri_from_days(days: i32) -> (i32, u32, u32) {
    // 1 Muharram 1 is 622-07-19 of the proleptic Gregorian calendar: day 227,014.
    let since = days - 227_014;
    let cycle = since.div_euclid(10_631);
    let mut rest = since.rem_euclid(10_631);
    let mut year = 1;
    loop {
        let length = 354 + [2, 5, 7, 10, 13, 15, 18, 21, 24, 26, 29].contains(&year) as i32;
        if rest < length {
            break;
        }
        rest -= length;
        year += 1;
    }
    // Months alternate between 30 and 29 days; a leap day ends the year.
    let month = ((rest * 2) / 59).min(11);
    let day = rest - (month * 59 + 1) / 2 + 1;
    (cycle * 30 + year, month as u32 + 1, day as u32)
}
