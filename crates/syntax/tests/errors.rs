//! Mistakes and what a client is told: number, line, text.

use taffrail_syntax::{ParseOptions, parse_batch};

/// What a batch is refused with: `number line text`, one line per error.
fn refusal(text: &str) -> String {
    match parse_batch(text, ParseOptions::default()) {
        Ok(batch) => format!("accepted: {:?}", batch.statements),
        Err(refused) => {
            let line = |e: &taffrail_base::SqlError| {
                let (severity, state) = match e.number {
                    103 => (15, 4),
                    10709 => (16, 1),
                    _ => (15, 1),
                };
                assert_eq!((e.severity, e.state), (severity, state), "{e}");
                format!("{} {} {}", e.number, e.line, e.message)
            };
            refused.errors.iter().map(line).collect::<Vec<_>>().join("\n")
        }
    }
}

#[test]
fn wrong_tokens_are_named_with_their_line() {
    let near = |line: u32, token: &str| format!("102 {line} Incorrect syntax near '{token}'.");
    let keyword =
        |line: u32, word: &str| format!("156 {line} Incorrect syntax near the keyword '{word}'.");
    let cases: &[(&str, String)] = &[
        ("select\n\n)", near(3, ")")),
        ("select 1 +", near(1, "+")),
        ("select", near(1, "select")),
        ("select * from", near(1, "from")),
        ("select * from\nwhere a = 1", keyword(2, "where")),
        ("SELECT 1 From", near(1, "From")),
        ("selec 1, 2 from t", keyword(1, "from")),
        ("print 1\nsp_help 'x'", near(2, "sp_help")),
        ("insert into t values 1", near(1, "1")),
        ("update t a = 1", near(1, "a")),
        ("select (1 = 1)", near(1, "=")),
        ("select exists (select 1)", keyword(1, "exists")),
        ("if 1 = 1\nbegin\nselect 1", near(3, "1")),
        ("begin end", keyword(1, "end")),
        ("select 1\nend", keyword(2, "end")),
        ("if 1 = 1 select 1\nelse else", keyword(2, "else")),
        ("select 'abc' 'def' 'gh i'", near(1, "gh i")),
        ("select a [b c] [d e]", near(1, "d e")),
        ("exec p 'a' + 'b'", near(1, "+")),
        ("declare @a int @b int", near(1, "@b")),
        ("create table t (a int b int)", near(1, "b")),
        ("create table t ()", near(1, ")")),
        ("alter table t add column c int", keyword(1, "column")),
        ("select 1 ! 2", near(1, "!")),
        ("select ?", near(1, "?")),
        ("begin try select 1 end try", near(1, "try")),
        ("begin try end try begin catch end catch", near(1, "try")),
        ("while 1 = 1", near(1, "1")),
        ("if 1 = 1 create procedure p as select 1", keyword(1, "procedure")),
        ("begin create view v as select 1 end", keyword(1, "view")),
        ("set nocount", near(1, "nocount")),
        ("waitfor '1'", near(1, "1")),
        ("select top -1 a from t", near(1, "-")),
        ("select * from (select 1)", near(1, ")")),
        ("commit transaction with (delayed_durability = maybe)", near(1, "maybe")),
        ("alter database d set recovery none", near(1, "none")),
        ("alter database d modify file (size = big)", near(1, "big")),
        ("backup table t to disk = 'x'", keyword(1, "table")),
        ("create index on t (a)", keyword(1, "on")),
    ];
    for (text, expected) in cases {
        assert_eq!(&refusal(text), expected, "{text}");
    }
}

#[test]
fn unclosed_quotations_and_comments() {
    assert_eq!(
        refusal("select 1\nselect 'abc"),
        "105 2 Unclosed quotation mark after the character string 'abc'.\n\
         102 2 Incorrect syntax near 'abc'."
    );
    assert_eq!(
        refusal("select from\n'x"),
        "156 1 Incorrect syntax near the keyword 'from'.\n\
         105 2 Unclosed quotation mark after the character string 'x'."
    );
    assert_eq!(
        refusal("select N'x"),
        "105 1 Unclosed quotation mark after the character string 'x'.\n\
         102 1 Incorrect syntax near 'x'."
    );
    assert_eq!(refusal("select 1\n/* x /* y */"), "113 2 Missing end comment mark '*/'.");
}

#[test]
fn conditions_and_values_are_not_mixed() {
    let not_boolean = |near: &str| {
        format!(
            "4145 1 An expression of non-boolean type specified in a context where a condition is \
             expected, near '{near}'."
        )
    };
    for (text, near) in [
        ("if 1 select 1", "select"),
        ("select 1 where a", "a"),
        ("select 1 where a and b = 1", "and"),
        ("select 1 where b = 1 or (a)", ")"),
        ("select case when 1 then 2 end", "then"),
        ("select 1 where not a", "a"),
        ("while (1) print 1", "print"),
        ("select iif(1, 2, 3)", ","),
        ("delete t where f(x)\nselect 1", "select"),
    ] {
        let expected = not_boolean(near);
        let expected =
            if text.contains('\n') { expected.replacen(" 1 ", " 2 ", 1) } else { expected };
        assert_eq!(refusal(text), expected, "{text}");
    }
}

#[test]
fn statements_in_the_wrong_place() {
    for (text, expected) in [
        (
            "select 1\nbreak",
            "135 2 Cannot use a BREAK statement outside the scope of a WHILE statement.",
        ),
        (
            "if 1 = 1 continue",
            "136 1 Cannot use a CONTINUE statement outside the scope of a WHILE statement.",
        ),
        (
            "return 1",
            "178 1 A RETURN statement with a return value cannot be used in this context.",
        ),
        (
            "goto x",
            "133 1 A GOTO statement references the label 'x' but the label has not been declared.",
        ),
        (
            "x: print 1\nX: print 2",
            "132 2 The label 'X' has already been declared. Label names must be unique within a query batch or stored procedure.",
        ),
        (
            "print 1\ncreate procedure p as select 1",
            "111 2 'CREATE/ALTER PROCEDURE' must be the first statement in a query batch.",
        ),
        (
            "set nocount on create view v as select 1",
            "111 1 'CREATE VIEW' must be the first statement in a query batch.",
        ),
        (
            "declare @x int\nwith a as (select 1 as b) select * from a",
            "319 2 Incorrect syntax near the keyword 'with'. If this statement is a common table expression, an \
                xmlnamespaces clause or a change tracking context clause, the previous statement must be \
                terminated with a semicolon.",
        ),
        (
            "select * from t with a as (select 1 as b) select * from a",
            "336 1 Incorrect syntax near 'a'. If this is intended to be a common table expression, you need to \
                explicitly terminate the previous statement with a semi-colon.",
        ),
        (
            "merge t using u on t.a = u.a when matched then delete",
            "10713 1 A MERGE statement must be terminated by a semi-colon (;).",
        ),
        (
            "insert t values (1, 2), (3)",
            "10709 1 The number of columns for each row in a table value constructor must be the same.",
        ),
    ] {
        assert_eq!(refusal(text), expected, "{text}");
    }
}

#[test]
fn unknown_words() {
    for (text, expected) in [
        ("set no_such on", "195 1 'no_such' is not a recognized SET option."),
        (
            "create foo bar",
            "343 1 Unknown object type 'foo' used in a CREATE, DROP, or ALTER statement.",
        ),
        (
            "drop foo bar",
            "343 1 Unknown object type 'foo' used in a CREATE, DROP, or ALTER statement.",
        ),
        (
            "exec p @a = 1, 2",
            "119 1 Must pass parameter number 2 and subsequent parameters as '@name = value'. After the form \
                '@name = value' has been used, all subsequent parameters must be passed in the form '@name = value'.",
        ),
    ] {
        assert_eq!(refusal(text), expected, "{text}");
    }
    assert!(refusal("select * from t with (nolok)").starts_with("321 1 \"nolok\" is not"));
}

#[test]
fn names_have_limits() {
    let long = "x".repeat(129);
    assert_eq!(
        refusal(&format!("select 1 as\n{long}")),
        format!(
            "103 2 The identifier that starts with '{}' is too long. Maximum length is 128.",
            &long[..128]
        )
    );
    assert_eq!(
        refusal("select 1\nfrom a.b.c.d.[e f] x"),
        "117 2 The object name 'a.b.c.d.[e f]' contains more than the maximum number of prefixes. The maximum is 3."
    );
    assert_eq!(
        refusal("select a..b..c.d from t"),
        "117 1 The column name 'a..b..c.d' contains more than the maximum number of prefixes. The maximum is 4."
    );
    assert!(refusal("select a as []").starts_with("1038 1 "));
    assert!(refusal(&format!("select [{}]", "x".repeat(128))).starts_with("accepted"));
}
