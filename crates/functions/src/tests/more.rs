//! Hashes, bits, JSON, buckets of dates, FORMATMESSAGE.

use super::{call, check, value};

#[test]
fn hashes_are_the_published_ones() {
    check(&[
        ("HASHBYTES('MD5', 'abc')", "0x900150983CD24FB0D6963F7D28E17F72"),
        ("HASHBYTES('sha1', 'abc')", "0xA9993E364706816ABA3E25717850C26C9CD0D89D"),
        ("HASHBYTES('SHA', 'abc')", "0xA9993E364706816ABA3E25717850C26C9CD0D89D"),
        (
            "HASHBYTES('SHA2_256', 'abc')",
            "0xBA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD",
        ),
        (
            "HASHBYTES('SHA2_512', 'abc')",
            "0xDDAF35A193617ABACC417349AE20413112E6FA4E89A97EA20A9EEEE64B55D39A\
             2192992A274FC1A836BA3C23A3FEEBBD454D4423643CE80E2A9AC94FA54CA49F",
        ),
        ("HASHBYTES('MD5', N'abc')", "0xCE1473CF80C6B3FDA8E3DFC006ADC315"),
        ("HASHBYTES('MD5', varchar(3)'')", "0xD41D8CD98F00B204E9800998ECF8427E"),
        ("HASHBYTES('nothing', 'abc')", "NULL"),
        (
            "HASHBYTES('MD4', 'abc')",
            "40510 HASHBYTES with MD4 is not supported by this version of the server.",
        ),
        (
            "HASHBYTES('MD5', 5)",
            "8116 Argument data type int is invalid for argument 2 of hashbytes function.",
        ),
        ("CRYPT_GEN_RANDOM(3)", "0xFFFFFF"),
        ("CRYPT_GEN_RANDOM(0)", "1023 Invalid parameter 1 specified for crypt_gen_random."),
    ]);
}

#[test]
fn bits() {
    check(&[
        ("LEFT_SHIFT(12345, 5)", "395040"),
        ("RIGHT_SHIFT(12345, 5)", "385"),
        ("RIGHT_SHIFT(-1, 28)", "15"),
        ("LEFT_SHIFT(1, -1)", "0"),
        ("LEFT_SHIFT(1, 32)", "0"),
        ("LEFT_SHIFT(varbinary(2)'ab', 4)", "0x1000"),
        ("BIT_COUNT(varbinary(2)'ab')", "3"),
        ("BIT_COUNT(-1)", "32"),
        ("GET_BIT(4, 2)", "1"),
        ("GET_BIT(4, 32)", "1023 Invalid parameter 2 specified for get_bit."),
        ("SET_BIT(0, 3)", "8"),
        ("SET_BIT(15, 0, 0)", "14"),
        ("SET_BIT(NULL, 0, 0)", "NULL"),
    ]);
}

#[test]
fn json() {
    const DOC: &str = r#"{"a":1,"b":{"c":[10, "x\u0041\"y", null, true]},"d e":-1.50e1}"#;
    let at = |function: &str, path: &str| value(&format!("{function}('{DOC}', '{path}')"));
    for (path, expected) in [
        ("$.a", "1"),
        ("$.b.c[0]", "10"),
        ("lax $.b.c[1]", "xA\"y"),
        ("$.b.c[2]", "NULL"),
        ("$.b.c[3]", "true"),
        ("$.\"d e\"", "-1.50e1"),
        ("$.b", "NULL"),
        ("$.A", "NULL"),
        ("$.b.c[9]", "NULL"),
        ("strict $.x", "13608 Property cannot be found on the specified JSON path."),
        ("strict $.b", "13623 Scalar value cannot be found in the specified JSON path."),
        (
            "$.",
            "13607 JSON path is not properly formatted. Unexpected character '.' is found at position 2.",
        ),
        (
            "a",
            "13607 JSON path is not properly formatted. Unexpected character 'a' is found at position 0.",
        ),
    ] {
        assert_eq!(at("JSON_VALUE", path), expected, "{path}");
    }
    for (path, expected) in [
        ("$.b.c", r#"[10, "x\u0041\"y", null, true]"#),
        ("$.a", "NULL"),
        ("strict $.a", "13624 Object or array cannot be found in the specified JSON path."),
    ] {
        assert_eq!(at("JSON_QUERY", path), expected, "{path}");
    }
    check(&[
        (r#"JSON_QUERY(' {"a": [1]} ')"#, r#"{"a": [1]}"#),
        (r#"JSON_VALUE('{"a":1,"b":x}', '$.a')"#, "1"),
        (
            r#"JSON_VALUE('{"a":1,"b":x}', '$.b')"#,
            "13609 JSON text is not properly formatted. Unexpected character 'x' is found at position 11.",
        ),
        (
            r#"JSON_VALUE('{"a":1', '$.b')"#,
            "13609 JSON text is not properly formatted. Unexpected character '.' is found at position 6.",
        ),
        (r#"ISJSON('{"a":[1,2,{}]}')"#, "1"),
        (r#"ISJSON('[]')"#, "1"),
        (r#"ISJSON('1')"#, "0"),
        (r#"ISJSON('{"a":01}')"#, "0"),
        (r#"ISJSON('{"a":1} x')"#, "0"),
        (r#"ISJSON('[1,]')"#, "0"),
        ("ISJSON(NULL)", "NULL"),
        (r#"JSON_PATH_EXISTS('{"a":[1]}', '$.a[0]')"#, "1"),
        (r#"JSON_PATH_EXISTS('{"a":[1]}', '$.a[1]')"#, "0"),
        (r#"JSON_PATH_EXISTS('nonsense', '$')"#, "0"),
    ]);
    // Depth is bounded: no text brings the reader's stack down.
    let deep = "[".repeat(3000);
    assert_eq!(value(&format!("ISJSON('{deep}')")), "0");
}

#[test]
fn beginnings_of_intervals() {
    let date = "datetime2(7)'2026-11-21 13:45:59.1234567'";
    for (part, expected) in [
        ("year", "2026-01-01 00:00:00.0000000"),
        ("quarter", "2026-10-01 00:00:00.0000000"),
        ("month", "2026-11-01 00:00:00.0000000"),
        ("week", "2026-11-15 00:00:00.0000000"),
        ("iso_week", "2026-11-16 00:00:00.0000000"),
        ("day", "2026-11-21 00:00:00.0000000"),
        ("hour", "2026-11-21 13:00:00.0000000"),
        ("minute", "2026-11-21 13:45:00.0000000"),
        ("millisecond", "2026-11-21 13:45:59.1230000"),
    ] {
        assert_eq!(value(&format!("DATETRUNC({part}, {date})")), expected, "{part}");
    }
    check(&[
        ("DATETRUNC(month, date'2026-11-21')", "2026-11-01"),
        (
            "DATETRUNC(hour, date'2026-11-21')",
            "9810 The datepart hour is not supported by date function datetrunc for data type date.",
        ),
        ("DATE_BUCKET(week, 1, date'2026-11-21')", "2026-11-16"),
        ("DATE_BUCKET(month, 3, date'2026-12-31')", "2026-10-01"),
        ("DATE_BUCKET(month, 1, date'2026-12-09', date'2000-01-10')", "2026-11-10"),
        ("DATE_BUCKET(day, 10, date'1899-12-31')", "1899-12-22"),
        ("DATE_BUCKET(minute, 15, datetime2(0)'2026-11-21 13:44:59')", "2026-11-21 13:30:00"),
        ("DATE_BUCKET(day, NULL, date'2026-11-21')", "NULL"),
        (
            "DATE_BUCKET(day, 0, date'2026-11-21')",
            "9834 Invalid bucket width value passed to DATE_BUCKET function. Only positive values are allowed.",
        ),
    ]);
}

#[test]
fn messages_and_the_session() {
    check(&[
        ("FORMATMESSAGE('%s has %05d', 'a', 42)", "a has 00042"),
        (
            "FORMATMESSAGE(15470, 't')",
            "No foreign keys reference table 't', or you do not have permissions on referencing tables.",
        ),
        ("FORMATMESSAGE(14000)", "NULL"),
        ("GETANSINULL()", "1"),
        ("GETANSINULL('nowhere')", "NULL"),
        ("HOST_ID()", "4212      "),
        ("CURRENT_REQUEST_ID()", "0"),
    ]);
    assert!(value("FORMATMESSAGE('%d', 'a')").starts_with("Error: 50000, Severity: -1"));
    assert_eq!(call("nothing(1)").unwrap_err().number, 195);
}

#[test]
fn long_texts_end_when_their_batch_is_cancelled() {
    use crate::pieces::PIECE;
    use crate::tests::Fixed;
    use taffrail_types::{MaxLen, SqlType, Value};
    let long = |text: &str| Value::varchar(&text.repeat(2 * PIECE / text.len()));
    let short = |text: &str| Value::varchar(text);
    let run = |name: &str, args: Vec<Value>| {
        let types = args.iter().map(|a| match a {
            Value::Int(_) => SqlType::Int,
            _ => SqlType::VarChar(MaxLen::Max),
        });
        let bound = crate::bind(name, None, &types.collect::<Vec<_>>()).unwrap();
        let args: Vec<Value> = args
            .into_iter()
            .zip(&bound.params)
            .map(|(a, to)| match (a, to) {
                (Value::Int(n), SqlType::BigInt) => Value::BigInt(n as i64),
                (a, _) => a,
            })
            .collect();
        let context = Fixed { random: std::cell::Cell::new(1) };
        bound.eval(&context, &args).map_err(|e| e.number)
    };
    let calls = [
        ("REPLICATE", vec![short("ab"), Value::Int(PIECE as i32)]),
        ("REPLACE", vec![long("abc"), short("b"), short("")]),
        ("CONCAT", vec![long("a"), long("b")]),
        ("UPPER", vec![long("a")]),
        ("REVERSE", vec![long("a")]),
        ("CHARINDEX", vec![short("b"), long("a")]),
        ("STUFF", vec![short("abc"), Value::Int(1), Value::Int(1), long("b")]),
        ("SOUNDEX", vec![long("a")]),
        ("DIFFERENCE", vec![short("abc"), long("a")]),
        ("STRING_ESCAPE", vec![long("a"), short("json")]),
    ];
    for (name, args) in &calls {
        assert!(run(name, args.clone()).is_ok(), "{name}");
    }
    let replaced = run("REPLACE", calls[1].1.clone()).unwrap();
    assert!(
        replaced == long("abc").as_text().map(|t| Value::varchar(&t.replace('b', ""))).unwrap()
    );
    let cell = taffrail_observe::SessionCell::new(51);
    let _in = taffrail_observe::SessionCell::enter(&cell);
    cell.cancel_flag().store(true, std::sync::atomic::Ordering::Relaxed);
    for (name, args) in calls {
        assert_eq!(run(name, args), Err(taffrail_base::message::CANCELLED), "{name}");
    }
    // What is short goes on to its end.
    assert_eq!(run("REPLACE", vec![short("abc"), short("b"), short("")]), Ok(short("ac")));
}
