use super::parse::{ParseStyle, parse};
use super::part::{self, DatePart};
use super::*;

fn format(local: Local, ty: SqlType, style: Option<i32>) -> Option<String> {
    super::format::format(local, ty, style, LanguageId::US_ENGLISH)
}

fn style(format: DateFormat, legacy: bool) -> ParseStyle {
    ParseStyle { format, language: Default::default(), legacy, two_digit_year_cutoff: 2049 }
}

/// What a text means, in ISO form with 7 decimals and the offset if there is one.
fn read(text: &str, format: DateFormat, legacy: bool) -> String {
    match parse(text, style(format, legacy)) {
        Ok(p) if p.has_offset => self::format(p.local, SqlType::DateTimeOffset(7), None).unwrap(),
        Ok(p) => self::format(p.local, SqlType::DateTime2(3), None).unwrap(),
        Err(e) => format!("{e:?}"),
    }
}

#[test]
fn the_calendar_counts_every_day() {
    assert_eq!(days_from_civil(1, 1, 1), Some(0));
    assert_eq!(days_from_civil(1900, 1, 1), Some(DAYS_TO_1900));
    assert_eq!(days_from_civil(9999, 12, 31), Some(MAX_DAYS));
    assert_eq!(days_from_civil(2023, 2, 29), None);
    let (mut year, mut month, mut day) = (1, 1, 1);
    for days in 0..=MAX_DAYS {
        assert_eq!(civil_from_days(days), Civil { year, month, day });
        assert_eq!(civil_days(year, month, day), days);
        day += 1;
        if day > days_in_month(year, month) {
            (day, month) = (1, month + 1);
        }
        if month > 12 {
            (month, year) = (1, year + 1);
        }
    }
}

#[test]
fn literal_forms() {
    use DateFormat::*;
    let midnight = "2026-11-21 00:00:00.000";
    for text in [
        "20261121",
        "261121",
        "2026-11-21",
        "2026/11/21",
        "11/21/2026",
        "11-21-26",
        "11.21.2026",
        "Nov 21 2026",
        "November 21, 2026",
        "21 nov 2026",
        "2026 Nov 21",
        "Nov 21, 26",
        " 20261121 ",
        "2026-11-21T00:00:00",
    ] {
        assert_eq!(read(text, Mdy, false), midnight, "{text}");
        assert_eq!(read(text, Mdy, true), midnight, "{text} legacy");
    }
    assert_eq!(read("21/11/2026", Dmy, true), midnight);
    assert_eq!(read("26/11/21", Ymd, true), midnight);
    assert_eq!(read("2026-11-12", Dmy, true), "2026-12-11 00:00:00.000");
    assert_eq!(read("2026-11-12", Dmy, false), "2026-11-12 00:00:00.000");
    assert_eq!(read("2026-11-12T00:00:00", Dmy, true), "2026-11-12 00:00:00.000");
    assert_eq!(read("20261121 11:51", Mdy, true), "2026-11-21 11:51:00.000");
    assert_eq!(read("20261121 11:51:44.1", Mdy, true), "2026-11-21 11:51:44.100");
    assert_eq!(read("20261121 11:51:44:1", Mdy, true), "2026-11-21 11:51:44.001");
    assert_eq!(read("20261121 11:51:44PM", Mdy, true), "2026-11-21 23:51:44.000");
    assert_eq!(read("Nov 21 2026 12:05AM", Mdy, true), "2026-11-21 00:05:00.000");
    assert_eq!(read("11:51 20261121", Mdy, true), "2026-11-21 11:51:00.000");
    assert_eq!(read("4pm", Mdy, true), "1900-01-01 16:00:00.000");
    assert_eq!(read("", Mdy, true), "1900-01-01 00:00:00.000");
    assert_eq!(read("2026", Mdy, true), "2026-01-01 00:00:00.000");
    assert_eq!(read("1/1/49", Mdy, true), "2049-01-01 00:00:00.000");
    assert_eq!(read("1/1/50", Mdy, true), "1950-01-01 00:00:00.000");
    assert_eq!(
        read("2026-11-21T11:51:44.1234567+02:00", Mdy, false),
        "2026-11-21 11:51:44.1234567 +02:00"
    );
    assert_eq!(
        read("2026-11-21 11:51:44 -05:30", Mdy, false),
        "2026-11-21 11:51:44.0000000 -05:30"
    );
    let at = |offset: &str| read(&format!("2026-11-21 11:51:44{offset}"), Mdy, false);
    assert_eq!(at(" +10:0"), "2026-11-21 11:51:44.0000000 +10:00");
    assert_eq!(at("-1:30"), "2026-11-21 11:51:44.0000000 -01:30");
    assert_eq!(at("+9"), "2026-11-21 11:51:44.0000000 +09:00");
    assert_eq!(at(". 5 +14"), "2026-11-21 11:51:44.5000000 +14:00");
    assert_eq!(at(".12345678 Z"), "2026-11-21 11:51:44.1234567 +00:00");
    for refused in ["+14:1", "+1:60", "+", "+100", ".123456789"] {
        assert_eq!(at(refused), "Syntax", "{refused}");
    }
    assert_eq!(read("2026-11-21T11:51:44Z", Mdy, false), "2026-11-21 11:51:44.0000000 +00:00");
    for text in [
        "abc",
        "2026-11",
        "11:51:44.1234567",
        "12:00 13:00",
        "Nov",
        "1/2/3/4",
        "2026-11-21x",
        "1234567",
        "13pm",
        "+",
    ] {
        let r = read(text, Mdy, true);
        assert!(r == "Syntax" || text == "13pm", "{text}: {r}");
    }
    assert_eq!(read("2026-02-30", Mdy, true), "Range");
    assert_eq!(read("25:00", Mdy, true), "Range");
}

fn at(text: &str) -> Local {
    parse(text, style(DateFormat::Mdy, false)).unwrap().local
}

#[test]
fn styles() {
    let datetime =
        Local::from_value(&at("2026-11-05 14:07:09.1234567").to_value(SqlType::DateTime).unwrap())
            .unwrap();
    for (style, expected) in [
        (0, "Nov  5 2026  2:07PM"),
        (1, "11/05/26"),
        (101, "11/05/2026"),
        (2, "26.11.05"),
        (103, "05/11/2026"),
        (104, "05.11.2026"),
        (105, "05-11-2026"),
        (106, "05 Nov 2026"),
        (107, "Nov 05, 2026"),
        (108, "14:07:09"),
        (109, "Nov  5 2026  2:07:09:123PM"),
        (110, "11-05-2026"),
        (12, "261105"),
        (112, "20261105"),
        (113, "05 Nov 2026 14:07:09:123"),
        (114, "14:07:09:123"),
        (120, "2026-11-05 14:07:09"),
        (121, "2026-11-05 14:07:09.123"),
        (22, "11/05/26  2:07:09 PM"),
        (23, "2026-11-05"),
        (126, "2026-11-05T14:07:09.123"),
        (127, "2026-11-05T14:07:09.123Z"),
        (131, "24/05/1448  2:07:09:123PM"),
    ] {
        assert_eq!(
            format(datetime, SqlType::DateTime, Some(style)).as_deref(),
            Some(expected),
            "{style}"
        );
    }
    assert_eq!(format(datetime, SqlType::DateTime, Some(99)), None);
    assert_eq!(format(at("2000-01-01"), SqlType::Date, Some(131)).unwrap(), "24/09/1420");
    let l = at("2026-11-05 14:07:09.1234567");
    let f = |ty, style| format(l, ty, style).unwrap();
    assert_eq!(f(SqlType::DateTime2(7), None), "2026-11-05 14:07:09.1234567");
    assert_eq!(f(SqlType::DateTime2(0), Some(121)), "2026-11-05 14:07:09");
    assert_eq!(f(SqlType::Time(3), None), "14:07:09.123");
    assert_eq!(f(SqlType::Time(7), Some(109)), " 2:07:09.1234567PM");
    assert_eq!(f(SqlType::Date, None), "2026-11-05");
    assert_eq!(f(SqlType::Date, Some(126)), "2026-11-05");
    assert_eq!(f(SqlType::DateTimeOffset(0), Some(126)), "2026-11-05T14:07:09+00:00");
    let midnight = at("2026-11-05");
    assert_eq!(format(midnight, SqlType::DateTime, Some(126)).unwrap(), "2026-11-05T00:00:00");
    assert_eq!(format(midnight, SqlType::DateTime, Some(0)).unwrap(), "Nov  5 2026 12:00AM");
}

#[test]
fn every_style_reads_back_what_it_wrote() {
    let l = at("2026-11-05 14:07:09");
    for n in [
        0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 20, 21, 22, 23, 25, 100, 101, 102, 103, 104,
        105, 106, 107, 109, 110, 111, 112, 113, 120, 121, 126,
    ] {
        let text = format(l, SqlType::DateTime, Some(n)).unwrap();
        let back = parse(&text, style(parse::format_of_style(n).unwrap(), true)).unwrap().local;
        assert_eq!(back.days, l.days, "{n}: {text}");
        if back.ticks != 0 {
            assert_eq!(back.ticks / TICKS_PER_MINUTE, l.ticks / TICKS_PER_MINUTE, "{n}: {text}");
        }
    }
}

#[test]
fn grids() {
    let datetime =
        |t: &str| match at(&format!("2026-11-21 {t}")).to_value(SqlType::DateTime).unwrap() {
            v @ Value::DateTime { .. } => {
                format(Local::from_value(&v).unwrap(), SqlType::DateTime, Some(121)).unwrap()[8..]
                    .to_owned()
            }
            v => panic!("{v:?}"),
        };
    assert_eq!(datetime("01:00:00.001"), "21 01:00:00.000");
    assert_eq!(datetime("01:00:00.002"), "21 01:00:00.003");
    assert_eq!(datetime("01:00:00.005"), "21 01:00:00.007");
    assert_eq!(datetime("01:00:00.008"), "21 01:00:00.007");
    assert_eq!(datetime("01:00:00.009"), "21 01:00:00.010");
    assert_eq!(datetime("23:59:59.999"), "22 00:00:00.000");
    let small = |t: &str| at(t).to_value(SqlType::SmallDateTime);
    assert!(matches!(
        small("1900-01-02 00:00:29.998"),
        Ok(Value::SmallDateTime { days: 1, minutes: 0 })
    ));
    assert!(matches!(
        small("1900-01-02 00:00:29.999"),
        Ok(Value::SmallDateTime { days: 1, minutes: 1 })
    ));
    assert!(matches!(
        small("2079-06-06 23:59:00"),
        Ok(Value::SmallDateTime { days: 65535, minutes: 1439 })
    ));
    assert!(matches!(small("2079-06-07"), Err(DateError::Range)));
    assert!(matches!(at("1752-12-31").to_value(SqlType::DateTime), Err(DateError::Range)));
    assert!(matches!(at("23:59:59.9999999").to_value(SqlType::Time(0)), Ok(Value::Time(0))));
    let end = at("9999-12-31 23:59:59.9999999").to_value(SqlType::DateTime2(0));
    assert!(matches!(end, Ok(Value::DateTime2 { days: 3_652_058, ticks: 863_990_000_000 })));
    // datetime's ticks survive datetime2 and come back.
    for ticks in 0..10_000 {
        let v = Value::DateTime { days: 5, ticks };
        let back = Local::from_value(&v).unwrap().to_value(SqlType::DateTime).unwrap();
        assert!(matches!(back, Value::DateTime { days: 5, ticks: t } if t == ticks));
    }
}

#[test]
fn dateparts() {
    let show = |l: Local| format(l, SqlType::DateTime2(0), None).unwrap();
    let add = |p, n, t: &str| part::add(p, n, at(t)).map(show);
    assert_eq!(add(DatePart::Month, 1, "2026-01-31").unwrap(), "2026-02-28 00:00:00");
    assert_eq!(add(DatePart::Year, -2, "2024-02-29").unwrap(), "2022-02-28 00:00:00");
    assert_eq!(add(DatePart::Hour, 25, "2026-01-31").unwrap(), "2026-02-01 01:00:00");
    assert_eq!(add(DatePart::Week, -1, "2026-01-03").unwrap(), "2025-12-27 00:00:00");
    assert_eq!(add(DatePart::Day, 1, "9999-12-31"), None);
    assert_eq!(add(DatePart::Year, i64::MAX, "2026-01-01"), None);
    let diff = |p, a: &str, b: &str| part::diff(p, at(a), at(b));
    assert_eq!(diff(DatePart::Year, "2025-12-31 23:59:59.9999999", "2026-01-01"), 1);
    assert_eq!(diff(DatePart::Week, "2026-11-21", "2026-11-22"), 1);
    assert_eq!(diff(DatePart::Week, "2026-11-22", "2026-11-23"), 0);
    assert_eq!(diff(DatePart::Hour, "2026-11-21 10:59", "2026-11-21 11:01"), 1);
    assert_eq!(diff(DatePart::Millisecond, "2026-11-22", "2026-11-21"), -86_400_000);
    let get = |p, t: &str, first| part::get(p, at(t), first);
    assert_eq!(get(DatePart::Weekday, "2026-11-21", 7), 7);
    assert_eq!(get(DatePart::Weekday, "2026-11-21", 1), 6);
    assert_eq!(get(DatePart::IsoWeek, "2021-01-03", 7), 53);
    assert_eq!(get(DatePart::Week, "2021-01-03", 7), 2);
    assert_eq!(get(DatePart::DayOfYear, "2024-12-31", 7), 366);
    assert_eq!(get(DatePart::Nanosecond, "2024-12-31 00:00:00.1234567", 7), 123_456_700);
    assert_eq!(part::name(DatePart::Weekday, at("2026-11-21"), 7, Default::default()), "Saturday");
    assert_eq!(part::end_of_month(at("2026-01-31"), 1), days_from_civil(2026, 2, 28));
}
