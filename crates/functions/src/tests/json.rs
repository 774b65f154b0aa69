//! JSON from any text: readers end without a panic, and agree on what JSON is.

use super::fixed::Fixed;
use crate::json::{JsonColumn, JsonRows, OpenJson};
use crate::{SqlType, Value, bind};
use std::cell::Cell;
use std::sync::Arc;
use taffrail_base::SqlResult;

/// Numbers of xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

const DOCUMENT: &str = r#" {"a":1,"b":{"c":[10, "x\u0041\"y\\", null, true, {}]},"d e":-1.50e1,"a":[[],[false]],"é":"\/"} "#;
const PIECES: [&str; 16] =
    ["{", "}", "[", "]", ":", ",", "\"", "\\", "\\u00", "1", "-", "0.5e", "null", " ", "tru", "ü"];
const PATHS: [&str; 6] = ["$.a", "$.b.c[1]", "$.b.c[4].z", "append $.b.c", "$.\"d e\"", "$.a[0]"];

/// A document with a few characters left out, doubled or put in.
fn edited(random: &mut Random) -> String {
    let mut text: Vec<char> = DOCUMENT.chars().collect();
    for _ in 0..random.below(4) {
        let at = random.below(text.len());
        match random.below(3) {
            0 => {
                text.remove(at);
            }
            1 => text.insert(at, text[at]),
            _ => {
                let piece = PIECES[random.below(PIECES.len())];
                drop(text.splice(at..at, piece.chars()));
            }
        }
    }
    text.into_iter().collect()
}

fn call(name: &str, args: &[Value]) -> SqlResult<Value> {
    let context = Fixed { random: Cell::new(1) };
    let types = vec![SqlType::NVARCHAR_MAX; args.len()];
    bind(name, None, &types)?.eval(&context, args)
}

/// All rows of a document; none where it raises an error.
fn rows(of: OpenJson, columns: usize, text: &str) -> Option<Vec<Vec<Value>>> {
    let wanted: Vec<usize> = (0..columns).collect();
    let (mut cells, mut out) = (vec![Value::Null; columns], Vec::new());
    let mut rows = JsonRows::open(&Arc::new(of), Value::nvarchar(text), None).ok()?;
    while rows.next(&wanted, &mut cells).ok()? {
        out.push(cells.clone());
    }
    Some(out)
}

#[test]
fn any_text_is_read_to_an_end_and_alike() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let (mut good, mut bad) = (0, 0);
    for _ in 0..20_000 {
        let text = edited(&mut random);
        let is_json = call("ISJSON", &[Value::nvarchar(&text)]).unwrap() == Value::Int(1);
        *(if is_json { &mut good } else { &mut bad }) += 1;
        let path = PATHS[random.below(PATHS.len())];
        let new = [Value::nvarchar(&text), Value::nvarchar(path), Value::nvarchar("n/\"")];
        match call("JSON_MODIFY", &new) {
            Ok(changed) => {
                assert!(is_json, "{text}");
                assert_eq!(call("ISJSON", &[changed]).unwrap(), Value::Int(1), "{text} {path}");
            }
            Err(e) => assert!(!is_json && e.number == 13609, "{text} {path}: {}", e.number),
        }
        let columns = ["$.a", "$.b.c[0]", "$.b.c[2]", "$.\"d e\"", "$"];
        let columns = columns.iter().map(|p| JsonColumn::new("x", Some(p), false).unwrap());
        let all = rows(OpenJson::new(columns.collect()), 5, &text);
        let members = rows(OpenJson::default(), 3, &text);
        if is_json {
            assert_eq!(all.map(|rows| rows.len()), Some(1), "{text}");
            // What OPENJSON shows first of a name is what JSON_VALUE finds.
            let first = members.unwrap().into_iter().find(|row| row[0] == Value::nvarchar("d e"));
            let found = call("JSON_VALUE", &[Value::nvarchar(&text), Value::nvarchar("$.\"d e\"")]);
            let scalar = first.filter(|row| row[2].as_i64() < Some(4)).map(|row| row[1].clone());
            assert_eq!(found.unwrap(), scalar.unwrap_or(Value::Null), "{text}");
        }
    }
    assert!(good > 2_000 && bad > 2_000, "{good} {bad}");
}
