use super::*;

fn xml(v: &Value, style: i64) -> Result<String, String> {
    as_xml(v, style)
        .map(|v| v.as_text().unwrap())
        .map_err(|e| format!("{} {}", e.number, e.message.trim_start_matches("XML parsing: ")))
}

fn of(text: &str) -> Result<String, String> {
    xml(&Value::varchar(text), 0)
}

#[test]
fn content_is_kept_in_one_form() {
    for (written, kept) in [
        ("", ""),
        ("   ", ""),
        ("<a  b=\"1\" ></a>", "<a b=\"1\"/>"),
        ("<a b='x'/>", "<a b=\"x\"/>"),
        ("<a>&#65;&lt;&gt;&amp;&quot;&apos;</a>", "<a>A&lt;&gt;&amp;\"'</a>"),
        (
            "<a b='&lt;&gt;&amp;&quot;&apos;&#9;&#10;&#13;'/>",
            "<a b=\"&lt;&gt;&amp;&quot;'&#x09;&#x0A;&#x0D;\"/>",
        ),
        ("<?xml version=\"1.0\" encoding=\"utf-8\"?><a/>", "<a/>"),
        ("<a>  <b/>  </a>", "<a><b/></a>"),
        ("<a> x </a>", "<a> x </a>"),
        ("x <a/> y", "x <a/> y"),
        ("<![CDATA[<x>]]>", "&lt;x&gt;"),
        ("<a><![CDATA[ ]]></a>", "<a>&#x20;</a>"),
        ("<a>x<![CDATA[y]]>z</a>", "<a>xyz</a>"),
        ("<!--c--><?p  d  ?><?q?>", "<!--c--><?p d  ?><?q ?>"),
        ("<p:a xmlns:p=\"u\" p:x=\"1\"/>", "<p:a xmlns:p=\"u\" p:x=\"1\"/>"),
        ("<a b=\"1\" xmlns:p=\"u\" c=\"2\"/>", "<a xmlns:p=\"u\" b=\"1\" c=\"2\"/>"),
        ("<a>\r\nb\rc</a>", "<a>\nb\nc</a>"),
        ("<a b='x\ty\r\nz'/>", "<a b=\"x y z\"/>"),
        ("<a>&#xD;</a>", "<a>&#x0D;</a>"),
        ("<a>&#9;</a>", "<a>&#x09;</a>"),
        ("<a>&#9;&#10;&#13;&#x20;</a>", "<a>\t\n&#x0D; </a>"),
        ("<a xml:space='preserve'>  <b/></a>", "<a xml:space=\"preserve\"> &#x20;<b/></a>"),
        ("<a>x</a >", "<a>x</a>"),
    ] {
        assert_eq!(of(written).as_deref(), Ok(kept), "{written}");
        assert_eq!(of(kept).as_deref(), Ok(kept), "{kept}");
    }
    assert_eq!(xml(&Value::varchar("<a>  <b/></a>"), 1).unwrap(), "<a> &#x20;<b/></a>");
}

#[test]
fn mistakes_have_their_place() {
    for (written, number, place) in [
        ("<a>", 9400, "1, character 3"),
        ("<a", 9400, "1, character 2"),
        ("<a><b></a>", 9436, "1, character 10"),
        ("<a x=1/>", 9413, "1, character 6"),
        ("<a>&nbsp;</a>", 9448, "1, character 9"),
        ("</a>", 9455, "1, character 2"),
        ("text</a>", 9436, "1, character 8"),
        ("1 < 2", 9455, "1, character 4"),
        ("<a b$c='1'/>", 9455, "1, character 5"),
        ("<a><![CDATA[x</a>", 9423, "1, character 17"),
        ("<!-- x", 9424, "1, character 6"),
        ("<a/><?xml version=\"1.0\"?>", 9438, "1, character 10"),
        ("<a>&#0;</a>", 9420, "1, character 7"),
        ("<a x=\"1\" x=\"2\"/>", 9437, "1, character 16"),
        ("<a x=\"1\"y=\"2\"/>", 9410, "1, character 9"),
        ("<a x=\"<\"/>", 9415, "1, character 7"),
        ("a & b", 9421, "1, character 4"),
        ("AT&T x", 9411, "1, character 5"),
        ("<a>&#x;</a>", 9416, "1, character 7"),
        ("<a>&#a;</a>", 9417, "1, character 6"),
        ("<a>]]></a>", 9454, "1, character 4"),
        ("<a><!-- a -- b --></a>", 9412, "1, character 13"),
        ("<a></a", 9412, "1, character 6"),
        ("<a x", 9414, "1, character 4"),
        ("<a><!DOCTYPE a></a>", 9422, "1, character 6"),
        ("<?pi x", 9451, "1, character 6"),
        ("<?XML version=\"1.0\"?><a/>", 9439, "1, character 6"),
        ("<?xml version=\"2.0\"?><a/>", 9441, "1, character 19"),
        ("<?xml?><a/>", 9441, "1, character 7"),
        ("<?xml version=\"1.0\" encoding=\"bogus\"?><a/>", 9401, "1, character 38"),
        ("<?xml version=\"1.0\" encoding=\"utf-16\"?><a/>", 9402, "1, character 39"),
        ("<a:b:c xmlns:a=\"u\"/>", 9456, "1, character 5"),
        ("<a xmlns=\"u\" xmlns=\"v\"/>", 9458, "1, character 24"),
        ("<p:a/>", 9459, "1, character 6"),
        ("<a xmlns:p=\"\"/>", 9460, "1, character 15"),
        ("<a>\n<b>\n</a>", 9436, "3, character 4"),
        ("<a>\r\n  <b x=1/>", 9413, "2, character 8"),
        ("<a>\r<b x=1/>", 9413, "2, character 6"),
    ] {
        let e = of(written).unwrap_err();
        assert!(e.starts_with(&format!("{number} line {place}, ")), "{written}: {e}");
    }
    let deep = "<a>".repeat(129);
    assert!(of(&deep).unwrap_err().starts_with("6335 "));
    assert!(of("<!DOCTYPE a><a/>").unwrap_err().starts_with("6359 "));
    let utf8 = Value::nvarchar("<?xml version=\"1.0\" encoding=\"utf-8\"?><a/>");
    assert!(xml(&utf8, 0).unwrap_err().starts_with("9402 line 1, character 38,"));
    let lone = Value::NVarChar((&[b'<', 0, b'a', 0, b'>', 0, 0, 0xD8][..]).into());
    assert!(xml(&lone, 0).unwrap_err().starts_with("9420 line 1, character 4,"));
}

#[test]
fn bytes_are_read_in_their_encoding() {
    for bytes in [
        &b"\xEF\xBB\xBF<a>\xC3\xA9</a>"[..],
        b"<a>\xC3\xA9</a>",
        b"<?xml version='1.0' encoding='windows-1252'?><a>\xE9</a>",
        b"\xFF\xFE<\0a\0>\0\xE9\0<\0/\0a\0>\0",
        b"<\0a\0>\0\xE9\0<\0/\0a\0>\0",
        b"\0<\0a\0>\0\xE9\0<\0/\0a\0>",
    ] {
        assert_eq!(xml(&Value::binary(bytes), 0).as_deref(), Ok("<a>é</a>"), "{bytes:?}");
    }
    let e = xml(&Value::binary(b"<a>\xE9</a>"), 0).unwrap_err();
    assert!(e.starts_with("9420 line 1, character 4,"), "{e}");
}

#[test]
fn long_tags_are_left_when_their_batch_is_cancelled() {
    let many = |one: &dyn Fn(usize) -> String| (0..70_000).map(one).collect::<String>();
    let attributes = format!("<r{}/>", many(&|n| format!(" a{n}=''")));
    let namespaces = format!("<r{}/>", many(&|n| format!(" xmlns:a{n}='u' a{n}:b{n}=''")));
    let text = "x".repeat(70_000);
    for doc in [&attributes, &namespaces, &text] {
        assert!(super::parse::normalised(doc, false).is_ok());
    }
    let twice = attributes.replace("/>", " a5=''/>");
    let number = |doc: &str| super::parse::normalised(doc, false).map_err(|e| e.number);
    assert_eq!(number(&twice), Err(9437));
    assert_eq!(number("<r xmlns:a='u' xmlns:b='u' a:x='' b:x=''/>"), Err(9437));
    assert!(number("<r xmlns:a='u' xmlns:b='v' a:x='' b:x=''/>").is_ok());
    // What an element declares is gone behind it.
    assert_eq!(number("<r><s xmlns:a='u'><a:t/></s><a:t/></r>"), Err(9459));
    assert!(number("<r xmlns:a='u'><s xmlns:a='v'/><a:t xml:space='default'/></r>").is_ok());
    let cell = taffrail_observe::SessionCell::new(51);
    let _in = taffrail_observe::SessionCell::enter(&cell);
    cell.cancel_flag().store(true, std::sync::atomic::Ordering::Relaxed);
    for doc in [&attributes, &namespaces, &text] {
        assert_eq!(number(doc), Err(taffrail_base::message::CANCELLED));
    }
}
