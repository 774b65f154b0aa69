//! FORMAT.

use super::value;
use super::{Fixed, bind};
use proptest::prelude::*;
use std::cell::Cell;
use taffrail_types::{SqlType, Value};

fn check(table: &[(&str, &str)]) {
    for (call, expected) in table {
        assert_eq!(value(&format!("FORMAT({call})")), *expected, "FORMAT({call})");
    }
}

#[test]
fn numbers_by_letter() {
    check(&[
        ("money'1.55', 'N', 'en-us'", "1.55"),
        ("money'1.55', 'G', 'en-us'", "1.5500"),
        ("money'1.55', 'C', 'en-us'", "$1.55"),
        ("money'1.55', 'N', 'de-de'", "1,55"),
        ("money'1.55', 'G', 'de-de'", "1,5500"),
        ("money'1.55', 'C', 'de-de'", "1,55 €"),
        ("1234.5, 'C'", "$1,234.50"),
        ("-1, 'C'", "($1.00)"),
        ("-1234567.891, 'C', 'de-DE'", "-1.234.567,89 €"),
        ("1234567.5, 'C0', 'ja-JP'", "¥1,234,568"),
        ("42, 'D5'", "00042"),
        ("-42, 'd5'", "-00042"),
        ("42.0, 'D'", "NULL"),
        ("float'1052.0329', 'E2'", "1.05E+003"),
        ("float'1052.0329', 'e'", "1.052033e+003"),
        ("0, 'E2'", "0.00E+000"),
        ("float'1e-10', 'E3'", "1.000E-010"),
        ("1234.567, 'F1'", "1234.6"),
        ("-0.001, 'F1'", "0.0"),
        ("float'0.5', 'F0'", "1"),
        ("float'2.5', 'F0'", "3"),
        ("1234567.89, 'G3'", "1.23E+06"),
        ("bigint'123456789012', 'g4'", "1.235e+11"),
        ("123456789, 'G'", "123456789"),
        ("float'123456789012345678', 'G'", "1.23456789012346E+17"),
        ("float'0.0001', ''", "0.0001"),
        ("float'0.00001', ''", "1E-05"),
        ("real'0.1', 'G'", "0.1"),
        ("float'0.1', 'R'", "0.1"),
        ("float'0.30000000000000004', 'r'", "0.30000000000000004"),
        ("float'0.30000000000000004', 'G17'", "0.30000000000000004"),
        ("1.50, 'G'", "1.50"),
        ("0.00, 'G'", "0.00"),
        ("1.50, 'G5'", "1.5"),
        ("-1234.5, 'N1'", "-1,234.5"),
        ("1234567890.123, 'N', 'hi-IN'", "1,23,45,67,890.12"),
        ("1234567.5, 'N1', 'fr-FR'", "1\u{A0}234\u{A0}567,5"),
        ("1234567.5, 'N1', 'de-CH'", "1’234’567.5"),
        ("0.126, 'P0'", "13%"),
        ("0.126, 'P1', 'de-DE'", "12,6 %"),
        ("-0.126, 'P', 'en-GB'", "-12.60%"),
        ("255, 'X4'", "00FF"),
        ("255, 'x'", "ff"),
        ("-1, 'X'", "FFFFFFFF"),
        ("smallint'-1', 'X'", "FFFF"),
        ("bigint'-1', 'X'", "FFFFFFFFFFFFFFFF"),
        ("1.5, 'X'", "NULL"),
        ("1, 'R'", "NULL"),
        ("1, 'Q'", "NULL"),
        ("float'-0', 'G'", "0"),
    ]);
}

#[test]
fn numbers_by_picture() {
    check(&[
        ("-12, '0;(0)'", "(12)"),
        ("12, '0;(0)'", "12"),
        ("-1234.5, '#,##0.00;(#,##0.00)'", "(1,234.50)"),
        ("0, '#;(#);zero'", "zero"),
        ("-12, '#;(#);zero'", "(12)"),
        ("-0.2, '#;(#);zero'", "zero"),
        ("-0.2, '0;(0)'", "0"),
        ("-12, '#;;zero'", "-12"),
        ("5, '0 \"x\"'", "5 x"),
        ("5, '\\x0'", "x5"),
        ("5, '0\\'", "5"),
        ("1234567, '0,,.0M'", "1.2M"),
        ("1234567, '#,##0,'", "1,235"),
        ("1234567, '#,#'", "1,234,567"),
        ("1234567, '#,#', 'de-DE'", "1.234.567"),
        ("12345678, '#,#', 'hi-IN'", "1,23,45,678"),
        ("5, '00.0'", "05.0"),
        ("5.5, '#.##'", "5.5"),
        ("0, '#'", ""),
        ("0.5, '#.##'", ".5"),
        ("0.086, '#0.##%'", "8.6%"),
        ("0.086, '#0.##‰'", "86‰"),
        ("1503.92, '0.0##e+00'", "1.504e+03"),
        ("1503.92, '0.0##E0'", "1.504E3"),
        ("0.00015, '0.0e-00'", "1.5e-04"),
        ("12, '0E'", "12E"),
        ("1234, 'qq qq'", "qq qq"),
        ("1234, 'N100'", "N11234"),
        ("123456789, '###-##-####'", "123-45-6789"),
        ("1, '000,000'", "000,001"),
        ("1.25, '0.0.0'", "1.25"),
        ("-5, 'abc'", "-abc"),
        ("1.5, '(\"open'", "(open"),
    ]);
}

#[test]
fn dates() {
    let days = [
        ("'d', 'en-US'", "8/9/2024"),
        ("'d', 'en-gb'", "09/08/2024"),
        ("'d', 'de_de'", "09.08.2024"),
        ("'d', 'zh-cn'", "2024/8/9"),
        ("'D', 'en-US'", "Friday, August 9, 2024"),
        ("'D', 'en-gb'", "09 August 2024"),
        ("'D', 'de-de'", "Freitag, 9. August 2024"),
        ("'D', 'zh-cn'", "2024年8月9日"),
        ("'D', 'ru-RU'", "9 августа 2024 г."),
        ("'MMMM yyyy', 'ru-RU'", "Август 2024"),
        ("'d', 'th-TH'", "9/8/2567"),
        ("'D', 'de'", "Freitag, 9. August 2024"),
        ("'D', 'qq-QQ'", "Friday, August 9, 2024"),
        ("'m'", "August 9"),
        ("'Y'", "August 2024"),
        ("'dddd gg'", "Friday A.D."),
        ("'%d'", "9"),
        ("'%'", "NULL"),
        ("'x'", "NULL"),
        ("'dd \"of\" MMM'", "09 of Aug"),
        ("'dd \"of'", "NULL"),
        ("'d\\d'", "9d"),
        ("'yy y yyyyy'", "24 24 02024"),
    ];
    for (rest, expected) in days {
        check(&[(&format!("date'2024-08-09', {rest}"), expected)]);
    }
    check(&[
        ("datetime2'2024-08-09 14:00', N'hh:mm tt'", "02:00 PM"),
        ("datetime2'2024-08-09 14:00', N'hh:mm t'", "02:00 P"),
        ("datetime'2024-08-09 14:05:06.123', 'o'", "2024-08-09T14:05:06.1230000"),
        ("datetime2'2024-08-09 14:05:06.1234567', 'O'", "2024-08-09T14:05:06.1234567"),
        ("datetimeoffset'2024-08-09 14:05:06 +05:30', 'o'", "2024-08-09T14:05:06.0000000+05:30"),
        ("datetimeoffset'2024-08-09 14:05:06 +05:30', 'R'", "Fri, 09 Aug 2024 08:35:06 GMT"),
        ("datetimeoffset'2024-08-09 14:05:06 +05:30', 'u'", "2024-08-09 08:35:06Z"),
        ("datetimeoffset'2024-08-09 14:05:06 +05:30', 'U'", "NULL"),
        ("datetimeoffset'2024-08-09 14:05:06 -05:30', 'z zz zzz K'", "-5 -05 -05:30 -05:30"),
        ("datetime2'2024-08-09 14:05:06', 'zzz[K]'", "+02:00[]"),
        ("datetime2'2024-08-09 14:05:06', 'U'", "Friday, August 9, 2024 12:05:06 PM"),
        ("datetime2'2024-08-09 14:05:06', 'f'", "Friday, August 9, 2024 2:05 PM"),
        ("datetime2'2024-08-09 14:05:06', 'F', 'de-DE'", "Freitag, 9. August 2024 14:05:06"),
        ("datetime2'2024-08-09 14:05:06', 'g', 'fr-FR'", "09/08/2024 14:05"),
        ("datetime2'2024-08-09 14:05:06', 'G'", "8/9/2024 2:05:06 PM"),
        ("datetime2'2024-08-09 14:05:06', 's'", "2024-08-09T14:05:06"),
        ("datetime2'2024-08-09 14:05:06.12', 'ss.fff'", "06.120"),
        ("datetime2'2024-08-09 14:05:06.12', 'ss.FFFFFFF'", "06.12"),
        ("datetime2'2024-08-09 14:05:06', 'ss.FFF'", "06"),
        ("datetime2'2024-08-09 14:05:06', 'ffffffff'", "NULL"),
        ("datetime2'2024-08-09 00:05:06', 'h H hh HH'", "12 0 12 00"),
        ("datetime2'2024-08-09 14:05:06', 'HH:mm', 'fi-FI'", "14.05"),
    ]);
}

#[test]
fn times() {
    check(&[
        ("time'07:35:00', N'hh.mm'", "NULL"),
        ("time'07:35:00', N'hh:mm'", "NULL"),
        ("time'07:35:00', N'hh\\.mm'", "07.35"),
        ("time'07:35:00', N'hh\\:mm'", "07:35"),
        ("time'07:35:00', N'c'", "07:35:00"),
        ("time'07:35:00.5', N'c'", "07:35:00.5000000"),
        ("time'07:35:00.5', N'g', 'de-DE'", "7:35:00,5"),
        ("time'07:35:00.5', N'G'", "0:07:35:00.5000000"),
        ("time'07:35:00', N'%h'", "7"),
        ("time'07:35:00', N'HH'", "NULL"),
        ("time'07:35:00', N't'", "07:35:00"),
    ]);
}

#[test]
fn cultures() {
    let number = |culture: &str| super::call(&format!("FORMAT(1, 'N', {culture})"));
    for bad in ["''", "'x'", "' de-DE'", "'abc-DEFGH'", "'d'", "'de-'", "NULL"] {
        assert_eq!(number(bad).unwrap_err().number, 9818, "{bad}");
    }
    assert_eq!(number("'sw-KE'").unwrap_err().number, 40510);
    assert_eq!(value("FORMAT(1, 'N', 'x-y')"), "1.00");
    assert!(super::call("FORMAT(date'2024-08-09', 'd', 'ar-SA')").is_err());
}

fn eval(v: Value, ty: SqlType, picture: &str, culture: &str) {
    let text = SqlType::nvarchar(4000);
    let bound = bind("FORMAT", None, &[ty, text, text]).unwrap();
    let args = [v, Value::nvarchar(picture), Value::nvarchar(culture)];
    if let Err(e) = bound.eval(&Fixed { random: Cell::new(1) }, &args) {
        // The era of cultures whose name for it is not known.
        assert_eq!(e.number, 40510);
    }
}

#[test]
fn long_pictures() {
    for c in ["0", "#", "#,", "0.", "y", "f", ";", "'", "E+0", "0,,,,", "%", "\\", "dM"] {
        let picture = c.repeat(65_536);
        eval(Value::Int(1), SqlType::Int, &picture, "en-US");
        eval(Value::Float(-1e300), SqlType::Float, &picture, "hi-IN");
        eval(Value::Date(700_000), SqlType::Date, &picture, "de-DE");
        eval(Value::Time(700_000), SqlType::Time(7), &picture, "de-DE");
    }
}

proptest! {
    #[test]
    fn any_picture(
        picture in "[0#,.;%‰Ee+\\-'\"\\\\ dDfFgGhHmMsStTyYzKuUoORrXxNnCcPp0-9]{0,24}",
        float in any::<f64>(),
        int in any::<i64>(),
        culture in prop::sample::select(vec!["en-US", "de-DE", "hi-IN", "ru-RU", "th-TH", "fr-CH"]),
    ) {
        let float = if float.is_finite() { float } else { 0.0 };
        eval(Value::Float(float), SqlType::Float, &picture, culture);
        eval(Value::Real(float as f32 % 1e30), SqlType::Real, &picture, culture);
        eval(Value::BigInt(int), SqlType::BigInt, &picture, culture);
        eval(Value::SmallInt(int as i16), SqlType::SmallInt, &picture, culture);
        let decimal = taffrail_types::Decimal::new(int < 0, int.unsigned_abs() as u128, 10).unwrap();
        eval(Value::Decimal(decimal), SqlType::Decimal { precision: 38, scale: 10 }, &picture, culture);
        let (days, ticks) = (int.unsigned_abs() % 3_652_058, int.unsigned_abs() % 863_999_999_999);
        let moment = Value::DateTime2 { days: days as u32, ticks };
        eval(moment, SqlType::DateTime2(7), &picture, culture);
        eval(Value::Time(ticks), SqlType::Time(7), &picture, culture);
        let days = days.max(1) as u32;
        let moment = Value::DateTimeOffset { days, ticks, offset: (int % 840) as i16 };
        eval(moment, SqlType::DateTimeOffset(7), &picture, culture);
    }
}
