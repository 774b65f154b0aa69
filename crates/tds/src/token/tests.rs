//! Tokens out and in again; random and broken streams.

use super::*;
use crate::packet::Assembler;
use crate::reader::Reader;
use crate::value::tests::{same, samples};
use crate::version::TdsVersion;
use crate::{ProtocolError, login7, prelogin, request, rpc};
use encode::*;
use taffrail_types::{SqlType, Value};

const VERSIONS: [TdsVersion; 4] =
    [TdsVersion::V7_1, TdsVersion::V7_2, TdsVersion::V7_3B, TdsVersion::V7_4];

fn column(name: &str, ty: SqlType) -> ColumnSpec<'_> {
    let collation = [9, 4, 0xD0, 0, 0x34];
    let large = Default::default();
    let (identity, computed, user_type) = (false, false, 0);
    ColumnSpec { name, ty, collation, nullable: true, identity, computed, large, user_type }
}

#[test]
fn alias_types_are_told_by_their_number() {
    let of = |user_type| {
        let mut out = Vec::new();
        let one = ColumnSpec { user_type, ..column("a", SqlType::Int) };
        columns(&mut out, &[one], TdsVersion::V7_4);
        out[3..7].to_vec()
    };
    assert_eq!(of(0), [0, 0, 0, 0]);
    assert_eq!(of(300), [44, 1, 0, 0]);
}

fn all(bytes: &[u8], version: TdsVersion) -> Result<Vec<Token>, ProtocolError> {
    let (mut reader, mut r, mut tokens) =
        (TokenReader::new(version), Reader::new(bytes), Vec::new());
    while let Some(token) = reader.next(&mut r)? {
        tokens.push(token);
    }
    Ok(tokens)
}

/// A result with every type, plain rows and rows of NULLs, in one stream.
fn everything(version: TdsVersion) -> Vec<u8> {
    let mut out = Vec::new();
    env_change(&mut out, &EnvChange::Database("lab", "master"));
    env_change(&mut out, &EnvChange::PacketSize(8000, 4096));
    login_ack(&mut out, version, "Microsoft SQL Server", (16, 0, 1000));
    feature_ext_ack(&mut out, &[(10, &[1])]);
    let (types, values): (Vec<_>, Vec<_>) = samples().into_iter().unzip();
    let specs: Vec<_> = types.iter().map(|ty| column("c", *ty)).collect();
    columns(&mut out, &specs, version);
    order(&mut out, &[1, 2]);
    let encoder = RowEncoder::new(&specs, version);
    encoder.row(&mut out, &values).unwrap();
    encoder.row(&mut out, &vec![Value::Null; values.len()]).unwrap();
    message(
        &mut out,
        &MessageToken {
            number: 208,
            state: 1,
            class: 16,
            text: "Invalid object name 'x'.",
            server: "S",
            procedure: "p",
            line: 3,
        },
        version,
    );
    return_status(&mut out, -6);
    return_value(&mut out, 1, "@o", SqlType::Int, [0; 5], &Value::Int(4), version).unwrap();
    let status = DONE_COUNT | DONE_ERROR;
    done(
        &mut out,
        &DoneToken { kind: DoneKind::Procedure, status, command: 0xC1, rows: 2 },
        version,
    );
    out
}

#[test]
fn streams_round_trip_in_every_version() {
    for version in VERSIONS {
        let tokens = all(&everything(version), version).unwrap();
        let rows: Vec<_> = tokens
            .iter()
            .filter_map(|t| if let Token::Row(r) = t { Some(r) } else { None })
            .collect();
        assert_eq!(rows.len(), 2);
        assert!(rows[1].iter().all(Value::is_null));
        if version == TdsVersion::V7_4 {
            for (read, (ty, sent)) in rows[0].iter().zip(samples()) {
                assert!(same(read, &sent), "{ty:?}");
            }
        }
        assert!(
            matches!(&tokens[2], Token::LoginAck { version: v, .. } if *v == version.login_value())
        );
        let error = tokens.iter().find_map(|t| match t {
            Token::Message { error, number, line, text, .. } => {
                Some((*error, *number, *line, text.clone()))
            }
            _ => None,
        });
        assert_eq!(error, Some((true, 208, 3, "Invalid object name 'x'.".to_string())));
        match tokens.last() {
            Some(Token::Done(d)) => assert_eq!((d.rows, d.kind), (2, DoneKind::Procedure)),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn nbcrow_is_used_when_it_is_shorter() {
    let specs =
        [column("a", SqlType::Int), column("b", SqlType::VarChar(taffrail_types::MaxLen::N(5)))];
    let row = |version, values: &[Value]| {
        let mut out = Vec::new();
        RowEncoder::new(&specs, version).row(&mut out, values).unwrap();
        out
    };
    // One NULL int: one byte either way.
    let one = [Value::Null, Value::VarChar(b"x"[..].into())];
    assert_eq!(row(TdsVersion::V7_4, &one), [kind::ROW, 0, 1, 0, b'x']);
    let both = [Value::Null, Value::Null];
    assert_eq!(row(TdsVersion::V7_4, &both), [kind::NBCROW, 3]);
    assert_eq!(row(TdsVersion::V7_3A, &both), [kind::ROW, 0, 0xFF, 0xFF]);
    let mut out = vec![9];
    let e =
        RowEncoder::new(&specs, TdsVersion::V7_4).row(&mut out, &[Value::Int(1), Value::Int(1)]);
    assert_eq!((e.unwrap_err().column, out), (1, vec![9]));
}

#[test]
fn a_cut_stream_waits_for_more() {
    let stream = everything(TdsVersion::V7_4);
    for n in (0..stream.len()).step_by(37) {
        let (mut reader, mut r) = (TokenReader::new(TdsVersion::V7_4), Reader::new(&stream[..n]));
        let end = loop {
            let before = r.position();
            match reader.next(&mut r) {
                Ok(Some(_)) => assert!(r.position() > before),
                Ok(None) => break None,
                Err(e) => {
                    assert_eq!(r.position(), before);
                    break Some(e);
                }
            }
        };
        assert!(matches!(end, None | Some(ProtocolError::Truncated)), "{n}: {end:?}");
    }
}

/// xorshift64*: the same bytes on every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
}

fn decode_as_anything(bytes: &[u8]) {
    for version in [TdsVersion::V7_1, TdsVersion::V7_4] {
        let _ = all(bytes, version);
        let _ = rpc::decode(bytes, version);
        let _ = request::decode_batch(bytes, version);
        let _ = request::TransactionRequest::decode(bytes, version);
    }
    let _ = login7::Login7::decode(bytes);
    let _ = prelogin::Prelogin::decode(bytes);
    let mut assembler = Assembler::new(bytes.len() / 2);
    assembler.feed(bytes);
    let _ = assembler.take_attention();
    while let Ok(Some(_)) = assembler.next_message() {
        assert!(assembler.data().len() <= bytes.len() / 2);
    }
}

#[test]
fn random_bytes_never_panic() {
    let mut random = Random(42);
    for _ in 0..20_000 {
        let n = random.next() as usize % 300;
        let mut bytes: Vec<u8> = (0..n).map(|_| random.next() as u8).collect();
        // Half of them begin like something.
        if let (1, Some(first)) = (random.next() % 2, bytes.first_mut()) {
            *first =
                [kind::COLMETADATA, kind::ERROR, 0x01, 0x12, 22, 0x10][random.next() as usize % 6];
        }
        decode_as_anything(&bytes);
    }
}

#[test]
fn damaged_messages_never_panic() {
    let mut random = Random(7);
    let mut seeds = vec![everything(TdsVersion::V7_4), everything(TdsVersion::V7_1)];
    let params = samples().into_iter().map(|(ty, value)| rpc::Param {
        name: "@p".into(),
        by_ref: false,
        default: false,
        ty,
        value,
        table: None,
    });
    let call = rpc::Call {
        procedure: rpc::Procedure::Name("p".into()),
        options: 0,
        params: params.filter(|p| p.value.as_bytes().is_none_or(|b| b.len() < 100)).collect(),
        skip: false,
    };
    let mut out = Vec::new();
    rpc::encode(&[call.clone(), call], 0, [0; 5], TdsVersion::V7_4, &mut out).unwrap();
    seeds.push(out);
    for seed in &mut seeds {
        seed.truncate(3000);
        for _ in 0..3_000 {
            let mut bytes = seed.clone();
            for _ in 0..1 + random.next() % 4 {
                let at = random.next() as usize % bytes.len();
                bytes[at] = random.next() as u8;
            }
            decode_as_anything(&bytes);
        }
    }
}

#[test]
fn columns_without_null_have_no_lengths() {
    let forms = [
        (SqlType::Bit, Value::Bit(true), 0x32, 1),
        (SqlType::TinyInt, Value::TinyInt(200), 0x30, 1),
        (SqlType::SmallInt, Value::SmallInt(-2), 0x34, 2),
        (SqlType::Int, Value::Int(70_000), 0x38, 4),
        (SqlType::BigInt, Value::BigInt(-5), 0x7F, 8),
        (SqlType::Real, Value::Real(1.5), 0x3B, 4),
        (SqlType::Float, Value::Float(-2.5), 0x3E, 8),
        (SqlType::SmallMoney, Value::Money(-12_345), 0x7A, 4),
        (SqlType::Money, Value::Money(1 << 40), 0x3C, 8),
        (SqlType::SmallDateTime, Value::SmallDateTime { days: 3, minutes: 4 }, 0x3A, 4),
        (SqlType::DateTime, Value::DateTime { days: -3, ticks: 4 }, 0x3D, 8),
    ];
    for version in VERSIONS {
        for (ty, value, kind, bytes) in &forms {
            let mut spec = column("c", *ty);
            spec.nullable = false;
            let (mut out, mut row) = (Vec::new(), Vec::new());
            columns(&mut out, &[spec], version);
            // The name ends it: its length and one character.
            assert_eq!(out[out.len() - 4], *kind, "{ty}");
            let encoder = RowEncoder::new(&[spec], version);
            encoder.row(&mut row, std::slice::from_ref(value)).unwrap();
            assert_eq!(row.len(), 1 + bytes, "{ty}");
            assert!(encoder.row(&mut row, &[Value::Null]).is_err());
            out.extend_from_slice(&row);
            match &all(&out, version).unwrap()[..] {
                [Token::Columns(c), Token::Row(r)] => {
                    assert!(!c[0].nullable && same(&r[0], value), "{ty}");
                }
                other => panic!("{other:?}"),
            }
        }
        // Others keep theirs.
        let mut spec = column("c", SqlType::VarChar(taffrail_types::MaxLen::N(3)));
        spec.nullable = false;
        let mut row = Vec::new();
        RowEncoder::new(&[spec], version).row(&mut row, &[Value::varchar("abc")]).unwrap();
        assert_eq!(row.len(), 1 + 2 + 3);
    }
}

#[test]
fn the_last_column_of_a_cursor_is_hidden() {
    let of = |computed, table| CursorColumn { computed, table, base: None };
    let mut out = Vec::new();
    cursor_columns(&mut out, &[], &[of(false, 0), of(true, 0), of(true, 0)]);
    assert_eq!(out, [0xA5, 9, 0, 1, 0, 0, 2, 0, 4, 3, 0, 0x14]);
    let told = all(&out, TdsVersion::V7_4).expect("whole tokens");
    assert!(matches!(told.as_slice(), [Token::Other(0xA5)]));
    out.clear();
    let many: Vec<CursorColumn> = (0..256).map(|_| of(true, 0)).collect();
    cursor_columns(&mut out, &[], &many);
    assert!(out.is_empty(), "a number has one byte");
}

#[test]
fn the_tables_of_a_cursor_are_named() {
    let tables = [vec!["s".to_string(), "t".to_string()]];
    let columns = [
        CursorColumn { computed: false, table: 1, base: Some("b".into()) },
        CursorColumn { computed: true, table: 0, base: None },
    ];
    let mut out = Vec::new();
    cursor_columns(&mut out, &tables, &columns);
    let names = [0xA4, 9, 0, 2, 1, 0, b's', 0, 1, 0, b't', 0];
    let info = [0xA5, 9, 0, 1, 1, 0x20, 1, b'b', 0, 2, 0, 0x14];
    assert_eq!(out, [&names[..], &info].concat());
    let told = all(&out, TdsVersion::V7_4).expect("whole tokens");
    assert!(matches!(told.as_slice(), [Token::Other(0xA4), Token::Other(0xA5)]));
}
