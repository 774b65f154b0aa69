//! The parser: recursive descent over the token vector, one file per family of statements.
//!
//! T-SQL needs no semicolons: a statement ends where no rule can go on, and the next one begins with a reserved word
//! (or one of a few contextual words). Two tokens of lookahead decide everywhere except at parentheses, where what was
//! parsed inside decides ([`expr`]).
//!
//! Depth: every rule that can nest calls [`Parser::nested`], and [`Parser::height`] follows the height of trees that
//! loops build to the left, so neither parsing nor walking nor dropping a tree can overflow a stack; beyond
//! [`MAX_DEPTH`] the batch is refused with 191.

mod admin;
mod backup;
mod column;
mod control;
mod create;
mod cursor;
mod database;
mod dml;
mod events;
mod exec;
mod expr;
mod from;
mod group;
mod hints;
mod index;
mod literal;
mod merge;
mod module;
mod names;
mod odbc;
mod options;
mod policy;
mod query;
mod query_hints;
mod refused;
mod security;
mod set;
mod special;
mod statement;
mod table;
mod transaction;

use taffrail_base::SqlError;

use crate::ast::{Batch, Ident, LineIndex, ParseSettings, Span};
use crate::lexer::{Kw, Lexed, Token, TokenKind, Unclosed, lex};
use crate::{ParseOptions, SyntaxErrors, Unwatched, Watch};

/// The deepest nesting of statements, queries and expressions taken together, and the tallest tree.
pub const MAX_DEPTH: u32 = 500;

/// The longest name in UTF-16 code units.
const MAX_NAME: usize = 128;

pub(crate) type Parse<T> = Result<T, Box<SqlError>>;

/// The kind of code that is parsed: some statements depend on it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Context {
    Batch,
    /// A procedure, function or trigger.
    Module,
}

struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token],
    /// Index of the current token.
    at: usize,
    /// How deep rules are nested now.
    depth: u32,
    /// Greatest height of the trees built since it was last set to zero.
    height: u32,
    /// How many derived tables are being parsed.
    derived: u32,
    /// The constraints that are being parsed are a table variable's, and have no names.
    unnamed: bool,
    /// The query that is being parsed is a statement's own, and may have an INTO.
    into: bool,
    /// How many `WHILE`s surround the current statement.
    loops: u32,
    /// How many CATCH blocks do: only there THROW may stand alone.
    catches: u32,
    context: Context,
    lines: &'a LineIndex,
    /// The settings that the batch has changed so far.
    settings: ParseSettings,
    /// Labels declared and referenced in the batch or module.
    labels: Vec<(Ident, Vec<usize>)>,
    gotos: Vec<(Ident, Vec<usize>)>,
    /// The TRY and CATCH blocks that surround the current statement, each by its beginning.
    scopes: Vec<usize>,
    /// The procedure, view or function that the batch defines.
    defines: Option<Box<str>>,
    /// Where functions are called by a name of one part, if somebody asks.
    calls: Option<Vec<Span>>,
    watch: &'a dyn Watch,
    /// Rules until the watch looks again.
    unwatched: u32,
    /// The watch has ended it.
    ended: bool,
}

/// So many nested rules pass between two looks of the watch.
const RULES_PER_LOOK: u32 = 64;

/// Parses a batch; see [`crate::parse_batch`].
pub(crate) fn parse(text: &str, options: ParseOptions) -> Result<Batch, SyntaxErrors> {
    parse_watched(text, options, &Unwatched)
}

/// Parses a batch while somebody looks on; see [`crate::parse_batch_watched`].
pub(crate) fn parse_watched(
    text: &str,
    options: ParseOptions,
    watch: &dyn Watch,
) -> Result<Batch, SyntaxErrors> {
    parse_noting(text, options, None, watch).0
}

/// Parses a batch; with a list, also notes where functions are called by a name of one part.
pub(crate) fn parse_noting(
    text: &str,
    options: ParseOptions,
    calls: Option<Vec<Span>>,
    watch: &dyn Watch,
) -> (Result<Batch, SyntaxErrors>, Vec<Span>) {
    let refused = |e: Box<SqlError>| (Err(SyntaxErrors { errors: vec![*e] }), Vec::new());
    if u32::try_from(text.len()).is_err() {
        return refused(SqlError::new(191, &[]));
    }
    let lines = match watch.look(LineIndex::bytes_for(text)) {
        Ok(()) => LineIndex::new(text),
        Err(e) => return refused(e),
    };
    let Lexed { tokens, unclosed } = match lex(text, options.quoted_identifier, watch) {
        Ok(lexed) => lexed,
        Err(e) => return refused(e),
    };
    let mut parser = Parser {
        text,
        tokens: &tokens,
        at: 0,
        depth: 0,
        height: 0,
        derived: 0,
        unnamed: false,
        into: false,
        loops: 0,
        catches: 0,
        context: Context::Batch,
        lines: &lines,
        settings: ParseSettings::default(),
        labels: Vec::new(),
        gotos: Vec::new(),
        scopes: Vec::new(),
        defines: None,
        calls,
        watch,
        unwatched: RULES_PER_LOOK,
        ended: false,
    };
    let parsed = parser.batch();
    if let (true, Err(e)) = (parser.ended, &parsed) {
        return refused(e.clone());
    }
    let settings = parser.settings;
    let unclosed = unclosed.map(|unclosed| parser.unclosed_errors(unclosed, parsed.is_err()));
    let mut errors: Vec<SqlError> = parsed
        .as_ref()
        .err()
        .map(|e| (**e).clone())
        .into_iter()
        .chain(unclosed.into_iter().flatten())
        .collect();
    if let Some(name) = &parser.defines {
        errors.iter_mut().for_each(|e| e.procedure = Some(name.clone()));
    }
    let calls = parser.calls.unwrap_or_default();
    let parsed = match parsed {
        Ok(statements) if errors.is_empty() => Ok(Batch { statements, lines, settings }),
        _ => Err(SyntaxErrors { errors }),
    };
    (parsed, calls)
}

impl<'a> Parser<'a> {
    /// The errors of an unclosed quotation or comment. The quotation is also an error of syntax, unless something
    /// before it was one.
    fn unclosed_errors(&self, unclosed: Unclosed, failed: bool) -> Vec<SqlError> {
        match unclosed {
            Unclosed::Comment(start) => vec![*self.error_at(113, start, &[])],
            Unclosed::Quotation(start) => {
                let content = self.text[start as usize..].trim_start_matches(['n', 'N']);
                let content: String = content.chars().skip(1).take(MAX_NAME).collect();
                let mut errors = vec![*self.error_at(105, start, &[&content])];
                if !failed {
                    errors.push(*self.error_at(102, start, &[&content]));
                }
                errors
            }
        }
    }

    // ---- Tokens.

    #[inline]
    fn token(&self) -> Token {
        self.tokens[self.at]
    }

    #[inline]
    fn kind(&self) -> TokenKind {
        self.tokens[self.at].kind
    }

    /// The token `n` after the current one, at most the end.
    #[inline]
    fn ahead(&self, n: usize) -> Token {
        self.tokens[(self.at + n).min(self.tokens.len() - 1)]
    }

    /// Moves past the current token; stays at the end.
    #[inline]
    fn bump(&mut self) -> Token {
        let token = self.tokens[self.at];
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    fn slice(&self, token: Token) -> &'a str {
        &self.text[token.start as usize..token.end as usize]
    }

    /// Where the current token begins.
    #[inline]
    fn start(&self) -> u32 {
        self.tokens[self.at].start
    }

    /// Where the token before the current one ended.
    #[inline]
    fn end(&self) -> u32 {
        if self.at == 0 { 0 } else { self.tokens[self.at - 1].end }
    }

    /// From `start` to the end of the token before the current one.
    #[inline]
    fn since(&self, start: u32) -> Span {
        Span { start, end: self.end().max(start) }
    }

    #[inline]
    fn is(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    #[inline]
    fn at_kw(&self, keyword: Kw) -> bool {
        self.kind() == TokenKind::Keyword(keyword)
    }

    fn ahead_kw(&self, n: usize, keyword: Kw) -> bool {
        self.ahead(n).kind == TokenKind::Keyword(keyword)
    }

    #[inline]
    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.is(kind);
        if found {
            self.bump();
        }
        found
    }

    #[inline]
    fn eat_kw(&mut self, keyword: Kw) -> bool {
        self.eat(TokenKind::Keyword(keyword))
    }

    #[inline]
    fn expect(&mut self, kind: TokenKind) -> Parse<()> {
        if self.eat(kind) { Ok(()) } else { Err(self.unexpected()) }
    }

    #[inline]
    fn expect_kw(&mut self, keyword: Kw) -> Parse<()> {
        self.expect(TokenKind::Keyword(keyword))
    }

    /// The token is this bare word, reserved or not, in any case.
    fn token_is_word(&self, token: Token, word: &str) -> bool {
        matches!(token.kind, TokenKind::Word | TokenKind::Keyword(_))
            && self.slice(token).eq_ignore_ascii_case(word)
    }

    fn at_word(&self, word: &str) -> bool {
        self.token_is_word(self.token(), word)
    }

    fn ahead_word(&self, n: usize, word: &str) -> bool {
        self.token_is_word(self.ahead(n), word)
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }

    fn expect_word(&mut self, word: &str) -> Parse<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.unexpected()) }
    }

    /// Eats all of the words or none.
    fn eat_words(&mut self, words: &[&str]) -> bool {
        let found = words.iter().enumerate().all(|(n, word)| self.ahead_word(n, word));
        if found {
            self.at += words.len();
        }
        found
    }

    // ---- Errors.

    /// Message `number` with the line of the byte at `offset`.
    #[cold]
    fn error_at(&self, number: i32, offset: u32, args: &[&dyn std::fmt::Display]) -> Box<SqlError> {
        SqlError::new(number, args).with_line(self.lines.line_of(offset))
    }

    /// The current token cannot stand here: 102, or 156 if it is a keyword. The end of the batch is blamed on the last
    /// token before it.
    #[cold]
    fn unexpected(&self) -> Box<SqlError> {
        self.unexpected_token(self.at)
    }

    #[cold]
    fn unexpected_token(&self, at: usize) -> Box<SqlError> {
        let token = self.tokens[at];
        match token.kind {
            TokenKind::End => {
                let last = self.tokens[..at].last().copied().unwrap_or(token);
                self.error_at(102, last.start, &[&self.shown(last)])
            }
            TokenKind::Keyword(_) => self.error_at(156, token.start, &[&self.slice(token)]),
            _ => self.error_at(102, token.start, &[&self.shown(token)]),
        }
    }

    /// A token as messages show it: quotations without their delimiters, cut at 128 characters.
    fn shown(&self, token: Token) -> String {
        let text = match token.kind {
            TokenKind::Delimited => self.delimited_text(token).into(),
            TokenKind::String | TokenKind::NString => self.string_text(token).into(),
            _ => self.slice(token).to_string(),
        };
        text.chars().take(MAX_NAME).collect()
    }

    // ---- Depth.

    /// Runs a rule one level deeper.
    #[inline]
    fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.unwatched -= 1;
        if self.unwatched == 0 {
            self.look()?;
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    /// Lets the watch look, which may end the parsing.
    #[cold]
    fn look(&mut self) -> Parse<()> {
        self.unwatched = RULES_PER_LOOK;
        let looked = self.watch.look(0);
        self.ended |= looked.is_err();
        looked
    }

    #[cold]
    fn too_deep(&self) -> Box<SqlError> {
        self.error_at(191, self.start(), &[])
    }

    /// Runs a rule that begins a tree of its own: the heights of its neighbours do not add to its height.
    #[inline]
    fn apart<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        let outer = std::mem::take(&mut self.height);
        let result = rule(self);
        self.height = outer.max(self.height);
        result
    }

    /// A tree of this height was built.
    #[inline]
    fn built(&mut self, height: u32) -> Parse<()> {
        self.height = self.height.max(height);
        if height > MAX_DEPTH { Err(self.too_deep()) } else { Ok(()) }
    }

    // ---- Lists.

    /// Reads `rule, rule, …`, at least one.
    fn list<T>(&mut self, mut rule: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        let mut items = vec![rule(self)?];
        while self.eat(TokenKind::Comma) {
            items.push(rule(self)?);
        }
        Ok(items)
    }

    /// Reads `(rule, rule, …)`, at least one.
    fn paren_list<T>(&mut self, rule: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        self.expect(TokenKind::LParen)?;
        let items = self.list(rule)?;
        self.expect(TokenKind::RParen)?;
        Ok(items)
    }
}
