//! TDS, both directions.

use taffrail_tds::bulk::{BulkColumn, BulkDecoder, BulkNext, put_columns};
use taffrail_tds::login7::{FEATURE_UTF8, Feature, Login7};
use taffrail_tds::prelogin::Prelogin;
use taffrail_tds::request::{BeginSpec, TransactionRequest, decode_batch, encode_batch};
use taffrail_tds::rpc::{self, Call, Param, Procedure};
use taffrail_tds::token::encode as put;
use taffrail_tds::token::{
    ColumnSpec, DoneKind, DoneToken, EnvChange, MessageToken, RowEncoder, TokenReader,
};
use taffrail_tds::tvp::{TableColumn, TableValue};
use taffrail_tds::{Assembler, Framer, PacketType, Part, Reader, TdsVersion, TypeInfo};
use taffrail_types::{Decimal, MaxLen, SqlType, Value};

const VERSIONS: [TdsVersion; 4] =
    [TdsVersion::V7_1, TdsVersion::V7_2, TdsVersion::V7_3B, TdsVersion::V7_4];
const COLLATION: [u8; 5] = [9, 4, 0xD0, 0, 0x34];

/// A value of each type.
pub fn samples() -> Vec<(SqlType, Value)> {
    use SqlType as T;
    let decimal = |m, s| Value::Decimal(Decimal::new(true, m, s).expect("in range"));
    vec![
        (T::Bit, Value::Bit(true)),
        (T::TinyInt, Value::TinyInt(255)),
        (T::SmallInt, Value::SmallInt(-32768)),
        (T::Int, Value::Int(-5)),
        (T::BigInt, Value::BigInt(i64::MIN)),
        (T::Decimal { precision: 9, scale: 2 }, decimal(123_456_789, 2)),
        (T::Numeric { precision: 19, scale: 0 }, decimal(9_999_999_999_999_999_999, 0)),
        (T::Decimal { precision: 38, scale: 4 }, decimal(10u128.pow(38) - 1, 4)),
        (T::Money, Value::Money(-922_337_203_685_477_580)),
        (T::SmallMoney, Value::Money(2_147_483_647)),
        (T::Real, Value::Real(1.5)),
        (T::Float, Value::Float(-2.5e300)),
        (T::Date, Value::Date(3_652_058)),
        (T::Time(0), Value::Time(86_399 * 10_000_000)),
        (T::DateTime, Value::DateTime { days: -53_690, ticks: 25 }),
        (T::SmallDateTime, Value::SmallDateTime { days: 65_535, minutes: 1439 }),
        (T::DateTime2(3), Value::DateTime2 { days: 738_000, ticks: 1_230_000 }),
        (T::DateTimeOffset(7), Value::DateTimeOffset { days: 1, ticks: 7, offset: -840 }),
        (T::Char(3), Value::varchar("abc")),
        (T::VarChar(MaxLen::N(80)), Value::varchar("a longer text")),
        (T::VarChar(MaxLen::Max), Value::varchar("of any length")),
        (T::NChar(1), Value::nvarchar("a")),
        (T::NVarChar(MaxLen::N(10)), Value::nvarchar("é")),
        (T::NVarChar(MaxLen::Max), Value::nvarchar("of any length")),
        (T::Binary(2), Value::binary(&[1, 2])),
        (T::VarBinary(MaxLen::N(5)), Value::binary(&[1])),
        (T::VarBinary(MaxLen::Max), Value::Null),
        (T::UniqueIdentifier, Value::Guid([7; 16])),
    ]
}

fn version(byte: u8) -> TdsVersion {
    VERSIONS[usize::from(byte) % VERSIONS.len()]
}

fn login_seed() -> Vec<u8> {
    let login = Login7 {
        tds_version: TdsVersion::V7_4.login_value(),
        packet_size: 8000,
        host_name: "host".into(),
        user_name: "sa".into(),
        password: "secret".into(),
        app_name: "app".into(),
        database: "lab".into(),
        features: vec![Feature { id: FEATURE_UTF8, data: vec![1] }],
        ..Login7::default()
    };
    let mut out = Vec::new();
    login.encode(&mut out);
    out
}

fn prelogin_seed() -> Vec<u8> {
    let mut out = Vec::new();
    Prelogin { version: (16, 0, 1000), ..Prelogin::default() }.encode(false, &mut out);
    out
}

pub fn login(input: &[u8]) -> bool {
    let prelogin = Prelogin::decode(input).is_ok();
    let Ok(login) = Login7::decode(input) else { return prelogin };
    let _ = (login.wants_ansi_defaults(), login.is_integrated(), login.changes_password());
    let _ = (login.asks_for(FEATURE_UTF8), format!("{login:?}"));
    true
}

pub fn login_seeds() -> Vec<Vec<u8>> {
    vec![login_seed(), prelogin_seed()]
}

/// First byte: the version, and which kind of request.
pub fn request(input: &[u8]) -> bool {
    let Some((&first, data)) = input.split_first() else { return false };
    decode_request(first >> 4, data, version(first))
}

fn decode_request(kind: u8, data: &[u8], version: TdsVersion) -> bool {
    match kind % 3 {
        0 => decode_batch(data, version).is_ok(),
        1 => rpc::decode(data, version).is_ok(),
        _ => TransactionRequest::decode(data, version).is_ok(),
    }
}

/// A parameter that is a table with a column of each kind of length.
fn table() -> Param {
    let column = |ty, default| TableColumn { ty, default };
    let columns = vec![
        column(SqlType::Int, false),
        column(SqlType::NVarChar(MaxLen::N(10)), false),
        column(SqlType::VarBinary(MaxLen::Max), false),
        column(SqlType::BigInt, true),
    ];
    let row = vec![Value::Int(1), Value::nvarchar("é"), Value::binary(&[1, 2, 3])];
    let rows = vec![row, vec![Value::Null, Value::Null, Value::Null]];
    let (schema, name, order) = ("dbo".into(), "t".into(), vec![3, 2, 1, 4]);
    let value = TableValue { schema, name, columns: Some(columns), order, rows };
    Param {
        name: "@t".into(),
        by_ref: false,
        default: false,
        ty: SqlType::Int,
        value: Value::Null,
        table: Some(Box::new(value)),
    }
}

fn call(version: TdsVersion) -> Vec<u8> {
    let fits = |ty: &SqlType| {
        TypeInfo::for_result(*ty, COLLATION, version).wire != taffrail_tds::Wire::TextPointer
    };
    let params = samples()
        .into_iter()
        .filter(|(ty, _)| fits(ty))
        .enumerate()
        .map(|(n, (ty, value))| Param {
            name: format!("@p{n}"),
            by_ref: n % 5 == 0,
            default: false,
            ty,
            value,
            table: None,
        })
        .chain(version.has_new_dates().then(table))
        .collect();
    let execute =
        Call { procedure: Procedure::Id(rpc::SP_EXECUTESQL), options: 0, params, skip: false };
    let named =
        Call { procedure: Procedure::Name("sp_who".into()), params: Vec::new(), ..execute.clone() };
    let mut out = Vec::new();
    // What a version cannot carry is left out: half a message is a seed, too.
    let _ = rpc::encode(&[named, execute], 7, COLLATION, version, &mut out);
    out
}

fn transaction(version: TdsVersion) -> Vec<u8> {
    let begin = BeginSpec { isolation: 2, name: "t".into() };
    let request = TransactionRequest::Commit { name: "c".into(), begin: Some(begin) };
    let mut out = Vec::new();
    request.encode(7, version, &mut out);
    out
}

pub fn request_seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (n, version) in VERSIONS.into_iter().enumerate() {
        let n = n as u8;
        let mut batch = vec![n];
        encode_batch("select 1", 7, version, &mut batch);
        seeds.push(batch);
        seeds.push([vec![n | 0x10], call(version)].concat());
        seeds.push([vec![n | 0x20], transaction(version)].concat());
    }
    seeds
}

/// What a socket brings: the first byte says the version and how many bytes come at a time.
pub fn packets(input: &[u8]) -> bool {
    let Some((&first, data)) = input.split_first() else { return false };
    let (version, step) = (version(first), 1 + usize::from(first >> 2) * 16);
    let mut assembler = Assembler::new(1 << 16);
    let mut understood = false;
    for piece in data.chunks(step) {
        assembler.feed(piece);
        loop {
            match assembler.next_message() {
                Ok(None) => break,
                Err(_) => return understood,
                Ok(Some(m)) if m.kind == PacketType::BulkLoad => {
                    // The rest of it all at once.
                    let mut rows = Vec::new();
                    let ended = assembler.next_part(&mut rows);
                    understood |= read_bulk(&rows, version, 64);
                    if !matches!(ended, Ok(Part::End { .. } | Part::Attention)) {
                        return understood;
                    }
                }
                Ok(Some(m)) => understood |= message(m.kind, assembler.data(), version),
            }
        }
    }
    let _ = (assembler.take_attention(), assembler.buffered());
    understood
}

fn message(kind: PacketType, data: &[u8], version: TdsVersion) -> bool {
    match kind {
        PacketType::Prelogin => Prelogin::decode(data).is_ok(),
        PacketType::Login7 => Login7::decode(data).is_ok(),
        PacketType::Batch => decode_request(0, data, version),
        PacketType::Rpc => decode_request(1, data, version),
        PacketType::TransactionManager => decode_request(2, data, version),
        PacketType::Response => read_tokens(data, version),
        _ => false,
    }
}

pub fn packet_seeds() -> Vec<Vec<u8>> {
    let version = TdsVersion::V7_4;
    let mut batch = Vec::new();
    encode_batch("select 1", 0, version, &mut batch);
    let messages = [
        (PacketType::Prelogin, prelogin_seed()),
        (PacketType::Login7, login_seed()),
        (PacketType::Batch, batch),
        (PacketType::Rpc, call(version)),
        (PacketType::TransactionManager, transaction(version)),
        (PacketType::BulkLoad, rows(version)),
        (PacketType::Attention, Vec::new()),
    ];
    let mut session = vec![0xff];
    let mut seeds = Vec::new();
    for (kind, data) in messages {
        let mut framer = Framer::new(kind);
        framer.set_packet_bytes(512);
        let mut out = vec![3];
        framer.frame(&data, true, &mut out);
        session.extend_from_slice(&out[1..]);
        seeds.push(out);
    }
    seeds.push(session);
    seeds
}

/// Rows of every type behind their columns.
fn rows(version: TdsVersion) -> Vec<u8> {
    let (types, values): (Vec<_>, Vec<_>) = samples().into_iter().unzip();
    let columns: Vec<BulkColumn> = types
        .iter()
        .map(|ty| BulkColumn {
            name: "c".into(),
            info: TypeInfo::for_result(*ty, COLLATION, version),
        })
        .collect();
    let mut out = Vec::new();
    put_columns(&mut out, &columns, version);
    let specs: Vec<ColumnSpec<'_>> = types.iter().map(|ty| column(*ty)).collect();
    let encoder = RowEncoder::new(&specs, version);
    for row in [values.clone(), vec![Value::Null; values.len()]] {
        // A version that lacks a type sends what it has so far.
        let _ = encoder.row(&mut out, &row);
    }
    let end = DoneToken { kind: DoneKind::Statement, status: 0, command: 0, rows: 0 };
    put::done(&mut out, &end, version);
    out
}

fn column(ty: SqlType) -> ColumnSpec<'static> {
    let (nullable, identity, computed) = (true, false, false);
    ColumnSpec {
        name: "c",
        ty,
        collation: COLLATION,
        nullable,
        identity,
        computed,
        large: Default::default(),
        user_type: 0,
    }
}

fn read_bulk(data: &[u8], version: TdsVersion, step: usize) -> bool {
    let mut decoder = BulkDecoder::new(version);
    let mut pieces = data.chunks(step);
    let mut row = Vec::new();
    let mut read = 0;
    loop {
        let columns = match decoder.columns() {
            Ok(columns) => columns.is_some(),
            Err(_) => return false,
        };
        let next = if columns { decoder.row(&mut row) } else { Ok(BulkNext::More) };
        match next {
            Ok(BulkNext::Row) => read += 1,
            Ok(BulkNext::End) => return read > 0,
            Ok(BulkNext::More) => match pieces.next() {
                Some(piece) => decoder.input().extend_from_slice(piece),
                None => decoder.complete(),
            },
            Err(_) => return false,
        }
        row.clear();
    }
}

/// First byte: the version, and how many bytes come at a time.
pub fn bulk(input: &[u8]) -> bool {
    let Some((&first, data)) = input.split_first() else { return false };
    read_bulk(data, version(first), 1 + usize::from(first >> 2) * 8)
}

pub fn bulk_seeds() -> Vec<Vec<u8>> {
    let seeds = VERSIONS.into_iter().enumerate();
    seeds.map(|(n, v)| [vec![n as u8 | 0x80], rows(v)].concat()).collect()
}

fn read_tokens(data: &[u8], version: TdsVersion) -> bool {
    let (mut reader, mut r) = (TokenReader::new(version), Reader::new(data));
    loop {
        match reader.next(&mut r) {
            Ok(Some(_)) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

pub fn tokens(input: &[u8]) -> bool {
    let Some((&first, data)) = input.split_first() else { return false };
    read_tokens(data, version(first))
}

/// An answer with every kind of token.
pub fn token_seeds() -> Vec<Vec<u8>> {
    let (types, values): (Vec<_>, Vec<_>) = samples().into_iter().unzip();
    let specs: Vec<ColumnSpec<'_>> = types.iter().map(|ty| column(*ty)).collect();
    let text = MessageToken {
        number: 208,
        state: 1,
        class: 16,
        text: "Invalid object name 'x'.",
        server: "S",
        procedure: "p",
        line: 3,
    };
    let all = |(n, version)| {
        let mut out = vec![n as u8];
        put::env_change(&mut out, &EnvChange::Database("lab", "master"));
        put::login_ack(&mut out, version, "Microsoft SQL Server", (16, 0, 1000));
        put::feature_ext_ack(&mut out, &[(10, &[1])]);
        put::columns(&mut out, &specs, version);
        put::order(&mut out, &[1, 2]);
        let encoder = RowEncoder::new(&specs, version);
        let _ = encoder.row(&mut out, &values);
        let _ = encoder.row(&mut out, &vec![Value::Null; values.len()]);
        put::message(&mut out, &text, version);
        put::return_status(&mut out, -6);
        let int = Value::Int(4);
        let _ = put::return_value(&mut out, 1, "@o", SqlType::Int, [0; 5], &int, version);
        let done = DoneToken { kind: DoneKind::Procedure, status: 0x12, command: 0xC1, rows: 2 };
        put::done(&mut out, &done, version);
        out
    };
    VERSIONS.into_iter().enumerate().map(all).collect()
}
