//! Whatever comes in, the parser answers: no panic, no overflow of a small stack, no time beyond the linear.
//! (What holds of any answer, soups of tokens and damaged scripts are the `sql` target of `taffrail-fuzz`.)

use taffrail_syntax::{MAX_DEPTH, ParseOptions, parse_batch};

/// Runs on a thread with the stack that a session has at least.
fn on_small_stack(test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(2 << 20).spawn(test).unwrap().join().unwrap();
}

fn number_of(text: &str) -> i32 {
    match parse_batch(text, ParseOptions::default()) {
        Ok(batch) => {
            // Walking and dropping a tree recurse too.
            let copy = batch.clone();
            assert_eq!(copy, batch);
            0
        }
        Err(refused) => refused.errors[0].number,
    }
}

#[test]
fn deep_nesting_is_refused_not_followed() {
    on_small_stack(|| {
        let nest = |before: &str, open: &str, inner: &str, close: &str, n: usize| {
            format!("{before}{}{inner}{}", open.repeat(n), close.repeat(n))
        };
        let cases: &[(&str, &str, &str, &str)] = &[
            ("select ", "(", "1", ")"),
            ("select 1 where ", "(", "a = 1", ")"),
            ("select 1 where ", "(", "a", ") = 1"),
            ("select ", "(select ", "1", ")"),
            ("select 1 where ", "exists (select 1 where ", "a = 1", ")"),
            ("select 1 where a in ", "(select a from t where a in ", "(1)", ")"),
            ("select * from ", "(select * from ", "t", ") a"),
            ("select * from ", "(", "t", ")"),
            ("", "(", "select 1", ")"),
            ("select * from ", "a join ", "b", " on 1 = 1"),
            ("select 1 where ", "not ", "a = 1", ""),
            ("select ", "- ", "1", ""),
            ("select ", "~ ", "1", ""),
            ("select ", "f(", "1", ")"),
            ("select ", "case when a = 1 then ", "1", " end"),
            ("select ", "case ", "1", " when 1 then 2 end"),
            ("select ", "cast(", "1", " as int)"),
            ("select ", "convert(int, ", "1", ")"),
            ("select ", "iif(a = 1, ", "1", ", 2)"),
            ("select ", "{fn f(", "1", ")}"),
            ("", "begin ", "print 1", " end"),
            ("", "if 1 = 1 ", "print 1", ""),
            ("", "while 1 = 1 ", "print 1", ""),
            ("", "begin try ", "print 1", " end try begin catch end catch"),
            ("select 1 ", "union (select 2 ", "", ")"),
            ("alter table t set ", "(a = ", "(b = 1)", ")"),
            ("select sum(a) over (order by ", "sum(a) over (order by ", "b", ")"),
            ("select 1 group by ", "(", "a", ")"),
            ("select ", "", "a", " at time zone 'UTC'"),
            ("select ", "", "a", " collate x"),
            ("select * from t", "", "", " join u on 1 = 1"),
            ("select * from t", "", "", " cross join u"),
            ("select * from t", "", "", " pivot (sum(a) for b in (c)) p"),
            ("merge t using ", "(select * from ", "u", ") s"),
            ("create function f() returns int as ", "begin ", "return 1", " end"),
        ];
        for (before, open, inner, close) in cases {
            assert_eq!(
                number_of(&nest(before, open, inner, close, MAX_DEPTH as usize * 40)),
                191,
                "{before} {open} {close}"
            );
            // Close to the limit the answer may be either, but there is one.
            for n in [MAX_DEPTH as usize / 4, MAX_DEPTH as usize / 2, MAX_DEPTH as usize - 5] {
                number_of(&nest(before, open, inner, close, n));
            }
        }
        // A good deal of nesting is fine.
        for (before, open, inner, close) in [cases[0], cases[1], cases[3]] {
            assert_eq!(number_of(&nest(before, open, inner, close, 100)), 0, "{before}{open}");
        }
    });
}

#[test]
fn long_lists_and_chains_are_flat() {
    on_small_stack(|| {
        let n = 100_000;
        for text in [
            format!("select 1 where a = 0{}", " or a = 1".repeat(n)),
            format!("select 1 where a = 0{}", " and a <> 1".repeat(n)),
            format!("select 1 where a = 0{}", " and a <> 1 or b = 2".repeat(n)),
            format!("select 1{}", " union all select 2".repeat(n)),
            format!("select 1{}", " intersect select 2".repeat(n)),
            format!("select 1 where a in (0{})", ", 1".repeat(n)),
            format!("select 1{}", " + 1".repeat(n)),
            format!("select a{}", " * (1)".repeat(n)),
            format!("select 1 where 'a' {} = 'b'", " + 'b' - 'c'".repeat(n)),
            format!("if 1 = 1 print 1{}", " else if 1 = 1 print 2".repeat(n)),
            format!("select 1 from (values (0){}) v (a)", ", (1)".repeat(n)),
            "select 1 ".repeat(n),
            format!("select '{}'", "x".repeat(10 << 20)),
            format!("/*{}*/ select 1", "x".repeat(10 << 20)),
            format!("select 0x{}", "af".repeat(5 << 20)),
        ] {
            assert_eq!(number_of(&text), 0, "{}…", &text[..40]);
        }
        let nonsense = "( [ ' /* ".repeat(1 << 20);
        assert_ne!(number_of(&nonsense), 0);
        assert_eq!(number_of(&"begin ".repeat(1 << 20)), 191);
    });
}

fn accepted(text: &str) -> bool {
    parse_batch(text, ParseOptions::default()).is_ok()
}

#[test]
fn nothing_and_odd_characters() {
    assert!(accepted(""));
    assert!(accepted(" ;;; -- nothing\n/* here */"));
    assert!(accepted("\u{feff}select 1"));
    assert!(accepted("select\u{a0}1\u{3000}as\u{2003}x"));
    assert!(!accepted("\0 select \u{7f}"));
    assert!(!accepted("select \u{1f600}"));
    assert!(accepted("select [\u{1f600}], N'\u{1f600}', ñandú from été"));
}
