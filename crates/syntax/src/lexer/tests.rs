use super::*;
use TokenKind::*;

fn lexed(text: &str, quoted_identifier: bool) -> Lexed {
    lex(text, quoted_identifier, &crate::Unwatched).expect("nobody ends it")
}

fn kinds(text: &str) -> Vec<TokenKind> {
    let mut kinds: Vec<_> = lexed(text, true).tokens.iter().map(|t| t.kind).collect();
    assert_eq!(kinds.pop(), Some(End));
    kinds
}

fn texts(text: &str) -> Vec<&str> {
    let tokens = lexed(text, true).tokens;
    tokens[..tokens.len() - 1].iter().map(|t| &text[t.start as usize..t.end as usize]).collect()
}

#[test]
fn numbers() {
    assert_eq!(
        kinds("1 1. .5 1.5 1e5 1.5E-3 0x 0xAbC 1e"),
        [Integer, Decimal, Decimal, Decimal, Float, Float, Binary, Binary, Float]
    );
    assert_eq!(texts("1abc 0xAGH"), ["1", "abc", "0xA", "GH"]);
    assert_eq!(texts("$1.50 $5,100 $ €7"), ["$1.50", "$5", ",", "100", "$", "€7"]);
    assert_eq!(kinds("$action"), [Pseudo]);
}

#[test]
fn names_and_variables() {
    assert_eq!(
        kinds("a #t ##t @v @@rowcount [a]]b] \"q\"\"r\" élan select"),
        [Word, Word, Word, Variable, Variable, Delimited, Delimited, Word, Keyword(Kw::Select)]
    );
    assert_eq!(texts("a.b@c$d#e"), ["a", ".", "b@c$d#e"]);
}

#[test]
fn strings_and_comments() {
    assert_eq!(texts("'it''s' N'x' n'y'"), ["'it''s'", "N'x'", "n'y'"]);
    assert_eq!(texts("a /* x /* nested */ y */ b -- c\nd"), ["a", "b", "d"]);
    assert_eq!(lexed("a /* /* */", true).unclosed, Some(Unclosed::Comment(2)));
    assert_eq!(lexed("a 'b", true).unclosed, Some(Unclosed::Quotation(2)));
    assert_eq!(lexed("a [b]]", true).unclosed, Some(Unclosed::Quotation(2)));
}

#[test]
fn double_quotes_follow_the_option_and_its_set_statement() {
    let kind_of_last = |text, on| {
        let tokens = lexed(text, on).tokens;
        tokens[tokens.len() - 2].kind
    };
    assert_eq!(kind_of_last("\"x\"", true), Delimited);
    assert_eq!(kind_of_last("\"x\"", false), String);
    assert_eq!(kind_of_last("set quoted_identifier off select \"x\"", true), String);
    assert_eq!(kind_of_last("SET QUOTED_IDENTIFIER ON select \"x\"", false), Delimited);
    let module = "create or alter proc p as set quoted_identifier off select \"x\"";
    assert_eq!(kind_of_last(module, true), Delimited);
    assert_eq!(kind_of_last(module, false), String);
    let table = "create table t (a int) set quoted_identifier off select \"x\"";
    assert_eq!(kind_of_last(table, true), String);
}

#[test]
fn operators() {
    assert_eq!(
        kinds("<>!=<=>=!<!>+=||::<<"),
        [Ne, Ne, Le, Ge, Ge, Le, PlusEq, Concat, DoubleColon, ShiftLeft]
    );
    assert_eq!(kinds("a\u{a0}b\u{feff}!"), [Word, Word, Unknown]);
}
