use super::*;

/// The items that an expression finds, as text.
fn of(xml: &str, path: &str) -> Vec<String> {
    let query = Query::read(path, "query()", &[]).unwrap();
    let mut tree = Tree::read(xml).unwrap();
    let Body::Value(expr) = &query.body else { panic!("{path} changes") };
    let mut asked = asked_of(&mut tree, &query, (&[], &[]));
    let found = asked.value(expr, Here::alone(Found::Node(0))).unwrap();
    found.into_iter().map(|item| asked.data(&item).text()).collect()
}

fn call(
    f: impl Fn(&[Value], Whence) -> SqlResult<Value>,
    xml: &str,
    path: &str,
    whence: Whence,
) -> Result<Option<String>, i32> {
    let packed = Query::packed(path, &[], &[]);
    let args = [Value::nvarchar(xml), Value::nvarchar(&packed)];
    f(&args, whence).map(|v| v.as_text()).map_err(|e| e.number)
}

fn asks(xml: &str, path: &str) -> String {
    call(query, xml, path, Whence::Document).unwrap().unwrap()
}

/// The number of the error of an expression that is judged.
fn fault(path: &str, method: Method) -> Option<i32> {
    let read = Query::read(path, "value()", &[]);
    read.and_then(|q| {
        let given: Vec<Given> =
            q.outside.iter().map(|_| Given::of(SqlType::Int).unwrap()).collect();
        q.judged(method, "value()", &given)
    })
    .err()
    .map(|e| e.number)
}

#[test]
fn paths_find_what_they_say() {
    let doc = "<r a='1'><b n=\"x\">one</b><b n='y'>t&amp;w<c/>o</b><!-- - --><![CDATA[<]]></r>tail";
    for (path, want) in [
        (".", vec!["onet&wo<tail"]),
        ("/r/b", vec!["one", "t&wo"]),
        ("(/r/b)[2]", vec!["t&wo"]),
        ("/r/b[2]", vec!["t&wo"]),
        ("r/b[@n=\"y\"]", vec!["t&wo"]),
        ("/r/b[c]", vec!["t&wo"]),
        ("//b/@n", vec!["x", "y"]),
        ("/r/@a", vec!["1"]),
        ("//c", vec![""]),
        ("(./text())[1]", vec!["tail"]),
        ("/r/text()", vec!["<"]),
        ("/r/*", vec!["one", "t&wo"]),
        ("/*:r/*:b[1]", vec!["one"]),
        ("/r/nothing", vec![]),
        ("(//b)[3]", vec![]),
        ("(//b)[1]/@n", vec!["x"]),
        ("//c/../@n", vec!["y"]),
        ("//c/parent::b/attribute::n", vec!["y"]),
        ("/r/child::b", vec!["one", "t&wo"]),
        ("/child::r/child::b[child::c]/@n", vec!["y"]),
        ("/r/child::*", vec!["one", "t&wo"]),
        ("/r/b[1]/child::node()", vec!["one"]),
        ("/r/comment()", vec![" - "]),
        ("/r/descendant::c/..", vec!["t&wo"]),
        ("/r/descendant-or-self::node()/@n", vec!["x", "y"]),
        ("count(//b)", vec!["2"]),
        ("//b[@n='x' or @n=\"z\"]", vec!["one"]),
        ("//b[@n and not(c)]", vec!["one"]),
        ("//b[@n != 'x'][c]/@n", vec!["y"]),
        ("/r[@a = 1]/@a", vec!["1"]),
        ("/r[@a >= 01.5]/@a", vec![]),
        ("//b[last()]/@n", vec!["y"]),
        ("(//b)[last()]/@n", vec!["y"]),
        ("(//b[@n])[ last ( ) ]/@n", vec!["y"]),
        ("(//nope)[last()]", vec![]),
        ("//b[position() = 1]", vec!["one"]),
        ("//b[position() mod 2 = 0]/@n", vec!["y"]),
        ("local-name((//@n)[1])", vec!["n"]),
        ("//*[contains(., 'w')]/@n", vec!["y"]),
        ("(: a comment (: in it :) :) /r/@a", vec!["1"]),
    ] {
        assert_eq!(of(doc, path), want, "{path}");
    }
    assert_eq!(of("<a xmlns='u'><b/></a>", "//b").len(), 0);
    assert_eq!(of("<a><child>it</child></a>", "/a/child"), ["it"]);
    assert_eq!(of("&#x41;&#66;&lt;", "."), ["AB<"]);
}

#[test]
fn namespaces_are_found_by_their_uris() {
    let doc = "<p:a xmlns:p='u' xmlns='v'><b n='1' p:n='2'/><c xmlns=''>x</c></p:a>";
    let ask = |path: &str| of(doc, path);
    assert_eq!(ask("declare namespace q='u'; count(/q:a)"), ["1"]);
    assert_eq!(ask("declare namespace q='u'; declare namespace r='v'; /q:a/r:b/@q:n"), ["2"]);
    assert_eq!(ask("declare default element namespace 'v'; count(//b), count(//c)"), ["1", "0"]);
    assert_eq!(ask("//c"), ["x"]);
    assert_eq!(ask("declare namespace q='u'; namespace-uri((//@q:n)[1])"), ["u"]);
    assert_eq!(ask("declare namespace q='u'; count(//q:*)"), ["1"]);
    assert_eq!(fault("/q:a", Method::Exist), Some(2229));
    // A node that leaves its document takes the namespaces along that it needs.
    assert_eq!(asks(doc, "/*/*[1]"), "<b xmlns=\"v\" xmlns:p=\"u\" n=\"1\" p:n=\"2\"/>");
    assert_eq!(asks(doc, "//c"), "<c>x</c>");
}

#[test]
fn values_are_computed() {
    for (path, want) in [
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * -3", "-9"),
        ("7 mod 4, 7 div 2", "3 3.5"),
        ("xs:integer(2 div 3)", "0"),
        ("1 div 0", ""),
        ("/a/n[1] + 1", "11"),
        ("sum(/a/n)", "60"),
        ("avg(/a/n), min(/a/n), max(/a/n)", "20 10 30"),
        ("min(('b', 'a'))", "a"),
        ("avg(/a/none)", ""),
        ("distinct-values(/a/t)", "x y"),
        ("concat('a', 'b', string(/a/n[1]))", "ab10"),
        ("substring('hello', 2, 3), substring('hello', 4)", "ell lo"),
        ("string-length('añb')", "3"),
        ("upper-case('aé'), lower-case('AÉ')", "AÉ aé"),
        ("floor(-1.5), ceiling(1.2), round(2.5)", "-2 2 3"),
        ("empty(/a/none), empty(/a)", "true false"),
        ("if (/a/n = 20) then 'yes' else 'no'", "yes"),
        ("some $n in /a/n satisfies $n > 25", "true"),
        ("every $n in /a/n satisfies $n > 15", "false"),
        ("(1,2,3) = (3,4)", "true"),
        ("/a/n[1] < \"17\"", "true"),
        ("(//n)[1] << (//n)[2], (//n)[1] is (/a/n)[1]", "true true"),
        ("xs:date('2024-02-29') < xs:date('2024-03-01')", "true"),
        ("'5' cast as xs:int?", "5"),
        ("xs:double(xs:string('NaN'))", ""),
    ] {
        let doc = "<a><n>10</n><n>20</n><n>30</n><t>x</t><t>y</t><t>x</t></a>";
        assert_eq!(asks(doc, path), want, "{path}");
    }
}

#[test]
fn flwor_makes_sequences() {
    let doc = "<r><p n='B' v='2'/><p v='3'/><p n='A' v='1'/></r>";
    assert_eq!(asks(doc, "for $p in /r/p order by $p/@n return string($p/@v)"), "3 1 2");
    assert_eq!(
        asks(
            doc,
            "for $p in /r/p where $p/@v > 1 order by $p/@v descending return <q>{ $p/@v }</q>"
        ),
        "<q v=\"3\"/><q v=\"2\"/>"
    );
    assert_eq!(
        asks(doc, "for $a in (1, 2), $b in ('x', 'y') return concat($a, $b)"),
        "1x 1y 2x 2y"
    );
    assert_eq!(
        asks(doc, "let $n := count(/r/p) return <c n=\"{ $n }\">{ $n } of { $n }{{}}</c>"),
        "<c n=\"3\">3 of 3{}</c>"
    );
    assert_eq!(asks(doc, "<a x=\"{ 'i', data(/r/p/@v) }\"/>"), "<a x=\"i 2 3 1\"/>");
    assert_eq!(
        asks(doc, "element e { attribute f { 1 + 1 }, text { 'a', 'b' } }, <!--c-->, <?d e?>"),
        "<e f=\"2\">a b</e><!--c--><?d e?>"
    );
    assert_eq!(asks(doc, "<p:x xmlns:p='u'><p:y/></p:x>"), "<p:x xmlns:p=\"u\"><p:y/></p:x>");
}

#[test]
fn documents_are_changed() {
    let change = |doc: &str, change: &str| -> Result<String, i32> {
        let read = Query::read(change, "modify()", &[]);
        let judged = read.and_then(|q| q.judged(Method::Modify, "modify()", &[]));
        judged.map_err(|e| e.number)?;
        let packed = Query::packed(change, &[], &[]);
        let args = [Value::nvarchar(doc), Value::nvarchar(&packed), Value::nvarchar("@x")];
        modify(&args).map(|v| v.as_text().unwrap()).map_err(|e| e.number)
    };
    let doc = "<r><a n=\"1\">x</a><b/></r>";
    for (how, want) in [
        ("insert <c/> into (/r)[1]", "<r><a n=\"1\">x</a><b/><c/></r>"),
        ("insert <c/> as first into (/r)[1]", "<r><c/><a n=\"1\">x</a><b/></r>"),
        ("insert (<c/>, <d/>) before (/r/b)[1]", "<r><a n=\"1\">x</a><c/><d/><b/></r>"),
        ("insert text{'y'} after (/r/a)[1]", "<r><a n=\"1\">x</a>y<b/></r>"),
        ("insert attribute m { 2 } into (/r/b)[1]", "<r><a n=\"1\">x</a><b m=\"2\"/></r>"),
        ("insert <![CDATA[<z>]]> into (/r/b)[1]", "<r><a n=\"1\">x</a><b>&lt;z&gt;</b></r>"),
        ("insert <?p q?> before (/r)[1]", "<?p q?><r><a n=\"1\">x</a><b/></r>"),
        ("insert <c/> into (/r/none)[1]", doc),
        ("insert <c/> after <d/>", doc),
        (
            "insert if (count(/r/a) < 2) then <c/> else () as last into (/r)[1]",
            "<r><a n=\"1\">x</a><b/><c/></r>",
        ),
        ("delete /r/a", "<r><b/></r>"),
        ("delete /r/a/@n", "<r><a>x</a><b/></r>"),
        ("delete (/r/a/@n, /r/a/@n)", "<r><a>x</a><b/></r>"),
        ("delete (//a/text(), //b)", "<r><a n=\"1\"/></r>"),
        ("replace value of (/r/a/@n)[1] with 5 + 1", "<r><a n=\"6\">x</a><b/></r>"),
        ("replace value of (/r/a/text())[1] with \"<\"", "<r><a n=\"1\">&lt;</a><b/></r>"),
        ("replace value of (/r/a/text())[1] with ()", "<r><a n=\"1\"/><b/></r>"),
    ] {
        assert_eq!(change(doc, how).as_deref(), Ok(want), "{how}");
    }
    for (how, number) in [
        ("insert <c/> into /r/a", 2226),
        ("insert 'c' into (/r)[1]", 2207),
        ("insert <c/> into (/r/a/@n)[1]", 2240),
        ("insert attribute n { 1 } into (/r/a)[1]", 6308),
        ("insert <c/> in (/r)[1]", 2248),
        ("delete 1", 2264),
        ("replace value of /r/a/text() with 1", 2337),
        ("replace value of (/r/a)[1] with 1", 2356),
        ("replace value of (/r/a/@n)[1] with <c/>", 9310),
        ("replace value of (/r/a/@n)[1] with /r/none", 6325),
        ("/r/a", 6305),
    ] {
        assert_eq!(change(doc, how), Err(number), "{how}");
    }
    let null = [Value::Null, Value::nvarchar(""), Value::nvarchar("@x")];
    assert_eq!(modify(&null).map_err(|e| e.number), Err(5302));
}

#[test]
fn mistakes_have_their_numbers() {
    for (path, number) in [
        ("a[", 9341),
        ("a b", 2370),
        ("(a", 2205),
        ("count(a, b)", 2238),
        ("contains(a)", 2236),
        ("starts-with('a', 'b')", 2395),
        ("p:a", 2229),
        ("@p:a", 2229),
        ("/a/ancestor::b", 9335),
        ("/a/foo::b", 2392),
        ("$x", 2227),
        ("for $x in /a retrn $x", 9332),
        ("if (1) then 2", 2355),
        ("'a", 2274),
        ("<a><b></a>", 2323),
        ("<a>}</a>", 9324),
        ("<a x=\"1{2}\"/>", 9313),
        ("1 idiv 2", 9335),
        ("declare namespace p = 'u' /p:a", 9327),
        ("declare namespace p = u; /p:a", 9317),
        ("sql:variable(@x)", 2225),
        ("(a, 1)", 2210),
        ("(1)/a", 2374),
        ("a[\"x\"]", 2203),
        ("a and \"x\"", 2204),
        ("'a' + 1", 2234),
        ("1 = 'a'", 2234),
        ("//a eq 1", 2389),
        ("contains(//a, 'x')", 2389),
        ("xs:double(\"NaN\")", 9319),
        ("insert <a/> into /b", 6306),
        ("id('a')", 40510),
        ("<?, d?>", 2209),
        ("'&nbsp;'", 2282),
        ("'&#0;'", 2285),
    ] {
        assert_eq!(fault(path, Method::Exist), Some(number), "{path}");
    }
    assert_eq!(fault("/a/@b", Method::Query), Some(2390));
    assert_eq!(fault("1", Method::Nodes), Some(2374));
}

#[test]
fn value_wants_one_thing() {
    for (path, one) in [
        (".", true),
        ("(/a/b)[1]", true),
        ("/a[1]/b[1]", true),
        ("@x", true),
        ("/a/b", false),
        ("//a[1]", false),
        ("count(//a)", true),
        ("(//a)[1]/b", false),
        ("(//a)[1]/@b", true),
        ("(/a/b)[last()]", true),
        ("(/a/text())[1]", true),
        ("for $a in /a return 1", false),
        ("if (/a) then 1 else ()", true),
    ] {
        assert_eq!(fault(path, Method::Value), (!one).then_some(2389), "{path}");
    }
}

/// Each node that is looked at counts, whoever has led there.
#[test]
fn wide_documents_are_left_when_the_batch_is_cancelled() {
    let doc = format!("<a n='1'>{}</a>", "<b>1</b>".repeat(5000));
    let mut tree = Tree::read(&doc).unwrap();
    let mut ask = |path: &str| {
        let query = Query::read(path, "exist()", &[]).unwrap();
        let Body::Value(expr) = &query.body else { panic!("{path} changes") };
        let mut asked = asked_of(&mut tree, &query, (&[], &[]));
        let found = asked.value(expr, Here::alone(Found::Node(0)));
        found.map(|_| ()).map_err(|e| e.number)
    };
    let paths = ["/a/b", "count(/a/*)", "/a[@n = 1]/b", "count(/a/b[count(../b) = 1])"];
    assert_eq!(ask(paths[2]), Ok(()));
    let cell = taffrail_observe::SessionCell::new(51);
    let _in = taffrail_observe::SessionCell::enter(&cell);
    cell.cancel_flag().store(true, std::sync::atomic::Ordering::Relaxed);
    for path in paths {
        assert_eq!(ask(path), Err(taffrail_base::message::CANCELLED), "{path}");
    }
    assert_eq!(ask("/a/@n"), Ok(()));
}

#[test]
fn a_predicate_on_values_looks_at_the_value() {
    let doc = "<r>110<b>2</b><b>3</b></r>";
    assert_eq!(of(doc, "(1, 2, 3)[. > 1]"), ["2", "3"]);
    assert_eq!(of(doc, "(\"abc\", \"cde\")[. > \"b\"]"), ["cde"]);
    assert_eq!(of(doc, "(1, 2, 3)[count(/r/b[. > 2]) = 1]"), ["1", "2", "3"]);
    assert_eq!(of(doc, "/r/b[. > 2]"), ["3"]);
    assert_eq!(of(doc, "(1, 2, 3)[(3, 4)[. = 3] = .]"), ["3"]);
}

#[test]
fn depth_has_a_limit() {
    let nested = |n: usize| "<a>".repeat(n) + &"</a>".repeat(n);
    assert_eq!(of(&nested(128), "//a[not]").len(), 0);
    assert_eq!(Tree::read(&nested(300_000)).err().map(|e| e.number), Some(6335));
    let path = |n: usize| "(".repeat(n) + "/a" + &")".repeat(n);
    assert_eq!(fault(&path(60), Method::Exist), None);
    assert_eq!(fault(&("1".to_owned() + &"+1".repeat(1_000)), Method::Exist), None);
    assert_eq!(fault(&("let $a := 1 ".repeat(1_000) + "return 1"), Method::Exist), None);
    assert_eq!(fault(&path(300_000), Method::Exist), Some(2363));
    for deep in [
        "a[".repeat(300_000) + "a" + &"]".repeat(300_000),
        "-".repeat(300_000) + "1",
        "<a>".repeat(300_000),
        "for $a in ".repeat(300_000),
        "1".to_owned() + &"+1".repeat(300_000),
        "1".to_owned() + &" div 1".repeat(300_000),
        "for $a in 1 ".repeat(300_000) + "return 1",
        "some $a in 1".to_owned() + &", $a in 1".repeat(300_000) + " satisfies 1 = 1",
    ] {
        assert_eq!(fault(&deep, Method::Exist), Some(2363));
    }
}

#[test]
fn parts_know_where_they_are() {
    let doc = "<r><b n=\"x\">o&lt;e</b><!--c-->t</r>";
    let none = Value::Null;
    let parts = |text: &str, path: &str, part: i64| -> Vec<String> {
        let packed = Query::packed(path, &[], &[]);
        Parts::of(&Value::nvarchar(text), &packed, (part, &none), &[]).unwrap().collect()
    };
    let all = parts(doc, "/r/node()", 0);
    let part = |text: &str, path: &str| call(value, text, path, Whence::Part).unwrap();
    assert_eq!(part(&all[0], "@n").unwrap(), "x");
    assert_eq!(part(&all[0], ".").unwrap(), "o<e");
    assert_eq!(part(&all[1], ".").unwrap(), "c");
    assert_eq!(part(&all[2], ".").unwrap(), "t");
    assert_eq!(part(&all[0], "b"), None);
    let attributes = parts(doc, "//@n", 0);
    assert_eq!(part(&attributes[0], ".").unwrap(), "x");
    assert_eq!(part(&attributes[0], "local-name(.)").unwrap(), "n");
    let whole = parts(doc, ".", 0);
    assert_eq!(part(&whole[0], "(r/b/@n)[1]").unwrap(), "x");
    // Out of it, by way of the document.
    let out = |text: &str, path: &str| {
        let packed = Query::packed(path, &[], &[]);
        let args = [Value::nvarchar(text), Value::nvarchar(&packed), Value::nvarchar(doc)];
        value(&args, Whence::PartOf).unwrap().as_text()
    };
    assert_eq!(out(&all[0], "count(../node())").unwrap(), "3");
    assert_eq!(out(&attributes[0], "local-name(..)").unwrap(), "b");
    assert_eq!(out(&all[2], "(/r/b)[1]").unwrap(), "o<e");
    let deeper = parts(&all[0], "text()", 1);
    assert_eq!(out(&deeper[0], "../@n").unwrap(), "x");
    assert_eq!(out(&parts(&attributes[0], ".", 1)[0], "../text()").unwrap(), "o<e");
}

/// Texts that are nearly expressions: each is read and asked, or refused.
#[test]
fn no_text_is_too_strange() {
    let texts = [
        "for $p in /r/p[@n = 'x'][2] order by $p/@v descending return <q a=\"{ $p/@v }\">t{ 1 + 2 }</q>",
        "declare namespace p = 'u'; if (count(//p:a) >= 1.5e1) then 'é' else (some $x in (1, 2) satisfies $x = 2)",
        "insert (<a b='{ 1 }'/>, attribute c { .5 }, text{ \"&lt;\" }) as first into (/r/p)[1]",
        "replace value of (/r/p/@n)[1] with xs:dateTime(\"2024-05-06T07:08:09Z\") cast as xs:string?",
        "delete //comment() | /r/processing-instruction(\"x\") (: c (: d :) :)",
        "<!-- c --> , <?p q?>, <![CDATA[ ]]>, element e { substring('abc', 2) }, //*:p/../@*[last()]",
    ];
    let doc = "<r><p n='x' v='1'>é<!--c--></p><p n='y' v='2'/><?x y?></r>";
    let mut seed = 7u64;
    let mut next = |most: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % most
    };
    let mut understood = 0;
    for _ in 0..4_000 {
        let mut chars: Vec<char> = texts[next(texts.len())].chars().collect();
        for _ in 0..=next(3) {
            let (at, other) = (next(chars.len()), texts[next(texts.len())]);
            let other: Vec<char> = other.chars().collect();
            match next(4) {
                0 => chars.truncate(at.max(1)),
                1 => {
                    chars.remove(at);
                }
                2 => chars.insert(at, other[next(other.len())]),
                _ => {
                    let (from, length) = (next(other.len()), next(12));
                    let piece = other.iter().skip(from).take(length);
                    chars.splice(at..at, piece.copied());
                }
            }
            if chars.is_empty() {
                chars.push('.');
            }
        }
        let text: String = chars.into_iter().collect();
        let Ok(read) = Query::read(&text, "query()", &[]) else { continue };
        let change = matches!(read.body, Body::Change(_));
        let method = if change { Method::Modify } else { Method::Query };
        if !read.outside.is_empty() || read.judged(method, "query()", &[]).is_err() {
            continue;
        }
        let packed = Value::nvarchar(&Query::packed(&text, &[], &[]));
        let args = [Value::nvarchar(doc), packed, Value::nvarchar("@x")];
        let found = match method {
            Method::Modify => modify(&args),
            _ => query(&args[..2], Whence::Document),
        };
        // What comes of it is XML, or a mistake that a document makes.
        if let Ok(Value::NVarChar(_)) = &found {
            let text = found.unwrap().as_text().unwrap();
            assert!(crate::xml::check(&text).is_ok(), "{text}");
            understood += 1;
        }
    }
    assert!(understood > 100, "{understood}");
}
