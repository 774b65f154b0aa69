use super::*;
use std::path::Path;
use taffrail_io::OpenSpec;
use taffrail_io::sim::SimWorld;

const UTF8: Encoding = Encoding::Page(taffrail_types::CodePage::UTF8);

fn format(csv: bool, field: &str, row: &str, encoding: Encoding) -> FileFormat {
    FileFormat {
        quote: csv.then_some(b'"'),
        field_end: Terminator::parse(field).unwrap(),
        row_end: Terminator::parse(row).unwrap(),
        encoding,
    }
}

fn open(bytes: &[u8], format: FileFormat) -> RowReader {
    let env = SimWorld::new(1).env();
    let path = Path::new("/f");
    let file = env.disk.create(path, OpenSpec::PLAIN).unwrap();
    file.write_at(0, bytes).unwrap();
    RowReader::open(file, format).unwrap()
}

fn rows(bytes: &[u8], format: FileFormat, columns: usize) -> Result<Vec<Vec<String>>, String> {
    let mut reader = open(bytes, format);
    let (mut fields, mut out) = (Fields::default(), Vec::new());
    let limits = vec![1 << 20; columns];
    while reader.next_row(&limits, &mut fields).map_err(|e| match e {
        FileError::Io(e) => e.to_string(),
        FileError::UnexpectedEnd => "end".into(),
        FileError::TooLong(n) => format!("too long {n}"),
    })? {
        let text = |n| {
            let (bytes, quoted) = fields.get(&reader, n);
            let text = String::from_utf8_lossy(bytes).into_owned();
            if quoted { format!("<{text}>") } else { text }
        };
        out.push((0..fields.len()).map(text).collect());
    }
    Ok(out)
}

fn expect(rows: &[&[&str]]) -> Result<Vec<Vec<String>>, String> {
    Ok(rows.iter().map(|r| r.iter().map(|f| f.to_string()).collect()).collect())
}

#[test]
fn lines_end_as_either_system_ends_them() {
    let want = expect(&[&["1", "a"], &["2", "b"]]);
    for text in ["1,a\n2,b\n", "1,a\r\n2,b\r\n", "1,a\n2,b", "1,a\r\n2,b"] {
        assert_eq!(rows(text.as_bytes(), format(false, ",", "\\n", Encoding::ANSI), 2), want);
        assert_eq!(rows(text.as_bytes(), format(true, ",", "\\n", UTF8), 2), want);
    }
    // In hexadecimal it is the byte alone.
    let hex = format(false, "\\t", "0x0a", Encoding::ANSI);
    assert_eq!(rows(b"1\ta\r\n2\tb\n", hex, 2), expect(&[&["1", "a\r"], &["2", "b"]]));
    let crlf = format(false, ",", "\\r\\n", Encoding::ANSI);
    assert_eq!(rows(b"1,a\n\r\n2,b\r\n", crlf, 2), expect(&[&["1", "a\n"], &["2", "b"]]));
    assert_eq!(rows(b"", format(false, ",", "\\n", Encoding::ANSI), 2), expect(&[]));
}

#[test]
fn without_csv_a_short_row_swallows_the_next_line() {
    let plain = format(false, ",", "\\n", Encoding::ANSI);
    assert_eq!(rows(b"1\n2,b\n", plain.clone(), 2), expect(&[&["1\n2", "b"]]));
    assert_eq!(rows(b"1,a,x\n", plain.clone(), 2), expect(&[&["1", "a,x"]]));
    assert_eq!(rows(b"1,a\n2", plain.clone(), 2), Err("end".into()));
    assert_eq!(rows(b"\"1\",a\n", plain.clone(), 2), expect(&[&["\"1\"", "a"]]));
    assert_eq!(rows(b",\n,\n", plain, 2), expect(&[&["", ""], &["", ""]]));
    let several = format(false, "||", "##", Encoding::ANSI);
    assert_eq!(rows(b"1||a|b##2||#c##", several, 2), expect(&[&["1", "a|b"], &["2", "#c"]]));
}

#[test]
fn csv_has_quotes_and_rows_of_any_length() {
    let csv = format(true, ",", "\\n", UTF8);
    assert_eq!(
        rows(b"1,\"a,\"\"b\"\"\nc\"\r\n2,\"\"\n\"3\",\n", csv.clone(), 2),
        expect(&[&["1", "<a,\"b\"\nc>"], &["2", "<>"], &["<3>", ""]])
    );
    assert_eq!(
        rows(b"1\n2,b,x\n3,\"c\",x\n4,d\n", csv.clone(), 2),
        expect(&[&["1"], &["2", "b,x"], &["3", "<c>"], &["4", "d"]])
    );
    assert_eq!(rows(b"1,\"a\n", csv.clone(), 2), Err("end".into()));
    assert_eq!(rows(b"\"1\"x,\"a\"", csv, 2), expect(&[&["<1x>", "<a>"]]));
}

#[test]
fn marks_and_utf16_are_understood() {
    let utf8 = format(true, ",", "\\n", UTF8);
    assert_eq!(rows("\u{feff}1,ü\n".as_bytes(), utf8, 2), expect(&[&["1", "ü"]]));
    let wide: Vec<u8> =
        "\u{feff}1|grün 😀\r\n2|b".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let format = format(false, "|", "\\n", Encoding::Utf16);
    assert_eq!(rows(&wide, format, 2), expect(&[&["1", "grün 😀"], &["2", "b"]]));
}

#[test]
fn rows_survive_the_end_of_the_buffer() {
    // Rows of growing length, one of them far longer than a piece; quoted ones with line ends.
    let long = "x".repeat(3 * PIECE);
    let mut text = String::new();
    let mut want = Vec::new();
    for i in 0..3000 {
        let field = if i == 1500 { long.clone() } else { "y,\n".repeat(i % 97) };
        text.push_str(&format!("{i},\"{field}\",z\r\n"));
        want.push(vec![i.to_string(), format!("<{field}>"), "z".into()]);
    }
    assert_eq!(rows(text.as_bytes(), format(true, ",", "\\n", UTF8), 3), Ok(want));
    let wide: String = (0..200_000).map(|i| format!("{i}|😀\n")).collect();
    let bytes: Vec<u8> = wide.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let got = rows(&bytes, format(false, "|", "\\n", Encoding::Utf16), 2).unwrap();
    assert_eq!(got.len(), 200_000);
    assert!(got.iter().enumerate().all(|(i, r)| r[0] == i.to_string() && r[1] == "😀"));
}

#[test]
fn a_field_without_its_terminator_is_told_early() {
    let mut reader = open(&vec![b'x'; 4 * PIECE], format(false, ",", "\\n", Encoding::ANSI));
    let mut fields = Fields::default();
    let e = reader.next_row(&[8000, 8000], &mut fields).unwrap_err();
    assert!(matches!(e, FileError::TooLong(1)), "{e:?}");
    let mut text = vec![b'x'; 4 * PIECE];
    text[0] = b'"';
    let mut reader = open(&text, format(true, ",", "\\n", Encoding::ANSI));
    let e = reader.next_row(&[8000, 8000], &mut fields).unwrap_err();
    assert!(matches!(e, FileError::TooLong(1)), "{e:?}");
}
