//! The variables that a statement's text names, and the functions that it calls, without a tree to walk.

use crate::ast::Span;
use crate::lexer::{Kw, TokenKind, lex};
use crate::{ParseOptions, Unwatched};

/// A variable as a text names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedVariable<'t> {
    /// The variable's name with its `@`.
    pub name: &'t str,
    /// The byte where it stands.
    pub at: u32,
    /// It stands where a table does: behind FROM, JOIN, INTO …
    pub table: bool,
}

/// All `@variables` of a text that is part of a batch, in order; `@@variables` are the server's and not among them.
pub fn variables_of(text: &str, options: ParseOptions) -> Vec<NamedVariable<'_>> {
    let mut before = None;
    let mut found = Vec::new();
    let lexed = lex(text, options.quoted_identifier, &Unwatched);
    for token in lexed.map(|l| l.tokens).unwrap_or_default() {
        let kind = token.kind;
        let name = text.get(token.start as usize..token.end as usize).unwrap_or_default();
        if kind == TokenKind::Variable && !name.starts_with("@@") {
            let table = matches!(
                before,
                Some(TokenKind::Keyword(
                    Kw::From | Kw::Join | Kw::Into | Kw::Update | Kw::Delete | Kw::Insert
                ))
            );
            found.push(NamedVariable { name, at: token.start, table });
        }
        before = Some(kind);
    }
    found
}

/// The names that stand behind `@variables` of a text as their types do, each in as many parts as are written: `@a int`, `@b AS dbo.t`.
/// Some are no types: an alias of a table variable looks the same.
pub fn types_of(text: &str, options: ParseOptions) -> Vec<Vec<String>> {
    let lexed = lex(text, options.quoted_identifier, &Unwatched);
    let tokens = lexed.map(|l| l.tokens).unwrap_or_default();
    let mut found = Vec::new();
    for (at, _) in tokens.iter().enumerate().filter(|(_, t)| t.kind == TokenKind::Variable) {
        let mut rest = tokens[at + 1..].iter().peekable();
        rest.next_if(|t| t.kind == TokenKind::Keyword(Kw::As));
        let mut parts = Vec::new();
        while let Some(name) =
            rest.next_if(|t| matches!(t.kind, TokenKind::Word | TokenKind::Delimited))
        {
            let name = text.get(name.start as usize..name.end as usize).unwrap_or_default();
            parts.push(name.trim_matches(['[', ']', '"']).to_string());
            if rest.next_if(|t| t.kind == TokenKind::Dot).is_none() {
                break;
            }
        }
        if !parts.is_empty() {
            found.push(parts);
        }
    }
    found
}

/// Where the statements of a text call functions by a name of one part, in order; nothing where it is not well-formed.
pub fn calls_of(text: &str, options: ParseOptions) -> Vec<Span> {
    match crate::parser::parse_noting(text, options, Some(Vec::new()), &Unwatched) {
        (Ok(_), calls) => calls,
        (Err(_), _) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{calls_of, types_of, variables_of};
    use crate::ParseOptions;

    #[test]
    fn variables_are_found_where_they_stand() {
        let text = "SELECT @a, '@b', [@c], @@ROWCOUNT /* @d */ FROM @t AS t -- @e";
        let found = variables_of(text, ParseOptions::default());
        let names: Vec<_> = found.iter().map(|v| (v.name, v.table)).collect();
        assert_eq!(names, [("@a", false), ("@t", true)]);
        assert_eq!(found[0].at, 7);
    }

    #[test]
    fn types_are_found_behind_variables() {
        let text = "CREATE PROC p @a int, @b AS dbo.[my t] READONLY AS SELECT @a + 1, @c";
        let found = types_of(text, ParseOptions::default());
        assert_eq!(found, [vec!["int".to_string()], vec!["dbo".into(), "my t".into()]]);
    }

    #[test]
    fn calls_are_found_where_names_are_functions() {
        let text = "WITH c(a) AS (SELECT f([g](1)) FROM t(2) AS d(a) WITH (NOLOCK)) \
                    INSERT x (a) SELECT dbo.h(1), CAST('1' AS decimal(9, 2)) FROM c WHERE 1 IN (2)";
        let found = calls_of(text, ParseOptions::default());
        let names: Vec<_> = found.iter().map(|s| &text[s.start as usize..s.end as usize]).collect();
        assert_eq!(names, ["f", "[g]"]);
    }
}
